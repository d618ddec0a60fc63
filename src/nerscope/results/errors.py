"""Single mentions: what became of each, what it was taken for, and lists of them to read."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from nerscope.corpus.arrays import Bools, Ints
from nerscope.corpus.mentions import PLAIN, Mentions
from nerscope.corpus.units import ALL, MENTION
from nerscope.errors import UsageError, expect, suggest
from nerscope.results.results import Results
from nerscope.scoring.evidence import TOKEN_JOIN, Evidence, Units
from nerscope.scoring.matching import EXACT, match_named
from nerscope.scoring.pairing import CORRECT, CandidatePairs, MatchedPairs, overlapping

OUTCOMES = (
    "correct",
    "wrong type",
    "wrong boundary",
    "wrong type and boundary",
    "missed",
    "spurious",
    "split",
    "merged",
)


def check_system(results: Results, system: str | None) -> None:
    """Refuse a system that the results do not have."""
    expect("results", results, Results, "give what evaluate or Results.load gave")
    if system is not None and system not in results.systems:
        raise UsageError(
            f"system '{system}'", "it is not in the results", suggest(system, results.systems)
        )


@dataclass(frozen=True)
class MentionSide:
    """The gold mentions of a dataset, or those of one run, ready to be told about."""

    evidence: Evidence
    units: Units

    @cached_property
    def width(self) -> int:
        """More than any sentence of the dataset has tokens up to its last mention."""
        ledger = self.evidence.mentions
        sides = [ledger.gold, *(run.pred for run in ledger.runs)]
        return 2 + max(int((_start(side) + _length(side)).max(initial=0)) for side in sides)

    @property
    def starts(self) -> Ints:
        """The first token of each mention, counted in its sentence."""
        return _start(self.units)

    @property
    def ends(self) -> Ints:
        """The first token behind each mention."""
        return _start(self.units) + _length(self.units)

    @cached_property
    def mentions(self) -> Mentions:
        """The mentions as spans that never reach into another sentence."""
        # Sentence 3, token 5 with a width of 100 is 305: one axis for the whole dataset, with a gap
        # behind every sentence.
        start = self.units.sentence.astype(np.int64) * self.width + _start(self.units)
        return Mentions(start, start + _length(self.units), self.units.type, self.units.shape)

    def type(self, index: int) -> str:
        """The type of a mention."""
        return self.evidence.types[int(self.units.type[index])]

    def span(self, index: int) -> tuple[int, int]:
        """Where a mention starts and ends, counted in tokens of its sentence."""
        start = int(_start(self.units)[index])
        return start, start + int(_length(self.units)[index])

    def tokens(self, index: int) -> list[str] | None:
        """The sentence around a mention, if results keep texts."""
        texts = self.evidence.texts
        return None if texts is None else texts[self.units.sentence[index]].split(TOKEN_JOIN)

    def text(self, index: int) -> str | None:
        """The text of a mention; where it leaves tokens out, dots stand for them."""
        shape = PLAIN if self.units.shape is None else self.units.shape[index]
        tokens = self.tokens(index)
        if shape.predicted_text or tokens is None:
            return shape.predicted_text or None
        start, end = self.span(index)
        words = tokens[start:end]
        for low, high in reversed(shape.holes):
            words[low:high] = ["…"]
        return " ".join(words)

    def place(self, index: int) -> str:
        """File and line of a mention."""
        lines = self.evidence.lines
        sentence = int(self.units.sentence[index])
        if lines is None:
            return f"{self.evidence.gold_name}: sentence {sentence + 1}"
        name = self.evidence.gold_name
        if name.startswith("<"):  # in memory, a line is a sentence
            return f"{name}:{sentence + 1}"
        further = self.span(index)[0] if self.evidence.line_a_token else 0
        return f"{name}:{int(lines[sentence]) + further}"

    def levels(self, index: int) -> dict[str, str]:
        """The levels of a mention under every facet of mentions."""
        by_facet = {}
        for division in self.evidence.tables:
            codes = self.units.codes.get(division.facet)
            if division.unit == MENTION and codes is not None:
                code = int(codes[index])
                names = [
                    level
                    for level, codes_of_level in division.levels.items()
                    if code in codes_of_level
                ]
                by_facet[division.facet] = " ".join(names)
        return by_facet


def _start(units: Units) -> Ints:
    assert units.start is not None
    return units.start


def _length(units: Units) -> Ints:
    assert units.length is not None
    return units.length


def gold_side(evidence: Evidence) -> MentionSide:
    """The gold mentions of a dataset."""
    return MentionSide(evidence, evidence.mentions.gold)


def run_side(evidence: Evidence, run: int) -> MentionSide:
    """The mentions that a run predicted."""
    return MentionSide(evidence, evidence.mentions.runs[run].pred)


def _runs(results: Results, system: str | None) -> Iterator[tuple[Evidence, int, dict[str, str]]]:
    check_system(results, system)
    for evidence in results.evidence:
        for run, (name, number) in enumerate(evidence.runs):
            if system in (None, name):
                yield evidence, run, {"dataset": evidence.dataset, "system": name, "run": number}


def mention_records(results: Results, system: str | None = None) -> Iterator[dict[str, Any]]:
    """One record for each gold and each predicted mention of each run.

    It tells the outcome, the counterpart if there is one, and the levels of every facet.
    """
    for evidence, run, head in _runs(results, system):
        gold, pred = gold_side(evidence), run_side(evidence, run)
        pairs = match_named("muc-strict")(gold.mentions, pred.mentions)
        by_gold, by_pred = outcomes(gold.mentions, pred.mentions, pairs)
        mates = dict(zip(pairs.gold.tolist(), pairs.pred.tolist(), strict=True))
        for index, outcome in enumerate(by_gold):
            record = _record(gold, index, pred, mates.get(index))
            yield {**head, "side": "gold", "outcome": outcome, **record}
        mates = {pred_index: other for other, pred_index in mates.items()}
        for index, outcome in enumerate(by_pred):
            record = _record(pred, index, gold, mates.get(index))
            yield {**head, "side": "pred", "outcome": outcome, **record}


def outcomes(gold: Mentions, pred: Mentions, pairs: MatchedPairs) -> tuple[list[str], list[str]]:
    """The outcome of every mention.

    Equal spans are settled first; then one mention against several is split or merged.
    """
    by_gold: Any = np.full(len(gold), "missed", object)
    by_pred: Any = np.full(len(pred), "spurious", object)
    a, b = gold[pairs.gold], pred[pairs.pred]
    same_span: Bools = CandidatePairs(a, b).same_span
    names = np.array(["wrong type and boundary", "wrong boundary", "wrong type", "correct"], object)
    outcome = names[2 * same_span + (a.type == b.type)]  # 3: both, 2: span only, 1: type only
    by_gold[pairs.gold], by_pred[pairs.pred] = outcome, outcome
    settled_gold = set(pairs.gold[same_span].tolist())
    settled_pred = set(pairs.pred[same_span].tolist())
    # What overlaps without being settled: one gold mention against two predictions is split, two
    # gold mentions against one prediction are merged.
    loose = [
        (g, p)
        for g, p in zip(*(side.tolist() for side in overlapping(gold, pred)), strict=True)
        if g not in settled_gold and p not in settled_pred
    ]
    per_gold, per_pred = Counter(g for g, _ in loose), Counter(p for _, p in loose)
    for g, p in loose:
        if per_gold[g] > 1:
            by_gold[g] = by_pred[p] = "split"
    for g, p in loose:
        if per_pred[p] > 1:
            by_gold[g] = by_pred[p] = "merged"
    return by_gold.tolist(), by_pred.tolist()


def _record(side: MentionSide, index: int, other: MentionSide, mate: int | None) -> dict[str, Any]:
    start, end = side.span(index)
    tokens = side.tokens(index)
    low, high = other.span(mate) if mate is not None else (None, None)
    overlap = 0.0
    if low is not None and high is not None:
        overlap = (min(end, high) - max(start, low)) / (max(end, high) - min(start, low))
    return {
        "type": side.type(index),
        "text": side.text(index),
        "start": start,
        "end": end,
        "other_type": None if mate is None else other.type(mate),
        "other_text": None if mate is None else other.text(mate),
        "other_start": low,
        "other_end": high,
        "overlap": overlap,
        **side.levels(index),
        "sentence": None if tokens is None else " ".join(tokens),
        "tokens": tokens,
        "place": side.place(index),
    }


def confusion_records(results: Results, system: str | None = None) -> Iterator[dict[str, Any]]:
    """For each run, how often a gold type met a predicted one; None stands for no mention."""
    for evidence, run, head in _runs(results, system):
        gold, pred = gold_side(evidence), run_side(evidence, run)
        pairs = match_named("muc-strict")(gold.mentions, pred.mentions)
        counts: Counter[tuple[int | None, int | None]] = Counter()
        a, b = gold.mentions.type, pred.mentions.type
        counts.update(zip(a[pairs.gold].tolist(), b[pairs.pred].tolist(), strict=True))
        counts.update((kind, None) for kind in np.delete(a, pairs.gold).tolist())
        counts.update((None, kind) for kind in np.delete(b, pairs.pred).tolist())
        names = [*evidence.types, None]
        places: list[int | None] = [*range(len(evidence.types)), None]
        for gold_type in places:
            for pred_type in places:
                if counts[gold_type, pred_type]:
                    yield {
                        **head,
                        "gold": names[-1 if gold_type is None else gold_type],
                        "predicted": names[-1 if pred_type is None else pred_type],
                        "n": counts[gold_type, pred_type],
                    }


def partial_records(
    results: Results, matches: Sequence[str] | None = None
) -> Iterator[dict[str, Any]]:
    """Every pair that got partial credit, once, with its credit under each match."""
    for evidence, run, head in _runs(results, None):
        chosen = matches if matches is not None else partial_matches(evidence)
        gold, pred = gold_side(evidence), run_side(evidence, run)
        credits_of: dict[tuple[int, int], dict[str, float]] = {}
        for match in chosen:
            pairs = match_named(match)(gold.mentions, pred.mentions)
            for g, p, credit, kind in zip(*(column.tolist() for column in pairs), strict=True):
                if kind != CORRECT:
                    credits_of.setdefault((g, p), {})[match] = credit
        for (g, p), credits in sorted(credits_of.items()):
            tokens = gold.tokens(g)
            yield {
                **head,
                "gold": gold.text(g),
                "predicted": pred.text(p),
                "gold type": gold.type(g),
                "predicted type": pred.type(p),
                **{f"credit {match}": credits.get(match) for match in chosen},
                "sentence": None if tokens is None else " ".join(tokens),
                "place": gold.place(g),
                "judgement": "",
            }


def partial_matches(evidence: Evidence) -> list[str]:
    """The matches of all mentions together, but for exact match."""
    overall = [table for table in evidence.tables if table.facet == ALL and table.unit == MENTION]
    return [match for table in overall for match in table.matches if match != EXACT]
