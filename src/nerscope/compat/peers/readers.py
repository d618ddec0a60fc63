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
from nerscope.corpus.corpus import Corpus
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


def _seqeval(labels: Labels) -> Reading:
    """conlleval's rule with S added, and a flaw: after a letter that is none of B, I, E, S, a B
    begins a mention without ending the one before, which is lost.
    """
    found: list[Seen] = []
    before, open_type, begin = "O", "", 0
    for at, (letter, kind) in enumerate(map(parted, [*labels, "O"])):
        changes = kind != open_type
        if before in "ES" or (before != "O" and changes) or (before in "BI" and letter in "BSO"):
            found.append(Seen(open_type, begin, at))
        if letter in "BS" or (letter != "O" and changes) or (before in "EOS" and letter in "EI"):
            begin = at
        before, open_type = letter, kind
    return tuple(dict.fromkeys(found))


_STRICT = ("bio", "bioes", "bilou")  # where seqeval's strict mode drops what breaks the scheme


def _seqeval_strict(sentences: Sequence[Labels], scheme: Scheme) -> list[Reading]:
    if scheme.name in _STRICT:
        return _by_nerscope("discard")(sentences, scheme)
    if scheme.inside_opens:
        return [_seqeval_iob1(labels) for labels in sentences]
    return [Refusal(f"it has no scheme {scheme.name}") for _ in sentences]


_IOB1_OPENS = {("O", "I"), ("B", "I")}  # whatever the types
_IOB1_SEPARATES = {("I", "B"), ("B", "B")}  # mentions of one type


def _seqeval_iob1(labels: Labels) -> Reading:
    """seqeval's IOB1: a B that separates nothing opens nothing, but an I behind it does."""
    marks = [*map(parted, labels), ("O", "")]
    found: list[Seen] = []
    end = 0
    for at, (letter, kind) in enumerate(marks[:-1]):
        before, other = marks[at - 1] if at else ("O", "")
        pair = (before, letter)
        changes = pair == ("I", "I") and kind != other
        opens = pair in _IOB1_OPENS or changes or (pair in _IOB1_SEPARATES and kind == other)
        if at < end or not opens:
            continue
        end = next(k for k in range(at + 1, len(marks)) if marks[k] != ("I", kind))
        # Two B of different types after each other end nothing.
        if (marks[end - 1][0], marks[end][0]) != ("B", "B") or marks[end][1] == kind:
            found.append(Seen(kind, at, end))
    return tuple(found)


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


def _by_nerscope(repair: str) -> Reader:
    """nerscope's own reading of a whole side."""

    def read(sentences: Sequence[Labels], scheme: Scheme) -> list[Reading]:
        return list(_split(_corpus(sentences, scheme), repair, scheme))

    return read


def _corpus(sentences: Sequence[Labels], scheme: Scheme) -> Corpus:
    return Corpus.of([list(labels) for labels in sentences], scheme=scheme.name)


def _split(corpus: Corpus, repair: str, scheme: Scheme) -> list[tuple[Seen, ...]]:
    """The mentions of each sentence, counted from its start."""
    found = corpus.mentions(repair, scheme)
    names = corpus.coding.labels.types
    every = [
        (names[kind], start, end)
        for kind, start, end in zip(
            found.type.tolist(), found.start.tolist(), found.end.tolist(), strict=True
        )
    ]
    edges = np.searchsorted(found.start, corpus.starts).tolist()
    return [
        tuple(Seen(kind, start - begin, end - begin) for kind, start, end in every[first:last])
        for (first, last), begin in zip(pairwise(edges), corpus.starts.tolist(), strict=False)
    ]


# The repairs that SeqScore has for each scheme; it stops at invalid labels without one.
_SEQSCORE_REPAIRS = {"bio": {"conlleval", "discard"}, "iob1": {"conlleval"}}


def _by_seqscore(repair: str) -> Reader:
    """SeqScore checks labels against the scheme, and repairs or refuses those that break it."""

    def read(sentences: Sequence[Labels], scheme: Scheme) -> list[Reading]:
        corpus = _corpus(sentences, scheme)
        mends = repair in _SEQSCORE_REPAIRS.get(scheme.name, ())
        readings: list[Reading] = [*_split(corpus, repair if mends else "conlleval", scheme)]
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
    known = {"O", *scheme.letters}
    for sentence, labels in enumerate(sentences):
        strange = [at for at, label in enumerate(labels) if parted(label)[0] not in known]
        if strange:
            label = labels[strange[0]]
            yield sentence, Refusal(f"{label}: {scheme.name} has no such letter", strange[0])


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
    "nerscope": _by_nerscope("conlleval"),
    "conlleval": _each(_conlleval),
    "seqeval default": _each(_seqeval),
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
