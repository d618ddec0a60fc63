"""What training says of tokens and surfaces, against counting one by one."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.scoring.toys import corpus

import nerscope
from nerscope.corpus.corpus import Coding
from nerscope.corpus.interning import Paths
from nerscope.corpus.lexicon import Lexicon

words = st.lists(st.sampled_from("abc"), min_size=1, max_size=7)
texts = st.lists(words, min_size=1, max_size=5)


def as_corpus(sentences: list[list[str]], coding: Coding) -> nerscope.Corpus:
    return nerscope.Corpus.of(
        [(tokens, ["B-X", *["I-X"] * (len(tokens) - 1)]) for tokens in sentences], coding=coding
    )


def naive_occurrences(text: list[list[str]], wanted: list[str]) -> int:
    size = len(wanted)
    return sum(
        tokens[at : at + size] == wanted for tokens in text for at in range(len(tokens) - size + 1)
    )


@settings(max_examples=150, deadline=None)
@given(texts, texts, st.integers(1, 3))
def test_occurrences_are_all_places_of_the_sequence_within_a_sentence(
    train: list[list[str]], test: list[list[str]], chunks: int
) -> None:
    coding, surfaces = Coding(), Paths()
    whole = as_corpus(train, coding)
    cuts = sorted({0, len(train), *range(0, len(train), chunks)})
    lexicon = Lexicon.of([whole.sentences(a, b) for a, b in pairwise(cuts)], surfaces)
    asked = as_corpus(test, coding)
    mentions = asked.mentions()
    codes = surfaces.codes(asked.tokens, mentions.start, mentions.end)
    wanted = [naive_occurrences(train, tokens) for tokens in test]
    assert lexicon.occurrences(asked.tokens, mentions, codes).tolist() == wanted
    # a second time, from what was remembered
    assert lexicon.occurrences(asked.tokens, mentions, codes).tolist() == wanted


@pytest.mark.parametrize(
    ("train", "wanted", "times"),
    [
        # overlapping places count each
        ("a a a", "a a", 2),
        ("a b a b a", "a b a", 2),
        # not across a sentence boundary
        ("a b|a b", "b a", 0),
        # longer than the text; a token that training does not have
        ("a", "a a a", 0),
        ("a b", "a new", 0),
        ("a b", "new", 0),
        # annotated or not
        ("a b c", "b c", 1),
    ],
)
def test_occurrences_of_one_sequence(train: str, wanted: str, times: int) -> None:
    coding, surfaces = Coding(), Paths()
    lexicon = Lexicon.of([as_corpus([part.split() for part in train.split("|")], coding)], surfaces)
    asked = as_corpus([wanted.split()], coding)
    mentions = asked.mentions()
    codes = surfaces.codes(asked.tokens, mentions.start, mentions.end)
    assert lexicon.occurrences(asked.tokens, mentions, codes).tolist() == [times]


def test_counts_of_tokens_and_surfaces() -> None:
    coding, surfaces = Coding(), Paths()
    train = nerscope.Corpus.of(
        corpus("Ada/B-PER Lee/I-PER met Ada/B-PER", "Ada/B-LOC met Lee"), coding=coding
    )
    lexicon = Lexicon.of([train], surfaces)
    assert (lexicon.n_mentions, lexicon.n_tokens) == (3, 7)
    ada, lee, met = (int(code) for code in coding.tokens.encode(["Ada", "Lee", "met"]))
    assert [int(lexicon.token_counts[code]) for code in (ada, lee, met)] == [3, 2, 2]
    person, place = coding.labels.types.index("PER"), coding.labels.types.index("LOC")
    assert [int(lexicon.inside_counts[code, person]) for code in (ada, lee, met)] == [2, 1, 0]
    assert [int(lexicon.inside_counts[code, place]) for code in (ada, lee, met)] == [1, 0, 0]
    both = surfaces.codes(np.array([ada, lee]), np.array([0, 0]), np.array([1, 2]))
    assert lexicon.surface_counts[both][:, [person, place]].tolist() == [[1, 1], [1, 0]]


def test_training_data_without_mentions_has_empty_tables() -> None:
    coding, surfaces = Coding(), Paths()
    lexicon = Lexicon.of([nerscope.Corpus.of(corpus("a b"), coding=coding)], surfaces)
    assert (lexicon.n_mentions, lexicon.surface_counts.sum(), lexicon.inside_counts.sum()) == (
        0,
        0,
        0,
    )
