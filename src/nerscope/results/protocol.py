"""What the datasets of results are to each other, on which all that is said over them rests."""

import math
from dataclasses import dataclass
from typing import Any

from nerscope.errors import UsageError, suggest

SPLITS, DOMAINS, FIXED, DRAWN = "splits", "domains", "fixed", "drawn"
KINDS = (SPLITS, DOMAINS, FIXED, DRAWN)
_GIVE_RATIO = "give n_test / n_train, as 0.25 for five folds"


@dataclass(frozen=True, slots=True)
class Protocol:
    """What the datasets of results are to each other.

    "splits" are folds or random splits of one corpus: they overlap, and `ratio`, the number of test
    sentences by that of training sentences, tells how much. Others are independent: "fixed" are all
    that is spoken of, "drawn" a sample of others like them; "domains" may be either.

    >>> Protocol("splits", 0.25).as_dict()
    {'datasets': 'splits', 'ratio': 0.25}
    """

    datasets: str = DOMAINS
    ratio: float | None = None

    def __post_init__(self) -> None:
        if self.datasets not in KINDS:
            fact = f"datasets cannot be {self.datasets!r}"
            raise UsageError("protocol", fact, suggest(str(self.datasets), KINDS))
        if self.datasets != SPLITS and self.ratio is not None:
            raise UsageError("ratio", "only splits have one", f"leave it out, or say {SPLITS}")
        if self.datasets == SPLITS and self.ratio is None:
            raise UsageError("ratio", "splits overlap, and nobody says how much", _GIVE_RATIO)
        if self.ratio is not None and not _is_ratio(self.ratio):
            raise UsageError("ratio", f"{self.ratio!r} cannot be", _GIVE_RATIO)

    @property
    def are_splits(self) -> bool:
        """Whether datasets overlap."""
        return self.datasets == SPLITS

    def as_dict(self) -> dict[str, Any]:
        """The protocol as plain data; what is not said is not there."""
        known = {} if self.ratio is None else {"ratio": self.ratio}
        return {"datasets": self.datasets, **known}


def _is_ratio(value: object) -> bool:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    return 0 < value < math.inf


def choose_protocol(
    known: Protocol | None, over: str | None = None, ratio: float | None = None
) -> Protocol | None:
    """The protocol of the results, overridden by options; a known ratio is kept."""
    if over is None and ratio is None:
        return known
    before = known or Protocol()
    kind = before.datasets if over is None else over
    known_ratio = before.ratio if kind == SPLITS else None
    return Protocol(kind, known_ratio if ratio is None else ratio)
