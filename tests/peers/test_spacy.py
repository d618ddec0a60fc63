"""spaCy's Scorer and what explain says of it, over Docs of labels and of converted files."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from spacy.scorer import Scorer, get_ner_prf
from spacy.tokens import Doc, Span
from spacy.training import Example, iob_to_biluo, tags_to_entities
from spacy.vocab import Vocab
from tests.peers.beside import LETTERS, ours
from tests.peers.generated import Labels, alphabet, corpora
from tests.peers.real import SYSTEMS, label_pair

from nerscope.compat.peers import compare_tools

VOCAB = Vocab()  # shared: a new one for each Doc would take most of the time
Numbers = tuple[float | None, float | None, float | None]
NONE = (None, None, None)
EACH = 3_000  # corpora of each scheme: 21,000 in all, with every mode


def of_labels(words: Sequence[str], labels: Sequence[str]) -> Any:
    return Doc(VOCAB, words=words, ents=labels)


def converted(words: Sequence[str], labels: Sequence[str]) -> Any:
    """As `spacy convert` makes Docs of a file in columns."""
    doc = Doc(VOCAB, words=words)
    found = tags_to_entities(iob_to_biluo(labels))
    doc.ents = [Span(doc, first, last + 1, label=kind) for kind, first, last in found]
    return doc


MODES: dict[str, Callable[[Sequence[str], Sequence[str]], Any]] = {
    "Doc": of_labels,
    "convert": converted,
}


def scored(examples: Sequence[Any]) -> Numbers:
    """The numbers of the Scorer, which must be those of the recogniser's own function."""
    spans, own = Scorer.score_spans(examples, "ents"), get_ner_prf(examples)
    found = spans["ents_p"], spans["ents_r"], spans["ents_f"]
    assert found == (own["ents_p"], own["ents_r"], own["ents_f"])
    return found


def theirs(mode: str, gold: Labels, predicted: Labels) -> Numbers:
    """The numbers for labels; all words are alike, since they play no part."""
    make = MODES[mode]
    words = [["word"] * len(sentence) for sentence in gold]
    try:
        return scored(
            [
                Example(make(tokens, found), make(tokens, right))
                for tokens, right, found in zip(words, gold, predicted, strict=True)
            ]
        )
    except ValueError:  # labels that spaCy refuses, when it reads them or when it is asked for them
        return NONE


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("scheme", LETTERS)
def test_generated_corpora(scheme: str, mode: str) -> None:
    drawn = list(corpora(43, EACH, alphabet(LETTERS[scheme]), sentences=3, longest=6))
    for (gold, predicted), own in zip(drawn, ours(f"spaCy {mode}", drawn, scheme), strict=True):
        assert own[:3] == theirs(mode, gold, predicted), (gold, predicted)


@pytest.mark.corpora
@pytest.mark.parametrize(("dataset", "system"), SYSTEMS)
def test_real_corpora(dataset: str, system: str, shared: Path) -> None:
    gold, predicted = label_pair(shared, dataset, system)
    for mode in MODES:
        own = next(ours(f"spaCy {mode}", [(gold, predicted)], "bio"))
        assert own[:3] == theirs(mode, gold, predicted), mode


# What differs, and is said in docs/why-tools-disagree.md.


def test_a_text_of_two_sentences_lets_a_mention_cross_the_boundary() -> None:
    doc = of_labels(["Ada", "Bell"], ["B-PER", "I-PER"])
    assert [(one.start, one.end) for one in doc.ents] == [(0, 2)]
    assert ours_of([["B-PER"], ["I-PER"]]) == NONE  # each sentence a text: the second is refused


def ours_of(labels: Labels) -> Numbers:
    return next(ours("spaCy Doc", [(labels, labels)], "bio"))[:3]


def test_an_empty_token_is_refused() -> None:
    with pytest.raises(ValueError, match="E031"):
        of_labels([""], ["O"])
    found = compare_tools([([""], ["B-PER"])], {"bert": [["B-PER"]]})
    assert {one.tool for one in found.scores if one.score.f1 is None} == {"spaCy", "SeqScore"}


def test_other_tokens_of_the_same_text_are_aligned_by_their_letters() -> None:
    gold = Doc(VOCAB, words=["New", "York"], spaces=[True, False], ents=["B-LOC", "I-LOC"])
    found = Doc(VOCAB, words=["New", "Yo", "rk"], spaces=[True, False, False])
    found.ents = [Span(found, 0, 3, label="LOC")]
    assert scored([Example(found, gold)]) == (1.0, 1.0, 1.0)


def test_a_gold_text_without_annotation_is_no_gold_text_without_mentions() -> None:
    bare = Doc(VOCAB, words=["Ada"])
    found = of_labels(["Ada"], ["B-PER"])
    assert get_ner_prf([Example(found, bare)])["ents_p"] is None
    assert theirs("Doc", [["O"]], [["B-PER"]]) == (0.0, 0.0, 0.0)


def test_spans_that_overlap_are_refused_in_a_doc() -> None:
    doc = Doc(VOCAB, words=["Bank", "of", "Ghana"])
    with pytest.raises(ValueError, match="E1010"):
        doc.ents = [Span(doc, 0, 3, label="ORG"), Span(doc, 2, 3, label="LOC")]
