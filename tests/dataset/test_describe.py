"""What a dataset is like: numbers by hand on a small one."""

from typing import Any

import pytest
from tests.scoring.toys import corpus

import nerscope
from nerscope.errors import FormatError, InputError
from nerscope.render.composition import description_tables

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
    assert found.as_dict().keys() == {"rows", "zeta", "mentions", "losses"}


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


def test_a_description_becomes_tables() -> None:
    tables = description_tables(nerscope.describe(TRAIN, dev=DEV, test=TEST).as_dict())
    assert [table.title.split(":")[0] for table in tables] == [
        "Mentions",
        "Tough mentions",
        "Hard tokens",
        "Hard tokens, strictly",
        "Mean attribute values ζ",
    ]
    tough = tables[1]
    assert tough.header[:4] == ("split", "type", "all", "seen")
    assert [cell.text for cell in tough.rows[0]][:5] == ["dev", "all", "2", "50.0", "50.0"]
    assert len(description_tables(nerscope.describe(TRAIN).as_dict())) == 1
    undefined = description_tables(nerscope.describe(TRAIN, test=corpus("nobody here")).as_dict())
    assert undefined[-1].rows[0][1].text == "–"
