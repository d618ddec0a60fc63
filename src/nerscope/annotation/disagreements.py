"""Where annotators disagree: the places, their kinds, and which types are confused."""

import random
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np

from nerscope.annotation.agreement import (
    BOTH,
    BOUNDARY,
    MISSING,
    TYPE,
    AnnotatedSentence,
    Disagreement,
    Span,
    TypeConfusion,
)
from nerscope.annotation.texts import AnnotatedTexts
from nerscope.corpus.arrays import Bools, Ints
from nerscope.corpus.mentions import Mentions, join_mentions, shape_codes
from nerscope.errors import UsageError
from nerscope.scoring.matching import match_named

_PAIRING = "muc-strict"  # pairs all overlapping mentions, as the lists of errors do


class MentionGroups(NamedTuple):
    """The mentions of all annotators, in groups that overlap, sorted by their place.

    `is_unanimous` says of each group whether all annotators of its sentence have the same mentions
    in it. `votes` is the number of annotators who have a mention, and `first` marks one of each
    group of equal mentions.
    """

    mentions: Mentions
    annotator: Ints
    sentence: Ints
    group: Ints  # of each mention, from 0
    is_unanimous: Bools  # of each group
    votes: Ints  # of each mention
    first: Bools  # of each mention


def mention_groups(texts: AnnotatedTexts) -> MentionGroups:
    """Group the mentions of all annotators where they overlap."""
    own = [mentions.placed for mentions in texts.mentions[: texts.n_annotators]]
    annotator = np.repeat(np.arange(len(own)), [len(mentions) for mentions in own])
    every = join_mentions(own)
    outline = np.concatenate(shape_codes(own))
    order = np.lexsort((annotator, outline, every.type, every.end, every.start))
    every, annotator, outline = every[order], annotator[order], outline[order]
    sentence = np.minimum(every.sentences(texts.corpus.starts), len(texts.corpus) - 1)
    columns = np.stack([every.start, every.end, every.type, outline])
    # Equal mentions stand next to each other, each by another annotator.
    first = np.ones(len(every), bool)
    first[1:] = (columns[:, 1:] != columns[:, :-1]).any(axis=0)
    of_distinct = np.cumsum(first) - 1
    votes = np.bincount(of_distinct)[of_distinct] if len(every) else of_distinct
    # A group ends where a mention begins behind all mentions before it.
    reach = np.maximum.accumulate(every.end) if len(every) else every.end
    begins = np.ones(len(every), bool)
    begins[1:] = every.start[1:] >= reach[:-1]
    group = np.cumsum(begins) - 1
    n_here = texts.n_annotators_of_sentence[sentence]
    n_groups = int(group[-1]) + 1 if len(group) else 0
    unanimous = np.bincount(group[votes < n_here], minlength=n_groups) == 0
    return MentionGroups(every, annotator, sentence, group, unanimous, votes, first)


def disagreements(texts: AnnotatedTexts, groups: MentionGroups) -> list[Disagreement]:
    """The groups of mentions that are not the same for all annotators of the sentence."""
    edges = np.searchsorted(groups.group, np.arange(len(groups.is_unanimous) + 1))
    found = []
    for number in np.flatnonzero(~groups.is_unanimous).tolist():
        members = range(int(edges[number]), int(edges[number + 1]))
        sentence = int(groups.sentence[members[0]])
        begin = int(texts.corpus.starts[sentence])
        spans: dict[str, list[Span]] = {
            name: []
            for name, present in zip(texts.annotators, texts.present[:, sentence], strict=False)
            if present
        }
        for at in members:
            spans[texts.names[int(groups.annotator[at])]].append(_span(texts, groups, at, begin))
        every = [span for own in spans.values() for span in own]
        start, end = min(span[0] for span in every), max(span[1] for span in every)
        found.append(Disagreement(sentence, start, end, kind_of(list(spans.values())), spans))
    return found


def selected(
    rows: Sequence[Disagreement], kinds: Sequence[str], sample: int | None, seed: int
) -> list[Disagreement]:
    """The disagreements of some kinds, or a random sample of them, in the order of the texts."""
    if sample is not None and sample < 1:
        raise UsageError("--sample", f"invalid value {sample}", "give a whole number, 1 or more")
    if seed < 0:
        raise UsageError("seed", f"invalid value {seed}", "give a whole number, 0 or more")
    chosen = [row for row in rows if not kinds or row.kind in kinds]
    if sample is None or sample >= len(chosen):
        return chosen
    return [chosen[at] for at in sorted(random.Random(seed).sample(range(len(chosen)), sample))]


def _span(texts: AnnotatedTexts, groups: MentionGroups, at: int, begin: int) -> Span:
    mentions = groups.mentions
    return (
        int(mentions.start[at]) - begin,
        int(mentions.end[at]) - begin,
        texts.types[int(mentions.type[at])],
    )


def kind_of(annotations: Sequence[Sequence[Span]]) -> str:
    """The kind of a disagreement: what differs among the annotators who have a mention there.

    >>> kind_of([[(0, 1, "PER")], []]), kind_of([[(0, 1, "PER")], [(0, 1, "LOC")]])
    ('missing', 'type')
    >>> kind_of([[(0, 2, "PER")], [(0, 1, "PER")], []])
    'boundary'
    """
    given = [spans for spans in annotations if spans]
    same_spans = len({tuple(sorted({span[:2] for span in spans})) for spans in given}) == 1
    same_types = len({tuple(sorted({span[2] for span in spans})) for spans in given}) == 1
    if same_spans:
        same = len({tuple(sorted(spans)) for spans in given}) == 1
        return MISSING if same and len(given) < len(annotations) else TYPE
    return BOUNDARY if same_types else BOTH


def type_confusion(texts: AnnotatedTexts) -> Iterator[TypeConfusion]:
    """For each pair of annotators, the types of their paired mentions, and those without a pair."""
    for a, b in combinations(range(texts.n_annotators), 2):
        shared = texts.shared(a, b)
        first, second = (_within(texts, at, shared) for at in (a, b))
        pairs = match_named(_PAIRING)(first, second)
        none = len(texts.types)  # the code after all types means no mention
        counts = Counter(
            zip(first.type[pairs.gold].tolist(), second.type[pairs.pred].tolist(), strict=True)
        )
        counts.update((kind, none) for kind in np.delete(first.type, pairs.gold).tolist())
        counts.update((none, kind) for kind in np.delete(second.type, pairs.pred).tolist())
        names = [*texts.types, None]
        for (ours, theirs), n in sorted(counts.items()):
            yield TypeConfusion(texts.names[a], texts.names[b], names[ours], names[theirs], n)


def _within(texts: AnnotatedTexts, at: int, sentences: Bools) -> Mentions:
    """The mentions of an annotator in some sentences."""
    mentions = texts.mentions[at]
    if not len(mentions):
        return mentions
    of_mention = np.minimum(mentions.sentences(texts.corpus.starts), len(sentences) - 1)
    return mentions[sentences[of_mention]]


def annotated_sentences(texts: AnnotatedTexts, *, with_tokens: bool) -> list[AnnotatedSentence]:
    """Every sentence with the mentions of all annotators and systems who have it."""
    spans = [_spans_by_sentence(texts, at) for at in range(len(texts.names))]
    words = texts.coding.tokens.strings(texts.corpus.tokens) if with_tokens else None
    edges = texts.corpus.starts.tolist()
    return [
        AnnotatedSentence(
            sentence,
            texts.ids[sentence],
            int(texts.record[sentence]),
            texts.places[sentence],
            None if words is None else words[edges[sentence] : edges[sentence + 1]],
            {
                name: own.get(sentence, [])
                for name, own, present in zip(texts.names, spans, texts.present, strict=True)
                if present[sentence]
            },
        )
        for sentence in range(len(texts.corpus))
    ]


def _spans_by_sentence(texts: AnnotatedTexts, at: int) -> dict[int, list[Span]]:
    mentions, starts = texts.mentions[at].placed, texts.corpus.starts
    sentences, names = mentions.sentences(starts), texts.types
    begins = starts[sentences]
    spans: dict[int, list[Span]] = {}
    for sentence, start, end, kind in zip(
        sentences.tolist(),
        (mentions.start - begins).tolist(),
        (mentions.end - begins).tolist(),
        mentions.type.tolist(),
        strict=True,
    ):
        spans.setdefault(sentence, []).append((start, end, names[kind]))
    return spans
