"""Tables: what their cells hold, and headings that say what they show."""

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
from nerscope.render.changes import changes_document
from nerscope.render.comparison import comparison_document, difference_tables
from nerscope.render.diagnosis import diagnosis_document
from nerscope.render.document import (
    OUTPUTS,
    Document,
    Table,
    metric_title,
    p_text,
    percent,
    points,
)
from nerscope.render.first_screen import first_screen
from nerscope.render.head_to_head import head_to_head, tally_table
from nerscope.render.layout import SCREEN_LINES
from nerscope.render.outputs.conlleval import conlleval_text
from nerscope.render.tables import overview, results_document, table
from nerscope.results.results import Results
from nerscope.results.terms import bucket_ranges

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


def codes(one: Table) -> list[str]:
    """The levels that are the lines of a table."""
    return [row[one.labels - 1].code or row[one.labels - 1].text for row in one.rows]


def test_the_best_system_is_marked(results: Results) -> None:
    exact = table(results, "exact")
    assert [row[0].text for row in exact.rows] == ["good", "bad", "n"]
    assert all(cell.best for cell in exact.rows[0][1:])
    assert not any(cell.best for cell in exact.rows[1])
    hard = table(results, "hard")
    assert hard.header == ("group", "good", "bad", "n")
    assert hard.rows[0][1].best  # the lower error rate is the better one
    assert not any(cell.best for row in table(results, "errors").rows for cell in row)
    assert "* best system" in exact.notes
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
    untrained = [row for row in rows if row[0] == "untrained"]
    assert untrained[0][1:3] == ["all mentions", "100.00"]  # it needs no training data
    assert {tuple(row[2:]) for row in untrained[1:]} == {("–", "–", "–")}


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
    exact, tough = table(both, "exact"), table(both, "tmr")
    assert (exact.header[:2], exact.labels) == (("dataset", "system"), 2)
    assert [row[:2] for row in texts(exact)] == [
        ["d", "good"],
        ["d", "bad"],
        ["d", "n"],
        ["e", "good"],
        ["e", "n"],
    ]
    assert tough.header == ("dataset", "group", "good", "bad", "n")
    assert {row[3] for row in texts(tough) if row[0] == "e"} == {"–"}  # bad is not on e


def test_the_overview_shows_what_was_evaluated(results: Results) -> None:
    assert [one.title for one in overview(results)] == [
        "Exact match",
        "F1 by type",
        "F1 with partial credit",
        "Tough mentions: recall",
        "Hard tokens: token error rate (lower is better)",
        "Share of all wrong tokens",
        "F1 by attribute",
    ]
    found = nerscope.evaluate(GOLD, {"s": GOLD}, facets=["eLen", "sLen"], edges={"sLen": [4]})
    attributes = overview(found)[-1]
    assert [attributes.shown(row[0]) for row in attributes.rows[-2:]] == [
        "sentence length: up to 4 tokens (sLen=S)",
        "sentence length: 5 tokens or more (sLen=L)",
    ]
    assert "sLen: S ≤ 4, L > 4" in replace(attributes, codes=True).all_notes
    assert not any("sLen" in note for note in attributes.all_notes)  # words need no legend


@pytest.mark.parametrize(
    ("options", "titles"),
    [
        ({"facets": ["type=PER"]}, ["type=PER: F1"]),
        ({"facets": ["tmr & type=PER"]}, ["tmr & type=PER: recall"]),
        ({"facets": ["eLen"], "metrics": ["recall"]}, ["Recall by attribute"]),
        ({"facets": ["eLen"], "matches": ["left"]}, ["F1 by attribute, left match"]),
        ({"facets": ["tmr"], "matches": ["left"]}, ["Tough mentions: recall, left match"]),
        ({"facets": ["tmr"], "metrics": ["precision"]}, ["Tough mentions: precision"]),
        ({"facets": ["hard"], "token_match": "io"}, ["Share of all wrong tokens"]),
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
        ({"facets": ["eLen"]}, "eLen", "Mention length (eLen): F1"),
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
    counts = {row[0]: row[1] for row in texts(shown)}
    assert counts["left: partial"] == "1"
    assert counts["left: spurious"] == "1"
    assert counts["left: partial share"] == "100.00"


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
    both = table(joined(*parts), "eLen")
    assert [(row[0].text, both.shown(row[1])) for row in both.rows] == [
        ("d", "1 token (S)"),
        ("d", "2 tokens or more (L)"),
        ("e", "up to 2 tokens (S)"),
        ("e", "3 tokens or more (L)"),
    ]
    assert both.code_notes == ("eLen: d S ≤ 1, L > 1", "eLen: e S ≤ 2, L > 2")
    assert len(table(parts[0], "eLen").code_notes) == 1


def test_codes_stand_behind_the_words_or_alone(results: Results) -> None:
    tough = table(results, "tmr")
    assert tough.shown(tough.rows[3][0]) == "mentions whose text is new (unseen-tokens)"
    alone = replace(tough, codes=True)
    assert alone.shown(alone.rows[3][0]) == "unseen-tokens"
    for form in ("text", "markdown", "latex", "html", "csv"):
        words, only = OUTPUTS[form](Document([tough])), OUTPUTS[form](Document([alone]))
        assert "mentions whose text is new" in words and "unseen-tokens" in words
        assert "mentions whose text is new" not in only and "unseen-tokens" in only


def test_a_document_of_results_says_all_that_holds_for_them(results: Results) -> None:
    found = results_document(results)
    assert [one.title for one in found.tables] == [one.title for one in overview(results)]
    assert (found.signature, found.results) == (results.signature, results)
    assert found.records == results.rows
    kinds = {note["kind"] for note in results.losses}
    assert len(found.notes) == len(kinds) < len(results.losses) == len(found.every_note or ())
    only = results_document(results, [results.table("exact")])
    assert [one.title for one in only.tables] == ["Exact match"]


def compared(results: Results, **options: Any) -> Any:
    return nerscope.compare(results, "good", "bad", samples=100, **options)


def test_differences_become_one_table_per_pair(results: Results) -> None:
    found = compared(results, facets=["all", "hard"], metrics=["f1", "ter"])
    (one,) = difference_tables(found)
    assert one.title == "good against bad"
    assert len(one.rows) == len([row for row in found.rows if row.n])  # no line without units
    assert one.header == (
        *("number", "good", "bad", "better by", "95 % interval"),
        *("p", "corrected p", "n", "differ"),
    )
    numbers = [one.shown(row[0]) for row in one.rows]
    assert numbers[0] == "F1"
    assert {"left F1", "F1 on type PER"} <= set(numbers)
    assert "token error rate on other words (hard=other)" in numbers
    second = [
        replace(row, dataset="e", low=None, high=None, p_corrected=None) for row in found.rows
    ]
    (both,) = difference_tables(replace(found, rows=[*found.rows, *second]))
    assert both.header[0] == "dataset"
    assert both.rows[-1][5].text == "–"


def test_better_is_positive_for_every_metric(results: Results) -> None:
    found = compared(results, facets=["all", "hard"], metrics=["f1", "ter"])
    (one,) = difference_tables(found)
    for row, cells in zip([row for row in found.rows if row.n], texts(one), strict=True):
        if row.difference:
            is_better = (row.difference < 0) if row.metric == "ter" else (row.difference > 0)
            assert cells[3].startswith("+" if is_better else "-"), cells
    rates = [row for row in found.rows if row.metric == "ter" and row.low is not None]
    assert rates
    for row in rates:
        assert row.gain.value == -row.difference
        assert (row.gain.low, row.gain.high) == (-row.high, -row.low)


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
    (duel,) = head_to_head(found.rows)
    assert duel.header == ("group", "good", "bad")
    assert texts(duel)[0] == ["all mentions", "✓", ""]
    (rare,) = head_to_head(found.rows, sparse=2.0)
    assert {cell.text for row in rare.rows for cell in row[1:]} == {"N/A"}
    (alone,) = head_to_head(compared(results, facets=["tmr"], metrics=["recall"]).rows)
    assert texts(alone)[0] == ["all mentions", "–", "–"]
    assert head_to_head(compared(results, facets=["all"], metrics=["recall"]).rows) == []


def test_head_to_head_by_type_leaves_out_what_is_rare_among_all_mentions(results: Results) -> None:
    found = compared(results, facets=["all", "tmr"], metrics=["recall"], by_type=True)
    (duel,) = head_to_head(found.rows)
    assert duel.header == ("type", "group", "good", "bad")
    kinds = list(dict.fromkeys(row[0].text for row in duel.rows))
    assert kinds == ["all", *sorted(kinds[1:])] and len(kinds) > 2
    n = {(row.type or "all", row.level): row.n for row in found.rows if row.facet == "tmr"}
    differences = {
        (row.type or "all", row.level): row.difference for row in found.rows if row.facet == "tmr"
    }
    all_mentions = n["all", "seen"] + n["all", "unseen-any"]
    share = sorted(n.values())[len(n) // 2] / all_mentions
    (mine,) = head_to_head(found.rows, share)
    for row in mine.rows:
        key = row[0].text, row[1].code
        if key in n:  # not the line of all mentions
            rare = n[key] < share * all_mentions or differences[key] is None
            assert {cell.text == "N/A" for cell in row[2:]} == {rare}, key
    alone = [row for row in found.rows if row.type == kinds[1]]
    (narrowed,) = head_to_head(alone, share, {"d": all_mentions})
    of_type = [row for row in texts(mine) if row[0] == kinds[1]]
    assert texts(narrowed) == of_type


def test_tough_mentions_stand_below_recall_on_all_mentions(results: Results) -> None:
    shown = table(results, "tmr")
    value = results.value(system="good", metric="recall")
    assert value is not None and texts(shown)[0][:2] == ["all mentions", f"{100 * value:.2f}"]
    assert codes(shown)[1:3] == ["seen", "unseen-any"]


def test_partial_credit_has_the_gain_over_exact_match(results: Results) -> None:
    shown = table(results, "partial")
    lines = {row[0].code: row for row in shown.rows}
    for name in ("left", "right", "overlap"):
        for system, cell in zip(("good", "bad"), lines[name][1:], strict=False):
            values = [results.value(system=system, metric="f1", match=m) for m in (name, "exact")]
            assert values[0] is not None and values[1] is not None
            assert cell.text.endswith(f" ({100 * (values[0] - values[1]):+.2f})")
    assert "(" not in lines["exact"][1].text


def test_without_exact_match_the_first_table_is_of_the_first_match() -> None:
    found = nerscope.evaluate(GOLD, {"s": noisy(GOLD, 0.2, 3)}, matches=["overlap", "left"])
    shown = table(found, "exact")
    assert shown.title == "Scores: overlap match"
    assert shown.header[1:4] == ("precision", "recall", "F1")
    value = found.value(metric="f1", match="overlap")
    assert value is not None and shown.rows[0][3].text == f"{100 * value:.2f}"
    first = first_screen(found).tables[0]
    assert first.title == "s on gold: overlap match"
    assert first.rows[0][3].text == f"{100 * value:.2f}"
    assert table(found, "types").title == "F1 by type, overlap match"


def test_a_comparison_becomes_a_document(results: Results) -> None:
    found = compared(results, facets=["all", "tmr"], metrics=["f1", "recall"])
    whole = comparison_document(found, "SIGNATURE", cells=True)
    assert [one.title for one in whole.tables] == [
        "Runs",
        "Numbers on which each system is better",
        "Tough mentions, head to head: good against bad",
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
        "Where they differ: good against bad",
        "By type: good against bad",
    ]


def test_changes_become_a_document(results: Results) -> None:
    found = changes_document(results, "good", "bad")
    (counts,) = found.tables
    assert counts.title == "From good to bad: gold mentions by what became of them"
    assert counts.header == ("group", "fixed", "broken", "both wrong", "both right")
    assert {one["change"] for one in found.data["mentions"]} <= {"fixed", "broken"}
    assert found.records == found.data["mentions"]
    assert sum(line == "" for line in found.lines) == len(found.data["mentions"])


@pytest.mark.parametrize(
    ("record", "spearman", "std"),
    [
        # the correlation by the trend and against chance, the spread by any effect
        ({"p_trend": 0.01, "p": 0.3}, "+0.50", "(25.00)"),
        ({"p_trend": 0.3, "p": 0.01}, "(+0.50)", "25.00"),
        ({"p_trend": 0.01, "p": 0.01, "spearman_noise": 0.6}, "(+0.50)", "25.00"),
        # what cannot be tested
        ({"p_trend": None, "p": None, "spearman_noise": None}, "(+0.50)", "(25.00)"),
    ],
)
def test_numbers_that_may_be_chance_are_in_parentheses(
    record: dict[str, Any], spearman: str, std: str
) -> None:
    row = {
        "system": "s",
        "attribute": "eLen",
        "spearman": 0.5,
        "std": 0.25,
        "spearman_noise": 0.4,
        "datasets": ["d"],
        **record,
        "significant_trend": (record["p_trend"] or 1.0) < 0.05,
        "significant": (record["p"] or 1.0) < 0.05,
        "test": "sign flips of documents",
    }
    views: dict[str, Any] = {"model-wise": [row], "notes": [{"note": "too few documents"}]}
    found = diagnosis_document(views, {})
    (one,) = found.tables
    cells = dict(zip(one.header, texts(one)[0], strict=True))
    assert (cells["correlation"], cells["spread of F1"]) == (spearman, std)
    assert one.shown(one.rows[0][1]) == "mention length (eLen)"
    assert (found.data, list(found.notes)) == (views, ["too few documents"])
    assert found.records == [{"view": "model-wise", **row}]


def test_the_tests_of_the_paper_come_with_how_often_they_are_wrong() -> None:
    row = {"dataset": "d", "attribute": "eLen", "zeta": 1.5, "rho": 0.5, "interpreteval_p": 0.01}
    row |= {"interpreteval_test": "Friedman, exact", "interpreteval_blocks": 7, "p_trend": None}
    views: dict[str, Any] = {"attribute-wise": [row], "notes": []}
    found = diagnosis_document(views, {}, paper=True)
    assert texts(found.tables[0])[0][-2:] == ["0.010", "Friedman, exact, 7 blocks"]
    warning = "On attributes that mean nothing"
    assert warning in " ".join(found.lines)
    assert warning not in " ".join(diagnosis_document(views, {}).lines)


@pytest.mark.slow
def test_a_diagnosis_fits_the_screen_unless_everything_is_asked_for() -> None:
    gold = drawn(60, seed=1)
    systems = {name: noisy(gold, 0.1, place) for place, name in enumerate("abcdefgh")}
    results = nerscope.evaluate(gold, systems, train=drawn(60, seed=2))
    views, ranges = nerscope.diagnose(results), bucket_ranges(results.evidence)
    digest = diagnosis_document(views, ranges)
    whole = diagnosis_document(views, ranges, everything=True)
    assert len(OUTPUTS["text"](digest).splitlines()) <= SCREEN_LINES
    assert len(OUTPUTS["text"](whole).splitlines()) > 300
    assert digest.data == whole.data == views
    assert f" of {len(views.model_wise)}" in digest.tables[1].title


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
