"""A new command is one file in `nerscope.cli.commands`."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import nerscope

GREET = '''"""Say hello."""

from dataclasses import dataclass

import typer

from nerscope.cli.common import print_output


@dataclass(frozen=True)
class GreetOptions:
    name: str = typer.Argument(metavar="NAME", help="Who is greeted.")
    loud: bool = typer.Option(False, "--loud", help="Shout.")


def run(options: GreetOptions) -> None:
    text = f"Hello, {options.name}!"
    print_output((text.upper() if options.loud else text) + "\\n")
'''


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the package with one more file."""
    folder = tmp_path_factory.mktemp("copy")
    source = Path(nerscope.__file__).parent
    shutil.copytree(source, folder / "nerscope", ignore=shutil.ignore_patterns("__pycache__"))
    (folder / "nerscope" / "cli" / "commands" / "greet.py").write_text(GREET, encoding="utf-8")
    return folder


def call(package: Path, *arguments: str, **environment: str) -> str:
    done = subprocess.run(
        [sys.executable, "-m", "nerscope", *arguments],
        env={**os.environ, "PYTHONPATH": str(package), **environment},
        capture_output=True,
        text=True,
    )
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


def test_it_runs(package: Path) -> None:
    assert call(package, "greet", "Ada", "--loud") == "HELLO, ADA!\n"


def test_help_knows_it(package: Path) -> None:
    assert "Other:\n  greet  Say hello.\n" in call(package, "--help")
    assert "--loud" in call(package, "greet", "--help")


@pytest.mark.parametrize(
    ("line", "word"), [("nerscope gr", "greet"), ("nerscope greet --l", "--loud")]
)
def test_shells_complete_it(package: Path, line: str, word: str) -> None:
    answer = call(
        package,
        _NERSCOPE_COMPLETE="complete_bash",
        COMP_WORDS=line,
        COMP_CWORD=str(line.count(" ")),
    )
    assert answer.split() == [word]


SHOUT = '''"""Titles in capitals."""

from nerscope.render.document import OUTPUTS, Document, OutputFormat


def as_shout(document: Document) -> str:
    return "".join(f"{table.title.upper()}!\\n" for table in document.tables)


OUTPUTS.add("shout", OutputFormat(as_shout), built_in=True)
'''


def test_a_new_output_is_one_file_too(package: Path, tmp_path: Path) -> None:
    (package / "nerscope" / "render" / "outputs" / "shout.py").write_text(SHOUT, encoding="utf-8")
    gold = tmp_path / "gold.txt"
    gold.write_text("Ada B-PER B-PER\nmet O O\n", encoding="utf-8")
    call_all = call(package, "evaluate", str(gold), "--format", "shout", "--quiet")
    assert "GOLD ON GOLD: EXACT MATCH!\n" in call_all
