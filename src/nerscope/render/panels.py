"""The parts of a figure as plain data: panels of series of numbers, which `draw` draws."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from nerscope.corpus.units import ALL
from nerscope.errors import UsageError
from nerscope.render.document import UNDEFINED, escape_controls, metric_title, percent
from nerscope.render.number_index import NumberKey, SummaryIndex
from nerscope.render.table_plans import TableEntry, plan_table
from nerscope.results.intervals import with_bounds
from nerscope.results.results import Results
from nerscope.results.rows import Row
from nerscope.results.terms import short_phrase
from nerscope.scoring.matching import USUAL_MATCHES
from nerscope.scoring.metrics import HARDEVAL

# How a panel is drawn; `draw` knows each by its name.
DOTS, TREND, BARS, STACKS = "dots", "trend", "bars", "stacks"
GAPS, RADAR, HEAT, STEPS = "gaps", "radar", "heat", "steps"
Interval = tuple[float, float]
_LONGEST = 24  # characters of a name
# What files of vector graphics cannot hold, beyond what a terminal must not see.
_UNWRITABLE = re.compile("[\ud800-\udfff\ufffe\uffff]")


@dataclass(frozen=True, slots=True)
class PlotMark:
    """A number as it is drawn: in percent if it is a share; None leaves a gap."""

    value: float | None
    interval: Interval | None = None
    text: str = ""  # written at it
    sure: bool = True  # what may be chance is drawn hollow


@dataclass(frozen=True, slots=True)
class Series:
    """Numbers of one kind, one for each label of their panel; `style` is its place in a list."""

    name: str
    marks: tuple[PlotMark, ...]
    style: int = 0


@dataclass(frozen=True, slots=True)
class Panel:
    """A part of a figure with axes of its own."""

    kind: str
    labels: tuple[str, ...]
    series: tuple[Series, ...]
    axis: str = ""  # what the numbers are
    title: str = ""
    ends: tuple[str, ...] = ()  # written behind the row of each label
    most: float | None = None  # the largest number there can be


@dataclass(frozen=True, slots=True)
class Figure:
    """Panels, and what a caption should say of them."""

    panels: tuple[Panel, ...]
    notes: tuple[str, ...] = ()


def interval_of(row: Row) -> Interval | None:
    """The 95 % interval of a number, where there is one."""
    low, high = row.low, row.high
    return None if low is None or high is None else (low, high)


def plain_name(name: str) -> str:
    """A name that is safe in any file: control characters escaped, long names cut.

    >>> plain_name("a\\x1bb"), plain_name("x" * 20 + "-" * 20)
    ('a\\\\x1bb', 'xxxxxxxxxxxx…-----------')
    """
    text = _UNWRITABLE.sub(lambda sign: ascii(sign[0])[1:-1], escape_controls(name))
    half = _LONGEST // 2
    return text if len(text) <= _LONGEST else f"{text[:half]}…{text[1 - half :]}"


def attribute_name(name: str, codes: bool = False) -> str:
    """An attribute in few words with its code.

    >>> attribute_name("eLen"), attribute_name("eLen", codes=True)
    ('mention length (eLen)', 'eLen')
    """
    phrase = "" if codes else short_phrase(name)
    return plain_name(name) if not phrase else f"{phrase} ({name})"


class FigureData:
    """The results to draw, and the chosen systems, metric and match."""

    def __init__(
        self,
        results: Results,
        what: str,
        *,
        named: Sequence[str] = (),
        metric: str | None = None,
        match: str | None = None,
        codes: bool = False,
    ) -> None:
        self.results, self.what, self.codes = results, what, codes
        self.index = SummaryIndex(with_bounds(results))
        self.named, self.metric, self.match = list(dict.fromkeys(named)), metric, match
        names = [name for systems in self.index.systems.values() for name in systems]
        self.systems = list(dict.fromkeys(names))

    @property
    def pair(self) -> tuple[str, str] | None:
        """The two systems to compare: those named, or the only two."""
        both = self.named or self.systems
        return (both[0], both[1]) if len(both) == 2 else None

    def titled(self, dataset: str, rest: str = "") -> str:
        """The heading of a panel: the dataset, if there are several, and what else is named."""
        names = [plain_name(dataset)] if len(self.index.systems) > 1 else []
        names += [rest] if rest else []
        text = ": ".join(names)
        if len(text) > _LONGEST:
            text = text.replace(": ", ":\n", 1)
        return "\n".join(
            line.replace(" (", "\n(", 1) if len(line) > _LONGEST + 4 else line
            for line in text.split("\n")
        )

    def level_phrase(self, dataset: str, entry: TableEntry) -> str:
        """What an entry is called in words; nothing with `codes`, or if it has no words."""
        facet, level = entry.key.facet, entry.key.level
        if self.codes:
            return ""
        if facet == ALL:
            return entry.words
        if entry.key.metric == HARDEVAL:
            return "mean of unseen and differently labelled"
        return self.index.level_phrase(dataset, facet, level)

    def attribute_name(self, name: str) -> str:
        """An attribute in words with its code."""
        return attribute_name(name, self.codes)

    def entries(self, table: str) -> Sequence[TableEntry]:
        """What a table of this name shows."""
        try:
            entries = plan_table(self.index, table, self.metric, self.match).entries
        except UsageError as error:
            raise UsageError(f"figure '{self.what}'", error.fact, error.fix) from None
        return [entry for entry in entries if entry.key.facet == table] or entries

    def rows_of(self, dataset: str, key: NumberKey) -> dict[str, Row]:
        """The rows of a dataset, by system."""
        rows = self.index.column(dataset, key)
        systems = self.index.systems[dataset]
        return {system: row for system, row in zip(systems, rows, strict=True) if row is not None}

    def mark(self, row: Row | None, text: str = "") -> PlotMark:
        if row is None or row.value is None:
            return PlotMark(None)
        scale = 100.0 if self.index.metric(row.metric).is_fraction else 1.0
        bounds = interval_of(row)
        interval = None if bounds is None else (scale * bounds[0], scale * bounds[1])
        return PlotMark(scale * row.value, interval, text)

    def number(self, row: Row | None) -> str:
        if row is None or row.value is None:
            return UNDEFINED
        is_fraction = self.index.metric(row.metric).is_fraction
        return percent(row.value, 1) if is_fraction else f"{row.value:,.6g}"

    def axis(self, metric: str, match: str) -> str:
        """What the numbers of a metric are called along an axis."""
        title = metric_title(metric, at_start=True)
        by = "" if match in USUAL_MATCHES else f", {match} match"
        formula = self.index.metric(metric)
        unit = " (%)" if formula.is_fraction else ""
        return f"{title}{by}{unit}{', lower is better' if formula.better < 0 else ''}"

    def most(self, metric: str) -> float | None:
        """The largest value of a metric, if it has one."""
        return 100.0 if self.index.metric(metric).is_fraction else None

    def series(self, dataset: str, cells: Sequence[Mapping[str, Row]]) -> tuple[Series, ...]:
        """One series for each system, which looks the same on every dataset."""
        return tuple(
            Series(
                plain_name(system),
                tuple(self.mark(cell.get(system)) for cell in cells),
                self.systems.index(system),
            )
            for system in self.index.systems[dataset]
        )
