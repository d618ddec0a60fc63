"""The house: imports point one way, and every module opens with a sentence."""

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

SOURCE = Path(__file__).resolve().parents[2] / "src" / "nerscope"
# From the ground up. A room may use the rooms on lower floors, and its own; rooms on one floor do
# not know each other.
FLOORS: list[set[str]] = [
    {"version"},
    {"errors"},
    {"registry", "plugins", "codec"},
    {"corpus", "engines"},
    {"formats"},
    {"facets", "scoring"},
    {"stats"},
    {"results"},
    {"evaluation"},
    {"dataset", "experiment"},
    {"lab"},
    {"render", "testing"},
    {"compat"},
    {"cli"},
]
FLOOR_OF = {room: floor for floor, rooms in enumerate(FLOORS) for room in rooms}
MODULES = sorted(SOURCE.rglob("*.py"))
# What may be imported besides numpy: by whole rooms, or by folders that nobody imports unasked.
GUESTS = {"cli": {"typer"}, "lab/neural": {"torch", "transformers"}}


def room_of(path: Path) -> str:
    return path.relative_to(SOURCE).parts[0].removesuffix(".py")


def imported_rooms(tree: ast.Module) -> Iterator[str]:
    """The rooms that a module imports when it is imported; what a function imports when it is
    called does not count.
    """
    for node in tree.body:
        names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        if isinstance(node, ast.ImportFrom) and node.module:
            names = (
                [node.module]
                if node.module != "nerscope"
                else [f"nerscope.{alias.name}" for alias in node.names]
            )
        yield from (name.split(".")[1] for name in names if name.startswith("nerscope."))


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(SOURCE)))
def test_imports_point_downwards(path: Path) -> None:
    room = room_of(path)
    if room in ("__init__", "__main__", "demo"):
        return
    for other in imported_rooms(ast.parse(path.read_text(encoding="utf-8"))):
        assert other == room or FLOOR_OF[other] < FLOOR_OF[room], f"{room} must not import {other}"


def test_render_knows_only_results() -> None:
    for path in (SOURCE / "render").glob("*.py"):
        rooms = set(imported_rooms(ast.parse(path.read_text(encoding="utf-8"))))
        assert rooms <= {"render", "results", "errors", "registry", "plugins"}, path.name


def test_facets_and_scoring_do_not_know_each_other() -> None:
    assert FLOOR_OF["facets"] == FLOOR_OF["scoring"]


def test_loose_modules_are_those_that_every_room_uses() -> None:
    loose = {path.stem for path in SOURCE.glob("*.py")}
    used = {"errors", "plugins", "registry", "testing", "version", "codec"}
    assert loose == {"__init__", "__main__", *used}


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(SOURCE)))
def test_every_module_opens_with_a_sentence(path: Path) -> None:
    sentence = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8")))
    assert sentence
    assert sentence.split("\n")[0].rstrip().endswith((".", ":", ",")) or "\n" in sentence


def test_the_core_imports_nothing_but_numpy() -> None:
    for path in MODULES:
        tree = ast.parse(path.read_text(encoding="utf-8"))
        names = {
            alias.name for node in tree.body if isinstance(node, ast.Import) for alias in node.names
        }
        names |= {
            node.module for node in tree.body if isinstance(node, ast.ImportFrom) and node.module
        }
        foreign = (
            {name.split(".")[0] for name in names}
            - set(sys.stdlib_module_names)
            - {"nerscope", "numpy"}
        )
        folder = path.relative_to(SOURCE).parent.as_posix()
        assert foreign <= GUESTS.get(folder, set()), f"{path} imports {foreign}"


def test_networks_are_imported_only_by_those_who_call_them() -> None:
    for path in MODULES:
        if path.parent != SOURCE / "lab" / "neural":
            text = path.read_text(encoding="utf-8")
            assert "\nfrom nerscope.lab.neural" not in text, path
