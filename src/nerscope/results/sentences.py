"""The sentences that a page shows: all of them if they fit, else a sample by kind of error."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from nerscope.corpus.arrays import Bools, Ints
from nerscope.corpus.units import INSIDE, MENTION, TOKEN
from nerscope.results.errors import gold_side
from nerscope.results.spans import Spans
from nerscope.scoring.evidence import TOKEN_JOIN, Evidence, Ledger

MOST_SENTENCES = 20_000  # of a page
MOST_CHARACTERS = 16_000_000
_RIGHT = 200  # sentences without an error, in a sample
_SEED = 0
_SPAN = 12  # characters of a span, without its codes and outcomes


class Budget(NamedTuple):
    """The maximum amount of text and spans on a page."""

    sentences: int = MOST_SENTENCES
    characters: int = MOST_CHARACTERS

    def holds(self, sizes: Ints) -> bool:
        """Whether sentences of these sizes fit."""
        return len(sizes) <= self.sentences and int(sizes.sum()) <= self.characters

    def share(self, datasets: int) -> "Budget":
        """The budget of each of so many datasets."""
        return Budget(self.sentences // datasets, self.characters // datasets)

    def without(self, sizes: Ints) -> "Budget":
        """What sentences of these sizes leave."""
        return Budget(self.sentences - len(sizes), self.characters - int(sizes.sum()))


@dataclass(frozen=True, slots=True, eq=False)
class WrongTokens:
    """The tokens of a unit that some run gets wrong, in parallel columns."""

    unit: str
    sentence: Ints
    position: Ints  # in the sentence; -1: unknown
    codes: Mapping[str, Ints]  # by facet
    wrong: Bools  # a row for each run


@dataclass(frozen=True, slots=True, eq=False)
class SentenceSample:
    """Sentences of a dataset, with the spans and the wrong tokens in them.

    Spans and tokens have the index of their sentence among these.
    """

    sentences: Ints  # their indices in the dataset
    numbers: Ints  # in the data, from 1
    total: int
    wrong: int  # of all sentences, those with an error in some run
    wrong_kept: int
    spans: Spans
    tokens: list[WrongTokens]

    @property
    def is_sample(self) -> bool:
        """Whether sentences with errors are left out."""
        return self.wrong_kept < self.wrong


def sample_sentences(parts: Sequence[tuple[Evidence, Spans]]) -> list[SentenceSample]:
    """The sentences of every dataset that fit on one page together.

    Small datasets are complete, and leave what they do not need to the others.
    """
    budget = Budget()
    sizes = [_sizes(evidence, spans) for evidence, spans in parts]
    samples: dict[int, SentenceSample] = {}
    for at in sorted(range(len(parts)), key=lambda at: int(sizes[at].sum())):
        share = budget.share(len(parts) - len(samples))
        samples[at] = sentence_sample(*parts[at], share)
        budget = budget.without(sizes[at][samples[at].sentences])
    return [samples[at] for at in range(len(parts))]


def sentence_sample(evidence: Evidence, spans: Spans, budget: Budget) -> SentenceSample:
    """The sentences of a dataset that fit into a budget."""
    wrong = _has_error(evidence, spans)
    shown = _shown_sentences(evidence, spans, wrong, budget)
    place = np.full(len(shown), -1)
    place[shown] = np.arange(shown.sum())
    return SentenceSample(
        np.flatnonzero(shown),
        np.flatnonzero(shown) + 1,
        len(shown),
        int(wrong.sum()),
        int((wrong & shown).sum()),
        spans.within(place),
        [_wrong_tokens(evidence, unit, place) for unit in _token_units(evidence)],
    )


def token_count(evidence: Evidence) -> int | None:
    """The number of tokens of a dataset, if it is known."""
    known = evidence.ledgers.get(TOKEN if evidence.folded is None else f"{TOKEN}/all")
    if known is not None:
        gold = known.gold
        return len(gold) if gold.weight is None else int(gold.weight.sum())
    texts = evidence.texts
    return None if texts is None else sum(text.count(TOKEN_JOIN) + 1 for text in texts)


def folded_sample(evidence: Evidence, spans: Spans) -> SentenceSample:
    """The sentences that folded evidence keeps, with the spans of its sample."""
    assert evidence.folded is not None and evidence.errors is not None and evidence.sample
    kept = evidence.errors.sample
    sentences = np.arange(len(evidence.sample.documents))
    with_error = np.unique(spans.sentence[spans.is_wrong.any(axis=0)])
    return SentenceSample(
        sentences,
        sentences + 1 if kept is None else kept.numbers,
        evidence.folded.sentences,
        evidence.errors.wrong or 0,
        len(with_error),
        spans,
        [_wrong_tokens(evidence.sample, unit, sentences) for unit in _token_units(evidence.sample)],
    )


def _token_units(evidence: Evidence) -> list[str]:
    return [unit for unit in evidence.ledgers if unit != MENTION]


def _has_error(evidence: Evidence, spans: Spans) -> Bools:
    """Which sentences have a mention or a token that some run gets wrong."""
    wrong = np.zeros(len(evidence.documents), bool)
    wrong[spans.sentence[spans.is_wrong.any(axis=0)]] = True
    for unit, ledger in evidence.ledgers.items():
        if unit != MENTION:
            wrong[ledger.gold.sentence[_token_errors(ledger).any(axis=0)]] = True
    return wrong


def _token_errors(ledger: Ledger) -> Bools:
    """For each run, which rows of a token ledger are wrong."""
    weight = 1 if ledger.gold.weight is None else ledger.gold.weight
    rows = []
    for run in ledger.runs:
        # Of several token matches, `label` (of accuracy) is the coarsest, so prefer another one.
        match = next((name for name in run.gold_credit if name != "label"), "label")
        rows.append(run.gold_credit[match] < weight)
    errors: Bools = np.array(rows, bool).reshape(len(rows), len(ledger.gold))
    return errors


def _shown_sentences(evidence: Evidence, spans: Spans, wrong: Bools, budget: Budget) -> Bools:
    """Which sentences are shown: if not all, then those with errors, balanced over their kinds."""
    sizes = _sizes(evidence, spans)
    if budget.holds(sizes):
        return np.ones(len(wrong), bool)
    order = np.random.default_rng(_SEED).permutation(len(wrong))
    turn = np.empty(len(order), np.int64)
    turn[order] = np.arange(len(order))
    with_error = np.flatnonzero(wrong)
    best = with_error[
        np.lexsort((turn[with_error], _best_place(evidence, spans, turn)[with_error]))
    ]
    queue = np.concatenate([best, order[~wrong[order]][:_RIGHT]])
    queue = queue[sizes[queue] <= budget.characters // 10]  # no sentence may use up the budget
    queue = queue[: budget.sentences]
    shown = np.zeros(len(wrong), bool)
    shown[queue[np.cumsum(sizes[queue]) <= budget.characters]] = True
    return shown


def _sizes(evidence: Evidence, spans: Spans) -> Ints:
    """The approximate number of characters of each sentence: words, spans and outcomes."""
    n_spans = np.bincount(spans.sentence, minlength=len(evidence.documents))
    sizes = n_spans * (len(evidence.runs) + _SPAN + 2 * len(spans.codes))
    if evidence.texts is not None:
        sizes = sizes + np.array([len(text) for text in evidence.texts])
    return sizes


def _best_place(evidence: Evidence, spans: Spans, turn: Ints) -> Ints:
    """For each sentence, its lowest rank among the sentences with the same kind of error.

    A kind is an outcome with a type or with a level of a facet, or a wrong token of a level. The
    sentences with the lowest ranks therefore show every kind of error, also rare ones.
    """
    best = np.full(len(turn), len(turn), np.int64)
    for row, wrong in zip(spans.outcome, spans.is_wrong, strict=True):
        chosen = np.flatnonzero(wrong)
        for codes in (spans.type, *spans.codes.values()):
            _line_up(best, turn, spans.sentence[chosen], codes[chosen] * 16 + row[chosen])
    for unit, ledger in evidence.ledgers.items():
        for row in _token_errors(ledger) if unit != MENTION else ():
            for codes in ledger.gold.codes.values():
                _line_up(best, turn, ledger.gold.sentence[row], codes[row].astype(np.int64))
    return best


def _line_up(best: Ints, turn: Ints, sentence: Ints, kind: Ints) -> None:
    """Update `best` with the rank of each sentence within its kind, in the order of `turn`."""
    # Sorted by kind, then turn: the rank of an entry within its kind is its distance to the first.
    # Kinds 5 5 5 7 7 give ranks 0 1 2 0 1.
    line = np.lexsort((turn[sentence], kind))
    starts = np.flatnonzero(np.diff(kind[line], prepend=-1))
    sizes = np.diff(starts, append=len(line))
    place = np.arange(len(line)) - np.repeat(starts, sizes)
    np.minimum.at(best, sentence[line], place)


def _wrong_tokens(evidence: Evidence, unit: str, place: Ints) -> WrongTokens:
    """The wrong tokens of the sentences that have a place."""
    ledger = evidence.ledgers[unit]
    listed = unit == TOKEN and all(run.pred.start is not None for run in ledger.runs)
    tokens = _listed_tokens(ledger) if listed else _token_rows(evidence, ledger)
    chosen = np.flatnonzero(place[tokens.sentence] >= 0)
    return WrongTokens(
        unit,
        place[tokens.sentence[chosen]],
        tokens.position[chosen],
        {facet: codes[chosen] for facet, codes in tokens.codes.items()},
        tokens.wrong[:, chosen],
    )


def _listed_tokens(ledger: Ledger) -> WrongTokens:
    """The wrong tokens of a ledger whose runs list them, each once for all runs."""
    lists = [run.pred for run in ledger.runs]
    starts = [np.zeros(0, np.int64) if units.start is None else units.start for units in lists]
    width = 1 + max(int(start.max(initial=0)) for start in starts)
    keys = [
        units.sentence.astype(np.int64) * width + start
        for units, start in zip(lists, starts, strict=True)
    ]
    distinct, first = np.unique(np.concatenate(keys), return_index=True)
    codes = {
        facet: np.concatenate([units.codes[facet] for units in lists])[first]
        for facet in ledger.gold.codes
    }
    wrong = np.array([np.isin(distinct, own, assume_unique=True) for own in keys], bool)
    return WrongTokens(TOKEN, distinct // width, distinct % width, codes, wrong)


def _token_rows(evidence: Evidence, ledger: Ledger) -> WrongTokens:
    """The rows of a ledger with a wrong token; positions are known of tokens inside mentions."""
    errors = _token_errors(ledger)
    rows = np.flatnonzero(errors.any(axis=0))
    gold = gold_side(evidence)  # without weights, the rows are the tokens of gold mentions
    inside = gold.mentions.positions % gold.width
    known = ledger.gold.weight is None and len(inside) == len(ledger.gold)
    position = inside[rows] if known else np.full(len(rows), -1)
    codes = {facet: codes[rows] for facet, codes in ledger.gold.codes.items()}
    return WrongTokens(INSIDE, ledger.gold.sentence[rows], position, codes, errors[:, rows])
