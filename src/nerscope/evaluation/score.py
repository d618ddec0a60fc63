"""Score a chunk: make the rows of ledgers from the sentences of gold and of all runs."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, pairwise
from typing import Any, NamedTuple, cast

import numpy as np

from nerscope.codec import serialisable
from nerscope.corpus.arrays import Bools, Floats, Ints, Objects, expand_ranges
from nerscope.corpus.corpus import Corpus, ReadingNotes
from nerscope.corpus.mentions import CONLLEVAL, shape_column, token_runs
from nerscope.corpus.records import Records
from nerscope.corpus.units import INSIDE, MENTION, TOKEN
from nerscope.corpus.vocabulary import (
    NO_SEQUENCES,
    SequenceTrie,
    SpelledSequences,
    join_sequences,
    spell_sequences,
)
from nerscope.evaluation.plan import Plan
from nerscope.facets.facet import Sentences, View
from nerscope.formats.align import side_by_side
from nerscope.formats.shards import Shard
from nerscope.formats.source import LabelStyle, require_tokens
from nerscope.scoring.error_sample import (
    SampleFilter,
    ScoredErrors,
    ScoredRun,
    ScoredSide,
    joined_errors,
    score_errors,
)
from nerscope.scoring.evidence import (
    TOKEN_JOIN,
    Column,
    GluedTokens,
    Ledger,
    Output,
    Units,
    merged,
    moved,
)
from nerscope.scoring.matching import EXACT, IO, LABEL, TOKEN_MATCHES, io_labels

FOLD_ABOVE = (
    120_000  # sentences; larger corpora are stored as sums, without words and single mentions
)


@serialisable
@dataclass(frozen=True, slots=True, eq=False)
class ScoredSentences:
    """The ledgers of some consecutive sentences, in codes that any process can translate.

    A type is an index into `types`. A surface is its code in the plan; -1 means unknown. Surfaces
    that are not in the plan have no common code yet, because other workers find new surfaces at the
    same time. The k-th new surface has the code -2 - k, and its words are in `new_surfaces`.

    Example: the plan has "Ada" = 0 and "New York" = 2 (1 is its prefix, "New"). A run predicts
    "Ada", "Oslo", "New York", "Rome", "Oslo". Its surface column is 0 -2 2 -3 -2, and
    `new_surfaces` holds "Oslo" (k = 0), then "Rome" (k = 1). If these sentences are joined after
    others with three new surfaces, the column becomes 0 -5 2 -6 -5. At the end `EvidenceBuilder`
    gives "Oslo" and "Rome" the next free codes.
    """

    ledgers: Mapping[str, Ledger]
    sentences: int
    tokens: int
    reading_notes: tuple[Mapping[str, ReadingNotes], ...]  # of gold, then of each run, by file
    declared_schemes: tuple[str | None, ...]  # schemes that files declare
    types: tuple[str, ...]
    new_surfaces: SpelledSequences
    documents: Ints  # of each sentence, numbered from 0 in these sentences
    has_document_marks: bool  # whether the format marks documents, even if there is only one
    lines: Ints  # the first line of each sentence
    has_line_per_token: bool  # whether each token has its own line
    texts: tuple[str, ...] | None  # of each sentence, joined by TOKEN_JOIN
    record_ids: tuple[str | None, ...] | None  # of the record of each sentence of gold
    record_names: tuple[str | None, ...] | None  # in messages
    are_flat: tuple[bool, ...]  # whether no mentions of gold, then of each run, overlap
    # Where results may be folded and words are not kept; else they are scored when folding.
    errors: ScoredErrors | None = None
    begins_file: bool = False  # whether the first sentence is the first of a file
    glued: GluedTokens | None = None  # if texts are kept, and their blanks are known


class ScoreRequest(NamedTuple):
    """A shard to score, and whether to return the words of its sentences."""

    shard: Shard
    with_words: bool


def score_shard(plan: Plan, request: ScoreRequest) -> ScoredSentences:
    """Read and score a shard; engines run this function."""
    shard_plan = replace(plan, keeps_words=plan.keeps_words and request.with_words)
    scored = join_scores(list(score_chunks(shard_plan, request.shard)))
    return replace(scored, begins_file=not request.shard[0].continues_document)


def score_chunks(plan: Plan, shard: Shard) -> Iterator[ScoredSentences]:
    """Read a shard chunk by chunk, and score each chunk."""
    tokens, repair = plan.needs_tokens or plan.keeps_words, plan.settings.repair
    sentences, sample = 0, SampleFilter()
    for row in side_by_side(shard, plan.coding, tokens=tokens, repair=repair):
        sentences += len(row[0])
        if plan.keeps_words and not needs_words(plan, sentences):
            plan = replace(plan, keeps_words=False)
        yield score_chunk(plan, row, sample)


def needs_words(plan: Plan, sentences: int) -> bool:
    """Whether results may contain words after so many sentences; folded results do not."""
    return plan.settings.fold is False or sentences <= FOLD_ABOVE


def join_scores(parts: Sequence[ScoredSentences]) -> ScoredSentences:
    """Join consecutive sentences; types must have the same codes in all parts."""
    if len(parts) == 1:
        return parts[0]
    last = parts[-1]
    ledgers: dict[str, list[Ledger]] = {unit: [] for unit in last.ledgers}
    sentences = surfaces = 0
    for part in parts:
        for unit, ledger in part.ledgers.items():
            moved_on = moved(ledger, sentences)
            ledgers[unit].append(
                _renumber_new_surfaces(moved_on, surfaces) if unit == MENTION else moved_on
            )
        sentences += part.sentences
        surfaces += len(part.new_surfaces.ends)
    texts = [part.texts for part in parts if part.texts is not None]
    return ScoredSentences(
        {unit: merged(ledgers_of_unit) for unit, ledgers_of_unit in ledgers.items()},
        sentences,
        sum(part.tokens for part in parts),
        tuple(map(join_reading_notes, zip(*(part.reading_notes for part in parts), strict=True))),
        last.declared_schemes,
        last.types,
        join_sequences([part.new_surfaces for part in parts]),
        np.concatenate([part.documents for part in parts]),
        any(part.has_document_marks for part in parts),
        np.concatenate([part.lines for part in parts]),
        all(part.has_line_per_token for part in parts),
        tuple(chain.from_iterable(texts)) if len(texts) == len(parts) else None,
        _joined_names([(part.record_ids, part.sentences) for part in parts]),
        _joined_names([(part.record_names, part.sentences) for part in parts]),
        tuple(map(all, zip(*(part.are_flat for part in parts), strict=True))),
        _joined_errors(parts),
        glued=_joined_glued(parts),
    )


def _joined_errors(parts: Sequence[ScoredSentences]) -> ScoredErrors | None:
    if any(part.errors is None for part in parts):
        return None
    before = np.cumsum([0, *(part.sentences for part in parts)]).tolist()
    errors = (part.errors for part in parts if part.errors is not None)
    return joined_errors(list(zip(before, errors, strict=False)))


def _joined_glued(parts: Sequence[ScoredSentences]) -> GluedTokens | None:
    """The glued tokens of consecutive sentences; None if those of some sentences are unknown."""
    moved, sentences = list[GluedTokens](), 0
    for part in parts:
        if part.glued is None:
            return None
        moved.append(part.glued.moved(sentences))
        sentences += part.sentences
    return GluedTokens(*map(np.concatenate, zip(*moved, strict=True)))


_Names = tuple[str | None, ...] | None


def _joined_names(parts: Sequence[tuple[_Names, int]]) -> _Names:
    """The names of records of consecutive sentences; each part has its number of sentences."""
    if all(names is None for names, _ in parts):
        return None
    return tuple(chain.from_iterable(names or (None,) * size for names, size in parts))


def join_reading_notes(parts: Iterable[Mapping[str, ReadingNotes]]) -> dict[str, ReadingNotes]:
    """The notes on each file, combined from the notes on its parts."""
    total: dict[str, ReadingNotes] = {}
    for part in parts:
        for name, reading in part.items():
            total[name] = total[name] + reading if name in total else reading
    return total


def _renumber_new_surfaces(ledger: Ledger, by: int) -> Ledger:
    """The ledger with its new surfaces numbered after `by` others: -2 - k becomes -2 - k - by."""
    return recode_surfaces(ledger, lambda surface: np.where(surface < -1, surface - by, surface))


def recode_surfaces(ledger: Ledger, change: Callable[[Ints], Ints]) -> Ledger:
    """The ledger with its surface codes changed, if it has any."""

    def changed(units: Units) -> Units:
        codes = units.surface
        return units if codes is None else replace(units, surface=change(codes))

    runs = tuple(replace(run, pred=changed(run.pred)) for run in ledger.runs)
    return Ledger(changed(ledger.gold), runs)


def score_chunk(
    plan: Plan, row: Sequence[Corpus], sample: SampleFilter | None = None
) -> ScoredSentences:
    """Score a chunk: `row` holds the same sentences of gold, then of each run.

    `sample` knows the sentences of earlier chunks that folded results would keep.
    """
    gold, *outputs = row
    if plan.needs_tokens:
        require_tokens(gold)
    repair = plan.settings.repair
    mentions_by_side = [
        corpus.mentions(repair, style.scheme)
        for corpus, style in zip(row, plan.label_styles, strict=True)
    ]
    sentences = Sentences(
        gold, mentions_by_side[0], plan.surfaces, plan.lexicon, plan.types_of_surface
    )
    views = [View(sentences, mentions) for mentions in mentions_by_side]
    surfaces, new_surfaces = (
        _surface_codes(views) if plan.lexicon else ([None] * len(views), NO_SEQUENCES)
    )
    ledgers = {MENTION: _mention_ledger(views, surfaces, plan)}
    if plan.facets_of_unit(INSIDE):
        ledgers[INSIDE] = _inside_ledger(views, plan)
    if plan.is_flat:
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
        tuple(gold.texts(TOKEN_JOIN, _shown)) if plan.keeps_words and len(gold.tokens) else None,
        *_names_of_records(gold.records, plan),
        tuple(corpus.is_flat for corpus in row),
        _errors_of_chunk(views, ledgers[MENTION], sample, plan) if sample else None,
        glued=_glued_tokens(sentences) if plan.keeps_words else None,
    )


def _errors_of_chunk(
    views: Sequence[View], ledger: Ledger, sample: SampleFilter, plan: Plan
) -> ScoredErrors | None:
    """The errors of a chunk, with the words of the sentences that its sample needs."""
    if plan.keeps_words or not plan.keeps_errors:
        return None
    gold, *preds = (ScoredSide(view.mentions, view.sentence, view.names) for view in views)
    corpus = views[0].sentences.corpus
    errors = score_errors(gold, scored_runs(preds, ledger), places_of(corpus), sample)
    if not plan.settings.texts or not corpus.has_words:
        return errors
    return errors._replace(texts=_texts_of(corpus, errors.sentence))


def scored_runs(preds: Sequence[ScoredSide], ledger: Ledger) -> list[ScoredRun]:
    """The predictions of all runs, with what is right by the exact match of a ledger."""
    return [
        ScoredRun(side, run.gold_credit[EXACT] == 1, run.pred_credit[EXACT] == 1)
        for side, run in zip(preds, ledger.runs, strict=True)
    ]


def places_of(corpus: Corpus) -> tuple[str, Ints]:
    """The name of a file, and the line of each sentence."""
    return corpus.name, corpus.lines[corpus.starts[:-1]]


def _texts_of(corpus: Corpus, sentences: Ints) -> tuple[str, ...]:
    """The text of some sentences, as results have it."""
    begins, ends = corpus.starts[sentences], corpus.starts[sentences + 1]
    words = list(map(_shown, corpus.words_at(expand_ranges(begins, ends))))
    edges = [0, *np.cumsum(ends - begins).tolist()]
    return tuple(TOKEN_JOIN.join(words[begin:end]) for begin, end in pairwise(edges))


def _glued_tokens(sentences: Sentences) -> GluedTokens | None:
    gold = sentences.corpus
    if gold.gaps is None:
        return None
    is_glued = np.equal(gold.gaps, "").astype(bool)
    is_glued[gold.starts[:-1]] = False
    tokens = np.flatnonzero(is_glued)
    sentence = sentences.of_token[tokens].astype(np.int64)
    return GluedTokens(sentence, tokens - gold.starts[sentence])


def _shown(token: str) -> str:
    """The token in results; U+001F, which separates tokens there, is replaced by its symbol."""
    return token.replace(TOKEN_JOIN, "\u241f")


def _names_of_records(records: Records | None, plan: Plan) -> tuple[_Names, _Names]:
    """The ids and names of records; like words, they are not kept for large files."""
    if records is None or not plan.keeps_words:
        return None, None
    ids, names = (
        None if column is None else tuple(column.tolist())
        for column in (records.ids, records.names)
    )
    return ids, names


def _has_line_a_token(gold: Corpus, lines: Ints) -> bool:
    steps = np.arange(gold.n_tokens) + np.repeat(lines - gold.starts[:-1], np.diff(gold.starts))
    return np.array_equal(gold.lines, steps)


def _surface_codes(views: Sequence[View]) -> tuple[list[Ints], SpelledSequences]:
    """The surface codes of gold and each run, and the words of surfaces that are not in the plan.

    See `ScoredSentences` for an example.
    """
    tokens, trie = views[0].sentences.corpus.tokens, SequenceTrie()
    # Maps the code of a new surface in the trie, which also numbers prefixes, to k.
    codes, ranks = [], dict[int, int]()
    for view in views:
        surface = view.written_surface.astype(np.int64)
        unknown = np.flatnonzero(surface < 0)
        if len(unknown):
            new = trie.codes(*token_runs(tokens, view.mentions[unknown]))
            numbers = [ranks.setdefault(code, len(ranks)) for code in new.tolist()]
            surface[unknown] = -2 - np.array(numbers)
        codes.append(surface)
    sequences = [trie.sequence(code) for code in ranks]
    flat = np.array([token for sequence in sequences for token in sequence], np.int64)
    ends = np.cumsum([len(sequence) for sequence in sequences], dtype=np.int64)
    return codes, spell_sequences(views[0].sentences.corpus.coding.tokens, flat, ends)


def _mention_ledger(views: Sequence[View], surfaces: Sequence[Ints | None], plan: Plan) -> Ledger:
    gold = views[0]

    def units(view: View, surface: Ints | None) -> Units:
        starts = view.sentences.corpus.starts[view.sentence]
        return Units(
            view.sentence.astype(np.int32),
            view.mentions.type,
            {facet.name: facet.checked_codes(view) for facet in plan.facets_of_unit(MENTION)},
            surface=surface,
            start=(view.mentions.start - starts).astype(np.int32),
            length=(view.mentions.end - view.mentions.start).astype(np.int32),
            shape=_shapes_to_store(view.mentions.shape, plan.settings.texts),
        )

    def judged(view: View, surface: Ints | None) -> Output:
        names = gold.names, view.names
        pairs = {match.name: match(gold.mentions, view.mentions, names) for match in plan.matches}
        n_gold, n_pred = len(gold.mentions), len(view.mentions)
        return Output(
            units(view, surface),
            {
                name: _narrow(_scatter(pair.credit, pair.gold, n_gold))
                for name, pair in pairs.items()
            },
            {
                name: _narrow(_scatter(pair.credit, pair.pred, n_pred))
                for name, pair in pairs.items()
            },
            {name: _scatter(pair.kind, pair.gold, n_gold) for name, pair in pairs.items()},
            {name: _scatter(pair.kind, pair.pred, n_pred) for name, pair in pairs.items()},
        )

    runs = tuple(map(judged, views[1:], surfaces[1:]))
    return Ledger(units(gold, surfaces[0]), runs)


def _shapes_to_store(shape: Objects | None, texts: bool) -> Objects | None:
    """The shapes of mentions, without their words if results must not contain text."""
    if shape is None or texts:
        return shape
    return shape_column([mention._replace(predicted_text="") for mention in shape])


def _narrow(credit: Floats) -> Floats:
    """The same numbers in two or four bytes each if that is exact, such as 0, 0.5 and counts."""
    for kind in (np.float16, np.float32):
        with np.errstate(over="ignore"):  # a number that is too large becomes infinite, and differs
            small = credit.astype(kind)
        if np.array_equal(small, credit):
            narrow: Any = small
            return cast(Floats, narrow)
    return credit


def _scatter(values: Column, at: Ints, size: int) -> Column:
    # A match lists only the units in a pair; all other units have credit 0.
    column = np.zeros(size, values.dtype)
    column[at] = values
    return column


def _inside_ledger(views: Sequence[View], plan: Plan) -> Ledger:
    """The tokens inside mentions: correct if the other side has the same type there."""
    size = views[0].sentences.corpus.n_tokens

    def units(view: View) -> Units:
        return Units(
            np.repeat(view.sentence, view.mentions.lengths).astype(np.int32),
            view.token_types,
            {facet.name: facet.checked_codes(view) for facet in plan.facets_of_unit(INSIDE)},
        )

    def credit(view: View, other: Ints) -> dict[str, Floats]:
        return {IO: _narrow((other[view.positions] == view.token_types).astype(np.float64))}

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

    Example: one facet has two codes, a sentence has five tokens with the codes 0 1 1 0 0, and the
    second token of a run is wrong. The sentence has two rows: code 0 with weight 3 and credit 3,
    code 1 with weight 2 and credit 1. `cell` numbers the combinations sentence by sentence. So the
    weights are one `bincount` over all tokens, and the credits are the weights minus a `bincount`
    over the few wrong tokens.

    Instead of predictions, a run has its wrong tokens, each with its sentence, position and codes,
    so that they can be shown. No metric of tokens counts predictions.
    """
    facets = plan.facets_of_unit(TOKEN)
    codes = {facet.name: facet.checked_codes(view) for facet in facets}
    cell, size = view.sentences.of_token, len(gold)
    for facet in facets:
        size *= facet.n_codes
        cell = cell.astype(np.int32 if size < 1 << 31 else np.int64, copy=False)
        cell = cell * facet.n_codes + codes[facet.name]
    weight = np.bincount(cell, minlength=size) if facets else view.sentences.lengths
    used = np.flatnonzero(weight)
    gold_labels = token_labels(gold, plan.label_styles[0], plan) if facets else None

    def credit(right: Bools) -> Floats:
        wrong = np.bincount(cell[np.flatnonzero(~right)], minlength=size)
        return _narrow((weight - wrong)[used].astype(np.float64))

    def judged(output: Corpus, style: LabelStyle) -> Output:
        credits = {LABEL: credit(_same_label(gold, output))}
        wrong = np.zeros(0, np.int64)
        if gold_labels is not None:
            right = gold_labels == token_labels(output, style, plan)
            credits[plan.settings.token_match] = credit(right)
            wrong = np.flatnonzero(~right)
        sentence = view.sentences.of_token[wrong].astype(np.int32)
        units = Units(
            sentence,
            np.zeros(len(wrong), np.int16),
            {name: code[wrong] for name, code in codes.items()},
            start=(wrong - gold.starts[sentence]).astype(np.int32),
            length=np.ones(len(wrong), np.int32),
        )
        return Output(units, credits, {name: np.zeros(len(wrong), np.int8) for name in credits})

    # `cell` is a number with mixed radix: division yields the codes, last facet first, and finally
    # the sentence.
    rows, quotient = dict[str, Ints](), used
    for facet in reversed(facets):
        quotient, code = np.divmod(quotient, facet.n_codes)
        rows[facet.name] = code.astype(np.int8 if facet.n_codes < 128 else np.int16)
    weights = weight[used].astype(np.int32)
    units = Units(quotient.astype(np.int32), np.zeros(len(used), np.int8), rows, weights)
    return Ledger(units, tuple(map(judged, outputs, plan.label_styles[1:])))


def _same_label(gold: Corpus, output: Corpus) -> Bools:
    labels = gold.coding.labels
    plain = not (labels.renames or labels.dropped)
    if plain and gold.labels is not None and output.labels is not None:
        same: Bools = gold.labels == output.labels
        return same
    (role, kind), (other_role, other_kind) = gold.roles_and_types(), output.roles_and_types()
    right: Bools = (role == other_role) & (kind == other_kind)
    return right


def token_labels(corpus: Corpus, style: LabelStyle, plan: Plan) -> Ints:
    """The labels that are compared token by token, after `token_match` and `token_repair`.

    The match `io` ignores boundaries, so the repair has no effect and conlleval is used.
    """
    match = plan.settings.token_match
    repair = CONLLEVAL if match == IO else plan.settings.token_repair
    return TOKEN_MATCHES[match](corpus.mentions(repair, style.scheme), corpus.n_tokens)
