"""An averaged perceptron that labels a sentence from left to right, in numpy alone."""

from collections import defaultdict
from collections.abc import Sequence
from typing import Annotated, NamedTuple

import numpy as np
from numpy.typing import NDArray

from nerscope.corpus.arrays import Ints
from nerscope.errors import plural
from nerscope.lab.recipe import Lesson, built_in_recipe
from nerscope.lab.recipes.features import features, outline

_OUTSIDE = 0  # the number of the label O
Weights = NDArray[np.float32]


@built_in_recipe("perceptron")
def perceptron(
    lesson: Lesson, *, rounds: Annotated[int, "passes over the training data", 1] = 5
) -> list[list[str]]:
    """Averaged perceptron, greedy, over shapes, affixes, context and previous labels."""
    labels = sorted(lesson.labels, key="O".__ne__)
    numbers = _Numbers([words for words, _ in lesson.train])
    gold = [[labels.index(label) for label in one.labels] for one in lesson.train]
    model = _untrained(numbers, labels)
    model = _trained(model, list(zip(numbers.train, gold, strict=True)), rounds, lesson)
    found = (model.read(numbers.sentence(words)) for words in lesson.test)
    return [[labels[code] for code in codes] for codes in found]


class _Sentence(NamedTuple):
    """A sentence in numbers: which weights its words use."""

    features: Ints  # word × feature
    outlines: Ints  # of each word


class _Numbers:
    """A number for each feature and each outline of training; what is new later gets 0."""

    def __init__(self, train: Sequence[list[str]]) -> None:
        self._features: defaultdict[str, int] = defaultdict(lambda: len(self._features) + 1)
        self._outlines: defaultdict[str, int] = defaultdict(lambda: len(self._outlines) + 1)
        self.train = [self.sentence(words) for words in train]
        self.n_features, self.n_outlines = len(self._features) + 1, len(self._outlines) + 1
        self._features.default_factory = self._outlines.default_factory = int

    def sentence(self, words: list[str]) -> _Sentence:
        """The numbers of a sentence."""
        found = [[self._features[feature] for feature in one] for one in features(words)]
        outlines = [self._outlines[outline(word)] for word in words]
        return _Sentence(np.array(found, np.int32), np.array(outlines, np.int32))


class _Model(NamedTuple):
    """What speaks for each label, which is the last axis of all weights."""

    features: Weights
    before: Weights  # outline of a word × label before it
    earlier: Weights  # label two words before it

    def read(self, sentence: _Sentence) -> list[int]:
        """The best label of each word, given those already found."""
        if not len(sentence.outlines):
            return []
        alone = self.features[sentence.features].sum(axis=1)
        scores = alone[:, None] + self.before[sentence.outlines]
        found = [_OUTSIDE, _OUTSIDE]
        for after in scores:
            found.append(int((after[found[-1]] + self.earlier[found[-2]]).argmax()))
        return found[2:]

    def move(self, step: "_Step", by: float) -> None:
        """Speak more for the label that is right, and less for the one that was found."""
        for label, change in ((step.right, by), (step.found, -by)):
            self.features[step.features, label] += change
            self.before[step.outline, step.before, label] += change
            self.earlier[step.earlier, label] += change


class _Step(NamedTuple):
    """A word that was labelled wrong."""

    features: Ints
    outline: int
    before: int
    earlier: int
    found: int
    right: int


def _untrained(numbers: _Numbers, labels: list[str]) -> _Model:
    """Nothing but that an I continues a mention of its type: minus infinity stays what it is."""
    fits = [[label[0] != "I" or label[1:] == before[1:] for label in labels] for before in labels]
    barred = np.where(fits, 0, -np.inf).astype(np.float32)
    return _Model(
        np.zeros((numbers.n_features, len(labels)), np.float32),
        np.repeat(barred[None], numbers.n_outlines, axis=0),
        np.zeros((len(labels), len(labels)), np.float32),
    )


def _trained(
    model: _Model, examples: list[tuple[_Sentence, list[int]]], rounds: int, lesson: Lesson
) -> _Model:
    """The mean of the weights over all moments: a sentence of a round is one."""
    late = _Model(*map(np.zeros_like, model))  # all steps, times their moments
    random = np.random.default_rng(lesson.seed)
    moment = 1
    for number in range(1, rounds + 1):
        wrong = 0
        for one in random.permutation(len(examples)).tolist():
            for step in _wrong(model, *examples[one]):
                model.move(step, 1)
                late.move(step, moment)
                wrong += 1
            moment += 1
        lesson.say(f"round {number}: {plural(wrong, 'word')} wrong")
    n = np.float32(moment)
    return _Model(*(now - past / n for now, past in zip(model, late, strict=True)))


def _wrong(model: _Model, sentence: _Sentence, gold: list[int]) -> list[_Step]:
    found = model.read(sentence)
    history = [_OUTSIDE, _OUTSIDE, *found]
    return [
        _Step(
            sentence.features[place],
            int(sentence.outlines[place]),
            history[place + 1],
            history[place],
            said,
            right,
        )
        for place, (said, right) in enumerate(zip(found, gold, strict=True))
        if said != right
    ]
