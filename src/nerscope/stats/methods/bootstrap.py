"""The paired bootstrap test (Efron and Tibshirani 1993; Koehn 2004)."""

from nerscope.stats.paired import Method, Paired, add_method, p_value


def bootstrap(pair: Paired) -> float:
    """The p-value under the bootstrap distribution, shifted to a mean difference of 0."""
    assert pair.resampled is not None
    return p_value(pair.observed, pair.resampled - pair.observed)


add_method(
    Method(
        "bootstrap",
        bootstrap,
        title="Paired bootstrap",
        phrase="resampled clusters",
        definition=(
            "Clusters are resampled with replacement, and both systems are scored on each sample. "
            "The differences, shifted to a mean of zero, show how large one is by chance."
        ),
    ),
    rank=10,
)
