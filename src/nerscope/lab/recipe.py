"""Recipes: functions that train a system. Their input, output and options."""

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.util import find_spec
from math import inf
from pathlib import Path
from types import MappingProxyType, NoneType
from typing import Annotated, Any, Literal, NamedTuple, get_args, get_origin, get_type_hints

from nerscope.arguments import check_arguments
from nerscope.corpus.arrays import Floats
from nerscope.corpus.schemes import OUTSIDE_LABEL
from nerscope.errors import FaultError, UsageError, expect, suggest
from nerscope.registry import Registry, user_code
from nerscope.results.rows import ResultRow

File = Path | str  # type of an option whose value may be a file or folder


class Tagged(NamedTuple):
    """A training sentence: its words, and their labels in the scheme bio.

    >>> Tagged(["Ada", "spoke"], ["B-PER", "O"]).labels
    ['B-PER', 'O']
    """

    words: list[str]
    labels: list[str]


@dataclass(frozen=True, slots=True)
class Lesson:
    """The input of a recipe: training sentences, and sentences to label.

    - `train`, `dev`: sentences with labels; `dev` may be empty.
    - `test`: sentences without labels, each a list of words.
    - `seed`: the random seed.
    - `folder`: a folder for temporary files; it is deleted afterwards.
    - `say`: writes a line into the log.
    - `probabilities`: if this is a list, a recipe that knows them appends, for each test sentence,
      the probabilities of `labels` (columns) for its words (rows).
    """

    train: Sequence[Tagged]
    dev: Sequence[Tagged]
    test: Sequence[list[str]]
    seed: int
    folder: Path
    say: Callable[[str], None] = field(default=print, compare=False)
    probabilities: list[Floats] | None = field(default=None, compare=False)

    @property
    def labels(self) -> list[str]:
        """All labels of the training data, sorted; `O` is always among them.

        >>> Lesson([Tagged(["Ada"], ["B-PER"])], [], [], 1, Path()).labels
        ['B-PER', 'O']
        """
        return sorted(
            {OUTSIDE_LABEL, *(label for sentence in self.train for label in sentence.labels)}
        )


# A recipe's function: takes a lesson and options, returns a label for each word of each sentence.
Train = Callable[..., Sequence[Sequence[str]]]
_KIND_WORDS: Mapping[type, str] = {
    int: "a whole number",
    float: "a number",
    str: "a string",
    bool: "true or false",
}


class Option(NamedTuple):
    """An option of a recipe: a keyword-only parameter of its function."""

    name: str
    default: Any
    kind: Any  # int, float, str, bool, File, or a tuple of the permitted values
    about: str = ""
    least: float = -inf

    @property
    def expected(self) -> str:
        """The expected kind of value, for messages."""
        if isinstance(self.kind, tuple):
            return " or ".join(map(str, self.kind))
        kind = _KIND_WORDS.get(self.kind, "a file or folder")
        return kind if self.least == -inf else f"{kind} from {self.least:g}"

    def parse(self, text: str) -> Any:
        """The value of a text; an invalid text is returned as is, and `checked` raises an error."""
        choices = {str(value): value for value in self.kind} if isinstance(self.kind, tuple) else {}
        if self.kind is bool:
            choices = {"true": True, "yes": True, "false": False, "no": False}
        try:
            return self.kind(text) if self.kind in (int, float) else choices.get(text, text)
        except ValueError:
            return text

    def checked(self, value: Any, place: str) -> Any:
        """The value; raises `UsageError` if it has the wrong type or is too small."""
        if isinstance(self.kind, tuple):
            fits = value in self.kind
        elif self.kind is float:  # an int is fine, but True is an int too
            fits = isinstance(value, int | float) and not isinstance(value, bool)
        elif self.kind in (int, str):
            fits = type(value) is self.kind
        else:
            fits = isinstance(value, bool if self.kind is bool else (str, Path))
        if not fits or (self.kind in (int, float) and value < self.least):
            fact = f"invalid value {self.name} = {value!r}"
            raise UsageError(place, fact, f"give {self.expected}")
        return value


@dataclass(frozen=True, slots=True)
class Recipe:
    """A way to train a system: a function of a lesson, and what it needs to run.

    The docstring of the function describes it: the first line is the `phrase`, the rest is the
    `definition`. The keyword-only parameters of the function are its options.
    """

    name: str
    train: Train
    needs: Mapping[str, str]  # required modules, each with its package
    extra: str | None  # the extra of nerscope that installs them
    random: bool = True  # whether the result depends on the seed
    title: str = ""

    @property
    def phrase(self) -> str:
        """A description in one line."""
        return (self.train.__doc__ or "").strip().split("\n")[0]

    @property
    def definition(self) -> str:
        """A longer description; empty if the docstring has only one line."""
        return inspect.cleandoc(self.train.__doc__ or "").partition("\n\n")[2]

    @property
    def options(self) -> Mapping[str, Option]:
        hints = get_type_hints(self.train, include_extras=True)
        parameters = inspect.signature(self.train).parameters.values()
        return MappingProxyType(
            {
                parameter.name: _option(
                    parameter.name, parameter.default, hints.get(parameter.name, str)
                )
                for parameter in parameters
                if parameter.kind is parameter.KEYWORD_ONLY
            }
        )

    @property
    def missing(self) -> list[str]:
        """The packages that are not installed here."""
        return [package for module, package in self.needs.items() if find_spec(module) is None]

    def checked(self, options: Mapping[str, Any], place: str) -> dict[str, Any]:
        """All options with their values; raises `UsageError` for unknown ones and bad values."""
        for name in options:
            self._check_known(name, place)
        return {
            name: option.checked(options[name], place) if name in options else option.default
            for name, option in self.options.items()
        }

    def _check_known(self, name: str, place: str) -> None:
        if name not in self.options:
            fact = f"recipe '{self.name}' has no option '{name}'"
            fix = (
                suggest(name, self.options)
                if self.options
                else "remove the option: this recipe has none"
            )
            raise UsageError(place, fact, fix)

    def parse_options(self, texts: Sequence[str]) -> dict[str, Any]:
        """The values of options, each given as KEY=VALUE.

        >>> recipe_named("dictionary").parse_options([])
        {}
        """
        values: dict[str, Any] = {}
        for text in texts:
            name, equals, value = text.partition("=")
            self._check_known(name, f"--option {text}")
            if not equals:
                raise UsageError(
                    f"--option {text}", "the option has no value", f"--option {name}=VALUE"
                )
            if name in values:
                raise UsageError(
                    f"--option {text}", "an option is given twice", "give each option once"
                )
            values[name] = self.options[name].parse(value)
        return self.checked(values, "--option")

    def check_runs_here(self) -> None:
        """Raise `UsageError` if a library of this recipe is not installed."""
        if self.missing:
            package = f"nerscope[{self.extra}]" if self.extra else " ".join(self.missing)
            raise UsageError(
                f"recipe '{self.name}'",
                f"it needs {', '.join(self.missing)}, which is not installed",
                f"pip install '{package}'",
            )

    def predict(self, lesson: Lesson, options: Mapping[str, Any]) -> list[list[str]]:
        """Train, and label every word of the test sentences."""
        self.check_runs_here()
        with user_code(f"recipe '{self.name}'"):
            predicted = [list(map(str, labels)) for labels in self.train(lesson, **options)]
        if [len(labels) for labels in predicted] != [len(words) for words in lesson.test]:
            raise FaultError(
                f"recipe '{self.name}'",
                "the numbers of labels and of words in the test sentences differ",
                "return one label for each word of each sentence",
            )
        return predicted


def _option(name: str, default: Any, hint: Any) -> Option:
    """An option from the type hint of its parameter.

    `Annotated[int, "passes", 1]` has the kind int, the text "passes" and the minimum 1;
    `Literal["a", "b"]` has the kind ("a", "b"); `int | None` has the kind int; `Path | str` and all
    other hints have the kind File.
    """
    hint, *about_and_least = get_args(hint) if get_origin(hint) is Annotated else (hint,)
    kinds = [kind for kind in get_args(hint) if kind is not NoneType]
    if get_origin(hint) is Literal:
        hint = get_args(hint)
    elif len(kinds) == 1:
        hint = kinds[0]
    kind = hint if isinstance(hint, tuple) or hint in _KIND_WORDS else File
    default = str(default) if isinstance(default, Path) else default
    return Option(name, default, kind, *about_and_least)


# The modules in lab/recipes/ are imported, and register their recipes, at the first lookup.
RECIPES: Registry[Recipe] = Registry("recipe", package="nerscope.lab.recipes")


def recipe_named(name: str) -> Recipe:
    """The recipe with this name, built-in or registered by a user.

    >>> recipe_named("dictionary").options
    mappingproxy({})
    """
    return RECIPES[name]


def register_recipe(
    name: str,
    *,
    needs: Mapping[str, str] | None = None,
    extra: str | None = None,
    random: bool = True,
    title: str = "",
) -> Callable[[Train], Train]:
    """Register a function as a recipe: `@register_recipe("name")` before its definition.

    - `needs`: the modules that it imports, each with its package.
    - `extra`: the extra of nerscope that installs these packages, if there is one.
    - `random`: False if all seeds give the same system; it is then trained only once.
    - `title`: a display name, such as "Averaged perceptron".

    The keyword-only parameters of the function are the options, each with a default.
    `Annotated[int, "description"]` describes an option, a number after the description is the
    minimum, and `Literal["a", "b"]` lists the permitted values.

    >>> @register_recipe("all-outside")
    ... def all_outside(lesson, *, label: Annotated[str, "label of every word"] = "O"):
    ...     '''Give every word the same label.'''
    ...     return [[label] * len(words) for words in lesson.test]
    >>> RECIPES["all-outside"].phrase, list(RECIPES["all-outside"].options)
    ('Give every word the same label.', ['label'])
    """
    check_arguments(register_recipe, locals())

    def register(train: Train) -> Train:
        expect("recipe", train, Callable, "decorate a function")  # type: ignore[arg-type]  # a class
        RECIPES.add(name, _new_recipe(Recipe(name, train, dict(needs or {}), extra, random, title)))
        return train

    return register


def built_in_recipe(
    name: str,
    *,
    title: str,
    rank: int,
    needs: Mapping[str, str] | None = None,
    extra: str | None = None,
    random: bool = True,
) -> Callable[[Train], Train]:
    """Like `register_recipe`, for a file in `lab/recipes/`; `rank` is the position in listings.

    Import the libraries of a recipe inside its function: listing recipes must not need them.
    """

    def register(train: Train) -> Train:
        recipe = _new_recipe(Recipe(name, train, dict(needs or {}), extra, random, title))
        RECIPES.add(name, recipe, built_in=True, rank=rank)
        return train

    return register


def _new_recipe(recipe: Recipe) -> Recipe:
    for option in recipe.options.values():
        if option.default is inspect.Parameter.empty:
            raise UsageError(
                f"recipe '{recipe.name}'",
                f"its option '{option.name}' has no default",
                f"give the parameter '{option.name}' a default",
            )
    return recipe


@dataclass(frozen=True, slots=True, eq=False)
class OptionRow(ResultRow):
    """An option of a recipe, as `recipes --format json` prints it."""

    name: str
    default: Any
    kind: str  # int, float, str, bool, choice or file
    choices: list[Any]  # empty unless the kind is choice
    about: str


@dataclass(frozen=True, slots=True, eq=False)
class RecipeRow(ResultRow):
    """A recipe, as `recipes --format json` prints it."""

    name: str
    about: str
    runs_here: bool
    missing: list[str]
    extra: str | None
    random: bool
    options: list[OptionRow]

    def as_dict(self) -> dict[str, Any]:
        # Not `super()`: it fails in a dataclass with slots, because that class is created twice.
        return {**ResultRow.as_dict(self), "options": [row.as_dict() for row in self.options]}


def recipe_records(names: Sequence[str] | None = None) -> list[RecipeRow]:
    """Rows that describe recipes; default: all recipes.

    >>> [recipe.name for recipe in recipe_records(["dictionary"])]
    ['dictionary']
    """
    RECIPES.search()  # recipes of installed packages are listed too
    return [_recipe_row(recipe_named(name)) for name in names or RECIPES]


def _recipe_row(recipe: Recipe) -> RecipeRow:
    return RecipeRow(
        name=recipe.name,
        about=recipe.phrase,
        runs_here=not recipe.missing,
        missing=recipe.missing,
        extra=recipe.extra,
        random=recipe.random,
        options=[_option_row(option) for option in recipe.options.values()],
    )


def _option_row(option: Option) -> OptionRow:
    kind, is_choice = option.kind, isinstance(option.kind, tuple)
    return OptionRow(
        name=option.name,
        default=option.default,
        kind="choice" if is_choice else "file" if kind is File else kind.__name__,
        choices=list(kind) if is_choice else [],
        about=option.about,
    )
