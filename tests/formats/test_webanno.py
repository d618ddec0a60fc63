"""WebAnno TSV 3: layers as columns, numbers, stacks, escapes, parts of tokens, UTF-16 offsets."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import nerscope
from nerscope.corpus.corpus import Coding, Corpus, join_chunks
from nerscope.corpus.schemes import BIO
from nerscope.errors import InputError, NerscopeError, UsageError
from nerscope.formats.base import open_source, read
from nerscope.formats.files import FileBytes
from nerscope.formats.standoff.text import CUT, records_of
from nerscope.formats.standoff.webanno import EMPTY, LAYERS, UNNAMED, WITHOUT, WebannoSource, fits
from nerscope.formats.standoff.webanno_writing import write_webanno, write_webanno_folder

NER = "de.tudarmstadt.ukp.dkpro.core.api.ner.type.NamedEntity"
POS = "de.tudarmstadt.ukp.dkpro.core.api.lexmorph.type.pos.POS"
FORMAT = "#FORMAT=WebAnno TSV 3.3\n"
HEAD = FORMAT + f"#T_SP={NER}|identifier|value\n\n"


def units(text: str) -> int:
    return len(text.encode("utf-16-le")) // 2


def body_of(*sentences: Sequence[tuple[str, ...]]) -> str:
    """Sentences of tokens and their columns, with a blank between tokens, numbered and located."""
    lines, done = [], 0
    for number, rows in enumerate(sentences, 1):
        lines += ["", "#Text=" + " ".join(row[0].replace("\\", "\\\\") for row in rows)]
        for at, (word, *columns) in enumerate(rows, 1):
            end = done + units(word)
            lines.append("\t".join([f"{number}-{at}", f"{done}-{end}", word, *columns]) + "\t")
            done = end + 1
    return "\n".join(lines) + "\n"


def source(text: str, **options: Any) -> WebannoSource:
    return WebannoSource(FileBytes("f.tsv", data=text.encode()), **options)


def corpus_of(text: str, **options: Any) -> Corpus:
    return join_chunks(list(source(text, **options).chunks(Coding())))


def surfaces(corpus: Corpus) -> list[tuple[str, str]]:
    return [
        (span.type, record.text[slice(*span.fragments[0])])
        for record in records_of(corpus)
        for span in record.spans
    ]


def noticed(corpus: Corpus) -> dict[str, tuple[int, tuple[str, ...]]]:
    return {kind: (one.times, one.items) for kind, one in corpus.reading_notes.notes.items()}


def test_a_file_is_read() -> None:
    first = [
        ("Ada", "_", "PER[1]"),
        ("Lee", "_", "PER[1]"),
        ("saw", "_", "_"),
        ("Oslo", "Q1", "LOC"),
    ]
    corpus = corpus_of(HEAD + body_of(first, [("Bo", "*", "PER"), (".", "_", "_")]))
    assert [corpus.words(k) for k in range(len(corpus))] == [
        ["Ada", "Lee", "saw", "Oslo"],
        ["Bo", "."],
    ]
    assert surfaces(corpus) == [("PER", "Ada Lee"), ("LOC", "Oslo"), ("PER", "Bo")]
    assert corpus.documents.tolist() == [0, 0]
    assert corpus.lines.tolist() == [6, 6, 6, 6, 12, 12]
    assert corpus.gaps is not None
    assert corpus.gaps.tolist() == ["", " ", " ", " ", "\n", " "]


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        (["PER", "PER"], [("PER", "a"), ("PER", "b")]),
        (["PER[1]", "PER[1]"], [("PER", "a b")]),
        (["PER[1]", "PER[2]"], [("PER", "a"), ("PER", "b")]),
        # stacked and nested
        (["PER[1]|LOC[2]", "_"], [("LOC", "a"), ("PER", "a")]),
        (["PER[1]|LOC[2]", "PER[1]"], [("LOC", "a"), ("PER", "a b")]),
        (["PER|LOC", "_"], [("LOC", "a"), ("PER", "a")]),
        (["PER[1]|PER[2]", "PER[2]|PER[1]"], [("PER", "a b")]),  # the same mention counts once
        # a number that is used again further on, or for another value, is another mention
        (["PER[1]", "_", "PER[1]"], [("PER", "a"), ("PER", "c")]),
        (["PER[1]", "LOC[1]"], [("PER", "a"), ("LOC", "b")]),
        # escapes
        ([r"a\_b", "_"], [("a_b", "a")]),
        ([r"a\|b[1]", r"a\|b[1]"], [("a|b", "a b")]),
        ([r"x\[1\]", "_"], [("x[1]", "a")]),
        ([r"x\\[1]", "_"], [("x\\", "a")]),
        ([r"a\->b\;c\*", "_"], [("a->b;c*", "a")]),
        ([r"\_", r"\*"], [("_", "a"), ("*", "b")]),
        ([r"\|", r"\||x[2]"], [("|", "a"), ("|", "b"), ("x", "b")]),
        ([r"a\tb", "_"], [("a\tb", "a")]),
        (["a_b[c]", "_"], [("a_b[c]", "a")]),
    ],
)
def test_values_are_mentions(values: list[str], expected: list[tuple[str, str]]) -> None:
    words = "abc"[: len(values)]
    rows = [(word, "_", value) for word, value in zip(words, values, strict=True)]
    assert sorted(surfaces(corpus_of(HEAD + body_of(rows)))) == sorted(expected)


def test_annotations_without_a_value_are_named_after_their_layer() -> None:
    corpus = corpus_of(HEAD + body_of([("Ada", "Q7", "*"), ("Lee", "_", "PER")]))
    assert surfaces(corpus) == [("NamedEntity", "Ada"), ("PER", "Lee")]
    assert noticed(corpus) == {UNNAMED: (1, ())}


def test_parts_of_tokens_become_tokens() -> None:
    rows = "#Text=New Yorker\n1-1\t0-3\tNew\tLOC[1]\t\n1-2\t4-10\tYorker\t_\t\n"
    rows += "1-2.1\t4-8\tYork\tLOC[1]\t\n1-2.2\t8-10\ter\tSUF\t\n"
    corpus = corpus_of(FORMAT + f"#T_SP={NER}|value\n\n\n{rows}")
    assert corpus.words(0) == ["New", "York", "er"]
    assert surfaces(corpus) == [("LOC", "New York"), ("SUF", "er")]
    assert noticed(corpus) == {CUT: (1, ())}


def test_annotations_between_characters_are_left_out_and_counted() -> None:
    rows = "#Text=is it\n1-1\t0-2\tis\t_\t\n1-1.1\t0-0\t\tX[1]|Y[2]\t\n1-2\t3-5\tit\tZ\t\n"
    corpus = corpus_of(ONE + rows)
    assert surfaces(corpus) == [("Z", "it")]
    assert noticed(corpus) == {EMPTY: (2, ())}


def test_mentions_that_begin_and_end_inside_of_tokens_are_put_together() -> None:
    rows = "#Text=aaaa bbbb cccc\n1-1\t0-4\taaaa\tP[1]\t\n1-1.1\t2-4\taa\tQ[2]\t\n"
    rows += "1-2\t5-9\tbbbb\tQ[2]\t\n1-2.1\t5-7\tbb\tP[1]\t\n1-3\t10-14\tcccc\t_\t\n"
    corpus = corpus_of(ONE + rows + "1-3.1\t10-11\tc\tQ[2]\t\n")
    assert surfaces(corpus) == [("P", "aaaa bb"), ("Q", "aa bbbb c")]


def test_offsets_count_utf_16_units() -> None:
    rows = [("😀", "_", "_"), ("e\u0301𝒳", "_", "X"), ("Ada", "_", "PER")]
    corpus = corpus_of(HEAD + body_of(rows, [("Bo", "_", "PER")]))
    assert surfaces(corpus) == [("X", "e\u0301𝒳"), ("PER", "Ada"), ("PER", "Bo")]


def test_a_sentence_may_stand_on_several_lines_and_a_mention_in_several_sentences() -> None:
    text = "#Text=Ada\n#Text=Lee\n1-1\t0-3\tAda\tPER[1]\t\n1-2\t4-7\tLee\tPER[1]\t\n\n"
    text += "#Text=of X\n2-1\t8-10\tof\tPER[1]\t\n2-2\t11-12\tX\tPER[1]\t\n\n#Text=y\n"
    text += "3-1\t12-13\ty\tPER[2]\t\n"
    corpus = corpus_of(FORMAT + f"#T_SP={NER}|value\n\n\n{text}")
    assert [corpus.words(k) for k in range(len(corpus))] == [["Ada", "Lee", "of", "X"], ["y"]]
    assert surfaces(corpus) == [("PER", "Ada Lee\nof X"), ("PER", "y")]


def test_numbers_that_begin_anew_in_each_sentence_do_not_join_them() -> None:
    rows = [("Ada", "_", "PER[1]"), ("Lee", "_", "PER[1]"), (".", "_", "_")]
    assert len(corpus_of(HEAD + body_of(rows, rows))) == 2


@pytest.mark.parametrize(
    ("version", "escaped", "text"),
    [("3.3", r"a\\b", r"a\b"), ("3.1", r"\u0061\\b", r"a\b"), ("3", r"a\\b", r"a\b")],
)
def test_escapes_in_texts_are_read(version: str, escaped: str, text: str) -> None:
    head = f"#FORMAT=WebAnno TSV {version}\n#T_SP={NER}|value\n\n\n"
    corpus = corpus_of(f"{head}#Text={escaped}\n1-1\t0-3\t{text}\tX\t\n")
    assert corpus.words(0) == [text]


CUSTOM = f"#T_SP={POS}|PosValue\n#T_SP=webanno.custom.Name|kind\n"
LINKS = (
    "#T_SP=webanno.custom.Frame|FE|ROLE_webanno.custom.Frame:R_webanno.custom.L|webanno.custom.X\n"
)
RELATION = f"#T_RL=webanno.custom.Rel|label|BT_{NER}\n"
CHAIN = "#T_CH=de.tudarmstadt.ukp.dkpro.core.api.coref.type.CoreferenceLink|referenceType|rel\n"


@pytest.mark.parametrize(
    ("head", "columns", "options", "kind", "others"),
    [
        (CUSTOM, ("NN", "a"), {}, "a", ("POS",)),
        (CUSTOM, ("NN", "a"), {"layer": "POS"}, "NN", ("Name",)),
        (CUSTOM, ("NN", "a"), {"layer": POS, "feature": "PosValue"}, "NN", ("Name",)),
        (CUSTOM + f"#T_SP={NER}|value\n", ("NN", "a", "b"), {}, "b", ("POS", "Name")),
        ("#T_SP=webanno.custom.Quote|\n", ("*",), {}, "Quote", ()),
        ("#T_SP=webanno.custom.Two|x|y\n", ("a", "b"), {"feature": "y"}, "b", ()),
        (LINKS, ("go", "who", "1-1"), {}, "go", ()),
        (f"#T_SP={NER}|value\n{CHAIN}{RELATION}", ("a", "p[1]", "*->1-1", "r", "1-1"), {}, "a",
         ("CoreferenceLink", "Rel")),
    ],
)  # fmt: skip
def test_the_layer_and_its_feature_are_found(
    head: str, columns: tuple[str, ...], options: dict[str, str], kind: str, others: tuple[str, ...]
) -> None:
    corpus = corpus_of(FORMAT + head + "\n" + body_of([("Ada", *columns)]), **options)
    assert surfaces(corpus) == [(kind, "Ada")]
    assert noticed(corpus).get(LAYERS, (0, ())) == (len(others), others)


@pytest.mark.parametrize(
    ("head", "options", "fact"),
    [
        (CUSTOM, {"layer": "Nam"}, "unknown layer 'Nam'"),
        (CUSTOM, {"feature": "x"}, "the layer Name has no feature 'x'"),
        (CUSTOM + "#T_SP=webanno.custom.B|x\n", {}, "several layers may have the mentions"),
        ("#T_SP=a.N|x\n#T_SP=b.N|x\n", {"layer": "N"}, "several layers may have the mentions"),
        ("#T_SP=webanno.custom.B|x|y\n", {}, "which feature of the layer B is the type"),
        (CUSTOM, {"layer": 3}, "invalid value 3"),
        (CUSTOM, {"feature": 3}, "invalid value 3"),
    ],
)
def test_layers_that_cannot_be_told_are_asked_for(
    head: str, options: dict[str, Any], fact: str
) -> None:
    with pytest.raises(UsageError) as caught:
        source(FORMAT + head + "\n", **options)
    assert fact in caught.value.fact


ONE = f"{FORMAT}#T_SP={NER}|value\n\n\n"


@pytest.mark.parametrize(
    ("text", "place", "fact"),
    [
        ("", "f.tsv", "the file contains no sentences"),
        (ONE, "f.tsv", "the file contains no sentences"),
        ("#FORMAT=WebAnno TSV 2\n", "f.tsv:1", "not a WebAnno TSV 3 file"),
        ("Ada B-PER\n", "f.tsv:1", "not a WebAnno TSV 3 file"),
        (ONE + "1-1\t0-1\ta\t_\t\n", "f.tsv:5", "no #Text= line before the token"),
        (ONE + "#Text=a\n1-1\t0-1\ta\n", "f.tsv:6", "3 tab-separated columns where 4 are needed"),
        (
            ONE + "#Text=a\n1\t0-1\ta\t_\t\n",
            "f.tsv:6",
            "the line does not begin with a token number",
        ),
        (ONE + "#Text=a\n1-1\tx-1\ta\t_\t\n", "f.tsv:6", "'x-1' is not a pair of offsets"),
        (ONE + "#Text=a\n1-1\t0-2\ta\t_\t\n", "f.tsv:6", "are outside the text of the sentence"),
        (ONE + "#Text=a\n1-1\t1-0\ta\t_\t\n", "f.tsv:6", "are outside the text of the sentence"),
        (ONE + "#Text=😀a\n1-1\t0-1\t😀\t_\t\n", "f.tsv:6", "are outside the text"),
        (ONE + "#Text=a\n1-1\t0-1\tb\t_\t\n", "f.tsv:6", "the text at 0-1 is 'a', not 'b'"),
        (ONE + "#Text=a\n1-1\t0-1\ta\t\t\n", "f.tsv:6", "'' is not the value of a layer"),
        (ONE + "#Text=a\n1-1\t0-1\ta\tX|\t\n", "f.tsv:6", "'X|' is not the value of a layer"),
        (ONE + "#Text=a\n1-1\t0-1\ta\tX\\\t\n", "f.tsv:6", "is not the value of a layer"),
        (
            ONE + f"#Text=a\n1-1\t0-1\ta\t{'X' * 99999}\\\t\n",
            "f.tsv:6",
            "is not the value of a layer",
        ),
        (
            ONE + "#Text=ab\n1-1\t0-1\ta\t_\t\n1-2\t0-2\tab\t_\t\n",
            "f.tsv:6",
            "overlaps the token before",
        ),
        (ONE + "#Text=a\0\n", "f.tsv: byte", "the file contains a NUL byte"),
    ],
)
def test_what_cannot_be_read_is_refused(text: str, place: str, fact: str) -> None:
    with pytest.raises(InputError) as caught:
        corpus_of(text)
    assert caught.value.place.startswith(place)
    assert fact in caught.value.fact


def test_a_document_without_the_layer_has_no_mentions() -> None:
    corpus = corpus_of(FORMAT + "\n\n#Text=a\n1-1\t0-1\ta\t\n")
    assert len(corpus.mentions()) == 0
    assert noticed(corpus) == {WITHOUT: (1, ("f.tsv",))}


def test_a_folder_is_a_document_a_file(tmp_path: Path) -> None:
    (tmp_path / "b.tsv").write_text(ONE + body_of([("Bo", "PER")]))
    (tmp_path / "a.tsv").write_text(f"{FORMAT}#T_SP={NER}|\n\n" + body_of([("Ada", "*")]))
    (tmp_path / "c.tsv").write_text(FORMAT + "\n" + body_of([("c",)]))
    corpus = read(tmp_path)
    assert corpus.documents.tolist() == [0, 1, 2]
    assert surfaces(corpus) == [("NamedEntity", "Ada"), ("PER", "Bo")]
    assert noticed(corpus) == {UNNAMED: (1, ()), WITHOUT: (1, ("c.tsv",))}


def test_an_empty_document_keeps_no_other_from_being_read(tmp_path: Path) -> None:
    (tmp_path / "a.tsv").write_text(ONE)
    with pytest.raises(InputError, match="the file contains no sentences"):
        read(tmp_path)
    (tmp_path / "b.tsv").write_text(ONE + body_of([("Bo", "PER")]))
    assert surfaces(read(tmp_path)) == [("PER", "Bo")]


def test_a_folder_without_files_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"the folder contains no \.tsv file"):
        read(tmp_path, format="webanno")


@pytest.mark.parametrize(
    ("head", "claimed"),
    [
        (HEAD.encode(), True),
        (b"\xef\xbb\xbf" + HEAD.encode(), True),
        (b"Ada\tB-PER\n", False),
        (b"#FORMAT\n", False),
        (b"", False),
    ],
)
def test_files_are_known_by_their_first_line(head: bytes, claimed: bool, tmp_path: Path) -> None:
    assert fits("x.tsv", head) is claimed
    (tmp_path / "x.tsv").write_bytes(head)
    assert fits(str(tmp_path), b"") is claimed


def test_line_ends_may_be_those_of_windows() -> None:
    text = HEAD + body_of([("Ada", "_", "PER")])
    assert surfaces(corpus_of(text.replace("\n", "\r\n"))) == [("PER", "Ada")]


def test_a_system_may_have_other_tokens(tmp_path: Path) -> None:
    (tmp_path / "gold.tsv").write_text(HEAD + body_of([("Ada-Lee", "_", "PER"), ("x", "_", "_")]))
    (tmp_path / "system.txt").write_text("Ada B-PER\n- I-PER\nLee I-PER\nx O\n")
    assert isinstance(open_source(tmp_path / "gold.tsv"), WebannoSource)
    results = nerscope.evaluate(tmp_path / "gold.tsv", {"s": tmp_path / "system.txt"})
    assert results.value(system="s", metric="f1") == 1.0


LETTERS = st.one_of(
    st.sampled_from(list("ab|=_#-.;:[]*>\"'\\\u0301\u05d0\u200d😀")),
    st.characters(exclude_categories=["Cs", "Z", "Cc"]),
)
WORDS = st.text(LETTERS, min_size=1, max_size=6)
TYPES = st.text(st.one_of(LETTERS, st.sampled_from("\t \n\u2028")), min_size=1, max_size=6)


@st.composite
def sentences(draw: st.DrawFn) -> tuple[list[str], list[tuple[int, int, str]]]:
    words = draw(st.lists(WORDS, min_size=1, max_size=6))
    spans = []
    for _ in range(draw(st.integers(0, 4))):
        low, high = sorted(draw(st.sets(st.integers(0, len(words)), min_size=2, max_size=2)))
        spans.append((low, high, draw(TYPES)))
    return words, spans


def listed(corpus: Corpus) -> list[tuple[int, int, str]]:
    found, types = corpus.mentions(), corpus.coding.labels.types
    kinds = [types[kind] for kind in found.type]
    return sorted(zip(found.start.tolist(), found.end.tolist(), kinds, strict=True))


@settings(max_examples=100)
@given(st.lists(sentences(), min_size=1, max_size=4))
def test_what_is_written_is_read_back(given_sentences: list[Any]) -> None:
    corpus = Corpus.of(given_sentences)
    data = write_webanno(corpus, BIO)
    found = join_chunks(list(WebannoSource(FileBytes("f.tsv", data=data)).chunks(Coding())))
    assert [found.words(k) for k in range(len(found))] == [words for words, _ in given_sentences]
    assert listed(found) == listed(corpus)
    assert write_webanno(found, BIO) == data


def test_the_file_is_as_inception_writes_it() -> None:
    spans = [(0, 2, "PER"), (0, 1, "a_b"), (3, 4, "LOC")]
    corpus = Corpus.of([(["Ada", "😀", "in", "Oslo"], spans), ([".\\"], [])])
    lines = [
        *("#FORMAT=WebAnno TSV 3.3", f"#T_SP={NER}|value", "", ""),
        *("#Text=Ada 😀 in Oslo", "1-1\t0-3\tAda\ta\\_b[1]|PER[2]\t", "1-2\t4-6\t😀\tPER[2]\t"),
        *("1-3\t7-9\tin\t_\t", "1-4\t10-14\tOslo\tLOC\t", ""),
        *("#Text=.\\\\", "2-1\t15-17\t.\\\t_\t"),
    ]
    assert write_webanno(corpus, BIO).decode() == "\n".join(lines) + "\n"


def test_documents_are_written_as_files(tmp_path: Path) -> None:
    (tmp_path / "x.txt").write_text("-DOCSTART- O\n\nAda B-PER\n\n-DOCSTART- O\n\nBo B-PER\n")
    corpus = read(tmp_path / "x.txt")
    files = write_webanno_folder(corpus, BIO)
    assert list(files) == ["1.tsv", "2.tsv"]
    assert "#Text=Bo\n1-1\t0-2\tBo\tPER\t\n" in files["2.tsv"].decode()
    with pytest.raises(InputError, match="2 documents do not fit into one WebAnno file"):
        write_webanno(corpus, BIO)


def test_a_name_with_an_ending_is_a_file_and_one_without_a_folder(tmp_path: Path) -> None:
    given = [(["Ada"], ["B-PER"])]
    nerscope.convert(given, f"{tmp_path / 'a.tsv'}::format=webanno")
    nerscope.convert(given, f"{tmp_path / 'a'}::format=webanno")
    assert (tmp_path / "a.tsv").read_bytes() == (tmp_path / "a" / "1.tsv").read_bytes()


def test_mentions_with_holes_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("left and right ventricle")
    (tmp_path / "a.ann").write_text("T1\tX 0 4;15 24\tleft ventricle\n")
    with pytest.raises(InputError, match="a mention is discontinuous, which WebAnno cannot hold"):
        write_webanno(read(tmp_path), BIO)


@pytest.mark.parametrize(
    ("sentence", "fact"),
    [
        ((["a\tb"], ["O"]), "a token that lines and columns cannot hold"),
        ((["a\rb"], ["O"]), "a token that lines and columns cannot hold"),
        (([""], ["O"]), "the token '' is empty, or begins or ends with a blank"),
        ((["\xa0a"], ["O"]), "the token .* is empty, or begins or ends with a blank"),
        ((["a"], [(0, 1, "x\ry")]), "a type contains a line end, which columns cannot hold"),
    ],
)
def test_what_cannot_be_written_is_refused(sentence: Any, fact: str) -> None:
    with pytest.raises(NerscopeError, match=fact):
        write_webanno(Corpus.of([sentence]), BIO)


@settings(max_examples=150)
@given(st.integers(0, 200), st.integers(0, 12), st.text("\t\n|=_[]()-.019;\\ *#Te", max_size=3))
def test_damaged_files_are_read_or_refused(at: int, size: int, other: str) -> None:
    text = ONE + body_of([("Ada", "PER[1]"), ("😀", "PER[1]|X[2]")], [("b", "_")])
    try:
        corpus = corpus_of(text[:at] + other + text[at + size :])
    except NerscopeError as error:
        assert error.place.startswith("f.tsv")
    else:
        assert corpus.n_tokens == len(corpus.tokens)
