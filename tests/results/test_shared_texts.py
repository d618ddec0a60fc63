"""The same texts under two names are not two datasets."""

from dataclasses import replace
from typing import Any

import pytest
from tests.scoring.toys import Corpus, drawn, noisy

import nerscope
from nerscope.errors import UsageError
from nerscope.render.means import means_table
from nerscope.results.intervals import with_intervals
from nerscope.results.over_datasets import DatasetsRow
from nerscope.results.results import Results
from nerscope.results.shared_texts import shared_texts


def results_of(facets: Any = None, **golds: Corpus) -> Results:
    parts = []
    for name, gold in golds.items():
        outputs: dict[str, Any] = {"a": noisy(gold, 0.05, 1), "b": noisy(gold, 0.3, 2)}
        evaluated = nerscope.evaluate(gold, outputs, dataset=name, facets=facets)
        parts.append(evaluated.evidence[0])
    return with_intervals(Results(parts), True)


def long(sentences: int, seed: int) -> Corpus:
    """Sentences of five tokens or more, of many words, with mentions."""
    found = [
        sentence
        for sentence in drawn(6 * sentences, seed, words=5000)
        if len(sentence[0]) >= 5 and any(label != "O" for label in sentence[1])
    ]
    return found[:sentences]


def compared(results: Results, **options: Any) -> nerscope.Comparison:
    return nerscope.compare(results, "a", "b", metrics=["f1"], samples=200, **options)


def over(results: Results, **options: Any) -> DatasetsRow:
    return compared(results, **options).over_datasets()[0]


@pytest.fixture(scope="module")
def copied() -> Results:
    """hau, the same again under another name, and other texts."""
    first = long(60, 1)
    return results_of(hau=first, again=first[:58] + long(2, 9), pcm=long(60, 2))


def test_tests_over_datasets_with_the_same_texts_are_refused(copied: Results) -> None:
    summary = over(copied)
    assert summary.refused == "hau and again share 97 % of their texts and are not independent"
    for name in ("low", "high", "low_drawn", "p_fixed", "p_drawn", "p_sign", "p_wilcoxon"):
        assert summary[name] is None
    assert summary.better_on is None and summary.p_fixed_corrected is None
    assert summary.difference is not None and summary.ahead == 3
    first = str(compared(copied)).split("\n")[0]
    assert "no significant difference" in first
    assert "(hau and again share 97 % of their texts and are not independent; choose with" in first
    assert "hau and again share 58 sentences (97 % of hau)" in compared(copied).notes


def test_chosen_datasets_are_tested(copied: Results) -> None:
    summary = over(copied, datasets=["hau", "pcm"])
    assert summary.refused is None and summary.datasets == ["hau", "pcm"]
    assert summary.p_fixed is not None and summary.p_fixed < 0.05


@pytest.mark.parametrize(
    ("chosen", "message"),
    [(["ham"], "dataset 'ham': it is not in the results"), ("hau", "list")],
)
def test_datasets_that_cannot_be_chosen_are_refused(
    chosen: Any, message: str, copied: Results
) -> None:
    with pytest.raises(UsageError, match=message):
        compared(copied, datasets=chosen)


def test_splits_share_texts_by_nature(copied: Results) -> None:
    found = compared(copied, over="splits", ratio=0.5)
    assert found.over_datasets()[0].p_resampled is not None
    assert not any("share" in note for note in found.notes)


def test_a_few_shared_texts_are_a_note(copied: Results) -> None:
    few = results_of(d=long(60, 1), e=long(59, 2) + long(1, 1))
    found = compared(few)
    assert found.over_datasets()[0].p_fixed is not None
    assert found.notes[-1] == "d and e share 1 sentence (2 % of d)"


def test_blanks_do_not_make_another_text() -> None:
    gold = long(40, 1)
    joined: Corpus = [
        ([*tokens[:-2], tokens[-2] + tokens[-1]], labels[:-1])
        for tokens, labels in gold
        if len(tokens) > 5
    ]
    (pair,) = shared_texts(results_of(d=gold, e=joined).evidence)
    assert pair.smaller == "e" and pair.share > 0.9


def test_what_recurs_in_independent_data_is_no_sharing() -> None:
    short: Corpus = [(["Ada", "spoke", "."], ["B-PER", "O", "O"])] * 50
    empty: Corpus = [(["nobody", "is", "named", "in", "this", "one"], ["O"] * 6)] * 50
    line: Corpus = [
        (["(", "Editing", "by", "Ada", "Bell", ")"], ["O", "O", "O", "B-PER", "I-PER", "O"])
    ] * 50
    repeated = short + empty + line
    found = shared_texts(results_of(d=long(60, 1) + repeated, e=long(60, 2) + repeated).evidence)
    # The line at the end of each article is one text, and the only one that counts.
    assert [(pair.sentences, pair.is_much) for pair in found] == [(1, False)]


def test_means_of_scores_over_the_same_texts_have_no_interval(copied: Results) -> None:
    for row in copied.over_datasets():
        assert row.low is None and row.high_drawn is None and row.value is not None
    table = means_table(copied)
    assert table is not None
    assert table.notes[0].startswith("no intervals: hau and again share 97 % of their texts")


def test_a_diagnosis_over_the_same_texts_says_so() -> None:
    first = long(60, 1)
    results = results_of(["eLen"], hau=first, again=first)
    notes = nerscope.diagnose(results, samples=20).notes
    assert any("are not independent, so tests over both" in note for note in notes)
    apart = nerscope.diagnose(results_of(["eLen"], hau=first, pcm=long(60, 2)), samples=20).notes
    assert not any("not two datasets" in note for note in apart)


def test_without_texts_nothing_can_be_said(copied: Results) -> None:
    parts = [replace(part, texts=None) for part in copied.evidence]
    assert shared_texts(parts) == []
