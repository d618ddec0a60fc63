"""What changed from one system to another: counts, and each mention in its sentence."""

from nerscope.render.document import Cell, Document, Table
from nerscope.render.mentions import marked_lines
from nerscope.results.changes import BROKEN, CHANGES, FIXED, ChangeRow, change_counts
from nerscope.results.results import Results
from nerscope.results.terms import bucket_ranges, cell_words


def changes_document(results: Results, a: str, b: str, width: int = 100) -> Document:
    """What changed from A to B: counts by type and level, and each mention in its sentence."""
    counts = change_counts(results, a, b)
    listed = [change for change in results.changes(a, b) if change.change in (FIXED, BROKEN)]
    ranges = bucket_ranges(results.evidence)
    several = len({row.dataset for row in counts}) > 1
    body = []
    for row in counts:
        interval = ranges.get((row.dataset, row.facet, row.level), "")
        words = cell_words(row.facet, row.level, None, interval)
        numbers = (row.fixed, row.broken, row.both_wrong, row.both_right)
        named = [Cell(row.dataset)] if several else []
        label = Cell(words.phrase, code=words.code)
        body.append((*named, label, *(Cell(f"{number:,}") for number in numbers)))
    header = (*(["dataset"] if several else []), "group", *CHANGES)
    title = f"From {a} to {b}: gold mentions by what became of them"
    table = Table(title, header, tuple(body), labels=1 + several)
    lines = [line for change in listed for line in (*_change_lines(change, a, b, width), "")]
    data = {"counts": counts, "mentions": listed}
    return Document([table], data, records=listed, lines=lines)


def _change_lines(row: ChangeRow, a: str, b: str, width: int) -> list[str]:
    """One mention: gold above its words, and below them what each system predicts."""
    head = f"{row.place}  {row.change}"
    predicted = [f"  {name}: {text or 'nothing'}" for name, text in ((a, row.a), (b, row.b))]
    if row.tokens is None:
        return [head, f"  gold: {row.type}", *predicted]
    span = (row.start, row.end, row.type)
    return [head, *marked_lines(row.tokens, span, None, width), *predicted]
