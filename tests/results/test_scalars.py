"""Numbers under flat names: what is logged, how it is called, and that trackers take the names."""

import posixpath
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import nerscope as ns
from nerscope.results.rows import Row, row_from
from nerscope.results.scalars import scalar_name, scalars_of

TRAIN = [(["Ada", "met", "Bob"], ["B-PER", "O", "B-PER"])]
GOLD = [(["Ada", "saw", "New", "York"], ["B-PER", "O", "B-LOC", "I-LOC"]), (["so"], ["O"])]
HALF = [["B-PER", "O", "O", "B-LOC"], ["O"]]


def row(**fields: object) -> Row:
    usual = {"dataset": "d", "system": "s", "run": None, "unit": "mention", "facet": "all"}
    rest = {"level": "all", "type": None, "match": "exact", "metric": "f1", "value": 0.5, "n": 4}
    return row_from({**usual, **rest, **fields})


@pytest.mark.parametrize(
    ("fields", "name"),
    [
        ({}, "f1"),
        ({"metric": "macro_f1"}, "macro_f1"),
        ({"type": "PER"}, "type/PER/f1"),
        ({"unit": "token", "match": "label", "metric": "accuracy"}, "accuracy"),
        ({"match": "overlap"}, "overlap/f1"),
        (
            {"facet": "tmr", "level": "unseen-tokens", "metric": "recall"},
            "tmr/unseen-tokens/recall",
        ),
        ({"facet": "tmr", "level": "seen", "type": "PER"}, "type/PER/tmr/seen/f1"),
        ({"unit": "token", "facet": "hard", "match": "bilou", "metric": "ter"}, "hard/all/ter"),
        ({"facet": "tFre", "level": "XS", "unit": "token", "match": "io"}, "tFre/XS/f1"),
        # signs that a tracker refuses, or reads as something else
        ({"match": "iou(0.5)", "metric": "f(beta=2)"}, "iou_0.5_/f_beta.2_"),
        ({"facet": "tmr=seen & !type=PER", "level": "in"}, "tmr.seen and not type.PER/in/f1"),
        ({"type": "a/b:c"}, "type/a_b_c/f1"),
        ({"type": "人名"}, "type/人名/f1"),
        ({"type": ".."}, "type/__/f1"),
        ({"type": "\n"}, "type/_/f1"),
    ],
)
def test_the_name_says_what_is_not_usual(fields: dict[str, object], name: str) -> None:
    assert scalars_of([row(**fields)]) == {name: 0.5}


def test_datasets_and_systems_are_named_where_there_are_several() -> None:
    rows = [row(), row(system="t", value=0.25)]
    assert scalars_of(rows) == {"s/f1": 0.5, "t/f1": 0.25}
    assert scalars_of([*rows, row(dataset="e", value=1)]) == {
        "d/s/f1": 0.5,
        "d/t/f1": 0.25,
        "e/s/f1": 1.0,
    }


def test_no_number_hides_another_one() -> None:
    rows = [row(type="a=b"), row(type="a.b", value=1.0), row(type="a.b", value=0.0)]
    assert scalars_of(rows) == {"type/a.b/f1": 0.5, "type/a.b/f1-2": 1.0, "type/a.b/f1-3": 0.0}


def test_what_is_undefined_is_left_out() -> None:
    results = ns.evaluate(GOLD, {"s": [["O"] * 4, ["O"]]}, train=TRAIN)
    found = results.scalars()
    assert results.value(metric="precision") is None
    assert "precision" not in found
    assert found["recall"] == 0.0
    assert "tmr/unseen-type/recall" not in found


def test_by_type_only_exact_scores_are_logged_unasked() -> None:
    results = ns.evaluate(GOLD, {"s": HALF}, train=TRAIN)
    found = results.scalars()
    by_type = {name for name in found if name.startswith("type/")}
    assert by_type == {
        f"type/{kind}/{metric}"
        for kind in ("PER", "LOC")
        for metric in ("precision", "recall", "f1")
    }
    assert found["f1"] == results.value(metric="f1") == 0.5
    assert found["overlap/f1"] == results.value(metric="f1", match="overlap")
    assert results.scalars(type="PER")["type/PER/tmr/seen/recall"] == 1.0


def test_fields_choose_as_in_select() -> None:
    results = ns.evaluate(GOLD, {"s": HALF, "t": [HALF, HALF]}, train=TRAIN)
    assert results.scalars(system="s", metric="f1", match="exact", facet="all", type=None) == {
        "f1": 0.5
    }
    assert results.scalars(metric="accuracy") == {"s/accuracy": 0.6, "t/accuracy": 0.6}
    assert results.scalars(run="2", metric="accuracy") == {"accuracy": 0.6}
    with pytest.raises(ns.InputError, match="rows have no field 'metrics'"):
        results.scalars(metrics="f1")


# What MLflow says of the name of a metric, on Windows, where it allows the least.
MLFLOW = re.compile(r"[/\w.\- ]*")


@given(st.text(min_size=1), st.text(min_size=1), st.text(min_size=1))
def test_trackers_take_every_name(kind: str, facet: str, level: str) -> None:
    name = scalar_name(row(type=kind, facet=facet, level=level))
    assert MLFLOW.fullmatch(name)
    assert posixpath.normpath(name) == name


def test_no_name_is_a_folder_of_another(tmp_path: Path) -> None:
    """Trackers that keep a file for each name need that."""
    results = ns.evaluate(GOLD, {"s": HALF, "t": HALF}, train=TRAIN)
    for name, value in (results.scalars() | results.scalars(type="PER")).items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(str(value))
    assert (tmp_path / "s/type/PER/tmr/seen/recall").read_text() == "1.0"
