"""Array types, and the lookups in tables of codes that several packages share."""

from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

Ints: TypeAlias = npt.NDArray[np.signedinteger[Any]]
Floats: TypeAlias = npt.NDArray[np.float64]
Bools: TypeAlias = npt.NDArray[np.bool_]
Uint64s: TypeAlias = npt.NDArray[np.uint64]
Objects: TypeAlias = npt.NDArray[np.object_]
Bytes: TypeAlias = npt.NDArray[np.uint8]


def lookup(table: Ints, codes: Ints) -> Ints:
    """The entry (or row) of each code; 0 for codes outside the table, such as -1.

    >>> lookup(np.array([5, 7]), np.array([1, 3, -1])).tolist()
    [7, 0, 0]
    """
    if not len(table):
        return np.zeros((len(codes), *table.shape[1:]), table.dtype)
    # Vocabularies grow while a table does not, so a code may be beyond the end of the table.
    entries = table.take(codes, axis=0, mode="clip")
    entries[(codes >= len(table)) | (codes < 0)] = 0
    return entries


def lookup_pair(table: Ints, rows: Ints, columns: Ints) -> Ints:
    """The entry of each (row, column); 0 for places outside the table."""
    if not table.size:
        return np.zeros(len(rows), table.dtype)
    # One `take` in the flat table is several times faster than indexing with two arrays.
    entries = table.ravel().take(rows * np.int64(table.shape[1]) + columns, mode="clip")
    entries[(rows < 0) | (rows >= table.shape[0]) | (columns >= table.shape[1])] = 0
    return entries


def count_table(keys: Ints, columns: Ints, shape: tuple[int, int]) -> Ints:
    """A table of how often each (key, column) occurs.

    >>> count_table(np.array([0, 1, 0]), np.array([1, 0, 1]), (2, 2)).tolist()
    [[0, 2], [1, 0]]
    """
    return np.bincount(
        keys.astype(np.int64) * shape[1] + columns, minlength=shape[0] * shape[1]
    ).reshape(shape)


def expand_ranges(starts: Ints, ends: Ints) -> Ints:
    """All integers of some half-open ranges, one range after the other.

    >>> expand_ranges(np.array([2, 7]), np.array([5, 8])).tolist()
    [2, 3, 4, 7]
    """
    # For 2:5 and 7:8, the offsets are 0 and 3: [2 2 2 4] + [0 1 2 3] = [2 3 4 7].
    lengths = ends - starts
    offsets = np.cumsum(lengths) - lengths
    return np.repeat(starts - offsets, lengths) + np.arange(lengths.sum())
