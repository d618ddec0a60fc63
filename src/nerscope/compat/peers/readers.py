"""How each tool reads labels: one reader a rule, all from label lists to mentions."""

from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise

import numpy as np

from nerscope.compat.peers.seen import (
    Labels,
    Reader,
    Reading,
    Refusal,
    Seen,
    before,
    parted,
)
from nerscope.compat.seqeval_chunks import SCHEMES as SEQEVAL_SCHEMES
from nerscope.compat.seqeval_chunks import Chunks, loose_chunks, strict_chunks
from nerscope.corpus.arrays import Ints
from nerscope.corpus.corpus import Corpus
from nerscope.corpus.mentions import Mentions
from nerscope.corpus.schemes import Scheme, broken

GoesOn = Callable[[str, str], bool]  # of the letter before and of this one, where types agree
_ENDS_MENTIONS = {"BB", "IB", "EE", "EI"}  # conlleval's list; it has never heard of S, L, U, M, W


def runs_of(labels: Labels, goes_on: GoesOn) -> list[Seen]:
    """The mentions of a tool that looks at two labels at a time.

    A label continues the mention before it if it has its type and the two letters allow it;
    any other label but `O` begins a mention.

    >>> runs_of(["I-PER", "I-PER", "B-PER"], lambda before, letter: letter != "B")
    [Seen(type='PER', start=0, end=2), Seen(type='PER', start=2, end=3)]
    """
    found: list[Seen] = []
    before, open_type = "O", ""
    for at, (letter, kind) in enumerate(map(parted, labels)):
        if letter != "O":
            if before != "O" and kind == open_type and goes_on(before, letter):
                found[-1] = Seen(kind, found[-1].start, at + 1)
            else:
                found.append(Seen(kind, at, at + 1))
        before, open_type = letter, kind
    return found


def _each(read: Callable[[Labels], Reading]) -> Reader:
    """A reader that takes one sentence at a time and does not ask for the scheme."""
    return lambda sentences, scheme: [read(labels) for labels in sentences]


def _conlleval(labels: Labels) -> Reading:
    return tuple(runs_of(labels, lambda before, letter: before + letter not in _ENDS_MENTIONS))


def _seqeval(sentences: Sequence[Labels], scheme: Scheme) -> list[Reading]:
    chunks, _ = loose_chunks(sentences, [], suffix=False)
    return _from_row(chunks, sentences)


_SEQEVAL_SCHEMES = {"bio": "IOB2", "iob1": "IOB1", "io": "IOB1", "bioes": "IOBES", "bilou": "BILOU"}


def _seqeval_strict(sentences: Sequence[Labels], scheme: Scheme) -> list[Reading]:
    if scheme.name not in _SEQEVAL_SCHEMES:
        return [Refusal(f"{scheme.name}: it has no such scheme")] * len(sentences)
    own = SEQEVAL_SCHEMES[_SEQEVAL_SCHEMES[scheme.name]]
    stops = dict(_strange(sentences, own.letters, own.name))
    readable = [
        ["O"] * len(labels) if place in stops else labels for place, labels in enumerate(sentences)
    ]
    readings = _from_row(strict_chunks(readable, [], own, suffix=False), sentences)
    return [stops.get(place, reading) for place, reading in enumerate(readings)]


def _from_row(chunks: Chunks, sentences: Sequence[Labels]) -> list[Reading]:
    """The chunks of each sentence, from one long row with a label between sentences."""
    starts = np.cumsum([0, *(len(labels) + 1 for labels in sentences)])
    return [*_by_sentence(chunks.gold, starts, chunks.names)]


def _spacy_doc(labels: Labels) -> Reading:
    for at, label in enumerate(labels):
        if parted(label)[0] not in "BIO":
            return Refusal(f"{label}: it knows no letters but B, I and O", at)
    if parted(labels[0])[0] == "I":  # it mends an I after O or another type, but not the very first
        return Refusal(f"{labels[0]} after the sentence start")
    return tuple(runs_of(labels, lambda before, letter: letter == "I"))


def _spacy_convert(labels: Labels) -> Reading:
    return tuple(runs_of(labels, lambda before, letter: letter in "IL"))


def _nervaluate(labels: Labels) -> Reading:
    found = runs_of(labels, lambda before, letter: letter != "B")
    for _, at, _ in found:
        if parted(labels[at])[0] not in "BI":
            return Refusal(f"{labels[at]}: a mention begins with B or I, or not at all", at)
    return tuple(found)


def _nerscope(sentences: Sequence[Labels], scheme: Scheme) -> list[Reading]:
    return [*_mentions(_corpus(sentences, scheme), "conlleval", scheme)]


def _corpus(sentences: Sequence[Labels], scheme: Scheme) -> Corpus:
    return Corpus.of([list(labels) for labels in sentences], scheme=scheme.name)


def _mentions(corpus: Corpus, repair: str, scheme: Scheme) -> list[tuple[Seen, ...]]:
    found = corpus.mentions(repair, scheme)
    return _by_sentence(found, corpus.starts, corpus.coding.labels.types)


def _by_sentence(found: Mentions, starts: Ints, names: Sequence[str]) -> list[tuple[Seen, ...]]:
    """The distinct mentions of each sentence, counted from its start."""
    columns = (found.type.tolist(), found.start.tolist(), found.end.tolist())
    every = [(names[kind], start, end) for kind, start, end in zip(*columns, strict=True)]
    edges = np.searchsorted(found.start, starts).tolist()
    return [
        tuple(
            dict.fromkeys(Seen(kind, start - begin, end - begin) for kind, start, end in every[a:b])
        )
        for (a, b), begin in zip(pairwise(edges), starts.tolist(), strict=False)
    ]


# The repairs that SeqScore has for each scheme; it stops at invalid labels without one.
_SEQSCORE_REPAIRS = {"bio": {"conlleval", "discard"}, "iob1": {"conlleval"}}


def _by_seqscore(repair: str) -> Reader:
    """SeqScore checks labels against the scheme, and repairs or refuses those that break it."""

    def read(sentences: Sequence[Labels], scheme: Scheme) -> list[Reading]:
        corpus = _corpus(sentences, scheme)
        mends = repair in _SEQSCORE_REPAIRS.get(scheme.name, ())
        readings: list[Reading] = [*_mentions(corpus, repair if mends else "conlleval", scheme)]
        for sentence, stop in _stops(sentences, corpus, scheme, mends):
            readings[sentence] = stop
        return readings

    return read


def _stops(
    sentences: Sequence[Labels], corpus: Corpus, scheme: Scheme, mends: bool
) -> Iterator[tuple[int, Refusal]]:
    """The sentences at which SeqScore stops, those for letters last."""
    if not mends:
        yield from _faults(sentences, corpus, scheme)
    yield from _strange(sentences, f"O{scheme.letters}", scheme.name)


def _strange(
    sentences: Sequence[Labels], letters: str, scheme: str
) -> Iterator[tuple[int, Refusal]]:
    """The sentences with a letter that a scheme does not have, each with the first of them."""
    for sentence, labels in enumerate(sentences):
        for at, label in enumerate(labels):
            if parted(label)[0] not in letters:
                yield sentence, Refusal(f"{label}: {scheme} has no such letter", at)
                break


def _faults(
    sentences: Sequence[Labels], corpus: Corpus, scheme: Scheme
) -> Iterator[tuple[int, Refusal]]:
    """The transitions that the scheme forbids, of each sentence the first one last."""
    into, out = broken(*corpus.written(), corpus.starts, scheme)
    for sentence in np.flatnonzero(out).tolist():
        labels = sentences[sentence]
        yield sentence, Refusal(f"{labels[-1]} before the sentence end", len(labels) - 1)
    for place in np.flatnonzero(into)[::-1].tolist():
        sentence = int(np.searchsorted(corpus.starts, place, side="right")) - 1
        labels, at = sentences[sentence], place - int(corpus.starts[sentence])
        yield sentence, Refusal(f"{labels[at]} after {before(labels, at)}", at)


READERS: dict[str, Reader] = {
    "nerscope": _nerscope,
    "conlleval": _each(_conlleval),
    "seqeval default": _seqeval,
    "seqeval strict": _seqeval_strict,
    "nervaluate": _each(_nervaluate),
    "spaCy Doc": _each(_spacy_doc),
    "spaCy convert": _each(_spacy_convert),
    "SeqScore conlleval": _by_seqscore("conlleval"),
    "SeqScore discard": _by_seqscore("discard"),
    "SeqScore none": _by_seqscore("none"),
}
# These look at tokens too, and stop at an empty one.
NEED_TOKENS = tuple(name for name in READERS if name.startswith(("spaCy", "SeqScore")))
