"""Lists in the cells of a table: JSON, Python and numpy literals, or words between blanks."""

import ast
import json
import re
import warnings
from typing import Any

_BLANKS = re.compile(r"[ \t\r\n]+")
_BETWEEN_LABELS = re.compile(r"[ \t\r\n]*[, \t\r\n][ \t\r\n]*")
_STRING = r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\""
# numpy writes ['Ada' 'spoke'], which Python would read as one string.
_FLAT_LIST = re.compile(rf"\[\s*(?:(?:{_STRING}|-?\d+)(?:\s*,\s*|\s+|\s*(?=\])))*\]", re.DOTALL)
_ITEM = re.compile(rf"{_STRING}|-?\d+", re.DOTALL)
_MOST_DIGITS = 18
_OTHER_BASE = re.compile(r"0[xXoObB]")  # Python limits the digits of decimal numbers only


def list_in(cell: str) -> list[Any] | None:
    """The list that a cell has as a literal; None if it has none.

    >>> list_in("['Ada', 'spoke']"), list_in('["Ada"]'), list_in("['Ada' 'spoke']")
    (['Ada', 'spoke'], ['Ada'], ['Ada', 'spoke'])
    >>> list_in("[(0, 3, 'PER')]"), list_in("[Ada]")
    ([(0, 3, 'PER')], None)
    """
    cell = cell.strip()
    if not (cell.startswith(("[", "(")) and cell.endswith(("]", ")"))):
        return None
    value: object = None
    try:
        value = json.loads(cell)
    except (ValueError, RecursionError):
        value = _flat_list(cell) if _FLAT_LIST.fullmatch(cell) else _literal(cell)
    return list(value) if isinstance(value, list | tuple) else None


def _flat_list(cell: str) -> list[Any] | None:
    items = _ITEM.findall(cell)
    if all(item[0] in "'\"" and "\\" not in item for item in items):
        return [item[1:-1] for item in items]
    if any(item[0] not in "'\"" and len(item) > _MOST_DIGITS for item in items):
        return None
    values = [_literal(item) for item in items]
    return None if None in values else values


def _literal(text: str) -> Any:
    """The value of a Python literal; None if it is not one."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about escapes such as \/, which JSON allows
            value = ast.literal_eval(text)
        if _OTHER_BASE.search(text):
            repr(value)  # fails if a number is too large to be written with digits
        return value
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        return None


def words_in(cell: str) -> list[str]:
    """The words of a cell, between blanks.

    >>> words_in("Ada  spoke ")
    ['Ada', 'spoke']
    """
    return [word for word in _BLANKS.split(cell) if word]


def labels_in(cell: str) -> list[str]:
    """The labels of a cell, between blanks or commas.

    >>> labels_in("B-PER O"), labels_in("B-PER, O")
    (['B-PER', 'O'], ['B-PER', 'O'])
    """
    return [label for label in _BETWEEN_LABELS.split(cell.strip()) if label]
