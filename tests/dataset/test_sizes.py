"""How large splits are: numbers by hand."""

from pathlib import Path
from typing import Any

import pytest
from tests.scoring.toys import corpus, write

import nerscope

TEXT = corpus(
    "Ada/B-PER Lee/I-PER met Bob/B-PER", "Oslo/B-LOC fell", "Ada/B-PER Lee/I-PER saw Ada/B-PER x"
)


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("sentences", 3),
        ("tokens", 11),
        ("distinct_tokens", 8),
        ("mentions", 5),
        ("distinct_surfaces", 4),
        (
            "types",
            [{"type": "PER", "n": 4, "share": 0.8}, {"type": "LOC", "n": 1, "share": 0.2}],
        ),
        ("mention_length", {"mean": 7 / 5, "median": 1.0, "max": 2}),
        ("sentence_length", {"mean": 11 / 3, "median": 4.0, "max": 5}),
    ],
)
def test_sizes_of_a_split(key: str, value: Any) -> None:
    assert nerscope.describe(TEXT).splits["train"][key] == value


@pytest.mark.parametrize(
    ("begins", "documents"), [((), None), ((0,), 1), ((0, 2), 2), ((1,), 2), ((0, 1, 2), 3)]
)
def test_documents_are_counted_where_they_are_marked(
    begins: tuple[int, ...], documents: int | None, tmp_path: Path
) -> None:
    path = write(tmp_path / "x.conll", TEXT, begins)
    assert nerscope.describe(path).splits["train"]["documents"] == documents


def test_of_no_mention_there_is_no_length_and_no_type() -> None:
    own = nerscope.describe(corpus("nobody here")).splits["train"]
    assert own["mention_length"] == {"mean": None, "median": None, "max": None}
    assert (own["types"], own["mentions"]) == ([], 0)


def test_types_that_only_another_split_has_are_not_listed() -> None:
    found = nerscope.describe(corpus("Ada/B-PER"), test=corpus("Oslo/B-LOC")).splits
    assert [[row["type"] for row in found[name]["types"]] for name in found] == [["PER"], ["LOC"]]
