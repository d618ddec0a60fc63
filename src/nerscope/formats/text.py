"""Text with character offsets as sentences of tokens on which every mention begins and ends."""

import re
from abc import abstractmethod
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from nerscope.corpus.arrays import Ints, Objects
from nerscope.corpus.corpus import Coding, Corpus, Found, Reading, SentenceParts, corpus_of
from nerscope.corpus.mentions import PLAIN, Mentions, Shape
from nerscope.errors import FormatError, InputError
from nerscope.formats.base import Source
from nerscope.formats.marks import FORBIDDEN

_CHUNK = 1 << 19  # characters
# A word goes on over marks and joiners, which many scripts put between letters, and ends at blanks,
# punctuation, arrows and pictures; what is no word is a token for each character.
_PUNCTUATION = r"!-/:-@\[-^`{-~\u00a1-\u00a9\u00ab-\u00b4\u00b6-\u00b9\u00bb-\u00bf"
_PUNCTUATION += r"\u2000-\u200b\u200e-\u206f\u2190-\u2bff\u3000-\u3004\u3008-\u3020\u30fb"
_PUNCTUATION += r"\uff00-\uff0f\uff1a-\uff20\uff3b-\uff3e\uff5b-\uff65\U0001f000-\U0001faff"
_TOKEN = re.compile(rf"\w[^\s{_PUNCTUATION}]*|\S")
TRIMMED = "spans with blanks at an edge"
CUT = "tokens cut at the edge of a span"


class TextSpan(NamedTuple):
    """A mention: its type and its characters, as half-open ranges in order."""

    fragments: tuple[tuple[int, int], ...]
    type: str


class Record(NamedTuple):
    """A document: its text and mentions, the line where it begins, and its tokens if it has any.

    Where there are no lines, messages need its `place`, and its sentences are numbered instead.

    >>> record = Record("Ada spoke", [TextSpan(((0, 3),), "PER")])
    >>> record.text[slice(*record.spans[0].fragments[0])]
    'Ada'
    """

    text: str
    spans: Sequence[TextSpan]
    line: int = 0
    tokens: Sequence[tuple[int, int]] | None = None
    place: str = ""


class TextSource(Source):
    """A source of records. A format gives `name` and `records`; the rest is the same for all."""

    retokenised = True

    @abstractmethod
    def records(self) -> Iterator[Record]:
        """The records, one at a time."""

    def chunks(self, coding: Coding, *, tokens: bool = True) -> Iterator[Corpus]:
        """Sentences of tokens, some hundred thousand characters at a time."""
        nothing = True
        for chunk in record_chunks(self.records(), self.name, coding):
            nothing = False
            yield chunk
        if nothing:
            raise InputError(
                self.name, "the file holds no sentence", "check that it is the right file"
            )


class _Made(TextSource):
    def __init__(self, name: str, records: Callable[[], Iterator[Record]]) -> None:
        self.name, self._records = name, records

    def records(self) -> Iterator[Record]:
        return self._records()


def text_source(name: str, records: Callable[[], Iterator[Record]]) -> TextSource:
    """A source of what a function gives each time it is asked.

    >>> record = Record("Ada spoke.", [TextSpan(((0, 3),), "PER")])
    >>> source = text_source("x", lambda: iter([record]))
    >>> [chunk.words(0) for chunk in source.chunks(Coding())]
    [['Ada', 'spoke', '.']]
    """
    return _Made(name, records)


def record_chunks(records: Iterable[Record], name: str, coding: Coding) -> Iterator[Corpus]:
    """Chunks of some hundred thousand characters; none if no record holds a sentence.

    >>> [len(chunk) for chunk in record_chunks([Record("Ada", []), Record("", [])], "x", Coding())]
    [1]
    """
    reader = _Reader(name, coding)
    for record in records:
        reader.add(record)
        if reader.size >= _CHUNK:
            yield from reader.taken()
    yield from reader.taken()


class _Reader:
    """Records so far, as sentences that wait to be a chunk."""

    def __init__(self, name: str, coding: Coding) -> None:
        self._name, self._coding = name, coding
        self._parts: list[SentenceParts] = []
        self._found: dict[str, list[int]] = {}
        self._documents, self._sentences = 0, 0  # so far, in all chunks
        self.size = 0

    def add(self, record: Record) -> None:
        first = self._sentences + 1
        line = record.line or first
        read = read_text(record, record.place or f"{self._name}:{line}")
        self._parts += [
            part._replace(document=self._documents, line=record.line or number)
            for number, part in enumerate(read.sentences, first)
        ]
        for kind, times in read.found.items():
            self._found.setdefault(kind, []).extend([line] * times)
        self._documents += 1
        self._sentences += len(read.sentences)
        self.size += len(record.text)

    def taken(self) -> Iterator[Corpus]:
        """What waits, as a chunk."""
        if not self._parts:
            return
        corpus = corpus_of(self._parts, self._name, self._coding)
        found = {kind: Found(len(lines), tuple(lines)) for kind, lines in self._found.items()}
        yield replace(corpus, reading=Reading(found=found))
        self._parts, self._found, self.size = [], {}, 0


class TextRead(NamedTuple):
    """The sentences of a record, and how often something had to be changed."""

    sentences: list[SentenceParts]
    found: dict[str, int]


def read_text(record: Record, place: str) -> TextRead:
    """Sentences of tokens, cut at the edges of mentions and broken at line ends outside of them.

    >>> read_text(Record("He saw it.\\nI left", [TextSpan(((3, 6),), "V")]), "x").sentences[0].spans
    [(1, 2, 'V')]
    """
    if FORBIDDEN.search(record.text):
        raise FormatError(
            place,
            "the text holds NUL, U+001F or half a character (a lone surrogate)",
            "take it out; offsets move with it",
        )
    spans = [_checked(span, record.text, place) for span in record.spans]
    # Fragments that melt into one lose edges; only blanks at an edge make new ones.
    trimmed = sum(
        not _edges(one) <= _edges(span) for one, span in zip(spans, record.spans, strict=True)
    )
    edges = set[int]().union(*map(_edges, spans))
    tokens, cut = _tokens(record, edges, place)
    sentences = list(_sentences(record, tokens, spans))
    found = {TRIMMED: trimmed, CUT: cut}
    return TextRead(sentences, {kind: times for kind, times in found.items() if times})


def _edges(span: TextSpan) -> set[int]:
    return {at for fragment in span.fragments for at in fragment}


def _checked(span: TextSpan, text: str, place: str) -> TextSpan:
    """The span without blanks at its edges; refused if it is none of this text."""
    fragments: list[tuple[int, int]] = []
    for start, end in span.fragments:
        if not 0 <= start < end <= len(text):
            raise FormatError(
                place,
                f"the span ({start}, {end}) does not lie in the {len(text)} characters of the text",
                "count characters from 0; the end is the first character behind the span",
            )
        if fragments and start < fragments[-1][1]:
            raise FormatError(
                place,
                f"the fragments of the span {list(span.fragments)} overlap or are out of order",
                "give them in reading order",
            )
        part = text[start:end]
        if part.strip():
            left, right = len(part) - len(part.lstrip()), len(part) - len(part.rstrip())
            fragments.append((start + left, end - right))
    if not fragments:
        raise FormatError(
            place, f"the span {list(span.fragments)} holds nothing but blanks", "take it out"
        )
    if not span.type:
        raise FormatError(place, "a span has no type", "give every span a type")
    return TextSpan(_melted(fragments, text), span.type)


def _melted(fragments: Sequence[tuple[int, int]], text: str) -> tuple[tuple[int, int], ...]:
    """Fragments with nothing but blanks between them are one."""
    melted = [fragments[0]]
    for start, end in fragments[1:]:
        if text[melted[-1][1] : start].strip():
            melted.append((start, end))
        else:
            melted[-1] = (melted[-1][0], end)
    return tuple(melted)


def _tokens(record: Record, edges: set[int], place: str) -> tuple[list[tuple[int, int]], int]:
    """The tokens of a text, cut at the edges of mentions, and how many of its own had to be cut."""
    given = record.tokens is not None
    whole = _own_tokens(record, place) if given else _looked_for(record.text)
    cuts = sorted(edges)
    tokens: list[tuple[int, int]] = []
    for start, end in whole:
        inside = cuts[bisect_right(cuts, start) : bisect_left(cuts, end)]
        tokens += pairwise([start, *inside, end])
    return tokens, len(tokens) - len(whole) if given else 0


def _looked_for(text: str) -> list[tuple[int, int]]:
    return [match.span() for match in _TOKEN.finditer(text)]


def _own_tokens(record: Record, place: str) -> list[tuple[int, int]]:
    """The tokens that a record gives; what they leave out of the text becomes tokens too."""
    tokens: list[tuple[int, int]] = []
    done = 0
    for start, end in record.tokens or ():
        if not done <= start <= end <= len(record.text):
            raise FormatError(
                place,
                f"the token ({start}, {end}) overlaps the one before or lies outside of the text",
                "give tokens in order, as characters counted from 0",
            )
        tokens += _moved(_looked_for(record.text[done:start]), done)
        part = record.text[start:end]
        if part.strip():
            left, right = len(part) - len(part.lstrip()), len(part) - len(part.rstrip())
            tokens.append((start + left, end - right))
        done = end
    return tokens + _moved(_looked_for(record.text[done:]), done)


def _moved(spans: Iterable[tuple[int, int]], by: int) -> list[tuple[int, int]]:
    return [(start + by, end + by) for start, end in spans]


def _sentences(
    record: Record, tokens: list[tuple[int, int]], spans: Sequence[TextSpan]
) -> Iterator[SentenceParts]:
    """Sentences end at line ends that no mention goes across."""
    text = record.text
    at_start = {start: index for index, (start, _) in enumerate(tokens)}
    at_end = {end: index + 1 for index, (_, end) in enumerate(tokens)}
    hulls = [(at_start[one.fragments[0][0]], at_end[one.fragments[-1][1]]) for one in spans]
    bridged = {at for low, high in hulls for at in range(low + 1, high)}
    gaps = [text[end:start] for (_, end), (start, _) in pairwise([(0, 0), *tokens])]
    breaks = [at for at in range(1, len(tokens)) if "\n" in gaps[at] and at not in bridged]
    inside = sorted(zip(hulls, spans, strict=True), key=lambda one: one[0])
    taken = 0
    for begin, end in pairwise([0, *breaks, len(tokens)] if tokens else []):
        own = []
        while taken < len(inside) and inside[taken][0][0] < end:
            own.append(inside[taken])
            taken += 1
        line = record.line
        yield SentenceParts(
            [text[low:high] for low, high in tokens[begin:end]],
            None,
            [(low - begin, high - begin, span.type) for (low, high), span in own],
            line,
            end - begin,
            [_shape(span, at_start, at_end) for _, span in own],
            gaps[begin:end],
        )


def _shape(span: TextSpan, at_start: dict[int, int], at_end: dict[int, int]) -> Shape:
    """The holes between the fragments of a mention."""
    if len(span.fragments) == 1:
        return PLAIN
    return Shape.of_runs([(at_start[low], at_end[high]) for low, high in span.fragments])


def check_words(corpus: Corpus) -> None:
    """Refuse tokens that would not be read back from a text.

    >>> check_words(Corpus.of([(["a "], ["O"])]))
    Traceback (most recent call last):
    nerscope.errors.InputError: <memory>:1: the token 'a ' is empty or has a blank at its edge, \
which text cannot hold. Remedy: take it out
    """
    for at, word in enumerate(corpus.coding.tokens.strings(corpus.tokens)):
        if not word or word != word.strip():
            raise InputError(
                corpus.place(at),
                f"the token {word!r} is empty or has a blank at its edge, which text cannot hold",
                "take it out",
            )


def records_of(corpus: Corpus) -> Iterator[Record]:
    """A corpus as text: a record for each document if there are any, else for each sentence.

    >>> corpus = Corpus.of([(["Ada", "spoke"], ["B-PER", "O"])])
    >>> next(records_of(corpus)).text
    'Ada spoke'
    """
    words = corpus.coding.tokens.strings(corpus.tokens)
    bounds = record_bounds(corpus)
    gaps = gaps_of(corpus, bounds).tolist()
    mentions = corpus.mentions()
    types = corpus.coding.labels.types
    for begin, end in pairwise(bounds.tolist()):
        text, tokens = _written(words[begin:end], gaps[begin:end])
        low, high = np.searchsorted(mentions.start, [begin, end])
        own = mentions[np.arange(low, high)].moved(-begin)
        spans = [
            TextSpan(_characters(own, at, tokens), types[own.type[at]]) for at in range(len(own))
        ]
        yield Record(text, spans, int(corpus.lines[begin]), tokens)


def record_bounds(corpus: Corpus) -> Ints:
    """Where records begin, and the end: a lone document of unknown text is but its sentences.

    >>> record_bounds(Corpus.of([(["Ada", "spoke"], ["B-PER", "O"]), (["so"], ["O"])])).tolist()
    [0, 2, 3]
    """
    documents = document_bounds(corpus)
    are_known = corpus.gaps is not None or len(documents) > 2
    return documents if are_known else corpus.starts


def document_bounds(corpus: Corpus) -> Ints:
    """Where documents begin, and the end.

    >>> document_bounds(Corpus.of([(["Ada", "spoke"], ["B-PER", "O"]), (["so"], ["O"])])).tolist()
    [0, 3]
    """
    return corpus.starts[np.flatnonzero(np.diff(corpus.documents, prepend=-1, append=-1))]


def gaps_of(corpus: Corpus, bounds: Ints) -> Objects:
    """The blanks before each token; where they are not known, sentences end at line ends.

    >>> gaps_of(Corpus.of([(["Ada", "spoke"], ["B-PER", "O"])]), np.array([0, 2])).tolist()
    ['', ' ']
    """
    if corpus.gaps is not None:
        return corpus.gaps
    made = np.full(corpus.n_tokens, " ", object)
    made[corpus.starts[:-1]] = "\n"
    made[bounds[:-1]] = ""
    return made


def _written(words: Sequence[str], gaps: Sequence[str]) -> tuple[str, list[tuple[int, int]]]:
    """Tokens with blanks between them, and where each stands."""
    parts: list[str] = []
    tokens: list[tuple[int, int]] = []
    at = 0
    for gap, word in zip(gaps, words, strict=True):
        tokens.append((at + len(gap), at + len(gap) + len(word)))
        parts += [gap, word]
        at = tokens[-1][1]
    return "".join(parts), tokens


def _characters(
    mentions: Mentions, at: int, tokens: Sequence[tuple[int, int]]
) -> tuple[tuple[int, int], ...]:
    """The characters of a mention."""
    return tuple((tokens[low][0], tokens[high - 1][1]) for low, high in mentions.runs(at))
