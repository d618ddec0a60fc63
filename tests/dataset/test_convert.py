"""Writing a corpus in another tagging scheme: only labels change, and what is lost is said."""

import gzip
from itertools import permutations
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import nerscope
from nerscope.dataset.convert import convert, convert_source
from nerscope.errors import FormatError, InputError, UsageError
from nerscope.formats.base import open_source, read
from nerscope.formats.columns.conll import ConllFile
from nerscope.formats.files import FileBytes

SCHEMES = ("bio", "iob1", "bioes", "bilou", "bmes", "bmeow")


def file(text: str, **options: Any) -> ConllFile:
    return ConllFile(FileBytes("f", data=text.encode()), **options)


def lines(*labels: str) -> str:
    """Labels as a file; an empty one is a blank line."""
    return "".join(
        f"w{number} {label}\n" if label else "\n" for number, label in enumerate(labels, 1)
    )


label_lists = st.lists(
    st.lists(
        st.sampled_from(["O", "B-X", "I-X", "E-X", "S-X", "B-Y", "I-Y", "E-Y"]),
        min_size=1,
        max_size=5,
    ),
    min_size=1,
    max_size=5,
)


SOURCE = (
    "# text = Ada Lovelace met Bob\n"
    "1 Ada  N B-PER x\n"
    "2 Lovelace N I-PER  x\n"
    "3 Bob N B-PER x\n"
    "4 New\u00a0York N B-creative-work x \n"
    "-DOCSTART- O O O O\n"
    "# a remark\n"
    "1 met V O x\n"
    "\n"
    "\t\n"
    "# another\n"
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
    "bmeow": "B-PER E-PER W-PER W-creative-work O B-LOC M-LOC E-LOC",
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
    data, notes, _ = convert_source(file(SOURCE, **OPTIONS), scheme)
    assert data.decode() == rewritten(scheme) and notes == []


@pytest.mark.parametrize(("first", "second"), list(permutations(SCHEMES, 2)))
def test_conversion_there_and_back_gives_the_same_bytes(first: str, second: str) -> None:
    there, _, _ = convert_source(file(rewritten(first), **OPTIONS), second)
    assert there.decode() == rewritten(second)
    back, notes, _ = convert_source(file(there.decode(), **OPTIONS), first)
    assert back.decode() == rewritten(first) and notes == []


@pytest.mark.parametrize("label", [1, -2])
def test_tab_files_keep_empty_columns_and_blanks(label: int) -> None:
    source = "New York\tB-LOC\t\n \tI-LOC\tx y\n\tO\t\n\n\t\t\nBob\tB-PER\t \n"
    data, _, _ = convert_source(file(source, label=label), "bioes")
    assert data.decode() == source.replace("I-LOC", "E-LOC").replace("B-PER", "S-PER")


@settings(max_examples=60, deadline=None)
@given(label_lists, st.sampled_from(SCHEMES), st.sampled_from(SCHEMES))
def test_mentions_survive_every_conversion(
    sentences: list[list[str]], first: str, second: str
) -> None:
    source = file(lines(*(label for sentence in sentences for label in [*sentence, ""])))
    wanted = read(source).mentions()
    there = file(convert_source(source, first).data.decode(), scheme=first)
    back = read(file(convert_source(there, second).data.decode(), scheme=second)).mentions()
    for field in ("start", "end"):
        assert getattr(back, field).tolist() == getattr(wanted, field).tolist()
    assert len(convert_source(there, second).notes) == 0  # what was convert_source breaks no rule


def test_a_conversion_to_io_says_what_it_melts() -> None:
    data, notes, _ = convert_source(file(SOURCE, **OPTIONS), "io")
    assert b" I-PER x\n4 New" in data
    expected = "f: 1 mention directly after another of the same type; io merges them into one"
    assert notes == [expected]


def test_a_conversion_to_token_says_what_it_loses() -> None:
    data, notes, _ = convert_source(file(lines("B-X", "I-X", "I-X", "B-Y")), "token")
    assert data.decode() == lines("X", "X", "X", "Y")
    assert notes == ["f: 1 mention of several tokens; token splits them"]


def test_repairs_are_noted() -> None:
    data, notes, _ = convert_source(file(lines("B-X", "O", "I-X")), "bioes")
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
    labels = ["B-X", "O", "I-X"]
    assert convert_source(file(lines(*labels)), "bioes", repair).data.decode() == lines(*expected)
    in_memory = open_source([(["w1", "w2", "w3"], labels)])
    written = ConllFile(FileBytes("f", data=convert_source(in_memory, "bioes", repair).data))
    data = convert_source(written, "bioes").data.decode()
    assert [line.split("\t")[1] for line in data.split("\n") if line] == expected


@pytest.mark.parametrize("repair", ["conlleval", "strict", "discard", "none"])
@pytest.mark.parametrize("first", SCHEMES)
def test_no_repair_touches_what_is_valid_in_its_scheme(first: str, repair: str) -> None:
    data, notes, _ = convert_source(file(rewritten(first), **OPTIONS), "bio", repair)
    assert data.decode() == SOURCE and notes == []


def test_an_unknown_repair_is_refused() -> None:
    with pytest.raises(UsageError, match="unknown repair 'lenient'"):
        convert_source(file(SOURCE, **OPTIONS), "bio", "lenient")


def test_the_repair_none_refuses_what_is_not_allowed() -> None:
    with pytest.raises(FormatError, match=r"^f:3: I-X after O is not allowed in bio"):
        convert_source(file(lines("B-X", "O", "I-X")), "bioes", "none")


def test_an_unknown_scheme_is_refused() -> None:
    with pytest.raises(UsageError, match="did you mean 'bilou'"):
        convert_source(file(SOURCE, **OPTIONS), "bilouu")


def test_bare_labels_get_prefixes() -> None:
    assert convert_source(file(lines("X", "X", "O"), scheme="io"), "bio").data.decode() == lines(
        "B-X", "I-X", "O"
    )


@pytest.mark.parametrize(
    "source",
    [
        "a B-X\r\nb I-X\r\n",
        "a B-X\nb I-X",
        "\ufeffa B-X\nb I-X\n",
        "a B-X\rb I-X\r",
        "a\tB-X\rb\tI-X\r\rc\tO",
        # a file with marks at both ends: a byte-order mark, and comments
        "\ufeff# text = a b\n# sent_id = 1\n# newpar\na\tB-X\nb\tI-X\n",
        "# text = a b\n# sent_id = 1\n# newpar\na\tB-X\nb\tI-X\n",
    ],
)
def test_line_ends_stay_as_they_are(source: str) -> None:
    assert convert_source(file(source), "bioes").data.decode() == source.replace("I-X", "E-X")


def test_the_encoding_stays_as_it_is() -> None:
    source = "Zoë B-X\n".encode("latin-1")
    assert convert_source(
        ConllFile(FileBytes("f", data=source), encoding="latin-1"), "bioes"
    ).data == "Zoë S-X\n".encode("latin-1")


def test_a_path_is_converted_to_a_path(tmp_path: Path) -> None:
    source, target = tmp_path / "in.txt", tmp_path / "out.txt"
    source.write_text(lines("B-X", "I-X", "", "O", "I-X"))
    notes = nerscope.convert(source, target, to="bioes")
    assert target.read_text() == lines("B-X", "E-X", "", "O", "S-X")
    assert notes == [
        f"{source}:5: 1 transition not allowed in bio, repaired as conlleval: I-X after O (1)"
    ]
    assert convert(str(target), str(source), to="iob1", repair="strict") == []
    assert source.read_text() == lines("I-X", "I-X", "", "O", "I-X")


@pytest.mark.parametrize("packed", [False, True])
def test_a_target_is_packed_if_its_name_says_so(packed: bool, tmp_path: Path) -> None:
    source, target = tmp_path / "in.gz", tmp_path / ("out.gz" if packed else "out")
    source.write_bytes(gzip.compress(lines("B-X", "I-X").encode()))
    convert(source, target, to="bilou")
    data = target.read_bytes()
    assert (gzip.decompress(data) if packed else data).decode() == lines("B-X", "L-X")


@pytest.mark.parametrize("made", [open_source, nerscope.Corpus.of])
def test_sentences_in_memory_are_written_as_two_columns(made: Any, tmp_path: Path) -> None:
    sentences = [(["New", "York"], ["B-LOC", "I-LOC"]), (["Ada"], ["B-PER"])]
    assert convert(made(sentences), tmp_path / "out", to="bioes") == []
    assert (tmp_path / "out").read_text() == "New\tB-LOC\nYork\tE-LOC\n\nAda\tS-PER\n\n"


@pytest.mark.parametrize(
    "words", [["see", "-DOCSTART-"], ["-DOCSTART-"], ["\ufeffAda"], ["a\tb"], [""]]
)
def test_tokens_that_would_be_read_as_something_else_are_refused(words: list[str]) -> None:
    with pytest.raises(InputError, match="a token that lines and columns cannot hold"):
        convert_source(open_source([(words, ["B-X"] * len(words))]), "bio")


def test_flat_spans_become_labels() -> None:
    spans: Any = [(["New", "York", "is"], [(0, 2, "LOC")]), (["so"], [])]
    data, notes, _ = convert_source(open_source(spans), "bio")
    assert data == b"New\tB-LOC\nYork\tI-LOC\nis\tO\n\nso\tO\n\n" and notes == []


def test_nested_spans_cannot_be_written_as_labels() -> None:
    nested: Any = [(["a", "b"], [(0, 2, "X"), (1, 2, "Y")])]
    with pytest.raises(InputError, match="its mentions overlap"):
        convert_source(open_source(nested), "bio")


def test_labels_alone_cannot_be_written_as_columns() -> None:
    with pytest.raises(InputError, match="the sentences have no tokens"):
        convert_source(open_source([["B-X"]]), "bio")


@pytest.mark.parametrize("token", ["a\tb", "a\nb"])
def test_a_token_that_would_be_read_as_two_is_not_written(token: str) -> None:
    sentences = [([token, "c"], ["B-X", "O"])]
    with pytest.raises(InputError):
        convert_source(open_source(sentences), "bio")


def test_a_failed_conversion_writes_nothing(tmp_path: Path) -> None:
    with pytest.raises(FormatError):
        convert(file(lines("B-X", "O", "I-X")), tmp_path / "out", to="bio", repair="none")
    assert list(tmp_path.iterdir()) == []
