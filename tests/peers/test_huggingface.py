"""The metric of Hugging Face beside seqeval, of which it is made: the same numbers, key for key."""

import warnings
from typing import Any

import pytest
import seqeval.metrics
import seqeval.scheme
from tests.peers.generated import LETTERS, alphabet, corpora

from nerscope.compat.huggingface import Seqeval

NAMES = {"precision": "precision", "recall": "recall", "f1": "f1-score", "number": "support"}


def wanted(gold: list[list[str]], pred: list[list[str]], scheme: str | None, **how: Any) -> Any:
    """What seqeval says, under the keys of the metric."""
    given = getattr(seqeval.scheme, scheme) if scheme else None
    report = seqeval.metrics.classification_report(
        gold, pred, output_dict=True, scheme=given, **how
    )
    found = {
        kind: {name: own[theirs] for name, theirs in NAMES.items()} for kind, own in report.items()
    }
    overall = found.pop("micro avg")
    del found["macro avg"], found["weighted avg"], overall["number"]
    accuracy = seqeval.metrics.accuracy_score(gold, pred)
    return (
        found
        | {f"overall_{name}": own for name, own in overall.items()}
        | {"overall_accuracy": accuracy}
    )


@pytest.mark.parametrize(
    ("scheme", "how"),
    [
        (None, {}),
        (None, {"suffix": True}),
        (None, {"zero_division": 1}),
        ("IOB2", {"mode": "strict"}),
        ("IOBES", {"mode": "strict", "zero_division": 0}),
        ("BILOU", {"mode": "strict"}),
    ],
    ids=str,
)
def test_the_numbers_are_those_of_seqeval(scheme: str | None, how: dict[str, Any]) -> None:
    labels = alphabet(LETTERS[scheme or "IOB2"], suffix=how.get("suffix", False))
    metric, seen = Seqeval(), 0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for gold, pred in corpora(7, 60, labels):
            if {label for row in (*gold, *pred) for label in row} == {"O"} and how.get("mode"):
                continue  # there is nothing of which seqeval could tell the types
            found = metric.compute(predictions=pred, references=gold, scheme=scheme, **how)
            assert found == wanted(gold, pred, scheme, **how)
            assert {type(found[name]) for name in found if "_" in name} == {float}
            seen += 1
    assert seen > 40
