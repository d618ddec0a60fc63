"""What most commands share: option fields, loading results, printing, progress.

A command names the fields that it shares with others, so that an option is called, explained and
checked alike everywhere: `plugin: list[str] = PLUGIN`.
"""

import errno
import math
import os
import sys
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from time import monotonic
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

import typer

from nerscope.errors import visible

if TYPE_CHECKING:
    from nerscope.render.document import Document
    from nerscope.results.results import Results

FileContent = Callable[[], bytes | str]  # made when the file is written

FILE_HELP = "File options follow the name: FILE::token=1,label=2."


def format_option(*more: str) -> Any:
    """The option `--format` of a command for which further formats are worth naming."""
    names = ", ".join(("text", "markdown", "latex", "csv", "json", *more))
    return typer.Option("text", metavar="FORMAT", help=f"{names}, or the format of a plug-in.")


# Typed Any, as typer.Option itself is: a field has the type of its value.
RESULTS: Any = typer.Argument(metavar="RESULTS", help="Results saved with evaluate -o.")
FORMAT = format_option()
PLUGIN: Any = typer.Option(
    [],
    metavar="FILE.py",
    help="Python file that registers facets, matches, metrics or formats; repeatable.",
)
QUIET: Any = typer.Option(False, "--quiet", "-q", help="Print no notes and no hints.")
CASE: Any = typer.Option(
    "sensitive",
    metavar="NAME",
    help="Comparison of tokens with training: sensitive, or fold (ignore case).",
)
REPAIR: Any = typer.Option(
    "conlleval",
    metavar="NAME",
    help="How invalid labels are read: conlleval, strict, discard, none.",
)
RESAMPLE: Any = typer.Option(
    None,
    metavar="UNIT",
    help="What is resampled: document, sentence, block:20; document,surface for two-way "
    "clusters. Default: documents if they are marked, else sentences.",
)
CODES: Any = typer.Option(
    False, "--codes", help="Show the short names of the papers, such as tmr=seen, without words."
)
NOTES: Any = typer.Option(False, "--notes", help="Print every note in full.")
SIGNATURE: Any = typer.Option(
    False, "--signature", help="Print all settings that affect a number, in one line."
)
SEED: Any = typer.Option(0, metavar="N", help="Seed of random draws.")

# As `head` leaves a pipe: nothing more to print. Windows calls it an invalid argument.
_READER_GONE = (errno.EPIPE, errno.EINVAL) if os.name == "nt" else (errno.EPIPE,)
_PATIENCE = 1.0  # seconds before a progress line appears
_OFTEN = 0.2  # seconds between two of them on a terminal
_SELDOM = 30.0  # and elsewhere, where each is a line of its own
_RECENT = 15.0  # the rate is measured over this many seconds
_FAIR = 1.0  # seconds below which a rate would be guesswork


def prepare(plugins: Sequence[str], form: str = "text") -> None:
    """Load plug-ins, then refuse an unknown output format, which a plug-in may have registered."""
    from nerscope.registry import load_plugins
    from nerscope.render.document import OUTPUTS

    load_plugins(plugins)
    OUTPUTS[form]  # raises for an unknown name


def load_results(path: str, plugins: Sequence[str] = (), form: str = "text") -> "Results":
    """Prepare as above, then load results, which may have facets of plug-ins."""
    from nerscope.results.results import Results

    prepare(plugins, form)
    return Results.load(path)


def shows_only_exact(form: str) -> bool:
    """Whether an output format shows exact scores and nothing else."""
    from nerscope.render.document import OUTPUTS

    return OUTPUTS[form].exact_only


def emit_and_exit(
    document: "Document",
    form: str,
    *,
    files: Mapping[str, FileContent] | None = None,
    code: int = 0,
    silent: bool = False,
    says_files: bool = False,
    options: object = None,
) -> NoReturn:
    """Write files, then print a document in a format, and end with an exit code.

    Files are complete before anything is printed: a reader that stops reading standard output, as
    `head` does, changes neither the files nor the exit code. `options` are those of the command, of
    which `quiet`, `codes`, `notes` and `signature` are used where it has them. `says_files` names
    the files on standard error when they are written.
    """
    from nerscope.render.document import OUTPUTS
    from nerscope.results.files import write_bytes, write_text

    document = _as_chosen(document, form, options)
    printed = "" if silent else OUTPUTS[form](document)
    for path, made in (files or {}).items():
        data = made()
        if isinstance(data, str):
            write_text(path, data)
        else:
            write_bytes(path, data)
    print_output(printed, OUTPUTS[form].escape)
    if files and says_files and not getattr(options, "quiet", False):
        print_message(f"wrote {', '.join(files)}")
    if form != "text":
        if getattr(options, "signature", False) and document.signature:
            print_message(f"signature: {document.signature}")
        for note in document.notes:
            print_message(f"note: {note}")
    raise typer.Exit(code)


def _as_chosen(document: "Document", form: str, options: object) -> "Document":
    """The document as the options `--quiet`, `--codes`, `--notes` and `--signature` want it."""
    from dataclasses import replace

    from nerscope.render.document import Verbatim

    if getattr(options, "codes", False):
        document = replace(
            document,
            tables=[replace(table, codes=True) for table in document.tables],
            leading=[replace(table, codes=True) for table in document.leading],
        )
    lines = list(document.lines)
    if getattr(options, "signature", False) and document.signature and form == "text":
        lines.append(Verbatim(f"signature: {document.signature}"))
    if getattr(options, "notes", False):
        every = document.notes if document.every_note is None else document.every_note
        lines += [Verbatim(f"note: {note}") for note in every]
        document = replace(document, notes=[])
    document = replace(document, lines=lines)
    if getattr(options, "quiet", False):
        document = replace(document, notes=[], hints=[])
    return document


def print_output(text: str, escape: Callable[[str], str] = visible) -> None:
    """Print to standard output, with control characters made visible by `escape`.

    A closed pipe is ignored; a full disk is an error.
    """
    from nerscope.results.files import unwritable

    if sys.stdout is None:  # closed by the calling process, as `>&-` does
        return
    try:
        sys.stdout.write(_encodable(escape(text), sys.stdout.encoding))
        sys.stdout.flush()
    except OSError as error:
        # Python flushes once more at exit, which would fail again and change the exit code.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if error.errno not in _READER_GONE:
            raise unwritable("standard output", error) from None


def _encodable(text: str, encoding: str | None) -> str:
    """Escape the characters that the encoding of the output lacks, as `\\u2192` for →."""
    known = encoding or "utf-8"
    return text.encode(known, "backslashreplace").decode(known)


def print_message(note: str) -> None:
    """Print a line on standard error, with the name of the program before it."""
    from nerscope.render.document import escape_controls

    typer.echo(_encodable(f"nerscope: {escape_controls(note)}", sys.stderr.encoding), err=True)


@contextmanager
def status_line() -> Iterator[Callable[[str], None]]:
    """Give a function that shows the current step in place; silent unless on a terminal."""
    on_terminal = sys.stderr.isatty()

    def show(step: str) -> None:
        if on_terminal:
            line = _encodable(visible(step), sys.stderr.encoding)
            typer.echo(f"\r\033[K{line}", nl=False, err=True)

    try:
        yield show
    finally:
        if on_terminal:
            typer.echo("\r\033[K", nl=False, err=True)


@contextmanager
def progress(label: str, *, quiet: bool = False) -> Iterator["ProgressLine"]:
    """A counter of sentences, for work that takes its time: in place on a terminal, a line now and
    then elsewhere.
    """
    if not quiet and sys.stderr.isatty():
        with status_line() as show:
            yield ProgressLine(label, show, after=_PATIENCE, every=_OFTEN)
    else:
        yield ProgressLine(
            label, print_message, after=math.inf if quiet else _SELDOM, every=_SELDOM
        )


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
