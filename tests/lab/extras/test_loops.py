"""Doors for training loops, with the tensors and the trainer that they are made for."""

from pathlib import Path
from typing import Any

import pytest
import torch
from transformers import (
    BertConfig,
    BertForTokenClassification,
    Trainer,
    TrainingArguments,
)

from nerscope.compat.huggingface import compute_metrics
from nerscope.compat.loops import read_batch

LABELS = ["O", "B-PER", "B-LOC"]
TRAIN = [(["Ada", "met", "Bob"], ["B-PER", "O", "B-PER"])]
WORDS = [["Ada", "saw", "Oslo"], ["Zoe", "left"]]
LABEL_IDS = [[-100, 1, 0, 2, -100], [-100, 1, -100, 0, -100]]


@pytest.mark.parametrize("kind", [torch.float32, torch.bfloat16])
def test_tensors_of_scores_are_read_whatever_their_kind(kind: Any) -> None:
    ids = torch.tensor([[0, 1, 0, 0, 2], [1, 2, 1, 0, 0]])
    scores = torch.nn.functional.one_hot(ids).to(kind).requires_grad_()
    found = read_batch(scores, torch.tensor(LABEL_IDS), WORDS, LABELS)
    assert [one.predicted for one in found] == [["B-PER", "O", "O"], ["B-LOC", "O"]]
    assert found == read_batch(ids, LABEL_IDS, WORDS, LABELS)


@pytest.mark.filterwarnings("ignore")  # of the trainer about what it uses itself
def test_a_trainer_calls_it_after_every_epoch(tmp_path: Path) -> None:
    torch.manual_seed(1)
    config = BertConfig(
        vocab_size=20,
        hidden_size=8,
        num_hidden_layers=1,
        num_attention_heads=1,
        intermediate_size=8,
        num_labels=3,
    )
    data = [{"input_ids": [1, 2, 3, 4, 5], "labels": row} for row in LABEL_IDS]
    trainer = Trainer(
        model=BertForTokenClassification(config),
        args=TrainingArguments(
            output_dir=str(tmp_path),
            num_train_epochs=2,
            eval_strategy="epoch",
            metric_for_best_model="tmr/unseen-any/recall",
            report_to=[],
            use_cpu=True,
            disable_tqdm=True,
        ),
        train_dataset=data,
        eval_dataset=data,
        compute_metrics=compute_metrics(LABELS, by_type=True, tokens=WORDS, train=TRAIN),
    )
    trainer.train()
    told = [row for row in trainer.state.log_history if "eval_f1" in row]
    assert len(told) == 2
    for row in told:
        assert row["eval_PER_number"] == 2
        assert 0 <= row["eval_tmr/unseen-any/recall"] <= 1
        assert {"eval_precision", "eval_recall", "eval_accuracy", "eval_hard/all/ter"} <= set(row)
