"""Adapt the exports of Label Studio: tasks (JSON), older tasks (completions), and JSON_MIN."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from nerscope.corpus.corpus import file_option
from nerscope.errors import FormatError
from nerscope.formats.json.layers import LABEL_KEYS, SPAN_KEYS, two_layers_error
from nerscope.formats.json.marks import first_key, is_placed, listed, shown, shown_keys, spelling
from nerscope.formats.json.unwrapping import (
    ALL,
    CANCELLED,
    NOT_ANNOTATED,
    OTHER_ANNOTATORS,
    OTHER_SURFACE,
    TEXT_KEYS,
    UTF16,
    Annotation,
    UnwrapContext,
    annotators_error,
    annotators_of,
    mappings_of,
    names_of_annotator,
    no_text_error,
)
from nerscope.formats.standoff.annotated import OffsetMap

_HUMAN_KEYS = ("annotations", "completions")  # completions: before version 1
_NOT_TEXTS = {"created_at", "updated_at", "annotator", "created_username"}  # keys of JSON_MIN
_MEDIA = {"url", "image", "audio", "video", "pdf"}  # keys of addresses
_ADDRESS = re.compile(r"\w{2,10}://\S*|/data/\S*")


def is_task(item: Mapping[str, Any]) -> bool:
    """Whether an object is a task.

    >>> is_task({"data": {"text": "Ada"}, "completions": []}), is_task({"data": "Ada", "label": []})
    (True, False)
    """
    return isinstance(item.get("data"), Mapping) and any(
        key in item for key in (*_HUMAN_KEYS, "predictions")
    )


def read_task(item: Mapping[str, Any], context: UnwrapContext) -> Iterator[Annotation]:
    """The annotation of a task that was not cancelled, or all of them as one.

    Predictions are read if the task has no annotations at all, or if the annotator is a model.
    """
    place, chosen = context.place, context.annotator
    is_annotated = any(key in item for key in _HUMAN_KEYS)
    humans = [entry for key in _HUMAN_KEYS for entry in mappings_of(item.get(key), place)]
    models = _predictions(item, place)
    valid = [entry for entry in humans if not entry.get("was_cancelled")]
    context.leave_out(CANCELLED, len(humans) - len(valid))
    candidates = valid if is_annotated else models
    if chosen not in (None, ALL):
        candidates = _by(chosen, valid, place) or _by(chosen, models, place)
        context.leave_out(OTHER_ANNOTATORS, sum(entry not in candidates for entry in valid))
    elif chosen is None:
        _check_one_annotator(candidates, place)
    if not candidates:
        context.leave_out(NOT_ANNOTATED)
        return
    regions = [
        region
        for entry in candidates
        for region in mappings_of(entry.get("result"), place)
        if _is_label(region, place)
    ]
    spans = mappings_of([region.get("value") for region in regions], place)
    hints = [
        str(region.get(key)).lstrip("$") for region in regions for key in ("source", "to_name")
    ]
    text = _text_key(item["data"], spans, hints, context)
    people = tuple(map(_signed, candidates))
    names = dict.fromkeys(name for person in people for name in person)
    annotation = _annotation(item["data"][text], spans, tuple(names), context)
    yield annotation._replace(people=people)


def _predictions(item: Mapping[str, Any], place: str) -> list[Mapping[str, Any]]:
    """The predictions of a task; snapshots give only their ids, which are left out."""
    given = listed(item.get("predictions"))
    if given and all(type(entry) is int for entry in given):
        return []
    return mappings_of(item.get("predictions"), place)


def is_short_task(item: Mapping[str, Any]) -> bool:
    """Whether an object is a task of JSON_MIN: its annotator, its data, and values by control.

    An unlabelled task has no key for its labels.

    >>> is_short_task({"id": 2, "text": "Ada", "annotator": 1})
    True
    >>> is_short_task({"text": "Ada", "spans": [[0, 3, "PER"]], "annotator": 1})
    False
    """
    if "annotator" not in item or "answer" in item:
        return False
    return bool(_controls(item)) or not any(
        listed(value) or isinstance(value, Mapping)
        for key, value in item.items()
        if isinstance(key, str) and spelling(key) in (*SPAN_KEYS, *LABEL_KEYS, "tokens", "words")
    )


def read_short_task(item: Mapping[str, Any], context: UnwrapContext) -> Iterator[Annotation]:
    """The task of JSON_MIN as a record; its annotator may be any of several."""
    controls = _controls(item)
    if len(controls) > 1:
        raise two_layers_error(controls, context.place)
    spans = mappings_of(item[controls[0]], context.place) if controls else []
    data = {key: value for key, value in item.items() if key not in _NOT_TEXTS}
    text = _text_key(data, spans, (), context)
    yield _annotation(item[text], spans, annotators_of(item), context)


def _controls(item: Mapping[str, Any]) -> list[str]:
    """The keys of labelled regions; the key is the name of the control in the labelling set-up."""
    return [
        key
        for key, value in item.items()
        if (rows := listed(value))
        and all(isinstance(row, Mapping) for row in rows)
        and any(map(is_placed, rows))
    ]


def _signed(entry: Mapping[str, Any]) -> tuple[str, ...]:
    """All names of the annotator or model of an annotation; without any, its own id."""
    keys = ("completed_by", "created_username", "model_version")
    names = tuple(name for key in keys for name in names_of_annotator(entry.get(key)))
    return names or names_of_annotator(entry.get("id"))


def _by(name: str, entries: Sequence[Mapping[str, Any]], place: str) -> list[Mapping[str, Any]]:
    """The annotation by one annotator or model; nothing says which of several is the right one."""
    own = [entry for entry in entries if name in _signed(entry)]
    if len(own) > 1:
        ids = [shown(entry["id"]) for entry in own if "id" in entry]
        named = f" (id {', '.join(ids)})" if ids else ""
        raise FormatError(
            place,
            f"annotator {name} has {len(own)} annotations of the text{named}",
            "keep one of them: delete or cancel the others in Label Studio, and export again",
        )
    return own


def _check_one_annotator(entries: Sequence[Mapping[str, Any]], place: str) -> None:
    """Refuse a second annotation, also by the same annotator."""
    if len(entries) > 1:
        names = [(_signed(entry) or ("unknown",))[0] for entry in entries]
        raise annotators_error(list(dict.fromkeys(names)), place)


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


def _text_key(
    data: Mapping[str, Any],
    spans: Sequence[Mapping[str, Any]],
    hints: Sequence[str],
    context: UnwrapContext,
) -> str:
    """The key of the text: as given by text=, or the one whose value has the labelled texts.

    Of several, the key of earlier tasks, the key that the regions name, and then the usual keys.
    """
    if context.text_key is not None:
        if not isinstance(data.get(context.text_key), str):
            raise no_text_error(context.text_key, data, context.place)
        return context.text_key
    texts: list[str] = [
        key for key, value in data.items() if isinstance(value, str) and _may_be_text(key, value)
    ]
    fitting = [key for key in texts if all(_fits(span, data[key]) for span in spans)] or texts
    usual = first_key({key: key for key in fitting}, TEXT_KEYS, bool)
    wanted = [context.state.text_key, *hints, usual, *(fitting if len(fitting) == 1 else ())]
    key: str | None = next((key for key in wanted if key is not None and key in fitting), None)
    if key is None and not texts and any(map(_is_address, data.values())):
        raise FormatError(
            context.place,
            "the task has the address of a text, not the text",
            "put the texts themselves into the tasks, under the key text",
        )
    if key is None:
        raise FormatError(
            context.place,
            f"it is not clear which key of the task has the text (the keys are {shown_keys(data)})",
            f"{file_option(context.place, 'text=KEY')} with the key of the text",
        )
    context.state.text_key = key
    return key


def _may_be_text(key: str, value: str) -> bool:
    """Whether a value is not the address of an image or a file."""
    return spelling(key) not in _MEDIA and not _is_address(value)


def _is_address(value: object) -> bool:
    return isinstance(value, str) and _ADDRESS.fullmatch(value) is not None


def _annotation(
    text: str,
    spans: Sequence[Mapping[str, Any]],
    names: tuple[str, ...],
    context: UnwrapContext,
) -> Annotation:
    """The record; a region that repeats another text is noted, because its offsets decide.

    Offsets that count something else than characters are refused later, with the cause.
    """
    spans = _in_characters(spans, text, context)
    read = [span if _fits(span, text) or _is_shifted(span, text) else _bare(span) for span in spans]
    others = [str(span["text"]) for span, kept in zip(spans, read, strict=True) if span is not kept]
    context.leave_out(OTHER_SURFACE, len(others), others)
    return Annotation({"text": text, "spans": read}, names)


def _in_characters(
    spans: Sequence[Mapping[str, Any]], text: str, context: UnwrapContext
) -> Sequence[Mapping[str, Any]]:
    """The regions with offsets in characters; some versions count UTF-16 units, as JavaScript does.

    The offsets of a task are converted only if all of its regions repeat the text then.
    """
    if text.isascii() or all(_fits(span, text) for span in spans):
        return spans
    offsets = OffsetMap(text, "utf-16")
    converted = [
        {**span, **{key: offsets.character(span.get(key, -1)) for key in ("start", "end")}}
        for span in spans
        if isinstance(span.get("text"), str) and type(span.get("start")) is type(span.get("end"))
    ]
    if len(converted) < len(spans) or not all(_fits(span, text) for span in converted):
        return spans
    moved = sum(old["end"] != new["end"] for old, new in zip(spans, converted, strict=True))
    context.leave_out(UTF16, moved)
    return converted


def _bare(span: Mapping[str, Any]) -> Mapping[str, Any]:
    return {key: value for key, value in span.items() if key != "text"}


def _is_shifted(span: Mapping[str, Any], text: str) -> bool:
    """Whether another way of counting explains the offsets, or they cannot be checked."""
    start, end, surface = (span.get(key) for key in ("start", "end", "text"))
    if type(start) is not int or type(end) is not int or not isinstance(surface, str):
        return True
    units, octets = text.encode("utf-16-le", "replace"), text.encode("utf-8", "replace")
    readings = (
        text[start : end + 1],
        text[max(start - 1, 0) : max(end - 1, 0)],
        text[max(start - 1, 0) : end],
        units[2 * start : 2 * end].decode("utf-16-le", "replace"),
        octets[start:end].decode("utf-8", "replace"),
    )
    return not 0 <= start < end <= len(text) or _solid(surface) in map(_solid, readings)


def _fits(span: Mapping[str, Any], text: str) -> bool:
    """Whether a region may be of a text: it repeats the text at its offsets."""
    start, end, surface = (span.get(key) for key in ("start", "end", "text"))
    if not (isinstance(start, int) and isinstance(end, int) and 0 <= start <= end <= len(text)):
        return False
    return not isinstance(surface, str) or _solid(text[start:end]) == _solid(surface)


def _solid(text: str) -> str:
    return "".join(text.replace("\\n", "").split())
