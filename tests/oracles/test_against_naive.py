"""Every row of the package's table, against the slow reading of the definitions."""

import tempfile
from collections.abc import Iterable, Iterator
from fractions import Fraction
from pathlib import Path
from statistics import mean, stdev
from typing import Any, BinaryIO

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.oracles import expected, naive
from tests.oracles.expected import Cell, Key, Row
from tests.oracles.naive import Corpus
from tests.oracles.strategies import Case, case_and_second_run, cased, cases, large_case

import nerscope
from nerscope.results.results import Results
from nerscope.results.rows import Row as ResultRow

many = settings(max_examples=150, deadline=None)
some = settings(max_examples=60, deadline=None)
HARD = ("hard", "hard-strict")
Table = dict[Key, tuple[float | None, int]]


def evaluate(case: Case, /, **options: Any) -> Results:
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


@pytest.mark.slow
@many
@given(cases(), st.sampled_from([17, 40, 41, 64, 200]))
def test_every_row_is_the_defined_one_and_no_other_is_there(case: Case, block: int) -> None:
    rows = expected.whole_table(case)
    results = evaluate(case)
    assert_same(table(results), rows)
    assert_edges_are_fitted(case, results)
    one = table(results, run="1")
    assert one == table(results), "the summary of a single run repeats it"
    in_chunks = evaluate_files(case, block)
    assert table(in_chunks) == table(results), "chunks of a file add up to the corpus in memory"
    assert in_chunks.settings["facets"] == results.settings["facets"]


def assert_edges_are_fitted(case: Case, results: Results) -> None:
    found = {name: facet["edges"] for name, facet in results.settings["facets"].items()}
    assert found == {
        name: pytest.approx(edges, abs=1e-12) for name, edges in expected.edges(case).items()
    }


@pytest.mark.slow(quick=1)
@pytest.mark.parametrize("seed", range(8))
def test_larger_corpora_get_the_defined_rows_from_memory_and_from_files(seed: int) -> None:
    case = large_case(seed)
    rows = expected.whole_table(case)
    assert_same(table(evaluate(case)), rows)
    assert_same(table(evaluate_files(case, block=100 + seed)), rows)


def folded_rows(case: Case) -> list[Row]:
    """Facets compare casefolded tokens; everything else, surface F1 too, compares them as written.

    Facets that do not look at training (lengths, densities) do not look at case either.
    """
    folded = Case(*map(naive.without_case, case))
    overall = [(key, cell) for key, cell in expected.whole_table(case) if key.facet == "all"]
    by_facet = [(key, cell) for key, cell in expected.whole_table(folded) if key.facet != "all"]
    return [*overall, *by_facet]


@some
@given(cases().flatmap(cased))
def test_facets_compare_tokens_without_case_if_asked(case: Case) -> None:
    assert_same(table(evaluate(case, case="fold")), folded_rows(case))
    assert_same(table(evaluate(case)), expected.whole_table(case))


@some
@given(cases())
def test_error_rates_follow_the_chosen_repair_and_comparison(case: Case) -> None:
    # Over io labels types alone are compared; conlleval decodes both sides that way.
    for match, repair in [("io", "strict"), ("bilou", "conlleval")]:
        results = evaluate(case, facets=HARD, token_match=match, token_repair=repair)
        wanted = expected.of_hard(case, match=match, repair=repair)
        assert_same(of_facets(table(results), *HARD), wanted)


@some
@given(cases(), st.tuples(*[st.sampled_from(["iob1", "bioes", "bilou"])] * 3))
def test_the_same_mentions_have_the_same_numbers_in_every_scheme(
    case: Case, schemes: tuple[str, str, str]
) -> None:
    in_bio = Case(*(naive.respelt(corpus, "bio") for corpus in case))
    mixed = Case(*(naive.respelt(*part) for part in zip(case, schemes, strict=True)))
    before, after = table(evaluate(in_bio)), table(evaluate(mixed))
    accuracy = Key("token", "all", "all", None, "label", "accuracy")  # this one is about labels
    assert after.pop(accuracy)[1] == before.pop(accuracy)[1]
    assert_same(after, {key: Cell(value, n) for key, (value, n) in before.items()}.items())


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
        facets=["tmr", "hard", "eCon"],
    )
    one, two = table(results, run="1"), table(results, run="2")
    summary = table(results)
    assert summary.keys() == one.keys() == two.keys()
    deviations = {row_key(row): row["std"] for row in results.rows if row["run"] is None}
    for key, (value, _) in summary.items():
        values = [part for part in (one[key][0], two[key][0]) if part is not None]
        assert close(value, mean(values) if values else None)
        assert close(deviations[key], stdev(values) if len(values) == 2 else None)


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
    """Evaluate files that are read in blocks of so many bytes."""

    def load(stream: BinaryIO, name: str, size: int = block) -> bytes:
        return stream.read(size)

    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        patch.setattr("nerscope.formats.files.read_some", load)
        patch.setattr("nerscope.formats.columns.column_file.BLOCK", block)
        train, gold, pred = files(case, Path(folder))
        return nerscope.evaluate(gold, {"sys": pred}, train=train)
