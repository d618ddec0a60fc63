"""Where tools part ways: labels that they read as different mentions, mentions that some credit."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import groupby, product
from typing import Any, NamedTuple

from nerscope.compat.peers.credits import overlap
from nerscope.compat.peers.seen import Labels, Reading, Refusal, Seen, before, parted
from nerscope.compat.peers.table import PEERS
from nerscope.corpus.corpus import Corpus
from nerscope.corpus.schemes import Scheme

_GO_ON, _OPEN, _ENDED = set("IMEL"), set("BIM"), set("ELSUW")
_SENTENCE_END = "the sentence end"


class Side(NamedTuple):
    """Gold or the output of one run: its labels, and what each reader sees in them."""

    name: str
    corpus: Corpus
    labels: Sequence[Labels]
    scheme: Scheme
    readings: Mapping[str, list[Reading]]  # by reader, sentence by sentence

    def mention(self, sentence: int, seen: Seen) -> str:
        """A mention for people to read: its type and words, or its place where there are none."""
        begin = int(self.corpus.starts[sentence])
        tokens = self.corpus.tokens[begin + seen.start : begin + seen.end]
        words = " ".join(self.corpus.coding.tokens.strings(tokens))
        return f"{seen.type} “{words}”" if words else f"{seen.type} {seen.start}–{seen.end}"

    def labelled(self, sentence: int, begin: int, end: int) -> str:
        """Some tokens of a sentence with their labels, or the labels alone."""
        labels = self.labels[sentence][begin:end]
        if not len(self.corpus.tokens):
            return " ".join(labels)
        words = self.corpus.words(sentence)[begin:end]
        return " ".join(f"{word}/{label}" for word, label in zip(words, labels, strict=True))


class View(NamedTuple):
    """One way to read a stretch of labels, and the tools that read it so."""

    mentions: tuple[str, ...]
    tools: tuple[str, ...]


class Disagreement(NamedTuple):
    """A stretch of labels that tools read as different mentions."""

    place: str
    side: str
    why: str
    labels: str
    views: tuple[View, ...]  # the most common one first
    refused_by: tuple[str, ...]

    def as_dict(self) -> dict[str, Any]:
        """All of it, for JSON."""
        return {**self._asdict(), "views": [view._asdict() for view in self.views]}


class CreditedPair(NamedTuple):
    """A gold and a predicted mention that overlap without being equal."""

    place: str
    system: str
    run: str
    kind: str
    gold: str
    predicted: str


def disagreements(side: Side) -> Iterator[Disagreement]:
    """The stretches that tools read differently; who refuses a sentence sees nothing in it."""
    for sentence, row in enumerate(zip(*side.readings.values(), strict=True)):
        found = dict(zip(side.readings, row, strict=True))
        seen = {name: one for name, one in found.items() if not isinstance(one, Refusal)}
        if len(set(seen.values())) > 1:
            refused = tuple(name for name in found if name not in seen)
            for begin, end in _stretches(set(seen.values()), len(side.labels[sentence])):
                yield _disagreement(side, sentence, (begin, end), seen, refused)


def _disagreement(
    side: Side,
    sentence: int,
    stretch: tuple[int, int],
    seen: Mapping[str, tuple[Seen, ...]],
    refused: tuple[str, ...],
) -> Disagreement:
    begin, end = stretch
    at, why = _cause(side.labels[sentence], begin, end, side.scheme)
    views: dict[tuple[str, ...], list[str]] = {}
    for name, mentions in seen.items():
        here = [one for one in mentions if one.start < end and begin < one.end]
        shown = tuple(side.mention(sentence, one) for one in here)
        views.setdefault(shown, []).append(name)
    token = int(side.corpus.starts[sentence]) + min(at, len(side.labels[sentence]) - 1)
    return Disagreement(
        side.corpus.place(token),
        side.name,
        why,
        side.labelled(sentence, max(0, begin - 1), end),
        tuple(
            View(mentions, tuple(tools))
            for mentions, tools in sorted(views.items(), key=lambda item: -len(item[1]))
        ),
        refused,
    )


def _stretches(readings: set[tuple[Seen, ...]], length: int) -> list[tuple[int, int]]:
    """Where readings have different mentions: half-open stretches of tokens."""
    views = [[set[Seen]() for _ in range(length)] for _ in readings]
    for view, mentions in zip(views, readings, strict=True):
        for one in mentions:
            for at in range(one.start, one.end):
                view[at].add(one)
    differs = [any(one != row[0] for one in row) for row in zip(*views, strict=True)]
    runs = [list(group) for _, group in groupby(range(length), key=differs.__getitem__)]
    return [(run[0], run[-1] + 1) for run in runs if differs[run[0]]]


class _Pair(NamedTuple):
    """A label and the one before it."""

    letter_before: str
    type_before: str
    letter: str
    type: str
    scheme: Scheme

    @property
    def same_type(self) -> bool:
        return self.type == self.type_before

    @property
    def stray(self) -> bool:
        is_open = self.letter_before in _OPEN and self.same_type
        return self.letter in _GO_ON and not is_open and not self.scheme.inside_opens

    @property
    def unclosed(self) -> bool:
        goes_on = self.letter in _GO_ON and self.same_type
        return self.scheme.must_close and self.letter_before in _OPEN and not goes_on


# Why a label may be read in two ways: the first cause that holds anywhere in a stretch is told.
_CAUSES: list[tuple[str, Callable[[_Pair], bool]]] = [
    ("no mention is open", lambda pair: pair.stray and pair.letter_before == "O"),
    ("the mention before is of another type", lambda pair: pair.stray and not pair.same_type),
    ("the mention before has ended", lambda pair: pair.stray),
    (
        "it separates no two mentions of one type",
        lambda pair: pair.scheme.begin_separates and pair.letter == "B" and not pair.same_type,
    ),
    ("the mention before is not closed", lambda pair: pair.unclosed),
    (
        "two mentions of one type touch",
        lambda pair: pair.letter not in _GO_ON and pair.letter != "O" and pair.same_type,
    ),
    (
        "not every tool knows the letter here",
        lambda pair: pair.letter not in "BIO" or pair.letter not in f"O{pair.scheme.letters}",
    ),
]


def _cause(labels: Labels, begin: int, end: int, scheme: Scheme) -> tuple[int, str]:
    """Where in a stretch the labels leave a choice, and why, in words."""
    marks = [("O", ""), *map(parted, labels), ("O", "")]
    pairs = {at: _Pair(*marks[at], *marks[at + 1], scheme) for at in range(begin, end + 1)}
    at, words = next(
        (at, words) for words, holds in _CAUSES for at, pair in pairs.items() if holds(pair)
    )
    label = labels[at] if at < len(labels) else _SENTENCE_END
    return at, f"{label} after {before(labels, at)}: {words}"


def credited_pairs(gold: Side, output: Side, system: str, run: str) -> Iterator[CreditedPair]:
    """The pairs that overlap without being equal, as nervaluate reads both sides, if it does."""
    sides = [side.readings["nervaluate"] for side in (gold, output)]
    if any(isinstance(one, Refusal) for readings in sides for one in readings):
        return
    for sentence, (right, found) in enumerate(zip(*sides, strict=True)):
        for one, other in _overlapping(right, found):
            token = int(gold.corpus.starts[sentence]) + one.start
            yield CreditedPair(
                gold.corpus.place(token),
                system,
                run,
                _kind(one, other),
                gold.mention(sentence, one),
                output.mention(sentence, other),
            )


def _overlapping(gold: Sequence[Seen], found: Sequence[Seen]) -> Iterator[tuple[Seen, Seen]]:
    if gold != found:
        pairs = product(gold, found)
        yield from ((one, other) for one, other in pairs if one != other and overlap(one, other))


KINDS = ("same span, other type", "same type, other span", "other type and span")


def _kind(gold: Seen, predicted: Seen) -> str:
    if gold[1:] == predicted[1:]:
        return KINDS[0]
    return KINDS[1] if gold.type == predicted.type else KINDS[2]


def worth(kind: str) -> dict[str, float]:
    """What one such pair is worth to each mode of nervaluate, if nothing else is near.

    >>> worth("same type, other span")
    {'strict': 0.0, 'exact': 0.0, 'partial': 0.5, 'ent_type': 1.0}
    """
    gold = Seen("A", 0, 2)
    other = {KINDS[0]: Seen("B", 0, 2), KINDS[1]: Seen("A", 0, 1), KINDS[2]: Seen("B", 0, 1)}[kind]
    modes = [peer for peer in PEERS.values() if peer.tool == "nervaluate"]
    return {peer.mode: float(peer.credit([[gold]], [[other]])) for peer in modes}
