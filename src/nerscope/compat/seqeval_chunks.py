"""The chunks that seqeval reads from label sequences, for a complete corpus at once.

Its default and strict modes depend only on two neighbouring labels: on their letters, and on
whether their types are equal. So a mode is a few patterns, which are data here, and a corpus is one
row of labels with an `O` after every sentence.

A pattern is the letter before, the letter itself, and `=` or `!` if the types must be equal or must
differ: `II!` is an I after an I of another type. `*` is any letter, `?` is any letter that is not
in a pattern.
"""

from collections import defaultdict
from collections.abc import Sequence
from itertools import chain, count, product, repeat
from typing import NamedTuple

import numpy as np

from nerscope.corpus.arrays import Bools, Ints
from nerscope.corpus.mentions import Mentions

LETTERS = "OIBESUL.?"
KNOWN_LETTERS = "IOBESUL"  # in the order of seqeval
Sentences = Sequence[Sequence[str]]


def _table(patterns: str) -> Bools:
    """A lookup table [letter before, letter, same type] that is True where a pattern matches.

    It is flat, so that the index of a pair of neighbours is one integer; see `_label_row`.
    """
    table = np.zeros((len(LETTERS), len(LETTERS), 2), bool)
    for pattern in patterns.split():
        before, after = (LETTERS if letter == "*" else letter for letter in pattern[:2])
        types = {"=": [1], "!": [0]}.get(pattern[2:], [0, 1])
        for first, second, same in product(before, after, types):
            table[LETTERS.index(first), LETTERS.index(second), same] = True
    return table.ravel()


class SeqevalScheme(NamedTuple):
    """A tagging scheme of seqeval's strict mode.

    >>> IOB2.name, IOB2.letters
    ('IOB2', 'IOB')
    """

    name: str
    letters: str
    # Tables of `_table`: where chunks start, continue and end.
    starts: Bools
    inside: Bools
    ends: Bools


def _scheme(name: str, letters: str, starts: str, inside: str, ends: str) -> SeqevalScheme:
    return SeqevalScheme(name, letters, _table(starts), _table(inside), _table(ends))


IOB1 = _scheme("IOB1", "IOB", "OI II! BI IB= BB=", "BI= II=", "II! IO IB BO BI! BB=")
IOB2 = _scheme("IOB2", "IOB", "*B", "BI= II=", "IO II! IB BO BI! BB")
IOE1 = _scheme("IOE1", "IOE", "OI II! EI EE=", "II= IE=", "II! IO IE! EI= EE=")
IOE2 = _scheme("IOE2", "IOE", "OI OE EI EE II! IE!", "IE= II=", "E*")
IOBES = _scheme("IOBES", "IOBES", "*B *S", "BI= BE= II= IE=", "S* E*")
BILOU = _scheme("BILOU", "IOBUL", "*B *U", "BI= BL= II= IL=", "U* L*")
SCHEMES = {scheme.name: scheme for scheme in (IOB1, IOB2, IOE1, IOE2, IOBES, BILOU)}
# The sets of gold letters from which a scheme is recognised if none is given.
_SIGNS = {
    "IOB2": "IOB IB BO B",
    "IOE2": "IOE IE EO E",
    "IOBES": "IOBES IBES IOBE OBES IBE BES OBE BE S",
    "BILOU": "IOBLU IBLU IOBL OBLU IBL BLU OBL BL U",
}
_RECOGNISED = {frozenset(sign): name for name, signs in _SIGNS.items() for sign in signs.split()}
# The default mode (`start_of_chunk`, `end_of_chunk` in seqeval), which has no scheme.
_LOOSE_STARTS = _table("*B *S EE EI SE SI OE OI *I! *E! *U! *L! *?!")
_LOOSE_ENDS = _table("E* S* BB BS BO IB IS IO B*! I*! U*! L*! ?*!")


class Chunks(NamedTuple):
    """The chunks of gold and predicted labels, and the names of their types."""

    gold: Mentions
    pred: Mentions
    names: list[str]
    length: int  # of the row of labels


class _CodedLabels(NamedTuple):
    """Gold and predicted labels as codes into a list of distinct labels."""

    gold: Ints
    pred: Ints
    labels: list[str]


def _encode_labels(gold: Sentences, pred: Sentences) -> _CodedLabels:
    codes: defaultdict[str, int] = defaultdict(count().__next__)
    codes["O"]  # gets code 0: the label between sentences
    rows = [_code_row(sentences, codes) for sentences in (gold, pred)]
    for label in codes:
        if not isinstance(label, str) or not label:
            raise ValueError(f"{label!r} is not a label: use strings such as 'O' or 'B-PER'.")
    return _CodedLabels(rows[0], rows[1], list(codes))


def _code_row(sentences: Sentences, codes: defaultdict[str, int]) -> Ints:
    between = repeat(("O",))
    labels = chain.from_iterable(chain.from_iterable(zip(sentences, between, strict=False)))
    size = sum(map(len, sentences)) + len(sentences)
    return np.fromiter(map(codes.__getitem__, labels), np.int32, size)


class _LabelRow(NamedTuple):
    """The labels of one side: the table index of each pair of neighbours, and each type."""

    pairs: Ints
    kind: Ints


def _label_row(codes: Ints, letters: Ints, kinds: Ints) -> _LabelRow:
    letter, kind = letters[codes], kinds[codes]
    # The index in the flat table: (letter before * number of letters + letter) * 2 + same type.
    pairs = letter * 2
    pairs[1:] += letter[:-1] * (2 * len(LETTERS))
    pairs[1:] += kind[1:] == kind[:-1]
    # Before the first label there is nothing, which counts as an O (letter 0) of another type.
    return _LabelRow(pairs, kind)


def _rows(
    coded: _CodedLabels, parts: list[tuple[str, str]]
) -> tuple[_LabelRow, _LabelRow, list[str]]:
    """Both sides, from the letter and the type of each label."""
    names = list(dict.fromkeys(kind for _, kind in parts))
    places = {name: place for place, name in enumerate(names)}
    letters = np.array([max(LETTERS.find(letter), -1) for letter, _ in parts], np.int16)
    letters[letters < 0] = len(LETTERS) - 1
    kinds = np.array([places[kind] for _, kind in parts], np.int32)
    return _label_row(coded.gold, letters, kinds), _label_row(coded.pred, letters, kinds), names


def loose_chunks(gold: Sentences, pred: Sentences, suffix: bool) -> tuple[Chunks, list[str]]:
    """The chunks of seqeval's default mode, and the labels that it warns about.

    >>> chunks, odd = loose_chunks([["B-X", "I-X", "O"]], [["I-X", "L-X", "O"]], suffix=False)
    >>> chunks.pred.start.tolist(), chunks.pred.end.tolist(), odd
    ([0], [2], ['L-X'])
    """
    coded = _encode_labels(gold, pred)
    parts = [_loose_parts(label, suffix) for label in coded.labels]
    *rows, names = _rows(coded, parts)
    chunks = Chunks(_loose_mentions(rows[0]), _loose_mentions(rows[1]), names, len(coded.gold))
    return chunks, [label for label in coded.labels if not _looks_right(label, suffix)]


def _loose_parts(label: str, suffix: bool) -> tuple[str, str]:
    if suffix:
        return label[-1], label[:-1].rsplit("-", maxsplit=1)[0] or "_"
    return label[0], label[1:].split("-", maxsplit=1)[-1] or "_"


def _looks_right(label: str, suffix: bool) -> bool:
    ending, beginning = ("-B", "-I", "-E", "-S"), ("B-", "I-", "E-", "S-")
    fits = label.endswith(ending) if suffix else label.startswith(beginning)
    return fits or label in ("O", "B", "I", "E", "S")


def _loose_mentions(row: _LabelRow) -> Mentions:
    """Each end closes a chunk that began at the last start before it."""
    # An end is the first label after a chunk. The running maximum gives the latest start before it:
    # for starts at 0 and 3, it is 0 0 0 3 3 for the labels 0 to 4.
    end = np.flatnonzero(_LOOSE_ENDS[row.pairs])
    here = np.arange(len(row.pairs))
    started = np.maximum.accumulate(np.where(_LOOSE_STARTS[row.pairs], here, 0))
    return Mentions(started[end - 1], end, row.kind[end - 1])


def strict_chunks(
    gold: Sentences, pred: Sentences, scheme: SeqevalScheme | None, suffix: bool
) -> Chunks:
    """The chunks of seqeval's strict mode; default: the scheme is recognised from gold.

    >>> strict_chunks([["B-X", "I-X"]], [["I-X", "I-X"]], IOB2, suffix=False).pred.start.tolist()
    []
    """
    coded = _encode_labels(gold, pred)
    parts = [_strict_parts(label, suffix) for label in coded.labels]
    letters = [letter for letter, _ in parts]
    scheme = scheme or _recognise_scheme(coded, len(gold), letters)
    _check_letters(coded, letters, scheme)
    *rows, names = _rows(coded, parts)
    return Chunks(
        _strict_mentions(rows[0], scheme), _strict_mentions(rows[1], scheme), names, len(coded.gold)
    )


def _strict_parts(label: str, suffix: bool) -> tuple[str, str]:
    letter, kind = (label[-1], label[:-1]) if suffix else (label[0], label[1:])
    return letter, kind.strip("-") or "_"


def _recognise_scheme(coded: _CodedLabels, sentences: int, letters: list[str]) -> SeqevalScheme:
    times = np.bincount(coded.gold, minlength=len(letters))
    times[0] -= sentences  # without the O labels between sentences
    used = np.flatnonzero(times).tolist()
    for place in used:
        if letters[place] not in KNOWN_LETTERS:
            raise ValueError(f"This scheme is not supported: {coded.labels[place]}")
    signs = {letters[place] for place in used}
    if frozenset(signs) not in _RECOGNISED:
        raise ValueError(f"This scheme is not supported: {', '.join(sorted(signs))}")
    return SCHEMES[_RECOGNISED[frozenset(signs)]]


def _check_letters(coded: _CodedLabels, letters: list[str], scheme: SeqevalScheme) -> None:
    for label, letter in zip(coded.labels, letters, strict=True):
        if letter not in scheme.letters:
            allowed = "|".join(scheme.letters)
            raise ValueError(f"Invalid token is found: {label}. Allowed prefixes are: {allowed}.")


def _strict_mentions(row: _LabelRow, scheme: SeqevalScheme) -> Mentions:
    """The chunks of a row in a scheme.

    A chunk begins at the first start in a run of labels that continue each other. It counts if the
    run has a valid end.
    """
    breaks = ~scheme.inside[row.pairs]
    # Number the runs of labels that continue each other. For breaks at labels 0 and 3, `heads` is
    # 0 3, `run` is 1 1 1 2 2, and run k ends at heads[k].
    heads, run = np.flatnonzero(breaks), np.cumsum(breaks)
    begin = np.flatnonzero(scheme.starts[row.pairs])
    # Of several starts in a run, only the first begins a chunk.
    begin = begin[np.diff(run[begin], prepend=0) > 0]
    end = heads[run[begin]]
    chunks = Mentions(begin, end, row.kind[begin])
    return chunks[scheme.ends[row.pairs[end]]]
