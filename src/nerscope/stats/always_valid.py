"""Bounds that hold for all sizes of a test set at once, so that it may grow and be checked daily.

The running mean of a difference over a growing number of clusters is compared with a mixture of
larger means, weighted by a half-normal distribution (Robbins 1970). The likelihood ratio is an
e-value: without a true difference, the probability that it ever exceeds 1 / alpha is at most alpha,
for any stopping rule. The bounds contain the differences whose e-value is smaller (a confidence
sequence; Howard et al. 2021). Means over clusters are normal only for many clusters, so the
guarantee is asymptotic (Waudby-Smith et al. 2024).
"""

from math import erfc, exp, inf, log, sqrt

# The size at which bounds are narrowest. It must not depend on the size of the test set, or the
# guarantee is lost. Larger sizes lose little (at 50 times the size, bounds are 15 % wider), smaller
# sizes lose more.
TUNED_TO = 200
_HALVINGS = 60
_MOST_LOG = 700.0


def information(clusters: float, tuned_to: float, alpha: float) -> float:
    """The information of this many clusters, relative to that of the mixture."""
    # Waudby-Smith et al. 2024, equation 10: the variance of the mixture that makes bounds narrowest
    # at the tuned size.
    best = -2 * log(alpha) + log(1 - 2 * log(alpha))
    return best * clusters / tuned_to


def e_value(z: float, information: float) -> float:
    """The evidence for a difference above 0, given an estimate of z standard errors.

    >>> [round(e_value(z, 8.0), 2) for z in (0.0, 1.645, 2.767, 4.0)]
    [0.33, 2.09, 19.94, 816.94]
    """
    spread = information / (1 + information)
    above = erfc(-z * sqrt(spread / 2)) / 2
    if not above:
        return 0.0
    logarithm = log(2 * above) - log(1 + information) / 2 + spread * z * z / 2
    return exp(logarithm) if logarithm < _MOST_LOG else inf


def standard_errors(alpha: float, information: float) -> float:
    """The distance of a one-sided bound from the estimate in standard errors, where e = 1 / alpha.

    >>> round(standard_errors(0.05, information(200, 200, 0.05)), 2)  # ordinary: 1.64
    2.77
    """
    low, high = 0.0, 1e3
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        low, high = (low, middle) if e_value(middle, information) >= 1 / alpha else (middle, high)
    return high
