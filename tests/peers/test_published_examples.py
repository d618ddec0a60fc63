"""The examples that other tools publish print the same if nothing but the import is changed.

Their texts are read from the installed packages, so they are always those of the version at hand.
"""

import ast
import io
import re
from contextlib import redirect_stdout
from doctest import DocTestParser
from importlib.metadata import metadata
from typing import Any, NamedTuple

import pytest
from tests.peers.agreement import answer

# What is imported from, and what takes its place.
HOMES = {
    "seqeval.metrics": "nerscope.compat.seqeval",
    "seqeval.scheme": "nerscope.compat.seqeval",
    "nervaluate": "nerscope.compat.nervaluate",
    "nervaluate.evaluator": "nerscope.compat.nervaluate",
}
PACKAGES = ("seqeval", "nervaluate")
# Blocks that are no examples, by how they begin.
NO_EXAMPLES = {
    "pip install": "a command that installs the package",
    "@misc{": "a reference for papers",
    "POSSIBLE (POS) =": "a formula",
    "Precision =": "a formula",
}


class Block(NamedTuple):
    """A fenced part of a text."""

    language: str
    content: str

    @property
    def code(self) -> str:
        """What is to be typed; behind it, or between, stands what is printed."""
        if ">>>" in self.content:
            examples = DocTestParser().get_examples(self.content)
            return "".join(example.source for example in examples)
        return self.content.partition("\nScenario:")[0]


def published(package: str) -> list[Block]:
    """The blocks of a package's own description."""
    text = metadata(package)["Description"]
    return [Block(*found) for found in re.findall(r"(?ms)^```(\w*) *\n(.*?)^```", text)]


def examples(package: str) -> list[str]:
    return [block.code for block in published(package) if block.language == "python"]


def with_our_imports(code: str) -> str:
    return re.sub(r"(?m)^from (\S+) import", lambda found: f"from {HOMES[found[1]]} import", code)


def printed(code: str, names: dict[str, Any]) -> str:
    """What a session prints; a value that is shown is shown as `print` would do it."""
    screen = io.StringIO()
    with redirect_stdout(screen):
        for line in ast.parse(code).body:
            if not isinstance(line, ast.Expr):
                exec(compile(ast.Module([line], []), "<example>", "exec"), names)
            elif (value := eval(ast.unparse(line), names)) is not None:
                print(value)
    return screen.getvalue()


@pytest.mark.parametrize("package", PACKAGES)
def test_published_examples_print_the_same_with_another_import(package: str) -> None:
    theirs: dict[str, Any] = {}
    ours: dict[str, Any] = {}
    for code in examples(package):  # one session: later examples use names of earlier ones
        changed = with_our_imports(code)
        assert package not in changed.replace(f"nerscope.compat.{package}", "")
        expected = answer(printed, code, theirs)
        assert answer(printed, changed, ours) == expected, code
        assert isinstance(expected.value, str), expected  # and no error
    called = [name for name in theirs if callable(theirs[name])]
    assert called
    for name in called:
        assert theirs[name].__module__.startswith(package)
        assert ours[name].__module__.startswith("nerscope.")


@pytest.mark.parametrize("package", PACKAGES)
def test_what_is_not_run_is_no_example(package: str) -> None:
    left = [block for block in published(package) if block.language != "python"]
    for block in left:
        assert block.content.startswith(tuple(NO_EXAMPLES)), block
    assert len(examples(package)) == 3
