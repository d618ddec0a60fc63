"""Datasets of Hugging Face: what the library holds, saves and writes is what is read."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from datasets import ClassLabel, Dataset, DatasetDict, Features, IterableDataset, Sequence, Value

import nerscope
from nerscope.corpus.corpus import Corpus
from nerscope.errors import FormatError, InputError
from nerscope.formats.base import open_source, read

NAMES = ["O", "B-PER", "I-PER", "B-LOC"]
TOKENS = [["Ada", "Byron", "spoke"], ["in", "Oslo"]]
IDS = [[1, 2, 0], [0, 3]]
MENTIONS = [(0, 2, "PER"), (4, 5, "LOC")]
COLUMNS = {
    "id": ["0", "1"],
    "tokens": TOKENS,
    "pos_tags": [[0, 0, 1], [1, 0]],
    "ner_tags": IDS,
}


def words_of(corpus: Corpus) -> list[list[str]]:
    return [corpus.words(sentence) for sentence in range(len(corpus))]


def mentions_of(corpus: Corpus) -> list[tuple[int, int, str]]:
    found, types = corpus.mentions(), corpus.coding.labels.types
    columns = (found.start.tolist(), found.end.tolist(), found.type.tolist())
    return [(low, high, types[kind]) for low, high, kind in zip(*columns, strict=True)]


@pytest.fixture(scope="module")
def labelled() -> Dataset:
    features = Features(
        {
            "id": Value("string"),
            "tokens": Sequence(Value("string")),
            "pos_tags": Sequence(ClassLabel(names=["NOUN", "X"])),
            "ner_tags": Sequence(ClassLabel(names=NAMES)),
        }
    )
    return Dataset.from_dict(COLUMNS, features=features)


WAYS: dict[str, Callable[[Dataset, Path], Any]] = {
    "in memory": lambda dataset, folder: dataset,
    "with another format": lambda dataset, folder: dataset.with_format("numpy"),
    "chosen and chosen again": lambda dataset, folder: dataset.select([1, 0]).select([1, 0]),
    "streamed": lambda dataset, folder: dataset.to_iterable_dataset(),
    "saved": lambda dataset, folder: saved(dataset, folder),
    "saved in two files": lambda dataset, folder: saved(dataset, folder, num_shards=2),
    "saved when chosen": lambda dataset, folder: saved(
        dataset.select([1, 0]).select([1, 0]), folder
    ),
    "a split of several, saved": lambda dataset, folder: (
        saved(DatasetDict({"test": dataset}), folder) / "test"
    ),
    "Parquet": lambda dataset, folder: as_parquet(dataset, folder / "x.parquet"),
    "pandas": lambda dataset, folder: dataset.map(
        lambda row: {"ner_tags": [NAMES[one] for one in row["ner_tags"]]},
        features=Features({**dataset.features, "ner_tags": Sequence(Value("string"))}),
    ).to_pandas(),
}


def saved(dataset: Any, folder: Path, **said: Any) -> Path:
    dataset.save_to_disk(str(folder / "saved"), **said)
    return folder / "saved"


def as_parquet(dataset: Dataset, path: Path) -> Path:
    dataset.to_parquet(str(path))
    return path


@pytest.mark.parametrize("way", WAYS)
def test_a_dataset_is_read_however_it_comes(way: str, labelled: Dataset, tmp_path: Path) -> None:
    corpus = read(WAYS[way](labelled, tmp_path))
    assert (words_of(corpus), mentions_of(corpus)) == (TOKENS, MENTIONS)


SPANS: dict[str, tuple[Any, Any]] = {
    "a list of mappings": (
        [
            {
                "start": Value("int64"),
                "end": Value("int64"),
                "label": ClassLabel(names=["PER", "LOC"]),
            }
        ],
        [[{"start": 0, "end": 9, "label": 0}], [{"start": 3, "end": 7, "label": 1}]],
    ),
    "lists by name": (
        Sequence(
            {
                "start": Value("int64"),
                "end": Value("int64"),
                "label": ClassLabel(names=["PER", "LOC"]),
            }
        ),
        [{"start": [0], "end": [9], "label": [0]}, {"start": [3], "end": [7], "label": [1]}],
    ),
}


@pytest.mark.parametrize("kind", SPANS)
def test_text_with_entities_is_read(kind: str, tmp_path: Path) -> None:
    feature, entities = SPANS[kind]
    features = Features({"text": Value("string"), "entities": feature})
    dataset = Dataset.from_dict(
        {"text": ["Ada Byron spoke", "in Oslo"], "entities": entities}, features=features
    )
    for given in (dataset, saved(dataset, tmp_path), as_parquet(dataset, tmp_path / "x.parquet")):
        assert mentions_of(read(given)) == MENTIONS
        assert open_source(given).info.retokenised


def test_a_dataset_and_predictions_are_evaluated(labelled: Dataset) -> None:
    predicted = [["B-PER", "I-PER", "O"], ["O", "O"]]
    results = nerscope.evaluate(labelled, {"lists": predicted, "itself": labelled}, train=labelled)
    recall = {
        row["system"]: row["value"]
        for row in results.rows
        if (row["metric"], row["facet"], row["type"], row["match"])
        == ("recall", "all", None, "exact")
    }
    assert recall == {"lists": 0.5, "itself": 1.0}


def test_splits_are_refused_and_named(labelled: Dataset, tmp_path: Path) -> None:
    splits = DatasetDict({"train": labelled, "validation": labelled})
    with pytest.raises(InputError, match=r"several splits: train, validation.*dataset\['train'\]"):
        nerscope.evaluate(splits, {"m": labelled})
    with pytest.raises(InputError, match=r"several splits: train, validation.*saved/train"):
        read(saved(splits, tmp_path))


def test_a_stream_that_does_not_know_its_features_needs_strings() -> None:
    def rows(label: Any) -> Any:
        yield {"tokens": ["Ada"], "ner_tags": [label]}

    strings = IterableDataset.from_generator(rows, gen_kwargs={"label": "B-PER"})
    assert mentions_of(read(strings)) == [(0, 1, "PER")]
    numbers = IterableDataset.from_generator(rows, gen_kwargs={"label": 1})
    with pytest.raises(FormatError, match="row 1: label 1 is a number"):
        read(numbers)
