"""Code of a user's own: files that register things, and whom to blame when such code fails."""

from collections.abc import Sequence
from pathlib import Path
from types import TracebackType

from nerscope.errors import InputError, NerscopeError, UsageError


class user_code:  # noqa: N801  used as a statement: with blamed("facet 'mine'"): …
    """Turn whatever a user's code raises, an exit too, into a message that names it.

    >>> with user_code("facet 'mine'"):
    ...     1 / 0
    Traceback (most recent call last):
    nerscope.errors.UsageError: facet 'mine': its function fails (ZeroDivisionError: division by ...
    """

    def __init__(self, place: str) -> None:
        self.place = place

    def __enter__(self) -> None:
        """Nothing has failed yet."""

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Blame the place; a message of our own, and a user who stops the program, pass."""
        passes = (NerscopeError, KeyboardInterrupt, GeneratorExit)
        if error is not None and not isinstance(error, passes):
            raise self.message(f"{type(error).__name__}: {error}") from error

    def message(self, reason: str) -> NerscopeError:
        """What to say."""
        fact = f"its function fails ({reason})"
        return UsageError(self.place, fact, "mend the function, or leave it out")


class _Running(user_code):
    """The same for a whole file."""

    def message(self, reason: str) -> NerscopeError:
        """What to say of a file."""
        return InputError(
            self.place, f"it fails ({reason})", "run it with Python alone to see where"
        )


def load_plugins(paths: Sequence[str]) -> None:
    """Run some files for what they register."""
    import runpy  # most programs have no plug-ins

    for path in paths:
        if not Path(path).is_file():
            raise InputError(path, "no such file", "check the path")
        with _Running(path):
            runpy.run_path(path)
