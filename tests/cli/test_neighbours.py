"""The note on neighbouring sentences that are alike, as commands print it; and `--resample`."""

from pathlib import Path

import numpy as np
import pytest
from tests.cli.conftest import Run

ALIKE = "neighbouring sentences are alike, so intervals over sentences are too narrow"
LUCK = np.random.default_rng(0).random(800) < 0.5


@pytest.fixture
def lucky(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """800 sentences; system a is right or wrong ten times in a row, b each time anew."""
    monkeypatch.chdir(tmp_path)
    found = {"gold": np.ones(800, bool), "a": np.repeat(LUCK[:80], 10), "b": LUCK}
    for name, right in found.items():
        lines = [f"Ada {'B-PER' if one else 'O'}\nleft O\n\n" for one in right]
        (tmp_path / f"{name}.txt").write_text("".join(lines), encoding="utf-8")
    return tmp_path


def test_evaluate_and_gate_print_the_note_once(lucky: Path, run: Run) -> None:
    for name in ("a", "b"):
        shown = run("evaluate", "gold.txt", "--system", f"m={name}.txt", "-o", f"{name}.json")
        assert shown.code == 0, shown.err
        assert (shown.out + shown.err).count(ALIKE) == (name == "a")
    judged = run("gate", "a.json", "--baseline", "b.json")
    assert (judged.out + judged.err).count("the variance of the difference in F1 is") == 1
    judged = run("gate", "a.json", "--baseline", "b.json", "--resample", "block:20")
    assert ALIKE not in judged.out + judged.err


def test_the_fix_works_on_the_first_screen(lucky: Path, run: Run) -> None:
    shown = run("evaluate", "gold.txt", "--system", "m=a.txt", "--resample", "block:20")
    assert shown.code == 0 and ALIKE not in shown.out + shown.err
    assert "95 % intervals over blocks of 20 sentences" in shown.out
    two_way = run("evaluate", "gold.txt", "--system", "m=a.txt", "--resample", "sentence,surface")
    assert "95 % intervals over sentences and surfaces" in two_way.out
    assert "Fix: --resample block:20,surface" in two_way.out + two_way.err
