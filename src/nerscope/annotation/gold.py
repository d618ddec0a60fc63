"""Gold from several annotators: by majority, or by decisions on their disagreements."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from nerscope.annotation.agreement import GoldSummary
from nerscope.annotation.apply import new_types
from nerscope.annotation.decisions import Decision, Span, read_decisions
from nerscope.annotation.disagreements import MentionGroups, mention_groups
from nerscope.annotation.editing import Gold
from nerscope.annotation.stale import located, notes_on_tokens
from nerscope.annotation.texts import AnnotatedTexts
from nerscope.corpus.arrays import Bools, Ints
from nerscope.corpus.corpus import Coding, Corpus
from nerscope.corpus.mentions import Mentions, join_mentions
from nerscope.dataset.convert import convert
from nerscope.errors import InputError, UsageError
from nerscope.formats.base import CorpusSource, path_of

FEWEST = 3  # annotators of a text that can have a majority


@dataclass(frozen=True, slots=True)
class MadeGold:
    """Gold that was made from annotations, and how."""

    corpus: Corpus
    summary: GoldSummary

    def written(self, target: str | os.PathLike[str] | None) -> GoldSummary:
        """Write it in the format of the target; add notes on what the format cannot hold."""
        return (
            self.summary
            if target is None
            else replace(self.summary, notes=[*self.summary.notes, *convert(self.corpus, target)])
        )


def majority_gold(texts: AnnotatedTexts) -> MadeGold:
    """The mentions that more than half of a text's annotators have.

    Texts with fewer than three annotators are left out.
    """
    groups = mention_groups(texts)
    has_majority = texts.n_annotators_of_sentence >= FEWEST
    if not has_majority.any():
        raise UsageError(
            "majority",
            "no text has three annotators",
            "--apply DECISIONS, which settle the disagreements of two annotators",
        )
    kept = groups.first & _is_majority(texts, groups) & has_majority[groups.sentence]
    corpus = _with_mentions(texts, groups.mentions[kept]).chosen(np.flatnonzero(has_majority))
    of_group = _sentence_of_group(groups)
    voted = ~groups.is_unanimous & has_majority[of_group]
    is_open = _is_open(texts, groups)
    left_out = texts.n_records(np.ones_like(has_majority)) - texts.n_records(has_majority)
    return MadeGold(
        corpus,
        GoldSummary(
            texts=texts.n_records(has_majority),
            texts_left_out=left_out,
            mentions=int(kept.sum()),
            decided=0,
            by_majority=int((voted & ~is_open).sum()),
            no_majority=int((voted & is_open).sum()),
            undecided=0,
        ),
    )


def adjudicated_gold(texts: AnnotatedTexts, decisions: Sequence[Decision]) -> MadeGold:
    """The mentions that all annotators have, with the decisions on the sentences they are about.

    In other sentences, disagreements of three annotators or more are settled by majority. Those of
    two are left out: no mention stays there.
    """
    groups = mention_groups(texts)
    unanimous = groups.is_unanimous[groups.group]
    base = groups.first & unanimous
    golds = [_as_gold(texts, spans) for spans in (groups.mentions[base], *texts.mentions)]
    own = _own_decisions(texts, decisions)
    chosen = {decision.sentence: _chosen(decision, golds, texts) for decision in own}
    is_decided = np.zeros(len(texts.corpus), bool)
    is_decided[list(chosen)] = True
    has_majority = texts.n_annotators_of_sentence >= FEWEST
    voted = _is_majority(texts, groups) & has_majority[groups.sentence]
    kept = groups.first & (unanimous | voted) & ~is_decided[groups.sentence]
    spans = join_mentions([groups.mentions[kept], _mentions(texts, chosen)]).in_order()
    of_group = _sentence_of_group(groups)
    differing = ~groups.is_unanimous & ~is_decided[of_group]
    by_vote, is_open = differing & has_majority[of_group], _is_open(texts, groups)
    return MadeGold(
        _with_mentions(texts, spans),
        GoldSummary(
            texts=texts.n_records(np.ones_like(is_decided)),
            texts_left_out=0,
            mentions=len(spans),
            decided=len(chosen),
            by_majority=int((by_vote & ~is_open).sum()),
            no_majority=int((by_vote & is_open).sum()),
            undecided=int((differing & ~has_majority[of_group]).sum()),
            notes=_notes(own, chosen, golds, texts),
        ),
    )


def write_majority(texts: AnnotatedTexts, target: str | os.PathLike[str] | None) -> GoldSummary:
    """Write gold by majority, and say how it was made; without a target, write nothing."""
    return majority_gold(texts).written(target)


def write_adjudicated(
    texts: AnnotatedTexts,
    decisions: str | os.PathLike[str] | Sequence[str | os.PathLike[str]],
    target: str | os.PathLike[str] | None,
) -> GoldSummary:
    """Write gold with the decisions of one or several files, and say how it was made.

    Without a target, write nothing.
    """
    return adjudicated_gold(texts, read_decisions(decisions)).written(target)


def _is_majority(texts: AnnotatedTexts, groups: MentionGroups) -> Bools:
    n_here = texts.n_annotators_of_sentence[groups.sentence]
    return np.asarray(2 * groups.votes > n_here)


def _is_open(texts: AnnotatedTexts, groups: MentionGroups) -> Bools:
    """The groups in which neither a mention nor its absence has a majority."""
    n_groups = len(groups.is_unanimous)
    has_winner = np.bincount(groups.group[_is_majority(texts, groups)], minlength=n_groups) > 0
    voters = np.unique(groups.group * texts.n_annotators + groups.annotator) // texts.n_annotators
    n_with = np.bincount(voters, minlength=n_groups)
    n_here = texts.n_annotators_of_sentence[_sentence_of_group(groups)]
    return np.asarray(~has_winner & (2 * n_with >= n_here))


def _sentence_of_group(groups: MentionGroups) -> Ints:
    first = np.searchsorted(groups.group, np.arange(len(groups.is_unanimous)))
    return np.asarray(groups.sentence[first])


def _with_mentions(texts: AnnotatedTexts, spans: Mentions) -> Corpus:
    # The types were renamed when they were read, and must not be renamed again.
    coding = Coding(texts.coding.tokens, texts.coding.labels.as_written)
    return replace(texts.corpus, coding=coding, labels=None, spans=spans)


def _as_gold(texts: AnnotatedTexts, base: Mentions) -> Gold:
    """The mentions that all annotators have, as the gold that decisions are about."""
    corpus = _with_mentions(texts, base)
    return Gold(corpus.name, CorpusSource(corpus), corpus)


def _own_decisions(texts: AnnotatedTexts, decisions: Sequence[Decision]) -> list[Decision]:
    """The decisions about these texts, which name the file of any of the annotators."""
    files = {Path(path_of(name)).name for name in texts.files}
    own = [each for each in decisions if Path(path_of(each.file)).name in files]
    if decisions and not own:
        raise InputError(
            decisions[0].source,
            f"the decisions are about {decisions[0].file}, which no annotator has",
            f'write "file": "{texts.files[0]}" if the file was renamed',
        )
    return own


def _chosen(decision: Decision, golds: Sequence[Gold], texts: AnnotatedTexts) -> tuple[Span, ...]:
    """The mentions that a decision gives its sentence; a stale decision is refused.

    Its `gold` are the mentions that all annotators have, or those of the file that it names.
    """
    base, *own = golds
    file = Path(path_of(decision.file)).name
    named = [
        gold
        for gold, name in zip(own, texts.files, strict=False)
        if Path(path_of(name)).name == file
    ]
    error: InputError | None = None
    for gold in (base, *named):
        try:
            change = located(decision, gold)
        except InputError as refused:
            error = error or refused
        else:
            return gold.spans(decision.sentence) if change is None else change.after
    assert error is not None
    raise error


def _notes(
    decisions: Sequence[Decision],
    chosen: Mapping[int, tuple[Span, ...]],
    golds: Sequence[Gold],
    texts: AnnotatedTexts,
) -> list[str]:
    """Notes on decisions with other tokens, and with types that no annotator has."""
    known = {kind for gold in golds for kind in gold.types}
    pairs = [(decision, chosen[decision.sentence]) for decision in decisions]
    name = ", ".join(dict.fromkeys(texts.files))
    return [*notes_on_tokens(decisions, golds[0]), *new_types(pairs, known, name)]


def _mentions(texts: AnnotatedTexts, chosen: dict[int, tuple[Span, ...]]) -> Mentions:
    """The chosen mentions on the tokens of all texts."""
    labels = texts.coding.labels.as_written
    rows = [
        (int(texts.corpus.starts[sentence]) + start, end - start, labels.type_code(kind))
        for sentence, spans in chosen.items()
        for start, end, kind in spans
    ]
    table = np.array(rows, np.int64).reshape(len(rows), 3)
    return Mentions(table[:, 0], table[:, 0] + table[:, 1], table[:, 2].astype(np.int32))
