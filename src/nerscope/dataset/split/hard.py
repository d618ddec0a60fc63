"""Design a test set with given shares of tough mentions and hard tokens."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from nerscope.corpus.arrays import Bools, Floats, Ints, count_table
from nerscope.corpus.corpus import Corpus
from nerscope.corpus.units import MENTION, TOKEN
from nerscope.corpus.vocabulary import SequenceTrie
from nerscope.dataset.split.hard_search import (
    MovableGroups,
    SearchState,
    Target,
    gather_units,
    hard_token_codes,
    random_groups,
    search_groups,
    tough_mention_codes,
)
from nerscope.errors import InputError, UsageError, suggest
from nerscope.facets.hard import HARD
from nerscope.facets.tmr import TMR
from nerscope.results.rows import ResultRow
from nerscope.scoring.matching import io_labels

RANDOM_SPLITS = 1000  # compared with the design; the search starts from the best of them
_SHORT_NAMES = {"unseen": "unseen-any", "tcm": "tcm-all"}


class ShareDefinition(NamedTuple):
    """The units that count for a share: those of `unit` with one of these codes of its facet."""

    unit: str
    codes: tuple[int, ...]


# Levels of `hard` have a prefix here, since "unseen" is also a level of `tmr`.
SHARES: dict[str, ShareDefinition] = {
    **{level: ShareDefinition(MENTION, codes) for level, codes in TMR.level_codes.items()},
    **{
        short: ShareDefinition(MENTION, TMR.level_codes[level])
        for short, level in _SHORT_NAMES.items()
    },
    **{
        f"{HARD.name}-{level}": ShareDefinition(TOKEN, codes)
        for level, codes in HARD.level_codes.items()
        if len(codes) < HARD.n_codes  # the share of all tokens is always 1
    },
}


@dataclass(frozen=True, slots=True, eq=False)
class DesignRow(ResultRow):
    """A share, the size or the types of a designed test set: the target and the value reached."""

    name: str
    wanted: float  # the target
    reached: float | None  # None: undefined, such as a share of no mentions
    n: int
    random_mean: float | None  # of random test sets of this size
    random_low: float | None  # 95 % of random test sets are between low and high
    random_high: float | None
    best_random: float | None


class HardDesign(NamedTuple):
    """A designed test set, with the shares it reaches and those of random splits."""

    test: Bools  # by sentence
    rows: list[DesignRow]
    random_splits: int


def parse_shares(text: str) -> dict[str, float]:
    """Parse target shares.

    >>> parse_shares("unseen=0.8, tcm=0.1")
    {'unseen': 0.8, 'tcm': 0.1}
    """
    shares: dict[str, float] = {}
    for item in text.split(","):
        name, _, share = (word.strip() for word in item.partition("="))
        if name not in SHARES:
            raise UsageError("hard", f"unknown share '{name}'", suggest(name, SHARES))
        if name in shares:
            raise UsageError("hard", f"share '{name}' is given twice", "give each share once")
        shares[name] = _parse_share(name, share)
    return shares


def _parse_share(name: str, text: str) -> float:
    try:
        share = float(text)
    except ValueError:
        share = -1.0
    if not 0 <= share <= 1:  # False for NaN, too
        raise UsageError(
            "hard", f"invalid value '{text}' for share '{name}'", "give a number from 0 to 1"
        )
    return share


def design_test_set(
    corpus: Corpus,
    group: Ints,
    shares: Mapping[str, float],
    *,
    size: float,
    held: Bools | None = None,
    seed: int = 0,
) -> HardDesign:
    """Choose test sentences so that the test set has given shares.

    Sentences with the same number in `group` stay together. `size` is the target share of all
    sentences; sentences in `held` are neither train nor test. The search minimises the distance
    from the target shares. A deviation of the size beyond 2 % of the target, and a total variation
    of the types beyond 0.03 from all data, cost ten times as much as the same deviation of a share.

    >>> names = ["Ada", "Ada", "Bob", "Cyd", "Bob", "Eve"]
    >>> corpus = Corpus.of([([name], ["B-PER"]) for name in names])
    >>> design = design_test_set(corpus, np.arange(6), {"tcm": 0, "unseen": 1}, size=1 / 3)
    >>> [(row.name, row.reached, row.random_mean < 1) for row in design.rows[:2]]
    [('tcm', 0.0, True), ('unseen', 1.0, True)]
    """
    if not corpus.is_flat and any(SHARES[name].unit == TOKEN for name in shares):
        raise InputError(
            corpus.name,
            "its mentions overlap, so tokens have no single label",
            "use shares of mentions only, such as unseen=0.8,tcm=0.1",
        )
    numbers = _number_groups(group, np.zeros(len(corpus), bool) if held is None else held)
    groups, rng = _movable_groups(corpus, numbers, shares), np.random.default_rng(seed)
    target = _target(corpus, shares, size)
    splits = [random_groups(groups, target, rng) for _ in range(RANDOM_SPLITS)]
    vectors = np.array([SearchState(groups, chosen).vector for chosen in splits])
    best = int(target.cost(vectors).argmin())
    chosen = search_groups(groups, target, splits[best], rng)
    reached = SearchState(groups, chosen).vector  # recounted, independently of the search
    test = np.append(chosen, False)[numbers]  # held sentences have the number -1, the last entry
    return HardDesign(
        test, _rows(target, shares, np.vstack([reached, vectors[best], vectors])), len(splits)
    )


def _number_groups(group: Ints, held: Bools) -> Ints:
    """The groups of sentences, numbered from 0; -1 for held sentences."""
    numbers = np.full(len(group), -1, np.int64)
    numbers[~held] = np.unique(group[~held], return_inverse=True)[1]
    return numbers


def _target(corpus: Corpus, shares: Mapping[str, float], size: float) -> Target:
    types = np.bincount(corpus.mentions().type, minlength=_n_types(corpus))
    return Target(
        np.array(list(shares.values()), np.float64),
        np.array([SHARES[name].unit == MENTION for name in shares]),
        len(corpus),
        size,
        types / max(1, types.sum()),
    )


def _n_types(corpus: Corpus) -> int:
    return max(1, len(corpus.coding.labels.types))


def _movable_groups(corpus: Corpus, group: Ints, shares: Mapping[str, float]) -> MovableGroups:
    """Count the units of every group; `group` is -1 for sentences that are left out."""
    mentions, lengths = corpus.mentions(), np.diff(corpus.starts)
    sentence = mentions.sentences(corpus.starts)
    by_type = count_table(sentence, mentions.type, (len(corpus), _n_types(corpus)))
    sizes = np.zeros((int(group.max(initial=-1)) + 1, 2 + by_type.shape[1]))
    inside = group >= 0
    sentence_sizes = np.column_stack([np.ones_like(lengths), lengths, by_type])
    np.add.at(sizes, group[inside], sentence_sizes[inside])
    surfaces = SequenceTrie().codes(corpus.tokens, mentions.start, mentions.end)
    labels = io_labels(mentions, corpus.n_tokens) + 1
    units = {
        MENTION: (group[sentence], surfaces, mentions.type, tough_mention_codes),
        TOKEN: (np.repeat(group, lengths), corpus.tokens, labels, hard_token_codes),
    }
    used = {SHARES[name].unit for name in shares}
    families = [
        gather_units(*columns, groups=len(sizes), counts_for=_counts_for(unit, shares))
        for unit, columns in units.items()
        if unit in used
    ]
    return MovableGroups(sizes, families)


def _counts_for(unit: str, shares: Mapping[str, float]) -> Ints:
    """By share and code: 1 if units of this kind with the code count for the share."""
    table = np.zeros((len(shares), max(TMR.n_codes, HARD.n_codes)), np.int64)
    for place, definition in enumerate(SHARES[name] for name in shares):
        table[place, list(definition.codes)] = definition.unit == unit
    return table


def _rows(target: Target, shares: Mapping[str, float], vectors: Floats) -> list[DesignRow]:
    """A row for each share, the size and the types.

    `vectors` are those of the designed test set, the best random split, and all random splits.
    """
    targets = {**shares, "size": target.size, "types": 0.0}
    measures, n = target.measures(vectors), target.denominators(vectors[0])
    return [
        DesignRow(
            name,
            share,
            _or_none(values[0]),
            int(denominator),
            *_spread(values[2:]),
            _or_none(values[1]),
        )
        for (name, share), values, denominator in zip(targets.items(), measures.T, n, strict=True)
    ]


def _spread(values: Floats) -> tuple[float | None, float | None, float | None]:
    """The mean over random splits, and the range that contains 95 % of them."""
    values = values[~np.isnan(values)]
    if not len(values):
        return None, None, None
    low, high = np.percentile(values, [2.5, 97.5]).tolist()
    return float(values.mean()), low, high


def _or_none(value: float) -> float | None:
    return None if np.isnan(value) else float(value)
