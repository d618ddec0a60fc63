"""A real cluster of two nodes on this machine, and the command line beside it."""

import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import ray
from ray.cluster_utils import Cluster

ROOT = Path(__file__).resolve().parents[2]
DEMO = ROOT / "src" / "nerscope" / "demo"
OFTEN = 30  # so that the files of the demonstration have several pieces
SMALL = {"object_store_memory": 80 << 20, "include_dashboard": False}
Line = Callable[..., subprocess.CompletedProcess[str]]
# A facet that kills the first worker it is in.
PLUGIN = """
import os, signal, sys
from pathlib import Path
import numpy as np
from nerscope import Facet, register_facet

HERE = Path(__file__).parent

def codes(view):
    if "default_worker" in " ".join(sys.orig_argv) and not (HERE / "died").exists():
        (HERE / "died").touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return np.array([text.isupper() for text in view.texts()], np.int8)

register_facet(Facet("shouting", "mention", {"no": (0,), "yes": (1,)}, codes))
"""


@pytest.fixture(scope="session", autouse=True)
def environment() -> Iterator[None]:
    """Nodes tell nobody of themselves, and know the functions of these tests."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("RAY_USAGE_STATS_ENABLED", "0")
        patch.setenv("PYTHONPATH", str(ROOT))
        # Without it, now and then what Ray starts for a client hangs while it is forked.
        patch.setenv("GRPC_ENABLE_FORK_SUPPORT", "0")
        patch.delenv("RAY_ADDRESS", raising=False)
        yield


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


@pytest.fixture(scope="session")
def port() -> int:
    """Where clients from other machines would connect."""
    return free_port()


@pytest.fixture(scope="session")
def cluster(environment: None, port: int) -> Iterator[Any]:
    head = {"num_cpus": 1, "ray_client_server_port": port, **SMALL}
    made = Cluster(initialize_head=True, head_node_args=head)
    made.add_node(num_cpus=1, **SMALL)
    made.wait_for_nodes()
    yield made
    ray.shutdown()
    made.shutdown()


@pytest.fixture(scope="session")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Gold and a system, larger than they come."""
    folder = tmp_path_factory.mktemp("data")
    files = {"gold": "test.conll", "pred": "systems/crf-shapes.1.conll", "train": "train.conll"}
    for name, own in files.items():
        text = (DEMO / own).read_text(encoding="utf-8")
        times = 1 if name == "train" else OFTEN
        (folder / f"{name}.conll").write_text("\n".join([text] * times), encoding="utf-8")
    return folder


@pytest.fixture
def line(data: Path) -> Line:
    """The command line, in a process of its own, beside the data."""

    def run(*words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            command(*words), cwd=data, capture_output=True, text=True, timeout=100
        )

    return run


# As `nerscope …`, but files are cut into small pieces, and patience is short.
CODE = """
import signal

import nerscope.engines.ray
import nerscope.formats.shards
from nerscope.cli.main import main

signal.signal(signal.SIGINT, signal.default_int_handler)  # which a shell may have set aside
nerscope.engines.ray._CPU_WITHIN = 2.0
nerscope.formats.shards._SHARD_SIZE = 1 << 16
main()
"""


def command(*words: str) -> list[str]:
    return [sys.executable, "-c", CODE, *words]
