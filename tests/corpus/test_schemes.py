"""Labels, which label may follow which, and how a scheme is told by looking."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nerscope.corpus.arrays import Ints
from nerscope.corpus.corpus import Coding, Corpus, Note, ReadingNotes, join_chunks
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
    LabelCodes,
    Transitions,
    forbidden_labels,
    parse_label,
    scheme_named,
    stray_labels,
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
        ("W-PER", Label(SINGLE, "PER")),
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
        ("B", Label(BEGIN, "_")),
        ("", None),
        ("o", None),
        ("b-PER", None),
        ("w-PER", None),
        # nor with a blank at its edge
        (" B-PER", None),
        ("B-PER ", None),
        ("B-PER\r", None),
        (" O", None),
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
    with pytest.raises(UsageError, match=r"unknown tagging scheme 'biose'.*did you mean 'bioes'"):
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
        (["W-PER"], "bmeow"),
        (["B-PER M-PER E-PER W-LOC"], "bmeow"),
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
    assert corpus(*sentences).scheme.name == expected


def test_a_scheme_that_is_given_is_not_told_by_looking() -> None:
    given = corpus("B-PER I-PER", scheme="IOBES")
    assert given.scheme.name == "bioes" and given.declared_scheme is given.scheme
    assert corpus("B-PER I-PER").declared_scheme is None


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
            for scheme in ("bioes", "bilou", "bmes", "bmeow")
        ),
        ("io", {"O": "O I-X I-Y", "I-X": "O I-X I-Y", "I-Y": "O I-X I-Y"}),
        ("token", {"O": "O S-X S-Y", "S-X": "O S-X S-Y", "S-Y": "O S-X S-Y"}),
    ],
)
def test_which_label_may_follow_which(scheme: str, allowed: dict[str, str]) -> None:
    rules = scheme_named(scheme)
    found = {
        text: " ".join(
            after
            for after in allowed
            if not forbidden_labels(*laid_out(f"{text} {after}"), rules)[0][1]
        )
        for text in allowed
    }
    assert found == allowed
    for text in allowed:  # the edges of a sentence are as O
        into, out = forbidden_labels(*laid_out(text, text), rules)
        assert into.tolist() == [text not in allowed["O"].split()] * 2
        assert out.tolist() == ["O" not in allowed[text].split()] * 2


def laid_out(*sentences: str) -> tuple[Ints, Ints, Ints]:
    """The role and the type of each token, and where sentences start."""
    given = corpus(*sentences)
    assert given.labels is not None
    known = given.coding.labels
    return known.roles[given.labels], known.type_codes[given.labels], given.starts


@pytest.mark.parametrize(
    ("labels", "strays", "breaks"),
    [
        # what has nothing to continue is stray
        ("O I-X", [False, True], [False, True]),
        ("S-X E-X", [False, True], [False, True]),
        # what follows a label left open breaks the scheme, but is not to blame
        ("B-X O", [False, False], [False, True]),
        ("B-X S-X", [False, False], [False, True]),
        # both
        ("B-X E-Y", [False, True], [False, True]),
    ],
)
def test_a_forbidden_pair_is_blamed_on_the_stray_or_on_the_open_label(
    labels: str, strays: list[bool], breaks: list[bool]
) -> None:
    rules = scheme_named("bioes")
    assert stray_labels(*laid_out(labels), rules).tolist() == strays
    assert forbidden_labels(*laid_out(labels), rules)[0].tolist() == breaks


def test_an_idle_separator_is_stray_in_iob1() -> None:
    found = stray_labels(*laid_out("O B-X B-X I-Y B-X", "B-X"), scheme_named("iob1"))
    assert found.tolist() == [False, True, False, False, True, True]


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
        ("bmeow", ["W-X M-X O"], [Fault("M-X", "O", 1, 1), Fault("W-X", "M-X", 1, 1)]),
        ("io", ["I-X I-Y", "O I-X"], []),
        ("token", ["B-X I-Y"], []),
        ("bio", ["B-X I-X", "O"], []),
    ],
)
def test_faults_are_counted_with_the_line_of_the_first(
    scheme: str, sentences: list[str], expected: list[Fault]
) -> None:
    given = corpus(*sentences, scheme=scheme)
    assert given.reading_notes.transitions.faults(scheme_named(scheme)) == expected


Counted = dict[tuple[str | None, str | None], tuple[int, int]]


def counted(transitions: Transitions) -> Counted:
    """By label before and after (None at the edges of a sentence): how often, and where first."""
    names = [None, *transitions.texts]
    columns = (transitions.before, transitions.after, transitions.times, transitions.first)
    rows = list(zip(*(column.tolist() for column in columns), strict=True))
    found = {(names[a], names[b]): (times, first) for a, b, times, first in rows}
    assert len(found) == len(rows)
    return found


def naive(sentences: list[list[str]]) -> Counted:
    """The same, one token after the other; each token stands on a line of its own."""
    found, line = Counted(), 0
    for sentence in sentences:
        for place, pair in enumerate(pairwise([None, *sentence, None])):
            at = line + min(place + 1, len(sentence))
            times, first = found.get(pair, (0, at))
            found[pair] = (times + 1, first)
        line += len(sentence)
    return found


def transitions_of(sentences: list[list[str]], texts: list[str], line: int = 1) -> Transitions:
    """The transitions of a chunk by a reader who learns labels as they turn up."""
    flat = [label for sentence in sentences for label in sentence]
    texts += [label for label in dict.fromkeys(flat) if label not in texts]
    raw = np.array([texts.index(label) for label in flat], np.int32)
    starts = np.concatenate([[0], np.cumsum([len(sentence) for sentence in sentences])])
    return Transitions.of(texts, raw, starts, np.arange(line, line + len(raw)))


label_lists = st.lists(
    st.lists(st.sampled_from(BIOES), min_size=1, max_size=5), min_size=1, max_size=8
)


@settings(max_examples=100, deadline=None)
@given(label_lists, st.sets(st.integers(1, 7)))
def test_transitions_of_chunks_add_up_to_those_of_the_whole(
    sentences: list[list[str]], cuts: set[int]
) -> None:
    edges = [0, *sorted(cut for cut in cuts if cut < len(sentences)), len(sentences)]
    total, texts, line = Transitions(), list[str](), 1
    for first, last in pairwise(edges):
        chunk = sentences[first:last]
        total += transitions_of(chunk, texts, line)
        line += sum(map(len, chunk))
    whole = transitions_of(sentences, [])
    assert counted(total) == counted(whole) == naive(sentences)
    for scheme in SCHEMES.values():
        assert total.faults(scheme) == whole.faults(scheme)
    assert total.scheme() == whole.scheme()
    assert total.label_places() == whole.label_places()
    assert counted(Transitions() + whole + Transitions()) == counted(whole)


@settings(max_examples=100, deadline=None)
@given(label_lists, label_lists)
def test_transitions_of_chunks_that_were_made_one_by_one_add_up_too(
    first: list[list[str]], second: list[list[str]]
) -> None:
    # As a format of one's own does it that makes each chunk with Corpus.of.
    coding = Coding()
    chunks = [Corpus.of(sentences, coding=coding) for sentences in (first, second)]
    found = counted(join_chunks(chunks).reading_notes.transitions)
    wanted = counted(Corpus.of([*first, *second]).reading_notes.transitions)
    assert {pair: times for pair, (times, _) in found.items()} == {
        pair: times for pair, (times, _) in wanted.items()
    }


def test_readings_add_up_with_the_first_place_of_each() -> None:
    lost = {"pictures": Note(2, (7,))}
    parts = [
        ReadingNotes(),
        ReadingNotes(differing_tokens=2, first_differing_line=5),
        ReadingNotes(mended_labels=3),
    ]
    total = sum(
        [*parts, ReadingNotes(differing_tokens=1, first_differing_line=9, notes=lost)],
        ReadingNotes(),
    )
    assert (total.mended_labels, total.differing_tokens, total.first_differing_line) == (3, 3, 5)
    assert total.notes == lost


def test_hundreds_of_labels_are_counted_without_overflow() -> None:
    kinds = [f"B-T{number}" for number in range(400)]
    given = corpus(" ".join(kinds), f"I-T399 {kinds[0]}")
    transitions = given.reading_notes.transitions
    assert transitions.faults(scheme_named("bio")) == [Fault("the sentence start", "I-T399", 1, 2)]
    assert transitions.times.sum() == 400 + 1 + 2 + 1
    assert transitions.label_places()["I-T399"] == (1, 2)


def test_codes_of_labels_and_types_are_given_once() -> None:
    labels = LabelCodes()
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
    assert labels.labels == [Label(OUTSIDE, ""), *given[:2], given[3]]


@pytest.mark.parametrize(
    ("scheme", "expected"),
    [
        ("bio", ["O", "B-X", "I-X", "I-X", "B-X"]),
        ("iob1", ["O", "B-X", "I-X", "I-X", "I-X"]),
        ("io", ["O", "I-X", "I-X", "I-X", "I-X"]),
        ("bioes", ["O", "B-X", "I-X", "E-X", "S-X"]),
        ("bilou", ["O", "B-X", "I-X", "L-X", "U-X"]),
        ("bmes", ["O", "B-X", "M-X", "E-X", "S-X"]),
        ("bmeow", ["O", "B-X", "M-X", "E-X", "W-X"]),
        ("token", ["O", "X", "X", "X", "X"]),
    ],
)
def test_schemes_spell_the_same_roles_with_their_own_letters(
    scheme: str, expected: list[str]
) -> None:
    labels = LabelCodes()
    for role in (BEGIN, INSIDE, END, SINGLE):
        labels.code(Label(role, "X"))
    assert labels.texts_in(scheme_named(scheme)) == expected
