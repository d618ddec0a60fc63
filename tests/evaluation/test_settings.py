"""What a user may choose: every choice is checked at once."""

from typing import Any

import pytest
from tests.scoring.toys import corpus

import nerscope
from nerscope.engines.local import Local
from nerscope.errors import UsageError
from nerscope.evaluation.plan import facet_tables, make_plan, select_subsets
from nerscope.evaluation.task import Settings, open_task
from nerscope.facets.facet import FACETS

GOLD = corpus("Ada/B-PER met Oslo/B-LOC")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        # misspelt names of options
        (
            {"facet": ["tmr"]},
            "option 'facet': unknown option. Fix: did you mean 'facets'",
        ),
        # misspelt values
        ({"repair": "conleval"}, "did you mean 'conlleval'"),
        ({"token_repair": "discard"}, "'discard'. Fix: choose one of: conlleval, strict"),
        ({"token_match": "bilu"}, "did you mean 'bilou'"),
        ({"bucketing": "equal"}, "unknown value 'equal'"),
        ({"matches": ["lft"]}, "did you mean 'left'"),
        ({"metrics": ["f3"]}, "unknown metric"),
        ({"metrics": 3}, "invalid value 3. Fix: give a name or a list of names"),
        ({"matches": [3]}, "give a name or a list of names"),
        ({"facets": ["tnr"]}, "did you mean 'tmr'"),
        # numbers that make no sense
        ({"buckets": 1}, "invalid value 1"),
        ({"buckets": "4"}, "invalid value '4'"),
        ({"zero_division": 0.5}, "invalid value 0.5"),
        ({"edges": [1]}, "give a list for each attribute"),
        ({"edges": {"eLen": [2, 1]}}, "are not increasing numbers"),
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


STANDARD = [name for name in FACETS if FACETS[name].standard]


@pytest.mark.parametrize(
    ("facets", "with_train", "names"),
    [
        (None, True, STANDARD),
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
    subsets = select_subsets(Settings.of({"facets": facets}), with_train=with_train)
    assert [name for subset in subsets for name in subset.facets()] == names
    train = GOLD if with_train else None
    task = open_task(GOLD, {"s": GOLD}, train, None, Settings.of({"facets": facets}))
    plan = make_plan(task, Local()).plan
    assert [facet.name for facet in plan.facets] == names
    assert list(dict.fromkeys(one.facet for one in facet_tables(plan))) == ["all", *names]


def test_the_standard_facets_are_those_of_the_papers() -> None:
    assert {"tmr", "hard", "hard-strict", "eLen", "sLen", "tCon"} <= set(STANDARD)


NESTED: list[Any] = [(["New", "York", "Times"], [(0, 2, "LOC"), (0, 3, "ORG")])]


def test_tokens_have_no_facet_where_mentions_overlap() -> None:
    chosen = select_subsets(Settings(), with_train=True, flat=False)
    assert {FACETS[subset.text].unit for subset in chosen} == {"mention"}
    with pytest.raises(UsageError, match="mentions overlap, so tokens have no single label"):
        nerscope.evaluate(NESTED, {"s": NESTED}, train=NESTED, facets=["hard"])


@pytest.mark.parametrize(
    ("options", "part"),
    [
        (
            {},
            {
                "match": "exact+left+right+overlap",
                "ter": "bilou/strict",
                "zero_division": None,
            },
        ),
        ({"matches": ["iou", "exact"]}, {"match": "iou+exact"}),
        ({"token_match": "io", "token_repair": "conlleval"}, {"ter": "io/conlleval"}),
        ({"zero_division": 0}, {"zero_division": 0}),
        ({"zero_division": 1.0}, {"zero_division": 1}),
        ({"repair": "discard"}, {"repair": "discard"}),
        ({"buckets": 3}, {"buckets": "paper/3"}),
        ({"bucketing": "zero", "edges": {"eLen": [1]}}, {"buckets": "zero/4+eLen"}),
    ],
)
def test_the_signature_tells_settings_apart(options: dict[str, Any], part: dict[str, Any]) -> None:
    assert Settings.of(options).signature().items() >= part.items()


def test_exact_match_is_always_computed() -> None:
    task = open_task(GOLD, {"s": GOLD}, None, None, Settings.of({"matches": ["left"]}))
    plan = make_plan(task, Local()).plan
    assert [match.name for match in plan.matches] == ["exact", "left"]
    assert facet_tables(plan)[0].matches == ("left",)


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
    gold = nerscope.Corpus.of(GOLD, name=source)
    assert open_task(gold, {"s": GOLD}, None, None, Settings()).dataset == name
    assert open_task(gold, {"s": GOLD}, None, "own", Settings()).dataset == "own"


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
