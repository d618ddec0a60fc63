"""What the benchmarks share: measuring processes, large files, the peers, and a yardstick in C."""

import json
import os
import subprocess
import sys
import time
import venv
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

ROOT = Path(__file__).resolve().parent
DATA = ROOT / "data"
DEMO = ROOT.parent / "src" / "nerscope" / "demo"
PEERS = ROOT.parent / ".venv-peers"
PEER_VERSIONS = ("seqeval==1.2.2", "nervaluate==1.2.1", "seqscore==0.9.0")
NERSCOPE = [sys.executable, "-m", "nerscope"]
EXACT = ["--facet", "all", "--match", "exact"]
ONE_WORKER = ["--workers", "1"]

Command = Sequence[str | Path]


class Cost(NamedTuple):
    """What a process took: seconds and megabytes at its peak."""

    seconds: float
    megabytes: float


def environment() -> dict[str, str]:
    """That of this process, with compiled modules allowed: without them imports take longer."""
    return {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}


def failed(command: Command, status: int) -> SystemExit:
    """A benchmark of a command that fails would mean nothing."""
    return SystemExit(f"{' '.join(map(str, command))} failed with {status}")


def measure(command: Command, repeat: int = 1) -> Cost:
    """Run a command some times; the fastest run counts, and the largest memory."""
    return best([_measured(command) for _ in range(repeat)])


def best(costs: Sequence[Cost]) -> Cost:
    """The shortest time and the largest memory."""
    return Cost(min(cost.seconds for cost in costs), max(cost.megabytes for cost in costs))


def _measured(command: Command) -> Cost:
    start = time.perf_counter()
    process = subprocess.Popen(
        [str(part) for part in command], stdout=subprocess.DEVNULL, env=environment()
    )
    _, status, usage = os.wait4(process.pid, 0)
    seconds = time.perf_counter() - start
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise failed(command, process.returncode)
    return Cost(seconds, usage.ru_maxrss / 1024)


def in_turns(commands: Mapping[str, Command], repeat: int) -> dict[str, Cost]:
    """Each command once, then each again: what else the machine does then falls on all of them."""
    rounds = [
        {name: _measured(command) for name, command in commands.items()} for _ in range(repeat)
    ]
    return {name: best([costs[name] for costs in rounds]) for name in commands}


_INSIDE = """
import json, sys, time
import nerscope as ns
warm, *calls = json.loads(sys.argv[1])
def call(test, systems, options):
    results = ns.evaluate(test, systems, facets=["all"], matches=["exact"], **options)
    return results.value(metric="f1")
call(*warm)
for arguments in calls:
    start = time.perf_counter()
    call(*arguments)
    print(time.perf_counter() - start)
"""
Call = tuple[str, Mapping[str, str] | None, Mapping[str, int]]


def inside(calls: Mapping[str, Call], repeat: int) -> dict[str, float]:
    """Seconds of exact scores in a process that has imported all it needs; the fastest counts."""
    warm: Call = (str(DEMO / "test.conll"), {"x": str(next((DEMO / "systems").iterdir()))}, {})
    command = [sys.executable, "-c", _INSIDE, json.dumps([warm, *calls.values()])]
    runs = []
    for _ in range(repeat):
        done = subprocess.run(command, env=environment(), stdout=subprocess.PIPE, text=True)
        if done.returncode:
            raise failed(command[:2], done.returncode)
        runs.append([float(line) for line in done.stdout.split()])
    return dict(zip(calls, map(min, zip(*runs, strict=True)), strict=True))


def yardstick() -> Path:
    """The C loop, compiled on the spot."""
    DATA.mkdir(exist_ok=True)
    program = DATA / "yardstick"
    source = ROOT / "yardstick.c"
    subprocess.run([os.environ.get("CC", "cc"), "-O2", "-o", program, source], check=True)
    return program


def big_files(tokens: int) -> tuple[Path, Path, Path]:
    """Files of about so many tokens: token, gold and prediction in one; gold alone; prediction
    alone.
    """
    paths = DATA / f"three.{tokens}.txt", DATA / f"gold.{tokens}.txt", DATA / f"pred.{tokens}.txt"
    if all(path.exists() for path in paths):
        return paths
    DATA.mkdir(exist_ok=True)
    gold = (DEMO / "test.conll").read_text(encoding="utf-8").splitlines()
    pred = (DEMO / "systems" / "crf-shapes.1.conll").read_text(encoding="utf-8").splitlines()
    pairs = [(a, b) for a, b in zip(gold, pred, strict=True) if not a.startswith("-DOCSTART-")]
    lines = [(a, b) for k, (a, b) in enumerate(pairs) if a or (k and pairs[k - 1][0])]
    columns = [(*a.split("\t"), b.split("\t")[1]) if a else () for a, b in lines]
    size = sum(bool(row) for row in columns)
    for path, places in zip(paths, ((0, 1, 2), (0, 1), (0, 2)), strict=True):
        block = (
            "".join(
                " ".join(row[place] for place in places) + "\n" if row else "\n" for row in columns
            )
            + "\n"
        )
        with path.open("w", encoding="utf-8") as file:
            for _ in range(-(-tokens // size)):
                file.write(block)
    return paths


def peers_python() -> Path:
    """The Python of the environment that holds the peers."""
    python = PEERS / "bin" / "python"
    if not python.exists():
        venv.create(PEERS, with_pip=True)
        subprocess.run([python, "-m", "pip", "install", "--quiet", *PEER_VERSIONS], check=True)
    return python


def machine() -> str:
    """Where and when this was measured, and what else was going on."""
    return (
        f"{time.strftime('%Y-%m-%d')}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.2f}, "
        f"Python {sys.version.split()[0]}, numpy {np.__version__}"
    )


class Target(NamedTuple):
    """A ratio, and its limit: at most so much, or at least."""

    name: str
    ratio: float
    limit: float
    at_most: bool = True

    def __str__(self) -> str:
        holds = self.ratio <= self.limit if self.at_most else self.ratio >= self.limit
        limit = f"{'at most' if self.at_most else 'at least'} {self.limit:g}"
        return f"  {self.name:58}{self.ratio:8.2f}   {limit:14}{'yes' if holds else 'NO'}"


def show_targets(targets: Sequence[Target]) -> None:
    """A table of what was reached and what is asked, of the sizes that are measured by default."""
    print(f"\n  {'ratio':58}{'measured':>8}   {'asked':14}holds")
    for target in targets:
        print(target)
