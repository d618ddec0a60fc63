"""How often does a diagnosis see an effect of an attribute that means nothing?

    python studies/diagnosis_level.py --corpus DIR [--corpus DIR …] [--rounds 1000]
        [--documents N | --sentences N] [--uneven] [--paper]

DIR holds test.txt and real outputs, systems/SYSTEM[.RUN].txt. Each round draws a level for every
sentence, mention, document or surface form, and diagnoses that attribute: the share of p < 0.05
should be 0.05. Several corpora are diagnosed together.
"""

import argparse
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import compress
from pathlib import Path
from zlib import crc32

import numpy as np

import nerscope
from nerscope.corpus.arrays import Floats, Ints
from nerscope.formats.base import open_source
from nerscope.formats.source import Source
from nerscope.results.results import Results
from nerscope.scoring.evidence import (
    TOKEN_JOIN,
    BucketEdges,
    Evidence,
    FacetTable,
    Ledger,
    Output,
    Units,
)

LABELS = ("sentence", "mention", "document", "surface")
EVEN, UNEVEN = (0.25, 0.25, 0.25, 0.25), (0.6, 0.3, 0.07, 0.03)
TESTS = {
    "any effect, by system": ("model-wise", "p"),
    "trend, by system": ("model-wise", "p_trend"),
    "any effect, by dataset": ("attribute-wise", "p"),
    "trend, by dataset": ("attribute-wise", "p_trend"),
    "best against worst": ("self-diagnosis", "p"),
    "lead of a system": ("comparative diagnosis", "p"),
}
PAPER = {
    "Friedman, by system": ("model-wise", "interpreteval_p"),
    "Friedman, by dataset": ("attribute-wise", "interpreteval_p"),
    "Wilcoxon, best against worst": ("self-diagnosis", "interpreteval_p"),
    "Wilcoxon, two systems": ("comparative diagnosis", "interpreteval_p"),
}


def evaluated(folder: Path) -> Evidence:
    """What an evaluation gathers of all outputs in a folder."""
    systems: dict[str, list[Source]] = defaultdict(list)
    for path in sorted((folder / "systems").glob("*.txt")):
        systems[path.name.split(".")[0]].append(open_source(str(path), tokens="any"))
    results = nerscope.evaluate(
        str(folder / "test.txt"), systems, facets=["eLen"], dataset=folder.name
    )
    evidence = results.evidence[0]
    assert evidence.texts is not None
    tokens = [text.split(TOKEN_JOIN) for text in evidence.texts]

    def with_surface(units: Units) -> Units:
        assert units.start is not None and units.length is not None
        places = zip(units.sentence, units.start, units.start + units.length, strict=True)
        surfaces = [crc32(" ".join(tokens[at][low:high]).encode()) for at, low, high in places]
        return replace(units, surface=np.array(surfaces, np.int64))

    return mapped(evidence, with_surface)


def mapped(evidence: Evidence, change: Callable[[Units], Units]) -> Evidence:
    """The evidence with other mentions."""
    ledger = evidence.ledgers["mention"]
    runs = tuple(replace(run, pred=change(run.pred)) for run in ledger.runs)
    return replace(evidence, ledgers={"mention": Ledger(change(ledger.gold), runs)})


def drawn(
    evidence: Evidence, rng: np.random.Generator, documents: int | None, sentences: int | None
) -> Evidence:
    """Some documents, or some sentences."""
    if documents:
        chosen = rng.choice(np.unique(evidence.documents), documents, replace=False)
        is_drawn = np.isin(evidence.documents, chosen)
    elif sentences:
        is_drawn = np.zeros(len(evidence.documents), bool)
        is_drawn[rng.choice(len(is_drawn), sentences, replace=False)] = True
    else:
        return evidence
    places, ledger = np.cumsum(is_drawn) - 1, evidence.ledgers["mention"]

    def cut(units: Units) -> Units:
        is_drawn_unit = is_drawn[units.sentence]
        columns = {
            name: column[is_drawn_unit]
            for name in ("surface", "start", "length")
            if (column := getattr(units, name)) is not None
        }
        return Units(places[units.sentence[is_drawn_unit]], units.type[is_drawn_unit], **columns)

    gold = is_drawn[ledger.gold.sentence]
    runs = [
        Output(
            cut(run.pred),
            {match: credit[gold] for match, credit in run.gold_credit.items()},
            {
                match: credit[is_drawn[run.pred.sentence]]
                for match, credit in run.pred_credit.items()
            },
        )
        for run in ledger.runs
    ]
    ledgers = {"mention": Ledger(cut(ledger.gold), tuple(runs))}
    texts = tuple(compress(evidence.texts or (), is_drawn))
    return replace(evidence, ledgers=ledgers, documents=evidence.documents[is_drawn], texts=texts)


def keys_of(evidence: Evidence, label: str, units: Units) -> Ints:
    """What has a level of its own."""
    assert units.start is not None and units.length is not None and units.surface is not None
    if label == "sentence":
        return units.sentence.astype(np.int64)
    if label == "document":
        return evidence.documents[units.sentence]
    if label == "surface":
        return units.surface.astype(np.int64)
    return (units.sentence.astype(np.int64) << 32) + (units.start << 16) + units.length


def labelled(
    evidence: Evidence, label: str, rng: np.random.Generator, shares: tuple[float, ...]
) -> Evidence:
    """The evidence with nothing but a meaningless attribute."""
    ledger = evidence.ledgers["mention"]
    sides = [ledger.gold, *(run.pred for run in ledger.runs)]
    known = np.unique(np.concatenate([keys_of(evidence, label, side) for side in sides]))
    levels = rng.choice(len(shares), len(known), p=shares)

    def coded(units: Units) -> Units:
        place = np.searchsorted(known, keys_of(evidence, label, units))
        return replace(units, codes={"random": levels[place]})

    names = {name: (code,) for code, name in enumerate(("XS", "S", "L", "XL"))}
    table = FacetTable("random", "mention", names, {"exact": ("f1",)}, by_type=False)
    edges = {"random": BucketEdges((), dict.fromkeys(names, ""))}
    signature = replace(evidence.signature, edges=edges)
    return replace(mapped(evidence, coded), tables=(table,), signature=signature)


def rounds_of(
    everyone: list[Evidence], label: str, options: argparse.Namespace
) -> Iterator[dict[str, float]]:
    """For each round and test, the share of p < 0.05."""
    tests = {**TESTS, **PAPER} if options.paper else TESTS
    for number in range(options.rounds):
        rng = np.random.default_rng([number, LABELS.index(label)])
        parts = [
            labelled(
                drawn(part, rng, options.documents, options.sentences),
                label,
                rng,
                UNEVEN if options.uneven else EVEN,
            )
            for part in everyone
        ]
        views = nerscope.diagnose(
            Results(parts), samples=options.samples, seed=number, paper=options.paper
        )
        yield {
            name: float(np.mean([(row[key] or 0.0) < 0.05 for row in known]))
            for name, (view, key) in tests.items()
            if (known := [row for row in views.get(view, []) if row[key] is not None])
        }


def shown(shares: list[float]) -> str:
    """A share with its error."""
    values: Floats = np.array(shares)
    if not len(values):
        return "–"
    return f"{values.mean():.3f} ± {values.std() / np.sqrt(len(values)):.3f}"


def main() -> None:
    """Print a table: tests by what has a level of its own."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--corpus", type=Path, action="append", required=True)
    parser.add_argument("--rounds", type=int, default=1000)
    parser.add_argument("--samples", type=int, default=999)
    parser.add_argument("--documents", type=int)
    parser.add_argument("--sentences", type=int)
    parser.add_argument("--uneven", action="store_true")
    parser.add_argument("--paper", action="store_true", help="InterpretEval's own tests, too")
    options = parser.parse_args()
    everyone = [evaluated(folder) for folder in options.corpus]
    marked = all(len(np.unique(part.documents)) > 1 for part in everyone)
    labels = [label for label in LABELS if marked or label != "document"]
    shares_of: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for label in labels:
        for shares_by_test in rounds_of(everyone, label, options):
            for test, share in shares_by_test.items():
                shares_of[test][label].append(share)
    print(f"| test | {' | '.join(f'by {label}' for label in labels)} |")
    print(f"|---|{'---:|' * len(labels)}")
    for test, shares in shares_of.items():
        print(f"| {test} | {' | '.join(shown(shares[label]) for label in labels)} |", flush=True)


if __name__ == "__main__":
    main()
