"""The share of partial matches that people judge good, and the agreement of judges."""

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import Any, NamedTuple, TypeVar

import numpy as np

from nerscope.corpus.arrays import Bools, Ints
from nerscope.errors import InputError, plural
from nerscope.results.errors import MentionSide, gold_side, partial_matches, run_side
from nerscope.results.judgements import (
    BAD,
    GOOD,
    JudgedFile,
    JudgedPair,
    JudgedSpan,
    Judgement,
    PairIdentity,
)
from nerscope.results.results import Results
from nerscope.results.rows import ResultRow
from nerscope.scoring.evidence import TOKEN_JOIN, Evidence
from nerscope.scoring.matching import match_named
from nerscope.scoring.pairing import CORRECT, equal_mentions

Credits = dict[str, dict[str, float]]  # by system, then by match


class PairPlace(NamedTuple):
    """The place of a pair in its dataset; places sort pairs as they are listed."""

    sentence: int
    gold_start: int
    pred_start: int
    gold_end: int
    pred_end: int
    gold_type: int
    pred_type: int


@dataclass(frozen=True, slots=True, eq=False)
class PairMention(ResultRow):
    """One side of a pair."""

    start: int  # in tokens of the sentence
    end: int
    type: str
    text: str | None  # None if the results keep no texts


@dataclass(frozen=True, slots=True, eq=False)
class PairRow(ResultRow):
    """A pair with partial credit, as in a file of judgements."""

    dataset: str
    sentence: int  # counted from 1
    gold: PairMention
    predicted: PairMention
    systems: Credits
    judgement: str = ""

    @property
    def judged_pair(self) -> JudgedPair:
        """The pair in the form of judgements."""
        spans = (
            JudgedSpan(mention.start, mention.end, mention.type)
            for mention in (self.gold, self.predicted)
        )
        texts = (self.gold.text, self.predicted.text)
        identity = PairIdentity(self.dataset, self.sentence, *spans)
        return JudgedPair(identity, texts, self.systems, self.judgement)


def pair_records(results: Results) -> list[PairRow]:
    """Every pair with partial credit, once, with the credit of each system.

    A system has the credit of any of its runs.

    >>> from nerscope import evaluate
    >>> results = evaluate([(["Ada", "Lee"], ["B-PER", "I-PER"])], {"x": [["B-PER", "O"]]})
    >>> [(row.predicted.text, row.systems) for row in pair_records(results)]
    [('Ada', {'x': {'left': 0.5, 'overlap': 0.5}})]
    """
    return [row for evidence in results.evidence for row in _pair_rows(evidence)]


def _pair_rows(evidence: Evidence) -> Iterator[PairRow]:
    matches = partial_matches(evidence)
    made: dict[PairPlace, Credits] = {}
    for run, (system, _) in enumerate(evidence.runs):
        for place, match, credit in _run_pairs(evidence, run, matches):
            made.setdefault(place, {}).setdefault(system, {})[match] = credit
    last, tokens = -1, None
    for place in sorted(made):
        if place.sentence != last:
            last, tokens = place.sentence, _tokens(evidence, place.sentence)
        gold = (place.gold_start, place.gold_end, place.gold_type)
        pred = (place.pred_start, place.pred_end, place.pred_type)
        yield PairRow(
            evidence.dataset,
            place.sentence + 1,
            _mention(evidence, tokens, *gold),
            _mention(evidence, tokens, *pred),
            _in_order(made[place], evidence.systems, matches),
        )


def _run_pairs(
    evidence: Evidence, run: int, matches: Sequence[str]
) -> Iterator[tuple[PairPlace, str, float]]:
    """The pairs of one run, under each match.

    Equal mentions are paired first under every match, so they are removed once.
    """
    gold, pred = gold_side(evidence), run_side(evidence, run)
    settled = equal_mentions(gold.mentions, pred.mentions)
    free_gold, free_pred = (
        _unmatched(len(side.units), taken)
        for side, taken in zip((gold, pred), settled, strict=True)
    )
    names = (
        lambda indices: gold.names(free_gold[indices].tolist()),
        lambda indices: pred.names(free_pred[indices].tolist()),
    )
    for match in matches:
        pairs = match_named(match)(gold.mentions[free_gold], pred.mentions[free_pred], names)
        partial: Bools = pairs.kind != CORRECT
        places = _places(gold, free_gold[pairs.gold[partial]], pred, free_pred[pairs.pred[partial]])
        for place, credit in zip(places, pairs.credit[partial].tolist(), strict=True):
            yield place, match, credit


def _unmatched(size: int, taken: Ints) -> Ints:
    return np.delete(np.arange(size), taken)


def _places(
    gold: MentionSide, at_gold: Ints, pred: MentionSide, at_pred: Ints
) -> Iterator[PairPlace]:
    sides = [(gold, at_gold), (pred, at_pred)]
    starts = [side.starts[at] for side, at in sides]
    ends = [side.ends[at] for side, at in sides]
    types = [side.units.type[at] for side, at in sides]
    columns = [gold.units.sentence[at_gold], *starts, *ends, *types]
    return map(PairPlace._make, zip(*(column.tolist() for column in columns), strict=True))


def _tokens(evidence: Evidence, sentence: int) -> list[str] | None:
    return None if evidence.texts is None else evidence.texts[sentence].split(TOKEN_JOIN)


def _mention(
    evidence: Evidence, tokens: list[str] | None, start: int, end: int, kind: int
) -> PairMention:
    text = None if tokens is None else " ".join(tokens[start:end])
    return PairMention(start, end, evidence.types[kind], text)


def _in_order(
    made: Mapping[str, Mapping[str, float]], systems: Sequence[str], matches: Sequence[str]
) -> Credits:
    """Systems and matches in the order of the results, independent of runs."""
    return {
        system: {match: made[system][match] for match in matches if match in made[system]}
        for system in systems
        if system in made
    }


Key = TypeVar("Key", bound=Hashable)  # the key of a pair


@dataclass(frozen=True, slots=True, eq=False)
class ShareRow(ResultRow):
    """The numbers of pairs with credit under a match, of judgements, and of good ones."""

    system: str
    match: str
    pairs: int
    judged: int
    good: int
    dataset: str | None = None  # if results are given
    type: str | None = None  # if shares are by type

    @property
    def share_good(self) -> float | None:
        """The share of judged pairs that are good."""
        return self.good / self.judged if self.judged else None

    def as_dict(self) -> dict[str, Any]:
        """The row as a JSON object; the key of the share is "share good"."""
        return {
            **({} if self.dataset is None else {"dataset": self.dataset}),
            "system": self.system,
            "match": self.match,
            **({} if self.type is None else {"type": self.type}),
            "pairs": self.pairs,
            "judged": self.judged,
            "good": self.good,
            "share good": self.share_good,
        }


@dataclass(frozen=True, slots=True, eq=False)
class AgreementRow(ResultRow):
    """The agreement of judges on the pairs that all of them judged: raw, and beyond chance (κ)."""

    judges: int
    pairs: int
    raw: float | None
    kappa: float | None


class ShareKey(NamedTuple):
    """The groups in which a pair is counted."""

    system: str
    match: str
    dataset: str | None = None
    type: str | None = None


def shares(judgements: Iterable[Judgement], by_type: bool = False) -> list[ShareRow]:
    """For each system and match (and type), the numbers of pairs and judgements, and the share of
    good ones. A pair that two judges judged is one pair with two judgements.

    >>> [row] = shares([Judgement("x", "PER", ("left",), "good")])
    >>> row.system, row.judged, row.share_good
    ('x', 1, 1.0)
    """
    votes: dict[tuple[ShareKey, Hashable], list[str]] = {}
    for number, judgement in enumerate(judgements):
        pair = ("unknown", number) if judgement.pair is None else judgement.pair
        for match in judgement.matches:
            key = ShareKey(judgement.system, match, type=judgement.type if by_type else None)
            votes.setdefault((key, pair), []).append(judgement.judgement)
    return count_shares((key, given) for (key, _), given in votes.items())


def count_shares(pairs: Iterable[tuple[ShareKey, Sequence[str]]]) -> list[ShareRow]:
    """The shares of pairs, each given with its key and all votes on it."""
    counts: dict[ShareKey, list[int]] = {}
    for key, votes in pairs:
        entry = counts.setdefault(key, [0, 0, 0])
        entry[0] += 1
        entry[1] += sum(vote in (GOOD, BAD) for vote in votes)
        entry[2] += sum(vote == GOOD for vote in votes)
    return [
        ShareRow(key.system, key.match, n_pairs, judged, good, key.dataset, key.type)
        for key, (n_pairs, judged, good) in counts.items()
    ]


def agreement(judges: Sequence[JudgedFile]) -> AgreementRow:
    """The agreement of several judges of the same pairs: raw, and beyond chance (κ).

    Pairs in JSON files are the same if their places are equal, rows of CSV lists if their numbers
    are equal.
    """
    lists = [judge for judge in judges if judge.pairs is None]
    if lists and len(lists) < len(judges):
        raise InputError(
            lists[0].name,
            "it is a CSV list and others are JSON, so judges cannot be compared",
            "give only CSV lists or only JSON files",
        )
    if len({len(judge.judgements) for judge in lists}) > 1:
        raise InputError(
            "judgements", "the lists differ in length", "give copies of the same list of pairs"
        )
    _check_same_data(judges)
    return judge_agreement([judge.votes for judge in judges])


def _check_same_data(judges: Sequence[JudgedFile]) -> None:
    """Raise an InputError if pairs of the same place have different words."""
    for first, second in combinations(judges, 2):
        for identity, pair in (second.pairs or {}).items():
            other = (first.pairs or {}).get(identity)
            if other is not None and pair.contradicts(other):
                raise InputError(
                    second.name,
                    f"in sentence {identity.sentence} of '{identity.dataset}' it has other words "
                    f"than {first.name}",
                    "give judgements of the same data",
                )


def judge_agreement(judges: Sequence[Mapping[Key, str]]) -> AgreementRow:
    """The agreement of judges, each given as a mapping from pairs to judgements.

    κ is Cohen's for two judges and Fleiss' for more, over the pairs that all of them judged.

    >>> judge_agreement([{1: "good", 2: "bad", 3: ""}, {2: "good", 1: "good", 3: "bad"}])["raw"]
    0.5
    """
    common = [key for key in judges[0] if all(judge.get(key) for judge in judges)]
    full = [[judge[key] for judge in judges] for key in common]
    if not full:
        return AgreementRow(len(judges), 0, None, None)
    size, n = len(judges), len(full)
    goods = [votes.count(GOOD) for votes in full]
    # The share of pairs of judges that agree: if 2 of 3 judges vote good, it is 1 of 3 pairs.
    raw = sum(k * (k - 1) + (size - k) * (size - k - 1) for k in goods) / (n * size * (size - 1))
    if size == 2:
        first, second = (sum(votes[judge] == GOOD for votes in full) / n for judge in (0, 1))
        chance = first * second + (1 - first) * (1 - second)
    else:
        share = sum(goods) / (n * size)
        chance = share**2 + (1 - share) ** 2
    kappa = (raw - chance) / (1 - chance) if chance < 1 else None
    return AgreementRow(size, n, raw, kappa)


@dataclass(frozen=True, slots=True)
class JudgedResults:
    """The judgements on the pairs of results, the agreement of judges, and notes on misfits."""

    shares: list[ShareRow]
    agreement: AgreementRow | None
    notes: list[str]

    @property
    def data(self) -> dict[str, Any]:
        """The content for JSON, besides the results."""
        judged = {"shares": self.shares, "agreement": self.agreement, "notes": self.notes}
        return {"judged": judged}


@dataclass(slots=True)
class _JudgementFit:
    """The judgements of one file, by how they fit the pairs of the results."""

    votes: dict[PairIdentity, str] = field(default_factory=dict)
    by_place: int = 0  # fit by place, without texts to compare
    other_words: int = 0
    strangers: list[PairIdentity] = field(default_factory=list)


def judged_results(results: Results, judges: Sequence[JudgedFile]) -> JudgedResults:
    """For each dataset, system and match, the number of judged pairs and the share of good ones.

    A judgement belongs to a pair if place and words are equal. A pair counts once, even if several
    runs of a system made it; all judgements of a pair count.
    """
    judged_pairs = (row.judged_pair for row in pair_records(results))
    pairs = {pair.identity: pair for pair in judged_pairs}
    fitted = [_fit_judgements(pairs, judge) for judge in judges]
    counted = count_shares(_votes_by_cell(pairs.values(), fitted))
    datasets = [part.dataset for part in results.evidence]
    notes = [
        note
        for judge, fit in zip(judges, fitted, strict=True)
        for note in _notes(judge.name, fit, datasets)
    ]
    agreement = judge_agreement([fit.votes for fit in fitted]) if len(judges) > 1 else None
    return JudgedResults(_ordered_shares(counted, results), agreement, notes)


def judged_pair_rows(results: Results, judges: Sequence[JudgedFile]) -> list[PairRow]:
    """The pairs of results, each with the judgement of the first judge that has one."""
    rows = []
    for row in pair_records(results):
        pair = row.judged_pair
        judged = ((judge.pairs or {}).get(pair.identity) for judge in judges)
        votes = (
            same_pair.judgement
            for same_pair in judged
            if same_pair and not pair.contradicts(same_pair)
        )
        rows.append(replace(row, judgement=next(filter(None, votes), "")))
    return rows


def _fit_judgements(pairs: dict[PairIdentity, JudgedPair], judge: JudgedFile) -> _JudgementFit:
    fit = _JudgementFit()
    for identity, judged in (judge.pairs or {}).items():
        pair = pairs.get(identity)
        if not judged.judgement:
            continue
        if pair is None:
            fit.strangers.append(identity)
        elif pair.contradicts(judged):
            fit.other_words += 1
        else:
            fit.votes[identity] = judged.judgement
            fit.by_place += not pair.has_texts(judged)
    return fit


def _votes_by_cell(
    pairs: Iterable[JudgedPair], fitted: Sequence[_JudgementFit]
) -> Iterator[tuple[ShareKey, list[str]]]:
    """The key of each pair of each system, and all judgements of it."""
    for pair in pairs:
        votes = [fit.votes[pair.identity] for fit in fitted if pair.identity in fit.votes]
        for system, credits in pair.systems.items():
            for match in credits:
                yield ShareKey(system, match, pair.identity.dataset), votes


def _ordered_shares(shares: list[ShareRow], results: Results) -> list[ShareRow]:
    """Datasets, systems and matches in the order of the results."""
    every = (
        (part.dataset, system, match)
        for part in results.evidence
        for system in part.systems
        for match in partial_matches(part)
    )
    rank = {key: number for number, key in enumerate(every)}
    return sorted(shares, key=lambda share: rank[share.dataset or "", share.system, share.match])


def _notes(name: str, fit: _JudgementFit, datasets: Sequence[str]) -> Iterator[str]:
    if fit.strangers:
        unknown = dict.fromkeys(
            identity.dataset for identity in fit.strangers if identity.dataset not in datasets
        )
        why = f" (unknown dataset {', '.join(unknown)})" if unknown else ""
        judgements = plural(len(fit.strangers), "judgement")
        yield f"{name}: {judgements} of pairs that are not in the results{why}"
    if fit.other_words:
        judgements = plural(fit.other_words, "judgement")
        yield f"{name}: {judgements} left out: the words at their place differ, as in other data"
    if fit.by_place:
        judgements = plural(fit.by_place, "judgement")
        yield f"{name}: {judgements} assigned by place alone, because texts are not kept"
