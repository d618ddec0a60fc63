"""Convert a file to another tagging scheme or format."""

from dataclasses import dataclass

import typer

from nerscope.cli.common import FILE_HELP, PLUGIN, REPAIR, print_message
from nerscope.cli.options import check_outputs

GROUP, RANK = "data", 110


@dataclass(frozen=True)
class ConvertOptions:
    source: str = typer.Argument(metavar="IN", help=f"The file to read. {FILE_HELP}")
    target: str = typer.Argument(
        metavar="OUT",
        help="The file or folder to write. The ending determines the format, or OUT::format=NAME.",
    )
    to: str | None = typer.Option(
        None,
        metavar="SCHEME",
        help="Tagging scheme: bio, iob1, io, bioes, bilou, bmes, bmeow, or token for bare types. "
        "Default for another format: bio.",
    )
    repair: str = REPAIR
    plugin: list[str] = PLUGIN


def run(options: ConvertOptions) -> None:
    from nerscope.dataset.convert import convert
    from nerscope.formats.base import path_of, source_named
    from nerscope.registry import load_plugins

    load_plugins(options.plugin)
    check_outputs([path_of(options.target)], [options.source, *options.plugin])
    for note in convert(
        source_named(options.source), options.target, to=options.to, repair=options.repair
    ):
        print_message(f"note: {note}")
