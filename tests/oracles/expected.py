"""The whole table of rows that the slow reading of the definitions gives for a corpus and a
prediction.
"""

from collections.abc import Iterator
from fractions import Fraction
from typing import NamedTuple

from tests.oracles import naive
from tests.oracles.naive import Buckets, Corpus, Inside, Mention, Prf, Unit
from tests.oracles.strategies import Case


class Key(NamedTuple):
    """What a row is about."""

    unit: str
    facet: str
    level: str
    type: str | None
    match: str
    metric: str


class Cell(NamedTuple):
    """The value of a row and its denominator."""

    value: float | Fraction | None
    n: int


Row = tuple[Key, Cell]


def of_prf(
    unit: str, facet: str, level: str, kind: str | None, match: str, scores: Prf
) -> Iterator[Row]:
    yield Key(unit, facet, level, kind, match, "precision"), Cell(scores.precision, scores.pred)
    yield Key(unit, facet, level, kind, match, "recall"), Cell(scores.recall, scores.gold)
    yield Key(unit, facet, level, kind, match, "f1"), Cell(scores.f1, scores.gold)


def of_averages(match: str, everything: Prf, by_type: list[Prf]) -> Iterator[Row]:
    for metric in ("precision", "recall", "f1"):
        values: list[Fraction | None] = [getattr(scores, metric) for scores in by_type]
        weights = [scores.gold for scores in by_type]
        n = everything.pred if metric == "precision" else everything.gold
        yield (
            Key("mention", "all", "all", None, match, f"macro_{metric}"),
            Cell(naive.macro(values), n),
        )
        mean = naive.weighted(zip(values, weights, strict=True))
        yield Key("mention", "all", "all", None, match, f"weighted_{metric}"), Cell(mean, n)


def of_counts(case: Case, match: str, kind: str | None) -> Iterator[Row]:
    exact, partial = naive.partial_counts(case.gold, case.pred, match, kind)
    scores = naive.partial_prf(case.gold, case.pred, match, kind)
    counts = {
        "correct": exact,
        "partial": partial,
        "incorrect": 0,
        "missed": scores.gold - exact - partial,
    }
    for metric, count in counts.items():
        yield Key("mention", "all", "all", kind, match, metric), Cell(Fraction(count), scores.gold)
    spurious = scores.pred - exact - partial
    yield (
        Key("mention", "all", "all", kind, match, "spurious"),
        Cell(Fraction(spurious), scores.pred),
    )
    share = naive.ratio(partial, exact + partial)
    yield Key("mention", "all", "all", kind, match, "partial_share"), Cell(share, exact + partial)


def of_whole(case: Case) -> Iterator[Row]:
    gold, pred = naive.mentions(case.gold), naive.mentions(case.pred)
    types = naive.all_types(case.gold, case.pred)
    for match in ("exact", "left", "right", "overlap"):
        scores: dict[str | None, Prf] = {
            kind: naive.exact_prf(gold, pred, kind)
            if match == "exact"
            else naive.partial_prf(case.gold, case.pred, match, kind)
            for kind in (None, *types)
        }
        for kind, found in scores.items():
            yield from of_prf("mention", "all", "all", kind, match, found)
            if match != "exact":
                yield from of_counts(case, match, kind)
        yield from of_averages(match, scores[None], [scores[kind] for kind in types])
    yield from of_prf(
        "mention", "all", "all", None, "surface", naive.surface_prf(case.gold, case.pred)
    )
    yield (
        Key("token", "all", "all", None, "label", "accuracy"),
        Cell(*naive.accuracy(case.gold, case.pred)),
    )


def of_tmr(case: Case) -> Iterator[Row]:
    for level, members in naive.tmr_members(case.gold, case.train).items():
        for kind in (None, *naive.all_types(case.gold, case.pred)):
            yield (
                Key("mention", "tmr", level, kind, "exact", "recall"),
                Cell(*naive.recall(members, case.pred, kind)),
            )


def of_hard(case: Case, match: str = "bilou", repair: str = "strict") -> Iterator[Row]:
    for facet in ("hard", "hard-strict"):
        strict = facet == "hard-strict"
        counts = naive.hard_counts(
            case.gold, case.pred, case.train, strict=strict, match=match, repair=repair
        )
        for level in naive.HARD_LEVELS:
            yield (
                Key("token", facet, level, None, match, "ter"),
                Cell(naive.ter(counts, level), counts.tokens[level]),
            )
            share = Cell(naive.error_share(counts, level), counts.errors["all"])
            yield Key("token", facet, level, None, match, "error_share"), share
        n = counts.tokens["unseen"] + counts.tokens["diff"]
        yield (
            Key("token", facet, "score", None, match, "hardeval"),
            Cell(naive.hardeval_score(counts), n),
        )


def mention_buckets(case: Case, name: str) -> Buckets[Mention]:
    attribute = naive.MENTION_ATTRIBUTES[name]
    gold, pred = naive.mentions(case.gold), naive.mentions(case.pred)
    return naive.fill(name, lambda mention: attribute(mention, case.gold, case.train), gold, pred)


def token_buckets(case: Case, name: str) -> Buckets[Inside]:
    attribute = naive.TOKEN_ATTRIBUTES[name]
    gold, pred = naive.inside(naive.mentions(case.gold)), naive.inside(naive.mentions(case.pred))
    return naive.fill(name, lambda unit: attribute(unit, case.gold, case.train), gold, pred)


def of_attribute(
    unit: str, name: str, match: str, filled: Buckets[Unit], types: list[str]
) -> Iterator[Row]:
    for number, level in enumerate(naive.BUCKETS):
        for kind in (None, *types):
            yield from of_prf(
                unit, name, level, kind, match, naive.bucket_prf(filled, number, kind)
            )


def of_buckets(case: Case) -> Iterator[Row]:
    types = naive.all_types(case.gold, case.pred)
    for name in naive.MENTION_ATTRIBUTES:
        yield from of_attribute("mention", name, "exact", mention_buckets(case, name), types)
    for name in naive.TOKEN_ATTRIBUTES:
        yield from of_attribute("token", name, "io", token_buckets(case, name), types)


def whole_table(case: Case) -> list[Row]:
    return [*of_whole(case), *of_tmr(case), *of_hard(case), *of_buckets(case)]


def edges(case: Case) -> dict[str, list[float]]:
    found = {name: mention_buckets(case, name).edges for name in naive.MENTION_ATTRIBUTES}
    found |= {name: token_buckets(case, name).edges for name in naive.TOKEN_ATTRIBUTES}
    return {name: [float(edge) for edge in values] for name, values in found.items()}


def corpus_text(corpus: Corpus) -> str:
    return "".join(
        "".join(f"{token}\t{label}\n" for token, label in zip(tokens, labels, strict=True)) + "\n"
        for tokens, labels in corpus
    )
