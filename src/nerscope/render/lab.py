"""Jobs as tables: what is left to do, and what it cost."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from nerscope.errors import plural
from nerscope.render.document import (
    UNDEFINED,
    Document,
    Table,
    p_text,
    points,
    records_table,
    score,
)
from nerscope.results.domains import DomainRow

Record = Mapping[str, Any]


def planned_document(records: Sequence[Record]) -> Document:
    """One row per run, and how many jobs are left.

    Runs of a deterministic system are one job.
    """
    left = len({run["key"] for run in records if not run["done"]})
    shown = [
        {**{key: run[key] for key in ("system", "dataset", "seed")}, "done": _yes(run["done"])}
        for run in records
    ]
    opening = [f"{plural(len(records), 'run')}; {plural(left, 'job')} to do"]
    tables = [records_table("Runs", shown)] if shown else []
    return Document(tables, {"jobs": list(records)}, shown, opening=opening)


def _yes(done: bool) -> str:
    return "yes" if done else "no"


def jobs_tables(records: Sequence[Record]) -> list[Table]:
    """The cost of each system, one row per system; nothing where nothing was trained."""
    if not records:
        return []
    systems = dict.fromkeys(job["system"] for job in records)
    rows = [_cost([job for job in records if job["system"] == name]) for name in systems]
    note = "seconds: mean time of a job (training and prediction)"
    return [replace(records_table("Training", rows), notes=(note,))]


def _cost(jobs: Sequence[Record]) -> dict[str, str]:
    done = [job for job in jobs if not job["failed"]]
    seconds = [job["seconds"] for job in done]
    peaks = [job["peak_mb"] for job in done if job["peak_mb"] is not None]
    return {
        "system": jobs[0]["system"],
        "jobs": str(len(jobs)),
        "failed": str(len(jobs) - len(done)),
        "seconds": f"{sum(seconds) / len(seconds):.1f}" if seconds else UNDEFINED,
        "peak memory": f"{max(peaks):.0f} MB" if peaks else UNDEFINED,
    }


_NUMBERS = {"f1": "F1", "unseen": "error rate, unseen", "diff": "error rate, diff"}


def domain_tables(rows: Sequence[DomainRow]) -> list[Table]:
    """Each number in domain beside out of domain, with a test of the difference."""
    if not rows:
        return []
    shown = [
        {
            "number": _NUMBERS.get(row.level if row.metric == "ter" else row.metric, row.metric),
            "dataset": row.dataset,
            "system": row.system,
            "in domain": score(row.in_domain, row.metric),
            "out of domain": score(row.out_of_domain, row.metric),
            "difference": _difference(row),
            "p": p_text(row.p),
            "corrected p": p_text(row.p_corrected),
            "n in, out": f"{row.n_in_domain:,}, {row.n_out_of_domain:,}",
        }
        for row in rows
    ]
    notes = (
        "out of domain: trained on the training parts of all other datasets",
        "Unseen and differently labelled words depend on the training data, so they are other "
        "words out of domain.",
        "difference: out of domain minus in domain [95 % interval]; corrected p: Holm's, over the "
        "rows of a number",
    )
    return [replace(records_table("In domain and out of domain", shown), notes=notes)]


def _difference(row: DomainRow) -> str:
    shown = [points(value, row.metric) for value in (row.difference, row.low, row.high)]
    return shown[0] if row.low is None else f"{shown[0]} [{shown[1]}, {shown[2]}]"


def recipes_document(records: Sequence[Record]) -> Document:
    """One row per recipe, then one row per option."""
    shown = [
        {"recipe": recipe["name"], "runs here": _where(recipe), "what it is": recipe["about"]}
        for recipe in records
    ]
    options = [
        {
            "recipe": recipe["name"],
            "option": option["name"],
            "default": "–" if option["default"] is None else str(option["default"]),
            "what it is": _meaning(option),
        }
        for recipe in records
        for option in recipe["options"]
    ]
    tables = [records_table("Recipes", shown)]
    tables += [records_table("Options", options)] if options else []
    data = {"recipes": list(map(dict, records))}
    return Document(tables, data, list(map(dict, records)))


def _where(recipe: Record) -> str:
    if recipe["runs_here"]:
        return "yes"
    package = f"nerscope[{recipe['extra']}]" if recipe["extra"] else " ".join(recipe["missing"])
    return f"no: pip install '{package}'"


def _meaning(option: Record) -> str:
    choices = f" ({', '.join(map(str, option['choices']))})" if option["choices"] else ""
    return f"{option['about']}{choices}"
