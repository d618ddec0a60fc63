"""Exit with 1 if a number is too low, or not surely within the drop that is allowed."""

from dataclasses import dataclass

import typer

from nerscope.cli.common import (
    PLUGIN,
    RESAMPLE,
    emit_and_exit,
    format_option,
    load_results,
)

RANK = 80


@dataclass(frozen=True)
class GateOptions:
    results: str = typer.Argument(metavar="RESULTS", help="The new results.")
    baseline: str | None = typer.Option(
        None, metavar="FILE", help="The results to hold against; a floor needs none."
    )
    reference: str | None = typer.Option(
        None,
        metavar="FILE",
        help="Older results, such as those of the first release, to hold against as well.",
    )
    conditions: str | None = typer.Option(
        None, metavar="FILE.toml", help="Conditions as [[condition]] tables, instead of options."
    )
    max_drop: float | None = typer.Option(
        None,
        metavar="POINTS",
        help="The drop that is allowed, in points (0.5 is half a percent); 1 if no rule is given.",
    )
    max_total_drop: float | None = typer.Option(
        None, metavar="POINTS", help="The drop allowed against --reference; default: --max-drop."
    )
    floor: float | None = typer.Option(
        None, metavar="POINTS", help="The worst value that is allowed, in points."
    )
    floor_rule: str | None = typer.Option(
        None,
        metavar="value|interval",
        help="Hold the floor against the value (default), or against its confidence bound.",
    )
    always_valid: bool = typer.Option(
        False,
        "--always-valid",
        help="Bounds that hold at all sizes of a test set that grows: look at it every night.",
    )
    tuned_to: float | None = typer.Option(
        None,
        metavar="N",
        help="Documents or sentences at which always-valid bounds are narrowest; default: 200. "
        "Never change it later.",
    )
    alpha: float | None = typer.Option(
        None, metavar="SHARE", help="How likely a wrong verdict may be, 0.05 unless told."
    )
    undecided: str = typer.Option(
        "fail", metavar="pass|fail", help="What an undecided condition does to the exit code."
    )
    metric: str | None = typer.Option(
        None, metavar="METRIC", help="The metric, such as recall; f1 unless told."
    )
    facet: list[str] = typer.Option(
        [],
        metavar="FACET=LEVEL",
        help="A cell, such as tmr=unseen-tokens; all mentions otherwise; repeatable.",
    )
    type: str | None = typer.Option(None, metavar="TYPE", help="Only mentions of this type.")
    match: str | None = typer.Option(None, metavar="MATCH", help="The match, exact unless told.")
    system: str | None = typer.Option(None, metavar="NAME", help="Only this system.")
    resample: str | None = RESAMPLE
    plugin: list[str] = PLUGIN
    format: str = format_option("junit", "github")


def run(options: GateOptions) -> None:
    from nerscope.render.verdicts import verdict_document
    from nerscope.results.gate import baseline_notes, gate
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
    failed = any(verdict.failed for verdict in verdicts)
    notes = [
        *baseline_notes(results, baseline),
        *baseline_notes(results, reference),
        *gate_notes(results, baseline, options.resample),
    ]
    shown = verdict_document(verdicts, text=options.format == "text", notes=notes)
    emit_and_exit(shown, options.format, code=1 if failed else 0)
