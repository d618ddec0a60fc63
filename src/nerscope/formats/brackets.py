"""Mentions that brackets open and close, as treebanks with coreference write them in `Entity=`."""

import re
from collections import Counter

import numpy as np

from nerscope.corpus.corpus import Coding, Found
from nerscope.corpus.mentions import Mentions, Shape, shapes_of
from nerscope.errors import FormatError, shortened

BRACKET = re.compile(r"\(([^()]+)(\))?|([^()]+)\)")
_KINDS = ("etype", "type", "entity")  # what global.Entity calls the type
_PART = re.compile(r"^(.*)\[(\d+)/(\d+)\]$")
TORN = "mentions across sentences, left out"
OF_NOTHING = "mentions of empty nodes, left out"


class Brackets:
    """Mentions that brackets open and close; some are open at any time.

    >>> brackets = Brackets()
    >>> brackets.read("(e1-person", 0, 1, "x:1")
    >>> brackets.read("e1)", 1, 2, "x:2")
    >>> brackets.taken(Coding())[0].end.tolist()
    [2]
    """

    def __init__(self) -> None:
        self._kind_at = 1  # behind the number of the entity, unless global.Entity says otherwise
        self._open: dict[str, list[tuple[int, str]]] = {}
        self._torn: set[str] = set()  # those open at the end of a sentence
        self._parts: dict[str, list[tuple[int, int]]] = {}  # of mentions with holes
        self._done: list[tuple[list[tuple[int, int]], str]] = []
        self._found: Counter[str] = Counter()

    def declare(self, header: str) -> None:
        """Learn from `global.Entity` where the type stands."""
        names = header.strip().split("-")
        self._kind_at = next((names.index(name) for name in _KINDS if name in names), 1)

    def read(self, text: str, before: int, behind: int, place: str) -> None:
        """Read the brackets of a line, which has so many words before it, and behind its end."""
        done = 0
        while done < len(text):
            found = BRACKET.match(text, done)
            if found is None:
                raise FormatError(
                    place,
                    f"'{shortened(text)}' is not written in brackets",
                    "write (e1-person and e1)",
                )
            done = found.end()
            opened, at_once, closed = found.groups()
            if opened:
                self._open_one(opened, before, place)
            if at_once or closed:
                self._close_one((opened or closed).split("-")[0], behind, place)

    def _open_one(self, text: str, start: int, place: str) -> None:
        fields = text.split("-")
        kind = fields[self._kind_at] if len(fields) > self._kind_at else ""
        if not kind:
            raise FormatError(
                place,
                f"the bracket '({shortened(text)}' has no type",
                "say key=… if labels have another name",
            )
        self._open.setdefault(fields[0], []).append((start, kind))

    def _close_one(self, name: str, end: int, place: str) -> None:
        if not self._open.get(name) and name in self._torn:
            self._torn.remove(name)
            return
        if not self._open.get(name):
            raise FormatError(
                place,
                f"'{shortened(name)})' closes a mention that is not open",
                "open it: (e1-person",
            )
        start, kind = self._open[name].pop()
        part = _PART.match(name)
        fragments = self._parts.setdefault(part[1], []) if part else []
        if start < end:
            fragments.append((start, end))
        if part and part[2] != part[3]:
            return
        if fragments:
            self._done.append((list(fragments), kind))
        else:
            self._found[OF_NOTHING] += 1
        fragments.clear()

    def end_sentence(self) -> None:
        """Leave out what is still open: a mention lies in one sentence."""
        for name, opened in self._open.items():
            if opened:
                self._found[TORN] += len(opened)
                self._torn.add(name)
        self._open.clear()
        self._parts.clear()

    def taken(self, coding: Coding) -> tuple[Mentions, dict[str, Found]]:
        """The mentions since this was last asked, and what was left out."""
        self.end_sentence()
        rows = [
            (parts[0][0], parts[-1][1], coding.labels.type_code(kind), parts)
            for parts, kind in self._done
        ]
        table = np.array([row[:3] for row in rows], np.int64).reshape(len(rows), 3)
        shapes = [Shape.of_runs(parts) for *_, parts in rows]
        spans = Mentions(table[:, 0], table[:, 1], table[:, 2], shapes_of(shapes)).in_order()
        found = {kind: Found(times) for kind, times in self._found.items()}
        self._done, self._found = [], Counter()
        return spans, found
