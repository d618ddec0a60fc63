"""Mentions between brackets, as CoNLL-U treebanks with coreference write them in `Entity=`.

`Entity=(e1-person` opens entity e1 before a word, `Entity=e1)` closes it after one. Discontinuous
mentions are written in parts: `(e1[1/2]-person)` and `(e1[2/2]-person)`.
"""

import re
from collections import Counter

import numpy as np

from nerscope.corpus.corpus import Coding, Note, file_option
from nerscope.corpus.mentions import Mentions, Shape, shape_column
from nerscope.errors import FormatError, shortened

BRACKET = re.compile(r"\(([^()]+)(\))?|([^()]+)\)")
_TYPE_FIELDS = ("etype", "type", "entity")  # names of the type in global.Entity
_FRAGMENT_NAME = re.compile(r"^(.*)\[(\d+)/(\d+)\]$")
TORN = "mentions across sentences, left out"
WITHOUT_WORDS = "mentions of empty nodes, left out"


class Brackets:
    """Collects mentions from the brackets of a file, line by line.

    >>> brackets = Brackets()
    >>> brackets.read("(e1-person", 0, 1, "x:1")
    >>> brackets.read("e1)", 1, 2, "x:2")
    >>> brackets.take(Coding())[0].end.tolist()
    [2]
    """

    def __init__(self) -> None:
        self._type_field = 1  # after the name of the entity, by default
        self._open: dict[str, list[tuple[int, str]]] = {}
        self._torn: set[str] = set()  # names that were open at the end of their sentence
        self._fragments: dict[str, list[tuple[int, int]]] = {}  # of discontinuous mentions
        self._mentions: list[tuple[list[tuple[int, int]], str]] = []
        self._left_out: Counter[str] = Counter()

    def declare(self, header: str) -> None:
        """Read from the header `global.Entity` which field of a bracket is the type."""
        names = header.strip().split("-")
        self._type_field = next((names.index(name) for name in _TYPE_FIELDS if name in names), 1)

    def read(self, text: str, before: int, behind: int, place: str) -> None:
        """Read the brackets of a line.

        `before` and `behind` are the numbers of words before and after the line; they are equal for
        a line without a word (an empty node).
        """
        done = 0
        while done < len(text):
            bracket = BRACKET.match(text, done)
            if bracket is None:
                raise FormatError(
                    place,
                    f"'{shortened(text)}' is not in bracket notation",
                    "write (e1-person to open a mention and e1) to close it",
                )
            done = bracket.end()
            opened, closed_at_once, closed = bracket.groups()
            if opened:
                self._open_mention(opened, before, place)
            if closed_at_once or closed:
                self._close_mention((opened or closed).split("-")[0], behind, place)

    def _open_mention(self, text: str, start: int, place: str) -> None:
        fields = text.split("-")
        kind = fields[self._type_field] if len(fields) > self._type_field else ""
        if not kind:
            raise FormatError(
                place,
                f"the bracket '({shortened(text)}' has no type",
                "add the type, as in (e1-person; if another key holds the labels: "
                f"{file_option(place, 'key=KEY')}",
            )
        self._open.setdefault(fields[0], []).append((start, kind))

    def _close_mention(self, name: str, end: int, place: str) -> None:
        # A mention across sentences was noted at the sentence end; closing it is not an error.
        if not self._open.get(name) and name in self._torn:
            self._torn.remove(name)
            return
        if not self._open.get(name):
            raise FormatError(
                place,
                f"'{shortened(name)})' closes a mention that is not open",
                "open the mention first: (e1-person",
            )
        start, kind = self._open[name].pop()
        fragment_name = _FRAGMENT_NAME.match(name)
        fragments = self._fragments.setdefault(fragment_name[1], []) if fragment_name else []
        if start < end:
            fragments.append((start, end))
        if fragment_name and fragment_name[2] != fragment_name[3]:
            return  # more parts of this mention follow
        if fragments:
            self._mentions.append((list(fragments), kind))
        else:
            self._left_out[WITHOUT_WORDS] += 1
        fragments.clear()

    def end_sentence(self) -> None:
        """Leave out mentions that are still open, because a mention must be in one sentence."""
        for name, opened in self._open.items():
            if opened:
                self._left_out[TORN] += len(opened)
                self._torn.add(name)
        self._open.clear()
        self._fragments.clear()

    def take(self, coding: Coding) -> tuple[Mentions, dict[str, Note]]:
        """The mentions since the last call, and notes about mentions that were left out."""
        self.end_sentence()
        rows = [
            (fragments[0][0], fragments[-1][1], coding.labels.type_code(kind), fragments)
            for fragments, kind in self._mentions
        ]
        table = np.array([row[:3] for row in rows], np.int64).reshape(len(rows), 3)
        shapes = [Shape.of_runs(fragments) for *_, fragments in rows]
        spans = Mentions(table[:, 0], table[:, 1], table[:, 2], shape_column(shapes)).in_order()
        left_out = {kind: Note(times) for kind, times in self._left_out.items()}
        self._mentions, self._left_out = [], Counter()
        return spans, left_out
