"""Features of words as strings, from their spelling and their neighbours.

The module name begins with an underscore because it is not a recipe: discovery skips it.
"""

from functools import lru_cache
from itertools import groupby

_EDGE = "\0"  # pads a sentence on either side; no word is equal to it
_AFFIXES = range(1, 5)  # lengths in letters
_CACHED_WORDS = 1 << 18  # words repeat a lot (Zipf): caching makes features several times faster


def shape(word: str) -> str:
    """The word with its letters as X or x, and its digits as 0.

    >>> shape("McDonald's"), shape("F-16s")
    ("XxXxxxxx'x", 'X-00x')
    """
    return "".join(map(_letter_class, word))


@lru_cache(_CACHED_WORDS)
def outline(word: str) -> str:
    """The shape with each run of equal letters shortened to one.

    >>> outline("McDonald's"), outline("1996-08-22")
    ("XxXx'x", '0-0-0')
    """
    return "".join(kind for kind, _ in groupby(shape(word)))


def _letter_class(letter: str) -> str:
    if letter.isalpha():
        return "X" if letter.isupper() else "x"
    return "0" if letter.isdigit() else letter


def features(words: list[str]) -> list[list[str]]:
    """The features of each word: its spelling, its neighbours, pairs of words.

    Every word has the same number of features, so that they fit into an array.

    >>> first, second = features(["Ada", "spoke"])
    >>> first[:4]
    ['word=Ada', 'lower=ada', 'shape=Xxx', 'outline=Xx']
    >>> [feature for feature in second if feature.startswith(("-1:", "-1,0:"))]
    ['-1:word=Ada', '-1:lower=ada', '-1:outline=Xx', '-1,0:lower=ada|spoke', '-1,0:outline=Xx|x']
    """
    padded = [_EDGE, _EDGE, *words, _EDGE, _EDGE]
    windows = (padded[place : place + 5] for place in range(len(words)))
    return [_window_features(*window) for window in windows]


def _window_features(before: str, left: str, word: str, right: str, behind: str) -> list[str]:
    return [
        *_spelling(word),
        *_neighbour("-2", before),
        *_neighbour("-1", left),
        *_neighbour("+1", right),
        *_neighbour("+2", behind),
        *_pair("-1,0", left, word),
        *_pair("0,+1", word, right),
        *_pair("-1,+1", left, right),
    ]


@lru_cache(_CACHED_WORDS)
def _spelling(word: str) -> list[str]:
    return [
        f"word={word}",
        f"lower={word.lower()}",
        f"shape={shape(word)}",
        f"outline={outline(word)}",
        *(f"prefix{size}={word[:size]}" for size in _AFFIXES),
        *(f"suffix{size}={word[-size:]}" for size in _AFFIXES),
    ]


@lru_cache(_CACHED_WORDS)
def _neighbour(place: str, word: str) -> list[str]:
    lower, outlined = _forms(word)
    return [f"{place}:word={word}", f"{place}:lower={lower}", f"{place}:outline={outlined}"]


def _pair(places: str, left: str, right: str) -> list[str]:
    (left_lower, left_outline), (right_lower, right_outline) = _forms(left), _forms(right)
    return [
        f"{places}:lower={left_lower}|{right_lower}",
        f"{places}:outline={left_outline}|{right_outline}",
    ]


@lru_cache(_CACHED_WORDS)
def _forms(word: str) -> tuple[str, str]:
    return word.lower(), outline(word)
