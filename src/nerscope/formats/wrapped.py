"""What tools wrap around records: answers, annotators, tasks, paragraphs; what is left out."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

from nerscope.corpus.corpus import Note
from nerscope.errors import FormatError
from nerscope.formats.marks import first_key, listed, shown, shown_keys

TEXT_KEYS = ("text", "sentence", "content", "raw")
REJECTED = "rejected or ignored examples left out"
OTHER_ANNOTATORS = "annotations by others left out"
CANCELLED = "cancelled annotations left out"
NOT_ANNOTATED = "texts without an annotation left out"
_ANNOTATORS = ("annotatorid", "sessionid", "annotator")
_REFUSED_ANSWERS = ("reject", "ignore")

Losses: TypeAlias = "dict[str, Note]"  # what was left out


class Wanted(NamedTuple):
    """Where a value stands, whose annotations are wanted, and where losses are counted."""

    place: str
    line: int
    annotator: str | None
    lost: Losses

    def lose(self, kind: str, times: int = 1) -> None:
        """Count what is left out."""
        if times:
            self.lost[kind] = self.lost.get(kind, Note(0)) + Note(times, (self.line,) * times)


_Wrapper: TypeAlias = Callable[[Mapping[str, Any], Wanted], Iterator[Mapping[str, Any]]]


def unwrapped(item: object, wanted: Wanted) -> Iterator[Mapping[str, Any]]:
    """The plain mappings in a value of a file; what is left out is counted.

    >>> wanted = Wanted("a.jsonl:1", 1, None, {})
    >>> list(unwrapped(["Ada spoke", {"entities": [[0, 3, "PER"]]}], wanted))
    [{'text': 'Ada spoke', 'entities': [[0, 3, 'PER']]}]
    >>> list(unwrapped({"text": "Ada", "spans": [], "answer": "reject"}, wanted)), [*wanted.lost]
    ([], ['rejected or ignored examples left out'])
    """
    plain = _as_mapping(item, wanted.place)
    wrapper = wrapper_of(plain)
    if wrapper is not None:
        yield from wrapper(plain, wanted)
    elif plain.get("answer") in _REFUSED_ANSWERS:
        wanted.lose(REJECTED)
    elif wanted.annotator is not None and _annotator_of(plain) not in (None, wanted.annotator):
        wanted.lose(OTHER_ANNOTATORS)
    else:
        yield plain


def _as_mapping(item: object, place: str) -> Mapping[str, Any]:
    item = paired(item)
    if not isinstance(item, Mapping):
        raise FormatError(
            place,
            f"{shown(item)} is no record",
            'write each as {"text": …, "spans": …}; mentions alone do not say their text',
        )
    return item


def paired(item: object) -> object:
    """A pair [text, {"entities": …}] as one mapping; all else as it is.

    >>> paired(["Ada", {"entities": []}]), paired(7)
    ({'text': 'Ada', 'entities': []}, 7)
    """
    if isinstance(item, list | tuple) and len(item) == 2:
        text, rest = item
        if isinstance(text, str) and isinstance(rest, Mapping):
            return {"text": text, **rest}
    return item


def wrapper_of(item: Mapping[str, Any]) -> _Wrapper | None:
    """How to unwrap a mapping that is no record by itself.

    >>> wrapper_of({"text": "Ada", "spans": []}) is None
    True
    """
    return next((wrapper for fits, wrapper in _WRAPPERS if fits(item)), None)


def _annotator_of(item: Mapping[str, Any]) -> str | None:
    key = first_key(item, _ANNOTATORS, lambda value: value is not None)
    return None if key is None else str(item[key])


def _task(item: Mapping[str, Any], wanted: Wanted) -> Iterator[Mapping[str, Any]]:
    """A task of Label Studio: by default the first annotation that was not cancelled."""
    data, place, annotator = item["data"], wanted.place, wanted.annotator
    humans, models = (_mappings(item.get(key), place) for key in ("annotations", "predictions"))
    valid = [one for one in humans if not one.get("was_cancelled")]
    known = valid if annotator is None and "annotations" in item else [*valid, *models]
    chosen = next((one for one in known if annotator is None or annotator in _signed(one)), None)
    wanted.lose(CANCELLED, len(humans) - len(valid))
    wanted.lose(OTHER_ANNOTATORS, sum(one is not chosen for one in valid))
    if chosen is None:
        wanted.lose(NOT_ANNOTATED)
        return
    text = first_key(data, TEXT_KEYS, lambda value: isinstance(value, str))
    if text is None:
        raise FormatError(
            place,
            f"the task has no text: the keys of its data are {shown_keys(data)}",
            f"call it {', '.join(TEXT_KEYS)}",
        )
    regions = [one for one in _mappings(chosen.get("result"), place) if _is_label(one, place)]
    yield {"text": data[text], "spans": _mappings([one.get("value") for one in regions], place)}


def _signed(annotation: Mapping[str, Any]) -> list[str]:
    """All that an annotator or a model may be called by."""
    by = annotation.get("completed_by")
    names = [by.get("id"), by.get("email")] if isinstance(by, Mapping) else [by]
    return [str(name) for name in (*names, annotation.get("model_version")) if name is not None]


def _is_label(region: Mapping[str, Any], place: str) -> bool:
    """Whether a region is a mention: relations and choices are not."""
    kind = str(region.get("type", "labels"))
    if kind != "labels" and kind.endswith("labels"):
        raise FormatError(
            place, f"regions of kind {shown(kind)} are not spans of a text", "label with Labels"
        )
    return kind == "labels"


def _document(item: Mapping[str, Any], wanted: Wanted) -> Iterator[Mapping[str, Any]]:
    """The sentences of a document as spaCy 2 was trained on; or paragraphs with offsets."""
    place = wanted.place
    for paragraph in _mappings(item["paragraphs"], place):
        sentences = [
            _mappings(sentence.get("tokens"), place)
            for sentence in _mappings(paragraph.get("sentences"), place)
        ]
        labelled = any("ner" in token for tokens in sentences for token in tokens)
        if not labelled and (paragraph.get("entities") or paragraph.get("sentences") is None):
            yield paragraph
            continue
        for tokens in sentences:
            yield {
                "tokens": [token.get("orth") for token in tokens],
                "labels": [token.get("ner", "O") for token in tokens],
            }


def _annotated(item: Mapping[str, Any], wanted: Wanted) -> Iterator[Mapping[str, Any]]:
    """Pairs below the classes that they are of; texts that nobody looked at are null."""
    for pair in listed(item["annotations"]) or ():
        if pair is None:
            wanted.lose(NOT_ANNOTATED)
        else:
            yield _as_mapping(pair, wanted.place)


def _mappings(value: object, place: str) -> list[Mapping[str, Any]]:
    found = [] if value is None else listed(value)
    if found is None or not all(isinstance(one, Mapping) for one in found):
        raise FormatError(place, f"{shown(value)} is no list of objects", "export the file again")
    return found


def _is_task(item: Mapping[str, Any]) -> bool:
    return isinstance(item.get("data"), Mapping) and bool({"annotations", "predictions"} & {*item})


_WRAPPERS: Sequence[tuple[Callable[[Mapping[str, Any]], bool], _Wrapper]] = (
    (_is_task, _task),
    (lambda item: listed(item.get("paragraphs")) is not None, _document),
    (lambda item: "classes" in item and listed(item.get("annotations")) is not None, _annotated),
)
