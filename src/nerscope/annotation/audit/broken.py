"""Sentences and tokens that are cut wrongly: cheap checks of their form."""

from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from nerscope.annotation.audit.material import LabelledText, Material
from nerscope.corpus.arrays import Ints

# Such breaks are often intended, in headlines and lists.
_DIVIDED_SCORE, _CUT_SCORE, _GLUED_SCORE = 0.05, 0.03, 0.03
_MOST_CUT = 0.05  # of all sentences
_LONGEST = 8  # tokens of a mention that is looked for over a break


class BrokenPlace(NamedTuple):
    """A place that looks cut wrongly, by the token where it begins."""

    token: int
    score: float
    reason: str


def find_broken(material: Material, with_words: bool = True) -> Iterator[BrokenPlace]:
    """Sentences that seem cut in the middle, and tokens that seem to be two words."""
    yield from _cut_sentences(material, with_words)
    yield from _glued_tokens(material.gold, with_words)


def _cut_sentences(material: Material, with_words: bool) -> Iterator[BrokenPlace]:
    """Breaks inside a mention that is whole elsewhere, or before a small letter."""
    corpus, mentions = material.gold.corpus, material.gold.mentions
    words = corpus.words_at(slice(0, corpus.n_tokens))
    ends_at = dict(zip(mentions.end.tolist(), mentions.start.tolist(), strict=True))
    begins_at = dict(zip(mentions.start.tolist(), mentions.end.tolist(), strict=True))
    whole = _surfaces([material.gold, *material.training])
    starts = corpus.starts.tolist()
    same_document = (np.diff(corpus.documents) == 0).tolist()
    cut = {
        middle
        for first, middle in pairwise(starts[:-1])
        if _is_cut(words[middle - 1], words[middle], middle - first)
    }
    if len(cut) > _MOST_CUT * len(starts):  # such sentences are usual in these data
        cut = set()
    for sentence, middle in enumerate(starts[1:-1]):
        if not same_document[sentence]:
            continue
        left = ends_at.get(middle, middle)
        right = begins_at.get(middle, min(middle + 1, starts[sentence + 2]))
        joined = " ".join(words[left:right])
        if middle in ends_at and right - left <= _LONGEST and joined in whole:
            what = f"'{joined}'" if with_words else "a mention"
            reason = f"a sentence break divides {what}, which is whole elsewhere"
            # Both sentences are broken.
            yield BrokenPlace(left, _DIVIDED_SCORE, reason)
            yield BrokenPlace(middle, _DIVIDED_SCORE, reason)
        elif middle in cut:
            yield BrokenPlace(middle, _CUT_SCORE, "the sentence begins in the middle of another")


def _surfaces(texts: list[LabelledText]) -> set[str]:
    """The texts of all mentions of several tokens."""
    found = set()
    for corpus, mentions in texts:
        words = corpus.words_at(slice(0, corpus.n_tokens))
        spans: tuple[Ints, Ints] = (mentions.start, mentions.end)
        for start, end in zip(*(column.tolist() for column in spans), strict=True):
            if end - start > 1:
                found.add(" ".join(words[start:end]))
    return found


def _is_cut(last: str, first: str, size: int) -> bool:
    """Whether a sentence of some length stops without a mark and goes on with a small letter."""
    return size > 2 and last[-1:].isalpha() and first.isalpha() and first.islower()


def _glued_tokens(gold: LabelledText, with_words: bool) -> Iterator[BrokenPlace]:
    """Tokens such as "endHe": two words of the data without a blank, the second one capitalised."""
    corpus = gold.corpus
    used, count = np.unique(corpus.tokens, return_counts=True)
    words = corpus.coding.tokens.strings(used)
    frequency = dict(zip(words, count.tolist(), strict=True))
    glued = {
        code: parts
        for code, word in zip(used.tolist(), words, strict=True)
        if frequency[word] == 1 and (parts := _two_words(word, frequency)) is not None
    }
    if not glued:
        return
    for token in np.flatnonzero(np.isin(corpus.tokens, list(glued))).tolist():
        first, second = glued[int(corpus.tokens[token])]
        what = f"'{first}' and '{second}'" if with_words else "two words"
        yield BrokenPlace(token, _GLUED_SCORE, f"the token is {what} without a blank")


def _two_words(word: str, frequency: dict[str, int]) -> tuple[str, str] | None:
    """The two frequent words that a token consists of.

    >>> _two_words("endHe", {"end": 5, "He": 9}), _two_words("McCoy", {"Coy": 3})
    (('end', 'He'), None)
    """
    for at in range(2, len(word) - 1):
        first, second = word[:at], word[at:]
        if (
            second[0].isupper()
            and word[at - 1].islower()
            and frequency.get(first, 0) > 2
            and frequency.get(second, 0) > 2
        ):
            return first, second
    return None
