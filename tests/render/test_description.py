"""What a description looks like: a page, all of it, lists, tidy records."""

from pathlib import Path
from typing import Any

import pytest
from tests.scoring.toys import corpus, drawn

import nerscope
from nerscope.dataset.describe import describe_each
from nerscope.render.description import all_tables, composition_tables, description_document
from nerscope.render.document import OUTPUTS, Table
from nerscope.render.findings import LISTINGS
from nerscope.render.layout import SCREEN_LINES

TRAIN = corpus("Ada/B-PER met Paris/B-LOC", "Paris/B-PER met Ada/B-PER Lee/I-PER", "Paris fell")
DEV = corpus("Eve/B-PER met Ada/B-PER")
TEST = corpus("Ada/B-PER met Paris/B-LOC", "Paris/B-ORG saw Eve/B-PER Lee/I-PER", "Paris FELL")


def described(**others: Any) -> dict[str, Any]:
    return nerscope.describe(TRAIN, **others).as_dict()


def cells(table: Table) -> list[list[str]]:
    return [[cell.text for cell in row] for row in table.rows]


def page(description: dict[str, Any]) -> list[Table]:
    return list(description_document(description).tables)


def test_a_page_has_sizes_and_composition() -> None:
    sizes, tough = page(described(dev=DEV, test=TEST))
    assert sizes.header == ("", "train", "dev", "test")
    assert cells(sizes) == [
        ["sentences", "3", "1", "3"],
        ["documents", "–", "–", "–"],
        ["tokens", "9", "3", "9"],
        ["distinct tokens", "5", "3", "7"],
        ["mentions", "4", "2", "4"],
        ["distinct mentions", "3", "2", "3"],
        ["sentence length (mean, median, max)", "3, 3, 4", "3, 3, 3", "3, 3, 4"],
        ["mention length (mean, median, max)", "1.25, 1, 2", "1, 1, 1", "1.25, 1, 2"],
        ["mentions of several types in training", "2 (50.0)", "0 (0.0)", "2 (50.0)"],
        ["  distinct", "1 (33.3)", "0 (0.0)", "1 (33.3)"],
        ["mentions whose text is new", "0 (0.0)", "1 (50.0)", "1 (25.0)"],
        ["  distinct", "0 (0.0)", "1 (50.0)", "1 (33.3)"],
        ["type PER", "3 (75.0)", "2 (100.0)", "2 (50.0)"],
        ["type LOC", "1 (25.0)", "0 (0.0)", "1 (25.0)"],
        ["type ORG", "0 (0.0)", "0 (0.0)", "1 (25.0)"],
    ]
    assert tough.header == ("group", "dev", "test")
    assert cells(tough)[:2] == [
        ["all", "2", "4"],
        ["mentions seen in training", "1 (50.0)", "2 (50.0)"],
    ]


def test_the_composition_can_be_had_by_type() -> None:
    rows = described(test=TEST)["rows"]
    tough, hard = composition_tables(rows, variants=False, by_type=True)
    assert tough.header == ("group", "test", "test LOC", "test ORG", "test PER")
    assert cells(tough)[0] == ["all", "4", "1", "1", "2"]
    assert hard.header == ("group", "test")  # tokens have no type


def test_examples_stand_below_the_tables() -> None:
    lines = description_document(described(test=TEST)).lines
    assert lines[0] == ("test: 1 text with several types: Paris (LOC 1, ORG 1). --list ambiguous")
    assert any("(2, O 1). --list unannotated" in line for line in lines)
    assert any("training LOC 1, PER 1, O 1). --list inconsistent" in line for line in lines)


def test_everything_has_all_tables_and_lists() -> None:
    tables = all_tables(described(test=TEST))
    assert [table.title.split(":")[0] for table in tables] == [
        *("Size", "Tough mentions", "Hard tokens", "Hard tokens, strictly"),
        "Mean attribute values ζ",
        *(one.title.split(":")[0] for one in LISTINGS.values()),
    ]
    undefined = all_tables(nerscope.describe(TRAIN, test=corpus("nobody here")).as_dict())
    zeta = next(table for table in undefined if table.title.startswith("Mean"))
    assert zeta.rows[0][1].text == "–"


def test_duplicates_of_other_splits_come_first() -> None:
    lines = description_document(described(test=TEST), everything=True).lines
    assert lines == [
        "test: 1 sentence (33.3 %) also in train, first <test>:1 (as <train>:1). --list duplicates",
        "test: 1 sentence (33.3 %) also in train but for case or digits, first <test>:3 "
        "(as <train>:3). --list duplicates",
    ]
    twice = description_document(nerscope.describe([*TRAIN, *TRAIN]).as_dict(), everything=True)
    assert twice.lines[0].startswith("train: 3 sentences (50.0 %) repeated, first ")


def test_a_page_fits_the_screen_and_lists_are_cut() -> None:
    big = nerscope.describe(drawn(200, 1), dev=drawn(200, 3), test=drawn(200, 2)).as_dict()
    text = OUTPUTS["text"](description_document(big))
    assert len(text.splitlines()) <= SCREEN_LINES
    for name in LISTINGS:
        if name == "duplicates":
            continue
        [cut] = description_document(big, lists=(name,)).tables
        [full] = description_document(big, lists=(name,), everything=True).tables
        assert len(cut.rows) < len(full.rows) or name == "hard"
        document = description_document(big, lists=(name,))
        assert document.records is not None and len(document.records) == len(full.rows)


def test_many_types_are_cut_and_that_is_said() -> None:
    text = corpus(" ".join(f"x{k}/B-T{k:02}" for k in range(14)))
    description = nerscope.describe(text).as_dict()
    [sizes] = page(description)
    assert sum(row[0].startswith("type") for row in cells(sizes)) == 12
    assert sizes.notes == ("2 more types: --all",)
    assert sum(row[0].startswith("type") for row in cells(all_tables(description)[0])) == 14


def test_long_surfaces_are_shortened_among_examples_only() -> None:
    long = "w" * 40
    description = nerscope.describe(corpus(f"{long}/B-X {long}/B-Y")).as_dict()
    assert f"{'w' * 29}… (X 1, Y 1)" in description_document(description).lines[0]
    [table] = description_document(description, lists=("ambiguous",)).tables
    assert cells(table) == [[long, "2", "X 1, Y 1", "X <train>:1, Y <train>:1"]]


def test_lists_name_the_first_place_of_each_label(tmp_path: Path) -> None:
    gold, train = tmp_path / "gold.conll", tmp_path / "train.conll"
    gold.write_text("Paris B-LOC\n\nOslo O\nParis B-ORG\n\nParis O\nParis B-ORG\n")
    train.write_text("Paris B-LOC\n")
    description = nerscope.describe(train, test=gold)
    (ambiguous,) = description.ambiguous
    assert ambiguous.places == {"ORG": f"{gold}:4", "LOC": f"{gold}:1"}
    (unannotated,) = description.unannotated
    assert unannotated.places["O"] == f"{gold}:6"
    (inconsistent,) = description.inconsistent
    assert inconsistent.places == {"ORG": f"{gold}:4", "O": f"{gold}:6"}
    oslo = next(row for row in description.hard_tokens if row.token == "Oslo")
    assert oslo.place == f"{gold}:3"


def test_files_by_themselves_have_no_unseen_mentions() -> None:
    description = describe_each({"x/a.conll": TRAIN, "x/b.conll": TEST}).as_dict()
    [sizes] = page(description)
    assert sizes.header == ("", "a.conll", "b.conll")
    assert not any("new" in row[0] for row in cells(sizes))
    lines = description_document(description).lines
    assert [line.partition(":")[0] for line in lines] == ["x/a.conll"] * 2 + ["x/b.conll"] * 2


def test_records_hold_every_number_once() -> None:
    description = described(dev=DEV, test=TEST)
    records = description_document(description).records
    assert records is not None
    keys = [tuple(value for key, value in row.items() if key != "value") for row in records]
    assert len(set(keys)) == len(keys)
    assert {row["table"] for row in records} == {
        *("splits", "types", "mentions", "composition", "zeta", "ambiguous", "unannotated"),
        *("inconsistent", "duplicates", "hard_tokens"),
    }
    composition = [row for row in records if row["table"] == "composition"]
    assert len(composition) == 2 * len(description["rows"])


@pytest.mark.parametrize(
    ("about", "value"),
    [
        ({"table": "splits", "split": "test", "item": "tokens", "measure": "n"}, 9),
        ({"table": "splits", "split": "test", "item": "mention_length", "measure": "max"}, 2),
        ({"table": "types", "split": "train", "type": "PER", "measure": "share"}, 0.75),
        ({"table": "mentions", "split": "test", "item": "unseen", "measure": "share"}, 0.25),
        (
            {"table": "composition", "facet": "tmr", "level": "seen", "type": None, "measure": "n"},
            2,
        ),
        ({"table": "ambiguous", "split": "test", "item": "Paris", "type": "ORG"}, 1),
        ({"table": "unannotated", "split": "train", "measure": "annotated"}, 2),
        ({"table": "inconsistent", "item": "Paris", "measure": "here", "type": "ORG"}, 1),
        ({"table": "duplicates", "split": "test", "item": "near", "measure": "n"}, 1),
        ({"table": "hard_tokens", "facet": "hard", "level": "unseen-I", "item": "Eve"}, 1),
        ({"table": "zeta", "split": "test", "item": "eLen", "measure": "mean"}, 1.25),
    ],
)
def test_a_record_says_what_it_is_about(about: dict[str, Any], value: float) -> None:
    records = description_document(described(test=TEST)).records
    assert records is not None
    [row] = [row for row in records if about.items() <= row.items()]
    assert row["value"] == value
