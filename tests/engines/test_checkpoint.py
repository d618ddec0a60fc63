"""Work that was stopped goes on where it was, and only there."""

import errno
import gzip
import os
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import nerscope
from nerscope.codec import pack
from nerscope.engines.base import Item, Part, State
from nerscope.engines.checkpoint import Checkpointed
from nerscope.engines.local import Local
from nerscope.engines.pool import Pool
from nerscope.errors import FaultError, OutputError, UsageError

ITEMS = list(range(10))
DEMO = Path(nerscope.__file__).parent / "demo"


def powers(state: int, item: int) -> tuple[int, Any]:
    return item, np.arange(item, dtype=np.int16) ** state


def other_powers(state: int, item: int) -> tuple[int, Any]:
    return powers(state, item)


class Counting:
    """Everything here, and what was done is written down."""

    remote = True

    def __init__(self) -> None:
        self.done: list[Any] = []

    def map(
        self, work: Callable[[State, Item], Part], state: State, items: Iterable[Item]
    ) -> Iterator[Part]:
        for item in items:
            self.done.append(item)
            yield work(state, item)


def shown(parts: Iterable[tuple[int, Any]]) -> list[tuple[int, list[int]]]:
    return [(item, array.tolist()) for item, array in parts]


WHOLE = shown(powers(2, item) for item in ITEMS)


def done_again(folder: Path, key: str = "key", work: Any = powers, items: Any = ITEMS) -> list[int]:
    """What must be computed, beside what is kept."""
    counting = Counting()
    found = shown(Checkpointed(counting, folder, key).map(work, 2, items))
    assert found == WHOLE[: len(items)]
    return counting.done


def started(folder: Path, number: int) -> None:
    """Work that is stopped after some parts."""
    parts = Checkpointed(Counting(), folder, "key").map(powers, 2, ITEMS)
    assert shown(next(parts) for _ in range(number)) == WHOLE[:number]


@pytest.mark.parametrize("number", [0, 1, 4, 10])
def test_what_was_stopped_goes_on_with_the_rest(tmp_path: Path, number: int) -> None:
    started(tmp_path, number)
    assert done_again(tmp_path) == ITEMS[number:]
    assert done_again(tmp_path) == []


@pytest.mark.parametrize("gone", [{0}, {9}, {1, 2, 5}, {0, 4, 9}, set(ITEMS)])
def test_whatever_is_gone_is_made_again(tmp_path: Path, gone: set[int]) -> None:
    paths = kept(tmp_path)
    for place in gone:
        paths[place].unlink()
    assert done_again(tmp_path) == sorted(gone)


def kept(folder: Path) -> list[Path]:
    """A whole run; the files of its parts, in the order of the items."""
    assert done_again(folder) == ITEMS
    slots = Checkpointed(Local(), folder, "key")._slots(f"{__name__}.powers")
    return [slot.path for slot, _ in zip(slots, ITEMS, strict=False)]


def test_a_part_that_is_copied_over_another_is_made_again(tmp_path: Path) -> None:
    """A digest of the bytes alone would take the copy for the part of its new place."""
    paths = kept(tmp_path)
    paths[3].write_bytes(paths[7].read_bytes())
    assert done_again(tmp_path) == [3]
    assert done_again(tmp_path) == []


def test_a_part_of_another_key_or_work_in_its_place_is_made_again(tmp_path: Path) -> None:
    paths = kept(tmp_path)
    for other in (
        Checkpointed(Local(), tmp_path, "another key")._slots(f"{__name__}.powers"),
        Checkpointed(Local(), tmp_path, "key")._slots(f"{__name__}.other_powers"),
    ):
        first = next(other)
        Checkpointed(Local(), tmp_path, "key")._store(first, pack(1))
        paths[0].write_bytes(first.path.read_bytes())
        assert done_again(tmp_path) == [0]


@pytest.mark.parametrize(
    "other",
    [{"key": "another key"}, {"work": other_powers}],
    ids=["key", "work"],
)
def test_what_is_not_the_same_is_not_used(tmp_path: Path, other: Any) -> None:
    before = {path: path.read_bytes() for path in kept(tmp_path)}
    assert done_again(tmp_path, **other) == ITEMS
    assert {path: path.read_bytes() for path in before} == before


def test_a_work_that_is_done_twice_keeps_both(tmp_path: Path) -> None:
    for _ in range(2):
        engine = Checkpointed(Local(), tmp_path, "key")
        for state in (2, 3):
            assert shown(engine.map(powers, state, [3])) == [(3, [0, 1, 2**state])]
    assert len(list(tmp_path.iterdir())) == 2


@pytest.mark.parametrize(
    "damage",
    [
        lambda data: b"",
        lambda data: data[:-1],
        lambda data: data + b"\0",
        lambda data: data[:60] + bytes([data[60] ^ 1]) + data[61:],
        lambda data: b"X" + data[1:],
        lambda data: data[: data.index(b"\n") + 1],
    ],
)
def test_a_damaged_part_is_made_again(tmp_path: Path, damage: Callable[[bytes], bytes]) -> None:
    path = kept(tmp_path)[3]
    path.write_bytes(damage(path.read_bytes()))
    assert done_again(tmp_path) == [3]
    assert done_again(tmp_path) == []


def test_a_part_of_a_class_that_is_no_more_is_made_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    old = pack((3, None)).replace(b'["tuple",3,null]', b'["class","Old"] ')
    monkeypatch.setattr("nerscope.engines.checkpoint.pack", lambda part: old)
    kept(tmp_path)
    monkeypatch.undo()
    assert done_again(tmp_path) == ITEMS


def test_a_part_that_vanishes_while_others_are_made_is_made_too(tmp_path: Path) -> None:
    paths = kept(tmp_path)
    paths[0].unlink()
    parts = Checkpointed(Counting(), tmp_path, "key").map(powers, 2, ITEMS)
    first = next(parts)
    paths[5].unlink()
    assert shown([first, *parts]) == WHOLE


def test_who_is_finished_clears_up_what_is_his(tmp_path: Path) -> None:
    own = kept(tmp_path)
    done_again(tmp_path, "another key")
    others = set(tmp_path.iterdir()) - set(own)
    own[0].with_suffix(".draft").touch()  # of one that was killed
    Checkpointed(Local(), tmp_path, "key").finish()
    assert set(tmp_path.iterdir()) == others
    assert done_again(tmp_path, "another key") == []
    assert done_again(tmp_path) == ITEMS


def test_it_is_remote_as_the_engine_within(tmp_path: Path) -> None:
    assert Checkpointed(Counting(), tmp_path, "key").remote
    assert not Checkpointed(Local(), tmp_path, "key").remote


@pytest.mark.parametrize("name", ["file", "file/below", "nul\0"])
def test_a_folder_that_cannot_be_is_refused(tmp_path: Path, name: str) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(OutputError, match="parts cannot be written to this folder"):
        Checkpointed(Local(), tmp_path / name, "key")


def test_a_folder_is_made_with_those_above(tmp_path: Path) -> None:
    assert done_again(tmp_path / "a" / "b") == ITEMS
    assert done_again(tmp_path / "a" / "b") == []


@pytest.mark.parametrize(
    ("reason", "kind"), [(errno.ENOSPC, FaultError), (errno.EROFS, OutputError)]
)
def test_a_part_that_cannot_be_written_stops_the_work_and_leaves_no_draft(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, reason: int, kind: type[Exception]
) -> None:
    started(tmp_path, 4)

    def full(handle: int) -> None:
        raise OSError(reason, os.strerror(reason))

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(kind, match=rf"parts cannot be written .*\({os.strerror(reason)}\)"):
        done_again(tmp_path)
    assert len(list(tmp_path.iterdir())) == 4
    monkeypatch.undo()
    assert done_again(tmp_path) == ITEMS[4:]


TWO = """
import sys, time
sys.path.insert(0, sys.argv[1])
from nerscope.engines.checkpoint import Checkpointed
from nerscope.engines.local import Local

def slow(state, item):
    time.sleep(0.002)
    return [item] * 1000

for again in range(3):
    engine = Checkpointed(Local(), sys.argv[2], "key")
    for item, part in enumerate(engine.map(slow, None, range(20))):
        assert part == [item] * 1000
    if again % 2:
        engine.finish()
print("fine")
"""


def test_two_programs_may_share_a_folder(tmp_path: Path) -> None:
    source = str(Path(nerscope.__file__).parents[1])
    command = [sys.executable, "-c", TWO, source, str(tmp_path / "parts")]
    both = [
        subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        for _ in range(2)
    ]
    assert [one.communicate(timeout=60) for one in both] == [("fine\n", "")] * 2


@pytest.mark.slow(quick=1)
@pytest.mark.parametrize("engine", [Local(), Pool(2)])
@pytest.mark.parametrize("packed", [False, True])
def test_an_evaluation_goes_on_and_gives_the_same_results(
    tmp_path: Path, engine: Any, packed: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("nerscope.formats.shards._SHARD_SIZE", 1 << 13)
    monkeypatch.setattr("nerscope.formats.cutting._STRETCH", 1 << 12)
    test, train = f"{DEMO}/test.conll", f"{DEMO}/train.conll"
    systems = {"memoriser": f"{DEMO}/systems/memoriser.conll"}
    if packed:
        (tmp_path / "test.gz").write_bytes(gzip.compress(Path(test).read_bytes()))
        test = str(tmp_path / "test.gz")
    kept = tmp_path / "kept"

    def results(where: Any) -> str:
        return nerscope.evaluate(test, systems, train=train, engine=where).to_json()

    first = results(Checkpointed(engine, kept, "key"))
    assert len(list(kept.iterdir())) > 4
    counting = Counting()
    counting.remote = engine.remote
    assert results(Checkpointed(counting, kept, "key")) == first == results(Local())
    assert counting.done == []


def test_large_data_of_which_nothing_could_be_kept_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("nerscope.formats.columns.conll.ConllFile.max_small", 100)
    gold = nerscope.ConllFile(f"{DEMO}/test.conll", document=0)
    with pytest.raises(UsageError, match="nothing can be stored before the end"):
        nerscope.evaluate(gold, {"same": gold}, checkpoint=tmp_path / "kept")


@pytest.mark.parametrize(
    ("taken", "given", "said"), [(3, 3, "few"), (10, 9, "few"), (10, 11, "many")]
)
def test_an_engine_with_other_parts_than_items_is_found_out(
    tmp_path: Path, taken: int, given: int, said: str
) -> None:
    class Odd(Local):
        def map(self, work: Any, state: Any, items: Any) -> Any:
            parts = [work(state, item) for item in islice(items, taken)]
            return iter([*parts, *parts][:given])

    with pytest.raises(ValueError, match=f"the engine returns too {said} parts"):
        list(Checkpointed(Odd(), tmp_path, "key").map(powers, 2, ITEMS))
