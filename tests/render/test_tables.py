"""Tables: what their cells hold, and how they are written."""

import csv
import io
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.scoring.toys import corpus, drawn, noisy

import nerscope
from nerscope.compat.conlleval import conlleval_text
from nerscope.render.comparison import difference_tables, head_to_head, p_text, points, tally_table
from nerscope.render.tables import Cell, Table, overview, percent, table
from nerscope.render.writers import (
    TABLE_WRITERS,
    latex,
    markdown,
    plain_text,
    rows_as_csv,
    tables_as_csv,
    with_conditions,
)
from nerscope.results.results import Results

GOLD, TRAIN = drawn(50, seed=1), drawn(50, seed=2)


@pytest.fixture(scope="module")
def results() -> Results:
    systems: dict[str, Any] = {
        "good": noisy(GOLD, 0.05, 3),
        "bad": [noisy(GOLD, 0.5, 4), noisy(GOLD, 0.5, 5)],
    }
    return nerscope.evaluate(GOLD, systems, train=TRAIN, dataset="d")


@pytest.mark.parametrize(
    ("value", "digits", "text"),
    [
        (None, 2, "–"),
        (0.0, 2, "0.00"),
        (1.0, 2, "100.00"),
        (0.5, 2, "50.00"),
        (0.12345, 2, "12.35"),
        # never 100 unless all is right, never 0 unless nothing is
        (0.99999, 2, "99.99"),
        (0.999999, 1, "99.9"),
        (1e-9, 2, "0.01"),
        (1e-9, 1, "0.1"),
        (1 - 1e-16, 2, "99.99"),
        (0.999, 0, "99"),
    ],
)
def test_a_percentage_is_honest(value: float | None, digits: int, text: str) -> None:
    assert percent(value, digits) == text


@given(st.floats(0, 1), st.integers(0, 4))
def test_a_percentage_claims_all_or_nothing_only_if_it_is_so(value: float, digits: int) -> None:
    shown = float(percent(value, digits))
    assert (shown == 100) == (value == 1)
    assert (shown == 0) == (value == 0)
    assert abs(shown - 100 * value) <= 10.0**-digits


@pytest.mark.parametrize(
    ("p", "text"),
    [(None, "–"), (0.0, "<0.001"), (0.0009, "<0.001"), (0.001, "0.001"), (1.0, "1.000")],
)
def test_a_p_value_is_never_zero(p: float | None, text: str) -> None:
    assert p_text(p) == text


@pytest.mark.parametrize(("value", "text"), [(None, "–"), (0.0123, "+1.23"), (-0.5, "-50.00")])
def test_a_difference_has_its_sign(value: float | None, text: str) -> None:
    assert points(value) == text


def texts(one: Table) -> list[list[str]]:
    return [[cell.text for cell in row] for row in one.rows]


def test_the_best_of_a_column_is_marked(results: Results) -> None:
    exact = table(results, "exact")
    assert [row[0].text for row in exact.rows] == ["good", "bad", "n"]
    assert all(cell.best for cell in exact.rows[0][1:])
    assert not any(cell.best for cell in exact.rows[1])
    hard = table(results, "hard")
    assert hard.rows[0][1].best  # the lower error rate is the better one
    assert not any(cell.best for row in table(results, "errors").rows for cell in row)
    assert "* best of its column" in exact.notes
    assert "mean ± standard deviation over runs" in exact.notes
    assert " ± " in exact.rows[1][1].text


def test_numbers_that_were_not_asked_for_have_no_column() -> None:
    found = table(nerscope.evaluate(GOLD, {"s": GOLD}, metrics=["recall"]), "exact")
    assert found.header == ("system", "recall", "accuracy")


def test_what_a_dataset_lacks_is_undefined(results: Results) -> None:
    other = nerscope.evaluate(GOLD, {"good": GOLD}, dataset="untrained")
    rows = texts(table(Results([*results.rows, *other.rows], results.settings), "tmr"))
    assert [set(row[1:]) for row in rows if row[0].startswith("untrained")] == [{"–"}, {"–"}]


def test_small_denominators_are_marked() -> None:
    found = table(nerscope.evaluate(corpus("a/B-PER"), {"s": corpus("a/B-PER")}), "exact")
    assert texts(found)[1][1] == "1 !"
    assert any(note.startswith("! fewer than 30 units") for note in found.notes)


def test_intervals_stand_behind_the_number() -> None:
    found = nerscope.evaluate(
        GOLD, {"s": noisy(GOLD, 0.2, 3)}, intervals=nerscope.Sampling(samples=20)
    )
    row = found.select(run=None, match="exact", metric="f1", type=None)[0]
    low, high = percent(row["low"], 1), percent(row["high"], 1)
    assert texts(table(found, "exact"))[0][3] == f"{percent(row['value'])} [{low}, {high}]"


def test_several_datasets_are_named_in_the_rows(results: Results) -> None:
    other = nerscope.evaluate(GOLD, {"good": GOLD}, train=TRAIN, dataset="e")
    both = Results([*results.rows, *other.rows], results.settings)
    assert [row[0].text for row in table(both, "exact").rows] == [
        "d: good",
        "d: bad",
        "d: n",
        "e: good",
        "e: n",
    ]


def test_the_overview_shows_what_was_evaluated(results: Results) -> None:
    assert [one.title.split(":")[0] for one in overview(results)] == [
        "Exact match",
        "F1 by type",
        "F1 with partial credit",
        "Tough mentions",
        "Hard tokens",
        "Where the errors are",
        "F1 by attribute",
    ]
    bare = nerscope.evaluate(GOLD, {"s": GOLD}, facets=["type=PER"])
    assert [one.title for one in overview(bare)][-1] == "type=PER: f1"
    wide = overview(
        nerscope.evaluate(GOLD, {"s": GOLD}, facets=["eLen", "sLen"], edges={"sLen": [4]})
    )[-1]
    assert all(len(row) == len(wide.header) for row in wide.rows)
    assert any(note.startswith("sLen: S ≤ 4") for note in wide.notes)


def compared(results: Results, **options: Any) -> Any:
    return nerscope.compare(results, "good", "bad", samples=100, **options)


def test_differences_become_one_table_a_pair(results: Results) -> None:
    found = compared(results, facets=["all", "hard"], metrics=["f1", "ter"])
    (one,) = difference_tables(found.rows, found.settings)
    assert one.title == "good against bad"
    assert len(one.rows) == len(found.rows)
    assert one.header == (
        "cell",
        "match",
        "metric",
        "good",
        "bad",
        "difference",
        "95 % interval",
        "p",
        "p (holm)",
        "n",
    )
    first = [cell.text for cell in one.rows[0]]
    assert first[:3] == ["all", "exact", "f1"]
    assert first[5].startswith("+")
    cells = [row[0].text for row in one.rows]
    assert "all PER" in cells
    assert "hard=unseen" in cells
    second = [
        {**row, "dataset": "e", "low": None, "high": None, "p_corrected": None}
        for row in found.rows
    ]
    (both,) = difference_tables([*found.rows, *second], found.settings)
    assert both.header[0] == "dataset"
    assert both.rows[-1][7].text == "–"


def test_the_tally_counts_wins_losses_and_ties(results: Results) -> None:
    found = compared(results, facets=["all"], metrics=["f1"], correction="none")
    counts = found.tally("good", "bad")
    assert texts(tally_table(found.rows)) == [
        ["good", "bad", *(str(counts[name]) for name in ("win", "loss", "tie"))]
    ]
    assert counts["win"] > 0
    turned = nerscope.compare(
        results, "bad", "good", samples=100, facets=["hard"], metrics=["ter"], correction="none"
    )
    assert turned.tally("bad", "good")["loss"] > 0
    assert texts(tally_table(turned.rows))[0][3] == str(turned.tally("bad", "good")["loss"])
    undefined = [{**found.rows[0], "p_corrected": None}]
    assert texts(tally_table(undefined))[0][2:] == ["0", "0", "0"]


def test_head_to_head_names_the_winner_of_each_subset(results: Results) -> None:
    found = compared(results, facets=["all", "tmr"], metrics=["recall"])
    duel = head_to_head(found.rows)
    assert duel is not None
    assert duel.header[:3] == ("dataset", "system", "all")
    assert [cell.text for cell in duel.rows[0]][:3] == ["d", "good", "✓"]
    assert [cell.text for cell in duel.rows[1]][:3] == ["d", "bad", ""]
    assert all(
        cell.text == "N/A"
        for row in (head_to_head(found.rows, sparse=2.0) or duel).rows
        for cell in row[3:]
    )
    alone = head_to_head(compared(results, facets=["tmr"], metrics=["recall"]).rows)
    assert alone is not None
    assert [cell.text for cell in alone.rows[0]][:3] == ["d", "good", "–"]
    assert head_to_head(compared(results, facets=["all"], metrics=["recall"]).rows) is None


TABLE = Table(
    "A & B",
    ("system", "F1", "word"),
    ((Cell("a|b"), Cell("1.0", best=True), Cell("50 %")), (Cell("x_y"), Cell("–"), Cell("ab<c"))),
    ("* best", "note: 5 ± 1"),
)


def test_markdown_escapes_bars_and_marks_the_best() -> None:
    assert markdown([TABLE]) == (
        "### A & B\n\n| system | F1 | word |\n| --- | ---: | --- |\n"
        "| a\\|b | **1.0** | 50 % |\n| x_y | – | ab<c |\n\nnote: 5 ± 1\n"
    )


def test_latex_escapes_what_it_must() -> None:
    found = latex([TABLE])
    assert "\\caption{A \\& B. note: 5 $\\pm$ 1.}" in found
    assert "\\begin{tabular}{lrl}" in found
    assert "\\textbf{1.0} & 50 \\%" in found
    assert "x\\_y & -- & ab$<$c \\\\" in found


def test_csv_has_the_title_before_every_line() -> None:
    rows = list(csv.reader(io.StringIO(tables_as_csv([TABLE]))))
    assert rows == [
        ["table", "system", "F1", "word"],
        ["A & B", "a|b", "1.0", "50 %"],
        ["A & B", "x_y", "–", "ab<c"],
    ]


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_plain_text_is_aligned_and_coloured_only_on_a_terminal() -> None:
    plain = plain_text([TABLE])
    assert str(TABLE) == plain
    assert "1.0*" in plain
    assert "\x1b[" not in plain
    assert "  note: 5 ± 1" in plain
    assert "\x1b[" in plain_text([TABLE], Terminal())
    assert set(TABLE_WRITERS) == {"text", "markdown", "latex", "csv"}


def test_rows_as_csv_carry_the_signature_and_leave_undefined_empty(results: Results) -> None:
    rows = list(csv.DictReader(io.StringIO(rows_as_csv(results))))
    assert len(rows) == len(results.rows)
    assert {row["signature"] for row in rows} == {results.signature}
    empty = next(place for place, row in enumerate(results.rows) if row["value"] is None)
    assert rows[empty]["value"] == ""
    assert float(rows[0]["value"]) == results.rows[0]["value"]


@pytest.mark.parametrize(
    ("form", "before"),
    [("text", "signature: "), ("markdown", "\n`signature: "), ("latex", "% signature: ")],
)
def test_conditions_stand_below_the_tables(form: str, before: str) -> None:
    broken = nerscope.Corpus.of(corpus("a/I-PER b"), scheme="bio")
    results = nerscope.evaluate(corpus("a/B-PER b"), {"s": broken})
    found = with_conditions("TABLES\n", form, results)
    assert found.startswith(f"TABLES\n\n{before}scheme:bio|" if form != "markdown" else "TABLES\n")
    assert f"{before}scheme:bio" in found
    assert (
        "note: <memory>:1: 1 transition not allowed in bio, repaired as conlleval: I-PER after"
        in found
    )


def test_conlleval_text_is_that_of_the_script() -> None:
    gold, pred = (
        corpus("Ada/B-PER Lee/I-PER in Oslo/B-LOC", "Bob/B-PER"),
        corpus("Ada/B-PER Lee in Oslo/B-LOC", "Bob/B-MISC"),
    )
    assert conlleval_text(nerscope.evaluate(gold, {"s": pred})) == (
        "processed 5 tokens with 3 phrases; found: 3 phrases; correct: 1.\n"
        "accuracy:  60.00%; precision:  33.33%; recall:  33.33%; FB1:  33.33\n"
        "              LOC: precision: 100.00%; recall: 100.00%; FB1: 100.00  1\n"
        "             MISC: precision:   0.00%; recall:   0.00%; FB1:   0.00  1\n"
        "              PER: precision:   0.00%; recall:   0.00%; FB1:   0.00  1\n"
    )


def test_conlleval_text_of_several_runs_and_datasets_has_a_block_each() -> None:
    gold = corpus("a/B-PER")
    first = nerscope.evaluate(gold, {"s": [gold, corpus("a")]}, dataset="d")
    second = nerscope.evaluate(corpus("a/B-PER", "b"), {"s": corpus("a", "b")}, dataset="e")
    both = conlleval_text(Results([*first.rows, *second.rows]))
    blocks = both.split("\n\n")
    assert [block.split("\n")[0] for block in blocks] == ["d s 1", "d s 2", "e s 1"]
    assert "processed 2 tokens" in blocks[2]
