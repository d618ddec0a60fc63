"""The printed tables of the papers, and the composition of datasets, on the real corpora."""

import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from nerscope import ConllFile, Description, describe, evaluate, read
from nerscope.render.outputs.conlleval import conlleval_text

pytestmark = pytest.mark.corpora
SHARED = Path(__file__).resolve().parents[3] / "shared"
CORPORA = SHARED / "corpora"
ZETA = {"eDen": "eDen_tokens", "tFre": "tFre_enttok", "tCon": "tCon_enttok"}


@cache
def tables() -> dict[str, Any]:
    content: dict[str, Any] = json.loads((SHARED / "expected" / "paper_tables.json").read_text())
    return content


@cache
def described(train: str, test: str, dev: str | None = None) -> Description:
    return describe(CORPORA / train, dev=CORPORA / dev if dev else None, test=CORPORA / test)


def counts(found: Description, facet: str) -> dict[tuple[str, str | None], int]:
    return {
        (row["level"], row["type"]): row["n"]
        for row in found.rows
        if row["facet"] == facet and row["split"] == "test"
    }


@pytest.mark.slow(quick=1)
@pytest.mark.parametrize(
    ("name", "train", "test"),
    [
        ("T2_ReCoNLL", "conll2003/train.txt", "reconll/test.txt"),
        ("T3_Spanish", "conll2002_es/train.txt", "conll2002_es/test.txt"),
    ],
)
def test_tough_mentions_composition_as_printed(name: str, train: str, test: str) -> None:
    table = tables()[name]
    found = counts(described(train, test), "tmr")
    differing = {(level, kind) for level, kind, *_ in table["differ"]}
    for cell, numbers in table["cells"].items():
        level, kind = cell.split("|")
        n = found.get((level.lower(), None if kind == "ALL" else kind), 0)
        assert n == numbers["count"], cell
        if (level, kind) not in differing:
            # The printed tables round to one decimal; two of them were rounded twice.
            share = 100 * n / table["denominators"][kind]
            assert abs(share - numbers["paper"]) < 0.06, cell


def test_hardeval_tables_on_conll_2003() -> None:
    table = tables()["hardeval_conll2003"]
    found = described("conll2003/train.txt", "conll2003/test.txt", "conll2003/dev.txt")
    train = found.mentions["train"]
    assert [train[key] for key in ("mentions", "ambiguous", "unique", "ambiguous_unique")] == table[
        "paper"
    ]["t1"]
    for split in ("dev", "test"):
        part = found.mentions[split]
        assert [part[key] for key in ("mentions", "unseen", "unique", "unseen_unique")] == table[
            "paper"
        ][split]
    hard, strict = counts(found, "hard"), counts(found, "hard-strict")
    levels = ("all", "unseen-I", "unseen-O", "unseen", "diff-I", "diff-O", "diff-E", "diff")
    assert [hard[level, None] for level in levels] == table["paper"]["t4"]
    assert {level: n for (level, _), n in strict.items()} == table["strict"]


@pytest.mark.parametrize(
    ("split", "key", "percentage"),
    [
        ("train", "ambiguous", 6.9),
        ("train", "ambiguous_unique", 1.6),
        ("dev", "unseen", 32.0),
        ("dev", "unseen_unique", 50.5),
        ("test", "unseen", 46.0),
        ("test", "unseen_unique", 64.7),
    ],
)
def test_shares_of_hardeval_tables_on_conll_2003(split: str, key: str, percentage: float) -> None:
    found = described("conll2003/train.txt", "conll2003/test.txt", "conll2003/dev.txt")
    share = found.mention_shares[split][key]
    assert share is not None and round(100 * share, 1) == percentage


@pytest.mark.parametrize("dataset", ["conll2002_es", "btc"])
def test_composition_of_further_datasets(dataset: str) -> None:
    expected = tables()[f"data_{dataset}"]
    found = described(f"{dataset}/train.txt", f"{dataset}/test.txt")
    tmr = counts(found, "tmr")
    for level, sizes in expected["tmr_sizes"].items():
        for kind, n in sizes.items():
            assert tmr[level.lower(), None if kind == "ALL" else kind] == n
    for facet, block in [("hard", "hardeval_sizes"), ("hard-strict", "hardeval_sizes_strict")]:
        assert {level: n for (level, _), n in counts(found, facet).items()} == expected[block]
    train, test = found.mentions["train"], found.mentions["test"]
    assert expected["mention_stats_train"] == {
        "mentions": train["mentions"],
        "ambig_mentions": train["ambiguous"],
        "unique": train["unique"],
        "ambig_unique": train["ambiguous_unique"],
    }
    assert expected["mention_stats_test"] == {
        "mentions": test["mentions"],
        "unseen_mentions": test["unseen"],
        "unique": test["unique"],
        "unseen_unique": test["unseen_unique"],
    }
    for attribute, mean in found.zeta.items():
        assert mean == pytest.approx(expected["zeta"][ZETA.get(attribute, attribute)], abs=1e-9)


@pytest.mark.slow(quick=1)
@pytest.mark.parametrize("dataset", ["conll2003", "wnut17", "masakhaner2_hau", "masakhaner2_pcm"])
def test_mean_attribute_values(dataset: str) -> None:
    expected = json.loads((SHARED / "expected" / f"{dataset}.json").read_text())
    zeta = next(iter(expected.values()))["zeta"]
    found = described(f"{dataset}/train.txt", f"{dataset}/test.txt").zeta
    assert len(found) == 10
    for attribute, mean in found.items():
        assert mean == pytest.approx(zeta[ZETA.get(attribute, attribute)], abs=1e-9)


@pytest.mark.parametrize("split", ["train", "dev", "test"])
def test_broad_twitter_corpus_after_joining_handles(split: str) -> None:
    table = tables()["btc_table1"]
    corpus = read(ConllFile(CORPORA / "btc" / f"{split}.txt", mend="handles"))
    mentions = corpus.mentions()
    types = [corpus.coding.labels.types[kind] for kind in mentions.type]
    order = [len(corpus), *(types.count(kind) for kind in ("PER", "LOC", "ORG"))]
    assert order == table["oracle_after_repair"][split]
    assert corpus.reading_notes.mended_labels == table["retagged"][split]


@pytest.mark.parametrize(
    "name", sorted(path.stem for path in (SHARED / "expected" / "conlleval").glob("*.txt"))
)
def test_conlleval_text_byte_for_byte(name: str) -> None:
    dataset, _, system = name.partition("-")
    output = ConllFile(CORPORA / dataset / "systems" / f"{system}.txt", tokens="any")
    results = evaluate(CORPORA / dataset / "test.txt", {system: output})
    assert (
        conlleval_text(results) == (SHARED / "expected" / "conlleval" / f"{name}.txt").read_text()
    )
