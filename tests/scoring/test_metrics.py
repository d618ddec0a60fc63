"""Numbers made of counts: every formula on counts written out by hand."""

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import nerscope
from nerscope.corpus.arrays import Floats
from nerscope.errors import UsageError
from nerscope.scoring.metrics import (
    COUNT,
    HIGHER,
    LOWER,
    METRICS,
    NEITHER,
    Counts,
    Metric,
    filled,
    metric_named,
    ratio,
    register_metric,
)
from nerscope.scoring.metrics.token_errors import error_shares, hardeval

NAN = math.nan
# Counts are gold, hit_gold, pred, hit_pred; for metrics about pairs also correct, partial,
# incorrect, paired.
NOTHING = (0, 0, 0, 0)
PLAIN = [
    name for name in METRICS if name != "f" and not metric_named(name).needs_pairs
]  # all that four columns are enough for


def value(metric: str, *types: tuple[float, ...], zero_division: float | None = None) -> float:
    return float(metric_named(metric).value(np.array(types, float), zero_division))


def test_counts_name_their_columns() -> None:
    counts = Counts(np.arange(16.0).reshape(2, 8))
    names = ("gold", "hit_gold", "pred", "hit_pred", "correct", "partial", "incorrect", "paired")
    assert [getattr(counts, name).tolist() for name in names] == [
        [float(place), float(place + 8)] for place in range(8)
    ]


def test_nothing_over_nothing_is_undefined_unless_somebody_says_what_it_is() -> None:
    found = ratio(np.array([1.0, 0.0, 0.0]), np.array([2.0, 0.0, 4.0]))
    assert found.tolist() == pytest.approx([0.5, NAN, 0.0], nan_ok=True)
    assert filled(found, None).tolist() == pytest.approx([0.5, NAN, 0.0], nan_ok=True)
    assert filled(found, 1.0).tolist() == [0.5, 1.0, 0.0]


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
        ("f(beta=2)", (4, 2, 5, 2), 5 * 0.4 * 0.5 / (4 * 0.4 + 0.5)),
        ("f(beta=1)", (4, 2, 5, 2), 4 / 9),
        ("f", (4, 2, 5, 2), 4 / 9),
        # pairs: 9 gold, 8 predictions; 3 right, 2 in part, 1 wrong, 6 predictions paired
        ("correct", (9, 4, 8, 4, 3, 2, 1, 6), 3.0),
        ("partial", (9, 4, 8, 4, 3, 2, 1, 6), 2.0),
        ("incorrect", (9, 4, 8, 4, 3, 2, 1, 6), 1.0),
        ("missed", (9, 4, 8, 4, 3, 2, 1, 6), 3.0),
        ("spurious", (9, 4, 8, 4, 3, 2, 1, 6), 2.0),
        ("partial_share", (9, 4, 8, 4, 3, 2, 1, 6), 0.4),
        ("partial_share", (9, 0, 8, 0, 0, 0, 1, 1), NAN),
    ],
)
def test_metric_of_one_type(metric: str, counts: tuple[float, ...], wanted: float) -> None:
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
        score = value(f"f(beta={beta:.15f})", counts)
        assert min(p, r) - 1e-12 <= score <= max(p, r) + 1e-12


@given(four, st.integers(2, 9))
def test_multiplying_all_counts_changes_no_ratio(
    counts: tuple[int, int, int, int], factor: int
) -> None:
    larger = (counts[0] * factor, counts[1] * factor, counts[2] * factor, counts[3] * factor)
    for metric in PLAIN:
        assert value(metric, larger) == pytest.approx(value(metric, counts), nan_ok=True)


def test_a_metric_of_many_counts_is_that_of_each() -> None:
    many = np.array([[A, B], [B, NOTHING]], float)
    found = metric_named("macro_f1").value(many)
    assert found.tolist() == [value("macro_f1", A, B), value("macro_f1", B, NOTHING)]


def numbers(metric: Metric, *levels: tuple[tuple[float, ...], ...]) -> tuple[Any, Any]:
    """Values and denominators (levels, 1 + types) from the counts of each level and type."""
    counts = np.array(levels, float)
    whole = np.concatenate([counts.sum(axis=1, keepdims=True), counts], axis=1)
    found = metric.numbers([str(place) for place in range(len(levels))], whole)
    assert list(found.levels) == [str(place) for place in range(len(levels))]
    return found.values.tolist(), found.sizes.tolist()


@pytest.mark.parametrize(
    ("metric", "values", "sizes"),
    [
        # by type, with the denominator of each
        ("precision", [[0.8, 1.0, 0.75], [0.75, 0.75, NAN]], [[10, 2, 8], [8, 8, 0]]),
        ("recall", [[0.8, 0.5, 1.0], [1.0, 1.0, NAN]], [[10, 4, 6], [6, 6, 0]]),
        # an average stands for all types together
        ("macro_recall", [[0.75], [1.0]], [[10], [6]]),
        ("weighted_precision", [[0.85], [0.75]], [[10], [8]]),
    ],
)
def test_numbers_of_levels_and_types(
    metric: str, values: list[list[float]], sizes: list[list[float]]
) -> None:
    found, denominators = numbers(metric_named(metric), (A, B), (B, NOTHING))
    assert found == [pytest.approx(row, nan_ok=True) for row in values]
    assert denominators == sizes


def test_a_share_of_pairs_has_the_pairs_it_is_of_as_denominator() -> None:
    pairs = (9, 4, 8, 4, 3, 2, 1, 6)
    assert numbers(metric_named("partial_share"), (pairs,)) == ([[0.4, 0.4]], [[5.0, 5.0]])
    assert numbers(metric_named("spurious"), (pairs,)) == ([[2.0, 2.0]], [[8.0, 8.0]])


@pytest.mark.parametrize(
    ("metric", "better", "fraction", "gain"),
    [
        # what a rise by 0.1 is worth
        ("f1", HIGHER, True, 0.1),
        ("macro_f1", HIGHER, True, 0.1),
        ("accuracy", HIGHER, True, 0.1),
        ("ter", LOWER, True, -0.1),
        ("hardeval", LOWER, True, -0.1),
        ("error_share", NEITHER, True, 0.0),
        ("partial_share", NEITHER, True, 0.0),
        ("missed", NEITHER, False, 0.0),
    ],
)
def test_a_metric_knows_which_side_is_better_and_whether_it_is_a_fraction(
    metric: str, better: int, fraction: bool, gain: float
) -> None:
    one = metric_named(metric)
    assert (one.better, one.is_fraction, one.gain(0.1)) == (better, fraction, gain)
    assert math.copysign(1.0, one.gain(0.0)) == 1.0  # never minus zero


@pytest.mark.parametrize(
    "text", ["f1", "f(beta=0.5)", "f(beta=1.2345678)", "macro_recall", "hardeval"]
)
def test_a_metric_is_written_as_it_can_be_read(text: str) -> None:
    assert str(metric_named(text)) == metric_named(text).name == text
    assert metric_named(str(metric_named(text))) is metric_named(text)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("precison", "did you mean 'precision'"),
        ("f(beta=0)", "invalid value beta=0"),
        ("f(beta=-1)", "invalid value beta=-1"),
        ("f(beta=inf)", "invalid value beta=inf"),
        ("f(gamma=1)", "no such option"),
        ("f(beta)", "'beta' cannot be read"),
        ("f1(beta=2)", "no such option"),
        ("", "cannot be read"),
        ("f1 f2", "cannot be read"),
    ],
)
def test_a_metric_that_cannot_be_read_is_refused(text: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        metric_named(text)


def jaccard(counts: Counts) -> Floats:
    return ratio(counts.hit_gold, counts.gold + counts.pred - counts.hit_gold)


GOLD = [(["a", "b", "c"], ["B-PER", "B-LOC", "O"])]
PRED = [["B-PER", "O", "B-LOC"]]


@pytest.mark.usefixtures("registries")
def test_a_metric_of_ones_own_reaches_the_rows() -> None:
    register_metric(Metric("jaccard", jaccard))
    register_metric(Metric("macro_jaccard", jaccard, average="macro"))
    results = nerscope.evaluate(GOLD, {"s": PRED}, metrics=["jaccard", "macro_jaccard"])
    assert results.value(metric="jaccard") == 1 / 3
    assert results.value(metric="jaccard", type="PER") == 1.0
    assert results.value(metric="macro_jaccard") == 0.5
    assert {row["metric"] for row in results.rows} == {"jaccard", "macro_jaccard"}


def test_a_metric_with_options_reaches_the_rows_however_it_is_written() -> None:
    results = nerscope.evaluate(GOLD, {"s": PRED}, metrics=["f( beta=1 )", "f(beta=1)"])
    assert results.value(metric="f(beta=1)") == 0.5


@pytest.mark.usefixtures("registries")
def test_a_metric_that_needs_pairs_is_given_their_columns() -> None:
    right = Metric("right", lambda counts: counts.correct, kind=COUNT, needs_pairs=True)
    register_metric(right)
    results = nerscope.evaluate(GOLD, {"s": PRED}, metrics=["right"])
    assert results.value(match="overlap", metric="right") == 1.0


@pytest.mark.usefixtures("registries")
def test_a_metric_of_ones_own_may_be_registered_again() -> None:
    register_metric(Metric("mine", jaccard))
    register_metric(Metric("mine", lambda counts: counts.gold, kind=COUNT))
    assert metric_named("mine").kind == COUNT


@pytest.mark.usefixtures("registries")
def test_a_built_in_metric_stays() -> None:
    with pytest.raises(UsageError, match="a built-in metric has this name"):
        register_metric(Metric("f1", jaccard))


@pytest.mark.parametrize("options", [{"average": "mean"}, {"better": 2}, {"kind": "percent"}])
def test_a_metric_that_cannot_be_is_refused(options: dict[str, Any]) -> None:
    with pytest.raises(UsageError, match="invalid value"):
        Metric("mine", jaccard, **options)


def test_a_formula_that_gives_another_shape_is_refused() -> None:
    total = Metric("total", lambda counts: counts.gold.sum())
    with pytest.raises(UsageError, match="its formula returns shape"):
        total.value(np.ones((2, 3, 4)))


def levels(**tokens: tuple[float, float]) -> dict[str, Counts]:
    """Tokens and right ones by level."""
    return {
        name: Counts(np.array([size, right, 0.0, 0.0])) for name, (size, right) in tokens.items()
    }


@pytest.mark.parametrize(
    ("unseen", "diff", "zero_division", "wanted", "n"),
    [
        ((10, 5), (4, 1), None, (0.5 + 0.75) / 2, 14),
        ((10, 10), (4, 4), None, 0.0, 14),
        # an empty subset leaves the score undefined
        ((0, 0), (4, 1), None, NAN, 4),
        ((10, 5), (0, 0), None, NAN, 10),
        # unless its error rate is said
        ((0, 0), (4, 1), 0.0, 0.375, 4),
        ((10, 5), (0, 0), 1.0, 0.75, 10),
        ((0, 0), (0, 0), 1.0, 1.0, 0),
    ],
)
def test_hardeval_is_the_mean_of_two_error_rates(
    unseen: tuple[float, float],
    diff: tuple[float, float],
    zero_division: float | None,
    wanted: float,
    n: float,
) -> None:
    value_of, size = hardeval(levels(unseen=unseen, diff=diff), zero_division)["score"]
    assert float(value_of) == pytest.approx(wanted, nan_ok=True)
    assert float(size) == n


def test_error_shares_are_of_all_errors() -> None:
    found = error_shares(levels(all=(20, 12), unseen=(5, 2), diff=(4, 3), other=(11, 7)), None)
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
        for share, _ in error_shares(levels(all=(3, 3), unseen=(1, 1)), None).values()
    )


def test_a_metric_over_levels_sees_them_together() -> None:
    metric = metric_named("hardeval")
    assert metric.is_over_levels
    assert metric.needs_levels == ("unseen", "diff")
    counts = np.array([[[10.0, 5.0, 0.0, 0.0]], [[4.0, 1.0, 0.0, 0.0]]])  # levels, types, columns
    found = metric.numbers(["unseen", "diff"], counts)
    assert list(found.levels) == ["score"]
    assert (found.values.tolist(), found.sizes.tolist()) == ([[0.625]], [[14.0]])
    resampled = metric.numbers(["unseen", "diff"], np.stack([counts, 2 * counts]))
    assert resampled.values.tolist() == [[[0.625]], [[0.625]]]


def test_zero_division_reaches_metrics_over_levels() -> None:
    nothing = np.zeros((2, 1, 4))
    found = metric_named("hardeval").numbers(["unseen", "diff"], nothing, 0.0)
    assert found.values.tolist() == [[0.0]]
    found = metric_named("error_share").numbers(["all", "unseen"], nothing, 1.0)
    assert found.values.tolist() == [[1.0], [1.0]]
