"""Pass or fail a release: exit code 1 if a score dropped or is low."""

from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

import typer

from nerscope.cli.common import (
    NOTES,
    PLUGIN,
    RESAMPLE,
    FileContent,
    emit_and_exit,
    format_option,
    load_results,
)
from nerscope.cli.options import check_outputs
from nerscope.errors import NerscopeError

if TYPE_CHECKING:
    from nerscope.results.verdict import Verdict

GROUP, RANK = "compare", 70


@dataclass(frozen=True)
class GateOptions:
    results: str = typer.Argument(metavar="RESULTS", help="The new results.")
    baseline: str | None = typer.Option(
        None, metavar="FILE", help="The results to compare with; a floor needs none."
    )
    reference: str | None = typer.Option(
        None,
        metavar="FILE",
        help="Older results to compare with as well, such as those of the first release.",
    )
    conditions: str | None = typer.Option(
        None, metavar="FILE.toml", help="Conditions as [[condition]] tables, instead of options."
    )
    max_drop: float | None = typer.Option(
        None,
        metavar="POINTS",
        help="The allowed drop, in percentage points. Default: 1 if no rule is given.",
    )
    max_total_drop: float | None = typer.Option(
        None, metavar="POINTS", help="The drop allowed against --reference; default: --max-drop."
    )
    floor: float | None = typer.Option(
        None, metavar="POINTS", help="The worst value that is allowed, in percent."
    )
    floor_rule: str | None = typer.Option(
        None,
        metavar="value|interval",
        help="Compare the floor with the value (default) or with its confidence bound.",
    )
    always_valid: bool = typer.Option(
        False,
        "--always-valid",
        help="Bounds that stay valid when a growing test set is checked again and again.",
    )
    tuned_to: float | None = typer.Option(
        None,
        metavar="N",
        help="Documents or sentences at which always-valid bounds are narrowest; default: 200. "
        "Do not change it later.",
    )
    alpha: float | None = typer.Option(
        None, metavar="SHARE", help="The probability of a wrong verdict; default: 0.05."
    )
    undecided: str = typer.Option(
        "fail", metavar="pass|fail", help="What an undecided condition does to the exit code."
    )
    metric: str | None = typer.Option(
        None, metavar="METRIC", help="The metric, such as recall; default: f1."
    )
    facet: list[str] = typer.Option(
        [],
        metavar="FACET=LEVEL",
        help="A group, such as tmr=unseen-tokens; default: all mentions; repeatable.",
    )
    type: str | None = typer.Option(None, metavar="TYPE", help="Only mentions of this type.")
    match: str | None = typer.Option(None, metavar="MATCH", help="The match; default: exact.")
    system: str | None = typer.Option(None, metavar="NAME", help="Only this system.")
    resample: str | None = RESAMPLE
    junit: str | None = typer.Option(
        None, metavar="FILE.xml", help="Also write a JUnit report to this file."
    )
    all: bool = typer.Option(False, "--all", help="Print every condition.")
    notes: bool = NOTES
    plugin: list[str] = PLUGIN
    format: str = format_option("junit", "github")


def run(options: GateOptions) -> None:
    from nerscope.render.document import OUTPUTS
    from nerscope.render.verdicts import error_document, verdict_document
    from nerscope.results.files import write_text

    inputs = [options.results, options.baseline, options.reference, options.conditions]
    check_outputs([options.junit], [*inputs, *options.plugin])
    try:
        verdicts, notes = _judged(options)
    except NerscopeError as error:
        if options.junit:  # the report of an earlier run would be taken for this one
            report = OUTPUTS["junit"](error_document(options.results, str(error)))
            with suppress(NerscopeError):  # the first error counts
                write_text(options.junit, report)
        raise
    failed = any(verdict.failed for verdict in verdicts)
    document = verdict_document(verdicts, options.format == "text", notes, options.all)
    files: dict[str, FileContent] = {}
    if options.junit:
        files[options.junit] = lambda: OUTPUTS["junit"](document)
    emit_and_exit(document, options.format, files=files, code=int(failed), options=options)


def _judged(options: GateOptions) -> "tuple[list[Verdict], list[str]]":
    """The verdicts, and notes on the results."""
    from nerscope.results.gate import baseline_notes, few_clusters_notes, gate
    from nerscope.results.neighbours import gate_notes
    from nerscope.results.results import Results

    results = load_results(options.results, options.plugin, options.format)
    baseline = None if options.baseline is None else Results.load(options.baseline)
    reference = None if options.reference is None else Results.load(options.reference)
    verdicts = gate(
        results,
        baseline,
        options.conditions,
        max_drop=options.max_drop,
        floor=options.floor,
        alpha=options.alpha,
        metric=options.metric,
        facets=options.facet,
        type=options.type,
        match=options.match,
        system=options.system,
        undecided=options.undecided,
        resample=options.resample,
        reference=reference,
        max_total_drop=options.max_total_drop,
        floor_rule=options.floor_rule,
        always_valid=options.always_valid or None,
        tuned_to=options.tuned_to,
    )
    notes = [
        *baseline_notes(results, baseline),
        *baseline_notes(results, reference),
        *few_clusters_notes(verdicts),
        *gate_notes(results, baseline, options.resample),
    ]
    return verdicts, notes
