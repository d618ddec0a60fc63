"""Comparisons as tables: differences, who wins where, tough mentions head to head."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from nerscope.corpus.units import ALL
from nerscope.errors import plural
from nerscope.facets.tmr import TMR
from nerscope.render.document import (
    UNDEFINED,
    Cell,
    Document,
    Table,
    p_text,
    p_words,
    points,
    records_table,
    score,
)
from nerscope.render.mentions import marked_lines
from nerscope.render.over_datasets import better_text, over_answers, over_datasets_tables
from nerscope.render.ranking import leading_ranking
from nerscope.render.tables import SPARSE, USUAL_MATCHES
from nerscope.results.changes import BROKEN, FIXED, ChangeRow, change_counts
from nerscope.results.compare import (
    ABOUT_OUTPUTS,
    ABOUT_RECIPES,
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
from nerscope.results.over_datasets import RunsRow
from nerscope.results.results import Results
from nerscope.results.rows import ComparisonRow, or_nan, scale_of
from nerscope.scoring.cluster_units import is_crossed, unit_noun, units_in_words
from nerscope.scoring.matching import EXACT
from nerscope.scoring.metrics import RECALL

_MOST_PLACES = 12  # that are shown unasked, of all pairs together
_MOST_ANSWERS = 12  # of more pairs, only those that are decided are named
_MOST_CONDITIONS = 4  # answers with a second line that says what they rest on
_LOW_POWER = 0.5  # below it, significant answers say how far they may mislead
_FEWEST_PLACES = 3  # of a pair; with so many pairs that fewer would fit, none are shown


def comparison_document(
    comparison: Comparison,
    signature: str,
    cells: bool = False,
    sparse: float = SPARSE,
    mentions: Mapping[str, int] | None = None,
) -> Document:
    """Which system is better, and where; with `cells`, a table of every number compared.

    `mentions` are the gold mentions of each dataset, of which `sparse` is a share.
    """
    lines = list[str]()
    if cells:
        comparison = replace(comparison, by_cell=True)
        duel = head_to_head(comparison.rows, sparse, mentions)
        tables = [tally_table(comparison.rows), *([duel] if duel else [])]
        tables += difference_tables(comparison.rows, comparison.settings)
    else:
        pairs = _pairs(comparison.rows)
        lines = [line for pair in pairs for line in _nothing_tested(comparison, pair)]
        most = _MOST_PLACES // max(1, len(pairs))  # so that all pairs together fit a screen
        tables = [table for pair in pairs for table in _where_tables(comparison, pair, most)]
        lines += _any_star(comparison) if tables else []
    # The signature says how the numbers were tested, then how they were computed.
    about = "|".join(f"{key}:{value}" for key, value in comparison.settings.items())
    return Document(
        [*over_tables(comparison), *tables],
        comparison.as_dict(),
        records=comparison.rows,
        lines=lines,
        hints=[] if cells else ["more: --all for every cell; --facet, --metric, --match, --type"],
        leading=leading_ranking(comparison),
        opening=answers(comparison),
        notes=comparison.notes,
        signature=f"{about}|{signature}",
    )


def _any_star(comparison: Comparison) -> list[str]:
    """How likely any star is though nothing differs."""
    if comparison.any_star is None:
        return []
    share = f"{100 * comparison.any_star:.1f} %"
    return [f"if nothing differed, a star would stand somewhere above in {share} of cases"]


def _pairs(rows: Sequence[ComparisonRow]) -> list[tuple[str, str]]:
    return list(dict.fromkeys(row.pair for row in rows))


def answers(comparison: Comparison) -> list[str]:
    """One sentence per pair: over all datasets, then on each dataset.

    Splits of one corpus are not answered one by one: together they are one question.
    """
    over = over_answers(comparison)
    if over and comparison.protocol and comparison.protocol.are_splits:
        return [*over, f"{_about(comparison)}; each split by itself: --all"]
    return [*over, *_each_answer(comparison)]


def _each_answer(comparison: Comparison) -> list[str]:
    """The answers of single datasets."""
    several = len({row.dataset for row in comparison.rows}) > 1
    lines, tested = list[str](), [row for row in comparison.primary if row.difference is not None]
    is_cut = len(tested) > _MOST_ANSWERS
    for row in [row for row in tested if not is_cut or is_significant(row.p_corrected)]:
        place = f"{row.dataset}: " if several else ""
        lines.append(f"{place}{_answer(row, comparison.settings)}")
        if len(tested) <= _MOST_CONDITIONS:
            lines.append(f"  {_conditions(row, comparison.settings)}")
            lines += [f"  {line}" for line in _misleading(row)]
    if is_cut:
        lines.append(f"{len(tested) - len(lines)} of {len(tested)} pairs: undecided")
    if len(tested) > _MOST_CONDITIONS:
        lines.append(_about(comparison))
    return lines


def _misleading(row: ComparisonRow) -> list[str]:
    """How far a significant answer may mislead, where the test rarely finds a plausible difference.

    Errors of type S and type M (Gelman and Carlin 2014).
    """
    power, size = row.plausible_power, row.exaggeration
    if power is None or size is None or power >= _LOW_POWER or not is_significant(row.p_corrected):
        return []
    nearest = scale_of(row.metric) * min(abs(or_nan(row.low)), abs(or_nan(row.high)))
    if nearest > or_nan(row.plausible):  # the data rule so small a difference out
        return []
    wrong = f"{100 * or_nan(row.wrong_sign):.2g} %"
    points = f"{row.plausible:g} point{'' if row.plausible == 1 else 's'}"
    return [
        f"careful: if the true difference were {points}, {100 * power:.0f} % of such comparisons "
        f"would be significant: {size:.1f} times too large on average, {wrong} of them with the "
        "wrong sign"
    ]


_ALLOWS_FOR_RUNS = "interval and p allow for other training runs"
_SPOKEN_OF = {
    ABOUT_OUTPUTS: "about these outputs alone",
    ABOUT_RECIPES: f"about the methods: {_ALLOWS_FOR_RUNS}",
}


def _about(comparison: Comparison) -> str:
    """What the answers speak of, and what is resampled, in one line."""
    kinds = sorted({row.about for row in comparison.primary}, reverse=True)
    spoken = [
        _SPOKEN_OF[kind] + (" (one run each)" if len(kinds) > 1 and kind == ABOUT_OUTPUTS else "")
        for kind in kinds
    ]
    units = units_in_words(comparison.settings["resample"])
    return f"{'; '.join(spoken)}; resampled: {units}"


def _answer(row: ComparisonRow, settings: Mapping[str, Any]) -> str:
    """Which system is better, by how much, and the test; the better one is named first."""
    metric, difference = row.metric, or_nan(row.difference)
    verdict = standing(metric, difference, row.p_corrected)
    names, values = row.pair, (row.a, row.b)
    bounds = None if row.low is None or row.high is None else (row.low, row.high)
    if verdict == LOSS:  # B is better: the sentence takes its side
        names, values, difference = names[::-1], values[::-1], -difference
        bounds = bounds and (-bounds[1], -bounds[0])
    interval = f" [{', '.join(points(bound, metric) for bound in bounds)}]" if bounds else ""
    return (
        f"{_verdict_text(row, settings, names, verdict)}: {metric} "
        f"{score(values[0], metric)} against {score(values[1], metric)}, "
        f"difference {points(difference, metric)}{interval}, "
        f"{_tested(row, settings)}, n = {row.n:,}"
    )


def _verdict_text(
    row: ComparisonRow, settings: Mapping[str, Any], names: tuple[str, ...], verdict: str
) -> str:
    equivalent = is_significant(row.p_equivalent)
    within = f"within {settings['margin']} points" if equivalent else ""
    if verdict in (WIN, LOSS):
        text = better_text(names[0], names[1], row.about)
        return f"{text}, though equivalent {within}" if equivalent else text
    return f"{names[0]} and {names[1]}: " + (f"equivalent {within}" if equivalent else "undecided")


def _tested(row: ComparisonRow, settings: Mapping[str, Any]) -> str:
    """The p-values of an answer: plain, corrected if that differs, and of equivalence."""
    if row.p is None:
        text = f"not tested ({row.untested})"
    else:
        text = f"p {p_words(row.p)}"
        if p_text(row.p) != p_text(row.p_corrected):
            text += f" (corrected: {p_text(row.p_corrected)})"
    if row.p_equivalent is not None:
        text += f", p of equivalence {p_words(row.p_equivalent)}"
    return text


def _conditions(row: ComparisonRow, settings: Mapping[str, Any]) -> str:
    """What an answer rests on: clusters that differ, runs, the detectable difference."""
    noun = "cluster" if "+" in settings["resample"] else unit_noun(settings["resample"])
    units = plural(row.clusters, noun).partition(" ")[2]  # "3 documents" gives "documents"
    units = f"groups of {units}" if row.clusters > MOST_UNPOOLED else units
    clusters = f"{row.clusters:,} {units}"
    verb = "differs" if row.differing == 1 else "differ"
    facts = [_spoken_of(row), f"{row.differing:,} of {clusters} {verb}"]
    if is_crossed(settings["resample"]):
        facts.append("mentions of one text are a cluster, too")
    if row.clusters < FEW_CLUSTERS:
        facts.append(f"rough: fewer than {FEW_CLUSTERS}")
    least, scale = row.detectable, scale_of(row.metric)
    if least is not None:
        size = f"a true difference of {scale * least:.2f}" + (" points" if scale == 100 else "")
        shown = size if least < 1 or scale == 1 else "no true difference"
        facts.append(f"this test set detects {shown} with 80 % power")
    return "; ".join(facts)


def _spoken_of(row: ComparisonRow) -> str:
    if row.runs_a is None or row.runs_b is None:
        return _SPOKEN_OF[row.about]
    runs = f"{len(row.runs_a)} and {len(row.runs_b)} runs"
    return f"about the methods ({runs}): {_ALLOWS_FOR_RUNS}"


def over_tables(comparison: Comparison) -> list[Table]:
    """The tables over runs and over datasets."""
    runs = [_run_record(row, comparison.stochastic_order) for row in comparison.over_runs()]
    tables = []
    if 0 < len(runs) <= _MOST_CONDITIONS:  # JSON has those of many pairs
        notes = ["next run: how likely A's next run beats B's next one", *_order_notes(comparison)]
        tables.append(records_table("Runs", runs, notes))
    return [*tables, *over_datasets_tables(comparison)]


def _order_notes(comparison: Comparison) -> list[str]:
    """What almost stochastic order is, and its measured error (studies/stochastic_order.py)."""
    if not comparison.stochastic_order:
        return []
    return [
        "ε: almost stochastic order, 0 if A is ahead at every quantile, 1 if B is",
        "in simulations of equal systems with 10 to 30 runs, the interval of ε excludes 0.5 in "
        "25 to 31 %, where 5 % would be right: it describes these runs, and is not a test",
    ]


def _run_record(row: RunsRow, stochastic_order: bool) -> dict[str, str]:
    def bounded(value: float | None, low: float | None, high: float | None) -> str:
        if value is None:
            return UNDEFINED
        return f"{value:.2f}" + ("" if low is None else f" [{low:.2f}, {high:.2f}]")

    return {
        "dataset": row.dataset,
        "A": row.system_a,
        "B": row.system_b,
        "runs of A": " ".join(score(value, row.metric) for value in row.runs_a),
        "runs of B": " ".join(score(value, row.metric) for value in row.runs_b),
        "next run": bounded(row.next_run_better, row.next_run_low, row.next_run_high),
    } | (
        {"ε": bounded(row.violation, row.violation_low, row.violation_high)}
        if stochastic_order
        else {}
    )


def _sureness(row: ComparisonRow) -> tuple[float, float, float]:
    # Corrected p-values tie often, as all at 1.0: then the plain one and the size decide.
    return or_nan(row.p_corrected), or_nan(row.p), -abs(or_nan(row.difference))


def _where_tables(comparison: Comparison, pair: tuple[str, str], most: int) -> list[Table]:
    """The levels, and the types, on which the systems differ most surely."""
    if most < _FEWEST_PLACES:
        return []
    pair_rows = [row for row in comparison.rows if row.pair == pair]
    tables = []
    for family, title in ((WHERE, "where"), (TYPES, "by type")):
        compared = [row for row in pair_rows if row.family == family and row.difference is not None]
        rows = [row for row in compared if row.p is not None]
        if not rows:
            continue
        ranked = sorted(rows, key=_sureness)  # the most significant first
        shown = ranked[:most]
        several = len({row.dataset for row in comparison.rows}) > 1
        table = difference_tables(shown, comparison.settings, several)[0]
        sure = sum(is_significant(row.p_corrected) for row in rows)
        notes = (
            f"* p below {SIGNIFICANT} after correction over the {len(rows)} of this family: {sure}",
            *([f"{len(rows) - len(shown)} more: --all"] if len(rows) > len(shown) else []),
            *_untested_note(compared),
        )
        name = f"{pair[0]} against {pair[1]}, {title}"
        tables.append(Table(name, table.header, table.rows, notes))
    return tables


def _nothing_tested(comparison: Comparison, pair: tuple[str, str]) -> list[str]:
    """A line for a pair of which no level could be tested."""
    pair_rows = [row for row in comparison.rows if row.pair == pair]
    places = [row for row in pair_rows if row.family == WHERE and row.difference is not None]
    if not places or any(row.p is not None for row in places):
        return []
    return [
        f"{pair[0]} against {pair[1]}, where: none of {len(places)} places was tested, because "
        f"the systems differ too little to reach p < {SIGNIFICANT}"
    ]


def _untested_note(rows: Sequence[ComparisonRow]) -> list[str]:
    untested = sum(row.p is None for row in rows)
    if not untested:
        return []
    return [f"– {untested} not tested: the systems differ too little to reach p < {SIGNIFICANT}"]


def changes_document(results: Results, a: str, b: str, width: int = 100) -> Document:
    """What changed from A to B: counts by type and level, and each mention in its sentence."""
    counts = change_counts(results, a, b)
    listed = [change for change in results.changes(a, b) if change.change in (FIXED, BROKEN)]
    table = records_table(f"From {a} to {b}: mentions by facet and level", counts)
    lines = [line for change in listed for line in (*_change_lines(change, a, b, width), "")]
    data = {"counts": counts, "mentions": listed}
    return Document([table], data, records=listed, lines=lines)


def _change_lines(row: ChangeRow, a: str, b: str, width: int) -> list[str]:
    """One mention: gold above its words, and below them what each system predicts."""
    head = f"{row.place}  {row.change}"
    answers = [f"  {name}: {answer or 'nothing'}" for name, answer in ((a, row.a), (b, row.b))]
    if row.tokens is None:
        return [head, f"  gold: {row.type}", *answers]
    span = (row.start, row.end, row.type)
    return [head, *marked_lines(row.tokens, span, None, width), *answers]


# Mentions are seen or unseen-any; the table shows all levels but the easy one.
_SEEN, _UNSEEN = "seen", "unseen-any"
_TOUGH_LEVELS = tuple(name for name in TMR.level_codes if name != _SEEN)


def difference_tables(
    rows: Sequence[ComparisonRow], settings: Mapping[str, Any], several: bool | None = None
) -> list[Table]:
    """One table per pair: every number with both values, the difference, its interval and p."""
    tables = []
    if several is None:
        several = len({row.dataset for row in rows}) > 1
    for a, b in dict.fromkeys(row.pair for row in rows):
        pair_rows = [row for row in rows if row.pair == (a, b)]
        body = [_difference_cells(row, several) for row in pair_rows]
        header = (
            *(["dataset"] if several else []),
            *("cell", "metric", a, b, "difference", _interval_title(settings)),
            *("p", "corrected p", "n", "differ"),
        )
        tested = sum(row.p is not None for row in pair_rows)
        notes = [f"* p below {SIGNIFICANT} after correction within its family; {tested} tested"]
        notes += _untested_note([row for row in pair_rows if row.difference is not None])
        notes.append(
            f"differ: the {units_in_words(settings['resample'])} in which the systems differ"
        )
        tables.append(Table(f"{a} against {b}", header, tuple(body), tuple(notes)))
    return tables


def _interval_title(settings: Mapping[str, Any]) -> str:
    return "95 % together" if "intervals" in settings else "95 % interval"


def _difference_cells(row: ComparisonRow, several: bool) -> tuple[Cell, ...]:
    place = row.facet + ("" if row.level == ALL else f"={row.level}")
    usual = row.match in USUAL_MATCHES
    metric = row.metric
    low, high = points(row.low, metric), points(row.high, metric)
    return (
        *([Cell(row.dataset)] if several else []),
        Cell(place + (f" {row.type}" if row.type else "")),
        Cell(row.metric if usual else f"{row.match} {row.metric}"),
        Cell(score(row.a, metric)),
        Cell(score(row.b, metric)),
        Cell(points(row.difference, metric), best=is_significant(row.p_corrected)),
        Cell(UNDEFINED if row.low is None else f"[{low}, {high}]"),
        Cell(p_text(row.p)),
        Cell(p_text(row.p_corrected)),
        Cell(f"{row.n:,}"),
        Cell(f"{row.differing:,}"),
    )


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
    notes = (f"a win is a difference whose corrected p is below {SIGNIFICANT}",)
    return Table(
        "Wins and losses over the cells shown",
        ("system", "against", "wins", "losses", "undecided"),
        body,
        notes,
    )


def head_to_head(
    rows: Sequence[ComparisonRow],
    sparse: float = SPARSE,
    mentions: Mapping[str, int] | None = None,
) -> Table | None:
    """Who has the higher recall on each subset of tough mentions, and on each type of it if types
    were compared; N/A where the subset holds too few of all mentions to tell.

    `mentions` are the gold mentions of each dataset; by default those of the types compared.
    """
    recall = [row for row in rows if row.metric == RECALL and row.match == EXACT]
    kinds = {row.type for row in recall if row.facet == TMR.name}
    if not kinds:
        return None
    groups: dict[tuple[str, tuple[str, str]], dict[str | None, _RowsByLevel]] = {}
    for row in (row for row in recall if row.type in kinds):
        by_type = groups.setdefault((row.dataset, row.pair), {})
        by_type.setdefault(row.type, {})[row.facet, row.level] = row
    has_types = kinds != {None}
    body = list[tuple[Cell, ...]]()
    for (dataset, pair), by_type in groups.items():
        least = sparse * ((mentions or {}).get(dataset) or _n_mentions(by_type))
        for kind in sorted(by_type, key=lambda kind: kind or ""):
            names = (dataset, kind or ALL) if has_types else (dataset,)
            body += _duel(names, pair, by_type[kind], least)
    texts = {cell.text for row in body for cell in row}
    notes = ["✓ higher recall", f"* significantly so (corrected p below {SIGNIFICANT})"]
    notes += [f"N/A: under {sparse:.0%} of all mentions"] if "N/A" in texts else []
    notes += ["– not among the cells compared"] if UNDEFINED in texts else []
    header = ("dataset", *(["type"] if has_types else []), "system", ALL, *_TOUGH_LEVELS)
    return Table("Tough mentions, head to head", header, tuple(body), tuple(notes))


_RowsByLevel = dict[tuple[str, str], ComparisonRow]


def _duel(
    names: tuple[str, ...], pair: tuple[str, str], cells: _RowsByLevel, least: float
) -> list[tuple[Cell, ...]]:
    """The lines of two systems: which of them is ahead on each subset."""
    shown = [cells.get((ALL, ALL)), *(cells.get((TMR.name, level)) for level in _TOUGH_LEVELS)]
    return [
        (*map(Cell, names), Cell(name), *(_winner(cell, sign, least) for cell in shown))
        for name, sign in zip(pair, (1, -1), strict=True)
    ]


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
