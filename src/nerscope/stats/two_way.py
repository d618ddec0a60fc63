"""Two-way clusters: mentions are dependent by place and by surface.

A name that a system gets wrong is often wrong in every document. With mentions
grouped by place, by surface, and by both at once, the variance is V_place + V_surface - V_both
(Cameron, Gelbach and Miller 2011), and never less than the variance of one way alone.

Tokens outside mentions are stored as sums by sentence, so their rates use only places.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import chain
from typing import NamedTuple

import numpy as np

from nerscope.corpus.arrays import Floats, Ints
from nerscope.corpus.units import INSIDE, MENTION
from nerscope.errors import InputError
from nerscope.scoring.cluster_units import block_size, is_crossed, place_unit
from nerscope.scoring.evidence import TOKEN_JOIN, Evidence, Ledger, Units
from nerscope.scoring.folding import groups_of
from nerscope.stats.clusters import ClusterCounts, clusters_of
from nerscope.stats.jackknife import Jackknife, MeanParts, jackknife_all

TWO_WAY = "two-way"  # the test of outputs over two-way clusters


def by_surface(evidence: Evidence) -> Evidence | None:
    """The evidence grouped by surface instead of by sentence.

    Tokens inside mentions are grouped by token. None if the results do not keep texts.
    """
    if evidence.texts is None:
        return None
    texts = [text.split(TOKEN_JOIN) for text in evidence.texts]
    mentions, ledgers = evidence.mentions, dict[str, Ledger]()
    names: dict[str, int] = {}
    ledgers[MENTION] = _regrouped(mentions, lambda units: _surfaces(units, texts, names))
    if INSIDE in evidence.ledgers and not any(side.shape is not None for side in _sides(mentions)):
        tokens: dict[str, int] = {}
        sides = iter(_sides(mentions))  # in the same order as the sides of tokens inside mentions
        ledgers[INSIDE] = _regrouped(
            evidence.ledgers[INSIDE], lambda _: _inside(next(sides), texts, tokens)
        )
    if not names:
        return None
    return replace(evidence, ledgers=ledgers, documents=np.arange(len(names)))


def _sides(ledger: Ledger) -> list[Units]:
    return [ledger.gold, *(run.pred for run in ledger.runs)]


def _regrouped(ledger: Ledger, group: Callable[[Units], Ints]) -> Ledger:
    """The ledger with the groups of units instead of their sentences."""
    gold, *preds = (replace(units, sentence=group(units)) for units in _sides(ledger))
    runs = (replace(run, pred=pred) for run, pred in zip(ledger.runs, preds, strict=True))
    return Ledger(gold, tuple(runs))


def _surfaces(units: Units, texts: Sequence[Sequence[str]], names: dict[str, int]) -> Ints:
    """The number of each mention's text."""
    words = (TOKEN_JOIN.join(texts[at][start:end]) for at, start, end in _places(units))
    return np.array([names.setdefault(word, len(names)) for word in words], np.int64)


def _inside(units: Units, texts: Sequence[Sequence[str]], names: dict[str, int]) -> Ints:
    """The number of each token inside these mentions."""
    words = chain.from_iterable(texts[at][start:end] for at, start, end in _places(units))
    return np.array([names.setdefault(word, len(names)) for word in words], np.int64)


def _places(units: Units) -> "zip[tuple[int, int, int]]":
    """Sentence, start and end of each mention."""
    assert units.start is not None and units.length is not None
    ends = units.start + units.length
    return zip(units.sentence.tolist(), units.start.tolist(), ends.tolist(), strict=True)


class Crossing(NamedTuple):
    """The same units grouped by surface, and by cluster and surface."""

    surface: Evidence
    both: Evidence

    def counts(self, clustered: ClusterCounts) -> list[ClusterCounts]:
        """The counts of the same facet by surface, and by cluster and surface."""
        table, match = clustered.table, clustered.match
        if table.unit not in self.surface.ledgers:
            return []
        return [
            ClusterCounts(way, table, match, clustered.systems, _clusters(way.ledger(table)))
            for way in self
        ]


def _clusters(ledger: Ledger) -> Ints:
    """Groups of units as clusters, pooled if there are very many."""
    most = max((int(units.sentence.max(initial=0)) for units in _sides(ledger)), default=0)
    return groups_of(np.arange(most + 1))


@lru_cache(maxsize=2)  # all facets of an evidence share it
def crossing_of(evidence: Evidence, cluster_unit: str) -> Crossing | None:
    """The grouping by surface, if the cluster unit is two-way."""
    if not is_crossed(cluster_unit):
        return None
    surface = by_surface(evidence)
    if surface is None:
        raise InputError(
            evidence.dataset,
            "the results keep no texts, so surfaces of mentions are unknown",
            f"evaluate again {'with --keep-mentions' if evidence.folded else 'without --no-text'}, "
            f"or use --resample {place_unit(cluster_unit)}",
        )
    clusters = clusters_of(evidence, cluster_unit)
    both = {
        name: _intersection(evidence.ledgers[name], ledger, clusters)
        for name, ledger in surface.ledgers.items()
    }
    return Crossing(surface, replace(surface, ledgers=both))


def _intersection(by_place: Ledger, by_surface: Ledger, clusters: Ints) -> Ledger:
    """A ledger whose groups are the units of one cluster and one surface."""
    sides = list(zip(_sides(by_place), _sides(by_surface), strict=True))
    width = 1 + max(int(units.sentence.max(initial=0)) for _, units in sides)
    keys = [
        clusters[place.sentence].astype(np.int64) * width + named.sentence for place, named in sides
    ]
    _, numbers = np.unique(np.concatenate(keys), return_inverse=True)
    groups = iter(np.split(numbers, np.cumsum([len(side) for side in keys])[:-1]))
    return _regrouped(by_surface, lambda _: next(groups))


def jackknives(
    clustered: ClusterCounts,
    evidence: Evidence,
    cluster_unit: str,
    run_names: Sequence[str] = (),
    *,
    paired: bool = False,
) -> list[Jackknife]:
    """The jackknife of the systems and, if `run_names` are given, of each run as a system.
    `clustered` holds the counts by clusters of this unit, which may be two-way.
    """
    crossing = crossing_of(evidence, cluster_unit)
    ways = [clustered, *(crossing.counts(clustered) if crossing else ())]
    by_way = [
        jackknife_all([way, *([way.with_runs_as_systems(run_names)] if run_names else [])], paired)
        for way in ways
    ]
    by_way[0] = [with_block_degrees(spread, cluster_unit) for spread in by_way[0]]
    if len(ways) == 1:
        return by_way[0]
    return [crossed(*spreads) for spreads in zip(*by_way, strict=True)]


def with_block_degrees(spread: Jackknife, cluster_unit: str) -> Jackknife:
    """The jackknife, with fewer degrees of freedom if clusters are blocks of neighbours.

    Adjacent blocks are alike, too, though less than sentences: two neighbours hold more information
    than one block, and less than two independent blocks. Therefore half of the degrees are counted.
    Ten blocks have 4.5; with a hundred blocks, an interval hardly changes.
    """
    if block_size(cluster_unit) is None:
        return spread
    parts = {key: replace(part, degrees=part.degrees / 2) for key, part in spread.parts.items()}
    return replace(spread, degrees=spread.degrees / 2, parts=parts)


def crossed(place: Jackknife, surface: Jackknife, both: Jackknife) -> Jackknife:
    """The jackknife of two-way clusters, from those by place, by surface, and by both."""
    ways = [
        _on_scale(way.products, _larger(way.clusters), _larger(place.clusters))
        for way in (place, surface, both)
    ]
    squares = [
        _on_scale(way.single_run_squares, way.clusters, place.clusters)
        for way in (place, surface, both)
    ]
    parts = {
        key: _crossed_parts(mean, surface.parts[key], both.parts[key])
        for key, mean in place.parts.items()
    }
    return replace(
        place,
        products=ways[0] + ways[1] - ways[2],
        one_way_products=(ways[0], ways[1]),
        degrees=np.minimum(place.degrees, surface.degrees),
        # The part of runs is subtracted from the variance; the minimum never subtracts too much.
        single_run_squares=np.minimum(
            squares[0], np.maximum(0.0, squares[0] + squares[1] - squares[2])
        ),
        parts=parts,
    )


def _crossed_parts(place: MeanParts, surface: MeanParts, both: MeanParts) -> MeanParts:
    ways = [
        _on_scale(way.products, _larger(way.clusters), _larger(place.clusters))
        for way in (place, surface, both)
    ]
    return replace(
        place,
        degrees=np.minimum(place.degrees, surface.degrees),
        products=ways[0] + ways[1] - ways[2],
        one_way_products=(ways[0], ways[1]),
    )


def _larger(clusters: Floats) -> Floats:
    """The larger number of clusters for each pair of rows (systems or parts)."""
    return np.maximum(clusters[:, None], clusters[None, :])


def _on_scale(products: Floats, clusters: Floats, scale: Floats) -> Floats:
    """Products rescaled so that the factor 1 - 1 / clusters of another way makes them variances."""
    ours, theirs = (1 - 1 / np.maximum(1.0, size) for size in (clusters, scale))
    return products * np.divide(ours, theirs, out=np.ones_like(ours), where=theirs > 0)
