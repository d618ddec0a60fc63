"""Values of options: checks, parsing, and completion of names by shells."""

import os
from collections.abc import Callable, Iterable
from dataclasses import fields
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

import typer
from typer.completion import get_completion_inspect_parameters, install_callback, show_callback
from typer.models import ArgumentInfo, OptionInfo

from nerscope.errors import OutputError, UsageError, suggest

if TYPE_CHECKING:
    from nerscope.formats.source import Source

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
    "terms": "nerscope.results.explanations.all_terms",
    "to": "nerscope.corpus.schemes.SCHEMES",
    "what": "nerscope.render.figures.FIGURES",
}
_REGISTERING = ("nerscope.lab.recipes",)  # packages that add to these tables
COMPLETION_VARIABLE = "_NERSCOPE_COMPLETE"  # the environment variable with which a shell asks
SHELLS = ("bash", "zsh", "fish", "powershell", "pwsh")


def check_name(option: str, name: str, known: Iterable[str]) -> None:
    """Refuse an unknown name, and suggest the closest known one."""
    if name not in known:
        raise UsageError(option, f"unknown name '{name}'", suggest(name, known))


def check_outputs(outputs: Iterable[str | None], inputs: Iterable[str | None] = ()) -> None:
    """Refuse, before any work is done, outputs that cannot be written or that are inputs."""
    from nerscope.results.files import files_read, is_same_file, unwritable

    given = [path for path in outputs if path is not None]
    for path in given:
        try:
            if "\0" in path or not (Path(path).name or (Path(path).is_dir() and path)):
                raise OutputError(repr(path), "not a file name", "give the name of a file")
            Path(path).exists()  # raises for names that the system refuses, as too long ones
        except OSError as error:
            raise unwritable(path, error) from None
    named = [name for name in inputs if name and name != "-"] if given else []
    read = [file for name in named for file in files_read(name)]
    for place, path in enumerate(given):
        target = Path(path)
        if target.is_dir():
            raise OutputError(path, "this is a folder", f"{Path(path) / 'FILE'}")
        others = [*read, *map(Path, given[:place])]
        if any(is_same_file(target, other) for other in others):
            raise OutputError(
                path,
                "this file is also an input, or another output",
                "choose another name for the output",
            )
        if not target.parent.is_dir():
            raise OutputError(path, "its folder does not exist", f"mkdir -p {target.parent}")
        if not target.exists() and not os.access(target.parent, os.W_OK):
            raise OutputError(
                path,
                "its folder is not writable",
                "choose another folder, or change its permissions",
            )


def parse_annotators(given: Iterable[str]) -> dict[str, "Source"]:
    """The files of annotators, from NAME=FILE or FILE, which is named after the file."""
    from nerscope.formats.base import source_named

    pairs = [split_name(text) for text in given]
    named = [(name, file) for name, file in pairs if name is not None]
    for name, file in named:
        if [other for other, _ in named].count(name) > 1:
            raise UsageError(
                f"{name}={file}",
                "another file has the same name",
                "join the files of an annotator: NAME='PATTERN'",
            )
    nameless = [file for name, file in pairs if name is None]
    every = dict([*named, *_names_of_files(nameless, {name for name, _ in named})])
    # The files keep the order in which they were given.
    order = [file for _, file in pairs]
    in_order = sorted(every.items(), key=lambda pair: order.index(pair[1]))
    return {name: source_named(file) for name, file in in_order}


def parse_systems(given: Iterable[str], gold: "Source | None" = None) -> dict[str, list["Source"]]:
    """The outputs of each system, from NAME=FILE or FILE; a repeated NAME is a further run.

    A pattern after NAME= gives one run per file, as in a plan. If gold is a pattern too, or with
    FILE::join=yes, its files are shards of one output.
    """
    from nerscope.formats.base import matching_texts, source_named

    joins = gold is not None and bool(gold.members)
    named, nameless = list[tuple[str, str]](), list[str]()
    for text in given:
        name, file = split_name(text)
        files = None if joins else matching_texts(file)
        if name is None:
            nameless += files or [file]
        else:
            named += [(name, run) for run in files or [file]]
    systems: dict[str, list[Source]] = {}
    for name, file in [*named, *_names_of_files(nameless, {name for name, _ in named})]:
        systems.setdefault(name, []).append(source_named(file))
    if not systems:
        raise UsageError("--system", "no system is given", "--system bert=bert.txt")
    return systems


def split_name(text: str) -> tuple[str | None, str]:
    """The name and the file in NAME=FILE; no name in FILE, whose options may hold a sign =.

    >>> split_name("bert=out.txt::label=2"), split_name("out.txt::label=2")
    (('bert', 'out.txt::label=2'), (None, 'out.txt::label=2'))
    """
    from nerscope.formats.base import path_of

    path = path_of(text)
    # A Path would fail where a text is too long for a name.
    if "=" not in path or os.path.exists(path):  # noqa: PTH110
        return None, text
    name, _, file = text.partition("=")
    if not name or not file:
        raise UsageError(
            f"--system {text}", "a name or a file is missing", "--system bert=bert.txt"
        )
    return name, file


def _names_of_files(files: list[str], taken: set[str]) -> list[tuple[str, str]]:
    """A name for each file that has none: its own, or that of its folder where names are equal.

    >>> _names_of_files(["bert.txt", "a/out.txt", "b/out.txt"], set())
    [('bert', 'bert.txt'), ('a', 'a/out.txt'), ('b', 'b/out.txt')]
    """
    from nerscope.formats.base import path_of, stem_of

    paths = [path_of(file) for file in files]
    names = [stem_of(path) for path in paths]
    parents = [Path(path).absolute().parent for path in paths]
    depth = 0
    while repeated := {name for name in names if names.count(name) > 1 or name in taken}:
        depth += 1
        longer = [
            "/".join(parent.parts[-depth:]) if name in repeated else name
            for name, parent in zip(names, parents, strict=True)
        ]
        if longer == names:  # the same file twice, or no folder is left
            place = next(path for path, name in zip(paths, names, strict=True) if name in repeated)
            raise UsageError(
                f"--system {place}",
                "another system has the same name",
                f"--system NAME={place}",
            )
        names = longer
    return list(zip(names, files, strict=True))


def parse_zero_division(option: str, text: str) -> float | None:
    """Read the value that 0/0 counts as; None is undefined."""
    if text == "undefined":
        return None
    try:
        return float(text)
    except ValueError:
        raise UsageError(
            option, f"invalid value '{text}'", f"{option} 0 (or 1, or undefined)"
        ) from None


def parse_edges(given: Iterable[str]) -> dict[str, list[float]]:
    """Read the edges of buckets by attribute, each from ATTRIBUTE=E1,E2."""
    edges = {}
    for text in given:
        name, _, numbers = text.partition("=")
        if name in edges:
            raise UsageError(f"--edges {text}", f"{name} is given twice", "give its edges once")
        try:
            edges[name] = [float(number) for number in numbers.split(",")]
        except ValueError:
            raise UsageError(
                f"--edges {text}", "not of the form ATTRIBUTE=E1,E2", "--edges eLen=1,3,5"
            ) from None
    return edges


def parse_renames(given: Iterable[str]) -> dict[str, str]:
    """Read which types count as others, each from OLD=NEW or OLD|OLDER=NEW."""
    renames: dict[str, str] = {}
    for text in given:
        olds, equals, new = text.partition("=")
        if not equals or not new or not all(olds.split("|")):
            raise UsageError(
                f"--map {text}",
                "not of the form OLD=NEW",
                "--map PERSON=PER",
            )
        for old in olds.split("|"):
            if renames.setdefault(old, new) != new:
                raise UsageError(f"--map {text}", f"{old} is mapped twice", "map each type once")
    return renames


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


def show_completion(context: typer.Context, option: typer.CallbackParam, shell: str | None) -> None:
    """Print the completion script of a shell."""
    show_callback(context, option, _check_shell(option, shell))


def install_completion(
    context: typer.Context, option: typer.CallbackParam, shell: str | None
) -> None:
    """Write the completion script to where the shell reads it at its start."""
    install_callback(context, option, _check_shell(option, shell))


def _check_shell(option: typer.CallbackParam, shell: str | None) -> str | None:
    if shell is not None:
        check_name(option.opts[0], shell, SHELLS)
    return shell
