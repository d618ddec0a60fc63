"""Sentences that occur again, within a split and in another."""

from pathlib import Path

import pytest
from tests.scoring.toys import corpus, write

import nerscope
from nerscope.dataset.duplicates import DuplicateRow


def found(train: str, test: str) -> dict[tuple[str, str, str], DuplicateRow]:
    description = nerscope.describe(corpus(*train.split("|")), test=corpus(*test.split("|")))
    return {(row["split"], row["against"], row["kind"]): row for row in description.duplicates}


def test_each_split_is_held_against_itself_and_those_before() -> None:
    one = corpus("a b")
    rows = nerscope.describe(one, dev=one, test=one).duplicates
    assert [(row["split"], row["against"], row["kind"], row["n"]) for row in rows] == [
        ("train", "train", "exact", 0),
        ("dev", "dev", "exact", 0),
        ("dev", "train", "exact", 1),
        ("dev", "train", "near", 0),
        ("test", "test", "exact", 0),
        ("test", "train", "exact", 1),
        ("test", "train", "near", 0),
        ("test", "dev", "exact", 1),
        ("test", "dev", "near", 0),
    ]


@pytest.mark.parametrize(
    ("text", "n"),
    [("a b|b a", 0), ("a b|a b|a b", 2), ("a b|a", 0), ("a/B-X|a", 1), ("a|A", 0)],
)
def test_sentences_that_repeat_an_earlier_one(text: str, n: int) -> None:
    row = found(text, "z")["train", "train", "exact"]
    assert (row["n"], row["share"]) == (n, n / len(text.split("|")))


@pytest.mark.parametrize(
    ("train", "test", "exact", "near"),
    [
        ("a b", "a b", 1, 0),
        ("a b", "A b", 0, 1),
        ("a 1", "a 22", 0, 1),
        ("a 1", "a x", 0, 0),
        ("a 1.5", "a 22.0", 0, 1),
        ("a 1.5", "a 15", 0, 0),
        ("F1", "f7", 0, 1),
        ("F1", "F", 0, 0),
        ("a b", "a", 0, 0),
        ("a|A", "A", 1, 0),  # an exact duplicate is no near one
        ("a b|x", "a b|A b|y", 1, 1),
        ("STRASSE", "Straße", 0, 1),
        ("x", "a|a", 0, 0),
        ("a/B-X", "a", 1, 0),
        ("U.S. -based firm", "U.S.-based firm", 1, 0),  # the same text in other tokens
        ("u.s. -based firm", "U.S.-based firm", 0, 1),
    ],
)
def test_sentences_that_are_in_training(train: str, test: str, exact: int, near: int) -> None:
    rows, size = found(train, test), len(test.split("|"))
    for kind, n in [("exact", exact), ("near", near)]:
        row = rows["test", "train", kind]
        assert (row["n"], row["share"], len(row["places"])) == (n, n / size, n)


def test_places_are_files_and_lines(tmp_path: Path) -> None:
    train = write(tmp_path / "train.txt", corpus("x", "a b", "a b"))
    test = write(tmp_path / "test.txt", corpus("y", "A b", "a b"))
    rows = nerscope.describe(train, test=test).duplicates
    places = {(row["split"], row["against"], row["kind"]): row["places"] for row in rows}
    assert places["train", "train", "exact"] == [
        {"place": f"{train}:6", "first": f"{train}:3", "text": "a b"}
    ]
    assert places["test", "train", "exact"] == [
        {"place": f"{test}:6", "first": f"{train}:3", "text": "a b"}
    ]
    assert places["test", "train", "near"] == [
        {"place": f"{test}:3", "first": f"{train}:3", "text": "A b"}
    ]
