"""Word vectors that others have trained: a text file with a word and its numbers on each line."""

from collections.abc import Iterable
from pathlib import Path

import numpy as np

from nerscope.corpus.arrays import Floats
from nerscope.errors import FormatError, InputError

_FORM = "give a text file with a word and its numbers on each line, separated by blanks"


def vectors_of(path: Path | str, words: Iterable[str]) -> dict[str, Floats]:
    """The vectors of words, or of their lower-case forms; a word that has none is left out."""
    words = set(words)
    found = _read(Path(path), words | {word.lower() for word in words})
    known = {word: found[form] for word in words for form in (word.lower(), word) if form in found}
    if not known:
        raise InputError(str(path), "it has no vector for any word of the data", _FORM)
    return known


def _read(path: Path, wanted: set[str]) -> dict[str, Floats]:
    if not path.is_file():
        raise InputError(str(path), "no such file", "check the path")
    found: dict[str, Floats] = {}
    size = 0
    # What is wanted are few of very many lines: the others are not looked at closely.
    with path.open(encoding="utf-8", errors="replace", newline="\n") as lines:
        for number, line in enumerate(lines, 1):
            word, _, rest = line.partition(" ")
            if word in wanted and (number > 1 or rest.count(" ")):  # word2vec begins with two sizes
                found[word] = _numbers(rest, size, f"{path}:{number}")
                size = len(found[word])
    return found


def _numbers(text: str, size: int, place: str) -> Floats:
    try:
        vector = np.array(text.split(), np.float64)
    except ValueError:
        vector = np.zeros(0)
    if not len(vector) or len(vector) != (size or len(vector)) or not np.isfinite(vector).all():
        raise FormatError(place, "this is no word vector like those before", _FORM)
    return vector
