"""Tables: what their cells hold, and headings that say what they show."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.scoring.toys import corpus, drawn, noisy

import nerscope
from nerscope.errors import UsageError
from nerscope.facets.facet import FACETS
from nerscope.render.comparison import (
    changes_document,
    comparison_document,
    difference_tables,
    head_to_head,
    tally_table,
)
from nerscope.render.diagnosis import diagnosis_document
from nerscope.render.document import (
    OUTPUTS,
    Cell,
    Document,
    Table,
    metric_title,
    p_text,
    percent,
    points,
)
from nerscope.render.outputs.conlleval import conlleval_text
from nerscope.render.summary import summary_document
from nerscope.render.tables import overview, results_document, table
from nerscope.results.results import Results

GOLD, TRAIN = drawn(50, seed=1), drawn(50, seed=2)


@pytest.fixture(scope="module")
def results() -> Results:
    systems: dict[str, Any] = {
        "good": noisy(GOLD, 0.05, 3),
        "bad": [noisy(GOLD, 0.5, 4), noisy(GOLD, 0.5, 5)],
    }
    return nerscope.evaluate(GOLD, systems, train=TRAIN, dataset="d")


def joined(*parts: Results) -> Results:
    """Several datasets as one."""
    return Results(
        [one for part in parts for one in part.evidence],
        rows=[row for part in parts for row in part.rows],
    )


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
    def header(*metrics: str) -> tuple[str, ...]:
        return table(nerscope.evaluate(GOLD, {"s": GOLD}, metrics=metrics), "exact").header

    assert header("recall") == ("system", "recall")
    assert header("recall", "accuracy") == ("system", "recall", "accuracy")


def test_what_a_dataset_lacks_is_undefined(results: Results) -> None:
    other = nerscope.evaluate(GOLD, {"good": GOLD}, dataset="untrained")
    rows = texts(table(joined(results, other), "tmr"))
    untrained = [row for row in rows if row[0].startswith("untrained")]
    assert [set(row[2:]) for row in untrained] == [{"–"}, {"–"}]
    assert untrained[0][1] == "100.00"  # recall on all mentions needs no training data


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
    both = joined(results, other)
    assert [row[0].text for row in table(both, "exact").rows] == [
        "d: good",
        "d: bad",
        "d: n",
        "e: good",
        "e: n",
    ]


def test_the_overview_shows_what_was_evaluated(results: Results) -> None:
    assert [one.title for one in overview(results)] == [
        "Exact match",
        "F1 by type",
        "F1 with partial credit",
        "Tough mentions: recall",
        "Hard tokens: token error rate (lower is better)",
        "Where the errors are: share of all wrong tokens",
        "F1 by attribute",
    ]
    wide = overview(
        nerscope.evaluate(GOLD, {"s": GOLD}, facets=["eLen", "sLen"], edges={"sLen": [4]})
    )[-1]
    assert all(len(row) == len(wide.header) for row in wide.rows)
    assert any(note.startswith("sLen: S ≤ 4") for note in wide.notes)


@pytest.mark.parametrize(
    ("options", "titles"),
    [
        ({"facets": ["type=PER"]}, ["type=PER: F1"]),
        ({"facets": ["tmr & type=PER"]}, ["tmr & type=PER: recall"]),
        ({"facets": ["eLen"], "metrics": ["recall"]}, ["Recall by attribute"]),
        ({"facets": ["eLen"], "matches": ["left"]}, ["F1 by attribute, by left"]),
        ({"facets": ["tmr"], "matches": ["left"]}, ["Tough mentions: recall by left"]),
        ({"facets": ["tmr"], "metrics": ["precision"]}, ["Tough mentions: precision"]),
        ({"facets": ["hard"], "token_match": "io"}, ["Where the errors are: share of all wrong"]),
    ],
)
def test_headings_say_what_a_table_shows(options: dict[str, Any], titles: list[str]) -> None:
    found = overview(nerscope.evaluate(GOLD, {"s": GOLD}, train=TRAIN, **options))
    for wanted, one in zip(titles, found[-len(titles) :], strict=True):
        assert one.title.startswith(wanted)


@pytest.mark.parametrize(
    ("options", "name", "title"),
    [
        ({"metrics": ["recall"]}, "types", "Recall by type"),
        ({"metrics": ["recall"]}, "partial", "Recall with partial credit"),
        ({}, "pairs", "Pairs of each match"),
        ({"facets": ["eLen"]}, "eLen", "eLen: F1"),
        ({"facets": ["hard-strict"]}, "hard-strict", "Hard tokens, strictly"),
    ],
)
def test_a_table_by_name_has_the_heading_of_what_it_shows(
    options: dict[str, Any], name: str, title: str
) -> None:
    found = nerscope.evaluate(GOLD, {"s": noisy(GOLD, 0.2, 3)}, train=TRAIN, **options)
    assert found.table(name).title.startswith(title)


@pytest.mark.parametrize(
    ("name", "at_start", "text"),
    [
        ("f1", False, "F1"),
        ("macro_f1", False, "macro F1"),
        ("weighted_recall", True, "Weighted recall"),
        ("ter", True, "Token error rate"),
        ("f(beta=0.5)", True, "F(beta=0.5)"),
    ],
)
def test_a_metric_is_called_by_its_name(name: str, at_start: bool, text: str) -> None:
    assert metric_title(name, at_start) == text


def test_counts_are_shown_as_numbers_and_not_in_percent() -> None:
    gold, pred = corpus("a/B-PER b/I-PER c"), corpus("a/B-PER b c/B-PER")
    shown = table(nerscope.evaluate(gold, {"s": pred}), "pairs")
    row = dict(zip(shown.header, [cell.text for cell in shown.rows[0]], strict=True))
    assert row["left: partial"] == "1"
    assert row["left: spurious"] == "1"
    assert row["left: partial share"] == "100.00"


def test_a_facet_is_called_by_its_title(monkeypatch: pytest.MonkeyPatch) -> None:
    FACETS.load()  # what is loaded during the test would be gone with it
    monkeypatch.setattr(FACETS, "_things", dict(FACETS._things))
    facet = nerscope.Facet(
        "even",
        "mention",
        {"yes": (0,), "no": (1,)},
        lambda view: np.arange(len(view.mentions)) % 2,
        title="Every other mention",
    )
    nerscope.register_facet(facet)
    found = nerscope.evaluate(GOLD, {"s": GOLD}, facets=["even"])
    assert overview(found)[-1].title == "Every other mention: F1"
    assert Results.from_json(found.to_json()).table("even").title == "Every other mention: F1"


def test_buckets_that_differ_between_datasets_are_named_for_each() -> None:
    parts = [
        nerscope.evaluate(GOLD, {"s": GOLD}, dataset=name, facets=["eLen"], edges={"eLen": [edge]})
        for name, edge in (("d", 1), ("e", 2))
    ]
    notes = table(joined(*parts), "eLen").notes
    assert [note for note in notes if note.startswith("eLen")] == [
        "eLen: d S ≤ 1, L > 1",
        "eLen: e S ≤ 2, L > 2",
    ]
    assert sum(note.startswith("eLen") for note in table(parts[0], "eLen").notes) == 1


def test_a_document_of_results_says_all_that_holds_for_them(results: Results) -> None:
    found = results_document(results)
    assert [one.title for one in found.tables] == [one.title for one in overview(results)]
    assert (found.signature, found.results) == (results.signature, results)
    assert found.records == results.rows
    assert len(found.notes) == len(results.losses) > 0
    only = results_document(results, [results.table("exact")])
    assert [one.title for one in only.tables] == ["Exact match"]


def compared(results: Results, **options: Any) -> Any:
    return nerscope.compare(results, "good", "bad", samples=100, **options)


def test_differences_become_one_table_a_pair(results: Results) -> None:
    found = compared(results, facets=["all", "hard"], metrics=["f1", "ter"])
    (one,) = difference_tables(found.rows, found.settings)
    assert one.title == "good against bad"
    assert len(one.rows) == len(found.rows)
    assert one.header == (
        "cell",
        "metric",
        "good",
        "bad",
        "difference",
        "95 % interval",
        "p",
        "corrected p",
        "n",
        "differ",
    )
    first = [cell.text for cell in one.rows[0]]
    assert first[:2] == ["all", "f1"]
    assert first[4].startswith("+")
    assert "left f1" in {row[1].text for row in one.rows}
    cells = [row[0].text for row in one.rows]
    assert "all PER" in cells
    assert "hard=unseen" in cells
    second = [
        replace(row, dataset="e", low=None, high=None, p_corrected=None) for row in found.rows
    ]
    (both,) = difference_tables([*found.rows, *second], found.settings)
    assert both.header[0] == "dataset"
    assert both.rows[-1][6].text == "–"


def test_the_tally_counts_wins_losses_and_ties(results: Results) -> None:
    found = compared(results, facets=["all"], metrics=["f1"], correction="none")
    counts = found.tally("good", "bad")
    assert texts(tally_table(found.rows)) == [
        ["good", "bad", *(str(counts[name]) for name in ("win", "loss", "undecided"))]
    ]
    assert counts["win"] > 0
    turned = nerscope.compare(
        results, "bad", "good", samples=100, facets=["hard"], metrics=["ter"], correction="none"
    )
    assert turned.tally("bad", "good")["loss"] > 0
    assert texts(tally_table(turned.rows))[0][3] == str(turned.tally("bad", "good")["loss"])
    undefined = [replace(found.rows[0], p_corrected=None)]  # or untested: nothing can be told
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


def test_head_to_head_by_type_leaves_out_what_is_rare_among_all_mentions(results: Results) -> None:
    found = compared(results, facets=["all", "tmr"], metrics=["recall"], by_type=True)
    duel = head_to_head(found.rows)
    assert duel is not None and duel.header[:4] == ("dataset", "type", "system", "all")
    kinds = [row[1].text for row in duel.rows[::2]]
    assert kinds == ["all", *sorted(kinds[1:])] and len(kinds) > 2
    n = {(row.type or "all", row.level): row.n for row in found.rows if row.facet == "tmr"}
    differences = {
        (row.type or "all", row.level): row.difference for row in found.rows if row.facet == "tmr"
    }
    all_mentions = n["all", "seen"] + n["all", "unseen-any"]
    share = sorted(n.values())[len(n) // 2] / all_mentions
    mine = head_to_head(found.rows, share)
    alone = [row for row in found.rows if row.type == kinds[1]]
    assert mine is not None
    for row in mine.rows:
        for level, cell in zip(mine.header[4:], row[4:], strict=True):
            key = row[1].text, level
            rare = n[key] < share * all_mentions or differences[key] is None
            assert (cell.text == "N/A") == rare, key
    narrowed = head_to_head(alone, share, {"d": all_mentions})
    assert narrowed is not None
    assert [texts_of(row) for row in narrowed.rows] == [texts_of(row) for row in mine.rows[2:4]]


def texts_of(row: Sequence[Cell]) -> list[str]:
    return [cell.text for cell in row]


def test_tough_mentions_stand_beside_recall_on_all_mentions(results: Results) -> None:
    shown = table(results, "tmr")
    assert shown.header[1] == "all"
    value = results.value(system="good", metric="recall")
    assert value is not None and shown.rows[0][1].text == f"{100 * value:.2f}"


def test_partial_credit_has_the_gain_over_exact_match(results: Results) -> None:
    shown = table(results, "partial")
    for name in ("left", "right", "overlap"):
        place = shown.header.index(f"{name} gain")
        for row in shown.rows[:-1]:
            values = [
                results.value(system=row[0].text, metric="f1", match=m) for m in (name, "exact")
            ]
            assert values[0] is not None and values[1] is not None
            assert row[place].text == f"{100 * (values[0] - values[1]):+.2f}"
    assert "exact gain" not in shown.header


def test_without_exact_match_the_first_table_is_of_the_first_match() -> None:
    found = nerscope.evaluate(GOLD, {"s": noisy(GOLD, 0.2, 3)}, matches=["overlap", "left"])
    shown = table(found, "exact")
    assert shown.title == "Scores by overlap"
    assert shown.header[1:4] == ("precision", "recall", "F1")
    value = found.value(metric="f1", match="overlap")
    assert value is not None and shown.rows[0][3].text == f"{100 * value:.2f}"
    first = summary_document(found).tables[0]
    assert (
        first.title.startswith("Scores by overlap")
        and first.rows[0][3].text[:3] == f"{100 * value:.2f}"[:3]
    )
    assert table(found, "types").title == "F1 by type by overlap"


def test_a_comparison_becomes_a_document(results: Results) -> None:
    found = compared(results, facets=["all", "tmr"], metrics=["f1", "recall"])
    whole = comparison_document(found, "SIGNATURE", cells=True)
    assert [one.title for one in whole.tables] == [
        "Runs",
        "Wins and losses over the cells shown",
        "Tough mentions, head to head",
        "good against bad",
    ]
    assert whole.data == found.as_dict()
    assert (whole.records, list(whole.notes)) == (found.rows, found.notes)
    assert whole.signature is not None
    assert whole.signature.startswith("method:randomisation|correction:step-down|resample:")
    assert whole.signature.endswith("|SIGNATURE")
    short = comparison_document(found, "SIGNATURE")
    assert [one.title for one in short.tables] == [
        "Runs",
        "good against bad, where",
        "good against bad, by type",
    ]


def test_changes_become_a_document(results: Results) -> None:
    found = changes_document(results, "good", "bad")
    assert [one.title for one in found.tables] == ["From good to bad: mentions by facet and level"]
    assert {one["change"] for one in found.data["mentions"]} <= {"fixed", "broken"}
    assert found.records == found.data["mentions"]
    assert sum(line == "" for line in found.lines) == len(found.data["mentions"])


@pytest.mark.parametrize(
    ("record", "spearman", "std"),
    [
        # the correlation by the trend and against chance, the spread by any effect
        ({"p_trend": 0.01, "p": 0.3}, "0.5", "(0.250)"),
        ({"p_trend": 0.3, "p": 0.01}, "(0.500)", "0.25"),
        ({"p_trend": 0.01, "p": 0.01, "spearman_noise": 0.6}, "(0.500)", "0.25"),
        # what cannot be tested
        ({"p_trend": None, "p": None, "spearman_noise": None}, "(0.500)", "(0.250)"),
    ],
)
def test_numbers_that_may_be_chance_are_in_parentheses(
    record: dict[str, Any], spearman: str, std: str
) -> None:
    row = {
        "system": "s",
        "spearman": 0.5,
        "std": 0.25,
        "spearman_noise": 0.4,
        **record,
        "significant_trend": (record["p_trend"] or 1.0) < 0.05,
        "significant": (record["p"] or 1.0) < 0.05,
        "test": "sign flips of documents",
    }
    views: dict[str, Any] = {"model-wise": [row], "notes": [{"note": "too few documents"}]}
    found = diagnosis_document(views)
    (one,) = found.tables
    assert not {"significant", "significant_trend", "test"} & set(one.header)
    assert [cell.text for cell in one.rows[0][1:3]] == [spearman, std]
    assert (found.data, list(found.notes)) == (views, ["too few documents"])
    assert "tests: sign flips of documents" in found.lines


def test_the_tests_of_the_paper_come_with_how_often_they_are_wrong() -> None:
    row = {"dataset": "d", "attribute": "eLen", "rho": 0.5, "interpreteval_p": 0.01}
    row |= {"interpreteval_test": "Friedman, exact", "interpreteval_blocks": 7}
    views: dict[str, Any] = {"attribute-wise": [row], "notes": []}
    found = diagnosis_document(views, paper=True)
    assert [cell.text for cell in found.tables[0].rows[0][3:]] == [
        "0.01",
        "Friedman, exact, 7 blocks",
    ]
    said = " ".join(found.lines)
    assert "on attributes that mean nothing" in said and "%" in said
    assert "on attributes that mean nothing" not in " ".join(diagnosis_document(views).lines)


@pytest.mark.slow
def test_a_diagnosis_fits_on_two_screens_unless_everything_is_asked_for() -> None:
    gold = drawn(60, seed=1)
    systems = {name: noisy(gold, 0.1, place) for place, name in enumerate("abcdefgh")}
    results = nerscope.evaluate(gold, systems, train=drawn(60, seed=2))
    views = nerscope.diagnose(results)
    digest, whole = diagnosis_document(views), diagnosis_document(views, everything=True)
    assert len(OUTPUTS["text"](digest).splitlines()) <= 62
    assert len(OUTPUTS["text"](whole).splitlines()) > 300
    assert digest.data == whole.data == views
    assert "(the strongest 8 of " in digest.tables[1].title


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
    both = conlleval_text(joined(first, second))
    blocks = both.split("\n\n")
    assert [block.split("\n")[0] for block in blocks] == ["d s 1", "d s 2", "e s 1"]
    assert "processed 2 tokens" in blocks[2]


def test_conlleval_is_an_output_for_results_and_nothing_else(results: Results) -> None:
    assert OUTPUTS["conlleval"](results_document(results)) == conlleval_text(results)
    with pytest.raises(UsageError, match="there are no exact scores to show"):
        OUTPUTS["conlleval"](Document())
