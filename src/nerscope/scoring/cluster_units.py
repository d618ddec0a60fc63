"""Units of clusters: sentences, documents or blocks of neighbours, alone or with surfaces.

A cluster unit is written as in `--resample`: "sentence", "document" or "block:20", each optionally
with ",surface" for two-way clusters, by place and by surface.
"""

import re

import numpy as np

from nerscope.corpus.arrays import Ints
from nerscope.errors import UsageError, plural, plural_of, suggest

SENTENCE, DOCUMENT = "sentence", "document"
USUAL_BLOCK = "block:20"
CLUSTER_UNITS = (SENTENCE, DOCUMENT, USUAL_BLOCK)
_SURFACE = ",surface"
_BLOCK = re.compile(r"block:([1-9]\d{0,8})")


def check_cluster_unit(text: str) -> None:
    """Raise a UsageError for an unknown cluster unit.

    >>> check_cluster_unit("block")
    Traceback (most recent call last):
    nerscope.errors.UsageError: resample: unknown cluster unit 'block'. Fix: did you mean ...
    """
    first = place_unit(text)
    if first not in (SENTENCE, DOCUMENT) and not _BLOCK.fullmatch(first):
        known = [*CLUSTER_UNITS, *(unit + _SURFACE for unit in CLUSTER_UNITS)]
        raise UsageError("resample", f"unknown cluster unit '{text}'", suggest(text, known))


def place_unit(cluster_unit: str) -> str:
    """The unit of a cluster's place in the text, without surfaces.

    >>> place_unit("document,surface"), place_unit("block:20")
    ('document', 'block:20')
    """
    return cluster_unit.removesuffix(_SURFACE)


def is_crossed(cluster_unit: str) -> bool:
    """Whether the unit is two-way, that is, also by surface."""
    return cluster_unit.endswith(_SURFACE)


def block_size(cluster_unit: str) -> int | None:
    """The number of sentences of a block; None if the unit is not a block.

    >>> block_size("block:20"), block_size("sentence")
    (20, None)
    """
    block = _BLOCK.fullmatch(place_unit(cluster_unit))
    return int(block[1]) if block else None


def unit_noun(cluster_unit: str) -> str:
    """The noun of one cluster.

    >>> unit_noun("block:20"), unit_noun("document,surface")
    ('block of 20 sentences', 'document')
    """
    size = block_size(cluster_unit)
    return place_unit(cluster_unit) if size is None else f"block of {plural(size, SENTENCE)}"


def units_in_words(cluster_units: str) -> str:
    """The units in words; several units are joined by "+" in the argument.

    >>> units_in_words("block:20"), units_in_words("document,surface")
    ('blocks of 20 sentences', 'documents and surfaces')
    """
    return " or ".join(
        plural_of(unit_noun(unit)) + (" and surfaces" if is_crossed(unit) else "")
        for unit in cluster_units.split("+")
    )


def count_units(number: int, cluster_unit: str) -> str:
    """A number of clusters, in words.

    >>> count_units(3, "block:20"), count_units(1, "document,surface")
    ('3 blocks of 20 sentences', '1 document')
    """
    return plural(number, unit_noun(cluster_unit))


class BlockCount:
    """Numbers blocks of neighbouring sentences from 0, chunk by chunk.

    A block ends after `size` sentences, and at the end of a document: blocks of 2 in the documents
    0 0 0 1 1 are 0 0 1 2 2.
    """

    def __init__(self, size: int) -> None:
        self._size = size
        self._document: int | None = None  # of the last sentence
        self._position = 0  # in its document, of the next sentence
        self.blocks = 0

    def number(self, documents: Ints) -> Ints:
        """The block of each sentence, given its document.

        >>> BlockCount(2).number(np.array([0, 0, 0, 1, 1])).tolist()
        [0, 0, 1, 2, 2]
        """
        if not len(documents):
            return documents
        places = np.arange(len(documents))
        starts = np.diff(documents, prepend=documents[0]) != 0
        starts[0] = documents[0] != self._document
        before = 0 if starts[0] else self._position
        # The start of each sentence's document: the last start so far; at first, the start of the
        # document that continues from the previous chunk.
        start = np.maximum.accumulate(np.where(starts, places, -before))
        position = places - start
        numbers: Ints = self.blocks - 1 + np.cumsum(position % self._size == 0)
        self._document, self._position = int(documents[-1]), int(position[-1]) + 1
        self.blocks = int(numbers[-1]) + 1
        return numbers
