"""Sources read sentences, chunk by chunk, from a file or from memory.

Notes about a source report everything that is not read exactly as it is written.
"""

import warnings
from abc import ABC, abstractmethod
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple, NotRequired, Protocol, TypedDict

from nerscope.corpus.arrays import Ints
from nerscope.corpus.corpus import (
    Coding,
    Corpus,
    Note,
    ParsedSentence,
    ReadingNotes,
    build_corpus,
    file_option,
    label_error,
)
from nerscope.corpus.schemes import BIO, Fault, Scheme, label_without_type
from nerscope.errors import FormatError, InputError, UsageError, plural

if TYPE_CHECKING:
    from nerscope.formats.columns.conll import ConllFile
    from nerscope.formats.cutting import Cuttable
    from nerscope.formats.record_join import RecordList

_CHUNK = 1 << 16  # tokens of a chunk, at least
_MOST_SMALL_FILES = 8  # sources that are small together if each of them is
_MAX_PLACES = 5  # places that a note lists
_MAX_ITEMS = 3  # items that a message names
COMMENTS = "comment lines"  # counted, but not shown
# Methods of `Source` under their names in version 0.2, which plug-ins may define or call.
_RENAMED = {"nature": "label_style", "saying": "with_options", "follower": "aligner"}


class LabelStyle(NamedTuple):
    """The tagging scheme of a source, and whether no token belongs to two of its mentions."""

    scheme: Scheme = BIO
    flat: bool = True


@dataclass(frozen=True, slots=True)
class SourceInfo:
    """The facts about a source that are known before its sentences are read.

    `name` is for messages. A system that `respells` may spell tokens differently from gold. A
    system that `rebreaks` may have other sentence ends than gold. A system that is `retokenised`
    has other tokens than gold and is aligned with it by characters. The words of a source that
    `is_small` are always kept. `policy` is the rule for locating strings in gold, if a source has
    no offsets. `format` is the format that `relabelled` writes, if it is not columns.
    """

    name: str
    respells: bool = False
    rebreaks: bool = False
    retokenised: bool = False
    is_small: bool = True
    policy: str | None = None
    format: str | None = None


class MentionEdit(NamedTuple):
    """Mentions to remove from a file and to add to it.

    `corpus` is the file as it was read. Mentions are (start, end, type) with tokens of the corpus.
    `labels` are the labels that say the same, by token; empty if the corpus has spans.
    """

    corpus: Corpus
    removed: Sequence[tuple[int, int, str]]
    added: Sequence[tuple[int, int, str]]
    labels: Mapping[int, str]


class EditedFile(NamedTuple):
    """The bytes of an edited file, unpacked, and a source that reads them with the same options."""

    data: bytes
    source: "Source"


class Aligner(Protocol):
    """Maps the mentions of a system to the tokens of gold, chunk by chunk."""

    needs_whole_documents: bool  # whether chunks of gold must end where documents end

    def align(self, gold: Corpus) -> Corpus:
        """The system's mentions on a chunk of gold."""

    def finish(self) -> None:
        """Refuse a system that continues after the end of gold."""


class Source(ABC):
    """Where sentences come from. A format needs a subclass with `name` and `chunks`.

    A subclass gives facts about itself as attributes with the names of the fields of `SourceInfo`,
    or overrides `info`; everything else has a default.

    >>> class Names(Source):
    ...     name, respells = "names", True
    ...
    ...     def chunks(self, coding, *, tokens=True):
    ...         yield Corpus.of([(["Ada"], ["B-PER"])], coding=coding)
    >>> Names().info.respells, Names().label_style().scheme.name
    (True, 'bio')
    """

    name: str
    is_file = True  # a corpus in memory may have the name of a file and differ from it
    always_flat = False  # whether the format excludes tokens that belong to two mentions
    n_columns = 1  # of the first line; a file with three or more may have gold and predicted labels
    has_token_bytes = False  # whether chunks without tokens still have their bytes
    continues_document = False  # whether it is a part of a file that may begin inside a document

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        for old, new in _RENAMED.items():
            if old in vars(cls) and new not in vars(cls):
                _warn_renamed(old, new)
                setattr(cls, new, vars(cls)[old])

    if not TYPE_CHECKING:  # otherwise mypy would accept any attribute

        def __getattr__(self, name: str) -> Any:
            if name not in _RENAMED:
                raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
            _warn_renamed(name, _RENAMED[name])
            return getattr(self, _RENAMED[name])

    @property
    def info(self) -> SourceInfo:
        """The facts that the attributes of the source give."""
        names = [fact.name for fact in fields(SourceInfo)]
        return SourceInfo(**{name: getattr(self, name) for name in names if hasattr(self, name)})

    @abstractmethod
    def chunks(self, coding: Coding, *, tokens: bool = True) -> Iterator[Corpus]:
        """Read the source in chunks of whole sentences, coded by the vocabularies of `coding`.

        With `tokens=False`, the chunks need no tokens, only labels and mentions.
        """

    def label_style(self, coding: Coding | None = None) -> LabelStyle:
        """The scheme, and whether mentions are flat; by default from reading the whole source."""
        reading, flat, declared = ReadingNotes(), True, None
        for chunk in self.chunks(coding or Coding(), tokens=False):
            reading, flat, declared = (
                reading + chunk.reading_notes,
                flat and chunk.is_flat,
                chunk.declared_scheme,
            )
        return LabelStyle(declared or reading.transitions.scheme(), flat)

    def scheme_of_labels(self, coding: Coding | None = None) -> Scheme:
        """The tagging scheme; a format with spans overrides it, for spans need no scheme."""
        return self.label_style(coding).scheme

    @property
    def file(self) -> Hashable:
        """Sources with equal `file`, such as two columns of one file, are read by `together`."""
        return id(self)

    def together(
        self, members: Sequence["Source"], coding: Coding, *, tokens: bool
    ) -> Iterator[list[Corpus]]:
        """The chunks of several sources with the same file, as rows of one corpus per source."""
        for chunk in self.chunks(coding, tokens=tokens):
            yield [chunk] * len(members)

    def unread(self, members: Sequence["Source"], coding: Coding) -> Iterator[list[Corpus]] | None:
        """Like `together`, but tokens stay bytes and get no codes; None if that is not possible.

        Comparing the bytes of two files is faster than looking every token up in a vocabulary.
        """
        return self.together(members, coding, tokens=False) if self.has_token_bytes else None

    def aligner(self, gold: "Source", coding: Coding, repair: str) -> Aligner | None:
        """An aligner that locates the mentions in gold; None for the default aligner."""
        return None

    def with_records(self, metadata: Sequence[str] = ()) -> "Source":
        """The same source with the ids of its records, if it has them, and with metadata.

        `metadata` are the keys or columns that facets use; a format without any refuses them.
        """
        if metadata:
            raise UsageError(
                self.name,
                f"this format has no metadata for the facet meta.{metadata[0]}",
                "give gold as JSON, CSV or Parquet with a key or column of this name, or as "
                "columns with comments such as # genre = news",
            )
        return self

    def record_list(self) -> "RecordList":
        """All records in memory, to be joined with those of other sources."""
        from nerscope.formats.record_join import corpus_records  # only for files that do not align

        return corpus_records(self)

    def annotators(self) -> list[str]:
        """The annotators whom the file names; empty if it names none, or if one was chosen."""
        return []

    def of_annotator(self, name: str) -> "Source":
        """The same source with the annotations of one of its `annotators`."""
        return self.with_options({"annotator": name})

    def two_sides(self) -> tuple["Source", "Source"]:
        """The gold and the predicted side, if one file has both."""
        raise UsageError(self.name, "no system is given", "--system NAME=FILE")

    def with_options(self, options: Mapping[str, Any]) -> "Source":
        """The same source with more file options, if its format has them."""
        raise UsageError(
            self.name,
            f"file options do not apply to a source that is already open: {', '.join(options)}",
            "give the options when you open the file",
        )

    def join(self, sources: Sequence["Source"], name: str) -> "Source":
        """Join sources of this format to one; `self` is the first of `sources`."""
        return JoinedSources(sources, name)

    @property
    def members(self) -> Sequence["Source"]:
        """The sources that this source joins; empty for a single file."""
        return ()

    @property
    def cuttable(self) -> "Cuttable | None":
        """The source as a file that can be cut into parts for several processes, or None."""
        return None

    def faults(self) -> Iterator[tuple[int, str]]:
        """Lines and faults of the file that `validate` reports, such as repeated keys."""
        return iter(())

    def edited(self, edit: "MentionEdit") -> "EditedFile | None":
        """The file with other mentions in some sentences and everything else unchanged.

        None if the format does not support that.
        """
        return None

    def relabelled(self, labels: Mapping[int, str]) -> bytes | None:
        """The file with new labels on some lines (counted from 1) and everything else unchanged.

        None if the format does not have one line per token.
        """
        return None

    @property
    def column_file(self) -> "ConllFile | None":
        """The source as a column file, whose lines can be copied; None if it is not one."""
        return None


def _warn_renamed(old: str, new: str) -> None:
    message = f"Source.{old} was renamed to {new}; version 0.4 removes the old name"
    warnings.warn(message, DeprecationWarning, stacklevel=3)


class DocumentCount:
    """Numbers the documents of several files as the documents of one corpus.

    A file begins a new document if a file before it has documents. Files without documents are
    joined to one corpus without documents. Whether a file begins a document must not depend on its
    own documents, because it would then depend on how much of the file is read at once.

    >>> import numpy as np
    >>> count = DocumentCount()
    >>> files = ([0, 0], [0, 1], [1, 1], [0])
    >>> [count.after(np.array(file), begins=True).tolist() for file in files]
    [[0, 0], [0, 1], [2, 2], [3]]
    """

    def __init__(self) -> None:
        self._last, self._offset, self._has_documents = -1, 0, False

    def after(self, documents: Ints, *, begins: bool, marked: bool = False) -> Ints:
        """Number the documents of the next sentences; `begins` if they are the first of a file.

        With `marked`, the file has documents even if all its sentences are in document 0.
        """
        if begins:
            self._offset = max(self._last + 1 - int(documents[0]), 0) if self._has_documents else 0
        self._has_documents = self._has_documents or marked or bool(documents[-1] > 0)
        numbered: Ints = documents + self._offset
        self._last = int(numbered[-1])
        return numbered


@dataclass(frozen=True)
class JoinedSources(Source):
    """Several sources, one after the other, as one source; options apply to each of them.

    >>> from nerscope.formats.base import open_source
    >>> first, second = (open_source([([word], ["O"])], word) for word in ("Ada", "spoke"))
    >>> both = JoinedSources([first, second])
    >>> both.name, [chunk.words(0) for chunk in both.chunks(Coding())]
    ('Ada + spoke', [['Ada'], ['spoke']])
    """

    sources: Sequence[Source]
    name: str = ""

    def __post_init__(self) -> None:
        # A frozen dataclass can only set its fields this way.
        object.__setattr__(self, "sources", tuple(self.sources))
        name = self.name or " + ".join(source.name for source in self.sources)
        object.__setattr__(self, "name", name)

    @cached_property
    def info(self) -> SourceInfo:
        """The facts that hold for any of the files; policy and format of the first file."""
        infos = [source.info for source in self.sources]
        return SourceInfo(
            self.name,
            respells=any(info.respells for info in infos),
            rebreaks=any(info.rebreaks for info in infos),
            retokenised=any(info.retokenised for info in infos),
            is_small=len(infos) <= _MOST_SMALL_FILES and all(info.is_small for info in infos),
            policy=infos[0].policy,
            format=infos[0].format,
        )

    @cached_property
    def always_flat(self) -> bool:  # type: ignore[override]
        """Whether no source can have tokens that belong to two mentions."""
        return all(source.always_flat for source in self.sources)

    @property
    def n_columns(self) -> int:  # type: ignore[override]
        return self.sources[0].n_columns

    @property
    def members(self) -> Sequence[Source]:
        return self.sources

    @property
    def file(self) -> Hashable:
        """The files of all sources; gold and a system in the same files are read together."""
        return tuple(source.file for source in self.sources)

    def chunks(self, coding: Coding, *, tokens: bool = True) -> Iterator[Corpus]:
        """The chunks of each source under its own name, with consecutive document numbers."""
        for row in self.together([self], coding, tokens=tokens):
            yield row[0]

    def together(
        self, members: Sequence[Source], coding: Coding, *, tokens: bool
    ) -> Iterator[list[Corpus]]:
        """The chunks of several such sources with the same files, file by file."""
        count = DocumentCount()
        for columns in zip(*(member.members for member in members), strict=True):
            begins = True  # of the file; only its first chunk may begin a document
            for row in columns[0].together(columns, coding, tokens=tokens):
                first = row[0]
                # A text with known blanks is a document, even a single one.
                marked = first.gaps is not None
                documents = count.after(first.documents, begins=begins, marked=marked)
                yield [replace(corpus, documents=documents) for corpus in row]
                begins = False

    def label_style(self, coding: Coding | None = None) -> LabelStyle:
        """The scheme that all files share, or else the scheme that fits them best together."""
        styles = [source.label_style(coding) for source in self.sources]
        if len({style.scheme.name for style in styles}) > 1:
            return super().label_style(coding)
        return LabelStyle(styles[0].scheme, all(style.flat for style in styles))

    def two_sides(self) -> tuple["JoinedSources", "JoinedSources"]:
        gold, predicted = zip(*(source.two_sides() for source in self.sources), strict=True)
        return JoinedSources(gold, self.name), JoinedSources(predicted, self.name)

    def with_records(self, metadata: Sequence[str] = ()) -> "JoinedSources":
        return JoinedSources([source.with_records(metadata) for source in self.sources], self.name)

    def with_options(self, options: Mapping[str, Any]) -> "JoinedSources":
        return JoinedSources([source.with_options(options) for source in self.sources], self.name)


def source_names(source: Source) -> list[str]:
    """All names that messages may use for a source: its own name and those of its files.

    >>> from nerscope.formats.base import open_source
    >>> source_names(JoinedSources([open_source([(["Ada"], ["O"])], "a")], "*"))
    ['*', 'a']
    """
    return [source.name, *(name for member in source.members for name in source_names(member))]


def require_tokens(corpus: Corpus) -> Corpus:
    """The corpus; it is refused if its sentences have labels only."""
    if not len(corpus.tokens):
        raise InputError(
            corpus.name, "the sentences have no tokens", "give each sentence as (tokens, labels)"
        )
    return corpus


class SentenceBatch(NamedTuple):
    """Sentences, and the notes about them by kind."""

    sentences: list[ParsedSentence]
    notes: Mapping[str, Note] = {}


def gather_chunks(
    batches: Iterable[SentenceBatch],
    name: str,
    coding: Coding,
    scheme: Scheme | None = None,
    *,
    tokens: bool = True,
) -> Iterator[Corpus]:
    """Join small batches into chunks of at least 65,536 tokens, in the order of the file.

    Memory does not grow with the file. An input without sentences is refused.

    >>> batch = SentenceBatch([ParsedSentence(["Ada"], ["B-PER"], [], 1, 1)])
    >>> [len(chunk) for chunk in gather_chunks([batch, batch], "x", Coding())]
    [2]
    """

    def chunk() -> Corpus:
        corpus = build_corpus(sentences, name, coding, tokens=tokens, declared_scheme=scheme)
        return replace(corpus, reading_notes=corpus.reading_notes + reading)

    sentences: list[ParsedSentence] = []
    reading, size, is_empty = ReadingNotes(), 0, True
    for batch in batches:
        sentences += batch.sentences
        reading = reading + ReadingNotes(notes=batch.notes) if batch.notes else reading
        size += sum(sentence.size for sentence in batch.sentences)
        if size >= _CHUNK:
            yield chunk()
            sentences, reading, size, is_empty = [], ReadingNotes(), 0, False
    if sentences:
        yield chunk()
    elif is_empty:
        raise InputError(name, "the file contains no sentences", "check that it is the right file")


class SourceNote(TypedDict):
    """One kind of note about one source: how often it applies, and its first places."""

    source: str
    kind: str
    count: int
    places: list[str]
    message: str
    items: NotRequired[list[str]]  # the texts that it is about, if they are known
    of: NotRequired[int]  # the number of which `count` is a part, if it is known


def reading_notes(
    name: str, reading: ReadingNotes, scheme: Scheme, repair: str
) -> Iterator[SourceNote]:
    """The notes about one file; with the repair `none`, a forbidden transition is an error."""
    if reading.differing_tokens:
        message = (
            f"{plural(reading.differing_tokens, 'token')} spelt differently from gold, "
            "matched by position"
        )
        lines = [reading.first_differing_line]
        yield make_note(name, "different tokens", reading.differing_tokens, lines, message)
    if reading.mended_labels:
        message = f"{plural(reading.mended_labels, 'label')} corrected by the file option mend"
        yield make_note(name, "corrected labels", reading.mended_labels, [], message)
    if reading.comment_lines:
        message = f"{plural(reading.comment_lines, 'comment line')} left out"
        yield make_note(name, COMMENTS, reading.comment_lines, [], message)
    for kind, note in reading.notes.items():
        if note.times:
            yield _format_note(name, kind, note)
    places = reading.transitions.label_places()
    if scheme.bare is None and (text := label_without_type(list(places))):
        # Two workers may have read these labels, and each may have seen one kind only.
        raise label_error(f"{name}:{places[text][1]}", text)
    faults = reading.transitions.faults(scheme)
    if faults:
        yield _repair_note(name, scheme.name, faults, repair) | {"of": reading.transitions.labels}


def notes_of_files(
    name: str, readings: Mapping[str, ReadingNotes], scheme: Scheme, repair: str
) -> Iterator[SourceNote]:
    """The notes about several files that are one corpus, given by file name.

    There is one note of each kind for all files together, with places in each of them.

    >>> from nerscope.corpus.schemes import BIO
    >>> readings = {f"{name}.conll": ReadingNotes(comment_lines=2) for name in ("a", "b")}
    >>> [note] = notes_of_files("*.conll", readings, BIO, "conlleval")
    >>> note["source"], note["count"], note["places"]
    ('*.conll', 4, ['a.conll', 'b.conll'])
    """
    places: dict[str, list[str]] = {}
    for file, reading in readings.items():
        for note in reading_notes(file, reading, scheme, repair):
            places.setdefault(note["kind"], []).extend(note["places"])
    for note in reading_notes(name, sum(readings.values(), ReadingNotes()), scheme, repair):
        yield {**note, "places": places[note["kind"]][:_MAX_PLACES]}


def _format_note(name: str, kind: str, note: Note) -> SourceNote:
    """A note of a format; its message lists the first few items."""
    named = ", ".join(f"'{item}'" for item in dict.fromkeys(note.items[:_MAX_ITEMS]))
    more = " …" if named and note.times > _MAX_ITEMS else ""
    rate = f" of {note.out_of} ({100 * note.times / note.out_of:.1f} %)" if note.out_of else ""
    message = f"{kind}: {note.times}{rate}" + (f", such as {named}{more}" if named else "")
    source_note = make_note(name, kind, note.times, note.lines, message, note.items)
    if note.out_of:
        source_note["of"] = note.out_of
    return source_note


def _repair_note(name: str, scheme: str, faults: Sequence[Fault], repair: str) -> SourceNote:
    total = sum(fault.times for fault in faults)
    if repair == "none":
        first = min(faults, key=lambda fault: fault.first_line)
        raise FormatError(
            f"{name}:{first.first_line}",
            f"{describe_fault(first)} is not allowed in {scheme} ({plural(total, 'such place')})",
            f"correct the labels, set the scheme ({file_option(name, 'scheme=iob1')}), "
            "or choose a repair (--repair conlleval)",
        )
    kinds = ", ".join(f"{describe_fault(fault)} ({fault.times})" for fault in faults[:3])
    message = (
        f"{plural(total, 'transition')} not allowed in {scheme}, repaired as {repair}: {kinds}"
    )
    lines = sorted(fault.first_line for fault in faults)
    return make_note(name, "repaired labels", total, lines, message)


def describe_fault(fault: Fault) -> str:
    return f"{fault.after} after {fault.before}"


def make_note(
    name: str,
    kind: str,
    count: int,
    lines: Sequence[int | str],
    message: str,
    items: Sequence[str] = (),
) -> SourceNote:
    """A note with the places of its first few lines; line 0 means the whole file."""
    places = [_place(name, line) for line in lines[:_MAX_PLACES]] or [name]
    note: SourceNote = {
        "source": name,
        "kind": kind,
        "count": count,
        "places": places,
        "message": message,
    }
    if items:
        note["items"] = list(items)
    return note


def _place(name: str, line: int | str) -> str:
    return f"{name} {line}" if isinstance(line, str) else f"{name}:{line}" if line else name


def note_line(note: SourceNote) -> str:
    return f"{note['places'][0]}: {note['message']}"


def note_lines(notes: Iterable[SourceNote]) -> list[str]:
    """One line per note, except notes about comment lines."""
    return [note_line(note) for note in notes if note["kind"] != COMMENTS]


def summed_notes(notes: Sequence[SourceNote]) -> list[str]:
    """One line per kind of note: its message, or its total if several files have it.

    >>> notes = [make_note(f"{name}.txt", "repaired labels", 2, [7], "…") for name in "ab"]
    >>> summed_notes(notes)
    ['repaired labels: 4 in 2 files, first a.txt:7']
    >>> summed_notes([make_note(name, "identical outputs", 9, [], "equal") for name in "abc"])
    ['a: equal (and 2 more)']
    """
    by_kind: dict[str, list[SourceNote]] = {}
    for note in notes:
        if note["kind"] != COMMENTS:
            by_kind.setdefault(note["kind"], []).append(note)
    return [_summed(kind, same) for kind, same in by_kind.items()]


# Kinds whose counts are not added up over files.
_NOT_SUMMED = (
    "identical outputs",
    "different schemes",
    "overlapping mentions",
    "names without use",
    "records of gold left out",
    "records that gold does not have, left out",
    "records in another order",
)


def _summed(kind: str, notes: Sequence[SourceNote]) -> str:
    first = notes[0]
    if len(notes) == 1:
        return note_line(first)
    if kind in _NOT_SUMMED:
        return f"{note_line(first)} (and {len(notes) - 1} more)"
    total = sum(note["count"] for note in notes)
    return f"{kind}: {total:,} in {len(notes)} files, first {first['places'][0]}"
