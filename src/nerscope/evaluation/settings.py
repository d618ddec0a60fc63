"""The settings of an evaluation: every option that can change a number, checked at once."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any

from nerscope.corpus.mentions import REPAIRS
from nerscope.errors import UsageError, expect, suggest
from nerscope.facets.buckets import BUCKETINGS, given_edges
from nerscope.facets.facet import FACETS, Attribute
from nerscope.scoring.matching import TOKEN_MATCHES, match_named
from nerscope.scoring.metrics import metric_named

MOST_BUCKETS = 1000
OVERALL_MATCHES = ("exact", "left", "right", "overlap")
_NAMES = ("facets", "matches", "metrics", "drop")


@dataclass(frozen=True, slots=True)
class Settings:
    """Every option that can change a number.

    >>> Settings.of({"repair": "strict"}).repair
    'strict'
    """

    facets: tuple[str, ...] | None = None  # or subsets; None: all standard ones
    matches: tuple[str, ...] | None = None  # None: exact for facets, OVERALL_MATCHES overall
    metrics: tuple[str, ...] | None = None  # None: those of each facet
    repair: str = "conlleval"
    token_repair: str = "strict"
    token_match: str = "bilou"
    zero_division: float | None = None
    buckets: int = 4
    bucketing: str | None = None  # None: that of each attribute
    edges: Mapping[str, Sequence[float]] = field(default_factory=dict)  # by attribute
    map: Mapping[str, str] = field(default_factory=dict)  # types that count as others, on all sides
    drop: tuple[str, ...] = ()  # types that do not count, on all sides, under their new names
    texts: bool = True  # whether results hold the words of sentences
    fold: bool | None = None  # whether results hold only sums; None: above 120,000 sentences

    @classmethod
    def of(cls, options: Mapping[str, Any]) -> "Settings":
        """Settings from options by name."""
        known = [item.name for item in fields(cls)]
        for key in options:
            if key not in known:
                raise UsageError(f"option '{key}'", "there is no such option", suggest(key, known))
        values = dict(options)
        for key in _NAMES:
            if values.get(key) is not None:
                values[key] = _as_names(key, values[key])
        return cls(**values)

    def __post_init__(self) -> None:
        repairs = [name for name in REPAIRS if name in ("conlleval", "strict")]
        for name, known in [
            ("repair", REPAIRS),
            ("token_repair", repairs),
            ("token_match", TOKEN_MATCHES),
            ("bucketing", BUCKETINGS),
        ]:
            value = getattr(self, name)
            optional = name == "bucketing" and value is None
            if not optional and (not isinstance(value, str) or value not in known):
                raise UsageError(name, f"there is no '{value}'", suggest(str(value), known))
        if self.matches is not None:  # one match may be spelt in several ways
            names = dict.fromkeys(match_named(match).name for match in self.matches)
            object.__setattr__(self, "matches", tuple(names))
        if self.metrics is not None:
            names = dict.fromkeys(metric_named(metric).name for metric in self.metrics)
            object.__setattr__(self, "metrics", tuple(names))
        if not _is_whole(self.buckets) or not 2 <= self.buckets <= MOST_BUCKETS:
            raise UsageError(
                "buckets",
                f"{self.buckets!r} cannot be",
                f"give a whole number from 2 to {MOST_BUCKETS}",
            )
        expect("texts", self.texts, bool, "say True or False")
        expect("fold", self.fold, (bool, type(None)), "say True or False")
        expect("zero_division", self.zero_division, (int, float, type(None)), "give 0 or 1")
        if self.zero_division is not None and self.zero_division not in (0, 1):
            raise UsageError(
                "zero_division",
                f"{self.zero_division!r} cannot be",
                "leave it undefined, or give 0 or 1",
            )
        self._check_edges()
        if not isinstance(self.map, Mapping) or not all(
            isinstance(name, str) and name for pair in self.map.items() for name in pair
        ):
            raise UsageError("map", f"{self.map!r} cannot be", "give new names by old ones")
        for name in self.drop:
            if self.map.get(name, name) != name and name not in self.map.values():
                raise UsageError(
                    f"drop {name}",
                    f"it counts as {self.map[name]}",
                    "drop the new name, or leave the old one out of the map",
                )

    def _check_edges(self) -> None:
        if not isinstance(self.edges, Mapping):
            raise UsageError("edges", f"{self.edges!r} cannot be", "give a list for each attribute")
        for attribute, edges in self.edges.items():
            expect("edges", attribute, str, "give a list for each attribute")
            if not isinstance(FACETS[attribute], Attribute):
                raise UsageError(
                    f"edges of {attribute}",
                    "this facet has no buckets",
                    "give edges for attributes such as eLen",
                )
            given_edges(attribute, edges)

    def signature(self) -> dict[str, Any]:
        """The settings as signatures have them."""
        return {
            "match": "+".join(self.matches or OVERALL_MATCHES),
            "repair": self.repair,
            "ter": f"{self.token_match}/{self.token_repair}",
            "buckets": "+".join([f"{self.bucketing or 'paper'}/{self.buckets}", *self.edges]),
            "zero_division": self.zero_division,
            "map": "+".join(
                [
                    *(f"{old}={new}" for old, new in self.map.items()),
                    *(f"drop({name})" for name in self.drop),
                ]
            )
            or "none",
        }


def _as_names(key: str, given: Any) -> tuple[str, ...]:
    """Names in order, each once; a single name counts as a list of one."""
    names = [given] if isinstance(given, str) else list(given) if _is_listed(given) else None
    if names is None or not all(isinstance(name, str) for name in names):
        raise UsageError(key, f"{given!r} cannot be", "give a name or a list of names")
    return tuple(dict.fromkeys(names))


def _is_listed(given: Any) -> bool:
    return isinstance(given, Sequence | set | frozenset)


def _is_whole(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)
