"""The ranking of systems as a table: one line per system."""

from collections.abc import Sequence

from nerscope.errors import plural
from nerscope.render.document import Cell, Document, Table, metric_title, score
from nerscope.results.compare import ABOUT_RECIPES, SIGNIFICANT, Comparison
from nerscope.results.ranking import RankingRow, required_ranking
from nerscope.scoring.matching import USUAL_MATCHES
from nerscope.scoring.metrics import metric_named

FEWEST_RANKED = 3  # two systems are one pair, which is answered in a sentence
_MOST_CHANCES = 8  # systems, of which the chance of every rank is shown


def ranking_document(comparison: Comparison, signature: str) -> Document:
    """The ranking alone: over datasets, then on each of them."""
    rows = required_ranking(comparison.ranking)
    return Document(
        [_table(board, _are_splits(comparison), every_rank=True) for board in _boards(rows)],
        {"settings": comparison.settings, "notes": comparison.notes, "ranking": rows},
        records=[_record(row) for row in rows],
        notes=comparison.notes,
        signature=signature,
    )


def leading_ranking(comparison: Comparison) -> list[Table]:
    """The ranking that stands above a comparison of three systems or more: the one over datasets,
    where there is one.
    """
    boards = _boards(comparison.ranking)[:1]
    are_splits = _are_splits(comparison)
    return [_table(board, are_splits) for board in boards if len(board) >= FEWEST_RANKED]


def _are_splits(comparison: Comparison) -> bool:
    return comparison.protocol is not None and comparison.protocol.are_splits


def _boards(rows: Sequence[RankingRow]) -> list[list[RankingRow]]:
    """The rows of the mean over datasets, and of each dataset."""
    boards: dict[str | None, list[RankingRow]] = {}
    for row in rows:
        boards.setdefault(row.dataset, []).append(row)
    return list(boards.values())


def _record(row: RankingRow) -> dict[str, object]:
    """A row for CSV: groups as one text, and a column for each rank."""
    plain = row.as_dict()
    chances = plain.pop("probabilities")
    plain["groups"] = " ".join(row.groups)
    return plain | {f"p_rank_{rank}": chance for rank, chance in enumerate(chances, 1)}


def _table(rows: Sequence[RankingRow], are_splits: bool, every_rank: bool = False) -> Table:
    first = rows[0]
    over_splits = are_splits and first.dataset is None
    where = first.dataset or f"mean over {'splits' if over_splits else 'datasets'}"
    match = "" if first.match in USUAL_MATCHES else f", {first.match} match"
    phrase = metric_named(first.metric).phrase or metric_title(first.metric)
    ranks = range(1, len(rows) + 1)
    shown = ranks if every_rank and len(rows) <= _MOST_CHANCES else ranks[:1]
    header = (
        *("rank", "system", metric_title(first.metric), "group", "95 % interval"),
        *("ranks (95 %)", *(f"P({rank})" for rank in shown)),
    )
    body = tuple(_cells(row, len(shown)) for row in rows)
    title = f"Ranking by {phrase}{match}: {where}"
    return Table(title, header, body, _notes(rows, len(shown), over_splits), labels=2)


def _cells(row: RankingRow, n_chances: int) -> tuple[Cell, ...]:
    bounds = "–"
    if row.low is not None and row.high is not None:
        bounds = f"[{score(row.low, row.metric)}, {score(row.high, row.metric)}]"
    ranks = f"{row.rank_low}–{row.rank_high}" if row.rank_low < row.rank_high else str(row.rank_low)
    return (
        Cell(str(row.rank)),
        Cell(row.system),
        Cell(score(row.value, row.metric)),
        Cell("".join(row.groups), is_superscript=True),
        Cell(bounds),
        Cell(ranks),
        *(Cell(_chance(chance)) for chance in row.probabilities[:n_chances]),
    )


def _chance(chance: float) -> str:
    """A probability in percent; only an exact one is 0 or 100.

    >>> _chance(0.001), _chance(0.999), _chance(1.0), _chance(0.25)
    ('<1', '>99', '100', '25')
    """
    if 0 < chance < 0.01:
        return "<1"
    return ">99" if 0.99 < chance < 1 else f"{100 * chance:.0f}"


def _notes(rows: Sequence[RankingRow], n_chances: int, over_splits: bool) -> tuple[str, ...]:
    significance = f"corrected p ≥ {SIGNIFICANT}"
    rank = "1" if n_chances == 1 else "k"
    notes = [
        f"group: systems with a common letter do not differ ({significance})",
        f"ranks (95 %): where the rank lies with 95 % probability; P({rank}): probability of rank "
        f"{rank}, in percent",
        _scope(rows, over_splits),
    ]
    if any(len(row.groups) and len(row.groups[0]) > 1 for row in rows):
        notes.append("a letter with a number, such as a2, is one group")
    return tuple(notes)


def _scope(rows: Sequence[RankingRow], over_splits: bool) -> str:
    if over_splits:
        return "about the methods: each split has its own training run"
    if rows[0].about != ABOUT_RECIPES:
        return "one run each: other training runs may rank differently"
    fewest, most = min(row.runs for row in rows), max(row.runs for row in rows)
    runs = plural(most, "run") + " each" if fewest == most else f"{fewest} to {most} runs"
    text = f"{runs}: ranks and groups allow for other training runs"
    singles = sum(row.runs == 1 for row in rows)
    return f"{text}, except between systems with one run" if singles > 1 < most else text
