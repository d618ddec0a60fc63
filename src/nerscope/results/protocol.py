"""How the datasets of results relate to each other, which decides the tests over datasets."""

import math
from dataclasses import dataclass
from typing import Any, NamedTuple

from nerscope.errors import UsageError, suggest

SPLITS, DOMAINS, FIXED, DRAWN = "splits", "domains", "fixed", "drawn"
KINDS = (SPLITS, DOMAINS, FIXED, DRAWN)


class DecidingTest(NamedTuple):
    """The test that decides over all datasets, as fields of a row over datasets."""

    p: str
    low: str  # the bounds of its interval
    high: str
    untested: str  # the reason if p is undefined


_NO_SPREAD = "the differences do not vary"
_FIXED_TEST = DecidingTest("p_fixed", "low", "high", "a dataset has no interval")
DECIDING = {
    SPLITS: DecidingTest("p_resampled", "low", "high", _NO_SPREAD),
    FIXED: _FIXED_TEST,
    DOMAINS: _FIXED_TEST,
    DRAWN: DecidingTest("p_drawn", "low_drawn", "high_drawn", _NO_SPREAD),
}
_GIVE_RATIO = "give n_test / n_train, such as 0.25 for five folds"


@dataclass(frozen=True, slots=True)
class Protocol:
    """How the datasets of results relate to each other.

    "splits" are folds or random splits of one corpus. They overlap; `ratio` is the number of test
    sentences divided by the number of training sentences. All other datasets are independent:
    "fixed" if conclusions are only about these datasets, "drawn" if they are a sample of similar
    datasets. "domains" may be either.

    >>> Protocol("splits", 0.25).as_dict()
    {'datasets': 'splits', 'ratio': 0.25}
    """

    datasets: str = DOMAINS
    ratio: float | None = None

    def __post_init__(self) -> None:
        if self.datasets not in KINDS:
            fact = f"unknown kind of datasets {self.datasets!r}"
            raise UsageError("protocol", fact, suggest(str(self.datasets), KINDS))
        if self.datasets != SPLITS and self.ratio is not None:
            raise UsageError(
                "ratio", f"only {SPLITS} have a ratio", f"leave it out, or use {SPLITS}"
            )
        if self.datasets == SPLITS and self.ratio is None:
            raise UsageError("ratio", "splits overlap, and no ratio was given", _GIVE_RATIO)
        if self.ratio is not None and not _is_ratio(self.ratio):
            raise UsageError("ratio", f"invalid value {self.ratio!r}", _GIVE_RATIO)

    @property
    def are_splits(self) -> bool:
        """Whether datasets overlap."""
        return self.datasets == SPLITS

    def as_dict(self) -> dict[str, Any]:
        """The protocol as plain data, without fields that are not given."""
        known = {} if self.ratio is None else {"ratio": self.ratio}
        return {"datasets": self.datasets, **known}


def _is_ratio(value: object) -> bool:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    return 0 < value < math.inf


def choose_protocol(
    known: Protocol | None, over: str | None = None, ratio: float | None = None
) -> Protocol | None:
    """The protocol of the results, overridden by options that are given."""
    if over is None and ratio is None:
        return known
    before = known or Protocol()
    kind = before.datasets if over is None else over
    known_ratio = before.ratio if kind == SPLITS else None
    return Protocol(kind, known_ratio if ratio is None else ratio)
