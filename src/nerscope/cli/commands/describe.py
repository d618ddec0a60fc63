"""Show what data is like: sizes, tough mentions, hard tokens, ambiguity, duplicates."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import typer

from nerscope.cli.common import CASE, FILE_HELP, FORMAT, PLUGIN, REPAIR, emit_and_exit, prepare
from nerscope.cli.options import check_name
from nerscope.errors import UsageError

if TYPE_CHECKING:
    from nerscope.dataset.describe import Description

_LISTS = ("hard", "ambiguous", "unannotated", "inconsistent", "duplicates")
_NEED_TWO = ("hard", "inconsistent")  # training data, and something to hold against it


RANK = 90


@dataclass(frozen=True)
class DescribeOptions:
    files: list[str] = typer.Argument(
        None, metavar="[FILE…]", help=f"Files to describe each by itself. {FILE_HELP}"
    )
    train: list[str] = typer.Option(
        [], metavar="FILE", help="The training data; repeated files are joined."
    )
    dev: str | None = typer.Option(None, metavar="FILE", help="The development data.")
    test: str | None = typer.Option(None, metavar="FILE", help="The test data.")
    lists: list[str] = typer.Option(
        [], "--list", metavar="NAME", help=f"Print a list instead of the page: {', '.join(_LISTS)}."
    )
    everything: bool = typer.Option(False, "--all", help="Show everything; cut no list.")
    format: str = FORMAT
    repair: str = REPAIR
    case: str = CASE
    plugin: list[str] = PLUGIN


def run(options: DescribeOptions) -> None:
    from nerscope.render.description import description_document

    prepare(options.plugin, options.format)
    given = {"train": options.train, "dev": options.dev, "test": options.test}
    splits = {name: texts for name, texts in given.items() if texts}
    _check_options(options.files, splits, options.lists)
    reading = {"repair": options.repair, "case": options.case}
    description = _describe(options.files, splits, reading)
    shown = description_document(
        description.as_dict(), everything=options.everything, lists=tuple(options.lists)
    )
    emit_and_exit(shown, options.format)


def _check_options(files: list[str], splits: dict[str, Any], lists: list[str]) -> None:
    """Refuse what does not go together."""
    if not files and not splits:
        raise UsageError(
            "describe", "no data is given", "name a file, or give --train FILE --test FILE"
        )
    if files and splits:
        raise UsageError(
            f"--{next(iter(splits))}",
            "it has no place beside files that are described each by itself",
            "give either files alone, or --train, --dev and --test",
        )
    if splits and "train" not in splits:
        raise UsageError(
            f"--{next(iter(splits))}", "it needs the training data", "give it with --train FILE"
        )
    for name in lists:
        check_name("--list", name, _LISTS)
        if name in _NEED_TWO and len(splits) < 2:
            raise UsageError(
                f"--list {name}",
                "it holds test data against training data",
                "give --train FILE, and --test FILE or --dev FILE",
            )


def _describe(files: list[str], splits: dict[str, Any], reading: dict[str, str]) -> "Description":
    from nerscope.dataset.describe import describe, describe_each
    from nerscope.formats.base import source_named

    if files:
        return describe_each({text: source_named(text) for text in files}, **reading)
    training = [source_named(text) for text in splits["train"]]
    dev, test = (source_named(splits[name]) if name in splits else None for name in ("dev", "test"))
    return describe(training, dev=dev, test=test, **reading)
