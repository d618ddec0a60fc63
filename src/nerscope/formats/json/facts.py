"""What a record says about itself: its id, its name in messages, its metadata."""

from collections.abc import Mapping, Sequence
from typing import Any

from nerscope.corpus.records import NO_FACTS, RecordFacts, is_short_id
from nerscope.formats.json.marks import first_key, spellings

# Keys in lower case and without _ or -; the first key that the record has is used. The hash of the
# input is Prodigy's, the same for all annotators of a text; a custom id is OpenAI's.
ID_KEYS = (
    *("id", "docid", "documentid", "sentid", "sentenceid", "recordid", "taskid", "exampleid"),
    *("uid", "uuid", "guid", "pmid", "customid", "inputhash"),
)
ROW = "row"  # the noun of a record in a table
_META_KEYS = ("meta", "metadata", "data")  # keys of a mapping that has metadata


def id_of(value: object) -> str | None:
    """An id as text; None if the value is not one.

    >>> id_of(7), id_of("a-7"), id_of(True), id_of("")
    ('7', 'a-7', None, None)
    """
    if isinstance(value, bool) or not isinstance(value, str | int):
        return None
    return str(value) or None


def facts_of(
    item: object, metadata: Sequence[str] = (), noun: str = "", number: int = 0
) -> RecordFacts:
    """The facts of a record.

    `metadata` are the keys to read. With a `noun`, messages name the record, by its id or else by
    its number in the file; rows of a table always have a number.

    >>> facts_of({"id": 812, "meta": {"source": "news"}}, ["source"], "task")
    RecordFacts(id='812', name='task 812', meta={'source': 'news'})
    """
    if not isinstance(item, Mapping):
        return RecordFacts(None, f"{noun} {number}") if noun else NO_FACTS
    key = first_key(item, ID_KEYS, id_of)
    own = None if key is None else id_of(item[key])
    name = None
    if noun:
        is_short = own is not None and is_short_id(own)
        name = f"{noun} {own if is_short and noun != ROW else number}"
    if own is None and name is None and not metadata:
        return NO_FACTS
    return RecordFacts(
        own, name, {wanted: text for wanted in metadata if (text := _meta(item, wanted))}
    )


def _meta(item: Mapping[str, Any], key: str) -> str | None:
    """The value of a key of a record, or of its metadata."""
    by_spelling = spellings(tuple(item))
    inner = [item[by_spelling[name]] for name in _META_KEYS if name in by_spelling]
    for mapping in (item, *inner):
        value = mapping.get(key) if isinstance(mapping, Mapping) else None
        if isinstance(value, str | int | float) and str(value):
            return str(value)
    return None
