"""Results in the light of judgements."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.results.judgements import written
from tests.scoring.toys import corpus, drawn, noisy

import nerscope
from nerscope.errors import InputError
from nerscope.results.judged import JudgedResults, judged_results, pair_records
from nerscope.results.judgements import read_pairs
from nerscope.results.results import Results
from nerscope.results.rows import plain_row

GOLD = corpus("New/B-LOC York/I-LOC and Ada/B-PER Lee/I-PER")
SHORT = corpus("New/B-LOC York and Ada Lee/B-PER")
LEFT = corpus("New/B-LOC York and Ada/B-PER Lee")


def evaluated(**options: Any) -> Results:
    """Two runs of one system, which share a pair, and one of another."""
    systems = {"s": [SHORT, LEFT], "t": [LEFT]}
    return nerscope.evaluate(GOLD, systems, dataset="d", **options)


def exported(results: Results) -> Any:
    """The pairs of results as JSON has them."""
    return json.loads(json.dumps(pair_records(results), default=plain_row))


def said(results: Results, *judgements: str) -> list[dict[str, Any]]:
    """The pairs of results (New, Ada, Lee), judged."""
    pairs = zip(exported(results), judgements, strict=True)
    return [{**pair, "judgement": one} for pair, one in pairs]


def judged(results: Results, folder: Path, *files: list[dict[str, Any]]) -> JudgedResults:
    paths = [written(folder / f"{number}.json", pairs) for number, pairs in enumerate(files)]
    return judged_results(results, [read_pairs(path) for path in paths])


def brief(found: JudgedResults) -> list[tuple[Any, ...]]:
    keys = ("system", "match", "pairs", "judged", "good")
    return [tuple(row[key] for key in keys) for row in found.shares]


def test_pairs_count_once_for_a_system_whichever_runs_made_them(tmp_path: Path) -> None:
    results = evaluated()
    found = judged(results, tmp_path, said(results, "good", "bad", ""))
    assert brief(found) == [
        ("s", "left", 2, 2, 1),
        ("s", "right", 1, 0, 0),
        ("s", "overlap", 3, 2, 1),
        ("t", "left", 2, 2, 1),
        ("t", "overlap", 2, 2, 1),
    ]
    assert found.shares[1]["share good"] is None
    assert (found.agreement, found.notes) == (None, [])


def test_all_judgements_of_a_pair_count_and_agreement_is_told(tmp_path: Path) -> None:
    results = evaluated()
    files = said(results, "good", "bad", "good"), said(results, "good", "good", "")
    found = judged(results, tmp_path, *files)
    assert brief(found)[2] == ("s", "overlap", 3, 5, 4)
    assert dict(found.agreement or {}) == {"judges": 2, "pairs": 2, "raw": 0.5, "kappa": 0.0}


def elsewhere(pair: dict[str, Any]) -> None:
    pair["sentence"] = 7


def renamed(pair: dict[str, Any]) -> None:
    pair["dataset"] = "e"


def retyped(pair: dict[str, Any]) -> None:
    pair["predicted"]["type"] = "ORG"


def reworded(pair: dict[str, Any]) -> None:
    pair["gold"]["text"] = "Old York"


def wordless(pair: dict[str, Any]) -> None:
    pair["gold"]["text"] = pair["predicted"]["text"] = None


def unjudged(pair: dict[str, Any]) -> None:
    pair.update(judgement="", sentence=7)


def by_nobody(pair: dict[str, Any]) -> None:
    pair["systems"] = {}


@pytest.mark.parametrize(
    ("change", "counts", "note"),
    [
        (elsewhere, False, "0.json: 1 judgement of pairs that are not in the results"),
        (renamed, False, "are not in the results (unknown dataset e)"),
        (retyped, False, "0.json: 1 judgement of pairs that are not in the results"),
        (reworded, False, "0.json: 1 judgement left out: the words at their place differ"),
        (wordless, True, "0.json: 1 judgement assigned by place alone"),
        (unjudged, False, ""),
        (by_nobody, True, ""),  # who made a pair is told by the results
    ],
)
def test_what_does_not_fit_is_told(
    change: Callable[[dict[str, Any]], None], counts: bool, note: str, tmp_path: Path
) -> None:
    results = evaluated()
    pairs = said(results, "good", "good", "good")
    change(pairs[0])
    found = judged(results, tmp_path, pairs)
    assert brief(found)[0][2:] == (2, 1 + counts, 1 + counts)
    assert len(found.notes) == bool(note)
    assert note in " ".join(found.notes)


def test_without_texts_the_place_decides_and_that_is_told(tmp_path: Path) -> None:
    pairs = said(evaluated(), "good", "good", "good")
    found = judged(evaluated(texts=False), tmp_path, pairs)
    assert brief(found)[0] == ("s", "left", 2, 2, 2)
    note = "3 judgements assigned by place alone, because texts are not kept"
    assert found.notes == [f"{tmp_path / '0.json'}: {note}"]


def test_results_without_partial_matches_have_no_shares(tmp_path: Path) -> None:
    pairs = said(evaluated(), "good", "bad", "")
    found = judged(evaluated(matches=["exact"]), tmp_path, pairs)
    assert found.shares == []
    assert "2 judgements of pairs that are not in the results" in found.notes[0]


def test_results_tell_their_shares_and_warn_of_what_does_not_fit(tmp_path: Path) -> None:
    results = evaluated()
    pairs = said(results, "good", "bad", "")
    path = written(tmp_path / "j.json", pairs)
    assert results.judged(path) == results.judged([str(path)])
    assert results.judged(path)[0] == {
        "dataset": "d",
        "system": "s",
        "match": "left",
        "pairs": 2,
        "judged": 2,
        "good": 1,
        "share good": 0.5,
    }
    elsewhere(pairs[0])
    with pytest.warns(UserWarning, match="1 judgement of pairs"):
        results.judged(written(path, pairs))
    with pytest.raises(InputError, match="it cannot be read"):
        results.judged([tmp_path / "none.json"])


@given(
    seed=st.integers(0, 50),
    words=st.lists(st.lists(st.sampled_from(["good", "bad", ""]), min_size=5), max_size=3),
)
def test_shares_are_those_of_a_naive_count(
    seed: int, words: list[list[str]], tmp_path_factory: pytest.TempPathFactory
) -> None:
    gold = drawn(6, seed)
    systems = {"s": [noisy(gold, 0.3, seed + run) for run in (1, 2)], "t": noisy(gold, 0.3, seed)}
    results = nerscope.evaluate(gold, systems)
    pairs = exported(results)
    files = [
        [{**pair, "judgement": own[k % len(own)]} for k, pair in enumerate(pairs)] for own in words
    ]
    found = judged(results, tmp_path_factory.getbasetemp(), *files)
    assert found.notes == []
    for row in found.shares:
        whose = [
            number
            for number, pair in enumerate(pairs)
            if row["match"] in pair["systems"].get(row["system"], {})
        ]
        votes = [file[number]["judgement"] for file in files for number in whose]
        assert row["pairs"] == len(whose)
        assert (row["judged"], row["good"]) == (
            len(votes) - votes.count(""),
            votes.count("good"),
        )


def test_json_holds_what_was_judged_beside_the_results(tmp_path: Path) -> None:
    results = evaluated()
    found = judged(results, tmp_path, said(results, "good", "bad", ""))
    content = json.loads(results.to_json(found.data))
    assert content["judged"]["shares"] == found.shares
    assert "judged" not in json.loads(results.to_json())
    assert Results.from_json(json.dumps(content)).rows == results.rows
