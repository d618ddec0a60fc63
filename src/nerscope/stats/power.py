"""How small a difference can be found, and how many sentences or runs a smaller one would need."""

from math import ceil, inf, isfinite, sqrt

from nerscope.stats.student import normal_quantile, quantile, two_sided_p

_NAN = float("nan")


def detectable(variance: float, degrees: float, alpha: float = 0.05, power: float = 0.8) -> float:
    """The smallest true difference that is found with this power, where an estimate has this
    variance. The power is to be above alpha / 2, which chance alone reaches.

    >>> round(detectable(0.0001, 30), 4)
    0.029
    """
    if not variance >= 0:
        return _NAN
    factor = _point(1 - alpha / 2, degrees) + _point(power, degrees)
    return factor * sqrt(variance)


def power_of(difference: float, variance: float, degrees: float, alpha: float = 0.05) -> float:
    """How often a true difference is found, in either direction; by Student's t, moved to it.

    NaN where there is neither a difference nor a variance.

    >>> round(power_of(0.029, 0.0001, 30), 2)
    0.8
    """
    if not variance >= 0 or not (variance or difference):
        return _NAN
    shift = abs(difference) / sqrt(variance) if variance else inf
    bound = _point(1 - alpha / 2, degrees)
    return _below(shift - bound, degrees) + _below(-shift - bound, degrees)


def clusters_needed(
    difference: float,
    clusters: int,
    cluster_variance: float,
    run_variance_a: float,
    run_variance_b: float,
    runs_a: int,
    runs_b: int,
    alpha: float = 0.05,
    power: float = 0.8,
) -> int | None:
    """How many clusters (sentences or documents) a test set needs, to find this difference with
    this power; None if the runs alone are too noisy for any number.

    `cluster_variance` is what the present clusters add to the variance of the difference, and
    shrinks with their number; the variances are those of a single run.

    >>> clusters_needed(0.01, 1000, 0.00002, 0.00001, 0.00001, 5, 5)
    2289
    """
    left = _affordable(difference, alpha, power) - run_variance_a / runs_a - run_variance_b / runs_b
    return _how_many(cluster_variance * clusters, left)


def runs_needed(
    difference: float,
    cluster_variance: float,
    run_variance_a: float,
    run_variance_b: float,
    alpha: float = 0.05,
    power: float = 0.8,
) -> int | None:
    """How many runs of each system it takes to find this difference with this power on the present
    test set; None if that alone is too small.

    >>> runs_needed(0.01, 0.000005, 0.00001, 0.00001)
    3
    """
    left = _affordable(difference, alpha, power) - cluster_variance
    return _how_many(run_variance_a + run_variance_b, left)


def _affordable(difference: float, alpha: float, power: float) -> float:
    """The variance up to which a difference is found with this power.

    By the normal distribution: how many degrees there will be is not yet known.
    """
    factor = normal_quantile(1 - alpha / 2) + normal_quantile(power)
    # Chance alone finds something in alpha / 2 of the cases, at the least.
    return (difference / factor) * (difference / factor) if factor > 0 else inf


def _how_many(variance: float, left: float) -> int | None:
    """The smallest number that divides a variance into what is left for it."""
    if not left > 0 or not isfinite(variance / left):
        return None
    return max(1, ceil(variance / left))


def _point(share: float, degrees: float) -> float:
    """The point that Student's t stays below with this chance."""
    if share < 0.5:
        return -_point(1 - share, degrees)
    return float(quantile(2 * (1 - share), degrees))


def _below(t: float, degrees: float) -> float:
    """The chance that Student's t is at most this."""
    tail = float(two_sided_p(t, degrees)) / 2
    return tail if t < 0 else 1 - tail
