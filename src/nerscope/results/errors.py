"""Single mentions: the outcome of each, its counterpart, and lists of them."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from nerscope.corpus.arrays import Ints
from nerscope.corpus.mentions import PLAIN, Mentions
from nerscope.corpus.units import ALL, MENTION
from nerscope.errors import UsageError, expect, suggest
from nerscope.results.results import Results
from nerscope.results.rows import ResultRow
from nerscope.scoring.evidence import TOKEN_JOIN, Evidence, Units
from nerscope.scoring.matching import EXACT, match_named
from nerscope.scoring.outcomes import OUTCOMES as OUTCOMES
from nerscope.scoring.outcomes import PAIRED_BY, outcome_codes
from nerscope.scoring.pairing import CORRECT, MatchedPairs


def check_system(results: Results, system: str | None) -> None:
    """Raise a UsageError for a system that is not in the results."""
    expect("results", results, Results, "give the results of evaluate or Results.load")
    if system is not None and system not in results.systems:
        raise UsageError(
            f"system '{system}'", "it is not in the results", suggest(system, results.systems)
        )


@dataclass(frozen=True)
class MentionSide:
    """The gold mentions of a dataset, or the mentions of one run, with their texts and levels."""

    evidence: Evidence
    units: Units

    @cached_property
    def width(self) -> int:
        """An upper bound on the tokens of a sentence up to the end of its last mention."""
        ledger = self.evidence.mentions
        sides = [ledger.gold, *(run.pred for run in ledger.runs)]
        return 2 + max(int((_start(side) + _length(side)).max(initial=0)) for side in sides)

    @property
    def starts(self) -> Ints:
        """The first token of each mention, counted in its sentence."""
        return _start(self.units)

    @property
    def ends(self) -> Ints:
        """The first token after each mention."""
        return _start(self.units) + _length(self.units)

    @cached_property
    def mentions(self) -> Mentions:
        """The mentions as spans on one axis, without overlap between sentences."""
        # Sentence 3, token 5 with a width of 100 is 305: one axis for the dataset, with a gap after
        # every sentence.
        start = self.units.sentence.astype(np.int64) * self.width + _start(self.units)
        return Mentions(start, start + _length(self.units), self.units.type, self.units.shape)

    def type(self, index: int) -> str:
        """The type of a mention."""
        return self.evidence.types[int(self.units.type[index])]

    def span(self, index: int) -> tuple[int, int]:
        """The start and end of a mention, in tokens of its sentence."""
        start = int(_start(self.units)[index])
        return start, start + int(_length(self.units)[index])

    @cached_property
    def _split_texts(self) -> dict[int, tuple[list[str], str]]:
        """Sentences as tokens and as text; the mentions of a sentence share both."""
        return {}

    def _sentence(self, index: int) -> tuple[list[str], str] | tuple[None, None]:
        texts, sentence = self.evidence.texts, int(self.units.sentence[index])
        if texts is None:
            return None, None
        # A text without line ends is one sentence, with thousands of mentions.
        if sentence not in self._split_texts:
            tokens = texts[sentence].split(TOKEN_JOIN)
            self._split_texts[sentence] = tokens, " ".join(tokens)
        return self._split_texts[sentence]

    def tokens(self, index: int) -> list[str] | None:
        """The sentence around a mention, if results keep texts."""
        return self._sentence(index)[0]

    def sentence_text(self, index: int) -> str | None:
        """The sentence around a mention as text, if results keep texts."""
        return self._sentence(index)[1]

    def text(self, index: int) -> str | None:
        """The text of a mention; dots mark the gaps of a discontinuous mention."""
        shape = PLAIN if self.units.shape is None else self.units.shape[index]
        tokens = self.tokens(index)
        if shape.predicted_text or tokens is None:
            return shape.predicted_text or None
        start, end = self.span(index)
        words = tokens[start:end]
        for low, high in reversed(shape.holes):
            words[low:high] = ["…"]
        return " ".join(words)

    def names(self, indices: Sequence[int]) -> list[tuple[str, tuple[str, ...]]]:
        """The type and surface of mentions; without texts, the surface is empty."""
        return [(self.type(index), self._surface(index)) for index in indices]

    def _surface(self, index: int) -> tuple[str, ...]:
        tokens, (start, end) = self.tokens(index), self.span(index)
        shape = PLAIN if self.units.shape is None else self.units.shape[index]
        runs = [] if tokens is None else shape.runs(start, end)
        return tuple(word for low, high in runs for word in (tokens or [])[low:high])

    def place(self, index: int) -> str:
        """The place of a mention: file and line, or file and record."""
        return self.evidence.where(int(self.units.sentence[index]), self.span(index)[0])

    def levels(self, index: int) -> dict[str, str]:
        """The levels of a mention under every facet of mentions."""
        by_facet = {}
        for table in self.evidence.tables:
            codes = self.units.codes.get(table.facet)
            if table.unit == MENTION and codes is not None:
                code = int(codes[index])
                names = [
                    level
                    for level, codes_of_level in table.levels.items()
                    if code in codes_of_level
                ]
                by_facet[table.facet] = " ".join(names)
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


class LevelledRow(ResultRow):
    """A row of one mention; `as_dict` adds its level under each facet: `row["tmr"]`."""

    __slots__ = ()
    levels: Mapping[str, str]  # by facet

    def as_dict(self) -> dict[str, Any]:
        """The row as a JSON object."""
        plain: dict[str, Any] = {}
        for name in self.__dataclass_fields__:
            plain |= self.levels if name == "levels" else {name: getattr(self, name)}
        return plain

    def __getitem__(self, key: str) -> Any:
        # There are many rows of 30 keys, so `dict(row)` must not build a dict for every key.
        if key in self.levels or key not in self.__dataclass_fields__:
            return self.levels[key]
        return getattr(self, key)


@dataclass(frozen=True, slots=True, eq=False)
class MentionRow(LevelledRow):
    """The outcome of a gold or predicted mention in one run."""

    dataset: str
    system: str
    run: str
    side: str  # gold or pred
    outcome: str
    type: str
    text: str | None  # None if the results keep no texts
    start: int  # in tokens of the sentence
    end: int
    other_type: str | None  # the type of the counterpart on the other side, if any
    other_text: str | None
    other_start: int | None
    other_end: int | None
    overlap: float  # with the counterpart: shared tokens divided by all tokens of both
    levels: Mapping[str, str]
    sentence: str | None
    tokens: list[str] | None
    place: str


@dataclass(frozen=True, slots=True, eq=False)
class PartialRow(ResultRow):
    """A pair of mentions that got partial credit in a run."""

    dataset: str
    system: str
    run: str
    gold: str | None  # texts; None if the results keep no texts
    predicted: str | None
    gold_type: str
    predicted_type: str
    credits: Mapping[str, float | None]  # by match; None: the match does not pair the two
    sentence: str | None
    place: str

    def as_dict(self) -> dict[str, Any]:
        """The row of the list of pairs, with an empty field for the judgement."""
        return {
            "dataset": self.dataset,
            "system": self.system,
            "run": self.run,
            "gold": self.gold,
            "predicted": self.predicted,
            "gold type": self.gold_type,
            "predicted type": self.predicted_type,
            **{f"credit {match}": credit for match, credit in self.credits.items()},
            "sentence": self.sentence,
            "place": self.place,
            "judgement": "",
        }


def runs_of(results: Results, system: str | None) -> Iterator[tuple[Evidence, int]]:
    check_system(results, system)
    for evidence in results.evidence:
        for run, (name, _) in enumerate(evidence.runs):
            if system in (None, name):
                yield evidence, run


def mention_records(results: Results, system: str | None = None) -> Iterator[MentionRow]:
    """One row for each gold and each predicted mention of each run.

    A row has the outcome, the counterpart if any, and the level under every facet. Of folded
    results, these are the mentions of the sampled sentences.
    """
    for evidence, run in runs_of(sampled_results(results), system):
        gold, pred = gold_side(evidence), run_side(evidence, run)
        pairs = pair_sides(gold, pred)
        by_gold, by_pred = outcomes(gold.mentions, pred.mentions, pairs)
        pred_of = dict(zip(pairs.gold.tolist(), pairs.pred.tolist(), strict=True))
        gold_of = {pred_index: gold_index for gold_index, pred_index in pred_of.items()}
        head = (evidence.dataset, *evidence.runs[run])
        for index, outcome in enumerate(by_gold):
            yield _row((*head, "gold", outcome), gold, index, pred, pred_of.get(index))
        for index, outcome in enumerate(by_pred):
            yield _row((*head, "pred", outcome), pred, index, gold, gold_of.get(index))


def sampled_results(results: Results) -> Results:
    """The results, with the sampled sentences in place of folded evidence."""
    parts = [evidence.sample or evidence for evidence in results.evidence]
    return Results(parts, results.losses, protocol=results.protocol)


def is_error(row: MentionRow) -> bool:
    """Whether a row is an error; of a pair, only the row of the gold mention counts."""
    return row.outcome != OUTCOMES[0] and (row.side == "gold" or row.other_start is None)


def pair_sides(gold: MentionSide, pred: MentionSide, match: str = PAIRED_BY) -> MatchedPairs:
    """The pairs of gold mentions and predictions, as in scoring."""
    return match_named(match)(gold.mentions, pred.mentions, (gold.names, pred.names))


def outcomes(gold: Mentions, pred: Mentions, pairs: MatchedPairs) -> tuple[list[str], list[str]]:
    """The kind of every gold mention and of every prediction, by name: see `outcome_codes`."""
    by_gold, by_pred = outcome_codes(gold, pred, pairs)
    return [OUTCOMES[code] for code in by_gold], [OUTCOMES[code] for code in by_pred]


def _row(
    head: tuple[str, str, str, str, str],
    side: MentionSide,
    index: int,
    other: MentionSide,
    mate: int | None,
) -> MentionRow:
    start, end = side.span(index)
    low, high = other.span(mate) if mate is not None else (None, None)
    overlap = 0.0
    if low is not None and high is not None:
        overlap = (min(end, high) - max(start, low)) / (max(end, high) - min(start, low))
    return MentionRow(
        *head,
        type=side.type(index),
        text=side.text(index),
        start=start,
        end=end,
        other_type=None if mate is None else other.type(mate),
        other_text=None if mate is None else other.text(mate),
        other_start=low,
        other_end=high,
        overlap=overlap,
        levels=side.levels(index),
        sentence=side.sentence_text(index),
        tokens=side.tokens(index),
        place=side.place(index),
    )


def partial_records(results: Results, matches: Sequence[str] | None = None) -> Iterator[PartialRow]:
    """Every pair that got partial credit, once, with its credit under each match."""
    for evidence, run in runs_of(results, None):
        chosen = matches if matches is not None else partial_matches(evidence)
        gold, pred = gold_side(evidence), run_side(evidence, run)
        credits_of: dict[tuple[int, int], dict[str, float]] = {}
        for match in chosen:
            pairs = pair_sides(gold, pred, match)
            for g, p, credit, kind in zip(*(column.tolist() for column in pairs), strict=True):
                if kind != CORRECT:
                    credits_of.setdefault((g, p), {})[match] = credit
        for (g, p), credits in sorted(credits_of.items()):
            yield PartialRow(
                *(evidence.dataset, *evidence.runs[run]),
                gold=gold.text(g),
                predicted=pred.text(p),
                gold_type=gold.type(g),
                predicted_type=pred.type(p),
                credits={match: credits.get(match) for match in chosen},
                sentence=gold.sentence_text(g),
                place=gold.place(g),
            )


def partial_matches(evidence: Evidence) -> list[str]:
    """The matches over all mentions, except exact match."""
    overall = [table for table in evidence.tables if table.facet == ALL and table.unit == MENTION]
    return [match for table in overall for match in table.matches if match != EXACT]
