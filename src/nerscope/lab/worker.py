"""The process of a job: start it, end it, and the program that it runs.

The parent writes a `JobSpec` to a file and calls `run_process`; the new process runs
`python -m nerscope.lab.worker SPEC.json`, which is `main`.
"""

import io
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, NamedTuple

from nerscope.corpus.corpus import Coding
from nerscope.corpus.schemes import LabelCodes
from nerscope.dataset.split.material import with_context
from nerscope.errors import FaultError, NerscopeError
from nerscope.formats.align import side_by_side
from nerscope.formats.base import input_files, open_training, path_of, source_named
from nerscope.formats.files import is_remote
from nerscope.lab.lessons import LessonSources, train_and_predict, with_labels
from nerscope.lab.plan import PLACEHOLDERS
from nerscope.lab.recipe import recipe_named
from nerscope.registry import load_plugins
from nerscope.results.files import write_bytes

_PLACEHOLDER = re.compile(f"{{({'|'.join(PLACEHOLDERS)})}}")
# Characters that have no special meaning in any shell, with or without quotes.
_PLAIN_PATH = re.compile(rf"[\w@+=:,./{re.escape(os.sep)}-]*")
COMMAND_PREFIX, EXIT_CODE = "$ ", "it ended with exit code "  # in the log
# By default each of these libraries uses all cores: two parallel jobs are then ten times slower.
_THREAD_VARIABLES = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
_CHILD_POLL = 0.02  # seconds between two checks of the process
_PARENT_POLL = 0.5  # seconds between two checks of the parent, in the process


@dataclass(frozen=True, slots=True)
class JobSpec:
    """The input of the process of a job. Paths are absolute."""

    train: Sequence[str]  # each as FILE::options, like dev and test
    dev: Sequence[str]
    test: str
    recipe: str | None
    options: Mapping[str, Any]  # of the recipe
    map: Mapping[str, str]  # types that the recipe learns under other names
    drop: Sequence[str]  # types that the recipe does not learn
    command: str | None
    context: int
    seed: int
    scratch: str  # a temporary folder with a plain path
    output: str
    output_with_options: str  # as FILE::options
    plan_folder: str
    plugins: Sequence[str]
    parent: int  # the process ID of the parent

    def save(self, path: Path) -> None:
        path.write_text(json.dumps(asdict(self)), encoding="utf-8")

    @classmethod
    def load(cls, path: Path) -> "JobSpec":
        return cls(**json.loads(path.read_text(encoding="utf-8")))


class Stopped(Exception):  # noqa: N818  it is not an error
    """The user has stopped the program."""


class ProcessEnd(NamedTuple):
    """How a process ended."""

    code: int | None  # None: it exceeded its timeout and was killed
    peak_mb: float | None  # peak memory; None where the operating system does not report it


def run_process(
    spec: Path, log: int, parallel_jobs: int, timeout: float | None, stop: threading.Event
) -> ProcessEnd:
    """Run the job of a spec file in a new process; all its child processes end with this call.

    `log` is the file descriptor of the log; `parallel_jobs` is how many jobs share the cores.
    Raises `Stopped` when `stop` is set.
    """
    environment = {**os.environ, "PYTHONUNBUFFERED": "1"}
    if parallel_jobs > 1:
        threads = str(max(1, (os.cpu_count() or 1) // parallel_jobs))
        environment = {**dict.fromkeys(_THREAD_VARIABLES, threads), **environment}
    process = subprocess.Popen(
        [sys.executable, "-m", "nerscope.lab.worker", str(spec)],
        stdin=subprocess.DEVNULL,
        stdout=log,
        stderr=log,
        env=environment,
        start_new_session=True,  # its own process group, which can be killed at once
    )
    try:
        return _wait_for(process, timeout, stop)
    finally:
        _end_all(process)


def _wait_for(
    process: subprocess.Popen[bytes], timeout: float | None, stop: threading.Event
) -> ProcessEnd:
    deadline = time.monotonic() + (timeout or float("inf"))
    while (ended := _poll(process)) is None:
        if stop.is_set():
            raise Stopped
        if time.monotonic() > deadline:
            return ProcessEnd(None, None)
        stop.wait(_CHILD_POLL)
    return ended


def _poll(process: subprocess.Popen[bytes]) -> ProcessEnd | None:
    """How a process ended; None while it is running.

    `os.wait4` reports the memory of the process and of its children; `Popen.poll` does not.
    """
    if sys.platform == "win32":
        code = process.poll()
        return None if code is None else ProcessEnd(code, None)
    pid, status, usage = os.wait4(process.pid, os.WNOHANG)
    if not pid:
        return None
    process.returncode = os.waitstatus_to_exitcode(status)
    unit = 1 if sys.platform == "darwin" else 1024  # ru_maxrss is in bytes on macOS, else in KiB
    return ProcessEnd(process.returncode, round(usage.ru_maxrss * unit / 1e6, 1))


def _end_all(process: subprocess.Popen[bytes]) -> None:
    """Kill a process and everything that it left running in the background."""
    if sys.platform == "win32":
        command = ["taskkill", "/F", "/T", "/PID", str(process.pid)]
        subprocess.run(command, capture_output=True, check=False)  # fails if nothing is running
    else:
        with suppress(ProcessLookupError):  # nothing is running any more
            os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def main(path: str) -> int:
    """Run the job of a spec file, log to standard output, and return the exit code."""
    spec = JobSpec.load(Path(path))
    _exit_with_parent(spec.parent)
    try:
        load_plugins(spec.plugins)
        if spec.recipe:
            _run_recipe(spec, spec.recipe)
        elif spec.command:
            _run_command(spec, spec.command)
        _check_output(spec)
    except NerscopeError as error:
        print(error)  # noqa: T201  the log
        return error.exit_code
    return 0


def _exit_with_parent(parent: int) -> None:
    """Kill this process group when the parent dies, so that a killed run leaves no processes."""

    def watch() -> None:
        while os.getppid() == parent:  # an orphan gets another parent
            time.sleep(_PARENT_POLL)
        os.killpg(os.getpgid(0), signal.SIGKILL)

    if hasattr(os, "killpg"):
        threading.Thread(target=watch, daemon=True).start()


def _run_recipe(spec: JobSpec, recipe: str) -> None:
    sources = LessonSources(
        open_training([source_named(text) for text in spec.train]),
        open_training([source_named(text) for text in spec.dev]) if spec.dev else None,
        source_named(spec.test),
    )
    labels = train_and_predict(
        recipe_named(recipe),
        dict(spec.options),
        sources,
        seed=spec.seed,
        folder=Path(spec.scratch),
        say=lambda line: print(line, flush=True),  # noqa: T201  the log
        context=spec.context,
        types=LabelCodes(spec.map, frozenset(spec.drop)),
    )
    write_bytes(spec.output, with_labels(sources.test, labels))


def _run_command(spec: JobSpec, template: str) -> None:
    """Run a command in the folder of the plan, with its placeholders filled in.

    A placeholder may be anywhere: in quotes, in a here-document, in the code of an inner
    `sh -c "..."`. No quoting is correct in all these places, so values must not need any. A file
    whose path has special characters is passed as a link with a plain name.
    """
    output = _plain_or(spec.output, str(Path(spec.scratch) / Path(spec.output).name))
    values = {**dict(_command_files(spec)), "output": output, "seed": str(spec.seed)}
    command = _PLACEHOLDER.sub(lambda match: values[match[1]], template)
    print(f"{COMMAND_PREFIX}{command}", flush=True)  # noqa: T201  the log
    code = subprocess.run(command, shell=True, cwd=spec.plan_folder, check=False).returncode
    if code < 0:
        raise FaultError("the command", f"it was killed by signal {-code}", "run it by hand")
    if code:
        raise FaultError(
            "the command", f"{EXIT_CODE}{code}", "correct the command; its log has the details"
        )
    if not Path(output).is_file():
        raise FaultError("the command", "it wrote no output file", "make it write to {output}")
    if output != spec.output:
        shutil.move(output, spec.output)


def is_plain(path: str) -> bool:
    """Whether a path has no special characters and needs no quotes in a command.

    >>> is_plain("/data/test.txt"), is_plain("/data/$(date).txt"), is_plain("/my data/test.txt")
    (True, False, False)
    """
    return _PLAIN_PATH.fullmatch(path) is not None


def _plain_or(path: str, other: str) -> str:
    return path if is_plain(path) else other


def _command_files(spec: JobSpec) -> Iterator[tuple[str, str]]:
    """The files for train, dev and test, one for each.

    With context, a copy with joined sentences is written. Several files are joined into one copy.
    """
    files = {"train": spec.train, "dev": spec.dev, "test": [spec.test]}
    for name, texts in files.items():
        if not texts:
            continue
        if spec.context > 1 or len(texts) > 1:
            copy = Path(spec.scratch) / f"{name}.conll"
            copy.write_bytes(with_context(texts, spec.context))
            yield name, str(copy)
        else:
            path = path_of(texts[0])
            yield name, path if is_plain(path) else _linked(spec, name, texts[0])


def _linked(spec: JobSpec, name: str, text: str) -> str:
    """A link with a plain name to a file, next to links to the files that are read with it."""
    path = Path(path_of(text))
    if is_remote(str(path)) or not path.exists():  # a URL, or a pattern of several files
        raise FaultError(
            path_of(text),
            f"its path has special characters, and {{{name}}} is not a single local file",
            "copy the data to one local file, and name that file in the plan",
        )
    folder = Path(spec.scratch) / name
    folder.mkdir()
    for file in {path, *map(Path, input_files(text))}:
        if file.parent == path.parent and file.exists():
            _link(folder / _plain_name(file), file)
    link = folder / _plain_name(path)
    print(f"{COMMAND_PREFIX}# {link} is {path}", flush=True)  # noqa: T201  the log
    return str(link)


def _link(link: Path, file: Path) -> None:
    try:
        link.symlink_to(file)
    except OSError:  # some file systems have no links
        (shutil.copytree if file.is_dir() else shutil.copy)(file, link)


def _plain_name(path: Path) -> str:
    return "".join(sign if is_plain(sign) else "_" for sign in path.name)


def _check_output(spec: JobSpec) -> None:
    """Raise an error if the sentences of the output differ from those of the test file."""
    sources = [source_named(spec.test), source_named(spec.output_with_options)]
    for _ in side_by_side(sources, Coding()):
        pass


def _log_in_utf8() -> None:
    """Write the log in UTF-8, since the default encoding may lack some characters."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")


if __name__ == "__main__":
    _log_in_utf8()
    sys.exit(main(sys.argv[1]))
