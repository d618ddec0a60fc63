"""Doors for Hugging Face: its `seqeval` metric, key for key, and a function for its `Trainer`."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from nerscope.compat.batches import IGNORED, Labelled, LabelList, labelled
from nerscope.compat.loops import (
    Asked,
    Training,
    asked,
    has_mention,
    tough_numbers,
    two_sides,
)
from nerscope.compat.seqeval import accuracy_score, classification_report
from nerscope.errors import UsageError

Scores = dict[str, Any]  # a number for each name, or numbers by their names for each type
_OVERALL = {"precision": "precision", "recall": "recall", "f1": "f1-score"}
_AVERAGES = ("micro avg", "macro avg", "weighted avg")


class Seqeval:
    """What `evaluate.load("seqeval")` gives, without fetching anything.

    With `train`, the training data, or with options, which are the fields of `Settings`, tough
    numbers come as further keys; give `tokens` beside predictions then.

    >>> metric = Seqeval()
    >>> metric.add_batch(predictions=[["B-PER", "O"]], references=[["B-PER", "O"]])
    >>> found = metric.compute(predictions=[["O", "O"]], references=[["B-PER", "O"]])
    >>> found["PER"], found["overall_accuracy"]
    ({'precision': 1.0, 'recall': 0.5, 'f1': 0.6666666666666666, 'number': 2}, 0.75)
    """

    def __init__(self, *, train: Training = None, **options: Any) -> None:
        self._asked = asked(train, options)
        self._sentences: list[Labelled] = []

    def add(self, *, prediction: Any, reference: Any, tokens: Any = None) -> None:
        """Add the labels of one sentence."""
        words = None if tokens is None else [tokens]
        self.add_batch(predictions=[prediction], references=[reference], tokens=words)

    def add_batch(self, *, predictions: Any, references: Any, tokens: Any = None) -> None:
        """Add the labels of some sentences."""
        self._asked.check_tokens(tokens)
        self._sentences += labelled(predictions, references, tokens)

    def compute(
        self,
        *,
        predictions: Any = None,
        references: Any = None,
        tokens: Any = None,
        suffix: bool = False,
        scheme: Any = None,
        mode: str | None = None,
        sample_weight: Sequence[int] | None = None,
        zero_division: str | int = "warn",
    ) -> Scores:
        """The scores of everything that was added, and forget it; see seqeval for the options."""
        if predictions is not None or references is not None:
            self.add_batch(predictions=predictions, references=references, tokens=tokens)
        sentences, self._sentences = self._sentences, []
        how = {"scheme": scheme, "mode": mode, "zero_division": zero_division}
        scores = _scores(sentences, suffix=suffix, sample_weight=sample_weight, **how)
        return scores | _tough(self._asked, map(_turned, sentences) if suffix else sentences)


def compute_metrics(
    label_list: LabelList,
    *,
    by_type: bool = False,
    tokens: Iterable[Sequence[str]] | None = None,
    train: Training = None,
    **options: Any,
) -> Callable[[Any], dict[str, float]]:
    """A function for `Trainer(compute_metrics=…)`: precision, recall, f1 and accuracy.

    It takes scores or ids as the trainer hands them over, and leaves out what is labelled -100.
    `by_type` adds `PER_f1` and the like. `train`, the training data, or options add tough numbers;
    `tokens` are the words of each sentence of the evaluation set then.

    >>> found = compute_metrics(["O", "B-PER"])(([[0, 1, 0]], [[-100, 1, 1]]))
    >>> found["precision"], found["recall"], found["accuracy"]
    (1.0, 0.5, 0.5)
    """
    wanted = asked(train, options)
    wanted.check_tokens(tokens)
    words = None if tokens is None else [list(one) for one in tokens]

    def computed(prediction: Any) -> dict[str, float]:
        sentences = _predicted(prediction, words, label_list)
        scores = _scores(sentences, zero_division=0)  # as seqeval has it, without its warnings
        found = {name: scores[f"overall_{name}"] for name in (*_OVERALL, "accuracy")}
        return found | (_flat(scores) if by_type else {}) | _tough(wanted, sentences)

    return computed


def _scores(sentences: Sequence[Labelled], **how: Any) -> Scores:
    if not sentences:
        raise UsageError("metric", "there is nothing to score", "add predictions and references")
    gold, predicted = ([one.gold for one in sentences], [one.predicted for one in sentences])
    report: Any = classification_report(gold, predicted, output_dict=True, **how)
    overall, *_ = (report.pop(average) for average in _AVERAGES)
    scores: Scores = {
        kind: {**_numbers(own), "number": own["support"]} for kind, own in report.items()
    }
    scores |= {f"overall_{name}": value for name, value in _numbers(overall).items()}
    return scores | {"overall_accuracy": accuracy_score(gold, predicted)}


def _numbers(own: dict[str, float]) -> dict[str, float]:
    return {name: own[theirs] for name, theirs in _OVERALL.items()}


def _flat(scores: Scores) -> dict[str, float]:
    by_type = {kind: own for kind, own in scores.items() if isinstance(own, dict)}
    return {f"{kind}_{name}": own[name] for kind, own in by_type.items() for name in own}


def _tough(wanted: Asked, sentences: Iterable[Labelled]) -> dict[str, float]:
    listed = list(sentences)
    if not wanted.told or not has_mention(listed):
        return {}
    return tough_numbers(wanted.results(*two_sides(listed)))


def _turned(sentence: Labelled) -> Labelled:
    """The sentence with B-PER for PER-B."""
    predicted, gold = (
        ["-".join(reversed(label.rsplit("-", 1))) for label in side]
        for side in (sentence.predicted, sentence.gold)
    )
    return Labelled(predicted, gold, sentence.tokens)


def _predicted(
    prediction: Any, words: list[list[str]] | None, label_list: LabelList
) -> list[Labelled]:
    """The sentences of what a trainer hands over: an object, or a pair of predictions and labels.

    A model with several outputs gives a tuple of them, scores first. Long sentences were cut off by
    the tokenizer, so of their words the first ones count.
    """
    whole = hasattr(prediction, "label_ids")
    outputs, labels = (prediction.predictions, prediction.label_ids) if whole else prediction
    scores = outputs[0] if isinstance(outputs, tuple) else outputs
    if words is not None and len(words) == len(labels):
        sizes = [sum(label != IGNORED for label in row) for row in labels]
        words = [own[:size] for own, size in zip(words, sizes, strict=True)]
    return labelled(scores, labels, words, label_list)
