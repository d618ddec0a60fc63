"""Things with names: what is built in, what a user registers, what an installed package offers."""

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Generic, TypeVar

from nerscope.errors import UsageError, suggest

T = TypeVar("T")
Options = dict[str, float | bool]


class Registry(Generic[T]):
    """Named things of one kind; an unknown name is answered with the closest known one.

    What is built in stays; what a user registers may be registered again, as notebooks do.

    >>> colours = Registry[str]("colour")
    >>> colours.add("red", "#f00")
    >>> colours["red"], list(colours)
    ('#f00', ['red'])
    """

    def __init__(self, kind: str, later: Callable[[], None] | None = None) -> None:
        """`later` adds what is built in and seldom needed; it is called when somebody asks."""
        self.kind = kind
        self._later = later
        self._things: dict[str, T] = {}
        self._built_in: set[str] = set()
        self._searched = False

    def add(self, name: str, thing: T, *, built_in: bool = False) -> None:
        """Register a thing under a name, instead of what a user has registered under it before."""
        if not built_in:
            self.load()  # whose names are taken
        if not isinstance(name, str) or not _NAME.fullmatch(name):
            raise UsageError(
                f"{self.kind} {name!r}",
                "this is no name",
                "take letters, digits, and - _ . between them",
            )
        if name in self._built_in:
            raise UsageError(
                f"{self.kind} '{name}'", "a built-in one has this name", "choose another name"
            )
        self._things[name] = thing
        if built_in:
            self._built_in.add(name)

    def __getitem__(self, name: str) -> T:
        if name not in self._things:
            self.load()
        if name not in self._things:
            self.search()
        if name not in self._things:
            raise UsageError(
                f"{self.kind} '{name}'",
                f"there is no {self.kind} of this name",
                suggest(name, self._things),
            )
        return self._things[name]

    def __contains__(self, name: object) -> bool:
        self.load()
        return name in self._things

    def __iter__(self) -> Iterator[str]:
        self.load()
        return iter(self._things)

    @property
    def of_users(self) -> list[str]:
        """What users have registered."""
        return [name for name in self._things if name not in self._built_in]

    def load(self) -> None:
        """Add what was left for later."""
        later, self._later = self._later, None
        if later is not None:
            later()

    def is_built_in(self, name: str) -> bool:
        """Whether this comes with the package."""
        return name in self._built_in

    def search(self) -> None:
        """Import what installed packages offer under `nerscope.<kind>`; that registers it."""
        if not self._searched:
            from importlib.metadata import entry_points  # takes longer than all of this package

            self._searched = True
            for point in entry_points(group=f"nerscope.{self.kind}"):
                point.load()


_NAME = re.compile(r"[\w](?:[\w.-]*[\w])?")
_CALL = re.compile(r"\s*([\w.-]+)\s*(?:\((.*)\))?\s*")
_WORDS: Mapping[str, bool] = {"yes": True, "no": False}


class Families(Registry[Callable[..., T]]):
    """Makers of things: `name` and `name(option=value, …)` are how a thing is written and read.

    >>> sizes = Families[float]("size")
    >>> sizes.add("box", lambda side=1.0: side**3)
    >>> sizes.made("box"), sizes.made("box(side=2)")
    (1.0, 8.0)
    """

    def __init__(self, kind: str) -> None:
        super().__init__(kind)
        self._made: dict[str, T] = {}

    def add(self, name: str, thing: Callable[..., T], *, built_in: bool = False) -> None:
        """Register a maker under a name."""
        super().add(name, thing, built_in=built_in)
        self._made.clear()

    def made(self, text: str) -> T:
        """The thing that a text names; options that it does not have are refused."""
        if text not in self._made:
            self._made[text] = self._make(text)
        return self._made[text]

    def _make(self, text: str) -> T:
        name, options = self.parsed(text)
        try:
            return self[name](**options)
        except TypeError as error:
            raise UsageError(
                f"{self.kind} '{text}'",
                f"'{name}' has no such option ({error})",
                "see docs/extending.md for how options are written",
            ) from None

    def parsed(self, text: str) -> tuple[str, Options]:
        """The name and the options of a text; the name must be known."""
        found = _CALL.fullmatch(text) if isinstance(text, str) else None
        if not found:
            raise UsageError(
                f"{self.kind} {text!r}", "it cannot be read", "write name or name(option=value, …)"
            )
        self[found[1]]
        options: Options = {}
        for part in filter(None, (piece.strip() for piece in (found[2] or "").split(","))):
            key, _, value = (piece.strip() for piece in part.partition("="))
            if key in options:
                raise UsageError(f"{self.kind} '{text}'", "an option is said twice", "say it once")
            try:
                options[key] = _WORDS[value] if value in _WORDS else float(value)
            except ValueError:
                raise UsageError(
                    f"{self.kind} '{text}'",
                    f"'{part}' cannot be read",
                    "the value of an option is a number, yes or no",
                ) from None
        return found[1], options


def written(name: str, **options: float | bool) -> str:
    """How a thing with options is written, so that it reads back as itself.

    >>> written("f", beta=0.5), written("overlap", typed=False), written("exact")
    ('f(beta=0.5)', 'overlap(typed=no)', 'exact')
    """
    inner = ", ".join(
        f"{key}={('yes' if value else 'no') if isinstance(value, bool) else _number(value)}"
        for key, value in options.items()
    )
    return f"{name}({inner})" if inner else name


def _number(value: float) -> str:
    """A number as short as it can be without becoming another one."""
    return f"{value:g}" if float(f"{value:g}") == value else repr(value)
