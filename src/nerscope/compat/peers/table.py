"""The tools: how each reads labels, what it counts as right, and what numbers it makes of it."""

from collections.abc import Sequence
from typing import NamedTuple

from nerscope.compat.peers.credits import (
    NO_SCORE,
    Credit,
    Score,
    by_nervaluate,
    same,
    score_of,
)
from nerscope.compat.peers.readers import READERS
from nerscope.compat.peers.seen import Labels, Reading, Refusal
from nerscope.corpus.corpus import Corpus
from nerscope.corpus.schemes import Scheme, scheme_named
from nerscope.errors import UsageError, suggest


class Peer(NamedTuple):
    """A tool in one of its modes."""

    tool: str
    mode: str
    rule: str  # in words
    credit: Credit = same
    none_of_none: bool = False  # no number where there is no mention at all

    @property
    def name(self) -> str:
        """Tool and mode."""
        return f"{self.tool} {self.mode}".strip()

    @property
    def reader(self) -> str:
        """Which of READERS it reads labels with: one for all modes of a tool, or one for each."""
        return self.tool if self.tool in READERS else self.name


class Judged(NamedTuple):
    """What a tool sees on both sides, sentence by sentence, and its numbers."""

    gold: list[Reading]
    predicted: list[Reading]
    score: Score


PEERS = {
    peer.name: peer
    for peer in [
        Peer(
            "nerscope",
            "",
            "any label but O belongs to a mention; the letters of all schemes are known",
        ),
        Peer(
            "conlleval",
            "",
            "looks at two labels at a time: a stray I opens a mention; knows B, I, E and O",
        ),
        Peer(
            "seqeval",
            "default",
            "as conlleval, and knows S; a mention that ends in another letter is lost before a B "
            "of its type",
        ),
        Peer(
            "seqeval",
            "strict",
            "a mention that breaks the scheme is dropped; the scheme must be told",
        ),
        Peer(
            "nervaluate",
            "strict",
            "a stray I opens a mention, and so does B; any other letter goes on, or is refused",
        ),
        Peer(
            "nervaluate",
            "exact",
            "the span must agree, the type need not",
            by_nervaluate("exact"),
        ),
        Peer(
            "nervaluate",
            "partial",
            "the same span is right, a common token half right; the type need not agree",
            by_nervaluate("partial"),
        ),
        Peer(
            "nervaluate",
            "ent_type",
            "a common token and the same type are right",
            by_nervaluate("ent_type"),
        ),
        Peer(
            "spaCy",
            "Doc",
            "Doc(ents=labels): a stray I opens a mention, but is refused at the start of a text; "
            "so are letters but B, I and O",
            none_of_none=True,
        ),
        Peer(
            "spaCy",
            "convert",
            "spacy convert: any label but O opens a mention, except I and L of the type before",
            none_of_none=True,
        ),
        Peer(
            "SeqScore",
            "conlleval",
            "a stray I opens a mention; schemes that mark the end cannot be repaired",
        ),
        Peer(
            "SeqScore",
            "discard",
            "a stray I becomes O, and so does what follows it; only bio can be repaired so",
        ),
        Peer("SeqScore", "none", "labels that break the scheme are refused"),
    ]
}


def judged_by(
    name: str,
    gold: Sequence[Labels],
    predicted: Sequence[Labels],
    scheme: str | Scheme | None = None,
) -> Judged:
    """What a tool makes of gold and predicted labels; the scheme is told by looking otherwise.

    >>> strict = judged_by("seqeval strict", [["B-PER", "O"]], [["O", "I-PER"]])
    >>> strict.gold, strict.predicted, strict.score.gold
    ([(Seen(type='PER', start=0, end=1),)], [()], 1)
    """
    if name not in PEERS:
        raise UsageError(f"tool '{name}'", "there is no such tool", suggest(name, PEERS))
    peer = PEERS[name]
    known = _scheme(scheme, gold, predicted)
    read = READERS[peer.reader]
    return judged(peer, read(gold, known), read(predicted, known))


def _scheme(
    told: str | Scheme | None, gold: Sequence[Labels], predicted: Sequence[Labels]
) -> Scheme:
    if told is not None:
        return scheme_named(told) if isinstance(told, str) else told
    return Corpus.of([list(labels) for labels in (*gold, *predicted)]).scheme


def judged(peer: Peer, gold: list[Reading], predicted: list[Reading]) -> Judged:
    """The numbers of a tool that sees these mentions; none if it refuses a sentence."""
    sides = list(zip(gold, predicted, strict=True))
    read = [
        (one, other)
        for one, other in sides
        if not isinstance(one, Refusal) and not isinstance(other, Refusal)
    ]
    if len(read) < len(sides):
        return Judged(gold, predicted, NO_SCORE)
    right, found = ([pair[side] for pair in read] for side in (0, 1))
    counts = (sum(map(len, side)) for side in (right, found))
    credit = peer.credit(right, found)
    return Judged(gold, predicted, score_of(credit, *counts, none_of_none=peer.none_of_none))
