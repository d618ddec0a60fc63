"""Checking labels against a scheme, and writing them in another one."""

from itertools import permutations
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nerscope.corpus.schemes import scheme_named
from nerscope.dataset.validate import Violation, convert, violations
from nerscope.errors import FormatError, UsageError
from nerscope.formats.base import read
from nerscope.formats.conll import ConllFile

SCHEMES = ("bio", "iob1", "bioes", "bilou", "bmes")


def file(text: str, **options: Any) -> ConllFile:
    return ConllFile("f", data=text.encode(), **options)


def lines(*labels: str) -> str:
    """Labels as a file; an empty one is a blank line."""
    return "".join(
        f"w{number} {label}\n" if label else "\n" for number, label in enumerate(labels, 1)
    )


@pytest.mark.parametrize(
    ("labels", "scheme", "found"),
    [
        # nothing wrong
        (["B-X", "I-X", "", "O"], "bio", []),
        (["I-X", "B-X", "", "I-X"], "iob1", []),
        (["B-X", "E-X", "S-X"], "bioes", []),
        (["I-X", "I-Y"], "io", []),
        # BIO: what nothing comes before
        (
            ["B-X", "O", "I-X", "", "I-X", "I-Y", "B-X", "B-Y", "B-X"],
            "bio",
            [
                ("f:3", "I-X after O"),
                ("f:5", "I-X after the sentence start"),
                ("f:6", "I-Y after I-X"),
            ],
        ),
        # IOB1: what separates nothing
        (["I-X", "B-X", "I-X", "", "I-X", "B-Y", "", "I-Y"], "iob1", [("f:6", "B-Y after I-X")]),
        # schemes with an end: what is left open, at the label that follows or at the sentence end
        (
            ["B-X", "O", "S-X", "I-X", "", "B-X", "", "S-Y"],
            "bioes",
            [
                ("f:2", "O after B-X"),
                ("f:4", "I-X after S-X"),
                ("f:4", "the sentence end after I-X"),
                ("f:6", "the sentence end after B-X"),
            ],
        ),
        (
            ["U-X", "L-X", "B-X"],
            "bilou",
            [("f:2", "L-X after U-X"), ("f:3", "the sentence end after B-X")],
        ),
        (["B-X", "M-X", "S-X"], "bmes", [("f:3", "S-X after M-X")]),
    ],
)
def test_every_violation_is_listed_at_its_place(
    labels: list[str], scheme: str, found: list[tuple[str, str]]
) -> None:
    assert violations(file(lines(*labels))) == (scheme, [Violation(*one) for one in found])


def test_a_scheme_that_is_told_is_checked_against() -> None:
    text = lines("I-X", "I-X")
    assert violations(file(text)) == ("io", [])
    assert violations(file(text, scheme="IOB2")) == (
        "bio",
        [Violation("f:1", "I-X after the sentence start")],
    )


@pytest.mark.parametrize(
    ("labels", "scheme"),
    [(["S-X"], "bio"), (["B-X", "E-X"], "bio"), (["B-X", "I-X"], "io"), (["U-X"], "bioes")],
)
def test_a_label_that_the_told_scheme_does_not_have_is_a_violation(
    labels: list[str], scheme: str
) -> None:
    _, found = violations(file(lines(*labels), scheme=scheme))
    assert any(label in violation.kind for label in labels for violation in found)


def test_violations_in_later_chunks_have_the_right_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("nerscope.formats.blocks.BLOCK", 32)
    monkeypatch.setattr("nerscope.formats.conll.BLOCK", 32)
    name, found = violations(file(lines(*["B-X", "I-X", ""] * 40, "O", "I-Y")))
    assert (name, found) == ("bio", [Violation("f:122", "I-Y after O")])


label_lists = st.lists(
    st.lists(
        st.sampled_from(["O", "B-X", "I-X", "E-X", "S-X", "B-Y", "I-Y", "E-Y"]),
        min_size=1,
        max_size=5,
    ),
    min_size=1,
    max_size=5,
)


@settings(max_examples=100, deadline=None)
@given(label_lists)
def test_as_many_violations_are_listed_as_transitions_are_counted(
    sentences: list[list[str]],
) -> None:
    labels = [label for sentence in sentences for label in [*sentence, ""]]
    name, found = violations(file(lines(*labels)))
    faults = read(file(lines(*labels))).column.transitions.faults(scheme_named(name))
    assert len(found) == sum(fault.times for fault in faults)


SOURCE = (
    "# text = Ada Lovelace met Bob\n"
    "1 Ada  N B-PER x\n"
    "2 Lovelace N I-PER  x\n"
    "# a remark inside\n"
    "3 Bob N B-PER x\n"
    "4 New\u00a0York N B-creative-work x \n"
    "-DOCSTART- O O O O\n"
    "1 met V O x\n"
    "\n"
    "\t\n"
    "  1 Oslo N B-LOC x\n"
    "2 on N I-LOC x\n"
    "3 sea N I-LOC x\n"
)
OPTIONS: dict[str, Any] = {"token": 1, "label": 3, "comments": True}
SPELT = {
    "bio": "B-PER I-PER B-PER B-creative-work O B-LOC I-LOC I-LOC",
    "iob1": "I-PER I-PER B-PER I-creative-work O I-LOC I-LOC I-LOC",
    "bioes": "B-PER E-PER S-PER S-creative-work O B-LOC I-LOC E-LOC",
    "bilou": "B-PER L-PER U-PER U-creative-work O B-LOC I-LOC L-LOC",
    "bmes": "B-PER E-PER S-PER S-creative-work O B-LOC M-LOC E-LOC",
}


def rewritten(scheme: str, text: str = SOURCE) -> str:
    """The file as it should be, made by replacing each label in turn."""
    found, position = "", 0
    for before, after in zip(SPELT["bio"].split(), SPELT[scheme].split(), strict=True):
        place = text.index(f" {before} ", position) + 1
        found += text[position:place] + after
        position = place + len(before)
    return found + text[position:]


@pytest.mark.parametrize("scheme", SCHEMES)
def test_only_the_labels_change(scheme: str) -> None:
    data, notes = convert(file(SOURCE, **OPTIONS), scheme)
    assert data.decode() == rewritten(scheme) and notes == []


@pytest.mark.parametrize(("first", "second"), list(permutations(SCHEMES, 2)))
def test_conversion_there_and_back_gives_the_same_bytes(first: str, second: str) -> None:
    there, _ = convert(file(rewritten(first), **OPTIONS), second)
    assert there.decode() == rewritten(second)
    back, notes = convert(file(there.decode(), **OPTIONS), first)
    assert back.decode() == rewritten(first) and notes == []


@pytest.mark.parametrize("label", [1, -2])
def test_tab_files_keep_empty_columns_and_blanks(label: int) -> None:
    source = "New York\tB-LOC\t\n \tI-LOC\tx y\n\tO\t\n\n\t\t\nBob\tB-PER\t \n"
    data, _ = convert(file(source, label=label), "bioes")
    assert data.decode() == source.replace("I-LOC", "E-LOC").replace("B-PER", "S-PER")


@settings(max_examples=60, deadline=None)
@given(label_lists, st.sampled_from(SCHEMES), st.sampled_from(SCHEMES))
def test_mentions_survive_every_conversion(
    sentences: list[list[str]], first: str, second: str
) -> None:
    source = file(lines(*(label for sentence in sentences for label in [*sentence, ""])))
    wanted = read(source).mentions()
    there = file(convert(source, first).data.decode(), scheme=first)
    back = read(file(convert(there, second).data.decode(), scheme=second)).mentions()
    for field in ("start", "end"):
        assert getattr(back, field).tolist() == getattr(wanted, field).tolist()
    assert len(convert(there, second).notes) == 0  # what was converted breaks no rule


def test_a_conversion_to_io_says_what_it_melts() -> None:
    data, notes = convert(file(SOURCE, **OPTIONS), "io")
    assert b" I-PER x\n4 New" in data
    assert notes == ["f: 1 mention after another of the same type; io melts them into one"]


def test_a_conversion_to_token_says_what_it_loses() -> None:
    assert convert(file(lines("B-X", "I-X", "I-X")), "token").notes != []


def test_repairs_are_noted() -> None:
    data, notes = convert(file(lines("B-X", "O", "I-X")), "bioes")
    assert data.decode() == lines("S-X", "O", "S-X")
    assert notes == ["f:3: 1 transition not allowed in bio, repaired as conlleval: I-X after O (1)"]


@pytest.mark.parametrize(
    ("repair", "expected"),
    [
        ("conlleval", ["S-X", "O", "S-X"]),
        ("strict", ["S-X", "O", "O"]),
        ("discard", ["S-X", "O", "O"]),
    ],
)
def test_a_repair_decides_what_is_written(repair: str, expected: list[str]) -> None:
    assert convert(file(lines("B-X", "O", "I-X")), "bioes", repair).data.decode() == lines(
        *expected
    )


def test_the_repair_none_refuses_what_is_not_allowed() -> None:
    with pytest.raises(FormatError, match=r"^f:3: I-X after O is not allowed in bio"):
        convert(file(lines("B-X", "O", "I-X")), "bioes", "none")


def test_an_unknown_scheme_is_refused() -> None:
    with pytest.raises(UsageError, match="did you mean 'bilou'"):
        convert(file(SOURCE, **OPTIONS), "bilouu")


def test_bare_labels_get_prefixes() -> None:
    assert convert(file(lines("X", "X", "O"), scheme="io"), "bio").data.decode() == lines(
        "B-X", "I-X", "O"
    )


@pytest.mark.parametrize("source", ["a B-X\r\nb I-X\r\n", "a B-X\nb I-X", "\ufeffa B-X\nb I-X\n"])
def test_line_ends_stay_as_they_are(source: str) -> None:
    assert convert(file(source), "bioes").data.decode() == source.replace("I-X", "E-X")


def test_the_encoding_stays_as_it_is() -> None:
    source = "Zoë B-X\n".encode("latin-1")
    assert convert(
        ConllFile("f", data=source, encoding="latin-1"), "bioes"
    ).data == "Zoë S-X\n".encode("latin-1")
