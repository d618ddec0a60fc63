"""A metric that accumulates batches, for training loops in torch and elsewhere."""

from collections.abc import Iterable
from typing import Any

from nerscope.compat.loops import (
    LabelledSentence,
    LabelList,
    Training,
    has_mention,
    label_names,
    loop_evaluator,
    read_batch,
    two_sides,
)
from nerscope.corpus.schemes import OUTSIDE_LABEL
from nerscope.results.results import Results
from nerscope.scoring.metrics import ACCURACY, F1, PRECISION


class NerMetric:
    """A metric over batches; its numbers do not depend on the division into batches.

    Labels are strings or, with `label_list`, ids; gold ids of -100 are ignored. `train` is the
    training data, for tough mentions and hard tokens; the options are the fields of `Settings`.

    >>> metric = NerMetric(["O", "B-PER", "I-PER"])
    >>> metric.update([[1, 0, 0]], [[1, 0, -100]])
    >>> metric.update([[0, 0]], [[1, 0]])
    >>> metric.compute()["recall"]
    0.5
    """

    def __init__(
        self, label_list: LabelList | None = None, *, train: Training = None, **options: Any
    ) -> None:
        self.label_list = None if label_list is None else label_names(label_list)
        self._evaluator = loop_evaluator(train, options, ("label_list", "train"))
        # Plain lists of strings, so that the state can be sent to another process.
        self.state: list[LabelledSentence] = []

    def update(self, preds: Any, target: Any, tokens: Any = None) -> None:
        """Add a batch: labels, ids or scores; gold labels or ids; and the words of each sentence.

        Each may be a list, an array or a tensor. Without `train`, words are not needed.
        """
        self._evaluator.check_tokens(tokens)
        self.state += read_batch(preds, target, tokens, self.label_list)

    def results(self) -> Results:
        """The results of an evaluation of all batches so far."""
        return self._evaluator.results(*two_sides(self.state))

    def compute(self) -> dict[str, float]:
        """The numbers of all batches so far, with the names of `Results.scalars`.

        Undefined numbers are left out. Most numbers are undefined while gold has no mention.
        """
        return self.results().scalars() if has_mention(self.state) else self._without_mentions()

    def _without_mentions(self) -> dict[str, float]:
        # Without a gold mention, each predicted label except O is wrong.
        labels = [label for sentence in self.state for label in sentence.predicted]
        wrong = sum(label != OUTSIDE_LABEL for label in labels)
        spurious = {PRECISION: 0.0, F1: 0.0} if wrong else {}
        return spurious | ({ACCURACY: 1 - wrong / len(labels)} if labels else {})

    def reset(self) -> None:
        """Remove all batches."""
        self.state = []

    def merge(self, other: "NerMetric") -> None:
        """Add the batches of another metric."""
        self.merge_state(other.state)

    def merge_state(self, state: Iterable[LabelledSentence]) -> None:
        """Add the `state` of another metric, for example from another process."""
        self.state = [*self.state, *(LabelledSentence(*sentence) for sentence in state)]
