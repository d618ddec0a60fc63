"""Where bytes come from: packed files, addresses, and patterns that several files fit."""

import gzip
import io
import os
import pickle
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import fsspec
import pytest
import zstandard

import nerscope as ns
from nerscope.corpus.corpus import Coding, Corpus, ReadingNotes
from nerscope.corpus.schemes import BIO, Transitions
from nerscope.errors import FormatError, InputError, UsageError
from nerscope.formats.base import (
    input_files,
    open_source,
    output_format,
    source_named,
    split_options,
    stem_of,
)
from nerscope.formats.files import FileBytes, display_address, is_remote, matching_files
from nerscope.formats.packing import PACKINGS, without_packing
from nerscope.formats.source import DocumentCount, JoinedSources, Source, notes_of_files

TEXT = b"Ada B-PER\nmet O\nBob B-PER\n\nin O\nOslo B-LOC\n"
OTHER = b"Eve B-PER\nleft O\n"
CHECKED = zstandard.ZstdCompressor(write_checksum=True)  # as the program of this name does
UNSIZED = zstandard.ZstdCompressor(write_checksum=True, write_content_size=False)
PACKED = {
    "plain": TEXT,
    "gzip": gzip.compress(TEXT),
    "zstd": CHECKED.compress(TEXT),
    "zstd, unsized": UNSIZED.compress(TEXT),
    "zstd, two frames": CHECKED.compress(TEXT[:11]) + CHECKED.compress(TEXT[11:]),
    "gzip, two members": gzip.compress(TEXT[:11]) + gzip.compress(TEXT[11:]),
}


def words(corpus: Corpus) -> list[list[str]]:
    return [corpus.words(sentence) for sentence in range(len(corpus))]


EXPECTED = words(ns.read(io.BytesIO(TEXT)))


@pytest.fixture
def memory() -> Iterator[Any]:
    """The file system of fsspec that lives in memory, empty before and after."""
    system = fsspec.filesystem("memory")
    system.store.clear()
    yield system
    system.store.clear()
    system.pseudo_dirs[:] = [""]


@pytest.fixture
def shards(tmp_path: Path) -> str:
    """A pattern that three files fit, each packed in its own way."""
    (tmp_path / "s-10.conll").write_bytes(OTHER)
    (tmp_path / "s-1.conll").write_bytes(PACKED["gzip"])
    (tmp_path / "s-2.conll").write_bytes(PACKED["zstd"])
    (tmp_path / "s-3.conll").mkdir()
    return str(tmp_path / "s-*.conll")


# Packed files


@pytest.mark.parametrize("way", PACKED)
@pytest.mark.parametrize("given", ["path", "file", "pipe", "address"])
def test_packed_bytes_are_unpacked_wherever_they_come_from(
    way: str, given: str, tmp_path: Path, memory: Any
) -> None:
    path = tmp_path / "x"
    if given == "pipe":
        os.mkfifo(path)
        threading.Thread(target=path.write_bytes, args=(PACKED[way],), daemon=True).start()
    else:
        path.write_bytes(PACKED[way])
        memory.pipe("/x", PACKED[way])
    opened: Any = {"file": io.BytesIO(PACKED[way]), "address": "memory://x"}.get(given, path)
    source = open_source(opened)
    for _ in range(2):
        assert words(ns.read(source)) == EXPECTED


@pytest.mark.parametrize("way", sorted(PACKED.keys() - {"plain"}))
@pytest.mark.parametrize("harm", ["cut off", "damaged"])
def test_a_packed_file_that_is_broken_is_refused(way: str, harm: str, tmp_path: Path) -> None:
    path, data = tmp_path / "x", PACKED[way]
    path.write_bytes(data[:-5] if harm == "cut off" else data[:-5] + b"!!!!!")
    with pytest.raises(InputError, match="the packed file is damaged"):
        ns.read(path)


@pytest.mark.parametrize("size", [0, 1, 4095, 4096, 100_000])
def test_zstd_of_any_size_is_read_whole(size: int) -> None:
    data = os.urandom(size) + b"a" * size
    packed = zstandard.compress(data, level=1) + zstandard.compress(b"")
    with FileBytes("x", data=packed).open() as stream:
        assert stream.read() == data


def test_zstd_needs_its_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "zstandard", None)
    monkeypatch.setitem(sys.modules, "compression.zstd", None)
    with pytest.raises(UsageError, match=r"needs zstandard.*nerscope\[zstd\]"):
        ns.read(io.BytesIO(PACKED["zstd"]))


def test_zstd_may_come_with_python(monkeypatch: pytest.MonkeyPatch) -> None:
    class Alike:
        """A module with the names of Python's own."""

        ZstdError = zstandard.ZstdError
        ZstdDecompressor = staticmethod(lambda: zstandard.ZstdDecompressor().decompressobj())

    monkeypatch.setitem(sys.modules, "zstandard", None)
    monkeypatch.setitem(sys.modules, "compression", Alike)
    monkeypatch.setitem(sys.modules, "compression.zstd", Alike)
    assert words(ns.read(io.BytesIO(PACKED["zstd, two frames"]))) == EXPECTED


@pytest.mark.parametrize("ending", [packing.ending for packing in PACKINGS])
def test_endings_of_packed_files_say_nothing_else(ending: str, tmp_path: Path) -> None:
    assert without_packing(f"x.conll{ending}") == "x.conll"
    assert stem_of(f"runs/bert.txt{ending}") == "bert"
    assert output_format(f"x.jsonl{ending}").name == "jsonl"
    target = tmp_path / f"x.jsonl{ending}"
    ns.convert(io.BytesIO(TEXT), target)
    assert not target.read_bytes().startswith(b"{")
    assert words(ns.read(target)) == EXPECTED


@pytest.mark.parametrize("pack", [gzip.compress, zstandard.compress, bytes])
def test_tables_may_be_packed_and_elsewhere(pack: Any, tmp_path: Path, memory: Any) -> None:
    ns.convert(io.BytesIO(TEXT), tmp_path / "x.parquet")
    memory.pipe("/x.parquet", pack((tmp_path / "x.parquet").read_bytes()))
    assert words(ns.read("memory://x.parquet")) == EXPECTED


# Addresses


@pytest.mark.parametrize(
    ("path", "remote"),
    [
        ("s3://bucket/x", True),
        ("memory://x", True),
        ("zip://x.conll::s3://bucket/a.zip", True),
        ("simplecache::http://there/x", True),
        ("C:\\x", False),
        ("c:/x", False),
        ("C://x", False),
        ("x::label=1", False),
        ("./s3:/x", False),
        ("-", False),
    ],
)
def test_addresses_are_known_by_their_scheme(path: str, remote: bool) -> None:
    assert is_remote(path) == remote


def test_secrets_of_an_address_are_not_shown() -> None:
    assert display_address("https://me:pass@there/x.conll?key=secret#a") == "https://there/x.conll"
    assert display_address("s3://bucket/what?.conll") == "s3://bucket/what?.conll"


@pytest.mark.parametrize(
    ("text", "path", "options"),
    [
        ("x.conll::label=1", "x.conll", "label=1"),
        ("x.conll::wrong", "x.conll", "wrong"),
        ("s3://b/x.conll::label=1,token=0", "s3://b/x.conll", "label=1,token=0"),
        ("zip://x::s3://b/a.zip::label=1", "zip://x::s3://b/a.zip", "label=1"),
        ("zip://x::s3://b/a.zip", "zip://x::s3://b/a.zip", ""),
        ("s3://b/x.conll::", "s3://b/x.conll", ""),
    ],
)
def test_options_follow_paths_and_addresses(text: str, path: str, options: str) -> None:
    assert split_options(text) == (path, options)


def test_addresses_are_read_with_options_and_by_evaluate(memory: Any) -> None:
    memory.pipe("/gold.conll", TEXT)
    memory.pipe("/bert.conll.gz", gzip.compress(TEXT.replace(b"B-LOC", b"O")))
    results = ns.evaluate(
        source_named("memory://gold.conll::label=1"), {"bert": "memory://bert.conll.gz"}
    )
    assert results.value(metric="recall", match="exact") == pytest.approx(2 / 3)
    assert {row["dataset"] for row in results.rows} == {"gold"}


@pytest.mark.parametrize(
    ("address", "fact"),
    [
        ("memory://nowhere.conll", "no such file"),
        ("nothing://x", r"unknown kind of address \(Protocol not known: nothing\)"),
        ("gdrive://x", r"the driver for this kind of address is not installed \(.*gdrive"),
        ("file://{folder}/x", "no such file"),
        ("file://{folder}", "it cannot be reached"),
        ("memory://*.conll", "no file matches this pattern"),
    ],
)
def test_what_cannot_be_reached_is_said(
    address: str, fact: str, tmp_path: Path, memory: Any
) -> None:
    with pytest.raises((InputError, UsageError), match=fact):
        open_source(address.format(folder=tmp_path))


def test_addresses_need_their_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "fsspec.core", None)
    with pytest.raises(UsageError, match=r"needs fsspec.*nerscope\[remote\]"):
        ns.read("s3://bucket/x.conll")


def test_what_fails_while_it_is_read_is_said_of_its_address(
    memory: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory.pipe("/x.conll", TEXT)
    source = open_source("memory://x.conll")
    failing = type("Failing", (io.BytesIO,), {"read": lambda self, size: 1 / 0})
    monkeypatch.setattr(type(memory), "open", lambda *given, **options: failing())
    with pytest.raises(InputError, match=r"^memory://x.conll: it cannot be reached \(division"):
        ns.read(source)


def test_remote_bytes_are_read_as_they_are_asked_for(memory: Any) -> None:
    memory.pipe("/x.conll", TEXT * 200_000)
    data = FileBytes.of("memory://x.conll")
    assert data.data is None and data.size == len(TEXT) * 200_000 and not data.is_folder
    with data.open() as stream:
        assert stream.read(9) == TEXT[:9]
        assert stream.raw._file.tell() <= 2 << 20  # type: ignore[attr-defined]


# Patterns


def test_files_that_fit_a_pattern_are_one_corpus_in_the_order_of_their_names(shards: str) -> None:
    source = open_source(shards)
    assert isinstance(source, JoinedSources) and source.name == shards
    assert [Path(one.name).name for one in source.sources] == [
        *("s-1.conll", "s-10.conll", "s-2.conll")
    ]
    read = ns.read(shards)
    assert words(read) == [*EXPECTED, ["Eve", "left"], *EXPECTED] and read.name == shards
    assert [chunk.name for chunk in source.chunks(Coding())] == [one.name for one in source.sources]
    assert set(read.documents.tolist()) == {0}
    again = pickle.loads(pickle.dumps(source))
    assert again == source and words(ns.read(again)) == words(read)


@pytest.mark.parametrize("ending", ["parquet", "arrow", "jsonl", "conllu"])
def test_files_of_every_format_fit_patterns_and_travel(ending: str, tmp_path: Path) -> None:
    ns.convert(io.BytesIO(TEXT), tmp_path / f"1.{ending}")
    ns.convert(io.BytesIO(OTHER), tmp_path / f"2.{ending}")
    source = open_source(tmp_path / f"*.{ending}")
    again = pickle.loads(pickle.dumps(source))
    assert words(ns.read(again)) == words(ns.read(source)) == [*EXPECTED, ["Eve", "left"]]
    assert ns.evaluate(source, {"same": again}).value(metric="f1", match="exact") == 1.0


def test_remote_files_fit_patterns_too(memory: Any) -> None:
    memory.pipe("/d/b.conll", OTHER)
    memory.pipe("/d/a.conll", TEXT)
    memory.pipe("/d/c.txt", b"c O\n")
    assert words(ns.read("memory://d/*.conll")) == [*EXPECTED, ["Eve", "left"]]


def test_a_file_that_is_called_like_a_pattern_is_meant_itself(tmp_path: Path, memory: Any) -> None:
    (tmp_path / "[ab].conll").write_bytes(TEXT)
    (tmp_path / "a.conll").write_bytes(OTHER)
    memory.pipe("/*.conll", TEXT)
    memory.pipe("/a.conll", OTHER)
    assert words(ns.read(tmp_path / "[ab].conll")) == EXPECTED
    assert words(ns.read("memory://*.conll")) == EXPECTED


def test_a_pattern_that_fits_nothing_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no file matches this pattern"):
        ns.read(tmp_path / "*.conll")


@pytest.mark.parametrize(
    ("name", "stem"),
    [
        ("shards/test-*.conll.gz", "test"),
        ("data/test/*.conll", "test"),
        ("data/test/[0-9]?.conll", "test"),
        ("s3://bucket/all/**/*.conll", "all"),
        ("*.conll", "files"),
    ],
)
def test_a_pattern_is_called_by_what_its_files_share(name: str, stem: str) -> None:
    assert stem_of(name) == stem


def test_options_hold_for_all_files_of_a_pattern(shards: str) -> None:
    source = source_named(f"{shards}::scheme=iob1,tokens=any")
    assert isinstance(source, JoinedSources)
    assert source.info.respells and not source.info.retokenised and not source.info.rebreaks
    assert source.always_flat and source.info.is_small and source.n_columns == 2
    assert source.label_style().scheme.name == "iob1"
    assert open_source(source, tokens="align").info.retokenised
    with pytest.raises(UsageError, match="unknown file option 'wrong'"):
        source_named(f"{shards}::wrong=1")
    with pytest.raises(UsageError, match="no system is given"):
        source.two_sides()


@pytest.mark.parametrize("sharded", [("gold",), ("bert",), ("gold", "bert"), ("train",)])
def test_shards_score_as_one_file_does(sharded: tuple[str, ...], tmp_path: Path) -> None:
    texts = {
        "gold": TEXT * 3 + b"\n" + OTHER,
        "bert": (TEXT * 3 + b"\n" + OTHER).replace(b"Oslo B-LOC", b"Oslo O"),
        "train": OTHER + b"\n" + TEXT + b"\n" + TEXT,
    }
    given: dict[str, str] = {}
    for name, text in texts.items():
        (tmp_path / f"{name}.conll").write_bytes(text)
        sentences = text.split(b"\n\n")
        for number, part in enumerate((sentences[:1], sentences[1:3], sentences[3:])):
            (tmp_path / f"{name}-{number}.conll").write_bytes(b"\n\n".join(part) + b"\n")
        given[name] = str(tmp_path / f"{name}{'-*' if name in sharded else ''}.conll")
    whole = [
        ns.evaluate(paths["gold"], {"bert": paths["bert"]}, train=paths["train"], dataset="d").rows
        for paths in (given, {name: str(tmp_path / f"{name}.conll") for name in texts})
    ]
    assert whole[0] == whole[1]


def test_gold_and_system_in_the_same_shards_are_read_together(tmp_path: Path) -> None:
    for number, line in enumerate(("Ada B-PER B-PER\nmet O O\n", "Oslo B-LOC O\n")):
        (tmp_path / f"{number}.txt").write_text(line)
    gold, output = open_source(tmp_path / "*.txt").two_sides()
    assert gold.file == output.file and gold != output
    results = ns.evaluate(tmp_path / "*.txt", dataset="d")
    assert results.value(metric="recall", match="exact") == 0.5


def test_the_scheme_is_told_by_all_files_together(tmp_path: Path) -> None:
    (tmp_path / "a.conll").write_text("Ada I-PER\nmet O\n")  # io, if it were alone
    (tmp_path / "b.conll").write_text("Ada B-PER\nLee I-PER\n\nBob I-PER\n\n" * 3)
    source = open_source(tmp_path / "*.conll")
    assert source.label_style() == Source.label_style(source)
    assert source.label_style().flat


@pytest.mark.parametrize(
    ("files", "documents"),
    [
        ([[0, 0], [0], [0]], [0, 0, 0, 0]),
        ([[1, 1, 2], [1, 2]], [1, 1, 2, 3, 4]),
        ([[0, 1], [0, 0]], [0, 1, 2, 2]),
        ([[0, 0], [1], [0]], [0, 0, 1, 2]),
        ([[0, 0], [0, 1], [0]], [0, 0, 0, 1, 2]),
    ],
)
def test_documents_never_go_on_over_files(files: list[list[int]], documents: list[int]) -> None:
    import numpy as np

    for size in (1, 2, 3):  # however much of a file is read at once
        count = DocumentCount()
        found = [
            count.after(np.array(file[at : at + size]), begins=at == 0).tolist()
            for file in files
            for at in range(0, len(file), size)
        ]
        assert [one for part in found for one in part] == documents


def test_each_text_of_several_files_is_a_document(tmp_path: Path) -> None:
    for name in "ab":
        (tmp_path / f"{name}.jsonl").write_text('{"text": "Ada met Bob.", "spans": []}\n')
    assert ns.read(tmp_path / "*.jsonl").documents.tolist() == [0, 1]


def test_answers_in_several_files_are_answers_to_the_whole_of_gold(tmp_path: Path) -> None:
    answers = ['[{"text": "Ada", "type": "PER"}]\n', '[{"text": "Oslo", "type": "LOC"}]\n']
    for number, answer in enumerate(answers):
        (tmp_path / f"{number}.jsonl").write_text(answer)
    results = ns.evaluate(io.BytesIO(TEXT), {"model": source_named(f"{tmp_path}/*.jsonl")})
    assert results.value(metric="recall", match="exact") == pytest.approx(2 / 3)


def test_places_name_the_file_of_a_pattern(shards: str, tmp_path: Path) -> None:
    (tmp_path / "s-2.conll").write_text("Ada B-PER\nmet X\n")
    with pytest.raises(FormatError, match=r"s-2\.conll:2: label 'X'"):
        ns.read(shards)


def test_losses_of_several_files_are_one_with_places_in_each() -> None:
    import numpy as np

    def reading(line: int) -> ReadingNotes:
        labels, starts = np.array([0, 1]), np.array([0, 2])
        seen = Transitions.of(["O", "I-PER"], labels, starts, np.array([line, line + 1]))
        return ReadingNotes(seen, comment_lines=1)

    readings = {"a": reading(3), "b": reading(7)}
    found = list(notes_of_files("*", readings, BIO, "conlleval"))
    assert [(one["source"], one["count"], one["places"]) for one in found] == [
        ("*", 2, ["a", "b"]),
        ("*", 2, ["a:4", "b:8"]),
    ]
    with pytest.raises(FormatError, match=r"^a:4: I-PER after O"):
        list(notes_of_files("*", readings, BIO, "none"))


def test_convert_names_the_file_of_a_pattern(tmp_path: Path) -> None:
    for name in "ab":
        (tmp_path / f"{name}.conll").write_text("Ada O\nLee I-PER\n\nBob B-PER\nLee O\n")
    [note] = ns.convert(tmp_path / "*.conll", tmp_path / "all.txt", to="bioes")
    assert note.startswith(f"{tmp_path / 'a.conll'}:2: 2 transitions not allowed in bio")
    assert (tmp_path / "all.txt").read_text().count("Lee\tS-PER") == 2


def test_validate_names_the_file_of_a_pattern(tmp_path: Path) -> None:
    for name in "ab":
        (tmp_path / f"{name}.conll").write_text("Ada O\nLee I-PER\n\nBob B-PER\n")
    found = ns.validate(tmp_path / "*.conll", scheme="bio").violations
    assert [one.place for one in found] == [f"{tmp_path / name}.conll:2" for name in "ab"]


def test_all_files_of_a_pattern_are_inputs(shards: str, tmp_path: Path) -> None:
    assert input_files(f"{shards}::label=1") == matching_files(shards)
    assert input_files("s3://bucket/x.conll::label=1") == ["s3://bucket/x.conll"]


def test_an_experiment_may_name_patterns_and_addresses(tmp_path: Path, memory: Any) -> None:
    folder = tmp_path / "[1]"  # which is no pattern
    folder.mkdir()
    (folder / "gold-1.conll").write_bytes(TEXT)
    (folder / "gold-2.conll").write_bytes(OTHER.replace(b"left O", b"left O\nOz I-LOC"))
    memory.pipe("/out.conll", TEXT + b"\n" + OTHER + b"Oz B-LOC\n")
    (folder / "x.toml").write_text(
        '[datasets.d]\ntest = "gold-*.conll"\ntrain = "memory://out.conll"\n'
        '[systems]\nbert = "memory://out.conll"\n[settings]\nintervals = false\n'
    )
    experiment = ns.load_experiment(folder / "x.toml")
    results, _ = ns.run_experiment(experiment)
    assert results.value(metric="f1", match="exact", facet="all") == 1.0
    assert [place for loss in results.losses for place in loss["places"]] == [
        f"{folder}/gold-2.conll:3"
    ]
