"""The approximate randomisation test (Noreen 1989; Yeh 2000), the default."""

from nerscope.stats.paired import DEFAULT_METHOD, Method, Paired, add_method, p_value


def randomisation(pair: Paired) -> float:
    """The p-value among the differences after random swaps of outputs."""
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
            "In each cluster, a coin flip decides whether the outputs of the two systems are "
            "swapped. p is the share of swaps whose difference is as large as the observed one."
        ),
        is_exact_if_few=True,
    ),
    rank=20,
)
