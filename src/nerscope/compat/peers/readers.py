"""How each tool reads labels: readers turn label lists into mentions or refusals."""

from collections.abc import Callable, Iterator, Sequence
from functools import cache
from itertools import pairwise
from typing import NamedTuple, TypeAlias

import numpy as np

from nerscope.compat.seqeval_chunks import SCHEMES as SEQEVAL_SCHEMES
from nerscope.compat.seqeval_chunks import Chunks, loose_chunks, strict_chunks
from nerscope.corpus.arrays import Ints
from nerscope.corpus.corpus import Corpus
from nerscope.corpus.mentions import Mentions
from nerscope.corpus.schemes import OUTSIDE_LABEL, UNTYPED, Scheme, forbidden_labels


class PeerMention(NamedTuple):
    """A mention as a tool reads it: tokens `start` up to `end` (exclusive) of its sentence."""

    type: str
    start: int
    end: int


class Refusal(NamedTuple):
    """Why a tool raises an error for a sentence, and at which token."""

    why: str
    at: int = 0


Labels: TypeAlias = Sequence[str]
PeerReading: TypeAlias = tuple[PeerMention, ...] | Refusal
LabelReader: TypeAlias = Callable[[Sequence[Labels], Scheme], list[PeerReading]]
GoesOn = Callable[[str, str], bool]  # (letter before, this letter), for labels of the same type

# The letter pairs of conlleval between which a mention ends. Pairs with S, L, U, M and W are
# missing because the script does not know these letters.
_ENDS_MENTIONS = {"BB", "IB", "EE", "EI"}


@cache  # a corpus has few distinct labels, and every reader needs each token
def split_label(label: str) -> tuple[str, str]:
    """The letter and the type of a label, split at the first `-`.

    >>> split_label("B-creative-work"), split_label("O")
    (('B', 'creative-work'), ('O', ''))
    """
    letter, dash, kind = label.partition("-")
    return letter, kind if dash or letter == OUTSIDE_LABEL else UNTYPED


def label_before(labels: Labels, at: int) -> str:
    """The label before a token, or "the sentence start"."""
    return labels[at - 1] if at else "the sentence start"


def runs_of(labels: Labels, goes_on: GoesOn) -> list[PeerMention]:
    """The mentions of a tool that compares two neighbouring labels.

    A label continues the mention before it if it has the same type and `goes_on` allows the two
    letters. Any other label except `O` begins a mention.

    >>> runs_of(["I-PER", "I-PER", "B-PER"], lambda before, letter: letter != "B")
    [PeerMention(type='PER', start=0, end=2), PeerMention(type='PER', start=2, end=3)]
    """
    mentions: list[PeerMention] = []
    before, open_type = "O", ""
    for at, (letter, kind) in enumerate(map(split_label, labels)):
        if letter != "O":
            if before != "O" and kind == open_type and goes_on(before, letter):
                mentions[-1] = PeerMention(kind, mentions[-1].start, at + 1)
            else:
                mentions.append(PeerMention(kind, at, at + 1))
        before, open_type = letter, kind
    return mentions


def _sentence_by_sentence(read: Callable[[Labels], PeerReading]) -> LabelReader:
    """A reader for corpora, made from a reader for one sentence without a scheme."""
    return lambda sentences, scheme: [read(labels) for labels in sentences]


def _conlleval(labels: Labels) -> PeerReading:
    return tuple(runs_of(labels, lambda before, letter: before + letter not in _ENDS_MENTIONS))


def _seqeval(sentences: Sequence[Labels], scheme: Scheme) -> list[PeerReading]:
    chunks, _ = loose_chunks(sentences, [], suffix=False)
    return _chunks_by_sentence(chunks, sentences)


_SEQEVAL_SCHEMES = {"bio": "IOB2", "iob1": "IOB1", "io": "IOB1", "bioes": "IOBES", "bilou": "BILOU"}


def _seqeval_strict(sentences: Sequence[Labels], scheme: Scheme) -> list[PeerReading]:
    if scheme.name not in _SEQEVAL_SCHEMES:
        return [Refusal(f"{scheme.name}: it does not have this scheme")] * len(sentences)
    seqeval_scheme = SEQEVAL_SCHEMES[_SEQEVAL_SCHEMES[scheme.name]]
    refusals = dict(_unknown_letters(sentences, seqeval_scheme.letters, seqeval_scheme.name))
    # seqeval stops at the first sentence with an unknown letter. To read all others, such sentences
    # are replaced by O labels first, and by their refusals afterwards.
    readable = [
        ["O"] * len(labels) if number in refusals else labels
        for number, labels in enumerate(sentences)
    ]
    chunks = strict_chunks(readable, [], seqeval_scheme, suffix=False)
    readings = _chunks_by_sentence(chunks, sentences)
    return [refusals.get(number, reading) for number, reading in enumerate(readings)]


def _chunks_by_sentence(chunks: Chunks, sentences: Sequence[Labels]) -> list[PeerReading]:
    """The chunks of each sentence, from one row of labels with an `O` after every sentence."""
    starts = np.cumsum([0, *(len(labels) + 1 for labels in sentences)])
    return [*_by_sentence(chunks.gold, starts, chunks.names)]


def _spacy_doc(labels: Labels) -> PeerReading:
    for at, label in enumerate(labels):
        if split_label(label)[0] not in "BIO":
            return Refusal(f"{label}: it knows only the letters B, I and O", at)
    # spaCy repairs an I after O or after another type, but not at the first token.
    if split_label(labels[0])[0] == "I":
        return Refusal(f"{labels[0]} after the sentence start")
    return tuple(runs_of(labels, lambda before, letter: letter == "I"))


def _spacy_convert(labels: Labels) -> PeerReading:
    return tuple(runs_of(labels, lambda before, letter: letter in "IL"))


def _nervaluate(labels: Labels) -> PeerReading:
    mentions = runs_of(labels, lambda before, letter: letter != "B")
    for _, start, _ in mentions:
        if split_label(labels[start])[0] not in "BI":
            return Refusal(f"{labels[start]}: a mention must begin with B or I", start)
    return tuple(mentions)


def _nerscope(sentences: Sequence[Labels], scheme: Scheme) -> list[PeerReading]:
    return [*_repaired_mentions(_corpus(sentences, scheme), "conlleval", scheme)]


def _corpus(sentences: Sequence[Labels], scheme: Scheme) -> Corpus:
    return Corpus.of([list(labels) for labels in sentences], scheme=scheme.name)


def _repaired_mentions(
    corpus: Corpus, repair: str, scheme: Scheme
) -> list[tuple[PeerMention, ...]]:
    mentions = corpus.mentions(repair, scheme)
    return _by_sentence(mentions, corpus.starts, corpus.coding.labels.types)


def _by_sentence(
    mentions: Mentions, starts: Ints, names: Sequence[str]
) -> list[tuple[PeerMention, ...]]:
    """The distinct mentions of each sentence, with positions in the sentence."""
    columns = (mentions.type.tolist(), mentions.start.tolist(), mentions.end.tolist())
    rows = [(names[kind], start, end) for kind, start, end in zip(*columns, strict=True)]
    edges = np.searchsorted(mentions.start, starts).tolist()
    return [
        tuple(
            dict.fromkeys(
                PeerMention(kind, start - begin, end - begin)
                for kind, start, end in rows[first:behind]
            )
        )
        for (first, behind), begin in zip(pairwise(edges), starts.tolist(), strict=False)
    ]


# The repairs of SeqScore for each scheme. With a repair, it refuses files in other schemes, even if
# all labels are valid. Without a repair, it refuses invalid labels.
_SEQSCORE_REPAIRS = {"bio": {"conlleval", "discard"}, "iob1": {"conlleval"}}
_NO_REPAIR = "none"


def _seqscore_reader(repair: str) -> LabelReader:
    """SeqScore checks labels against the scheme, and repairs or refuses invalid labels."""

    def read(sentences: Sequence[Labels], scheme: Scheme) -> list[PeerReading]:
        can_repair = repair in _SEQSCORE_REPAIRS.get(scheme.name, ())
        if not can_repair and repair != _NO_REPAIR:
            return [Refusal(f"{scheme.name}: it has no repair {repair} for this scheme")] * len(
                sentences
            )
        corpus = _corpus(sentences, scheme)
        readings: list[PeerReading] = [
            *_repaired_mentions(corpus, repair if can_repair else "conlleval", scheme)
        ]
        # Later refusals of a sentence replace earlier ones, so unknown letters replace transitions.
        if not can_repair:
            for sentence, refusal in _forbidden_transitions(sentences, corpus, scheme):
                readings[sentence] = refusal
        for sentence, refusal in _unknown_letters(sentences, f"O{scheme.letters}", scheme.name):
            readings[sentence] = refusal
        return readings

    return read


def _unknown_letters(
    sentences: Sequence[Labels], letters: str, scheme: str
) -> Iterator[tuple[int, Refusal]]:
    """The sentences with a letter that the scheme does not have, each with its first such label."""
    for sentence, labels in enumerate(sentences):
        for at, label in enumerate(labels):
            if split_label(label)[0] not in letters:
                yield sentence, Refusal(f"{label}: {scheme} has no such letter", at)
                break


def _forbidden_transitions(
    sentences: Sequence[Labels], corpus: Corpus, scheme: Scheme
) -> Iterator[tuple[int, Refusal]]:
    """The invalid transitions; the first one of each sentence comes last, and is kept."""
    into, out = forbidden_labels(*corpus.roles_and_types(), corpus.starts, scheme)
    for sentence in np.flatnonzero(out).tolist():
        labels = sentences[sentence]
        yield sentence, Refusal(f"{labels[-1]} before the sentence end", len(labels) - 1)
    for token in np.flatnonzero(into)[::-1].tolist():
        sentence = int(np.searchsorted(corpus.starts, token, side="right")) - 1
        labels, at = sentences[sentence], token - int(corpus.starts[sentence])
        yield sentence, Refusal(f"{labels[at]} after {label_before(labels, at)}", at)


READERS: dict[str, LabelReader] = {
    "nerscope": _nerscope,
    "conlleval": _sentence_by_sentence(_conlleval),
    "seqeval default": _seqeval,
    "seqeval strict": _seqeval_strict,
    "nervaluate": _sentence_by_sentence(_nervaluate),
    "spaCy Doc": _sentence_by_sentence(_spacy_doc),
    "spaCy convert": _sentence_by_sentence(_spacy_convert),
    "SeqScore conlleval": _seqscore_reader("conlleval"),
    "SeqScore discard": _seqscore_reader("discard"),
    "SeqScore none": _seqscore_reader(_NO_REPAIR),
}
# These tools also read tokens, and refuse empty tokens.
NEED_TOKENS = tuple(name for name in READERS if name.startswith(("spaCy", "SeqScore")))
