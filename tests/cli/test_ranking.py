"""`nerscope compare --ranking`: all systems in order, in every format."""

import json
from pathlib import Path
from typing import Any

import pytest
from tests.cli.conftest import Run
from tests.scoring.toys import drawn, noisy

import nerscope
from nerscope.results.ranking import RankingRow

GOLD = drawn(120, seed=1)
RATES = {"bad": 0.5, "good": 0.05, "like": 0.06, "mid": 0.25}


@pytest.fixture
def saved(tmp_path: Path) -> str:
    outputs = {name: noisy(GOLD, rate, 5) for name, rate in RATES.items()}
    results = nerscope.evaluate(GOLD, outputs)
    results.save(tmp_path / "r.json")
    return str(tmp_path / "r.json")


def test_the_table_alone_in_every_format(saved: str, run: Run) -> None:
    def printed(form: str) -> str:
        outcome = run("compare", saved, "--ranking", "--samples", "300", "--format", form)
        assert outcome.code == 0, outcome.err
        return outcome.out

    text = printed("text")
    assert text.startswith("Ranking by F1: ") and "P(4)" in text and "is better than" not in text
    assert "systems with a common letter do not differ (corrected p ≥ 0.05)" in text
    assert "\\textsuperscript{a}" in printed("latex") and "& group &" not in printed("latex")
    assert "| 1 | good |" in printed("markdown")
    header, *_ = printed("csv").split("\n")
    assert header.endswith("p_rank_1,p_rank_2,p_rank_3,p_rank_4,signature")
    ranking: list[dict[str, Any]] = json.loads(printed("json"))["ranking"]
    assert set(ranking[0]) == set(RankingRow.__dataclass_fields__)
    assert [row["system"] for row in ranking] == ["good", "like", "mid", "bad"]


def test_the_json_of_a_comparison_has_the_ranking(saved: str, run: Run) -> None:
    outcome = run("compare", saved, "--samples", "100", "--facet", "all", "--format", "json")
    assert [row["rank"] for row in json.loads(outcome.out)["ranking"]] == [1, 2, 3, 4]


def test_a_ranking_of_named_systems_is_refused(saved: str, run: Run) -> None:
    outcome = run("compare", saved, "good", "bad", "--ranking")
    assert outcome.code == 2 and "--ranking: a ranking has all systems" in outcome.err
