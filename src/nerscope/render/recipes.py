"""The recipes, and the options of some, as tables."""

from collections.abc import Mapping, Sequence
from typing import Any

from nerscope.render.document import Document, table_of

Record = Mapping[str, Any]


def recipes_document(records: Sequence[Record]) -> Document:
    """One row a recipe, then one row an option."""
    shown = [
        {"recipe": one["name"], "runs here": _where(one), "what it is": one["about"]}
        for one in records
    ]
    options = [
        {
            "recipe": one["name"],
            "option": option["name"],
            "unless told": "–" if option["default"] is None else str(option["default"]),
            "what it is": _meaning(option),
        }
        for one in records
        for option in one["options"]
    ]
    tables = [table_of("Recipes", shown)]
    tables += [table_of("Options", options)] if options else []
    data = {"recipes": list(map(dict, records))}
    return Document(tables, data, list(map(dict, records)))


def _where(one: Record) -> str:
    if one["runs_here"]:
        return "yes"
    wanted = f"nerscope[{one['extra']}]" if one["extra"] else " ".join(one["missing"])
    return f"no: pip install '{wanted}'"


def _meaning(option: Record) -> str:
    choices = f" ({', '.join(map(str, option['choices']))})" if option["choices"] else ""
    return f"{option['about']}{choices}"
