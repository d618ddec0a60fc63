"""Experiments with systems of other tokens beside plain ones, however the work is divided."""

import json
from pathlib import Path

import pytest

from nerscope import Results, load_experiment, run_experiment
from nerscope.experiment.cache import Cache

GOLD = "New B-LOC\nYork I-LOC\nwon O\n\nAda B-PER\nran O\n"
NESTED = [[["New York", "LOC"], ["York", "PER"], ["Eve", "PER"]], [["Ada", "PER"]]]
FLAT = [[["New York", "LOC"], ["Eve", "PER"]], [["Ada", "PER"]]]


def experiment(folder: Path, systems: str) -> Path:
    (folder / "gold.conll").write_text(GOLD, encoding="utf-8")
    (folder / "plain.conll").write_text(GOLD, encoding="utf-8")
    for name, said in (("nested", NESTED), ("flat", FLAT)):
        lines = (json.dumps({"entities": one}) + "\n" for one in said)
        (folder / f"{name}.jsonl").write_text("".join(lines), encoding="utf-8")
    path = folder / "e.toml"
    path.write_text(f'[datasets.d]\ntest = "gold.conll"\n[systems]\n{systems}', encoding="utf-8")
    return path


def results_of(path: Path, cache: Cache, workers: int = 1) -> Results:
    results, _ = run_experiment(load_experiment(path), cache=cache, workers=workers)
    return results


@pytest.mark.parametrize("answers", ["flat", "nested"])
@pytest.mark.parametrize("first", ["plain", "answers"])
def test_scores_stand_both_ways_for_all_systems(answers: str, first: str, tmp_path: Path) -> None:
    lines = [f'llm = "{answers}.jsonl"\n', 'plain = "plain.conll"\n']
    systems = "".join(lines if first == "answers" else reversed(lines))
    results = results_of(experiment(tmp_path, systems), Cache(None))
    cell = {"facet": "alignment", "level": "aligned", "metric": "precision", "match": "exact"}
    found = {row["system"]: row["value"] for row in results.select(**cell, type=None, run=None)}
    assert found == {"plain": 1.0, "llm": 1.0 if answers == "flat" else 2 / 3}
    assert "answers:next" in results.signature


def test_what_was_scored_before_an_answer_came_is_divided_too(tmp_path: Path) -> None:
    cache = Cache(tmp_path / "cache")
    results_of(experiment(tmp_path, 'plain = "plain.conll"\n'), cache)
    both = 'plain = "plain.conll"\nllm = "nested.jsonl"\n'
    later = results_of(experiment(tmp_path, both), cache)
    at_once = results_of(experiment(tmp_path, both), Cache(None))
    assert later.rows == at_once.rows
