"""Unwrap records: the tasks, pairs and paragraphs in which annotation tools export them."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from nerscope.formats.json.tools import REFUSED_ANSWERS, as_mapping, tool_of
from nerscope.formats.json.unwrapping import (
    ALL,
    OTHER_ANNOTATORS,
    REJECTED,
    Annotation,
    UnwrapContext,
    annotators_of,
    with_text_of,
)


def unwrap(item: object, context: UnwrapContext) -> Iterator[Annotation]:
    """The plain records in a value of a file; records that are left out are counted.

    >>> context = UnwrapContext("a.jsonl:1", 1, None, {})
    >>> [record] = unwrap(["Ada spoke", {"entities": [[0, 3, "PER"]]}], context)
    >>> record.item
    {'text': 'Ada spoke', 'entities': [[0, 3, 'PER']]}
    >>> list(unwrap({"text": "Ada", "spans": [], "answer": "reject"}, context))
    []
    >>> list(context.left_out)
    ['rejected or ignored examples left out']
    """
    plain = as_mapping(item, context.place)
    if plain.get("answer") in REFUSED_ANSWERS:
        context.leave_out(REJECTED)
        return
    if context.text_key is not None and not isinstance(plain.get("data"), Mapping):
        plain = with_text_of(plain, context.text_key, context.place)
        context.text_key = "text"
    for record in _records(plain, context):
        if not record.annotators or context.annotator in (None, ALL, *record.annotators):
            yield record
        else:
            context.leave_out(OTHER_ANNOTATORS)


def _records(plain: Mapping[str, Any], context: UnwrapContext) -> Iterable[Annotation]:
    tool = tool_of(plain)
    if tool is None:
        return [Annotation(plain, annotators_of(plain))]
    return tool.read(plain, context)
