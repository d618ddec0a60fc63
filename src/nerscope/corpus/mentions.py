"""Labels to mentions and back, for whole chunks at once.

Decoding never needs to know the scheme, only roles: it follows conlleval unless another repair is
chosen.
"""

from dataclasses import dataclass

import numpy as np

from nerscope.corpus.arrays import Bools, Ints
from nerscope.corpus.lookup import ranges
from nerscope.corpus.schemes import (
    BEGIN,
    BIO,
    END,
    INSIDE,
    OUTSIDE,
    ROLE_OF_LETTER,
    SINGLE,
    Label,
    Labels,
    Scheme,
    stray,
)
from nerscope.errors import UsageError, suggest

REPAIRS = {
    "conlleval": "any label but O belongs to a mention; a stray I-X opens one",
    "strict": "only B (or S) opens a mention; what follows takes its type; a stray I-X is O",
    "discard": "mentions with a forbidden transition are dropped",
    "none": "forbidden transitions are refused",
}


def check_repair(name: str) -> None:
    """Refuse a repair that does not exist."""
    if not isinstance(name, str) or name not in REPAIRS:
        raise UsageError("repair", f"there is no repair '{name}'", suggest(name, REPAIRS))


@dataclass(frozen=True, slots=True, eq=False)
class Mentions:
    """Spans of tokens with a type: parallel arrays, spans half-open and counted from the start of
    the chunk.
    """

    start: Ints
    end: Ints
    type: Ints

    def __len__(self) -> int:
        return len(self.start)

    def __getitem__(self, chosen: Bools | Ints) -> "Mentions":
        return Mentions(self.start[chosen], self.end[chosen], self.type[chosen])

    def sentences(self, starts: Ints) -> Ints:
        """The sentence of each mention."""
        return np.searchsorted(starts, self.start, side="right") - 1

    @property
    def are_flat(self) -> bool:
        """Whether no token belongs to two of them; they must be sorted by start."""
        return bool((self.start[1:] >= self.end[:-1]).all())

    def in_order(self) -> "Mentions":
        """The same mentions sorted by start, end and type."""
        return self[np.lexsort((self.type, self.end, self.start))]


NO_MENTIONS = Mentions(*(np.zeros(0, np.int64) for _ in range(3)))


def decode(
    codes: Ints, starts: Ints, labels: Labels, repair: str = "conlleval", scheme: Scheme = BIO
) -> Mentions:
    """The mentions that label codes spell. A repair touches only what the scheme forbids.

    >>> labels = Labels()
    >>> codes = np.array([labels.code(Label(role, "PER")) for role in (BEGIN, INSIDE, BEGIN)])
    >>> found = decode(codes, np.array([0, 3]), labels)
    >>> found.start.tolist(), found.end.tolist()
    ([0, 2], [2, 3])
    """
    role, kind = labels.roles[codes], labels.type_codes[codes]
    if repair == "strict" and not scheme.inside_opens:
        return _decode_strict(role, kind, starts)
    mentions = _decode_conlleval(role, kind, starts)
    if repair == "discard":
        return mentions[~_faulty(mentions, role, kind, starts, scheme)]
    return mentions


def _decode_conlleval(role: Ints, kind: Ints, starts: Ints) -> Mentions:
    inside = role != OUTSIDE
    opens = (role == BEGIN) | (role == SINGLE)
    opens[1:] |= (kind[1:] != kind[:-1]) | (role[:-1] >= END)
    opens[starts[:-1]] = True
    opens &= inside
    continues = inside & ~opens
    last = inside.copy()
    last[:-1] &= ~continues[1:]
    begin = np.flatnonzero(opens)
    return Mentions(begin, np.flatnonzero(last) + 1, kind[begin])


def _decode_strict(role: Ints, kind: Ints, starts: Ints) -> Mentions:
    resets = (role != INSIDE) & (role != END)
    resets[1:] |= role[:-1] >= END
    resets[starts[:-1]] = True
    anchor = np.maximum.accumulate(np.where(resets, np.arange(len(role)), 0))
    opener = (role == BEGIN) | (role == SINGLE)
    inside = opener[anchor] if len(role) else resets
    last = inside.copy()
    last[:-1] &= resets[1:]
    begin = np.flatnonzero(opener)
    return Mentions(begin, np.flatnonzero(last) + 1, kind[begin])


def _faulty(mentions: Mentions, role: Ints, kind: Ints, starts: Ints, scheme: Scheme) -> Bools:
    """Whether a mention holds a stray label, or is not closed where the scheme marks the end."""
    before = np.concatenate([[0], np.cumsum(stray(role, kind, starts, scheme))])
    faulty: Bools = before[mentions.end] > before[mentions.start]
    return faulty | (role[mentions.end - 1] < END) if scheme.must_close else faulty


def spelt(mentions: Mentions, starts: Ints, scheme: Scheme) -> tuple[Ints, Ints]:
    """The role and the type of every token, as a scheme spells mentions that do not overlap."""
    length = int(starts[-1])
    role, kind = np.zeros(length, np.int64), np.full(length, -1, np.int64)
    lengths = mentions.end - mentions.start
    inside = ranges(mentions.start, mentions.end)
    role[inside], kind[inside] = INSIDE, np.repeat(mentions.type, lengths)
    role[mentions.end - 1] = END
    role[mentions.start] = BEGIN
    role[mentions.start[lengths == 1]] = SINGLE
    if scheme.begin_separates:
        role[mentions.start] = np.where(_touching(mentions, starts), BEGIN, INSIDE)
    # bio spells the end of a mention with I, which is read back as inside.
    read_back = np.array([OUTSIDE, *(ROLE_OF_LETTER[letter] for letter in scheme.letters)])
    return read_back[role], kind


def encode(mentions: Mentions, starts: Ints, labels: Labels, scheme: Scheme) -> Ints:
    """The label codes by which a scheme spells mentions that do not overlap."""
    role, kind = spelt(mentions, starts, scheme)
    table = np.zeros((5, max(1, len(labels.types))), np.int64)
    for used in np.unique(role[role != OUTSIDE]).tolist():
        table[used] = [labels.code(Label(used, name)) for name in labels.types]
    return table[role, np.maximum(kind, 0)]


def _touching(mentions: Mentions, starts: Ints) -> Bools:
    """Whether a mention follows one of its own type directly, in the same sentence."""
    touching = np.zeros(len(mentions), bool)
    touching[1:] = (mentions.start[1:] == mentions.end[:-1]) & (
        mentions.type[1:] == mentions.type[:-1]
    )
    return touching & ~np.isin(mentions.start, starts)


def merged_by_io(mentions: Mentions, starts: Ints) -> int:
    """How many mentions a scheme without B would melt into the one before."""
    return int(_touching(mentions, starts).sum())
