"""Results of many kinds, small enough to count by hand: what every page must show correctly."""

import json
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any

from tests.scoring.toys import TYPES, drawn, noisy

import nerscope
from nerscope.results.errors import MentionRow, mention_records
from nerscope.results.results import Results

Spans = list[tuple[list[str], list[tuple[int, int, str]]]]
ErrorKey = tuple[str, str, str, str | None, str | None, str]  # dataset, system, run, types, outcome


def nested(sentences: int, seed: int) -> Spans:
    """Sentences of eight words with up to four mentions, some inside others."""
    random = Random(seed)
    found: Spans = []
    for _ in range(sentences):
        spans = set()
        for _ in range(random.randint(0, 4)):
            start = random.randrange(8)
            end = random.randint(start + 1, min(8, start + 4))
            spans.add((start, end, random.choice(TYPES)))
        found.append(([f"w{random.randrange(30)}" for _ in range(8)], sorted(spans)))
    return found


def changed(gold: Spans, seed: int) -> Spans:
    """The same sentences; some mentions are left out, moved or retyped, others are new."""
    random = Random(seed)
    found: Spans = []
    for words, spans in gold:
        other = set()
        for start, end, kind in spans:
            fate = random.random()
            if fate < 0.5:
                other.add((start, end, kind))
            elif fate < 0.7:
                other.add((start, min(8, end + 1), kind))
            elif fate < 0.85:
                other.add((start, end, random.choice(TYPES)))
        if random.random() < 0.3:
            other.add((random.randrange(7), 8, random.choice(TYPES)))
        found.append((words, sorted(other)))
    return found


def answered(gold: Any, seed: int) -> Any:
    """Answers of a model that leaves out, repeats and makes up mentions, and breaks off."""
    random = Random(seed)
    said = []
    for words, labels in gold:
        named = [
            {"text": word, "type": label[2:]}
            for word, label in zip(words, labels, strict=True)
            if label.startswith("B-") and random.random() < 0.8
        ]
        if random.random() < 0.4:
            named += [{"text": random.choice(["Zaphod", "Eve"]), "type": "PER"}]
        if random.random() < 0.2:
            named += [{"text": words[0], "type": "GOD"}] * 5
        text = json.dumps(named)
        said.append("I cannot" if random.random() < 0.05 else text[: -1 if seed % 2 else None])
    return nerscope.answers(said)


@cache
def case(name: str) -> Results:
    """The results of a kind."""
    return CASES[name]()


def several_runs(**options: Any) -> Results:
    gold = drawn(60, 1)
    outputs = {
        "x": [noisy(gold, 0.1, seed) for seed in (2, 3, 4)],
        "y": [noisy(gold, 0.3, 5), noisy(gold, 0.3, 6)],
        "z": noisy(gold, 0.2, 7),
    }
    return nerscope.evaluate(gold, outputs, train=drawn(40, 8), dataset="toy", **options)


def of_nested_mentions() -> Results:
    gold = nested(60, 1)
    outputs = {"x": [changed(gold, 2), changed(gold, 3)], "y": changed(gold, 4)}
    return nerscope.evaluate(gold, outputs, train=nested(40, 5), dataset="nested")


def of_answers(**options: Any) -> Results:
    gold = drawn(50, 1)
    outputs: Any = {"llm": [answered(gold, 2), answered(gold, 3)], "crf": noisy(gold, 0.2, 4)}
    return nerscope.evaluate(gold, outputs, dataset="answers", **options)


def one_system() -> Results:
    gold = drawn(40, 1)
    return nerscope.evaluate(gold, {"x": noisy(gold, 0.2, 2)}, dataset="alone")


def three_columns() -> Results:
    gold = drawn(40, 1)
    lines = []
    for (words, labels), (_, predicted) in zip(gold, noisy(gold, 0.2, 2), strict=True):
        columns = zip(words, labels, predicted, strict=True)
        lines += [" ".join(row) for row in columns] + [""]
    with TemporaryDirectory() as folder:
        path = Path(folder) / "test.conll"
        path.write_text("\n".join(lines), encoding="utf-8")
        return nerscope.evaluate(str(path))


def of_records() -> Results:
    records = [
        {"id": "a1", "text": "Ada (London) wrote.", "spans": [[0, 3, "PER"], [5, 11, "LOC"]]},
        {"id": "b2", "text": "He left Oslo.\nShe stayed.", "spans": [[8, 12, "LOC"]]},
    ]
    lines = [
        {**record, "spans": [dict(zip(("start", "end", "label"), s, strict=True)) for s in spans]}
        for record in records
        for spans in [record["spans"]]
    ]
    lines = json.loads(json.dumps(lines))
    other = json.loads(json.dumps(lines))
    other[0]["spans"][1]["label"] = "ORG"
    with TemporaryDirectory() as folder:
        paths = [str(Path(folder) / name) for name in ("gold.jsonl", "x.jsonl")]
        for path, content in zip(paths, (lines, other), strict=True):
            text = "\n".join(map(json.dumps, content))
            Path(path).write_text(text, encoding="utf-8")
        return nerscope.evaluate(paths[0], {"x": paths[1]})


def several_datasets() -> Results:
    first, second = several_runs(), of_nested_mentions()
    return Results([*first.evidence, *second.evidence], [*first.losses, *second.losses])


def demo() -> Results:
    """The data of `nerscope demo`."""
    folder = Path(nerscope.__file__).parent / "demo"
    runs: dict[str, list[str]] = {}
    for path in sorted((folder / "systems").glob("*.conll")):
        runs.setdefault(path.name.split(".")[0], []).append(str(path))
    train, test = str(folder / "train.conll"), str(folder / "test.conll")
    return nerscope.evaluate(test, runs, train=train, dataset="demo")


CASES = {
    "several runs": several_runs,
    "nested": of_nested_mentions,
    "answers": of_answers,
    "no texts": lambda: several_runs(texts=False),
    "answers without texts": lambda: of_answers(texts=False),
    "one system": one_system,
    "three columns": three_columns,
    "records": of_records,
    "several datasets": several_datasets,
    "demo": demo,
}
# The same results as sums; the sample of sentences has all of these few.
FOLDED = {"folded": lambda: several_runs(fold=True)}


def kept(name: str) -> Results:
    """The results of a kind with their single mentions."""
    return case("several runs" if name in FOLDED else name)


def naive_sums(results: Results) -> Counter[ErrorKey]:
    """How often types meet with an outcome, counted mention by mention."""
    return Counter(_keys(mention_records(results)))


def _keys(rows: Iterator[MentionRow]) -> Iterator[ErrorKey]:
    for row in rows:
        head = (row.dataset, row.system, row.run)
        if row.side == "gold":
            yield (*head, row.type, row.other_type, row.outcome)
        elif row.other_start is None:
            yield (*head, None, row.type, row.outcome)
