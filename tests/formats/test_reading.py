"""Reading files: every trap, every option, and the right line for every token."""

import gzip
import io
import os
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import nerscope
from nerscope import read
from nerscope.corpus.corpus import Coding, Corpus
from nerscope.errors import FormatError, InputError, UsageError
from nerscope.formats.base import FORMATS, open_source, path_of, source_named
from nerscope.formats.columns.conll import ConllFile
from nerscope.formats.columns.layout import LineBlock, _careful_block, lay_out
from nerscope.formats.files import FileBytes, line_blocks, read_some

BOM = b"\xef\xbb\xbf"


class Row(NamedTuple):
    line: int
    token: str
    label: str


Sentences = list[list[Row]]


def rows_of(corpus: Corpus) -> Sentences:
    """All that was read, with bio spelling of labels."""
    names = [
        f"{' BIES'[label.role]}-{label.type}" if label.role else "O"
        for label in corpus.coding.labels.labels
    ]
    assert corpus.labels is not None
    lines, labels = corpus.lines.tolist(), [names[code] for code in corpus.labels]
    found = []
    for sentence in range(len(corpus)):
        begin, end = int(corpus.starts[sentence]), int(corpus.starts[sentence + 1])
        found.append(
            [
                Row(*row)
                for row in zip(
                    lines[begin:end], corpus.words(sentence), labels[begin:end], strict=True
                )
            ]
        )
    return found


def file(text: str | bytes, **options: Any) -> ConllFile:
    data = text.encode() if isinstance(text, str) else text
    return ConllFile(FileBytes("f", data=data), **options)


def read_text(text: str | bytes, **options: Any) -> Corpus:
    return read(file(text, **options))


def words(corpus: Corpus) -> list[list[str]]:
    return [corpus.words(sentence) for sentence in range(len(corpus))]


def sentence(*rows: tuple[int, str, str]) -> list[Row]:
    return [Row(*row) for row in rows]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # white space that is none: NBSP, line separator, next line, form feed, vertical tab,
        # information separators
        *(
            (f"a{space}b O\n{space} B-X\n", [sentence((1, f"a{space}b", "O"), (2, space, "B-X"))])
            for space in (
                "\u00a0",
                "\u2028",
                "\u2029",
                "\u0085",
                "\x0c",
                "\x0b",
                "\x1c",
                "\x1e",
                "\u3000",
            )
        ),
        # a lone carriage return does not end a line where others do
        ("a\rb O\n", [sentence((1, "a\rb", "O"))]),
        # but it does where nothing else does
        (
            "a O\rb B-X\r\rc O\r",
            [sentence((1, "a", "O"), (2, "b", "B-X")), sentence((4, "c", "O"))],
        ),
        ("a O\rb B-X", [sentence((1, "a", "O"), (2, "b", "B-X"))]),
        ("a O\r", [sentence((1, "a", "O"))]),
        ("a O\r\r", [sentence((1, "a", "O"))]),
        ("\r\ra\tO\r \rb\tO\r\r\r", [sentence((3, "a", "O")), sentence((5, "b", "O"))]),
        ("-DOCSTART- O\r\ra O\r", [sentence((3, "a", "O"))]),
        # tokens that other readers take for something else
        ('# O\n" B-X\nNA I-X\n', [sentence((1, "#", "O"), (2, '"', "B-X"), (3, "NA", "I-X"))]),
        ("a O\n# O\n#hash O\n", [sentence((1, "a", "O"), (2, "#", "O"), (3, "#hash", "O"))]),
        ("'quoted O\n\"un closed B-X\n", [sentence((1, "'quoted", "O"), (2, '"un', "B-X"))]),
        # tab files: empty tokens, tokens with blanks, blanks at the edges
        ("\tO\na\tB-X\n", [sentence((1, "", "O"), (2, "a", "B-X"))]),
        ("New York\tB-X\n  of \tO\n", [sentence((1, "New York", "B-X"), (2, "  of ", "O"))]),
        ("a\tNN\tO\n\t\tB-X\n", [sentence((1, "a", "O"), (2, "", "B-X"))]),
        # separator lines with blanks or tabs
        ("a O\n \nb O\n", [sentence((1, "a", "O")), sentence((3, "b", "O"))]),
        ("a O\n\t\nb O\n", [sentence((1, "a", "O")), sentence((3, "b", "O"))]),
        ("a O\n \t \nb O\n", [sentence((1, "a", "O")), sentence((3, "b", "O"))]),
        ("a\tO\n\t\nb\tO\n", [sentence((1, "a", "O")), sentence((3, "b", "O"))]),
        ("a\tO\n  \nb\tO\n", [sentence((1, "a", "O")), sentence((3, "b", "O"))]),
        ("a\tx\tO\n\t\t\n\nb\tx\tO\n", [sentence((1, "a", "O")), sentence((4, "b", "O"))]),
        # several blank lines, also at both ends
        ("\n\na O\n\n\n\nb O\n\n\n", [sentence((3, "a", "O")), sentence((7, "b", "O"))]),
        # documents, with and without a blank line after them
        ("-DOCSTART- -X- O O\n\na x y O\n", [sentence((3, "a", "O"))]),
        (
            "-DOCSTART- O\na O\n-DOCSTART-\nb O\n",
            [sentence((2, "a", "O")), sentence((4, "b", "O"))],
        ),
        ("a O\n-DOCSTART- O\n\n", [sentence((1, "a", "O"))]),
        ("a -DOCSTART- O\n", [sentence((1, "a", "O"))]),
        # no newline at the end
        ("a O\nb B-X", [sentence((1, "a", "O"), (2, "b", "B-X"))]),
        ("a O\n\n-DOCSTART-", [sentence((1, "a", "O"))]),
        # line ends of another system
        (
            "a O\r\nb B-X\r\n\r\nc O\r\n",
            [sentence((1, "a", "O"), (2, "b", "B-X")), sentence((4, "c", "O"))],
        ),
        ("a O\r\nb O", [sentence((1, "a", "O"), (2, "b", "O"))]),
        ("a\tO\r\n\t\r\nb\tO\r", [sentence((1, "a", "O")), sentence((3, "b", "O"))]),
        # runs of blanks, also at the edges
        ("a   x  O\n  b x    B-X  \n", [sentence((1, "a", "O"), (2, "b", "B-X"))]),
        # types with a dash, orphans, IOB1
        (
            "a B-creative-work\nb I-creative-work\n",
            [sentence((1, "a", "B-creative-work"), (2, "b", "I-creative-work"))],
        ),
        ("a O\nb I-X\n", [sentence((1, "a", "O"), (2, "b", "I-X"))]),
        (
            "a I-X\nb B-X\n\nc I-X\n",
            [sentence((1, "a", "I-X"), (2, "b", "B-X")), sentence((4, "c", "I-X"))],
        ),
        # letters of every length in UTF-8
        ("aé€𝄞 O\n𝄞 B-é\n", [sentence((1, "aé€𝄞", "O"), (2, "𝄞", "B-é"))]),
    ],
)
def test_every_trap_is_read_as_it_stands(text: str, expected: Sentences) -> None:
    assert rows_of(read_text(text)) == expected


def test_an_iob1_file_is_told_by_looking() -> None:
    corpus = read_text("a I-X\nb B-X\n\nc I-X\nd O\n")
    assert corpus.scheme.name == "iob1" and corpus.mentions().start.tolist() == [0, 1, 2]


TEXT = "Zoë B-PER\nsaß O\n\nMünchen B-LOC\n"


@pytest.mark.parametrize(
    ("data", "options"),
    [
        # what is told by looking
        (TEXT.encode(), {}),
        (BOM + TEXT.encode(), {}),
        (BOM + TEXT.replace("\n", "\r\n").encode(), {}),
        (BOM + TEXT.replace("\n", "\r").encode(), {}),
        (TEXT.replace("\n", "\r").encode("utf-16"), {"encoding": "utf-16"}),
        # what must be said
        (TEXT.encode("latin-1"), {"encoding": "latin-1"}),
        (TEXT.encode("cp1252"), {"encoding": "cp1252"}),
        (TEXT.encode("utf-16"), {"encoding": "utf-16"}),
        (TEXT.encode("utf-16-le"), {"encoding": "utf-16-le"}),
        (TEXT.replace("\n", "\r\n").encode("utf-16"), {"encoding": "UTF-16"}),
        (BOM + TEXT.encode(), {"encoding": "utf-8-sig"}),
        (TEXT.encode(), {"encoding": "UTF8"}),
    ],
)
@pytest.mark.parametrize("packed", [False, True])
def test_encodings_and_packing_make_no_difference(
    data: bytes, options: dict[str, str], packed: bool, tmp_path: Path
) -> None:
    path = tmp_path / "f.txt"
    path.write_bytes(gzip.compress(data) if packed else data)
    expected = [
        sentence((1, "Zoë", "B-PER"), (2, "saß", "O")),
        sentence((4, "München", "B-LOC")),
    ]
    assert rows_of(read(path, **options)) == expected
    assert read(str(path), **options).name == str(path)


WIDE = "1 Ada N B-PER O\n2 met V O B-PER\n"


@pytest.mark.parametrize(
    ("text", "options", "tokens", "labels"),
    [
        # the token is the first column, the label the last, unless told; negative columns count
        # from the end
        (WIDE, {}, ["1", "2"], ["O", "B-PER"]),
        (WIDE, {"token": 1}, ["Ada", "met"], ["O", "B-PER"]),
        (WIDE, {"token": -4, "label": 3}, ["Ada", "met"], ["B-PER", "O"]),
        (WIDE, {"token": 1, "label": -2}, ["Ada", "met"], ["B-PER", "O"]),
        (WIDE, {"token": 1, "label": 4}, ["Ada", "met"], ["O", "B-PER"]),
        ("B-PER Ada\nO met\n", {"token": -1, "label": 0}, ["Ada", "met"], ["B-PER", "O"]),
        ("B-PER Ada\nO met\n", {"token": 1, "label": 0}, ["Ada", "met"], ["B-PER", "O"]),
        # lines of different width are fine where the columns are there
        ("Ada B-PER\nmet a b O\n", {}, ["Ada", "met"], ["B-PER", "O"]),
        # the separator, told and said
        ("New York\tB-PER\nof\tO\n", {}, ["New York", "of"], ["B-PER", "O"]),
        ("New York\tB-PER\nof x\tO\n", {"separator": "tab"}, ["New York", "of x"], ["B-PER", "O"]),
        ("a\tb B-PER\nof\tx O\n", {"separator": "space"}, ["a\tb", "of\tx"], ["B-PER", "O"]),
        ("a\tb B-PER\nc O\nd O\n", {}, ["a\tb", "c", "d"], ["B-PER", "O", "O"]),
    ],
)
def test_columns_are_found_where_they_are_said_to_be(
    text: str, options: dict[str, Any], tokens: list[str], labels: list[str]
) -> None:
    [found] = rows_of(read_text(text, **options))
    assert [row.token for row in found] == tokens and [row.label for row in found] == labels


CONLLU = "# {first}\n# text = Ada\n1\tAda\tB-PER\n2\tmet\tO\n\n# sent_id = 2\n# x\n1\tBob\tB-PER\n"


@pytest.mark.parametrize(
    "first",
    [
        "sent_id = 1",
        "text = Ada",
        "newpar",
        "global.columns = ID FORM NER",
        "id 7",
        "newdoc id = x",
    ],
)
def test_comments_of_conllu_are_told_by_the_first_line(first: str) -> None:
    for text in (CONLLU, "\n" + CONLLU, CONLLU.replace("# ", "#")):
        corpus = read_text(text.format(first=first), token=1)
        assert words(corpus) == [["Ada", "met"], ["Bob"]]
        offset = text.startswith("\n")
        assert corpus.lines.tolist() == [3 + offset, 4 + offset, 8 + offset]


@pytest.mark.parametrize(
    ("text", "options", "tokens"),
    [
        # a plain file whose first token is #
        ("# O\na O\n", {}, [["#", "a"]]),
        ("# idea O\na x O\n", {}, [["#", "a"]]),
        # said: yes drops them before the first token of a sentence, and nowhere else
        ("# a remark\na O\n#b O\nc O\n", {"comments": True}, [["a", "#b", "c"]]),
        ("# a\n#\n\n# b\n# c\na O\n", {"comments": True}, [["a"]]),
        ("a O\n# O\n\n# two\nb O\n# O", {"comments": True}, [["a", "#"], ["b", "#"]]),
        ("a O\n \n# two\nb O\n", {"comments": True}, [["a"], ["b"]]),
        ("a\tO\n\t\n# two\nb\tO\n", {"comments": True}, [["a"], ["b"]]),
        ("a O\n-DOCSTART- O\n# two\nb O\n", {"comments": True}, [["a"], ["b"]]),
        ("a O\n\n# only a remark\n\nb O\n", {"comments": True}, [["a"], ["b"]]),
        ("# text = x\na O\n#hash O\n# O\n", {}, [["a", "#hash", "#"]]),
        # said: no keeps them even in CoNLL-U
        ("# id O\na x O\n", {"comments": False}, [["#", "a"]]),
    ],
)
def test_lines_that_begin_with_a_hash_are_comments_only_where_that_is_so(
    text: str, options: dict[str, Any], tokens: list[list[str]]
) -> None:
    assert words(read_text(text, **options)) == tokens


@pytest.mark.parametrize(
    ("text", "documents"),
    [
        # sentences before the first document line are document 0
        ("a O\n\nb O\n", [0, 0]),
        ("-DOCSTART- O\n\na O\n\nb O\n\n-DOCSTART- O\n\nc O\n", [1, 1, 2]),
        ("a O\n\n-DOCSTART-\nb O\n-DOCSTART-\nc O\n", [0, 1, 2]),
        ("-DOCSTART-\n\n-DOCSTART-\n\na O\n", [2]),
        # CoNLL-U
        ("# newdoc id = 1\na O\n\nb O\n\n#newdoc\nc O\n", [1, 1, 2]),
        ("# newdoc\n# sent_id = 1\na O\n\n# newdocument\nb O\n", [1, 1]),
        ("# newdoc\na O\n#newdoc O\n\nb O\n", [1, 1]),  # a token inside a sentence
        ("# text = x\na O\n\n-DOCSTART- O\nb O\n\n# newdoc\nc O\n", [0, 1, 2]),
    ],
)
def test_documents_are_numbered_as_they_begin(text: str, documents: list[int]) -> None:
    assert read_text(text).documents.tolist() == documents


def test_an_empty_comment_before_the_token_newdoc_begins_no_document() -> None:
    assert read_text("a O\n\n#\nnewdoc O\n", comments=True).documents.tolist() == [0, 0]


def test_file_objects_are_read_like_files(tmp_path: Path) -> None:
    path = tmp_path / "f.txt"
    path.write_text(TEXT, encoding="utf-8")
    expected = rows_of(read(path))
    with open(path, encoding="utf-8") as text, open(path, "rb") as binary:
        assert rows_of(read(text)) == expected
        found = read(binary)
        assert rows_of(found) == expected and found.name == str(path)
    memory = read(io.StringIO(TEXT))
    assert rows_of(memory) == expected and memory.name == "<memory>"
    assert open_source(io.StringIO(TEXT), "given").name == "given"
    assert rows_of(read(io.BytesIO(TEXT.encode("latin-1")), encoding="latin-1")) == expected


def test_file_objects_may_be_packed() -> None:
    assert rows_of(read(io.BytesIO(gzip.compress(TEXT.encode())))) == rows_of(read_text(TEXT))


def test_the_encoding_says_nothing_about_text_that_is_decoded_already() -> None:
    assert rows_of(read(io.StringIO(TEXT), encoding="latin-1")) == rows_of(read_text(TEXT))


@pytest.mark.parametrize("given_as", ["lists", "corpus"])
def test_options_hold_for_corpora_in_memory_or_are_refused(given_as: str) -> None:
    lists = [(["a", "b"], ["B-X", "I-X"])]
    source: Any = lists if given_as == "lists" else Corpus.of(lists)
    with pytest.raises(
        UsageError, match=r"do not apply to sentences in memory: scheme.*Corpus\.of"
    ):
        read(source, scheme="bilou")


@pytest.mark.parametrize(
    ("options", "fact"),
    [
        ({"lable": 1}, "unknown file option 'lable'"),
        ({"format": "conl"}, "unknown format"),
    ],
)
def test_options_that_a_format_does_not_have_are_refused(
    options: dict[str, Any], fact: str, tmp_path: Path
) -> None:
    path = tmp_path / "f.txt"
    path.write_text(TEXT, encoding="utf-8")
    with pytest.raises(UsageError) as caught:
        read(path, **options)
    assert caught.value.fact == fact and "did you mean" in caught.value.fix


def test_the_format_may_be_said(tmp_path: Path) -> None:
    path = tmp_path / "f.txt"
    path.write_text(TEXT, encoding="utf-8")
    assert rows_of(read(path, format="conll")) == rows_of(read_text(TEXT))
    assert source_named(f"{path}::format=conll,label=1") == ConllFile(path, label=1)
    assert FORMATS.is_built_in("conll")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("f", ConllFile("f")),
        ("f::", ConllFile("f")),
        ("f::token=1,label=-2", ConllFile("f", token=1, label=-2)),
        ("f::separator=tab,scheme=IOB2", ConllFile("f", separator="tab", scheme="IOB2")),
        ("f::encoding=latin-1,tokens=any", ConllFile("f", encoding="latin-1", tokens="any")),
        ("f::comments=yes,", ConllFile("f", comments=True)),
        ("f::comments=FALSE", ConllFile("f", comments=False)),
        ("a=b,c::label=0", ConllFile("a=b,c", label=0)),
    ],
)
def test_options_follow_the_name_of_a_file(
    text: str, expected: ConllFile, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    name = path_of(text)
    Path(name).write_text(TEXT, encoding="utf-8")
    found = source_named(text)
    assert found == replace(expected, path=FileBytes.of(name)) and found.name == name


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # the name behind @ joins it, if both begin a mention of one type in one sentence
        ("@ B-PER\nada B-PER\nx O\n", ["B-PER", "I-PER", "O"]),
        ("@ B-PER\nada B-LOC\n", ["B-PER", "B-LOC"]),
        ("@ O\nada B-PER\nbob B-PER\n", ["O", "B-PER", "B-PER"]),
        ("@ O\nada O\n", ["O", "O"]),
        ("@ B-PER\n\nada B-PER\n", ["B-PER", "B-PER"]),
        ("x B-PER\nada B-PER\n", ["B-PER", "B-PER"]),
    ],
)
def test_handles_are_mended_on_request(text: str, expected: list[str]) -> None:
    mended, plain = read_text(text, mend="handles"), read_text(text)
    labels = [row.label for part in rows_of(mended) for row in part]
    assert labels == expected
    assert mended.reading_notes.mended_labels == sum(
        a != b.label for a, b in zip(labels, chain(*rows_of(plain)), strict=True)
    )
    assert plain.reading_notes.mended_labels == 0
    [unread] = file(text, mend="handles").chunks(Coding(), tokens=False)
    assert unread.labels is not None and mended.labels is not None
    assert unread.labels.tolist() == mended.labels.tolist()


@pytest.mark.parametrize(
    ("text", "fact", "fix"),
    [
        # unknown names
        ("f::coments=yes", "unknown file option 'coments'", "did you mean 'comments'"),
        ("f::lable=1", "unknown file option 'lable'", "did you mean 'label'"),
        ("f::separator=tabs", "unknown separator 'tabs'", "did you mean 'tab'"),
        ("f::scheme=bilous", "unknown tagging scheme 'bilous'", "did you mean 'bilou'"),
        ("f::encoding=utf-88", "unknown encoding 'utf-88'", "utf-8, latin-1"),
        # values that cannot be read
        ("f::label=last", "invalid value label=last", "give the column of the label"),
        ("f::label", "invalid value label=", "give the column of the label"),
        ("f::token=1.5", "invalid value token=1.5", "give the column of the token"),
        ("f::comments=maybe", "invalid value comments=maybe", "give yes or no"),
        ("f::tokens=some", "invalid value tokens=some", "give same, any"),
        ("f::mend=all", "invalid value mend=all", "give handles"),
        ("f::format=conl", "unknown format", "did you mean 'conll'"),
    ],
)
def test_options_that_cannot_be_understood_are_refused(
    text: str, fact: str, fix: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("f").write_text(TEXT, encoding="utf-8")
    with pytest.raises(UsageError) as caught:
        source_named(text)
    assert caught.value.fact == fact and fix in caught.value.fix


@pytest.mark.parametrize(
    ("data", "options", "place", "fact"),
    [
        # nothing to read
        (b"", {}, "f", "the file contains no sentences"),
        (b"\n \n\t\n", {}, "f", "the file contains no sentences"),
        (b"-DOCSTART- O\n\n", {}, "f", "the file contains no sentences"),
        (b"# text = x\n\n# text = y\n", {}, "f", "the file contains no sentences"),
        (BOM, {}, "f", "the file contains no sentences"),
        # no text
        (b"a O\nb\0 O\n", {}, "f: byte 5", "the file contains a NUL byte and is not a text file"),
        (
            "a O\n".encode("utf-16-le"),
            {},
            "f: byte 1",
            "the file contains a NUL byte and is not a text file",
        ),
        # another encoding
        (b"a O\n\xe9 O\n", {}, "f: byte 4", "not valid utf-8"),
        (b"a O\nb O\n\xc3", {}, "f: byte 8", "not valid utf-8: the last character is incomplete"),
        (b"a O\n\x81 O\n", {"encoding": "cp1252"}, "f: byte 4", "not valid cp1252"),
        (BOM + b"a O\n\xe9 O\n", {}, "f: byte 7", "not valid utf-8"),
        (
            BOM + b"a O\n\0 O\n",
            {},
            "f: byte 7",
            "the file contains a NUL byte and is not a text file",
        ),
        (
            "a O\nb O".encode("utf-16-le")[:-1],
            {"encoding": "utf-16-le"},
            "f: byte 12",
            "not valid utf-16-le: the last character is incomplete",
        ),
        # columns
        (b"a O\n\nb O\nc\n", {}, "f:4", "1 space-separated column where 2 are needed"),
        (b"a x O\nb O\n", {"label": 2}, "f:2", "2 space-separated columns where 3 are needed"),
        (b"a\tO\nb O\nc\tO\n", {}, "f:2", "1 tab-separated column where 2 are needed"),
        (
            b"a\tO\nb\tO\n",
            {"separator": "space"},
            "f:1",
            "1 space-separated column where 2 are needed",
        ),
        (
            b"a O\n# remark\n",
            {"label": -2, "token": -3},
            "f:1",
            "2 space-separated columns where 3 are needed",
        ),
        # labels
        (b"a O\n\nb PER\n", {}, "f:3", "label 'PER' has no prefix such as B- or I-"),
        (b"a O\nb X-PER\nc Y-PER\n", {}, "f:2", "label 'X-PER' has an unknown prefix"),
        (b"a\tO\nb\t\n", {}, "f:2", "the label is empty"),
        (b"a\tO\t\nb\tO\tO\n", {}, "f:1", "the label is empty"),
        (b"a O\nb B-\n", {}, "f:2", "label 'B-' has no type"),
        (b"a\tO\nb\tB-X \n", {}, "f:2", "label 'B-X ' begins or ends with a blank"),
        # a remark inside a sentence is a line like any other
        (
            b"# text = a\n1\tAda\tO\n# inside\n2\tmet\tO\n",
            {},
            "f:3",
            "1 tab-separated column where 2 are needed",
        ),
        (
            b"# text = a\na O\n# inside\n",
            {},
            "f:3",
            "the line begins with # and has no label: '# inside'",
        ),
        # lines that end in a carriage return
        (b"a O\r\rb X\r", {}, "f:3", "label 'X' has no prefix such as B- or I-"),
        (b"a O\rb\r", {}, "f:2", "1 space-separated column where 2 are needed"),
    ],
)
def test_what_cannot_be_read_is_refused_at_its_place(
    data: bytes, options: dict[str, Any], place: str, fact: str
) -> None:
    with pytest.raises(InputError) as caught:
        read_text(data, **options)
    assert (caught.value.place, caught.value.fact) == (place, fact)
    assert caught.value.fix


def test_the_wrong_encoding_is_met_with_the_option_to_say() -> None:
    with pytest.raises(InputError, match="encoding=latin-1"):
        read_text(TEXT.encode("latin-1"))


@pytest.mark.parametrize(
    ("name", "fact"),
    [
        ("missing.txt", "no such file"),
        (".", "this is a folder"),
        ("packed.gz", "the packed file is damaged"),
    ],
)
def test_files_that_cannot_be_opened_are_refused(name: str, fact: str, tmp_path: Path) -> None:
    packed = gzip.compress(TEXT.encode() * 50)
    for broken in (packed[:-9], packed[:20] + b"\xff" * 20 + packed[40:], packed[:-8] + b"\0" * 8):
        (tmp_path / "packed.gz").write_bytes(broken)
        with pytest.raises(InputError) as caught:
            read(tmp_path / name)
        assert caught.value.place == str(tmp_path / name) and caught.value.fact.startswith(fact)


@pytest.mark.parametrize("opened", [str, ConllFile, source_named])
def test_a_file_that_the_system_refuses_is_said_with_its_reason(
    opened: Callable[[str], Any], tmp_path: Path
) -> None:
    with pytest.raises(InputError, match="it cannot be read"):
        read(opened(str(tmp_path / ("x" * 300))))


@pytest.mark.parametrize("opened", [str, ConllFile, source_named])
def test_what_is_no_name_of_a_file_is_refused(opened: Callable[[str], Any]) -> None:
    with pytest.raises(InputError, match="not a valid file name"):
        read(opened("a\0b"))


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize("in_memory", [1 << 20, 8])
def test_a_pipe_is_read_once_and_kept(
    packed: bool, in_memory: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("nerscope.formats.files._MAX_IN_MEMORY", in_memory)
    path, data = tmp_path / "pipe", TEXT.encode()
    os.mkfifo(path)
    content = gzip.compress(data) if packed else data
    writer = threading.Thread(target=path.write_bytes, args=(content,), daemon=True)
    writer.start()
    source = open_source(path)
    writer.join(timeout=10)
    for _ in range(2):
        assert rows_of(read(source)) == rows_of(read_text(TEXT))
    assert source.name == str(path) and source.label_style().scheme.name == "bio"
    assert source.relabelled({1: "S-PER"}) == data.replace(b"B-PER", b"S-PER")


@pytest.mark.parametrize("opened", [open_source, source_named, ConllFile])
@pytest.mark.parametrize("packed", [False, True])
def test_a_dash_is_standard_input(
    opened: Callable[[str], Any], packed: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = gzip.compress(TEXT.encode()) if packed else TEXT.encode()
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(data)))
    source = opened("-")
    for _ in range(2):
        found = read(source)
        assert rows_of(found) == rows_of(read_text(TEXT)) and found.name == "<stdin>"


def test_bytes_are_known_by_their_first_ones(tmp_path: Path) -> None:
    path = tmp_path / "f.gz"
    path.write_bytes(gzip.compress(TEXT.encode()))
    assert FileBytes.of(path).head(4) == TEXT.encode()[:4]
    assert FileBytes("f", data=b"abc").head() == b"abc"


def test_a_bad_line_far_into_a_file_is_found_by_its_number(monkeypatch: pytest.MonkeyPatch) -> None:
    tiny_blocks(monkeypatch, 32)
    text = "a O\nb O\n\n" * 200
    with pytest.raises(FormatError, match=r"^f:601: label 'X' has no prefix"):
        read_text(text + "c X\n")
    with pytest.raises(FormatError, match=r"^f:602: 1 space-separated column"):
        read_text(text + "c O\nd\n\n" + text)
    with pytest.raises(InputError, match=f"^f: byte {len(text)}: not valid utf-8"):
        read_text(text.encode() + b"\xff O\n")
    with pytest.raises(InputError, match=f"^f: byte {len(text) + 1}: the file contains a NUL byte"):
        read_text(text.encode() + b"b\0 O\n")


def tiny_blocks(monkeypatch: pytest.MonkeyPatch, size: int) -> None:
    monkeypatch.setattr(read_some, "__defaults__", (size,))
    monkeypatch.setattr("nerscope.formats.columns.column_file.BLOCK", size)


class Written(NamedTuple):
    """A file's text with how to read it."""

    text: str
    tabs: bool
    comments: bool


# Letters that other readers split at, in tokens of every length; a token of a plain file holds no
# blank or tab.
odd_letters = st.sampled_from([*"ab#\"'-", "é", "\u00a0", "\u2028", "\u0085", "\x0c", "𝄞"])
plain_tokens = st.one_of(
    st.sampled_from(["a", "the", "#", "NA", '"']), st.text(odd_letters, min_size=1, max_size=20)
)
tab_tokens = st.one_of(plain_tokens, st.just(""), st.just("New York"), st.just(" x "))
all_labels = st.sampled_from(["O", "B-X", "I-X", "B-creative-work", "I-Y"])


@st.composite
def files(draw: st.DrawFn, ends: tuple[str, ...] = ("\n", "\r\n", "\r")) -> Written:
    tabs, comments = draw(st.booleans()), draw(st.booleans())
    lines: list[str] = []
    for _ in range(draw(st.integers(1, 6))):
        before = ["-DOCSTART- O", "-DOCSTART-", "-DOCSTART- O\n", "", " ", "\t"] + [
            "# newdoc",
            "# text = a",
        ] * comments
        lines += draw(st.lists(st.sampled_from(before), max_size=3))
        for place in range(draw(st.integers(1, 5))):
            token = draw(tab_tokens if tabs else plain_tokens)
            label = draw(all_labels)
            if comments and not place and token.lstrip(" ").startswith("#"):
                token = f"x{token}"
            if token.startswith("-DOCSTART-"):
                token = "x"
            middle = draw(st.sampled_from(["", "\tNN", "\t"] if tabs else ["", " NN", "  "]))
            gap = "\t" if tabs else " "
            edges = ("", "") if tabs else draw(st.sampled_from([("", ""), ("", " "), ("  ", "")]))
            lines.append(f"{edges[0]}{token}{middle}{gap}{label}{edges[1]}")
            if comments:
                lines += draw(st.lists(st.just(f"# inside{gap}O"), max_size=1))
        lines += draw(st.sampled_from([[""], ["", ""], [" "], ["\t"]]))
    end = draw(st.sampled_from(ends))
    text = "\n".join(lines) + draw(st.sampled_from(["\n", ""]))
    return Written(text.replace("\n", end), tabs, comments)


def naive(written: Written) -> tuple[Sentences, list[int]]:
    """A reader that goes line by line, slowly and plainly."""
    sentences, documents, document, is_open = Sentences(), list[int](), 0, False
    for number, line in enumerate(
        written.text.replace("\r\n", "\n").replace("\r", "\n").split("\n"), 1
    ):
        if line.startswith("-DOCSTART-"):
            document, is_open = document + 1, False
        elif written.comments and not is_open and line.startswith("#"):
            document += line == "# newdoc"
        elif not line.strip(" \t"):
            is_open = False
        else:
            fields = (
                line.split("\t") if written.tabs else [field for field in line.split(" ") if field]
            )
            if not is_open:
                sentences.append([])
                documents.append(document)
            sentences[-1].append(Row(number, fields[0], fields[-1]))
            is_open = True
    return sentences, documents


def read_written(written: Written) -> tuple[Sentences, list[int]]:
    corpus = read_text(
        written.text, separator="tab" if written.tabs else "space", comments=written.comments
    )
    return rows_of(corpus), corpus.documents.tolist()


@settings(max_examples=300, deadline=None)
@given(files())
def test_a_naive_reader_agrees(written: Written) -> None:
    assert read_written(written) == naive(written)


@st.composite
def even_lines(draw: st.DrawFn) -> tuple[bytes, bytes]:
    """Lines that have the same number of columns, but for one oddity at most."""
    gap = draw(st.sampled_from([" ", "\t"]))
    row = gap.join(["{}", *["x"] * draw(st.integers(0, 2)), "{}"])
    lines: list[str] = []
    for _ in range(draw(st.integers(1, 5))):
        lines += draw(st.sampled_from([[], [row.format("-DOCSTART-", "O")]]))
        for _ in range(draw(st.integers(1, 4))):
            lines.append(row.format(draw(plain_tokens), draw(all_labels)))
        lines += [""] * draw(st.integers(0, 2))
    odd = ["", " ", "\t", "-DOCSTART-", f"a{gap}", f"{gap}a{gap}O", f"a{gap}{gap}O", "a", "a\t \tO"]
    at = draw(st.integers(0, len(lines)))
    lines[at:at] = draw(st.sampled_from([[], [], *([line] for line in odd)]))
    return "".join(f"{line}\n" for line in lines).encode(), gap.encode()


@settings(max_examples=250, deadline=None)
@given(even_lines(), st.booleans())
def test_the_quick_and_the_careful_way_agree(written: tuple[bytes, bytes], whole: bool) -> None:
    data, gap = written

    def told(page: LineBlock) -> Any:
        page = page if whole else page.without_last_sentence()
        kept = (page.rows, page.begins, page.documents, page.comments, page.column_counts())
        columns = [[side.tolist() for side in page.field(column)] for column in (0, 1, -1)]
        return [page.size, page.n_lines, columns, *(array.tolist() for array in kept)]

    page, careful = lay_out(data, gap, False, 2, [-1]), _careful_block(data, gap, False, 2, [-1])
    fields = {len(line.split(gap)) for line in data.split(b"\n") if line}
    empty = gap + gap in data or b"\n" + gap in b"\n" + data or gap + b"\n" in data
    assert page.is_even == (
        len(fields) == 1 and min(fields) > 1 and not empty and data[:1] != b"\n"
    )
    if page.is_even:
        assert told(page) == told(careful)


@settings(max_examples=300, deadline=None)
@given(
    st.lists(st.sampled_from([b"a", b" O\n", *"é€𝄞".encode(), b"\xff", b"\xc0", b"\xed"])).map(
        lambda parts: b"".join(part if isinstance(part, bytes) else bytes([part]) for part in parts)
    ),
    st.integers(1, 9),
)
def test_bytes_that_are_no_characters_are_refused_at_their_place(data: bytes, size: int) -> None:
    def outcome() -> str:
        try:
            return "".join(block.decode() for block in line_blocks(io.BytesIO(data), "f"))
        except InputError as error:
            return str(error).partition(" not valid")[0]

    with pytest.MonkeyPatch.context() as patch:
        tiny_blocks(patch, size)
        try:
            expected = data.decode()
            expected += "\n" * (expected[-1:] not in ("", "\n"))
        except UnicodeDecodeError as error:
            expected = f"f: byte {error.start}:"
        assert outcome() == expected


@settings(max_examples=200, deadline=None)
@given(files(ends=("\n", "\r\n")), st.integers(16, 64))
def test_tiny_blocks_give_the_corpus_of_one_block(written: Written, size: int) -> None:
    whole = read_written(written)
    with pytest.MonkeyPatch.context() as patch:
        tiny_blocks(patch, size)
        assert read_written(written) == whole


@pytest.mark.parametrize("size", [1, 9, 10, 16, 64])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_line_ends_of_every_kind_may_be_cut_by_a_block(
    end: str, size: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    tiny_blocks(monkeypatch, size)
    text = end.join(["Ada B-PER", "met O", "", "Bob B-PER", ""])
    assert rows_of(read_text(text)) == [
        sentence((1, "Ada", "B-PER"), (2, "met", "O")),
        sentence((4, "Bob", "B-PER")),
    ]


@settings(max_examples=60, deadline=None)
@given(
    st.text(st.sampled_from("aé€𝄞"), min_size=1, max_size=60),
    st.integers(1, 7),
    st.sampled_from(["utf-8", "utf-16", "utf-32"]),
)
def test_letters_that_are_cut_by_a_block_are_put_together(
    token: str, size: int, encoding: str
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        tiny_blocks(patch, size)
        corpus = read_text(f"{token} O\nb B-X\n".encode(encoding), encoding=encoding)
    assert rows_of(corpus) == [sentence((1, token, "O"), (2, "b", "B-X"))]


def test_chunks_hold_whole_sentences_and_share_their_codes(monkeypatch: pytest.MonkeyPatch) -> None:
    tiny_blocks(monkeypatch, 32)
    text = "Ada B-PER\nLovelace I-PER\n\nmet O\nAda B-PER\n\n" * 20
    parts = list(file(text).chunks(Coding()))
    assert len(parts) > 5
    assert sum(map(len, parts)) == 40
    assert {tuple(part.words(k)) for part in parts for k in range(len(part))} == {
        ("Ada", "Lovelace"),
        ("met", "Ada"),
    }
    assert [line for part in parts for line in part.lines.tolist()] == [
        6 * k + at for k in range(20) for at in (1, 2, 4, 5)
    ]


def test_nothing_but_blank_lines_may_follow_the_last_chunk(monkeypatch: pytest.MonkeyPatch) -> None:
    tiny_blocks(monkeypatch, 8)
    text = "a O\n\n" + "b O\n\n" + "\n" * 100 + "-DOCSTART- O\n" + "\n" * 50
    assert words(read_text(text)) == [["a"], ["b"]]


def test_tokens_are_left_out_where_nobody_asks_for_them() -> None:
    [part] = file("Ada B-PER\nspoke O\n").chunks(Coding(), tokens=False)
    assert not len(part.tokens) and part.n_tokens == 2


@pytest.mark.parametrize(
    ("text", "sentences", "tokens"),
    [
        # a sentence of a million tokens, a token of a megabyte, a million sentences of one token
        ("Ada B-PER\n" + "x O\n" * 999_999, 1, 1_000_000),
        ("a O\n" + "y" * 1_000_000 + " B-PER\n\nb O\n", 2, 3),
        ("x O\n\n" * 999_999 + "Ada B-PER\n", 1_000_000, 1_000_000),
    ],
    ids=["long sentence", "long token", "many sentences"],
)
def test_extremes_of_size_are_read_in_time(text: str, sentences: int, tokens: int) -> None:
    start = time.perf_counter()
    corpus = read_text(text)
    assert (len(corpus), corpus.n_tokens, len(corpus.mentions())) == (sentences, tokens, 1)
    mention = int(corpus.mentions().start[0])
    name = corpus.coding.tokens.string(int(corpus.tokens[mention]))
    assert name in ("Ada", "y" * 1_000_000)
    assert text.split("\n")[int(corpus.lines[mention]) - 1] == f"{name} B-PER"
    assert time.perf_counter() - start < 20


@pytest.mark.slow
def test_a_long_line_is_read_in_linear_time(tmp_path: Path) -> None:
    def seconds(size: int) -> float:
        path = tmp_path / "long.txt"
        path.write_bytes(b"Ada " + b"x" * size + b" B-PER\n\nb O\n")
        start = time.perf_counter()
        assert len(read(path)) == 2
        return time.perf_counter() - start

    assert seconds(150_000_000) < 5


def test_a_sentence_of_many_blocks_is_read_in_linear_time(monkeypatch: pytest.MonkeyPatch) -> None:
    tiny_blocks(monkeypatch, 1 << 10)
    corpus = read_text("x O\n" * 50_000 + "Ada B-PER\n")
    assert (len(corpus), corpus.n_tokens) == (1, 50_001)


def test_a_column_may_name_the_document(tmp_path: Path) -> None:
    text = "d1\tAda\tB-PER\nd1\tmet\tO\n\nd1\tBob\tO\n\nd2\tOslo\tB-LOC\n\nd1\tRome\tO\n"
    (tmp_path / "x.txt").write_text(text)
    file = nerscope.ConllFile(tmp_path / "x.txt", token=1, document=0)
    assert nerscope.read(file).documents.tolist() == [1, 1, 2, 3]
    with pytest.raises(FormatError, match="3 tab-separated columns where 6 are needed"):
        nerscope.read(nerscope.ConllFile(tmp_path / "x.txt", token=1, document=5))


def test_documents_named_by_a_column_go_on_over_blocks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = [f"d{k // 7}\tw{k}\tO\n" for k in range(60)]
    (tmp_path / "x.txt").write_text("\n".join(lines))
    file = nerscope.ConllFile(tmp_path / "x.txt", token=1, document=0)
    whole = nerscope.read(file).documents.tolist()
    assert whole == [1 + k // 7 for k in range(60)]
    monkeypatch.setattr("nerscope.formats.columns.column_file.BLOCK", 40)
    monkeypatch.setattr("nerscope.formats.files.BLOCK", 40)
    assert nerscope.read(file).documents.tolist() == whole
