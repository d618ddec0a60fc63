"""The conditions of a number: every setting that moves it, in one line to be quoted with it."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any

from nerscope.corpus.mentions import CONLLEVAL
from nerscope.scoring.matching import EXACT
from nerscope.scoring.metrics import MICRO
from nerscope.version import VERSION


@dataclass(frozen=True, slots=True)
class BucketEdges:
    """The edges of an attribute's buckets, and the interval of each bucket as text."""

    edges: tuple[float, ...]
    ranges: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Signature:
    """The settings that hold for all numbers of one dataset.

    >>> str(Signature(scheme="bio", version="1.0"))[:30]
    'scheme:bio|match:exact|average'
    """

    scheme: str = "bio"  # of gold and systems, detected or declared
    match: str = EXACT
    average: str = MICRO
    repair: str = CONLLEVAL
    ter: str = "bilou/strict"
    buckets: str = "paper/4"
    zero_division: float | None = None
    map: str = "none"  # types that count as others
    answers: str = "none"  # how strings are found in the text
    version: str = VERSION
    resampling: Mapping[str, str] = field(default_factory=dict)  # how intervals were made
    edges: Mapping[str, BucketEdges] = field(default_factory=dict)  # by facet

    def parts(self) -> dict[str, str]:
        """The settings as words."""
        words = {
            item.name: getattr(self, item.name)
            for item in fields(self)
            if item.name not in ("resampling", "edges", "version")
        }
        words["zero_division"] = (
            "undefined" if self.zero_division is None else f"{self.zero_division:g}"
        )
        for name in ("map", "answers"):
            if words[name] == "none":
                del words[name]
        return {**words, **self.resampling, "version": self.version}

    def __str__(self) -> str:
        return "|".join(f"{key}:{value}" for key, value in self.parts().items())

    def as_dict(self) -> dict[str, Any]:
        """Plain data, for JSON."""
        return {item.name: _plain(getattr(self, item.name)) for item in fields(self)}

    @classmethod
    def from_dict(cls, content: Mapping[str, Any]) -> "Signature":
        edges = {
            name: BucketEdges(tuple(buckets["edges"]), dict(buckets["ranges"]))
            for name, buckets in content["edges"].items()
        }
        return replace(cls(**{**content, "edges": {}}), edges=edges)


def _plain(value: Any) -> Any:
    if isinstance(value, BucketEdges):
        return {"edges": list(value.edges), "ranges": dict(value.ranges)}
    return {key: _plain(item) for key, item in value.items()} if isinstance(value, dict) else value


def joint(signatures: Iterable[Signature]) -> str:
    """One line for several datasets: a setting in which they differ shows every value.

    >>> joint([Signature(scheme="bio"), Signature(scheme="iob1")])[:15]
    'scheme:bio+iob1'
    """
    values: dict[str, dict[str, None]] = {}
    for signature in signatures:
        for key, value in signature.parts().items():
            values.setdefault(key, {})[value] = None
    return "|".join(f"{key}:{'+'.join(known)}" for key, known in values.items())
