"""What the adapters of annotation tools share: the file options, the notes, and the helpers."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeAlias

from nerscope.corpus.corpus import Note, file_option
from nerscope.errors import FormatError
from nerscope.formats.json.layers import rows_of
from nerscope.formats.json.marks import first_key, listed, shown, shown_keys, spelling

TEXT_KEYS = ("text", "sentence", "content", "raw")
REJECTED = "rejected or ignored examples left out"
REJECTED_SPANS = "rejected or ignored spans left out"
OTHER_ANNOTATORS = "annotations by other annotators left out"
CANCELLED = "cancelled annotations left out"
NOT_ANNOTATED = "texts without an annotation left out"
OTHER_SURFACE = "spans whose text differs from the text at their offsets"
UNALIGNED = "extractions without offsets left out"
ALL = "all"  # annotator=all: the mentions of all annotators, equal ones once
_MOST_NAMED = 5  # annotators in a message
ANNOTATOR_KEYS = ("annotatorid", "sessionid", "annotator")

LeftOut: TypeAlias = "dict[str, Note]"  # notes on records that were left out, by kind


class Annotation(NamedTuple):
    """A plain record, and the names of its annotator: one person may have an id and an address.

    With annotator=all, the record may have several annotators: `people` has the names of each.
    """

    item: Mapping[str, Any]
    annotators: tuple[str, ...] = ()
    people: tuple[tuple[str, ...], ...] = ()


@dataclass(slots=True)
class FileState:
    """What one reading of a file remembers from record to record.

    `text_key` is the key of the text (the option text=, or as found in an earlier task);
    `annotated` has the annotator and the line of each text, so that a second annotator is noticed.
    """

    text_key: str | None = None
    annotated: dict[int, tuple[tuple[str, ...], int]] = field(default_factory=dict)

    def check_annotator(
        self, text: str, annotators: tuple[str, ...], place: str, line: int
    ) -> None:
        """Refuse a text that another annotator has annotated before.

        >>> state = FileState()
        >>> state.check_annotator("Ada spoke", ("eve",), "a.jsonl:1", 1)
        >>> state.check_annotator("Ada spoke", ("bob",), "a.jsonl:2", 2)
        Traceback (most recent call last):
        nerscope.errors.FormatError: a.jsonl:2: the text has several annotations, by eve (line 1) \
and bob. Fix: a.jsonl::annotator=eve (one annotator), or a.jsonl::annotator=all (the mentions of \
all, equal ones once)
        """
        # A hash takes much less memory than the text, and 64 bits rarely collide.
        before, first_line = self.annotated.setdefault(hash(text), (annotators, line))
        if not {*before} & {*annotators}:
            raise annotators_error([before[0], annotators[0]], place, first_line)


@dataclass(slots=True)
class UnwrapContext:
    """The place of a value, the annotator to read (None: any), and the notes to add to.

    `text_key` is the option text=; `has_names` says whether names of numeric labels were given.
    """

    place: str
    line: int
    annotator: str | None
    left_out: LeftOut
    text_key: str | None = None
    has_names: bool = False
    state: FileState = field(default_factory=FileState)

    def leave_out(self, kind: str, times: int = 1, items: Sequence[str] = ()) -> None:
        if times:
            note = Note(times, (self.line,) * times, tuple(items))
            self.left_out[kind] = self.left_out.get(kind, Note(0)) + note


def annotators_error(names: Sequence[str], place: str, line: int = 0) -> FormatError:
    """The error for a text with several annotations; the first name is used in the fix.

    `line` is where the first annotator annotated the text, if it is another record.
    """
    some = [shown(name)[1:-1] for name in names[:_MOST_NAMED]]
    first, *others = some
    behind = ["…"] if len(names) > _MOST_NAMED else []
    by = " and ".join([f"{first} (line {line})" if line else first, *others, *behind])
    one = f"{file_option(place, f'annotator={first}')} (one annotator), or " if others else ""
    return FormatError(
        place,
        f"the text has several annotations, by {by}",
        f"{one}{file_option(place, f'annotator={ALL}')} (the mentions of all, equal ones once)",
    )


def annotators_of(item: Mapping[str, Any]) -> tuple[str, ...]:
    """The names of the annotator that a record states; empty if it states none.

    >>> annotators_of({"text": "Ada", "_session_id": "ner-eve"})
    ('ner-eve',)
    """
    key = first_key(item, ANNOTATOR_KEYS, lambda value: value is not None)
    return () if key is None else names_of_annotator(item[key])


def names_of_annotator(value: object) -> tuple[str, ...]:
    """All names of an annotator, who is a name, a number, or an object with address and id.

    >>> names_of_annotator({"id": 7, "email": "eve@example.org"}), names_of_annotator(None)
    (('eve@example.org', '7'), ())
    """
    if isinstance(value, Mapping):
        given = [value.get(key) for key in ("email", "username", "id")]
    else:
        given = [value]
    return tuple(str(name) for name in given if isinstance(name, str | int) and name != "")


class AnnotatorNames:
    """The annotators of a file, each under the first of its names.

    >>> people = AnnotatorNames()
    >>> for names in [("eve@example.org", "7"), ("bob",), ("7",)]:
    ...     people.add(names)
    >>> people.first_names
    ['eve@example.org', 'bob']
    """

    def __init__(self) -> None:
        self._first: dict[str, str] = {}  # by any name of the person

    def add(self, names: Sequence[str]) -> None:
        known = [self._first[name] for name in names if name in self._first]
        for name in names:
            self._first.setdefault(name, known[0] if known else names[0])

    @property
    def first_names(self) -> list[str]:
        return list(dict.fromkeys(self._first.values()))


def mappings_of(value: object, place: str) -> list[Mapping[str, Any]]:
    """A list of objects, also from parallel lists; None is an empty list."""
    items = [] if value is None else rows_of(value)
    if items is None or not all(isinstance(item, Mapping) for item in items):
        raise FormatError(
            place, f"{shown(value)} is not a list of objects", "export the file again"
        )
    return items


def with_text_of(item: Mapping[str, Any], key: str, place: str) -> Mapping[str, Any]:
    """The record with the value of a key as its text, and without other texts.

    >>> with_text_of({"title": "A", "body": "Ada spoke", "spans": []}, "body", "a.jsonl:1")
    {'text': 'Ada spoke', 'title': 'A', 'spans': []}
    """
    if not isinstance(item.get(key), str):
        raise no_text_error(key, item, place)
    others = {
        other: value
        for other, value in item.items()
        if other != key and not (spelling(other) in TEXT_KEYS and isinstance(value, str))
    }
    return {"text": item[key], **others}


def no_text_error(key: str, item: Mapping[str, Any], place: str) -> FormatError:
    return FormatError(
        place,
        f"the record has no text under the key {shown(key)} (its keys are {shown_keys(item)})",
        f"{file_option(place, 'text=KEY')} with the key of the text",
    )


def rows_with(value: object, key: str) -> list[Mapping[str, Any]]:
    """The rows of a list if one of its objects has a key; else an empty list."""
    rows = listed(value) or []
    found = any(isinstance(row, Mapping) and key in row for row in rows)
    return rows if found and all(isinstance(row, Mapping) for row in rows) else []
