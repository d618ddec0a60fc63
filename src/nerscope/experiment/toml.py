"""Files of settings: read as TOML, every key checked, every complaint with its line."""

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from nerscope.errors import InputError, UsageError, suggest

_KINDS = {
    list: "list of strings",
    str: "string",
    int: "whole number",
    bool: "true or false",
    dict: "table of lists",
}


def read_toml(path: str | Path) -> "Toml":
    """A file of settings, refused if it cannot be read."""
    try:
        text = Path(path).read_text(encoding="utf-8")
        return Toml(Path(path), text, tomllib.loads(text))
    except OSError as error:
        raise InputError(
            str(path), f"it cannot be read ({error.strerror})", "check the path"
        ) from None
    except (UnicodeDecodeError, RecursionError, tomllib.TOMLDecodeError) as error:
        raise InputError(
            str(path), f"it is not TOML ({error})", "mend it; docs/experiments.md shows an example"
        ) from None
    except ValueError as error:  # a name that no file can have
        raise InputError(
            repr(str(path)), f"it cannot be read ({error})", "check the path"
        ) from None


@dataclass(frozen=True, slots=True)
class Toml:
    """What a file of settings says; it finds the line of a key, since a TOML reader forgets it."""

    path: Path
    text: str
    content: Mapping[str, Any]

    def keys(
        self, known: Sequence[str], table: Mapping[str, Any] | None = None, where: str = ""
    ) -> None:
        """Refuse unknown keys, of the file or of a table."""
        for key in self.content if table is None else table:
            if key not in known:
                raise UsageError(
                    self.place(key),
                    f"unknown key '{key}'{f' in [{where}]' if where else ''}",
                    suggest(key, known),
                )

    def values(self, table: Mapping[str, Any], types: Mapping[str, Any], where: str) -> None:
        """Check the keys of a table, and the kinds of their values."""
        self.keys(list(types), table, where)
        for key, value in table.items():
            if not isinstance(value, types[key]) or (
                isinstance(value, bool) and types[key] is not bool
            ):
                raise UsageError(
                    self.place(key),
                    f"'{key}' in [{where}] cannot be {value!r}",
                    f"give a {_KINDS.get(types[key], 'value that docs/experiments.md shows')}",
                )

    def table(self, name: str) -> dict[str, Any]:
        """A table of the file, empty if it is not there."""
        table = self.content.get(name, {})
        if not isinstance(table, dict):
            raise UsageError(self.place(name), f"'{name}' is not a table", f"write [{name}]")
        return table

    def place(self, key: str) -> str:
        """Where a key stands: file and line."""
        match = re.search(rf"(?m)^[^#\n]*?(?<![\w-]){re.escape(key)}(?![\w-])", self.text)
        return f"{self.path}:{self.text.count(chr(10), 0, match.end()) + 1 if match else 1}"
