"""Rankings of results: on one dataset, over several, by any metric, in every format."""

import pytest
from tests.scoring.toys import drawn, noisy

import nerscope
from nerscope.corpus.arrays import Floats
from nerscope.errors import UsageError
from nerscope.render.comparison import comparison_document
from nerscope.render.document import OUTPUTS
from nerscope.results.results import Results
from nerscope.scoring.metrics import Counts

GOLD = drawn(120, seed=1)
RATES = {"bad": 0.5, "good": 0.05, "like": 0.06, "mid": 0.25}


@pytest.fixture(scope="module")
def results() -> Results:
    return nerscope.evaluate(GOLD, {name: noisy(GOLD, rate, 5) for name, rate in RATES.items()})


def test_systems_are_in_order_with_groups_ranks_and_probabilities(results: Results) -> None:
    rows = results.ranking()
    assert [row.system for row in rows] == ["good", "like", "mid", "bad"]
    assert [row.groups for row in rows] == [["a"], ["a"], ["b"], ["c"]]
    assert [row.rank for row in rows] == [1, 2, 3, 4]
    assert [(row.rank_low, row.rank_high) for row in rows] == [(1, 2), (1, 2), (3, 3), (4, 4)]
    for row in rows:
        assert row.low is not None and row.high is not None
        assert row.low < row.value < row.high
        assert row.value == results.value(system=row.system, metric="f1")
        assert sum(row.probabilities) == pytest.approx(1)
        assert (row.dataset, row.match, row.metric, row.about, row.runs) == (
            *(results.evidence[0].dataset, "exact", "f1"),
            *("outputs", 1),
        )


def test_groups_are_those_of_the_corrected_pairs(results: Results) -> None:
    comparison = nerscope.compare(results, samples=500)
    groups = {row.system: set(row.groups) for row in comparison.ranking}
    for row in comparison.primary:
        assert row.p_corrected is not None
        assert bool(groups[row.system_a] & groups[row.system_b]) == (row.p_corrected >= 0.05)


def test_the_better_side_of_the_metric_is_first(registries: None) -> None:
    def miss_rate(counts: Counts) -> Floats:
        return nerscope.ratio(counts.gold - counts.hit_gold, counts.gold)

    nerscope.register_metric(nerscope.Metric("miss-rate", miss_rate, better=-1))
    outputs = {name: noisy(GOLD, rate, 5) for name, rate in RATES.items()}
    results = nerscope.evaluate(GOLD, outputs, metrics=["f1", "miss-rate"])
    rows = results.ranking("miss-rate")
    assert [row.system for row in rows][2:] == ["mid", "bad"]
    assert rows[0].value < rows[-1].value and rows[-1].probabilities[-1] > 0.99


@pytest.mark.parametrize("metric", ["accuracy", "ter", "hardeval"])
def test_metrics_of_tokens_rank_systems_as_well(metric: str) -> None:
    outputs = {name: noisy(GOLD, rate, 5) for name, rate in RATES.items()}
    train = noisy(drawn(5, seed=2), 0.3, 9)  # some words are unseen, some labelled otherwise
    results = nerscope.evaluate(GOLD, outputs, train=train)
    rows = results.ranking(metric)
    assert {row.metric for row in rows} == {metric}
    assert [row.system for row in rows][2:] == ["mid", "bad"]
    assert rows[0].groups == ["a"] and "a" not in rows[-1].groups
    assert (rows[0].value < rows[-1].value) == (metric != "accuracy")  # error rates: lower first


def test_other_matches_and_metrics_can_be_chosen(results: Results) -> None:
    rows = results.ranking("recall", "overlap")
    assert {(row.metric, row.match) for row in rows} == {("recall", "overlap")}
    with pytest.raises(UsageError, match="no overall score with a better direction"):
        results.ranking("spurious")
    with pytest.raises(UsageError):
        results.ranking("nonsense")


def test_equal_outputs_share_their_ranks() -> None:
    outputs = {"x": noisy(GOLD, 0.1, 3), "y": noisy(GOLD, 0.1, 3), "z": noisy(GOLD, 0.5, 4)}
    rows = nerscope.evaluate(GOLD, outputs).ranking(samples=200)
    assert [row.rank for row in rows] == [1, 1, 3]
    assert [row.probabilities for row in rows[:2]] == [[0.5, 0.5, 0.0]] * 2
    assert [row.groups for row in rows] == [["a"], ["a"], ["b"]]


def test_one_sentence_says_nothing_about_ranks() -> None:
    gold = [(["Ada", "met", "Bob"], ["B-PER", "O", "B-PER"])]
    found = {"both": ["B-PER", "O", "B-PER"], "half": ["B-PER", "O", "O"]}
    rows = nerscope.evaluate(gold, {name: [labels] for name, labels in found.items()}).ranking()
    assert [(row.system, row.groups) for row in rows] == [("both", ["a"]), ("half", ["a"])]
    for row in rows:
        assert row.probabilities == pytest.approx([0.5, 0.5], abs=0.03)
        assert (row.low, row.rank_low, row.rank_high) == (None, 1, 2)


def test_several_runs_are_about_methods_and_less_certain() -> None:
    rates = {"x": 0.10, "y": 0.13, "z": 0.4}
    runs = {name: [noisy(GOLD, rate, 10 * k) for k in range(3)] for name, rate in rates.items()}
    results = nerscope.evaluate(GOLD, runs)
    methods, outputs = results.ranking(), results.ranking(about="outputs")
    assert [row.about for row in (methods[0], outputs[0])] == ["recipes", "outputs"]
    assert [row.runs for row in methods] == [3, 3, 3]
    assert methods[0].probabilities[0] < outputs[0].probabilities[0]


def test_some_pairs_alone_give_no_ranking(results: Results) -> None:
    assert list(nerscope.compare(results, "good", "bad", samples=100).ranking) == []
    assert list(nerscope.compare(results, baseline="bad", samples=100).ranking) == []


OVER = {"fixed": None, "drawn": None, "domains": None, "splits": 0.5}


@pytest.mark.parametrize("over", OVER)
def test_over_datasets_the_mean_comes_first(over: str) -> None:
    parts = []
    for number in range(4):
        gold = drawn(60, seed=20 + number)
        outputs = {name: noisy(gold, rate, 5 + number) for name, rate in RATES.items()}
        parts.append(nerscope.evaluate(gold, outputs, dataset=f"d{number}"))
    results = Results([part.evidence[0] for part in parts])
    rows = results.ranking(over=over, ratio=OVER[over])
    mean, rest = rows[:4], rows[4:]
    assert {row.dataset for row in mean} == {None}
    assert [row.dataset for row in rest[::4]] == ["d0", "d1", "d2", "d3"]
    assert [row.system for row in mean][2:] == ["mid", "bad"]
    assert mean[0].groups == mean[1].groups != mean[3].groups
    for row in mean:
        values = [other.value for other in rest if other.system == row.system]
        assert row.value == pytest.approx(sum(values) / 4)
        assert row.low is not None and row.high is not None
        assert row.low < row.value < row.high
    assert mean[0].about == ("recipes" if over == "splits" else "outputs")


def test_the_ranking_stands_above_the_pairs(results: Results) -> None:
    text = OUTPUTS["text"](comparison_document(nerscope.compare(results, samples=200), ""))
    assert text.startswith("Ranking by F1: ")
    assert text.index(" bad ") < text.index("pairs: no significant difference")
    two = nerscope.evaluate(GOLD, {name: noisy(GOLD, RATES[name], 5) for name in ("good", "bad")})
    text = OUTPUTS["text"](comparison_document(nerscope.compare(two, samples=200), ""))
    assert "Ranking" not in text
