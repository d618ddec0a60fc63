"""Parts are kept under a key that changes with whatever they depend on, and with nothing else."""

import io
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import fsspec
import pyarrow.parquet
import pytest

from nerscope import UsageError, evaluate, read
from nerscope.evaluation.identity import checkpoint_key
from nerscope.evaluation.task import Settings, open_task
from nerscope.formats.base import open_source

ADA = "Ada B-PER\nspoke O\n\n"
SENTENCES = [(["Ada"], ["B-PER"])]
HEAD = "#FORMAT=WebAnno TSV 3.3\n#T_SP=custom.Name|kind\n#T_SP=custom.Place|kind\n\n\n"
TSV = HEAD + "#Text=Ada\n1-1\t0-3\tAda\tPER\tLOC\t\n"


@pytest.fixture
def key(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[Any], str]:
    monkeypatch.chdir(tmp_path)
    Path("gold.txt").write_text(ADA)

    def of(train: Any) -> str:
        return checkpoint_key(
            open_task("gold.txt", {"s": "gold.txt"}, train, None, Settings.of({}))
        )

    return of


@pytest.mark.parametrize(
    ("name", "content", "options"),
    [
        ("a.txt", ADA, [{}, {"scheme": "bio"}, {"scheme": "io"}, {"encoding": "latin-1"}]),
        (
            "a.jsonl",
            json.dumps({"tokens": ["Ada"], "ner_tags": [1]}),
            [{"names": ["O", "B-PER"]}, {"names": ["O", "B-LOC"]}, {"scheme": "bio"}],
        ),
        ("a.tsv", TSV, [{"layer": "custom.Name"}, {"layer": "custom.Place"}]),
    ],
)
def test_options_of_a_file_make_another_key(
    key: Callable[[Any], str], name: str, content: str, options: list[dict[str, Any]]
) -> None:
    Path(name).write_text(content)
    keys = [key(open_source(name, **said)) for said in options]
    assert len({*keys}) == len(options)
    assert keys == [key(open_source(name, **said)) for said in options]


def test_a_table_has_the_same_key_each_time(key: Callable[[Any], str]) -> None:
    pyarrow.parquet.write_table(
        pyarrow.table({"tokens": [["Ada"]], "labels": [["B-PER"]]}), "a.parquet"
    )
    source = open_source("a.parquet")
    assert key(source) == key("a.parquet") != key(open_source("a.parquet", scheme="bio"))
    assert source.always_flat  # for which the first row was looked at
    assert key(source) == key("a.parquet")


def test_what_was_read_once_is_known_by_its_bytes(key: Callable[[Any], str]) -> None:
    assert key(io.StringIO(ADA)) == key(io.StringIO(ADA)) != key(io.StringIO("Eve B-PER\n"))


@pytest.mark.parametrize("changed", ["notes/a.ann", "notes/a.txt"])
@pytest.mark.parametrize("train", ["notes", "notes/a.txt"])
def test_annotations_beside_a_text_are_looked_at(
    key: Callable[[Any], str], changed: str, train: str
) -> None:
    Path("notes").mkdir()
    Path("notes/a.txt").write_text("Ada spoke.")
    Path("notes/a.ann").write_text("T1\tPER 0 3\tAda\n")
    before = key(train)
    assert key(train) == before
    os.utime(changed, ns=(0, 0))
    assert key(train) != before


def test_shards_and_answers_are_known_by_each_of_their_files(key: Callable[[Any], str]) -> None:
    for number in range(2):
        Path(f"t{number}.txt").write_text(ADA)
        Path(f"a{number}.jsonl").write_text('{"PER": ["Ada"]}\n')
    answers = open_source("a*.jsonl", format="answers")
    before = key("t*.txt"), key(answers)
    os.utime("t1.txt", ns=(0, 0))
    os.utime("a1.jsonl", ns=(0, 0))
    after = key("t*.txt"), key(answers)
    assert all(one != other for one, other in zip(before, after, strict=True))


def test_training_data_are_no_system(key: Callable[[Any], str]) -> None:
    task = open_task("gold.txt", {"s": "gold.txt", "t": "gold.txt"}, None, None, Settings.of({}))
    assert checkpoint_key(task) != key("gold.txt")


@pytest.mark.parametrize(
    ("given", "name"),
    [
        (lambda: SENTENCES, "<train>"),
        (lambda: read("gold.txt"), "gold.txt"),
        (lambda: open_source(SENTENCES, "gold.txt"), "gold.txt"),
        (lambda: ["gold.txt", open_source(SENTENCES, "odd[1]")], "odd[1]"),
        (lambda: io.StringIO('{"tokens": ["Ada"], "labels": ["O"]}'), "<train>"),
        (lambda: open_source("memory://t.txt"), "memory://t.txt"),
    ],
)
def test_what_is_no_file_is_refused(
    key: Callable[[Any], str], given: Callable[[], Any], name: str
) -> None:
    fsspec.filesystem("memory").pipe("/t.txt", ADA.encode())
    with pytest.raises(UsageError) as error:
        key(given())
    assert error.value.fact.startswith(f"{name} is not a local file")


def test_tables_in_memory_are_refused_whatever_their_name(key: Callable[[Any], str]) -> None:
    table = pyarrow.table({"tokens": [["Ada"]], "labels": [["B-PER"]]})
    for name in ("<train>", "gold.txt"):
        with pytest.raises(UsageError, match="not a local file"):
            key(open_source(table, name))


def test_nothing_is_kept_for_lists(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="<gold> is not a local file"):
        evaluate(SENTENCES, {"s": SENTENCES}, checkpoint=tmp_path / "kept")
    assert not (tmp_path / "kept").exists()
