"""Counts of every token and every surface in the training data.

All counts are tables, with a row per code. Worked example: training has "New York" five times,
three times as LOC, once as ORG and once outside mentions. Then the surface code of (New, York) has
the row LOC 3, ORG 1 in `surface_counts` and 5 in `occurrences`; the token "York" has 5 in
`token_counts` and the row LOC 3, ORG 1 in `inside_counts`.

Training data may be larger than memory. Each chunk gives a small part, and parts add up. The
builder keeps the distinct tokens and surfaces, never the text.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from nerscope.corpus.arrays import Bools, Ints, expand_ranges, lookup
from nerscope.corpus.corpus import Coding, Corpus, ReadingNotes
from nerscope.corpus.mentions import CONLLEVAL, SCHEME_REPAIRS, Mentions, token_runs
from nerscope.corpus.schemes import BIO, Scheme
from nerscope.corpus.vocabulary import SequenceTrie
from nerscope.errors import UsageError, suggest

SENSITIVE, FOLD = "sensitive", "fold"  # how facets compare tokens with training
CASES = (SENSITIVE, FOLD)
_MOST_HELD = 4_000_000  # tokens; a longer text is read twice


@dataclass(frozen=True, slots=True, eq=False)
class Lexicon:
    """Counts over the training data; they do not change.

    Codes are those of the vocabulary and labels of the evaluation, and of `surfaces`, which has the
    training mentions. An unknown surface has the code -1.
    """

    surfaces: SequenceTrie
    n_mentions: int
    n_tokens: int
    token_counts: Ints  # by token
    inside_counts: Ints  # by token and type: occurrences inside mentions of the type
    inside_totals: Ints  # by token: inside mentions of any type
    inside_most: Ints  # by token: inside mentions of its most frequent type
    surface_counts: Ints  # by surface and type
    surface_totals: Ints  # by surface: all types together
    occurrences: Ints  # by surface: its tokens anywhere in the text, annotated or not
    folds_case: bool = False  # whether all its tokens are casefolded


_FIRST_ROWS = 1024  # initial rows of a table that grows


def check_case(case: str) -> None:
    """Raise a UsageError for an unknown way to compare tokens.

    >>> check_case("lower")
    Traceback (most recent call last):
    nerscope.errors.UsageError: case: invalid value 'lower'. ...
    """
    if case not in CASES:
        raise UsageError("case", f"invalid value '{case}'", suggest(str(case), CASES))


class KeyCounts(NamedTuple):
    """The number of occurrences of each distinct (key, column) pair."""

    keys: Ints
    columns: Ints
    times: Ints

    @classmethod
    def of(cls, keys: Ints, columns: Ints | None = None) -> "KeyCounts":
        """Count pairs, or keys if there are no columns.

        >>> KeyCounts.of(np.array([3, 1, 3]), np.array([0, 2, 0])).times.tolist()
        [1, 2]
        """
        if columns is None:
            distinct, times = np.unique(keys, return_counts=True)
            return cls(distinct, np.zeros(len(distinct), np.int64), times)
        width = np.int64(columns.max(initial=0) + 1)
        pairs, times = np.unique(keys * width + columns, return_counts=True)
        return cls(pairs // width, pairs % width, times)


class LexiconPart(NamedTuple):
    """The counts of one chunk; its surfaces are numbered in the order of their first mention.

    Surface k has the tokens `surfaces[ends[k - 1]:ends[k]]`, in the codes that all chunks share.
    """

    n_mentions: int
    n_tokens: int
    tokens: KeyCounts
    inside: KeyCounts  # by token and type
    inside_any: KeyCounts  # by token
    surfaces: Ints
    ends: Ints
    by_surface: KeyCounts  # by surface and type
    with_holes: KeyCounts  # by surface: mentions whose tokens are not contiguous


def lexicon_part(chunk: Corpus, mentions: Mentions) -> LexiconPart:
    """The counts that a chunk and its mentions add to a lexicon.

    >>> chunk = Corpus.of([(["New", "York"], ["B-LOC", "I-LOC"]), (["York"], ["O"])])
    >>> part = lexicon_part(chunk, chunk.mentions())
    >>> part.tokens.times.tolist(), part.inside_any.times.tolist(), part.ends.tolist()
    ([1, 2], [1, 1], [2])
    """
    tokens = chunk.tokens
    inside, types = mentions.positions, np.repeat(mentions.type, mentions.lengths)
    if not mentions.are_flat:
        # A token in nested mentions of one type counts once, so (token, type) pairs are unique.
        once = KeyCounts.of(inside, types)
        inside, types = once.keys, once.columns
    codes = SequenceTrie().codes(*token_runs(tokens, mentions))
    first, number = _numbered_by_arrival(codes)
    items, starts, ends = token_runs(tokens, mentions[first])
    sizes = ends - starts
    is_contiguous = mentions.lengths == mentions.end - mentions.start
    return LexiconPart(
        len(mentions),
        len(tokens),
        KeyCounts.of(tokens),
        KeyCounts.of(tokens[inside], types),
        KeyCounts.of(tokens[np.unique(inside)]),
        items[expand_ranges(starts, ends)],
        np.cumsum(sizes),
        KeyCounts.of(number, mentions.type),
        KeyCounts.of(number[~is_contiguous]),
    )


def _numbered_by_arrival(codes: Ints) -> tuple[Ints, Ints]:
    """The first place of each distinct code, and the number of every code in that order.

    >>> [column.tolist() for column in _numbered_by_arrival(np.array([7, 3, 7, 5]))]
    [[0, 1, 3], [0, 1, 0, 2]]
    """
    _, first, inverse = np.unique(codes, return_index=True, return_inverse=True)
    order = np.argsort(first)
    rank = np.empty(len(order), np.int64)
    rank[order] = np.arange(len(order))
    return first[order], rank[inverse]


class LexiconBuilder:
    """Adds up the parts of chunks. Only the numbers of surfaces depend on the order of parts.

    >>> chunk = Corpus.of([(["New", "York"], ["B-LOC", "I-LOC"])])
    >>> builder = LexiconBuilder()
    >>> for _ in range(2):
    ...     builder.add(lexicon_part(chunk, chunk.mentions()))
    >>> builder.n_tokens, builder.tokens.table(4, 1).ravel().tolist()
    (4, [2, 0, 2, 0])
    """

    def __init__(self) -> None:
        self.n_mentions = self.n_tokens = 0
        self.tokens, self.inside, self.inside_any = _CountTable(), _CountTable(), _CountTable()
        self.by_surface, self.with_holes = _CountTable(), _CountTable()  # by codes of _seen
        self._seen, self._arrived = SequenceTrie(), [np.zeros(0, np.int64)]
        self._is_surface: Bools = np.zeros(_FIRST_ROWS, bool)

    def add(self, part: LexiconPart) -> None:
        self.n_mentions += part.n_mentions
        self.n_tokens += part.n_tokens
        self.tokens.add(part.tokens)
        self.inside.add(part.inside)
        self.inside_any.add(part.inside_any)
        starts = np.concatenate([[0], part.ends[:-1]]) if len(part.ends) else part.ends
        codes = self._seen.codes(part.surfaces, starts, part.ends)
        self.by_surface.add(part.by_surface._replace(keys=codes[part.by_surface.keys]))
        self.with_holes.add(part.with_holes._replace(keys=codes[part.with_holes.keys]))
        self._remember_new(codes)

    def _remember_new(self, codes: Ints) -> None:
        """Remember new surfaces; the trie also has their prefixes, which are not surfaces."""
        if len(self._seen) > len(self._is_surface):
            more = 2 * len(self._seen) - len(self._is_surface)
            self._is_surface = np.pad(self._is_surface, (0, more))
        new = codes[~self._is_surface[codes]]
        self._is_surface[new] = True
        self._arrived.append(new)

    def surfaces(self) -> tuple[SequenceTrie, Ints, Ints]:
        """A trie of all surfaces, the code of each surface in it, and its key in `by_surface`.

        The trie is built again in the order of arrival, so that its codes do not depend on how the
        data was cut into chunks.
        """
        arrived = np.concatenate(self._arrived)
        surfaces = SequenceTrie()
        return surfaces, surfaces.codes(*self._seen.sequences(arrived)), arrived


class _CountTable:
    """A table of counts that grows with its keys and columns, doubling its rows."""

    def __init__(self) -> None:
        self._counts: Ints = np.zeros((_FIRST_ROWS, 1), np.int64)

    def add(self, counts: KeyCounts) -> None:
        # += adds each pair, because the pairs of a part are distinct.
        if not len(counts.keys):
            return
        self._reach(int(counts.keys.max()) + 1, int(counts.columns.max()) + 1)
        self._counts[counts.keys, counts.columns] += counts.times

    def _reach(self, rows: int, columns: int) -> None:
        have, wide = self._counts.shape
        if rows > have or columns > wide:
            more = 2 * rows - have if rows > have else 0
            self._counts = np.pad(self._counts, ((0, more), (0, max(0, columns - wide))))

    def table(self, rows: int, columns: int) -> Ints:
        """The counts of the first keys and columns."""
        self._reach(rows, columns)
        return np.ascontiguousarray(self._counts[:rows, :columns])


class TrainingData(NamedTuple):
    """The lexicon of training data, the notes about its files, and its scheme."""

    lexicon: Lexicon
    notes_by_file: Mapping[str, ReadingNotes]
    scheme: Scheme

    @property
    def all_notes(self) -> ReadingNotes:
        return sum(self.notes_by_file.values(), ReadingNotes())


def lexicon_of(training: Corpus, repair: str = CONLLEVAL, *, fold_case: bool = False) -> Lexicon:
    """Count the training data.

    >>> text = [(["New", "York"], ["B-LOC", "I-LOC"]), (["New", "York", "Times"], ["O", "O", "O"])]
    >>> lexicon = lexicon_of(Corpus.of(text))
    >>> lexicon.occurrences[lexicon.surface_counts.sum(axis=1) > 0].tolist()
    [2]
    """
    return read_training(lambda: [training], repair, fold_case=fold_case).lexicon


def read_training(
    chunks: Callable[[], Iterable[Corpus]], repair: str = CONLLEVAL, *, fold_case: bool = False
) -> TrainingData:
    """Count training data that may be larger than memory.

    `chunks` returns all chunks each time it is called, since a long text is read twice. All chunks
    share one coding and have tokens. The codes of the lexicon do not depend on how the data is cut
    into chunks. With `fold_case`, tokens that differ only in case count as one.

    >>> text = [(["New", "York"], ["B-LOC", "I-LOC"]), (["New", "York", "Times"], ["O", "O", "O"])]
    >>> first, second = (Corpus.of([sentence], coding=Coding()) for sentence in text)
    >>> training = read_training(lambda: [first, second.recoded(first.coding)])
    >>> training.lexicon.n_tokens, training.lexicon.occurrences.tolist(), training.scheme.name
    (5, [0, 2], 'bio')
    """
    if fold_case:
        training = read_training(lambda: map(_without_case, chunks()), repair)
        return training._replace(lexicon=replace(training.lexicon, folds_case=True))
    # Two repairs depend on the scheme, and detecting it takes one more pass over the data.
    scheme = _scheme(chunks()) if repair in SCHEME_REPAIRS else None
    builder, replay = LexiconBuilder(), _TextReplay(chunks)
    notes, coding, declared = dict[str, ReadingNotes](), Coding(), None
    for chunk in chunks():
        builder.add(lexicon_part(chunk, chunk.mentions(repair, scheme)))
        notes[chunk.name] = notes.get(chunk.name, ReadingNotes()) + chunk.reading_notes
        coding, declared = chunk.coding, declared or chunk.declared_scheme
        replay.hold(chunk)
    training = TrainingData(_lexicon(builder, coding, replay), notes, scheme or BIO)
    if scheme:
        return training
    return training._replace(scheme=declared or training.all_notes.transitions.scheme())


def _without_case(chunk: Corpus) -> Corpus:
    return replace(chunk, tokens=chunk.coding.tokens.folded(chunk.tokens))


def _scheme(chunks: Iterable[Corpus]) -> Scheme:
    """The declared scheme, or the one that fits all chunks together."""
    notes, declared = ReadingNotes(), None
    for chunk in chunks:
        notes, declared = notes + chunk.reading_notes, declared or chunk.declared_scheme
    return declared or notes.transitions.scheme()


class _TextReplay:
    """Gives the text a second time: from memory if it is short, otherwise from its files."""

    def __init__(self, chunks: Callable[[], Iterable[Corpus]]) -> None:
        self._chunks = chunks
        self._held: list[tuple[Ints, Ints]] | None = []
        self._size = 0

    def hold(self, chunk: Corpus) -> None:
        self._size += chunk.n_tokens
        if self._size > _MOST_HELD:
            self._held = None
        if self._held is not None:
            self._held.append((chunk.tokens, chunk.starts))

    def texts(self) -> Iterable[tuple[Ints, Ints]]:
        """The tokens and the sentence starts of each chunk."""
        if self._held is not None:
            return self._held
        return ((chunk.tokens, chunk.starts) for chunk in self._chunks())


def _lexicon(builder: LexiconBuilder, coding: Coding, replay: _TextReplay) -> Lexicon:
    kinds, bound = max(1, len(coding.labels.types)), coding.tokens.bound
    surfaces, codes, keys = builder.surfaces()
    rows = int(keys.max(initial=-1)) + 1
    by_token = builder.inside.table(bound, kinds)
    by_surface = np.zeros((len(surfaces), kinds), np.int64)
    by_surface[codes] = builder.by_surface.table(rows, kinds)[keys]
    occurrences = np.zeros(len(surfaces), np.int64)
    contiguous = count_occurrences(surfaces, replay.texts())
    # Mentions with holes do not occur as running text, so they are added separately.
    occurrences[codes] = contiguous[codes] + builder.with_holes.table(rows, 1)[keys, 0]
    return Lexicon(
        surfaces,
        n_mentions=builder.n_mentions,
        n_tokens=builder.n_tokens,
        token_counts=builder.tokens.table(bound, 1)[:, 0],
        inside_counts=by_token,
        inside_totals=builder.inside_any.table(bound, 1)[:, 0],
        inside_most=by_token.max(axis=1, initial=0),
        surface_counts=by_surface,
        surface_totals=by_surface.sum(axis=1),
        occurrences=occurrences,
    )


def find_sequences(text: Corpus, tokens: Ints, sequences: Mentions) -> tuple[Ints, Ints]:
    """All occurrences in a text of the sequences `tokens[start:end]`: their indices and starts.

    The rarest token is searched first: candidates for "Bank of Ghana" begin two tokens before each
    "Ghana". They must be inside one sentence and are then compared token by token.

    >>> text = Corpus.of([(["a", "b", "a", "b"], ["B-X", "I-X", "O", "O"])])
    >>> which, begin = find_sequences(text, text.tokens, text.mentions())
    >>> which.tolist(), begin.tolist()
    ([0, 0], [0, 2])
    """
    which, begin = _candidates(text, tokens, sequences)
    lengths = sequences.end - sequences.start
    for step in range(int(lengths.max(initial=0))):
        at = np.minimum(begin + step, text.n_tokens - 1)
        right = tokens[np.minimum(sequences.start[which] + step, len(tokens) - 1)]
        good = (lengths[which] <= step) | (text.tokens[at] == right)
        which, begin = which[good], begin[good]
    return which, begin


def count_occurrences(trie: SequenceTrie, texts: Iterable[tuple[Ints, Ints]]) -> Ints:
    """The number of occurrences of each sequence of a trie in texts, within sentences.

    A text is given by its tokens and sentence bounds. The trie is walked from every token as far as
    it matches, so the time does not grow with the number of sequences.

    >>> text = Corpus.of([(["a", "b", "a"], ["O"] * 3), (["b"], ["O"])])
    >>> trie = SequenceTrie()
    >>> code = trie.codes(text.tokens, np.array([0]), np.array([2]))
    >>> count_occurrences(trie, [(text.tokens, text.starts)])[code].tolist()
    [1]
    """
    counts = np.zeros(len(trie), np.int64)
    first_codes, has_children = trie.first_codes(), trie.has_children()
    for tokens, starts in texts if len(trie) else ():
        codes = np.where(
            tokens < len(first_codes), first_codes[np.minimum(tokens, len(first_codes) - 1)], -1
        )
        last = np.repeat(starts[1:] - 1, np.diff(starts))  # of the sentence of each token
        at = np.flatnonzero(codes >= 0)
        codes = codes[at]
        while len(at):
            np.add.at(counts, codes, 1)
            going = has_children[codes] & (at < last[at])
            at = at[going] + 1
            codes = trie.children(codes[going], tokens[at])
            at, codes = at[codes >= 0], codes[codes >= 0]
    return counts


def _candidates(text: Corpus, tokens: Ints, sequences: Mentions) -> tuple[Ints, Ints]:
    """Places where a sequence may begin, from the places of its rarest token."""
    order = np.argsort(text.tokens, kind="stable")
    rarest = _rarest(text, tokens, sequences)
    low = np.searchsorted(text.tokens, tokens[rarest], sorter=order)
    high = np.searchsorted(text.tokens, tokens[rarest], side="right", sorter=order)
    which = np.repeat(np.arange(len(sequences)), high - low)
    begin = order[expand_ranges(low, high)] - (rarest - sequences.start)[which]
    final = begin + (sequences.end - sequences.start)[which] - 1
    good = (begin >= 0) & (final < text.n_tokens)
    which, begin, final = which[good], begin[good], final[good]
    sentence_of = np.repeat(np.arange(len(text)), np.diff(text.starts))
    good = sentence_of[begin] == sentence_of[final]
    return which[good], begin[good]


def _rarest(text: Corpus, tokens: Ints, sequences: Mentions) -> Ints:
    """The position of the token of each sequence that is rarest in the text."""
    lengths = sequences.end - sequences.start
    owner = np.repeat(np.arange(len(sequences)), lengths)
    position = expand_ranges(sequences.start, sequences.end)
    frequency = lookup(np.bincount(text.tokens), tokens[position])
    rarest: Ints = position[np.lexsort((frequency, owner))[np.cumsum(lengths) - lengths]]
    return rarest
