"""The raw text of sentences: parts of data are cut out of it and keep every byte of a sentence."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import takewhile

import numpy as np

from nerscope.corpus.arrays import Bools, Ints
from nerscope.corpus.corpus import Corpus

_DOCSTART = "-DOCSTART-"
_MARK = re.compile(r"-DOCSTART-|#[ \t]*newdoc\b")


@dataclass(frozen=True, slots=True, eq=False)
class Pieces:
    """A text, and where each sentence stands in it.

    The tokens of sentence k are `text[bodies[k]:ends[k]]`. What stands before them, from
    `begins[k]` on, goes with the sentence: blank lines, comments, the mark of a document. `marks`
    are the lines that open documents; `mark` opens one that has none. Both are empty where no
    lines mark documents.
    """

    text: str
    begins: Ints
    bodies: Ints
    ends: Ints
    documents: Ints
    leads: Bools  # the first sentence of a source
    line_end: str
    marks: Mapping[int, str]
    mark: str = ""

    def before(self, sentence: int) -> list[str]:
        """The lines before a sentence, with their ends."""
        newline = self.line_end[-1]
        text = self.text[self.begins[sentence] : self.bodies[sentence]]
        return [line + newline for line in text.split(newline)[:-1]]

    def body(self, first: int, last: int) -> str:
        """The text from the first token of one sentence to the last token of another."""
        return self.text[self.bodies[first] : self.ends[last]]


def pieces_of(text: str, corpus: Corpus) -> Pieces:
    """The pieces of a file, whose sentences are known by the lines of their tokens."""
    newline = "\n" if "\n" in text or "\r" not in text else "\r"
    text = text if text.endswith(newline) else text + newline
    lengths = np.fromiter(map(len, text.split(newline)), np.int64) + 1
    offsets = np.concatenate([[0], np.cumsum(lengths)])
    bodies = offsets[corpus.lines[corpus.starts[:-1]] - 1]
    ends = offsets[corpus.lines[corpus.starts[1:] - 1]]
    begins = np.concatenate([[0], ends[:-1]])
    leads = np.arange(len(corpus)) == 0
    line_end = "\r\n" if text[: offsets[1]].endswith("\r\n") else newline
    bare = Pieces(text, begins, bodies, ends, corpus.documents, leads, line_end, {})
    marks = dict(_marks(bare))
    return replace(bare, marks=marks, mark=next(iter(marks.values()), ""))


def _marks(pieces: Pieces) -> Iterator[tuple[int, str]]:
    """The line that opens each document that has one."""
    for sentence in np.flatnonzero(_opens(pieces.documents)).tolist():
        found = [line for line in pieces.before(sentence) if _MARK.match(line)]
        if found:
            yield int(pieces.documents[sentence]), found[-1]


def one_after_another(parts: Sequence[Pieces]) -> Pieces:
    """The pieces of several sources as one."""
    shifts = np.cumsum([0, *(len(one.text) for one in parts[:-1])]).tolist()

    def joined(name: str) -> Ints:
        pairs = zip(parts, shifts, strict=True)
        return np.concatenate([getattr(one, name) + shift for one, shift in pairs])

    return Pieces(
        "".join(one.text for one in parts),
        joined("begins"),
        joined("bodies"),
        joined("ends"),
        np.concatenate([one.documents for one in parts]),
        np.concatenate([one.leads for one in parts]),
        parts[0].line_end,
        {document: line for one in parts for document, line in one.marks.items()},
        next((one.mark for one in parts if one.mark), ""),
    )


def part_text(pieces: Pieces, chosen: Ints) -> str:
    """The text of some sentences, in the order of the source.

    What stands side by side in the source is copied as it is, and so is what stands before it. That
    must be put in order only at the beginning of the part, at that of a source, and where a
    document is taken up in the middle.
    """
    documents = pieces.documents[chosen]
    opens = _opens(documents)
    unmarked = ~(np.isin(documents, list(pieces.marks)) & _opens(pieces.documents)[chosen])
    amiss = pieces.leads[chosen] | (opens & unmarked)
    amiss[0] = True
    breaks = np.flatnonzero(amiss | (np.diff(chosen, prepend=-2) != 1))
    ends = np.append(breaks[1:], len(chosen)) - 1
    found: list[str] = []
    for at, first, last in zip(
        breaks.tolist(), chosen[breaks].tolist(), chosen[ends].tolist(), strict=True
    ):
        if amiss[at]:
            mark = _mark(pieces, int(documents[at])) if opens[at] and unmarked[at] else ""
            found += _opening(pieces, first, mark, is_first=not at)
            found.append(pieces.body(first, last))
        else:
            found.append(pieces.text[pieces.begins[first] : pieces.ends[last]])
    return "".join([*found, pieces.line_end])


def _opens(documents: Ints) -> Bools:
    """Which sentences are the first of their document."""
    opens: Bools = np.diff(documents, prepend=-1) != 0
    return opens


def _mark(pieces: Pieces, document: int) -> str:
    """The line that opens a document; a blank one follows it unless it is a comment."""
    mark = pieces.marks.get(document, pieces.mark)
    return mark + pieces.line_end if mark.startswith(_DOCSTART) else mark


def _opening(pieces: Pieces, sentence: int, mark: str, is_first: bool) -> list[str]:
    """The lines before a sentence where a part takes up the source anew."""
    lines = pieces.before(sentence)
    blanks = list(takewhile(_is_blank, lines))
    rest = lines[len(blanks) :]
    if is_first:
        blanks = []
    elif all(line.startswith("#") for line in lines):  # nothing keeps it from the one before
        blanks = [pieces.line_end]
    return [*blanks, mark, *rest]


def _is_blank(line: str) -> bool:
    return not line.strip(" \t\r\n")


def joined_pieces(pieces: Pieces, ranges: Sequence[tuple[int, int]]) -> Pieces:
    """The pieces with the sentences of each range made one: no lines stand between them.

    Comments that stood there come before the first of them, so nothing but blank lines is lost.
    """
    texts, begins, bodies, ends, at = [], [], [], [], 0
    for first, last in ranges:
        inner = range(first + 1, last)
        kept = [line for one in inner for line in pieces.before(one) if not _is_blank(line)]
        before = "".join([*pieces.before(first), *kept])
        body = "".join(pieces.body(one, one) for one in range(first, last))
        texts += [before, body]
        begins.append(at)
        bodies.append(at + len(before))
        at += len(before) + len(body)
        ends.append(at)
    heads = np.array([first for first, _ in ranges], np.int64)
    return replace(
        pieces,
        text="".join(texts),
        begins=np.array(begins, np.int64),
        bodies=np.array(bodies, np.int64),
        ends=np.array(ends, np.int64),
        documents=pieces.documents[heads],
        leads=pieces.leads[heads],
    )
