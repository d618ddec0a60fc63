"""The summary rows of results, indexed by what they are numbers of."""

from typing import Any, NamedTuple

from nerscope.corpus.units import ALL, MENTION
from nerscope.facets.facet import fixed_facets
from nerscope.results.results import Results
from nerscope.results.rows import SURFACE, Row
from nerscope.results.terms import Ranges, attribute_phrase, bucket_ranges, level_words
from nerscope.scoring.matching import LABEL, leading_match
from nerscope.scoring.metrics import Metric


class NumberKey(NamedTuple):
    """What a number is of, apart from its dataset, system and run."""

    facet: str
    level: str
    type: str | None
    match: str
    metric: str


def overall_key(match: str, metric: str, type: str | None = None) -> NumberKey:
    """The key of a number over all units, or over those of a type."""
    return NumberKey(ALL, ALL, type, match, metric)


def key_of(row: Row) -> NumberKey:
    """What the number of a row is of."""
    return NumberKey(row.facet, row.level, row.type, row.match, row.metric)


class SummaryIndex:
    """The summary rows of results, indexed by what they are numbers of."""

    def __init__(self, results: Results) -> None:
        self.results = results
        self.by_facet: dict[str, list[Row]] = {}
        self.systems: dict[str, list[str]] = {}  # by dataset
        self.ranges: Ranges = bucket_ranges(results.evidence)
        self._rows: dict[tuple[str, str, NumberKey], Row] = {}
        self._metrics: dict[str, Metric] = {}
        for row in results.rows:
            if row.run is None:
                self.by_facet.setdefault(row.facet, []).append(row)
                systems = self.systems.setdefault(row.dataset, [])
                if row.system not in systems:
                    systems.append(row.system)
                self._rows[row.dataset, row.system, key_of(row)] = row

    def row(self, dataset: str, system: str, key: NumberKey) -> Row | None:
        """The row of a number, if the results have it."""
        return self._rows.get((dataset, system, key))

    def column(self, dataset: str, key: NumberKey) -> list[Row | None]:
        """The rows of all systems on a dataset."""
        return [self.row(dataset, system, key) for system in self.systems[dataset]]

    def metric(self, name: str) -> Metric:
        # Looked up once: a table asks for every one of its cells.
        if name not in self._metrics:
            self._metrics[name] = self.results.metric(name)
        return self._metrics[name]

    def facet_title(self, facet: str) -> str:
        """What a facet is called in headings; an attribute with its code."""
        if self.is_bucketed(facet):
            phrase = attribute_phrase(facet) or facet
            return facet if phrase == facet else f"{phrase[:1].upper()}{phrase[1:]} ({facet})"
        return self.results.facet_titles().get(facet) or facet

    def is_bucketed(self, facet: str) -> bool:
        """Whether a facet was made of an attribute."""
        return any(facet in evidence.signature.edges for evidence in self.results.evidence)

    def has_fixed_levels(self, facet: str) -> bool:
        """Whether a facet is a built-in or registered one that divides mentions by itself."""
        return any(known.name == facet and known.unit == MENTION for known in fixed_facets())

    def range_notes(self, facet: str) -> list[str]:
        """The buckets of an attribute: once if all datasets have the same, else for each."""
        ranges = {
            evidence.dataset: ", ".join(
                f"{level} {text}" for level, text in evidence.signature.edges[facet].ranges.items()
            )
            for evidence in self.results.evidence
            if facet in evidence.signature.edges
        }
        if len(set(ranges.values())) < 2:
            return [f"{facet}: {text}" for text in dict.fromkeys(ranges.values())]
        return [f"{facet}: {dataset} {text}" for dataset, text in ranges.items()]

    def values(self, facet: str, field: str, **conditions: object) -> list[Any]:
        """The values of a field in the rows of a facet that fulfil the conditions, in order."""
        return list(
            dict.fromkeys(
                getattr(row, field)
                for row in self.by_facet.get(facet, [])
                if all(getattr(row, name) == value for name, value in conditions.items())
            )
        )

    def level_phrase(self, dataset: str, facet: str, level: str) -> str:
        """A level in words; a bucket by its range."""
        return level_words(facet, level, self.ranges.get((dataset, facet, level), "")).phrase


def overall_match(index: SummaryIndex) -> str:
    """The match of the first tables: exact, unless only others were evaluated."""
    names = index.values(ALL, "match", unit=MENTION)
    return leading_match([name for name in names if name not in (SURFACE, LABEL)])
