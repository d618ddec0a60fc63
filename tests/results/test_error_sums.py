"""Sums of errors against mentions that are counted one by one, and what errors cost."""

from collections import Counter, defaultdict
from collections.abc import Sequence
from typing import Any

import pytest
from tests.render.page_cases import CASES, case, changed, naive_sums, nested, several_runs
from tests.scoring.toys import corpus, drawn, noisy

import nerscope
from nerscope.results.error_costs import forgiven_rows, gain_rows
from nerscope.results.error_sums import (
    error_kinds,
    error_sums,
    paired_mentions,
    wrong_for_all,
)
from nerscope.results.errors import is_error, mention_records
from nerscope.results.results import Results
from nerscope.scoring.outcomes import KIND_WORDS, OUTCOMES, SUMMARY_KINDS


def sums_of(results: Results) -> Counter[Any]:
    counted: Counter[Any] = Counter()
    for evidence in results.evidence:
        types = [*evidence.types, None]
        for run, gold, predicted, outcome, n in error_sums(evidence).rows():
            names = (types[gold], types[predicted], OUTCOMES[outcome])
            counted[(evidence.dataset, *evidence.runs[run], *names)] += n
    return counted


@pytest.mark.parametrize("name", CASES)
def test_sums_are_those_of_single_mentions(name: str) -> None:
    results = case(name)
    assert sums_of(results) == naive_sums(results)


@pytest.mark.parametrize("seed", range(20))
def test_sums_of_random_data_are_those_of_single_mentions(seed: int) -> None:
    gold = nested(15, seed) if seed % 2 else None
    if gold is not None:
        results = nerscope.evaluate(gold, {"x": changed(gold, seed + 1)}, facets=[])
    else:
        flat = drawn(15, seed)
        results = nerscope.evaluate(flat, {"x": noisy(flat, 0.3, seed + 1)}, facets=[])
    assert sums_of(results) == naive_sums(results)


@pytest.mark.parametrize("name", CASES)
def test_kinds_are_the_errors_of_the_list(name: str) -> None:
    results = case(name)
    for row in error_kinds(results):
        listed = Counter(
            mention.outcome
            for mention in mention_records(results, row.system)
            if is_error(mention) and mention.dataset == row.dataset
        )
        assert row.errors == pytest.approx(sum(listed.values()) / row.runs)
        for kind, parts in SUMMARY_KINDS.items():
            assert row.kinds[kind] == pytest.approx(sum(listed[part] for part in parts) / row.runs)


def test_every_summary_kind_has_words() -> None:
    assert list(KIND_WORDS) == list(SUMMARY_KINDS)


def test_a_run_without_predictions_has_missed_all() -> None:
    results = nerscope.evaluate(corpus("Ada/B-PER met"), {"x": corpus("Ada met")})
    assert sums_of(results) == {("gold", "x", "1", "PER", None, "missed"): 1}


def test_sums_that_were_made_when_folding_are_the_same() -> None:
    kept, folded = case("several runs"), several_runs(fold=True)
    assert sums_of(folded) == sums_of(kept)
    assert error_kinds(folded) == error_kinds(kept)
    assert folded.confusion() == kept.confusion()
    saved = Results.from_json(folded.to_json())
    assert sums_of(saved) == sums_of(kept)


@pytest.mark.parametrize("name", ["several runs", "nested", "answers"])
def test_wrong_for_all_counts_gold_mentions_that_no_system_gets_right(name: str) -> None:
    [evidence] = case(name).evidence
    right: dict[int, dict[str, list[bool]]] = defaultdict(lambda: defaultdict(list))
    seen: Counter[tuple[str, str]] = Counter()
    for row in mention_records(case(name)):
        if row.side == "gold":
            number = seen[row.system, row.run]
            right[number][row.system].append(row.outcome == "correct")
            seen[row.system, row.run] += 1
    expected = sum(
        all(2 * sum(runs) <= len(runs) for runs in by_system.values())
        for by_system in right.values()
    )
    assert wrong_for_all(paired_mentions(evidence)) == expected


# Gains: every error of a kind is replaced by its gold mention, in the lists of mentions.


def f1_after(rows: Sequence[Any], kinds: Sequence[str]) -> float | None:
    """F1 of a run after all errors of these kinds are solved, from its single mentions."""
    golds = [row for row in rows if row.side == "gold"]
    right = sum(row.outcome == "correct" for row in golds)
    predicted = sum(row.side == "pred" for row in rows)
    for row in rows:
        if row.outcome in kinds and is_error(row):
            if row.side == "pred":
                predicted -= 1  # it vanishes
            else:
                right += 1
                predicted += row.other_start is None  # without a counterpart, one is added
    return 2 * right / (len(golds) + predicted) if golds or predicted else None


@pytest.mark.parametrize("name", CASES)
def test_gains_are_those_of_solving_each_error(name: str) -> None:
    results = case(name)
    rows = list(mention_records(results))
    for evidence in results.evidence:
        for gain in gain_rows(evidence, error_sums(evidence)):
            differences = []
            for system, run in evidence.runs:
                own = [
                    r for r in rows if (r.dataset, r.system, r.run) == (gain.dataset, system, run)
                ]
                before, after = (f1_after(own, kinds) for kinds in ((), SUMMARY_KINDS[gain.kind]))
                if system == gain.system and before is not None and after is not None:
                    differences.append(after - before)
            assert gain.gain == pytest.approx(sum(differences) / len(differences))


def test_f1_before_gains_is_the_score() -> None:
    results = case("several runs")
    rows = list(mention_records(results))
    for evidence in results.evidence:
        for system, run in evidence.runs:
            own = [row for row in rows if (row.system, row.run) == (system, run)]
            score = results.value(system=system, run=run, metric="f1")
            assert f1_after(own, ()) == pytest.approx(score)


def test_solving_everything_gives_all_points() -> None:
    gold = corpus("Ada/B-PER met Bob/B-PER Lee/I-PER", "Oslo/B-LOC is here")
    output = corpus("Ada/B-PER met Bob/B-PER Lee", "Oslo/B-LOC is here")
    results = nerscope.evaluate(gold, {"x": output})
    [evidence] = results.evidence
    gains = {row.kind: row for row in gain_rows(evidence, error_sums(evidence))}
    boundary = gains["wrong boundary"]
    assert boundary.errors == 1
    assert boundary.gain == pytest.approx(1 / 3)
    assert (gains["missed"].errors, gains["missed"].gain) == (0, 0)


# Forgiven boundaries: equal mentions are paired first, then as many overlapping ones as possible.


def most_pairs(golds: Sequence[Any], preds: Sequence[Any]) -> int:
    """The largest number of overlapping pairs of one type, by augmenting paths."""
    partner: dict[int, int] = {}

    def augment(at: int, tried: set[int]) -> bool:
        for other, pred in enumerate(preds):
            gold = golds[at]
            meets = gold.type == pred.type and gold.start < pred.end and pred.start < gold.end
            if meets and other not in tried:
                tried.add(other)
                if other not in partner or augment(partner[other], tried):
                    partner[other] = at
                    return True
        return False

    return sum(augment(at, set()) for at in range(len(golds)))


def forgiven(results: Results, system: str, run: str) -> float:
    rows = [row for row in mention_records(results, system) if row.run == run]
    sentences: dict[str, tuple[list[Any], list[Any]]] = defaultdict(lambda: ([], []))
    hits = 0
    for row in rows:
        if row.outcome == "correct":
            hits += row.side == "gold"
        else:
            sentences[row.place][row.side == "pred"].append(row)
    hits += sum(most_pairs(*sides) for sides in sentences.values())
    return 2 * hits / len(rows)


@pytest.mark.parametrize("matches", [["exact", "overlap"], ["exact"], ["left"]])
@pytest.mark.parametrize("seed", range(3))
def test_forgiven_f1_pairs_overlapping_mentions_of_one_type(matches: list[str], seed: int) -> None:
    gold = nested(40, seed)
    outputs = {"x": [changed(gold, 2), changed(gold, 3)]}
    results = nerscope.evaluate(gold, outputs, matches=matches, facets=[])
    [evidence] = results.evidence
    [row] = forgiven_rows(evidence, paired_mentions(evidence))
    expected = [forgiven(results, "x", run) for run in ("1", "2")]
    assert row.f1 == pytest.approx(sum(expected) / 2)


def test_sums_are_enough_for_forgiven_f1() -> None:
    kept, folded = (forgiven_of(fold) for fold in (False, True))
    assert kept == folded


def forgiven_of(fold: bool) -> list[Any]:
    gold = drawn(60, 1)
    results = nerscope.evaluate(gold, {"z": noisy(gold, 0.2, 7)}, fold=fold, dataset="toy")
    [evidence] = results.evidence
    paired = None if fold else paired_mentions(evidence)
    return [row.as_dict() for row in forgiven_rows(evidence, paired)]
