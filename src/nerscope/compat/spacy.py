"""A scorer for spaCy: the scores of spaCy, and additional scores of nerscope.

Its registered name in the config of a pipeline is `nerscope.ner_scorer.v1`.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from nerscope.compat.loops import LoopEvaluator, loop_evaluator, tough_numbers

_ENDING = ".spacy"
Spans = list[tuple[int, int, str]]
Words = list[str]


def ner_scorer(
    train: str | list[str] | None = None,
    facets: list[str] | None = None,
    matches: list[str] | None = None,
) -> "SpacyScorer":
    """A scorer that adds scores for tough mentions and hard tokens.

    `train` is a file or a list of files: `.spacy`, a folder of such files, or any other input of
    `evaluate`. It is read when scores are first computed, so that a trained pipeline also loads if
    the file is missing. `facets` and `matches` are those of `Settings`.

    >>> ner_scorer(train="corpus/train.spacy", facets=["tmr"]).train
    'corpus/train.spacy'
    """
    options = {"facets": facets, "matches": matches}
    given = {name: value for name, value in options.items() if value is not None}
    return SpacyScorer(train, given)


@dataclass(frozen=True)
class SpacyScorer:
    """The scorer that spaCy calls: an object, not a closure, because pipelines are pickled."""

    train: str | list[str] | None
    options: Mapping[str, Any]

    @cached_property
    def _evaluator(self) -> LoopEvaluator:
        return loop_evaluator(_training_files(self.train), self.options)

    def __call__(self, examples: Iterable[Any], **kwargs: Any) -> dict[str, Any]:
        """The scores of spaCy, and additional scores of nerscope."""
        from spacy.scorer import get_ner_prf

        # Both scorers read the examples, which may be an iterator.
        listed = list(examples)
        gold, predicted = _two_sides(listed)
        scores: dict[str, Any] = get_ner_prf(listed, **kwargs)
        # Without a gold entity, most of these numbers are undefined.
        if any(spans for _, spans in gold):
            flat = [(words, _without_overlaps(spans)) for words, spans in predicted]
            scores |= tough_numbers(self._evaluator.results(gold, flat))
            if flat != predicted:
                # Overlapping entities count, as in spaCy. Only scores of tokens, which have one
                # label each, use the first of them.
                evaluator = self._evaluator.without_token_facets()
                scores |= tough_numbers(evaluator.results(gold, predicted))
        return scores


def _training_files(train: str | list[str] | None) -> list[str] | None:
    """All training files; a folder of spaCy files is replaced by its files."""
    if train is None:
        return None
    names = [train] if isinstance(train, str) else train
    return [file for name in names for file in _files_in(name)]


def _files_in(name: str) -> list[str]:
    """The spaCy files of a folder; any other name is returned in a list."""
    return sorted(map(str, Path(name).rglob(f"*{_ENDING}"))) or [name]


def _two_sides(examples: Sequence[Any]) -> tuple[list[tuple[Words, Spans]], ...]:
    """Gold and predicted entities over the tokens of gold; a document counts as a sentence."""
    gold: list[tuple[Words, Spans]] = []
    predicted: list[tuple[Words, Spans]] = []
    for example in examples:
        doc = example.y
        if len(doc) and doc.has_annotation("ENT_IOB"):
            words = [token.text for token in doc]
            entities = [(entity.start, entity.end, entity.label_) for entity in doc.ents]
            gold.append((words, entities))
            predicted.append((words, _aligned_spans(example)))
    return gold, predicted


def _aligned_spans(example: Any) -> Spans:
    """The predicted entities as spans of gold tokens, where gold is annotated.

    If a gold token covers several predicted tokens, two entities may be on it.
    """
    spans: Spans = []
    for entity in example.x.ents:
        # The alignment maps predicted tokens to gold tokens by their characters.
        indices = example.alignment.x2y[entity.start : entity.end]
        if not len(indices):
            continue
        start, end = int(indices[0]), int(indices[-1]) + 1
        # ent_iob is 0 for a token without annotation; predictions there are ignored.
        if all(token.ent_iob for token in example.y[start:end]):
            spans.append((start, end, entity.label_))
    return spans


def _without_overlaps(spans: Spans) -> Spans:
    """The spans in order, without those that overlap an earlier span.

    >>> _without_overlaps([(0, 2, "LOC"), (1, 3, "ORG"), (3, 4, "PER")])
    [(0, 2, 'LOC'), (3, 4, 'PER')]
    """
    flat: Spans = []
    for span in spans:
        if not flat or flat[-1][1] <= span[0]:
            flat.append(span)
    return flat
