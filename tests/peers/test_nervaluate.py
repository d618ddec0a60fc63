"""The drop-in for nervaluate counts what nervaluate counts, and lays it out in the same way."""

from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from random import Random
from typing import Any

import nervaluate
import pytest
from tests.peers.agreement import answer, comparable
from tests.peers.generated import Labels, alphabet, corpora
from tests.peers.real import SYSTEMS, label_pair

from nerscope.compat.nervaluate import Evaluator

TAGS = ["PER", "LOC", "creative-work"]
STRATEGIES = ("strict", "partial", "ent_type", "exact")
OVERLAPS = (1.0, 33.4, 50, 50.1, 66.6, 100.0)
Spans = list[list[dict[str, Any]]]


def both(*given: Any, **options: Any) -> tuple[nervaluate.Evaluator, Evaluator]:
    return nervaluate.Evaluator(*given, **options), Evaluator(*given, **options)


def plain(results: Any) -> Any:
    """Results whose classes do not matter."""
    if isinstance(results, dict):
        return {key: plain(part) for key, part in results.items()}
    return vars(results)


def check(gold: Any, pred: Any, random: Random, **options: Any) -> None:
    """All counts, scores and indices; now and then with fewer tags and another overlap."""
    tags = TAGS if random.random() < 0.7 else random.sample(TAGS, 2)
    options |= {"tags": tags, "min_overlap_percentage": random.choice(OVERLAPS)}
    theirs, ours = both(gold, pred, **options)
    assert plain(ours.evaluate()) == plain(theirs.evaluate()), (gold, pred, options)
    if random.random() < 0.03:
        check_layouts(theirs, ours, random)


def check_layouts(theirs: nervaluate.Evaluator, ours: Evaluator, random: Random) -> None:
    for mode in ("overall", "entities"):
        options = {"mode": mode, "scenario": random.choice(STRATEGIES)}
        digits = random.choice((1, 2, 5, 14))
        expected = theirs.summary_report(**options, digits=digits)
        assert ours.summary_report(**options, digits=digits) == expected
        # nervaluate's order of types differs from process to process
        lines = [str(one.results_to_csv(**options)).split("\r\n") for one in (theirs, ours)]
        assert lines[1][0] == lines[0][0]
        assert sorted(lines[1]) == sorted(lines[0])


@pytest.mark.parametrize("seed", range(4))
def test_label_lists_give_the_same_results(seed: int) -> None:
    random = Random(seed)
    for gold, pred in corpora(seed, 1750, alphabet("BI"), sentences=3):
        check(gold, pred, random)


def conll(labels: Labels) -> str:
    return "\n\n".join("\n".join(f"w\t{label}" for label in sentence) for sentence in labels)


@pytest.mark.parametrize("end", ["", "\n", "\n\n\n"])
def test_conll_text_gives_the_same_results(end: str) -> None:
    random = Random(end)
    for gold, pred in corpora(len(end), 1000, alphabet("BI"), sentences=3):
        check(conll(gold) + end, conll(pred) + end, random)


@pytest.mark.parametrize("between", ["\n", " \n", "\n\n"])
def test_blank_lines_in_conll_text_count_as_places(between: str) -> None:
    random = Random(between)
    for gold, pred in corpora(2, 200, alphabet("BI"), sentences=3):
        texts = [conll(side).replace("\n\n", f"\n\n{between}") for side in (gold, pred)]
        check(texts[0], texts[1], random)


def spans(random: Random, foreign: bool, shortest: int = 0) -> list[dict[str, Any]]:
    """Entities in any order: nested, twice, across each other."""
    found = []
    for _ in range(random.choice((0, 1, 2, 5))):
        start = random.randint(0, 12)
        end = start + random.randint(shortest, 5)
        label = random.choice([*TAGS, "other"] if foreign else TAGS)
        found.append({"label": label, "start": start, "end": end, "text": "more"})
    return found


def span_corpora(seed: int, count: int, shortest: int = 0) -> Iterator[tuple[Spans, Spans]]:
    random = Random(seed)
    for _ in range(count):
        gold = [spans(random, True, shortest) for _ in range(random.randint(1, 3))]
        kept = [[one for one in part if random.random() < 0.6] for part in gold]
        pred = [[*part, *spans(random, True, shortest)] for part in kept]
        yield gold, pred


@pytest.mark.parametrize("seed", range(4))
def test_overlapping_spans_in_any_order_give_the_same_results(seed: int) -> None:
    random = Random(seed)
    for gold, pred in span_corpora(seed, 3000):
        check(gold, pred, random, loader="dict")


def test_spans_that_end_before_they_begin_cover_nothing() -> None:
    random, refused = Random(0), 0
    for gold, pred in span_corpora(9, 1500, shortest=-3):
        least = random.choice(OVERLAPS)
        theirs, ours = both(gold, pred, tags=TAGS, loader="dict", min_overlap_percentage=least)
        expected = answer(theirs.evaluate).value
        refused += expected == ("ZeroDivisionError", "division by zero")
        results = ours.evaluate()
        if isinstance(expected, dict):
            assert comparable(results) == expected, (gold, pred, least)
        known = sum(one["label"] in TAGS for one in chain.from_iterable(gold))
        assert {result.possible for result in results["overall"].values()} == {known}
    assert refused  # what the documentation lists as a difference does happen


def test_a_book_in_one_document_gives_the_same_results() -> None:
    ((gold, pred),) = corpora(5, 1, alphabet("BI"), sentences=1, shortest=900, longest=900)
    check(gold, pred, Random(5))


@pytest.mark.corpora
@pytest.mark.parametrize(("dataset", "system"), SYSTEMS)
def test_real_systems_score_the_same(dataset: str, system: str, shared: Path) -> None:
    gold, pred = label_pair(shared, dataset, system)
    tags = sorted({label[2:] for sentence in gold for label in sentence} - {""})
    theirs, ours = both(gold, pred, tags=tags, loader="list")
    assert plain(ours.evaluate()) == plain(theirs.evaluate())


GOLD = [["B-PER", "I-PER", "O"], ["O"]]
SPAN = {"label": "PER", "start": 0, "end": 1}


@pytest.mark.parametrize(
    ("gold", "pred", "options"),
    [
        # what cannot be told apart
        (None, None, {}),
        ([], [], {}),
        (("O",), ("O",), {}),
        (GOLD, GOLD, {"loader": "xml"}),
        # lengths
        (GOLD, GOLD[:1], {}),
        (GOLD, [["O"], ["O"]], {}),
        ("a\tO\n\nb\tO", "a\tO", {}),
        ([[SPAN]], [[SPAN], []], {}),
        # labels, lines and spans
        ([["X-PER"]], [["O"]], {}),
        ([["B-PER", "PER"]], [["O", "O"]], {}),
        ([["B-PER", 3]], [["O", "O"]], {}),
        (["O"], ["O"], {"loader": "list"}),
        ("Ada B-PER", "Ada B-PER", {}),
        ("Ada\tPER", "Ada\tPER", {}),
        ([["O"]], [["O"]], {"loader": "conll"}),
        ("", [], {"loader": "dict"}),
        ([SPAN], [SPAN], {"loader": "dict"}),
        ([[{**SPAN, "label": 1}]], [[]], {}),
        ([[{**SPAN, "end": "1"}]], [[]], {}),
        ([[{**SPAN, "start": None}]], [[]], {}),
        ([[SPAN, "PER"]], [[]], {}),
        # overlap
        (GOLD, GOLD, {"min_overlap_percentage": 0.5}),
        (GOLD, GOLD, {"min_overlap_percentage": 101}),
    ],
)
def test_refusals_are_the_same(gold: Any, pred: Any, options: dict[str, Any]) -> None:
    expected = answer(nervaluate.Evaluator, gold, pred, tags=["PER"], **options)
    assert expected.value[0] == "ValueError"
    assert answer(Evaluator, gold, pred, tags=["PER"], **options) == expected


@pytest.mark.parametrize("method", ["summary_report", "results_to_csv", "summary_report_indices"])
@pytest.mark.parametrize("options", [{"mode": "all"}, {"mode": "entities", "scenario": "loose"}])
def test_modes_and_scenarios_that_do_not_exist_are_refused(
    method: str, options: dict[str, str]
) -> None:
    theirs, ours = both(GOLD, GOLD, tags=["PER"])
    expected = answer(getattr(theirs, method), **options).value
    found = answer(getattr(ours, method), **options).value
    assert found[0] == expected[0] == "ValueError"
    assert found[1].split("{")[0].split(":")[0] == expected[1].split(":")[0]


def test_a_missing_key_is_refused() -> None:
    for evaluator in (nervaluate.Evaluator, Evaluator):
        with pytest.raises(ValueError, match="missing required keys"):
            evaluator([[{"label": "PER", "start": 0}]], [[]], tags=["PER"])


def test_an_empty_first_document_is_no_obstacle() -> None:
    with pytest.raises(IndexError):
        nervaluate.Evaluator([[], ["B-PER"]], [[], ["B-PER"]], tags=["PER"])
    results = Evaluator([[], ["B-PER"]], [[], ["B-PER"]], tags=["PER"]).evaluate()
    named = nervaluate.Evaluator([[], ["B-PER"]], [[], ["B-PER"]], tags=["PER"], loader="list")
    assert plain(results) == plain(named.evaluate())


@pytest.mark.parametrize("colors", [False, True])
@pytest.mark.parametrize("scenario", STRATEGIES)
def test_lists_of_indices_are_the_same_where_nothing_is_missed(scenario: str, colors: bool) -> None:
    gold = [["B-PER", "I-PER", "O", "B-PER", "O"], ["O", "B-PER"]]
    pred = [["B-PER", "O", "O", "B-PER", "B-PER"], ["O", "B-PER"]]
    theirs, ours = both(gold, pred, tags=["PER"])
    for mode in ("overall", "entities"):
        expected = theirs.summary_report_indices(mode, scenario, colors)
        assert ours.summary_report_indices(mode, scenario, colors) == expected


def test_missed_entities_are_shown_as_gold_has_them() -> None:
    gold, pred = [["O", "B-LOC", "I-LOC"]], [["O", "O", "O"]]
    theirs, ours = both(gold, pred, tags=["LOC"])
    assert "Label=LOC, Start=1, End=2" in ours.summary_report_indices()
    assert "Start=1" not in theirs.summary_report_indices()


def test_results_are_written_to_a_file_as_well(tmp_path: Path) -> None:
    theirs, ours = both(GOLD, GOLD, tags=["PER"])
    for name, evaluator in (("theirs", theirs), ("ours", ours)):
        assert evaluator.results_to_csv(file_path=str(tmp_path / name)) is None
    assert (tmp_path / "ours").read_bytes() == (tmp_path / "theirs").read_bytes()


def test_the_usage_that_nervaluate_shows_runs_unchanged() -> None:
    gold = [["O", "B-LOC", "I-LOC", "B-LOC", "I-LOC", "O"], ["O", "B-GPE", "I-GPE", "O"]]
    pred = [["O", "B-LOC", "I-LOC", "B-LOC", "I-LOC", "O"], ["O", "B-GPE", "I-GPE", "B-GPE"]]
    evaluator = Evaluator(gold, pred, tags=["LOC", "GPE"], loader="list")
    results = evaluator.evaluate()
    assert results["overall"]["strict"].correct == 3
    assert results["overall"]["strict"].spurious == 1
    assert results["entities"]["LOC"]["ent_type"].f1 == 1.0
    assert "Scenario: all" in evaluator.summary_report()
    assert "Scenario: partial" in evaluator.summary_report(mode="entities", scenario="partial")
