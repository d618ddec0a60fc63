"""Segmentation without types: labels that are letters alone, in every command."""

from pathlib import Path

import pytest
from tests.scoring.toys import drawn, noisy

import nerscope
from nerscope.errors import FormatError

TYPED = [
    (tokens, [label and label.replace(label[1:], "-W" * (label != "O")) for label in labels])
    for tokens, labels in drawn(60, seed=5)
]
NOISY = [
    (tokens, [label if label == "O" else f"{label[0]}-W" for label in labels])
    for tokens, labels in noisy(TYPED, 0.2, 6)
]


def letters(sentences: list[tuple[list[str], list[str]]]) -> list[tuple[list[str], list[str]]]:
    return [(tokens, [label[0] for label in labels]) for tokens, labels in sentences]


def test_the_numbers_are_those_of_a_single_type() -> None:
    facets = ["tmr", "hard", "eLen", "eCon"]
    typed = nerscope.evaluate(TYPED, {"s": NOISY}, train=NOISY, facets=facets)
    untyped = nerscope.evaluate(
        letters(TYPED), {"s": letters(NOISY)}, train=letters(NOISY), facets=facets
    )
    assert [(row.value, row.n, row.level) for row in typed.rows] == [
        (row.value, row.n, row.level) for row in untyped.rows
    ]
    assert {row.type for row in untyped.rows} == {None, "_"}


def test_a_letter_can_be_a_word() -> None:
    # A sentence of two lists: the words and their labels, although I reads as a label.
    results = nerscope.evaluate([["B-PER"]], {"s": [[["I"], ["B-PER"]]]})
    assert results.value(metric="f1") == 1.0


@pytest.mark.parametrize("ending", ["jsonl", "conllu", "parquet"])
def test_files_come_back_as_they_were(ending: str, tmp_path: Path) -> None:
    text = "我\tS\n爱\tB\n北\tM\n京\tE\n\n你\tS\n们\tS\n\n"
    (tmp_path / "in.conll").write_text(text, encoding="utf-8")
    other = str(tmp_path / f"other.{ending}")
    nerscope.convert(tmp_path / "in.conll", other)
    nerscope.convert(other, tmp_path / "back.conll", to="bmes")
    assert (tmp_path / "back.conll").read_text(encoding="utf-8") == text
    described = nerscope.describe(other)
    assert described.mentions["train"].mentions == 4


def test_other_schemes_write_letters(tmp_path: Path) -> None:
    (tmp_path / "in.conll").write_text("a\tB\nb\tE\nc\tS\nd\tO\n", encoding="utf-8")
    for scheme, expected in [("bio", "BIBO"), ("bilou", "BLUO"), ("bmes", "BESO")]:
        nerscope.convert(tmp_path / "in.conll", tmp_path / "out.conll", to=scheme)
        lines = (tmp_path / "out.conll").read_text(encoding="utf-8").split("\n")
        assert "".join(line[2:] for line in lines) == expected
    # In io a letter alone would be a type.
    nerscope.convert(tmp_path / "in.conll", tmp_path / "out.conll", to="io")
    assert "a\tI-_" in (tmp_path / "out.conll").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("text", "place"), [("a B-PER\nb I\n", "f.txt:2"), ("a S\nb B-PER\n", "f.txt:1")]
)
def test_labels_with_and_without_types_do_not_mix(text: str, place: str, tmp_path: Path) -> None:
    (tmp_path / "f.txt").write_text(text, encoding="utf-8")
    with pytest.raises(FormatError, match="has no type") as error:
        nerscope.evaluate(tmp_path / "f.txt", {"s": tmp_path / "f.txt"})
    assert place in str(error.value)


def test_a_recipe_learns_segments(tmp_path: Path) -> None:
    (tmp_path / "train.txt").write_text("a B\nb I\nc O\n" * 3, encoding="utf-8")
    path = tmp_path / "train.txt"
    nerscope.baseline(path, path, tmp_path / "o", recipe="dictionary")
    assert (tmp_path / "o").read_text(encoding="utf-8") == path.read_text(encoding="utf-8")
