"""Python files that register facets, matches or metrics of a user's own."""

import runpy
from collections.abc import Sequence
from pathlib import Path

from nerscope.errors import InputError


def load_plugins(paths: Sequence[str]) -> None:
    """Run some files for what they register."""
    for path in paths:
        if not Path(path).is_file():
            raise InputError(path, "no such file", "check the path")
        runpy.run_path(path)
