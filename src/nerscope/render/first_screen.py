"""The first screen: how good each system is, where it fails, and what to do next.

It fits a terminal of 80 columns and 40 lines; `results_document` has everything.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

from nerscope.corpus.units import ALL
from nerscope.errors import plural
from nerscope.facets.alignment import ALIGNMENT
from nerscope.facets.facet import FACETS
from nerscope.render.document import (
    OUTPUTS,
    UNDEFINED,
    Cell,
    Document,
    Table,
    metric_title,
    percent,
)
from nerscope.render.layout import SCREEN_LINES
from nerscope.render.means import dataset_table, means_table
from nerscope.render.number_index import NumberKey, SummaryIndex, overall_key, overall_match
from nerscope.render.tables import BEST_NOTE, interval_text, results_document
from nerscope.render.weakest import weakest_table
from nerscope.results.compare import ABOUT_RECIPES, SIGNIFICANT, Comparison, compare
from nerscope.results.error_sums import ErrorKindsRow, error_kinds
from nerscope.results.ranking import RankingRow, ranked_number
from nerscope.results.results import Results
from nerscope.results.selection import narrow_results
from nerscope.results.weakest import FEW_CLUSTERS, OverallScores, WeakSpot
from nerscope.scoring.cluster_units import units_in_words
from nerscope.scoring.matching import EXACT
from nerscope.scoring.metrics import F1, MACRO, PRECISION, SCORE_NAMES
from nerscope.scoring.outcomes import HALLUCINATED, SUMMARY_KINDS, WRONG_BOTH

_MOST_SYSTEMS = 10  # of a ranking
_MOST_LINES = 6  # of systems in the short form


class _Sizes(NamedTuple):
    """How many types, weak groups and systems of a ranking are shown."""

    types: int
    groups: int
    systems: int = _MOST_SYSTEMS


# The first of them with which everything fits the screen is taken.
_SIZES = (
    *(
        _Sizes(*sizes)
        for sizes in ((12, 4), (10, 4), (8, 4), (8, 3), (6, 3), (5, 2), (4, 2), (4, 1))
    ),
    *(_Sizes(4, 1, systems) for systems in (8, 6)),
)


def first_screen(results: Results, path: str | None = None, lines: Sequence[str] = ()) -> Document:
    """What `evaluate` prints, or `show` for results saved under `path`; `lines` are added."""
    content = _Content(results, path, lines)
    document = content.document(_SIZES[0])
    for sizes in _SIZES:
        document = content.document(sizes)
        if OUTPUTS["text"](document).count("\n") <= SCREEN_LINES:
            break
    return document


@dataclass(frozen=True)
class _Content:
    """The facts of a first screen; each is computed once, however often the screen is laid out."""

    results: Results
    path: str | None
    lines: Sequence[str]

    @cached_property
    def index(self) -> SummaryIndex:
        return SummaryIndex(self.results)

    @cached_property
    def scores(self) -> list[OverallScores]:
        return self.results.overall()

    @cached_property
    def comparison(self) -> Comparison | None:
        """All pairs of the best systems by the number that ranks; None if there is no pair."""
        if len(self.results.systems) < 2 or not self.scores:
            return None
        best = self.results  # 35 systems have 595 pairs, which take more than a minute
        if len(self.results.systems) > _MOST_SYSTEMS:
            best = narrow_results(self.results, systems=self.by_f1[:_MOST_SYSTEMS])
        ranked = ranked_number(best)
        compared = compare(best, facets=ranked.facets, metrics=ranked.metrics)
        return compared if compared.ranking else None

    @property
    def by_f1(self) -> list[str]:
        """The systems of the first dataset, the highest F1 first."""
        first = [row for row in self.scores if row.dataset == self.scores[0].dataset]
        return [row.system for row in sorted(first, key=lambda row: -(row.f1.value or 0.0))]

    @cached_property
    def order(self) -> list[str]:
        """The systems, the best first."""
        if self.comparison is None:
            return self.results.systems
        first = self.comparison.ranking[0].dataset
        ranked = [row.system for row in self.comparison.ranking if row.dataset == first]
        return list(dict.fromkeys([*ranked, *self.by_f1, *self.results.systems]))

    @cached_property
    def weakest(self) -> list[WeakSpot]:
        return self.results.weakest(self.order[0])

    @cached_property
    def kinds(self) -> list[ErrorKindsRow]:
        shown = self.order[:2]
        rows = [row for name in shown for row in error_kinds(self.results, name)]
        return rows if len(self.results.evidence) == 1 else []

    @cached_property
    def full(self) -> Document:
        """The notes, records and signature, which do not depend on the layout."""
        document = results_document(self.results, [])
        interval_notes = self.results.interval_notes()
        return replace(
            document,
            notes=list(dict.fromkeys([*document.notes, *interval_notes])),
            every_note=list(dict.fromkeys([*(document.every_note or ()), *interval_notes])),
            lines=self.lines,
            hints=next_steps(self.results, self.path),
        )

    def document(self, sizes: _Sizes) -> Document:
        index = self.index
        tables = list[Table | None]()
        if len(index.systems) > 1:
            tables += [dataset_table(index), means_table(self.results, exact=True)]
        elif not self.scores:
            pass
        elif self.comparison is None and len(self.scores) == 1:
            tables.append(_scores_by_type(index, self.scores[0], sizes.types))
        else:
            tables.append(_ranked_scores(self, sizes.systems))
            tables.append(_best_by_type(index, self.order[:2], sizes.types))
        tables.append(_unaligned_table(index))
        tables.append(_kinds_table(self.kinds))
        if self.weakest:
            spots = self.weakest[: sizes.groups]
            title = f"Weakest groups of {self.order[0]}"
            tables.append(weakest_table(self.results, spots, title, ranked=True))
        return replace(self.full, tables=[table for table in tables if table and table.rows])


def _scores_by_type(index: SummaryIndex, scores: OverallScores, most: int) -> Table:
    """Precision, recall, F1 and support of one system: overall, of each type, and their mean."""
    match = scores.match
    header = ("", *map(metric_title, SCORE_NAMES), "support")
    values = [scores[metric] for metric in SCORE_NAMES]
    body = [
        (Cell("all types"), *(Cell(_with_std(v)) for v in values), Cell(f"{scores.support:,}")),
        (
            Cell("95 % interval"),
            *(Cell(interval_text(v.low, v.high).strip() or UNDEFINED) for v in values),
        ),
    ]
    types = _types_by_support(index, scores.dataset, scores.system, match)
    body += [_type_line(index, scores, name, name, SCORE_NAMES) for name, _ in types[:most]]
    if len(types) > 1:
        macro = [f"{MACRO}_{metric}" for metric in SCORE_NAMES]
        body.append(_type_line(index, scores, "macro average", None, macro))
    title = f"{scores.system} on {scores.dataset}: {_match_phrase(match)}"
    body = [(*row, *[Cell("")] * (len(header) - len(row))) for row in body]
    notes = [_interval_note([scores], index.results), *_cut_note(len(types), most)]
    return Table(title, ("type", *header[1:]), tuple(body), tuple(notes))


def _type_line(
    index: SummaryIndex,
    scores: OverallScores,
    label: str,
    type: str | None,
    metrics: Sequence[str],
) -> tuple[Cell, ...]:
    keys = [overall_key(scores.match, metric, type) for metric in metrics]
    rows = [index.row(scores.dataset, scores.system, key) for key in keys]
    texts = [percent(None if row is None else row.value) for row in rows]
    support = "" if type is None or rows[1] is None else f"{rows[1].n:,}"
    return (Cell(label), *map(Cell, texts), Cell(support))


def _with_std(number: Mapping[str, Any]) -> str:
    std = "" if number["std"] is None else f" ± {percent(number['std'])}"
    return percent(number["value"]) + std


def _match_phrase(match: str) -> str:
    return "exact match" if match == EXACT else f"{match} match"


def _types_by_support(
    index: SummaryIndex, dataset: str, system: str, match: str
) -> list[tuple[str, int]]:
    """The types and their gold mentions, the most frequent first."""
    names = [name for name in index.values(ALL, "type", match=match) if name is not None]
    recall = SCORE_NAMES[1]
    rows = {name: index.row(dataset, system, overall_key(match, recall, name)) for name in names}
    sizes = [(name, row.n if row else 0) for name, row in rows.items()]
    return sorted(sizes, key=lambda item: (-item[1], item[0]))


def _cut_note(total: int, most: int) -> list[str]:
    return [f"{plural(total - most, 'more type')}: --all"] if total > most else []


def _interval_note(scores: Sequence[OverallScores], results: Results) -> str:
    """What the intervals rest on, and what ± is."""
    over = "+".join(dict.fromkeys(row.over for row in scores))
    few = min((row.clusters for row in scores), default=FEW_CLUSTERS)
    rough = f" (rough: only {few})" if few < FEW_CLUSTERS else ""
    text = f"95 % intervals over {units_in_words(over)}{rough}"
    runs = _run_counts(results)
    if max(runs, default=1) > 1:
        text += f"; ± standard deviation over {_range_text(runs)} runs"
    return text


def _run_counts(results: Results) -> list[int]:
    return [len(part.runs_of(system)) for part in results.evidence for system in part.systems]


def _range_text(counts: Sequence[int]) -> str:
    several = [count for count in counts if count > 1]
    low, high = min(several), max(several)
    return str(low) if low == high else f"{low}–{high}"


def _ranked_scores(content: _Content, most: int) -> Table:
    """The systems in order: precision, recall, F1 with its interval, and groups."""
    results, comparison = content.results, content.comparison
    by_system = {row.system: row for row in content.scores}
    ranking = {row.system: row for row in comparison.ranking} if comparison else {}
    names = [name for name in content.order if name in by_system]
    has_runs = max(_run_counts(results)) > 1
    has_groups = len(names) > 2 and bool(ranking)
    body = []
    for name in names[:most]:
        scores, ranked = by_system[name], ranking.get(name)
        low, high = scores.f1.low, scores.f1.high
        body.append(
            (
                Cell(name),
                *(
                    Cell(percent(scores[metric].value), _is_best(content.scores, scores, metric))
                    for metric in SCORE_NAMES
                ),
                Cell(interval_text(low, high).strip()),
                *([Cell(percent(scores.f1.std) if scores.f1.std else "")] if has_runs else []),
                *([_group_cell(ranked)] if has_groups else []),
            )
        )
    header = ("system", *map(metric_title, SCORE_NAMES), "95 % interval of F1")
    header += (("± runs",) if has_runs else ()) + (("group",) if has_groups else ())
    first = content.scores[0]
    title = (
        f"{plural(len(names), 'system')} on {first.dataset}: {_match_phrase(first.match)}, "
        f"{first.support:,} mentions"
    )
    notes = _ranking_notes(content, has_groups)
    if len(names) > most:
        notes.append(f"{len(names) - most} more systems: --all")
    return Table(title, header, tuple(body), tuple(notes))


def _is_best(every: Sequence[OverallScores], scores: OverallScores, metric: str) -> bool:
    values = [row[metric].value for row in every if row[metric].value is not None]
    return len(set(values)) > 1 and scores[metric].value == max(values)


def _group_cell(ranked: RankingRow | None) -> Cell:
    return Cell("".join(ranked.groups) if ranked else "", is_superscript=True)


def _ranking_notes(content: _Content, has_groups: bool) -> list[str]:
    comparison = content.comparison
    notes = [_interval_note(content.scores, content.results), BEST_NOTE]
    if comparison is None:
        return notes
    if has_groups:
        notes.append(
            f"group: of the best {_MOST_SYSTEMS}, a common letter means corrected p ≥ {SIGNIFICANT}"
            if len(content.results.systems) > _MOST_SYSTEMS
            else f"group: systems with a common letter do not differ (corrected p ≥ {SIGNIFICANT})"
        )
    else:
        from nerscope.render.answers import short_answer

        notes += [short_answer(row) for row in comparison.primary]
    if comparison.ranking[0].about != ABOUT_RECIPES:
        notes.append("one run each: other training runs may rank differently")
    return notes


def _best_by_type(index: SummaryIndex, systems: Sequence[str], most: int) -> Table:
    """F1 by type of the best system and the next."""
    dataset, match = next(iter(index.systems)), overall_match(index)
    types = _types_by_support(index, dataset, systems[0], match)
    body = []
    for name, support in types[:most]:
        rows = [index.row(dataset, system, overall_key(match, F1, name)) for system in systems]
        values = [None if row is None else row.value for row in rows]
        best = max((value for value in values if value is not None), default=None)
        differ = len(set(values)) > 1
        cells = [Cell(percent(value), differ and value == best) for value in values]
        body.append((Cell(name), *cells, Cell(f"{support:,}")))
    if not any(index.values(ALL, "type", match=match, metric=F1)):
        body = []
    notes = tuple(_cut_note(len(types), most))
    return Table("F1 by type", ("", *systems, "support"), tuple(body), notes)


_WAYS = (("errors", ALL, ALL), ("nothing (left out)", ALIGNMENT, "aligned"))


def _unaligned_table(index: SummaryIndex) -> Table | None:
    """Scores with and without the mentions that do not fit the tokens of gold, if there are any."""
    body: list[tuple[Cell, ...]] = []
    for dataset, systems in index.systems.items():
        for system in systems:
            key = NumberKey(ALIGNMENT, "unaligned", None, EXACT, PRECISION)
            misfits = index.row(dataset, system, key)
            if misfits is None or not misfits.n:
                continue
            for name, facet, level in _WAYS:
                keys = [NumberKey(facet, level, None, EXACT, metric) for metric in SCORE_NAMES]
                rows = [index.row(dataset, system, key) for key in keys]
                texts = [percent(None if row is None else row.value) for row in rows]
                body.append((Cell(system), Cell(name), *map(Cell, texts), Cell(f"{misfits.n:,}")))
    header = ("system", "counted as", *map(metric_title, SCORE_NAMES), "mentions")
    notes = ("nerscope evaluate … --list unaligned lists them",)
    title = "Predicted mentions that are not in the text or not on token boundaries"
    return Table(title, header, tuple(body), notes, labels=2) if body else None


def _kinds_table(rows: Sequence[ErrorKindsRow]) -> Table | None:
    """How many errors of each kind; hallucinated ones only where there are any."""
    if not rows:
        return None
    kinds = [
        kind
        for kind in SUMMARY_KINDS
        if kind != HALLUCINATED or any(row.kinds[kind] for row in rows)
    ]
    body = tuple(
        (
            Cell(row.system),
            *(Cell(f"{row.kinds[kind]:,.0f}") for kind in kinds),
            Cell(f"{row.errors:,.0f}"),
        )
        for row in rows
    )
    title = "Errors per run" if any(row.runs > 1 for row in rows) else "Errors by kind"
    names = ["both" if kind == WRONG_BOTH else kind for kind in kinds]  # the columns must fit
    return Table(title, ("", *names, "all"), body)


def next_steps(results: Results, path: str | None) -> list[str]:
    """What can be asked of these results next; only what works with them."""
    parts = results.evidence
    commands = ["compare"] if any(len(part.systems) > 1 for part in parts) else []
    commands += [] if any(part.folded and not part.sample for part in parts) else ["errors"]
    commands += ["report"]
    commands += ["diagnose"] if any(part.signature.edges for part in parts) else []
    if path is None:
        text = f"Next: --all shows every table; -o FILE saves the results for {_listed(commands)}."
    else:
        first, *others = [*commands, "show --all"]
        text = f"Next: nerscope {first} {path}; also {_listed(others)}."
    facets = {name for part in parts for name in part.facets if name in FACETS}
    if not any(FACETS[name].needs_train for name in facets):
        text += " --train FILE adds scores on mentions and words not seen in training."
    return [text]


def _listed(words: Sequence[str]) -> str:
    """Words as in a sentence: a, b and c."""
    return " and ".join(part for part in (", ".join(words[:-1]), words[-1]) if part)


def summary_lines(results: Results) -> list[str]:
    """Results in some ten lines: what was evaluated, the scores, and what can be asked."""
    lines = [f"nerscope results: {len(results.rows):,} rows"]
    scores = results.overall()
    for row in scores[:_MOST_LINES]:
        f1, rest = row.f1, [f"{name} {percent(row[name].value)}" for name in SCORE_NAMES[:2]]
        lines.append(
            f"  {row.dataset}, {row.system}: F1 {percent(f1.value)}"
            f"{interval_text(f1.low, f1.high)}, {', '.join(rest)}, support {row.support:,}"
        )
    if len(scores) > _MOST_LINES:
        lines.append(f"  … {len(scores) - _MOST_LINES} more")
    facets = [facet for part in results.evidence[:1] for facet in part.facets if facet != ALL]
    lines.append(f"facets: {', '.join(facets) or 'none'}")
    lines.append(
        "methods: value(metric=…), table(name), report_by_type(), weakest(), errors(), plot(name), "
        "to_pandas(), save(path), report(path)"
    )
    return lines
