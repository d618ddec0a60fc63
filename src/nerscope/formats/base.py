"""Whatever a user means by a corpus, as chunks; and several of them side by side, sentence by
sentence.
"""

import io
import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import IO, Any, TypeAlias

import numpy as np

from nerscope.corpus.corpus import Coding, Corpus, Sentence, joined
from nerscope.errors import AlignmentError, InputError, UsageError, plural
from nerscope.formats.blocks import unpacked
from nerscope.formats.conll import ConllFile, read_chunks

Source: TypeAlias = ConllFile | Corpus
CorpusLike: TypeAlias = str | os.PathLike[str] | IO[Any] | ConllFile | Corpus | Iterable[Sentence]


def source_of(given: CorpusLike, name: str = "<memory>") -> Source:
    """A path, an open file, a `ConllFile`, a `Corpus` or lists of tokens and labels, as a source of
    chunks.
    """
    if isinstance(given, ConllFile | Corpus):
        return given
    if isinstance(given, str | os.PathLike):
        return ConllFile(os.fspath(given))
    if hasattr(given, "read"):
        data = given.read()
        own = str(getattr(given, "name", name))
        return ConllFile(own, data=data.encode() if isinstance(data, str) else unpacked(data))
    if isinstance(given, Iterable):
        return Corpus.of(given, name=name)
    raise InputError(
        name,
        f"a {type(given).__name__} is no corpus",
        "give a path, an open file, a Corpus or lists of sentences",
    )


def read(given: CorpusLike, **options: Any) -> Corpus:
    """Read a whole corpus; options are those of a `ConllFile`.

    >>> import io
    >>> len(read(io.StringIO("Ada\\tB-PER\\n\\nhere\\tO\\n")))
    2
    """
    source = source_of(given)
    if isinstance(source, ConllFile):
        if isinstance(given, io.TextIOBase):  # an open text file has been decoded already
            options.pop("encoding", None)
        source = replace(source, **options)
    elif options:
        raise UsageError(
            "read",
            f"{', '.join(options)} cannot be said of sentences in memory",
            "use Corpus.of(…, scheme=…)",
        )
    return joined(list(chunks(source, Coding())))


def chunks(source: Source, coding: Coding, tokens: bool = True) -> Iterator[Corpus]:
    """The chunks of one source."""
    if isinstance(source, Corpus):
        yield source.recoded(coding)
    else:
        yield from (corpora[0] for corpora in read_chunks(source, coding, [source.label], tokens))


def with_tokens(source: Source) -> Source:
    """The source, refused if its sentences are labels alone."""
    if isinstance(source, Corpus) and not len(source.tokens):
        raise InputError(
            source.name, "the sentences have no tokens", "give each as (tokens, labels)"
        )
    return source


def with_scheme(source: Source) -> Source:
    """The source with its scheme settled, by reading it through if nobody has said it."""
    if isinstance(source, Corpus) or source.scheme:
        return source
    *_, last = chunks(source, Coding(), tokens=False)
    return replace(source, scheme=last.column.scheme.name)


@dataclass(slots=True, eq=False)
class _Feed:
    """One file (or corpus in memory) that is read once for all the sources that share it."""

    members: list[int]
    sources: list[Source]
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


def side_by_side(
    sources: Sequence[Source], coding: Coding, tokens: bool = True
) -> Iterator[list[Corpus]]:
    """The same sentences of all sources, chunk by chunk; the first source is the gold one."""
    feeds = _feeds(sources, coding, tokens)
    sentence = 0
    while True:
        ready = [feed.fill() for feed in feeds]
        if not all(ready):
            break
        row: list[Corpus | None] = [None] * len(sources)
        for feed in feeds:
            for member, corpus in zip(feed.members, feed.take(min(ready)), strict=True):
                row[member] = corpus
        full = [corpus for corpus in row if corpus is not None]
        for source, other in zip(sources[1:], full[1:], strict=True):
            if not _same_sentences(full[0], other):
                raise _difference(
                    _ahead(feeds, sources[0], full[0]), _ahead(feeds, source, other), sentence
                )
            if isinstance(source, ConllFile) and source.tokens == "any":
                other.column.note_other_tokens(full[0], other)
            elif not _same_tokens(full[0], other):
                raise _difference(full[0], other, sentence)
        sentence += len(full[0])
        yield full
    if any(ready):
        _refuse_leftovers(feeds, ready, sources, sentence)


def _feeds(sources: Sequence[Source], coding: Coding, tokens: bool) -> list[_Feed]:
    """Group the sources that differ only in the label column: their file is read once."""
    groups: dict[object, list[int]] = {}
    for index, source in enumerate(sources):
        key = replace(source, label=0) if isinstance(source, ConllFile) else id(source)
        groups.setdefault(key, []).append(index)
    # With one file there is nothing to align, so tokens are read only if somebody asks for them.
    tokens = tokens or len(groups) > 1
    feeds = []
    for members in groups.values():
        source, own = sources[members[0]], [sources[member] for member in members]
        if isinstance(source, Corpus):
            feeds.append(_Feed(members, own, iter([[source.recoded(coding)] * len(members)])))
        else:
            feeds.append(
                _Feed(
                    members,
                    own,
                    _columns(source, coding, [_label(sources[i]) for i in members], tokens),
                )
            )
    return feeds


def _label(source: Source) -> int:
    assert isinstance(source, ConllFile)
    return source.label


def _columns(
    file: ConllFile, coding: Coding, wanted: list[int], tokens: bool
) -> Iterator[list[Corpus]]:
    distinct = list(dict.fromkeys(wanted))
    for corpora in read_chunks(file, coding, distinct, tokens):
        yield [corpora[distinct.index(column)] for column in wanted]


def _ahead(feeds: list[_Feed], source: Source, taken: Corpus) -> Corpus:
    """What was taken and what comes next, so that the reason of a difference can be told from what
    follows.
    """
    feed = next(feed for feed in feeds if any(source is own for own in feed.sources))
    rest = (
        feed.waiting[[source is own for own in feed.sources].index(True)]
        if feed.fill() and feed.waiting
        else None
    )
    return joined([taken, rest]) if rest is not None else taken


def _same_sentences(gold: Corpus, other: Corpus) -> bool:
    return np.array_equal(gold.starts, other.starts)


def _same_tokens(gold: Corpus, other: Corpus) -> bool:
    if gold.tokens is other.tokens or not len(gold.tokens) or not len(other.tokens):
        return True
    return np.array_equal(gold.tokens, other.tokens)


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
    if sizes[0] == sizes[1] or not np.array_equal(
        gold.tokens[begin : begin + short], other.tokens[begin : begin + short]
    ):
        return "the tokens differ: predict on the tokens of the gold file, or say tokens=any if only their spelling differs"
    ahead = slice(begin, begin + max(sizes))
    if np.array_equal(gold.tokens[ahead], other.tokens[ahead]):
        return "the same tokens, split into sentences at different places: copy the blank lines of the gold file"
    return "the shorter sentence is cut off: raise the maximum sequence length of the system, or label the rest O"


def _refuse_leftovers(
    feeds: list[_Feed], ready: list[int], sources: Sequence[Source], sentence: int
) -> None:
    longer = next(feed for feed, count in zip(feeds, ready, strict=True) if count)
    shorter = next(feed for feed, count in zip(feeds, ready, strict=True) if not count)
    assert longer.waiting is not None
    raise AlignmentError(
        sources[shorter.members[0]].name,
        f"it ends after {plural(sentence, 'sentence')}, but {longer.waiting[0].place(0)} goes on",
        "the shorter file is truncated, or the other one has sentences too many: write it again",
    )
