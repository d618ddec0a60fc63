"""Asking tables about codes that may be younger than the table."""

import numpy as np

from nerscope.corpus.arrays import Ints


def lookup(table: Ints, codes: Ints) -> Ints:
    """The entry (or row) of each code, 0 for codes the table does not know, such as -1.

    >>> lookup(np.array([5, 7]), np.array([1, 3, -1])).tolist()
    [7, 0, 0]
    """
    if not len(table):
        return np.zeros((len(codes), *table.shape[1:]), table.dtype)
    found = table.take(codes, axis=0, mode="clip")
    found[(codes >= len(table)) | (codes < 0)] = 0
    return found


def lookup_pair(table: Ints, rows: Ints, columns: Ints) -> Ints:
    """The entry of each (row, column), 0 where the table does not reach."""
    if not table.size:
        return np.zeros(len(rows), table.dtype)
    found = table.ravel().take(rows * np.int64(table.shape[1]) + columns, mode="clip")
    found[(rows < 0) | (rows >= table.shape[0]) | (columns >= table.shape[1])] = 0
    return found


def counted(keys: Ints, columns: Ints, shape: tuple[int, int]) -> Ints:
    """How often each (key, column) occurs, as a table."""
    return np.bincount(
        keys.astype(np.int64) * shape[1] + columns, minlength=shape[0] * shape[1]
    ).reshape(shape)


def ranges(starts: Ints, ends: Ints) -> Ints:
    """All integers of some half-open ranges, one range after the other.

    >>> ranges(np.array([2, 7]), np.array([5, 8])).tolist()
    [2, 3, 4, 7]
    """
    lengths = ends - starts
    offsets = np.cumsum(lengths) - lengths
    return np.repeat(starts - offsets, lengths) + np.arange(lengths.sum())
