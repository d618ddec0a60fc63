"""Do time and memory keep their measure from ten million tokens to a hundred million?

    python benchmarks/scale.py                        sizes as above; data are generated once
    python benchmarks/scale.py --sizes 200000 2000000 --resampled 200000 2000000
    python benchmarks/scale.py --only facets          or --only resampling

Facets: every facet of one system, gold and output in two files, a million training tokens, whole
processes. Memory is what Linux calls resident: of the command and all its workers together, when
it was the most, which counts what they share several times; and of the largest process. Resampling:
two systems are evaluated and saved; then intervals, and the comparison of both by 10,000 resamples,
are timed in a process that has read the results.
"""

import argparse
import json
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from common import (
    DATA,
    NERSCOPE,
    ONE_WORKER,
    Command,
    Target,
    environment,
    failed,
    machine,
    show_targets,
)
from generated import Files, generate

PAUSE = 0.02  # seconds between two looks at the processes
MEMORY, LINEAR, RESAMPLING = 1.2, 1.1, 1.5  # what ratios may be
WORKERS: dict[str, list[str]] = {"one worker": ONE_WORKER, "default workers": []}


class TreeCost(NamedTuple):
    """What a process and those it started took: seconds, megabytes of all of them when they had
    the most together, and of each at its own peak.
    """

    seconds: float
    together: float
    peaks: tuple[float, ...]

    @property
    def largest(self) -> float:
        """Megabytes of the process that took the most."""
        return max(self.peaks)


class Resident(NamedTuple):
    """Megabytes that a process has in memory: now, and at its peak so far."""

    now: float
    peak: float


def family(process: int) -> Iterator[int]:
    """The process and all that descend from it; some may end while we look."""
    yield process
    for task in Path(f"/proc/{process}/task").glob("*/children"):
        try:
            children = task.read_text().split()
        except OSError:
            continue
        for child in children:
            yield from family(int(child))


def resident(process: int) -> Resident:
    """The memory of a process; nothing where it has ended."""
    try:
        status = Path(f"/proc/{process}/status").read_text()
    except OSError:
        return Resident(0.0, 0.0)
    sizes = {name: rest for name, _, rest in (line.partition(":") for line in status.splitlines())}
    now, peak = (int(sizes.get(name, "0").split()[0]) / 1024 for name in ("VmRSS", "VmHWM"))
    return Resident(now, peak)


def measure_tree(command: Command) -> TreeCost:
    """Run a command and look at its processes until it ends."""
    peaks: dict[int, float] = {}
    together = 0.0
    start = time.perf_counter()
    process = subprocess.Popen(
        [str(part) for part in command], stdout=subprocess.DEVNULL, env=environment()
    )
    while process.poll() is None:
        seen = {process_id: resident(process_id) for process_id in family(process.pid)}
        together = max(together, sum(memory.now for memory in seen.values()))
        peaks |= {
            process_id: max(peaks.get(process_id, 0.0), memory.peak)
            for process_id, memory in seen.items()
        }
        time.sleep(PAUSE)
    seconds = time.perf_counter() - start
    if process.returncode:
        raise failed(command, process.returncode)
    return TreeCost(seconds, together, tuple(peaks.values()))


def evaluated(files: Files, options: Sequence[str]) -> TreeCost:
    """All facets of one system."""
    name, output = next(iter(files.systems.items()))
    inputs: Command = [files.gold, "--system", f"{name}={output}", "--train", files.train]
    return measure_tree([*NERSCOPE, "evaluate", *inputs, "--quiet", *options])


def facets(sizes: Sequence[int], documents: bool) -> list[Target]:
    """All facets at both sizes, with one worker and with as many as there are by default."""
    print("\nAll facets, one system, gold and output in two files, 1M training tokens")
    print(
        f"  {'tokens':>12}{'time':>28}{'tokens/s':>12}{'together':>11}{'largest':>11}  of processes"
    )
    targets = []
    for name, options in WORKERS.items():
        costs = []
        for tokens in sizes:
            files = generate(tokens, documents)
            costs.append(evaluated(files, options))
            show(tokens, name, costs[-1])
        targets += flatness(name, costs, growth([generate(size, documents) for size in sizes]))
    return targets


def show(tokens: int, name: str, cost: TreeCost) -> None:
    """One line of a table."""
    rate = f"{tokens / cost.seconds:,.0f}"
    print(f"  {tokens:>12,}  {name:17}{cost.seconds:7.1f} s{rate:>12}", end="")
    print(f"{cost.together:8.0f} MB{cost.largest:8.0f} MB{len(cost.peaks):14}", flush=True)


def growth(files: Sequence[Files]) -> float:
    """How many times as long the larger test file is."""
    small, large = (corpus.gold.stat().st_size for corpus in files)
    return large / small


def flatness(name: str, costs: Sequence[TreeCost], times: float) -> list[Target]:
    """How memory and time grow with the size."""
    small, large = costs
    slower = large.seconds / small.seconds
    return [
        Target(f"memory together, large / small, {name}", large.together / small.together, MEMORY),
        Target(f"memory of the largest, {name}", large.largest / small.largest, MEMORY),
        Target(f"time / {times:.1f} times the data, {name}", slower / times, LINEAR),
    ]


_SAVE = """
import json, sys
import nerscope as ns
gold, systems, train, path = json.loads(sys.argv[1])
ns.evaluate(gold, systems, train=train).save(path)
"""
_RESAMPLE = """
import json, sys, time
import nerscope as ns
from nerscope.results.intervals import with_intervals
path, samples, repeat = json.loads(sys.argv[1])
def compared(method):
    return lambda results: ns.compare(results, "a", "b", method=method, samples=samples)
works = {
    "intervals": lambda results: with_intervals(results, ns.Sampling(samples=samples)),
    "compare, bootstrap": compared("bootstrap"),
    "compare, randomisation": compared("randomisation"),
}
def timed(work):
    results = ns.Results.load(path)  # anew, so that nothing is remembered
    start = time.perf_counter()
    work(results)
    return time.perf_counter() - start
print(json.dumps({name: min(timed(work) for _ in range(repeat)) for name, work in works.items()}))
"""


def printed(script: str, arguments: object) -> str:
    """What a script prints in a process of its own."""
    command = [sys.executable, "-c", script, json.dumps(arguments)]
    done = subprocess.run(command, env=environment(), stdout=subprocess.PIPE, text=True)
    if done.returncode:
        raise failed(command[:2], done.returncode)
    return done.stdout


def saved(tokens: int, documents: bool) -> Path:
    """Where the results of both systems are."""
    files = generate(tokens, documents)
    path = DATA / f"scale.{tokens}.results.json"
    systems = {name: str(output) for name, output in files.systems.items()}
    printed(_SAVE, [str(files.gold), systems, str(files.train), str(path)])
    return path


def resampling(sizes: Sequence[int], documents: bool, samples: int, repeat: int) -> list[Target]:
    """Intervals and tests at both sizes."""
    print(f"\n{samples:,} resamples of two systems, all facets, best of {repeat}")
    timings = []
    for tokens in sizes:
        path = saved(tokens, documents)
        timings.append(json.loads(printed(_RESAMPLE, [str(path), samples, repeat])))
        times = ", ".join(f"{name} {seconds:.2f} s" for name, seconds in timings[-1].items())
        size = path.stat().st_size / 1e6
        print(f"  {tokens:>12,} tokens: {times}; results of {size:.1f} MB", flush=True)
        path.unlink()
    small, large = timings
    return [
        Target(f"{name}, large / small", large[name] / small[name], RESAMPLING) for name in small
    ]


def main() -> None:
    """Measure what was asked for, and say what holds."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    sizes = {"--sizes": [10_000_000, 100_000_000], "--resampled": [1_000_000, 100_000_000]}
    for name, usual in sizes.items():
        parser.add_argument(name, type=int, nargs=2, metavar=("SMALL", "LARGE"), default=usual)
    parser.add_argument("--only", choices=["facets", "resampling"])
    parser.add_argument("--samples", type=int, default=10_000)
    parser.add_argument("--repeat", type=int, default=3, help="of resampling; the fastest counts")
    parser.add_argument("--documents", action="store_true", help="data that mark documents")
    given = parser.parse_args()
    print(machine())
    targets = []
    if given.only in (None, "facets"):
        targets += facets(given.sizes, given.documents)
    if given.only in (None, "resampling"):
        targets += resampling(given.resampled, given.documents, given.samples, given.repeat)
    show_targets(targets)


if __name__ == "__main__":
    main()
