"""Exact scores of a large file beside a plain C loop that only finds its tokens and labels.

    python benchmarks/exact.py                        10 million tokens, best of five
    python benchmarks/exact.py --tokens 200000 --repeat 2

The C loop (`yardstick.c`) is compiled on the spot. All commands run in turns, so that what else
the machine does falls on each of them: read the ratios. Whole processes include the start of
Python; times inside are those of `nerscope.evaluate` in a process that has imported everything.
"""

import argparse
import subprocess
from collections.abc import Mapping
from pathlib import Path

from common import (
    EXACT,
    NERSCOPE,
    Call,
    Command,
    Cost,
    Target,
    big_files,
    in_turns,
    inside,
    machine,
    show_targets,
    yardstick,
)

LOOP = "C loop, one file"
ONE, PAIR, ALL = "one file, one worker", "one file, two workers", "one file, default workers"
TWO, TWO_ALL = "two files, one worker", "two files, default workers"


def processes(three: Path, gold: Path, pred: Path, loop: Path) -> dict[str, Command]:
    """What is run as whole processes."""
    command: Command = [*NERSCOPE, "evaluate", three, *EXACT]
    two: Command = [*NERSCOPE, "evaluate", gold, "--system", f"x={pred}", *EXACT]
    return {
        LOOP: [loop, three],
        ONE: [*command, "--workers", "1"],
        PAIR: [*command, "--workers", "2"],
        ALL: command,
        TWO: [*two, "--workers", "1"],
        TWO_ALL: two,
    }


def calls(three: Path, gold: Path, pred: Path) -> dict[str, Call]:
    """The same, as calls of a function."""
    return {
        ONE: (str(three), None, {"workers": 1}),
        PAIR: (str(three), None, {"workers": 2}),
        TWO: (str(gold), {"x": str(pred)}, {"workers": 1}),
    }


def show(costs: Mapping[str, Cost], within: Mapping[str, float]) -> None:
    """Seconds and megabytes, and how many times the loop's seconds they are."""
    loop = costs[LOOP].seconds
    print(f"  {'':30}{'whole':>8}{'/ loop':>8}{'peak':>10}{'inside':>10}{'/ loop':>8}")
    for name, cost in costs.items():
        line = f"  {name:30}{cost.seconds:6.2f} s{cost.seconds / loop:8.2f}{cost.megabytes:7.0f} MB"
        if name in within:
            line += f"{within[name]:8.2f} s{within[name] / loop:8.2f}"
        print(line)


def targets(costs: Mapping[str, Cost], within: Mapping[str, float]) -> list[Target]:
    """What is asked of these numbers."""
    whole = {name: cost.seconds for name, cost in costs.items()}
    return [
        Target("default workers / C loop, whole process", whole[ALL] / whole[LOOP], 3),
        Target("one worker / C loop, whole process", whole[ONE] / whole[LOOP], 3),
        Target("two workers / C loop, inside", within[PAIR] / whole[LOOP], 3),
        Target("one worker / two workers, whole process", whole[ONE] / whole[PAIR], 1.7, False),
        Target("one worker / two workers, inside", within[ONE] / within[PAIR], 1.7, False),
        Target("two files / one, one worker, whole process", whole[TWO] / whole[ONE], 1.7),
        Target("two files / one, one worker, inside", within[TWO] / within[ONE], 1.7),
    ]


def main() -> None:
    """Measure, and say what holds."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--tokens", type=int, default=10_000_000)
    parser.add_argument(
        "--repeat", type=int, default=5, help="the fastest of so many rounds counts"
    )
    given = parser.parse_args()
    three, gold, pred = big_files(given.tokens)
    loop = yardstick()
    print(machine())
    print(f"Exact scores by type, best of {given.repeat}, in turns; the C loop finds in one file:")
    print("  " + subprocess.run([loop, three], check=True, capture_output=True, text=True).stdout)
    costs = in_turns(processes(three, gold, pred, loop), given.repeat)
    within = inside(calls(three, gold, pred), given.repeat)
    show(costs, within)
    sizes = [path.stat().st_size / 1e6 for path in (three, gold, pred)]
    print(f"\n  one file {sizes[0]:.0f} MB, two {sizes[1] + sizes[2]:.0f} MB: ", end="")
    print(f"{(sizes[1] + sizes[2]) / sizes[0]:.2f} times the bytes")
    show_targets(targets(costs, within))


if __name__ == "__main__":
    main()
