"""What each figure shows: a table of figures by name, and any facet of the results."""

import textwrap
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from nerscope.corpus.units import ALL
from nerscope.errors import InputError, UsageError, suggest
from nerscope.facets.facet import fix_for_absent
from nerscope.render.diagnosis import may_be_chance
from nerscope.render.document import UNDEFINED, metric_title
from nerscope.render.number_index import overall_key, overall_match
from nerscope.render.panels import (
    BARS,
    DOTS,
    GAPS,
    HEAT,
    RADAR,
    STACKS,
    STEPS,
    TREND,
    Figure,
    FigureData,
    Panel,
    PlotMark,
    Series,
    attribute_name,
    plain_name,
)
from nerscope.render.table_plans import TableEntry
from nerscope.results.diagnose import ExtremesRow, LeadRow, diagnose
from nerscope.results.results import Results
from nerscope.results.rows import ComparisonRow, Row
from nerscope.results.selection import narrow_results
from nerscope.scoring.matching import EXACT
from nerscope.scoring.metrics import F1, RECALL

_MOST_BARS = 4  # systems side by side; of more, dots are easier to tell apart
_MOST_ACROSS = 5  # buckets beside each other in the column of a paper
_WIDE, _NARROW = 24, 9  # characters that fit beside a row, and below a bucket
_AROUND = 15  # and around a circle
INTERVAL_NOTE = "lines: 95 % intervals"
SIZE_NOTE = "below each bucket: on how many units it rests"


def figure_of(
    results: Results,
    what: str,
    *,
    systems: Sequence[str] = (),
    datasets: Sequence[str] = (),
    metric: str | None = None,
    match: str | None = None,
    codes: bool = False,
) -> Figure:
    """A figure by name: one of the fixed ones, or any facet of the results.

    With `codes`, levels and attributes have their short names alone, without words.

    >>> from nerscope import evaluate
    >>> gold = [(["Ada", "met", "Bob"], ["B-PER", "O", "B-PER"])]
    >>> figure = figure_of(evaluate(gold, {"s": [["B-PER", "O", "O"]]}), "exact", metric="recall")
    >>> figure.panels[0].series[0].marks[0].value
    50.0
    """
    drawing = _drawing(results, what)
    for option, value in (("metric", metric), ("match", match)):
        if value is not None and option not in drawing.choices:
            raise UsageError(
                f"--{option}", f"the figure '{what}' does not take it", f"leave out --{option}"
            )
    if metric is not None:
        metric = results.metric(metric).name
    known = {row.match for row in results.rows}
    if match is not None and match not in known:
        raise UsageError(f"match '{match}'", "it is not in the results", suggest(match, known))
    narrow = narrow_results(results, systems, datasets)
    chosen = FigureData(narrow, what, named=systems, metric=metric, match=match, codes=codes)
    panels = tuple(drawing.panels(chosen))
    return Figure(panels, _notes(chosen, drawing, panels))


def _notes(chosen: FigureData, drawing: "Drawing", panels: Sequence[Panel]) -> tuple[str, ...]:
    """What a caption should say: intervals, what is hollow, and ranges that have no room."""
    marks = [mark for panel in panels for series in panel.series for mark in series.marks]
    notes = [INTERVAL_NOTE] if any(mark.interval for mark in marks) else []
    notes += [ENDS_NOTE] if any(panel.kind == GAPS for panel in panels) else []
    notes += [CHANCE_NOTE] if not all(mark.sure for mark in marks) else []
    if drawing.shows_buckets:
        names = [facet for facet in chosen.index.by_facet if chosen.index.is_bucketed(facet)]
        notes += [note for name in names for note in chosen.index.range_notes(name)]
    if any("n = " in label for panel in panels if panel.kind == TREND for label in panel.labels):
        notes.append(SIZE_NOTE)
    return tuple(notes)


def _exact(chosen: FigureData) -> list[Panel]:
    """One number over everything: a dot for each system."""
    metric, match = chosen.metric or F1, chosen.match or EXACT
    key = overall_key(match, metric)
    if not any(chosen.rows_of(dataset, key) for dataset in chosen.index.systems):
        raise UsageError(
            "figure 'exact'",
            f"it has no {metric} by the match {match}",
            "choose a metric and a match that were evaluated",
        )
    panels = []
    for dataset, systems in chosen.index.systems.items():
        rows = chosen.rows_of(dataset, key)
        marks = tuple(chosen.mark(rows.get(system)) for system in systems)
        panels.append(
            Panel(
                DOTS,
                tuple(map(plain_name, systems)),
                (Series("", marks),),
                chosen.axis(metric, match),
                chosen.titled(dataset),
                tuple(chosen.number(rows.get(system)) for system in systems),
                chosen.most(metric),
            )
        )
    return panels


def _levels(chosen: FigureData) -> list[Panel]:
    """The levels of a facet, or the types."""
    panels = [_level_panel(chosen, dataset, chosen.what) for dataset in chosen.index.systems]
    return [panel for panel in panels if panel.labels]


def _attributes(chosen: FigureData) -> list[Panel]:
    """Small multiples: how the numbers go with each attribute."""
    names = [facet for facet in chosen.index.by_facet if chosen.index.is_bucketed(facet)]
    if not names:
        raise InputError(
            "results",
            "no attribute was evaluated",
            "nerscope evaluate … --train FILE, or --facet eLen",
        )
    if chosen.match is not None:  # attributes of tokens have other matches than those of mentions
        names = [n for n in names if chosen.match in chosen.index.values(n, "match")] or names[:1]
    panels = [
        _level_panel(chosen, dataset, name, multiple=True)
        for dataset in chosen.index.systems
        for name in names
    ]
    return [panel for panel in panels if panel.labels]


def _level_panel(chosen: FigureData, dataset: str, name: str, multiple: bool = False) -> Panel:
    """The numbers of each system on each level; one of many panels has no room for ranges."""
    every = [(entry, chosen.rows_of(dataset, entry.key)) for entry in chosen.entries(name)]
    columns = [(entry, cell) for entry, cell in every if cell]
    ranges = _ranges(chosen, dataset, name)
    kind = TREND if multiple else _kind(ranges, len(chosen.systems))
    labels = [
        f"{entry.name}\n{_size(cell)}" if multiple else _label(chosen, dataset, entry, cell, kind)
        for entry, cell in columns
    ]
    row = next((row for _, cell in columns for row in cell.values()), None)
    return Panel(
        kind,
        tuple(labels),
        chosen.series(dataset, [cell for _, cell in columns]),
        chosen.axis(row.metric, row.match) if row else "",
        chosen.titled(dataset, chosen.attribute_name(name) if multiple else ""),
        most=chosen.most(row.metric) if row else None,
    )


def _ranges(chosen: FigureData, dataset: str, facet: str) -> Mapping[str, str]:
    """The buckets of an attribute in words; nothing for other facets."""
    for part in chosen.results.evidence:
        if part.dataset == dataset and facet in part.signature.edges:
            return part.signature.edges[facet].ranges
    return {}


def _kind(ranges: Mapping[str, str], systems: int) -> str:
    """Buckets stand beside each other in their order; names of levels are too long for that."""
    if not 0 < len(ranges) <= _MOST_ACROSS:
        return DOTS
    return BARS if systems <= _MOST_BARS else TREND


def _label(
    chosen: FigureData, dataset: str, entry: TableEntry, cell: Mapping[str, Row], kind: str
) -> str:
    """A level in words with its code, and on how many units its numbers rest."""
    size, code = f"n = {_size(cell)}", plain_name(entry.name)
    words = chosen.level_phrase(dataset, entry)
    if not words or words == entry.name:
        return f"{code}\n{size}"
    width = _WIDE if kind == DOTS else _NARROW
    below = [f"{code}, {size}"] if kind == DOTS else [code, size]
    return "\n".join([*textwrap.wrap(words, width), *below])


def _size(cell: Mapping[str, Row]) -> str:
    """The denominator, or its range where systems differ (as in the number of predictions)."""
    low, high = (pick(row.n for row in cell.values()) for pick in (min, max))
    return f"{low:,}" if low == high else f"{low:,}–{high:,}"


def _breakdown(chosen: FigureData) -> list[Panel]:
    """Of all wrong tokens, the shares that are unseen, diff and other."""
    entries, panels = chosen.entries("errors"), []
    for dataset, systems in chosen.index.systems.items():
        cells = [chosen.rows_of(dataset, entry.key) for entry in entries]
        series = tuple(
            Series(
                chosen.level_phrase(next(iter(chosen.index.systems)), entry) or entry.name,
                tuple(_share(chosen, cell.get(name)) for name in systems),
                place,
            )
            for place, (entry, cell) in enumerate(zip(entries, cells, strict=True))
        )
        wrong = [cells[0][name]["n"] if name in cells[0] else 0 for name in systems]
        labels = tuple(
            f"{plain_name(name)}\nn = {n:,}" for name, n in zip(systems, wrong, strict=True)
        )
        axis = "Share of all wrong tokens (%)"
        panels.append(Panel(STACKS, labels, series, axis, chosen.titled(dataset), most=100.0))
    return panels


def _share(chosen: FigureData, row: Row | None) -> PlotMark:
    """A part of a bar; its interval would say nothing of where the part begins."""
    return replace(chosen.mark(row, chosen.number(row)), interval=None)


def _partial(chosen: FigureData) -> list[Panel]:
    """Exact and partial pairs under each criterion for each system, then the scores."""
    panels = []
    for dataset, systems in chosen.index.systems.items():
        counted = {
            match: pairs
            for match in chosen.index.values(ALL, "match")
            if (pairs := _pairs(chosen, dataset, match))[0]
        }
        panels += [_pair_panel(chosen, dataset, system, counted) for system in systems]
    for dataset in chosen.index.systems:
        panel = _level_panel(chosen, dataset, "partial")
        # The denominators are the same under every match.
        labels = tuple(
            label.partition(", n = ")[0].partition("\nn = ")[0] for label in panel.labels
        )
        panels.append(replace(panel, labels=labels))
    return [panel for panel in panels if panel.labels]


Pairs = tuple[Mapping[str, Row], Mapping[str, Row]]


def _pairs(chosen: FigureData, dataset: str, match: str) -> Pairs:
    """The rows of exact and of partial pairs; exact match has its recall, and no partial ones."""
    if match == EXACT:
        return chosen.rows_of(dataset, overall_key(match, RECALL)), {}
    correct, partial = (
        chosen.rows_of(dataset, overall_key(match, metric)) for metric in ("correct", "partial")
    )
    return correct, partial


def _pair_panel(
    chosen: FigureData, dataset: str, system: str, counted: Mapping[str, Pairs]
) -> Panel:
    """How many mentions matched exactly and partially, by criterion."""
    numbers = [
        (_count(exact.get(system)), _count(partial.get(system)) if partial else 0.0)
        for exact, partial in counted.values()
    ]
    series = tuple(
        Series(name, tuple(PlotMark(pair[place]) for pair in numbers), place)
        for place, name in enumerate(("exact", "partial"))
    )
    return Panel(
        STACKS,
        tuple(map(plain_name, counted)),
        series,
        "Mentions",
        chosen.titled(dataset, plain_name(system)),
        tuple(_whole(exact) + (f" + {_whole(some)}" if some else "") for exact, some in numbers),
    )


def _count(row: Row | None) -> float | None:
    """A number of pairs; of exact match it is the numerator of recall."""
    if row is None or row.value is None:
        return None
    return row.value * row.n if row.metric == RECALL else row.value


def _whole(number: float | None) -> str:
    """A count; a mean over runs is rounded."""
    return UNDEFINED if number is None else f"{number:,.0f}"


ENDS_NOTE = "from the worst to the best bucket of each attribute"
CHANCE_NOTE = "hollow: may be chance (p is not below 0.05)"


def radar(chosen: FigureData) -> list[Panel]:
    """ρ of each attribute, a polygon for each dataset; of several datasets also ζ, which is scaled
    by the largest one: of a single dataset it would be a circle.
    """
    rows = diagnose(chosen.results).attribute_wise
    names = _unique(row.attribute for row in rows)
    datasets = _unique(row.dataset for row in rows)
    rho = {
        (row.dataset, row.attribute): PlotMark(row.rho, sure=not may_be_chance(row, "rho"))
        for row in rows
    }
    zeta = {(row.dataset, row.attribute): row.zeta for row in rows}
    panels = [zeta_panel(zeta, chosen.codes)] if len(datasets) > 1 else []
    labels = [_around(name, chosen.codes) for name in names]
    return [*panels, _radar_panel("Correlation with F1 (ρ)", labels, names, datasets, rho)]


def zeta_panel(zeta: Mapping[tuple[str, str], float | None], codes: bool = False) -> Panel:
    """Mean values by dataset and attribute: a polygon for each dataset, the largest at the rim."""
    datasets, names = _unique(dataset for dataset, _ in zeta), _unique(name for _, name in zeta)
    largest = {
        name: max(zeta.get((dataset, name)) or 0.0 for dataset in datasets) for name in names
    }
    marks = {
        place: PlotMark(None if mean is None or not largest[place[1]] else mean / largest[place[1]])
        for place, mean in zeta.items()
    }
    rims = [f"{_around(name, codes)}\n{largest[name]:.2g}" for name in names]
    return _radar_panel("Mean ζ, relative to the largest", rims, names, datasets, marks)


def _around(name: str, codes: bool) -> str:
    """An attribute in lines that fit around a circle."""
    return "\n".join(textwrap.wrap(attribute_name(name, codes), _AROUND))


def _radar_panel(
    title: str,
    labels: Sequence[str],
    names: Sequence[str],
    datasets: Sequence[str],
    marks: Mapping[tuple[str, str], PlotMark],
) -> Panel:
    series = tuple(
        Series(plain_name(dataset), tuple(marks[dataset, name] for name in names), place)
        for place, dataset in enumerate(datasets)
    )
    return Panel(RADAR, tuple(labels), series, title=title, most=1.0)


def _unique(names: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(names))


def gains(chosen: FigureData) -> list[Panel]:
    """How far each system is above the first one, a panel for each dataset."""
    from nerscope.results.compare import compare  # loads all statistics

    base, *others = chosen.named or chosen.systems
    if not others:
        raise UsageError(
            "figure 'gains'", "two systems are needed", "--system BASE --system A --system B"
        )
    metric, match = chosen.metric or F1, chosen.match or overall_match(chosen.index)
    options: dict[str, Any] = {"facets": [ALL], "metrics": [metric], "matches": [match]}
    rows = [
        row
        for row in compare(chosen.results, baseline=base, **options).rows
        if row.type is None and row.level == ALL
    ]
    scale = 100.0 if chosen.index.metric(metric).is_fraction else 1.0
    marks = {(row.dataset, row.system_a): _gain_mark(row, scale) for row in rows}
    # Two lines: the axis is often shorter than a label of one.
    axis = f"{metric_title(metric, at_start=True)} (points)\nabove {plain_name(base)}"
    return [
        Panel(
            STEPS,
            tuple(map(plain_name, others)),
            (Series("", tuple(marks.get((dataset, name), PlotMark(None)) for name in others)),),
            axis,
            chosen.titled(dataset),
        )
        for dataset in chosen.index.systems
        if any((dataset, name) in marks for name in others)
    ]


def _gain_mark(row: ComparisonRow, scale: float) -> PlotMark:
    if row.difference is None:
        return PlotMark(None)
    bounds = None if row.low is None or row.high is None else (scale * row.low, scale * row.high)
    return PlotMark(scale * row.difference, bounds)


def heatmap(chosen: FigureData) -> list[Panel]:
    """By how much the first system is above the second, in each bucket of each attribute."""
    a, b = _two_systems(chosen)
    rows = diagnose(chosen.results, a, b).relative_change or []
    changes = {(row.dataset, row.attribute, row.bucket): row.change for row in rows}
    panels = []
    for dataset in _unique(row.dataset for row in rows):
        dataset_rows = [row for row in rows if row.dataset == dataset]
        buckets = _unique(row.bucket for row in dataset_rows)
        series = tuple(
            Series(
                chosen.attribute_name(name),
                tuple(_change(changes, (dataset, name, bucket)) for bucket in buckets),
            )
            for name in _unique(row.attribute for row in dataset_rows)
        )
        axis = f"Change of F1 (%)\nfrom {plain_name(b)} to {plain_name(a)}"
        panels.append(Panel(HEAT, tuple(buckets), series, axis, chosen.titled(dataset)))
    return panels


def _change(
    changes: Mapping[tuple[str, str, str], float | None], place: tuple[str, str, str]
) -> PlotMark:
    """A cell of the heat map; a bucket that another attribute has stays empty."""
    if place not in changes:
        return PlotMark(None)
    change = changes[place]
    if change is None:
        return PlotMark(None, text=UNDEFINED)
    text = f"{100 * change:+.1f}".replace("-", "−")
    return PlotMark(100 * change, text="0.0" if text[1:] == "0.0" else text)


def _two_systems(chosen: FigureData) -> tuple[str, str]:
    if chosen.pair is None:
        raise UsageError(
            f"figure '{chosen.what}'", "two systems are needed", "--system A --system B"
        )
    return chosen.pair


def diagnosis(chosen: FigureData) -> list[Panel]:
    """From the worst to the best bucket of each attribute, for each system; of two systems also
    from where the first is furthest behind to where it is furthest ahead.
    """
    a, b = chosen.pair or (None, None)
    views = diagnose(chosen.results, a, b)
    by_system: dict[tuple[str, str], list[ExtremesRow]] = {}
    for row in views.self_diagnosis:
        by_system.setdefault((row.dataset, row.system), []).append(row)
    panels = [
        _self_panel(chosen, chosen.titled(dataset, plain_name(system)), rows)
        for (dataset, system), rows in by_system.items()
    ]
    if chosen.pair is not None:
        for dataset in chosen.index.systems:
            leads = [row for row in views.comparative_diagnosis or [] if row.dataset == dataset]
            if leads:
                panels.append(_comparison_panel(chosen, dataset, leads))
    return panels


def _self_panel(chosen: FigureData, title: str, rows: Sequence[ExtremesRow]) -> Panel:
    worst = [PlotMark(100 * row.worst_value, text=row.worst, sure=row.significant) for row in rows]
    best = [PlotMark(100 * row.best_value, text=row.best, sure=row.significant) for row in rows]
    series = (Series("worst", tuple(worst)), Series("best", tuple(best)))
    labels = tuple(chosen.attribute_name(row.attribute) for row in rows)
    return Panel(GAPS, labels, series, "F1 (%)", title, most=100.0)


def _comparison_panel(chosen: FigureData, dataset: str, rows: Sequence[LeadRow]) -> Panel:
    a, b = map(plain_name, _two_systems(chosen))
    names = _unique(row.attribute for row in rows)
    marks = {
        (row.attribute, row.gap): PlotMark(
            100 * row.difference, text=row.bucket, sure=row.significant
        )
        for row in rows
    }
    series = tuple(
        Series(end, tuple(marks[name, end] for name in names), style=3)
        for end in ("smallest", "largest")
    )
    return Panel(
        GAPS,
        tuple(chosen.attribute_name(name) for name in names),
        series,
        "Difference of F1 (points)",
        chosen.titled(dataset, f"{a} − {b}"),
    )


class Drawing(NamedTuple):
    """A figure: how its panels are made, what can be chosen, whether buckets go without ranges."""

    panels: Callable[[FigureData], Sequence[Panel]]
    choices: tuple[str, ...] = ()
    shows_buckets: bool = False


_FACET = Drawing(_levels, ("metric", "match"))
FIGURES: Mapping[str, Drawing] = {
    "exact": Drawing(_exact, ("metric", "match")),
    "types": Drawing(_levels, ("metric", "match")),
    "partial": Drawing(_partial, ("metric",)),
    "breakdown": Drawing(_breakdown),
    "attributes": Drawing(_attributes, ("metric", "match"), shows_buckets=True),
    "radar": Drawing(radar),
    "heatmap": Drawing(heatmap, shows_buckets=True),
    "diagnosis": Drawing(diagnosis, shows_buckets=True),
    "gains": Drawing(gains, ("metric", "match")),
}


def _drawing(results: Results, what: str) -> Drawing:
    if what in FIGURES:
        return FIGURES[what]
    facets = dict.fromkeys(row.facet for row in results.rows if row.facet != ALL)
    if what not in facets:
        raise UsageError(
            f"figure '{what}'",
            "neither a figure nor a facet of these results",
            fix_for_absent(what, [*FIGURES, *facets]),
        )
    return _FACET
