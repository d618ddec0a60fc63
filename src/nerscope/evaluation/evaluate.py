"""The steps of an evaluation, from files to results.

`open_task` opens the files, `run_passes` reads them: first `make_plan`, then `score_task`.
A task is *what* is evaluated, a plan is *how* every chunk is scored.
"""

import os
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from nerscope.arguments import check_arguments
from nerscope.engines.base import Engine, engine_for, wants_shards
from nerscope.errors import AlignmentError, InputError, UsageError, expect
from nerscope.evaluation.gather import ScoredTask, run_passes, score_joined
from nerscope.evaluation.notes import identical_outputs
from nerscope.evaluation.subsets import with_subsets
from nerscope.evaluation.task import Settings, Systems, Task, open_task
from nerscope.formats.base import CorpusLike, TrainingLike
from nerscope.formats.shards import cut_into_shards
from nerscope.results.results import Results

if TYPE_CHECKING:
    from nerscope.engines.checkpoint import Checkpoint
    from nerscope.stats.intervals import Sampling

Progress = Callable[[int], None]
FIRST_PASS_SHARE = 0.3  # share of all work, if facets need a first pass


def evaluate(
    test: CorpusLike,
    systems: Systems | None = None,
    *,
    train: TrainingLike | None = None,
    dataset: str | None = None,
    intervals: "Sampling | bool | None" = None,
    engine: str | Engine | None = None,
    workers: int = 1,
    plugins: Sequence[str] = (),
    progress: Progress | None = None,
    checkpoint: "str | os.PathLike[str] | Checkpoint | None" = None,
    **options: Any,
) -> Results:
    """Score systems against a gold corpus.

    - `test`: the gold corpus; without `systems`, a file with gold labels in the last but one column
      and predicted labels in the last.
    - `systems`: the output of each system by name, or a list of outputs, one per run.
    - `train`: training data, which most facets need; several files are one training set.
    - `dataset`: the name of the dataset; default: the name of the file.
    - `intervals`: True for a 95 % interval of every number, or a `Sampling` with options.
    - `engine`, `workers`: where the work is done (docs/engines.md); numbers do not change.
    - `plugins`: Python files that register facets, matches or metrics, for workers to load.
    - `progress`: called with the number of sentences scored so far.
    - `checkpoint`: a folder that keeps finished parts until the results are returned.
    - `options`: the fields of `Settings`, such as `facets`, `matches`, `metrics`, `map`.

    >>> gold = [(["Ada", "met", "Bob"], ["B-PER", "O", "B-PER"])]
    >>> results = evaluate(gold, {"half": [["B-PER", "O", "O"]]})
    >>> results.value(metric="f1")
    0.6666666666666666
    """
    check_arguments(evaluate, locals())
    expect("dataset", dataset, (str, type(None)), "give a name")
    if progress is not None and not callable(progress):
        raise UsageError("progress", f"invalid value {progress!r}", "give a function of a number")
    cluster_unit = _cluster_unit(intervals)
    chosen_engine = engine_for(engine, workers, plugins)
    # This opens the files and detects columns and formats, but does not read all data.
    task = open_task(test, systems, train, dataset, Settings.of(options))
    store = None
    if checkpoint is not None:  # the wrapped engine reads finished shards from the folder
        from nerscope.engines.checkpoint import checkpoint_of  # rarely needed
        from nerscope.evaluation.identity import checkpoint_key

        store = checkpoint_of(checkpoint)
        chosen_engine = store.wrap(chosen_engine, checkpoint_key(task, plugins))
    try:
        scored = _score(task, chosen_engine, progress, cluster_unit)
    except AlignmentError as error:
        reporter = ProgressReporter(progress, None)
        scored = score_joined(
            task, error, reporter.surveyed, reporter.scored, cluster_unit=cluster_unit
        )
    evidence = with_subsets(scored.evidence, scored.subsets)
    results = Results([evidence], [*scored.notes, *identical_outputs(evidence)])
    if intervals is not None and intervals is not False:
        from nerscope.results.intervals import with_intervals  # imports all of the statistics

        results = with_intervals(results, intervals)
    if store is not None and store is not checkpoint:
        store.finish()  # if a Checkpoint object was given, the caller finishes it
    return results


def _cluster_unit(intervals: "Sampling | bool | None") -> str | None:
    """The unit that the intervals resample, if given. Other types raise an error early."""
    if intervals is None or intervals is False:
        return None
    from nerscope.stats.intervals import Sampling  # imports all of the statistics

    expect("intervals", intervals, (Sampling, bool), "give True, False or a Sampling")
    return intervals.resample if isinstance(intervals, Sampling) else None


def _score(
    task: Task, engine: Engine, progress: Progress | None, cluster_unit: str | None
) -> ScoredTask:
    """Run both passes, over shards if the engine needs them.

    A shard is a part of gold with the same sentences of every run. It fits into the memory of a
    worker, and it is the most that is lost if an evaluation with a checkpoint stops. Workers read
    their shards of plain files themselves; shards of packed or remote files are sent as text.
    """
    shards = cut_into_shards(task.sources) if wants_shards(engine) else None
    if shards is not None:
        try:
            return _run_passes(task._replace(shards=shards), engine, progress, cluster_unit)
        except InputError:
            # Files are cut at blank lines without parsing, so a wrong cut may cause this error.
            # Reading everything in order finds the real error and its line.
            from nerscope.engines.local import Local

            engine = Local()
    return _run_passes(task, engine, progress, cluster_unit)


def _run_passes(
    task: Task, engine: Engine, progress: Progress | None, cluster_unit: str | None
) -> ScoredTask:
    reporter = ProgressReporter(progress, task.shards.number if task.shards else None)
    return run_passes(task, engine, reporter.surveyed, reporter.scored, cluster_unit)


class ProgressReporter:
    """Reports the progress of an evaluation.

    It calls `progress(n)` with the number of sentences scored, and `progress.share(f)`, if this
    method exists, with the fraction of all work done. The first pass counts for FIRST_PASS_SHARE of
    the work. No fraction is reported if the number of shards is one or unknown.

    >>> sentences = []
    >>> reporter = ProgressReporter(sentences.append, n_shards=2)
    >>> reporter.scored(10)
    >>> sentences
    [10]
    """

    def __init__(self, progress: Progress | None, n_shards: int | None) -> None:
        self._progress, self._n_shards = progress, n_shards or 1
        self._report_share: Any = getattr(progress, "share", None) if self._n_shards > 1 else None
        self._first_pass = 0.0  # its share of the work; 0 until one of its shards is reported
        self._n_surveyed = self._n_scored = 0

    def surveyed(self) -> None:
        """Report one more shard of the first pass."""
        self._first_pass = FIRST_PASS_SHARE
        self._n_surveyed += 1
        if self._report_share:
            self._report_share(self._first_pass * self._fraction(self._n_surveyed))

    def scored(self, sentences: int) -> None:
        """Report one more shard of the second pass; `sentences` is the number scored so far."""
        self._n_scored += 1
        if self._progress:
            self._progress(sentences)
        if self._report_share:
            second_pass = (1 - self._first_pass) * self._fraction(self._n_scored)
            self._report_share(self._first_pass + second_pass)

    def _fraction(self, n_done: int) -> float:
        return min(1.0, n_done / self._n_shards)  # the number of shards is an estimate
