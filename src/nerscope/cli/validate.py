"""`nerscope validate`: check labels against their scheme."""

from collections import Counter

import typer

from nerscope.cli.common import FILE_HELP


def command(
    files: list[str] = typer.Argument(metavar="FILE…", help=f"The files to check. {FILE_HELP}"),
    scheme: str | None = typer.Option(
        None, metavar="NAME", help="The scheme to check against; told by looking otherwise."
    ),
) -> None:
    """List every invalid label transition with its place; exit code 1 if there is any."""
    from dataclasses import replace

    from nerscope.dataset.validate import violations
    from nerscope.errors import plural
    from nerscope.formats.conll import ConllFile

    total = 0
    for text in files:
        file = ConllFile.parse(text)
        name, found = violations(replace(file, scheme=scheme) if scheme else file)
        for place, kind in found:
            typer.echo(f"{place}: {kind}")
        told = "as told" if scheme or file.scheme else "found by looking"
        typer.echo(
            f"{file.name}: scheme {name} ({told}), {plural(len(found), 'invalid transition')}"
        )
        for kind, count in Counter(kind for _, kind in found).most_common():
            typer.echo(f"  {count:6d}  {kind}")
        total += len(found)
    if total:
        raise typer.Exit(1)
