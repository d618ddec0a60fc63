"""Run a job in a separate process, and end everything that the process has started."""

import os
import signal
import subprocess
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

# By default each of these libraries takes all cores: two jobs at once slow each other ten-fold.
_THREAD_VARIABLES = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
_POLL = 0.02  # seconds between two looks at a process


class Stopped(Exception):  # noqa: N818  it is not an error
    """The user stops the program."""


class ProcessEnd(NamedTuple):
    """How a process ended."""

    code: int | None  # None: it took longer than its timeout and was ended
    peak_mb: float | None  # peak memory; None where the operating system does not report it


def run_process(
    spec: Path, log: int, parallel_jobs: int, timeout: float | None, stop: threading.Event
) -> ProcessEnd:
    """Run the job of a spec file in a new process; whatever it starts ends with this call.

    `log` is the file descriptor of the log, `parallel_jobs` how many jobs share the cores. Raises
    `Stopped` when `stop` is set.
    """
    environment = {**os.environ, "PYTHONUNBUFFERED": "1"}
    if parallel_jobs > 1:
        threads = str(max(1, (os.cpu_count() or 1) // parallel_jobs))
        environment = {**dict.fromkeys(_THREAD_VARIABLES, threads), **environment}
    process = subprocess.Popen(
        [sys.executable, "-m", "nerscope.lab.worker", str(spec)],
        stdin=subprocess.DEVNULL,
        stdout=log,
        stderr=log,
        env=environment,
        start_new_session=True,  # a process group of its own, which can be ended as a whole
    )
    try:
        return _wait_for(process, timeout, stop)
    finally:
        _end_all(process)


def _wait_for(
    process: subprocess.Popen[bytes], timeout: float | None, stop: threading.Event
) -> ProcessEnd:
    deadline = time.monotonic() + (timeout or float("inf"))
    while (ended := _poll(process)) is None:
        if stop.is_set():
            raise Stopped
        if time.monotonic() > deadline:
            return ProcessEnd(None, None)
        stop.wait(_POLL)
    return ended


def _poll(process: subprocess.Popen[bytes]) -> ProcessEnd | None:
    """How a process ended; None while it runs.

    `os.wait4` reports the memory of this process and of those it waited for; `Popen.poll` reports
    none.
    """
    if sys.platform == "win32":
        code = process.poll()
        return None if code is None else ProcessEnd(code, None)
    pid, status, usage = os.wait4(process.pid, os.WNOHANG)
    if not pid:
        return None
    process.returncode = os.waitstatus_to_exitcode(status)
    unit = 1 if sys.platform == "darwin" else 1024  # ru_maxrss is in bytes on macOS, else in KiB
    return ProcessEnd(process.returncode, round(usage.ru_maxrss * unit / 1e6, 1))


def _end_all(process: subprocess.Popen[bytes]) -> None:
    """End a process and whatever it has left running in the background."""
    if sys.platform == "win32":
        command = ["taskkill", "/F", "/T", "/PID", str(process.pid)]
        subprocess.run(command, capture_output=True, check=False)  # it fails if nothing runs
    else:
        with suppress(ProcessLookupError):  # nothing runs any more
            os.killpg(process.pid, signal.SIGKILL)
    process.wait()
