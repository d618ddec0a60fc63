"""κ and α equal scikit-learn, statsmodels and krippendorff, on generated and real annotations."""

import math
import random
import warnings
from collections.abc import Iterator, Sequence
from itertools import combinations, pairwise
from pathlib import Path

import krippendorff
import numpy as np
import pytest
from sklearn.metrics import cohen_kappa_score
from statsmodels.stats.inter_rater import aggregate_raters, fleiss_kappa

import nerscope as ns

CORPORA = Path(__file__).resolve().parents[3] / "shared" / "corpora"
TYPES = ("PER", "LOC", "ORG")
Labels = list[list[str]]


def generated(seed: int) -> dict[str, dict[int, list[str]]]:
    """Labels of each annotator by text; some texts are missing."""
    rng = random.Random(seed)
    truth = [[rng.choice(("O", "O", *TYPES)) for _ in range(rng.randint(1, 9))] for _ in range(12)]
    noise = rng.choice((0.05, 0.2, 0.6))
    return {
        name: {
            text: [rng.choice(("O", *TYPES)) if rng.random() < noise else label for label in labels]
            for text, labels in enumerate(truth)
            if rng.random() < 0.85
        }
        for name in ("ann", "ben", "eve", "joe")[: rng.randint(2, 4)]
    }


def sentences(labels: dict[int, list[str]]) -> Iterator[tuple[list[str], list[str]]]:
    for text, classes in labels.items():
        words = [f"t{text}w{at}" for at in range(len(classes))]
        yield words, [kind if kind == "O" else f"B-{kind}" for kind in classes]


def ratings(given: Sequence[dict[int, list[str]]]) -> list[list[str | None]]:
    """A row of classes for each annotator; None for a text that the annotator has not seen."""
    sizes = {text: len(labels) for own in given for text, labels in own.items()}
    return [
        [kind for text, size in sorted(sizes.items()) for kind in own.get(text, [None] * size)]
        for own in given
    ]


def annotated(rows: list[list[str | None]]) -> list[list[str | None]]:
    inside = [any(kind not in (None, "O") for kind in column) for column in zip(*rows, strict=True)]
    return [[kind for kind, here in zip(row, inside, strict=True) if here] for row in rows]


def codes(rows: Sequence[Sequence[str | None]]) -> np.ndarray:
    names = ("O", *TYPES, "MISC")
    kinds = {kind: code for code, kind in enumerate(names)}
    return np.array([[math.nan if kind is None else kinds[kind] for kind in row] for row in rows])


def by_sklearn(rows: list[list[str | None]]) -> float | None:
    pairs = [pair for pair in zip(*rows, strict=True) if None not in pair]
    if len({kind for pair in pairs for kind in pair}) < 2:
        return None
    first, second = zip(*pairs, strict=True)
    value = float(cohen_kappa_score(first, second))
    return None if math.isnan(value) else value


def by_statsmodels(rows: list[list[str | None]]) -> float | None:
    units = codes(rows).T
    complete = units[~np.isnan(units).any(axis=1)].astype(int)
    if len(np.unique(complete)) < 2:
        return None
    return float(fleiss_kappa(aggregate_raters(complete)[0]))


def by_krippendorff(rows: list[list[str | None]]) -> float | None:
    table = codes(rows)
    paired = table[:, (~np.isnan(table)).sum(axis=0) > 1]
    if len(np.unique(paired[~np.isnan(paired)])) < 2:
        return None
    return float(krippendorff.alpha(table, level_of_measurement="nominal"))


def equal(ours: float | None, theirs: float | None) -> bool:
    if ours is None or theirs is None:
        return ours is theirs
    return math.isclose(ours, theirs, rel_tol=0, abs_tol=1e-9)


def check(agreement: ns.Agreement, given: dict[str, dict[int, list[str]]]) -> int:
    """Compare every coefficient; returns how many are defined."""
    defined = 0
    for suffix, chosen in (("", lambda rows: rows), ("_annotated", annotated)):
        rows = chosen(ratings(list(given.values())))
        expected: dict[tuple[str, str | None, str | None], float | None] = {
            ("fleiss_kappa", None, None): by_statsmodels(rows),
            ("krippendorff_alpha", None, None): by_krippendorff(rows),
        }
        for first, second in combinations(given, 2):
            pair = chosen(ratings([given[first], given[second]]))
            expected["cohen_kappa", first, second] = by_sklearn(pair)
        for (measure, a, b), value in expected.items():
            ours = agreement.value(measure + suffix, a, b)
            assert equal(ours, value), (measure + suffix, a, b, ours, value)
            defined += value is not None
    return defined


@pytest.mark.filterwarnings("ignore")
def test_generated_annotations() -> None:
    defined = 0
    for seed in range(300):
        given = generated(seed)
        if set.intersection(*map(set, given.values())):
            corpora = {name: list(sentences(labels)) for name, labels in given.items()}
            defined += check(ns.agree(corpora), given)
    assert defined > 1000


def token_types(path: Path) -> dict[int, list[str]]:
    """The types of the labels of a file, by sentence."""
    corpus = ns.read(path)
    kinds = np.full(corpus.n_tokens, "O", object)
    mentions, types = corpus.mentions(), corpus.coding.labels.types
    for start, end, kind in zip(mentions.start, mentions.end, mentions.type, strict=True):
        kinds[start:end] = types[kind]
    starts = corpus.starts.tolist()
    return {
        number: kinds[begin:end].tolist() for number, (begin, end) in enumerate(pairwise(starts))
    }


@pytest.mark.corpora
@pytest.mark.skipif(not CORPORA.exists(), reason="the checking corpora are not there")
def test_real_annotations() -> None:
    """Gold and the outputs of two systems, as three annotators of 3,453 sentences."""
    folder = CORPORA / "conll2003"
    files = {
        "gold": folder / "test.txt",
        "flair": folder / "systems" / "flair.txt",
        "elmo": folder / "systems" / "elmo.txt",
    }
    given = {name: token_types(path) for name, path in files.items()}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert check(ns.agree(files), given) == 10
