"""Results in the light of judgements that were made before, of the same pairs."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from nerscope.errors import plural
from nerscope.results.errors import partial_matches
from nerscope.results.judged import agreed, counted
from nerscope.results.judgements import Identity, JudgedFile, Pair
from nerscope.results.partial_pairs import pair_records
from nerscope.results.results import Results


@dataclass(frozen=True, slots=True)
class JudgedResults:
    """What judges said of the pairs of results, how far they agree, and what did not fit."""

    shares: list[dict[str, Any]]
    agreement: dict[str, Any] | None
    notes: list[str]

    @property
    def data(self) -> dict[str, Any]:
        """What JSON says of it, beside the results."""
        found = {"shares": self.shares, "agreement": self.agreement, "notes": self.notes}
        return {"judged": found}


@dataclass(slots=True)
class _Fitted:
    """The judgements of one file, sorted by whether they are of pairs that the results have."""

    votes: dict[Identity, str] = field(default_factory=dict)
    by_place: int = 0  # fit, but no text says so
    other_words: int = 0
    strangers: list[Identity] = field(default_factory=list)


def judged_results(results: Results, judges: Sequence[JudgedFile]) -> JudgedResults:
    """For each dataset, system and match: how many of its pairs were judged, which share good.

    A judgement is of a pair if it stands in the same place and has the same words. Pairs count
    once, whichever runs of a system made them; all judgements of a pair count.
    """
    pairs = {pair.identity: pair for pair in map(Pair.of, pair_records(results))}
    fitted = [_fitted(pairs, judge) for judge in judges]
    found = counted(("dataset", "system", "match"), _said(pairs.values(), fitted))
    datasets = [part.dataset for part in results.evidence]
    notes = [
        note
        for judge, fit in zip(judges, fitted, strict=True)
        for note in _notes(judge.name, fit, datasets)
    ]
    agreement = agreed([fit.votes for fit in fitted]) if len(judges) > 1 else None
    return JudgedResults(_in_order(found, results), agreement, notes)


def judged_pairs(results: Results, judges: Sequence[JudgedFile]) -> list[dict[str, Any]]:
    """The pairs of results, each with what the first judge who judged it said."""
    records = pair_records(results)
    for record in records:
        pair = Pair.of(record)
        said = ((judge.pairs or {}).get(pair.identity) for judge in judges)
        own = (one.judgement for one in said if one and not pair.contradicts(one))
        record["judgement"] = next(filter(None, own), "")
    return records


def _fitted(pairs: dict[Identity, Pair], judge: JudgedFile) -> _Fitted:
    fit = _Fitted()
    for identity, judged in (judge.pairs or {}).items():
        own = pairs.get(identity)
        if not judged.judgement:
            continue
        if own is None:
            fit.strangers.append(identity)
        elif own.contradicts(judged):
            fit.other_words += 1
        else:
            fit.votes[identity] = judged.judgement
            fit.by_place += not own.has_texts(judged)
    return fit


def _said(
    pairs: Iterable[Pair], fitted: Sequence[_Fitted]
) -> Iterator[tuple[tuple[str, ...], list[str]]]:
    """What each pair of each system counts under, and all that was said of it."""
    for pair in pairs:
        said = [fit.votes[pair.identity] for fit in fitted if pair.identity in fit.votes]
        for system, credits in pair.systems.items():
            for match in credits:
                yield (pair.identity.dataset, system, match), said


def _in_order(found: list[dict[str, Any]], results: Results) -> list[dict[str, Any]]:
    """Datasets, systems and matches in the order of the results."""
    every = (
        (part.dataset, system, match)
        for part in results.evidence
        for system in part.systems
        for match in partial_matches(part)
    )
    rank = {key: number for number, key in enumerate(every)}
    return sorted(found, key=lambda one: rank[one["dataset"], one["system"], one["match"]])


def _notes(name: str, fit: _Fitted, datasets: Sequence[str]) -> Iterator[str]:
    if fit.strangers:
        unknown = dict.fromkeys(one.dataset for one in fit.strangers if one.dataset not in datasets)
        why = f" (no dataset here is called {', '.join(unknown)})" if unknown else ""
        said = plural(len(fit.strangers), "judgement")
        yield f"{name}: {said} of pairs that these results do not have{why}"
    if fit.other_words:
        said = plural(fit.other_words, "judgement")
        yield f"{name}: {said} of other words in the same place, left out: other data?"
    if fit.by_place:
        said = plural(fit.by_place, "judgement")
        yield f"{name}: {said} found by place alone, as texts are not kept"
