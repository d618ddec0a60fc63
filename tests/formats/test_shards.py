"""Files that are cut into shards give the same results and messages as uncut ones."""

import csv
import gzip
import io
import json
from collections.abc import Callable, Iterable, Iterator
from itertools import accumulate
from pathlib import Path
from typing import Any

import pyarrow
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pyarrow import parquet
from tests.scoring.toys import drawn, noisy

import nerscope
from nerscope.corpus.corpus import Coding
from nerscope.engines.base import Item, Part, State
from nerscope.errors import NerscopeError
from nerscope.formats.base import source_named
from nerscope.formats.columns.conll import ConllFile
from nerscope.formats.packing import pack_for
from nerscope.formats.shards import Shard, cut_into_shards
from nerscope.formats.source import Source

TRAIN = drawn(40, seed=5)


class Apart:
    """An engine that treats shards as if they left this process."""

    remote = True

    def __init__(self) -> None:
        self.most = 0

    def map(
        self, work: Callable[[State, Item], Part], state: State, items: Iterable[Item]
    ) -> Iterator[Part]:
        everyone = list(items)
        self.most = max(self.most, len(everyone))
        return (work(state, item) for item in everyone)


@pytest.fixture(autouse=True)
def _small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("nerscope.formats.shards._SHARD_SIZE", 400)
    monkeypatch.setattr("nerscope.formats.cutting._STRETCH", 190)


PACKED: list[set[str]] = [set(), {"gold"}, {"pred"}, {"gold", "pred"}]
MARKS = {"apart": "\n", "far": "\n\n\n", "joined": "", "spaces": " \n\n", "tab": "\n\t\n\n"}
BLANK = {"plain": "\n", "two": "\n\n", "spaces": " \n", "tab": "\t\n"}


@st.composite
def layouts(draw: st.DrawFn) -> dict[str, Any]:
    """How a file is written: line ends, blank lines, marks of documents, its end."""
    return {
        "end": draw(st.sampled_from(["\n", "\r\n"])),
        "blank": draw(st.lists(st.sampled_from([*["plain"] * 6, *BLANK]), min_size=3, max_size=7)),
        "documents": draw(st.sampled_from([None, *MARKS])),
        "first": draw(st.sampled_from(["", "\ufeff", "\n", "-DOCSTART- O\n\n"])),
        "last": draw(st.sampled_from(["", "\n", "\n\n"])),
        "comments": draw(st.booleans()),
    }


def written(sentences: Any, layout: dict[str, Any]) -> bytes:
    blank, text = layout["blank"], layout["first"]
    if layout["comments"]:
        text = "# sent_id = 1\n"
    for number, (tokens, labels) in enumerate(sentences):
        if layout["documents"] and number % 5 == 3:
            text += "-DOCSTART- O\n" + MARKS[layout["documents"]]
        if layout["comments"] and number % 4 == 1:
            text += f"# newdoc {number}\n" + "\n" * (number % 3)
        text += "".join(f"{a} {b}\n" for a, b in zip(tokens, labels, strict=True))
        text += BLANK[blank[number % len(blank)]] if number < len(sentences) - 1 else ""
    whole: str = text.rstrip("\n") + layout["last"]
    return whole.replace("\n", layout["end"]).encode()


def outcome(*given: Any, **options: Any) -> str:
    try:
        return nerscope.evaluate(*given, train=TRAIN, facets=["tmr", "hard"], **options).to_json()
    except NerscopeError as error:
        return str(error)


@settings(
    max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    layouts(),
    layouts(),
    st.integers(0, 10**6),
    st.sampled_from([None, None, None, 3, 20]),
    st.sampled_from(PACKED),
)
def test_shards_give_the_results_of_the_whole_file(
    tmp_path: Path,
    ours: dict[str, Any],
    theirs: dict[str, Any],
    seed: int,
    damage: int | None,
    packed: set[str],
) -> None:
    gold = drawn(30, seed=seed)
    pred = noisy(gold, 0.3, seed + 1)
    if damage is not None:
        pred = [*pred[:damage], (["other", *pred[damage][0][1:]], pred[damage][1]), *pred[26:]]
    for name, text in (("gold", written(gold, ours)), ("pred", written(pred, theirs))):
        (tmp_path / f"{name}.txt").write_bytes(gzip.compress(text) if name in packed else text)
    files = str(tmp_path / "gold.txt"), {"s": str(tmp_path / "pred.txt")}
    assert outcome(*files, engine=Apart()) == outcome(*files)


@settings(
    max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(layouts(), st.integers(0, 10**6), st.booleans())
def test_shards_of_one_file_give_the_results_of_the_whole_file(
    tmp_path: Path, layout: dict[str, Any], seed: int, packed: bool
) -> None:
    gold = drawn(40, seed=seed)
    other = [labels for _, labels in noisy(gold, 0.3, seed + 1)]
    pairs = zip(gold, other, strict=True)
    both = [
        (tokens, [f"{a} {b}" for a, b in zip(labels, own, strict=True)])
        for (tokens, labels), own in pairs
    ]
    text = written(both, layout)
    (tmp_path / "both.txt").write_bytes(gzip.compress(text) if packed else text)
    file = str(tmp_path / "both.txt")
    assert outcome(file, engine=Apart()) == outcome(file)


def plain_files(folder: Path, size: int = 60) -> tuple[str, str]:
    gold = drawn(size, seed=1)
    plain = {"end": "\n", "blank": ["plain"], "documents": "apart", "first": "", "last": "\n"}
    layout = {**plain, "comments": False}
    (folder / "gold.txt").write_bytes(written(gold, layout))
    (folder / "pred.txt").write_bytes(written(noisy(gold, 0.2, 2), {**layout, "documents": None}))
    return str(folder / "gold.txt"), str(folder / "pred.txt")


def cut(*sources: Source) -> list[Shard]:
    shards = cut_into_shards(sources)
    assert shards is not None
    return list(shards)


def test_files_are_cut_at_the_same_sentences_though_one_marks_documents(tmp_path: Path) -> None:
    gold, pred = map(source_named, plain_files(tmp_path))
    shards = cut(gold, pred)
    assert len(shards) > 4
    sizes = [[sum(map(len, side.chunks(Coding()))) for side in shard] for shard in shards]
    assert all(ours == theirs > 0 for ours, theirs in sizes)
    assert sum(ours for ours, _ in sizes) == 60
    assert [shard[0].continues_document for shard in shards] == [False, *[True] * (len(shards) - 1)]


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("first", ["", "\n\n"])
def test_how_many_blank_lines_there_are_does_not_matter(
    tmp_path: Path, end: str, first: str
) -> None:
    gold = drawn(80, seed=1)
    layout = {"end": end, "documents": "far", "last": "\n", "comments": False}
    blanks = {"one": ["plain"], "two": ["two"], "mixed": ["plain", "two", "two"]}
    for name, blank in blanks.items():
        text = written(gold, {**layout, "blank": blank, "first": first if name == "two" else ""})
        (tmp_path / name).write_bytes(text)
    shards = cut(*(source_named(str(tmp_path / name)) for name in blanks))
    assert len(shards) > 4
    for shard in shards:
        words = [[chunk.tokens.tolist() for chunk in side.chunks(Coding())] for side in shard]
        assert words[0] == words[1] == words[2]


@pytest.mark.parametrize("empty", ["gold", "pred"])
def test_a_packed_file_with_nothing_in_it_is_refused_as_ever(tmp_path: Path, empty: str) -> None:
    gold, pred = plain_files(tmp_path)
    (tmp_path / f"{empty}.txt").write_bytes(gzip.compress(b""))
    assert outcome(gold, {"s": pred}, engine=Apart()) == outcome(gold, {"s": pred})
    assert "contains no sentences" in outcome(gold, {"s": pred}, engine=Apart())


def test_shards_know_their_lines(tmp_path: Path) -> None:
    gold = source_named(plain_files(tmp_path)[0])
    (whole,) = gold.chunks(Coding())
    lines = [
        line
        for (part,) in cut(gold)
        for chunk in part.chunks(Coding())
        for line in chunk.lines.tolist()
    ]
    assert lines == whole.lines.tolist()


def test_a_file_with_both_sides_is_cut_once(tmp_path: Path) -> None:
    gold = drawn(60, seed=1)
    rows = ((a, b) for tokens, labels in gold for a, b in zip(tokens, labels, strict=True))
    (tmp_path / "both.txt").write_text("\n\n".join(f"{a} {b} O" for a, b in rows))
    engine = Apart()
    apart = nerscope.evaluate(tmp_path / "both.txt", engine=engine)
    assert engine.most > 3
    assert apart.to_json() == nerscope.evaluate(tmp_path / "both.txt").to_json()


def test_files_of_a_pattern_are_shards(tmp_path: Path) -> None:
    gold, pred = drawn(60, seed=1), noisy(drawn(60, seed=1), 0.2, 2)
    layout = {"end": "\n", "blank": ["plain"], "documents": "apart", "first": "", "last": "\n"}
    for name, own in (("gold", gold), ("pred", pred)):
        for number in range(3):
            shard = own[number * 20 : number * 20 + 20]
            text = written(shard, {**layout, "comments": False})
            (tmp_path / f"{name}.{number}.txt").write_bytes(text)
    files = f"{tmp_path}/gold.*.txt", {"s": f"{tmp_path}/pred.*.txt"}
    engine = Apart()
    apart = nerscope.evaluate(*files, engine=engine, train=TRAIN, intervals=True)
    assert engine.most > 3
    assert apart.to_json() == nerscope.evaluate(*files, train=TRAIN, intervals=True).to_json()


@pytest.mark.parametrize("ending", [".gz", ".zst"])
def test_a_packed_file_is_cut_and_its_shards_hold_their_text(tmp_path: Path, ending: str) -> None:
    plain = [Path(file) for file in plain_files(tmp_path)]
    packed = [file.with_suffix(ending) for file in plain]
    for file, own in zip(plain, packed, strict=True):
        own.write_bytes(pack_for(own.name, file.read_bytes()))
    shards = cut(*(source_named(str(file)) for file in packed))
    assert len(shards) > 4
    for file in packed:
        file.unlink()
    for side, file in enumerate(plain):
        (whole,) = source_named(str(file)).chunks(Coding())
        chunks = [chunk for shard in shards for chunk in shard[side].chunks(Coding())]
        words = [chunk.words(number) for chunk in chunks for number in range(len(chunk))]
        assert words == [whole.words(number) for number in range(len(whole))]
        assert [line for chunk in chunks for line in chunk.lines] == whole.lines.tolist()


def test_packed_shards_are_left_to_those_who_work_on_them(tmp_path: Path) -> None:
    gold = Path(plain_files(tmp_path)[0]).read_bytes()
    for number in range(3):
        (tmp_path / f"{number}.gz").write_bytes(gzip.compress(gold))
    shards = cut(source_named(f"{tmp_path}/*.gz"))
    parts = [file.byte_range for (file,) in shards if isinstance(file, ConllFile)]
    assert parts == [None] * 3


def test_how_many_shards_there_are_is_known_roughly_of_plain_files(tmp_path: Path) -> None:
    gold, pred = plain_files(tmp_path)
    shards = cut_into_shards([source_named(gold), source_named(pred)])
    assert shards is not None and shards.number is not None
    assert abs(shards.number - len(list(shards))) <= 3
    packed = tmp_path / "gold.gz"
    packed.write_bytes(gzip.compress(Path(gold).read_bytes()))
    of_packed = cut_into_shards([source_named(str(packed))])
    assert of_packed is not None and of_packed.number is None
    (tmp_path / "other.gz").write_bytes(packed.read_bytes())
    shards = cut_into_shards([source_named(f"{tmp_path}/*.gz")])
    assert shards is not None and shards.number == 2


@pytest.mark.parametrize(
    "options",
    [{"document": 0}, {"encoding": "utf-16"}, {"sentences": "any"}, {"tokens": "align"}],
    ids=str,
)
def test_what_cannot_be_cut_stays_in_one_piece(options: dict[str, Any], tmp_path: Path) -> None:
    gold, pred = plain_files(tmp_path)
    assert cut_into_shards([ConllFile(gold), ConllFile(pred, **options)]) is None


def test_the_words_of_a_file_without_a_blank_line_are_one_piece(tmp_path: Path) -> None:
    path = tmp_path / "long.txt"
    path.write_text("word O\n" * 1000)
    assert cut_into_shards([source_named(str(path))]) is None


# Formats of records. A record of text has one or two sentences, some with spans.


def text_lines(sentences: Any, names: bool) -> bytes:
    lines = []
    for number, (tokens, labels) in enumerate(sentences):
        text, spans = " ".join(tokens), []
        ends = list(accumulate(len(token) + 1 for token in tokens))
        for at, label in enumerate(labels):
            if label.startswith("B-"):
                spans.append({"start": ends[at] - len(tokens[at]) - 1, "end": ends[at] - 1})
                spans[-1]["label"] = label[2:]
        text = text.replace(" ", "\n", 1) if number % 3 == 0 and not spans else text
        item = {"text": text, "spans": spans, **({"id": number} if names else {})}
        lines.append(json.dumps(item) + "\n" * (1 + (number % 7 == 0)))
    return "".join(lines).encode()


def label_lines(sentences: Any, names: bool) -> bytes:
    items = (
        {"tokens": tokens, "ner_tags": labels, **({"id": number} if names else {})}
        for number, (tokens, labels) in enumerate(sentences)
    )
    return "".join(json.dumps(item) + "\n" for item in items).encode()


def token_rows(sentences: Any, names: bool) -> bytes:
    """Rows of tokens; without names, only the first row of a sentence has its number."""
    sink = io.StringIO(newline="")
    writer = csv.writer(sink)
    writer.writerow(["sentence_id", "token", "label"])
    for number, (tokens, labels) in enumerate(sentences):
        for at, pair in enumerate(zip(tokens, labels, strict=True)):
            writer.writerow([number if names or not at else "", *pair])
    return sink.getvalue().encode()


def sentence_rows(sentences: Any, names: bool) -> bytes:
    sink = io.StringIO(newline="")
    writer = csv.writer(sink, quoting=csv.QUOTE_ALL if names else csv.QUOTE_MINIMAL)
    writer.writerow(["tokens", "ner_tags"])
    writer.writerows([json.dumps(tokens), json.dumps(labels)] for tokens, labels in sentences)
    return sink.getvalue().encode()


def table(sentences: Any, names: bool) -> bytes:
    columns: dict[str, Any] = {
        "tokens": [t for t, _ in sentences],
        "tags": [b for _, b in sentences],
    }
    if names:
        columns["id"] = [str(number) for number in range(len(sentences))]
    sink = io.BytesIO()
    parquet.write_table(pyarrow.table(columns), sink, row_group_size=5)
    return sink.getvalue()


RECORDS = {
    "text.jsonl": text_lines,
    "labels.jsonl": label_lines,
    "tokens.csv": token_rows,
    "sentences.csv": sentence_rows,
    "table.parquet": table,
}


@pytest.mark.parametrize("form", RECORDS)
@settings(
    max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(st.integers(0, 10**6), st.sampled_from([None, None, 3, 25]), st.booleans(), st.booleans())
def test_shards_of_records_give_the_results_of_the_whole_file(
    tmp_path: Path, form: str, seed: int, damage: int | None, names: bool, packed: bool
) -> None:
    gold = drawn(40, seed=seed)
    pred = noisy(gold, 0.3, seed + 1)
    if damage is not None:
        pred = [*pred[:damage], (["other", *pred[damage][0][1:]], pred[damage][1]), *pred[26:]]
    files = []
    for side, sentences in (("gold", gold), ("pred", pred)):
        path = tmp_path / f"{side}.{form}"
        data = RECORDS[form](sentences, names)
        path.write_bytes(gzip.compress(data) if packed and form.endswith(".jsonl") else data)
        files.append(str(path))
    engine = Apart()
    found = outcome(files[0], {"s": files[1]}, engine=engine)
    assert found == outcome(files[0], {"s": files[1]})
    assert engine.most > 2 or damage is not None


def test_columns_and_records_are_cut_at_the_same_sentences(tmp_path: Path) -> None:
    gold, _ = plain_files(tmp_path)
    output = tmp_path / "out.jsonl"
    output.write_bytes(label_lines(noisy(drawn(60, seed=1), 0.2, 2), names=False))
    engine = Apart()
    apart = nerscope.evaluate(gold, {"s": output}, engine=engine)
    assert engine.most > 3
    assert apart.to_json() == nerscope.evaluate(gold, {"s": output}).to_json()


@pytest.mark.parametrize(
    "line",
    ['{"text": "Ada", "spans": [], "annotator": "eve"}', '{"tokens": ["Ada"], "tags": ["O"]}'],
    ids=["an annotator", "another layout"],
)
def test_records_that_depend_on_others_are_read_in_one_piece(tmp_path: Path, line: str) -> None:
    lines = text_lines(drawn(60, seed=1), names=False).decode().splitlines()
    gold = tmp_path / "gold.jsonl"
    gold.write_text("\n".join([*lines[:50], line, *lines[50:]]))
    assert outcome(gold, {"s": gold}, engine=Apart()) == outcome(gold, {"s": gold})


@pytest.mark.parametrize(
    "text",
    [
        '[{"text": "Ada", "spans": []}]',
        '{"text": "Ada", "spans": [], "annotator": "eve"}\n',
    ],
    ids=["a list", "an annotator is chosen"],
)
def test_json_that_cannot_be_cut_stays_in_one_piece(tmp_path: Path, text: str) -> None:
    path = tmp_path / "a.json"
    path.write_text(text)
    option = "::annotator=eve" if "annotator" in text else ""
    assert source_named(f"{path}{option}").cuttable is None
