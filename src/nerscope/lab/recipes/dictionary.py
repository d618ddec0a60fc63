"""What memory alone can do: each word is labelled as it was most often in training."""

from collections import Counter, defaultdict
from itertools import pairwise

from nerscope.corpus.schemes import OUTSIDE_LABEL
from nerscope.lab.recipe import Lesson, built_in_recipe


@built_in_recipe("dictionary", random=False)
def dictionary(lesson: Lesson) -> list[list[str]]:
    """Each word gets the type it had most often in training, unknown words none."""
    inside: defaultdict[str, Counter[str]] = defaultdict(Counter)
    outside: Counter[str] = Counter()
    for words, labels in lesson.train:
        for word, label in zip(words, labels, strict=True):
            if label == OUTSIDE_LABEL:
                outside[word] += 1
            else:
                inside[word][label[2:]] += 1
    # As in HardEval, a word that is inside mentions as often as outside counts as inside.
    types = {
        word: _most_frequent(found)
        for word, found in inside.items()
        if found.total() >= outside[word]
    }
    return [_spelt([types.get(word, OUTSIDE_LABEL) for word in words]) for words in lesson.test]


def _most_frequent(found: Counter[str]) -> str:
    return max(sorted(found), key=found.__getitem__)


def _spelt(types: list[str]) -> list[str]:
    """Neighbours of one type are one mention."""
    return [
        kind if kind == OUTSIDE_LABEL else f"{'I' if kind == before else 'B'}-{kind}"
        for before, kind in pairwise([OUTSIDE_LABEL, *types])
    ]
