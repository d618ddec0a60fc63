"""Many texts at once become the tokens, sentences and mentions that each of them gives alone."""

from itertools import accumulate

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nerscope.corpus.corpus import Coding, Corpus, ParsedSentence, build_corpus
from nerscope.errors import FormatError
from nerscope.formats.standoff.text import Record, TextSpan, read_text, record_chunks

# Letters, digits, marks that continue words, punctuation that starts some, blanks, line ends.
CHARACTERS = "ab7é日²_́‍़-.,'\"🎉→  \t\n　\x85\u2028"


@st.composite
def records(draw: st.DrawFn) -> list[Record]:
    found = []
    for _ in range(draw(st.integers(1, 4))):
        text = draw(st.text(st.sampled_from(CHARACTERS), max_size=25))
        spans = [
            TextSpan(draw(_pairs(len(text), most=3)), draw(st.sampled_from("XY")))
            for _ in range(draw(st.integers(0, 3)))
        ]
        spans = [span for span in spans if span.fragments]
        tokens = draw(st.none() | _pairs(len(text), most=6))
        found.append(Record(text, spans, draw(st.integers(0, 2)), tokens))
    return found


def _pairs(size: int, most: int) -> st.SearchStrategy[tuple[tuple[int, int], ...]]:
    """Ranges in order that do not overlap; some are blank or empty, few are outside."""
    edges = st.lists(st.integers(0, size + (size < 3)), max_size=2 * most).map(sorted)
    return edges.map(lambda at: tuple(zip(at[::2], at[1::2], strict=False)))


def one_by_one(given: list[Record], coding: Coding) -> tuple[Corpus | None, dict[str, list[int]]]:
    """The reference: every record is read alone. The corpus, and the lines of notes by kind."""
    parts, noted = list[ParsedSentence](), dict[str, list[int]]()
    for document, record in enumerate(given):
        line = record.line or len(parts) + 1
        read = read_text(record, f"x:{line}")
        for kind, times in read.noted.items():
            noted.setdefault(kind, []).extend([line] * times)
        for part in read.sentences:
            number = record.line or len(parts) + 1
            parts.append(part._replace(document=document, line=number))
    return build_corpus(parts, "x", coding) if parts else None, noted


def content(corpus: Corpus) -> tuple[object, ...]:
    mentions, types = corpus.mentions(), corpus.coding.labels.types
    shapes = None if mentions.shape is None else mentions.shape.tolist()
    assert corpus.gaps is not None
    return (
        [corpus.words(number) for number in range(len(corpus))],
        corpus.lines.tolist(),
        corpus.documents.tolist(),
        corpus.gaps.tolist(),
        [mentions.start.tolist(), mentions.end.tolist(), [types[kind] for kind in mentions.type]],
        shapes,
    )


@given(records())
def test_arrays_give_what_each_record_gives_alone(given: list[Record]) -> None:
    try:
        expected, noted = one_by_one(given, Coding())
    except FormatError as error:
        with pytest.raises(FormatError) as refused:
            list(record_chunks(given, "x", Coding()))
        assert str(refused.value) == str(error)
        return
    found = list(record_chunks(given, "x", Coding()))
    assert len(found) == (expected is not None)
    if expected is not None:
        assert content(found[0]) == content(expected)
        notes = found[0].reading_notes.notes
        assert {kind: list(notes[kind].lines) for kind in noted} == noted


def test_chunks_number_documents_and_sentences_through(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("nerscope.formats.standoff.text._CHUNK", 4)
    texts = ["Ada\nspoke", "", "so", "it\nis\nso"]
    chunks = list(record_chunks([Record(text, []) for text in texts], "x", Coding()))
    assert [chunk.documents.tolist() for chunk in chunks] == [[0, 0], [2, 3, 3, 3]]
    sizes = [len(chunk) for chunk in chunks]
    firsts = [0, *accumulate(sizes)]
    for first, chunk in zip(firsts, chunks, strict=False):
        assert chunk.lines.tolist() == list(range(first + 1, first + len(chunk) + 1))


@pytest.mark.parametrize("offset", [10**30, -(10**30), (1 << 63) - 1, -(1 << 63), 1 << 61])
def test_offsets_too_large_for_an_array_are_outside_the_text(offset: int) -> None:
    for record in (
        Record("Ada", [TextSpan(((0, offset),), "X")]),
        Record("Ada", [TextSpan(((offset, 3),), "X")]),
        Record("Ada", [], tokens=[(0, offset)]),
    ):
        with pytest.raises(FormatError, match="outside the"):
            list(record_chunks([record], "x", Coding()))
