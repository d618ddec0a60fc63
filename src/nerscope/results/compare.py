"""Is A better than B, where, and can we believe it? From results alone."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np

from nerscope.corpus.units import MENTION, SHOWN_UNIT
from nerscope.errors import InputError, UsageError, expect, suggest
from nerscope.results.errors import check_system
from nerscope.results.over_datasets import dataset_records, rank_records
from nerscope.results.over_runs import run_records
from nerscope.results.protocol import Protocol, chosen_protocol
from nerscope.results.results import Results
from nerscope.results.row import row_value
from nerscope.scoring.evidence import Evidence, FacetTable
from nerscope.scoring.groups import MOST_GROUPS as _POOLED
from nerscope.scoring.metrics import metric_named
from nerscope.stats.compared import Asked, Difference, agreeing, differences
from nerscope.stats.corrections import SIGNIFICANT as SIGNIFICANT
from nerscope.stats.corrections import corrected
from nerscope.stats.corrections import is_significant as is_significant
from nerscope.stats.differences import OUTPUTS, RECIPES
from nerscope.stats.intervals import FEW_CLUSTERS as FEW_CLUSTERS
from nerscope.stats.intervals import Sampling
from nerscope.stats.paired import METHODS

Pair = tuple[str, str]
WIN, LOSS, UNDECIDED = "win", "loss", "undecided"
# What is asked, and within which p-values are corrected: is A better at all; on which levels of
# which facets; on which types; and everything else.
PRIMARY, WHERE, TYPES, OTHER = "primary", "where", "types", "other"
_PREFERRED = ("f1", "recall", "ter")
_MOST_MARGIN = 1e6
MOST_UNPOOLED = _POOLED - 1  # so many clusters or fewer are counted one by one
_QUESTION = ("dataset", "system_a", "system_b", "metric", "a", "b", "n", "low", "high", "differing")


@dataclass(frozen=True, slots=True)
class Comparison:
    """Differences between systems, cell by cell."""

    rows: list[dict[str, Any]]
    settings: dict[str, Any]
    notes: list[str] = field(default_factory=list)
    protocol: Protocol | None = None  # what datasets are to each other

    def tally(self, a: str, b: str) -> Counter[str]:
        """How many cells A wins and loses, and how many are undecided, by the corrected p."""
        return Counter(
            standing(row["metric"], row["difference"], row["p_corrected"])
            for row in self.rows
            if (row["system_a"], row["system_b"]) == (a, b) and row["p_corrected"] is not None
        )

    @property
    def primary(self) -> list[dict[str, Any]]:
        """The rows that answer the first question: is A better than B?"""
        return [row for row in self.rows if row["family"] == PRIMARY]

    def over_runs(self) -> list[dict[str, Any]]:
        """What single runs say: all scores, and whether A's next run beats B's next one."""
        return list(run_records(self.primary))

    def over_datasets(self) -> list[dict[str, Any]]:
        """Each pair over all datasets: mean difference, and on how many A is better."""
        return dataset_records(self.primary, self.settings["correction"], self.protocol)

    def ranks(self) -> list[dict[str, Any]]:
        """The mean rank of each system over the datasets."""
        return rank_records(self.primary)

    def __str__(self) -> str:
        from nerscope.render.comparison import answers

        return "\n".join(answers(self)) or "nothing was compared"

    def _repr_html_(self) -> str:
        from nerscope.render.comparison import comparison_document
        from nerscope.render.document import OUTPUTS

        return OUTPUTS["html"](comparison_document(self, ""))

    def as_dict(self) -> dict[str, Any]:
        """What `compare --format json` prints."""
        return {
            "settings": self.settings,
            "notes": self.notes,
            "rows": self.rows,
            "over_runs": self.over_runs(),
            "over_datasets": self.over_datasets(),
            "ranks": self.ranks(),
        }


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
    method: str = "randomisation",
    about: str | None = None,
    same_seeds: bool = False,
    margin: float | None = None,
    simultaneous: bool = False,
    correction: str = "holm",
    samples: int = 10_000,
    seed: int = 0,
    resample: str | None = None,
    over: str | None = None,
    ratio: float | None = None,
) -> Comparison:
    """Compare two systems, each with a baseline, some pairs, or all of them.

    Every row belongs to a family: "primary" (exact F1 over everything, or the first metric chosen),
    "where" (the levels of each facet by one metric), "types", or "other". p is corrected within the
    family of a pair; for the primary family, over the pairs. `about` is "outputs" or "recipes";
    unless told, it is recipes where a system has several runs. With `same_seeds`, runs belong
    together in order. `margin` (in points) asks whether the systems are equivalent within it.
    `simultaneous` intervals hold for a whole family at once. `over` says what datasets are to each
    other, if the results do not: "splits" (with the `ratio` of test to training sentences),
    "fixed", "drawn", or "domains", which may be either of these.

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
    _check_chosen(results, facets, metrics, matches, types)
    _check_margin(margin)
    protocol = chosen_protocol(results.protocol, over, ratio)
    sampling, asked = Sampling(resample, samples, seed), Asked(method, about, same_seeds)
    found, notes = list[Compared](), list[str]()
    for evidence in results.evidence:
        own, missing = pairs_of(evidence, results, a, b, baseline, pairs)
        notes += missing
        chosen = narrowed(evidence, facets, metrics, matches)
        shown = compared_cells(
            chosen, own, sampling, asked, by_type or types is not None, metrics is not None
        )
        found += [one for one in shown if types is None or one.row["type"] in types]
        notes += run_notes(chosen, own, asked)
    settings = {"method": method, "correction": correction, **sampling.said(results.evidence)}
    rows = [one.row for one in found]
    compared = comparison_of(rows, settings, list(dict.fromkeys(notes)), protocol)
    return _completed(compared, found, margin, simultaneous)


def check_names_list(place: str, given: object) -> None:
    """Refuse what is no list of names; None is none at all."""
    listed = isinstance(given, Sequence) and all(isinstance(one, str) for one in given)
    if given is not None and (isinstance(given, str) or not listed):
        raise UsageError(place, f"{given!r} cannot be", "give a list of names")


class Compared(NamedTuple):
    """A row, and the difference that it was made of."""

    row: dict[str, Any]
    difference: Difference


def _check_margin(margin: float | None) -> None:
    number = isinstance(margin, int | float) and not isinstance(margin, bool)
    if margin is not None and not (number and 0 < margin <= _MOST_MARGIN):
        raise UsageError("margin", f"{margin!r} cannot be", "give a number of points above 0, as 1")


def compared_cells(
    evidence: Evidence,
    pairs: Sequence[Pair],
    sampling: Sampling,
    asked: Asked,
    by_type: bool = False,
    alone: bool = False,
) -> list[Compared]:
    """The differences that are shown, as tidy rows."""
    chosen = evidence if by_type else _only_overall_types(evidence)
    return [
        Compared(difference_row(chosen, one), one)
        for one in differences(chosen, pairs, sampling, asked)
        if _is_shown(one, by_type, alone)
    ]


def _only_overall_types(evidence: Evidence) -> Evidence:
    """The evidence without types that are not shown: those of exact match of everything are."""
    divisions = []
    for one in evidence.divisions:
        shown = {name: own for name, own in one.metrics.items() if _has_types(one.facet, name)}
        rest = {name: own for name, own in one.metrics.items() if name not in shown}
        divisions += [replace(one, metrics=shown)] if shown else []
        divisions += [replace(one, metrics=rest, by_type=False)] if rest else []
    return replace(evidence, divisions=tuple(divisions))


def _has_types(facet: str, match: str) -> bool:
    """Whether types are shown unasked."""
    return facet == "all" and match == "exact"


def run_notes(evidence: Evidence, pairs: Sequence[Pair], asked: Asked) -> Iterator[str]:
    """What the numbers of runs mean for what can be said."""
    sizes = {pair: [len(evidence.runs_of(name)) for name in pair] for pair in pairs}
    single = [pair for pair, own in sizes.items() if max(own) == 1]
    borrowed = [pair for pair, own in sizes.items() if min(own) == 1 < max(own)]
    if single:
        yield "one run each: this compares two outputs, not two methods"
    if asked.about == OUTPUTS and len(single) < len(sizes):
        yield "only these outputs are compared: other training runs may differ more"
    elif borrowed:
        a, b = borrowed[0]
        alone = a if sizes[a, b][0] == 1 else b
        yield f"{alone} has one run: its training noise is taken to be that of the other side"


def _completed(
    found: Comparison, cells: Sequence[Compared], margin: float | None, simultaneous: bool
) -> Comparison:
    """Equivalence and simultaneous intervals, which rest on the families."""
    families: dict[tuple[object, ...], list[Compared]] = {}
    for one in cells:
        families.setdefault(_family_key(one.row), []).append(one)
    for own in families.values():
        if margin is not None:
            p = [_p_equivalent(one.difference, margin) for one in own]
            for one, value in zip(own, corrected(p, found.settings["correction"]), strict=True):
                one.row["p_equivalent"] = row_value(value)
        tested = sum(one.row["p"] is not None for one in own)
        for one in own if simultaneous else ():
            bounds = one.difference.bounds(SIGNIFICANT / max(1, tested))
            p_corrected = one.row["p_corrected"]
            sure = np.nan if p_corrected is None else float(p_corrected)
            found_bounds = agreeing(*bounds, sure, SIGNIFICANT) if bounds else None
            one.row["low"], one.row["high"] = found_bounds or (None, None)
    settings = dict(found.settings)
    if margin is not None:
        settings["margin"] = f"{margin:g}"
    if simultaneous:
        settings["intervals"] = "simultaneous"
    return replace(found, settings=settings)


def _p_equivalent(found: Difference, margin: float) -> float:
    """How surprising it is if the systems differ by the margin or more: the larger of two one-sided
    tests (Schuirmann 1987).
    """
    scale = 100.0 if found.pair.spread.metrics[found.at].is_fraction else 1.0
    return max(found.p_below(margin / scale), found.p_above(-margin / scale))


def _is_shown(found: Difference, by_type: bool, alone: bool) -> bool:
    """Types are shown for all mentions together; for the levels of a facet, only if asked for."""
    if not metric_named(found.key.metric).better and not alone:
        return False  # neither better nor worse, as a share of errors
    overall = _has_types(found.division.facet, found.pair.spread.match)
    return found.key.type is None or by_type or overall


def comparison_of(
    rows: list[dict[str, Any]],
    about: dict[str, Any],
    notes: list[str],
    protocol: Protocol | None = None,
) -> Comparison:
    """A comparison whose rows know their families, with p-values corrected within them."""
    primary = _primary(rows)
    families: dict[tuple[object, ...], list[dict[str, Any]]] = {}
    asked = set[tuple[object, ...]]()
    for row in rows:
        row["family"] = _family(row, primary)
        if row["family"] == WHERE:
            # Levels of two facets that hold the same units are one question, asked once.
            question = tuple(row.get(key) for key in _QUESTION)
            row["family"] = OTHER if question in asked else WHERE
            asked.add(question)
        families.setdefault(_family_key(row), []).append(row)
    for own in families.values():
        p_values = [np.nan if row["p"] is None else row["p"] for row in own]
        for row, p in zip(own, corrected(p_values, about["correction"]), strict=True):
            row["p_corrected"] = row_value(p)
            row.pop("in_where", None)
    about = {
        **about,
        "about": "+".join(sorted({row["about"] for row in rows if row.get("about")})),
        "tests": "+".join(sorted({row["test"] for row in rows if row["test"]})),
    }
    if protocol is not None:
        about |= {"over": protocol.datasets}
        about |= {"ratio": protocol.ratio} if protocol.are_splits else {}
    sizes = [sum(row["test"] in METHODS for row in own) for own in families.values()]
    most, samples = max(sizes, default=0), int(about["samples"])
    if about["correction"] in ("holm", "bonferroni") and most > SIGNIFICANT * (samples + 1):
        notes.append(
            f"{samples} resamples are too few for {most} cells: no corrected p can fall below "
            f"{SIGNIFICANT}; take more samples, or fewer facets and metrics"
        )
    return Comparison(rows, about, notes, protocol)


def _primary(rows: Sequence[dict[str, Any]]) -> tuple[str, str] | None:
    """Match and metric of the one question that is asked first: exact F1 if it is there."""
    overall = [
        (row["match"], row["metric"])
        for row in rows
        if row["facet"] == "all" and row["type"] is None and row["unit"] == MENTION
    ]
    by_f1 = [cell for cell in overall if cell[1] == "f1"]
    return ("exact", "f1") if ("exact", "f1") in overall else next(iter([*by_f1, *overall]), None)


def _family_key(row: dict[str, Any]) -> tuple[object, ...]:
    """Rows of one key are corrected together."""
    pair = () if row["family"] == PRIMARY else (row["system_a"], row["system_b"])
    return (row["family"], *pair)


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
    match, pair = found.pair.spread.match, found.pair
    low, high = found.interval or (None, None)
    return {
        "dataset": evidence.dataset,
        "system_a": pair.a,
        "system_b": pair.b,
        "unit": SHOWN_UNIT[found.division.unit],
        "facet": found.division.facet,
        "level": level,
        "type": None if kind is None else evidence.types[kind],
        "match": match,
        "metric": metric,
        "a": row_value(found.a),
        "b": row_value(found.b),
        "difference": row_value(found.a - found.b),
        "low": low,
        "high": high,
        "p": row_value(found.p),
        "p_corrected": None,
        "family": OTHER,
        "in_where": _in_where(found.division, match, metric),
        "n": round(found.n),
        "clusters": round(float(pair.clusters[found.at])),
        "degrees": row_value(float(pair.all_degrees[found.at])),
        "differing": found.differing,
        "about": pair.about,
        "test": found.test,
        "untested": found.why,
        "detectable": found.detectable(),
        **_run_scores(found),
    }


def _run_scores(found: Difference) -> dict[str, Any]:
    """All runs' scores beside the means: of everything, where runs are asked about."""
    pair = found.pair
    overall = found.division.facet == "all" and found.key.type is None
    if pair.about != RECIPES or not overall:
        return {}
    sides = ((name, pair.spread.runs[system]) for name, system in (("a", pair.a), ("b", pair.b)))
    return {
        f"runs_{name}": [row_value(float(one)) for one in own[:, found.at]] for name, own in sides
    }


def _in_where(division: FacetTable, match: str, metric: str) -> bool:
    """Whether this is the one number by which a facet's levels are asked about."""
    names = division.metrics[match]
    first = next((name for name in _PREFERRED if name in names), names[0])
    return match == division.matches[0] and metric == first


def division_named(
    evidence: Evidence, facet: str, match: str | None = None, metric: str | None = None
) -> FacetTable:
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
