"""A conditional random field over the spelling of words, by python-crfsuite."""

from itertools import pairwise
from typing import Annotated

from nerscope.lab.recipe import Lesson, built_in_recipe
from nerscope.lab.recipes.features import features


@built_in_recipe("crf", random=False, needs={"pycrfsuite": "python-crfsuite"}, extra="crf")
def crf(
    lesson: Lesson,
    *,
    rounds: Annotated[int, "passes over the training data, at most", 1] = 30,
    l1: Annotated[float, "weight of the L1 penalty, which leaves features out", 0] = 0.1,
    l2: Annotated[float, "weight of the L2 penalty, which keeps weights small", 0] = 0.1,
    rare: Annotated[int, "features seen less often than this are left out", 1] = 2,
) -> list[list[str]]:
    """Conditional random field over words, shapes, affixes and neighbours."""
    from pycrfsuite import Tagger, Trainer

    if not any(words for words, _ in lesson.train):  # which would kill the process
        return [["O"] * len(words) for words in lesson.test]
    # L-BFGS draws nothing at random: the seed has nothing to decide.
    trainer = Trainer(algorithm="lbfgs", verbose=False)
    trainer.set_params({"max_iterations": rounds, "c1": l1, "c2": l2, "feature.minfreq": rare})
    for words, labels in lesson.train:
        trainer.append(features(words), labels)
    model = str(lesson.folder / "crf.model")
    trainer.train(model)
    tagger = Tagger()
    tagger.open(model)
    return [_begun(tagger.tag(features(words))) for words in lesson.test]


def _begun(labels: list[str]) -> list[str]:
    """An I that continues no mention of its type begins one.

    >>> _begun(["O", "I-PER", "I-PER", "I-LOC"])
    ['O', 'B-PER', 'I-PER', 'B-LOC']
    """
    return [
        f"B{label[1:]}" if label[0] == "I" and before[1:] != label[1:] else label
        for before, label in pairwise(["O", *labels])
    ]
