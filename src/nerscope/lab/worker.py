"""One job in a process of its own: `python -m nerscope.lab.worker SPEC.json`."""

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
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from nerscope.corpus.corpus import Coding
from nerscope.dataset.split.material import with_context
from nerscope.errors import FaultError, NerscopeError
from nerscope.formats.align import side_by_side
from nerscope.formats.base import path_of, source_named
from nerscope.lab.lessons import labelled, taught
from nerscope.lab.plan import PLACES
from nerscope.lab.recipe import recipe_named
from nerscope.plugins import load_plugins
from nerscope.results.files import write_bytes

_PLACE = re.compile(rf"""(["']?){{({"|".join(PLACES)})}}\1""")  # somebody may have quoted it
COMMAND, EXIT_CODE = "$ ", "it ended with exit code "  # in the log
_LOOK = 0.5  # seconds between two looks at who started this


def main(path: str) -> int:
    """Do what a file says, with a log on standard output; the exit code tells how it went."""
    spec = json.loads(Path(path).read_text(encoding="utf-8"))
    _end_with(spec["parent"])
    try:
        load_plugins(spec["plugins"])
        if spec["recipe"]:
            _by_recipe(spec)
        else:
            _by_command(spec)
        _check_output(spec)
    except NerscopeError as error:
        print(error)  # noqa: T201  the log
        return error.exit_code
    return 0


def _end_with(parent: int) -> None:
    """End this process and all that it started as soon as its parent is gone, however it ended."""

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(_LOOK)
        os.killpg(os.getpgid(0), signal.SIGKILL)

    if hasattr(os, "killpg"):
        threading.Thread(target=watch, daemon=True).start()


def _by_recipe(spec: Mapping[str, Any]) -> None:
    train, dev, test = (
        source_named(spec[key]) if spec[key] else None for key in ("train", "dev", "test")
    )
    assert train is not None and test is not None
    labels = taught(
        recipe_named(spec["recipe"]),
        spec["options"],
        train,
        dev,
        test,
        seed=spec["seed"],
        folder=Path(spec["scratch"]),
        say=lambda line: print(line, flush=True),  # noqa: T201  the log
        context=spec["context"],
    )
    write_bytes(spec["output"], labelled(test, labels))


def _by_command(spec: Mapping[str, Any]) -> None:
    """Run a program in the folder of the plan, with the names of files put into its command."""
    known = {**dict(_files(spec)), "output": spec["output"], "seed": str(spec["seed"])}
    command = _PLACE.sub(lambda found: _quoted(known[found[2]]), spec["command"])
    print(f"{COMMAND}{command}", flush=True)  # noqa: T201  the log
    code = subprocess.run(command, shell=True, cwd=spec["plan"], check=False).returncode
    if code < 0:
        raise FaultError("the command", f"it was ended by signal {-code}", "run it by hand")
    if code:
        raise FaultError("the command", f"{EXIT_CODE}{code}", "mend it; its log tells more")
    if not Path(spec["output"]).is_file():
        raise FaultError("the command", "it wrote no output", "let it write to {output}")


def _quoted(text: str) -> str:
    """A text as one word of the shell."""
    return subprocess.list2cmdline([text]) if sys.platform == "win32" else shlex.quote(text)


def _files(spec: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """The files that a command is told of; with larger context, copies with longer sentences."""
    for key in ("train", "dev", "test"):
        if spec[key] and spec["context"] > 1:
            longer = Path(spec["scratch"]) / f"{key}.conll"
            longer.write_bytes(with_context(spec[key], spec["context"]))
            yield key, str(longer)
        elif spec[key]:
            yield key, path_of(spec[key])


def _check_output(spec: Mapping[str, Any]) -> None:
    """Refuse an output that is not the test sentences."""
    sources = [source_named(spec["test"]), source_named(spec["outcome"])]
    for _ in side_by_side(sources, Coding()):
        pass


def _log_in_utf8() -> None:
    """Log whatever words there are, whichever encoding this system has for files."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")


if __name__ == "__main__":
    _log_in_utf8()
    sys.exit(main(sys.argv[1]))
