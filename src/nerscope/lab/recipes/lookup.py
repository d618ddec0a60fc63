"""The recipe `lookup`: the baseline of the CoNLL shared tasks."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Literal

from nerscope.corpus.schemes import OUTSIDE_LABEL
from nerscope.lab.recipe import Lesson, Tagged, built_in_recipe

_Words = tuple[str, ...]


@built_in_recipe("lookup", title="Lookup of training mentions", rank=15, random=False)
def lookup(
    lesson: Lesson,
    *,
    ambiguous: Annotated[
        Literal["skip", "frequent"], "mentions of several types: skip, or use the most frequent"
    ] = "skip",
) -> list[list[str]]:
    """Label every occurrence of a training mention, the longest mentions first.

    By default only mentions with one type in training are used, as the shared task of CoNLL-2003
    describes its baseline. Its published scores (F1 59.61 on the English test set) are those of
    `ambiguous="frequent"`. The recipe is deterministic.
    """
    counts: defaultdict[_Words, Counter[str]] = defaultdict(Counter)
    for sentence in lesson.train:
        for words, type_ in _mentions(sentence):
            counts[words][type_] += 1
    types = {
        words: max(sorted(found), key=found.__getitem__)  # the first of equally frequent types
        for words, found in counts.items()
        if len(found) == 1 or ambiguous == "frequent"
    }
    longest = max(map(len, types), default=0)
    return [_labels(words, types, longest) for words in lesson.test]


def _mentions(sentence: Tagged) -> Iterator[tuple[_Words, str]]:
    """The words and the type of each mention; labels are in the scheme bio."""
    start = 0
    for here, label in enumerate([*sentence.labels, OUTSIDE_LABEL]):
        if label.startswith("I-"):
            continue
        if start < here and sentence.labels[start] != OUTSIDE_LABEL:
            yield tuple(sentence.words[start:here]), sentence.labels[start][2:]
        start = here


def _labels(words: Sequence[str], types: Mapping[_Words, str], longest: int) -> list[str]:
    labels = [OUTSIDE_LABEL] * len(words)
    for size in range(min(longest, len(words)), 0, -1):
        for start in range(len(words) - size + 1):
            type_ = types.get(tuple(words[start : start + size]))
            is_free = all(label == OUTSIDE_LABEL for label in labels[start : start + size])
            if type_ is not None and is_free:
                labels[start : start + size] = [f"B-{type_}", *[f"I-{type_}"] * (size - 1)]
    return labels
