"""The commands, each of them one module of this package, which finds them by itself.

The docstring of a module is the help of its command. `run` does the work; it takes a frozen
dataclass whose fields are the arguments and options. `GROUP` and `RANK`, if they are there, are the
command's section and place in `nerscope --help`. `nerscope.cli.common` has the fields that commands
share.

A file `greet.py` in this folder is all that `nerscope greet NAME` needs:

    \"\"\"Say hello.\"\"\"
    from dataclasses import dataclass
    import typer
    from nerscope.cli.common import print_output

    @dataclass(frozen=True)
    class GreetOptions:
        name: str = typer.Argument(metavar="NAME", help="Who is greeted.")

    def run(options: GreetOptions) -> None:
        print_output(f"Hello, {options.name}!\\n")
"""

import inspect
import math
from collections import Counter
from collections.abc import Iterator, Mapping
from functools import cache
from importlib import import_module
from pkgutil import iter_modules
from types import ModuleType
from typing import Any, get_type_hints

import typer
from typer.core import TyperCommand, TyperGroup
from typer.main import get_command

from nerscope.cli.options import complete_names
from nerscope.errors import UsageError


@cache
def command_names() -> frozenset[str]:
    return frozenset(module.name for module in iter_modules(__path__))


def _module(name: str) -> ModuleType:
    # These modules import little: what a command works with is imported when it runs.
    return import_module(f"{__name__}.{name}")


def _summary(module: ModuleType) -> str:
    return (module.__doc__ or "").partition("\n")[0]


# The sections of `nerscope --help`; commands without a group are in the last one.
_SECTIONS = {
    "evaluate": "Evaluate",
    "compare": "Compare",
    "data": "Data",
    "train": "Train",
    "share": "Share",
    "": "Other",
}


@cache
def commands_by_section() -> Mapping[str, Mapping[str, str]]:
    """What each command does, in one line, by section and in the order of `nerscope --help`."""
    modules = {name: _module(name) for name in sorted(command_names())}
    ranked = sorted(modules, key=lambda name: getattr(modules[name], "RANK", math.inf))
    groups = {name: getattr(modules[name], "GROUP", "") for name in ranked}
    return {
        section: {name: _summary(modules[name]) for name in ranked if groups[name] == group}
        for group, section in _SECTIONS.items()
        if group in groups.values()
    }


@cache
def command_summaries() -> Mapping[str, str]:
    """What each command does, in one line."""
    return {
        name: text for commands in commands_by_section().values() for name, text in commands.items()
    }


def _prepare(name: str) -> Any:
    """The command as typer runs it: a function with one parameter per field of its options."""
    module = _module(name)
    options = get_type_hints(module.run)["options"]

    def command(**values: Any) -> None:
        module.run(options(**values))

    # typer reads parameters off the signature; their defaults are what typer.Option returned.
    complete_names(options)
    command.__signature__ = inspect.signature(options)  # type: ignore[attr-defined]
    command.__annotations__ = get_type_hints(options)
    app = typer.Typer(add_completion=False, rich_markup_mode=None)
    app.command(name, cls=_Command, help=module.__doc__, short_help=_summary(module))(command)
    return get_command(app)


class _Command(TyperCommand):
    """A command that refuses to take an option twice; by default, the last value would count."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        given = (argument.partition("=")[0] for argument in args)
        names = Counter(name for name in given if name.startswith("--"))
        for option in self.params:
            single = not (option.multiple or getattr(option, "is_flag", False) or option.nargs != 1)
            twice = [name for name in option.opts if names[name] > 1]
            if single and twice:
                raise UsageError(twice[0], "the option is given twice", "give it once")
        return super().parse_args(ctx, args)


class _LazyCommands(Mapping[str, Any]):
    """Commands by name; each is prepared when it is looked up, for all would take 0.15 s."""

    def __getitem__(self, name: str) -> Any:
        if name not in command_names():
            raise KeyError(name)
        return _prepare(name)

    def __iter__(self) -> Iterator[str]:
        return iter(command_summaries())

    def __len__(self) -> int:
        return len(command_names())


class CommandGroup(TyperGroup):
    """The `nerscope` command: lists its subcommands without preparing any of them."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        commands: Any = _LazyCommands()
        self.commands = commands

    def list_commands(self, ctx: Any) -> list[str]:
        return list(self.commands)

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        for section, commands in commands_by_section().items():
            with formatter.section(section):
                formatter.write_dl(list(commands.items()))
