"""Real exports of many tools open with the mentions that an independent parser counted."""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

import nerscope as ns
from nerscope.corpus.corpus import Corpus
from nerscope.formats.base import read, source_named

pytestmark = pytest.mark.corpora

# The options that a file needs besides those of the index.
CHOICES = {"doccano_labeling.jsonl": "annotator=all"}


def entries(shared: Path) -> list[dict[str, Any]]:
    listed: list[dict[str, Any]] = json.loads((shared / "real" / "index.json").read_text())
    return listed


def opened(shared: Path, entry: dict[str, Any]) -> Corpus:
    name = entry["file"]
    options = entry.get("options") or CHOICES.get(name) or ""
    mark = "::" if options else ""
    return read(source_named(f"{shared / 'real' / name}{mark}{options}"))


def counts(corpus: Corpus) -> dict[str, int]:
    types = corpus.coding.labels.types
    return dict(Counter(types[kind] for kind in corpus.mentions().type.tolist()))


def test_every_file_opens_with_its_mentions_and_comes_back_from_json_lines(
    shared: Path, tmp_path: Path
) -> None:
    wrong = []
    for number, entry in enumerate(entries(shared)):
        corpus = opened(shared, entry)
        target = tmp_path / f"{number}.jsonl"
        ns.convert(corpus, target)
        again = read(target)
        if not counts(corpus) == counts(again) == entry["expected"]:
            wrong.append((entry["file"], counts(corpus), counts(again)))
    assert not wrong


def test_a_run_of_hipe_has_its_official_score(shared: Path) -> None:
    [entry] = [entry for entry in entries(shared) if "official" in entry]
    gold, output = (shared / "real" / entry[key] for key in ("gold", "file"))
    results = ns.evaluate(gold, {"s": output})
    for metric, name in (("precision", "P"), ("recall", "R"), ("f1", "F1")):
        assert results.value(metric=metric) == pytest.approx(entry["official"][name], abs=5e-4)
