"""TOML files: every key is checked, and every error names its line."""

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from nerscope.errors import InputError, UsageError, suggest

_KINDS = {
    list: "a list of strings",
    str: "a string",
    int: "a whole number",
    bool: "true or false",
    dict: "a table, as in docs/experiments.md",
}


def read_toml(path: str | Path) -> "Toml":
    """Read a TOML file; raises `InputError` if it cannot be read."""
    try:
        text = Path(path).read_text(encoding="utf-8")
        return Toml(Path(path), text, tomllib.loads(text))
    except OSError as error:
        raise InputError(
            str(path), f"it cannot be read ({error.strerror})", "check the path"
        ) from None
    except (UnicodeDecodeError, RecursionError, tomllib.TOMLDecodeError) as error:
        raise InputError(
            str(path), f"invalid TOML ({error})", "correct it; docs/experiments.md has an example"
        ) from None
    except ValueError as error:  # an invalid file name
        raise InputError(
            repr(str(path)), f"it cannot be read ({error})", "check the path"
        ) from None


@dataclass(frozen=True, slots=True)
class Toml:
    """The content of a TOML file, and its text to find the line of a key."""

    path: Path
    text: str
    content: Mapping[str, Any]

    def keys(
        self, known: Sequence[str], table: Mapping[str, Any] | None = None, where: str = ""
    ) -> None:
        """Raise `UsageError` for an unknown key of the file or of a table."""
        for key in self.content if table is None else table:
            if key not in known:
                raise UsageError(
                    self.place(key),
                    f"unknown key '{key}'{f' in [{where}]' if where else ''}",
                    suggest(key, known),
                )

    def values(self, table: Mapping[str, Any], types: Mapping[str, Any], where: str) -> None:
        """Check the keys of a table, and the types of their values."""
        self.keys(list(types), table, where)
        for key, value in table.items():
            if not isinstance(value, types[key]) or (
                isinstance(value, bool) and types[key] is not bool
            ):
                raise UsageError(
                    self.place(key),
                    f"invalid value {value!r} for '{key}' in [{where}]",
                    f"give {_KINDS.get(types[key], 'a value as in docs/experiments.md')}",
                )

    def table(self, name: str) -> dict[str, Any]:
        """A table of the file; empty if the file does not have it."""
        table = self.content.get(name, {})
        if not isinstance(table, dict):
            raise UsageError(self.place(name), f"'{name}' is not a table", f"write [{name}]")
        return table

    def place(self, key: str) -> str:
        """The file and line of a key."""
        match = re.search(rf"(?m)^[^#\n]*?(?<![\w-]){re.escape(key)}(?![\w-])", self.text)
        return f"{self.path}:{self.text.count(chr(10), 0, match.end()) + 1 if match else 1}"
