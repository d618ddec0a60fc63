"""The recipe `spacy`: spaCy's entity recogniser, trained from scratch."""

from collections.abc import Sequence
from random import Random
from typing import Annotated, Any

from nerscope.corpus.schemes import OUTSIDE_LABEL
from nerscope.lab.recipe import Lesson, Tagged, built_in_recipe

_BLANK = "␣"  # replaces white-space tokens, which spaCy never allows in a mention


@built_in_recipe(
    "spacy", title="spaCy entity recogniser", rank=40, needs={"spacy": "spacy"}, extra="spacy"
)
def spacy(
    lesson: Lesson,
    *,
    language: Annotated[str, "language code, or xx for any language"] = "xx",
    rounds: Annotated[int, "passes over the training data; the best on dev is kept", 1] = 10,
    batch: Annotated[int, "sentences per step", 1] = 32,
    dropout: Annotated[float, "dropout rate in training", 0] = 0.2,
    width: Annotated[int, "size of the word vectors", 1] = 96,
) -> list[list[str]]:
    """spaCy's entity recogniser with tok2vec, in a blank pipeline.

    Word vectors come from hashed spelling features; a transition-based parser reads the sentence
    from left to right. No pretrained weights are used.
    """
    from spacy import blank
    from spacy.util import fix_random_seed

    if lesson.labels == [OUTSIDE_LABEL]:  # spaCy cannot train without any type
        return [[OUTSIDE_LABEL] * len(words) for words in lesson.test]
    fix_random_seed(lesson.seed)
    nlp = blank(language)
    nlp.add_pipe("ner", config={"model": {"tok2vec": {"width": width}}})
    train, dev = _examples(nlp, lesson.train), _examples(nlp, lesson.dev)
    nlp.initialize(lambda: train)
    _train(nlp, train, dev, lesson, rounds, batch, dropout)
    return [_labels(nlp(_doc(nlp, words))) for words in lesson.test]


def _doc(nlp: Any, words: list[str], labels: list[str] | None = None) -> Any:
    from spacy.tokens import Doc

    return Doc(nlp.vocab, [word if word.strip() else _BLANK for word in words], ents=labels)


def _examples(nlp: Any, sentences: Sequence[Tagged]) -> list[Any]:
    from spacy.training import Example

    return [
        Example(_doc(nlp, words), _doc(nlp, words, labels)) for words, labels in sentences if words
    ]


def _train(
    nlp: Any,
    train: list[Any],
    dev: list[Any],
    lesson: Lesson,
    rounds: int,
    batch: int,
    dropout: float,
) -> None:
    """Train the pipeline, and restore the weights of the best round on dev."""
    random, optimizer = Random(lesson.seed), nlp.create_optimizer()
    best_score, best_weights = -1.0, b""
    for number in range(1, rounds + 1):
        random.shuffle(train)
        losses: dict[str, float] = {}
        for first in range(0, len(train), batch):
            nlp.update(train[first : first + batch], drop=dropout, sgd=optimizer, losses=losses)
        lesson.say(f"round {number}: loss {losses['ner']:.1f}")
        if not dev:
            continue
        score = nlp.evaluate(dev)["ents_f"] or 0.0
        lesson.say(f"round {number}: F1 on dev {score:.3f}")
        if score >= best_score:  # of equally good rounds, the last is kept
            best_score, best_weights = score, nlp.to_bytes()
    if best_weights:
        nlp.from_bytes(best_weights)


def _labels(doc: Any) -> list[str]:
    return [
        f"{word.ent_iob_}-{word.ent_type_}" if word.ent_type_ else OUTSIDE_LABEL for word in doc
    ]
