"""Labels to mentions under every repair, by hand; and back, for every scheme."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nerscope.corpus.corpus import Corpus
from nerscope.corpus.mentions import (
    NO_MENTIONS,
    REPAIRS,
    Mentions,
    check_repair,
    count_merged_by_io,
    decode,
    encode,
    roles_and_types,
)
from nerscope.corpus.schemes import BEGIN, INSIDE, OUTSIDE, SCHEMES, LabelCodes, scheme_named
from nerscope.errors import UsageError

Spans = list[tuple[int, int, str]]


def spans(mentions: Mentions, types: list[str]) -> Spans:
    columns = (mentions.start.tolist(), mentions.end.tolist(), mentions.type.tolist())
    return [(start, end, types[kind]) for start, end, kind in zip(*columns, strict=True)]


def decoded(sentences: str, repair: str, scheme: str | None = None) -> Spans:
    """Sentences are divided by |."""
    corpus = Corpus.of([sentence.split() for sentence in sentences.split("|")], scheme=scheme)
    return spans(corpus.mentions(repair), corpus.coding.labels.types)


CONLLEVAL = [
    # BIO: B opens, I continues its own type and opens after anything else
    ("bio", "O O", []),
    ("bio", "B-X I-X O", [(0, 2, "X")]),
    ("bio", "B-X B-X", [(0, 1, "X"), (1, 2, "X")]),
    ("bio", "O I-X I-X", [(1, 3, "X")]),
    ("bio", "B-X I-Y", [(0, 1, "X"), (1, 2, "Y")]),
    ("bio", "I-X B-X I-X", [(0, 1, "X"), (1, 3, "X")]),
    ("bio", "B-X | I-X", [(0, 1, "X"), (1, 2, "X")]),  # nothing crosses a sentence boundary
    ("bio", "B-a-b I-a-c I-a-c", [(0, 1, "a-b"), (1, 3, "a-c")]),
    # IOB1: B only between neighbours of one type
    ("iob1", "I-X I-X B-X O", [(0, 2, "X"), (2, 3, "X")]),
    ("iob1", "I-X I-Y B-Y", [(0, 1, "X"), (1, 2, "Y"), (2, 3, "Y")]),
    ("iob1", "O B-X", [(1, 2, "X")]),
    # IO: neighbours of one type are one mention; labels may be bare
    ("io", "I-X I-X O I-Y", [(0, 2, "X"), (3, 4, "Y")]),
    ("io", "X X Y O X", [(0, 2, "X"), (2, 3, "Y"), (4, 5, "X")]),
    # BIOES: E and S close, whatever follows
    ("bioes", "B-X I-X E-X S-Y", [(0, 3, "X"), (3, 4, "Y")]),
    ("bioes", "S-X I-X E-X", [(0, 1, "X"), (1, 3, "X")]),
    ("bioes", "B-X E-X E-X", [(0, 2, "X"), (2, 3, "X")]),
    ("bioes", "E-X O E-X", [(0, 1, "X"), (2, 3, "X")]),
    ("bioes", "B-X O", [(0, 1, "X")]),
    ("bioes", "B-X S-X", [(0, 1, "X"), (1, 2, "X")]),
    ("bioes", "B-X E-Y", [(0, 1, "X"), (1, 2, "Y")]),
    # BILOU and BMES are the same with other letters
    ("bilou", "B-X I-X L-X U-X U-X", [(0, 3, "X"), (3, 4, "X"), (4, 5, "X")]),
    ("bilou", "L-X I-X", [(0, 1, "X"), (1, 2, "X")]),
    ("bmes", "B-X M-X M-X E-X S-X", [(0, 4, "X"), (4, 5, "X")]),
    ("bmes", "M-X E-X M-X", [(0, 2, "X"), (2, 3, "X")]),
    ("bmeow", "B-X M-X E-X W-X W-X O W-Y", [(0, 3, "X"), (3, 4, "X"), (4, 5, "X"), (6, 7, "Y")]),
    ("bmeow", "W-X M-X", [(0, 1, "X"), (1, 2, "X")]),
    # token: each token for itself
    ("token", "X X O Y", [(0, 1, "X"), (1, 2, "X"), (3, 4, "Y")]),
    ("token", "B-X I-X", [(0, 1, "B-X"), (1, 2, "I-X")]),
]


@pytest.mark.parametrize(("scheme", "labels", "expected"), CONLLEVAL)
def test_conlleval_reading_by_hand(scheme: str, labels: str, expected: Spans) -> None:
    assert decoded(labels, "conlleval", scheme) == expected


@pytest.mark.parametrize(("scheme", "labels", "expected"), CONLLEVAL)
def test_the_repair_none_reads_as_conlleval_does(scheme: str, labels: str, expected: Spans) -> None:
    assert decoded(labels, "none", scheme) == expected


@pytest.mark.parametrize(
    ("scheme", "labels", "expected"),
    [
        # BIO: only B opens; what follows takes its type; a stray I is O
        ("bio", "B-X I-X O", [(0, 2, "X")]),
        ("bio", "O I-X I-X", []),
        ("bio", "B-X I-Y I-X", [(0, 3, "X")]),
        ("bio", "I-X B-X I-X", [(1, 3, "X")]),
        ("bio", "B-X | I-X", [(0, 1, "X")]),
        ("bio", "B-X O I-X", [(0, 1, "X")]),
        ("bio", "I-X | B-Y", [(1, 2, "Y")]),
        # IOB1 and IO: I opens there, so nothing is stray
        ("iob1", "I-X I-X B-X", [(0, 2, "X"), (2, 3, "X")]),
        ("iob1", "O I-X I-Y | I-Y", [(1, 2, "X"), (2, 3, "Y"), (3, 4, "Y")]),
        ("iob1", "O B-X I-X", [(1, 3, "X")]),
        ("io", "I-X I-X", [(0, 2, "X")]),
        ("io", "X Y O", [(0, 1, "X"), (1, 2, "Y")]),
        # schemes with an end: S opens, too; what follows an end or a single is stray
        ("bioes", "B-X I-X E-X S-Y", [(0, 3, "X"), (3, 4, "Y")]),
        ("bioes", "B-X E-Y", [(0, 2, "X")]),
        ("bioes", "S-X I-X E-X", [(0, 1, "X")]),
        ("bioes", "B-X E-X E-X O", [(0, 2, "X")]),
        ("bioes", "E-X O I-X", []),
        ("bioes", "B-X O", [(0, 1, "X")]),
        ("bilou", "B-X I-X L-X I-X", [(0, 3, "X")]),
        ("bilou", "U-X L-X", [(0, 1, "X")]),
        ("bmes", "B-X M-X M-Y E-X S-X", [(0, 4, "X"), (4, 5, "X")]),
        ("bmes", "M-X E-X", []),
        ("bmeow", "W-X E-X M-X B-X E-X", [(0, 1, "X"), (3, 5, "X")]),
        ("token", "X X O", [(0, 1, "X"), (1, 2, "X")]),
    ],
)
def test_strict_reading_by_hand(scheme: str, labels: str, expected: Spans) -> None:
    assert decoded(labels, "strict", scheme) == expected


@pytest.mark.parametrize(
    ("scheme", "labels", "expected"),
    [
        # BIO: a mention with a stray label is dropped, its neighbours stay
        ("bio", "B-X I-X O I-X", [(0, 2, "X")]),
        ("bio", "B-X I-Y", [(0, 1, "X")]),
        ("bio", "I-X B-X | I-X", [(1, 2, "X")]),
        # IOB1: B must separate something
        ("iob1", "O B-X I-X", []),
        ("iob1", "I-X B-X I-Y", [(0, 1, "X"), (1, 2, "X"), (2, 3, "Y")]),
        # IO forbids nothing
        ("io", "I-X I-Y O I-X", [(0, 1, "X"), (1, 2, "Y"), (3, 4, "X")]),
        # schemes with an end: what is not closed is dropped, too
        ("bioes", "B-X E-X B-X O", [(0, 2, "X")]),
        ("bioes", "B-X | S-X", [(1, 2, "X")]),
        ("bioes", "I-X E-X S-Y", [(2, 3, "Y")]),
        ("bioes", "B-X E-Y", []),
        ("bilou", "B-X B-X L-X U-X", [(1, 3, "X"), (3, 4, "X")]),
        ("bilou", "U-X L-X", [(0, 1, "X")]),
        ("bmes", "B-X M-X E-X M-X", [(0, 3, "X")]),
        ("bmeow", "W-X M-X B-X W-X", [(0, 1, "X"), (3, 4, "X")]),
        ("token", "X X", [(0, 1, "X"), (1, 2, "X")]),
    ],
)
def test_discarding_by_hand(scheme: str, labels: str, expected: Spans) -> None:
    assert decoded(labels, "discard", scheme) == expected


def test_discarding_follows_the_scheme_that_was_found() -> None:
    # Mostly IOB1, so the one B that separates nothing is what is wrong.
    assert decoded("I-X B-X | I-X | O B-X", "discard") == [(0, 1, "X"), (1, 2, "X"), (2, 3, "X")]


@pytest.mark.parametrize(
    ("labels", "strict", "discard"),
    [
        # no B anywhere: this is IO, and valid
        ("O I-X I-X", [(1, 3, "X")], [(1, 3, "X")]),
        # B where it separates: this is IOB1
        ("O I-X B-X", [(1, 2, "X"), (2, 3, "X")], [(1, 2, "X"), (2, 3, "X")]),
        # B where nothing is to be separated: BIO, and the orphan is stray
        ("B-X I-X O B-X O I-X", [(0, 2, "X"), (3, 4, "X")], [(0, 2, "X"), (3, 4, "X")]),
        # an end marks a scheme with ends
        ("B-X E-X O I-X", [(0, 2, "X")], [(0, 2, "X")]),
    ],
)
def test_a_repair_follows_the_scheme_that_was_found(
    labels: str, strict: Spans, discard: Spans
) -> None:
    assert decoded(labels, "strict") == strict
    assert decoded(labels, "discard") == discard


def test_a_part_of_a_corpus_can_be_read_in_the_scheme_of_the_whole() -> None:
    corpus = Corpus.of([["B-X", "I-X"], ["I-X", "O"]])
    part = corpus.sentences(1, 2)
    assert len(part.mentions("strict", corpus.scheme)) == 0
    assert len(part.mentions("strict", scheme_named("io"))) == 1
    assert len(part.mentions("conlleval", corpus.scheme)) == 1


@pytest.mark.parametrize("name", ["conleval", "", "STRICT"])
def test_an_unknown_repair_is_refused_with_those_there_are(name: str) -> None:
    with pytest.raises(UsageError, match=f"unknown repair '{name}'.*conlleval, discard, none"):
        check_repair(name)


@pytest.mark.parametrize("repair", REPAIRS)
def test_nothing_is_read_from_no_labels(repair: str) -> None:
    nothing = np.zeros(0, np.int64)
    assert (
        len(decode(nothing, np.zeros(1, np.int64), LabelCodes(), repair, scheme_named("bioes")))
        == 0
    )


@st.composite
def laid_out_mentions(draw: st.DrawFn, touching: bool = True) -> tuple[list[int], Spans]:
    """Sentence lengths, and mentions in them that do not overlap."""
    lengths, found, offset = [], Spans(), 0
    for _ in range(draw(st.integers(1, 4))):
        at = 0
        for _ in range(draw(st.integers(0, 4))):
            gap = draw(st.integers(0 if touching or not at else 1, 2))
            size = draw(st.integers(1, 3))
            found.append(
                (
                    offset + at + gap,
                    offset + at + gap + size,
                    draw(st.sampled_from(["X", "Y", "creative-work"])),
                )
            )
            at += gap + size
        length = at + draw(st.integers(0 if at else 1, 2))
        lengths.append(length)
        offset += length
    return lengths, found


def encoded_and_decoded(
    lengths: list[int], given_spans: Spans, scheme: str, repair: str
) -> tuple[Spans, list[str]]:
    labels = LabelCodes()
    mentions = Mentions(
        np.array([start for start, _, _ in given_spans], np.int64),
        np.array([end for _, end, _ in given_spans], np.int64),
        np.array([labels.type_code(kind) for _, _, kind in given_spans], np.int64),
    )
    starts = np.concatenate([[0], np.cumsum(lengths)])
    codes = encode(mentions, starts, labels, scheme_named(scheme))
    texts = [labels.texts_in(scheme_named(scheme))[code] for code in codes]
    return spans(decode(codes, starts, labels, repair, scheme_named(scheme)), labels.types), texts


EXACT_SCHEMES = ["bio", "iob1", "bioes", "bilou", "bmes", "bmeow"]


@pytest.mark.parametrize("scheme", EXACT_SCHEMES)
@settings(max_examples=80, deadline=None)
@given(case=laid_out_mentions())
def test_what_a_scheme_spells_is_read_back_as_it_was(
    scheme: str, case: tuple[list[int], Spans]
) -> None:
    for repair in REPAIRS:
        found, texts = encoded_and_decoded(*case, scheme, repair)
        assert found == case[1], texts


@pytest.mark.parametrize("scheme", [*EXACT_SCHEMES, "io"])
@pytest.mark.parametrize("told", [True, False])
@settings(max_examples=40, deadline=None)
@given(data=st.data())
def test_the_same_mentions_in_any_scheme_are_read_alike_under_every_repair(
    scheme: str, told: bool, data: st.DataObject
) -> None:
    lengths, wanted = data.draw(laid_out_mentions(touching=scheme != "io"))
    _, texts = encoded_and_decoded(lengths, wanted, scheme, "conlleval")
    ends = np.cumsum(lengths).tolist()
    written = [texts[end - size : end] for end, size in zip(ends, lengths, strict=True)]
    corpus = Corpus.of(written, scheme=scheme if told else None)
    for repair in REPAIRS:
        assert spans(corpus.mentions(repair), corpus.coding.labels.types) == wanted, repair


@settings(max_examples=80, deadline=None)
@given(case=laid_out_mentions(touching=False))
def test_io_is_read_back_as_it_was_where_mentions_do_not_touch(
    case: tuple[list[int], Spans],
) -> None:
    assert encoded_and_decoded(*case, "io", "conlleval")[0] == case[1]


@settings(max_examples=80, deadline=None)
@given(case=laid_out_mentions())
def test_io_loses_exactly_the_mentions_that_are_counted_as_melted(
    case: tuple[list[int], Spans],
) -> None:
    lengths, found = case
    names = ["X", "Y", "creative-work"]
    mentions = Mentions(
        np.array([start for start, _, _ in found], np.int64),
        np.array([end for _, end, _ in found], np.int64),
        np.array([names.index(kind) for _, _, kind in found], np.int64),
    )
    melted = count_merged_by_io(mentions, np.concatenate([[0], np.cumsum(lengths)]))
    assert len(encoded_and_decoded(lengths, found, "io", "conlleval")[0]) == len(found) - melted


@pytest.mark.parametrize("scheme", [name for name in SCHEMES if name != "token"])
@settings(max_examples=40, deadline=None)
@given(case=laid_out_mentions())
def test_what_a_scheme_spells_breaks_none_of_its_rules(
    scheme: str, case: tuple[list[int], Spans]
) -> None:
    lengths, _ = case
    _, texts = encoded_and_decoded(*case, scheme, "conlleval")
    ends = np.cumsum(lengths).tolist()
    corpus = Corpus.of(
        [texts[end - size : end] for end, size in zip(ends, lengths, strict=True)], scheme=scheme
    )
    assert corpus.reading_notes.transitions.faults(scheme_named(scheme)) == []


def test_each_scheme_spells_by_hand() -> None:
    lengths, given_spans = [6, 1], [(0, 3, "X"), (3, 4, "X"), (4, 5, "Y"), (6, 7, "X")]
    expected = {
        "bio": "B-X I-X I-X B-X B-Y O B-X",
        "iob1": "I-X I-X I-X B-X I-Y O I-X",
        "io": "I-X I-X I-X I-X I-Y O I-X",
        "bioes": "B-X I-X E-X S-X S-Y O S-X",
        "bilou": "B-X I-X L-X U-X U-Y O U-X",
        "bmes": "B-X M-X E-X S-X S-Y O S-X",
        "bmeow": "B-X M-X E-X W-X W-Y O W-X",
        "token": "X X X X Y O X",
    }
    found = {
        scheme: " ".join(encoded_and_decoded(lengths, given_spans, scheme, "conlleval")[1])
        for scheme in SCHEMES
    }
    assert found == expected


def test_mentions_are_chosen_and_placed() -> None:
    mentions = Mentions(np.array([0, 2, 5]), np.array([1, 4, 6]), np.array([0, 1, 0]))
    assert mentions.sentences(np.array([0, 2, 5, 6])).tolist() == [0, 1, 2]
    assert spans(mentions[np.array([2, 0])], ["X", "Y"]) == [(5, 6, "X"), (0, 1, "X")]
    assert len(mentions[np.array([False, True, False])]) == 1


def test_flat_spans_are_written_as_bio_would() -> None:
    corpus = Corpus.of([{"tokens": list("abcd"), "spans": [(0, 2, "X"), (2, 3, "X")]}])
    role, kind = corpus.roles_and_types()
    assert role.tolist() == [BEGIN, INSIDE, BEGIN, OUTSIDE] and kind.tolist() == [0, 0, 0, -1]
    labelled = Corpus.of([["B-X", "I-X", "B-X", "O"]])
    assert [part.tolist() for part in labelled.roles_and_types()] == [role.tolist(), kind.tolist()]


def test_nothing_is_spelt_of_no_mentions() -> None:
    role, kind = roles_and_types(NO_MENTIONS, np.array([0, 2]), scheme_named("bioes"))
    assert role.tolist() == [OUTSIDE] * 2 and kind.tolist() == [-1, -1]
    assert len(NO_MENTIONS) == 0 and NO_MENTIONS.are_flat


def test_mentions_in_order_are_sorted_by_start_end_and_type() -> None:
    mentions = Mentions(np.array([2, 0, 0, 0]), np.array([3, 2, 1, 2]), np.array([0, 1, 0, 0]))
    assert spans(mentions.in_order(), ["X", "Y"]) == [
        (0, 1, "X"),
        (0, 2, "X"),
        (0, 2, "Y"),
        (2, 3, "X"),
    ]
