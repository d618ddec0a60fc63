"""A process of its own for each job: started, watched, ended with all that it started."""

import os
import signal
import subprocess
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

# Libraries that would each take all cores: two jobs at once slow each other ten-fold.
_THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
_LOOK = 0.02  # seconds between two looks at a process


class Stopped(Exception):  # noqa: N818  it is no error
    """Somebody stops the program."""


class Ended(NamedTuple):
    """How a process ended: its exit code, None if it took too long; and its peak memory."""

    code: int | None
    peak_mb: float | None  # None where the system does not tell


def run_process(
    spec: Path, log: int, at_once: int, timeout: float | None, stop: threading.Event
) -> Ended:
    """Do what a spec says in a process of its own; nothing that it started outlives this call."""
    environment = {**os.environ, "PYTHONUNBUFFERED": "1"}
    if at_once > 1:
        share = str(max(1, (os.cpu_count() or 1) // at_once))
        environment = {**dict.fromkeys(_THREADS, share), **environment}
    process = subprocess.Popen(
        [sys.executable, "-m", "nerscope.lab.worker", str(spec)],
        stdin=subprocess.DEVNULL,
        stdout=log,
        stderr=log,
        env=environment,
        start_new_session=True,
    )
    try:
        return _watched(process, timeout, stop)
    finally:
        _end_all(process)


def _watched(
    process: subprocess.Popen[bytes], timeout: float | None, stop: threading.Event
) -> Ended:
    deadline = time.monotonic() + (timeout or float("inf"))
    while (ended := _looked_at(process)) is None:
        if stop.is_set():
            raise Stopped
        if time.monotonic() > deadline:
            return Ended(None, None)
        stop.wait(_LOOK)
    return ended


def _looked_at(process: subprocess.Popen[bytes]) -> Ended | None:
    """How a process ended, and its peak memory where the system tells; None while it runs."""
    if sys.platform == "win32":
        code = process.poll()
        return None if code is None else Ended(code, None)
    pid, status, usage = os.wait4(process.pid, os.WNOHANG)
    if not pid:
        return None
    process.returncode = os.waitstatus_to_exitcode(status)
    unit = 1 if sys.platform == "darwin" else 1024  # bytes
    return Ended(process.returncode, round(usage.ru_maxrss * unit / 1e6, 1))


def _end_all(process: subprocess.Popen[bytes]) -> None:
    """End a process, if it runs, and what it left in the background."""
    if sys.platform == "win32":
        whole = ["taskkill", "/F", "/T", "/PID", str(process.pid)]
        subprocess.run(whole, capture_output=True, check=False)  # fails if nothing is left
    else:
        with suppress(ProcessLookupError):  # as it should be: nothing is left
            os.killpg(process.pid, signal.SIGKILL)
    process.wait()
