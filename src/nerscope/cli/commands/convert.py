"""Write a file in another tagging scheme or format; in its own, all else stays as it is."""

from dataclasses import dataclass

import typer

from nerscope.cli.common import FILE_HELP, PLUGIN, REPAIR, print_message
from nerscope.cli.options import check_outputs

RANK = 110


@dataclass(frozen=True)
class ConvertOptions:
    source: str = typer.Argument(metavar="IN", help=f"The file to read. {FILE_HELP}")
    target: str = typer.Argument(
        metavar="OUT",
        help="The file (or folder) to write; its ending tells the format, as does "
        "OUT::format=NAME.",
    )
    to: str | None = typer.Option(
        None,
        metavar="SCHEME",
        help="bio, iob1, io, bioes, bilou, bmes, bmeow, or token for bare types; bio for another "
        "format.",
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
