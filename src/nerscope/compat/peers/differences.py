"""Disagreements of tools: labels read as different mentions, mentions that only some credit."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import groupby, product
from typing import Any, NamedTuple

from nerscope.compat.peers.readers import (
    Labels,
    PeerMention,
    PeerReading,
    Refusal,
    label_before,
    split_label,
)
from nerscope.compat.peers.tools import NERVALUATE, PEERS
from nerscope.corpus.corpus import Corpus
from nerscope.corpus.schemes import Scheme

_CONTINUING, _OPEN = set("IMEL"), set("BIM")  # letters of all schemes
_SENTENCE_END = "the sentence end"


class SideReadings(NamedTuple):
    """Gold or the output of one run: its labels, and the reading of each reader."""

    name: str
    corpus: Corpus
    labels: Sequence[Labels]
    scheme: Scheme
    readings: Mapping[str, list[PeerReading]]  # by reader, sentence by sentence

    def mention_text(self, sentence: int, mention: PeerMention) -> str:
        """A mention as text: its type with its words, or with its span if there are no words."""
        begin = int(self.corpus.starts[sentence])
        tokens = self.corpus.tokens[begin + mention.start : begin + mention.end]
        words = " ".join(self.corpus.coding.tokens.strings(tokens))
        place = f"“{words}”" if words else f"{mention.start}–{mention.end}"
        return f"{mention.type} {place}"

    def labelled_text(self, sentence: int, begin: int, end: int) -> str:
        """Some tokens of a sentence with their labels; only labels if there are no tokens."""
        labels = self.labels[sentence][begin:end]
        if not len(self.corpus.tokens):
            return " ".join(labels)
        words = self.corpus.words(sentence)[begin:end]
        return " ".join(f"{word}/{label}" for word, label in zip(words, labels, strict=True))


class Interpretation(NamedTuple):
    """One way to read a stretch of labels, and the tools that read it this way."""

    mentions: tuple[str, ...]
    tools: tuple[str, ...]


class Disagreement(NamedTuple):
    """A stretch of labels that tools read as different mentions."""

    place: str
    side: str
    why: str
    labels: str
    views: tuple[Interpretation, ...]  # the most common first
    refused_by: tuple[str, ...]

    def as_dict(self) -> dict[str, Any]:
        return {**self._asdict(), "views": [view._asdict() for view in self.views]}


class CreditedPair(NamedTuple):
    """A gold and a predicted mention that overlap without being equal."""

    place: str
    system: str
    run: str
    kind: str
    gold: str
    predicted: str


def disagreements(side: SideReadings) -> Iterator[Disagreement]:
    """The stretches that tools read differently; tools that refuse a sentence have no reading."""
    for sentence, row in enumerate(zip(*side.readings.values(), strict=True)):
        by_reader = dict(zip(side.readings, row, strict=True))
        mentions = {
            reader: reading
            for reader, reading in by_reader.items()
            if not isinstance(reading, Refusal)
        }
        if len(set(mentions.values())) > 1:
            refused = tuple(reader for reader in by_reader if reader not in mentions)
            for begin, end in _stretches(set(mentions.values()), len(side.labels[sentence])):
                yield _disagreement(side, sentence, (begin, end), mentions, refused)


def _disagreement(
    side: SideReadings,
    sentence: int,
    stretch: tuple[int, int],
    mentions_of: Mapping[str, tuple[PeerMention, ...]],
    refused: tuple[str, ...],
) -> Disagreement:
    begin, end = stretch
    at, why = _cause(side.labels[sentence], begin, end, side.scheme)
    tools_of: dict[tuple[str, ...], list[str]] = {}
    for tool, mentions in mentions_of.items():
        here = [mention for mention in mentions if mention.start < end and begin < mention.end]
        texts = tuple(side.mention_text(sentence, mention) for mention in here)
        tools_of.setdefault(texts, []).append(tool)
    # The cause may be the sentence end; the place is then that of the last token.
    token = int(side.corpus.starts[sentence]) + min(at, len(side.labels[sentence]) - 1)
    return Disagreement(
        side.corpus.place(token),
        side.name,
        why,
        side.labelled_text(sentence, max(0, begin - 1), end),
        tuple(
            Interpretation(texts, tuple(tools))
            for texts, tools in sorted(tools_of.items(), key=lambda item: -len(item[1]))
        ),
        refused,
    )


def _stretches(readings: set[tuple[PeerMention, ...]], length: int) -> list[tuple[int, int]]:
    """The stretches of tokens (begin, end) where readings have different mentions.

    Adjacent tokens with differences form one stretch. If `B-X I-Y` is read as `X0-1 Y1-2` and as
    `X0-1`, only token 1 differs.
    """
    mentions_at = [[set[PeerMention]() for _ in range(length)] for _ in readings]
    for tokens, mentions in zip(mentions_at, readings, strict=True):
        for mention in mentions:
            for at in range(mention.start, mention.end):
                tokens[at].add(mention)
    differs = [any(view != views[0] for view in views) for views in zip(*mentions_at, strict=True)]
    runs = [list(group) for _, group in groupby(range(length), key=differs.__getitem__)]
    return [(run[0], run[-1] + 1) for run in runs if differs[run[0]]]


class _Transition(NamedTuple):
    """A label and the label before it."""

    letter_before: str
    type_before: str
    letter: str
    type: str
    scheme: Scheme

    @property
    def same_type(self) -> bool:
        return self.type == self.type_before

    @property
    def is_stray(self) -> bool:
        is_open = self.letter_before in _OPEN and self.same_type
        return self.letter in _CONTINUING and not is_open and not self.scheme.inside_opens

    @property
    def leaves_open(self) -> bool:
        continues = self.letter in _CONTINUING and self.same_type
        return self.scheme.must_close and self.letter_before in _OPEN and not continues


# Why labels are ambiguous, the most specific cause first: the first cause that applies anywhere in
# a stretch is reported.
_CAUSES: list[tuple[str, Callable[[_Transition], bool]]] = [
    ("no mention is open", lambda step: step.is_stray and step.letter_before == "O"),
    ("the mention before is of another type", lambda step: step.is_stray and not step.same_type),
    ("the mention before has ended", lambda step: step.is_stray),
    (
        "it does not separate two mentions of one type",
        lambda step: step.scheme.begin_separates and step.letter == "B" and not step.same_type,
    ),
    ("the mention before is not closed", lambda step: step.leaves_open),
    (
        "two mentions of one type touch",
        lambda step: step.letter not in _CONTINUING and step.letter != "O" and step.same_type,
    ),
    (
        "not every tool knows this letter",
        lambda step: step.letter not in "BIO" or step.letter not in f"O{step.scheme.letters}",
    ),
]


def _cause(labels: Labels, begin: int, end: int, scheme: Scheme) -> tuple[int, str]:
    """The token of a stretch where the labels are ambiguous, and the reason in words."""
    # With an O before and after the sentence, the step into token k is padded[k], padded[k + 1].
    padded = [("O", ""), *map(split_label, labels), ("O", "")]
    steps = {at: _Transition(*padded[at], *padded[at + 1], scheme) for at in range(begin, end + 1)}
    at, words = next(
        (at, words) for words, holds in _CAUSES for at, step in steps.items() if holds(step)
    )
    label = labels[at] if at < len(labels) else _SENTENCE_END
    return at, f"{label} after {label_before(labels, at)}: {words}"


def credited_pairs(
    gold: SideReadings, output: SideReadings, system: str, run: str
) -> Iterator[CreditedPair]:
    """The pairs of mentions, as nervaluate reads them, that overlap without being equal."""
    sides = [side.readings[NERVALUATE] for side in (gold, output)]
    # nervaluate then gives no number, so no pair is credited.
    if any(isinstance(reading, Refusal) for readings in sides for reading in readings):
        return
    for sentence, (gold_mentions, pred_mentions) in enumerate(zip(*sides, strict=True)):
        for gold_mention, pred_mention in _overlapping(gold_mentions, pred_mentions):
            token = int(gold.corpus.starts[sentence]) + gold_mention.start
            yield CreditedPair(
                gold.corpus.place(token),
                system,
                run,
                _kind(gold_mention, pred_mention),
                gold.mention_text(sentence, gold_mention),
                output.mention_text(sentence, pred_mention),
            )


def _overlapping(
    gold: Sequence[PeerMention], predicted: Sequence[PeerMention]
) -> Iterator[tuple[PeerMention, PeerMention]]:
    if gold != predicted:
        for left, right in product(gold, predicted):
            if left != right and left.start < right.end and right.start < left.end:
                yield left, right


KINDS = ("same span, other type", "same type, other span", "other type and span")


def _kind(gold: PeerMention, predicted: PeerMention) -> str:
    if gold[1:] == predicted[1:]:
        return KINDS[0]
    return KINDS[1] if gold.type == predicted.type else KINDS[2]


def credit_by_mode(kind: str) -> dict[str, float]:
    """The credit of one pair of a kind in each mode of nervaluate, without other mentions.

    >>> credit_by_mode("same type, other span")
    {'strict': 0.0, 'exact': 0.0, 'partial': 0.5, 'ent_type': 1.0}
    """
    gold = PeerMention("A", 0, 2)
    predicted = {
        KINDS[0]: PeerMention("B", 0, 2),
        KINDS[1]: PeerMention("A", 0, 1),
        KINDS[2]: PeerMention("B", 0, 1),
    }[kind]
    modes = [peer for peer in PEERS.values() if peer.tool == NERVALUATE]
    return {peer.mode: float(peer.credit([[gold]], [[predicted]])) for peer in modes}
