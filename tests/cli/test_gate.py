"""`nerscope gate` on the command line: conditions, outputs and exit codes."""

import csv
import io
import json
import re
import shlex
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
from tests.cli.conftest import Outcome, Run

GATE = "gate worse.json --baseline many.json"
FIELDS = (
    *("dataset", "system", "against", "cell", "type", "match", "metric", "n", "new", "old"),
    *("drop", "low", "high", "p", "e_value", "new_low", "new_high", "detectable"),
    *("clusters", "differing", "over", "alpha", "compared", "rule", "verdict", "failed"),
)


def gated(run: Run, command: str, code: int = 0) -> Outcome:
    outcome = run(*shlex.split(command))
    assert outcome.code == code, outcome.err or outcome.out
    return outcome


@pytest.fixture
def worse(data: Path, run: Run) -> Path:
    """Results of a system that found all of 60 mentions, and half of them later."""
    many = "".join(f"w{number} B-PER\n\n" for number in range(60))
    (data / "many.txt").write_text(many)
    (data / "worse.txt").write_text(many.replace("B-PER", "O", 30))
    for name in ("many", "worse"):
        gated(run, f"evaluate many.txt --system s={name}.txt -o {name}.json --dataset d")
    return data


def test_the_same_results_pass(results: Path, run: Run) -> None:
    outcome = gated(run, "gate results.json --baseline results.json")
    heading, *lines = outcome.out.splitlines()
    assert heading == "2 conditions: 2 ok"
    assert [line.split(":")[0] for line in lines] == ["ok", "ok"]
    assert "toy, good, F1: " in outcome.out
    assert outcome.out.count("unchanged, n = ") == 2


@pytest.mark.parametrize(
    ("options", "code", "line"),
    [
        # a drop
        ("", 1, "FAIL: d, s, recall: 50.00 against 100.00, worse by 50.00 points ("),
        ("--system s", 1, "FAIL: d, s, recall: "),
        ("--max-drop 20 --undecided pass", 1, "FAIL: d, s, recall: "),
        ("--max-drop 45", 1, "UNDECIDED: d, s, recall: "),
        ("--max-drop 60", 1, "UNDECIDED: d, s, recall: "),
        ("--max-drop 60 --undecided pass", 0, "undecided: d, s, recall: "),
        ("--max-drop 60 --alpha 0.3", 0, "ok: d, s, recall: "),
        ("--max-drop 80", 0, "ok: d, s, recall: "),
        # a floor
        (
            "--floor 50",
            0,
            "ok: d, s, recall: 50.00, n = 60; rule: floor 50 (point estimate)\n",
        ),
        (
            "--floor 50.1",
            1,
            "FAIL: d, s, recall: 50.00, n = 60; rule: floor 50.1 (point estimate)\n",
        ),
        ("--floor 50 --floor-rule interval", 1, "UNDECIDED: d, s, recall: 50.00 ["),
        ("--floor 20 --floor-rule interval", 0, "ok: d, s, recall: 50.00 ["),
        # a reference, and always-valid bounds
        (
            "--max-drop 80 --reference many.json --max-total-drop 1",
            1,
            "2 conditions: 1 FAIL, 1 ok\n",
        ),
        ("--max-drop 95 --always-valid --tuned-to 20", 0, "ok: d, s, recall: 50.00 against "),
        ("--floor 40 --max-drop 1", 1, "FAIL: d, s, recall: 50.00 against 100.00"),
        # a type
        ("--floor 50 --type PER", 0, "ok: d, s, recall on type PER: 50.00, n = 60"),
    ],
)
def test_each_rule_has_its_exit_code(
    options: str, code: int, line: str, worse: Path, run: Run
) -> None:
    outcome = gated(run, f"{GATE} --metric recall {options}", code)
    assert outcome.err == ""
    assert outcome.out.startswith(line)


def test_a_verdict_says_the_bounds_n_and_the_rule(worse: Path, run: Run) -> None:
    out = gated(run, f"{GATE} --max-drop 0.5", 1).out
    assert re.search(
        r"worse by 33\.33 points \(one-sided 95 % bounds \d\d\.\d\d to \d\d\.\d\d\), "
        r"n = 60, 30 of 60 sentences differ; rule: max_drop 0.5\n$",
        out,
    )
    assert "one-sided 90 % bounds" in gated(run, f"{GATE} --alpha 0.1", 1).out


def test_an_undecided_verdict_says_what_the_test_set_could_show(worse: Path, run: Run) -> None:
    out = gated(run, f"{GATE} --max-drop 33", 1).out
    words = "the true drop may be below or above the allowed one"
    shown = r"; this test set detects (\d+\.\d\d) points with 80 % power\n$"
    found = re.search(f"rule: max_drop 33; {words}{shown}", out)
    assert found is not None
    (record,) = json.loads(gated(run, f"{GATE} --format json", 1).out)["verdicts"]
    assert found[1] == f"{record['detectable']:.2f}"


@pytest.mark.parametrize("gone", ["--margin 1", "--samples 100", "--seed 1"])
def test_options_of_resampling_are_gone(gone: str, worse: Path, run: Run) -> None:
    assert f"No such option: {gone.split()[0]}" in gated(run, f"{GATE} {gone}", 2).err


def test_a_gain_passes(worse: Path, run: Run) -> None:
    gated(run, "gate many.json --baseline worse.json")


def test_a_floor_needs_no_baseline(worse: Path, run: Run) -> None:
    gated(run, "gate worse.json --floor 60")
    gated(run, "gate worse.json --floor 70", 1)


def test_cells_are_judged_in_the_order_told(results: Path, run: Run) -> None:
    outcome = gated(
        run,
        "gate results.json --baseline results.json --metric recall "
        "--facet tmr=seen --facet all --system good",
    )
    lines = outcome.out.splitlines()[1:]
    assert [line.split(", ")[2].split(":")[0] for line in lines] == [
        "recall on mentions seen in training (tmr=seen)",
        "recall",
    ]


def test_any_match_may_be_judged_over_documents_or_sentences(results: Path, run: Run) -> None:
    command = "gate results.json --baseline results.json --system good"
    for options in (
        "--match overlap",
        "--match label --metric accuracy",
        "--resample document",
        "--resample sentence",
    ):
        assert gated(run, f"{command} {options}").out.startswith("ok: toy, good, ")


def test_programs_are_told_everything(results: Path, run: Run) -> None:
    command = "gate results.json --baseline results.json --facet tmr=tcm-all --metric recall"
    found = json.loads(gated(run, f"{command} --format json").out)["verdicts"]
    assert [(one["system"], one["cell"], one["verdict"]) for one in found] == [
        ("good", "tmr=tcm-all", "ok"),
        ("poor", "tmr=tcm-all", "ok"),
    ]
    assert tuple(found[0]) == FIELDS
    rows = list(csv.DictReader(io.StringIO(gated(run, f"{command} --format csv").out)))
    assert (len(rows), tuple(rows[0])) == (2, FIELDS)
    table = gated(run, f"{command} --format markdown").out
    assert "| Condition | New | Baseline | Drop in points [bounds] | Rule | Verdict |" in table
    assert re.search(r"\(tmr=tcm-all\) \| .* \| 0\.00 .*\| max_drop 1 \| ok \|", table)
    cases = ET.fromstring(gated(run, f"{command} --format junit").out).findall(".//testcase")
    assert [case.get("classname") for case in cases] == ["toy, good", "toy, poor"]
    notices = gated(run, f"{command} --format github").out.splitlines()
    assert [line.split(" ")[0] for line in notices] == ["::notice", "::notice"]


@pytest.mark.parametrize(
    ("options", "junit", "github"),
    [
        ("--max-drop 1", "failure", "::error"),
        ("--max-drop 33", "failure", "::error"),
        ("--max-drop 33 --undecided pass", "skipped", "::warning"),
        ("--max-drop 90", "system-out", "::notice"),
    ],
)
def test_build_servers_are_told_what_is_undecided(
    options: str, junit: str, github: str, worse: Path, run: Run
) -> None:
    code = 1 if junit == "failure" else 0
    report = gated(run, f"{GATE} {options} --format junit", code).out
    (case,) = ET.fromstring(report).findall(".//testcase")
    assert [part.tag for part in case] == ["properties", junit]
    assert gated(run, f"{GATE} {options} --format github", code).out.startswith(f"{github} title=")


CONDITIONS = """# what a release must fulfil
[[condition]]
metric = "recall"
floor = 40

[[condition]]
facet = "all"
level = "all"
type = "PER"
match = "exact"
system = "s"
dataset = "d"
max_drop = 80
alpha = 0.1

[[condition]]
max_drop = 1.5
"""


def test_conditions_come_from_a_file(worse: Path, run: Run) -> None:
    (worse / "gate.toml").write_text(CONDITIONS)
    heading, *out = gated(run, f"{GATE} --conditions gate.toml", 1).out.splitlines()
    assert heading == "3 conditions: 1 FAIL, 2 ok"
    assert [line.split(": ")[0] for line in out] == ["FAIL", "ok", "ok"]
    assert [line.split("rule: ")[1] for line in out] == [
        "max_drop 1.5",
        "floor 40 (point estimate)",
        "max_drop 80",
    ]


def test_a_junit_file_is_written_beside_the_log(worse: Path, run: Run) -> None:
    outcome = gated(run, f"{GATE} --metric recall --junit report.xml", 1)
    assert outcome.out.startswith("FAIL: d, s, recall: ")
    alone = gated(run, f"{GATE} --metric recall --format junit", 1)
    assert (worse / "report.xml").read_text() == alone.out
    before = (worse / "worse.json").read_bytes()
    gated(run, f"{GATE} --junit worse.json", 2)
    assert (worse / "worse.json").read_bytes() == before


def test_a_junit_file_says_that_the_gate_could_not_decide(worse: Path, run: Run) -> None:
    (worse / "report.xml").write_text("the report of an earlier run")
    message = gated(run, "gate worse.json --baseline gone.json --junit report.xml", 2).err
    assert message.startswith("nerscope: gone.json: no such file. Fix: ")
    root = ET.parse(worse / "report.xml").getroot()
    assert {key: root.get(key) for key in ("tests", "failures", "errors")} == {
        "tests": "1",
        "failures": "0",
        "errors": "1",
    }
    (error,) = root.findall(".//testcase/error")
    assert message == f"nerscope: {error.get('message')}\n"


def test_failed_verdicts_come_before_undecided_ones(worse: Path, run: Run) -> None:
    rules = "\n".join(f"[[condition]]\nmax_drop = {drop}" for drop in (90, 33, 1))
    (worse / "gate.toml").write_text(rules)
    heading, *lines = gated(run, f"{GATE} --conditions gate.toml", 1).out.splitlines()
    assert heading == "3 conditions: 1 FAIL, 1 UNDECIDED, 1 ok"
    assert [line.split(":")[0] for line in lines] == ["FAIL", "UNDECIDED", "ok"]


def test_bounds_over_few_clusters_are_called_rough(data: Path, run: Run) -> None:
    few = "".join(f"w{number} B-PER\n\n" for number in range(4))
    (data / "few.txt").write_text(few)
    (data / "half.txt").write_text(few.replace("B-PER", "O", 2))
    for name in ("few", "half"):
        gated(run, f"evaluate few.txt --system s={name}.txt -o {name}.json --dataset d")
    note = "d: bounds over only 4 sentences are rough"
    assert note in gated(run, "gate half.json --baseline few.json", 1).out
    assert "rough" not in gated(run, "gate few.json --baseline few.json").out


@pytest.mark.parametrize(
    ("before", "after", "place", "fact"),
    [
        # the file
        ("metric =", "metric", "gate.toml:3", "it is not TOML"),
        ("[[condition]]", "[[conditions]]", "gate.toml:2", "unknown key 'conditions'"),
        pytest.param(CONDITIONS, f"a = {'[' * 9000}", "gate.toml", "it is not TOML", id="deep"),
        (CONDITIONS, "", "gate.toml", "it has no condition"),
        (CONDITIONS, "condition = []", "gate.toml", "it has no condition"),
        (
            CONDITIONS,
            "[condition]\nfloor = 1",
            "gate.toml:1",
            "'condition' is not a list of tables",
        ),
        (CONDITIONS, "\ncondition = [1]", "gate.toml:2", "'condition' is not a list of tables"),
        # keys and kinds
        ("max_drop = 1.5", "max-drop = 1.5", "gate.toml:17", "unknown key 'max-drop'"),
        ("max_drop = 1.5", "margin = 1.5", "gate.toml:17", "unknown key 'margin'"),
        ("floor = 40", "", "gate.toml:2", "it has no rule"),
        ("floor = 40", 'floor = "40"', "gate.toml:4, floor", "invalid value '40'"),
        ("floor = 40", "floor = true", "gate.toml:4, floor", "invalid value True"),
        ("floor = 40", "floor = nan", "gate.toml:4, floor", "invalid value nan"),
        ("floor = 40", "floor = -inf", "gate.toml:4, floor", "invalid value -inf"),
        ("floor = 40", f"floor = 1{'0' * 400}", "gate.toml:4, floor", "invalid value 1000"),
        ("max_drop = 80", "max_drop = -1", "gate.toml:13, max_drop", "invalid value -1"),
        ("alpha = 0.1", "alpha = 1", "gate.toml:14, alpha", "invalid value 1"),
        ('type = "PER"', "type = 5", "gate.toml:9, type", "invalid value 5"),
        ('"recall"', '""', "gate.toml:3, metric", "invalid value ''"),
        # what the results do not have
        ('"recall"', '"recal"', "gate.toml:3, metric 'recal'", "did you mean 'recall'?"),
        ('facet = "all"', 'facet = "al"', "gate.toml:7, facet 'al'", "did you mean 'all'?"),
        ('level = "all"', 'level = "al"', "gate.toml:8, level 'al'", "did you mean 'all'?"),
        ('"PER"', '"PRE"', "gate.toml:9, type 'PRE'", "did you mean 'PER'?"),
        ('"exact"', '"exat"', "gate.toml:10, match 'exat'", "did you mean 'exact'?"),
        ('system = "s"', 'system = "t"', "gate.toml:11, system 't'", "it is not in the results"),
        ('dataset = "d"', 'dataset = "e"', "gate.toml:12, dataset 'e'", "it is not in the results"),
    ],
)
def test_a_fault_in_the_file_is_told_with_its_line(
    before: str, after: str, place: str, fact: str, worse: Path, run: Run
) -> None:
    assert before in CONDITIONS
    (worse / "gate.toml").write_text(CONDITIONS.replace(before, after))
    outcome = gated(run, f"{GATE} --conditions gate.toml", 2)
    assert outcome.out == ""
    assert outcome.err.startswith(f"nerscope: {place}: ")
    assert fact in outcome.err and outcome.err.count("\n") == 1


def test_conditions_that_compare_need_a_baseline(worse: Path, run: Run) -> None:
    (worse / "gate.toml").write_text(CONDITIONS)
    outcome = gated(run, "gate worse.json --conditions gate.toml", 2)
    assert outcome.err.startswith("nerscope: gate.toml:6: max_drop needs a baseline")


@pytest.mark.slow(quick=10)
@pytest.mark.parametrize("name", ["</testcase>", "a\"b'c&d", "::error::x", "%0A::error", "<!--"])
@pytest.mark.parametrize("form", ["text", "junit", "github", "json", "csv", "markdown", "latex"])
def test_names_stay_text(name: str, form: str, worse: Path, run: Run) -> None:
    assert run("evaluate", "many.txt", "--system", "s=worse.txt", "--dataset", name, "-o", "x.json")
    outcome = run("gate", "x.json", "--floor", "80", "--format", form)
    assert (outcome.code, outcome.err) == (1, "")
    if form == "junit":
        (case,) = ET.fromstring(outcome.out).findall(".//testcase")
        assert case.get("classname") == f"{name}, s"
    if form == "github":
        (line,) = outcome.out.splitlines()
        assert line.startswith("::error title=fail%3A ")
        assert "%0A::error" not in line.replace("%250A", "")
