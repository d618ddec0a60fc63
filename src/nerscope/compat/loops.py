"""Shared code of the metrics for training loops: batches of ids or scores, flat numbers."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields
from typing import Any, NamedTuple

from nerscope.corpus.corpus import Corpus, Sentence
from nerscope.corpus.schemes import OUTSIDE_LABEL, ROLE_OF_LETTER
from nerscope.corpus.units import ALL, MENTION
from nerscope.errors import UsageError, plural, shortened, suggest
from nerscope.evaluation.evaluate import evaluate
from nerscope.evaluation.plan import select_subsets
from nerscope.evaluation.subsets import parse_subset
from nerscope.evaluation.task import Settings
from nerscope.facets.facet import FACETS
from nerscope.facets.hard import HARD
from nerscope.facets.tmr import TMR
from nerscope.formats.base import TrainingLike, is_source, read
from nerscope.results.results import Results
from nerscope.results.rows import Row
from nerscope.results.scalars import scalars_of
from nerscope.scoring.matching import EXACT
from nerscope.scoring.metrics import F1, PRECISION, RECALL

IGNORED = -100  # gold id of special tokens and of all sub-tokens of a word except the first
LabelList = Sequence[str] | Mapping[int, str] | Mapping[str, str]
Training = TrainingLike | None
TOUGH_FACETS = (TMR.name, HARD.name)  # default facets with training data
_LabelNames = Mapping[int, str] | None
_NO_SCORES = -1  # a number of axes that no array has
_PLAIN_METRICS = (PRECISION, RECALL, F1)
_ID = re.compile(r"-?[0-9]+")


class LabelledSentence(NamedTuple):
    """A sentence of a batch: its labels on both sides, and its words if known."""

    predicted: list[str]
    gold: list[str]
    tokens: list[str] | None


def label_names(label_list: LabelList) -> dict[int, str]:
    """The labels by id, from a list of labels or an `id2label`.

    >>> label_names({"0": "O", "1": "B-PER"})  # as in config.json
    {0: 'O', 1: 'B-PER'}
    """
    given: Any = label_list.tolist() if hasattr(label_list, "tolist") else label_list
    if isinstance(given, list | tuple):
        given = dict(enumerate(given))
    names: dict[Any, Any] = dict(given) if isinstance(given, Mapping) else {}
    is_by_id = all(_ID.fullmatch(str(key)) for key in names)
    if not is_by_id and all(isinstance(label, int) for label in names.values()):
        raise UsageError(
            "label_list",
            "it maps labels to ids (label2id)",
            "give id2label: {id: label for label, id in label2id.items()}",
        )
    if not names or not is_by_id or not all(isinstance(label, str) for label in names.values()):
        raise UsageError(
            "label_list",
            "it is not a list, tuple or mapping with label strings",
            "give the labels in the order of their ids, as ['O', 'B-PER', 'I-PER'], or id2label",
        )
    _check_prefixes([label for label in names.values() if label != OUTSIDE_LABEL])
    return {int(key): label for key, label in names.items()}


def _check_prefixes(labels: Sequence[str]) -> None:
    """Raise an error if no label has a prefix, as in LABEL_0, LABEL_1 of a model without names."""
    if labels and not any(
        label[:1] in ROLE_OF_LETTER and not label[1:2].isalnum() for label in labels
    ):
        raise UsageError(
            "label_list",
            f"the labels {shortened(', '.join(labels))} have no prefix such as B- or I-",
            "give label_list with the labels of the data, as ['O', 'B-PER', 'I-PER']",
        )


def read_batch(
    preds: Any, target: Any, tokens: Any = None, label_list: LabelList | None = None
) -> list[LabelledSentence]:
    """The sentences of a batch, without tokens without a gold label, and without empty sentences.

    Labels are strings, ids of `label_list`, or (predicted) scores for each label of the list.
    `tokens` are the words of each row: of all positions, or only of those with a gold label.

    >>> read_batch([[0, 1, 0]], [[-100, 1, 0]], label_list=["O", "B-PER"])
    [LabelledSentence(predicted=['B-PER', 'O'], gold=['B-PER', 'O'], tokens=None)]
    """
    names = None if label_list is None else label_names(label_list)
    n_labels = None if names is None else max(names) + 1
    predicted, gold = label_rows(preds, n_labels), label_rows(target, n_labels)
    words: list[Any] = (
        [None] * len(gold) if tokens is None else [_as_list(row, _NO_SCORES) for row in tokens]
    )
    sizes = {"predicted": len(predicted), "in gold": len(gold)}
    with_tokens = {} if tokens is None else {"with tokens": len(words)}
    _check_same_number("predictions", "sentence", sizes | with_tokens)
    rows = enumerate(zip(predicted, gold, words, strict=True), 1)
    sentences = (_read_sentence(f"sentence {number}", *row, names) for number, row in rows)
    return [sentence for sentence in sentences if sentence.gold]


def _read_sentence(
    place: str, predicted: list[Any], gold: list[Any], words: list[str] | None, names: _LabelNames
) -> LabelledSentence:
    _check_same_number(place, "label", {"predicted": len(predicted), "in gold": len(gold)})
    counted = [at for at, label in enumerate(gold) if label != IGNORED]
    # If there are words for the complete row, drop those without a gold label.
    if words is not None and len(words) == len(gold):
        words = [words[at] for at in counted]
    if words is not None:
        sizes = {f"other than {IGNORED}": len(counted), "tokens": len(words)}
        _check_same_number(place, "label", sizes)
    sides = [[_label_name(place, row[at], names) for at in counted] for row in (predicted, gold)]
    return LabelledSentence(sides[0], sides[1], words)


def _label_name(place: str, label: Any, names: _LabelNames) -> str:
    if isinstance(label, str):
        return label
    if names is None:
        raise UsageError(
            place,
            f"label {label!r} is not a string",
            "give strings, or label_list=[…] with the label of each id",
        )
    if isinstance(label, float):
        raise UsageError(
            place,
            f"label id {label!r} is not a whole number",
            "give ids as whole numbers, for example labels.astype(int)",
        )
    if not isinstance(label, int) or label not in names:
        raise UsageError(
            place,
            f"{label!r} is not a label id",
            f"give the ids of label_list, which has {plural(len(names), 'label')}",
        )
    return names[label]


def _check_same_number(place: str, noun: str, sizes: Mapping[str, int]) -> None:
    if len(set(sizes.values())) > 1:
        (first, size), *others = sizes.items()
        numbers = ", ".join(
            [f"{plural(size, noun)} {first}", *(f"{n:,} {name}" for name, n in others)]
        )
        raise UsageError(place, f"the numbers differ: {numbers}", "give the same number of each")


def label_rows(batch: Any, n_labels: int | None) -> list[list[Any]]:
    """The labels or ids of each sentence, from lists, arrays or tensors; scores become ids."""
    rows = _as_list(batch, 3, n_labels)
    for row in rows if isinstance(rows, list) else [rows]:
        if not isinstance(row, list):
            raise UsageError(
                "labels",
                f"{row!r} is not a sentence",
                "give a list of sentences, each a list of labels",
            )
    return [[_best(label, n_labels) for label in row] for row in rows]


def _as_list(values: Any, score_axes: int, n_labels: int | None = None) -> Any:
    """Arrays and tensors of any library as lists; an array with `score_axes` axes has scores.

    Scores are reduced with the argmax of their library, which is faster than with Python lists.
    """
    if getattr(values, "ndim", None) == score_axes:
        _check_scores(values.shape[-1], n_labels)
        values = values.argmax(-1)
    if hasattr(values, "tolist"):
        return values.tolist()
    if isinstance(values, str) or not isinstance(values, Iterable):
        return values
    return [_as_list(value, score_axes - 1, n_labels) for value in values]


def _best(label: Any, n_labels: int | None) -> Any:
    """The index of the highest score if `label` is a list of scores; otherwise `label` itself."""
    if not isinstance(label, list) or not label:
        return label
    _check_scores(len(label), n_labels)
    return label.index(max(label))


def _check_scores(n_scores: int, n_labels: int | None) -> None:
    if n_labels is not None and n_scores != n_labels:
        raise UsageError(
            "predictions",
            f"each token has {plural(n_scores, 'score')}, but label_list has"
            f" {plural(n_labels, 'label')}",
            "give the labels of this model, one for each score",
        )


class LoopEvaluator(NamedTuple):
    """Evaluates batches with fixed training data and options."""

    train: Corpus | list[Corpus] | None
    options: Mapping[str, Any]
    has_extras: bool  # with training data or options, report more than exact scores

    def check_tokens(self, tokens: object) -> None:
        """Raise an error for missing words at the first batch, not after an epoch."""
        if self.train is not None and tokens is None:
            raise UsageError(
                "tokens",
                "no tokens are given, but train needs them",
                "give tokens, the words of each sentence, or remove train",
            )

    def without_token_facets(self) -> "LoopEvaluator":
        """This evaluator without facets of tokens, for mentions that may overlap."""
        facets = [
            text
            for text in self.options["facets"]
            if all(FACETS[name].unit == MENTION for name in parse_subset(text).facets())
        ]
        return self._replace(options={**self.options, "facets": facets})

    def results(self, gold: Sequence[Sentence], predicted: Sequence[Sentence]) -> Results:
        return evaluate(
            Corpus.of(gold, name="<gold>"),
            {"model": Corpus.of(predicted, name="<predicted>")},
            train=self.train,
            dataset="gold",
            **self.options,
        )


def loop_evaluator(
    train: Training, options: Mapping[str, Any], arguments: Iterable[str] = ()
) -> LoopEvaluator:
    """Read the training data and check the options, so that errors are raised before an epoch.

    `options` are the fields of `Settings`; the default facets are TOUGH_FACETS. `arguments` are the
    other arguments of the caller, for the message about an unknown option.
    """
    known = {*arguments, *(item.name for item in fields(Settings))}
    for key in options:
        if key not in known:
            raise UsageError(f"option '{key}'", "unknown option", suggest(key, known))
    with_defaults = {"facets": TOUGH_FACETS if train is not None else (), **options}
    # Only for its errors: a facet is unknown, or needs training data.
    select_subsets(Settings.of(with_defaults), with_train=train is not None)
    return LoopEvaluator(_read_training(train), with_defaults, train is not None or bool(options))


def _read_training(train: Training) -> Corpus | list[Corpus] | None:
    if train is None:
        return None
    corpora: Any = train
    # A list may be several corpora (paths, files) or one corpus (sentences).
    if isinstance(corpora, list | tuple) and corpora and is_source(corpora[0]):
        return [read(corpus) for corpus in corpora]
    return read(corpora)


def has_mention(sentences: Sequence[LabelledSentence]) -> bool:
    """Whether gold has any mention; without mentions (early batches), recall is undefined."""
    return any(label != OUTSIDE_LABEL for sentence in sentences for label in sentence.gold)


def two_sides(sentences: Sequence[LabelledSentence]) -> tuple[list[Sentence], list[Sentence]]:
    """Gold and predicted sentences; gold has words if all sentences have them."""
    predicted: list[Sentence] = [sentence.predicted for sentence in sentences]
    if any(sentence.tokens is None for sentence in sentences):
        return [sentence.gold for sentence in sentences], predicted
    return [(sentence.tokens or [], sentence.gold) for sentence in sentences], predicted


def tough_numbers(results: Results) -> dict[str, float]:
    """The numbers besides exact scores: levels of facets and partial credit, over all types.

    >>> gold = [["B-PER", "I-PER", "O"]]
    >>> tough_numbers(loop_evaluator(None, {}).results(gold, [["B-PER", "O", "O"]]))["left/f1"]
    0.5
    """
    return scalars_of(row for row in results.select(run=None, type=None) if _is_tough(row))


def _is_tough(row: Row) -> bool:
    is_partial = row.unit == MENTION and row.match != EXACT and row.metric in _PLAIN_METRICS
    return row.facet != ALL or is_partial
