"""The recipe `dictionary`: a baseline that memorises the words of the training data."""

from collections import Counter, defaultdict
from itertools import pairwise

from nerscope.corpus.schemes import OUTSIDE_LABEL
from nerscope.lab.recipe import Lesson, built_in_recipe


@built_in_recipe("dictionary", title="Dictionary of training words", rank=10, random=False)
def dictionary(lesson: Lesson) -> list[list[str]]:
    """Give each word its most frequent type in training; unknown words get none.

    Neighbouring words of one type form one mention. The recipe is deterministic.
    """
    inside: defaultdict[str, Counter[str]] = defaultdict(Counter)
    outside: Counter[str] = Counter()
    for words, labels in lesson.train:
        for word, label in zip(words, labels, strict=True):
            if label == OUTSIDE_LABEL:
                outside[word] += 1
            else:
                inside[word][label[2:]] += 1
    # As in HardEval, a word that is as often inside mentions as outside counts as inside.
    types = {
        word: _most_frequent(counts)
        for word, counts in inside.items()
        if counts.total() >= outside[word]
    }
    return [_labels([types.get(word, OUTSIDE_LABEL) for word in words]) for words in lesson.test]


def _most_frequent(counts: Counter[str]) -> str:
    return max(sorted(counts), key=counts.__getitem__)  # the first of equally frequent types


def _labels(types: list[str]) -> list[str]:
    """Types as labels in the scheme bio; neighbours of one type form one mention."""
    return [
        type_ if type_ == OUTSIDE_LABEL else f"{'I' if type_ == before else 'B'}-{type_}"
        for before, type_ in pairwise([OUTSIDE_LABEL, *types])
    ]
