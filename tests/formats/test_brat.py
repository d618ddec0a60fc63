"""brat: texts with annotations beside them, alone or in a folder."""

from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import nerscope
from nerscope.corpus.corpus import Coding, Corpus, join_chunks
from nerscope.corpus.schemes import BIO
from nerscope.errors import FormatError, InputError, NerscopeError
from nerscope.formats.base import open_source, read
from nerscope.formats.files import FileBytes
from nerscope.formats.standoff.brat import UNANNOTATED, BratSource, fits, write_brat
from nerscope.formats.standoff.text import Record, TextSpan, records_of, text_source

TEXT = "Ada Lee spoke.\nShe saw Oslo and New\nYork.\n"
ANN = "T1\tPER 0 7\tAda Lee\nT2\tLOC 23 27\tOslo\nT3\tLOC 32 35;36 40\tNew York\n"


def folder_of(path: Path, files: dict[str, str | bytes]) -> Path:
    path.mkdir(exist_ok=True)
    for name, content in files.items():
        (path / name).write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def surfaces(path: Path) -> list[tuple[str, str]]:
    return [
        (span.type, " … ".join(record.text[low:high] for low, high in span.fragments))
        for record in records_of(read(path))
        for span in record.spans
    ]


def noticed(path: Path) -> dict[str, tuple[int, tuple[str, ...]]]:
    found = read(path).reading_notes.notes
    return {kind: (one.times, one.items) for kind, one in found.items()}


@pytest.mark.parametrize("given_name", ["", "a.txt", "a.ann"])
def test_a_folder_or_one_of_a_pair_is_read(tmp_path: Path, given_name: str) -> None:
    folder = folder_of(tmp_path / "docs", {"a.txt": TEXT, "a.ann": ANN})
    corpus = read(folder / given_name)
    assert [corpus.words(k) for k in range(len(corpus))] == [
        ["Ada", "Lee", "spoke", "."],
        ["She", "saw", "Oslo", "and", "New", "York", "."],
    ]
    assert surfaces(folder) == [("PER", "Ada Lee"), ("LOC", "Oslo"), ("LOC", "New\nYork")]


def test_texts_come_in_the_order_of_their_names_each_a_document(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {
        "b.txt": "Bo\nhere",
        "b.ann": "T1\tPER 0 2\tBo\n",
        "a.1.txt": "Ada",
        "a.1.ann": "T1\tPER 0 3\tAda\n",
        "annotation.conf": "[entities]\nPER\n",
        "c.txt": "",
        "c.ann": "",
    }
    corpus = read(folder_of(tmp_path / "docs", files))
    assert surfaces(tmp_path / "docs") == [("PER", "Ada"), ("PER", "Bo")]
    assert corpus.documents.tolist() == [0, 1, 1]


def test_sentences_are_numbered_through_a_folder_of_many_chunks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = dict.fromkeys(("a.txt", "b.txt", "c.txt"), "Ada\nleft")
    folder = folder_of(tmp_path / "docs", {**files, "a.ann": ""})
    monkeypatch.setattr("nerscope.formats.standoff.text._CHUNK", 1)
    assert read(folder).lines.tolist() == [1, 2, 3, 4, 5, 6]


def test_a_text_that_cannot_be_is_named_in_its_folder(tmp_path: Path) -> None:
    folder = folder_of(tmp_path / "docs", {"a.txt": "Ada", "b.txt": "Bo\x1f", "a.ann": ""})
    with pytest.raises(FormatError) as caught:
        read(folder)
    assert caught.value.place == str(folder / "b.txt")


def test_mentions_may_be_nested_and_have_holes(tmp_path: Path) -> None:
    text = "left and right ventricle"
    ann = "T1\tPART 0 4;15 24\tleft ventricle\nT2\tPART 9 24\tright ventricle\nT3\tX 9 14\tright\n"
    folder = folder_of(tmp_path / "docs", {"a.txt": text, "a.ann": ann})
    assert surfaces(folder) == [
        ("PART", "left … ventricle"),
        ("X", "right"),
        ("PART", "right ventricle"),
    ]
    assert not open_source(folder).label_style().flat


@pytest.mark.parametrize(
    ("text", "ann", "said"),
    [
        # offsets count characters: of any plane, marks, and both of \r\n
        ("😀 Ada", "T1\tPER 2 5\tAda\n", "Ada"),
        ("e\u0301 Ada", "T1\tPER 3 6\tAda\n", "Ada"),
        ("a\r\nAda\r\n", "T1\tPER 3 6\tAda\r\n", "Ada"),
        ("\ufeffAda", "\ufeffT1\tPER 1 4\tAda", "Ada"),
        ("New\r\nYork", "T1\tPER 0 3;5 9\tNew York\n", "New\r\nYork"),
        ("a\u2028Ada", "T1\tPER 2 5\tAda\n", "Ada"),
        # the text may be missing, blank lines do no harm, a type may hold a dash
        ("Ada", "\nT1\tPER 0 3\n\n", "Ada"),
        ("Ada", "T1\tPER 0 3\t\n", "Ada"),
    ],
)
def test_offsets_count_characters(tmp_path: Path, text: str, ann: str, said: str) -> None:
    folder = folder_of(tmp_path / "docs", {"a.txt": text, "a.ann": ann})
    assert surfaces(folder) == [("PER", said)]
    words = read(folder).coding.tokens.strings(read(folder).tokens)
    assert "\ufeff" not in words


def test_what_else_is_annotated_is_counted(tmp_path: Path) -> None:
    others = [
        *("R1\tLike Arg1:T1 Arg2:T2", "E1\tMove:T1 Who:T2", "A1\tSure T1", "M1\tSure T1"),
        *("N1\tReference T1 Wiki:1\tAda", "#1\tAnnotatorNotes T1\thm", "*\tEquiv T1 T2"),
    ]
    files: dict[str, str | bytes] = {"a.txt": TEXT, "a.ann": ANN + "\n".join(others)}
    folder = folder_of(tmp_path / "docs", {**files, "b.txt": "Bo spoke."})
    assert noticed(folder) == {
        "relations, left out": (1, ()),
        "events, left out": (1, ()),
        "attributes, left out": (2, ()),
        "links, left out": (1, ()),
        "notes, left out": (1, ()),
        "equivalences, left out": (1, ()),
        UNANNOTATED: (1, ("b.txt",)),
    }


@pytest.mark.parametrize(
    ("ann", "fact"),
    [
        (
            "T1\tPER 0 99\tAda\n",
            "the span (0, 99) is empty or outside the 42 characters of the text",
        ),
        ("T1\tPER 7 0\tAda\n", "the span (7, 0) is empty or outside"),
        ("T1\tPER 0 0\t\n", "the span (0, 0) is empty or outside"),
        ("T1\tPER 3 4\t \n", "contains only blanks"),
        ("T1\tPER 3 4;7 8\t \n", "contains only blanks"),
        ("T1\tPER 4 7;0 3\tLee Ada\n", "overlap or are out of order"),
        ("T1\tPER 0 3\tAdo\n", "the text at 0 3 is 'Ada', not 'Ado'"),
        ("T1\tPER -1 3\tAda\n", "not a brat annotation"),
        ("T1\tPER x 3\tAda\n", "not a brat annotation"),
        ("T1\t0 3\tAda\n", "not a brat annotation"),
        ("T1 PER 0 3 Ada\n", "not a brat annotation"),
        ("T1\tPER 0\n", "not a brat annotation"),
        ("T1\tPER 0 " + "9" * 5000, "not a brat annotation"),
        ("Ada B-PER\n", "not a brat annotation"),
        ("R1 no tab\n", "not a brat annotation"),
    ],
)
def test_annotations_that_cannot_be_are_refused_with_their_place(
    tmp_path: Path, ann: str, fact: str
) -> None:
    folder = folder_of(tmp_path / "docs", {"a.txt": TEXT, "a.ann": ANN + ann})
    with pytest.raises(InputError) as caught:
        read(folder)
    assert caught.value.place == f"{folder / 'a.ann'}:4"
    assert fact in caught.value.fact


@pytest.mark.parametrize(
    ("files", "fact"),
    [
        ({"a.ann": ANN}, "the text file a.txt is missing"),
        ({"a.txt": b"\xff\xfe", "a.ann": ANN}, "not valid utf-8"),
        ({"a.txt": TEXT, "a.ann": b"T1\xff"}, "not valid utf-8"),
        ({"a.txt": "Ada\0", "a.ann": ""}, "the file contains a NUL byte"),
        ({"a.txt": "Ada\x1f", "a.ann": ""}, "the text contains NUL, U+001F"),
        ({"a.txt": " \n", "a.ann": ""}, "the file contains no sentences"),
        ({"a.md": ""}, "the folder contains no .txt file"),
    ],
)
def test_folders_that_cannot_be_read_are_refused(
    tmp_path: Path, files: dict[str, str | bytes], fact: str
) -> None:
    folder = folder_of(tmp_path / "docs", files)
    with pytest.raises(InputError) as caught:
        read(folder, format="brat")
    assert fact in caught.value.fact


def test_a_stream_has_no_annotations() -> None:
    with pytest.raises(
        InputError, match="brat annotations need a text file and an annotation file"
    ):
        BratSource(FileBytes("<stdin>", data=b"Ada"))


@pytest.mark.parametrize(
    ("files", "name", "claimed"),
    [
        ({"a.txt": TEXT, "a.ann": ANN}, "", True),
        ({"a.txt": TEXT, "a.ann": ANN}, "a.txt", True),
        ({"a.txt": TEXT, "a.ann": ANN}, "a.ann", True),
        ({"a.txt": TEXT, "a.ann": ""}, "a.ann", True),
        ({"a.txt": "Ada B-PER\n"}, "a.txt", False),
        ({"a.txt": "Ada B-PER\n"}, "", False),
        ({"a.txt": "Ada B-PER\n", "a.ann": "Ada O\n"}, "a.txt", False),
        ({"a.ann": "Ada B-PER\n"}, "a.ann", False),
        ({}, "", False),
    ],
)
def test_only_texts_with_annotations_are_claimed(
    tmp_path: Path, files: dict[str, str | bytes], name: str, claimed: bool
) -> None:
    path = folder_of(tmp_path / "docs", files) / name
    head = path.read_bytes() if path.is_file() else b""
    assert fits(str(path), head) is claimed


def test_a_system_is_a_folder_with_the_same_texts(tmp_path: Path) -> None:
    gold = folder_of(tmp_path / "gold", {"a.txt": TEXT, "a.ann": ANN})
    other = "T1\tPER 0 3\tAda\nT2\tLOC 23 27\tOslo\n"
    system = folder_of(tmp_path / "system", {"a.txt": TEXT, "a.ann": other})
    results = nerscope.evaluate(gold, {"s": system})
    assert results.value(system="s", metric="precision") == 1 / 2
    assert results.value(system="s", metric="recall") == 1 / 3


WORDS = st.text(
    st.one_of(
        st.sampled_from(list("ab|=_#-.;:\"'\\\u00a0\u2028\u0301\u05d0\u200d😀\t ")),
        st.characters(exclude_categories=["Cs"], exclude_characters="\0\x1f"),
    ),
    max_size=30,
)
TYPES = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=6).filter(
    lambda text: not set(text) & set(" \t\r\n\0\x1f")
)


@st.composite
def records(draw: st.DrawFn) -> Record:
    text = draw(WORDS) + "x"
    spans = []
    for _ in range(draw(st.integers(0, 4))):
        edges = sorted(draw(st.sets(st.integers(0, len(text)), min_size=2, max_size=4)))
        fragments = tuple(zip(edges[::2], edges[1::2], strict=False))
        if all(text[low:high].strip() for low, high in fragments):
            spans.append(TextSpan(fragments, draw(TYPES)))
    return Record(text, spans)


@settings(max_examples=50, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(records(), min_size=1, max_size=3))
def test_what_is_written_is_read_back(tmp_path: Path, given_records: list[Record]) -> None:
    source = text_source("x", lambda: iter(given_records))
    corpus = join_chunks(list(source.chunks(Coding())))
    for old in tmp_path.glob("*"):
        old.unlink()
    folder_of(tmp_path, dict(write_brat(corpus, BIO)))
    again = [record._replace(line=0) for record in records_of(read(tmp_path))]
    assert again == [record._replace(line=0) for record in records_of(corpus)]


def test_sentences_without_text_become_lines() -> None:
    corpus = Corpus.of([(["Ada", "spoke"], ["B-PER", "O"]), (["Bo"], ["B-a-b"])])
    assert write_brat(corpus, BIO) == {
        "1.txt": b"Ada spoke\nBo\n",
        "1.ann": b"T1\tPER 0 3\tAda\nT2\ta-b 10 12\tBo\n",
    }


def test_a_folder_is_converted_into_a_folder(tmp_path: Path) -> None:
    gold = folder_of(tmp_path / "gold", {"a.txt": TEXT, "a.ann": ANN})
    nerscope.convert(gold, f"{tmp_path / 'new'}::format=brat")
    assert (tmp_path / "new" / "1.txt").read_text() == TEXT
    assert (tmp_path / "new" / "1.ann").read_text() == ANN


@pytest.mark.parametrize(
    ("sentences", "fact"),
    [
        ([(["Ada"], ["B-a b"])], "a type contains a blank, which brat cannot hold"),
        ([["B-PER"]], "the sentences have no tokens"),
        ([(["a\xa0"], ["O"])], "the token .* is empty, or begins or ends with a blank"),
    ],
)
def test_what_cannot_be_written_is_refused(sentences: Any, fact: str) -> None:
    with pytest.raises(NerscopeError, match=fact):
        write_brat(Corpus.of(sentences), BIO)


def test_a_text_that_begins_with_a_byte_order_mark_as_a_character_keeps_it(tmp_path: Path) -> None:
    tokens = ["\ufeffAda", "met", "\ufeff"]
    files = write_brat(Corpus.of([(tokens, ["B-PER", "O", "B-LOC"])]), BIO)
    for name, content in files.items():
        (tmp_path / name).write_bytes(content)
    corpus = read(tmp_path, format="brat")
    assert corpus.words(0) == ["\ufeff", "Ada", "met", "\ufeff"]  # as it divides any such text
    mentions = corpus.mentions()
    assert list(zip(mentions.start, mentions.end, strict=True)) == [(0, 2), (3, 4)]
