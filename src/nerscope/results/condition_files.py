"""Files of conditions: `[[condition]]` tables in TOML; every key is checked, with its line."""

import os
import re
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from nerscope.errors import InputError, UsageError, suggest
from nerscope.results.conditions import Condition, condition_of

_NAME = "condition"
_HEADER = re.compile(rf"(?m)^[ \t]*\[\[[ \t]*[\"']?{_NAME}[\"']?[ \t]*\]\]")


def load_conditions(path: str | os.PathLike[str]) -> list[Condition]:
    """Read a file of conditions.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "gate.toml"
    ...     _ = path.write_text('[[condition]]\\nmetric = "f1"\\nflor = 80')
    ...     load_conditions(path)
    Traceback (most recent call last):
    nerscope.errors.UsageError: ...gate.toml:3: unknown key 'flor'. Remedy: did you mean ...
    """
    text, content = _read(path)
    for key in content:
        if key != _NAME:
            place = f"{path}:{_line(text, _key(key))}"
            raise UsageError(place, f"unknown key '{key}'", suggest(key, [_NAME]))
    tables = content.get(_NAME)
    if tables is None or tables == []:
        raise InputError(str(path), "it has no condition", f"write [[{_NAME}]] and its keys")
    if not isinstance(tables, list) or not all(isinstance(one, dict) for one in tables):
        place = f"{path}:{_line(text, _key(_NAME))}"
        raise UsageError(place, f"'{_NAME}' is no list of tables", f"write [[{_NAME}]]")
    places = _places(str(path), text, tables)
    return [condition_of(table, own) for table, own in zip(tables, places, strict=True)]


def _read(path: str | os.PathLike[str]) -> tuple[str, dict[str, Any]]:
    try:
        text = Path(path).read_text(encoding="utf-8")
        return text, tomllib.loads(text)
    except OSError as error:
        raise InputError(
            str(path), f"it cannot be read ({error.strerror})", "check the path"
        ) from None
    except (ValueError, RecursionError) as error:
        found = re.search(r"at line (\d+)", str(error))
        raise InputError(
            f"{path}:{found[1]}" if found else str(path),
            f"it is not TOML ({error})",
            "mend it; docs/commands/gate.md shows an example",
        ) from None


def _places(path: str, text: str, tables: Sequence[Mapping[str, Any]]) -> list[Mapping[str, str]]:
    """The place of each key of each table; that of the table is under ''."""
    starts = [found.start() for found in _HEADER.finditer(text)]
    if len(starts) != len(tables):  # written in another way
        whole = f"{path}:{_line(text, _key(_NAME))}"
        return [{"": whole} for _ in tables]
    places: list[Mapping[str, str]] = []
    for start, end, table in zip(starts, [*starts[1:], len(text)], tables, strict=True):
        own = {key: f"{path}:{_line(text, _key(key), start, end)}" for key in table}
        places.append({"": f"{path}:{text.count(chr(10), 0, start) + 1}", **own})
    return places


def _key(name: str) -> re.Pattern[str]:
    return re.compile(rf"(?m)^[ \t]*\[*[ \t]*[\"']?{re.escape(name)}(?![\w-])")


def _line(text: str, key: re.Pattern[str], start: int = 0, end: int | None = None) -> int:
    """The line of a key between two places; that of the first place if it is not found."""
    found = key.search(text, start, len(text) if end is None else end)
    return text.count("\n", 0, found.start() if found else start) + 1
