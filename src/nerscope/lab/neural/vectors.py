"""Word vectors that others have trained: a text file with a word and its numbers on each line."""

from collections.abc import Iterable
from pathlib import Path

import numpy as np

from nerscope.corpus.arrays import Floats
from nerscope.errors import FormatError, InputError

_HEAD = 2  # lines that tell how many numbers a word has; with more fields, its word has blanks
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
            if number <= _HEAD:  # word2vec begins with two sizes
                size = max(size, len(line.split()) - 1)
            word, _, rest = line.partition(" ")
            fields = rest.count(" ") + 1
            if word in wanted and (number > 1 or fields > 1) and fields <= size:
                found[word] = _numbers(rest, size, f"{path}:{number}")
    return found


def _numbers(text: str, size: int, place: str) -> Floats:
    try:
        vector = np.array(text.split(), np.float64)
    except ValueError:
        vector = np.zeros(0)
    if len(vector) != size or not np.isfinite(vector).all():
        raise FormatError(place, "this is no word vector like those before", _FORM)
    return vector
