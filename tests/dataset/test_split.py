"""Splits: every sentence in one part, none on two sides, documents whole, every line as it was."""

import gzip
import json
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st

import nerscope
from nerscope.corpus.corpus import Coding, Corpus
from nerscope.dataset.split.plan import (
    deal_folds,
    draw_share,
    generator,
    link_units,
    weigh_groups,
)
from nerscope.dataset.split.split import Splits, split
from nerscope.dataset.split.texts import context_ranges
from nerscope.errors import InputError, NerscopeError, OutputError, UsageError
from nerscope.formats.base import read, source_named
from nerscope.formats.source import Source

PARTS = ("train", "dev", "test")


class Sentence(NamedTuple):
    """A sentence as a naive reader sees it."""

    document: int
    before: tuple[str, ...]  # lines that are neither blank nor the mark of a document
    tokens: tuple[str, ...]  # whole lines


def sentences_of(data: bytes, column: int | None = None, encoding: str = "utf-8") -> list[Sentence]:
    """The sentences of a file, line by line; documents by marks, or by the names in a column."""
    text = data.decode(encoding).removeprefix("\ufeff").replace("\r\n", "\n")
    lines = text.split("\n" if "\n" in text else "\r")
    found: list[Sentence] = []
    document, before, tokens = 0, list[str](), list[str]()
    for line in [*lines, ""]:
        is_comment = line.startswith("# ") and not tokens and "\t" not in line and " =" in line
        mark = line.startswith("-DOCSTART-") or (is_comment and line.startswith("# newdoc"))
        if tokens and (not line.strip() or mark):
            if column is not None:
                document = int(tokens[0].replace("\t", " ").split(" ")[column][1:])
            found.append(Sentence(document, tuple(before), tuple(tokens)))
            before, tokens = [], []
        if mark:
            document += 1
        elif is_comment:
            before.append(line)
        elif line.strip():
            tokens.append(line)
    return found


def words_of(sentence: Sentence, token: int = 0) -> tuple[str, ...]:
    fields = (line.split("\t" if "\t" in line else " ") for line in sentence.tokens)
    return tuple(own[token] for own in fields)


def numbers_of(text: str) -> list[int]:
    """The numbers in `1-3,7`."""
    found: list[int] = []
    for part in filter(None, text.split(",")):
        low, _, high = part.partition("-")
        found += range(int(low), int(high or low) + 1)
    return found


class Made(NamedTuple):
    """A folder that was written, read back naively."""

    splits: Splits
    manifest: dict[str, Any]
    folder: Path

    def numbers(self, name: str) -> dict[str, list[int]]:
        """The sentences of each part, counted from 0 over all sources."""
        sizes = [0, *(one["sentences"] for one in self.manifest["sources"])]
        shifts = np.cumsum(sizes).tolist()
        return {
            part: [
                shift + number - 1
                for shift, own in zip(shifts, lists, strict=False)
                for number in numbers_of(own)
            ]
            for part, lists in self.manifest["splits"][name].items()
        }

    def data(self, name: str, part: str, folder: str = "") -> bytes:
        return (self.folder / name / folder / f"{part}.conll").read_bytes()


def made(data: Any, folder: Path, **wishes: Any) -> Made:
    splits = split(data, folder, **wishes)
    manifest = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
    return Made(splits, manifest, folder)


def by_document(sentences: Sequence[Sentence]) -> list[list[Sentence]]:
    """Neighbours with the same document."""
    groups: list[list[Sentence]] = []
    for before, one in pairwise([None, *sentences]):
        assert one is not None
        if before is None or before.document != one.document:
            groups.append([])
        groups[-1].append(one)
    return groups


# ---------------------------------------------------------------------------
# Properties


class File(NamedTuple):
    text: str
    options: str


@st.composite
def files(draw: st.DrawFn, marks: str | None = None) -> File:
    """A file of a few documents in some style; a small vocabulary makes duplicates."""
    style = marks or draw(st.sampled_from(["docstart", "tight", "newdoc", "column", "none"]))
    separator = draw(st.sampled_from([" ", "\t"]))
    word = st.sampled_from(["Ada", "Bob", "Oslo", "-", "Zoë", "@" if style == "newdoc" else "#"])
    label = st.sampled_from(["O", "B-PER", "B-LOC", "O"])
    one = st.lists(st.tuples(word, label), min_size=1, max_size=4)
    documents = draw(st.lists(st.lists(one, min_size=1, max_size=4), min_size=1, max_size=12))
    blank = draw(st.sampled_from(["", "", " \t"]))
    lines: list[str] = []
    for number, document in enumerate(documents):
        if style in ("docstart", "tight") and (number or draw(st.booleans())):
            lines += ["-DOCSTART- O X" if separator == " " else "-DOCSTART-\tO\tX"]
            lines += [] if style == "tight" else [""]
        for place, sentence in enumerate(document):
            if style == "newdoc":
                lines += ["# newdoc id = x"] * (not place and bool(number or draw(st.booleans())))
                lines += [f"# sent_id = {number}.{place}"]
                lines += ["# note = a"] * draw(st.integers(0, 1))
            lines += [
                separator.join([token, f"d{number}" if style == "column" else "x", tag])
                for token, tag in sentence
            ]
            lines.append(blank)
    if style == "newdoc" and not lines[0].startswith("# sent_id"):
        lines.insert(0, "# text = x")
    text = draw(st.sampled_from(["\n", "\r\n"])).join(lines) + draw(st.sampled_from(["", "\n"]))
    return File(text, "::document=1" if style == "column" else "")


wishes = st.one_of(
    st.builds(lambda k: {"folds": k}, st.integers(2, 4)),
    st.builds(lambda n, t: {"random": n, "test": t}, st.integers(1, 3), st.floats(0.1, 0.6)),
)
more = st.fixed_dictionaries(
    {},
    optional={
        "dev": st.floats(0.1, 0.3),
        "stratify": st.just(True),
        "seed": st.integers(0, 3),
        "context": st.integers(1, 3),
        "allow_leaks": st.booleans(),
        "by": st.just("sentence"),
    },
)


def check_split(
    source: Sequence[Sentence],
    done: Made,
    name: str,
    column: int | None = None,
    token: int = 0,
) -> None:
    """What holds of every split of any data."""
    asked, numbers = done.manifest["settings"], done.numbers(name)
    placed = sorted(one for part in numbers.values() for one in part)
    assert placed == list(range(len(source)))  # each in exactly one part
    texts = [{words_of(source[one], token) for one in part} for part in numbers.values()]
    leaks = sum(map(len, texts)) - len(set().union(*texts))
    assert not leaks or asked["allow_leaks"]
    if asked["by"] == "document":
        parts = [{source[one].document for one in part} for part in numbers.values()]
        assert sum(map(len, parts)) == len({one.document for one in source})
    folder = "original" if asked["context"] > 1 else ""
    for part, chosen in numbers.items():
        own = sentences_of(done.data(name, part, folder), column)
        wanted = [source[one] for one in chosen]
        assert [one[1:] for one in own] == [one[1:] for one in wanted]  # in order, line for line
        sizes = [len(group) for group in by_document(own)]
        assert sizes == [len(group) for group in by_document(wanted)]
        if folder:
            longer = sentences_of(done.data(name, part), column)
            assert longer_of(source, chosen, asked["context"]) == [one[1:] for one in longer]
            assert len(by_document(longer)) == len(sizes)


def longer_of(source: Sequence[Sentence], chosen: Sequence[int], size: int) -> list[Any]:
    """What joined sentences must be, from the place of each in its document."""
    runs: dict[tuple[int, int], list[Sentence]] = {}
    places: Counter[int] = Counter()
    wanted = set(chosen)
    for number, one in enumerate(source):
        run = runs.setdefault((one.document, places[one.document] // size), [])
        places[one.document] += 1
        if number in wanted:
            run.append(one)
    return [
        (
            tuple(line for one in run for line in one.before),
            tuple(line for one in run for line in one.tokens),
        )
        for run in runs.values()
        if run
    ]


@settings(max_examples=150, deadline=None)
@given(files(), wishes, more)
def test_any_split_is_a_partition_that_keeps_every_line(
    file: File, kind: dict[str, Any], rest: dict[str, Any]
) -> None:
    column = 1 if file.options else None
    with tempfile.TemporaryDirectory() as place:
        path, folder = Path(place) / "data.txt", Path(place) / "out"
        path.write_bytes(file.text.encode())
        source = sentences_of(file.text.encode(), column)
        try:
            done = made(f"{path}{file.options}", folder, **kind, **rest)
        except InputError as error:
            event("refused")
            assert "too few" in error.fact or "fits" in error.fact or "left" in error.fact
            assert [one.name for one in Path(place).iterdir()] == ["data.txt"]
            return
        for one in done.splits.splits:
            check_split(source, done, one.name, column)


@settings(max_examples=60, deadline=None)
@given(files(), wishes, more)
def test_what_is_written_reads_as_it_did(
    file: File, kind: dict[str, Any], rest: dict[str, Any]
) -> None:
    with tempfile.TemporaryDirectory() as place:
        path = Path(place) / "data.txt"
        path.write_bytes(file.text.encode())
        whole = source_named(f"{path}{file.options}")
        corpus = read(whole)
        try:
            done = made(whole, Path(place) / "out", **kind, **rest | {"context": 1})
        except InputError:
            return
        known = [(corpus.words(one), _labels(corpus, one)) for one in range(len(corpus))]
        for one in done.splits.splits:
            for part, chosen in done.numbers(one.name).items():
                again = read(source_named(getattr(one, part)))
                assert again.scheme == corpus.scheme
                assert [known[at] for at in chosen] == [
                    (again.words(at), _labels(again, at)) for at in range(len(again))
                ]


def _labels(corpus: Corpus, sentence: int) -> list[Any]:
    assert corpus.labels is not None
    known = corpus.coding.labels.labels
    own = corpus.labels[corpus.starts[sentence] : corpus.starts[sentence + 1]]
    return [known[code] for code in own.tolist()]


@settings(max_examples=30, deadline=None)
@given(files(), wishes, more)
def test_the_same_seed_gives_the_same_bytes(
    file: File, kind: dict[str, Any], rest: dict[str, Any]
) -> None:
    with tempfile.TemporaryDirectory() as place:
        path = Path(place) / "data.txt"
        path.write_bytes(file.text.encode())
        found = []
        for name in ("one", "other"):
            folder = Path(place) / name
            try:
                split(f"{path}{file.options}", folder, **kind, **rest)
            except InputError:
                return
            every = sorted(one for one in folder.rglob("*") if one.is_file())
            found.append([(one.relative_to(folder), one.read_bytes()) for one in every])
        assert found[0] == found[1]


@given(
    st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6)), min_size=1, max_size=20),
)
def test_groups_are_what_hangs_together(pairs: list[tuple[int, int]]) -> None:
    units, codes = (np.array(column) for column in zip(*pairs, strict=True))
    names = list(range(7))
    for _ in pairs:  # the slow way: rename until nothing changes
        for unit, code in pairs:
            for other, same in pairs:
                if code == same:
                    low, high = sorted((names[unit], names[other]))
                    names = [low if name == high else name for name in names]
    wanted = [names[unit] for unit, _ in pairs]
    found = link_units(units, codes).tolist()
    assert [found.index(one) for one in found] == [wanted.index(one) for one in wanted]


@given(st.lists(st.integers(0, 3), min_size=1, max_size=20), st.integers(1, 5))
def test_context_joins_neighbours_of_one_document(lengths: list[int], size: int) -> None:
    documents = np.repeat(np.arange(len(lengths)), [1 + length for length in lengths])
    ranges = context_ranges(documents, size)
    assert [at for first, last in ranges for at in range(first, last)] == list(
        range(len(documents))
    )
    for first, last in ranges:
        assert len(set(documents[first:last].tolist())) == 1 and last - first <= size
        whole = last == len(documents) or documents[last] != documents[first]
        assert last - first == size or whole


# ---------------------------------------------------------------------------
# Drawing


@pytest.mark.parametrize("stratify", [False, True])
def test_sizes_are_near_what_was_wanted(stratify: bool) -> None:
    rng = np.random.default_rng(1)
    group = np.repeat(np.arange(200), rng.integers(5, 30, 200))
    sentence = rng.integers(0, len(group), 3000)
    groups = weigh_groups(group, sentence, rng.integers(0, 4, 3000), stratify)
    everything = np.ones(200, bool)
    test = draw_share(groups, 0.1, everything, generator(0))
    assert abs(groups.sizes[test].sum() / len(group) - 0.1) < 0.005
    fold = deal_folds(groups, 5, generator(0))
    assert np.abs(np.bincount(fold, groups.sizes) / len(group) - 0.2).max() < 0.005


def test_stratified_parts_have_the_types_of_the_whole() -> None:
    rng = np.random.default_rng(2)
    group = np.repeat(np.arange(400), 5)
    topic = rng.integers(0, 4, 400)  # a document is mostly about one type
    sentence = rng.integers(0, len(group), 4000)
    kind = np.where(rng.random(4000) < 0.9, topic[group[sentence]], rng.integers(0, 4, 4000))

    def worst(stratify: bool) -> float:
        groups = weigh_groups(group, sentence, kind, stratify)
        far = []
        for seed in range(5):
            test = draw_share(groups, 0.1, np.ones(400, bool), generator(seed))
            counts, all_counts = groups.weights[test, 1:].sum(0), groups.weights[:, 1:].sum(0)
            far.append(np.abs(counts / (0.1 * all_counts) - 1).max())
        return float(np.mean(far))

    assert worst(stratify=True) < 0.08 < worst(stratify=False)


def test_what_is_too_large_for_the_test_set_is_trained_on(tmp_path: Path) -> None:
    large = "-DOCSTART- O\n\n" + "".join(f"a{n} O\n\n" for n in range(60))
    small = "".join(f"-DOCSTART- O\n\nb{n} B-X\n\n" for n in range(40))
    (tmp_path / "x.txt").write_text(large + small)
    for seed in range(5):
        done = made(str(tmp_path / "x.txt"), tmp_path / f"o{seed}", random=3, test=0.2, seed=seed)
        for one in done.splits.splits:
            assert len(done.numbers(one.name)["test"]) == 20
            assert set(range(60)) <= set(done.numbers(one.name)["train"])


def test_independent_draws_differ(tmp_path: Path) -> None:
    (tmp_path / "x.txt").write_text("".join(f"w{n} O\n\n" for n in range(50)))
    done = made(str(tmp_path / "x.txt"), tmp_path / "o", random=4, test=0.2)
    assert len({str(done.numbers(one.name)) for one in done.splits.splits}) == 4
    other = made(str(tmp_path / "x.txt"), tmp_path / "p", random=4, test=0.2, seed=1)
    assert done.numbers("random-1") != other.numbers("random-1")


# ---------------------------------------------------------------------------
# Notes, files and their neighbours


DOCUMENTS = "".join(
    f"-DOCSTART- -X- O\n\nw{n} x B-PER\ns{n} x O\n\n" + "shared x O\n\n" * (n < 6)
    for n in range(12)
)


def test_documents_that_share_a_sentence_stay_together_and_it_is_said(tmp_path: Path) -> None:
    (tmp_path / "x.txt").write_text(DOCUMENTS)
    done = made(str(tmp_path / "x.txt"), tmp_path / "o", folds=3)
    assert sorted(row["sentences"] for row in done.splits.rows if row["part"] == "test") == [
        3,
        3,
        12,
    ]
    assert done.splits.notes == [
        "6 of 12 documents (66.7 % of the sentences) are linked by common sentences "
        "and stay together: folds are uneven; "
        "--by sentence or --allow-leaks separates them"
    ]


def test_leaks_are_counted_where_they_are_allowed(tmp_path: Path) -> None:
    (tmp_path / "x.txt").write_text(DOCUMENTS)
    done = made(str(tmp_path / "x.txt"), tmp_path / "o", folds=3, allow_leaks=True)
    source = sentences_of(DOCUMENTS.encode())
    for one in done.splits.splits:
        numbers = done.numbers(one.name)
        train = {source[at].tokens for at in numbers["train"]}
        leaks = sum(source[at].tokens in train for at in numbers["test"])
        row = next(
            row for row in done.splits.rows if row["split"] == one.name and row["part"] == "test"
        )
        assert row["leaks"] == leaks
    total = sum(row["leaks"] for row in done.splits.rows)
    assert total > 0 and done.splits.notes[0].startswith(f"{total} sentences of test and dev sets")


def test_rows_count_what_is_in_the_parts(tmp_path: Path) -> None:
    (tmp_path / "x.txt").write_text(DOCUMENTS)
    done = split(str(tmp_path / "x.txt"), tmp_path / "o", random=1, test=0.2, dev=0.1)
    for row in done.rows:
        corpus = read(tmp_path / "o" / row["split"] / f"{row['part']}.conll")
        assert (row["sentences"], row["tokens"]) == (len(corpus), corpus.n_tokens)
        assert row["mentions"] == len(corpus.mentions()) == row["types"]["PER"]
        assert row["share"] == pytest.approx(len(corpus) / 18)


def test_the_experiment_file_lists_every_split(tmp_path: Path) -> None:
    (tmp_path / "x.txt").write_text(DOCUMENTS)
    split(f"{tmp_path}/x.txt::label=2,scheme=iob2", tmp_path / "o", folds=2, dev=0.1, by="sentence")
    text = (tmp_path / "o" / "nerscope.toml").read_text()
    assert (
        "[datasets.fold-2]\n"
        'train = "fold-2/train.conll"\n'
        'dev = "fold-2/dev.conll"\n'
        'test = "fold-2/test.conll"\n'
        'options = "label=2,scheme=iob2"\n'
    ) in text
    assert "sentences=any" not in text


def test_an_experiment_with_larger_context_is_evaluated_on_the_original(tmp_path: Path) -> None:
    (tmp_path / "x.txt").write_text(DOCUMENTS)
    split(str(tmp_path / "x.txt"), tmp_path / "o", folds=2, context=2)
    text = (tmp_path / "o" / "nerscope.toml").read_text()
    assert 'test = "fold-1/original/test.conll"' in text and "::sentences=any" in text
    joined = read(tmp_path / "o/fold-1/test.conll")
    original = read(tmp_path / "o/fold-1/original/test.conll")
    assert len(joined) < len(original)
    assert joined.coding.tokens.strings(joined.tokens) == original.coding.tokens.strings(
        original.tokens
    )


def test_the_manifest_names_sources_and_hashes(tmp_path: Path) -> None:
    import hashlib

    path = tmp_path / "x.txt.gz"
    path.write_bytes(gzip.compress(DOCUMENTS.encode(), mtime=0))
    done = made(str(path), tmp_path / "o", random=1, test=0.2)
    assert done.manifest["sources"] == [
        {
            "name": str(path),
            "sha256": hashlib.sha256(path.read_bytes()).hexdigest(),
            "sentences": 18,
        }
    ]
    assert done.manifest["nerscope"] == nerscope.__version__
    assert done.manifest["settings"]["test"] == 0.2
    check_split(sentences_of(DOCUMENTS.encode()), done, "random-1")


@pytest.mark.parametrize(
    ("data", "options"),
    [
        ("Zoë B-X\n\nÅsa O\n\nb O\n".encode("latin-1"), "::encoding=latin-1"),
        ("Zoë B-X\n\nÅsa O\n\nb O\n".encode("utf-16"), "::encoding=utf-16"),
        (b"\xef\xbb\xbfa B-X\r\n\r\nb O\r\n\r\nc O\r\n", ""),
        (b"a B-X\r\rb O\r\rc O\r", ""),
        (b"\n\na  x  B-X \n \nb x O\n\t\nc x O", ""),
    ],
    ids=["latin-1", "utf-16", "bom", "lone returns", "blanks"],
)
def test_encoding_line_ends_and_blanks_stay(data: bytes, options: str, tmp_path: Path) -> None:
    (tmp_path / "x.txt").write_bytes(data)
    done = made(f"{tmp_path}/x.txt{options}", tmp_path / "o", folds=3)
    encoding = options.partition("encoding=")[2] or "utf-8"
    source = sentences_of(data, encoding=encoding)
    bom = data[:3] if data.startswith(b"\xef") else b""
    for one in done.splits.splits:
        for part, chosen in done.numbers(one.name).items():
            own = done.data(one.name, part)
            assert sentences_of(own, encoding=encoding) == [source[at] for at in chosen]
            assert own.startswith(bom) and (b"\r" in own) == (b"\r" in data)
            assert len(read(source_named(getattr(one, part)))) == len(chosen)


def test_a_part_that_would_be_misread_says_its_options(tmp_path: Path) -> None:
    # Only the first sentence tells that lines with # are comments, or that I- is no slip.
    text = "# sent_id = 1\na\tB-X\nb\tI-X\n\n# one\nc\tI-X\n\n# two\nd\tI-X\n"
    (tmp_path / "x.txt").write_text(text)
    done = made(str(tmp_path / "x.txt"), tmp_path / "o", folds=3)
    whole = read(tmp_path / "x.txt")
    for one in done.splits.splits:
        assert "comments=yes" in one.test or "sent_id" in Path(one.test.split("::")[0]).read_text()
        for part in (one.train, one.test):
            assert read(source_named(part)).scheme == whole.scheme


# ---------------------------------------------------------------------------
# Several sources, sources without lines


def write(folder: Path, **texts: str) -> list[str]:
    for name, text in texts.items():
        (folder / f"{name}.txt").write_text(text)
    return [str(folder / f"{name}.txt") for name in texts]


NEWS = "a B-PER\n\nb O\n\nc O\n\n"
WEB = "d B-PER\n\ne O\n"
MAIL = "-DOCSTART- O\n\nf B-PER\n\n-DOCSTART- O\n\ng O\n"


def test_each_file_is_left_out_once(tmp_path: Path) -> None:
    given = write(tmp_path, news=NEWS, web=WEB, mail=MAIL)
    done = made(given, tmp_path / "o", leave_out=True)
    assert [one.name for one in done.splits.splits] == ["news", "web", "mail"]
    assert done.manifest["splits"]["web"] == {"train": ["1-3", "", "1-2"], "test": ["", "1-2", ""]}
    for name, text in (("news", NEWS), ("web", WEB), ("mail", MAIL)):
        own = sentences_of(done.data(name, "test"))
        assert [one.tokens for one in own] == [one.tokens for one in sentences_of(text.encode())]
    train = sentences_of(done.data("web", "train"))
    assert [one.tokens[0][0] for one in train] == ["a", "b", "c", "f", "g"]
    assert [len(group) for group in by_document(train)] == [3, 1, 1]


def test_files_of_the_same_name_are_told_apart(tmp_path: Path) -> None:
    for name in ("one", "other"):
        (tmp_path / name).mkdir()
    (tmp_path / "one" / "a b.txt").write_text(NEWS)
    (tmp_path / "other" / "a b.txt").write_text(WEB)
    found = split(
        [tmp_path / "one/a b.txt", tmp_path / "other/a b.txt"], tmp_path / "o", leave_out=True
    )
    assert [one.name for one in found.splits] == ["a-b-1", "a-b-2"]


def test_files_that_share_sentences_are_left_out_only_if_leaks_are_allowed(tmp_path: Path) -> None:
    given = write(tmp_path, news=NEWS, web=WEB + "\na O\n")
    with pytest.raises(InputError, match="these files have 2 sentences in common"):
        split(given, tmp_path / "o", leave_out=True)
    done = split(given, tmp_path / "o", leave_out=True, allow_leaks=True)
    assert [row["leaks"] for row in done.rows] == [0, 1, 0, 1]


def test_a_file_without_marks_stays_apart_from_documents(tmp_path: Path) -> None:
    given = write(tmp_path, mail=MAIL, news=NEWS, web=WEB)
    done = made(given, tmp_path / "o", folds=2)
    assert done.manifest["settings"]["by"] == "document"
    sources = [sentences_of(text.encode()) for text in (MAIL, NEWS, WEB)]
    whole = [
        one._replace(document=10 * n + one.document) for n, own in enumerate(sources) for one in own
    ]
    for one in done.splits.splits:
        check_split(whole, done, one.name)


def test_a_file_that_begins_with_comments_stays_apart_from_the_one_before(tmp_path: Path) -> None:
    texts = {name: f"# newdoc id = {name}\n# text = {name}\n{name} B-PER" for name in "abcd"}
    done = made(write(tmp_path, **texts), tmp_path / "o", folds=2)
    whole = [
        one._replace(document=place)
        for place, text in enumerate(texts.values())
        for one in sentences_of(text.encode())
    ]
    for one in done.splits.splits:
        check_split(whole, done, one.name)
        assert len(read(source_named(one.train))) == len(read(source_named(one.test))) == 2


@pytest.mark.parametrize(
    ("other", "fact"),
    [
        ("d\tB-PER\n\ne\tO\n", "different separator: 'tab' here, 'space' in"),
        ("d x B-PER\n\ne x O\n", "different columns: 3 here, 2 in"),
        ("d S-PER\n\ne O\n", "different scheme: 'bioes' here, 'bio' in"),
        ("d B-PER\r\n\r\ne O\r\n", "different line end: "),
    ],
)
def test_files_that_are_written_differently_are_refused(
    other: str, fact: str, tmp_path: Path
) -> None:
    given = write(tmp_path, news=NEWS)
    (tmp_path / "web.txt").write_bytes(other.encode())
    with pytest.raises(InputError) as refused:
        split([*given, str(tmp_path / "web.txt")], tmp_path / "o", leave_out=True)
    assert refused.value.place == str(tmp_path / "web.txt") and fact in refused.value.fact
    assert not (tmp_path / "o").exists()


def test_sentences_in_memory_are_written_as_columns(tmp_path: Path) -> None:
    corpus = [([f"w{n}", "x"], [(0, 1, "PER")] if n % 2 else []) for n in range(10)]
    done = made([corpus], tmp_path / "o", folds=2)
    lines = [line for one in sentences_of(done.data("fold-1", "test")) for line in one.tokens]
    assert len(lines) == 10 and "x\tO" in lines and any(line.endswith("B-PER") for line in lines)
    assert done.manifest["sources"][0]["name"] == "<memory>"


class Told(Source):
    """A source without lines that knows its documents."""

    name = "told"

    def chunks(self, coding: Coding, *, tokens: bool = True) -> Iterator[Corpus]:
        from dataclasses import replace

        corpus = Corpus.of([([f"w{n}"], ["B-X"]) for n in range(9)], coding=coding)
        yield replace(corpus, documents=np.arange(9) // 3)


def test_documents_of_a_source_without_lines_are_marked(tmp_path: Path) -> None:
    done = made(Told(), tmp_path / "o", folds=3)
    assert done.manifest["settings"]["by"] == "document"
    for one in done.splits.splits:
        assert np.bincount(read(one.train).documents).tolist()[-2:] == [3, 3]
        assert done.data(one.name, "test").startswith(b"-DOCSTART-\tO\n\nw")


def test_overlapping_mentions_are_refused(tmp_path: Path) -> None:
    nested = [(["a", "b"], [(0, 2, "X"), (1, 2, "Y")])] * 3
    with pytest.raises(InputError, match="its mentions overlap"):
        split([nested], tmp_path / "o", folds=2)


# ---------------------------------------------------------------------------
# By design


def test_a_designed_test_set_that_nothing_fits_into_is_refused(tmp_path: Path) -> None:
    sentences = "".join(f"-DOCSTART- O\n\n{f'w{n} B-X' + chr(10)}\n" * 1 for n in range(2))
    (tmp_path / "x.txt").write_text(sentences)
    with pytest.raises(InputError, match="fits into a test set"):
        made(str(tmp_path / "x.txt"), tmp_path / "o", hard="unseen=0.5")


def test_a_designed_test_set_is_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def design(corpus: Corpus, group: Any, wanted: Any, **asked: Any) -> Any:
        assert wanted == {"unseen": 0.8} and asked["size"] == 0.25 and asked["seed"] == 3
        assert asked["held"].sum() == 4  # 0.1 of 40
        test = ~asked["held"] & (np.cumsum(~asked["held"]) <= 10)
        return SimpleNamespace(test=test, rows=[{"name": "unseen", "wanted": 0.8, "reached": 0.7}])

    monkeypatch.setattr("nerscope.dataset.split.plan.design_test_set", design)
    (tmp_path / "x.txt").write_text("".join(f"w{n} B-X\n\n" for n in range(40)))
    done = made(
        str(tmp_path / "x.txt"), tmp_path / "o", hard="unseen=0.8", test=0.25, dev=0.1, seed=3
    )
    assert [one.name for one in done.splits.splits] == ["hard"]
    assert {part: len(own) for part, own in done.numbers("hard").items()} == {
        "train": 26,
        "dev": 4,
        "test": 10,
    }
    assert done.splits.design[0]["reached"] == 0.7
    assert done.manifest["settings"]["hard"] == {"unseen": 0.8}


# ---------------------------------------------------------------------------
# What is refused


@pytest.mark.parametrize(
    ("wishes", "fact"),
    [
        ({}, "0 kinds of split are given instead of one"),
        ({"folds": 2, "random": 1}, "2 kinds of split are given instead of one"),
        ({"folds": 1}, "1 is too small"),
        ({"folds": 2.5}, "invalid value 2.5"),
        ({"folds": True}, "invalid value True"),
        ({"random": 0}, "0 is too small"),
        ({"random": 1, "seed": -1}, "-1 is too small"),
        ({"random": 1, "context": 0}, "0 is too small"),
        ({"random": 1, "test": 1.0}, "invalid share 1.0"),
        ({"random": 1, "test": float("nan")}, "invalid share nan"),
        ({"random": 1, "test": "0.1"}, "invalid value '0.1'"),
        ({"random": 1, "dev": 0}, "invalid share 0"),
        ({"random": 1, "test": 0.5, "dev": 0.5}, "test and dev leave no training data"),
        ({"folds": 2, "test": 0.2}, "this option does not apply to --folds"),
        ({"leave_out": True, "test": 0.2}, "this option does not apply to --leave-out"),
        ({"folds": 2, "by": "page"}, "invalid value 'page'"),
        ({"folds": 2, "by": "document"}, "no documents are marked"),
        ({"folds": 4}, "3 sentences without common sentences are too few for 4 folds"),
        ({"random": 1, "test": 0.1}, "no sentence fits into a test set of 10 %"),
        ({"folds": 2, "dev": 0.9}, "no training data is left in"),
        ({"leave_out": True}, "only one file is given"),
        ({"hard": 5}, "invalid value 5"),
    ],
)
def test_what_cannot_be_is_refused_and_nothing_is_written(
    wishes: dict[str, Any], fact: str, tmp_path: Path
) -> None:
    (tmp_path / "x.txt").write_text(NEWS)
    with pytest.raises(NerscopeError) as refused:
        split(str(tmp_path / "x.txt"), tmp_path / "o", **wishes)
    assert fact in refused.value.fact and refused.value.fix
    assert [one.name for one in tmp_path.iterdir()] == ["x.txt"]


@pytest.mark.parametrize(
    ("folder", "fact"),
    [
        (".", "not a folder name"),
        ("", "not a folder name"),
        ("a\0b", "not a folder name"),
        ("full", "the folder exists and is not empty"),
        ("x.txt", "the folder exists and is not empty"),
        ("no/o", "its folder does not exist"),
    ],
)
def test_a_folder_must_be_new(
    folder: str, fact: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    write(tmp_path, x=NEWS)
    (tmp_path / "full").mkdir()
    write(tmp_path / "full", y=NEWS)
    before = sorted(tmp_path.rglob("*"))
    with pytest.raises(OutputError) as refused:
        split("x.txt", folder, folds=2)
    assert refused.value.fact == fact
    assert sorted(tmp_path.rglob("*")) == before


def test_an_empty_folder_is_filled(tmp_path: Path) -> None:
    (tmp_path / "o").mkdir()
    split(write(tmp_path, x=NEWS), tmp_path / "o", folds=3)
    assert (tmp_path / "o" / "fold-3" / "test.conll").is_file()


def test_a_fault_half_way_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def failing(*args: Any) -> str:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("nerscope.dataset.split.write._manifest", failing)
    with pytest.raises(NerscopeError, match="No space left"):
        split(write(tmp_path, x=NEWS), tmp_path / "o", folds=3)
    assert [one.name for one in tmp_path.iterdir()] == ["x.txt"]


def test_no_data_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no data is given"):
        split([], tmp_path / "o", folds=2)


# ---------------------------------------------------------------------------
# Corpora

CORPORA = (
    *("btc", "conll2002_es", "conll2003", "masakhaner2_hau"),
    *("masakhaner2_pcm", "reconll", "uner_da_ddt", "wnut17"),
)
KINDS: dict[str, dict[str, Any]] = {
    "folds": {"folds": 5},
    "stratified": {"folds": 5, "stratify": True, "dev": 0.1},
    "sentences": {"folds": 3, "by": "sentence", "dev": 0.1},
    "random": {"random": 2, "dev": 0.1},
    "stratified random": {"random": 2, "test": 0.2, "stratify": True},
    "context": {"folds": 3, "context": 4},
    "leaks": {"random": 2, "allow_leaks": True},
}


@pytest.mark.slow(quick=1)
@pytest.mark.corpora
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", CORPORA)
def test_real_corpora_are_split_without_loss(
    name: str, kind: str, shared: Path, tmp_path: Path
) -> None:
    path = shared / "corpora" / name / "test.txt"
    options = "::token=1,label=2" if name == "uner_da_ddt" else ""
    done = made(f"{path}{options}", tmp_path / "o", **KINDS[kind])
    check_real(sentences_of(path.read_bytes()), done, 1 if options else 0)
    split(f"{path}{options}", tmp_path / "again", **KINDS[kind])
    for one in (tmp_path / "o").rglob("*.*"):
        assert (
            one.read_bytes() == (tmp_path / "again" / one.relative_to(tmp_path / "o")).read_bytes()
        )


def check_real(source: list[Sentence], done: Made, token: int) -> None:
    for one in done.splits.splits:
        check_split(source, done, one.name, token=token)
        assert read(source_named(one.test)).scheme == read(source_named(one.train)).scheme


@pytest.mark.slow
@pytest.mark.corpora
@pytest.mark.parametrize("name", CORPORA)
def test_real_corpora_get_hard_test_sets(name: str, shared: Path, tmp_path: Path) -> None:
    pytest.importorskip("nerscope.dataset.split.hard")
    path = shared / "corpora" / name / "test.txt"
    options = "::token=1,label=2" if name == "uner_da_ddt" else ""
    wanted = {"unseen": 0.8, "tcm": 0.05}
    done = made(f"{path}{options}", tmp_path / "o", hard=wanted, test=0.2, dev=0.1)
    check_real(sentences_of(path.read_bytes()), done, 1 if options else 0)
    unseen = done.splits.design[0]
    assert abs(unseen["reached"] - 0.8) <= abs(unseen["best_random"] - 0.8)


@pytest.mark.slow
@pytest.mark.corpora
@pytest.mark.parametrize("name", [name for name in CORPORA if name != "reconll"])
def test_real_files_are_left_out(name: str, shared: Path, tmp_path: Path) -> None:
    options = "::token=1,label=2" if name == "uner_da_ddt" else ""
    paths = [shared / "corpora" / name / f"{part}.txt" for part in PARTS]
    given = [f"{path}{options}" for path in paths]
    done = made(given, tmp_path / "o", leave_out=True, allow_leaks=True, dev=0.1)
    marked = any(b"-DOCSTART-" in path.read_bytes() for path in paths)  # else all is one document
    whole = [
        one._replace(document=100_000 * place * marked + one.document)
        for place, path in enumerate(paths)
        for one in sentences_of(path.read_bytes())
    ]
    check_real(whole, done, 1 if options else 0)
