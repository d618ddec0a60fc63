"""Read several sources side by side: the same sentences of each, chunk by chunk.

Sources may have chunks of different sizes. If gold has 100 sentences ready and a system 60, the
next row has 60 of each, and the other 40 of gold wait. Sources that differ are refused with the
first difference and its probable reason.
"""

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from nerscope.corpus.arrays import Ints
from nerscope.corpus.corpus import Coding, Corpus, file_option, join_chunks
from nerscope.corpus.text_keys import text_key
from nerscope.errors import AlignmentError, plural, shortened
from nerscope.formats.source import Aligner, Source


@dataclass(slots=True, eq=False)
class _Feed:
    """One file (or corpus in memory) that is read once for all sources that share it."""

    members: list[int]
    stream: Iterator[list[Corpus]]
    waiting: list[Corpus] | None = None

    def fill(self) -> int:
        """Read the next chunk if none is waiting; return the number of waiting sentences."""
        if self.waiting is None or not len(self.waiting[0]):
            self.waiting = next(self.stream, None)
        return len(self.waiting[0]) if self.waiting else 0

    def take(self, count: int) -> list[Corpus]:
        assert self.waiting is not None
        taken = [corpus.sentences(0, count) for corpus in self.waiting]
        self.waiting = [corpus.sentences(count, len(corpus)) for corpus in self.waiting]
        return taken


def needs_alignment(gold: Source, system: Source) -> bool:
    """Whether gold and a system may have different tokens, so that characters must be matched."""
    if system.file == gold.file:
        return False
    return gold.info.retokenised or system.info.retokenised


def side_by_side(
    sources: Sequence[Source], coding: Coding, *, tokens: bool = True, repair: str = "conlleval"
) -> Iterator[list[Corpus]]:
    """The same sentences of all sources, chunk by chunk; the first source is gold.

    Without `tokens`, they may stay bytes, or be left out if there is nothing to compare.
    """
    gold = sources[0]
    aligners = {
        place: _aligner(source, gold, coding, repair)
        for place, source in enumerate(sources)
        if needs_alignment(gold, source)
    }
    if not aligners:
        yield from _in_step(sources, coding, tokens)
        return
    others = [source for place, source in enumerate(sources) if place not in aligners]
    rows = _in_step(others, coding, tokens, are_matched=True)
    if any(aligner.needs_whole_documents for aligner in aligners.values()):
        rows = _by_documents(rows)
    for row in rows:
        in_step = iter(row)
        yield [
            aligners[place].align(row[0]) if place in aligners else next(in_step)
            for place in range(len(sources))
        ]
    for aligner in aligners.values():
        aligner.finish()


def _aligner(source: Source, gold: Source, coding: Coding, repair: str) -> Aligner:
    from nerscope.formats.realign import CharacterAligner  # most systems have the tokens of gold

    return source.aligner(gold, coding, repair) or CharacterAligner(source, coding, repair)


def _by_documents(rows: Iterator[list[Corpus]]) -> Iterator[list[Corpus]]:
    """The same rows, divided where documents end.

    Chunks with the documents 0 0 1 | 1 1 2 become 0 0 | 1 1 1 | 2.
    """
    held: list[list[Corpus]] = []  # rows of the last document, which may continue
    for row in rows:
        documents = row[0].documents
        # The last document of a row may continue in the next row; `last` is its first sentence.
        last = int(np.searchsorted(documents, documents[-1]))
        if held and documents[0] == held[-1][0].documents[-1] and not last:
            held.append(row)
            continue
        complete = [*held, [corpus.sentences(0, last) for corpus in row]] if last else held
        if complete:
            yield _join_rows(complete)
        held = [[corpus.sentences(last, len(corpus)) for corpus in row]]
    if held:
        yield _join_rows(held)


def _join_rows(rows: Sequence[Sequence[Corpus]]) -> list[Corpus]:
    """Join the chunks of several rows to one row, source by source."""
    return [join_chunks(list(chunks)) for chunks in zip(*rows, strict=True)]


def _in_step(
    sources: Sequence[Source], coding: Coding, tokens: bool, *, are_matched: bool = False
) -> Iterator[list[Corpus]]:
    """The same number of sentences of each source at a time.

    Tokens that `are_matched` with those of other sources must at least be bytes.
    """
    feeds = _feeds(sources, coding, tokens, are_matched)
    done = 0
    while all(ready := [feed.fill() for feed in feeds]):
        row: list[Corpus | None] = [None] * len(sources)
        for feed in feeds:
            for member, corpus in zip(feed.members, feed.take(min(ready)), strict=True):
                row[member] = corpus
        chunks = [corpus for corpus in row if corpus is not None]
        for corpus in chunks[1:]:
            _check_ids(chunks[0], corpus)
        for place, source in enumerate(sources[1:], 1):
            chunks[place] = _check_aligned(feeds, source, chunks[0], chunks[place], place, done)
        done += len(chunks[0])
        yield chunks
    if any(ready):  # some source ended while others still have sentences
        raise _leftovers(feeds, ready, sources, done)


def _feeds(
    sources: Sequence[Source], coding: Coding, tokens: bool, are_matched: bool
) -> list[_Feed]:
    """Group the sources that share a file, which is read once."""
    groups: dict[Hashable, list[int]] = {}
    for index, source in enumerate(sources):
        groups.setdefault(source.file, []).append(index)
    feeds = []
    shared = [[sources[k] for k in members] for members in groups.values()]
    streams = _streams(shared, coding, tokens, are_matched)
    for members, stream in zip(groups.values(), streams, strict=True):
        first = sources[members[0]]
        feeds.append(
            _Feed(members, _rebreak(sources[0], stream) if first.info.rebreaks else stream)
        )
    return feeds


def _streams(
    groups: Sequence[Sequence[Source]], coding: Coding, tokens: bool, are_matched: bool
) -> list[Iterator[list[Corpus]]]:
    """The chunks of each file.

    With one file there is nothing to align, so tokens are read only on request. The tokens of
    several files are compared: as bytes if all sources support it, otherwise as codes.
    """
    are_compared = are_matched or len(groups) > 1
    if are_compared and not tokens:
        streams = [group[0].unread(group, coding) for group in groups]
        unread = [stream for stream in streams if stream is not None]
        if len(unread) == len(groups):
            return unread
    needs_tokens = tokens or are_compared
    return [group[0].together(group, coding, tokens=needs_tokens) for group in groups]


def _rebreak(gold: Source, stream: Iterator[list[Corpus]]) -> Iterator[list[Corpus]]:
    """The same tokens with the sentence breaks of gold; tokens after its end are one sentence.

    If sentences of gold end at tokens 3 and 5, and a chunk holds tokens 0 to 4, its first three
    tokens are given as a sentence, and token 3 waits for the next chunk.
    """
    sizes = [np.diff(chunk.starts) for chunk in gold.chunks(Coding(), tokens=False)]
    breaks = np.cumsum(np.concatenate(sizes))
    done, waiting = 0, list[list[Corpus]]()
    for row in stream:
        waiting.append(row)
        chunks = _join_rows(waiting)
        inside = breaks[(breaks > done) & (breaks <= done + chunks[0].n_tokens)] - done
        waiting = [chunks]
        if len(inside):
            rebroken = [_with_breaks(chunk, inside) for chunk in chunks]
            yield [chunk.sentences(0, len(inside)) for chunk in rebroken]
            waiting = [[chunk.sentences(len(inside), len(chunk)) for chunk in rebroken]]
            done += int(inside[-1])
    if waiting and waiting[0][0].n_tokens:
        yield waiting[0]


def _with_breaks(corpus: Corpus, breaks: Ints) -> Corpus:
    """The corpus with sentences that end at `breaks`; tokens after them are the last sentence."""
    starts = np.unique([0, *breaks, corpus.n_tokens])
    return replace(corpus, starts=starts, documents=np.zeros(len(starts) - 1, np.int64))


def _check_aligned(
    feeds: list[_Feed], source: Source, gold: Corpus, system: Corpus, place: int, done: int
) -> Corpus:
    """The chunk of a system; it is refused if its sentences differ from gold."""
    if not np.array_equal(gold.starts, system.starts):
        raise _difference(_ahead(feeds, 0, gold), _ahead(feeds, place, system), done)
    differs = _differing_tokens(gold, system)
    if not len(differs):
        return system
    if not source.info.respells:
        raise _difference(gold, system, done)
    notes = replace(
        system.reading_notes,
        differing_tokens=len(differs),
        first_differing_line=int(system.lines[differs[0]]),
    )
    return replace(system, reading_notes=notes)


class OrderError(AlignmentError):
    """The records of a system have the ids of gold, but not in the order of gold."""


def check_id(gold: str | None, own: str | None, place: str) -> None:
    """Refuse a record with another id than the record of gold with which it is aligned."""
    if gold is not None and own is not None and gold != own:
        raise OrderError(
            place,
            f"the record has the id '{shortened(own)}', but gold has '{shortened(gold)}' here",
            "give the records in the order of gold",
        )


def _check_ids(gold: Corpus, system: Corpus) -> None:
    """Refuse sentences of records with other ids, if both files have ids."""
    sides = [corpus.records.ids for corpus in (gold, system) if corpus.records is not None]
    ids = [column for column in sides if column is not None]
    if len(ids) == 2 and len(ids[0]) == len(ids[1]) and gold is not system:
        for at in np.flatnonzero(ids[0] != ids[1])[:1].tolist():
            check_id(ids[0][at], ids[1][at], system.place(int(system.starts[at])))


def _differing_tokens(gold: Corpus, system: Corpus) -> Ints:
    """The indices of tokens that differ; none if one side has no tokens."""
    # If gold and system are columns of one file, they share its tokens.
    if gold.unread_tokens is not None and system.unread_tokens is not None:
        same = gold.unread_tokens.buffer is system.unread_tokens.buffer
        return np.zeros(0, np.int64) if same else gold.unread_tokens.differing(system.unread_tokens)
    gold, system = gold.with_words(), system.with_words()
    if gold.tokens is system.tokens or not len(gold.tokens) or not len(system.tokens):
        return np.zeros(0, np.int64)
    return np.flatnonzero(gold.tokens != system.tokens)


def _ahead(feeds: list[_Feed], member: int, taken: Corpus) -> Corpus:
    """The chunk with the sentences after it, which often show why two files differ."""
    feed = next(feed for feed in feeds if member in feed.members)
    if not feed.fill() or not feed.waiting:
        return taken
    return join_chunks([taken, feed.waiting[feed.members.index(member)]])


def _first_difference(gold: Corpus, other: Corpus) -> tuple[int, int]:
    """The first sentence that differs, and its first token that differs.

    If one sentence is the beginning of the other, it is the token after the shorter one.
    """
    shared_sentences = min(len(gold), len(other))
    sizes = [np.diff(corpus.starts)[:shared_sentences] for corpus in (gold, other)]
    by_size = (
        int(np.argmax(sizes[0] != sizes[1])) if (sizes[0] != sizes[1]).any() else shared_sentences
    )
    # Up to the first sentence of another size, tokens have the same indices on both sides.
    if len(gold.tokens) and len(other.tokens):
        shared = int(gold.starts[by_size])
        differs = gold.tokens[:shared] != other.tokens[:shared]
        if differs.any():
            token = int(np.argmax(differs))
            return int(np.searchsorted(gold.starts, token, side="right")) - 1, token
    begin = int(gold.starts[by_size])
    short = int(min(sizes[0][by_size], sizes[1][by_size]))
    if len(gold.tokens) and len(other.tokens):
        differs = gold.tokens[begin : begin + short] != other.tokens[begin : begin + short]
        if differs.any():
            return by_size, begin + int(np.argmax(differs))
    return by_size, begin + short


def _difference(gold: Corpus, other: Corpus, offset: int) -> AlignmentError:
    gold, other = gold.with_words(), other.with_words()
    sentence, token = _first_difference(gold, other)
    sides = []
    for corpus in (gold, other):
        begin, end = int(corpus.starts[sentence]), int(corpus.starts[sentence + 1])
        near = corpus.tokens[max(begin, token - 2) : min(end, token + 3)]
        words = " ".join(corpus.coding.tokens.strings(near)) if len(near) else "end"
        sides.append((corpus.place(min(token, end - 1)), end - begin, words))
    (place, size, words), (other_place, other_size, other_words) = sides
    return AlignmentError(
        place,
        f"sentence {offset + sentence + 1} differs from {other_place}: "
        f"{plural(size, 'token')} (… {words} …) against {other_size} (… {other_words} …)",
        _guess(gold, other, sentence),
    )


def _guess(gold: Corpus, other: Corpus, sentence: int) -> str:
    """The fix for the probable reason why two sentences differ."""
    if not len(gold.tokens) or not len(other.tokens):
        return "give one label per token of each sentence"
    begin = int(gold.starts[sentence])
    sizes = [int(corpus.starts[sentence + 1]) - begin for corpus in (gold, other)]
    if any(
        "DOCSTART" in corpus.coding.tokens.string(int(corpus.tokens[begin]))
        for corpus in (gold, other)
    ):
        return "write -DOCSTART- lines in both files or in neither; a document line differs"
    short = min(sizes)
    if text_key(gold.words(sentence)) == text_key(other.words(sentence)):
        return f"{file_option(other.name, 'tokens=align')} (same text with different tokens)"
    if sizes[0] == sizes[1] or not np.array_equal(
        gold.tokens[begin : begin + short], other.tokens[begin : begin + short]
    ):
        return (
            "predict on the tokens of the gold file; if only the spelling of tokens differs: "
            f"{file_option(other.name, 'tokens=any')}; if the same text has different tokens: "
            f"{file_option(other.name, 'tokens=align')}"
        )
    # One sentence is the beginning of the other. If the tokens after it are the same on both
    # sides, only the breaks differ; if not, the shorter sentence has lost its end.
    ahead = slice(begin, begin + max(sizes))
    if np.array_equal(gold.tokens[ahead], other.tokens[ahead]):
        return (
            f"{file_option(other.name, 'sentences=any')} "
            "(same tokens with different sentence breaks), or copy the blank lines of the gold file"
        )
    return (
        "raise the maximum sequence length of the system, or label the missing tokens O; "
        "the shorter sentence is cut off"
    )


def _leftovers(
    feeds: list[_Feed], ready: list[int], sources: Sequence[Source], done: int
) -> AlignmentError:
    longer = next(feed for feed, count in zip(feeds, ready, strict=True) if count)
    shorter = next(feed for feed, count in zip(feeds, ready, strict=True) if not count)
    assert longer.waiting is not None
    return AlignmentError(
        sources[shorter.members[0]].name,
        f"it ends after {plural(done, 'sentence')}, but {longer.waiting[0].place(0)} continues",
        "export the file again if it is truncated, or remove the extra sentences of the other file",
    )
