"""The outputs of real systems as text with offsets score as their labels do, on gold's tokens."""

from pathlib import Path

import pytest

import nerscope as ns
from nerscope.formats.columns.conll import ConllFile
from nerscope.formats.standoff.text import records_of, text_source

pytestmark = pytest.mark.corpora
CORPORA = Path(__file__).resolve().parents[3] / "shared" / "corpora"
SYSTEMS = {
    "conll2003": ["flair"],
    "wnut17": ["arcada", "uh-ritual", "spinningbytes"],
    "masakhaner2_hau": [],
    "masakhaner2_pcm": [],
}


def outputs(dataset: str) -> list[Path]:
    files = sorted((CORPORA / dataset / "systems").glob("*.txt"))
    named = [file for file in files if file.stem in SYSTEMS[dataset]]
    return named or files[:2]


@pytest.mark.slow(quick=1)
@pytest.mark.parametrize("dataset", SYSTEMS)
def test_text_with_offsets_scores_as_labels_do(dataset: str) -> None:
    gold = CORPORA / dataset / "test.txt"
    for path in outputs(dataset):
        labelled = ns.evaluate(gold, {"s": ConllFile(path, tokens="any")})
        records = [one._replace(tokens=None) for one in records_of(ns.read(path))]
        text = text_source("s", lambda records=records: iter(records))  # type: ignore[misc]
        realigned = ns.evaluate(gold, {"s": text})
        cells = [
            [
                (row["type"], row["match"], row["metric"], row["value"], row["n"])
                for row in one.select(facet="all", run="1", unit="mention")
            ]
            for one in (labelled, realigned)
        ]
        assert cells[0] == cells[1], path.name
