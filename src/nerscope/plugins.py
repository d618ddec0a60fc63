"""Code of a user's own: files that register things, and whom to blame when such code fails."""

import runpy
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from nerscope.errors import InputError, NerscopeError, UsageError

# What a user's code may raise when it is run; not that a user stops it.
_FAILURES = (
    ArithmeticError,
    AssertionError,
    AttributeError,
    BufferError,
    ImportError,
    LookupError,
    MemoryError,
    NameError,
    OSError,
    ReferenceError,
    RuntimeError,
    StopIteration,
    SyntaxError,
    SystemExit,
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
        except NerscopeError:
            raise
        except _FAILURES as error:
            raise InputError(
                path,
                f"it fails ({type(error).__name__}: {error})",
                "run it with Python alone to see where",
            ) from None


@contextmanager
def blamed(place: str) -> Iterator[None]:
    """Turn what a user's function raises into a message that names it.

    >>> with blamed("facet 'mine'"):
    ...     1 / 0
    Traceback (most recent call last):
    nerscope.errors.UsageError: facet 'mine': its function fails (ZeroDivisionError: division by ...
    """
    try:
        yield
    except NerscopeError:
        raise
    except _FAILURES as error:
        raise UsageError(
            place,
            f"its function fails ({type(error).__name__}: {error})",
            "mend the function, or leave it out",
        ) from error
