"""CSV and TSV with a header: one token, sentence, text or mention per row."""

import csv
import io
import json
import random
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nerscope.corpus.corpus import Coding, Corpus, join_chunks
from nerscope.corpus.schemes import BIO
from nerscope.errors import FormatError, InputError, NerscopeError, UsageError
from nerscope.formats.base import FORMATS, open_source, source_named
from nerscope.formats.files import FileBytes
from nerscope.formats.tables.csv_file import UNMARKED, CsvFile, fits, write_csv

Mention = tuple[str, str]


def source(text: str | bytes, /, **options: Any) -> CsvFile:
    data = text if isinstance(text, bytes) else text.encode()
    return CsvFile(FileBytes("f.csv", data=data), **options)


def corpus_of(text: str | bytes, /, **options: Any) -> Corpus:
    return join_chunks(list(source(text, **options).chunks(Coding())))


def sentences_of(corpus: Corpus) -> list[list[str]]:
    return [corpus.words(k) for k in range(len(corpus))]


def mentions_of(corpus: Corpus) -> list[Mention]:
    found, types = corpus.mentions(), corpus.coding.labels.types
    words = corpus.coding.tokens.strings(corpus.tokens)
    return [
        (" ".join(words[start:end]), types[kind])
        for start, end, kind in zip(found.start, found.end, found.type, strict=True)
    ]


ADA = [["Ada", "Lee", "spoke"], ["in", "Oslo"]]
ADA_MENTIONS = [("Ada Lee", "PER"), ("Oslo", "LOC")]
HUGE = "0x" + "f" * 5000
KAGGLE = (
    "Sentence #,Word,POS,Tag\nSentence: 1,Ada,NNP,B-PER\n,Lee,NNP,I-PER\n,spoke,VBD,O\n"
    "Sentence: 2,in,IN,O\n,Oslo,NNP,B-LOC\n"
)


@pytest.mark.parametrize(
    ("text", "options"),
    [
        (KAGGLE, {}),
        (KAGGLE.replace(",", ";"), {}),
        (KAGGLE.replace(",", "\t"), {}),
        (KAGGLE.replace("\n", "\r\n"), {}),
        (KAGGLE.replace("\n", "\r"), {}),
        ("\ufeff" + KAGGLE, {}),
        ("sep=;\n" + KAGGLE.replace(",", ";"), {}),
        (KAGGLE.replace("Word", "Wort"), {"token": "Wort"}),
        (KAGGLE.replace("Word", "Wort"), {"token": "wort"}),
        (KAGGLE.replace("Word", "Wort"), {"token": "1"}),
        (KAGGLE.replace("Tag", "gold"), {"label": "gold"}),
        (KAGGLE.replace("Tag", "gold"), {"label": "-1"}),
        (KAGGLE.replace("Sentence #", "nr"), {"sentence": "nr"}),
        # blank lines end sentences
        ("token\tlabel\nAda\tB-PER\nLee\tI-PER\nspoke\tO\n\nin\tO\nOslo\tB-LOC\n", {}),
        ("token,label\nAda,B-PER\nLee,I-PER\nspoke,O\n,\nin,O\nOslo,B-LOC\n", {}),
        # simpletransformers
        (
            "sentence_id,words,labels\n0,Ada,B-PER\n0,Lee,I-PER\n0,spoke,O\n1,in,O\n1,Oslo,B-LOC\n",
            {},
        ),
        # R writes no name for the column of row names
        (
            '"sentence_id"\t"token"\t"tag"\n"1"\t1\t"Ada"\t"B-PER"\n"2"\t1\t"Lee"\t"I-PER"\n'
            '"3"\t1\t"spoke"\t"O"\n"4"\t2\t"in"\t"O"\n"5"\t2\t"Oslo"\t"B-LOC"\n',
            {},
        ),
        # a number in the column `sentence`, blanks after separators, numeric labels
        ("sentence, text, ner\n1, Ada, 1\n1, Lee, 2\n1, spoke, 0\n2, in, 0\n2, Oslo, 3\n", 7),
        # one sentence per row
        ("text,labels\nAda Lee spoke,B-PER I-PER O\nin Oslo,O B-LOC\n", {}),
        ('text,labels\nAda Lee spoke,"B-PER, I-PER, O"\nin Oslo,"O,B-LOC"\n', {}),
        (
            "Sentence #,Sentence,POS,Tag\nSentence: 1,Ada Lee spoke,\"['NNP', 'NNP', 'VBD']\","
            "\"['B-PER', 'I-PER', 'O']\"\n"
            "Sentence: 2,in Oslo,\"['IN', 'NNP']\",\"['O', 'B-LOC']\"\n",
            {},
        ),
        (
            ",tokens,ner_tags\n0,\"['Ada', 'Lee', 'spoke']\",\"['B-PER', 'I-PER', 'O']\"\n"
            '1,"[""in"", ""Oslo""]","[""O"", ""B-LOC""]"\n',
            {},
        ),
        # numpy writes arrays without commas
        (
            "tokens,ner_tags\n\"['Ada' 'Lee'\n 'spoke']\",\"['B-PER' 'I-PER' 'O']\"\n"
            "\"['in' 'Oslo']\",\"['O' 'B-LOC']\"\n",
            {},
        ),
        ("tokens,tags\n\"['Ada' 'Lee' 'spoke']\",[1 2 0]\n\"['in', 'Oslo']\",\"[0, 3]\"\n", 7),
    ],
)
def test_labels_are_read_from_every_layout(text: str, options: Any) -> None:
    if options == 7:
        options = {"names": ["O", "B-PER", "I-PER", "B-LOC"]}
    corpus = corpus_of(text, **options)
    assert sentences_of(corpus) == ADA
    assert mentions_of(corpus) == ADA_MENTIONS
    assert source(text, **options).always_flat
    assert not source(text, **options).info.retokenised


TEXT = "Ada Lee spoke\nin Oslo, \U0001f600 Rome"
MENTIONS = [("Ada Lee", "PER"), ("Lee", "PER"), ("Oslo", "LOC"), ("Rome", "LOC")]
SPANS = [(0, 7, "PER"), (4, 7, "PER"), (17, 21, "LOC"), (25, 29, "LOC")]
LABEL_STUDIO = json.dumps(
    [{"start": s, "end": e, "text": TEXT[s:e], "labels": [k]} for s, e, k in SPANS]
)


def spans_csv(header: str, rows: list[list[Any]], end: str = "\n") -> str:
    sink = io.StringIO(newline="")
    csv.writer(sink, lineterminator=end).writerows([header.split(","), *rows])
    return sink.getvalue()


@pytest.mark.parametrize(
    ("text", "options"),
    [
        (spans_csv("doc_id,text,start,end,label", [["a", TEXT, *span] for span in SPANS]), {}),
        (spans_csv("text,start,end,label", [[TEXT, *span] for span in SPANS]), {}),
        # the id counts mentions
        (
            spans_csv(
                "id,text,start,end,label", [[k, TEXT, *span] for k, span in enumerate(SPANS)]
            ),
            {},
        ),
        # the text is given once, offsets are floats as pandas writes them
        (
            spans_csv(
                "id,text,start_char,end_char,type",
                [["a", TEXT, "", "", ""], *(["a", "", f"{s}.0", f"{e}.0", k] for s, e, k in SPANS)],
            ),
            {},
        ),
        (
            spans_csv("body,von,bis,art", [[TEXT, *span] for span in SPANS]),
            {"text": "body", "start": "von", "end": "bis", "label": "art"},
        ),
        # the mention is repeated
        (
            spans_csv(
                "sentence,text,begin,end,label", [[TEXT, TEXT[s:e], s, e, k] for s, e, k in SPANS]
            ),
            {},
        ),
        # Label Studio
        (
            spans_csv(
                "id,text,label,annotator",
                [[7, TEXT, LABEL_STUDIO, 1]],
            ),
            {},
        ),
        # spaCy's training data, saved by pandas
        (spans_csv("text,entities", [[TEXT, str(SPANS)]]), {}),
    ],
)
def test_mentions_are_read_from_every_layout(text: str, options: dict[str, Any]) -> None:
    corpus = corpus_of(text, **options)
    assert mentions_of(corpus) == MENTIONS
    assert len(corpus) == 2
    assert set(corpus.documents.tolist()) == {0}
    assert source(text, **options).info.retokenised
    assert not source(text, **options).always_flat


def test_line_ends_in_texts_count_as_they_are_written() -> None:
    rows = [["a", "Ada\r\nOslo", 5, 9, "LOC"]]
    assert mentions_of(corpus_of(spans_csv("doc,text,start,end,label", rows, "\r\n"))) == [
        ("Oslo", "LOC")
    ]


def test_rows_of_a_document_may_be_apart() -> None:
    header = "doc_id,text,start,end,label"
    rows = [["a", "Ada", "0", "3", "PER"], ["b", "in Oslo", "", "", ""], ["a", "", "1", "3", "X"]]
    corpus = corpus_of(spans_csv(header, rows))
    assert mentions_of(corpus) == [("A da", "PER"), ("da", "X")]
    assert corpus.documents.tolist() == [0, 1]
    # equal texts of two documents stay two
    twice = [["a", "Ada", 0, 3, "PER"], ["b", "Ada", 0, 3, "PER"]]
    assert len(mentions_of(corpus_of(spans_csv(header, twice)))) == 2


def test_documents_are_numbered_where_their_name_changes() -> None:
    text = "doc_id,sentence_id,token,label\na,1,x,O\na,2,y,O\nb,1,z,O\n"
    assert corpus_of(text).documents.tolist() == [0, 0, 1]
    assert corpus_of(text, document="sentence_id").documents.tolist() == [0, 1, 2]
    rows = 'doc,tokens,tags\na,"[""x""]","[""O""]"\na,"[""y""]","[""O""]"\nb,"[""z""]","[""O""]"\n'
    assert corpus_of(rows).documents.tolist() == [0, 0, 1]


def test_a_file_without_sentences_is_noted() -> None:
    corpus = corpus_of("token,label\nAda,B-PER\nspoke,O\n")
    assert len(corpus) == 1
    assert UNMARKED in corpus.reading_notes.notes


def test_quotation_marks_may_be_tokens() -> None:
    assert sentences_of(corpus_of('token,label\n"""",O\n"a ""b""",O\n')) == [['"', 'a "b"']]
    text = 'token\tlabel\n"\tO\nAda\tB-PER\n"\tO\n'
    with pytest.raises(FormatError, match="quotes=no"):
        corpus_of(text)
    assert sentences_of(corpus_of(text, quotes=False)) == [['"', "Ada", '"']]


def test_latin_1_is_named() -> None:
    data = "Sentence #,Word,Tag\n1,Zürich,B-LOC\n".encode("latin-1")
    with pytest.raises(InputError, match="encoding=latin-1"):
        corpus_of(data)
    assert mentions_of(corpus_of(data, encoding="latin-1")) == [("Zürich", "LOC")]
    utf16 = "Sentence #,Word,Tag\n1,Zürich,B-LOC\n".encode("utf-16")
    assert mentions_of(corpus_of(utf16, encoding="utf-16")) == [("Zürich", "LOC")]


def test_pandas_writes_what_is_read(tmp_path: Path) -> None:
    pandas = pytest.importorskip("pandas")
    words = ["Ada", "NA", '"', "a, b"]
    frame = pandas.DataFrame({"sentence_id": [1, 1, 2, 2], "token": words, "label": ["O"] * 4})
    frame.to_csv(tmp_path / "a.csv")
    corpus = join_chunks(list(open_source(tmp_path / "a.csv").chunks(Coding())))
    assert sentences_of(corpus) == [["Ada", "NA"], ['"', "a, b"]]
    lists = pandas.DataFrame({"tokens": [["Ada", "it's"]], "ner_tags": [["B-PER", "O"]]})
    lists.to_csv(tmp_path / "b.csv")
    corpus = join_chunks(list(open_source(tmp_path / "b.csv").chunks(Coding())))
    assert sentences_of(corpus) == [["Ada", "it's"]]


@pytest.mark.parametrize(
    ("text", "options", "place", "fact"),
    [
        ("a,b,c\n1,2,3\n", {}, "f.csv:1", "the columns 'a', 'b', 'c'"),
        ("Ada,B-PER\nspoke,O\n", {}, "f.csv:1", "does not name the columns"),
        ("token,label\nAda,B-PER,x,y\n", {}, "f.csv:2", "4 columns where the header has 2"),
        ("token,label\nAda,B-PER\nLee\n", {}, "f.csv:3", "1 column where the header has 2"),
        ("token,label\nAda,B-PER\n,O\n", {}, "f.csv:3", "missing values in 'token'"),
        ("token,label\nAda,B-PER\nLee,\n", {}, "f.csv:3", "missing values in 'label'"),
        ("token,label\nAda,O\nLee,PER\n", {}, "f.csv:3", "label 'PER' has no prefix"),
        ('token,label\nAda,O\n"Lee,O\n', {}, "f.csv:3", "not valid CSV"),
        ("token,label\nAda,1\n", {}, "f.csv:2", "names"),
        ("text,tags\nAda Lee,B-PER O\nx,O O\n", {}, "f.csv:3", "1 tokens but 2 labels"),
        ("text,tags\n\"['a']\",\"[['O']]\"\n", {}, "f.csv:2", ""),
        ("text,start,end,label\nAda,0,9,PER\n", {}, "f.csv:2", "outside the 3 characters"),
        ("text,start,end,label\nAda,0,x,PER\n", {}, "f.csv:2", "are not offsets"),
        ("text,start,end,label\nAda,0,,PER\n", {}, "f.csv:2", "missing values in 'end'"),
        ("text,start,end,label\n,0,1,PER\n", {}, "f.csv:2", "missing values in 'text'"),
        ("mention,sentence,start,end,label\nAda,I Ada,0,3,P\n", {}, "f.csv:2", "is 'I A'"),
        ("text,spans\nAda,\"[(0, 3, 'P')]\"\nLee,x\n", {}, "f.csv:3", "not a list of mentions"),
        # Python reads hexadecimal numbers that it refuses to print.
        (f"text,spans\nAda,\"[(0, 3, 'P'), (0, 3, {HUGE})]\"\n", {}, "f.csv:2", "label"),
        (f"tokens,tags\n\"['a']\",[{HUGE}]\n", {}, "f.csv:2", "label"),
        ("token,label\n", {}, "f.csv", "no sentences"),
        ("\n\n", {}, "f.csv", "no sentences"),
    ],
)
def test_what_cannot_be_read_is_refused_at_its_line(
    text: str, options: dict[str, Any], place: str, fact: str
) -> None:
    with pytest.raises(InputError) as error:
        corpus_of(text, **options)
    assert error.value.place == place
    assert fact in error.value.fact + error.value.fix


@pytest.mark.parametrize(
    ("options", "fact"),
    [
        ("token=nosuch", "unknown column 'nosuch'"),
        ("label=9", "unknown column '9'"),
        ("separator=,", "invalid value separator="),
        ("quotes=maybe", "invalid value quotes=maybe"),
        ("tokens=none", "invalid value tokens=none"),
        ("encoding=nosuch", "unknown encoding"),
        ("encoding=idna", "unknown encoding"),
        ("encoding=\0", "unknown encoding"),
        ("nosuch=1", "unknown file option"),
    ],
)
def test_options_that_cannot_be_understood_are_refused(
    options: str, fact: str, tmp_path: Path
) -> None:
    path = tmp_path / "f.csv"
    path.write_text(KAGGLE)
    with pytest.raises(UsageError, match=fact):
        list(source_named(f"{path}::{options}").chunks(Coding()))


@pytest.mark.parametrize(
    ("name", "text", "form"),
    [
        ("a.csv", KAGGLE, "csv"),
        ("a.csv.gz", KAGGLE, "csv"),
        ("a", KAGGLE, "csv"),
        ("a.csv", "x,y\n1,2\n", "csv"),
        ("a.tsv", "Word\tTag\nAda\tB-PER\n", "csv"),
        ("a.csv", "Ada B-PER\n, O\n", "conll"),
        ("a.tsv", "TOKEN\tNE-COARSE-LIT\tMISC\nAda\tB-pers\t_\n", None),
        ("a.tsv", "#FORMAT=WebAnno TSV 3.3\n#T_SP=x|value\n", "webanno"),
        ("a.tsv", "Ada\tB-PER\nspoke\tO\n", "conll"),
        ("a.tsv", "word\tO\nlabel\tO\n", "conll"),
        ("a.conllu", "1\tAda" + 7 * "\t_" + "\tNER=B-PER\n", "conllu"),
        ("a.csv", '{"text": "Ada, label", "spans": []}\n', "jsonl"),
        ("a.txt", "token, label and text\n", None),
    ],
)
def test_a_file_is_known_by_its_header(name: str, text: str, form: str | None) -> None:
    fitting = [known for known in FORMATS if FORMATS[known].fits(name, text.encode())]
    assert fits(name, text.encode()) == (form == "csv")
    assert form is None or form == "conll" or form in fitting


WORD = st.text(
    st.characters(blacklist_categories=["Cs"], blacklist_characters="\0\x1f\r\n"), min_size=1
)
SENTENCE = st.lists(st.tuples(WORD, st.sampled_from(["O", "B-PER", "B-a b", "B-,"])), min_size=1)


@settings(max_examples=100, deadline=None)
@given(st.lists(SENTENCE, min_size=1, max_size=4), st.booleans())
def test_what_is_written_reads_back(sentences: list[list[Mention]], documents: bool) -> None:
    pairs = [([word for word, _ in one], [label for _, label in one]) for one in sentences]
    corpus = Corpus.of(pairs)
    if documents:
        corpus.documents[:] = range(len(pairs))
    again = corpus_of(write_csv(corpus, BIO))
    assert sentences_of(again) == sentences_of(corpus)
    assert mentions_of(again) == mentions_of(corpus)
    assert again.documents.tolist() == corpus.documents.tolist()


@pytest.mark.parametrize("pair", [(["a\nb"], ["O"]), ([""], ["O"])])
def test_tokens_that_rows_cannot_hold_are_not_written(pair: Any) -> None:
    with pytest.raises(InputError, match="line end"):
        write_csv(Corpus.of([pair]), BIO)


def test_overlapping_mentions_are_not_written() -> None:
    with pytest.raises(InputError, match="overlap"):
        write_csv(corpus_of(spans_csv("text,entities", [[TEXT, str(SPANS)]])), BIO)


DAMAGE = [*",;\t\"\n\r\\[]()'0", "\0", "é", "\x1f", '"\n"', "[" * 50, "{}", "O", "-100", "1e9"]


def test_damaged_files_are_refused_or_read() -> None:
    random.seed(7)
    whole = [
        KAGGLE,
        "tokens,tags\n\"['Ada', 'Lee']\",\"['B-PER', 'I-PER']\"\n\"['x']\",\"['O']\"\n",
        spans_csv("id,text,start,end,label", [["a", TEXT, *span] for span in SPANS]),
        spans_csv("text,entities", [[TEXT, str(SPANS)], ["x", "[]"]]),
    ]
    for _ in range(3000):
        text = random.choice(whole)
        for _ in range(random.randint(1, 4)):
            at, size = random.randrange(len(text)), random.choice([0, 0, 1, 3])
            text = text[:at] + random.choice(DAMAGE) + text[at + size :]
        data = text.encode()
        if random.random() < 0.1:
            data = data[: random.randrange(len(data))] + b"\xff" + data[5:]
        try:
            fits("a.csv", data[:4096])
            corpus_of(data)
        except NerscopeError as error:
            assert isinstance(error, InputError | UsageError)


CELLS = st.sampled_from(["", "1", "2", "3", "1"])
TOKENS = st.sampled_from(["Ada", "spoke", "in Oslo", "a,b", "", "x\ny"])
TAGS = st.sampled_from(["O", "B-PER", "I-PER", "O", "x", ""])


@given(
    st.lists(st.one_of(st.tuples(CELLS, CELLS, TOKENS, TAGS), st.just(())), max_size=12),
    st.sampled_from([(0,), (0, 1), (), (1,)]),
    st.integers(2, 5),
)
def test_rows_of_tokens_as_columns_give_what_they_give_one_by_one(
    rows: list[tuple[str, ...]], marks: tuple[int, ...], batch: int
) -> None:
    names = ["sentence_id", "document", "token", "label"]
    used = [*marks, 2, 3]
    sink = io.StringIO(newline="")
    writer = csv.writer(sink, lineterminator="\n")
    writer.writerow([names[at] for at in used])
    writer.writerows([row[at] for at in used] if row else [] for row in rows)

    def content() -> object:
        try:
            corpus = corpus_of(sink.getvalue())
        except InputError as error:
            return str(error)
        ids = None if corpus.records is None else corpus.records.ids
        return (
            sentences_of(corpus),
            mentions_of(corpus),
            corpus.lines.tolist(),
            corpus.documents.tolist(),
            corpus.reading_notes.notes,
            None if ids is None else ids.tolist(),
        )

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("nerscope.formats.tables.delimited._ROWS", batch)
        as_columns = content()
        patch.setattr(CsvFile, "_token_columns", lambda file: iter([None]))
        assert content() == as_columns
