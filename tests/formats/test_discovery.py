"""Formats are found by their package: one new file adds one, and columns load no other module."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import nerscope

GOLD = "Ada B-PER\nspoke O\n\nOslo B-LOC\nfell O\n"
# A format with an ending that no other module knows: lines are sentences, mentions are TYPE:word.
NEW_FORMAT = """
from nerscope.corpus.corpus import Corpus
from nerscope.formats.base import FORMATS, Format
from nerscope.formats.source import Source


class ColonFile(Source):
    def __init__(self, data):
        self.name, self.data = data.name, data

    def chunks(self, coding, *, tokens=True):
        sentences = []
        for line in self.data.open().read().decode().splitlines():
            pairs = [word.rpartition(":") for word in line.split()]
            labels = [f"B-{kind}" if kind else "O" for kind, _, _ in pairs]
            sentences.append(([word for _, _, word in pairs], labels))
        yield Corpus.of(sentences, name=self.name, coding=coding)


def write(corpus, scheme):
    return "".join(" ".join(corpus.words(k)) + "\\n" for k in range(len(corpus))).encode()


FORMATS.add(
    "colons",
    Format(
        "colons",
        ColonFile,
        lambda name, head: name.endswith(".colons"),
        write=write,
        endings=(".colons",),
    ),
    built_in=True,
)
"""


def python(folder: Path, *arguments: str, package: Path | None = None) -> str:
    """What a new Python prints that imports the package from a folder."""
    where = {"PYTHONPATH": str(package)} if package else {}
    finished = subprocess.run(
        [sys.executable, *arguments],
        cwd=folder,
        env={**os.environ, **where},
        capture_output=True,
        text=True,
        check=False,
    )
    assert finished.returncode == 0, finished.stderr
    return finished.stdout


def test_a_built_in_format_is_one_new_file(tmp_path: Path) -> None:
    package = tmp_path / "package"
    ignore = shutil.ignore_patterns("__pycache__", "web")
    shutil.copytree(Path(nerscope.__file__).parent, package / "nerscope", ignore=ignore)
    (package / "nerscope" / "formats" / "colons.py").write_text(NEW_FORMAT)
    (tmp_path / "gold.colons").write_text("PER:Ada spoke\nLOC:Oslo fell\n")
    (tmp_path / "system.conll").write_text(GOLD.replace("B-LOC", "O"))
    options = ["-m", "nerscope", "evaluate", "gold.colons", "--system", "s=system.conll"]
    printed = python(tmp_path, *options, "--format", "json", package=package)
    assert '"recall"' in printed and "0.5" in printed
    python(tmp_path, "-m", "nerscope", "convert", "system.conll", "o.colons", package=package)
    assert (tmp_path / "o.colons").read_text() == "Ada spoke\nOslo fell\n"


@pytest.mark.parametrize(
    "arguments",
    [
        ["evaluate", "gold.conll", "--system", "s=run.txt", "-o", "results.json"],
        ["convert", "gold.conll", "out.tsv", "--to", "bioes"],
        ["describe", "gold.conll"],
    ],
    ids=lambda arguments: arguments[0],
)
def test_column_files_load_no_other_format(tmp_path: Path, arguments: list[str]) -> None:
    for name in ("gold.conll", "run.txt"):
        (tmp_path / name).write_text(GOLD)
    program = f"""
import sys
from nerscope.cli.main import main
sys.argv = ["nerscope", *{arguments}]
try:
    main()
except SystemExit as ended:
    assert not ended.code, ended.code
others = ("arrow", "brat", "conllu", "docbin", "json", "webanno", "strings")
loaded = [name for name in sys.modules if name.startswith("nerscope.formats.")]
print([name for name in loaded if any(other in name for other in others)])
"""
    assert python(tmp_path, "-c", program).splitlines()[-1] == "[]"


def test_a_file_that_may_be_in_another_format_is_shown_to_all(tmp_path: Path) -> None:
    path = tmp_path / "gold.txt"  # an ending of columns, but no columns
    path.write_text('{"text": "Ada spoke", "label": [[0, 3, "PER"]]}\n')
    assert nerscope.read(path).mentions().start.tolist() == [0]
