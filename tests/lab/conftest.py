"""A small corpus, and plans over it."""

from collections.abc import Callable
from pathlib import Path

import pytest

from nerscope.lab.plan import RunPlan, load_plan

TRAIN = "Ada B-PER\nmet O\nBob B-PER\n\nOslo B-LOC\nfell O\n\nNew B-LOC\nYork I-LOC\nwon O\n"
TEST = """-DOCSTART- O

Ada B-PER
left O
New B-LOC
York I-LOC

Bob B-PER

Oslo B-LOC
York O
"""
DATA = '[datasets.toy]\ntrain = "train.conll"\ntest = "test.conll"\n'
MEMORY = '[systems.memory]\nrecipe = "dictionary"\n'

Planned = Callable[..., RunPlan]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "train.conll").write_text(TRAIN)
    (tmp_path / "test.conll").write_text(TEST)
    return tmp_path


@pytest.fixture
def planned(folder: Path) -> Planned:
    """Write a plan beside the corpus, and read it."""

    def make(text: str, name: str = "plan.toml") -> RunPlan:
        (folder / name).write_text(text)
        return load_plan(folder / name)

    return make
