"""Over several datasets: what is said of splits, of fixed and drawn datasets, and of means."""

import json
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.scoring.toys import drawn, noisy

import nerscope
from nerscope.codec import pack, unpack
from nerscope.errors import InputError, UsageError
from nerscope.render.comparison import comparison_document
from nerscope.render.document import OUTPUTS
from nerscope.render.means import means_table
from nerscope.results.intervals import with_bounds, with_intervals
from nerscope.results.joining import join_results
from nerscope.results.over_datasets import AverageRow, DatasetsRow
from nerscope.results.protocol import KINDS, Protocol, choose_protocol
from nerscope.results.results import Results
from nerscope.results.rows import or_nan
from nerscope.results.selection import narrow_results
from nerscope.stats.across import average_with_interval, beaten_on, resampled_t
from nerscope.stats.across import drawn_mean as drawn_test
from nerscope.stats.dataset_means import fixed_mean

SPLITS = Protocol("splits", 0.25)
OF_DOMAINS = (
    *("low_drawn", "high_drawn", "better_on", "worse_on"),
    *("p_fixed", "p_drawn", "p_sign", "p_wilcoxon"),
)
OF_SPLITS = ("splits", "ratio", "alpha", "beats_on", "loses_on", "p_resampled")


def evaluated(name: str, seed: int, systems: str = "abc", train: bool = False) -> Results:
    gold = drawn(60, seed=seed)
    rates = {"a": 0.05, "b": 0.1 + 0.05 * seed, "c": 0.5}
    outputs: dict[str, Any] = {
        one: noisy(gold, rates[one], 10 * seed + ord(one)) for one in systems
    }
    training = drawn(4, seed=seed + 100) if train else None
    return nerscope.evaluate(gold, outputs, dataset=name, train=training)


@pytest.fixture(scope="module")
def four() -> Results:
    """Three systems on four datasets, with intervals."""
    parts = [evaluated(f"d{seed}", seed).evidence[0] for seed in range(4)]
    return with_intervals(Results(parts), True)


def said(results: Results, protocol: Protocol | None) -> Results:
    return Results(results.evidence, results.losses, results.rows, protocol)


def over(results: Results, *names: str, **options: Any) -> DatasetsRow:
    found = nerscope.compare(results, *names, samples=300, metrics=["f1"], **options)
    (one,) = found.over_datasets()
    return one


# What datasets are to each other is kept wherever results are made of results.
REBUILT: dict[str, Callable[[Results, Path], Results]] = {
    "saved": lambda one, folder: saved(one, folder / "r.json"),
    "narrowed": lambda one, _: narrow_results(one, ["b", "a"]),
    "with intervals": lambda one, _: with_intervals(one, True),
    "with bounds": lambda one, _: with_bounds(one),
    "joined": lambda one, _: join_results(one, one, "old.json", "new.json")[0],
    "joined to others": lambda one, _: join_results(said(one, None), one, "o.json", "n.json")[0],
}


def saved(results: Results, path: Path) -> Results:
    results.save(path)
    return Results.load(path)


@pytest.mark.slow(quick=2)
@pytest.mark.parametrize("name", list(REBUILT))
@pytest.mark.parametrize("protocol", [None, SPLITS, Protocol("drawn")])
def test_it_is_kept(name: str, protocol: Protocol | None, four: Results, tmp_path: Path) -> None:
    assert REBUILT[name](said(four, protocol), tmp_path).protocol == protocol


def test_files_that_say_different_things_of_their_datasets_are_not_joined(four: Results) -> None:
    with pytest.raises(InputError, match=r"its \[protocol\] differs from the one of old"):
        join_results(said(four, SPLITS), said(four, Protocol("fixed")), "old.json", "new.json")


@pytest.mark.parametrize(
    ("kind", "ratio", "message"),
    [
        ("folds", None, "unknown kind of datasets 'folds'. Fix: choose one of: .*splits"),
        ("splits", None, "splits overlap, and no ratio was given"),
        ("fixed", 0.2, "only splits have a ratio"),
        *(
            ("splits", ratio, "invalid value")
            for ratio in (0, -1, float("inf"), float("nan"), True)
        ),
        ("splits", "0.2", "invalid value '0.2'"),
        (3, None, "unknown kind of datasets 3"),
    ],
)
def test_a_protocol_that_cannot_be_is_refused(kind: Any, ratio: Any, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        Protocol(kind, ratio)


@pytest.mark.slow(quick=1)
@pytest.mark.parametrize(
    "text",
    [
        '"splits"',
        '{"datasets": "splits"}',
        '{"datasets": "splits", "ratio": "x"}',
        '{"ratio": 1}',
        '{"datasets": ["splits"], "ratio": 1}',
    ],
)
def test_a_damaged_protocol_is_refused(text: str, four: Results) -> None:
    whole = said(four, SPLITS).to_json()
    known = '"protocol":{"datasets":"splits","ratio":0.25}'
    assert known in whole
    with pytest.raises(InputError, match="damaged"):
        Results.from_json(whole.replace(known, f'"protocol":{text}'))


@pytest.mark.parametrize(
    ("known", "chosen", "ratio", "wanted"),
    [
        (None, None, None, None),
        (SPLITS, None, None, SPLITS),
        (SPLITS, "splits", None, SPLITS),
        (SPLITS, None, 0.5, Protocol("splits", 0.5)),
        (SPLITS, "drawn", None, Protocol("drawn")),
        (Protocol("fixed"), "splits", 1.0, Protocol("splits", 1.0)),
        (None, "fixed", None, Protocol("fixed")),
    ],
)
def test_what_is_said_goes_before_what_is_known(
    known: Protocol | None, chosen: str | None, ratio: float | None, wanted: Protocol | None
) -> None:
    assert choose_protocol(known, chosen, ratio) == wanted


@pytest.mark.parametrize(("chosen", "ratio"), [("splits", None), (None, 0.5), ("drawn", 0.5)])
def test_a_ratio_belongs_to_splits_and_splits_to_a_ratio(
    chosen: str | None, ratio: float | None, four: Results
) -> None:
    with pytest.raises(UsageError, match=r"^ratio: "):
        nerscope.compare(four, "a", "b", over=chosen, ratio=ratio)


def test_of_splits_only_what_allows_for_their_overlap_is_said(four: Results) -> None:
    one = over(said(four, SPLITS), "a", "c")
    assert all(one[name] is None for name in OF_DOMAINS)
    assert (one["over"], one["splits"], one["ratio"], one["alpha"]) == ("splits", 4, 0.25, 0.05)
    assert (one["beats_on"], one["loses_on"], one["ahead"]) == (4, 0, 4)
    rows = nerscope.compare(four, "a", "c", samples=300, metrics=["f1"]).primary
    found = resampled_t([row["difference"] for row in rows], 0.25)
    assert (one["difference"], one["low"], one["high"], one["p_resampled"]) == pytest.approx(
        (found.mean, found.low, found.high, found.p)
    )


@pytest.mark.parametrize("kind", [None, *KINDS[1:]])
def test_of_other_datasets_both_readings_are_told(kind: str | None, four: Results) -> None:
    one = over(four, "a", "c", over=kind)
    assert all(one[name] is None for name in OF_SPLITS)
    assert one["over"] == (kind or "domains")
    rows = nerscope.compare(four, "a", "c", samples=300, metrics=["f1"]).primary
    values = [row["difference"] for row in rows]
    # The mean is made of intervals for each dataset by itself, not of those that hold together.
    alone = nerscope.compare(four, "a", "c", samples=300, metrics=["f1"], correction="none").primary
    lows, highs = ([row[key] for row in alone] for key in ("low", "high"))
    others = drawn_test(values)
    assert (one["difference"], one["low"], one["high"]) == pytest.approx(
        average_with_interval(values, lows, highs)
    )
    assert (one["low_drawn"], one["high_drawn"], one["p_drawn"]) == pytest.approx(
        (others.low, others.high, others.p)
    )


def test_the_p_of_these_datasets_agrees_with_their_interval(four: Results) -> None:
    for pair in (("a", "c"), ("a", "b"), ("b", "a"), ("b", "c")):
        one = over(four, *pair)
        assert (one["p_fixed"] <= 0.05) == (not one["low"] <= 0 <= one["high"])


def test_the_p_of_these_datasets_is_1_where_nothing_differs(four: Results) -> None:
    parts = [one.evidence[0] for one in (twins("d", 1), twins("e", 2))]
    one = over(Results(parts), "x", "y")
    assert (one["difference"], one["p_fixed"], one["p_drawn"]) == (0.0, 1.0, 1.0)
    assert one["low_drawn"] is None
    split = over(Results(parts), "x", "y", over="splits", ratio=1.0)
    assert (split["p_resampled"], split["low"], split["beats_on"]) == (1.0, None, 0)


def twins(name: str, seed: int) -> Results:
    gold = drawn(40, seed=seed)
    output = noisy(gold, 0.2, seed)
    return nerscope.evaluate(gold, {"x": output, "y": output}, dataset=name)


@pytest.mark.parametrize(("kind", "test"), [("splits", "p_resampled"), ("drawn", "p_drawn")])
def test_p_is_corrected_over_the_pairs(kind: str, test: str, four: Results) -> None:
    found = nerscope.compare(
        said(four, SPLITS), samples=300, metrics=["f1"], over=kind, correction="bonferroni"
    )
    for one in found.over_datasets():
        assert one[f"{test}_corrected"] == pytest.approx(min(1.0, 3 * one[test]))


# What the first lines say.
ANSWERS = [
    (
        "splits",
        r"Over 4 splits of one corpus, a is better than c: F1 better by \+.* on average, "
        r"corrected resampled t-test p [<=] [\d.]+",
        r"  a beats c on 4 of 4 splits at p ≤ 0.05/4, c beats a on 0\.",
    ),
    (
        "fixed",
        r"Over these 4 datasets, a's output is better than c's: F1 better by .* < 0.001\.",
        r"  a's output is better on at least 4 of 4, c's output on at least 0 \(95 %\)\.",
    ),
    (
        "drawn",
        r"Over 4 datasets and others like them, a's output is better than c's: .* t-test p < 0\..*",
        r"  a's output is better on at least 4 of 4, c's output on at least 0 \(95 %\)\.",
    ),
    (
        "domains",
        r"Over these 4 datasets, a's output is better than c's: F1 better by .* < 0.001\.",
        r"  a's output is better on .* \(95 %\)\. Over others like them: \[\+.*, \+.*\], p < 0\..*",
    ),
]


@pytest.mark.parametrize(("kind", "first", "second"), ANSWERS)
@pytest.mark.parametrize("names", [("a", "c"), ("c", "a")])
def test_the_first_lines_are_about_all_datasets(
    kind: str, first: str, second: str, names: tuple[str, str], four: Results
) -> None:
    found = nerscope.compare(said(four, SPLITS), *names, samples=300, metrics=["f1"], over=kind)
    lines = str(found).split("\n")
    assert re.fullmatch(first, lines[0]), lines[0]
    assert re.fullmatch(second, lines[1]), lines[1]
    # splits are no questions of their own, datasets are
    assert (kind == "splits") == (not any(line.startswith("d0: ") for line in lines))


def test_over_splits_no_line_is_about_single_runs(four: Results) -> None:
    found = nerscope.compare(said(four, SPLITS), samples=300, metrics=["f1"])
    text = OUTPUTS["text"](comparison_document(found, ""))
    assert text.startswith("Ranking by F1: mean over splits\n")
    assert "\n  about the methods: each split has its own training run\n" in text
    assert "About the methods, trained and tested on such a corpus" in text
    for other in ("other training runs", "1 run each", "one run each", "over datasets"):
        assert other not in text
    assert max(map(len, text.split("\n"))) <= 80
    table = text[text.index("\nOver 4 splits: F1") : text.index("Mean rank")]
    assert table.count("──\n") == 1  # one block: no column moved below the others
    average = means_table(said(four, SPLITS))
    assert average is not None and average.header[3] == "± over splits"


def test_without_intervals_of_datasets_the_mean_is_not_tested(four: Results) -> None:
    found = nerscope.compare(four, "a", "c", samples=300, metrics=["f1"], over="fixed")
    rows = [replace(row, low=None, high=None) for row in found.rows]
    assert "not tested (a dataset has no interval)" in str(replace(found, rows=rows))


# Means of scores.


def means(results: Results, **wanted: str) -> list[AverageRow]:
    common = {"facet": "all", "match": "exact", "metric": "f1", **wanted}
    found = results.over_datasets()
    return [one for one in found if all(one[key] == value for key, value in common.items())]


def test_the_mean_of_scores_and_its_intervals(four: Results) -> None:
    for one in means(four):
        rows: list[Any] = four.select(
            system=one["system"], run=None, facet="all", match="exact", metric="f1", type=None
        )
        values, lows, highs = ([row[key] for row in rows] for key in ("value", "low", "high"))
        others = drawn_test(values)
        wanted = average_with_interval(values, lows, highs)
        assert one["datasets"] == ["d0", "d1", "d2", "d3"]
        assert (one["value"], one["low"], one["high"]) == pytest.approx(wanted)
        assert one["std"] == pytest.approx(np.std(values, ddof=1))
        assert (one["low_drawn"], one["high_drawn"]) == pytest.approx(
            (max(0.0, others.low), min(1.0, others.high))
        )
        (split,) = means(said(four, SPLITS), system=one["system"])
        found = resampled_t(values, 0.25)
        assert (split["low"], split["high"]) == pytest.approx(
            (max(0.0, found.low), min(1.0, found.high))
        )
        assert split["low_drawn"] is None and split["value"] == one["value"]
    assert [one["system"] for one in means(four)] == ["a", "b", "c"]


def test_means_rest_on_the_datasets_that_all_systems_have() -> None:
    parts = [evaluated("d", 1), evaluated("e", 2, "ab"), evaluated("f", 3)]
    found = means(Results([one.evidence[0] for one in parts]))
    assert [one["datasets"] for one in found] == [["d", "f"]] * 3
    # without intervals of the datasets there is none for these, but one for others
    assert all(one["low"] is None and one["low_drawn"] is not None for one in found)
    alone = Results([one.evidence[0] for one in parts[:2]])
    assert means(alone) == []
    assert evaluated("d", 1).over_datasets() == []


def test_means_are_there_for_every_measure() -> None:
    parts = [evaluated(name, seed, train=True) for seed, name in enumerate("de", 1)]
    found = Results([one.evidence[0] for one in parts]).over_datasets()
    measured = {(one["facet"], one["level"], one["match"], one["metric"]) for one in found}
    assert {
        *(("all", "all", "exact", name) for name in ("precision", "recall", "f1")),
        *(("all", "all", name, "f1") for name in ("left", "right", "overlap")),
        *(("tmr", name, "exact", "recall") for name in ("seen", "unseen-any")),
        *(("hard", name, "bilou", "ter") for name in ("all", "unseen")),
        ("hard", "score", "bilou", "hardeval"),
    } <= measured


def test_json_holds_the_means_of_several_datasets(four: Results) -> None:
    content = json.loads(said(four, SPLITS).to_json())
    assert content["over_datasets"] == said(four, SPLITS).over_datasets()
    assert content["protocol"] == {"datasets": "splits", "ratio": 0.25}
    alone = json.loads(evaluated("d", 1).to_json())
    assert "over_datasets" not in alone and "protocol" not in alone


# Runs that are the same on several datasets.

SHIFTS = {"a": (0.05, 0.12, 0.08), "b": (0.1, 0.2, 0.15)}


@pytest.fixture(scope="module")
def with_runs() -> Results:
    """Two systems with three runs each on four datasets: a run is good or bad on all of them."""
    parts = []
    for seed in range(4):
        gold = drawn(60, seed=seed)
        outputs: dict[str, Any] = {
            name: [noisy(gold, rate, 10 * seed + at) for at, rate in enumerate(rates)]
            for name, rates in SHIFTS.items()
        }
        results = nerscope.evaluate(gold, outputs, dataset=f"d{seed}")
        parts.append(with_intervals(results, True).evidence[0])
    return with_intervals(Results(parts), True)


def test_runs_count_once_for_all_datasets(with_runs: Results) -> None:
    found = nerscope.compare(with_runs, "a", "b", metrics=["f1"])
    summary: Any = found.over_datasets()[0]
    alone = average_with_interval(
        *([row[key] for row in found.primary] for key in ("difference", "low", "high"))
    )
    # As if every dataset had runs of its own, the interval would be far narrower.
    assert summary.high - summary.low > 1.2 * (alone[2] - alone[1])
    drawn_alone = drawn_test([or_nan(row.difference) for row in found.primary])
    assert summary.high_drawn > drawn_alone.high and summary.p_drawn > drawn_alone.p
    assert (summary.p_fixed < 0.05) == (not summary.low <= 0 <= summary.high)


def test_with_several_runs_what_needs_independent_datasets_is_undefined(with_runs: Results) -> None:
    found = nerscope.compare(with_runs, "a", "b", metrics=["f1"])
    summary: Any = found.over_datasets()[0]
    assert summary.share_runs and summary.p_sign is None and summary.p_wilcoxon is None
    rows: list[Any] = found.primary
    better = [row.p / 2 if row.difference > 0 else 1 - row.p / 2 for row in rows]
    assert summary.better_on == beaten_on(better, method="bonferroni")
    shown = comparison_document(found, "").tables
    assert any("may have been tested on several datasets" in "".join(t.notes) for t in shown)
    outputs = nerscope.compare(with_runs, "a", "b", metrics=["f1"], about="outputs", samples=200)
    summary = outputs.over_datasets()[0]
    assert not summary.share_runs and summary.p_sign is not None


def test_runs_that_belong_together_are_paired_over_datasets_too(with_runs: Results) -> None:
    apart, together = (
        nerscope.compare(with_runs, "a", "b", metrics=["f1"], same_seeds=same).over_datasets()[0]
        for same in (False, True)
    )
    assert apart.p_fixed != together.p_fixed and apart.difference == together.difference


def test_the_mean_of_scores_reckons_with_shared_runs(with_runs: Results) -> None:
    row: Any
    for row in means(with_runs):
        rows: list[Any] = with_runs.select(
            system=row.system, run=None, facet="all", match="exact", metric="f1", type=None
        )
        alone = average_with_interval(*([r[key] for r in rows] for key in ("value", "low", "high")))
        assert row.low < alone[1] and row.high > alone[2]


def test_rows_from_a_cache_know_the_parts_of_their_variance(with_runs: Results) -> None:
    found = nerscope.compare(with_runs, "a", "b", metrics=["f1"])
    again = replace(found, rows=unpack(pack(found.rows)))
    assert again.over_datasets() == found.over_datasets()


# Any cell over datasets.


@pytest.fixture(scope="module")
def with_training() -> Results:
    parts = [evaluated(f"d{seed}", seed, train=True).evidence[0] for seed in range(1, 4)]
    return with_intervals(Results(parts), True)


@pytest.mark.parametrize(
    ("facet", "metric", "level"),
    [
        ("tmr", "recall", "unseen-tokens"),
        ("eLen", "f1", "XS"),
        ("hard", "ter", "unseen"),
        ("hard", "hardeval", "score"),
    ],
)
def test_any_cell_is_tested_over_datasets(
    facet: str, metric: str, level: str, with_training: Results
) -> None:
    found = nerscope.compare(with_training, "a", "c", facets=[facet], metrics=[metric], samples=200)
    cells = [row for row in found.over_datasets() if row.level == level and row.type is None]
    (cell,) = cells
    rows = [row for row in found.rows if row.level == level and row.type is None]
    assert (cell.facet, cell.metric, cell.unit) == (facet, metric, rows[0].unit)
    assert cell.difference == pytest.approx(np.mean([or_nan(row.difference) for row in rows]))
    assert cell.datasets == ["d1", "d2", "d3"]
    expected = fixed_mean([part for row in rows if (part := row.parts)])
    assert cell.p_fixed == pytest.approx(expected.p)
    # Lower error rates are better: A, with fewer errors, is ahead whatever the sign.
    assert cell.ahead == 3 and cell.behind == 0


def test_p_is_corrected_over_the_cells_and_pairs_of_a_family(with_training: Results) -> None:
    found = nerscope.compare(
        with_training, facets=["all", "tmr"], samples=200, correction="bonferroni"
    )
    cells = found.over_datasets()
    for family in {cell.family for cell in cells}:
        members = [cell for cell in cells if cell.family == family]
        tested = [cell for cell in members if cell.p_fixed is not None]
        for cell in tested:
            corrected = min(1.0, len(tested) * or_nan(cell.p_fixed))
            assert cell.p_fixed_corrected == pytest.approx(corrected)
    assert [cell.family for cell in cells[:3]] == ["primary"] * 3
    assert "where" in {cell.family for cell in cells}


def test_unasked_only_the_first_question_is_summed_up(with_training: Results) -> None:
    found = nerscope.compare(with_training, "a", "c", samples=200)
    assert [cell.family for cell in found.over_datasets()] == ["primary"]
    every = found.over_datasets(every=True)
    assert every[0] == found.over_datasets()[0] and len(every) > 50
    titles = [table.title for table in comparison_document(found, "").tables]
    shown = [table.title for table in comparison_document(found, "", cells=True).tables]
    assert "Over datasets: every number" not in titles and "Over datasets: every number" in shown
    assert len(comparison_document(found, "", cells=True).data["over_datasets"]) == len(every)


# A region of practical equivalence.


@pytest.mark.parametrize("kind", ["domains", "splits"])
def test_a_rope_tells_how_likely_each_answer_is(kind: str, four: Results) -> None:
    options: Any = {"over": kind, "ratio": 0.25 if kind == "splits" else None, "rope": 1}
    forth, back = (over(four, *names, **options) for names in (("a", "c"), ("c", "a")))
    assert forth.rope == 1 and forth["probability_better"] > 0.95
    names = [f"probability_{name}" for name in ("better", "equivalent", "worse")]
    assert [forth[name] for name in names] == pytest.approx([back[name] for name in names[::-1]])
    wide = over(four, "a", "c", **{**options, "rope": 99})
    assert wide["probability_equivalent"] > 0.95
    assert over(four, "a", "c").rope is None


def test_a_rope_is_shown_beside_the_tests(four: Results) -> None:
    found = nerscope.compare(four, "a", "c", samples=300, metrics=["f1"], rope=1.5)
    (table,) = [t for t in comparison_document(found, "").tables if t.title == "Over datasets: F1"]
    assert "P(equivalent)" in table.header
    assert any("equivalent: a difference of at most 1.5 points" in note for note in table.notes)
    assert found.settings["rope"] == "1.5"


def test_a_rope_around_one_dataset_is_a_note() -> None:
    found = nerscope.compare(evaluated("d", 1), "a", "c", samples=300, metrics=["f1"], rope=1)
    assert any("--rope needs several datasets" in note for note in found.notes)
    with pytest.raises(UsageError, match="rope: invalid value -1"):
        nerscope.compare(evaluated("d", 1), "a", "c", rope=-1)
