"""Data so small that some systems can be tested in fewer ways than others."""

from pathlib import Path

import pytest
from tests.attack.conftest import data as data
from tests.attack.conftest import forget_plugins as forget_plugins
from tests.attack.conftest import run as run
from tests.cli.conftest import GOLD, GOOD, POOR, TRAIN, Run


@pytest.mark.slow(quick=1)
@pytest.mark.parametrize("times", [1, 2, 5, 12])
def test_small_data_are_diagnosed(data: Path, run: Run, times: int) -> None:
    for name, text in [("train", TRAIN), ("gold", GOLD), ("good", GOOD), ("poor", POOR)]:
        (data / f"{name}.txt").write_text(text * times)
    systems = ("--system", "good=good.txt", "--system", "poor=poor.txt")
    options = ("--train", "train.txt", "-o", "r.json")
    assert run("evaluate", "gold.txt", *systems, *options).code == 0
    for command in (("diagnose", "r.json", "--all"), ("report", "r.json"), ("compare", "r.json")):
        outcome = run(*command)
        assert outcome.code == 0, outcome.err
