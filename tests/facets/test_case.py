"""`case="fold"`: facets compare tokens with training without case; nothing else does."""

from pathlib import Path
from typing import Any

import pytest
from tests.scoring.toys import Corpus, corpus, write

import nerscope
from nerscope.corpus.vocabulary import Vocabulary
from nerscope.errors import NerscopeError, UsageError

TRAIN = corpus("Ada/B-PER met New/B-LOC York/I-LOC", "WEISS/B-PER left İzmir/B-LOC")
GOLD = corpus("ADA/B-PER Met NEW/B-LOC york/I-LOC", "Weiß/B-PER LEFT i̇zmir/B-LOC Oslo/B-LOC")
FACETS = ["tmr", "hard", "word-overlap"]


def values(case: str, facet: str, metric: str, **options: Any) -> dict[str, int]:
    results = nerscope.evaluate(GOLD, {"s": GOLD}, train=TRAIN, facets=FACETS, case=case, **options)
    rows = results.select(run=None, type=None, facet=facet, metric=metric)
    return {row["level"]: row["n"] for row in rows}


def test_a_mention_is_seen_whatever_its_case() -> None:
    assert values("sensitive", "tmr", "recall")["seen"] == 0
    folded = values("fold", "tmr", "recall")
    assert (folded["seen"], folded["unseen-tokens"]) == (4, 1)


def test_a_token_is_seen_whatever_its_case() -> None:
    assert values("sensitive", "hard", "ter")["unseen"] == 8
    assert values("fold", "hard", "ter")["unseen"] == 1


def test_facets_that_look_at_training_all_fold() -> None:
    assert values("fold", "word-overlap", "recall") == {
        "exact-overlap": 4,
        "partial-overlap": 0,
        "no-overlap": 1,
    }


def test_type_confusable_mentions_are_compared_without_case_too() -> None:
    gold = corpus("Apple/B-ORG", "APPLE/B-LOC")
    for case, n in (("sensitive", 0), ("fold", 2)):
        results = nerscope.evaluate(gold, {"s": gold}, train=TRAIN, facets=["tmr"], case=case)
        (row,) = results.select(run=None, type=None, level="tcm-all")
        assert row["n"] == n


def test_surfaces_that_differ_in_case_remain_two() -> None:
    """Surface F1 is not about training, and errors show words as they are written."""
    gold = corpus("Apple/B-ORG", "APPLE/B-ORG")
    results = nerscope.evaluate(gold, {"s": gold}, train=TRAIN, case="fold")
    (row,) = results.select(run=None, type=None, match="surface", metric="f1")
    assert row["n"] == 2
    assert {mention["text"] for mention in results.errors()} == {"Apple", "APPLE"}


def test_workers_and_files_change_nothing(tmp_path: Path) -> None:
    for name, data in (("train", TRAIN), ("gold", GOLD * 20)):
        write(tmp_path / f"{name}.txt", data)
    gold, train = str(tmp_path / "gold.txt"), str(tmp_path / "train.txt")
    alone, pooled = (
        nerscope.evaluate(gold, {"s": gold}, train=train, case="fold", workers=workers, engine=name)
        for name, workers in ((None, 1), ("pool", 2))
    )
    assert pooled.rows == alone.rows


def test_it_is_part_of_the_signature_and_the_default_is_not() -> None:
    def evaluated(**options: Any) -> nerscope.Results:
        return nerscope.evaluate(GOLD, {"s": GOLD}, train=TRAIN, **options)

    assert "|case:fold|" in evaluated(case="fold").signature
    assert evaluated().signature == evaluated(case="sensitive").signature
    assert "case" not in evaluated().signature
    with pytest.raises(NerscopeError, match="case"):
        nerscope.gate(evaluated(case="fold"), evaluated())


def test_a_description_folds_too() -> None:
    def described(case: str) -> tuple[int | None, int, float]:
        found = nerscope.describe(TRAIN, test=GOLD, case=case)
        counts = found.mentions["test"]
        return counts.unseen, counts.unique, round(found.zeta["oDen"] or 0, 9)

    assert described("sensitive") == (5, 5, 1.0)
    assert described("fold") == (1, 5, 0.15)
    tokens = nerscope.hard_tokens(TRAIN, GOLD, case="fold")
    assert {row.token for row in tokens if row.facet == "hard"} == {"Oslo"}


def test_labels_of_training_are_counted_without_case() -> None:
    train: Corpus = corpus("may came", "May came", "MAY/B-PER came")
    rows = nerscope.hard_tokens(train, corpus("mAy/B-PER came"), case="fold")
    assert ("mAy", "diff-I", "O 2, PER 1") in {
        (row.token, row.level, row.training_labels) for row in rows
    }


@pytest.mark.parametrize("case", ["lower", "", None, 3])
def test_another_case_is_refused(case: Any) -> None:
    with pytest.raises(UsageError, match="case"):
        nerscope.evaluate(GOLD, {"s": GOLD}, train=TRAIN, case=case)
    with pytest.raises(UsageError, match="case"):
        nerscope.describe(TRAIN, test=GOLD, case=case)


def test_folding_looks_at_each_string_once() -> None:
    words = ["ß", "SS", "İ", "i̇", "x" * 200, "X" * 200, "Rejkjavik-on-sea", "rejkjavik-ON-sea"]
    vocabulary = Vocabulary()
    codes = vocabulary.encode(words)
    for _ in range(2):
        folded = vocabulary.strings(vocabulary.folded(codes))
        assert folded == [word.casefold() for word in words]
