"""A note where neighbouring sentences are alike, and none where they are not."""

from pathlib import Path

import numpy as np
import pytest
from tests.scoring.toys import Corpus, text_of

import nerscope
from nerscope.scoring.evidence import Evidence
from nerscope.stats.neighbours import neighbour_ratio

NAMED: tuple[list[str], list[str]] = (["Ada", "left"], ["B-PER", "O"])
HALF = np.random.default_rng(0).random(800) < 0.5


def output(found: np.ndarray) -> Corpus:
    """A system that finds the one name of each of these sentences."""
    return [(NAMED[0], NAMED[1] if found_here else ["O", "O"]) for found_here in found]


def runs_of_luck(length: int, n: int = 800) -> np.ndarray:
    """Whether a name is found, the same for so many neighbours."""
    return np.repeat(HALF[: n // length], length)


GOLD: Corpus = [NAMED] * 800
IN_RUNS, ALONE = output(runs_of_luck(10)), output(HALF)


def evidence_of(gold: Corpus, **systems: Corpus) -> Evidence:
    return nerscope.evaluate(gold, systems, facets=["all"], dataset="d").evidence[0]


def f1(found: np.ndarray) -> float:
    return float(2 * found.sum() / (len(found) + found.sum()))


def ratio_by_hand(found: np.ndarray, other: np.ndarray | None = None) -> float:
    """Every sentence, and every block of 20, is left out in turn."""

    def number(chosen: np.ndarray) -> float:
        return f1(found[chosen]) - (0.0 if other is None else f1(other[chosen]))

    def variance(size: int) -> float:
        clusters = np.arange(len(found)) // size
        whole = number(clusters >= 0)
        moves = [whole - number(clusters != k) for k in range(len(found) // size)]
        return float(np.sum(np.square(moves)) * (1 - 1 / len(moves)))

    return variance(20) / variance(1)


def test_the_ratio_is_that_of_leaving_out_each_block_and_each_sentence() -> None:
    both = evidence_of(GOLD, a=IN_RUNS, b=ALONE)
    expected = [ratio_by_hand(runs_of_luck(10)), ratio_by_hand(HALF)]
    assert expected[0] > 3 > 1.3 > expected[1]
    single = [neighbour_ratio(both, [(name,)], "sentence") for name in ("a", "b")]
    assert single == pytest.approx(expected)
    assert neighbour_ratio(both, [("a",), ("b",)], "sentence") == pytest.approx(np.mean(expected))
    pair = neighbour_ratio(both, [("a", "b")], "sentence")
    assert pair == pytest.approx(ratio_by_hand(runs_of_luck(10), HALF))


def test_where_sentences_are_not_the_clusters_there_is_no_ratio(tmp_path: Path) -> None:
    evidence = evidence_of(GOLD, a=IN_RUNS)
    assert neighbour_ratio(evidence, [("a",)], "block:10") is None
    assert neighbour_ratio(evidence_of(GOLD[:380], a=IN_RUNS[:380]), [("a",)], "sentence") is None
    path = tmp_path / "gold.txt"
    path.write_text(f"-DOCSTART- O\n\n{text_of(GOLD[:500])}\n-DOCSTART- O\n\n{text_of(GOLD[500:])}")
    marked = nerscope.evaluate(path, {"a": IN_RUNS}).evidence[0]
    assert marked.n_documents == 2 and neighbour_ratio(marked, [("a",)], "sentence") is None
    folded = nerscope.evaluate(GOLD, {"a": IN_RUNS}, fold=True).evidence[0]
    assert neighbour_ratio(folded, [("a",)], "sentence") is None


NOTE = (
    "d: neighbouring sentences are alike, so intervals over sentences are too narrow "
    "(over blocks of 20, the variance of {} is "
)
REMEDY = " times as large). Fix: --resample block:20"


def test_comparisons_and_evaluations_have_the_note() -> None:
    results = nerscope.evaluate(GOLD, {"a": IN_RUNS, "b": ALONE}, dataset="d")
    (note,) = [text for text in results.interval_notes() if "alike" in text]
    assert note.startswith(NOTE.format("F1")) and note.endswith(REMEDY)
    (note,) = [text for text in nerscope.compare(results).notes if "alike" in text]
    assert note.startswith(NOTE.format("the difference in F1")) and note.endswith(REMEDY)
    assert not any("alike" in text for text in nerscope.compare(results, resample="block:20").notes)
    by_blocks = nerscope.evaluate(
        GOLD, {"a": IN_RUNS}, dataset="d", intervals=nerscope.Sampling("block:20")
    )
    assert not by_blocks.interval_notes()


def test_comparisons_rest_on_the_unit_of_the_intervals(tmp_path: Path) -> None:
    both = {"a": IN_RUNS, "b": ALONE}
    plain = nerscope.evaluate(GOLD, both, dataset="d")
    by_blocks = nerscope.evaluate(GOLD, both, dataset="d", intervals=nerscope.Sampling("block:20"))
    by_blocks.save(tmp_path / "r.json")
    loaded = nerscope.Results.load(tmp_path / "r.json")
    wanted = nerscope.compare(plain, samples=200, resample="block:20")
    for results in (by_blocks, loaded):
        found = nerscope.compare(results, samples=200)
        assert found.settings["resample"] == "block:20"
        assert [row.p for row in found.primary] == [row.p for row in wanted.primary]
    assert nerscope.compare(by_blocks, resample="sentence").settings["resample"] == "sentence"
