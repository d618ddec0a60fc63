"""The connection to a Ray cluster: find it, check it, open it, close it with the last engine."""

import contextlib
import os
import signal
import socket
import threading
import warnings
import weakref
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from nerscope.errors import FaultError, UsageError, require_extra, shortened

_ANSWERS_WITHIN = 10.0  # seconds until a server must answer
_PORT = "ray://HOST:10001, or HOST:6379 on a machine of the cluster"
# The first bytes of a gRPC client, and the kind of the first frame of every gRPC server.
_HELLO = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + bytes((0, 0, 0, 4, 0, 0, 0, 0, 0))
_SETTINGS = 4
# Ray reads these at import. The first one keeps the logs of nodes away from standard output.
_QUIET = {"RAY_DEDUP_LOGS_SKIP_REGEX": ".", "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0"}


class Link:
    """A connection that closes with the last engine that uses it."""

    def __init__(self, close: Callable[[], None] | None = None) -> None:
        if close is not None:
            weakref.finalize(self, close)


_LINKS: "weakref.WeakValueDictionary[str, Link]" = weakref.WeakValueDictionary()


def library() -> Any:
    """The module `ray`; raises a `UsageError` if it is not installed."""
    with _environment():
        return require_extra("ray", "engine 'ray'", "ray")


def link_to(ray: Any, address: str | None) -> Link:
    """The connection of this program to the cluster; a new connection if there is none."""
    cluster = _cluster_address(address)
    if ray.is_initialized():
        if cluster in _LINKS:
            return _LINKS[cluster]
        if address in (None, "auto"):
            return Link()  # the program opened this connection, and will close it
        raise UsageError(
            address,
            "this program is already connected to a cluster",
            "remove the address to use that cluster, or call ray.shutdown() first",
        )
    if cluster != "auto":
        _reach(cluster)
    _connect(ray, cluster)
    _LINKS[cluster] = link = Link(ray.shutdown)
    return link


def _cluster_address(address: str | None) -> str:
    """The given address, that of the environment, or that of the last cluster started here."""
    given = None if address == "auto" else address
    named = given or os.environ.get("RAY_ADDRESS") or "auto"
    if named != "auto":
        return named
    folder = os.environ.get("RAY_TMPDIR") or os.environ.get("TMPDIR") or "/tmp"
    last = Path(folder, "ray", "ray_current_cluster")
    try:
        return last.read_text(encoding="utf-8").strip() or named
    except (OSError, UnicodeError):  # none was started here, or the file is damaged
        return named


def _reach(address: str) -> None:
    """Raise an error if no cluster answers at an address; Ray itself would wait for minutes."""
    host, _, port = address.removeprefix("ray://").partition("/")[0].rpartition(":")
    is_port = port.isascii() and port.isdigit() and len(port) <= 5 and int(port) < 1 << 16
    if not host or not is_port:
        raise UsageError("engine 'ray'", f"invalid address '{address}'", f"use {_PORT}")
    try:
        frame = _greeting(host.strip("[]"), int(port))
    except (OSError, UnicodeError) as error:  # an invalid host name is a UnicodeError
        raise FaultError(
            address,
            f"no cluster answers at this address ({reason_of(error)})",
            f"check it; use {_PORT}",
        ) from None
    if frame != _SETTINGS:
        raise FaultError(address, "the server at this address is not a Ray cluster", f"use {_PORT}")


def _greeting(host: str, port: int) -> int | None:
    """The kind of the first frame from a server."""
    with socket.create_connection((host, port), _ANSWERS_WITHIN) as line:
        if os.environ.get("RAY_USE_TLS") == "1":
            return _SETTINGS  # with encryption, Ray itself checks the server
        line.sendall(_HELLO)
        frame = line.recv(9)
    return frame[3] if len(frame) > 3 else None


def _connect(ray: Any, address: str) -> None:
    try:
        with _quietly():
            ray.init(address, log_to_driver=False, logging_level="CRITICAL")
    except (OSError, RuntimeError, ValueError, ImportError, ray.exceptions.RayError) as error:
        if address == "auto":
            raise FaultError(
                "engine 'ray'",
                "no Ray cluster is running on this machine",
                f"ray start --head, or use the address of a cluster: {_PORT}",
            ) from None
        raise FaultError(
            address,
            f"Ray cannot connect ({reason_of(error)})",
            "use the same versions of Python and Ray here and on the cluster, "
            f"and check the address: {_PORT}",
        ) from None


@contextlib.contextmanager
def _quietly() -> Iterator[None]:
    """Suppress the output of Ray, and restore the SIGTERM handler, which Ray replaces."""
    in_main = threading.current_thread() is threading.main_thread()
    handler = signal.getsignal(signal.SIGTERM)
    try:
        with _environment(), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        if in_main and handler is not None:
            signal.signal(signal.SIGTERM, handler)


@contextlib.contextmanager
def _environment() -> Iterator[None]:
    """Set environment variables for Ray, except those that are already set."""
    added = _QUIET.keys() - os.environ.keys()
    os.environ.update({name: _QUIET[name] for name in added})
    try:
        yield
    finally:
        for name in added:
            os.environ.pop(name, None)


def reason_of(error: BaseException) -> str:
    """The class and message of an error in one line; for a traceback, its last line.

    >>> reason_of(OSError("Traceback (most recent call last):\\n  File …\\nKeyError: 'x'\\n"))
    "OSError: KeyError: 'x'"
    """
    message = str(error).strip()
    if "Traceback (most" in message:
        message = message.splitlines()[-1]
    return shortened(f"{type(error).__name__}: {' '.join(message.split())}", 300)
