"""Python files that register facets, matches or metrics of a user's own."""

import runpy
from collections.abc import Sequence
from pathlib import Path

from nerscope.errors import InputError

# What a Python file may raise when it is run; not that a user stops it.
_FAILURES = (
    ArithmeticError,
    AssertionError,
    AttributeError,
    ImportError,
    LookupError,
    NameError,
    OSError,
    RuntimeError,
    SyntaxError,
    TypeError,
    ValueError,
)


def load_plugins(paths: Sequence[str]) -> None:
    """Run some files for what they register."""
    for path in paths:
        if not Path(path).is_file():
            raise InputError(path, "no such file", "check the path")
        try:
            runpy.run_path(path)
        except _FAILURES as error:
            raise InputError(
                path,
                f"it fails ({type(error).__name__}: {error})",
                "run it with Python alone to see where",
            ) from None
