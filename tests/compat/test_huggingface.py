"""Doors for Hugging Face: keys, accumulation, what a trainer hands over, and tough numbers."""

import re
import warnings
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import nerscope as ns
from nerscope.compat.huggingface import Seqeval, compute_metrics

TRAIN = [(["Ada", "met", "Bob"], ["B-PER", "O", "B-PER"])]
TOKENS = [["Ada", "saw", "Oslo"], ["Zoe", "left"]]
GOLD = [["B-PER", "O", "B-LOC"], ["B-PER", "O"]]
PRED = [["B-PER", "O", "O"], ["B-LOC", "O"]]
OVERALL = {f"overall_{name}" for name in ("precision", "recall", "f1", "accuracy")}


def test_the_keys_are_those_of_the_metric() -> None:
    found = Seqeval().compute(predictions=PRED, references=GOLD)
    assert set(found) == {"PER", "LOC"} | OVERALL
    assert found["PER"] == {"precision": 1.0, "recall": 0.5, "f1": 2 / 3, "number": 2}
    assert (found["overall_precision"], found["overall_accuracy"]) == (0.5, 0.6)
    assert {type(value) for value in (*found["PER"].values(), found["overall_f1"])} == {float, int}


def test_sentences_add_up_until_they_are_computed() -> None:
    metric = Seqeval()
    metric.add(prediction=PRED[0], reference=GOLD[0])
    metric.add_batch(predictions=[], references=[])
    found = metric.compute(predictions=PRED[1:], references=GOLD[1:])
    assert found == Seqeval().compute(predictions=PRED, references=GOLD)
    with pytest.raises(ns.UsageError, match="no sentences to score"):
        metric.compute()


def test_the_options_of_seqeval_count() -> None:
    gold, pred = [["PER-B", "PER-I"]], [["PER-I", "PER-I"]]
    metric = Seqeval()
    assert metric.compute(predictions=pred, references=gold, suffix=True)["overall_f1"] == 1.0
    how: dict[str, Any] = {"suffix": True, "mode": "strict", "scheme": "IOB2", "zero_division": 0}
    assert metric.compute(predictions=pred, references=gold, **how)["overall_f1"] == 0.0
    how["zero_division"] = 1
    found = metric.compute(predictions=pred, references=gold, sample_weight=None, **how)
    assert found["overall_precision"] == 1.0


def test_training_data_bring_tough_numbers() -> None:
    metric = Seqeval(train=TRAIN)
    found = metric.compute(predictions=PRED, references=GOLD, tokens=TOKENS)
    every = ns.evaluate(
        list(zip(TOKENS, GOLD, strict=True)), {"x": PRED}, train=TRAIN, facets=["tmr", "hard"]
    ).scalars()
    tough = {name: value for name, value in found.items() if "/" in name}
    assert tough == {name: every[name] for name in tough}
    assert (found["tmr/seen/recall"], found["tmr/unseen-tokens/recall"]) == (1.0, 0.0)
    assert {"hard/unseen/ter", "overlap/f1"} <= set(tough)
    assert set(found) - set(tough) == {"PER", "LOC"} | OVERALL


def test_options_alone_bring_what_needs_no_training_data() -> None:
    metric = Seqeval(facets=[], matches=["overlap"])
    metric.add(prediction=["PER-B", "O"], reference=["PER-B", "PER-I"], tokens=["Ada", "Ba"])
    found = metric.compute(suffix=True)
    assert found["overlap/f1"] == 0.5
    assert not [name for name in found if name.startswith("tmr")]


LABELS = ["O", "B-PER", "B-LOC"]
LABEL_IDS = np.array([[-100, 1, 0, 2, -100], [-100, 1, -100, 0, -100]])
IDS = np.array([[0, 1, 0, 0, 2], [1, 2, 1, 0, 0]])
SCORES = np.eye(3, dtype=np.float32)[IDS]
EXPECTED = {"precision": 0.5, "recall": 1 / 3, "f1": 0.4, "accuracy": 0.6}


@pytest.mark.parametrize(
    "prediction",
    [
        (SCORES, LABEL_IDS),
        (IDS, LABEL_IDS),
        ((SCORES, "hidden states"), LABEL_IDS),
        SimpleNamespace(predictions=SCORES, label_ids=LABEL_IDS, inputs=None),
        SimpleNamespace(predictions=(SCORES, None), label_ids=LABEL_IDS),
        (IDS.tolist(), LABEL_IDS.tolist()),
    ],
    ids=["scores", "ids", "outputs", "object", "object with outputs", "lists"],
)
@pytest.mark.parametrize("label_list", [LABELS, dict(enumerate(LABELS))], ids=["list", "by id"])
def test_a_trainer_may_hand_over(prediction: Any, label_list: Any) -> None:
    assert compute_metrics(label_list)(prediction) == pytest.approx(EXPECTED)


def test_by_type_there_is_more() -> None:
    found = compute_metrics(LABELS, by_type=True)((IDS, LABEL_IDS))
    assert found["PER_recall"] == 0.5
    assert set(found) == set(EXPECTED) | {
        f"{kind}_{name}"
        for kind in ("PER", "LOC")
        for name in ("precision", "recall", "f1", "number")
    }


def test_words_bring_tough_numbers_also_where_sentences_were_cut_off() -> None:
    tokens = [TOKENS[0], [*TOKENS[1], "the", "room"]]
    found = compute_metrics(LABELS, tokens=tokens, train=TRAIN)((SCORES, LABEL_IDS))
    assert (found["tmr/seen/recall"], found["tmr/unseen-tokens/recall"]) == (1.0, 0.0)
    assert set(EXPECTED) <= set(found)


def test_words_are_asked_for_at_once() -> None:
    with pytest.raises(ns.UsageError, match="tokens: no tokens are given"):
        compute_metrics(LABELS, train=TRAIN)
    with pytest.raises(ns.UsageError, match="tokens: no tokens are given"):
        Seqeval(train=TRAIN).add(prediction=["O"], reference=["O"])


@pytest.mark.parametrize(
    "prediction",
    [
        (SCORES, LABEL_IDS),
        (IDS.tolist(), LABEL_IDS.tolist()),
        SimpleNamespace(predictions=SCORES, label_ids=LABEL_IDS),
    ],
    ids=["arrays", "lists", "object"],
)
def test_a_prediction_instead_of_labels_is_refused(prediction: Any) -> None:
    with pytest.raises(ns.UsageError, match=r"compute_metrics=compute_metrics\(label_list\)"):
        compute_metrics(prediction)


@pytest.mark.parametrize("prediction", [None, 3, [], "x", np.zeros(3), (SCORES,)])
def test_what_is_not_a_pair_is_refused(prediction: Any) -> None:
    with pytest.raises(ns.UsageError, match="it is not a pair of predictions and labels"):
        compute_metrics(LABELS)(prediction)


@pytest.mark.parametrize("labels", [None, 3, np.array(3), [3], np.zeros((1, 2, 2, 2)), {1: 2}])
def test_labels_that_are_not_sentences_are_refused(labels: Any) -> None:
    for tokens in (None, TOKENS):
        with pytest.raises(ns.UsageError):
            compute_metrics(LABELS, tokens=tokens)(((), labels))


@pytest.mark.parametrize("tokens", [3, ["Ada spoke"], [None], "Ada"])
def test_tokens_that_are_not_sentences_are_refused(tokens: Any) -> None:
    with pytest.raises(ns.UsageError, match="is not a sentence"):
        compute_metrics(LABELS, tokens=tokens)


def test_tokens_may_be_an_iterator() -> None:
    compute = compute_metrics(LABELS, tokens=(row for row in TOKENS), train=TRAIN)
    listed = compute_metrics(LABELS, tokens=TOKENS, train=TRAIN)
    assert compute((SCORES, LABEL_IDS)) == listed((SCORES, LABEL_IDS))


def test_unknown_options_are_refused_at_once() -> None:
    with pytest.raises(ns.UsageError, match="unknown option") as caught:
        compute_metrics(LABELS, per_type=True)
    assert {"by_type", "tokens", "train"} <= set(re.findall(r"\w+", caught.value.fix))


def test_an_evaluation_set_of_ignored_labels_is_refused() -> None:
    compute = compute_metrics(LABELS)
    with pytest.raises(ns.UsageError, match="every label is -100"):
        compute((IDS, np.full(IDS.shape, -100)))
    with pytest.raises(ns.UsageError, match="no sentences to score"):
        compute(([], []))


def test_words_of_another_set_are_refused() -> None:
    with pytest.raises(ns.UsageError, match="2 sentences predicted, 2 in gold, 1 with tokens"):
        compute_metrics(LABELS, tokens=TOKENS[:1], train=TRAIN)((SCORES, LABEL_IDS))
    with pytest.raises(ns.UsageError, match="3 labels other than -100, 2 tokens"):
        compute_metrics(LABELS, tokens=TOKENS[::-1], train=TRAIN)((SCORES, LABEL_IDS))


def test_before_anything_is_learnt_there_are_numbers() -> None:
    """Gold without mentions, and predictions without any."""
    nothing = np.zeros((1, 3), int)
    compute = compute_metrics(LABELS, train=TRAIN, tokens=[["it", "is", "so"]])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = compute((nothing, nothing))
    assert found == {"precision": 0.0, "recall": 0.0, "f1": 0.0, "accuracy": 1.0}
