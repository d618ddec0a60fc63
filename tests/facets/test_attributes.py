"""Attributes on a corpus small enough to count by hand, and attributes and facets of one's own."""

import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from tests.scoring.toys import corpus

import nerscope
from nerscope.corpus.arrays import Floats
from nerscope.corpus.corpus import Coding, Corpus
from nerscope.corpus.lexicon import Lexicon, lexicon_of
from nerscope.corpus.vocabulary import SequenceTrie
from nerscope.errors import UsageError
from nerscope.facets.buckets import given_edges
from nerscope.facets.facet import (
    FACETS,
    Attribute,
    Facet,
    Sentences,
    View,
    attribute,
    facet_of,
    register_facet,
    survey_chunk,
    surveyed,
)
from nerscope.scoring.metrics import Metric, register_metric

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


def views() -> tuple[View, View]:
    """The gold and the predicted mentions in their sentences."""
    coding = Coding()
    lexicon = lexicon_of(Corpus.of(TRAIN, coding=coding))
    gold, pred = (Corpus.of(given, coding=coding) for given in (GOLD, PRED))
    survey = surveyed([survey_chunk(gold, gold.mentions(), [], lexicon)], gold.coding, lexicon)
    sentences = Sentences(gold, gold.mentions(), survey.surfaces, lexicon, survey.types_of_surface)
    return View(sentences, gold.mentions()), View(sentences, pred.mentions())


def standard(name: str) -> Attribute:
    found = FACETS[name]
    assert isinstance(found, Attribute) and found.standard
    return found


@pytest.mark.parametrize("name", VALUES)
def test_values_of_an_attribute(name: str) -> None:
    for view, wanted in zip(views(), VALUES[name], strict=True):
        assert standard(name).checked_values(view).tolist() == pytest.approx(wanted)


@pytest.mark.parametrize("name", [*VALUES, *ZETA_OF_TOKENS])
def test_every_attribute_is_built_in_and_says_what_it_is(name: str) -> None:
    assert FACETS.is_built_in(name) and standard(name).title
    with pytest.raises(UsageError, match="a built-in facet has this name"):
        attribute(name)(lambda view: np.zeros(0))


def test_a_view_tells_surfaces_and_units() -> None:
    gold, pred = views()
    assert gold.texts() == ["New York", "Ada", "Bob", "New York"]
    assert pred.texts() == ["New York", "Rome", "New"]
    # Rome is a mention of neither training nor gold; New begins one, and is none
    assert pred.surface[0] == gold.surface[0] == gold.surface[3]
    assert pred.surface[1] == -1
    assert gold.sentence.tolist() == [0, 0, 1, 1]
    assert [gold.n_units(unit) for unit in ("mention", "inside", "token")] == [4, 6, 10]


def test_a_survey_of_chunks_is_the_survey_of_the_whole() -> None:
    coding = Coding()
    lexicon = lexicon_of(Corpus.of(TRAIN, coding=coding))
    gold = Corpus.of(GOLD, coding=coding)
    attributes = [standard(name) for name in VALUES]
    size = len(lexicon.surfaces)
    parts = [gold.sentences(0, 1), gold.sentences(1, 2)]
    chunked = surveyed(
        [survey_chunk(part, part.mentions(), attributes, lexicon) for part in parts],
        gold.coding,
        lexicon,
    )
    whole = surveyed(
        [survey_chunk(gold, gold.mentions(), attributes, lexicon)], gold.coding, lexicon
    )
    assert chunked.types_of_surface.tolist() == whole.types_of_surface.tolist()
    assert {name: one.mean() for name, one in chunked.values.items()} == pytest.approx(
        {name: one.mean() for name, one in whole.values.items()}
    )
    assert len(lexicon.surfaces) == size  # what training says is fixed
    assert len(whole.surfaces) > size  # Bob is new


@pytest.mark.parametrize("lexicon", [None, lexicon_of(Corpus.of(TRAIN))])
def test_a_survey_counts_the_types_of_each_gold_surface(lexicon: Lexicon | None) -> None:
    gold = Corpus.of(corpus("a/B-X b", "a/B-Y c/B-X", "a/B-X"))
    survey = surveyed([survey_chunk(gold, gold.mentions(), [], lexicon)], gold.coding, lexicon)
    codes = View(Sentences(gold, gold.mentions(), survey.surfaces), gold.mentions()).surface
    assert survey.types_of_surface[codes].tolist() == [2, 2, 1, 2]


def test_who_asks_for_training_data_where_there_is_none_is_told_so() -> None:
    gold = Corpus.of(GOLD)
    view = View(Sentences(gold, gold.mentions(), SequenceTrie()), gold.mentions())
    with pytest.raises(UsageError, match="needs the training data, which was not given"):
        standard("tFre").checked_values(view)


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
    with pytest.raises(UsageError, match="unknown bucketing 'thirds'"):
        attribute("odd", bucketing="thirds")(lambda view: np.zeros(0))
    assert "odd" not in FACETS


@pytest.mark.parametrize("unit", ["token", "sentence", ""])
def test_an_attribute_is_one_of_mentions_or_of_their_tokens(unit: str) -> None:
    with pytest.raises(UsageError, match="unknown unit"):
        attribute("odd", unit=unit)(lambda view: np.zeros(0))


@pytest.mark.usefixtures("registries")
def test_an_attribute_that_fails_is_blamed_by_its_name() -> None:
    @attribute("odd")
    def odd(view: View) -> Floats:
        raise KeyError("missing")

    with pytest.raises(UsageError, match=r"attribute 'odd': its function fails \(KeyError"):
        nerscope.evaluate(GOLD, {"s": PRED}, facets=["odd"])


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
    register_metric(
        Metric("misses", lambda counts: counts.gold - counts.hit_gold, better=-1, kind="count")
    )
    results = nerscope.evaluate(GOLD, {"s": PRED}, facets=["capital"])
    assert results.value(facet="capital", level="upper", metric="misses") == 3.0
    assert results.value(facet="capital", level="any", metric="f1") == pytest.approx(2 / 7)
    assert results.value(facet="capital", level="lower", metric="f1") is None
    assert results.value(facet="capital", level="upper", type="PER", metric="misses") == 1.0


@pytest.mark.usefixtures("registries")
def test_a_facet_of_ones_own_that_is_registered_again_takes_the_place_of_the_first() -> None:
    levels = {"one": (0,), "two": (1,)}
    for code in (0, 1):
        register_facet(Facet("own", "mention", levels, constant(code)))
        results = nerscope.evaluate(GOLD, {"s": PRED}, facets=["own"])
        sizes = [results.select(facet="own", level=name, metric="recall") for name in levels]
        assert [rows[0]["n"] for rows in sizes] == ([4, 0] if code == 0 else [0, 4])
    attribute("own")(lambda view: np.ones(len(view.mentions)))
    assert isinstance(FACETS["own"], Attribute)


def constant(code: int) -> Callable[[View], Any]:
    return lambda view: np.full(len(view.mentions), code, np.int8)


@pytest.mark.parametrize("name", ["tmr", "hard", "eLen"])
def test_the_name_of_a_built_in_facet_is_taken(name: str) -> None:
    with pytest.raises(UsageError, match=f"facet '{name}': a built-in facet has this name"):
        register_facet(Facet(name, "mention", {"all": (0,)}, constant(0)))


@pytest.mark.parametrize(
    "levels", [{}, {"a": ()}, {"a": (-1,)}, {"a": (0.5,)}, {"a": ("0",)}, {"a": (0, None)}]
)
def test_levels_that_cannot_be_are_refused(levels: Any) -> None:
    with pytest.raises(UsageError, match=r"invalid levels"):
        Facet("odd", "mention", levels, constant(0))


@pytest.mark.parametrize("unit", ["mentions", "sentence", ""])
def test_a_facet_of_an_unknown_unit_is_refused(unit: str) -> None:
    with pytest.raises(UsageError, match="unknown unit"):
        Facet("odd", unit, {"a": (0,)}, constant(0))


@pytest.mark.parametrize(
    ("codes", "message"),
    [
        # not one whole number for each unit
        (lambda view: np.zeros(5, int), r"int64 codes of shape \(5,\) for 4 units"),
        (lambda view: 0, r"shape \(\) for 4 units"),
        (lambda view: np.zeros(4), "float64 codes"),
        (lambda view: ["a"] * 4, "codes of shape"),
        # a code that no level has: above, below, and between
        (lambda view: np.array([0, 2, 4, 0]), "no level has the code 4"),
        (lambda view: np.array([0, 2, -1, 0]), "no level has the code -1"),
        (lambda view: np.array([0, 2, 1, 0]), "no level has the code 1"),
        # what fails
        (lambda view: 1 // 0, "its function fails"),
    ],
)
def test_codes_that_cannot_be_are_refused(codes: Any, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        Facet("odd", "mention", {"a": (0,), "c": (2,)}, codes).checked_codes(views()[0])


def test_codes_may_be_truth_values_and_any_list() -> None:
    levels = {"no": (0,), "yes": (1,)}
    for given in ([True, False, True, True], np.array([1, 0, 1, 1], np.uint8)):
        facet = Facet("own", "mention", levels, lambda view, given=given: given)  # type: ignore[misc]
        assert facet.checked_codes(views()[0]).tolist() == [1, 0, 1, 1]


@pytest.mark.usefixtures("registries")
def test_a_facet_travels_as_its_name() -> None:
    assert pickle.loads(pickle.dumps(FACETS["tmr"])) is FACETS["tmr"]
    buckets = given_edges("eLen", [1])
    facet = pickle.loads(pickle.dumps(facet_of("eLen", buckets)))
    assert facet.buckets == buckets and facet.checked_codes(views()[0]).tolist() == [1, 0, 0, 1]
    own = register_facet(Facet("own", "mention", {"all": (0,)}, constant(0)))
    assert pickle.loads(pickle.dumps(own)) is own


@pytest.mark.usefixtures("registries")
def test_a_facet_of_ones_own_may_need_training_data() -> None:
    def codes(view: View) -> Any:
        return (view.surface >= view.lexicon.n_mentions * 100).astype(np.int8)

    own = Facet("own", "mention", {"all": (0,)}, codes)
    assert register_facet(own, needs_train=True).needs_train
    with pytest.raises(UsageError, match="facet own: it needs training data"):
        nerscope.evaluate(GOLD, {"s": PRED}, facets=["own"])
    results = nerscope.evaluate(GOLD, {"s": PRED}, train=TRAIN, facets=["own"])
    assert results.value(facet="own", level="all", metric="recall") == 0.25


def test_an_unknown_facet_is_answered_with_the_closest() -> None:
    with pytest.raises(UsageError, match="did you mean 'eLen'"):
        nerscope.evaluate(GOLD, {"s": PRED}, facets=["elen"])
