"""The metric that accumulates: cut, merged or sent elsewhere, it tells what one evaluation does."""

import pickle
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.oracles.strategies import Case, cases

import nerscope as ns
from nerscope.compat.loops import label_names, read_batch
from nerscope.compat.metric import NerMetric

LABELS = ["O", "B-PER", "I-PER", "B-LOC"]
TRAIN = [(["Ada", "met", "Bob"], ["B-PER", "O", "B-PER"])]


def filled(metric: NerMetric, case: Case, first: int, last: int) -> NerMetric:
    gold, pred = case.gold[first:last], case.pred[first:last]
    metric.update([own for _, own in pred], [own for _, own in gold], [words for words, _ in gold])
    return metric


@settings(max_examples=25)
@given(cases(), st.data())
def test_however_batches_are_cut_the_numbers_are_those_of_one_evaluation(
    case: Case, data: st.DataObject
) -> None:
    options: dict[str, Any] = {"train": case.train, "facets": ["tmr", "hard", "eLen"]}
    cuts = data.draw(st.lists(st.integers(0, len(case.gold)), max_size=3).map(sorted))
    bounds = [0, *cuts, len(case.gold)]
    whole = NerMetric(**options)
    for first, last in pairwise(bounds):
        if data.draw(st.booleans()):
            filled(whole, case, first, last)
        elif data.draw(st.booleans()):
            whole.merge(filled(NerMetric(), case, first, last))
        else:
            whole.merge_state(
                pickle.loads(pickle.dumps(filled(NerMetric(), case, first, last).state))
            )
    assert whole.compute() == ns.evaluate(case.gold, {"x": case.pred}, **options).scalars()


class Tensor:
    """As much of a tensor as anybody needs to have."""

    def __init__(self, values: Any) -> None:
        self._values = np.array(values)
        self.ndim, self.shape = self._values.ndim, self._values.shape

    def argmax(self, axis: int) -> "Tensor":
        return Tensor(self._values.argmax(axis))

    def tolist(self) -> Any:
        return self._values.tolist()


GOLD_IDS = [[-100, 1, 0, -100], [-100, 3, -100, -100]]
IDS = [[2, 1, 0, 3], [0, 0, 0, 0]]
SCORES = np.eye(4)[np.array(IDS)]
FOUND = [(["B-PER", "O"], ["B-PER", "O"], None), (["O"], ["B-LOC"], None)]


@pytest.mark.parametrize(
    ("preds", "target"),
    [
        (IDS, GOLD_IDS),
        (np.array(IDS), np.array(GOLD_IDS)),
        (Tensor(IDS), Tensor(GOLD_IDS)),
        ([Tensor(row) for row in IDS], [np.array(row) for row in GOLD_IDS]),
        (SCORES, np.array(GOLD_IDS)),
        (Tensor(SCORES), Tensor(GOLD_IDS)),
        ([Tensor(row) for row in SCORES], GOLD_IDS),
        (SCORES.tolist(), GOLD_IDS),
        (([IDS[0], IDS[1]]), (row for row in GOLD_IDS)),
        ([["O", "B-PER", "O", "O"], ["O"] * 4], GOLD_IDS),
        ([["B-PER", "O"], ["O"], []], [["B-PER", "O"], ["B-LOC"], []]),
        (np.array([["B-PER", "O"]]), np.array([["B-PER", "O"]])),
    ],
)
def test_lists_arrays_and_tensors_serve_alike(preds: Any, target: Any) -> None:
    found = read_batch(preds, target, label_list=LABELS)
    assert found == FOUND[: len(found)]
    assert found


@pytest.mark.parametrize(
    "label_list",
    [
        tuple(LABELS),
        np.array(LABELS),
        dict(enumerate(LABELS)),
        {str(number): label for number, label in enumerate(LABELS)},  # as in config.json
    ],
    ids=["tuple", "array", "by id", "by id as a string"],
)
def test_label_lists_may_have_any_form_with_an_order(label_list: Any) -> None:
    assert read_batch(IDS, GOLD_IDS, label_list=label_list) == FOUND


NO_LABELS = "label_list: it is not a list, tuple or mapping with label strings"
NO_PREFIX = "have no prefix such as B- or I-. Fix: give label_list with the labels of the data"


@pytest.mark.parametrize(
    ("label_list", "fact"),
    [
        (set(LABELS), NO_LABELS),
        (iter(LABELS), NO_LABELS),
        ("O", NO_LABELS),
        ([], NO_LABELS),
        ([0, 1], NO_LABELS),
        ({"a": "O"}, NO_LABELS),
        ({"O": 0, "B-PER": 1}, r"it maps labels to ids \(label2id\). Fix: give id2label"),
        (["LABEL_0", "LABEL_1"], f"the labels LABEL_0, LABEL_1 {NO_PREFIX}"),
        ({0: "O", 1: "PER", 2: "LOC"}, f"the labels PER, LOC {NO_PREFIX}"),
    ],
)
def test_other_label_lists_are_refused_at_once(label_list: Any, fact: str) -> None:
    with pytest.raises(ns.UsageError, match=fact):
        NerMetric(label_list)


@pytest.mark.parametrize("labels", [["O"], ["O", "B", "I"], ["B_PER"], ["O", "[CLS]", "B-PER"]])
def test_labels_with_any_prefix_are_accepted(labels: list[str]) -> None:
    assert list(label_names(labels).values()) == labels


@pytest.mark.parametrize("words", [["Ada", "met"], ["[CLS]", "Ada", "met", "[SEP]"]])
def test_words_are_those_of_the_row_or_those_that_count(words: list[str]) -> None:
    array = np.array(words)
    for rows in ([words], [array], array[np.newaxis], [array.astype(object)], [list(array)]):
        found = read_batch(IDS[:1], GOLD_IDS[:1], rows, LABELS)[0].tokens
        assert found == ["Ada", "met"]
        assert {type(word) for word in found} == {str}


@pytest.mark.parametrize(
    ("preds", "target", "tokens", "fact"),
    [
        ([["O"]], [["O"], ["O"]], None, "differ: 1 sentence predicted, 2 in gold. Fix"),
        (
            [["O"]],
            [["O"]],
            [["a"], ["b"]],
            "the numbers differ: 1 sentence predicted, 1 in gold, 2 with tokens",
        ),
        (
            [["O"], ["O"]],
            [["O"], ["O", "O"]],
            None,
            "sentence 2: the numbers differ: 1 label predicted, 2 in gold",
        ),
        (
            [["O"]],
            [["O"]],
            [["a", "b"]],
            "sentence 1: the numbers differ: 1 label other than -100, 2 tokens",
        ),
        ([[0]], [[7]], None, "7 is not a label id. Fix: give the ids of label_list, which has 4"),
        ([[0.0]], [[0]], None, "label id 0.0 is not a whole number"),
        (np.zeros((1, 1, 5)), [[0]], None, "each token has 5 scores, but label_list has 4 labels"),
        ([np.zeros((1, 5))], [[0]], None, "each token has 5 scores"),
        ([[[0.5, 0.5]]], [[0]], None, "each token has 2 scores"),
        ([[[]]], [[0]], None, r"\[\] is not a label id"),
        ([0, 1], [0, 1], None, "0 is not a sentence"),
        (np.array([0, 1]), np.array([0, 1]), None, "0 is not a sentence"),
        (3, 3, None, "3 is not a sentence"),
        ("O", "O", None, "'O' is not a sentence"),
    ],
)
def test_batches_that_do_not_fit_are_refused(
    preds: Any, target: Any, tokens: Any, fact: str
) -> None:
    with pytest.raises(ns.UsageError, match=fact):
        read_batch(preds, target, tokens, LABELS)


def test_ids_need_a_list_of_labels() -> None:
    with pytest.raises(ns.UsageError, match="label 1 is not a string"):
        NerMetric().update([[1]], [[1]])


def test_a_wrong_option_is_told_at_once() -> None:
    with pytest.raises(ns.UsageError, match="unknown option"):
        NerMetric(facet="tmr")
    with pytest.raises(ns.UsageError, match="did you mean 'label_list'"):
        NerMetric(labels_list=LABELS)
    with pytest.raises(ns.UsageError, match="unknown facet"):
        NerMetric(facets=["tmt"], train=TRAIN)
    with pytest.raises(ns.UsageError, match="--train"):
        NerMetric(facets=["tmr"])
    with pytest.raises(ns.InputError, match="no such file"):
        NerMetric(train="nowhere.conll")


def test_training_data_brings_tough_numbers() -> None:
    metric = NerMetric(train=TRAIN)
    metric.update([["B-PER", "O"]], [["B-PER", "B-PER"]], [["Ada", "Zoe"]])
    found = metric.compute()
    assert (found["tmr/seen/recall"], found["tmr/unseen-tokens/recall"]) == (1.0, 0.0)
    assert found["hard/unseen/ter"] == 1.0
    assert not [name for name in found if name.startswith("eLen")]


def test_words_are_asked_for_where_they_are_needed() -> None:
    metric = NerMetric(train=TRAIN)
    with pytest.raises(ns.UsageError, match="tokens: no tokens are given"):
        metric.update([["B-PER"]], [["B-PER"]])


def test_several_files_are_one_training_set(tmp_path: Any) -> None:
    for name in ("Ada", "Bob"):
        (tmp_path / name).write_text(f"{name} B-PER\n")
    metric = NerMetric(train=[tmp_path / "Ada", tmp_path / "Bob"])
    metric.update([["B-PER", "B-PER"]], [["B-PER", "B-PER"]], [["Bob", "Ada"]])
    assert metric.compute()["tmr/seen/recall"] == 1.0


@pytest.mark.parametrize(
    ("preds", "target", "expected"),
    [
        ([], [], {}),
        ([["O", "O"]], [["O", "O"]], {"accuracy": 1.0}),
        ([["B-PER", "O"]], [["O", "O"]], {"precision": 0.0, "f1": 0.0, "accuracy": 0.5}),
    ],
)
def test_without_a_gold_mention_the_undefined_is_left_out(
    preds: Any, target: Any, expected: dict[str, float]
) -> None:
    metric = NerMetric(train=TRAIN)
    metric.update(preds, target, [["Ada", "met"] for _ in target])
    assert metric.compute() == expected


def test_reset_forgets() -> None:
    metric = NerMetric()
    metric.update([["O"]], [["B-PER"]])
    metric.reset()
    metric.update([["B-PER"]], [["B-PER"]])
    assert metric.compute()["recall"] == 1.0
    assert metric.results().value(metric="recall") == 1.0
