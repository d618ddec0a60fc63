"""A made-up corpus in documents, with systems that are nearly right and with planted errors."""

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from nerscope.corpus.corpus import Corpus

Span = tuple[int, int, str]
TYPES = ("LOC", "ORG", "PER")
FRAMES = (
    "yesterday {} met {} there at the river",
    "{} said that {} would win",
    "the plan of {} was refused",
    "nobody saw {} after {} left town",
)


class Made(NamedTuple):
    """Sentences as tokens, and mentions of the truth, of gold and of systems."""

    words: list[list[str]]
    truth: list[list[Span]]
    gold: list[list[Span]]
    systems: dict[str, list[list[Span]]]
    documents: list[int]

    def corpus(self, mentions: list[list[Span]]) -> Corpus:
        pairs = list(zip(self.words, mentions, strict=True))
        return replace(Corpus.of(pairs, name="gold.conll"), documents=np.array(self.documents))

    @property
    def wrong(self) -> np.ndarray:
        """Whether the gold of each sentence is wrong."""
        return np.array([a != b for a, b in zip(self.gold, self.truth, strict=True)])


def make_data(
    sentences: int = 400, rate: float = 0.05, noise: float = 0.05, seed: int = 1, systems: int = 2
) -> Made:
    """A share `rate` of gold mentions and a share `noise` of each system's are wrong."""
    random = np.random.default_rng(seed)
    words, truth = [], []
    for _ in range(sentences):
        tokens: list[str] = []
        spans = []
        for word in str(random.choice(FRAMES)).split():
            if word != "{}":
                tokens.append(word)
                continue
            kind = TYPES[random.integers(3)]
            name = [f"{kind.title()}{random.integers(40)}"]
            name += ["Junior"] if random.integers(3) == 0 else []
            spans.append((len(tokens), len(tokens) + len(name), kind))
            tokens += name
        words.append(tokens)
        truth.append(spans)
    documents = [number // 10 for number in range(sentences)]
    gold = [damaged(spans, rate, random) for spans in truth]
    outputs = {
        f"system{number}": [damaged(spans, noise, random) for spans in truth]
        for number in range(systems)
    }
    return Made(words, truth, gold, outputs, documents)


def damaged(spans: list[Span], rate: float, random: np.random.Generator) -> list[Span]:
    """Mentions of which a share is dropped, cut, followed by another one or given another type."""
    kept = []
    for start, end, kind in spans:
        if random.random() >= rate:
            kept.append((start, end, kind))
        elif (mistake := random.integers(4)) == 0:
            kept.append((start, end, TYPES[(TYPES.index(kind) + 1) % 3]))
        elif mistake == 1 and end - start > 1:
            kept.append((start, end - 1, kind))
        elif mistake == 2:  # a word that every frame has behind a name
            kept += [(start, end, kind), (end, end + 1, TYPES[random.integers(3)])]
    return kept


def as_conll(made: Made, mentions: list[list[Span]]) -> str:
    """The sentences as columns, with document lines."""
    lines = []
    for number, (tokens, spans) in enumerate(zip(made.words, mentions, strict=True)):
        if number % 10 == 0:
            lines += ["-DOCSTART- O", ""]
        labels = ["O"] * len(tokens)
        for start, end, kind in spans:
            labels[start:end] = [f"B-{kind}", *[f"I-{kind}"] * (end - start - 1)]
        lines += [f"{word} {label}" for word, label in zip(tokens, labels, strict=True)]
        lines.append("")
    return "\n".join(lines)
