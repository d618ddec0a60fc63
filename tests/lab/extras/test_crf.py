"""The conditional random field: what it learns, and that it never answers nonsense."""

from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

import pytest
from tests.scoring.toys import corpus, drawn

from nerscope.lab.recipe import RECIPES, Lesson, Tagged
from nerscope.lab.recipes import crf as _crf  # noqa: F401

TOY = [
    Tagged(*one)
    for one in corpus(
        "Mr. Miller/B-PER went to Oslo/B-LOC",
        "Mr. Smith/B-PER stayed in Paris/B-LOC",
        "in New/B-LOC York/I-LOC it rained",
        "Mr. Jones/B-PER left",
    )
]


def predict(
    folder: Path, train: Sequence[Tagged], test: Sequence[list[str]], **options: float
) -> list[list[str]]:
    lesson = Lesson(train, [], test, 1, folder, say=lambda line: None)
    return RECIPES["crf"].predict(lesson, RECIPES["crf"].checked(options, "test"))


def test_it_learns_words_and_context(tmp_path: Path) -> None:
    test = [*(one.words for one in TOY), ["Mr.", "Zog", "went", "to", "Quito"]]
    expected = [*(one.labels for one in TOY), ["O", "B-PER", "O", "O", "B-LOC"]]
    assert predict(tmp_path, TOY, test, rare=1) == expected


@pytest.mark.parametrize(
    ("train", "test", "expected"),
    [
        ([Tagged(["a", "b"], ["O", "O"])], [["a"], ["Ada"]], [["O"], ["O"]]),
        ([], [["Ada"]], [["O"]]),
        ([Tagged([], [])], [["Ada"]], [["O"]]),
        ([Tagged(["Ada"], ["B-PER"]), Tagged(["a"], ["O"])], [["Ada"], []], [["B-PER"], []]),
        ([Tagged(["Ada", "b"], ["B-ö:= x", "O"])], [["Ada", "b"]], [["B-ö:= x", "O"]]),
        ([Tagged(["", " ", "\0"], ["O", "B-X", "O"])], [["", " ", "\0"]], [["O", "B-X", "O"]]),
    ],
    ids=["no mention", "nothing", "no word", "one word", "odd type", "odd words"],
)
def test_small_lessons(
    train: list[Tagged], test: list[list[str]], expected: list[list[str]], tmp_path: Path
) -> None:
    assert predict(tmp_path, train, test, rare=1) == expected


def test_an_i_always_continues_a_mention_of_its_type(tmp_path: Path) -> None:
    sentences = [Tagged(*one) for one in drawn(200, 1)]
    found = predict(tmp_path, sentences[:100], [one.words for one in sentences[100:]], l1=0.0)
    assert any(label[0] == "I" for labels in found for label in labels)
    for labels in found:
        for before, label in pairwise(["O", *labels]):
            assert label[0] in "BO" or before[1:] == label[1:]


def test_the_same_lesson_gives_the_same_labels(tmp_path: Path) -> None:
    sentences = [Tagged(*one) for one in drawn(100, 2)]
    lesson = sentences[:50], [one.words for one in sentences[50:]]
    assert predict(tmp_path, *lesson) == predict(tmp_path, *lesson)


def test_penalties_change_what_is_learnt(tmp_path: Path) -> None:
    sentences = [Tagged(*one) for one in drawn(100, 2)]
    lesson = sentences[:50], [one.words for one in sentences[50:]]
    assert predict(tmp_path, *lesson) != predict(tmp_path, *lesson, l1=5.0)
