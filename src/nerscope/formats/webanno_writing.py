"""Writing a corpus as WebAnno TSV 3.3, and what such files are made of."""

import re
from itertools import pairwise

import numpy as np

from nerscope.corpus.corpus import Corpus
from nerscope.corpus.schemes import Scheme
from nerscope.errors import InputError
from nerscope.formats.base import require_tokens
from nerscope.formats.text import check_words

ENDING = ".tsv"
TEXT = "#Text="
NAMED_ENTITY = "de.tudarmstadt.ukp.dkpro.core.api.ner.type.NamedEntity"
VALUE = "value"  # the feature of a named entity that is its type
NOTHING = "_"
LETTERS = {"t": "\t", "n": "\n", "f": "\f", "r": "\r", "b": "\b"}
_BREAKS = re.compile(r"[\t\r\n]")
_TO_ESCAPE = re.compile(r"->|[\\\[\]|_;\t\n*]")
_TEXT_TO_ESCAPE = re.compile(r"[\\\x01-\x08\t\f\r\x0e-\x1f]")
_SPELT = {letter: name for name, letter in LETTERS.items()}


def written_as_webanno(corpus: Corpus, scheme: Scheme) -> bytes:
    """A corpus of one document as WebAnno TSV 3.3, in the layer of named entities.

    >>> from nerscope.corpus.schemes import BIO
    >>> text = written_as_webanno(Corpus.of([(["Ada", "spoke"], ["B-PER", "O"])]), BIO).decode()
    >>> text.split("\\n")[-3:-1]
    ['1-1\\t0-3\\tAda\\tPER\\t', '1-2\\t4-9\\tspoke\\t_\\t']
    """
    files = written_as_folder(corpus, scheme)
    if len(files) > 1:
        raise InputError(
            corpus.name,
            f"it has {len(files)} documents, and a file of WebAnno holds one",
            "name a folder, without an ending: OUT::format=webanno",
        )
    return next(iter(files.values()))


def written_as_folder(corpus: Corpus, scheme: Scheme) -> dict[str, bytes]:
    """A corpus as the files of a folder, one for each document."""
    corpus = require_tokens(corpus)
    check_words(corpus)
    bounds = np.flatnonzero(np.diff(corpus.documents, prepend=-1, append=-1)).tolist()
    width = len(str(len(bounds) - 1))
    return {
        f"{number:0{width}}{ENDING}": _document(corpus.sentences(first, last), first).encode()
        for number, (first, last) in enumerate(pairwise(bounds), 1)
    }


def _document(corpus: Corpus, before: int) -> str:
    """A document, which has so many sentences before it in its corpus."""
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
                "take tabs, line ends and empty tokens out",
            )
        done += _units(gaps[begin]) if number > 1 else 0
        pieces = [piece for pair in zip(gaps[begin:end], words, strict=True) for piece in pair][1:]
        lines += ["", *(TEXT + _escaped(line) for line in "".join(pieces).split("\n"))]
        for at, word in enumerate(words):
            done += _units(gaps[begin + at]) if at else 0
            offsets = f"{done}-{done + _units(word)}"
            done += _units(word)
            lines.append(f"{number}-{at + 1}\t{offsets}\t{word}\t{values[begin + at]}\t")
    return "\n".join(lines) + "\n"


def _units(text: str) -> int:
    """How many UTF-16 units a text has."""
    return len(text.encode("utf-16-le")) // 2


def _values_of(corpus: Corpus) -> list[str]:
    """What stands in the column of each token; several tokens or values are told by numbers."""
    mentions = corpus.mentions()
    if mentions.shape is not None and any(shape.holes for shape in mentions.shape):
        raise InputError(
            corpus.name, "a mention has a hole in it, which WebAnno cannot hold", "write it as brat"
        )
    kinds = [corpus.coding.labels.types[kind] for kind in mentions.type]
    if any("\r" in kind for kind in kinds):
        raise InputError(
            corpus.name, "a type has a line end in it, which columns cannot hold", "rename it"
        )
    spans = sorted(zip(mentions.start.tolist(), mentions.end.tolist(), kinds, strict=True))
    columns: list[list[int]] = [[] for _ in range(corpus.n_tokens)]
    for mark, (start, end, _) in enumerate(spans):
        for column in columns[start:end]:
            column.append(mark)

    def spelt(mark: int) -> str:
        start, end, kind = spans[mark]
        alone = end - start == 1 and len(columns[start]) == 1
        return _TO_ESCAPE.sub(_escape, kind) + ("" if alone else f"[{mark + 1}]")

    return ["|".join(map(spelt, column)) or NOTHING for column in columns]


def _escaped(text: str) -> str:
    return _TEXT_TO_ESCAPE.sub(_escape, text)


def _escape(found: re.Match[str]) -> str:
    return "\\" + _SPELT.get(found[0], found[0])
