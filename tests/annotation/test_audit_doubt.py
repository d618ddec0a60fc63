"""Scores under doubt: estimates from judged sentences, and bounds without them."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from tests.annotation.audit_data import Made, make_data
from tests.annotation.test_audit import audited

import nerscope as ns
from nerscope.annotation.decisions import Decision, Span, write_decisions


def judge_all(made: Made, sample: list[Decision]) -> list[Decision]:
    """The sample as a judge who knows the truth decides."""
    return [
        replace(item, chosen=tuple(Span(*span) for span in made.truth[item.sentence]))
        for item in sample
    ]


def true_f1(made: Made) -> dict[str, float]:
    truth = made.corpus(made.truth)
    systems = {name: made.corpus(spans) for name, spans in made.systems.items()}
    results = ns.evaluate(truth, systems)
    return {name: results.value(system=name, metric="f1") or 0.0 for name in systems}


def test_with_every_sentence_judged_scores_are_exact() -> None:
    made = make_data(60, 0.1)
    result = audited(made)
    doubt = result.judge(judge_all(made, result.sample(60))).doubt
    assert doubt is not None and doubt.judged == 60
    for row in doubt.scores:
        value = true_f1(made)[row.system]
        assert row.corrected == pytest.approx(value) == pytest.approx(row.low)
        assert row.high == pytest.approx(row.low)
    wrong = sum(len(set(a) - set(b)) for a, b in zip(made.gold, made.truth, strict=True))
    assert doubt.wrong == pytest.approx((wrong / result.n_mentions,) * 3)
    assert sum(row.wrong for row in doubt.strata) == made.wrong.sum()


@pytest.mark.slow
def test_intervals_hold_the_truth() -> None:
    held = []
    for seed in range(25):
        made = make_data(400, 0.05, 0.1, seed=seed)
        result = audited(made)
        doubt = result.judge(judge_all(made, result.sample(60, seed))).doubt
        assert doubt is not None
        truth = true_f1(made)
        held += [
            float(row["low"]) <= truth[row.system] <= float(row["high"]) for row in doubt.scores
        ]
    assert np.mean(held) >= 0.9


def test_without_judgements_there_are_bounds() -> None:
    made = make_data(200, 0.05)
    doubt = audited(made).doubt
    assert doubt is not None and doubt.judged == 0 and doubt.wrong == (None, None, None)
    for row in doubt.scores:
        f1, corrected, low, high, least, most = map(
            float, (row[key] for key in ("f1", "corrected", "low", "high", "least", "most"))
        )
        assert low <= corrected <= high and least <= corrected <= most
        assert f1 < corrected  # most suspects are errors of gold
    [pair] = doubt.rankings
    assert pair.can_turn and 0 <= pair.chance <= 1


def test_a_system_far_ahead_cannot_be_overtaken() -> None:
    made = make_data(100, 0.0, 0.02)
    poor: list[list[tuple[int, int, str]]] = [[] for _ in made.words]
    systems = {"good": made.corpus(made.truth), "poor": made.corpus(poor)}
    doubt = ns.audit(made.corpus(made.gold), systems, recipe="none").doubt
    assert doubt is not None
    assert not doubt.rankings[0].can_turn and doubt.rankings[0].better == "good"


def test_the_sample_has_more_sentences_where_errors_are_likely() -> None:
    made = make_data(400, 0.05)
    result = audited(made)
    sample = result.sample(60, seed=3)
    assert len(sample) == 60 == len({item.sentence for item in sample})
    assert all(item.gold == item.chosen for item in sample)
    chosen = [item.sentence for item in sample]
    assert made.wrong[chosen].mean() > 2 * made.wrong.mean()
    assert result.sample(1000) == result.sample(400)
    assert [item.sentence for item in result.sample(400)] == list(range(400))


def test_judgements_are_read_from_files_and_stale_ones_are_refused(tmp_path: Path) -> None:
    made = make_data(60, 0.1)
    result = audited(made)
    path = tmp_path / "judged.json"
    write_decisions(path, judge_all(made, result.sample(20)))
    assert result.judge(path).doubt.judged == 20  # type: ignore[union-attr]
    [item] = result.sample(1)
    for stale in (replace(item, text="other words"), replace(item, sentence=999)):
        with pytest.raises(ns.InputError, match=r"it is stale: sentence .* has another text"):
            result.judge([stale])
    with pytest.raises(ns.InputError, match=r"it is stale: sentence .* has other mentions"):
        result.judge([replace(item, gold=(Span(0, 1, "X"),))])
    with pytest.raises(ns.UsageError, match="sample: invalid value 0"):
        result.sample(0)
