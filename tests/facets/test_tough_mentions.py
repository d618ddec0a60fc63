"""Tough mentions on a corpus small enough to count by hand."""

from typing import Any

import pytest
from tests.scoring.toys import corpus

import nerscope
from nerscope.errors import UsageError

TRAIN = corpus(
    "Ada/B-PER met Bob/B-PER in Paris/B-LOC",
    "Paris/B-PER Hilton/I-PER left Washington/B-LOC",
    "George liked Turin",  # unannotated text does not count
)
GOLD = corpus(
    "Ada/B-PER saw Paris/B-LOC",  # seen, seen
    "Washington/B-PER saw Washington/B-LOC",  # unseen-type, seen: of two types in test
    "George/B-PER saw George/B-ORG",  # unseen-tokens twice: of two types in test
    "paris/B-LOC and Paris/B-LOC Hilton/I-LOC",  # unseen-tokens (case matters), unseen-type
)
PRED = corpus(
    "Ada/B-PER saw Paris/B-LOC",  # both right
    "Washington/B-PER saw Washington/B-PER",  # first right
    "George saw George/B-ORG",  # second right
    "paris/B-LOC and Paris/B-PER Hilton/I-PER",  # first right
)
# level: how many gold mentions, how many of them are found
COUNTED = {
    "seen": (3, 2),
    "unseen-any": (5, 3),
    "unseen-tokens": (3, 2),
    "unseen-type": (2, 1),
    "tcm-all": (4, 2),
    "tcm-seen": (2, 1),
    "tcm-unseen": (2, 1),
}


@pytest.mark.parametrize("level", COUNTED)
def test_recall_of_each_subset(level: str) -> None:
    (row,) = nerscope.evaluate(GOLD, {"s": PRED}, train=TRAIN).select(
        facet="tmr", level=level, type=None, run=None
    )
    size, found = COUNTED[level]
    assert (row["n"], row["metric"], row["match"]) == (size, "recall", "exact")
    assert row["value"] == pytest.approx(found / size)


@pytest.mark.parametrize(
    ("kind", "level", "n", "value"),
    [
        ("PER", "seen", 1, 1.0),
        ("PER", "unseen-type", 1, 1.0),
        ("PER", "tcm-unseen", 1, 0.0),
        ("LOC", "seen", 2, 0.5),
        ("LOC", "unseen-tokens", 1, 1.0),
        ("LOC", "tcm-seen", 1, 0.0),
        # no organisation is seen: undefined, not 0
        ("ORG", "seen", 0, None),
        ("ORG", "tcm-all", 1, 1.0),
    ],
)
def test_recall_of_each_subset_by_type(kind: str, level: str, n: int, value: float | None) -> None:
    (row,) = nerscope.evaluate(GOLD, {"s": PRED}, train=TRAIN).select(
        facet="tmr", level=level, type=kind, run=None
    )
    assert (row["n"], row["value"]) == (n, value)


def test_tough_mentions_need_training_data() -> None:
    for facets in (["tmr"], ["eLen", "tmr", "hard"]):
        with pytest.raises(UsageError, match=r"facet tmr: it needs training data.*--train"):
            nerscope.evaluate(GOLD, {"s": PRED}, facets=facets)


SURFACES = {
    # the surface, its type in test: its level
    ("Bank of Ghana", "ORG"): "seen",
    ("Ghana", "LOC"): "seen",
    ("Ghana", "PER"): "unseen-type",
    ("of Ghana", "LOC"): "unseen-tokens",
}


@pytest.mark.parametrize(("surface", "kind"), SURFACES)
def test_nested_training_mentions_are_all_seen(surface: str, kind: str) -> None:
    train: Any = [(["Bank", "of", "Ghana"], [(0, 3, "ORG"), (2, 3, "LOC")])]
    words = surface.split()
    gold: Any = [(words, [(0, len(words), kind)])]
    results = nerscope.evaluate(gold, {"s": gold}, train=train)
    rows = results.select(facet="tmr", metric="recall", type=None, run=None)
    found = {row["level"] for row in rows if row["n"]}
    assert SURFACES[surface, kind] in found
    assert found <= {SURFACES[surface, kind], "unseen-any"}
