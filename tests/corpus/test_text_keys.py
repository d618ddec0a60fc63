"""When two records or sentences are the same text."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nerscope import Corpus
from nerscope.corpus.text_keys import near_text_key, sentence_codes, text_key


@pytest.mark.parametrize(
    ("text", "tokens", "is_same"),
    [
        ("Ada spoke.", ["Ada", "spoke", "."], True),
        ("Ada  spoke.\n", ["Ada", "spoke", "."], True),
        ("New\u00a0York", ["New York"], True),
        ("Ada spoke.", ["Ada", "spoke"], False),
        ("Ada spoke.", ["ada", "spoke", "."], False),
        ("", [], True),
    ],
)
def test_a_string_and_tokens_are_the_same_text_but_for_blanks(
    text: str, tokens: list[str], is_same: bool
) -> None:
    assert (text_key(text) == text_key(tokens)) is is_same


@pytest.mark.parametrize(
    ("text", "other", "is_near"),
    [
        ("MARCH 7", "March 1996", True),
        ("Straße 1", "STRASSE 22", True),
        ("a 1.5", "a 15", False),
        ("a 1 2", "a 12", False),  # two numbers are not one
        ("a", "b", False),
    ],
)
def test_near_texts_differ_in_case_and_numbers(text: str, other: str, is_near: bool) -> None:
    assert (near_text_key(text) == near_text_key(other)) is is_near
    assert (near_text_key(text.split()) == near_text_key(other)) is is_near


TEXT = "Ada met 12 men in Oslo."


@given(st.lists(st.lists(st.integers(1, len(TEXT) - 1), max_size=4), min_size=1, max_size=5))
def test_a_text_has_one_code_however_it_is_cut(cuts: list[list[int]]) -> None:
    def cut(places: list[int]) -> list[str]:
        edges = [0, *sorted(set(places)), len(TEXT)]
        return [TEXT[low:high].strip() or "-" for low, high in pairwise(edges)]

    sentences = [words for words in map(cut, cuts) if "-" not in words]
    corpora = [Corpus.of([(words, []), (["x"], [])]) for words in sentences]
    assert all(codes.tolist() == [0, 1] for codes in sentence_codes(corpora))
