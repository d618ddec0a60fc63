"""Documentation is part of the change: commands, options, facets, matches, metrics and messages
must be in it.
"""

import ast
import re
from pathlib import Path

import pytest
import typer

from nerscope.cli.main import application
from nerscope.corpus.mentions import REPAIRS
from nerscope.corpus.schemes import SCHEMES
from nerscope.engines.base import ENGINES
from nerscope.experiment.config import _COMPARE_KEYS, _SAMPLING_KEYS
from nerscope.facets.buckets import BUCKETINGS
from nerscope.facets.facet import FACETS
from nerscope.formats.base import FORMATS
from nerscope.formats.columns.conll import FILE_OPTIONS
from nerscope.render.document import OUTPUTS
from nerscope.scoring.matching import MATCHES
from nerscope.scoring.metrics import METRICS
from nerscope.stats.corrections import CORRECTIONS
from nerscope.stats.paired import METHODS

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
COMMANDS = typer.main.get_command(application()).commands  # type: ignore[attr-defined]


def everything() -> str:
    return "\n".join(path.read_text(encoding="utf-8") for path in sorted(DOCS.rglob("*.md")))


@pytest.mark.parametrize("name", sorted(COMMANDS))
def test_every_command_and_option_has_its_place(name: str) -> None:
    page = (DOCS / "commands" / f"{name}.md").read_text(encoding="utf-8")
    assert f"nerscope {name}" in page
    for parameter in COMMANDS[name].params:
        for option in parameter.opts:
            if option.startswith("--"):
                assert f"`{option}" in page, f"{option} is not in docs/commands/{name}.md"


@pytest.mark.parametrize(
    ("kind", "names", "page"),
    [
        ("facet", list(FACETS), "measures"),
        ("match", list(MATCHES), "measures"),
        ("metric", list(METRICS), "."),
        ("output", list(OUTPUTS), "commands/evaluate.md"),
        ("format", list(FORMATS), "files.md"),
        ("engine", list(ENGINES), "commands/evaluate.md"),
        ("file option", list(FILE_OPTIONS), "files.md"),
        ("repair", list(REPAIRS), "files.md"),
        ("scheme", list(SCHEMES), "files.md"),
        ("bucketing", list(BUCKETINGS), "measures/attributes.md"),
        ("correction", list(CORRECTIONS), "statistics.md"),
        ("method", list(METHODS), "statistics.md"),
        (
            "experiment key",
            [*_COMPARE_KEYS, *_SAMPLING_KEYS, "intervals", "datasets", "systems"],
            "experiments.md",
        ),
    ],
)
def test_every_name_is_explained(kind: str, names: list[str], page: str) -> None:
    place = DOCS / page
    paths = [place] if place.is_file() else sorted(place.rglob("*.md"))
    text = "\n".join(path.read_text(encoding="utf-8") for path in paths)
    missing = [name for name in names if f"`{name}" not in text and f'"{name}"' not in text]
    assert not missing, f"{kind} without an explanation in docs/{page}: {missing}"


def error_facts() -> list[tuple[str, str]]:
    """The constant words of every error that the code raises: file, and the longest constant part
    of the fact.
    """
    facts = []
    for path in sorted((ROOT / "src").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not (
                isinstance(node, ast.Call)
                and isinstance(node.func, ast.Name)
                and node.func.id.endswith("Error")
            ):
                continue
            if len(node.args) != 3:
                continue
            parts = [node.args[1].value] if isinstance(node.args[1], ast.Constant) else []
            if isinstance(node.args[1], ast.JoinedStr):
                parts = [
                    value.value for value in node.args[1].values if isinstance(value, ast.Constant)
                ]
            longest = max((str(part).strip(" '(),.:") for part in parts), key=len, default="")
            if len(longest) > 5:
                facts.append((path.name, longest))
    return facts


def test_every_error_is_listed_with_its_fix() -> None:
    page = re.sub(r"\s+", " ", (DOCS / "messages.md").read_text(encoding="utf-8"))
    facts = error_facts()
    assert len(facts) > 50
    missing = [(file, fact) for file, fact in facts if re.sub(r"\s+", " ", fact) not in page]
    assert not missing, f"not in docs/messages.md: {missing}"


def python_blocks() -> list[tuple[str, str]]:
    return [
        (f"{path.relative_to(DOCS)}:{number}", block)
        for path in sorted(DOCS.rglob("*.md"))
        for number, block in enumerate(
            re.findall(r"(?s)```python\n(.*?)```", path.read_text(encoding="utf-8")), 1
        )
        if "assert" in block
    ]


@pytest.mark.parametrize(
    ("place", "block"), python_blocks(), ids=lambda value: value if len(value) < 60 else ""
)
def test_worked_examples_hold(place: str, block: str, registries: None) -> None:
    exec(compile(block, place, "exec"), {"__name__": "__example__"})


def test_there_is_a_worked_example_for_every_measure() -> None:
    pages = {place.split(":")[0] for place, _ in python_blocks()}
    assert {f"measures/{path.name}" for path in (DOCS / "measures").glob("*.md")} <= pages


def test_links_between_pages_lead_somewhere() -> None:
    for path in [*DOCS.rglob("*.md"), ROOT / "README.md", ROOT / "CONTRIBUTING.md"]:
        for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", path.read_text(encoding="utf-8")):
            assert (path.parent / target).exists(), f"{path.relative_to(ROOT)} links to {target}"


def test_paths_that_the_overview_names_exist() -> None:
    page = (DOCS / "how-it-works.md").read_text(encoding="utf-8")
    names = re.findall(r"`([\w/]+(?:/|/[\w.]+|\.(?:py|ts|html)))`", page)
    assert len(names) > 30
    package = ROOT / "src" / "nerscope"
    # The table of packages names what lies inside one of them alone, as in `page/` of `render/`.
    places = [ROOT, package, *(path for path in package.iterdir() if path.is_dir())]
    missing = [name for name in names if not any((place / name).exists() for place in places)]
    assert not missing, f"docs/how-it-works.md names {missing}"


def test_files_to_copy_and_folders_of_built_ins_exist() -> None:
    page = (DOCS / "extending.md").read_text(encoding="utf-8")
    section = page[page.index("## As a built-in") : page.index("## Words")]
    package = ROOT / "src" / "nerscope"
    names = re.findall(r"`([a-z_]+/[a-z_/]*(?:\.py)?)`", section)
    assert len(names) > 18
    missing = [
        name for name in names if not any((root / name).exists() for root in (package, ROOT))
    ]
    assert not missing, f"docs/extending.md names {missing}"


def test_the_readme_shows_the_two_commands_of_a_newcomer() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert "make demo" in readme
    assert "make test" in readme


def test_the_contents_name_every_page_and_command() -> None:
    contents = (DOCS / "tasks.md").read_text(encoding="utf-8")
    pages = {str(path.relative_to(DOCS).as_posix()) for path in DOCS.rglob("*.md")}
    assert {page for page in pages if f"({page})" not in contents} == {"README.md", "tasks.md"}
    assert all(f"[{name}](commands/{name}.md)" in contents for name in COMMANDS)
