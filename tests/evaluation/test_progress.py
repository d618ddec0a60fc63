"""How far an evaluation is, as a share of the work: with a first pass over gold, or without."""

from pathlib import Path
from typing import Any

import pytest

import nerscope
from nerscope.evaluation.evaluate import ProgressReporter

SENTENCES = [(["Ada", "spoke"], ["B-PER", "O"])]


class Shares(list[float]):
    """Hears which share is done."""

    def __call__(self, sentences: int) -> None:
        """What is done in sentences is of no interest here."""

    def share(self, done: float) -> None:
        self.append(round(done, 2))


class Apart:
    """An engine that gets pieces, as if they left this process."""

    remote = True

    def map(self, work: Any, state: Any, items: Any) -> Any:
        return (work(state, item) for item in items)


@pytest.mark.parametrize(
    ("options", "shares"),
    [
        ({}, [0.5, 1]),
        ({"facets": ["eLen"]}, [0.15, 0.3, 0.65, 1]),
        ({"facets": ["all"], "train": SENTENCES}, [0.5, 1]),
        ({"facets": [], "train": SENTENCES}, [0.5, 1]),
        ({"train": SENTENCES}, [0.15, 0.3, 0.65, 1]),
    ],
)
def test_the_first_pass_has_a_share_if_there_is_one(
    tmp_path: Path, options: dict[str, Any], shares: list[float]
) -> None:
    for number in range(2):
        (tmp_path / f"{number}.txt").write_text("Ada B-PER\nspoke O\n")
    heard, files = Shares(), f"{tmp_path}/*.txt"
    nerscope.evaluate(files, {"s": files}, engine=Apart(), progress=heard, **options)
    assert heard == shares


def test_of_one_piece_nobody_knows_how_much_is_to_come() -> None:
    heard = Shares()
    reporter = ProgressReporter(heard, n_shards=1)
    reporter.surveyed()
    reporter.scored(3)
    assert heard == []
