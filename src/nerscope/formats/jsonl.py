"""JSON Lines and JSON files of annotated text or tokens, as many tools write them."""

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import chain
from typing import Any

from nerscope.corpus.corpus import Coding, Corpus, ParsedSentence, ReadingNotes
from nerscope.corpus.schemes import Scheme, scheme_named
from nerscope.errors import FormatError, InputError, UsageError, expect
from nerscope.formats.base import FORMATS, FileOption, Format, Source
from nerscope.formats.chunks import Said, gathered
from nerscope.formats.files import Bytes
from nerscope.formats.json_values import first_values, json_values
from nerscope.formats.packing import without_packing
from nerscope.formats.records import LABELS, Written, has_offsets, read_records, schema_of
from nerscope.formats.text import Record, TextSpan, check_words, records_of, text_source
from nerscope.formats.wrapped import Losses

_SMALL = 4 << 20  # bytes
_HEAD = 4096  # bytes by which formats are told apart
_TOKENS = ("same", "any", "align")
_ENDINGS = (".jsonl", ".ndjson", ".json")
# The beginning of an object or a pair, perhaps in a list; no line of columns looks like it.
_STRING = rb'"(?:[^"\\]|\\.)*'
_BEGINNING = re.compile(
    rb"(?:\xef\xbb\xbf)?\s*(?:\[\s*)?"
    rb"(?:\{\s*" + _STRING + rb'"\s*:\s*["\[{0-9tfn-]|\[?\s*' + _STRING + rb'(?:"\s*,|\\?\Z))'
)
_NOT_A_LINE = re.compile(rb"(?:\xef\xbb\xbf)?\s*(?:\{\s*\n|\[\s*[\[{])")


def _names(text: str) -> list[str]:
    """Names of labels in order: all of them with + between, or a file with one a line."""
    if "+" in text:
        return text.split("+")
    with Bytes.of(text).open() as stream:
        return [
            line.rstrip("\r")
            for line in stream.read().decode("utf-8-sig").rstrip("\r\n").split("\n")
        ]


FILE_OPTIONS: Mapping[str, FileOption] = {
    "names": FileOption(_names, "what labels that are numbers mean: O+B-PER+…, or a file"),
    "annotator": FileOption(str, "whose annotations count, where there are several annotators"),
    "scheme": FileOption(str, "the tagging scheme of labels; told by looking otherwise"),
    "tokens": FileOption(
        {name: name for name in _TOKENS}.__getitem__,
        "same, any if a system spells tokens its own way, align if it divides the text otherwise",
    ),
}


class JsonFile(Source):
    """A file of records, and how to read it.

    >>> data = b'{"text": "Ada spoke", "spans": [{"start": 0, "end": 3, "label": "PER"}]}'
    >>> [chunk] = JsonFile(Bytes("a.jsonl", data=data)).chunks(Coding())
    >>> chunk.words(0), chunk.mentions().end.tolist()
    (['Ada', 'spoke'], [1])
    """

    def __init__(
        self,
        data: Bytes,
        *,
        names: Sequence[str] | None = None,
        annotator: str | int | None = None,
        scheme: str | None = None,
        tokens: str = "same",
    ) -> None:
        self.name, self._data = data.name, data
        if names is not None:
            expect("names", names, (list, tuple), "give the names of the labels as a list")
            for name in names:
                expect("names", name, str, "give the names of the labels as strings")
        expect("annotator", annotator, (str, int, type(None)), "give the name of an annotator")
        if tokens not in _TOKENS:
            raise UsageError(
                self.name, f"tokens={tokens!r} cannot be", f"give {FILE_OPTIONS['tokens'].give}"
            )
        self.respells, self._aligns = tokens == "any", tokens == "align"
        self._names, self._annotator = names, None if annotator is None else str(annotator)
        self._scheme = None if scheme is None else scheme_named(scheme)
        self.is_small = data.size <= _SMALL

    @cached_property
    def _first(self) -> Written | None:
        return next(self._said({}), None)

    @property
    def retokenised(self) -> bool:  # type: ignore[override]
        """Whether it holds text, of which tokens are made, or is said to have tokens of its own."""
        return self._aligns or (self._first is not None and isinstance(self._first.record, Record))

    @property
    def always_flat(self) -> bool:  # type: ignore[override]
        """Whether it holds labels."""
        said = self._first
        return said is not None and said.schema.counts == LABELS

    def chunks(self, coding: Coding, *, tokens: bool = True) -> Iterator[Corpus]:
        """Chunks of whole sentences, with what was left out before each."""
        lost: Losses = {}
        held: Corpus | None = None
        for chunk in self._chunks(coding, tokens, lost):
            if held is not None:
                yield held
            held = _with_losses(chunk, lost)
        if held is None:
            raise _nothing_in(self.name, lost)
        yield _with_losses(held, lost)

    def _chunks(self, coding: Coding, tokens: bool, lost: Losses) -> Iterator[Corpus]:
        written = self._said(lost)
        first = next(written, None)
        if first is None:
            return
        everything = chain([first], written)
        if isinstance(first.record, Record):
            texts = (one.record for one in everything if isinstance(one.record, Record))
            yield from text_source(self.name, lambda: texts).chunks(coding, tokens=tokens)
            return
        parts = (one.record for one in everything if isinstance(one.record, ParsedSentence))
        said = (Said([part]) for part in parts)
        yield from gathered(said, self.name, coding, self._scheme, tokens=tokens)

    def _said(self, lost: Losses) -> Iterator[Written]:
        """All records; those of another schema than the first are refused."""
        first: tuple[int, str] | None = None
        for line, value in json_values(self._data):
            place = f"{self.name}:{line}"
            for said in read_records(
                value, place, line, self._names, annotator=self._annotator, lost=lost
            ):
                first = first or (line, said.schema.name)
                if said.schema.name != first[1]:
                    raise FormatError(
                        place,
                        f"this record has {said.schema.name}, that of line {first[0]} has "
                        f"{first[1]}",
                        "write all records of a file the same way, or in two files",
                    )
                yield said


def _nothing_in(name: str, lost: Losses) -> InputError:
    if not lost:
        return InputError(name, "the file holds no sentence", "check that it is the right file")
    left_out = ", ".join(f"{found.times} {kind}" for kind, found in lost.items())
    return InputError(name, f"no record remains ({left_out})", "check the answers and annotator=")


def _with_losses(chunk: Corpus, lost: Losses) -> Corpus:
    """The chunk with what was left out so far, which is forgotten then."""
    found = dict(lost)
    lost.clear()
    return (
        replace(chunk, reading_notes=chunk.reading_notes + ReadingNotes(notes=found))
        if found
        else chunk
    )


def fits(name: str, head: bytes) -> bool:
    """Whether a file holds JSON, and not mentions as mere strings, which are another format.

    >>> fits("a.txt", b'{"text": "Ada", "label": [[0, 3, "PER"]]}'), fits("a.txt", b"{ O")
    (True, False)
    """
    named = without_packing(name).lower().endswith(_ENDINGS)
    if not _BEGINNING.match(head):
        return named and head.lstrip()[:1] in (b"[", b"{")
    values = first_values(name, head)
    if values:
        return _are_records(values, name, head)
    is_cut = len(head) >= _HEAD and b"\n" not in head.strip()
    is_json = named or is_cut or bool(_NOT_A_LINE.match(head))
    return is_json and not FORMATS["answers"].fits(name, head)


def _are_records(values: Sequence[Any], name: str, head: bytes) -> bool:
    verdicts = {has_offsets(value) for value in values}
    if verdicts != {None}:
        return True in verdicts
    # What nobody knows is refused here, where it is said what is known.
    is_known = any(isinstance(value, Mapping) and schema_of(value) for value in values)
    return is_known or not FORMATS["answers"].fits(name, head)


def written_as_lines(corpus: Corpus, scheme: Scheme) -> bytes:
    """A corpus as JSON Lines: text, tokens and spans; they need no scheme.

    >>> corpus = Corpus.of([(["Ada", "spoke"], ["B-PER", "O"])])
    >>> print(written_as_lines(corpus, scheme_named("bio")).decode())
    {"text": "Ada spoke", "tokens": [{"text": "Ada", "start": 0, "end": 3, "id": 0}, \
{"text": "spoke", "start": 4, "end": 9, "id": 1}], "spans": [{"start": 0, "end": 3, \
"label": "PER"}]}
    <BLANKLINE>
    """
    return "".join(f"{one}\n" for one in _objects(corpus)).encode()


def written_as_list(corpus: Corpus, scheme: Scheme) -> bytes:
    """The same records as one JSON list.

    >>> corpus = Corpus.of([(["so"], ["O"])])
    >>> print(written_as_list(corpus, scheme_named("bio")).decode())
    [
    {"text": "so", "tokens": [{"text": "so", "start": 0, "end": 2, "id": 0}], "spans": []}
    ]
    <BLANKLINE>
    """
    return ("[\n" + ",\n".join(_objects(corpus)) + "\n]\n").encode()


def _objects(corpus: Corpus) -> Iterator[str]:
    check_words(corpus)
    for record in records_of(corpus):
        yield json.dumps(_object(record), ensure_ascii=False)


def _object(record: Record) -> dict[str, Any]:
    tokens = [
        {"text": record.text[start:end], "start": start, "end": end, "id": number}
        for number, (start, end) in enumerate(record.tokens or ())
    ]
    return {"text": record.text, "tokens": tokens, "spans": [_span(one) for one in record.spans]}


def _span(span: TextSpan) -> dict[str, Any]:
    start, end = span.fragments[0][0], span.fragments[-1][1]
    written: dict[str, Any] = {"start": start, "end": end, "label": span.type}
    if len(span.fragments) > 1:
        written["fragments"] = [list(fragment) for fragment in span.fragments]
    return written


_WRITERS: Mapping[str, tuple[Callable[[Corpus, Scheme], bytes], tuple[str, ...]]] = {
    "jsonl": (written_as_lines, (".jsonl", ".ndjson")),
    "json": (written_as_list, (".json",)),
}
for _name, (_write, _endings) in _WRITERS.items():
    FORMATS.add(
        _name,
        Format(_name, JsonFile, fits, FILE_OPTIONS, _write, endings=_endings),
        built_in=True,
    )
