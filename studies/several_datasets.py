"""How often tests over several datasets, and contrasts, find something where there is nothing.

    python studies/several_datasets.py --rounds 200 CORPUS…

CORPUS is a folder with `test.txt`, `train.txt` and `systems/NAME.RUN.txt`.

- runs: four datasets are drawn from one test set, and the same trained runs are on all of them.
  A and B are disjoint sets of runs of one model, so that neither is better.
- lent: the same with the other models beside them, from which tests on single datasets borrow the
  noise of runs.
- simulated: the same with a simulated model, whose runs are shared or not; and how often the
  interval of a mean of scores over datasets holds the truth.
- contrast: mentions, or whole sentences, are divided at random; no system is better in one part.
"""

import argparse
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from nerscope.corpus.arrays import Ints
from nerscope.results.contrast import contrast
from nerscope.results.results import Results
from nerscope.scoring.evidence import Evidence, FacetTable, Units
from nerscope.stats.across import average_with_interval, beaten_on
from nerscope.stats.clusters import ClusterCounts
from nerscope.stats.dataset_means import (
    DatasetDifference,
    dataset_differences,
    fixed_mean,
    mean_of_drawn,
    score_mean,
)
from nerscope.stats.intervals import intervals
from nerscope.stats.jackknife import jackknife
from nerscope.stats.system_pair import ABOUT_RECIPES, SystemPair
from populations import (
    SENTENCE,
    Board,
    Model,
    Population,
    drawn,
    evidence_drawn,
    population_of,
    rebuilt,
    systems_with_runs,
)
from shares import Covered, Report, Share

OVERALL = Board("all", "exact", ("f1",))
DATASETS = 4
SIDES = ((2, 2), (2, 3), (3, 3))
ALPHA = 0.05
PARTS = ("runs", "lent", "simulated", "contrast")


def distinct_models(population: Population, fewest: int) -> list[list[int]]:
    """The runs of each system, without systems and runs that are copies of others."""
    clustered = population.clustered(OVERALL, SENTENCE)
    models, seen = list[list[int]](), set[bytes]()
    for runs in systems_with_runs(population, fewest):
        new = list[int]()
        for run in runs:
            content = clustered.columns_of_run(run, clustered.counts).tobytes()
            if content not in seen:
                seen.add(content)
                new.append(run)
        if len(new) >= fewest:
            models.append(new)
    return models


def pair_on(clustered: ClusterCounts) -> SystemPair:
    """Systems A and B on one dataset, about recipes."""
    differing = clustered.differing("A", "B").number()
    return SystemPair(jackknife(clustered), "A", "B", differing, ABOUT_RECIPES)


def is_found_apart(pairs: Sequence[SystemPair]) -> bool:
    """Whether the mean excludes 0 if every dataset is taken to have runs of its own."""
    bounds = [pair.bounds(ALPHA) for pair in pairs]
    values = [float(pair.difference[0]) for pair in pairs]
    lows, highs = [float(low[0]) for low, _ in bounds], [float(high[0]) for _, high in bounds]
    _, low, high = average_with_interval(values, lows, highs)
    return not low <= 0 <= high


def is_counted(pairs: Sequence[SystemPair], method: str) -> bool:
    """Whether A or B is said to be better on any dataset, each at half of alpha."""
    halves = [float(pair.p_at()[0]) / 2 for pair in pairs]
    ahead = [float(pair.difference[0]) > 0 for pair in pairs]
    better = [half if up else 1 - half for half, up in zip(halves, ahead, strict=True)]
    return any(beaten_on(side, ALPHA / 2, method) for side in (better, [1 - p for p in better]))


def parts_of(pairs: Sequence[SystemPair]) -> list[DatasetDifference]:
    """F1 on each dataset."""
    return [dataset_differences(pair)[0] for pair in pairs]


TESTS: Mapping[str, Callable[[Sequence[SystemPair]], bool]] = {
    "mean, runs apart": is_found_apart,
    "mean of these": lambda pairs: fixed_mean(parts_of(pairs)).p < ALPHA,
    "mean of others like them": lambda pairs: mean_of_drawn(parts_of(pairs)).p < ALPHA,
    "better on any, Fisher": lambda pairs: is_counted(pairs, "fisher"),
    "better on any, Bonferroni": lambda pairs: is_counted(pairs, "bonferroni"),
}


def over_models(levels: Sequence[Sequence[bool]]) -> str:
    """A level in %, with its standard error over models: their runs are few."""
    means = 100 * np.array([np.mean(found) for found in levels])
    return f"{means.mean():.1f} ± {means.std(ddof=1) / np.sqrt(len(means)):.1f}"


def study_runs(
    populations: Sequence[Population],
    rounds: int,
    report: Report,
    parts: Sequence[int],
    lend: bool = False,
) -> None:
    """Levels with real runs that are the same on all datasets."""
    others = ", others lend" if lend else ""
    report.title(
        f"The same runs on {DATASETS} datasets: p < {ALPHA} where none is better, %{others}"
    )
    rng, rows = np.random.default_rng(1), list[list[object]]()
    for population in populations:
        clustered = population.clustered(OVERALL, SENTENCE)
        for sizes in SIDES:
            for part in parts:
                size = len(clustered.counts) // part
                models = distinct_models(population, sum(sizes))
                if not models:
                    continue
                found = []
                for at, runs in enumerate(models):
                    lenders = [*models[:at], *models[at + 1 :]] if lend else []
                    lent = {str(name): of[: max(sizes)] for name, of in enumerate(lenders)}
                    found.append(_real_rounds(clustered, runs, lent, sizes, size, rounds, rng))
                rows.append(
                    [population.name, f"{sizes[0]} v {sizes[1]}", size, len(models), rounds]
                    + [over_models([of_model[name] for of_model in found]) for name in TESTS]
                )
    report.table(["corpus", "runs", "sentences", "models", "rounds each", *TESTS], rows, 2)


def _real_rounds(
    clustered: ClusterCounts,
    runs: Sequence[int],
    lent: Mapping[str, Sequence[int]],
    sizes: tuple[int, int],
    size: int,
    rounds: int,
    rng: np.random.Generator,
) -> dict[str, list[bool]]:
    """By test: whether it found a difference, in each round."""
    found: dict[str, list[bool]] = {name: [] for name in TESTS}
    for _ in range(rounds):
        chosen = rng.permutation(runs)[: sum(sizes)].tolist()
        sides = {"A": chosen[: sizes[0]], "B": chosen[sizes[0] :], **lent}
        pairs = [
            pair_on(drawn(clustered, rng.integers(0, len(clustered.counts), size), sides))
            for _ in range(DATASETS)
        ]
        for name, test in TESTS.items():
            found[name].append(test(pairs))
    return found


def study_simulated(rounds: int, report: Report) -> None:
    """Levels and coverage of a simulated model, whose runs are shared or not."""
    report.title(f"Simulated: 3 v 3 runs on {DATASETS} datasets of 500 sentences, %")
    rows = list[list[object]]()
    for spread in (0.05, 0.1, 0.2):
        for shared in (True, False):
            levels = {name: Share() for name in TESTS}
            covered = {"runs apart": Covered(), "runs shared": Covered()}
            for several in simulated(Model(run_spread=spread), shared, rounds):
                pairs = [pair_on(clustered) for clustered in several]
                for name, test in TESTS.items():
                    levels[name].add(test(pairs))
                for name, bounds in score_bounds(pairs).items():
                    truth = Model(run_spread=spread).truth()["f1"]
                    covered[name].add(bounds, truth, 500)
            label = "shared" if shared else "apart"
            rows.append([spread, label, rounds, *levels.values(), *covered.values()])
    coverage = [f"mean score covered, {name}" for name in ("runs apart", "runs shared")]
    report.table(["spread of runs", "runs", "rounds", *TESTS, *coverage], rows, 2)


def simulated(model: Model, shared: bool, rounds: int) -> Iterator[list[ClusterCounts]]:
    """Four datasets: parts of one that has the same runs everywhere, or with runs of their own."""
    rng, sides, size = np.random.default_rng(2), {"A": 3, "B": 3}, 500
    for _ in range(rounds):
        if shared:
            whole = model.clustered(rng, DATASETS * size, sides)
            parts = np.split(whole.counts, DATASETS)
            yield [rebuilt(whole, np.ascontiguousarray(part), sides) for part in parts]
        else:
            yield [model.clustered(rng, size, sides) for _ in range(DATASETS)]


def score_bounds(pairs: Sequence[SystemPair]) -> dict[str, tuple[float, float]]:
    """The interval of A's mean F1 over datasets, in both ways."""
    place = pairs[0].spread.keys.index(next(k for k in pairs[0].spread.keys if k.metric == "f1"))
    values = [float(pair.spread.values("A")[place]) for pair in pairs]
    bounds = [intervals(pair.spread, "A")[place] or (np.nan, np.nan) for pair in pairs]
    lows, highs = [low for low, _ in bounds], [high for _, high in bounds]
    runs = [(pair.spread.runs["A"][:, place].tolist(),) for pair in pairs]
    mean = score_mean(values, lows, highs, runs)
    _, low, high = average_with_interval(values, lows, highs)
    return {"runs apart": (low, high), "runs shared": (mean.low, mean.high)}


def study_contrast(populations: Sequence[Population], rounds: int, report: Report) -> None:
    """Levels of contrasts where a facet means nothing."""
    report.title(f"Contrasts of parts drawn at random: p < {ALPHA}, and intervals without 0, %")
    rng, rows = np.random.default_rng(3), list[list[object]]()
    for population in populations:
        for n_runs in (1, 3):
            models = distinct_models(population, n_runs)
            for unit, share, size in (
                ("mention", 0.5, 200), ("mention", 0.1, 200), ("mention", 0.1, 1000),
                ("sentence", 0.5, 200), ("sentence", 0.1, 1000),
            ):  # fmt: skip
                found, tested = [list[bool]() for _ in models], Share()
                for _ in range(rounds):
                    for model, runs in enumerate(models):
                        evidence = _random_parts(population, runs[:n_runs], unit, share, size, rng)
                        (row,) = contrast(Results([evidence]), "random=x", "random=y")
                        tested.add(row.p is not None)
                        if row.p is not None:
                            found[model].append(row.p < ALPHA)
                measured = [of_model for of_model in found if of_model]
                level = over_models(measured) if len(measured) > 1 else "–"
                rows.append([population.name, unit, n_runs, share, size, tested.of, tested, level])
    header = ["corpus", "divided by", "runs", "share", "sentences", "rounds", "tested", "level"]
    report.table(header, rows, 2)


def _random_parts(
    population: Population,
    runs: Sequence[int],
    unit: str,
    share: float,
    size: int,
    rng: np.random.Generator,
) -> Evidence:
    """Some sentences, whose mentions are divided at random, so that recall is the same."""
    sentences = len(population.evidence.documents)
    chosen = rng.integers(0, sentences, min(size, sentences))
    evidence = evidence_drawn(population, SENTENCE, chosen, {"A": runs})
    by_sentence = (rng.random(len(chosen)) < share).astype(np.int8)

    def divided(units: Units) -> Units:
        codes: Ints = by_sentence[units.sentence]
        if unit == "mention":
            codes = (rng.random(len(units.sentence)) < share).astype(np.int8)
        return replace(units, codes={**units.codes, "random": codes})

    ledger = evidence.ledgers["mention"]
    outputs = tuple(replace(output, pred=divided(output.pred)) for output in ledger.runs)
    ledgers = {"mention": replace(ledger, gold=divided(ledger.gold), runs=outputs)}
    levels = {"x": (0,), "y": (1,)}
    table = FacetTable("random", "mention", levels, {"exact": ("recall",)}, by_type=False)
    return replace(evidence, ledgers=ledgers, tables=(table,))


def main() -> None:
    """Print all tables."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rounds", type=int, default=200, help="of each model")
    parser.add_argument("--part", choices=PARTS, action="append")
    parser.add_argument(
        "--divided-by",
        type=int,
        action="append",
        metavar="N",
        help="each dataset has one N-th as many sentences as the test set (default: 1, then 4)",
    )
    parser.add_argument("corpora", type=Path, nargs="*", metavar="CORPUS")
    options = parser.parse_args()
    populations = [population_of(folder) for folder in options.corpora]
    parts = options.part or PARTS
    report, start = Report(), time.process_time()
    if "runs" in parts:
        study_runs(populations, options.rounds, report, options.divided_by or [1, DATASETS])
    if "lent" in parts:
        rounds = max(1, options.rounds // 3)
        study_runs(populations, rounds, report, options.divided_by or [1, DATASETS], lend=True)
    if "simulated" in parts:
        study_simulated(options.rounds, report)
    if "contrast" in parts:
        study_contrast(populations, max(1, options.rounds // 4), report)
    report.say(f"{time.process_time() - start:.0f} s of one core")


if __name__ == "__main__":
    main()
