"""Find the keys of a record that hold mentions; refuse records in which several keys do."""

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from numbers import Integral
from typing import Any

from nerscope.corpus.corpus import file_option
from nerscope.errors import FormatError
from nerscope.formats.json.marks import PIECES, is_placed, listed, spelling, spellings

# Keys in lower case and without _ or -; the first key that the record has is used.
LABEL_KEYS = ("nertags", "tags", "labels", "ner")  # of labels, one per token
SPAN_KEYS = (
    *("spans", "entities", "ents", "ner", "label", "labels"),
    *("extractions", "annotations", "predictions"),
)
_CERTAIN_KEYS = SPAN_KEYS[:3]  # any value under one of these is meant as mentions


def rows_of(marks: object) -> list[Any] | None:
    """The marks as one list, from a list, from parallel lists, or from lists by name.

    >>> rows_of({"start": [0], "end": [3], "label": ["PER"]})
    [{'start': 0, 'end': 3, 'label': 'PER'}]
    """
    if not isinstance(marks, Mapping):
        return listed(marks)
    columns = [column for column in map(listed, marks.values()) if column is not None]
    if len(columns) < len(marks):
        return None
    flat = [mark for column in columns for mark in column]
    if all(isinstance(mark, Mapping) for mark in flat):
        return flat
    if len(set(map(len, columns))) > 1:
        return None
    return [dict(zip(marks, row, strict=True)) for row in zip(*columns, strict=True)]


def are_spans(value: object) -> bool:
    """Whether any mark has offsets; other marks in the list are refused when they are read.

    >>> are_spans([{"start": 0, "end": 3, "label": "PER"}, {"text": "x"}]), are_spans([])
    (True, False)
    """
    return any(map(is_placed, rows_of(value) or ()))


def are_labels(value: object) -> bool:
    """Whether a value may be the labels of tokens.

    >>> are_labels(["B-PER", "O"]), are_labels([[0, 3, "PER"]])
    (True, False)
    """
    labels = listed(value)
    return labels is not None and all(isinstance(label, str | Integral) for label in labels)


@lru_cache(maxsize=1024)
def other_keys(keys: tuple[str, ...], *used: str | None) -> tuple[str, ...]:
    """The keys that may hold mentions, except the used ones.

    >>> other_keys(("tokens", "labels", "spans", "id"), "tokens", "labels")
    ('spans',)
    """
    by_spelling = spellings(keys)
    usual = (*LABEL_KEYS, *SPAN_KEYS)
    candidates = dict.fromkeys(by_spelling[key] for key in usual if key in by_spelling)
    return tuple(key for key in candidates if key not in used)


def may_say_mentions(key: str, value: object) -> bool:
    """Whether a value seems to contain mentions, even if it cannot be read.

    >>> may_say_mentions("spans", "0 6 LOC"), may_say_mentions("labels", ["sports"])
    (True, False)
    """
    rows = rows_of(value)
    if spelling(key) in _CERTAIN_KEYS and not _is_missing(value):
        return rows is None or bool(rows)
    return any(
        row.startswith(PIECES) if isinstance(row, str) else isinstance(row, Mapping)
        for row in rows or ()
    )


def _is_missing(value: object) -> bool:
    """Whether a value is missing: None, or NaN in a data frame."""
    return value is None or (isinstance(value, float) and value != value)


def are_tags(labels: Sequence[Any]) -> bool:
    """Whether labels are labels of mentions, not parts of speech or topics.

    >>> are_tags(["B-PER", "I-PER"]), are_tags(["PER", "O"]), are_tags(["NNP", "VB"])
    (True, True, False)
    """
    if all(isinstance(label, str) for label in labels):
        return any(label.startswith(PIECES) for label in labels) or {*labels} > {"O"}
    return all(isinstance(label, Integral) for label in labels) and any(labels)


def are_other_tags(others: Sequence[Any], labels: Sequence[Any]) -> bool:
    """Whether `others` are labels of mentions too, but of different ones than `labels`.

    Numbers and names cannot be compared; only the tokens at which they change can.

    >>> are_other_tags([0, 1], ["O", "B-PER"]), are_other_tags([1, 1], ["O", "B-PER"])
    (False, True)
    """
    if len(others) != len(labels) or not are_tags(others):
        return False  # for example labels of subwords, which are not of these tokens
    if isinstance(others[0], str) == isinstance(labels[0], str):
        return list(others) != list(labels)
    return _pattern(others) != _pattern(labels)


def _pattern(labels: Sequence[Any]) -> list[int]:
    return [labels.index(label) for label in labels]


def check_one_layer(item: Mapping[str, Any], used: Sequence[str | None], place: str) -> None:
    """Refuse spans under a second key, and also similar values if the key in use has no spans.

    The key in use is the last of `used`; it may be None.

    >>> check_one_layer({"text": "Ada", "spans": [], "entities": []}, ("text", "spans"), "a:1")
    """
    others = other_keys(tuple(item), *used)
    if not others:
        return
    marks = used[-1]
    rivals = [key for key in others if are_spans(item[key])]
    if marks is None or not rows_of(item[marks]):
        unread = [key for key in others if may_say_mentions(key, item[key])]
        if rivals or unread:
            raise unread_error(rivals or unread, place)
    elif rivals:
        raise two_layers_error([marks, *rivals], place)


def two_layers_error(keys: Iterable[str], place: str) -> FormatError:
    """The error for two keys that hold mentions."""
    return FormatError(
        place,
        f"there are mentions under {' and under '.join(keys)}",
        "keep only one of these keys; in a table, name the column: FILE::label=COLUMN",
    )


def unread_error(keys: Iterable[str], place: str) -> FormatError:
    """The error for mentions that would otherwise be ignored silently."""
    return FormatError(
        place,
        f"no mentions can be read from the value of {' and '.join(keys)}",
        "give all mentions under one key, each as [start, end, type] or as an object with start, "
        f"end and label; for mentions without offsets: {file_option(place, 'format=answers')}",
    )
