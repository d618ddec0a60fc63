"""`nerscope init`: a first experiment file."""

import typer


def command(
    folder: str = typer.Argument(".", metavar="[DIR]", help="The folder that holds the data."),
    force: bool = typer.Option(
        False, "--force", help="Overwrite an experiment file that is there."
    ),
) -> None:
    """Look at a folder and write a commented nerscope.toml into it."""
    from pathlib import Path

    from nerscope.errors import OutputError
    from nerscope.experiment.init import starter
    from nerscope.results.results import write_text

    target = Path(folder) / "nerscope.toml"
    text = starter(folder)
    if target.exists() and not force:
        raise OutputError(str(target), "it is there already", "say --force to overwrite it")
    write_text(target, text)
    typer.echo(f"{target} is written; look it over, then: nerscope evaluate {target}")
