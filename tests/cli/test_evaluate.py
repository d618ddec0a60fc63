"""`nerscope evaluate`: every format, every option, experiments and plugins."""

import csv
import io
import json
import os
import re
import shlex
import stat
import threading
from importlib import import_module
from pathlib import Path
from typing import Any, NoReturn

import pyarrow.parquet
import pytest
from tests.cli.conftest import GOLD, Outcome, Run

import nerscope
import nerscope as ns
from nerscope.errors import FaultError
from nerscope.render.first_screen import next_steps

BOTH = "--system good=good.txt --system poor=poor.txt"


def done(run: Run, command: str) -> Outcome:
    outcome = run(*shlex.split(command))
    assert outcome.code == 0, outcome.err
    return outcome


def strict(text: str) -> dict[str, Any]:
    def refuse(name: str) -> NoReturn:
        raise ValueError(f"{name} is no JSON")

    content: dict[str, Any] = json.loads(text, parse_constant=refuse)
    return content


def cells(rows: list[dict[str, Any]], **wanted: object) -> list[dict[str, Any]]:
    return [row for row in rows if all(row[key] == value for key, value in wanted.items())]


def value(rows: list[dict[str, Any]], **wanted: object) -> Any:
    defaults: dict[str, object] = {
        "facet": "all",
        "level": "all",
        "type": None,
        "match": "exact",
        "run": None,
    }
    [row] = cells(rows, **{**defaults, **wanted})
    return row["value"]


def evaluated(run: Run, options: str) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = strict(
        done(run, f"evaluate gold.txt {options} --format json").out
    )["rows"]
    return rows


ONE_BLOCK = """\
processed 12 tokens with 6 phrases; found: 5 phrases; correct: 5.
accuracy:  91.67%; precision: 100.00%; recall:  83.33%; FB1:  90.91
              LOC: precision: 100.00%; recall:  66.67%; FB1:  80.00  2
              PER: precision: 100.00%; recall: 100.00%; FB1: 100.00  3
"""
OTHER_BLOCK = """\
processed 12 tokens with 6 phrases; found: 6 phrases; correct: 3.
accuracy:  75.00%; precision:  50.00%; recall:  50.00%; FB1:  50.00
              LOC: precision:  50.00%; recall:  33.33%; FB1:  40.00  2
              PER: precision:  50.00%; recall:  66.67%; FB1:  57.14  4
"""


def test_one_run_is_shown_as_conlleval_shows_it(data: Path, run: Run) -> None:
    outcome = done(run, "evaluate gold.txt --system good=good.txt --format conlleval")
    assert (outcome.out, outcome.err) == (ONE_BLOCK, "")
    signed = done(run, "evaluate gold.txt good.txt --format conlleval --signature")
    assert signed.out == ONE_BLOCK
    assert signed.err.startswith("nerscope: signature: scheme:bio|match:exact|")


def test_several_runs_are_shown_one_block_after_the_other(data: Path, run: Run) -> None:
    outcome = done(run, f"evaluate gold.txt {BOTH} --system good=poor.txt --format conlleval")
    assert (
        outcome.out
        == f"gold good 1\n{ONE_BLOCK}\ngold good 2\n{OTHER_BLOCK}\ngold poor 1\n{OTHER_BLOCK}"
    )


def test_conlleval_shows_0_for_nothing_found_and_no_type_of_training_alone(
    data: Path, run: Run
) -> None:
    (data / "none.txt").write_text(
        "\n".join(f"{line.split()[0]} O" if line else "" for line in GOLD.split("\n"))
    )
    (data / "train.txt").write_text("x B-MISC\n")
    outcome = done(
        run, "evaluate gold.txt --system none=none.txt --train train.txt --format conlleval"
    )
    assert outcome.out == (
        "processed 12 tokens with 6 phrases; found: 0 phrases; correct: 0.\n"
        "accuracy:  33.33%; precision:   0.00%; recall:   0.00%; FB1:   0.00\n"
        "              LOC: precision:   0.00%; recall:   0.00%; FB1:   0.00  0\n"
        "              PER: precision:   0.00%; recall:   0.00%; FB1:   0.00  0\n"
    )


def test_conlleval_shows_a_type_only_where_it_is_gold_or_found(data: Path, run: Run) -> None:
    (data / "misc.txt").write_text(GOLD.replace("won O", "won B-MISC"))
    outcome = done(
        run, "evaluate gold.txt --system misc=misc.txt --system good=good.txt --format conlleval"
    )
    misc, good = outcome.out.split("\ngold good 1\n")
    assert "             MISC: precision:   0.00%; recall:   0.00%; FB1:   0.00  1\n" in misc + "\n"
    assert good == ONE_BLOCK


def test_json_is_strict_and_holds_the_numbers(data: Path, run: Run) -> None:
    content = strict(
        done(run, f"evaluate gold.txt {BOTH} --train train.txt --dataset toy --format json").out
    )
    assert {"nerscope", "format", "signature", "settings", "losses", "rows"} <= content.keys()
    rows = content["rows"]
    assert {row["dataset"] for row in rows} == {"toy"}
    assert value(rows, system="good", metric="recall") == pytest.approx(5 / 6)
    assert value(rows, system="poor", metric="precision") == pytest.approx(3 / 6)
    assert value(rows, system="good", metric="accuracy", match="label") == pytest.approx(11 / 12)
    assert value(rows, system="poor", metric="recall", match="left") == pytest.approx(
        (3 + 2 * 0.5) / 6
    )
    assert value(rows, system="good", metric="recall", facet="tmr", level="seen") == 1.0
    assert None in {row["value"] for row in rows}  # undefined is null


def test_runs_of_one_name_are_numbered_and_summed_up(data: Path, run: Run) -> None:
    rows = evaluated(run, "--system s=good.txt --system s=gold.txt")
    found = {
        row["run"]: row
        for row in cells(rows, metric="recall", match="exact", type=None, facet="all")
    }
    assert [found[name]["value"] for name in ("1", "2")] == [pytest.approx(5 / 6), 1.0]
    assert found[None]["value"] == pytest.approx(11 / 12) and found[None]["runs"] == 2
    assert found[None]["std"] == pytest.approx((1 / 6) / 2**0.5)


def test_results_are_saved_and_json_is_not_printed_twice(data: Path, run: Run) -> None:
    printed = done(run, f"evaluate gold.txt {BOTH} --format json").out
    outcome = done(run, f"evaluate gold.txt {BOTH} --format json -o out.json")
    assert outcome.out == "" and done(run, "show out.json --format json").out == printed
    assert "exact match" in done(run, f"evaluate gold.txt {BOTH} -o out.json").out
    assert not list(data.glob(".*"))


@pytest.mark.parametrize(
    ("form", "expected"),
    [
        (
            "text --signature",
            [
                "Exact match",
                "\ngood      100.00*",
                "F1 by type",
                "F1 with partial credit",
                "signature: scheme:bio|",
            ],
        ),
        (
            "markdown",
            ["### Exact match", "| good | **100.00** | **83.33** |", "\n`signature: scheme:bio|"],
        ),
        (
            "latex",
            [
                "\\begin{tabular}{lrrrrrr}",
                "good & \\textbf{100.00} & \\textbf{83.33} &",
                "% signature: scheme:bio|",
            ],
        ),
    ],
)
def test_tables_are_shown_with_their_conditions(
    form: str, expected: list[str], data: Path, run: Run
) -> None:
    outcome = done(run, f"evaluate gold.txt {BOTH} --all --format {form}")
    assert all(part in outcome.out for part in expected), outcome.out
    assert outcome.err == ""


def test_csv_holds_every_row_with_the_signature(data: Path, run: Run) -> None:
    rows = list(
        csv.DictReader(io.StringIO(done(run, f"evaluate gold.txt {BOTH} --format csv").out))
    )
    assert len(rows) == len(evaluated(run, BOTH))
    [one] = cells(
        [dict(row) for row in rows],
        system="good",
        metric="recall",
        match="exact",
        type="",
        facet="all",
        run="1",
    )
    assert float(one["value"]) == pytest.approx(5 / 6) and one["signature"].startswith(
        "scheme:bio|"
    )


@pytest.mark.parametrize(
    ("form", "stream"),
    [("text", "out"), ("markdown", "out"), ("csv", "err"), ("json", "err"), ("conlleval", "err")],
)
def test_repairs_are_noted_in_every_format(form: str, stream: str, data: Path, run: Run) -> None:
    (data / "odd.txt").write_text(GOLD.replace("Bob B-PER", "Bob I-PER"))
    outcome = done(run, f"evaluate gold.txt --system odd=odd.txt --format {form}")
    note = (
        "note: odd.txt:6: 1 transition not allowed in bio, repaired as conlleval: I-PER after O (1)"
    )
    assert note in getattr(outcome, stream)


def test_facets_and_conditions_are_chosen(data: Path, run: Run) -> None:
    rows = evaluated(
        run,
        "--system good=good.txt --train train.txt "
        "--facet tmr --facet 'eLen=S | tmr=seen' --facet '!tmr=seen'",
    )
    assert {row["facet"] for row in rows} == {"all", "tmr", "eLen=S | tmr=seen", "!tmr=seen"}
    [seen] = cells(rows, facet="tmr", level="seen", type=None, run=None)
    assert seen["n"] == 3  # Bob, and Paris of either type
    [inside] = cells(
        rows, facet="eLen=S | tmr=seen", level="in", type=None, run=None, metric="recall"
    )
    assert (inside["n"], inside["value"]) == (
        5,
        1.0,
    )  # with Ada Lovelace and Oslo United, of two tokens
    [unseen] = cells(rows, facet="!tmr=seen", level="in", type=None, run=None, metric="recall")
    assert (unseen["n"], unseen["value"]) == (3, pytest.approx(2 / 3))


@pytest.mark.parametrize(
    ("facet", "level", "n"),
    [
        ("tmr & type=LOC", "seen", 1),
        ("eLen & type=LOC", "XS", 2),
        ("tmr & eLen=XS", "unseen-any", 1),
    ],
)
def test_a_facet_divides_what_a_condition_leaves(
    facet: str, level: str, n: int, data: Path, run: Run
) -> None:
    rows = evaluated(run, f"--system good=good.txt --train train.txt --facet '{facet}'")
    assert {
        row["n"]
        for row in cells(rows, facet=facet, level=level, type=None, run=None, metric="recall")
    } == {n}


def test_matches_and_metrics_are_chosen(data: Path, run: Run) -> None:
    rows = evaluated(
        run,
        "--system poor=poor.txt --match 'overlap(credit=1)' --match muc-type "
        "--metric f2 --metric recall",
    )
    scores = {(row["match"], row["metric"]) for row in rows}
    assert {
        ("overlap(credit=1)", "f2"),
        ("overlap(credit=1)", "recall"),
        ("muc-type", "recall"),
    } <= scores
    assert not {("exact", "recall"), ("muc-type", "f1")} & scores
    assert value(rows, metric="recall", match="overlap(credit=1)") == pytest.approx(5 / 6)


@pytest.mark.parametrize(
    ("options", "edges", "levels"),
    [
        ("--facet eLen", [1, 2, 3], ["XS", "S", "L", "XL"]),
        ("--facet eLen --edges eLen=1", [1], ["S", "L"]),
        ("--facet eLen --edges eLen=1,2,5,9", [1, 2, 5, 9], ["B1", "B2", "B3", "B4", "B5"]),
        ("--facet eLen --buckets 3", [1, 2], ["S", "M", "L"]),
        ("--facet eLen --bucketing equal-width --buckets 2", [1.5], ["S", "L"]),
    ],
)
def test_buckets_are_cut_as_told(
    options: str, edges: list[float], levels: list[str], data: Path, run: Run
) -> None:
    content = strict(done(run, f"evaluate gold.txt {BOTH} {options} --format json").out)
    facet = content["settings"]["facets"]["eLen"]
    assert facet["edges"] == pytest.approx(edges)
    found = dict.fromkeys(row["level"] for row in content["rows"] if row["facet"] == "eLen")
    assert len(found) == len(edges) + 1 == len(facet["ranges"])
    assert list(found) == levels


@pytest.mark.parametrize(("told", "expected"), [("undefined", None), ("0", 0.0), ("1", 1.0)])
def test_nothing_over_nothing_is_what_it_is_told_to_be(
    told: str, expected: float | None, data: Path, run: Run
) -> None:
    rows = evaluated(run, f"--system good=good.txt --facet eLen --zero-division {told}")
    assert value(rows, facet="eLen", level="XL", metric="recall") == expected


def test_repairs_of_mentions_and_tokens_are_chosen(data: Path, run: Run) -> None:
    (data / "odd.txt").write_text(GOLD.replace("Bob B-PER", "Bob I-PER"))
    options = "--system odd=odd.txt --train train.txt"
    recalls = {
        repair: value(evaluated(run, f"{options} --repair {repair}"), metric="recall")
        for repair in ("conlleval", "strict", "discard")
    }
    assert recalls == {
        "conlleval": 1.0,
        "strict": pytest.approx(5 / 6),
        "discard": pytest.approx(5 / 6),
    }
    rates = {
        repair: value(
            evaluated(run, f"{options} --token-repair {repair}"),
            facet="hard",
            metric="ter",
            match="bilou",
        )
        for repair in ("strict", "conlleval")
    }
    assert rates == {"strict": pytest.approx(1 / 12), "conlleval": 0.0}
    rows = evaluated(run, f"{options} --token-match io")
    assert (
        value(rows, facet="hard", metric="ter", match="io") == 0.0
    )  # types alone, without boundaries to repair


def test_intervals_hold_the_value_and_are_over_documents_unless_told(data: Path, run: Run) -> None:
    def bounds(options: str = "") -> list[tuple[float, float]]:
        rows = evaluated(run, f"{BOTH} --intervals {options}")
        summary = [
            row
            for row in rows
            if row["run"] is None and row["metric"] in ("recall", "f1") and row["value"] is not None
        ]
        known = [row for row in summary if row["low"] is not None]
        assert known
        assert all(row["low"] <= row["value"] <= row["high"] for row in known)
        assert all(row["caution"] for row in summary)  # so little data
        return [(row["low"], row["high"]) for row in summary]

    assert bounds() == bounds("--resample document") != bounds("--resample sentence")
    assert "[" in done(run, f"evaluate gold.txt {BOTH} --intervals").out


def test_one_file_may_hold_gold_and_several_systems(data: Path, run: Run) -> None:
    columns = [(data / f"{name}.txt").read_text().split("\n") for name in ("gold", "good", "poor")]
    merged = [
        " ".join([a, *(line.split()[1] for line in (b, c))]) if a else ""
        for a, b, c in zip(*columns, strict=True)
    ]
    (data / "all.txt").write_text("\n".join(merged))
    printed = done(
        run,
        "evaluate all.txt::label=1 --system good=all.txt::label=2 --system poor=all.txt "
        "--format conlleval",
    ).out
    assert printed == f"all good 1\n{ONE_BLOCK}\nall poor 1\n{OTHER_BLOCK}"


OUTCOMES = {
    ("gold", "Ada Lovelace"): "wrong boundary",
    ("gold", "Bob"): "correct",
    ("gold", "Paris"): "wrong type",
    ("gold", "France"): "correct",
    ("gold", "Oslo United"): "wrong boundary",
}


def test_every_mention_is_listed_in_the_error_table(data: Path, run: Run) -> None:
    command = "evaluate gold.txt --system poor=poor.txt --train train.txt --errors"
    for name in ("e.csv", "e.jsonl", "e.parquet", "E.CSV"):
        done(run, f"{command} {name}")
    from_csv = list(csv.DictReader(io.StringIO((data / "e.csv").read_text())))
    from_json = [strict(line) for line in (data / "e.jsonl").read_text().splitlines()]
    from_parquet = pyarrow.parquet.read_table(data / "e.parquet").to_pylist()
    assert (
        from_json == from_parquet and (data / "E.CSV").read_text() == (data / "e.csv").read_text()
    )
    assert [row["text"] for row in from_csv] == [row["text"] for row in from_json]
    assert len(from_json) == 12  # six of gold, six predicted
    found = {(row["side"], row["text"]): row["outcome"] for row in from_json[:5]}
    assert found == OUTCOMES
    assert {row["place"] for row in from_json if row["text"] == "Oslo United"} == {"gold.txt:15"}
    assert from_json[0]["tmr"] == "unseen-any unseen-tokens" and from_json[0]["eLen"] == "S"


def test_an_error_table_in_parquet_needs_its_package(
    data: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(__import__("sys").modules, "pyarrow", None)
    outcome = run(*shlex.split("evaluate gold.txt --system good=good.txt --errors e.parquet"))
    assert outcome.code == 2 and "Parquet needs the package pyarrow. Fix: install" in outcome.err
    assert not (data / "e.parquet").exists()


def test_lists_are_printed_instead_of_tables(data: Path, run: Run) -> None:
    command = "evaluate gold.txt --system poor=poor.txt --train train.txt"
    hard = done(run, f"{command} --list hard --format csv").out
    rows = list(csv.DictReader(io.StringIO(hard)))
    [lovelace] = [row for row in rows if (row["facet"], row["token"]) == ("hard", "Lovelace")]
    assert (lovelace["level"], lovelace["count"], lovelace["training labels"]) == (
        "unseen-I",
        "1",
        "–",
    )
    partial = done(run, f"{command} --list partial --format markdown").out
    assert "### Pairs with partial credit" in partial and "| Ada Lovelace | Ada |" in partial
    confusion = done(run, f"{command} --list confusion").out
    assert "Gold types against predicted types" in confusion
    lines = [line.split() for line in confusion.splitlines()]
    assert ["gold", "poor", "1", "LOC", "LOC", "2"] in lines
    assert ["gold", "poor", "1", "LOC", "PER", "1"] in lines
    both = done(run, f"{command} --list confusion --list partial -o out.json").out
    assert both.index("Gold types") < both.index("Pairs with") and "Exact match" not in both
    assert (data / "out.json").exists()


def test_no_partial_pair_is_an_empty_list(data: Path, run: Run) -> None:
    (data / "same.txt").write_text(GOLD)
    assert (
        "Pairs with partial credit"
        in done(run, "evaluate gold.txt --system same=same.txt --list partial").out
    )


# Without facets nobody else asks for the tokens of a single file.
@pytest.mark.parametrize("option", ["--list partial", "--errors e.csv"])
def test_gold_and_system_in_one_file_can_be_listed(option: str, data: Path, run: Run) -> None:
    (data / "both.txt").write_text("Ada B-PER B-PER\nLovelace I-PER O\n")
    outcome = done(run, f"evaluate both.txt::label=1 --system s=both.txt {option}")
    text = (data / "e.csv").read_text() if "e.csv" in option else outcome.out
    assert "Ada Lovelace" in text


def test_lists_are_printed_as_json_if_that_is_asked_for(data: Path, run: Run) -> None:
    assert json.loads(
        done(run, "evaluate gold.txt --system poor=poor.txt --list confusion --format json").out
    )


PLUGIN = """
import numpy as np
from nerscope import Metric, attribute, register_match, register_metric

@attribute("capitals", bucketing="whole-numbers")
def capitals(view):
    return np.array([sum(letter.isupper() for letter in text) for text in view.texts()], float)

register_match("anything", lambda touch: np.ones(len(touch.gold)), credit=1.0)
register_metric(Metric("gold-count", lambda counts: counts.gold, kind="count"))
"""


def test_a_plugin_adds_facets_matches_and_metrics(data: Path, run: Run) -> None:
    (data / "mine.py").write_text(PLUGIN)
    rows = evaluated(
        run,
        f"{BOTH} --plugin mine.py --facet capitals --match anything "
        "--metric gold-count --metric recall",
    )
    assert value(rows, system="poor", metric="recall", match="anything") == pytest.approx(5 / 6)
    assert value(rows, system="poor", metric="gold-count", match="anything") == 6
    sizes = {
        row["level"]: row["n"]
        for row in cells(
            rows, system="good", facet="capitals", type=None, run=None, metric="recall"
        )
    }
    assert sizes == {"XS": 4, "S": 2, "L": 0, "XL": 0}


@pytest.mark.parametrize("workers", [1, 2])
def test_a_plugin_serves_every_worker(workers: int, data: Path, run: Run) -> None:
    (data / "mine.py").write_text(PLUGIN)
    options = "--plugin mine.py --facet capitals --match anything --metric gold-count"
    rows = evaluated(run, f"{BOTH} {options} --workers {workers}")
    assert value(rows, system="poor", metric="gold-count", match="anything") == 6


def test_a_plugin_may_be_loaded_again(data: Path, run: Run) -> None:
    (data / "mine.py").write_text(PLUGIN)
    for _ in range(2):
        evaluated(run, f"{BOTH} --plugin mine.py --facet capitals --match anything")


def test_a_plugin_adds_an_output_for_every_command(data: Path, run: Run) -> None:
    (data / "mine.py").write_text(
        "from nerscope import register_output\n"
        'register_output("titles", lambda one: "".join(f"{t.title}\\n" for t in one.tables))\n'
    )
    shown = done(run, f"evaluate gold.txt {BOTH} --all --plugin mine.py --format titles").out
    assert shown.startswith("Exact match\nF1 by type\n")
    shown = done(run, "validate gold.txt --plugin mine.py --format titles").out
    assert shown == "Invalid labels\n"


@pytest.mark.parametrize("options", ["--workers 2", "--engine pool", "--engine local"])
def test_workers_change_no_byte(options: str, data: Path, run: Run) -> None:
    command = f"evaluate gold.txt {BOTH} --train train.txt --intervals -o"
    done(run, f"{command} alone.json")
    done(run, f"{command} together.json {options}")
    assert (data / "together.json").read_bytes() == (data / "alone.json").read_bytes()


def test_workers_change_no_byte_of_an_experiment(data: Path, run: Run) -> None:
    (data / "e.toml").write_text(EXPERIMENT)
    for name, options in (("alone", ""), ("together", "--workers 2")):
        done(run, f"evaluate e.toml --no-cache -o {name}.json {options}")
    for ending in ("json", "comparison.json"):
        one, other = ((data / f"{name}.{ending}").read_bytes() for name in ("alone", "together"))
        assert one == other


# Where results go


def test_results_go_where_a_link_points(data: Path, run: Run) -> None:
    (data / "deep").mkdir()
    (data / "link.json").symlink_to(Path("deep") / "out.json")
    done(run, f"evaluate gold.txt {BOTH} -o link.json")
    assert (data / "link.json").is_symlink()
    assert strict((data / "deep" / "out.json").read_text())["evidence"]


def test_results_keep_the_mode_of_the_file(data: Path, run: Run) -> None:
    (data / "out.json").write_text("")
    (data / "out.json").chmod(0o640)
    done(run, f"evaluate gold.txt {BOTH} -o out.json")
    assert stat.S_IMODE((data / "out.json").stat().st_mode) == 0o640
    assert strict((data / "out.json").read_text())["evidence"]


def test_results_may_go_nowhere(data: Path, run: Run) -> None:
    outcome = done(run, f"evaluate gold.txt {BOTH} -o {os.devnull}")
    assert "exact match" in outcome.out
    assert stat.S_ISCHR(Path(os.devnull).stat().st_mode)


def test_results_may_go_into_a_pipe(data: Path, run: Run) -> None:
    heard: list[str] = []
    os.mkfifo(data / "pipe")
    reader = threading.Thread(target=lambda: heard.append((data / "pipe").read_text()))
    reader.start()
    done(run, f"evaluate gold.txt {BOTH} -o pipe")
    reader.join(timeout=30)
    assert strict(heard[0])["evidence"]
    assert stat.S_ISFIFO((data / "pipe").stat().st_mode)


EXPERIMENT = """
[settings]
samples = 30
facets = ["tmr", "eLen"]

[datasets.toy]
train = "train.txt"
test = "gold.txt"

[datasets.twin]
train = "gold.txt"
test = "gold.txt"

[systems]
good = "good.txt"
poor = { toy = "poor.txt", twin = "poor.*" }
only = { toy = "gold.txt" }

[compare]
"""


def test_an_experiment_evaluates_and_compares_everything(data: Path, run: Run) -> None:
    (data / "e.toml").write_text(EXPERIMENT)
    outcome = done(run, "evaluate e.toml --format json -o out.json")
    assert "note: twin: only has no output and is left out" in outcome.err
    assert "wrote the comparison to out.comparison.json" in outcome.err and outcome.out == ""
    content = strict(done(run, "show out.json --format json").out)
    comparison = strict((data / "out.comparison.json").read_text())
    systems = {(row["dataset"], row["system"]) for row in content["rows"]}
    assert systems == {
        ("toy", "good"),
        ("toy", "poor"),
        ("toy", "only"),
        ("twin", "good"),
        ("twin", "poor"),
    }
    pairs = {
        (row["system_a"], row["system_b"]) for row in comparison["rows"] if row["dataset"] == "twin"
    }
    assert pairs == {("good", "poor")}
    assert (data / ".nerscope-cache").is_dir()
    again = done(run, "evaluate e.toml --format json")
    without = done(run, "evaluate e.toml --format json --no-cache")
    assert again.out == without.out
    assert strict(again.out)["rows"] == content["rows"]


def test_a_broken_cache_is_said_and_made_again(data: Path, run: Run) -> None:
    (data / "e.toml").write_text(EXPERIMENT)
    first = done(run, "evaluate e.toml --format json").out
    for path in (data / ".nerscope-cache").iterdir():
        path.write_bytes(b"broken")
    outcome = done(run, "evaluate e.toml --format json")
    assert outcome.out == first and "cannot be used" in outcome.err


def test_an_experiment_without_comparison_writes_none(data: Path, run: Run) -> None:
    (data / "e.toml").write_text(
        EXPERIMENT.replace("[compare]", "").replace("samples = 30", "intervals = false")
    )
    done(run, "evaluate e.toml -o out.json --no-cache")
    assert not (data / "out.comparison.json").exists() and not (data / ".nerscope-cache").exists()


def test_equal_datasets_of_two_names_are_both_compared(data: Path, run: Run) -> None:
    (data / "e.toml").write_text(EXPERIMENT.replace('train = "gold.txt"', 'train = "train.txt"'))
    done(run, "evaluate e.toml -o out.json")
    cached = strict((data / "out.comparison.json").read_text())["rows"]
    done(run, "evaluate e.toml -o out.json --no-cache")
    assert cached == strict((data / "out.comparison.json").read_text())["rows"]
    assert {row["dataset"] for row in cached} == {"toy", "twin"}


@pytest.mark.parametrize(
    ("options", "types", "said"),
    [
        ("--map LOC=PLACE", {None, "PER", "PLACE"}, "|map:LOC=PLACE|"),
        ("--map LOC=X --map PER=X", {None, "X"}, "|map:LOC=X+PER=X|"),
        ("--map 'LOC|PER=X'", {None, "X"}, "|map:LOC=X+PER=X|"),
        ("--map MISC=X", {None, "LOC", "PER"}, "|map:MISC=X|"),
    ],
)
def test_types_count_as_others(
    options: str, types: set[str | None], said: str, data: Path, run: Run
) -> None:
    rows = evaluated(run, f"{BOTH} --train train.txt {options}")
    assert {row["type"] for row in rows if row["n"]} == types
    assert said in done(run, f"evaluate gold.txt {BOTH} {options} --signature").out


@pytest.mark.parametrize("text", ["LOC", "=X", "LOC=", "LOC|=X"])
def test_a_rename_that_cannot_be_read_is_refused(text: str, data: Path, run: Run) -> None:
    outcome = run("evaluate", "gold.txt", "--system", "good=good.txt", "--map", text)
    assert outcome.code == 2
    assert f"--map {text}: not of the form OLD=NEW" in outcome.err


def test_repeated_training_files_are_one(data: Path, run: Run) -> None:
    train = (data / "train.txt").read_text()
    first, rest = train.split("\n\n", 1)
    (data / "first.txt").write_text(first + "\n")
    (data / "rest.txt").write_text(rest)
    together = evaluated(run, f"{BOTH} --train train.txt")
    assert evaluated(run, f"{BOTH} --train first.txt --train rest.txt") == together
    lists = [
        done(run, f"evaluate gold.txt {BOTH} {options} --list hard").out
        for options in ("--train train.txt", "--train first.txt --train rest.txt")
    ]
    assert lists[0] == lists[1]


def test_without_texts_results_hold_no_sentence(data: Path, run: Run) -> None:
    done(run, f"evaluate gold.txt {BOTH} --train train.txt --no-text -o bare.json")
    loaded = nerscope.Results.load(data / "bare.json")
    assert [part.texts for part in loaded.evidence] == [None]
    for word in ("Lovelace", "France", "Oslo"):
        assert word not in (data / "bare.json").read_text()
    for command in ("show", "compare", "errors"):
        shown = done(run, f"{command} bare.json {'--samples 10' * (command == 'compare')}").out
        assert shown != "" and "Lovelace" not in shown


def test_hard_tokens_that_a_system_gets_wrong_are_listed(data: Path, run: Run) -> None:
    (data / "train.txt").write_text("Oslo B-LOC\nmet O\n")
    (data / "gold.txt").write_text("Oslo B-PER\nmet O\nEve B-PER\n\nOslo B-PER\n")
    (data / "out.txt").write_text("Oslo B-LOC\nmet O\nEve B-PER\n\nOslo B-PER\n")
    command = "evaluate gold.txt --train train.txt --system s=out.txt --list hard-errors"
    rows = json.loads(done(run, f"{command} --format json").out)[0]["rows"]
    assert [row for row in rows if row["facet"] == "hard"] == [
        {
            "system": "s",
            "run": "1",
            "facet": "hard",
            "level": "diff-E",
            "token": "Oslo",
            "wrong": 1,
            "of": 2,
        }
    ]
    assert (
        "this list needs training data"
        in run(*["evaluate", "gold.txt", "--system", "s=out.txt", "--list", "hard-errors"]).err
    )


@pytest.mark.parametrize("name", ["partial", "confusion", "unaligned", "types"])
def test_mentions_are_kept_for_lists_of_large_data(
    data: Path, run: Run, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    said = [
        f'[{{"text": "Ada", "type": "PER"}}, {{"text": "Eve{k}", "type": "PER"}}]' for k in "ab"
    ]
    sentences = "Ada B-PER\nspoke O\n\nAda B-PER\nleft O\n"
    (data / "two.txt").write_text(sentences)
    (data / "said.jsonl").write_text("\n".join(said))
    command = f"evaluate two.txt --system m=said.jsonl::format=answers --list {name}"
    shown = done(run, command)
    monkeypatch.setattr("nerscope.evaluation.gather.FOLD_ABOVE", 1)
    assert done(run, command).out == shown.out
    assert ("Eve" in shown.out) == (name == "unaligned")


def test_every_unreadable_answer_is_listed_with_its_place(data: Path, run: Run) -> None:
    answers = ['{"response": "I cannot\\nhelp."}', '[{"text": "Ada", "type": "PER"}, {"te', "[]"]
    sentence = "Ada B-PER\nspoke O\n\n"
    (data / "gold.txt").write_text(sentence * 2400)
    (data / "a.jsonl").write_text("\n".join(answers * 400))
    (data / "b.jsonl").write_text("\n".join(answers * 400))
    joined = "m=[ab].jsonl::format=answers,join=yes"
    command = f"evaluate gold.txt --system {joined} --list unreadable --format json"
    rows = json.loads(done(run, command).out)[0]["rows"]
    assert [row["place"] for row in rows] == [
        f"{name}.jsonl:{3 * k + line}" for name in "ab" for k in range(400) for line in (1, 2)
    ]
    assert [(row["problem"], row["answer"]) for row in rows[:2]] == [
        ("no readable JSON", "I cannot help."),
        ("partly readable", '[{"text": "Ada", "type": "PER"}, {"te'),
    ]


@pytest.mark.parametrize(
    ("option", "fix"),
    [
        *((option, "leave it out") for option in ("--checkpoint o", "--keep-mentions")),
        *((option, "leave it out") for option in ("--list types", "--errors o.csv")),
        *((option, "write it into the file") for option in ("--intervals", "--drop PER")),
    ],
)
def test_what_has_no_place_beside_an_experiment_is_told_where_to_go(
    run: Run, option: str, fix: str
) -> None:
    outcome = run(*shlex.split(f"evaluate none.toml {option}"))
    assert outcome.code == 2 and outcome.err.endswith(f"Fix: {fix}\n")


def test_a_checkpoint_stays_until_the_results_are_written(
    data: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(path: str, text: str) -> None:
        raise FaultError(path, "the disk is full", "make room")

    monkeypatch.setattr("nerscope.formats.shards._SHARD_SIZE", 40)
    monkeypatch.setattr("nerscope.formats.cutting._STRETCH", 30)
    command = "evaluate gold.txt --system good=good.txt --workers 1 --checkpoint kept -o out.json"
    with monkeypatch.context() as broken:
        broken.setattr("nerscope.results.files.write_text", full)
        assert run(*command.split()).code == 3
    assert len(list((data / "kept").iterdir())) > 1
    assert run(*command.split()).code == 0
    assert (data / "out.json").exists() and not list((data / "kept").iterdir())


@pytest.mark.parametrize("option", ["", "--checkpoint kept"])
def test_who_stops_it_is_told_what_is_kept(
    data: Path, run: Run, monkeypatch: pytest.MonkeyPatch, option: str
) -> None:
    def stopped(*given: Any, **more: Any) -> NoReturn:
        raise KeyboardInterrupt

    monkeypatch.setattr(import_module("nerscope.evaluation.gather"), "make_plan", stopped)
    outcome = run(*f"evaluate gold.txt --system good=good.txt {option}".split())
    assert outcome.code == 130
    kept = "stopped; finished parts are in kept"
    assert (kept in outcome.err) == bool(option)


def test_errors_are_not_offered_where_they_cannot_be_listed(
    data: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    command = f"evaluate gold.txt {BOTH}"
    assert "saves the results for compare, errors and report" in done(run, command).out
    monkeypatch.setattr("nerscope.evaluation.gather.FOLD_ABOVE", 1)  # sums and a sample are kept
    assert "saves the results for compare, errors and report" in done(run, command).out
    # By exact match alone nothing is paired, so there are no kinds of errors.
    outputs = {"good": data / "good.txt", "poor": data / "poor.txt"}
    only_sums = ns.evaluate(data / "gold.txt", outputs, matches=["exact"])
    [line] = next_steps(only_sums, None)
    assert "saves the results for compare and report" in line


def test_case_may_be_ignored_against_training(data: Path, run: Run) -> None:
    (data / "train.txt").write_text("PARIS B-LOC\n")
    command = "evaluate gold.txt --train train.txt --system s=good.txt --facet tmr --format json"

    def seen(*options: str) -> int:
        found = json.loads(run(*command.split(), *options).out)
        rows = [row for row in found["rows"] if row["level"] == "seen" and row["type"] is None]
        return int(rows[0]["n"])

    assert (seen(), seen("--case", "sensitive"), seen("--case", "fold")) == (0, 0, 1)
    outcome = run(*command.split(), "--case", "lower")
    assert (outcome.code, "case" in outcome.err) == (2, True)


def test_a_description_may_ignore_case_too(data: Path, run: Run) -> None:
    (data / "train.txt").write_text("PARIS B-LOC\n")
    command = "describe --train train.txt --test gold.txt --list hard --format csv"
    assert "unseen-I,Paris,2," in run(*command.split()).out
    assert "unseen-I,Paris,2," not in run(*command.split(), "--case", "fold").out


@pytest.mark.parametrize("files", ["--system good=good.txt", BOTH, f"{BOTH} --train gold.txt"])
def test_every_command_that_is_offered_works(files: str, data: Path, run: Run) -> None:
    shown = done(run, f"evaluate gold.txt {files} -o r.json").out
    offered = re.search(r"\nNext: nerscope (\w+) r\.json; also (.+?)\.( --train|\n|$)", shown)
    assert offered is not None, shown
    for command in [offered[1], *re.split(r", | and ", offered[2])]:
        name, *options = command.split()
        done(run, shlex.join([name, "r.json", *options]))
    assert ("--train FILE adds" in shown) == ("--train" not in files)
    unsaved = done(run, f"evaluate gold.txt {files}").out
    assert "Next: --all shows every table; -o FILE saves the results for " in unsaved
