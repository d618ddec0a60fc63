"""The tools: how each reads labels, what it counts as right, and what numbers it makes of it."""

from collections.abc import Sequence
from typing import NamedTuple

from nerscope.compat.peers.credits import (
    NO_SCORE,
    Credit,
    Score,
    half_for_overlap,
    same,
    same_span,
    same_type_overlap,
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
    reader: str  # which of READERS; modes with one reader see the same mentions
    rule: str  # in words
    credit: Credit = same
    none_of_none: bool = False  # no number where there is no mention at all

    @property
    def name(self) -> str:
        """Tool and mode."""
        return f"{self.tool} {self.mode}".strip()


class Judged(NamedTuple):
    """What a tool sees on both sides, sentence by sentence, and its numbers."""

    gold: list[Reading]
    predicted: list[Reading]
    score: Score


_NERVALUATE = "mentions as B and I spell them; any other letter goes on, or is refused at a start"
PEERS = {
    peer.name: peer
    for peer in [
        Peer(
            "nerscope",
            "",
            "nerscope",
            "every label but O belongs to a mention; the letters of all schemes are known",
        ),
        Peer(
            "conlleval",
            "",
            "conlleval",
            "two labels at a time: a stray I opens a mention; the letters are B, I, E, O",
        ),
        Peer(
            "seqeval",
            "default",
            "seqeval default",
            "as conlleval, with S; a mention that ends in another letter is lost before a B of its "
            "type",
        ),
        Peer(
            "seqeval",
            "strict",
            "seqeval strict",
            "a mention that breaks the scheme is dropped; the scheme must be told",
        ),
        Peer("nervaluate", "strict", "nervaluate", f"{_NERVALUATE}; span and type must agree"),
        Peer(
            "nervaluate", "exact", "nervaluate", "the span must agree, the type need not", same_span
        ),
        Peer(
            "nervaluate",
            "partial",
            "nervaluate",
            "a common token is half right, the same span right; the type need not agree",
            half_for_overlap,
        ),
        Peer(
            "nervaluate",
            "ent_type",
            "nervaluate",
            "a common token and the same type are right",
            same_type_overlap,
        ),
        Peer(
            "spaCy",
            "Doc",
            "spaCy Doc",
            "Doc(ents=labels): a stray I opens a mention, but is refused at the start of a text; "
            "so are letters but B, I, O",
            none_of_none=True,
        ),
        Peer(
            "spaCy",
            "convert",
            "spaCy convert",
            "spacy convert: every label but O that no I or L of its type goes on opens a mention",
            none_of_none=True,
        ),
        Peer(
            "SeqScore",
            "conlleval",
            "SeqScore conlleval",
            "a stray I opens a mention; schemes with an end cannot be repaired",
        ),
        Peer(
            "SeqScore",
            "discard",
            "SeqScore discard",
            "a stray I becomes O, and so does what follows it; for bio alone",
        ),
        Peer("SeqScore", "none", "SeqScore none", "labels that break the scheme are refused"),
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
    right = sum(peer.credit(one, other) for one, other in read if one and other)
    counts = [sum(map(len, side)) for side in zip(*read, strict=True)] or [0, 0]
    score = score_of(right, *counts, none_of_none=peer.none_of_none)
    return Judged(gold, predicted, score)
