"""Change the mentions of some records in the text of a JSON file; all other characters stay.

A record is changed if the file has its mentions as one list of labels or of spans, in the record
itself or deeper, as in the pair [text, {"entities": [...]}]. Other layouts, such as the tasks of
Label Studio, give None.
"""

import json
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import accumulate, pairwise
from typing import Any, NamedTuple

import numpy as np

from nerscope.corpus.corpus import Corpus
from nerscope.formats.json.layers import are_spans, are_tags, other_keys
from nerscope.formats.json.marks import Names, listed, mark_of, plain_mark_keys, spelling
from nerscope.formats.json.records import LABELS, LETTERS, Schema, schema_of
from nerscope.formats.json.unwrapping import UnwrapContext
from nerscope.formats.json.wrapped import unwrap
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


def edited_text(text: str, edit: MentionEdit, names: Names, context: UnwrapContext) -> str | None:
    """The text of a file with other mentions; None if a record cannot be changed in place.

    >>> import io
    >>> from nerscope.corpus.corpus import Coding
    >>> from nerscope.formats.base import open_source
    >>> line = '{"tokens": ["Ada", "spoke"],  "tags": ["B-PER", "O"]}'
    >>> corpus = next(open_source(io.StringIO(line)).chunks(Coding()))
    >>> edit = MentionEdit(corpus, [], [], {0: "B-LOC"})
    >>> edited_text(line, edit, None, UnwrapContext("x", 0, None, {}))
    '{"tokens": ["Ada", "spoke"],  "tags": ["B-LOC", "O"]}'
    """
    records = _Records.of(text, edit.corpus, context)
    style = _Style.of(text, records.items.values())
    replacements: list[_Replacement] = []
    for number in records.changed(edit):
        if (item := records.items.get(number)) is None:
            return None
        record = _Record(text, item, edit.corpus, records.tokens(number), names, style)
        is_labelled = item.schema.counts == LABELS
        new = record.with_labels(edit) if is_labelled else record.with_spans(edit)
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


class _Item(NamedTuple):
    """A plain record, its schema, and the value of the file in which it is."""

    plain: Mapping[str, Any]
    schema: Schema
    value: _Piece

    @property
    def held(self) -> Any:
        """The text or the tokens."""
        return self.plain[self.schema.held]

    @property
    def letters(self) -> str:
        """The text or the tokens without blanks."""
        return "".join((self.held if isinstance(self.held, str) else "".join(self.held)).split())


class _Records(NamedTuple):
    """The first tokens of the records of a corpus, and what the file has for each record."""

    starts: list[int]
    items: Mapping[int, _Item]

    @classmethod
    def of(cls, text: str, corpus: Corpus, context: UnwrapContext) -> "_Records":
        """Pair records with values: both are in order, and values without tokens have no record."""
        records = corpus.records
        begins = np.ones(len(corpus), bool) if records is None else records.begins
        starts = [*corpus.starts[:-1][begins].tolist(), corpus.n_tokens]
        of_file, items = _items_of(text, context), dict[int, _Item]()
        for number, (begin, end) in enumerate(pairwise(starts)):
            letters = "".join("".join(corpus.words_at(slice(begin, end))).split())
            found = next((item for item in of_file if item.letters == letters), None)
            if found is None:
                break
            items[number] = found
        return cls(starts, items)

    def tokens(self, number: int) -> tuple[int, int]:
        return self.starts[number], self.starts[number + 1]

    def changed(self, edit: MentionEdit) -> list[int]:
        """The numbers of the records with a change."""
        spans = (start for start, _, _ in (*edit.removed, *edit.added))
        return sorted({bisect_right(self.starts, at) - 1 for at in (*spans, *edit.labels)})


def _items_of(text: str, context: UnwrapContext) -> Iterator[_Item]:
    """The plain records of a file, in order."""
    for piece in _values(text):
        for annotation in unwrap(piece.value, context):
            schema = schema_of(annotation.item)
            if schema is not None:
                yield _Item(annotation.item, schema, piece)


def _values(text: str) -> Iterator[_Piece]:
    """The values of a file: of its list, or of its lines."""
    at = _skip(text, 0)
    at += text.startswith("[", at) and text[_skip(text, at + 1) :][:1] in ("[", "{")
    while (at := _skip(text, at, _BLANKS + ",")) < len(text) and text[at] != "]":
        value, end = _DECODER.raw_decode(text, at)
        yield _Piece(at, end, value)
        at = end


def _skip(text: str, at: int, signs: str = _BLANKS) -> int:
    """The offset of the next character that is none of some signs."""
    while at < len(text) and text[at] in signs:
        at += 1
    return at


def _members(text: str, begin: int) -> dict[str | int, _Piece]:
    """The values of an object by key; of equal keys, the last one counts."""
    members, at = dict[str | int, _Piece](), _skip(text, begin + 1)
    while text[at] != "}":
        key, colon = _DECODER.raw_decode(text, at)
        start = _skip(text, colon, _BLANKS + ":")
        value, end = _DECODER.raw_decode(text, start)
        members[key] = _Piece(start, end, value)
        at = _skip(text, end, _BLANKS + ",")
    return members


def _items(text: str, begin: int) -> dict[str | int, _Piece]:
    """The items of a list by number."""
    items, at = list[_Piece](), _skip(text, begin + 1)
    while text[at] != "]":
        value, end = _DECODER.raw_decode(text, at)
        items.append(_Piece(at, end, value))
        at = _skip(text, end, _BLANKS + ",")
    return dict(enumerate(items))


def _path_to(wanted: object, value: object) -> list[str | int] | None:
    """The keys that lead to an object inside a value; None if it is not there.

    >>> spans = [[0, 3, "PER"]]
    >>> _path_to(spans, ["Ada", {"entities": spans}])
    [1, 'entities']
    """
    stack: list[tuple[object, list[str | int]]] = [(value, [])]
    while stack:
        item, path = stack.pop()
        if item is wanted:
            return path
        pairs: Iterable[tuple[str | int, object]] = ()
        if isinstance(item, dict | list):
            pairs = item.items() if isinstance(item, dict) else enumerate(item)
        stack += [(inner, [*path, key]) for key, inner in pairs]
    return None


class _Style(NamedTuple):
    """How a file writes values, and the first span of the file as a model for new ones."""

    is_ascii: bool
    comma: str
    colon: str
    model: Any

    @classmethod
    def of(cls, text: str, items: Iterable[_Item]) -> "_Style":
        is_compact = '": ' not in text
        return cls(
            "\\u" in text and text.isascii(),
            "," if is_compact else ", ",
            ":" if is_compact else ": ",
            next(_models(items), None),
        )

    def dumped(self, value: object) -> str:
        return json.dumps(value, ensure_ascii=self.is_ascii, separators=(self.comma, self.colon))


def _models(items: Iterable[_Item]) -> Iterator[Any]:
    """The spans of a file."""
    for plain, schema, _ in items:
        if schema.counts != LABELS and schema.marks is not None:
            marks = plain[schema.marks]
            yield from marks if isinstance(marks, list) else ()


class _Record(NamedTuple):
    """A record of a file; `tokens` are its first token in the corpus, and that after its last."""

    text: str
    item: _Item
    corpus: Corpus
    tokens: tuple[int, int]
    names: Names
    style: _Style

    @property
    def _marks(self) -> _Piece | None:
        """The list of the mentions in the file; None if it is not there as it was read."""
        key, piece = self.item.schema.marks, self.item.value
        marks = None if key is None else self.item.plain[key]
        path = _path_to(marks, piece.value) if isinstance(marks, list) else None
        for step in path or ():
            inside = _members if isinstance(step, str) else _items
            piece = inside(self.text, piece.begin)[step]
        return None if path is None else piece

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
        plain, schema, _ = self.item
        keys = other_keys(tuple(plain), schema.held, schema.marks)
        return any(are_spans(plain[key]) or are_tags(listed(plain[key]) or []) for key in keys)

    def _named(self, name: str, model: Any) -> Any:
        """A label or type as the file writes them; None if it has no number."""
        if isinstance(model, list):
            return [name] if model and isinstance(model[0], str) else None
        if isinstance(model, str):
            return name
        return list(self.names).index(name) if self.names and name in self.names else None

    def with_spans(self, edit: MentionEdit) -> list[_Replacement] | None:
        marks, places = self._marks, self._places()
        is_known = marks is not None or self._can_get_a_key
        if places is None or not is_known:
            return None
        kept = self._kept(marks, self._inside(edit.removed, places))
        added = [self._span(*span) for span in self._inside(edit.added, places)]
        if kept is None or None in added:
            return None
        texts = self._merged(kept, [span for span in added if span is not None])
        if marks is not None:
            return [_Replacement(marks.begin, marks.end, self._list(marks, texts))]
        end = max(member.end for member in _members(self.text, self.item.value.begin).values())
        spans = f"{self.style.comma}{self.style.dumped('spans')}{self.style.colon}"
        return [_Replacement(end, end, f"{spans}[{self.style.comma.join(texts)}]")]

    @property
    def _can_get_a_key(self) -> bool:
        """Whether the record has no spans, and is a value of the file itself."""
        return self.item.schema.marks is None and self.item.plain is self.item.value.value

    def _places(self) -> list[tuple[int, int]] | None:
        """The start and the end of each token as spans count them."""
        begin, end = self.tokens
        if self.item.schema.counts != LETTERS:
            return [(at, at + 1 - self.item.schema.inclusive) for at in range(end - begin)]
        if self.corpus.gaps is None:
            return None
        words, gaps = self.corpus.words_at(slice(begin, end)), self.corpus.gaps[begin:end]
        ends = list(accumulate(len(gap) + len(word) for gap, word in zip(gaps, words, strict=True)))
        places = [(end - len(word), end) for end, word in zip(ends, words, strict=True)]
        held = self.item.held
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
        for item in _items(self.text, marks.begin).values() if marks is not None else ():
            start, end, kinds = self._read(item.value)
            gone = [(start, end, kind) in removed for kind in kinds]
            if any(gone) and not all(gone):
                return None
            if not any(gone):
                kept.append((start, self.text[item.begin : item.end]))
        return kept

    def _read(self, mark: Any) -> tuple[int, int, list[str]]:
        """The first and the last edge of a span, and its types."""
        is_text = self.item.schema.counts == LETTERS
        fragments, kinds, _ = mark_of(mark, is_text, "", self.names)
        if is_text:
            held = self.item.held
            fragments = trim_span(TextSpan(fragments, kinds[0]), held, "").fragments
        return fragments[0][0], fragments[-1][1], kinds

    def _span(self, start: int, end: int, kind: str) -> tuple[int, str] | None:
        """A new span as start and text, with the keys of the other spans of the file."""
        model = self.style.model
        if model is None:
            is_listed = spelling(self.item.schema.marks or "") in _LISTED
            model = [0, 0, ""] if is_listed else {"start": 0, "end": 0, "label": ""}
        if isinstance(model, list):
            name = self._named(kind, model[2])
            return None if name is None else (start, self.style.dumped([start, end, name]))
        keys = plain_mark_keys(tuple(model))
        name = None if keys is None else self._named(kind, model[keys[2]])
        if keys is None or name is None:
            return None
        span = {keys[0]: start, keys[1]: end, keys[2]: name}
        if len(keys) > 3 and self.item.schema.counts == LETTERS:
            span[keys[3]] = self.item.held[start:end]
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
        items = list(_items(self.text, marks.begin).values())
        if not texts or not items:
            return f"[{self.style.comma.join(texts)}]"
        before = self.text[marks.begin : items[0].begin]
        behind = self.text[items[-1].end : marks.end]
        comma = f",{before[1:]}" if "\n" in before else self.style.comma
        if len(items) > 1:
            comma = self.text[items[0].end : items[1].begin]
        return f"{before}{comma.join(texts)}{behind}"
