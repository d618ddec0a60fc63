"""Sentences stay the same from one format to another, wherever the text has its line ends."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from nerscope.corpus.corpus import Coding
from nerscope.dataset.convert import convert_source
from nerscope.formats.base import FORMATS, source_named
from nerscope.formats.docbin import SpacyDocument, SpacySource
from nerscope.formats.source import Source


class Documents:
    """Two documents as spaCy has them: sentences begin where only a blank, or nothing, is."""

    has_entities, groups = True, ()

    columns = None

    def each(self, group: str | None) -> Iterator[SpacyDocument]:
        words = ["Ada", "met", "\n", "Bob", ".", "He", "left", ".", "So", "what"]
        blanks = [True, False, False, False, True, True, False, False, True, False]
        yield SpacyDocument(words, blanks, [(0, 1, "PER"), (3, 4, "PER")], [0, 5, 8])
        yield SpacyDocument(["Oslo", "won"], [True, False], [(0, 1, "LOC")], [0])


def sentences(source: Source) -> list[tuple[int, list[str], int]]:
    """The document, the words and the number of mentions of each sentence."""
    found = []
    for chunk in source.chunks(Coding()):
        counts = chunk.mentions().sentences(chunk.starts).tolist()
        for at in range(len(chunk)):
            found.append((int(chunk.documents[at]), chunk.words(at), counts.count(at)))
    return found


SPACY = SpacySource("documents", Documents)


def test_spacy_divides_at_blanks() -> None:
    assert [words for _, words, _ in sentences(SPACY)] == [
        ["Ada", "met", "Bob", "."],
        ["He", "left", "."],
        ["So", "what"],
        ["Oslo", "won"],
    ]


@pytest.mark.parametrize("form", ["jsonl", "json", "conllu", "conll", "webanno", "brat"])
def test_sentences_come_back_from_every_format(form: str, tmp_path: Path) -> None:
    conversion = convert_source(SPACY, "bio", form=FORMATS[form])
    for name, data in (conversion.files or {"written": conversion.data}).items():
        (tmp_path / name).write_bytes(data)
    path = tmp_path if conversion.files else tmp_path / "written"
    back = sentences(source_named(f"{path}::format={form}"))
    assert [row[1:] for row in back] == [row[1:] for row in sentences(SPACY)]
    if form in ("jsonl", "json", "brat"):
        assert back == sentences(SPACY)  # the same documents, too
        assert any("line breaks changed at 3 places" in note for note in conversion.notes)
