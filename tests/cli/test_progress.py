"""The line that says how far the work is."""

import io

import pytest
import typer

from nerscope.cli import common
from nerscope.cli.common import ProgressLine, progress


class Work:
    """A progress with a clock of its own, and what it said."""

    def __init__(self, after: float = 0.0, every: float = 0.0) -> None:
        self.time, self.said = 100.0, list[str]()
        self.progress = ProgressLine(
            "scoring", self.said.append, after=after, every=every, clock=lambda: self.time
        )

    def at(self, time: float, sentences: int, share: float | None = None) -> str:
        self.time = 100.0 + time
        if share is not None:
            self.progress.share(share)
        self.progress(sentences)
        return self.said[-1] if self.said else ""


def test_it_tells_sentences_rate_and_the_time_that_is_left() -> None:
    shown = Work().at(14.7, 1_203_000, 0.51)
    assert shown == "scoring: 1,203,000 sentences · 82,000/s · 14 s left"


@pytest.mark.parametrize(
    ("time", "sentences", "share", "shown"),
    [
        (0.5, 9000, 0.1, "9,000 sentences"),  # too early to tell how fast it is
        (2, 0, None, "0 sentences"),
        (2, 5000, None, "5,000 sentences · 2,500/s"),  # nobody knows how much there is
        (2, 3, None, "3 sentences · 1/s"),
        (10, 1, None, "1 sentence"),  # too slow for a rate
        (10, 0, 0.1, "0 sentences · 90 s left"),
        (10, 1000, 0.05, "1,000 sentences · 100/s · 3 min left"),
        (10, 1000, 0.001, "1,000 sentences · 100/s · 2 h 46 min left"),
        (10, 1000, 1.0, "1,000 sentences · 100/s · 0 s left"),
        (10, 1000, 1.01, "1,000 sentences · 100/s · 0 s left"),
    ],
)
def test_it_tells_only_what_it_knows(
    time: float, sentences: int, share: float | None, shown: str
) -> None:
    assert Work().at(time, sentences, share) == f"scoring: {shown}"


def test_what_was_done_long_ago_says_nothing_of_how_fast_it_is_now() -> None:
    work = Work()
    work.at(1, 1_000_000, 0.5)  # kept from another time, and read at once
    for second in range(2, 30):
        shown = work.at(second, 1_000_000 + 10 * second, 0.5 + second / 1000)
    assert shown == "scoring: 1,000,290 sentences · 10/s · 8 min left"


def test_it_waits_before_it_speaks_and_between() -> None:
    work = Work(after=1.0, every=0.5)
    for quarter in range(10):
        work.at(quarter / 4, quarter)
    assert [text.split()[1] for text in work.said] == ["4", "6", "8"]


class Terminal(io.StringIO):
    """A stream that says whether it is a terminal."""

    def __init__(self, is_one: bool) -> None:
        super().__init__()
        self.is_one = is_one

    def isatty(self) -> bool:
        return self.is_one


@pytest.mark.parametrize(
    ("is_one", "quiet", "shown"),
    [
        (True, False, "\r\033[Kscoring: 1,000 sentences\r\033[K"),
        (False, False, "nerscope: scoring: 1,000 sentences\n"),
        (True, True, ""),
        (False, True, ""),
    ],
)
def test_it_is_in_place_on_a_terminal_and_a_line_elsewhere(
    monkeypatch: pytest.MonkeyPatch, is_one: bool, quiet: bool, shown: str
) -> None:
    stream = Terminal(is_one)
    monkeypatch.setattr("sys.stderr", stream)
    monkeypatch.setattr(common, "_PATIENCE", -1.0)
    monkeypatch.setattr(common, "_SELDOM", -1.0)
    with progress("scoring", quiet=quiet) as report:
        report(1000)
    assert stream.getvalue() == shown


def test_a_terminal_that_has_no_dot_in_its_letters_is_told_all_the_same(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    said = list[str]()
    monkeypatch.setattr("sys.stderr", Terminal(True))
    monkeypatch.setattr(typer, "echo", lambda text, **options: said.append(text))
    monkeypatch.setattr(Terminal, "encoding", "ascii")
    with common.status_line() as show:
        show("1 · 2")
    assert said[0] == "\r\033[K1 \\xb7 2"
