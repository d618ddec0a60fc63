"""Checking labels against a scheme, and writing them in another one."""

import re
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from nerscope.corpus.corpus import Coding, Corpus
from nerscope.corpus.mentions import encode, merged_by_io, previous
from nerscope.corpus.schemes import Scheme, forbidden, scheme_named
from nerscope.formats.conll import ConllFile, look
from nerscope.formats.sources import chunks, with_scheme
from nerscope.losses import losses_of


class Violation(NamedTuple):
    """A forbidden transition at a place."""

    place: str
    kind: str


def violations(file: ConllFile) -> tuple[str, list[Violation]]:
    """The scheme of a file (as told, or as found by looking), and every transition that breaks it."""
    settled = with_scheme(file)
    assert isinstance(settled, ConllFile)
    scheme = scheme_named(settled.scheme or "bio")
    return scheme.name, [found for chunk in chunks(settled, Coding(), tokens=False) for found in _in_chunk(chunk, scheme)]


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
    melted, chunk = 0, None
    for chunk in chunks(source, coding, tokens=False):
        mentions = chunk.mentions(repair)
        codes = encode(mentions, chunk.starts, coding.labels, target)
        names = coding.labels.spell(target)
        labels.update(zip(chunk.lines.tolist(), (names[code] for code in codes), strict=True))
        melted += merged_by_io(mentions, chunk.starts) if "B" not in target.letters else 0
    losses = losses_of([chunk] if chunk else [], repair)
    notes = [f"{loss['places'][0]}: {loss['message']}" for loss in losses]
    if melted:
        notes.append(f"{file.name}: {melted} mentions touch another of their type; {target.name} cannot tell them apart")
    return Converted(_rewritten(file, labels), notes)


def _rewritten(file: ConllFile, labels: dict[int, str]) -> bytes:
    text = b"".join(file.blocks())
    tabs = look(text, file).separator == b"\t"
    lines = text.split(b"\n")
    for number, label in labels.items():
        lines[number - 1] = _with_label(lines[number - 1], file.label, label.encode(), tabs)
    return b"\n".join(lines)


def _with_label(line: bytes, column: int, label: bytes, tabs: bool) -> bytes:
    if tabs:
        fields = line.split(b"\t")
        fields[column] = label
        return b"\t".join(fields)
    start, end = list(re.finditer(rb"[^ ]+", line))[column].span()  # runs of blanks stay as they are
    return line[:start] + label + line[end:]
