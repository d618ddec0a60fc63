"""Mistakes of earlier versions that no other test covers."""

import json
import os
import subprocess
import sys
import threading
from dataclasses import replace
from pathlib import Path

import pytest

import nerscope as ns
from nerscope.errors import FaultError, UsageError
from nerscope.render.document import OUTPUTS, Document
from nerscope.render.first_screen import first_screen

GOLD = [(["Ada", "met", "Bob"], ["B-PER", "O", "B-PER"]), (["Oslo", "fell"], ["B-LOC", "O"])]
HALF = [["B-PER", "O", "O"], ["B-LOC", "O"]]


def test_loaded_results_keep_the_version_that_made_them() -> None:
    results = ns.evaluate(GOLD, {"s": HALF})
    [evidence] = results.evidence
    older = replace(evidence, signature=replace(evidence.signature, version="0.0.7"))
    text = ns.Results([older], results.losses).file_text()
    assert ns.Results.from_json(text).signature.endswith("version:0.0.7")


def test_a_facet_may_be_called_accuracy(registries: None) -> None:
    levels = {"one": (0,), "two": (1,)}
    ns.register_facet(ns.Facet("accuracy", "mention", levels, lambda view: view.mentions.type % 2))
    results = ns.evaluate(GOLD, {"s": HALF}, facets=["accuracy"])
    assert results.value(facet="accuracy", level="one", metric="recall") == 0.5
    assert results.value(metric="accuracy") == 0.8


def test_types_may_have_the_names_of_the_confusion_table() -> None:
    gold = [(["a", "b", "c"], ["B-gold", "B-missed", "B-spurious"])]
    rows = ns.evaluate(gold, {"s": [["B-missed", "O", "B-spurious"]]}).confusion()
    pairs = {(row["gold"], row["predicted"]): row["n"] for row in rows}
    assert pairs == {("gold", "missed"): 1, ("missed", None): 1, ("spurious", "spurious"): 1}


@pytest.mark.parametrize("name", ["bert[base]", "x[/x]", ":smile:", "[bold]b"])
def test_names_of_systems_are_no_markup(name: str) -> None:
    results = ns.evaluate(GOLD, {name: HALF, "other": HALF})
    assert name in OUTPUTS["text"](first_screen(results))
    assert name in OUTPUTS["text"](Document([results.table("exact")]))


def test_threads_may_save_to_one_path(tmp_path: Path) -> None:
    results, path = ns.evaluate(GOLD, {"s": HALF}), tmp_path / "r.json"
    failed: list[BaseException] = []

    def save() -> None:
        try:
            for _ in range(20):
                results.save(path)
        except OSError as error:
            failed.append(error)

    threads = [threading.Thread(target=save) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failed
    assert ns.Results.load(path).rows == results.rows
    assert [file.name for file in tmp_path.iterdir()] == ["r.json"]


def test_thousands_of_types_are_read() -> None:
    gold = [([f"w{k}"], [f"B-T{k}"]) for k in range(3000)]
    results = ns.evaluate(gold, {"s": [[f"B-T{k}"] for k in range(3000)]}, matches=["exact"])
    assert results.value(metric="f1") == 1.0


def test_so_many_resamples_that_they_do_not_fit_are_refused() -> None:
    results = ns.evaluate(GOLD * 1500, {"s": HALF * 1500, "t": HALF * 1500})
    with pytest.raises(UsageError, match="do not fit into memory"):
        ns.compare(results, "s", "t", samples=1_000_000)


def test_everything_may_be_a_part_of_a_subset() -> None:
    train = [(["Ada", "spoke"], ["B-PER", "O"])]
    results = ns.evaluate(GOLD, {"s": HALF}, train=train, facets=["all & hard=other"])
    assert {row["facet"] for row in results.rows} == {"all", "all & hard=other"}


def test_wide_tables_are_never_cut() -> None:
    gold = [([f"w{k}"], [f"B-{'T' * 40}{k}"]) for k in range(300)]
    results = ns.evaluate(gold, {"s": [labels for _, labels in gold]}, matches=["exact"])
    lines = OUTPUTS["text"](Document([results.table("types")])).split("\n")
    assert max(map(len, lines)) <= 80
    assert all(f"{'T' * 40}{k} " in "".join(lines) for k in range(300))


def test_the_screen_shows_precision_recall_and_support_by_type() -> None:
    text = OUTPUTS["text"](first_screen(ns.evaluate(GOLD, {"s": HALF})))
    assert "PER 100.00 50.00 66.67 2" in " ".join(text.split())


def test_a_level_given_as_a_facet_is_suggested_with_its_facet() -> None:
    with pytest.raises(UsageError, match="did you mean 'hard=unseen'"):
        ns.evaluate(GOLD, {"s": HALF}, train=GOLD, facets=["unseen"])


def _die(state: object, item: object) -> int:
    os._exit(9)


def test_a_worker_that_dies_is_a_fault_and_no_success() -> None:
    from nerscope.engines.pool import Pool

    with pytest.raises(FaultError, match="a worker process died"):
        list(Pool(2).map(_die, None, [1, 2]))


SHELL = "set -o pipefail; {python} -m nerscope evaluate e.toml --no-cache -o r.json | head -1"


def test_the_comparison_is_written_before_anything_is_printed(tmp_path: Path) -> None:
    text = "Ada B-PER\nmet O\n\nOslo B-LOC\nfell O\n"
    for name in ("gold.txt", "x.txt", "y.txt"):
        (tmp_path / name).write_text("\n".join([text] * 10))
    (tmp_path / "e.toml").write_text(
        '[settings]\nsamples = 20\n[datasets.d]\ntest = "gold.txt"\n'
        '[systems]\nx = "x.txt"\ny = "y.txt"\n[compare]\n'
    )
    command = SHELL.format(python=sys.executable)
    assert subprocess.run(["bash", "-c", command], cwd=tmp_path, check=False).returncode == 0
    assert json.loads((tmp_path / "r.comparison.json").read_text())["rows"]


def test_pipes_serve_as_training_data_and_with_lists(tmp_path: Path) -> None:
    (tmp_path / "gold.txt").write_text("Ada B-PER\nmet O\n")
    command = (
        f"{sys.executable} -m nerscope evaluate <(cat gold.txt) --system s=<(cat gold.txt) "
        "--train <(cat gold.txt) --facet tmr --errors e.csv --list hard --list confusion -q"
    )
    done = subprocess.run(
        ["bash", "-c", command], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert "correct" in (tmp_path / "e.csv").read_text()


def test_comment_lines_are_counted_and_not_worth_a_note(tmp_path: Path) -> None:
    path = tmp_path / "c.conllu"
    path.write_text("# sent_id = 1\n# text = Ada\n1\tAda\tB-PER\n2\t#1\tO\n")
    results = ns.evaluate(ns.ConllFile(path, token=1, label=2), {"s": [["B-PER", "O"]]})
    assert [(loss["kind"], loss["count"]) for loss in results.losses] == [("comment lines", 2)]
    assert results.notes() == []
    assert results.value(metric="accuracy") == 1.0
