"""Attributes on a corpus small enough to count by hand, and attributes and facets of one's own."""

from typing import Any

import numpy as np
import pytest
from tests.scoring.toys import corpus

import nerscope
from nerscope.corpus.arrays import Floats
from nerscope.errors import UsageError
from nerscope.evaluation.inspection import mention_rows
from nerscope.evaluation.passes import prepare
from nerscope.evaluation.settings import Settings
from nerscope.facets.facet import Facet, attribute, register_facet
from nerscope.facets.view import View
from nerscope.scoring.metrics import METRICS, Metric

TRAIN = corpus(
    "New/B-LOC York/I-LOC is new",
    "New/B-ORG York/I-ORG won",
    "New/B-LOC York/I-LOC and Ada/B-PER",
    "new New York fashion",
)  # 4 mentions, 15 tokens
GOLD = corpus("New/B-LOC York/I-LOC met Ada/B-PER in Rome", "Bob/B-ORG , New/B-ORG York/I-ORG")
PRED = corpus("New/B-LOC York/I-LOC met Ada in Rome/B-PER", "Bob , New/B-PER York")

# attribute: its values over the gold mentions (New York, Ada, Bob, New York), then over the
# predicted ones
VALUES: dict[str, tuple[list[float], list[float]]] = {
    "eLen": ([2, 1, 1, 2], [2, 1, 1]),
    "sLen": ([6, 6, 4, 4], [6, 6, 4]),
    "eDen": ([3 / 6, 3 / 6, 3 / 4, 3 / 4], [3 / 6, 3 / 6, 3 / 4]),
    "eDen_entities": ([2 / 6, 2 / 6, 2 / 4, 2 / 4], [2 / 6, 2 / 6, 2 / 4]),
    "oDen": (
        [3 / 6, 3 / 6, 2 / 4, 2 / 4],
        [3 / 6, 3 / 6, 2 / 4],
    ),  # met, in, Rome; Bob and the comma
    "eFre": ([3 / 4, 1 / 4, 0, 3 / 4], [3 / 4, 0, 0]),
    "eCon_mentions": ([2 / 3, 1, 0, 1 / 3], [2 / 3, 0, 0]),
    "eCon": ([2 / 4, 1, 0, 1 / 4], [2 / 4, 0, 0]),
}
# token attributes: the mean over the tokens inside gold mentions (New York Ada Bob New York)
ZETA_OF_TOKENS = {
    "tFre": (4 + 4 + 1 + 0 + 4 + 4) / 15 / 6,
    "tCon": (2 / 4 + 2 / 4 + 1 + 0 + 1 / 4 + 1 / 4) / 6,
}


def error_table(**options: Any) -> list[dict[str, Any]]:
    return list(mention_rows(prepare(GOLD, {"s": PRED}, TRAIN, None, Settings.of(options))))


@pytest.mark.parametrize("name", VALUES)
def test_values_of_an_attribute(name: str) -> None:
    rows = error_table()
    for side, wanted in zip(("gold", "pred"), VALUES[name], strict=True):
        assert [row[name] for row in rows if row["side"] == side] == pytest.approx(wanted), side


@pytest.mark.parametrize("name", [*VALUES, *ZETA_OF_TOKENS])
def test_mean_of_an_attribute_is_over_gold_units(name: str) -> None:
    zeta = nerscope.evaluate(GOLD, {"s": PRED}, train=TRAIN).evidence[0].zeta
    wanted = ZETA_OF_TOKENS.get(name, float(np.mean(VALUES.get(name, ([0.0],))[0])))
    assert zeta[name] == pytest.approx(wanted)


@pytest.mark.parametrize(
    ("facet", "level", "unit", "gold", "recall", "pred", "precision"),
    [
        # length 1: Ada and Bob in gold, none found; Rome and New predicted
        ("eLen", "XS", "mention", 2, 0.0, 2, 0.0),
        ("eLen", "S", "mention", 2, 0.5, 1, 1.0),
        ("eLen", "L", "mention", 0, None, 0, None),
        # a token inside a mention is right if the other side has its type there: New York of the
        # first sentence
        ("tCon", "XS", "token", 1, 0.0, 2, 0.0),
        ("tCon", "XL", "token", 1, 0.0, 0, None),
    ],
)
def test_scores_of_a_bucket(
    facet: str,
    level: str,
    unit: str,
    gold: int,
    recall: float | None,
    pred: int,
    precision: float | None,
) -> None:
    results = nerscope.evaluate(GOLD, {"s": PRED}, train=TRAIN)
    rows = {
        row["metric"]: row for row in results.select(facet=facet, level=level, type=None, run=None)
    }
    assert {row["unit"] for row in rows.values()} == {unit}
    assert (rows["recall"]["n"], rows["recall"]["value"]) == (gold, recall)
    assert (rows["precision"]["n"], rows["precision"]["value"]) == (pred, precision)


def test_attributes_of_a_training_corpus_without_mentions_are_zero() -> None:
    zeta = nerscope.evaluate(GOLD, {"s": PRED}, train=corpus("New York")).evidence[0].zeta
    assert [zeta[name] for name in ("eFre", "eCon_mentions", "eCon", "tCon")] == [0.0] * 4


@pytest.mark.usefixtures("registries")
def test_an_attribute_of_ones_own_divides_like_any_other() -> None:
    @attribute("vowels", bucketing="zero")
    def vowels(view: View) -> Floats:
        return np.array([sum(letter in "aeiou" for letter in text) for text in view.texts()], float)

    results = nerscope.evaluate(GOLD, {"s": PRED}, facets=["vowels"], buckets=3)
    # New York 2 vowels, Ada 1, Bob 1, New York 2
    assert results.settings["facets"]["vowels"] == {
        "edges": [1.0],
        "ranges": {"S": "0", "M": "(0, 1]", "L": "> 1"},
    }
    assert results.value(facet="vowels", level="L", metric="recall") == 0.5
    assert results.value(facet="vowels", level="M", metric="recall") == 0.0
    assert results.value(facet="vowels", level="S", metric="recall") is None
    assert results.evidence[0].zeta == {"vowels": 1.5}


@pytest.mark.usefixtures("registries")
def test_an_attribute_of_tokens_inside_mentions_has_that_unit() -> None:
    @attribute("letters", unit="inside")
    def letters(view: View) -> Floats:
        return np.array(
            [len(text) for text in view.sentences.corpus.coding.tokens.strings(view.tokens)], float
        )

    results = nerscope.evaluate(GOLD, {"s": PRED}, facets=["letters"], edges={"letters": [3]})
    # New York Ada Bob New York: New is right once, York once
    assert results.value(facet="letters", level="S", metric="recall", match="io") == 1 / 4
    assert results.value(facet="letters", level="L", metric="recall", match="io") == 1 / 2


@pytest.mark.usefixtures("registries")
@pytest.mark.parametrize(
    ("values", "message"),
    [
        # not one number for each unit
        (lambda view: np.zeros(len(view.mentions) + 1), r"shape \(5,\) for 4 mention units"),
        (lambda view: np.zeros((len(view.mentions), 2)), r"shape \(4, 2\) for 4 mention units"),
        (lambda view: 1.0, r"shape \(\) for 4 mention units"),
        # not a number
        (lambda view: np.full(len(view.mentions), np.nan), "NaN or infinity"),
        (lambda view: np.full(len(view.mentions), np.inf), "NaN or infinity"),
    ],
)
def test_values_that_are_no_numbers_are_refused(values: Any, message: str) -> None:
    attribute("odd")(values)
    with pytest.raises(UsageError, match=message):
        nerscope.evaluate(GOLD, {"s": PRED}, facets=["odd"])


def test_an_attribute_with_an_unknown_bucketing_is_refused() -> None:
    with pytest.raises(UsageError, match="there is no bucketing 'thirds'"):
        attribute("odd", bucketing="thirds")


@pytest.mark.usefixtures("registries")
def test_a_facet_and_a_metric_of_ones_own_reach_the_rows() -> None:
    def codes(view: View) -> Any:
        return np.array([text[0].isupper() for text in view.texts()], np.int8)

    register_facet(
        Facet(
            "capital",
            "mention",
            {"lower": (0,), "upper": (1,), "any": (0, 1)},
            codes,
            metrics=("misses", "f1"),
        )
    )
    METRICS.add("misses", Metric(lambda counts: counts[..., 0] - counts[..., 1]))
    results = nerscope.evaluate(GOLD, {"s": PRED}, facets=["capital"])
    assert results.value(facet="capital", level="upper", metric="misses") == 3.0
    assert results.value(facet="capital", level="any", metric="f1") == pytest.approx(2 / 7)
    assert results.value(facet="capital", level="lower", metric="f1") is None
    assert results.value(facet="capital", level="upper", type="PER", metric="misses") == 1.0
    with pytest.raises(UsageError, match="a facet of this name exists already"):
        attribute("capital")(lambda view: np.zeros(0))


def test_an_unknown_facet_is_answered_with_the_closest() -> None:
    with pytest.raises(UsageError, match="did you mean 'eLen'"):
        nerscope.evaluate(GOLD, {"s": PRED}, facets=["elen"])
