"""The door for recipes: options come from a function's keywords, and answers are checked."""

from pathlib import Path
from typing import Annotated, Literal

import pytest

import nerscope
from nerscope.errors import NerscopeError, UsageError
from nerscope.lab.recipe import RECIPES, File, Lesson, Recipe, Tagged, recipe_named, recipe_records

LESSON = Lesson([Tagged(["Ada"], ["B-PER"])], [], [["Ada", "left"]], 1, Path())


def made(
    lesson: Lesson,
    *,
    rounds: Annotated[int, "how often"] = 3,
    rate: Annotated[float, "how fast"] = 0.5,
    way: Annotated[Literal["up", "down"], "where to"] = "up",
    loud: bool = False,
    vectors: Annotated[File | None, "a file"] = None,
) -> list[list[str]]:
    """Label nothing.

    More is not told.
    """
    return [["O"] * len(words) for words in lesson.test]


RECIPE = Recipe("made", made, {}, None)


def test_options_are_the_keywords_with_their_defaults_and_meanings() -> None:
    shown = [(one.name, one.default, one.expected, one.about) for one in RECIPE.options.values()]
    assert shown == [
        ("rounds", 3, "a whole number", "how often"),
        ("rate", 0.5, "a number", "how fast"),
        ("way", "up", "up or down", "where to"),
        ("loud", False, "true or false", ""),
        ("vectors", None, "a file or folder", "a file"),
    ]
    assert RECIPE.phrase == "Label nothing."


def test_what_is_not_chosen_is_as_the_function_has_it() -> None:
    assert RECIPE.checked({"rounds": 5}, "p") == {
        "rounds": 5,
        "rate": 0.5,
        "way": "up",
        "loud": False,
        "vectors": None,
    }


@pytest.mark.parametrize(
    ("options", "fact"),
    [
        ({"round": 3}, "no option 'round'.*did you mean 'rounds'"),
        ({"rounds": 2.5}, "invalid value rounds = 2.5.*a whole number"),
        ({"rounds": True}, "invalid value rounds = True"),
        ({"rate": "fast"}, "invalid value rate = 'fast'.*a number"),
        ({"way": "left"}, "invalid value way = 'left'.*up or down"),
        ({"loud": 1}, "invalid value loud = 1.*true or false"),
        ({"vectors": 3}, "invalid value vectors = 3.*a file or folder"),
    ],
)
def test_options_of_another_kind_are_refused(options: dict[str, object], fact: str) -> None:
    with pytest.raises(UsageError, match=fact):
        RECIPE.checked(options, "plan.toml:3")


def test_options_are_read_from_text() -> None:
    given = ["rounds=7", "rate=2", "way=down", "loud=yes", "vectors=glove.txt"]
    assert RECIPE.parse_options(given) == {
        "rounds": 7,
        "rate": 2.0,
        "way": "down",
        "loud": True,
        "vectors": "glove.txt",
    }


@pytest.mark.parametrize(
    ("given", "fact"),
    [
        (["rounds"], "the option has no value"),
        (["rounds=many"], "invalid value rounds = 'many'"),
        (["turns=3"], "has no option 'turns'"),
        (["rounds=1", "rounds=2"], "given twice"),
    ],
)
def test_options_that_cannot_be_read_are_refused(given: list[str], fact: str) -> None:
    with pytest.raises(UsageError, match=fact):
        RECIPE.parse_options(given)


@pytest.mark.parametrize(
    ("answer", "fact"),
    [
        ([["O"]], "the numbers of labels and of words in the test sentences differ"),
        ([], "the numbers of labels and of words in the test sentences differ"),
        (None, "TypeError"),
    ],
)
def test_an_answer_of_another_size_is_refused(answer: object, fact: str) -> None:
    recipe = Recipe("bad", lambda lesson: answer, {}, None)  # type: ignore[arg-type, return-value]
    with pytest.raises(NerscopeError, match=fact):
        recipe.predict(LESSON, {})


def test_a_recipe_that_fails_is_blamed_by_name() -> None:
    def failing(lesson: Lesson) -> list[list[str]]:
        raise ValueError("no luck")

    with pytest.raises(UsageError, match=r"recipe 'bad': its function fails \(ValueError: no luck"):
        Recipe("bad", failing, {}, None).predict(LESSON, {})


def test_a_recipe_without_its_library_says_what_to_install() -> None:
    recipe = Recipe("far", made, {"no_such_module": "no-such-package"}, "far")
    assert recipe.missing == ["no-such-package"]
    with pytest.raises(UsageError, match=r"needs no-such-package.*pip install 'nerscope\[far\]'"):
        recipe.predict(LESSON, {})


def test_a_recipe_of_ones_own_is_one_function(monkeypatch: pytest.MonkeyPatch) -> None:
    RECIPES.load()  # what is loaded during the test would be gone with it
    monkeypatch.setattr(RECIPES, "_things", dict(RECIPES._things))

    @nerscope.register_recipe("everything")
    def everything(lesson: Lesson, *, kind: str = "PER") -> list[list[str]]:
        """Every word is a name."""
        return [[f"B-{kind}"] * len(words) for words in lesson.test]

    train, test = [(["a"], ["O"])], [(["b", "c"], ["O", "O"])]
    assert nerscope.baseline(train, test, recipe="everything", kind="LOC") == [["B-LOC", "B-LOC"]]
    [record] = recipe_records(["everything"])
    assert (record["about"], record["runs_here"]) == ("Every word is a name.", True)


def test_the_names_of_built_in_recipes_are_taken() -> None:
    recipe_named("dictionary")
    with pytest.raises(UsageError, match="built-in"):
        nerscope.register_recipe("dictionary")(made)


@pytest.mark.parametrize(
    ("option", "value", "fact"),
    [("count", 0, "invalid value count = 0.*number from 1"), ("share", -0.5, "number from 0")],
)
def test_numbers_may_have_a_least_value(option: str, value: float, fact: str) -> None:
    def least(
        lesson: Lesson,
        *,
        count: Annotated[int, "of rounds", 1] = 1,
        share: Annotated[float, "of words", 0] = 0.5,
    ) -> list[list[str]]:
        return []

    with pytest.raises(UsageError, match=fact):
        Recipe("least", least, {}, None).checked({option: value}, "p")


def test_options_may_be_nothing_but_must_have_a_default(monkeypatch: pytest.MonkeyPatch) -> None:
    def maybe(lesson: Lesson, *, k: int | None = None) -> list[list[str]]:
        return []

    assert Recipe("maybe", maybe, {}, None).checked({"k": 3}, "p") == {"k": 3}

    def without(lesson: Lesson, *, k: int) -> list[list[str]]:
        return []

    with pytest.raises(UsageError, match="'k' has no default"):
        nerscope.register_recipe("without")(without)


def test_an_unknown_recipe_is_answered_with_the_closest() -> None:
    with pytest.raises(UsageError, match="did you mean 'dictionary'"):
        recipe_named("dictionnary")
