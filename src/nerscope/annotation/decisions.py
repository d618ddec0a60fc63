"""Decisions about gold: for each decided sentence, the mentions that people chose.

A page exports them as JSON, and people write them by hand:

    {"nerscope_decisions": 1, "items": [
      {"file": "gold.conll", "sentence": 0, "text": "Ada saw Oslo",
       "gold": [{"start": 2, "end": 3, "type": "PER"}],
       "chosen": [{"start": 2, "end": 3, "type": "LOC"}], "by": "eve"}]}

Sentences count from 0 in the order of the file; spans count tokens and are half-open.
"""

import json
import os
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from nerscope.errors import FormatError, InputError, shortened
from nerscope.formats.json.marks import FORBIDDEN
from nerscope.results.files import write_text
from nerscope.results.json_fields import (
    check_version,
    field_of,
    invalid_value,
    load_json,
    number_of,
    shown_value,
)

FORMAT = 1  # of the JSON; increased if an older program would misread it
_BREAKS = re.compile(r"[\t\r\n]")  # would end a column or a line
_KEY = "nerscope_decisions"
_FILE_FIX = f'give {{"{_KEY}": {FORMAT}, "items": [...]}}, as a page exports it'
_TYPE_KEYS = ("type", "label")
_FIXES = {
    "file": 'give the name of the annotated file, as in "file": "gold.conll"',
    "sentence": "give the number of the sentence; the first sentence of the file is 0",
    "text": "give the tokens of the sentence with blanks between them",
    "gold": 'give the mentions as they are in the file, or "gold": [] if there are none',
    "chosen": 'give the mentions as they should be, or "chosen": [] for none',
    "by": 'give the name of the person, or "by": null',
}
_SPAN_FIX = (
    'write {"start": 0, "end": 2, "type": "PER"} for the first two tokens; '
    "the end is the index after the last token"
)


class Span(NamedTuple):
    """A mention of a sentence: its tokens, half-open and counted from 0, and its type."""

    start: int
    end: int
    type: str


@dataclass(frozen=True, slots=True)
class Decision:
    """The mentions that a sentence should have.

    `file` is the annotated file as it was given, and `sentence` counts from 0 in its order. `text`
    has the tokens with blanks between them. `gold` are the mentions at the time of the decision,
    `chosen` those that should replace them; `by` is the name of a person. `place` is where the
    decision was read, for messages.

    >>> Decision("a.conll", 0, "Ada spoke", (), (Span(0, 1, "PER"),), by="eve").changes
    True
    """

    file: str
    sentence: int
    text: str
    gold: tuple[Span, ...]
    chosen: tuple[Span, ...]
    by: str | None = None
    place: str = field(default="", compare=False)

    @property
    def changes(self) -> bool:
        """Whether the chosen mentions differ from gold; otherwise gold was confirmed."""
        return set(self.gold) != set(self.chosen)

    @property
    def source(self) -> str:
        """Where the decision stands, for messages."""
        return self.place or f"decision on sentence {self.sentence} of {self.file}"

    def as_dict(self) -> dict[str, Any]:
        """The item of the JSON."""
        return {
            "file": self.file,
            "sentence": self.sentence,
            "text": self.text,
            "gold": [span._asdict() for span in self.gold],
            "chosen": [span._asdict() for span in self.chosen],
            "by": self.by,
        }


def read_decisions(
    paths: str | os.PathLike[str] | Sequence[str | os.PathLike[str]],
) -> list[Decision]:
    """The decisions of one or several files, in order.

    Equal decisions count once; two that contradict each other are refused.
    """
    several = [paths] if isinstance(paths, str | os.PathLike) else paths
    return merge_decisions(
        decision for path in several for decision in _decisions_of(os.fspath(path))
    )


def write_decisions(path: str | os.PathLike[str], decisions: Iterable[Decision]) -> None:
    """Write decisions as JSON, one item per line."""
    items = (json.dumps(decision.as_dict(), ensure_ascii=False) for decision in decisions)
    lines = ",\n".join(items)
    write_text(path, f'{{"{_KEY}": {FORMAT}, "items": [\n{lines}\n]}}\n')


def merge_decisions(decisions: Iterable[Decision]) -> list[Decision]:
    """All decisions, each sentence once; two that contradict each other are refused.

    >>> one = Decision("a.conll", 0, "Ada", (), (Span(0, 1, "PER"),), by="eve")
    >>> len(merge_decisions([one, one]))
    1
    """
    known: dict[tuple[str, int], Decision] = {}
    for decision in decisions:
        key = os.path.normpath(decision.file), decision.sentence
        before = known.setdefault(key, decision)
        if (before.text, before.gold, before.chosen) != (
            decision.text,
            decision.gold,
            decision.chosen,
        ):
            raise InputError(
                decision.source,
                f"it contradicts {before.source} on sentence {decision.sentence} of "
                f"{decision.file}",
                "remove one of the two",
            )
    return list(known.values())


def _decisions_of(name: str) -> Iterable[Decision]:
    try:
        data = Path(name).read_bytes()
    except (OSError, ValueError) as error:
        fact = getattr(error, "strerror", None) or error
        raise InputError(name, f"it cannot be read ({fact})", "check the path") from None
    content = load_json(name, data, _FILE_FIX)
    if isinstance(content, list):  # the items alone
        items = content
    elif isinstance(content, dict):
        check_version(name, content.get(_KEY), FORMAT, "decisions", _FILE_FIX)
        items = field_of(name, content, "items", list, _FILE_FIX)
    else:
        raise InputError(name, "it holds no decisions", _FILE_FIX)
    return [_decision(f"{name} item {number}", item) for number, item in enumerate(items, 1)]


def _decision(place: str, item: Any) -> Decision:
    if not isinstance(item, dict):
        fix = "give an object with file, sentence, text, gold and chosen"
        raise FormatError(place, f"{shown_value(item)} is not a decision", fix)
    by = field_of(place, {"by": None, **item}, "by", (str, type(None)), _FIXES["by"])
    _check_characters(place, "by", by or "", _FIXES["by"])
    return Decision(
        _file(place, item),
        number_of(place, item, "sentence", 0, _FIXES["sentence"]),
        _text(place, item),
        _spans(place, item, "gold"),
        _spans(place, item, "chosen"),
        by,
        place,
    )


def _file(place: str, item: Any) -> str:
    name: str = field_of(place, item, "file", str, _FIXES["file"])
    if not name:
        raise invalid_value(place, "file", name, _FIXES["file"])
    return _check_characters(place, "file", name, _FIXES["file"])


def _text(place: str, item: Any) -> str:
    """The text of a sentence, also from a list of its tokens."""
    given = field_of(place, item, "text", (str, list), _FIXES["text"])
    if isinstance(given, list) and not all(isinstance(word, str) for word in given):
        raise invalid_value(place, "text", given, _FIXES["text"])
    text = given if isinstance(given, str) else " ".join(given)
    return _check_characters(place, "text", text, _FIXES["text"])


def _check_characters(place: str, key: str, value: str, fix: str) -> str:
    """The value; one with NUL, U+001F or half a character is refused, as no file has these."""
    if FORBIDDEN.search(value):
        raise invalid_value(place, key, value, fix)
    return value


def _spans(place: str, item: Any, key: str) -> tuple[Span, ...]:
    """The mentions of an item in order; equal ones count once."""
    given = field_of(place, item, key, list, _FIXES[key])
    return tuple(sorted({_span(f"{place}, {key} {n}", span) for n, span in enumerate(given, 1)}))


def _span(place: str, given: Any) -> Span:
    """A mention from an object, also with label= for type=, or from [start, end, type]."""
    if isinstance(given, list) and len(given) == len(Span._fields):
        given = dict(zip(Span._fields, given, strict=True))
    if not isinstance(given, dict):
        raise FormatError(place, f"{shown_value(given)} is not a mention", _SPAN_FIX)
    start = number_of(place, given, "start", 0, _SPAN_FIX)
    end = number_of(place, given, "end", 0, _SPAN_FIX)
    if end <= start:
        fact = f"the mention from {start} to {end} has no token"
        raise FormatError(place, fact, _SPAN_FIX)
    key = next((key for key in _TYPE_KEYS if key in given), _TYPE_KEYS[0])
    name: str = field_of(place, given, key, str, _SPAN_FIX)
    if not name or name != name.strip() or _BREAKS.search(name):
        raise invalid_value(place, key, name, _SPAN_FIX)
    return Span(start, end, _check_characters(place, key, name, _SPAN_FIX))


def shown_text(text: str) -> str:
    """The text of a sentence for a message."""
    return f"'{shortened(text)}'"
