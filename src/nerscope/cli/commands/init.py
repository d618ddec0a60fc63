"""Write a commented experiment file for a folder."""

from dataclasses import dataclass

import typer

from nerscope.cli.common import print_output

GROUP, RANK = "train", 160


@dataclass(frozen=True)
class InitOptions:
    folder: str = typer.Argument(".", metavar="[DIR]", help="The folder that holds the data.")
    force: bool = typer.Option(False, "--force", help="Overwrite an existing nerscope.toml.")


def run(options: InitOptions) -> None:
    from pathlib import Path

    from nerscope.errors import OutputError
    from nerscope.experiment.init import starter_text
    from nerscope.results.files import write_text

    target = Path(options.folder) / "nerscope.toml"
    text = starter_text(options.folder)
    if target.exists() and not options.force:
        raise OutputError(str(target), "the file exists", f"nerscope init {options.folder} --force")
    write_text(target, text)
    print_output(f"Wrote {target}. Check it, then: nerscope evaluate {target}\n")
