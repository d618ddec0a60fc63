"""Results: tidy rows with their conditions, and JSON both ways."""

import json
import math
import os
import zlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypedDict

from nerscope.errors import InputError, OutputError
from nerscope.formats.losses import Loss
from nerscope.scoring.evidence import Evidence
from nerscope.scoring.metrics import LOWER_IS_BETTER, NEITHER_IS_BETTER
from nerscope.scoring.packing import pack_evidence, unpack_evidence
from nerscope.stats.tests import SIGNIFICANT as SIGNIFICANT
from nerscope.version import VERSION

if TYPE_CHECKING:
    import pandas
    import polars

    from nerscope.render.tables import Table


class Row(TypedDict, total=False):
    """One number and what it is a number of; see docs/results.md."""

    dataset: str
    system: str
    run: str | None
    unit: str
    facet: str
    level: str
    type: str | None
    match: str
    metric: str
    value: float | None
    n: int
    std: float | None
    runs: int
    low: float | None
    high: float | None


@dataclass(slots=True)
class Results:
    """What an evaluation found.

    >>> from nerscope import evaluate
    >>> results = evaluate([(["Ada", "spoke"], ["B-PER", "O"])], {"all-O": [["O", "O"]]})
    >>> results.value(metric="recall")
    0.0
    """

    rows: list[Row]
    settings: dict[str, Any] = field(default_factory=dict)
    losses: list[Loss] = field(default_factory=list)
    evidence: list[Evidence] = field(default_factory=list, repr=False)

    @property
    def signature(self) -> str:
        """All settings that move a number, in one line."""
        parts = {**self.settings.get("signature", {}), "version": VERSION}
        return "|".join(f"{key}:{value}" for key, value in parts.items())

    def select(self, **wanted: object) -> list[Row]:
        """The rows whose fields have the given values."""
        return [
            row for row in self.rows if all(row.get(key) == value for key, value in wanted.items())
        ]

    def value(self, **wanted: object) -> float | None:
        """The value of the one row that fits; by default of exact match, all mentions, over all
        runs.
        """
        defaults: dict[str, object] = {
            "facet": "all",
            "level": "all",
            "type": None,
            "match": "exact",
            "run": None,
        }
        if wanted.get("metric") == "accuracy":
            defaults["match"] = "label"
        found = self.select(**{**defaults, **wanted})
        if len(found) != 1:
            raise InputError(
                "results",
                f"{len(found)} rows fit {wanted}",
                "name dataset, system, facet, level, match and metric",
            )
        return found[0]["value"]

    def to_json(self) -> str:
        """Strict JSON: undefined is null."""
        head = {
            "nerscope": VERSION,
            "signature": self.signature,
            "settings": self.settings,
            "losses": self.losses,
        }
        rows = ",\n".join(_compact(row) for row in self.rows)
        evidence = _compact([pack_evidence(part) for part in self.evidence])
        text = _compact(head)
        return f'{text[:-1]}, "rows": [\n{rows}\n], "evidence": {evidence}}}\n'

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the results as JSON."""
        write_text(path, self.to_json())

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> "Results":
        """Read results that were saved."""
        try:
            return cls.from_json(Path(path).read_text(encoding="utf-8"), str(path))
        except (OSError, UnicodeDecodeError) as error:
            raise InputError(
                str(path), f"it cannot be read ({error})", "give a file that `evaluate -o` wrote"
            ) from None

    @classmethod
    def from_json(cls, text: str, name: str = "<memory>") -> "Results":
        """Results from their JSON."""
        try:
            content = json.loads(text)
        except ValueError as error:
            raise InputError(
                name, f"it is not JSON ({error})", "give a file that `evaluate -o` wrote"
            ) from None
        kinds = {"nerscope": str, "rows": list, "settings": dict, "losses": list}
        if not isinstance(content, dict) or not all(
            isinstance(content.get(key), kind) for key, kind in kinds.items()
        ):
            raise InputError(
                name, "it holds no nerscope results", "give a file that `evaluate -o` wrote"
            )
        if _release(content["nerscope"]) > _release(VERSION):
            raise InputError(
                name,
                f"it was written by nerscope {content['nerscope']}, this is {VERSION}",
                "install that version or a newer one",
            )
        try:
            evidence = [unpack_evidence(part) for part in content.get("evidence", [])]
        except (KeyError, TypeError, ValueError, zlib.error) as error:
            raise InputError(
                name, f"these results are damaged ({error!r})", "evaluate again, and save with `-o`"
            ) from None
        return cls(content["rows"], content["settings"], content["losses"], evidence)

    def to_pandas(self) -> "pandas.DataFrame":
        """The rows as a pandas data frame."""
        import pandas

        return pandas.DataFrame(self.rows)

    def to_polars(self) -> "polars.DataFrame":
        """The rows as a polars data frame."""
        import polars

        return polars.DataFrame(self.rows, infer_schema_length=None)

    def table(self, name: str = "exact") -> "Table":
        """One of the tables that the command line shows."""
        from nerscope.render.tables import table

        return table(self, name)


def _release(text: object) -> tuple[int, ...]:
    return tuple(int(part) for part in str(text).split(".") if part.isdigit())


def row_value(value: float) -> float | None:
    """A number as rows hold it: None where it is undefined."""
    return None if math.isnan(value) else float(value)


def summary_row(rows: Sequence[Row]) -> Row:
    """The mean over a system's runs; runs for which the number is undefined have no share in it."""
    defined = [row for row in rows if row["value"] is not None] or rows
    values = [row["value"] for row in defined if row["value"] is not None]
    summary = rows[0].copy()
    summary["run"] = None
    summary["value"] = math.fsum(values) / len(values) if values else None
    summary["n"] = round(sum(row["n"] for row in defined) / len(defined))
    summary["std"] = _sample_deviation(values) if len(values) > 1 else None
    summary["runs"] = len(defined)
    return summary


def _sample_deviation(values: Sequence[float]) -> float:
    mean = math.fsum(values) / len(values)
    return math.sqrt(math.fsum((value - mean) ** 2 for value in values) / (len(values) - 1))


def gain(metric: str, difference: float) -> float:
    """A difference, positive if it is for the better: error rates are to go down, a share of errors
    is neither good nor bad.

    >>> gain("f1", 0.25), gain("ter", 0.25), gain("error_share", 0.25)
    (0.25, -0.25, 0.0)
    """
    return (
        0.0
        if metric in NEITHER_IS_BETTER
        else -difference
        if metric in LOWER_IS_BETTER
        else difference
    )


def outcome(metric: str, difference: float, p: float | None) -> str:
    """Whether the first of two systems wins a cell, loses it, or ties.

    >>> outcome("ter", -0.02, 0.01), outcome("f1", -0.02, 0.01), outcome("f1", 0.02, 0.3)
    ('win', 'loss', 'tie')
    """
    better = gain(metric, difference)
    return "tie" if not better or not is_significant(p) else "win" if better > 0 else "loss"


def is_significant(p: float | None) -> bool:
    """Whether a p-value is below the usual bound; an undefined one is not."""
    return p is not None and p < SIGNIFICANT


def write_text(path: str | os.PathLike[str], text: str) -> None:
    """Write a text file whole or not at all."""
    write_bytes(path, text.encode())


def write_bytes(path: str | os.PathLike[str], data: bytes) -> None:
    """Write a file whole or not at all."""
    target = Path(path)
    if not target.name:
        raise OutputError(str(path), "this is no name of a file", "name a file")
    draft = target.with_name(f".{target.name}.{os.getpid()}.part")
    try:
        try:
            draft.write_bytes(data)
            draft.replace(target)
        finally:
            draft.unlink(missing_ok=True)
    except OSError as error:
        raise OutputError(
            str(path),
            f"it cannot be written ({error.strerror})",
            "check the folder and its permissions",
        ) from None


def _compact(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
