"""Join gold and systems by the ids or by the texts of their records, if their order differs.

Files are read in order first, which needs no memory. Only if that fails are all records put into
memory and joined: by ids that are unique in every file, or else by texts that are. Records that
some file does not have are left out, and counted in notes.

Annotators are joined in the same way, but no record is left out: a text needs only two of them.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, pairwise
from typing import NamedTuple

import numpy as np

from nerscope.corpus.arrays import Ints
from nerscope.corpus.corpus import Coding, Corpus, join_chunks
from nerscope.corpus.text_keys import text_key, without_blanks
from nerscope.errors import AlignmentError, UsageError, plural, shortened, suggest
from nerscope.formats.source import LabelStyle, Source, SourceInfo, SourceNote, make_note

ID, TEXT, ORDER = "id", "text", "order"
JOINS = (ID, TEXT, ORDER)
LEFT_OUT, NOT_IN_GOLD, REORDERED = (
    "records of gold left out",
    "records that gold does not have, left out",
    "records in another order",
)
_MOST_NAMED = 3  # records in a note
_SAME_TEXTS = 0.5  # share of records with equal ids that must have equal texts


class RecordList(NamedTuple):
    """The records of a source in memory: their ids, the keys of their texts, and how to pick some.

    `texts` are hashes of texts without blanks; None if a record has no text. `pick` makes a source
    of some records, by number and in any order; with its second argument False, without their ids.
    """

    name: str
    ids: list[str | None]
    texts: list[int | None]
    pick: Callable[[Sequence[int], bool], Source]
    are_sentences: bool = False  # of a file that does not consist of records, such as columns
    documents: Sequence[int] = ()  # the document of each record, if the file can mark documents

    def __len__(self) -> int:
        return len(self.ids)


class RecordJoin(NamedTuple):
    """The sources with the same records in the same order, and notes on what was left out."""

    by: str
    sources: list[Source]
    notes: list[SourceNote]
    is_complete: bool = True  # whether no record of gold is left out


def join_records(sources: Sequence[Source]) -> RecordJoin | None:
    """Join sources (gold first) by their records; None if neither ids nor texts allow it."""
    lists = [source.with_records().record_list() for source in sources]
    by = join_key(lists)
    if by == ORDER:
        in_order = [records.pick(range(len(records)), False) for records in lists]
        return RecordJoin(ORDER, in_order, [])
    if by is None:
        return None
    places = [_places(records, by) for records in lists]
    shared = [key for key in places[0] if all(key in other for other in places[1:])]
    picked = [
        records.pick([numbers[key] for key in shared], by == ID)
        for records, numbers in zip(lists, places, strict=True)
    ]
    notes = list(_notes(lists, places, shared, by))
    return RecordJoin(by, picked, notes, len(shared) == len(lists[0]))


def join_key(lists: Sequence[RecordList]) -> str | None:
    """What identifies the records of all sources: `ID`, `ORDER`, `TEXT`, or None if nothing does.

    Ids are trusted if they are unique and most records with equal ids have equal texts. If ids are
    not shared, or only count records from another number, the same texts in order are enough.
    """
    by_id = [_places(records, ID) for records in lists]
    if _identify(lists, by_id) and _texts_agree(lists, by_id) and not _are_renumbered(lists):
        return ID
    if len({len(records) for records in lists}) == 1 and _are_same_texts(lists):
        return ORDER
    for records in lists:
        _refuse_mixture(records)
    # Columns in another order, or without some sentences, are damaged and not a sample.
    by_text = [_places(records, TEXT) for records in lists]
    if any(records.are_sentences for records in lists[1:]) or not _identify(lists, by_text):
        return None
    is_permuted = len({frozenset(places) for places in by_text}) == 1
    return TEXT if is_permuted or not lists[0].are_sentences else None


class RecordUnion(NamedTuple):
    """How the records of annotators belong together: for each file, its records by their key.

    If one file has texts and another has sentences, `is_whole` is True: all files have all of the
    text in the same order, and every key is a record of the file with the index `owner`.
    """

    by: str
    places: list[dict[object, int]]
    owner: int = 0
    is_whole: bool = False


def join_annotators_by(
    lists: Sequence[RecordList], by: str | None = None, owner: int = 0
) -> RecordUnion:
    """Join the records of all files by unique ids, else by unique texts, else by their order.

    A file may lack records of the others. `by` is one of `JOINS`; default: the first that fits.
    `owner` is the file whose tokens are used if some files have texts and others have sentences.
    """
    if by is not None and by not in JOINS:
        raise UsageError("join", f"unknown value '{by}'", suggest(by, JOINS))
    for choice in JOINS if by is None else (by,):
        fits = _union_fits(lists, choice)
        if fits:
            if choice == ORDER:
                return RecordUnion(ORDER, [dict(enumerate(range(len(own)))) for own in lists])
            return RecordUnion(choice, [_places(records, choice) for records in lists])
        if choice == ID and by is None:
            for records in lists:
                _refuse_mixture(records)
    if by in (None, ORDER) and len({records.are_sentences for records in lists}) > 1:
        own = dict[object, int](enumerate(range(len(lists[owner]))))
        return RecordUnion(ORDER, [own] * len(lists), owner, is_whole=True)
    raise _no_union(lists, by)


def _union_fits(lists: Sequence[RecordList], by: str) -> bool:
    """Whether the records of all files can be joined by ids, texts, or their order."""
    if by == ORDER:
        return len({len(records) for records in lists}) == 1 and _are_same_texts(lists)
    places = [_places(records, by) for records in lists]
    are_unique = all(len(own) == len(records) for own, records in zip(places, lists, strict=True))
    n_keys = len({key for own in places for key in own})
    is_shared = n_keys < sum(map(len, places))
    if not (are_unique and is_shared) or by == TEXT:
        return are_unique and is_shared
    pairs = [
        _texts_agree([lists[a], lists[b]], [places[a], places[b]])
        for a, b in combinations(range(len(lists)), 2)
    ]
    return all(pairs) and not _are_renumbered(lists)


def _no_union(lists: Sequence[RecordList], by: str | None) -> AlignmentError:
    """The error for records that do not belong together, with the reason that comes first."""
    names = " and ".join(records.name for records in lists[:2])
    if by == ORDER:
        sizes = {len(records) for records in lists}
        what = "numbers of records" if len(sizes) > 1 else "texts"
        fact = f"their {what} differ, and joining by order needs the same texts in the same order"
        return AlignmentError(names, fact, "--join id")
    for key in (ID, TEXT) if by is None else (by,):
        for records in lists:
            if (repeated := _repeated(records, key)) is not None:
                return AlignmentError(
                    records.name,
                    f"the {key} {repeated} is there twice, and joining by {key} needs unique ones",
                    "give every record an id that is unique, and equal in all files",
                )
    return AlignmentError(
        names,
        "they have no text in common",
        "give annotations of the same texts, with equal ids or equal texts",
    )


def _repeated(records: RecordList, by: str) -> str | None:
    """A key that two records of a file have, in words; None if all keys are different."""
    keys: Sequence[object] = records.ids if by == ID else records.texts
    seen: dict[object, int] = {}
    for number, key in enumerate(keys, 1):
        if key is not None and key in seen:
            return f"'{shortened(str(key))}'" if by == ID else f"of record {seen[key]}"
        seen[key] = number
    return None


def _refuse_mixture(records: RecordList) -> None:
    n_without = records.ids.count(None)
    if 0 < n_without < len(records):
        raise AlignmentError(
            records.name,
            f"{n_without} of {plural(len(records), 'record')} have no id, and the others have one",
            "give all records an id, or none",
        )


def _places(records: RecordList, by: str) -> dict[object, int]:
    """The number of each record, by its id or its text."""
    keys: Sequence[object] = records.ids if by == ID else records.texts
    return {key: number for number, key in enumerate(keys) if key is not None}


def _identify(lists: Sequence[RecordList], places: Sequence[Mapping[object, int]]) -> bool:
    """Whether every record has a key of its own, and some records are in all sources."""
    are_unique = all(len(own) == len(records) for own, records in zip(places, lists, strict=True))
    return are_unique and bool(set(places[0]).intersection(*places[1:]))


def _texts_agree(lists: Sequence[RecordList], places: Sequence[Mapping[object, int]]) -> bool:
    gold, gold_places = lists[0], places[0]
    for records, numbers in zip(lists[1:], places[1:], strict=True):
        pairs = [
            (gold.texts[gold_places[key]], records.texts[numbers[key]])
            for key in numbers
            if key in gold_places
        ]
        known = [a == b for a, b in pairs if a is not None and b is not None]
        if known and sum(known) < _SAME_TEXTS * len(known):
            return False
    return True


def _are_renumbered(lists: Sequence[RecordList]) -> bool:
    """Whether ids count records, but from different numbers: 0, 1, 2 and 1, 2, 3."""
    firsts = set[int]()
    for records in lists:
        numbers = [int(own) if own and own.isdecimal() else -1 for own in records.ids]
        if numbers != list(range(numbers[0], numbers[0] + len(numbers))) or numbers[0] < 0:
            return False
        firsts.add(numbers[0])
    return len(firsts) > 1 and len({len(records) for records in lists}) == 1


def _are_same_texts(lists: Sequence[RecordList]) -> bool:
    """Whether all sources have the same texts in the same order, so that only ids differ."""
    gold = lists[0].texts
    return all(
        a is None or b is None or a == b
        for records in lists[1:]
        for a, b in zip(gold, records.texts, strict=True)
    )


def _notes(
    lists: Sequence[RecordList],
    places: Sequence[Mapping[object, int]],
    shared: Sequence[object],
    by: str,
) -> Iterator[SourceNote]:
    gold, gold_places = lists[0], places[0]
    for records, numbers in zip(lists[1:], places[1:], strict=True):
        missing = [key for key in gold_places if key not in numbers]
        extra = [key for key in numbers if key not in gold_places]
        if missing:
            what = f"{plural(len(missing), 'record')} of the {len(gold):,} of gold"
            yield _left_out(records.name, LEFT_OUT, what, "missing here", missing, by)
        if extra:
            what = f"{plural(len(extra), 'record')} of {len(records):,}"
            yield _left_out(records.name, NOT_IN_GOLD, what, "not in gold", extra, by)
        order = [numbers[key] for key in shared]
        if order != sorted(order):
            message = f"records in another order than gold, joined by {by}"
            yield make_note(records.name, REORDERED, len(order), [], message)
    if len(lists) > 2 and len(shared) < len(gold):
        message = f"{len(shared):,} of {plural(len(gold), 'record')} scored: all files have them"
        yield make_note(gold.name, LEFT_OUT, len(gold) - len(shared), [], message)


def _left_out(
    name: str, kind: str, what: str, where: str, keys: Sequence[object], by: str
) -> SourceNote:
    ids = [str(key) for key in keys] if by == ID else []
    named = ", ".join(ids[:_MOST_NAMED]) + (" …" if len(ids) > _MOST_NAMED else "")
    message = f"{what} left out: {where}" + (f" (id {named})" if ids else "") + f"; joined by {by}"
    return make_note(name, kind, len(keys), [], message, ids)


@dataclass(frozen=True, eq=False)
class PickedRecords(Source):
    """Some records of a source, in memory, in any order."""

    is_file = False
    corpus: Corpus
    facts: SourceInfo
    always_flat: bool

    @property
    def name(self) -> str:  # type: ignore[override]
        return self.facts.name

    @property
    def info(self) -> SourceInfo:
        return self.facts

    def chunks(self, coding: Coding, *, tokens: bool = True) -> Iterator[Corpus]:
        yield self.corpus.recoded(coding)

    def label_style(self, coding: Coding | None = None) -> LabelStyle:
        return LabelStyle(self.corpus.scheme, self.corpus.is_flat)


def corpus_records(source: Source) -> RecordList:
    """The records of a source that can be read by itself; without records, its sentences."""
    corpus = join_chunks(list(source.chunks(Coding())))
    records = corpus.records
    begins = np.ones(len(corpus), bool) if records is None else records.begins.copy()
    begins[0] = True
    first = np.append(np.flatnonzero(begins), len(corpus))
    ids: list[str | None] = [None] * (len(first) - 1)
    if records is not None and records.ids is not None:
        ids = records.ids[first[:-1]].tolist()
    texts: list[int | None] = [None] * (len(first) - 1)
    if corpus.has_words:
        sentences = corpus.texts("", without_blanks)
        texts = [hash("".join(sentences[a:b])) for a, b in pairwise(first.tolist())]

    def pick(numbers: Sequence[int], with_ids: bool) -> Source:
        chosen = [np.arange(first[number], first[number + 1]) for number in numbers]
        sentences: Ints = np.concatenate(chosen) if chosen else np.zeros(0, np.int64)
        picked = corpus.chosen(sentences)
        if picked.records is not None and not with_ids:
            picked = replace(picked, records=replace(picked.records, ids=None))
        return PickedRecords(picked, source.info, source.always_flat)

    documents = corpus.documents[first[:-1]].tolist()
    return RecordList(source.name, ids, texts, pick, records is None, documents)


def text_hash(text: str | None) -> int | None:
    """The key of a text in a `RecordList`."""
    return None if text is None else hash(text_key(text))
