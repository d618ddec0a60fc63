"""Errors of folded data: exact sums over all sentences, and a stratified sample of sentences.

A worked example: a run misses a PER and takes a LOC for an ORG in sentence 7. The sums count one
(PER, no prediction, missed) and one (LOC, ORG, wrong type). Sentence 7 belongs to one stratum, that
of its rarest kind: wrong type × LOC. From each stratum in turn, the sample takes the sentence with
the smallest number drawn for its place in the file, until it has 2,000 sentences. The draw depends
only on the place, so that neither chunks, shards nor workers change the sample.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import PurePath
from typing import NamedTuple
from zlib import crc32

import numpy as np

from nerscope.codec import serialisable
from nerscope.corpus.arrays import Bools, Ints
from nerscope.corpus.mentions import Mentions
from nerscope.scoring.evidence import (
    ErrorSum,
    Evidence,
    FoldedErrors,
    SampledSentences,
    joined_sentences,
    only_sentences,
)
from nerscope.scoring.matching import match_named
from nerscope.scoring.outcomes import (
    CORRECT,
    HALLUCINATED,
    OUTCOMES,
    PAIRED_BY,
    WRONG_BOTH,
    count_cells,
    outcome_codes,
)
from nerscope.scoring.pairing import NamesOf

SAMPLE_SIZE = 2_000  # sentences
NONE = -1  # the type of no mention
# A sentence with several errors stands for the rarest kind; these are usually rare to frequent.
_RAREST_FIRST = (
    *(HALLUCINATED, "merged", "split", WRONG_BOTH),
    *("wrong type", "wrong boundary", "spurious", "missed"),
)
_RARITY = np.array(
    [_RAREST_FIRST.index(name) if name in _RAREST_FIRST else len(OUTCOMES) for name in OUTCOMES]
)
_MIX = tuple(map(np.uint64, (0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB)))


class ScoredSide(NamedTuple):
    """The mentions of gold or of a run."""

    mentions: Mentions
    sentence: Ints  # of each mention
    names: NamesOf

    def chosen(self, places: Ints) -> "ScoredSide":
        """Some of the mentions."""

        def names(indices: list[int]) -> Sequence[tuple[object, object]]:
            return self.names(places[indices].tolist())

        return ScoredSide(self.mentions[places], self.sentence[places], names)


class ScoredRun(NamedTuple):
    """The predictions of a run, and which mentions of both sides match exactly."""

    side: ScoredSide
    gold_right: Bools
    pred_right: Bools


@serialisable
class Strata(NamedTuple):
    """The stratum of each sentence, and the number that was drawn for its place."""

    kind: Ints  # the code of an outcome; CORRECT: no error
    type: Ints
    priority: Ints

    def chosen(self, places: Ints) -> "Strata":
        """The strata of some sentences."""
        return Strata(self.kind[places], self.type[places], self.priority[places])

    def then(self, others: "Strata") -> "Strata":
        """The strata of these sentences and of others."""
        return Strata(*map(np.concatenate, zip(self, others, strict=True)))


_NO_STRATA = Strata(np.zeros(0, np.int8), np.zeros(0, np.int32), np.zeros(0, np.int64))


@serialisable
class ScoredErrors(NamedTuple):
    """The errors of some sentences, in the type codes of the process that found them."""

    sums: Ints  # rows: run, gold type, predicted type, outcome, number
    wrong: int  # sentences with an error in some run
    sentence: Ints  # candidates of the sample, ascending
    strata: Strata  # of the candidates
    texts: tuple[str, ...] | None = None  # of the candidates

    def with_types(self, codes: Ints) -> "ScoredErrors":
        """The same errors in other type codes: type k becomes `codes[k]`."""
        if not len(codes):
            return self
        sums, after = self.sums.copy(), np.append(codes, NONE)  # so that NONE, -1, stays
        sums[:, 1:3] = after[sums[:, 1:3]]
        return self._replace(sums=sums, strata=self.strata._replace(type=after[self.strata.type]))


def joined_errors(parts: Sequence[tuple[int, ScoredErrors]]) -> ScoredErrors:
    """The errors of consecutive parts, each with the number of sentences before it."""
    texts = [errors.texts for _, errors in parts if errors.texts is not None]
    strata = _NO_STRATA
    for _, errors in parts:
        strata = strata.then(errors.strata)
    return ScoredErrors(
        np.concatenate([errors.sums for _, errors in parts]),
        sum(errors.wrong for _, errors in parts),
        np.concatenate([errors.sentence + before for before, errors in parts]),
        strata,
        tuple(text for some in texts for text in some) if len(texts) == len(parts) else None,
    )


def score_errors(
    gold: ScoredSide, runs: Sequence[ScoredRun], places: tuple[str, Ints], sample: "SampleFilter"
) -> ScoredErrors:
    """The errors of all runs; `places` are the name of the file and the line of each sentence."""
    name, lines = places
    sums, found = list[Ints](), list[Ints]()
    for number, run in enumerate(runs):
        of_run, errors = _errors_of_run(gold, run, len(lines))
        sums.append(np.column_stack([np.full(len(of_run), number), of_run]))
        found.append(errors)
    wrong, kind, types = _strata_of(np.concatenate(found, axis=1))
    sentence = wrong
    if sample.takes_right:
        right = np.delete(np.arange(len(lines)), wrong)
        sentence = np.append(wrong, right)
        kind, types = np.append(kind, right * 0 + CORRECT), np.append(types, right * 0 + NONE)
    strata = Strata(kind, types, _drawn_numbers(name, lines, sentence))
    admitted = sample.admit(strata)
    candidates = admitted[np.argsort(sentence[admitted])]
    return ScoredErrors(
        np.concatenate(sums), len(wrong), sentence[candidates], strata.chosen(candidates)
    )


def _errors_of_run(gold: ScoredSide, run: ScoredRun, n_sentences: int) -> tuple[Ints, Ints]:
    """The sums of a run, and its errors: columns of sentence, outcome, type."""
    pred = run.side
    at_gold, at_pred = ~run.gold_right, ~run.pred_right
    if not (gold.mentions.are_flat and pred.mentions.are_flat):
        # A mention that is exactly right touches no other one, unless mentions are nested. Then all
        # mentions of sentences with an error are needed.
        is_wrong = np.zeros(n_sentences, bool)
        is_wrong[gold.sentence[at_gold]] = True
        is_wrong[pred.sentence[at_pred]] = True
        at_gold, at_pred = is_wrong[gold.sentence], is_wrong[pred.sentence]
    here, there = gold.chosen(np.flatnonzero(at_gold)), pred.chosen(np.flatnonzero(at_pred))
    pairs = match_named(PAIRED_BY)(here.mentions, there.mentions, (here.names, there.names))
    by_gold, by_pred = outcome_codes(here.mentions, there.mentions, pairs)
    mate = np.full(len(by_gold), NONE)
    mate[pairs.gold] = there.mentions.type[pairs.pred]
    alone = np.delete(np.arange(len(by_pred)), pairs.pred)
    alone = alone[by_pred[alone] != CORRECT]  # a mention that is predicted twice is no error
    right = gold.mentions.type[~at_gold]
    sums = count_cells(
        np.concatenate([right, here.mentions.type, np.full(len(alone), NONE)]),
        np.concatenate([right, mate, there.mentions.type[alone]]),
        np.concatenate([np.full(len(right), CORRECT), by_gold, by_pred[alone]]),
    )
    sides = [(here, np.flatnonzero(by_gold != CORRECT), by_gold), (there, alone, by_pred)]
    columns = [
        np.stack([side.sentence[at], outcome[at], side.mentions.type[at]]).astype(np.int64)
        for side, at, outcome in sides
    ]
    return sums, np.concatenate(columns, axis=1)


def _strata_of(errors: Ints) -> tuple[Ints, Ints, Ints]:
    """The sentences with an error, and their strata: of the first error of the rarest kind."""
    sentence, outcome, types = errors
    order = np.lexsort((_RARITY[outcome], sentence))  # stable: the first of equal kinds
    with_error = sentence[order]
    first = np.flatnonzero(np.diff(with_error, prepend=-1))
    return with_error[first], outcome[order[first]], types[order[first]]


def _drawn_numbers(name: str, lines: Ints, chosen: Ints) -> Ints:
    """A pseudo-random number for some sentences, from their file, line and rank on the line."""
    begins = np.flatnonzero(np.diff(lines, prepend=-1))
    rank = np.arange(len(lines)) - np.repeat(begins, np.diff(begins, append=len(lines)))
    with np.errstate(over="ignore"):
        seed = np.uint64(crc32(PurePath(name).name.encode("utf-8", "surrogatepass")))
        number = (lines[chosen].astype(np.uint64) + seed * _MIX[1]) * _MIX[0]
        number += rank[chosen].astype(np.uint64) * _MIX[2]
        # The finaliser of SplitMix64 (Steele et al. 2014).
        number = (number ^ (number >> np.uint64(30))) * _MIX[1]
        number = (number ^ (number >> np.uint64(27))) * _MIX[2]
    return ((number ^ (number >> np.uint64(31))) >> np.uint64(1)).astype(np.int64)


def sampled(strata: Strata, size: int | None = None) -> Ints:
    """The indices, ascending, of the sentences in a sample.

    Strata take turns, in each the sentence with the smallest number first; sentences without an
    error come last. What one part leaves out, no larger whole would take: with more sentences, the
    rank in a stratum only grows. So the sample of a whole is the sample of the samples of its
    parts.

    >>> kinds, numbers = np.array([4, 4, 4, 7, 0]), np.array([5, 3, 9, 8, 1])
    >>> sampled(Strata(kinds, np.zeros(5, np.int64), numbers), 3).tolist()
    [0, 1, 3]
    """
    kind, types, priority = strata
    order = np.lexsort((priority, types, kind))
    changes = (np.diff(kind[order], prepend=-1) != 0) | (np.diff(types[order], prepend=-2) != 0)
    begins = np.flatnonzero(changes)
    rank = np.empty(len(order), np.int64)
    rank[order] = np.arange(len(order)) - np.repeat(begins, np.diff(begins, append=len(order)))
    queue = np.lexsort((priority, rank, kind == CORRECT))
    return np.sort(queue[: SAMPLE_SIZE if size is None else size])


def _names_of(strata: Strata) -> Ints:
    """One number for each stratum."""
    names: Ints = (strata.type.astype(np.int64) + 1) * len(OUTCOMES) + strata.kind
    return names


class SampleFilter:
    """Chooses from each chunk the sentences that may still be in the sample."""

    def __init__(self) -> None:
        self._known = _NO_STRATA

    @property
    def takes_right(self) -> bool:
        """Whether sentences without an error may still be in the sample."""
        kinds = self._known.kind
        return len(kinds) < SAMPLE_SIZE or bool((kinds == CORRECT).any())

    def admit(self, strata: Strata) -> Ints:
        """The indices of the sentences to keep."""
        possible = np.flatnonzero(self._may_be_kept(strata))
        before = len(self._known.kind)
        every = self._known.then(strata.chosen(possible))
        kept = sampled(every)
        self._known = every.chosen(kept)
        return possible[kept[kept >= before] - before]

    def _may_be_kept(self, strata: Strata) -> Bools:
        """Which sentences may be in the sample, by a quick rule that spares sorting all of them.

        In a full sample, a stratum that is as large as any takes only smaller numbers.
        """
        known = self._known
        if len(known.kind) < SAMPLE_SIZE:
            return np.ones(len(strata.kind), bool)
        names, place, sizes = np.unique(_names_of(known), return_inverse=True, return_counts=True)
        limits = np.full(len(names) + 1, np.iinfo(np.int64).max)
        largest = np.zeros(len(names), np.int64)
        np.maximum.at(largest, place, known.priority)
        limits[:-1] = np.where(sizes == sizes.max(), largest, limits[:-1])
        at = np.searchsorted(names, _names_of(strata))
        at[np.append(names, NONE)[at] != _names_of(strata)] = len(names)  # a new stratum
        possible: Bools = np.less(strata.priority, limits[at])
        return possible


class ErrorCollector:
    """Adds up the errors of folded data, and keeps the sample."""

    def __init__(self) -> None:
        self._sums: Counter[tuple[int, ...]] = Counter()
        self._wrong = 0
        self._strata = _NO_STRATA
        self._sample: Evidence | None = None
        self._numbers: Ints = np.zeros(0, np.int64)

    def add(self, evidence: Evidence, errors: ScoredErrors, before: int) -> None:
        """Add sentences with their ledgers; `before` is the number of sentences before them."""
        for *cell, n in errors.sums.tolist():
            self._sums[tuple(cell)] += n
        self._wrong += errors.wrong
        known = len(self._strata.kind)
        strata = self._strata.then(errors.strata)
        kept = sampled(strata)
        new = kept[kept >= known] - known
        texts = None if errors.texts is None else tuple(errors.texts[at] for at in new.tolist())
        added = replace(only_sentences(evidence, errors.sentence[new]), texts=texts)
        parts = [added]
        if self._sample is not None:
            parts.insert(0, only_sentences(self._sample, kept[kept < known]))
        numbers = np.concatenate([self._numbers, 1 + before + errors.sentence])
        self._strata, self._numbers = strata.chosen(kept), numbers[kept]
        self._sample = joined_sentences(parts)

    def errors(self, types: Sequence[str]) -> FoldedErrors:
        """The sums and the sample; ledgers have the type codes of the added evidence."""
        assert self._sample is not None
        names = [*types, None]
        sums = [
            ErrorSum(run, names[gold], names[predicted], OUTCOMES[outcome], n)
            for (run, gold, predicted, outcome), n in self._sums.items()
        ]
        sample = SampledSentences(
            self._sample.ledgers,
            self._sample.documents,
            self._numbers,
            self._sample.lines,
            self._sample.texts,
        )
        return FoldedErrors(tuple(sorted(sums, key=_sort_key)), self._wrong, sample)


def _sort_key(error: ErrorSum) -> tuple[int, str, str, int]:
    # No type name is empty, so that pairs without one of the mentions come first.
    return error.run, error.gold or "", error.predicted or "", OUTCOMES.index(error.outcome)
