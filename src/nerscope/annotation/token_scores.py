"""Agreement over tokens: the class of each token, and κ and α with their intervals."""

from collections.abc import Iterator
from itertools import combinations, product

import numpy as np

from nerscope.annotation.agreement import AgreementScore
from nerscope.annotation.texts import AnnotatedTexts
from nerscope.corpus.arrays import Bools, Ints
from nerscope.corpus.mentions import Mentions
from nerscope.corpus.units import ALL, TOKEN
from nerscope.scoring.folding import groups_of
from nerscope.stats.chance import (
    ALPHA,
    ANNOTATED,
    COHEN,
    FLEISS,
    MISSING,
    Clusters,
    Coefficient,
    cohen_kappa,
    fleiss_kappa,
    krippendorff_alpha,
)

OUTSIDE = 0  # the class of tokens outside mentions; other classes are 1 + the code of the type


def token_classes(mentions: Mentions, n_tokens: int, type_ranks: Ints) -> Ints:
    """The class of each token: the type of its outermost mention.

    The outermost mention is the longest; of equally long ones, the first, and of equal spans, the
    one whose type comes first in `type_ranks`.

    >>> bank = Mentions(np.array([0, 2]), np.array([3, 3]), np.array([1, 0]))
    >>> token_classes(bank, 4, np.array([0, 1])).tolist()
    [2, 2, 2, 0]
    """
    placed = mentions.placed
    inner_first = np.lexsort((-type_ranks[placed.type], -placed.start, placed.lengths))
    ordered = placed[inner_first]
    classes = np.full(n_tokens, OUTSIDE, np.int64)
    # Of several values for a token, numpy keeps the last: that of the outermost mention.
    classes[ordered.positions] = np.repeat(ordered.type.astype(np.int64) + 1, ordered.lengths)
    return classes


def all_token_classes(texts: AnnotatedTexts) -> Ints:
    """The class of each token for each annotator and system; MISSING where a text is missing."""
    types = np.array(texts.types, object)
    ranks = np.argsort(np.argsort(types)) if len(types) else np.zeros(0, np.int64)
    n_tokens, sentence = texts.corpus.n_tokens, texts.sentence_of_token
    rows = [
        np.where(present[sentence], token_classes(own, n_tokens, ranks), MISSING)
        for own, present in zip(texts.mentions, texts.present, strict=True)
    ]
    return np.stack(rows)


def token_scores(texts: AnnotatedTexts) -> Iterator[AgreementScore]:
    """Cohen's κ of every pair, and Fleiss' κ and Krippendorff's α of all annotators.

    Each is computed over all tokens, and over those that one of the compared annotators has put
    inside a mention.
    """
    classes, n_classes = all_token_classes(texts), len(texts.types) + 1
    cluster = groups_of(texts.cluster)
    clusters = Clusters(cluster[texts.sentence_of_token], int(cluster.max()) + 1)
    annotators, systems = classes[: texts.n_annotators], range(texts.n_annotators, len(classes))
    pairs = [*combinations(range(len(annotators)), 2), *product(range(len(annotators)), systems)]
    for suffix in ("", ANNOTATED):
        for a, b in pairs:
            chosen = _chosen(classes[[a, b]], suffix)
            first, second = classes[a, chosen], classes[b, chosen]
            kappa = cohen_kappa(first, second, clusters.chosen(chosen), n_classes)
            yield _score(COHEN + suffix, kappa, texts.names[a], texts.names[b])
        chosen = _chosen(annotators, suffix)
        for name, coefficient in ((FLEISS, fleiss_kappa), (ALPHA, krippendorff_alpha)):
            every = coefficient(annotators[:, chosen], clusters.chosen(chosen), n_classes)
            yield _score(name + suffix, every, None, None)


def _chosen(classes: Ints, suffix: str) -> Bools:
    """The tokens of a coefficient; the suffix says whether it counts annotated ones only."""
    if not suffix:
        return np.ones(classes.shape[1], bool)
    return np.asarray((classes > OUTSIDE).any(axis=0))


def _score(measure: str, coefficient: Coefficient, a: str | None, b: str | None) -> AgreementScore:
    value, interval = coefficient.value, coefficient.interval
    low, high = interval or (None, None)
    known = None if np.isnan(value) else value
    return AgreementScore(
        a, b, measure, TOKEN, ALL, ALL, None, None, known, low, high, coefficient.n
    )
