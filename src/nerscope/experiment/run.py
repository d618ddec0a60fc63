"""Run an experiment: many datasets and systems, where only what changed is computed.

The cache has an entry for each run (its evidence), each system (its intervals) and each pair of
systems (its comparison). So an experiment with one more output scores only this run and compares
only its pairs. `evaluate` and `compare` take all runs of a dataset at once. This module uses their
steps instead: it scores the runs that are not cached, joins the evidence of all runs, and computes
the statistics only for the systems and pairs that are not cached.
"""

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from nerscope.arguments import check_arguments
from nerscope.codec import serialisable
from nerscope.corpus.units import TOKEN
from nerscope.engines.base import Engine, engine_for, is_elastic
from nerscope.engines.local import Local
from nerscope.errors import AlignmentError, expect
from nerscope.evaluation.gather import run_passes, score_joined
from nerscope.evaluation.notes import identical_outputs
from nerscope.evaluation.plan import select_subsets
from nerscope.evaluation.subsets import parse_subset, with_alignment, with_subsets
from nerscope.evaluation.task import Settings, open_task
from nerscope.experiment.cache import Cache, digest, file_digest
from nerscope.experiment.config import Dataset, Experiment
from nerscope.facets.alignment import ALIGNMENT
from nerscope.formats.base import input_files, source_named
from nerscope.formats.source import SourceNote, source_names
from nerscope.results.compare import (
    PRIMARY,
    Comparison,
    PairNames,
    compared_cells,
    comparison_of,
    note_shared_texts,
    pairs_of,
    run_notes,
)
from nerscope.results.intervals import RowBounds, bounds_of, with_intervals
from nerscope.results.neighbours import likeness_note
from nerscope.results.plausible import DEFAULT_PLAUSIBLE, with_plausible
from nerscope.results.results import Results
from nerscope.results.rows import ComparisonRow
from nerscope.results.terms import bucket_ranges
from nerscope.scoring.evidence import Evidence, joined_runs, only_runs
from nerscope.scoring.packing import pack_evidence, unpack_evidence
from nerscope.stats.corrections import DEFAULT_CORRECTION
from nerscope.stats.intervals import Sampling
from nerscope.stats.paired import DEFAULT_METHOD
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
    """Evaluate every system on every dataset; with a [compare] table, compare the systems.

    - `cache`: stores finished work; results are the same with and without it.
    - `engine`, `workers`: where the work is done (docs/engines.md); numbers do not change.
    - `plugins`: Python files that register facets, matches or metrics. Load them in this
      process first; workers load them themselves. With plug-ins nothing is cached, because a key
      cannot cover what their code reads.
    - `say`: called with a line of text for each step.

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
    check_arguments(run_experiment, locals())
    expect("experiment", experiment, Experiment, "give the result of load_experiment(FILE)")
    cache = Cache(None) if cache is None or plugins else cache
    chosen_engine = engine_for(engine, workers, plugins)
    scored = []
    for dataset in experiment.datasets:
        n_runs = sum(map(len, dataset.systems.values()))
        say(f"{dataset.name}: {n_runs} runs of {len(dataset.systems)} systems")
        job = _ScoringJob(dataset, experiment.settings, experiment.sampling.resample)
        scored.append(_score_dataset(job, cache, chosen_engine, workers))
    results = Results(
        [scores.evidence for scores in scored],
        [note for scores in scored for note in scores.notes],
        protocol=experiment.protocol,
    )
    run_keys = {scores.evidence.dataset: scores.keys for scores in scored}
    statistics = _Statistics(experiment, run_keys, cache, say)
    if experiment.intervals:
        results = with_intervals(results, experiment.sampling, statistics.bounds)
    if experiment.comparison is None:
        return results, None
    return results, statistics.compare(results, experiment.comparison)


@dataclass(frozen=True, slots=True)
class _Statistics:
    """The intervals and comparisons of an experiment, from the cache or computed."""

    experiment: Experiment
    run_keys: Mapping[str, Mapping[Run, str]]  # by dataset
    cache: Cache
    say: Say

    def bounds(
        self, evidence: Evidence, systems: Sequence[str], sampling: Sampling
    ) -> dict[str, RowBounds]:
        """The bounds of each system's intervals."""
        self.say(f"{evidence.dataset}: intervals of {len(systems)} systems")
        keys = {system: self._bounds_key(evidence, system) for system in systems}

        def compute(missing: Sequence[str]) -> Iterable[RowBounds]:
            return bounds_of(evidence, missing, sampling).values()

        return self.cache.remember(keys, compute)

    def compare(self, results: Results, options: Mapping[str, Any]) -> Comparison:
        """The comparison of all pairs, or of each system with the baseline."""
        options = {"method": DEFAULT_METHOD, "correction": DEFAULT_CORRECTION, **options}
        sampling = self.experiment.sampling
        plan = ComparisonPlan(options["method"], options.get("about"))
        rows, notes = list[ComparisonRow](), list[str]()
        protocol = self.experiment.protocol
        is_split = protocol is not None and protocol.are_splits and len(results.evidence) > 1
        for evidence in results.evidence:
            pairs, missing = pairs_of(evidence, results, None, None, options.get("baseline"))
            notes += [*missing, *run_notes(evidence, pairs, plan, is_split)]
            notes += likeness_note(evidence, pairs, sampling.cluster_unit(evidence))
            self.say(f"{evidence.dataset}: comparisons of {len(pairs)} pairs")
            keys = pair_keys(evidence, pairs, sampling, plan) if pairs else {}
            compute = partial(_pair_rows, evidence, sampling, plan)
            for pair_rows in self.cache.remember(keys, compute).values():
                rows += pair_rows
        settings = {key: options[key] for key in ("method", "correction")}
        settings |= sampling.as_settings(results.evidence)
        unique_notes = list(dict.fromkeys(notes))
        comparison = comparison_of(rows, settings, unique_notes, protocol)
        rows = with_plausible(comparison.rows, PRIMARY, DEFAULT_PLAUSIBLE, options["correction"])
        comparison = replace(comparison, rows=rows, ranges=bucket_ranges(results.evidence))
        return note_shared_texts(comparison, results.evidence)

    def _bounds_key(self, evidence: Evidence, system: str) -> str:
        keys = self.run_keys[evidence.dataset]
        runs = {
            name: [keys[evidence.runs[run]] for run in evidence.runs_of(name)]
            for name in evidence.systems
        }
        # Run keys cover files and settings; types and facets also depend on the other runs.
        tables = [[table.facet, table.unit] for table in evidence.tables]
        sampling = asdict(self.experiment.sampling)
        lenders = _lenders(runs, [system])
        return digest("intervals", runs[system], sampling, evidence.types, tables, lenders)


def _pair_rows(
    evidence: Evidence, sampling: Sampling, plan: ComparisonPlan, pairs: Sequence[PairNames]
) -> list[list[ComparisonRow]]:
    rows: dict[PairNames, list[ComparisonRow]] = {pair: [] for pair in pairs}
    for cell in compared_cells(evidence, pairs, sampling, plan):
        rows[cell.row.pair].append(cell.row)
    return list(rows.values())


class _ScoredDataset(NamedTuple):
    """The evidence of one dataset, notes on its files, and the cache key of each run."""

    evidence: Evidence
    notes: list[SourceNote]
    keys: dict[Run, str]


class _ScoringJob(NamedTuple):
    """The input of scoring the runs of a dataset, shared by all workers."""

    dataset: Dataset
    settings: Settings
    cluster_unit: str | None  # large data are folded by this unit


@serialisable
class _RunEntry(NamedTuple):
    """The cache entry of a run, also returned by workers: packed evidence and notes."""

    evidence: bytes
    notes: list[SourceNote]


def _score_dataset(job: _ScoringJob, cache: Cache, engine: Engine, workers: int) -> _ScoredDataset:
    """Score the runs that are not cached, and join the evidence of all runs."""
    dataset, settings, _ = job
    keys = _run_keys(job)
    entries = cache.remember(keys, lambda runs: _score_runs(job, runs, engine, workers))
    scored = [(unpack_evidence(entry.evidence), entry.notes) for entry in entries.values()]
    notes = {(note["source"], note["message"]): note for _, notes in scored for note in notes}
    evidence = [of_run for of_run, _ in scored]
    joined = _join_signatures(joined_runs(evidence), evidence)
    flat = TOKEN in joined.units  # nested mentions have no token ledger
    subsets = select_subsets(settings, with_train=bool(dataset.train), flat=flat)
    # If one run was realigned, all runs are divided by alignment, as in `evaluate`. This includes
    # runs that were cached before.
    tables = [table for of_run in evidence for table in of_run.tables]
    alignment = next((table for table in tables if table.facet == ALIGNMENT), None)
    if alignment is not None and settings.facets is None and joined.folded is None:
        joined = with_alignment(joined, alignment)
        subsets.append(parse_subset(ALIGNMENT))
    divided = with_subsets(joined, subsets)
    twins = identical_outputs(divided, list(_repeated_runs(dataset)))
    return _ScoredDataset(divided, [*notes.values(), *twins], keys)


def _join_signatures(joined: Evidence, evidence: Sequence[Evidence]) -> Evidence:
    """The joined evidence with the distinct schemes and answer policies of all runs.

    A run with the scheme "BIO" and a run with "BIO+BILOU" give "BIO+BILOU".
    """
    signatures = [of_run.signature for of_run in evidence]
    schemes = dict.fromkeys(name for each in signatures for name in each.scheme.split("+"))
    policies = dict.fromkeys(
        name for each in signatures for name in each.answers.split("+") if name != "none"
    )
    answers = "+".join(policies) or "none"
    signature = replace(joined.signature, scheme="+".join(schemes), answers=answers)
    return replace(joined, signature=signature)


def _repeated_runs(dataset: Dataset) -> Iterator[Run]:
    """Runs with the same file as an earlier run of the system.

    A deterministic system has one output file, which is used for every run.
    """
    for system, files in dataset.systems.items():
        for number, file in enumerate(files, 1):
            if file in files[: number - 1]:
                yield system, str(number)


def _run_keys(job: _ScoringJob) -> dict[Run, str]:
    """A key for each run that covers everything its cache entry depends on.

    It covers the content of the output, gold and training files, their file options, all settings,
    and the names of dataset and system, which are part of the evidence.
    """
    dataset, settings, cluster_unit = job
    train = list(map(_file_key, dataset.train))
    base = [_file_key(dataset.test), train, asdict(settings), cluster_unit, dataset.name]
    return {
        (system, str(number)): digest(*base, system, str(number), _file_key(file))
        for system, files in dataset.systems.items()
        for number, file in enumerate(files, 1)
    }


def _file_key(text: str) -> list[str]:
    try:
        return [*map(file_digest, input_files(text)), text]
    except OSError:
        return [text]  # reading the file raises the error later


def _score_runs(
    job: _ScoringJob, runs: Sequence[Run], engine: Engine, workers: int
) -> list[_RunEntry]:
    """The cache entries of some runs, in the same order.

    Each worker gets one share of the runs and reads gold and training data only once.
    """
    if not runs:
        return []
    n_shares = len(runs) if is_elastic(engine) else workers  # a cluster chooses its workers
    size = -(-len(runs) // n_shares)  # rounded up
    shares = [list(runs[first : first + size]) for first in range(0, len(runs), size)]
    used_engine = engine if len(shares) > 1 else Local()
    entries_by_share = used_engine.map(_score_share, job, shares)
    return [entry for entries in entries_by_share for entry in entries]


def _score_share(job: _ScoringJob, runs: Sequence[Run]) -> list[_RunEntry]:
    dataset, settings, cluster_unit = job
    # A share may hold runs 2 and 5 of a system, which `open_task` would number 1 and 2. So each run
    # is a separate system here; its name and number are restored below.
    files = [dataset.systems[system][int(number) - 1] for system, number in runs]
    named = {f"{k}": source_named(file) for k, file in enumerate(files)}
    train = list(map(source_named, dataset.train)) or None
    task = open_task(source_named(dataset.test), named, train, dataset.name, settings)
    try:
        scored = run_passes(task, Local(), cluster_unit=cluster_unit)
    except AlignmentError as error:  # all shares must have the same records
        scored = score_joined(task, error, cluster_unit=cluster_unit, needs_all=True)
    shared = {*source_names(task.gold), *(source_names(task.train) if task.train else ())}
    entries = []
    for index, run in enumerate(runs):
        evidence = replace(only_runs(scored.evidence, [index]), runs=(run,))
        names = {*shared, *source_names(named[f"{index}"])}
        notes = [note for note in scored.notes if note["source"] in names]
        entries.append(_RunEntry(pack_evidence(evidence, with_surfaces=True), notes))
    return entries


def pair_keys(
    evidence: Evidence, pairs: Sequence[PairNames], sampling: Sampling, plan: ComparisonPlan
) -> dict[PairNames, str]:
    """A key for each pair of systems that covers everything their comparison depends on.

    It covers the ledgers, not the files. A change that does not affect any outcome, such as another
    order of systems or a corrected word, does not need a new comparison.
    """
    shared: list[Any] = [evidence.dataset, asdict(sampling), asdict(plan), evidence.types]
    shared.append(evidence.documents.tolist())
    shared.append([asdict(table) for table in evidence.tables])
    shared.append(evidence.signature.zero_division)
    runs = {
        system: [_run_digest(evidence, run) for run in evidence.runs_of(system)]
        for system in evidence.systems
    }
    return {
        (a, b): digest("pair", a, b, runs[a], runs[b], shared, _lenders(runs, (a, b)))
        for a, b in pairs
    }


def _lenders(runs: Mapping[str, list[str]], systems: Sequence[str]) -> list[list[str]]:
    """The runs of other systems that these systems borrow run variances from.

    The order of the runs does not matter.
    """
    if all(len(runs[system]) < 2 for system in systems):
        return []
    return sorted(
        digests for name, digests in runs.items() if name not in systems and len(digests) > 1
    )


def _run_digest(evidence: Evidence, run: int) -> str:
    """A digest of the units and outcomes of a run."""
    content = hashlib.sha256()
    for ledger in evidence.ledgers.values():
        output = ledger.runs[run]
        for units in (ledger.gold, output.pred):
            for column in (units.sentence, units.type, units.weight, *units.codes.values()):
                content.update(np.ascontiguousarray(0 if column is None else column, np.int64).data)
        for credit in (*output.gold_credit.values(), *output.pred_credit.values()):
            content.update(np.ascontiguousarray(credit, np.float64).data)
    return content.hexdigest()
