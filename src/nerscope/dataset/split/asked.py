"""What somebody asked for: the kind of split and its settings, checked before anything is read."""

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any

from nerscope.errors import UsageError, expect

KINDS = ("folds", "random", "leave_out", "hard")
_TEST = 0.1  # of all sentences
_DRAWN = ("random", "hard")  # kinds with a test set of a wanted size


@dataclass(frozen=True, slots=True)
class Asked:
    """Everything that decides what is written, as the manifest keeps it."""

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
        """What kind of split it is."""
        return next(name for name in KINDS if _is_said(getattr(self, name)))

    def checked(self) -> "Asked":
        """The same with nothing left open but the units, or refused."""
        for name in ("leave_out", "stratify", "allow_leaks"):
            expect(name, getattr(self, name), bool, "say True or False")
        kinds = [name for name in KINDS if _is_said(getattr(self, name))]
        if len(kinds) != 1:
            raise UsageError(
                "split",
                f"{len(kinds)} kinds of split are asked for",
                "give one of --folds K, --random N, --leave-out and --hard …",
            )
        for name, value, least in self._numbers():
            expect(name, value, int, "give a whole number")
            if value < least:
                raise UsageError(name, f"{value} is too small", f"give {least} or more")
        self._check_shares()
        if self.by not in (None, "sentence", "document"):
            raise UsageError("by", f"{self.by!r} cannot be", "give sentence or document")
        if kinds[0] not in _DRAWN:
            return self
        return self if self.test is not None else replace(self, test=_TEST)

    def _numbers(self) -> Iterator[tuple[str, Any, int]]:
        """The whole numbers, and what each is at least."""
        if self.folds is not None:
            yield "folds", self.folds, 2
        if self.random is not None:
            yield "random", self.random, 1
        yield "seed", self.seed, 0
        yield "context", self.context, 1

    def _check_shares(self) -> None:
        if self.test is not None and self.kind not in _DRAWN:
            raise UsageError(
                "test",
                f"it has no place beside {self.kind.replace('_', '-')}",
                "leave it out, or split by --random",
            )
        for name, share in (("test", self.test), ("dev", self.dev)):
            expect(name, share, (int, float, type(None)), "give a share, as 0.1")
            if share is not None and not 0 < share < 1:
                raise UsageError(name, f"the share {share} cannot be", "give one between 0 and 1")
        if (self.test or 0) + (self.dev or 0) >= 1:
            raise UsageError("dev", "test and dev leave nothing to train on", "give smaller shares")

    def as_dict(self) -> dict[str, Any]:
        """All settings by name."""
        return asdict(self)


def _is_said(value: object) -> bool:
    return value is not None and value is not False
