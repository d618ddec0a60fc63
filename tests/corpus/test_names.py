"""Registries of named things, and messages with a place, a fact and a fix."""

import pickle
from importlib.metadata import EntryPoint, EntryPoints
from typing import Any

import pytest

import nerscope
from nerscope.errors import (
    AlignmentError,
    FormatError,
    InputError,
    NerscopeError,
    OutputError,
    UsageError,
    plural,
    suggest,
)
from nerscope.registry import FactoryRegistry, Registry, name_with_options


def colours() -> Registry[str]:
    registry = Registry[str]("colour")
    registry.add("red", "#f00")
    registry.add("green", "#0f0")
    return registry


def test_things_are_found_by_name_in_the_order_they_came() -> None:
    assert colours()["green"] == "#0f0" and list(colours()) == ["red", "green"]
    assert "red" in colours() and "blue" not in colours() and 5 not in colours()


def test_what_a_user_registers_again_takes_the_place_of_the_first() -> None:
    registry = colours()
    registry.add("red", "#e00")
    assert registry["red"] == "#e00" and list(registry) == ["red", "green"]
    assert not registry.is_built_in("red")


@pytest.mark.parametrize("built_in", [False, True])
def test_the_name_of_what_is_built_in_is_taken(built_in: bool) -> None:
    registry = colours()
    registry.add("blue", "#00f", built_in=True)
    with pytest.raises(UsageError) as caught:
        registry.add("blue", "#00e", built_in=built_in)
    assert str(caught.value) == (
        "colour 'blue': a built-in colour has this name. Fix: choose another name"
    )
    assert registry["blue"] == "#00f" and registry.is_built_in("blue")


@pytest.mark.parametrize("name", ["", " ", "a b", "-a", "a-", "a(b)", "a,b", ".a", "a=b", 5, None])
def test_what_could_not_be_written_in_a_list_is_no_name(name: Any) -> None:
    with pytest.raises(UsageError, match="invalid name"):
        colours().add(name, "#00f")


@pytest.mark.parametrize("name", ["a", "A1", "f-1", "rouge_l", "v1.2", "größe"])
def test_names_are_letters_digits_and_joints_between_them(name: str) -> None:
    registry = colours()
    registry.add(name, "#00f")
    assert registry[name] == "#00f"


def boxes() -> FactoryRegistry[tuple[str, float, bool]]:
    registry = FactoryRegistry[tuple[str, float, bool]]("size")
    registry.add("box", lambda side=1.0, lid=False: ("box", side, lid))
    return registry


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("box", ("box", 1.0, False)),
        ("box()", ("box", 1.0, False)),
        ("box(side=2)", ("box", 2.0, False)),
        (" box ( lid = yes , side = 0.5 ) ", ("box", 0.5, True)),
        ("box(lid=no)", ("box", 1.0, False)),
    ],
)
def test_options_are_written_behind_a_name(text: str, expected: tuple[str, float, bool]) -> None:
    assert boxes().make(text) == expected


@pytest.mark.parametrize(
    ("text", "fact"),
    [
        ("box(", "it cannot be read"),
        ("box)", "it cannot be read"),
        ("", "it cannot be read"),
        (5, "it cannot be read"),
        ("box(side=big)", "'side=big' cannot be read"),
        ("box(side)", "'side' cannot be read"),
        ("bocks", "unknown size"),
        ("box(depth=1)", "'box' has no such option"),
    ],
)
def test_what_is_written_otherwise_is_refused(text: Any, fact: str) -> None:
    with pytest.raises(UsageError) as caught:
        boxes().make(text)
    assert caught.value.fact.startswith(fact) and caught.value.fix


def test_a_maker_that_is_registered_again_makes_new_things() -> None:
    registry = boxes()
    assert registry.make("box") == ("box", 1.0, False)
    registry.add("box", lambda: ("other", 0.0, True))
    assert registry.make("box") == ("other", 0.0, True)


@pytest.mark.parametrize(
    ("options", "expected"),
    [({}, "box"), ({"side": 0.5}, "box(side=0.5)"), ({"side": 2.0, "lid": True}, None)],
)
def test_what_is_written_reads_back_as_itself(
    options: dict[str, float | bool], expected: str | None
) -> None:
    text = name_with_options("box", **options)
    assert expected in (None, text)
    assert boxes().parse(text) == ("box", options)


def test_an_unknown_name_is_answered_with_the_closest_one_each_time() -> None:
    registry = colours()
    for _ in range(2):
        with pytest.raises(UsageError) as caught:
            registry["gren"]
        assert str(caught.value) == (
            "colour 'gren': unknown colour. Fix: did you mean 'green'? Or choose one of: green, red"
        )


def test_installed_packages_are_asked_once_for_names_that_are_not_known(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked: list[str] = []
    registry = colours()

    def entry_points(group: str) -> EntryPoints:
        asked.append(group)
        registry.add("blue", "#00f")  # what importing the package would do
        return EntryPoints([EntryPoint("blue", "json", group)])

    monkeypatch.setattr("importlib.metadata.entry_points", entry_points)
    assert registry["red"] == "#f00" and asked == []
    assert registry["blue"] == "#00f" and registry["blue"] == "#00f"
    with pytest.raises(UsageError):
        registry["white"]
    assert asked == ["nerscope.colour"]


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("precison", "did you mean 'precision'? Or choose one of: F1, precision, recall"),
        ("f1", "did you mean 'F1'? Or choose one of: F1, precision, recall"),
        ("RECALL", "did you mean 'recall'? Or choose one of: F1, precision, recall"),
        ("zzz", "choose one of: F1, precision, recall"),
        ("", "choose one of: F1, precision, recall"),
    ],
)
def test_the_closest_word_is_suggested_whatever_its_case(word: str, expected: str) -> None:
    assert suggest(word, ["recall", "precision", "F1"]) == expected


@pytest.mark.parametrize("kind", [InputError, FormatError, AlignmentError, OutputError, UsageError])
def test_every_error_has_a_place_a_fact_and_a_fix(kind: type[NerscopeError]) -> None:
    error = kind("here", "it is wrong", "mend it")
    assert (error.place, error.fact, error.fix) == ("here", "it is wrong", "mend it")
    assert str(error) == "here: it is wrong. Fix: mend it"


def test_problems_of_reading_are_input_errors() -> None:
    assert issubclass(FormatError, InputError) and issubclass(AlignmentError, InputError)
    assert not issubclass(UsageError, InputError) and not issubclass(OutputError, InputError)


def test_the_package_offers_what_it_lists_and_nothing_else() -> None:
    for name in nerscope.__all__:
        assert getattr(nerscope, name) is not None
    with pytest.raises(AttributeError, match="has no attribute 'evaluat'"):
        nerscope.evaluat  # noqa: B018


@pytest.mark.parametrize(("count", "expected"), [(0, "0 labels"), (1, "1 label"), (2, "2 labels")])
def test_words_agree_with_their_number(count: int, expected: str) -> None:
    assert plural(count, "label") == expected


def test_errors_travel_between_processes_whole() -> None:
    error = pickle.loads(pickle.dumps(FormatError("f.txt:3", "the label is empty", "give one")))
    assert isinstance(error, FormatError)
    assert (error.place, error.fact, error.fix) == ("f.txt:3", "the label is empty", "give one")
