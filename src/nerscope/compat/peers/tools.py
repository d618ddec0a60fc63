"""The tools that are compared: how each reads labels, what it counts as right, its numbers."""

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
_LEAST_OVERLAP = 1.0  # nervaluate's default: percent of a gold mention that must be covered
# The credit of nervaluate's outcomes: correct, incorrect, partial, missed, spurious.
_CREDIT_OF_OUTCOME = (1.0, 0.0, 0.5, 0.0, 0.0)


class PeerScore(NamedTuple):
    """The numbers of a tool and the counts behind them; None where the tool gives no number."""

    precision: float | None
    recall: float | None
    f1: float | None
    gold: int | None
    predicted: int | None
    right: float | None


NO_SCORE = PeerScore(None, None, None, None, None, None)


def score_of(right: float, gold: int, predicted: int, *, none_of_none: bool = False) -> PeerScore:
    """Precision, recall and F1 as the tools compute them: 0 where the denominator is 0.

    `none_of_none` is for a tool that gives no number if there is no mention at all.

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
    # Computed from the ratios, not from counts: the last digit is that of the tools.
    f1 = 2 * precision * recall / both if both else 0.0
    return PeerScore(precision, recall, f1, gold, predicted, right)


def credit_equal(gold: SentenceMentions, predicted: SentenceMentions) -> float:
    """One for each mention that both sides have with the same span and type.

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
    """The mentions as nervaluate has them: an end is the last token, not the one behind it."""
    return [
        [Entity(kind, start, end - 1) for kind, start, end in mentions] for mentions in sentences
    ]


class Peer(NamedTuple):
    """A tool in one of its modes."""

    tool: str
    mode: str
    rule: str  # in words
    credit: Credit = credit_equal
    none_of_none: bool = False  # no number where there is no mention at all

    @property
    def name(self) -> str:
        return f"{self.tool} {self.mode}".strip()

    @property
    def reader(self) -> str:
        """The key in READERS: modes of one tool share a reader, or each mode has its own."""
        return self.tool if self.tool in READERS else self.name

    @property
    def needs_equal_mentions(self) -> bool:
        """Whether only mentions of the same span and type count as right."""
        return self.credit is credit_equal


class ToolJudgement(NamedTuple):
    """What a tool reads on both sides, sentence by sentence, and its numbers."""

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
            NERVALUATE,
            "strict",
            "a stray I opens a mention, and so does B; any other letter goes on, or is refused",
        ),
        Peer(
            NERVALUATE,
            "exact",
            "the span must agree, the type need not",
            nervaluate_credit("exact"),
        ),
        Peer(
            NERVALUATE,
            "partial",
            "the same span is right, a common token half right; the type need not agree",
            nervaluate_credit("partial"),
        ),
        Peer(
            NERVALUATE,
            "ent_type",
            "a common token and the same type are right",
            nervaluate_credit("ent_type"),
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
            "a stray I opens a mention; files in another scheme than bio and iob1 are refused",
        ),
        Peer(
            "SeqScore",
            "discard",
            "a stray I becomes O, and so does what follows it; only files in bio are not refused",
        ),
        Peer("SeqScore", "none", "labels that break the scheme are refused"),
    ]
}


def judged_by(
    name: str,
    gold: Sequence[Labels],
    predicted: Sequence[Labels],
    scheme: str | Scheme | None = None,
) -> ToolJudgement:
    """What a tool makes of gold and predicted labels.

    `name` is a key of PEERS; `scheme` is the tagging scheme of the labels (default: auto-detected).

    >>> strict = judged_by("seqeval strict", [["B-PER", "O"]], [["O", "I-PER"]])
    >>> strict.gold, strict.predicted, strict.score.gold
    ([(PeerMention(type='PER', start=0, end=1),)], [()], 1)
    """
    if name not in PEERS:
        raise UsageError(f"tool '{name}'", "there is no such tool", suggest(name, PEERS))
    peer = PEERS[name]
    if scheme is None:
        scheme = Corpus.of([list(labels) for labels in (*gold, *predicted)]).scheme
    elif isinstance(scheme, str):
        scheme = scheme_named(scheme)
    read = READERS[peer.reader]
    return judge(peer, read(gold, scheme), read(predicted, scheme))


def judge(peer: Peer, gold: list[PeerReading], predicted: list[PeerReading]) -> ToolJudgement:
    """The numbers of a tool that reads these mentions; none if it refuses a sentence."""
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
