"""Write the demonstration corpus and train the systems whose outputs are shipped with it."""

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

sys.path.insert(
    0, str(Path(__file__).resolve().parent.parent)
)  # the helpers are found from wherever this is started

from examples.demo_corpus import Document, Sentence, make_corpus, mentions, sentences, write_conll
from examples.demo_systems import Labeller, train_all
from examples.demo_traps import count_traps

# the first whose corpus reaches the wanted count in every trap; no score of a system had a say in
# it
SEED = 143
TARGET = Path(__file__).resolve().parent.parent / "src" / "nerscope" / "demo"


def main() -> None:
    """Write everything to the package, and print the counts that the README quotes."""
    corpus = make_corpus(SEED)
    for split, documents in corpus.items():
        write_conll(TARGET / f"{split}.conll", documents)
        print(describe(split, documents))
    training, test = sentences(corpus["train"]), sentences(corpus["test"])
    for trap, count in count_traps(training, test).items():
        print(f"{count:6d}  {trap}")
    for name, labeller in train_all(corpus["train"]):
        write_conll(TARGET / "systems" / f"{name}.conll", list(predict(labeller, corpus["test"])))
        print(f"wrote systems/{name}.conll")


def describe(split: str, documents: Sequence[Document]) -> str:
    """One line with the sizes of a split."""
    rows = sentences(documents)
    per_sentence = [len(mentions(row)) for row in rows]
    return (
        f"{split}: {len(documents)} documents, {len(rows)} sentences, "
        f"{sum(map(len, rows))} tokens, {sum(per_sentence)} mentions; "
        f"{per_sentence.count(0) / len(rows):.0%} of sentences without a mention, "
        f"{sum(count > 2 for count in per_sentence) / len(rows):.0%} with three or more"
    )


def predict(labeller: Labeller, documents: Sequence[Document]) -> Iterator[Document]:
    """The documents with the labels of a system, which is shown the words and nothing else."""
    for document in documents:
        yield tuple(_relabel(labeller, sentence) for sentence in document)


def _relabel(labeller: Labeller, sentence: Sentence) -> Sentence:
    words = tuple(word for word, _ in sentence)
    return tuple(zip(words, labeller(words), strict=True))


if __name__ == "__main__":
    main()
