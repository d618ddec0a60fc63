"""Read one record by its keys: text and spans, tokens and labels, or tokens and spans."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import pairwise, repeat
from typing import Any, NamedTuple, TypeAlias

from nerscope.corpus.corpus import Coding, ParsedSentence, build_corpus, read_sentence
from nerscope.corpus.mentions import PLAIN, Shape
from nerscope.corpus.schemes import scheme_named
from nerscope.errors import FormatError
from nerscope.formats.json.layers import (
    LABEL_KEYS,
    SPAN_KEYS,
    are_labels,
    are_other_tags,
    are_spans,
    check_one_layer,
    may_say_mentions,
    other_keys,
    rows_of,
    two_layers_error,
    unread_error,
)
from nerscope.formats.json.marks import (
    PIECES,
    Fragments,
    Names,
    are_strings,
    check_surface,
    first_key,
    is_placed,
    listed,
    mark_of,
    name_of,
    pair_of,
    shown,
    shown_keys,
    simple_pairs,
    simple_spans,
    spelling,
    spellings,
)
from nerscope.formats.json.plain import PlainKeys
from nerscope.formats.json.tools import paired, tool_of
from nerscope.formats.json.unwrapping import TEXT_KEYS, FileState, LeftOut, UnwrapContext
from nerscope.formats.json.wrapped import unwrap
from nerscope.formats.standoff.text import Record, TextSpan

# Keys in lower case and without _ or -; the first key that the record has is used.
_TOKENS = ("tokens", "tokenizedtext", "words", "sentence")
_INCLUSIVE = "tokenizedtext"  # beside it, the end of a span is its last token
LETTERS, TOKENS, LABELS = "letters", "tokens", "labels"  # what offsets count; LABELS has none

KNOWN = (
    "text and spans (or entities, ents, label, labels, extractions)",
    "tokens and ner_tags (or tags, labels, ner)",
    "tokens and spans (or entities)",
    "tokenized_text and ner",
    "data and annotations",
    "paragraphs",
    "classes and annotations",
    "response (or answer, completion, content): an answer of a language model",
)


class Schema(NamedTuple):
    """The keys under which a record has its mentions, and what offsets count.

    >>> schema_of({"text": "Ada", "spans": []}).name
    'text and spans'
    """

    name: str
    held: str  # the key of the text, or else of the tokens
    marks: str | None  # the key of the spans or labels
    counts: str
    inclusive: bool = False  # an end is the last token of its span, not the token after it


class ParsedRecord(NamedTuple):
    """A record or a sentence, the schema in which it was written, and its annotator."""

    schema: Schema
    record: Record | ParsedSentence
    annotators: tuple[str, ...] = ()  # all names of the annotator

    @property
    def text(self) -> str:
        """Its text, or its tokens with blanks between them."""
        record = self.record
        return record.text if isinstance(record, Record) else " ".join(record.tokens or ())


def read_record(
    item: Mapping[str, Any], place: str, line: int, names: Names = None
) -> Record | ParsedSentence:
    """Read the record of a mapping; `names` are the names of numeric labels.

    >>> read_record({"text": "Ada spoke", "label": [[0, 3, "PER"]]}, "a.jsonl:1", 1).spans
    [TextSpan(fragments=((0, 3),), type='PER')]
    >>> read_record({"tokens": ["Ada"], "ner_tags": [1]}, "row 1", 1, ["O", "B-PER"]).labels
    ['B-PER']
    """
    left_out: LeftOut = {}
    parsed = list(read_records(item, place, line, names, left_out=left_out))
    if len(parsed) != 1:
        kinds = ", ".join(left_out) or "sentences"
        raise FormatError(
            place,
            f"{len(parsed)} records where one is expected ({kinds})",
            "give one text or one sentence per record",
        )
    return parsed[0].record


def read_records(
    item: object,
    place: str,
    line: int,
    names: Names = None,
    *,
    annotator: str | None = None,
    text_key: str | None = None,
    left_out: LeftOut,
    state: FileState | None = None,
) -> Iterator[ParsedRecord]:
    """All records in a JSON value; records that are left out are counted in `left_out`.

    `state` is what the values of one file share; a text of two annotators is refused.

    >>> [parsed] = read_records(["Ada", {"entities": []}], "a.json:1", 1, left_out={})
    >>> parsed.schema.name, parsed.record.text
    ('text and entities', 'Ada')
    """
    state = state or FileState()
    context = UnwrapContext(
        place, line, annotator, left_out, text_key, has_names=names is not None, state=state
    )
    for plain, annotators, _ in unwrap(item, context):
        schema = schema_of(plain)
        if schema is None:
            raise FormatError(
                place,
                f"unknown layout of a record, with the keys {shown_keys(plain)}",
                f"use one of these: {'; '.join(KNOWN)}",
            )
        record = _READERS[schema.counts](plain, schema, place, line, names)
        parsed = ParsedRecord(schema, record, annotators)
        if annotators and annotator is None:
            state.check_annotator(parsed.text, annotators, place, line)
        yield parsed


@lru_cache(maxsize=1024)
def plain_schema(keys: PlainKeys) -> Schema:
    """The schema of plain records."""
    counts = LABELS if keys.has_labels else LETTERS
    return Schema(f"{keys.held} and {keys.marks}", keys.held, keys.marks, counts)


def schema_of(item: Mapping[str, Any]) -> Schema | None:
    """The schema of a mapping, or None if it is not a known one.

    >>> schema_of({"tokenized_text": ["Ada"], "ner": [[0, 0, "PER"]]}).inclusive
    True
    >>> schema_of({"body": "Ada"}) is None
    True
    """
    text = first_key(item, TEXT_KEYS, lambda value: isinstance(value, str))
    tokens = first_key(item, _TOKENS, are_strings)
    labels = _labels_key(item, text) if tokens is not None else None
    if tokens is not None and labels is not None:
        return Schema(f"{tokens} and {labels}", tokens, labels, LABELS)
    # If there is a text, offsets count its characters, even if there are tokens.
    held, marks = text or tokens, _marks_key(item)
    keys = spellings(tuple(item))
    if held is None or (marks is None and not ("answer" in keys and text)):
        return None
    inclusive = keys.get(_INCLUSIVE) == held
    # Prodigy omits the key `spans` if there are no spans.
    name = f"{held} and {marks or 'spans'}"
    return Schema(name, held, marks, LETTERS if text else TOKENS, inclusive)


def has_offsets(item: object) -> bool | None:
    """Whether a value has tokens, or mentions with offsets; None if it is not clear.

    >>> has_offsets({"text": "in Oslo", "entities": [{"text": "Oslo", "type": "LOC"}]})
    False
    >>> has_offsets({"text": "in Oslo", "entities": [{"start": 3, "end": 7, "type": "LOC"}]})
    True
    >>> has_offsets({"text": "in Oslo", "entities": []}) is None
    True
    """
    item = paired(item)
    if not isinstance(item, Mapping):
        return None
    if tool_of(item) is not None:
        return True
    schema = schema_of(item)
    if schema is None:
        return False if first_key(item, SPAN_KEYS, _is_full) is not None else None
    if schema.counts != LETTERS:
        return True
    marks = _marks(item, schema)
    return any(map(is_placed, marks)) if marks else None


def _is_full(value: object) -> bool:
    return bool(value if isinstance(value, Mapping) else listed(value))


def _labels_key(item: Mapping[str, Any], text: str | None) -> str | None:
    """The key of the labels of tokens; beside a text, an empty list may be a list of spans."""
    key = first_key(item, LABEL_KEYS, are_labels)
    # "ner" is the key of labels in some files and of spans in others.
    may_be_empty = text is None and key != "ner"
    return key if key is not None and (listed(item[key]) or may_be_empty) else None


def _marks_key(item: Mapping[str, Any]) -> str | None:
    """The key of the spans: the first with spans, or else the first that may have spans."""
    return first_key(item, SPAN_KEYS, are_spans) or first_key(
        item, SPAN_KEYS, lambda value: rows_of(value) is not None
    )


def _marks(item: Mapping[str, Any], schema: Schema) -> list[Any]:
    return [] if schema.marks is None else rows_of(item[schema.marks]) or []


def _text_record(
    item: Mapping[str, Any], schema: Schema, place: str, line: int, names: Names
) -> Record:
    check_one_layer(item, (schema.held, schema.marks), place)
    text, marks = item[schema.held], _marks(item, schema)
    simple = simple_spans(marks, repeat(text, len(marks)))
    places = () if simple is None else zip(zip(simple.starts, simple.ends, strict=True))
    spans = list(map(TextSpan, places, () if simple is None else simple.types))
    for value in marks if simple is None else ():
        mark = mark_of(value, True, place, names)
        check_surface(mark, text, place)
        spans += [TextSpan(mark.fragments, kind) for kind in mark.types]
    return Record(text, spans, line, _tokens(item, text, spans, place))


def _tokens(
    item: Mapping[str, Any], text: str, spans: Sequence[TextSpan], place: str
) -> list[tuple[int, int]] | None:
    """The tokens beside a text, as offsets; tokens that are strings are located in the text."""
    key = first_key(item, _TOKENS, listed)
    if key is None:
        return None
    tokens = listed(item[key]) or []
    if are_strings(tokens):
        return _locate_words(tokens, text, spans, place)
    simple = simple_pairs(tokens)
    if simple is not None:
        return list(zip(*simple, strict=True))
    return [pair_of(token, place) for token in tokens]


def _locate_words(
    words: Sequence[str], text: str, spans: Sequence[TextSpan], place: str
) -> list[tuple[int, int]]:
    """The offsets of words in a text; a span that divides a word is refused."""
    places: list[tuple[int, int]] = []
    at = 0
    for word in words:
        start = text.find(word, at)
        if start < 0 or text[at:start].strip():
            raise FormatError(
                place,
                f"the token {shown(word)} is not the next word of the text",
                "spell the tokens as in the text, or remove the text or the tokens",
            )
        at = start + len(word)
        places.append((start, at))
    starts, ends = (set(side) for side in zip(*places, strict=True))
    for span in spans:
        start, end = span.fragments[0][0], span.fragments[-1][1]
        if start not in starts or end not in ends:
            raise FormatError(
                place,
                f"the span {start}–{end} begins or ends inside a token",
                "count the characters of the text; if the offsets count tokens, remove the text",
            )
    return places


def _labelled_sentence(
    item: Mapping[str, Any], schema: Schema, place: str, line: int, names: Names
) -> ParsedSentence:
    given = listed(item[schema.marks or ""]) or []
    labels = [label if isinstance(label, str) else name_of(label, names, place) for label in given]
    parts = read_sentence({"tokens": listed(item[schema.held]), "labels": labels}, place, line)
    for key in other_keys(tuple(item), schema.held, schema.marks):
        _check_beside_labels(item, schema, key, parts, place)
    return parts


def _check_beside_labels(
    item: Mapping[str, Any], schema: Schema, key: str, parts: ParsedSentence, place: str
) -> None:
    """Refuse a key with other mentions than the labels that are read."""
    value, marks = item[key], schema.marks or ""
    if are_spans(value):
        differ = not _same_spans(item, schema, key, parts, place)
    else:
        differ = are_labels(value) and are_other_tags(
            listed(value) or [], listed(item[marks]) or []
        )
    if differ:
        raise two_layers_error([marks, key], place)
    is_bare = all(label == "O" for label in parts.labels or ())
    if is_bare and spelling(key) not in LABEL_KEYS and may_say_mentions(key, value):
        raise unread_error([key], place)


def _same_spans(
    item: Mapping[str, Any], schema: Schema, key: str, parts: ParsedSentence, place: str
) -> bool:
    """Whether spans are the mentions of the labels; beside a text they count its characters."""
    held, spelt = schema.held, _spelt_spans(parts, place)
    text = first_key(item, TEXT_KEYS, lambda value: isinstance(value, str))
    # Read the spans as if there were no labels, and compare both.
    if text is None:
        inclusive = spelling(held) == _INCLUSIVE
        given = {held: item[held], key: item[key]}
        tokens = _spans_sentence(given, Schema("", held, key, TOKENS, inclusive), place, 0, None)
        return tokens.shapes is None and set(tokens.spans) == spelt
    given = {text: item[text], "tokens": item[held], key: item[key]}
    record = _text_record(given, Schema("", text, key, LETTERS), place, 0, None)
    at = record.tokens or ()
    expected = {(((at[start][0], at[end - 1][1]),), kind) for start, end, kind in spelt}
    return {(span.fragments, span.type) for span in record.spans} == expected


def _spelt_spans(parts: ParsedSentence, place: str) -> set[tuple[int, int, str]]:
    """The mentions that the labels encode."""
    bare = not any(label.startswith(PIECES) for label in parts.labels or ())
    corpus = build_corpus(
        [parts], place, Coding(), declared_scheme=scheme_named("io") if bare else None
    )
    mentions, types = corpus.mentions(), corpus.coding.labels.types
    columns = (column.tolist() for column in (mentions.start, mentions.end, mentions.type))
    return {(start, end, types[kind]) for start, end, kind in zip(*columns, strict=True)}


def _spans_sentence(
    item: Mapping[str, Any], schema: Schema, place: str, line: int, names: Names
) -> ParsedSentence:
    check_one_layer(item, (schema.held, schema.marks), place)
    tokens = listed(item[schema.held]) or []
    spans: list[tuple[int, int, str]] = []
    shapes: list[Shape] = []
    for value in _marks(item, schema):
        mark = mark_of(value, False, place, names)
        if schema.inclusive:
            behind = tuple((start, end + 1) for start, end in mark.fragments)
            mark = mark._replace(fragments=behind)
        check_surface(mark, tokens, place)
        start, end = mark.fragments[0][0], mark.fragments[-1][1]
        spans += [(start, end, kind) for kind in mark.types]
        shapes += [_shape(mark.fragments, place)] * len(mark.types)
    parts = read_sentence({"tokens": tokens, "spans": spans}, place, line)
    return parts._replace(shapes=shapes) if set(shapes) - {PLAIN} else parts


def _shape(fragments: Fragments, place: str) -> Shape:
    """The shape of a mention of tokens, which records the holes between its fragments."""
    crossed = any(start < end for (_, end), (start, _) in pairwise(fragments))
    if crossed or any(start >= end for start, end in fragments[1:]):
        raise FormatError(
            place,
            f"the fragments {shown(list(fragments))} overlap, are empty or are out of order",
            "give non-empty fragments in reading order",
        )
    return Shape.of_runs(fragments)


_RecordReader: TypeAlias = Callable[
    [Mapping[str, Any], Schema, str, int, Names], Record | ParsedSentence
]
_READERS: Mapping[str, _RecordReader] = {
    LETTERS: _text_record,
    LABELS: _labelled_sentence,
    TOKENS: _spans_sentence,
}
