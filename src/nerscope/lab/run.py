"""Run a plan: make the splits, train and predict what is missing, evaluate everything."""

import json
import tempfile
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

from nerscope.arguments import check_arguments
from nerscope.dataset.split.options import SENTENCE
from nerscope.dataset.split.split import split
from nerscope.dataset.split.write import EXPERIMENT, MANIFEST
from nerscope.engines.base import Engine, engine_for
from nerscope.errors import FaultError, InputError, UsageError, expect, plural
from nerscope.experiment.cache import Cache, digest
from nerscope.experiment.config import (
    Data,
    Dataset,
    Experiment,
    check_tables,
    named_data,
    outputs_of,
    protocol_of,
    with_outputs,
)
from nerscope.experiment.run import run_experiment
from nerscope.experiment.toml import read_toml
from nerscope.formats.base import input_files, path_of
from nerscope.lab.jobs import Job, content_digest, make_jobs
from nerscope.lab.plan import RunPlan
from nerscope.lab.recipe import recipe_named
from nerscope.lab.workspace import (
    JobOutcome,
    JobRow,
    WorkspaceConfig,
    distinct_jobs,
    finished,
    finished_jobs,
    locked,
    run_jobs,
)
from nerscope.results.compare import Comparison
from nerscope.results.domains import DomainRow, domain_rows
from nerscope.results.protocol import Protocol
from nerscope.results.results import Results
from nerscope.results.rows import ResultRow

RUNS = "nerscope-runs"  # the default folder, next to the plan
Say = Callable[[str], None]


class PlanResult(NamedTuple):
    """The results of a plan, and the outcome of every job."""

    results: Results
    comparison: Comparison | None  # if the plan has a [compare] table
    outcomes: list[JobOutcome]
    out_of_domain: "OutOfDomain | None" = None  # if the protocol requests it

    @property
    def jobs(self) -> list["JobRunRow"]:
        """Every job with its seconds, its peak memory, and the number of its run in the results."""
        counts: Counter[tuple[str, str]] = Counter()
        rows = []
        for outcome in self.outcomes:
            job, run = outcome.row.as_dict(), None
            if outcome.output is not None:  # failed jobs have no run number
                name = (job["dataset"], job["system"])
                counts[name] += 1
                run = str(counts[name])
            rows.append(JobRunRow(**job, run=run))
        return rows


class OutOfDomain(NamedTuple):
    """The same systems, trained on all other domains, and how their scores differ.

    These results are separate from the in-domain results because the test sets are the same: a mean
    over both would count each test set twice.
    """

    results: Results
    comparison: Comparison | None
    rows: list[DomainRow]


@dataclass(frozen=True, slots=True, eq=False)
class JobRunRow(JobRow):
    """A job with its outcome, and the number of its run in the results."""

    run: str | None  # None if it failed


@dataclass(frozen=True, slots=True, eq=False)
class PlannedJobRow(ResultRow):
    """A job of a plan, as `run --dry-run` lists it."""

    system: str
    dataset: str
    seed: int
    done: bool
    key: str


def run_plan(
    plan: RunPlan,
    *,
    folder: str | Path | None = None,
    jobs: int = 1,
    cache: Cache | None = None,
    engine: str | Engine | None = None,
    workers: int = 1,
    plugins: Sequence[str] = (),
    say: Say = lambda line: None,
    step: Say = lambda line: None,
) -> PlanResult:
    """Train, predict and evaluate. Finished jobs are cached in the folder.

    - `plan`: what `load_plan` returned.
    - `folder`: the folder of the jobs; default: `nerscope-runs` next to the plan.
    - `jobs`: how many systems are trained at once.
    - `cache`, `engine`, `workers`, `plugins`: as for experiments.
    - `say`: called with a line about each event; `step`: called with the current step.

    >>> import tempfile
    >>> from nerscope import load_plan
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path, data = Path(folder) / "plan.toml", Path(folder) / "data.conll"
    ...     _ = data.write_text("Ada B-PER\\nspoke O\\n")
    ...     text = '[datasets.d]\\ntrain = "data.conll"\\ntest = "data.conll"\\n'
    ...     _ = path.write_text(text + '[systems.memory]\\nrecipe = "dictionary"\\n')
    ...     run_plan(load_plan(path)).results.value(metric="f1")
    1.0
    """
    check_arguments(run_plan, locals())
    expect("plan", plan, RunPlan, "give the result of load_plan(FILE)")
    expect("jobs", jobs, int, "give a whole number from 1")
    if jobs < 1:
        raise UsageError("jobs", f"invalid value {jobs}", "give a whole number from 1")
    engine_for(engine, workers, plugins)  # raises errors before training rather than after
    place = runs_folder(plan, folder)
    with locked(place):
        data, protocol = datasets_of(plan, place, say)
        check_tables(plan.existing, [*data, *plan.held_out], plan.toml)
        all_jobs = make_jobs(plan.trained, [*data, *plan.held_out], plan.folder)
        config = WorkspaceConfig(place, plan.folder, jobs, plugins)
        cached = finished_jobs(all_jobs, place)
        progress = _JobProgress(all_jobs, cached, jobs, say)
        for job in progress.left:  # a missing library is reported before anything is trained
            if job.system.recipe:
                recipe_named(job.system.recipe).check_runs_here()
        if progress.left:
            step(f"training: {plural(len(progress.left), 'job')}")
        outcomes = run_jobs(all_jobs, config, cached, progress.report)

    # From here on, other runs may use the folder: outputs of finished jobs never change.
    def evaluated(datasets: Sequence[Data]) -> tuple[Results, Comparison | None]:
        experiment = replace(_experiment(plan, datasets, outcomes), protocol=protocol)
        for note in experiment.notes:
            say(f"note: {note}")
        return run_experiment(
            experiment, cache=cache, engine=engine, workers=workers, plugins=plugins, say=step
        )

    results, comparison = evaluated(data)
    if not plan.held_out:
        return PlanResult(results, comparison, outcomes)
    names = {held.name: own.name for own, held in zip(plan.data, plan.held_out, strict=True)}
    outside, outside_comparison = evaluated(plan.held_out)
    rows = domain_rows(results, outside, names, plan.chosen.sampling)
    held_out = OutOfDomain(outside, outside_comparison, rows)
    return PlanResult(results, comparison, outcomes, held_out)


def runs_folder(plan: RunPlan, folder: str | Path | None) -> Path:
    return plan.folder / RUNS if folder is None else Path(folder)


def datasets_of(
    plan: RunPlan, folder: Path, say: Say = lambda line: None
) -> tuple[list[Data], Protocol | None]:
    """The datasets of a plan, split if they do not exist yet, and how they are related."""
    declared = protocol_of(plan.toml)
    if plan.data:
        return list(plan.data), declared
    place = _splits_folder(plan, folder)
    if not place.is_dir():  # its name is a digest of the splits, so an existing folder can be used
        for note in split(plan.sources, place, **plan.split_options).notes:
            say(note)
    _check_context(plan, place)
    experiment = read_toml(place / EXPERIMENT)
    return named_data(experiment), declared or protocol_of(experiment)


def _check_context(plan: RunPlan, place: Path) -> None:
    """Raise an error if a system uses context and the splits separate neighbouring sentences.

    Splits by sentence do, except where whole files are left out and no dev set is drawn from them.
    """
    settings = json.loads((place / MANIFEST).read_text(encoding="utf-8"))["settings"]
    torn = settings["by"] == SENTENCE and not (settings["leave_out"] and not settings["dev"])
    longer = [system.name for system in plan.trained if system.context > 1]
    if torn and longer:
        raise UsageError(
            f"system '{longer[0]}'",
            "it uses context, but splits by sentence separate neighbouring sentences",
            "mark documents in the data, or split with nerscope split --context",
        )


def _splits_folder(plan: RunPlan, folder: Path) -> Path:
    """The folder of the splits, named after the content of the data and the options."""
    contents = []
    for text in plan.sources:
        path = path_of(text)
        digests = map(content_digest, input_files(text))
        contents.append([*digests, Path(path).name, text[len(path) :]])
    return folder / f"splits-{digest(contents, plan.split_options)[:16]}"


def planned_jobs(plan: RunPlan, folder: Path) -> list[PlannedJobRow]:
    """The jobs of a plan, each with whether it is done; nothing is written into the folder.

    Splits that do not exist yet are made in a temporary folder.
    """
    with tempfile.TemporaryDirectory(prefix="nerscope-") as temporary:
        has_splits = bool(plan.data) or _splits_folder(plan, folder).is_dir()
        data, _ = datasets_of(plan, folder if has_splits else Path(temporary))
        return [
            PlannedJobRow(
                system=job.system.name,
                dataset=job.data.name,
                seed=job.seed,
                done=finished(job, folder) is not None,
                key=job.key,
            )
            for job in make_jobs(plan.trained, [*data, *plan.held_out], plan.folder)
        ]


def _experiment(plan: RunPlan, data: Sequence[Data], outcomes: Sequence[JobOutcome]) -> Experiment:
    """The experiment over all outputs that exist."""
    datasets, notes = list[Dataset](), list[str]()
    for dataset in data:
        outputs, missing = outputs_of(plan.existing, dataset, plan.toml)
        notes += missing
        for outcome in outcomes:
            if outcome.job.data.name == dataset.name and outcome.output is not None:
                outputs.setdefault(outcome.job.system.name, []).append(outcome.output)
        if outputs:
            datasets.append(with_outputs(dataset, outputs))
    failed = [outcome for outcome in outcomes if outcome.output is None]
    if not datasets and not failed:
        raise InputError(
            str(plan.toml.path),
            "no output of any system for any dataset",
            "check the patterns in [systems]",
        )
    if not datasets:
        first = failed[0]
        raise FaultError(
            str(first.job), f"no job produced an output; {first.fact}", f"see {first.log}"
        )
    return Experiment(datasets, *plan.chosen, notes)


class _JobProgress:
    """Reports each job that ends, and estimates how long the others take."""

    def __init__(
        self, jobs: Sequence[Job], cached: Mapping[str, JobOutcome], parallel_jobs: int, say: Say
    ) -> None:
        distinct = distinct_jobs(jobs)
        self.say, self.parallel_jobs = say, parallel_jobs
        self.seconds: dict[str, list[float]] = {}
        for outcome in cached.values():
            self._add_time(outcome)
        self.left = [job for key, job in distinct.items() if key not in cached]
        if cached:
            say(f"{len(cached)} of {plural(len(distinct), 'job')} cached")

    def _add_time(self, outcome: JobOutcome) -> None:
        self.seconds.setdefault(outcome.job.system.name, []).append(outcome.seconds)

    def report(self, outcome: JobOutcome) -> None:
        self.left = [job for job in self.left if job.key != outcome.job.key]
        if outcome.fact:
            self.say(f"{outcome.job} failed: {outcome.fact}; log: {outcome.log}")
            return
        self._add_time(outcome)
        memory = "" if outcome.peak_mb is None else f", {outcome.peak_mb:.0f} MB"
        left = f"; {plural(len(self.left), 'job')} left{self._time_left()}" if self.left else ""
        self.say(f"{outcome.job}: {outcome.seconds:.1f} s{memory}{left}")

    def _time_left(self) -> str:
        """The time for the remaining jobs, from the mean time of each system so far."""
        all_times = [seconds for times in self.seconds.values() for seconds in times]
        by_job = [self.seconds.get(job.system.name, all_times) for job in self.left]
        total = sum(sum(times) / len(times) for times in by_job) / self.parallel_jobs
        return f", about {total:.0f} s" if total < 120 else f", about {total / 60:.0f} min"
