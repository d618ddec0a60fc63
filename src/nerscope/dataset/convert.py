"""Writing a corpus in another tagging scheme."""

import os
from dataclasses import replace
from typing import NamedTuple

from nerscope.corpus.corpus import Coding, Reading, joined
from nerscope.corpus.mentions import check_repair, encode, merged_by_io
from nerscope.corpus.schemes import SINGLE, scheme_named
from nerscope.errors import InputError, expect, plural
from nerscope.formats.base import CorpusLike, Source, open_source, with_tokens
from nerscope.formats.conll import written_as_conll
from nerscope.formats.losses import losses_of, notes_of
from nerscope.results.files import write_bytes


class Converted(NamedTuple):
    """A file in another scheme, with what was lost on the way."""

    data: bytes
    notes: list[str]


def convert(
    given: CorpusLike,
    target: str | os.PathLike[str],
    *,
    to: str,
    repair: str = "conlleval",
) -> list[str]:
    """Write a corpus in another scheme; what was lost on the way is returned.

    >>> import tempfile
    >>> from pathlib import Path
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "out.conll")
    ...     notes = convert([(["Ada", "Lee"], ["B-PER", "I-PER"])], path, to="bioes")
    ...     print(Path(path).read_text().split())
    ['Ada', 'B-PER', 'Lee', 'E-PER']
    """
    expect("target", target, (str, os.PathLike), "give the name of a file")
    data, notes = converted(open_source(given), to, repair)
    if os.fspath(target).endswith(".gz"):
        import gzip

        data = gzip.compress(data)
    write_bytes(target, data)
    return notes


def converted(source: Source, to: str, repair: str = "conlleval") -> Converted:
    """The file with its labels spelt in another scheme; everything else stays as it is."""
    check_repair(repair)
    target, coding = scheme_named(to), Coding()
    scheme = source.nature().scheme if repair in ("strict", "discard") else None
    labels: dict[int, str] = {}
    melted, split, reading, chunks = 0, 0, Reading(), []
    for chunk in source.chunks(coding):
        mentions = chunk.mentions(repair, scheme)
        if not mentions.are_flat:
            raise InputError(
                source.name, "its mentions overlap, which labels cannot write", "convert flat ones"
            )
        codes = encode(mentions, chunk.starts, coding.labels, target)
        names = coding.labels.spell(target)
        spelt = (names[code] for code in codes)
        labels.update(zip(chunk.lines.tolist(), spelt, strict=True))
        melted += merged_by_io(mentions, chunk.starts) if target.name == "io" else 0
        split += int((mentions.end - mentions.start > 1).sum()) if target.bare == SINGLE else 0
        reading += chunk.reading
        chunks.append(replace(chunk, labels=None, spans=mentions))
    told = chunks[0].told or reading.transitions.scheme()
    notes = notes_of(losses_of(source.name, reading, told, repair))
    if melted:
        notes.append(
            f"{source.name}: {plural(melted, 'mention')} after another of the same type; "
            f"{target.name} melts them into one"
        )
    if split:
        notes.append(
            f"{source.name}: {plural(split, 'mention')} of several tokens; "
            f"{target.name} tears them apart"
        )
    data = source.relabelled(labels)
    if data is None:
        data = written_as_conll(with_tokens(joined(chunks)), target)
    return Converted(data, notes)
