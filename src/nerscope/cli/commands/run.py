"""Train, predict and evaluate systems as a plan describes."""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from nerscope.cli.common import (
    CODES,
    FORMAT,
    NOTES,
    PLUGIN,
    QUIET,
    SIGNATURE,
    emit_and_exit,
    prepare,
    print_message,
    status_line,
)
from nerscope.cli.options import check_outputs
from nerscope.cli.results_output import comparison_path, emit_results, result_files
from nerscope.errors import plural

if TYPE_CHECKING:
    from nerscope.cli.common import FileContent
    from nerscope.lab.run import OutOfDomain

_MOST_NAMED = 3  # failed jobs in a note


GROUP, RANK = "train", 130


@dataclass(frozen=True)
class RunOptions:
    plan: str = typer.Argument(
        metavar="PLAN.toml", help="An experiment file with systems to train."
    )
    output: str | None = typer.Option(
        None, "-o", "--output", metavar="FILE", help="Save the results as JSON."
    )
    report: str | None = typer.Option(None, metavar="FILE", help="Write a report page (.html).")
    format: str = FORMAT
    all: bool = typer.Option(False, "--all", help="Show every table, not only the summary.")
    folder: str | None = typer.Option(
        None,
        metavar="DIR",
        help="Folder for splits, outputs and logs; default: nerscope-runs beside the plan.",
    )
    jobs: int = typer.Option(1, metavar="N", min=1, help="Number of systems trained at once.")
    dry_run: bool = typer.Option(False, "--dry-run", help="List the jobs without running them.")
    codes: bool = CODES
    notes: bool = NOTES
    signature: bool = SIGNATURE
    plugin: list[str] = PLUGIN
    engine: str | None = typer.Option(
        None,
        metavar="NAME",
        help="Where outputs are evaluated: local, pool, ray, or an engine of a plug-in.",
    )
    workers: int = typer.Option(1, metavar="N", help="Number of processes for the evaluation.")
    no_cache: bool = typer.Option(
        False, "--no-cache", help="Evaluate again; trained systems stay cached."
    )
    quiet: bool = QUIET


def run(options: RunOptions) -> None:
    from nerscope.experiment.cache import Cache
    from nerscope.lab.plan import load_plan
    from nerscope.lab.run import planned_jobs, run_plan, runs_folder
    from nerscope.render.lab import domain_tables, jobs_tables, planned_document

    prepare(options.plugin, options.format)
    plan = load_plan(options.plan)
    folder = runs_folder(plan, options.folder)
    outside = (
        _outside_paths(options) if plan.held_out else replace(options, output=None, report=None)
    )
    results = [path for paths in (options, outside) for path in (paths.output, paths.report)]
    check_outputs(
        [*results, *(comparison_path(paths.output) for paths in (options, outside))],
        [options.plan, *plan.inputs, *options.plugin],
    )
    if options.dry_run:
        document = planned_document(planned_jobs(plan, folder))
        emit_and_exit(document, options.format, options=options)
    with status_line() as show_step:
        ran = run_plan(
            plan,
            folder=folder,
            jobs=options.jobs,
            cache=Cache(None if options.no_cache else folder / ".nerscope-cache", print_message),
            engine=options.engine,
            workers=options.workers,
            plugins=options.plugin,
            say=(lambda line: None) if options.quiet else print_message,
            step=show_step,
        )
    failed = [str(outcome.job) for outcome in ran.outcomes if outcome.output is None]
    held_out = ran.out_of_domain
    domains = {"domains": held_out.rows} if held_out else {}
    emit_results(
        ran.results,
        ran.comparison,
        options,
        extra={"jobs": ran.jobs, **domains},
        first_tables=domain_tables(held_out.rows) if held_out else (),
        extra_tables=jobs_tables(ran.jobs),
        extra_files=_outside_files(held_out, outside) if held_out else None,
        notes=_failure_notes(failed, len(ran.outcomes), str(folder)),
        code=1 if failed else 0,
    )


def _outside_paths(options: RunOptions) -> RunOptions:
    """Where out-of-domain results go: beside those in domain, as NAME.out-of-domain.json."""
    from nerscope.results.files import is_special

    def beside(path: str | None) -> str | None:
        if path is None or is_special(path):
            return None
        return str(Path(path).with_suffix(f".out-of-domain{Path(path).suffix}"))

    return replace(options, output=beside(options.output), report=beside(options.report))


def _outside_files(held_out: "OutOfDomain", options: RunOptions) -> dict[str, "FileContent"]:
    from nerscope.render.document import as_json

    files = result_files(held_out.results, options, ())
    comparison, path = held_out.comparison, comparison_path(options.output)
    if comparison is not None and path is not None:
        files[path] = lambda: as_json(comparison.as_dict())
    if files and not options.quiet:
        print_message(f"results out of domain are in {', '.join(files)}")
    return files


def _failure_notes(failed: list[str], jobs: int, folder: str) -> list[str]:
    """Name the jobs that the results lack; why each failed was printed, and is in the logs."""
    if not failed:
        return []
    shown = "; ".join(failed[:_MOST_NAMED]) + (" …" if len(failed) > _MOST_NAMED else "")
    return [
        f"{len(failed)} of {plural(jobs, 'job')} failed ({shown}); the logs are in {folder}. "
        "Runs are numbered without them, so that compare --same-seeds would pair other seeds"
    ]
