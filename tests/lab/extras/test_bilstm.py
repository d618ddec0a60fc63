"""The recipe `bilstm`: what it learns, from what, and what it refuses."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch
from tests.lab.extras.lessons import NAMES, PLACES, small_lesson

from nerscope.errors import FormatError, InputError, UsageError
from nerscope.lab.neural.words import CnnContext, read_vectors
from nerscope.lab.recipe import RECIPES, Lesson, Tagged
from nerscope.lab.recipes import bilstm as _bilstm  # noqa: F401

SMALL = {"rounds": 6, "batch": 8, "rate": 0.02, "hidden": 16, "dropout": 0.1}


def predict(lesson: Lesson, **options: Any) -> list[list[str]]:
    recipe = RECIPES["bilstm"]
    return recipe.predict(lesson, recipe.checked({**SMALL, **options}, "plan"))


@pytest.mark.parametrize("characters", ["cnn", "lstm", "none"])
@pytest.mark.parametrize("decoder", ["crf", "softmax"])
def test_it_learns_what_is_simple(tmp_path: Path, characters: str, decoder: str) -> None:
    said: list[str] = []
    lesson, test = small_lesson(tmp_path, said)
    assert predict(lesson, characters=characters, decoder=decoder, rounds=12) == [
        one.labels for one in test
    ]
    assert len(said) == 12
    assert said[0].startswith("round 1 of 12: loss ")
    assert "dev F1 100.00" in said[-1]


@pytest.mark.parametrize("decoder", ["crf", "softmax"])
def test_a_cnn_may_read_the_words(tmp_path: Path, decoder: str) -> None:
    lesson, test = small_lesson(tmp_path, [])
    found = predict(lesson, encoder="cnn", decoder=decoder, rounds=12)
    assert found == [one.labels for one in test]


def test_the_vectors_of_a_cnn_do_not_depend_on_the_batch() -> None:
    torch.manual_seed(1)
    context = CnnContext(word_size=5, hidden=3, dropout=0.0).eval()
    words = torch.randn(2, 6, 5)
    words[0, 3:] = 7.0  # behind the end of the first sentence
    both = context(words, [3, 6])
    alone = context(words[:1, :3], [3])
    assert both.shape == (2, 6, 6)
    assert torch.allclose(both[0, :3], alone[0], atol=1e-6)
    farther = words.clone()
    farther[1, 5] += 1.0
    moved = (context(farther, [3, 6])[1] - both[1]).abs().sum(1) > 1e-6
    assert moved.tolist() == [False, True, True, True, True, True]  # four words to each side


def test_one_seed_gives_one_answer_and_others_others(tmp_path: Path) -> None:
    def losses(seed: int) -> tuple[list[list[str]], list[str]]:
        said: list[str] = []
        lesson, _ = small_lesson(tmp_path, said)
        labels = predict(replace(lesson, seed=seed), rounds=2)
        return labels, [line.split(", ")[0] for line in said]

    assert losses(1) == losses(1)
    assert losses(1)[1] != losses(2)[1]


def test_dev_may_be_empty_and_words_unknown_long_or_odd(tmp_path: Path) -> None:
    said: list[str] = []
    lesson, _ = small_lesson(tmp_path, said, dev=0)
    odd = [["\u200b", "Zoë" * 50, "", "🙂"], ["Ada"] * 700, ["."]]
    found = predict(replace(lesson, test=odd), rounds=1)
    assert [len(labels) for labels in found] == [4, 700, 1]
    assert "dev" not in said[0]


@pytest.mark.parametrize("decoder", ["crf", "softmax"])
def test_the_best_round_on_dev_is_kept(tmp_path: Path, decoder: str) -> None:
    """What dev says is the opposite of training: the first round, which knows least, is best."""
    said: list[str] = []
    lesson, _ = small_lesson(tmp_path, said)
    words = [one.words for one in lesson.train]
    dev = [Tagged(one, ["B-LOC", *["O"] * (len(one) - 1)]) for one in words]
    found = predict(replace(lesson, dev=dev, test=words), decoder=decoder, rounds=4)
    f1 = [float(line.split("dev F1 ")[1].split(",")[0]) for line in said]
    from nerscope.lab.neural.training import exact_f1

    assert 100 * exact_f1(dev, found) == pytest.approx(max(f1), abs=0.01)


def test_vectors_tell_of_words_that_training_has_not(tmp_path: Path) -> None:
    lesson, _ = small_lesson(tmp_path, [])
    lines = [f"{name.lower()} 1 0.{at} 0" for at, name in enumerate([*NAMES, "xerxes"])]
    lines += [f"{place} 0 0.{at} 1" for at, place in enumerate([*PLACES, "ystad"])]
    path = tmp_path / "vectors.txt"
    path.write_text("\n".join(["12 3", *lines]), encoding="utf-8")
    asked = [["Xerxes", "Smith", "went", "to", "Ystad", "."]]
    found = predict(replace(lesson, test=asked), characters="none", embeddings=path)
    assert found == [["B-PER", "I-PER", "O", "O", "B-LOC", "O"]]


def test_a_word_has_its_own_vector_before_that_of_its_lower_case(tmp_path: Path) -> None:
    path = tmp_path / "vectors.txt"
    path.write_text("us 1 2\nUS 3 4\n. . 5 6\n", encoding="utf-8")
    found = read_vectors(path, ["US", "Us", "them"])
    assert {word: vector.tolist() for word, vector in found.items()} == {"US": [3, 4], "Us": [1, 2]}


@pytest.mark.parametrize(
    ("text", "error", "fact"),
    [
        (None, InputError, "no such file"),
        ("", InputError, "no vector for any word"),
        ("zebra 1 2\n", InputError, "no vector for any word"),
        ("x 1 2\nto 1 2\nwent 1\n", FormatError, "vectors.txt:3: not a word vector of 2"),
        ("to one two\n", FormatError, "vectors.txt:1: not a word vector of 2"),
        ("to 1 nan\n", FormatError, "vectors.txt:1: not a word vector of 2"),
    ],
)
def test_files_that_are_no_vectors_are_refused(
    tmp_path: Path, text: str | None, error: type[Exception], fact: str
) -> None:
    path = tmp_path / "vectors.txt"
    if text is not None:
        path.write_text(text, encoding="utf-8")
    lesson, _ = small_lesson(tmp_path, [])
    with pytest.raises(error, match=fact):
        predict(lesson, embeddings=path)


@pytest.mark.parametrize(
    "options", [{"rounds": 0}, {"batch": 0}, {"rate": 0}, {"hidden": 0}, {"dropout": 1.0}]
)
def test_numbers_that_cannot_be_are_refused(tmp_path: Path, options: dict[str, Any]) -> None:
    lesson, _ = small_lesson(tmp_path, [])
    with pytest.raises(UsageError, match="invalid value"):
        predict(lesson, **options)
