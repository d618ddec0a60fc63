"""A scorer for spaCy: what its own tells of entities, and what nerscope tells beside it.

It is found by its name, `nerscope.ner_scorer.v1`, in the config of a pipeline.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from nerscope.compat.loops import Asked, asked, tough_numbers

_OWN = ".spacy"
Spans = list[tuple[int, int, str]]
Words = list[str]


def ner_scorer(
    train: str | None = None,
    facets: list[str] | None = None,
    matches: list[str] | None = None,
) -> "Scorer":
    """A scorer that tells how a pipeline does on entities that training does not give away.

    `train` is a file: `.spacy`, a folder of such files, or whatever `evaluate` reads. It is read
    when scores are first asked for, so that a trained pipeline can be used where it is not.

    >>> ner_scorer(train="corpus/train.spacy", facets=["tmr"]).train
    'corpus/train.spacy'
    """
    named = {"facets": facets, "matches": matches}
    return Scorer(train, {name: value for name, value in named.items() if value is not None})


@dataclass(frozen=True)
class Scorer:
    """What spaCy calls with examples; an object, since pipelines and all in them get pickled."""

    train: str | None
    options: Mapping[str, Any]

    @cached_property
    def _asked(self) -> Asked:
        return asked(_training(self.train), self.options)

    def __call__(self, examples: Iterable[Any], **kwargs: Any) -> dict[str, Any]:
        """The scores that spaCy gives, and what they do not tell."""
        from spacy.scorer import get_ner_prf

        listed = list(examples)
        gold, predicted = _two_sides(listed)
        scores: dict[str, Any] = get_ner_prf(listed, **kwargs)
        if any(spans for _, spans in gold):
            scores |= tough_numbers(self._asked.results(gold, predicted))
        return scores


def _training(train: str | None) -> str | list[str] | None:
    """The training data: of a folder of what spaCy wrote, the files; all else as it is named."""
    folder = Path(train) if train is not None else None
    if folder is None or not folder.is_dir():
        return train
    return sorted(map(str, folder.rglob(f"*{_OWN}"))) or train


def _two_sides(examples: Sequence[Any]) -> tuple[list[tuple[Words, Spans]], ...]:
    """Gold and predicted entities over the tokens of gold; a document counts as a sentence."""
    known = [one for one in examples if len(one.y) and one.y.has_annotation("ENT_IOB")]
    words = [_words(one.y) for one in known]
    gold = [(own, _spans(one.y)) for own, one in zip(words, known, strict=True)]
    predicted = [(own, _aligned(one)) for own, one in zip(words, known, strict=True)]
    return gold, predicted


def _words(doc: Any) -> Words:
    return [token.text for token in doc]


def _spans(doc: Any) -> Spans:
    return [(entity.start, entity.end, entity.label_) for entity in doc.ents]


def _aligned(example: Any) -> Spans:
    """The predicted entities in tokens of gold, as far as gold says anything about them.

    Where tokens of gold are the longer ones, two entities may come to lie on one: the first counts.
    """
    found: Spans = []
    for entity in example.x.ents:
        indices = example.alignment.x2y[entity.start : entity.end]
        if not len(indices):
            continue
        start, end = int(indices[0]), int(indices[-1]) + 1
        told = all(token.ent_iob for token in example.y[start:end])
        if told and (not found or found[-1][1] <= start):
            found.append((start, end, entity.label_))
    return found
