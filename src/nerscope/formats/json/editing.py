"""Change the mentions of some records in the text of a JSON file; all other characters stay.

A record is changed if its mentions are under one key of the record itself: a list of labels, or a
list of spans. Other layouts, such as the tasks of annotation tools, give None.
"""

import json
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import accumulate
from typing import Any, NamedTuple

import numpy as np

from nerscope.corpus.corpus import Corpus
from nerscope.formats.json.layers import are_spans, are_tags, other_keys
from nerscope.formats.json.marks import Names, listed, mark_of, plain_mark_keys, spelling
from nerscope.formats.json.records import LABELS, LETTERS, Schema, schema_of
from nerscope.formats.json.tools import tool_of
from nerscope.formats.source import MentionEdit
from nerscope.formats.standoff.text import TextSpan, trim_span

_BLANKS = " \t\r\n"
_DECODER = json.JSONDecoder()
_LISTED = ("label", "labels", "ner")  # keys under which tools write [start, end, type]


class _Piece(NamedTuple):
    """A value, and where it stands in a text."""

    begin: int
    end: int
    value: Any


class _Replacement(NamedTuple):
    """New text for a range of characters."""

    begin: int
    end: int
    text: str


def edited_text(text: str, edit: MentionEdit, names: Names) -> str | None:
    """The text of a file with other mentions; None if a record cannot be changed in place.

    >>> from nerscope.corpus.corpus import Coding
    >>> from nerscope.formats.base import open_source
    >>> import io
    >>> line = '{"tokens": ["Ada", "spoke"],  "tags": ["B-PER", "O"]}'
    >>> corpus = next(open_source(io.StringIO(line)).chunks(Coding()))
    >>> edited_text(line, MentionEdit(corpus, [], [], {0: "B-LOC"}), None)
    '{"tokens": ["Ada", "spoke"],  "tags": ["B-LOC", "O"]}'
    """
    records = _Records.of(text, edit.corpus)
    style = _Style.of(text)
    replacements: list[_Replacement] = []
    for number in records.changed(edit):
        piece = records.pieces.get(number)
        if piece is None or not isinstance(piece.value, dict) or tool_of(piece.value):
            return None
        schema = schema_of(piece.value)
        if schema is None:
            return None
        record = _Record(text, piece, schema, edit.corpus, records.tokens(number), names, style)
        new = record.with_labels(edit) if schema.counts == LABELS else record.with_spans(edit)
        if new is None:
            return None
        replacements += new
    return _replaced(text, replacements)


def _replaced(text: str, replacements: Iterable[_Replacement]) -> str:
    parts, at = list[str](), 0
    for begin, end, new in sorted(replacements):
        parts += [text[at:begin], new]
        at = end
    return "".join([*parts, text[at:]])


class _Records(NamedTuple):
    """The first tokens of the records of a corpus, and the piece of text of each record."""

    starts: list[int]
    pieces: Mapping[int, _Piece]

    @classmethod
    def of(cls, text: str, corpus: Corpus) -> "_Records":
        """Pair records with values: both are in order, and values without tokens have no record."""
        records = corpus.records
        begins = np.ones(len(corpus), bool) if records is None else records.begins
        starts = [*corpus.starts[:-1][begins].tolist(), corpus.n_tokens]
        values, pieces = _values(text), dict[int, _Piece]()
        lines = corpus.lines[starts[:-1]].tolist()
        found = next(values, None)
        for number, line in enumerate(lines):
            words = "".join(corpus.words_at(slice(starts[number], starts[number + 1])))
            while found and (found[0] < line or _letters(found[1].value) != _letters(words)):
                found = next(values, None)
            if found is None:
                break
            pieces[number] = found[1]
            found = next(values, None)
        return cls(starts, pieces)

    def tokens(self, number: int) -> tuple[int, int]:
        return self.starts[number], self.starts[number + 1]

    def changed(self, edit: MentionEdit) -> list[int]:
        """The numbers of the records with a change."""
        spans = (start for start, _, _ in (*edit.removed, *edit.added))
        return sorted({bisect_right(self.starts, at) - 1 for at in (*spans, *edit.labels)})


def _letters(held: object) -> str:
    """The text or the tokens of a record without blanks; empty for any other value."""
    if isinstance(held, dict) and (schema := schema_of(held)) is not None:
        held = held[schema.held]
    words = [word for word in (held if isinstance(held, list) else [held]) if isinstance(word, str)]
    return "".join("".join(words).split())


def _values(text: str) -> Iterator[tuple[int, _Piece]]:
    """The values of a file, each with the line on which it begins."""
    at, line, done = _skip(text, 0), 1, 0
    is_list = text.startswith("[", at) and text[_skip(text, at + 1) :][:1] in "[{"
    at += is_list
    while (at := _skip(text, at, _BLANKS + ",")) < len(text) and text[at] != "]":
        value, end = _DECODER.raw_decode(text, at)
        line += text.count("\n", done, at)
        yield line, _Piece(at, end, value)
        at, done = end, at


def _skip(text: str, at: int, signs: str = _BLANKS) -> int:
    """The offset of the next character that is none of some signs."""
    while at < len(text) and text[at] in signs:
        at += 1
    return at


def _members(text: str, begin: int) -> dict[str, _Piece]:
    """The values of an object by key; of equal keys, the last one counts."""
    members, at = dict[str, _Piece](), _skip(text, begin + 1)
    while text[at] != "}":
        key, colon = _DECODER.raw_decode(text, at)
        start = _skip(text, colon, _BLANKS + ":")
        value, end = _DECODER.raw_decode(text, start)
        members[key] = _Piece(start, end, value)
        at = _skip(text, end, _BLANKS + ",")
    return members


def _items(text: str, begin: int) -> list[_Piece]:
    """The items of a list."""
    items, at = list[_Piece](), _skip(text, begin + 1)
    while text[at] != "]":
        value, end = _DECODER.raw_decode(text, at)
        items.append(_Piece(at, end, value))
        at = _skip(text, end, _BLANKS + ",")
    return items


class _Style(NamedTuple):
    """How a file writes values, and the first span of the file as a model for new ones."""

    is_ascii: bool
    comma: str
    colon: str
    model: Any

    @classmethod
    def of(cls, text: str) -> "_Style":
        is_compact = '": ' not in text
        return cls(
            "\\u" in text and text.isascii(),
            "," if is_compact else ", ",
            ":" if is_compact else ": ",
            next(_models(text), None),
        )

    def dumped(self, value: object) -> str:
        return json.dumps(value, ensure_ascii=self.is_ascii, separators=(self.comma, self.colon))


def _models(text: str) -> Iterator[Any]:
    """The spans of a file."""
    for _, piece in _values(text):
        schema = schema_of(piece.value) if isinstance(piece.value, dict) else None
        if schema is not None and schema.counts != LABELS and schema.marks is not None:
            marks = piece.value[schema.marks]
            yield from marks if isinstance(marks, list) else ()


class _Record(NamedTuple):
    """A record of a file; `tokens` are its first token in the corpus, and that after its last."""

    text: str
    piece: _Piece
    schema: Schema
    corpus: Corpus
    tokens: tuple[int, int]
    names: Names
    style: _Style

    @property
    def _marks(self) -> _Piece | None:
        """The value with the mentions; None if the record has none."""
        key = self.schema.marks
        return None if key is None else _members(self.text, self.piece.begin)[key]

    def with_labels(self, edit: MentionEdit) -> list[_Replacement] | None:
        begin, end = self.tokens
        marks = self._marks
        if marks is None or self._has_other_marks():
            return None
        items = _items(self.text, marks.begin)
        new = {at - begin: text for at, text in edit.labels.items() if begin <= at < end}
        values = {at: self._named(text, items[at].value) for at, text in new.items()}
        if any(value is None for value in values.values()):
            return None
        return [
            _Replacement(items[at].begin, items[at].end, self.style.dumped(value))
            for at, value in values.items()
        ]

    def _has_other_marks(self) -> bool:
        """Whether the record repeats its mentions under another key, which would differ then."""
        item = self.piece.value
        keys = other_keys(tuple(item), self.schema.held, self.schema.marks)
        return any(are_spans(item[key]) or are_tags(listed(item[key]) or []) for key in keys)

    def _named(self, name: str, model: Any) -> Any:
        """A label or type as the file writes them; None if it has no number."""
        if isinstance(model, list):
            return [name] if model and isinstance(model[0], str) else None
        if isinstance(model, str):
            return name
        return list(self.names).index(name) if self.names and name in self.names else None

    def with_spans(self, edit: MentionEdit) -> list[_Replacement] | None:
        marks, places = self._marks, self._places()
        if places is None or (marks is not None and not isinstance(marks.value, list)):
            return None
        kept = self._kept(marks, self._inside(edit.removed, places))
        added = [self._span(*span) for span in self._inside(edit.added, places)]
        if kept is None or None in added:
            return None
        texts = self._merged(kept, [span for span in added if span is not None])
        if marks is not None:
            return [_Replacement(marks.begin, marks.end, self._list(marks, texts))]
        end = max(member.end for member in _members(self.text, self.piece.begin).values())
        spans = f"{self.style.comma}{self.style.dumped('spans')}{self.style.colon}"
        return [_Replacement(end, end, f"{spans}[{self.style.comma.join(texts)}]")]

    def _places(self) -> list[tuple[int, int]] | None:
        """The start and the end of each token as spans count them."""
        begin, end = self.tokens
        if self.schema.counts != LETTERS:
            return [(at, at + 1 - self.schema.inclusive) for at in range(end - begin)]
        if self.corpus.gaps is None:
            return None
        words, gaps = self.corpus.words_at(slice(begin, end)), self.corpus.gaps[begin:end]
        ends = list(accumulate(len(gap) + len(word) for gap, word in zip(gaps, words, strict=True)))
        places = [(end - len(word), end) for end, word in zip(ends, words, strict=True)]
        held = self.piece.value[self.schema.held]
        is_same = [held[start:end] for start, end in places] == words
        return places if is_same else None

    def _inside(
        self, spans: Iterable[tuple[int, int, str]], places: Sequence[tuple[int, int]]
    ) -> list[tuple[int, int, str]]:
        """The spans of this record as it counts them."""
        begin, end = self.tokens
        return [
            (places[first - begin][0], places[last - begin - 1][1], kind)
            for first, last, kind in spans
            if begin <= first < end
        ]

    def _kept(
        self, marks: _Piece | None, removed: Sequence[tuple[int, int, str]]
    ) -> list[tuple[int, str]] | None:
        """The spans that stay, as start and text; None if a span stays in part."""
        kept = []
        for item in [] if marks is None else _items(self.text, marks.begin):
            start, end, kinds = self._read(item.value)
            gone = [(start, end, kind) in removed for kind in kinds]
            if any(gone) and not all(gone):
                return None
            if not any(gone):
                kept.append((start, self.text[item.begin : item.end]))
        return kept

    def _read(self, mark: Any) -> tuple[int, int, list[str]]:
        """The first and the last edge of a span, and its types."""
        is_text = self.schema.counts == LETTERS
        fragments, kinds, _ = mark_of(mark, is_text, "", self.names)
        if is_text:
            held = self.piece.value[self.schema.held]
            fragments = trim_span(TextSpan(fragments, kinds[0]), held, "").fragments
        return fragments[0][0], fragments[-1][1], kinds

    def _span(self, start: int, end: int, kind: str) -> tuple[int, str] | None:
        """A new span as start and text, with the keys of the other spans of the file."""
        model = self.style.model
        if model is None:
            is_listed = spelling(self.schema.marks or "") in _LISTED
            model = [0, 0, ""] if is_listed else {"start": 0, "end": 0, "label": ""}
        if isinstance(model, list):
            name = self._named(kind, model[2])
            return None if name is None else (start, self.style.dumped([start, end, name]))
        keys = plain_mark_keys(tuple(model))
        name = None if keys is None else self._named(kind, model[keys[2]])
        if keys is None or name is None:
            return None
        span = {keys[0]: start, keys[1]: end, keys[2]: name}
        if len(keys) > 3 and self.schema.counts == LETTERS:
            span[keys[3]] = self.piece.value[self.schema.held][start:end]
        return start, self.style.dumped(span)

    def _merged(
        self, kept: Sequence[tuple[int, str]], added: Sequence[tuple[int, str]]
    ) -> list[str]:
        """The texts of all spans; a new one stands before the first that starts after it."""
        merged = list(kept)
        for start, text in added:
            behind = (at for at, other in enumerate(merged) if other[0] > start)
            merged.insert(next(behind, len(merged)), (start, text))
        return [text for _, text in merged]

    def _list(self, marks: _Piece, texts: Sequence[str]) -> str:
        """A list with other items, with the blanks between them as before."""
        items = _items(self.text, marks.begin)
        if not texts or not items:
            return f"[{self.style.comma.join(texts)}]"
        before = self.text[marks.begin : items[0].begin]
        behind = self.text[items[-1].end : marks.end]
        comma = f",{before[1:]}" if "\n" in before else self.style.comma
        if len(items) > 1:
            comma = self.text[items[0].end : items[1].begin]
        return f"{before}{comma.join(texts)}{behind}"
