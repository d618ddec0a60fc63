"""Measure how well annotators agree, and make gold from their annotations."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NoReturn

import typer

from nerscope.cli.common import (
    CASE,
    FILE_HELP,
    FORMAT,
    NOTES,
    PLUGIN,
    QUIET,
    REPAIR,
    SEED,
    SIGNATURE,
    FileContent,
    emit_and_exit,
    prepare,
    progress,
)
from nerscope.cli.options import (
    check_name,
    check_outputs,
    parse_annotators,
    parse_renames,
    parse_systems,
    split_name,
)
from nerscope.errors import UsageError

if TYPE_CHECKING:
    from nerscope.annotation.agreement import Agreement

GROUP, RANK = "data", 95


@dataclass(frozen=True)
class AgreeOptions:
    annotations: list[str] = typer.Argument(
        metavar="[NAME=]FILE…",
        help="The files of two or more annotators, or one export with several annotators. "
        f"{FILE_HELP}",
    )
    system: list[str] = typer.Option(
        [],
        metavar="[NAME=]FILE",
        help="A system's output, to compare with the annotators; repeatable.",
    )
    train: list[str] = typer.Option(
        [], metavar="FILE", help="Training data, for tough mentions; repeated files are joined."
    )
    join: str | None = typer.Option(
        None,
        metavar="id|text|order",
        help="How the texts of the files are joined. Default: by ids, else by texts, else by "
        "order.",
    )
    majority: bool = typer.Option(
        False,
        "--majority",
        help="Write gold to OUT: the mentions that more than half of a text's annotators have.",
    )
    apply: list[str] = typer.Option(
        [],
        metavar="DECISIONS",
        help="Write gold to OUT: what all annotators have, and decisions on the rest; repeatable.",
    )
    output: str | None = typer.Option(
        None,
        "-o",
        "--output",
        metavar="OUT",
        help="Save the agreement as JSON, for show; with --majority or --apply, the gold file, "
        "whose ending determines the format.",
    )
    dry_run: bool = typer.Option(
        False, "--dry-run", help="With --majority or --apply, write nothing."
    )
    report: str | None = typer.Option(
        None,
        metavar="FILE",
        help="Write a page (.html) on which people decide about disagreements.",
    )
    disagreements: bool = typer.Option(
        False,
        "--disagreements",
        help="Print disagreements in their sentences, not tables.",
    )
    kind: list[str] = typer.Option(
        [],
        metavar="KIND",
        help="Only disagreements of this kind: missing, type, boundary, type and boundary; "
        "repeatable.",
    )
    sample: int | None = typer.Option(
        None, metavar="N", help="Draw N disagreements at random instead of the first ones."
    )
    seed: int = SEED
    most: int = typer.Option(20, metavar="N", help="Number of disagreements to print.")
    width: int | None = typer.Option(
        None, metavar="N", help="Width in columns; default: that of the terminal."
    )
    match: list[str] = typer.Option(
        [],
        metavar="MATCH",
        help="Only this match, such as exact or 'iou(threshold=0.5)'; repeatable.",
    )
    map: list[str] = typer.Option(
        [], metavar="OLD=NEW", help="Rename a type in all files; repeatable."
    )
    drop: list[str] = typer.Option(
        [], metavar="TYPE", help="Ignore a type in all files; repeatable."
    )
    repair: str = REPAIR
    case: str = CASE
    all: bool = typer.Option(False, "--all", help="Show every table, not only the summary.")
    no_text: bool = typer.Option(
        False, "--no-text", help="Save no sentences with the agreement (licensed data)."
    )
    notes: bool = NOTES
    signature: bool = SIGNATURE
    plugin: list[str] = PLUGIN
    workers: int = typer.Option(1, metavar="N", help="Number of processes.")
    format: str = FORMAT
    quiet: bool = QUIET


def run(options: AgreeOptions) -> None:
    prepare(options.plugin, options.format)
    _check_options(options)
    agreement = _measure(options)
    if options.majority or options.apply:
        _emit_gold(agreement, options)
    if options.disagreements:
        _emit_disagreements(agreement, options)
    _emit_agreement(agreement, options)


def _check_options(options: AgreeOptions) -> None:
    """Refuse options that do not go together, and outputs that are inputs."""
    from nerscope.annotation.agreement import KINDS
    from nerscope.formats.base import path_of

    makes_gold = options.majority or bool(options.apply)
    if options.majority and options.apply:
        raise UsageError(
            "--majority",
            "decisions are applied to what all annotators have, and the rest is by majority",
            "leave out --majority",
        )
    if makes_gold and options.output is None and not options.dry_run:
        raise UsageError("agree", "no file for the gold is given", "-o OUT, or --dry-run")
    if options.dry_run and not makes_gold:
        raise UsageError(
            "--dry-run", "there is nothing to write", "--majority, or --apply DECISIONS"
        )
    for kind in options.kind:
        check_name("--kind", kind, KINDS)
    if options.report and makes_gold:
        raise UsageError(
            "--report",
            "with --majority or --apply, gold is written and nothing is measured",
            "run agree twice, once with each",
        )
    if options.report and options.no_text:
        raise UsageError(
            "--report", "nothing can be decided on a page without texts", "leave out --no-text"
        )
    for name, value in (("--most", options.most), ("--width", options.width)):
        if value is not None and value < 0:
            raise UsageError(name, f"invalid value {value}", "give a whole number, 0 or more")
    files = [split_name(text)[1] for text in (*options.annotations, *options.system)]
    output = options.output if options.output is None else path_of(options.output)
    check_outputs(
        [output, options.report], [*files, *options.train, *options.apply, *options.plugin]
    )


def _measure(options: AgreeOptions) -> "Agreement":
    from nerscope.annotation.agree import agree
    from nerscope.formats.base import source_named

    systems = parse_systems(options.system) if options.system else {}
    for name, outputs in systems.items():
        if len(outputs) > 1:
            raise UsageError(
                f"--system {name}", "a system has several outputs here", "give one of its outputs"
            )
    with progress("scoring", quiet=options.quiet) as on_progress:
        return agree(
            parse_annotators(options.annotations),
            systems={name: outputs[0] for name, outputs in systems.items()},
            train=[source_named(path) for path in options.train] or None,
            join=options.join,
            workers=options.workers,
            plugins=options.plugin,
            progress=on_progress,
            **_settings(options),
        )


def _settings(options: AgreeOptions) -> Mapping[str, Any]:
    """The fields of `nerscope.evaluation.task.Settings`."""
    return {
        "matches": options.match or None,
        "repair": options.repair,
        "case": options.case,
        "map": parse_renames(options.map),
        "drop": options.drop,
        "texts": not options.no_text,
    }


def _emit_gold(agreement: "Agreement", options: AgreeOptions) -> NoReturn:
    """Write gold, and say how it was made."""
    from nerscope.render.agreement import gold_document

    target = None if options.dry_run else options.output
    if options.apply:
        summary = agreement.apply(options.apply, target)
    else:
        summary = agreement.majority(target)
    document = gold_document(summary, target, agreement.short_notes())
    emit_and_exit(document, options.format, options=options)


def _files(agreement: "Agreement", options: AgreeOptions) -> dict[str, FileContent]:
    """The contents of the files to write."""
    files: dict[str, FileContent] = {}
    if options.output:
        files[options.output] = agreement.to_json
    if options.report:
        from nerscope.render.page.decide_agreement import agreement_report

        files[options.report] = lambda: agreement_report(agreement).html
    return files


def _emit_disagreements(agreement: "Agreement", options: AgreeOptions) -> NoReturn:
    from shutil import get_terminal_size

    from nerscope.annotation.disagreements import selected
    from nerscope.render.agreement import disagreements_document

    rows = selected(agreement.disagreements, options.kind, options.sample, options.seed)
    columns = options.width or get_terminal_size().columns
    document = disagreements_document(agreement, rows, columns, options.most)
    files = _files(agreement, options)
    emit_and_exit(document, options.format, files=files, says_files=True, options=options)


def _emit_agreement(agreement: "Agreement", options: AgreeOptions) -> NoReturn:
    from nerscope.render.agreement import agreement_document

    document = agreement_document(agreement, everything=options.all)
    files = _files(agreement, options)
    # With -o, the JSON is in the file: printing it again would bury the notes.
    silent = options.format == "json" and bool(options.output)
    emit_and_exit(
        document, options.format, files=files, silent=silent, says_files=True, options=options
    )
