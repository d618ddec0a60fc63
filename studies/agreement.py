"""How often the intervals of agreement contain the true value, for annotators of known error rates.

Annotators miss mentions, change types, move boundaries and invent mentions, each with a rate of
their own, which is higher in some documents than in others. The true value of a number is its value
on very many documents. Run it with: python studies/agreement.py --rounds 400
"""

import argparse
import random
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

import nerscope as ns
from shares import COVERED, Share

TYPES = ("PER", "LOC", "ORG", "MISC")
MANY = 6000  # documents from which true values are taken
LENGTHS = (5, 40)  # tokens of a sentence
Span = tuple[int, int, str]


class Annotator(NamedTuple):
    """Error rates: of mentions, and of invented ones per sentence."""

    missed: float
    retyped: float
    moved: float
    invented: float


CAREFUL = Annotator(0.03, 0.02, 0.02, 0.02)
USUAL = Annotator(0.10, 0.06, 0.06, 0.06)
HASTY = Annotator(0.25, 0.12, 0.12, 0.15)


class Design(NamedTuple):
    """Who annotates how many documents, and how much of them."""

    name: str
    annotators: Sequence[Annotator]
    documents: int
    sentences: int  # of a document
    share: float = 1.0  # of the documents that each annotator has seen


DESIGNS = (
    Design("2 careful, 50 documents", (CAREFUL, CAREFUL), 50, 6),
    Design("2 usual, 20 documents", (USUAL, USUAL), 20, 6),
    Design("2 usual, 200 single sentences", (USUAL, USUAL), 200, 1),
    Design("3 usual, 50 documents", (USUAL, USUAL, HASTY), 50, 6),
    Design("3 careful, 200 single sentences", (CAREFUL, CAREFUL, USUAL), 200, 1),
    Design("4 usual, 60 documents, half seen", (USUAL, USUAL, HASTY, CAREFUL), 60, 6, 0.5),
    Design("3 hasty, 100 documents", (HASTY, HASTY, HASTY), 100, 6),
)


def true_mentions(rng: random.Random, size: int, density: float) -> list[Span]:
    spans, at = list[Span](), 0
    while at < size:
        if rng.random() < density:
            end = min(size, at + rng.choice((1, 1, 1, 2, 2, 3)))
            spans.append((at, end, rng.choices(TYPES, (4, 3, 3, 1))[0]))
            at = end
        at += 1
    return spans


def annotated(rng: random.Random, truth: Sequence[Span], size: int, who: Annotator) -> list[Span]:
    """What an annotator makes of the mentions of a sentence."""
    spans = list[Span]()
    for start, end, kind in truth:
        if rng.random() < who.missed:
            continue
        if rng.random() < who.retyped:
            kind = rng.choice(TYPES)
        if rng.random() < who.moved:
            end = min(size, end + 1) if rng.random() < 0.5 or end - start == 1 else end - 1
        spans.append((start, end, kind))
    if rng.random() < who.invented:
        at = rng.randrange(size)
        spans.append((at, at + 1, rng.choice(TYPES)))
    taken, kept = 0, list[Span]()
    for start, end, kind in sorted(spans):
        if start >= taken:
            kept.append((start, end, kind))
            taken = end
    return kept


def draw(design: Design, documents: int, seed: int) -> dict[str, ns.Corpus]:
    """The annotations of documents, which differ in length of sentences, density and difficulty."""
    rng = random.Random(seed)
    sentences: dict[str, list[tuple[list[str], list[Span]]]] = {}
    numbers: dict[str, list[int]] = {}
    for document in range(documents):
        density, hard = rng.uniform(0.02, 0.15), rng.choice((0.4, 0.8, 1.0, 1.8))
        seen = [rng.random() < design.share for _ in design.annotators]
        for number in range(design.sentences):
            size = rng.randint(*LENGTHS)
            truth = true_mentions(rng, size, density)
            words = [f"d{document}s{number}"] * size
            for at, who in enumerate(design.annotators):
                harder = Annotator(*(min(0.9, hard * rate) for rate in who))
                spans = annotated(rng, truth, size, harder)
                if seen[at]:
                    sentences.setdefault(f"a{at}", []).append((words, spans))
                    numbers.setdefault(f"a{at}", []).append(document)
    return {
        name: replace(ns.Corpus.of(own, name=name), documents=np.array(numbers[name]))
        for name, own in sorted(sentences.items())
    }


Estimate = tuple[float | None, float | None, float | None]


def estimates(agreement: ns.Agreement) -> Iterator[tuple[str, Estimate]]:
    """The numbers under study by name, each with its interval."""
    for row in agreement.rows:
        is_whole = (row.facet, row.type) == ("all", None)
        is_mean = row.a is None and row.facet == "all"
        if is_whole and (row.a, row.b) in ((None, None), ("a0", "a1")):
            name = "mean" if row.a is None else "pair"
            yield f"{row.measure} {name}", (row.value, row.low, row.high)
        elif is_mean and row.type in ("PER", "MISC"):
            yield f"f1 {row.type}", (row.value, row.low, row.high)
    for who in agreement.deviations[-1:]:
        yield "deviation", (who.difference, who.low, who.high)


def coverage(design: Design, rounds: int, seed: int) -> dict[str, Share]:
    """How often the interval of each number contains its true value."""
    many = ns.agree(draw(design, MANY, seed), matches=["exact"], texts=False)
    truth = {name: value for name, (value, _, _) in estimates(many)}
    shares = {name: Share() for name in truth}
    for number in range(1, rounds + 1):
        drawn = draw(design, design.documents, seed + number)
        for name, (_, low, high) in estimates(ns.agree(drawn, matches=["exact"], texts=False)):
            true = truth[name]
            if true is not None and low is not None and high is not None:
                shares[name].add(low <= true <= high)
    return shares


def main() -> None:
    """Print a line for each number of each design; a star marks what misses its target."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=400)
    parser.add_argument("--seed", type=int, default=1_000_000)
    options = parser.parse_args()
    every = dict[str, Share]()
    for design in DESIGNS:
        print(f"{design.name}", flush=True)
        for name, share in coverage(design, options.rounds, options.seed).items():
            star = "*" if share.of and share.value < COVERED[0] else ""
            print(f"  {name:36} {share}{star}", flush=True)
            total = every.setdefault(name, Share())
            total.hits, total.of = total.hits + share.hits, total.of + share.of
    print("all designs")
    for name, share in every.items():
        print(f"  {name:36} {share}")


if __name__ == "__main__":
    main()
