"""Figures on paper: files that are what they say, the same each time, whatever the names are."""

import builtins
import re
import xml.etree.ElementTree as ET
from typing import Any

import pytest
from tests.scoring.toys import drawn as sentences
from tests.scoring.toys import noisy

import nerscope
from nerscope.errors import OutputError, UsageError
from nerscope.render.draw import draw_figure, file_format
from nerscope.render.figures import FIGURES, figure_of
from nerscope.render.on_axes import bar, dot
from nerscope.render.panels import (
    BARS,
    DOTS,
    GAPS,
    HEAT,
    RADAR,
    STACKS,
    TREND,
    Figure,
    Panel,
    PlotMark,
    Series,
)
from nerscope.results.results import Results

pytest.importorskip("matplotlib")
GOLD, TRAIN = sentences(60, seed=1), sentences(60, seed=2)
STARTS = {"svg": b"<?xml", "pdf": b"%PDF", "png": b"\x89PNG"}
KINDS = (DOTS, TREND, BARS, STACKS, GAPS, RADAR, HEAT)
HOSTILE = [
    "$x_1$",
    "_under",
    "a\\frac{1}",
    "$",
    "מערכת",
    "bad\udc80",
    "\x1b[31m",
    "<&>\uffff",
    "系统",
]


@pytest.fixture(scope="module")
def results() -> Results:
    systems = {"a": noisy(GOLD, 0.1, 1), "b": noisy(GOLD, 0.4, 2)}
    return nerscope.evaluate(GOLD, systems, train=TRAIN, dataset="toy", intervals=True)


def figure(kind: str, *values: float | None, names: tuple[str, ...] = ("one", "two")) -> Figure:
    """A panel with the same numbers in each series."""
    marks = tuple(
        PlotMark(value, None if value is None else (value - 1, value + 1), "x") for value in values
    )
    labels = tuple(f"l{number}" for number in range(len(values)))
    series = tuple(Series(name, marks, place) for place, name in enumerate(names))
    return Figure((Panel(kind, labels, series, "axis", "title"),))


def texts(data: bytes) -> list[str]:
    """What is written in a vector graphic."""
    root = ET.fromstring(data)
    return ["".join(one.itertext()) for one in root.iter("{http://www.w3.org/2000/svg}text")]


def size(data: bytes) -> tuple[float, float]:
    """Width and height in cm."""
    root = ET.fromstring(data)
    return tuple(float(root.attrib[side][:-2]) / 72 * 2.54 for side in ("width", "height"))  # type: ignore[return-value]


@pytest.mark.slow(quick=2)
@pytest.mark.parametrize("what", [*FIGURES, "tmr", "hard", "eLen"])
def test_every_figure_is_drawn_with_its_labels(what: str, results: Results) -> None:
    shown = figure_of(results, what)
    data = draw_figure(shown, "svg")
    written = texts(data)
    for panel in shown.panels:
        for label in panel.labels:
            assert label.split("\n")[0] in written
    assert size(data)[0] == pytest.approx(8.5, abs=0.01)
    assert size(data)[1] <= 24.01


def test_a_figure_higher_than_a_page_is_wider_and_never_squeezed() -> None:
    labels = tuple(f"a long name\nof a group\nn = {number}" for number in range(8))
    series = (Series("one", tuple(PlotMark(float(number)) for number in range(8))),)
    panels = tuple(Panel(DOTS, labels, series, "axis", f"fold-{number}") for number in range(5))
    width, height = size(draw_figure(Figure(panels), "svg"))
    assert width == pytest.approx(17.0, abs=0.01)
    assert height > 3 * 8 * 0.9  # three rows of panels with eight labels of three lines each
    assert size(draw_figure(Figure(panels), "svg", width=8.5))[1] > 5 * 8 * 0.9


@pytest.mark.slow(quick=1)
@pytest.mark.parametrize("form", STARTS)
def test_a_figure_is_the_same_each_time(form: str, results: Results) -> None:
    shown = figure_of(results, "tmr")
    data = draw_figure(shown, form)
    assert data.startswith(STARTS[form])
    assert draw_figure(shown, form) == data
    assert not re.search(rb"dc:date|CreationDate", data)


@pytest.mark.parametrize(("width", "height"), [(8.5, 6.0), (17.0, 10.0), (12.0, 24.0)])
def test_a_figure_has_the_size_that_was_asked_for(
    width: float, height: float, results: Results
) -> None:
    data = draw_figure(figure_of(results, "exact"), "svg", width, height)
    assert size(data) == pytest.approx((width, height), abs=0.01)


def test_a_figure_grows_with_what_it_holds() -> None:
    low, high = (draw_figure(figure(DOTS, *range(1, count)), "svg") for count in (4, 12))
    assert size(high)[1] > size(low)[1] + 3


def test_fonts_are_embedded_as_outlines_that_printers_know(results: Results) -> None:
    data = draw_figure(figure_of(results, "exact"), "pdf")
    assert b"/CIDFontType2" in data or b"/TrueType" in data
    assert b"/Type3" not in data


@pytest.mark.parametrize("kind", KINDS)
def test_undefined_numbers_are_a_dash(kind: str) -> None:
    assert "–" not in texts(draw_figure(figure(kind, 1.0, 2.0, 3.0), "svg"))
    written = texts(draw_figure(figure(kind, 1.0, None, 3.0), "svg"))
    # A heat map writes what its cells say, and a row of a diagnosis needs both ends.
    assert kind in (HEAT, GAPS) or any(text.strip() == "–" for text in written)


def test_nothing_is_something_else_than_undefined() -> None:
    assert "–" not in [text.strip() for text in texts(draw_figure(figure(STACKS, 0.0, 2.0), "svg"))]


@pytest.mark.parametrize("kind", KINDS)
def test_a_figure_without_any_number_is_no_crash(kind: str) -> None:
    assert draw_figure(figure(kind, None, None, None), "svg")


@pytest.mark.parametrize("kind", KINDS)
def test_equal_numbers_are_no_crash(kind: str) -> None:
    assert draw_figure(figure(kind, 0.0, 0.0, 0.0), "svg")


@pytest.mark.slow(quick=1)
@pytest.mark.parametrize("form", STARTS)
def test_names_are_shown_as_they_are(form: str) -> None:
    systems = {name: noisy(GOLD, 0.1, place) for place, name in enumerate(HOSTILE)}
    found = nerscope.evaluate(GOLD, systems, facets=["eLen"], dataset="$d_{x}$")
    shown = figure_of(found, "eLen")
    data = draw_figure(shown, form)
    assert data.startswith(STARTS[form])
    if form == "svg":
        assert {series.name for series in shown.panels[0].series} <= set(texts(data))


def test_the_legend_wraps_where_names_are_many_and_long() -> None:
    names = tuple(f"a-rather-long-name-{number}" for number in range(10))
    data = draw_figure(figure(TREND, 1.0, 2.0, 3.0, names=names), "svg")
    assert set(names) <= set(texts(data))
    few = draw_figure(figure(TREND, 1.0, 2.0, 3.0, names=names[:2]), "svg")
    assert size(data)[1] > size(few)[1] + 1


def test_one_series_needs_no_legend() -> None:
    assert "one" not in texts(draw_figure(figure(DOTS, 1.0, 2.0, names=("one",)), "svg"))


def test_many_systems_all_look_different() -> None:
    for look in (dot, bar):
        looks = [tuple(sorted(look(style).items())) for style in range(60)]
        assert len(set(looks)) == 60


def test_settings_of_the_user_do_not_move_a_figure(results: Results) -> None:
    import matplotlib

    shown = figure_of(results, "exact")
    plain = draw_figure(shown, "svg")
    with matplotlib.rc_context({"font.size": 20, "axes.grid": True, "svg.fonttype": "path"}):
        assert draw_figure(shown, "svg") == plain
        assert matplotlib.rcParams["font.size"] == 20


@pytest.mark.parametrize("side", ["width", "height"])
@pytest.mark.parametrize("value", [0.0, -3.0, 3.9, 101.0, float("nan"), float("inf")])
def test_sizes_that_no_paper_has_are_refused(side: str, value: float) -> None:
    with pytest.raises(UsageError, match=f"--{side}: invalid value"):
        draw_figure(figure(DOTS, 1.0), "svg", **{side: value})


@pytest.mark.slow
def test_a_figure_that_has_no_room_is_refused() -> None:
    shown = figure(BARS, *map(float, range(30)), names=tuple(f"name {n}" for n in range(40)))
    with pytest.raises(UsageError, match="the figure does not fit"):
        draw_figure(shown, "svg", 4.0, 4.0)


@pytest.mark.parametrize("path", ["f", "f.gif", "f.svgz", ".svg", "a.png/f"])
def test_other_endings_are_refused(path: str) -> None:
    with pytest.raises(OutputError, match=r"is unknown.*end the name in \.svg"):
        file_format(path)


@pytest.mark.parametrize(
    ("path", "form"), [("f.svg", "svg"), ("a/b.PDF", "pdf"), ("x.y.png", "png")]
)
def test_the_ending_says_the_format(path: str, form: str) -> None:
    assert file_format(path) == form


def test_without_matplotlib_one_is_told_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    real = builtins.__import__

    def without(name: str, *rest: Any, **options: Any) -> Any:
        if name.startswith("matplotlib"):
            raise ModuleNotFoundError(name)
        return real(name, *rest, **options)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(UsageError, match=r"pip install 'nerscope\[plots\]'"):
        draw_figure(figure(DOTS, 1.0), "svg")
