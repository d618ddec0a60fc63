"""Writing a corpus in another tagging scheme, or in another format."""

import os
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from nerscope.corpus.corpus import Coding, Corpus, ReadingNotes, join_chunks
from nerscope.corpus.mentions import check_repair, count_merged_by_io, encode
from nerscope.corpus.schemes import SINGLE, Scheme, scheme_named
from nerscope.errors import InputError, UsageError, expect, plural
from nerscope.formats.base import (
    FALLBACK,
    FORMATS,
    CorpusLike,
    Format,
    Source,
    format_written,
    open_source,
    path_of,
    with_tokens,
)
from nerscope.formats.losses import losses_of_files, notes_of
from nerscope.formats.packing import packed_for
from nerscope.results.files import write_bytes, write_folder

Files = Mapping[str, bytes]


class Converted(NamedTuple):
    """A file in another scheme or format, with what was lost on the way; or files for a folder."""

    data: bytes
    notes: list[str]
    files: Files | None = None


def convert(
    given: CorpusLike,
    target: str | os.PathLike[str],
    *,
    to: str | None = None,
    repair: str = "conlleval",
) -> list[str]:
    """Write a corpus in another scheme or format; what was lost on the way is returned.

    The format is told by the ending of the name, or by `FILE::format=NAME`; columns otherwise.

    >>> import tempfile
    >>> from pathlib import Path
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "out.conll")
    ...     notes = convert([(["Ada", "Lee"], ["B-PER", "I-PER"])], path, to="bioes")
    ...     print(Path(path).read_text().split())
    ['Ada', 'B-PER', 'Lee', 'E-PER']
    """
    expect("target", target, (str, os.PathLike), "give the name of a file")
    text = os.fspath(target)
    path = path_of(text)
    form = format_written(text)
    if form.write is not None and Path(path).suffix:  # a name without an ending is a folder
        form = form._replace(write_folder=None)
    data, notes, files = converted(open_source(given), to, repair, form)
    if files is not None:
        write_folder(path, files.items())
        return notes
    write_bytes(path, packed_for(path, data))
    return notes


def converted(
    source: Source, to: str | None, repair: str = "conlleval", form: Format | None = None
) -> Converted:
    """The corpus with its labels spelt in another scheme; in its own format, all else stays."""
    check_repair(repair)
    own = source.format or FALLBACK
    form = form or FORMATS[own]
    read = _read(source, repair)
    target = scheme_named("bio" if to is None else to)
    whole = join_chunks(read.chunks)
    labelled = form.name in (FALLBACK, own)
    notes = [*read.notes, *(_lost(whole, target) if labelled else ())]
    if labelled:
        _check_flat(whole, source.name)
    data = _relabelled(source, whole, target) if form.name == own else None
    if data is not None and to is None:
        raise UsageError(
            "--to", "it is not said, and the format stays the same", "name a scheme, as --to bioes"
        )
    if data is not None:
        return Converted(data, notes)
    if form.write_folder is not None:
        return Converted(b"", notes, form.write_folder(with_tokens(whole), target))
    return Converted(_written(form, whole, target), notes)


class _Read(NamedTuple):
    chunks: list[Corpus]  # with spans
    notes: list[str]


def _read(source: Source, repair: str) -> _Read:
    """The corpus with its mentions as spans, and what reading it lost."""
    scheme = source.nature().scheme if repair in ("strict", "discard") else None
    chunks, readings, told = [], dict[str, ReadingNotes](), None
    for chunk in source.chunks(Coding()):
        chunks.append(replace(chunk, labels=None, spans=chunk.mentions(repair, scheme)))
        readings[chunk.name] = readings.get(chunk.name, ReadingNotes()) + chunk.reading_notes
        told = chunk.declared_scheme
    own = told or sum(readings.values(), ReadingNotes()).transitions.scheme()
    found = losses_of_files(source.name, readings, own, repair)
    return _Read(chunks, notes_of(found))


def _lost(corpus: Corpus, target: Scheme) -> list[str]:
    """What a scheme cannot say of the mentions."""
    mentions, notes = corpus.mentions(), []
    if target.name == "io" and (melted := count_merged_by_io(mentions, corpus.starts)):
        notes.append(
            f"{corpus.name}: {plural(melted, 'mention')} after another of the same type; "
            f"{target.name} melts them into one"
        )
    if target.bare == SINGLE and (split := int((mentions.lengths > 1).sum())):
        notes.append(
            f"{corpus.name}: {plural(split, 'mention')} of several tokens; "
            f"{target.name} tears them apart"
        )
    return notes


def _check_flat(corpus: Corpus, name: str) -> None:
    if not corpus.is_flat:
        raise InputError(
            name,
            "its mentions overlap, which labels cannot write",
            "convert flat ones, or write a format that can hold them, such as JSON Lines",
        )


def _relabelled(source: Source, corpus: Corpus, target: Scheme) -> bytes | None:
    """The file with other labels, if its format can be written so."""
    codes = encode(corpus.mentions(), corpus.starts, corpus.coding.labels, target)
    names = corpus.coding.labels.texts_in(target)
    spelt = (names[code] for code in codes)
    return source.relabelled(dict(zip(corpus.lines.tolist(), spelt, strict=True)))


def _written(form: Format, corpus: Corpus, target: Scheme) -> bytes:
    """The corpus in a format."""
    if form.write is None:
        raise UsageError(
            f"format '{form.name}'", "it can be read, not written", "choose another format"
        )
    return form.write(with_tokens(corpus), target)
