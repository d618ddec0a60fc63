"""The approximate randomisation test (Noreen 1989; Yeh 2000), the default."""

from nerscope.stats.paired import DEFAULT_METHOD, Method, Paired, add_method, p_value


def randomisation(pair: Paired) -> float:
    """The p-value among differences of outputs that have changed places at random."""
    assert pair.swapped is not None
    return p_value(pair.observed, pair.swapped)


add_method(
    Method(
        DEFAULT_METHOD,
        randomisation,
        needs_swaps=True,
        needs_resamples=False,
        title="Approximate randomisation",
        phrase="outputs swapped at random",
        definition=(
            "In each cluster the outputs of the two systems change places by the flip of a coin. "
            "If the systems are alike, the observed difference is one like those after such swaps."
        ),
        is_exact_if_few=True,
    ),
    rank=20,
)
