"""Large files cut into shards, so that several processes can work on them at once.

Shards are made lazily. A shard of a plain file holds a byte range, and the worker reads that range
itself. A packed or remote file can only be read from start to end: it is read here, and its shards
hold their text.

Cuts are guesses (`formats/cutting.py`): every blank line ends a sentence, every line of JSON is a
record. Reading a shard checks the guess, because sides with different sentences are refused as in
any file. The caller then reads everything as one shard, which gives the message about the real
error.
"""

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from nerscope.errors import InputError
from nerscope.formats.cutting import Cut, Cuttable
from nerscope.formats.source import JoinedSources, Source

Shard = tuple[Source, ...]  # the same sentences of gold and of each run
_SHARD_SIZE = 4 << 20  # bytes of gold in columns, at least; shorter files are not cut
_MAX_SHARDS = 4096
_MAX_PACKED = 8 << 20  # packed bytes of a file that one worker unpacks as a whole


@dataclass(frozen=True, slots=True)
class Shards:
    """The shards of sources (gold first); each iteration cuts them again, in order."""

    sources: Shard

    def __iter__(self) -> Iterator[Shard]:
        rows = _rows(self.sources)
        for row in rows:
            files = _files_to_cut(row, is_only_row=len(rows) == 1)
            yield from _cut_files(files) if files else [row]

    @property
    def is_one(self) -> bool:
        """Whether nothing can be cut."""
        rows = _rows(self.sources)
        return len(rows) == 1 and not _files_to_cut(rows[0], is_only_row=True)

    @property
    def number(self) -> int | None:
        """The approximate number of shards; None if it is unknown before the files are read."""
        rows = _rows(self.sources)
        numbers = [_n_shards(_files_to_cut(row, is_only_row=len(rows) == 1)) for row in rows]
        return None if None in numbers else sum(filter(None, numbers))

    @property
    def gold_only(self) -> "Shards":
        """The shards of gold alone."""
        return Shards(self.sources[:1])


def cut_into_shards(sources: Sequence[Source]) -> Shards | None:
    """Cut sources (gold first) into shards; None if they must be read as a whole.

    >>> from nerscope.formats.base import open_source
    >>> gold = open_source([(["Ada"], ["B-PER"])], "gold")
    >>> cut_into_shards([gold, gold])
    """
    shards = Shards(tuple(sources))
    try:  # before workers are started, because opening an address may start threads
        first_two = list(islice(shards, 2))
    except InputError:  # reading the files as a whole gives a better message
        return None
    return shards if len(first_two) > 1 else None


def _rows(sources: Shard) -> list[Shard]:
    """The files with the same sentences: one row, or one row for each file of a pattern.

    Gold `test-*.conll` and a system `out-*.conll` with three files each give three rows.
    """
    file_lists = [source.sources for source in sources if isinstance(source, JoinedSources)]
    if len(file_lists) == len(sources) and len({len(files) for files in file_lists}) == 1:
        return list(zip(*file_lists, strict=True))
    return [sources]


def _files_to_cut(row: Shard, *, is_only_row: bool) -> list[Cuttable]:
    """The files of a row if all of them can be cut and are large enough, otherwise none.

    Several rows of short packed files are shards already: each worker unpacks one row.
    """
    cuttable = (source.cuttable for source in row)
    files = [file for file in cuttable if file is not None and not _is_short(file)]
    if len(files) < len(row):
        return []
    is_useful = is_only_row or any(
        file.plain_size is not None or file.stored_size > _MAX_PACKED for file in files
    )
    return files if is_useful else []


def _is_short(file: Cuttable) -> bool:
    return file.plain_size is not None and file.plain_size <= _SHARD_SIZE


def _n_shards(files: Sequence[Cuttable]) -> int | None:
    """The approximate number of shards of a row: one if its files are not cut."""
    if not files:
        return 1
    size = files[0].plain_size
    return None if size is None else max(1, size // _shard_size(files[0]))


def _shard_size(gold: Cuttable) -> int:
    return max(_SHARD_SIZE // gold.work_per_byte, (gold.plain_size or 0) // _MAX_SHARDS)


def _cut_files(files: Sequence[Cuttable]) -> Iterator[Shard]:
    """Cut all files (gold first) at the same records. Columns of one file are cut once."""
    distinct = {file.file: file for file in files}
    cutters = {key: file.cutter(counts=len(distinct) > 1) for key, file in distinct.items()}
    ready = [(file.file, file.for_parts()) for file in files]
    gold, size = files[0].file, _shard_size(files[0])
    n_records: int | None = 0  # of gold up to the cut; None at the end of the file
    while n_records is not None:
        gold_cut, n_records = cutters[gold].cut_by_size(size)
        cuts: dict[Hashable, Cut] = {gold: gold_cut}
        for key, cutter in cutters.items():
            if key != gold:
                cuts[key] = cutter.cut_by_count(n_records, size)
        yield tuple(file.part(cuts[key]) for key, file in ready)
