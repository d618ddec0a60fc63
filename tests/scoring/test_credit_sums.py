"""Sums of credit are those of double precision, whatever a match gives, folded or not."""

from fractions import Fraction
from random import Random
from typing import Any

import numpy as np
import pytest

import nerscope
from nerscope.results.results import Results
from nerscope.scoring.folding import _CellSums, _exact_parts, _UnitCells
from nerscope.scoring.pairing import CandidatePairs

SIZE = 400  # sentences
TOKENS = [f"t{place}" for place in range(12)]
TYPES = ("X", "Y")


def _fifths(pairs: CandidatePairs) -> Any:
    """A credit in fifths and thirds, which no binary number has."""
    return np.where(pairs.shared % 2, pairs.shared / 15, 1 / 3)


@pytest.fixture(autouse=True)
def _plug_in() -> None:
    nerscope.register_match("fifths", _fifths)


Spans = list[tuple[int, int, str]]


def spans(random: Random) -> Spans:
    starts = random.sample(range(0, 12, 4), random.randint(1, 3))
    return [(at, at + random.randint(1, 4), random.choice(TYPES)) for at in sorted(starts)]


def drawn(seed: int) -> tuple[list[Spans], list[Spans]]:
    random = Random(seed)
    return [spans(random) for _ in range(SIZE)], [spans(random) for _ in range(SIZE)]


def exact_credit(match: str, gold: tuple[int, int, str], pred: tuple[int, int, str]) -> Fraction:
    shared = min(gold[1], pred[1]) - max(gold[0], pred[0])
    if shared <= 0 or gold[2] != pred[2]:
        return Fraction(0)
    if gold == pred:
        return Fraction(1)
    sizes = gold[1] - gold[0], pred[1] - pred[0]
    return {
        "iou": Fraction(shared, sum(sizes) - shared),
        "dice": Fraction(2 * shared, sum(sizes)),
        "fifths": Fraction(shared, 15) if shared % 2 else Fraction(1, 3),
    }[match]


def evaluated(gold: list[Spans], pred: list[Spans], **options: Any) -> Results:
    sides = [[(TOKENS, own) for own in side] for side in (gold, pred)]
    return nerscope.evaluate(sides[0], {"s": sides[1]}, matches=["exact", *RULES], **options)


RULES = ("iou", "dice", "fifths")


@pytest.mark.parametrize("fold", [False, True])
@pytest.mark.parametrize("seed", range(3))
def test_scores_are_those_of_exact_fractions(seed: int, fold: bool) -> None:
    gold, pred = drawn(seed)
    results = evaluated(gold, pred, fold=fold)
    for match in RULES:
        for kind in (None, *TYPES):
            # Mentions of two groups of four tokens never meet, so each has one partner at most.
            credit = sum(
                exact_credit(match, g, p)
                for golds, preds in zip(gold, pred, strict=True)
                for g in golds
                for p in preds
                if kind in (None, g[2])
            )
            n = sum(kind in (None, g[2]) for golds in gold for g in golds)
            [row] = results.select(facet="all", match=match, metric="recall", type=kind, run="1")
            expected = float(credit / n)
            assert row.value == pytest.approx(expected, rel=1e-14, abs=0), (match, kind)


def test_the_order_of_sentences_moves_no_digit_of_folded_sums() -> None:
    gold, pred = drawn(7)
    order = Random(1).sample(range(SIZE), SIZE)
    shuffled = [[side[at] for at in order] for side in (gold, pred)]

    def values(results: Results) -> list[float | None]:
        return [row.value for row in results.rows]

    one, other = (evaluated(*sides, fold=True) for sides in ((gold, pred), shuffled))
    assert values(one) == pytest.approx(values(other), rel=1e-14, abs=0, nan_ok=True)


@pytest.mark.parametrize("cut", [1, 7, 100])
def test_folded_sums_do_not_depend_on_chunks(cut: int) -> None:
    random = np.random.default_rng(cut)
    credit = random.choice([0, 0.5, 1 / 3, 1 / 7, 0.2, 1], 1000)
    cells = random.integers(0, 5, 1000)

    def sums(size: int) -> list[float]:
        coarse_sums, rest_sums = _CellSums(), _CellSums()
        for begin in range(0, 1000, size):
            where = _UnitCells(cells[begin : begin + size], None)
            coarse, rest = _exact_parts(credit[begin : begin + size])
            coarse_sums.add(where, coarse, 5)
            if rest is not None:
                rest_sums.add(where, rest, 5)
        every = np.arange(5)
        total: list[float] = (coarse_sums.at(every) + rest_sums.at(every)).tolist()
        return total

    assert sums(cut) == sums(1000)
    exact = [sum(map(Fraction, credit[cells == cell].tolist())) for cell in range(5)]
    assert sums(cut) == pytest.approx(list(map(float, exact)), rel=1e-15)
