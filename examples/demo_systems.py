"""The systems of the demonstration: each learns from the training sentences only, and labels bare
tokens.
"""

import random
import tempfile
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

import pycrfsuite
from examples.demo_corpus import Document, Mention, Sentence, mentions, sentences

Words = tuple[str, ...]
Labeller = Callable[[Words], list[str]]
Features = list[list[str]]
Row = tuple[int, Sentence]  # a sentence with the number of its document
Featuriser = Callable[[Words, int], Features]
Gazetteer = defaultdict[Words, defaultdict[str, set[int]]]  # name, type, documents

RUNS = 3
ITERATIONS = 30
NEW_DOCUMENT = -1
SUBSAMPLE = 0.9  # share of the training sentences that one run sees


def memoriser(training: Sequence[Document]) -> Labeller:
    """A labeller that marks the longest training mention at each place, with its most frequent
    type.
    """
    majority = _majority(
        mention for sentence in sentences(training) for mention in mentions(sentence)
    )
    longest = max(map(len, majority))

    def label(words: Words) -> list[str]:
        labels = ["O"] * len(words)
        start = 0
        while start < len(words):
            sizes = range(min(longest, len(words) - start), 0, -1)
            length = next((size for size in sizes if words[start : start + size] in majority), 0)
            if length:
                kind = majority[words[start : start + length]]
                labels[start : start + length] = [f"B-{kind}"] + [f"I-{kind}"] * (length - 1)
            start += max(length, 1)
        return labels

    return label


def crf(
    training: Sequence[Document], seed: int, make: Callable[[Sequence[Row]], Featuriser]
) -> Labeller:
    """A conditional random field, trained by averaged perceptron on a shuffled sample that the seed
    decides.
    """
    rng = random.Random(seed)
    rows = [(number, sentence) for number, document in enumerate(training) for sentence in document]
    # The perceptron depends on the order of the sentences, so that runs differ by the sample and by
    # its order.
    sample = rng.sample(rows, round(SUBSAMPLE * len(rows)))
    featurise = make(sample)
    trainer = pycrfsuite.Trainer(algorithm="ap", verbose=False)
    trainer.set_params({"max_iterations": ITERATIONS})
    for number, sentence in sample:
        trainer.append(
            featurise(tuple(word for word, _ in sentence), number), [label for _, label in sentence]
        )
    tagger = pycrfsuite.Tagger()
    with tempfile.TemporaryDirectory() as folder:
        model = Path(folder) / "model.crfsuite"
        trainer.train(str(model))
        tagger.open(str(model))
    return lambda words: list(tagger.tag(featurise(words, NEW_DOCUMENT)))


def word_features(_: Sequence[Row]) -> Featuriser:
    """The identity of the word and of its two neighbours, as it is written."""
    return lambda words, _: [
        [f"w={word}", f"w-1={_at(words, index - 1)}", f"w+1={_at(words, index + 1)}"]
        for index, word in enumerate(words)
    ]


def shape_features(_: Sequence[Row]) -> Featuriser:
    """Lower-cased words in a window of two, with shapes and affixes."""
    return lambda words, _: [_shape_features(words, index) for index in range(len(words))]


def gazetteer_features(training: Sequence[Row]) -> Featuriser:
    """The shape features, and whether the word lies in a stretch that is a mention in some other
    training document.
    """
    names: Gazetteer = defaultdict(lambda: defaultdict(set))
    for number, sentence in training:
        for words, kind in mentions(sentence):
            names[tuple(word.lower() for word in words)][kind].add(number)

    def featurise(words: Words, number: int) -> Features:
        matches = _matches(tuple(word.lower() for word in words), number, names)
        return [_shape_features(words, index) + matches[index] for index in range(len(words))]

    return featurise


CRFS: dict[str, Callable[[Sequence[Row]], Featuriser]] = {
    "crf-words": word_features,
    "crf-shapes": shape_features,
    "crf-gazetteer": gazetteer_features,
}


def train_all(training: Sequence[Document]) -> Iterable[tuple[str, Labeller]]:
    """Every run of every system, under the name of its output file."""
    yield "memoriser", memoriser(training)
    for number, (name, make) in enumerate(CRFS.items(), start=1):
        for run in range(1, RUNS + 1):
            yield f"{name}.{run}", crf(training, 100 * number + run, make)


def _majority(mentions: Iterable[Mention]) -> dict[Words, str]:
    kinds: defaultdict[Words, Counter[str]] = defaultdict(Counter)
    for words, kind in mentions:
        kinds[words][kind] += 1
    return {
        words: min(counts, key=lambda kind: (-counts[kind], kind))
        for words, counts in kinds.items()
    }


def _matches(words: Words, number: int, names: Gazetteer) -> Features:
    features: Features = [[] for _ in words]
    for start in range(len(words)):
        for end in range(start + 1, len(words) + 1):
            for kind, documents in names.get(words[start:end], {}).items():
                # A list that holds every training name would be trusted blindly, so a document does
                # not see its own.
                if documents - {number}:
                    for index in range(start, end):
                        features[index].append(f"gaz={'I' if index > start else 'B'}-{kind}")
    return features


def _shape_features(words: Words, index: int) -> list[str]:
    word = words[index]
    low = word.lower()
    features = ["bias", f"low={low}", f"shape={_shape(word)}"]
    features += [f"pre{size}={low[:size]}" for size in (2, 3)] + [
        f"suf{size}={low[-size:]}" for size in (2, 3)
    ]
    for offset in (-2, -1, 1, 2):
        near = _at(words, index + offset)
        features += [f"low{offset:+d}={near.lower()}", f"shape{offset:+d}={_shape(near)}"]
    return features


def _at(words: Words, index: int) -> str:
    return words[index] if 0 <= index < len(words) else "<none>"


def _shape(word: str) -> str:
    kinds = [
        "X" if char.isupper() else "x" if char.islower() else "9" if char.isdigit() else char
        for char in word
    ]
    # Runs are cut to one character, so that long and short names look alike.
    return "".join(
        kind for index, kind in enumerate(kinds) if index == 0 or kinds[index - 1] != kind
    )
