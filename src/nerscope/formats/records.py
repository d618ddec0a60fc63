"""What one mapping says: text and spans, tokens and labels, or tokens and spans, by its keys."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import pairwise
from numbers import Integral
from typing import Any, NamedTuple, TypeAlias

from nerscope.corpus.corpus import SentenceParts, read_sentence
from nerscope.corpus.mentions import PLAIN, Shape
from nerscope.errors import FormatError
from nerscope.formats.text import Record, TextSpan

Losses: TypeAlias = "Counter[str]"  # what was left out, and how often
REJECTED = "examples that were rejected or ignored, left out"
OTHER_ANNOTATORS = "annotations by others, left out"
CANCELLED = "annotations that were cancelled, left out"
NOT_ANNOTATED = "tasks without an annotation, left out"

# How keys are spelt, in small letters and without _ or -; the first one that is there counts.
_TEXT = ("text", "sentence", "content", "raw")
_TOKENS = ("tokens", "tokenizedtext", "words", "sentence")
_LABELS = ("nertags", "tags", "labels", "ner")  # one for each token
_SPANS = ("spans", "entities", "ents", "ner", "label", "labels", "extractions", "predictions")
_LETTER_STARTS = ("startchar", "charstart", "startoffset", "beginoffset", "startpos", "offset")
_LETTER_ENDS = ("endchar", "charend", "endoffset", "endpos")
_STARTS = ("start", "begin", "startindex", "startidx")
_ENDS = ("end", "stop", "endindex", "endidx")
_LENGTHS = ("length",)
_FRAGMENTS = ("fragments", "offsets", "span")  # [start, end], or a list of them
_TYPES = (
    *("label", "type", "entitygroup", "entitytype", "tag", "class", "category"),
    *("extractionclass", "labels", "entity"),
)
# `word`, as pipelines give it, is not among them: tokenisers respell it.
_SURFACES = ("text", "surface", "mention", "extractiontext")
_INNER = ("charinterval", "value")  # where a mark holds its offsets one floor deeper
_ANNOTATORS = ("annotatorid", "sessionid", "annotator")
_REFUSED_ANSWERS = ("reject", "ignore")
_PIECE = ("B-", "I-", "E-", "S-", "L-", "U-")
_SHOWN = 60  # letters of a value in a message

KNOWN = (
    "text and spans",
    "text and entities (or ents, label, labels, extractions)",
    "tokens and ner_tags (or tags, labels, ner)",
    "tokens and spans (or entities)",
    "tokenized_text and ner",
    "data and annotations",
    "paragraphs",
)


class Schema(NamedTuple):
    """How a mapping says its mentions: under which keys, and what offsets count.

    >>> schema_of({"text": "Ada", "spans": []}).name
    'text and spans'
    """

    name: str
    held: str  # the key of the text, or else of the tokens
    marks: str | None  # the key of the spans or labels
    counts: str  # letters, tokens, or labels where there are no offsets
    inclusive: bool = False  # whether an end is the last of its span, not the one behind it


class Said(NamedTuple):
    """A record or a sentence, and the schema in which it was written."""

    schema: Schema
    record: Record | SentenceParts


class _Mark(NamedTuple):
    """A span as it is written."""

    fragments: tuple[tuple[int, int], ...]
    types: list[str]
    surface: str | None


def read_record(
    item: Mapping[str, Any], place: str, line: int, names: Sequence[str] | None = None
) -> Record | SentenceParts:
    """What a mapping says; `names` are those of labels that are numbers.

    >>> read_record({"text": "Ada spoke", "label": [[0, 3, "PER"]]}, "a.jsonl:1", 1).spans
    [TextSpan(fragments=((0, 3),), type='PER')]
    >>> read_record({"tokens": ["Ada"], "ner_tags": [1]}, "row 1", 1, ["O", "B-PER"]).labels
    ['B-PER']
    """
    lost: Losses = Counter()
    found = list(read_records(item, place, line, names, lost=lost))
    if len(found) != 1:
        raise FormatError(
            place,
            f"it holds {len(found)} records where one is meant ({', '.join(lost) or 'a document'})",
            "give one text or one sentence in each",
        )
    return found[0].record


def read_records(
    item: object,
    place: str,
    line: int,
    names: Sequence[str] | None = None,
    *,
    annotator: str | None = None,
    lost: Losses,
) -> Iterator[Said]:
    """All that a value of a file says; what is left out is counted in `lost`."""
    for plain in _unwrapped(item, place, annotator, lost):
        schema = schema_of(plain)
        if schema is None:
            raise _unknown(plain, place)
        yield Said(schema, _READERS[schema.counts](plain, schema, place, line, names))


def schema_of(item: Mapping[str, Any]) -> Schema | None:
    """The schema of a mapping, or None if it is not a known one.

    >>> schema_of({"tokenized_text": ["Ada"], "ner": [[0, 0, "PER"]]})
    Schema(name='tokenized_text and ner', held='tokenized_text', marks='ner', counts='tokens', \
inclusive=True)
    """
    keys = _spelt(tuple(item))
    text = _first(keys, _TEXT, lambda key: isinstance(item[key], str))
    tokens = _first(keys, _TOKENS, lambda key: _are_strings(item[key]))
    if tokens is not None:
        labels = _first(keys, _LABELS, lambda key: _are_labels(item[key]))
        if labels is not None and (item[labels] or (text is None and labels != "ner")):
            return Schema(f"{tokens} and {labels}", tokens, labels, "labels")
    held = text or tokens
    if held is None:
        return None
    marks = _marks_key(item, keys)
    if marks is None and not ("answer" in keys and text):  # Prodigy writes no spans for none
        return None
    return Schema(
        f"{held} and {marks or keys.get('spans', 'spans')}",
        held,
        marks,
        "letters" if text else "tokens",
        keys.get("tokenizedtext") == held,
    )


def has_offsets(item: object) -> bool | None:
    """Whether a value has tokens, or mentions with offsets; None if that cannot be told.

    >>> has_offsets({"text": "in Oslo", "entities": [{"text": "Oslo", "type": "LOC"}]})
    False
    >>> has_offsets({"text": "in Oslo", "entities": [{"start": 3, "end": 7, "type": "LOC"}]})
    True
    >>> has_offsets({"text": "in Oslo", "entities": []}) is None
    True
    """
    item = _pair_as_mapping(item)
    if not isinstance(item, Mapping):
        return None
    if _wrapper_of(item) is not None:
        return True
    schema = schema_of(item)
    if schema is None:
        return None
    if schema.counts != "letters":
        return True
    marks = item[schema.marks] if schema.marks else []
    if not marks:
        return None
    rows = _rows(marks)
    return rows is not None and all(_is_placed(row) for row in rows)


def _is_placed(mark: object) -> bool:
    """Whether a mark says where it is, well or badly."""
    if isinstance(mark, Mapping):
        flat = _flattened(mark)
        layout = _layout(tuple(flat), True)
        return layout.fragments is not None or layout.start is not None
    return isinstance(mark, Sequence) and not isinstance(mark, str)


# --- keys


def _plain(key: str) -> str:
    return key.replace("_", "").replace("-", "").lower()


@lru_cache(maxsize=1024)
def _spelt(keys: tuple[str, ...]) -> Mapping[str, str]:
    """The keys of a mapping by how they are spelt in the tables."""
    return {_plain(key): key for key in reversed(keys) if isinstance(key, str)}


def _first(
    keys: Mapping[str, str], spellings: Sequence[str], suits: Callable[[str], bool]
) -> str | None:
    return next((keys[one] for one in spellings if one in keys and suits(keys[one])), None)


def _marks_key(item: Mapping[str, Any], keys: Mapping[str, str]) -> str | None:
    """The key of the spans: the first that holds some, or else the first that could."""
    there = [keys[one] for one in _SPANS if one in keys and _rows(item[keys[one]]) is not None]
    return next((key for key in there if item[key]), there[0] if there else None)


class _Layout(NamedTuple):
    """The keys of a mark."""

    start: str | None
    end: str | None
    length: str | None
    fragments: str | None
    type: str | None
    surface: str | None


@lru_cache(maxsize=1024)
def _layout(keys: tuple[str, ...], letters: bool) -> _Layout:
    spelt = _spelt(keys)
    tables = (
        (*_LETTER_STARTS, *_STARTS) if letters else _STARTS,
        (*_LETTER_ENDS, *_ENDS) if letters else _ENDS,
        *(_LENGTHS, _FRAGMENTS, _TYPES, _SURFACES),
    )
    return _Layout(*(_first(spelt, table, lambda key: True) for table in tables))


# --- values


def _listed(value: object) -> list[Any] | None:
    """A list, also one of arrays; None if it is something else."""
    if isinstance(value, list | tuple):
        return list(value)
    listed = value.tolist() if hasattr(value, "tolist") else None
    return listed if isinstance(listed, list) else None


def _are_strings(value: object) -> bool:
    listed = _listed(value)
    return listed is not None and all(isinstance(one, str) for one in listed)


def _are_labels(value: object) -> bool:
    listed = _listed(value)
    return listed is not None and all(isinstance(one, str | Integral) for one in listed)


def _rows(marks: object) -> list[Any] | None:
    """The marks one by one: of a list, of lists side by side, or of lists by name."""
    if not isinstance(marks, Mapping):
        return _listed(marks)
    columns = [_listed(column) for column in marks.values()]
    if any(column is None for column in columns):
        return None
    lists = [column for column in columns if column is not None]
    if all(isinstance(one, Mapping) for column in lists for one in column):
        return [one for column in lists for one in column]
    if len({len(column) for column in lists}) > 1:
        return None
    return [dict(zip(marks, row, strict=True)) for row in zip(*lists, strict=True)]


def _flattened(mark: Mapping[str, Any]) -> Mapping[str, Any]:
    keys = _spelt(tuple(mark))
    inner = _first(keys, _INNER, lambda key: isinstance(mark[key], Mapping))
    return mark if inner is None else {**mark, **mark[inner]}


def _shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"


def _text(value: str, place: str) -> str:
    if not value.isascii():
        try:
            value.encode()
        except UnicodeEncodeError:
            raise FormatError(
                place, "the text holds half a character (a lone surrogate)", "take it out"
            ) from None
    return value


def _offset(value: object, place: str) -> int:
    if isinstance(value, bool) or not isinstance(value, Integral) or int(value) < 0:
        raise FormatError(
            place,
            f"{_shown(value)} is no offset",
            "give whole numbers, counted from 0, for start and end",
        )
    return int(value)


def _name(value: object, names: Sequence[str] | None, place: str) -> str:
    """The type or label that a string or number stands for."""
    if isinstance(value, str) and value:
        return _text(value, place)
    if isinstance(value, bool) or not isinstance(value, Integral):
        raise FormatError(
            place, f"{_shown(value)} is no type", "give each mention a type that is a string"
        )
    if names is None:
        raise FormatError(
            place,
            f"the label {value} is a number, and nobody said what it means",
            "say names=O+B-PER+I-PER, all names in order, or names=FILE with one a line",
        )
    if not 0 <= int(value) < len(names):
        raise FormatError(
            place,
            f"the label {value} is a number beyond the {len(names)} names",
            "give as many names as there are labels, in order",
        )
    return names[int(value)]


# --- marks


def _mark_of(mark: object, schema: Schema, place: str, names: Sequence[str] | None) -> _Mark:
    if isinstance(mark, Mapping):
        return _mark_of_mapping(_flattened(mark), schema, place, names)
    row = _listed(mark)
    if row is None or len(row) != 3:
        raise FormatError(
            place,
            f"{_shown(mark)} is no span",
            "give [start, end, type], or start, end and label by name; "
            "for mentions without offsets say format=strings",
        )
    start, end, kind = row
    return _Mark(((_offset(start, place), _offset(end, place)),), [_name(kind, names, place)], None)


def _mark_of_mapping(
    mark: Mapping[str, Any], schema: Schema, place: str, names: Sequence[str] | None
) -> _Mark:
    layout = _layout(tuple(mark), schema.counts == "letters")
    if layout.type is None:
        raise FormatError(
            place,
            f"a mention has no type: its keys are {', '.join(mark)}",
            "give each mention a label",
        )
    kinds = mark[layout.type]
    types = [_name(kind, names, place) for kind in _listed(kinds) or [kinds]]
    if _plain(layout.type) == "entity" and types[0].startswith(_PIECE):
        raise FormatError(
            place,
            f"{types[0]} is a piece of a mention, not a whole one",
            "join the pieces: pipelines do it if told an aggregation_strategy",
        )
    return _Mark(_fragments(mark, layout, place), types, _surface(mark, layout))


def _fragments(mark: Mapping[str, Any], layout: _Layout, place: str) -> tuple[tuple[int, int], ...]:
    if layout.fragments is not None and (given := _listed(mark[layout.fragments])):
        pairs = [given] if isinstance(given[0], Integral) else given
        return tuple(_pair(pair, place) for pair in pairs)
    if layout.start is None or (layout.end or layout.length) is None:
        raise FormatError(
            place,
            f"a mention has no start and end: its keys are {', '.join(mark)}",
            "give start and end; for mentions without offsets say format=strings",
        )
    start = _offset(mark[layout.start], place)
    if layout.end is not None:
        return ((start, _offset(mark[layout.end], place)),)
    return ((start, start + _offset(mark[layout.length or ""], place)),)


def _pair(pair: object, place: str) -> tuple[int, int]:
    if isinstance(pair, Mapping):
        [fragment] = _fragments(pair, _layout(tuple(pair), True)._replace(fragments=None), place)
        return fragment
    row = _listed(pair)
    if row is None or len(row) != 2:
        raise FormatError(
            place, f"{_shown(pair)} is no fragment", "give each fragment as [start, end]"
        )
    return _offset(row[0], place), _offset(row[1], place)


def _surface(mark: Mapping[str, Any], layout: _Layout) -> str | None:
    """The words that a mark says it covers, where they are meant to be those of the text."""
    if layout.surface is None or mark.get("alignment_status", "match_exact") != "match_exact":
        return None
    given = mark[layout.surface]
    parts = [given] if isinstance(given, str) else _listed(given) or []
    return " ".join(parts) if parts and _are_strings(parts) else None


def _squeezed(words: str | Sequence[str]) -> str:
    """What can be compared: everything but blanks."""
    return "".join("".join(words).split())


def _utf16(text: str, start: int, end: int) -> str:
    return text.encode("utf-16-le")[2 * start : 2 * end].decode("utf-16-le", "replace")


def _utf8(text: str, start: int, end: int) -> str:
    return text.encode()[start:end].decode("utf-8", "replace")


_Cut: TypeAlias = Callable[[Any, int, int], str | Sequence[str]]
# What offsets may mean if they do not mean what they should, and what to do then.
_GUESSES: Sequence[tuple[_Cut, str]] = (
    (lambda held, start, end: held[start : end + 1], "ends are inclusive: add 1 to each end"),
    (lambda held, start, end: held[max(start - 1, 0) : end], "take 1 from each start"),
    (
        lambda held, start, end: held[max(start - 1, 0) : end - 1],
        "offsets count from 1: take 1 from each start and end",
    ),
    (_utf16, "offsets count UTF-16 units, as JavaScript does: count characters"),
    (_utf8, "offsets count bytes: count characters"),
)
_COUNT_RIGHT = "count from 0; the end is the first one behind the mention"


def _check_surface(mark: _Mark, held: str | Sequence[str], place: str) -> None:
    """Refuse offsets under which other words stand than the mark says."""
    if mark.surface is None:
        return
    wanted = _squeezed(mark.surface)
    covered = [held[start:end] for start, end in mark.fragments]
    if "".join(map(_squeezed, covered)) == wanted:
        return
    guesses = _GUESSES if isinstance(held, str) else _GUESSES[:3]
    remedy = next(
        (
            remedy
            for cut, remedy in guesses
            if "".join(_squeezed(cut(held, *pair)) for pair in mark.fragments) == wanted
        ),
        _COUNT_RIGHT,
    )
    there = " … ".join(part if isinstance(part, str) else " ".join(part) for part in covered)
    where = ", ".join(f"{start}–{end}" for start, end in mark.fragments)
    raise FormatError(
        place, f"at {where} stands {_shown(there)}, not {_shown(mark.surface)}", remedy
    )


# --- records and sentences


def _record(
    item: Mapping[str, Any], schema: Schema, place: str, line: int, names: Sequence[str] | None
) -> Record:
    text = _text(item[schema.held], place)
    marks = [_mark_of(mark, schema, place, names) for mark in _marks(item, schema)]
    for mark in marks:
        _check_surface(mark, text, place)
    spans = [TextSpan(mark.fragments, kind) for mark in marks for kind in mark.types]
    return Record(text, spans, line, _tokens(item, text, spans, place))


def _marks(item: Mapping[str, Any], schema: Schema) -> list[Any]:
    return (_rows(item[schema.marks]) or []) if schema.marks is not None else []


def _tokens(
    item: Mapping[str, Any], text: str, spans: Sequence[TextSpan], place: str
) -> list[tuple[int, int]] | None:
    """The tokens beside a text: as offsets, or found in it where they are strings."""
    key = _first(_spelt(tuple(item)), _TOKENS, lambda key: _listed(item[key]) is not None)
    given = (_listed(item[key]) or []) if key is not None else []
    if not given:
        return None
    if _are_strings(given):
        return _located(given, text, spans, place)
    return [_pair(token, place) for token in given]


def _located(
    words: Sequence[str], text: str, spans: Sequence[TextSpan], place: str
) -> list[tuple[int, int]]:
    """Where words stand in a text; a span that cuts one shows that offsets count something else."""
    found, at = [], 0
    for word in words:
        start = text.find(word, at)
        if start < 0 or text[at:start].strip():
            raise FormatError(
                place,
                f"the token {_shown(word)} does not follow in the text",
                "spell tokens as in the text, or leave one of the two out",
            )
        at = start + len(word)
        found.append((start, at))
    starts, ends = {start for start, _ in found}, {end for _, end in found}
    for span in spans:
        if span.fragments[0][0] not in starts or span.fragments[-1][1] not in ends:
            raise FormatError(
                place,
                f"the span {span.fragments[0][0]}–{span.fragments[-1][1]} cuts a token",
                "beside a text, offsets count its characters; if they count tokens, leave it out",
            )
    return found


def _labelled(
    item: Mapping[str, Any], schema: Schema, place: str, line: int, names: Sequence[str] | None
) -> SentenceParts:
    given = _listed(item[schema.marks or ""]) or []
    labels = [label if isinstance(label, str) else _name(label, names, place) for label in given]
    return read_sentence({"tokens": _listed(item[schema.held]), "labels": labels}, place, line)


def _with_token_spans(
    item: Mapping[str, Any], schema: Schema, place: str, line: int, names: Sequence[str] | None
) -> SentenceParts:
    tokens = _listed(item[schema.held]) or []
    spans, holes = [], []
    for written in _marks(item, schema):
        mark = _mark_of(written, schema, place, names)
        if schema.inclusive:
            behind = tuple((start, end + 1) for start, end in mark.fragments)
            mark = mark._replace(fragments=behind)
        _check_surface(mark, tokens, place)
        start, end = mark.fragments[0][0], mark.fragments[-1][1]
        spans += [(start, end, kind) for kind in mark.types]
        holes += [_holes(mark.fragments, place)] * len(mark.types)
    parts = read_sentence({"tokens": tokens, "spans": spans}, place, line)
    return parts._replace(shapes=holes) if set(holes) - {PLAIN} else parts


def _holes(fragments: Sequence[tuple[int, int]], place: str) -> Shape:
    """What lies between the fragments of a mention of tokens."""
    first = fragments[0][0]
    edges = [edge for fragment in fragments for edge in fragment]
    if edges != sorted(edges) or any(start == end for start, end in fragments):
        raise FormatError(
            place,
            f"the fragments {_shown(list(fragments))} overlap, are empty or out of order",
            "give them in reading order",
        )
    between = ((end - first, start - first) for (_, end), (start, _) in pairwise(fragments))
    return Shape(tuple(hole for hole in between if hole[0] < hole[1]))


_Reader: TypeAlias = Callable[
    [Mapping[str, Any], Schema, str, int, Sequence[str] | None], Record | SentenceParts
]
_READERS: Mapping[str, _Reader] = {
    "letters": _record,
    "labels": _labelled,
    "tokens": _with_token_spans,
}


def _unknown(item: Mapping[str, Any], place: str) -> FormatError:
    return FormatError(
        place,
        f"nothing is known under the keys {_shown(', '.join(map(str, item)))}",
        f"known are: {'; '.join(KNOWN)}",
    )


# --- what tools wrap around


def _pair_as_mapping(item: object) -> object:
    """A pair [text, {"entities": …}] as one mapping."""
    if isinstance(item, list | tuple) and len(item) == 2:
        text, rest = item
        if isinstance(text, str) and isinstance(rest, Mapping):
            return {"text": text, **rest}
    return item


def _unwrapped(
    item: object, place: str, annotator: str | None, lost: Losses
) -> Iterator[Mapping[str, Any]]:
    """The plain mappings in a value of a file; what is left out is counted."""
    item = _pair_as_mapping(item)
    if not isinstance(item, Mapping):
        raise FormatError(
            place,
            f"{_shown(item)} is no record",
            'write each as {"text": …, "spans": …}; mentions alone do not say their text',
        )
    wrapper = _wrapper_of(item)
    if wrapper is not None:
        yield from wrapper(item, place, annotator, lost)
    elif item.get("answer") in _REFUSED_ANSWERS:
        lost[REJECTED] += 1
    elif annotator is not None and _annotator_of(item) not in (None, annotator):
        lost[OTHER_ANNOTATORS] += 1
    else:
        yield item


def _annotator_of(item: Mapping[str, Any]) -> str | None:
    key = _first(_spelt(tuple(item)), _ANNOTATORS, lambda key: item[key] is not None)
    return None if key is None else str(item[key])


_Wrapper: TypeAlias = Callable[
    [Mapping[str, Any], str, str | None, Losses], Iterator[Mapping[str, Any]]
]


def _wrapper_of(item: Mapping[str, Any]) -> _Wrapper | None:
    if isinstance(item.get("data"), Mapping) and ("annotations" in item or "predictions" in item):
        return _task
    return _paragraphs if _listed(item.get("paragraphs")) is not None else None


def _task(
    item: Mapping[str, Any], place: str, annotator: str | None, lost: Losses
) -> Iterator[Mapping[str, Any]]:
    """A task of Label Studio: by default the first annotation that was not cancelled."""
    humans, models = (_mappings(item.get(key), place) for key in ("annotations", "predictions"))
    valid = [one for one in humans if not one.get("was_cancelled")]
    lost[CANCELLED] += len(humans) - len(valid)
    known = valid if annotator is None and "annotations" in item else [*valid, *models]
    chosen = next((one for one in known if annotator is None or annotator in _signed(one)), None)
    lost[OTHER_ANNOTATORS] += sum(one is not chosen for one in valid)
    if chosen is None:
        lost[NOT_ANNOTATED] += 1
        return
    data = item["data"]
    text = _first(_spelt(tuple(data)), _TEXT, lambda key: isinstance(data[key], str))
    if text is None:
        raise _unknown(data, place)
    regions = _mappings(chosen.get("result"), place)
    yield {"text": data[text], "spans": [one for one in regions if _is_label(one, place)]}


def _mappings(value: object, place: str) -> list[Mapping[str, Any]]:
    listed = [] if value is None else _listed(value)
    if listed is None or not all(isinstance(one, Mapping) for one in listed):
        raise FormatError(place, f"{_shown(value)} is no list of objects", "export it again")
    return listed


def _signed(annotation: Mapping[str, Any]) -> list[str]:
    """All that an annotator or model may be called by."""
    by = annotation.get("completed_by")
    names = [by.get("id"), by.get("email")] if isinstance(by, Mapping) else [by]
    return [str(name) for name in (*names, annotation.get("model_version")) if name is not None]


def _is_label(region: Mapping[str, Any], place: str) -> bool:
    """Whether a region is a mention: relations and choices are not."""
    kind = region.get("type", "labels")
    if kind != "labels" and str(kind).endswith("labels"):
        raise FormatError(
            place, f"regions of kind {kind} are not spans of a text", "label text with Labels"
        )
    return bool(kind == "labels")


def _paragraphs(
    item: Mapping[str, Any], place: str, annotator: str | None, lost: Losses
) -> Iterator[Mapping[str, Any]]:
    """The sentences of a document as spaCy 2 was trained on."""
    for paragraph in _mappings(item["paragraphs"], place):
        for sentence in _mappings(paragraph.get("sentences"), place):
            tokens = _mappings(sentence.get("tokens"), place)
            yield {
                "tokens": [token.get("orth") for token in tokens],
                "labels": [token.get("ner", "O") for token in tokens],
            }
