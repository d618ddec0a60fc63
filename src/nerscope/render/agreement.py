"""Agreement of annotators: a first screen, every table, and disagreements in their sentences."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

from nerscope.corpus.units import ALL
from nerscope.errors import plural, plural_of
from nerscope.render.document import (
    OUTPUTS,
    UNDEFINED,
    Cell,
    Document,
    Table,
    percent,
    points,
    records_table,
)
from nerscope.render.layout import SCREEN_LINES
from nerscope.render.mentions import sentence_lines
from nerscope.render.tables import interval_text
from nerscope.results.terms import (
    ANNOTATED,
    COHEN,
    FLEISS,
    agreement_words,
    cell_words,
    facet_words,
)
from nerscope.results.weakest import FEW_CLUSTERS
from nerscope.scoring.matching import EXACT, OVERLAP
from nerscope.scoring.metrics import F1

if TYPE_CHECKING:
    from nerscope.annotation.agreement import (
        Agreement,
        AgreementScore,
        AnnotatedSentence,
        Disagreement,
        GoldSummary,
    )

_TITLES = {name: words.title for name, words in agreement_words().items()}
_NO_MENTION = "(none)"  # instead of a type


class _Sizes(NamedTuple):
    """How much a first screen shows."""

    types: int
    annotators: int
    confusions: int


# The first of them with which everything fits the screen is taken.
_SIZES = tuple(
    _Sizes(*sizes) for sizes in ((8, 8, 4), (5, 6, 3), (4, 5, 2), (3, 4, 1), (2, 3, 0), (0, 3, 0))
)


def agreement_document(agreement: "Agreement", *, everything: bool = False) -> Document:
    """What `agree` prints: a first screen, or every table."""
    document = Document(
        data=agreement.as_dict(),
        records=agreement.rows,
        opening=[_opening(agreement)],
        notes=agreement.short_notes(),
        every_note=agreement.notes(),
        signature=agreement.signature,
    )
    screen = _Screen(agreement)
    if everything:
        return replace(document, tables=list(screen.every_table()))
    for sizes in _SIZES:
        document = replace(
            document,
            tables=list(screen.tables(sizes)),
            lines=list(screen.lines(sizes)),
            hints=["Next: --disagreements shows each in its sentence; --all shows every table."],
        )
        if OUTPUTS["text"](document).count("\n") <= SCREEN_LINES:
            break
    return document


def _opening(agreement: "Agreement") -> str:
    """How many annotators and texts there are, and how the texts were joined."""
    settings = agreement.settings
    n_texts, unit = settings["texts"], settings["text_unit"]
    shared = settings["shared_by_all"]
    of_all = "" if shared == n_texts else f", {shared:,} of them annotated by all"
    return (
        f"{plural(len(agreement.texts), 'annotator')}, {plural(n_texts, unit)}{of_all}; "
        f"joined by {settings['joined_by']}"
    )


@dataclass(frozen=True)
class _Screen:
    """The tables of an agreement."""

    agreement: "Agreement"

    @property
    def match(self) -> str:
        """The match of tables with a single one."""
        return str(next(row.match for row in self.agreement.rows if row.measure == F1))

    def tables(self, sizes: _Sizes) -> Iterator[Table]:
        """The tables of a first screen."""
        yield self.overall()
        if len(self.agreement.texts) > 2 or self.agreement.ceiling:
            yield self.pairs(F1, sizes.annotators)
        if self.agreement.ceiling:
            yield self.ceiling()
        if sizes.types:
            yield self.by_type(sizes.types)
        if len(self.agreement.texts) > 2:
            yield self.deviations(sizes.annotators)

    def every_table(self) -> Iterator[Table]:
        """All tables."""
        agreement = self.agreement
        yield self.overall(every=True)
        units = plural_of(agreement.settings["text_unit"])
        texts = [{"annotator": name, units: n} for name, n in agreement.texts.items()]
        yield records_table(f"Annotated {units}", texts)
        shared = [{"first": row.a, "second": row.b, units: row.n} for row in agreement.shared]
        yield records_table(f"Shared {units}", shared)
        for measure in (F1, COHEN, COHEN + ANNOTATED):
            yield self.pairs(measure)
        if agreement.ceiling:
            yield self.ceiling()
        yield self.by_type()
        for facet in dict.fromkeys(row.facet for row in agreement.rows if row.facet != ALL):
            yield self.by_level(facet)
        if len(agreement.texts) > 2:
            yield self.deviations()
        yield self.kinds()
        if agreement.confusion:
            yield self.confusion()

    def overall(self, *, every: bool = False) -> Table:
        """The numbers of all annotators."""
        names = self.agreement.annotators
        rows = [row for row in self.agreement.rows if _is_overall(row)]
        if len(names) == 2:  # of two annotators, Fleiss' κ is almost Cohen's
            kappas = [self.agreement.score(COHEN + suffix, *names) for suffix in ("", ANNOTATED)]
            rows += [row for row in kappas if row is not None]
        hidden = (FLEISS, FLEISS + ANNOTATED) if len(names) == 2 else ()
        shown = [
            row
            for row in rows
            if every or (row.measure not in hidden and row.match in (None, self.match, OVERLAP))
        ]
        body = tuple((Cell(self._measure_title(row)), *_value_cells(row)) for row in shown)
        header = ("agreement", "value", "95 % interval", "n")
        notes = ["F1 in percent; n counts the mentions of both sides, or tokens"]
        unit, clusters = self.agreement.settings["cluster"], self.agreement.settings["clusters"]
        if clusters < FEW_CLUSTERS:
            notes.append(f"intervals over only {plural(clusters, unit)} are rough")
        return Table("Agreement", header, body, tuple(notes))

    def _measure_title(self, row: "AgreementScore") -> str:
        if row.measure != F1:
            return _TITLES[row.measure]
        mean = ", mean over pairs" if len(self.agreement.texts) > 2 else ""
        match = str(row.match)
        return f"F1{mean}" if match == EXACT else f"F1 ({match}){mean}"

    def pairs(self, measure: str, most: int | None = None) -> Table:
        """A matrix of annotators; systems have rows of their own."""
        agreement = self.agreement
        names = agreement.annotators[:most]
        title = "F1 of pairs" if measure == F1 else f"{_TITLES[measure]} of pairs"
        body = []
        for name in [*names, *agreement.systems]:
            others = (Cell(self._pair_text(measure, name, other)) for other in names)
            body.append((Cell(name), *others))
        left = len(agreement.texts) - len(names)
        notes = [f"{plural(left, 'more annotator')}: --all"] if left else []
        return Table(title, ("", *names), tuple(body), tuple(notes))

    def _pair_text(self, measure: str, name: str, other: str) -> str:
        if name == other:
            return ""
        row = self.agreement.score(measure, name, other)
        return UNDEFINED if row is None else _value_text(row)

    def by_type(self, most: int | None = None) -> Table:
        """F1 of each type, the most frequent first."""
        rows = [
            row
            for row in self.agreement.rows
            if (row.a, row.b, row.facet, row.match) == (None, None, ALL, self.match) and row.type
        ]
        rows.sort(key=lambda row: (-row.n, str(row.type)))
        body = tuple((Cell(str(row.type)), *_value_cells(row)) for row in rows[:most])
        left = len(rows) - len(body)
        notes = (f"{plural(left, 'more type')}: --all",) if left else ()
        return Table("F1 by type", ("type", "F1", "95 % interval", "n"), body, notes)

    def by_level(self, facet: str) -> Table:
        """F1 of each level of a facet, as a mean over pairs."""
        ranges = self.agreement.settings["facets"].get(facet, {}).get("ranges", {})
        match = next(row.match for row in self.agreement.rows if row.facet == facet)
        body = []
        for row in self.agreement.rows:
            key = (row.a, row.b, row.facet, row.type, row.match)
            if key == (None, None, facet, None, match):
                words = cell_words(facet, row.level, interval=ranges.get(row.level, ""))
                body.append((Cell(words.phrase, code=words.code), *_value_cells(row)))
        title = facet_words(facet).title
        return Table(f"F1 by {title}", ("group", "F1", "95 % interval", "n"), tuple(body))

    def deviations(self, most: int | None = None) -> Table:
        """Who differs from the others, the most different first."""
        rows = sorted(self.agreement.deviations, key=lambda row: row.difference or 0.0)
        body = tuple(
            (
                Cell(row.annotator),
                Cell(percent(row.with_others)),
                Cell(percent(row.among_others)),
                Cell(points(row.difference)),
                Cell(_points_interval(row.low, row.high)),
            )
            for row in rows[:most]
        )
        header = ("", "with the others", "others alone", "difference", "95 % interval")
        return Table("Each against the rest", header, body)

    def ceiling(self) -> Table:
        """Each system beside the annotators."""
        body = tuple(
            (
                Cell(row.system),
                Cell(percent(row.value)),
                Cell(percent(row.annotators)),
                Cell(points(row.difference)),
                Cell(_points_interval(row.low, row.high)),
            )
            for row in self.agreement.ceiling
        )
        header = ("", "with annotators", "annotators", "difference", "95 % interval")
        return Table("Human ceiling", header, body)

    def kinds(self) -> Table:
        """How many places differ in which way."""
        counts = Counter(row.kind for row in self.agreement.disagreements)
        records = [{"kind": kind, "places": n} for kind, n in counts.most_common()]
        return records_table("Disagreements by kind", records)

    def confusion(self) -> Table:
        """Which types stand where another annotator has another type, over all pairs."""
        counts = _confusions(self.agreement)
        types = sorted({name for pair in counts for name in pair} - {_NO_MENTION})
        names = [*types, _NO_MENTION]
        rows = [[counts[_pair(first, second)] for second in names] for first in names]
        body = tuple(
            (Cell(name), *(Cell(str(n) if n else "") for n in row))
            for name, row in zip(names, rows, strict=True)
        )
        return Table("Types of paired mentions, over all pairs", ("", *names), body)

    def lines(self, sizes: _Sizes) -> Iterator[str]:
        """A line on disagreements, and one on the types that are confused most."""
        counts = Counter(row.kind for row in self.agreement.disagreements)
        total = sum(counts.values())
        kinds = ", ".join(f"{kind} {n:,}" for kind, n in counts.most_common())
        yield f"{plural(total, 'disagreement')}" + (f": {kinds}" if kinds else "")
        pairs = _confusions(self.agreement).most_common()
        confused = [(pair, n) for pair, n in pairs if len(pair) == 2 and _NO_MENTION not in pair]
        named = [f"{'–'.join(sorted(pair))} {n:,}" for pair, n in confused[: sizes.confusions]]
        if named:
            yield f"types confused most: {', '.join(named)}"


def _is_overall(row: "AgreementScore") -> bool:
    return (row.a, row.b, row.facet, row.type) == (None, None, ALL, None)


def _pair(first: str, second: str) -> frozenset[str]:
    return frozenset((first, second))


def _confusions(agreement: "Agreement") -> Counter[frozenset[str]]:
    """How often two types stand in one place, in either order of the annotators."""
    counts: Counter[frozenset[str]] = Counter()
    for row in agreement.confusion:
        counts[_pair(row.type_a or _NO_MENTION, row.type_b or _NO_MENTION)] += row.n
    return counts


def _value_text(row: "AgreementScore") -> str:
    if row.measure == F1 or row.value is None:
        return percent(row.value)
    return f"{row.value:.3f}"


def _value_cells(row: "AgreementScore") -> tuple[Cell, Cell, Cell]:
    if row.measure == F1 or row.low is None or row.high is None:
        interval = interval_text(row.low, row.high).strip() or UNDEFINED
    else:
        interval = f"[{row.low:.3f}, {row.high:.3f}]"
    return Cell(_value_text(row)), Cell(interval), Cell(f"{row.n:,}")


def _points_interval(low: float | None, high: float | None) -> str:
    return UNDEFINED if low is None or high is None else f"[{points(low)}, {points(high)}]"


def disagreements_document(
    agreement: "Agreement", rows: Sequence["Disagreement"], width: int, shown: int
) -> Document:
    """A summary of kinds, then each disagreement in its sentence."""
    counts = Counter(row.kind for row in rows)
    summary = [{"kind": kind, "places": n} for kind, n in counts.most_common()]
    lines: list[str] = []
    for row in rows[:shown]:
        lines += [*_disagreement_lines(agreement.sentences[row.sentence], row, width), ""]
    if len(rows) > shown:
        lines.append(f"{plural(len(rows) - shown, 'more disagreement')}: --most N shows more")
    if not rows:
        lines.append(f"None of {plural(len(agreement.disagreements), 'disagreement')} fits.")
    tables = [records_table("Disagreements by kind", summary)] if summary else []
    records = [_record(agreement.sentences[row.sentence], row) for row in rows]
    return Document(tables, records, records, lines=lines)


def _record(sentence: "AnnotatedSentence", row: "Disagreement") -> dict[str, object]:
    """A disagreement as a row of CSV and JSON, with one column per annotator."""
    return {
        "place": sentence.place,
        "id": sentence.id,
        "sentence": row.sentence,
        "start": row.start,
        "end": row.end,
        "kind": row.kind,
        **{name: _spelt(sentence, spans) for name, spans in row.mentions.items()},
        "text": None if sentence.tokens is None else " ".join(sentence.tokens),
    }


def _spelt(sentence: "AnnotatedSentence", spans: Sequence[tuple[int, int, str]]) -> str:
    """Mentions in one line: their types and texts."""
    if sentence.tokens is None:
        return "; ".join(f"{kind} {start}:{end}" for start, end, kind in spans)
    return "; ".join(f"{kind} {' '.join(sentence.tokens[start:end])}" for start, end, kind in spans)


def _disagreement_lines(
    sentence: "AnnotatedSentence", row: "Disagreement", width: int
) -> Iterator[str]:
    """One disagreement: its place and kind, the sentence, and the spans of each annotator below."""
    yield f"{sentence.place}  {row.kind}"
    by_spans: dict[tuple[tuple[int, int, str], ...], list[str]] = {}
    for name, spans in row.mentions.items():
        by_spans.setdefault(tuple(spans), []).append(name)
    marks = [(spans, ", ".join(names)) for spans, names in by_spans.items()]
    if sentence.tokens is None:
        yield from (f"  {name}: {_spelt(sentence, own) or 'no mention'}" for own, name in marks)
        return
    yield from sentence_lines(sentence.tokens, marks, (row.start, row.end), width)


def gold_document(summary: "GoldSummary", target: str | None, notes: Sequence[str]) -> Document:
    """What gold was written, and how it was made."""
    records = [{key: value for key, value in summary.items() if key != "notes"}]
    lines = _gold_lines(summary, target)
    return Document((), summary.as_dict(), records, lines=lines, notes=[*summary.notes, *notes])


def _gold_lines(summary: "GoldSummary", target: str | None) -> list[str]:
    """What was written, and how it was made."""
    written = f"wrote {target}" if target else "nothing written (--dry-run)"
    parts = [f"{plural(summary.texts, 'text')}, {plural(summary.mentions, 'mention')}"]
    if summary.decided:
        parts.append(f"{plural(summary.decided, 'sentence')} by decision")
    if summary.by_majority:
        parts.append(f"{plural(summary.by_majority, 'disagreement')} settled by majority")
    lines = [f"{written}: {', '.join(parts)}"]
    if summary.texts_left_out:
        lines.append(
            f"{plural(summary.texts_left_out, 'text')} with fewer than three annotators left out"
        )
    if summary.no_majority:
        lines.append(
            f"{plural(summary.no_majority, 'disagreement')} left open, without a majority: no "
            "mention was written there"
        )
    if summary.undecided:
        lines.append(
            f"{plural(summary.undecided, 'disagreement')} of two annotators undecided: no mention "
            "was written there"
        )
    return lines
