"""One input as several tools would score it, and where they part ways."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from nerscope.compat.peers.credits import Score
from nerscope.compat.peers.differences import (
    CreditedPair,
    Disagreement,
    Side,
    credited_pairs,
    disagreements,
)
from nerscope.compat.peers.readers import NEED_TOKENS, READERS
from nerscope.compat.peers.seen import Refusal
from nerscope.compat.peers.table import PEERS, Judged, judged
from nerscope.corpus.corpus import Corpus, joined
from nerscope.corpus.mentions import encode
from nerscope.corpus.schemes import SINGLE, Scheme
from nerscope.errors import InputError, plural
from nerscope.evaluation.noticed import refuse_other_sentences
from nerscope.evaluation.plan import open_task
from nerscope.evaluation.settings import Settings
from nerscope.evaluation.systems import Run, Systems
from nerscope.formats.base import CorpusLike


class ToolScore(NamedTuple):
    """The numbers of one tool for one run of a system, and what it says instead if it has none."""

    system: str
    run: str
    tool: str
    mode: str
    score: Score
    note: str

    @property
    def name(self) -> str:
        """Tool and mode, as in PEERS."""
        return f"{self.tool} {self.mode}".strip()

    def as_dict(self) -> dict[str, Any]:
        """One row, for JSON."""
        plain = {key: value for key, value in self._asdict().items() if key != "score"}
        return {**plain, **self.score._asdict()}


@dataclass(frozen=True, slots=True)
class ToolComparison:
    """How tools score one input: their numbers, and where and why they differ.

    `disagreements` are stretches of labels that tools read as different mentions; `pairs` are
    mentions that overlap without being equal, which some tools credit.
    """

    scores: tuple[ToolScore, ...]
    disagreements: tuple[Disagreement, ...]
    pairs: tuple[CreditedPair, ...]
    schemes: Mapping[str, str]  # as what the labels of each run and of gold were read

    def as_dict(self) -> dict[str, Any]:
        """Everything, for JSON."""
        return {
            "schemes": dict(self.schemes),
            "scores": [one.as_dict() for one in self.scores],
            "disagreements": [one.as_dict() for one in self.disagreements],
            "pairs": [one._asdict() for one in self.pairs],
            "rules": {name: peer.rule for name, peer in PEERS.items()},
        }


def compare_tools(test: CorpusLike, systems: Systems | None = None) -> ToolComparison:
    """Score an input as each tool of PEERS would, and find where they differ.

    Gold and systems are what `evaluate` takes; without systems, the file has both columns.

    >>> found = compare_tools([["B-PER", "I-PER", "O"]], {"bert": [["O", "I-PER", "O"]]})
    >>> [(one.tool, one.mode) for one in found.scores if one.score.predicted == 0]
    [('seqeval', 'strict'), ('SeqScore', 'discard')]
    >>> found.disagreements[0].why
    'I-PER after O: no mention is open'
    """
    task = open_task(test, systems, None, None, Settings())
    rows = zip(*task.rows(tokens=True), strict=True)
    gold, *outputs = (joined(list(chunks)) for chunks in rows)
    seen_gold: dict[str, Side] = {}  # by scheme: gold is read once for all outputs in its scheme
    scores: list[ToolScore] = []
    parts: list[Disagreement] = []
    pairs: list[CreditedPair] = []
    schemes: dict[str, str] = {}
    for name, run, output in zip(_names(task.runs), task.runs, outputs, strict=True):
        refuse_other_sentences(run.source.name, output.reading, gold.n_tokens)
        scheme = _scheme(gold, output)
        schemes[name] = scheme.name
        if scheme.name not in seen_gold:
            seen_gold[scheme.name] = _side("gold", gold, scheme)
            parts += disagreements(seen_gold[scheme.name])
        right, found = seen_gold[scheme.name], _side(name, _with_words(output, gold), scheme)
        parts += disagreements(found)
        pairs += credited_pairs(right, found, run.system, run.number)
        scores += _scores(run, right, found)
    return ToolComparison(tuple(scores), tuple(dict.fromkeys(parts)), tuple(pairs), schemes)


def _names(runs: Sequence[Run]) -> list[str]:
    """What to call each run: by its system, and by its number where there are several."""
    several = {run.system for run in runs if run.number != "1"}
    return [f"{run.system} {run.number}" if run.system in several else run.system for run in runs]


def _scheme(gold: Corpus, output: Corpus) -> Scheme:
    """The one scheme of both sides, as most tools want it: as told, or what fits both best."""
    both = gold.reading.transitions + output.reading.transitions
    return gold.told or output.told or both.scheme()


def _side(name: str, corpus: Corpus, scheme: Scheme) -> Side:
    labels = _labels(corpus, scheme)
    readings = {reader: read(labels, scheme) for reader, read in READERS.items()}
    for sentence, at in _empty_tokens(corpus):
        for reader in NEED_TOKENS:
            readings[reader][sentence] = Refusal("an empty token", at)
    return Side(name, corpus, labels, scheme, readings)


def _empty_tokens(corpus: Corpus) -> Iterator[tuple[int, int]]:
    """The sentences with an empty token, and where it stands."""
    places = np.flatnonzero(corpus.tokens == corpus.coding.tokens.encode([""])[0])
    owners = np.searchsorted(corpus.starts, places, side="right") - 1
    yield from zip(owners.tolist(), (places - corpus.starts[owners]).tolist(), strict=True)


def _with_words(output: Corpus, gold: Corpus) -> Corpus:
    """An output that is labels alone has the words of gold."""
    return output if len(output.tokens) else replace(output, tokens=gold.tokens)


def _labels(corpus: Corpus, scheme: Scheme) -> list[list[str]]:
    """The labels of each sentence as text; spans are written in the scheme of the other side."""
    _refuse_what_labels_cannot_write(corpus, scheme)
    known = corpus.coding.labels
    own, codes = corpus.scheme, corpus.labels
    if codes is None:
        own, codes = scheme, encode(corpus.mentions(), corpus.starts, known, scheme)
    texts = known.spell(own)
    flat = [texts[code] for code in codes.tolist()]
    return [flat[begin:end] for begin, end in pairwise(corpus.starts.tolist())]


def _refuse_what_labels_cannot_write(corpus: Corpus, scheme: Scheme) -> None:
    if scheme.bare == SINGLE:
        raise InputError(
            corpus.name, "its labels spell no mentions", "give labels such as B-PER and I-PER"
        )
    if not corpus.is_flat:
        raise InputError(
            corpus.name,
            "its mentions overlap, which labels cannot write",
            "the tools that are compared read labels: give it without those mentions",
        )
    if corpus.labels is None and not corpus.mentions().aligned.all():
        raise InputError(
            corpus.name,
            "a mention does not begin and end where tokens do, which labels cannot write",
            "predict on the tokens of the gold file",
        )


def _scores(run: Run, gold: Side, output: Side) -> list[ToolScore]:
    found = []
    for peer in PEERS.values():
        own = judged(peer, gold.readings[peer.reader], output.readings[peer.reader])
        note = _refusal(own, gold, output) or ("" if peer.none_of_none else _nothing(own.score))
        found.append(ToolScore(run.system, run.number, peer.tool, peer.mode, own.score, note))
    return found


def _refusal(own: Judged, gold: Side, output: Side) -> str:
    """Where a tool stops, if it does."""
    for side, readings in ((gold, own.gold), (output, own.predicted)):
        stops = [place for place, one in enumerate(readings) if isinstance(one, Refusal)]
        if stops:
            first = readings[stops[0]]
            assert isinstance(first, Refusal)
            place = side.corpus.place(int(side.corpus.starts[stops[0]]) + first.at)
            more = f", and {plural(len(stops) - 1, 'sentence')} more" if len(stops) > 1 else ""
            return f"refuses {first.why} ({place}{more})"
    return ""


def _nothing(score: Score) -> str:
    """What a number of 0 hides."""
    hidden = [
        name for name, count in (("gold", score.gold), ("predicted", score.predicted)) if count == 0
    ]
    return f"no {' or '.join(hidden)} mention: 0 by its rule" if hidden else ""
