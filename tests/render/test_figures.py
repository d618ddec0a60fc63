"""Figures as plain data: what each holds, how it is narrowed, and what is refused."""

from typing import Any

import pytest
from tests.scoring.toys import drawn, noisy

import nerscope
from nerscope.errors import InputError, NerscopeError, UsageError
from nerscope.render.figures import FIGURES, figure_of
from nerscope.render.panels import (
    BARS,
    DOTS,
    GAPS,
    HEAT,
    RADAR,
    STACKS,
    TREND,
    Figure,
    interval_of,
    plain_name,
)
from nerscope.results.results import Results
from nerscope.results.selection import narrow_results

GOLD, OTHER, TRAIN = drawn(80, seed=1), drawn(60, seed=7), drawn(80, seed=2)
SYSTEMS: dict[str, Any] = {
    "a": noisy(GOLD, 0.05, 5),
    "b": [noisy(GOLD, 0.2, 6), noisy(GOLD, 0.2, 7)],
    "c": noisy(GOLD, 0.5, 8),
}


@pytest.fixture(scope="module")
def one() -> Results:
    return nerscope.evaluate(GOLD, SYSTEMS, train=TRAIN, dataset="toy", intervals=True)


@pytest.fixture(scope="module")
def two(one: Results) -> Results:
    """The second dataset has no output of b, and no intervals."""
    outputs = {"a": noisy(OTHER, 0.1, 3), "c": noisy(OTHER, 0.4, 4)}
    other = nerscope.evaluate(OTHER, outputs, train=TRAIN, dataset="twin")
    return Results([*one.evidence, *other.evidence], rows=[*one.rows, *other.rows])


def names(figure: Figure, panel: int = 0) -> list[str]:
    return [series.name for series in figure.panels[panel].series]


def test_a_dot_is_the_number_of_its_row_with_its_interval(one: Results) -> None:
    (panel,) = figure_of(one, "exact").panels
    assert (panel.kind, panel.labels, panel.axis) == (DOTS, ("a", "b", "c"), "F1 (%)")
    rows = one.select(facet="all", metric="f1", match="exact", type=None, run=None)
    for row, mark in zip(rows, panel.series[0].marks, strict=True):
        assert row["value"] is not None
        assert mark.value == pytest.approx(100 * row["value"])
        low, high = interval_of(row) or (0.0, 0.0)
        assert mark.interval == pytest.approx((100 * low, 100 * high))


@pytest.mark.parametrize(
    ("what", "kind", "axis", "first"),
    [
        ("tmr", DOTS, "Recall (%)", "mentions seen in\ntraining\nseen, n = "),
        ("hard", DOTS, "Token error rate (%), lower is better", "all"),
        ("eLen", BARS, "F1 (%)", "1 token\nXS\nn = "),
        ("types", DOTS, "F1 (%)", "all\nn = "),
        ("attributes", TREND, "F1 (%)", "XS\n"),
        ("partial", STACKS, "Mentions", "exact"),
        ("breakdown", STACKS, "Share of all wrong tokens (%)", "a\nn = "),
        ("heatmap", HEAT, "Change of F1 (%)\nfrom b to a", "XS"),
        ("radar", RADAR, "", "mention"),
        ("diagnosis", GAPS, "F1 (%)", "mention length (eLen)"),
    ],
)
def test_every_figure_has_its_kind_its_axis_and_its_labels(
    what: str, kind: str, axis: str, first: str, one: Results
) -> None:
    systems = ["a", "b"] if what == "heatmap" else []
    panel = figure_of(one, what, systems=systems).panels[0]
    assert (panel.kind, panel.axis) == (kind, axis)
    assert panel.labels[0].startswith(first)
    for series in panel.series:
        assert len(series.marks) == len(panel.labels) or kind == HEAT


def test_the_levels_of_a_facet_rest_on_what_their_rows_rest_on(one: Results) -> None:
    (panel,) = figure_of(one, "tmr", codes=True).panels
    sizes = {row["level"]: row["n"] for row in one.select(facet="tmr", type=None, run=None)}
    assert panel.labels == tuple(f"{level}\nn = {n:,}" for level, n in sizes.items())


def test_a_denominator_that_differs_is_a_range(one: Results) -> None:
    (panel,) = figure_of(one, "types", metric="precision").panels
    assert "–" in panel.labels[0]


def test_many_systems_are_dots_and_not_bars() -> None:
    many = {f"s{number}": noisy(GOLD, 0.1, number) for number in range(5)}
    results = nerscope.evaluate(GOLD, many, facets=["eLen"])
    assert figure_of(results, "eLen").panels[0].kind == TREND
    few = figure_of(results, "eLen", systems=["s1", "s2"])
    assert (few.panels[0].kind, names(few)) == (BARS, ["s1", "s2"])


def test_many_buckets_stand_below_each_other() -> None:
    edges = {"sLen": [4.0, 5.0, 6.0, 7.0, 8.0]}
    results = nerscope.evaluate(GOLD, {"a": SYSTEMS["a"]}, facets=["sLen"], edges=edges)
    assert figure_of(results, "sLen").panels[0].kind == DOTS


def test_parts_of_a_bar_are_all_errors(one: Results) -> None:
    (panel,) = figure_of(one, "breakdown").panels
    assert [series.name for series in panel.series] == [
        "words never seen in training",
        "words labelled differently in training",
        "other words",
    ]
    for place in range(3):
        assert sum(series.marks[place].value or 0 for series in panel.series) == pytest.approx(100)
        assert all(series.marks[place].interval is None for series in panel.series)


def test_partial_pairs_are_counted_for_each_system_and_scored_for_all(one: Results) -> None:
    *stacks, scores = figure_of(one, "partial").panels
    assert [panel.title for panel in stacks] == ["a", "b", "c"]
    matched = one.value(system="a", metric="recall")
    whole = one.select(system="a", metric="recall", match="exact", facet="all", type=None, run=None)
    assert matched is not None
    for panel in stacks:
        assert panel.labels == ("exact", "left", "right", "overlap")
        assert {mark.value for mark in panel.series[0].marks} == {panel.series[0].marks[0].value}
    assert stacks[0].series[0].marks[0].value == pytest.approx(matched * whole[0]["n"])
    count = one.value(system="a", metric="partial", match="overlap")
    assert stacks[0].series[1].marks[3].value == count
    assert stacks[0].ends[0] == f"{matched * whole[0]['n']:.0f}"
    assert stacks[0].ends[3].endswith(f" + {count:.0f}")
    assert (scores.kind, len(scores.labels)) == (DOTS, 4)
    assert [label.split("\n")[-1] for label in scores.labels] == list(stacks[0].labels)
    assert len(scores.series) == 3


def test_every_attribute_has_a_panel_for_each_dataset(two: Results) -> None:
    figure = figure_of(two, "attributes")
    titles = [panel.title for panel in figure.panels]
    assert titles[0] == "toy:\nmention length (eLen)"
    assert titles.count("twin:\nword consistency (tCon)") == 1
    assert len(titles) == 20
    assert any(note.startswith("eLen: XS ≤ 1") for note in figure.notes)


def test_a_match_chooses_the_attributes_that_have_it(one: Results) -> None:
    assert [p.title for p in figure_of(one, "attributes", match="io").panels] == [
        "word frequency (tFre)",
        "word consistency (tCon)",
    ]
    assert len(figure_of(one, "attributes", match="exact").panels) == 8


@pytest.mark.slow
def test_a_radar_scales_by_the_largest_of_several_datasets(one: Results, two: Results) -> None:
    (alone,) = figure_of(one, "radar").panels
    assert alone.title == "Correlation with F1 (ρ)"
    zeta, rho = figure_of(two, "radar").panels
    assert "ζ" in zeta.title
    assert (names(figure_of(two, "radar")), rho.title) == (["toy", "twin"], alone.title)
    for place, label in enumerate(zeta.labels):
        largest = max(series.marks[place].value or 0.0 for series in zeta.series)
        assert largest == 1 or label.endswith("\n0")
    rows = {row["attribute"]: row["rho"] for row in nerscope.diagnose(one)["attribute-wise"]}
    assert [mark.value for mark in alone.series[0].marks] == list(rows.values())


def test_a_heat_map_shows_the_change_from_the_second_system_to_the_first(two: Results) -> None:
    figure = figure_of(two, "heatmap", systems=["c", "a"], codes=True)
    assert [panel.title for panel in figure.panels] == ["toy", "twin"]
    changes = nerscope.diagnose(two, "c", "a")["relative change"]
    cells = {
        (panel.title, series.name, bucket): mark
        for panel in figure.panels
        for series in panel.series
        for bucket, mark in zip(panel.labels, series.marks, strict=True)
    }
    assert len(cells) == len(changes)
    for row in changes:
        mark = cells[row["dataset"], row["attribute"], row["bucket"]]
        if row["change"] is None:
            assert (mark.value, mark.text) == (None, "–")
        else:
            assert mark.value == pytest.approx(100 * row["change"])
            assert float(mark.text.replace("−", "-")) == pytest.approx(mark.value, abs=0.051)


def test_only_two_systems_need_no_names(two: Results) -> None:
    narrow = narrow_results(two, ["a", "c"])
    assert figure_of(narrow, "heatmap").panels[0].axis.endswith("from c to a")


def test_a_diagnosis_goes_from_the_worst_to_the_best_bucket(one: Results) -> None:
    figure = figure_of(one, "diagnosis")
    assert [panel.title for panel in figure.panels] == ["a", "b", "c"]
    for panel in figure.panels:
        worst, best = panel.series
        for row, low, high in zip(
            [r for r in nerscope.diagnose(one)["self-diagnosis"] if r["system"] == panel.title],
            worst.marks,
            best.marks,
            strict=True,
        ):
            assert (low.text, high.text) == (row["worst"], row["best"])
            assert low.sure == high.sure == bool(row["significant"])
            assert (low.value or 0.0) <= (high.value or 0.0)


def test_a_diagnosis_of_two_systems_compares_them(two: Results) -> None:
    panels = figure_of(two, "diagnosis", systems=["c", "a"]).panels
    assert [panel.title for panel in panels] == [
        *("toy: c", "toy: a", "twin: c", "twin: a"),
        *("toy: c − a", "twin: c − a"),
    ]


def test_what_may_be_chance_is_said(one: Results) -> None:
    figure = figure_of(one, "diagnosis")
    marks = [mark for panel in figure.panels for series in panel.series for mark in series.marks]
    assert any(not mark.sure for mark in marks)
    assert any(note.startswith("hollow") for note in figure.notes)


def test_undefined_numbers_leave_a_gap() -> None:
    gold = [(["Ada", "met", "Bob"], ["B-PER", "O", "B-PER"])]
    results = nerscope.evaluate(gold, {"s": [["O", "O", "O"]]}, facets=["eLen"])
    (panel,) = figure_of(results, "eLen").panels
    assert [mark.value for mark in panel.series[0].marks] == [0.0, None, None, None]
    (panel,) = figure_of(results, "exact", metric="precision").panels
    assert (panel.series[0].marks[0].value, panel.ends) == (None, ("–",))


@pytest.mark.parametrize(
    ("systems", "datasets", "titles", "labels"),
    [
        (["c", "a"], [], ["toy", "twin"], ("c", "a")),
        ([], ["twin", "toy"], ["twin", "toy"], ("a", "c")),
        (["c", "c"], ["twin"], [""], ("c",)),
        (["b"], [], [""], ("b",)),
    ],
)
def test_systems_and_datasets_stand_as_chosen(
    systems: list[str],
    datasets: list[str],
    titles: list[str],
    labels: tuple[str, ...],
    two: Results,
) -> None:
    panels = figure_of(two, "exact", systems=systems, datasets=datasets).panels
    assert [panel.title for panel in panels] == titles
    assert panels[0].labels == labels


def test_a_system_looks_the_same_on_every_dataset(two: Results) -> None:
    first, second = figure_of(two, "tmr").panels
    styles = {series.name: series.style for series in first.series}
    assert styles == {"a": 0, "b": 1, "c": 2}
    assert {series.name: series.style for series in second.series} == {"a": 0, "c": 2}


@pytest.mark.parametrize(
    ("what", "options", "message"),
    [
        (
            "exakt",
            {},
            "neither a figure nor a facet of these results. Fix: did you mean 'exact'",
        ),
        ("tmrr", {}, "did you mean 'tmr'"),
        ("all", {}, "neither a figure nor a facet"),
        ("heatmap", {}, "figure 'heatmap': two systems are needed"),
        ("heatmap", {"systems": ["a"]}, "two systems are needed"),
        ("heatmap", {"systems": ["a", "b", "c"]}, "two systems are needed"),
        ("radar", {"metric": "f1"}, "--metric: the figure 'radar' does not take it"),
        ("partial", {"match": "left"}, "--match: the figure 'partial' does not take it"),
        ("exact", {"metric": "f9"}, "unknown metric"),
        ("exact", {"metric": "ter"}, "figure 'exact': it has no ter by the match exact"),
        ("exact", {"match": "lefty"}, "match 'lefty': it is not in the results"),
        ("tmr", {"metric": "ter"}, "figure 'tmr': it has no ter"),
        ("tmr", {"match": "left"}, "figure 'tmr': it has no"),
        ("attributes", {"match": "left"}, "figure 'attributes': it has no"),
        ("exact", {"systems": ["d"]}, "--system d: it is not in the results"),
        ("exact", {"datasets": ["t"]}, "--dataset t: it is not in the results"),
        (
            "exact",
            {"systems": ["b"], "datasets": ["twin"]},
            "--dataset twin: no chosen system has an output for it",
        ),
    ],
)
def test_what_cannot_be_drawn_is_refused(
    what: str, options: dict[str, Any], message: str, two: Results
) -> None:
    with pytest.raises(NerscopeError) as refused:
        figure_of(two, what, **options)
    assert message in str(refused.value)


@pytest.mark.parametrize("what", ["attributes", "radar", "heatmap", "diagnosis"])
def test_figures_of_attributes_need_some(what: str) -> None:
    results = nerscope.evaluate(GOLD, {"a": SYSTEMS["a"], "c": SYSTEMS["c"]}, facets=[])
    with pytest.raises(InputError, match="no attribute was evaluated"):
        figure_of(results, what)


@pytest.mark.parametrize("what", ["partial", "breakdown", "tmr", "eLen"])
def test_what_was_not_evaluated_is_no_figure(what: str) -> None:
    results = nerscope.evaluate(GOLD, {"a": SYSTEMS["a"]}, facets=[], matches=["exact"])
    with pytest.raises(UsageError, match=f"figure '{what}'"):
        figure_of(results, what)


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("bert", "bert"),
        ("$x_1$", "$x_1$"),
        ("a\x1b[31m", "a\\x1b[31m"),
        ("two\nlines", "two\\nlines"),
        ("bad\udc80", "bad\\udc80"),
        ("\uffff", "\\uffff"),
        ("x" * 100, "x" * 12 + "…" + "x" * 11),
    ],
)
def test_names_are_made_harmless(name: str, shown: str) -> None:
    assert plain_name(name) == shown


def test_the_table_of_figures_names_only_figures(one: Results) -> None:
    for what in FIGURES:
        systems = ["a", "c"] if what == "heatmap" else []
        assert figure_of(one, what, systems=systems).panels


def test_gains_are_the_differences_from_the_first_system(two: Results) -> None:
    figure = figure_of(two, "gains", systems=["c", "a", "b"])
    assert [panel.labels for panel in figure.panels] == [("a", "b"), ("a", "b")]
    first, second = (panel.series[0].marks for panel in figure.panels)
    values = {
        system: two.value(dataset="toy", system=system, metric="f1") or 0.0 for system in "abc"
    }
    assert [mark.value for mark in first] == pytest.approx(
        [100 * (values[name] - values["c"]) for name in "ab"]
    )
    for mark in first:
        assert mark.interval is not None and mark.value is not None
        assert mark.interval[0] <= mark.value <= mark.interval[1]
    assert second[0].value is not None and second[1].value is None  # b has no output there
    with pytest.raises(UsageError, match="two systems are needed"):
        figure_of(two, "gains", systems=["a"])
