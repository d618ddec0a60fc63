"""Score one input as several tools do, and find where they disagree."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from nerscope.compat.peers.differences import (
    CreditedPair,
    Disagreement,
    SideReadings,
    credited_pairs,
    disagreements,
)
from nerscope.compat.peers.readers import NEED_TOKENS, READERS, Refusal
from nerscope.compat.peers.tools import PEERS, PeerScore, ToolJudgement, judge
from nerscope.corpus.corpus import Corpus, join_chunks
from nerscope.corpus.mentions import encode
from nerscope.corpus.schemes import SINGLE, Scheme
from nerscope.errors import InputError, plural
from nerscope.evaluation.notes import refuse_other_sentences
from nerscope.evaluation.task import Run, Settings, Systems, open_task
from nerscope.formats.base import CorpusLike


class ToolScore(NamedTuple):
    """The numbers of one tool for one run of a system; a note explains missing numbers."""

    system: str
    run: str
    tool: str
    mode: str
    score: PeerScore
    note: str

    @property
    def name(self) -> str:
        """Tool and mode, as in PEERS."""
        return f"{self.tool} {self.mode}".strip()

    def as_dict(self) -> dict[str, Any]:
        fields = {key: value for key, value in self._asdict().items() if key != "score"}
        return {**fields, **self.score._asdict()}


@dataclass(frozen=True, slots=True)
class ToolComparison:
    """The scores of several tools for one input, and where and why they differ.

    `disagreements` are stretches of labels that tools read as different mentions; `pairs` are
    mentions that overlap without being equal, which some tools credit; `schemes` is the tagging
    scheme of gold and each run, by the name of the run.
    """

    scores: tuple[ToolScore, ...]
    disagreements: tuple[Disagreement, ...]
    pairs: tuple[CreditedPair, ...]
    schemes: Mapping[str, str]

    def as_dict(self) -> dict[str, Any]:
        return {
            "schemes": dict(self.schemes),
            "scores": [score.as_dict() for score in self.scores],
            "disagreements": [disagreement.as_dict() for disagreement in self.disagreements],
            "pairs": [pair._asdict() for pair in self.pairs],
            "rules": {name: peer.rule for name, peer in PEERS.items()},
        }


def compare_tools(test: CorpusLike, systems: Systems | None = None) -> ToolComparison:
    """Score an input as each tool of PEERS does, and find where they differ.

    `test` and `systems` are as for `evaluate`; without systems, `test` is a file with a column of
    gold labels and a column of predicted labels.

    >>> compared = compare_tools([["B-PER", "I-PER", "O"]], {"bert": [["O", "I-PER", "O"]]})
    >>> [(row.tool, row.mode) for row in compared.scores if row.score.predicted == 0]
    [('seqeval', 'strict'), ('SeqScore', 'discard')]
    >>> compared.disagreements[0].why
    'I-PER after O: no mention is open'
    """
    task = open_task(test, systems, None, None, Settings())
    # `rows` has chunks of gold and all outputs; tools are compared on complete corpora.
    columns = zip(*task.aligned_chunks(tokens=True), strict=True)
    gold, *outputs = (join_chunks(list(chunks)) for chunks in columns)
    gold_sides: dict[str, SideReadings] = {}  # by scheme, since gold is read once per scheme
    scores: list[ToolScore] = []
    differences: list[Disagreement] = []
    pairs: list[CreditedPair] = []
    schemes: dict[str, str] = {}
    for name, run, output in zip(_run_names(task.runs), task.runs, outputs, strict=True):
        refuse_other_sentences(run.source.name, output.reading_notes, gold.n_tokens)
        scheme = _common_scheme(gold, output)
        schemes[name] = scheme.name
        if scheme.name not in gold_sides:
            gold_sides[scheme.name] = _read_side("gold", gold, scheme)
            differences += disagreements(gold_sides[scheme.name])
        gold_side = gold_sides[scheme.name]
        output_side = _read_side(name, _with_words(output, gold), scheme)
        differences += disagreements(output_side)
        pairs += credited_pairs(gold_side, output_side, run.system, run.number)
        scores += _scores(run, gold_side, output_side)
    # Runs in one scheme share the gold side, so duplicate disagreements are dropped.
    return ToolComparison(tuple(scores), tuple(dict.fromkeys(differences)), tuple(pairs), schemes)


def _run_names(runs: Sequence[Run]) -> list[str]:
    """The name of each run: its system, with its number if the system has several runs."""
    several = {run.system for run in runs if run.number != "1"}
    return [f"{run.system} {run.number}" if run.system in several else run.system for run in runs]


def _common_scheme(gold: Corpus, output: Corpus) -> Scheme:
    """One scheme for both sides, as most tools need it: declared, or the best fit for both."""
    # Detected from both sides together, since short mentions alone do not show the scheme.
    both = gold.reading_notes.transitions + output.reading_notes.transitions
    return gold.declared_scheme or output.declared_scheme or both.scheme()


def _read_side(name: str, corpus: Corpus, scheme: Scheme) -> SideReadings:
    labels = _labels(corpus, scheme)
    readings = {reader: read(labels, scheme) for reader, read in READERS.items()}
    for sentence, at in _empty_tokens(corpus):
        for reader in NEED_TOKENS:
            readings[reader][sentence] = Refusal("an empty token", at)
    return SideReadings(name, corpus, labels, scheme, readings)


def _empty_tokens(corpus: Corpus) -> Iterator[tuple[int, int]]:
    """(sentence, token in it) of every empty token."""
    tokens = np.flatnonzero(corpus.tokens == corpus.coding.tokens.encode([""])[0])
    sentences = np.searchsorted(corpus.starts, tokens, side="right") - 1
    yield from zip(sentences.tolist(), (tokens - corpus.starts[sentences]).tolist(), strict=True)


def _with_words(output: Corpus, gold: Corpus) -> Corpus:
    """The output with the words of gold, if it has only labels."""
    return output if len(output.tokens) else replace(output, tokens=gold.tokens)


def _labels(corpus: Corpus, scheme: Scheme) -> list[list[str]]:
    """The labels of each sentence as strings; spans are encoded in the common scheme."""
    _refuse_what_labels_cannot_write(corpus, scheme)
    known = corpus.coding.labels
    written_scheme, codes = corpus.scheme, corpus.labels
    if codes is None:
        written_scheme = scheme
        codes = encode(corpus.mentions(), corpus.starts, known, scheme)
    texts = known.texts_in(written_scheme)
    flat = [texts[code] for code in codes.tolist()]
    return [flat[begin:end] for begin, end in pairwise(corpus.starts.tolist())]


def _refuse_what_labels_cannot_write(corpus: Corpus, scheme: Scheme) -> None:
    if scheme.bare == SINGLE:
        raise InputError(
            corpus.name, "its labels do not encode mentions", "give labels such as B-PER and I-PER"
        )
    if not corpus.is_flat:
        raise InputError(
            corpus.name,
            "its mentions overlap, and labels cannot represent overlapping mentions",
            "give data without overlapping mentions: the compared tools read labels",
        )
    if corpus.labels is None and not corpus.mentions().aligned.all():
        raise InputError(
            corpus.name,
            "a mention does not begin and end at token boundaries, which labels require",
            "predict on the tokens of the gold file, which the compared tools require; nerscope "
            "evaluate GOLD --system NAME=FILE scores other tokens, too",
        )


def _scores(run: Run, gold: SideReadings, output: SideReadings) -> list[ToolScore]:
    scores = []
    for peer in PEERS.values():
        judgement = judge(peer, gold.readings[peer.reader], output.readings[peer.reader])
        note = _refusal_note(judgement, gold, output)
        if not note and not peer.none_of_none:
            note = _empty_side_note(judgement.score)
        scores.append(
            ToolScore(run.system, run.number, peer.tool, peer.mode, judgement.score, note)
        )
    return scores


def _refusal_note(judgement: ToolJudgement, gold: SideReadings, output: SideReadings) -> str:
    """Where a tool stops with an error; empty if it does not."""
    for side, readings in ((gold, judgement.gold), (output, judgement.predicted)):
        refusals = [
            (sentence, reading)
            for sentence, reading in enumerate(readings)
            if isinstance(reading, Refusal)
        ]
        if refusals:
            sentence, first = refusals[0]
            place = side.corpus.place(int(side.corpus.starts[sentence]) + first.at)
            others = len(refusals) - 1
            more = f", and {plural(others, 'sentence')} more" if others else ""
            return f"refuses {first.why} ({place}{more})"
    return ""


def _empty_side_note(score: PeerScore) -> str:
    """A note that a number is 0 only because its denominator is 0."""
    counts = (("gold", score.gold), ("predicted", score.predicted))
    empty = [name for name, count in counts if count == 0]
    return f"no {' or '.join(empty)} mentions, so this tool gives 0" if empty else ""
