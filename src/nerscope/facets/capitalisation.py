"""How a mention is capitalised."""

import unicodedata

import numpy as np

from nerscope.corpus.arrays import Ints
from nerscope.corpus.units import MENTION
from nerscope.facets.facet import FACETS, Facet, Level, View

ALL_CAPITALS, INITIAL, LOWER, MIXED, NO_CASE = range(5)


def _code(text: str) -> int:
    """The code of one mention.

    >>> [_code(text) for text in ("U.S.", "Bank of Peru", "the", "iPhone", "東京")]
    [0, 1, 2, 3, 4]
    """
    cased = [at for at, letter in enumerate(text) if letter != letter.lower() or letter.islower()]
    capitals = [at for at in cased if not text[at].islower()]
    if not cased:
        return NO_CASE
    if not capitals:
        return LOWER
    if capitals == cased:
        return ALL_CAPITALS
    begins = capitals[0] == cased[0] and all(_begins_word(text, at) for at in capitals)
    return INITIAL if begins else MIXED


def _begins_word(text: str, at: int) -> bool:
    # A combining mark (such as an accent) belongs to the letter before it.
    return at == 0 or unicodedata.category(text[at - 1])[0] not in "LM"


def _codes(view: View) -> Ints:
    return np.array([_code(text) for text in view.texts()], np.int8)


CAPITALISATION = Facet(
    name="capitalisation",
    title="Capitalisation",
    phrase="capitalisation of the mention",
    definition="How a mention is capitalised: all capitals, initial capitals, lower case, mixed, "
    "or no letters that have case.",
    unit=MENTION,
    levels=(
        Level(
            "all-capitals",
            (ALL_CAPITALS,),
            "mentions in capitals",
            "Mentions whose letters are all capitals: NATO, U.S., 3M.",
        ),
        Level(
            "initial-capital",
            (INITIAL,),
            "mentions with initial capitals",
            "Mentions that begin with a capital and have no capital inside a word: Oslo, "
            "Bank of Peru, Jean-Paul.",
        ),
        Level(
            "lower-case",
            (LOWER,),
            "mentions in lower case",
            "Mentions without a capital: aspirin, 1st floor.",
        ),
        Level(
            "mixed-case",
            (MIXED,),
            "mentions in mixed case",
            "Mentions with a capital inside a word, or after a first letter in lower case: "
            "iPhone, McDonald, the Hague.",
        ),
        Level(
            "no-case",
            (NO_CASE,),
            "mentions without letters that have case",
            "Mentions whose characters have no case: 2026, 東京.",
        ),
    ),
    codes=_codes,
)
FACETS.add(CAPITALISATION.name, CAPITALISATION, built_in=True, rank=50)
