"""Labels, which label may follow which, and how a scheme is told by looking."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nerscope.corpus.corpus import Corpus
from nerscope.corpus.schemes import (
    ALIASES,
    BEGIN,
    END,
    INSIDE,
    OUTSIDE,
    SCHEMES,
    SINGLE,
    Fault,
    Label,
    Labels,
    Transitions,
    forbidden,
    parse_label,
    scheme_named,
)
from nerscope.errors import UsageError


def corpus(*sentences: str, scheme: str | None = None) -> Corpus:
    return Corpus.of([sentence.split() for sentence in sentences], scheme=scheme)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # every prefix has a role
        ("O", Label(OUTSIDE, "")),
        ("B-PER", Label(BEGIN, "PER")),
        ("I-PER", Label(INSIDE, "PER")),
        ("M-PER", Label(INSIDE, "PER")),
        ("E-PER", Label(END, "PER")),
        ("L-PER", Label(END, "PER")),
        ("S-PER", Label(SINGLE, "PER")),
        ("U-PER", Label(SINGLE, "PER")),
        # only the first dash splits
        ("B-creative-work", Label(BEGIN, "creative-work")),
        ("B--", Label(BEGIN, "-")),
        ("I-B-PER", Label(INSIDE, "B-PER")),
        ("B-é", Label(BEGIN, "é")),
        # no label: no prefix, unknown prefix, no type, nothing at all, another case
        ("PER", None),
        ("X-PER", None),
        ("BI-PER", None),
        ("B-", None),
        ("-PER", None),
        ("B", None),
        ("", None),
        ("o", None),
        ("b-PER", None),
    ],
)
def test_a_label_is_a_prefix_and_a_type(text: str, expected: Label | None) -> None:
    assert parse_label(text) == expected


@pytest.mark.parametrize(
    ("text", "bare", "expected"),
    [
        # io: bare labels are inside, prefixes still count
        ("PER", INSIDE, Label(INSIDE, "PER")),
        ("I-PER", INSIDE, Label(INSIDE, "PER")),
        ("creative-work", INSIDE, Label(INSIDE, "creative-work")),
        # token: every label is a type of its own, prefix or not
        ("NOUN", SINGLE, Label(SINGLE, "NOUN")),
        ("B-PER", SINGLE, Label(SINGLE, "B-PER")),
        # O and the empty label stay what they are
        ("O", SINGLE, Label(OUTSIDE, "")),
        ("", INSIDE, None),
    ],
)
def test_labels_without_a_prefix_are_read_where_the_scheme_allows_them(
    text: str, bare: int, expected: Label | None
) -> None:
    assert parse_label(text, bare) == expected


@pytest.mark.parametrize(
    ("alias", "name"), [*ALIASES.items(), *((name.upper(), name) for name in SCHEMES)]
)
def test_schemes_have_other_names_and_any_case(alias: str, name: str) -> None:
    assert scheme_named(alias).name == scheme_named(alias.title()).name == name


def test_an_unknown_scheme_is_refused_with_the_closest_one() -> None:
    with pytest.raises(
        UsageError, match=r"no tagging scheme is called 'biose'.*did you mean 'bioes'"
    ):
        scheme_named("biose")


@pytest.mark.parametrize(
    ("sentences", "expected"),
    [
        # every scheme by a letter or a transition of its own
        (["B-PER I-PER O"], "bio"),
        (["O I-PER B-PER"], "iob1"),
        (["I-PER I-PER O"], "io"),
        (["B-PER E-PER S-LOC"], "bioes"),
        (["B-PER L-PER U-LOC"], "bilou"),
        (["B-PER M-PER E-PER S-LOC"], "bmes"),
        # one letter is enough
        (["S-PER"], "bioes"),
        (["B-PER I-PER E-PER"], "bioes"),
        (["U-PER"], "bilou"),
        (["B-PER L-PER"], "bilou"),
        (["M-PER"], "bmes"),
        # ambiguous: a file without mentions, and one with B alone, count as bio; one with I alone
        # as io
        (["O O"], "bio"),
        (["B-PER O"], "bio"),
        (["I-PER O", "O I-LOC"], "io"),
        # B and I: the scheme that is broken less often; bio if both are broken equally
        (["B-PER I-PER", "B-PER O", "O I-PER"], "bio"),
        (["I-PER B-PER", "I-PER O", "O B-PER"], "iob1"),
        (["O B-PER", "O I-PER"], "bio"),
        # a type that looks like a prefix says nothing
        (["B-E I-E", "B-S-M O"], "bio"),
    ],
)
def test_the_scheme_is_told_by_looking(sentences: list[str], expected: str) -> None:
    assert corpus(*sentences).column.scheme.name == expected


def test_a_scheme_that_is_given_is_not_told_by_looking() -> None:
    assert corpus("B-PER I-PER", scheme="IOBES").column.scheme.name == "bioes"


BIO = ["O", "B-X", "I-X", "B-Y", "I-Y"]
BIOES = ["O", "B-X", "I-X", "E-X", "S-X", "B-Y", "I-Y", "E-Y", "S-Y"]


@pytest.mark.parametrize(
    ("scheme", "allowed"),
    [
        # rows: the label before (O is the sentence start, too); what may follow it (O is the
        # sentence end, too)
        (
            "bio",
            {
                "O": "O B-X B-Y",
                "B-X": "O B-X I-X B-Y",
                "I-X": "O B-X I-X B-Y",
                "B-Y": "O B-X B-Y I-Y",
                "I-Y": "O B-X B-Y I-Y",
            },
        ),
        (
            "iob1",
            {
                "O": "O I-X I-Y",
                "B-X": "O B-X I-X I-Y",
                "I-X": "O B-X I-X I-Y",
                "B-Y": "O I-X B-Y I-Y",
                "I-Y": "O I-X B-Y I-Y",
            },
        ),
        *(
            (
                scheme,
                {
                    "O": "O B-X S-X B-Y S-Y",
                    "B-X": "I-X E-X",
                    "I-X": "I-X E-X",
                    "E-X": "O B-X S-X B-Y S-Y",
                    "S-X": "O B-X S-X B-Y S-Y",
                    "B-Y": "I-Y E-Y",
                    "I-Y": "I-Y E-Y",
                    "E-Y": "O B-X S-X B-Y S-Y",
                    "S-Y": "O B-X S-X B-Y S-Y",
                },
            )
            for scheme in ("bioes", "bilou", "bmes")
        ),
        ("io", {"O": "O I-X I-Y", "I-X": "O I-X I-Y", "I-Y": "O I-X I-Y"}),
        ("token", {"O": "O S-X S-Y", "S-X": "O S-X S-Y", "S-Y": "O S-X S-Y"}),
    ],
)
def test_which_label_may_follow_which(scheme: str, allowed: dict[str, str]) -> None:
    labels = [label for text in allowed if (label := parse_label(text))]
    pairs = forbidden(labels, scheme_named(scheme)).pairs
    found = {
        text: " ".join(after for after, bad in zip(allowed, row, strict=True) if not bad)
        for text, row in zip(allowed, pairs, strict=True)
    }
    assert found == allowed


def test_a_forbidden_pair_is_blamed_on_the_stray_or_on_the_open_label() -> None:
    labels = [label for text in BIOES if (label := parse_label(text))]
    stray, unclosed = forbidden(labels, scheme_named("bioes"))
    at = BIOES.index
    assert stray[at("O"), at("I-X")] and not unclosed[at("O"), at("I-X")]
    assert unclosed[at("B-X"), at("O")] and not stray[at("B-X"), at("O")]
    assert stray[at("B-X"), at("E-Y")] and unclosed[at("B-X"), at("E-Y")]


@pytest.mark.parametrize(
    ("scheme", "sentences", "expected"),
    [
        # the most frequent first, then the one that comes first; lines are sentence numbers here
        (
            "bio",
            ["O B-X", "I-X O", "O I-X", "O I-X", "B-X I-Y"],
            [
                Fault("O", "I-X", 2, 3),
                Fault("the sentence start", "I-X", 1, 2),
                Fault("B-X", "I-Y", 1, 5),
            ],
        ),
        (
            "iob1",
            ["I-X B-X", "B-X O", "I-X B-Y"],
            [Fault("the sentence start", "B-X", 1, 2), Fault("I-X", "B-Y", 1, 3)],
        ),
        (
            "bioes",
            ["S-X", "B-X", "B-X O"],
            [Fault("B-X", "the sentence end", 1, 2), Fault("B-X", "O", 1, 3)],
        ),
        (
            "bilou",
            ["L-X", "U-X I-X L-X"],
            [Fault("the sentence start", "L-X", 1, 1), Fault("U-X", "I-X", 1, 2)],
        ),
        ("bmes", ["B-X M-X O"], [Fault("M-X", "O", 1, 1)]),
        ("io", ["I-X I-Y", "O I-X"], []),
        ("token", ["B-X I-Y"], []),
        ("bio", ["B-X I-X", "O"], []),
    ],
)
def test_faults_are_counted_with_the_line_of_the_first(
    scheme: str, sentences: list[str], expected: list[Fault]
) -> None:
    given = corpus(*sentences, scheme=scheme)
    assert given.column.transitions.faults(scheme_named(scheme)) == expected


label_lists = st.lists(
    st.lists(st.sampled_from(BIOES), min_size=1, max_size=5), min_size=1, max_size=6
)


@settings(max_examples=100, deadline=None)
@given(label_lists, label_lists)
def test_transitions_of_two_chunks_are_those_of_one(
    first: list[list[str]], second: list[list[str]]
) -> None:
    texts = list(dict.fromkeys(label for sentence in [*first, *second] for label in sentence))
    whole, parts = Transitions(texts), Transitions(texts)

    def add(to: Transitions, sentences: list[list[str]], line: int) -> None:
        lengths = [len(sentence) for sentence in sentences]
        raw = np.array(
            [texts.index(label) for sentence in sentences for label in sentence], np.int32
        )
        to.add(raw, np.concatenate([[0], np.cumsum(lengths)]), np.arange(line, line + len(raw)))

    add(whole, [*first, *second], 1)
    add(parts, first, 1)
    add(parts, second, 1 + sum(map(len, first)))
    assert (whole.counts == parts.counts).all()
    assert (whole.first == parts.first).all()
    every = [*first, *second]
    pairs = [
        pair
        for sentence in every
        for pair in zip([None, *sentence], [*sentence, None], strict=True)
    ]
    index: dict[str | None, int] = {None: 0, **{text: code for code, text in enumerate(texts, 1)}}
    for a in index:
        for b in index:
            assert whole.counts[index[a], index[b]] == pairs.count((a, b))


def test_hundreds_of_labels_are_counted_without_overflow() -> None:
    kinds = [f"B-T{number}" for number in range(400)]
    given = corpus(" ".join(kinds), f"I-T399 {kinds[0]}")
    faults = given.column.transitions.faults(scheme_named("bio"))
    assert faults == [Fault("the sentence start", "I-T399", 1, 2)]
    assert given.column.transitions.counts.sum() == 400 + 1 + 2 + 1


def test_codes_of_labels_and_types_are_given_once() -> None:
    labels = Labels()
    given = [Label(BEGIN, "PER"), Label(INSIDE, "PER"), Label(OUTSIDE, ""), Label(SINGLE, "LOC")]
    codes = [labels.code(label) for label in given]
    assert codes == [1, 2, 0, 3] == [labels.code(label) for label in given]
    assert (
        labels.types == ["PER", "LOC"]
        and labels.type_code("LOC") == 1
        and labels.type_code("ORG") == 2
    )
    assert labels.roles.tolist() == [OUTSIDE, BEGIN, INSIDE, SINGLE]
    assert labels.type_codes.tolist() == [-1, 0, 0, 1]
    assert labels.known == [Label(OUTSIDE, ""), *given[:2], given[3]]


@pytest.mark.parametrize(
    ("scheme", "expected"),
    [
        ("bio", ["O", "B-X", "I-X", "I-X", "B-X"]),
        ("iob1", ["O", "B-X", "I-X", "I-X", "I-X"]),
        ("io", ["O", "I-X", "I-X", "I-X", "I-X"]),
        ("bioes", ["O", "B-X", "I-X", "E-X", "S-X"]),
        ("bilou", ["O", "B-X", "I-X", "L-X", "U-X"]),
        ("bmes", ["O", "B-X", "M-X", "E-X", "S-X"]),
        ("token", ["O", "X", "X", "X", "X"]),
    ],
)
def test_schemes_spell_the_same_roles_with_their_own_letters(
    scheme: str, expected: list[str]
) -> None:
    labels = Labels()
    for role in (BEGIN, INSIDE, END, SINGLE):
        labels.code(Label(role, "X"))
    assert labels.spell(scheme_named(scheme)) == expected
