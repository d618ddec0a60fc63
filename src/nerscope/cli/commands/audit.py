"""Find annotations that are probably wrong, and correct them.

Outputs of systems that never saw gold are compared with it. So are predictions of recipes: each
document is predicted by a system that is trained on the other documents.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NoReturn

import typer

from nerscope.cli.common import (
    FILE_HELP,
    FORMAT,
    NOTES,
    PLUGIN,
    QUIET,
    REPAIR,
    FileContent,
    emit_and_exit,
    prepare,
    print_message,
    progress,
)
from nerscope.cli.options import check_outputs, parse_systems
from nerscope.errors import UsageError

if TYPE_CHECKING:
    from nerscope.annotation.audit.result import Audit
    from nerscope.experiment.cache import Cache

GROUP, RANK = "data", 97


@dataclass(frozen=True)
class AuditOptions:
    gold: str = typer.Argument(metavar="GOLD", help=f"The annotations to audit. {FILE_HELP}")
    system: list[str] = typer.Option(
        [],
        metavar="[NAME=]FILE",
        help="Output of a system that never saw this gold; repeatable.",
    )
    train: list[str] = typer.Option(
        [], metavar="FILE", help="Training data, which says how texts are labelled; repeatable."
    )
    recipe: list[str] = typer.Option(
        [],
        metavar="NAME",
        help="Train this recipe on the other documents of gold; repeatable. Default: crf, or "
        "perceptron if crf is not installed; none trains none.",
    )
    folds: int = typer.Option(5, metavar="K", min=2, help="Parts of gold that recipes predict.")
    trained_on: list[str] = typer.Option(
        [], metavar="NAME", help="A system that was trained on this gold: left out; repeatable."
    )
    held_out: list[str] = typer.Option(
        [],
        metavar="NAME=F1",
        help="F1 of a system on data it never saw, such as bert=0.91, to detect systems that were "
        "trained on this gold; repeatable.",
    )
    judged: list[str] = typer.Option(
        [],
        metavar="DECISIONS",
        help="Judged sentences, for the share of wrong gold and corrected scores; repeatable.",
    )
    sample: int | None = typer.Option(
        None, metavar="N", min=1, help="Write N sentences to judge to OUT, as decisions."
    )
    apply: list[str] = typer.Option(
        [], metavar="DECISIONS", help="Write gold with these decisions to OUT; repeatable."
    )
    output: str | None = typer.Option(
        None,
        "-o",
        "--output",
        metavar="OUT",
        help="Save the audit as JSON; with --apply, the corrected gold; with --sample, the "
        "sentences to judge.",
    )
    dry_run: bool = typer.Option(False, "--dry-run", help="With --apply, write nothing.")
    report: str | None = typer.Option(
        None, metavar="FILE", help="Write a page (.html) on which people decide about suspects."
    )
    most: int = typer.Option(11, metavar="N", min=0, help="Number of groups to print.")
    all: bool = typer.Option(False, "--all", help="Print all groups.")
    no_text: bool = typer.Option(
        False, "--no-text", help="Leave the words of the data out of the result."
    )
    format: str = FORMAT
    repair: str = REPAIR
    seed: int = typer.Option(1, metavar="N", min=0, help="Seed of folds, training and samples.")
    workers: int = typer.Option(1, metavar="N", min=1, help="Processes that train recipes.")
    no_cache: bool = typer.Option(False, "--no-cache", help="Ignore cached predictions.")
    plugin: list[str] = PLUGIN
    notes: bool = NOTES
    quiet: bool = QUIET


def run(options: AuditOptions) -> None:
    prepare(options.plugin, options.format)
    _check(options)
    inputs = [
        *(options.gold, *options.train, *options.plugin, *options.judged, *options.apply),
        *(text.partition("=")[2] or text for text in options.system),
    ]
    check_outputs([options.output, options.report], inputs)
    if options.apply:
        _apply(options)
    result = _audited(options)
    if options.sample is not None:
        _write_sample(result, options)
    _emit(result, options)


def _check(options: AuditOptions) -> None:
    """Refuse options that exclude each other, before any work is done."""
    if options.apply and options.sample is not None:
        raise UsageError("--sample", "--apply does not audit", "run audit twice, once with each")
    if options.sample is not None and options.output is None:
        raise UsageError("--sample", "no output is given", "-o judge.json")
    if options.report and (options.apply or options.sample is not None):
        which = "--apply" if options.apply else "--sample"
        raise UsageError("--report", f"{which} writes no page", "run audit twice, once with each")
    if options.report and options.no_text:
        raise UsageError(
            "--report", "nothing can be decided on a page without texts", "leave out --no-text"
        )
    if options.dry_run and not options.apply:
        raise UsageError("--dry-run", "there is nothing to apply", "--apply DECISIONS --dry-run")
    if options.sample is not None and options.no_text:
        raise UsageError("--sample", "a sample has the words to judge", "leave out --no-text")


def _apply(options: AuditOptions) -> NoReturn:
    from nerscope.annotation.apply import apply_decisions
    from nerscope.annotation.decisions import read_decisions
    from nerscope.render.audit import applied_document

    decisions = read_decisions(options.apply)
    log = apply_decisions(options.gold, decisions, options.output, dry_run=options.dry_run)
    emit_and_exit(applied_document(log), options.format, options=options)


def _audited(options: AuditOptions) -> "Audit":
    from nerscope.annotation.audit.audit import audit
    from nerscope.annotation.decisions import read_decisions
    from nerscope.formats.base import source_named

    gold = source_named(options.gold)
    systems = parse_systems(options.system, gold) if options.system else None
    with progress("predicting", quiet=options.quiet) as advance:
        return audit(
            gold,
            systems,
            train=[source_named(text) for text in options.train] or None,
            recipe=options.recipe or None,
            folds=options.folds,
            seed=options.seed,
            repair=options.repair,
            trained_on=options.trained_on,
            held_out=_held_out(options.held_out),
            judged=read_decisions(options.judged) if options.judged else None,
            texts=not options.no_text,
            cache=_cache(options),
            workers=options.workers,
            plugins=options.plugin,
            progress=advance,
        )


def _held_out(given: Sequence[str]) -> dict[str, float]:
    """F1 by system, from NAME=F1."""
    scores = {}
    for text in given:
        name, _, number = text.rpartition("=")
        try:
            scores[name] = float(number)
        except ValueError:
            name = ""
        if not name:
            raise UsageError(
                f"--held-out {text}", "not of the form NAME=F1", "--held-out bert=0.91"
            )
    return scores


def _cache(options: AuditOptions) -> "Cache":
    """The cache beside gold; nothing is cached with plug-ins, whose code a key does not cover."""
    from pathlib import Path

    from nerscope.experiment.cache import Cache
    from nerscope.formats.base import path_of

    path = Path(path_of(options.gold))
    is_cached = not options.no_cache and not options.plugin and path.is_file()
    return Cache(path.parent / ".nerscope-cache" if is_cached else None, print_message)


def _write_sample(result: "Audit", options: AuditOptions) -> NoReturn:
    from nerscope.annotation.decisions import write_decisions
    from nerscope.render.document import Document

    assert options.sample is not None
    assert options.output is not None
    chosen = result.sample(options.sample, options.seed)
    write_decisions(options.output, chosen)
    opening = [
        f'Wrote {len(chosen)} sentences to {options.output}. Correct "chosen" where gold is '
        "wrong, and remove sentences that you do not judge.",
    ]
    data = {"output": options.output, "sentences": len(chosen)}
    emit_and_exit(Document(data=data, opening=opening), options.format, options=options)


def _emit(result: "Audit", options: AuditOptions) -> NoReturn:
    from nerscope.annotation.audit.result import audit_json
    from nerscope.formats.source import note_lines, summed_notes
    from nerscope.render.audit import audit_document

    is_text = options.format == "text"
    document = audit_document(
        result,
        as_list=is_text,
        most=None if options.all or not is_text else options.most,
        gold=options.gold,
        hints=_hints(options) if result.suspects else (),
        notes=summed_notes(result.losses),
        every_note=note_lines(result.losses),
    )
    files: dict[str, FileContent] = {}
    if options.output:
        files[options.output] = lambda: audit_json(result)
    if options.report:
        from nerscope.render.page.decide_audit import audit_report

        files[options.report] = lambda: audit_report(result).html
    emit_and_exit(document, options.format, files=files, options=options)


def _hints(options: AuditOptions) -> list[str]:
    """What to do next, as commands to paste."""
    import shlex

    gold = shlex.quote(options.gold)
    saved = [] if options.output else [f"all suspects: nerscope audit {gold} … -o audit.json"]
    return [
        *saved,
        f"correct gold: nerscope audit {gold} --apply decisions.json -o corrected.conll",
    ]
