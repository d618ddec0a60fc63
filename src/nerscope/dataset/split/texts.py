"""The raw text of sentences. Parts of the data are copied from it without changing a byte."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import takewhile

import numpy as np

from nerscope.corpus.arrays import Bools, Ints
from nerscope.corpus.corpus import Corpus

DOCSTART = "-DOCSTART-"
_DOCUMENT_MARK = re.compile(rf"{DOCSTART}|#[ \t]*newdoc\b")


@dataclass(frozen=True, slots=True, eq=False)
class SentenceTexts:
    """A text, and the place of each sentence in it.

    The tokens of sentence k are `text[bodies[k]:ends[k]]`. The lines from `begins[k]` to
    `bodies[k]` also belong to the sentence: blank lines, comments, the line that opens a document::

        # newdoc id = a      begins[0] = 0
        Ada     B-PER        bodies[0]
        spoke   O
                             ends[0] = begins[1]
        # text = Oslo
        Oslo    B-LOC        bodies[1]
    """

    text: str
    begins: Ints
    bodies: Ints
    ends: Ints
    documents: Ints
    opens_source: Bools  # the first sentence of each source
    line_end: str
    marks: Mapping[
        int, str
    ]  # by document: the line that opens it; empty if there are no such lines
    default_mark: str = ""  # for a document without such a line, if others have one

    def lines_before(self, sentence: int) -> list[str]:
        newline = self.line_end[-1]
        text = self.text[self.begins[sentence] : self.bodies[sentence]]
        return [line + newline for line in text.split(newline)[:-1]]

    def body(self, first: int, last: int) -> str:
        """The text from the first token of one sentence to the last token of another."""
        return self.text[self.bodies[first] : self.ends[last]]


def sentence_texts(text: str, corpus: Corpus) -> SentenceTexts:
    """Locate the sentences of a corpus in its text, from the line of each token."""
    newline = "\n" if "\n" in text or "\r" not in text else "\r"
    text = text if text.endswith(newline) else text + newline
    lengths = np.fromiter(map(len, text.split(newline)), np.int64) + 1
    offsets = np.concatenate([[0], np.cumsum(lengths)])  # of lines, counted from 1
    bodies = offsets[corpus.lines[corpus.starts[:-1]] - 1]
    ends = offsets[corpus.lines[corpus.starts[1:] - 1]]
    begins = np.concatenate([[0], ends[:-1]])
    opens_source = np.arange(len(corpus)) == 0
    line_end = "\r\n" if text[: offsets[1]].endswith("\r\n") else newline
    unmarked = SentenceTexts(
        text, begins, bodies, ends, corpus.documents, opens_source, line_end, {}
    )
    marks = dict(_document_marks(unmarked))
    return replace(unmarked, marks=marks, default_mark=next(iter(marks.values()), ""))


def _document_marks(texts: SentenceTexts) -> Iterator[tuple[int, str]]:
    for sentence in np.flatnonzero(_opens_document(texts.documents)).tolist():
        marks = [line for line in texts.lines_before(sentence) if _DOCUMENT_MARK.match(line)]
        if marks:
            yield int(texts.documents[sentence]), marks[-1]


def concatenated(sources: Sequence[SentenceTexts]) -> SentenceTexts:
    """The texts of several sources as one; their documents must have different numbers."""
    shifts = np.cumsum([0, *(len(texts.text) for texts in sources[:-1])]).tolist()

    def shifted(name: str) -> Ints:
        pairs = zip(sources, shifts, strict=True)
        return np.concatenate([getattr(texts, name) + shift for texts, shift in pairs])

    return SentenceTexts(
        "".join(texts.text for texts in sources),
        shifted("begins"),
        shifted("bodies"),
        shifted("ends"),
        np.concatenate([texts.documents for texts in sources]),
        np.concatenate([texts.opens_source for texts in sources]),
        sources[0].line_end,
        {document: line for texts in sources for document, line in texts.marks.items()},
        next((texts.default_mark for texts in sources if texts.default_mark), ""),
    )


def selected_text(texts: SentenceTexts, chosen: Ints) -> str:
    """The text of some sentences, given by number in ascending order.

    Sentences that are neighbours in the source are copied as one slice, with the lines before them.
    There are three special cases for these lines: the start of the result, the start of a source,
    and a document whose first sentence is not chosen, so that its mark must be added.
    """
    documents = texts.documents[chosen]
    opens = _opens_document(documents)
    has_mark = np.isin(documents, list(texts.marks)) & _opens_document(texts.documents)[chosen]
    needs_opening = texts.opens_source[chosen] | (opens & ~has_mark)
    needs_opening[0] = True
    # A slice ends where the next sentence is not the neighbour, or needs other lines before it.
    breaks = np.flatnonzero(needs_opening | (np.diff(chosen, prepend=-2) != 1))
    ends = np.append(breaks[1:], len(chosen)) - 1
    slices: list[str] = []
    for at, first, last in zip(
        breaks.tolist(), chosen[breaks].tolist(), chosen[ends].tolist(), strict=True
    ):
        if needs_opening[at]:
            mark = _mark_of(texts, int(documents[at])) if opens[at] and not has_mark[at] else ""
            slices += _opening_lines(texts, first, mark, is_first=not at)
            slices.append(texts.body(first, last))
        else:
            slices.append(texts.text[texts.begins[first] : texts.ends[last]])
    return "".join([*slices, texts.line_end])


def _opens_document(documents: Ints) -> Bools:
    opens: Bools = np.diff(documents, prepend=-1) != 0
    return opens


def _mark_of(texts: SentenceTexts, document: int) -> str:
    """The line that opens a document. A blank line follows -DOCSTART-, as in CoNLL-2003."""
    mark = texts.marks.get(document, texts.default_mark)
    return mark + texts.line_end if mark.startswith(DOCSTART) else mark


def _opening_lines(texts: SentenceTexts, sentence: int, mark: str, is_first: bool) -> list[str]:
    """The lines before a sentence that does not follow its neighbour in the source."""
    lines = texts.lines_before(sentence)
    blanks = list(takewhile(_is_blank, lines))
    others = lines[len(blanks) :]
    if is_first:
        blanks = []
    elif all(line.startswith("#") for line in lines):
        # Without a blank line, this sentence would be joined with the one before it.
        blanks = [texts.line_end]
    return [*blanks, mark, *others]


def _is_blank(line: str) -> bool:
    return not line.strip(" \t\r\n")


def context_ranges(documents: Ints, size: int) -> list[tuple[int, int]]:
    """The ranges (first, last + 1) of sentences that are joined into one.

    A range has `size` sentences, or fewer at the end of a document.

    >>> context_ranges(np.array([0, 0, 0, 1, 1]), 2)
    [(0, 2), (2, 3), (3, 5)]
    """
    run = context_runs(documents, size)
    first = np.flatnonzero(np.diff(run, prepend=-1))
    last = np.append(first[1:], len(run))
    return list(zip(first.tolist(), last.tolist(), strict=True))


def context_runs(documents: Ints, size: int) -> Ints:
    """By sentence: the number of the joined sentence that contains it.

    >>> context_runs(np.array([0, 0, 0, 1, 1]), 2).tolist()
    [0, 0, 1, 2, 2]
    """
    position = np.arange(len(documents))
    opens = np.diff(documents, prepend=documents[:1] - 1) != 0
    # The position in the document: the distance to its first sentence.
    since = position - np.maximum.accumulate(np.where(opens, position, 0))
    runs: Ints = np.cumsum(since % size == 0) - 1
    return runs


def join_sentences(texts: SentenceTexts, ranges: Sequence[tuple[int, int]]) -> SentenceTexts:
    """Join the sentences of each range into one.

    Comments between the joined sentences move before the first of them, so that only blank lines
    are lost.
    """
    pieces, begins, bodies, ends, at = [], [], [], [], 0
    for first, last in ranges:
        between = [
            line
            for sentence in range(first + 1, last)
            for line in texts.lines_before(sentence)
            if not _is_blank(line)
        ]
        before = "".join([*texts.lines_before(first), *between])
        body = "".join(texts.body(sentence, sentence) for sentence in range(first, last))
        pieces += [before, body]
        begins.append(at)
        bodies.append(at + len(before))
        at += len(before) + len(body)
        ends.append(at)
    heads = np.array([first for first, _ in ranges], np.int64)
    return replace(
        texts,
        text="".join(pieces),
        begins=np.array(begins, np.int64),
        bodies=np.array(bodies, np.int64),
        ends=np.array(ends, np.int64),
        documents=texts.documents[heads],
        opens_source=texts.opens_source[heads],
    )
