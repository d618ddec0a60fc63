"""JSON Lines and JSON files of annotated text or tokens, in the layouts of many tools."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import chain
from typing import Any

import numpy as np

from nerscope.corpus.corpus import (
    Coding,
    Corpus,
    ParsedSentence,
    ReadingNotes,
    added_notes,
    file_option,
)
from nerscope.corpus.schemes import Scheme, scheme_named
from nerscope.errors import FormatError, InputError, UsageError, expect
from nerscope.formats.base import FORMATS, FileOption, Format
from nerscope.formats.files import FileBytes
from nerscope.formats.json.annotators import join_annotators
from nerscope.formats.json.marks import shown
from nerscope.formats.json.plain import PlainKeys, plain_keys
from nerscope.formats.json.records import (
    LABELS,
    ParsedRecord,
    has_offsets,
    plain_batch,
    read_records,
    schema_of,
)
from nerscope.formats.json.unwrapping import ALL, FileState, LeftOut
from nerscope.formats.json.values import first_values, json_values, repeated_keys
from nerscope.formats.packing import without_packing
from nerscope.formats.source import SentenceBatch, Source, gather_chunks
from nerscope.formats.standoff.text import (
    Record,
    TextSpan,
    check_words,
    is_written_as_text,
    records_of,
    text_blocks,
)
from nerscope.formats.standoff.text_chunk import TextBlock

_SMALL_FILE = 4 << 20  # bytes
_BATCH = 64  # values that are read at once
_KEPT_FILE = 16 << 20  # bytes of a file whose tokens are kept, in about 50 megabytes
_HEAD = 4096  # bytes from which the format is detected
_TOKENS = ("same", "any", "align")
_ENDINGS = (".jsonl", ".ndjson", ".json")
# The beginning of an object or a pair, perhaps in a list. No line of columns matches it.
_STRING = rb'"(?:[^"\\]|\\.)*'
_BEGINNING = re.compile(
    rb"(?:\xef\xbb\xbf)?\s*(?:\[\s*)?"
    rb"(?:\{\s*" + _STRING + rb'"\s*:\s*["\[{0-9tfn-]|\[?\s*' + _STRING + rb'(?:"\s*,|\\?\Z))'
)
_NOT_A_LINE = re.compile(rb"(?:\xef\xbb\xbf)?\s*(?:\{\s*\n|\[\s*[\[{])")


def _names(text: str) -> list[str]:
    """Names of labels in order: separated by +, or a file with one name per line."""
    if "+" in text:
        return text.split("+")
    with FileBytes.of(text).open() as stream:
        return [
            line.rstrip("\r")
            for line in stream.read().decode("utf-8-sig").rstrip("\r\n").split("\n")
        ]


FILE_OPTIONS: Mapping[str, FileOption] = {
    "names": FileOption(_names, "the names of numeric labels, in order: O+B-PER+…, or a file"),
    "annotator": FileOption(
        str, f"the annotator whose annotations are read, or {ALL} (the mentions of all annotators)"
    ),
    "text": FileOption(str, "the key of the text (default: found)"),
    "scheme": FileOption(str, "the tagging scheme of the labels (default: auto-detected)"),
    "tokens": FileOption(
        {name: name for name in _TOKENS}.__getitem__,
        "same, any (tokens may be spelt differently from gold) or align (other tokens than gold)",
    ),
}


class JsonFile(Source):
    """A file of records.

    `names` are the names of labels that are numbers, in order; `annotator` selects one of several,
    or "all"; `text` is the key of the text (default: found);
    `scheme` is the tagging scheme of labels (default: auto-detected); `tokens` is "same", "any" or
    "align", as for column files.

    >>> data = b'{"text": "Ada spoke", "spans": [{"start": 0, "end": 3, "label": "PER"}]}'
    >>> [chunk] = JsonFile(FileBytes("a.jsonl", data=data)).chunks(Coding())
    >>> chunk.words(0), chunk.mentions().end.tolist()
    (['Ada', 'spoke'], [1])
    """

    def __init__(
        self,
        data: FileBytes,
        *,
        names: Sequence[str] | None = None,
        annotator: str | int | None = None,
        text: str | None = None,
        scheme: str | None = None,
        tokens: str = "same",
    ) -> None:
        self.name, self._data = data.name, data
        if names is not None:
            expect("names", names, (list, tuple), "give the names of the labels as a list")
            for name in names:
                expect("names", name, str, "give the names of the labels as strings")
        expect("annotator", annotator, (str, int, type(None)), "give the name of an annotator")
        expect("text", text, (str, type(None)), "give the key of the text")
        if tokens not in _TOKENS:
            raise UsageError(
                self.name, f"invalid value tokens={tokens!r}", f"give {FILE_OPTIONS['tokens'].give}"
            )
        self.respells, self._aligns = tokens == "any", tokens == "align"
        self._names, self._annotator = names, None if annotator is None else str(annotator)
        self._text_key = text
        self._scheme = None if scheme is None else scheme_named(scheme)
        self.is_small = data.size <= _SMALL_FILE
        self._kept: list[TextBlock] | None = None

    @cached_property
    def _first(self) -> ParsedRecord | None:
        return next(self._records({}), None)

    @property
    def retokenised(self) -> bool:
        """Whether it contains text, which is divided into tokens, or tokens=align was given."""
        return self._aligns or (self._first is not None and isinstance(self._first.record, Record))

    @property
    def always_flat(self) -> bool:  # type: ignore[override]
        """Whether it contains labels."""
        first = self._first
        return first is not None and first.schema.counts == LABELS

    def chunks(self, coding: Coding, *, tokens: bool = True) -> Iterator[Corpus]:
        """Chunks of whole sentences, with notes on records that were left out before each."""
        left_out: LeftOut = {}
        if self._kept is not None:
            yield from (block.corpus(coding) for block in self._kept)
            return
        if self._first is not None and isinstance(self._first.record, Record):
            yield from (block.corpus(coding) for block in self._blocks(left_out))
            return
        # One chunk is held back, so that records left out at the end are noted in the last chunk.
        held: Corpus | None = None
        for chunk in self._chunks(coding, tokens, left_out):
            if held is not None:
                yield held
            held = _take_notes(chunk, left_out)
        if held is None:
            raise _no_record(self.name, left_out)
        yield _take_notes(held, left_out)

    def _chunks(self, coding: Coding, tokens: bool, left_out: LeftOut) -> Iterator[Corpus]:
        records = self._records(left_out)
        first = next(records, None)
        if first is None:
            return
        parsed = (item.record for item in chain([first], records))
        sentences = (
            SentenceBatch([record]) for record in parsed if isinstance(record, ParsedSentence)
        )
        yield from gather_chunks(sentences, self.name, coding, self._scheme, tokens=tokens)

    def _blocks(self, left_out: LeftOut) -> Iterator[TextBlock]:
        """The sentences of texts; those of a small file are kept, for it is read several times."""
        parsed = (item.record for item in self._records(left_out))
        texts = (record for record in parsed if isinstance(record, Record))
        kept, held = list[TextBlock](), None
        for block in text_blocks(texts, self.name):
            if held is not None:
                yield held
            held = block._replace(notes=added_notes(block.notes, left_out))
            left_out.clear()
            kept += [held] if self._data.size <= _KEPT_FILE else []
        if held is None:
            raise _no_record(self.name, left_out)
        last = held._replace(notes=added_notes(held.notes, left_out))
        yield last
        self._kept = [*kept[:-1], last] if kept else None

    def faults(self) -> Iterator[tuple[int, str]]:
        for line, key in repeated_keys(self._data):
            yield line, f"the key {shown(key)} occurs twice, and the last value counts"

    def _records(self, left_out: LeftOut) -> Iterator[ParsedRecord]:
        """All records, or all texts with the mentions of all their annotators."""
        records = self._parsed(left_out)
        return join_annotators(records, self.name) if self._annotator == ALL else records

    def _parsed(self, left_out: LeftOut) -> Iterator[ParsedRecord]:
        """All records; a record with another schema than the first is refused."""
        first: tuple[int, str] | None = None
        options = {"annotator": self._annotator, "text_key": self._text_key}
        state = FileState()
        for keys, items in self._batches():
            plain = None if keys is None else plain_batch(items, keys)
            one_by_one = (
                parsed
                for line, value in items
                for parsed in read_records(
                    value,
                    f"{self.name}:{line}",
                    line,
                    self._names,
                    **options,
                    left_out=left_out,
                    state=state,
                )
            )
            for parsed in one_by_one if plain is None else plain:
                line = parsed.record.line
                first = first or (line, parsed.schema.name)
                if parsed.schema.name != first[1]:
                    raise FormatError(
                        f"{self.name}:{line}",
                        f"this record has {parsed.schema.name}, but the record on line {first[0]} "
                        f"has {first[1]}",
                        "use the same keys in all records, or split the file in two",
                    )
                yield parsed

    def _batches(self) -> Iterator[tuple[PlainKeys | None, list[tuple[int, Any]]]]:
        """Values with their lines: several with the same keys of plain records, or a single one."""
        batch: list[tuple[int, Any]] = []
        names: tuple[str, ...] = ()  # of all values of the batch
        keys: PlainKeys | None = None
        values = json_values(self._data)
        while True:
            error, value = None, None
            try:
                value = next(values, None)
            except InputError as found:
                error = found  # it comes after the values before it
            own = tuple(value.value) if value and type(value.value) is dict else ()
            if batch and (value is None or own != names or len(batch) >= _BATCH or keys is None):
                yield keys, batch
                batch = []
            if error is not None:
                raise error
            if value is None:
                return
            if not batch:
                names, keys = own, plain_keys(own) if self._text_key is None else None
            batch.append((value.line, value.value))


def _no_record(name: str, left_out: LeftOut) -> InputError:
    if not left_out:
        return InputError(name, "the file contains no sentences", "check that it is the right file")
    counts = ", ".join(f"{note.times} {kind}" for kind, note in left_out.items())
    return InputError(
        name,
        f"all records were left out ({counts})",
        f"check the answers, or choose an annotator: {file_option(name, 'annotator=NAME')}",
    )


def _take_notes(chunk: Corpus, left_out: LeftOut) -> Corpus:
    """The chunk with the notes since the last call, which are cleared."""
    notes = dict(left_out)
    left_out.clear()
    return (
        replace(chunk, reading_notes=chunk.reading_notes + ReadingNotes(notes=notes))
        if notes
        else chunk
    )


def fits(name: str, head: bytes) -> bool:
    """Whether a file is JSON, except answers that name mentions without offsets.

    >>> fits("a.txt", b'{"text": "Ada", "label": [[0, 3, "PER"]]}'), fits("a.txt", b"{ O")
    (True, False)
    """
    has_ending = without_packing(name).lower().endswith(_ENDINGS)
    if not _BEGINNING.match(head):
        return has_ending and head.lstrip()[:1] in (b"[", b"{")
    values = first_values(name, head)
    if values:
        return _are_records(values, name, head)
    # If the first line is longer than the head, its value is incomplete.
    is_cut = len(head) >= _HEAD and b"\n" not in head.strip()
    is_json = has_ending or is_cut or bool(_NOT_A_LINE.match(head))
    return is_json and not FORMATS["answers"].fits(name, head)


def _are_records(values: Sequence[Any], name: str, head: bytes) -> bool:
    # One record with offsets is enough, because others may have no mentions.
    verdicts = {has_offsets(value) for value in values}
    if verdicts != {None}:
        return True in verdicts
    # Unknown layouts are also read here, so that the error lists the known ones.
    is_known = any(isinstance(value, Mapping) and schema_of(value) for value in values)
    return is_known or not FORMATS["answers"].fits(name, head)


def write_lines(corpus: Corpus, scheme: Scheme) -> bytes:
    """A corpus as JSON Lines with text, tokens and spans; the scheme is not used.

    >>> corpus = Corpus.of([(["Ada", "spoke"], ["B-PER", "O"])])
    >>> print(write_lines(corpus, scheme_named("bio")).decode())
    {"text": "Ada spoke", "tokens": [{"text": "Ada", "start": 0, "end": 3, "id": 0}, \
{"text": "spoke", "start": 4, "end": 9, "id": 1}], "spans": [{"start": 0, "end": 3, \
"label": "PER"}]}
    <BLANKLINE>
    """
    return "".join(f"{line}\n" for line in _objects(corpus)).encode()


def write_list(corpus: Corpus, scheme: Scheme) -> bytes:
    """The same records as one JSON list.

    >>> corpus = Corpus.of([(["so"], ["O"])])
    >>> print(write_list(corpus, scheme_named("bio")).decode())
    [
    {"text": "so", "tokens": [{"text": "so", "start": 0, "end": 2, "id": 0}], "spans": []}
    ]
    <BLANKLINE>
    """
    return ("[\n" + ",\n".join(_objects(corpus)) + "\n]\n").encode()


def _objects(corpus: Corpus) -> Iterator[str]:
    if not is_written_as_text(corpus) and corpus.documents[0] == corpus.documents[-1]:
        # Tokens that are blanks, as in corpora of characters, would be lost in a text.
        for number in range(len(corpus)):
            yield json.dumps(_token_object(corpus, number), ensure_ascii=False)
        return
    check_words(corpus)
    for record in records_of(corpus):
        yield json.dumps(_object(record), ensure_ascii=False)


def _token_object(corpus: Corpus, sentence: int) -> dict[str, Any]:
    """A sentence with its tokens and the spans of its mentions, counted in tokens."""
    begin, end = int(corpus.starts[sentence]), int(corpus.starts[sentence + 1])
    mentions, types = corpus.mentions(), corpus.coding.labels.types
    low, high = np.searchsorted(mentions.start, [begin, end])
    spans = []
    for at in range(low, high):
        runs = tuple((first - begin, last - begin) for first, last in mentions.runs(at))
        spans.append(_span(TextSpan(runs, types[mentions.type[at]])))
    return {"tokens": corpus.words(sentence), "spans": spans}


def _object(record: Record) -> dict[str, Any]:
    tokens = [
        {"text": record.text[start:end], "start": start, "end": end, "id": number}
        for number, (start, end) in enumerate(record.tokens or ())
    ]
    return {"text": record.text, "tokens": tokens, "spans": [_span(span) for span in record.spans]}


def _span(span: TextSpan) -> dict[str, Any]:
    start, end = span.fragments[0][0], span.fragments[-1][1]
    written: dict[str, Any] = {"start": start, "end": end, "label": span.type}
    if len(span.fragments) > 1:
        written["fragments"] = [list(fragment) for fragment in span.fragments]
    return written


# Both read any JSON file; they differ in how they write.
FORMATS.add(
    "jsonl",
    Format(
        "jsonl",
        JsonFile,
        fits,
        FILE_OPTIONS,
        write_lines,
        endings=(".jsonl", ".ndjson"),
        title="JSON Lines",
        phrase="one JSON record per line",
        definition="One text or sentence per line as a JSON object: text and spans, tokens and "
        "labels, or tokens and spans, under the keys of many tools.",
    ),
    built_in=True,
    rank=90,
)
FORMATS.add(
    "json",
    Format(
        "json",
        JsonFile,
        fits,
        FILE_OPTIONS,
        write_list,
        endings=(".json",),
        title="JSON",
        phrase="a JSON list of records",
        definition="The records of JSON Lines as one list.",
    ),
    built_in=True,
    rank=80,
)
