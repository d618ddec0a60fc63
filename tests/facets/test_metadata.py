"""Facets of metadata: what the records of gold say about themselves divides their mentions."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

import nerscope as ns
from nerscope.errors import UsageError

# Two mentions of news, one of the web, one of a record without a genre.
RECORDS: list[dict[str, Any]] = [
    {"text": "Ada met Bob", "spans": [[0, 3, "PER"], [8, 11, "PER"]], "meta": {"genre": "news"}},
    {"text": "Eve spoke", "spans": [[0, 3, "PER"]], "genre": "web"},
    {"text": "Tom left", "spans": [[0, 3, "PER"]]},
]
SIZES = {"news": 2, "web": 1, "(none)": 1, "(other)": 0}


def write_json(folder: Path) -> Path:
    path = folder / "gold.jsonl"
    path.write_text("".join(json.dumps(record) + "\n" for record in RECORDS))
    return path


def write_tasks(folder: Path) -> Path:
    path = folder / "tasks.json"
    tasks = [
        {
            "id": number,
            "data": {
                "text": record["text"],
                **record.get("meta", {}),
                **({"genre": record["genre"]} if "genre" in record else {}),
            },
            "annotations": [
                {
                    "result": [
                        {"type": "labels", "value": {"start": a, "end": b, "labels": [kind]}}
                        for a, b, kind in record["spans"]
                    ]
                }
            ],
        }
        for number, record in enumerate(RECORDS)
    ]
    path.write_text(json.dumps(tasks))
    return path


def write_comments(folder: Path) -> Path:
    path = folder / "gold.conll"
    path.write_text(
        "# newdoc id = one\n# genre = news\nAda B-PER\nmet O\nBob B-PER\n\n"
        "# newdoc id = two\n# meta::genre = web\nEve B-PER\nspoke O\n\n"
        "# newdoc id = three\nTom B-PER\nleft O\n"
    )
    return path


def write_csv(folder: Path) -> Path:
    path = folder / "gold.csv"
    path.write_text(
        "sentence_id,token,label,genre\n1,Ada,B-PER,news\n1,met,O,news\n1,Bob,B-PER,news\n"
        "2,Eve,B-PER,web\n2,spoke,O,web\n3,Tom,B-PER,\n3,left,O,\n"
    )
    return path


def write_parquet(folder: Path) -> Path:
    pandas = pytest.importorskip("pandas")
    rows = [
        {"tokens": record["text"].split(), "ner_tags": tags, "genre": genre}
        for record, tags, genre in zip(
            RECORDS,
            (["B-PER", "O", "B-PER"], ["B-PER", "O"], ["B-PER", "O"]),
            ("news", "web", None),
            strict=True,
        )
    ]
    path = folder / "gold.parquet"
    pandas.DataFrame(rows).to_parquet(path)
    return path


def sizes(results: ns.Results, facet: str = "meta.genre") -> Mapping[str, int | None]:
    rows = results.select(facet=facet, metric="recall", run=None, type=None)
    return {row.level: row.n for row in rows}


@pytest.mark.parametrize(
    "write", [write_json, write_tasks, write_comments, write_csv, write_parquet]
)
def test_metadata_of_every_format_divide_mentions(write: Any, tmp_path: Path) -> None:
    gold = write(tmp_path)
    output = write_json(tmp_path)
    results = ns.evaluate(gold, {"s": output}, facets=["meta.genre"])
    assert dict(sorted(sizes(results).items())) == dict(sorted(SIZES.items()))
    assert results.value(facet="meta.genre", level="news", metric="f1") == 1.0


def test_a_column_is_metadata(tmp_path: Path) -> None:
    gold = tmp_path / "gold.conll"
    gold.write_text("Ada x B-PER\nmet x O\n\nEve y B-PER\n")
    output = tmp_path / "s.conll"
    output.write_text("Ada B-PER\nmet O\n\nEve O\n")
    results = ns.evaluate(gold, {"s": output}, facets=["meta.1"])
    assert sizes(results, "meta.1") == {"x": 1, "y": 1, "(other)": 0}


def test_predictions_have_the_metadata_of_their_sentence(tmp_path: Path) -> None:
    gold = write_json(tmp_path)
    output = tmp_path / "s.jsonl"
    spans: list[list[Any]] = [[], [[0, 3, "PER"], [4, 9, "LOC"]], []]
    texts = [record["text"] for record in RECORDS]
    lines = [json.dumps({"text": t, "spans": s}) for t, s in zip(texts, spans, strict=True)]
    output.write_text("\n".join(lines))
    results = ns.evaluate(gold, {"s": output}, facets=["meta.genre", "meta.genre=web & type=PER"])
    assert results.value(facet="meta.genre", level="web", metric="precision") == 0.5
    inside = results.value(facet="meta.genre=web & type=PER", level="in", metric="precision")
    assert inside == 1.0


@pytest.mark.parametrize(
    ("write", "facet", "fact"),
    [
        (write_json, "meta.date", "no record has metadata with the key 'date'"),
        (write_comments, "meta.date", "no record has metadata with the key 'date'"),
        (write_csv, "meta.date", "unknown column 'date'"),
        (write_parquet, "meta.date", "unknown column 'date'"),
        (write_json, "meta.", "unknown facet"),
    ],
)
def test_unknown_metadata_are_refused(write: Any, facet: str, fact: str, tmp_path: Path) -> None:
    gold = write(tmp_path)
    with pytest.raises(UsageError, match=fact):
        ns.evaluate(gold, {"s": gold}, facets=[facet])


def test_sentences_in_memory_have_no_metadata() -> None:
    gold = [(["Ada"], ["B-PER"])]
    with pytest.raises(UsageError, match=r"no metadata for the facet meta\.genre.*# genre = news"):
        ns.evaluate(gold, {"s": gold}, facets=["meta.genre"])
