"""What a dataset is like: numbers by hand on a small one."""

from pathlib import Path
from typing import Any

import pytest
from tests.scoring.toys import corpus, write

import nerscope
from nerscope.dataset.describe import describe_each
from nerscope.errors import FormatError, InputError

TRAIN = corpus("Ada/B-PER met Paris/B-LOC", "Paris/B-PER met Ada/B-PER Lee/I-PER")
DEV = corpus("Eve/B-PER met Ada/B-PER")
TEST = corpus("Ada/B-PER met Paris/B-LOC", "Paris/B-ORG saw Eve/B-PER Lee/I-PER")


def rows(split: str = "test", facet: str = "tmr") -> dict[tuple[str, str | None], tuple[int, Any]]:
    found = nerscope.describe(TRAIN, dev=DEV, test=TEST).rows
    own = [row for row in found if row["split"] == split and row["facet"] == facet]
    table = {(row["level"], row["type"]): (row["n"], row["share"]) for row in own}
    assert len(table) == len(own)
    return table


@pytest.mark.parametrize(
    ("level", "kind", "n", "share"),
    [
        ("all", None, 4, 1.0),
        ("all", "PER", 2, 1.0),
        ("seen", None, 2, 0.5),
        ("unseen-any", None, 2, 0.5),
        ("unseen-tokens", None, 1, 0.25),
        ("unseen-type", None, 1, 0.25),
        ("unseen-type", "ORG", 1, 1.0),
        ("tcm-all", None, 2, 0.5),
        ("tcm-seen", None, 2, 0.5),
        ("tcm-unseen", None, 0, 0.0),
        ("seen", "PER", 1, 0.5),
        ("seen", "ORG", 0, 0.0),
    ],
)
def test_composition_of_tough_mentions(level: str, kind: str | None, n: int, share: float) -> None:
    assert rows()[level, kind] == (n, share)


@pytest.mark.parametrize(
    ("level", "n"),
    # Ada, met, Paris as training has them; Paris is ORG, never seen so; saw and Eve are new; Lee is
    # inside, as in training
    [
        ("all", 7),
        ("unseen-I", 1),
        ("unseen-O", 1),
        ("unseen", 2),
        ("diff-E", 1),
        ("diff-I", 0),
        ("diff-O", 0),
        ("other", 4),
    ],
)
def test_composition_of_hard_tokens(level: str, n: int) -> None:
    assert rows(facet="hard")[level, None] == (n, pytest.approx(n / 7))


def test_each_split_is_described() -> None:
    assert rows("dev")["unseen-tokens", None] == (1, 0.5)
    found = nerscope.describe(TRAIN, dev=DEV, test=TEST)
    assert found.mentions == {
        "train": {
            "mentions": 4,
            "unique": 3,
            "ambiguous": 2,
            "ambiguous_unique": 1,
            "unseen": 0,
            "unseen_unique": 0,
        },
        "dev": {
            "mentions": 2,
            "unique": 2,
            "ambiguous": 0,
            "ambiguous_unique": 0,
            "unseen": 1,
            "unseen_unique": 1,
        },
        "test": {
            "mentions": 4,
            "unique": 3,
            "ambiguous": 2,
            "ambiguous_unique": 1,
            "unseen": 1,
            "unseen_unique": 1,
        },
    }
    assert found.as_dict().keys() == {
        *("rows", "zeta", "mentions", "losses", "mention_shares", "splits", "ambiguous"),
        *("unannotated", "inconsistent", "duplicates", "hard_tokens"),
    }


def test_mean_attribute_values_are_those_of_test() -> None:
    zeta = nerscope.describe(TRAIN, dev=DEV, test=TEST).zeta
    assert zeta["eLen"] == pytest.approx(5 / 4)
    assert zeta["sLen"] == pytest.approx((3 + 3 + 4 + 4) / 4)
    assert zeta["eFre"] == pytest.approx((1 / 4 + 2 / 4 + 2 / 4 + 0) / 4)
    assert zeta["tCon"] == pytest.approx((2 / 2 + 1 / 2 + 0 + 0 + 1) / 5)
    assert nerscope.describe(TRAIN, dev=DEV).zeta["eLen"] == 1.0


def test_training_data_alone_has_mentions_and_nothing_else() -> None:
    found = nerscope.describe(TRAIN)
    assert (found.rows, found.zeta, list(found.mentions)) == ([], {}, ["train"])


def test_a_type_without_mentions_in_a_split_has_no_row() -> None:
    assert {kind for _, kind in rows("dev")} == {None, "PER"}


def test_a_split_without_mentions_has_no_shares() -> None:
    found = nerscope.describe(TRAIN, test=corpus("nobody here"))
    shares = {row["level"]: row["share"] for row in found.rows if row["facet"] == "tmr"}
    assert set(shares.values()) == {None}
    assert found.zeta["eLen"] is None


def test_repaired_labels_are_said_or_refused() -> None:
    broken = corpus("Ada/B-PER Lee/I-LOC")
    (loss,) = nerscope.describe(TRAIN, test=broken).losses
    assert (loss["kind"], loss["count"], loss["source"]) == ("repaired labels", 1, "<test>")
    assert nerscope.describe(TRAIN, test=broken).mentions["test"]["mentions"] == 2
    assert nerscope.describe(TRAIN, test=broken, repair="strict").mentions["test"]["mentions"] == 1
    with pytest.raises(FormatError, match="not allowed in bio"):
        nerscope.describe(TRAIN, test=broken, repair="none")


def test_training_data_of_labels_alone_is_refused() -> None:
    with pytest.raises(InputError):
        nerscope.describe([["B-PER", "O"]])


def test_ambiguous_and_unseen_mentions_are_shares_too() -> None:
    shares = nerscope.describe(TRAIN, test=TEST).mention_shares
    assert shares["train"] == {
        "ambiguous": 2 / 4,
        "ambiguous_unique": 1 / 3,
        "unseen": 0.0,
        "unseen_unique": 0.0,
    }
    assert shares["test"]["unseen_unique"] == 1 / 3
    nobody = nerscope.describe(TRAIN, test=corpus("nobody here")).mention_shares["test"]
    assert set(nobody.values()) == {None}


def test_one_file_is_enough(tmp_path: Path) -> None:
    found = nerscope.describe(write(tmp_path / "one.conll", TRAIN))
    assert found.splits["train"]["sentences"] == 2
    assert (found.rows, found.inconsistent, found.hard_tokens) == ([], [], [])


def test_files_described_each_by_itself_do_not_know_each_other() -> None:
    found = describe_each({"a": TRAIN, "b": TEST, "c": DEV})
    alone = describe_each({"b": TEST})
    assert list(found.splits) == list(found.mentions) == ["a", "b", "c"]
    assert found.mentions["b"] == alone.mentions["b"]
    assert found.mentions["b"]["ambiguous"] == 2  # Paris, in this file
    assert found.mentions["b"]["unseen"] is None and found.mention_shares["b"]["unseen"] is None
    assert [row for row in found.ambiguous if row["split"] == "b"] == alone.ambiguous
    assert {(row["split"], row["against"]) for row in found.duplicates} == {
        ("a", "a"),
        ("b", "b"),
        ("c", "c"),
    }


def test_hard_tokens_of_every_split_but_training_are_there() -> None:
    found = nerscope.describe(TRAIN, dev=DEV, test=TEST).hard_tokens
    assert {row["split"] for row in found} == {"dev", "test"}
    own = [
        {k: v for k, v in row.items() if k != "split"} for row in found if row["split"] == "test"
    ]
    assert own == nerscope.hard_tokens(TRAIN, TEST, most=None)
    assert "other" not in {row["level"] for row in found}


def test_training_files_of_several_formats_are_one_training_set(tmp_path: Path) -> None:
    """Labels and spans may be joined: no mention of either file is lost."""
    write(tmp_path / "a.conll", TRAIN[:1])
    spans = '{"tokens": ["Paris", "met", "Ada", "Lee"], "ner": ["B-PER", "O", "B-PER", "I-PER"]}'
    (tmp_path / "b.jsonl").write_text(spans + "\n")
    doccano = '{"text": "Eve met Bob", "label": [[0, 3, "PER"], [8, 11, "PER"]]}'
    (tmp_path / "c.jsonl").write_text(doccano + "\n")
    files = [str(tmp_path / name) for name in ("a.conll", "b.jsonl", "c.jsonl")]
    for order in (files, files[::-1]):
        found = nerscope.describe(order, test=TEST)
        assert found.splits["train"].mentions == 6
        assert found.mentions["test"].unseen == 1  # "Eve Lee"


def test_a_list_of_corpora_is_what_their_sentences_are_in_one_list() -> None:
    parts = [nerscope.Corpus.of([sentence]) for sentence in TRAIN]
    assert nerscope.describe(parts, test=TEST).rows == nerscope.describe(TRAIN, test=TEST).rows
    assert nerscope.hard_tokens(parts, TEST) == nerscope.hard_tokens(TRAIN, TEST)
