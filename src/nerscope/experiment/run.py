"""Running an experiment: many datasets and systems, and only what changed is computed anew."""

import hashlib
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from nerscope.corpus.units import TOKEN
from nerscope.engines.base import Engine, engine_for, is_elastic
from nerscope.engines.local import Local
from nerscope.errors import expect
from nerscope.evaluation.gather import score_task
from nerscope.evaluation.notes import identical_outputs
from nerscope.evaluation.plan import make_plan, select_subsets
from nerscope.evaluation.settings import Settings
from nerscope.evaluation.subsets import parse_subset, with_alignment, with_subsets
from nerscope.evaluation.task import open_task
from nerscope.experiment.cache import Cache, digest, file_digest
from nerscope.experiment.config import Dataset, Experiment
from nerscope.facets.alignment import ALIGNMENT
from nerscope.formats.base import input_files, source_named
from nerscope.formats.notes import SourceNote
from nerscope.formats.source import source_names
from nerscope.results.compare import (
    Comparison,
    PairNames,
    compared_cells,
    comparison_of,
    pairs_of,
    run_notes,
)
from nerscope.results.intervals import (
    RowBounds,
    RowInterval,
    add_intervals,
    bounds_of,
    with_resampling,
)
from nerscope.results.results import Results
from nerscope.results.rows import ComparisonRow
from nerscope.scoring.evidence import Evidence, joined_runs, only_runs
from nerscope.scoring.packing import pack_evidence, unpack_evidence
from nerscope.stats.intervals import Sampling
from nerscope.stats.system_differences import ComparisonPlan

Say = Callable[[str], None]
Run = tuple[str, str]  # system and number


def run_experiment(
    experiment: Experiment,
    *,
    cache: Cache | None = None,
    engine: str | Engine | None = None,
    workers: int = 1,
    plugins: Sequence[str] = (),
    say: Say = lambda note: None,
) -> tuple[Results, Comparison | None]:
    """Evaluate everything; the results are the same with and without cache, for any engine.

    `plugins` are Python files that register facets, matches or metrics. They must be loaded here,
    and are loaded by workers; since nobody knows what they look at, they are never cached.

    >>> import tempfile
    >>> from pathlib import Path
    >>> from nerscope import load_experiment
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "nerscope.toml"
    ...     _ = (Path(folder) / "test.txt").write_text("Ada B-PER\\nspoke O\\n")
    ...     text = '[datasets.tiny]\\ntest = "test.txt"\\n[systems]\\nperfect = "test.txt"\\n'
    ...     _ = path.write_text(text)
    ...     results, comparison = run_experiment(load_experiment(path))
    >>> results.value(metric="f1")
    1.0
    """
    expect("experiment", experiment, Experiment, "give what load_experiment gave")
    cache = Cache(None) if cache is None or plugins else cache
    where = engine_for(engine, workers, plugins)
    scored = {}
    for dataset in experiment.datasets:
        n_runs = sum(map(len, dataset.systems.values()))
        say(f"{dataset.name}: {n_runs} runs of {len(dataset.systems)} systems")
        chosen = _ScoringJob(dataset, experiment.settings, experiment.sampling.resample)
        scored[dataset.name] = _score_dataset(chosen, cache, where, workers)
    results = Results(
        [found.evidence for found in scored.values()],
        [loss for found in scored.values() for loss in found.losses],
        protocol=experiment.protocol,
    )
    return _add_statistics(experiment, results, scored, cache, say)


def _add_statistics(
    experiment: Experiment,
    results: Results,
    scored: Mapping[str, "_ScoredDataset"],
    cache: Cache,
    say: Say,
) -> tuple[Results, Comparison | None]:
    """Intervals and comparisons, if the experiment wants them."""
    sampling = experiment.sampling
    differences, notes = list[ComparisonRow](), list[str]()
    chosen = {"method": "randomisation", "about": None, "correction": "holm", "baseline": None}
    chosen |= experiment.comparison or {}
    asked = ComparisonPlan(str(chosen["method"]), chosen["about"])
    for evidence in results.evidence:
        systems = evidence.systems if experiment.intervals else []
        pairs: list[PairNames] = []
        if experiment.comparison is not None:
            pairs, missing = pairs_of(evidence, results, None, None, chosen["baseline"])
            notes += [*missing, *run_notes(evidence, pairs, asked)]
        if systems or pairs:
            say(f"{evidence.dataset}: resampling {len(systems)} systems and {len(pairs)} pairs")
        keys = scored[evidence.dataset].keys
        work = _Resampling(evidence, keys, sampling, asked, cache)
        bounds, found = work.done(systems, pairs)
        rows = add_intervals(results.rows, evidence.dataset, bounds)
        results = Results(results.evidence, results.losses, rows, results.protocol)
        differences += found
    if experiment.intervals:
        evidence_signed = [with_resampling(part, sampling) for part in results.evidence]
        results = Results(evidence_signed, results.losses, results.rows, results.protocol)
    if experiment.comparison is None:
        return results, None
    said = {key: chosen[key] for key in ("method", "correction")} | sampling.as_settings(
        results.evidence
    )
    return results, comparison_of(
        differences, said, list(dict.fromkeys(notes)), experiment.protocol
    )


@dataclass(frozen=True, slots=True)
class _Resampling:
    """The resampling of one dataset: what the cache does not know is done in one pass."""

    evidence: Evidence
    run_keys: Mapping[Run, str]
    sampling: Sampling
    asked: ComparisonPlan
    cache: Cache

    def done(
        self, systems: Sequence[str], pairs: Sequence[PairNames]
    ) -> tuple[dict[str, RowBounds], list[ComparisonRow]]:
        bound_keys = {system: self._bounds_key(system) for system in systems}
        known_pairs = pair_keys(self.evidence, pairs, self.sampling, self.asked) if pairs else {}
        old_bounds = {system: self.cache.get(key) for system, key in bound_keys.items()}
        old_rows = {pair: self.cache.get(key) for pair, key in known_pairs.items()}
        new_systems = [system for system, known in old_bounds.items() if known is None]
        new_pairs = [pair for pair, known in old_rows.items() if known is None]
        bounds: dict[str, RowBounds] = {
            name: {key: RowInterval(*values) for key, values in (known or {}).items()}
            for name, known in old_bounds.items()
        }
        rows = {
            pair: [ComparisonRow(**row) for row in known or []] for pair, known in old_rows.items()
        }
        if new_systems:
            bounds |= bounds_of(self.evidence, new_systems, self.sampling)
        for found in compared_cells(self.evidence, new_pairs, self.sampling, self.asked):
            rows[found.row.pair].append(found.row)
        for system in new_systems:
            self.cache.put(
                bound_keys[system], {key: tuple(found) for key, found in bounds[system].items()}
            )
        for pair in new_pairs:
            self.cache.put(known_pairs[pair], [asdict(row) for row in rows[pair]])
        return bounds, [row for pair in pairs for row in rows[pair]]

    def _bounds_key(self, system: str) -> str:
        runs = [self.run_keys[self.evidence.runs[run]] for run in self.evidence.runs_of(system)]
        divided = [[one.facet, one.unit] for one in self.evidence.divisions]
        return digest("intervals", runs, asdict(self.sampling), self.evidence.types, divided)


class _ScoredDataset(NamedTuple):
    """What was found for one dataset, and a key for all that each run rests on."""

    evidence: Evidence
    losses: list[SourceNote]
    keys: dict[Run, str]


class _ScoringJob(NamedTuple):
    """What is to be scored, and how; the unit is that by which groups are made of large data."""

    dataset: Dataset
    settings: Settings
    unit: str | None


def _score_dataset(
    chosen: _ScoringJob, cache: Cache, engine: Engine, workers: int
) -> _ScoredDataset:
    dataset, settings, _ = chosen
    keys = _run_keys(chosen)
    entries = {run: _unpack_entry(cache.get(key)) for run, key in keys.items()}
    missing = [run for run, entry in entries.items() if entry is None]
    answers = _score_runs(chosen, missing, engine, workers)
    for run, answer in zip(missing, answers, strict=True):
        entries[run] = _unpack_entry(answer)
        cache.put(keys[run], answer)
    parts = [entry for entry in entries.values() if entry is not None]
    losses = {(loss["source"], loss["message"]): loss for _, own in parts for loss in own}
    evidence = [part for part, _ in parts]
    schemes = dict.fromkeys(name for part in evidence for name in part.signature.scheme.split("+"))
    joined = joined_runs(evidence)
    policies = dict.fromkeys(
        name for part in evidence for name in part.signature.answers.split("+") if name != "none"
    )
    found = "+".join(policies) or "none"
    signature = replace(joined.signature, scheme="+".join(schemes), answers=found)
    flat = TOKEN in joined.units
    subsets = select_subsets(settings, with_train=dataset.train is not None, flat=flat)
    every = [division for part in evidence for division in part.divisions]
    aligned = next((one for one in every if one.facet == ALIGNMENT), None)
    if aligned is not None and settings.facets is None and joined.folded is None:
        joined = with_alignment(joined, aligned)
        subsets.append(parse_subset(ALIGNMENT))
    whole = with_subsets(replace(joined, signature=signature), subsets)
    alike = identical_outputs(whole, list(_repeated_runs(dataset)))
    return _ScoredDataset(whole, [*losses.values(), *alike], keys)


def _repeated_runs(dataset: Dataset) -> Iterator[Run]:
    """Runs with the very file of an earlier one: of a system in which there is no chance."""
    for system, files in dataset.systems.items():
        for number, file in enumerate(files, 1):
            if file in files[: number - 1]:
                yield system, str(number)


def _unpack_entry(entry: Any) -> tuple[Evidence, list[SourceNote]] | None:
    """What an entry of the cache says; None if it is of no use."""
    if entry is None:
        return None
    try:
        return unpack_evidence(entry["evidence"]), list(entry["losses"])
    except (AttributeError, IndexError, KeyError, TypeError, ValueError, zlib.error):
        return None


def _run_keys(chosen: _ScoringJob) -> dict[Run, str]:
    """A key for each run: everything that can move its numbers."""
    dataset, settings, unit = chosen
    train = _file_key(dataset.train) if dataset.train else None
    base = [_file_key(dataset.test), train, asdict(settings), unit, dataset.name]
    return {
        (system, str(number)): digest(*base, system, str(number), _file_key(file))
        for system, files in dataset.systems.items()
        for number, file in enumerate(files, 1)
    }


def _file_key(text: str) -> list[str]:
    try:
        return [*map(file_digest, input_files(text)), text]
    except OSError:
        return [text]  # reading it will say what is wrong


def _score_runs(
    chosen: _ScoringJob, runs: Sequence[Run], engine: Engine, workers: int
) -> list[dict[str, Any]]:
    """Score some runs, in shares; the order of the answers is that of the runs."""
    if not runs:
        return []
    many = len(runs) if is_elastic(engine) else workers  # a cluster has workers of its own
    size = -(-len(runs) // many)
    shares = [list(runs[first : first + size]) for first in range(0, len(runs), size)]
    where = engine if len(shares) > 1 else Local()
    answers = where.map(_score_share, chosen, shares)
    return [entry for answer in answers for entry in answer]


def _score_share(chosen: _ScoringJob, runs: Sequence[Run]) -> list[dict[str, Any]]:
    dataset, settings, unit = chosen
    # Each run under a name of its own, so that its number among the system's runs is kept.
    files = [dataset.systems[system][int(number) - 1] for system, number in runs]
    named = {f"{k}": source_named(file) for k, file in enumerate(files)}
    train = source_named(dataset.train) if dataset.train else None
    task = open_task(source_named(dataset.test), named, train, dataset.name, settings)
    found = score_task(task, make_plan(task, Local()), Local(), cluster_unit=unit)
    shared = {*source_names(task.gold), *(source_names(task.train) if task.train else ())}
    entries = []
    for index, run in enumerate(runs):
        own = replace(only_runs(found.evidence, [index]), runs=(run,))
        names = {*shared, *source_names(named[f"{index}"])}
        entries.append(
            {
                "evidence": pack_evidence(own, with_surfaces=True),
                "losses": [loss for loss in found.notes if loss["source"] in names],
            }
        )
    return entries


def pair_keys(
    evidence: Evidence, pairs: Sequence[PairNames], sampling: Sampling, asked: ComparisonPlan
) -> dict[PairNames, str]:
    """A key for all that the comparison of each pair rests on."""
    about: list[Any] = [evidence.dataset, asdict(sampling), asdict(asked), evidence.types]
    about.append(evidence.documents.tolist())
    about.append([asdict(division) for division in evidence.divisions])
    about.append(evidence.signature.zero_division)
    runs = {
        system: [_run_digest(evidence, run) for run in evidence.runs_of(system)]
        for system in evidence.systems
    }
    return {(a, b): digest("pair", a, b, runs[a], runs[b], about) for a, b in pairs}


def _run_digest(evidence: Evidence, run: int) -> str:
    """A key for all that a run's comparisons rest on."""
    content = hashlib.sha256()
    for ledger in evidence.ledgers.values():
        output = ledger.runs[run]
        for units in (ledger.gold, output.pred):
            for column in (units.sentence, units.type, units.weight, *units.codes.values()):
                content.update(np.ascontiguousarray(0 if column is None else column, np.int64).data)
        for credit in (*output.gold_credit.values(), *output.pred_credit.values()):
            content.update(np.ascontiguousarray(credit, np.float64).data)
    return content.hexdigest()
