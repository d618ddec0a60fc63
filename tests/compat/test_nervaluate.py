"""What the drop-in for nervaluate promises, without nervaluate; beside it: tests/peers."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nerscope.compat.nervaluate import Evaluator
from nerscope.compat.nervaluate_matching import EntityColumns, touching

Span = tuple[str, int, int]


def spans(*given: Span) -> list[list[dict[str, Any]]]:
    return [[{"label": label, "start": start, "end": end} for label, start, end in given]]


def outcome(gold: list[Span], pred: list[Span], **options: Any) -> dict[str, str]:
    """Correct, incorrect, partial, missed, spurious: the counts of each way as a word."""
    evaluator = Evaluator(spans(*gold), spans(*pred), tags=["A", "B"], loader="dict", **options)
    return {
        way: "".join(str(count) for count in list(vars(result).values())[:5])
        for way, result in evaluator.evaluate()["overall"].items()
    }


ALL_RIGHT = dict.fromkeys(("strict", "partial", "ent_type", "exact"), "10000")


@pytest.mark.parametrize(
    ("gold", "pred", "expected"),
    [
        # one and one
        ([("A", 1, 3)], [("A", 1, 3)], ALL_RIGHT),
        ([("A", 1, 3)], [("B", 1, 3)], {"strict": "01000", "exact": "10000", "ent_type": "01000"}),
        ([("A", 1, 3)], [("A", 2, 3)], {"strict": "01000", "partial": "00100", "exact": "01000"}),
        ([("A", 1, 3)], [("A", 4, 5)], {"strict": "00011", "ent_type": "00011"}),
        ([("A", 1, 3)], [("other", 1, 3)], {"strict": "00010"}),
        # two that compete: the first of the list chooses first
        ([("A", 1, 3)], [("A", 1, 2), ("A", 1, 3)], {"strict": "01001", "partial": "00101"}),
        ([("A", 1, 3)], [("A", 1, 3), ("A", 1, 2)], {"strict": "10001", "partial": "10001"}),
        # a right one is preferred to the first; of right ones, the nearest
        ([("B", 0, 9), ("A", 1, 3)], [("A", 1, 3)], {"strict": "10010", "ent_type": "10010"}),
        # the same twice
        ([("A", 1, 1), ("A", 1, 1)], [("A", 1, 1), ("A", 1, 1)], {"exact": "20000"}),
    ],
)
def test_pairs(gold: list[Span], pred: list[Span], expected: dict[str, str]) -> None:
    found = outcome(gold, pred)
    assert {way: found[way] for way in expected} == expected


@pytest.mark.parametrize(("least", "partial"), [(50, "00100"), (50.1, "00011")])
def test_an_overlap_must_cover_enough_of_gold(least: float, partial: str) -> None:
    gold, pred = [("A", 0, 3)], [("A", 2, 9)]
    assert outcome(gold, pred, min_overlap_percentage=least)["partial"] == partial


def test_the_nearest_of_its_type_is_chosen() -> None:
    evaluator = Evaluator(
        spans(("A", 0, 9), ("A", 3, 4)), spans(("A", 3, 5)), tags=["A"], loader="dict"
    )
    places = evaluator.evaluate()["entity_indices"]["A"]["ent_type"]
    assert (places.correct_indices, places.missed_indices) == ([(0, 0)], [(0, 0)])


GOLD = [["B-PER", "I-PER", "O", "B-LOC"], ["O", "O"]]
PRED = [["B-PER", "O", "O", "B-LOC"], ["O", "B-ORG"]]
OVERALL = """\
Scenario: all

              correct   incorrect     partial      missed    spurious   precision      recall    f1-score

ent_type            2           0           0           0           0        1.00        1.00        1.00
   exact            1           1           0           0           0        0.50        0.50        0.50
 partial            1           0           1           0           0        0.75        0.75        0.75
  strict            1           1           0           0           0        0.50        0.50        0.50
"""  # noqa: E501


def test_reports() -> None:
    evaluator = Evaluator(GOLD, PRED, tags=["PER", "LOC"])
    assert evaluator.summary_report() == OVERALL
    assert "PER" in evaluator.summary_report(mode="entities", scenario="partial", digits=9)
    listed = evaluator.summary_report_indices(mode="entities", scenario="strict", colors=True)
    assert "Label=PER, Start=0, End=0" in listed
    assert "\033[91mIncorrect\033[0m" in listed


def test_results_as_a_file(tmp_path: Path) -> None:
    evaluator = Evaluator(GOLD, PRED, tags=["PER", "LOC"])
    assert evaluator.results_to_csv(file_path=str(tmp_path / "results.csv")) is None
    written = (tmp_path / "results.csv").read_bytes().decode()
    assert written == evaluator.results_to_csv()
    assert str(written).splitlines()[1] == "strict,1,1,0,0,0,0.5,0.5,0.5"


def test_no_documents_give_no_results() -> None:
    results = Evaluator("", "", tags=["PER"]).evaluate()
    assert results["overall"] == results["entities"] == {}


def test_text_lists_and_spans_are_read_alike() -> None:
    text = "\n\n".join("\n".join(f"w\t{label}" for label in part) for part in GOLD)
    dicts = [
        [{"label": "PER", "start": 0, "end": 1}, {"label": "LOC", "start": 3, "end": 3}],
        [],
    ]
    sides = [Evaluator(data, data, tags=["PER"]).true for data in (GOLD, text, dicts)]
    assert sides[0] == sides[1] == sides[2]


@pytest.mark.parametrize(
    ("gold", "pred", "options", "message"),
    [
        (None, None, {}, "Could not infer loader"),
        (GOLD, PRED, {"loader": "xml"}, "Unknown loader: xml"),
        (GOLD, PRED[:1], {}, "Number of predicted documents"),
        (GOLD, [["O"], ["O"]], {}, "Document 0 has different lengths: true=4, pred=1"),
        ("a\tO\n\nb\tO", "a\tO", {}, "Number of predicted documents"),
        ([["PER"]], [["O"]], {}, "Invalid tag format: PER"),
        ([["O", 1]], [["O", 1]], {}, "Invalid tag type"),
        (["O"], ["O"], {"loader": "list"}, "must be a list of tags"),
        ("Ada B-PER", "Ada B-PER", {}, "does not contain a tab"),
        (GOLD, PRED, {"loader": "conll"}, "expects string"),
        ("O", "O", {"loader": "dict"}, "expects list"),
        ([[{"label": "A"}]], [[]], {}, "missing required keys: label, start, end"),
        (spans((1, 0, 1)), [[]], {}, "label must be a string"),  # type: ignore[arg-type]
        (spans(("A", 0.5, 1)), [[]], {}, "must be integers"),  # type: ignore[arg-type]
        ([["A"]], [[]], {"loader": "dict"}, "Invalid entity type"),
        (GOLD, PRED, {"min_overlap_percentage": 0}, "between 1.0 and 100.0"),
    ],
)
def test_refusals(gold: Any, pred: Any, options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Evaluator(gold, pred, tags=["PER"], **options)


@pytest.mark.parametrize("options", [{"mode": "some"}, {"mode": "entities", "scenario": "some"}])
def test_reports_that_do_not_exist_are_refused(options: dict[str, str]) -> None:
    with pytest.raises(ValueError, match="must be one of"):
        Evaluator(GOLD, PRED, tags=["PER"]).summary_report(**options)  # type: ignore[arg-type]


place = st.integers(0, 12)
sides = st.lists(st.tuples(st.integers(0, 2), place, place), max_size=8).map(sorted)


@given(sides, sides, st.sampled_from([1, 3, 1 << 22]))
def test_entities_that_touch_are_all_found(
    gold: list[tuple[int, int, int]], pred: list[tuple[int, int, int]], at_once: int
) -> None:
    def side(rows: list[tuple[int, int, int]]) -> EntityColumns:
        return EntityColumns(*np.array([(*row, 0) for row in rows], np.int64).reshape(-1, 4).T)

    one, other = touching(side(gold), side(pred), at_once)
    expected = [
        (number, place)
        for place, (document, *ends) in enumerate(pred)
        for number, (same, *others) in enumerate(gold)
        if document == same and min(ends) <= max(others) and max(ends) >= min(others)
    ]
    assert list(zip(one.tolist(), other.tolist(), strict=True)) == expected
