"""What does a cluster cost, and does it give the same bytes, though a worker is killed?

    make bench-ray                                     or, where nerscope[ray] is installed:
    python benchmarks/ray_overhead.py [--tokens 10000000] [--repeat 3]

The same evaluation, gold and system in two files with training data, as whole processes in turns:
one worker, two workers, and a cluster of two nodes with one CPU each, all on this machine. Then
once more on the cluster, where a worker is killed when about half of the time has passed. All must
write the same results, byte for byte.
"""

import argparse
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from common import DATA, DEMO, NERSCOPE, Command, big_files, environment, in_turns, machine

NODE = {"num_cpus": 1, "object_store_memory": 200 << 20, "include_dashboard": False}
PAUSE = 0.02  # seconds between two looks at the processes


@contextmanager
def cluster() -> Iterator[str]:
    """The address of a cluster of two nodes."""
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    from ray.cluster_utils import Cluster

    made = Cluster(initialize_head=True, head_node_args=NODE)
    try:
        made.add_node(**NODE)
        yield str(made.address)
    finally:
        made.shutdown()


def commands(tokens: int, address: str) -> dict[str, list[str | Path]]:
    """The same evaluation in three ways; each writes results named after it."""
    _, gold, pred = big_files(tokens)
    shared: list[str | Path] = [*NERSCOPE, "evaluate", gold, "--system", f"s={pred}", "--quiet"]
    shared += ["--train", DEMO / "train.conll", "--facet", "tmr", "--facet", "eLen"]
    ways = {
        "one worker": ["--workers", "1"],
        "two workers": ["--workers", "2"],
        "two nodes": ["--engine", f"ray:{address}"],
        "two nodes, a worker killed": ["--engine", f"ray:{address}"],
    }
    return {name: [*shared, "-o", written(name), *options] for name, options in ways.items()}


def written(name: str) -> Path:
    """Where a way of evaluating puts its results."""
    return DATA / f"ray {name}.json"


def with_a_worker_killed(command: Command, usual: float) -> float:
    """Seconds of a command; halfway, one process that works for it is killed."""
    start = time.perf_counter()
    process = subprocess.Popen(
        [str(part) for part in command], stdout=subprocess.DEVNULL, env=environment()
    )
    killed = False
    while process.poll() is None:
        if not killed and time.perf_counter() - start > usual / 2:
            killed = kill_one()
        time.sleep(PAUSE)
    if process.returncode or not killed:
        raise SystemExit(f"exit code {process.returncode}; a worker was killed: {killed}")
    return time.perf_counter() - start


def kill_one() -> bool:
    """Kill a process that Ray has at work; it tells so in its title."""
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        title = path.read_bytes() if path.exists() else b""
        if title.startswith(b"ray::nerscope"):
            os.kill(int(path.parent.name), signal.SIGKILL)
            return True
    return False


def main() -> None:
    """Measure, and show what was found."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tokens", type=int, default=10_000_000)
    parser.add_argument("--repeat", type=int, default=3)
    options = parser.parse_args()
    big_files(options.tokens)
    with cluster() as address:
        ways = commands(options.tokens, address)
        (last, killed) = list(ways.items())[-1]
        costs = in_turns(
            {name: command for name, command in ways.items() if name != last}, options.repeat
        )
        seconds = {name: cost.seconds for name, cost in costs.items()}
        seconds[last] = with_a_worker_killed(killed, seconds["two nodes"])
    print(f"{machine()}; {options.tokens:,} tokens, best of {options.repeat}; killed: once")
    for name, took in seconds.items():
        print(f"  {name:30}{took:8.2f} s{took / seconds['two workers']:8.2f} × two workers")
    same = len({written(name).read_bytes() for name in ways}) == 1
    print(f"  the same results, byte for byte: {'yes' if same else 'NO'}")
    sys.exit(not same)


if __name__ == "__main__":
    main()
