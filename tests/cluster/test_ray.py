"""The same work on a real cluster: same parts, whatever dies meanwhile."""

import gzip
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.cluster import works
from tests.cluster.conftest import DEMO, PLUGIN, SMALL

import nerscope as ns
from nerscope.engines import Ray
from nerscope.engines import ray as engine_module
from nerscope.registry import load_plugins


@pytest.fixture(scope="module")
def engine(cluster: Any) -> Iterator[Ray]:
    made = Ray(cluster.address)
    yield made
    made._links.clear()


@pytest.fixture(autouse=True)
def _small_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("nerscope.formats.shards._SHARD_SIZE", 1 << 16)


def evaluated(folder: Path, **options: Any) -> str:
    return ns.evaluate(
        str(folder / "gold.conll"),
        {"shapes": str(folder / "pred.conll")},
        train=str(folder / "train.conll"),
        **options,
    ).to_json()


def test_an_evaluation_gives_the_same_bytes_as_one_process(engine: Ray, data: Path) -> None:
    assert evaluated(data, facets=["tmr", "eLen"], engine=engine) == evaluated(
        data, facets=["tmr", "eLen"]
    )


def test_packed_files_give_the_same_bytes_as_one_process(
    engine: Ray, data: Path, tmp_path: Path
) -> None:
    for name in ("gold", "pred", "train"):
        text = (data / f"{name}.conll").read_bytes()
        (tmp_path / f"{name}.conll").write_bytes(gzip.compress(text))
    packed = evaluated(tmp_path, facets=["tmr"], engine=engine)
    assert packed == evaluated(tmp_path, facets=["tmr"])


def test_parts_come_in_order_from_both_nodes(engine: Ray) -> None:
    parts = list(engine.map(works.slowly, 0.2, range(24)))
    assert [item for item, _ in parts] == list(range(24))
    assert len({node for _, node in parts}) == 2


def test_no_items_are_no_parts(engine: Ray) -> None:
    assert list(engine.map(works.squared, 3, [])) == []


def test_few_items_are_under_way_at_once(engine: Ray) -> None:
    items = iter(range(1, 101))
    parts = engine.map(works.squared, 1, items)
    assert next(parts) == 1
    assert next(items) <= engine_module._AHEAD * 2 + 2
    parts.close()  # type: ignore[attr-defined]


def test_the_item_of_a_killed_worker_is_done_again(engine: Ray, tmp_path: Path) -> None:
    assert list(engine.map(works.dies_once, str(tmp_path), range(8))) == list(range(8))
    assert (tmp_path / "died").exists()


def test_a_plug_in_is_known_to_workers_and_a_killed_one_changes_nothing(
    cluster: Any, engine: Ray, data: Path, tmp_path: Path, registries: None
) -> None:
    plugin = tmp_path / "shouting.py"
    plugin.write_text(PLUGIN, encoding="utf-8")
    load_plugins([str(plugin)])
    other = Ray(cluster.address, plugins=[str(plugin)])
    found = evaluated(data, facets=["shouting"], engine=other)
    assert (tmp_path / "died").exists()
    assert found == evaluated(data, facets=["shouting"])


def test_items_of_a_lost_node_are_done_again(cluster: Any, engine: Ray) -> None:
    third = cluster.add_node(num_cpus=1, **SMALL)
    parts = engine.map(works.slowly, 0.2, range(30))
    found = [next(parts) for _ in range(12)]
    cluster.remove_node(third, allow_graceful=False)
    found += list(parts)
    assert [item for item, _ in found] == list(range(30))
    assert third.node_id in {node for _, node in found[:20]}


def test_a_worker_that_always_dies_is_a_fault(engine: Ray) -> None:
    with pytest.raises(ns.FaultError, match="a worker died, also after 3 retries"):
        list(engine.map(works.dies, None, [1]))


@pytest.mark.parametrize(
    "kind",
    [
        *("InputError", "FormatError", "AlignmentError", "OutputError", "FaultError"),
        *("UsageError", "NerscopeError"),
    ],
)
def test_errors_of_ours_come_whole_and_are_not_tried_again(
    engine: Ray, tmp_path: Path, kind: str
) -> None:
    count = tmp_path / "count"
    with pytest.raises(ns.NerscopeError) as caught:
        list(engine.map(works.fails, str(count), [(kind, "a.txt:3", "it is bad", "mend it")]))
    error = caught.value
    assert type(error) is getattr(ns, kind)
    assert (error.place, error.fact, error.fix) == ("a.txt:3", "it is bad", "mend it")
    assert error.exit_code == getattr(ns, kind).exit_code
    assert count.read_text(encoding="utf-8") == "tried\n"


def test_other_errors_are_raised_as_they_were(engine: Ray, tmp_path: Path) -> None:
    with pytest.raises(ZeroDivisionError) as caught:
        list(engine.map(works.fails, str(tmp_path / "count"), [("ZeroDivisionError", "nought")]))
    assert type(caught.value) is ZeroDivisionError and str(caught.value) == "nought"
    assert "works.py" in "".join(caught.value.__notes__)  # where it was raised first
    assert (tmp_path / "count").read_text(encoding="utf-8") == "tried\n"


def test_a_file_that_only_this_machine_has_is_told_with_the_node(engine: Ray) -> None:
    here = str(DEMO / "test.conll")
    missing = ("InputError", here, "no such file", "check the path")
    fact = re.escape(f"{here}: node ") + ".+ has no such file.*all nodes can read"
    with pytest.raises(ns.FaultError, match=fact):
        list(engine.map(works.fails, "/dev/null", [missing]))
