"""Select systems, datasets, pairs to compare, and cells of facets from results."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

from nerscope.corpus.units import MENTION
from nerscope.errors import InputError, UsageError, suggest
from nerscope.results.errors import check_system
from nerscope.results.results import Results
from nerscope.results.rows import Row
from nerscope.scoring.evidence import Evidence, FacetTable, only_runs

PairNames = tuple[str, str]


def narrow_results(
    results: Results, systems: Sequence[str] = (), datasets: Sequence[str] = ()
) -> Results:
    """The results of these systems on these datasets; an empty list means all.

    Datasets without an output of a chosen system are left out.
    """
    known = list(dict.fromkeys(row.dataset for row in results.rows))
    every = list(dict.fromkeys(row.system for row in results.rows))
    _check("--system", systems, every)
    _check("--dataset", datasets, known)
    places = {name: place for place, name in enumerate(dict.fromkeys(systems or every))}
    dataset_places = {name: place for place, name in enumerate(dict.fromkeys(datasets or known))}
    rows = [row for row in results.rows if row.system in places and row.dataset in dataset_places]
    if not rows:
        raise UsageError(
            f"--dataset {' '.join(datasets)}",
            "no chosen system has an output for it",
            "choose other systems or datasets",
        )
    rows.sort(key=lambda row: (dataset_places[row.dataset], places[row.system]))
    shown = {row.dataset for row in rows}
    parts = sorted(
        (part for part in results.evidence if part.dataset in shown),
        key=lambda part: dataset_places[part.dataset],
    )
    evidence = [
        only_runs(part, [run for name in places for run in part.runs_of(name)]) for part in parts
    ]
    return Results(evidence, results.losses, rows, results.protocol)


def on_datasets(results: Results, datasets: Sequence[str] | None) -> Results:
    """The results on these datasets; an empty list or None means all."""
    check_names_list("datasets", datasets)
    if not datasets:
        return results
    known = {part.dataset: part for part in results.evidence}
    for name in datasets:
        if name not in known:
            raise UsageError(
                f"dataset '{name}'", "it is not in the results", suggest(name, list(known))
            )
    chosen = [known[name] for name in dict.fromkeys(datasets)]
    return Results(chosen, results.losses, protocol=results.protocol)


def _check(option: str, chosen: Iterable[str], known: Sequence[str]) -> None:
    for name in chosen:
        if name not in known:
            raise UsageError(f"{option} {name}", "it is not in the results", suggest(name, known))


@dataclass(frozen=True, slots=True)
class CellChoice:
    """The cells of results to compare; None means all."""

    facets: Sequence[str] | None = None
    metrics: Sequence[str] | None = None
    matches: Sequence[str] | None = None
    types: Sequence[str] | None = None
    by_type: bool = False

    @property
    def has_types(self) -> bool:
        """Whether the levels of facets are also compared by type."""
        return self.by_type or self.types is not None


def check_names_list(place: str, given: object) -> None:
    """Raise a UsageError unless the value is a list of names or None."""
    listed = isinstance(given, Sequence) and all(isinstance(name, str) for name in given)
    if given is not None and (isinstance(given, str) or not listed):
        raise UsageError(place, f"invalid value {given!r}", "give a list of names")


def check_choice(results: Results, choice: CellChoice) -> None:
    """Raise a UsageError for a name that no dataset has."""
    tables = [table for evidence in results.evidence for table in evidence.tables]
    measured = {
        metric
        for table in tables
        if not choice.facets or table.facet in choice.facets
        for names in table.metrics.values()
        for metric in names
    }
    known_facets = {table.facet for table in tables}
    known_matches = {match for table in tables for match in table.matches}
    known_types = {name for evidence in results.evidence for name in evidence.types}
    for kind, chosen, known in [
        ("facet", choice.facets, known_facets),
        ("metric", choice.metrics, measured),
        ("match", choice.matches, known_matches),
        ("type", choice.types, known_types),
    ]:
        for name in chosen or ():
            if name not in known:
                raise UsageError(
                    f"{kind} '{name}'", "it is not in the results", suggest(name, known)
                )


def narrow_evidence(
    evidence: Evidence,
    facets: Sequence[str] | None,
    metrics: Sequence[str] | None,
    matches: Sequence[str] | None = None,
) -> Evidence:
    """The evidence restricted to these facets, metrics and matches; None means all."""
    chosen = []
    for table in evidence.tables:
        if facets is None or table.facet in facets:
            kept_metrics = {
                match: tuple(name for name in names if metrics is None or name in metrics)
                for match, names in table.metrics.items()
                if matches is None or match in matches
            }
            kept_metrics = {match: names for match, names in kept_metrics.items() if names}
            if kept_metrics:
                chosen.append(replace(table, metrics=kept_metrics))
    return replace(evidence, tables=tuple(chosen))


def facet_table_named(
    evidence: Evidence, facet: str, match: str | None = None, metric: str | None = None
) -> FacetTable:
    """The table of a facet that has the match or metric, preferably of mentions."""
    tables = [table for table in evidence.tables if table.facet == facet]
    if not tables:
        raise UsageError(
            f"facet '{facet}'", "it is not in the results", suggest(facet, evidence.facets)
        )
    fitting = [table for table in tables if match in table.matches] or [
        table for table in tables if any(metric in names for names in table.metrics.values())
    ]
    fitting = fitting or tables
    return next((table for table in fitting if table.unit == MENTION), fitting[0])


def pairs_of(
    evidence: Evidence,
    results: Results,
    a: str | None,
    b: str | None,
    baseline: str | None,
    pairs: Sequence[PairNames] | None = None,
) -> tuple[list[PairNames], list[str]]:
    """The pairs to compare on a dataset, and notes on systems without an output for it."""
    systems = results.systems
    for name in (a, b, baseline, *(name for pair in pairs or () for name in pair)):
        check_system(results, name)
    if (a is None) != (b is None):
        raise UsageError(
            "compare", "only one system is named", "name two systems, or none for all pairs"
        )
    if len(systems) < 2:
        raise UsageError(
            "compare",
            "the results have only one system",
            "evaluate at least two systems together",
        )
    if pairs is not None:
        chosen = list(pairs)
    elif a is not None and b is not None:
        chosen = [(a, b)]
    elif baseline is not None:
        chosen = [(system, baseline) for system in systems if system != baseline]
    else:
        chosen = list(combinations(systems, 2))
    present = [pair for pair in chosen if all(name in evidence.systems for name in pair)]
    absent = sorted({name for pair in chosen for name in pair if name not in evidence.systems})
    notes = [f"{evidence.dataset}: {name} has no output and is left out" for name in absent]
    return present, notes


_ORDER = ("dataset", "system", "facet", "metric", "level", "type", "match", "unit", "run")


def value_error(
    rows: Sequence[Row],
    wanted: Mapping[str, object],
    given: Mapping[str, object],
    fitting: Sequence[Row],
) -> InputError:
    """Why `Results.value` does not find exactly one row, with the choices that there are.

    `wanted` are all conditions, `given` those of the caller, `fitting` the rows that fulfil them.
    """
    if fitting:
        several = next(name for name in _ORDER if len(_values(fitting, name)) > 1)
        choices = _values(fitting, several)
        fact = f"{len(fitting)} rows fit {dict(given)}: {several} is not given"
        return InputError("results", fact, f"add {several}={choices[0]!r}{_others(choices[1:])}")
    left = list(rows)
    for name in (name for name in _ORDER if name in wanted):
        here = [row for row in left if getattr(row, name) == wanted[name]]
        if not here:
            choices = _values(left, name)
            fact = f"no row fits {dict(given)}: there is no {name}={wanted[name]!r} here"
            if not choices:
                return InputError("results", fact, "evaluate at least one system")
            return InputError("results", fact, f"{name}={choices[0]!r}{_others(choices[1:])}")
        left = here
    raise AssertionError("some row fits")  # or else a condition above has none


def _values(rows: Sequence[Row], name: str) -> list[object]:
    return list(dict.fromkeys(getattr(row, name) for row in rows))


def _others(choices: Sequence[object]) -> str:
    return f" (or {', '.join(map(repr, choices))})" if choices else ""
