"""The front door: data in, train, dev and test out, in as many splits as were asked for."""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from nerscope.dataset.split.asked import Asked
from nerscope.dataset.split.hard import parse_wanted
from nerscope.dataset.split.material import Data, read_material
from nerscope.dataset.split.plan import PARTS, plan_of
from nerscope.dataset.split.told import notes_of, rows_of
from nerscope.dataset.split.write import files_of
from nerscope.errors import expect
from nerscope.formats.base import OPTIONS_FOLLOW
from nerscope.results.files import check_new_folder, write_folder

Records = list[dict[str, Any]]


class Written(NamedTuple):
    """The files of one split, each as `FILE` or `FILE::options`."""

    name: str
    train: str
    dev: str | None
    test: str


@dataclass(frozen=True, slots=True)
class Splits:
    """What was written, how large it is, and what should be known about it."""

    folder: str
    splits: list[Written]
    rows: Records  # the size of every part
    design: Records  # of a test set by design: what was wanted, and what was reached
    notes: list[str]

    def as_dict(self) -> dict[str, Any]:
        """What `split --format json` prints."""
        return {
            "folder": self.folder,
            "splits": [one._asdict() for one in self.splits],
            "rows": self.rows,
            "design": self.design,
            "notes": self.notes,
        }


def split(
    data: Data,
    folder: str | os.PathLike[str],
    *,
    folds: int | None = None,
    random: int | None = None,
    leave_out: bool = False,
    hard: Mapping[str, float] | str | None = None,
    test: float | None = None,
    dev: float | None = None,
    by: str | None = None,
    stratify: bool = False,
    seed: int = 0,
    context: int = 1,
    allow_leaks: bool = False,
) -> Splits:
    """Split data, a file or a list of them, into train, dev and test in a new folder.

    >>> import tempfile
    >>> data = Path(tempfile.mkdtemp()) / "data.conll"
    >>> _ = data.write_text("Ada B-PER\\n\\nOslo B-LOC\\n\\nBob B-PER\\n\\nAda B-PER\\n")
    >>> made = split(data, data.parent / "folds", folds=2)
    >>> [(row["split"], row["part"], row["sentences"]) for row in made.rows]
    [('fold-1', 'train', 2), ('fold-1', 'test', 2), ('fold-2', 'train', 2), ('fold-2', 'test', 2)]
    >>> Path(made.splits[0].test).read_text().split()
    ['Ada', 'B-PER', 'Ada', 'B-PER']
    """
    expect("folder", folder, (str, os.PathLike), "give the name of a folder")
    asked = Asked(
        *(folds, random, leave_out, _wanted(hard), test, dev),
        *(by, stratify, seed, context, allow_leaks),
    ).checked()
    check_new_folder(folder)
    material = read_material(data)
    plan = plan_of(material, asked)
    settings = {**asked.as_dict(), "by": plan.noun}
    options: dict[str, str] = {}
    write_folder(folder, files_of(material, plan.parts, settings, options))
    rows = list(rows_of(material, plan))
    written = [_written(Path(folder), name, asked.dev, options[name]) for name in plan.parts]
    notes = list(notes_of(asked, plan, rows))
    return Splits(os.fspath(folder), written, rows, plan.design, notes)


def _wanted(hard: Mapping[str, float] | str | None) -> Mapping[str, float] | None:
    """The shares that a test set is to have; a text is read as the command line has it."""
    expect("hard", hard, (Mapping, str, type(None)), "give shares, as unseen=0.8,tcm=0.1")
    if hard is None:
        return None
    if not isinstance(hard, str):
        hard = ",".join(f"{name}={share}" for name, share in hard.items())
    return parse_wanted(hard)


def _written(folder: Path, name: str, dev: float | None, options: str) -> Written:
    ending = f"{OPTIONS_FOLLOW}{options}" if options else ""
    train, own_dev, test = (f"{folder / name / part}.conll{ending}" for part in PARTS)
    return Written(name, train, own_dev if dev else None, test)
