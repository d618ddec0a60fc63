"""Keys that are equal if two records or sentences are the same text, apart from blanks.

Tokenisers and annotation tools differ in blanks, so "Ada spoke." and the tokens `Ada`, `spoke` and
`.` are the same text. Two texts are the same if their keys are equal.
"""

import re
from collections.abc import Callable, Iterable, Sequence

import numpy as np

from nerscope.corpus.arrays import Ints
from nerscope.corpus.corpus import Corpus

_DIGITS = re.compile(r"\d+")


def without_blanks(text: str) -> str:
    """The text without blanks.

    >>> without_blanks("New  York")
    'NewYork'
    """
    return "".join(text.split())


def text_key(text: str | Iterable[str]) -> str:
    """The key of a text, which is given as a string or as tokens.

    >>> text_key("Ada spoke.") == text_key(["Ada", "spoke", "."])
    True
    """
    return without_blanks(text if isinstance(text, str) else "".join(text))


def near_text_key(text: str | Iterable[str]) -> str:
    """A key that ignores case and the values of numbers: each run of digits counts as one 0.

    >>> near_text_key("MARCH 1996") == near_text_key(["March", "7"])
    True
    """
    words = text.split() if isinstance(text, str) else text
    return text_key(_DIGITS.sub("0", word.casefold()) for word in words)


def sentence_codes(corpora: Sequence[Corpus], key: Callable[[str], str] = text_key) -> list[Ints]:
    """A code for each sentence of each corpus; sentences with the same key have the same code.

    >>> corpora = [Corpus.of([(words.split(), [])]) for words in ("Ada spoke .", "Ada spoke.")]
    >>> [codes.tolist() for codes in sentence_codes(corpora)]
    [[0], [0]]
    """
    numbers: dict[str, int] = {}
    # The key of a sentence is made of the keys of its tokens; each distinct token is keyed once.
    keys = (corpus.texts("", key) for corpus in corpora)
    return [
        np.array([numbers.setdefault(text, len(numbers)) for text in texts], np.int64)
        for texts in keys
    ]
