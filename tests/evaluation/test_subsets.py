"""Subsets of facets: how they are written, and that they are what a filter of errors says."""

from collections.abc import Callable, Mapping
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.scoring.toys import Corpus, drawn, noisy

import nerscope
from nerscope.errors import UsageError
from nerscope.evaluation.subsets import Node, divide, parse_subset, with_subsets
from nerscope.results.rows import rows_of

TRAIN, GOLD = drawn(40, seed=5, words=25), drawn(40, seed=6, words=25)
PRED = noisy(GOLD, 0.25, seed=7)


def shape(node: Node | None) -> str:
    """A condition, fully parenthesised."""
    if node is None:
        return ""
    if node.kind == "test":
        return f"{node.name}={node.level}"
    if node.kind == "not":
        return f"!{shape(node.operands[0])}"
    return "(" + f" {node.kind} ".join(map(shape, node.operands)) + ")"


@pytest.mark.parametrize(
    ("text", "divider", "condition"),
    [
        # a facet alone
        ("tmr", "tmr", ""),
        ("  tmr ", "tmr", ""),
        ("(tmr)", "tmr", ""),
        # conditions alone
        ("eLen=XL", None, "eLen=XL"),
        ("eLen = XL", None, "eLen=XL"),
        ("type=creative-work", None, "type=creative-work"),
        # and
        ("tmr & type=ORG", "tmr", "type=ORG"),
        ("type=ORG & tmr", "tmr", "type=ORG"),
        ("tmr && type=ORG", "tmr", "type=ORG"),
        ("tmr and type=ORG", "tmr", "type=ORG"),
        ("tmr AND type=ORG", "tmr", "type=ORG"),
        ("tmr&type=ORG", "tmr", "type=ORG"),
        ("eLen=XL & type=ORG & tmr", "tmr", "(eLen=XL and type=ORG)"),
        # or
        ("eLen=XL | eLen=L", None, "(eLen=XL or eLen=L)"),
        ("eLen=XL || eLen=L", None, "(eLen=XL or eLen=L)"),
        ("eLen=XL Or eLen=L", None, "(eLen=XL or eLen=L)"),
        # not
        ("!eLen=XL", None, "!eLen=XL"),
        ("not eLen=XL", None, "!eLen=XL"),
        ("NOT not eLen=XL", None, "!!eLen=XL"),
        # `and` binds closer than `or`, `not` closer than both; parentheses closest
        ("a=1 | b=2 & c=3", None, "(a=1 or (b=2 and c=3))"),
        ("(a=1 | b=2) & c=3", None, "((a=1 or b=2) and c=3)"),
        ("!a=1 & b=2", None, "(!a=1 and b=2)"),
        ("!(a=1 & b=2)", None, "!(a=1 and b=2)"),
        ("tmr & !(a=1 | b=2)", "tmr", "!(a=1 or b=2)"),
        # words that only begin like and, or, not
        ("order=1 | nothing=2 | android=3", None, "(order=1 or nothing=2 or android=3)"),
        # everything
        ("all & type=ORG", "all", "type=ORG"),
    ],
)
def test_a_subset_is_read(text: str, divider: str | None, condition: str) -> None:
    found = parse_subset(text)
    assert (found.text, found.divider, shape(found.condition)) == (text, divider, condition)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        # not an expression
        ("", "invalid expression"),
        ("   ", "invalid expression"),
        ("tmr &", "invalid expression"),
        ("& tmr", "invalid expression"),
        ("tmr type=ORG", "invalid expression"),
        ("(tmr", "invalid expression"),
        ("tmr)", "invalid expression"),
        ("()", "invalid expression"),
        ("!", "invalid expression"),
        ("eLen=", "invalid expression"),
        ("=XL", "invalid expression"),
        ("eLen=XL=L", "invalid expression"),
        # more than one facet without a level, or one that does not stand alone
        ("tmr & eLen", "only one facet may have no level"),
        ("tmr | type=ORG", "only one facet may have no level"),
        ("!tmr", "only one facet may have no level"),
        # unknown facets
        ("tnr", "did you mean 'tmr'"),
    ],
)
def test_a_subset_that_cannot_be_read_is_refused(text: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        parse_subset(text)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("eLen=HUGE", "'eLen' has no level 'HUGE'"),
        ("tmr & type=PERS", "did you mean 'PER'"),
        ("tmr=unseen-all", "did you mean 'unseen-any'"),
        ("nothing=1", "unknown facet"),
        ("tmr & hard=unseen", r"different units \(mention and token\)"),
        ("hard & type=PER", "tokens have no type"),
        ("eLen=XL & tCon=XL", r"different units \(inside and mention\)"),
    ],
)
def test_a_subset_that_does_not_exist_is_refused(text: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        nerscope.evaluate(GOLD, {"s": PRED}, train=TRAIN, facets=[text])


Keep = Callable[[Mapping[str, Any]], bool]


def filtered(keep: Keep) -> tuple[int, int, int, int]:
    """Gold, found gold, predicted and right mentions among the rows of the error table."""
    results = nerscope.evaluate(GOLD, {"s": PRED}, train=TRAIN, facets=["tmr", "eLen", "sLen"])
    rows = [row for row in results.errors() if keep(row)]
    gold, pred = ([row for row in rows if row["side"] == side] for side in ("gold", "pred"))
    right = [sum(row["outcome"] == "correct" for row in side) for side in (gold, pred)]
    return len(gold), right[0], len(pred), right[1]


def scored(text: str, level: str) -> tuple[int, int, int, int]:
    results = nerscope.evaluate(
        GOLD, {"s": PRED}, train=TRAIN, facets=[text], metrics=["recall", "precision"]
    )
    recall, precision = (
        results.select(facet=text, level=level, metric=metric, type=None, run=None)[0]
        for metric in ("recall", "precision")
    )
    hits = [round((row["value"] or 0.0) * row["n"]) for row in (recall, precision)]
    return recall["n"], hits[0], precision["n"], hits[1]


def tmr(row: Mapping[str, Any], level: str) -> bool:
    return level in row["tmr"].split()


@pytest.mark.parametrize(
    ("text", "keep"),
    [
        ("type=PER", lambda row: row["type"] == "PER"),
        ("eLen=XS", lambda row: row["eLen"] == "XS"),
        ("eLen=XS & type=PER", lambda row: row["eLen"] == "XS" and row["type"] == "PER"),
        ("eLen=XS | type=PER", lambda row: row["eLen"] == "XS" or row["type"] == "PER"),
        ("!eLen=XS & !type=PER", lambda row: row["eLen"] != "XS" and row["type"] != "PER"),
        ("!(eLen=XS | type=PER)", lambda row: row["eLen"] != "XS" and row["type"] != "PER"),
        ("tmr=unseen-any and eLen=S", lambda row: tmr(row, "unseen-any") and row["eLen"] == "S"),
        (
            "tmr=tcm-all & !tmr=seen | type=LOC",
            lambda row: (tmr(row, "tcm-all") and not tmr(row, "seen")) or row["type"] == "LOC",
        ),
    ],
)
def test_a_condition_divides_into_in_and_out(text: str, keep: Keep) -> None:
    assert scored(text, "in") == filtered(keep)
    assert scored(text, "out") == filtered(lambda row: not keep(row))


@pytest.mark.parametrize(
    ("text", "level", "keep"),
    [
        ("tmr & type=PER", "seen", lambda row: tmr(row, "seen") and row["type"] == "PER"),
        (
            "tmr & type=PER",
            "unseen-any",
            lambda row: tmr(row, "unseen-any") and row["type"] == "PER",
        ),
        ("eLen & tmr=seen", "XS", lambda row: row["eLen"] == "XS" and tmr(row, "seen")),
        (
            "eLen & !tmr=seen & type=LOC",
            "S",
            lambda row: row["eLen"] == "S" and not tmr(row, "seen") and row["type"] == "LOC",
        ),
        ("all & type=PER", "all", lambda row: row["type"] == "PER"),
    ],
)
def test_a_facet_with_a_condition_divides_what_fits(text: str, level: str, keep: Keep) -> None:
    assert scored(text, level) == filtered(keep)


def test_a_condition_on_tokens_divides_tokens() -> None:
    results = nerscope.evaluate(GOLD, {"s": PRED}, train=TRAIN, facets=["hard", "hard=unseen"])
    unseen = results.value(facet="hard", level="unseen", metric="ter", match="bilou")
    assert results.value(facet="hard=unseen", level="in", metric="ter", match="bilou") == unseen


def test_a_facet_of_tokens_with_a_condition_divides_what_fits() -> None:
    results = nerscope.evaluate(
        GOLD, {"s": PRED}, train=TRAIN, facets=["hard", "hard & hard-strict=unseen"]
    )
    unseen = results.value(facet="hard", level="unseen", metric="ter", match="bilou")
    assert (
        results.value(
            facet="hard & hard-strict=unseen", level="unseen", metric="ter", match="bilou"
        )
        == unseen
    )


def test_the_whole_corpus_is_always_there_and_all_is_no_facet_of_its_own() -> None:
    results = nerscope.evaluate(GOLD, {"s": PRED}, train=TRAIN, facets=["all"])
    assert {row["facet"] for row in results.rows} == {"all"}


def test_a_condition_on_everything_is_everything() -> None:
    assert scored("all=all", "in") == filtered(lambda row: True)


def test_a_subset_named_twice_is_shown_once() -> None:
    once = nerscope.evaluate(GOLD, {"s": PRED}, facets=["eLen=XS"])
    assert nerscope.evaluate(GOLD, {"s": PRED}, facets=["eLen=XS", "eLen=XS"]).rows == once.rows


def test_facets_that_only_serve_a_condition_have_no_rows() -> None:
    results = nerscope.evaluate(GOLD, {"s": PRED}, facets=["eLen=XS"])
    assert {row["facet"] for row in results.rows} == {"all", "eLen=XS"}


def test_a_subset_of_types_needs_no_training_data_and_keeps_partial_matches() -> None:
    results = nerscope.evaluate(GOLD, {"s": PRED}, facets=["type=PER"])
    assert {row["match"] for row in results.select(facet="type=PER")} == {
        "exact",
        "left",
        "right",
        "overlap",
    }
    for metric in ("precision", "recall", "f1"):
        assert results.value(facet="type=PER", level="in", metric=metric) == results.value(
            type="PER", metric=metric
        )


def test_a_subset_divides_the_evidence_as_the_evaluation_does() -> None:
    whole = nerscope.evaluate(GOLD, {"s": PRED}, train=TRAIN, facets=["tmr", "eLen"]).evidence[0]
    subset = parse_subset("tmr & eLen=XS")
    (table,) = divide(subset, whole)
    assert (table.facet, table.unit) == ("tmr & eLen=XS", "mention")
    assert list(table.levels)[:1] == ["seen"]
    narrowed = with_subsets(whole, [subset])
    asked = nerscope.evaluate(GOLD, {"s": PRED}, train=TRAIN, facets=["tmr & eLen=XS"])
    assert rows_of(narrowed) == rows_of(asked.evidence[0])
    assert [one.facet for one in narrowed.tables] == ["all", "all", "tmr & eLen=XS"]


def test_a_very_long_expression_is_refused() -> None:
    with pytest.raises(UsageError, match="the expression is too long"):
        parse_subset(" & ".join(["type=PER"] * 101))


atoms = st.sampled_from(["eLen=XS", "eLen=S", "type=PER", "type=LOC", "tmr=seen"])
SMALL: Corpus = GOLD[:12]


@settings(max_examples=25, deadline=None)
@given(atoms, atoms, atoms)
def test_conditions_obey_the_laws_of_sets(a: str, b: str, c: str) -> None:
    equal = [
        (f"!({a} & {b})", f"!{a} | !{b}"),
        (f"!({a} | {b})", f"!{a} & !{b}"),
        (f"{a} & ({b} | {c})", f"{a} & {b} | {a} & {c}"),
        (f"!!{a}", f"{a} | {a}"),
    ]
    results = nerscope.evaluate(
        SMALL, {"s": PRED[:12]}, train=TRAIN, facets=[text for pair in equal for text in pair]
    )
    for left, right in equal:
        sides = [
            [
                (row["level"], row["match"], row["metric"], row["type"], row["value"], row["n"])
                for row in results.select(facet=one)
            ]
            for one in (left, right)
        ]
        shared = [[entry for entry in side if entry[1] == "exact"] for side in sides]
        assert {entry for entry in shared[0] if entry[2] == "recall"} == {
            entry for entry in shared[1] if entry[2] == "recall"
        }
        assert any(entry[2] == "recall" for entry in shared[0])


@pytest.mark.parametrize(
    ("metric", "facets", "expected"),
    [
        ("ter", None, {"hard", "hard-strict"}),
        ("ter", ["tmr", "hard"], {"hard"}),
        ("ter", ["tmr & type=PER", "hard"], {"hard"}),
        ("accuracy", ["type=PER"], {"all"}),
    ],
)
def test_facets_without_the_metric_are_left_out(
    metric: str, facets: list[str] | None, expected: set[str]
) -> None:
    results = nerscope.evaluate(
        GOLD, {"s": noisy(GOLD, 0.2, 1)}, train=TRAIN, facets=facets, metrics=[metric]
    )
    assert expected <= {row.facet for row in results.rows}
    assert {row.metric for row in results.rows} == {metric}


@pytest.mark.parametrize(
    ("metric", "facet"),
    [("ter", "type=PER"), ("ter", "tmr & type=PER"), ("error_share", "hard=unseen")],
)
def test_a_metric_that_no_facet_has_is_refused(metric: str, facet: str) -> None:
    with pytest.raises(UsageError, match="no requested facet or match has any of them"):
        nerscope.evaluate(
            GOLD, {"s": noisy(GOLD, 0.2, 1)}, train=TRAIN, facets=[facet], metrics=[metric]
        )
