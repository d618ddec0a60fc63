"""The evidence of one dataset: every scored unit, the facets, and the runs.

Counts per sentence for every facet, match and run would be large. But the codes of a unit are the
same for all matches, and those of a gold unit are the same for all systems. So a ledger stores
units in narrow columns, and one `bincount` gives the counts: for the corpus, for each sentence (for
resampling), or for any pair of systems. Ledgers of chunks add up.

A worked example: in "Ada met Bob in Oslo", gold has PER, PER and LOC; a run finds the first two.
`gold.type` is [0 0 1], `gold.codes["tmr"]` perhaps [0 2 0], and the run's `gold_credit["exact"]` is
[1 1 0]: recall by level of `tmr` is one bincount of the credit by code, and one of the units.

The signature holds all settings that affect the numbers, in one line to quote with them.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cache
from math import isfinite
from typing import Any, NamedTuple, TypeVar

import numpy as np

from nerscope.codec import serialisable
from nerscope.corpus.arrays import Floats, Ints, Objects
from nerscope.corpus.lexicon import SENSITIVE
from nerscope.corpus.mentions import CONLLEVAL, explicit_shapes
from nerscope.corpus.units import ALL, MENTION, TOKEN
from nerscope.errors import InputError
from nerscope.scoring.cluster_units import DOCUMENT, SENTENCE
from nerscope.scoring.matching import EXACT
from nerscope.scoring.metrics import MICRO, Formula, LevelValues, Metric, metric_named
from nerscope.scoring.pairing import CORRECT, INCORRECT, PARTIAL, UNPAIRED
from nerscope.version import VERSION

Column = TypeVar("Column", Ints, Floats)


@serialisable
@dataclass(frozen=True, slots=True, eq=False)
class Units:
    """Gold or predicted units: parallel columns. A row is `weight` equal units of one sentence."""

    sentence: Ints
    type: Ints
    codes: Mapping[str, Ints] = field(default_factory=dict)  # by facet
    weight: Ints | None = None
    surface: Ints | None = None
    start: Ints | None = None  # the first token, counted from the start of the sentence
    length: Ints | None = None  # number of tokens from the first to the last
    shape: Objects | None = None  # of mentions, if some are not contiguous whole tokens

    def __len__(self) -> int:
        return len(self.sentence)

    def cells(self, facet: str, n_types: int) -> Ints:
        """The cell of each unit: code * n_types + type."""
        return self.codes_of(facet) * n_types + self.type

    def codes_of(self, facet: str) -> Ints:
        """The code of each unit in a facet; 0 in a facet that does not divide units."""
        codes = self.codes.get(facet)
        return np.zeros(len(self), np.int64) if codes is None else codes.astype(np.int64)


@serialisable
class SurfaceCounts(NamedTuple):
    """The numbers of distinct (surface, type) pairs of gold and of a run, and of correct ones."""

    gold: int
    right: int
    pred: int


@serialisable
class AnswerCounts(NamedTuple):
    """What a run gave that answers in text, as language models do."""

    answers: int
    unreadable: int  # without readable JSON
    cut_off: int  # only partly readable
    named: int  # mentions, as the answers name them
    malformed: int  # of them, without a text or a type
    hallucinated: int  # not in the text
    repeated: int  # named more often than they occur in the text
    texts: tuple[
        tuple[str, int], ...
    ] = ()  # hallucinated ones with counts, the most frequent first


@serialisable
@dataclass(frozen=True, slots=True, eq=False)
class Output:
    """One run: its predictions, and by match the credit and the kind of each unit.

    If a row stands for many units, its kinds are counts of correct, partial and incorrect units
    and, for predictions, of paired units.
    """

    pred: Units
    gold_credit: Mapping[str, Floats]
    pred_credit: Mapping[str, Floats]
    gold_kind: Mapping[str, Ints] = field(default_factory=dict)
    pred_kind: Mapping[str, Ints] = field(default_factory=dict)
    # Only for evidence from a results file, in which mentions have no surfaces.
    surfaces: SurfaceCounts | None = field(default=None, kw_only=True)
    answers: AnswerCounts | None = field(default=None, kw_only=True)  # of all mentions only


class TypeCounts(NamedTuple):
    """The numbers of gold units and of predictions of a run, by type code."""

    gold: Ints | Floats
    pred: Ints | Floats


@serialisable
@dataclass(frozen=True, slots=True, eq=False)
class Ledger:
    """One kind of unit (mentions, or tokens), for all runs."""

    gold: Units
    runs: tuple[Output, ...]

    def columns(
        self, run: int, match: str, with_pairs: bool
    ) -> list[tuple[Units, Ints | Floats | None]]:
        """For each column of the counts, the units to add up and their values (None: 1 each)."""
        output = self.runs[run]
        pred = output.pred
        credit = [
            (self.gold, self.gold.weight),
            (self.gold, output.gold_credit[match]),
            (pred, pred.weight),
            (pred, output.pred_credit[match]),
        ]
        if not with_pairs:
            return credit
        gold_kind, pred_kind = output.gold_kind[match], output.pred_kind[match]
        if gold_kind.ndim == 2:
            kinds = [(self.gold, times) for times in gold_kind.T]
            return [*credit, *kinds, (pred, pred_kind[:, 0])]
        each = [(self.gold, gold_kind == kind) for kind in (CORRECT, PARTIAL, INCORRECT)]
        return [*credit, *each, (pred, pred_kind != UNPAIRED)]

    def counts(
        self, run: int, facet: str, match: str, n_codes: int, n_types: int, with_pairs: bool
    ) -> Floats:
        """Counts (codes, types, columns) of the corpus."""
        size = n_codes * n_types
        cells: dict[int, Ints] = {}
        counts = np.empty((size, 8 if with_pairs else 4))
        for place, (units, values) in enumerate(self.columns(run, match, with_pairs)):
            if id(units) not in cells:
                cells[id(units)] = units.cells(facet, n_types)
            # Units outside every level of a subset have a code after the last one: drop them.
            counts[:, place] = np.bincount(cells[id(units)], values, size)[:size]
        return counts.reshape(n_codes, n_types, -1)

    def type_counts(self, run: int) -> "TypeCounts":
        """The numbers of gold units and of predictions by type code."""
        sides = (self.gold, self.runs[run].pred)
        size = 1 + max(int(units.type.max(initial=0)) for units in sides)
        return TypeCounts(*(np.bincount(units.type, units.weight, size) for units in sides))

    def with_runs(self, runs: Iterable[int]) -> "Ledger":
        return Ledger(self.gold, tuple(self.runs[run] for run in runs))


def merged(ledgers: Sequence[Ledger]) -> Ledger:
    """The ledger of a corpus from the ledgers of its chunks."""
    if len(ledgers) == 1:
        return ledgers[0]
    runs = tuple(
        Output(
            _joined([output.pred for output in outputs]),
            *(
                _joined_columns([getattr(output, name) for output in outputs])
                for name in ("gold_credit", "pred_credit", "gold_kind", "pred_kind")
            ),
        )
        for outputs in zip(*(ledger.runs for ledger in ledgers), strict=True)
    )
    return Ledger(_joined([ledger.gold for ledger in ledgers]), runs)


def moved(ledger: Ledger, by: int) -> Ledger:
    """The ledger of a chunk, moved by `by` sentences."""
    if not by:
        return ledger

    def shifted(units: Units) -> Units:
        return replace(units, sentence=(units.sentence + by).astype(units.sentence.dtype))

    runs = tuple(replace(run, pred=shifted(run.pred)) for run in ledger.runs)
    return Ledger(shifted(ledger.gold), runs)


def _joined(units: Sequence[Units]) -> Units:
    return Units(
        np.concatenate([some.sentence for some in units]),
        np.concatenate([some.type for some in units]),
        _joined_columns([some.codes for some in units]),
        **{
            name: _joined_optional([getattr(some, name) for some in units])
            for name in ("weight", "surface", "start", "length")
        },
        shape=_joined_shapes(units),
    )


def _joined_shapes(units: Sequence[Units]) -> Objects | None:
    if all(some.shape is None for some in units):
        return None
    return np.concatenate([explicit_shapes(some.shape, len(some)) for some in units])


def _joined_optional(columns: Sequence[Ints | None]) -> Ints | None:
    given = [column for column in columns if column is not None]
    return np.concatenate(given) if given else None


def _joined_columns(columns: Sequence[Mapping[str, Column]]) -> dict[str, Column]:
    return {name: np.concatenate([column[name] for column in columns]) for name in columns[0]}


TOKEN_JOIN = "\x1f"
SURFACES = f"{MENTION}//surfaces"  # the key of the distinct surfaces in folded evidence


@dataclass(frozen=True, slots=True)
class FacetTable:
    """The levels of a facet, and the metrics to report for each match.

    It is stored with results, so that they can be read without the plug-in of the facet.
    """

    facet: str
    unit: str
    levels: Mapping[str, tuple[int, ...]]
    metrics: Mapping[str, tuple[str, ...]]  # by match
    by_type: bool = True
    title: str = ""

    @property
    def matches(self) -> tuple[str, ...]:
        return tuple(self.metrics)

    @property
    def n_codes(self) -> int:
        """The number of codes; all codes are smaller."""
        return 1 + max(code for codes in self.levels.values() for code in codes)

    def metrics_of(self, match: str) -> list[Metric]:
        """The metrics to report for a match."""
        return [metric_named(name) for name in self.metrics[match]]

    def needs_pairs(self, match: str) -> bool:
        """Whether a metric of a match needs the columns about pairs."""
        return any(metric.needs_pairs for metric in self.metrics_of(match))

    def by_level(self, counts: Floats) -> Floats:
        """Sum counts (…, codes, types, columns) to counts (…, levels, types, columns)."""
        members = _members(tuple(self.levels.values()), counts.shape[-3])
        if members is None:
            return counts
        flat = counts.reshape(*counts.shape[:-2], -1)
        return (members @ flat).reshape(*counts.shape[:-3], len(members), *counts.shape[-2:])

    def numbers(
        self, match: str, counts: Floats, zero_division: float | None
    ) -> Iterator[tuple[Metric, LevelValues]]:
        """All numbers of a match from counts (…, levels, types, columns)."""
        metrics, levels = self.metrics_of(match), list(self.levels)
        # Column 0 of the types is their sum; single types are needed for rows and for averages.
        totals = counts.sum(axis=-2, keepdims=True)
        if self.by_type or any(metric.average != MICRO for metric in metrics):
            totals = np.concatenate([totals, counts], axis=-2)
        by_formula: dict[Formula, Floats] = {}  # f1, macro_f1 and weighted_f1 share one formula
        for metric in metrics:
            if not metric.is_over_levels and metric.formula not in by_formula:
                by_formula[metric.formula] = metric.shares(totals, zero_division)
            values = by_formula.get(metric.formula)
            yield metric, metric.numbers(levels, totals, zero_division, values)


@cache
def _members(levels: tuple[tuple[int, ...], ...], n_codes: int) -> Floats | None:
    """Which level (row) has which code (column); None if level k is code k alone."""
    if levels == tuple((code,) for code in range(n_codes)):
        return None
    members = np.zeros((len(levels), n_codes))
    for row, codes in enumerate(levels):
        members[row, list(codes)] = 1.0
    return members


@dataclass(frozen=True, slots=True)
class BucketEdges:
    """The edges of an attribute's buckets, and the interval of each bucket as text."""

    edges: tuple[float, ...]
    ranges: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Signature:
    """The settings of all numbers of one dataset.

    >>> str(Signature(scheme="bio", version="1.0"))[:30]
    'scheme:bio|match:exact|average'
    """

    scheme: str = "bio"  # of gold and systems, detected or declared
    match: str = EXACT
    average: str = MICRO
    repair: str = CONLLEVAL
    ter: str = "bilou/strict"
    buckets: str = "paper/4"
    zero_division: float | None = None
    case: str = SENSITIVE  # how facets compare tokens with training tokens
    map: str = "none"  # types that are renamed
    answers: str = "none"  # how strings are located in the text
    version: str = VERSION
    resampling: Mapping[str, str] = field(default_factory=dict)  # how intervals were computed
    edges: Mapping[str, BucketEdges] = field(default_factory=dict)  # by facet

    def parts(self) -> dict[str, str]:
        """The settings as strings."""
        words = {
            item.name: getattr(self, item.name)
            for item in fields(self)
            if item.name not in ("resampling", "edges", "version")
        }
        words["zero_division"] = (
            "undefined" if self.zero_division is None else f"{self.zero_division:g}"
        )
        for name, default in (("case", SENSITIVE), ("map", "none"), ("answers", "none")):
            if words[name] == default:
                del words[name]
        return {**words, **self.resampling, "version": self.version}

    def __str__(self) -> str:
        return "|".join(f"{key}:{value}" for key, value in self.parts().items())

    def as_dict(self) -> dict[str, Any]:
        """Plain data, for JSON."""
        return {item.name: _plain_setting(getattr(self, item.name)) for item in fields(self)}

    @classmethod
    def from_dict(cls, content: Mapping[str, Any]) -> "Signature":
        """The signature from plain data; raises ValueError for invalid content."""
        _check_signature(content)
        edges = {
            name: BucketEdges(tuple(buckets["edges"]), dict(buckets["ranges"]))
            for name, buckets in content["edges"].items()
        }
        return replace(cls(**{**content, "edges": {}}), edges=edges)


def _check_signature(content: Mapping[str, Any]) -> None:
    words = [value for key, value in content.items() if key not in _NO_WORDS]
    resampling = content.get("resampling", {})
    words += [*resampling, *resampling.values()]
    if not all(isinstance(word, str) for word in words):
        raise ValueError("a setting of the signature is not a string")
    tables = content["edges"].values()
    numbers = [edge for table in tables for edge in table["edges"]]
    texts = [text for table in tables for pair in table["ranges"].items() for text in pair]
    if content.get("zero_division") is not None:
        numbers.append(content["zero_division"])
    if not all(type(number) in (int, float) and isfinite(number) for number in numbers):
        raise ValueError("an edge of the signature is not a number")
    if not all(isinstance(text, str) for text in texts):
        raise ValueError("a range of the signature is not a string")


_NO_WORDS = ("zero_division", "resampling", "edges")


def _plain_setting(value: Any) -> Any:
    if isinstance(value, BucketEdges):
        return {"edges": list(value.edges), "ranges": dict(value.ranges)}
    return (
        {key: _plain_setting(item) for key, item in value.items()}
        if isinstance(value, dict)
        else value
    )


def joint(signatures: Iterable[Signature]) -> str:
    """One line for several datasets; a setting that differs shows all its values.

    >>> joint([Signature(scheme="bio"), Signature(scheme="iob1")])[:15]
    'scheme:bio+iob1'
    """
    values: dict[str, dict[str, None]] = {}
    for signature in signatures:
        for key, value in signature.parts().items():
            values.setdefault(key, {})[value] = None
    return "|".join(f"{key}:{'+'.join(known)}" for key, known in values.items())


@serialisable
class GluedTokens(NamedTuple):
    """The tokens without a blank before them in the text, except the first of each sentence."""

    sentence: Ints
    position: Ints  # in the sentence, from 0

    def moved(self, by: int) -> "GluedTokens":
        """The tokens of sentences that follow `by` others."""
        return GluedTokens(self.sentence + by, self.position)


class Folded(NamedTuple):
    """How evidence was summed: each of its sentences is then a group of clusters."""

    unit: str  # "sentence", "document" or a block, such as "block:20"
    sentences: int
    documents: int
    blocks: int = 0  # if blocks are the unit

    @property
    def clusters(self) -> int:
        """The number of clusters that were summed."""
        if self.unit in (SENTENCE, DOCUMENT):
            return self.documents if self.unit == DOCUMENT else self.sentences
        return self.blocks


class ErrorSum(NamedTuple):
    """How often a run has an outcome for a gold type and a predicted type; None: no mention.

    A gold mention and its counterpart count once.
    """

    run: int
    gold: str | None
    predicted: str | None
    outcome: str
    n: int


@dataclass(frozen=True, slots=True, eq=False)
class SampledSentences:
    """Sentences of folded evidence that were kept with their mentions."""

    ledgers: Mapping[str, Ledger]
    documents: Ints
    numbers: Ints  # in the data, from 1
    lines: Ints | None
    texts: tuple[str, ...] | None


@dataclass(frozen=True, slots=True, eq=False)
class FoldedErrors:
    """The errors of folded evidence: sums over all sentences, and a sample of them.

    `wrong` is the number of sentences with an error in some run. It and the sample are None if runs
    were evaluated apart.
    """

    sums: tuple[ErrorSum, ...]
    wrong: int | None
    sample: SampledSentences | None

    def with_kinds(self, codes: Ints) -> "FoldedErrors":
        """The same errors with other type codes in the ledgers of the sample."""
        if self.sample is None:
            return self
        ledgers = _with_type_codes(self.sample.ledgers, codes)
        return replace(self, sample=replace(self.sample, ledgers=ledgers))

    def only_runs(self, runs: Sequence[int]) -> "FoldedErrors":
        """The errors of these runs; the sample was drawn by the errors of all."""
        places = {run: place for place, run in enumerate(runs)}
        sums = [row._replace(run=places[row.run]) for row in self.sums if row.run in places]
        sample = self.sample
        if sample is not None:
            ledgers = {unit: ledger.with_runs(runs) for unit, ledger in sample.ledgers.items()}
            sample = replace(sample, ledgers=ledgers)
        wrong = self.wrong if set(runs) == {row.run for row in self.sums} else None
        return FoldedErrors(tuple(sorted(sums, key=lambda row: row.run)), wrong, sample)


def folded_place(table: FacetTable) -> str:
    """The key of the ledger of a facet in folded evidence."""
    return f"{table.unit}/{table.facet}"


def unit_at(place: str) -> str:
    """The unit of a ledger, from its key.

    >>> unit_at("token/hard"), unit_at("mention")
    ('token', 'mention')
    """
    return place.partition("/")[0]


@dataclass(frozen=True, slots=True, eq=False)
class Evidence:
    """The ledgers of one dataset, with everything needed to report and compare them.

    The keys of ledgers are units ("mention") or, if folded, unit and facet ("mention/tmr").
    """

    dataset: str
    types: tuple[str, ...]
    runs: tuple[tuple[str, str], ...]  # system and run
    ledgers: Mapping[str, Ledger]
    tables: tuple[FacetTable, ...]
    documents: Ints = field(repr=False)  # of each sentence
    signature: Signature = field(default_factory=Signature)
    gold_name: str = ""  # the gold file
    lines: Ints | None = field(default=None, repr=False)  # the first line of each sentence
    texts: tuple[str, ...] | None = field(default=None, repr=False)  # joined by TOKEN_JOIN
    zeta: Mapping[str, float | None] = field(default_factory=dict)  # mean value of each attribute
    line_a_token: bool = True  # whether the gold file has one line per token
    folded: Folded | None = None  # if units were summed by groups
    # The id of the record of each sentence, and its name in messages, if gold has records.
    record_ids: tuple[str | None, ...] | None = field(default=None, repr=False)
    record_names: tuple[str | None, ...] | None = field(default=None, repr=False)
    glued: GluedTokens | None = field(default=None, repr=False)  # if the blanks of gold are known
    errors: FoldedErrors | None = field(default=None, repr=False)  # of folded evidence

    @property
    def sample(self) -> "Evidence | None":
        """The sampled sentences of folded evidence, as evidence of single mentions."""
        kept = None if self.errors is None else self.errors.sample
        if kept is None:
            return None
        names = None
        if kept.lines is None or self.gold_name.startswith("<"):
            names = tuple(f"sentence {number}" for number in kept.numbers.tolist())
        return replace(
            self,
            ledgers=kept.ledgers,
            documents=kept.documents,
            lines=kept.lines,
            texts=kept.texts,
            folded=None,
            errors=None,
            record_names=names,
        )

    def where(self, sentence: int, token: int = 0) -> str:
        """The place of a token of a sentence, for messages: file and line, or file and record."""
        name = self.gold_name
        if self.record_names is not None and self.record_names[sentence] is not None:
            return f"{name} {self.record_names[sentence]}"
        if self.lines is None:
            return f"{name}: sentence {sentence + 1}"
        if name.startswith("<"):  # data in memory: one line is one sentence
            return f"{name}:{sentence + 1}"
        return f"{name}:{int(self.lines[sentence]) + (token if self.line_a_token else 0)}"

    @property
    def systems(self) -> list[str]:
        """The systems, in the order given."""
        return list(dict.fromkeys(system for system, _ in self.runs))

    @property
    def facets(self) -> list[str]:
        """The facets, in the order given."""
        return list(dict.fromkeys(table.facet for table in self.tables))

    @property
    def n_documents(self) -> int:
        """The number of documents; 1 if no documents are marked."""
        return self.folded.documents if self.folded else len(np.unique(self.documents))

    @property
    def units(self) -> set[str]:
        """The units that have ledgers."""
        return set(map(unit_at, self.ledgers))

    def ledger(self, table: FacetTable) -> Ledger:
        """The ledger of a facet table."""
        return self.ledgers[self.place(table)]

    def place(self, table: FacetTable) -> str:
        """The key of the ledger of a facet."""
        return table.unit if self.folded is None else folded_place(table)

    @property
    def mentions(self) -> Ledger:
        """The ledger of single mentions; raise an InputError if only sums were kept."""
        if self.folded is not None:
            raise InputError(
                self.dataset,
                f"{self.folded.sentences:,} sentences are kept only as sums, not as mentions",
                "evaluate with --keep-mentions (fold=False in Python)",
            )
        return self.ledgers[MENTION]

    @property
    def overall(self) -> Ledger:
        """The ledger of all mentions, as single mentions or in groups."""
        return self.ledgers[self.overall_place]

    @property
    def overall_place(self) -> str:
        """The key of the ledger of all mentions."""
        return MENTION if self.folded is None else f"{MENTION}/{ALL}"

    @property
    def surfaces(self) -> Ledger | None:
        """The ledger with the surfaces of mentions, if any."""
        known = self.ledgers.get(MENTION if self.folded is None else SURFACES)
        return known if known and known.gold.surface is not None else None

    def surface_counts(self, run: int) -> SurfaceCounts | None:
        """The counts of distinct surfaces; None if surfaces are unknown."""
        stored, ledger = self.overall.runs[run].surfaces, self.surfaces
        if stored is not None or ledger is None or ledger.runs[run].pred.surface is None:
            return stored
        output = ledger.runs[run]
        gold, pred = (_surface_keys(units, len(self.types)) for units in (ledger.gold, output.pred))
        right = pred[output.pred_credit[EXACT] == 1]
        return SurfaceCounts(*(len(np.unique(keys)) for keys in (gold, right, pred)))

    def runs_of(self, system: str) -> list[int]:
        """The indices of a system's runs."""
        return [index for index, (name, _) in enumerate(self.runs) if name == system]

    def level_counts(self, run: int, table: FacetTable, match: str) -> Floats:
        """Counts (levels, types, columns) of a facet."""
        ledger = self.ledger(table)
        size = (table.n_codes, len(self.types))
        pairs = table.needs_pairs(match)
        return table.by_level(ledger.counts(run, table.facet, match, *size, pairs))

    def numbers(
        self, run: int, table: FacetTable, match: str
    ) -> Iterator[tuple[Metric, LevelValues]]:
        """All numbers of a facet under a match for one run."""
        counts = self.level_counts(run, table, match)
        return table.numbers(match, counts, self.signature.zero_division)


def _surface_keys(units: Units, n_types: int) -> Ints:
    """A key for each (surface, type)."""
    assert units.surface is not None
    return units.surface.astype(np.int64) * n_types + units.type


def with_types(evidence: Evidence, types: Sequence[str]) -> Evidence:
    """The evidence with types in another order; types that do not occur may be left out."""
    if tuple(types) == evidence.types:
        return evidence
    places = {name: place for place, name in enumerate(types)}
    codes = np.array([places.get(name, -1) for name in evidence.types], np.int32)

    errors = evidence.errors and evidence.errors.with_kinds(codes)
    ledgers = _with_type_codes(evidence.ledgers, codes)
    return replace(evidence, types=tuple(types), ledgers=ledgers, errors=errors)


def _with_type_codes(ledgers: Mapping[str, Ledger], codes: Ints) -> dict[str, Ledger]:
    return {
        place: ledger if unit_at(place) == TOKEN else with_kinds(ledger, codes)  # untyped
        for place, ledger in ledgers.items()
    }


def with_kinds(ledger: Ledger, codes: Ints) -> Ledger:
    """The ledger with other type codes: type k becomes `codes[k]`."""

    def recoded(units: Units) -> Units:
        return replace(units, type=codes[units.type]) if len(codes) else units

    runs = tuple(replace(run, pred=recoded(run.pred)) for run in ledger.runs)
    return Ledger(recoded(ledger.gold), runs)


def canonical(evidence: Evidence) -> Evidence:
    """Keep the types that occur, in alphabetical order.

    Sums of floats depend on their order; a fixed order keeps the last digit stable.
    """
    ledgers = [ledger for key, ledger in evidence.ledgers.items() if unit_at(key) != TOKEN]
    sides = [
        side for ledger in ledgers for side in (ledger.gold, *(run.pred for run in ledger.runs))
    ]
    counts = sum(np.bincount(units.type, minlength=len(evidence.types)) for units in sides)
    used = np.flatnonzero(counts).tolist()
    return with_types(evidence, sorted(evidence.types[code] for code in used))


def only_runs(evidence: Evidence, runs: Sequence[int]) -> Evidence:
    """The evidence of these runs only."""
    ledgers = {unit: ledger.with_runs(runs) for unit, ledger in evidence.ledgers.items()}
    names = tuple(evidence.runs[run] for run in runs)
    errors = evidence.errors and evidence.errors.only_runs(runs)
    return replace(evidence, runs=names, ledgers=ledgers, errors=errors)


def only_sentences(evidence: Evidence, chosen: Ints) -> Evidence:
    """The evidence of these sentences, in this order, without surfaces."""
    place: Ints = np.full(len(evidence.documents), -1, np.int32)
    place[chosen] = np.arange(len(chosen))
    texts = evidence.texts
    return replace(
        evidence,
        ledgers={unit: _at_places(ledger, place) for unit, ledger in evidence.ledgers.items()},
        documents=evidence.documents[chosen],
        lines=None if evidence.lines is None else evidence.lines[chosen],
        texts=None if texts is None else tuple(texts[at] for at in chosen.tolist()),
        record_ids=None,
        record_names=None,
        glued=None,
    )


def _at_places(ledger: Ledger, place: Ints) -> Ledger:
    """The units of the sentences that have a place, which is their new number."""
    gold_rows = np.flatnonzero(place[ledger.gold.sentence] >= 0)
    runs = []
    for run in ledger.runs:
        rows = np.flatnonzero(place[run.pred.sentence] >= 0)
        runs.append(
            Output(
                _rows_of(run.pred, rows, place),
                _chosen_rows(run.gold_credit, gold_rows),
                _chosen_rows(run.pred_credit, rows),
                _chosen_rows(run.gold_kind, gold_rows),
                _chosen_rows(run.pred_kind, rows),
            )
        )
    return Ledger(_rows_of(ledger.gold, gold_rows, place), tuple(runs))


def _rows_of(units: Units, rows: Ints, place: Ints) -> Units:
    optional = {name: getattr(units, name) for name in ("weight", "start", "length", "shape")}
    return Units(
        place[units.sentence[rows]],
        units.type[rows],
        _chosen_rows(units.codes, rows),
        **{name: None if column is None else column[rows] for name, column in optional.items()},
    )


def _chosen_rows(columns: Mapping[str, Column], rows: Ints) -> dict[str, Column]:
    return {name: column[rows] for name, column in columns.items()}


def joined_sentences(parts: Sequence[Evidence]) -> Evidence:
    """The evidence of sentences after each other; types and facets must be the same."""
    before = np.cumsum([0, *(len(part.documents) for part in parts)]).tolist()
    texts = [part.texts for part in parts if part.texts is not None]
    lines = [part.lines for part in parts if part.lines is not None]
    last = parts[-1]
    return replace(
        last,
        ledgers={
            unit: merged(
                [moved(part.ledgers[unit], by) for part, by in zip(parts, before, strict=False)]
            )
            for unit in last.ledgers
        },
        documents=np.concatenate([part.documents for part in parts]),
        lines=np.concatenate(lines) if len(lines) == len(parts) else None,
        texts=tuple(text for some in texts for text in some) if len(texts) == len(parts) else None,
    )


def joined_runs(parts: Sequence[Evidence]) -> Evidence:
    """The joint evidence of different runs on the same gold data."""
    types = sorted({name for part in parts for name in part.types})
    parts = [with_types(part, types) for part in parts]
    ledgers = {
        unit: Ledger(ledger.gold, tuple(run for part in parts for run in part.ledgers[unit].runs))
        for unit, ledger in parts[0].ledgers.items()
        if all(unit in part.ledgers for part in parts)  # without token ledgers if mentions overlap
    }
    runs = tuple(run for part in parts for run in part.runs)
    joined = replace(parts[0], runs=runs, ledgers=ledgers, errors=_joined_sums(parts))
    return canonical(replace(joined, tables=tuple(_common_tables(joined, parts))))


def _joined_sums(parts: Sequence[Evidence]) -> FoldedErrors | None:
    """The sums of the errors of all runs; samples that were drawn apart have other sentences."""
    sums, before = list[ErrorSum](), 0
    for part in parts:
        if part.errors is None:
            return None
        sums += [row._replace(run=row.run + before) for row in part.errors.sums]
        before += len(part.runs)
    return FoldedErrors(tuple(sums), None, None)


def _common_tables(joined: Evidence, parts: Sequence[Evidence]) -> Iterator[FacetTable]:
    """The tables of all parts, restricted to the matches that all runs have.

    Parts may have been evaluated under different matches.
    """
    metrics: dict[tuple[str, str], dict[str, tuple[str, ...]]] = {}
    for table in (table for part in parts for table in part.tables):
        metrics.setdefault((table.unit, table.facet), {}).update(table.metrics)
    for table in parts[0].tables:
        if joined.place(table) not in joined.ledgers:
            continue
        runs = joined.ledger(table).runs
        common = {
            match: names
            for match, names in metrics[table.unit, table.facet].items()
            if all(match in run.gold_credit for run in runs)
        }
        if common:
            yield replace(table, metrics=common)
