"""Doing jobs: each in a process of its own and a folder of its own, finished ones never again.

A job works in a draft folder, which gets its name in one step when the job is done. So whatever
happens in between, what bears the name of a job is whole.
"""

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from dataclasses import dataclass, replace
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, NamedTuple

from nerscope.errors import OutputError
from nerscope.experiment.cache import file_digest
from nerscope.formats.base import OPTIONS_FOLLOW, path_of
from nerscope.lab.jobs import Job
from nerscope.lab.recipe import recipe_named
from nerscope.results.files import unwritable
from nerscope.version import VERSION

OUTPUT, LOG, RECORD = "output.conll", "log.txt", "job.json"
_SPEC, _SCRATCH = "spec.json", "scratch"
_FAILED = ".failed"
_DRAFT = ".draft-"
_LAST_LINES = 400  # letters of a log that a message shows
# Libraries that would each take all cores: two jobs at once slow each other ten-fold.
_THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a job."""

    job: Job
    output: str | None  # as FILE::options; None if it failed
    log: Path
    seconds: float
    peak_mb: float | None  # None where the system does not tell
    fact: str = ""  # why it failed
    versions: Mapping[str, str] | None = None
    anew: bool = True  # done now, and not before

    @property
    def record(self) -> dict[str, Any]:
        """The outcome as plain data, for results."""
        system = self.job.system
        return {
            "dataset": self.job.data.name,
            "system": system.name,
            "seed": self.job.seed,
            "recipe": system.recipe,
            "command": system.command,
            "options": dict(system.options or {}),
            "context": system.context,
            "seconds": round(self.seconds, 3),
            "peak_mb": self.peak_mb,
            "versions": dict(self.versions or {}),
            "key": self.job.key,
            "failed": self.fact or None,
        }


class Shop(NamedTuple):
    """Where and how jobs are done."""

    folder: Path
    plan: Path  # the folder of the plan, in which commands run
    at_once: int = 1
    plugins: Sequence[str] = ()


def do_jobs(jobs: Sequence[Job], shop: Shop, told: Callable[[Outcome], None]) -> list[Outcome]:
    """Do what is not done yet; the outcomes are in the order of the jobs.

    A failed job does not keep the others from being done. Whoever stops the program stops the
    jobs, too.
    """
    found: dict[str, Outcome] = {}
    stop = threading.Event()
    with _alone_in(shop.folder), ThreadPoolExecutor(shop.at_once) as pool:
        waiting: dict[Future[Outcome], str] = {}
        for key, job in _first_of_each(jobs).items():
            if (before := finished(job, shop.folder)) is not None:
                found[key] = before
            else:
                waiting[pool.submit(_attempt, job, shop, stop)] = key
        try:
            while waiting:
                done, _ = wait(waiting, return_when=FIRST_COMPLETED)
                for future in done:
                    found[waiting.pop(future)] = future.result()
                    told(future.result())
        except BaseException:  # also Ctrl-C: end what runs, start nothing more, and pass it on
            stop.set()
            pool.shutdown(wait=True, cancel_futures=True)
            raise
    return [replace(found[job.key], job=job) for job in jobs]


def _first_of_each(jobs: Sequence[Job]) -> dict[str, Job]:
    """The jobs by their keys: those with the same key are one."""
    found: dict[str, Job] = {}
    for job in jobs:
        found.setdefault(job.key, job)
    return found


@contextmanager
def _alone_in(folder: Path) -> Iterator[None]:
    """Hold a folder, so that no second program works in it; it is free when this one ends."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with open(folder / ".lock", "w") as lock:
            if sys.platform != "win32":
                import fcntl

                try:
                    fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                except BlockingIOError:
                    raise OutputError(
                        str(folder), "another run works in it", "wait for it, or stop it"
                    ) from None
            for draft in folder.glob(f"{_DRAFT}*"):  # of a run that was killed
                shutil.rmtree(draft)
            yield
    except OSError as error:
        raise unwritable(str(folder), error) from None


def finished(job: Job, folder: Path) -> Outcome | None:
    """The outcome of a job that was done before; None if it was not, or is damaged."""
    place = folder / job.folder_name
    try:
        record = json.loads((place / RECORD).read_text(encoding="utf-8"))
        intact = record["key"] == job.key and record["sha256"] == file_digest(place / OUTPUT)
        seconds, peak = float(record["seconds"]), record["peak_mb"]
        versions = dict(record["versions"])
    except (OSError, KeyError, TypeError, ValueError):
        return None
    if not intact:
        return None
    output = _outcome_text(job, place)
    return Outcome(job, output, place / LOG, seconds, peak, versions=versions, anew=False)


def _outcome_text(job: Job, place: Path) -> str:
    """The output of a job and how it is read; a larger context has other sentence breaks."""
    joined = ["sentences=any"] if job.system.command and job.system.context > 1 else []
    options = ",".join([*filter(None, [job.reading]), *joined])
    return f"{place / OUTPUT}{OPTIONS_FOLLOW}{options}"


def _attempt(job: Job, shop: Shop, stop: threading.Event) -> Outcome:
    """Do one job in a draft folder, and give the folder its name."""
    draft = Path(tempfile.mkdtemp(prefix=_DRAFT, dir=shop.folder))
    try:
        (draft / _SCRATCH).mkdir()
        spec = draft / _SPEC
        spec.write_text(json.dumps(_spec(job, shop, draft)), encoding="utf-8")
        begin = time.monotonic()
        with open(draft / LOG, "wb") as log:
            ended = _run_process(spec, log.fileno(), shop, job.system.timeout, stop)
        seconds = time.monotonic() - begin
        for leftover in (_SPEC, _SCRATCH):
            _removed(draft / leftover)
        fact = _why_failed(ended, job, draft)
        place = shop.folder / f"{job.folder_name}{_FAILED if fact else ''}"
        fact = fact.replace(str(draft.resolve()), str(place))
        if fact:
            outcome = Outcome(job, None, place / LOG, seconds, ended.peak_mb, fact)
        else:
            versions = _versions(job)
            text = _outcome_text(job, place)
            outcome = Outcome(job, text, place / LOG, seconds, ended.peak_mb, versions=versions)
            record = {**outcome.record, "sha256": file_digest(draft / OUTPUT)}
            (draft / RECORD).write_text(json.dumps(record, indent=1), encoding="utf-8")
        _removed(place)
        draft.rename(place)
        return outcome
    finally:
        _removed(draft)


def _spec(job: Job, shop: Shop, draft: Path) -> dict[str, Any]:
    """Everything that the process of a job must know."""
    data, system = job.data, job.system
    files = {"train": data.train, "dev": data.dev, "test": data.test}
    return {
        **{key: _absolute(text) for key, text in files.items()},
        "recipe": system.recipe,
        "options": dict(system.options or {}),
        "command": system.command,
        "context": system.context,
        "seed": job.seed,
        "scratch": str((draft / _SCRATCH).resolve()),
        "output": str((draft / OUTPUT).resolve()),
        "outcome": _absolute(_outcome_text(job, draft)),
        "plan": str(shop.plan.resolve()),
        "plugins": [str(Path(one).resolve()) for one in shop.plugins],
        "parent": os.getpid(),
    }


def _absolute(text: str | None) -> str | None:
    if text is None:
        return None
    path = path_of(text)
    return f"{Path(path).resolve()}{text[len(path) :]}"


class _Ended(NamedTuple):
    """How a process ended; without a code, it was made to end."""

    code: int | None
    peak_mb: float | None


def _run_process(
    spec: Path, log: int, shop: Shop, timeout: float | None, stop: threading.Event
) -> _Ended:
    environment = {**os.environ, "PYTHONUNBUFFERED": "1"}
    if shop.at_once > 1:
        share = str(max(1, (os.cpu_count() or 1) // shop.at_once))
        environment = {**dict.fromkeys(_THREADS, share), **environment}
    process = subprocess.Popen(
        [sys.executable, "-m", "nerscope.lab.worker", str(spec)],
        stdin=subprocess.DEVNULL,
        stdout=log,
        stderr=log,
        env=environment,
        start_new_session=True,
    )
    deadline = time.monotonic() + (timeout or float("inf"))
    while (ended := _looked_at(process)) is None:
        if stop.is_set() or time.monotonic() > deadline:
            _kill(process)
            process.wait()
            return _Ended(None, None)
        stop.wait(0.02)
    return ended


def _looked_at(process: subprocess.Popen[bytes]) -> _Ended | None:
    """How a process ended, and its peak memory where the system tells; None while it runs."""
    if sys.platform == "win32":
        code = process.poll()
        return None if code is None else _Ended(code, None)
    pid, status, usage = os.wait4(process.pid, os.WNOHANG)
    if not pid:
        return None
    process.returncode = os.waitstatus_to_exitcode(status)
    unit = 1 if sys.platform == "darwin" else 1024  # bytes
    return _Ended(process.returncode, round(usage.ru_maxrss * unit / 1e6, 1))


def _kill(process: subprocess.Popen[bytes]) -> None:
    """End a process and all that it started."""
    if sys.platform == "win32":
        process.kill()
    else:
        os.killpg(process.pid, signal.SIGKILL)


def _why_failed(ended: _Ended, job: Job, draft: Path) -> str:
    if ended.code == 0:
        return ""
    if ended.code is None:
        return f"it took longer than {job.system.timeout:g} s and was stopped"
    if ended.code < 0:
        return f"it was ended by signal {-ended.code}; perhaps memory was too small"
    lines = (draft / LOG).read_text(encoding="utf-8", errors="replace").split("\n")
    said = [line for line in lines if line.strip()]
    return said[-1].strip()[-_LAST_LINES:] if said else f"it ended with exit code {ended.code}"


def _versions(job: Job) -> dict[str, str]:
    """The versions that a recipe worked with."""
    found = {"nerscope": VERSION, "python": ".".join(map(str, sys.version_info[:3]))}
    packages = recipe_named(job.system.recipe).needs.values() if job.system.recipe else ()
    for package in packages:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    return found


def _removed(path: Path) -> None:
    """Take a file or folder away, if it is there."""
    if path.is_dir():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)
