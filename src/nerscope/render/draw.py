"""Figures on paper: how matplotlib draws panels, in the size and with the fonts of a paper."""

import io
import math
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from nerscope.errors import OutputError, UsageError
from nerscope.render.on_axes import (
    LINES,
    PALE,
    PanelPlace,
    bar,
    colour,
    dot,
    draw_bars,
    draw_dots,
    draw_gaps,
    draw_heat,
    draw_radar,
    draw_stacks,
    draw_steps,
    draw_trend,
    share,
)
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
    Panel,
    PlotMark,
    Series,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Page

WIDTH = 8.5  # cm: the column of a paper; a figure higher than a page takes two
_LEAST, _LARGEST = 4.0, 100.0  # cm, of a side
_PAGE = 24.0  # cm
_CM = 1 / 2.54
# What would make two files of one figure differ is left out.
_METADATA: dict[str, dict[str, Any]] = {
    "svg": {"Date": None},
    "pdf": {"CreationDate": None},
    "png": {"Software": None},
}
# It comes with matplotlib, so that figures look the same everywhere; the others, where they are
# installed, have what it lacks.
_FONTS = (
    "DejaVu Sans",
    *("Noto Sans CJK SC", "Noto Sans CJK JP", "PingFang SC", "Hiragino Sans", "Microsoft YaHei"),
    *("Noto Sans Devanagari", "Noto Sans Ethiopic", "Noto Sans Thai", "Arial Unicode MS"),
)
_STYLE: dict[str, Any] = {
    "font.family": "sans-serif",
    "font.size": 8.0,
    "axes.titlesize": 8.0,
    "axes.labelsize": 8.0,
    "xtick.labelsize": 7.0,
    "ytick.labelsize": 7.0,
    "legend.fontsize": 7.0,
    "axes.linewidth": 0.6,
    "axes.axisbelow": True,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "grid.color": PALE,
    "grid.linewidth": 0.5,
    "hatch.linewidth": 0.5,
    "xtick.major.width": 0.6,
    "ytick.major.width": 0.6,
    "xtick.major.size": 2.5,
    "ytick.major.size": 2.5,
    "savefig.dpi": 300,
    "pdf.fonttype": 42,
    "svg.fonttype": "none",  # text stays text: it can be searched, and set in another font
    "svg.hashsalt": "nerscope",
    "text.parse_math": False,  # a dollar in a name is a dollar
}
_LEGEND: dict[str, Any] = {
    "loc": "outside upper center",
    "frameon": False,
    "handlelength": 1.6,
    "handletextpad": 0.4,
    "columnspacing": 1.0,
    "borderpad": 0.1,
}


def file_format(path: str) -> str:
    """The format of a figure, from the ending of its file's name."""
    ending = Path(path).suffix.lower()
    if ending[1:] not in _METADATA:
        raise OutputError(
            path, f"the ending '{ending}' is unknown", "end the name in .svg, .pdf or .png"
        )
    return ending[1:]


def draw_figure(
    figure: Figure, form: str, width: float | None = None, height: float | None = None
) -> bytes:
    """Draw a figure; return the bytes of its file. Sides are in centimetres."""
    buffer = io.BytesIO()
    with _drawing(width, height) as (caught, page_of):
        page = page_of(figure)
        page.savefig(buffer, format=form, metadata=_METADATA[form])
    _check_room(caught)
    return buffer.getvalue()


def matplotlib_figure(
    figure: Figure, width: float | None = None, height: float | None = None
) -> "Page":
    """A figure that notebooks show, and that can be changed or saved. Sides are in centimetres."""
    with _drawing(width, height) as (caught, page_of):
        page = page_of(figure)
        page.draw_without_rendering()  # shows whether everything fits
    _check_room(caught)
    return page


@contextmanager
def _drawing(
    width: float | None, height: float | None
) -> Iterator[tuple[list[warnings.WarningMessage], Callable[[Figure], "Page"]]]:
    """The style of all figures; gives the warnings so far, and a function that draws."""
    for option, size in (("--width", width), ("--height", height)):
        if size is not None and not _LEAST <= size <= _LARGEST:
            raise UsageError(
                option, f"invalid value {size:g}", f"give {_LEAST:g} to {_LARGEST:g} centimetres"
            )
    try:
        import matplotlib.style
    except ImportError:
        raise UsageError(
            "matplotlib",
            "figures need the package matplotlib",
            "pip install 'nerscope[plots]'",
        ) from None
    with (
        matplotlib.style.context(["default", {**_STYLE, "font.sans-serif": _installed(_FONTS)}]),
        warnings.catch_warnings(record=True) as caught,
    ):
        warnings.simplefilter("always")
        yield caught, lambda figure: _page(figure, width, height)


def _check_room(caught: Sequence[warnings.WarningMessage]) -> None:
    if any("constrained_layout" in str(warning.message) for warning in caught):
        raise UsageError("--width", "the figure does not fit", "give a larger --width or --height")


def _installed(fonts: Sequence[str]) -> list[str]:
    from matplotlib.font_manager import fontManager

    known = {font.name for font in fontManager.ttflist}
    return [name for name in fonts if name in known]


Placed = tuple[Panel, PanelPlace]


class Drawer(NamedTuple):
    """How panels of a kind are drawn, and how wide and high they should be in cm."""

    draw: Callable[["Axes", Panel, PanelPlace], None]
    width: Callable[[Panel], float]
    height: Callable[[Panel], float]
    limits: Callable[[Sequence[Panel]], tuple[float, float]]
    handle: Callable[[Series], Any] | None = None  # what the legend shows
    upright: bool = False  # numbers go up, so that they are named on the left


@cache
def _page_type() -> "type[Page]":
    """A matplotlib figure that notebooks show; made when matplotlib is needed."""
    from matplotlib.figure import Figure as Page

    class ShownFigure(Page):
        def _repr_png_(self) -> bytes:
            buffer = io.BytesIO()
            self.savefig(buffer, format="png", dpi=150)
            return buffer.getvalue()

    return ShownFigure


def _page(figure: Figure, width: float | None, height: float | None) -> "Page":
    """The page with its panels, below the legend."""
    from matplotlib.layout_engine import ConstrainedLayoutEngine

    layout = ConstrainedLayoutEngine(w_pad=0.03, h_pad=0.03, wspace=0.03, hspace=0.0)
    lines = _lines(figure.panels, width or WIDTH)
    if width is None and height is None and _natural_height(lines) > _PAGE:
        width = 2 * WIDTH
        lines = _lines(figure.panels, width)
    page = _page_type()(figsize=((width or WIDTH) * _CM, _PAGE * _CM), layout=layout)
    natural = _natural_height(lines) + _legend(page, figure.panels)
    page.set_figheight((height or min(natural, _LARGEST)) * _CM)
    inner = [_inner_height(line) for line in lines]
    placed = [pair for line in lines for pair in line]
    # Lines of two and of three panels share one grid of six columns.
    columns = math.lcm(*(place.columns for _, place in placed))
    grid = page.add_gridspec(len(lines), columns, height_ratios=inner)
    for panel, place in placed:
        span = columns // place.columns
        polar = {"projection": "polar"} if panel.kind == RADAR else {}
        where = grid[place.line, place.column * span : (place.column + 1) * span]
        axes = page.add_subplot(where, **polar)
        head: dict[str, Any] = {"loc": "center", "pad": 10} if polar else {"loc": "left", "pad": 4}
        axes.set_title(panel.title, size=8 if place.columns == 1 else 7, **head)
        _DRAWERS[panel.kind].draw(axes, panel, place)
    return page


def _placed(panels: Sequence[Panel], width: float) -> Iterator[Placed]:
    """Panels of one kind beside and below each other, as many in a line as there is room for."""
    line = 0
    for (kind, _), group in groupby(panels, key=lambda panel: (panel.kind, panel.axis)):
        members, drawer = list(group), _DRAWERS[kind]
        least = max(map(drawer.width, members))
        lines = math.ceil(len(members) / max(1, int(width / least)))
        columns = math.ceil(len(members) / lines)
        limits = drawer.limits(members)
        for number, panel in enumerate(members):
            column = number % columns
            is_first = column == 0 or _row_names(panel) != _row_names(members[number - 1])
            is_last = number + columns >= len(members)
            place = PanelPlace(
                line + number // columns,
                column,
                columns,
                limits,
                is_first,
                column == 0 if drawer.upright else is_last,
            )
            yield panel, place
        line += lines


def _lines(panels: Sequence[Panel], width: float) -> list[list[Placed]]:
    """The panels of each line."""
    by_line = groupby(_placed(panels, width), key=lambda pair: pair[1].line)
    return [list(line) for _, line in by_line]


def _natural_height(lines: Sequence[Sequence[Placed]]) -> float:
    """How high the lines are, without the legend, if nothing is squeezed."""
    return sum(_inner_height(line) + _around(line) for line in lines)


def _inner_height(line: Sequence[Placed]) -> float:
    return max(_DRAWERS[panel.kind].height(panel) for panel, _ in line)


def _row_names(panel: Panel) -> tuple[str, ...]:
    """What stands to the left of a panel."""
    return tuple(series.name for series in panel.series) if panel.kind == HEAT else panel.labels


def _around(line: Sequence[Placed]) -> float:
    """How high titles, labels and the like are that stand above and below a line of panels."""
    heights = []
    for panel, place in line:
        across = _DRAWERS[panel.kind].upright or panel.kind == HEAT
        ticks = max(label.count("\n") + 1 for label in panel.labels) if across else 1
        is_named = place.names_numbers and not _DRAWERS[panel.kind].upright
        named = panel.axis.count("\n") + 1 if panel.axis and is_named else 0
        titles = panel.title.count("\n") + 1 if panel.title else 0
        heights.append(0.25 + 0.3 * ticks + 0.36 * named + 0.4 * titles)
    return max(heights)


def _legend(page: "Page", panels: Sequence[Panel]) -> float:
    """A legend above everything, in as many columns as there is room for; its height in cm."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    entries = _entries(panels)
    if not entries:
        return 0.0
    canvas: Any = FigureCanvasAgg(page)
    renderer = canvas.get_renderer()
    numbers = [str(number) for number in range(len(entries))]
    # The width of a legend is known only after it was laid out: try fewer columns until it fits.
    for columns in range(len(entries), 0, -1):
        legend = page.legend([handle for _, handle in entries], numbers, ncols=columns, **_LEGEND)
        # Names are set afterwards: one that begins with _ would be left out.
        for text, (name, _) in zip(legend.get_texts(), entries, strict=True):
            text.set_text(name)
        if columns == 1 or legend.get_window_extent(renderer).width <= page.bbox.width:
            break
        legend.remove()
    return 0.36 * math.ceil(len(entries) / columns) + 0.1


def _entries(panels: Sequence[Panel]) -> list[tuple[str, Any]]:
    """What a legend explains: the series of panels that have several, each once."""
    entries: dict[tuple[bool, str], Any] = {}  # a system may be called as a part of a bar is
    for panel in panels:
        handle = _DRAWERS[panel.kind].handle
        if handle is not None and len(panel.series) > 1:
            for series in panel.series:
                entries.setdefault((panel.kind == STACKS, series.name), handle(series))
    return [(name, handle) for (_, name), handle in entries.items()]


def _line_handle(series: Series) -> Any:
    from matplotlib.lines import Line2D

    return Line2D([], [], **dot(series.style), linewidth=1.0, color=colour(series.style))


def _polygon_handle(series: Series) -> Any:
    handle = _line_handle(series)
    handle.set_linestyle(LINES[series.style % len(LINES)])
    return handle


def _bar_handle(series: Series) -> Any:
    from matplotlib.patches import Patch

    return Patch(**bar(series.style))


def _share_handle(series: Series) -> Any:
    from matplotlib.patches import Patch

    return Patch(**share(series.style))


def _numbers(panels: Sequence[Panel]) -> list[float]:
    """All numbers and bounds that are drawn."""
    marks = [mark for panel in panels for series in panel.series for mark in series.marks]
    values = [mark.value for mark in marks if mark.value is not None]
    return values + [bound for mark in marks for bound in mark.interval or ()]


def _close(panels: Sequence[Panel], room: float = 0.05) -> tuple[float, float]:
    """The range of all numbers, and some room around it."""
    numbers = _numbers(panels) or [0.0, 1.0]
    low, high = min(numbers), max(numbers)
    around = max(room * (high - low), 0.01 * abs(high), 1e-6)
    return low - around, high + around


def _close_to_zero(panels: Sequence[Panel]) -> tuple[float, float]:
    """The range of all numbers and 0."""
    line = Panel(STEPS, ("",), (Series("", (PlotMark(0.0),)),))
    return _close([*panels, line])


def _from_zero(panels: Sequence[Panel]) -> tuple[float, float]:
    """Bars begin at 0; where they come near the largest possible value, the axis ends there."""
    numbers = [0.0, 1e-6, *_numbers(panels)]
    most = panels[0].most
    near = most is not None and max(numbers) > 0.75 * most
    return min(numbers), most if near and most is not None else 1.03 * max(numbers)


def _close_to_values(panels: Sequence[Panel]) -> tuple[float, float]:
    """Limits for small panels: a wide interval runs off the axis rather than flatten the rest."""
    if max(map(_lines_of, panels)) > 2:
        return _close(panels)
    values = [
        Panel(
            TREND,
            (),
            tuple(Series("", tuple(map(_alone, series.marks))) for series in panel.series),
        )
        for panel in panels
    ]
    return _close(values, 0.12)


def _alone(mark: PlotMark) -> PlotMark:
    return PlotMark(mark.value)


def _with_names(panels: Sequence[Panel]) -> tuple[float, float]:
    """Room for what is written at both ends."""
    return _close(panels, 0.22)


def _summed(panels: Sequence[Panel]) -> tuple[float, float]:
    sums = [
        sum(series.marks[place].value or 0.0 for series in panel.series)
        for panel in panels
        for place in range(len(panel.labels))
    ]
    return 0.0, panels[0].most or 1.03 * max([*sums, 1e-6])


def _around_zero(panels: Sequence[Panel]) -> tuple[float, float]:
    """Limits symmetric around 0; the 5 % largest cells saturate, so that the others keep colour."""
    sizes = sorted(abs(number) for number in _numbers(panels)) or [1.0]
    most = sizes[int(0.95 * (len(sizes) - 1))] or 1.0
    return -most, most


def _unit(panels: Sequence[Panel]) -> tuple[float, float]:
    return 0.0, 1.0


def _lines_of(panel: Panel) -> int:
    return max(label.count("\n") + 1 for label in panel.labels)


_DRAWERS: dict[str, Drawer] = {
    DOTS: Drawer(
        draw_dots,
        lambda panel: 7.0,
        lambda panel: (
            len(panel.labels) * max(0.12 + 0.28 * _lines_of(panel), 0.2 + 0.15 * len(panel.series))
        ),
        _close,
        _line_handle,
    ),
    TREND: Drawer(
        draw_trend,
        lambda panel: 7.0 if _lines_of(panel) > 2 else 4.0,
        lambda panel: 4.0 if _lines_of(panel) > 2 else 2.1,
        _close_to_values,
        _line_handle,
        upright=True,
    ),
    STEPS: Drawer(draw_steps, lambda panel: 4.0, lambda panel: 3.0, _close_to_zero, upright=True),
    BARS: Drawer(
        draw_bars, lambda panel: 7.0, lambda panel: 3.6, _from_zero, _bar_handle, upright=True
    ),
    STACKS: Drawer(
        draw_stacks,
        lambda panel: 4.2 if panel.ends else 7.0,
        lambda panel: len(panel.labels) * (0.12 + 0.28 * _lines_of(panel)),
        _summed,
        _share_handle,
    ),
    GAPS: Drawer(draw_gaps, lambda panel: 4.0, lambda panel: 0.36 * len(panel.labels), _with_names),
    RADAR: Drawer(draw_radar, lambda panel: 6.0, lambda panel: 4.6, _unit, _polygon_handle),
    HEAT: Drawer(draw_heat, lambda panel: 6.0, lambda panel: 0.4 * len(panel.series), _around_zero),
}
