"""The options of a split, checked before any data is read."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from nerscope.errors import UsageError, expect

FOLDS, RANDOM, LEAVE_OUT, HARD = "folds", "random", "leave_out", "hard"
KINDS = (FOLDS, RANDOM, LEAVE_OUT, HARD)
SENTENCE, DOCUMENT = "sentence", "document"  # the values of `by`
_DEFAULT_TEST_SHARE = 0.1  # of all sentences
_KINDS_WITH_TEST_SHARE = (RANDOM, HARD)  # the others test on a fold or on a file


@dataclass(frozen=True, slots=True)
class SplitSettings:
    """All options that affect the written files. The manifest stores them unchanged."""

    folds: int | None
    random: int | None
    leave_out: bool
    hard: Mapping[str, float] | None
    test: float | None
    dev: float | None
    by: str | None
    stratify: bool
    seed: int
    context: int
    allow_leaks: bool

    @property
    def kind(self) -> str:
        return self._kinds()[0]

    def checked(self) -> "SplitSettings":
        """The options with the default share of the test set filled in.

        Raises `UsageError` for invalid values and for options that exclude each other. `by` may be
        None: its default depends on the data.
        """
        for name in ("leave_out", "stratify", "allow_leaks"):
            expect(name, getattr(self, name), bool, "give True or False")
        kinds = self._kinds()
        if len(kinds) != 1:
            raise UsageError(
                "split",
                f"{len(kinds)} kinds of split are given instead of one",
                "give one of --folds K, --random N, --leave-out, --hard unseen=0.8",
            )
        for name, value, minimum in self._whole_numbers():
            expect(name, value, int, "give a whole number")
            if value < minimum:
                raise UsageError(name, f"{value} is too small", f"give {minimum} or more")
        self._check_shares()
        if self.by not in (None, SENTENCE, DOCUMENT):
            raise UsageError("by", f"invalid value {self.by!r}", "give sentence or document")
        if self.test is None and self.kind in _KINDS_WITH_TEST_SHARE:
            return replace(self, test=_DEFAULT_TEST_SHARE)
        return self

    def _kinds(self) -> list[str]:
        # Only None and False mean that an option is unset; folds=0 is a value that raises an error
        # later. (0 == False, so this compares identities.)
        values = {name: getattr(self, name) for name in KINDS}
        return [name for name, value in values.items() if value is not None and value is not False]

    def _whole_numbers(self) -> Iterator[tuple[str, Any, int]]:
        """Name, value and minimum of each option that is a whole number."""
        if self.folds is not None:
            yield "folds", self.folds, 2
        if self.random is not None:
            yield "random", self.random, 1
        yield "seed", self.seed, 0
        yield "context", self.context, 1

    def _check_shares(self) -> None:
        if self.test is not None and self.kind not in _KINDS_WITH_TEST_SHARE:
            raise UsageError(
                "test",
                f"this option does not apply to --{self.kind.replace('_', '-')}",
                "remove it, or use --random N",
            )
        for name, share in (("test", self.test), ("dev", self.dev)):
            expect(name, share, (int, float, type(None)), "give a share, such as 0.1")
            if share is not None and not 0 < share < 1:
                raise UsageError(name, f"invalid share {share}", "give a number between 0 and 1")
        if (self.test or 0) + (self.dev or 0) >= 1:
            raise UsageError("dev", "test and dev leave no training data", "give smaller shares")
