"""The folder of the jobs of a plan: one subfolder per job, and finished jobs are cached.

A job works in a draft folder, which is renamed when the job is finished. So a folder with the name
of a job is always complete.
"""

import json
import os
import shutil
import signal
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
from typing import IO, Any, NamedTuple
from uuid import uuid4

from nerscope.errors import OutputError
from nerscope.experiment.cache import file_digest
from nerscope.formats.base import OPTIONS_MARK, path_of
from nerscope.formats.files import is_remote
from nerscope.lab.jobs import Job
from nerscope.lab.recipe import recipe_named
from nerscope.lab.worker import (
    COMMAND_PREFIX,
    EXIT_CODE,
    JobSpec,
    ProcessEnd,
    is_plain,
    run_process,
)
from nerscope.results.files import unwritable
from nerscope.results.rows import ResultRow
from nerscope.version import VERSION

OUTPUT, LOG, RECORD = "output.conll", "log.txt", "job.json"
_SPEC, _SCRATCH = "spec.json", "scratch"  # deleted when the job is done
_FAILED = ".failed"
_DRAFT = ".draft-"
_MAX_LETTERS = 400  # letters of the log in a message
_ANY_SENTENCES = "sentences=any"  # file option: sentence breaks may differ from gold


@dataclass(frozen=True, slots=True)
class JobOutcome:
    """The output of a job, or why it failed."""

    job: Job
    output: str | None  # as FILE::options; None if it failed
    log: Path
    seconds: float
    peak_mb: float | None  # None where the operating system does not report it
    fact: str = ""  # why it failed
    versions: Mapping[str, str] | None = None

    @property
    def row(self) -> "JobRow":
        """The outcome as a row of `job.json`."""
        system = self.job.system
        return JobRow(
            dataset=self.job.data.name,
            system=system.name,
            seed=self.job.seed,
            recipe=system.recipe,
            command=system.command,
            options=dict(system.options or {}),
            context=system.context,
            seconds=round(self.seconds, 3),
            peak_mb=self.peak_mb,
            versions=dict(self.versions or {}),
            key=self.job.key,
            failed=self.fact or None,
        )


@dataclass(frozen=True, slots=True, eq=False)
class JobRow(ResultRow):
    """A job with its outcome."""

    dataset: str
    system: str
    seed: int
    recipe: str | None
    command: str | None
    options: dict[str, Any]
    context: int
    seconds: float
    peak_mb: float | None
    versions: dict[str, str]
    key: str
    failed: str | None  # why it failed


class WorkspaceConfig(NamedTuple):
    """Where and how jobs are run."""

    folder: Path
    plan_folder: Path  # commands run in it
    parallel_jobs: int = 1
    plugins: Sequence[str] = ()


def finished_jobs(jobs: Sequence[Job], folder: Path) -> dict[str, JobOutcome]:
    """The outcomes of finished jobs, by key."""
    outcomes = {key: finished(job, folder) for key, job in distinct_jobs(jobs).items()}
    return {key: outcome for key, outcome in outcomes.items() if outcome is not None}


def run_jobs(
    jobs: Sequence[Job],
    config: WorkspaceConfig,
    cached: Mapping[str, JobOutcome],
    on_outcome: Callable[[JobOutcome], None],
) -> list[JobOutcome]:
    """Run the jobs that are not cached; outcomes are in the order of the jobs.

    The caller holds the lock of the folder. A failed job does not stop the others. If the program
    is stopped, all jobs are stopped.
    """
    outcomes = dict(cached)
    stop = threading.Event()
    with ThreadPoolExecutor(config.parallel_jobs) as pool:
        waiting: dict[Future[JobOutcome], str] = {}
        try:
            for key, job in distinct_jobs(jobs).items():
                if key not in outcomes:
                    waiting[pool.submit(_run_job, job, config, stop)] = key
            while waiting:
                done, _ = wait(waiting, return_when=FIRST_COMPLETED)
                for future in done:
                    outcomes[waiting.pop(future)] = future.result()
                    on_outcome(future.result())
        except BaseException:  # also Ctrl-C: stop all jobs, then raise it again
            stop.set()
            pool.shutdown(wait=True, cancel_futures=True)
            raise
    # Jobs with the same key share an outcome, but each is reported under its own name.
    return [replace(outcomes[job.key], job=job) for job in jobs]


def distinct_jobs(jobs: Sequence[Job]) -> dict[str, Job]:
    """The first job of each key: jobs with the same key run once."""
    distinct: dict[str, Job] = {}
    for job in jobs:
        distinct.setdefault(job.key, job)
    return distinct


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Hold the lock of a folder, so that no second run uses it.

    The operating system releases the lock when this process ends, even if it is killed.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        lock = open(folder / ".lock", "ab")  # noqa: SIM115  held until the end of the block
    except OSError as error:
        raise unwritable(str(folder), error) from None
    with lock:
        try:
            _lock_now(lock)
        except OSError:
            raise OutputError(
                str(folder), "another run is using this folder", "wait for it, or stop it"
            ) from None
        for draft in folder.glob(f"{_DRAFT}*"):  # left by a run that was killed
            shutil.rmtree(draft)
        yield


def _lock_now(lock: IO[bytes]) -> None:
    """Lock a file without waiting; raises `OSError` if another process has locked it."""
    if sys.platform == "win32":
        import msvcrt

        msvcrt.locking(lock.fileno(), msvcrt.LK_NBLCK, 1)
    else:
        import fcntl

        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)


def finished(job: Job, folder: Path) -> JobOutcome | None:
    """The outcome of a finished job; None if it is not finished or its files are damaged."""
    place = folder / job.folder_name
    try:
        record = json.loads((place / RECORD).read_text(encoding="utf-8"))
        is_intact = record["key"] == job.key and record["sha256"] == file_digest(place / OUTPUT)
        seconds, peak = float(record["seconds"]), record["peak_mb"]
        versions = dict(record["versions"])
    except (OSError, KeyError, TypeError, ValueError):
        return None
    if not is_intact:
        return None
    output = _output_with_options(job, place)
    return JobOutcome(job, output, place / LOG, seconds, peak, versions=versions)


def _output_with_options(job: Job, place: Path) -> str:
    """The output of a job as FILE::options."""
    options = [option for option in job.output_options.split(",") if option]
    # A command with larger context writes the joined sentences; recipes write those of the file.
    has_other_breaks = job.system.command is not None and job.system.context > 1
    if has_other_breaks and _ANY_SENTENCES not in options:
        options.append(_ANY_SENTENCES)
    return f"{place / OUTPUT}{OPTIONS_MARK}{','.join(options)}"


def _run_job(job: Job, config: WorkspaceConfig, stop: threading.Event) -> JobOutcome:
    """Run one job in a draft folder, and rename the folder when the job is finished."""
    draft = config.folder / f"{_DRAFT}{uuid4().hex}"
    draft.mkdir()
    try:
        spec = draft / _SPEC
        with _scratch_folder(draft) as scratch, open(draft / LOG, "wb") as log:
            _spec(job, config, draft, scratch).save(spec)
            begin = time.monotonic()
            end = run_process(spec, log.fileno(), config.parallel_jobs, job.system.timeout, stop)
            seconds = time.monotonic() - begin
        _remove(spec)
        fact = _why_failed(end, job, draft)
        place = config.folder / f"{job.folder_name}{_FAILED if fact else ''}"
        fact = fact.replace(str(draft.resolve()), str(place))
        if fact:
            outcome = JobOutcome(job, None, place / LOG, seconds, end.peak_mb, fact)
        else:
            versions = _versions(job)
            output = _output_with_options(job, place)
            outcome = JobOutcome(job, output, place / LOG, seconds, end.peak_mb, versions=versions)
            record = {**outcome.row, "sha256": file_digest(draft / OUTPUT)}
            (draft / RECORD).write_text(json.dumps(record, indent=1), encoding="utf-8")
        for old in (place, config.folder / f"{job.folder_name}{_FAILED}"):
            _remove(old)
        draft.rename(place)
        return outcome
    finally:
        _remove(draft)


@contextmanager
def _scratch_folder(draft: Path) -> Iterator[Path]:
    """A temporary folder for a job; its path has no special characters of a shell."""
    scratch = draft.resolve() / _SCRATCH
    if is_plain(str(scratch)):
        scratch.mkdir()
    else:
        scratch = Path(tempfile.mkdtemp(prefix="nerscope-")).resolve()
    try:
        yield scratch
    finally:
        shutil.rmtree(scratch)


def _spec(job: Job, config: WorkspaceConfig, draft: Path, scratch: Path) -> JobSpec:
    data, system = job.data, job.system
    return JobSpec(
        train=list(map(_absolute, data.train)),
        dev=list(map(_absolute, data.dev)),
        test=_absolute(data.test),
        recipe=system.recipe,
        options=dict(system.options or {}),
        map=dict(system.map),
        drop=list(system.drop),
        command=system.command,
        context=system.context,
        seed=job.seed,
        scratch=str(scratch),
        output=str((draft / OUTPUT).resolve()),
        output_with_options=_absolute(_output_with_options(job, draft)),
        plan_folder=str(config.plan_folder.resolve()),
        plugins=[str(Path(path).resolve()) for path in config.plugins],
        parent=os.getpid(),
    )


def _absolute(text: str) -> str:
    path = path_of(text)
    return text if is_remote(path) else f"{Path(path).resolve()}{text[len(path) :]}"


def _why_failed(end: ProcessEnd, job: Job, draft: Path) -> str:
    if end.code == 0:
        return ""
    if end.code is None:
        return f"it exceeded its timeout of {job.system.timeout:g} s"
    if end.code < 0:
        hint = "; possibly out of memory" if end.code == -signal.SIGKILL else ""
        return f"it was killed by signal {-end.code}{hint}"
    lines = (draft / LOG).read_text(encoding="utf-8", errors="replace").split("\n")
    log = [line.strip() for line in lines]
    log = [line for line in log if line and not line.startswith(COMMAND_PREFIX)]
    if not log:
        return f"it ended with exit code {end.code}"
    # The line before the exit code is usually the error message of the command.
    before = f" (before that: {log[-2][:_MAX_LETTERS]})" if EXIT_CODE in log[-1] and log[1:] else ""
    return log[-1][-_MAX_LETTERS:] + before


def _versions(job: Job) -> dict[str, str]:
    """The versions of the packages that a job uses."""
    versions = {"nerscope": VERSION, "python": ".".join(map(str, sys.version_info[:3]))}
    packages = recipe_named(job.system.recipe).needs.values() if job.system.recipe else ()
    for package in packages:
        try:
            versions[package] = version(package)
        except PackageNotFoundError:
            continue
    return versions


def _remove(path: Path) -> None:
    """Remove a file or folder, if there is one."""
    if path.is_dir():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)
