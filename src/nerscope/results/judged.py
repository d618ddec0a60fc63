"""People's judgements of partial matches: how many of the pairs that got credit deserve it."""

from collections.abc import Hashable, Iterable, Mapping, Sequence
from itertools import combinations
from typing import Any, TypeVar

from nerscope.errors import InputError
from nerscope.results.judgements import BAD, GOOD, JudgedFile, Judgement

Key = TypeVar("Key", bound=Hashable)  # by which a pair is known


def shares(judgements: Iterable[Judgement], by_type: bool = False) -> list[dict[str, Any]]:
    """For each system and match (and type): how many pairs were judged, which share of them good.

    >>> shares([Judgement("x", "PER", ("left",), "good")])
    [{'system': 'x', 'match': 'left', 'pairs': 1, 'judged': 1, 'good': 1, 'share good': 1.0}]
    """
    head = ("system", "match", *(["type"] if by_type else []))
    return counted(
        head,
        (
            ((one.system, match, *([one.type] if by_type else [])), [one.said])
            for one in judgements
            for match in one.matches
        ),
    )


def counted(
    head: Sequence[str], pairs: Iterable[tuple[tuple[str, ...], Sequence[str]]]
) -> list[dict[str, Any]]:
    """Shares of pairs, each given with what it counts under and all that was said of it."""
    counts: dict[tuple[str, ...], list[int]] = {}
    for key, said in pairs:
        entry = counts.setdefault(key, [0, 0, 0])
        entry[0] += 1
        entry[1] += sum(one in (GOOD, BAD) for one in said)
        entry[2] += sum(one == GOOD for one in said)
    return [
        {
            **dict(zip(head, key, strict=True)),
            "pairs": pairs_there,
            "judged": judged,
            "good": good,
            "share good": good / judged if judged else None,
        }
        for key, (pairs_there, judged, good) in counts.items()
    ]


def agreement(judges: Sequence[JudgedFile]) -> dict[str, Any]:
    """How far several judges of the same pairs agree: raw, and beyond chance (κ).

    Pairs in JSON are the same if they stand in the same place, rows of a list if they have the same
    number.
    """
    lists = [judge for judge in judges if judge.pairs is None]
    if lists and len(lists) < len(judges):
        raise InputError(
            lists[0].name,
            "it is a list in CSV and others are JSON, so their agreement cannot be told",
            "let all judge the same list, or all the same page",
        )
    if len({len(judge.judgements) for judge in lists}) > 1:
        raise InputError(
            "judgements", "the lists differ in length", "let all judge the same list of pairs"
        )
    _check_same_data(judges)
    return agreed([judge.votes for judge in judges])


def _check_same_data(judges: Sequence[JudgedFile]) -> None:
    """Refuse pairs that stand in the same place and have other words: they are of other data."""
    for first, second in combinations(judges, 2):
        for identity, pair in (second.pairs or {}).items():
            other = (first.pairs or {}).get(identity)
            if other is not None and pair.contradicts(other):
                raise InputError(
                    second.name,
                    f"in sentence {identity.sentence} of '{identity.dataset}' it has other words "
                    f"than {first.name}",
                    "let all judge the same data",
                )


def agreed(judges: Sequence[Mapping[Key, str]]) -> dict[str, Any]:
    """How far judges agree, each given as what was said of each pair.

    κ is Cohen's for two judges and Fleiss' for more, over the pairs that all of them judged.

    >>> agreed([{1: "good", 2: "bad", 3: ""}, {2: "good", 1: "good", 3: "bad"}])["raw"]
    0.5
    """
    common = [key for key in judges[0] if all(judge.get(key) for judge in judges)]
    full = [[judge[key] for judge in judges] for key in common]
    if not full:
        return {"judges": len(judges), "pairs": 0, "raw": None, "kappa": None}
    size, n = len(judges), len(full)
    goods = [votes.count(GOOD) for votes in full]
    raw = sum(k * (k - 1) + (size - k) * (size - k - 1) for k in goods) / (n * size * (size - 1))
    if size == 2:
        first, second = (sum(votes[judge] == GOOD for votes in full) / n for judge in (0, 1))
        chance = first * second + (1 - first) * (1 - second)
    else:
        share = sum(goods) / (n * size)
        chance = share**2 + (1 - share) ** 2
    kappa = (raw - chance) / (1 - chance) if chance < 1 else None
    return {"judges": size, "pairs": n, "raw": raw, "kappa": kappa}
