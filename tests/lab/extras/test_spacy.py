"""spaCy's recogniser: what it learns from words given one by one."""

from collections.abc import Sequence
from pathlib import Path

import pytest
from tests.scoring.toys import corpus, drawn

from nerscope.lab.recipe import RECIPES, Lesson, Tagged
from nerscope.lab.recipes import spacy as _spacy  # noqa: F401

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
    train: Sequence[Tagged],
    test: Sequence[list[str]],
    *,
    dev: Sequence[Tagged] = (),
    seed: int = 1,
    said: list[str] | None = None,
    **options: float,
) -> list[list[str]]:
    say = (said if said is not None else []).append
    lesson = Lesson(train, dev, test, seed, Path("nowhere"), say)
    tiny = {"width": 32, "batch": 2, "dropout": 0.0, "rounds": 25, **options}
    return RECIPES["spacy"].predict(lesson, RECIPES["spacy"].checked(tiny, "test"))


def test_it_learns_words_and_context() -> None:
    test = [*(one.words for one in TOY), ["Mr.", "Zog", "left"]]
    expected = [*(one.labels for one in TOY), ["O", "B-PER", "O"]]
    assert predict(TOY, test) == expected


ODD = Tagged(["", " ", "a b", "\n", "c"], ["O", "B-X", "I-X", "B-Y z-:", "O"])


@pytest.mark.parametrize(
    ("train", "test", "expected"),
    [
        ([Tagged(["a", "b"], ["O", "O"])], [["a"], ["Ada"]], [["O"], ["O"]]),
        ([], [["Ada"]], [["O"]]),
        ([*TOY, Tagged([], [])], [["Oslo"], []], [["B-LOC"], []]),
        ([ODD, ODD], [ODD.words], [ODD.labels]),
    ],
    ids=["no mention", "nothing", "no word", "odd words"],
)
def test_small_lessons(
    train: list[Tagged], test: list[list[str]], expected: list[list[str]]
) -> None:
    assert predict(train, test) == expected


def test_the_seed_decides_what_is_learnt() -> None:
    def learnt(seed: int) -> tuple[list[list[str]], list[str]]:
        said: list[str] = []
        test = [one.words for one in TOY]
        return predict(TOY, test, seed=seed, said=said, rounds=12, dropout=0.2), said

    assert learnt(1) == learnt(1)
    assert learnt(1)[1] != learnt(2)[1]


def test_the_round_that_is_best_on_dev_counts() -> None:
    """What follows the best round changes nothing."""
    sentences = [Tagged(*one) for one in drawn(50, 5, words=12)]
    train, dev, test = sentences[:20], sentences[20:40], [one.words for one in sentences[40:]]
    said: list[str] = []
    found = predict(train, test, dev=dev, said=said, rounds=16)
    scores = [float(line.rpartition(" ")[2]) for line in said if "dev" in line]
    best = max(range(16), key=lambda number: (scores[number], number)) + 1
    assert best < len(scores) == 16
    assert found == predict(train, test, dev=dev, rounds=best)
    assert found != predict(train, test, rounds=16)


@pytest.mark.parametrize("dev", [Tagged(["left"], ["O"]), Tagged(["Ada"], ["B-X"]), Tagged([], [])])
def test_the_last_round_counts_where_dev_tells_nothing(dev: Tagged) -> None:
    assert predict(TOY, [one.words for one in TOY], dev=[dev]) == [one.labels for one in TOY]
