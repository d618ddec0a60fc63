"""What a user may choose: every choice is checked at once."""

from typing import Any

import pytest
from tests.scoring.toys import corpus

import nerscope
from nerscope.errors import UsageError
from nerscope.evaluation.settings import (
    STANDARD_FACETS,
    Settings,
    attributes_of,
    base_facets,
    dataset_name,
    matchers_of,
)

GOLD = corpus("Ada/B-PER met Oslo/B-LOC")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        # misspelt names of options
        (
            {"facet": ["tmr"]},
            "option 'facet': there is no such option. Remedy: did you mean 'facets'",
        ),
        # misspelt values
        ({"repair": "conleval"}, "did you mean 'conlleval'"),
        ({"token_repair": "discard"}, "there is no 'discard'. Remedy: Known: conlleval, strict"),
        ({"token_match": "bilu"}, "did you mean 'bilou'"),
        ({"bucketing": "equal"}, "there is no 'equal'"),
        ({"matches": ["lft"]}, "did you mean 'left'"),
        ({"metrics": ["f3"]}, "there is no metric"),
        ({"facets": ["tnr"]}, "did you mean 'tmr'"),
        # numbers that make no sense
        ({"buckets": 1}, "1 cannot be"),
        ({"buckets": "4"}, "'4' cannot be"),
        ({"zero_division": 0.5}, "0.5 cannot be"),
        ({"edges": {"eLen": [2, 1]}}, "do not increase"),
        ({"edges": {"tmr": [1]}}, "this facet has no buckets"),
        ({"edges": {"elen": [1]}}, "did you mean 'eLen'"),
    ],
)
def test_a_choice_that_does_not_exist_is_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        nerscope.evaluate(GOLD, {"s": GOLD}, **options)


@pytest.mark.parametrize("option", ["facets", "matches", "metrics"])
def test_one_name_in_place_of_a_list_is_one_name(option: str) -> None:
    name = {"facets": "eLen", "matches": "left", "metrics": "f1"}[option]
    assert getattr(Settings.of({option: name}), option) == (name,)


def test_lists_become_fixed() -> None:
    chosen = Settings.of({"facets": ["tmr"], "matches": None, "metrics": ["f1"]})
    assert (chosen.facets, chosen.matches, chosen.metrics) == (("tmr",), None, ("f1",))


@pytest.mark.parametrize(
    ("facets", "with_train", "names"),
    [
        (None, True, list(STANDARD_FACETS)),
        (None, False, []),
        ([], True, []),
        (["tmr", "all", "tmr"], True, ["tmr"]),
        (["eLen=XL & tmr=seen", "sLen"], True, ["eLen", "tmr", "sLen"]),
        (["type=PER"], False, []),
    ],
)
def test_facets_that_are_needed(
    facets: list[str] | None, with_train: bool, names: list[str]
) -> None:
    subsets = Settings.of({"facets": facets}).subsets(with_train)
    assert base_facets(subsets, with_train) == names
    assert {one.name for one in attributes_of(names)} == set(names) - {"tmr", "hard", "hard-strict"}


@pytest.mark.parametrize(
    ("options", "part"),
    [
        (
            {},
            {
                "match": "exact+left+right+overlap",
                "ter": "bilou/strict",
                "zero_division": "undefined",
            },
        ),
        ({"matches": ["iou", "exact"]}, {"match": "iou+exact"}),
        ({"token_match": "io", "token_repair": "conlleval"}, {"ter": "io/conlleval"}),
        ({"zero_division": 0}, {"zero_division": "0"}),
        ({"zero_division": 1.0}, {"zero_division": "1"}),
        ({"repair": "discard"}, {"repair": "discard"}),
    ],
)
def test_the_signature_tells_settings_apart(options: dict[str, Any], part: dict[str, str]) -> None:
    assert Settings.of(options).signature().items() >= part.items()


def test_exact_match_is_always_computed() -> None:
    assert list(matchers_of(Settings.of({"matches": ["left"]}))) == ["exact", "left"]


@pytest.mark.parametrize(
    ("source", "name"),
    [
        ("data/conll.test.txt", "conll.test"),
        ("<gold>", "gold"),
        ("wnut.conll", "wnut"),
        ("<>", "test"),
        ("", "test"),
    ],
)
def test_a_dataset_is_named_after_its_file(source: str, name: str) -> None:
    assert dataset_name(source) == name


def test_chosen_metrics_hold_for_mentions_and_leave_tokens_alone() -> None:
    results = nerscope.evaluate(
        GOLD, {"s": GOLD}, train=GOLD, facets=["tmr", "hard"], metrics=["f0.5", "macro_f1"]
    )
    assert {row["metric"] for row in results.select(facet="tmr")} == {"f0.5", "macro_f1"}
    assert {row["metric"] for row in results.select(facet="hard")} == {
        "ter",
        "error_share",
        "hardeval",
    }


def test_zero_division_leaves_nothing_undefined() -> None:
    results = nerscope.evaluate(GOLD, {"s": corpus("Ada met Oslo")}, train=GOLD, zero_division=0.0)
    undefined = {
        (row["facet"], row["match"], row["metric"]) for row in results.rows if row["value"] is None
    }
    assert undefined == set()
