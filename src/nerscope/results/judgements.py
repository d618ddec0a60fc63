"""Human judgements of partial matches, and the files that hold them."""

import csv
import io
import re
import reprlib
from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

from nerscope.errors import FormatError, InputError
from nerscope.results.json_fields import (
    check_version,
    field_of,
    invalid_value,
    load_json,
    number_of,
    shown_value,
)
from nerscope.results.results import FilePath

GOOD, BAD = "good", "bad"


class Judgement(NamedTuple):
    """A person's judgement of a pair of a system."""

    system: str
    type: str
    matches: tuple[str, ...]  # the matches under which the pair got credit
    judgement: str  # good, bad or empty
    pair: Hashable = None  # identifies the pair across judges: a row or a place


class JudgedSpan(NamedTuple):
    """The place of a mention in its sentence, and its type."""

    start: int
    end: int
    type: str


class PairIdentity(NamedTuple):
    """The identity of a pair."""

    dataset: str
    sentence: int  # counted from 1
    gold: JudgedSpan
    predicted: JudgedSpan


@dataclass(frozen=True, slots=True)
class JudgedPair:
    """A pair of a file or of results; texts are None if they are not kept."""

    identity: PairIdentity
    texts: tuple[str | None, str | None]
    systems: Mapping[str, Mapping[str, float]]  # the credit by match
    judgement: str

    @classmethod
    def of(cls, record: Mapping[str, Any]) -> "JudgedPair":
        """A pair from a valid record."""
        gold, predicted = record["gold"], record["predicted"]
        spans = (
            JudgedSpan(mention["start"], mention["end"], mention["type"])
            for mention in (gold, predicted)
        )
        return cls(
            PairIdentity(record["dataset"], record["sentence"], *spans),
            (gold["text"], predicted["text"]),
            record["systems"],
            normalise_judgement(record["judgement"]),
        )

    def has_texts(self, other: "JudgedPair") -> bool:
        """Whether both pairs have texts to compare."""
        return None not in (*self.texts, *other.texts)

    def contradicts(self, other: "JudgedPair") -> bool:
        """Whether the texts differ; missing texts do not count."""
        both = zip(self.texts, other.texts, strict=True)
        return any(
            ours != theirs for ours, theirs in both if ours is not None and theirs is not None
        )


@dataclass(frozen=True, slots=True)
class JudgedFile:
    """The judgements of one judge: by pair and system and, from JSON, by identity of the pair."""

    name: str
    judgements: list[Judgement]
    pairs: Mapping[PairIdentity, JudgedPair] | None = None

    @property
    def votes(self) -> dict[Hashable, str]:
        """The judgement of each pair; pairs of a CSV list are identified by their rows."""
        if self.pairs is None:
            return {row: judgement.judgement for row, judgement in enumerate(self.judgements)}
        return {identity: pair.judgement for identity, pair in self.pairs.items()}


def normalise_judgement(judgement: str) -> str:
    """A judgement in lower case, without blanks at its ends.

    >>> normalise_judgement(" Good")
    'good'
    """
    return judgement.strip().lower()


FORMAT = 1  # of the JSON; increased if an older program would misread it
_COLUMN = "judgement"
_CREDIT = "credit "  # columns with the credit of a match
_NUMBER = re.compile(r"[0-9]*[.,]?[0-9]+")
_AGAIN = "export the judgements from the report page again"


def read_judgements(path: FilePath) -> JudgedFile:
    """The judgements in a list of pairs (`evaluate --list partial --format csv`) or in the JSON
    that a report page exports.
    """
    name = str(path)
    try:
        data = Path(path).read_bytes()
    except (OSError, ValueError) as error:
        fact = getattr(error, "strerror", None) or error
        raise InputError(name, f"it cannot be read ({fact})", "check the path") from None
    if data.removeprefix(b"\xef\xbb\xbf").lstrip().startswith(b"{"):
        return _from_json(name, data)
    return JudgedFile(name, list(_from_csv(name, data)))


def read_pairs(path: FilePath) -> JudgedFile:
    """Judgements with the places of their pairs, which only JSON files have."""
    judged = read_judgements(path)
    if judged.pairs is None:
        raise InputError(
            judged.name,
            "a CSV list does not hold the tokens of its pairs",
            f"give the JSON that a report page exports, or nerscope judged {judged.name}",
        )
    return judged


# CSV


def _from_csv(name: str, data: bytes) -> Iterator[Judgement]:
    try:
        rows = list(csv.DictReader(io.StringIO(data.decode("utf-8-sig"), newline="")))
    except (UnicodeDecodeError, csv.Error) as error:
        raise InputError(
            name, f"it is not CSV ({error})", "save the list as CSV in UTF-8"
        ) from None
    matches = [key for key in (rows[0] if rows else ()) if key and key.startswith(_CREDIT)]
    if not matches or _COLUMN not in rows[0]:
        raise FormatError(
            name,
            "the column 'judgement' or a column with the credit of a match is missing",
            "judge a list from evaluate --list partial --format csv",
        )
    for number, row in enumerate(rows, 2):
        _check_row(f"{name}:{number}", row, matches)
        given = tuple(key.removeprefix(_CREDIT) for key in matches if row[key])
        judgement = normalise_judgement(row[_COLUMN])
        yield Judgement(row.get("system", ""), row.get("gold type", ""), given, judgement, number)


def _check_row(place: str, row: Mapping[str, str], matches: list[str]) -> None:
    if None in row or None in row.values():
        raise FormatError(
            place,
            "the row and the header have different numbers of columns",
            "save the list as CSV again, with every column",
        )
    for credit in (row[key] for key in matches if row[key]):
        if not _NUMBER.fullmatch(credit.strip()):
            raise FormatError(
                place,
                f"the credit {credit!r} is not a number",
                "leave the columns of credit unchanged",
            )
    _check_judgement(place, row[_COLUMN])


def _check_judgement(place: str, judgement: str) -> None:
    if normalise_judgement(judgement) not in (GOOD, BAD, ""):
        raise FormatError(
            place,
            f"unknown judgement '{reprlib.repr(judgement)[1:-1]}'",
            "write good or bad, or leave it empty",
        )


# JSON


def _from_json(name: str, data: bytes) -> JudgedFile:
    content = load_json(name, data, _AGAIN)
    form = content.get("nerscope_judgements")
    check_version(name, form, FORMAT, "judgements of partial matches", _AGAIN)
    pairs: dict[PairIdentity, JudgedPair] = {}
    for number, record in enumerate(_field(name, content, "pairs", list), 1):
        place = f"{name}: pair {number}"
        pair = _checked_pair(place, record)
        pairs[pair.identity] = _joined(place, pairs.get(pair.identity), pair)
    judgements = [
        Judgement(system, pair.identity.gold.type, tuple(credits), pair.judgement, pair.identity)
        for pair in pairs.values()
        for system, credits in pair.systems.items()
    ]
    return JudgedFile(name, judgements, pairs)


def _field(place: str, record: Any, key: str, kinds: type | tuple[type, ...]) -> Any:
    return field_of(place, record, key, kinds, _AGAIN)


def _number(place: str, record: Any, key: str, least: int) -> int:
    return number_of(place, record, key, least, _AGAIN)


def _checked_pair(place: str, record: Any) -> JudgedPair:
    if not isinstance(record, dict):
        raise FormatError(place, f"{shown_value(record)} is not a pair", _AGAIN)
    _field(place, record, "dataset", str)
    _number(place, record, "sentence", 1)
    for side in ("gold", "predicted"):
        mention = _field(place, record, side, dict)
        _number(place, mention, "end", 1 + _number(place, mention, "start", 0))
        _field(place, mention, "type", str)
        _field(place, mention, "text", (str, type(None)))
    systems = _field(place, record, "systems", dict)
    for system in systems:
        for match in _field(place, systems, system, dict):
            credit = _field(place, systems[system], match, (int, float))
            if not 0 <= credit <= 1:
                raise invalid_value(place, match, credit, _AGAIN)
    _check_judgement(place, _field(place, record, "judgement", str))
    return JudgedPair.of(record)


def _joined(place: str, before: JudgedPair | None, pair: JudgedPair) -> JudgedPair:
    """The pair with the systems of both records, which must agree in judgement and texts."""
    if before is None:
        return pair
    if before.judgement != pair.judgement or before.texts != pair.texts:
        raise FormatError(
            place,
            "this pair is there twice, with different judgements or texts",
            "keep one of the two",
        )
    systems = {
        system: {**before.systems.get(system, {}), **pair.systems.get(system, {})}
        for system in {**before.systems, **pair.systems}
    }
    return replace(pair, systems=systems)
