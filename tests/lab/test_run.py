"""Running plans: nothing is trained twice, whatever happens, and a failed job stops no other."""

import json
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from nerscope.errors import FaultError, NerscopeError, OutputError, UsageError
from nerscope.lab.run import RUNS, PlanResult, run_plan
from nerscope.lab.workspace import OUTPUT, RECORD, locked

from .conftest import DATA, MEMORY, TEST, TRAIN, Planned

# Notes each start in a file, and labels as the test file does.
COUNTED = "echo {seed} >> started; cp {test} {output}"


def counted(seeds: str = "[1, 2, 3]", before: str = "") -> str:
    return f"{DATA}[systems.copy]\ncommand = {json.dumps(before + COUNTED)}\nseeds = {seeds}\n"


def starts(folder: Path) -> list[str]:
    return (folder / "started").read_text().split()


def started(folder: Path, *options: str) -> "subprocess.Popen[str]":
    command = [sys.executable, "-m", "nerscope", "run", str(folder / "plan.toml"), *options]
    return subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=folder
    )


def numbers(ran: PlanResult) -> list[Any]:
    return [(row["system"], row["run"], row["metric"], row["value"]) for row in ran.results.rows]


@pytest.mark.slow
def test_every_seed_of_every_system_is_a_run(planned: Planned, folder: Path) -> None:
    ran = run_plan(planned(counted() + MEMORY))
    defined = [row for row in ran.results.rows if row["run"] is None and row["value"] is not None]
    assert {(row["system"], row["runs"]) for row in defined} == {("copy", 3), ("memory", 1)}
    assert ran.results.value(system="copy", metric="f1") == 1.0
    assert starts(folder) == ["1", "2", "3"]


def test_records_of_jobs_say_what_they_cost(planned: Planned) -> None:
    [memory] = run_plan(planned(DATA + MEMORY)).jobs
    assert (memory["system"], memory["dataset"], memory["seed"], memory["run"]) == (
        "memory",
        "toy",
        1,
        "1",
    )
    assert memory["seconds"] > 0
    assert sys.platform == "win32" or memory["peak_mb"] > 1
    assert set(memory["versions"]) == {"nerscope", "python"}


@pytest.mark.slow
def test_what_is_done_is_not_done_again(planned: Planned, folder: Path) -> None:
    first = run_plan(planned(counted()))
    again = run_plan(planned(counted("[1, 2, 3, 4]").replace("copy]", "renamed]")))
    assert starts(folder) == ["1", "2", "3", "4"]
    assert numbers(again)[: len(numbers(first))] != []
    assert len(again.outcomes) == 4


def test_systems_with_the_same_content_are_trained_once(planned: Planned, folder: Path) -> None:
    twin = counted("[1]") + counted("[1]").replace(DATA, "").replace("copy]", "twin]")
    ran = run_plan(planned(twin))
    assert starts(folder) == ["1"]
    assert ran.results.systems == ["copy", "twin"]


def test_a_system_without_chance_is_trained_once_and_is_every_run(planned: Planned) -> None:
    ran = run_plan(planned("[protocol]\nseeds = [1, 2, 3]\n" + DATA + MEMORY))
    [row] = ran.results.select(run=None, facet="all", type=None, match="exact", metric="f1")
    assert (row["runs"], row["std"]) == (3, 0.0)
    assert len({one.output for one in ran.outcomes}) == 1
    assert not ran.results.notes()


@pytest.mark.slow(quick=1)
@pytest.mark.parametrize("harm", [OUTPUT, RECORD])
def test_a_damaged_job_is_done_again(planned: Planned, folder: Path, harm: str) -> None:
    run_plan(planned(counted("[1]")))
    [damaged] = (folder / RUNS).glob(f"*/{harm}")
    damaged.write_text("x O\n")
    assert run_plan(planned(counted("[1]"))).results.value(metric="f1") == 1.0
    assert starts(folder) == ["1", "1"]


@pytest.mark.slow(quick=1)
@pytest.mark.parametrize(
    ("command", "fact"),
    [
        ("echo oh dear; exit 3; {output}", "exit code 3"),
        ("echo {output}", "it wrote no output"),
        ("head -n 4 {test} > {output}", "differs|ends after"),
        ("sed s/Ada/Eve/ {test} > {output}", "differs"),
        ("printf '\\\\0' > {output}", "NUL"),
        ("kill -9 $$; {output}", "signal 9"),
    ],
)
def test_a_command_that_fails_is_said_and_the_others_go_on(
    planned: Planned, folder: Path, command: str, fact: str
) -> None:
    bad = f'[systems.bad]\ncommand = "{command}"\n'
    ran = run_plan(planned(DATA + bad + MEMORY))
    failed, memory = ran.outcomes
    assert failed.output is None
    assert fact in failed.fact or any(one in failed.fact for one in fact.split("|"))
    assert failed.log.is_file()
    assert "draft" not in failed.fact
    assert memory.output is not None
    assert ran.results.systems == ["memory"]


@pytest.mark.slow
def test_a_command_that_hangs_is_stopped_with_all_it_started(
    planned: Planned, folder: Path
) -> None:
    hanging = '[systems.slow]\ncommand = "sleep 61.25 & sleep 61.5; {output}"\ntimeout = 1\n'
    ran = run_plan(planned(DATA + hanging + MEMORY))
    assert "exceeded its timeout of 1 s" in ran.outcomes[0].fact
    assert ran.outcomes[1].output is not None
    assert not running("sleep 61")


def test_what_a_command_leaves_in_the_background_ends_with_the_job(
    planned: Planned, folder: Path
) -> None:
    leaving = '[systems.left]\ncommand = "sleep 63.5 & cp {test} {output}"\n'
    assert run_plan(planned(DATA + leaving)).results.value(metric="f1") == 1.0
    assert not running("sleep 63.5")


@pytest.mark.slow
def test_a_failure_is_forgotten_once_the_job_succeeds(planned: Planned, folder: Path) -> None:
    text = DATA + '[systems.late]\ncommand = "test -e go && cp {test} {output}"\n' + MEMORY
    run_plan(planned(text))
    assert list((folder / RUNS).glob("*.failed"))
    (folder / "go").touch()
    assert run_plan(planned(text)).results.value(system="late", metric="f1") == 1.0
    assert not list((folder / RUNS).glob("*.failed"))


def running(words: str) -> bool:
    found = subprocess.run(["pgrep", "-f", f"^{words}"], capture_output=True, check=False)
    return bool(found.stdout.strip())


@pytest.mark.parametrize(
    ("text", "fact"),
    [
        (DATA + '[systems]\nx = "none-*.txt"\n', "no output of any system"),
        ('[protocol]\ndata = ["none"]\nfolds = 2\n' + MEMORY, "cannot be read"),
    ],
)
def test_a_plan_without_files_is_refused(planned: Planned, text: str, fact: str) -> None:
    with pytest.raises(NerscopeError, match=fact):
        run_plan(planned(text))


def test_a_folder_that_is_a_file_is_refused(planned: Planned, folder: Path) -> None:
    with pytest.raises(OutputError, match="cannot be written"):
        run_plan(planned(DATA + MEMORY), folder=folder / "test.conll")


def test_a_plan_of_which_nothing_succeeds_is_a_fault(planned: Planned) -> None:
    plan = planned(DATA + '[systems.bad]\ncommand = "exit 1; {output}"\n')
    with pytest.raises(FaultError, match="no job produced an output"):
        run_plan(plan)


@pytest.mark.slow
@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT])
def test_a_plan_that_was_stopped_goes_on_where_it_was(
    planned: Planned, folder: Path, how: signal.Signals
) -> None:
    whole = counted(before="test -e go || test {seed} -lt 2 || sleep 62.5; ")
    planned(whole)
    process = started(folder)
    deadline = time.monotonic() + 60
    while not (running("sleep 62.5")) and time.monotonic() < deadline:
        time.sleep(0.05)
    process.send_signal(how)
    _, errors = process.communicate(timeout=60)
    assert process.returncode == (-9 if how == signal.SIGKILL else 130), errors
    deadline = time.monotonic() + 20
    while running("sleep 62.5") and time.monotonic() < deadline:
        time.sleep(0.1)
    assert not running("sleep 62.5")  # its child ends with it
    assert starts(folder) == ["1"]
    (folder / "go").touch()
    again = run_plan(planned(whole))
    assert starts(folder) == ["1", "2", "3"]
    assert not list((folder / RUNS).glob(".draft-*"))
    fresh = run_plan(planned(whole), folder=folder / "fresh")
    assert numbers(again) == numbers(fresh)


def test_two_programs_do_not_work_in_one_folder(planned: Planned, folder: Path) -> None:
    with locked(folder / RUNS), pytest.raises(OutputError, match="another run is using"):
        run_plan(planned(DATA + MEMORY))


@pytest.mark.slow
def test_jobs_may_run_at_once(planned: Planned, folder: Path) -> None:
    # Each waits for the other: one after the other, they would never end.
    meet = "touch at{seed}; until test -e at1 -a -e at2; do sleep 0.02; done; "
    text = counted("[1, 2]", before=meet) + "timeout = 30\n"
    ran = run_plan(planned(text), jobs=2)
    assert [one.fact for one in ran.outcomes] == ["", ""]


@pytest.mark.slow
def test_larger_context_is_taken_back_before_evaluation(planned: Planned, folder: Path) -> None:
    lines = '[systems.lines]\ncommand = "grep -c ^$ {test} > blanks; cp {test} {output}"\n'
    plain = run_plan(planned(DATA + lines))
    blanks = int((folder / "blanks").read_text())
    joined = run_plan(planned(DATA + lines + "context = 3\n" + MEMORY + "context = 2\n"))
    assert int((folder / "blanks").read_text()) < blanks
    assert joined.results.value(system="lines", metric="f1") == 1.0
    assert plain.results.value(system="lines", metric="f1") == 1.0
    memory = next(one for one in joined.outcomes if one.job.system.name == "memory")
    assert memory.output is not None
    sentences = Path(memory.output.partition("::")[0]).read_text().strip().split("\n\n")
    assert len(sentences) == len(TEST.strip().split("\n\n"))


@pytest.mark.slow
def test_a_protocol_makes_its_splits_once(planned: Planned, folder: Path) -> None:
    text = '[protocol]\ndata = ["train.conll", "test.conll"]\nleave_out = true\n'
    text += "allow_leaks = true\n" + MEMORY
    ran = run_plan(planned(text))
    assert {part.dataset for part in ran.results.evidence} == {"train", "test"}
    made = sorted((folder / RUNS).glob("splits-*/*/*"))
    before = [path.stat().st_mtime_ns for path in made]
    run_plan(planned(text))
    assert made
    assert [path.stat().st_mtime_ns for path in made] == before


def test_larger_context_is_refused_where_neighbours_are_torn_apart(planned: Planned) -> None:
    text = '[protocol]\ndata = ["train.conll"]\nrandom = 1\ntest = 0.4\nby = "sentence"\n'
    with pytest.raises(UsageError, match="separate neighbouring sentences"):
        run_plan(planned(text + MEMORY + "context = 2\n"))


@pytest.mark.slow
def test_data_that_change_between_two_runs_are_noticed(planned: Planned, folder: Path) -> None:
    plan = planned(DATA + MEMORY)
    before = run_plan(plan).results.value(metric="recall")
    (folder / "train.conll").write_text("nothing O\n")
    assert run_plan(plan).results.value(metric="recall") == 0.0 != before


@pytest.mark.parametrize("options", [{"workers": 0}, {"engine": "nope"}, {"jobs": 0}])
def test_what_cannot_evaluate_is_refused_before_anything_is_trained(
    planned: Planned, folder: Path, options: dict[str, Any]
) -> None:
    with pytest.raises(UsageError):
        run_plan(planned(DATA + MEMORY), **options)
    assert not list((folder / RUNS).glob("dictionary-*"))


def test_a_recipe_without_its_library_is_refused_at_once(
    planned: Planned, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("nerscope.lab.recipe.find_spec", lambda name: None)
    with pytest.raises(UsageError, match=r"pip install 'nerscope\[crf\]'"):
        run_plan(planned(DATA + MEMORY + '[systems.crf]\nrecipe = "crf"\n'))


def test_files_may_be_quoted_in_a_command(planned: Planned, folder: Path) -> None:
    quoted = '[systems.q]\ncommand = "cp \\"{test}\\" \'{output}\'"\n'
    place = folder / "a folder with blanks"
    assert run_plan(planned(DATA + quoted), folder=place).results.value(metric="f1") == 1.0


@pytest.mark.slow
def test_the_last_words_of_a_failed_command_are_told(planned: Planned) -> None:
    bad = '[systems.bad]\ncommand = "echo oh dear; exit 3; {output}"\n'
    assert "(before that: oh dear)" in run_plan(planned(DATA + bad + MEMORY)).outcomes[0].fact


@pytest.mark.slow
def test_plugins_reach_the_jobs(planned: Planned, folder: Path) -> None:
    plugin = folder / "mine.py"
    plugin.write_text(
        "import nerscope\n"
        "@nerscope.register_recipe('plugged')\n"
        "def plugged(lesson):\n"
        "    return [['B-PER'] * len(words) for words in lesson.test]\n"
    )
    (folder / "plan.toml").write_text(DATA + '[systems.p]\nrecipe = "plugged"\n')
    process = started(folder, "--plugin", str(plugin), "--format", "json")
    out, errors = process.communicate(timeout=120)
    assert process.returncode == 0, errors
    assert json.loads(out)["jobs"][0]["recipe"] == "plugged"
    assert (folder / RUNS).is_dir()


PARTS = '[datasets.toy]\ntrain = ["a.conll", "b.conll"]\ntest = "test.conll"\n'


def in_two_files(folder: Path) -> None:
    first, rest = TRAIN.split("\n\n", 1)
    (folder / "a.conll").write_text(first + "\n")
    (folder / "b.conll").write_text(rest)


def test_a_recipe_learns_from_all_training_files(planned: Planned, folder: Path) -> None:
    in_two_files(folder)
    whole, joined = (run_plan(planned(data + MEMORY)) for data in (DATA, PARTS))
    assert numbers(joined) == numbers(whole)


@pytest.mark.slow
@pytest.mark.parametrize("context", [1, 2])
def test_a_command_gets_all_training_files_as_one(
    planned: Planned, folder: Path, context: int
) -> None:
    in_two_files(folder)
    command = "grep -c . {train} > lines; grep -c ^$ {train} >> lines; cp {test} {output}"
    system = f"[systems.copy]\ncommand = {json.dumps(command)}\ncontext = {context}\n"
    run_plan(planned(PARTS + system))
    lines, breaks = map(int, (folder / "lines").read_text().split())
    assert lines == TRAIN.replace("\n\n", "\n").count("\n")
    assert breaks == (3 if context == 1 else 2)


def test_a_change_of_any_training_file_is_another_job(planned: Planned, folder: Path) -> None:
    in_two_files(folder)
    run_plan(planned(PARTS + MEMORY))
    (folder / "b.conll").write_text("x O\n")
    run_plan(planned(PARTS + MEMORY))
    assert len(list((folder / RUNS).glob("dictionary-*"))) == 2
