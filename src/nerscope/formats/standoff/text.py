"""Divide text with character offsets into sentences and tokens, and write tokens as text.

Text is divided into tokens by a simple rule, and tokens are divided again at the edges of mentions.
So each mention is a run of whole tokens, and joining the tokens gives the same text.
"""

import re
from abc import abstractmethod
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from nerscope.corpus.arrays import Ints, Objects, expand_ranges
from nerscope.corpus.corpus import Coding, Corpus, ParsedSentence
from nerscope.corpus.mentions import PLAIN, Mentions, Shape
from nerscope.corpus.records import NO_FACTS, RecordFacts
from nerscope.corpus.schemes import BIO, Scheme
from nerscope.errors import FormatError, InputError
from nerscope.formats.json.marks import FORBIDDEN
from nerscope.formats.source import Source

if TYPE_CHECKING:
    from nerscope.formats.standoff.text_chunk import TextBlock

_CHUNK = 1 << 19  # characters
# A word may contain combining marks and joiners, which many scripts have between letters. It ends
# at blanks, punctuation, arrows and pictures. Each other character is a token by itself.
_PUNCTUATION = r"!-/:-@\[-^`{-~\u00a1-\u00a9\u00ab-\u00b4\u00b6-\u00b9\u00bb-\u00bf"
_PUNCTUATION += r"\u2000-\u200b\u200e-\u206f\u2190-\u2bff\u3000-\u3004\u3008-\u3020\u30fb"
_PUNCTUATION += r"\uff00-\uff0f\uff1a-\uff20\uff3b-\uff3e\uff5b-\uff65\U0001f000-\U0001faff"
TOKEN = re.compile(rf"\w[^\s{_PUNCTUATION}]*|\S")
TRIMMED = "spans with blanks at an edge"
CUT = "tokens cut at the edge of a span"


class TextSpan(NamedTuple):
    """A mention: its type, and the half-open ranges of its characters in reading order."""

    fragments: tuple[tuple[int, int], ...]
    type: str


class Record(NamedTuple):
    """A document: its text and mentions, the line where it begins, and its tokens if it has any.

    A record without a line number has a `place` for messages; its sentences are numbered instead of
    its lines. `facts` is what the record says about itself, such as its id.

    >>> record = Record("Ada spoke", [TextSpan(((0, 3),), "PER")])
    >>> record.text[slice(*record.spans[0].fragments[0])]
    'Ada'
    """

    text: str
    spans: Sequence[TextSpan]
    line: int = 0
    tokens: Sequence[tuple[int, int]] | None = None
    place: str = ""
    facts: RecordFacts = NO_FACTS


@dataclass(slots=True, eq=False)
class Texts:
    """Many records as columns: item k of a list is about record k, or about span or token k.

    Spans and tokens are listed record by record; `counts` and `token_counts` say how many belong to
    each record. Arrays are made from the lists without a step of Python per span.

    >>> texts = Texts.of([Record("Ada", [TextSpan(((0, 3),), "PER")]), Record("so", [])])
    >>> texts.counts, texts.starts, texts.ends, texts.types
    ([1, 0], [0], [3], ['PER'])
    """

    texts: list[str] = field(default_factory=list)
    lines: list[int] = field(default_factory=list)
    counts: list[int] = field(default_factory=list)
    starts: list[int] = field(default_factory=list)  # of spans: the start of the first fragment
    ends: list[int] = field(default_factory=list)  # the end of the last fragment
    types: list[str] = field(default_factory=list)
    fragments: dict[int, TextSpan] = field(default_factory=dict)  # spans with several, by number
    token_counts: list[int] = field(default_factory=list)  # -1: the record gives no tokens
    token_starts: list[int] = field(default_factory=list)
    token_ends: list[int] = field(default_factory=list)
    places: dict[int, str] = field(default_factory=dict)  # of records without a line
    facts: list[RecordFacts] = field(default_factory=list)

    @classmethod
    def of(cls, records: Iterable[Record]) -> "Texts":
        texts = cls()
        for record in records:
            texts.add(record)
        return texts

    def __len__(self) -> int:
        return len(self.texts)

    def add(self, record: Record) -> None:
        """Add a record at the end."""
        if record.place:
            self.places[len(self)] = record.place
        self.texts.append(record.text)
        self.lines.append(record.line)
        self.counts.append(len(record.spans))
        for span in record.spans:
            if len(span.fragments) != 1:
                self.fragments[len(self.types)] = span
            self.starts.append(span.fragments[0][0])
            self.ends.append(span.fragments[-1][1])
            self.types.append(span.type)
        self.token_counts.append(-1 if record.tokens is None else len(record.tokens))
        self.token_starts += [start for start, _ in record.tokens or ()]
        self.token_ends += [end for _, end in record.tokens or ()]
        self.facts.append(record.facts)

    def extend(self, others: "Texts") -> None:
        """Add other records at the end."""
        n_records, n_spans = len(self), len(self.types)
        self.fragments |= {n_spans + at: span for at, span in others.fragments.items()}
        self.places |= {n_records + at: place for at, place in others.places.items()}
        for name in _LISTS:
            getattr(self, name).extend(getattr(others, name))

    def span(self, at: int) -> TextSpan:
        """Span number `at` of all records."""
        simple = TextSpan(((self.starts[at], self.ends[at]),), self.types[at])
        return self.fragments.get(at, simple)

    def records(self) -> Iterator[Record]:
        """The records, one at a time."""
        spans = tokens = 0
        for at, text in enumerate(self.texts):
            count, n_tokens = self.counts[at], max(0, self.token_counts[at])
            given = slice(tokens, tokens + n_tokens)
            pairs = zip(self.token_starts[given], self.token_ends[given], strict=True)
            yield Record(
                text,
                list(map(self.span, range(spans, spans + count))),
                self.lines[at],
                None if self.token_counts[at] < 0 else list(pairs),
                self.places.get(at, ""),
                self.facts[at],
            )
            spans, tokens = spans + count, tokens + n_tokens


_LISTS = (
    *("texts", "lines", "counts", "starts", "ends", "types"),
    *("token_counts", "token_starts", "token_ends", "facts"),
)


class TextSource(Source):
    """A source of records: a format defines `name` and `records`, and inherits everything else."""

    retokenised = True

    @abstractmethod
    def records(self) -> Iterator[Record]:
        """The records, one at a time."""

    def scheme_of_labels(self, coding: Coding | None = None) -> Scheme:
        return BIO

    def chunks(self, coding: Coding, *, tokens: bool = True) -> Iterator[Corpus]:
        """Sentences of tokens, about 500,000 characters at a time."""
        is_empty = True
        for chunk in record_chunks(self.records(), self.name, coding):
            is_empty = False
            yield chunk
        if is_empty:
            raise InputError(
                self.name, "the file contains no sentences", "check that it is the right file"
            )


class _RecordSource(TextSource):
    def __init__(self, name: str, records: Callable[[], Iterator[Record]]) -> None:
        self.name, self._records = name, records

    def records(self) -> Iterator[Record]:
        return self._records()


def text_source(name: str, records: Callable[[], Iterator[Record]]) -> TextSource:
    """A source of the records that a function returns, which is called for each reading.

    >>> record = Record("Ada spoke.", [TextSpan(((0, 3),), "PER")])
    >>> source = text_source("x", lambda: iter([record]))
    >>> [chunk.words(0) for chunk in source.chunks(Coding())]
    [['Ada', 'spoke', '.']]
    """
    return _RecordSource(name, records)


def record_chunks(records: Iterable[Record], name: str, coding: Coding) -> Iterator[Corpus]:
    """Chunks of about 500,000 characters; none if no record has a sentence.

    >>> [len(chunk) for chunk in record_chunks([Record("Ada", []), Record("", [])], "x", Coding())]
    [1]
    """
    return (block.corpus(coding) for block in text_blocks(_batches(records), name))


def _batches(records: Iterable[Record]) -> Iterator[Texts]:
    """Records as columns, about 500,000 characters at a time."""
    waiting, size = Texts(), 0
    for record in records:
        waiting.add(record)
        size += len(record.text)
        if size >= _CHUNK:
            yield waiting
            waiting, size = Texts(), 0
    yield waiting


def text_blocks(batches: Iterable[Texts], name: str) -> "Iterator[TextBlock]":
    """One block per batch that has a sentence."""
    from nerscope.formats.standoff.text_chunk import text_block  # it uses this module

    documents, sentences = 0, 0  # of all blocks so far
    for texts in batches:
        block = text_block(texts, name, documents, sentences) if len(texts) else None
        documents += len(texts)
        if block is not None:
            sentences += len(block.documents)
            yield block


class TextRead(NamedTuple):
    """The sentences of a record, and the numbers of changes by kind of note."""

    sentences: list[ParsedSentence]
    noted: dict[str, int]


def read_text(record: Record, place: str) -> TextRead:
    """Divide a text into tokens, also at the edges of mentions, and into sentences at line ends.

    A line end inside a mention does not end a sentence.

    >>> read_text(Record("He saw it.\\nI left", [TextSpan(((3, 6),), "V")]), "x").sentences[0].spans
    [(1, 2, 'V')]
    """
    if FORBIDDEN.search(record.text):
        raise FormatError(
            place,
            "the text contains NUL, U+001F or a lone surrogate (half a character)",
            "remove the character and adjust the offsets after it",
        )
    spans = [trim_span(span, record.text, place) for span in record.spans]
    # Joining fragments removes edges; only trimming of blanks gives a span new edges.
    trimmed = sum(
        not edges_of(span) <= edges_of(written)
        for span, written in zip(spans, record.spans, strict=True)
    )
    # Tokens are divided at each edge of each fragment.
    edges = set[int]().union(*map(edges_of, spans))
    tokens, cut = _tokens(record, edges, place)
    sentences = list(_sentences(record, tokens, spans))
    changes = {TRIMMED: trimmed, CUT: cut}
    return TextRead(sentences, {kind: times for kind, times in changes.items() if times})


def edges_of(span: TextSpan) -> set[int]:
    return {at for fragment in span.fragments for at in fragment}


def trim_span(span: TextSpan, text: str, place: str) -> TextSpan:
    """The span without blanks at its edges; a span outside the text is refused."""
    fragments: list[tuple[int, int]] = []
    for start, end in span.fragments:
        if not 0 <= start < end <= len(text):
            raise FormatError(
                place,
                f"the span ({start}, {end}) is empty or outside the {len(text)} characters of the "
                "text",
                "count characters from 0; the end is the offset after the last character",
            )
        # Fragments were trimmed, so an overlap of blanks only is not an error.
        if fragments and start < fragments[-1][1]:
            raise FormatError(
                place,
                f"the fragments of the span {list(span.fragments)} overlap or are out of order",
                "give the fragments in reading order",
            )
        if text[start:end].strip():
            fragments.append(_without_blanks(text, start, end))
    if not fragments:
        raise FormatError(
            place,
            f"the span {list(span.fragments)} contains only blanks",
            "remove the span or correct its offsets",
        )
    if not span.type:
        raise FormatError(place, "a span has no type", "give every span a type")
    return TextSpan(_join_fragments(fragments, text), span.type)


def _without_blanks(text: str, start: int, end: int) -> tuple[int, int]:
    """A range of characters without the blanks at its edges."""
    characters = text[start:end]
    left = len(characters) - len(characters.lstrip())
    right = len(characters) - len(characters.rstrip())
    return start + left, end - right


def _join_fragments(fragments: Sequence[tuple[int, int]], text: str) -> tuple[tuple[int, int], ...]:
    """Join fragments with only blanks between them."""
    joined = [fragments[0]]
    for start, end in fragments[1:]:
        if text[joined[-1][1] : start].strip():
            joined.append((start, end))
        else:
            joined[-1] = (joined[-1][0], end)
    return tuple(joined)


def _tokens(record: Record, edges: set[int], place: str) -> tuple[list[tuple[int, int]], int]:
    """The tokens of a text, divided at the edges of mentions, and the number of divisions.

    Only divisions of tokens that the record gives are counted.

    With a mention "York" in "New-York", the token "New-York" becomes "New-" and "York".
    """
    are_given = record.tokens is not None
    undivided = _given_tokens(record, place) if are_given else _tokenise(record.text)
    cuts = sorted(edges)
    tokens: list[tuple[int, int]] = []
    for start, end in undivided:
        inside = cuts[bisect_right(cuts, start) : bisect_left(cuts, end)]
        tokens += pairwise([start, *inside, end])
    return tokens, len(tokens) - len(undivided) if are_given else 0


def _tokenise(text: str) -> list[tuple[int, int]]:
    return [match.span() for match in TOKEN.finditer(text)]


def _given_tokens(record: Record, place: str) -> list[tuple[int, int]]:
    """The tokens that a record gives; text between them is also divided into tokens."""
    tokens: list[tuple[int, int]] = []
    done = 0
    for start, end in record.tokens or ():
        # Some tools write empty tokens (start == end), which are skipped below.
        if not done <= start <= end <= len(record.text):
            raise FormatError(
                place,
                f"the token ({start}, {end}) overlaps the token before it or is outside the text",
                "give tokens in order, as character offsets counted from 0",
            )
        tokens += _shift(_tokenise(record.text[done:start]), done)
        if record.text[start:end].strip():
            tokens.append(_without_blanks(record.text, start, end))
        done = end
    return tokens + _shift(_tokenise(record.text[done:]), done)


def _shift(spans: Iterable[tuple[int, int]], by: int) -> list[tuple[int, int]]:
    return [(start + by, end + by) for start, end in spans]


def _sentences(
    record: Record, tokens: list[tuple[int, int]], spans: Sequence[TextSpan]
) -> Iterator[ParsedSentence]:
    """Divide tokens into sentences at line ends outside mentions."""
    text = record.text
    # From offsets to tokens: every edge of a mention is an edge of a token.
    at_start = {start: index for index, (start, _) in enumerate(tokens)}
    at_end = {end: index + 1 for index, (_, end) in enumerate(tokens)}
    # The tokens from the first to the last of each mention, holes included.
    hulls = [(at_start[span.fragments[0][0]], at_end[span.fragments[-1][1]]) for span in spans]
    bridged = {at for low, high in hulls for at in range(low + 1, high)}
    # The blanks before each token; gaps and tokens in turn make up the text.
    gaps = [text[end:start] for (_, end), (start, _) in pairwise([(0, 0), *tokens])]
    breaks = [at for at in range(1, len(tokens)) if "\n" in gaps[at] and at not in bridged]
    in_order = sorted(zip(hulls, spans, strict=True), key=lambda pair: pair[0])
    taken = 0
    for begin, end in pairwise([0, *breaks, len(tokens)] if tokens else []):
        first = taken
        while taken < len(in_order) and in_order[taken][0][0] < end:
            taken += 1
        mentions = in_order[first:taken]
        yield ParsedSentence(
            [text[low:high] for low, high in tokens[begin:end]],
            None,
            [(low - begin, high - begin, span.type) for (low, high), span in mentions],
            record.line,
            end - begin,
            [_shape(span, at_start, at_end) for _, span in mentions],
            gaps[begin:end],
        )


def _shape(span: TextSpan, at_start: dict[int, int], at_end: dict[int, int]) -> Shape:
    """The shape of a mention, which records the holes between its fragments."""
    if len(span.fragments) == 1:
        return PLAIN
    return Shape.of_runs([(at_start[low], at_end[high]) for low, high in span.fragments])


def is_written_as_text(corpus: Corpus) -> bool:
    """Whether no token is empty, or begins or ends with a blank.

    >>> is_written_as_text(Corpus.of([(["a "], ["O"])]))
    False
    """
    words = corpus.coding.tokens.strings(np.unique(corpus.tokens))
    return all(word and word == word.strip() for word in words)


def check_words(corpus: Corpus) -> None:
    """Refuse tokens that would be lost in a text.

    >>> check_words(Corpus.of([(["a "], ["O"])]))
    Traceback (most recent call last):
    nerscope.errors.InputError: <memory>:1: the token 'a ' is empty, or begins or ends with a \
blank, which text cannot hold. Fix: remove the token or the blank
    """
    for at, word in enumerate(corpus.coding.tokens.strings(corpus.tokens)):
        if not word or word != word.strip():
            raise InputError(
                corpus.place(at),
                f"the token {word!r} is empty, or begins or ends with a blank, which text cannot "
                "hold",
                "remove the token or the blank",
            )


def records_of(corpus: Corpus) -> Iterator[Record]:
    """A corpus as text: one record per document if there are any, otherwise one per sentence.

    >>> corpus = Corpus.of([(["Ada", "spoke"], ["B-PER", "O"])])
    >>> next(records_of(corpus)).text
    'Ada spoke'
    """
    words = corpus.coding.tokens.strings(corpus.tokens)
    bounds = record_bounds(corpus)
    gaps, _ = gaps_with_breaks(corpus, gaps_of(corpus, bounds), bounds)
    mentions = corpus.mentions()
    types = corpus.coding.labels.types
    for begin, end in pairwise(bounds.tolist()):
        text, tokens = _join_words(words[begin:end], gaps[begin:end])
        # Mentions are sorted by their start, and each is inside one record.
        low, high = np.searchsorted(mentions.start, [begin, end])
        inside = mentions[np.arange(low, high)].shifted(-begin)
        spans = [
            TextSpan(_characters(inside, at, tokens), types[inside.type[at]])
            for at in range(len(inside))
        ]
        yield Record(text, spans, int(corpus.lines[begin]), tokens)


def record_bounds(corpus: Corpus) -> Ints:
    """The indices of the first tokens of records, and the end.

    Records are documents. If there is only one and its blanks are unknown, they are sentences.

    >>> record_bounds(Corpus.of([(["Ada", "spoke"], ["B-PER", "O"]), (["so"], ["O"])])).tolist()
    [0, 2, 3]
    """
    documents = document_bounds(corpus)
    are_known = corpus.gaps is not None or len(documents) > 2
    return documents if are_known else corpus.starts


def document_bounds(corpus: Corpus) -> Ints:
    """The indices of the first tokens of documents, and the end.

    >>> document_bounds(Corpus.of([(["Ada", "spoke"], ["B-PER", "O"]), (["so"], ["O"])])).tolist()
    [0, 3]
    """
    return corpus.starts[np.flatnonzero(np.diff(corpus.documents, prepend=-1, append=-1))]


def gaps_of(corpus: Corpus, bounds: Ints) -> Objects:
    """The blanks before each token; if they are unknown, each sentence is on its own line.

    >>> gaps_of(Corpus.of([(["Ada", "spoke"], ["B-PER", "O"])]), np.array([0, 2])).tolist()
    ['', ' ']
    """
    if corpus.gaps is not None:
        return corpus.gaps
    gaps = np.full(corpus.n_tokens, " ", object)
    gaps[corpus.starts[:-1]] = "\n"
    gaps[bounds[:-1]] = ""
    return gaps


def gaps_with_breaks(corpus: Corpus, gaps: Objects, bounds: Ints) -> tuple[list[str], int]:
    """The blanks before tokens with a line end before each sentence, and the number of changes.

    Other line ends outside mentions become blanks. A text is divided into sentences at its line
    ends, so the sentences of other tools, such as spaCy, would otherwise be lost.
    """
    outer = set(bounds.tolist())
    begins = set(corpus.starts.tolist()) - outer
    mentions = corpus.mentions()
    # Reading never divides a mention, so line ends inside a mention may stay.
    inside = set(expand_ranges(mentions.start + 1, mentions.end).tolist())
    written = list[str]()
    for at, gap in enumerate(gaps.tolist()):
        if at in begins and "\n" not in gap:
            gap = f"{gap[:-1]}\n"
        elif at not in begins and at not in outer and at not in inside:
            gap = gap.replace("\n", " ")
        written.append(gap)
    return written, sum(a != b for a, b in zip(written, gaps.tolist(), strict=True))


def _join_words(words: Sequence[str], gaps: Sequence[str]) -> tuple[str, list[tuple[int, int]]]:
    """The text of words with blanks between them, and the characters of each word."""
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
