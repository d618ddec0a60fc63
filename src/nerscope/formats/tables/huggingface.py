"""Hugging Face datasets: folders written by `save_to_disk`, and datasets in memory."""

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from nerscope.errors import InputError
from nerscope.formats.base import FORMATS, Format
from nerscope.formats.files import FileBytes, unreadable_file
from nerscope.formats.source import Source
from nerscope.formats.tables.arrow import arrow_table, names_of_features, rows_of_table
from nerscope.formats.tables.rows import (
    BATCH,
    FEW,
    SMALL,
    TABLE_OPTIONS,
    TableData,
    TableRow,
    TableSource,
)

NAME = "datasets"
_STATE, _SPLITS, _INFO = "state.json", "dataset_dict.json", "dataset_info.json"
_SAVE_AGAIN = "save the dataset again with save_to_disk"


def open_folder(data: FileBytes, **options: Any) -> Source:
    """A folder with one split of a dataset as a source."""
    folder = Path(data.name)
    if (folder / _SPLITS).is_file():
        splits = _json(folder / _SPLITS).get("splits", [])
        raise _has_splits(data.name, splits, f"{data.name}/{_example(splits)}")
    size = sum(file.stat().st_size for file in folder.glob("*.arrow"))
    return TableSource(data.name, lambda: _saved_table(folder), size <= SMALL, **options)


def _saved_table(folder: Path) -> TableData:
    """The files of a folder, one after the other, as one table."""
    tables = [arrow_table(FileBytes.of(folder / name)) for name in _files(folder)]
    # The names of classes are in the schema of the files, or in this file beside them.
    info = folder / _INFO
    features = _json(info).get("features") if info.is_file() else None
    names = names_of_features(features) if isinstance(features, dict) else {}

    def batches() -> Iterator[Sequence[TableRow]]:
        for table in tables:
            yield from table.batches()

    return TableData(tables[0].columns, {**names, **tables[0].names}, batches)


def _files(folder: Path) -> list[str]:
    """The files that the state of a dataset lists, all of them in its folder."""
    state = _json(folder / _STATE)
    files = _as_list(state.get("_data_files"))
    names = [file.get("filename") if isinstance(file, dict) else None for file in files]
    # A name that contains a folder could point anywhere on this machine.
    if not names or any(not isinstance(name, str) or Path(name).name != name for name in names):
        raise InputError(
            str(folder / _STATE), "it does not list the data files of the folder", _SAVE_AGAIN
        )
    # select() and shuffle() leave the table unchanged and save a list of row numbers.
    if state.get("_indices_data_files"):
        raise InputError(
            str(folder / _STATE),
            "the rows are selected or shuffled by a separate list of indices",
            "call flatten_indices() before save_to_disk",
        )
    return [str(name) for name in names]


def _as_list(value: object) -> list[Any]:
    return value if isinstance(value, list) else []


def _json(path: Path) -> dict[str, Any]:
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise unreadable_file(str(path), error) from None
    except (ValueError, RecursionError):
        content = None
    if not isinstance(content, dict):
        raise InputError(str(path), "it is not a JSON object", _SAVE_AGAIN)
    return content


def _has_splits(name: str, splits: object, fix: str) -> InputError:
    names = ", ".join(map(str, _as_list(splits))) or "none"
    return InputError(name, f"the dataset has several splits: {names}", f"choose one split: {fix}")


def _example(splits: object) -> str:
    names = list(map(str, _as_list(splits)))
    return "test" if "test" in names or not names else names[0]


def wrap_dataset(given: Any, name: str) -> Source:
    """A dataset in memory, or a streaming dataset, as a source."""
    if isinstance(given, Mapping):
        splits = list(given)
        raise _has_splits(name, splits, f"dataset[{_example(splits)!r}]")
    features = given.features or {}
    columns = {str(column): str(features.get(column)) for column in given.column_names or ()}

    def batches() -> Iterator[Sequence[TableRow]]:
        # A dataset in memory or on disk is an Arrow table; a stream gives Python objects.
        is_arrow = hasattr(given, "data")
        for batch in given.with_format("arrow" if is_arrow else None).iter(batch_size=BATCH):
            yield rows_of_table(batch, name) if is_arrow else _rows(batch)

    names = names_of_features(features)
    is_small = hasattr(given, "__len__") and len(given) <= FEW
    return TableSource(name, lambda: TableData(columns, names, batches), is_small)


def _rows(columns: Mapping[str, Sequence[Any]]) -> list[TableRow]:
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]


def takes(given: object) -> bool:
    """Whether an object is a dataset, or a mapping of its splits.

    >>> takes({"test": [["O"]]})
    False
    """
    if isinstance(given, Mapping):
        return bool(given) and all(map(_is_dataset, given.values()))
    return _is_dataset(given)


def _is_dataset(given: object) -> bool:
    # Recognised by its methods, so that `datasets` is not imported.
    return all(hasattr(given, name) for name in ("features", "column_names", "with_format", "iter"))


def _fits(name: str, head: bytes) -> bool:
    return not head and any((Path(name) / file).is_file() for file in (_STATE, _SPLITS))


FORMATS.add(
    NAME,
    Format(
        NAME,
        open_folder,
        _fits,
        TABLE_OPTIONS,
        takes=takes,
        wrap=wrap_dataset,
        title="Hugging Face dataset",
        phrase="Hugging Face datasets",
        definition="One split of a dataset: a folder of save_to_disk, or a dataset in memory.",
    ),
    built_in=True,
    rank=60,
)
