"""The program of a job's process: `python -m nerscope.lab.worker SPEC.json`."""

import io
import json
import os
import re
import shlex
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from nerscope.corpus.corpus import Coding
from nerscope.dataset.split.material import with_context
from nerscope.errors import FaultError, NerscopeError
from nerscope.formats.align import side_by_side
from nerscope.formats.base import path_of, source_named
from nerscope.lab.lessons import LessonSources, train_and_predict, with_labels
from nerscope.lab.plan import PLACEHOLDERS
from nerscope.lab.recipe import recipe_named
from nerscope.registry import load_plugins
from nerscope.results.files import write_bytes

_PLACEHOLDER = re.compile(rf"""(["']?){{({"|".join(PLACEHOLDERS)})}}\1""")  # perhaps in quotes
COMMAND_PREFIX, EXIT_CODE = "$ ", "it ended with exit code "  # in the log
_POLL = 0.5  # seconds between two looks at the parent process


@dataclass(frozen=True, slots=True)
class JobSpec:
    """Everything that the process of a job needs to know. Paths are absolute."""

    train: str  # as FILE::options, like dev and test
    dev: str | None
    test: str
    recipe: str | None
    options: Mapping[str, Any]  # of the recipe
    command: str | None
    context: int
    seed: int
    scratch: str  # a folder that is deleted afterwards
    output: str
    output_with_options: str  # as FILE::options
    plan_folder: str
    plugins: Sequence[str]
    parent: int  # the number of the process that started this one

    def save(self, path: Path) -> None:
        path.write_text(json.dumps(asdict(self)), encoding="utf-8")

    @classmethod
    def load(cls, path: Path) -> "JobSpec":
        return cls(**json.loads(path.read_text(encoding="utf-8")))


def main(path: str) -> int:
    """Do the job of a spec file, with a log on standard output; returns the exit code."""
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
    """End this process group when the parent dies: a killed run leaves no training behind."""

    def watch() -> None:
        while os.getppid() == parent:  # an orphan gets another parent
            time.sleep(_POLL)
        os.killpg(os.getpgid(0), signal.SIGKILL)

    if hasattr(os, "killpg"):
        threading.Thread(target=watch, daemon=True).start()


def _run_recipe(spec: JobSpec, recipe: str) -> None:
    sources = LessonSources(
        source_named(spec.train),
        source_named(spec.dev) if spec.dev else None,
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
    )
    write_bytes(spec.output, with_labels(sources.test, labels))


def _run_command(spec: JobSpec, template: str) -> None:
    """Run a command in the folder of the plan, with its placeholders filled in."""
    values = {**dict(_command_files(spec)), "output": spec.output, "seed": str(spec.seed)}
    command = _PLACEHOLDER.sub(lambda match: _quoted(values[match[2]]), template)
    print(f"{COMMAND_PREFIX}{command}", flush=True)  # noqa: T201  the log
    code = subprocess.run(command, shell=True, cwd=spec.plan_folder, check=False).returncode
    if code < 0:
        raise FaultError("the command", f"it was ended by signal {-code}", "run it by hand")
    if code:
        raise FaultError("the command", f"{EXIT_CODE}{code}", "mend it; its log tells more")
    if not Path(spec.output).is_file():
        raise FaultError("the command", "it wrote no output", "let it write to {output}")


def _quoted(text: str) -> str:
    """A text as one word of the shell."""
    return subprocess.list2cmdline([text]) if sys.platform == "win32" else shlex.quote(text)


def _command_files(spec: JobSpec) -> Iterator[tuple[str, str]]:
    """The files for train, dev and test; with larger context, copies with joined sentences."""
    for name, text in (("train", spec.train), ("dev", spec.dev), ("test", spec.test)):
        if text and spec.context > 1:
            longer = Path(spec.scratch) / f"{name}.conll"
            longer.write_bytes(with_context(text, spec.context))
            yield name, str(longer)
        elif text:
            yield name, path_of(text)


def _check_output(spec: JobSpec) -> None:
    """Raise an error if the sentences of the output are not those of the test file."""
    sources = [source_named(spec.test), source_named(spec.output_with_options)]
    for _ in side_by_side(sources, Coding()):
        pass


def _log_in_utf8() -> None:
    """Write the log in UTF-8: the encoding of the operating system may lack some words."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")


if __name__ == "__main__":
    _log_in_utf8()
    sys.exit(main(sys.argv[1]))
