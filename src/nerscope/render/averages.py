"""The table of means over datasets: of exact scores, or of all measures."""

from collections.abc import Mapping, Sequence
from typing import Any

from nerscope.errors import plural
from nerscope.render.document import UNDEFINED, Cell, Table
from nerscope.render.numbers import metric_title, score
from nerscope.results.protocol import DOMAINS, DRAWN, FIXED, SPLITS
from nerscope.results.results import Results

_Record = Mapping[str, Any]
_SCORES = ("precision", "recall", "f1")
# Of each facet, what is shown beside exact scores.
_MEASURES = {"all": ("f1",), "tmr": ("recall",), "hard": ("ter", "hardeval")}
_FOR_THESE, _FOR_OTHERS = ("these", ""), ("others like them", "_drawn")
_NOTES = {
    SPLITS: "95 % interval: Student's, corrected for the sentences that splits share",
    FIXED: "95 % intervals: for these datasets alone",
    DRAWN: "95 % intervals: for others like these datasets (Student's)",
    DOMAINS: "95 % intervals: for these datasets alone, or for others like them (Student's)",
}
_INTERVALS = {
    SPLITS: [("95 % interval", "")],
    FIXED: [_FOR_THESE],
    DRAWN: [_FOR_OTHERS],
    DOMAINS: [_FOR_THESE, _FOR_OTHERS],
}


def means_table(results: Results, *, exact: bool = False) -> Table | None:
    """The means over datasets of all measures, or only of exact scores; None if there are none."""
    records = [one for one in results.over_datasets() if _is_shown(one, exact)]
    if not records:
        return None
    over = records[0]["over"]
    intervals = _INTERVALS[over]
    most = max(len(one["datasets"]) for one in records)
    body = [_line(one, [suffix for _, suffix in intervals], most) for one in records]
    title = f"Mean over {plural(most, 'split' if over == SPLITS else 'dataset')}"
    header = ("system", "number", "mean", "std", *(name for name, _ in intervals))
    notes = [_NOTES[over], *_left_out(results, records, most)]
    return Table(title, header, tuple(body), tuple(notes))


def _is_shown(one: _Record, exact: bool) -> bool:
    if one["facet"] == "all" and one["match"] == "exact":
        return one["metric"] in _SCORES
    return not exact and one["metric"] in _MEASURES.get(one["facet"], ())


def _line(one: _Record, suffixes: list[str], most: int) -> tuple[Cell, ...]:
    """A mean; (k) if it rests on k datasets only."""
    metric = one["metric"]
    bounds = [(one[f"low{suffix}"], one[f"high{suffix}"]) for suffix in suffixes]
    fewer = "" if len(one["datasets"]) == most else f" ({len(one['datasets'])})"
    return (
        Cell(one["system"]),
        Cell(_number(one)),
        Cell(score(one["value"], metric) + fewer),
        Cell(score(one["std"], metric)),
        *(
            Cell(UNDEFINED if None in pair else f"[{', '.join(score(b, metric) for b in pair)}]")
            for pair in bounds
        ),
    )


def _number(one: _Record) -> str:
    title = metric_title(one["metric"])
    if one["facet"] == "all":
        return title if one["match"] == "exact" else f"{one['match']} {title}"
    return f"{one['facet']}={one['level']} {title}"


def _left_out(results: Results, records: Sequence[_Record], most: int) -> list[str]:
    """Which datasets the means rest on, if some are missing."""
    named = next(one["datasets"] for one in records if len(one["datasets"]) == most)
    fewer = [f"over {', '.join(named)}: the others lack a system or a number"]
    fewer = fewer if len(named) < len(results.evidence) else []
    some = any(len(one["datasets"]) < most for one in records)
    return [*fewer, *(["(k) rests on k of them only"] if some else [])]
