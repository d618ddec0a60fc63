"""Checking labels against a scheme."""

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import nerscope
from nerscope.corpus.schemes import scheme_named
from nerscope.dataset.validate import LabelFault, Validation, validate
from nerscope.errors import UsageError
from nerscope.formats.base import read
from nerscope.formats.columns.conll import ConllFile
from nerscope.formats.files import FileBytes, read_some


def file(text: str, **options: Any) -> ConllFile:
    return ConllFile(FileBytes("f", data=text.encode()), **options)


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
        (["W-X", "M-X", "E-X"], "bmeow", [("f:2", "M-X after W-X")]),
        # letters of two schemes
        (
            ["B-X", "E-X", "U-X", "B-X", "E-X"],
            "bilou",
            [("f:2", "E-X is not a label of bilou (2 times)")],
        ),
    ],
)
def test_every_violation_is_listed_at_its_place(
    labels: list[str], scheme: str, found: list[tuple[str, str]]
) -> None:
    assert validate(file(lines(*labels))) == Validation(
        "f", scheme, False, [LabelFault(*one) for one in found]
    )


def test_a_scheme_that_is_told_is_checked_against() -> None:
    text = lines("I-X", "I-X")
    assert validate(file(text)) == Validation("f", "io", False, [])
    broken = Validation("f", "bio", True, [LabelFault("f:1", "I-X after the sentence start")])
    assert validate(file(text, scheme="IOB2")) == broken
    assert validate(file(text), scheme="IOB2") == broken
    assert validate(file(text, scheme="io"), scheme="bio") == broken  # the call has the last word
    assert not broken.ok and validate(file(text)).ok


def test_an_unknown_scheme_is_refused() -> None:
    with pytest.raises(UsageError, match="did you mean 'bilou'"):
        validate(file(lines("O")), scheme="bilouu")


@pytest.mark.parametrize("given_as", ["path", "corpus", "lists", "labels", "source"])
def test_whatever_can_be_read_can_be_checked(given_as: str, tmp_path: Path) -> None:
    path = tmp_path / "f.txt"
    path.write_text("a B-X\n\nb O\nc I-X\n")
    lists = [(["a"], ["B-X"]), (["b", "c"], ["O", "I-X"])]
    given_: dict[str, Any] = {
        "path": path,
        "corpus": nerscope.Corpus.of(lists, name="m"),
        "lists": lists,
        "labels": [labels for _, labels in lists],
        "source": ConllFile(path),
    }
    found = nerscope.validate(given_[given_as])
    assert (found.scheme, found.ok) == ("bio", False)
    place = {"path": f"{path}:4", "source": f"{path}:4", "corpus": "m:2"}
    assert found.violations == [LabelFault(place.get(given_as, "<memory>:2"), "I-X after O")]


def test_spans_break_no_scheme() -> None:
    nested: Any = [(["a", "b"], [(0, 2, "X"), (1, 2, "Y")])]
    assert validate(nested) == Validation("<memory>", "spans", False, [])


@pytest.mark.parametrize("scheme", ["io", "token"])
@pytest.mark.parametrize("in_memory", [True, False])
def test_labels_without_a_prefix_are_valid_where_the_scheme_has_them(
    scheme: str, in_memory: bool
) -> None:
    source: Any = [["X", "X-ray", "O"]] if in_memory else file(lines("X", "X-ray", "O"))
    assert validate(source, scheme=scheme).ok


@pytest.mark.parametrize("scheme", ["io", "token"])
def test_labels_without_a_prefix_are_valid_where_their_file_says_so(scheme: str) -> None:
    found = validate(file(lines("X", "X-ray", "O"), scheme=scheme))
    assert found == Validation("f", scheme, True, [])


def test_a_fault_is_told_with_the_labels_as_they_are_written() -> None:
    found = validate(file(lines("O", "E-X")), scheme="bio").violations
    assert LabelFault("f:2", "E-X after O") in found


@pytest.mark.parametrize(
    ("labels", "scheme"),
    [
        (["S-X"], "bio"),
        (["B-X", "E-X"], "bio"),
        (["B-X", "I-X"], "io"),
        (["U-X"], "bioes"),
        (["W-X"], "bmes"),
        (["S-X"], "bmeow"),
    ],
)
def test_a_label_that_the_told_scheme_does_not_have_is_a_violation(
    labels: list[str], scheme: str
) -> None:
    found = validate(file(lines(*labels), scheme=scheme)).violations
    assert any(
        f"{label} is not a label of {scheme} (1 time)" == one.fault
        for one in found
        for label in labels
    )


def test_violations_in_later_chunks_have_the_right_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(read_some, "__defaults__", (32,))
    monkeypatch.setattr("nerscope.formats.columns.column_file.BLOCK", 32)
    found = validate(file(lines(*["B-X", "I-X", ""] * 40, "O", "I-Y")))
    assert (found.scheme, found.violations) == ("bio", [LabelFault("f:122", "I-Y after O")])


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
    found = validate(file(lines(*labels)))
    faults = read(file(lines(*labels))).reading_notes.transitions.faults(scheme_named(found.scheme))
    assert len(found.violations) == sum(fault.times for fault in faults)


@pytest.mark.parametrize(
    "data", ['{"text": "a", "text": "b", "spans": []}', '[{"text": "a", "text": "b", "spans": []}]']
)
def test_repeated_keys_are_faults_and_the_last_one_counts(data: str, tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_text(data)
    fault = "the key 'text' occurs twice, and the last value counts"
    assert nerscope.validate(path).violations == [(f"{path}:1", fault)]
    assert nerscope.read(path).words(0) == ["b"]
