"""Read the texts of several annotators: the mentions of all of them on the same tokens.

Texts are joined by ids, texts or order, and a text needs only some of the annotators. Its tokens
are those of the first file that has tokens. If no file has any, the text is divided by nerscope,
also at the edges of every annotator's mentions, so that no number depends on the order of files.
"""

from collections import Counter
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, count, pairwise
from typing import NamedTuple

import numpy as np

from nerscope.corpus.arrays import Bools, Ints
from nerscope.corpus.corpus import Coding, Corpus, ReadingNotes, join_chunks
from nerscope.corpus.mentions import (
    NO_MENTIONS,
    PLAIN,
    SCHEME_REPAIRS,
    Mentions,
    Shape,
    check_repair,
    join_mentions,
)
from nerscope.corpus.schemes import BIO, LabelCodes
from nerscope.corpus.text_keys import without_blanks
from nerscope.formats.align import side_by_side
from nerscope.formats.json.unwrapping import NOT_ANNOTATED, OTHER_ANNOTATORS
from nerscope.formats.record_join import (
    PickedRecords,
    RecordList,
    RecordUnion,
    corpus_records,
    join_annotators_by,
)
from nerscope.formats.source import (
    Source,
    SourceInfo,
    SourceNote,
    notes_of_files,
    require_tokens,
)
from nerscope.scoring.cluster_units import DOCUMENT, SENTENCE

TEXT = "text"  # of several sentences, as a record has it
_EXPECTED = (OTHER_ANNOTATORS, NOT_ANNOTATED)  # notes on one annotator of an export with several


@dataclass(frozen=True, slots=True)
class ReadingOptions:
    """How annotations are read: the repair of labels, and types that are renamed or dropped."""

    repair: str
    map: Mapping[str, str]
    drop: tuple[str, ...]


@dataclass(frozen=True, slots=True, eq=False)
class AnnotatedTexts:
    """All texts, with the mentions of each annotator and each system on the same tokens.

    The annotators come first. Mentions count tokens from the first token of all texts; their types
    are those after `--map` and `--drop`.
    """

    names: tuple[str, ...]
    n_annotators: int
    corpora: tuple[Corpus, ...]  # of each, with types as they are written
    mentions: tuple[Mentions, ...]
    present: Bools  # (annotators and systems, sentences): who has annotated which sentence
    record: Ints  # the text of each sentence
    cluster: Ints  # the cluster of each sentence: its document, or else its text
    cluster_unit: str
    places: tuple[str, ...]  # of each sentence, for messages
    ids: tuple[str | None, ...]  # of the text of each sentence
    text_unit: str  # what is joined: texts, or the sentences of columns
    files: tuple[str, ...]  # of the annotators
    joined_by: str
    notes: tuple[SourceNote, ...]

    @property
    def annotators(self) -> tuple[str, ...]:
        """The names of the annotators."""
        return self.names[: self.n_annotators]

    @property
    def systems(self) -> tuple[str, ...]:
        """The names of the systems."""
        return self.names[self.n_annotators :]

    @property
    def corpus(self) -> Corpus:
        """The texts themselves."""
        return self.corpora[0]

    @property
    def coding(self) -> Coding:
        """The codes of tokens and types."""
        return self.corpora[0].coding

    @property
    def types(self) -> list[str]:
        """The names of all types, by code."""
        return self.coding.labels.types

    @property
    def n_annotators_of_sentence(self) -> Ints:
        """The number of annotators who have annotated each sentence."""
        return np.asarray(self.present[: self.n_annotators].sum(axis=0))

    def n_records(self, sentences: Bools) -> int:
        """The number of texts that have some of the sentences."""
        return len(np.unique(self.record[sentences]))

    def shared(self, first: int, second: int) -> Bools:
        """The sentences that two annotators have both annotated."""
        both: Bools = self.present[first] & self.present[second]
        return both

    @property
    def sentence_of_token(self) -> Ints:
        """The sentence of each token."""
        return np.repeat(np.arange(len(self.corpus)), np.diff(self.corpus.starts))


def read_annotated(
    annotators: Mapping[str, Source],
    systems: Mapping[str, Source],
    options: ReadingOptions,
    join: str | None = None,
) -> AnnotatedTexts:
    """Read all files, join their texts, and place all mentions on the same tokens."""
    check_repair(options.repair)
    n_annotators = len(annotators)
    sources = [source.with_records() for source in (*annotators.values(), *systems.values())]
    lists = _record_lists([*annotators, *systems], sources)
    by_tokens = sorted(range(n_annotators), key=lambda at: sources[at].info.retokenised)
    union = join_annotators_by(lists, join, by_tokens[0])
    coding = Coding(labels=LabelCodes(options.map, frozenset(options.drop)))
    reader = _Reader(lists, sources, union, coding, options.repair)
    joined = _join_segments(list(reader.segments(by_tokens)))
    corpora = [replace(joined.corpus, coding=coding, spans=own) for own in joined.mentions]
    marking = [by_tokens[0]] if union.is_whole else range(n_annotators)
    cluster = _clusters([(lists[at], union.places[at]) for at in marking], joined.keys)
    n_clusters = len(np.unique(cluster))
    text_unit = SENTENCE if lists[by_tokens[0]].are_sentences else TEXT
    return AnnotatedTexts(
        (*annotators, *systems),
        n_annotators,
        tuple(corpora),
        tuple(corpus.mentions() for corpus in corpora),
        joined.present,
        joined.record,
        cluster[joined.record],
        text_unit if n_clusters == len(joined.keys) else DOCUMENT,
        joined.places,
        joined.ids,
        text_unit,
        tuple(source.name for source in sources[:n_annotators]),
        union.by,
        tuple(reader.notes()),
    )


def _record_lists(names: Sequence[str], sources: Sequence[Source]) -> list[RecordList]:
    """The records of each; those of one export are named by their annotators, for messages."""
    files = Counter(source.name for source in sources)
    lists = [source.record_list() for source in sources]
    return [
        _named(own, f"{own.name}::annotator={name}") if files[source.name] > 1 else own
        for own, name, source in zip(lists, names, sources, strict=True)
    ]


def _named(own: RecordList, name: str) -> RecordList:
    # `_replace` counts fields by the length, which is here the number of records.
    return RecordList(name, own.ids, own.texts, own.pick, own.are_sentences, own.documents)


class _Segment(NamedTuple):
    """The texts whose tokens one file gives, with everyone's mentions on these tokens."""

    keys: list[object]  # of its texts
    corpus: Corpus
    mentions: list[Mentions]
    present: Bools
    record: Ints  # of each sentence, from 0
    places: tuple[str, ...]
    ids: tuple[str | None, ...]


class _Reader:
    """Reads the texts of all files; the files of annotators come before those of systems."""

    def __init__(
        self,
        lists: Sequence[RecordList],
        sources: Sequence[Source],
        union: RecordUnion,
        coding: Coding,
        repair: str,
    ) -> None:
        self._lists, self._sources, self._places = lists, sources, union.places
        self._is_whole = union.is_whole
        self.coding, self._repair = coding, repair
        # Mentions are read with their types as written. They are renamed once, when all are read.
        self._raw = Coding(coding.tokens, coding.labels.as_written)
        by_scheme = repair in SCHEME_REPAIRS
        self._schemes = [source.label_style().scheme if by_scheme else BIO for source in sources]
        self._readings = [ReadingNotes()] * len(sources)

    def segments(self, by_tokens: Sequence[int]) -> Iterator[_Segment]:
        """The texts of the first file with tokens, then those that only other files have.

        `by_tokens` are the annotators, those with tokens first.
        """
        covered: set[object] = set()
        for owner in by_tokens:
            keys = [key for key in self._places[owner] if key not in covered]
            covered.update(keys)
            if keys:
                yield self._segment(owner, keys, len(by_tokens))

    def _segment(self, owner: int, keys: list[object], n_annotators: int) -> _Segment:
        source = self._lists[owner].pick([self._places[owner][key] for key in keys], False)
        chunks = [require_tokens(chunk) for chunk in source.chunks(self._raw)]
        corpus = replace(join_chunks(chunks).with_words(), reading_notes=ReadingNotes())
        aligned = self._aligned(keys, corpus, source.info)
        if source.info.retokenised:
            cut = _cut_at_edges(corpus, [mentions for mentions, _ in aligned[:n_annotators]])
            if cut is not corpus:
                corpus, aligned = cut, self._aligned(keys, cut, source.info)
        given = self._lists[owner].ids
        ids = [given[self._places[owner][key]] for key in keys]
        record = _records_of_sentences(corpus)
        return _Segment(
            keys,
            replace(corpus, labels=None, spans=NO_MENTIONS),
            [mentions for mentions, _ in aligned],
            np.stack([present for _, present in aligned]),
            record,
            tuple(map(corpus.place, corpus.starts[:-1].tolist())),
            tuple(ids[at] for at in record.tolist()),
        )

    def _aligned(
        self, keys: Sequence[object], corpus: Corpus, info: SourceInfo
    ) -> list[tuple[Mentions, Bools]]:
        """For each file, its mentions on the tokens of the corpus, and the sentences it has."""
        texts = corpus_records(PickedRecords(corpus, info, False))
        record = _records_of_sentences(corpus)
        aligned = []
        for at, (records, places) in enumerate(zip(self._lists, self._places, strict=True)):
            here = [number for number, key in enumerate(keys) if key in places]
            present = np.isin(record, here)
            mentions = NO_MENTIONS
            if here:
                numbers = [places[keys[number]] for number in here]
                own = records.pick(range(len(records)) if self._is_whole else numbers, False)
                mentions = self._moved(at, texts.pick(here, False), own)
                mentions = mentions.shifted(_shifts(mentions, corpus, np.flatnonzero(present)))
            aligned.append((mentions, present))
        return aligned

    def _moved(self, at: int, texts: Source, own: Source) -> Mentions:
        """The mentions of a file on the tokens of these texts."""
        parts, done, reading = [], 0, ReadingNotes()
        for row in side_by_side([texts, own], self._raw, repair=self._repair):
            parts.append(row[1].mentions(self._repair, self._schemes[at]).shifted(done))
            done += row[0].n_tokens
            reading += row[1].reading_notes
        self._readings[at] = reading
        return join_mentions(parts)

    def notes(self) -> Iterator[SourceNote]:
        """The notes on every file, without those on other annotators of the same export."""
        files = Counter(source.name for source in self._sources)
        for source, reading, scheme in zip(
            self._sources, self._readings, self._schemes, strict=True
        ):
            expected = _EXPECTED if files[source.name] > 1 else ()
            kept = {kind: note for kind, note in reading.notes.items() if kind not in expected}
            own = replace(reading, notes=kept)
            yield from notes_of_files(source.name, {source.name: own}, scheme, self._repair)


def _records_of_sentences(corpus: Corpus) -> Ints:
    """The number of the record of each sentence; without records, a sentence is one."""
    if corpus.records is None:
        return np.arange(len(corpus))
    begins = corpus.records.begins.copy()
    begins[0] = True
    return np.asarray(np.cumsum(begins) - 1)


def _shifts(mentions: Mentions, corpus: Corpus, sentences: Ints) -> Ints:
    """How far each mention moves from the tokens of some sentences to those of all sentences."""
    sizes = np.diff(corpus.starts)[sentences]
    starts = np.concatenate([[0], np.cumsum(sizes)])
    own = np.minimum(mentions.sentences(starts), len(sentences) - 1)
    return np.asarray(corpus.starts[sentences[own]] - starts[own])


def _cut_at_edges(corpus: Corpus, annotated: Sequence[Mentions]) -> Corpus:
    """The corpus with tokens divided where a mention begins or ends inside them.

    With a mention "York" in "Yorker", the token becomes "York" and "er".
    """
    cuts: dict[int, set[int]] = {}
    words = corpus.coding.tokens.strings(corpus.tokens)
    for mentions in annotated:
        for at in np.flatnonzero(~mentions.aligned).tolist():
            shape, last = _shape(mentions, at), int(mentions.end[at]) - 1
            if shape.left > 0:
                cuts.setdefault(int(mentions.start[at]), set()).add(shape.left)
            if shape.right > 0:
                size = len(without_blanks(words[last]))
                cuts.setdefault(last, set()).add(size - shape.right)
    return _with_cuts(corpus, words, cuts) if cuts else corpus


def _shape(mentions: Mentions, at: int) -> Shape:
    shape: Shape = PLAIN if mentions.shape is None else mentions.shape[at]
    return shape


def _with_cuts(corpus: Corpus, words: list[str], cuts: Mapping[int, set[int]]) -> Corpus:
    """The corpus with some tokens divided, each at some of its characters."""
    n_pieces = np.ones(corpus.n_tokens, np.int64)
    pieces: list[str] = []
    for at, word in enumerate(words):
        edges = [0, *sorted(cuts.get(at, ())), len(word)]
        n_pieces[at] = len(edges) - 1
        pieces += [word[low:high] for low, high in pairwise(edges)]
    begins = np.concatenate([[0], np.cumsum(n_pieces)])
    gaps = None
    if corpus.gaps is not None:
        gaps = np.full(len(pieces), "", object)
        gaps[begins[:-1]] = corpus.gaps
    return replace(
        corpus,
        tokens=corpus.coding.tokens.encode(pieces),
        starts=begins[corpus.starts],
        lines=np.repeat(corpus.lines, n_pieces),
        labels=None,
        spans=NO_MENTIONS,
        gaps=gaps,
    )


def _join_segments(segments: Sequence[_Segment]) -> _Segment:
    """All segments as one."""
    tokens = np.cumsum([0, *(segment.corpus.n_tokens for segment in segments)])
    records = np.cumsum([0, *(len(segment.keys) for segment in segments)])
    shifted = zip(
        *(
            [mentions.shifted(int(by)) for mentions in segment.mentions]
            for segment, by in zip(segments, tokens, strict=False)
        ),
        strict=True,
    )
    numbers = [segment.record + by for segment, by in zip(segments, records.tolist(), strict=False)]
    return _Segment(
        list(chain.from_iterable(segment.keys for segment in segments)),
        join_chunks(_numbered_documents([segment.corpus for segment in segments])),
        [join_mentions(parts) for parts in shifted],
        np.concatenate([segment.present for segment in segments], axis=1),
        np.concatenate(numbers),
        tuple(chain.from_iterable(segment.places for segment in segments)),
        tuple(chain.from_iterable(segment.ids for segment in segments)),
    )


def _numbered_documents(corpora: Sequence[Corpus]) -> list[Corpus]:
    """The corpora with different documents, if any of them marks documents."""
    are_unmarked = all(corpus.documents[0] == corpus.documents[-1] for corpus in corpora)
    if are_unmarked and any(corpus.gaps is None for corpus in corpora):
        return list(corpora)
    first = np.cumsum([0, *(int(corpus.documents.max()) + 1 for corpus in corpora)])
    return [
        replace(corpus, documents=corpus.documents + by)
        for corpus, by in zip(corpora, first.tolist(), strict=False)
    ]


def _clusters(
    files: Sequence[tuple[RecordList, Mapping[object, int]]], keys: Sequence[object]
) -> Ints:
    """The cluster of each text: its document, or the text itself if no documents are marked.

    A document of two files is the same one if the files share a text of it.
    """
    of_key: dict[object, int] = {}
    numbers = count()
    for records, own in files:
        if len(set(records.documents)) < 2:
            continue
        of_document: dict[int, int] = {}
        for key, number in own.items():
            if key in of_key:
                of_document.setdefault(records.documents[number], of_key[key])
        for key, number in own.items():
            document = records.documents[number]
            if document not in of_document:
                of_document[document] = next(numbers)
            of_key.setdefault(key, of_document[document])
    named: dict[Hashable, int] = {}
    names = [("document", of_key[key]) if key in of_key else ("text", key) for key in keys]
    return np.array([named.setdefault(name, len(named)) for name in names], np.int64)
