"""Gates that are looked at again: a reference, always-valid bounds, floors by interval."""

import re
from typing import Any

import pytest
from tests.results.test_gate import GOLD, evaluated, spoilt
from tests.scoring.toys import noisy

import nerscope
from nerscope.errors import InputError, UsageError
from nerscope.results.gate import gate
from nerscope.results.intervals import with_intervals
from nerscope.results.results import Results
from nerscope.results.verdict import Verdict
from nerscope.stats.always_valid import e_value, information, standard_errors
from nerscope.stats.ranks import normal_quantile
from nerscope.testing import assert_no_drop

FIRST, LAST, NEXT = evaluated(GOLD), evaluated(spoilt(14)), evaluated(spoilt(15))


def test_small_drops_that_add_up_fail_against_the_reference() -> None:
    to_last, to_first = gate(NEXT, LAST, reference=FIRST, max_drop=5)
    assert (to_last.against, to_last.verdict) == ("baseline", "ok")
    assert (to_first.against, to_first.verdict, to_first.rule) == (
        "reference",
        "fail",
        "max_drop 5",
    )
    assert to_first.old == gate(NEXT, FIRST, max_drop=5)[0].old
    assert to_first.name == f"{to_last.name}, against the reference"
    assert "against the reference: " in str(to_first) and "reference" not in str(to_last)


def test_the_drop_in_total_may_be_another_one() -> None:
    to_last, to_first = gate(NEXT, LAST, reference=FIRST, max_drop=5, max_total_drop=50)
    assert [to_last.rule, to_first.rule] == ["max_drop 5", "max_total_drop 50"]
    assert [to_last.verdict, to_first.verdict] == ["ok", "ok"]
    by_default, _ = gate(NEXT, LAST, reference=FIRST, max_total_drop=50)
    assert by_default.rule == "max_drop 1"


def test_a_reference_needs_no_baseline_and_a_floor_is_held_once() -> None:
    (verdict,) = gate(NEXT, reference=FIRST, max_drop=50)
    assert (verdict.against, verdict.verdict) == ("reference", "ok")
    (total,) = gate(NEXT, reference=FIRST, max_total_drop=0)
    assert (total.against, total.verdict) == ("reference", "fail")
    floor, drop = gate(NEXT, reference=FIRST, conditions=[{"floor": 10, "max_drop": 50}])
    assert (floor.against, floor.rule, drop.against) == (
        None,
        "floor 10 (point estimate)",
        "reference",
    )
    (alone,) = gate(NEXT, LAST, reference=FIRST, floor=10)
    assert alone.rule == "floor 10 (point estimate)"
    with pytest.raises(AssertionError, match="against the reference"):
        assert_no_drop(NEXT, LAST, reference=FIRST, max_drop=5)


def test_a_system_that_the_reference_lacks_passes_against_it() -> None:
    new = nerscope.evaluate(GOLD, {"s": GOLD, "t": GOLD}, dataset="d")
    old = nerscope.evaluate(GOLD, {"s": GOLD, "r": GOLD}, dataset="d")
    found = gate(new, new, reference=old, conditions=[{"max_drop": 1}])
    assert [(one.against, one.system, one.rule) for one in found] == [
        ("baseline", "s", "max_drop 1"),
        ("baseline", "t", "max_drop 1"),
        ("reference", "s", "max_drop 1"),
        ("reference", "t", "not in the reference"),
        ("reference", "r", "the system is gone"),
    ]


def always(new: Results, old: Results, **options: Any) -> Verdict:
    (verdict,) = gate(new, old, always_valid=True, **options)
    return verdict


def test_always_valid_bounds_are_those_of_the_mixture() -> None:
    for output in (spoilt(1), spoilt(15)):
        for options in ({}, {"tuned_to": 1000}, {"alpha": 0.01}):
            (plain,) = gate(evaluated(output), FIRST, max_drop=5, alpha=0.05)
            valid = always(evaluated(output), FIRST, max_drop=5, **options)
            known = information(100, options.get("tuned_to", 200), options.get("alpha", 0.05))
            error = (plain.high - plain.low) / 2 / normal_quantile(0.95)
            reach = standard_errors(options.get("alpha", 0.05), known) * error
            assert (valid.low, valid.high) == pytest.approx(
                (-valid.drop - reach, -valid.drop + reach)
            )
            assert valid.e_value == pytest.approx(e_value((5 - valid.drop) / error, known))
            assert valid.p == pytest.approx(min(1, 1 / valid.e_value))
            assert valid.high - valid.low > plain.high - plain.low


def test_the_verdict_is_that_of_the_e_value() -> None:
    verdicts = set()
    for lost in (0, 1, 3, 8, 15, 40):
        for max_drop in (0, 2, 5, 10, 20, 60):
            verdict = always(evaluated(spoilt(lost)), FIRST, max_drop=max_drop)
            verdicts.add(verdict.verdict)
            if lost:
                assert (verdict.verdict == "ok") == (verdict.e_value > 20) == (verdict.p < 0.05)
                assert (verdict.verdict == "fail") == (verdict.high < -max_drop)
    assert verdicts == {"ok", "fail", "undecided"}
    text = str(always(evaluated(spoilt(15)), FIRST, max_drop=5))
    assert re.search(r"\(one-sided 95 % bounds \S+ to \S+, always valid, e = ", text)
    assert "always valid" not in str(gate(evaluated(spoilt(15)), FIRST, max_drop=5)[0])


def test_a_floor_may_be_held_against_the_bound() -> None:
    new = evaluated(noisy(GOLD, 0.1, 1))
    by_value = gate(new, floor=50)[0]
    value = 100 * by_value.new
    for floor, verdict in (
        (1, "ok"),
        (value - 0.1, "undecided"),
        (value + 0.1, "undecided"),
        (99.9, "fail"),
    ):
        (found,) = gate(new, floor=floor, floor_rule="interval")
        assert (found.verdict, found.rule) == (verdict, f"floor {floor:g} (lower 95 % bound)")
        assert found.new_low < found.new < found.new_high
    (row,) = with_intervals(new, True).select(
        facet="all", type=None, match="exact", metric="f1", run=None
    )
    assert (row.low or 1) < found.new_low  # 95 % on each side are 90 % together
    (wide,) = gate(new, floor=50, floor_rule="interval", always_valid=True)
    assert wide.new_low < found.new_low < found.new_high < wide.new_high
    (strict,) = gate(new, floor=50, floor_rule="interval", alpha=0.01)
    assert strict.new_low < found.new_low


def test_a_floor_by_interval_is_turned_round_where_low_is_good() -> None:
    new = evaluated(noisy(GOLD, 0.1, 1))
    options: dict[str, Any] = {"facets": ["hard"], "metric": "ter", "floor_rule": "interval"}
    (found,) = gate(new, floor=99, **options)
    assert (found.verdict, found.rule) == ("ok", "floor 99 (upper 95 % bound)")
    assert gate(new, floor=100 * found.new, **options)[0].verdict == "undecided"
    assert gate(new, floor=0, **options)[0].verdict == "fail"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"max_total_drop": 1}, "max_total_drop: max_total_drop needs a reference"),
        ({"floor": 1, "floor_rule": "bound"}, 'floor_rule: .*give "value" or "interval"'),
        (
            {"conditions": [{"floor": 1, "always_valid": "yes"}]},
            "condition 1, always_valid: invalid value 'yes'",
        ),
        (
            {"conditions": [{"floor": 1, "always_valid": 1}]},
            "condition 1, always_valid: invalid value 1",
        ),
        ({"tuned_to": 0}, "tuned_to: invalid value 0"),
        ({"max_total_drop": -1}, "max_total_drop: invalid value -1"),
    ],
)
def test_what_cannot_be_is_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        gate(FIRST, FIRST, **options)


def test_a_reference_on_other_datasets_is_refused() -> None:
    other = evaluated(GOLD, dataset="e")
    with pytest.raises(InputError, match=r"reference: it has none of the datasets of the results"):
        gate(FIRST, FIRST, reference=other)
