"""Reading files of judgements: what is told, and what is refused with its place."""

import copy
import json
import reprlib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.results.judgements import mention, pair, without, written

from nerscope.errors import InputError
from nerscope.results.judged import shares
from nerscope.results.judgements import read_judgements, read_pairs

NEST = b'{"nerscope_judgements":1,"pairs":' + b"[" * 100_000


def told(path: Path) -> list[tuple[str, str, int, int, int]]:
    rows = shares(read_judgements(path).judgements)
    return [(row["system"], row["match"], row["pairs"], row["judged"], row["good"]) for row in rows]


def test_a_pair_counts_once_for_each_system_and_match(tmp_path: Path) -> None:
    both = {"crf": {"left": 0.5, "overlap": 0.5}, "lstm": {"overlap": 0.5}}
    pairs = [
        pair("good", systems=both),
        pair("bad", sentence=13),
        pair("", sentence=14),
        pair("good", sentence=15, systems={}),
    ]
    assert told(written(tmp_path / "j.json", pairs)) == [
        ("crf", "left", 3, 2, 1),
        ("crf", "overlap", 3, 2, 1),
        ("lstm", "overlap", 1, 1, 1),
    ]


def test_a_pair_that_two_judges_judged_is_one_pair(tmp_path: Path) -> None:
    systems = {"crf": {"left": 0.5}}
    files = [
        written(tmp_path / f"{said}.json", [pair(said, systems=systems), pair("", sentence=13)])
        for said in ("good", "bad")
    ]
    [row] = [
        row
        for row in shares([each for file in files for each in read_judgements(file).judgements])
        if (row.system, row.match) == ("crf", "left")
    ]
    assert (row.pairs, row.judged, row.good) == (2, 2, 1)
    lists = [tmp_path / "a.csv", tmp_path / "b.csv"]
    for path in lists:
        path.write_text("system,gold type,credit left,judgement\ncrf,PER,0.5,good\n")
    [row] = shares([each for path in lists for each in read_judgements(path).judgements])
    assert (row.pairs, row.judged, row.good) == (1, 2, 2)


@pytest.mark.parametrize("before", ["", " \n\t", "\ufeff", "\ufeff\r\n "])
def test_json_is_known_by_its_first_character(before: str, tmp_path: Path) -> None:
    path = written(tmp_path / "judged.csv", [pair()])  # whatever its name
    path.write_text(before + path.read_text(), encoding="utf-8")
    assert read_judgements(path).pairs is not None


@pytest.mark.parametrize("said", ["Good", " good ", "GOOD"])
def test_case_and_blanks_do_not_matter(said: str, tmp_path: Path) -> None:
    [row] = shares(
        read_judgements(
            written(tmp_path / "j.json", [pair(said, systems={"s": {"left": 1}})])
        ).judgements
    )
    assert (row["judged"], row["good"]) == (1, 1)


def test_types_are_told_apart_by_that_of_gold(tmp_path: Path) -> None:
    other = pair("bad", gold=mention(type="ORG"), predicted=mention(end=4, type="LOC"))
    found = shares(
        read_judgements(written(tmp_path / "j.json", [pair(), other])).judgements, by_type=True
    )
    assert [(row["match"], row["type"], row["good"]) for row in found] == [
        ("left", "PER", 1),
        ("overlap", "PER", 1),
        ("left", "ORG", 0),
        ("overlap", "ORG", 0),
    ]


def test_texts_may_be_absent_and_further_keys_there(tmp_path: Path) -> None:
    path = written(tmp_path / "j.json", [pair(gold=mention(text=None), who="Ada")])
    assert len(read_pairs(path).pairs or ()) == 1


def test_the_same_pair_again_adds_its_systems(tmp_path: Path) -> None:
    again = [pair(), pair(systems={"crf": {"right": 0.5}, "lstm": {"left": 0.5}})]
    assert told(written(tmp_path / "j.json", again)) == [
        ("crf", "left", 1, 1, 1),
        ("crf", "overlap", 1, 1, 1),
        ("crf", "right", 1, 1, 1),
        ("lstm", "left", 1, 1, 1),
    ]


@pytest.mark.parametrize(
    ("content", "fact"),
    [
        (b"{", "it is not JSON"),
        (b'{"nerscope_judgements": 1,}', "it is not JSON"),
        (b'{"nerscope_judgements": 1, "pairs": [NaN]}', "NaN is not valid JSON"),
        (b'{"nerscope_judgements": 1, "pairs": [-Infinity]}', "-Infinity is not valid JSON"),
        (b'{"nerscope_judgements": ' + b"9" * 5000 + b"}", "it is not JSON"),
        (b'{"nerscope_judgements": "\xff"}', "it is not JSON"),
        (NEST, "it is not JSON"),
        (b"{}", "it holds no judgements"),
        (b'{"nerscope_judgements": 0, "pairs": []}', "it holds no judgements"),
        (b'{"nerscope_judgements": true, "pairs": []}', "it holds no judgements"),
        (b'{"nerscope_judgements": "1", "pairs": []}', "it holds no judgements"),
        (b'{"nerscope_judgements": 1.0, "pairs": []}', "it holds no judgements"),
        (b'{"nerscope": "0.1", "format": 1, "rows": []}', "it holds no judgements"),
        (b'{"nerscope_judgements": 2, "pairs": []}', "its format is 2, this version reads 1"),
        (b'{"nerscope_judgements": ' + b"9" * 4000 + b"}", "this version reads 1"),
        (b'{"nerscope_judgements": 1}', "the key 'pairs' is missing"),
        (b'{"nerscope_judgements": 1, "pairs": {}}', "invalid value {} for 'pairs'"),
        (b'{"nerscope_judgements": 1, "pairs": null}', "invalid value null for 'pairs'"),
    ],
)
def test_a_file_that_is_none_of_judgements_is_refused(
    content: bytes, fact: str, tmp_path: Path
) -> None:
    path = tmp_path / "j.json"
    path.write_bytes(content)
    with pytest.raises(InputError) as caught:
        read_judgements(path)
    assert caught.value.place == str(path)
    assert fact in caught.value.fact
    assert len(str(caught.value)) < 1000


PAIR, MENTION = pair(), mention()


@pytest.mark.parametrize(
    ("bad", "fact"),
    [
        (None, "null is not a pair"),
        (7, "7 is not a pair"),
        ([pair()], "is not a pair"),
        *((without(PAIR, key), f"the key '{key}' is missing") for key in PAIR),
        *((pair(gold=without(MENTION, key)), f"the key '{key}' is missing") for key in MENTION),
        *(
            (pair(predicted=without(MENTION, key)), f"the key '{key}' is missing")
            for key in MENTION
        ),
        (pair(dataset=None), "invalid value null for 'dataset'"),
        (pair(dataset=1), "invalid value 1 for 'dataset'"),
        (pair(sentence="12"), "invalid value '12' for 'sentence'"),
        (pair(sentence=12.0), "invalid value 12.0 for 'sentence'"),
        (pair(sentence=True), "invalid value true for 'sentence'"),
        (pair(sentence=0), "invalid value 0 for 'sentence'"),
        (pair(sentence=10**400), f"invalid value {reprlib.repr(10**400)} for 'sentence'"),
        (pair(gold=None), "invalid value null for 'gold'"),
        (pair(gold=[3, 5]), "invalid value [3, 5] for 'gold'"),
        (pair(predicted="Eve"), "invalid value 'Eve' for 'predicted'"),
        (pair(gold=mention(start=-1)), "invalid value -1 for 'start'"),
        (pair(gold=mention(start=2**31)), "invalid value 2147483648 for 'start'"),
        (pair(gold=mention(start=5)), "invalid value 5 for 'end'"),
        (pair(gold=mention(end=10**30)), f"invalid value {reprlib.repr(10**30)} for 'end'"),
        (pair(gold=mention(end=False)), "invalid value false for 'end'"),
        (pair(gold=mention(type=None)), "invalid value null for 'type'"),
        (pair(gold=mention(text=["Eve"])), "invalid value ['Eve'] for 'text'"),
        (pair(systems=["crf"]), "invalid value ['crf'] for 'systems'"),
        (pair(systems={"crf": 0.5}), "invalid value 0.5 for 'crf'"),
        (pair(systems={"crf": ["left"]}), "invalid value ['left'] for 'crf'"),
        (pair(systems={"crf": {"left": "0.5"}}), "invalid value '0.5' for 'left'"),
        (pair(systems={"crf": {"left": True}}), "invalid value true for 'left'"),
        (pair(systems={"crf": {"left": 1.5}}), "invalid value 1.5 for 'left'"),
        (
            pair(systems={"crf": {"left": 10**400}}),
            f"invalid value {reprlib.repr(10**400)} for 'left'",
        ),
        (pair(systems={"crf": {"left": -0.5}}), "invalid value -0.5 for 'left'"),
        (pair(systems={"crf": {"left": None}}), "invalid value null for 'left'"),
        (pair(judgement=None), "invalid value null for 'judgement'"),
        (pair(judgement=1), "invalid value 1 for 'judgement'"),
        (pair("maybe"), "unknown judgement 'maybe'"),
        (pair("x" * 10_000), "unknown judgement"),
        (pair("bad", sentence=1), "this pair is there twice"),
        (pair("", sentence=1), "this pair is there twice"),
        (pair(sentence=1, gold=mention(text="Eva Lee")), "this pair is there twice"),
    ],
)
def test_a_pair_that_cannot_be_is_refused_with_its_number(
    bad: Any, fact: str, tmp_path: Path
) -> None:
    path = written(tmp_path / "j.json", [pair(sentence=1), pair(sentence=2), bad, None])
    with pytest.raises(InputError) as caught:
        read_judgements(path)
    assert caught.value.place == f"{path}: pair 3"
    assert fact in caught.value.fact
    assert len(str(caught.value)) < 1000


def test_infinity_in_disguise_is_no_credit(tmp_path: Path) -> None:
    path = written(tmp_path / "j.json", [pair(systems={"crf": {"left": 0.25}})])
    path.write_text(path.read_text().replace("0.25", "1e999"))
    with pytest.raises(InputError, match="invalid value inf for 'left'"):
        read_judgements(path)


def test_a_list_in_csv_says_no_places(tmp_path: Path) -> None:
    path = tmp_path / "pairs.csv"
    path.write_text("system,credit left,judgement\ns,0.5,good\n")
    with pytest.raises(InputError, match="does not hold the tokens"):
        read_pairs(path)


def places(value: Any, at: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Everything inside of a value, by the keys that lead there."""
    inside = value.items() if isinstance(value, dict) else enumerate(value)
    found = [at]
    for key, one in inside:
        here = (*at, key)
        found += places(one, here) if isinstance(one, dict | list) else [here]
    return found


CONTENT = {"nerscope_judgements": 1, "pairs": [pair(), pair("bad", sentence=13)]}
ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=2), inner),
    max_leaves=4,
)


@given(at=st.sampled_from([at for at in places(CONTENT) if at]), value=ANYTHING)
def test_whatever_stands_anywhere_is_read_or_refused(
    at: tuple[Any, ...], value: Any, tmp_path_factory: pytest.TempPathFactory
) -> None:
    content: Any = copy.deepcopy(CONTENT)
    inner = content
    for key in at[:-1]:
        inner = inner[key]
    inner[at[-1]] = value
    path = tmp_path_factory.getbasetemp() / "any.json"
    path.write_text(json.dumps(content), encoding="utf-8")
    try:
        read_pairs(path)
    except InputError as error:
        assert error.place.startswith(str(path))
        assert error.fix


@given(data=st.binary(max_size=40).map(lambda data: b"{" + data))
def test_whatever_begins_like_json_is_read_or_refused(
    data: bytes, tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.getbasetemp() / "bytes.json"
    path.write_bytes(data)
    with pytest.raises(InputError):
        read_judgements(path)
