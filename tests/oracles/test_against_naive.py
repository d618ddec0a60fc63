"""Every row of the package's table, against the slow reading of the definitions."""

import tempfile
from collections.abc import Iterable, Iterator
from fractions import Fraction
from pathlib import Path
from statistics import mean, stdev
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.oracles import expected, naive
from tests.oracles.expected import Cell, Key, Row
from tests.oracles.naive import Corpus
from tests.oracles.strategies import Case, case_and_second_run, cases, large_case

import nerscope
from nerscope.results.results import Results
from nerscope.results.results import Row as ResultRow

many = settings(max_examples=200, deadline=None)
some = settings(max_examples=80, deadline=None)
Table = dict[Key, tuple[float | None, int]]


def evaluate(case: Case, **options: Any) -> Results:
    return nerscope.evaluate(case.gold, {"sys": case.pred}, train=case.train, **options)


def row_key(row: ResultRow) -> Key:
    return Key(row["unit"], row["facet"], row["level"], row["type"], row["match"], row["metric"])


def table(results: Results, run: str | None = None) -> Table:
    rows = [row for row in results.rows if row["run"] == run]
    found = {row_key(row): (row["value"], row["n"]) for row in rows}
    assert len(found) == len(rows), "two rows say the same thing"
    return found


def of_facets(found: Table, *facets: str) -> Table:
    return {key: cell for key, cell in found.items() if key.facet in facets}


def close(a: float | None, b: float | Fraction | None) -> bool:
    if a is None or b is None:
        return a is None and b is None
    return abs(a - float(b)) < 1e-12


def assert_same(found: Table, rows: Iterable[Row]) -> None:
    wanted = dict(rows)
    assert found.keys() == wanted.keys()
    wrong: dict[Key, tuple[tuple[float | None, int], Cell]] = {
        key: (found[key], cell)
        for key, cell in wanted.items()
        if not close(found[key][0], cell.value) or found[key][1] != cell.n
    }
    assert not wrong


@some
@given(cases())
def test_scores_over_the_whole_corpus_are_the_defined_ones(case: Case) -> None:
    assert_same(of_facets(table(evaluate(case)), "all"), expected.of_whole(case))


@some
@given(cases())
def test_recall_of_tough_mentions_is_the_defined_one(case: Case) -> None:
    assert_same(of_facets(table(evaluate(case)), "tmr"), expected.of_tmr(case))


@some
@given(cases())
def test_error_rates_of_hard_tokens_are_the_defined_ones(case: Case) -> None:
    assert_same(of_facets(table(evaluate(case)), "hard", "hard-strict"), expected.of_hard(case))


@some
@given(cases())
def test_error_rates_over_io_labels_compare_types_alone(case: Case) -> None:
    found = of_facets(table(evaluate(case, token_match="io")), "hard", "hard-strict")
    assert_same(found, expected.of_hard(case, match="io"))


@some
@given(cases())
def test_error_rates_with_conlleval_repair_decode_both_sides_that_way(case: Case) -> None:
    found = of_facets(table(evaluate(case, token_repair="conlleval")), "hard", "hard-strict")
    assert_same(found, expected.of_hard(case, repair="conlleval"))


@some
@given(cases())
def test_bucket_scores_are_the_defined_ones(case: Case) -> None:
    attributes = (*naive.MENTION_ATTRIBUTES, *naive.TOKEN_ATTRIBUTES)
    assert_same(of_facets(table(evaluate(case)), *attributes), expected.of_buckets(case))


@some
@given(cases())
def test_edges_are_fitted_on_the_gold_values(case: Case) -> None:
    facets = evaluate(case).settings["facets"]
    found = {name: facet["edges"] for name, facet in facets.items()}
    assert found == {
        name: pytest.approx(edges, abs=1e-12) for name, edges in expected.edges(case).items()
    }


@many
@given(cases())
def test_no_row_is_outside_the_definitions(case: Case) -> None:
    assert_same(table(evaluate(case)), expected.whole_table(case))


@pytest.mark.parametrize("seed", range(8))
def test_larger_corpora_get_the_defined_rows_from_memory_and_from_files(seed: int) -> None:
    case = large_case(seed)
    rows = expected.whole_table(case)
    assert_same(table(evaluate(case)), rows)
    assert_same(table(evaluate_files(case, block=100 + seed)), rows)


@some
@given(cases())
def test_summary_of_a_single_run_repeats_it(case: Case) -> None:
    results = evaluate(case)
    summary = table(results)
    one = table(results, run="1")
    assert one
    assert {key: summary[key] for key in one} == one


@some
@given(case_and_second_run())
def test_summary_of_two_runs_is_their_mean_and_sample_deviation(
    given_case: tuple[Case, Corpus],
) -> None:
    case, second = given_case
    results = nerscope.evaluate(
        case.gold,
        {"sys": [nerscope.Corpus.of(case.pred), nerscope.Corpus.of(second)]},
        train=case.train,
    )
    one, two = table(results, run="1"), table(results, run="2")
    deviations = {row_key(row): row["std"] for row in results.rows if row["run"] is None}
    for key, (value, _) in table(results).items():
        values = (
            [part for part in (one[key][0], two[key][0]) if part is not None] if key in one else []
        )
        if len(values) == 2:
            assert close(value, mean(values))
            assert close(deviations[key], stdev(values))


@some
@given(cases(), st.randoms(use_true_random=False))
def test_order_of_the_sentences_does_not_matter(case: Case, random: Any) -> None:
    order = list(range(len(case.gold)))
    random.shuffle(order)
    shuffled = Case(case.train[::-1], [case.gold[i] for i in order], [case.pred[i] for i in order])
    before, after = table(evaluate(case)), table(evaluate(shuffled))
    assert_same(after, {key: Cell(value, n) for key, (value, n) in before.items()}.items())


def files(case: Case, folder: Path) -> Iterator[str]:
    for name, corpus in zip(("train", "gold", "pred"), case, strict=True):
        path = folder / f"{name}.conll"
        path.write_text(expected.corpus_text(corpus), encoding="utf-8")
        yield str(path)


def evaluate_files(case: Case, block: int) -> Results:
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        patch.setattr("nerscope.formats.blocks.BLOCK", block)
        patch.setattr("nerscope.formats.conll.BLOCK", block)
        train, gold, pred = files(case, Path(folder))
        return nerscope.evaluate(gold, {"sys": pred}, train=train)


@some
@given(cases(), st.sampled_from([17, 40, 41, 64, 200]))
def test_reading_in_tiny_chunks_gives_the_rows_of_the_corpus_in_memory(
    case: Case, block: int
) -> None:
    in_chunks, in_memory = evaluate_files(case, block), evaluate(case)
    assert table(in_chunks) == table(in_memory)
    assert in_chunks.settings["facets"] == in_memory.settings["facets"]
