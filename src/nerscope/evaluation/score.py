"""The second pass: a chunk of gold and system sentences becomes a part of the ledgers."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any, NamedTuple, cast

import numpy as np

from nerscope.codec import serialisable
from nerscope.corpus.arrays import Bools, Floats, Ints, Objects
from nerscope.corpus.corpus import Corpus, ReadingNotes
from nerscope.corpus.interning import SequenceTrie
from nerscope.corpus.mentions import shape_column, token_runs
from nerscope.corpus.units import INSIDE, MENTION, TOKEN
from nerscope.corpus.vocabulary import (
    NO_SEQUENCES,
    SpelledSequences,
    join_sequences,
    spell_sequences,
)
from nerscope.evaluation.plan import LABEL, Plan
from nerscope.facets.view import Sentences, View
from nerscope.formats.align import side_by_side
from nerscope.formats.shards import Shard, begins_file
from nerscope.formats.source import LabelStyle, require_tokens
from nerscope.scoring.evidence import TOKEN_JOIN
from nerscope.scoring.ledger import Column, Ledger, Output, Units, merged, moved
from nerscope.scoring.token_matches import TOKEN_MATCHES, io_labels

MOST_MENTIONED = 120_000  # sentences; of larger corpora, neither text nor single mentions are kept


@serialisable
@dataclass(frozen=True, slots=True, eq=False)
class ScoredSentences:
    """What scoring some sentences gave; what is scored adds up, whoever scored it.

    Types are places in `types`, and surfaces are codes of the plan: the k-th of those that it does
    not know has the code -2 - k.
    """

    ledgers: Mapping[str, Ledger]
    sentences: int
    tokens: int
    readings: tuple[Mapping[str, ReadingNotes], ...]  # of gold, then of each run, by file
    told: tuple[str | None, ...]  # the schemes that somebody said they are in
    types: tuple[str, ...]
    new_surfaces: SpelledSequences
    documents: Ints  # of each sentence, as far as they are told apart in these sentences
    marked: bool  # whether they are known to be documents, be there one or many, as texts are
    lines: Ints  # the first of each sentence
    line_a_token: bool  # whether each token stands on a line of its own
    texts: tuple[str, ...] | None  # of each sentence, joined by TOKEN_JOIN
    begins_file: bool = False  # whether the first of them is the first of a file


class ScoreRequest(NamedTuple):
    """A piece to be scored, and whether its words may be kept."""

    piece: Shard
    words: bool


def score_piece(plan: Plan, asked: ScoreRequest) -> ScoredSentences:
    """Read and score a piece of the data."""
    own = replace(plan, with_words=plan.with_words and asked.words)
    scored = joined_scores(list(score_rows(own, asked.piece)))
    return replace(scored, begins_file=begins_file(asked.piece))


def score_rows(plan: Plan, piece: Shard) -> Iterator[ScoredSentences]:
    """Read a piece chunk by chunk, and score each."""
    tokens, repair = plan.needs_tokens or plan.with_words, plan.settings.repair
    sentences = 0
    for row in side_by_side(piece, plan.coding, tokens=tokens, repair=repair):
        sentences += len(row[0])
        if plan.with_words and not may_keep_words(plan, sentences):
            plan = replace(plan, with_words=False)
        yield score_chunk(plan, row)


def may_keep_words(plan: Plan, sentences: int) -> bool:
    """Whether words are of any use where there are so many sentences: sums have none."""
    return plan.settings.fold is False or sentences <= MOST_MENTIONED


def joined_scores(parts: Sequence[ScoredSentences]) -> ScoredSentences:
    """What consecutive sentences say together; types must have the same codes in all parts."""
    if len(parts) == 1:
        return parts[0]
    last = parts[-1]
    ledgers: dict[str, list[Ledger]] = {unit: [] for unit in last.ledgers}
    sentences = surfaces = 0
    for part in parts:
        for unit, ledger in part.ledgers.items():
            moved_on = moved(ledger, sentences)
            ledgers[unit].append(_renumbered(moved_on, surfaces) if unit == MENTION else moved_on)
        sentences += part.sentences
        surfaces += len(part.new_surfaces.ends)
    texts = [part.texts for part in parts if part.texts is not None]
    return ScoredSentences(
        {unit: merged(own) for unit, own in ledgers.items()},
        sentences,
        sum(part.tokens for part in parts),
        tuple(map(joined_readings, zip(*(part.readings for part in parts), strict=True))),
        last.told,
        last.types,
        join_sequences([part.new_surfaces for part in parts]),
        np.concatenate([part.documents for part in parts]),
        any(part.marked for part in parts),
        np.concatenate([part.lines for part in parts]),
        all(part.line_a_token for part in parts),
        tuple(chain.from_iterable(texts)) if len(texts) == len(parts) else None,
    )


def joined_readings(parts: Iterable[Mapping[str, ReadingNotes]]) -> dict[str, ReadingNotes]:
    """What was noticed in each file, from what was noticed in its parts."""
    total: dict[str, ReadingNotes] = {}
    for part in parts:
        for name, reading in part.items():
            total[name] = total[name] + reading if name in total else reading
    return total


def _renumbered(ledger: Ledger, by: int) -> Ledger:
    """The ledger with new surfaces that are counted behind so many others."""
    return with_surfaces(ledger, lambda surface: np.where(surface < -1, surface - by, surface))


def with_surfaces(ledger: Ledger, change: Callable[[Ints], Ints]) -> Ledger:
    """The ledger with other codes for its surfaces, if it has any."""

    def changed(units: Units) -> Units:
        known = units.surface
        return units if known is None else replace(units, surface=change(known))

    runs = tuple(replace(run, pred=changed(run.pred)) for run in ledger.runs)
    return Ledger(changed(ledger.gold), runs)


def score_chunk(plan: Plan, row: Sequence[Corpus]) -> ScoredSentences:
    """Score the runs of a chunk: gold comes first in the row."""
    gold, *outputs = row
    if plan.needs_tokens:
        require_tokens(gold)
    repair = plan.settings.repair
    found = [
        corpus.mentions(repair, nature.scheme)
        for corpus, nature in zip(row, plan.natures, strict=True)
    ]
    sentences = Sentences(gold, found[0], plan.surfaces, plan.lexicon, plan.types_of_surface)
    views = [View(sentences, mentions) for mentions in found]
    surfaces, new_surfaces = (
        _surfaces(views) if plan.lexicon else ([None] * len(views), NO_SEQUENCES)
    )
    ledgers = {MENTION: _mention_ledger(views, surfaces, plan)}
    if plan.of_unit(INSIDE):
        ledgers[INSIDE] = _inside_ledger(views, plan)
    if plan.flat:
        ledgers[TOKEN] = _token_ledger(views[0], gold, outputs, plan)
    lines = gold.lines[gold.starts[:-1]]
    return ScoredSentences(
        ledgers,
        len(gold),
        gold.n_tokens,
        tuple({corpus.name: corpus.reading_notes} for corpus in row),
        tuple(corpus.declared_scheme.name if corpus.declared_scheme else None for corpus in row),
        tuple(plan.coding.labels.types),
        new_surfaces,
        gold.documents,
        gold.gaps is not None,
        lines,
        _has_line_a_token(gold, lines),
        tuple(gold.texts(TOKEN_JOIN)) if plan.with_words and len(gold.tokens) else None,
    )


def _has_line_a_token(gold: Corpus, lines: Ints) -> bool:
    steps = np.arange(gold.n_tokens) + np.repeat(lines - gold.starts[:-1], np.diff(gold.starts))
    return np.array_equal(gold.lines, steps)


def _surfaces(views: Sequence[View]) -> tuple[list[Ints], SpelledSequences]:
    """The surface codes of all mentions; new ones are counted, and spelt out."""
    tokens, own = views[0].sentences.corpus.tokens, SequenceTrie()
    codes, firsts = [], dict[int, int]()
    for view in views:
        surface = view.surface.astype(np.int64)
        unknown = np.flatnonzero(surface < 0)
        if len(unknown):
            new = own.codes(*token_runs(tokens, view.mentions[unknown]))
            numbers = [firsts.setdefault(code, len(firsts)) for code in new.tolist()]
            surface[unknown] = -2 - np.array(numbers)
        codes.append(surface)
    parts = [own.sequence(code) for code in firsts]
    flat = np.array([token for part in parts for token in part], np.int64)
    ends = np.cumsum([len(part) for part in parts], dtype=np.int64)
    return codes, spell_sequences(views[0].sentences.corpus.coding.tokens, flat, ends)


def _mention_ledger(views: Sequence[View], surfaces: Sequence[Ints | None], plan: Plan) -> Ledger:
    gold = views[0]

    def units(view: View, surface: Ints | None) -> Units:
        starts = view.sentences.corpus.starts[view.sentence]
        return Units(
            view.sentence.astype(np.int32),
            view.mentions.type,
            {facet.name: facet.checked_codes(view) for facet in plan.of_unit(MENTION)},
            surface=surface,
            start=(view.mentions.start - starts).astype(np.int32),
            length=(view.mentions.end - view.mentions.start).astype(np.int32),
            shape=_kept_shapes(view.mentions.shape, plan.settings.texts),
        )

    def judged(view: View, surface: Ints | None) -> Output:
        pairs = {match.name: match(gold.mentions, view.mentions) for match in plan.matches}
        n_gold, n_pred = len(gold.mentions), len(view.mentions)
        return Output(
            units(view, surface),
            {
                name: _narrow(_scattered(own.credit, own.gold, n_gold))
                for name, own in pairs.items()
            },
            {
                name: _narrow(_scattered(own.credit, own.pred, n_pred))
                for name, own in pairs.items()
            },
            {name: _scattered(own.kind, own.gold, n_gold) for name, own in pairs.items()},
            {name: _scattered(own.kind, own.pred, n_pred) for name, own in pairs.items()},
        )

    runs = tuple(map(judged, views[1:], surfaces[1:]))
    return Ledger(units(gold, surfaces[0]), runs)


def _kept_shapes(shape: Objects | None, texts: bool) -> Objects | None:
    """The shapes of mentions, without what they say if no text is to be kept."""
    if shape is None or texts:
        return shape
    return shape_column([one._replace(predicted_text="") for one in shape])


def _narrow(credit: Floats) -> Floats:
    """The same numbers in two or four bytes each, if they fit exactly, as 0, 0.5 and counts do."""
    for kind in (np.float16, np.float32):
        with np.errstate(over="ignore"):  # what is too large is infinite, and so does not fit
            small = credit.astype(kind)
        if np.array_equal(small, credit):
            narrow: Any = small
            return cast(Floats, narrow)
    return credit


def _scattered(values: Column, at: Ints, size: int) -> Column:
    everyone = np.zeros(size, values.dtype)
    everyone[at] = values
    return everyone


def _inside_ledger(views: Sequence[View], plan: Plan) -> Ledger:
    """Tokens inside mentions: right if the other side has the same type there."""
    size = views[0].sentences.corpus.n_tokens

    def units(view: View) -> Units:
        return Units(
            np.repeat(view.sentence, view.mentions.lengths).astype(np.int32),
            view.token_types,
            {facet.name: facet.checked_codes(view) for facet in plan.of_unit(INSIDE)},
        )

    def credit(view: View, other: Ints) -> dict[str, Floats]:
        return {"io": _narrow((other[view.positions] == view.token_types).astype(np.float64))}

    gold = views[0]
    gold_types = io_labels(gold.mentions, size)
    runs = tuple(
        Output(
            units(view),
            credit(gold, io_labels(view.mentions, size)),
            credit(view, gold_types),
        )
        for view in views[1:]
    )
    return Ledger(units(gold), runs)


def _token_ledger(view: View, gold: Corpus, outputs: Sequence[Corpus], plan: Plan) -> Ledger:
    """All tokens, as one row for each sentence and combination of codes.

    Worked example: one facet with two codes, a sentence of five tokens with the codes 0 1 1 0 0,
    and a run that is wrong about the second token. The sentence gives two rows: code 0 with weight
    3 and credit 3, code 1 with weight 2 and credit 1. `cell` numbers the combinations sentence by
    sentence, so the weights are one `bincount` over all tokens, and the credits what another one
    over the wrong tokens, which are few, leaves of them.
    """
    facets = plan.of_unit(TOKEN)
    codes = {facet.name: facet.checked_codes(view) for facet in facets}
    cell, size = view.sentences.of_token, len(gold)
    for facet in facets:
        size *= facet.n_codes
        cell = cell.astype(np.int32 if size < 1 << 31 else np.int64, copy=False)
        cell = cell * facet.n_codes + codes[facet.name]
    weight = np.bincount(cell, minlength=size) if facets else view.sentences.lengths
    used = np.flatnonzero(weight)
    wanted = compared(gold, plan.natures[0], plan) if facets else None

    def credit(right: Bools) -> Floats:
        wrong = np.bincount(cell[np.flatnonzero(~right)], minlength=size)
        return _narrow((weight - wrong)[used].astype(np.float64))

    def judged(output: Corpus, nature: LabelStyle) -> Output:
        credits = {LABEL: credit(_same_label(gold, output))}
        if wanted is not None:
            right = wanted == compared(output, nature, plan)
            credits[plan.settings.token_match] = credit(right)
        empty = {name: np.zeros(0, np.int8) for name in codes}
        nothing = Units(np.zeros(0, np.int32), np.zeros(0, np.int16), empty)
        return Output(nothing, credits, {name: np.zeros(0) for name in credits})

    rows, rest = dict[str, Ints](), used
    for facet in reversed(facets):
        rest, code = np.divmod(rest, facet.n_codes)
        rows[facet.name] = code.astype(np.int8 if facet.n_codes < 128 else np.int16)
    weights = weight[used].astype(np.int32)
    units = Units(rest.astype(np.int32), np.zeros(len(used), np.int8), rows, weights)
    return Ledger(units, tuple(map(judged, outputs, plan.natures[1:])))


def _same_label(gold: Corpus, output: Corpus) -> Bools:
    labels = gold.coding.labels
    plain = not (labels.renames or labels.dropped)
    if plain and gold.labels is not None and output.labels is not None:
        same: Bools = gold.labels == output.labels
        return same
    (role, kind), (other_role, other_kind) = gold.roles_and_types(), output.roles_and_types()
    right: Bools = (role == other_role) & (kind == other_kind)
    return right


def compared(corpus: Corpus, nature: LabelStyle, plan: Plan) -> Ints:
    """What is compared token by token.

    Without boundaries there is nothing to repair: io takes labels as conlleval does.
    """
    match = plan.settings.token_match
    repair = "conlleval" if match == "io" else plan.settings.token_repair
    return TOKEN_MATCHES[match](corpus.mentions(repair, nature.scheme), corpus.n_tokens)
