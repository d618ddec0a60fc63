"""Scores: the probability that gold is wrong, from evidence.

Two kinds of errors are told apart. *Slips* are random: a wrong key, a skipped line. Planted errors
show what slips look like, and how many of them gold has. *Misjudgements* repeat: the annotator did
not know the name or read the guideline differently. They look like difficult places, where systems
err as well, so that their number cannot be estimated without a judge. They get a small probability,
which orders places that are no slips.
"""

from typing import NamedTuple

import numpy as np

from nerscope.annotation.audit.evidence import BOUNDARY, MISSING, TYPE, Evidence
from nerscope.corpus.arrays import Bools, Floats, Ints

_STEPS = 25
_PENALTY = 1.0
_ROUNDS = 6
_PRIOR_SLIPS = 100.0  # that are assumed to be spread over kinds like planted errors
_SHARES = np.arange(0.15, 0.91, 0.05)  # of the planted errors that look worst
_CAUTION = 0.5  # standard errors, and places, by which the count is reduced

# Log-odds of a misjudgement. Annotators overlook more names than they invent, and type them wrongly
# more often than they misplace a boundary.
_MISJUDGEMENT = {
    "lead": 4.0,
    MISSING: 2.0,
    TYPE: 0.5,
    "document": 0.3,
    "capitals": 0.5,
    "frequency": 0.2,
}
_MISJUDGEMENT_BASE = -4.0
_MOST_MISJUDGED = 0.1


class Weights(NamedTuple):
    """Weights of standardised evidence; the first of `values` is the intercept."""

    mean: Floats
    scale: Floats
    values: Floats

    def log_odds(self, columns: Floats) -> Floats:
        odds: Floats = self.values[0] + ((columns - self.mean) / self.scale) @ self.values[1:]
        return odds


def fit(columns: Floats, is_wrong: Bools, times: Floats) -> Weights:
    """Logistic regression with an L2 penalty, by Newton's method.

    >>> weights = fit(np.array([[0.0], [1.0], [2.0], [3.0]]), np.arange(4) > 1, np.ones(4))
    >>> bool(weights.values[1] > 0)
    True
    """
    mean, scale = columns.mean(axis=0), columns.std(axis=0)
    scale = np.where(scale > 0, scale, 1.0)  # a constant column gets the weight 0
    table = np.column_stack([np.ones(len(columns)), (columns - mean) / scale])
    penalty = np.full(table.shape[1], _PENALTY)
    penalty[0] = 1e-6
    values = np.zeros(table.shape[1])
    for _ in range(_STEPS):
        share = _logistic(table @ values)
        gradient = table.T @ (times * (is_wrong - share)) - penalty * values
        curve = (table * (times * share * (1 - share))[:, None]).T @ table
        step = np.linalg.solve(curve + np.diag(penalty), gradient)
        values = values + step
        if np.abs(step).max() < 1e-8:
            break
    return Weights(mean, scale, values)


def _logistic(odds: Floats) -> Floats:
    share: Floats = 1 / (1 + np.exp(-np.clip(odds, -30, 30)))
    return share


class Scores(NamedTuple):
    """The score of each case of gold, and the estimated number of slips among them.

    `order` breaks ties: of two cases with equal scores, the one with the larger value is first.
    """

    scores: Floats
    order: Floats
    slips: float


def score_cases(evidence: Evidence, n_gold: int) -> Scores:
    """Score the first `n_gold` cases, which are those of gold; the others are planted."""
    gold, planted = evidence.columns[:n_gold], evidence.columns[n_gold:]
    misjudged = _misjudgements(evidence)[:n_gold]
    if not n_gold or not len(planted):
        return Scores(misjudged, misjudged, 0.0)
    kind = _kind_codes(evidence)
    mix, slips = np.ones(len(planted)), np.zeros(n_gold)
    expected, odds = 0.0, misjudged
    columns = np.vstack([planted, gold])
    is_wrong = np.arange(len(columns)) < len(planted)
    for _ in range(_ROUNDS):
        # A place of gold that is probably a slip does not show what a correct place looks like.
        right = (1 - slips) * len(planted) / max(1e-9, float((1 - slips).sum()))
        weights = fit(columns, is_wrong, np.concatenate([mix, right]))
        odds, planted_odds = weights.log_odds(gold), weights.log_odds(planted)
        mix = _kind_weights(kind[:n_gold], kind[n_gold:], odds, planted_odds)
        expected = count_slips(odds, planted_odds, mix)
        slips = slip_probabilities(odds, planted_odds, mix * expected / mix.sum())
    return Scores(1 - (1 - slips) * (1 - misjudged), odds, expected)


def _kind_codes(evidence: Evidence) -> Ints:
    """The kind of each case, as a number."""
    kinds = np.column_stack([evidence.column(kind) for kind in (TYPE, BOUNDARY, MISSING)])
    codes: Ints = np.where(kinds.any(axis=1), kinds.argmax(axis=1), kinds.shape[1])
    return codes


def _kind_weights(kind: Ints, planted_kind: Ints, odds: Floats, planted_odds: Floats) -> Floats:
    """The weight of each planted case: kinds count as much as they occur among the slips of gold.

    The slips of each kind are counted as if there were no others. Some more are added, which are
    spread over the kinds like planted errors, because small counts are uncertain.
    """
    weights = np.ones(len(planted_kind))
    for code in np.unique(planted_kind).tolist():
        own = planted_kind == code
        times = int(own.sum())
        n = count_slips(odds[kind == code], planted_odds[own], np.ones(times))
        weights[own] = n / times + _PRIOR_SLIPS / len(planted_kind)
    scaled: Floats = weights * len(weights) / weights.sum()
    return scaled


def _misjudgements(evidence: Evidence) -> Floats:
    odds = np.full(len(evidence.columns), _MISJUDGEMENT_BASE)
    for name, weight in _MISJUDGEMENT.items():
        odds = odds + weight * evidence.column(name)
    return _MOST_MISJUDGED * _logistic(odds)


def count_slips(odds: Floats, planted_odds: Floats, mix: Floats) -> float:
    """How many slips gold has, at most; `mix` has the weight of each planted error.

    If 30 % of the planted errors look worse than some threshold, about 30 % of the slips do. If
    only 12 places of gold look worse, gold has at most 12 / 0.3 = 40 slips. The threshold that
    gives the lowest number counts, after a small deduction for chance.

    >>> planted = np.arange(1000.0)
    >>> round(count_slips(np.full(100, 2000.0), planted, np.ones(1000)))
    105
    """
    order = np.argsort(-planted_odds, kind="stable")
    reached = np.cumsum(mix[order]) / mix.sum()
    limits = []
    for share in _SHARES.tolist():
        at = min(int(np.searchsorted(reached, share)), len(order) - 1)
        n = int((odds >= planted_odds[order[at]]).sum())
        limits.append((n - _CAUTION * (1 + np.sqrt(n))) / share)
    return max(0.0, float(min(limits)))


def slip_probabilities(odds: Floats, planted_odds: Floats, slips: Floats) -> Floats:
    """The share of slips among places of gold with equal odds, for each place.

    `slips` is how many slips each planted error stands for. Their share among the places of gold
    may only grow with the odds (isotonic regression, by pooling neighbours).
    """
    value = np.concatenate([odds, planted_odds])
    expected = np.concatenate([np.zeros(len(odds)), slips])
    places = np.concatenate([np.ones(len(odds)), np.zeros(len(slips))])
    pools: list[tuple[float, float, float, int]] = []  # slips, places, sum of values, size
    for at in np.argsort(value, kind="stable").tolist():
        pool = (float(expected[at]), float(places[at]), float(value[at]), 1)
        while pools and pools[-1][0] * pool[1] >= pool[0] * pools[-1][1]:
            last = pools.pop()
            pool = (last[0] + pool[0], last[1] + pool[1], last[2] + pool[2], last[3] + pool[3])
        pools.append(pool)
    centres = [total / size for _, _, total, size in pools]
    shares = [min(1.0, n / total) if total else 1.0 for n, total, _, _ in pools]
    return np.interp(odds, centres, shares)
