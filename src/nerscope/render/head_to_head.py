"""Who wins where: counts of wins, and tough mentions head to head, as the paper has them."""

from collections import Counter
from collections.abc import Mapping, Sequence

from nerscope.corpus.units import ALL
from nerscope.facets.tmr import TMR
from nerscope.render.document import UNDEFINED, Cell, Table
from nerscope.render.tables import SPARSE
from nerscope.results.compare import LOSS, SIGNIFICANT, UNDECIDED, WIN, is_significant, standing
from nerscope.results.rows import ComparisonRow, or_nan
from nerscope.results.terms import cell_words
from nerscope.scoring.matching import EXACT
from nerscope.scoring.metrics import RECALL

# Mentions are seen or unseen-any; the table shows all levels but the easy one.
_SEEN, _UNSEEN = "seen", "unseen-any"
_TOUGH_LEVELS = tuple(name for name in TMR.level_codes if name != _SEEN)
_RowsByLevel = dict[tuple[str, str], ComparisonRow]


def tally_table(rows: Sequence[ComparisonRow]) -> Table:
    """How many cells each pair wins, loses and ties."""
    counts: dict[tuple[str, str], Counter[str]] = {}
    for row in rows:
        counter = counts.setdefault(row.pair, Counter())
        if row.p_corrected is not None:
            counter[standing(row.metric, or_nan(row.difference), row.p_corrected)] += 1
    body = tuple(
        (Cell(a), Cell(b), *(Cell(str(counter[kind])) for kind in (WIN, LOSS, UNDECIDED)))
        for (a, b), counter in counts.items()
    )
    header = ("system", "against", "better", "worse", "no significant difference")
    notes = (f"better, worse: corrected p < {SIGNIFICANT}",)
    return Table("Numbers on which each system is better", header, body, notes, labels=2)


def head_to_head(
    rows: Sequence[ComparisonRow],
    sparse: float = SPARSE,
    mentions: Mapping[str, int] | None = None,
) -> list[Table]:
    """For each pair, who has the higher recall on each subset of tough mentions, and on each type
    of it if types were compared; N/A where the subset holds too few of all mentions to tell.

    `mentions` are the gold mentions of each dataset; by default those of the types compared.
    """
    recall = [row for row in rows if row.metric == RECALL and row.match == EXACT]
    kinds = {row.type for row in recall if row.facet == TMR.name}
    recall = [row for row in recall if row.type in kinds]
    several, has_types = len({row.dataset for row in recall}) > 1, kinds != {None}
    tables = []
    for pair in dict.fromkeys(row.pair for row in recall) if kinds else ():
        by_dataset: dict[str, dict[str | None, _RowsByLevel]] = {}
        for row in (row for row in recall if row.pair == pair):
            by_type = by_dataset.setdefault(row.dataset, {})
            by_type.setdefault(row.type, {})[row.facet, row.level] = row
        body = list[tuple[Cell, ...]]()
        for dataset, by_type in by_dataset.items():
            least = sparse * ((mentions or {}).get(dataset) or _n_mentions(by_type))
            for kind in sorted(by_type, key=lambda kind: kind or ""):
                names = [dataset] * several + [kind or ALL] * has_types
                body += _duel(names, by_type[kind], least)
        texts = {cell.text for line in body for cell in line}
        notes = ["✓ higher recall", f"* significantly higher (corrected p < {SIGNIFICANT})"]
        notes += [f"N/A: less than {100 * sparse:g} % of all mentions"] if "N/A" in texts else []
        notes += ["– not among the numbers compared"] if UNDEFINED in texts else []
        named = ["dataset"] * several + ["type"] * has_types + ["group"]
        title = f"Tough mentions, head to head: {pair[0]} against {pair[1]}"
        tables.append(Table(title, (*named, *pair), tuple(body), tuple(notes), labels=len(named)))
    return tables


def _duel(names: Sequence[str], cells: _RowsByLevel, least: float) -> list[tuple[Cell, ...]]:
    """A line for each subset: which of the two systems is ahead."""
    lines = []
    for facet, level in ((ALL, ALL), *((TMR.name, level) for level in _TOUGH_LEVELS)):
        row, words = cells.get((facet, level)), cell_words(facet, level)
        label = Cell(words.phrase, code="" if level == ALL else level)
        lines.append((*map(Cell, names), label, *(_winner(row, sign, least) for sign in (1, -1))))
    return lines


def _n_mentions(by_type: Mapping[str | None, _RowsByLevel]) -> int:
    # Every mention is either seen or unseen-any, so both together are all of them.
    parts = [by_type[None]] if None in by_type else list(by_type.values())
    keys = [(TMR.name, level) for level in (_SEEN, _UNSEEN)]
    return sum(cells[key].n for cells in parts for key in keys if key in cells)


def _winner(row: ComparisonRow | None, sign: int, least: float) -> Cell:
    if row is None:
        return Cell(UNDEFINED)
    if row.n < least or row.difference is None:
        return Cell("N/A")
    ahead = row.difference * sign > 0
    return Cell("✓" if ahead else "", best=ahead and is_significant(row.p_corrected))
