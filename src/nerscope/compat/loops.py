"""What the metrics for training loops share: batches of ids or scores in, flat numbers out."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from nerscope.corpus.corpus import Corpus, Sentence
from nerscope.corpus.schemes import OUTSIDE_LABEL
from nerscope.corpus.units import ALL, MENTION
from nerscope.errors import UsageError, plural
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

IGNORED = -100  # the gold id of special tokens and of all pieces of a word but the first
LabelList = Sequence[str] | Mapping[int, str]
Training = TrainingLike | None
TOUGH_FACETS = (TMR.name, HARD.name)  # the facets that are reported by default, given training data
_LabelNames = Mapping[int, str] | None
_NO_SCORES = -1  # a number of axes that no array has
_PLAIN_METRICS = (PRECISION, RECALL, F1)


class LabelledSentence(NamedTuple):
    """A sentence of a batch: its labels on both sides, and its words where they are known."""

    predicted: list[str]
    gold: list[str]
    tokens: list[str] | None


def read_batch(
    preds: Any, target: Any, tokens: Any = None, label_list: LabelList | None = None
) -> list[LabelledSentence]:
    """The sentences of a batch, without tokens that have no gold label and without empty ones.

    Labels are strings, ids of `label_list`, or (predicted) scores for each label of the list.
    `tokens` are the words of each row, either of the whole row or of what has a gold label.

    >>> read_batch([[0, 1, 0]], [[-100, 1, 0]], label_list=["O", "B-PER"])
    [LabelledSentence(predicted=['B-PER', 'O'], gold=['B-PER', 'O'], tokens=None)]
    """
    predicted, gold = _label_rows(preds), _label_rows(target)
    words: list[Any] = (
        [None] * len(gold) if tokens is None else [_as_list(row, _NO_SCORES) for row in tokens]
    )
    sizes = {"predicted": len(predicted), "gold": len(gold), "with tokens": len(words)}
    _check_same_number("sentences", sizes)
    names = label_list
    if names is not None and not isinstance(names, Mapping):
        names = dict(enumerate(names))
    rows = enumerate(zip(predicted, gold, words, strict=True), 1)
    sentences = (_read_sentence(f"sentence {number}", *row, names) for number, row in rows)
    return [sentence for sentence in sentences if sentence.gold]


def _read_sentence(
    place: str, predicted: list[Any], gold: list[Any], words: list[str] | None, names: _LabelNames
) -> LabelledSentence:
    _check_same_number(f"{place}, labels", {"predicted": len(predicted), "gold": len(gold)})
    counted = [at for at, label in enumerate(gold) if label != IGNORED]
    # Words of the whole row, special tokens included: drop those without a gold label, too.
    if words is not None and len(words) == len(gold):
        words = [words[at] for at in counted]
    if words is not None:
        _check_same_number(place, {"labels that count": len(counted), "tokens": len(words)})
    sides = [[_label_name(place, row[at], names) for at in counted] for row in (predicted, gold)]
    return LabelledSentence(sides[0], sides[1], words)


def _label_name(place: str, label: Any, names: _LabelNames) -> str:
    if isinstance(label, str):
        return label
    if names is None:
        raise UsageError(
            place,
            f"the label {label!r} is no string",
            "give strings, or label_list, the labels by their ids",
        )
    if not isinstance(label, int) or label not in names:
        raise UsageError(
            place,
            f"{label!r} is not the id of a label",
            f"label_list has {plural(len(names), 'label')}, counted from 0",
        )
    return names[label]


def _check_same_number(place: str, sizes: Mapping[str, int]) -> None:
    if len(set(sizes.values())) > 1:
        numbers = ", ".join(f"{size} {name}" for name, size in sizes.items())
        raise UsageError(
            place, f"the numbers differ: {numbers}", "give as many of the one as of the other"
        )


def _label_rows(batch: Any) -> list[list[Any]]:
    rows = _as_list(batch, 3)
    for row in rows if isinstance(rows, list) else [rows]:
        if not isinstance(row, list):
            raise UsageError(
                "labels",
                f"{row!r} is no sentence",
                "give a list of sentences, each a list of labels",
            )
    return [[_best(label) for label in row] for row in rows]


def _as_list(values: Any, score_axes: int) -> Any:
    """Arrays and tensors of any library as lists; one with `score_axes` axes holds scores.

    Scores are reduced by the library's own argmax: as Python lists they would be slow.
    """
    if getattr(values, "ndim", None) == score_axes:
        values = values.argmax(-1)
    if hasattr(values, "tolist"):
        return values.tolist()
    if isinstance(values, str) or not isinstance(values, Iterable):
        return values
    return [_as_list(value, score_axes - 1) for value in values]


def _best(label: Any) -> Any:
    """The index of the highest score if `label` is a list of scores, else `label` itself."""
    return label.index(max(label)) if isinstance(label, list) and label else label


class LoopEvaluator(NamedTuple):
    """Evaluates batches with the same training data and options again and again."""

    train: Corpus | list[Corpus] | None
    options: Mapping[str, Any]
    has_extras: bool  # training data or options were given: report more than exact scores

    def check_tokens(self, tokens: object) -> None:
        """Refuse sentences without words at the first batch, not after an epoch."""
        if self.train is not None and tokens is None:
            raise UsageError(
                "tokens",
                "there are none, and what training says of words is asked for",
                "give the words of each sentence, or leave train out",
            )

    def without_token_facets(self) -> "LoopEvaluator":
        """The same for mentions that may overlap, so that tokens have no single label."""
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


def loop_evaluator(train: Training, options: Mapping[str, Any]) -> LoopEvaluator:
    """Read the training data and check the options once: a mistake shows before an epoch ends.

    `options` are the fields of `Settings`; the facets are TOUGH_FACETS by default.
    """
    with_defaults = {"facets": TOUGH_FACETS if train is not None else (), **options}
    # The result is not needed here: the call raises if a facet is unknown or needs training data.
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
    """Whether gold has any mention: without one (early batches), no recall is defined."""
    return any(label != OUTSIDE_LABEL for sentence in sentences for label in sentence.gold)


def two_sides(sentences: Sequence[LabelledSentence]) -> tuple[list[Sentence], list[Sentence]]:
    """The sentences as gold, with their words where all have them, and as predicted."""
    predicted: list[Sentence] = [sentence.predicted for sentence in sentences]
    if any(sentence.tokens is None for sentence in sentences):
        return [sentence.gold for sentence in sentences], predicted
    return [(sentence.tokens or [], sentence.gold) for sentence in sentences], predicted


def tough_numbers(results: Results) -> dict[str, float]:
    """The numbers beyond exact scores: levels of facets and partial credit, of all types together.

    >>> gold = [["B-PER", "I-PER", "O"]]
    >>> tough_numbers(loop_evaluator(None, {}).results(gold, [["B-PER", "O", "O"]]))["left/f1"]
    0.5
    """
    return scalars_of(row for row in results.select(run=None, type=None) if _is_tough(row))


def _is_tough(row: Row) -> bool:
    is_partial = row.unit == MENTION and row.match != EXACT and row.metric in _PLAIN_METRICS
    return row.facet != ALL or is_partial
