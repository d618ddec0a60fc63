"""Corpora from chance: small, many, and with everything that real label files get wrong."""

from collections.abc import Iterator, Sequence
from random import Random

Labels = list[list[str]]
# Which letters a scheme knows; what follows what is left to chance, so most sequences break rules.
LETTERS = {
    "IOB1": "IB",
    "IOB2": "BI",
    "IOE1": "IE",
    "IOE2": "IE",
    "IOBES": "BIES",
    "BILOU": "BILU",
}
TYPES = ("PER", "LOC", "creative-work")


def alphabet(letters: str, types: Sequence[str] = TYPES, suffix: bool = False) -> list[str]:
    """All labels of these letters and types: B-PER, or PER-B where the letter is a suffix."""
    return [
        f"{kind}-{letter}" if suffix else f"{letter}-{kind}" for letter in letters for kind in types
    ]


def drawn(
    random: Random,
    labels: Sequence[str],
    sentences: int = 4,
    shortest: int = 1,
    longest: int = 8,
) -> tuple[Labels, Labels]:
    """Gold and predicted labels: the predicted ones are the gold ones, some drawn anew.

    How many labels are O and how many are drawn anew differs from corpus to corpus, from none to
    all, so that there are corpora without mentions, without errors and without hits.
    """
    outside, noise = random.choice((0.2, 0.5, 0.9)), random.choice((0, 0.1, 0.3, 1))

    def label() -> str:
        return "O" if random.random() < outside else random.choice(labels)

    lengths = [random.randint(shortest, longest) for _ in range(random.randint(1, sentences))]
    gold = [[label() for _ in range(length)] for length in lengths]
    pred = [[label() if random.random() < noise else one for one in sentence] for sentence in gold]
    return gold, pred


def corpora(
    seed: int,
    count: int,
    labels: Sequence[str],
    *,
    sentences: int = 4,
    shortest: int = 1,
    longest: int = 8,
) -> Iterator[tuple[Labels, Labels]]:
    """So many corpora, the same for the same seed; `shortest=0` for those with empty sentences."""
    random = Random(seed)
    for _ in range(count):
        yield drawn(random, labels, sentences, shortest, longest)
