"""Scalars: numbers under flat names, as trackers of experiments log them.

The name of a number says only what its row says, so that it is the same in every evaluation, apart
from systems and datasets, which are named where there are several. It ends in its metric, so that
no name is a folder of another one: some trackers keep a file for each.
"""

import re
from collections.abc import Iterable, Sequence

from nerscope.corpus.units import MENTION
from nerscope.results.row import Row

_ALL, _EXACT = "all", "exact"
_SPELT = str.maketrans({"=": ".", "&": "and", "|": "or", "!": "not "})
_REFUSED = re.compile(r"[^\w. -]")  # by at least one of the trackers, or with a meaning for one


def scalars_of(rows: Iterable[Row]) -> dict[str, float]:
    """The defined numbers of some rows; dataset and system are named where there are several.

    >>> row: Row = {"dataset": "d", "system": "s", "unit": "mention", "facet": "tmr"}
    >>> row |= {"level": "seen", "type": None, "match": "exact", "metric": "recall", "value": 0.5}
    >>> scalars_of([row])
    {'tmr/seen/recall': 0.5}
    """
    rows = list(rows)
    several = [
        field for field in ("dataset", "system") if len({row.get(field) for row in rows}) > 1
    ]
    found: dict[str, float] = {}
    for row in rows:
        if row["value"] is not None:
            found[_unlike(found, scalar_name(row, several))] = float(row["value"])
    return found


def is_usual(row: Row) -> bool:
    """Whether a row is logged unasked: by type, only exact scores of all mentions are."""
    return row["type"] is None or (row["facet"], row["match"]) == (_ALL, _EXACT)


def scalar_name(row: Row, several: Sequence[str] = ()) -> str:
    """What the number of a row is called: its conditions, where they are not the usual ones.

    >>> row: Row = {"unit": "mention", "facet": "all", "level": "all", "type": "PER"}
    >>> scalar_name(row | {"match": "overlap", "metric": "f(beta=0.5)"})
    'type/PER/overlap/f_beta.0.5_'
    """
    parts: list[str] = [row[field] for field in several]  # type: ignore[literal-required]
    if row["type"] is not None:
        parts += ["type", row["type"]]
    if row["facet"] != _ALL:
        parts += [row["facet"], row["level"]]
    if row["unit"] == MENTION and row["match"] != _EXACT:
        parts.append(row["match"])
    return "/".join(map(_cleaned, [*parts, row["metric"]]))


def _cleaned(part: str) -> str:
    """A part of a name in letters, digits, `_`, `-`, `.` and blanks; it is never empty."""
    text = _REFUSED.sub("_", part.translate(_SPELT)).strip()
    return text if text.strip(".") else "_" * max(len(text), 1)


def _unlike(taken: Iterable[str], name: str) -> str:
    """The name, or where another number has it already, the name with a count behind it."""
    found, count = name, 1
    while found in taken:
        count += 1
        found = f"{name}-{count}"
    return found
