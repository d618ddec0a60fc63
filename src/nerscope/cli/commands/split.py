"""Split data into train, dev and test sets."""

from dataclasses import dataclass

import typer

from nerscope.cli.common import FILE_HELP, FORMAT, PLUGIN, QUIET, emit_and_exit, prepare

GROUP, RANK = "data", 120


@dataclass(frozen=True)
class SplitOptions:
    data: list[str] = typer.Argument(metavar="DATA…", help=f"The files to split. {FILE_HELP}")
    output: str = typer.Option(
        ..., "-o", "--output", metavar="DIR", help="A new folder for the splits."
    )
    folds: int | None = typer.Option(None, metavar="K", help="K-fold cross-validation.")
    random: int | None = typer.Option(None, metavar="N", help="N random splits.")
    leave_out: bool = typer.Option(
        False, "--leave-out", help="One split per file: test on it, train on the others."
    )
    hard: str | None = typer.Option(
        None,
        metavar="SHARES",
        help="A hard test set with given shares, such as unseen=0.8,tcm=0.1.",
    )
    test: float | None = typer.Option(
        None, metavar="SHARE", help="Share of sentences in the test set; default: 0.1."
    )
    dev: float | None = typer.Option(
        None, metavar="SHARE", help="Share of sentences in the development set."
    )
    by: str | None = typer.Option(
        None,
        metavar="UNIT",
        help="What is never divided: document or sentence. Default: documents if they are marked.",
    )
    stratify: bool = typer.Option(
        False, "--stratify", help="Keep the distribution of entity types alike in all parts."
    )
    seed: int = typer.Option(0, metavar="NUMBER", help="Seed of the split.")
    context: int = typer.Option(
        1, metavar="K", help="Join K consecutive sentences of a document into one."
    )
    allow_leaks: bool = typer.Option(
        False, "--allow-leaks", help="Allow equal sentences in different parts."
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
