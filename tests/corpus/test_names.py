"""Registries of named things, and messages with a place, a fact and a remedy."""

import pickle
from importlib.metadata import EntryPoint, EntryPoints

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
from nerscope.registry import Registry


def colours() -> Registry[str]:
    registry = Registry[str]("colour")
    registry.add("red", "#f00")
    registry.add("green", "#0f0")
    return registry


def test_things_are_found_by_name_in_the_order_they_came() -> None:
    assert colours()["green"] == "#0f0" and list(colours()) == ["red", "green"]
    assert "red" in colours() and "blue" not in colours() and 5 not in colours()


def test_a_name_is_taken_only_once() -> None:
    with pytest.raises(
        UsageError, match=r"red: a colour of this name exists already. Remedy: choose another name"
    ):
        colours().add("red", "#e00")


def test_an_unknown_name_is_answered_with_the_closest_one_each_time() -> None:
    registry = colours()
    for _ in range(2):
        with pytest.raises(UsageError) as caught:
            registry["gren"]
        assert str(caught.value) == (
            "colour 'gren': there is no colour of this name. Remedy: did you mean 'green'? Known: green, red"
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
        ("precison", "did you mean 'precision'? Known: F1, precision, recall"),
        ("f1", "did you mean 'F1'? Known: F1, precision, recall"),
        ("RECALL", "did you mean 'recall'? Known: F1, precision, recall"),
        ("zzz", "Known: F1, precision, recall"),
        ("", "Known: F1, precision, recall"),
    ],
)
def test_the_closest_word_is_suggested_whatever_its_case(word: str, expected: str) -> None:
    assert suggest(word, ["recall", "precision", "F1"]) == expected


@pytest.mark.parametrize("kind", [InputError, FormatError, AlignmentError, OutputError, UsageError])
def test_every_error_has_a_place_a_fact_and_a_remedy(kind: type[NerscopeError]) -> None:
    error = kind("here", "it is wrong", "mend it")
    assert (error.place, error.fact, error.remedy) == ("here", "it is wrong", "mend it")
    assert str(error) == "here: it is wrong. Remedy: mend it"


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
    assert (error.place, error.fact, error.remedy) == ("f.txt:3", "the label is empty", "give one")
