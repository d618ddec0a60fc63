"""What the drop-in for seqeval promises, without seqeval; beside it: tests/peers."""

import warnings
from typing import Any

import numpy as np
import pytest

from nerscope.compat import seqeval
from nerscope.compat.seqeval_chunks import SCHEMES, Chunks, loose_chunks, strict_chunks

Found = list[tuple[str, int, int]]


def found(chunks: Chunks) -> Found:
    """Type, first and last place of each gold chunk."""
    gold = chunks.gold
    columns = (gold.type.tolist(), gold.start.tolist(), gold.end.tolist())
    return [(chunks.names[kind], start, end - 1) for kind, start, end in zip(*columns, strict=True)]


@pytest.mark.parametrize(
    ("labels", "expected"),
    [
        # what conlleval would find
        ("I-A I-A B-A O", [("A", 0, 1), ("A", 2, 2)]),
        ("B-A I-B I-B", [("A", 0, 0), ("B", 1, 2)]),
        ("B-A E-A E-A S-A", [("A", 0, 1), ("A", 2, 2), ("A", 3, 3)]),
        ("B-creative-work O", [("creative-work", 0, 0)]),
        # letters that it does not know continue, and neither begin nor end a chunk of their type
        ("I-A L-A U-A O", [("A", 0, 2)]),
        ("B-A . I-A", [("A", 0, 0), ("A", 2, 2)]),
        # labels without a type have the type _, as O has
        ("B- I- O", [("_", 0, 1)]),
        ("A A O", []),
        ("O-x I-x", [("x", 1, 1)]),
    ],
)
def test_default_chunks(labels: str, expected: Found) -> None:
    chunks, _ = loose_chunks([labels.split()], [labels.split()], suffix=False)
    assert found(chunks) == expected


@pytest.mark.parametrize(
    ("scheme", "labels", "expected"),
    [
        ("IOB1", "B-A I-A I-B B-B", [("A", 1, 1), ("B", 2, 2), ("B", 3, 3)]),
        ("IOB1", "O B-A O", []),
        ("IOB2", "I-A B-A I-A I-B", [("A", 1, 2)]),
        ("IOE1", "I-A E-A I-A O", [("A", 0, 1), ("A", 2, 2)]),
        ("IOE2", "I-A E-A E-A I-B O", [("A", 0, 1), ("A", 2, 2)]),
        ("IOBES", "B-A E-A S-B B-A I-A", [("A", 0, 1), ("B", 2, 2)]),
        ("BILOU", "B-A L-A U-B L-A B-A O", [("A", 0, 1), ("B", 2, 2)]),
    ],
)
def test_strict_chunks(scheme: str, labels: str, expected: Found) -> None:
    row = [labels.split()]
    assert found(strict_chunks(row, row, SCHEMES[scheme], suffix=False)) == expected


GOLD = [["B-PER", "I-PER", "O", "B-LOC"], ["B-LOC", "O"]]
PRED = [["B-PER", "O", "O", "B-LOC"], ["O", "B-ORG"]]
TEXT = """\
              precision    recall  f1-score   support

         LOC      1.000     0.500     0.667         2
         ORG      0.000     0.000     0.000         0
         PER      0.000     0.000     0.000         1

   micro avg      0.333     0.333     0.333         3
   macro avg      0.333     0.167     0.222         3
weighted avg      0.667     0.333     0.444         3
"""
UNDEFINED = (
    " ill-defined and being set to 0.0 in labels with no true samples."
    " Use `zero_division` parameter to control this behavior."
)


def test_the_report_as_text() -> None:
    assert seqeval.classification_report(GOLD, PRED, digits=3, zero_division=0) == TEXT


def test_the_report_as_numbers() -> None:
    report: Any = seqeval.classification_report(GOLD, PRED, output_dict=True, zero_division=1)
    assert report["ORG"] == {"precision": 0.0, "recall": 1.0, "f1-score": 0.0, "support": 0}
    assert list(report)[-3:] == ["micro avg", "macro avg", "weighted avg"]


def test_a_report_says_what_is_undefined() -> None:
    with pytest.warns(UserWarning) as caught:
        seqeval.classification_report(GOLD, PRED)
    assert [str(one.message) for one in caught] == [f"Recall and F-score are{UNDEFINED}"]
    assert caught[0].filename == __file__


@pytest.mark.parametrize(
    ("score", "average", "value"),
    [
        ("precision_score", "macro", 1 / 3),
        ("recall_score", "weighted", 1 / 3),
        ("f1_score", "micro", 1 / 3),
        ("recall_score", None, [0.5, 0, 0]),
    ],
)
def test_scores(score: str, average: str | None, value: Any) -> None:
    result = getattr(seqeval, score)(GOLD, PRED, average=average, zero_division=0)
    assert np.array_equal(result, value)
    assert average is None or type(result) is float


@pytest.mark.parametrize(("zero_division", "value"), [(0, 0.0), (1, 1.0)])
@pytest.mark.parametrize("average", ["micro", "weighted"])
def test_nothing_to_find_gives_what_is_asked(
    average: str, zero_division: int, value: float
) -> None:
    nothing = [["O"]]
    options: Any = {"average": average, "zero_division": zero_division}
    assert seqeval.precision_score(nothing, nothing, **options) == value
    assert seqeval.f1_score(nothing, nothing, **options) == value


def test_an_f_score_of_nothing_warns_once() -> None:
    with pytest.warns(UserWarning, match="F-score is ill-defined .* due to no true nor predicted"):
        assert seqeval.f1_score([["O"]], [["O"]]) == 0.0


@pytest.mark.parametrize(
    ("labels", "suffix", "odd"),
    [("PER B-PER", False, ["PER"]), ("B-PER PER-B O", True, ["B-PER"]), ("B S-x", False, [])],
)
def test_labels_that_look_wrong_are_named(labels: str, suffix: bool, odd: list[str]) -> None:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        seqeval.f1_score([labels.split()], [labels.split()], suffix=suffix)
    assert [str(one.message) for one in caught] == [f"{one} seems not to be NE tag." for one in odd]


@pytest.mark.parametrize(
    ("labels", "scheme"),
    [("B-A I-A", "IOB2"), ("I-A E-A O", "IOE2"), ("S-A", "IOBES"), ("B-A L-A O", "BILOU")],
)
def test_a_scheme_is_recognised_by_the_letters_of_gold(labels: str, scheme: str) -> None:
    row = [labels.split()]
    named = seqeval.classification_report(row, row, mode="strict", scheme=scheme)
    assert seqeval.classification_report(row, row, mode="strict") == named


@pytest.mark.parametrize(
    ("gold", "pred", "options", "error", "message"),
    [
        (GOLD, PRED[:1], {}, ValueError, r"inconsistent numbers of samples:\n\[4, 2\]\n\[4\]"),
        (GOLD[0], PRED[0], {}, TypeError, "without list of list"),
        ([], [], {}, TypeError, "without list of list"),
        ([["O"]], [["O"]], {"mode": "strict"}, ValueError, "scheme is not supported: O$"),
        ([["X-A"]], [["O"]], {"mode": "strict"}, ValueError, "scheme is not supported: X-A"),
        ([[""]], [["O"]], {}, ValueError, "'' is not a label"),
        ([[None]], [["O"]], {}, ValueError, "None is not a label"),
        (
            *(GOLD, PRED, {"mode": "strict", "scheme": "IOE2"}, ValueError),
            r"Invalid token is found: B-PER. Allowed prefixes are: I\|O\|E\.",
        ),
        (
            *(GOLD, PRED, {"mode": "strict", "scheme": "BIO"}, ValueError),
            "Unknown scheme 'BIO': .*choose one of: BILOU, IOB1, IOB2",
        ),
    ],
)
def test_refusals(
    gold: Any, pred: Any, options: dict[str, Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        seqeval.classification_report(gold, pred, **options)


def test_an_average_that_does_not_exist_is_refused() -> None:
    with pytest.raises(ValueError, match=r"one of \(None, 'micro', 'macro', 'weighted'\)"):
        seqeval.f1_score(GOLD, PRED, average="samples")


@pytest.mark.parametrize("turned", [np.array, tuple, lambda labels: [tuple(labels[0])]])
def test_arrays_and_tuples_are_taken(turned: Any) -> None:
    gold, pred = turned(GOLD[:1]), turned(PRED[:1])
    assert seqeval.f1_score(gold, pred) == 0.5
    assert seqeval.accuracy_score(gold, pred) == 0.75
    assert seqeval.performance_measure(gold, pred) == {"TP": 2, "FP": 0, "FN": 1, "TN": 1}


def test_one_row_of_labels_is_enough_for_accuracy() -> None:
    assert seqeval.accuracy_score(["B-X", "O"], ["B-X", "I-X"]) == 0.5
