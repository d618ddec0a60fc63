"""From files to results: the flow of an evaluation on one screen."""

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from nerscope.engines.base import Engine, engine_for, wants_shards
from nerscope.engines.checkpoint import Checkpoint, checkpoint_of
from nerscope.engines.local import Local
from nerscope.errors import InputError, UsageError, expect
from nerscope.evaluation.gather import Gathered, gather
from nerscope.evaluation.identity import checkpoint_key
from nerscope.evaluation.noticed import identical_outputs
from nerscope.evaluation.plan import Task, make_plan, open_task
from nerscope.evaluation.progress import Progress, ProgressReporter
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
    """Score systems against a gold corpus.

    - `test`: the gold corpus; without `systems`, a file whose last column is predicted and the one
      before it gold.
    - `systems`: the output of each system by name, or a list of outputs, one for each run.
    - `train`: training data, which most facets need; several files are one training set.
    - `dataset`: the name of the dataset; by default that of the file.
    - `intervals`: True for a 95 % interval of every number, or a `Sampling` that says how.
    - `engine`, `workers`: where the work is done, see docs/engines.md; they change no number.
    - `plugins`: Python files that register facets, matches or metrics, for workers to load.
    - `progress`: a function that is called with the number of sentences scored so far.
    - `checkpoint`: a folder that keeps finished parts until the results are returned.
    - `options`: the fields of `Settings`, such as `facets`, `matches`, `metrics`, `map`.

    >>> gold = [(["Ada", "met", "Bob"], ["B-PER", "O", "B-PER"])]
    >>> results = evaluate(gold, {"half": [["B-PER", "O", "O"]]})
    >>> results.value(metric="f1")
    0.6666666666666666
    """
    expect("dataset", dataset, (str, type(None)), "give a name")
    if progress is not None and not callable(progress):
        raise UsageError("progress", f"{progress!r} cannot be", "give a function of a number")
    chosen_engine = engine_for(engine, workers, plugins)
    # Files are opened, columns and formats detected; nothing is read through yet.
    task = open_task(test, systems, train, dataset, Settings.of(options))
    store = checkpoint_of(checkpoint)
    if store is not None:
        chosen_engine = store.wrap(chosen_engine, checkpoint_key(task, plugins))
    cluster_unit = getattr(intervals, "resample", None)
    gathered = _score(task, chosen_engine, progress, cluster_unit)
    evidence = with_subsets(gathered.evidence, gathered.subsets)
    results = Results([evidence], [*gathered.losses, *identical_outputs(evidence)])
    if intervals is not None and intervals is not False:
        from nerscope.results.intervals import with_intervals  # imports all of the statistics

        results = with_intervals(results, intervals)
    if store is not None and store is not checkpoint:
        store.finish()  # a Checkpoint that was given is finished by the caller, after writing
    return results


def _score(
    task: Task, engine: Engine, progress: Progress | None, cluster_unit: str | None
) -> Gathered:
    """Both passes, over shards if the engine wants them."""
    shards = cut_into_shards(task.sources) if wants_shards(engine) else None
    if shards is not None:
        try:
            return _run_passes(task._replace(pieces=shards), engine, progress, cluster_unit)
        except InputError:
            # Files are cut at blank lines without being parsed. If a shard is refused, the cut may
            # be to blame: only reading everything in order tells what is wrong, and on which line.
            engine = Local()
    return _run_passes(task, engine, progress, cluster_unit)


def _run_passes(
    task: Task, engine: Engine, progress: Progress | None, cluster_unit: str | None
) -> Gathered:
    reporter = ProgressReporter(progress, task.pieces.number if task.pieces else None)
    # The first pass fixes the facets: edges of buckets, surfaces with several types. They depend on
    # all of gold, and so cannot be found while the first sentences are scored.
    first_pass = make_plan(task, engine, reporter.surveyed)
    # The second pass gives every unit its outcome.
    return gather(task, first_pass, engine, reporter.scored, cluster_unit)
