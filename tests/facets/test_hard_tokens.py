"""Hard tokens: every rule on training counts written out by hand."""

from typing import Any

import pytest
from tests.scoring.toys import corpus

import nerscope

# Training occurrences of a token: outside, as a person, as a place.
OCCURRENCES = {
    "mostly-out": (3, 1, 0),
    "mostly-in": (1, 2, 0),
    "tie": (1, 1, 0),
    "out-only": (2, 0, 0),
    "in-only": (0, 2, 0),
    "two-types": (0, 1, 2),
    "types-tie": (0, 1, 1),
    "types-and-out": (2, 2, 1),
}
TRAIN = [
    ([token], [label])
    for token, counts in OCCURRENCES.items()
    for label, times in zip(("O", "B-PER", "B-LOC"), counts, strict=True)
    for _ in range(times)
]

LEVELS = [
    # never in training
    ("new", "B-PER", "unseen-I", "unseen-I"),
    ("new", "O", "unseen-O", "unseen-O"),
    # inside, though training has it mostly outside
    ("mostly-out", "B-PER", "diff-I", "other"),
    ("out-only", "B-PER", "diff-I", "diff-I"),
    # outside, though training has it mostly inside
    ("mostly-in", "O", "diff-O", "other"),
    ("in-only", "O", "diff-O", "diff-O"),
    # as training has it, or a tie
    ("mostly-in", "B-PER", "other", "other"),
    ("mostly-out", "O", "other", "other"),
    ("tie", "B-PER", "other", "other"),
    ("tie", "O", "other", "other"),
    # inside, but of a rarer type
    ("two-types", "B-PER", "diff-E", "other"),
    ("two-types", "B-LOC", "other", "other"),
    ("types-tie", "B-LOC", "other", "other"),
    ("in-only", "B-LOC", "diff-E", "diff-E"),
    ("types-and-out", "B-LOC", "diff-E", "other"),
    ("types-and-out", "O", "diff-O", "other"),
    # a type that training never has
    ("types-and-out", "B-ORG", "diff-E", "diff-E"),
    ("mostly-out", "B-LOC", "diff-I", "other"),
]


@pytest.mark.parametrize("facet", ["hard", "hard-strict"])
@pytest.mark.parametrize(("token", "label", "plain", "strict"), LEVELS)
def test_subset_of_a_token(token: str, label: str, plain: str, strict: str, facet: str) -> None:
    gold = [([token, "Anchor"], [label, "B-PER"])]  # gold data without any mention is refused
    results = nerscope.evaluate(gold, {"s": gold}, train=TRAIN)
    wanted = plain if facet == "hard" else strict
    single = {row["level"]: row["n"] for row in results.select(facet=facet, metric="ter", run=None)}
    found = [level for level, n in single.items() if n and level not in ("all", "unseen", "diff")]
    # the anchor is unseen and inside
    assert sorted(found) == sorted({wanted, "unseen-I"})
    assert single[wanted] == (2 if wanted == "unseen-I" else 1)


GOLD = corpus("new/B-PER old/I-PER new out-only/B-PER two-types/B-PER mostly-in tie")
PRED = corpus("new/B-PER old new/B-LOC out-only/B-PER two-types/B-LOC mostly-in/B-PER tie")


@pytest.mark.parametrize(
    ("level", "n", "ter", "share"),
    [
        # new is B for U, old is O for L, the second new is invented: all unseen and all wrong
        ("unseen", 3, 1.0, 3 / 5),
        ("unseen-I", 2, 1.0, 2 / 5),
        ("unseen-O", 1, 1.0, 1 / 5),
        ("diff", 3, 2 / 3, 2 / 5),
        ("diff-I", 1, 0.0, 0.0),
        ("diff-E", 1, 1.0, 1 / 5),
        ("diff-O", 1, 1.0, 1 / 5),
        ("other", 1, 0.0, 0.0),
        ("all", 7, 5 / 7, 1.0),
    ],
)
def test_error_rate_and_share_of_each_subset(level: str, n: int, ter: float, share: float) -> None:
    results = nerscope.evaluate(GOLD, {"s": PRED}, train=TRAIN)
    (rate,) = results.select(facet="hard", level=level, metric="ter", run=None)
    (part,) = results.select(facet="hard", level=level, metric="error_share", run=None)
    assert (rate["n"], rate["match"], rate["unit"], part["n"]) == (n, "bilou", "token", 5)
    assert rate["value"] == pytest.approx(ter)
    assert part["value"] == pytest.approx(share)


def test_hardeval_score_is_the_mean_of_unseen_and_diff() -> None:
    (row,) = nerscope.evaluate(GOLD, {"s": PRED}, train=TRAIN).select(
        facet="hard", metric="hardeval", run=None
    )
    assert (row["level"], row["n"]) == ("score", 6)
    assert row["value"] == pytest.approx((1 + 2 / 3) / 2)


@pytest.mark.parametrize(
    ("options", "wrong"),
    [
        # only types count: the boundary of the first mention is right, its second token is not
        ({"token_match": "io"}, {"unseen-I": 0.5, "diff-E": 1.0}),
        # an orphan I is O to the authors' repair, and a mention to conlleval's
        ({"token_repair": "strict"}, {"unseen-I": 1.0, "diff-E": 1.0}),
        ({"token_repair": "conlleval"}, {"unseen-I": 1.0, "diff-E": 1.0}),
    ],
)
def test_labels_are_compared_as_asked(options: dict[str, Any], wrong: dict[str, float]) -> None:
    results = nerscope.evaluate(GOLD, {"s": PRED}, train=TRAIN, **options)
    match = options.get("token_match", "bilou")
    for level, value in wrong.items():
        assert results.value(facet="hard", level=level, metric="ter", match=match) == value


def test_an_orphan_inside_label_is_repaired_as_asked() -> None:
    # the second sentence tells that these are BIO labels; without it they would be valid IO ones
    gold = corpus("new/B-PER new", "new/B-PER new/B-PER")
    pred = corpus("new/I-PER new", "new/B-PER new/B-PER")
    strict = nerscope.evaluate(gold, {"s": pred}, train=TRAIN)
    lenient = nerscope.evaluate(gold, {"s": pred}, train=TRAIN, token_repair="conlleval")
    assert strict.value(facet="hard", level="all", metric="ter", match="bilou") == 0.25
    assert lenient.value(facet="hard", level="all", metric="ter", match="bilou") == 0.0


@pytest.mark.parametrize(
    ("scheme", "labels"),
    [
        ("bio", "B-PER I-PER B-PER O B-LOC"),
        ("iob1", "I-PER I-PER B-PER O I-LOC"),
        ("bioes", "B-PER E-PER S-PER O S-LOC"),
        ("bilou", "B-PER L-PER U-PER O U-LOC"),
        ("bmeow", "B-PER E-PER W-PER O W-LOC"),
    ],
)
@pytest.mark.parametrize("token_repair", ["strict", "conlleval"])
def test_the_scheme_of_valid_labels_makes_no_difference(
    scheme: str, labels: str, token_repair: str
) -> None:
    tokens = ["new", "old", "mostly-in", "tie", "out-only"]
    gold = [(tokens, ["B-PER", "I-PER", "B-PER", "O", "B-LOC"])]
    results = nerscope.evaluate(
        gold, {"s": [(tokens, labels.split())]}, train=TRAIN, token_repair=token_repair
    )
    assert results.value(facet="hard", level="all", metric="ter", match="bilou") == 0.0
    other = nerscope.evaluate(
        [(tokens, labels.split())], {"s": gold}, train=TRAIN, token_repair=token_repair
    )
    assert other.value(facet="hard", level="all", metric="ter", match="bilou") == 0.0
