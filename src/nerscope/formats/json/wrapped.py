"""Unwrap records: the tasks, pairs and paragraphs in which annotation tools export them."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

from nerscope.corpus.corpus import Note
from nerscope.errors import FormatError
from nerscope.formats.json.marks import first_key, listed, shown, shown_keys

TEXT_KEYS = ("text", "sentence", "content", "raw")
REJECTED = "rejected or ignored examples left out"
OTHER_ANNOTATORS = "annotations by other annotators left out"
CANCELLED = "cancelled annotations left out"
NOT_ANNOTATED = "texts without an annotation left out"
_ANNOTATORS = ("annotatorid", "sessionid", "annotator")
_REFUSED_ANSWERS = ("reject", "ignore")

LeftOut: TypeAlias = "dict[str, Note]"  # notes on records that were left out, by kind


class UnwrapContext(NamedTuple):
    """The place of a value, the annotator to read (None: any), and the notes to add to."""

    place: str
    line: int
    annotator: str | None
    left_out: LeftOut

    def leave_out(self, kind: str, times: int = 1) -> None:
        if times:
            note = Note(times, (self.line,) * times)
            self.left_out[kind] = self.left_out.get(kind, Note(0)) + note


_Wrapper: TypeAlias = Callable[[Mapping[str, Any], UnwrapContext], Iterator[Mapping[str, Any]]]


def unwrap(item: object, context: UnwrapContext) -> Iterator[Mapping[str, Any]]:
    """The plain records in a value of a file; records that are left out are counted.

    >>> context = UnwrapContext("a.jsonl:1", 1, None, {})
    >>> list(unwrap(["Ada spoke", {"entities": [[0, 3, "PER"]]}], context))
    [{'text': 'Ada spoke', 'entities': [[0, 3, 'PER']]}]
    >>> list(unwrap({"text": "Ada", "spans": [], "answer": "reject"}, context))
    []
    >>> list(context.left_out)
    ['rejected or ignored examples left out']
    """
    plain = _as_mapping(item, context.place)
    wrapper = wrapper_of(plain)
    if wrapper is not None:
        yield from wrapper(plain, context)
    elif plain.get("answer") in _REFUSED_ANSWERS:
        context.leave_out(REJECTED)
    elif context.annotator is not None and _annotator_of(plain) not in (None, context.annotator):
        context.leave_out(OTHER_ANNOTATORS)
    else:
        yield plain


def _as_mapping(item: object, place: str) -> Mapping[str, Any]:
    item = paired(item)
    if not isinstance(item, Mapping):
        raise FormatError(
            place,
            f"{shown(item)} is not a record",
            'write each record as {"text": …, "spans": …}; mentions need their text',
        )
    return item


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


def wrapper_of(item: Mapping[str, Any]) -> _Wrapper | None:
    """The function that unwraps a mapping, or None if it is a record itself.

    >>> wrapper_of({"text": "Ada", "spans": []}) is None
    True
    """
    return next((wrapper for fits, wrapper in _WRAPPERS if fits(item)), None)


def _annotator_of(item: Mapping[str, Any]) -> str | None:
    key = first_key(item, _ANNOTATORS, lambda value: value is not None)
    return None if key is None else str(item[key])


def _task(item: Mapping[str, Any], context: UnwrapContext) -> Iterator[Mapping[str, Any]]:
    """A task of Label Studio: by default the first annotation that was not cancelled."""
    data, place, annotator = item["data"], context.place, context.annotator
    humans, models = (_mappings(item.get(key), place) for key in ("annotations", "predictions"))
    valid = [annotation for annotation in humans if not annotation.get("was_cancelled")]
    candidates = valid if annotator is None and "annotations" in item else [*valid, *models]
    # An annotator may also be a model, named by its version.
    if annotator is not None:
        candidates = [candidate for candidate in candidates if annotator in _signed(candidate)]
    chosen = next(iter(candidates), None)
    context.leave_out(CANCELLED, len(humans) - len(valid))
    context.leave_out(OTHER_ANNOTATORS, sum(annotation is not chosen for annotation in valid))
    if chosen is None:
        context.leave_out(NOT_ANNOTATED)
        return
    text = first_key(data, TEXT_KEYS, lambda value: isinstance(value, str))
    if text is None:
        raise FormatError(
            place,
            f"the task has no text (the keys of its data are {shown_keys(data)})",
            f"rename the key of the text to one of: {', '.join(TEXT_KEYS)}",
        )
    regions = _mappings(chosen.get("result"), place)
    values = [region.get("value") for region in regions if _is_label(region, place)]
    yield {"text": data[text], "spans": _mappings(values, place)}


def _signed(annotation: Mapping[str, Any]) -> list[str]:
    """All names of the annotator or model of an annotation."""
    by = annotation.get("completed_by")
    names = [by.get("id"), by.get("email")] if isinstance(by, Mapping) else [by]
    return [str(name) for name in (*names, annotation.get("model_version")) if name is not None]


def _is_label(region: Mapping[str, Any], place: str) -> bool:
    """Whether a region is a mention, and not a relation or a choice."""
    kind = str(region.get("type", "labels"))
    # "rectanglelabels", "brushlabels" … annotate images.
    if kind != "labels" and kind.endswith("labels"):
        raise FormatError(
            place,
            f"regions of type {shown(kind)} are not spans of a text",
            "annotate with the tag Labels in Label Studio",
        )
    return kind == "labels"


def _document(item: Mapping[str, Any], context: UnwrapContext) -> Iterator[Mapping[str, Any]]:
    """The sentences of a document in the training format of spaCy 2, or paragraphs with offsets."""
    place = context.place
    for paragraph in _mappings(item["paragraphs"], place):
        sentences = [
            _mappings(sentence.get("tokens"), place)
            for sentence in _mappings(paragraph.get("sentences"), place)
        ]
        labelled = any("ner" in token for tokens in sentences for token in tokens)
        # Paragraphs with text and entities are records themselves.
        if not labelled and (paragraph.get("entities") or paragraph.get("sentences") is None):
            yield paragraph
            continue
        for tokens in sentences:
            yield {
                "tokens": [token.get("orth") for token in tokens],
                "labels": [token.get("ner", "O") for token in tokens],
            }


def _annotated(item: Mapping[str, Any], context: UnwrapContext) -> Iterator[Mapping[str, Any]]:
    """Pairs of text and entities below a list of classes; a text without annotation is null."""
    for pair in listed(item["annotations"]) or ():
        if pair is None:
            context.leave_out(NOT_ANNOTATED)
        else:
            yield _as_mapping(pair, context.place)


def _mappings(value: object, place: str) -> list[Mapping[str, Any]]:
    items = [] if value is None else listed(value)
    if items is None or not all(isinstance(item, Mapping) for item in items):
        raise FormatError(
            place, f"{shown(value)} is not a list of objects", "export the file again"
        )
    return items


def _is_task(item: Mapping[str, Any]) -> bool:
    return isinstance(item.get("data"), Mapping) and bool({"annotations", "predictions"} & {*item})


_WRAPPERS: Sequence[tuple[Callable[[Mapping[str, Any]], bool], _Wrapper]] = (
    (_is_task, _task),
    (lambda item: listed(item.get("paragraphs")) is not None, _document),
    (lambda item: "classes" in item and listed(item.get("annotations")) is not None, _annotated),
)
