"""What training says of tokens and surfaces, against counting one by one."""

import dataclasses
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.scoring.toys import corpus

from nerscope.corpus.arrays import Ints, lookup
from nerscope.corpus.corpus import Coding, Corpus
from nerscope.corpus.lexicon import Lexicon, lexicon_of

Spans = list[tuple[int, int, str]]
words = st.lists(st.sampled_from("abc"), min_size=1, max_size=7)


@st.composite
def sentences_with_spans(draw: st.DrawFn) -> tuple[list[str], Spans]:
    """A sentence and some mentions in it, nested or not, each once."""
    tokens = draw(words)
    edges = st.lists(st.integers(0, len(tokens)), min_size=2, max_size=2, unique=True).map(sorted)
    pairs = draw(st.lists(edges, max_size=4))
    spans = [(start, end, draw(st.sampled_from("XY"))) for start, end in pairs]
    return tokens, list(dict.fromkeys(spans))


texts = st.lists(sentences_with_spans(), min_size=1, max_size=5)


def asked(lexicon: Lexicon, coding: Coding, sequences: list[list[str]]) -> Ints:
    """The surface codes of some sequences of tokens, -1 for the unknown ones."""
    items = coding.tokens.encode([word for sequence in sequences for word in sequence])
    sizes = np.array([len(sequence) for sequence in sequences], np.int64)
    ends = np.cumsum(sizes)
    return lexicon.surfaces.codes(items, ends - sizes, ends, grow=False)


def naive_occurrences(text: list[list[str]], wanted: list[str]) -> int:
    size = len(wanted)
    return sum(
        tokens[at : at + size] == wanted for tokens in text for at in range(len(tokens) - size + 1)
    )


@settings(max_examples=150, deadline=None)
@given(texts, st.lists(words, max_size=5))
def test_every_table_agrees_with_counting_one_by_one(
    train: list[Any], others: list[list[str]]
) -> None:
    coding = Coding()
    lexicon = lexicon_of(Corpus.of(train, coding=coding))
    types = coding.labels.types
    mentions = [(tokens[start:end], kind) for tokens, spans in train for start, end, kind in spans]
    surfaces = [surface for surface, _ in mentions]
    assert lexicon.n_mentions == len(mentions)
    assert lexicon.n_tokens == sum(len(tokens) for tokens, _ in train)
    every = [*surfaces, *others]
    codes = asked(lexicon, coding, every)
    text = [tokens for tokens, _ in train]
    for surface, code in zip(every, codes, strict=True):
        one = np.array([code])
        known = surface in surfaces
        occurrences = naive_occurrences(text, surface) if known else 0
        assert lookup(lexicon.occurrences, one).tolist() == [occurrences]
        assert lookup(lexicon.surface_totals, one).tolist() == [surfaces.count(surface)]
        by_type = lookup(lexicon.surface_counts, one)[0]
        for place, kind in enumerate(types):
            assert by_type[place] == mentions.count((surface, kind))
    for word in "abc":
        code = coding.tokens.encode([word])
        assert lookup(lexicon.token_counts, code).tolist() == [naive_occurrences(text, [word])]
        # a place counts once for each type around it, however many mentions it is in
        inside = {
            (number, place, kind)
            for number, (tokens, spans) in enumerate(train)
            for start, end, kind in spans
            for place in range(start, end)
            if tokens[place] == word
        }
        by_type = lookup(lexicon.inside_counts, code)[0]
        for place, kind in enumerate(types):
            assert by_type[place] == sum(own == kind for _, _, own in inside)
        places = {(number, place) for number, place, _ in inside}
        assert lookup(lexicon.inside_totals, code).tolist() == [len(places)]
        assert lookup(lexicon.inside_most, code).tolist() == [max(by_type.tolist(), default=0)]


@pytest.mark.parametrize(
    ("train", "wanted", "times"),
    [
        # overlapping places count each, annotated or not
        ("a/B-X a/I-X a", "a a", 2),
        ("a/B-X b/I-X a/I-X b a", "a b a", 2),
        ("a b/B-X c/I-X|b c|b", "b c", 2),
        # not across a sentence boundary
        ("b/B-X a/I-X|a b|a b", "b a", 1),
        # longer than other sentences; the rarest token decides where to look
        ("a/B-X a/I-X a/I-X|a|a a", "a a a", 1),
        ("of/B-X of/I-X Ghana/I-X|of of|of Ghana", "of of Ghana", 1),
    ],
)
def test_occurrences_of_one_surface(train: str, wanted: str, times: int) -> None:
    coding = Coding()
    lexicon = lexicon_of(Corpus.of(corpus(*train.split("|")), coding=coding))
    codes = asked(lexicon, coding, [wanted.split()])
    assert lexicon.occurrences[codes].tolist() == [times]


@pytest.mark.parametrize("wanted", ["a b", "new", "a new", "a a a", "b"])
def test_what_is_no_training_mention_is_unknown(wanted: str) -> None:
    coding = Coding()
    lexicon = lexicon_of(Corpus.of(corpus("a/B-X b a", "c/B-Y"), coding=coding))
    size = len(lexicon.surfaces)
    codes = asked(lexicon, coding, [wanted.split()])
    assert codes.tolist() == [-1] and len(lexicon.surfaces) == size
    for table in (lexicon.occurrences, lexicon.surface_totals):
        assert lookup(table, codes).tolist() == [0]
    assert lookup(lexicon.surface_counts, codes).tolist() == [[0, 0]]


def test_the_beginning_of_a_training_mention_has_counts_of_its_own() -> None:
    coding = Coding()
    lexicon = lexicon_of(Corpus.of(corpus("New/B-X York/I-X", "New"), coding=coding))
    codes = asked(lexicon, coding, [["New"], ["New", "York"]])
    assert lookup(lexicon.surface_totals, codes).tolist() == [0, 1]


def test_counts_of_tokens_and_surfaces() -> None:
    coding = Coding()
    text = corpus("Ada/B-PER Lee/I-PER met Ada/B-PER", "Ada/B-LOC met Lee")
    lexicon = lexicon_of(Corpus.of(text, coding=coding))
    assert (lexicon.n_mentions, lexicon.n_tokens) == (3, 7)
    ada, lee, met = (int(code) for code in coding.tokens.encode(["Ada", "Lee", "met"]))
    assert [int(lexicon.token_counts[code]) for code in (ada, lee, met)] == [3, 2, 2]
    person, place = coding.labels.types.index("PER"), coding.labels.types.index("LOC")
    assert [int(lexicon.inside_counts[code, person]) for code in (ada, lee, met)] == [2, 1, 0]
    assert [int(lexicon.inside_counts[code, place]) for code in (ada, lee, met)] == [1, 0, 0]
    assert [int(lexicon.inside_totals[code]) for code in (ada, lee, met)] == [3, 1, 0]
    assert [int(lexicon.inside_most[code]) for code in (ada, lee, met)] == [2, 1, 0]
    both = asked(lexicon, coding, [["Ada"], ["Ada", "Lee"]])
    assert lexicon.surface_counts[both][:, [person, place]].tolist() == [[1, 1], [1, 0]]
    assert lexicon.surface_totals[both].tolist() == [2, 1]
    assert lexicon.occurrences[both].tolist() == [3, 1]


@pytest.mark.parametrize(("repair", "mentions"), [("conlleval", 3), ("strict", 2), ("discard", 2)])
def test_training_mentions_are_read_by_the_repair_that_is_asked_for(
    repair: str, mentions: int
) -> None:
    text = corpus("Ada/B-PER met Lee/I-PER", "Ada/B-PER")
    assert lexicon_of(Corpus.of(text), repair).n_mentions == mentions


def test_training_data_without_mentions_has_empty_tables() -> None:
    lexicon = lexicon_of(Corpus.of(corpus("a b")))
    assert (lexicon.n_mentions, lexicon.surface_counts.sum(), lexicon.inside_counts.sum()) == (
        0,
        0,
        0,
    )
    assert len(lexicon.occurrences) == 0 and lexicon.inside_most.max() == 0


def test_a_lexicon_is_fixed_once_it_is_made() -> None:
    lexicon = lexicon_of(Corpus.of(corpus("a/B-X")))
    with pytest.raises(dataclasses.FrozenInstanceError):
        lexicon.n_tokens = 5  # type: ignore[misc]
