"""Report the progress of an evaluation."""

from collections.abc import Callable
from typing import Any

Progress = Callable[[int], None]
FIRST_PASS_SHARE = 0.3  # of the work, where there is a first pass


class ProgressReporter:
    """Call `progress(n)` with the number of sentences scored, and `progress.share(f)`, if it has
    that method, with the fraction of all work done.

    The first pass counts for FIRST_PASS_SHARE of the work. No fraction is reported if the number of
    shards is one or unknown: nothing could be said before all is done.

    >>> sentences = []
    >>> reporter = ProgressReporter(sentences.append, n_shards=2)
    >>> reporter.scored(10)
    >>> sentences
    [10]
    """

    def __init__(self, progress: Progress | None, n_shards: int | None) -> None:
        self._progress, self._n_shards = progress, n_shards or 1
        self._report_share: Any = getattr(progress, "share", None) if self._n_shards > 1 else None
        self._first_pass = 0.0  # its share of the work: none until one of its shards is reported
        self._n_surveyed = self._n_scored = 0

    def surveyed(self) -> None:
        """Report one more shard of the first pass."""
        self._first_pass = FIRST_PASS_SHARE
        self._n_surveyed += 1
        if self._report_share:
            self._report_share(self._first_pass * self._fraction(self._n_surveyed))

    def scored(self, sentences: int) -> None:
        """Report one more shard of the second pass, and how many sentences are scored by now."""
        self._n_scored += 1
        if self._progress:
            self._progress(sentences)
        if self._report_share:
            second_pass = (1 - self._first_pass) * self._fraction(self._n_scored)
            self._report_share(self._first_pass + second_pass)

    def _fraction(self, n_done: int) -> float:
        return min(1.0, n_done / self._n_shards)  # the number of shards is an estimate
