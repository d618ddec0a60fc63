"""Registries of named objects (facets, matches, metrics, …), and plug-ins.

An error in plug-in code is reported with the name of that code.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from types import TracebackType
from typing import Generic, TypeVar

from nerscope.errors import InputError, NerscopeError, UsageError, suggest

T = TypeVar("T")
Options = dict[str, float | bool]
_LAST = 1000  # the default rank in listings


def discover(package: str) -> None:
    """Import every module of a package and its subpackages: each registers what it defines.

    A new built-in is then one new file in its package, without a list of modules to edit. Modules
    whose names begin with an underscore are skipped.

    >>> discover("nerscope.scoring")
    """
    from pkgutil import iter_modules  # takes longer to import than all of this module

    for module in iter_modules(import_module(package).__path__):
        if not module.name.startswith("_"):
            import_module(f"{package}.{module.name}")
            if module.ispkg:
                discover(f"{package}.{module.name}")


class Registry(Generic[T]):
    """Named objects of one kind; the error for an unknown name suggests the closest known one.

    `package` holds the built-in objects, one per file. Its modules are imported only when a name is
    not known yet, or when names are listed, so that a program imports only what it uses.
    Built-in names are fixed; a user's name may be registered again, as happens in notebooks.

    >>> colours = Registry[str]("colour")
    >>> colours.add("red", "#f00")
    >>> colours["red"], list(colours)
    ('#f00', ['red'])

    A package of built-ins creates its registry in one module, and the other modules add to it:

    >>> methods = Registry[str]("method", package="nerscope.stats")  # imports nothing yet
    >>> methods.add("t-test", "…", built_in=True, rank=20)
    >>> methods.add("sign-test", "…", built_in=True, rank=10)  # listed before t-test
    """

    def __init__(self, kind: str, *, package: str | None = None) -> None:
        self.kind = kind
        self._package = package
        self._things: dict[str, T] = {}
        self._ranks: dict[str, int] = {}
        self._built_in: set[str] = set()
        self._families: dict[str, Callable[[str], T]] = {}
        self._searched = False

    def add(self, name: str, thing: T, *, built_in: bool = False, rank: int = _LAST) -> None:
        """Register an object; it replaces one that a user registered under the same name.

        Names are listed by `rank`, and names of equal rank in the order of their registration. Give
        every built-in a rank, since modules are discovered in alphabetical order.
        """
        if not built_in:
            self.load()  # detects a clash with a built-in name that is not imported yet
        if not isinstance(name, str) or not _NAME.fullmatch(name):
            raise UsageError(
                f"{self.kind} {name!r}",
                "invalid name",
                "use letters and digits, with - _ . between them",
            )
        if name in self._built_in:
            raise UsageError(
                f"{self.kind} '{name}'",
                f"a built-in {self.kind} has this name",
                "choose another name",
            )
        self._things[name] = thing
        self._ranks[name] = rank
        if built_in:
            self._built_in.add(name)

    def add_family(self, prefix: str, make: Callable[[str], T]) -> None:
        """Make an object for every name with a prefix, when it is looked up.

        >>> lengths = Registry[int]("length")
        >>> lengths.add_family("len.", len)
        >>> lengths["len.abc"], "len.abc" in lengths, list(lengths)
        (7, True, [])
        """
        self._families[prefix] = make

    def _of_family(self, name: object) -> str | None:
        """The prefix of the family of a name."""
        fitting = (prefix for prefix in self._families if str(name).startswith(prefix))
        return next((prefix for prefix in fitting if name != prefix), None)

    def __getitem__(self, name: str) -> T:
        # The cheapest search comes first: registered objects, the module of this name, all modules
        # of the package, installed packages.
        if name not in self._things:
            self._import_module_of(name)
        if name not in self._things:
            self.load()
        if name not in self._things and (prefix := self._of_family(name)) is not None:
            return self._families[prefix](name)
        if name not in self._things:
            self.search()
        if name not in self._things:
            raise UsageError(
                f"{self.kind} '{name}'",
                f"unknown {self.kind}",
                suggest(name, self._things),
            )
        return self._things[name]

    def __contains__(self, name: object) -> bool:
        self.load()
        return name in self._things or self._of_family(name) is not None

    def __iter__(self) -> Iterator[str]:
        self.load()
        return iter(sorted(self._things, key=self._ranks.__getitem__))

    @property
    def user_names(self) -> list[str]:
        """The names that users have registered."""
        return [name for name in self._things if name not in self._built_in]

    def load(self) -> None:
        """Import the modules of the built-in objects, once."""
        # `_package` is cleared first, because the imported modules use this registry.
        package, self._package = self._package, None
        if package is not None:
            discover(package)

    def _import_module_of(self, name: str) -> None:
        """Import the module with the name of an object: `matches/exact.py` defines `exact`."""
        if self._package is not None and name.isidentifier():
            module = f"{self._package}.{name}"
            try:
                import_module(module)
            except ModuleNotFoundError as error:
                if error.name != module:  # the module exists, but one of its own imports fails
                    raise

    def is_built_in(self, name: str) -> bool:
        """Whether a name comes with nerscope."""
        return name in self._built_in

    def search(self) -> None:
        """Import the entry points `nerscope.<kind>` of installed packages."""
        if not self._searched:
            from importlib.metadata import entry_points  # slower than all else here

            self._searched = True
            for point in entry_points(group=f"nerscope.{self.kind}"):
                point.load()


_NAME = re.compile(r"[\w](?:[\w.-]*[\w])?")
_CALL = re.compile(r"\s*([\w.-]+)\s*(?:\((.*)\))?\s*")
_TRUTH_VALUES: Mapping[str, bool] = {"yes": True, "no": False}


class FactoryRegistry(Registry[Callable[..., T]]):
    """Functions that make objects: `name` or `name(option=value, …)` calls one of them.

    >>> sizes = FactoryRegistry[float]("size")
    >>> sizes.add("box", lambda side=1.0: side**3)
    >>> sizes.make("box"), sizes.make("box(side=2)")
    (1.0, 8.0)
    """

    def __init__(self, kind: str, *, package: str | None = None) -> None:
        super().__init__(kind, package=package)
        self.instances: dict[str, T] = {}  # by text, as given to `make`; a cache

    def add(
        self, name: str, thing: Callable[..., T], *, built_in: bool = False, rank: int = _LAST
    ) -> None:
        """Register a factory under a name."""
        super().add(name, thing, built_in=built_in, rank=rank)
        self.instances.clear()  # the factory may replace one that a user registered before

    def make(self, text: str) -> T:
        """The object that a text describes; unknown options raise a UsageError."""
        if text not in self.instances:
            self.instances[text] = self._make(text)
        return self.instances[text]

    def _make(self, text: str) -> T:
        name, options = self.parse(text)
        try:
            return self[name](**options)
        except TypeError as error:
            raise UsageError(
                f"{self.kind} '{text}'",
                f"'{name}' has no such option ({error})",
                "see docs/extending.md for the syntax of options",
            ) from None

    def parse(self, text: str) -> tuple[str, Options]:
        """The name and the options of a text; the name must be known."""
        call = _CALL.fullmatch(text) if isinstance(text, str) else None
        if not call:
            raise UsageError(
                f"{self.kind} {text!r}", "it cannot be read", "write name or name(option=value, …)"
            )
        self[call[1]]  # raises if there is no such name
        options: Options = {}
        assignments = (text.strip() for text in (call[2] or "").split(","))
        for assignment in filter(None, assignments):
            key, _, value = (side.strip() for side in assignment.partition("="))
            if key in options:
                raise UsageError(
                    f"{self.kind} '{text}'", "an option is given twice", "give each option once"
                )
            try:
                options[key] = _TRUTH_VALUES[value] if value in _TRUTH_VALUES else float(value)
            except ValueError:
                raise UsageError(
                    f"{self.kind} '{text}'",
                    f"'{assignment}' cannot be read",
                    "give a number, yes or no as the value of an option",
                ) from None
        return call[1], options


def name_with_options(name: str, **options: float | bool) -> str:
    """Write a name with its options, in the form that `FactoryRegistry.make` reads.

    >>> name_with_options("f", beta=0.5), name_with_options("overlap", typed=False)
    ('f(beta=0.5)', 'overlap(typed=no)')
    """
    inner = ", ".join(
        f"{key}={('yes' if value else 'no') if isinstance(value, bool) else _number(value)}"
        for key, value in options.items()
    )
    return f"{name}({inner})" if inner else name


def _number(value: float) -> str:
    # Six digits if they are exact: 0.5 is written "0.5", and 1/3 with all its digits.
    return f"{value:g}" if float(f"{value:g}") == value else repr(value)


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
        # Errors of nerscope already name the problem; Ctrl-C must still stop the program.
        let_through = (NerscopeError, KeyboardInterrupt, GeneratorExit)
        if error is not None and not isinstance(error, let_through):
            raise self.message(f"{type(error).__name__}: {error}") from error

    def message(self, reason: str) -> NerscopeError:
        fact = f"its function fails ({reason})"
        return UsageError(self.place, fact, "correct the function, or leave it out")


class _plugin_file(user_code):  # noqa: N801
    """Like `user_code`, for a plug-in file."""

    def message(self, reason: str) -> NerscopeError:
        return InputError(
            self.place, f"it fails ({reason})", f"python {self.place} (shows the line that fails)"
        )


def load_plugins(paths: Sequence[str]) -> None:
    """Run the files given with `--plugin`; each registers what it defines."""
    import runpy  # most programs have no plug-ins

    for path in paths:
        if not Path(path).is_file():
            raise InputError(path, "no such file", "check the path")
        with _plugin_file(path):
            runpy.run_path(path)
