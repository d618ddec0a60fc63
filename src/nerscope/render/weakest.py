"""The groups on which systems are weakest, as a table."""

from collections.abc import Sequence

from nerscope.render.document import Cell, Table, metric_title, percent, score
from nerscope.render.tables import interval_text
from nerscope.results.results import Results
from nerscope.results.rows import scale_of
from nerscope.results.terms import Ranges, bucket_ranges, cell_words
from nerscope.results.weakest import WeakSpot
from nerscope.scoring.metrics import TER

_RANKED = "ranked by the lower 95 % bound of the shortfall against the overall score"


def weakest_table(
    results: Results,
    spots: Sequence[WeakSpot],
    title: str,
    *,
    ranked: bool = False,
    with_intervals: bool = False,
) -> Table:
    """Each group with its score, how far it is worse than the overall score, and n."""
    ranges = bucket_ranges(results.evidence)
    named = ["dataset"] if len(results.evidence) > 1 else []
    named += ["system"] if len({spot.system for spot in spots}) > 1 else []
    body = tuple(
        (
            *(Cell(spot[name]) for name in named),
            _group(spot, ranges),
            Cell(_score(spot, with_intervals)),
            Cell(f"{scale_of(spot.metric) * spot.shortfall:.2f}", value=spot.shortfall_low),
            Cell(f"{spot.n:,}", value=spot.n),
        )
        for spot in spots
    )
    header = (*named, "group" if named else "", "score", "worse by", "n")
    return Table(title, header, body, (_RANKED,) if ranked else (), labels=len(named) + 1)


def _group(spot: WeakSpot, ranges: Ranges) -> Cell:
    interval = ranges.get((spot.dataset, spot.facet, spot.level), "")
    words = cell_words(spot.facet, spot.level, None, interval)
    return Cell(words.phrase, code=words.code)


def _score(spot: WeakSpot, with_interval: bool) -> str:
    """A score that names its metric: F1 84.23, or 67.74 % wrong."""
    bounds = interval_text(spot.low, spot.high) if with_interval else ""
    if spot.metric == TER:
        return f"{percent(spot.value)} % wrong{bounds}"
    return f"{metric_title(spot.metric)} {score(spot.value, spot.metric)}{bounds}"
