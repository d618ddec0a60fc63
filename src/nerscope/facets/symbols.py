"""Whether a mention holds digits or punctuation."""

import unicodedata

import numpy as np

from nerscope.corpus.arrays import Ints
from nerscope.corpus.units import MENTION
from nerscope.facets.facet import FACETS, Facet, Level, View

DIGITS, PUNCTUATION = 1, 2  # 3 is both, 0 neither


def _code(text: str) -> int:
    """The code of one mention.

    >>> [_code(text) for text in ("Oslo", "Boeing 747", "AT&T", "F-16")]
    [0, 1, 2, 3]
    """
    kinds = {unicodedata.category(letter)[0] for letter in text}
    return DIGITS * ("N" in kinds) + PUNCTUATION * bool(kinds & {"P", "S"})


def _codes(view: View) -> Ints:
    return np.array([_code(text) for text in view.texts()], np.int8)


SYMBOLS = Facet(
    name="symbols",
    title="Digits and punctuation",
    phrase="digits and punctuation in the mention",
    definition="Whether a mention holds digits or punctuation. One that holds both counts at both "
    "levels.",
    unit=MENTION,
    levels=(
        Level(
            "no-symbols",
            (0,),
            "mentions without digits and punctuation",
            "Mentions that hold neither digits nor punctuation: Oslo.",
        ),
        Level(
            "with-digits",
            (DIGITS, DIGITS + PUNCTUATION),
            "mentions with digits",
            "Mentions that hold a digit or another number sign: Boeing 747, Henry Ⅷ.",
        ),
        Level(
            "with-punctuation",
            (PUNCTUATION, DIGITS + PUNCTUATION),
            "mentions with punctuation",
            "Mentions that hold a punctuation mark or a symbol: AT&T, O'Brien, U.S.",
        ),
    ),
    codes=_codes,
)
FACETS.add(SYMBOLS.name, SYMBOLS, built_in=True, rank=51)
