"""Doing jobs: each in a process of its own and a folder of its own, finished ones never again.

A job works in a draft folder, which gets its name in one step when the job is done. So whatever
happens in between, what bears the name of a job is whole.
"""

import json
import os
import shutil
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from dataclasses import dataclass, replace
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import IO, Any, NamedTuple
from uuid import uuid4

from nerscope.errors import OutputError
from nerscope.experiment.cache import file_digest
from nerscope.formats.base import OPTIONS_MARK, path_of
from nerscope.formats.remote import is_remote
from nerscope.lab.jobs import Job
from nerscope.lab.process import Ended, run_process
from nerscope.lab.recipe import recipe_named
from nerscope.lab.worker import COMMAND, EXIT_CODE
from nerscope.results.files import unwritable
from nerscope.version import VERSION

OUTPUT, LOG, RECORD = "output.conll", "log.txt", "job.json"
_SPEC, _SCRATCH = "spec.json", "scratch"
_FAILED = ".failed"
_DRAFT = ".draft-"
_SHOWN = 400  # letters of a log that a message shows
_ANY = "sentences=any"


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


def done_before(jobs: Sequence[Job], folder: Path) -> dict[str, Outcome]:
    """The outcomes of those jobs that are done, by their keys."""
    known = {key: finished(job, folder) for key, job in first_of_each(jobs).items()}
    return {key: outcome for key, outcome in known.items() if outcome is not None}


def do_jobs(
    jobs: Sequence[Job],
    shop: Shop,
    before: Mapping[str, Outcome],
    told: Callable[[Outcome], None],
) -> list[Outcome]:
    """Do what was not done before, alone in the folder; outcomes are in the order of the jobs.

    A failed job does not keep the others from being done. Whoever stops the program stops the
    jobs, too.
    """
    found = dict(before)
    stop = threading.Event()
    with ThreadPoolExecutor(shop.at_once) as pool:
        waiting: dict[Future[Outcome], str] = {}
        for key, job in first_of_each(jobs).items():
            if key not in found:
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


def first_of_each(jobs: Sequence[Job]) -> dict[str, Job]:
    """The jobs by their keys: those with the same key are one."""
    found: dict[str, Job] = {}
    for job in jobs:
        found.setdefault(job.key, job)
    return found


@contextmanager
def alone_in(folder: Path) -> Iterator[None]:
    """Hold a folder, so that no second program works in it; it is free when this one ends."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        lock = open(folder / ".lock", "ab")  # noqa: SIM115  held until the end of the block
    except OSError as error:
        raise unwritable(str(folder), error) from None
    with lock:
        try:
            _take(lock)
        except OSError:
            raise OutputError(
                str(folder), "another run works in it", "wait for it, or stop it"
            ) from None
        for draft in folder.glob(f"{_DRAFT}*"):  # of a run that was killed
            shutil.rmtree(draft)
        yield


def _take(lock: IO[bytes]) -> None:
    """Take a lock that nobody else has, or fail; it goes with the process."""
    if sys.platform == "win32":
        import msvcrt

        msvcrt.locking(lock.fileno(), msvcrt.LK_NBLCK, 1)
    else:
        import fcntl

        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)


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
    return Outcome(job, output, place / LOG, seconds, peak, versions=versions)


def _outcome_text(job: Job, place: Path) -> str:
    """The output of a job and how it is read; a larger context has other sentence breaks."""
    own = [option for option in job.reading.split(",") if option]
    joined = [_ANY] if job.system.command and job.system.context > 1 and _ANY not in own else []
    options = ",".join([*own, *joined])
    return f"{place / OUTPUT}{OPTIONS_MARK}{options}"


def _attempt(job: Job, shop: Shop, stop: threading.Event) -> Outcome:
    """Do one job in a draft folder, and give the folder its name."""
    draft = shop.folder / f"{_DRAFT}{uuid4().hex}"
    draft.mkdir()
    try:
        (draft / _SCRATCH).mkdir()
        spec = draft / _SPEC
        spec.write_text(json.dumps(_spec(job, shop, draft)), encoding="utf-8")
        begin = time.monotonic()
        with open(draft / LOG, "wb") as log:
            ended = run_process(spec, log.fileno(), shop.at_once, job.system.timeout, stop)
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
        for old in (place, shop.folder / f"{job.folder_name}{_FAILED}"):
            _removed(old)
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
    return text if is_remote(path) else f"{Path(path).resolve()}{text[len(path) :]}"


def _why_failed(ended: Ended, job: Job, draft: Path) -> str:
    if ended.code == 0:
        return ""
    if ended.code is None:
        return f"it took longer than {job.system.timeout:g} s and was stopped"
    if ended.code < 0:
        hint = "; perhaps memory was too small" if ended.code == -signal.SIGKILL else ""
        return f"it was ended by signal {-ended.code}{hint}"
    lines = (draft / LOG).read_text(encoding="utf-8", errors="replace").split("\n")
    said = [line.strip() for line in lines if line.strip() and not line.startswith(COMMAND)]
    if not said:
        return f"it ended with exit code {ended.code}"
    before = f" (before that: {said[-2][:_SHOWN]})" if EXIT_CODE in said[-1] and said[1:] else ""
    return said[-1][-_SHOWN:] + before


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
