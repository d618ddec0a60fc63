"""The plug-in that docs/integrations.md shows for Flair, in a training of Flair."""

import re
from pathlib import Path
from typing import Any

import pytest

PAGE = Path(__file__).resolve().parents[3] / "docs" / "integrations.md"
TRAIN = "Ada B-PER\nmet O\nBob B-PER\n\nOslo B-LOC\nfell O\n"
DEV = "Bob B-PER\nleft O\nRome B-LOC\n"


@pytest.mark.filterwarnings("ignore")
def test_an_epoch_is_recorded_with_its_tough_numbers(tmp_path: Path) -> None:
    import flair
    from flair.data import Corpus
    from flair.datasets import ColumnDataset
    from flair.embeddings import OneHotEmbeddings
    from flair.models import SequenceTagger
    from flair.trainers import ModelTrainer
    from flair.trainers.plugins import TrainerPlugin

    class Recorder(TrainerPlugin):  # type: ignore[misc]
        """Stands in for a logger."""

        def __init__(self) -> None:
            super().__init__()
            self.records: dict[tuple[str, int], float] = {}

        @TrainerPlugin.hook  # type: ignore[untyped-decorator]
        def metric_recorded(self, record: Any) -> None:
            self.records[str(record.name), record.global_step] = record.value

    names: dict[str, Any] = {"__name__": "__example__"}
    (block,) = re.findall(r"(?s)```python needs=flair\n(.*?)```", PAGE.read_text(encoding="utf-8"))
    exec(compile(block, str(PAGE), "exec"), names)
    for name, text in {"train.conll": TRAIN, "dev.conll": DEV}.items():
        (tmp_path / name).write_text(text)
    flair.set_seed(1)
    columns = {0: "text", 1: "ner"}
    parts = [ColumnDataset(tmp_path / name, columns) for name in ("train.conll", "dev.conll")]
    corpus = Corpus(*parts, sample_missing_splits=False)
    tagger = SequenceTagger(
        OneHotEmbeddings.from_corpus(corpus, min_freq=1, embedding_length=8),
        corpus.make_label_dictionary("ner"),
        "ner",
        hidden_size=8,
    )
    recorder = Recorder()
    ModelTrainer(tagger, corpus).train(
        tmp_path / "out",
        max_epochs=2,
        plugins=[names["ToughMentions"](tmp_path / "out", tmp_path / "train.conll"), recorder],
    )
    found = recorder.records
    for epoch in (1, 2):
        assert 0 <= found["dev/nerscope/tmr/unseen-tokens/recall", epoch] <= 1
        assert found["dev/nerscope/recall", epoch] == pytest.approx(
            found["dev/micro avg/recall", epoch]
        )
