"""Three small corpora in a folder: gold, and the outputs of a good and a poor system."""

from pathlib import Path

import pytest

GOLD = "Ada B-PER\nLovelace I-PER\nmet O\nBob B-PER\n\nOslo B-LOC\nfell O\n\nEve B-PER\nslept O\n"
GOOD = GOLD.replace("Eve B-PER", "Eve O")
POOR = GOLD.replace("Lovelace I-PER", "Lovelace O").replace("Oslo B-LOC", "Oslo B-PER")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name, text in [("gold", GOLD), ("good", GOOD), ("poor", POOR)]:
        # Twenty copies, so that resampling has something to draw from.
        (tmp_path / f"{name}.txt").write_text("\n".join([text] * 20))
    monkeypatch.chdir(tmp_path)
    return tmp_path
