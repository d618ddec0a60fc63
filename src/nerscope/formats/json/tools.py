"""The table of tools: how each export is recognised, and the adapter to plain records.

A record that no tool claims is read by its keys. A new tool is one row: the keys that its records
must have, a test of their values, and the adapter.
"""

from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from typing import Any, NamedTuple

from nerscope.corpus.schemes import OUTSIDE_LABEL
from nerscope.errors import FormatError
from nerscope.formats.json.label_studio import is_short_task, is_task, read_short_task, read_task
from nerscope.formats.json.layers import rows_of
from nerscope.formats.json.marks import are_strings, listed, shown, spelling
from nerscope.formats.json.unwrapping import (
    ALL,
    NOT_ANNOTATED,
    OTHER_ANNOTATORS,
    REJECTED_SPANS,
    UNALIGNED,
    Annotation,
    UnwrapContext,
    annotators_error,
    annotators_of,
    mappings_of,
    rows_with,
)
from nerscope.formats.source import UNSET

REFUSED_ANSWERS = ("reject", "ignore")
_DOCCANO_KEYS = ("annotations", "entities", "labels", "label")
_MISSING = "-"  # spaCy's label of a token whose annotation is not known
_LONGEST_GAP = 1 << 20  # characters between two passages


class Tool(NamedTuple):
    """A tool: its name, the keys of its records, a test of the values, and the adapter.

    `noun` is what messages call one of its records.
    """

    name: str
    keys: frozenset[str]
    fits: Callable[[Mapping[str, Any]], object]
    read: Callable[[Mapping[str, Any], UnwrapContext], Iterator[Annotation]]
    noun: str = "record"


def tool_of(item: Mapping[str, Any]) -> Tool | None:
    """The tool that wrote an object, or None if it is a plain record.

    >>> tool_of({"text": "Ada", "spans": []}) is None
    True
    >>> tool_of({"data": {"text": "Ada"}, "annotations": []}).name
    'Label Studio'
    """
    return next((tool for tool in _candidates(tuple(item)) if tool.fits(item)), None)


def noun_of(value: object) -> str:
    """What messages call a record.

    >>> noun_of({"data": {"text": "Ada"}, "annotations": []}), noun_of(["Ada", {"entities": []}])
    ('task', 'record')
    """
    tool = tool_of(value) if isinstance(value, Mapping) else None
    return "record" if tool is None else tool.noun


@lru_cache(maxsize=1024)
def _candidates(keys: tuple[str, ...]) -> tuple[Tool, ...]:
    """The tools whose keys an object has; records of a file often have the same keys."""
    return tuple(tool for tool in TOOLS if tool.keys.issubset(keys))


def paired(item: object) -> object:
    """A pair [text, {"entities": …}] as one mapping; any other value unchanged.

    >>> paired(["Ada", {"entities": []}]), paired(7)
    ({'text': 'Ada', 'entities': []}, 7)
    """
    if isinstance(item, list | tuple) and len(item) == 2:
        text, annotations = item
        if isinstance(text, str) and isinstance(annotations, Mapping):
            return {"text": text, **annotations}
    return item


def as_mapping(item: object, place: str) -> Mapping[str, Any]:
    """A record or a pair as a mapping; any other value is refused."""
    item = paired(item)
    if not isinstance(item, Mapping):
        raise FormatError(
            place,
            f"{shown(item)} is not a record",
            'write each record as {"text": …, "spans": …}; mentions need their text',
        )
    return item


# --- spaCy


def _read_document(item: Mapping[str, Any], context: UnwrapContext) -> Iterator[Annotation]:
    """The sentences of a document in the training format of spaCy 2, or paragraphs with offsets."""
    place = context.place
    for paragraph in mappings_of(item["paragraphs"], place):
        sentences = [
            mappings_of(sentence.get("tokens"), place)
            for sentence in mappings_of(paragraph.get("sentences"), place)
        ]
        labelled = any("ner" in token for tokens in sentences for token in tokens)
        # Paragraphs with text and entities are records themselves.
        if not labelled and (paragraph.get("entities") or paragraph.get("sentences") is None):
            yield Annotation(paragraph)
            continue
        for tokens in sentences:
            labels = [token.get("ner", OUTSIDE_LABEL) for token in tokens]
            context.leave_out(UNSET, labels.count(_MISSING))
            labels = [OUTSIDE_LABEL if label == _MISSING else label for label in labels]
            yield Annotation({"tokens": [token.get("orth") for token in tokens], "labels": labels})


def _read_pairs(item: Mapping[str, Any], context: UnwrapContext) -> Iterator[Annotation]:
    """Pairs of text and entities below a list of classes; a text without annotation is null."""
    for pair in listed(item["annotations"]) or ():
        if pair is None:
            context.leave_out(NOT_ANNOTATED)
        else:
            yield Annotation(as_mapping(pair, context.place))


# --- doccano


def _by_users(item: Mapping[str, Any]) -> str | None:
    """The key of annotations that each name their user."""
    return next((key for key in _DOCCANO_KEYS if rows_with(item.get(key), "user")), None)


def _read_doccano(item: Mapping[str, Any], context: UnwrapContext) -> Iterator[Annotation]:
    """A record with its text under `data`, or with annotations that name their user."""
    if isinstance(item.get("data"), str) and "text" not in item:
        item = {"text": item["data"], **{key: item[key] for key in item if key != "data"}}
    key = _by_users(item)
    if key is None:
        yield Annotation(item, annotators_of(item))
        return
    rows: list[Mapping[str, Any]] = item[key]
    users = [str(user) for user in dict.fromkeys(str(row.get("user")) for row in rows)]
    chosen = context.annotator
    if chosen is None and len(users) > 1:
        raise annotators_error(users, context.place)
    if chosen not in (None, ALL):
        context.leave_out(OTHER_ANNOTATORS, sum(user != chosen for user in users))
        rows = [row for row in rows if str(row.get("user")) == chosen]
        if not rows:
            return
    yield Annotation({**item, key: [_doccano_span(row, context) for row in rows]}, tuple(users))


def _doccano_span(row: Mapping[str, Any], context: UnwrapContext) -> Mapping[str, Any]:
    """A span; if its label is a number of doccano's database, the number is its type."""
    label = row.get("label")
    is_number = isinstance(label, int) and not isinstance(label, bool)
    named = {"label": str(label)} if is_number and not context.has_names else {}
    return {key: value for key, value in {**row, **named}.items() if key != "user"}


# --- Prodigy


def _read_prodigy(item: Mapping[str, Any], context: UnwrapContext) -> Iterator[Annotation]:
    """An example whose spans have answers of their own, without the rejected and ignored ones."""
    spans = item["spans"]
    accepted = [span for span in spans if span.get("answer") not in REFUSED_ANSWERS]
    context.leave_out(REJECTED_SPANS, len(spans) - len(accepted))
    yield Annotation({**item, "spans": accepted}, annotators_of(item))


# --- LangExtract


def _read_extractions(item: Mapping[str, Any], context: UnwrapContext) -> Iterator[Annotation]:
    """A document without the extractions that LangExtract could not find in the text."""
    rows = rows_with(item["extractions"], "char_interval")
    aligned = [row for row in rows if _has_interval(row.get("char_interval"))]
    others = (row for row in rows if not _has_interval(row.get("char_interval")))
    lost = [str(row.get("extraction_text")) for row in others]
    context.leave_out(UNALIGNED, len(lost), lost)
    yield Annotation({**item, "extractions": aligned}, annotators_of(item))


def _has_interval(interval: object) -> bool:
    return isinstance(interval, Mapping) and any(end is not None for end in interval.values())


# --- Presidio


def _read_presidio(item: Mapping[str, Any], context: UnwrapContext) -> Iterator[Annotation]:
    """A sample of Presidio's evaluator; its tokens and tags repeat what the spans say."""
    names = {"start_position": "start", "end_position": "end", "entity_type": "label"}
    names["entity_value"] = "text"
    spans = [
        {new: span[old] for old, new in names.items() if old in span}
        for span in mappings_of(item["spans"], context.place)
    ]
    yield Annotation({"text": item["full_text"], "spans": spans}, annotators_of(item))


# --- BigBio


def _read_bigbio(item: Mapping[str, Any], context: UnwrapContext) -> Iterator[Annotation]:
    """A document of BigBio: its passages at their offsets, one line each or more."""
    place, text = context.place, ""
    passages = mappings_of(item["passages"], place)
    for start, words in sorted(part for passage in passages for part in _parts(passage, place)):
        gap = start - len(text)
        if not 0 <= gap <= _LONGEST_GAP:
            raise FormatError(
                place,
                f"a passage begins at {start}, but the passage before it ends at {len(text)}",
                "correct the offsets of the passages",
            )
        text += ("\n" if text else " ") * gap + words
    spans = [_bigbio_span(entity) for entity in mappings_of(item["entities"], place)]
    yield Annotation({"text": text, "spans": spans}, annotators_of(item))


def _parts(passage: Mapping[str, Any], place: str) -> list[tuple[int, str]]:
    """The texts of a passage, each with its start; one text may stand without a list."""
    given = passage.get("text")
    texts = [given] if isinstance(given, str) else listed(given) or []
    pairs = [listed(pair) or [] for pair in listed(passage.get("offsets")) or ()]
    if not are_strings(texts) or len(texts) != len(pairs) or not all(map(_is_pair, pairs)):
        raise FormatError(
            place,
            f"invalid text or offsets of a passage: {shown(passage)}",
            'give each passage as {"text": ["…"], "offsets": [[start, end]]}',
        )
    return [(pair[0], text) for pair, text in zip(pairs, texts, strict=True)]


def _is_pair(pair: list[Any]) -> bool:
    return len(pair) == 2 and all(type(end) is int and end >= 0 for end in pair)


def _bigbio_span(entity: Mapping[str, Any]) -> Mapping[str, Any]:
    """An entity with its fragments in reading order."""
    offsets, words = listed(entity.get("offsets")), listed(entity.get("text"))
    pairs = [listed(pair) or [] for pair in offsets or ()]
    span = {"offsets": offsets, "type": entity.get("type"), "text": words}
    if words and len(words) == len(pairs) and all(map(_is_pair, pairs)):
        ordered = sorted(zip(pairs, words, strict=True), key=lambda part: part[0])
        span["offsets"], span["text"] = (list(side) for side in zip(*ordered, strict=True))
    return span


# The first tool that fits reads the record.
TOOLS: tuple[Tool, ...] = (
    Tool("Label Studio", frozenset({"data"}), is_task, read_task, "task"),
    Tool("Label Studio JSON_MIN", frozenset({"annotator"}), is_short_task, read_short_task, "task"),
    Tool(
        "doccano",
        frozenset({"data"}),
        lambda item: isinstance(item["data"], str) and any(key in item for key in _DOCCANO_KEYS),
        _read_doccano,
    ),
    *(Tool("doccano", frozenset({key}), _by_users, _read_doccano) for key in _DOCCANO_KEYS),
    Tool(
        "Prodigy",
        frozenset({"spans"}),
        lambda item: rows_with(item["spans"], "answer"),
        _read_prodigy,
    ),
    Tool(
        "LangExtract",
        frozenset({"extractions"}),
        lambda item: item["extractions"] is None or rows_with(item["extractions"], "char_interval"),
        _read_extractions,
    ),
    Tool(
        "Presidio",
        frozenset({"full_text", "spans"}),
        lambda item: isinstance(item["full_text"], str) and rows_of(item["spans"]) is not None,
        _read_presidio,
    ),
    Tool(
        "BigBio",
        frozenset({"passages", "entities"}),
        lambda item: all(rows_of(item[key]) is not None for key in ("passages", "entities")),
        _read_bigbio,
    ),
    Tool(
        "spaCy 2",
        frozenset({"paragraphs"}),
        lambda item: listed(item["paragraphs"]) is not None,
        _read_document,
    ),
    Tool(
        "pairs below classes",
        frozenset({"classes", "annotations"}),
        lambda item: listed(item["annotations"]) is not None,
        _read_pairs,
    ),
)
# The spellings of all keys by which a tool is recognised.
TOOL_KEYS = frozenset(spelling(key) for tool in TOOLS for key in tool.keys)
