"""A built-in recipe is one new file: the package finds it, and no list is edited."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import nerscope

RECIPE = '''
"""The recipe `capitals`."""

from nerscope.lab.recipe import Lesson, built_in_recipe


@built_in_recipe("capitals", title="Capital letters", rank=12, random=False)
def capitals(lesson: Lesson, *, kind: str = "PER") -> list[list[str]]:
    """Each word with a capital letter is a mention."""
    return [
        [f"B-{kind}" if word[:1].isupper() else "O" for word in words] for words in lesson.test
    ]
'''


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """A copy of the package with a file more in `lab/recipes/`."""
    source = Path(nerscope.__file__).parent
    copy = tmp_path / "copy" / "nerscope"
    shutil.copytree(source, copy, ignore=shutil.ignore_patterns("__pycache__", "*.html"))
    (copy / "lab" / "recipes" / "capitals.py").write_text(RECIPE)
    return copy.parent


def run_nerscope(package: Path, *arguments: str) -> str:
    environment = {**os.environ, "PYTHONPATH": str(package)}
    command = [sys.executable, "-m", "nerscope", *arguments]
    done = subprocess.run(
        command, env=environment, cwd=package, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_a_new_file_is_a_recipe_of_the_command_line(package: Path) -> None:
    listed = run_nerscope(package, "recipes", "--format", "csv").splitlines()
    names = [line.split(",")[0] for line in listed[1:]]
    # By rank, not by the alphabet: 12 stands between dictionary (10) and lookup (15).
    assert names[:3] == ["dictionary", "capitals", "lookup"]
    (package / "data.conll").write_text("Ada B-PER\nspoke O\n")
    run_nerscope(
        package,
        *("baseline", "--train", "data.conll", "--test", "data.conll", "-o", "out.conll"),
        *("--recipe", "capitals", "--option", "kind=LOC"),
    )
    assert (package / "out.conll").read_text() == "Ada B-LOC\nspoke O\n"


def test_listing_recipes_imports_no_library_that_they_need(package: Path) -> None:
    code = (
        "import sys; from nerscope.lab.recipe import recipe_records; recipe_records();"
        "print(sorted({'torch', 'spacy', 'flair', 'pycrfsuite', 'transformers'} & {*sys.modules}))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
