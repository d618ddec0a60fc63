"""Optional libraries that some formats need."""

from importlib import import_module
from typing import Any

from nerscope.errors import UsageError


def require_extra(module: str, place: str, extra: str) -> Any:
    """A module of an extra; where it is missing, the extra that brings it is named.

    >>> require_extra("math", "x.parquet", "tables").floor(1.5)
    1
    """
    try:
        return import_module(module)
    except ImportError:
        raise UsageError(
            place,
            f"it needs {module.partition('.')[0]}, which is not installed",
            f"pip install 'nerscope[{extra}]'",
        ) from None
