"""The engine for clusters without one: addresses, refusals, and its rules with a stand-in."""

import socket
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import nerscope as ns
from nerscope.codec import pack
from nerscope.engines import Ray, link
from nerscope.engines import ray as engine_module
from nerscope.engines.base import engine_for
from nerscope.engines.link import _LINKS, _cluster_address, _reach, link_to
from nerscope.version import VERSION


class RayError(Exception):
    pass


class TaskError(RayError):
    def __init__(self, cause: object) -> None:
        super().__init__()
        self.cause = cause


class CrashedError(RayError):
    pass


class Cluster:
    """What this program uses of Ray, in this process."""

    exceptions = SimpleNamespace(
        RayError=RayError,
        RayTaskError=TaskError,
        WorkerCrashedError=CrashedError,
        NodeDiedError=CrashedError,
        OutOfMemoryError=CrashedError,
    )

    def __init__(self, cpus: int = 2, refuses: Exception | None = None) -> None:
        self.cpus, self.refuses = cpus, refuses
        self.connected: str | None = None
        self.closed = self.fetched = self.under_way = self.most = 0

    def is_initialized(self) -> bool:
        return self.connected is not None

    def init(self, address: str, *, log_to_driver: bool, logging_level: str) -> None:
        if self.refuses:
            raise self.refuses
        assert not log_to_driver
        self.connected = address

    def shutdown(self) -> None:
        self.connected, self.closed = None, self.closed + 1

    def put(self, value: bytes) -> bytes:
        return value

    def cluster_resources(self) -> dict[str, float]:
        return {"CPU": float(self.cpus)} if self.cpus else {}

    def remote(self, function: Callable[..., Any]) -> Any:
        def send(*arguments: Any) -> Callable[[], Any]:
            self.under_way += 1
            self.most = max(self.most, self.under_way)
            return lambda: function(*arguments)

        options = SimpleNamespace(remote=send)
        return SimpleNamespace(options=lambda **chosen: options)

    def wait(self, sent: list[Any], timeout: float) -> tuple[list[Any], list[Any]]:
        time.sleep(0 if self.cpus else 0.01)
        return (sent, []) if self.cpus else ([], sent)

    def get(self, sent: Any) -> Any:
        if isinstance(sent, bytes):
            self.fetched += 1
            return sent
        self.under_way -= 1
        return sent()


@pytest.fixture
def cluster(monkeypatch: pytest.MonkeyPatch) -> Iterator[Cluster]:
    made = Cluster()
    monkeypatch.setitem(sys.modules, "ray", made)
    monkeypatch.setattr(link, "_reach", lambda address: None)
    yield made
    _LINKS.clear()


def times(state: int, item: int) -> int:
    return state * item


def failing(state: Exception, item: int) -> int:
    raise state


def test_parts_come_in_order_and_the_state_is_fetched_once(cluster: Cluster) -> None:
    engine = Ray("head:6379")
    assert list(engine.map(times, 3, range(50))) == [3 * item for item in range(50)]
    assert cluster.fetched == 1
    assert cluster.most == engine_module._AHEAD * cluster.cpus + 1


def test_a_connection_lasts_as_long_as_its_engines(cluster: Cluster) -> None:
    first, second = Ray("head:6379"), Ray("head:6379")
    assert list(first.map(times, 3, [1])) == list(second.map(times, 3, [1])) == [3]
    del first
    assert (cluster.is_initialized(), cluster.closed) == (True, 0)
    del second
    assert (cluster.is_initialized(), cluster.closed) == (False, 1)


def test_what_the_program_around_connected_is_used_and_kept(cluster: Cluster) -> None:
    cluster.connected = "elsewhere:6379"
    assert list(Ray().map(times, 3, [1])) == [3]
    with pytest.raises(ns.UsageError, match="already connected to a cluster"):
        list(Ray("head:6379").map(times, 3, [1]))
    assert (cluster.connected, cluster.closed) == ("elsewhere:6379", 0)


def test_who_stops_early_disconnects(cluster: Cluster) -> None:
    parts: Any = Ray("head:6379").map(times, 3, range(50))
    assert next(parts) == 0
    parts.close()
    assert cluster.closed == 1


@pytest.mark.parametrize(
    "error",
    [
        ns.FormatError("a.txt:3", "it is bad", "mend it"),
        ns.FaultError("disk", "it is full", "empty it"),
        type("Own", (ns.UsageError,), {})("x", "it is of a plug-in", "mend it"),
    ],
    ids=["format", "fault", "own"],
)
def test_errors_come_whole(cluster: Cluster, error: ns.NerscopeError, monkeypatch: Any) -> None:
    monkeypatch.setattr(engine_module, "encode", lambda value: value)
    monkeypatch.setattr(engine_module, "decode", lambda message: message)
    monkeypatch.setattr(cluster, "get", lambda sent: sent() if callable(sent) else sent)
    with pytest.raises(ns.NerscopeError) as caught:
        list(Ray("head:6379").map(failing, error, [1]))
    assert str(caught.value) == str(error) and caught.value.exit_code == error.exit_code
    assert isinstance(error, type(caught.value))
    assert cluster.closed == 1


@pytest.mark.parametrize(
    ("raised", "expected", "fact"),
    [
        (CrashedError(), ns.FaultError, "a worker died, also after 3 retries"),
        (RayError("raylet\n gone"), ns.FaultError, r"connection was lost \(RayError: raylet gone"),
        (ConnectionError("gone"), ns.FaultError, "the connection was lost"),
        (TaskError(KeyError("x")), KeyError, "x"),
        (TaskError("no longer known"), TaskError, "^$"),
    ],
)
def test_what_a_cluster_says_is_a_message(
    cluster: Cluster, monkeypatch: Any, raised: Exception, expected: type, fact: str
) -> None:
    def lost(sent: Any) -> Any:
        raise raised

    monkeypatch.setattr(cluster, "get", lost)
    with pytest.raises(expected, match=fact):
        list(Ray("head:6379").map(times, 3, [1]))


def test_a_cluster_without_a_cpu_is_waited_for_and_given_up(monkeypatch: Any) -> None:
    monkeypatch.setattr(engine_module, "_CPU_WITHIN", 0.1)
    empty = Cluster(cpus=0)
    with pytest.raises(ns.FaultError, match="the cluster has no CPUs"):
        engine_module._fetch(empty, empty)
    monkeypatch.setattr(empty, "wait", lambda sent, timeout: _grown(empty, sent))
    assert engine_module._fetch(empty, lambda: ("part", pack(5))) == 5


def _grown(cluster: Cluster, sent: list[Any]) -> tuple[list[Any], list[Any]]:
    """At first there is no CPU, then there is one, then the part."""
    cluster.cpus += 1
    return (sent, []) if cluster.cpus > 2 else ([], sent)


@pytest.mark.parametrize(
    ("answer", "kind", "words"),
    [
        (("missing", ("n1", "No module")), ns.FaultError, "node n1: nerscope is not installed"),
        (("version", ("n1", "0.0.7")), ns.FaultError, f"node has nerscope 0.0.7, but {VERSION}"),
        (
            ("message", ("InputError", __file__, "no such file", "check the path", "n1")),
            ns.FaultError,
            "node n1 has no such file. Fix: put the file on a path that all nodes can read",
        ),
        (
            ("message", ("InputError", "nowhere.txt", "no such file", "check the path", "n1")),
            ns.InputError,
            "nowhere.txt: no such file. Fix: check the path",
        ),
    ],
)
def test_answers_of_workers_become_messages(answer: Any, kind: type, words: str) -> None:
    with pytest.raises(kind) as caught:
        engine_module._part_of(answer)
    assert words in str(caught.value)


def test_what_is_carried_tells_of_a_nerscope_that_is_not_there(monkeypatch: Any) -> None:
    carried = engine_module._carrier("0.0.7")
    node, found = carried(None, [], b"")[1]
    assert node and found == VERSION
    monkeypatch.setitem(sys.modules, "nerscope.version", None)
    assert carried(None, [], b"")[0] == "missing"


def test_paths_begin_where_this_program_is(
    cluster: Cluster, tmp_path: Path, monkeypatch: Any
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.py").write_text("open('seen', 'w').close()", encoding="utf-8")
    assert list(Ray("head:6379", plugins=["mine.py"]).map(times, 3, [1])) == [3]
    assert (tmp_path / "seen").exists()


def test_each_run_of_an_experiment_goes_to_the_cluster(cluster: Cluster, tmp_path: Path) -> None:
    (tmp_path / "gold.conll").write_text("Ada B-PER\nspoke O\n", encoding="utf-8")
    (tmp_path / "poor.conll").write_text("Ada O\nspoke O\n", encoding="utf-8")
    text = '[datasets.d]\ntest = "gold.conll"\n[systems]\ngood = "gold.conll"\npoor = "poor.conll"'
    (tmp_path / "nerscope.toml").write_text(text, encoding="utf-8")
    experiment = ns.load_experiment(tmp_path / "nerscope.toml")
    alone, _ = ns.run_experiment(experiment)
    found, _ = ns.run_experiment(experiment, engine=Ray("head:6379"))
    assert found.to_json() == alone.to_json()
    assert cluster.most == 2


def test_ray_that_is_not_installed_names_the_extra(monkeypatch: Any) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(ns.UsageError, match=r"it needs ray.*nerscope\[ray\]"):
        ns.evaluate([["B-X"]], {"s": [["B-X"]]}, engine="ray")


@pytest.mark.parametrize(
    ("refused", "address", "words"),
    [
        (ConnectionError("none"), "auto", "no Ray cluster is running on this machine"),
        (RuntimeError("Version mismatch:\n Python 3.9"), "head:6379", "Version mismatch: Python 3"),
        (ConnectionError("timeout"), "ray://head:10001", "Ray cannot connect (ConnectionError: t"),
    ],
)
def test_a_cluster_that_refuses_is_told(
    tmp_path: Path, monkeypatch: Any, refused: Exception, address: str, words: str
) -> None:
    monkeypatch.setattr(link, "_reach", lambda address: None)
    monkeypatch.setenv("RAY_TMPDIR", str(tmp_path))
    monkeypatch.delenv("RAY_ADDRESS", raising=False)
    with pytest.raises(ns.FaultError) as caught:
        link_to(Cluster(refuses=refused), address)
    assert words in str(caught.value)


@pytest.mark.parametrize(
    ("written", "address"),
    [
        ("ray", None),
        ("ray:", None),
        ("ray:head:6379", "head:6379"),
        ("ray:auto", "auto"),
        ("ray://head:10001", "ray://head:10001"),
    ],
)
def test_an_engine_is_written_with_its_address(written: str, address: str | None) -> None:
    assert engine_for(written) == Ray(address)


def test_plug_ins_travel_with_the_engine(tmp_path: Path) -> None:
    plugin = tmp_path / "mine.py"
    plugin.touch()
    assert engine_for("ray", plugins=[str(plugin)]) == Ray(plugins=(str(plugin),))


@pytest.mark.parametrize("written", ["local:x", "pool://x"])
def test_an_engine_without_address_refuses_one(written: str) -> None:
    with pytest.raises(ns.UsageError, match=rf"it takes no address \('{written}'\)"):
        engine_for(written)


def test_an_engine_of_a_users_own_may_have_an_address(registries: None) -> None:
    given: list[str] = []

    def made(workers: int, plugins: Iterable[str], address: str = "") -> Any:
        given.append(address)
        return Ray()

    ns.register_engine("far", made)
    engine_for("far://there:1")
    engine_for("far")
    assert given == ["far://there:1", ""]


@pytest.mark.parametrize(
    ("address", "environment", "last", "expected"),
    [
        ("a:1", "b:2", "c:3", "a:1"),
        (None, "b:2", "c:3", "b:2"),
        ("auto", "b:2", "c:3", "b:2"),
        (None, None, "c:3\n", "c:3"),
        (None, None, None, "auto"),
    ],
)
def test_which_cluster_is_meant(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    address: str | None,
    environment: str | None,
    last: str | None,
    expected: str,
) -> None:
    monkeypatch.setenv("RAY_TMPDIR", str(tmp_path))
    monkeypatch.setenv("RAY_ADDRESS", environment or "")
    if last:
        (tmp_path / "ray").mkdir()
        (tmp_path / "ray" / "ray_current_cluster").write_text(last, encoding="utf-8")
    assert _cluster_address(address) == expected


@pytest.fixture
def server() -> Iterator[Callable[[bytes], str]]:
    """Somebody who listens, and says something to the first who comes."""
    listening = socket.create_server(("127.0.0.1", 0))

    def says(greeting: bytes) -> str:
        threading.Thread(target=answer, args=(greeting,), daemon=True).start()
        return f"127.0.0.1:{listening.getsockname()[1]}"

    def answer(greeting: bytes) -> None:
        line, _ = listening.accept()
        line.recv(1000)
        line.sendall(greeting)
        line.close()

    yield says
    listening.close()


def test_what_speaks_as_ray_does_is_reached(server: Callable[[bytes], str]) -> None:
    greeting = bytes((0, 0, 24, 4, 0, 0, 0, 0, 0))
    assert link._greeting(*_place(server(greeting))) == link._SETTINGS


def _place(address: str) -> tuple[str, int]:
    host, _, port = address.partition(":")
    return host, int(port)


@pytest.mark.parametrize("greeting", [b"HTTP/1.1 400 Bad Request\r\n\r\n", b"", b"-E"])
def test_what_is_no_cluster_is_told(server: Callable[[bytes], str], greeting: bytes) -> None:
    with pytest.raises(ns.FaultError, match="the server at this address is not a Ray cluster"):
        _reach(f"ray://{server(greeting)}")


def test_who_says_nothing_is_not_waited_for(monkeypatch: Any) -> None:
    monkeypatch.setattr(link, "_ANSWERS_WITHIN", 0.1)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        address = f"127.0.0.1:{silent.getsockname()[1]}"
        with pytest.raises(ns.FaultError, match=r"cluster answers at this address \(TimeoutError"):
            _reach(address)
        monkeypatch.setenv("RAY_USE_TLS", "1")
        _reach(address)  # enciphered: Ray itself must ask


@pytest.mark.parametrize(
    "address", ["ray://127.0.0.1:1", "127.0.0.1:1", "[::1]:1", "ray://a..b:10001"]
)
def test_an_address_where_nobody_listens_is_told_at_once(address: str) -> None:
    with pytest.raises(ns.FaultError, match="no cluster answers at this address") as caught:
        _reach(address)
    assert caught.value.place == address


@pytest.mark.parametrize("content", [b"", b"\xff\xfe\x00", None])
def test_a_damaged_note_of_the_last_cluster_is_no_address(
    content: bytes | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RAY_TMPDIR", str(tmp_path))
    monkeypatch.delenv("RAY_ADDRESS", raising=False)
    (tmp_path / "ray").mkdir()
    if content is not None:
        (tmp_path / "ray" / "ray_current_cluster").write_bytes(content)
    assert _cluster_address(None) == "auto"


@pytest.mark.parametrize(
    "address",
    ["head", "ray://head", ":6379", "head:x", "head:", "local", "head:99999", f"head:{'1' * 5000}"],
    ids=lambda address: address[:12],
)
def test_what_is_no_address_is_refused(address: str) -> None:
    with pytest.raises(ns.UsageError, match="invalid address"):
        _reach(address)
