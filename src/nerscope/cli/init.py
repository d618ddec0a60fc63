"""`nerscope init`: a first experiment file."""

import typer

from nerscope.cli.common import put


def command(
    folder: str = typer.Argument(".", metavar="[DIR]", help="The folder that holds the data."),
    force: bool = typer.Option(
        False, "--force", help="Overwrite an experiment file that is there."
    ),
) -> None:
    """Look at a folder and write a commented nerscope.toml into it."""
    from pathlib import Path

    from nerscope.errors import OutputError
    from nerscope.experiment.init import starter_text
    from nerscope.results.files import write_text

    target = Path(folder) / "nerscope.toml"
    text = starter_text(folder)
    if target.exists() and not force:
        raise OutputError(str(target), "it is there already", "say --force to overwrite it")
    write_text(target, text)
    put(f"{target} is written; look it over, then: nerscope evaluate {target}\n")
