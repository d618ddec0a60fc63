"""A whole file with longer sentences."""

import numpy as np

from nerscope.dataset.split.context import context_ranges
from nerscope.dataset.split.material import read_material
from nerscope.dataset.split.pieces import joined_pieces, part_text


def with_context(text: str, size: int) -> bytes:
    """The content of `FILE::options` in which so many sentences of a document are one."""
    material = read_material(text)
    ranges = context_ranges(material.pieces.documents, size)
    return material.encoded(
        part_text(joined_pieces(material.pieces, ranges), np.arange(len(ranges)))
    )
