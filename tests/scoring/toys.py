"""Corpora that tests of the measuring half share: small ones written out, and noisy ones drawn from
a seed.
"""

from collections.abc import Iterable, Sequence
from itertools import count
from pathlib import Path
from random import Random

Sentence = tuple[list[str], list[str]]
Corpus = list[Sentence]

TYPES = ("LOC", "ORG", "PER")


def sentence(text: str) -> Sentence:
    """Read `Ada/B-PER met Bob/B-PER`: a token without a label is outside."""
    parts = [part.partition("/") for part in text.split()]
    return [token for token, _, _ in parts], [label or "O" for _, _, label in parts]


def corpus(*texts: str) -> Corpus:
    return [sentence(text) for text in texts]


def labels(*texts: str) -> list[list[str]]:
    return [text.split() for text in texts]


def drawn(sentences: int, seed: int, words: int = 40, types: Sequence[str] = TYPES) -> Corpus:
    """Sentences of 3 to 12 tokens with 0 to 3 mentions each."""
    random = Random(seed)
    found: Corpus = []
    for _ in range(sentences):
        length = random.randint(3, 12)
        own = ["O"] * length
        for _ in range(random.randint(0, 3)):
            start = random.randrange(length)
            size = random.choice([1, 1, 2, 3])
            kind = random.choice(types)
            own[start : start + size] = [f"B-{kind}", *[f"I-{kind}"] * (size - 1)][: length - start]
        found.append(([f"w{int(random.random() ** 2 * words)}" for _ in range(length)], own))
    return found


def noisy(gold: Corpus, rate: float, seed: int) -> Corpus:
    """The gold labels, each replaced by another one with some probability."""
    random = Random(seed)
    every = ["O", *(f"{prefix}-{kind}" for kind in TYPES for prefix in "BI")]
    return [
        (
            list(tokens),
            [random.choice(every) if random.random() < rate else label for label in wanted],
        )
        for tokens, wanted in gold
    ]


def text_of(sentences: Iterable[Sentence], documents: Iterable[int] = ()) -> str:
    """The corpus as a file; `documents` are the sentences before which a new document begins."""
    begins = set(documents)
    parts = []
    for number, (tokens, own) in zip(count(), sentences, strict=False):
        head = "-DOCSTART- O\n\n" if number in begins else ""
        parts.append(
            head + "".join(f"{token} {label}\n" for token, label in zip(tokens, own, strict=True))
        )
    return "\n".join(parts) + "\n"


def write(path: Path, sentences: Iterable[Sentence], documents: Iterable[int] = ()) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text_of(sentences, documents), encoding="utf-8")
    return path
