"""Several sources side by side: the same sentences of each, chunk by chunk, or why not."""

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from nerscope.corpus.arrays import Ints
from nerscope.corpus.corpus import Coding, Corpus, join_chunks
from nerscope.errors import AlignmentError, plural
from nerscope.formats.realign import CharacterAligner, without_blanks
from nerscope.formats.source import Aligner, Source


@dataclass(slots=True, eq=False)
class _Feed:
    """One file (or corpus in memory) that is read once for all the sources that share it."""

    members: list[int]
    stream: Iterator[list[Corpus]]
    waiting: list[Corpus] | None = None

    def fill(self) -> int:
        """How many sentences are ready, 0 at the end."""
        if self.waiting is None or not len(self.waiting[0]):
            self.waiting = next(self.stream, None)
        return len(self.waiting[0]) if self.waiting else 0

    def take(self, count: int) -> list[Corpus]:
        assert self.waiting is not None
        taken = [corpus.sentences(0, count) for corpus in self.waiting]
        self.waiting = [corpus.sentences(count, len(corpus)) for corpus in self.waiting]
        return taken


def needs_alignment(gold: Source, system: Source) -> bool:
    """Whether a system is read along gold, because the tokens of one of them are its own."""
    if system.file == gold.file:
        return False
    return gold.info.retokenised or system.info.retokenised


def side_by_side(
    sources: Sequence[Source], coding: Coding, *, tokens: bool = True, repair: str = "conlleval"
) -> Iterator[list[Corpus]]:
    """The same sentences of all sources, chunk by chunk; the first source is the gold one."""
    gold = sources[0]
    followers: dict[int, Aligner] = {
        place: source.aligner(gold, coding, repair) or CharacterAligner(source, coding, repair)
        for place, source in enumerate(sources)
        if needs_alignment(gold, source)
    }
    if not followers:
        yield from _in_step(sources, coding, tokens)
        return
    others = [source for place, source in enumerate(sources) if place not in followers]
    rows = _in_step(others, coding, True)
    if any(one.needs_whole_documents for one in followers.values()):
        rows = _by_documents(rows)
    for row in rows:
        rest = iter(row)
        yield [
            followers[place].align(row[0]) if place in followers else next(rest)
            for place in range(len(sources))
        ]
    for follower in followers.values():
        follower.finish()


def _by_documents(rows: Iterator[list[Corpus]]) -> Iterator[list[Corpus]]:
    """The same rows, divided where documents end."""
    held: list[list[Corpus]] = []  # all of one document, which may go on
    for row in rows:
        documents = row[0].documents
        last = int(np.searchsorted(documents, documents[-1]))
        if held and documents[0] == held[-1][0].documents[-1] and not last:
            held.append(row)
            continue
        done = [*held, [corpus.sentences(0, last) for corpus in row]] if last else held
        if done:
            yield [join_chunks(list(parts)) for parts in zip(*done, strict=True)]
        held = [[corpus.sentences(last, len(corpus)) for corpus in row]]
    if held:
        yield [join_chunks(list(parts)) for parts in zip(*held, strict=True)]


def _in_step(sources: Sequence[Source], coding: Coding, tokens: bool) -> Iterator[list[Corpus]]:
    """The same number of sentences of each source at a time."""
    feeds = _feeds(sources, coding, tokens)
    done = 0
    while all(ready := [feed.fill() for feed in feeds]):
        row: list[Corpus | None] = [None] * len(sources)
        for feed in feeds:
            for member, corpus in zip(feed.members, feed.take(min(ready)), strict=True):
                row[member] = corpus
        full = [corpus for corpus in row if corpus is not None]
        for place, source in enumerate(sources[1:], 1):
            full[place] = _aligned(feeds, source, full[0], full[place], place, done)
        done += len(full[0])
        yield full
    if any(ready):
        raise _leftovers(feeds, ready, sources, done)


def _feeds(sources: Sequence[Source], coding: Coding, tokens: bool) -> list[_Feed]:
    """Group the sources that share a file: it is read once."""
    groups: dict[Hashable, list[int]] = {}
    for index, source in enumerate(sources):
        groups.setdefault(source.file, []).append(index)
    feeds = []
    shared = [[sources[k] for k in members] for members in groups.values()]
    streams = _streams(shared, coding, tokens)
    for members, stream in zip(groups.values(), streams, strict=True):
        first = sources[members[0]]
        feeds.append(
            _Feed(members, _broken_as(sources[0], stream) if first.info.rebreaks else stream)
        )
    return feeds


def _streams(
    groups: Sequence[Sequence[Source]], coding: Coding, tokens: bool
) -> list[Iterator[list[Corpus]]]:
    """The chunks of each file.

    With one file there is nothing to align, so tokens are read only if somebody asks for them.
    Those of several are compared, which may be possible where they stand.
    """
    several = len(groups) > 1
    unread = [group[0].unread(group, coding) for group in groups] if several and not tokens else []
    found = [stream for stream in unread if stream is not None]
    if several and len(found) == len(groups):
        return found
    wanted = tokens or several
    return [group[0].together(group, coding, tokens=wanted) for group in groups]


def _broken_as(gold: Source, stream: Iterator[list[Corpus]]) -> Iterator[list[Corpus]]:
    """The same tokens with the sentence breaks of gold; what gold does not have stays whole."""
    sizes = [np.diff(chunk.starts) for chunk in gold.chunks(Coding(), tokens=False)]
    breaks = np.cumsum(np.concatenate(sizes))
    done, waiting = 0, list[list[Corpus]]()
    for row in stream:
        waiting.append(row)
        held = [join_chunks(list(parts)) for parts in zip(*waiting, strict=True)]
        inside = breaks[(breaks > done) & (breaks <= done + held[0].n_tokens)] - done
        waiting = [held]
        if len(inside):
            whole = [_rebroken(one, inside) for one in held]
            yield [one.sentences(0, len(inside)) for one in whole]
            waiting = [[one.sentences(len(inside), len(one)) for one in whole]]
            done += int(inside[-1])
    if waiting and waiting[0][0].n_tokens:
        yield waiting[0]


def _rebroken(corpus: Corpus, breaks: Ints) -> Corpus:
    """A corpus whose sentences end where they are told to; what is left is the last one."""
    starts = np.unique([0, *breaks, corpus.n_tokens])
    return replace(corpus, starts=starts, documents=np.zeros(len(starts) - 1, np.int64))


def _aligned(
    feeds: list[_Feed], source: Source, gold: Corpus, own: Corpus, place: int, done: int
) -> Corpus:
    """The chunk of a system, refused if it is not the same sentences as gold."""
    if not np.array_equal(gold.starts, own.starts):
        raise _difference(_ahead(feeds, 0, gold), _ahead(feeds, place, own), done)
    differs = _differing(gold, own)
    if not len(differs):
        return own
    if not source.info.respells:
        raise _difference(gold, own, done)
    reading = replace(
        own.reading_notes,
        differing_tokens=len(differs),
        first_differing_line=int(own.lines[differs[0]]),
    )
    return replace(own, reading_notes=reading)


def _differing(gold: Corpus, own: Corpus) -> Ints:
    """The places of tokens that are not the same, none if one side has no tokens."""
    if gold.unread_tokens is not None and own.unread_tokens is not None:
        same = gold.unread_tokens.buffer is own.unread_tokens.buffer
        return np.zeros(0, np.int64) if same else gold.unread_tokens.differing(own.unread_tokens)
    gold, own = gold.with_words(), own.with_words()
    if gold.tokens is own.tokens or not len(gold.tokens) or not len(own.tokens):
        return np.zeros(0, np.int64)
    return np.flatnonzero(gold.tokens != own.tokens)


def _ahead(feeds: list[_Feed], member: int, taken: Corpus) -> Corpus:
    """What was taken and what comes next: what follows tells the reason of a difference."""
    feed = next(feed for feed in feeds if member in feed.members)
    if not feed.fill() or not feed.waiting:
        return taken
    return join_chunks([taken, feed.waiting[feed.members.index(member)]])


def _first_difference(gold: Corpus, other: Corpus) -> tuple[int, int]:
    """The first sentence that differs, and the first token of it that does (or where the shorter
    one ends).
    """
    shared_sentences = min(len(gold), len(other))
    sizes = [np.diff(corpus.starts)[:shared_sentences] for corpus in (gold, other)]
    by_size = (
        int(np.argmax(sizes[0] != sizes[1])) if (sizes[0] != sizes[1]).any() else shared_sentences
    )
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
    """Why two sentences differ, told from what follows."""
    if not len(gold.tokens) or not len(other.tokens):
        return "give every sentence as many labels as it has tokens"
    begin = int(gold.starts[sentence])
    sizes = [int(corpus.starts[sentence + 1]) - begin for corpus in (gold, other)]
    if any(
        "DOCSTART" in corpus.coding.tokens.string(int(corpus.tokens[begin]))
        for corpus in (gold, other)
    ):
        return "a document line is spelt differently: write -DOCSTART- in both files or in neither"
    short = min(sizes)
    texts = [without_blanks("".join(corpus.words(sentence))) for corpus in (gold, other)]
    if texts[0] == texts[1]:
        return "the same text, divided into other tokens: say tokens=align of the system's file"
    if sizes[0] == sizes[1] or not np.array_equal(
        gold.tokens[begin : begin + short], other.tokens[begin : begin + short]
    ):
        return (
            "the tokens differ: predict on the tokens of the gold file, say tokens=any if only "
            "their spelling differs, or tokens=align if the same text is divided otherwise"
        )
    ahead = slice(begin, begin + max(sizes))
    if np.array_equal(gold.tokens[ahead], other.tokens[ahead]):
        return (
            "the same tokens, split into sentences at different places: "
            "copy the blank lines of the gold file, or say sentences=any"
        )
    return (
        "the shorter sentence is cut off: raise the maximum sequence length of the system, "
        "or label the rest O"
    )


def _leftovers(
    feeds: list[_Feed], ready: list[int], sources: Sequence[Source], done: int
) -> AlignmentError:
    longer = next(feed for feed, count in zip(feeds, ready, strict=True) if count)
    shorter = next(feed for feed, count in zip(feeds, ready, strict=True) if not count)
    assert longer.waiting is not None
    return AlignmentError(
        sources[shorter.members[0]].name,
        f"it ends after {plural(done, 'sentence')}, but {longer.waiting[0].place(0)} goes on",
        "the shorter file is truncated, or the other one has sentences too many: write it again",
    )
