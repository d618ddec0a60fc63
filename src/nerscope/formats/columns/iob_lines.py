"""One sentence per line, each token with its label after a bar: `Ada|NNP|B-PER spoke|VBD|O`.

spaCy's converter reads such files with the ending `.iob`: `word|tag|label` or `word|label`.
"""

import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import ClassVar

from nerscope.corpus.corpus import ReadingNotes
from nerscope.corpus.schemes import parse_label
from nerscope.errors import FormatError, shortened
from nerscope.formats.base import FORMATS, FileOption, Format
from nerscope.formats.columns.column_file import SAME, SHARED_OPTIONS
from nerscope.formats.columns.rows import RowFile, RowSentence
from nerscope.formats.files import HEAD, FileBytes

NAME = "iob-lines"
_BAR = "|"
_BLANKS = re.compile(r"[ \t\r\n]+")
_DOCUMENT = "-DOCSTART-"
_MOST_BARS = 2  # word|tag|label


@dataclass(frozen=True, slots=True)
class IobLinesFile(RowFile):
    """A file with one sentence per line.

    >>> from nerscope.corpus.corpus import Coding
    >>> file = IobLinesFile(FileBytes("x.iob", data=b"Ada|NNP|B-PER spoke|VBD|O\\n"))
    >>> next(file.chunks(Coding())).words(0)
    ['Ada', 'spoke']
    """

    max_small: ClassVar[int] = 4 << 20
    file_options: ClassVar[Mapping[str, FileOption]] = SHARED_OPTIONS
    format: ClassVar[str | None] = NAME
    n_layers: ClassVar[int] = 1  # type: ignore[misc]
    always_flat: ClassVar[bool] = True  # type: ignore[misc]
    path: str | os.PathLike[str] | FileBytes
    scheme: str | None = None
    encoding: str = "utf-8"
    tokens: str = SAME
    sentences: str = SAME
    name: str = field(init=False, compare=False)

    def __post_init__(self) -> None:
        # Opened once, because standard input can be read only once.
        object.__setattr__(self, "path", self.content)
        object.__setattr__(self, "name", self.content.name)
        self.check_options()

    def parser(self) -> "_Parser":
        return _Parser(self.name)

    def relabelled(self, labels: Mapping[int, str]) -> bytes | None:
        """None, because a line has several tokens."""
        return None


class _Parser:
    """Reads one sentence per line; all tokens have as many bars as the first one, or more.

    The last bars separate, because a token may contain bars: `||SYM|O` is the token `|`.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self.document, self.is_empty = 0, True
        self.bars = 0

    def feed(self, line: str, number: int) -> Iterator[RowSentence]:
        items = [item for item in line.replace("\t", " ").split(" ") if item]
        if not items:
            return
        if items[0].startswith(_DOCUMENT):
            self.document += not self.is_empty
            return
        self.bars = self.bars or min(items[0].count(_BAR), _MOST_BARS)
        pairs = [self._token(item, number) for item in items]
        self.is_empty = False
        words, labels = ([pair[side] for pair in pairs] for side in (0, 1))
        yield RowSentence(self.document, words, [number] * len(words), [labels])

    def _token(self, item: str, number: int) -> tuple[str, str]:
        word, *rest = item.rsplit(_BAR, self.bars) if self.bars else [item]
        if not word or not rest or len(rest) < self.bars:
            form = "word|tag|label" if self.bars == _MOST_BARS else "word|label"
            raise FormatError(
                f"{self.name}:{number}",
                f"'{shortened(item)}' is not a token of the form {form}",
                "write every token of the file in the same way, with blanks between tokens",
            )
        return word, rest[-1]

    def finish(self) -> Iterator[RowSentence]:
        return iter(())

    def take_notes(self) -> ReadingNotes:
        return ReadingNotes()


def fits(name: str, head: bytes) -> bool:
    """Whether the first lines have tokens with a bar and a label.

    >>> fits("x", b"Ada|NNP|B-PER spoke|VBD|O\\n"), fits("x", b"7|t|Ada spoke\\n")
    (True, False)
    """
    text = head.decode("utf-8", "replace").removeprefix("\ufeff")
    if len(head) >= HEAD:
        text = text.rpartition(" ")[0]  # the last token may be cut off
    items = [item for item in _BLANKS.split(text) if item]
    return bool(items) and all(map(_is_token, items))


def _is_token(item: str) -> bool:
    word, bar, label = item.rpartition(_BAR)
    return bool(word) and bool(bar) and parse_label(label) is not None


FORMATS.add(
    NAME,
    Format(
        NAME,
        IobLinesFile,
        fits,
        SHARED_OPTIONS,
        title="Sentences with bars",
        phrase="one sentence per line, word|tag|label",
        definition="One sentence per line, each token with its label after a bar, as spaCy's "
        "converter reads it.",
    ),
    built_in=True,
    rank=46,
)
