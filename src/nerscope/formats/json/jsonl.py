"""JSON Lines and JSON files of annotated text or tokens, in the layouts of many tools."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import replace
from functools import cached_property
from itertools import pairwise
from typing import Any, ClassVar, NamedTuple

import numpy as np

from nerscope.corpus.corpus import (
    Coding,
    Corpus,
    ParsedSentence,
    ReadingNotes,
    added_notes,
    build_corpus,
    file_option,
)
from nerscope.corpus.schemes import BIO, Scheme, scheme_named
from nerscope.errors import FormatError, InputError, UsageError, expect
from nerscope.formats.base import FORMATS, FileOption, Format
from nerscope.formats.cutting import ByteCutter, LineBreaks, UncutError
from nerscope.formats.files import ByteRange, FileBytes
from nerscope.formats.json.annotators import join_annotators
from nerscope.formats.json.facts import facts_of
from nerscope.formats.json.marks import shown
from nerscope.formats.json.plain import PlainBatch, plain_keys, plain_sentences, plain_texts
from nerscope.formats.json.records import (
    LABELS,
    LETTERS,
    ParsedRecord,
    Schema,
    has_offsets,
    plain_schema,
    read_records,
    schema_of,
)
from nerscope.formats.json.tools import noun_of
from nerscope.formats.json.unwrapping import ALL, FileState, LeftOut, UnwrapContext
from nerscope.formats.json.values import JsonBatch, first_values, json_batches, repeated_keys
from nerscope.formats.packing import without_packing
from nerscope.formats.sentence_columns import SentenceColumns
from nerscope.formats.source import EditedFile, MentionEdit, Source
from nerscope.formats.standoff.text import (
    Record,
    Texts,
    TextSpan,
    check_words,
    is_written_as_text,
    records_of,
    text_blocks,
)
from nerscope.formats.standoff.text_chunk import TextBlock

_SMALL_FILE = 4 << 20  # bytes
_FEW = 16  # values; fewer ones with the same keys are read one by one
_CHUNK = 1 << 16  # tokens of a chunk, at least
_CHARACTERS = 1 << 19  # of the texts of a chunk, at least
_KEPT_FILE = 16 << 20  # bytes of a file whose tokens are kept, in about 50 megabytes
BOM = "\ufeff"
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

    has_token_bytes = True
    work_per_byte: ClassVar[int] = 4

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
        self._metadata: tuple[str, ...] = ()
        self._span: ByteRange | None = None  # of a part of the file
        self._first_schema: tuple[int, str] | None = None  # of the file: its line and its name

    @cached_property
    def _kept(self) -> list[TextBlock]:
        """The blocks of a small file after it was read once; else empty."""
        return []

    @cached_property
    def _first(self) -> "_ReadBatch | None":
        return next(self._batches({}), None)

    @property
    def _has_texts(self) -> bool:
        return self._first is not None and self._first.schema.counts == LETTERS

    @property
    def retokenised(self) -> bool:
        """Whether it contains text, which is divided into tokens, or tokens=align was given."""
        return self._aligns or self._has_texts

    @property
    def always_flat(self) -> bool:  # type: ignore[override]
        """Whether it contains labels."""
        return self._first is not None and self._first.schema.counts == LABELS

    def scheme_of_labels(self, coding: Coding | None = None) -> Scheme:
        return super().scheme_of_labels(coding) if self.always_flat else BIO

    def with_records(self, metadata: Sequence[str] = ()) -> "JsonFile":
        if not metadata:
            return self  # ids are always read
        return self._with(_metadata=tuple(metadata))

    def _with(self, **changes: Any) -> "JsonFile":
        """The same file with other attributes, and nothing of what was read before."""
        file = copy(self)
        file.__dict__.update(changes)
        for cached in ("_first", "_kept"):
            file.__dict__.pop(cached, None)
        return file

    # Parts of a file with one record per line.

    @property
    def cuttable(self) -> "JsonFile | None":
        """The file, unless its records depend on each other, or are not one per line."""
        if self._annotator is not None or self._span is not None or self._data.is_folder:
            return None
        run = None if self._first is None else self._first.run
        is_by_line = run is not None and run.lines and not run.noun
        return self if is_by_line else None

    @property
    def stored_size(self) -> int:
        return self._data.size

    @property
    def plain_size(self) -> int | None:
        return self._data.size if self._data.is_plain else None

    def cutter(self, *, counts: bool) -> ByteCutter:
        return ByteCutter(self._data, LineBreaks(), counts=counts)

    def for_parts(self) -> "JsonFile":
        assert self._first is not None
        return self._with(_first_schema=(self._first.run.lines[0], self._first.schema.name))

    def part(self, cut: ByteRange) -> "JsonFile":
        if cut.text is None:
            return self._with(_span=cut)
        # The text is sent to the worker, which needs neither the path nor an open stream.
        return self._with(_span=cut, _data=FileBytes(self.name, data=b""))

    def chunks(self, coding: Coding, *, tokens: bool = True) -> Iterator[Corpus]:
        """Chunks of whole sentences, with notes on records that were left out before each."""
        left_out: LeftOut = {}
        if self._has_texts:
            blocks = iter(self._kept) if self._kept else self._blocks(left_out)
            yield from (block.corpus(coding, encoded=tokens) for block in blocks)
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
        """The sentences: of columns at once, of other records about 65,000 tokens at a time."""
        waiting, size = list[ParsedSentence](), 0
        for batch in self._batches(left_out):
            corpus = None
            if batch.columns is not None:
                corpus = batch.columns.corpus(self.name, coding, self._scheme, encoded=tokens)
            if corpus is None:  # reading a batch of columns again gives the error of its label
                records = batch.records or self._read_one_by_one(batch.run, left_out)
                new = [item.record for item in records if isinstance(item.record, ParsedSentence)]
                waiting, size = waiting + new, size + sum(sentence.size for sentence in new)
            if waiting and (corpus is not None or size >= _CHUNK):
                yield self._corpus(waiting, coding)
                waiting, size = [], 0
            if corpus is not None:
                yield corpus
        if waiting:
            yield self._corpus(waiting, coding)

    def _corpus(self, sentences: list[ParsedSentence], coding: Coding) -> Corpus:
        return build_corpus(sentences, self.name, coding, declared_scheme=self._scheme)

    def _blocks(self, left_out: LeftOut) -> Iterator[TextBlock]:
        """The sentences of texts; those of a small file are kept, for it is read several times."""
        kept, held = list[TextBlock](), None
        is_kept = self._span is None and self._data.size <= _KEPT_FILE
        for block in text_blocks(self._texts(left_out), self.name):
            if held is not None:
                yield held
            held = block._replace(notes=added_notes(block.notes, left_out))
            left_out.clear()
            kept += [held] if is_kept else []
        if held is None:
            raise _no_record(self.name, left_out)
        last = held._replace(notes=added_notes(held.notes, left_out))
        yield last
        if kept:
            self._kept[:] = [*kept[:-1], last]

    def _texts(self, left_out: LeftOut) -> Iterator[Texts]:
        """The texts, about 500,000 characters at a time."""
        waiting, size = Texts(), 0
        for batch in self._batches(left_out):
            records = (item.record for item in batch.records)
            texts = batch.texts or Texts.of(text for text in records if isinstance(text, Record))
            size += sum(map(len, texts.texts))
            waiting.extend(texts)
            if size >= _CHARACTERS:
                yield waiting
                waiting, size = Texts(), 0
        yield waiting

    def faults(self) -> Iterator[tuple[int, str]]:
        for line, key in repeated_keys(self._data):
            yield line, f"the key {shown(key)} occurs twice, and the last value counts"

    def edited(self, edit: MentionEdit) -> EditedFile | None:
        """The file with other mentions in some records; None if a tool wrote them differently."""
        if self._annotator == ALL or self._data.is_folder:
            return None
        from nerscope.formats.json.editing import edited_text  # rarely needed

        with self._data.open() as stream:
            text = stream.read().decode()
        mark = BOM if text.startswith(BOM) else ""
        context = UnwrapContext(
            *(self.name, 0, self._annotator, {}, self._text_key), has_names=self._names is not None
        )
        new = edited_text(text.removeprefix(BOM), edit, self._names, context)
        if new is None:
            return None
        data = (mark + new).encode()
        return EditedFile(data, self._with(_data=FileBytes(self.name, data=data)))

    def _batches(self, left_out: LeftOut) -> Iterator["_ReadBatch"]:
        """All records, as columns where they are plain.

        With annotator=all, these are all texts with the mentions of all their annotators.
        """
        state, schema = FileState(), _SchemaCheck(self.name, self._first_schema)
        joins, all_records = self._annotator == ALL, list[ParsedRecord]()
        batches = json_batches(self._data, span=self._span)
        for run in _runs_of_keys(batches, self._metadata):
            batch = None if joins or self._text_key is not None else _read_plain(run)
            if batch is None:
                parsed = self._read_one_by_one(run, left_out, state)
                records = [schema.checked(item) for item in parsed]
                if self._span is not None and any(item.annotators for item in records):
                    raise UncutError  # two annotators of a text may be in two parts
                all_records += records if joins else ()
                batch = _ReadBatch(run, records) if records and not joins else None
            else:
                schema.check(batch.schema, run.lines[0])
            if batch is not None:
                yield batch
        if joins and all_records:
            yield _ReadBatch(_NO_RUN, list(join_annotators(all_records, self.name)))

    def _read_one_by_one(
        self, run: PlainBatch, left_out: LeftOut, state: FileState | None = None
    ) -> Iterator[ParsedRecord]:
        for number, (line, value) in enumerate(zip(run.lines, run.values, strict=True), run.first):
            noun = noun_of(value) if run.noun else ""
            facts = facts_of(value, self._metadata, noun, number + 1)
            place = f"{self.name} {facts.name}" if facts.name else f"{self.name}:{line}"
            records = read_records(
                value,
                place,
                line,
                self._names,
                annotator=self._annotator,
                text_key=self._text_key,
                left_out=left_out,
                state=state,
            )
            for parsed in records:
                yield parsed._replace(record=parsed.record._replace(facts=facts))


class _ReadBatch(NamedTuple):
    """Records of one schema, one by one or as columns; `run` is what they were read from."""

    run: PlainBatch
    records: Sequence[ParsedRecord] = ()
    texts: Texts | None = None
    columns: SentenceColumns | None = None
    plain_schema: Schema | None = None

    @property
    def schema(self) -> Schema:
        return self.plain_schema or self.records[0].schema


_NO_RUN = PlainBatch([], [], 0)


class _SchemaCheck:
    """Refuses a record with another schema than the first record of the file."""

    def __init__(self, name: str, first: tuple[int, str] | None) -> None:
        self._name, self._first = name, first  # the line and the schema of the first record

    def checked(self, parsed: ParsedRecord) -> ParsedRecord:
        facts = parsed.record.facts
        self.check(parsed.schema, parsed.record.line, facts.name if facts else None)
        return parsed

    def check(self, schema: Schema, line: int, record: str | None = None) -> None:
        self._first = self._first or (line, schema.name)
        if schema.name != self._first[1]:
            raise FormatError(
                f"{self._name} {record}" if record else f"{self._name}:{line}",
                f"this record has {schema.name}, but the record on line {self._first[0]} "
                f"has {self._first[1]}",
                "use the same keys in all records, or split the file in two",
            )


def _runs_of_keys(batches: Iterable[JsonBatch], metadata: Sequence[str]) -> Iterator[PlainBatch]:
    """Values with the same keys, in order; few values are joined with their neighbours."""
    done = 0
    for lines, values, by_line in batches:
        keys = [tuple(value) if type(value) is dict else () for value in values]
        edges = [0, len(values)]
        if len({*keys}) > 1:
            changes = (at for at in range(1, len(keys)) if keys[at] != keys[at - 1])
            edges = [0, *changes, len(values)]
            # A run of few values is not worth columns: it is read with the values after it.
            edges = [at for at, to in pairwise(edges) if to - at >= _FEW or not at] + edges[-1:]
        for begin, end in pairwise(edges):
            part = slice(begin, end)
            noun = "" if by_line else "record"
            yield PlainBatch(lines[part], values[part], done + begin, metadata, noun)
        done += len(values)


def _read_plain(run: PlainBatch) -> _ReadBatch | None:
    """The records as columns; None if they are not plain."""
    keys = [tuple(value) for value in run.values if type(value) is dict]
    plain = plain_keys(keys[0]) if len(keys) == len(run.values) else None
    if plain is None or any(other != keys[0] for other in keys):
        return None
    schema = plain_schema(plain)
    if plain.has_labels:
        columns = plain_sentences(run, plain)
        return None if columns is None else _ReadBatch(run, columns=columns, plain_schema=schema)
    texts = plain_texts(run, plain)
    return None if texts is None else _ReadBatch(run, texts=texts, plain_schema=schema)


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
