"""Describe data: size, unseen mentions, ambiguity, duplicates."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NoReturn

import typer

from nerscope.cli.common import (
    CASE,
    CODES,
    FILE_HELP,
    FORMAT,
    NOTES,
    PLUGIN,
    REPAIR,
    FileContent,
    emit_and_exit,
    prepare,
)
from nerscope.cli.options import check_name, check_outputs
from nerscope.errors import UsageError

if TYPE_CHECKING:
    from nerscope.dataset.describe import Description

_LISTS = ("hard", "ambiguous", "unannotated", "inconsistent", "duplicates")
_NEED_TWO = ("hard", "inconsistent")  # which compare a split with training data


GROUP, RANK = "data", 90


@dataclass(frozen=True)
class DescribeOptions:
    files: list[str] = typer.Argument(
        None, metavar="[FILE…]", help=f"Files to describe one by one. {FILE_HELP}"
    )
    train: list[str] = typer.Option(
        [], metavar="FILE", help="Training data; repeated files are joined."
    )
    dev: str | None = typer.Option(None, metavar="FILE", help="Development data.")
    test: str | None = typer.Option(None, metavar="FILE", help="Test data.")
    dataset: list[str] = typer.Option(
        [],
        metavar="NAME=TRAIN,TEST",
        help="A dataset to compare with others: training data and test data; repeatable.",
    )
    radar: str | None = typer.Option(
        None, metavar="FILE", help="Draw the attributes of the datasets (.svg, .pdf or .png)."
    )
    lists: list[str] = typer.Option(
        [],
        "--list",
        metavar="NAME",
        help=f"Print a list with places: {', '.join(_LISTS)}; repeatable.",
    )
    tokens: str | None = typer.Option(
        None,
        metavar="FILE",
        help="Write one row per token with its group of hard tokens (.csv, .jsonl or .parquet), "
        "for the test data, or for the training data by cross-validation.",
    )
    folds: int = typer.Option(
        10, metavar="K", help="Number of folds for --tokens on training data."
    )
    everything: bool = typer.Option(False, "--all", help="Show every table and whole lists.")
    format: str = FORMAT
    repair: str = REPAIR
    case: str = CASE
    codes: bool = CODES
    notes: bool = NOTES
    plugin: list[str] = PLUGIN


def run(options: DescribeOptions) -> None:
    from nerscope.formats.source import note_lines, summed_notes
    from nerscope.render.description import description_document

    prepare(options.plugin, options.format)
    given = {"train": options.train, "dev": options.dev, "test": options.test}
    splits = {name: texts for name, texts in given.items() if texts}
    if options.dataset or options.radar:
        _emit_bias(options, beside=bool(options.files or splits or options.lists or options.tokens))
    _check_options(options, splits)
    reading = {"repair": options.repair, "case": options.case}
    description = _describe(options.files, splits, reading)
    shown = description_document(
        description.as_dict(),
        everything=options.everything,
        lists=tuple(options.lists),
        notes=summed_notes(description.losses),
        every_note=note_lines(description.losses),
    )
    files = {options.tokens: _token_file(options, options.tokens)} if options.tokens else None
    emit_and_exit(shown, options.format, files=files, options=options)


def _token_file(options: DescribeOptions, path: str) -> FileContent:
    from nerscope.dataset.token_subsets import token_subsets
    from nerscope.formats.base import source_named
    from nerscope.render.mentions import error_file

    rows = token_subsets(
        [source_named(text) for text in options.train],
        source_named(options.test) if options.test else None,
        folds=options.folds,
        repair=options.repair,
        case=options.case,
    )
    return error_file(path, rows)


def _emit_bias(options: DescribeOptions, *, beside: bool) -> NoReturn:
    """Compare datasets with each other, and draw them."""
    from nerscope.dataset.bias import dataset_bias
    from nerscope.formats.base import source_named
    from nerscope.render.description import bias_document

    if beside or not options.dataset:
        raise UsageError(
            "--dataset" if options.dataset else "--radar",
            "datasets are compared with each other, and nothing else is described",
            "--dataset NAME=TRAIN,TEST for each dataset, and no other data",
        )
    paths = _parse_datasets(options.dataset)
    inputs = [path for pair in paths.values() for path in pair]
    check_outputs([options.radar], [*inputs, *options.plugin])
    bias = dataset_bias(
        {name: (source_named(train), source_named(test)) for name, (train, test) in paths.items()},
        repair=options.repair,
        case=options.case,
    )
    files: dict[str, FileContent] = {}
    if options.radar:
        from nerscope.render.draw import draw_figure, file_format
        from nerscope.render.figures import zeta_panel
        from nerscope.render.panels import Figure

        zeta = {(row.dataset, row.attribute): row.zeta for row in bias.zeta}
        figure, form = Figure((zeta_panel(zeta),)), file_format(options.radar)
        files[options.radar] = lambda: draw_figure(figure, form, None, None)
    emit_and_exit(bias_document(bias), options.format, files=files)


def _parse_datasets(texts: list[str]) -> dict[str, tuple[str, str]]:
    """Training data and test data by the names of datasets."""
    paths: dict[str, tuple[str, str]] = {}
    for text in texts:
        name, _, files = text.partition("=")
        pair = files.split(",")
        if not name or name in paths or len(pair) != 2 or not all(pair):
            raise UsageError(
                f"--dataset {text}",
                "a new name and two files are needed",
                "--dataset NAME=TRAIN,TEST",
            )
        paths[name] = (pair[0], pair[1])
    return paths


def _check_options(options: DescribeOptions, splits: dict[str, Any]) -> None:
    """Refuse what does not go together."""
    files, lists = options.files or [], options.lists
    if options.tokens:
        check_outputs([options.tokens], [*files, *options.train, options.dev, options.test])
    if options.tokens and not options.train:
        raise UsageError("--tokens", "this option needs training data", "--train FILE")
    if not files and not splits:
        raise UsageError("describe", "no data is given", "nerscope describe FILE")
    if files and splits:
        raise UsageError(
            f"--{next(iter(splits))}",
            "this option cannot be used with files that are described one by one",
            "nerscope describe --train FILE --test FILE",
        )
    for name in lists:
        check_name("--list", name, _LISTS)
        if name in _NEED_TWO and len(splits) < 2:
            raise UsageError(
                f"--list {name}",
                "this list compares test data with training data",
                "--train FILE --test FILE",
            )


def _describe(files: list[str], splits: dict[str, Any], reading: dict[str, str]) -> "Description":
    from nerscope.dataset.describe import describe, describe_each
    from nerscope.formats.base import source_named

    # Without training data, a split is described by itself.
    texts = {text: text for text in files or []}
    if splits and "train" not in splits:
        texts = splits
    if texts:
        return describe_each({name: source_named(text) for name, text in texts.items()}, **reading)
    training = [source_named(text) for text in splits["train"]]
    dev, test = (source_named(splits[name]) if name in splits else None for name in ("dev", "test"))
    return describe(training, dev=dev, test=test, **reading)
