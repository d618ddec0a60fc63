"""Code of users: files that register things, and errors that name the code that failed."""

from collections.abc import Sequence
from pathlib import Path
from types import TracebackType

from nerscope.errors import InputError, NerscopeError, UsageError


class user_code:  # noqa: N801  used as a statement: with user_code("facet 'mine'"): …
    """Turn every exception of a user's code, also SystemExit, into an error that names the code.

    >>> with user_code("facet 'mine'"):
    ...     1 / 0
    Traceback (most recent call last):
    nerscope.errors.UsageError: facet 'mine': its function fails (ZeroDivisionError: division by ...
    """

    def __init__(self, place: str) -> None:
        self.place = place

    def __enter__(self) -> None:
        pass

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        # Errors of nerscope say what is wrong already; Ctrl-C must still stop the program.
        let_through = (NerscopeError, KeyboardInterrupt, GeneratorExit)
        if error is not None and not isinstance(error, let_through):
            raise self.message(f"{type(error).__name__}: {error}") from error

    def message(self, reason: str) -> NerscopeError:
        fact = f"its function fails ({reason})"
        return UsageError(self.place, fact, "mend the function, or leave it out")


class _plugin_file(user_code):  # noqa: N801
    """The same for a whole plug-in file."""

    def message(self, reason: str) -> NerscopeError:
        return InputError(
            self.place, f"it fails ({reason})", "run it with Python alone to see where"
        )


def load_plugins(paths: Sequence[str]) -> None:
    """Run the files given with `--plugin`; each registers what it defines."""
    import runpy  # most programs have no plug-ins

    for path in paths:
        if not Path(path).is_file():
            raise InputError(path, "no such file", "check the path")
        with _plugin_file(path):
            runpy.run_path(path)
