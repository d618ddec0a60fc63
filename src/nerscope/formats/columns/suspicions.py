"""Notes and errors for columns that are probably not what they are read as.

A column of token numbers, a header line, or a prefix on every token would give wrong numbers
without any error, so each of them is noticed.
"""

import re
from collections.abc import Collection, Mapping, Sequence

import numpy as np

from nerscope.corpus.arrays import Ints
from nerscope.corpus.corpus import Note, file_option
from nerscope.corpus.schemes import INSIDE, OUTSIDE_LABEL, Scheme, parse_label
from nerscope.errors import FormatError, shortened
from nerscope.formats.columns.layout import LineBlock

NUMBERS = "tokens that are numbers (if another column has the words: ::token=1)"
BARE = "labels without prefixes, so adjacent mentions of a type are read as one"
_NUMBER = re.compile(rb"\d+(?:[-.]\d+)?")
_PREFIX = re.compile(rb"[a-z]{2,}(?:-[a-z]+)*:")  # WikiANN: en:Ada, zh-classical:…
# Lines that are not columns: what they look like, and the option that reads them.
_OTHER_LINES: Sequence[tuple[re.Pattern[str], str, str]] = (
    (re.compile(r"^#"), "the line begins with # and has no label", "comments=all"),
    (
        re.compile(r"<([A-Za-z][\w.:-]*)(?: [^<>]*)?>[^<>]+</\1>"),
        "the line has tags around words, not columns",
        "format=inline",
    ),
    (
        re.compile(r"^(?:\S+/[A-Z][A-Z-]*(?: +|$)){2,}$"),
        "every word of the line has a tag after a slash",
        "format=slash",
    ),
    (
        re.compile(r"^\d[\d.-]*(?:\t[^\t]+){9}$"),
        "the line is CoNLL-U, and its last column (MISC) has no label under NER, NE or name",
        "format=conllu,key=KEY",
    ),
)
_SAMPLE = 32  # tokens that are looked at in a block, unless all of them are suspicious
_FEWEST = 4  # tokens of a block from which a note is given
_SHOWN = 3
# Names that columns have in header lines.
_NAMES = frozenset(
    [
        "token",
        "tokens",
        "word",
        "words",
        "form",
        "text",
        "tag",
        "tags",
        "label",
        "labels",
        "ner",
        "ne",
        "ner_tag",
        "ner_tags",
        "pos",
        "chunk",
        "lemma",
        "iob",
        "bio",
        "bioes",
        "entity",
        "entities",
        "type",
        "sentence",
        "sentence_id",
        "sent_id",
        "id",
        "char",
        "character",
        "gold",
        "pred",
    ]
)


def suspicious_tokens(
    block: LineBlock, starts: Ints, ends: Ints, lines: Ints
) -> Mapping[str, Note]:
    """A note if all tokens of a block are numbers, or begin with the same prefix and a colon."""
    if len(starts) < _FEWEST:
        return {}
    sample = _texts(block, starts[:_SAMPLE], ends[:_SAMPLE])
    prefix = _PREFIX.match(sample[0])
    pattern = re.compile(re.escape(prefix[0])) if prefix else _NUMBER
    test = pattern.match if prefix else pattern.fullmatch
    # Almost always one of the first tokens ends the search.
    if not all(map(test, sample)) or not all(map(test, _texts(block, starts, ends))):
        return {}
    kind = NUMBERS
    if prefix:
        text = prefix[0].decode()
        kind = f"tokens that begin with {text} (to remove it: ::prefix={text})"
    items = tuple(text.decode() for text in sample[:_SHOWN])
    return {kind: Note(len(starts), (int(lines[0]),), items)}


def _texts(block: LineBlock, starts: Ints, ends: Ints) -> list[bytes]:
    places = zip(starts.tolist(), ends.tolist(), strict=True)
    return [block.data[begin:end] for begin, end in places]


def without_prefix(block: LineBlock, starts: Ints, ends: Ints, prefix: str) -> tuple[Ints, Ints]:
    """The places of tokens without a prefix; tokens that do not begin with it stay as they are."""
    sign = prefix.encode()
    begins = [text.startswith(sign) for text in _texts(block, starts, ends)]
    return starts + len(sign) * np.array(begins, np.int64), ends


def bare_labels(
    texts: Sequence[str], raw: Ints, lines: Ints, scheme: Scheme | None
) -> Mapping[str, Note]:
    """A note on labels such as PER, which are read as I-PER in the scheme io."""
    if scheme is None or scheme.bare != INSIDE:
        return {}
    bare = [text for text in texts if text != OUTSIDE_LABEL and _has_no_prefix(text)]
    found = np.flatnonzero(np.isin(raw, [texts.index(text) for text in bare]))
    if not len(found):
        return {}
    return {BARE: Note(len(found), (int(lines[found[0]]),), tuple(bare[:_SHOWN]))}


def are_labels(texts: Collection[str]) -> bool:
    """Whether all values of a column are labels, and some are not O.

    >>> are_labels({"B-PER", "O"}), are_labels({"O"}), are_labels({"NNP", "O"})
    (True, False, False)
    """
    return any("-" in text for text in texts) and all(map(parse_label, texts))


def _has_no_prefix(text: str) -> bool:
    return "-" not in text or parse_label(text) is None


def refuse_header(error: FormatError, line: bytes, name: str) -> None:
    """Raise an error with the right fix if the error is about a first line that names columns.

    >>> refuse_header(FormatError("x:1", "…", "…"), b"word\\tner", "x")
    Traceback (most recent call last):
    nerscope.errors.FormatError: x:1: the first line looks like a header: 'word ner'. Fix: \
x::header=yes
    """
    fields = line.decode("utf-8", "replace").split()
    if error.place == f"{name}:1" and looks_like_header(fields):
        shown = shortened(" ".join(fields))
        raise FormatError(
            error.place,
            f"the first line looks like a header: '{shown}'",
            file_option(name, "header=yes"),
        ) from None


def refuse_other_line(error: FormatError, data: bytes, first: int, name: str) -> None:
    """Raise an error with the right fix if the line of an error is certainly not one of columns.

    `first` is the number of the first line of `data`.

    >>> refuse_other_line(FormatError("x:7", "…", "…"), b"Ada O\\n<per>Ada Lee</per> met", 6, "x")
    Traceback (most recent call last):
    nerscope.errors.FormatError: x:7: the line has tags around words, not columns: \
'<per>Ada Lee</per> met'. Fix: x::format=inline
    """
    number = error.place.removeprefix(f"{name}:")
    if not number.isdecimal():
        return
    line = data.split(b"\n")[int(number) - first].decode("utf-8", "replace").strip("\r ")
    for pattern, fact, option in _OTHER_LINES:
        if pattern.search(line) and option not in error.fix:
            fix = file_option(name, option)
            raise FormatError(error.place, f"{fact}: '{shortened(line)}'", fix) from None


def looks_like_header(fields: Sequence[str]) -> bool:
    """Whether columns have names such as token and label.

    >>> looks_like_header(["Token", "NER"]), looks_like_header(["word", "O"])
    (True, False)
    """
    names = [re.sub(r"[^a-z]+", "_", field.lower()).strip("_") for field in fields]
    return len(names) > 1 and sum(name in _NAMES for name in names) > 1
