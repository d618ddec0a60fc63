"""Experiment files with something wrong everywhere, and a cache that somebody has damaged."""

import hashlib
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.attack.conftest import Attack
from tests.attack.harness import Case, params
from tests.cli.conftest import GOLD, GOOD, Run

from nerscope.codec import pack, unpack
from nerscope.experiment.run import _RunEntry

D = '[datasets.toy]\ntest = "gold.txt"\n'
S = '[systems]\ngood = "good.txt"\npoor = "poor.txt"\n'
EXPERIMENT = D + S
QUICK = "[settings]\nintervals = false\n"


def bad(name: str, content: str | bytes, place: str, fact: str = "") -> Case:
    """An experiment file that is refused."""
    return Case(name, "evaluate e.toml -o out.json", place, fact, files={"e.toml": content})


def setting(name: str, line: str, place: str, fact: str = "") -> Case:
    """A setting that is refused."""
    return bad(name, f"{EXPERIMENT}[settings]\n{line}\n", place, fact)


KINDS = [
    setting(f"{key}-{kind}", f"{key} = {value}", "e.toml:7", f"for '{key}' in [settings]")
    for key, values in {
        "facets": {"text": '"tmr"', "number": "5", "table": "{}"},
        "matches": {"text": '"left"', "number": "5"},
        "metrics": {"text": '"f1"', "number": "5"},
        "repair": {"number": "5", "list": "[]", "true": "true"},
        "token_repair": {"number": "5"},
        "token_match": {"number": "5"},
        "zero_division": {"text": '"0"', "true": "true", "list": "[0]"},
        "buckets": {"text": '"4"', "float": "4.5", "true": "true"},
        "bucketing": {"number": "5"},
        "edges": {"list": "[1]", "number": "1"},
        "map": {"list": '["A"]', "text": '"A=B"'},
        "texts": {"number": "1", "text": '"yes"'},
        "intervals": {"number": "1", "text": '"yes"'},
        "samples": {"text": '"10"', "float": "10.0", "true": "true"},
        "seed": {"text": '"0"', "float": "0.5"},
        "resample": {"number": "5"},
    }.items()
    for kind, value in values.items()
]
FILES = [
    *KINDS,
    setting("facets-inner", "facets = [5]", "facets", "invalid value [5]"),
    setting("facets-empty-name", 'facets = [""]', "facet ''", "invalid expression"),
    setting("matches-inner", "matches = [[]]", "matches", "invalid value"),
    setting("matches-unknown", 'matches = ["lft"]', "match 'lft'", "did you mean 'left'?"),
    setting("metrics-unknown", 'metrics = ["f"]\nmatches=["x"]', "match 'x'"),
    setting("edges-inner", 'edges = { eLen = "1" }', "edges of eLen"),
    setting("edges-strings", 'edges = { eLen = ["a"] }', "edges of eLen"),
    setting("edges-bools", "edges = { eLen = [true] }", "edges of eLen"),
    setting("edges-empty", "edges = { eLen = [] }", "edges of eLen"),
    setting("edges-nan", "edges = { eLen = [nan] }", "edges of eLen"),
    setting("edges-unknown", "edges = { elen = [1] }", "facet 'elen'", "did you mean 'eLen'?"),
    setting("map-inner", "map = { A = 5 }", "map", "invalid value"),
    setting("map-empty", 'map = { A = "" }', "map", "invalid value"),
    setting("zero-half", "zero_division = 0.5", "zero_division", "invalid value 0.5"),
    setting("zero-nan", "zero_division = nan", "zero_division", "invalid value nan"),
    setting("buckets-1", "buckets = 1", "buckets", "invalid value 1"),
    setting("samples-0", "samples = 0", "samples", "invalid value 0"),
    setting("samples-huge", "samples = 10000000000", "samples", "invalid value"),
    setting("seed-minus", "seed = -1", "seed", "invalid value -1"),
    setting("unknown-setting", "facet = []", "e.toml:7", "did you mean 'facets'?"),
    setting("resample-word", 'resample = "word"', "resample", "unknown cluster unit 'word'"),
    bad("not-toml", "x", "e.toml", "invalid TOML"),
    bad("binary", b"\x00\x01\xff", "e.toml", "invalid TOML"),
    bad("utf-16", EXPERIMENT.encode("utf-16"), "e.toml", "invalid TOML"),
    bad("twice", D + D + S, "e.toml", "invalid TOML"),
    bad("deep", "x = " + "[" * 2000 + "]" * 2000, "e.toml", ""),
    bad("empty", "", "e.toml", "no dataset is defined"),
    bad("no-system", D, "e.toml", "no system is defined"),
    bad("no-dataset", S, "e.toml", "no dataset is defined"),
    bad("datasets-list", "datasets = []\n" + S, "e.toml:1", "'datasets' is not a table"),
    bad("datasets-number", "datasets = 5\n" + S, "e.toml:1", "'datasets' is not a table"),
    bad("systems-text", 'systems = "x"\n' + D, "e.toml:1", "'systems' is not a table"),
    bad("systems-list", "systems = [1]\n" + D, "e.toml:1", "'systems' is not a table"),
    bad("settings-list", "settings = []\n" + EXPERIMENT, "e.toml:1", "'settings' is not a table"),
    bad("settings-array", EXPERIMENT + "[[settings]]\n", "e.toml:6", "'settings' is not a table"),
    bad("compare-text", 'compare = "all"\n' + EXPERIMENT, "e.toml:1", "is not a table"),
    bad("compare-number", EXPERIMENT + "[compare]\nmethod = 5\n", "e.toml:7", "invalid value 5"),
    bad("compare-unknown", EXPERIMENT + "[compare]\nx = 5\n", "e.toml:7", "unknown key 'x'"),
    bad("compare-method", EXPERIMENT + '[compare]\nmethod = "x"\n', "method 'x'", "bootstrap"),
    bad("compare-correction", EXPERIMENT + '[compare]\ncorrection = "x"\n', "correction", "holm"),
    bad("compare-baseline", EXPERIMENT + '[compare]\nbaseline = "x"\n', "system 'x'", ""),
    bad("compare-alone", D + '[systems]\ngood = "good.txt"\n[compare]\n', "compare", "one system"),
    bad("dataset-text", '[datasets]\ntoy = "gold.txt"\n' + S, "e.toml:2", "'toy' is not a table"),
    bad("dataset-empty-name", '[datasets.""]\ntest = "gold.txt"\n' + S, "e.toml", "dataset ''"),
    bad("dataset-no-test", '[datasets.toy]\ntrain = "train.txt"\n' + S, "e.toml:1", "no test"),
    bad("dataset-test-number", "[datasets.toy]\ntest = 5\n" + S, "e.toml:2", "invalid value 5"),
    bad("dataset-test-list", '[datasets.toy]\ntest = ["gold.txt"]\n' + S, "e.toml:2", "value ["),
    bad("dataset-test-empty", '[datasets.toy]\ntest = ""\n' + S, "", ""),
    bad("dataset-test-missing", '[datasets.toy]\ntest = "no.txt"\n' + S, "no.txt", "no such file"),
    bad("dataset-test-folder", '[datasets.toy]\ntest = "."\n' + S, ".", "this is a folder"),
    bad("dataset-train-missing", D + 'train = "no.txt"\n' + S, "no.txt", "no such file"),
    bad("dataset-train-list", D + 'train = ["train.txt", 5]\n' + S, "e.toml:3", "invalid"),
    bad("dataset-options", D + 'options = "x=1"\n' + S, "./", "unknown file option"),
    bad("dataset-options-number", D + "options = 1\n" + S, "e.toml:3", "invalid value 1"),
    bad("dataset-unknown", D + 'tset = "x"\n' + S, "e.toml:3", "did you mean 'test'?"),
    bad("system-number", D + "[systems]\ngood = 5\n", "e.toml:4", "invalid value 5"),
    bad("system-list", D + '[systems]\ngood = ["good.txt"]\n', "e.toml:4", "invalid value"),
    bad("system-table-number", D + "[systems]\ngood = { toy = 5 }\n", "e.toml:4", "value 5"),
    bad("system-table-unknown", D + '[systems]\ngood = { tyo = "good.txt" }\n', "e.toml", ""),
    bad("system-case", D + S + 'GOOD = "good.txt"\n', "system 'GOOD'", "has the name 'good'"),
    bad("system-empty-name", D + '[systems]\n"" = "good.txt"\n', "", ""),
    bad("system-empty-pattern", D + '[systems]\ngood = ""\n', "./", "this is a folder"),
    bad("system-nothing", D + '[systems]\ngood = "no*.txt"\n', "e.toml:1", "no output of any"),
    bad("system-folder", D + '[systems]\ngood = "*"\n', "", ""),
    bad("system-bad-options", D + '[systems]\ngood = "good.txt::x=1"\n', "./good.txt::x=1", ""),
    bad("system-other-data", D + '[systems]\ngood = "train.txt"\n', "gold.txt:4", "differs"),
    bad("top-unknown", "[setting]\n" + EXPERIMENT, "e.toml:1", "did you mean 'settings'?"),
    Case("folder", "evaluate d.toml", "d.toml", "it cannot be read",
         before=lambda folder: (folder / "d.toml").mkdir()),
    Case("missing", "evaluate no.toml", "no.toml", "it cannot be read"),
    Case("overlapping", "evaluate e.toml --format json", code=0,
         files={"e.toml": D + '[systems]\na = "good.txt"\nb = "goo?.txt"\n' + QUICK},
         numbers={"recall": 5 / 6}),
    Case("brackets", "evaluate e.toml --format json", code=0,
         files={"e.toml": '[datasets."br[1]"]\ntest = "br[1]/gold.txt"\n[systems]\n'
                'good = "{dataset}/good.txt"\n' + QUICK,
                "br[1]/gold.txt": GOLD, "br[1]/good.txt": GOOD},
         numbers={"recall": 5 / 6}),
    Case("bracket-folder", "evaluate 'br[1]/e.toml' --format json", code=0,
         files={"br[1]/e.toml": D + '[systems]\ngood = "good.txt"\n' + QUICK,
                "br[1]/gold.txt": GOLD, "br[1]/good.txt": GOOD},
         numbers={"recall": 5 / 6}),
    Case("bracket-file", "evaluate e.toml --format json", "e.toml:1", "no output of any system",
         files={"e.toml": D + '[systems]\ngood = "out[1].txt"\n' + QUICK, "out[1].txt": GOOD}),
    Case("left-out", "evaluate e.toml --format json", code=0,
         files={"e.toml": D + '[systems]\ngood = "good.txt"\nx = "no.*"\n' + QUICK},
         numbers={"recall": 5 / 6}, note="no file of x matches"),
    *(Case(f"beside-{option.split()[0][2:]}", f"evaluate e.toml --no-cache {option}",
           option.split()[0], "this option cannot be used with an experiment file",
           files={"e.toml": EXPERIMENT})
      for option in ("--list confusion", "--errors o.csv", "--facet eLen", "--match exact",
                     "--metric f1", "--system x=good.txt", "--train train.txt", "--dataset toy",
                     "--intervals", "--resample document",
                     "--repair strict", "--token-repair conlleval", "--token-match io",
                     "--zero-division 0", "--buckets 3", "--bucketing zero", "--edges eLen=1",
                     "--map A=B", "--no-text")),
]  # fmt: skip


@params(FILES)
def test_experiment_files(case: Case, attack: Attack) -> None:
    attack(case)


Change = Callable[[Any], object]
CACHED = (
    '[datasets.toy]\ntest = "gold.txt"\ntrain = "train.txt"\n' + S + "[settings]\nsamples = 20\n"
    "[compare]\n"
)


def _content(path: Path) -> tuple[bytes, Any]:
    """What stands before the body (mark and digest), and the value."""
    data = path.read_bytes()
    start = data.index(b"\n") + 1 + 32
    value = unpack(zlib.decompress(data[start:]))
    if isinstance(value, _RunEntry):
        value = {"evidence": unpack(value.evidence), "losses": value.notes}
    elif isinstance(value, list):
        value = [row.as_dict() for row in value]
    return data[:start], value


def _changed(head: bytes, value: Any) -> bytes:
    if isinstance(value, dict) and {"evidence", "losses"} <= value.keys():
        value = _RunEntry(pack(value["evidence"]), value["losses"])
    return head + zlib.compress(pack(value))


def _kind(value: Any) -> str:
    if isinstance(value, list):
        return "pair"
    return "run" if "evidence" in value else "bounds"


def _first(values: dict[str, Any]) -> str:
    return next(iter(values))


def _nothing(value: dict[str, Any]) -> None:
    value.clear()


def _mention(value: dict[str, Any]) -> dict[str, Any]:
    ledger: dict[str, Any] = value["evidence"]["ledgers"]["mention"]
    return ledger


DAMAGES: dict[str, tuple[str, Change | bytes]] = {
    "run-empty": ("run", b""),
    "run-garbage": ("run", b"garbage"),
    "run-no-losses": ("run", lambda v: v.pop("losses")),
    "run-no-evidence": ("run", lambda v: v.pop("evidence")),
    "run-evidence-list": ("run", lambda v: v.update(evidence=[])),
    "run-losses-number": ("run", lambda v: v.update(losses=5)),
    "run-losses-inner": ("run", lambda v: v.update(losses=[5])),
    "run-no-types": ("run", lambda v: v["evidence"].update(types=[])),
    "run-types-numbers": ("run", lambda v: v["evidence"].update(types=[1, 2])),
    "run-types-fewer": ("run", lambda v: v["evidence"]["types"].pop()),
    "run-no-runs": ("run", lambda v: v["evidence"].update(runs=[])),
    "run-other-run": ("run", lambda v: v["evidence"].update(runs=[["nobody", "1"]])),
    "run-no-ledger": ("run", lambda v: v["evidence"].update(ledgers={})),
    "run-no-documents": ("run", lambda v: v["evidence"].update(documents=None)),
    "run-no-divisions": ("run", lambda v: v["evidence"].update(divisions=[])),
    "run-no-signature": ("run", lambda v: v["evidence"].update(signature={})),
    "run-no-sentences": ("run", lambda v: _mention(v)["gold"].update(
        sentence=np.zeros(0, np.int64))),
    "run-no-credit": ("run", lambda v: _mention(v)["runs"][0].update(gold_credit={})),
    "run-no-codes": ("run", lambda v: _mention(v)["gold"].update(codes={})),
    "bounds-nothing": ("bounds", _nothing),
    "bounds-text": ("bounds", lambda v: v.update({_first(v): "x"})),
    "bounds-short": ("bounds", lambda v: v.update({_first(v): [0.5]})),
    "bounds-number": ("bounds", lambda v: v.update({_first(v): 5})),
    "bounds-fewer": ("bounds", lambda v: v.pop(_first(v))),
    "pair-numbers": ("pair", lambda v: v.__setitem__(slice(None), [5])),
    "pair-fewer": ("pair", lambda v: v.pop()),
    "pair-no-p": ("pair", lambda v: v[0].pop("p")),
    "pair-text": ("pair", lambda v: v[0].update(p="small")),
}  # fmt: skip


_DONE: dict[str, bytes] = {}  # what the experiment wrote


@pytest.fixture
def experiment(data: Path, run: Run) -> Path:
    """An experiment that was run, so that all is in the cache; it is run only once."""
    folder = data / ".nerscope-cache"
    (data / "e.toml").write_text(CACHED, encoding="utf-8")
    if not _DONE:
        assert run("evaluate", "e.toml", "-o", "first.json", "-q").code == 0
        for path in (*data.glob("first.*"), *folder.iterdir()):
            _DONE[str(path.relative_to(data))] = path.read_bytes()
    folder.mkdir(exist_ok=True)
    for name, content in _DONE.items():
        (data / name).write_bytes(content)
    return folder


def _again(folder: Path, run: Run) -> str:
    outcome = run("evaluate", "e.toml", "-o", "again.json", "-q")
    assert outcome.code == 0, outcome
    assert "Traceback" not in outcome.err
    for name in ("json", "comparison.json"):
        assert (folder / f"again.{name}").read_bytes() == (folder / f"first.{name}").read_bytes()
    return outcome.err


@pytest.mark.slow(quick=3)
@pytest.mark.parametrize("name", DAMAGES)
def test_damaged_entries_are_computed_again(name: str, experiment: Path, run: Run) -> None:
    kind, change = DAMAGES[name]
    for path in sorted(experiment.iterdir()):
        head, value = _content(path)
        if _kind(value) == kind:
            if isinstance(change, bytes):
                path.write_bytes(change)
            else:
                change(value)
                path.write_bytes(_changed(head, value))
            break
    else:
        raise AssertionError(f"no entry of kind {kind}")
    _again(experiment.parent, run)


def test_swapped_entries_are_computed_again(experiment: Path, run: Run) -> None:
    first_path, second_path, *_ = sorted(experiment.iterdir())
    first, second = first_path.read_bytes(), second_path.read_bytes()
    first_path.write_bytes(second)
    second_path.write_bytes(first)
    assert "its digest does not match" in _again(experiment.parent, run)


@pytest.mark.slow(quick=1)
@pytest.mark.parametrize("content", [b"", b"[]", b"5", b"null", b"{}", b"[[[" * 9000, b"\xff"])
def test_entries_of_another_kind_are_computed_again(
    content: bytes, experiment: Path, run: Run
) -> None:
    for path in sorted(experiment.iterdir()):
        mark = path.read_bytes().partition(b"\n")[0] + b"\n"
        body = zlib.compress(content)
        path.write_bytes(mark + hashlib.sha256(body).digest() + body)
    _again(experiment.parent, run)


def test_an_entry_that_is_a_folder_is_computed_again(experiment: Path, run: Run) -> None:
    path = min(experiment.iterdir())
    path.unlink()
    path.mkdir()
    _again(experiment.parent, run)


def test_a_cache_that_is_a_file_costs_only_time(data: Path, run: Run) -> None:
    (data / "e.toml").write_text(CACHED, encoding="utf-8")
    (data / ".nerscope-cache").write_text("mine", encoding="utf-8")
    outcome = run("evaluate", "e.toml", "-o", "first.json", "-q")
    assert outcome.code == 0, outcome
    assert (data / ".nerscope-cache").read_text(encoding="utf-8") == "mine"
