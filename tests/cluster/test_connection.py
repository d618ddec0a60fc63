"""Connecting to a real cluster, from Python and on the command line."""

import os
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import ray
from ray.cluster_utils import Cluster
from tests.cluster import works
from tests.cluster.conftest import PLUGIN, SMALL, Line, command

import nerscope as ns
from nerscope.engines import Ray
from nerscope.version import VERSION

E = ("evaluate", "gold.conll", "--system", "shapes=pred.conll", "--train", "train.conll")
FAKES = {
    "missing": ("nerscope.py", "raise ModuleNotFoundError('No module named nerscope')"),
    "version": ("nerscope/version.py", "VERSION = '0.0.7'"),
}


def test_a_connection_ends_with_its_last_engine(cluster: Any) -> None:
    first, second = Ray(cluster.address), Ray(cluster.address)
    assert list(first.map(works.squared, 2, [3])) == [18]
    assert list(second.map(works.squared, 2, [4])) == [32]
    del first
    assert ray.is_initialized()
    del second
    assert not ray.is_initialized()


def test_the_connection_of_the_program_around_is_used_and_kept(cluster: Any) -> None:
    ray.init(cluster.address, log_to_driver=False)
    assert list(Ray().map(works.squared, 2, [3])) == [18]
    assert ray.is_initialized()
    with pytest.raises(ns.UsageError, match="already connected to a cluster"):
        list(Ray("ray://elsewhere:10001").map(works.squared, 2, [3]))
    ray.shutdown()


def test_the_program_is_told_to_end_as_before(cluster: Any) -> None:
    before = signal.getsignal(signal.SIGTERM)
    engine = Ray(cluster.address)
    assert list(engine.map(works.squared, 2, [3])) == [18]
    assert signal.getsignal(signal.SIGTERM) == before


@pytest.mark.parametrize("way", ["here", "address", "client"])
def test_the_command_line_gives_the_same_results_though_a_worker_is_killed(
    cluster: Any, port: int, line: Line, tmp_path: Path, way: str
) -> None:
    ways = {"here": "ray", "address": f"ray:{cluster.address}", "client": f"ray://127.0.0.1:{port}"}
    (tmp_path / "shouting.py").write_text(PLUGIN, encoding="utf-8")
    words = (*E, "--plugin", str(tmp_path / "shouting.py"), "--facet", "shouting", "-o")
    (tmp_path / "died").touch()
    alone = line(*words, str(tmp_path / "alone.json"))
    (tmp_path / "died").unlink()
    done = line(*words, str(tmp_path / "ray.json"), "--engine", ways[way])
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "died").exists()
    assert done.stdout == alone.stdout.replace("alone.json", "ray.json")
    assert "ray" not in done.stderr.lower().replace("ray.json", "")  # Ray itself is silent
    assert (tmp_path / "ray.json").read_bytes() == (tmp_path / "alone.json").read_bytes()


def test_the_wrong_kind_of_address_is_told(
    cluster: Any, line: Line, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RAY_CLIENT_INITIAL_CONNECTION_TIMEOUT_S", "1")
    monkeypatch.setenv("RAY_CLIENT_MAX_CONNECTION_TIMEOUT_S", "1")
    done = line(*E, "--engine", f"ray://{cluster.address}")
    assert done.returncode == 3
    assert "Ray cannot connect" in done.stderr and done.stderr.count("\n") == 1


def test_ctrl_c_leaves_no_work_behind(cluster: Any, data: Path, tmp_path: Path) -> None:
    plugin = tmp_path / "slow.py"
    plugin.write_text(
        "import os, time\nfrom pathlib import Path\nimport numpy as np\n"
        "from nerscope import Facet, register_facet\n\n"
        "def codes(view):\n"
        f"    Path({str(tmp_path)!r}, 'worker').write_text(str(os.getpid()))\n"
        "    time.sleep(60)\n"
        "    return np.zeros(len(view.texts()), np.int8)\n\n"
        "register_facet(Facet('slow', 'mention', {'all': (0,)}, codes))\n",
        encoding="utf-8",
    )
    out = tmp_path / "out.json"
    words = (*E, "--plugin", str(plugin), "--facet", "slow", "-o", str(out))
    process = subprocess.Popen(
        command(*words, "--engine", f"ray:{cluster.address}"),
        cwd=data, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    try:
        wait_for((tmp_path / "worker").exists)
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=30)
    finally:
        process.kill()  # or it would keep the nodes from the other tests
    assert process.returncode == 130 and "Traceback" not in said
    assert not out.exists()
    worker = int((tmp_path / "worker").read_text(encoding="utf-8"))
    wait_for(lambda: not Path(f"/proc/{worker}").exists())


def wait_for(done: Any, seconds: float = 30.0) -> None:
    end = time.monotonic() + seconds
    while not done():
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.1)


@pytest.fixture(scope="module")
def bare(environment: None) -> Iterator[Any]:
    """A cluster whose head does no work."""
    made = Cluster(initialize_head=True, head_node_args={"num_cpus": 0, **SMALL})
    yield made
    made.shutdown()


def test_a_cluster_without_a_cpu_is_told(bare: Any, line: Line) -> None:
    done = line(*E, "--engine", f"ray:{bare.address}")
    assert done.returncode == 3
    assert "Ray: the cluster has no CPUs" in done.stderr


@pytest.mark.parametrize(
    ("fake", "fact"),
    [
        ("missing", "nerscope is not installed on this node (No module named nerscope)"),
        ("version", f"this node has nerscope 0.0.7, but {VERSION} is needed"),
    ],
)
def test_a_node_with_another_nerscope_or_none_is_told(
    bare: Any, line: Line, tmp_path: Path, fake: str, fact: str
) -> None:
    name, text = FAKES[fake]
    (tmp_path / name).parent.mkdir(exist_ok=True)
    (tmp_path / name).write_text(text, encoding="utf-8")
    (tmp_path / name).with_name("__init__.py").touch()
    node = bare.add_node(num_cpus=1, env_vars={"PYTHONPATH": str(tmp_path)}, **SMALL)
    try:
        done = line(*E, "--engine", f"ray:{bare.address}")
    finally:
        bare.remove_node(node)
    assert done.returncode == 3, done.stderr
    assert f"node {os.uname().nodename}: {fact}" in done.stderr
    assert f"install nerscope {VERSION} on every node" in done.stderr
