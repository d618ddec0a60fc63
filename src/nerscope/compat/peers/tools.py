"""The compared tools: how each reads labels, what it counts as correct, its numbers."""

from collections.abc import Callable, Sequence
from typing import NamedTuple, TypeAlias

import numpy as np

from nerscope.compat.nervaluate_matching import (
    STRATEGIES,
    Entity,
    EntityDocuments,
    entity_columns,
    match_entities,
    possible_pairs,
)
from nerscope.compat.peers.readers import READERS, Labels, PeerMention, PeerReading, Refusal
from nerscope.corpus.corpus import Corpus
from nerscope.corpus.schemes import Scheme, scheme_named
from nerscope.errors import UsageError, suggest

SentenceMentions: TypeAlias = Sequence[Sequence[PeerMention]]
Credit: TypeAlias = Callable[[SentenceMentions, SentenceMentions], float]
_LEAST_OVERLAP = 1.0  # the default of nervaluate: percentage of a gold mention that must be covered
# The credit of nervaluate's outcomes: correct, incorrect, partial, missed, spurious.
_CREDIT_OF_OUTCOME = (1.0, 0.0, 0.5, 0.0, 0.0)


class PeerScore(NamedTuple):
    """The numbers of a tool and their counts; None if the tool gives no number."""

    precision: float | None
    recall: float | None
    f1: float | None
    gold: int | None
    predicted: int | None
    right: float | None


NO_SCORE = PeerScore(None, None, None, None, None, None)


def score_of(right: float, gold: int, predicted: int, *, none_of_none: bool = False) -> PeerScore:
    """Precision, recall and F1 as the tools compute them: 0 if the denominator is 0.

    `none_of_none` is for tools that give no number if neither side has a mention.

    >>> score_of(1, 2, 1)
    PeerScore(precision=1.0, recall=0.5, f1=0.6666666666666666, gold=2, predicted=1, right=1)
    >>> score_of(0, 0, 0, none_of_none=True).f1 is None
    True
    """
    if none_of_none and not gold and not predicted:
        return PeerScore(None, None, None, gold, predicted, right)
    precision = right / predicted if predicted else 0.0
    recall = right / gold if gold else 0.0
    both = precision + recall
    # Computed from ratios, not from counts, so that the last digit equals that of the tools.
    f1 = 2 * precision * recall / both if both else 0.0
    return PeerScore(precision, recall, f1, gold, predicted, right)


def credit_equal(gold: SentenceMentions, predicted: SentenceMentions) -> float:
    """The number of mentions with the same span and type on both sides.

    >>> mention, other = PeerMention("X", 0, 1), PeerMention("Y", 2, 3)
    >>> credit_equal([(mention,), ()], [(mention, other), ()])
    1
    """
    pairs = zip(gold, predicted, strict=True)
    return sum(len(set(gold_side) & set(pred_side)) for gold_side, pred_side in pairs)


def nervaluate_credit(mode: str) -> Credit:
    """The credit of a mode of nervaluate; a partial match counts one half.

    >>> gold, predicted = [(PeerMention("X", 0, 2),)], [(PeerMention("X", 0, 1),)]
    >>> nervaluate_credit("partial")(gold, predicted)
    0.5
    """

    def credit(gold: SentenceMentions, predicted: SentenceMentions) -> float:
        # A dictionary as an ordered set: the order of types must not depend on hashing.
        types = dict.fromkeys(
            mention.type for side in (gold, predicted) for sentence in side for mention in sentence
        )
        gold_columns, pred_columns = (
            entity_columns(_as_entities(side), [*types]) for side in (gold, predicted)
        )
        n_gold, n_pred = len(gold_columns.start), len(pred_columns.start)
        if not n_gold or not n_pred:
            return 0.0
        pairs = possible_pairs(gold_columns, pred_columns, _LEAST_OVERLAP)
        outcome = match_entities(pairs, STRATEGIES[mode], n_gold, n_pred)
        return float(np.array(_CREDIT_OF_OUTCOME)[outcome.pred].sum())

    return credit


def _as_entities(sentences: SentenceMentions) -> EntityDocuments:
    """The mentions as entities of nervaluate, whose ends are inclusive."""
    return [
        [Entity(kind, start, end - 1) for kind, start, end in mentions] for mentions in sentences
    ]


class Peer(NamedTuple):
    """A tool in one of its modes."""

    tool: str
    mode: str
    rule: str  # in words
    credit: Credit = credit_equal
    none_of_none: bool = False  # no number if neither side has a mention

    @property
    def name(self) -> str:
        return f"{self.tool} {self.mode}".strip()

    @property
    def reader(self) -> str:
        """The key in READERS: the modes of a tool share a reader, or each mode has its own."""
        return self.tool if self.tool in READERS else self.name

    @property
    def needs_equal_mentions(self) -> bool:
        """Whether only mentions with the same span and type are correct."""
        return self.credit is credit_equal


class ToolJudgement(NamedTuple):
    """The mentions that a tool reads on both sides, by sentence, and its numbers."""

    gold: list[PeerReading]
    predicted: list[PeerReading]
    score: PeerScore


NERVALUATE = "nervaluate"
PEERS = {
    peer.name: peer
    for peer in [
        Peer(
            "nerscope",
            "",
            "every label except O belongs to a mention; knows the letters of all schemes",
        ),
        Peer(
            "conlleval",
            "",
            "compares two neighbouring labels: a stray I opens a mention; knows B, I, E and O",
        ),
        Peer(
            "seqeval",
            "default",
            "like conlleval, and knows S; a mention that ends in another letter is lost before a B "
            "of its type",
        ),
        Peer(
            "seqeval",
            "strict",
            "drops mentions that are invalid in the scheme; the scheme must be given",
        ),
        Peer(
            NERVALUATE,
            "strict",
            "B and a stray I open a mention; other letters continue a mention, or are refused",
        ),
        Peer(
            NERVALUATE,
            "exact",
            "the spans must be equal, the type is ignored",
            nervaluate_credit("exact"),
        ),
        Peer(
            NERVALUATE,
            "partial",
            "equal spans count 1, overlapping spans 0.5; the type is ignored",
            nervaluate_credit("partial"),
        ),
        Peer(
            NERVALUATE,
            "ent_type",
            "overlapping spans of the same type count 1",
            nervaluate_credit("ent_type"),
        ),
        Peer(
            "spaCy",
            "Doc",
            "Doc(ents=labels): a stray I opens a mention; refuses an I at the start of a text, and "
            "letters other than B, I and O",
            none_of_none=True,
        ),
        Peer(
            "spaCy",
            "convert",
            "spacy convert: every label except O opens a mention, unless I or L continues one",
            none_of_none=True,
        ),
        Peer(
            "SeqScore",
            "conlleval",
            "a stray I opens a mention; refuses files in schemes other than bio and iob1",
        ),
        Peer(
            "SeqScore",
            "discard",
            "a stray I and its continuation become O; refuses files in schemes other than bio",
        ),
        Peer("SeqScore", "none", "refuses labels that are invalid in the scheme"),
    ]
}


def judged_by(
    name: str,
    gold: Sequence[Labels],
    predicted: Sequence[Labels],
    scheme: str | Scheme | None = None,
) -> ToolJudgement:
    """How a tool reads and scores gold and predicted labels.

    `name` is a key of PEERS; `scheme` is the tagging scheme of the labels (default: auto-detected).

    >>> strict = judged_by("seqeval strict", [["B-PER", "O"]], [["O", "I-PER"]])
    >>> strict.gold, strict.predicted, strict.score.gold
    ([(PeerMention(type='PER', start=0, end=1),)], [()], 1)
    """
    if name not in PEERS:
        raise UsageError(f"tool '{name}'", "unknown tool", suggest(name, PEERS))
    peer = PEERS[name]
    if scheme is None:
        scheme = Corpus.of([list(labels) for labels in (*gold, *predicted)]).scheme
    elif isinstance(scheme, str):
        scheme = scheme_named(scheme)
    read = READERS[peer.reader]
    return judge(peer, read(gold, scheme), read(predicted, scheme))


def judge(peer: Peer, gold: list[PeerReading], predicted: list[PeerReading]) -> ToolJudgement:
    """The numbers of a tool for these readings; none if it refuses a sentence."""
    sides = list(zip(gold, predicted, strict=True))
    readable = [
        (gold_side, pred_side)
        for gold_side, pred_side in sides
        if not isinstance(gold_side, Refusal) and not isinstance(pred_side, Refusal)
    ]
    # A tool that refuses one sentence gives no number at all.
    if len(readable) < len(sides):
        return ToolJudgement(gold, predicted, NO_SCORE)
    gold_mentions, pred_mentions = ([pair[side] for pair in readable] for side in (0, 1))
    counts = (sum(map(len, side)) for side in (gold_mentions, pred_mentions))
    right = peer.credit(gold_mentions, pred_mentions)
    return ToolJudgement(gold, predicted, score_of(right, *counts, none_of_none=peer.none_of_none))
