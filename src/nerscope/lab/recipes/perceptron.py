"""The recipe `perceptron`: an averaged perceptron that labels from left to right, in numpy."""

from collections import defaultdict
from collections.abc import Sequence
from typing import Annotated, NamedTuple

import numpy as np
from numpy.typing import NDArray

from nerscope.corpus.arrays import Floats, Ints
from nerscope.corpus.schemes import OUTSIDE_LABEL
from nerscope.errors import plural
from nerscope.lab.recipe import Lesson, built_in_recipe
from nerscope.lab.recipes._features import features, outline

_OUTSIDE = 0  # the code of the label O
Weights = NDArray[np.float32]


@built_in_recipe("perceptron", title="Averaged perceptron", rank=20)
def perceptron(
    lesson: Lesson, *, rounds: Annotated[int, "passes over the training data", 1] = 5
) -> list[list[str]]:
    """Greedy averaged perceptron over shapes, affixes, context and previous labels.

    It needs only numpy. Each word gets the label with the highest score, given the previous two
    labels.
    """
    labels = sorted(lesson.labels, key=OUTSIDE_LABEL.__ne__)  # O first, so that its code is 0
    codes = _FeatureCodes([words for words, _ in lesson.train])
    gold = [[labels.index(label) for label in sentence.labels] for sentence in lesson.train]
    examples = list(zip(codes.train, gold, strict=True))
    model = _train(_initial_model(codes, labels), examples, rounds, lesson)
    predicted = [model.predict(codes.encode(words)) for words in lesson.test]
    if lesson.probabilities is not None:
        lesson.probabilities.extend(_probabilities(predicted, labels, lesson.labels))
    return [[labels[code] for code in sentence.labels] for sentence in predicted]


def _probabilities(
    predicted: Sequence["_Prediction"], labels: list[str], columns: list[str]
) -> list[Floats]:
    """Scores as probabilities, in the order of `columns`.

    Scores have no natural unit. Their unit is the mean lead of the best label over the second one,
    so that a word with a mean lead gets its best label with a probability of about 0.7.
    """
    scores = [sentence.scores for sentence in predicted]
    every = np.concatenate([np.zeros((0, len(labels))), *scores])
    ordered = np.sort(np.where(np.isfinite(every), every, -np.inf), axis=1)
    leads = ordered[:, -1] - ordered[:, -2] if len(labels) > 1 else np.zeros(len(every))
    finite = leads[np.isfinite(leads)]
    unit = float(finite.mean()) if len(finite) and finite.mean() > 0 else 1.0
    order = [labels.index(label) for label in columns]
    return [_softmax(table / unit)[:, order] for table in scores]


def _softmax(scores: Floats) -> Floats:
    powers = np.exp(scores - scores.max(axis=1, keepdims=True, initial=0.0))
    shares: Floats = powers / powers.sum(axis=1, keepdims=True)
    return shares


class _CodedSentence(NamedTuple):
    """A sentence as codes: the indices of the weights that its words use."""

    features: Ints  # word × feature
    outlines: Ints  # by word


class _FeatureCodes:
    """A code for each feature and each outline of the training data; 0 for all others."""

    def __init__(self, train: Sequence[list[str]]) -> None:
        # While the training data are encoded, a missing key gets the next code. Afterwards the
        # factories are replaced by int, which gives 0 for new features.
        self._features: defaultdict[str, int] = defaultdict(lambda: len(self._features) + 1)
        self._outlines: defaultdict[str, int] = defaultdict(lambda: len(self._outlines) + 1)
        self.train = [self.encode(words) for words in train]
        self.n_features, self.n_outlines = len(self._features) + 1, len(self._outlines) + 1
        self._features.default_factory = self._outlines.default_factory = int

    def encode(self, words: list[str]) -> _CodedSentence:
        codes = [[self._features[feature] for feature in word] for word in features(words)]
        outlines = [self._outlines[outline(word)] for word in words]
        return _CodedSentence(np.array(codes, np.int32), np.array(outlines, np.int32))


class _Perceptron(NamedTuple):
    """Weights; the last axis of each array is the label."""

    features: Weights  # feature × label
    previous: Weights  # outline of a word × label before it × label
    earlier: Weights  # label two words before × label

    def predict(self, sentence: _CodedSentence) -> "_Prediction":
        """The best label of each word, given the labels already chosen."""
        if not len(sentence.outlines):
            return _Prediction([], np.zeros((0, self.earlier.shape[0])))
        by_features = self.features[sentence.features].sum(axis=1)
        scores = by_features[:, None] + self.previous[sentence.outlines]
        labels = [_OUTSIDE, _OUTSIDE]  # two labels before the first word
        chosen = np.empty(scores.shape[::2], np.float32)
        for row, after in zip(chosen, scores, strict=True):
            row[:] = after[labels[-1]] + self.earlier[labels[-2]]
            labels.append(int(row.argmax()))
        return _Prediction(labels[2:], chosen)

    def update(self, error: "_Error", by: float) -> None:
        """Raise the score of the gold label, and lower that of the predicted label."""
        for label, change in ((error.right, by), (error.predicted, -by)):
            self.features[error.features, label] += change
            self.previous[error.outline, error.previous, label] += change
            self.earlier[error.earlier, label] += change


class _Prediction(NamedTuple):
    """The label of each word, and the scores of all labels it was chosen from."""

    labels: list[int]
    scores: Floats


class _Error(NamedTuple):
    """A word with a wrong label, and the codes of its features."""

    features: Ints
    outline: int
    previous: int
    earlier: int
    predicted: int
    right: int


def _initial_model(codes: _FeatureCodes, labels: list[str]) -> _Perceptron:
    """All weights are 0, except minus infinity where an I would continue another type.

    No update changes minus infinity, so such a label is never chosen.
    """
    fits = [[label[0] != "I" or label[1:] == before[1:] for label in labels] for before in labels]
    forbidden = np.where(fits, 0, -np.inf).astype(np.float32)
    return _Perceptron(
        np.zeros((codes.n_features, len(labels)), np.float32),
        np.repeat(forbidden[None], codes.n_outlines, axis=0),
        np.zeros((len(labels), len(labels)), np.float32),
    )


def _train(
    model: _Perceptron,
    examples: list[tuple[_CodedSentence, list[int]]],
    rounds: int,
    lesson: Lesson,
) -> _Perceptron:
    """Train, and return the mean of the weights over all steps; a step is one sentence.

    The mean needs no sum over all weights at every step. An update u at step t is part of the
    weights in n - t of n steps. So the mean is the last weights minus 1/n times the sum of all t·u;
    `delayed` is this sum.
    """
    delayed = _Perceptron(*map(np.zeros_like, model))
    random = np.random.default_rng(lesson.seed)
    moment = 1
    for number in range(1, rounds + 1):
        n_errors = 0
        for place in random.permutation(len(examples)).tolist():
            for error in _errors(model, *examples[place]):
                model.update(error, 1)
                delayed.update(error, moment)
                n_errors += 1
            moment += 1
        lesson.say(f"round {number}: {plural(n_errors, 'word')} wrong")
    n = np.float32(moment)
    return _Perceptron(*(last - late / n for last, late in zip(model, delayed, strict=True)))


def _errors(model: _Perceptron, sentence: _CodedSentence, gold: list[int]) -> list[_Error]:
    labels = model.predict(sentence).labels
    history = [_OUTSIDE, _OUTSIDE, *labels]
    return [
        _Error(
            sentence.features[place],
            int(sentence.outlines[place]),
            history[place + 1],
            history[place],
            predicted,
            right,
        )
        for place, (predicted, right) in enumerate(zip(labels, gold, strict=True))
        if predicted != right
    ]
