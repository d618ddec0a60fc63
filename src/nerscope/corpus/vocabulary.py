"""Integer codes for strings and sequences; codes are equal if and only if the values are equal.

nerscope compares tokens and surfaces by these codes. An `Interner` is a dictionary that looks up a
million 64-bit keys in one numpy call. A `SequenceTrie` gives codes to sequences of codes. A
`Vocabulary` gives codes to strings, as sequences of machine words. Full keys are compared, never
hashes alone.
"""

import os
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from nerscope.codec import serialisable
from nerscope.corpus.arrays import Bools, Bytes, Ints, Uint64s

_MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)
_HALF, _LOW = np.uint64(32), np.uint64(0xFFFFFFFF)
# The slots of keys differ from process to process, so that a hostile file cannot make all its
# tokens collide. Codes depend on the order of arrival only and are the same in every process.
_SEED = np.uint64(int.from_bytes(os.urandom(8), "little") | 1)
_EMPTY = np.int32(-1)
_FIRST_LOOK = 1000  # unknown keys that are sorted first
_WORD = 8
_LONGEST = 128  # bytes of a string that is encoded word by word
_LAST_WORD, _LAST_STEP = (1 << 31) - 1, (1 << 32) - 1  # words have codes of 31 bits, steps of 32
# Masks that keep the first 0 … 8 bytes of a little-endian word.
_MASKS = np.array([(1 << (8 * length)) - 1 for length in range(_WORD + 1)], np.uint64)


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
        """A copy with the same codes, which grows independently."""
        twin = Interner.__new__(Interner)
        twin.keys, twin.size, twin._shift = self.keys.copy(), self.size, self._shift
        twin._seed = self._seed
        twin._keys, twin._codes = self._keys.copy(), self._codes.copy()
        return twin

    def _slots(self, keys: Uint64s) -> Ints:
        """The first slot in which each key is searched."""
        mixed = keys * self._seed
        mixed ^= mixed >> _HALF
        mixed *= _MULTIPLIER
        mixed >>= self._shift
        slots: Ints = mixed.view(np.int64)
        return slots

    def find(self, keys: Uint64s) -> Ints:
        """The code of each key; -1 if it is unknown."""
        slots = self._slots(keys)
        codes = self._codes.take(slots)
        pending = np.flatnonzero(self._keys.take(slots) != keys)
        pending = pending[codes[pending] != _EMPTY]
        mask = len(self._codes) - 1
        while len(pending):  # linear probing for the few keys whose first slot holds another key
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
        while len(unknown):  # the first few often include all distinct keys; sorting many is slow
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
        if 2 * total > len(self._codes):  # a table that is half empty needs little probing
            self._allocate(int(4 * total - 1).bit_length())
            first = 0
        self._place(np.arange(first, total, dtype=np.int32))

    def _place(self, codes: Ints) -> None:
        mask = len(self._codes) - 1
        slots = self._slots(self.keys[codes])
        while len(codes):
            free = self._codes[slots] == _EMPTY
            # If several codes take one slot, numpy keeps the last; the others try the next slot.
            self._codes[slots[free]] = codes[free]
            lost = self._codes[slots] != codes
            won = ~lost
            self._keys[slots[won]] = self.keys[codes[won]]
            codes, slots = codes[lost], (slots[lost] + 1) & mask


class SequenceTrie:
    """Codes for sequences of codes, as a tree whose edges are interned.

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
        """The code of each sequence items[start:end]; -1 if it is empty.

        New sequences are added. With `grow=False` they are not, and their code is -1.
        """
        # All sequences take step k together, so Python loops only over the longest sequence.
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
        """A copy with the same codes, which grows independently."""
        twin = SequenceTrie()
        twin._edges = self._edges.copy()
        return twin

    def first_codes(self) -> Ints:
        """For each item, the code of the sequence with this item alone; -1 if there is none.

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
        """For each code, whether the sequence is the beginning of a longer one."""
        parents = self._parents(np.arange(len(self)))
        is_parent = np.zeros(len(self), bool)
        is_parent[parents[parents >= 0]] = True
        return is_parent

    def children(self, codes: Ints, items: Ints) -> Ints:
        """The code of each sequence with one more item; -1 if it is unknown."""
        return self._edges.find(((codes + 1).astype(np.uint64) << _HALF) | items.astype(np.uint64))

    def sequences(self, codes: Ints) -> tuple[Ints, Ints, Ints]:
        """The sequences of codes, as items with the start and the end of each sequence.

        >>> trie = SequenceTrie()
        >>> codes = trie.codes(np.array([4, 5, 6]), np.array([0, 2]), np.array([2, 3]))
        >>> [column.tolist() for column in trie.sequences(codes)]
        [[4, 5, 6], [0, 2], [2, 3]]
        """
        ends = np.cumsum(self._lengths(codes))
        items = np.zeros(int(ends[-1]) if len(ends) else 0, np.int64)
        nodes, at = codes, ends - 1
        while len(nodes):  # from the last item of each sequence to the first
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
        """The code of each sequence without its last item; -1 if it has only one item."""
        return (self._edges.keys[codes] >> _HALF).astype(np.int64) - 1

    def sequence(self, code: int) -> list[int]:
        items: list[int] = []
        while code >= 0:
            key = int(self._edges.keys[code])
            items.append(key & 0xFFFFFFFF)
            code = (key >> 32) - 1
        return items[::-1]


class Vocabulary:
    """Codes for byte strings, which are read directly from a buffer.

    A string of up to eight bytes is one zero-padded machine word (text contains no NUL) and gets an
    even code. A longer string is a sequence of such words and gets an odd code. So codes are exact
    without comparing single bytes: below, "Oslo" is word 0 and gets 2 * 0, and the words "Rejkjavi"
    and "k-on-sea" are sequence 1 of the trie (0 is "Rejkjavi" alone) and get 2 * 1 + 1. A string of
    more than 128 bytes would make a long sequence. It is looked up as a whole, and is a single step
    in the trie with a number that no word has.

    >>> vocabulary = Vocabulary()
    >>> vocabulary.encode(["Oslo", "Rejkjavik-on-sea", "Oslo"]).tolist()
    [0, 3, 0]
    >>> vocabulary.string(3)
    'Rejkjavik-on-sea'
    """

    __slots__ = ("_folded", "_giants", "_in_full", "_trie", "_words")

    def __init__(self) -> None:
        self._words = Interner()
        self._trie = SequenceTrie()
        self._giants: dict[bytes, int] = {}  # the number of each very long string
        self._in_full: list[bytes] = []  # the very long strings, by number
        self._folded: Ints = np.zeros(0, np.int32)  # by code; -1 if not yet computed

    @property
    def bound(self) -> int:
        """A number above all codes."""
        return 2 * max(self._words.size, len(self._trie))

    def encode(self, strings: Iterable[str]) -> Ints:
        """The codes of strings, which must not contain NUL."""
        return self.encode_fields(*Fields.of(strings))

    def encode_fields(self, buffer: Bytes, starts: Ints, ends: Ints) -> Ints:
        """The codes of the fields buffer[start:end]; the buffer must be padded."""
        lengths = ends - starts
        codes = self._words.codes(_words_at(buffer, starts, lengths))
        codes *= 2
        longer = np.flatnonzero(lengths > _WORD)
        if not len(longer):
            return codes
        is_giant = lengths[longer] > _LONGEST
        long, giant = longer[~is_giant], longer[is_giant]
        if len(long):
            codes[long] = 2 * self._encode_long(buffer, starts[long], lengths[long]) + 1
        if len(giant):
            codes[giant] = 2 * self._encode_giants(buffer, starts[giant], ends[giant]) + 1
        return codes

    def _encode_giants(self, buffer: Bytes, starts: Ints, ends: Ints) -> Ints:
        numbers = []
        for start, end in zip(starts.tolist(), ends.tolist(), strict=True):
            text = buffer[start:end].tobytes()
            number = self._giants.setdefault(text, len(self._giants))
            if number == len(self._in_full):
                self._in_full.append(text)
            numbers.append(number)
        steps = _LAST_STEP - np.array(numbers, np.int64)
        first = np.arange(len(steps))
        return self._trie.codes(steps, first, first + 1)

    def _encode_long(self, buffer: Bytes, starts: Ints, lengths: Ints) -> Ints:
        counts = -(-lengths // _WORD)
        last = np.cumsum(counts)
        first = last - counts
        offsets = (np.arange(last[-1]) - np.repeat(first, counts)) * _WORD
        words = self._words.codes(
            _words_at(
                buffer, np.repeat(starts, counts) + offsets, np.repeat(lengths, counts) - offsets
            )
        )
        return self._trie.codes(words, first, last)

    def folded(self, codes: Ints) -> Ints:
        """The codes of the same strings after `str.casefold`.

        >>> vocabulary = Vocabulary()
        >>> codes = vocabulary.encode(["WEISS", "Weiß", "weiss"])
        >>> bool((vocabulary.folded(codes) == codes[2]).all())
        True
        """
        reach = int(codes.max(initial=-1)) + 1
        if reach > len(self._folded):
            more = np.full(2 * reach - len(self._folded), -1, np.int32)
            self._folded = np.concatenate([self._folded, more])
        folded = self._folded.take(codes)
        if folded.min(initial=0) < 0:  # each string is folded once, however often it occurs
            new = np.unique(codes[folded < 0])
            self._folded[new] = self.encode(text.casefold() for text in self.strings(new))
            folded = self._folded.take(codes)
        return folded

    def string(self, code: int) -> str:
        words = self._trie.sequence(code >> 1) if code & 1 else [code >> 1]
        if words[0] > _LAST_WORD:
            return self._in_full[_LAST_STEP - words[0]].decode()
        return b"".join(
            int(self._words.keys[word]).to_bytes(_WORD, "little").rstrip(b"\0") for word in words
        ).decode()

    def strings(self, codes: Sequence[int] | Ints) -> list[str]:
        code = np.asarray(codes, np.int64)
        long = (code & 1) == 1
        # A word is a byte string of at most eight bytes; numpy strips its padding.
        words = self._words.keys[code[~long] >> 1].astype("<u8").view("S8")
        strings = np.empty(len(code), object)
        strings[~long] = [word.decode() for word in words.tolist()]
        strings[long] = [self.string(long_code) for long_code in code[long].tolist()]
        return strings.tolist()


class Fields(NamedTuple):
    """Strings as ranges buffer[start:end] of a padded buffer."""

    buffer: Bytes
    starts: Ints
    ends: Ints

    @classmethod
    def of(cls, strings: Iterable[str]) -> "Fields":
        """The places of strings, which must not contain NUL, in one buffer.

        >>> Fields.of(["Ada", "spoke"]).ends.tolist()
        [3, 9]
        """
        joined = "\0".join([*strings, ""])  # one call in C, where a loop would encode each string
        buffer = padded(joined.encode())
        ends = np.flatnonzero(buffer[:-_WORD] == 0)
        return cls(buffer, np.append(0, ends[:-1] + 1)[: len(ends)], ends)

    def part(self, begin: int, end: int) -> "Fields":
        return Fields(self.buffer, self.starts[begin:end], self.ends[begin:end])

    def strings(self, chosen: Ints | slice) -> list[str]:
        """Some of the strings.

        >>> Fields(padded(b"Oslo by"), np.array([0, 5]), np.array([4, 7])).strings(slice(0, 2))
        ['Oslo', 'by']
        """
        places = zip(self.starts[chosen].tolist(), self.ends[chosen].tolist(), strict=True)
        return [self.buffer[start:end].tobytes().decode() for start, end in places]

    def differing(self, other: "Fields") -> Ints:
        """The indices of the fields that differ from the fields of another buffer.

        >>> gold, output = padded(b"Oslo by"), padded(b"in Oslo")
        >>> places = np.array([0, 5]), np.array([4, 7])
        >>> Fields(gold, *places).differing(Fields(output, np.array([3, 5]), places[1] + [3, 0]))
        array([1])
        """
        lengths = self.ends - self.starts
        doubtful = lengths != other.ends - other.starts
        doubtful |= lengths > _WORD
        # A fast comparison of eight bytes from each start, which may include the next column: most
        # fields are followed by the same bytes in both files, such as the label O.
        doubtful |= _everywhere(self.buffer)[self.starts] != _everywhere(other.buffer)[other.starts]
        places = np.flatnonzero(doubtful)
        return places[self._chosen(places)._differ(other._chosen(places))]

    def _differ(self, other: "Fields") -> Bools:
        lengths = self.ends - self.starts
        differ: Bools = lengths != other.ends - other.starts
        differ |= _words_at(self.buffer, self.starts, lengths) != _words_at(
            other.buffer, other.starts, lengths
        )
        for at in np.flatnonzero(~differ & (lengths > _LONGEST)).tolist():
            differ[at] = self._bytes(at) != other._bytes(at)
        long = np.flatnonzero(~differ & (lengths > _WORD) & (lengths <= _LONGEST))
        if len(long):
            differ[long] = self._chosen(long)._behind()._differ(other._chosen(long)._behind())
        return differ

    def _chosen(self, places: Ints) -> "Fields":
        return Fields(self.buffer, self.starts[places], self.ends[places])

    def _behind(self) -> "Fields":
        """The rest of each field after its first eight bytes."""
        return Fields(self.buffer, self.starts + _WORD, self.ends)

    def _bytes(self, at: int) -> bytes:
        return self.buffer[self.starts[at] : self.ends[at]].tobytes()


def padded(data: bytes) -> Bytes:
    """The bytes as an array with space for a whole word after the last byte."""
    return np.frombuffer(data + bytes(_WORD), np.uint8)


def _words_at(buffer: Bytes, starts: Ints, lengths: Ints) -> Uint64s:
    words = _everywhere(buffer)[starts]
    words &= _MASKS.take(lengths, mode="clip")
    return words


def _everywhere(buffer: Bytes) -> Uint64s:
    """The word that begins at each byte of a padded buffer."""
    return np.ndarray((len(buffer) - _WORD + 1,), "<u8", buffer, strides=(1,))


@serialisable
class SpelledSequences(NamedTuple):
    """Sequences of tokens with their words, which do not depend on the codes of a vocabulary.

    Sequence k is `tokens[ends[k - 1]:ends[k]]`, as indices into `words`.

    >>> here, elsewhere = Vocabulary(), Vocabulary()
    >>> tokens = here.encode(["New", "York", "York"])
    >>> spelt = spell_sequences(here, tokens, np.array([2, 3]))
    >>> elsewhere.strings(spelt.items(elsewhere))
    ['New', 'York', 'York']
    """

    words: tuple[str, ...]
    tokens: Ints
    ends: Ints

    def items(self, vocabulary: Vocabulary) -> Ints:
        """The tokens as codes of a vocabulary; new tokens are added to it."""
        codes = vocabulary.encode(self.words)
        return codes[self.tokens] if len(codes) else np.zeros(0, np.int32)

    def codes(self, vocabulary: Vocabulary, trie: SequenceTrie, *, fold_case: bool = False) -> Ints:
        """The code of each sequence in a trie; new sequences are added to it."""
        starts = np.concatenate([[0], self.ends[:-1]]) if len(self.ends) else self.ends
        items = self.items(vocabulary)
        items = vocabulary.folded(items) if fold_case else items
        return trie.codes(items, starts, self.ends).astype(np.int64)


def spell_sequences(vocabulary: Vocabulary, tokens: Ints, ends: Ints) -> SpelledSequences:
    """Sequences of codes with their words; each distinct token is stored once."""
    used, places = np.unique(tokens, return_inverse=True)
    return SpelledSequences(
        tuple(vocabulary.strings(used)), places.astype(np.int32), ends.astype(np.int32)
    )


def join_sequences(parts: list[SpelledSequences]) -> SpelledSequences:
    """Concatenate the sequences of all parts."""
    if len(parts) == 1:
        return parts[0]
    places: dict[str, int] = {}
    tokens, ends, behind = [], [], 0
    for part in parts:
        known = [places.setdefault(word, len(places)) for word in part.words]
        tokens.append(np.array(known, np.int32)[part.tokens])
        ends.append(part.ends + behind)
        behind += len(part.tokens)
    return SpelledSequences(tuple(places), np.concatenate(tokens), np.concatenate(ends))


NO_SEQUENCES = SpelledSequences((), np.zeros(0, np.int32), np.zeros(0, np.int32))
