"""The reference of the library, made of signatures and docstrings: one page per package."""

import ast
import doctest
import importlib
import inspect
import pkgutil
import textwrap
from collections.abc import Iterator
from types import ModuleType
from typing import Any, NamedTuple

import nerscope
import nerscope.compat
import nerscope.testing
from nerscope.engines import local, pool, ray
from website.text import slug

# Packages in the order of a reader's questions, with the titles of their pages.
TITLES = {
    "evaluation": "Evaluating",
    "results": "Asking results",
    "dataset": "Asking data",
    "annotation": "Annotators",
    "experiment": "Experiments",
    "lab": "Training",
    "corpus": "Corpora",
    "formats": "Reading files",
    "facets": "Facets",
    "scoring": "Matches and metrics",
    "stats": "Statistics",
    "engines": "Engines",
    "render": "Outputs",
    "compat": "Other tools' interfaces",
    "testing": "In test suites",
    "errors": "Errors",
}
_WIDTH = 88  # of a signature that stays on one line
_FENCE = "```"


class Entry(NamedTuple):
    """A public name: how it is imported, and what it is."""

    name: str
    thing: Any

    @property
    def home(self) -> str:
        """The module that people import it from."""
        front = getattr(nerscope, self.name, None) is self.thing
        return "nerscope" if front else str(self.thing.__module__)

    @property
    def title(self) -> str:
        """What its section is called: two modules may have the same name for two things."""
        return self.name if self.home == "nerscope" else f"{self.home.split('.')[-1]}.{self.name}"


def entries() -> dict[str, list[Entry]]:
    """All public names, by their package."""
    names_of: dict[str, list[Entry]] = {package: [] for package in TITLES}
    for name in nerscope.__all__:
        thing = getattr(nerscope, name)
        if not isinstance(thing, str):
            names_of[thing.__module__.split(".")[1]].append(Entry(name, thing))
    for module in [local, pool, ray, nerscope.testing, *_modules_of(nerscope.compat)]:
        names_of[module.__name__.split(".")[1]] += _defined_in(module)
    return {package: names for package, names in names_of.items() if names}


def _modules_of(package: ModuleType) -> Iterator[ModuleType]:
    for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
        yield importlib.import_module(module.name)


def _defined_in(module: ModuleType) -> list[Entry]:
    """What a module itself defines for others."""
    public = {name: thing for name, thing in vars(module).items() if not name.startswith("_")}
    return [
        Entry(name, thing)
        for name, thing in public.items()
        if (inspect.isfunction(thing) or inspect.isclass(thing))
        and thing.__module__ == module.__name__
    ]


def page(package: str, names: list[Entry]) -> str:
    """The page of a package."""
    module = importlib.import_module(f"nerscope.{package}")
    parts = [f"# {TITLES[package]}", first_sentence(module)]
    for entry in sorted(names, key=lambda entry: (entry.home, entry.name)):
        parts += section(entry)
    return "\n\n".join(parts) + "\n"


def overview(entries_of: dict[str, list[Entry]]) -> str:
    """The page that lists every name with its first sentence."""
    lines = ["# Python reference", "Every public name, with what it is for."]
    for package, names in entries_of.items():
        rows = [
            f"| [`{name.title}`]({package}.md#{slug(name.title)}) | {first_sentence(name.thing)} |"
            for name in sorted(names, key=lambda name: name.title)
        ]
        lines += [f"## {TITLES[package]}", "\n".join(["| name | what it is |", "|---|---|", *rows])]
    return "\n\n".join(lines) + "\n"


def first_sentence(thing: Any) -> str:
    """The first paragraph of a docstring, on one line."""
    return " ".join((inspect.getdoc(thing) or "").split("\n\n")[0].split()).replace("|", "\\|")


def section(entry: Entry) -> list[str]:
    """A name with its signature, its docstring, and its methods."""
    signature = (
        f"{_FENCE}python\nfrom {entry.home} import {entry.name}\n\n{shape(entry.thing)}\n{_FENCE}"
    )
    parts = [f"## {entry.title}", signature, prose(entry.thing)]
    if inspect.isclass(entry.thing):
        for name, method in methods(entry.thing):
            mark = "" if isinstance(method, property) else "()"
            parts += [f"### {entry.title}.{name}{mark}", *_method(method)]
    return [part for part in parts if part]


def _method(method: Any) -> list[str]:
    if isinstance(method, property):
        return [prose(method)]
    return [f"{_FENCE}python\n{shape(method)}\n{_FENCE}", prose(method)]


def methods(kind: type) -> Iterator[tuple[str, Any]]:
    """The public methods and properties that a class defines, in their order."""
    for name, thing in vars(kind).items():
        plain = thing.__func__ if isinstance(thing, classmethod | staticmethod) else thing
        known = inspect.isfunction(plain) or isinstance(plain, property)
        if known and not name.startswith("_") and plain.__doc__:
            yield name, plain


def shape(thing: Any) -> str:
    """A function or class as its source writes it, without what it does."""
    node = ast.parse(textwrap.dedent(inspect.getsource(inspect.unwrap(thing)))).body[0]
    if isinstance(node, ast.ClassDef):
        return "\n".join([_heading(node), *_fields(thing, node)])
    assert isinstance(node, ast.FunctionDef)
    return _signature(node)


def _heading(node: ast.ClassDef) -> str:
    bases = ", ".join(map(ast.unparse, node.bases))
    return f"class {node.name}({bases}):" if bases else f"class {node.name}:"


def _fields(kind: type, node: ast.ClassDef) -> list[str]:
    """The fields as they are written, with their comments; else how the object is made."""
    lines = textwrap.dedent(inspect.getsource(kind)).split("\n")
    fields = []
    for statement in node.body:
        if isinstance(statement, ast.AnnAssign) and not ast.unparse(statement.target).startswith(
            "_"
        ):
            fields += lines[statement.lineno - 1 : statement.end_lineno]
    if fields:
        return fields
    makers = [statement for statement in node.body if isinstance(statement, ast.FunctionDef)]
    return [
        textwrap.indent(_signature(statement), "    ")
        for statement in makers
        if statement.name == "__init__"
    ] or ["    ..."]


def _signature(node: ast.FunctionDef) -> str:
    result = f" -> {ast.unparse(node.returns)}" if node.returns else ""
    arguments = [argument for argument in _arguments(node.args) if argument not in ("self", "cls")]
    line = f"def {node.name}({', '.join(arguments)}){result}: ..."
    if len(line) > _WIDTH:
        inside = "".join(f"    {argument},\n" for argument in arguments)
        line = f"def {node.name}(\n{inside}){result}: ..."
    return line.replace("'", '"')


def _arguments(arguments: ast.arguments) -> Iterator[str]:
    """The arguments one by one, as they are written."""
    plain = [*arguments.posonlyargs, *arguments.args]
    values: list[ast.expr | None] = [None] * (len(plain) - len(arguments.defaults))
    for argument, value in zip(plain, [*values, *arguments.defaults], strict=True):
        yield _argument(argument, value)
    if arguments.vararg:
        yield f"*{ast.unparse(arguments.vararg)}"
    elif arguments.kwonlyargs:
        yield "*"
    for argument, value in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True):
        yield _argument(argument, value)
    if arguments.kwarg:
        yield f"**{ast.unparse(arguments.kwarg)}"


def _argument(argument: ast.arg, value: ast.expr | None) -> str:
    equals = " = " if argument.annotation else "="
    return ast.unparse(argument) + (f"{equals}{ast.unparse(value)}" if value else "")


def prose(thing: Any) -> str:
    """A docstring with its examples fenced, so that they are shown as code."""
    pieces: list[str] = []
    for piece in doctest.DocTestParser().parse(inspect.getdoc(thing) or ""):
        if isinstance(piece, str):
            pieces.append(piece.strip("\n"))
        else:
            session = _session(piece)
            if pieces and pieces[-1].endswith(_FENCE):
                pieces[-1] = f"{pieces[-1].removesuffix(_FENCE)}{session}\n{_FENCE}"
            else:
                pieces.append(f"{_FENCE}pycon\n{session}\n{_FENCE}")
        pieces = [piece for piece in pieces if piece.strip()]
    return "\n\n".join(pieces)


def _session(example: doctest.Example) -> str:
    first, *rest = example.source.rstrip("\n").split("\n")
    typed = [f">>> {first}", *(f"... {line}" for line in rest)]
    return "\n".join([*typed, *example.want.rstrip("\n").split("\n")]).rstrip("\n")
