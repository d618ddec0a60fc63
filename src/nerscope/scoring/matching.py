"""Which predicted mention goes with which gold one, and for how much credit.

Exact matches are settled first, those of the same type before others. Of what is left, a gold
mention takes at most one prediction and a prediction serves at most one gold mention, so that the
number of pairs is the largest possible. Gold mentions are served in the order of start, end and
type; each prefers a prediction of its own type, then the larger overlap, then the one that comes
first; one that was served earlier changes its partner only so that both are served. So the result
never depends on the order of the input.
"""

import re
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from nerscope.corpus.arrays import Bools, Floats, Ints
from nerscope.corpus.lookup import ranges
from nerscope.corpus.mentions import Mentions
from nerscope.errors import UsageError
from nerscope.registry import Registry

UNPAIRED, INCORRECT, PARTIAL, CORRECT = range(4)


class Pairs(NamedTuple):
    """A one-to-one matching: pairs of gold and predicted mentions, with credit and kind (correct,
    partial, incorrect).
    """

    gold: Ints
    pred: Ints
    credit: Floats
    kind: Ints


class Touch(NamedTuple):
    """Candidate pairs of mentions that share a token, as parallel arrays."""

    gold: Mentions
    pred: Mentions

    @property
    def shared(self) -> Ints:
        """How many tokens both have."""
        return np.minimum(self.gold.end, self.pred.end) - np.maximum(
            self.gold.start, self.pred.start
        )

    @property
    def sizes(self) -> tuple[Ints, Ints]:
        """How many tokens each has."""
        return self.gold.end - self.gold.start, self.pred.end - self.pred.start


CreditRule = Callable[[Touch], Floats]
Matcher = Callable[[Mentions, Mentions], Pairs]
MATCHES: Registry[Callable[..., Matcher]] = Registry("match")


def match_named(text: str) -> Matcher:
    """The matcher of a name with options, such as `overlap(credit=1)` or `iou(threshold=0.5,
    typed=no)`.
    """
    found = re.fullmatch(r"\s*([\w-]+)\s*(?:\((.*)\))?\s*", text)
    if not found:
        raise UsageError(
            f"match '{text}'", "it cannot be read", "write name or name(option=value, …)"
        )
    make = MATCHES[found[1]]
    options: dict[str, object] = {}
    for part in filter(None, (piece.strip() for piece in (found[2] or "").split(","))):
        key, _, value = (piece.strip() for piece in part.partition("="))
        try:
            options[key] = {"yes": True, "no": False}[value] if key == "typed" else float(value)
        except (KeyError, ValueError):
            raise UsageError(
                f"match '{text}'",
                f"'{part}' cannot be read",
                "credit and threshold are numbers, typed is yes or no",
            ) from None
    try:
        return make(**options)
    except TypeError:
        raise UsageError(
            f"match '{text}'",
            f"'{found[1]}' has no such option",
            "see docs/measures/partial.md for the options of each match",
        ) from None


def match_family(name: str, rule: CreditRule | None, **defaults: float) -> None:
    """Register a match: exact pairs get 1, other pairs what the rule says of mentions that share a
    token (0 is no match).

    `credit` (of a rule that says 0 or 1) and `threshold` (of a rule that grades) become options if
    they have a default.

    >>> match_family("no-longer", lambda touch: touch.sizes[1] <= touch.sizes[0], credit=0.5)
    >>> match_named("no-longer(credit=0.25)") is not None
    True
    """

    def make(typed: bool = True, **options: float) -> Matcher:
        if unknown := options.keys() - defaults.keys():
            raise TypeError(unknown)
        if rule is None:  # nothing but exact pairs
            return lambda gold, pred: _settled(*_equal_by_tiers(gold, pred, typed))
        values = {**defaults, **options}
        for key, value in values.items():
            if not 0 <= value <= 1:
                raise UsageError(
                    f"match '{name}'", f"{key}={value:g} cannot be", "give a number from 0 to 1"
                )

        def credit_of(touch: Touch) -> Floats:
            graded = rule(touch) * values.get("credit", 1.0)
            return np.where(graded >= values.get("threshold", 0.0), graded, 0.0)

        return lambda gold, pred: _matched(gold, pred, credit_of, typed)

    MATCHES.add(name, make)


def _left(touch: Touch) -> Floats:
    return np.asarray(touch.gold.start == touch.pred.start, np.float64)


def _right(touch: Touch) -> Floats:
    return np.asarray(touch.gold.end == touch.pred.end, np.float64)


def _overlap(touch: Touch) -> Floats:
    return np.ones(len(touch.gold))


def _iou(touch: Touch) -> Floats:
    gold, pred = touch.sizes
    return np.asarray(touch.shared / (gold + pred - touch.shared), np.float64)


def _dice(touch: Touch) -> Floats:
    gold, pred = touch.sizes
    return np.asarray(2 * touch.shared / (gold + pred), np.float64)


def _coverage(touch: Touch) -> Floats:
    return np.asarray(touch.shared / touch.sizes[0], np.float64)


match_family("exact", None)
for _name, _rule in [("left", _left), ("right", _right), ("overlap", _overlap)]:
    match_family(_name, _rule, credit=0.5)
for _name, _rule in [("iou", _iou), ("dice", _dice), ("coverage", _coverage)]:
    match_family(_name, _rule, threshold=0.0)


def _matched(gold: Mentions, pred: Mentions, credit_of: CreditRule, typed: bool) -> Pairs:
    exact = _settled(*_equal_by_tiers(gold, pred, typed))
    left, right, credit = _rest(gold, pred, exact.gold, exact.pred, credit_of, typed)
    return Pairs(
        np.concatenate([exact.gold, left]),
        np.concatenate([exact.pred, right]),
        np.concatenate([exact.credit, credit]),
        np.concatenate([exact.kind, np.full(len(left), PARTIAL, np.int8)]),
    )


def _settled(gold: Ints, pred: Ints) -> Pairs:
    return Pairs(gold, pred, np.ones(len(gold)), np.full(len(gold), CORRECT, np.int8))


def _muc(strict_span: bool, strict_type: bool, near_credit: float) -> Callable[..., Matcher]:
    """A MUC-5 / SemEval-2013 schema: all mentions that share a token are paired, then judged.

    Mentions are paired by span and type, then by span, then by any overlap.
    """

    def match(gold: Mentions, pred: Mentions) -> Pairs:
        at_gold, at_pred = _equal_by_tiers(gold, pred, typed=False)
        left, right, _ = _rest(gold, pred, at_gold, at_pred, _overlap, typed=False)
        at_gold, at_pred = np.concatenate([at_gold, left]), np.concatenate([at_pred, right])
        a, b = gold[at_gold], pred[at_pred]
        same_span = (a.start == b.start) & (a.end == b.end)
        right_type = (a.type == b.type) | (not strict_type)
        near = right_type & ~same_span if strict_span else np.zeros(len(a), bool)
        correct = right_type & ~near
        credit = correct + near_credit * near
        kind = np.where(
            correct, CORRECT, np.where(near & (near_credit > 0), PARTIAL, INCORRECT)
        ).astype(np.int8)
        return Pairs(at_gold, at_pred, credit, kind)

    return lambda: match


MATCHES.add("muc-strict", _muc(strict_span=True, strict_type=True, near_credit=0.0))
MATCHES.add("muc-exact", _muc(strict_span=True, strict_type=False, near_credit=0.0))
MATCHES.add("muc-partial", _muc(strict_span=True, strict_type=False, near_credit=0.5))
MATCHES.add("muc-type", _muc(strict_span=False, strict_type=True, near_credit=0.0))


def _equal_by_tiers(gold: Mentions, pred: Mentions, typed: bool) -> tuple[Ints, Ints]:
    """Pairs of equal span and type, and then, if types do not matter, of equal span."""
    at_gold, at_pred = equal_spans(gold, pred, typed=True)
    if typed:
        return at_gold, at_pred
    free_gold, free_pred = _free(len(gold), at_gold), _free(len(pred), at_pred)
    more_gold, more_pred = equal_spans(gold[free_gold], pred[free_pred], typed=False)
    return np.concatenate([at_gold, free_gold[more_gold]]), np.concatenate(
        [at_pred, free_pred[more_pred]]
    )


def equal_spans(gold: Mentions, pred: Mentions, typed: bool) -> tuple[Ints, Ints]:
    """Pairs of equal span (and type); of several equal ones, the k-th in the order of type goes
    with the k-th.
    """
    n_types = 1 + int(max(gold.type.max(initial=0), pred.type.max(initial=0)))
    longest = 1 + int(
        max((gold.end - gold.start).max(initial=0), (pred.end - pred.start).max(initial=0))
    )
    gold_keys, pred_keys = (
        _keys(mentions, longest, n_types if typed else 1) for mentions in (gold, pred)
    )
    if not (_increasing(gold_keys) and _increasing(pred_keys)):
        gold_keys, pred_keys = _made_distinct(gold_keys, gold.type, pred_keys, pred.type)
        _, at_gold, at_pred = np.intersect1d(
            gold_keys, pred_keys, assume_unique=True, return_indices=True
        )
        return at_gold, at_pred
    # The common case: decoded labels are in order and never equal.
    at = np.minimum(np.searchsorted(gold_keys, pred_keys), max(0, len(gold_keys) - 1))
    hits = np.flatnonzero(gold_keys[at] == pred_keys) if len(gold_keys) else np.zeros(0, np.int64)
    return at[hits], hits


def _keys(mentions: Mentions, longest: int, n_types: int) -> Ints:
    keys: Ints = mentions.start.astype(np.int64) * longest + (mentions.end - mentions.start)
    return keys if n_types == 1 else keys * n_types + mentions.type


def _increasing(keys: Ints) -> bool:
    return bool((keys[1:] > keys[:-1]).all())


def _made_distinct(
    gold_keys: Ints, gold_types: Ints, pred_keys: Ints, pred_types: Ints
) -> tuple[Ints, Ints]:
    """Small keys in which equal ones are numbered in the order of type."""
    _, codes = np.unique(np.concatenate([gold_keys, pred_keys]), return_inverse=True)
    parts = []
    for keys, types in [
        (codes[: len(gold_keys)], gold_types),
        (codes[len(gold_keys) :], pred_types),
    ]:
        order = np.lexsort((types, keys))
        numbers = np.empty_like(keys)
        numbers[order] = np.arange(len(keys)) - np.searchsorted(keys[order], keys[order])
        parts.append(keys * (len(codes) + 1) + numbers)
    return parts[0], parts[1]


def _free(size: int, taken: Ints) -> Ints:
    free: Bools = np.ones(size, bool)
    free[taken] = False
    return np.flatnonzero(free)


def _rest(
    gold: Mentions,
    pred: Mentions,
    used_gold: Ints,
    used_pred: Ints,
    credit_of: CreditRule,
    typed: bool,
) -> tuple[Ints, Ints, Floats]:
    """Pair what is left over: all candidate pairs with credit, then as many of them as can stand
    side by side.
    """
    free_gold = _in_order(gold, _free(len(gold), used_gold))
    free_pred = _in_order(pred, _free(len(pred), used_pred))
    left, right = overlapping(gold[free_gold], pred[free_pred])
    touch = Touch(gold[free_gold[left]], pred[free_pred[right]])
    credit = credit_of(touch)
    same_type = touch.gold.type == touch.pred.type
    good = (credit > 0) & (same_type | (not typed))
    left, right, credit = left[good], right[good], credit[good]
    chosen = largest_matching(left, right, same_type[good], touch.shared[good])
    return free_gold[left[chosen]], free_pred[right[chosen]], credit[chosen]


def _in_order(mentions: Mentions, chosen: Ints) -> Ints:
    part = mentions[chosen]
    return chosen[np.lexsort((part.type, part.end, part.start))]


def overlapping(gold: Mentions, pred: Mentions) -> tuple[Ints, Ints]:
    """All pairs that share a token; both sides must be sorted by start. Nested and overlapping
    spans are fine.
    """
    reach = np.maximum.accumulate(gold.end) if len(gold) else gold.end
    low = np.searchsorted(reach, pred.start, side="right")
    high = np.maximum(low, np.searchsorted(gold.start, pred.end, side="left"))
    left, right = ranges(low, high), np.repeat(np.arange(len(pred)), high - low)
    real = gold.end[left] > pred.start[right]
    return left[real], right[real]


def largest_matching(left: Ints, right: Ints, same_type: Bools, shared: Ints) -> Ints:
    """Which edges to take so that no end is used twice and as many as possible are taken."""
    alone = (
        (np.bincount(left)[left] == 1) & (np.bincount(right)[right] == 1)
        if len(left)
        else np.zeros(0, bool)
    )
    rest = np.flatnonzero(~alone)
    order = rest[np.lexsort((right[rest], -shared[rest], ~same_type[rest], left[rest]))]
    choices: dict[int, list[tuple[int, int]]] = {}
    for edge in order.tolist():
        choices.setdefault(int(left[edge]), []).append((int(right[edge]), edge))
    mates = _Mates({}, {})
    for start in choices:
        mates.augment(start, choices)
    return np.sort(
        np.concatenate(
            [np.flatnonzero(alone), np.array([edge for _, edge in mates.edge.values()], np.int64)]
        )
    )


@dataclass(slots=True)
class _Mates:
    """A matching under construction: the edge of each left end, and who holds each right end."""

    edge: dict[int, tuple[int, int]]  # left end -> right end, edge
    holder: dict[int, int]  # right end -> left end

    def augment(self, start: int, choices: dict[int, list[tuple[int, int]]]) -> None:
        """Give `start` an edge, moving others along the shortest path of exchanges if there is one."""
        reached_by: dict[int, tuple[int, int]] = {}  # right end -> left end, edge
        queue = deque([start])
        while queue:
            here = queue.popleft()
            for end, edge in choices[here]:
                if end in reached_by:
                    continue
                reached_by[end] = (here, edge)
                if end not in self.holder:
                    self._exchange(start, end, reached_by)
                    return
                queue.append(self.holder[end])

    def _exchange(self, start: int, end: int, reached_by: dict[int, tuple[int, int]]) -> None:
        while True:
            taker, edge = reached_by[end]
            given_up = self.edge.get(taker)
            self.edge[taker], self.holder[end] = (end, edge), taker
            if taker == start or given_up is None:
                return
            end = given_up[0]
