"""The gate: it fails only on a drop that is larger than allowed and not by chance."""

from pathlib import Path
from typing import Any

import pytest
from tests.scoring.toys import Corpus, corpus, drawn, noisy, write

import nerscope
from nerscope.errors import InputError, UsageError
from nerscope.results.gate import gate
from nerscope.results.results import Results
from nerscope.testing import assert_no_drop

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
        evaluated(spoilt(60)), OLD, facets=["hard=score"], metric="hardeval", samples=50
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
        gate(OLD, OLD, **{"samples": 10, **options})


def test_a_single_system_is_compared_whatever_its_name() -> None:
    (verdict,) = gate(evaluated(GOLD, "new"), evaluated(GOLD, "old"), samples=50)
    assert verdict.system == "new"


def test_several_systems_are_compared_by_name() -> None:
    both = nerscope.evaluate(GOLD, {"a": GOLD, "b": spoilt(15)}, train=TRAIN, dataset="d")
    other = nerscope.evaluate(GOLD, {"b": GOLD, "c": GOLD, "a": GOLD}, train=TRAIN, dataset="d")
    assert [(verdict.system, verdict.failed) for verdict in gate(both, other, samples=200)] == [
        ("a", False),
        ("b", True),
    ]
    assert [verdict.system for verdict in gate(both, other, system="b", samples=200)] == ["b"]
    with pytest.raises(UsageError, match="no name in common"):
        gate(
            both,
            nerscope.evaluate(GOLD, {"x": GOLD, "y": GOLD}, train=TRAIN, dataset="d"),
            samples=10,
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
        gate(evaluated(gold, gold=gold), OLD, samples=10)


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
        gate(OLD, evaluated(GOLD, **options), samples=10)


def test_documents_may_be_resampled(tmp_path: Path) -> None:
    path = write(tmp_path / "d.txt", GOLD, documents=range(0, 100, 10))
    old = nerscope.evaluate(path, {"s": path})
    assert gate(old, old, samples=50, resample="document")[0].failed is False
    with pytest.raises(InputError, match="no document boundaries"):
        gate(OLD, OLD, samples=50, resample="document")


def test_different_facets_are_refused() -> None:
    with pytest.raises(InputError, match="different facets"):
        gate(evaluated(GOLD, facets=["eLen"]), OLD, samples=10)


def test_different_matches_are_refused() -> None:
    with pytest.raises(InputError):
        gate(OLD, evaluated(GOLD, matches=["exact"]), match="left", samples=10)


def test_different_training_data_is_refused() -> None:
    with pytest.raises(InputError):
        gate(
            OLD,
            evaluated(GOLD, train=drawn(60, seed=77)),
            facets=["tmr=seen"],
            metric="recall",
            samples=10,
        )


def test_a_system_that_predicts_nothing_does_not_pass() -> None:
    (verdict,) = gate(
        evaluated([["O"] * len(tokens) for tokens, _ in GOLD]), OLD, metric="precision", samples=50
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
