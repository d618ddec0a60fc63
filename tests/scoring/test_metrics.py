"""Numbers made of counts: every formula on counts written out by hand."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nerscope.corpus.arrays import Floats
from nerscope.errors import UsageError
from nerscope.scoring.metrics import LEVEL_METRICS, METRICS, error_share, f_score, hardeval

NAN = math.nan
# Counts are gold, hit_gold, pred, hit_pred.
NOTHING = (0, 0, 0, 0)


def value(
    metric: str, *types: tuple[float, float, float, float], zero_division: float | None = None
) -> float:
    return float(METRICS[metric].value(np.array(types, float), zero_division))


@pytest.mark.parametrize(
    ("metric", "counts", "wanted"),
    [
        # plain ratios
        ("precision", (4, 2, 5, 2), 2 / 5),
        ("recall", (4, 2, 5, 2), 2 / 4),
        ("f1", (4, 2, 5, 2), 4 / 9),
        ("accuracy", (10, 7, 0, 0), 0.7),
        ("ter", (10, 7, 0, 0), 0.3),
        # everything right, everything wrong
        ("f1", (3, 3, 3, 3), 1.0),
        ("precision", (3, 0, 2, 0), 0.0),
        ("f1", (3, 0, 2, 0), 0.0),
        ("ter", (3, 0, 0, 0), 1.0),
        # one side has nothing: its ratio is undefined, F1 is 0 because the other side was all wrong
        ("precision", (3, 0, 0, 0), NAN),
        ("f1", (3, 0, 0, 0), 0.0),
        ("recall", (0, 0, 2, 0), NAN),
        ("f1", (0, 0, 2, 0), 0.0),
        # nothing divided by nothing
        ("precision", NOTHING, NAN),
        ("recall", NOTHING, NAN),
        ("f1", NOTHING, NAN),
        ("f2", NOTHING, NAN),
        ("ter", NOTHING, NAN),
        ("accuracy", NOTHING, NAN),
        # partial credit: half a hit is worth a half, and the two sides may differ
        ("recall", (4, 2.5, 5, 2.5), 0.625),
        ("precision", (4, 2.5, 5, 2.5), 0.5),
        ("f1", (4, 2.5, 5, 2.5), 2 * 0.5 * 0.625 / 1.125),
        ("f1", (2, 1, 4, 3), 2 * 0.75 * 0.5 / 1.25),
        # F beta: precision 2/5, recall 2/4
        ("f0.5", (4, 2, 5, 2), 1.25 * 0.4 * 0.5 / (0.25 * 0.4 + 0.5)),
        ("f2", (4, 2, 5, 2), 5 * 0.4 * 0.5 / (4 * 0.4 + 0.5)),
    ],
)
def test_metric_of_one_type(
    metric: str, counts: tuple[float, float, float, float], wanted: float
) -> None:
    assert value(metric, counts) == pytest.approx(wanted, nan_ok=True)


A, B = (4, 2, 2, 2), (6, 6, 8, 6)  # P 1, R 1/2, F 2/3; P 3/4, R 1, F 6/7
ABSENT, INVENTED = NOTHING, (0, 0, 3, 0)


@pytest.mark.parametrize(
    ("metric", "types", "wanted"),
    [
        # micro: add up, then divide
        ("precision", (A, B), 8 / 10),
        ("recall", (A, B), 8 / 10),
        ("f1", (A, B), 0.8),
        # macro: each type counts the same
        ("macro_precision", (A, B), 0.875),
        ("macro_recall", (A, B), 0.75),
        ("macro_f1", (A, B), (2 / 3 + 6 / 7) / 2),
        # weighted: by gold units
        ("weighted_precision", (A, B), (4 * 1 + 6 * 0.75) / 10),
        ("weighted_recall", (A, B), 0.8),
        ("weighted_f1", (A, B), (4 * 2 / 3 + 6 * 6 / 7) / 10),
        # what is undefined has no share
        ("macro_f1", (A, B, ABSENT), (2 / 3 + 6 / 7) / 2),
        ("macro_recall", (A, INVENTED), 0.5),
        ("macro_precision", (A, (5, 0, 0, 0)), 1.0),
        # a type that is only predicted is all wrong
        ("macro_f1", (A, INVENTED), 1 / 3),
        ("weighted_f1", (A, INVENTED), 2 / 3),
        # nobody is defined
        ("macro_f1", (ABSENT, ABSENT), NAN),
        ("weighted_f1", (INVENTED,), NAN),
        ("macro_precision", ((5, 0, 0, 0),), NAN),
    ],
)
def test_averages_over_types(
    metric: str, types: tuple[tuple[float, float, float, float], ...], wanted: float
) -> None:
    assert value(metric, *types) == pytest.approx(wanted, nan_ok=True)


@pytest.mark.parametrize(
    ("metric", "types", "zero_division", "wanted"),
    [
        # an undefined number becomes what the user says
        ("precision", (NOTHING,), 0.0, 0.0),
        ("precision", (NOTHING,), 1.0, 1.0),
        ("f1", (NOTHING,), 1.0, 1.0),
        # a defined one never changes
        ("f1", ((3, 0, 0, 0),), 1.0, 0.0),
        ("recall", (A,), 1.0, 0.5),
        # in an average, each type is settled first
        ("macro_recall", (A, INVENTED), 0.0, 0.25),
        ("macro_recall", (A, INVENTED), 1.0, 0.75),
        ("macro_f1", (ABSENT, ABSENT), 0.0, 0.0),
    ],
)
def test_zero_division_fills_what_is_undefined(
    metric: str,
    types: tuple[tuple[float, float, float, float], ...],
    zero_division: float,
    wanted: float,
) -> None:
    assert value(metric, *types, zero_division=zero_division) == pytest.approx(wanted)


whole = st.integers(0, 50)
four = st.tuples(whole, whole, whole, whole).map(
    lambda c: (c[0], min(c[1], c[0]), c[2], min(c[3], c[2]))
)


@given(four)
def test_f1_is_the_harmonic_mean_where_both_are_defined(counts: tuple[int, int, int, int]) -> None:
    p, r = value("precision", counts), value("recall", counts)
    if p > 0 and r > 0:
        assert value("f1", counts) == pytest.approx(2 / (1 / p + 1 / r))
    elif counts[0] + counts[2]:
        assert value("f1", counts) == 0.0


@given(four, st.floats(0.1, 10))
def test_f_beta_lies_between_precision_and_recall(
    counts: tuple[int, int, int, int], beta: float
) -> None:
    p, r = value("precision", counts), value("recall", counts)
    if p > 0 and r > 0:
        score = float(f_score(np.array(counts, float), beta))
        assert min(p, r) - 1e-12 <= score <= max(p, r) + 1e-12


@given(four, st.integers(2, 9))
def test_multiplying_all_counts_changes_no_ratio(
    counts: tuple[int, int, int, int], factor: int
) -> None:
    larger = (counts[0] * factor, counts[1] * factor, counts[2] * factor, counts[3] * factor)
    for metric in METRICS:
        assert value(metric, larger) == pytest.approx(value(metric, counts), nan_ok=True)


def test_a_metric_of_many_counts_is_that_of_each() -> None:
    many = np.array([[A, B], [B, NOTHING]], float)
    found = METRICS["macro_f1"].value(many)
    assert found.tolist() == [value("macro_f1", A, B), value("macro_f1", B, NOTHING)]


def levels(**tokens: tuple[float, float]) -> dict[str, Floats]:
    """Tokens and right ones by level."""
    return {name: np.array([size, right, 0.0, 0.0]) for name, (size, right) in tokens.items()}


@pytest.mark.parametrize(
    ("unseen", "diff", "wanted", "n"),
    [
        ((10, 5), (4, 1), (0.5 + 0.75) / 2, 14),
        ((10, 10), (4, 4), 0.0, 14),
        # an empty subset leaves the score undefined
        ((0, 0), (4, 1), NAN, 4),
        ((10, 5), (0, 0), NAN, 10),
    ],
)
def test_hardeval_is_the_mean_of_two_error_rates(
    unseen: tuple[float, float], diff: tuple[float, float], wanted: float, n: float
) -> None:
    value_of, size = hardeval(levels(unseen=unseen, diff=diff))["score"]
    assert float(value_of) == pytest.approx(wanted, nan_ok=True)
    assert float(size) == n


def test_error_shares_are_of_all_errors() -> None:
    found = error_share(levels(all=(20, 12), unseen=(5, 2), diff=(4, 3), other=(11, 7)))
    assert {name: float(share) for name, (share, _) in found.items()} == {
        "all": 1.0,
        "unseen": 3 / 8,
        "diff": 1 / 8,
        "other": 4 / 8,
    }
    assert {float(total) for _, total in found.values()} == {8.0}


def test_error_shares_are_undefined_without_errors() -> None:
    assert all(
        math.isnan(float(share))
        for share, _ in error_share(levels(all=(3, 3), unseen=(1, 1))).values()
    )


def test_metrics_of_levels_are_known_by_name() -> None:
    assert {"error_share": error_share, "hardeval": hardeval} == LEVEL_METRICS


def test_an_unknown_metric_is_answered_with_the_closest() -> None:
    with pytest.raises(UsageError, match="did you mean 'precision'"):
        METRICS["precison"]
