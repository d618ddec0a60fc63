"""What a user may choose, checked at once, and the facets and divisions that follow from it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

from nerscope.corpus.mentions import REPAIRS
from nerscope.errors import UsageError, suggest
from nerscope.evaluation.subsets import Subset, parse_subset
from nerscope.facets import attributes, hard, tmr
from nerscope.facets.buckets import BUCKETINGS, given_edges
from nerscope.facets.facet import FACETS, INSIDE, MENTION, TOKEN, Attribute, Facet
from nerscope.facets.survey import Survey
from nerscope.facets.view import TOKEN_MATCHES
from nerscope.scoring.evidence import Division
from nerscope.scoring.matching import Matcher, match_named
from nerscope.scoring.metrics import METRICS

STANDARD_FACETS = (tmr.TMR.name, hard.HARD.name, hard.HARD_STRICT.name, *attributes.NAMES)
MOST_BUCKETS = 1000
OVERALL_MATCHES = ("exact", "left", "right", "overlap")
OVERALL_METRICS = (
    *("precision", "recall", "f1"),
    *("macro_precision", "macro_recall", "macro_f1"),
    *("weighted_precision", "weighted_recall", "weighted_f1"),
)


@dataclass(frozen=True, slots=True)
class Settings:
    """Everything that can move a number.

    >>> Settings.of({"repair": "strict"}).repair
    'strict'
    """

    facets: tuple[str, ...] | None = (
        None  # names or subsets; None: all standard ones, if there is training data
    )
    matches: tuple[str, ...] | None = (
        None  # for all facets; None: exact, and the partial ones for all mentions together
    )
    metrics: tuple[str, ...] | None = None  # None: those of each facet
    repair: str = "conlleval"
    token_repair: str = "strict"
    token_match: str = "bilou"
    zero_division: float | None = None
    buckets: int = 4
    bucketing: str | None = None  # None: that of each attribute
    edges: Mapping[str, Sequence[float]] = field(default_factory=dict)  # by attribute

    @classmethod
    def of(cls, options: Mapping[str, Any]) -> "Settings":
        """Settings from options by name."""
        known = [item.name for item in fields(cls)]
        for key in options:
            if key not in known:
                raise UsageError(f"option '{key}'", "there is no such option", suggest(key, known))
        values = dict(options)
        for key in ("facets", "matches", "metrics"):
            value = values.get(key)
            if value is not None:  # one name is as good as a list of one
                values[key] = tuple(dict.fromkeys([value] if isinstance(value, str) else value))
        return cls(**values)

    def __post_init__(self) -> None:
        for name, value, known in [
            ("repair", self.repair, REPAIRS),
            (
                "token_repair",
                self.token_repair,
                [repair for repair in REPAIRS if repair in ("conlleval", "strict")],
            ),
            ("token_match", self.token_match, TOKEN_MATCHES),
            ("bucketing", self.bucketing, BUCKETINGS),
        ]:
            if value is not None and value not in known:
                raise UsageError(name, f"there is no '{value}'", suggest(value, known))
        for match in self.matches or ():
            match_named(match)
        for metric in self.metrics or ():
            METRICS[metric]
        if not isinstance(self.buckets, int) or not 2 <= self.buckets <= MOST_BUCKETS:
            raise UsageError(
                "buckets",
                f"{self.buckets!r} cannot be",
                f"give a whole number from 2 to {MOST_BUCKETS}",
            )
        if self.zero_division is not None and self.zero_division not in (0, 1):
            raise UsageError(
                "zero_division",
                f"{self.zero_division!r} cannot be",
                "leave it undefined, or give 0 or 1",
            )
        for attribute, edges in self.edges.items():
            if FACETS[attribute].attribute is None:
                raise UsageError(
                    f"edges of {attribute}",
                    "this facet has no buckets",
                    "give edges for attributes such as eLen",
                )
            given_edges(attribute, edges)

    def subsets(self, with_train: bool) -> list[Subset]:
        """What was asked for, parsed: facets and subsets of facets."""
        names = self.facets if self.facets is not None else STANDARD_FACETS if with_train else ()
        return [
            subset for subset in map(parse_subset, dict.fromkeys(names)) if subset.text != "all"
        ]

    def signature(self) -> dict[str, str]:
        """The settings that hold for every number."""
        return {
            "match": "+".join(self.matches or OVERALL_MATCHES),
            "average": "micro",
            "repair": self.repair,
            "ter": f"{self.token_match}/{self.token_repair}",
            "buckets": "+".join([f"{self.bucketing or 'paper'}/{self.buckets}", *self.edges]),
            "zero_division": "undefined"
            if self.zero_division is None
            else f"{self.zero_division:g}",
        }


def base_facets(subsets: Sequence[Subset], with_train: bool) -> list[str]:
    """The registered facets that subsets are made of, refused if they need training data and there
    is none.
    """
    names = list(dict.fromkeys(name for subset in subsets for name in subset.facets()))
    lacking = [name for name in names if FACETS[name].needs_train and not with_train]
    if lacking:
        raise UsageError(
            f"facet {', '.join(lacking)}",
            "it needs the training data",
            "give it with --train FILE (train=… in Python)",
        )
    return names


def attributes_of(names: Sequence[str]) -> list[Attribute]:
    """The attributes among some facets."""
    return [maker.attribute for maker in map(FACETS.__getitem__, names) if maker.attribute]


def fixed_facets(names: Sequence[str], survey: Survey, settings: Settings) -> list[Facet]:
    """Facets whose levels and edges are settled on the gold data."""
    return [_fixed(name, survey, settings) for name in names]


def _fixed(name: str, survey: Survey, settings: Settings) -> Facet:
    maker = FACETS[name]
    if maker.facet:
        return maker.facet
    assert maker.attribute is not None
    if name in settings.edges:
        return maker.attribute.facet(given_edges(name, settings.edges[name]))
    place_edges = BUCKETINGS[settings.bucketing or maker.attribute.bucketing]
    return maker.attribute.facet(place_edges(survey.values[name], settings.buckets))


def divisions_of(facets: Sequence[Facet], settings: Settings) -> dict[str, Division]:
    """What is to be reported: all mentions together, the labels' accuracy, and every facet."""
    divisions = {
        "all": Division(
            MENTION,
            {"all": (0,)},
            settings.matches or OVERALL_MATCHES,
            settings.metrics or OVERALL_METRICS,
        ),
        "accuracy": Division(TOKEN, {"all": (0,)}, ("label",), ("accuracy",), by_type=False),
    }
    for facet in facets:
        matches = {
            MENTION: settings.matches or ("exact",),
            INSIDE: ("io",),
            TOKEN: (settings.token_match,),
        }[facet.unit]
        metrics = facet.metrics if facet.unit == TOKEN else settings.metrics or facet.metrics
        divisions[facet.name] = Division(facet.unit, facet.levels, matches, metrics, facet.by_type)
    return divisions


def matchers_of(settings: Settings) -> dict[str, Matcher]:
    """The matchers that are needed; exact match always is."""
    return {
        match: match_named(match)
        for match in dict.fromkeys(("exact", *(settings.matches or OVERALL_MATCHES)))
    }


def facet_settings(facets: Sequence[Facet]) -> dict[str, Any]:
    """What rows of facets rest on: the edges of buckets."""
    return {
        facet.name: {
            "edges": list(facet.buckets.edges),
            "ranges": dict(zip(facet.levels, facet.buckets.ranges(), strict=True)),
        }
        for facet in facets
        if facet.buckets
    }


def dataset_name(source_name: str) -> str:
    """What to call a dataset whose name was not given."""
    return Path(source_name).stem.strip("<>") or "test"
