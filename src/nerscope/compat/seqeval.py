"""The metrics of seqeval 1.2.2 with the same names, numbers and texts, but faster.

To use it, change one line: `from nerscope.compat.seqeval import classification_report, f1_score`.
"""

import sys
import warnings
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, compress, repeat
from operator import eq
from typing import Any, NamedTuple

import numpy as np

from nerscope.compat.seqeval_chunks import (
    BILOU,
    IOB1,
    IOB2,
    IOBES,
    IOE1,
    IOE2,
    SCHEMES,
    Chunks,
    SeqevalScheme,
    loose_chunks,
    strict_chunks,
)
from nerscope.corpus.arrays import Floats, Ints
from nerscope.errors import suggest

__all__ = [
    "BILOU",
    "IOB1",
    "IOB2",
    "IOBES",
    "IOE1",
    "IOE2",
    "UndefinedMetricWarning",
    "accuracy_score",
    "classification_report",
    "f1_score",
    "performance_measure",
    "precision_score",
    "recall_score",
]

_AVERAGES = (None, "micro", "macro", "weighted")
_SCORES = ("precision", "recall", "f-score")
# A report with the scores of each type and their averages, as a dictionary.
Report = dict[str, dict[str, float | int]]


class UndefinedMetricWarning(UserWarning):
    """A score has no denominator and is set to 0.

    If scikit-learn is loaded, its warning of the same name is issued instead, so that filters for
    it keep working.

    >>> with warnings.catch_warnings(record=True) as caught:
    ...     warnings.simplefilter("always")
    ...     precision_score([["B-X"]], [["O"]])
    0.0
    >>> print(caught[0].message)
    Precision is ill-defined and being set to 0.0 due to no predicted samples. Use...
    """


class _ChunkCounts(NamedTuple):
    """Counts by type; types are sorted by name."""

    names: list[str]
    hits: Ints
    pred: Ints
    gold: Ints

    @property
    def summed(self) -> "_ChunkCounts":
        return _ChunkCounts([], *(column.sum(keepdims=True) for column in self[1:]))


class _UndefinedScores(NamedTuple):
    """How to handle scores without a denominator: `zero_division`, and which to warn about."""

    zero_division: Any
    warn_for: tuple[str, ...]

    @property
    def value(self) -> float:
        return 0.0 if self.zero_division in ("warn", 0) else 1.0


_Complaint = tuple[str, type[Warning]]


class _Scores(NamedTuple):
    """Precision, recall, F-score and the number of gold chunks: arrays by type, or numbers."""

    precision: Any
    recall: Any
    f_score: Any
    support: Any


def f1_score(
    y_true: Sequence[Sequence[str]],
    y_pred: Sequence[Sequence[str]],
    *,
    average: str | None = "micro",
    suffix: bool = False,
    mode: str | None = None,
    sample_weight: Sequence[int] | None = None,
    zero_division: str | int = "warn",
    scheme: Any = None,
) -> Any:
    """The F1 score of chunks: a number, or an array by type with `average=None`.

    `suffix` is for labels such as `PER-B`. `mode="strict"` with a `scheme` drops chunks that are
    invalid in it; without a scheme it has no effect, as in seqeval. `sample_weight` has no effect.

    >>> f1_score([["B-PER", "I-PER", "O", "B-LOC"]], [["B-PER", "I-PER", "O", "B-PER"]])
    0.5
    >>> f1_score([["B-X", "I-X"]], [["I-X", "I-X"]], mode="strict", scheme=IOB2, zero_division=0)
    0.0
    """
    undefined = _UndefinedScores(zero_division, ("f-score",))
    return _average_scores(y_true, y_pred, undefined, average, suffix, mode, scheme).f_score


def precision_score(
    y_true: Sequence[Sequence[str]],
    y_pred: Sequence[Sequence[str]],
    *,
    average: str | None = "micro",
    suffix: bool = False,
    mode: str | None = None,
    sample_weight: Sequence[int] | None = None,
    zero_division: str | int = "warn",
    scheme: Any = None,
) -> Any:
    """The share of predicted chunks that are correct: a number, or an array with `average=None`.

    >>> precision_score([["B-PER", "O", "B-LOC"]], [["B-PER", "O", "B-PER"]])
    0.5
    """
    undefined = _UndefinedScores(zero_division, ("precision",))
    return _average_scores(y_true, y_pred, undefined, average, suffix, mode, scheme).precision


def recall_score(
    y_true: Sequence[Sequence[str]],
    y_pred: Sequence[Sequence[str]],
    *,
    average: str | None = "micro",
    suffix: bool = False,
    mode: str | None = None,
    sample_weight: Sequence[int] | None = None,
    zero_division: str | int = "warn",
    scheme: Any = None,
) -> Any:
    """The share of gold chunks that are found: a number, or an array by type with `average=None`.

    >>> recall_score([["B-PER", "O", "B-LOC"]], [["B-PER", "O", "O"]], average=None)
    array([0., 1.])
    """
    undefined = _UndefinedScores(zero_division, ("recall",))
    return _average_scores(y_true, y_pred, undefined, average, suffix, mode, scheme).recall


def classification_report(
    y_true: Sequence[Sequence[str]],
    y_pred: Sequence[Sequence[str]],
    digits: int = 2,
    suffix: bool = False,
    output_dict: bool = False,
    mode: str | None = None,
    sample_weight: Sequence[int] | None = None,
    zero_division: str | int = "warn",
    scheme: Any = None,
) -> str | Report:
    """All scores by type and averaged, as text or as a dictionary.

    >>> print(classification_report([["B-PER", "I-PER", "O"]], [["B-PER", "I-PER", "O"]]))
                  precision    recall  f1-score   support
    <BLANKLINE>
             PER       1.00      1.00      1.00         1
    <BLANKLINE>
       micro avg       1.00      1.00      1.00         1
       macro avg       1.00      1.00      1.00         1
    weighted avg       1.00      1.00      1.00         1
    <BLANKLINE>
    """
    undefined = _UndefinedScores(zero_division, _SCORES)
    names, rows = _report_rows(y_true, y_pred, undefined, suffix, mode == "strict", scheme)
    return _as_dict(names, rows) if output_dict else _as_text(names, rows, digits)


def accuracy_score(y_true: Sequence[Any], y_pred: Sequence[Any]) -> float:
    """The share of equal labels.

    >>> accuracy_score([["B-PER", "I-PER", "O", "O"]], [["B-PER", "I-PER", "O", "B-LOC"]])
    0.75
    """
    gold, pred = _flat(y_true), _flat(y_pred)
    return int(sum(map(eq, gold, pred))) / len(gold)


def performance_measure(y_true: Sequence[Any], y_pred: Sequence[Any]) -> dict[str, int]:
    """Counts of labels, not chunks: TP equal, FP added, FN missing, TN `O` on both sides.

    A wrong label in place of another label counts only as FP.

    >>> performance_measure([["B-PER", "I-PER", "O", "O"]], [["B-PER", "O", "O", "B-LOC"]])
    {'TP': 1, 'FP': 1, 'FN': 1, 'TN': 1}
    """
    gold, pred = _flat(y_true), _flat(y_pred)
    size = min(len(gold), len(pred))
    # The gold labels of all tokens that are predicted as O.
    beside_outside = list(compress(gold, map(eq, pred, repeat("O"))))
    # TN: O on both sides.
    nothing = beside_outside.count("O")
    right = int(sum(map(eq, gold, pred))) - nothing
    added = size - len(beside_outside) - right
    return {"TP": right, "FP": added, "FN": len(beside_outside) - nothing, "TN": nothing}


def _flat(labels: Sequence[Any]) -> list[Any]:
    """All labels in one list; a flat list is returned as is."""
    plain = _plain(labels)
    nested = any(isinstance(sentence, list) for sentence in plain)
    return list(chain.from_iterable(plain)) if nested else plain


def _plain(labels: Any) -> list[Any]:
    """Tuples and arrays of labels as lists of lists."""
    outer: list[Any] = labels.tolist() if hasattr(labels, "tolist") else list(labels)
    # The usual case, checked without a Python loop.
    if set(map(type, outer)) <= {list}:
        return outer
    return [
        inner.tolist() if hasattr(inner, "tolist") else list(inner) if _is_row(inner) else inner
        for inner in outer
    ]


def _is_row(inner: Any) -> bool:
    return isinstance(inner, Sequence) and not isinstance(inner, str | bytes)


def _check_shapes(y_true: Any, y_pred: Any) -> tuple[list[list[str]], list[list[str]]]:
    gold, pred = _plain(y_true), _plain(y_pred)
    if set(map(type, gold)) | set(map(type, pred)) != {list}:
        raise TypeError("Found input variables without list of list.")
    lengths = [list(map(len, side)) for side in (gold, pred)]
    if lengths[0] != lengths[1]:
        raise ValueError(
            "Found input variables with inconsistent numbers of samples:\n"
            f"{lengths[0]}\n{lengths[1]}"
        )
    return gold, pred


def _scheme_named(scheme: Any) -> SeqevalScheme | None:
    """The scheme, from its name, an object of this module, or a class of seqeval."""
    if scheme is None or isinstance(scheme, SeqevalScheme):
        return scheme
    name = str(getattr(scheme, "__name__", scheme))
    if name not in SCHEMES:
        raise ValueError(f"Unknown scheme '{name}': {suggest(name, SCHEMES)}.")
    return SCHEMES[name]


def _count_chunks(
    y_true: Any, y_pred: Any, suffix: bool, strict: bool, scheme: Any
) -> tuple[_ChunkCounts, list[_Complaint]]:
    gold, pred = _check_shapes(y_true, y_pred)
    if strict:
        return _count_hits(strict_chunks(gold, pred, _scheme_named(scheme), suffix)), []
    chunks, odd_labels = loose_chunks(gold, pred, suffix)
    complaints = [(f"{label} seems not to be NE tag.", UserWarning) for label in odd_labels]
    return _count_hits(chunks), list[_Complaint](complaints)


def _count_hits(chunks: Chunks) -> _ChunkCounts:
    """Count equal chunks. Chunks of one side never overlap, so the end identifies a chunk."""
    n_types = len(chunks.names)
    # start * n_types + type is one number for a start and a type.
    gold_at_end = np.full(chunks.length, -1)
    gold_at_end[chunks.gold.end] = chunks.gold.start * n_types + chunks.gold.type
    hit = gold_at_end[chunks.pred.end] == chunks.pred.start * n_types + chunks.pred.type
    types = (chunks.pred.type[hit], chunks.pred.type, chunks.gold.type)
    columns = np.array([np.bincount(column, minlength=n_types) for column in types])
    used = [code for code in range(n_types) if columns[1:, code].any()]
    order = sorted(used, key=chunks.names.__getitem__)
    return _ChunkCounts([chunks.names[code] for code in order], *columns[:, order])


def _average_scores(
    y_true: Any,
    y_pred: Any,
    undefined: _UndefinedScores,
    average: str | None,
    suffix: bool,
    mode: str | None,
    scheme: Any,
) -> _Scores:
    if average not in _AVERAGES:
        raise ValueError(f"average has to be one of {_AVERAGES}")
    # seqeval ignores mode="strict" without a scheme here, but not in `classification_report`.
    strict = mode == "strict" and bool(scheme)
    counts, complaints = _count_chunks(y_true, y_pred, suffix, strict, scheme)
    scores = _scores(counts, undefined, average)
    _warn([*complaints, *_complaints(counts, undefined, average)])
    return scores


def _report_rows(
    y_true: Any,
    y_pred: Any,
    undefined: _UndefinedScores,
    suffix: bool,
    strict: bool,
    scheme: Any,
) -> tuple[list[str], list[_Scores]]:
    """The names of the types, and rows with their scores, followed by the three averages."""
    counts, complaints = _count_chunks(y_true, y_pred, suffix, strict, scheme)
    # The first item of _AVERAGES is None: scores by type.
    by_type, *averages = (_scores(counts, undefined, average) for average in _AVERAGES)
    for average in _AVERAGES:
        complaints += _complaints(counts, undefined, average)
    _warn(complaints)
    return counts.names, [*(_Scores(*row) for row in zip(*by_type, strict=True)), *averages]


def _scores(counts: _ChunkCounts, undefined: _UndefinedScores, average: str | None) -> _Scores:
    # The same steps in the same order as in seqeval, because the last digit depends on them.
    counts = counts.summed if average == "micro" else counts
    precision = _divide(counts.hits, counts.pred, undefined)
    recall = _divide(counts.hits, counts.gold, undefined)
    denominator = precision + recall
    denominator[denominator == 0.0] = 1
    f_score = 2 * precision * recall / denominator
    if average is None:
        return _Scores(precision, recall, f_score, counts.gold)
    return _average(counts, (precision, recall, f_score), undefined, average)


def _divide(numerator: Ints, denominator: Ints, undefined: _UndefinedScores) -> Floats:
    is_zero = denominator == 0
    result: Floats = numerator / np.where(is_zero, 1, denominator)
    result[is_zero] = undefined.value
    return result


def _complaints(
    counts: _ChunkCounts, undefined: _UndefinedScores, average: str | None
) -> Iterator[_Complaint]:
    """The warnings of seqeval for scores without a denominator, in the same order and words."""
    if undefined.zero_division != "warn":
        return
    counts = counts.summed if average == "micro" else counts
    where = "due to" if len(counts.gold) == 1 else "in labels with"
    verb = "and F-score are" if "f-score" in undefined.warn_for else "is"
    cases = [
        ("precision", f"Precision {verb}", "predicted", counts.pred == 0),
        ("recall", f"Recall {verb}", "true", counts.gold == 0),
    ]
    if undefined.warn_for == ("f-score",):
        neither = (counts.pred == 0) & (counts.gold == 0)
        cases = [("f-score", "F-score is", "true nor predicted", neither)]
    for score, subject, modifier, is_zero in cases:
        if score in undefined.warn_for and is_zero.any():
            text = (
                f"{subject} ill-defined and being set to 0.0 {where} no {modifier} samples. "
                "Use `zero_division` parameter to control this behavior."
            )
            yield text, _undefined_metric_warning()


def _undefined_metric_warning() -> type[Warning]:
    # Looked up, not imported: importing scikit-learn takes a second.
    loaded: Any = sys.modules.get("sklearn.exceptions")
    kind: type[Warning] = getattr(loaded, "UndefinedMetricWarning", UndefinedMetricWarning)
    return kind


def _average(
    counts: _ChunkCounts,
    scores: tuple[Floats, Floats, Floats],
    undefined: _UndefinedScores,
    average: str,
) -> _Scores:
    support = int(counts.gold.sum())
    if average == "weighted" and not support:
        value = 0.0 if counts.pred.any() else undefined.value
        return _Scores(value, undefined.value, value, support)
    weights = counts.gold if average == "weighted" else None
    precision, recall, f_score = (float(np.average(score, weights=weights)) for score in scores)
    return _Scores(precision, recall, f_score, support)


def _warn(complaints: Iterable[_Complaint]) -> None:
    """Issue each warning once."""
    for text, category in dict.fromkeys(complaints):
        # Level 4 is the caller of the public function: warn, this, its caller, the function.
        warnings.warn(text, category, stacklevel=4)


def _with_averages(names: list[str]) -> Iterator[str]:
    return chain(names, (f"{average} avg" for average in _AVERAGES[1:]))


def _as_dict(names: list[str], rows: Iterable[_Scores]) -> Report:
    keys = ("precision", "recall", "f1-score")
    return {
        name: {**dict(zip(keys, map(float, row[:3]), strict=True)), "support": int(row.support)}
        for name, row in zip(_with_averages(names), rows, strict=True)
    }


def _as_text(names: list[str], rows: list[_Scores], digits: int) -> str:
    # `digits` is part of the maximum, as in seqeval.
    width = max(*map(len, _with_averages(names)), digits)
    head = " ".join(f"{title:>9}" for title in ("precision", "recall", "f1-score", "support"))
    lines = [
        f"{name:>{width}}  "
        + " ".join(f"{score:>9.{digits}f}" for score in row[:3])
        + f" {row.support:>9}"
        for name, row in zip(_with_averages(names), rows, strict=True)
    ]
    return "\n".join([f"{'':>{width}}  {head}", "", *lines[:-3], "", *lines[-3:], ""])
