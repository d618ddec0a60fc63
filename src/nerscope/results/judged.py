"""People's judgements of partial matches: how many of the pairs that got credit deserve it."""

import csv
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from nerscope.errors import FormatError, InputError

COLUMN = "judgement"
CREDIT = "credit "  # columns with the credit of a match
GOOD, BAD = "good", "bad"
_NUMBER = re.compile(r"[0-9]*[.,]?[0-9]+")


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
        for key in (key for key in row if key.startswith(CREDIT) and row[key]):
            if not _NUMBER.fullmatch(row[key].strip()):
                raise FormatError(
                    f"{path}:{number}",
                    f"the credit {row[key]!r} is no number",
                    "leave the columns of credit as they were",
                )
        if row[COLUMN].strip().lower() not in (GOOD, BAD, ""):
            raise FormatError(
                f"{path}:{number}",
                f"judgement '{row[COLUMN]}' is unknown",
                "write good or bad, or leave it empty",
            )
    return rows


def shares(rows: Iterable[Mapping[str, str]], by_type: bool = False) -> list[dict[str, Any]]:
    """For each system and match (and type): how many pairs were judged, which share of them good.

    >>> shares([{"system": "x", "credit left": "0.5", "judgement": "good"}])
    [{'system': 'x', 'match': 'left', 'pairs': 1, 'judged': 1, 'good': 1, 'share good': 1.0}]
    """
    counts: dict[tuple[str, ...], list[int]] = {}
    for row in rows:
        said = _said(row)
        for match in (key.removeprefix(CREDIT) for key in row if key.startswith(CREDIT)):
            if row[CREDIT + match]:
                kind = [row.get("gold type", "")] if by_type else []
                entry = counts.setdefault((row.get("system", ""), match, *kind), [0, 0, 0])
                entry[0] += 1
                entry[1] += said in (GOOD, BAD)
                entry[2] += said == GOOD
    return [
        {
            **dict(zip(("system", "match", "type"), key, strict=False)),
            "pairs": pairs,
            "judged": judged,
            "good": good,
            "share good": good / judged if judged else None,
        }
        for key, (pairs, judged, good) in counts.items()
    ]


def _said(row: Mapping[str, str]) -> str:
    return row[COLUMN].strip().lower()


def agreement(judges: Sequence[Sequence[Mapping[str, str]]]) -> dict[str, Any]:
    """How far several judges of the same list agree: raw, and beyond chance (κ).

    κ is Cohen's for two judges and Fleiss' for more, over the pairs that all of them judged.

    >>> one, other = [{"judgement": "good"}, {"judgement": "bad"}], [{"judgement": "good"}] * 2
    >>> agreement([one, other])["raw"]
    0.5
    """
    if len({len(rows) for rows in judges}) > 1:
        raise InputError(
            "judgements", "the lists differ in length", "let all judge the same list of pairs"
        )
    said = [tuple(map(_said, same)) for same in zip(*judges, strict=True)]
    full = [votes for votes in said if all(votes)]
    if not full:
        return {"judges": len(judges), "pairs": 0, "raw": None, "kappa": None}
    size, n = len(judges), len(full)
    goods = [votes.count(GOOD) for votes in full]
    raw = sum(k * (k - 1) + (size - k) * (size - k - 1) for k in goods) / (n * size * (size - 1))
    if size == 2:
        first, second = (sum(votes[judge] == GOOD for votes in full) / n for judge in (0, 1))
        chance = first * second + (1 - first) * (1 - second)
    else:
        share = sum(goods) / (n * size)
        chance = share**2 + (1 - share) ** 2
    kappa = (raw - chance) / (1 - chance) if chance < 1 else None
    return {"judges": size, "pairs": n, "raw": raw, "kappa": kappa}
