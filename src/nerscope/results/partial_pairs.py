"""The pairs that got partial credit, each once, however many systems and runs made it."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from nerscope.corpus.arrays import Bools, Ints
from nerscope.results.errors import Side, gold_side, partial_matches, run_side
from nerscope.results.results import Results
from nerscope.scoring.counts import CORRECT
from nerscope.scoring.evidence import TOKEN_JOIN, Evidence
from nerscope.scoring.matching import equal_mentions, match_named

Credits = dict[str, dict[str, float]]  # by system, then by match


class Place(NamedTuple):
    """Where a pair stands in its dataset, in the order in which pairs are listed."""

    sentence: int
    gold_start: int
    pred_start: int
    gold_end: int
    pred_end: int
    gold_type: int
    pred_type: int


def pair_records(results: Results) -> list[dict[str, Any]]:
    """Every pair that got partial credit, once, with the credit that each system got for it.

    A system has what any of its runs got. Records are those of a file of judgements.

    >>> from nerscope import evaluate
    >>> results = evaluate([(["Ada", "Lee"], ["B-PER", "I-PER"])], {"x": [["B-PER", "O"]]})
    >>> [(one["predicted"]["text"], one["systems"]) for one in pair_records(results)]
    [('Ada', {'x': {'left': 0.5, 'overlap': 0.5}})]
    """
    return [record for evidence in results.evidence for record in _records(evidence)]


def _records(evidence: Evidence) -> Iterator[dict[str, Any]]:
    matches = partial_matches(evidence)
    made: dict[Place, Credits] = {}
    for run, (system, _) in enumerate(evidence.runs):
        for place, match, credit in _made_by(evidence, run, matches):
            made.setdefault(place, {}).setdefault(system, {})[match] = credit
    last, tokens = -1, None
    for place in sorted(made):
        if place.sentence != last:
            last, tokens = place.sentence, _tokens(evidence, place.sentence)
        yield {
            "dataset": evidence.dataset,
            "sentence": place.sentence + 1,
            "gold": _mention(evidence, tokens, place[1], place[3], place[5]),
            "predicted": _mention(evidence, tokens, place[2], place[4], place[6]),
            "systems": _in_order(made[place], evidence.systems, matches),
            "judgement": "",
        }


def _made_by(
    evidence: Evidence, run: int, matches: Sequence[str]
) -> Iterator[tuple[Place, str, float]]:
    """The pairs of one run, under each match.

    Equal mentions are settled before all others, whatever the match: once for all is enough.
    """
    gold, pred = gold_side(evidence), run_side(evidence, run)
    settled = equal_mentions(gold.mentions, pred.mentions)
    free_gold, free_pred = (
        _free(len(side.units), taken) for side, taken in zip((gold, pred), settled, strict=True)
    )
    for match in matches:
        pairs = match_named(match)(gold.mentions[free_gold], pred.mentions[free_pred])
        partial: Bools = pairs.kind != CORRECT
        places = _places(gold, free_gold[pairs.gold[partial]], pred, free_pred[pairs.pred[partial]])
        for place, credit in zip(places, pairs.credit[partial].tolist(), strict=True):
            yield place, match, credit


def _free(size: int, taken: Ints) -> Ints:
    return np.delete(np.arange(size), taken)


def _places(gold: Side, at_gold: Ints, pred: Side, at_pred: Ints) -> Iterator[Place]:
    sides = [(gold, at_gold), (pred, at_pred)]
    starts = [side.starts[at] for side, at in sides]
    ends = [side.ends[at] for side, at in sides]
    types = [side.units.type[at] for side, at in sides]
    columns = [gold.units.sentence[at_gold], *starts, *ends, *types]
    return map(Place._make, zip(*(column.tolist() for column in columns), strict=True))


def _tokens(evidence: Evidence, sentence: int) -> list[str] | None:
    return None if evidence.texts is None else evidence.texts[sentence].split(TOKEN_JOIN)


def _mention(
    evidence: Evidence, tokens: list[str] | None, start: int, end: int, kind: int
) -> dict[str, Any]:
    text = None if tokens is None else " ".join(tokens[start:end])
    return {"start": start, "end": end, "type": evidence.types[kind], "text": text}


def _in_order(
    made: Mapping[str, Mapping[str, float]], systems: Sequence[str], matches: Sequence[str]
) -> Credits:
    """Systems and matches in the order of the results, whichever run came first."""
    return {
        system: {match: made[system][match] for match in matches if match in made[system]}
        for system in systems
        if system in made
    }
