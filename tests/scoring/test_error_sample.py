"""Errors of folded data: exact sums, and a sample that no division of the work changes."""

from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.scoring.test_folding import FACETS, GOLD, MATCHES, SYSTEMS, TRAIN, document_file
from tests.scoring.toys import drawn, noisy

import nerscope
from nerscope.errors import InputError
from nerscope.results.error_sums import error_kinds, error_sums, paired_mentions
from nerscope.results.errors import OUTCOMES, mention_records
from nerscope.results.results import Results
from nerscope.results.spans import Spans
from nerscope.results.spans import spans_of as spans_of_pairs
from nerscope.scoring import error_sample
from nerscope.scoring.error_sample import Strata, sampled
from nerscope.scoring.evidence import Evidence, joined_runs, only_runs


@pytest.fixture
def _small_sample(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(error_sample, "SAMPLE_SIZE", 40)


def evaluated(gold: Any = GOLD, systems: Any = None, **options: Any) -> Results:
    standard = {"train": TRAIN, "facets": FACETS, "matches": MATCHES, "dataset": "d"}
    return nerscope.evaluate(gold, systems or SYSTEMS, **{**standard, **options})


def sample_of(results: Results) -> Evidence:
    sample = results.evidence[0].sample
    assert sample is not None
    return sample


def naive_sums(results: Results) -> Counter[tuple[Any, ...]]:
    """Counted from the rows of all mentions."""
    sums = Counter[tuple[Any, ...]]()
    for row in mention_records(results):
        if row.side == "gold":
            sums[row.system, row.run, row.type, row.other_type, row.outcome] += 1
        elif row.other_start is None:
            sums[row.system, row.run, None, row.type, row.outcome] += 1
    return sums


def sums_of(results: Results) -> Counter[tuple[Any, ...]]:
    (evidence,) = results.evidence
    names = [*evidence.types, None]  # NO_TYPE is the index of the last one
    return Counter(
        {
            (*evidence.runs[run], names[gold], names[predicted], OUTCOMES[outcome]): n
            for run, gold, predicted, outcome, n in error_sums(evidence).rows()
        }
    )


def spans_of(evidence: Evidence) -> Spans:
    return spans_of_pairs(paired_mentions(evidence))


NESTED: list[Any] = [
    (["Bank", "of", "New", "York", "and", "Ada"], [(0, 4, "ORG"), (2, 4, "LOC"), (5, 6, "PER")]),
    (["New", "York", "Times"], [(0, 3, "ORG"), (0, 2, "LOC")]),
] * 20
NESTED_OUTPUT: list[Any] = [
    (["Bank", "of", "New", "York", "and", "Ada"], [(0, 4, "LOC"), (2, 3, "LOC"), (3, 4, "LOC")]),
    (["New", "York", "Times"], [(0, 3, "ORG"), (1, 3, "PER")]),
] * 20


@pytest.mark.parametrize("texts", [True, False])
@pytest.mark.parametrize("nested", [False, True])
def test_sums_are_those_of_all_mentions(nested: bool, texts: bool) -> None:
    options: dict[str, Any] = {"texts": texts}
    if nested:
        options |= {"gold": NESTED, "systems": {"s": NESTED_OUTPUT}, "facets": ["eLen"]}
    whole, folded = evaluated(fold=False, **options), evaluated(fold=True, **options)
    assert sums_of(folded) == sums_of(whole) == naive_sums(whole)
    assert error_kinds(folded) == error_kinds(whole)
    assert folded.confusion() == whole.confusion()
    errors = folded.evidence[0].errors
    wrong = {row.place for row in whole.errors(wrong_only=True)}
    assert errors is not None and errors.wrong == len({place.split(" ")[-1] for place in wrong})


def test_a_sample_that_holds_all_sentences_is_the_data() -> None:
    whole, folded = evaluated(fold=False), evaluated(fold=True)
    (one,), other = whole.evidence, sample_of(folded)
    assert other.texts == one.texts and other.runs == one.runs and other.types == one.types
    assert other.folded is None and other.tables == one.tables
    for name in ("sentence", "start", "length", "type", "is_gold", "outcome"):
        assert np.array_equal(getattr(spans_of(other), name), getattr(spans_of(one), name))
    for facet, codes in spans_of(one).codes.items():
        assert np.array_equal(spans_of(other).codes[facet], codes)
    kinds = Counter((row.system, row.run, row.side, row.outcome) for row in folded.errors())
    assert kinds == Counter((row.system, row.run, row.side, row.outcome) for row in whole.errors())


@pytest.mark.usefixtures("_small_sample")
def test_strata_take_turns_and_sentences_without_errors_come_last() -> None:
    folded = evaluated(fold=True)
    errors, spans = folded.evidence[0].errors, spans_of(sample_of(folded))
    assert errors is not None and errors.sample is not None and errors.wrong is not None
    assert len(errors.sample.numbers) == 40 < errors.wrong
    # Every kind of error that the data have is in the sample.
    known = {row.outcome for row in errors.sums}
    assert {OUTCOMES[code] for code in np.unique(spans.outcome[spans.outcome >= 0])} == known
    wrong = (spans.outcome > 0).any(axis=0)
    assert len(np.unique(spans.sentence[wrong])) == 40
    # With few errors, sentences without one fill the sample.
    rare = evaluated(systems={"s": noisy(GOLD, 0.01, 3)}, fold=True).evidence[0].errors
    assert rare is not None and rare.sample is not None
    assert 0 < (rare.wrong or 0) < 40 == len(rare.sample.numbers)


def saved(results: Results) -> str:
    return results.to_json()


@pytest.mark.slow(quick=1)
@pytest.mark.usefixtures("_small_sample")
@pytest.mark.parametrize("texts", [True, False])
def test_no_division_of_the_work_changes_the_sample(
    texts: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gold = document_file(tmp_path / "gold.txt", 60)
    sentences = GOLD * 60
    (tmp_path / "s.txt").write_text(
        "\n".join(
            "".join(f"{token} {label}\n" for token, label in zip(words, labels, strict=True))
            for words, labels in noisy(sentences, 0.2, 7)
        ),
        encoding="utf-8",
    )
    options: dict[str, Any] = {"texts": texts, "systems": {"s": str(tmp_path / "s.txt")}}
    options |= {"facets": ["tmr", "hard"], "train": document_file(tmp_path / "train.txt", 1)}
    # As if the files were large: words are not kept, and data are folded as they come.
    monkeypatch.setattr("nerscope.evaluation.task.Task.keeps_words", False)
    monkeypatch.setattr("nerscope.evaluation.gather.FOLD_ABOVE", 700)
    monkeypatch.setattr("nerscope.formats.shards._SHARD_SIZE", 20_000)
    alone = evaluated(gold, **options)
    sample = sample_of(alone)
    assert len(sample.documents) == 40 and (sample.texts is not None) == texts
    if texts:
        numbers = alone.evidence[0].errors.sample.numbers.tolist()  # type: ignore[union-attr]
        words = [" ".join(sentences[number - 1][0]) for number in numbers]
        assert [text.replace("\x1f", " ") for text in sample.texts or ()] == words
    for other in (
        evaluated(gold, workers=2, **options),
        evaluated(gold, checkpoint=tmp_path / "kept", **options),
    ):
        assert saved(other) == saved(alone)
    monkeypatch.setattr("nerscope.formats.files.BLOCK", 1 << 12)
    monkeypatch.setattr("nerscope.formats.columns.column_file.BLOCK", 1 << 12)
    assert saved(evaluated(gold, **options)) == saved(alone)
    # Folded in one piece, from words that were kept.
    monkeypatch.setattr("nerscope.evaluation.gather.FOLD_ABOVE", 10**9)
    monkeypatch.setattr("nerscope.evaluation.task.Task.keeps_words", texts)
    assert saved(evaluated(gold, fold=True, **options)) == saved(alone)


@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 2), st.integers(0, 99)), max_size=60))
def test_the_sample_of_samples_is_the_sample(rows: list[tuple[int, int, int]]) -> None:
    columns = np.array(rows, np.int64).reshape(-1, 3)
    columns[:, 2] = columns[:, 2] * 100 + np.arange(len(columns))  # no two numbers are equal
    strata = Strata(*columns.T)
    for cut in range(0, len(rows), 7):
        parts = [np.arange(cut), np.arange(cut, len(rows))]
        kept = [part[sampled(strata.chosen(part), 8)] for part in parts]
        joined = np.concatenate(kept)
        assert joined[sampled(strata.chosen(joined), 8)].tolist() == sampled(strata, 8).tolist()


def test_the_sample_is_stored_without_texts_if_they_are_not_wanted() -> None:
    folded = evaluated(fold=True, texts=False)
    assert sample_of(folded).texts is None
    again = Results.from_json(folded.to_json())
    assert sample_of(again).texts is None and again.to_json() == folded.to_json()
    row = again.errors(wrong_only=True)[0]
    assert row.text is None and row.sentence is None


def test_errors_survive_being_saved_and_old_files_have_none() -> None:
    folded = evaluated(fold=True)
    again = Results.from_json(folded.to_json())
    assert again.to_json() == folded.to_json()
    assert [dict(row) for row in again.errors()] == [dict(row) for row in folded.errors()]
    (evidence,) = folded.evidence
    older = Results([Evidence(**{**_fields(evidence), "errors": None})])
    loaded = Results.from_json(older.to_json())
    assert loaded.evidence[0].errors is None and not error_kinds(loaded)
    with pytest.raises(InputError, match="are kept only as sums"):
        loaded.errors()


def _fields(evidence: Evidence) -> dict[str, Any]:
    return {name: getattr(evidence, name) for name in Evidence.__dataclass_fields__}


def test_runs_can_be_chosen_and_sums_of_runs_joined() -> None:
    (whole,) = evaluated(fold=True).evidence
    alone = only_runs(whole, [2])
    assert alone.errors is not None
    assert {row.run for row in alone.errors.sums} == {0}
    assert whole.errors is not None
    rows = [row for row in whole.errors.sums if row.run == 2]
    assert list(alone.errors.sums) == [row._replace(run=0) for row in rows]
    assert alone.sample is not None and len(alone.sample.mentions.runs) == 1
    apart = [evaluated(systems={name: SYSTEMS[name]}, fold=True).evidence[0] for name in "ab"]
    joined = joined_runs(apart)
    assert joined.errors is not None and joined.sample is None
    assert sorted(map(str, joined.errors.sums)) == sorted(map(str, whole.errors.sums))


def test_exact_match_alone_needs_no_pairs_and_keeps_no_errors() -> None:
    folded = evaluated(fold=True, matches=["exact"], facets=["all"])
    assert folded.evidence[0].errors is None


@pytest.mark.parametrize(
    ("name", "value"),
    [("wrong", "many"), ("sums", [[9], ["PER"], [None], ["missed"], [1]]), ("numbers", [2, 1])],
)
def test_damaged_errors_are_refused(name: str, value: Any) -> None:
    from nerscope.codec import pack, unpack
    from nerscope.scoring.packing import pack_evidence, unpack_evidence

    gold = drawn(9, 1)
    options: dict[str, Any] = {"systems": {"s": noisy(gold, 0.5, 2)}, "facets": ["eLen"]}
    (evidence,) = evaluated(gold, fold=True, **options).evidence
    plain = unpack(pack_evidence(evidence))
    place = plain["errors"]["sample"] if name == "numbers" else plain["errors"]
    place[name] = np.array(value) if name == "numbers" else value
    with pytest.raises((ValueError, TypeError)):
        unpack_evidence(pack(plain))
