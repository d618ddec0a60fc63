"""Results of some systems and datasets alone, in the order in which they are named."""

from collections.abc import Iterable, Sequence

from nerscope.errors import UsageError, suggest
from nerscope.results.results import Results
from nerscope.scoring.evidence import only_runs


def narrow_results(
    results: Results, systems: Sequence[str] = (), datasets: Sequence[str] = ()
) -> Results:
    """The results of some systems on some datasets; no name stands for all of them.

    A dataset for which no chosen system has an output is left out.
    """
    known = list(dict.fromkeys(row.dataset for row in results.rows))
    every = list(dict.fromkeys(row.system for row in results.rows))
    _check("--system", systems, every)
    _check("--dataset", datasets, known)
    places = {name: place for place, name in enumerate(dict.fromkeys(systems or every))}
    wanted = {name: place for place, name in enumerate(dict.fromkeys(datasets or known))}
    rows = [row for row in results.rows if row.system in places and row.dataset in wanted]
    if not rows:
        raise UsageError(
            f"--dataset {' '.join(datasets)}",
            "no chosen system has an output for it",
            "choose other systems or datasets",
        )
    rows.sort(key=lambda row: (wanted[row.dataset], places[row.system]))
    kept = {row.dataset for row in rows}
    parts = sorted(
        (part for part in results.evidence if part.dataset in kept),
        key=lambda part: wanted[part.dataset],
    )
    evidence = [
        only_runs(part, [run for name in places for run in part.runs_of(name)]) for part in parts
    ]
    return Results(evidence, results.losses, rows, results.protocol)


def _check(option: str, chosen: Iterable[str], known: Sequence[str]) -> None:
    for name in chosen:
        if name not in known:
            raise UsageError(f"{option} {name}", "it is not in the results", suggest(name, known))
