"""The second pass: a chunk of gold and system sentences becomes ledgers."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, cast

import numpy as np

from nerscope.corpus.arrays import Bools, Floats, Ints
from nerscope.corpus.corpus import Corpus
from nerscope.corpus.interning import Paths
from nerscope.corpus.lexicon import Lexicon
from nerscope.corpus.mentions import decode
from nerscope.evaluation.settings import Settings
from nerscope.facets.facet import INSIDE, MENTION, TOKEN, Facet
from nerscope.facets.view import TOKEN_MATCHES, Sentences, View, io_labels
from nerscope.scoring.ledger import Column, Ledger, Outcome, Units
from nerscope.scoring.matching import Matcher


class Plan(NamedTuple):
    """What to do with each chunk: small, fixed, the same for all chunks."""

    facets: Sequence[Facet]
    matches: Mapping[str, Matcher]
    settings: Settings
    surfaces: Paths
    lexicon: Lexicon | None
    types_of_surface: Ints

    def of_unit(self, unit: str) -> list[Facet]:
        """The facets that divide one kind of unit."""
        return [facet for facet in self.facets if facet.unit == unit]


def score_chunk(row: Sequence[Corpus], plan: Plan, first_sentence: int) -> dict[str, Ledger]:
    """Ledgers by unit for one chunk: gold first, then each run."""
    gold, *outputs = row
    sentences = Sentences(
        gold,
        gold.mentions(plan.settings.repair),
        plan.surfaces,
        plan.lexicon,
        plan.types_of_surface,
    )
    view = View(sentences, sentences.gold)
    found = [View(sentences, output.mentions(plan.settings.repair)) for output in outputs]
    ledgers = {MENTION: _mention_ledger(view, found, plan, first_sentence)}
    if plan.of_unit(INSIDE):
        ledgers[INSIDE] = _inside_ledger(view, found, plan, first_sentence)
    ledgers[TOKEN] = _token_ledger(view, gold, outputs, plan, first_sentence)
    return ledgers


def _mention_ledger(gold: View, found: Sequence[View], plan: Plan, first: int) -> Ledger:
    def units(view: View) -> Units:
        return Units(
            (view.sentence + first).astype(np.int32),
            view.mentions.type,
            {facet.name: facet.codes(view) for facet in plan.of_unit(MENTION)},
            surface=view.surface if plan.lexicon else None,
            start=(view.mentions.start - view.sentences.corpus.starts[view.sentence]).astype(
                np.int32
            ),
            length=(view.mentions.end - view.mentions.start).astype(np.int32),
        )

    def outcome(view: View) -> Outcome:
        pairs = {name: match(gold.mentions, view.mentions) for name, match in plan.matches.items()}
        n_gold, n_pred = len(gold.mentions), len(view.mentions)
        return Outcome(
            units(view),
            {
                name: _narrow(_scattered(pair.credit, pair.gold, n_gold))
                for name, pair in pairs.items()
            },
            {
                name: _narrow(_scattered(pair.credit, pair.pred, n_pred))
                for name, pair in pairs.items()
            },
            {name: _scattered(pair.kind, pair.gold, n_gold) for name, pair in pairs.items()},
            {name: _scattered(pair.kind, pair.pred, n_pred) for name, pair in pairs.items()},
        )

    return Ledger(units(gold), tuple(map(outcome, found)))


def _narrow(credit: Floats) -> Floats:
    """The same numbers in two or four bytes each, if they fit exactly, as 0, 0.5, 1 and counts do."""
    for kind in (np.float16, np.float32):
        if credit.max(initial=0) < np.finfo(kind).max and np.array_equal(
            small := credit.astype(kind), credit
        ):
            narrow: Any = small
            return cast(Floats, narrow)
    return credit


def _scattered(values: Column, at: Ints, size: int) -> Column:
    everyone = np.zeros(size, values.dtype)
    everyone[at] = values
    return everyone


def _inside_ledger(gold: View, found: Sequence[View], plan: Plan, first: int) -> Ledger:
    """Tokens inside mentions: right if the other side has the same type there."""

    def units(view: View) -> Units:
        sentence = np.repeat(view.sentence, view.mentions.end - view.mentions.start) + first
        return Units(
            sentence.astype(np.int32),
            view.token_types,
            {facet.name: facet.codes(view) for facet in plan.of_unit(INSIDE)},
        )

    def credit(view: View, other: Ints) -> dict[str, Floats]:
        return {"io": _narrow((other[view.positions] == view.token_types).astype(np.float64))}

    gold_types = io_labels(gold)
    runs = tuple(
        Outcome(units(view), credit(gold, io_labels(view)), credit(view, gold_types))
        for view in found
    )
    return Ledger(units(gold), runs)


def _token_ledger(
    view: View, gold: Corpus, outputs: Sequence[Corpus], plan: Plan, first: int
) -> Ledger:
    """All tokens, as one row for each sentence and combination of codes."""
    facets = plan.of_unit(TOKEN)
    codes = {facet.name: facet.codes(view) for facet in facets}
    cell = np.repeat(np.arange(len(gold)), np.diff(gold.starts))
    size = len(gold)
    for facet in facets:
        cell, size = cell * facet.n_codes + codes[facet.name], size * facet.n_codes
    weight = np.bincount(cell, minlength=size)
    used = np.flatnonzero(weight)

    gold_labels = (
        {name: _token_labels(gold, view.sentences, name, plan) for name in TOKEN_MATCHES}
        if facets
        else {}
    )

    def credit(right: Bools) -> Floats:
        return _narrow(np.bincount(cell[right], minlength=size)[used].astype(np.float64))

    def outcome(output: Corpus) -> Outcome:
        credits = {"label": credit(gold.labels == output.labels)}
        if facets:
            for name, labels in gold_labels.items():
                credits[name] = credit(labels == _token_labels(output, view.sentences, name, plan))
        nothing = Units(
            np.zeros(0, np.int32),
            np.zeros(0, np.int16),
            {name: np.zeros(0, np.int8) for name in codes},
        )
        return Outcome(nothing, credits, {name: np.zeros(0) for name in credits})

    rows, rest = {}, used
    for facet in reversed(facets):
        rest, code = np.divmod(rest, facet.n_codes)
        rows[facet.name] = code.astype(np.int8)
    units = Units(
        (rest + first).astype(np.int32),
        np.zeros(len(used), np.int8),
        rows,
        weight[used].astype(np.int32),
    )
    return Ledger(units, tuple(map(outcome, outputs)))


def _token_labels(corpus: Corpus, sentences: Sentences, match: str, plan: Plan) -> Ints:
    """What is compared token by token. Without boundaries there is nothing to repair: io takes
    labels as conlleval does.
    """
    repair = "conlleval" if match == "io" else plan.settings.token_repair
    mentions = decode(corpus.labels, corpus.starts, corpus.coding.labels, repair)
    return TOKEN_MATCHES[match](View(sentences, mentions))
