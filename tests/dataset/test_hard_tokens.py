"""The most frequent hard tokens of a test set."""

from typing import Any

import pytest
from tests.scoring.toys import corpus

import nerscope
from nerscope.dataset.hard_tokens import HardTokenRow, hard_tokens
from nerscope.errors import InputError, UsageError


def listed(train: str, test: str, **options: Any) -> list[HardTokenRow]:
    rows = hard_tokens(corpus(*train.split("|")), corpus(*test.split("|")), **options)
    return [row for row in rows if row["facet"] == "hard"]


def test_hard_tokens_are_listed_by_frequency_with_their_training_labels() -> None:
    rows = listed(
        "bee bee|cat/B-LOC cat/B-LOC cat",
        "zoo/B-LOC ant ant bee/B-PER cat|bee/B-PER ant cat/B-ORG",
    )
    assert [(row["level"], row["token"], row["count"], row["training labels"]) for row in rows] == [
        ("unseen-I", "zoo", 1, "–"),
        ("unseen-O", "ant", 3, "–"),
        ("diff-I", "bee", 2, "O 2"),
        ("diff-O", "cat", 1, "O 1, LOC 2"),
        ("diff-E", "cat", 1, "O 1, LOC 2"),
    ]


def test_only_the_most_frequent_hard_tokens_are_listed_and_ties_are_alphabetical() -> None:
    rows = listed("x", "b a b c/B-PER a d", most=2)
    assert [row["token"] for row in rows if row["level"] == "unseen-O"] == ["a", "b"]


def test_both_ways_to_be_hard_are_listed() -> None:
    rows = hard_tokens(corpus("x"), corpus("a/B-PER b"))
    assert list(dict.fromkeys(row["facet"] for row in rows)) == ["hard", "hard-strict"]


def test_hard_tokens_are_offered_by_the_package() -> None:
    assert nerscope.hard_tokens is hard_tokens


@pytest.mark.parametrize(
    ("train", "test"),
    [([["B-PER"]], corpus("a/B-PER")), (corpus("a/B-PER"), [["B-PER"]])],
    ids=["training labels alone", "test labels alone"],
)
def test_labels_alone_have_no_hard_tokens(train: Any, test: Any) -> None:
    with pytest.raises(InputError, match="the sentences have no tokens"):
        hard_tokens(train, test)


def test_a_repair_that_does_not_exist_is_refused() -> None:
    with pytest.raises(UsageError, match="did you mean 'strict'"):
        listed("a/B-PER", "a/B-PER", repair="strikt")


def test_what_is_strictly_hard_was_never_seen_so() -> None:
    train = corpus("May came", "May came", "May/B-PER left", "Ada/B-PER Ada/B-LOC Ada/B-LOC")
    test = corpus("May/B-PER left", "Eve/B-PER Eve/B-PER fled", "May/B-PER Ada/B-PER Ada")
    rows = [row for row in hard_tokens(train, test) if row["facet"] == "hard-strict"]
    assert [(row["level"], row["token"], row["count"], row["training labels"]) for row in rows] == [
        ("unseen-I", "Eve", 2, "–"),
        ("unseen-O", "fled", 1, "–"),
        ("diff-O", "Ada", 1, "PER 1, LOC 2"),
    ]


def test_no_token_is_outside_less_than_never_where_training_mentions_are_nested() -> None:
    train: Any = [(["Bank", "of", "Ghana"], [(0, 3, "ORG"), (2, 3, "LOC")])]
    found = hard_tokens(train, corpus("Ghana x/B-LOC"))
    labels = [row["training labels"] for row in found if row["token"] == "Ghana"]
    assert labels == ["ORG 1, LOC 1"] * 2  # never outside: hard by both rules
