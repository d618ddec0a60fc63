"""Write `src/page-data.ts` and `src/decide-data.ts`: the data types of both pages.

python web/page_types.py
"""

import types
import typing
from pathlib import Path
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints, is_typeddict

from nerscope.render.page import decide_schema, schema

FOLDER = Path(__file__).parent / "src"
_HEAD = "// Written by web/page_types.py from nerscope/render/page/{}.py: change it there.\n"
_COLUMNS = """\
/** Rows by column; a column of texts holds distinct texts and indices into them. */
export type Column = (number | boolean | null)[] | { of: (string | null)[]; at: number[] };
export interface Columns {
  size: number;
  columns: Record<string, Column>;
}
"""
_PLAIN = {
    str: "string",
    int: "number",
    float: "number",
    bool: "boolean",
    object: "unknown",
    type(None): "null",
}


def report_types() -> str:
    """The types of the report page."""
    return "\n".join([_HEAD.format("schema"), _COLUMNS, *_interfaces(schema)])


def decide_types() -> str:
    """The types of the page on which people decide."""
    return "\n".join([_HEAD.format("decide_schema"), *_interfaces(decide_schema)])


def _interfaces(module: types.ModuleType) -> list[str]:
    """All classes of a schema as interfaces, in its order."""
    return [_interface(value) for value in vars(module).values() if is_typeddict(value)]


def _interface(kind: Any) -> str:
    about = " ".join((kind.__doc__ or "").split())
    comment = f"/** {about} */\n" if about and not about.startswith("dict(") else ""
    # Names of types as in the source: `Columns` is a mapping for Python, an interface here.
    hints = get_type_hints(kind)
    fields = [
        f"  {name}: {'Columns' if hints[name] == schema.Columns else _type(hints[name])};"
        for name in kind.__annotations__
    ]
    return "\n".join([f"{comment}export interface {kind.__name__} {{", *fields, "}", ""])


def _type(hint: Any) -> str:
    """
    >>> _type(dict[str, list[int | None]])
    'Record<string, (number | null)[]>'
    """
    origin, parts = get_origin(hint), get_args(hint)
    if origin in (Union, types.UnionType):
        return " | ".join(map(_type, parts))
    if origin is Literal:
        return " | ".join(f'"{value}"' for value in parts)
    if origin is list:
        item = _type(parts[0])
        return f"({item})[]" if " " in item and not item.startswith("Record") else f"{item}[]"
    if origin in (dict, typing.get_origin(schema.Columns)):
        return f"Record<{_type(parts[0])}, {_type(parts[1])}>"
    return _PLAIN[hint] if hint in _PLAIN else str(hint.__name__)


if __name__ == "__main__":
    (FOLDER / "page-data.ts").write_text(report_types(), encoding="utf-8")
    (FOLDER / "decide-data.ts").write_text(decide_types(), encoding="utf-8")
