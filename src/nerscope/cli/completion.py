"""Shell completion of commands, options, and the names that options take."""

from collections.abc import Callable
from dataclasses import fields
from importlib import import_module

import typer
from typer.completion import get_completion_inspect_parameters, install_callback, show_callback
from typer.models import ArgumentInfo, OptionInfo

from nerscope.cli.common import check_name

# Fields of options that take a name, and the table whose keys are the names.
NAMES = {
    "bucketing": "nerscope.facets.buckets.BUCKETINGS",
    "correction": "nerscope.stats.corrections.CORRECTIONS",
    "engine": "nerscope.engines.base.ENGINES",
    "facet": "nerscope.facets.facet.FACETS",
    "format": "nerscope.render.document.OUTPUTS",
    "match": "nerscope.scoring.matching.MATCHES",
    "method": "nerscope.stats.paired.METHODS",
    "metric": "nerscope.scoring.metrics.METRICS",
    "recipe": "nerscope.lab.recipe.RECIPES",
    "repair": "nerscope.corpus.mentions.REPAIRS",
    "scheme": "nerscope.corpus.schemes.SCHEMES",
    "terms": "nerscope.results.terms.all_terms",
    "to": "nerscope.corpus.schemes.SCHEMES",
    "what": "nerscope.render.figures.FIGURES",
}
_REGISTERING = ("nerscope.lab.recipes",)  # packages that add to these tables
VARIABLE = "_NERSCOPE_COMPLETE"  # the environment variable with which a shell asks
SHELLS = ("bash", "zsh", "fish", "powershell", "pwsh")


def complete_names(options: type) -> None:
    """Let the options of a command, fields of a dataclass, complete the names that they take."""
    for option in fields(options):
        if option.name in NAMES and isinstance(option.default, ArgumentInfo | OptionInfo):
            option.default.autocompletion = _names_in(NAMES[option.name])


def _names_in(table: str) -> Callable[[str], list[str]]:
    """A function that completes a word with the keys of a table, which it imports when called."""
    module, _, variable = table.rpartition(".")

    def complete(incomplete: str) -> list[str]:
        for package in _REGISTERING:
            import_module(package)
        names = getattr(import_module(module), variable)
        names = names() if callable(names) else names  # terms are gathered when asked for
        return [name for name in names if name.startswith(incomplete)]

    return complete


def register_shells() -> None:
    """Make typer answer every shell; it does so by itself only for its own completion options."""
    get_completion_inspect_parameters()


def show(context: typer.Context, option: typer.CallbackParam, shell: str | None) -> None:
    """Print the completion script of a shell."""
    show_callback(context, option, _check_shell(option, shell))


def install(context: typer.Context, option: typer.CallbackParam, shell: str | None) -> None:
    """Write the completion script to where the shell reads it at its start."""
    install_callback(context, option, _check_shell(option, shell))


def _check_shell(option: typer.CallbackParam, shell: str | None) -> str | None:
    if shell is not None:
        check_name(option.opts[0], shell, SHELLS)
    return shell
