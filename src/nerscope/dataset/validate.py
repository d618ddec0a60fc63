"""Checking labels against a scheme, and writing them in another one."""

import io
import re
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from nerscope.corpus.corpus import Coding, Corpus
from nerscope.corpus.mentions import encode, merged_by_io, previous
from nerscope.corpus.schemes import SINGLE, Scheme, forbidden, scheme_named
from nerscope.errors import plural
from nerscope.formats.base import chunks, with_scheme
from nerscope.formats.blocks import open_bytes
from nerscope.formats.conll import ConllFile, look
from nerscope.formats.losses import losses_of


class Violation(NamedTuple):
    """A forbidden transition at a place."""

    place: str
    kind: str


def violations(file: ConllFile) -> tuple[str, list[Violation]]:
    """The scheme of a file (as told, or as found by looking), and every transition that breaks it."""
    settled = with_scheme(file)
    assert isinstance(settled, ConllFile)
    scheme = scheme_named(settled.scheme or "bio")
    found, chunk = list[Violation](), None
    for chunk in chunks(settled, Coding(), tokens=False):
        found += _in_chunk(chunk, scheme)
    return scheme.name, [*(_foreign(chunk, scheme) if chunk else ()), *found]


def _foreign(chunk: Corpus, scheme: Scheme) -> Iterator[Violation]:
    """Labels with letters that the scheme does not have, each at its first place."""
    transitions = chunk.column.transitions
    for place, text in enumerate(transitions.texts, 1):
        if scheme.bare != SINGLE and text[1:2] == "-" and text[0] not in scheme.letters:
            times = int(transitions.counts[:, place].sum())
            line = transitions.first[:, place][transitions.counts[:, place] > 0].min()
            yield Violation(
                f"{chunk.name}:{line}",
                f"{text} is no label of {scheme.name} ({plural(times, 'time')})",
            )


def _in_chunk(chunk: Corpus, scheme: Scheme) -> Iterator[Violation]:
    labels = chunk.coding.labels
    rules, names = forbidden(labels.known, scheme), labels.spell(scheme)
    before = previous(chunk.labels, chunk.starts)
    last = chunk.starts[1:] - 1
    first = set(chunk.starts[:-1].tolist())
    into = [(int(at), False) for at in np.flatnonzero(rules.pairs[before, chunk.labels])]
    out = [(int(at), True) for at in last[rules.pairs[chunk.labels[last], 0]]]
    for at, leaving in sorted(into + out):
        if leaving:
            kind = f"the sentence end after {names[chunk.labels[at]]}"
        else:
            kind = f"{names[chunk.labels[at]]} after {'the sentence start' if at in first else names[before[at]]}"
        yield Violation(chunk.place(at), kind)


class Converted(NamedTuple):
    """A file in another scheme, with what was lost on the way."""

    data: bytes
    notes: list[str]


def convert(file: ConllFile, to: str, repair: str = "conlleval") -> Converted:
    """The file with its labels spelt in another scheme; everything else stays as it is."""
    target, coding = scheme_named(to), Coding()
    source = with_scheme(file) if repair == "discard" else file
    labels: dict[int, str] = {}
    melted, split, chunk = 0, 0, None
    for chunk in chunks(source, coding, tokens=False):
        mentions = chunk.mentions(repair)
        codes = encode(mentions, chunk.starts, coding.labels, target)
        names = coding.labels.spell(target)
        labels.update(zip(chunk.lines.tolist(), (names[code] for code in codes), strict=True))
        melted += merged_by_io(mentions, chunk.starts) if target.name == "io" else 0
        split += int((mentions.end - mentions.start > 1).sum()) if target.bare == SINGLE else 0
    losses = losses_of([chunk] if chunk else [], repair)
    notes = [f"{loss['places'][0]}: {loss['message']}" for loss in losses]
    if melted:
        notes.append(
            f"{file.name}: {plural(melted, 'mention')} after another of the same type; {target.name} melts them into one"
        )
    if split:
        notes.append(
            f"{file.name}: {plural(split, 'mention')} of several tokens; {target.name} tears them apart"
        )
    return Converted(_rewritten(file, labels), notes)


def _rewritten(file: ConllFile, labels: dict[int, str]) -> bytes:
    """The bytes of the file with other labels: line ends, encoding and all else as they were."""
    with open_bytes(file.path) if file.data is None else io.BytesIO(file.data) as stream:
        text = stream.read().decode(file.encoding)
    tabs = look(text.encode(), file).separator == b"\t"
    lines = text.split("\n")
    for number, label in labels.items():
        line = lines[number - 1]
        end = "\r" if line.endswith("\r") else ""
        lines[number - 1] = _with_label(line.removesuffix("\r"), file.label, label, tabs) + end
    return "\n".join(lines).encode(file.encoding)


def _with_label(line: str, column: int, label: str, tabs: bool) -> str:
    if tabs:
        fields = line.split("\t")
        fields[column] = label
        return "\t".join(fields)
    start, end = list(re.finditer("[^ ]+", line))[column].span()  # runs of blanks stay as they are
    return line[:start] + label + line[end:]
