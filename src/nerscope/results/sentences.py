"""The sentences of a report page (with errors, all of them or a sample) and their spans."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypedDict

import numpy as np

from nerscope.corpus.arrays import Bools, Ints
from nerscope.corpus.mentions import shape_codes
from nerscope.corpus.units import MENTION, TOKEN
from nerscope.results.errors import (
    OUTCOMES,
    MentionSide,
    gold_side,
    outcomes,
    pair_sides,
    run_side,
)
from nerscope.scoring.evidence import TOKEN_JOIN, Evidence, Ledger

ABSENT = -1  # neither gold nor predicted by this run
CORRECT = OUTCOMES.index("correct")
_CODE = {name: code for code, name in enumerate(OUTCOMES)}


@dataclass(frozen=True, slots=True, eq=False)
class Spans:
    """Spans in order of their sentences, in parallel columns.

    `outcome` has a row for each run: the index in OUTCOMES of the outcome of each span, as a gold
    mention if it is one, else as a prediction; ABSENT if the run does not predict it. `mates` has,
    for each run, the pairs (gold span, predicted span) of unequal counterparts.
    """

    sentence: Ints
    start: Ints
    length: Ints
    type: Ints
    is_gold: Bools
    codes: Mapping[str, Ints]  # by facet
    outcome: Ints
    mates: tuple[Ints, ...]


def spans_of(evidence: Evidence) -> Spans:
    """All spans of a dataset."""
    gold = gold_side(evidence)
    preds = [run_side(evidence, run) for run in range(len(evidence.runs))]
    sides = [gold, *preds]
    keys = _keys(sides)
    distinct, first = np.unique(np.concatenate(keys), return_index=True)
    at_gold, *at_pred = (np.searchsorted(distinct, side_keys) for side_keys in keys)
    is_gold = np.zeros(len(distinct), bool)
    is_gold[at_gold] = True
    outcome: Ints = np.full((len(preds), len(distinct)), ABSENT, np.int8)
    mates = []
    for row, pred, at in zip(outcome, preds, at_pred, strict=True):
        pairs = pair_sides(gold, pred)
        by_gold, by_pred = outcomes(gold.mentions, pred.mentions, pairs)
        row[at] = [_CODE[name] for name in by_pred]
        row[at_gold] = [_CODE[name] for name in by_gold]  # equal on both sides
        both = np.stack([at_gold[pairs.gold], at[pairs.pred]], axis=-1)
        mates.append(both[both[:, 0] != both[:, 1]])
    start = _joined([side.mentions.start for side in sides])[first]
    return Spans(
        start // gold.width,
        start % gold.width,
        _joined([side.mentions.end - side.mentions.start for side in sides])[first],
        _joined([side.mentions.type for side in sides])[first],
        is_gold,
        {
            facet: _joined([side.units.codes[facet] for side in sides])[first]
            for facet in gold.units.codes
        },
        outcome,
        tuple(mates),
    )


def _keys(sides: Sequence[MentionSide]) -> list[Ints]:
    """A sort key for each mention: equal for equal mentions, and in order of their places."""
    shapes = shape_codes([side.mentions for side in sides])
    n_shapes = 1 + max(int(codes.max(initial=0)) for codes in shapes)
    return [_key(side) * n_shapes + shape for side, shape in zip(sides, shapes, strict=True)]


def _key(side: MentionSide) -> Ints:
    mentions = side.mentions
    length = mentions.end - mentions.start
    kinds = np.int64(len(side.evidence.types) + 1)
    return (mentions.start * np.int64(side.width) + length) * kinds + mentions.type


def _joined(columns: list[Ints]) -> Ints:
    return np.concatenate([column.astype(np.int64) for column in columns])


MOST_SENTENCES = 20_000  # of a page
MOST_CHARACTERS = 16_000_000
_RIGHT = 200  # sentences without an error
_ABSENT_CHARACTER = "."
_SEED = 0
_SPAN = 12  # characters of a span, without its codes and outcomes


class Budget(NamedTuple):
    """The maximum amount of a dataset on a page."""

    sentences: int
    characters: int

    @classmethod
    def of(cls, datasets: int) -> "Budget":
        """The budget of each of `datasets` datasets."""
        return cls(MOST_SENTENCES // max(datasets, 1), MOST_CHARACTERS // max(datasets, 1))


class SpanColumns(TypedDict):
    """One gold mention or prediction per row."""

    sentence: list[int]  # its index among the sentences on the page
    start: list[int]
    length: list[int]
    type: list[int]
    gold: list[int]


class PageTokens(TypedDict):
    """One token per row that some run gets wrong."""

    sentence: list[int]
    codes: dict[str, list[int]]  # by facet
    wrong: list[str]  # one string per run, with one digit per token


class PageSentence(TypedDict):
    """The sentences of a dataset on a page."""

    total: int
    wrong: int
    wrongKept: int
    number: list[int]
    line: list[int] | None
    text: list[str | list[str]] | None
    spans: SpanColumns
    codes: dict[str, list[int]]
    outcomes: list[str]
    mates: list[list[list[int]]]
    tokens: list[PageTokens]


def sentence_data(evidence: Evidence, budget: Budget) -> PageSentence:
    """Sentences, spans and their outcomes in each run, as plain columns.

    A span is a gold mention or a prediction, listed once. For each run, `outcomes` has one
    character per span: the index of its outcome, or a dot if the run does not predict it.
    """
    if evidence.folded is not None:
        return _no_sentences(evidence, evidence.folded.sentences)
    spans = spans_of(evidence)
    wrong = _has_error(evidence, spans)
    order = np.random.default_rng(_SEED).permutation(len(evidence.documents))
    shown = _shown_sentences(evidence, spans, wrong, order, budget)
    place = np.full(len(shown), -1)
    place[shown] = np.arange(shown.sum())
    inside = shown[spans.sentence] & (spans.length > 0)  # hallucinated ones have no place
    return {
        "total": len(shown),
        "wrong": int(wrong.sum()),
        "wrongKept": int((wrong & shown).sum()),
        "number": (np.flatnonzero(shown) + 1).tolist(),
        "line": None if evidence.lines is None else evidence.lines[shown].tolist(),
        "text": _texts(evidence, shown),
        "spans": {
            "sentence": place[spans.sentence[inside]].tolist(),
            "start": spans.start[inside].tolist(),
            "length": spans.length[inside].tolist(),
            "type": spans.type[inside].tolist(),
            "gold": spans.is_gold[inside].astype(int).tolist(),
        },
        "codes": {facet: codes[inside].tolist() for facet, codes in spans.codes.items()},
        "outcomes": [_characters(row[inside]) for row in spans.outcome],
        "mates": [_renumbered(pairs, inside) for pairs in spans.mates],
        "tokens": [
            _wrong_tokens(ledger, shown, place)
            for unit, ledger in evidence.ledgers.items()
            if unit != MENTION
        ],
    }


def _no_sentences(evidence: Evidence, total: int) -> PageSentence:
    """Empty columns, for results that keep only sums."""
    runs = evidence.runs
    return {
        "total": total,
        "wrong": 0,
        "wrongKept": 0,
        "number": [],
        "line": None,
        "text": None,
        "spans": {"sentence": [], "start": [], "length": [], "type": [], "gold": []},
        "codes": {},
        "tokens": [],
        "outcomes": ["" for _ in runs],
        "mates": [[] for _ in runs],
    }


def token_count(evidence: Evidence) -> int | None:
    """The number of tokens of a dataset, if it is known."""
    known = evidence.ledgers.get(TOKEN if evidence.folded is None else f"{TOKEN}/all")
    if known is not None:
        gold = known.gold
        return len(gold) if gold.weight is None else int(gold.weight.sum())
    texts = evidence.texts
    return None if texts is None else sum(text.count(TOKEN_JOIN) + 1 for text in texts)


def _has_error(evidence: Evidence, spans: Spans) -> Bools:
    """Which sentences have a mention or a token that some run gets wrong."""
    wrong = np.zeros(len(evidence.documents), bool)
    wrong[spans.sentence[_is_wrong(spans.outcome).any(axis=0)]] = True
    for unit, ledger in evidence.ledgers.items():
        if unit != MENTION:
            wrong[ledger.gold.sentence[_token_errors(ledger).any(axis=0)]] = True
    return wrong


def _is_wrong(outcome: Ints) -> Bools:
    wrong: Bools = (outcome != ABSENT) & (outcome != CORRECT)
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


def _shown_sentences(
    evidence: Evidence, spans: Spans, wrong: Bools, order: Ints, budget: Budget
) -> Bools:
    """Which sentences are shown: those with errors first, balanced over kinds of error."""
    turn = np.empty(len(order), np.int64)
    turn[order] = np.arange(len(order))
    with_error = np.flatnonzero(wrong)
    best = with_error[
        np.lexsort((turn[with_error], _best_place(evidence, spans, turn)[with_error]))
    ]
    queue = np.concatenate([best, order[~wrong[order]][:_RIGHT]])
    sizes = _sizes(evidence, spans)
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
    for row in spans.outcome:
        chosen = np.flatnonzero(_is_wrong(row))
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


def _texts(evidence: Evidence, shown: Bools) -> list[str | list[str]] | None:
    """The tokens of each sentence, joined by blanks unless a token contains one."""
    if evidence.texts is None:
        return None
    texts = [evidence.texts[sentence] for sentence in np.flatnonzero(shown).tolist()]
    return [
        text.split(TOKEN_JOIN) if " " in text else text.replace(TOKEN_JOIN, " ") for text in texts
    ]


def _characters(codes: Ints) -> str:
    """One digit per code."""
    digits = np.where(codes == ABSENT, ord(_ABSENT_CHARACTER), codes + ord("0"))
    return digits.astype(np.uint8).tobytes().decode()


def _renumbered(pairs: Ints, inside: Bools) -> list[list[int]]:
    """Pairs of spans by their indices among the spans on the page."""
    numbers = np.cumsum(inside) - 1
    both = inside[pairs[:, 0]] & inside[pairs[:, 1]]
    shown: list[list[int]] = numbers[pairs[both]].tolist()
    return shown


def _wrong_tokens(ledger: Ledger, shown: Bools, place: Ints) -> PageTokens:
    """The tokens that some run gets wrong: sentence, codes, and the runs."""
    errors = _token_errors(ledger)
    chosen = np.flatnonzero(errors.any(axis=0) & shown[ledger.gold.sentence])
    return {
        "sentence": place[ledger.gold.sentence[chosen]].tolist(),
        "codes": {facet: codes[chosen].tolist() for facet, codes in ledger.gold.codes.items()},
        "wrong": [_characters(row[chosen].astype(np.int8)) for row in errors],
    }
