"""The command line as a process: streams, exit codes, terminals, and being stopped."""

import io
import subprocess
import sys
from pathlib import Path

import pytest

from nerscope.cli import common
from nerscope.cli.common import progress, shown, steps, table_of
from nerscope.cli.main import main


def nerscope(*arguments: str, folder: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "nerscope", *arguments]
    return subprocess.run(
        command, cwd=folder, capture_output=True, text=True, encoding="utf-8", timeout=60
    )


def test_an_evaluation_ends_with_0_and_speaks_on_standard_output(data: Path) -> None:
    done = nerscope("evaluate", "gold.txt", "--system", "good=good.txt", folder=data)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("Exact match\n")


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
    assert done.stderr == "nerscope: none.txt: no such file. Remedy: check the path\n"
    assert not list(data.glob("*out.json*"))


def test_a_reader_that_goes_away_is_no_failure(data: Path) -> None:
    (data / "odd.txt").write_text("a I-X\n\n" * 60_000)
    command = [sys.executable, "-m", "nerscope", "validate", "odd.txt::scheme=bio"]
    with subprocess.Popen(
        command, cwd=data, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdout is not None and process.stderr is not None
        assert process.stdout.readline() == b"odd.txt:1: I-X after the sentence start\n"
        process.stdout.close()
        said = process.stderr.read()
    assert (process.returncode, said) == (0, b"")


def test_an_interrupt_inside_a_command_ends_with_130(
    data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*arguments: object, **options: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("nerscope.dataset.validate.violations", interrupted)
    monkeypatch.setattr("sys.argv", ["nerscope", "validate", "gold.txt"])
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 130


def test_an_interrupt_outside_of_commands_ends_with_130(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupted(**options: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("nerscope.cli.main.app", interrupted)
    with pytest.raises(SystemExit) as ended:
        main()
    assert (ended.value.code, capsys.readouterr().err) == (130, "nerscope: stopped\n")


def test_a_broken_pipe_outside_of_commands_ends_with_0_and_writes_no_more(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(**options: object) -> None:
        raise BrokenPipeError

    monkeypatch.setattr("nerscope.cli.main.app", broken)
    with open(tmp_path / "out", "w") as stream:
        monkeypatch.setattr("sys.stdout", stream)
        with pytest.raises(SystemExit) as ended:
            main()
        stream.write("too late")
    assert ended.value.code == 0 and (tmp_path / "out").read_text() == ""


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
    with steps() as say:
        say("reading")
        say("scoring")
    assert terminal.getvalue() == "\r\033[Kreading\r\033[Kscoring\r\033[K"


def test_steps_are_silent_elsewhere(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(common, "_PATIENCE", -1.0)
    with steps() as say:
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


@pytest.mark.parametrize(
    ("value", "text"), [(None, "–"), (0.123456, "0.1235"), (12, "12"), ("x", "x"), (1e-9, "1e-09")]
)
def test_values_are_shown_short(value: object, text: str) -> None:
    assert shown(value) == text


def test_rows_of_different_keys_share_one_table() -> None:
    table = table_of("T", [{"a": 1}, {"b": 0.5, "a": None}])
    assert table.header == ("a", "b")
    assert [[cell.text for cell in row] for row in table.rows] == [["1", "–"], ["–", "0.5"]]
    assert table_of("T", []).rows == ()
