"""What a shell can finish by itself: commands, options, and the names that options take."""

from collections.abc import Callable
from importlib import import_module
from inspect import signature

import typer
from typer.completion import get_completion_inspect_parameters, install_callback, show_callback
from typer.models import ArgumentInfo, OptionInfo

from nerscope.cli.common import checked_name

# What takes names, by its own name in a command, and the table in which those names are the keys.
NAMES = {
    "bucketing": ("facets.buckets", "BUCKETINGS"),
    "correction": ("stats.corrections", "CORRECTIONS"),
    "engine": ("engines.base", "ENGINES"),
    "facet": ("facets.facet", "FACETS"),
    "format": ("render.document", "OUTPUTS"),
    "match": ("scoring.matching", "MATCHES"),
    "method": ("stats.paired", "METHODS"),
    "metric": ("scoring.metrics", "METRICS"),
    "recipe": ("lab.recipe", "RECIPES"),
    "repair": ("corpus.mentions", "REPAIRS"),
    "scheme": ("corpus.schemes", "SCHEMES"),
    "terms": ("results.terms", "all_terms"),
    "to": ("corpus.schemes", "SCHEMES"),
    "what": ("render.figures", "FIGURES"),
}
_FILLING = ("compat", "lab.recipes")  # rooms that add to tables of others
VARIABLE = "_NERSCOPE_COMPLETE"  # set by a shell that asks
SHELLS = ("bash", "zsh", "fish", "powershell", "pwsh")


def with_names(command: Callable[..., None]) -> Callable[..., None]:
    """A command whose options tell a shell the names that they take."""
    for name, parameter in signature(command).parameters.items():
        if name in NAMES and isinstance(parameter.default, ArgumentInfo | OptionInfo):
            parameter.default.autocompletion = _names_of(*NAMES[name])
    return command


def _names_of(module: str, table: str) -> Callable[[str], list[str]]:
    """What finishes a word with a name of a table, which is loaded when it is asked for."""

    def finished(incomplete: str) -> list[str]:
        for room in _FILLING:
            import_module(f"nerscope.{room}")
        names = getattr(import_module(f"nerscope.{module}"), table)
        names = names() if callable(names) else names  # terms are gathered when asked for
        return [name for name in names if name.startswith(incomplete)]

    return finished


def make_ready() -> None:
    """Let shells ask, each in its own way; typer makes them known with options of its own."""
    get_completion_inspect_parameters()


def show(context: typer.Context, option: typer.CallbackParam, shell: str | None) -> None:
    """Print what makes a shell ask nerscope how to go on."""
    show_callback(context, option, _known(option, shell))


def install(context: typer.Context, option: typer.CallbackParam, shell: str | None) -> None:
    """Put the same where the shell reads it when it starts."""
    install_callback(context, option, _known(option, shell))


def _known(option: typer.CallbackParam, shell: str | None) -> str | None:
    if shell is not None:
        checked_name(option.opts[0], shell, SHELLS)
    return shell
