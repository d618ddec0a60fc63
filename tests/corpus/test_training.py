"""Training data in chunks: the same lexicon, code for code, however it is cut."""

import dataclasses
from collections.abc import Iterator
from functools import partial
from itertools import pairwise
from unittest import mock

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nerscope.corpus.arrays import Ints
from nerscope.corpus.corpus import Coding, Corpus, ParsedSentence, build_corpus, join_chunks
from nerscope.corpus.lexicon import Lexicon, count_occurrences, lexicon_of, read_training
from nerscope.corpus.mentions import PLAIN, Shape
from nerscope.corpus.schemes import SCHEMES
from nerscope.corpus.vocabulary import SequenceTrie

WORDS = ("a", "b", "c", "a-word-of-many-letters", "another-word-of-many")
LABELS = ("O", "B-X", "I-X", "B-Y", "I-Y", "B-Z")


@st.composite
def sentences_with_labels(draw: st.DrawFn) -> ParsedSentence:
    tokens = draw(st.lists(st.sampled_from(WORDS), min_size=1, max_size=6))
    labels = [draw(st.sampled_from(LABELS)) for _ in tokens]
    return ParsedSentence(tokens, labels, [], 0, len(tokens))


@st.composite
def sentences_with_spans(draw: st.DrawFn) -> ParsedSentence:
    """A sentence and mentions in it: nested, crossing, equal, with holes."""
    tokens = draw(st.lists(st.sampled_from(WORDS), min_size=1, max_size=6))
    spans = []
    for start in draw(st.lists(st.integers(0, len(tokens) - 1), max_size=4)):
        end = draw(st.integers(start + 1, len(tokens)))
        spans.append((start, end, draw(st.sampled_from("XYZ"))))
    spans.sort()
    shapes = [
        Shape(((1, 2),)) if end - start > 2 and draw(st.booleans()) else PLAIN
        for start, end, _ in spans
    ]
    return ParsedSentence(tokens, None, spans, 0, len(tokens), shapes)


texts = st.one_of(
    st.lists(sentences_with_labels(), min_size=1, max_size=8),
    st.lists(sentences_with_spans(), min_size=1, max_size=8),
)


def read(parts: list[ParsedSentence], cuts: list[int], coding: Coding) -> Iterator[Corpus]:
    """Chunks whose codes grow while they are read, as those of files do."""
    for begin, end in pairwise([0, *cuts, len(parts)]):
        yield build_corpus(parts[begin:end], "train", coding)


def assert_same(one: Lexicon, other: Lexicon) -> None:
    for each in dataclasses.fields(Lexicon):
        left, right = getattr(one, each.name), getattr(other, each.name)
        if isinstance(left, SequenceTrie):
            left, right = (
                [paths.sequence(code) for code in range(len(paths))] for paths in (left, right)
            )
        assert np.array_equal(left, right) if isinstance(left, np.ndarray) else left == right


@settings(max_examples=200, deadline=None)
@given(texts, st.data(), st.sampled_from([0, 5, 1000]))
def test_any_cut_gives_the_lexicon_of_the_whole(
    parts: list[ParsedSentence], data: st.DataObject, held: int
) -> None:
    inner = st.sets(st.integers(1, len(parts) - 1)) if len(parts) > 1 else st.just(set[int]())
    cuts = sorted(data.draw(inner))
    repair = data.draw(st.sampled_from(["conlleval", "strict", "discard"]))
    coding = Coding()
    with mock.patch("nerscope.corpus.lexicon._MOST_HELD", held):
        training = read_training(partial(read, parts, cuts, coding), repair)
    whole = join_chunks(list(read(parts, cuts, coding)))
    assert_same(training.lexicon, lexicon_of(whole, repair))
    assert training.scheme == whole.scheme
    assert training.all_notes.transitions.scheme() == whole.scheme


@settings(max_examples=150, deadline=None)
@given(texts)
def test_paths_are_counted_wherever_they_stand(parts: list[ParsedSentence]) -> None:
    whole = build_corpus(parts, "train", Coding())
    mentions = whole.mentions()
    paths = SequenceTrie()
    codes = paths.codes(whole.tokens, mentions.start, mentions.end)
    found = count_occurrences(paths, [(whole.tokens, whole.starts)])
    sentences = [whole.tokens[low:high].tolist() for low, high in pairwise(whole.starts.tolist())]
    for code in np.unique(codes).tolist():
        path = paths.sequence(code)
        naive = sum(
            sentence[at : at + len(path)] == path
            for sentence in sentences
            for at in range(len(sentence))
        )
        assert found[code] == naive


@settings(max_examples=100, deadline=None)
@given(st.lists(st.lists(st.integers(0, 9), min_size=1, max_size=5)))
def test_paths_are_spelt_as_they_were_given(sequences: list[list[int]]) -> None:
    sizes = np.array([len(one) for one in sequences], np.int64)
    items: Ints = np.array([item for one in sequences for item in one], np.int64)
    ends = np.cumsum(sizes)
    paths = SequenceTrie()
    spelt, starts, stops = paths.sequences(paths.codes(items, ends - sizes, ends))
    assert spelt.tolist() == items.tolist()
    assert (starts.tolist(), stops.tolist()) == ((ends - sizes).tolist(), ends.tolist())


def test_what_was_noticed_is_told_by_file() -> None:
    coding = Coding()
    one = Corpus.of([(["a", "b"], ["O", "I-X"])], name="a.conll", coding=coding)
    other = Corpus.of([(["a"], ["B-X"])], name="b.conll", coding=coding)
    training = read_training(lambda: [one, other, one])
    assert list(training.notes_by_file) == ["a.conll", "b.conll"]
    assert [fault.times for fault in training.all_notes.transitions.faults(SCHEMES["bio"])] == [2]


@pytest.mark.parametrize(("repair", "mentions"), [("conlleval", 5), ("strict", 3), ("discard", 3)])
def test_the_scheme_of_all_chunks_says_what_is_repaired(repair: str, mentions: int) -> None:
    # Alone, the first chunk would be io, in which I-X may open a mention.
    coding = Coding()
    first = Corpus.of([(["a", "b"], ["O", "I-X"])], coding=coding)
    more = [(["a", "b", "c"], ["B-X", "I-X", "O"])] * 3
    second = Corpus.of([*more, (["c"], ["I-X"])], coding=coding)
    training = read_training(lambda: [first, second], repair)
    assert training.scheme.name == "bio"
    assert training.lexicon.n_mentions == mentions
