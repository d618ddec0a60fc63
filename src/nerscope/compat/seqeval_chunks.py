"""What seqeval finds in label sequences, for a whole corpus at once.

Both of its readings look at neighbouring labels only: at their two letters, and at whether their
types are the same. So a reading is a handful of patterns, written as data here, and a corpus is one
long row of labels with an `O` after every sentence.

A pattern is the letter before, the letter itself, and `=` or `!` where the types must be the same
or must differ: `II!` is an I after an I of another type. `*` is any letter, `?` any letter that no
pattern names.
"""

from collections import defaultdict
from collections.abc import Sequence
from itertools import chain, count, product, repeat
from typing import NamedTuple

import numpy as np

from nerscope.corpus.arrays import Bools, Ints
from nerscope.corpus.mentions import Mentions

LETTERS = "OIBESUL.?"
KNOWN_LETTERS = "IOBESUL"  # in the order in which seqeval lists them
Sentences = Sequence[Sequence[str]]


def _table(patterns: str) -> Bools:
    """Whether a pattern fits, for each pair of letters and types that differ or not."""
    table = np.zeros((len(LETTERS), len(LETTERS), 2), bool)
    for pattern in patterns.split():
        before, after = (LETTERS if letter == "*" else letter for letter in pattern[:2])
        types = {"=": [1], "!": [0]}.get(pattern[2:], [0, 1])
        for one, other, same in product(before, after, types):
            table[LETTERS.index(one), LETTERS.index(other), same] = True
    return table.ravel()


class Scheme(NamedTuple):
    """A tagging scheme as seqeval's strict mode reads it.

    >>> IOB2.name, IOB2.letters
    ('IOB2', 'IOB')
    """

    name: str
    letters: str
    starts: Bools
    inside: Bools
    ends: Bools


def _scheme(name: str, letters: str, starts: str, inside: str, ends: str) -> Scheme:
    return Scheme(name, letters, _table(starts), _table(inside), _table(ends))


IOB1 = _scheme("IOB1", "IOB", "OI II! BI IB= BB=", "BI= II=", "II! IO IB BO BI! BB=")
IOB2 = _scheme("IOB2", "IOB", "*B", "BI= II=", "IO II! IB BO BI! BB")
IOE1 = _scheme("IOE1", "IOE", "OI II! EI EE=", "II= IE=", "II! IO IE! EI= EE=")
IOE2 = _scheme("IOE2", "IOE", "OI OE EI EE II! IE!", "IE= II=", "E*")
IOBES = _scheme("IOBES", "IOBES", "*B *S", "BI= BE= II= IE=", "S* E*")
BILOU = _scheme("BILOU", "IOBUL", "*B *U", "BI= BL= II= IL=", "U* L*")
SCHEMES = {scheme.name: scheme for scheme in (IOB1, IOB2, IOE1, IOE2, IOBES, BILOU)}
# The letters of the gold labels by which a scheme is recognised where none is named.
_SIGNS = {
    "IOB2": "IOB IB BO B",
    "IOE2": "IOE IE EO E",
    "IOBES": "IOBES IBES IOBE OBES IBE BES OBE BE S",
    "BILOU": "IOBLU IBLU IOBL OBLU IBL BLU OBL BL U",
}
_RECOGNISED = {frozenset(sign): name for name, signs in _SIGNS.items() for sign in signs.split()}
_LOOSE_STARTS = _table("*B *S EE EI SE SI OE OI *I! *E! *U! *L! *?!")
_LOOSE_ENDS = _table("E* S* BB BS BO IB IS IO B*! I*! U*! L*! ?*!")


class Chunks(NamedTuple):
    """The chunks of the gold and of the predicted labels, and the names of their types."""

    gold: Mentions
    pred: Mentions
    names: list[str]
    length: int  # of the row of labels


class _Coded(NamedTuple):
    """Gold and predicted labels as codes into a list of distinct labels."""

    gold: Ints
    pred: Ints
    labels: list[str]


def _coded(gold: Sentences, pred: Sentences) -> _Coded:
    codes: defaultdict[str, int] = defaultdict(count().__next__)
    codes["O"]  # what lies between sentences
    rows = [_row(sentences, codes) for sentences in (gold, pred)]
    for label in codes:
        if not isinstance(label, str) or not label:
            raise ValueError(f"{label!r} is no label: a label is a text such as 'O' or 'B-PER'.")
    return _Coded(rows[0], rows[1], list(codes))


def _row(sentences: Sentences, codes: defaultdict[str, int]) -> Ints:
    between = repeat(("O",))
    labels = chain.from_iterable(chain.from_iterable(zip(sentences, between, strict=False)))
    size = sum(map(len, sentences)) + len(sentences)
    return np.fromiter(map(codes.__getitem__, labels), np.int32, size)


class _Row(NamedTuple):
    """One side's labels: which pattern entry each pair of neighbours is, and each label's type."""

    pairs: Ints
    kind: Ints


def _paired(codes: Ints, letters: Ints, kinds: Ints) -> _Row:
    letter, kind = letters[codes], kinds[codes]
    pairs = letter * 2
    pairs[1:] += letter[:-1] * (2 * len(LETTERS))
    # The very first label has the type of nothing before it: O comes first, and its code is 0.
    pairs[1:] += kind[1:] == kind[:-1]
    return _Row(pairs, kind)


def _rows(coded: _Coded, parts: list[tuple[str, str]]) -> tuple[_Row, _Row, list[str]]:
    """Both sides, from the letter and the type of each label."""
    names = list(dict.fromkeys(kind for _, kind in parts))
    places = {name: place for place, name in enumerate(names)}
    letters = np.array([max(LETTERS.find(letter), -1) for letter, _ in parts], np.int16)
    letters[letters < 0] = len(LETTERS) - 1
    kinds = np.array([places[kind] for _, kind in parts], np.int32)
    return _paired(coded.gold, letters, kinds), _paired(coded.pred, letters, kinds), names


def loose_chunks(gold: Sentences, pred: Sentences, suffix: bool) -> tuple[Chunks, list[str]]:
    """The chunks that seqeval finds by default, and the labels that do not look like labels.

    >>> chunks, odd = loose_chunks([["B-X", "I-X", "O"]], [["I-X", "L-X", "O"]], suffix=False)
    >>> chunks.pred.start.tolist(), chunks.pred.end.tolist(), odd
    ([0], [2], ['L-X'])
    """
    coded = _coded(gold, pred)
    parts = [_loose_parts(label, suffix) for label in coded.labels]
    *rows, names = _rows(coded, parts)
    chunks = Chunks(_loose(rows[0]), _loose(rows[1]), names, len(coded.gold))
    return chunks, [label for label in coded.labels if not _looks_right(label, suffix)]


def _loose_parts(label: str, suffix: bool) -> tuple[str, str]:
    if suffix:
        return label[-1], label[:-1].rsplit("-", maxsplit=1)[0] or "_"
    return label[0], label[1:].split("-", maxsplit=1)[-1] or "_"


def _looks_right(label: str, suffix: bool) -> bool:
    ending, beginning = ("-B", "-I", "-E", "-S"), ("B-", "I-", "E-", "S-")
    fits = label.endswith(ending) if suffix else label.startswith(beginning)
    return fits or label in ("O", "B", "I", "E", "S")


def _loose(row: _Row) -> Mentions:
    """Each end closes a chunk that began at the last start, however long ago that was."""
    end = np.flatnonzero(_LOOSE_ENDS[row.pairs])
    here = np.arange(len(row.pairs))
    started = np.maximum.accumulate(np.where(_LOOSE_STARTS[row.pairs], here, 0))
    return Mentions(started[end - 1], end, row.kind[end - 1])


def strict_chunks(gold: Sentences, pred: Sentences, scheme: Scheme | None, suffix: bool) -> Chunks:
    """The chunks that seqeval finds in its strict mode; no scheme: the one that gold shows.

    >>> strict_chunks([["B-X", "I-X"]], [["I-X", "I-X"]], IOB2, suffix=False).pred.start.tolist()
    []
    """
    coded = _coded(gold, pred)
    parts = [_strict_parts(label, suffix) for label in coded.labels]
    letters = [letter for letter, _ in parts]
    scheme = scheme or _recognised(coded, len(gold), letters)
    _check_letters(coded, letters, scheme)
    *rows, names = _rows(coded, parts)
    return Chunks(_strict(rows[0], scheme), _strict(rows[1], scheme), names, len(coded.gold))


def _strict_parts(label: str, suffix: bool) -> tuple[str, str]:
    letter, kind = (label[-1], label[:-1]) if suffix else (label[0], label[1:])
    return letter, kind.strip("-") or "_"


def _recognised(coded: _Coded, sentences: int, letters: list[str]) -> Scheme:
    times = np.bincount(coded.gold, minlength=len(letters))
    times[0] -= sentences  # an O between sentences is not theirs
    used = np.flatnonzero(times).tolist()
    for place in used:
        if letters[place] not in KNOWN_LETTERS:
            raise ValueError(f"This scheme is not supported: {coded.labels[place]}")
    signs = {letters[place] for place in used}
    if frozenset(signs) not in _RECOGNISED:
        raise ValueError(f"This scheme is not supported: {', '.join(sorted(signs))}")
    return SCHEMES[_RECOGNISED[frozenset(signs)]]


def _check_letters(coded: _Coded, letters: list[str], scheme: Scheme) -> None:
    for label, letter in zip(coded.labels, letters, strict=True):
        if letter not in scheme.letters:
            allowed = "|".join(scheme.letters)
            raise ValueError(f"Invalid token is found: {label}. Allowed prefixes are: {allowed}.")


def _strict(row: _Row, scheme: Scheme) -> Mentions:
    """A chunk begins at the first start in a run of labels that continue each other, and counts if
    the run ends as the scheme demands.
    """
    breaks = ~scheme.inside[row.pairs]
    heads, run = np.flatnonzero(breaks), np.cumsum(breaks)
    begin = np.flatnonzero(scheme.starts[row.pairs])
    begin = begin[np.diff(run[begin], prepend=0) > 0]
    end = heads[run[begin]]
    chunks = Mentions(begin, end, row.kind[begin])
    return chunks[scheme.ends[row.pairs[end]]]
