"""Scores by type, laid out as seqeval's report."""

from nerscope.corpus.units import ALL
from nerscope.render.document import Cell, Table, metric_title, percent
from nerscope.render.number_index import SummaryIndex, overall_key, overall_match
from nerscope.results.errors import check_system
from nerscope.results.results import Results
from nerscope.scoring.metrics import MACRO, MICRO, RECALL, SCORE_NAMES, WEIGHTED


def report_by_type(results: Results, system: str | None = None) -> Table:
    """Precision, recall, F1 and support of each type, and the averages, for each system."""
    check_system(results, system)
    index = SummaryIndex(results)
    match = overall_match(index)
    named = ["dataset"] if len(index.systems) > 1 else []
    named += ["system"] if system is None and len(results.systems) > 1 else []
    body = []
    for dataset, systems in index.systems.items():
        for name in (name for name in systems if system in (None, name)):
            names = {"dataset": dataset, "system": name}
            lines = _lines(index, dataset, name, match)
            body += [(*(Cell(names[key]) for key in named), *line) for line in lines]
    header = (*named, "type", *map(metric_title, SCORE_NAMES), "support")
    title = "Scores by type" if system is None else f"Scores by type: {system}"
    return Table(title, header, tuple(body), labels=1 + len(named))


def _lines(index: SummaryIndex, dataset: str, system: str, match: str) -> list[tuple[Cell, ...]]:
    types = sorted(name for name in index.values(ALL, "type", match=match) if name is not None)
    prefixes = {f"{average} average": f"{average}_" for average in (MACRO, WEIGHTED)}
    entries = [(name, name, "") for name in types]
    entries += [(f"{MICRO} average", None, "")]
    entries += [(label, None, prefix) for label, prefix in prefixes.items()]
    lines = []
    for label, type, prefix in entries:
        keys = [overall_key(match, f"{prefix}{metric}", type) for metric in SCORE_NAMES]
        rows = [index.row(dataset, system, key) for key in keys]
        support = index.row(dataset, system, overall_key(match, RECALL, type))
        texts = [percent(None if row is None else row.value) for row in rows]
        size = Cell(f"{support.n if support else 0:,}")
        lines.append((Cell(label), *map(Cell, texts), size))
    return lines
