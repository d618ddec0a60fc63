"""Comparison: which pairs, which cells, and p-values corrected within families."""

from dataclasses import replace
from typing import Any

import pytest
from tests.scoring.toys import corpus, drawn, noisy

import nerscope
from nerscope.errors import InputError, UsageError
from nerscope.experiment.run import pair_keys
from nerscope.render.comparison import comparison_document
from nerscope.results.changes import CHANGES, change_counts
from nerscope.results.compare import Comparison, comparison_of, standing
from nerscope.results.gate import baseline_notes
from nerscope.results.joining import join_results
from nerscope.results.results import Results
from nerscope.results.rows import ComparisonRow
from nerscope.stats.corrections import correct_p_values
from nerscope.stats.intervals import Sampling
from nerscope.stats.paired import METHODS, Method
from nerscope.stats.system_differences import ComparisonPlan, differences

GOLD, TRAIN = drawn(60, seed=1), drawn(60, seed=2)
SYSTEMS: dict[str, Any] = {
    "a": noisy(GOLD, 0.05, 3),
    "b": noisy(GOLD, 0.4, 4),
    "c": [noisy(GOLD, 0.1, 5), noisy(GOLD, 0.1, 6)],
}


@pytest.fixture(scope="module")
def results() -> Results:
    return nerscope.evaluate(GOLD, SYSTEMS, train=TRAIN, dataset="d")


@pytest.fixture(scope="module")
def two_datasets(results: Results) -> Results:
    """The second dataset has no output of c."""
    other = nerscope.evaluate(
        GOLD, {"b": SYSTEMS["b"], "a": SYSTEMS["a"]}, train=TRAIN, dataset="e"
    )
    return Results([*results.evidence, *other.evidence])


def compared(results: Results, *names: str, **options: Any) -> Comparison:
    return nerscope.compare(
        results,
        *names,
        **{"samples": 100, "metrics": ["f1", "ter"], "facets": ["all", "hard"], **options},
    )


def pairs(found: Comparison) -> list[tuple[str, str, str]]:
    return list(
        dict.fromkeys((row["dataset"], row["system_a"], row["system_b"]) for row in found.rows)
    )


@pytest.mark.parametrize(
    ("names", "options", "wanted"),
    [
        (("a", "b"), {}, ["a b"]),
        (("b", "a"), {}, ["b a"]),
        ((), {}, ["a b", "a c", "b c"]),
        ((), {"baseline": "b"}, ["a b", "c b"]),
    ],
)
def test_pairs_that_are_compared(
    results: Results, names: tuple[str, ...], options: dict[str, Any], wanted: list[str]
) -> None:
    assert pairs(compared(results, *names, **options)) == [("d", *text.split()) for text in wanted]


def test_rows_say_who_is_better_where(results: Results) -> None:
    found = compared(results, "a", "b", facets=None, metrics=None)
    (f1,) = [
        row
        for row in found.rows
        if (row["facet"], row["match"], row["metric"], row["type"]) == ("all", "exact", "f1", None)
    ]
    assert f1["a"] == results.value(system="a", metric="f1")
    assert f1["b"] == results.value(system="b", metric="f1")
    assert f1["difference"] == pytest.approx(f1["a"] - f1["b"])
    assert f1["low"] <= f1["difference"] <= f1["high"]
    assert (f1["unit"], f1["level"], f1["dataset"]) == ("mention", "all", "d")
    assert (
        f1["n"]
        == results.select(system="a", run=None, match="exact", metric="f1", type=None, facet="all")[
            0
        ]["n"]
    )
    assert {row["unit"] for row in found.rows if row["facet"] in ("hard", "tCon")} == {"token"}
    assert {row["facet"] for row in found.rows if row["metric"] == "accuracy"} == {"all"}
    assert found.as_dict().keys() == {
        "settings",
        "notes",
        "any_star",
        "rows",
        "over_runs",
        "over_datasets",
        "ranks",
        "ranking",
    }
    assert (f1["about"], f1["clusters"], f1["untested"]) == ("outputs", 59, None)
    assert f1["test"] == "randomisation"
    assert 6 <= f1["differing"] <= f1["clusters"]


def test_types_are_shown_for_the_whole_and_for_facets_only_if_asked(results: Results) -> None:
    short = compared(results, "a", "b", facets=["all", "eLen"], metrics=["f1"])
    typed = {(row["facet"], row["match"]) for row in short.rows if row["type"]}
    assert typed == {("all", "exact")}
    long = compared(results, "a", "b", facets=["all", "eLen"], metrics=["f1"], by_type=True)
    assert {(row["facet"], row["match"]) for row in long.rows if row["type"]} >= {
        ("eLen", "exact"),
        ("all", "left"),
    }


def test_only_the_facets_and_metrics_asked_for_are_shown(results: Results) -> None:
    found = compared(results, "a", "b", facets=["tmr", "eLen"], metrics=["recall"])
    assert {(row["facet"], row["metric"]) for row in found.rows} == {
        ("tmr", "recall"),
        ("eLen", "recall"),
    }


@pytest.mark.parametrize("correction", ["holm", "bonferroni", "bh", "by", "none"])
def test_p_values_are_corrected_within_families(results: Results, correction: str) -> None:
    """The primary question over all pairs; where, types and the rest within a pair."""
    found = compared(results, correction=correction, facets=None, metrics=None)
    families: dict[tuple[str, ...], list[ComparisonRow]] = {}
    for one in found.rows:
        pair = () if one["family"] == "primary" else (one["system_a"], one["system_b"])
        families.setdefault((one["family"], *pair), []).append(one)
    assert len(families) == 1 + 3 * 3
    assert len(families[("primary",)]) == 3
    for own in families.values():
        p = [float("nan") if row["p"] is None else row["p"] for row in own]
        wanted = [None if value != value else value for value in correct_p_values(p, correction)]
        assert [row["p_corrected"] for row in own] == wanted
    assert found.settings == {
        "method": "randomisation",
        "correction": correction,
        "samples": "100",
        "seed": "0",
        "resample": "sentence",
        "about": "outputs+recipes",
        "tests": "exact+randomisation+runs",
    }


@pytest.mark.parametrize(
    ("names", "options", "message"),
    [
        # systems
        (("a", "x"), {}, "system 'x': it is not in the results"),
        (("a",), {}, "only one system is named"),
        ((), {"baseline": "x"}, "system 'x'"),
        # what is compared
        (("a", "b"), {"facets": ["tnr"]}, "did you mean 'tmr'"),
        (("a", "b"), {"metrics": ["f3"]}, "metric 'f3': it is not in the results"),
        (("a", "b"), {"metrics": ["f1"], "facets": ["tmr"]}, "metric 'f1'"),
        # how
        (("a", "b"), {"method": "t-test"}, "method 't-test': unknown method"),
        (("a", "b"), {"correction": "holms"}, "did you mean 'holm'"),
        (("a", "b"), {"resample": "word"}, "unknown cluster unit 'word'"),
        (("a", "b"), {"samples": 0}, "samples"),
        (("a", "b"), {"samples": -5}, "samples"),
        (("a", "b"), {"seed": -1}, "seed"),
        (("a", "b"), {"about": "outputz"}, "did you mean 'outputs'"),
        (("a", "b"), {"about": "recipes"}, "have one run each, so recipes cannot be compared"),
        (("a", "c"), {"same_seeds": True}, "a has 1 and c has 2 runs"),
        (("a", "b"), {"margin": 0}, "margin: invalid value 0"),
        (("a", "b"), {"margin": True}, "margin: invalid value True"),
    ],
)
def test_a_comparison_that_cannot_be_made_is_refused(
    results: Results, names: tuple[str, ...], options: dict[str, Any], message: str
) -> None:
    with pytest.raises(UsageError, match=message):
        compared(results, *names, **options)


def test_one_system_alone_cannot_be_compared() -> None:
    with pytest.raises(UsageError, match="only one system"):
        nerscope.compare(nerscope.evaluate(GOLD, {"a": GOLD}))


def test_documents_must_be_there_to_be_resampled(results: Results) -> None:
    with pytest.raises(InputError, match="no document boundaries"):
        compared(results, "a", "b", resample="document")


def test_who_is_missing_on_a_dataset_is_noted(two_datasets: Results) -> None:
    found = compared(two_datasets)
    assert pairs(found) == [("d", "a", "b"), ("d", "a", "c"), ("d", "b", "c"), ("e", "a", "b")]
    assert "e: c has no output and is left out" in found.notes
    alone = compared(two_datasets, "a", "c")
    assert pairs(alone) == [("d", "a", "c")]
    assert "e: c has no output and is left out" in alone.notes


def test_a_facet_that_one_dataset_lacks_is_compared_on_the_other(results: Results) -> None:
    other = nerscope.evaluate(GOLD, {"a": SYSTEMS["a"], "b": SYSTEMS["b"]}, dataset="untrained")
    both = Results([*results.evidence, *other.evidence])
    assert pairs(compared(both, "a", "b", facets=["tmr"], metrics=["recall"])) == [("d", "a", "b")]


def row(
    metric: str, difference: float | None, p: float | None, a: str = "a", b: str = "b"
) -> ComparisonRow:
    return ComparisonRow(
        dataset="d",
        system_a=a,
        system_b=b,
        unit="mention",
        facet="all",
        level="all",
        type=None,
        match="exact",
        metric=metric,
        a=None,
        b=None,
        difference=difference,
        low=None,
        high=None,
        p=p,
        p_corrected=p,
        family="other",
        n=10,
        clusters=10,
        degrees=None,
        differing=5,
        about="",
        test=None if p is None else "randomisation",
        untested=None,
        detectable=None,
    )


@pytest.mark.parametrize(
    ("rows", "wanted"),
    [
        ([row("f1", 0.1, 0.01)], {"win": 1}),
        ([row("f1", -0.1, 0.01)], {"loss": 1}),
        ([row("f1", 0.1, 0.05)], {"undecided": 1}),
        # lower is better
        ([row("ter", -0.1, 0.01), row("hardeval", 0.1, 0.01)], {"win": 1, "loss": 1}),
        # undefined cells and other pairs do not count
        ([row("f1", None, None), row("f1", 0.1, 0.01, b="c")], {}),
        # a larger share of the errors is neither good nor bad
        ([row("error_share", 0.1, 0.01)], {"undecided": 1}),
    ],
)
def test_tally_counts_wins_losses_and_what_is_undecided(
    rows: list[ComparisonRow], wanted: dict[str, int]
) -> None:
    assert Comparison(rows, {}).tally("a", "b") == wanted


@pytest.mark.parametrize(
    ("metric", "difference", "p", "wanted"),
    [
        ("f1", 0.1, 0.01, "win"),
        ("f1", -0.1, 0.01, "loss"),
        ("ter", -0.1, 0.01, "win"),
        ("f1", 0.1, 0.05, "undecided"),
        ("f1", 0.1, None, "undecided"),
        ("f1", 0.0, 0.01, "undecided"),
        ("error_share", 0.1, 0.01, "undecided"),
    ],
)
def test_where_the_first_of_two_systems_stands(
    metric: str, difference: float, p: float | None, wanted: str
) -> None:
    assert standing(metric, difference, p) == wanted


def test_shares_of_errors_are_compared_only_if_asked_for(results: Results) -> None:
    unasked = compared(results, "a", "b", metrics=None)
    assert "error_share" not in {one["metric"] for one in unasked.rows}
    asked = compared(results, "a", "b", metrics=["error_share"])
    assert {one["metric"] for one in asked.rows} == {"error_share"}


def test_a_test_of_ones_own_is_found_by_its_name(
    results: Results, monkeypatch: pytest.MonkeyPatch
) -> None:
    METHODS.load()  # what is loaded during the test would be gone with it
    monkeypatch.setattr(METHODS, "_things", dict(METHODS._things))
    nerscope.register_method(Method("quarter", lambda pair: 0.25))
    found = compared(results, "a", "b", method="quarter")
    assert {one["p"] for one in found.rows} <= {0.25, None}
    assert found.settings["method"] == "quarter"
    nerscope.register_method(Method("wild", lambda pair: 2.0))
    with pytest.raises(UsageError, match=r"method 'wild': it returns the p-value 2\.0"):
        compared(results, "a", "b", method="wild")


def test_without_pairs_nothing_is_resampled(results: Results) -> None:
    assert list(differences(results.evidence[0], [], Sampling(), ComparisonPlan())) == []


def test_a_comparison_of_rows_corrects_them_together() -> None:
    rows = [row("f1", 0.1, 0.01), row("f1", 0.1, None), row("f1", 0.1, 0.04)]
    found = comparison_of(rows, {"correction": "bonferroni", "samples": 1000}, [])
    assert [one["p_corrected"] for one in found.rows] == [0.02, None, 0.08]
    assert found.notes == []


@pytest.mark.parametrize(
    ("correction", "said"), [("holm", True), ("bonferroni", True), ("bh", False), ("none", False)]
)
def test_too_few_resamples_for_so_many_cells_are_said(correction: str, said: bool) -> None:
    found = comparison_of(
        [row("f1", 0.1, 0.01) for _ in range(6)], {"correction": correction, "samples": 100}, []
    )
    assert any("too few" in note for note in found.notes) == said


def test_the_key_of_a_pair_changes_with_what_its_numbers_rest_on(results: Results) -> None:
    evidence, pair = results.evidence[0], [("a", "b")]
    sampling = Sampling(samples=10)
    same = pair_keys(evidence, pair, sampling, ComparisonPlan("bootstrap"))
    assert pair_keys(evidence, pair, sampling, ComparisonPlan("bootstrap")) == same
    systems: dict[str, Any] = {**SYSTEMS, "b": GOLD}
    changed = nerscope.evaluate(GOLD, systems, train=TRAIN, dataset="d")
    others = [
        pair_keys(evidence, pair, Sampling(samples=11), ComparisonPlan("bootstrap")),
        pair_keys(evidence, pair, sampling, ComparisonPlan()),
        pair_keys(changed.evidence[0], pair, sampling, ComparisonPlan("bootstrap")),
        pair_keys(
            nerscope.evaluate(GOLD, SYSTEMS, train=TRAIN, dataset="e").evidence[0],
            pair,
            sampling,
            ComparisonPlan("bootstrap"),
        ),
    ]
    assert len({key["a", "b"] for key in [same, *others]}) == 5


def test_a_system_that_is_not_compared_has_no_part_in_the_key_of_a_pair(results: Results) -> None:
    systems: dict[str, Any] = {**SYSTEMS, "c": GOLD}
    other = nerscope.evaluate(GOLD, systems, train=TRAIN, dataset="d")
    keys = [
        pair_keys(one.evidence[0], [("a", "b")], Sampling(samples=10), ComparisonPlan())
        for one in (results, other)
    ]
    assert keys[0] == keys[1]


OVERALL: dict[str, Any] = {"facets": ["all"], "metrics": ["f1"]}


def primary(found: Comparison) -> ComparisonRow:
    (one,) = found.primary
    return one


def test_one_run_each_compares_outputs_and_says_so(results: Results) -> None:
    single, several = compared(results, "a", "b"), compared(results, "a", "c")
    assert primary(single)["about"] == "outputs"
    assert "one run each: this compares two outputs, not two methods" in single.notes
    assert single.over_runs() == []
    assert primary(several)["about"] == "recipes"
    assert (
        "a has one run: its variance over runs is assumed to equal the other system's"
        in several.notes
    )
    outputs = compared(results, "a", "c", about="outputs")
    assert primary(outputs)["p"] < primary(several)["p"]
    assert "this compares only these outputs: other training runs may differ more" in outputs.notes


def test_scores_of_all_runs_stand_beside_the_mean() -> None:
    runs = {name: [noisy(GOLD, rate, 10 * k) for k in range(4)] for name, rate in RATES.items()}
    found = compared(nerscope.evaluate(GOLD, runs), "good", "bad", **OVERALL)
    (one,) = found.over_runs()
    assert [len(one[side]) for side in ("runs_a", "runs_b")] == [4, 4]
    assert primary(found)["a"] == pytest.approx(sum(one["runs_a"]) / 4)
    assert (one["next_run_better"], one["violation"]) == (1.0, None)
    assert 0.5 < one["next_run_low"] < one["next_run_high"] == 1.0
    (other,) = compared(nerscope.evaluate(GOLD, runs), "bad", "good", **OVERALL).over_runs()
    assert (other["next_run_better"], other["violation"]) == (0.0, None)


def test_stochastic_order_is_computed_on_request_and_from_ten_runs_on() -> None:
    runs = {name: [noisy(GOLD, rate, 10 * k) for k in range(10)] for name, rate in RATES.items()}
    runs["few"] = [noisy(GOLD, 0.2, 10 * k) for k in range(9)]
    results = nerscope.evaluate(GOLD, runs)
    asked = {"stochastic_order": True, **OVERALL}
    (one,) = compared(results, "good", "bad", **OVERALL).over_runs()
    assert (one.violation, one.violation_low, one.violation_high) == (None, None, None)
    (one,) = compared(results, "good", "bad", **asked).over_runs()
    (other,) = compared(results, "bad", "good", **asked).over_runs()
    assert (one.violation, other.violation) == (0.0, 1.0)
    with pytest.raises(UsageError, match="needs 10 runs of each system, and no pair has so many"):
        compared(results, "good", "few", **asked)
    every = compared(results, **asked)
    assert [row.violation is None for row in every.over_runs()] == [False, True, True]
    assert "good and few: almost stochastic order needs 10 runs of each system" in every.notes
    document = comparison_document(compared(results, "good", "bad", **asked), "")
    table = next(table for table in document.tables if table.title == "Runs")
    assert table.header[-1] == "ε" and "excludes 0.5 in 25 to 31 %" in table.notes[-1]
    plain = comparison_document(compared(results, "good", "bad", **OVERALL), "")
    assert "ε" not in next(table for table in plain.tables if table.title == "Runs").header


RATES = {"good": 0.05, "bad": 0.4}


def test_the_answer_names_outputs_unless_a_system_has_several_runs() -> None:
    first = {name: noisy(GOLD, rate, 3) for name, rate in RATES.items()}
    one_run = str(compared(nerscope.evaluate(GOLD, first), "good", "bad", **OVERALL))
    assert one_run.startswith("good's output is better than bad's: ")
    assert "\n  About these outputs, not about other training runs. " in one_run
    runs = {name: [noisy(GOLD, rate, 10 * k) for k in range(3)] for name, rate in RATES.items()}
    results = nerscope.evaluate(GOLD, runs)
    methods = str(compared(results, "good", "bad", **OVERALL))
    assert methods.startswith("good is better than bad: ")
    scope = "\n  About the methods (3 and 3 runs): interval and p allow for other training runs. "
    assert scope in methods
    outputs = str(compared(results, "good", "bad", about="outputs", **OVERALL))
    assert outputs.startswith("good's output is better than bad's: ")


@pytest.mark.parametrize(("margin", "equivalent"), [(0.5, False), (30.0, True)])
def test_equivalence_has_its_own_test(margin: float, equivalent: bool) -> None:
    systems = {"a": noisy(GOLD, 0.1, 3), "b": noisy(GOLD, 0.1, 4)}
    found = compared(nerscope.evaluate(GOLD, systems), "a", "b", margin=margin, **OVERALL)
    assert primary(found)["p"] > 0.05
    assert (primary(found)["p_equivalent"] < 0.05) == equivalent
    assert ("equivalent within" in str(found)) == equivalent
    assert found.settings["margin"] == f"{margin:g}"


def test_without_a_margin_nothing_is_called_equivalent(results: Results) -> None:
    assert all("p_equivalent" not in row for row in compared(results, "a", "b").rows)


def test_simultaneous_intervals_are_wider_where_more_is_asked(results: Results) -> None:
    options: dict[str, Any] = {"facets": None, "metrics": None}
    single = compared(results, "a", "b", **options)
    together = compared(results, "a", "b", simultaneous=True, **options)
    assert together.settings["intervals"] == "simultaneous"
    for one, other in zip(single.rows, together.rows, strict=True):
        if one["low"] is not None and one["family"] == "where" and one["p"] is not None:
            assert other["high"] - other["low"] >= one["high"] - one["low"] - 1e-6
    widths = [primary(found)["high"] - primary(found)["low"] for found in (single, together)]
    assert widths[0] == pytest.approx(widths[1], rel=0.2)  # one question: nothing to pay for


def test_simultaneous_intervals_agree_with_the_corrected_p(results: Results) -> None:
    found = compared(results, "a", "b", simultaneous=True, facets=None, metrics=None)
    for row in found.rows:
        if row["low"] is not None:
            excludes = row["low"] > 0 or row["high"] < 0
            assert excludes == ((row["p_corrected"] or 1.0) < 0.05), row


def test_a_run_in_which_a_number_is_undefined_has_no_part_in_its_spread() -> None:
    nothing = [(tokens, ["O"] * len(tokens)) for tokens, _ in GOLD]
    two = [noisy(GOLD, 0.05, 1), noisy(GOLD, 0.3, 2)]
    other = [noisy(GOLD, 0.2, 3), noisy(GOLD, 0.25, 4)]
    options: dict[str, Any] = {"facets": ["all"], "metrics": ["precision"]}
    rows = [
        primary(compared(nerscope.evaluate(GOLD, {"a": runs, "b": other}), "a", "b", **options))
        for runs in (two, [*two, nothing])
    ]
    assert rows[1]["runs_a"][2] is None
    for key in ("a", "low", "high", "p"):
        assert rows[1][key] == pytest.approx(rows[0][key], rel=0.01), key


def test_copies_of_a_run_are_no_evidence() -> None:
    one = noisy(GOLD, 0.2, 1)
    results = [nerscope.evaluate(GOLD, {"a": [one] * k, "b": [one] * k}) for k in (1, 8)]
    few, many = (primary(compared(own, "a", "b", **OVERALL)) for own in results)
    assert (many["low"], many["high"]) == pytest.approx((few["low"], few["high"]))


def test_a_pair_of_equal_runs_among_several_is_no_fault() -> None:
    one, two, three = (noisy(GOLD, 0.2, seed) for seed in (1, 2, 3))
    found = nerscope.evaluate(GOLD, {"a": [one, two], "b": [one, three]})
    assert primary(compared(found, "a", "b", about="outputs", **OVERALL))["test"] == "randomisation"


def test_of_unequal_numbers_of_runs_the_order_does_not_matter() -> None:
    runs, other = [noisy(GOLD, 0.2, seed) for seed in (1, 2, 3)], [noisy(GOLD, 0.25, 4)] * 2
    p_values = {
        primary(
            compared(nerscope.evaluate(GOLD, {"a": own, "b": other}), about="outputs", **OVERALL)
        )["p"]
        for own in (runs, runs[::-1])
    }
    assert len(p_values) == 1


def test_untested_cells_are_no_part_of_the_family(results: Results) -> None:
    found = compared(results, "a", "b", facets=None, metrics=None)
    untested = [row for row in found.rows if row["p"] is None and row["difference"] is not None]
    assert untested
    for row in untested:
        assert row["p_corrected"] is None and row["test"] is None
        assert row["differing"] < 6 and "6 are needed" in row["untested"]


def datasets(count: int, swapped: int = 0) -> Results:
    """Systems on several datasets; on some of them, b is the better one."""
    parts = []
    for number in range(count):
        gold = drawn(60, seed=number)
        a, b = noisy(gold, 0.05, number), noisy(gold, 0.5, number + 50)
        a, b = (b, a) if number < swapped else (a, b)
        systems = {"a": a, "b": b, "c": noisy(gold, 0.2, number + 90)}
        parts += nerscope.evaluate(gold, systems, dataset=f"d{number}").evidence
    return Results(parts)


def test_several_datasets_are_summed_up() -> None:
    found = compared(datasets(6, swapped=1), "a", "b", samples=300, **OVERALL)
    (one,) = found.over_datasets(every=False)
    assert (one["ahead"], one["behind"], one["better_on"], one["worse_on"]) == (5, 1, 5, 0)
    values = [row["difference"] for row in found.primary]
    assert one["difference"] == pytest.approx(sum(values) / 6)
    assert one["low"] < one["difference"] < one["high"]
    assert one["p_sign"] == pytest.approx(14 / 64)
    everyone = compared(datasets(6), samples=300, **OVERALL)
    assert [record["system"] for record in everyone.ranks()] == ["a", "c", "b"]
    assert [record["rank"] for record in everyone.ranks()] == [1.0, 2.0, 3.0]
    for record in everyone.over_datasets(every=False):
        assert record["p_sign"] == pytest.approx(2 / 64)
        assert record["p_sign_corrected"] == pytest.approx(6 / 64)


def test_one_dataset_has_nothing_to_sum_up(results: Results) -> None:
    found = compared(results)
    assert (found.over_datasets(), found.ranks()) == ([], [])


CHANGED_GOLD = corpus("Ada/B-PER met Bob/B-PER", "in Oslo/B-LOC and Rome/B-LOC")
BEFORE = corpus("Ada/B-PER met Bob/B-LOC", "in Oslo/B-LOC and Rome")
AFTER = corpus("Ada/B-PER met Bob/B-PER", "in Oslo and Rome/B-PER")


def test_what_became_of_each_mention_from_one_system_to_the_other() -> None:
    results = nerscope.evaluate(
        CHANGED_GOLD, {"old": BEFORE, "new": AFTER}, facets=["eLen"], dataset="d"
    )
    rows = results.changes("old", "new")
    assert [(one["text"], one["type"], one["change"]) for one in rows] == [
        ("Ada", "PER", "both right"),
        ("Bob", "PER", "fixed"),
        ("Oslo", "LOC", "broken"),
        ("Rome", "LOC", "both wrong"),
    ]
    assert rows[0] == {
        "dataset": "d",
        "change": "both right",
        "type": "PER",
        "text": "Ada",
        "start": 0,
        "end": 1,
        "tokens": ["Ada", "met", "Bob"],
        "a": "PER Ada",
        "b": "PER Ada",
        "eLen": "XS",
        "sentence": "Ada met Bob",
        "place": "<gold>:1",
    }
    assert [(one["a"], one["b"]) for one in rows[1:]] == [
        ("LOC Bob", "PER Bob"),
        ("LOC Oslo", None),
        (None, "PER Rome"),
    ]
    assert change_counts(results, "old", "new") == [
        {
            "dataset": "d",
            "facet": "all",
            "level": "all",
            "fixed": 1,
            "broken": 1,
            "both wrong": 1,
            "both right": 1,
        },
        {
            "dataset": "d",
            "facet": "type",
            "level": "LOC",
            "fixed": 0,
            "broken": 1,
            "both wrong": 1,
            "both right": 0,
        },
        {
            "dataset": "d",
            "facet": "type",
            "level": "PER",
            "fixed": 1,
            "broken": 0,
            "both wrong": 0,
            "both right": 1,
        },
        {
            "dataset": "d",
            "facet": "eLen",
            "level": "XS",
            "fixed": 1,
            "broken": 1,
            "both wrong": 1,
            "both right": 1,
        },
    ]
    assert set(CHANGES) == {one["change"] for one in rows}


def test_with_several_runs_more_than_half_must_be_right() -> None:
    gold, right, wrong = corpus("a/B-PER"), corpus("a/B-PER"), corpus("a")
    systems = {"half": [right, wrong], "most": [right, right, wrong]}
    (one,) = nerscope.evaluate(gold, systems).changes("half", "most")
    assert one["change"] == "fixed"


def test_without_texts_changes_have_none() -> None:
    results = nerscope.evaluate([["B-PER"]], {"a": [["O"]], "b": [["B-PER"]]})
    (one,) = results.changes("a", "b")
    assert (one["change"], one["text"], one["sentence"]) == ("fixed", None, None)


def test_changes_need_both_systems_on_a_dataset(two_datasets: Results) -> None:
    assert {one["dataset"] for one in two_datasets.changes("a", "c")} == {"d"}
    with pytest.raises(UsageError, match="system 'nobody': it is not in the results"):
        change_counts(two_datasets, "a", "nobody")
    apart = [nerscope.evaluate(GOLD, {name: GOLD}, dataset=name).evidence[0] for name in "ab"]
    with pytest.raises(InputError, match="no dataset has outputs of both"):
        change_counts(Results(apart), "a", "b")


def of_version(results: Results, version: str) -> Results:
    parts = [
        replace(part, signature=replace(part.signature, version=version))
        for part in results.evidence
    ]
    return Results(parts, results.losses)


@pytest.mark.parametrize(("version", "noted"), [("0.1.0", True), ("0.3.0", False)])
def test_results_of_two_versions_are_compared_with_a_note(
    results: Results, version: str, noted: bool
) -> None:
    old, new = of_version(results, version), of_version(results, "0.3.0")
    joined, pairs = join_results(old, new, "old.json", "new.json")
    found = nerscope.compare(joined, pairs=pairs[:1], metrics=["f1"], samples=50)
    note = "d: the results were made by nerscope 0.1.0 and 0.3.0, with the same settings"
    assert (note in found.notes) == noted
    assert {row.difference for row in found.rows} <= {0.0, None}
    assert baseline_notes(new, old) == [note] * noted
    assert not any(verdict.failed for verdict in nerscope.gate(new, old))
