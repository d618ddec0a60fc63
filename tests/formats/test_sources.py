"""Several corpora side by side: the same sentences in any chunking, or an error that says what
happened where.
"""

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import nerscope
from nerscope.corpus.corpus import Coding, Corpus
from nerscope.errors import AlignmentError
from nerscope.formats.base import Source, chunks, side_by_side, source_of, with_scheme
from nerscope.formats.conll import ConllFile

Sentence = list[str]


def file(text: str, name: str = "f", **options: Any) -> ConllFile:
    return ConllFile(name, data=text.encode(), **options)


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
    # is in memory.
    wide = "\n".join(
        "".join(f"{word} {'x' * padding} B-X\n" for word in sentence) for sentence in sentences
    )
    in_memory = Corpus.of([(sentence, ["O"] * len(sentence)) for sentence in sentences])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("nerscope.formats.blocks.BLOCK", block)
        patch.setattr("nerscope.formats.conll.BLOCK", block)
        rows = list(side_by_side([file(text_of(sentences)), file(wide), in_memory], Coding()))
    for side in range(3):
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
    opened: list[object] = []

    def counting(given_path: str | Path) -> Any:
        opened.append(given_path)
        return open(given_path, "rb")

    monkeypatch.setattr("nerscope.formats.conll.open_bytes", counting)
    sources: list[Source] = [ConllFile(path, label=label) for label in (1, 2, 1, -1)]
    [row] = side_by_side(sources, Coding())
    assert opened == [path]
    assert [corpus.mentions().start.tolist() for corpus in row] == [[0], [1, 2], [0], [1, 2]]
    assert all(corpus.tokens.base is row[0].tokens.base for corpus in row)


def test_tokens_of_one_file_are_read_only_if_asked_for() -> None:
    text = "Ada B-PER O\n"
    [row] = side_by_side([file(text, label=1), file(text, label=2)], Coding(), tokens=False)
    assert [len(corpus.tokens) for corpus in row] == [0, 0]
    [row] = side_by_side([file(text, label=1), file("Ada O\n", "g")], Coding(), tokens=False)
    assert [len(corpus.tokens) for corpus in row] == [1, 1]


def test_a_corpus_in_memory_may_stand_beside_itself() -> None:
    corpus = Corpus.of([(["a"], ["B-X"])])
    [row] = side_by_side([corpus, corpus], Coding())
    assert [part.words(0) for part in row] == [["a"], ["a"]]


def test_labels_alone_are_aligned_by_their_number() -> None:
    gold = Corpus.of([(["a", "b"], ["O", "B-X"])])
    [row] = side_by_side([gold, Corpus.of([["B-X", "O"]])], Coding())
    assert row[1].mentions().start.tolist() == [0]


SPLIT = "the same tokens, split into sentences at different places"
CUT = "the shorter sentence is cut off"
OTHER = "the tokens differ"
DOCSTART = "a document line is spelt differently"
ENDS = "the shorter file is truncated"


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
        ("a O\n\nb O\n", "a O\n", ("s", "g:3"), "it ends after 1 sentence, but g:3 goes on", ENDS),
        (
            "a O\n",
            "a O\n\nb O\n\nc O\n",
            ("g", "s:3"),
            "it ends after 1 sentence, but s:3 goes on",
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
    ],
)
def test_what_differs_is_shown_at_both_places_with_a_guess(
    gold: str, output: str, places: tuple[str, str], fact: str, guess: str
) -> None:
    with pytest.raises(AlignmentError) as caught:
        list(side_by_side([file(gold, "g"), file(output, "s")], Coding()))
    assert caught.value.place == places[0]
    assert places[1] in caught.value.fact and fact in caught.value.fact
    assert caught.value.remedy.startswith(guess)


def test_labels_alone_that_are_too_few_are_refused() -> None:
    with pytest.raises(AlignmentError) as caught:
        list(
            side_by_side(
                [Corpus.of([(["a", "b"], ["O", "O"])], name="g"), Corpus.of([["O"]], name="s")],
                Coding(),
            )
        )
    assert caught.value.place == "g:1" and "s:1" in caught.value.fact
    assert caught.value.remedy == "give every sentence as many labels as it has tokens"


def test_a_difference_in_a_later_chunk_keeps_its_number(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("nerscope.formats.blocks.BLOCK", 24)
    monkeypatch.setattr("nerscope.formats.conll.BLOCK", 24)
    same = "a O\nb O\n\n" * 50
    with pytest.raises(
        AlignmentError, match=r"^g:151: sentence 51 differs from s:151: .*Remedy: the tokens differ"
    ):
        list(side_by_side([file(same + "c O\n", "g"), file(same + "d O\n", "s")], Coding()))
    with pytest.raises(AlignmentError, match=r"^s: it ends after 50 sentences, but g:151 goes on"):
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
    settled = with_scheme(file(text, scheme=given_scheme))
    assert isinstance(settled, ConllFile) and settled.scheme == expected


def test_a_corpus_in_memory_needs_no_settling() -> None:
    corpus = Corpus.of([["O"]])
    assert with_scheme(corpus) is corpus and source_of(corpus) is corpus
    assert [len(part) for part in chunks(corpus, corpus.coding)] == [1]


@pytest.mark.parametrize("given_as", [str, Path])
def test_paths_of_any_kind_are_files(given_as: type[str] | type[Path]) -> None:
    found = source_of(given_as("a/b.txt"))
    assert isinstance(found, ConllFile) and found.name == str(Path("a/b.txt"))
