"""Measure whether the tests notice small changes of thresholds, signs and comparisons.

Usage: python benchmarks/mutants.py [--seed N] [--count N]

Each mutant is a copy of the source with one operator or number changed in `scoring`, `facets` or
`stats`; all tests of TESTS run against the copy until the first failure. A mutant that survives is
printed with its place: either a test is missing, or the change makes no difference.
"""

import argparse
import ast
import os
import random
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
SOURCE = ROOT / "src" / "nerscope"
PACKAGES = ("scoring", "facets", "stats")
TESTS = ("scoring", "facets", "stats", "evaluation", "results", "extension", "oracles")
COMPARISONS: dict[type[ast.cmpop], tuple[str, str]] = {
    ast.Lt: ("<", "<="),
    ast.LtE: ("<=", "<"),
    ast.Gt: (">", ">="),
    ast.GtE: (">=", ">"),
    ast.Eq: ("==", "!="),
    ast.NotEq: ("!=", "=="),
}
SIGNS: dict[type[ast.operator], tuple[str, str]] = {
    ast.Add: ("+", "-"),
    ast.Sub: ("-", "+"),
    ast.Mult: ("*", "/"),
}


class Mutant(NamedTuple):
    """One change: the file, the place in its text, what stands there, and what is put there."""

    path: Path
    start: int
    end: int
    old: str
    new: str

    def __str__(self) -> str:
        text = self.path.read_text(encoding="utf-8")
        line = text.count("\n", 0, self.start)
        shown = text.split("\n")[line].strip()
        return f"{self.path.relative_to(ROOT)}:{line + 1}: {self.old} -> {self.new}  in  {shown}"


def mutants(path: Path) -> Iterator[Mutant]:
    """All changes that a module offers."""
    text = path.read_text(encoding="utf-8")
    starts = [0]
    for line in text.split("\n"):
        starts.append(starts[-1] + len(line.encode()) + 1)
    data = text.encode()

    def place(line: int, column: int) -> int:
        return len(data[: starts[line - 1] + column].decode())

    def between(left: ast.expr, right: ast.expr, words: tuple[str, str]) -> Iterator[Mutant]:
        begin = place(left.end_lineno or 0, left.end_col_offset or 0)
        end = place(right.lineno, right.col_offset)
        at = text.find(words[0], begin, end)
        if at >= 0:
            yield Mutant(path, at, at + len(words[0]), *words)

    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Compare) and type(node.ops[0]) in COMPARISONS:
            yield from between(node.left, node.comparators[0], COMPARISONS[type(node.ops[0])])
        elif isinstance(node, ast.BinOp) and type(node.op) in SIGNS:
            yield from between(node.left, node.right, SIGNS[type(node.op)])
        elif isinstance(node, ast.Constant) and isinstance(node.value, int | float):
            if isinstance(node.value, bool):
                continue
            start = place(node.lineno, node.col_offset)
            end = place(node.end_lineno or 0, node.end_col_offset or 0)
            yield Mutant(path, start, end, text[start:end], repr(node.value * 2 + 1))


def survives(mutant: Mutant) -> bool:
    """Whether all tests pass with the change."""
    with tempfile.TemporaryDirectory() as folder:
        shutil.copytree(ROOT / "src", Path(folder) / "src")
        target = Path(folder) / mutant.path.relative_to(ROOT)
        text = target.read_text(encoding="utf-8")
        target.write_text(text[: mutant.start] + mutant.new + text[mutant.end :], encoding="utf-8")
        # The tests of the changed package come first: they notice most changes within seconds.
        package = mutant.path.relative_to(SOURCE).parts[0]
        order = sorted(TESTS, key=lambda name: name != package)
        command = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider"]
        command += [f"tests/{name}" for name in order]
        environment = {**os.environ, "PYTHONPATH": f"{folder}/src", "CI": "true"}
        try:
            tests = subprocess.run(
                command, cwd=ROOT, env=environment, capture_output=True, timeout=900, check=False
            )
        except subprocess.TimeoutExpired:  # an endless loop counts as noticed
            return False
        return tests.returncode == 0


def main() -> None:
    parser = argparse.ArgumentParser(description="Do the tests notice small changes?")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--count", type=int, default=30)
    options = parser.parse_args()
    paths = [path for package in PACKAGES for path in sorted((SOURCE / package).rglob("*.py"))]
    possible = [mutant for path in paths for mutant in mutants(path)]
    survivors = 0
    for number, mutant in enumerate(random.Random(options.seed).sample(possible, options.count), 1):
        is_alive = survives(mutant)
        survivors += is_alive
        print(f"{number:3d} {'SURVIVES' if is_alive else 'killed  '} {mutant}", flush=True)
    print(f"{options.count - survivors} of {options.count} killed ({len(possible)} possible)")


if __name__ == "__main__":
    main()
