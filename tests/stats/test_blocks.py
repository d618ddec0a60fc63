"""Blocks of neighbouring sentences as clusters: how they are cut, counted and named."""

from dataclasses import replace
from itertools import groupby
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.scoring.toys import Corpus, drawn, noisy, text_of

import nerscope
from nerscope.errors import InputError, UsageError
from nerscope.render.page.data import page_data
from nerscope.scoring.cluster_units import BlockCount
from nerscope.scoring.evidence import Evidence
from nerscope.stats.clusters import ClusterCounts, clusters_of, pooled_by
from nerscope.stats.jackknife import Jackknife
from nerscope.stats.two_way import jackknives

GOLD = drawn(90, seed=1)
SYSTEMS = {"a": noisy(GOLD, 0.2, 3), "b": noisy(GOLD, 0.35, 4)}


def blocks_by_hand(documents: list[int], size: int) -> list[int]:
    """Every document is cut by itself."""
    blocks, number = [], -1
    for _, members in groupby(documents):
        for place, _ in enumerate(members):
            number += place % size == 0
            blocks.append(number)
    return blocks


@given(st.lists(st.integers(1, 9), max_size=8), st.integers(1, 5), st.integers(1, 7))
def test_blocks_end_with_documents_however_sentences_come(
    lengths: list[int], size: int, step: int
) -> None:
    documents = np.repeat(np.arange(len(lengths)), lengths)
    count = BlockCount(size)
    parts = [documents[at : at + step] for at in range(0, len(documents), step)]
    numbers = [number for part in parts for number in count.number(part).tolist()]
    assert numbers == blocks_by_hand(documents.tolist(), size)
    assert count.blocks == (max(numbers) + 1 if numbers else 0)


def joined_sentences(sentences: Corpus) -> tuple[list[str], list[str]]:
    """One sentence; a dot keeps mentions at the end of one and the start of the next apart."""
    tokens = [token for words, _ in sentences for token in (*words, ".")]
    return tokens, [label for _, labels in sentences for label in (*labels, "O")]


def test_blocks_have_the_variance_of_joined_sentences_and_half_the_degrees() -> None:
    """Sentences that are joined by hand, twenty at a time, move every number as blocks do."""
    joined, predicted = (
        [joined_sentences(side[at : at + 20]) for at in range(0, 90, 20)]
        for side in (GOLD, SYSTEMS["a"])
    )
    by_hand = nerscope.evaluate(joined, {"a": predicted}, facets=["all"]).evidence[0]
    ours = nerscope.evaluate(GOLD, {"a": SYSTEMS["a"]}, facets=["all"]).evidence[0]
    one, other = spread_of(by_hand, "sentence"), spread_of(ours, "block:20")
    np.testing.assert_allclose(other.products, one.products)
    np.testing.assert_array_equal(other.clusters, one.clusters)
    # Blocks that touch are alike, too: they say less than as many sentences from anywhere.
    np.testing.assert_allclose(other.degrees, one.degrees / 2)
    assert one.parts and one.parts.keys() == other.parts.keys()
    for key, part in one.parts.items():
        np.testing.assert_allclose(other.parts[key].products, part.products)
        np.testing.assert_allclose(other.parts[key].degrees, part.degrees / 2)


def spread_of(evidence: Evidence, unit: str) -> Jackknife:
    table = replace(evidence.tables[0], metrics={"exact": ("f1", "precision", "macro_f1")})
    clusters = clusters_of(evidence, unit)
    counts = ClusterCounts(evidence, table, "exact", ["a"], clusters)
    return jackknives(counts, evidence, unit)[0]


def test_cautions_speak_of_blocks() -> None:
    sampling = nerscope.Sampling("block:20")
    results = nerscope.evaluate(GOLD, {"a": SYSTEMS["a"]}, facets=["all"], intervals=sampling)
    row = results.select(metric="f1", match="exact", run=None, type=None)[0]
    assert (row.clusters, row.caution) == (5, "rough: 5 blocks of 20 sentences")


def test_blocks_stay_within_documents(tmp_path: Path) -> None:
    path = tmp_path / "gold.txt"
    marked = "-DOCSTART- O\n\n".join(text_of(GOLD[at : at + 30]) for at in range(0, 90, 30))
    path.write_text(f"-DOCSTART- O\n\n{marked}", encoding="utf-8")
    evidence = nerscope.evaluate(path, {"a": SYSTEMS["a"]}).evidence[0]
    clusters = clusters_of(evidence, "block:20")
    assert np.bincount(clusters).tolist() == [20, 10, 20, 10, 20, 10]
    assert pooled_by(evidence, "block:20") == 1


def test_all_commands_speak_of_blocks() -> None:
    results = nerscope.evaluate(GOLD, SYSTEMS, intervals=nerscope.Sampling("block:10"))
    assert "resample:block:10" in results.signature
    comparison = nerscope.compare(results, resample="block:10")
    assert "of 9 blocks of 10 sentences with mentions differ" in str(comparison)
    (row,) = nerscope.power(results, resample="block:10")
    assert (row.over, row.clusters) == ("block:10", 9)
    other = nerscope.evaluate(GOLD, {"a": SYSTEMS["b"]})
    (verdict,) = nerscope.gate(results, other, system="a", resample="block:10")
    assert "of 9 blocks of 10 sentences" in str(verdict)
    attributes = nerscope.evaluate(GOLD, SYSTEMS, facets=["eLen", "sLen"])
    contrasted, _ = nerscope.contrast(results, "type=PER", "type=LOC", resample="block:30")
    assert contrasted.untested == "differs in 3 blocks of 30 sentences, 6 are needed"
    diagnosis = nerscope.diagnose(attributes, resample="block:10")
    tests = {row.test for row in diagnosis.self_diagnosis}
    assert any(test and "blocks of 10 sentences" in test for test in tests)


@pytest.mark.parametrize("unit", ["block", "block:0", "block:x", "block:-2", "blocks:20", "20"])
def test_what_is_no_block_is_refused(unit: str) -> None:
    with pytest.raises(UsageError, match=r"unknown cluster unit '.*'.*block:20"):
        nerscope.Sampling(unit)


def test_results_folded_by_sentences_have_no_blocks() -> None:
    results = nerscope.evaluate(GOLD, SYSTEMS, fold=True)
    fact = r"groups of sentences, so a block of 5 sentences cannot be used.*block:5"
    with pytest.raises(InputError, match=fact):
        nerscope.compare(results, "a", "b", resample="block:5")
    mended = nerscope.evaluate(GOLD, SYSTEMS, fold=True, intervals=nerscope.Sampling("block:5"))
    folded = nerscope.compare(mended, "a", "b")
    whole = nerscope.compare(nerscope.evaluate(GOLD, SYSTEMS), "a", "b", resample="block:5")
    assert [row.p for row in folded.rows] == [row.p for row in whole.rows]
    with pytest.raises(InputError, match=r"groups of blocks of 5 sentences.*same --resample"):
        nerscope.gate(mended, results, system="a")


def test_the_page_speaks_of_blocks() -> None:
    sampling = nerscope.Sampling("block:5")
    results = nerscope.evaluate(GOLD, SYSTEMS, facets=["all"], intervals=sampling, fold=True)
    page = page_data(results)
    assert page["datasets"][0]["resample"] == "block"
    assert page["comparison"] is not None
    assert page["comparison"]["settings"]["resample"] == "block"
