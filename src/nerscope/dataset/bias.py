"""Compare datasets without any system: attributes and composition."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from nerscope.arguments import check_arguments
from nerscope.corpus.lexicon import SENSITIVE
from nerscope.corpus.mentions import CONLLEVAL
from nerscope.dataset.describe import CompositionRow, composition_rows
from nerscope.dataset.loading import load_splits
from nerscope.formats.base import CorpusLike, TrainingLike
from nerscope.results.rows import ResultRow, row_value


@dataclass(frozen=True, slots=True, eq=False)
class BiasRow(ResultRow):
    """The mean value of an attribute over the test mentions of a dataset."""

    dataset: str
    attribute: str
    zeta: float | None
    relative: float | None  # divided by the largest mean of all datasets


@dataclass(frozen=True, slots=True, eq=False)
class DatasetBias(ResultRow):
    """A comparison of datasets: mean attribute values, and shares of hard mentions and tokens."""

    zeta: list[BiasRow]
    composition: list[CompositionRow]  # `split` is the name of the dataset


def dataset_bias(
    datasets: Mapping[str, tuple[TrainingLike, CorpusLike]],
    *,
    repair: str = CONLLEVAL,
    case: str = SENSITIVE,
) -> DatasetBias:
    """Compare datasets, each given as training data and test data.

    >>> train = [(["Ada", "met", "Bob"], ["B-PER", "O", "B-PER"])]
    >>> short, long = [(["Ada"], ["B-PER"])], [(["Ada", "Lee"], ["B-PER", "I-PER"])]
    >>> bias = dataset_bias({"a": (train, short), "b": (train, long)})
    >>> [(row.zeta, row.relative) for row in bias.zeta if row.attribute == "eLen"]
    [(1.0, 0.5), (2.0, 1.0)]
    """
    check_arguments(dataset_bias, locals())
    means: dict[str, dict[str, float | None]] = {}
    composition: list[CompositionRow] = []
    for name, (train, test) in datasets.items():
        _, split = load_splits({"train": train, "test": test}, repair, case=case)
        means[name] = {key: row_value(values.mean()) for key, values in split.values.items()}
        composition += [replace(row, split=name) for row in composition_rows(split)]
    names = next(iter(means.values()), {})
    every = {name: [values[name] for values in means.values()] for name in names}
    rows = [
        BiasRow(dataset, attribute, zeta, _relative(zeta, every[attribute]))
        for dataset, values in means.items()
        for attribute, zeta in values.items()
    ]
    return DatasetBias(rows, composition)


def _relative(zeta: float | None, every: list[float | None]) -> float | None:
    largest = max((value for value in every if value is not None), default=0.0)
    return None if zeta is None or not largest else zeta / largest
