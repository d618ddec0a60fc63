"""Several corpora side by side: the same sentences in any chunking, or an error that says what
happened where.
"""

import io
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import nerscope
from nerscope.corpus.corpus import Coding, Corpus, ParsedSentence
from nerscope.corpus.schemes import scheme_named
from nerscope.errors import AlignmentError, FormatError, InputError, NerscopeError
from nerscope.formats.align import side_by_side
from nerscope.formats.base import CorpusSource, Format, open_source, read, register_format
from nerscope.formats.columns.conll import ConllFile, write_conll
from nerscope.formats.files import FileBytes, read_some
from nerscope.formats.source import (
    Aligner,
    LabelStyle,
    SentenceBatch,
    Source,
    gather_chunks,
    require_tokens,
)

Sentence = list[str]


def file(text: str, name: str = "f", **options: Any) -> ConllFile:
    return ConllFile(FileBytes(name, data=text.encode()), **options)


def tiny_blocks(monkeypatch: pytest.MonkeyPatch, size: int) -> None:
    monkeypatch.setattr(read_some, "__defaults__", (size,))
    monkeypatch.setattr("nerscope.formats.columns.column_file.BLOCK", size)


def text_of(sentences: list[Sentence], label: str = "O", end: str = "\n") -> str:
    return "\n".join("".join(f"{word} {label}{end}" for word in sentence) for sentence in sentences)


def sentences_of(rows: list[list[Corpus]], side: int) -> list[Sentence]:
    return [row[side].words(k) for row in rows for k in range(len(row[side]))]


corpora = st.lists(
    st.lists(st.sampled_from(["a", "bb", "a-long-token-of-more-bytes"]), min_size=1, max_size=6),
    min_size=1,
    max_size=12,
)


@settings(max_examples=100, deadline=None)
@given(corpora, st.integers(8, 80), st.integers(1, 40))
def test_sentences_stay_together_whatever_the_chunks(
    sentences: list[Sentence], block: int, padding: int
) -> None:
    # The second file has a wide column in the middle, so its blocks hold fewer sentences; the third
    # and the fourth are in memory.
    wide = "\n".join(
        "".join(f"{word} {'x' * padding} B-X\n" for word in sentence) for sentence in sentences
    )
    lists = [(sentence, ["O"] * len(sentence)) for sentence in sentences]
    in_memory = [CorpusSource(Corpus.of(lists)), open_source(lists)]
    with pytest.MonkeyPatch.context() as patch:
        tiny_blocks(patch, block)
        rows = list(side_by_side([file(text_of(sentences)), file(wide), *in_memory], Coding()))
    for side in range(4):
        assert sentences_of(rows, side) == sentences
    assert [len(row[1].mentions()) for row in rows] == [row[0].n_tokens for row in rows]
    lines = [line for row in rows for line in row[0].lines.tolist()]
    assert lines == [
        number for number, line in enumerate(text_of(sentences).split("\n"), 1) if line
    ]


def test_two_label_columns_of_one_file_are_read_once(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    path = tmp_path / "both.txt"
    path.write_text("Ada B-PER O\nspoke O B-PER\n\nhere O B-LOC\n")
    opened: list[str] = []
    plain = FileBytes.open

    def counting(given: FileBytes) -> Any:
        opened.append(given.name)
        return plain(given)

    monkeypatch.setattr(FileBytes, "open", counting)
    sources: list[Source] = [ConllFile(path, label=label) for label in (1, 2, 1, -1)]
    [row] = side_by_side(sources, Coding())
    assert opened == [str(path)]
    assert [corpus.mentions().start.tolist() for corpus in row] == [[0], [1, 2], [0], [1, 2]]
    assert all(corpus.tokens.base is row[0].tokens.base for corpus in row)


@settings(max_examples=150, deadline=None)
@given(corpora, st.data(), st.integers(8, 80), st.sampled_from(["same", "any"]))
def test_tokens_of_large_files_are_compared_where_they_stand(
    sentences: list[Sentence], data: st.DataObject, block: int, tokens: str
) -> None:
    # The system's file may have a token changed, left out, put in, or a sentence broken in two.
    other = [list(sentence) for sentence in sentences]
    for _ in range(data.draw(st.integers(0, 2))):
        sentence = data.draw(st.integers(0, len(other) - 1))
        token = data.draw(st.integers(0, len(other[sentence]) - 1))
        new = data.draw(st.sampled_from([[], ["new"], ["a", "bb"], ["a-long-token-of-more-bytez"]]))
        other[sentence][token : token + 1] = new or ([] if len(other[sentence]) > 1 else ["new"])
        if data.draw(st.booleans()):
            other[sentence : sentence + 1] = [[word] for word in other[sentence]]

    def outcome(*, read: bool) -> Any:
        sources: list[Source] = [
            file(text_of(sentences), "gold"),
            file(text_of(sentences, "B-X"), "gold"),
            file(text_of(other, "B-X"), "system", tokens=tokens),
        ]
        with pytest.MonkeyPatch.context() as patch:
            tiny_blocks(patch, block)
            try:
                rows = list(side_by_side(sources, Coding(), tokens=read))
            except AlignmentError as error:
                return str(error)
        assert all(len(one.tokens) == (one.n_tokens if read else 0) for one in rows[0])
        readings = [row[2].reading_notes for row in rows]
        return (
            [row[2].lines.tolist() for row in rows],
            [(one.differing_tokens, one.first_differing_line) for one in readings],
        )

    assert outcome(read=False) == outcome(read=True)


def test_tokens_of_one_file_are_read_only_if_asked_for() -> None:
    text = "Ada B-PER O\n"
    [row] = side_by_side([file(text, label=1), file(text, label=2)], Coding(), tokens=False)
    assert [len(corpus.tokens) for corpus in row] == [0, 0]
    [row] = side_by_side([file(text, label=1), file("Ada O\n", "g")], Coding(), tokens=False)
    assert [len(corpus.tokens) for corpus in row] == [0, 0]
    [row] = side_by_side([file(text, label=1), file("Ada O\n", "g")], Coding(), tokens=True)
    assert [len(corpus.tokens) for corpus in row] == [1, 1]


def test_a_corpus_in_memory_may_stand_beside_itself() -> None:
    corpus = Corpus.of([(["a"], ["B-X"])])
    [row] = side_by_side([CorpusSource(corpus), CorpusSource(corpus)], Coding())
    assert [part.words(0) for part in row] == [["a"], ["a"]]
    assert row[0] is row[1]  # it was recoded once


def test_labels_alone_are_aligned_by_their_number() -> None:
    gold = open_source([(["a", "b"], ["O", "B-X"])])
    [row] = side_by_side([gold, open_source([["B-X", "O"]])], Coding())
    assert row[1].mentions().start.tolist() == [0]


SPLIT = "s::sentences=any (same tokens with different sentence breaks)"
CUT = "raise the maximum sequence length of the system"
OTHER = "predict on the tokens of the gold file"
DOCSTART = "write -DOCSTART- lines in both files or in neither"
ENDS = "export the file again if it is truncated"


@pytest.mark.parametrize(
    ("gold", "output", "places", "fact", "guess"),
    [
        # other tokens: the first one is shown on both sides
        ("a O\nb O\n", "a O\nc O\n", ("g:2", "s:2"), "sentence 1 differs", OTHER),
        ("a O\n\nb O\nc O\n", "\na O\n\nb O\nd O\n", ("g:4", "s:5"), "sentence 2 differs", OTHER),
        (
            "a O\nb O\nc O\n",
            "a O\nx O\n",
            ("g:2", "s:2"),
            "3 tokens (… a b c …) against 2 (… a x …)",
            OTHER,
        ),
        (
            "a O\n\nb O\nc O\n\nd O\n",
            "x O\n\nb O\n\nd O\n",
            ("g:1", "s:1"),
            "sentence 1 differs",
            OTHER,
        ),
        # document lines
        (
            "-DOCSTART- O\n\na O\n",
            "DOCSTART O\n\na O\n",
            ("g:3", "s:1"),
            "sentence 1 differs",
            DOCSTART,
        ),
        (
            "-DOCSTART- O\n\na O\nb O\n",
            "--DOCSTART-- O\n\na O\nb O\n",
            ("g:3", "s:1"),
            "sentence 1 differs",
            DOCSTART,
        ),
        # a sentence in two, or two in one, early in the file
        (
            "a O\nb O\n\nc O\n",
            "a O\n\nb O\n\nc O\n",
            ("g:2", "s:1"),
            "2 tokens (… a b …) against 1 (… a …)",
            SPLIT,
        ),
        (
            "a O\n\nb O\n\nc O\n",
            "a O\nb O\n\nc O\n",
            ("g:1", "s:2"),
            "1 token (… a …) against 2 (… a b …)",
            SPLIT,
        ),
        # a sentence that was cut off
        (
            "a O\nb O\nc O\n\nd O\n",
            "a O\nb O\n\nd O\n",
            ("g:3", "s:2"),
            "3 tokens (… a b c …) against 2 (… a b …)",
            CUT,
        ),
        ("a O\nb O\nc O\n", "a O\n", ("g:2", "s:1"), "3 tokens (… a b c …) against 1 (… a …)", CUT),
        # too few or too many sentences
        (
            "a O\n\nb O\n",
            "a O\n",
            ("s", "g:3"),
            "it ends after 1 sentence, but g:3 continues",
            ENDS,
        ),
        (
            "a O\n",
            "a O\n\nb O\n\nc O\n",
            ("g", "s:3"),
            "it ends after 1 sentence, but s:3 continues",
            ENDS,
        ),
        (
            "a O\nb O\n",
            "a O\n\nb O\n",
            ("g:2", "s:1"),
            "2 tokens (… a b …) against 1 (… a …)",
            SPLIT,
        ),
        (
            "x O\n\na O\n\nb O\n",
            "x O\n\na O\nb O\n",
            ("g:3", "s:4"),
            "1 token (… a …) against 2 (… a b …)",
            SPLIT,
        ),
        (
            "U.S.-based O\n",
            "U.S. O\n-based O\n",
            ("g:1", "s:1"),
            "1 token (… U.S.-based …) against 2 (… U.S. -based …)",
            "s::tokens=align (same text with different tokens)",
        ),
    ],
)
def test_what_differs_is_shown_at_both_places_with_a_guess(
    gold: str, output: str, places: tuple[str, str], fact: str, guess: str
) -> None:
    with pytest.raises(AlignmentError) as caught:
        list(side_by_side([file(gold, "g"), file(output, "s")], Coding()))
    assert caught.value.place == places[0]
    assert places[1] in caught.value.fact and fact in caught.value.fact
    assert caught.value.fix.startswith(guess)


def test_labels_alone_that_are_too_few_are_refused() -> None:
    with pytest.raises(AlignmentError) as caught:
        list(
            side_by_side(
                [open_source([(["a", "b"], ["O", "O"])], "g"), open_source([["O"]], "s")],
                Coding(),
            )
        )
    assert caught.value.place == "g:1" and "s:1" in caught.value.fact
    assert caught.value.fix == "give one label per token of each sentence"


def test_a_difference_in_a_later_chunk_keeps_its_number(monkeypatch: pytest.MonkeyPatch) -> None:
    tiny_blocks(monkeypatch, 24)
    same = "a O\nb O\n\n" * 50
    with pytest.raises(
        AlignmentError,
        match=r"^g:151: sentence 51 differs from s:151: .*Fix: predict on the tokens",
    ):
        list(side_by_side([file(same + "c O\n", "g"), file(same + "d O\n", "s")], Coding()))
    with pytest.raises(
        AlignmentError, match=r"^s: it ends after 50 sentences, but g:151 continues"
    ):
        list(side_by_side([file(same + "c O\n", "g"), file(same, "s")], Coding()))


def test_tokens_of_any_spelling_are_matched_by_position_and_counted() -> None:
    gold = file("Ada B-PER\nsays O\n\n&gt; O\n", "g")
    output = file("ada B-PER\nsays O\n\n> O\n", "s", tokens="any")
    results = nerscope.evaluate(gold, {"s": output})
    assert results.value(metric="f1") == 1.0
    [loss] = results.losses
    assert (loss["source"], loss["kind"], loss["count"], loss["places"]) == (
        "s",
        "different tokens",
        2,
        ["s:1"],
    )


def test_tokens_of_any_spelling_still_need_the_same_sentences() -> None:
    with pytest.raises(AlignmentError, match="sentence 1 differs"):
        list(side_by_side([file("a O\nb O\n", "g"), file("A O\n", "s", tokens="any")], Coding()))


@pytest.mark.parametrize(
    ("text", "given_scheme", "expected"),
    [
        ("a B-X\nb E-X\n", None, "bioes"),
        ("a B-X\nb E-X\n", "bmes", "bmes"),
        ("a I-X\nb B-X\n", None, "iob1"),
    ],
)
def test_a_scheme_is_settled_by_reading_through(
    text: str, given_scheme: str | None, expected: str
) -> None:
    source = file(text, scheme=given_scheme)
    assert (
        source.label_style() == LabelStyle(scheme_named(expected), flat=True) and source.always_flat
    )
    [chunk] = source.chunks(Coding())
    assert chunk.scheme.name == expected and (chunk.declared_scheme is None) == (
        given_scheme is None
    )


def test_the_scheme_is_told_by_the_beginning_of_a_long_file(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    tiny_blocks(monkeypatch, 64)
    monkeypatch.setattr("nerscope.formats.columns.column_file._SCHEME_BYTES", 128)
    beginning = "a I-X\nb B-X\n\n" * 50
    assert file(beginning + "c S-X\n").label_style().scheme.name == "iob1"
    assert read(file(beginning + "c S-X\n")).scheme.name == "bioes"


def test_a_corpus_in_memory_says_what_it_is() -> None:
    corpus = Corpus.of([["I-X", "B-X"]], name="m")
    source = open_source(corpus)
    assert isinstance(source, CorpusSource) and source.name == "m" and source.always_flat
    assert source.label_style() == LabelStyle(scheme_named("iob1"), flat=True)
    assert open_source(source) is source
    [chunk] = source.chunks(corpus.coding)
    assert chunk is corpus


SPANS: Any = [(["a", "b"], [(0, 2, "X")]), (["c"], [])]
NESTED: Any = [(["a", "b"], [(0, 2, "X"), (1, 2, "Y")])]


@pytest.mark.parametrize(
    ("sentences", "flat"), [(SPANS, True), (NESTED, False), ([["B-X", "O"]], True)]
)
@pytest.mark.parametrize("made", [open_source, lambda given: open_source(Corpus.of(given))])
def test_sentences_in_memory_tell_whether_they_are_flat(
    made: Callable[[Any], Source], sentences: Any, flat: bool
) -> None:
    source = made(sentences)
    assert source.label_style().flat == flat
    assert flat or not source.always_flat
    for _ in range(2):  # they can be read as often as one likes
        coding = Coding()
        [chunk] = source.chunks(coding)
        assert chunk.coding is coding and chunk.is_flat == flat


def test_sentences_from_a_generator_can_be_read_twice() -> None:
    source = open_source(iter([(["a"], ["B-X"]), (["b"], ["O"])]))
    assert [len(read(source)) for _ in range(2)] == [2, 2]


def test_spans_stand_beside_labels() -> None:
    [row] = side_by_side([open_source(SPANS), file("a B-X\nb I-X\n\nc O\n")], Coding())
    assert [part.mentions().end.tolist() for part in row] == [[2], [2]]
    assert [part.mentions().type.tolist() for part in row] == [[0], [0]]


class Counting(Source):
    """A source of one's own that offers no more than it must."""

    name = "own"

    def chunks(self, coding: Coding, *, tokens: bool = True) -> Iterator[Corpus]:
        yield Corpus.of([(["a"], ["B-X"])], name=self.name, coding=coding)
        yield Corpus.of([(["b", "c"], ["O", "I-X"])], name=self.name, coding=coding)


def test_a_source_of_ones_own_needs_a_name_and_chunks_alone() -> None:
    source = Counting()
    assert open_source(source) is source and source.relabelled({}) is None
    assert [read(source).words(k) for k in range(2)] == [["a"], ["b", "c"]]
    assert source.label_style() == LabelStyle(scheme_named("bio"), flat=True)
    rows = list(side_by_side([file("a O\n\nb O\nc O\n"), source, source], Coding()))
    assert [len(row[1]) for row in rows] == [1, 1] and all(row[1] is row[2] for row in rows)


class Following(Counting):
    """A source of one's own that finds its mentions in gold itself, or fails to."""

    retokenised = True
    needs_whole_documents = False
    format = "following"

    def aligner(self, gold: Source, coding: Coding, repair: str) -> Aligner:
        return self

    def align(self, gold: Corpus) -> Corpus:
        if len(gold) > 1:
            raise ZeroDivisionError
        return gold

    def finish(self) -> None:
        """There is nothing left."""


@pytest.mark.usefixtures("registries")
def test_the_follower_of_a_registered_format_is_asked_and_blamed() -> None:
    register_format(Format("following", lambda data: Following(), lambda name, head: False))
    source = open_source(io.BytesIO(b""), format="following")
    assert source.info.format == "following"
    gold = file("a B-X\n")
    [row] = side_by_side([gold, source], Coding())
    assert row[1] is row[0]
    with pytest.raises(NerscopeError, match=r"format 'following'.*ZeroDivisionError"):
        list(side_by_side([file("a O\n\nb O\n"), source], Coding()))


def test_faults_of_a_source_of_ones_own_are_found_in_all_its_chunks() -> None:
    faults = read(Counting()).reading_notes.transitions.faults(scheme_named("bio"))
    assert [(fault.before, fault.after, fault.times) for fault in faults] == [("O", "I-X", 1)]


def test_labels_alone_are_refused_where_tokens_are_needed() -> None:
    corpus = Corpus.of([(["a"], ["O"])])
    assert require_tokens(corpus) is corpus
    with pytest.raises(InputError, match="m: the sentences have no tokens"):
        require_tokens(Corpus.of([["O"]], name="m"))


DOCUMENT = "-DOCSTART-\tO\n\n"


@pytest.mark.parametrize(
    "text",
    [
        f"{DOCUMENT}a\tB-X\n\nb\tO\n\n{DOCUMENT}c\tO\n\n",
        f"{DOCUMENT}a\tO\n\n{DOCUMENT}b\tO\n\nc\tB-X\n\n",
        "a\tB-X\n\nb\tO\n\n",  # no document is told
        "a\tB-X\n\n",
    ],
)
def test_documents_survive_a_way_through_json_lines(text: str, tmp_path: Path) -> None:
    (tmp_path / "gold.conll").write_text(text)
    nerscope.convert(tmp_path / "gold.conll", tmp_path / "gold.jsonl")
    nerscope.convert(tmp_path / "gold.jsonl", tmp_path / "back.conll")
    assert (tmp_path / "back.conll").read_text() == text


@pytest.mark.parametrize("scheme", ["bio", "iob1", "bioes", "bilou", "bmes", "bmeow"])
@settings(max_examples=30, deadline=None)
@given(sentences=corpora, data=st.data())
def test_what_is_written_as_two_columns_reads_back_as_it_was(
    scheme: str, sentences: list[Sentence], data: st.DataObject
) -> None:
    labels = st.sampled_from(["O", "B-X", "I-X", "B-Y"])
    corpus = Corpus.of(
        [
            (words, data.draw(st.lists(labels, min_size=len(words), max_size=len(words))))
            for words in sentences
        ]
    )
    again = read(file(write_conll(corpus, scheme_named(scheme)).decode(), scheme=scheme))
    assert [again.words(k) for k in range(len(again))] == sentences
    found, wanted = again.mentions(), corpus.mentions()
    assert (found.start.tolist(), found.end.tolist()) == (
        wanted.start.tolist(),
        wanted.end.tolist(),
    )


@pytest.mark.parametrize("given_as", [str, Path])
def test_paths_of_any_kind_are_files(given_as: type[str] | type[Path], tmp_path: Path) -> None:
    path = tmp_path / "b.txt"
    path.write_text("a O\n")
    found = open_source(given_as(path))
    assert isinstance(found, ConllFile) and found.name == str(path)
    assert found == ConllFile(path)


@pytest.mark.parametrize("given_as", [str, Path])
def test_a_file_that_is_not_there_is_refused_when_it_is_opened(
    given_as: type[str] | type[Path], tmp_path: Path
) -> None:
    with pytest.raises(InputError, match="no such file"):
        open_source(given_as(tmp_path / "b.txt"))
    later = ConllFile(tmp_path / "b.txt")  # it may come to be
    (tmp_path / "b.txt").write_text("a O\n")
    assert len(read(later)) == 1


@settings(max_examples=200, deadline=None)
@given(
    words=st.lists(st.sampled_from("abc"), min_size=1, max_size=12),
    breaks=st.tuples(st.sets(st.integers(1, 11)), st.sets(st.integers(1, 11))),
    size=st.integers(4, 60),
)
def test_sentences_of_any_length_are_broken_as_those_of_gold(
    words: list[str], breaks: tuple[set[int], set[int]], size: int
) -> None:
    texts = [
        "".join(f"{word} O\n" + "\n" * (at in own) for at, word in enumerate(words, 1))
        for own in breaks
    ]
    sources = [file(texts[0], "g"), file(texts[1], "s", sentences="any")]
    with pytest.MonkeyPatch.context() as patch:
        tiny_blocks(patch, size)
        rows = list(side_by_side(sources, Coding()))
    assert sentences_of(rows, 1) == sentences_of(rows, 0)


@pytest.mark.parametrize(
    ("output", "fact"),
    [
        ("a O\nb O\n", "against 1"),
        ("a O\nb O\nc O\nd O\n", "continues"),
        ("a O\nx O\nc O\n", "differ"),
    ],
    ids=["shorter", "longer", "other tokens"],
)
def test_sentences_of_any_length_still_need_the_same_tokens(output: str, fact: str) -> None:
    sources = [file("a O\n\nb O\nc O\n", "g"), file(output, "s", sentences="any")]
    with pytest.raises(AlignmentError, match=fact):
        list(side_by_side(sources, Coding()))


def test_a_mention_that_crosses_a_break_of_gold_is_two() -> None:
    gold = file("Ada B-PER\n\nLee B-PER\n", "g")
    output = file("Ada B-PER\nLee I-PER\n", "s", sentences="any")
    assert nerscope.evaluate(gold, {"s": output}).value(metric="f1") == 1.0


@pytest.mark.parametrize(("lines", "place"), [((4, 9), "f:9"), ((0, 0), "f: sentence 2")])
def test_a_label_that_no_scheme_knows_is_named_with_its_line(
    lines: tuple[int, int], place: str
) -> None:
    """The sentences are those of a format in one file, which has no check of labels."""
    sentences = [
        ParsedSentence(["Ada", "Lee"], ["B-PER", label], [], line, 2)
        for label, line in zip(("I-PER", "PER"), lines, strict=True)
    ]
    with pytest.raises(FormatError, match=f"^{place}: label 'PER' has no prefix"):
        list(gather_chunks([SentenceBatch(sentences)], "f", Coding()))


class OldPlugin(Source):
    """A source of a plug-in that was written for version 0.2: it has the methods of then."""

    name, retokenised = "old", True

    def chunks(self, coding: Coding, *, tokens: bool = True) -> Iterator[Corpus]:
        yield Corpus.of([(["Ada"], ["B-PER"])], coding=coding)


def test_the_names_of_version_0_2_still_work_and_warn() -> None:
    assert OldPlugin().info.retokenised and not OldPlugin().info.respells
    with pytest.warns(DeprecationWarning, match="label_style"):
        style = OldPlugin().nature()  # type: ignore[attr-defined]
    assert style == OldPlugin().label_style()
    with pytest.warns(DeprecationWarning, match="label_style"):

        class Declared(OldPlugin):
            def nature(self, coding: Coding | None = None) -> LabelStyle:
                return LabelStyle(scheme_named("iob1"))

    assert Declared().label_style().scheme.name == "iob1"
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        OldPlugin().nothing  # type: ignore[attr-defined]  # noqa: B018


def test_a_file_that_is_gone_is_named_whatever_asks_for_it(tmp_path: Path) -> None:
    """As on a worker of another machine, which has the name and not the file."""
    path = tmp_path / "gone.conll"
    path.write_text("Ada B-PER\n")
    source = open_source(str(path), "<s>")
    path.unlink()
    with pytest.raises(InputError, match="no such file"):
        _ = source.info
