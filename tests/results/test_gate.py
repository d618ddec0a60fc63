"""The gate: it fails only on a drop that is larger than allowed and not by chance."""

from pathlib import Path
from typing import Any

import pytest
from tests.scoring.toys import Corpus, corpus, drawn, noisy, write

import nerscope
from nerscope import Condition
from nerscope.errors import InputError, UsageError
from nerscope.results.gate import gate
from nerscope.results.results import Results
from nerscope.testing import assert_gate, assert_no_drop

GOLD, TRAIN = drawn(100, seed=1), drawn(60, seed=2)


def evaluated(output: Any, name: str = "s", gold: Corpus = GOLD, **options: Any) -> Results:
    return nerscope.evaluate(gold, {name: output}, **{"dataset": "d", "train": TRAIN, **options})


def spoilt(mentions: int) -> Corpus:
    """Gold with the labels of the first few sentences that have mentions taken away."""
    found = []
    left = mentions
    for tokens, own in GOLD:
        hit = left > 0 and any(label != "O" for label in own)
        left -= hit
        found.append((tokens, ["O"] * len(own) if hit else own))
    return found


OLD = evaluated(GOLD)


@pytest.mark.parametrize(
    ("output", "max_drop", "failed"),
    [
        # no drop, a gain
        (GOLD, 0.0, False),
        # too small to be told from chance, though larger than allowed
        (spoilt(1), 0.0, False),
        # large and significant
        (spoilt(15), 0.0, True),
        (spoilt(15), 1.0, True),
        # significant, but allowed
        (spoilt(15), 50.0, False),
    ],
)
def test_the_gate_fails_on_a_large_and_significant_drop(
    output: Corpus, max_drop: float, failed: bool
) -> None:
    (verdict,) = gate(evaluated(output), OLD, max_drop=max_drop, samples=300)
    assert verdict.failed is failed
    assert verdict.drop == pytest.approx(100 * (verdict.old - verdict.new))
    assert str(verdict).startswith("FAIL: d, s, all, f1: " if failed else "ok: d, s, all, f1: ")


def test_a_gain_never_fails() -> None:
    (verdict,) = gate(OLD, evaluated(spoilt(15)), samples=300)
    assert (verdict.failed, verdict.new, verdict.drop < -1) == (False, 1.0, True)


@pytest.mark.parametrize(
    ("cell", "metric", "match"),
    [
        # lower is better
        ("hard", "ter", None),
        ("hard", "ter", "bilou"),
        # other cells, metrics and matches
        ("tmr=unseen-any", "recall", None),
        ("eLen=XS", "recall", "exact"),
        ("all", "recall", "overlap"),
        ("all", "accuracy", "label"),
    ],
)
def test_any_cell_may_be_gated(cell: str, metric: str, match: str | None) -> None:
    new = evaluated(spoilt(60))
    (verdict,) = gate(new, OLD, facets=[cell], metric=metric, match=match, samples=300)
    assert (verdict.cell, verdict.metric, verdict.failed) == (cell, metric, True)
    assert verdict.drop > 1
    (back,) = gate(OLD, new, facets=[cell], metric=metric, match=match, samples=300)
    assert not back.failed
    assert back.drop == pytest.approx(-verdict.drop)


def test_a_score_over_levels_may_be_gated_and_undefined_is_no_failure() -> None:
    (verdict,) = gate(
        evaluated(spoilt(60)), OLD, facets=["hard=score"], metric="hardeval", samples=100
    )
    assert (verdict.cell, verdict.failed) == ("hard=score", False)
    assert "undefined against undefined" in str(verdict)


def test_several_cells_are_judged_each() -> None:
    found = gate(evaluated(spoilt(15)), OLD, facets=["all", "eLen=XS", "eLen=XL"], samples=200)
    assert [verdict.cell for verdict in found] == ["all", "eLen=XS", "eLen=XL"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"facets": ["tnr"]}, "did you mean 'tmr'"),
        ({"facets": ["tmr=sen"], "metric": "recall"}, "did you mean 'seen'"),
        ({"facets": ["tmr=seen"]}, "there is no metric 'f1' of tmr"),
        ({"facets": ["hard"], "metric": "ter", "match": "exact"}, "hard is not measured by it"),
        ({"match": "overlp"}, "did you mean 'overlap'"),
        ({"metric": "f3"}, "there is no metric 'f3' of all"),
        ({"system": "nobody"}, "it is not in the results for d"),
        ({"samples": 0}, "samples"),
        ({"resample": "word"}, "there is no 'word' to resample"),
    ],
)
def test_what_is_not_there_cannot_be_gated(options: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        gate(OLD, OLD, **{"samples": 100, **options})


def test_a_single_system_is_compared_whatever_its_name() -> None:
    (verdict,) = gate(evaluated(GOLD, "new"), evaluated(GOLD, "old"), samples=100)
    assert verdict.system == "new"


def test_several_systems_are_compared_by_name() -> None:
    both = nerscope.evaluate(GOLD, {"a": GOLD, "b": spoilt(15)}, train=TRAIN, dataset="d")
    other = nerscope.evaluate(GOLD, {"b": GOLD, "c": GOLD, "a": GOLD}, train=TRAIN, dataset="d")
    assert [(one.system, one.failed, one.rule) for one in gate(both, other, samples=200)] == [
        ("a", False, "max_drop 0"),
        ("b", True, "max_drop 0"),
        ("c", True, "the system is gone"),
    ]
    assert [verdict.system for verdict in gate(both, other, system="b", samples=200)] == ["b"]
    with pytest.raises(UsageError, match="no name in common"):
        gate(
            both,
            nerscope.evaluate(GOLD, {"x": GOLD, "y": GOLD}, train=TRAIN, dataset="d"),
            samples=100,
        )


def boundaries_moved() -> Corpus:
    """The same number of mentions of the same types in every sentence, but longer where there is
    room.
    """
    moved = []
    for tokens, own in GOLD:
        labels = list(own)
        for place, label in enumerate(own[:-1]):
            if label != "O" and own[place + 1] == "O":
                labels[place + 1] = f"I-{label[2:]}"
        moved.append((tokens, labels))
    return moved


@pytest.mark.parametrize(
    "gold",
    [
        GOLD[:-1],
        [*GOLD[:-1], corpus("something/B-PER else")[0]],
        boundaries_moved(),
    ],
    ids=["fewer sentences", "other mentions", "other boundaries"],
)
def test_different_gold_data_is_refused(gold: Corpus) -> None:
    assert gold != GOLD
    with pytest.raises(InputError, match="different gold data"):
        gate(evaluated(gold, gold=gold), OLD, samples=100)


@pytest.mark.parametrize(
    ("options", "condition"),
    [
        ({"repair": "strict"}, "repair"),
        ({"token_match": "io"}, "ter"),
        ({"buckets": 3}, "buckets"),
        ({"zero_division": 0}, "zero_division"),
    ],
)
def test_different_conditions_are_refused(options: dict[str, Any], condition: str) -> None:
    with pytest.raises(InputError, match=f"the results have {condition} .*, the baseline"):
        gate(OLD, evaluated(GOLD, **options), samples=100)


def test_documents_may_be_resampled(tmp_path: Path) -> None:
    path = write(tmp_path / "d.txt", GOLD, documents=range(0, 100, 10))
    old = nerscope.evaluate(path, {"s": path})
    assert gate(old, old, samples=100, resample="document")[0].failed is False
    with pytest.raises(InputError, match="no document boundaries"):
        gate(OLD, OLD, samples=100, resample="document")


def test_different_facets_are_refused() -> None:
    with pytest.raises(InputError, match="different facets"):
        gate(evaluated(GOLD, facets=["eLen"]), OLD, samples=100)


def test_different_matches_are_refused() -> None:
    with pytest.raises(InputError):
        gate(OLD, evaluated(GOLD, matches=["exact"]), match="left", samples=100)


def test_different_training_data_is_refused() -> None:
    with pytest.raises(InputError):
        gate(
            OLD,
            evaluated(GOLD, train=drawn(60, seed=77)),
            facets=["tmr=seen"],
            metric="recall",
            samples=100,
        )


def test_a_system_that_predicts_nothing_does_not_pass() -> None:
    (verdict,) = gate(
        evaluated([["O"] * len(tokens) for tokens, _ in GOLD]), OLD, metric="precision", samples=100
    )
    assert verdict.failed


@pytest.mark.parametrize(
    "baseline",
    [evaluated(GOLD, dataset="another"), Results([])],
    ids=["another dataset", "no evidence"],
)
def test_a_baseline_without_the_dataset_is_refused(baseline: Results) -> None:
    with pytest.raises(InputError, match="none of the datasets"):
        gate(OLD, baseline)


def test_several_runs_are_compared_as_one_system() -> None:
    runs = [noisy(GOLD, 0.1, seed) for seed in (1, 2, 3)]
    (verdict,) = gate(evaluated(runs), evaluated(runs[0]), samples=100)
    assert verdict.new == pytest.approx(evaluated(runs).value(metric="f1"))
    assert verdict.old == pytest.approx(evaluated(runs[0]).value(metric="f1"))


def test_the_assertion_speaks_for_the_gate(tmp_path: Path) -> None:
    new = evaluated(spoilt(15))
    OLD.save(tmp_path / "old.json")
    new.save(tmp_path / "new.json")
    assert_no_drop(OLD, tmp_path / "new.json", samples=200)
    assert_no_drop(str(tmp_path / "new.json"), tmp_path / "old.json", max_drop=50, samples=200)
    with pytest.raises(AssertionError, match=r"FAIL: d, s, all, f1: .* against 100.00, drop"):
        assert_no_drop(tmp_path / "new.json", OLD, samples=200)


# Several conditions

WORSE = evaluated(spoilt(15))
(WHOLE,) = gate(WORSE, OLD, samples=300)


@pytest.mark.parametrize(
    ("condition", "verdict", "rule"),
    [
        # a floor looks at the value alone
        ({"floor": 100 * WHOLE.new}, "ok", "floor"),
        ({"floor": 100 * WHOLE.new + 0.01}, "fail", "floor"),
        ({"floor": 0}, "ok", "floor"),
        # a drop
        ({"max_drop": WHOLE.drop - 0.01}, "fail", "max_drop"),
        ({"max_drop": WHOLE.drop}, "ok", "max_drop"),
        # a margin: below, within, and above the interval
        ({"margin": -WHOLE.high - 0.01}, "fail", "margin"),
        ({"margin": -WHOLE.high + 0.01}, "undecided", "margin"),
        ({"margin": WHOLE.drop}, "undecided", "margin"),
        ({"margin": -WHOLE.low - 0.01}, "undecided", "margin"),
        ({"margin": -WHOLE.low}, "undecided", "margin"),
        ({"margin": -WHOLE.low + 0.01}, "ok", "margin"),
        # the first that fails decides, then what is undecided
        ({"floor": 0, "max_drop": 0, "margin": 90}, "fail", "max_drop"),
        ({"floor": 100, "margin": WHOLE.drop}, "fail", "floor"),
        ({"floor": 0, "margin": WHOLE.drop}, "undecided", "margin"),
        ({"floor": 0, "max_drop": 50, "margin": 90}, "ok", "floor 0, max_drop 50, margin 90"),
        # how sure a verdict must be
        ({"margin": -WHOLE.low + 0.01, "alpha": 0.02}, "undecided", "margin"),
    ],
)
def test_the_rules_of_a_condition(condition: dict[str, Any], verdict: str, rule: str) -> None:
    (found,) = gate(WORSE, OLD, [condition], samples=300)
    assert (found.verdict, found.rule.startswith(rule)) == (verdict, True)
    assert found.failed is (verdict != "ok")
    (lenient,) = gate(WORSE, OLD, [Condition(**condition)], samples=300, undecided="pass")
    assert (lenient.verdict, lenient.failed) == (verdict, verdict == "fail")


def test_a_verdict_holds_all_that_decided() -> None:
    assert WHOLE.n == OLD.select(metric="f1", facet="all", match="exact", type=None)[0]["n"]
    assert WHOLE.low < -WHOLE.drop < WHOLE.high < 0
    assert (WHOLE.match, WHOLE.type, WHOLE.alpha, WHOLE.p < 0.05) == ("exact", None, 0.05, True)


def test_an_interval_is_as_wide_as_alpha_says() -> None:
    found = [gate(WORSE, OLD, samples=1000, alpha=alpha)[0] for alpha in (0.2, 0.05, 0.01)]
    assert [one.low for one in found] == sorted((one.low for one in found), reverse=True)
    assert [one.high for one in found] == sorted(one.high for one in found)


def test_where_lower_is_better_a_negative_difference_is_still_the_worse() -> None:
    worse = evaluated(spoilt(60))
    (found,) = gate(worse, OLD, facets=["hard"], metric="ter", samples=200)
    assert found.low <= -found.drop <= found.high < 0
    points = 100 * found.new
    rules = [{"facet": "hard", "metric": "ter", "floor": points + by} for by in (0.1, -0.1)]
    assert [one.verdict for one in gate(worse, conditions=rules)] == ["ok", "fail"]


def test_types_and_subsets_are_judged() -> None:
    options: dict[str, Any] = {"facets": ["all", "tmr", "eLen=XS & type=PER", "tmr & type=PER"]}
    new, old = evaluated(spoilt(60), **options), evaluated(GOLD, **options)
    rules: list[dict[str, Any]] = [
        {"type": "PER"},
        {"facet": "eLen=XS & type=PER"},
        {"facet": "eLen=XS & type=PER=out"},
        {"facet": "tmr & type=PER", "level": "unseen-any", "metric": "recall"},
        {"facet": "tmr & type=PER=unseen-any", "metric": "recall"},
    ]
    found = gate(new, old, [{**rule, "max_drop": 0} for rule in rules], samples=200)
    assert found[0].new == pytest.approx(new.value(metric="f1", type="PER"))
    levels = [("eLen=XS & type=PER", "in"), ("eLen=XS & type=PER", "out")]
    for verdict, (facet, level) in zip(found[1:], levels, strict=False):
        assert verdict.new == new.value(metric="f1", facet=facet, level=level)
    assert (found[3].new, found[3].n) == (found[4].new, found[4].n)
    floors = gate(new, conditions=[{**rule, "floor": 0} for rule in rules])
    assert [one.new for one in floors] == pytest.approx([one.new for one in found])


def two(dataset: str, *systems: str) -> Results:
    return nerscope.evaluate(GOLD, dict.fromkeys(systems, GOLD), train=TRAIN, dataset=dataset)


def both(*parts: Results) -> Results:
    return Results([evidence for part in parts for evidence in part.evidence])


@pytest.mark.parametrize(
    ("condition", "found"),
    [
        ({}, [("d", "a", "max"), ("d", "b", "the system is"), ("e", "a", "the dataset is")]),
        ({"system": "b"}, [("d", "b", "the system is")]),
        ({"dataset": "e"}, [("e", "a", "the dataset is")]),
        ({"dataset": "d", "system": "a"}, [("d", "a", "max")]),
    ],
)
def test_what_is_gone_fails(condition: dict[str, Any], found: list[tuple[str, str, str]]) -> None:
    old = both(two("d", "a", "b"), two("e", "a"))
    verdicts = gate(two("d", "a"), old, [{**condition, "max_drop": 0}], samples=100)
    said = [
        (one.dataset, one.system, one.rule[: len(found[at][2])]) for at, one in enumerate(verdicts)
    ]
    assert said == found
    assert [one.failed for one in verdicts] == ["gone" in one.rule for one in verdicts]
    floors = gate(two("d", "a"), old, [{**condition, "floor": 0}])
    assert [one.failed for one in floors] == [one.failed for one in verdicts]
    assert str(floors[-1]).endswith("is gone") is floors[-1].failed


def test_what_is_new_has_nothing_to_be_held_against() -> None:
    new = both(two("d", "a", "b"), two("e", "a"))
    found = gate(new, two("d", "a"), [{"max_drop": 0}, {"floor": 50, "margin": 1}], samples=100)
    assert [(one.system, one.verdict, one.rule) for one in found] == [
        ("a", "ok", "max_drop 0"),
        ("b", "ok", "not in the baseline"),
        ("a", "ok", "not in the baseline"),
        ("a", "ok", "floor 50, margin 1"),
        ("b", "ok", "floor 50"),
        ("a", "ok", "floor 50"),
    ]
    for named, rule in [({"dataset": "e"}, "baseline"), ({"system": "b"}, "for d of the baseline")]:
        with pytest.raises(UsageError, match=f"it is not in the .*{rule}"):
            gate(new, two("d", "a"), [{**named, "max_drop": 0}], samples=100)


def test_what_is_undefined_never_passes_a_floor_or_a_margin() -> None:
    silent = evaluated([["O"] * len(tokens) for tokens, _ in GOLD])
    rules = [{"metric": "precision", rule: 0} for rule in ("floor", "max_drop", "margin")]
    alone = gate(silent, silent, rules, samples=100)
    assert [one.verdict for one in alone] == ["fail", "ok", "undecided"]
    lost = gate(silent, OLD, rules, samples=100, undecided="pass")
    assert [(one.verdict, one.rule) for one in lost] == [
        ("fail", "floor 0"),
        ("fail", "no longer defined"),
        ("fail", "no longer defined"),
    ]


@pytest.mark.parametrize(
    ("conditions", "options", "message"),
    [
        ([], {}, "conditions: there is none"),
        ([{}], {}, "condition 1: it demands nothing"),
        ([{"floor": 1}, {"flor": 1}], {}, "condition 2: unknown key 'flor'.*'floor'"),
        ([{"floor": None, "margin": "x"}], {}, "condition 1, margin: 'x' cannot be"),
        ([Condition(facet="tnr", floor=1)], {}, "condition 1, facet 'tnr'.*'tmr'"),
        ([{"floor": 1}], {"metric": "f1"}, "metric: it has no place beside conditions"),
        ([{"floor": 1}], {"facets": ["all"]}, "facet: it has no place beside conditions"),
        ([{"floor": 1}], {"undecided": "fails"}, "did you mean 'fail'"),
        ([{"margin": 1}], {"samples": 99}, "99 is too few to decide at alpha 0.05"),
        ([{"margin": 1, "alpha": 0.001}], {"samples": 4999}, "give at least 5000"),
    ],
)
def test_conditions_that_cannot_be(conditions: Any, options: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        gate(OLD, OLD, conditions, **options)


def test_a_condition_that_compares_needs_a_baseline() -> None:
    with pytest.raises(UsageError, match="condition 2: it asks how far a number drops"):
        gate(OLD, conditions=[{"floor": 1}, {"margin": 1}])


def test_few_samples_are_enough_where_nothing_is_resampled() -> None:
    assert gate(OLD, conditions=[{"floor": 50}], samples=1)[0].verdict == "ok"


def test_the_assertion_speaks_for_conditions(tmp_path: Path) -> None:
    OLD.save(tmp_path / "old.json")
    (tmp_path / "gate.toml").write_text("[[condition]]\nfloor = 101\n")
    assert_gate(tmp_path / "old.json", conditions=[{"floor": 99}])
    assert_gate(OLD, tmp_path / "old.json", conditions=[{"max_drop": 0}], samples=100)
    with pytest.raises(AssertionError, match=r"FAIL: d, s, all, f1: 100.00, n = \d+; rule: floor"):
        assert_gate(OLD, conditions=tmp_path / "gate.toml")
    close = [{"margin": WHOLE.drop}]
    with pytest.raises(AssertionError, match="UNDECIDED: d, s, all, f1"):
        assert_gate(WORSE, OLD, conditions=close, samples=200)
    assert_gate(WORSE, OLD, conditions=close, samples=200, undecided="pass")
