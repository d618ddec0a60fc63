"""Split data into train, dev and test: folds, random draws, files left out, or by design."""

from dataclasses import dataclass

import typer

from nerscope.cli.common import FILE_HELP, FORMAT, PLUGIN, QUIET, emit_and_exit, prepare

RANK = 120


@dataclass(frozen=True)
class SplitOptions:
    data: list[str] = typer.Argument(metavar="DATA…", help=f"The files to split. {FILE_HELP}")
    output: str = typer.Option(
        ..., "-o", "--output", metavar="DIR", help="The folder to make; it must be new."
    )
    folds: int | None = typer.Option(
        None, metavar="K", help="K splits, each testing on another K-th."
    )
    random: int | None = typer.Option(None, metavar="N", help="N splits drawn independently.")
    leave_out: bool = typer.Option(
        False, "--leave-out", help="One split per file: test on it, train on the others."
    )
    hard: str | None = typer.Option(
        None, metavar="SHARES", help="A test set by design, as unseen=0.8,tcm=0.1."
    )
    test: float | None = typer.Option(
        None, metavar="SHARE", help="The share of sentences to test on; 0.1 unless told."
    )
    dev: float | None = typer.Option(
        None, metavar="SHARE", help="The share of all sentences for development."
    )
    by: str | None = typer.Option(
        None, metavar="UNIT", help="What stays whole: document (where there are any) or sentence."
    )
    stratify: bool = typer.Option(
        False, "--stratify", help="Keep the mix of entity types alike in all parts."
    )
    seed: int = typer.Option(0, metavar="NUMBER", help="The same seed gives the same files.")
    context: int = typer.Option(
        1, metavar="K", help="Make K consecutive sentences of a document one."
    )
    allow_leaks: bool = typer.Option(
        False, "--allow-leaks", help="Let equal sentences be in different parts."
    )
    format: str = FORMAT
    plugin: list[str] = PLUGIN
    quiet: bool = QUIET


def run(options: SplitOptions) -> None:
    from nerscope.dataset.split.split import split
    from nerscope.render.dataset import split_document

    prepare(options.plugin, options.format)
    splits = split(
        options.data,
        options.output,
        folds=options.folds,
        random=options.random,
        leave_out=options.leave_out,
        hard=options.hard,
        test=options.test,
        dev=options.dev,
        by=options.by,
        stratify=options.stratify,
        seed=options.seed,
        context=options.context,
        allow_leaks=options.allow_leaks,
    )
    emit_and_exit(split_document(splits.as_dict()), options.format, options=options)
