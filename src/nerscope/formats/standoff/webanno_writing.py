"""Write a corpus as WebAnno TSV 3.3; names and escapes are also used for reading."""

import re
from itertools import chain, pairwise

import numpy as np

from nerscope.corpus.corpus import Corpus
from nerscope.corpus.schemes import Scheme
from nerscope.errors import InputError
from nerscope.formats.source import require_tokens
from nerscope.formats.standoff.text import check_words

ENDING = ".tsv"
TEXT = "#Text="
NAMED_ENTITY = "de.tudarmstadt.ukp.dkpro.core.api.ner.type.NamedEntity"
VALUE = "value"  # the feature of a named entity that is its type
NOTHING = "_"  # a column without annotation
# Characters by the letter of their escape, such as \\t.
LETTERS = {"t": "\t", "n": "\n", "f": "\f", "r": "\r", "b": "\b"}
_BREAKS = re.compile(r"[\t\r\n]")
_TO_ESCAPE = re.compile(r"->|[\\\[\]|_;\t\n*]")
_TEXT_TO_ESCAPE = re.compile(r"[\\\x01-\x08\t\f\r\x0e-\x1f]")
_ESCAPES = {character: letter for letter, character in LETTERS.items()}


def write_webanno(corpus: Corpus, scheme: Scheme) -> bytes:
    """A corpus of one document as WebAnno TSV 3.3, in the layer of named entities.

    >>> from nerscope.corpus.schemes import BIO
    >>> text = write_webanno(Corpus.of([(["Ada", "spoke"], ["B-PER", "O"])]), BIO).decode()
    >>> text.split("\\n")[-3:-1]
    ['1-1\\t0-3\\tAda\\tPER\\t', '1-2\\t4-9\\tspoke\\t_\\t']
    """
    files = write_webanno_folder(corpus, scheme)
    if len(files) > 1:
        raise InputError(
            corpus.name,
            f"{len(files)} documents do not fit into one WebAnno file",
            "write a folder (a name without an ending): OUT::format=webanno",
        )
    return next(iter(files.values()))


def write_webanno_folder(corpus: Corpus, scheme: Scheme) -> dict[str, bytes]:
    """A corpus as the files of a folder, one per document."""
    corpus = require_tokens(corpus)
    check_words(corpus)
    bounds = np.flatnonzero(np.diff(corpus.documents, prepend=-1, append=-1)).tolist()
    width = len(str(len(bounds) - 1))
    return {
        f"{number:0{width}}{ENDING}": _document(corpus.sentences(first, last), first).encode()
        for number, (first, last) in enumerate(pairwise(bounds), 1)
    }


def _document(corpus: Corpus, before: int) -> str:
    """The file of a document; `before` is the number of sentences before it, for messages."""
    values = _values_of(corpus)
    gaps = corpus.gaps.tolist() if corpus.gaps is not None else [" "] * corpus.n_tokens
    lines = ["#FORMAT=WebAnno TSV 3.3", f"#T_SP={NAMED_ENTITY}|{VALUE}", ""]
    done = 0
    for number, (begin, end) in enumerate(pairwise(corpus.starts.tolist()), 1):
        words = corpus.words(number - 1)
        if any(_BREAKS.search(word) or not word for word in words):
            raise InputError(
                corpus.name,
                f"sentence {before + number} has a token that lines and columns cannot hold",
                "remove tabs, line ends and empty tokens",
            )
        # `done` is the offset of the next token in the document, in UTF-16 units.
        done += _units(gaps[begin]) if number > 1 else 0
        # The gap before the first word does not belong to the sentence.
        text = "".join(chain.from_iterable(zip(["", *gaps[begin + 1 : end]], words, strict=True)))
        lines += [
            "",
            *(TEXT + _TEXT_TO_ESCAPE.sub(_escape, line) for line in text.split("\n")),
        ]
        for at, word in enumerate(words):
            done += _units(gaps[begin + at]) if at else 0
            offsets = f"{done}-{done + _units(word)}"
            done += _units(word)
            lines.append(f"{number}-{at + 1}\t{offsets}\t{word}\t{values[begin + at]}\t")
    return "\n".join(lines) + "\n"


def _units(text: str) -> int:
    """The number of UTF-16 units of a text."""
    return len(text.encode("utf-16-le")) // 2


def _values_of(corpus: Corpus) -> list[str]:
    """The column of each token: its type, with a number if the mention or the token has several."""
    mentions = corpus.mentions()
    if mentions.shape is not None and any(shape.holes for shape in mentions.shape):
        raise InputError(
            corpus.name,
            "a mention is discontinuous, which WebAnno cannot hold",
            "write brat: OUT::format=brat",
        )
    kinds = [corpus.coding.labels.types[kind] for kind in mentions.type]
    if any("\r" in kind for kind in kinds):
        raise InputError(
            corpus.name, "a type contains a line end, which columns cannot hold", "rename the type"
        )
    spans = sorted(zip(mentions.start.tolist(), mentions.end.tolist(), kinds, strict=True))
    columns: list[list[int]] = [[] for _ in range(corpus.n_tokens)]
    for number, (start, end, _) in enumerate(spans):
        for column in columns[start:end]:
            column.append(number)

    def value(number: int) -> str:
        start, end, kind = spans[number]
        needs_number = end - start > 1 or len(columns[start]) > 1
        return _TO_ESCAPE.sub(_escape, kind) + (f"[{number + 1}]" if needs_number else "")

    return ["|".join(map(value, column)) or NOTHING for column in columns]


def _escape(match: re.Match[str]) -> str:
    return "\\" + _ESCAPES.get(match[0], match[0])
