"""Public names are complete, sorted, annotated, documented, and have an example."""

import doctest
import inspect
import subprocess
import sys
from collections.abc import Iterator
from functools import cached_property
from typing import Any

import pytest

import nerscope

# Functions are to have an example each. Of the classes, these need none: records that the examples
# of other names make and use, and what docs/extending.md shows.
CLASSES_WITHOUT_EXAMPLE = {
    "Comparison",
    "Description",
    "Document",
    "Engine",
    "Facet",
    "Format",
    "Method",
    "Metric",
    "Paired",
    "Sampling",
    "Source",
    "Splits",
    "Table",
    "Validation",
    "Verdict",
    "View",
    # docs/messages.md shows the errors; their base class has the example.
    "AlignmentError",
    "FaultError",
    "FormatError",
    "InputError",
    "OutputError",
    "UsageError",
}
# Functions that lack an example; the list may only become shorter.
FUNCTIONS_WITHOUT_EXAMPLE = {"register_engine", "register_format"}
PUBLIC = {name: getattr(nerscope, name) for name in nerscope.__all__ if name != "__version__"}


def public_methods(cls: type) -> Iterator[tuple[str, Any]]:
    """The functions behind the public methods and properties that a class defines itself."""
    for name, member in vars(cls).items():
        function = member
        if isinstance(member, property):
            function = member.fget
        elif isinstance(member, cached_property):
            function = member.func
        elif isinstance(member, classmethod | staticmethod):
            function = member.__func__
        if not name.startswith("_") and inspect.isfunction(function):
            yield f"{cls.__name__}.{name}", function


def has_example(name: str, thing: Any) -> bool:
    tests = doctest.DocTestFinder().find(thing, name, module=sys.modules[thing.__module__])
    return any(test.examples for test in tests)


def test_public_names_are_sorted_and_there() -> None:
    assert nerscope.__all__ == sorted(nerscope.__all__)
    for name in nerscope.__all__:
        assert getattr(nerscope, name) is not None


def test_all_public_names_are_seen_by_dir() -> None:
    assert dir(nerscope) == nerscope.__all__


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'evalute'"):
        nerscope.evalute  # noqa: B018


def test_public_names_and_their_methods_are_documented() -> None:
    undocumented = [name for name, thing in PUBLIC.items() if not inspect.getdoc(thing)]
    for thing in PUBLIC.values():
        if inspect.isclass(thing):
            undocumented += [
                name for name, method in public_methods(thing) if not inspect.getdoc(method)
            ]
    assert not undocumented, f"public names without a docstring: {', '.join(undocumented)}"


def test_public_names_have_an_example_that_runs() -> None:
    """pytest runs the examples themselves (`--doctest-modules`)."""
    missing = {name for name, thing in PUBLIC.items() if not has_example(name, thing)}
    allowed = CLASSES_WITHOUT_EXAMPLE | FUNCTIONS_WITHOUT_EXAMPLE
    assert missing <= allowed, f"public names without an example: {sorted(missing - allowed)}"


def test_public_functions_are_annotated() -> None:
    bare = []
    for name, thing in PUBLIC.items():
        if inspect.isfunction(thing):
            signature = inspect.signature(thing)
            annotations = [parameter.annotation for parameter in signature.parameters.values()]
            if inspect.Parameter.empty in [*annotations, signature.return_annotation]:
                bare.append(name)
    assert not bare, f"public functions that are not fully annotated: {', '.join(bare)}"


def test_importing_the_package_leaves_the_heavy_ones_alone() -> None:
    heavy = ["scipy", "pandas", "polars", "pyarrow", "matplotlib", "rich", "typer"]
    heavy.append("multiprocessing.pool")
    code = f"import sys, nerscope; print([name for name in {heavy} if name in sys.modules])"
    assert (
        subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, check=True
        ).stdout.strip()
        == "[]"
    )
