"""The front door: public names are complete, sorted, documented, and have an example."""

import doctest
import inspect
import subprocess
import sys
from types import ModuleType

import pytest

import nerscope

CLASSES_WITHOUT_EXAMPLE = {
    # Records that other examples make and use, and what docs/extending.md shows.
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
    "__version__",
    "register_engine",
    "register_format",
    # Errors are shown by docs/messages.md; their base class has the example.
    "AlignmentError",
    "FaultError",
    "FormatError",
    "InputError",
    "OutputError",
    "UsageError",
}


def test_public_names_are_sorted_and_there() -> None:
    assert nerscope.__all__ == sorted(nerscope.__all__)
    for name in nerscope.__all__:
        assert getattr(nerscope, name) is not None


def test_all_public_names_are_seen_by_dir() -> None:
    assert dir(nerscope) == nerscope.__all__


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'evalute'"):
        nerscope.evalute  # noqa: B018


@pytest.mark.parametrize("name", nerscope.__all__)
def test_public_names_are_documented(name: str) -> None:
    thing = getattr(nerscope, name)
    if isinstance(thing, str | ModuleType):
        return
    assert inspect.getdoc(thing)
    if name not in CLASSES_WITHOUT_EXAMPLE:
        module = sys.modules[thing.__module__]
        examples = doctest.DocTestFinder().find(thing, name, module=module)
        assert any(example.examples for example in examples), f"{name} has no example"


@pytest.mark.parametrize("name", nerscope.__all__)
def test_public_functions_are_annotated(name: str) -> None:
    thing = getattr(nerscope, name)
    if inspect.isfunction(thing):
        signature = inspect.signature(thing)
        assert signature.return_annotation is not inspect.Signature.empty
        assert all(
            parameter.annotation is not inspect.Parameter.empty
            for parameter in signature.parameters.values()
        )


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
