"""Look at a folder and write a commented nerscope.toml into it."""

from dataclasses import dataclass

import typer

from nerscope.cli.common import print_output

RANK = 180


@dataclass(frozen=True)
class InitOptions:
    folder: str = typer.Argument(".", metavar="[DIR]", help="The folder that holds the data.")
    force: bool = typer.Option(False, "--force", help="Overwrite an experiment file that is there.")


def run(options: InitOptions) -> None:
    from pathlib import Path

    from nerscope.errors import OutputError
    from nerscope.experiment.init import starter_text
    from nerscope.results.files import write_text

    target = Path(options.folder) / "nerscope.toml"
    text = starter_text(options.folder)
    if target.exists() and not options.force:
        raise OutputError(str(target), "it is there already", "say --force to overwrite it")
    write_text(target, text)
    print_output(f"{target} is written; look it over, then: nerscope evaluate {target}\n")
