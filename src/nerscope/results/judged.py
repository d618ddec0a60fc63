"""People's judgements of partial matches: how many of the pairs that got credit deserve it."""

import csv
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from nerscope.errors import FormatError, InputError

COLUMN = "judgement"
CREDIT = "credit "  # columns with the credit of a match
GOOD, BAD = "good", "bad"


def read_judgements(path: str | Path) -> list[dict[str, str]]:
    """The rows of a list of pairs (`evaluate --list partial --format csv`) in which a person has
    judged some.
    """
    try:
        with open(path, encoding="utf-8-sig", newline="") as file:
            rows = list(csv.DictReader(file))
    except OSError as error:
        raise InputError(
            str(path), f"it cannot be read ({error.strerror})", "check the path"
        ) from None
    except (UnicodeDecodeError, csv.Error) as error:
        raise InputError(
            str(path), f"it is no CSV ({error})", "save the list as CSV in UTF-8"
        ) from None
    if not rows or COLUMN not in rows[0] or not any(key.startswith(CREDIT) for key in rows[0]):
        raise FormatError(
            str(path),
            "there is no column 'judgement', or none with the credit of a match",
            "judge a list made by evaluate --list partial --format csv",
        )
    for number, row in enumerate(rows, 2):
        if None in row or None in row.values():
            raise FormatError(
                f"{path}:{number}",
                "the row has not as many columns as the header, so a judgement is lost",
                "save the list as CSV again, with every column",
            )
        if row[COLUMN].strip().lower() not in (GOOD, BAD, ""):
            raise FormatError(
                f"{path}:{number}",
                f"judgement '{row[COLUMN]}' is unknown",
                "write good or bad, or leave it empty",
            )
    return rows


def shares(rows: Iterable[Mapping[str, str]]) -> list[dict[str, Any]]:
    """For each system and match: how many pairs were judged, and the share that was judged good.

    >>> shares([{"system": "x", "credit left": "0.5", "judgement": "good"}])
    [{'system': 'x', 'match': 'left', 'pairs': 1, 'judged': 1, 'good': 1, 'share good': 1.0}]
    """
    counts: dict[tuple[str, str], list[int]] = {}
    for row in rows:
        said = row[COLUMN].strip().lower()
        for match in (key.removeprefix(CREDIT) for key in row if key.startswith(CREDIT)):
            if row[CREDIT + match]:
                entry = counts.setdefault((row.get("system", ""), match), [0, 0, 0])
                entry[0] += 1
                entry[1] += said in (GOOD, BAD)
                entry[2] += said == GOOD
    return [
        {
            "system": system,
            "match": match,
            "pairs": pairs,
            "judged": judged,
            "good": good,
            "share good": good / judged if judged else None,
        }
        for (system, match), (pairs, judged, good) in counts.items()
    ]
