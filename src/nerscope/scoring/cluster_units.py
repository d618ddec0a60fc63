"""What is drawn as a whole: sentences, documents, or blocks of neighbours; alone or with surfaces.

A cluster unit is a word, as in `--resample`: "sentence", "document", "block:20", and each of them
with ",surface", for mentions that hang together in two ways: by place, and by what they say.
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
    """Refuse what cannot be drawn.

    >>> check_cluster_unit("block")
    Traceback (most recent call last):
    nerscope.errors.UsageError: resample: there is no 'block' to resample. Fix: did you mean ...
    """
    first = place_unit(text)
    if first not in (SENTENCE, DOCUMENT) and not _BLOCK.fullmatch(first):
        known = [*CLUSTER_UNITS, *(unit + _SURFACE for unit in CLUSTER_UNITS)]
        raise UsageError("resample", f"there is no '{text}' to resample", suggest(text, known))


def place_unit(cluster_unit: str) -> str:
    """The unit of a cluster's place in the text, without surfaces.

    >>> place_unit("document,surface"), place_unit("block:20")
    ('document', 'block:20')
    """
    return cluster_unit.removesuffix(_SURFACE)


def is_crossed(cluster_unit: str) -> bool:
    """Whether mentions of one surface hang together, too."""
    return cluster_unit.endswith(_SURFACE)


def block_size(cluster_unit: str) -> int | None:
    """How many sentences a block has; None if the unit is no block.

    >>> block_size("block:20"), block_size("sentence")
    (20, None)
    """
    block = _BLOCK.fullmatch(place_unit(cluster_unit))
    return int(block[1]) if block else None


def unit_noun(cluster_unit: str) -> str:
    """One cluster, in words.

    >>> unit_noun("block:20"), unit_noun("document,surface")
    ('block of 20 sentences', 'document')
    """
    size = block_size(cluster_unit)
    return place_unit(cluster_unit) if size is None else f"block of {plural(size, SENTENCE)}"


def units_in_words(cluster_units: str) -> str:
    """What is drawn, in words; several units are joined by "+".

    >>> units_in_words("block:20"), units_in_words("document,surface")
    ('blocks of 20 sentences', 'documents and surfaces')
    """
    return " or ".join(
        plural_of(unit_noun(unit)) + (" and surfaces" if is_crossed(unit) else "")
        for unit in cluster_units.split("+")
    )


def count_units(number: int, cluster_unit: str) -> str:
    """So many clusters, in words.

    >>> count_units(3, "block:20"), count_units(1, "document,surface")
    ('3 blocks of 20 sentences', '1 document')
    """
    return plural(number, unit_noun(cluster_unit))


class BlockCount:
    """Numbers blocks of neighbouring sentences from 0, chunk after chunk.

    A block ends after so many sentences, and at the end of a document: blocks of 2 in the documents
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
        # The start of each sentence's document: the last start up to here; at first, that of the
        # document which goes on from the chunk before.
        start = np.maximum.accumulate(np.where(starts, places, -before))
        position = places - start
        numbers: Ints = self.blocks - 1 + np.cumsum(position % self._size == 0)
        self._document, self._position = int(documents[-1]), int(position[-1]) + 1
        self.blocks = int(numbers[-1]) + 1
        return numbers
