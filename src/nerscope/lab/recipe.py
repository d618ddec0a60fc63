"""The door for recipes: what a recipe is given, what it must give back, which options it has."""

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.util import find_spec
from math import inf
from pathlib import Path
from types import MappingProxyType, NoneType
from typing import Annotated, Any, Literal, NamedTuple, get_args, get_origin, get_type_hints

from nerscope.errors import FaultError, UsageError, suggest
from nerscope.plugins import user_code
from nerscope.registry import Registry

File = Path | str  # the value of an option that may name a file or a folder


class Tagged(NamedTuple):
    """A sentence to learn from: its words, and their labels in the scheme bio.

    >>> Tagged(["Ada", "spoke"], ["B-PER", "O"]).labels
    ['B-PER', 'O']
    """

    words: list[str]
    labels: list[str]


@dataclass(frozen=True, slots=True)
class Lesson:
    """What a recipe is given: sentences to learn from, and sentences to label.

    `dev` may be empty. `folder` is there for files that a library wants to write, and is thrown
    away afterwards; `say` writes a line into the log.
    """

    train: Sequence[Tagged]
    dev: Sequence[Tagged]
    test: Sequence[list[str]]
    seed: int
    folder: Path
    say: Callable[[str], None] = field(default=print, compare=False)

    @property
    def labels(self) -> list[str]:
        """All labels of the training data, sorted; `O` is always among them.

        >>> Lesson([Tagged(["Ada"], ["B-PER"])], [], [], 1, Path()).labels
        ['B-PER', 'O']
        """
        return sorted({"O", *(label for one in self.train for label in one.labels)})


Train = Callable[..., Sequence[Sequence[str]]]  # a lesson and options → a label for each word
_KINDS: Mapping[type, str] = {int: "whole number", float: "number", str: "text", bool: "yes or no"}


class Option(NamedTuple):
    """Something that can be chosen about a recipe."""

    name: str
    default: Any
    kind: Any  # int, float, str, bool, File, or the tuple of what may be chosen
    about: str = ""
    least: float = -inf

    @property
    def give(self) -> str:
        """What a value must be, in words."""
        if isinstance(self.kind, tuple):
            return ", ".join(map(str, self.kind))
        kind = _KINDS.get(self.kind, "file or folder")
        return kind if self.least == -inf else f"{kind} from {self.least:g}"

    def read(self, text: str) -> Any:
        """A value from its text; what cannot be read is left to be refused as it is."""
        choices = {str(one): one for one in self.kind} if isinstance(self.kind, tuple) else {}
        if self.kind is bool:
            choices = {"yes": True, "no": False}
        try:
            return self.kind(text) if self.kind in (int, float) else choices.get(text, text)
        except ValueError:
            return text

    def checked(self, value: Any, place: str) -> Any:
        """The value, refused if it is of another kind."""
        if isinstance(self.kind, tuple):
            fits = value in self.kind
        elif self.kind is float:
            fits = isinstance(value, int | float) and not isinstance(value, bool)
        elif self.kind in (int, str):
            fits = type(value) is self.kind
        else:
            fits = isinstance(value, bool if self.kind is bool else (str, Path))
        if not fits or (self.kind in (int, float) and value < self.least):
            raise UsageError(place, f"{self.name} = {value!r} cannot be", f"give: {self.give}")
        return value


@dataclass(frozen=True, slots=True)
class Recipe:
    """A way to train a system: a function of a lesson, and what it needs to run."""

    name: str
    train: Train
    needs: Mapping[str, str]  # modules that must be installed, with the package of each
    extra: str | None  # of nerscope, which installs them
    random: bool = True  # another seed may give another system

    @property
    def about(self) -> str:
        """What it is, in one line."""
        return (self.train.__doc__ or "").strip().split("\n")[0]

    @property
    def options(self) -> Mapping[str, Option]:
        """What can be chosen: the keywords of the function, with their defaults."""
        hints = get_type_hints(self.train, include_extras=True)
        named = inspect.signature(self.train).parameters.values()
        keywords = [one for one in named if one.kind is one.KEYWORD_ONLY]
        found = [_option(one.name, one.default, hints.get(one.name, str)) for one in keywords]
        return MappingProxyType({one.name: one for one in found})

    @property
    def missing(self) -> list[str]:
        """The packages that are not installed here."""
        return [package for module, package in self.needs.items() if find_spec(module) is None]

    def checked(self, options: Mapping[str, Any], place: str) -> dict[str, Any]:
        """All options with their values; unknown ones and impossible values are refused."""
        for name in options:
            self._check_known(name, place)
        return {
            name: one.checked(options[name], place) if name in options else one.default
            for name, one in self.options.items()
        }

    def _check_known(self, name: str, place: str) -> None:
        if name not in self.options:
            fact = f"recipe '{self.name}' has no option '{name}'"
            remedy = suggest(name, self.options) if self.options else "leave it out: it has none"
            raise UsageError(place, fact, remedy)

    def parsed(self, given: Sequence[str]) -> dict[str, Any]:
        """Options from KEY=VALUE, as the command line has them.

        >>> recipe_named("dictionary").parsed([])
        {}
        """
        found: dict[str, Any] = {}
        for text in given:
            name, equals, value = text.partition("=")
            self._check_known(name, f"--option {text}")
            if not equals:
                raise UsageError(f"--option {text}", "it has no value", f"write {name}=VALUE")
            if name in found:
                raise UsageError(f"--option {text}", "an option is said twice", "say it once")
            found[name] = self.options[name].read(value)
        return self.checked(found, "--option")

    def check_runs_here(self) -> None:
        """Refuse a recipe whose libraries are not there."""
        if self.missing:
            wanted = f"nerscope[{self.extra}]" if self.extra else " ".join(self.missing)
            raise UsageError(
                f"recipe '{self.name}'",
                f"it needs {', '.join(self.missing)}, which is not installed",
                f"pip install '{wanted}'",
            )

    def predict(self, lesson: Lesson, options: Mapping[str, Any]) -> list[list[str]]:
        """Train, and label the test sentences; an answer of another size is refused."""
        self.check_runs_here()
        with user_code(f"recipe '{self.name}'"):
            found = [list(map(str, labels)) for labels in self.train(lesson, **options)]
        if [len(labels) for labels in found] != [len(words) for words in lesson.test]:
            raise FaultError(
                f"recipe '{self.name}'",
                "its labels are not those of the test sentences: their numbers differ",
                "give one label for each word of each sentence",
            )
        return found


def _option(name: str, default: Any, hint: Any) -> Option:
    hint, *told = get_args(hint) if get_origin(hint) is Annotated else (hint,)
    kinds = [one for one in get_args(hint) if one is not NoneType]
    if get_origin(hint) is Literal:
        hint = get_args(hint)
    elif len(kinds) == 1:  # or None
        hint = kinds[0]
    kind = hint if isinstance(hint, tuple) or hint in _KINDS else File
    given = str(default) if isinstance(default, Path) else default
    return Option(name, given, kind, *told)


RECIPES: Registry[Recipe] = Registry("recipe")


def recipe_named(name: str) -> Recipe:
    """The recipe of a name, built in or a user's own.

    >>> recipe_named("dictionary").options
    mappingproxy({})
    """
    import nerscope.lab.recipes  # makes those of the package known

    assert nerscope.lab.recipes
    return RECIPES[name]


def register_recipe(
    name: str,
    *,
    needs: Mapping[str, str] | None = None,
    extra: str | None = None,
    random: bool = True,
) -> Callable[[Train], Train]:
    """Make a function known as a recipe; `needs` are modules, with the packages that have them.
    If it is not `random`, all seeds give the same system, which is trained once.

    Its keyword-only parameters are the options, each with a default; `Annotated[int, "what it is"]`
    explains one, a number behind that is the least it can be, `Literal["a", "b"]` lists what can be
    chosen.

    >>> @register_recipe("all-outside")
    ... def all_outside(lesson, *, label: Annotated[str, "what every word gets"] = "O"):
    ...     '''Label every word alike.'''
    ...     return [[label] * len(words) for words in lesson.test]
    >>> RECIPES["all-outside"].about, list(RECIPES["all-outside"].options)
    ('Label every word alike.', ['label'])
    """
    return _registering(name, needs, extra, random, built_in=False)


def built_in_recipe(
    name: str,
    *,
    needs: Mapping[str, str] | None = None,
    extra: str | None = None,
    random: bool = True,
) -> Callable[[Train], Train]:
    """The same for recipes that come with the package, whose names are taken."""
    return _registering(name, needs, extra, random, built_in=True)


def _registering(
    name: str, needs: Mapping[str, str] | None, extra: str | None, random: bool, *, built_in: bool
) -> Callable[[Train], Train]:
    def register(train: Train) -> Train:
        recipe = Recipe(name, train, dict(needs or {}), extra, random)
        for option in recipe.options.values():
            if option.default is inspect.Parameter.empty:
                raise UsageError(
                    f"recipe '{name}'", f"its option '{option.name}' has no default", "give it one"
                )
        RECIPES.add(name, recipe, built_in=built_in)
        return train

    return register
