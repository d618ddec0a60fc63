"""What there is to choose from: recipes as plain data."""

from collections.abc import Sequence
from typing import Any

from nerscope.lab.recipe import RECIPES, File, Option, Recipe, recipe_named


def recipe_records(names: Sequence[str] | None = None) -> list[dict[str, Any]]:
    """Each recipe with its options and what it lacks here.

    >>> [one["name"] for one in recipe_records(["dictionary"])]
    ['dictionary']
    """
    recipe_named("dictionary")  # makes all of them known
    RECIPES.search()
    return [_record(recipe_named(name)) for name in names or RECIPES]


def _record(recipe: Recipe) -> dict[str, Any]:
    return {
        "name": recipe.name,
        "about": recipe.about,
        "runs_here": not recipe.missing,
        "missing": recipe.missing,
        "extra": recipe.extra,
        "random": recipe.random,
        "options": [_option_record(one) for one in recipe.options.values()],
    }


def _option_record(option: Option) -> dict[str, Any]:
    kind = option.kind
    return {
        "name": option.name,
        "default": option.default,
        "kind": "choice" if isinstance(kind, tuple) else "file" if kind is File else kind.__name__,
        "choices": list(kind) if isinstance(kind, tuple) else [],
        "about": option.about,
    }
