"""The metrics of seqeval 1.2.2 under the same names: the same numbers and the same text, sooner.

One line changes: `from nerscope.compat.seqeval import classification_report, f1_score, IOB2`.
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
    Scheme,
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
# A report with the scores of each type and their averages, as numbers.
Report = dict[str, dict[str, float | int]]


class UndefinedMetricWarning(UserWarning):
    """A score was divided by nothing and set to 0.

    Where scikit-learn is loaded, its warning of this name is given instead, so that filters for it
    go on working.

    >>> with warnings.catch_warnings(record=True) as caught:
    ...     warnings.simplefilter("always")
    ...     precision_score([["B-X"]], [["O"]])
    0.0
    >>> print(caught[0].message)
    Precision is ill-defined and being set to 0.0 due to no predicted samples. Use...
    """


class _Tally(NamedTuple):
    """Counts by type, the types in the order of their names."""

    names: list[str]
    hits: Ints
    pred: Ints
    gold: Ints

    @property
    def summed(self) -> "_Tally":
        return _Tally([], *(column.sum(keepdims=True) for column in self[1:]))


class _Asked(NamedTuple):
    """What is asked of the tallies, and what there is to complain about."""

    zero_division: Any
    warn_for: tuple[str, ...]
    complaints: list[tuple[str, type[Warning]]]

    @property
    def instead(self) -> float:
        """What an undefined score is set to."""
        return 0.0 if self.zero_division in ("warn", 0) else 1.0


class _Scores(NamedTuple):
    """Precision, recall, F-score and the number of gold chunks: by type, or one of each."""

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

    >>> f1_score([["B-PER", "I-PER", "O", "B-LOC"]], [["B-PER", "I-PER", "O", "B-PER"]])
    0.5
    >>> f1_score([["B-X", "I-X"]], [["I-X", "I-X"]], mode="strict", scheme=IOB2, zero_division=0)
    0.0
    """
    asked = _Asked(zero_division, ("f-score",), [])
    return _one(y_true, y_pred, asked, average, suffix, mode, scheme).f_score


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
    """The share of predicted chunks that are right: a number, or an array with `average=None`.

    >>> precision_score([["B-PER", "O", "B-LOC"]], [["B-PER", "O", "B-PER"]])
    0.5
    """
    asked = _Asked(zero_division, ("precision",), [])
    return _one(y_true, y_pred, asked, average, suffix, mode, scheme).precision


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
    asked = _Asked(zero_division, ("recall",), [])
    return _one(y_true, y_pred, asked, average, suffix, mode, scheme).recall


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
    asked = _Asked(zero_division, _SCORES, [])
    strict = mode == "strict"
    names, rows = _all(y_true, y_pred, asked, suffix, strict, scheme)
    return _as_dict(names, rows) if output_dict else _as_text(names, rows, digits)


def accuracy_score(y_true: Sequence[Any], y_pred: Sequence[Any]) -> float:
    """The share of labels that are the same.

    >>> accuracy_score([["B-PER", "I-PER", "O", "O"]], [["B-PER", "I-PER", "O", "B-LOC"]])
    0.75
    """
    gold, pred = _flat(y_true), _flat(y_pred)
    return int(sum(map(eq, gold, pred))) / len(gold)


def performance_measure(y_true: Sequence[Any], y_pred: Sequence[Any]) -> dict[str, int]:
    """Labels, not chunks, that are right, added, lost, and rightly `O`.

    A label in place of another counts as added only.

    >>> performance_measure([["B-PER", "I-PER", "O", "O"]], [["B-PER", "O", "O", "B-LOC"]])
    {'TP': 1, 'FP': 1, 'FN': 1, 'TN': 1}
    """
    gold, pred = _flat(y_true), _flat(y_pred)
    size = min(len(gold), len(pred))
    beside_outside = list(compress(gold, map(eq, pred, repeat("O"))))
    nothing = beside_outside.count("O")
    right = int(sum(map(eq, gold, pred))) - nothing
    added = size - len(beside_outside) - right
    return {"TP": right, "FP": added, "FN": len(beside_outside) - nothing, "TN": nothing}


def _flat(labels: Sequence[Any]) -> list[Any]:
    """All labels in one row; a row of labels stays as it is."""
    plain = _plain(labels)
    nested = any(isinstance(sentence, list) for sentence in plain)
    return list(chain.from_iterable(plain)) if nested else plain


def _plain(labels: Any) -> list[Any]:
    """Lists of lists, whatever tuples and arrays they came as."""
    outer: list[Any] = labels.tolist() if hasattr(labels, "tolist") else list(labels)
    if set(map(type, outer)) <= {list}:
        return outer
    return [
        inner.tolist() if hasattr(inner, "tolist") else list(inner) if _is_row(inner) else inner
        for inner in outer
    ]


def _is_row(inner: Any) -> bool:
    return isinstance(inner, Sequence) and not isinstance(inner, str | bytes)


def _checked(y_true: Any, y_pred: Any) -> tuple[list[list[str]], list[list[str]]]:
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


def _named(scheme: Any) -> Scheme | None:
    """The scheme of this name: given as text, as one of the names here, or as seqeval's class."""
    if scheme is None or isinstance(scheme, Scheme):
        return scheme
    name = str(getattr(scheme, "__name__", scheme))
    if name not in SCHEMES:
        raise ValueError(f"There is no scheme '{name}': {suggest(name, SCHEMES)}.")
    return SCHEMES[name]


def _tally(
    y_true: Any, y_pred: Any, asked: _Asked, suffix: bool, strict: bool, scheme: Any
) -> _Tally:
    gold, pred = _checked(y_true, y_pred)
    if strict:
        return _counted(strict_chunks(gold, pred, _named(scheme), suffix))
    chunks, odd = loose_chunks(gold, pred, suffix)
    asked.complaints.extend((f"{label} seems not to be NE tag.", UserWarning) for label in odd)
    return _counted(chunks)


def _counted(chunks: Chunks) -> _Tally:
    """Chunks of one side never end at the same place, so the end finds the counterpart."""
    kinds = len(chunks.names)
    at_end = np.full(chunks.length, -1)
    at_end[chunks.gold.end] = chunks.gold.start * kinds + chunks.gold.type
    hit = at_end[chunks.pred.end] == chunks.pred.start * kinds + chunks.pred.type
    found = (chunks.pred.type[hit], chunks.pred.type, chunks.gold.type)
    columns = np.array([np.bincount(column, minlength=kinds) for column in found])
    used = [place for place in range(kinds) if columns[1:, place].any()]
    order = sorted(used, key=chunks.names.__getitem__)
    return _Tally([chunks.names[place] for place in order], *columns[:, order])


def _one(
    y_true: Any,
    y_pred: Any,
    asked: _Asked,
    average: str | None,
    suffix: bool,
    mode: str | None,
    scheme: Any,
) -> _Scores:
    if average not in _AVERAGES:
        raise ValueError(f"average has to be one of {_AVERAGES}")
    strict = mode == "strict" and bool(scheme)
    scores = _scored(_tally(y_true, y_pred, asked, suffix, strict, scheme), asked, average)
    _complain(asked)
    return scores


def _all(
    y_true: Any, y_pred: Any, asked: _Asked, suffix: bool, strict: bool, scheme: Any
) -> tuple[list[str], list[_Scores]]:
    """The scores by type, and below them the three averages."""
    tally = _tally(y_true, y_pred, asked, suffix, strict, scheme)
    by_type, *averaged = (_scored(tally, asked, average) for average in _AVERAGES)
    _complain(asked)
    return tally.names, [*(_Scores(*row) for row in zip(*by_type, strict=True)), *averaged]


def _scored(tally: _Tally, asked: _Asked, average: str | None) -> _Scores:
    """The steps and their order are seqeval's: the last digit depends on them."""
    counts = tally.summed if average == "micro" else tally
    precision = _divided(counts.hits, counts.pred, "precision", "predicted", asked)
    recall = _divided(counts.hits, counts.gold, "recall", "true", asked)
    if asked.warn_for == ("f-score",) and ((counts.pred == 0) & (counts.gold == 0)).any():
        _note_undefined(asked, "F-score is", "true nor predicted", len(counts.gold))
    below = precision + recall
    below[below == 0.0] = 1
    f_score = 2 * precision * recall / below
    if average is None:
        return _Scores(precision, recall, f_score, counts.gold)
    return _averaged(counts, (precision, recall, f_score), asked, average)


def _divided(above: Ints, below: Ints, name: str, modifier: str, asked: _Asked) -> Floats:
    undefined = below == 0
    result: Floats = above / np.where(undefined, 1, below)
    result[undefined] = asked.instead
    if undefined.any() and name in asked.warn_for:
        both = "and F-score are" if "f-score" in asked.warn_for else "is"
        _note_undefined(asked, f"{name.title()} {both}", modifier, len(result))
    return result


def _note_undefined(asked: _Asked, who: str, modifier: str, size: int) -> None:
    if asked.zero_division != "warn":
        return
    where = "due to" if size == 1 else "in labels with"
    text = (
        f"{who} ill-defined and being set to 0.0 {where} no {modifier} samples. "
        "Use `zero_division` parameter to control this behavior."
    )
    asked.complaints.append((text, _undefined_metric_warning()))


def _undefined_metric_warning() -> type[Warning]:
    loaded: Any = sys.modules.get("sklearn.exceptions")
    kind: type[Warning] = getattr(loaded, "UndefinedMetricWarning", UndefinedMetricWarning)
    return kind


def _averaged(
    counts: _Tally, scores: tuple[Floats, Floats, Floats], asked: _Asked, average: str
) -> _Scores:
    support = int(counts.gold.sum())
    if average == "weighted" and not support:
        undefined = 0.0 if counts.pred.any() else asked.instead
        return _Scores(undefined, asked.instead, undefined, support)
    weights = counts.gold if average == "weighted" else None
    precision, recall, f_score = (float(np.average(score, weights=weights)) for score in scores)
    return _Scores(precision, recall, f_score, support)


def _complain(asked: _Asked) -> None:
    """Each complaint once, as if the line that called were to blame."""
    for text, category in dict.fromkeys(asked.complaints):
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
    width = max(*map(len, _with_averages(names)), digits)
    head = " ".join(f"{title:>9}" for title in ("precision", "recall", "f1-score", "support"))
    lines = [
        f"{name:>{width}}  "
        + " ".join(f"{score:>9.{digits}f}" for score in row[:3])
        + f" {row.support:>9}"
        for name, row in zip(_with_averages(names), rows, strict=True)
    ]
    return "\n".join([f"{'':>{width}}  {head}", "", *lines[:-3], "", *lines[-3:], ""])
