"""Write a corpus in another tagging scheme or format."""

import os
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from nerscope.arguments import check_arguments
from nerscope.corpus.corpus import Coding, Corpus, ReadingNotes, join_chunks
from nerscope.corpus.mentions import CONLLEVAL, check_repair, count_merged_by_io, encode
from nerscope.corpus.schemes import BIO, SINGLE, Scheme, scheme_named
from nerscope.errors import InputError, UsageError, expect, plural
from nerscope.formats.base import (
    FALLBACK,
    FORMATS,
    CorpusLike,
    Format,
    open_source,
    output_format,
    path_of,
)
from nerscope.formats.packing import pack_for
from nerscope.formats.source import Source, note_lines, notes_of_files, require_tokens
from nerscope.results.files import write_bytes, write_folder


class Conversion(NamedTuple):
    """The content of a file in another scheme or format, or of the files of a folder."""

    data: bytes
    notes: list[str]  # on information that was lost
    files: Mapping[str, bytes] | None = None  # by path in the folder; None for a single file


def convert(
    given: CorpusLike,
    target: str | os.PathLike[str],
    *,
    to: str | None = None,
    repair: str = CONLLEVAL,
) -> list[str]:
    """Write a corpus in another scheme or format; return notes on information that was lost.

    - `given`: a file, a corpus or sentences.
    - `target`: the file to write. `FILE::format=NAME` or its ending determines the format; default:
      columns.
    - `to`: the scheme, such as "bioes"; required only if the format stays the same.
    - `repair`: how invalid label sequences are read, as for `evaluate`.

    >>> import tempfile
    >>> from pathlib import Path
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "out.conll")
    ...     notes = convert([(["Ada", "Lee"], ["B-PER", "I-PER"])], path, to="bioes")
    ...     print(Path(path).read_text().split())
    ['Ada', 'B-PER', 'Lee', 'E-PER']
    """
    check_arguments(convert, locals())
    expect("target", target, (str, os.PathLike), "give the name of a file")
    text = os.fspath(target)
    path = path_of(text)
    form = output_format(text)
    if form.write is not None and Path(path).suffix:  # a name without an ending is a folder
        form = form._replace(write_folder=None)
    data, notes, files = convert_source(open_source(given), to, repair, form)
    if files is not None:
        write_folder(path, files.items())
    else:
        write_bytes(path, pack_for(path, data))
    return notes


def convert_source(
    source: Source, to: str | None, repair: str = CONLLEVAL, form: Format | None = None
) -> Conversion:
    """Convert a source; if the format stays the same, only the labels change."""
    check_repair(repair)
    source_format = source.info.format or FALLBACK
    form = form or FORMATS[source_format]
    corpus, notes = _read_spans(source, repair)
    scheme = scheme_named(BIO.name if to is None else to)
    if form.name in (*_LABEL_FORMATS, source_format):  # others store spans without loss
        notes += _scheme_notes(corpus, scheme)
        _check_flat(corpus, source.name)
    data = _relabelled(source, corpus, scheme) if form.name == source_format else None
    if data is not None and to is None:
        raise UsageError("--to", "no scheme is given and the format stays the same", "--to bioes")
    if data is not None:
        return Conversion(data, notes)
    notes += _break_notes(corpus) if form.name in _TEXT_FORMATS else []
    if form.write_folder is not None:
        return Conversion(b"", notes, form.write_folder(require_tokens(corpus), scheme))
    return Conversion(_written(form, corpus, scheme), notes)


def _read_spans(source: Source, repair: str) -> tuple[Corpus, list[str]]:
    """The corpus with its mentions as spans, and notes on information lost in reading."""
    # These repairs depend on the scheme, which a single chunk may not show.
    scheme = source.label_style().scheme if repair in ("strict", "discard") else None
    chunks, readings, declared = [], dict[str, ReadingNotes](), None
    for chunk in source.chunks(Coding()):
        chunks.append(replace(chunk, labels=None, spans=chunk.mentions(repair, scheme)))
        readings[chunk.name] = readings.get(chunk.name, ReadingNotes()) + chunk.reading_notes
        declared = chunk.declared_scheme
    detected = declared or sum(readings.values(), ReadingNotes()).transitions.scheme()
    losses = notes_of_files(source.name, readings, detected, repair)
    return join_chunks(chunks), note_lines(losses)


def _scheme_notes(corpus: Corpus, scheme: Scheme) -> list[str]:
    """Notes on mentions that a scheme cannot represent."""
    mentions, notes = corpus.mentions(), []
    if scheme.name == "io" and (merged := count_merged_by_io(mentions, corpus.starts)):
        notes.append(
            f"{corpus.name}: {plural(merged, 'mention')} directly after another of the same type; "
            f"{scheme.name} merges them into one"
        )
    if scheme.bare == SINGLE and (longer := int((mentions.lengths > 1).sum())):
        notes.append(
            f"{corpus.name}: {plural(longer, 'mention')} of several tokens; "
            f"{scheme.name} splits them"
        )
    return notes


_LABEL_FORMATS = (FALLBACK, "csv")  # formats with one label per token
_TEXT_FORMATS = ("jsonl", "json", "brat")  # formats with one sentence per line of a text


def _break_notes(corpus: Corpus) -> list[str]:
    """A note on how many line breaks of the text change to keep the sentences."""
    if corpus.gaps is None:
        return []
    from nerscope.formats.standoff.text import (
        gaps_with_breaks,
        record_bounds,
    )  # not needed for columns

    _, changed = gaps_with_breaks(corpus, corpus.gaps, record_bounds(corpus))
    if not changed:
        return []
    places = plural(changed, "place")
    return [f"{corpus.name}: line breaks changed at {places}, so that each sentence is one line"]


def _check_flat(corpus: Corpus, name: str) -> None:
    if not corpus.is_flat:
        raise InputError(
            name,
            "its mentions overlap, and labels cannot represent overlapping mentions",
            "write a format with spans, for example OUT.jsonl",
        )


def _relabelled(source: Source, corpus: Corpus, scheme: Scheme) -> bytes | None:
    """The file with new labels; None if its format does not support that."""
    codes = encode(corpus.mentions(), corpus.starts, corpus.coding.labels, scheme)
    names = corpus.coding.labels.texts_in(scheme)
    labels = (names[code] for code in codes)
    return source.relabelled(dict(zip(corpus.lines.tolist(), labels, strict=True)))


def _written(form: Format, corpus: Corpus, scheme: Scheme) -> bytes:
    if form.write is None:
        raise UsageError(
            f"format '{form.name}'",
            "nerscope can read this format, but not write it",
            "choose another format",
        )
    return form.write(require_tokens(corpus), scheme)
