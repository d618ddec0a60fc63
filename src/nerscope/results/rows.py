"""Rows: typed records of results, and their computation from the evidence."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np

from nerscope.codec import serialisable
from nerscope.corpus.arrays import Ints
from nerscope.corpus.units import ALL, MENTION, SHOWN_UNIT
from nerscope.scoring.evidence import Evidence
from nerscope.scoring.metrics import SCORE_NAMES, Counts, metric_named

if TYPE_CHECKING:
    from nerscope.results.plausible import RowDesign
    from nerscope.stats.dataset_means import DatasetDifference
    from nerscope.stats.system_pair import VarianceParts


class ResultRow(Mapping[str, Any]):
    """The base of all rows: frozen dataclasses that can also be read like a dict.

    `row.value` and `row["value"]` are the same; `dict(row)`, `row.get("low")` and `row.keys()`
    work, and a row equals the dict from `as_dict`. Subclasses are declared with
    `@dataclass(frozen=True, slots=True, eq=False)`: `eq=False` keeps this comparison with dicts.
    """

    __slots__ = ()
    __dataclass_fields__: ClassVar[dict[str, Any]]  # for `dataclasses.fields`

    def as_dict(self) -> dict[str, Any]:
        """The row as a JSON object: fields in order, without missing optional fields."""
        return {field.name: getattr(self, field.name) for field in fields(self)}

    def __getitem__(self, key: str) -> Any:
        return self.as_dict()[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self.as_dict())

    def __len__(self) -> int:
        return len(self.as_dict())

    def __or__(self, other: Mapping[str, Any]) -> dict[str, Any]:
        return self.as_dict() | dict(other)


def plain_row(value: object) -> dict[str, Any]:
    """The row as a dict, for `json.dumps(…, default=plain_row)`.

    >>> import json
    >>> json.dumps([RankRow("bert", 1.5, 2)], default=plain_row)
    '[{"system": "bert", "rank": 1.5, "datasets": 2}]'
    """
    if isinstance(value, ResultRow):
        return value.as_dict()
    raise TypeError(f"{type(value).__name__} is not JSON serialisable")


@dataclass(frozen=True, eq=False, init=False)
class Row(ResultRow):
    """One number and its conditions; docs/results.md explains every field.

    >>> row = Row("d", "s", "1", "mention", "tmr", "seen", None, "exact", "recall", 0.5, 8)
    >>> row.value, row["value"], row.get("low"), "low" in row
    (0.5, 0.5, None, False)
    """

    dataset: str
    system: str
    run: str | None  # None: the summary over the runs of the system
    unit: str
    facet: str
    level: str
    type: str | None  # None: all types together
    match: str
    metric: str
    value: float | None  # None: undefined
    n: int
    std: float | None = None
    runs: int | None = None  # of a summary: the number of runs in which the value is defined
    low: float | None = None
    high: float | None = None
    clusters: int | None = None  # documents or sentences with such units; only with intervals
    caution: str | None = None  # why the interval is missing or rough

    def __init__(
        self,
        dataset: str,
        system: str,
        run: str | None,
        unit: str,
        facet: str,
        level: str,
        type: str | None,
        match: str,
        metric: str,
        value: float | None,
        n: int,
        std: float | None = None,
        runs: int | None = None,
        low: float | None = None,
        high: float | None = None,
        clusters: int | None = None,
        caution: str | None = None,
    ) -> None:
        # There can be hundreds of thousands of rows. The __init__ of a frozen dataclass sets the
        # fields one by one, which takes three times as long as filling __dict__ at once. __dict__
        # is also what JSON shows: a missing optional field has the default of the class.
        self.__dict__.update(
            dataset=dataset,
            system=system,
            run=run,
            unit=unit,
            facet=facet,
            level=level,
            type=type,
            match=match,
            metric=metric,
            value=value,
            n=n,
        )
        if runs is not None:
            self.__dict__.update(std=std, runs=runs)
        if clusters is not None or low is not None:
            self.__dict__.update(low=low, high=high, clusters=clusters, caution=caution)

    def as_dict(self) -> dict[str, Any]:
        """The row as a JSON object: `std` and `runs` in summaries, bounds if there are any."""
        return self.__dict__.copy()

    def with_bounds(
        self, low: float | None, high: float | None, clusters: int, caution: str | None
    ) -> "Row":
        """The row with an interval; three times as fast as `dataclasses.replace`."""
        row = Row.__new__(Row)
        row.__dict__.update(self.__dict__, low=low, high=high, clusters=clusters, caution=caution)
        return row

    @property
    def has_interval(self) -> bool:
        """Whether an interval was computed; its bounds may be undefined."""
        return "low" in self.__dict__

    def __getitem__(self, key: str) -> Any:
        return self.__dict__[key]


_ROW_FIELDS = frozenset(Row.__match_args__)


def row_from(plain: Mapping[str, Any]) -> Row:
    """A row from the result of `as_dict`; unknown fields are dropped."""
    return Row(**{name: value for name, value in plain.items() if name in _ROW_FIELDS})


@serialisable
@dataclass(frozen=True, slots=True, eq=False)
class ComparisonRow(ResultRow):
    """The difference between two systems in one number; docs/statistics.md explains every field."""

    dataset: str
    system_a: str
    system_b: str
    unit: str
    facet: str
    level: str
    type: str | None
    match: str
    metric: str
    a: float | None
    b: float | None
    difference: float | None  # A minus B
    low: float | None
    high: float | None
    p: float | None
    p_corrected: float | None  # within the family
    family: str
    n: int
    clusters: int
    degrees: float | None
    differing: int  # clusters in which the two systems differ
    about: str
    test: str | None
    untested: str | None  # why p is missing
    detectable: float | None
    runs_a: list[float | None] | None = None  # the scores of all runs, for overall numbers only
    runs_b: list[float | None] | None = None
    p_equivalent: float | None = None
    # In the primary family: properties of the test if the true difference is `plausible`.
    plausible: float | None = None  # in points
    plausible_power: float | None = None  # the share of significant results
    wrong_sign: float | None = None  # the share of significant results that favour the wrong system
    exaggeration: float | None = None  # their mean size divided by the true difference
    corrected_by: str | None = None  # the correction of p_corrected
    # Not in JSON:
    margin: float | None = None  # in points, if equivalence was tested
    leads_facet: bool = False  # whether levels of the facet are judged by this metric
    parts: "DatasetDifference | None" = None  # of its variance, for means over datasets
    variance: "VarianceParts | None" = None  # of the difference on this dataset
    design: "RowDesign | None" = None  # of its test, for overall numbers
    null: Ints | None = None  # in each sample, the number of samples as extreme (stats/draws.py)

    def as_dict(self) -> dict[str, Any]:
        """The row as a JSON object: scores of runs and equivalence only if they were computed."""
        plain: dict[str, Any] = {name: getattr(self, name) for name in _COMPARED}
        plain["corrected_by"] = self.corrected_by
        if self.runs_a is not None:
            plain |= {"runs_a": self.runs_a, "runs_b": self.runs_b}
        if self.margin is not None:
            plain["p_equivalent"] = self.p_equivalent
        if self.plausible is not None:
            plain |= {name: getattr(self, name) for name in _PLAUSIBLE}
        return plain

    def __getitem__(self, key: str) -> Any:
        if key in _COMPARED:
            return getattr(self, key)
        return self.as_dict()[key]

    @property
    def pair(self) -> tuple[str, str]:
        """The names of both systems."""
        return self.system_a, self.system_b

    @property
    def gain(self) -> "Gain":
        """The difference in favour of A, also for metrics of which low values are better."""
        return gain_of(self.metric, self.difference, self.low, self.high)


# The fields of every comparison row; a dict, because its keys are ordered and fast to look up.
_COMPARED = dict.fromkeys(ComparisonRow.__match_args__[:25])
_PLAUSIBLE = ("plausible", "plausible_power", "wrong_sign", "exaggeration")


class Gain(NamedTuple):
    """How much better one of two numbers is than the other; negative if it is worse."""

    value: float | None
    low: float | None
    high: float | None

    def reversed(self) -> "Gain":
        """The gain in favour of the other number."""
        return Gain(
            *(None if side is None else -side for side in (self.value, self.high, self.low))
        )


def gain_of(
    metric: str, difference: float | None, low: float | None = None, high: float | None = None
) -> Gain:
    """A difference and its interval in the direction of the metric.

    >>> gain_of("ter", -0.25, -0.5, 0.125)
    Gain(value=0.25, low=-0.125, high=0.5)
    """
    gain = Gain(difference, low, high)
    return gain.reversed() if metric_named(metric).better < 0 else gain


@dataclass(frozen=True, slots=True, eq=False)
class RankRow(ResultRow):
    """The mean rank of a system over the datasets that all systems have."""

    system: str
    rank: float | None
    datasets: int


def row_value(value: float) -> float | None:
    """A number for a row: None if it is undefined."""
    return None if value != value else value


def or_nan(value: float | None) -> float:
    """A number of a row for computation: NaN if it is undefined."""
    return math.nan if value is None else value


def summary_row(rows: Sequence[Row]) -> Row:
    """The mean over a system's runs, without runs in which the number is undefined."""
    first, value, n, std = rows[0], rows[0].value, rows[0].n, None
    values = [row.value for row in rows if row.value is not None]
    if len(rows) > 1:
        sizes = [row.n for row in rows if row.value is not None or not values]
        n = round(sum(sizes) / len(sizes))
        value = mean = math.fsum(values) / len(values) if values else None
        if mean is not None and len(values) > 1:
            squares = math.fsum([(run_value - mean) ** 2 for run_value in values])
            std = math.sqrt(squares / (len(values) - 1))
    # Written out, because `dataclasses.replace` takes three times as long and there are many rows.
    return Row(
        first.dataset,
        first.system,
        None,
        first.unit,
        first.facet,
        first.level,
        first.type,
        first.match,
        first.metric,
        value,
        n,
        std,
        len(values),
    )


def scale_of(metric: str) -> float:
    """The number of points that a value of 1 stands for.

    >>> scale_of("f1")
    100.0
    """
    return 100.0 if metric_named(metric).is_fraction else 1.0


SURFACE = "surface"  # the match over distinct surfaces


def rows_of(evidence: Evidence) -> list[Row]:
    """All rows of a dataset: each run of each system, then the summary over the system's runs."""
    rows: list[Row] = []
    for system in evidence.systems:
        by_run = [_run_rows(evidence, run) for run in evidence.runs_of(system)]
        for run_rows in by_run:
            rows += run_rows
        rows += map(summary_row, zip(*by_run, strict=True))
    return rows


def _run_rows(evidence: Evidence, run: int) -> list[Row]:
    system, number = evidence.runs[run]
    dataset = evidence.dataset
    types = (None, *evidence.types)  # None: all types together
    rows: list[Row] = []
    for table in evidence.tables:
        unit, facet = SHOWN_UNIT[table.unit], table.facet
        for match in table.matches:
            for metric, numbers in evidence.numbers(run, table, match):
                name, values, sizes = metric.name, numbers.values.tolist(), numbers.sizes.tolist()
                for level, by_type, n_by_type in zip(numbers.levels, values, sizes, strict=True):
                    rows += [
                        Row(
                            dataset,
                            system,
                            number,
                            unit,
                            facet,
                            level,
                            kind,
                            match,
                            name,
                            None if value != value else value,
                            round(n),
                        )
                        for kind, value, n in zip(types, by_type, n_by_type, strict=False)
                    ]
    rows += _surface_rows(evidence, run)
    return rows


def _surface_rows(evidence: Evidence, run: int) -> Iterator[Row]:
    """Precision, recall and F1 over the distinct (surface, type) pairs, as WNUT17 scores them.

    Surface scores are not sums over sentences, so they belong to no facet table.
    """
    metrics = _surface_metrics(evidence)
    distinct = evidence.surface_counts(run) if metrics else None
    if distinct is None:
        return
    gold, right, pred = distinct
    counts = np.array([[gold, right, pred, right]], np.float64)
    system, number = evidence.runs[run]
    for name in metrics:
        metric = metric_named(name)
        value = metric.value(counts, evidence.signature.zero_division)
        yield Row(
            dataset=evidence.dataset,
            system=system,
            run=number,
            unit=MENTION,
            facet=ALL,
            level=ALL,
            type=None,
            match=SURFACE,
            metric=name,
            value=row_value(float(value)),
            n=round(float(metric.n(Counts(counts[0])))),
        )


def _surface_metrics(evidence: Evidence) -> list[str]:
    names = {
        name
        for table in evidence.tables
        if table.facet == ALL and table.unit == MENTION
        for match_names in table.metrics.values()
        for name in match_names
    }
    return [name for name in SCORE_NAMES if name in names]
