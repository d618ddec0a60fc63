"""Documents of several files are counted alike, however much is read at once, and by whom."""

import json
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import nerscope
from nerscope.engines.base import Engine, Item, Part, State
from nerscope.engines.local import Local


class Apart:
    """An engine that gets pieces, as if they left this process."""

    remote = True

    def map(
        self, work: Callable[[State, Item], Part], state: State, items: Iterable[Item]
    ) -> Iterator[Part]:
        return (work(state, item) for item in items)


@pytest.fixture(autouse=True)
def _small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("nerscope.formats.shards._SHARD_SIZE", 60)
    monkeypatch.setattr("nerscope.formats.cutting._STRETCH", 50)
    monkeypatch.setattr("nerscope.formats.columns.column_file.BLOCK", 90)
    monkeypatch.setattr("nerscope.formats.files.BLOCK", 90)


def documents(folder: Path, engine: Engine) -> list[int]:
    files = f"{folder}/*.conll"
    found = nerscope.evaluate(files, {"s": files}, engine=engine).evidence[0].documents
    counted: list[int] = found.tolist()
    return counted


marks = st.frozensets(st.integers(0, 19), max_size=3)


@settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(st.lists(marks, min_size=3, max_size=3))
def test_pieces_of_columns_have_the_documents_of_the_whole(
    tmp_path: Path, files: list[frozenset[int]]
) -> None:
    for number, begins in enumerate(files):
        lines = (f"{'-DOCSTART- O' * (at in begins)}\n\nword{at} B-PER\n\n" for at in range(20))
        (tmp_path / f"{number}.conll").write_text("".join(lines))
    whole = documents(tmp_path, Local())
    assert documents(tmp_path, Apart()) == whole
    firsts = whole[::20]
    for number in (1, 2):
        before = [files[0], files[0] | files[1]][number - 1]
        is_new = firsts[number] != whole[20 * number - 1]
        assert is_new == (bool(before) or 0 in files[number])


def test_each_text_is_a_document_for_any_number_of_workers(tmp_path: Path) -> None:
    text = "Ada spoke.\nBob left."
    spans = [{"start": 0, "end": 3, "label": "PER"}]
    for number in range(3):
        record = json.dumps({"text": text, "entities": spans})
        (tmp_path / f"{number}.jsonl").write_text(record + "\n")
    files = f"{tmp_path}/*.jsonl"
    found = [
        nerscope.evaluate(files, {"s": files}, engine=engine, intervals=True)
        for engine in (Local(), Apart())
    ]
    assert found[0].evidence[0].documents.tolist() == [0, 0, 1, 1, 2, 2]
    assert found[0].to_json() == found[1].to_json()
