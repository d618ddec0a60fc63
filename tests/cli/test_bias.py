"""Datasets beside each other, without systems."""

import json
from pathlib import Path

import pytest
from tests.cli.conftest import Run
from tests.scoring.toys import drawn, text_of

import nerscope
from nerscope.dataset.bias import DatasetBias

TRAIN, SHORT, LONG = drawn(40, seed=1), drawn(30, seed=2, words=20), drawn(50, seed=3, words=200)


@pytest.fixture(scope="module")
def bias() -> DatasetBias:
    return nerscope.dataset_bias({"short": (TRAIN, SHORT), "long": (TRAIN, LONG)})


def test_zeta_is_that_of_each_dataset_alone(bias: DatasetBias) -> None:
    for name, test in (("short", SHORT), ("long", LONG)):
        expected = nerscope.describe(TRAIN, test=test)
        rows = {row.attribute: row.zeta for row in bias.zeta if row.dataset == name}
        assert rows == expected.zeta
        here = [row.as_dict() for row in bias.composition if row.split == name]
        assert here == [{**row.as_dict(), "split": name} for row in expected.rows]


def test_the_largest_dataset_has_one(bias: DatasetBias) -> None:
    for attribute in {row.attribute for row in bias.zeta}:
        shares = [row.relative for row in bias.zeta if row.attribute == attribute]
        assert max(share for share in shares if share is not None) == 1.0


def test_the_command_line_prints_and_draws(tmp_path: Path, run: Run) -> None:
    for name, data in (("train", TRAIN), ("a", SHORT), ("b", LONG)):
        (tmp_path / f"{name}.txt").write_text(text_of(data), encoding="utf-8")
    given = [f"--dataset={name}={tmp_path}/train.txt,{tmp_path}/{name}.txt" for name in "ab"]
    outcome = run("describe", *given, "--radar", str(tmp_path / "radar.svg"))
    assert outcome.code == 0, outcome.err
    assert "Mean attribute values" in outcome.out and "Tough mentions" in outcome.out
    assert (tmp_path / "radar.svg").read_text(encoding="utf-8").startswith("<?xml")
    data = json.loads(run("describe", *given, "--format", "json").out)
    assert {row["dataset"] for row in data["zeta"]} == {"a", "b"}


@pytest.mark.parametrize(
    "options",
    [
        "--radar x.svg",
        "--dataset a=x",
        "--dataset a=x,y --train x",
        "--dataset a=x,y --dataset a=x,y",
    ],
)
def test_what_does_not_go_together_is_refused(options: str, run: Run) -> None:
    assert run("describe", *options.split()).code == 2
