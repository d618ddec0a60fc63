"""Exact scores by type beside those of other tools: gold and system in two files, one run.

    python benchmarks/peers.py                               10 million tokens
    python benchmarks/peers.py --tokens 200000
    python benchmarks/peers.py --conlleval conlleval.pl      with the original script as well

Each tool is a whole process that reads the files itself. Peers are installed into an environment
of their own (.venv-peers); they are never a dependency. They run once, since they take minutes;
nerscope runs before each of them, and its fastest run counts. The Perl script reads one file of
three columns, and so does nerscope beside it, with one worker.
"""

import argparse
import shutil
from pathlib import Path

from common import (
    EXACT,
    NERSCOPE,
    ONE_WORKER,
    Command,
    Cost,
    Target,
    best,
    big_files,
    in_turns,
    machine,
    measure,
    peers_python,
    show_targets,
)

_READ = """
import sys
def labels(path):
    sentence = []
    with open(path, encoding="utf-8") as lines:
        for line in lines:
            parts = line.split()
            if parts:
                sentence.append(parts[-1])
            elif sentence:
                yield sentence
                sentence = []
    if sentence:
        yield sentence
gold, pred = list(labels(sys.argv[1])), list(labels(sys.argv[2]))
"""
_SEQEVAL = f"""{_READ}
from seqeval.metrics import classification_report
print(classification_report(gold, pred))
"""
_NERVALUATE = f"""{_READ}
from nervaluate import Evaluator
types = {{label[2:] for sentence in gold for label in sentence if label != "O"}}
print(Evaluator(gold, pred, tags=sorted(types), loader="list").evaluate())
"""
_SEQSCORE = ["score", "--labels", "BIO", "--repair-method", "conlleval", "--quiet", "--reference"]
ALL, ONE = "nerscope, default workers", "nerscope, one worker"
ONE_FILE, PERL = "nerscope, one file, one worker", "conlleval (Perl), one file"
# How many times the time of nerscope each peer shall take at least: default workers, one worker.
LEAST_FACTORS = {"seqeval": (50, 35), "nervaluate": (40, 25), "seqscore": (50, 35)}
ASKED_OF_PERL = 20


def rivals(gold: Path, pred: Path) -> dict[str, Command]:
    """The peers of which the target speaks, on two files."""
    python = peers_python()
    return {
        "seqeval": [python, "-c", _SEQEVAL, gold, pred],
        "nervaluate": [python, "-c", _NERVALUATE, gold, pred],
        "seqscore": [python.parent / "seqscore", *_SEQSCORE, gold, pred],
    }


def perl(conlleval: Path | None, three: Path) -> dict[str, Command]:
    """The original script on one file; where it or Perl is missing, that is said."""
    if conlleval is None or not shutil.which("perl"):
        missing = "no script was given (--conlleval)" if conlleval is None else "there is no perl"
        print(f"  conlleval is left out: {missing}")
        return {}
    return {PERL: ["sh", "-c", 'perl "$1" < "$2"', "sh", conlleval, three]}


def our_commands(three: Path, gold: Path, pred: Path) -> dict[str, Command]:
    """nerscope, on the same files."""
    two: Command = [*NERSCOPE, "evaluate", gold, "--system", f"x={pred}", *EXACT]
    return {
        ALL: two,
        ONE: [*two, *ONE_WORKER],
        ONE_FILE: [*NERSCOPE, "evaluate", three, *EXACT, *ONE_WORKER],
    }


def against_peers(tokens: int, conlleval: Path | None, repeat: int = 1) -> list[Target]:
    """Measure all, print what they took, and give the ratios that are asked for."""
    three, gold, pred = big_files(tokens)
    print(f"\nExact scores by type, {tokens:,} tokens in two files, whole processes")
    others = {**rivals(gold, pred), **perl(conlleval, three)}
    rounds, costs = [], {}
    for name, command in others.items():  # nerscope's turn comes before each of them
        rounds.append(in_turns(our_commands(three, gold, pred), repeat))
        costs[name] = measure(command)
    our_costs = {name: best([round_costs[name] for round_costs in rounds]) for name in rounds[0]}
    show(our_costs | costs)
    return [*targets(our_costs | costs), *target_of_perl(our_costs | costs)]


def show(costs: dict[str, Cost]) -> None:
    """Seconds and megabytes of each, and how many times nerscope's they are."""
    print(f"  {'':34}{'':11}{'peak':>10}{'/ default':>11}{'/ one':>8}")
    for name, cost in costs.items():
        by_all, by_one = (cost.seconds / costs[ours].seconds for ours in (ALL, ONE))
        print(
            f"  {name:34}{cost.seconds:9.2f} s{cost.megabytes:7.0f} MB{by_all:11.1f}{by_one:8.1f}"
        )


def targets(costs: dict[str, Cost]) -> list[Target]:
    """What is asked of the ratios on two files."""
    return [
        Target(f"{peer} / {ours}", costs[peer].seconds / costs[ours].seconds, factor, False)
        for place, ours in enumerate((ALL, ONE))
        for peer, factor in ((peer, both[place]) for peer, both in LEAST_FACTORS.items())
    ]


def target_of_perl(costs: dict[str, Cost]) -> list[Target]:
    """What is asked beside the script, where it ran."""
    if PERL not in costs:
        return []
    ratio = costs[PERL].seconds / costs[ONE_FILE].seconds
    return [Target(f"{PERL} / {ONE_FILE}", ratio, ASKED_OF_PERL, False)]


def main() -> None:
    """Measure, and say what holds."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--tokens", type=int, default=10_000_000)
    parser.add_argument(
        "--repeat", type=int, default=3, help="nerscope's fastest of so many counts"
    )
    parser.add_argument("--conlleval", type=Path, help="the original conlleval script")
    given = parser.parse_args()
    print(machine())
    show_targets(against_peers(given.tokens, given.conlleval, given.repeat))


if __name__ == "__main__":
    main()
