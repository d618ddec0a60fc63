"""Decode labels to mentions and encode mentions as labels, for whole chunks at once.

Decoding follows conlleval by default. It then uses the roles of labels only, not their scheme.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from nerscope.codec import serialisable
from nerscope.corpus.arrays import Bools, Ints, Objects, expand_ranges
from nerscope.corpus.schemes import (
    BEGIN,
    BIO,
    END,
    INSIDE,
    OUTSIDE,
    ROLE_OF_LETTER,
    SINGLE,
    Label,
    LabelCodes,
    Scheme,
    stray_labels,
)
from nerscope.errors import UsageError, suggest

CONLLEVAL, STRICT, DISCARD = "conlleval", "strict", "discard"
SCHEME_REPAIRS = (STRICT, DISCARD)  # repairs that depend on the scheme of the labels
REPAIRS = {
    CONLLEVAL: "any label except O belongs to a mention; a stray I-X opens one",
    STRICT: "only B (or S) opens a mention; the labels after it take its type; a stray I-X is O",
    DISCARD: "mentions with a forbidden transition are dropped",
    "none": "forbidden transitions are refused",
}


def check_repair(name: str) -> None:
    if not isinstance(name, str) or name not in REPAIRS:
        raise UsageError("repair", f"unknown repair '{name}'", suggest(name, REPAIRS))


@serialisable
class Shape(NamedTuple):
    """How a mention differs from a run of whole tokens.

    `holes` are the tokens inside its range that do not belong to it, as half-open ranges counted
    from its start. `left` and `right` are the numbers of characters of its first and last token
    that do not belong to it; a negative `right` is the number of its characters beyond the
    sentence. A mention that is `adrift` has an edge without a place in gold, and equals no other
    mention. A mention without tokens is not in the text. `predicted_text` is what a system wrote.

    >>> Shape(holes=((1, 2),)).is_aligned, Shape(left=1, predicted_text="ork").is_aligned
    (True, False)
    """

    holes: tuple[tuple[int, int], ...] = ()
    left: int = 0
    right: int = 0
    adrift: bool = False
    predicted_text: str = ""

    @classmethod
    def of_runs(cls, runs: Sequence[tuple[int, int]]) -> "Shape":
        """The shape of a mention that is several runs of tokens, half-open and in order.

        >>> Shape.of_runs([(3, 5), (6, 7)]).holes
        ((2, 3),)
        """
        first = runs[0][0]
        holes = ((end - first, start - first) for (_, end), (start, _) in pairwise(runs))
        return cls(tuple(hole for hole in holes if hole[0] < hole[1]))

    @property
    def is_aligned(self) -> bool:
        """Whether the mention begins and ends on token boundaries."""
        return not (self.left or self.right or self.adrift)

    def runs(self, start: int, end: int) -> list[tuple[int, int]]:
        """The runs of tokens of a mention from `start` to `end`.

        >>> Shape(((2, 3),)).runs(3, 7)
        [(3, 5), (6, 7)]
        """
        edges = [start, *(start + edge for hole in self.holes for edge in hole), end]
        return list(zip(edges[::2], edges[1::2], strict=True))

    def outline(self) -> object:
        """A value that is equal for two mentions on the same tokens if both are the same."""
        return object() if self.adrift else (self.holes, self.left, self.right)


PLAIN = Shape()


def shape_column(shapes: Sequence[Shape]) -> Objects | None:
    """Shapes as a column; None if all are plain, which is the most frequent case by far."""
    if all(shape == PLAIN for shape in shapes):
        return None
    return np.fromiter(shapes, object, len(shapes))


@serialisable
@dataclass(frozen=True, slots=True, eq=False)
class Mentions:
    """Spans of tokens with a type, as parallel arrays.

    Spans are half-open and counted from the start of the chunk. `shape` has the shape of each
    mention; it is None if all are runs of whole tokens.
    """

    start: Ints
    end: Ints
    type: Ints
    shape: Objects | None = None

    def __len__(self) -> int:
        return len(self.start)

    def __getitem__(self, chosen: Bools | Ints) -> "Mentions":
        shape = None if self.shape is None else self.shape[chosen]
        return Mentions(self.start[chosen], self.end[chosen], self.type[chosen], shape)

    def shifted(self, by: int | Ints) -> "Mentions":
        """The same mentions, shifted by a number of tokens."""
        return Mentions(self.start + by, self.end + by, self.type, self.shape)

    @property
    def lengths(self) -> Ints:
        """The number of tokens of each mention."""
        whole = self.end - self.start
        if self.shape is None:
            return whole
        return whole - np.array([_size(shape.holes) for shape in self.shape], np.int64)

    @property
    def positions(self) -> Ints:
        """The tokens of all mentions, mention by mention."""
        positions = expand_ranges(self.start, self.end)
        if self.shape is None or not any(shape.holes for shape in self.shape):
            return positions
        ends = np.cumsum(self.end - self.start)
        keep = np.ones(len(positions), bool)
        for begin, shape in zip((ends - (self.end - self.start)).tolist(), self.shape, strict=True):
            for low, high in shape.holes:
                keep[begin + low : begin + high] = False
        return positions[keep]

    def runs(self, at: int) -> list[tuple[int, int]]:
        shape = PLAIN if self.shape is None else self.shape[at]
        runs: list[tuple[int, int]] = shape.runs(int(self.start[at]), int(self.end[at]))
        return runs

    @property
    def aligned(self) -> Bools:
        """Whether each mention begins and ends on token boundaries."""
        if self.shape is None:
            return np.ones(len(self), bool)
        return np.array([shape.is_aligned for shape in self.shape], bool)

    @property
    def placed(self) -> "Mentions":
        """The mentions that have tokens; a hallucinated mention has none."""
        return self if self.shape is None else self[self.end > self.start]

    def sentences(self, starts: Ints) -> Ints:
        """The sentence of each mention."""
        return np.searchsorted(starts, self.start, side="right") - 1

    @property
    def are_flat(self) -> bool:
        """Whether labels can encode the mentions: none overlap, and none has a hole.

        The mentions must be sorted by start.
        """
        if self.shape is not None and any(shape.holes for shape in self.shape):
            return False
        return bool((self.start[1:] >= self.end[:-1]).all())

    @property
    def repeats(self) -> Bools:
        """Whether each has the span and type of an earlier one; never if it has no tokens."""
        again = np.zeros(len(self), bool)
        if self.shape is None and (self.start[1:] > self.start[:-1]).all():
            return again  # the common case
        columns = (shape_codes([self])[0], self.type, self.end, self.start)
        order = np.lexsort(columns)  # stable: of equal ones, the earliest comes first
        equal = np.ones(max(0, len(self) - 1), bool)
        for column in columns:
            ordered = column[order]
            equal &= ordered[1:] == ordered[:-1]
        again[order[1:][equal]] = True
        return again & (self.end > self.start)

    def in_order(self) -> "Mentions":
        """The same mentions sorted by start, end and type."""
        return self[np.lexsort((self.type, self.end, self.start))]


_NONE = np.zeros(0, np.int64)
NO_MENTIONS = Mentions(_NONE, _NONE, _NONE)


def join_mentions(parts: Sequence[Mentions]) -> Mentions:
    """Concatenate mentions."""
    shape = None
    if any(part.shape is not None for part in parts):
        shape = np.concatenate([explicit_shapes(part.shape, len(part)) for part in parts])
    return Mentions(
        np.concatenate([part.start for part in parts]),
        np.concatenate([part.end for part in parts]),
        np.concatenate([part.type for part in parts]),
        shape,
    )


def shape_codes(parts: Sequence[Mentions]) -> list[Ints]:
    """A code for the shape of each mention; equal codes mean equal outlines."""
    codes: dict[object, int] = {PLAIN.outline(): 0}
    return [
        np.zeros(len(part), np.int64)
        if part.shape is None
        else np.array(
            [codes.setdefault(shape.outline(), len(codes)) for shape in part.shape], np.int64
        )
        for part in parts
    ]


def token_runs(tokens: Ints, mentions: Mentions) -> tuple[Ints, Ints, Ints]:
    """The tokens of mentions as runs `items[start:end]`; tokens in holes are removed."""
    if mentions.shape is None:
        return tokens, mentions.start, mentions.end
    ends = np.cumsum(mentions.lengths)
    return tokens[mentions.positions], ends - mentions.lengths, ends


def explicit_shapes(shape: Objects | None, size: int) -> Objects:
    """The shapes of `size` mentions; a column of None becomes plain shapes."""
    return np.fromiter([PLAIN] * size, object, size) if shape is None else shape


def _size(ranges_of: Iterable[tuple[int, int]]) -> int:
    return sum(high - low for low, high in ranges_of)


def decode(
    codes: Ints, starts: Ints, labels: LabelCodes, repair: str = CONLLEVAL, scheme: Scheme = BIO
) -> Mentions:
    """Decode label codes to mentions. A repair changes only what the scheme forbids.

    >>> labels = LabelCodes()
    >>> codes = np.array([labels.code(Label(role, "PER")) for role in (BEGIN, INSIDE, BEGIN)])
    >>> mentions = decode(codes, np.array([0, 3]), labels)
    >>> mentions.start.tolist(), mentions.end.tolist()
    ([0, 2], [2, 3])
    """
    if repair == STRICT and not scheme.inside_opens:
        return _decode_roles(codes, starts, labels, strict=True)
    mentions = _decode_roles(codes, starts, labels)
    if repair == DISCARD:
        role, kind = labels.roles[codes], labels.type_codes[codes]
        return mentions[~_faulty(mentions, role, kind, starts, scheme)]
    return mentions


def _decode_roles(codes: Ints, starts: Ints, labels: LabelCodes, strict: bool = False) -> Mentions:
    """Find where mentions open among the labels except O; each ends before the next one opens.

    In `O B-PER I-PER I-LOC O I-LOC`, tokens 1, 2, 3 and 5 are inside; 1 opens (B), 3 opens (another
    type), 5 opens (a gap before it). So the mentions are 1-2 PER, 3 LOC and 5 LOC. With `strict`,
    only B and S open a mention, and another type does not end it: 1-3 PER.
    """
    inside = np.flatnonzero(codes != 0)  # the code of O is 0; most tokens are O
    inside_codes = codes.take(inside)
    role, kind = labels.roles.take(inside_codes), labels.type_codes.take(inside_codes)
    first = np.zeros(len(codes), bool)
    first[starts[:-1]] = True
    may_open = (role == BEGIN) | (role == SINGLE)
    opens = first.take(inside)
    opens |= may_open
    opens[1:] |= (inside[1:] - inside[:-1] > 1) | (role[:-1] >= END)
    if not strict:
        opens[1:] |= kind[1:] != kind[:-1]
    opens[:1] = True
    begin = np.flatnonzero(opens)
    last = np.append(begin, len(inside))[1:] - 1
    if strict:
        begin, last = begin[may_open[begin]], last[may_open[begin]]
    return Mentions(inside.take(begin), inside.take(last) + 1, kind.take(begin))


def _faulty(mentions: Mentions, role: Ints, kind: Ints, starts: Ints, scheme: Scheme) -> Bools:
    """Whether each mention has a stray label, or no end mark in a scheme that needs one."""
    # Running totals of stray labels: a mention holds one if the total grows from start to end.
    before = np.concatenate([[0], np.cumsum(stray_labels(role, kind, starts, scheme))])
    faulty: Bools = before[mentions.end] > before[mentions.start]
    return faulty | (role[mentions.end - 1] < END) if scheme.must_close else faulty


def roles_and_types(mentions: Mentions, starts: Ints, scheme: Scheme) -> tuple[Ints, Ints]:
    """The role and the type of every token if a scheme encodes mentions that do not overlap."""
    mentions = mentions.placed
    length = int(starts[-1])
    role, kind = np.zeros(length, np.int64), np.full(length, -1, np.int64)
    lengths = mentions.end - mentions.start
    inside = expand_ranges(mentions.start, mentions.end)
    role[inside], kind[inside] = INSIDE, np.repeat(mentions.type, lengths)
    role[mentions.end - 1] = END
    role[mentions.start] = BEGIN
    role[mentions.start[lengths == 1]] = SINGLE
    if scheme.begin_separates:
        role[mentions.start] = np.where(_follows_own_type(mentions, starts), BEGIN, INSIDE)
    # bio writes the end of a mention as I, which is read back as inside.
    read_back = np.array([OUTSIDE, *(ROLE_OF_LETTER[letter] for letter in scheme.letters)])
    return read_back[role], kind


def encode(mentions: Mentions, starts: Ints, labels: LabelCodes, scheme: Scheme) -> Ints:
    """The label codes with which a scheme encodes mentions that do not overlap."""
    role, kind = roles_and_types(mentions, starts, scheme)
    table = np.zeros((5, max(1, len(labels.types))), np.int64)
    for used in np.unique(role[role != OUTSIDE]).tolist():
        table[used] = [labels.code(Label(used, name)) for name in labels.types]
    return table[role, np.maximum(kind, 0)]


def _follows_own_type(mentions: Mentions, starts: Ints) -> Bools:
    """Whether each mention directly follows one of the same type in the same sentence."""
    touching = np.zeros(len(mentions), bool)
    touching[1:] = (mentions.start[1:] == mentions.end[:-1]) & (
        mentions.type[1:] == mentions.type[:-1]
    )
    return touching & ~np.isin(mentions.start, starts)


def count_merged_by_io(mentions: Mentions, starts: Ints) -> int:
    """The number of mentions that a scheme without B merges with the mention before."""
    return int(_follows_own_type(mentions, starts).sum())
