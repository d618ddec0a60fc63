"""A new built-in is one new file in its package, and works from the command line.

Each case copies the package, adds one file to the copy, and runs commands with it. No list, table
or `__init__.py` of the copy is edited.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

import nerscope

FACET = '''"""Whether a mention ends in the letter o."""

import numpy as np

from nerscope.facets.facet import FACETS, Facet


def _codes(view):
    return np.array([text.endswith("o") for text in view.texts()], np.int8)


levels = {"other": (0,), "in-o": (1,)}
FACETS.add("ending", Facet("ending", "mention", levels, _codes, title="Last letter"), built_in=True)
'''
MATCH = '''"""Credit for the same start and type."""

from nerscope.scoring.matching import MATCHES, match_factory


def _same_start(pairs):
    return pairs.gold.start == pairs.pred.start


MATCHES.add("starts", match_factory("starts", _same_start, {"credit": 0.8}), built_in=True)
'''
METRIC = '''"""The share of gold mentions that were missed."""

from nerscope.scoring.metrics import ratio
from nerscope.scoring.metrics import METRICS, Metric


def _missed(counts):
    return ratio(counts.gold - counts.hit_gold, counts.gold)


METRICS.add("miss-rate", lambda: Metric("miss-rate", _missed, better=-1), built_in=True)
'''
STATISTICAL_TEST = '''"""The sign test over the clusters in which two systems differ."""

from math import comb

from nerscope.stats.paired import METHODS, Method


def _sign_test(pair):
    better, worse = int((pair.by_cluster > 0).sum()), int((pair.by_cluster < 0).sum())
    n, fewer = better + worse, min(better, worse)
    return min(1.0, 2 * sum(comb(n, k) for k in range(fewer + 1)) / 2**n)


definition = "Of the clusters in which two systems differ, how many each system wins."
METHODS.add(
    "sign",
    Method("sign", _sign_test, needs_resamples=False, needs_clusters=True, definition=definition),
    built_in=True,
)
'''
OUTPUT = '''"""The titles of tables, as a list."""

from nerscope.render.document import OUTPUTS, OutputFormat


def _titles(document):
    return "".join(f"- {table.title}\\n" for table in document.tables)


OUTPUTS.add("titles", OutputFormat(_titles), built_in=True)
'''
ENGINE = '''"""Does the last item first."""

from nerscope.engines.base import ENGINES


class Backwards:
    remote = True

    def map(self, work, state, items):
        print("backwards")
        return iter([work(state, item) for item in reversed(list(items))][::-1])


ENGINES.add("backwards", lambda workers, plugins: Backwards(), built_in=True)
'''
RECIPE = '''"""Every word that begins with a capital letter is a person."""

from nerscope.lab.recipe import built_in_recipe


@built_in_recipe("capitals", title="Capital letters", rank=90, random=False)
def capitals(lesson):
    """Every word that begins with a capital letter is a person."""
    return [["B-PER" if word[:1].isupper() else "O" for word in words] for words in lesson.test]
'''
FORMAT = '''"""Sentences are lines, mentions are TYPE:word."""

from nerscope.corpus.corpus import ParsedSentence
from nerscope.formats.base import FORMATS, Format
from nerscope.formats.packing import without_packing
from nerscope.formats.source import SentenceBatch, Source, gather_chunks


class ColonFile(Source):
    def __init__(self, data):
        self.name, self.data = data.name, data

    def chunks(self, coding, *, tokens=True):
        yield from gather_chunks(self._batches(), self.name, coding, tokens=tokens)

    def _batches(self):
        with self.data.open() as stream:
            for number, line in enumerate(stream, 1):
                pairs = [word.rpartition(":") for word in line.decode().split()]
                labels = [f"B-{kind}" if kind else "O" for kind, _, _ in pairs]
                words = [word for _, _, word in pairs]
                if words:
                    sentence = ParsedSentence(words, labels, [], line=number, size=len(words))
                    yield SentenceBatch([sentence])


def _fits(name, head):
    return without_packing(name).endswith(".colons")


FORMATS.add(
    "colons", Format("colons", ColonFile, _fits, endings=(".colons",)), built_in=True, rank=50
)
'''
COMMAND = '''"""Say hello."""

from dataclasses import dataclass

import typer

from nerscope.cli.common import print_output


@dataclass(frozen=True)
class GreetOptions:
    name: str = typer.Argument(metavar="NAME", help="Who is greeted.")


def run(options: GreetOptions) -> None:
    print_output(f"Hello, {options.name}!\\n")
'''
EVALUATE = "evaluate gold.txt --system good=good.txt --system poor=poor.txt"


class BuiltIn(NamedTuple):
    path: str  # of the new file in the package
    code: str
    commands: list[tuple[str, str]]  # a command, and what it prints among other things


CASES = {
    "facet": BuiltIn(
        "facets/ending.py",
        FACET,
        [
            (f"{EVALUATE} --facet ending -o r.json", "Last letter"),
            ("compare r.json --facet ending --samples 50", "ending=in-o"),
        ],
    ),
    "match": BuiltIn(
        "scoring/matches/starts.py", MATCH, [(f"{EVALUATE} --match starts(credit=0.5)", "starts")]
    ),
    "metric": BuiltIn(
        "scoring/metrics/miss_rate.py",
        METRIC,
        [
            (f"{EVALUATE} --metric miss-rate --metric f1 -o r.json", "miss-rate"),
            ("compare r.json --metric miss-rate --samples 50", "25.00 against 50.00"),
        ],
    ),
    "statistical-test": BuiltIn(
        "stats/methods/sign.py",
        STATISTICAL_TEST,
        [
            (f"{EVALUATE} -o r.json", "exact match"),
            # The good system wins 40 sentences and loses 20: p = 2 P(Bin(60, 1/2) <= 20).
            ("compare r.json --metric f1 --method sign --format json", '"p": 0.0134'),
            ("explain sign", "sign: Of the clusters"),
        ],
    ),
    "output": BuiltIn(
        "render/outputs/titles.py",
        OUTPUT,
        [(f"{EVALUATE} --format titles", "- 2 systems on gold: exact match")],
    ),
    "engine": BuiltIn(
        "engines/backwards.py", ENGINE, [(f"{EVALUATE} --engine backwards", "backwards")]
    ),
    "recipe": BuiltIn(
        "lab/recipes/capitals.py",
        RECIPE,
        [
            ("recipes", "capitals"),
            ("baseline --recipe capitals --train gold.txt --test gold.txt -o out.txt", ""),
            ("evaluate gold.txt --system capitals=out.txt", "capitals"),
        ],
    ),
    "format": BuiltIn(
        "formats/colons.py",
        FORMAT,
        [
            ("evaluate gold.colons --system good=gold.colons", "100.00"),
            ("validate gold.colons", ""),
        ],
    ),
    "command": BuiltIn(
        "cli/commands/greet.py", COMMAND, [("greet Ada", "Hello, Ada!"), ("--help", "Say hello.")]
    ),
}


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """A copy of the package. Compiled modules and file times are copied too, so that Python need
    not compile 200 modules for every case.
    """
    copy = tmp_path / "copy" / "nerscope"
    shutil.copytree(Path(nerscope.__file__).parent, copy)
    return copy


@pytest.mark.slow(quick=2)
@pytest.mark.parametrize("kind", CASES)
def test_a_built_in_is_one_new_file(kind: str, folder: Path, package: Path) -> None:
    case = CASES[kind]
    new = package / case.path
    assert new.parent.is_dir() and not new.exists()
    new.write_text(case.code, encoding="utf-8")
    (folder / "gold.colons").write_text("PER:Ada spoke\nLOC:Oslo fell\n")
    for command, shown in case.commands:
        done = subprocess.run(
            [sys.executable, "-m", "nerscope", *command.split()],
            cwd=folder,
            env={**os.environ, "PYTHONPATH": str(package.parent), "COLUMNS": "200"},
            capture_output=True,
            encoding="utf-8",
            check=False,
        )
        assert done.returncode == 0, f"{command}\n{done.stderr}"
        assert shown in done.stdout + done.stderr, f"{command}\n{done.stdout}"
