"""Exact, vectorised coding: 64-bit keys become dense codes, and paths of codes become codes again.

A dictionary that numpy can ask a million questions at once. Everything that is compared in nerscope
(tokens, surfaces) is compared through codes made here, so equal codes must mean equal things: full
keys are compared, never hashes alone.
"""

import os

import numpy as np

from nerscope.corpus.arrays import Bools, Ints, Uint64s

_MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)
_HALF, _LOW = np.uint64(32), np.uint64(0xFFFFFFFF)
# Where keys are put differs from process to process, so that nobody can write tokens that collide;
# their codes follow the order of arrival and stay the same.
_SEED = np.uint64(int.from_bytes(os.urandom(8), "little") | 1)
_EMPTY = np.int32(-1)
_SOME = 1000


class Interner:
    """Maps uint64 keys to the codes 0, 1, 2 … in order of arrival.

    >>> interner = Interner()
    >>> interner.codes(np.array([7, 9, 7], dtype=np.uint64)).tolist()
    [0, 1, 0]
    >>> interner.find(np.array([9, 8], dtype=np.uint64)).tolist()
    [1, -1]
    """

    __slots__ = ("_codes", "_keys", "_seed", "_shift", "keys", "size")

    def __init__(self, bits: int = 12) -> None:
        self.keys = np.zeros(1 << (bits - 1), np.uint64)  # by code
        self.size = 0
        self._seed = _SEED  # a table that travels to another process keeps its own
        self._allocate(bits)

    def _allocate(self, bits: int) -> None:
        self._shift = np.uint64(64 - bits)
        self._keys = np.zeros(1 << bits, np.uint64)  # by slot
        self._codes = np.full(1 << bits, _EMPTY)

    def copy(self) -> "Interner":
        """The same codes, free to grow apart."""
        twin = Interner.__new__(Interner)
        twin.keys, twin.size, twin._shift = self.keys.copy(), self.size, self._shift
        twin._seed = self._seed
        twin._keys, twin._codes = self._keys.copy(), self._codes.copy()
        return twin

    def _slots(self, keys: Uint64s) -> Ints:
        """The slot where each key is looked for first."""
        mixed = keys * self._seed
        mixed ^= mixed >> _HALF
        mixed *= _MULTIPLIER
        mixed >>= self._shift
        slots: Ints = mixed.view(np.int64)
        return slots

    def find(self, keys: Uint64s) -> Ints:
        """The code of each key, -1 where it is unknown."""
        slots = self._slots(keys)
        codes = self._codes.take(slots)
        pending = np.flatnonzero(self._keys.take(slots) != keys)
        pending = pending[codes[pending] != _EMPTY]
        mask = len(self._codes) - 1
        while len(pending):  # linear probing for the few whose first slot is taken by another key
            slots[pending] = (slots[pending] + 1) & mask
            codes[pending] = self._codes[slots[pending]]
            pending = pending[
                (self._keys[slots[pending]] != keys[pending]) & (codes[pending] != _EMPTY)
            ]
        return codes

    def codes(self, keys: Uint64s) -> Ints:
        """The code of each key; unknown keys get new codes."""
        codes = self.find(keys)
        if codes.min(initial=0) >= 0:
            return codes
        unknown, some = np.flatnonzero(codes == _EMPTY), _SOME
        while len(unknown):  # the first few often are all there are: sorting many takes long
            missing, first = np.unique(keys[unknown[:some]], return_index=True)
            self._insert(missing[np.argsort(first)])
            codes[unknown] = self.find(keys[unknown])
            unknown, some = unknown[codes[unknown] == _EMPTY], 8 * some
        return codes

    def _insert(self, keys: Uint64s) -> None:
        total = self.size + len(keys)
        while total > len(self.keys):
            self.keys = np.concatenate([self.keys, np.zeros_like(self.keys)])
        self.keys[self.size : total] = keys
        first, self.size = self.size, total
        if 2 * total > len(self._codes):  # keep the table half empty: probing stays short
            self._allocate(int(4 * total - 1).bit_length())
            first = 0
        self._place(np.arange(first, total, dtype=np.int32))

    def _place(self, codes: Ints) -> None:
        mask = len(self._codes) - 1
        slots = self._slots(self.keys[codes])
        while len(codes):
            free = self._codes[slots] == _EMPTY
            self._codes[slots[free]] = codes[
                free
            ]  # of several that want one slot, the last one gets it
            lost = self._codes[slots] != codes
            won = ~lost
            self._keys[slots[won]] = self.keys[codes[won]]
            codes, slots = codes[lost], (slots[lost] + 1) & mask


class SequenceTrie:
    """Codes for sequences of codes: a tree whose edges are interned, so that a sequence is one
    integer.

    >>> paths = SequenceTrie()
    >>> tokens = np.array([4, 5, 4, 5, 6])
    >>> paths.codes(tokens, np.array([0, 2, 2]), np.array([2, 4, 5])).tolist()
    [1, 1, 2]
    """

    __slots__ = ("_edges",)

    def __init__(self) -> None:
        self._edges = Interner()

    def __len__(self) -> int:
        return self._edges.size

    def codes(self, items: Ints, starts: Ints, ends: Ints, *, grow: bool = True) -> Ints:
        """The code of each sequence items[start:end]; -1 for the unknown ones (and empty ones)
        unless they may grow.
        """
        nodes = np.full(len(starts), -1, np.int32)
        step = self._edges.codes if grow else self._edges.find
        active = np.flatnonzero(ends > starts)
        position = 0
        while len(active):
            parents = (nodes[active] + 1).astype(np.uint64)  # 0 is the root
            children = items[starts[active] + position].astype(np.uint64)
            nodes[active] = step((parents << np.uint64(32)) | children)
            position += 1
            known = nodes[active] >= 0
            active = active[known & (ends[active] - starts[active] > position)]
        return nodes

    def copy(self) -> "SequenceTrie":
        """The same codes, free to grow apart."""
        twin = SequenceTrie()
        twin._edges = self._edges.copy()
        return twin

    def first_codes(self) -> Ints:
        """The code of each path of one item, by that item; -1 where there is none.

        >>> paths = SequenceTrie()
        >>> _ = paths.codes(np.array([2, 5, 0]), np.array([0, 2]), np.array([2, 3]))
        >>> paths.beginnings().tolist()
        [1, -1, 0]
        """
        keys = self._edges.keys[: self._edges.size]
        roots = np.flatnonzero(keys >> _HALF == 0)
        items = keys[roots].astype(np.int64)
        found = np.full(int(items.max(initial=-1)) + 1, -1, np.int32)
        found[items] = roots
        return found

    def has_children(self) -> Bools:
        """Whether a path is the beginning of another one, by code."""
        before = self._before(np.arange(len(self)))
        found = np.zeros(len(self), bool)
        found[before[before >= 0]] = True
        return found

    def children(self, codes: Ints, items: Ints) -> Ints:
        """The code of each path that goes on with one more item, -1 for the unknown ones."""
        return self._edges.find(((codes + 1).astype(np.uint64) << _HALF) | items.astype(np.uint64))

    def sequences(self, codes: Ints) -> tuple[Ints, Ints, Ints]:
        """The sequences behind codes, as items with the start and the end of each.

        >>> paths = SequenceTrie()
        >>> codes = paths.codes(np.array([4, 5, 6]), np.array([0, 2]), np.array([2, 3]))
        >>> [part.tolist() for part in paths.spelt(codes)]
        [[4, 5, 6], [0, 2], [2, 3]]
        """
        ends = np.cumsum(self._lengths(codes))
        items = np.zeros(int(ends[-1]) if len(ends) else 0, np.int64)
        nodes, at = codes, ends - 1
        while len(nodes):  # from the last item of each to the first
            items[at] = self._edges.keys[nodes] & _LOW
            nodes = self._before(nodes)
            nodes, at = nodes[nodes >= 0], at[nodes >= 0] - 1
        return items, np.concatenate([[0], ends[:-1]]) if len(ends) else ends, ends

    def _lengths(self, codes: Ints) -> Ints:
        """How many items each path has."""
        lengths, nodes, which = np.zeros(len(codes), np.int64), codes, np.arange(len(codes))
        while len(which):
            lengths[which] += 1
            nodes = self._before(nodes)
            nodes, which = nodes[nodes >= 0], which[nodes >= 0]
        return lengths

    def _before(self, codes: Ints) -> Ints:
        """The path without its last item, -1 if it had but one."""
        return (self._edges.keys[codes] >> _HALF).astype(np.int64) - 1

    def sequence(self, code: int) -> list[int]:
        """The sequence behind a code."""
        items: list[int] = []
        while code >= 0:
            key = int(self._edges.keys[code])
            items.append(key & 0xFFFFFFFF)
            code = (key >> 32) - 1
        return items[::-1]
