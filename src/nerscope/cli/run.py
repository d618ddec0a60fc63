"""`nerscope run`: train, predict and evaluate what a plan says."""

from typing import TYPE_CHECKING, Any

import typer

from nerscope.cli.common import (
    FORMAT_HELP,
    PLUGIN_HELP,
    QUIET_HELP,
    checked_format,
    checked_outputs,
    emit,
    say,
    steps,
)
from nerscope.cli.experiments import beside, hand_out
from nerscope.errors import plural

if TYPE_CHECKING:
    from nerscope.lab.plan import RunPlan

_MOST_NAMED = 3  # failed jobs in a note


def command(
    plan: str = typer.Argument(
        metavar="PLAN.toml", help="An experiment file whose systems may be trained."
    ),
    output: str | None = typer.Option(
        None, "-o", "--output", metavar="FILE", help="Write the results to this JSON file."
    ),
    report: str | None = typer.Option(
        None, metavar="FILE", help="Write a page that shows where systems fail (.html)."
    ),
    format: str = typer.Option("text", metavar="FORMAT", help=FORMAT_HELP),
    all: bool = typer.Option(False, "--all", help="Show every table, not only the summary."),
    folder: str | None = typer.Option(
        None,
        metavar="DIR",
        help="Where splits, outputs and logs are kept; nerscope-runs beside the plan.",
    ),
    jobs: int = typer.Option(1, metavar="N", min=1, help="How many systems are trained at once."),
    dry_run: bool = typer.Option(False, "--dry-run", help="List the jobs, and do none."),
    plugin: list[str] = typer.Option([], metavar="FILE.py", help=PLUGIN_HELP),
    engine: str | None = typer.Option(
        None,
        metavar="NAME",
        help="Where outputs are evaluated: local, pool, ray, or one of a plug-in.",
    ),
    workers: int = typer.Option(1, metavar="N", help="How many processes evaluate."),
    no_cache: bool = typer.Option(False, "--no-cache", help="Evaluate anew; train nothing anew."),
    quiet: bool = typer.Option(False, "--quiet", "-q", help=QUIET_HELP),
) -> None:
    """Train systems on splits or datasets, predict, evaluate; what is done is never done again."""
    from nerscope.experiment.cache import Cache
    from nerscope.lab.plan import load_plan
    from nerscope.lab.run import run_plan, runs_folder
    from nerscope.plugins import load_plugins
    from nerscope.render.jobs import jobs_tables

    said = dict(locals())
    checked_format(format)
    load_plugins(plugin)
    loaded = load_plan(plan)
    place = runs_folder(loaded, folder)
    checked_outputs([output, report, beside(output)], [plan, *loaded.inputs, *plugin])
    if dry_run:
        _list_jobs(loaded, said)
    with steps() as step:
        ran = run_plan(
            loaded,
            folder=place,
            jobs=jobs,
            cache=Cache(None if no_cache else place / ".nerscope-cache", say),
            engine=engine,
            workers=workers,
            plugins=plugin,
            say=(lambda line: None) if quiet else say,
            step=step,
        )
    failed = [one for one in ran.outcomes if one.output is None]
    hand_out(
        ran.results,
        ran.comparison,
        said,
        also={"jobs": ran.jobs},
        more=jobs_tables(ran.jobs),
        notes=_failures([str(one.job) for one in failed], len(ran.outcomes), str(place)),
        code=1 if failed else 0,
    )


def _failures(names: list[str], jobs: int, place: str) -> list[str]:
    """What is missing in the results; why, was said when it happened and stands in the logs."""
    if not names:
        return []
    shown = "; ".join(names[:_MOST_NAMED]) + (" …" if len(names) > _MOST_NAMED else "")
    return [
        f"{len(names)} of {plural(jobs, 'job')} failed ({shown}); the logs are in {place}. "
        "Runs are numbered without them, so that compare --same-seeds would pair other seeds"
    ]


def _list_jobs(plan: "RunPlan", said: dict[str, Any]) -> None:
    """Every job, and whether it is done."""
    from nerscope.lab.run import planned_jobs, runs_folder
    from nerscope.render.jobs import planned_document

    found = planned_jobs(plan, runs_folder(plan, said["folder"]))
    emit(planned_document(found), said["format"], quiet=said["quiet"])
