"""Check the fields of JSON files that a report page exports, or that people write by hand."""

import json
import reprlib
from typing import Any

from nerscope.errors import FormatError, InputError

LONGEST = 1 << 31  # more sentences or tokens than any text has
_JSON_NAMES = ((None, "null"), (True, "true"), (False, "false"))


def load_json(name: str, data: bytes, fix: str) -> Any:
    """The value of a JSON file; NaN and Infinity are refused."""
    try:
        return json.loads(data.decode("utf-8-sig"), parse_constant=_refuse_constant)
    except (ValueError, RecursionError) as error:
        raise InputError(name, f"it is not JSON ({error})", fix) from None


def _refuse_constant(text: str) -> None:
    raise ValueError(f"{text} is not valid JSON")


def check_version(name: str, version: object, newest: int, what: str, fix: str) -> None:
    """Refuse a file without the number of its format, or with that of a later program."""
    if not is_of(version, int) or version < 1:  # type: ignore[operator]
        raise InputError(name, f"it holds no {what}", fix)
    if version > newest:  # type: ignore[operator]
        raise InputError(
            name,
            f"its format is {reprlib.repr(version)}, this version reads {newest}",
            "pip install --upgrade nerscope",
        )


def is_of(value: object, kinds: type | tuple[type, ...]) -> bool:
    """Whether a value has one of the types; a truth value is not a number.

    >>> is_of(3, int), is_of(True, int)
    (True, False)
    """
    return isinstance(value, kinds) and not isinstance(value, bool)


def field_of(place: str, record: Any, key: str, kinds: type | tuple[type, ...], fix: str) -> Any:
    """A field of a record; raise a FormatError if it is missing or has another type.

    >>> field_of("a.json item 1", {"by": 3}, "by", str, "give a name")
    Traceback (most recent call last):
    nerscope.errors.FormatError: a.json item 1: invalid value 3 for 'by'. Fix: give a name
    """
    if key not in record:
        raise FormatError(place, f"the key '{key}' is missing", fix)
    if not is_of(record[key], kinds):
        raise invalid_value(place, key, record[key], fix)
    return record[key]


def number_of(place: str, record: Any, key: str, least: int, fix: str) -> int:
    """A field that counts sentences or tokens."""
    number: int = field_of(place, record, key, int, fix)
    if not least <= number < LONGEST:
        raise invalid_value(place, key, number, fix)
    return number


def invalid_value(place: str, key: str, value: object, fix: str) -> FormatError:
    fact = f"invalid value {shown_value(value)} for '{reprlib.repr(key)[1:-1]}'"
    return FormatError(place, fact, fix)


def shown_value(value: object) -> str:
    """A value for a message, shortened, and null, true and false as in JSON.

    >>> shown_value(None), shown_value(["Ada"])
    ('null', "['Ada']")
    """
    names = [name for constant, name in _JSON_NAMES if value is constant]
    return names[0] if names else reprlib.repr(value)
