"""How each kind of panel is drawn on its axes, and how dots, bars and lines look."""

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from nerscope.render.document import UNDEFINED
from nerscope.render.panels import TREND, Panel, PlotMark, Series

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_ROOM = 0.1  # the smallest share of a bar in which a number fits
# Okabe and Ito's colours, which colour-blind readers tell apart, but for yellow, which is too pale
# for a line. Markers and hatches repeat at other lengths: no two systems look the same, and they
# can be told apart in print without colour.
_COLOURS = ("#0072B2", "#E69F00", "#009E73", "#D55E00", "#56B4E9", "#CC79A7", "#000000")
_MARKERS = ("o", "s", "^", "D", "v", "P", "X", "<", ">", "h", "*")
_HATCHES = ("", "////", "....", "\\\\\\\\", "xxxx", "----", "oooo", "||||", "++++")
LINES: tuple[Any, ...] = ("-", "--", "-.", ":", (0, (4, 1, 1, 1, 1, 1)))
PALE = "0.88"
_GREY = "0.45"
_SHADES = ("#56B4E9", "#E69F00", "#DDDDDD")  # of what stands in one bar


class PanelPlace(NamedTuple):
    """Where a panel stands, and what it shares with those around it."""

    line: int
    column: int
    columns: int
    limits: tuple[float, float]
    names_rows: bool  # else the panel to the left does
    names_numbers: bool  # else the panel below does, or the one to the left


def colour(style: int) -> str:
    """The colour of a style."""
    return _COLOURS[style % len(_COLOURS)]


def dot(style: int, sure: bool = True) -> dict[str, Any]:
    """How a dot looks."""
    return {
        "marker": _MARKERS[style % len(_MARKERS)],
        "markersize": 3.6,
        "markerfacecolor": colour(style) if sure else "white",
        "markeredgecolor": "black" if sure else colour(style),
        "markeredgewidth": 0.4 if sure else 0.8,
    }


def bar(style: int) -> dict[str, Any]:
    """How a bar looks."""
    hatch = _HATCHES[style % len(_HATCHES)]
    return {"facecolor": colour(style), "hatch": hatch, "edgecolor": "black", "linewidth": 0.4}


def share(style: int) -> dict[str, Any]:
    """How a part of a bar looks."""
    shade, hatch = _SHADES[style % len(_SHADES)], _HATCHES[style % len(_HATCHES)]
    return {"facecolor": shade, "hatch": hatch, "edgecolor": "black", "linewidth": 0.4}


def _rows(axes: "Axes", panel: Panel, place: PanelPlace) -> None:
    """Labels down the left side, numbers along the bottom."""
    axes.set_ylim(len(panel.labels) - 0.5, -0.5)
    axes.set_yticks(range(len(panel.labels)), panel.labels if place.names_rows else [])
    axes.tick_params(axis="y", length=0)
    axes.set_xlim(*place.limits)
    axes.xaxis.set_major_formatter(lambda value, _: f"{value:,.6g}".replace("-", "−"))
    axes.grid(axis="x")
    axes.spines["left"].set_visible(False)
    if place.names_numbers:
        axes.set_xlabel(panel.axis)
    for row, text in enumerate(panel.ends):
        axes.text(
            1.02, row, text, transform=axes.get_yaxis_transform(), va="center_baseline", size=7
        )


def _columns(axes: "Axes", panel: Panel, place: PanelPlace) -> None:
    """Labels along the bottom, numbers up the left side."""
    _dashes(axes, panel, axes.get_xaxis_transform(), lambda column: (column, 0.04))
    axes.set_xlim(-0.5, len(panel.labels) - 0.5)
    axes.set_xticks(range(len(panel.labels)), panel.labels)
    axes.tick_params(axis="x", length=0)
    axes.set_ylim(*place.limits)
    axes.grid(axis="y")
    if place.names_numbers:
        axes.set_ylabel(panel.axis)
    if place.column:
        axes.tick_params(axis="y", labelleft=False)


def _offsets(panel: Panel, room: float) -> list[float]:
    """How far the series of a panel stand beside a label."""
    step = room / len(panel.series)
    return [step * (number - (len(panel.series) - 1) / 2) for number in range(len(panel.series))]


def _values(series: Series) -> list[float]:
    """The numbers of a series; what is undefined is not drawn."""
    return [math.nan if mark.value is None else mark.value for mark in series.marks]


def draw_dots(axes: "Axes", panel: Panel, place: PanelPlace) -> None:
    """Dots with intervals in rows."""
    _rows(axes, panel, place)
    for edge in range(1, len(panel.labels)):
        if len(panel.series) > 1:
            axes.axhline(edge - 0.5, color=PALE, linewidth=0.6)
    _dashes(axes, panel, axes.get_yaxis_transform(), lambda row: (0.01, row))
    for series, offset in zip(panel.series, _offsets(panel, 0.8), strict=True):
        hue = colour(series.style)
        for row, mark in enumerate(series.marks):
            y = row + offset
            if mark.interval is not None:
                axes.plot(mark.interval, (y, y), color=hue, linewidth=1.0, zorder=2)
            if mark.value is not None:
                axes.plot(mark.value, y, **dot(series.style, mark.sure), linestyle="", zorder=3)


def _dashes(
    axes: "Axes", panel: Panel, transform: Any, spot: Callable[[float], tuple[float, float]]
) -> None:
    """A dash where a number is undefined; one for all, where all are."""
    for at in range(len(panel.labels)):
        missing = [series.marks[at].value is None for series in panel.series]
        offsets = [0.0] if all(missing) else _offsets(panel, 0.8 if panel.kind != TREND else 0.6)
        for offset, is_missing in zip(offsets, missing, strict=False):
            if is_missing:
                x, y = spot(at + offset)
                axes.text(x, y, UNDEFINED, transform=transform, ha="center", va="center", size=7)


def draw_trend(axes: "Axes", panel: Panel, place: PanelPlace) -> None:
    """Dots with intervals in columns, joined by lines."""
    _columns(axes, panel, place)
    for series, offset in zip(panel.series, _offsets(panel, 0.6), strict=True):
        hue = colour(series.style)
        x = [column + offset for column in range(len(series.marks))]
        axes.plot(x, _values(series), color=hue, linewidth=0.6, **dot(series.style), zorder=3)
        _uprights(axes, x, series.marks, hue)


def draw_steps(axes: "Axes", panel: Panel, place: PanelPlace) -> None:
    """As a trend, above and below a line at 0."""
    draw_trend(axes, panel, place)
    axes.axhline(0.0, color="#D55E00", linewidth=0.9, zorder=1)


def draw_bars(axes: "Axes", panel: Panel, place: PanelPlace) -> None:
    """Bars side by side."""
    _columns(axes, panel, place)
    width = 0.8 / len(panel.series)
    for series, offset in zip(panel.series, _offsets(panel, 0.8), strict=True):
        x = [column + offset for column in range(len(series.marks))]
        axes.bar(x, _values(series), width, **bar(series.style))
        _uprights(axes, x, series.marks, "black")


def _uprights(axes: "Axes", x: Sequence[float], marks: Sequence[PlotMark], hue: str) -> None:
    """Intervals that go up."""
    for at, mark in zip(x, marks, strict=True):
        if mark.interval is not None:
            axes.plot((at, at), mark.interval, color=hue, linewidth=0.9, zorder=2.5)


def draw_stacks(axes: "Axes", panel: Panel, place: PanelPlace) -> None:
    """Bars made of parts."""
    _rows(axes, panel, place)
    begins = [0.0] * len(panel.labels)
    for series in panel.series:
        values = [mark.value or 0.0 for mark in series.marks]
        axes.barh(range(len(values)), values, 0.66, left=begins, **share(series.style))
        for row, mark in enumerate(series.marks):
            if mark.text and values[row] > _ROOM * place.limits[1]:
                middle = begins[row] + values[row] / 2
                box = {"facecolor": "white", "edgecolor": "none", "pad": 0.8}
                axes.text(middle, row, mark.text, ha="center", va="center", size=6.5, bbox=box)
            begins[row] += values[row]
    for row in range(len(panel.labels)):
        if all(series.marks[row].value is None for series in panel.series):
            axes.text(0.0, row, f" {UNDEFINED}", va="center", size=7)


def draw_gaps(axes: "Axes", panel: Panel, place: PanelPlace) -> None:
    """A line from one end to the other, with what stands at each."""
    _rows(axes, panel, place)
    if panel.most is None and place.limits[0] < 0 < place.limits[1]:
        axes.axvline(0.0, color=_GREY, linewidth=0.6)
    low, high = panel.series
    for row, (left, right) in enumerate(zip(low.marks, high.marks, strict=True)):
        if left.value is None or right.value is None:
            continue
        axes.plot((left.value, right.value), (row, row), color=_GREY, linewidth=0.9, zorder=2)
        ends = ((left, left.value, "right", -4), (right, right.value, "left", 4))
        for mark, value, side, way in ends:
            axes.plot(value, row, **dot(low.style, mark.sure), linestyle="", zorder=3)
            axes.annotate(
                mark.text,
                (value, row),
                (way, 0),
                textcoords="offset points",
                ha=side,
                va="center_baseline",
                size=6,
            )


def draw_radar(axes: Any, panel: Panel, place: PanelPlace) -> None:
    """A polygon for each series."""
    size = len(panel.labels)
    angles = [2 * math.pi * spoke / size for spoke in range(size)]
    axes.set_theta_offset(math.pi / 2)
    axes.set_theta_direction(-1)
    axes.set_ylim(0, 1.04)
    axes.set_yticks([0.25, 0.5, 0.75, 1.0], ["", "0.5", "", "1"])
    axes.tick_params(axis="y", labelsize=6, labelcolor=_GREY)
    axes.set_rlabel_position(180 / size)
    axes.spines["polar"].set_visible(False)
    axes.set_xticks(angles, panel.labels)
    for label, angle in zip(axes.get_xticklabels(), angles, strict=True):
        side, height = math.sin(angle), math.cos(angle)
        label.set_ha("center" if abs(side) < 0.1 else "left" if side > 0 else "right")
        label.set_va("center" if abs(height) < 0.9 else "bottom" if height > 0 else "top")
    axes.tick_params(axis="x", pad=-1)
    for series in panel.series:
        _draw_polygon(axes, series, angles)


def _draw_polygon(axes: Any, series: Series, angles: Sequence[float]) -> None:
    """A polygon, with gaps and dashes where numbers are undefined."""
    values = _values(series)
    line = LINES[series.style % len(LINES)]
    hue = colour(series.style)
    axes.plot([*angles, angles[0]], [*values, values[0]], linestyle=line, color=hue, linewidth=1)
    if not any(map(math.isnan, values)):
        axes.fill(angles, values, color=hue, alpha=0.08)
    for angle, mark in zip(angles, series.marks, strict=True):
        if mark.value is None:
            axes.text(angle, 0.08, UNDEFINED, ha="center", va="center", size=6, color=hue)
        else:
            axes.plot(angle, mark.value, **dot(series.style, mark.sure), linestyle="")


def draw_heat(axes: "Axes", panel: Panel, place: PanelPlace) -> None:
    """A grid of cells with their numbers."""
    low, high = place.limits
    # The darkest shades of the colour map are left out: text must be read on every cell.
    shades = [[min(max(cell, low), high) for cell in _values(line)] for line in panel.series]
    axes.imshow(shades, cmap="RdBu", vmin=1.6 * low, vmax=1.6 * high, aspect="auto")
    axes.set_xticks(range(len(panel.labels)), panel.labels)
    names = [series.name for series in panel.series]
    axes.set_yticks(range(len(names)), names if place.names_rows else [])
    axes.tick_params(length=0)
    axes.spines[:].set_visible(False)
    for row, series in enumerate(panel.series):
        for column, mark in enumerate(series.marks):
            axes.text(column, row, mark.text, ha="center", va="center", size=7)
    if place.names_numbers:
        axes.set_xlabel(panel.axis)
