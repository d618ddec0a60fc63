"""Means of precision, recall and F1 over types, plain (macro) and weighted by gold mentions."""

from nerscope.scoring.metrics import F1, MACRO, MEAN, WEIGHTED, Metric, add_built_in
from nerscope.scoring.metrics.scores import SCORES

_WEIGHTS = {MACRO: "each with the same weight", WEIGHTED: "weighted by their gold mentions"}


def _average(score: Metric, average: str) -> Metric:
    noun = "F1" if score.name == F1 else score.name
    return Metric(
        f"{average}_{score.name}",
        score.formula,
        score.n,
        average,
        kind=MEAN,
        title=f"{average} {noun}",
        phrase=f"{average} {noun}",
        definition=f"Mean of the {noun} of all types, {_WEIGHTS[average]}.",
    )


for _rank, (_kind, _score) in enumerate((kind, score) for kind in _WEIGHTS for score in SCORES):
    add_built_in(_average(_score, _kind), rank=20 + _rank)
