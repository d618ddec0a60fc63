"""Recipes that need nothing but numpy: what they learn, and that they never answer nonsense."""

from collections.abc import Sequence
from itertools import pairwise, permutations
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.scoring.toys import drawn

import nerscope
import nerscope.lab.recipes
from nerscope.lab.recipe import RECIPES, Lesson, Tagged
from nerscope.lab.recipes._features import features

BOTH = pytest.mark.parametrize("recipe", ["dictionary", "lookup", "perceptron"])


def predict(
    recipe: str, train: Sequence[Tagged], test: Sequence[list[str]], seed: int = 1, **options: int
) -> list[list[str]]:
    lesson = Lesson(train, [], test, seed, Path("nowhere"), say=lambda line: None)
    return RECIPES[recipe].predict(lesson, RECIPES[recipe].checked(options, "test"))


def tagged(*texts: str) -> list[Tagged]:
    """Sentences such as `Ada/B-PER spoke`."""
    pairs = [[part.partition("/")[::2] for part in text.split()] for text in texts]
    return [Tagged([word for word, _ in one], [label or "O" for _, label in one]) for one in pairs]


TOY = tagged(
    "Mr. Miller/B-PER went to Oslo/B-LOC",
    "Mr. Smith/B-PER stayed in Paris/B-LOC",
    "in New/B-LOC York/I-LOC it rained",
    "Mr. Jones/B-PER left",
)


@BOTH
def test_what_was_seen_is_labelled_as_it_was(recipe: str) -> None:
    assert predict(recipe, TOY, [one.words for one in TOY]) == [one.labels for one in TOY]


def test_context_tells_the_type_of_an_unknown_word() -> None:
    found = predict("perceptron", TOY, [["Mr.", "Zog", "went", "to", "Quito"]])
    assert found == [["O", "B-PER", "O", "O", "B-LOC"]]


def test_memory_knows_no_unknown_word() -> None:
    found = predict("dictionary", TOY, [["Mr.", "Zog", "left", "Oslo"]])
    assert found == [["O", "O", "O", "B-LOC"]]


@BOTH
@pytest.mark.parametrize(
    ("train", "test", "expected"),
    [
        (tagged("a b", "c"), [["a"], ["Ada", "b"]], [["O"], ["O", "O"]]),
        ([], [["Ada"]], [["O"]]),
        ([Tagged([], [])], [["Ada"]], [["O"]]),
        (tagged("Ada/B-PER"), [["Ada"], []], [["B-PER"], []]),
        (tagged("Ada/B-PER"), [], []),
        (tagged("Ada/B-a-b:c"), [["Ada"]], [["B-a-b:c"]]),
    ],
    ids=["no mention", "nothing", "no word", "one word", "no test", "odd type"],
)
def test_small_lessons(
    recipe: str, train: list[Tagged], test: list[list[str]], expected: list[list[str]]
) -> None:
    assert predict(recipe, train, test) == expected


@given(st.integers(0, 10_000))
def test_an_i_always_continues_a_mention_of_its_type(seed: int) -> None:
    sentences = [Tagged(*one) for one in drawn(30, seed)]
    for recipe in ("dictionary", "lookup", "perceptron"):
        for labels in predict(recipe, sentences[:15], [one.words for one in sentences[15:]]):
            for before, label in pairwise(["O", *labels]):
                assert label[0] in "BO" or (label[0] == "I" and before[1:] == label[1:])


def test_the_seed_decides_what_the_perceptron_learns() -> None:
    sentences = [Tagged(*one) for one in drawn(120, 3)]
    test = [one.words for one in sentences[60:]]
    found = [predict("perceptron", sentences[:60], test, seed, rounds=2) for seed in (1, 1, 2)]
    assert found[0] == found[1] != found[2]


def test_the_perceptron_says_how_many_words_were_wrong_in_each_round() -> None:
    said: list[str] = []
    lesson = Lesson(TOY, [], [], 1, Path("nowhere"), said.append)
    RECIPES["perceptron"].predict(lesson, {"rounds": 12})
    assert len(said) == 12
    assert said[0] != "round 1: 0 words wrong"
    assert said[-1] == "round 12: 0 words wrong"


def test_every_word_has_as_many_features_and_an_odd_one_too() -> None:
    words = ["Ada", " ", "", "\0", "a b", "1,000"]
    assert len({len(found) for found in features(words)} | {len(features(["x"])[0])}) == 1


# How often a word is outside, a person, a place: never as often inside as outside, and never in
# two types alike.
COUNTS = [
    *permutations((1, 2, 4)),
    *permutations((0, 0, 3)),
    *((0, 0, 0), (0, 1, 2), (0, 2, 1), (9, 0, 1), (1, 9, 0)),
]
KINDS = ("O", "B-PER", "B-LOC")


@given(st.lists(st.sampled_from(COUNTS), min_size=2, max_size=6))
def test_memory_is_wrong_exactly_on_unseen_mentions_and_diff_tokens(
    counts: list[tuple[int, int, int]],
) -> None:
    train = [
        Tagged([f"w{number}"], [label])
        for number, times in enumerate([*counts, (1, 2, 4)])
        for label, n in zip(KINDS, times, strict=True)
        for _ in range(n)
    ]
    gold = [Tagged([f"w{number}"], [label]) for number in range(len(counts)) for label in KINDS]
    system = predict("dictionary", train, [one.words for one in gold])
    results = nerscope.evaluate(
        gold, {"memory": system}, train=train, facets=["hard"], token_match="io"
    )
    expected = {"unseen-I": 1, "diff": 1, "unseen-O": 0, "other": 0}
    for level, rate in expected.items():
        assert results.value(facet="hard", level=level, metric="ter") in (rate, None)


AMBIGUOUS = tagged(
    "New/B-LOC York/I-LOC",
    "New/B-ORG York/I-ORG Times/I-ORG",
    "Jordan/B-PER Jordan/B-LOC Jordan/B-PER",
    "Times/B-ORG Square/I-ORG Garden/I-ORG",
)


@pytest.mark.parametrize(
    ("words", "skipped", "frequent"),
    [
        ("in New York", "O B-LOC I-LOC", "O B-LOC I-LOC"),
        ("New York Times", "B-ORG I-ORG I-ORG", "B-ORG I-ORG I-ORG"),  # the longest mention
        ("New", "O", "O"),  # a part of a mention is none
        ("Jordan", "O", "B-PER"),  # several types in training
        # of two that overlap, the longer one
        ("York Times Square Garden", "O B-ORG I-ORG I-ORG", "O B-ORG I-ORG I-ORG"),
        ("New York New York", "B-LOC I-LOC B-LOC I-LOC", "B-LOC I-LOC B-LOC I-LOC"),
    ],
)
def test_mentions_of_training_are_looked_up(words: str, skipped: str, frequent: str) -> None:
    for ambiguous, expected in (("skip", skipped), ("frequent", frequent)):
        lesson = Lesson(AMBIGUOUS, [], [words.split()], 1, Path("nowhere"), lambda line: None)
        assert RECIPES["lookup"].predict(lesson, {"ambiguous": ambiguous}) == [expected.split()]


def test_of_equally_frequent_types_the_first_in_the_alphabet_is_looked_up() -> None:
    lesson = Lesson(
        tagged("Oslo/B-PER Oslo/B-LOC"), [], [["Oslo"]], 1, Path("nowhere"), lambda line: None
    )
    assert RECIPES["lookup"].predict(lesson, {"ambiguous": "frequent"}) == [["B-LOC"]]


def test_the_dictionary_has_new_names_wrong_and_new_words_outside_right(tmp_path: Path) -> None:
    train, test = drawn(60, seed=1, words=120), drawn(60, seed=2, words=200)
    nerscope.baseline(train, test, tmp_path / "out.conll", recipe="dictionary")
    results = nerscope.evaluate(
        test, {"dictionary": tmp_path / "out.conll"}, train=train, facets=["hard"]
    )
    ter = {row.level: row.value for row in results.select(facet="hard", metric="ter", run=None)}
    assert (ter["unseen-I"], ter["unseen-O"], ter["diff"]) == (1.0, 0.0, 1.0)
    assert ter["other"]  # boundaries, and ties
