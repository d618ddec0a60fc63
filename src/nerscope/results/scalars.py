"""Scalars: numbers under flat names, for experiment trackers.

The name of a number depends only on its row, so it is the same in every evaluation. Systems and
datasets are added if there are several. A name ends with its metric, so that no name is a prefix
folder of another: some trackers store each number as a file.
"""

import re
from collections.abc import Iterable, Sequence

from nerscope.corpus.units import ALL, MENTION
from nerscope.results.rows import Row
from nerscope.scoring.matching import EXACT

_SPELT = str.maketrans({"=": ".", "&": "and", "|": "or", "!": "not "})
_REFUSED = re.compile(r"[^\w. -]")  # refused, or interpreted, by at least one tracker


def scalars_of(rows: Iterable[Row]) -> dict[str, float]:
    """The defined numbers of rows; names include dataset and system if there are several.

    >>> row = Row("d", "s", None, "mention", "tmr", "seen", None, "exact", "recall", 0.5, 8)
    >>> scalars_of([row])
    {'tmr/seen/recall': 0.5}
    """
    rows = list(rows)
    several = [
        field for field in ("dataset", "system") if len({getattr(row, field) for row in rows}) > 1
    ]
    scalars: dict[str, float] = {}
    for row in rows:
        if row.value is not None:
            scalars[_free_name(scalars, scalar_name(row, several))] = float(row.value)
    return scalars


def is_usual(row: Row) -> bool:
    """Whether a row is logged by default: of rows by type, only exact scores of all mentions."""
    return row.type is None or (row.facet, row.match) == (ALL, EXACT)


def scalar_name(row: Row, several: Sequence[str] = ()) -> str:
    """The name of the number of a row: its conditions, without the usual ones.

    >>> conditions = ("mention", "all", "all", "PER", "overlap", "f(beta=0.5)")
    >>> scalar_name(Row("d", "s", None, *conditions, 0.5, 8))
    'type/PER/overlap/f_beta.0.5_'
    """
    names: list[str] = [getattr(row, field) for field in several]
    if row.type is not None:
        names += ["type", row.type]
    if row.facet != ALL:
        names += [row.facet, row.level]
    if row.unit == MENTION and row.match != EXACT:
        names.append(row.match)
    return "/".join(map(_cleaned, [*names, row.metric]))


def _cleaned(name: str) -> str:
    """A name of letters, digits, `_`, `-`, `.` and blanks; never empty."""
    text = _REFUSED.sub("_", name.translate(_SPELT)).strip()
    return text if text.strip(".") else "_" * max(len(text), 1)


def _free_name(taken: Iterable[str], name: str) -> str:
    """The name, with a number after it if it is already taken."""
    free, count = name, 1
    while free in taken:
        count += 1
        free = f"{name}-{count}"
    return free
