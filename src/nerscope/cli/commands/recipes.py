"""List the recipes that train systems, their options, and whether they can run here."""

from dataclasses import dataclass

import typer

from nerscope.cli.common import FORMAT_HELP, PLUGIN_HELP, check_format, emit_and_exit

RANK = 150


@dataclass(frozen=True)
class RecipesOptions:
    names: list[str] = typer.Argument(
        None, metavar="[NAME…]", help="Only these recipes, with all their options."
    )
    format: str = typer.Option("text", metavar="FORMAT", help=FORMAT_HELP)
    plugin: list[str] = typer.Option([], metavar="FILE.py", help=PLUGIN_HELP)


def run(options: RecipesOptions) -> None:
    from nerscope.lab.recipe import recipe_records
    from nerscope.plugins import load_plugins
    from nerscope.render.lab import recipes_document

    load_plugins(options.plugin)
    emit_and_exit(
        recipes_document(recipe_records(options.names or None)), check_format(options.format)
    )
