"""Flair's sequence tagger: what it learns, from which vectors, and that it stays at home."""

import socket
from collections.abc import Sequence
from pathlib import Path

import pytest
from tests.scoring.toys import corpus

from nerscope.errors import InputError
from nerscope.lab.recipe import RECIPES, Lesson, Tagged
from nerscope.lab.recipes import flair as _flair  # noqa: F401

TOY = [
    Tagged(*one)
    for one in corpus(
        "Mr. Miller/B-PER went to Oslo/B-LOC",
        "Mr. Smith/B-PER stayed in Paris/B-LOC",
        "in New/B-LOC York/I-LOC it rained",
        "Mr. Jones/B-PER left",
    )
]
WORDS = [one.words for one in TOY]
LABELS = [one.labels for one in TOY]


@pytest.fixture(autouse=True)
def nobody_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever calls somebody outside is refused."""

    def refuse(*whom: object) -> None:
        raise AssertionError(f"{whom} was called")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)


def predict(
    folder: Path,
    train: Sequence[Tagged],
    test: Sequence[list[str]],
    *,
    dev: Sequence[Tagged] = (),
    seed: int = 1,
    said: list[str] | None = None,
    **options: object,
) -> list[list[str]]:
    say = (said if said is not None else []).append
    lesson = Lesson(train, dev, test, seed, folder, say)
    tiny = {"hidden": 16, "batch": 1, "rounds": 25, **options}
    return RECIPES["flair"].predict(lesson, RECIPES["flair"].checked(tiny, "test"))


def test_it_learns_and_says_how_far_it_is(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    said: list[str] = []
    assert predict(tmp_path, TOY, WORDS, said=said) == LABELS
    assert [line.split()[1] for line in said] == [str(number) for number in range(1, 26)]
    assert capfd.readouterr() == ("", "")


def test_the_round_that_is_best_on_dev_counts(tmp_path: Path) -> None:
    said: list[str] = []
    assert predict(tmp_path, TOY, WORDS, dev=TOY, said=said) == LABELS
    assert said[-1].startswith("DEV ")


@pytest.mark.parametrize("dev", [Tagged(["left"], ["O"]), Tagged(["Ada"], ["B-X"]), Tagged([], [])])
def test_the_last_round_counts_where_dev_tells_nothing(dev: Tagged, tmp_path: Path) -> None:
    assert predict(tmp_path, TOY, WORDS, dev=[dev]) == LABELS


ODD = Tagged(["", " ", "a b", "\n", "c"], ["O", "B-X", "I-X", "B-Y z-:", "O"])


@pytest.mark.parametrize(
    ("train", "test", "expected"),
    [
        ([Tagged(["a", "b"], ["O", "O"])], [["a"], ["Ada"]], [["O"], ["O"]]),
        ([], [["Ada"]], [["O"]]),
        ([*TOY, Tagged([], [])], [[], WORDS[0]], [[], LABELS[0]]),
        ([ODD] * 3, [ODD.words], [ODD.labels]),
    ],
    ids=["no mention", "nothing", "no word", "odd words"],
)
def test_small_lessons(
    train: list[Tagged], test: list[list[str]], expected: list[list[str]], tmp_path: Path
) -> None:
    assert predict(tmp_path, train, test) == expected


def test_the_seed_decides_what_is_learnt(tmp_path: Path) -> None:
    def learnt(seed: int) -> tuple[list[list[str]], list[str]]:
        said: list[str] = []
        return predict(tmp_path, TOY, WORDS, seed=seed, said=said, rounds=6), said

    assert learnt(1) == learnt(1)
    assert learnt(1)[1] != learnt(2)[1]


def test_given_vectors_know_words_that_training_does_not(tmp_path: Path) -> None:
    """The same letters in another order: nothing but the vector tells persons from places."""
    persons, places = ["abcd", "bcda", "cdab", "dabc"], ["acbd", "bdac", "cabd", "dbca"]
    file = tmp_path / "vectors.txt"
    lines = [*(f"{word} 3 -3" for word in persons), *(f"{word} -3 3" for word in places)]
    file.write_text("\n".join(lines) + "\n")
    train = [
        *(Tagged([word], ["B-PER"]) for word in persons[:3]),
        *(Tagged([word], ["B-LOC"]) for word in places[:3]),
    ]
    test = [[persons[3]], [places[3]]]
    assert predict(tmp_path, train, test, embeddings=file) == [["B-PER"], ["B-LOC"]]


def test_vectors_that_are_not_there_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no such file"):
        predict(tmp_path, TOY, WORDS, embeddings=tmp_path / "none.txt")
