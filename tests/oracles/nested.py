"""Whole evaluations of nested mentions by trying every pairing, and the cells that differ.

    python -m tests.oracles.nested [CORPORA]

prints how many cells of so many generated corpora differ from the naive numbers, as they are, with
mentions and sentences in another order, and read backwards.
"""

import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import cache
from math import isclose
from random import Random
from typing import NamedTuple

from tests.oracles.naive import RULES, Prf, Span, prf, ratio, worth

import nerscope

TYPES = ("A", "B", "C")
FACETS = ("tmr", "eLen")
WORDS = "xxyz"
Surface = tuple[str, ...]
Cell = tuple[str, str, str | None, str, str]  # facet, level, type, match, metric


class NestedSentence(NamedTuple):
    """A sentence with the gold and the predicted spans on its words."""

    words: Surface
    gold: tuple[Span, ...]
    pred: tuple[Span, ...]

    def surface(self, span: Span) -> Surface:
        return self.words[span.start : span.end]


class PairedSpans(NamedTuple):
    """A gold and a predicted span, and their credit."""

    gold: Span
    pred: Span
    credit: Fraction


def nested_corpus(seed: int, sentences: int, words: str = WORDS) -> list[NestedSentence]:
    """Sentences with up to five gold and five predicted spans, which nest and cross."""
    random = Random(seed)

    def span(size: int) -> Span:
        start = random.randrange(size)
        return Span(start, random.randint(start + 1, min(size, start + 5)), random.choice(TYPES))

    def near(wanted: Span, size: int) -> Span:
        start = min(size - 1, max(0, wanted.start + random.choice([-1, 0, 0, 1])))
        end = min(size, max(start + 1, wanted.end + random.choice([-1, 0, 0, 1])))
        return Span(start, end, wanted.type if random.random() < 0.7 else random.choice(TYPES))

    def sentence() -> NestedSentence:
        size = random.randint(3, 9)
        gold = dict.fromkeys(span(size) for _ in range(random.randint(1, 5)))
        moved = [near(wanted, size) for wanted in gold if random.random() < 0.7]
        drawn = [span(size) for _ in range(random.randint(0, 5 - len(moved)))]
        text = tuple(random.choices(words, k=size))
        return NestedSentence(text, tuple(gold), tuple(dict.fromkeys([*moved, *drawn])))

    return [sentence() for _ in range(sentences)]


def best_pairs(sentence: NestedSentence, match: str) -> list[PairedSpans]:
    """The pairs of the best way to pair, by trying for every gold span every partner and none.

    Equal ways are told apart by their names, and then by which names get equal spans and credit.
    """
    rule, (_, gold, pred) = RULES[match], sentence

    def detail(a: Span, b: Span) -> tuple[int, int]:
        totals = worth(a, b, rule)
        assert totals is not None
        return totals.equal_spans, totals.credit

    def order(pairs: tuple[PairedSpans, ...]) -> tuple[list[object], list[object]]:
        named = sorted(
            ((g.type, p.type, sentence.surface(g), sentence.surface(p)), detail(g, p))
            for g, p, _ in pairs
        )
        return [names for names, _ in named], [*named]

    @cache
    def ways(place: int, used: int) -> tuple[tuple[int, ...], tuple[PairedSpans, ...]]:
        if place == len(gold):
            return (0,) * 6, ()
        options = [ways(place + 1, used)]
        for at, other in enumerate(pred):
            totals = worth(gold[place], other, rule)
            if totals is None or used >> at & 1:
                continue
            further, pairs = ways(place + 1, used | 1 << at)
            credit = rule.credit(gold[place], other)
            assert credit is not None
            added = tuple(a + b for a, b in zip(totals, further, strict=True))
            options.append((added, (PairedSpans(gold[place], other, credit), *pairs)))
        most = max(totals for totals, _ in options)
        best = [pairs for totals, pairs in options if totals == most]
        return most, min(best, key=order)

    return list(ways(0, 0)[1])


class Levels:
    """The levels of a mention, from its surface and type, training and gold."""

    def __init__(self, corpus: list[NestedSentence], train: list[NestedSentence]) -> None:
        self._trained = {(s.surface(span), span.type) for s in train for span in s.gold}
        self._seen = {surface for surface, _ in self._trained}
        self._types: dict[Surface, set[str]] = {}
        for sentence in corpus:
            for span in sentence.gold:
                self._types.setdefault(sentence.surface(span), set()).add(span.type)

    def of(self, surface: Surface, kind: str) -> Iterator[tuple[str, str]]:
        yield "all", "all"
        yield "eLen", ("XS", "S", "L", "XL")[min(len(surface), 4) - 1]
        is_seen, is_known = (surface, kind) in self._trained, surface in self._seen
        if is_seen:
            yield "tmr", "seen"
        else:
            yield "tmr", "unseen-any"
            yield "tmr", "unseen-type" if is_known else "unseen-tokens"
        if len(self._types.get(surface, ())) > 1:
            yield "tmr", "tcm-all"
            yield "tmr", "tcm-seen" if is_known else "tcm-unseen"


def naive_cells(
    corpus: list[NestedSentence], train: list[NestedSentence], match: str
) -> dict[Cell, Fraction | None]:
    """Precision, recall and F1 by level and type, as fractions; of tough mentions, recall."""
    levels, counts = Levels(corpus, train), Counter[tuple[str, tuple[str, str], str | None]]()
    credit: dict[tuple[str, tuple[str, str], str | None], Fraction] = {}
    for sentence in corpus:
        pairs = best_pairs(sentence, match)
        sides = [
            ("gold", sentence.gold, {pair.gold: pair.credit for pair in pairs}),
            ("pred", sentence.pred, {pair.pred: pair.credit for pair in pairs}),
        ]
        for side, spans, credit_of in sides:
            for span in spans:
                for level in levels.of(sentence.surface(span), span.type):
                    for kind in (None, span.type):
                        key = side, level, kind
                        counts[key] += 1
                        credit[key] = credit.get(key, Fraction(0)) + credit_of.get(span, 0)
    cells: dict[Cell, Fraction | None] = {}
    for level, kind in {(level, kind) for _, level, kind in counts}:
        gold, pred = ((side, level, kind) for side in ("gold", "pred"))
        numbers = _numbers(*((credit.get(key, Fraction(0)), counts[key]) for key in (gold, pred)))
        chosen = {"recall": numbers.recall} if level[0] == "tmr" else numbers._asdict()
        for metric in ("precision", "recall", "f1"):
            if metric in chosen:
                cells[(*level, kind, match, metric)] = chosen[metric]
    return cells


def _numbers(gold: tuple[Fraction, int], pred: tuple[Fraction, int]) -> Prf:
    """The scores of a cell, in which the two sides of a pair need not both be."""
    recall, precision = ratio(*gold), ratio(*pred)
    r, p = recall or Fraction(0), precision or Fraction(0)
    f1 = prf(0, gold[1], pred[1]).f1 if p + r == 0 else 2 * p * r / (p + r)
    return Prf(precision, recall, f1, gold[1], pred[1])


def evaluated_cells(
    corpus: list[NestedSentence], train: list[NestedSentence], matches: Sequence[str]
) -> dict[Cell, float | None]:
    """The same cells from the package."""
    gold, pred, training = (
        [(list(s.words), [tuple(span) for span in getattr(s, side)]) for s in part]
        for part, side in ((corpus, "gold"), (corpus, "pred"), (train, "gold"))
    )
    results = nerscope.evaluate(
        gold, {"s": pred}, train=training, facets=list(FACETS), matches=list(matches)
    )
    return {
        (row.facet, row.level, row.type, row.match, row.metric): row.value
        for row in results.rows
        if row.run == "1"
    }


def permuted(corpus: list[NestedSentence], seed: int) -> list[NestedSentence]:
    """The same sentences and mentions in another order."""
    random = Random(seed)
    shuffled = [
        s._replace(
            gold=tuple(random.sample(s.gold, len(s.gold))),
            pred=tuple(random.sample(s.pred, len(s.pred))),
        )
        for s in corpus
    ]
    random.shuffle(shuffled)
    return shuffled


def backwards(corpus: list[NestedSentence]) -> list[NestedSentence]:
    def turned(spans: tuple[Span, ...], size: int) -> tuple[Span, ...]:
        return tuple(Span(size - span.end, size - span.start, span.type) for span in spans)

    return [
        NestedSentence(s.words[::-1], turned(s.gold, len(s.words)), turned(s.pred, len(s.words)))
        for s in corpus
    ]


MIRRORED = {"left": "right", "right": "left", "left(credit=0.25)": "right(credit=0.25)"}


class Difference(NamedTuple):
    """How many cells were compared, and those that differ."""

    cells: int
    wrong: list[tuple[Cell, Fraction | float | None, float | None]]


def compared(
    expected: dict[Cell, Fraction | None] | dict[Cell, float | None],
    found: dict[Cell, float | None],
) -> Difference:
    wrong = []
    for cell, number in expected.items():
        value = found.get(cell)
        is_same = number is value is None or (
            number is not None
            and value is not None
            and isclose(float(number), value, rel_tol=1e-12, abs_tol=1e-15)
        )
        if not is_same:
            wrong.append((cell, number, value))
    return Difference(len(expected), wrong)


def all_naive_cells(
    corpus: list[NestedSentence], train: list[NestedSentence]
) -> dict[Cell, Fraction | None]:
    by_match = (naive_cells(corpus, train, match) for match in RULES)
    return {cell: number for cells in by_match for cell, number in cells.items()}


def differences(seed: int, sentences: int = 30) -> dict[str, Difference]:
    """What differs from the naive numbers, and between the ways to write one corpus."""
    matches = list(RULES)
    corpus, train = nested_corpus(seed, sentences), nested_corpus(seed + 10**6, 10)
    found = evaluated_cells(corpus, train, matches)
    turned, turned_train = backwards(corpus), backwards(train)
    # Read backwards, a surface is another one and may decide a tie otherwise, unless all words are
    # the same.
    same, same_train = nested_corpus(seed, sentences, "x"), nested_corpus(seed + 10**6, 10, "x")
    forward = evaluated_cells(same, same_train, matches)
    mirrored = [MIRRORED.get(match, match) for match in matches]
    reverse = evaluated_cells(backwards(same), backwards(same_train), mirrored)
    names = dict(zip(mirrored, matches, strict=True))
    renamed = {(*cell[:3], names.get(cell[3], cell[3]), cell[4]): v for cell, v in reverse.items()}
    return {
        "naive": compared(all_naive_cells(corpus, train), found),
        "naive, one word": compared(all_naive_cells(same, same_train), forward),
        "naive, backwards": compared(
            all_naive_cells(turned, turned_train), evaluated_cells(turned, turned_train, matches)
        ),
        "permuted": compared(found, evaluated_cells(permuted(corpus, seed), train, matches)),
        "backwards, one word": compared(forward, renamed),
    }


def main() -> None:
    totals: Counter[str] = Counter()
    wrong: Counter[str] = Counter()
    for seed in range(int(sys.argv[1]) if len(sys.argv) > 1 else 70):
        for name, difference in differences(seed).items():
            totals[name] += difference.cells
            wrong[name] += len(difference.wrong)
            for cell in difference.wrong[:1]:
                print(seed, name, *cell)
    for name in totals:
        print(f"{name}: {wrong[name]} of {totals[name]} cells differ")


if __name__ == "__main__":
    main()
