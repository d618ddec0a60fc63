"""How large a split is: sentences, tokens, documents, mentions, types, lengths."""

from typing import Any

import numpy as np

from nerscope.corpus.arrays import Ints
from nerscope.corpus.corpus import Corpus
from nerscope.dataset.splits import Split


def sizes(split: Split) -> dict[str, Any]:
    """What can be counted in a split without looking at another."""
    corpus, mentions = split.corpus, split.mentions
    return {
        "name": corpus.name,
        "sentences": len(corpus),
        "tokens": corpus.n_tokens,
        "distinct_tokens": len(np.unique(corpus.tokens)),
        "documents": _documents(corpus),
        "mentions": len(mentions),
        "distinct_surfaces": len(np.unique(split.view.surface)),
        "types": _types(split),
        "mention_length": _spread(mentions.lengths),
        "sentence_length": _spread(np.diff(corpus.starts)),
    }


def _documents(corpus: Corpus) -> int | None:
    """How many documents there are; undefined where nothing marks them."""
    return len(np.unique(corpus.documents)) if corpus.documents.any() else None


def _types(split: Split) -> list[dict[str, Any]]:
    """The types of mentions with their counts and shares, most frequent first."""
    counts = np.bincount(split.mentions.type, minlength=len(split.types)).tolist()
    ranked = sorted(zip(split.types, counts, strict=True), key=lambda one: (-one[1], one[0]))
    total = len(split.mentions)
    return [{"type": name, "n": n, "share": n / total} for name, n in ranked if n]


def _spread(lengths: Ints) -> dict[str, float | None]:
    """Mean, median and maximum; undefined of nothing."""
    if not len(lengths):
        return dict.fromkeys(("mean", "median", "max"))
    return {
        "mean": float(lengths.mean()),
        "median": float(np.median(lengths)),
        "max": int(lengths.max()),
    }
