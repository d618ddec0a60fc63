"""Families: how often anything is starred though nothing differs, and what each correction finds.

    python studies/families.py --corpus DIR --corpus DIR --rounds 300

DIR has test.txt, train.txt and systems/NAME.SEED.txt. Where nothing differs, two real outputs have
changed places at random in half of the sentences (or documents). What is found is counted on the
outputs as they are, on samples of the same size.
"""

import argparse
import os
from collections import Counter
from pathlib import Path

import numpy as np

from nerscope import compare
from nerscope.results.families import TYPES, WHERE, correct_families
from nerscope.results.results import Results
from nerscope.results.rows import ComparisonRow
from populations import Population, evidence_drawn, pairs_of_outputs, population_of
from shares import Share

CORRECTIONS = ("holm", "step-down")
SIGNIFICANT = 0.05


def tested_rows(
    population: Population, rng: np.random.Generator, size: int, *, equal: bool
) -> list[ComparisonRow]:
    """All rows of two outputs on some clusters."""
    unit = population.units[-1]
    pairs = pairs_of_outputs(population)
    first, second = pairs[rng.integers(len(pairs))]
    n = len(population.members(unit))
    taken = rng.permutation(n)[: min(n, size)]
    swapped = rng.random(len(taken)) < 0.5 if equal else np.zeros(len(taken), bool)
    evidence = evidence_drawn(population, unit, taken, {"A": [first], "B": [second]}, swapped)
    comparison = compare(
        Results([evidence], rows=[]),
        "A",
        "B",
        metrics=["f1", "recall", "ter"],
        matches=["exact", "bilou", "io"],
        samples=10_000,
        seed=int(rng.integers(1 << 30)),
        resample=unit,
        plausible=None,
    )
    return comparison.rows


def stars(rows: list[ComparisonRow], correction: str) -> Counter[str]:
    """How many stars each family has."""
    corrected = correct_families(rows, correction, 0).rows
    return Counter(row.family for row in corrected if (row.p_corrected or 1.0) < SIGNIFICANT)


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--corpus", type=Path, action="append", default=[], metavar="DIR")
    parser.add_argument("--rounds", type=int, default=300)
    parser.add_argument("--size", type=int, action="append", default=[])
    options = parser.parse_args()
    print(f"load {os.getloadavg()[0]:.1f}; {options.rounds} rounds a cell")
    print("| corpus | clusters | correction | any star: where | types | any | stars found: where |")
    print("|---|---|---|---|---|---|---|")
    for folder in options.corpus:
        population = population_of(folder)
        for size in options.size or (150, 600):
            false = {name: [Share(), Share(), Share()] for name in CORRECTIONS}
            found = dict.fromkeys(CORRECTIONS, 0)
            for number in range(options.rounds):
                rng = np.random.default_rng([number, size])
                alike = tested_rows(population, rng, size, equal=True)
                unlike = tested_rows(population, rng, size, equal=False)
                for name in CORRECTIONS:
                    wrong = stars(alike, name)
                    for share, count in zip(
                        false[name], (wrong[WHERE], wrong[TYPES], wrong.total()), strict=True
                    ):
                        share.add(count > 0)
                    found[name] += stars(unlike, name)[WHERE]
            for name in CORRECTIONS:
                cells = [population.name, size, name, *false[name], found[name]]
                print("|", " | ".join(map(str, cells)), "|", flush=True)


if __name__ == "__main__":
    main()
