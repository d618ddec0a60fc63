"""Speed and size of nerscope beside its peers, measured as whole processes in one run.

    python benchmarks/run.py                          all sections on generated data
    python benchmarks/run.py --only exact --tokens 1000000
    python benchmarks/run.py --corpus DIR             DIR has train.txt, test.txt and systems/*.txt
    python benchmarks/run.py --conlleval conlleval.pl with the original script, if perl is there

Each section of size has a benchmark of its own that says more: exact.py, peers.py, scale.py.
Peers are installed into an environment of their own (.venv-peers); they are never a dependency.
Times on a shared machine are noisy: read the ratios, and the load that is printed.
"""

import argparse
import os
import shutil
import sys
from collections.abc import Callable
from pathlib import Path

from common import DATA, DEMO, NERSCOPE, big_files, machine, measure, show_targets
from peers import against_peers


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
    first = measure([*base, *systems[:2]], 5)
    both = measure([*base, *systems], 5)
    exact_only = measure([*NERSCOPE, "evaluate", folder / f"test.{ending}", *systems[:2]], 5)
    print(f"  exact and partial scores, one system, no training data {exact_only.seconds:.2f} s")
    print(
        f"  one system {first.seconds:.2f} s, two {both.seconds:.2f} s: "
        f"{both.seconds - first.seconds:.2f} s for the second"
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
    comparison = ns.compare(results, "s0", "s1", method=method, by_type=True)
    print(f"  {method}: 10,000 resamples of {len(comparison.rows)} cells in {time.perf_counter() -
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
    parser.add_argument("--conlleval", type=Path, help="the original conlleval script")
    parser.add_argument("--experiment", type=Path, help="an experiment file to time")
    given = parser.parse_args()
    print(machine())
    sections: dict[str, Callable[[], None]] = {
        "startup": startup,
        "exact": lambda: show_targets(against_peers(given.tokens, given.conlleval)),
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
