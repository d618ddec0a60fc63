"""Imports point down the list of packages; every module opens with a sentence.

Each rule is one test that walks all modules and names every offender in one message.
"""

import ast
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

SOURCE = Path(__file__).resolve().parents[2] / "src" / "nerscope"
# From the bottom up. A package may import the packages below it and itself; packages in one line do
# not import each other. Single modules beside the packages count as packages.
LAYERS: list[set[str]] = [
    {"version"},
    {"errors"},
    {"arguments"},
    {"registry", "codec"},
    {"corpus", "engines"},
    {"formats"},
    {"facets", "scoring"},  # they meet as integer codes only
    {"stats"},
    {"results"},
    {"evaluation"},
    {"dataset"},
    {"experiment"},
    {"lab"},
    {"annotation"},
    {"render", "testing"},
    {"compat"},  # above render: it shows what other tools would print as tables
    {"cli"},
]
LAYER_OF = {package: layer for layer, packages in enumerate(LAYERS) for package in packages}
# Imports that point upwards, with the reason. They must stand inside a function or under
# `if TYPE_CHECKING`, so that importing the lower package never loads the upper one.
LAZY_EDGES = {
    ("results", "render"): "results.table(), .report() and the display in notebooks show results",
    ("annotation", "render"): "agreement.report() and audit.report() write pages",
}
# Modules that tie packages together and may import all of them.
ENTRY_POINTS = {"__init__", "__main__", "demo"}
# Packages that read corpora or compute numbers; rendering only shows results.
UNKNOWN_TO_RENDER = {
    *("corpus", "formats", "engines", "stats", "evaluation"),
    *("dataset", "experiment", "lab", "compat", "cli"),
}
# Libraries other than numpy that a folder may import at module level.
LIBRARIES_OF = {
    "cli": {"typer"},
    "cli/commands": {"typer"},
    "lab/neural": {"torch", "transformers"},
}


class Module(NamedTuple):
    name: str  # its path in the package
    package: str
    tree: ast.Module


class Import(NamedTuple):
    module: str
    line: int
    is_lazy: bool  # inside a function, a class or an `if`


def read_module(path: Path) -> Module:
    relative = path.relative_to(SOURCE)
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return Module(relative.as_posix(), relative.parts[0].removesuffix(".py"), tree)


MODULES = [read_module(path) for path in sorted(SOURCE.rglob("*.py"))]


def imports_of(module: Module) -> Iterator[Import]:
    """Every import of a module, also those in functions and under `if TYPE_CHECKING`."""
    at_top = set(map(id, module.tree.body))
    for node in ast.walk(module.tree):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module == "nerscope":
            # `from nerscope import engines` imports the package that it names.
            names = [f"nerscope.{alias.name}" for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            names = [node.module]
        else:
            continue
        for name in names:
            yield Import(name, node.lineno, id(node) not in at_top)


def package_imports(module: Module) -> Iterator[tuple[str, Import]]:
    """The imports of a module from other packages of nerscope, with the name of the package."""
    for imported in imports_of(module):
        top, _, rest = imported.module.partition(".")
        package = rest.split(".")[0]
        if top == "nerscope" and package != module.package:
            yield package, imported


def listed(offenders: list[str]) -> str:
    return "\n  ".join(["", *offenders])


def test_every_package_has_its_layer() -> None:
    assert {module.package for module in MODULES} == {*LAYER_OF, *ENTRY_POINTS}


def test_imports_point_down_the_list_of_packages() -> None:
    upward = [
        f"{module.name}:{imported.line}: {module.package} must not import {imported.module}"
        for module in MODULES
        if module.package not in ENTRY_POINTS
        for package, imported in package_imports(module)
        if LAYER_OF[package] >= LAYER_OF[module.package]
        and not (imported.is_lazy and (module.package, package) in LAZY_EDGES)
    ]
    assert not upward, listed(upward)


def test_allowed_lazy_edges_are_in_use() -> None:
    used = {
        (module.package, package) for module in MODULES for package, _ in package_imports(module)
    }
    assert set(LAZY_EDGES) <= used, f"no longer needed: {set(LAZY_EDGES) - used}"


def test_render_imports_nothing_that_reads_or_computes() -> None:
    offenders = [
        f"{module.name}:{imported.line}: {imported.module}"
        for module in MODULES
        if module.package == "render"
        for package, imported in package_imports(module)
        if package in UNKNOWN_TO_RENDER
        and imported.module != "nerscope.corpus.units"  # names of units and of the whole
    ]
    assert not offenders, listed(offenders)


def test_every_module_opens_with_a_sentence() -> None:
    offenders = []
    for module in MODULES:
        first, *more = (ast.get_docstring(module.tree) or "").split("\n")
        if not first or not (more or first.rstrip().endswith((".", ":", ","))):
            offenders.append(module.name)
    assert not offenders, listed(offenders)


def test_the_core_imports_nothing_but_numpy() -> None:
    known = {*sys.stdlib_module_names, "nerscope", "numpy"}
    offenders = [
        f"{module.name}:{imported.line}: {imported.module}"
        for module in MODULES
        for imported in imports_of(module)
        if not imported.is_lazy
        and imported.module.split(".")[0]
        not in known | LIBRARIES_OF.get(Path(module.name).parent.as_posix(), set())
    ]
    assert not offenders, listed(offenders)


def test_neural_networks_are_imported_lazily() -> None:
    """torch takes seconds to load: only a recipe that runs imports lab/neural, in a function."""
    offenders = [
        f"{module.name}:{imported.line}"
        for module in MODULES
        if not module.name.startswith("lab/neural/")
        for imported in imports_of(module)
        if imported.module.startswith("nerscope.lab.neural") and not imported.is_lazy
    ]
    assert not offenders, listed(offenders)
