"""What people said of partial matches: of which pairs, made by which systems."""

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

GOOD, BAD = "good", "bad"


class Judgement(NamedTuple):
    """What a person said of a pair that a system made."""

    system: str
    type: str
    matches: tuple[str, ...]  # under which it got credit
    said: str  # good, bad or nothing


class Span(NamedTuple):
    """Where a mention stands in its sentence, and its type."""

    start: int
    end: int
    type: str


class Identity(NamedTuple):
    """What tells a pair from all others."""

    dataset: str
    sentence: int  # counted from 1
    gold: Span
    predicted: Span


@dataclass(frozen=True, slots=True)
class Pair:
    """A pair as files and results tell of it; texts are None where none are kept."""

    identity: Identity
    texts: tuple[str | None, str | None]
    systems: Mapping[str, Mapping[str, float]]  # the credit by match
    judgement: str

    @classmethod
    def of(cls, record: Mapping[str, Any]) -> "Pair":
        """A pair from its record, which must be as it should be."""
        gold, predicted = record["gold"], record["predicted"]
        spans = (Span(one["start"], one["end"], one["type"]) for one in (gold, predicted))
        return cls(
            Identity(record["dataset"], record["sentence"], *spans),
            (gold["text"], predicted["text"]),
            record["systems"],
            plain(record["judgement"]),
        )

    def has_texts(self, other: "Pair") -> bool:
        """Whether both pairs have texts to be compared."""
        return None not in (*self.texts, *other.texts)

    def contradicts(self, other: "Pair") -> bool:
        """Whether other words stand in the same place; texts that are not kept say nothing."""
        both = zip(self.texts, other.texts, strict=True)
        return any(one != two for one, two in both if one is not None and two is not None)


@dataclass(frozen=True, slots=True)
class JudgedFile:
    """What one judge said: of each pair and system, and (from JSON) of each pair by identity."""

    name: str
    judgements: list[Judgement]
    pairs: Mapping[Identity, Pair] | None = None

    @property
    def votes(self) -> dict[Hashable, str]:
        """What was said of each pair; the pairs of a list are known by their rows."""
        if self.pairs is None:
            return {row: one.said for row, one in enumerate(self.judgements)}
        return {identity: pair.judgement for identity, pair in self.pairs.items()}


def plain(said: str) -> str:
    """A judgement without what does not matter.

    >>> plain(" Good")
    'good'
    """
    return said.strip().lower()
