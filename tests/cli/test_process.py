"""The command line as a process: streams, exit codes, terminals, and being stopped."""

import io
import json
import subprocess
import sys
from pathlib import Path

import pytest
import typer
from tests.cli.conftest import Run

from nerscope.cli import common
from nerscope.cli.common import emit_and_exit, print_output, progress, status_line
from nerscope.cli.main import main
from nerscope.errors import OutputError
from nerscope.render.document import Document


def nerscope(*arguments: str, folder: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "nerscope", *arguments]
    return subprocess.run(
        command, cwd=folder, capture_output=True, text=True, encoding="utf-8", timeout=60
    )


def test_an_evaluation_ends_with_0_and_speaks_on_standard_output(data: Path) -> None:
    done = nerscope("evaluate", "gold.txt", "--system", "good=good.txt", folder=data)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("good on gold: exact match\n")


def test_a_check_that_says_no_ends_with_1(data: Path) -> None:
    (data / "odd.txt").write_text("a O\nb I-X\n")
    done = nerscope("validate", "odd.txt::scheme=bio", folder=data)
    assert (done.returncode, done.stderr) == (1, "")
    assert done.stdout.startswith("odd.txt:2: I-X after O\n")


def test_bad_input_ends_with_2_and_speaks_on_standard_error(data: Path) -> None:
    done = nerscope(
        "evaluate", "gold.txt", "--system", "good=none.txt", "-o", "out.json", folder=data
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "nerscope: none.txt: no such file. Fix: check the path\n"
    assert not list(data.glob("*out.json*"))


def test_a_reader_that_goes_away_changes_no_exit_code(data: Path) -> None:
    (data / "odd.txt").write_text("a I-X\n\n" * 60_000)
    command = [sys.executable, "-m", "nerscope", "validate", "odd.txt::scheme=bio"]
    with subprocess.Popen(
        command, cwd=data, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdout is not None and process.stderr is not None
        assert process.stdout.readline() == b"odd.txt:1: I-X after the sentence start\n"
        process.stdout.close()
        said = process.stderr.read()
    assert (process.returncode, said) == (1, b"")  # the labels are as wrong as before


def test_an_interrupt_inside_a_command_ends_with_130(
    data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*arguments: object, **options: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("nerscope.formats.base.source_named", interrupted)
    monkeypatch.setattr("sys.argv", ["nerscope", "validate", "gold.txt"])
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 130


def test_an_interrupt_outside_of_commands_ends_with_130(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupted(**options: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("nerscope.cli.main.get_command", lambda app: interrupted)
    with pytest.raises(SystemExit) as ended:
        main()
    assert (ended.value.code, capsys.readouterr().err) == (130, "nerscope: stopped\n")


def shell(command: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run a line of bash that fails if any part of a pipe does."""
    line = f"set -o pipefail; {command.replace('nerscope ', f'{sys.executable} -m nerscope ')}"
    return subprocess.run(
        ["bash", "-c", line], cwd=folder, capture_output=True, text=True, timeout=120
    )


@pytest.fixture
def worse(data: Path, run: Run) -> Path:
    """Results that a gate must stop."""
    many = "".join(f"w{number} B-PER\n\n" for number in range(60))
    (data / "many.txt").write_text(many)
    (data / "worse.txt").write_text(many.replace("B-PER", "O", 30))
    for name in ("many", "worse"):
        command = f"evaluate many.txt --system s={name}.txt -o {name}.json --dataset d"
        assert run(*command.split()).code == 0
    return data


GATE = "nerscope gate worse.json --baseline many.json"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("command", "code"),
    [
        (f"{GATE} | true", 1),
        (f"{GATE} | head -c 1", 1),
        (f"{GATE} --format json | true", 1),
        (f"{GATE} --format junit | true", 1),
        (f"{GATE} --format github | true", 1),
        (f"{GATE} --max-drop 1 | true", 1),
        (f"{GATE} --max-drop 33 | true", 1),
        (f"{GATE} --max-drop 33 --undecided pass | true", 0),
        ("nerscope gate worse.json --floor 70 | true", 1),
        (f"{GATE} --max-drop 60 | true", 0),
        ("nerscope validate many.txt --scheme bioes | true", 1),
        ("nerscope validate many.txt | true", 0),
        ("nerscope evaluate many.txt --system s=many.txt -o out.json | true", 0),
        ("nerscope evaluate many.txt --system s=none.txt | true", 2),
    ],
)
def test_a_closed_pipe_keeps_the_exit_code(command: str, code: int, worse: Path) -> None:
    for _ in range(2):  # whether the reader is gone in time is a matter of luck
        done = shell(command, worse)
        assert done.returncode == code, done.stderr
        assert "Traceback" not in done.stderr
        assert "BrokenPipe" not in done.stderr


def test_files_are_complete_though_nobody_reads(data: Path) -> None:
    (data / "many.txt").write_text("a B-PER\n\n" * 5_000)
    done = shell(
        "nerscope evaluate many.txt --system s=many.txt --format csv -o out.json | true", data
    )
    assert done.returncode == 0, done.stderr
    assert json.loads((data / "out.json").read_text())["evidence"]


@pytest.mark.slow(quick=1)
@pytest.mark.parametrize(
    "command",
    [
        "nerscope evaluate gold.txt --system s=good.txt --list partial -o /dev/stdout | cat",
        "nerscope evaluate gold.txt --system s=good.txt -o >(cat >heard) >/dev/null; "
        "for k in {1..20}; do test -s heard && break; sleep 0.1; done; cat heard",
    ],
    ids=["standard output", "another program"],
)
def test_results_may_be_handed_to_the_next_program(command: str, data: Path) -> None:
    done = shell(command, data)
    assert done.stdout.startswith('{"nerscope":'), done.stderr


@pytest.mark.slow(quick=1)
@pytest.mark.parametrize(
    "command",
    [
        "evaluate gold.txt --system s=good.txt >/dev/full",
        "evaluate gold.txt --system s=good.txt -o /dev/full",
        "validate gold.txt >/dev/full",
        "--version >/dev/full",
    ],
)
def test_a_full_disk_is_a_fault(command: str, data: Path) -> None:
    done = shell(f"nerscope {command}", data)
    assert done.returncode == 3
    assert "No space left on device" in done.stderr
    assert done.stderr.count("\n") == 1


# No plug-in fails so by itself: it breaks the program from within.
ODD = """
import sys
import nerscope.evaluation.evaluate

class Odd(Exception):
    pass

def broken(*given, **more):
    raise Odd("nobody expects this")

sys.modules["nerscope.evaluation.gather"].make_plan = broken
"""


@pytest.mark.slow
def test_what_nobody_expected_ends_with_3_in_one_line(data: Path) -> None:
    (data / "odd.py").write_text(ODD)
    command = "nerscope evaluate gold.txt --system s=good.txt --plugin odd.py"
    done = shell(f"{command} -o out.json", data)
    assert (done.returncode, done.stdout) == (3, "")
    assert done.stderr.startswith("nerscope: internal error (Odd: nobody expects this). ")
    assert done.stderr.count("\n") == 1
    assert not (data / "out.json").exists()
    loud = shell(f"NERSCOPE_TRACEBACK=1 {command}", data)
    assert loud.returncode == 3
    assert "Traceback" in loud.stderr


def test_a_document_is_printed_after_its_files_are_written(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    said: list[str] = []

    def made() -> str:
        said.append(capsys.readouterr().out)
        return "whole"

    with pytest.raises(typer.Exit) as ended:
        emit_and_exit(
            Document(lines=["printed"], notes=["noted"]),
            "text",
            files={str(tmp_path / "a"): made, str(tmp_path / "b"): lambda: b"bytes"},
            code=1,
        )
    assert ended.value.exit_code == 1
    assert said == [""]
    assert capsys.readouterr() == ("printed\nnote: noted\n", "")
    assert [(tmp_path / name).read_text() for name in "ab"] == ["whole", "bytes"]


def test_a_file_that_cannot_be_written_leaves_nothing_printed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(OutputError):
        emit_and_exit(Document(lines=["printed"]), "text", files={str(tmp_path): lambda: ""})
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize(("encoding", "shown"), [("utf-8", "Zoë –"), ("ascii", r"Zo\xeb \u2013")])
def test_what_the_terminal_cannot_show_is_spelt_out(
    encoding: str, shown: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with open(tmp_path / "out", "w", encoding=encoding) as stream:
        monkeypatch.setattr("sys.stdout", stream)
        print_output("Zoë –")
    assert (tmp_path / "out").read_text(encoding=encoding) == shown


def test_control_characters_of_a_file_do_not_reach_the_terminal(data: Path) -> None:
    (data / "odd.txt").write_text("Ada\x1b[31m X-PER\n")
    done = shell("nerscope validate 'odd.txt' $'no\\x1b[31mne.txt'", data)
    assert done.returncode == 2
    assert "\x1b" not in done.stderr + done.stdout


class Terminal(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        return True


def on_terminal(monkeypatch: pytest.MonkeyPatch) -> Terminal:
    stream = Terminal()
    monkeypatch.setattr("sys.stderr", stream)
    return stream


def test_steps_are_shown_on_a_terminal_and_wiped_off(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = on_terminal(monkeypatch)
    with status_line() as say:
        say("reading")
        say("scoring")
    assert terminal.getvalue() == "\r\033[Kreading\r\033[Kscoring\r\033[K"


def test_steps_are_silent_elsewhere(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(common, "_PATIENCE", -1.0)
    with status_line() as say:
        say("reading")
    with progress("scoring") as report:
        report(1000)
    assert capsys.readouterr() == ("", "")


def test_progress_is_shown_only_when_work_takes_its_time(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = on_terminal(monkeypatch)
    with progress("scoring") as report:
        report(1000)
    assert "scoring" not in terminal.getvalue()
    monkeypatch.setattr(common, "_PATIENCE", -1.0)
    with progress("scoring") as report:
        report(1000)
    assert terminal.getvalue().endswith("\r\033[Kscoring: 1,000 sentences\r\033[K")


def test_progress_of_a_command_is_wiped_off_the_terminal(
    data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    terminal = on_terminal(monkeypatch)
    monkeypatch.setattr(common, "_PATIENCE", -1.0)
    monkeypatch.setattr(
        "sys.argv", ["nerscope", "evaluate", "gold.txt", "--system", "good=good.txt"]
    )
    with pytest.raises(SystemExit) as ended:
        main()
    assert not ended.value.code and terminal.getvalue() == "\r\033[Kscoring: 3 sentences\r\033[K"
