"""Values that would give nonsense are refused, each with its fix."""

from pathlib import Path

import pytest

from nerscope import InputError, OutputError, Sampling, UsageError, evaluate, gate
from nerscope.cli.options import check_outputs
from nerscope.corpus.corpus import Corpus
from nerscope.evaluation.task import Settings
from nerscope.registry import load_plugins
from nerscope.scoring.matching import match_named

GOLD = [(["Ada", "met", "Bob"], ["B-PER", "O", "B-PER"])]


@pytest.mark.parametrize(
    "text",
    [
        "overlap(credit=2)",
        "overlap(credit=-1)",
        "overlap(credit=inf)",
        "iou(threshold=2)",
        "iou(threshold=nan)",
    ],
)
def test_match_options_are_shares(text: str) -> None:
    with pytest.raises(UsageError, match="from 0 to 1"):
        match_named(text)


@pytest.mark.parametrize("drop", [float("nan"), float("inf"), -0.5])
def test_a_gate_needs_a_drop_that_can_be(drop: float) -> None:
    results = evaluate(GOLD, {"s": GOLD})
    with pytest.raises(UsageError, match="0 or more"):
        gate(results, results, max_drop=drop)


@pytest.mark.parametrize("samples", [0, -1, 10**11])
def test_samples_are_limited(samples: int) -> None:
    with pytest.raises(UsageError, match="give a whole number from 1 to"):
        Sampling(samples=samples)


@pytest.mark.parametrize("buckets", [1, 0, 10**8])
def test_buckets_are_limited(buckets: int) -> None:
    with pytest.raises(UsageError, match="from 2 to"):
        Settings(buckets=buckets)


@pytest.mark.parametrize(
    ("label", "fact"),
    [
        ("B-LOC ", "begins or ends with a blank"),
        (" B-LOC", "begins or ends with a blank"),
        ("B-", "has no type"),
        ("b-PER", "capital letters"),
    ],
)
def test_labels_that_are_nearly_right_are_explained(label: str, fact: str) -> None:
    with pytest.raises(InputError, match=fact):
        Corpus.of([(["a"], [label])])


def test_an_output_never_overwrites_an_input(tmp_path: Path) -> None:
    gold = tmp_path / "gold.txt"
    gold.write_text("Ada B-PER\n")
    with pytest.raises(OutputError, match="also an input"):
        check_outputs([None, str(gold)], [None, str(gold)])
    check_outputs([str(tmp_path / "new.json"), None], [str(gold), "-"])


def test_two_outputs_are_never_the_same_file(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to("out.json")
    for other in ("out.json", "link", "./out.json"):
        with pytest.raises(OutputError, match="or another output"):
            check_outputs([str(tmp_path / "out.json"), f"{tmp_path}/{other}"])


def test_a_plugin_that_fails_is_said_in_one_line(tmp_path: Path) -> None:
    path = tmp_path / "broken.py"
    path.write_text("import nerscope\nnerscope.nothing\n")
    with pytest.raises(InputError, match="it fails \\(AttributeError"):
        load_plugins([str(path)])
