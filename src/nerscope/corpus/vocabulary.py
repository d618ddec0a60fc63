"""Strings as codes: equal codes if and only if equal bytes."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from nerscope.codec import serialisable
from nerscope.corpus.arrays import Bools, Bytes, Ints, Uint64s
from nerscope.corpus.interning import Interner, SequenceTrie

_WORD = 8
_LONGEST = 128  # bytes of a string that is walked word by word
_LAST_WORD, _LAST_STEP = (1 << 31) - 1, (1 << 32) - 1  # words have codes of 31 bits, steps of 32
# Keeps the first 0 … 8 bytes of a little-endian word.
_MASKS = np.array([(1 << (8 * length)) - 1 for length in range(_WORD + 1)], np.uint64)


class Vocabulary:
    """Codes for byte strings, read straight out of a buffer.

    A string of up to eight bytes is one zero-padded machine word (text holds no NUL), and gets an
    even code; a longer string is a sequence of such words, and gets an odd code. So codes are exact
    without ever comparing bytes one by one: below, "Oslo" is word 0 and gets 2 * 0, and the words
    "Rejkjavi" and "k-on-sea" are sequence 1 of the trie (0 is "Rejkjavi" alone): 2 * 1 + 1. A
    string of more than 128 bytes would make a long sequence; it is looked up as a whole, and stands
    in the trie as a single step with a number that no word has.

    >>> vocabulary = Vocabulary()
    >>> vocabulary.encode(["Oslo", "Rejkjavik-on-sea", "Oslo"]).tolist()
    [0, 3, 0]
    >>> vocabulary.string(3)
    'Rejkjavik-on-sea'
    """

    __slots__ = ("_giants", "_in_full", "_trie", "_words")

    def __init__(self) -> None:
        self._words = Interner()
        self._trie = SequenceTrie()
        self._giants: dict[bytes, int] = {}  # very long strings by their number
        self._in_full: list[bytes] = []  # the same, by number

    @property
    def bound(self) -> int:
        """No code is as large as this."""
        return 2 * max(self._words.size, len(self._trie))

    def encode(self, strings: Iterable[str]) -> Ints:
        encoded = [string.encode() for string in strings]
        lengths = np.array([len(item) for item in encoded], np.int64)
        ends = np.cumsum(lengths)
        return self.encode_fields(padded(b"".join(encoded)), ends - lengths, ends)

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
        # A word is a byte string of eight bytes at most, from which numpy strips the padding.
        words = self._words.keys[code[~long] >> 1].astype("<u8").view("S8")
        strings = np.empty(len(code), object)
        strings[~long] = [word.decode() for word in words.tolist()]
        strings[long] = [self.string(long_code) for long_code in code[long].tolist()]
        return strings.tolist()


class Fields(NamedTuple):
    """Strings in place: buffer[start:end], in a padded buffer."""

    buffer: Bytes
    starts: Ints
    ends: Ints

    def part(self, begin: int, end: int) -> "Fields":
        return Fields(self.buffer, self.starts[begin:end], self.ends[begin:end])

    def differing(self, other: "Fields") -> Ints:
        """Which fields differ from those of another buffer, field by field.

        >>> gold, output = padded(b"Oslo by"), padded(b"in Oslo")
        >>> places = np.array([0, 5]), np.array([4, 7])
        >>> Fields(gold, *places).differing(Fields(output, np.array([3, 5]), places[1] + [3, 0]))
        array([1])
        """
        lengths = self.ends - self.starts
        doubtful = lengths != other.ends - other.starts
        doubtful |= lengths > _WORD
        # A quick look at eight bytes from each start, which may reach into the next column: most
        # fields are followed by the same bytes in both files, such as those of the label O.
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
        """What is behind the first eight bytes of each."""
        return Fields(self.buffer, self.starts + _WORD, self.ends)

    def _bytes(self, at: int) -> bytes:
        return self.buffer[self.starts[at] : self.ends[at]].tobytes()


def padded(data: bytes) -> Bytes:
    """The bytes as an array with room for a whole word behind the last one."""
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
    """Sequences of tokens with their words, so that they mean the same under other codes.

    Sequence k is `tokens[ends[k - 1]:ends[k]]`, places in `words`.

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
        """The tokens in the codes of a vocabulary, to which new ones are added."""
        codes = vocabulary.encode(self.words)
        return codes[self.tokens] if len(codes) else np.zeros(0, np.int32)

    def codes(self, vocabulary: Vocabulary, trie: SequenceTrie) -> Ints:
        """The code of each sequence in a trie, to which new ones are added."""
        starts = np.concatenate([[0], self.ends[:-1]]) if len(self.ends) else self.ends
        return trie.codes(self.items(vocabulary), starts, self.ends).astype(np.int64)


def spell_sequences(vocabulary: Vocabulary, tokens: Ints, ends: Ints) -> SpelledSequences:
    """Sequences of codes, spelt out; each distinct token once."""
    used, places = np.unique(tokens, return_inverse=True)
    return SpelledSequences(
        tuple(vocabulary.strings(used)), places.astype(np.int32), ends.astype(np.int32)
    )


def join_sequences(parts: list[SpelledSequences]) -> SpelledSequences:
    """The sequences of all parts, one after the other."""
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
