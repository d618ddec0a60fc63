"""Evidence for and against gold at a place, as numbers that are comparable between places."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from nerscope.annotation.audit.material import LabelledText, Material, Output, Reliability
from nerscope.annotation.audit.places import Annotation, Place
from nerscope.corpus.arrays import Bools, Floats, Ints
from nerscope.corpus.lexicon import find_sequences
from nerscope.corpus.mentions import Mentions
from nerscope.corpus.text_keys import sentence_codes
from nerscope.corpus.vocabulary import SequenceTrie

OUTSIDE = -1  # the label of a span that is no mention
TYPE, BOUNDARY, MISSING, SPURIOUS = "type", "boundary", "missing", "spurious"
KINDS = (TYPE, BOUNDARY, MISSING, SPURIOUS)
_STRONGEST = 5.0  # of one kind of evidence, in nats
_LEAST_PROBABILITY = 1e-4


class Case(NamedTuple):
    """Gold at a place, and the alternative that most outputs support.

    `support` and `defence` are the weights of the outputs for the proposal and for gold; `lead` is
    the difference of the two among systems, or among recipes if there is no system.
    """

    place: Place
    proposal: Annotation
    support: float
    defence: float
    lead: float

    @property
    def kind(self) -> str:
        """What is wrong with gold if the proposal is right."""
        if not self.place.gold:
            return MISSING
        if not self.proposal:
            return SPURIOUS
        same = {span[:2] for span in self.place.gold} == {span[:2] for span in self.proposal}
        return TYPE if same else BOUNDARY


def make_case(place: Place, outputs: Sequence[Output], weights: Floats) -> Case | None:
    """The case of a place; None if all outputs agree with gold."""
    votes: dict[Annotation, float] = {}
    for answer, weight in zip(place.answers, weights.tolist(), strict=True):
        votes[answer] = votes.get(answer, 0.0) + weight
    votes.pop(place.gold, None)
    if not votes:
        return None
    proposal = max(votes, key=lambda answer: (votes[answer], answer))
    chances = [_Chances.of(place, output) for output in outputs]
    pairs = list(zip(chances, place.answers, strict=True))
    support = np.array([each.of_annotation(proposal, answer) for each, answer in pairs])
    defence = np.array([each.of_annotation(place.gold, answer) for each, answer in pairs])
    is_system = np.array([not output.is_recipe for output in outputs])
    main = weights * is_system if is_system.any() else weights
    lead = float(main @ (support - defence) / main.sum())
    return Case(place, proposal, float(weights @ support), float(weights @ defence), lead)


class _Chances(NamedTuple):
    """How probable annotations of a place are to one output; 0 or 1 without probabilities."""

    place: Place
    rows: Floats | None
    columns: dict[tuple[str, int], int]

    @classmethod
    def of(cls, place: Place, output: Output) -> "_Chances":
        known = output.probabilities
        if known is None:
            return cls(place, None, {})
        return cls(place, known.table[place.start : place.end], known.columns)

    def of_annotation(self, annotation: Annotation, answer: Annotation) -> float:
        """The lowest probability of a label that the annotation needs."""
        if self.rows is None:
            return float(annotation == answer)
        needed = [(OUTSIDE_LABEL, OUTSIDE)] * len(self.rows)
        for start, end, kind in annotation:
            for token in range(start, end):
                needed[token - self.place.start] = ("B" if token == start else "I", kind)
        chances = [
            float(row[self.columns[label]]) if label in self.columns else 0.0
            for row, label in zip(self.rows, needed, strict=True)
        ]
        return min(chances)


OUTSIDE_LABEL = "O"


class Changes(NamedTuple):
    """The spans that gold and the proposal label differently, for many cases."""

    case: Ints
    start: Ints
    end: Ints
    gold: Ints  # type, or OUTSIDE
    proposed: Ints


def changes_of(cases: Sequence[Case]) -> Changes:
    rows = []
    for number, case in enumerate(cases):
        gold = {(start, end): kind for start, end, kind in case.place.gold}
        new = {(start, end): kind for start, end, kind in case.proposal}
        for span in sorted({*gold, *new}):
            before, after = gold.get(span, OUTSIDE), new.get(span, OUTSIDE)
            if before != after:
                rows.append((number, *span, before, after))
    table = np.array(rows, np.int64).reshape(len(rows), 5)
    return Changes(*table.T)


class Counts(NamedTuple):
    """How often a text carries the label of gold, the proposed label, and any label or none."""

    gold: Ints
    proposed: Ints
    total: Ints

    @property
    def log_ratio(self) -> Floats:
        """How much more often the text carries the proposed label, in nats."""
        ratio: Floats = np.log((self.proposed + 1) / (self.gold + 1))
        return ratio


@dataclass(frozen=True, slots=True, eq=False)
class Usage:
    """How the text of each change is labelled at its other occurrences.

    `anywhere` counts gold and training data, `document` the same document, `twins` other sentences
    with the same text. `twin_token` is where a twin has the proposed label; -1 if none has.
    """

    anywhere: Counts
    document: Counts
    twins: Counts
    twin_token: Ints


def usage(changes: Changes, gold: LabelledText, training: Sequence[LabelledText]) -> Usage:
    """Count the other occurrences of the text of each change in gold and in training data."""
    tokens = gold.corpus.tokens
    codes = SequenceTrie().codes(tokens, changes.start, changes.end)
    _, first, surface = np.unique(codes, return_index=True, return_inverse=True)
    sequences = Mentions(changes.start[first], changes.end[first], np.zeros(len(first), np.int64))
    here = _occurrences(gold, tokens, sequences)
    itself = _label_at(here, surface, changes.start)
    sentence = np.searchsorted(gold.corpus.starts, changes.start, side="right") - 1
    lookup = _Lookup(changes, surface, itself)
    elsewhere = [_occurrences(text, tokens, sequences) for text in training]
    documents, starts = gold.corpus.documents, gold.corpus.starts
    is_divided = len(documents) > 0 and documents[-1] > documents[0]
    # Twins are sentences with the same text; a text is compared with itself at the same position.
    twins = sentence_codes([gold.corpus])[0]
    longest = int(np.diff(starts).max()) + 1
    here_twin = twins[here.sentence] * longest + here.start - starts[here.sentence]
    own_twin = twins[sentence] * longest + changes.start - starts[sentence]
    nothing = np.zeros_like(surface)
    return Usage(
        lookup.counts(_Groups.of(here, np.zeros_like(here.surface), elsewhere), nothing),
        lookup.counts(_Groups.of(here, documents[here.sentence]), documents[sentence])
        if is_divided
        else Counts(nothing, nothing, nothing),
        lookup.counts(_Groups.of(here, here_twin), own_twin),
        _twin_tokens(lookup, here, here_twin, own_twin),
    )


class _Occurrences(NamedTuple):
    """Where surfaces occur in a text, and as what."""

    surface: Ints
    start: Ints
    sentence: Ints
    label: Ints


def _occurrences(text: LabelledText, tokens: Ints, sequences: Mentions) -> _Occurrences:
    which, begin = find_sequences(text.corpus, tokens, sequences)
    end = begin + (sequences.end - sequences.start)[which]
    size = text.corpus.n_tokens + 1
    keys = text.mentions.start * size + text.mentions.end
    label = _lookup(keys, text.mentions.type + 1, begin * size + end) - 1  # 0 is not found
    sentence = np.searchsorted(text.corpus.starts, begin, side="right") - 1
    return _Occurrences(which, begin, sentence, label)


def _lookup(keys: Ints, values: Ints, wanted: Ints) -> Ints:
    """The value of each wanted key; 0 if there is none."""
    if not len(keys):
        return np.zeros(len(wanted), np.int64)
    order = np.argsort(keys, kind="stable")
    at = order[np.minimum(np.searchsorted(keys, wanted, sorter=order), len(keys) - 1)]
    found: Ints = np.where(keys[at] == wanted, values[at], 0).astype(np.int64)
    return found


def _label_at(here: _Occurrences, surface: Ints, start: Ints) -> Ints:
    """The label of gold for each change: what gold has there, without any planted error."""
    size = int(max(here.start.max(initial=0), start.max(initial=0))) + 1
    return _lookup(here.surface * size + here.start, here.label + 1, surface * size + start) - 1


class _Groups(NamedTuple):
    """How often each surface carries each label in each group of sentences."""

    width: int  # of the codes of groups
    cells: Ints  # (surface, group, label), one number each
    times: Ints
    pairs: Ints  # (surface, group)
    totals: Ints

    @classmethod
    def of(cls, here: _Occurrences, own: Ints, others: Sequence[_Occurrences] = ()) -> "_Groups":
        """Count the occurrences by group; those in `others` belong to group 0."""
        surface = np.concatenate([here.surface, *(other.surface for other in others)])
        label = np.concatenate([here.label, *(other.label for other in others)])
        rest = [np.zeros(len(other.surface), np.int64) for other in others]
        group = np.concatenate([own, *rest])
        width = int(group.max(initial=0)) + 1
        pair = surface * width + group
        cells, times = np.unique(pair * _LABELS + label + 1, return_counts=True)
        pairs, totals = np.unique(pair, return_counts=True)
        return cls(width, cells, times, pairs, totals)


_LABELS = 1 << 12  # the labels that codes leave room for


class _Lookup(NamedTuple):
    """The changes, the surface of each, and what gold has there, which does not count."""

    changes: Changes
    surface: Ints
    itself: Ints

    def counts(self, groups: _Groups, group: Ints) -> Counts:
        """The counts of each change in its group."""
        pair = np.where(group < groups.width, self.surface * groups.width + group, -1)
        total = _lookup(groups.pairs, groups.totals, pair) - 1
        return Counts(
            self._times(groups, pair, self.changes.gold),
            self._times(groups, pair, self.changes.proposed),
            total,
        )

    def _times(self, groups: _Groups, pair: Ints, label: Ints) -> Ints:
        found = _lookup(groups.cells, groups.times, pair * _LABELS + label + 1)
        others: Ints = found - (self.itself == label)
        return others


def _twin_tokens(lookup: _Lookup, here: _Occurrences, here_twin: Ints, own_twin: Ints) -> Ints:
    """Where the text has the proposed label in another sentence with the same text, or -1."""
    width = int(max(here_twin.max(initial=0), own_twin.max(initial=0))) + 1
    keys = (here.surface * width + here_twin) * _LABELS + here.label + 1
    wanted = (lookup.surface * width + own_twin) * _LABELS + lookup.changes.proposed + 1
    found = _lookup(keys, here.start + 1, wanted) - 1
    return np.where(found == lookup.changes.start, -1, found)


EVIDENCE = (
    "support",
    "defence",
    "lead",
    "doubt",
    "anywhere",
    "document",
    "twins",
    "precision",
    "recall",
    TYPE,
    BOUNDARY,
    MISSING,
    "capitals",
    "frequency",
)


@dataclass(frozen=True, slots=True, eq=False)
class Evidence:
    """The evidence of many cases: a row per case, and a column per name in `EVIDENCE`."""

    columns: Floats
    changes: Changes
    usage: Usage

    def column(self, name: str) -> Floats:
        column: Floats = self.columns[:, EVIDENCE.index(name)]
        return column


def gather_evidence(
    cases: Sequence[Case], material: Material, trust: Reliability, capitals: Bools
) -> Evidence:
    """The evidence of all cases; `capitals` are the tokens in sentences without small letters."""
    changes, n = changes_of(cases), len(cases)
    counts = usage(changes, material.gold, material.training)
    kinds = np.array([case.kind for case in cases])
    defence = np.array([case.defence for case in cases])
    starts = np.array([case.place.start for case in cases], np.int64)
    has_probabilities = any(output.probabilities is not None for output in material.outputs)
    doubt = -np.log(np.maximum(defence, _LEAST_PROBABILITY))
    columns = [
        np.array([case.support for case in cases]),
        defence,
        np.array([case.lead for case in cases]),
        doubt if has_probabilities else np.zeros(n),
        *(
            _limited_sum(changes, part.log_ratio, n)
            for part in (counts.anywhere, counts.document, counts.twins)
        ),
        _mean_by_case(changes, trust.precision, changes.proposed, n),
        _mean_by_case(changes, trust.recall, changes.gold, n),
        *(kinds == kind for kind in (TYPE, BOUNDARY, MISSING)),
        capitals[starts],
        np.minimum(_mean(changes, np.log1p(counts.anywhere.total), n), _STRONGEST),
    ]
    return Evidence(np.column_stack(columns).astype(np.float64), changes, counts)


def _limited_sum(changes: Changes, values: Floats, n: int) -> Floats:
    """The sum over the changes of each case, limited to what one kind of evidence may say."""
    total = np.bincount(changes.case, values, minlength=n)
    limited: Floats = np.clip(total, -_STRONGEST, _STRONGEST)
    return limited


def _mean_by_case(changes: Changes, by_type: Floats, types: Ints, n: int) -> Floats:
    """The mean of a value by type over the changes with a type; 0 without any."""
    some = types != OUTSIDE
    chosen = Changes(*(column[some] for column in changes))
    return _mean(chosen, by_type[types[some]], n)


def _mean(changes: Changes, values: Floats, n: int) -> Floats:
    times = np.bincount(changes.case, minlength=n)
    mean: Floats = np.bincount(changes.case, values, minlength=n) / np.maximum(times, 1)
    return mean
