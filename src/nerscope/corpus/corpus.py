"""A corpus: sentences as columns of integer codes, with the line of each token in its file.

"Ada spoke ." and "Ada left ." become tokens [0 2 4 0 6 4], starts [0 3 6], and one label code per
token; each distinct string is kept once, in the vocabulary of the coding. With columns, numpy can
count whole corpora at once.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from numbers import Integral, Number
from typing import Any, NamedTuple, TypeAlias, TypeGuard

import numpy as np

from nerscope.codec import serialisable
from nerscope.corpus.arrays import Ints, Objects, expand_ranges
from nerscope.corpus.mentions import (
    CONLLEVAL,
    NO_MENTIONS,
    PLAIN,
    Mentions,
    Shape,
    decode,
    join_mentions,
    roles_and_types,
    shape_column,
)
from nerscope.corpus.records import RecordFacts, Records, join_records
from nerscope.corpus.schemes import (
    BIO,
    OUTSIDE,
    ROLE_OF_LETTER,
    LabelCodes,
    Scheme,
    Transitions,
    label_without_type,
    parse_label,
    scheme_named,
)
from nerscope.corpus.vocabulary import Fields, Vocabulary
from nerscope.errors import FormatError, InputError

_LONGEST_SHOWN = 60  # characters of a label in a message
_LONE_SURROGATE = re.compile("[\ud800-\udfff]")
_SEPARATORS = {"\0", "\x1f"}
_STANDARD_INPUT = "<stdin>"
_IN_MEMORY = re.compile(f"<(?!{_STANDARD_INPUT[1:]})")  # names such as <gold>
# What follows the name of a file in a place.
_POSITION = re.compile(r":\d+$|: [a-z]+ \d+$| (?:task|record|document|row) \S+$")
Sentence: TypeAlias = Sequence[str] | Sequence[Sequence[Any]] | Mapping[str, Any]


@dataclass(frozen=True, slots=True, eq=False)
class Coding:
    """The codes that all corpora of one evaluation share."""

    tokens: Vocabulary = field(default_factory=Vocabulary)
    labels: LabelCodes = field(default_factory=LabelCodes)


_MOST_LISTED = 1000  # lines and items of a note; the count has no limit


@serialisable
class Note(NamedTuple):
    """A fact about a file that the reader should know: how often, on which lines, and for what.

    A record without a line of its own is named instead, as in "task 812".

    >>> Note(2, (3, 9), ("Yrok", "Ada")) + Note(1, (12,), ("Bob",))
    Note(times=3, lines=(3, 9, 12), items=('Yrok', 'Ada', 'Bob'), out_of=0)
    """

    times: int
    lines: tuple[int | str, ...] = ()
    items: tuple[str, ...] = ()  # the texts that it is about, if they are known
    out_of: int = 0  # the total, if a rate is shown

    def __add__(self, other: "Note") -> "Note":  # type: ignore[override]
        return Note(
            self.times + other.times,
            (self.lines + other.lines)[:_MOST_LISTED],
            (self.items + other.items)[:_MOST_LISTED],
            self.out_of + other.out_of,
        )


@serialisable
@dataclass(frozen=True, slots=True, eq=False)
class ReadingNotes:
    """All notes about one chunk. The notes of chunks add up to those of their file."""

    transitions: Transitions = field(default_factory=Transitions)
    mended_labels: int = 0  # labels that `mend=` changed
    comment_lines: int = 0  # lines that were left out
    differing_tokens: int = 0  # tokens that are spelt differently from gold, with tokens=any
    first_differing_line: int = 0
    notes: Mapping[str, Note] = field(default_factory=dict)  # notes of the format, by kind

    def without_items(self) -> "ReadingNotes":
        notes = {kind: note._replace(items=()) for kind, note in self.notes.items()}
        return replace(self, notes=notes)

    def __add__(self, other: "ReadingNotes") -> "ReadingNotes":
        return ReadingNotes(
            self.transitions + other.transitions,
            self.mended_labels + other.mended_labels,
            self.comment_lines + other.comment_lines,
            self.differing_tokens + other.differing_tokens,
            self.first_differing_line or other.first_differing_line,
            added_notes(self.notes, other.notes),
        )


_NOTHING = Note(0)


def added_notes(first: Mapping[str, Note], second: Mapping[str, Note]) -> dict[str, Note]:
    """The notes of two parts of a file, by kind."""
    return {
        kind: first.get(kind, _NOTHING) + second.get(kind, _NOTHING) for kind in {**first, **second}
    }


REPEATED = "repeated mentions, each counted once"


def distinct_spans(spans: Mentions, lines: Ints, corpus: "Corpus") -> tuple[Mentions, ReadingNotes]:
    """The spans without those that repeat an earlier one, and a note on the repeated ones.

    `lines` has the line of each span. Types that `--map` makes equal are one type. The note lists
    the texts of the spans if the words of the corpus are known.
    """
    repeats = replace(spans, type=corpus.coding.labels.renamed_types(spans.type)).repeats
    if not repeats.any():
        return spans, ReadingNotes()
    again = np.flatnonzero(repeats)
    listed = again[:_MOST_LISTED]
    items = [
        " ".join(corpus.words_at(spans[np.array([at])].positions))
        for at in (listed.tolist() if corpus.has_words else ())
    ]
    note = Note(len(again), tuple(lines[listed].tolist()), tuple(items))
    return spans[~repeats], ReadingNotes(notes={REPEATED: note})


@dataclass(frozen=True, slots=True, eq=False)
class Corpus:
    """Whole sentences: a complete corpus, or a chunk of one.

    Mentions are given by `labels`, one per token, or by `spans`, which may be nested. `tokens` is
    empty if tokens were not read. Sentence k is `starts[k]:starts[k + 1]`.

    >>> corpus = Corpus.of([(["Ada", "spoke"], ["B-PER", "O"])])
    >>> corpus.words(0), corpus.mentions().type.tolist(), corpus.scheme.name
    (['Ada', 'spoke'], [0], 'bio')
    >>> nested = Corpus.of([(["Bank", "of", "Ghana"], [(0, 3, "ORG"), (2, 3, "LOC")])])
    >>> nested.mentions().end.tolist(), nested.is_flat
    ([3, 3], False)
    """

    name: str
    coding: Coding
    tokens: Ints
    starts: Ints
    lines: Ints  # of each token
    documents: Ints  # of each sentence
    labels: Ints | None = None
    spans: Mentions | None = None
    reading_notes: ReadingNotes = field(default_factory=ReadingNotes, repr=False)
    declared_scheme: Scheme | None = None  # given by the user; None: detected
    gaps: Objects | None = field(default=None, repr=False)  # the blanks before each token, if known
    unread_tokens: Fields | None = field(
        default=None, repr=False
    )  # the places of tokens in the file, until they are read
    records: Records | None = field(default=None, repr=False)  # if the file consists of records

    def __post_init__(self) -> None:
        # In every format, a corpus has each mention once.
        if self.spans is not None and len(self.spans):
            lines = self.lines[np.minimum(self.spans.start, len(self.lines) - 1)]
            spans, notes = distinct_spans(self.spans, lines, self)
            if notes.notes:
                object.__setattr__(self, "spans", spans)
                object.__setattr__(self, "reading_notes", self.reading_notes + notes)

    def __len__(self) -> int:
        """The number of sentences."""
        return len(self.starts) - 1

    @property
    def n_tokens(self) -> int:
        """The number of tokens."""
        return int(self.starts[-1])

    @property
    def has_words(self) -> bool:
        """Whether its tokens are known, encoded or as bytes."""
        return bool(len(self.tokens)) or self.unread_tokens is not None

    @property
    def scheme(self) -> Scheme:
        """The declared scheme, or else the one that fits the labels best."""
        return self.declared_scheme or self.reading_notes.transitions.scheme()

    @property
    def is_flat(self) -> bool:
        """Whether no token belongs to two mentions, which is always so for labels."""
        return self.spans is None or self.spans.are_flat

    @classmethod
    def of(
        cls,
        sentences: Iterable[Sentence],
        *,
        name: str = "<memory>",
        scheme: str | None = None,
        coding: Coding | None = None,
    ) -> "Corpus":
        """Make a corpus from Python lists.

        A sentence is a pair of lists (tokens, labels), a pair (tokens, spans) with spans as
        (start, end, type), a mapping with `tokens` and `labels` or `spans`, or labels alone.
        """
        declared = scheme_named(scheme) if scheme else None
        records = read_sentences(sentences, name)
        return build_corpus(records, name, coding or Coding(), declared_scheme=declared)

    def sentences(self, first: int, last: int) -> "Corpus":
        """The sentences from `first` up to, but not including, `last`.

        The notes go with the first sentence, so that cutting a corpus never counts them twice.
        """
        if first == 0 and last == len(self):
            return self
        begin, end = int(self.starts[first]), int(self.starts[last])
        spans = self.spans
        if spans is not None:
            inside = (spans.start >= begin) & (spans.start < end)
            spans = spans[inside].shifted(-begin)
        return replace(
            self,
            tokens=self.tokens[begin:end],
            labels=None if self.labels is None else self.labels[begin:end],
            spans=spans,
            starts=self.starts[first : last + 1] - begin,
            lines=self.lines[begin:end],
            documents=self.documents[first:last],
            gaps=None if self.gaps is None else self.gaps[begin:end],
            unread_tokens=None
            if self.unread_tokens is None
            else self.unread_tokens.part(begin, end),
            reading_notes=self.reading_notes if first == 0 else ReadingNotes(),
            records=None if self.records is None else self.records.chosen(slice(first, last)),
        )

    def chosen(self, sentences: Ints) -> "Corpus":
        """Some sentences, each at most once, in any order; its tokens must be encoded."""
        sizes = np.diff(self.starts)[sentences]
        starts = np.concatenate([[0], np.cumsum(sizes)])
        tokens = expand_ranges(self.starts[sentences], self.starts[sentences + 1])
        spans = self.spans
        if spans is not None:
            new_number = np.full(len(self), -1, np.int64)
            new_number[sentences] = np.arange(len(sentences))
            old = spans.sentences(self.starts)
            spans = spans[new_number[old] >= 0]
            old = old[new_number[old] >= 0]
            spans = spans.shifted(starts[new_number[old]] - self.starts[old]).in_order()
        documents = self.documents[sentences]
        return replace(
            self,
            tokens=self.tokens[tokens] if len(self.tokens) else self.tokens,
            labels=None if self.labels is None else self.labels[tokens],
            spans=spans,
            starts=starts,
            lines=self.lines[tokens],
            documents=np.cumsum(np.diff(documents, prepend=documents[:1]) != 0),
            gaps=None if self.gaps is None else self.gaps[tokens],
            records=None if self.records is None else self.records.chosen(sentences),
        )

    def with_words(self) -> "Corpus":
        """The same corpus with its tokens encoded.

        The tokens of systems are only compared with gold, as bytes; most are never encoded.
        """
        if self.unread_tokens is None:
            return self
        return replace(
            self, tokens=self.coding.tokens.encode_fields(*self.unread_tokens), unread_tokens=None
        )

    def place(self, token: int) -> str:
        """The file and line of a token for messages, as in "test.conll:12" or "a.json task 7"."""
        if self.records is not None and self.records.names is not None:
            sentence = int(np.searchsorted(self.starts, token, side="right")) - 1
            if (name := self.records.names[sentence]) is not None:
                return f"{self.name} {name}"
        return f"{self.name}:{self.lines[token]}"

    def words(self, sentence: int) -> list[str]:
        """The tokens of a sentence."""
        return self.words_at(slice(int(self.starts[sentence]), int(self.starts[sentence + 1])))

    def words_at(self, tokens: Ints | slice) -> list[str]:
        """Some tokens as strings, whether they are encoded or not."""
        if self.unread_tokens is not None:
            return self.unread_tokens.strings(tokens)
        return self.coding.tokens.strings(self.tokens[tokens])

    def texts(self, joint: str, change: Callable[[str], str] = str) -> list[str]:
        """All sentences as text; `change` is called once for each distinct token."""
        used, inverse = np.unique(self.tokens, return_inverse=True)
        strings = [change(word) for word in self.coding.tokens.strings(used)]
        words = np.array(strings, object)[inverse].tolist()
        return [joint.join(words[begin:end]) for begin, end in pairwise(self.starts.tolist())]

    def mentions(self, repair: str = CONLLEVAL, scheme: Scheme | None = None) -> Mentions:
        """The mentions: the spans, or the labels decoded with a repair and a scheme."""
        codes = self.coding.labels
        if self.labels is None:
            mentions = self.spans if self.spans is not None else NO_MENTIONS
        elif repair == CONLLEVAL:  # decodes all schemes in the same way
            mentions = decode(self.labels, self.starts, codes)
        else:
            mentions = decode(self.labels, self.starts, codes, repair, scheme or self.scheme)
        if codes.renames:
            mentions = replace(mentions, type=codes.renamed_types(mentions.type))
        return mentions[codes.counted_types(mentions.type)] if codes.dropped else mentions

    def roles_and_types(self) -> tuple[Ints, Ints]:
        """The role and type of every token, from the labels or from flat spans encoded as bio."""
        if self.labels is None:
            return roles_and_types(self.mentions(), self.starts, BIO)
        codes = self.coding.labels
        role, kind = codes.roles[self.labels], codes.renamed_types(codes.type_codes[self.labels])
        if codes.dropped:
            counts = codes.counted_types(kind)
            role, kind = np.where(counts, role, OUTSIDE), np.where(counts, kind, -1)
        return role, kind

    def recoded(self, coding: Coding) -> "Corpus":
        """The same corpus in the codes of another evaluation."""
        if coding is self.coding:
            return self
        # Each distinct label, type and token is looked up once; the columns then take their codes.
        old = self.coding.labels
        labels, spans = self.labels, self.spans
        if labels is not None:
            new_codes = np.array([coding.labels.code(label) for label in old.labels], np.int32)
            labels = new_codes[labels]
        if spans is not None:
            kinds = np.array([coding.labels.type_code(name) for name in old.types], np.int32)
            spans = replace(spans, type=kinds[spans.type] if len(spans) else spans.type)
        used, inverse = np.unique(self.tokens, return_inverse=True)
        tokens = self.tokens
        if len(used):
            tokens = coding.tokens.encode(self.coding.tokens.strings(used))[inverse]
        return replace(self, coding=coding, tokens=tokens, labels=labels, spans=spans)


class ParsedSentence(NamedTuple):
    """A sentence as it was given: tokens if it has any, and labels or else spans."""

    tokens: list[str] | None
    labels: list[str] | None
    spans: list[tuple[int, int, str]]
    line: int  # 0 if the sentence does not come from a file
    size: int
    shapes: Sequence[Shape] | None = None  # of the spans, if some are not runs of whole tokens
    gaps: Sequence[str] | None = None  # the blanks before each token, if they are known
    document: int = 0
    facts: RecordFacts | None = None  # of its record, if the file consists of records
    begins_record: bool = True


def read_sentences(sentences: Iterable[Sentence], name: str) -> list[ParsedSentence]:
    """Read sentences in any supported form; an empty list is refused."""
    if not has_items(sentences) or isinstance(sentences, str | bytes):
        raise InputError(
            name,
            f"{sentences!r} is not a list of sentences",
            "give a list of (tokens, labels) pairs",
        )
    records = [
        read_sentence(item, f"{name}: sentence {number}")
        for number, item in enumerate(sentences, 1)
    ]
    if not records:
        raise InputError(
            name, "the list of sentences is empty", "give at least one (tokens, labels) pair"
        )
    return records


def build_corpus(
    records: Sequence[ParsedSentence],
    name: str,
    coding: Coding,
    *,
    tokens: bool = True,
    declared_scheme: Scheme | None = None,
) -> Corpus:
    """Encode sentences as one corpus; with `tokens=False`, only their labels or spans."""
    starts = np.zeros(len(records) + 1, np.int64)
    np.cumsum([record.size for record in records], out=starts[1:])
    numbers = [record.line or number for number, record in enumerate(records, 1)]
    lines = np.repeat(numbers, np.diff(starts))
    words = np.zeros(0, np.int32)
    if tokens and all(record.tokens is not None for record in records):
        words = coding.tokens.encode([word for record in records for word in record.tokens or ()])
    documents = np.array([record.document for record in records], np.int64)
    gaps, of_file = _all_gaps(records), _all_records(records)
    if all(record.labels is None for record in records):
        spans = _all_spans(records, starts, coding)
        corpus = Corpus(name, coding, words, starts, lines, documents, spans=spans, gaps=gaps)
        return replace(corpus, records=of_file)
    if any(record.labels is None for record in records):
        raise InputError(
            name,
            "some sentences have labels and others have spans",
            "give labels for all sentences, or spans for all",
        )
    texts = [text for record in records for text in record.labels or ()]
    # Labels get codes of this corpus first, then the codes that the evaluation shares. So a label
    # such as B-PER is parsed once, however often it occurs.
    raw_codes = {text: number for number, text in enumerate(dict.fromkeys(texts))}
    raw = np.array(list(map(raw_codes.__getitem__, texts)), np.int32)
    shared = np.zeros(len(raw_codes), np.int32)
    bare = declared_scheme.bare if declared_scheme else None
    without_type = label_without_type(list(raw_codes)) if bare is None else None
    for text, place in raw_codes.items():
        label = parse_label(text, bare)
        if label is None or text == without_type:
            first = int(np.searchsorted(starts, texts.index(text), side="right")) - 1
            line = records[first].line  # sentences in memory have none
            raise label_error(f"{name}:{line}" if line else f"{name}: sentence {first + 1}", text)
        shared[place] = coding.labels.code(label)
    notes = ReadingNotes(Transitions.of(list(raw_codes), raw, starts, lines))
    corpus = Corpus(name, coding, words, starts, lines, documents, shared[raw], gaps=gaps)
    return replace(corpus, reading_notes=notes, declared_scheme=declared_scheme, records=of_file)


def _all_spans(records: Sequence[ParsedSentence], starts: Ints, coding: Coding) -> Mentions:
    rows = [
        (begin + start, begin + end, coding.labels.type_code(kind))
        for record, begin in zip(records, starts.tolist(), strict=False)
        for start, end, kind in record.spans
    ]
    table = np.array(rows, np.int64).reshape(len(rows), 3)
    shapes = [shape for record in records for shape in record.shapes or [PLAIN] * len(record.spans)]
    kinds = table[:, 2].astype(np.int32)
    return Mentions(table[:, 0], table[:, 1], kinds, shape_column(shapes)).in_order()


def _all_records(sentences: Sequence[ParsedSentence]) -> Records | None:
    """The records of sentences; None if some sentences belong to none."""
    facts = [sentence.facts for sentence in sentences if sentence.facts is not None]
    if len(facts) < len(sentences):
        return None
    begins = np.array([sentence.begins_record for sentence in sentences], bool)
    return replace(Records.of(facts, np.arange(len(facts))), begins=begins)


def _all_gaps(records: Sequence[ParsedSentence]) -> Objects | None:
    if any(record.gaps is None for record in records):
        return None
    return np.array([gap for record in records for gap in record.gaps or ()], object)


def join_chunks(chunks: Sequence[Corpus], repair: str = CONLLEVAL) -> Corpus:
    """Join the chunks of one file, or of several files, to one corpus, in order.

    Files of different formats may be joined. If some of them have spans instead of labels, the
    labels of the others are decoded to spans with this repair.
    """
    if len(chunks) == 1:
        return chunks[0]
    chunks = [chunk.with_words() for chunk in chunks]
    offsets = np.cumsum([0, *(chunk.n_tokens for chunk in chunks)]).tolist()
    labels, spans = None, None
    columns = [chunk.labels for chunk in chunks if chunk.labels is not None]
    if len(columns) == len(chunks):
        labels = np.concatenate(columns)
    else:
        spans = join_mentions(
            [
                chunk.mentions(repair).shifted(offset)
                for chunk, offset in zip(chunks, offsets, strict=False)
            ]
        )
    shifted = [chunk.starts[1:] + offset for chunk, offset in zip(chunks, offsets, strict=False)]
    return replace(
        chunks[0],
        tokens=np.concatenate([chunk.tokens for chunk in chunks]),
        labels=labels,
        spans=spans,
        starts=np.concatenate([[0], *shifted]),
        lines=np.concatenate([chunk.lines for chunk in chunks]),
        documents=np.concatenate([chunk.documents for chunk in chunks]),
        gaps=_join_gaps([chunk.gaps for chunk in chunks]),
        records=join_records([chunk.records for chunk in chunks]),
        reading_notes=sum((chunk.reading_notes for chunk in chunks), ReadingNotes()),
    )


def _join_gaps(columns: Sequence[Objects | None]) -> Objects | None:
    given = [column for column in columns if column is not None]
    return np.concatenate(given) if len(given) == len(columns) else None


def label_error(place: str, text: str, *, other: str = "") -> FormatError:
    """The error for a label that is in no scheme; the fix is for the most likely cause.

    `other` is the file option that reads another column of labels, if the file has columns.
    """
    text = text if len(text) <= _LONGEST_SHOWN else f"{text[:_LONGEST_SHOWN]}…"
    if text != text.strip():
        return FormatError(
            place,
            f"label '{text}' begins or ends with a blank",
            "remove the blank; if blanks separate the columns: "
            f"{file_option(place, 'separator=space')}",
        )
    if text.endswith("-") or text in ROLE_OF_LETTER:
        return FormatError(
            place, f"label '{text}' has no type", "add the type of the mention, as in B-PER"
        )
    if not text:
        return FormatError(
            place, "the label is empty", "give every token a label; O means outside all mentions"
        )
    if _IN_MEMORY.match(place):
        io, token = "Corpus.of(…, scheme='io')", "Corpus.of(…, scheme='token')"
    else:
        io, token = file_option(place, "scheme=io"), "scheme=token"
    fix = f"{io} for types without prefixes"
    if other:
        fix = f"{file_option(place, other)} if another column holds the labels; {fix}"
    if "-" in text:
        letters = "use one of the capital letters B, I, E, S, L, U, M, W as prefix"
        return FormatError(place, f"label '{text}' has an unknown prefix", f"{letters}; {fix}")
    fix += f", {token} for one tag per token"
    return FormatError(place, f"label '{text}' has no prefix such as B- or I-", fix)


def file_option(place: str, option: str) -> str:
    """A file option as the user types it, for the fix of a message.

    `place` is the name of the file, perhaps with a line, row or byte after it. For data in memory,
    which has a name such as `<gold>`, the result begins with `FILE`.

    >>> file_option("gold.conll:12", "label=1"), file_option("<stdin>: byte 7", "encoding=cp1252")
    ('gold.conll::label=1', '-::encoding=cp1252')
    """
    name = _POSITION.sub("", place)
    name = "FILE" if _IN_MEMORY.match(name) else "-" if name == _STANDARD_INPUT else name
    return f"{name}::{option}"


def read_sentence(item: Sentence, place: str, line: int = 0) -> ParsedSentence:
    """Read one sentence in any supported form."""
    marks: object
    if isinstance(item, Mapping):
        if "tokens" not in item or not ("labels" in item or "spans" in item):
            raise InputError(
                place,
                f"the sentence has the keys {sorted(map(str, item))}",
                "name the keys 'tokens' and 'labels', or 'tokens' and 'spans'",
            )
        tokens, marks = _strings(item["tokens"], place), item.get("labels", item.get("spans"))
        if "labels" not in item:
            return _sentence_with_spans(tokens, marks, place, line)
        labels = _strings(marks, place)
    elif _is_pair(item):
        tokens, marks = _strings(item[0], place), item[1]
        if _are_spans(marks, tokens):
            return _sentence_with_spans(tokens, marks, place, line)
        labels = _strings(marks, place)
    else:
        labels = _strings(item, place)
        if not labels:
            raise _empty_sentence(place)
        return ParsedSentence(None, labels, [], line, len(labels))
    if len(tokens) != len(labels):
        raise InputError(
            place,
            f"{len(tokens)} tokens but {len(labels)} labels",
            "give one label per token",
        )
    if not labels:
        raise _empty_sentence(place)
    return ParsedSentence(tokens, labels, [], line, len(labels))


def _is_pair(item: object) -> TypeGuard[Sequence[Any]]:
    return (
        isinstance(item, Sequence)
        and not isinstance(item, str)
        and len(item) == 2
        and not any(isinstance(part, str) for part in item)
    )


def _are_spans(marks: object, tokens: list[str]) -> bool:
    """Whether the second item of a pair holds spans: tuples, or nothing beside some tokens."""
    if not isinstance(marks, Sequence) or isinstance(marks, str):
        return False
    return not isinstance(marks[0], str) if marks else bool(tokens)


def _sentence_with_spans(tokens: list[str], given: object, place: str, line: int) -> ParsedSentence:
    if not tokens:
        raise _empty_sentence(place)
    spans = []
    items: Iterable[Any] = given if has_items(given) else [given]
    for item in items:
        try:
            start, end, kind = item
        except (TypeError, ValueError):
            start, end, kind = None, None, None
        if isinstance(start, bool) or isinstance(end, bool):
            start = end = None
        start, end = (int(at) if isinstance(at, Integral) else at for at in (start, end))
        if not (isinstance(start, int) and isinstance(end, int) and isinstance(kind, str) and kind):
            raise InputError(place, f"{item!r} is not a span", "give spans as (start, end, type)")
        if not 0 <= start < end <= len(tokens):
            raise InputError(
                place,
                f"the span ({start}, {end}) is empty or outside the {len(tokens)} tokens",
                "count tokens from 0; the end is the index after the last token",
            )
        spans.append((start, end, kind))
    return ParsedSentence(tokens, None, spans, line, len(tokens))


def _empty_sentence(place: str) -> InputError:
    return InputError(
        place, "the sentence is empty", "remove empty sentences from gold and from all systems"
    )


def has_items(value: object) -> TypeGuard[Iterable[Any]]:
    """Whether a value can be iterated over; a numpy array of dimension 0 cannot."""
    return isinstance(value, Iterable) and getattr(value, "shape", None) != ()


def _strings(given: object, place: str) -> list[str]:
    """The values as a list of strings.

    NUL is refused because it would silently end a token, and U+001F because it separates tokens in
    results.
    """
    if isinstance(given, str) or not has_items(given):
        raise InputError(place, "not a sentence", "give (tokens, labels): two lists of strings")
    strings = list(given)
    if set(map(type, strings)) - {str} and all(isinstance(text, str) for text in strings):
        strings = list(map(str, strings))  # subclasses, such as numpy.str_
    other_types = set(map(type, strings)) - {str}
    if not other_types and _LONE_SURROGATE.search("".join(strings)):
        raise InputError(
            place,
            "a token or label contains a lone surrogate (half a character)",
            "remove the surrogate",
        )
    if any(issubclass(kind, Number) for kind in other_types):
        raise InputError(
            place,
            "a token or label is a number",
            "give strings; convert label ids: [label_list[id] for id in ids]",
        )
    if other_types or _SEPARATORS & set("".join(strings)):
        raise InputError(
            place,
            "a token or label is not a string, or contains NUL or U+001F",
            "give (tokens, labels): two lists of strings without these characters",
        )
    return strings
