"""A metric that accumulates batches, as training loops in torch and elsewhere expect it."""

from collections.abc import Iterable
from typing import Any

from nerscope.compat.batches import Labelled, LabelList, labelled
from nerscope.compat.loops import Training, asked, has_mention, two_sides
from nerscope.corpus.schemes import OUTSIDE_LABEL
from nerscope.results.results import Results


class NerMetric:
    """Batches in, flat numbers out: however the batches were cut, the numbers are the same.

    Labels are strings or, with `label_list`, ids; gold ids of -100 do not count. `train` is the
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
        self.label_list, self._asked = label_list, asked(train, options)
        self.state: list[Labelled] = []  # plain lists, fit to be sent to another process

    def update(self, preds: Any, target: Any, tokens: Any = None) -> None:
        """Add a batch: labels, ids or scores; gold labels or ids; and the words of each sentence.

        Lists, arrays and tensors serve alike. Without `train`, words are not needed.
        """
        self._asked.check_tokens(tokens)
        self.state += labelled(preds, target, tokens, self.label_list)

    def results(self) -> Results:
        """What an evaluation of everything so far finds."""
        return self._asked.results(*two_sides(self.state))

    def compute(self) -> dict[str, float]:
        """The numbers of everything so far, named as `Results.scalars` does.

        The undefined is left out: as long as gold has no mention, that is most of them.
        """
        return self.results().scalars() if has_mention(self.state) else self._without_mentions()

    def _without_mentions(self) -> dict[str, float]:
        labels = [label for one in self.state for label in one.predicted]
        wrong = sum(label != OUTSIDE_LABEL for label in labels)
        spurious = {"precision": 0.0, "f1": 0.0} if wrong else {}
        return spurious | ({"accuracy": 1 - wrong / len(labels)} if labels else {})

    def reset(self) -> None:
        """Forget all batches."""
        self.state = []

    def merge(self, other: "NerMetric") -> None:
        """Add what another metric has seen."""
        self.merge_state(other.state)

    def merge_state(self, state: Iterable[Labelled]) -> None:
        """Add the `state` of another metric, as it comes from another process."""
        self.state = [*self.state, *(Labelled(*one) for one in state)]
