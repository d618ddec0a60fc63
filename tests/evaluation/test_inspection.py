"""What became of each mention and token."""

from typing import Any

import pytest
from tests.scoring.toys import corpus

from nerscope.errors import InputError
from nerscope.evaluation.inspection import (
    OUTCOMES,
    confusion,
    hard_tokens,
    mention_rows,
    partial_pairs,
)
from nerscope.evaluation.passes import Prepared, prepare
from nerscope.evaluation.settings import Settings


def prepared(gold: str, *preds: str, train: str | None = None, **options: Any) -> Prepared:
    systems = {"s": [corpus(*pred.split("|")) for pred in preds]}
    training = corpus(*train.split("|")) if train else None
    return prepare(corpus(*gold.split("|")), systems, training, "d", Settings.of(options))


@pytest.mark.parametrize(
    ("gold", "pred", "of_gold", "of_pred"),
    [
        ("a/B-PER b/I-PER", "a/B-PER b/I-PER", ["correct"], ["correct"]),
        ("a/B-PER b/I-PER", "a/B-LOC b/I-LOC", ["wrong type"], ["wrong type"]),
        ("a/B-PER b/I-PER", "a/B-PER b", ["wrong boundary"], ["wrong boundary"]),
        ("a/B-PER b/I-PER", "a/B-LOC b", ["wrong type and boundary"], ["wrong type and boundary"]),
        ("a/B-PER b", "a b", ["missed"], []),
        ("a/B-PER b", "a b/B-PER", ["missed"], ["spurious"]),
        # one gold mention, several predictions
        ("a/B-PER b/I-PER c/I-PER", "a/B-PER b c/B-PER", ["split"], ["split", "split"]),
        ("a/B-PER b/I-PER c/I-PER", "a/B-PER b/B-LOC c/B-PER", ["split"], ["split"] * 3),
        # several gold mentions, one prediction
        ("a/B-PER b c/B-PER", "a/B-PER b/I-PER c/I-PER", ["merged", "merged"], ["merged"]),
        # crossing: both a split and a merge; the merge is said
        (
            "a/B-PER b/I-PER c/B-PER d/I-PER",
            "a/B-PER b/B-PER c/I-PER d",
            ["merged", "merged"],
            ["split", "merged"],
        ),
        # an exact pair is settled and takes no part in a split
        (
            "a/B-PER b/B-LOC c/I-LOC",
            "a/B-PER b/B-LOC c",
            ["correct", "wrong boundary"],
            ["correct", "wrong boundary"],
        ),
        # never across a sentence boundary
        ("a/B-PER|b/B-PER", "a|b/B-PER", ["missed", "correct"], ["correct"]),
    ],
)
def test_outcome_of_each_mention(
    gold: str, pred: str, of_gold: list[str], of_pred: list[str]
) -> None:
    rows = list(mention_rows(prepared(gold + " z/B-Z", pred + " z/B-Z")))
    assert [
        row["outcome"] for row in rows if row["side"] == "gold" and row["type"] != "Z"
    ] == of_gold
    assert [
        row["outcome"] for row in rows if row["side"] == "pred" and row["type"] != "Z"
    ] == of_pred
    assert {row["outcome"] for row in rows} <= set(OUTCOMES)


def test_a_row_says_where_a_mention_is_and_whom_it_met() -> None:
    gold, pred = "x|in New/B-LOC York/I-LOC today Ada/B-PER", "x|in/B-ORG New/I-ORG York today Ada"
    first, second, third = mention_rows(prepared(gold, pred))
    assert first == {
        "dataset": "d",
        "system": "s",
        "run": "1",
        "side": "gold",
        "outcome": "wrong type and boundary",
        "type": "LOC",
        "text": "New York",
        "start": 1,
        "end": 3,
        "other_type": "ORG",
        "other_text": "in New",
        "other_start": 0,
        "other_end": 2,
        "overlap": pytest.approx(1 / 3),
        "sentence": "in New York today Ada",
        "place": "<gold>:2",
    }
    assert (second["outcome"], second["other_type"], second["other_start"], second["overlap"]) == (
        "missed",
        None,
        None,
        0.0,
    )
    assert (third["side"], third["text"], third["other_text"], third["overlap"]) == (
        "pred",
        "in New",
        "New York",
        pytest.approx(1 / 3),
    )


def test_rows_carry_attributes_and_levels() -> None:
    rows = list(
        mention_rows(
            prepared(
                "Ada/B-PER met", "Ada/B-PER met/I-PER", train="Ada/B-PER", facets=["eLen", "tmr"]
            )
        )
    )
    assert [(row["eLen"], row["tmr"]) for row in rows] == [
        (1.0, "seen"),
        (2.0, "unseen-any unseen-tokens"),
    ]


def test_every_run_has_its_rows() -> None:
    rows = list(mention_rows(prepared("a/B-PER", "a/B-PER", "a")))
    assert [(row["run"], row["side"], row["outcome"]) for row in rows] == [
        ("1", "gold", "correct"),
        ("1", "pred", "correct"),
        ("2", "gold", "missed"),
    ]


def test_confusion_counts_who_met_whom() -> None:
    gold = "a/B-PER b/B-PER c/B-LOC d e/B-PER f/I-PER|g/B-ORG"
    pred = "a/B-PER b/B-LOC c d/B-LOC e/B-ORG f|g/B-ORG"
    assert confusion(prepared(gold, pred, "a b c d e f|g")) == {
        ("s", "1"): {
            ("PER", "PER"): 1,
            ("PER", "LOC"): 1,
            ("LOC", "missed"): 1,
            ("spurious", "LOC"): 1,
            ("PER", "ORG"): 1,
            ("ORG", "ORG"): 1,
        },
        ("s", "2"): {("PER", "missed"): 3, ("LOC", "missed"): 1, ("ORG", "missed"): 1},
    }


def test_partial_pairs_are_listed_with_both_texts_and_their_credit() -> None:
    work = prepared("New/B-LOC York/I-LOC and Ada/B-PER", "New/B-LOC York and Ada/B-PER")
    rows = list(partial_pairs(work, ["left", "right", "overlap(credit=1)", "exact"]))
    assert [(row["match"], row["gold"], row["predicted"], row["credit"]) for row in rows] == [
        ("left", "New York", "New", 0.5),
        ("overlap(credit=1)", "New York", "New", 1.0),
    ]
    assert rows[0] == {
        "system": "s",
        "run": "1",
        "match": "left",
        "gold": "New York",
        "predicted": "New",
        "gold type": "LOC",
        "predicted type": "LOC",
        "credit": 0.5,
        "sentence": "New York and Ada",
        "place": "<gold>:1",
        "judgement": "",
    }


def test_hard_tokens_are_listed_by_frequency_with_their_training_labels() -> None:
    work = prepared(
        "zoo/B-LOC ant ant bee/B-PER cat|bee/B-PER ant cat/B-ORG",
        "zoo ant ant bee cat|bee ant cat",
        train="bee bee|cat/B-LOC cat/B-LOC cat",
    )
    rows = [row for row in hard_tokens(work) if row["facet"] == "hard"]
    assert [(row["level"], row["token"], row["count"], row["training labels"]) for row in rows] == [
        ("unseen-I", "zoo", 1, "–"),
        ("unseen-O", "ant", 3, "–"),
        ("diff-I", "bee", 2, "O 2"),
        ("diff-O", "cat", 1, "O 1, LOC 2"),
        ("diff-E", "cat", 1, "O 1, LOC 2"),
    ]


def test_only_the_most_frequent_hard_tokens_are_listed_and_ties_are_alphabetical() -> None:
    work = prepared("b a b c/B-PER a d", "b a b c a d", train="x")
    listed = [
        row["token"]
        for row in hard_tokens(work, most=2)
        if (row["facet"], row["level"]) == ("hard", "unseen-O")
    ]
    assert listed == ["a", "b"]


def test_gold_labels_alone_cannot_be_inspected() -> None:
    work = prepare([["B-PER"]], {"s": [["O"]]}, None, "d", Settings())
    with pytest.raises(InputError, match="the sentences have no tokens"):
        list(mention_rows(work))
