"""InterpretEval's views as figures: radar, heat map, and diagnosis."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from nerscope.errors import UsageError
from nerscope.render.diagnosis import may_be_chance
from nerscope.render.document import UNDEFINED
from nerscope.render.panels import GAPS, HEAT, RADAR, Chosen, Mark, Panel, Series, plain_name
from nerscope.results.diagnose import diagnose

Record = dict[str, Any]
ENDS_NOTE = "from the worst to the best bucket of each attribute"
CHANCE_NOTE = "hollow: may be chance (p is not below 0.05, or cannot be told)"


def radar(chosen: Chosen) -> list[Panel]:
    """ρ of each attribute, a polygon for each dataset; of several datasets also ζ, which is scaled
    by the largest one: of a single dataset it would be a circle.
    """
    rows: Sequence[Record] = diagnose(chosen.results)["attribute-wise"]
    names = _unique(row["attribute"] for row in rows)
    datasets = _unique(row["dataset"] for row in rows)
    largest = {name: _largest(rows, name) for name in names}
    rho, zeta = {}, {}
    for row in rows:
        place, scale = (row["dataset"], row["attribute"]), largest[row["attribute"]]
        rho[place] = Mark(row["rho"], sure=not may_be_chance(row, "rho"))
        zeta[place] = Mark(None if row["zeta"] is None or not scale else row["zeta"] / scale)
    rims = [f"{name}\n{largest[name]:.2g}" for name in names]
    drawn = [("ζ, relative to the largest", rims, zeta)] if len(datasets) > 1 else []
    return [
        Panel(
            RADAR,
            tuple(labels),
            tuple(
                Series(plain_name(one), tuple(marks[one, name] for name in names), place)
                for place, one in enumerate(datasets)
            ),
            title=title,
            most=1.0,
        )
        for title, labels, marks in [*drawn, ("ρ", names, rho)]
    ]


def _unique(names: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(names))


def _largest(rows: Sequence[Record], name: str) -> float:
    return max((row["zeta"] or 0.0 for row in rows if row["attribute"] == name), default=0.0)


def heatmap(chosen: Chosen) -> list[Panel]:
    """By how much the first system is above the second, in each bucket of each attribute."""
    a, b = _two_systems(chosen)
    rows: Sequence[Record] = diagnose(chosen.results, a, b)["relative change"]
    changes = {(row["dataset"], row["attribute"], row["bucket"]): row["change"] for row in rows}
    panels = []
    for dataset in _unique(row["dataset"] for row in rows):
        own = [row for row in rows if row["dataset"] == dataset]
        buckets = _unique(row["bucket"] for row in own)
        series = tuple(
            Series(name, tuple(_change(changes, dataset, name, bucket) for bucket in buckets))
            for name in _unique(row["attribute"] for row in own)
        )
        axis = f"Change of F1 (%)\nfrom {plain_name(b)} to {plain_name(a)}"
        panels.append(Panel(HEAT, tuple(buckets), series, axis, chosen.titled(dataset)))
    return panels


def _change(changes: Mapping[Any, float | None], *place: str) -> Mark:
    """A cell of the heat map; a bucket that another attribute has stays empty."""
    if place not in changes:
        return Mark(None)
    change = changes[place]
    if change is None:
        return Mark(None, text=UNDEFINED)
    text = f"{100 * change:+.1f}".replace("-", "−")
    return Mark(100 * change, text="0.0" if text[1:] == "0.0" else text)


def _two_systems(chosen: Chosen) -> tuple[str, str]:
    if chosen.pair is None:
        raise UsageError(
            f"figure '{chosen.what}'", "two systems are needed", "say --system A --system B"
        )
    return chosen.pair


def diagnosis(chosen: Chosen) -> list[Panel]:
    """From the worst to the best bucket of each attribute, for each system; of two systems also
    from where the first is furthest behind to where it is furthest ahead.
    """
    a, b = chosen.pair or (None, None)
    views = diagnose(chosen.results, a, b)
    own: dict[tuple[str, str], list[Record]] = {}
    for row in views["self-diagnosis"]:
        own.setdefault((row["dataset"], row["system"]), []).append(row)
    panels = [
        _self_panel(chosen.titled(dataset, system), rows) for (dataset, system), rows in own.items()
    ]
    if chosen.pair is not None:
        for dataset in chosen.rows.systems:
            rows = [row for row in views["comparative diagnosis"] if row["dataset"] == dataset]
            if rows:
                panels.append(_pair_panel(chosen, dataset, rows))
    return panels


def _self_panel(title: str, rows: Sequence[Record]) -> Panel:
    series = tuple(
        Series(
            end,
            tuple(
                Mark(100 * row[f"{end}_value"], text=row[end], sure=bool(row["significant"]))
                for row in rows
            ),
        )
        for end in ("worst", "best")
    )
    labels = tuple(row["attribute"] for row in rows)
    return Panel(GAPS, labels, series, "F1 (%)", title, most=100.0)


def _pair_panel(chosen: Chosen, dataset: str, rows: Sequence[Record]) -> Panel:
    a, b = map(plain_name, _two_systems(chosen))
    labels = _unique(row["attribute"] for row in rows)
    ends = {(row["attribute"], row["gap"]): row for row in rows}
    series = tuple(
        Series(
            end,
            tuple(
                Mark(
                    100 * ends[name, end]["difference"],
                    text=ends[name, end]["bucket"],
                    sure=bool(ends[name, end]["significant"]),
                )
                for name in labels
            ),
            style=3,
        )
        for end in ("smallest", "largest")
    )
    return Panel(
        GAPS,
        tuple(labels),
        series,
        "Difference of F1 (points)",
        chosen.titled(dataset, f"{a} − {b}"),
    )
