"""The progress line: sentences done, sentences per second, and the time left."""

from collections import deque
from collections.abc import Callable
from time import monotonic
from typing import NamedTuple

_RECENT = 15.0  # the rate is measured over this many seconds
_FAIR = 1.0  # seconds below which a rate would be guesswork


class _Moment(NamedTuple):
    time: float
    sentences: int = 0
    share: float = 0.0  # of all the work, from 0 to 1


class ProgressLine:
    """Collects the progress of an evaluation, and shows it now and then.

    Call it with the number of sentences done, as `evaluate` calls its `progress`; call `share`
    with the fraction of all work done, where the amount of work is known.

    >>> progress = ProgressLine("scoring", print, after=0.0, every=0.0)
    >>> progress(1200)
    scoring: 1,200 sentences
    """

    def __init__(
        self,
        label: str,
        show: Callable[[str], None],
        *,
        after: float,
        every: float,
        clock: Callable[[], float] = monotonic,
    ) -> None:
        self._label, self._show, self._every, self._clock = label, show, every, clock
        now = clock()
        self._next = now + after
        self._now = _Moment(now)
        self._past = deque([self._now])

    def __call__(self, sentences: int) -> None:
        self._note(self._now._replace(time=self._clock(), sentences=sentences))

    def share(self, done: float) -> None:
        """Report the fraction of all work that is done, from 0 to 1."""
        self._note(self._now._replace(time=self._clock(), share=done))

    def _note(self, now: _Moment) -> None:
        self._now = now
        if now.time < self._next:
            return
        self._next = now.time + self._every
        self._past.append(now)
        while len(self._past) > 2 and self._past[1].time <= now.time - _RECENT:
            self._past.popleft()
        self._show(f"{self._label}: {' · '.join(_facts(self._past[0], now))}")


def _facts(then: _Moment, now: _Moment) -> list[str]:
    """The count now, and the rate and the remaining time since an earlier moment."""
    facts = [f"{now.sentences:,} sentence{'s' * (now.sentences != 1)}"]
    seconds = now.time - then.time
    if seconds < _FAIR:
        return facts
    if rate := _rounded((now.sentences - then.sentences) / seconds):
        facts.append(f"{rate:,}/s")
    if now.share > then.share:
        left = max(0.0, 1 - now.share) * seconds / (now.share - then.share)
        facts.append(f"{_duration(left)} left")
    return facts


def _rounded(number: float) -> int:
    """Round to two digits: more would flicker.

    >>> _rounded(82_417.3), _rounded(7.2)
    (82000, 7)
    """
    return int(float(f"{number:.1e}"))


def _duration(seconds: float) -> str:
    """A duration in seconds, minutes or hours.

    >>> _duration(14.2), _duration(600), _duration(9000)
    ('14 s', '10 min', '2 h 30 min')
    """
    if seconds < 100:
        return f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 100 else f"{minutes // 60} h {minutes % 60} min"
