"""`nerscope convert`: write a file in another tagging scheme."""

import typer

from nerscope.cli.common import FILE_HELP, checked_output


def command(
    source: str = typer.Argument(metavar="IN", help=f"The file to read. {FILE_HELP}"),
    target: str = typer.Argument(metavar="OUT", help="The file to write."),
    to: str = typer.Option(
        metavar="SCHEME", help="bio, iob1, io, bioes, bilou, bmes, or token for bare types."
    ),
    repair: str = typer.Option(
        "conlleval",
        metavar="NAME",
        help="How to read invalid labels: conlleval, strict, discard, none.",
    ),
) -> None:
    """Write a file in another tagging scheme; all other columns stay as they are."""
    import gzip

    from nerscope.corpus.mentions import check_repair
    from nerscope.dataset.validate import convert
    from nerscope.formats.conll import ConllFile
    from nerscope.results.results import write_bytes

    check_repair(repair)
    checked_output(target)
    data, notes = convert(ConllFile.parse(source), to, repair)
    write_bytes(target, gzip.compress(data) if target.endswith(".gz") else data)
    for note in notes:
        typer.echo(f"nerscope: note: {note}", err=True)
