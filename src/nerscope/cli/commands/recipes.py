"""List the systems that can be trained, and their options."""

from dataclasses import dataclass

import typer

from nerscope.cli.common import FORMAT, PLUGIN, emit_and_exit, prepare

GROUP, RANK = "train", 150


@dataclass(frozen=True)
class RecipesOptions:
    names: list[str] = typer.Argument(
        None, metavar="[NAME…]", help="Only these recipes, with all their options."
    )
    format: str = FORMAT
    plugin: list[str] = PLUGIN


def run(options: RecipesOptions) -> None:
    from nerscope.lab.recipe import recipe_records
    from nerscope.render.lab import recipes_document

    prepare(options.plugin, options.format)
    emit_and_exit(recipes_document(recipe_records(options.names or None)), options.format)
