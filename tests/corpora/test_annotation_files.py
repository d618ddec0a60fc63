"""A real corpus written as CoNLL-U, brat and WebAnno is the same corpus when it is read back."""

from pathlib import Path

import pytest

import nerscope
from nerscope.formats.base import read

pytestmark = pytest.mark.corpora


@pytest.mark.slow(quick=1)
@pytest.mark.parametrize("target", ["all.conllu", "folder::format=brat", "all.tsv::format=webanno"])
def test_a_corpus_in_another_format_scores_as_itself(
    shared: Path, tmp_path: Path, target: str
) -> None:
    gold = read(shared / "corpora" / "uner_da_ddt" / "test.txt", token=1, label=2)
    nerscope.convert(gold, f"{tmp_path}/{target}")
    written = tmp_path / target.partition("::")[0]
    again = read(written)
    assert (len(again), len(again.mentions())) == (len(gold), len(gold.mentions()))
    for one, other in ((gold, written), (written, gold)):
        results = nerscope.evaluate(one, {"s": other})
        assert results.value(system="s", metric="f1") == 1.0
