"""For Hugging Face: its `seqeval` metric with the same keys, and a function for `Trainer`."""

import warnings
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from nerscope.compat.loops import (
    IGNORED,
    LabelledSentence,
    LabelList,
    LoopEvaluator,
    Training,
    has_mention,
    label_names,
    label_rows,
    loop_evaluator,
    read_batch,
    tough_numbers,
    two_sides,
)
from nerscope.compat.seqeval import accuracy_score, classification_report
from nerscope.errors import UsageError, shortened

Scores = dict[str, Any]  # numbers by name, and a dictionary of numbers for each type
_OVERALL = {"precision": "precision", "recall": "recall", "f1": "f1-score"}
_AVERAGES = ("micro avg", "macro avg", "weighted avg")


class Seqeval:
    """The metric of `evaluate.load("seqeval")`, without a download.

    With `train` (the training data) or options (the fields of `Settings`), additional keys have the
    numbers of tough mentions and partial credit. In that case, pass `tokens` with the predictions.

    >>> metric = Seqeval()
    >>> metric.add_batch(predictions=[["B-PER", "O"]], references=[["B-PER", "O"]])
    >>> scores = metric.compute(predictions=[["O", "O"]], references=[["B-PER", "O"]])
    >>> scores["PER"], scores["overall_accuracy"]
    ({'precision': 1.0, 'recall': 0.5, 'f1': 0.6666666666666666, 'number': 2}, 0.75)
    """

    def __init__(self, *, train: Training = None, **options: Any) -> None:
        self._evaluator = loop_evaluator(train, options, ("train",))
        self._sentences: list[LabelledSentence] = []

    def add(self, *, prediction: Any, reference: Any, tokens: Any = None) -> None:
        """Add the labels of one sentence."""
        words = None if tokens is None else [tokens]
        self.add_batch(predictions=[prediction], references=[reference], tokens=words)

    def add_batch(self, *, predictions: Any, references: Any, tokens: Any = None) -> None:
        """Add the labels of some sentences."""
        self._evaluator.check_tokens(tokens)
        self._sentences += read_batch(predictions, references, tokens)

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
        """The scores of all sentences since the last call; the options are those of seqeval."""
        if predictions is not None or references is not None:
            self.add_batch(predictions=predictions, references=references, tokens=tokens)
        sentences, self._sentences = self._sentences, []
        scores = _scores(
            sentences,
            suffix=suffix,
            scheme=scheme,
            mode=mode,
            sample_weight=sample_weight,
            zero_division=zero_division,
        )
        # nerscope reads only labels with prefixes.
        with_prefixes = [_as_prefixes(sentence) for sentence in sentences] if suffix else sentences
        return scores | _tough_scores(self._evaluator, with_prefixes)


def compute_metrics(
    label_list: LabelList,
    *,
    by_type: bool = False,
    tokens: Iterable[Sequence[str]] | None = None,
    train: Training = None,
    **options: Any,
) -> Callable[[Any], dict[str, float]]:
    """A function for `Trainer(compute_metrics=…)`: precision, recall, f1 and accuracy.

    It takes scores or ids from the trainer, and ignores tokens labelled -100. `label_list` has the
    labels by id: a list, or the `id2label` of a model. `by_type` adds `PER_f1` and similar keys.
    `train` (the training data) or options (the fields of `Settings`) add numbers of tough mentions
    and partial credit; `train` also needs `tokens`, the words of each sentence of the evaluation
    set.

    >>> scores = compute_metrics(["O", "B-PER"])(([[0, 1, 0]], [[-100, 1, 1]]))
    >>> scores["precision"], scores["recall"], scores["accuracy"]
    (1.0, 0.5, 0.5)
    """
    if _is_prediction(label_list):
        raise UsageError(
            "compute_metrics",
            "it was called with predictions, not with labels",
            "Trainer(compute_metrics=compute_metrics(label_list))",
        )
    names = label_names(label_list)
    evaluator = loop_evaluator(train, options, ("by_type", "tokens", "train"))
    evaluator.check_tokens(tokens)
    words = None if tokens is None else _words(tokens)

    def compute(prediction: Any) -> dict[str, float]:
        sentences = _read_prediction(prediction, words, names)
        scores = _scores(sentences, zero_division=0)  # as in seqeval, but without its warnings
        overall = {name: scores[f"overall_{name}"] for name in (*_OVERALL, "accuracy")}
        flat = _flat_by_type(scores) if by_type else {}
        return overall | flat | _tough_scores(evaluator, sentences)

    return compute


def _scores(sentences: Sequence[LabelledSentence], **options: Any) -> Scores:
    if not sentences:
        raise UsageError("metric", "no sentences to score", "add predictions and references")
    gold = [sentence.gold for sentence in sentences]
    predicted = [sentence.predicted for sentence in sentences]
    with warnings.catch_warnings():
        # Without any mention, numpy warns of the macro average, which is not used here.
        warnings.simplefilter("ignore", RuntimeWarning)
        report: Any = classification_report(gold, predicted, output_dict=True, **options)
    # The report has rows for types and for three averages; only types remain here.
    overall, *_ = (report.pop(average) for average in _AVERAGES)
    scores: Scores = {
        kind: {**_renamed(numbers), "number": numbers["support"]}
        for kind, numbers in report.items()
    }
    scores |= {f"overall_{name}": value for name, value in _renamed(overall).items()}
    return scores | {"overall_accuracy": accuracy_score(gold, predicted)}


def _renamed(numbers: dict[str, float]) -> dict[str, float]:
    return {name: numbers[seqeval_name] for name, seqeval_name in _OVERALL.items()}


def _flat_by_type(scores: Scores) -> dict[str, float]:
    by_type = {kind: numbers for kind, numbers in scores.items() if isinstance(numbers, dict)}
    return {
        f"{kind}_{name}": value
        for kind, numbers in by_type.items()
        for name, value in numbers.items()
    }


def _tough_scores(
    evaluator: LoopEvaluator, sentences: Sequence[LabelledSentence]
) -> dict[str, float]:
    if not evaluator.has_extras or not has_mention(sentences):
        return {}
    return tough_numbers(evaluator.results(*two_sides(sentences)))


def _as_prefixes(sentence: LabelledSentence) -> LabelledSentence:
    """The sentence with B-PER instead of PER-B."""
    predicted, gold = (
        ["-".join(reversed(label.rsplit("-", 1))) for label in side]
        for side in (sentence.predicted, sentence.gold)
    )
    return LabelledSentence(predicted, gold, sentence.tokens)


def _words(tokens: Any) -> list[list[str]]:
    """The words of each sentence, as lists; a string is not a sentence, but one word."""
    sentences = list(tokens) if isinstance(tokens, Iterable) else [tokens]
    for sentence in sentences:
        if isinstance(sentence, str) or not isinstance(sentence, Iterable):
            raise UsageError(
                "tokens",
                f"{shortened(repr(sentence))} is not a sentence",
                "give a list of sentences, each a list of words",
            )
    return [list(sentence) for sentence in sentences]


def _is_prediction(value: Any) -> bool:
    """Whether a value is what a trainer passes: an object, or a pair of arrays or nested lists."""
    if isinstance(value, tuple | list) and len(value) == 2:
        return all(hasattr(side, "__len__") and not isinstance(side, str) for side in value)
    return hasattr(value, "label_ids")


def _read_prediction(
    prediction: Any, words: list[list[str]] | None, label_list: LabelList
) -> list[LabelledSentence]:
    """The sentences of a trainer's prediction: an object, or a pair of predictions and labels.

    A model with several outputs returns a tuple, scores first. The tokenizer may have truncated
    long sentences, so words without labels are ignored.
    """
    is_object = hasattr(prediction, "label_ids")
    pair = (prediction.predictions, prediction.label_ids) if is_object else prediction
    try:
        outputs, labels = pair
    except (TypeError, ValueError):
        raise UsageError(
            "prediction",
            "it is not a pair of predictions and labels",
            "give the EvalPrediction of the trainer, or (predictions, labels)",
        ) from None
    # For example (logits, hidden states).
    scores = outputs[0] if isinstance(outputs, tuple) and outputs else outputs
    if words is not None:
        labels = label_rows(labels, max(label_names(label_list)) + 1)
        if len(words) == len(labels):
            sizes = [sum(label != IGNORED for label in row) for row in labels]
            words = [row[:size] for row, size in zip(words, sizes, strict=True)]
    sentences = read_batch(scores, labels, words, label_list)
    if not sentences and hasattr(labels, "__len__") and len(labels):
        raise UsageError(
            "labels",
            f"every label is {IGNORED}, so no token is scored",
            f"give the label ids of the words; {IGNORED} is only for special tokens and sub-tokens",
        )
    return sentences
