"""Bounds that hold at all sizes of a test set at once, so that it may grow and be looked at daily.

The running mean of a difference over more and more clusters is held against a mixture of all larger
means, weighted like a half-normal distribution (Robbins 1970). The ratio of both likelihoods is an
e-value: if there is no difference, it ever exceeds 1 / alpha with a chance of at most alpha,
whenever one stops. The bounds are those differences whose e-value is smaller (a confidence
sequence; Howard et al. 2021). Means of clusters are normal only for many of them: the guarantee is
asymptotic (Waudby-Smith et al. 2024).
"""

from math import erfc, exp, inf, log, sqrt

# The size at which bounds are narrowest. It must not follow the test set, or nothing holds at all
# sizes at once. Sizes above lose little (at 50 times the size, bounds are 15 % wider), sizes below
# more.
TUNED_TO = 200
_HALVINGS = 60
_MOST_LOG = 700.0


def information(clusters: float, tuned_to: float, alpha: float) -> float:
    """The information of so many clusters, as a multiple of what the mixture supposes."""
    # Waudby-Smith et al. 2024, equation 10: the variance of the mixture with which bounds are
    # narrowest at the size that it is tuned to.
    best = -2 * log(alpha) + log(1 - 2 * log(alpha))
    return best * clusters / tuned_to


def e_value(z: float, information: float) -> float:
    """The evidence for a difference above 0, for an estimate of z standard errors.

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
    """How many standard errors a one-sided bound is from the estimate: where e is 1 / alpha.

    >>> round(standard_errors(0.05, information(200, 200, 0.05)), 2)  # ordinary: 1.64
    2.77
    """
    low, high = 0.0, 1e3
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        low, high = (low, middle) if e_value(middle, information) >= 1 / alpha else (middle, high)
    return high
