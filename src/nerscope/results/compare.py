"""Is A better than B, where, and can we believe it? From results alone."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import Any

import numpy as np

from nerscope.corpus.units import MENTION, SHOWN_UNIT
from nerscope.errors import InputError, UsageError, expect, suggest
from nerscope.results.errors import check_system
from nerscope.results.results import Results
from nerscope.results.row import row_value
from nerscope.scoring.evidence import Division, Evidence
from nerscope.scoring.metrics import metric_named
from nerscope.stats.corrections import SIGNIFICANT as SIGNIFICANT
from nerscope.stats.corrections import corrected
from nerscope.stats.corrections import is_significant as is_significant
from nerscope.stats.draws import Difference, draw
from nerscope.stats.intervals import Sampling
from nerscope.stats.paired import METHODS

Pair = tuple[str, str]
WIN, LOSS, UNDECIDED = "win", "loss", "undecided"
# What is asked, and within which p-values are corrected: is A better at all; on which levels of
# which facets; on which types; and everything else.
PRIMARY, WHERE, TYPES, OTHER = "primary", "where", "types", "other"
_PREFERRED = ("f1", "recall", "ter")


@dataclass(frozen=True, slots=True)
class Comparison:
    """Differences between systems, cell by cell."""

    rows: list[dict[str, Any]]
    settings: dict[str, Any]
    notes: list[str] = field(default_factory=list)

    def tally(self, a: str, b: str) -> Counter[str]:
        """How many cells A wins and loses, and how many are undecided, by the corrected p."""
        return Counter(
            standing(row["metric"], row["difference"], row["p_corrected"])
            for row in self.rows
            if (row["system_a"], row["system_b"]) == (a, b) and row["p_corrected"] is not None
        )

    def __str__(self) -> str:
        from nerscope.render.comparison import answers

        return "\n".join(answers(self)) or "nothing was compared"

    def _repr_html_(self) -> str:
        from nerscope.render.comparison import comparison_document
        from nerscope.render.document import OUTPUTS

        return OUTPUTS["html"](comparison_document(self, ""))

    def as_dict(self) -> dict[str, Any]:
        """What `compare --format json` prints."""
        return {"settings": self.settings, "notes": self.notes, "rows": self.rows}


def standing(metric: str, difference: float, p: float | None) -> str:
    """Whether the first of two systems wins a cell, loses it, or nothing can be told.

    >>> standing("ter", -0.02, 0.01), standing("f1", -0.02, 0.01), standing("f1", 0.02, 0.3)
    ('win', 'loss', 'undecided')
    """
    better = metric_named(metric).gain(difference)
    return UNDECIDED if not better or not is_significant(p) else WIN if better > 0 else LOSS


def compare(
    results: Results,
    a: str | None = None,
    b: str | None = None,
    *,
    baseline: str | None = None,
    pairs: Sequence[Pair] | None = None,
    facets: Sequence[str] | None = None,
    metrics: Sequence[str] | None = None,
    matches: Sequence[str] | None = None,
    types: Sequence[str] | None = None,
    by_type: bool = False,
    method: str = "bootstrap",
    correction: str = "holm",
    samples: int = 10_000,
    seed: int = 0,
    resample: str = "sentence",
) -> Comparison:
    """Compare two systems, each with a baseline, some pairs, or all of them.

    Every row belongs to a family: "primary" (exact F1 over everything, or the first metric chosen),
    "where" (the levels of each facet by one metric), "types", or "other". p is corrected within the
    family of a pair; for the primary family, over the pairs.

    >>> from nerscope import evaluate
    >>> gold = [(["Ada", "met", "Bob"], ["B-PER", "O", "B-PER"])] * 20
    >>> all_found, none = [["B-PER", "O", "B-PER"]] * 20, [["O", "O", "O"]] * 20
    >>> results = evaluate(gold, {"x": all_found, "y": none})
    >>> compare(results, "x", "y", metrics=["f1"], samples=200).rows[0]["difference"]
    1.0
    """
    expect("results", results, Results, "give what evaluate or Results.load gave")
    lists = {"facets": facets, "metrics": metrics, "matches": matches, "types": types}
    for name, given in lists.items():
        check_names_list(name, given)
    expect("method", method, str, "give the name of a method")
    expect("correction", correction, str, "give the name of a correction")
    if not results.evidence:
        raise InputError(
            "results", "they hold no evidence to resample", "evaluate again, and save with `-o`"
        )
    corrected([], correction)
    METHODS[method]
    _check_chosen(results, facets, metrics, matches, types)
    sampling = Sampling(resample, samples, seed)
    rows, notes = list[dict[str, Any]](), list[str]()
    for evidence in results.evidence:
        own, missing = pairs_of(evidence, results, a, b, baseline, pairs)
        notes += missing
        chosen = narrowed(evidence, facets, metrics, matches)
        found = differences_of(chosen, own, sampling, method)
        shown = shown_rows(chosen, found, by_type or types is not None, metrics is not None)
        rows += [row for row in shown if types is None or row["type"] in types]
    about = {"method": method, "correction": correction, **sampling.signature()}
    return comparison_of(rows, about, notes)


def check_names_list(place: str, given: object) -> None:
    """Refuse what is no list of names; None is none at all."""
    listed = isinstance(given, Sequence) and all(isinstance(one, str) for one in given)
    if given is not None and (isinstance(given, str) or not listed):
        raise UsageError(place, f"{given!r} cannot be", "give a list of names")


def differences_of(
    evidence: Evidence,
    pairs: Sequence[Pair],
    sampling: Sampling,
    method: str,
    alpha: float = SIGNIFICANT,
) -> Iterator[Difference]:
    """Every number of every pair, tested, with the interval that leaves out a share of alpha."""
    systems = list(dict.fromkeys(system for pair in pairs for system in pair))
    if pairs:
        for draws in draw(evidence, sampling, systems, swaps=METHODS[method].needs_swaps):
            yield from draws.differences(pairs, method, alpha)


def shown_rows(
    evidence: Evidence, found: Iterable[Difference], by_type: bool, alone: bool = False
) -> list[dict[str, Any]]:
    """The differences that are shown, as tidy rows."""
    return [difference_row(evidence, one) for one in found if _is_shown(one, by_type, alone)]


def _is_shown(found: Difference, by_type: bool, alone: bool) -> bool:
    """Types are shown for all mentions together; for the levels of a facet, only if asked for."""
    if not metric_named(found.key.metric).better and not alone:
        return False  # neither better nor worse, as a share of errors
    overall = found.division.facet == "all" and found.match == "exact"
    return found.key.type is None or by_type or overall


def comparison_of(
    rows: list[dict[str, Any]], about: dict[str, Any], notes: list[str]
) -> Comparison:
    """A comparison whose rows know their families, with p-values corrected within them."""
    primary = _primary(rows)
    families: dict[tuple[str, ...], list[dict[str, Any]]] = {}
    for row in rows:
        row["family"] = _family(row, primary)
        pair = () if row["family"] == PRIMARY else (row["system_a"], row["system_b"])
        families.setdefault((row["family"], *pair), []).append(row)
    for own in families.values():
        p_values = [np.nan if row["p"] is None else row["p"] for row in own]
        for row, p in zip(own, corrected(p_values, about["correction"]), strict=True):
            row["p_corrected"] = row_value(p)
            row.pop("in_where", None)
    most, samples = max(map(len, families.values()), default=0), int(about["samples"])
    if about["correction"] in ("holm", "bonferroni") and most > SIGNIFICANT * (samples + 1):
        notes.append(
            f"{samples} resamples are too few for {most} cells: no corrected p can fall below "
            f"{SIGNIFICANT}; take more samples, or fewer facets and metrics"
        )
    return Comparison(rows, about, notes)


def _primary(rows: Sequence[dict[str, Any]]) -> tuple[str, str] | None:
    """Match and metric of the one question that is asked first: exact F1 if it is there."""
    overall = [
        (row["match"], row["metric"])
        for row in rows
        if row["facet"] == "all" and row["type"] is None and row["unit"] == MENTION
    ]
    by_f1 = [cell for cell in overall if cell[1] == "f1"]
    return ("exact", "f1") if ("exact", "f1") in overall else next(iter([*by_f1, *overall]), None)


def _family(row: dict[str, Any], primary: tuple[str, str] | None) -> str:
    cell = (row["match"], row["metric"])
    if row["facet"] == "all" and row["unit"] == MENTION and cell == primary:
        return PRIMARY if row["type"] is None else TYPES
    if row["facet"] == "all" or row["type"] is not None or not row["in_where"]:
        return OTHER
    return WHERE


def pairs_of(
    evidence: Evidence,
    results: Results,
    a: str | None,
    b: str | None,
    baseline: str | None,
    pairs: Sequence[Pair] | None = None,
) -> tuple[list[Pair], list[str]]:
    """The pairs to compare on a dataset, and who is missing there."""
    everyone = results.systems
    for name in (a, b, baseline, *(name for pair in pairs or () for name in pair)):
        check_system(results, name)
    if (a is None) != (b is None):
        raise UsageError(
            "compare", "only one system is named", "name two systems, or none for all pairs"
        )
    if len(everyone) < 2:
        raise UsageError(
            "compare",
            "there is only one system in the results",
            "evaluate at least two systems together",
        )
    if pairs is not None:
        wanted = list(pairs)
    elif a is not None and b is not None:
        wanted = [(a, b)]
    elif baseline is not None:
        wanted = [(system, baseline) for system in everyone if system != baseline]
    else:
        wanted = list(combinations(everyone, 2))
    present = [pair for pair in wanted if all(name in evidence.systems for name in pair)]
    absent = sorted({name for pair in wanted for name in pair if name not in evidence.systems})
    notes = [f"{evidence.dataset}: {name} has no output here and is left out" for name in absent]
    return present, notes


def narrowed(
    evidence: Evidence,
    facets: Sequence[str] | None,
    metrics: Sequence[str] | None,
    matches: Sequence[str] | None = None,
) -> Evidence:
    """The evidence with some of its facets, metrics and matches."""
    chosen = []
    for division in evidence.divisions:
        if facets is None or division.facet in facets:
            own = {
                match: tuple(name for name in names if metrics is None or name in metrics)
                for match, names in division.metrics.items()
                if matches is None or match in matches
            }
            own = {match: names for match, names in own.items() if names}
            if own:
                chosen.append(replace(division, metrics=own))
    return replace(evidence, divisions=tuple(chosen))


def _check_chosen(
    results: Results,
    facets: Sequence[str] | None,
    metrics: Sequence[str] | None,
    matches: Sequence[str] | None,
    types: Sequence[str] | None,
) -> None:
    """Refuse what none of the datasets has."""
    divisions = [division for evidence in results.evidence for division in evidence.divisions]
    measured = {
        metric
        for division in divisions
        if not facets or division.facet in facets
        for names in division.metrics.values()
        for metric in names
    }
    known_facets = {division.facet for division in divisions}
    known_matches = {match for division in divisions for match in division.matches}
    known_types = {name for evidence in results.evidence for name in evidence.types}
    for kind, chosen, known in [
        ("facet", facets, known_facets),
        ("metric", metrics, measured),
        ("match", matches, known_matches),
        ("type", types, known_types),
    ]:
        for name in chosen or ():
            if name not in known:
                raise UsageError(
                    f"{kind} '{name}'", "it is not in the results", suggest(name, known)
                )


def difference_row(evidence: Evidence, found: Difference) -> dict[str, Any]:
    """A difference as a tidy row."""
    level, kind, metric = found.key
    low, high = found.interval or (None, None)
    return {
        "dataset": evidence.dataset,
        "system_a": found.a_system,
        "system_b": found.b_system,
        "unit": SHOWN_UNIT[found.division.unit],
        "facet": found.division.facet,
        "level": level,
        "type": None if kind is None else evidence.types[kind],
        "match": found.match,
        "metric": metric,
        "a": row_value(found.a),
        "b": row_value(found.b),
        "difference": row_value(found.a - found.b),
        "low": low,
        "high": high,
        "p": row_value(found.p),
        "p_corrected": None,
        "family": OTHER,
        "in_where": _in_where(found.division, found.match, metric),
        "n": round(found.n),
    }


def _in_where(division: Division, match: str, metric: str) -> bool:
    """Whether this is the one number by which a facet's levels are asked about."""
    names = division.metrics[match]
    first = next((name for name in _PREFERRED if name in names), names[0])
    return match == division.matches[0] and metric == first


def division_named(
    evidence: Evidence, facet: str, match: str | None = None, metric: str | None = None
) -> Division:
    """The division of a facet: that of mentions, or the one that has a match or metric."""
    found = [one for one in evidence.divisions if one.facet == facet]
    if not found:
        raise UsageError(
            f"facet '{facet}'", "it is not in the results", suggest(facet, evidence.facets)
        )
    own = [one for one in found if match in one.matches] or [
        one for one in found if any(metric in names for names in one.metrics.values())
    ]
    own = own or found
    return next((one for one in own if one.unit == MENTION), own[0])
