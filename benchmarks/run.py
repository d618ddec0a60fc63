"""Speed and size of nerscope beside its peers, measured as whole processes in one run.

    python benchmarks/run.py                          all sections on generated data
    python benchmarks/run.py --only exact --tokens 1000000
    python benchmarks/run.py --corpus DIR             DIR has train.txt, test.txt and systems/*.txt
    python benchmarks/run.py --conlleval conlleval.pl with the original script, if perl is there

Peers are installed into an environment of their own (.venv-peers); they are never a dependency.
Times on a shared machine are noisy: read the ratios, and the load that is printed.
"""

import argparse
import os
import shutil
import subprocess
import sys
import time
import venv
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent
DATA = ROOT / "data"
DEMO = ROOT.parent / "src" / "nerscope" / "demo"
PEERS = ROOT.parent / ".venv-peers"
PEER_VERSIONS = ("seqeval==1.2.2", "nervaluate==1.2.1", "seqscore==0.9.0")
NERSCOPE = [sys.executable, "-m", "nerscope"]


class Cost(NamedTuple):
    """What a process took: seconds and megabytes at its peak."""

    seconds: float
    megabytes: float


def measure(command: Sequence[str | Path], repeat: int = 1) -> Cost:
    """Run a command some times; the fastest run counts, and the largest memory."""
    environment = {
        key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"
    }
    seconds, peak = [], 0
    for _ in range(repeat):
        start = time.perf_counter()
        process = subprocess.Popen(
            [str(part) for part in command], stdout=subprocess.DEVNULL, env=environment
        )
        _, status, usage = os.wait4(process.pid, 0)
        seconds.append(time.perf_counter() - start)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            sys.exit(f"{' '.join(map(str, command))} failed with {process.returncode}")
        peak = max(peak, usage.ru_maxrss)
    return Cost(min(seconds), peak / 1024)


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
    kept = [(a, b) for k, (a, b) in enumerate(pairs) if a or (k and pairs[k - 1][0])]
    columns = [(*a.split("\t"), b.split("\t")[1]) if a else () for a, b in kept]
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


def peers() -> Path:
    """The Python of the environment that holds the peers."""
    python = PEERS / "bin" / "python"
    if not python.exists():
        venv.create(PEERS, with_pip=True)
        subprocess.run([python, "-m", "pip", "install", "--quiet", *PEER_VERSIONS], check=True)
    return python


_SEQEVAL = """
import sys
from seqeval.metrics import classification_report
gold, pred = [[]], [[]]
for line in open(sys.argv[1], encoding="utf-8"):
    parts = line.split()
    if parts:
        gold[-1].append(parts[1]); pred[-1].append(parts[2])
    elif gold[-1]:
        gold.append([]); pred.append([])
print(classification_report(gold, pred))
"""
_NERVALUATE = """
import sys
from nervaluate import Evaluator
gold, pred, types = [[]], [[]], set()
for line in open(sys.argv[1], encoding="utf-8"):
    parts = line.split()
    if parts:
        gold[-1].append(parts[1]); pred[-1].append(parts[2])
        if parts[1] != "O": types.add(parts[1][2:])
    elif gold[-1]:
        gold.append([]); pred.append([])
print(Evaluator(gold, pred, tags=sorted(types), loader="list").evaluate())
"""


def exact(tokens: int, conlleval: str | None) -> None:
    """Exact scores by type of one large file, against the peers."""
    three, gold, pred = big_files(tokens)
    print(f"\nExact scores by type, {tokens:,} tokens, whole process")
    options = ["--facet", "all", "--match", "exact"]
    own = measure(
        [*NERSCOPE, "evaluate", f"{three}::label=1", "--system", f"x={three}", *options], repeat=3
    )
    print(
        f"  {'nerscope, one file of three columns':44}{own.seconds:9.2f} s {own.megabytes:8.0f} MB"
    )
    two = measure([*NERSCOPE, "evaluate", gold, "--system", f"x={pred}", *options], repeat=2)
    print(
        f"  {'nerscope, gold and system files, aligned':44}{two.seconds:9.2f} s "
        f"{two.megabytes:8.0f} MB"
    )
    python = peers()
    rivals: dict[str, list[str | Path]] = {
        "seqeval classification_report": [python, "-c", _SEQEVAL, three],
        "nervaluate": [python, "-c", _NERVALUATE, three],
        "seqscore": [
            python.parent / "seqscore",
            "score",
            "--labels",
            "BIO",
            "--repair-method",
            "conlleval",
            "--quiet",
            "--reference",
            gold,
            pred,
        ],
    }
    if conlleval and shutil.which("perl"):
        rivals["conlleval (perl)"] = ["sh", "-c", f"perl {conlleval} < {three}"]
    for name, command in rivals.items():
        cost = measure(command)
        print(
            f"  {name:44}{cost.seconds:9.2f} s {cost.megabytes:8.0f} MB   "
            f"{cost.seconds / own.seconds:6.1f} x the time"
        )


def startup() -> None:
    """What a user waits before anything happens."""
    print("\nStart-up, best of ten")
    plain = measure([sys.executable, "-c", "pass"], 10).seconds
    numpy = measure([sys.executable, "-c", "import numpy"], 10).seconds
    package = measure([sys.executable, "-c", "import nerscope"], 10).seconds
    shown = measure([*NERSCOPE, "--help"], 10).seconds
    print(
        f"  import numpy {1e3 * (numpy - plain):.0f} ms; "
        f"import nerscope {1e3 * (package - plain):.0f} ms, ",
        end="",
    )
    print(
        f"of which {1e3 * (package - numpy):.0f} ms beside numpy; "
        f"nerscope --help {1e3 * shown:.0f} ms (whole process)"
    )


def facets(tokens: int, corpus: Path | None) -> None:
    """All facets: of a real corpus if there is one, and of a large file."""
    folder = corpus or DEMO
    ending = "txt" if corpus else "conll"
    outputs = sorted((folder / "systems").glob(f"*.{ending}"))[:2]
    systems = [part for path in outputs for part in ("--system", f"{path.stem}={path}")]
    base: list[str | Path] = [
        *NERSCOPE,
        "evaluate",
        folder / f"test.{ending}",
        "--train",
        folder / f"train.{ending}",
    ]
    print(f"\nAll facets and matches, {folder.name}, whole process, best of five")
    one = measure([*base, *systems[:2]], 5)
    two = measure([*base, *systems], 5)
    exact_only = measure([*NERSCOPE, "evaluate", folder / f"test.{ending}", *systems[:2]], 5)
    print(f"  exact and partial scores, one system, no training data {exact_only.seconds:.2f} s")
    print(
        f"  one system {one.seconds:.2f} s, two {two.seconds:.2f} s: "
        f"{two.seconds - one.seconds:.2f} s for the second"
    )
    _, gold, pred = big_files(tokens)
    cost = measure(
        [
            *NERSCOPE,
            "evaluate",
            gold,
            "--system",
            f"x={pred}",
            "--train",
            folder / f"train.{ending}",
        ]
    )
    print(f"  {tokens:,} test tokens: {cost.seconds:.1f} s, {cost.megabytes:.0f} MB")


_COMPARE = """
import sys, time
import nerscope as ns
test, train, *outputs = sys.argv[1:]
results = ns.evaluate(test, {f"s{k}": path for k, path in enumerate(outputs)}, train=train)
for method in ("bootstrap", "randomisation"):
    start = time.perf_counter()
    found = ns.compare(results, "s0", "s1", method=method, by_type=True)
    print(f"  {method}: 10,000 resamples of {len(found.rows)} cells in {time.perf_counter() -
    start:.2f} s", file=sys.stderr)
"""


def comparison(corpus: Path | None) -> None:
    """Paired resamples of every cell of every facet."""
    folder, ending = (corpus, "txt") if corpus else (DEMO, "conll")
    outputs = sorted((folder / "systems").glob(f"*.{ending}"))[:2]
    print(f"\nComparison of two systems, {folder.name}")
    measure(
        [
            sys.executable,
            "-c",
            _COMPARE,
            folder / f"test.{ending}",
            folder / f"train.{ending}",
            *outputs,
        ]
    )


def experiment(path: Path) -> None:
    """A whole experiment, cold and from its cache."""
    print(f"\nExperiment {path.name}")
    shutil.rmtree(path.parent / ".nerscope-cache", ignore_errors=True)
    command: list[str | Path] = [
        *NERSCOPE,
        "evaluate",
        path,
        "-o",
        DATA / "experiment.json",
        "--format",
        "json",
    ]
    DATA.mkdir(exist_ok=True)
    for name in ("cold", "from cache"):
        cost = measure(command)
        print(f"  {name}: {cost.seconds:.1f} s, {cost.megabytes:.0f} MB")


def main() -> None:
    """Run the sections that were asked for."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--only", choices=["exact", "startup", "facets", "comparison", "experiment"]
    )
    parser.add_argument("--tokens", type=int, default=10_000_000)
    parser.add_argument(
        "--corpus", type=Path, help="a folder with train.txt, test.txt and systems/*.txt"
    )
    parser.add_argument("--conlleval", help="the original conlleval script")
    parser.add_argument("--experiment", type=Path, help="an experiment file to time")
    given = parser.parse_args()
    print(f"Python {sys.version.split()[0]}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.2f}")
    sections: dict[str, Callable[[], None]] = {
        "startup": startup,
        "exact": lambda: exact(given.tokens, given.conlleval),
        "facets": lambda: facets(given.tokens, given.corpus),
        "comparison": lambda: comparison(given.corpus),
    }
    if given.experiment:
        sections["experiment"] = lambda: experiment(given.experiment)
    for name, section in sections.items():
        if given.only in (None, name):
            section()
    print(f"\nload at the end {os.getloadavg()[0]:.2f}")


if __name__ == "__main__":
    main()
