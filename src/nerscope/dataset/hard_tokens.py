"""The most frequent hard tokens of a test set, with how training labels them."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from nerscope.corpus.corpus import Coding
from nerscope.corpus.lexicon import lexicon_of
from nerscope.corpus.lookup import lookup
from nerscope.corpus.mentions import check_repair
from nerscope.dataset.describe import read_whole, view_of
from nerscope.facets.facet import Facet
from nerscope.facets.hard import HARD, HARD_STRICT
from nerscope.facets.view import View
from nerscope.formats.base import CorpusLike


def hard_tokens(
    train: CorpusLike, test: CorpusLike, *, most: int = 10, repair: str = "conlleval"
) -> list[dict[str, Any]]:
    """The most frequent tokens of each subset of hard tokens.

    >>> train = [(["May", "came"], ["O", "O"])]
    >>> hard_tokens(train, [(["May", "left"], ["B-PER", "O"])])[0]["token"]
    'left'
    """
    check_repair(repair)
    coding = Coding()
    lexicon = lexicon_of(read_whole(train, "<train>", coding), repair)
    view, _ = view_of(read_whole(test, "<test>", coding), lexicon, repair)
    return [row for facet in (HARD, HARD_STRICT) for row in _rows(facet, view, most)]


def _rows(facet: Facet, view: View, most: int) -> Iterator[dict[str, Any]]:
    codes, tokens = facet.checked_codes(view), view.sentences.corpus.tokens
    for level, members in facet.levels.items():
        if len(members) > 1 or level == "other":
            continue
        found, counts = np.unique(tokens[codes == members[0]], return_counts=True)
        words = view.sentences.corpus.coding.tokens.strings(found)
        ranked = sorted(
            zip(counts.tolist(), words, found.tolist(), strict=True),
            key=lambda item: (-item[0], item[1]),
        )
        for count, word, code in ranked[:most]:
            yield {
                "facet": facet.name,
                "level": level,
                "token": word,
                "count": count,
                "training labels": _training_labels(view, code),
            }


def _training_labels(view: View, token: int) -> str:
    """How often training has a token outside of mentions, and inside those of each type."""
    key = np.array([token])
    inside = lookup(view.lexicon.inside_counts, key)[0].tolist()
    total, anywhere = view.lexicon.token_counts, view.lexicon.inside_totals
    outside = int(lookup(total, key)[0] - lookup(anywhere, key)[0])
    types = view.sentences.corpus.coding.labels.types
    labels = [("O", outside), *zip(types, inside, strict=False)]
    return ", ".join(f"{name} {count}" for name, count in labels if count) or "–"
