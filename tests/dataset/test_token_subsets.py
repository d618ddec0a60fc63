"""The subset of every token, of a test set or of training data by cross-validation."""

import json
from pathlib import Path
from typing import Any

import pytest
from tests.cli.conftest import Run, run  # noqa: F401  a fixture
from tests.oracles import naive
from tests.scoring.toys import Corpus, corpus, drawn, write

import nerscope
from nerscope.dataset.token_subsets import TokenRow
from nerscope.errors import InputError, UsageError


def level(subsets: set[str]) -> str:
    """The subset that is not a union of others."""
    (single,) = subsets - {"all", "unseen", "diff"}
    return single


def check(rows: list[TokenRow], test: Corpus, train_of: Any) -> None:
    """Every token against the slow reading of the definitions."""
    assert [(row.sentence, row.position, row.token) for row in rows] == [
        (number, position, word)
        for number, (words, _) in enumerate(test)
        for position, word in enumerate(words)
    ]
    for row in rows:
        words, labels = test[row.sentence]
        counts = naive.training_counts(train_of(row))
        kind = naive.token_types(labels)[row.position]
        for strict, found in ((False, row.hard), (True, row.hard_strict)):
            expected = naive.hard_levels(words[row.position], kind, counts, strict)
            assert found == level(expected), row


def test_tokens_of_a_test_set_are_held_against_training() -> None:
    train, test = drawn(30, seed=1), drawn(20, seed=2, words=60)
    check(nerscope.token_subsets(train, test), test, lambda row: train)


@pytest.mark.parametrize("folds", [2, 5])
def test_tokens_of_a_fold_are_held_against_the_other_folds(folds: int) -> None:
    train = drawn(30, seed=3)
    rows = nerscope.token_subsets(train, folds=folds)
    fold = {row.sentence: row.fold for row in rows}
    assert set(fold.values()) == set(range(1, folds + 1))

    def others(row: TokenRow) -> Corpus:
        return [sentence for number, sentence in enumerate(train) if fold[number] != row.fold]

    check(rows, train, others)


def test_the_same_text_is_never_on_both_sides() -> None:
    train = drawn(10, seed=4) * 3
    rows = nerscope.token_subsets(train, folds=3)
    fold = {row.sentence: row.fold for row in rows}
    assert all(fold[number] == fold[number + 10] == fold[number + 20] for number in range(10))


def test_a_row_says_where_the_token_is_and_how_others_label_it(tmp_path: Path) -> None:
    first = write(tmp_path / "a.conll", corpus("May/B-PER came"))
    second = write(tmp_path / "b.conll", corpus("may came", "May/B-LOC left"))
    rows = nerscope.token_subsets([str(first), str(second)], folds=3, map={"LOC": "ORG"})
    assert rows[0].place == f"{first}:1"
    assert rows[4].place == f"{second}:4"
    assert (rows[0].label, rows[0].hard, rows[0].training_labels) == ("B-PER", "diff-E", "ORG 1")
    folded = nerscope.token_subsets([str(first), str(second)], folds=3, case="fold")
    assert folded[0].training_labels == "O 1, LOC 1"


@pytest.mark.parametrize(
    ("options", "fact"),
    [
        ({"folds": 1}, "1 is too small"),
        ({"folds": 9}, "too few for 9 folds"),
        ({"seed": -1}, "-1 is too small"),
        ({"case": "x"}, "case"),
    ],
)
def test_other_folds_are_refused(options: dict[str, Any], fact: str) -> None:
    with pytest.raises((UsageError, InputError), match=fact):
        nerscope.token_subsets(corpus("a b", "c/B-X d"), **options)


def test_nested_mentions_have_no_single_label() -> None:
    nested = [(["a", "b"], [(0, 2, "X"), (0, 1, "Y")]), (["c"], [(0, 1, "X")])]
    with pytest.raises(InputError, match="tokens have no single label"):
        nerscope.token_subsets(nested, folds=2)


@pytest.mark.parametrize("ending", ["csv", "jsonl"])
def test_tokens_are_written_by_describe(tmp_path: Path, run: Run, ending: str) -> None:  # noqa: F811
    train = write(tmp_path / "train.conll", drawn(12, seed=5))
    output = tmp_path / f"tokens.{ending}"
    outcome = run("describe", "--train", train, "--folds", "3", "--tokens", output)
    assert outcome.code == 0, outcome.err
    lines = output.read_text().splitlines()
    n_tokens = sum(len(words) for words, _ in drawn(12, seed=5))
    if ending == "csv":
        assert (
            lines[0] == "place,sentence,position,token,label,hard,hard_strict,training_labels,fold"
        )
        assert len(lines) == n_tokens + 1
    else:
        assert len(lines) == n_tokens
        assert json.loads(lines[0])["place"] == f"{train}:1"
    assert run("describe", "--train", train, "--tokens", train).code == 2
    assert run("describe", train, "--tokens", output).code == 2
