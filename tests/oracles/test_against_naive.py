"""Every row of the package's table, against the slow reading of the definitions."""

import tempfile
from collections.abc import Iterable, Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.oracles import expected, naive
from tests.oracles.expected import Cell, Key, Row
from tests.oracles.strategies import Case, cases

import nerscope
from nerscope.results import Results

many = settings(max_examples=300, deadline=None)
few = settings(max_examples=100, deadline=None)


def evaluate(case: Case, **options: Any) -> Results:
    return nerscope.evaluate(case.gold, {"sys": case.pred}, train=case.train, **options)


def key(row: dict[str, Any]) -> Key:
    return Key(*(row[field] for field in Key._fields))


def table(results: Results, run: str | None = None) -> dict[Key, tuple[float | None, int]]:
    rows = [row for row in results.rows if row["run"] == run]
    found = {key(row): (row["value"], row["n"]) for row in rows}
    assert len(found) == len(rows), "two rows say the same thing"
    return found


def of_facets(found: dict[Key, tuple[float | None, int]], *facets: str) -> dict[Key, tuple[float | None, int]]:
    return {key: cell for key, cell in found.items() if key.facet in facets}


def close(a: float | None, b: Fraction | None) -> bool:
    return a is b if a is None or b is None else abs(a - float(b)) < 1e-12


def assert_same(found: dict[Key, tuple[float | None, int]], rows: Iterable[Row]) -> None:
    wanted = dict(rows)
    assert found.keys() == wanted.keys()
    wrong: dict[Key, tuple[tuple[float | None, int], Cell]] = {
        key: (found[key], cell)
        for key, cell in wanted.items()
        if not close(found[key][0], cell.value) or found[key][1] != cell.n
    }
    assert not wrong


@many
@given(cases())
def test_scores_over_the_whole_corpus_are_the_defined_ones(case: Case) -> None:
    assert_same(of_facets(table(evaluate(case)), "all"), expected.of_whole(case))


@many
@given(cases())
def test_recall_of_tough_mentions_is_the_defined_one(case: Case) -> None:
    assert_same(of_facets(table(evaluate(case)), "tmr"), expected.of_tmr(case))


@many
@given(cases())
def test_error_rates_of_hard_tokens_are_the_defined_ones(case: Case) -> None:
    assert_same(of_facets(table(evaluate(case)), "hard", "hard-strict"), expected.of_hard(case))


@few
@given(cases())
def test_error_rates_over_io_labels_compare_types_alone(case: Case) -> None:
    found = of_facets(table(evaluate(case, token_match="io")), "hard", "hard-strict")
    assert_same(found, expected.of_hard(case, match="io"))


@few
@given(cases())
def test_error_rates_with_conlleval_repair_decode_both_sides_that_way(case: Case) -> None:
    found = of_facets(table(evaluate(case, token_repair="conlleval")), "hard", "hard-strict")
    assert_same(found, expected.of_hard(case, repair="conlleval"))


@many
@given(cases())
def test_bucket_scores_are_the_defined_ones(case: Case) -> None:
    attributes = (*naive.MENTION_ATTRIBUTES, *naive.TOKEN_ATTRIBUTES)
    assert_same(of_facets(table(evaluate(case)), *attributes), expected.of_buckets(case))


@many
@given(cases())
def test_edges_are_fitted_on_the_gold_values(case: Case) -> None:
    facets = evaluate(case).settings["facets"]
    found = {name: facet["edges"] for name, facet in facets.items()}
    assert found == {name: pytest.approx(edges, abs=1e-12) for name, edges in expected.edges(case).items()}


@few
@given(cases())
def test_no_row_is_outside_the_definitions(case: Case) -> None:
    rows = [*expected.of_whole(case), *expected.of_tmr(case), *expected.of_hard(case), *expected.of_buckets(case)]
    assert_same(table(evaluate(case)), rows)


@few
@given(cases())
def test_summary_of_a_single_run_repeats_it(case: Case) -> None:
    results = evaluate(case)
    summary = table(results)
    one = table(results, run="1")
    assert one
    assert {key: summary[key] for key in one} == one


@few
@given(cases(), st.randoms(use_true_random=False))
def test_order_of_the_sentences_does_not_matter(case: Case, random: Any) -> None:
    order = list(range(len(case.gold)))
    random.shuffle(order)
    shuffled = Case(case.train[::-1], [case.gold[i] for i in order], [case.pred[i] for i in order])
    before, after = table(evaluate(case)), table(evaluate(shuffled))
    assert before.keys() == after.keys()
    assert before == {key: (pytest.approx(value, abs=1e-12), n) for key, (value, n) in after.items()}


def files(case: Case, folder: Path) -> Iterator[str]:
    for name, corpus in zip(("train", "gold", "pred"), case, strict=True):
        path = folder / f"{name}.conll"
        path.write_text(expected.corpus_text(corpus), encoding="utf-8")
        yield str(path)


@few
@given(cases(), st.sampled_from([17, 40, 41, 64, 200]))
def test_reading_in_tiny_chunks_gives_the_rows_of_the_corpus_in_memory(case: Case, size: int) -> None:
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        patch.setattr("nerscope.formats.blocks.BLOCK", size)
        patch.setattr("nerscope.formats.conll.BLOCK", size)
        train, gold, pred = files(case, Path(folder))
        results = nerscope.evaluate(gold, {"sys": pred}, train=train)
    in_memory = evaluate(case)
    assert table(results) == table(in_memory)
    assert results.settings["facets"] == in_memory.settings["facets"]
