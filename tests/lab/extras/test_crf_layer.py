"""The linear chain, against all ways to label a sentence one by one."""

from itertools import pairwise, product
from typing import Any, TypeAlias

import numpy as np
import pytest
import torch

from nerscope.lab.neural.tagger import Crf, forbidden

Tensor: TypeAlias = Any
LABELS = ["B-X", "B-Y", "I-X", "I-Y", "O"]
LENGTHS = [4, 1, 3]


def chain(seed: int, reach: float) -> tuple[Crf, Tensor, Tensor]:
    random = torch.Generator().manual_seed(seed)
    crf = Crf(LABELS)
    for parameter in crf.parameters():
        parameter.data = torch.randn(parameter.shape, generator=random)
    scores = reach * torch.randn(len(LENGTHS), max(LENGTHS), len(LABELS), generator=random)
    return crf, scores, torch.arange(max(LENGTHS)) < torch.tensor(LENGTHS)[:, None]


def naive(crf: Crf, scores: Tensor, path: tuple[int, ...]) -> float:
    start, step, end = (one.tolist() for one in (crf.start, crf.step, crf.end))
    words = sum(row[label] for row, label in zip(scores.tolist(), path, strict=False))
    return float(
        start[path[0]] + words + sum(step[a][b] for a, b in pairwise(path)) + end[path[-1]]
    )


def paths(length: int) -> list[tuple[int, ...]]:
    return list(product(range(len(LABELS)), repeat=length))


def is_bio(path: tuple[int, ...]) -> bool:
    labels = ["O", *(LABELS[code] for code in path)]
    return all(
        after[0] != "I" or before in (f"B-{after[2:]}", f"I-{after[2:]}")
        for before, after in pairwise(labels)
    )


@pytest.mark.parametrize("reach", [0.1, 1.0, 30.0])
def test_the_total_is_that_of_all_paths(reach: float) -> None:
    crf, scores, mask = chain(1, reach)
    totals = crf.total(scores, mask).tolist()
    for total, own, length in zip(totals, scores, LENGTHS, strict=True):
        every = np.array([naive(crf, own, path) for path in paths(length)])
        assert total == pytest.approx(np.logaddexp.reduce(every), rel=1e-5)


def test_a_path_scores_what_its_labels_and_steps_do() -> None:
    crf, scores, mask = chain(2, 1.0)
    gold = torch.randint(len(LABELS), mask.shape, generator=torch.Generator().manual_seed(2))
    found = crf.score(scores, gold, mask).tolist()
    for score, own, labels, length in zip(found, scores, gold.tolist(), LENGTHS, strict=True):
        assert score == pytest.approx(naive(crf, own, tuple(labels[:length])), rel=1e-5)


@pytest.mark.parametrize("seed", range(10))
def test_the_best_path_is_the_best_of_those_that_bio_allows(seed: int) -> None:
    crf, scores, mask = chain(seed, 1.0)
    with torch.no_grad():
        found = crf.best(scores, mask).tolist()
    for labels, own, length in zip(found, scores, LENGTHS, strict=True):
        allowed = [path for path in paths(length) if is_bio(path)]
        assert tuple(labels[:length]) == max(allowed, key=lambda path: naive(crf, own, path))


def test_the_gradient_is_gold_minus_what_is_expected() -> None:
    crf, scores, mask = chain(3, 1.0)
    scores.requires_grad_()
    crf.total(scores, mask).sum().backward()
    sums = scores.grad.sum(2)  # the probabilities of all labels of a word sum to one
    assert torch.allclose(sums[mask], torch.ones(sum(LENGTHS)), atol=1e-5)
    assert not sums[~mask].any()


def test_nothing_overflows_in_a_long_sentence() -> None:
    crf = Crf(LABELS)
    scores = torch.full((1, 2000, len(LABELS)), 50.0)
    total = crf.total(scores, torch.ones(1, 2000, dtype=torch.bool))
    assert total.tolist() == pytest.approx([2000 * (50 + np.log(len(LABELS)))], rel=1e-5)


def test_what_bio_forbids() -> None:
    start, step = forbidden(LABELS)
    assert [label for label, bad in zip(LABELS, start, strict=True) if bad] == ["I-X", "I-Y"]
    allowed = {LABELS[a] + " " + LABELS[b] for a, b in zip(*np.nonzero(~step), strict=True)}
    inside = {pair for pair in allowed if pair.split()[1][0] == "I"}
    assert inside == {"B-X I-X", "I-X I-X", "B-Y I-Y", "I-Y I-Y"}
    assert len(allowed - inside) == len(LABELS) * 3
