"""How surfaces are used: ambiguous ones, unannotated ones, and those that splits disagree on."""

from typing import Any

import pytest
from tests.scoring.toys import corpus

import nerscope


def listed(key: str, train: str, test: str | None = None) -> list[dict[str, Any]]:
    given = corpus(*train.split("|")), corpus(*test.split("|")) if test else None
    rows: list[dict[str, Any]] = getattr(nerscope.describe(given[0], test=given[1]), key)
    return rows


@pytest.mark.parametrize(
    ("text", "surfaces"),
    [
        ("a/B-X b/B-Y", {}),
        ("a/B-X a/B-X", {}),
        ("a/B-X a/B-Y", {"a": {"X": 1, "Y": 1}}),
        ("a/B-X a/B-Y|a/B-Y a", {"a": {"Y": 2, "X": 1}}),
        ("a/B-X b/I-X a/B-Y", {}),  # a is not "a b"
        ("a/B-X b/I-X|a/B-Y b/I-Y", {"a b": {"X": 1, "Y": 1}}),
        ("a/B-X A/B-Y", {}),
    ],
)
def test_surfaces_of_two_types_are_ambiguous(text: str, surfaces: dict[str, Any]) -> None:
    assert {row["surface"]: row["types"] for row in listed("ambiguous", text)} == surfaces


def test_ambiguous_surfaces_are_those_of_each_split_the_most_frequent_first() -> None:
    rows = listed("ambiguous", "a/B-X a/B-Y c/B-X|c/B-Y b/B-X b/B-Y b/B-Y", "a/B-X b/B-X b/B-Y")
    assert [(row["split"], row["surface"], row["n"]) for row in rows] == [
        ("train", "b", 3),
        ("train", "a", 2),
        ("train", "c", 2),
        ("test", "b", 2),
    ]


@pytest.mark.parametrize(
    ("text", "uses"),
    [
        ("a/B-X a", {"a": (1, 1)}),
        ("a/B-X b", {}),
        ("a/B-X a a|a/B-Y", {"a": (2, 2)}),
        ("a/B-X b/I-X|a b|a x b", {"a b": (1, 1)}),
        ("a/B-X|a/B-X b/I-X", {}),  # inside another mention is not unannotated
        ("a/B-X b/I-X|a b/B-X", {}),  # nor is what is annotated in part
        ("a/B-X b/I-X|a|b", {}),  # nothing goes beyond a sentence
        ("a/B-X A", {}),
        ("a/B-X a/I-X|a a a", {"a a": (1, 2)}),  # places may overlap
    ],
)
def test_mentions_that_are_plain_text_elsewhere(text: str, uses: dict[str, Any]) -> None:
    rows = listed("unannotated", text)
    assert {row["surface"]: (row["annotated"], row["unannotated"]) for row in rows} == uses


def test_frequent_mentions_come_first_among_the_unannotated() -> None:
    rows = listed("unannotated", "a/B-X a a|b/B-X b/B-X b|c/B-X c")
    assert [row["surface"] for row in rows] == ["b", "a", "c"]


@pytest.mark.parametrize(
    ("train", "test", "found"),
    [
        ("a/B-X", "a/B-X", []),
        ("a/B-X", "a/B-Y a/B-Y a/B-X", [("a", 2, {"X": 1}, {"Y": 2, "X": 1})]),
        ("a/B-X", "a", [("a", 1, {"X": 1}, {"O": 1})]),
        ("a", "a/B-X", [("a", 1, {"O": 1}, {"X": 1})]),
        ("a/B-X a", "a a", []),
        ("b", "a/B-X", []),  # training does not know it
        ("a b", "a/B-X b/I-X", [("a b", 1, {"O": 1}, {"X": 1})]),
        ("a/B-X b/I-X", "a/B-X", []),  # training has it only inside another mention
        ("a b/B-X", "a/B-X a", [("a", 1, {"O": 1}, {"X": 1, "O": 1})]),
    ],
)
def test_labels_that_training_never_gives(train: str, test: str, found: list[Any]) -> None:
    rows = listed("inconsistent", train, test)
    assert [(row["surface"], row["n"], row["train"], row["here"]) for row in rows] == found


def test_nested_mentions_are_uses_each() -> None:
    train: Any = [(["Bank", "of", "Ghana"], [(0, 3, "ORG"), (2, 3, "LOC")])]
    found = nerscope.describe(train, test=corpus("Ghana Bank/B-ORG of/I-ORG Ghana/I-ORG"))
    assert [(row["surface"], row["train"], row["here"]) for row in found.inconsistent] == [
        ("Ghana", {"LOC": 1}, {"O": 1})
    ]
