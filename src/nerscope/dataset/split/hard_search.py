"""The search for the groups whose test set comes nearest to what is wanted."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from nerscope.corpus.arrays import Bools, Floats
from nerscope.dataset.split.hard_counts import Groups, State

SIZE_TOLERANCE = 0.02  # relative to the wanted size
TYPE_TOLERANCE = 0.03  # total variation
_PENALTY = 10.0  # for what goes beyond
_GOOD_ENOUGH = 2e-4  # shares are shown with fewer digits
_ROUND = 250  # steps, or more if there are more groups than _GROUPS for each
_GROUPS = 50
_NO_GAIN = 0.97  # of what a round began with
_HEATS = (0.01, 0.005, 0.003, 0.001)  # mean cost of a step uphill, by round
_ENTRIES, _FEWEST_AND_MOST = 1000, (8, 32)  # candidates of a step, on either side


@dataclass(frozen=True, slots=True, eq=False)
class Goal:
    """What is wanted of a test set, which is judged by the vector of its state."""

    wanted: Floats  # by share
    of_mentions: Bools  # by share: whether its units are mentions, or else tokens
    sentences: int  # all there are
    size: float  # the wanted share of them
    types: Floats  # by type: its share of all mentions there are

    def denominators(self, vectors: Floats) -> Floats:
        """What shares, size and types are measured by: mentions, tokens, or all sentences."""
        tokens, types = vectors[..., -len(self.types) - 1, None], vectors[..., -len(self.types) :]
        mentions = types.sum(axis=-1, keepdims=True)
        sentences = np.full_like(mentions, self.sentences)
        shares = np.where(self.of_mentions, mentions, tokens)
        return np.concatenate([shares, sentences, mentions], axis=-1)

    def measures(self, vectors: Floats) -> Floats:
        """The shares, the size, and the distance of the types; NaN where undefined."""
        n = self.denominators(vectors)
        found = np.zeros_like(n)
        with np.errstate(invalid="ignore"):
            found[..., :-1] = vectors[..., : len(self.wanted) + 1] / n[..., :-1]
            types = vectors[..., -len(self.types) :] / n[..., -1:]
        found[..., -1] = np.abs(types - self.types).sum(axis=-1) / 2
        return found

    def cost(self, vectors: Floats) -> Floats:
        """How far test sets are from what is wanted; what is undefined could not be farther."""
        found = self.measures(vectors)
        missed = np.nan_to_num(np.abs(found[..., :-2] - self.wanted), nan=1.0).sum(axis=-1)
        off = np.abs(found[..., -2] / self.size - 1)
        distance = np.nan_to_num(found[..., -1], nan=1.0)
        beyond = np.maximum(off - SIZE_TOLERANCE, 0) + np.maximum(distance - TYPE_TOLERANCE, 0)
        cost: Floats = missed + _PENALTY * beyond
        return cost


def random_groups(groups: Groups, goal: Goal, rng: np.random.Generator) -> Bools:
    """Groups that are not larger than wanted, in random order, as many as come nearest to it."""
    wanted = goal.size * goal.sentences
    fitting = np.flatnonzero(groups.sizes[:, 0] <= wanted)
    order = rng.permutation(fitting if len(fitting) else len(groups))
    sizes = np.cumsum(groups.sizes[order, 0])
    chosen = np.zeros(len(groups), bool)
    chosen[order[: np.abs(sizes - wanted).argmin() + 1]] = True
    return chosen


def searched(groups: Groups, goal: Goal, start: Bools, rng: np.random.Generator) -> Bools:
    """The groups of a test set that is at least as near to the goal as the start.

    Where going downhill ends too early, steps uphill are allowed for a while, fewer and fewer. The
    clock has no say, so that the same seed gives the same groups.
    """
    state = State(groups, start)
    cost = _descend(state, goal, rng)
    found = state.chosen.copy()
    if cost > _GOOD_ENOUGH:
        for heat in _HEATS:
            _round(state, goal, heat, rng)
        if _descend(state, goal, rng) < cost:
            found = state.chosen
    return found


def _descend(state: State, goal: Goal, rng: np.random.Generator) -> float:
    """Go downhill until the goal is reached, or a round gains next to nothing."""
    cost, before = float(goal.cost(state.vector)), np.inf
    while _GOOD_ENOUGH < cost < _NO_GAIN * before:
        before = cost
        _round(state, goal, 0.0, rng)
        cost = float(goal.cost(state.vector))
    return cost


def _round(state: State, goal: Goal, heat: float, rng: np.random.Generator) -> None:
    candidates = _candidates(state.groups)
    for _ in range(max(_ROUND, len(state.groups) // _GROUPS)):
        _step(state, goal, candidates, heat, rng)


def _candidates(groups: Groups) -> int:
    """How many groups a step looks at on either side: fewer if they are large."""
    entries = sum(len(units.family) for units in groups.units)
    return int(np.clip(_ENTRIES * len(groups) / max(1, entries), *_FEWEST_AND_MOST))


def _step(state: State, goal: Goal, candidates: int, heat: float, rng: np.random.Generator) -> None:
    """Of some groups outside and some inside the test set, move the best pair, or one alone; unless
    that costs more than staying does, which the heat makes dearer.
    """
    outside, inside = (
        rng.choice(pool, min(candidates, len(pool)), replace=False)
        for pool in (np.flatnonzero(~state.chosen), np.flatnonzero(state.chosen))
    )
    changes = state.changes(np.concatenate([outside, inside]))
    stay = np.zeros((1, len(state.vector)))
    come = np.vstack([stay, changes[: len(outside)]])
    go = np.vstack([stay, changes[len(outside) :]])
    costs = goal.cost(state.vector + come[:, None] + go)
    costs[0, 0] += heat * rng.exponential()
    first, second = np.unravel_index(costs.argmin(), costs.shape)
    moved = [*outside[first - 1 : first], *inside[second - 1 : second]]  # nothing where it is 0
    _flip(state, moved)
    if goal.cost(state.vector) > costs[0, 0]:  # the two have families in common
        _flip(state, moved)


def _flip(state: State, moved: Iterable[int]) -> None:
    for group in moved:
        state.flip(group)
