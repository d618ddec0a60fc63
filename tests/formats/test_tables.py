"""Tables: the same sentences from files, from tables in memory, and in whichever layout."""

import io
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas
import polars
import pyarrow
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyarrow import feather, ipc, parquet

import nerscope
from nerscope.corpus.corpus import Coding, Corpus
from nerscope.corpus.mentions import Shape
from nerscope.corpus.schemes import BIO
from nerscope.errors import FormatError, InputError, NerscopeError, UsageError
from nerscope.formats.base import open_source, read
from nerscope.formats.files import FileBytes
from nerscope.formats.tables.arrow import write_arrow, write_parquet
from nerscope.formats.tables.footer import claims_of

NAMES = ["O", "B-PER", "I-PER", "B-LOC"]
TOKENS = [["Ada", "Byron", "spoke"], ["in", "Oslo"]]
LABELS = [["B-PER", "I-PER", "O"], ["O", "B-LOC"]]
IDS = [[1, 2, 0], [0, 3]]
MENTIONS = [(0, 2, "PER"), (4, 5, "LOC")]
BY_TOKEN: dict[str, list[Any]] = {
    "sentence_id": [1, 1, 1, 2, 2],
    "token": ["Ada", "Byron", "spoke", "in", "Oslo"],
    "label": ["B-PER", "I-PER", "O", "O", "B-LOC"],
}
TEXT = ["Ada Byron spoke", "in Oslo"]
ENTITIES = [
    [{"start": 0, "end": 9, "label": "PER"}],
    [{"start": 3, "end": 7, "label": "LOC"}],
]


HOSTILE = st.text(
    st.one_of(
        st.sampled_from('aé\u0301\u05d0\u200d\u00a0\u2028"\\\t#\n🎉'),
        st.characters(exclude_categories=["Cs"]),
    ),
    max_size=5,
).filter(lambda text: not {"\0", "\x1f"} & set(text))
KINDS = st.sampled_from(["PER", "creative-work", "ty pe", "è\u2028", "🎉"])


def words_of(corpus: Corpus) -> list[list[str]]:
    return [corpus.words(sentence) for sentence in range(len(corpus))]


def mentions_of(corpus: Corpus) -> list[tuple[int, int, str]]:
    found, types = corpus.mentions(), corpus.coding.labels.types
    columns = (found.start.tolist(), found.end.tolist(), found.type.tolist())
    return [(low, high, types[kind]) for low, high, kind in zip(*columns, strict=True)]


def as_parquet(table: pyarrow.Table) -> bytes:
    sink = io.BytesIO()
    parquet.write_table(table, sink)
    return sink.getvalue()


def as_feather(table: pyarrow.Table) -> bytes:
    sink = io.BytesIO()
    feather.write_feather(table, sink)
    return sink.getvalue()


def as_stream(table: pyarrow.Table) -> bytes:
    sink = io.BytesIO()
    with ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    return sink.getvalue()


WRITERS: dict[str, Callable[[pyarrow.Table], bytes]] = {
    "x.parquet": as_parquet,
    "x.feather": as_feather,
    "x.arrow": as_stream,
}
IN_MEMORY: list[Callable[[dict[str, Any]], Any]] = [
    pyarrow.table,
    pandas.DataFrame,
    polars.DataFrame,
    lambda columns: pandas.read_parquet(io.BytesIO(as_parquet(pyarrow.table(columns)))),
]
LAYOUTS: dict[str, dict[str, Any]] = {
    "tokens and labels": {"tokens": TOKENS, "labels": LABELS},
    "other names, and columns of no interest": {
        "id": [1.5, 2.5],
        "tokens": TOKENS,
        "pos_tags": [["NNP"] * 3, ["IN", "NNP"]],
        "ner_tags": LABELS,
    },
    "tokens and spans": {
        "tokens": TOKENS,
        "spans": [
            [{"start": 0, "end": 2, "type": "PER"}],
            [{"start": 1, "end": 2, "type": "LOC"}],
        ],
    },
    "text and entities": {"text": TEXT, "entities": ENTITIES},
    "a token a row": BY_TOKEN,
    "a token a row, the sentence named once": {
        "Sentence #": ["1", None, None, "2", None],
        "Word": BY_TOKEN["token"],
        "POS": ["X"] * 5,
        "Tag": BY_TOKEN["label"],
    },
}


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("made", IN_MEMORY)
def test_layouts_in_memory(made: Callable[[dict[str, Any]], Any], layout: str) -> None:
    corpus = read(made(LAYOUTS[layout]))
    assert (words_of(corpus), mentions_of(corpus)) == (TOKENS, MENTIONS)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("name", WRITERS)
def test_layouts_in_files(name: str, layout: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_bytes(WRITERS[name](pyarrow.table(LAYOUTS[layout])))
    corpus = read(path)
    assert (words_of(corpus), mentions_of(corpus)) == (TOKENS, MENTIONS)


@pytest.mark.parametrize("name", WRITERS)
def test_an_open_file_and_a_packed_one_are_read_alike(name: str, tmp_path: Path) -> None:
    import gzip

    data = WRITERS[name](pyarrow.table({"tokens": TOKENS, "labels": LABELS}))
    packed = tmp_path / f"{name}.gz"
    packed.write_bytes(gzip.compress(data))
    assert words_of(read(io.BytesIO(data))) == TOKENS if name != "x.arrow" else True
    assert words_of(read(packed)) == TOKENS


def with_metadata(columns: dict[str, Any], features: Any) -> pyarrow.Table:
    kept = json.dumps({"info": {"features": features}})
    return pyarrow.table(columns).replace_schema_metadata({"huggingface": kept})


CLASSES = {"names": NAMES, "_type": "ClassLabel"}
OLD_CLASSES = {"num_classes": 4, "names": NAMES, "names_file": None, "id": None, **CLASSES}
FEATURES = {
    "List, as new versions write it": {"feature": CLASSES, "_type": "List"},
    "Sequence, as old ones do": {
        "feature": OLD_CLASSES,
        "length": -1,
        "id": None,
        "_type": "Sequence",
    },
    "LargeList": {"feature": CLASSES, "_type": "LargeList"},
    "a list of one": [CLASSES],
}


@pytest.mark.parametrize("feature", FEATURES.values(), ids=FEATURES.keys())
def test_numbers_are_named_by_the_metadata(feature: Any) -> None:
    other = {"feature": {"names": ["NOUN"], "_type": "ClassLabel"}, "_type": "Sequence"}
    table = with_metadata(
        {"tokens": TOKENS, "pos_tags": [[0, 0, 0], [0, 0]], "ner_tags": IDS},
        {"pos_tags": other, "ner_tags": feature},
    )
    assert mentions_of(read(table)) == MENTIONS
    assert mentions_of(read(FileBytes("x.parquet", data=as_parquet(table)).open())) == MENTIONS


def test_numbers_of_single_tokens_and_of_spans_are_named_by_the_metadata() -> None:
    by_token = {**BY_TOKEN, "label": [1, 2, 0, 0, 3]}
    assert mentions_of(read(with_metadata(by_token, {"label": CLASSES}))) == MENTIONS
    kinds = {"names": ["PER", "LOC"], "_type": "ClassLabel"}
    spans = {
        "text": TEXT,
        "entities": [
            {"start": [0], "end": [9], "label": [0]},
            {"start": [3], "end": [7], "label": [1]},
        ],
    }
    table = with_metadata(spans, {"entities": {"label": {"feature": kinds, "_type": "Sequence"}}})
    assert mentions_of(read(table)) == MENTIONS


def test_columns_names_and_scheme_can_be_said() -> None:
    columns = {"tokens": [["x"], ["y"]], "labels": [["O"], ["O"]], "pieces": TOKENS, "fine": IDS}
    data = FileBytes("x.parquet", data=as_parquet(pyarrow.table(columns)))
    said = {"token": "pieces", "label": "fine", "names": NAMES}
    assert mentions_of(read(data.open(), **said)) == MENTIONS
    bare = as_parquet(pyarrow.table({"tokens": TOKENS, "labels": [["PER", "PER", "O"], ["O"] * 2]}))
    assert mentions_of(read(io.BytesIO(bare), scheme="io")) == [(0, 2, "PER")]
    with pytest.raises(UsageError, match=r"unknown column 'fien'.*did you mean 'fine'"):
        read(data.open(), label="fien")


def test_a_file_is_evaluated_by_the_command_line_options(tmp_path: Path) -> None:
    from nerscope.formats.base import source_named

    path = tmp_path / "x.parquet"
    path.write_bytes(as_parquet(pyarrow.table({"tokens": TOKENS, "fine": IDS})))
    source = source_named(f"{path}::label=fine,names={'+'.join(NAMES)}")
    assert [mentions_of(chunk) for chunk in source.chunks(Coding())] == [MENTIONS]


def test_a_table_and_predictions_are_evaluated() -> None:
    gold = pyarrow.table({"tokens": TOKENS, "ner_tags": LABELS})
    frame = pandas.DataFrame({"tokens": TOKENS, "tags": [LABELS[0], ["O", "O"]]})
    results = nerscope.evaluate(gold, {"lists": LABELS, "frame": frame, "runs": [frame, gold]})
    recall = {
        (row["system"], row["run"]): row["value"]
        for row in results.rows
        if (row["metric"], row["facet"], row["type"], row["match"])
        == ("recall", "all", None, "exact")
    }
    assert recall["lists", "1"] == 1
    assert recall["frame", "1"] == recall["runs", "1"] == 0.5
    assert recall["runs", "2"] == 1


def test_chunks_hold_all_rows_in_their_order(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("nerscope.formats.tables.arrow.BATCH", 40)
    monkeypatch.setattr("nerscope.formats.source._CHUNK", 50)
    tokens = [[f"w{number}"] * (1 + number % 7) for number in range(2500)]
    table = pyarrow.table({"tokens": tokens, "tags": [["O"] * len(some) for some in tokens]})
    for source in (open_source(table), open_source(io.BytesIO(as_parquet(table)))):
        chunks = list(source.chunks(Coding()))
        assert len(chunks) > 50
        assert [words for chunk in chunks for words in words_of(chunk)] == tokens
        lines = np.concatenate([chunk.lines for chunk in chunks])
        assert np.unique(lines).tolist() == list(range(1, 2501))


@settings(max_examples=40)
@given(st.data())
def test_columns_say_what_rows_say(data: st.DataObject) -> None:
    """Batches of Arrow's are read as columns; data frames of the same rows are read row by row."""
    numbers = data.draw(st.booleans())
    label: st.SearchStrategy[Any] = st.integers(0, 3) if numbers else st.sampled_from(NAMES)
    sentence = st.lists(st.tuples(HOSTILE, label), min_size=1, max_size=5)
    pairs = data.draw(st.lists(sentence, min_size=1, max_size=9))
    columns: dict[str, list[list[Any]]] = {
        "tokens": [[token for token, _ in pair] for pair in pairs],
        "ner_tags": [[mark for _, mark in pair] for pair in pairs],
    }
    table = with_metadata(columns, {"ner_tags": [CLASSES]})
    skipped = data.draw(st.integers(0, len(pairs) - 1))
    spelt = [[NAMES[one] if numbers else one for one in row] for row in columns["ner_tags"]]
    frame = pandas.DataFrame({"tokens": columns["tokens"], "ner_tags": spelt}).iloc[skipped:]
    quick, slow = read(table.slice(skipped)), read(frame)
    assert words_of(quick) == words_of(slow)
    assert mentions_of(quick) == mentions_of(slow)
    assert quick.lines.tolist() == slow.lines.tolist()
    assert quick.scheme == slow.scheme


def test_words_that_cut_a_character_are_refused() -> None:
    halves = pyarrow.array([b"\xc3", b"\xa9"]).view(pyarrow.string())
    tokens = pyarrow.ListArray.from_arrays(pyarrow.array([0, 2], pyarrow.int32()), halves)
    table = pyarrow.table({"tokens": tokens, "labels": [["O", "O"]]})
    with pytest.raises(InputError, match="cannot be read as a table"):
        read(io.BytesIO(as_parquet(table)))


def test_words_are_always_kept_of_small_tables_only(tmp_path: Path) -> None:
    table = pyarrow.table({"tokens": TOKENS * 30_000, "labels": LABELS * 30_000})
    path = tmp_path / "x.arrow"
    path.write_bytes(as_stream(table))
    assert [open_source(one).info.is_small for one in (table, path)] == [False, False]
    assert open_source(table.slice(0, 10)).info.is_small


def test_text_is_retokenised_and_labels_are_flat() -> None:
    text = open_source(pandas.DataFrame({"text": TEXT, "entities": ENTITIES}))
    labels = open_source(pandas.DataFrame({"tokens": TOKENS, "labels": LABELS}))
    by_token = open_source(pandas.DataFrame(BY_TOKEN))
    kinds = [(source.info.retokenised, source.always_flat) for source in (text, labels, by_token)]
    assert kinds == [(True, False), (False, True), (False, True)]


SPANS = [[{"start": 0, "end": 2, "label": "PER"}], [{"start": 1, "end": 2, "label": "LOC"}]]


@pytest.mark.parametrize("library", [pandas.DataFrame, pyarrow.table])
def test_spans_beside_labels_must_say_the_same(library: Callable[..., Any]) -> None:
    columns = {"tokens": TOKENS, "labels": LABELS}
    assert mentions_of(read(library({**columns, "spans": SPANS}))) == MENTIONS
    with pytest.raises(FormatError, match="row 2: there are mentions under labels and under spans"):
        read(library({**columns, "spans": SPANS[:1] * 2}))


# What is wrong with a table, and what the message must say.
BAD: dict[str, tuple[dict[str, Any], str]] = {
    "no rows": ({"tokens": [], "labels": []}, "contains no sentences"),
    "an unknown number": ({"tokens": [["a"]], "ner_tags": [[9]]}, "9 is a number"),
    "a null label": (
        {"tokens": [["a", "b"]], "labels": [["O", None]]},
        "row 1.*missing values in 'labels'",
    ),
    "a null token": ({"tokens": [["a", None]], "labels": [["O", "O"]]}, "row 1.*in 'tokens'"),
    "no labels in row 2": ({"tokens": [["a"], ["b"]], "labels": [["O"], None]}, "row 2.*'labels'"),
    "fewer labels": ({"tokens": [["a", "b"]], "labels": [["O"]]}, "row 1: 2 tokens but 1 labels"),
    "an empty sentence": ({"tokens": [["a"], []], "labels": [["O"], []]}, "row 2.*empty"),
    "lists too deep": ({"tokens": [[["a"]]], "labels": [["O"]]}, "unknown layout of a table"),
    "bytes": ({"tokens": [[b"a"]], "labels": [["O"]]}, r"tokens \(list<.*binary>\)"),
    "a column of pickles": ({"tokens": [b"\x80\x04"], "labels": [b"\x80\x04"]}, "binary"),
    "classification": ({"text": ["good"], "label": [1]}, "unknown layout of a table"),
    "no sentence column": ({"token": ["a"], "label": ["O"]}, "unknown layout of a table"),
    "a null word": (
        {"sentence": [1, 1], "word": ["a", None], "tag": ["O", "O"]},
        "row 2.*missing values in 'word'.*keep_default_na",
    ),
    "a span outside": (
        {"text": ["ab"], "spans": [[{"start": 0, "end": 9, "label": "X"}]]},
        "row 1.*is empty or outside the 2 characters",
    ),
    "no type": ({"text": ["ab"], "spans": [[{"start": 0, "end": 1}]]}, "row 1.*no type"),
    "a label of no scheme": ({"tokens": [["a"]], "labels": [["PER"]]}, "no prefix"),
    "NUL in a token": ({"tokens": [["a\0"]], "labels": [["O"]]}, "row 1.*not a string"),
}


@pytest.mark.parametrize(("columns", "fact"), BAD.values(), ids=BAD.keys())
def test_bad_tables_are_refused_with_their_row(columns: dict[str, Any], fact: str) -> None:
    table = pyarrow.table(columns)
    for given_table in (table, io.BytesIO(as_parquet(table))):
        with pytest.raises(InputError, match=fact):
            read(given_table)


def test_a_wrong_name_of_a_class_is_refused() -> None:
    table = with_metadata({"tokens": [["a"]], "ner_tags": [[-100]]}, {"ner_tags": [CLASSES]})
    with pytest.raises(
        FormatError, match=r"row 1: label -100 is a number, but only 4 label names were given"
    ):
        read(table)


def test_pandas_may_hold_what_no_column_can() -> None:
    frame = pandas.DataFrame({"s": [1, 1], "word": ["a", 7], "tag": ["O", "O"]})
    frame = frame.rename(columns={"s": "sentence"})
    with pytest.raises(FormatError, match=r"row 2: 7 and 'O' are not a token and a label"):
        read(frame)
    missing = pandas.DataFrame({"sentence": [1], "word": ["a"], "tag": pandas.array(["O"])})
    missing.loc[0, "tag"] = pandas.NA
    with pytest.raises(FormatError):
        read(missing)
    twice = pandas.DataFrame([["a", "b"]], columns=["tokens", "tokens"])
    with pytest.raises(InputError, match="two columns have the same name"):
        read(twice)


class Opaque(pyarrow.ExtensionType):  # type: ignore[misc]
    """A type of somebody's own."""

    def __init__(self) -> None:
        super().__init__(pyarrow.list_(pyarrow.string()), "tests.opaque")

    def __arrow_ext_serialize__(self) -> bytes:
        return b""

    @classmethod
    def __arrow_ext_deserialize__(cls, storage_type: Any, serialized: bytes) -> "Opaque":
        return cls()


def test_types_of_somebodys_own_are_not_read() -> None:
    tokens = pyarrow.ExtensionArray.from_storage(Opaque(), pyarrow.array(TOKENS))
    table = pyarrow.table({"tokens": tokens, "labels": LABELS})
    pyarrow.register_extension_type(Opaque())
    try:
        with pytest.raises(InputError, match="unknown layout of a table"):
            read(io.BytesIO(as_parquet(table)))
    finally:
        pyarrow.unregister_extension_type("tests.opaque")


BROKEN: dict[str, Callable[[bytes], bytes]] = {
    "cut": lambda data: data[: len(data) // 2],
    "its middle overwritten": lambda data: data[:60] + b"\xff" * 60 + data[120:],
    "its end overwritten": lambda data: data[:-40] + b"\x7f" * 32 + data[-8:],
    "its beginning alone": lambda data: data[:8],
    "rubbish": lambda data: b"rubbish" * 9,
}


@pytest.mark.parametrize("how", BROKEN)
@pytest.mark.parametrize("name", WRITERS)
def test_broken_files_are_refused_or_read_as_they_are(name: str, how: str, tmp_path: Path) -> None:
    data = WRITERS[name](pyarrow.table({"tokens": TOKENS * 50, "labels": LABELS * 50}))
    path = tmp_path / name
    path.write_bytes(BROKEN[how](data))
    try:
        corpus = read(path)
    except NerscopeError as error:
        assert str(error).startswith(str(path))
    else:  # what was overwritten may be a word
        assert how == "its middle overwritten" and len(corpus) <= 100


@settings(max_examples=150)
@given(st.data())
def test_no_change_of_a_byte_is_more_than_an_error(data: st.DataObject) -> None:
    """Some broken footers end the whole process in pyarrow, unless they are read with care."""
    name = data.draw(st.sampled_from(sorted(WRITERS)))
    layout = data.draw(st.sampled_from(sorted(LAYOUTS)))
    content = bytearray(WRITERS[name](pyarrow.table(LAYOUTS[layout])))
    for _ in range(data.draw(st.integers(1, 4))):
        content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
    form = "parquet" if name == "x.parquet" else "arrow"
    try:
        corpus = read(io.BytesIO(bytes(content)), format=form)
    except NerscopeError as error:
        assert error.fix
    else:
        assert words_of(corpus)


def test_footers_claim_what_pyarrow_reads_in_them() -> None:
    table = pyarrow.table({"tokens": TOKENS * 300, "labels": LABELS * 300, "text": TEXT * 300})
    sink = io.BytesIO()
    parquet.write_table(table, sink, row_group_size=17)
    data = sink.getvalue()
    size = int.from_bytes(data[-8:-4], "little")
    metadata = parquet.read_metadata(io.BytesIO(data))
    columns = [
        metadata.row_group(group).column(column)
        for group in range(metadata.num_row_groups)
        for column in range(metadata.num_columns)
    ]
    wanted = [(column.num_values, column.total_compressed_size) for column in columns]
    assert list(map(tuple, claims_of(data[-8 - size : -8]))) == wanted


def test_an_empty_file_and_an_old_one_are_refused(tmp_path: Path) -> None:
    for name, data, fact in (
        ("x.parquet", b"", "contains no sentences"),
        ("x.feather", b"FEA1xxxx", "Feather version 1"),
        ("x.pkl", b"\x80\x04.", "pickle files are not read"),
        ("x.txt", b"\x80\x05\x95", "pickle files are not read"),
    ):
        path = tmp_path / name
        path.write_bytes(data)
        with pytest.raises(InputError, match=fact):
            read(path)


def test_claims_beyond_all_measure_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("nerscope.formats.tables.arrow._TRUSTED_VALUES", 100_000)
    size = 500_000
    values = pyarrow.DictionaryArray.from_arrays(np.zeros(size, np.int32), ["O"])
    offsets = pyarrow.array([0, size], pyarrow.int32())
    column = pyarrow.ListArray.from_arrays(offsets, values.cast(pyarrow.string()))
    path = tmp_path / "bomb.parquet"
    parquet.write_table(pyarrow.table({"tokens": column, "labels": column}), path)
    assert path.stat().st_size < 5000
    with pytest.raises(InputError, match="it claims 500000 values in"):
        read(path)


@st.composite
def sentences(draw: st.DrawFn, flat: bool) -> list[tuple[list[str], list[tuple[int, int, str]]]]:
    made = []
    for tokens in draw(st.lists(st.lists(HOSTILE, min_size=1, max_size=6), min_size=1, max_size=4)):
        cuts = st.integers(0, len(tokens))
        pairs = draw(st.lists(st.tuples(cuts, cuts, KINDS), max_size=4))
        spans = sorted({(low, high, kind) for low, high, kind in pairs if low < high})
        if flat:
            kept: list[tuple[int, int, str]] = []
            for span in spans:
                if not kept or span[0] >= kept[-1][1]:
                    kept.append(span)
            spans = kept
        made.append((tokens, spans))
    return made


@settings(max_examples=60)
@given(st.booleans().flatmap(lambda flat: sentences(flat)))
def test_what_is_written_is_read_again(
    given_sentences: list[tuple[list[str], list[tuple[int, int, str]]]],
) -> None:
    corpus = Corpus.of(given_sentences)
    for write in (write_parquet, write_arrow):
        again = read(io.BytesIO(write(corpus, BIO)))
        assert words_of(again) == words_of(corpus)
        assert sorted(mentions_of(again)) == sorted(mentions_of(corpus))


@pytest.mark.parametrize("ending", ["arrow", "feather", "ipc"])
def test_endings_of_arrow_are_written_as_such(ending: str, tmp_path: Path) -> None:
    path = tmp_path / f"x.{ending}"
    nerscope.convert(list(zip(TOKENS, LABELS, strict=True)), path)
    assert feather.read_table(path).to_pydict() == {"tokens": TOKENS, "labels": LABELS}
    assert mentions_of(read(path)) == MENTIONS


def test_mentions_with_holes_are_written_and_ragged_ones_refused() -> None:
    nested = [(["a", "b", "c", "d"], [(0, 4, "X"), (1, 2, "Y")])]
    corpus = Corpus.of(nested)
    assert corpus.spans is not None

    def shaped(first: Shape) -> Corpus:
        shapes = np.fromiter([first, Shape()], object)
        return replace(corpus, spans=replace(corpus.mentions(), shape=shapes))

    again = read(io.BytesIO(write_parquet(shaped(Shape(holes=((1, 3),))), BIO)))
    shape = again.mentions().shape
    assert shape is not None
    assert [one.holes for one in shape] == [((1, 3),), ()]
    with pytest.raises(InputError, match="begins or ends inside a token"):
        write_parquet(shaped(Shape(left=1)), BIO)


def test_text_goes_with_the_tokens_where_it_is_known() -> None:
    corpus = read(pandas.DataFrame({"text": ["Ada  spoke"], "entities": [[]]}))
    table = parquet.read_table(io.BytesIO(write_parquet(corpus, BIO)))
    assert table.to_pylist() == [
        {"tokens": ["Ada", "spoke"], "labels": ["O", "O"], "text": "Ada  spoke"}
    ]


def test_a_missing_library_is_named_with_its_extra(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    import sys

    monkeypatch.setitem(sys.modules, "pyarrow", None)
    path = tmp_path / "x.parquet"
    path.write_bytes(b"PAR1xxxxPAR1")
    with pytest.raises(UsageError, match=r"it needs pyarrow.*pip install 'nerscope\[tables\]'"):
        read(path)


# Folders that `save_to_disk` of Hugging Face's datasets writes.


def saved(folder: Path, tables: list[pyarrow.Table], **state: Any) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    names = [f"data-{number:05}.arrow" for number in range(len(tables))]
    for name, table in zip(names, tables, strict=True):
        (folder / name).write_bytes(as_stream(table))
    files = [{"filename": name} for name in names]
    (folder / "state.json").write_text(json.dumps({"_data_files": files, **state}))
    info = {"features": {"ner_tags": {"feature": CLASSES, "_type": "Sequence"}}}
    (folder / "dataset_info.json").write_text(json.dumps(info))
    return folder


def test_a_saved_dataset_is_read_file_after_file(tmp_path: Path) -> None:
    parts = [pyarrow.table({"tokens": [TOKENS[k]], "ner_tags": [IDS[k]]}) for k in (0, 1)]
    corpus = read(saved(tmp_path / "test", parts))
    assert (words_of(corpus), mentions_of(corpus)) == (TOKENS, MENTIONS)


def test_a_dataset_of_splits_names_them(tmp_path: Path) -> None:
    (tmp_path / "dataset_dict.json").write_text('{"splits": ["train", "test"]}')
    with pytest.raises(
        InputError, match=r"several splits: train, test\. Fix: choose one split: .*/test"
    ):
        read(tmp_path)


def test_folders_that_are_not_what_they_should_be(tmp_path: Path) -> None:
    table = pyarrow.table({"tokens": TOKENS, "ner_tags": IDS})
    cases: list[tuple[str, dict[str, Any], str]] = [
        (
            "elsewhere",
            {"_data_files": [{"filename": "../secret.arrow"}]},
            "does not list the data files",
        ),
        ("nothing", {"_data_files": []}, "does not list the data files"),
        ("odd", {"_data_files": [3]}, "does not list the data files"),
        ("missing", {"_data_files": [{"filename": "gone.arrow"}]}, "no such file"),
        ("chosen", {"_indices_data_files": [{"filename": "i.arrow"}]}, "selected or shuffled"),
    ]
    for name, state, fact in cases:
        with pytest.raises(InputError, match=fact):
            read(saved(tmp_path / name, [table], **state))
    broken = saved(tmp_path / "broken", [table])
    for text in ("{", "[]", "[" * 100_000):
        (broken / "state.json").write_text(text)
        with pytest.raises(InputError, match="not a JSON object"):
            read(broken)


def test_an_ordinary_folder_is_still_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="this is a folder"):
        read(tmp_path)
    for name in ("a.json", "b.json", "README.md"):
        (tmp_path / name).write_text("{}")
    with pytest.raises(InputError, match=r"as a pattern: '.*\*\.json'"):
        read(tmp_path)


@pytest.mark.parametrize("spans", [False, True])
def test_documents_are_written_and_read_back(spans: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("nerscope.formats.tables.arrow.BATCH", 2)
    marks = [(0, 1, "X"), (0, 1, "Y")] if spans else [(0, 1, "X")]
    corpus = replace(Corpus.of([(["a"], marks)] * 5), documents=np.array([0, 0, 0, 1, 2]))
    again = read(io.BytesIO(write_parquet(corpus, BIO)))
    assert again.documents.tolist() == [0, 0, 0, 1, 2]


@pytest.mark.parametrize(
    ("given", "documents"),
    [
        ([7, 7, 3], [0, 0, 1]),
        (np.array([2**63, 2**63 + 1, 2**63], np.uint64), [0, 0, 0]),
        ([-1, -2, -3], [0, 0, 0]),
        (["x", "y", "z"], [0, 0, 0]),
    ],
)
@pytest.mark.parametrize("in_columns", [False, True])
def test_a_column_of_numbers_tells_documents(
    given: Any, documents: list[int], in_columns: bool
) -> None:
    table = pyarrow.table({"tokens": [["a"]] * 3, "labels": [["O"]] * 3, "document": given})
    assert read(table if in_columns else table.to_pandas()).documents.tolist() == documents
