"""Comparisons as tables: differences, who wins where, tough mentions head to head."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from nerscope.errors import plural
from nerscope.render.document import Cell, Document, Table, p_text, p_words, points, score, table_of
from nerscope.render.mentions import marked_lines
from nerscope.render.over_datasets import over_answers, over_datasets_tables
from nerscope.render.tables import SPARSE
from nerscope.results.changes import BROKEN, FIXED, change_counts
from nerscope.results.compare import (
    FEW_CLUSTERS,
    LOSS,
    MOST_UNPOOLED,
    SIGNIFICANT,
    TYPES,
    UNDECIDED,
    WHERE,
    WIN,
    Comparison,
    is_significant,
    standing,
)
from nerscope.results.results import Results
from nerscope.results.rows import scale_of

_MOST_PLACES = 12  # that are shown unasked, of all pairs together
_MOST_ANSWERS = 12  # of more pairs, only those that are decided are named
_MOST_CONDITIONS = 4  # answers with a second line that says what they rest on
_FEWEST_PLACES = 3  # of a pair; with so many pairs that fewer would fit, none are shown


def comparison_document(
    found: Comparison, signature: str, cells: bool = False, sparse: float = SPARSE
) -> Document:
    """What a comparison has to say: is one better, then where; with `cells`, everything."""
    lines = list[str]()
    if cells:
        duel = head_to_head(found.rows, sparse)
        tables = [tally_table(found.rows), *([duel] if duel else [])]
        tables += difference_tables(found.rows, found.settings)
    else:
        pairs = _pairs(found.rows)
        lines = [line for pair in pairs for line in _nothing_tested(found, pair)]
        most = _MOST_PLACES // max(1, len(pairs))  # so that all pairs together fit a screen
        tables = [table for pair in pairs for table in _where_tables(found, pair, most)]
    about = "|".join(f"{key}:{value}" for key, value in found.settings.items())
    return Document(
        [*over_tables(found), *tables],
        found.as_dict(),
        records=found.rows,
        lines=lines,
        hints=[] if cells else ["more: --all for every cell; --facet, --metric, --match, --type"],
        opening=answers(found),
        notes=found.notes,
        signature=f"{about}|{signature}",
    )


def _pairs(rows: Sequence[Mapping[str, Any]]) -> list[tuple[str, str]]:
    return list(dict.fromkeys((row["system_a"], row["system_b"]) for row in rows))


def answers(found: Comparison) -> list[str]:
    """Is A better than B, and what could have been shown? Over all datasets, then on each; splits
    of one corpus are no questions of their own.
    """
    over = over_answers(found)
    if over and found.protocol and found.protocol.are_splits:
        return [*over, f"{_about(found)}; each split by itself: --all"]
    return [*over, *_each_answer(found)]


def _each_answer(found: Comparison) -> list[str]:
    """The answers of single datasets."""
    several = len({row["dataset"] for row in found.rows}) > 1
    lines, shown = list[str](), [row for row in found.primary if row["difference"] is not None]
    many = len(shown) > _MOST_ANSWERS
    for row in [row for row in shown if not many or is_significant(row["p_corrected"])]:
        place = f"{row['dataset']}: " if several else ""
        lines.append(f"{place}{_answer(row, found.settings)}")
        if len(shown) <= _MOST_CONDITIONS:
            lines.append(f"  {_conditions(row, found.settings)}")
    if many:
        lines.append(f"{len(shown) - len(lines)} of {len(shown)} pairs: undecided")
    if len(shown) > _MOST_CONDITIONS:
        lines.append(_about(found))
    return lines


def _about(found: Comparison) -> str:
    return f"about {found.settings['about']}, over {found.settings['resample']}s"


def _answer(row: Mapping[str, Any], settings: Mapping[str, Any]) -> str:
    """Who is better, by how much, and how sure that is; the better one is named first."""
    verdict = standing(row["metric"], row["difference"], row["p_corrected"])
    names, values = (row["system_a"], row["system_b"]), (row["a"], row["b"])
    difference, bounds = row["difference"], (row["low"], row["high"])
    if verdict == LOSS:
        names, values, difference = names[::-1], values[::-1], -difference
        bounds = (None, None) if bounds[0] is None else (-bounds[1], -bounds[0])
    metric = row["metric"]
    low, high = (points(bound, metric) for bound in bounds)
    interval = "" if bounds[0] is None else f" [{low}, {high}]"
    return (
        f"{_told(row, settings, names, verdict)}: {metric} {score(values[0], metric)} against "
        f"{score(values[1], metric)}, difference {points(difference, metric)}{interval}, "
        f"{_tested(row, settings)}, n = {row['n']:,}"
    )


def _told(
    row: Mapping[str, Any], settings: Mapping[str, Any], names: tuple[str, ...], verdict: str
) -> str:
    better = verdict in (WIN, LOSS)
    equivalent = is_significant(row.get("p_equivalent"))
    within = f"within {settings['margin']} points" if equivalent else ""
    if better:
        said = f"{names[0]} is better than {names[1]}"
        return f"{said}, though equivalent {within}" if equivalent else said
    return f"{names[0]} and {names[1]}: " + (f"equivalent {within}" if equivalent else "undecided")


def _tested(row: Mapping[str, Any], settings: Mapping[str, Any]) -> str:
    """The p-values of an answer: as it is, corrected if that is another, and of equivalence."""
    if row["p"] is None:
        said = f"not tested ({row['untested']})"
    else:
        said = f"p {p_words(row['p'])}"
        if p_text(row["p"]) != p_text(row["p_corrected"]):
            said += f" ({settings['correction']}: {p_text(row['p_corrected'])})"
    if row.get("p_equivalent") is not None:
        said += f", p of equivalence {p_words(row['p_equivalent'])}"
    return said


def _conditions(row: Mapping[str, Any], settings: Mapping[str, Any]) -> str:
    """On what an answer rests, and what it is about."""
    unit = "cluster" if "+" in settings["resample"] else settings["resample"]
    units = plural(row["clusters"], unit).partition(" ")[2]
    units = f"groups of {units}" if row["clusters"] > MOST_UNPOOLED else units
    whole = f"{row['clusters']:,} {units}"
    verb = "differs" if row["differing"] == 1 else "differ"
    parts = [f"{row['differing']:,} of {whole} {verb}"]
    if row["clusters"] < FEW_CLUSTERS:
        parts.append(f"rough: fewer than {FEW_CLUSTERS}")
    if row.get("runs_a") is not None:
        parts.append(f"about recipes, {len(row['runs_a'])} and {len(row['runs_b'])} runs")
    least, scale = row["detectable"], scale_of(row["metric"])
    if least is not None:
        parts.append(
            f"a true difference of {scale * least:.2f} would be found (80 %)"
            if least < 1 or scale == 1
            else "no difference would be found (80 %)"
        )
    return "; ".join(parts)


def over_tables(found: Comparison) -> list[Table]:
    """What single runs say, and several datasets."""
    runs = [_run_record(one) for one in found.over_runs()]
    tables = []
    if 0 < len(runs) <= _MOST_CONDITIONS:  # of many pairs, JSON has them
        note = (
            "next run: how likely A's next run beats B's next one; ε: almost stochastic order, "
            "0 if A is ahead at every quantile, 1 if B is"
        )
        tables.append(replace(table_of("Runs", runs), notes=(note,)))
    return [*tables, *over_datasets_tables(found)]


def _run_record(one: Mapping[str, Any]) -> dict[str, Any]:
    def bounded(value: str, low: str, high: str) -> str:
        if one[value] is None:
            return "–"
        return f"{one[value]:.2f}" + (
            "" if one[low] is None else f" [{one[low]:.2f}, {one[high]:.2f}]"
        )

    return {
        "dataset": one["dataset"],
        "A": one["system_a"],
        "B": one["system_b"],
        "runs of A": " ".join(score(value, one["metric"]) for value in one["runs_a"]),
        "runs of B": " ".join(score(value, one["metric"]) for value in one["runs_b"]),
        "next run": bounded("next_run_better", "next_run_low", "next_run_high"),
        "ε": bounded("violation", "violation_low", "violation_high"),
    }


def _sureness(row: Mapping[str, Any]) -> tuple[float, float, float]:
    return row["p_corrected"], row["p"], -abs(row["difference"])


def _where_tables(found: Comparison, pair: tuple[str, str], most: int) -> list[Table]:
    """The levels, and the types, on which the systems differ most surely."""
    if most < _FEWEST_PLACES:
        return []
    own = [row for row in found.rows if (row["system_a"], row["system_b"]) == pair]
    tables = []
    for family, title in ((WHERE, "where"), (TYPES, "by type")):
        asked = [row for row in own if row["family"] == family and row["difference"] is not None]
        rows = [row for row in asked if row["p"] is not None]
        if not rows:
            continue
        ranked = sorted(rows, key=_sureness)
        shown = ranked[:most]
        several = len({row["dataset"] for row in found.rows}) > 1
        table = difference_tables(shown, found.settings, several)[0]
        sure = sum(is_significant(row["p_corrected"]) for row in rows)
        notes = (
            f"* p below {SIGNIFICANT} after correction over the {len(rows)} of this family: {sure}",
            *([f"{len(rows) - len(shown)} more: --all"] if len(rows) > len(shown) else []),
            *_untested_note(asked),
        )
        name = f"{pair[0]} against {pair[1]}, {title}"
        tables.append(Table(name, table.header, table.rows, notes))
    return tables


def _nothing_tested(found: Comparison, pair: tuple[str, str]) -> list[str]:
    """Said where no place of a pair could be tested."""
    own = [row for row in found.rows if (row["system_a"], row["system_b"]) == pair]
    places = [row for row in own if row["family"] == WHERE and row["difference"] is not None]
    if not places or any(row["p"] is not None for row in places):
        return []
    return [
        f"{pair[0]} against {pair[1]}, where: in none of {len(places)} places could anything be "
        "tested, so little differs"
    ]


def _untested_note(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    untested = sum(row["p"] is None for row in rows)
    if not untested:
        return []
    return [f"– {untested} not tested: so little differs that no p could fall below {SIGNIFICANT}"]


def changes_document(results: Results, a: str, b: str, width: int = 100) -> Document:
    """What changed from A to B: counts by type and level, and each mention in its sentence."""
    counts = change_counts(results, a, b)
    listed = [one for one in results.changes(a, b) if one["change"] in (FIXED, BROKEN)]
    table = table_of(f"From {a} to {b}: mentions by facet and level", counts)
    lines = [line for one in listed for line in (*_change_lines(one, a, b, width), "")]
    data = {"counts": counts, "mentions": listed}
    return Document([table], data, records=listed, lines=lines)


def _change_lines(change: Mapping[str, Any], a: str, b: str, width: int) -> list[str]:
    """One mention: gold above its words, and below them what each system said."""
    head = f"{change['place']}  {change['change']}"
    said = [f"  {name}: {change[side] or 'nothing'}" for name, side in ((a, "a"), (b, "b"))]
    if change["tokens"] is None:
        return [head, f"  gold: {change['type']}", *said]
    span = (change["start"], change["end"], change["type"])
    return [head, *marked_lines(change["tokens"], span, None, width), *said]


TMR_LEVELS = ("unseen-any", "unseen-tokens", "unseen-type", "tcm-all", "tcm-seen", "tcm-unseen")


def difference_tables(
    rows: Sequence[Mapping[str, Any]], settings: Mapping[str, Any], several: bool | None = None
) -> list[Table]:
    """One table a pair: every cell with both values, the difference, its interval and p."""
    tables = []
    if several is None:
        several = len({row["dataset"] for row in rows}) > 1
    for a, b in dict.fromkeys((row["system_a"], row["system_b"]) for row in rows):
        own = [row for row in rows if (row["system_a"], row["system_b"]) == (a, b)]
        body = [_difference_cells(row, several) for row in own]
        header = (
            *(["dataset"] if several else []),
            *("cell", "metric", a, b, "difference", _interval_title(settings)),
            *("p", f"p ({settings['correction']})", "n", "differ"),
        )
        tested = sum(row["p"] is not None for row in own)
        notes = [f"* p below {SIGNIFICANT} after correction within its family; {tested} tested"]
        notes += _untested_note([row for row in own if row["difference"] is not None])
        notes.append(f"differ: the {settings['resample']}s in which the systems differ")
        tables.append(Table(f"{a} against {b}", header, tuple(body), tuple(notes)))
    return tables


def _interval_title(settings: Mapping[str, Any]) -> str:
    return "95 % together" if "intervals" in settings else "95 % interval"


def _difference_cells(row: Mapping[str, Any], several: bool) -> tuple[Cell, ...]:
    place = row["facet"] + ("" if row["level"] == "all" else f"={row['level']}")
    usual = row["match"] in ("exact", "bilou", "label", "io")
    metric = row["metric"]
    low, high = points(row["low"], metric), points(row["high"], metric)
    return (
        *([Cell(row["dataset"])] if several else []),
        Cell(place + (f" {row['type']}" if row["type"] else "")),
        Cell(row["metric"] if usual else f"{row['match']} {row['metric']}"),
        Cell(score(row["a"], metric)),
        Cell(score(row["b"], metric)),
        Cell(points(row["difference"], metric), best=is_significant(row["p_corrected"])),
        Cell("–" if row["low"] is None else f"[{low}, {high}]"),
        Cell(p_text(row["p"])),
        Cell(p_text(row["p_corrected"])),
        Cell(f"{row['n']:,}"),
        Cell(f"{row['differing']:,}"),
    )


def tally_table(rows: Sequence[Mapping[str, Any]]) -> Table:
    """How many cells each pair wins, loses and ties."""
    counts: dict[tuple[str, str], Counter[str]] = {}
    for row in rows:
        own = counts.setdefault((row["system_a"], row["system_b"]), Counter())
        if row["p_corrected"] is not None:
            own[standing(row["metric"], row["difference"], row["p_corrected"])] += 1
    body = tuple(
        (Cell(a), Cell(b), *(Cell(str(own[kind])) for kind in (WIN, LOSS, UNDECIDED)))
        for (a, b), own in counts.items()
    )
    notes = (f"a win is a difference whose corrected p is below {SIGNIFICANT}",)
    return Table(
        "Wins and losses over the cells shown",
        ("system", "against", "wins", "losses", "undecided"),
        body,
        notes,
    )


def head_to_head(rows: Sequence[Mapping[str, Any]], sparse: float = SPARSE) -> Table | None:
    """Who has the higher recall on each subset of tough mentions; N/A where the subset is too small
    to tell.
    """
    recall = [
        row
        for row in rows
        if row["metric"] == "recall" and row["match"] == "exact" and row["type"] is None
    ]
    if not any(row["facet"] == "tmr" for row in recall):
        return None
    index = {
        (row["dataset"], row["system_a"], row["system_b"], row["facet"], row["level"]): row
        for row in recall
    }
    body = []
    for dataset, a, b in dict.fromkeys(
        (row["dataset"], row["system_a"], row["system_b"]) for row in recall
    ):
        own = {level: index.get((dataset, a, b, "tmr", level)) for level in ("seen", *TMR_LEVELS)}
        total = sum(row["n"] for level in ("seen", "unseen-any") if (row := own[level]))
        cells = [index.get((dataset, a, b, "all", "all")), *(own[level] for level in TMR_LEVELS)]
        for name, sign in ((a, 1), (b, -1)):
            body.append(
                (
                    Cell(dataset),
                    Cell(name),
                    *(_winner(cell, sign, sparse * total) for cell in cells),
                )
            )
    shown = {cell.text for row in body for cell in row}
    notes = ["✓ higher recall", f"* significantly so (corrected p below {SIGNIFICANT})"]
    notes += [f"N/A: under {sparse:.0%} of all mentions"] if "N/A" in shown else []
    notes += ["– not among the cells compared"] if "–" in shown else []
    return Table(
        "Tough mentions, head to head",
        ("dataset", "system", "all", *TMR_LEVELS),
        tuple(body),
        tuple(notes),
    )


def _winner(row: Mapping[str, Any] | None, sign: int, least: float) -> Cell:
    if row is None:
        return Cell("–")
    if row["n"] < least or row["difference"] is None:
        return Cell("N/A")
    ahead = row["difference"] * sign > 0
    return Cell("✓" if ahead else "", best=ahead and is_significant(row["p_corrected"]))
