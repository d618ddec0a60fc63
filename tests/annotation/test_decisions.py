"""Decision files: what is read, what is refused, and what is written."""

import json
from pathlib import Path
from typing import Any

import hypothesis.strategies as st
import pytest
from hypothesis import given

from nerscope.annotation.decisions import (
    Decision,
    Span,
    merge_decisions,
    read_decisions,
    write_decisions,
)
from nerscope.errors import NerscopeError

ITEM: dict[str, Any] = {
    "file": "gold.conll",
    "sentence": 3,
    "text": "Ada saw Oslo",
    "gold": [{"start": 2, "end": 3, "type": "PER"}],
    "chosen": [{"start": 2, "end": 3, "type": "LOC"}],
    "by": "eve",
}
DECISION = Decision(
    "gold.conll", 3, "Ada saw Oslo", (Span(2, 3, "PER"),), (Span(2, 3, "LOC"),), "eve"
)


def file_of(tmp_path: Path, content: Any, name: str = "d.json") -> Path:
    path = tmp_path / name
    path.write_text(content if isinstance(content, str) else json.dumps(content))
    return path


def items(*several: Any) -> dict[str, Any]:
    return {"nerscope_decisions": 1, "items": list(several)}


def test_an_item_is_a_decision_with_its_place(tmp_path: Path) -> None:
    path = file_of(tmp_path, items(ITEM))
    [decision] = read_decisions(path)
    assert decision == DECISION
    assert decision.place == f"{path} item 1"
    assert decision.as_dict() == ITEM


spans = st.builds(
    lambda start, size, kind: Span(start, start + size, kind),
    st.integers(0, 50),
    st.integers(1, 5),
    st.sampled_from(["PER", "creative-work", "é"]),
)
sides = st.sets(spans, max_size=4).map(lambda some: tuple(sorted(some)))
text = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0\x1f"))


@given(
    given=st.lists(
        st.builds(
            Decision,
            st.sampled_from(["a.conll", "b/ü.json"]),
            st.integers(0, 2**31 - 1),
            text,
            sides,
            sides,
            st.none() | text,
        ),
        unique_by=lambda each: (each.file, each.sentence),
    )
)
def test_what_is_written_is_read(
    tmp_path_factory: pytest.TempPathFactory, given: list[Decision]
) -> None:
    path = tmp_path_factory.mktemp("written") / "d.json"
    write_decisions(path, given)
    assert read_decisions(path) == given
    assert json.loads(path.read_text())["nerscope_decisions"] == 1
    assert path.read_text().count("\n") == max(len(given), 1) + 2


def test_files_by_hand_may_be_short(tmp_path: Path) -> None:
    item = {
        "file": "gold.conll",
        "sentence": 3,
        "text": ["Ada", "saw", "Oslo"],
        "gold": [[2, 3, "PER"], [2, 3, "PER"]],
        "chosen": [{"start": 2, "end": 3, "label": "LOC", "why": "a city"}],
        "score": 0.5,
    }
    path = file_of(tmp_path, "\ufeff" + json.dumps([item]))
    [decision] = read_decisions(path)
    assert (decision.gold, decision.chosen) == (DECISION.gold, DECISION.chosen)
    assert (decision.text, decision.by) == (DECISION.text, None)


def test_several_files_are_one(tmp_path: Path) -> None:
    first = file_of(tmp_path, items(ITEM), "a.json")
    other = {**ITEM, "sentence": 4, "by": "bob"}
    second = file_of(tmp_path, items({**ITEM, "by": "bob"}, other), "b.json")
    decisions = read_decisions([first, second])
    assert [(each.sentence, each.by) for each in decisions] == [(3, "eve"), (4, "bob")]
    contradicting = file_of(tmp_path, items({**ITEM, "chosen": []}), "c.json")
    with pytest.raises(NerscopeError) as error:
        read_decisions([first, second, contradicting])
    assert error.value.place == f"{contradicting} item 1"
    assert error.value.fact == (f"it contradicts {first} item 1 on sentence 3 of gold.conll")


def test_one_sentence_of_two_files_is_two_sentences() -> None:
    other = Decision("b.conll", 3, "Ada", (), ())
    assert merge_decisions([DECISION, other, DECISION]) == [DECISION, other]


FILES = [
    ("", "it is not JSON"),
    ("{", "it is not JSON"),
    ("[" * 50_000, "it is not JSON"),
    ('{"nerscope_decisions": 1, "items": [NaN]}', "NaN is not valid JSON"),
    ('[{"sentence": ' + "9" * 5000 + "}]", "it is not JSON"),
    ("3", "it holds no decisions"),
    ("null", "it holds no decisions"),
    ({}, "it holds no decisions"),
    ({"nerscope_judgements": 1, "pairs": []}, "it holds no decisions"),
    ({"nerscope_decisions": True, "items": []}, "it holds no decisions"),
    ({"nerscope_decisions": 0, "items": []}, "it holds no decisions"),
    ({"nerscope_decisions": 2, "items": []}, "its format is 2, this version reads 1"),
    ({"nerscope_decisions": 1}, "the key 'items' is missing"),
    ({"nerscope_decisions": 1, "items": {}}, "invalid value {} for 'items'"),
    (items(3), "item 1: 3 is not a decision"),
    (items(ITEM, None), "item 2: null is not a decision"),
]


@pytest.mark.parametrize(("content", "message"), FILES, ids=range(len(FILES)))
def test_files_without_decisions_are_refused(tmp_path: Path, content: Any, message: str) -> None:
    path = file_of(tmp_path, content)
    with pytest.raises(NerscopeError) as error:
        read_decisions(path)
    assert str(error.value).startswith(str(path))
    assert message in str(error.value)


@pytest.mark.parametrize("key", ["file", "sentence", "text", "gold", "chosen"])
def test_a_missing_key_is_refused(tmp_path: Path, key: str) -> None:
    item = {name: value for name, value in ITEM.items() if name != key}
    with pytest.raises(NerscopeError, match=f"item 1: the key '{key}' is missing. Fix: give the"):
        read_decisions(file_of(tmp_path, items(item)))


VALUES: list[tuple[str, list[Any]]] = [
    ("file", [None, "", 3, "a\0b", ["a"]]),
    ("sentence", [None, -1, 1.5, "3", True, 2**31, 10**30]),
    ("text", [None, 3, {}, [1], ["a", None], "\ud800"]),
    ("gold", [None, {}, "x", 3]),
    ("chosen", [None, {}, "x", False]),
    ("by", [3, [], True, "a\x1fb"]),
]


@pytest.mark.parametrize(
    ("key", "value"), [(key, value) for key, values in VALUES for value in values]
)
def test_a_wrong_value_is_refused(tmp_path: Path, key: str, value: Any) -> None:
    with pytest.raises(NerscopeError, match=rf"item 1: invalid value .* for '{key}'\. Fix: give"):
        read_decisions(file_of(tmp_path, items({**ITEM, key: value})))


SPANS = [
    (3, "3 is not a mention"),
    (None, "null is not a mention"),
    ([0, 1], r"\[0, 1\] is not a mention"),
    ({}, "the key 'start' is missing"),
    ({"start": 0}, "the key 'end' is missing"),
    ({"start": 0, "end": 1}, "the key 'type' is missing"),
    ([-1, 1, "PER"], "invalid value -1 for 'start'"),
    ([0, 0, "PER"], "the mention from 0 to 0 has no token"),
    ([2, 1, "PER"], "the mention from 2 to 1 has no token"),
    ([0, 10**30, "PER"], "invalid value 1000"),
    ([0.0, 1, "PER"], "invalid value 0.0 for 'start'"),
    (["0", "1", "PER"], "invalid value '0' for 'start'"),
    ([True, 1, "PER"], "invalid value true for 'start'"),
    ([0, 1, ""], "invalid value '' for 'type'"),
    ([0, 1, " PER"], "invalid value ' PER' for 'type'"),
    ([0, 1, "a\tb"], "invalid value .* for 'type'"),
    ([0, 1, "\udfff"], "invalid value .* for 'type'"),
    ([0, 1, 3], "invalid value 3 for 'type'"),
    ({"start": 0, "end": 1, "label": None}, "invalid value null for 'label'"),
]


@pytest.mark.parametrize("key", ["gold", "chosen"])
@pytest.mark.parametrize(("span", "message"), SPANS, ids=range(len(SPANS)))
def test_a_wrong_mention_is_refused(tmp_path: Path, key: str, span: Any, message: str) -> None:
    given = {**ITEM, key: [[0, 1, "PER"], span]}
    with pytest.raises(NerscopeError, match=f"item 1, {key} 2: {message}.*Fix: write"):
        read_decisions(file_of(tmp_path, items(given)))


def test_a_file_that_is_missing_is_refused(tmp_path: Path) -> None:
    for name in ("none.json", "a\0b"):
        with pytest.raises(NerscopeError, match=r"it cannot be read \(.*Fix: check the path"):
            read_decisions(tmp_path / name)
