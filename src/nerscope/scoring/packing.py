"""Evidence as plain columns, for results files and the cache; checked when read.

The names here belong to the file format, and stay if a class or a field is renamed. Readers ignore
unknown keys, so that later versions may add keys (docs/results.md lists planned ones). A key that
changes the meaning of others needs a new format.
"""

from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from nerscope.codec import pack, unpack
from nerscope.corpus.arrays import Floats, Ints
from nerscope.corpus.mentions import PLAIN, Shape, explicit_shapes
from nerscope.corpus.units import ALL, INSIDE, MENTION, TOKEN
from nerscope.scoring.cluster_units import DOCUMENT, SENTENCE, block_size, is_crossed
from nerscope.scoring.evidence import (
    SURFACES,
    AnswerCounts,
    ErrorSum,
    Evidence,
    FacetTable,
    Folded,
    FoldedErrors,
    GluedTokens,
    Ledger,
    Output,
    SampledSentences,
    Signature,
    SurfaceCounts,
    Units,
    unit_at,
)
from nerscope.scoring.metrics import metric_named
from nerscope.scoring.outcomes import OUTCOMES
from nerscope.scoring.pairing import CORRECT

_OUTCOME_COLUMNS = ("gold_credit", "pred_credit", "gold_kind", "pred_kind")
_RECORD_COLUMNS = ("record_ids", "record_names")
_UNIT_COLUMNS = ("weight", "start", "length", "surface")


def pack_evidence(evidence: Evidence, *, with_surfaces: bool = False) -> bytes:
    """Evidence as bytes, from which all rows, comparisons and reports can be computed.

    Only intervals of scores over distinct surfaces need `with_surfaces`, which the cache uses.
    Results files do not store surfaces: their codes depend on the order in which data were read,
    and rows need only their number.
    """
    return pack(_plain_evidence(evidence, with_surfaces), compact=True)


def unpack_evidence(data: bytes) -> Evidence:
    """The evidence from bytes; raises ValueError for invalid content."""
    return evidence_from(unpack(data))


def _plain_evidence(evidence: Evidence, with_surfaces: bool) -> dict[str, Any]:
    runs = range(len(evidence.runs))
    return {
        "dataset": evidence.dataset,
        "types": list(evidence.types),
        "runs": [list(run) for run in evidence.runs],
        "signature": evidence.signature.as_dict(),
        "gold": evidence.gold_name,
        "documents": evidence.documents,
        "lines": evidence.lines,
        "divisions": [_plain_table(table) for table in evidence.tables],
        "ledgers": {
            place: _plain_ledger(ledger, with_surfaces)
            for place, ledger in evidence.ledgers.items()
            if with_surfaces or place != SURFACES
        },
        "surfaces": [_plain_counts(evidence.surface_counts(run)) for run in runs],
        **_plain_answers(evidence),
        "texts": None if evidence.texts is None else list(evidence.texts),
        "zeta": dict(evidence.zeta),
        "line_a_token": evidence.line_a_token,
        **_plain_records(evidence),
        **({} if evidence.glued is None else {"glued": evidence.glued._asdict()}),
        "folded": evidence.folded._asdict() if evidence.folded else None,
        **({"errors": _plain_errors(evidence.errors)} if evidence.errors else {}),
    }


def _plain_errors(errors: FoldedErrors) -> dict[str, Any]:
    sample = errors.sample
    return {
        "sums": [list(column) for column in zip(*errors.sums, strict=True)],
        "wrong": errors.wrong,
        "sample": None
        if sample is None
        else {
            "ledgers": {
                place: _plain_ledger(ledger, with_surfaces=False)
                for place, ledger in sample.ledgers.items()
            },
            "documents": sample.documents,
            "numbers": sample.numbers,
            "lines": sample.lines,
            "texts": None if sample.texts is None else list(sample.texts),
        },
    }


def _plain_records(evidence: Evidence) -> dict[str, Any]:
    """The ids and names of records, if there are any."""
    columns = {name: getattr(evidence, name) for name in _RECORD_COLUMNS}
    return {name: list(column) for name, column in columns.items() if column is not None}


def _plain_answers(evidence: Evidence) -> dict[str, Any]:
    """The counts of the runs that answer in text, if there are any; None for the others."""
    counts = [run.answers for run in evidence.overall.runs]
    if all(known is None for known in counts):
        return {}
    return {"answers": [None if known is None else known._asdict() for known in counts]}


def _plain_counts(counts: SurfaceCounts | None) -> list[int] | None:
    return None if counts is None else list(counts)


def _plain_table(table: FacetTable) -> dict[str, Any]:
    return {
        "facet": table.facet,
        "unit": table.unit,
        "levels": {level: list(codes) for level, codes in table.levels.items()},
        "metrics": {match: list(metrics) for match, metrics in table.metrics.items()},
        "by_type": table.by_type,
        "title": table.title,
    }


def _plain_ledger(ledger: Ledger, with_surfaces: bool) -> dict[str, Any]:
    runs = [
        {
            "pred": _plain_units(run.pred, with_surfaces),
            **{name: dict(getattr(run, name)) for name in _OUTCOME_COLUMNS},
        }
        for run in ledger.runs
    ]
    return {"gold": _plain_units(ledger.gold, with_surfaces), "runs": runs}


def _plain_units(units: Units, with_surfaces: bool) -> dict[str, Any]:
    plain: dict[str, Any] = {
        "sentence": units.sentence,
        "type": units.type,
        "codes": dict(units.codes),
    }
    for name in _UNIT_COLUMNS:
        values = getattr(units, name)
        if values is not None and (with_surfaces or name != "surface"):
            plain[name] = values
    if units.shape is not None:
        # Nearly all mentions are plain; only the others are stored, each with its index.
        shapes = enumerate(units.shape.tolist())
        plain["shapes"] = [[place, *shape] for place, shape in shapes if shape != PLAIN]
    return plain


def evidence_from(plain: Mapping[str, Any]) -> Evidence:
    """Evidence from plain columns, with checks."""
    lines, texts = plain["lines"], plain["texts"]
    records: dict[str, Any] = {
        name: tuple(plain[name]) for name in _RECORD_COLUMNS if name in plain
    }
    evidence = Evidence(
        plain["dataset"],
        tuple(plain["types"]),
        tuple((system, run) for system, run in plain["runs"]),
        _ledgers_from(plain),
        tuple(_table_from(table) for table in plain["divisions"]),
        _column(plain["documents"]),
        Signature.from_dict(plain["signature"]),
        plain["gold"],
        None if lines is None else _column(lines),
        None if texts is None else tuple(texts),
        plain["zeta"],
        plain.get("line_a_token", True) is True,
        _folded_from(plain.get("folded")),
        **records,
        errors=_errors_from(plain.get("errors")),
        glued=_glued_from(plain["glued"]) if "glued" in plain else None,
    )
    check_evidence(evidence)
    return evidence


def _glued_from(plain: Mapping[str, Any]) -> GluedTokens:
    return GluedTokens(_column(plain["sentence"]), _column(plain["position"]))


def _errors_from(plain: Mapping[str, Any] | None) -> FoldedErrors | None:
    if plain is None:
        return None
    sums = tuple(ErrorSum(*cell) for cell in zip(*plain["sums"], strict=True))
    sample, wrong = plain["sample"], plain["wrong"]
    if sample is None:
        return FoldedErrors(sums, wrong, None)
    lines, texts = sample["lines"], sample["texts"]
    sentences = SampledSentences(
        {place: _ledger_from(ledger) for place, ledger in sample["ledgers"].items()},
        _column(sample["documents"]),
        _column(sample["numbers"]),
        None if lines is None else _column(lines),
        None if texts is None else tuple(texts),
    )
    return FoldedErrors(sums, wrong, sentences)


def _column(values: Any, most_dimensions: int = 1) -> Any:
    numbers = isinstance(values, np.ndarray) and values.dtype.kind in "iufb"
    if not numbers or not 1 <= values.ndim <= most_dimensions:
        raise ValueError("a column is not an array of numbers")
    return values


def _columns(plain: Mapping[str, Any], most_dimensions: int = 1) -> dict[str, Any]:
    return {name: _column(values, most_dimensions) for name, values in plain.items()}


def _ledgers_from(plain: Mapping[str, Any]) -> dict[str, Ledger]:
    nothing = [None] * len(plain["runs"])
    surfaces = [
        None if three is None else _counts_from(three) for three in plain.get("surfaces") or nothing
    ]
    answers = [
        None if known is None else _answers_from(known) for known in plain.get("answers", nothing)
    ]
    return {
        place: _ledger_from(ledger, surfaces, answers) for place, ledger in plain["ledgers"].items()
    }


def _counts_from(plain: Sequence[Any]) -> SurfaceCounts:
    if not all(type(number) is int and number >= 0 for number in plain):
        raise ValueError("invalid number of surfaces")
    return SurfaceCounts(*plain)


def _answers_from(plain: Mapping[str, Any]) -> AnswerCounts:
    texts = tuple((str(text), times) for text, times in plain.get("texts", ()))
    known = {name: plain[name] for name in AnswerCounts._fields if name in plain}
    counts = AnswerCounts(**{**known, "texts": texts})
    numbers = [*counts[:-1], *(times for _, times in texts)]
    if not all(type(number) is int and number >= 0 for number in numbers):
        raise ValueError("invalid number of answers")
    return counts


def _ledger_from(
    plain: Mapping[str, Any],
    surfaces: Sequence[SurfaceCounts | None] = (),
    answers: Sequence[AnswerCounts | None] = (),
) -> Ledger:
    nothing = [None] * len(plain["runs"])
    runs = tuple(
        Output(
            _units_from(run["pred"]),
            # Folded evidence has a column for each kind of pair.
            *(_columns(run.get(name, {}), 2) for name in _OUTCOME_COLUMNS),
            surfaces=counts,
            answers=known,
        )
        for run, counts, known in zip(
            plain["runs"], surfaces or nothing, answers or nothing, strict=True
        )
    )
    return Ledger(_units_from(plain["gold"]), runs)


def _units_from(plain: Mapping[str, Any]) -> Units:
    sentence = _column(plain["sentence"])
    return Units(
        sentence,
        _column(plain["type"]),
        _columns(plain["codes"]),
        **{name: _column(plain[name]) for name in _UNIT_COLUMNS if name in plain},
        shape=_shapes_from(plain["shapes"], len(sentence)) if "shapes" in plain else None,
    )


def _shapes_from(plain: list[list[Any]], size: int) -> Any:
    shapes = explicit_shapes(None, size)
    for place, holes, left, right, adrift, text in plain:
        if type(place) is not int or not 0 <= place < size:
            raise ValueError(f"invalid shape of mention {place!r}")
        ranges = tuple((int(low), int(high)) for low, high in holes)
        shapes[place] = Shape(ranges, int(left), int(right), adrift is True, str(text))
    return shapes


def _table_from(plain: Mapping[str, Any]) -> FacetTable:
    return FacetTable(
        plain["facet"],
        plain["unit"],
        {level: tuple(codes) for level, codes in plain["levels"].items()},
        {match: tuple(metrics) for match, metrics in plain["metrics"].items()},
        plain["by_type"],
        plain["title"],
    )


def _folded_from(plain: Mapping[str, Any] | None) -> Folded | None:
    if plain is None:
        return None
    sentences, documents = int(plain["sentences"]), int(plain["documents"])
    return Folded(str(plain["unit"]), sentences, documents, int(plain.get("blocks", 0)))


_LONGEST = 1 << 31


def check_evidence(evidence: Evidence) -> None:
    """Raise ValueError for content that no evaluation writes."""
    for name in (
        evidence.dataset,
        *evidence.types,
        *(part for run in evidence.runs for part in run),
    ):
        _must(isinstance(name, str), f"invalid name {name!r}")
    _must(len(set(evidence.types)) == len(evidence.types), "a type is there twice")
    _must(len(set(evidence.runs)) == len(evidence.runs) > 0, "a run is missing, or is there twice")
    overall = MENTION if evidence.folded is None else f"{MENTION}/{ALL}"
    _must(overall in evidence.ledgers, "the ledger of mentions is missing")
    _must(evidence.units <= {MENTION, INSIDE, TOKEN}, "a ledger has an unknown unit")
    _check_folded(evidence)
    _must(isinstance(evidence.gold_name, str), "the gold file has no name")
    _must(
        isinstance(evidence.zeta, dict) and finite(evidence.zeta.values()),
        "zeta is not a table of numbers",
    )
    n_sentences = len(evidence.documents)
    _must(n_sentences > 0, "it has no sentences")
    _must(_between(evidence.documents, 0, _LONGEST), "documents are not numbers from 0 on")
    _must(
        evidence.lines is None or len(evidence.lines) == n_sentences,
        "lines and sentences differ in number",
    )
    if evidence.texts is not None:
        _must(len(evidence.texts) == n_sentences, "texts and sentences differ in number")
        _must(all(isinstance(text, str) for text in evidence.texts), "a text is not a string")
    for column in (evidence.record_ids, evidence.record_names):
        if column is not None:
            _must(len(column) == n_sentences, "records and sentences differ in number")
            _must(all(isinstance(item, str | None) for item in column), "a record has no name")
    if evidence.glued is not None:
        sentences, positions = evidence.glued
        _must(len(sentences) == len(positions), "columns differ in length")
        _must(_between(sentences, 0, n_sentences), "a token has no sentence")
        _must(_between(positions, 0, _LONGEST), "a token has no place")
    _must(bool(evidence.tables), "it has no facet table")
    for table in evidence.tables:
        _check_table(table, evidence)
    for unit, ledger in evidence.ledgers.items():
        _check_ledger(unit, ledger, evidence)
    if evidence.errors is not None:
        _check_errors(evidence, evidence.errors)


def _check_errors(evidence: Evidence, errors: FoldedErrors) -> None:
    _must(evidence.folded is not None, "only folded evidence has sums of errors")
    n_runs, types = len(evidence.runs), {*evidence.types, None}
    for row in errors.sums:
        counted = type(row.run) is int and type(row.n) is int and row.n > 0
        _must(counted and 0 <= row.run < n_runs, "a sum of errors has no run")
        _must({row.gold, row.predicted} <= types, "a sum of errors has an unknown type")
        _must(row.outcome in OUTCOMES, "a sum of errors has an unknown outcome")
    _must(errors.wrong is None or type(errors.wrong) is int, "invalid number of sentences")
    if errors.sample is not None:
        numbers = errors.sample.numbers
        _must(len(numbers) == len(errors.sample.documents), "sentences have no number")
        _must(_between(numbers, 1, _LONGEST * _LONGEST), "invalid number of a sentence")
        _must(bool((np.diff(numbers) > 0).all()), "sentences are not in order")
        sample = evidence.sample
        assert sample is not None
        check_evidence(sample)


def _check_folded(evidence: Evidence) -> None:
    if evidence.folded is None:
        return
    folded = evidence.folded
    is_block = block_size(folded.unit) is not None and not is_crossed(folded.unit)
    _must(folded.unit in (SENTENCE, DOCUMENT) or is_block, "groups have an unknown unit")
    counts = (folded.sentences, folded.documents, folded.clusters)
    _must(all(0 < count < _LONGEST * _LONGEST for count in counts), "groups are empty")
    _must(len(evidence.documents) <= evidence.folded.clusters, "too many groups")


def _must(holds: bool, fact: str) -> None:
    if not holds:
        raise ValueError(fact)


def _between(values: Ints, low: int, high: int) -> bool:
    return values.dtype.kind in "iu" and (
        not values.size or bool(low <= values.min() and values.max() < high)
    )


def _check_table(table: FacetTable, evidence: Evidence) -> None:
    place = f"facet {table.facet!r}"
    _must(isinstance(table.facet, str) and isinstance(table.title, str), f"{place}: invalid name")
    here = evidence.place(table)
    _must(here in evidence.ledgers, f"{place}: the ledger of its unit is missing")
    codes = [code for level in table.levels.values() for code in level]
    whole = all(type(code) is int and 0 <= code < 10_000 for code in codes)
    _must(bool(codes) and whole, f"{place}: its levels are not sets of codes")
    _must(isinstance(table.by_type, bool), f"{place}: by_type is {table.by_type!r}")
    _must(bool(table.metrics), f"{place}: it has no match")
    ledger = evidence.ledgers[here]
    for match, metrics in table.metrics.items():
        named = bool(metrics) and all(isinstance(name, str) for name in metrics)
        _must(named, f"{place}: it has no metric")
        for name in metrics:
            metric_named(name)
        known = all(match in run.gold_credit and match in run.pred_credit for run in ledger.runs)
        _must(known, f"{place}: the credit by {match!r} is missing")
    if table.facet != ALL:
        for units in (ledger.gold, *(run.pred for run in ledger.runs)):
            _must(table.facet in units.codes, f"{place}: units have no code")


def _check_ledger(unit: str, ledger: Ledger, evidence: Evidence) -> None:
    _must(len(ledger.runs) == len(evidence.runs), "runs and ledgers differ in number")
    unit = unit_at(unit)
    n_types = len(evidence.types) if unit != TOKEN else 1
    _check_units(unit, ledger.gold, evidence, n_types)
    for run in ledger.runs:
        _check_units(unit, run.pred, evidence, n_types)
        _check_output(run, ledger.gold)


def _check_units(unit: str, units: Units, evidence: Evidence, n_types: int) -> None:
    size = len(units.sentence)
    _must(_between(units.sentence, 0, len(evidence.documents)), "a unit has no sentence")
    _must(bool((np.diff(units.sentence) >= 0).all()), "units are not in order")
    _must(
        len(units.type) == size and _between(units.type, 0, max(1, n_types)), "a unit has no type"
    )
    columns = [units.weight, units.start, units.length, units.surface, *units.codes.values()]
    same_size = all(column is None or len(column) == size for column in columns)
    _must(same_size, "columns differ in length")
    for codes in units.codes.values():
        _must(_between(codes, 0, 10_001), "invalid code of a unit")
    if unit == MENTION and evidence.folded is None:
        _must(units.start is not None and units.length is not None, "mentions have no place")
    for column in (units.weight, units.start, units.length):
        _must(column is None or _between(column, 0, _LONGEST), "a place or weight is below 0")
    if unit == MENTION and evidence.texts is not None and evidence.folded is None and size:
        _check_places(units, evidence)


def _check_places(units: Units, evidence: Evidence) -> None:
    assert units.start is not None and units.length is not None and evidence.texts is not None
    sizes = np.array([text.count("\x1f") + 1 for text in evidence.texts])
    inside = units.start + units.length <= sizes[units.sentence]
    nowhere = (units.length == 0) if units.shape is not None else np.zeros(len(units), bool)
    somewhere = bool((nowhere | (units.length > 0)).all())
    _must(bool(inside.all()) and somewhere, "a mention is beyond its sentence")
    if units.shape is not None:
        for shape, length in zip(units.shape, units.length.tolist(), strict=True):
            edges = [0, *(edge for hole in shape.holes for edge in hole), length]
            ordered = all(low < high for low, high in pairwise(edges)) or not shape.holes
            _must(ordered, "a gap of a mention is outside the mention")


def _check_output(run: Output, gold: Units) -> None:
    for credits, units in ((run.gold_credit, gold), (run.pred_credit, run.pred)):
        for credit in credits.values():
            _must(_is_credit(credit, units), "invalid credit of a unit")
    for kinds, units in ((run.gold_kind, gold), (run.pred_kind, run.pred)):
        for kind in kinds.values():
            most = CORRECT + 1 if kind.ndim == 1 else _LONGEST
            fine = len(kind) == len(units) and _between(kind, 0, most)
            _must(fine, "invalid kind of pair")


def _is_credit(credit: Floats | Ints, units: Units) -> bool:
    if credit.shape != (len(units),) or credit.dtype.kind not in "iuf":
        return False
    most = 1 if units.weight is None else units.weight
    return bool(np.isfinite(credit).all() and (credit >= 0).all() and (credit <= most).all())


def finite(values: Iterable[object]) -> bool:
    """Whether all values are None or finite numbers of at most 64 bits."""
    return all(
        value is None
        or (isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < 2**63)
        for value in values
    )
