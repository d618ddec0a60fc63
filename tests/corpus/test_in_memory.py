"""Corpora of Python lists: what is accepted, what is refused, and how chunks and codings behave."""

import io
from collections import UserDict
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import nerscope
from nerscope.corpus.corpus import Coding, Corpus, join_chunks, label_error
from nerscope.corpus.schemes import scheme_named
from nerscope.errors import FormatError, InputError, UsageError
from nerscope.evaluation.task import runs_of
from nerscope.formats.base import open_source
from nerscope.formats.columns.conll import ConllFile

TOKENS, LABELS = ["Ada", "spoke", "here"], ["B-PER", "O", "O"]
A_NUMBER = "a token or label is a number"
NOT_A_STRING = "a token or label is not a string, or contains NUL or U+001F"


@pytest.mark.parametrize(
    "sentence",
    [
        # pairs of lists or tuples
        (TOKENS, LABELS),
        [TOKENS, LABELS],
        (tuple(TOKENS), tuple(LABELS)),
        # mappings, with other keys beside
        {"tokens": TOKENS, "labels": LABELS, "id": 7},
        UserDict({"tokens": iter(TOKENS), "labels": iter(LABELS)}),
    ],
)
def test_a_sentence_with_tokens_may_be_a_pair_or_a_mapping(sentence: Any) -> None:
    corpus = Corpus.of([sentence])
    assert corpus.words(0) == TOKENS
    assert corpus.mentions().start.tolist() == [0] and len(corpus) == 1 and corpus.n_tokens == 3


def test_a_sentence_may_be_labels_alone() -> None:
    corpus = Corpus.of(iter([["B-PER", "I-PER"], ("O",), ["O", "B-LOC"]]))
    assert len(corpus) == 3 and not len(corpus.tokens)
    assert corpus.starts.tolist() == [0, 2, 3, 5] and corpus.lines.tolist() == [1, 1, 2, 3, 3]


def test_tokens_are_dropped_if_one_sentence_has_none() -> None:
    corpus = Corpus.of([(TOKENS, LABELS), ["O"]])
    assert not len(corpus.tokens) and corpus.n_tokens == 4


def test_tokens_may_be_anything_that_is_text() -> None:
    words = ["#", '"', "NA", "", "a b", "\u00a0", "\u2028", "\x0c", "x" * 50]
    assert Corpus.of([(words, ["O"] * len(words))]).words(0) == words


def test_numpy_strings_are_strings() -> None:
    corpus = Corpus.of([(list(np.array(TOKENS)), list(np.array(LABELS)))])
    assert corpus.words(0) == TOKENS


@pytest.mark.parametrize(
    ("sentences", "place", "fact"),
    [
        # nothing
        ([], "<memory>", "the list of sentences is empty"),
        ([[]], "<memory>: sentence 1", "the sentence is empty"),
        ([(["a"], ["O"]), ([], [])], "<memory>: sentence 2", "the sentence is empty"),
        # mappings with other keys
        (
            [{"words": [], "tags": []}],
            "<memory>: sentence 1",
            "the sentence has the keys ['tags', 'words']",
        ),
        ([{"tokens": ["a"]}], "<memory>: sentence 1", "the sentence has the keys ['tokens']"),
        # lengths
        ([(["a", "b"], ["O"])], "<memory>: sentence 1", "2 tokens but 1 labels"),
        # what is no string
        ([(["a"], ["O", 1])], "<memory>: sentence 1", A_NUMBER),
        ([(["a\0"], ["O"])], "<memory>: sentence 1", NOT_A_STRING),
        ([(["a\x1f"], ["O"])], "<memory>: sentence 1", NOT_A_STRING),
        ([([b"a"], ["O"])], "<memory>: sentence 1", NOT_A_STRING),
        ([([None], ["O"])], "<memory>: sentence 1", NOT_A_STRING),
        ([[1, 2, 3]], "<memory>: sentence 1", A_NUMBER),
        ([(["a"], ["O"], ["NN"])], "<memory>: sentence 1", NOT_A_STRING),
        # labels
        (
            [["O"], ["O", "PER"]],
            "<memory>: sentence 2",
            "label 'PER' has no prefix such as B- or I-",
        ),
        ([["X-PER"]], "<memory>: sentence 1", "label 'X-PER' has an unknown prefix"),
        ([["O", ""]], "<memory>: sentence 1", "the label is empty"),
        (
            [("Ada spoke", "B-PER O")],
            "<memory>: sentence 1",
            "label 'Ada spoke' has no prefix such as B- or I-",
        ),
    ],
)
def test_each_refusal_names_the_sentence_and_the_fact(
    sentences: Any, place: str, fact: str
) -> None:
    with pytest.raises(InputError) as caught:
        Corpus.of(sentences)
    assert (caught.value.place, caught.value.fact) == (place, fact)
    assert caught.value.fix


@pytest.mark.parametrize("sentence", [None, 5, (["a"], None), {"tokens": None, "labels": ["O"]}])
def test_what_is_no_sentence_is_refused_with_its_number(sentence: Any) -> None:
    with pytest.raises(InputError, match=r"<memory>: sentence 2: .* Fix: "):
        Corpus.of([["O"], sentence])


def test_labels_without_prefix_are_accepted_where_the_scheme_says_so() -> None:
    assert Corpus.of([["PER", "PER", "O"]], scheme="io").mentions().end.tolist() == [2]
    assert Corpus.of([["NOUN", "VERB"]], scheme="token").mentions().end.tolist() == [1, 2]


@pytest.mark.parametrize(
    ("text", "fact"),
    [
        ("", "the label is empty"),
        ("PER", "label 'PER' has no prefix"),
        ("X-PER", "label 'X-PER' has an unknown prefix"),
    ],
)
def test_a_bad_label_is_a_format_error_at_its_place(text: str, fact: str) -> None:
    error = label_error("f.txt:3", text)
    assert (
        isinstance(error, FormatError)
        and str(error).startswith(f"f.txt:3: {fact}")
        and "Fix: " in str(error)
    )


def test_some_sentences_are_a_corpus_of_their_own() -> None:
    corpus = Corpus.of(
        [(["a", "b"], ["O", "B-X"]), (["c"], ["B-X"]), (["d", "e"], ["O", "O"])], name="m"
    )
    part = corpus.sentences(1, 3)
    assert [part.words(k) for k in range(len(part))] == [["c"], ["d", "e"]]
    assert part.starts.tolist() == [0, 1, 3] and part.place(0) == "m:2" and len(part.documents) == 2
    assert len(corpus.sentences(1, 1)) == 0
    again = join_chunks([corpus.sentences(0, 1), corpus.sentences(1, 3)])
    for field in ("tokens", "labels", "starts", "lines", "documents"):
        assert getattr(again, field).tolist() == getattr(corpus, field).tolist()


def test_what_was_noticed_goes_with_the_first_sentences_alone() -> None:
    corpus = Corpus.of([["B-X", "O"], ["O", "I-X"], ["I-X"]], scheme="bio")
    parts = [corpus.sentences(0, 1), corpus.sentences(1, 3)]
    faults = [part.reading_notes.transitions.faults(scheme_named("bio")) for part in parts]
    assert [len(found) for found in faults] == [2, 0]
    again = join_chunks(parts)
    assert again.reading_notes.transitions.faults(scheme_named("bio")) == faults[0]
    assert again.declared_scheme == corpus.declared_scheme == again.scheme == scheme_named("bio")


NESTED: Any = (["Bank", "of", "Ghana", "here"], [(2, 3, "LOC"), (0, 3, "ORG")])


def spans_of(corpus: Corpus) -> list[tuple[int, int, str]]:
    found = corpus.mentions()
    columns = (found.start.tolist(), found.end.tolist(), found.type.tolist())
    return [(a, b, corpus.coding.labels.types[kind]) for a, b, kind in zip(*columns, strict=True)]


@pytest.mark.parametrize(
    "sentence",
    [
        NESTED,
        list(NESTED),
        (NESTED[0], [list(span) for span in NESTED[1]]),
        {"tokens": NESTED[0], "spans": NESTED[1]},
        {"tokens": NESTED[0], "spans": iter(NESTED[1]), "id": 3},
    ],
)
def test_mentions_may_be_given_as_spans_and_may_be_nested(sentence: Any) -> None:
    corpus = Corpus.of([{"tokens": ["Ada"], "spans": [(0, 1, "PER")]}, sentence])
    assert corpus.words(1) == NESTED[0] and corpus.labels is None and not corpus.is_flat
    assert spans_of(corpus) == [(0, 1, "PER"), (1, 4, "ORG"), (3, 4, "LOC")]
    for repair in ("conlleval", "strict", "discard", "none"):
        assert corpus.mentions(repair).start.tolist() == [0, 1, 3]


@pytest.mark.parametrize(
    ("spans", "flat"),
    [
        ([], True),
        ([(0, 1, "X"), (1, 3, "X")], True),
        ([(0, 2, "X"), (1, 3, "X")], False),  # crossing
        ([(0, 3, "X"), (1, 2, "Y")], False),  # nested
        ([(0, 2, "X"), (0, 2, "Y")], False),  # the same span twice
    ],
)
def test_spans_are_flat_if_no_token_belongs_to_two(spans: list[Any], flat: bool) -> None:
    assert Corpus.of([(["a", "b", "c"], spans)]).is_flat == flat


def test_labels_are_always_flat_and_sentences_do_not_touch_each_other() -> None:
    assert Corpus.of([LABELS]).is_flat
    assert Corpus.of([{"tokens": ["a"], "spans": [(0, 1, "X")]}] * 2).is_flat


@pytest.mark.parametrize(
    ("sentences", "place", "fact"),
    [
        ([(["a"], [(0, 1)])], "<memory>: sentence 1", "(0, 1) is not a span"),
        ([(["a"], [5])], "<memory>: sentence 1", "5 is not a span"),
        ([(["a"], [("0", 1, "X")])], "<memory>: sentence 1", "('0', 1, 'X') is not a span"),
        ([(["a"], [(0, 1, "")])], "<memory>: sentence 1", "(0, 1, '') is not a span"),
        ([(["a"], [(0, 1, None)])], "<memory>: sentence 1", "(0, 1, None) is not a span"),
        *(
            (
                [(["a"], []), (["a", "b"], [(*span, "X")])],
                "<memory>: sentence 2",
                f"the span {span} is empty or outside the 2 tokens",
            )
            for span in ((-1, 1), (0, 3), (1, 1), (2, 1), (2, 3))
        ),
        ([{"tokens": [], "spans": []}], "<memory>: sentence 1", "the sentence is empty"),
        (
            [(["a"], ["O"]), (["a"], [(0, 1, "X")])],
            "<memory>",
            "some sentences have labels and others have spans",
        ),
    ],
)
def test_spans_that_cannot_be_are_refused_at_their_sentence(
    sentences: Any, place: str, fact: str
) -> None:
    with pytest.raises(InputError) as caught:
        Corpus.of(sentences)
    assert (caught.value.place, caught.value.fact) == (place, fact)
    assert caught.value.fix


def test_the_whole_numbers_of_numpy_are_whole_numbers_in_spans_too() -> None:
    corpus = Corpus.of([{"tokens": ["a", "b"], "spans": [(np.int64(0), np.int64(2), "X")]}])
    assert spans_of(corpus) == [(0, 2, "X")]


span_corpora = st.lists(
    st.tuples(st.integers(0, 3), st.integers(1, 3), st.sampled_from("XY")), max_size=4
).map(lambda spans: (list("abcdef"), [(start, start + size, kind) for start, size, kind in spans]))


@settings(max_examples=80, deadline=None)
@given(st.lists(span_corpora, min_size=1, max_size=5), st.data())
def test_spans_survive_being_cut_joined_and_recoded(sentences: Any, data: st.DataObject) -> None:
    corpus = Corpus.of(sentences)
    cut = data.draw(st.integers(1, len(corpus)))
    parts = [corpus.sentences(0, cut), corpus.sentences(cut, len(corpus))]
    assert spans_of(join_chunks(parts)) == spans_of(corpus)
    distinct = [span for _, spans in sentences[:cut] for span in set(spans)]
    assert len(parts[0].mentions()) == len(distinct)
    coding = Coding()
    Corpus.of([{"tokens": ["f", "e"], "spans": [(0, 1, "Z"), (1, 2, "Y")]}], coding=coding)
    moved = corpus.recoded(coding)
    assert spans_of(moved) == spans_of(corpus)
    assert [moved.words(k) for k in range(len(moved))] == [words for words, _ in sentences]


def test_all_sentences_as_text_are_their_words_joined() -> None:
    corpus = Corpus.of([(["Ada", "spoke", "Ada"], ["O"] * 3), (["here"], ["O"])])
    assert corpus.texts("_") == ["Ada_spoke_Ada", "here"]


def test_a_corpus_keeps_words_and_mentions_in_another_coding() -> None:
    coding = Coding()
    Corpus.of([(["b", "a", "x"], ["B-LOC", "I-LOC", "O"])], coding=coding)
    corpus = Corpus.of([(["a", "b"], ["B-PER", "B-LOC"])])
    moved = corpus.recoded(coding)
    assert moved.coding is coding and moved.words(0) == ["a", "b"]
    assert [coding.labels.types[k] for k in moved.mentions().type] == ["PER", "LOC"]
    assert moved.recoded(coding) is moved
    labels_only = Corpus.of([["B-LOC"]]).recoded(coding)
    assert not len(labels_only.tokens) and [
        coding.labels.types[k] for k in labels_only.mentions().type
    ] == ["LOC"]


GOLD = [(["Ada", "spoke"], ["B-PER", "O"]), (["in", "Oslo"], ["O", "B-LOC"])]
ONE = [["B-PER", "O"], ["O", "O"]]
SPANS = [(["Ada", "spoke"], [(0, 1, "PER")]), (["in", "Oslo"], [])]
RUN = __file__  # opening a source looks whether there is such a file, and reads nothing of it
LONGER = [["B-PER", "O", "O"], ["O", "O"], ["O"]]


@pytest.mark.parametrize(
    ("outputs", "expected"),
    [
        # one run: labels, pairs, mappings, a corpus, a path
        (ONE, ["1"]),
        (GOLD, ["1"]),
        ([{"tokens": ["a"], "labels": ["O"]}], ["1"]),
        (Corpus.of(GOLD), ["1"]),
        (RUN, ["1"]),
        (Path(RUN), ["1"]),
        (ConllFile(RUN), ["1"]),
        (io.StringIO("a O\n"), ["1"]),
        # several runs: lists of any of them
        ([RUN, RUN], ["1", "2"]),
        ((Path(RUN), ConllFile(RUN)), ["1", "2"]),
        ([Corpus.of(GOLD), Corpus.of(GOLD), Corpus.of(GOLD)], ["1", "2", "3"]),
        ([io.StringIO("a O\n"), io.BytesIO(b"a O\n")], ["1", "2"]),
        ([GOLD, GOLD], ["1", "2"]),
        (SPANS, ["1"]),
        ([SPANS, SPANS], ["1", "2"]),
        ([[{"tokens": ["a"], "labels": ["O"]}], [{"tokens": ["a"], "labels": ["O"]}]], ["1", "2"]),
        ([LONGER, LONGER], ["1", "2"]),
        ([[["O", "O"]], [["O", "O"]]], ["1", "2"]),
        ([[["O", "O"], ["O"]], [["O", "O"], ["O"]]], ["1", "2"]),
    ],
)
def test_runs_are_told_from_sentences(outputs: Any, expected: list[str]) -> None:
    runs = runs_of({"s": outputs})
    assert [(run.system, run.number) for run in runs] == [("s", number) for number in expected]


def test_runs_of_several_systems_are_numbered_apart() -> None:
    files = [ConllFile(f"{number}.txt") for number in (1, 2, 3)]
    runs = runs_of({"a": files[:2], "b": files[2]})
    assert [(run.system, run.number, run.source.name) for run in runs] == [
        ("a", "1", "1.txt"),
        ("a", "2", "2.txt"),
        ("b", "1", "3.txt"),
    ]


def test_several_runs_of_labels_alone_are_scored_one_by_one() -> None:
    results = nerscope.evaluate(
        [LABELS, ["O"], ["B-PER"]], {"s": [[LABELS, ["O"], ["O"]], [LABELS, ["O"], ["B-PER"]]]}
    )
    assert [row["value"] for row in results.select(metric="recall", match="exact", type=None)] == [
        0.5,
        1.0,
        0.75,
    ]


def test_several_runs_of_two_equally_long_sentences_are_several_runs() -> None:
    gold = [["B-PER", "O"], ["O", "B-PER"]]
    results = nerscope.evaluate(gold, {"s": [gold, gold]})
    assert {row["run"] for row in results.rows} == {"1", "2", None}
    assert results.value(metric="recall") == 1.0


@pytest.mark.parametrize(
    ("systems", "place", "fact"),
    [
        ({}, "systems", "no system is given"),
        ({"bert": ONE, "Bert": ONE}, "system 'Bert'", "another system has the name 'bert'"),
    ],
)
def test_systems_need_names_that_differ_by_more_than_case(
    systems: dict[str, Any], place: str, fact: str
) -> None:
    with pytest.raises(UsageError) as caught:
        runs_of(systems)
    assert (caught.value.place, caught.value.fact) == (place, fact)


def test_what_is_no_corpus_is_refused_by_its_kind() -> None:
    with pytest.raises(InputError, match="<memory>: a int is not a corpus"):
        open_source(5)  # type: ignore[arg-type]


def test_labels_alone_can_be_held_against_a_file_with_any_tokens(tmp_path: Path) -> None:
    path = tmp_path / "s.txt"
    path.write_text("Ada B-PER\nspoke O\n")
    results = nerscope.evaluate([["B-PER", "O"]], {"s": ConllFile(path, tokens="any")})
    assert results.value(metric="f1") == 1.0


@pytest.mark.parametrize("side", ["gold", "train"])
def test_facets_of_tokens_ask_for_tokens(side: str) -> None:
    gold: Any = [["B-PER", "O"]] if side == "gold" else [(["Ada", "spoke"], ["B-PER", "O"])]
    train: Any = [["B-PER", "O"]] if side == "train" else [(["Ada", "spoke"], ["B-PER", "O"])]
    with pytest.raises(InputError, match="token"):
        nerscope.evaluate(gold, {"s": [["B-PER", "O"]]}, train=train)
