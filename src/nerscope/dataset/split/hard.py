"""A test set by design: it holds wanted shares of tough mentions and hard tokens."""

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from nerscope.corpus.arrays import Bools, Floats, Ints
from nerscope.corpus.corpus import Corpus
from nerscope.corpus.interning import Paths
from nerscope.corpus.lookup import counted
from nerscope.corpus.units import MENTION, TOKEN
from nerscope.dataset.split.hard_counts import (
    Groups,
    State,
    hard_codes,
    tough_codes,
    units_of,
)
from nerscope.dataset.split.hard_search import Goal, random_groups, searched
from nerscope.errors import InputError, UsageError, suggest
from nerscope.facets.hard import HARD
from nerscope.facets.tmr import TMR
from nerscope.scoring.token_matches import io_labels

RANDOM_SPLITS = 1000
_SHORT = {"unseen": "unseen-any", "tcm": "tcm-all"}
# What can be wanted: the unit that counts, and which codes of its facet.
NAMES: dict[str, tuple[str, tuple[int, ...]]] = {
    **{name: (MENTION, codes) for name, codes in TMR.level_codes.items()},
    **{short: (MENTION, TMR.level_codes[name]) for short, name in _SHORT.items()},
    **{f"hard-{name}": (TOKEN, codes) for name, codes in HARD.level_codes.items() if name != "all"},
}


class Design(NamedTuple):
    """A designed test set: what it reaches, and what random splits of its size give."""

    test: Bools  # by sentence
    rows: list[dict[str, Any]]
    random_splits: int


def parse_wanted(text: str) -> dict[str, float]:
    """The wanted shares that somebody wrote.

    >>> parse_wanted("unseen=0.8, tcm=0.1")
    {'unseen': 0.8, 'tcm': 0.1}
    """
    wanted: dict[str, float] = {}
    for part in text.split(","):
        name, _, share = (word.strip() for word in part.partition("="))
        if name not in NAMES:
            raise UsageError("hard", f"no share is called '{name}'", suggest(name, NAMES))
        if name in wanted:
            raise UsageError("hard", f"the share '{name}' is wanted twice", "say it once")
        wanted[name] = _share(name, share)
    return wanted


def _share(name: str, text: str) -> float:
    try:
        share = float(text)
    except ValueError:
        share = -1.0
    if not 0 <= share <= 1:
        raise UsageError(
            "hard", f"'{text}' cannot be the share of '{name}'", "give a number from 0 to 1"
        )
    return share


def design(
    corpus: Corpus,
    group: Ints,
    wanted: Mapping[str, float],
    *,
    size: float,
    held: Bools | None = None,
    seed: int = 0,
) -> Design:
    """Choose the test sentences; those with the same number in `group` stay together.

    `size` is the wanted share of all sentences; sentences that are `held` are neither train nor
    test. The wanted shares come first, but within limits: what the size is off beyond 2 % of
    itself, and the distribution of types beyond a total variation of 0.03 from the whole, costs
    ten times as much as a wanted share that is missed by as much.

    >>> names = ["Ada", "Ada", "Bob", "Cyd", "Bob", "Eve"]
    >>> corpus = Corpus.of([([name], ["B-PER"]) for name in names])
    >>> found = design(corpus, np.arange(6), {"tcm": 0, "unseen": 1}, size=1 / 3)
    >>> [(row["name"], row["reached"], row["random_mean"] < 1) for row in found.rows[:2]]
    [('tcm', 0.0, True), ('unseen', 1.0, True)]
    """
    if not corpus.is_flat and any(NAMES[name][0] == TOKEN for name in wanted):
        raise InputError(
            corpus.name,
            "tokens have no single label where mentions overlap",
            "ask for shares of mentions, such as unseen and tcm",
        )
    numbers = _numbered(group, np.zeros(len(corpus), bool) if held is None else held)
    groups, rng = _groups(corpus, numbers, wanted), np.random.default_rng(seed)
    goal = _goal(corpus, wanted, size)
    splits = [random_groups(groups, goal, rng) for _ in range(RANDOM_SPLITS)]
    vectors = np.array([State(groups, chosen).vector for chosen in splits])
    best = int(goal.cost(vectors).argmin())
    chosen = searched(groups, goal, splits[best], rng)
    found = State(groups, chosen).vector  # counted anew
    test = np.append(chosen, False)[numbers]  # what is held has the number -1
    return Design(
        test, _rows(goal, wanted, np.vstack([found, vectors[best], vectors])), len(splits)
    )


def _numbered(group: Ints, held: Bools) -> Ints:
    """The groups of sentences numbered from 0 on; -1 for sentences that are held."""
    numbers = np.full(len(group), -1, np.int64)
    numbers[~held] = np.unique(group[~held], return_inverse=True)[1]
    return numbers


def _goal(corpus: Corpus, wanted: Mapping[str, float], size: float) -> Goal:
    types = np.bincount(corpus.mentions().type, minlength=_n_types(corpus))
    return Goal(
        np.array(list(wanted.values()), np.float64),
        np.array([NAMES[name][0] == MENTION for name in wanted]),
        len(corpus),
        size,
        types / max(1, types.sum()),
    )


def _n_types(corpus: Corpus) -> int:
    return max(1, len(corpus.coding.labels.types))


def _groups(corpus: Corpus, group: Ints, wanted: Mapping[str, float]) -> Groups:
    """What every group has; `group` is -1 for sentences that are left out."""
    mentions, lengths = corpus.mentions(), np.diff(corpus.starts)
    sentence = mentions.sentences(corpus.starts)
    by_type = counted(sentence, mentions.type, (len(corpus), _n_types(corpus)))
    sizes = np.zeros((int(group.max(initial=-1)) + 1, 2 + by_type.shape[1]))
    inside = group >= 0
    own = np.column_stack([np.ones_like(lengths), lengths, by_type])
    np.add.at(sizes, group[inside], own[inside])
    surfaces = Paths().codes(corpus.tokens, mentions.start, mentions.end)
    labels = io_labels(mentions, corpus.n_tokens) + 1
    kinds = {
        MENTION: (group[sentence], surfaces, mentions.type, tough_codes),
        TOKEN: (np.repeat(group, lengths), corpus.tokens, labels, hard_codes),
    }
    used = {NAMES[name][0] for name in wanted}
    units = [
        units_of(*kind, groups=len(sizes), worth=_worth(unit, wanted))
        for unit, kind in kinds.items()
        if unit in used
    ]
    return Groups(sizes, units)


def _worth(unit: str, wanted: Mapping[str, float]) -> Ints:
    """By wanted share and code: 1 if units with the code count for the share."""
    worth = np.zeros((len(wanted), max(TMR.n_codes, HARD.n_codes)), np.int64)
    for place, (counts, codes) in enumerate(NAMES[name] for name in wanted):
        worth[place, list(codes)] = counts == unit
    return worth


def _rows(goal: Goal, wanted: Mapping[str, float], vectors: Floats) -> list[dict[str, Any]]:
    """A row for each wanted share, the size and the types; `vectors` are those of the test set, of
    the best random split, and of all random splits.
    """
    aims = {**wanted, "size": goal.size, "types": 0.0}
    measures, n = goal.measures(vectors), goal.denominators(vectors[0])
    return [
        {
            "name": name,
            "wanted": aim,
            "reached": _defined(values[0]),
            "n": int(of),
            **_spread(values[2:]),
            "best_random": _defined(values[1]),
        }
        for (name, aim), values, of in zip(aims.items(), measures.T, n, strict=True)
    ]


def _spread(values: Floats) -> dict[str, float | None]:
    """The mean of what random splits give, and where 95 % of them lie."""
    values = values[~np.isnan(values)]
    if not len(values):
        return dict.fromkeys(("random_mean", "random_low", "random_high"))
    low, high = np.percentile(values, [2.5, 97.5]).tolist()
    return {"random_mean": float(values.mean()), "random_low": low, "random_high": high}


def _defined(value: float) -> float | None:
    return None if np.isnan(value) else float(value)
