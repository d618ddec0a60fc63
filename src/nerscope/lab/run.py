"""Running a plan: make the splits, train and predict what is missing, evaluate everything."""

import json
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from nerscope.dataset.split.split import split
from nerscope.dataset.split.write import EXPERIMENT
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
from nerscope.lab.jobs import Job, content_digest, jobs_of
from nerscope.lab.plan import Plan
from nerscope.lab.recipe import recipe_named
from nerscope.lab.work import (
    Outcome,
    Shop,
    alone_in,
    do_jobs,
    done_before,
    finished,
    first_of_each,
)
from nerscope.results.compare import Comparison
from nerscope.results.protocol import Protocol
from nerscope.results.results import Results

RUNS = "nerscope-runs"  # the folder beside a plan that keeps what was done
Say = Callable[[str], None]


class Ran(NamedTuple):
    """What a plan gave: the results, the comparison if one was asked for, what became of jobs."""

    results: Results
    comparison: Comparison | None
    outcomes: list[Outcome]

    @property
    def jobs(self) -> list[dict[str, Any]]:
        """Every job as plain data: seconds, peak memory, and the run that it is in the results."""
        return list(_numbered(self.outcomes))


def run_plan(
    plan: Plan,
    *,
    folder: str | Path | None = None,
    jobs: int = 1,
    cache: Cache | None = None,
    engine: str | Engine | None = None,
    workers: int = 1,
    plugins: Sequence[str] = (),
    say: Say = lambda line: None,
    step: Say = lambda line: None,
) -> Ran:
    """Train, predict and evaluate; what was done before in this folder is not done again.

    `jobs` is how many systems are trained at once. `say` is told what has happened, `step` what
    is going on.

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
    expect("plan", plan, Plan, "give what load_plan gave")
    expect("jobs", jobs, int, "give a whole number from 1")
    if jobs < 1:
        raise UsageError("jobs", f"{jobs} cannot be", "give a whole number from 1")
    engine_for(engine, workers, plugins)  # refused now rather than after all training
    place = runs_folder(plan, folder)
    with alone_in(place):
        data, protocol = datasets_of(plan, place, say)
        check_tables(plan.given, data, plan.toml)
        planned = jobs_of(plan.trained, data, plan.folder)
        shop = Shop(place, plan.folder, jobs, plugins)
        before = done_before(planned, place)
        progress = _Progress(planned, before, jobs, say)
        for job in progress.left:
            if job.system.recipe:
                recipe_named(job.system.recipe).check_runs_here()
        if progress.left:
            step(f"training: {plural(len(progress.left), 'job')}")
        outcomes = do_jobs(planned, shop, before, progress.tell)
    experiment = replace(_experiment(plan, data, outcomes), protocol=protocol)
    for note in experiment.notes:
        say(f"note: {note}")
    results, comparison = run_experiment(
        experiment, cache=cache, engine=engine, workers=workers, plugins=plugins, say=step
    )
    return Ran(results, comparison, outcomes)


def runs_folder(plan: Plan, folder: str | Path | None) -> Path:
    """Where a plan keeps its work: beside it, unless told otherwise."""
    return plan.folder / RUNS if folder is None else Path(folder)


def datasets_of(
    plan: Plan, folder: Path, say: Say = lambda line: None
) -> tuple[list[Data], Protocol | None]:
    """The datasets of a plan, made if they are not there yet, and what they are to each other."""
    said = protocol_of(plan.toml)
    if plan.data:
        return list(plan.data), said
    place = _splits_folder(plan, folder)
    if not place.is_dir():
        for note in split(plan.sources, place, **plan.split_options).notes:
            say(note)
    _check_context(plan, place)
    made = read_toml(place / EXPERIMENT)
    return named_data(made), said or protocol_of(made)


def _check_context(plan: Plan, place: Path) -> None:
    """Refuse larger context where splits by sentence have torn neighbours apart."""
    settings = json.loads((place / "manifest.json").read_text(encoding="utf-8"))["settings"]
    torn = settings["by"] == "sentence" and not (settings["leave_out"] and not settings["dev"])
    longer = [one.name for one in plan.trained if one.context > 1]
    if torn and longer:
        raise UsageError(
            f"system '{longer[0]}'",
            "it wants larger context, and splits by sentence have torn neighbours apart",
            "mark documents in the data, or split with nerscope split --context",
        )


def _splits_folder(plan: Plan, folder: Path) -> Path:
    """A folder for each content and each way to split it."""
    contents = []
    for text in plan.sources:
        path = path_of(text)
        own = map(content_digest, input_files(text))
        contents.append([*own, Path(path).name, text[len(path) :]])
    return folder / f"splits-{digest(contents, plan.split_options)[:16]}"


def planned(plan: Plan, folder: Path) -> list[dict[str, Any]]:
    """The jobs of a plan as plain data, each with whether it is done; nothing is written.

    Splits that are not there yet are made in a folder that does not last.
    """
    with tempfile.TemporaryDirectory(prefix="nerscope-") as elsewhere:
        there = bool(plan.data) or _splits_folder(plan, folder).is_dir()
        data, _ = datasets_of(plan, folder if there else Path(elsewhere))
        return [
            {
                "system": job.system.name,
                "dataset": job.data.name,
                "seed": job.seed,
                "done": finished(job, folder) is not None,
                "key": job.key,
            }
            for job in jobs_of(plan.trained, data, plan.folder)
        ]


def _experiment(plan: Plan, data: Sequence[Data], outcomes: Sequence[Outcome]) -> Experiment:
    """What is evaluated: the outputs that there are, by dataset."""
    datasets, notes = list[Dataset](), list[str]()
    for one in data:
        outputs, missing = outputs_of(plan.given, one, plan.toml)
        notes += missing
        for outcome in outcomes:
            if outcome.job.data.name == one.name and outcome.output is not None:
                outputs.setdefault(outcome.job.system.name, []).append(outcome.output)
        if outputs:
            datasets.append(with_outputs(one, outputs))
    failed = [outcome for outcome in outcomes if outcome.output is None]
    if not datasets and not failed:
        raise InputError(
            str(plan.toml.path), "no output of any system for any dataset", "check the patterns"
        )
    if not datasets:
        first = failed[0]
        raise FaultError(str(first.job), f"no job gave an output; {first.fact}", f"see {first.log}")
    return Experiment(datasets, *plan.chosen, notes)


def _numbered(outcomes: Sequence[Outcome]) -> list[dict[str, Any]]:
    """Records of jobs, each with the number of its run in the results."""
    counts: dict[tuple[str, str], int] = {}
    records = []
    for one in outcomes:
        record = one.record
        name = (record["dataset"], record["system"])
        counts[name] = counts.get(name, 0) + (one.output is not None)
        run = str(counts[name]) if one.output is not None else None
        records.append({**record, "run": run})
    return records


class _Progress:
    """A line for each job that ends: how it went, and how long the rest may take."""

    def __init__(
        self, jobs: Sequence[Job], before: Mapping[str, Outcome], at_once: int, say: Say
    ) -> None:
        single = first_of_each(jobs)
        self.say, self.at_once = say, at_once
        self.seconds: dict[str, list[float]] = {}
        for known in before.values():
            self._learn(known)
        self.left = [job for key, job in single.items() if key not in before]
        if before:
            say(f"{plural(len(before), 'job')} of {len(single)} done before")

    def _learn(self, outcome: Outcome) -> None:
        self.seconds.setdefault(outcome.job.system.name, []).append(outcome.seconds)

    def tell(self, outcome: Outcome) -> None:
        self.left = [job for job in self.left if job.key != outcome.job.key]
        if outcome.fact:
            self.say(f"{outcome.job} failed: {outcome.fact}; its log: {outcome.log}")
            return
        self._learn(outcome)
        memory = "" if outcome.peak_mb is None else f", {outcome.peak_mb:.0f} MB"
        rest = f"; {plural(len(self.left), 'job')} left{self._time()}" if self.left else ""
        self.say(f"{outcome.job}: {outcome.seconds:.1f} s{memory}{rest}")

    def _time(self) -> str:
        """How long the rest may take: as long as jobs of the same systems took so far."""
        every = [seconds for own in self.seconds.values() for seconds in own]
        known = [self.seconds.get(job.system.name, every) for job in self.left]
        total = sum(sum(own) / len(own) for own in known) / self.at_once
        return f", some {total:.0f} s" if total < 120 else f", some {total / 60:.0f} min"
