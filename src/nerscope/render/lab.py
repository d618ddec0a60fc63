"""Jobs as tables: what is to be done, and what it cost."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from nerscope.errors import plural
from nerscope.render.document import UNDEFINED, Document, Table, table_of

Record = Mapping[str, Any]


def planned_document(records: Sequence[Record]) -> Document:
    """One row a run; what a person wants to know first is how many jobs are left.

    Runs of a system without chance are one job.
    """
    left = len({one["key"] for one in records if not one["done"]})
    shown = [
        {**{key: one[key] for key in ("system", "dataset", "seed")}, "done": _yes(one["done"])}
        for one in records
    ]
    opening = [f"{plural(len(records), 'run')}; {plural(left, 'job')} to do"]
    tables = [table_of("Runs", shown)] if shown else []
    return Document(tables, {"jobs": list(records)}, shown, opening=opening)


def _yes(done: bool) -> str:
    return "yes" if done else "no"


def jobs_tables(records: Sequence[Record]) -> list[Table]:
    """What each system cost, one row a system; nothing where nothing was trained."""
    if not records:
        return []
    systems = dict.fromkeys(one["system"] for one in records)
    rows = [_cost([one for one in records if one["system"] == name]) for name in systems]
    note = "seconds: mean of a job, training and prediction together"
    return [replace(table_of("Training", rows), notes=(note,))]


def _cost(own: Sequence[Record]) -> dict[str, str]:
    done = [one for one in own if not one["failed"]]
    seconds = [one["seconds"] for one in done]
    peaks = [one["peak_mb"] for one in done if one["peak_mb"] is not None]
    return {
        "system": own[0]["system"],
        "jobs": str(len(own)),
        "failed": str(len(own) - len(done)),
        "seconds": f"{sum(seconds) / len(seconds):.1f}" if seconds else UNDEFINED,
        "most memory": f"{max(peaks):.0f} MB" if peaks else UNDEFINED,
    }


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
