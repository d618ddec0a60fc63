"""Scalars: numbers under flat names, as trackers of experiments log them.

The name of a number says only what its row says, so that it is the same in every evaluation, apart
from systems and datasets, which are named where there are several. It ends in its metric, so that
no name is a folder of another one: some trackers keep a file for each.
"""

import re
from collections.abc import Iterable, Sequence

from nerscope.corpus.units import ALL, MENTION
from nerscope.results.rows import Row
from nerscope.scoring.matching import EXACT

_SPELT = str.maketrans({"=": ".", "&": "and", "|": "or", "!": "not "})
_REFUSED = re.compile(r"[^\w. -]")  # by at least one of the trackers, or with a meaning for one


def scalars_of(rows: Iterable[Row]) -> dict[str, float]:
    """The defined numbers of some rows; dataset and system are named where there are several.

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
    """Whether a row is logged unasked: by type, only exact scores of all mentions are."""
    return row.type is None or (row.facet, row.match) == (ALL, EXACT)


def scalar_name(row: Row, several: Sequence[str] = ()) -> str:
    """What the number of a row is called: its conditions, where they are not the usual ones.

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
    """A name in letters, digits, `_`, `-`, `.` and blanks; it is never empty."""
    text = _REFUSED.sub("_", name.translate(_SPELT)).strip()
    return text if text.strip(".") else "_" * max(len(text), 1)


def _free_name(taken: Iterable[str], name: str) -> str:
    """The name, or where another number has it already, the name with a count behind it."""
    free, count = name, 1
    while free in taken:
        count += 1
        free = f"{name}-{count}"
    return free
