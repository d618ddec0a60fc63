"""From files to results: the whole flow, in one screen."""

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from nerscope.engines.base import Engine, engine_for, wants_shards
from nerscope.engines.checkpoint import Checkpoint, checkpoint_of
from nerscope.engines.local import Local
from nerscope.errors import InputError, UsageError, expect
from nerscope.evaluation.gather import Gathered, gather
from nerscope.evaluation.identity import key_of
from nerscope.evaluation.noticed import identical_outputs
from nerscope.evaluation.plan import Task, make_plan, open_task
from nerscope.evaluation.progress import Progress, Told
from nerscope.evaluation.settings import Settings
from nerscope.evaluation.subsets import with_subsets
from nerscope.evaluation.systems import Systems
from nerscope.formats.base import CorpusLike
from nerscope.formats.shards import cut_into_shards
from nerscope.results.results import Results

if TYPE_CHECKING:
    from nerscope.stats.intervals import Sampling


def evaluate(
    test: CorpusLike,
    systems: Systems | None = None,
    *,
    train: CorpusLike | Sequence[CorpusLike] | None = None,
    dataset: str | None = None,
    intervals: "Sampling | bool | None" = None,
    engine: str | Engine | None = None,
    workers: int = 1,
    plugins: Sequence[str] = (),
    progress: Progress | None = None,
    checkpoint: str | os.PathLike[str] | Checkpoint | None = None,
    **options: Any,
) -> Results:
    """Score systems against a gold corpus. The options are the fields of `Settings`.

    Without systems, `test` is a file whose last column is predicted and the one before it gold.
    Several `train` files are one training set. `intervals` says how to resample, or that it shall
    be done; `plugins` are files of which workers must know what they register. In the folder
    `checkpoint`, a long evaluation keeps what it has done, until it is done.

    >>> gold = [(["Ada", "met", "Bob"], ["B-PER", "O", "B-PER"])]
    >>> results = evaluate(gold, {"half": [["B-PER", "O", "O"]]})
    >>> results.value(metric="f1")
    0.6666666666666666
    """
    expect("dataset", dataset, (str, type(None)), "give a name")
    if progress is not None and not callable(progress):
        raise UsageError("progress", f"{progress!r} cannot be", "give a function of a number")
    where = engine_for(engine, workers, plugins)
    task = open_task(test, systems, train, dataset, Settings.of(options))
    kept = checkpoint_of(checkpoint)
    if kept is not None:
        where = kept.wrap(where, key_of(task, plugins))
    unit = getattr(intervals, "resample", None)  # by which groups are made of very large data
    found = _scored(task, where, progress, unit)
    evidence = with_subsets(found.evidence, found.subsets)
    results = Results([evidence], [*found.losses, *identical_outputs(evidence)])
    if intervals is not None and intervals is not False:
        from nerscope.results.intervals import with_intervals  # for those who want to resample

        results = with_intervals(results, intervals)
    if kept is not None and kept is not checkpoint:
        kept.finish()
    return results


def _scored(task: Task, engine: Engine, progress: Progress | None, unit: str | None) -> Gathered:
    """Both passes: over pieces if they are of use to the engine, else over all as it is."""
    pieces = cut_into_shards(task.sources) if wants_shards(engine) else None
    if pieces is not None:
        try:
            return _passes(task._replace(pieces=pieces), engine, progress, unit)
        except InputError:
            engine = Local()  # cuts are guesses: only the whole tells if something is wrong
    return _passes(task, engine, progress, unit)


def _passes(task: Task, engine: Engine, progress: Progress | None, unit: str | None) -> Gathered:
    told = Told(progress, task.pieces.number if task.pieces else None)
    planned = make_plan(task, engine, told.surveyed)  # the first pass: facets are fixed
    return gather(task, planned, engine, told.scored, unit)  # the second: every unit is scored
