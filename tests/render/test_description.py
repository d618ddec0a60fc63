"""What a description looks like: a page, all of it, lists, tidy records."""

from typing import Any

import pytest
from tests.scoring.toys import corpus, drawn

import nerscope
from nerscope.dataset.describe import describe_each
from nerscope.render.description import all_tables, description_document, page_tables
from nerscope.render.document import OUTPUTS, Table
from nerscope.render.findings import LISTINGS

TRAIN = corpus("Ada/B-PER met Paris/B-LOC", "Paris/B-PER met Ada/B-PER Lee/I-PER", "Paris fell")
DEV = corpus("Eve/B-PER met Ada/B-PER")
TEST = corpus("Ada/B-PER met Paris/B-LOC", "Paris/B-ORG saw Eve/B-PER Lee/I-PER", "Paris FELL")


def described(**others: Any) -> dict[str, Any]:
    return nerscope.describe(TRAIN, **others).as_dict()


def cells(table: Table) -> list[list[str]]:
    return [[cell.text for cell in row] for row in table.rows]


def test_a_page_has_sizes_composition_and_surfaces() -> None:
    sizes, tough, hard, surfaces = page_tables(described(dev=DEV, test=TEST))
    assert sizes.header == ("", "train", "dev", "test")
    assert cells(sizes) == [
        ["sentences", "3", "1", "3"],
        ["documents", "–", "–", "–"],
        ["tokens / distinct", "9 / 5", "3 / 3", "9 / 7"],
        ["sentence length", "3, 3, 4", "3, 3, 3", "3, 3, 4"],
        ["mentions / surfaces", "4 / 3", "2 / 2", "4 / 3"],
        ["mention length", "1.25, 1, 2", "1, 1, 1", "1.25, 1, 2"],
        [
            "ambiguous mentions / surfaces",
            "2 (50.0) / 1 (33.3)",
            "0 (0.0) / 0 (0.0)",
            "2 (50.0) / 1 (33.3)",
        ],
        [
            "unseen mentions / surfaces",
            "0 (0.0) / 0 (0.0)",
            "1 (50.0) / 1 (50.0)",
            "1 (25.0) / 1 (33.3)",
        ],
        ["of type PER", "3 (75.0)", "2 (100.0)", "2 (50.0)"],
        ["of type LOC", "1 (25.0)", "0 (0.0)", "1 (25.0)"],
        ["of type ORG", "0 (0.0)", "0 (0.0)", "1 (25.0)"],
    ]
    assert tough.header[:4] == ("split", "type", "all", "seen")
    assert cells(tough)[0][:5] == ["dev", "all", "2", "1 (50.0)", "1 (50.0)"]
    assert [row[:2] for row in cells(hard)] == [["dev", "all"], ["test", "all"]]
    assert dict(zip(surfaces.header, cells(surfaces)[0], strict=True)) == {
        "train: ambiguous": "Paris: LOC 1, PER 1",
        "train: also O": "Paris: 2, O 1",
        "test: ambiguous": "Paris: LOC 1, ORG 1",
        "test: also O": "Paris: 2, O 1",
        "train / test, with a new label": "Paris: LOC 1, PER 1, O 1 / LOC 1, ORG 1, O 1",
    }


def test_everything_has_all_tables_and_lists() -> None:
    tables = all_tables(described(test=TEST))
    assert [table.title.split(":")[0] for table in tables] == [
        *("Splits", "Tough mentions", "Hard tokens", "Hard tokens, strictly"),
        "Mean attribute values ζ",
        *(one.title.split(":")[0] for one in LISTINGS.values()),
    ]
    undefined = all_tables(nerscope.describe(TRAIN, test=corpus("nobody here")).as_dict())
    zeta = next(table for table in undefined if table.title.startswith("Mean"))
    assert zeta.rows[0][1].text == "–"


def test_what_stands_in_one_line_is_said_below() -> None:
    zeta, *duplicates = description_document(described(test=TEST)).lines
    assert zeta.startswith("mean attribute values ζ: eLen 1.25, sLen 3.5")
    assert duplicates == [
        "train: repeated within: 0 sentences",
        "test: repeated within: 0 sentences",
        "test: also in train: 1 sentence (33.3 %), first <test>:1 (as <train>:1)",
        "test: also in train but for case or digits: 1 sentence (33.3 %), "
        "first <test>:3 (as <train>:3)",
    ]


def test_long_lists_are_cut_and_that_is_said() -> None:
    big = nerscope.describe(drawn(200, 1), test=drawn(200, 2)).as_dict()
    surfaces = page_tables(big)[-1]
    assert len(surfaces.rows) == 10
    assert "the first 10 of" in surfaces.notes[0] and "--all shows all" in surfaces.notes[0]
    text = OUTPUTS["text"](description_document(big))
    assert len(text.splitlines()) <= 62
    for name in LISTINGS:
        if name == "duplicates":
            continue
        [cut] = description_document(big, lists=(name,)).tables
        [full] = description_document(big, lists=(name,), everything=True).tables
        assert len(cut.rows) < len(full.rows) or name == "hard"
        document = description_document(big, lists=(name,))
        assert document.records is not None and len(document.records) == len(full.rows)


def test_many_types_are_cut_and_that_is_said() -> None:
    text = corpus(" ".join(f"x{k}/B-T{k:02}" for k in range(12)))
    description = nerscope.describe(text).as_dict()
    [sizes] = page_tables(description)
    assert sum(row[0].startswith("of type") for row in cells(sizes)) == 10
    assert sizes.notes[-1] == "the 10 most frequent types; --all shows all"
    assert sum(row[0].startswith("of type") for row in cells(all_tables(description)[0])) == 12


def test_long_surfaces_are_shortened_side_by_side_only() -> None:
    long = "w" * 40
    description = nerscope.describe(corpus(f"{long}/B-X {long}/B-Y")).as_dict()
    assert cells(page_tables(description)[-1])[0][0] == f"{'w' * 29}…: X 1, Y 1"
    [table] = description_document(description, lists=("ambiguous",)).tables
    assert cells(table) == [["train", long, "2", "X 1, Y 1"]]


def test_files_by_themselves_have_no_unseen_mentions_and_a_list_each() -> None:
    description = describe_each({"a": TRAIN, "b": TEST}).as_dict()
    sizes, one, two = page_tables(description)
    assert not any(row[0].startswith("unseen") for row in cells(sizes))
    assert (one.title, two.title) == ("Surfaces in a", "Surfaces in b")
    assert description_document(description).lines == [
        "a: repeated within: 0 sentences",
        "b: repeated within: 0 sentences",
    ]


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
