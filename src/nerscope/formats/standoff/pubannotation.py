"""PubAnnotation JSON: texts with denotations, which are spans with an object.

A mention in several fragments has a list of spans, or its other fragments are denotations of
`_FRAGMENT` that relations of `_lexicallyChainedTo` connect with it.
"""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from nerscope.corpus.corpus import Note, file_option
from nerscope.corpus.records import NO_FACTS, document_facts
from nerscope.errors import FormatError, UsageError
from nerscope.formats.base import FORMATS, FileOption, Format
from nerscope.formats.files import HEAD, FileBytes
from nerscope.formats.json.marks import shown, shown_keys
from nerscope.formats.json.values import first_values, json_values
from nerscope.formats.standoff.annotated import (
    EMPTY,
    AnnotatedSource,
    AnnotatedText,
    check_span,
)
from nerscope.formats.standoff.text import Record, TextSpan

NAME = "pubannotation"
UNANNOTATED = "texts without denotations, read as texts without mentions"
_FRAGMENT, _CHAINED = "_FRAGMENT", "_lexicallyChainedTo"
_OTHERS = ("relations", "attributes", "modifications", "blocks")
_JSON = re.compile(rb"(?:\xef\xbb\xbf)?\s*(?:\[\s*)?\{")
_DENOTATIONS = re.compile(rb'(?<!\\)"denotations"\s*:\s*\[')
_LONGER_HEAD = 1 << 20  # a long text may stand before the denotations
FILE_OPTIONS = {"project": FileOption(str, "the project whose denotations are read")}


class _Denotation(NamedTuple):
    place: str
    id: str | None
    fragments: Sequence[tuple[int, int]]
    object: str


class PubannotationSource(AnnotatedSource):
    """A file of PubAnnotation; `project` selects one of several tracks of annotations.

    >>> data = b'{"text": "Ada", "denotations": [{"span": {"begin": 0, "end": 3}, "obj": "PER"}]}'
    >>> [record] = PubannotationSource(FileBytes("a.json", data=data)).records()
    >>> record.spans
    [TextSpan(fragments=((0, 3),), type='PER')]
    """

    def __init__(self, data: FileBytes, *, project: str | None = None) -> None:
        self.name, self._data, self._project = data.name, data, project

    def annotated_texts(self) -> Iterator[AnnotatedText]:
        """The texts of the file: one object, a list, or one object per line."""
        for line, value in json_values(self._data):
            yield self._annotated(value, f"{self.name}:{line}")

    def _annotated(self, value: object, place: str) -> AnnotatedText:
        if not isinstance(value, Mapping) or not isinstance(value.get("text"), str):
            raise FormatError(
                place,
                f"{shown(value)} has no text",
                'write {"text": …, "denotations": [{"span": {"begin": 0, "end": 3}, "obj": …}]}',
            )
        names = [value.get(key) for key in ("sourcedb", "sourceid", "divid")]
        facts = NO_FACTS
        if names[1] is not None:
            name = "-".join(shown(name).strip("'") for name in names if name is not None)
            place, facts = f"{self.name} document {name}", document_facts(name)
        text: str = value["text"]
        tracks = self._tracks(value, place)
        spans, notes = list[TextSpan](), dict[str, Note]()
        for track in tracks:
            denotations = [
                _denotation(item, number, place)
                for number, item in enumerate(_objects(track, "denotations", place), 1)
            ]
            filled = [
                item for item in denotations if any(low != high for low, high in item.fragments)
            ]
            chains = [
                item for item in _objects(track, "relations", place) if item.get("pred") == _CHAINED
            ]
            spans += _spans(filled, chains, text, place)
            counts = {f"{kind}, left out": len(_objects(track, kind, place)) for kind in _OTHERS}
            counts["relations, left out"] -= len(chains)
            counts[EMPTY] = len(denotations) - len(filled)
            counts[UNANNOTATED] = int(track.get("denotations") is None)
            for kind, count in counts.items():
                notes[kind] = notes.get(kind, Note(0)) + Note(count)
        return AnnotatedText(Record(text, spans, place=place, facts=facts), notes)

    def _tracks(self, value: Mapping[str, Any], place: str) -> list[Mapping[str, Any]]:
        """The annotations to read: those of the text, or those of one project."""
        tracks = _objects(value, "tracks", place)
        if not tracks:
            return [value]
        # Annotations may also stand beside the tracks, under the name of their project or of none.
        if value.get("denotations"):
            tracks = [value, *tracks]
        projects = [str(track.get("project")) for track in tracks]
        if self._project is not None:
            pairs = zip(projects, tracks, strict=True)
            return [track for project, track in pairs if project == self._project] or [{}]
        if len(tracks) > 1:
            raise UsageError(
                place,
                "several projects annotated this text",
                f"{file_option(self.name, 'project=NAME')} with one of: "
                f"{shown_keys(dict.fromkeys(projects))}",
            )
        return tracks


def _denotation(item: Mapping[str, Any], number: int, place: str) -> _Denotation:
    identifier = item.get("id")
    place = (
        f"{place} denotation {number if identifier is None else shown(identifier).strip(chr(39))}"
    )
    spans = item.get("span")
    fragments = [_fragment(span, place) for span in (spans if isinstance(spans, list) else [spans])]
    kind = item.get("obj")
    if not isinstance(kind, str | int) or isinstance(kind, bool) or kind == "":
        raise FormatError(place, f"the object {shown(kind)} is not a type", 'write "obj": "TYPE"')
    if not fragments:
        raise FormatError(place, "the denotation has no span", _SPAN_FIX)
    return _Denotation(
        place, None if identifier is None else str(identifier), sorted(fragments), str(kind)
    )


_SPAN_FIX = 'write "span": {"begin": 0, "end": 3}, or a list of such spans'


def _fragment(span: object, place: str) -> tuple[int, int]:
    edges = [span.get(key) for key in ("begin", "end")] if isinstance(span, Mapping) else [None]
    if not all(isinstance(edge, int) and not isinstance(edge, bool) for edge in edges):
        raise FormatError(place, f"{shown(span)} is not a span", _SPAN_FIX)
    return edges[0], edges[1]  # type: ignore[return-value]


def _spans(
    denotations: Sequence[_Denotation],
    chains: Sequence[Mapping[str, Any]],
    text: str,
    place: str,
) -> Iterator[TextSpan]:
    """The mentions, each with the fragments that are chained to it."""
    by_id = {item.id: item for item in denotations if item.id is not None}
    chained = defaultdict[str, list[str]](list)
    for chain in chains:
        ends = [str(chain.get(key)) for key in ("subj", "obj")]
        for here, there in (ends, reversed(ends)):
            if there not in by_id:
                raise FormatError(
                    place,
                    f"a fragment is chained to the denotation {shown(there)}, which does not exist",
                    "correct the id in the relation",
                )
            chained[here].append(there)
    used = set[str | None]()
    for item in denotations:
        if item.object == _FRAGMENT:
            continue
        fragments, waiting, seen = list(item.fragments), [item.id or ""], {item.id}
        while waiting:
            for other in chained[waiting.pop()]:
                # Another mention may share a fragment, but is not a part of this mention.
                if other not in seen and by_id[other].object == _FRAGMENT:
                    seen.add(other)
                    waiting.append(other)
                    fragments += by_id[other].fragments
        used |= seen
        span = TextSpan(tuple(sorted(fragments)), item.object)
        yield check_span(span, text, None, item.place, "")
    for item in denotations:
        if item.object == _FRAGMENT and item.id not in used:
            raise FormatError(
                item.place,
                "the fragment is not chained to a mention",
                f"add a relation {_CHAINED} between the mention and its fragment",
            )


def _objects(item: Mapping[str, Any], key: str, place: str) -> list[Mapping[str, Any]]:
    values = item.get(key)
    if values is None:
        return []
    if isinstance(values, list) and all(isinstance(value, Mapping) for value in values):
        return values
    raise FormatError(place, f"{shown(values)} is not a list of objects", "export the file again")


def fits(name: str, head: bytes) -> bool:
    """Whether a JSON file has denotations.

    >>> fits("a.json", b'{"text": "Ada", "denotations": []}'), fits("a.json", b'{"text": "Ada"}')
    (True, False)
    """
    if not _JSON.match(head):
        return False
    if len(head) >= HEAD and not _DENOTATIONS.search(head) and Path(name).is_file():
        head = FileBytes.of(name).head(_LONGER_HEAD)
    if not _DENOTATIONS.search(head):
        return False
    # Where the first record is complete, the key must be its own, and not one of its metadata.
    values = first_values(name, head)
    records = values[0] if values and isinstance(values[0], list) else values
    return not records or any(
        isinstance(one, dict) and bool({"denotations", "tracks"} & {*one}) for one in records
    )


FORMATS.add(
    NAME,
    Format(
        NAME,
        PubannotationSource,
        fits,
        FILE_OPTIONS,
        title="PubAnnotation JSON",
        phrase="PubAnnotation JSON with denotations",
        definition="Texts with denotations: spans of characters and the type of each.",
    ),
    built_in=True,
    rank=14,
)
