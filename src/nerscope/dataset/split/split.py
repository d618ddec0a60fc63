"""Split data into train, dev and test, in one or more splits."""

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from nerscope.arguments import check_arguments
from nerscope.corpus.arrays import Bools
from nerscope.dataset.split.hard import DesignRow, parse_shares
from nerscope.dataset.split.material import Data, Material, read_material
from nerscope.dataset.split.options import DOCUMENT, SENTENCE, SplitSettings
from nerscope.dataset.split.plan import DEV, PARTS, TEST, TRAIN, SplitPlan, make_plan
from nerscope.dataset.split.write import SplitFolder, folder_files, plan_folder
from nerscope.errors import expect, plural
from nerscope.formats.base import OPTIONS_MARK
from nerscope.results.files import check_new_folder, write_folder
from nerscope.results.rows import ResultRow

_SIZE_TOLERANCE = 0.1  # relative deviation from the requested share that gets a note


class WrittenSplit(NamedTuple):
    """The files of one split, each as `FILE` or `FILE::options`."""

    name: str
    train: str
    dev: str | None
    test: str


@dataclass(frozen=True, slots=True, eq=False)
class PartRow(ResultRow):
    """The size of one part of one split."""

    split: str
    part: str
    sentences: int
    tokens: int
    mentions: int
    share: float  # of all sentences
    leaks: int  # sentences that are also in an earlier part
    types: dict[str, int]  # mentions of each type


@dataclass(frozen=True, slots=True)
class Splits:
    """The result of `split`: the files, the size of every part, and notes."""

    folder: str
    splits: list[WrittenSplit]
    rows: list[PartRow]
    design: list[DesignRow]  # of a designed test set: shares requested and reached
    notes: list[str]

    def as_dict(self) -> dict[str, Any]:
        """The output of `split --format json`."""
        return {
            "folder": self.folder,
            "splits": [files._asdict() for files in self.splits],
            "rows": [row.as_dict() for row in self.rows],
            "design": [row.as_dict() for row in self.design],
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
    """Split data (a file or a list of files) into train, dev and test, in a new folder.

    Choose one kind of split: `folds=K` gives K splits for cross-validation; `random=N` gives N
    independent splits; `leave_out=True` tests on each file in turn; `hard` designs one test set
    with given shares, such as `{"unseen": 0.8, "tcm": 0.1}`.

    - `test`, `dev`: shares of all sentences; `test` (default 0.1) is for `random` and `hard` only.
    - `by`: the unit that is not split, "document" or "sentence"; default: "document" if documents
      are marked.
    - `stratify`: keep the distribution of types similar in all parts.
    - `seed`: the same seed gives the same files.
    - `context`: the number of consecutive sentences of a document that are joined into one.
    - `allow_leaks`: permit the same sentence in different parts of a split.

    >>> import tempfile
    >>> data = Path(tempfile.mkdtemp()) / "data.conll"
    >>> _ = data.write_text("Ada B-PER\\n\\nOslo B-LOC\\n\\nBob B-PER\\n\\nAda B-PER\\n")
    >>> splits = split(data, data.parent / "folds", folds=2)
    >>> [(row.split, row.part, row.sentences) for row in splits.rows]
    [('fold-1', 'train', 2), ('fold-1', 'test', 2), ('fold-2', 'train', 2), ('fold-2', 'test', 2)]
    >>> Path(splits.splits[0].test).read_text().split()
    ['Ada', 'B-PER', 'Ada', 'B-PER']
    """
    check_arguments(split, locals())
    expect("folder", folder, (str, os.PathLike), "give the name of a folder")
    options = SplitSettings(
        folds=folds,
        random=random,
        leave_out=leave_out,
        hard=_shares(hard),
        test=test,
        dev=dev,
        by=by,
        stratify=stratify,
        seed=seed,
        context=context,
        allow_leaks=allow_leaks,
    ).checked()
    check_new_folder(folder)  # raises errors before the work rather than after
    material = read_material(data)
    plan = make_plan(material, options)
    planned = plan_folder(material, plan, replace(options, by=plan.unit))
    write_folder(folder, folder_files(planned))
    rows = list(_part_rows(material, plan))
    splits = _written_splits(Path(folder), planned)
    return Splits(os.fspath(folder), splits, rows, plan.design, list(_notes(options, plan, rows)))


def _shares(hard: Mapping[str, float] | str | None) -> Mapping[str, float] | None:
    """The shares for a designed test set; a string is parsed as on the command line."""
    expect("hard", hard, (Mapping, str, type(None)), "give shares, such as unseen=0.8,tcm=0.1")
    if hard is None:
        return None
    if not isinstance(hard, str):
        hard = ",".join(f"{name}={share}" for name, share in hard.items())
    return parse_shares(hard)


def _written_splits(folder: Path, planned: SplitFolder) -> list[WrittenSplit]:
    splits = []
    for name, file_options in planned.file_options.items():
        ending = f"{OPTIONS_MARK}{file_options}" if file_options else ""
        train, dev, test = (f"{folder / name / part}.conll{ending}" for part in PARTS)
        splits.append(WrittenSplit(name, train, dev if planned.options.dev else None, test))
    return splits


def _part_rows(material: Material, plan: SplitPlan) -> Iterator[PartRow]:
    corpus, (sentence, type_) = material.corpus, material.mentions()
    types, lengths = corpus.coding.labels.types, np.diff(corpus.starts)
    for split_name, part in plan.parts.items():
        for number in np.unique(part).tolist():
            chosen: Bools = part == number
            counts = np.bincount(type_[chosen[sentence]], minlength=len(types)).tolist()
            yield PartRow(
                split=split_name,
                part=PARTS[number],
                sentences=int(chosen.sum()),
                tokens=int(lengths[chosen].sum()),
                mentions=sum(counts),
                share=float(chosen.mean()),
                leaks=int(np.isin(plan.codes[chosen], plan.codes[part < number]).sum()),
                types=dict(zip(types, counts, strict=True)),
            )


def _notes(options: SplitSettings, plan: SplitPlan, rows: list[PartRow]) -> Iterator[str]:
    """Notes on unexpected properties of the splits."""
    yield from _note_large_group(options, plan)
    yield from _note_sizes(options, rows)
    if options.allow_leaks:
        leaks = sum(row.leaks for row in rows)
        yield (
            f"{plural(leaks, 'sentence')} of test and dev sets shared with another part of the "
            "same split (--allow-leaks)"
        )


def _note_large_group(options: SplitSettings, plan: SplitPlan) -> Iterator[str]:
    """Yield a note if a group of linked units is larger than the test set should be."""
    sizes = np.bincount(plan.group)
    largest = int(sizes.argmax())
    limit = 1 / options.folds if options.folds else options.test
    units = len(np.unique(plan.units[plan.group == largest]))
    if limit is None or units == 1 or sizes[largest] <= limit * len(plan.group):
        return
    effect = "folds are uneven" if options.folds else f"they are always in {PARTS[TRAIN]}"
    yield (
        f"{units} of {int(plan.units.max()) + 1} {_unit_name(options, plan)} "
        f"({100 * sizes[largest] / len(plan.group):.1f} % of the sentences) are linked by common "
        f"sentences and stay together: {effect}; "
        f"{'--by sentence or ' * (plan.unit == DOCUMENT)}--allow-leaks separates them"
    )


def _unit_name(options: SplitSettings, plan: SplitPlan) -> str:
    is_joined = plan.unit == SENTENCE and options.context > 1
    return f"runs of {options.context} sentences" if is_joined else f"{plan.unit}s"


def _note_sizes(options: SplitSettings, rows: list[PartRow]) -> Iterator[str]:
    """Yield a note for each part whose size is far from the requested share."""
    for part, share in ((PARTS[TEST], options.test), (PARTS[DEV], options.dev)):
        if not share:
            continue
        shares = [row.share for row in rows if row.part == part]
        off = [actual for actual in shares if abs(actual - share) > _SIZE_TOLERANCE * share]
        if off:
            yield (
                f"{part} is {100 * min(off):.1f} % to {100 * max(off):.1f} % of the sentences in "
                f"{plural(len(off), 'split')} instead of {100 * share:g} %, because linked "
                "sentences stay together"
            )
