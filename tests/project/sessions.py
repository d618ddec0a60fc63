"""What the program writes into the documentation: sessions, and the options of commands.

Commands of a session are run, and what they print is compared or refreshed. A table of options is
made from the help of its command. Refresh the pages with: python -m tests.project.sessions --write
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from typer.main import get_command

from nerscope.cli.main import application

ROOT = Path(__file__).resolve().parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
ELISION = "…"
MOST = 40  # lines of an output that a page shows
_BLOCK = re.compile(r"(?ms)^```(?:console)?\n(\$ .*?)^```$")


class Step(NamedTuple):
    """A command as it is shown, and what it prints."""

    command: str
    output: str


def steps_of(block: str) -> list[Step]:
    """The commands of a block and what follows each."""
    parts = re.split(r"(?m)^\$ ", block)[1:]
    steps = []
    for part in parts:
        lines = part.split("\n")
        size = 1
        while lines[size - 1].endswith("\\"):
            size += 1
        steps.append(Step("\n".join(lines[:size]), "\n".join(lines[size:]).rstrip("\n")))
    return steps


def blocks_of(page: Path) -> list[re.Match[str]]:
    """The blocks of a page that show sessions."""
    return list(_BLOCK.finditer(page.read_text(encoding="utf-8")))


_exit_codes: dict[Path, int] = {}  # of the last command in each folder, for `echo $?`


def run(command: str, folder: Path, shown: str = "") -> str:
    """What a command prints, on both streams, in a terminal of 80 columns.

    `cat FILE` of a file that is not there means that the reader makes it, as the page shows it.
    """
    name = command.removeprefix("cat ")
    if command.startswith("cat ") and not (folder / name).exists():
        (folder / name).write_text(shown + "\n", encoding="utf-8")
    environment = {
        **os.environ,
        "PATH": os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]]),
        "COLUMNS": "80",
        "NO_COLOR": "1",
    }
    finished = subprocess.run(
        ["bash", "-c", f"exec 2>&1\n(exit {_exit_codes.get(folder, 0)})\n{command}"],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    _exit_codes[folder] = finished.returncode
    return finished.stdout.rstrip("\n")


def fits(shown: str, printed: str) -> bool:
    """Whether a page shows what was printed; an elision stands for anything."""
    if ELISION not in shown:
        return shown == printed
    pieces = [re.escape(piece.strip("\n")) for piece in shown.split(ELISION)]
    return re.fullmatch("(?s)" + ".*?".join(pieces), printed) is not None


# Files of the demonstration under the names that a reader's own files have in the README.
_OWN_FILES = {
    "gold.conll": "test.conll",
    "train.conll": "train.conll",
    "bert.conll": "systems/crf-shapes.1.conll",
    "crf.conll": "systems/crf-words.1.conll",
}


def prepared(demo: Path, folder: Path, page: Path) -> Path:
    """A folder with the demonstration data, as `nerscope demo` leaves it, for a page."""
    shutil.copytree(demo, folder / "nerscope-demo")
    for name, source in _OWN_FILES.items() if page.name == "README.md" else ():
        shutil.copy(demo / source, folder / name)
    return folder


def differences(page: Path, folder: Path) -> Iterator[str]:
    """What a page shows and its commands do not print."""
    for block in blocks_of(page):
        for step in steps_of(block[1]):
            printed = run(step.command, folder, step.output)
            if not fits(step.output, printed):
                yield f"$ {step.command}\nshown:\n{step.output}\nprinted:\n{printed}\n"


_OPTIONS = re.compile(r"(?m)^\| option \|.*\n(?:\|.*\n)+")


def options_table(name: str) -> str:
    """The arguments and options of a command as a table, in the words of its help."""
    command = get_command(application()).commands[name]  # type: ignore[attr-defined]
    lines = ["| option | what it does |", "|---|---|"]
    for parameter in command.params:
        names = [f"`{option}`" for option in parameter.opts]
        value = parameter.metavar or ""
        if parameter.param_type_name == "argument":
            names = [f"`{value}`"]
        elif value and not getattr(parameter, "is_flag", False):
            names[-1] = f"{names[-1][:-1]} {value}`"
        shown = ", ".join(names).replace("|", "\\|")
        text = _escaped(getattr(parameter, "help", "") or "") + _default(parameter)
        lines.append(f"| {shown} | {text} |")
    return "\n".join([*lines, "| `-h`, `--help` | Show the options and exit. |"]) + "\n"


def _default(parameter: Any) -> str:
    """The default as `--help` shows it."""
    default = parameter.default if getattr(parameter, "show_default", False) else None
    has_one = isinstance(default, str | int | float) and not isinstance(default, bool)
    return f" Default: {default}." if has_one else ""


def _escaped(text: str) -> str:
    return text.replace("|", "\\|")


def with_options(page: Path, text: str) -> str:
    """The text of a page with the table of options of its command, if it is about one."""
    if page.parent.name != "commands":
        return text
    return _OPTIONS.sub(lambda _: options_table(page.stem), text, count=1)


def refreshed(page: Path, folder: Path) -> str:
    """The page with what its commands print; a fitting elision stays, a long output is cut."""

    def again(block: re.Match[str]) -> str:
        lines = []
        for step in steps_of(block[1]):
            printed = run(step.command, folder, step.output)
            if ELISION in step.output and fits(step.output, printed):
                printed = step.output
            shown = printed.split("\n")
            if len(shown) > MOST:
                shown = [*shown[:MOST], ELISION]
            lines += [f"$ {step.command}", *(shown if printed else [])]
        return block[0].replace(block[1], "\n".join(lines) + "\n")

    return with_options(page, _BLOCK.sub(again, page.read_text(encoding="utf-8")))


def main() -> None:
    """Refresh all pages, or those that are named, or say which would change."""
    named = [Path(name).resolve() for name in sys.argv[1:] if not name.startswith("--")]
    with tempfile.TemporaryDirectory() as place:
        run("nerscope demo nerscope-demo", Path(place))
        for number, page in enumerate(named or PAGES):
            folder = Path(place) / str(number)
            folder.mkdir()
            prepared(Path(place) / "nerscope-demo", folder, page)
            text = refreshed(page, folder)
            if text != page.read_text(encoding="utf-8"):
                print(page.relative_to(ROOT))
                if "--write" in sys.argv:
                    page.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
