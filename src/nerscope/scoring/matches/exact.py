"""The exact match: span and type are equal, as in conlleval and seqeval."""

from nerscope.scoring.matching import EXACT, MATCHES, match_factory

_WORDS = (
    "exact",
    "exact match",
    "A match of span and type, as in conlleval and seqeval.",
)
MATCHES.add(EXACT, match_factory(EXACT, None, {}, _WORDS), built_in=True, rank=10)
