"""JSON files: lines, lists and objects are told apart, read in bounded memory, and written back."""

import gzip
import json
import pickle
import re
import tracemalloc
from itertools import chain, repeat
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import nerscope
from nerscope import read
from nerscope.corpus.corpus import Coding, Corpus
from nerscope.corpus.schemes import BIO
from nerscope.errors import FormatError, InputError, UsageError
from nerscope.formats.base import FORMATS, open_source, source_named
from nerscope.formats.columns.conll import ConllFile
from nerscope.formats.files import FileBytes, read_some
from nerscope.formats.json import values as json_values
from nerscope.formats.json.jsonl import JsonFile, fits, write_lines, write_list
from nerscope.formats.json.unwrapping import REJECTED
from nerscope.formats.json.values import first_values
from nerscope.formats.standoff.text import Record, TextSpan, text_source

ADA = {"text": "Ada spoke.", "spans": [{"start": 0, "end": 3, "label": "PER"}]}
OSLO = {"text": "In Oslo", "spans": [{"start": 3, "end": 7, "label": "LOC"}]}
LABELLED = {"tokens": ["Ada", "spoke"], "ner_tags": ["B-PER", "O"]}
Mention = tuple[str, tuple[str, ...]]


def lines(*values: Any) -> bytes:
    return "".join(json.dumps(value) + "\n" for value in values).encode()


def opened(data: bytes, name: str = "f.jsonl", **options: Any) -> JsonFile:
    return JsonFile(FileBytes(name, data=data), **options)


def whole(data: bytes, **options: Any) -> Corpus:
    return nerscope.read(opened(data, **options))


def sentences(corpus: Corpus) -> list[list[str]]:
    return [corpus.words(sentence) for sentence in range(len(corpus))]


def mentions(corpus: Corpus) -> list[Mention]:
    """Type and words of all mentions."""
    words = corpus.coding.tokens.strings(corpus.tokens)
    found, types = corpus.mentions(), corpus.coding.labels.types
    return [
        (types[found.type[at]], tuple(words[k] for k in found[[at]].positions))  # type: ignore[index]
        for at in range(len(found))
    ]


BOTH = [["Ada", "spoke", "."], ["In", "Oslo"]]


@pytest.mark.parametrize(
    ("data", "at"),
    [
        # lines
        (lines(ADA, OSLO), [1, 2]),
        (lines(ADA, OSLO).removesuffix(b"\n"), [1, 2]),
        (b"\n \t\n" + lines(ADA) + b"\n" + lines(OSLO) + b"\n", [3, 5]),
        (lines(ADA, OSLO).replace(b"\n", b"\r\n"), [1, 2]),
        (b"\xef\xbb\xbf" + lines(ADA, OSLO), [1, 2]),
        (lines(["Ada spoke.", ADA], ["In Oslo", OSLO]), [1, 2]),
        # lists
        (json.dumps([ADA, OSLO]).encode(), [1, 1]),
        (json.dumps([ADA, OSLO], indent=1).encode(), [2, 12]),
        (b"\xef\xbb\xbf [" + lines(ADA) + b",\n" + lines(OSLO) + b"]\n\n", [1, 3]),
        (json.dumps([["Ada spoke.", ADA], ["In Oslo", OSLO]]).encode(), [1, 1]),
        # objects over several lines, one after the other
        ((json.dumps(ADA, indent=2) + "\n" + json.dumps(OSLO, indent=2)).encode(), [1, 11]),
        (gzip.compress(lines(ADA, OSLO)), [1, 2]),
    ],
)
@pytest.mark.parametrize("block", [1, 7, 1 << 20])
def test_lines_lists_and_objects_are_told_apart(
    data: bytes, at: list[int], block: int, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(read_some, "__defaults__", (block,))
    path = tmp_path / "f.jsonl"
    path.write_bytes(data)
    corpus = read(path)
    assert sentences(corpus) == BOTH
    assert mentions(corpus) == [("PER", ("Ada",)), ("LOC", ("Oslo",))]
    assert [int(corpus.lines[start]) for start in corpus.starts[:-1]] == at
    assert corpus.documents.tolist() == [0, 1]


def test_line_separators_of_unicode_do_not_break_lines() -> None:
    text = "Ada\u2028spoke\u0085to\x0cBob"
    [corpus] = opened(json.dumps({"text": text, "spans": []}, ensure_ascii=False).encode()).chunks(
        Coding()
    )
    assert sentences(corpus) == [["Ada", "spoke", "to", "Bob"]]


def test_labels_and_spans_of_tokens_are_sentences() -> None:
    corpus = whole(lines(LABELLED, LABELLED))
    assert sentences(corpus) == [["Ada", "spoke"]] * 2
    assert corpus.lines.tolist() == [1, 1, 2, 2]
    assert corpus.is_flat
    source = opened(lines(LABELLED))
    assert source.always_flat
    assert not source.retokenised
    spans = {"tokens": ["Bank", "of", "Oslo"], "spans": [[0, 3, "ORG"], [2, 3, "LOC"]]}
    assert mentions(whole(lines(spans))) == [("ORG", ("Bank", "of", "Oslo")), ("LOC", ("Oslo",))]
    assert not opened(lines(spans)).always_flat
    assert opened(lines(ADA)).retokenised


def test_sentences_come_in_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("nerscope.formats.json.values._PIECE", 3 * len(lines(LABELLED)))
    chunks = list(opened(lines(*[LABELLED] * 8)).chunks(Coding()))
    assert [len(chunk) for chunk in chunks] == [3, 3, 2]
    assert chunks[1].lines.tolist() == [4, 4, 5, 5, 6, 6]


def test_sentences_that_are_read_one_by_one_come_in_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("nerscope.formats.json.jsonl._CHUNK", 5)
    monkeypatch.setattr("nerscope.formats.json.values._PIECE", 10)  # each line is a batch
    spans = {"tokens": ["Ada", "spoke"], "spans": [[0, 1, "PER"]]}
    chunks = list(opened(lines(*[spans] * 8)).chunks(Coding()))
    assert [len(chunk) for chunk in chunks] == [3, 3, 2]
    assert chunks[1].lines.tolist() == [4, 4, 5, 5, 6, 6]


def test_a_document_of_several_sentences_stands_on_one_line() -> None:
    token = {"orth": "Ada", "ner": "U-PER"}
    item = {"paragraphs": [{"sentences": [{"tokens": [token]}, {"tokens": [token, token]}]}]}
    corpus = whole(lines(item))
    assert sentences(corpus) == [["Ada"], ["Ada", "Ada"]]
    assert corpus.scheme.name == "bilou"


def test_names_of_labels_are_said_in_order(tmp_path: Path) -> None:
    path, names = tmp_path / "f.jsonl", tmp_path / "names.txt"
    path.write_bytes(lines({"tokens": ["Ada", "spoke"], "ner_tags": [1, 0]}))
    names.write_text("O\nB-PER\n")
    for given_names in ("O+B-PER", names):
        [corpus] = source_named(f"{path}::names={given_names}").chunks(Coding())
        assert mentions(corpus) == [("PER", ("Ada",))]
    assert mentions(read(path, names=["O", "B-PER"])) == [("PER", ("Ada",))]
    with pytest.raises(FormatError, match=r"f.jsonl:1: label 1 is a number.*f.jsonl::names="):
        read(path)
    with pytest.raises(InputError, match="no such file"):
        source_named(f"{path}::names=nowhere.txt")


def test_a_scheme_may_be_said_of_labels_without_prefixes() -> None:
    data = lines({"tokens": ["Ada", "spoke"], "tags": ["PER", "O"]})
    assert mentions(whole(data, scheme="io")) == [("PER", ("Ada",))]
    with pytest.raises(FormatError, match="scheme=io"):
        whole(data)


@pytest.mark.parametrize(
    "options",
    [
        *({"names": "O"}, {"names": [1]}, {"annotator": 1.5}, {"scheme": "bi"}, {"colour": 1}),
        *({"tokens": "some"}, {"tokens": ["any"]}),
    ],
)
def test_options_that_cannot_be_are_refused(options: dict[str, Any], tmp_path: Path) -> None:
    (tmp_path / "f.jsonl").write_bytes(lines(ADA))
    with pytest.raises(UsageError):
        read(tmp_path / "f.jsonl", **options)


def test_a_system_may_have_tokens_of_its_own(tmp_path: Path) -> None:
    gold = [(["Ada", "Lovelace-Byron"], ["B-PER", "I-PER"])]
    path = tmp_path / "f.jsonl"
    spans = [[0, 4, "PER"]]
    path.write_bytes(lines({"tokens": ["Ada", "Lovelace", "-", "Byron"], "spans": spans}))
    results = nerscope.evaluate(gold, {"mine": source_named(f"{path}::tokens=align")})
    assert results.value(metric="f1") == 1.0
    path.write_bytes(lines({"tokens": ["ada", "lovelace-byron"], "spans": [[0, 2, "PER"]]}))
    results = nerscope.evaluate(gold, {"mine": source_named(f"{path}::tokens=any")})
    assert results.value(metric="f1") == 1.0
    path.write_bytes(lines({"text": "Ada  Lovelace-Byron", "spans": [[0, 19, "PER"]]}))
    assert nerscope.evaluate(gold, {"mine": path}).value(metric="f1") == 1.0


def test_what_is_left_out_is_a_loss_wherever_it_stands(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("nerscope.formats.json.values._PIECE", 10)  # each line is a batch
    monkeypatch.setattr("nerscope.formats.json.jsonl._CHARACTERS", 1)
    rejected = {**ADA, "answer": "reject"}
    chunks = list(opened(lines(rejected, ADA, rejected, OSLO, rejected, rejected)).chunks(Coding()))
    found = [chunk.reading_notes.notes.get(REJECTED) for chunk in chunks]
    assert [one and one.lines for one in found] == [(1,), (3, 5, 6)]
    with pytest.raises(InputError, match=r"all records were left out \(1 rejected or ignored"):
        whole(lines(rejected))


def test_an_annotator_is_chosen_by_an_option() -> None:
    items = [{**ADA, "annotator": 1}, {**OSLO, "annotator": 2}]
    assert mentions(whole(lines(*items), annotator=2)) == [("LOC", ("Oslo",))]


DEEP = b"[" * 200_000
AT = "f.jsonl:"


@pytest.mark.parametrize(
    ("data", "place", "fact"),
    [
        # nothing
        (b"", "f.jsonl", "contains no sentences"),
        (b"\n \n", "f.jsonl", "contains no sentences"),
        (b"[]", "f.jsonl", "contains no sentences"),
        (b"[\n]", "f.jsonl", "contains no sentences"),
        # cut off
        (lines(ADA) + b'{"text": "Ad', AT + "2", "not valid JSON (Unterminated string"),
        (lines(ADA) + b'{"text": "Ad\n' + lines(ADA), AT + "2", "not valid JSON (Unterminated"),
        (json.dumps([ADA, OSLO], indent=1).encode()[:-9], AT + "19", "not valid JSON"),
        (b"[" + lines(ADA) + b",", AT + "2", "not valid JSON (Expecting value"),
        (b"[" + lines(ADA), AT + "2", "a comma or ] is missing"),
        (b"[" + lines(ADA) + lines(ADA) + b"]", AT + "2", "a comma or ] is missing"),
        (b'{\n"text": "Ada", \n"spans": [', AT + "3", "not valid JSON"),
        (lines(ADA) + b'{"text": "\xc3', "f.jsonl: byte", "not valid utf-8"),
        # more than there should be
        (b"[" + lines(ADA) + b"]\n{}", AT + "3", "unexpected text after the end"),
        (lines(ADA).strip() + lines(ADA), AT + "1", "not valid JSON (Extra data"),
        # what should not be in it
        (b'{"text": NaN, "spans": []}', AT + "1", "NaN is not allowed"),
        (b'{"text": "a", "spans": [[0, 1' + b"0" * 100_000 + b"]]}", AT + "1", "too many digits"),
        (DEEP, AT + "1", "nested too deeply"),
        (lines(ADA) + b'{"a":' * 100_000, AT + "2", "nested too deeply"),
        (lines(ADA) + b"\xff", "f.jsonl: byte", "not valid utf-8"),
        (lines(ADA) + b"\0", AT + "2", "not valid JSON"),
        (b"{'text': 'Ada'}", AT + "1", "not valid JSON"),
        # no records, or not alike
        (lines(ADA, 7), AT + "2", "7 is not a record"),
        (lines(ADA, [ADA["spans"]]), AT + "2", "is not a record"),
        (
            lines(ADA, LABELLED),
            AT + "2",
            "this record has tokens and ner_tags, but the record on line 1 has text and spans",
        ),
        (lines(ADA, {"text": "a", "entities": []}), AT + "2", "has text and entities"),
        (lines(LABELLED, {**LABELLED, "tokens": []}), AT + "2", "0 tokens but 2 labels"),
        # offsets
        (
            lines({"text": "Ada", "spans": [[0, 4, "PER"]]}),
            AT + "1",
            "is empty or outside the 3 char",
        ),
        (
            lines({"text": "Ada", "spans": [[2, 1, "PER"]]}),
            AT + "1",
            "is empty or outside the 3 char",
        ),
        (lines({"text": "A  B", "spans": [[1, 3, "PER"]]}), AT + "1", "only blanks"),
        (lines({"text": "A\0B", "spans": []}), AT + "1", "NUL"),
        (lines({"text": "A\ud83dB", "spans": []}), AT + "1", "lone surrogate"),
    ],
)
def test_bad_files_are_refused_with_their_place(data: bytes, place: str, fact: str) -> None:
    with pytest.raises(InputError) as caught:
        whole(data)
    assert caught.value.place.startswith(place)
    assert fact in caught.value.fact
    assert caught.value.fix


@pytest.mark.parametrize(
    "data",
    [
        b'{"text": "' + b"x" * 5000,
        b'[{"text": "' + b"x" * 5000,
        b'[{"text": "x"}, ' + b" " * 5000 + b'{"text": "' + b"x" * 5000,
        b'{\n"text": "' + b"x" * 5000,
        b" " * 5000,
    ],
)
def test_a_value_beyond_all_bounds_is_not_read_to_its_end(
    data: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(json_values, "LONGEST", 1000)
    monkeypatch.setattr(read_some, "__defaults__", (100,))
    with pytest.raises(FormatError, match=r"f.jsonl:[12]: .*(longer than|unknown layout)"):
        whole(data)


@pytest.mark.parametrize("size", [100, 5000, 200_000])
def test_long_values_are_read_in_linear_time(size: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(read_some, "__defaults__", (50,))
    item = {"text": "Ada " * (size // 4), "spans": []}
    corpus = whole(json.dumps([item, item]).encode())
    assert corpus.n_tokens == 2 * (size // 4)


COLUMNS = [
    b"Ada B-PER\n",
    b"{ O\n} O\n",
    b"[ O\n] O\n",
    b'{ O\n" O\ntext O\n" O\n: O\n',
    b'{"a":1} O\n',
    b'{"a":1}\tO\n',
    b'{"a":1} O',
    b'{"text": O\n',
    b'["a"] O\n',
    b'["a", O\n',
    b'[{"a": O\n',
    b'[["a" O\n',
    b'{"a" O\n',
    b"[] O\n",
    b"{} O\n",
    b'" O\n',
    b"7 O\n",
    b"-DOCSTART- O\n\n{ O\n",
    b"# text = {\n",
    b"",
]


@pytest.mark.parametrize("head", COLUMNS)
def test_column_files_are_never_taken_for_json(head: bytes) -> None:
    assert not fits("f.conll", head)
    assert not fits("f.txt", head)


LONG = json.dumps({"text": "x " * 4000, "spans": []}).encode()


@pytest.mark.parametrize(
    ("name", "head", "is_json"),
    [
        ("f.txt", lines(ADA), True),
        ("f.txt", lines(LABELLED), True),
        ("-", json.dumps([ADA]).encode(), True),
        ("-", json.dumps([ADA], indent=2).encode(), True),
        ("-", json.dumps(ADA, indent=2).encode(), True),
        ("-", lines(["Ada", {"entities": []}]), True),
        ("-", b"\xef\xbb\xbf" + lines(ADA), True),
        ("-", lines(*[ADA] * 200)[:4096], True),
        ("-", LONG[:4096], True),
        ("-", b"[" + LONG[:4000], True),
        # unknown records: it is for this format to say what it knows
        ("f.txt", lines({"body": "x"}), True),
        ("f.JSONL", b'{"text": "Ad\n', True),
        ("f.json.gz", b"{'text'", True),
        ("f.json", b"[]", True),
        # mentions as strings
        (
            "f.jsonl",
            lines({"text": "In Oslo", "entities": [{"text": "Oslo", "type": "LOC"}]}),
            False,
        ),
        ("f.jsonl", lines({"text": "a", "entities": []}, {"text": "b", "entities": ["b"]}), False),
        ("f.jsonl", lines({"prompt": "?", "response": '[{"text": "Oslo", "type": "LOC"}]'}), False),
        ("f.jsonl", lines([{"text": "Oslo", "type": "LOC"}], []), False),
        # other files
        ("f.json", b"Ada O\n", False),
        ("f.json", b"", False),
        ("f.pkl", pickle.dumps([ADA]), False),
        ("f.parquet", b"PAR1\x15\x04", False),
    ],
)
def test_json_is_told_by_its_first_bytes(name: str, head: bytes, is_json: bool) -> None:
    assert fits(name, head) is is_json


def test_a_key_said_twice_among_very_many_is_found_quickly() -> None:
    keys = ",".join(f'"{key}":1' for key in [*range(100_000), 99_999])
    data = FileBytes("f.jsonl", data=f"{{{keys}}}".encode())
    assert list(json_values.repeated_keys(data)) == [(1, "99999")]


def test_a_pickle_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "f.jsonl"
    path.write_bytes(pickle.dumps([ADA]))
    with pytest.raises(InputError):
        read(path)
    with pytest.raises(InputError, match=r"not valid utf-8|not valid JSON"):
        read(path, format="jsonl")


@settings(max_examples=200)
@given(st.binary(max_size=200) | st.text(alphabet='{}[]",:0 \n\\utex', max_size=60))
def test_nothing_but_an_input_error_comes_of_any_bytes(data: bytes | str) -> None:
    data = data.encode() if isinstance(data, str) else data
    fits("f", data)
    first_values("f", data)
    with pytest.raises(InputError):  # so short a file holds no record
        whole(data)


values = st.lists(st.fixed_dictionaries({"text": st.text(max_size=8)}), min_size=1, max_size=5)


@given(values, st.integers(1, 40), st.sampled_from([None, 1]), st.booleans())
def test_values_do_not_depend_on_blocks(
    items: list[dict[str, str]], block: int, indent: int | None, as_list: bool
) -> None:
    texts = [json.dumps(item, indent=indent, ensure_ascii=False) for item in items]
    text = f"[{','.join(texts)}]" if as_list else "\n".join(texts)
    data = text.encode("utf-8", "surrogatepass")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(read_some, "__defaults__", (block,))
        found = [placed.value for placed in json_values.json_values(FileBytes("f", data=data))]
    assert found == items


PAGE = Path(__file__).resolve().parents[2] / "docs" / "formats" / "jsonl.md"
SAMPLES = re.findall(r"(?s)```json\n(.*?)```", PAGE.read_text(encoding="utf-8"))


@pytest.mark.parametrize("sample", SAMPLES)
def test_every_sample_of_the_page_says_the_same(sample: str, tmp_path: Path) -> None:
    assert fits("sample", sample.encode())
    path = tmp_path / "sample.json"
    path.write_text(sample, encoding="utf-8")
    found = mentions(nerscope.read(path))
    names = {"12": "PER", "13": "LOC"}  # in a sample of doccano, types are numbers
    read = [(names.get(kind, kind), words) for kind, words in found]
    assert read == [("PER", ("Ada", "Lovelace")), ("LOC", ("London",))]


# --- writing

NASTY = st.text(
    st.sampled_from(
        "aZ0éß日ख\u0301\u200d🎉😀\u05d0\u0627\u00a0\u2028\u0085\"'\\/\t#-<>&{}[]:,\ufeff"
    ),
    min_size=1,
    max_size=6,
)
WORDS = NASTY.filter(lambda word: word == word.strip()) | st.sampled_from(
    ["-DOCSTART-", "#", '"', "NA", "null", "a b", "\\u0000", "O", "日本"]
)


@st.composite
def corpora(draw: st.DrawFn) -> Corpus:
    """Sentences of tokens, with mentions that may be nested or overlap."""
    found = []
    for _ in range(draw(st.integers(1, 4))):
        words = draw(st.lists(WORDS, min_size=1, max_size=6))
        spans = set()
        for _ in range(draw(st.integers(0, 4))):
            start = draw(st.integers(0, len(words) - 1))
            end = draw(st.integers(start + 1, len(words)))
            spans.add(
                (start, end, draw(st.sampled_from(["PER", "B-X", "creative work", "été-日"])))
            )
        found.append((words, sorted(spans)))
    return Corpus.of(found)


@st.composite
def texts(draw: st.DrawFn) -> Corpus:
    """Documents of any text, with mentions in fragments."""
    records = []
    for _ in range(draw(st.integers(1, 3))):
        text = draw(st.text(st.sampled_from("ab é日🎉\n\t\u2028.-"), min_size=1, max_size=30))
        text = f"{text}x"  # so that there is a token
        cuts = draw(st.lists(st.integers(0, len(text)), unique=True, max_size=6).map(sorted))
        fragments = tuple(
            (low, high)
            for low, high in zip(cuts[::2], cuts[1::2], strict=False)
            if text[low:high].strip()
        )
        spans = [TextSpan(fragments, "X"), TextSpan(fragments[:1], "Y")] if fragments else []
        records.append(Record(text, spans, 1))
    return nerscope.read(text_source("t", lambda: iter(records)))


def everything(corpus: Corpus) -> tuple[Any, ...]:
    """All that a corpus says."""
    found = corpus.mentions()
    types = [corpus.coding.labels.types[kind] for kind in found.type]
    shapes = None if found.shape is None else found.shape.tolist()
    spans = sorted(
        zip(
            found.start.tolist(),
            found.end.tolist(),
            types,
            shapes or [None] * len(found),
            strict=True,
        ),
        key=str,
    )
    return sentences(corpus), spans


@pytest.mark.parametrize("write", [write_lines, write_list])
@given(corpora() | texts())
@example(Corpus.of([(["a"], [])]))
def test_a_corpus_reads_back_as_it_was_written(write: Any, corpus: Corpus) -> None:
    again = whole(write(corpus, BIO))
    assert everything(again) == everything(corpus)
    assert write(again, BIO) == write(corpus, BIO)


@pytest.mark.parametrize("word", ["", " ", "a ", "\u00a0", "\ta"])
def test_a_token_that_text_cannot_hold_is_written_as_a_token(word: str) -> None:
    corpus = Corpus.of([(["so", word, "b"], ["O", "B-X", "I-X"]), (["c"], ["B-Y"])])
    again = whole(write_lines(corpus, BIO))
    assert everything(again) == everything(corpus)


def test_written_records_are_what_annotation_tools_take() -> None:
    corpus = Corpus.of([(["Ada", "Lee", "spoke"], ["B-PER", "I-PER", "O"])])
    [line] = write_lines(corpus, BIO).decode().splitlines()
    item = json.loads(line)
    assert item["text"] == "Ada Lee spoke"
    assert item["spans"] == [{"start": 0, "end": 7, "label": "PER"}]
    assert item["tokens"][1] == {"text": "Lee", "start": 4, "end": 7, "id": 1}
    assert json.loads(write_list(corpus, BIO)) == [item]


def test_documents_stay_together() -> None:
    text = b"Ada B-PER\nspoke O\n\nso O\n\n-DOCSTART- O\n\nIn O\nOslo B-LOC\n"
    corpus = nerscope.read(ConllFile(FileBytes("f.conll", data=text)))
    items = [json.loads(line) for line in write_lines(corpus, BIO).splitlines()]
    assert [item["text"] for item in items] == ["Ada spoke\nso", "In Oslo"]
    again = whole(write_lines(corpus, BIO))
    assert everything(again) == everything(corpus)
    assert again.documents.tolist() == [0, 0, 1]


def test_endings_say_which_writer_is_meant() -> None:
    assert FORMATS["jsonl"].endings == (".jsonl", ".ndjson")
    assert FORMATS["json"].endings == (".json",)
    assert FORMATS["json"].write is write_list


def test_json_and_columns_say_the_same(tmp_path: Path) -> None:
    conll = FileBytes("f.conll", data=b"Ada B-PER\nspoke O\n\nIn O\nOslo B-LOC\n")
    corpus = nerscope.read(ConllFile(conll))
    (tmp_path / "f.json").write_bytes(write_list(corpus, BIO))
    again = nerscope.read(open_source(tmp_path / "f.json"))
    assert mentions(again) == mentions(corpus)
    assert sentences(again) == sentences(corpus)


# --- memory


class Repeated:
    """A stream of the same bytes over and over, between a beginning and an end."""

    def __init__(self, begin: bytes, part: bytes, times: int, end: bytes) -> None:
        self._parts = chain([begin], repeat(part, times), [end])

    def read(self, size: int) -> bytes:
        return next(filter(None, self._parts), b"")

    def __enter__(self) -> "Repeated":
        return self

    def __exit__(self, *error: object) -> None:
        pass


# Ten kilobytes a record, of which little is text, in few words: so the test is quick.
LONG_WORDS = " ".join(["word" * 25] * 5)
MORE = {"meta": "x" * 9500}
TEN_KILOBYTES = lines({"text": LONG_WORDS, "spans": [[0, 100, "PER"]], **MORE})
TOKENS = lines({"tokens": LONG_WORDS.split(), "labels": ["O"] * 5, **MORE})


@pytest.mark.slow(quick=1)
@pytest.mark.parametrize(
    ("begin", "part", "end", "megabytes"),
    [
        (b"", TEN_KILOBYTES, b"", 20),
        (b"", TOKENS, b"", 9),
        (b"[", TEN_KILOBYTES.strip() + b",", TEN_KILOBYTES + b"]", 9),
    ],
    ids=["lines", "labels", "list"],
)
def test_memory_does_not_grow_with_the_file(
    begin: bytes, part: bytes, end: bytes, megabytes: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    block = part * (2**20 // len(part))  # a megabyte
    monkeypatch.setattr("nerscope.formats.json.jsonl._CHARACTERS", 1 << 17)  # full after three
    monkeypatch.setattr("nerscope.formats.json.jsonl._CHUNK", 500)
    monkeypatch.setattr("nerscope.formats.json.jsonl._KEPT_FILE", -1)  # only small files are kept

    def read_so_many(megabytes: int) -> tuple[int, int]:
        """The tokens in so many megabytes, and the most memory that reading them took."""
        monkeypatch.setattr(FileBytes, "open", lambda data: Repeated(begin, block, megabytes, end))
        tracemalloc.start()
        tokens = sum(chunk.n_tokens for chunk in opened(b"").chunks(Coding()))
        most = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return tokens, most

    few, small = read_so_many(6)
    many, large = read_so_many(megabytes)
    assert many > 0.16 * megabytes * few
    assert large < 1.1 * small
    assert large < 25 * 2**20
