"""Exact, vectorised coding: 64-bit keys become dense codes, and sequences of codes become codes.

A dictionary that answers a million keys in one numpy call. Everything that is compared in nerscope
(tokens, surfaces) is compared through codes made here, so equal codes must mean equal things: full
keys are compared, never hashes alone.
"""

import os

import numpy as np

from nerscope.corpus.arrays import Bools, Ints, Uint64s

_MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)
_HALF, _LOW = np.uint64(32), np.uint64(0xFFFFFFFF)
# The slots of keys differ from process to process, so that no file can be written whose tokens all
# collide. Codes follow the order of arrival and are the same everywhere.
_SEED = np.uint64(int.from_bytes(os.urandom(8), "little") | 1)
_EMPTY = np.int32(-1)
_FIRST_LOOK = 1000  # unknown keys that are sorted at first


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
        self._seed = _SEED  # a copy in another process keeps the seed of its table
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
        unknown, some = np.flatnonzero(codes == _EMPTY), _FIRST_LOOK
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
            # Of several codes for one slot, numpy keeps the last; the others try the next slot.
            self._codes[slots[free]] = codes[free]
            lost = self._codes[slots] != codes
            won = ~lost
            self._keys[slots[won]] = self.keys[codes[won]]
            codes, slots = codes[lost], (slots[lost] + 1) & mask


class SequenceTrie:
    """Codes for sequences of codes: a tree whose edges are interned, so that a sequence is one
    integer.

    An edge is one key: the parent's code + 1 in the upper 32 bits (0 is the root), the item in the
    lower 32. The code of the edge is the code of the sequence that ends there. Below, 4 is edge
    (root, 4) = code 0, 4 5 is edge (0, 5) = code 1, and 4 5 6 is edge (1, 6) = code 2.

    >>> trie = SequenceTrie()
    >>> tokens = np.array([4, 5, 4, 5, 6])
    >>> trie.codes(tokens, np.array([0, 2, 2]), np.array([2, 4, 5])).tolist()
    [1, 1, 2]
    """

    __slots__ = ("_edges",)

    def __init__(self) -> None:
        self._edges = Interner()

    def __len__(self) -> int:
        return self._edges.size

    def codes(self, items: Ints, starts: Ints, ends: Ints, *, grow: bool = True) -> Ints:
        """The code of each sequence items[start:end]; -1 if it is empty, or unknown and may not be
        added (`grow=False`).
        """
        # All sequences take their k-th step together, so that Python loops over the longest only.
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
        """By item: the code of the sequence of this item alone; -1 where there is none.

        >>> trie = SequenceTrie()
        >>> _ = trie.codes(np.array([2, 5, 0]), np.array([0, 2]), np.array([2, 3]))
        >>> trie.first_codes().tolist()
        [1, -1, 0]
        """
        keys = self._edges.keys[: self._edges.size]
        roots = np.flatnonzero(keys >> _HALF == 0)
        items = keys[roots].astype(np.int64)
        codes = np.full(int(items.max(initial=-1)) + 1, -1, np.int32)
        codes[items] = roots
        return codes

    def has_children(self) -> Bools:
        """By code: whether the sequence is the beginning of a longer one."""
        parents = self._parents(np.arange(len(self)))
        is_parent = np.zeros(len(self), bool)
        is_parent[parents[parents >= 0]] = True
        return is_parent

    def children(self, codes: Ints, items: Ints) -> Ints:
        """The code of each sequence with one more item, -1 where it is unknown."""
        return self._edges.find(((codes + 1).astype(np.uint64) << _HALF) | items.astype(np.uint64))

    def sequences(self, codes: Ints) -> tuple[Ints, Ints, Ints]:
        """The sequences behind codes, as items with the start and the end of each.

        >>> trie = SequenceTrie()
        >>> codes = trie.codes(np.array([4, 5, 6]), np.array([0, 2]), np.array([2, 3]))
        >>> [column.tolist() for column in trie.sequences(codes)]
        [[4, 5, 6], [0, 2], [2, 3]]
        """
        ends = np.cumsum(self._lengths(codes))
        items = np.zeros(int(ends[-1]) if len(ends) else 0, np.int64)
        nodes, at = codes, ends - 1
        while len(nodes):  # from the last item of each to the first
            items[at] = self._edges.keys[nodes] & _LOW
            nodes = self._parents(nodes)
            nodes, at = nodes[nodes >= 0], at[nodes >= 0] - 1
        return items, np.concatenate([[0], ends[:-1]]) if len(ends) else ends, ends

    def _lengths(self, codes: Ints) -> Ints:
        lengths, nodes, which = np.zeros(len(codes), np.int64), codes, np.arange(len(codes))
        while len(which):
            lengths[which] += 1
            nodes = self._parents(nodes)
            nodes, which = nodes[nodes >= 0], which[nodes >= 0]
        return lengths

    def _parents(self, codes: Ints) -> Ints:
        """The sequence without its last item, -1 if it has only one."""
        return (self._edges.keys[codes] >> _HALF).astype(np.int64) - 1

    def sequence(self, code: int) -> list[int]:
        items: list[int] = []
        while code >= 0:
            key = int(self._edges.keys[code])
            items.append(key & 0xFFFFFFFF)
            code = (key >> 32) - 1
        return items[::-1]
