"""The recipe `crf`: a conditional random field over spelling features, with python-crfsuite."""

from itertools import pairwise
from typing import Annotated, Any

import numpy as np

from nerscope.corpus.arrays import Floats
from nerscope.corpus.schemes import OUTSIDE_LABEL
from nerscope.lab.recipe import Lesson, built_in_recipe
from nerscope.lab.recipes._features import features


@built_in_recipe(
    "crf",
    title="Conditional random field",
    rank=30,
    random=False,  # L-BFGS is deterministic
    needs={"pycrfsuite": "python-crfsuite"},
    extra="crf",
)
def crf(
    lesson: Lesson,
    *,
    rounds: Annotated[int, "maximum number of passes over the training data", 1] = 30,
    l1: Annotated[float, "weight of the L1 penalty, which removes features", 0] = 0.1,
    l2: Annotated[float, "weight of the L2 penalty, which keeps weights small", 0] = 0.1,
    rare: Annotated[int, "minimum frequency of a feature", 1] = 2,
) -> list[list[str]]:
    """Conditional random field over words, shapes, affixes and neighbours.

    The features are those of `perceptron`; L-BFGS with L1 and L2 penalties trains the weights.
    """
    from pycrfsuite import Tagger, Trainer

    if not any(words for words, _ in lesson.train):  # crfsuite would crash the process
        return [[OUTSIDE_LABEL] * len(words) for words in lesson.test]
    trainer = Trainer(algorithm="lbfgs", verbose=False)
    trainer.set_params({"max_iterations": rounds, "c1": l1, "c2": l2, "feature.minfreq": rare})
    for words, labels in lesson.train:
        trainer.append(features(words), labels)
    model = str(lesson.folder / "crf.model")
    trainer.train(model)
    tagger = Tagger()
    tagger.open(model)
    tagged = []
    for words in lesson.test:
        tagged.append(_begin_mentions(tagger.tag(features(words))))
        if lesson.probabilities is not None:
            lesson.probabilities.append(_marginals(tagger, lesson.labels, len(words)))
    return tagged


def _marginals(tagger: Any, labels: list[str], n_words: int) -> Floats:
    """The probability of each label for each word of the sentence that was tagged last."""
    known = set(tagger.labels())  # O is always in `labels`, but may be missing in training
    rows = [
        [tagger.marginal(label, place) if label in known else 0.0 for label in labels]
        for place in range(n_words)
    ]
    return np.array(rows, np.float64).reshape(n_words, len(labels))


def _begin_mentions(labels: list[str]) -> list[str]:
    """Change an I that does not continue a mention of its type to B.

    >>> _begin_mentions(["O", "I-PER", "I-PER", "I-LOC"])
    ['O', 'B-PER', 'I-PER', 'B-LOC']
    """
    return [
        f"B{label[1:]}" if label[0] == "I" and before[1:] != label[1:] else label
        for before, label in pairwise([OUTSIDE_LABEL, *labels])
    ]
