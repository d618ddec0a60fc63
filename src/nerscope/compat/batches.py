"""From what training loops hold, ids or scores in arrays, to labels in lists."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from nerscope.errors import UsageError, plural

IGNORED = -100  # the gold id of what is no word, or not the first piece of one
LabelList = Sequence[str] | Mapping[int, str]
_Names = Mapping[int, str] | None
_NO_SCORES = -1  # no array has so few axes


class Labelled(NamedTuple):
    """A sentence of a batch: its labels on both sides, and its words where they are known."""

    predicted: list[str]
    gold: list[str]
    tokens: list[str] | None


def labelled(
    preds: Any, target: Any, tokens: Any = None, label_list: LabelList | None = None
) -> list[Labelled]:
    """The sentences of a batch, without what has no gold label and without empty ones.

    Labels are strings, ids of a label list, or (predicted) scores for each label of the list.
    Tokens may be those of the whole row, or those that have a gold label.

    >>> labelled([[0, 1, 0]], [[-100, 1, 0]], label_list=["O", "B-PER"])
    [Labelled(predicted=['B-PER', 'O'], gold=['B-PER', 'O'], tokens=None)]
    """
    predicted, gold = _rows(preds), _rows(target)
    words: list[Any] = (
        [None] * len(gold) if tokens is None else [_plain(one, _NO_SCORES) for one in tokens]
    )
    sizes = {"predicted": len(predicted), "gold": len(gold), "with tokens": len(words)}
    _same_number("sentences", sizes)
    names = _names(label_list)
    rows = enumerate(zip(predicted, gold, words, strict=True), 1)
    found = (_sentence(f"sentence {number}", *row, names) for number, row in rows)
    return [one for one in found if one.gold]


def _sentence(
    place: str, predicted: list[Any], gold: list[Any], words: list[str] | None, names: _Names
) -> Labelled:
    _same_number(f"{place}, labels", {"predicted": len(predicted), "gold": len(gold)})
    kept = [at for at, label in enumerate(gold) if label != IGNORED]
    if words is not None and len(words) == len(gold):
        words = [words[at] for at in kept]
    if words is not None:
        _same_number(place, {"labels that count": len(kept), "tokens": len(words)})
    sides = [[_named(place, row[at], names) for at in kept] for row in (predicted, gold)]
    return Labelled(sides[0], sides[1], words)


def _names(label_list: LabelList | None) -> _Names:
    if label_list is None or isinstance(label_list, Mapping):
        return label_list
    return dict(enumerate(label_list))


def _named(place: str, label: Any, names: _Names) -> str:
    """A label by its id; what is a string already stays."""
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


def _same_number(place: str, sizes: Mapping[str, int]) -> None:
    if len(set(sizes.values())) > 1:
        told = ", ".join(f"{size} {name}" for name, size in sizes.items())
        raise UsageError(
            place, f"the numbers differ: {told}", "give as many of the one as of the other"
        )


def _rows(batch: Any) -> list[list[Any]]:
    rows = _plain(batch, 3)
    for row in rows if isinstance(rows, list) else [rows]:
        if not isinstance(row, list):
            raise UsageError(
                "labels",
                f"{row!r} is no sentence",
                "give a list of sentences, each a list of labels",
            )
    return [[_best(label) for label in row] for row in rows]


def _plain(given: Any, deep: int) -> Any:
    """Arrays and tensors of any library as lists; `deep` is the number of axes with scores.

    The library's own way to find the highest score is the fast one.
    """
    if getattr(given, "ndim", None) == deep:
        given = given.argmax(-1)
    if hasattr(given, "tolist"):
        return given.tolist()
    if isinstance(given, str) or not isinstance(given, Iterable):
        return given
    return [_plain(one, deep - 1) for one in given]


def _best(label: Any) -> Any:
    """The place of the highest score, if these are scores."""
    return label.index(max(label)) if isinstance(label, list) and label else label
