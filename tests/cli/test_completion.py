"""Completion: what shells ask, what they are told, and the scripts that make them ask."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
import typer
from tests.cli.conftest import Run

from nerscope.cli.main import application, main
from nerscope.cli.options import NAMES

COMMANDS = typer.main.get_command(application()).commands  # type: ignore[attr-defined]


def told(
    line: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> list[str]:
    """What bash is told for the last word of a line."""
    monkeypatch.setenv("_NERSCOPE_COMPLETE", "complete_bash")
    monkeypatch.setenv("COMP_WORDS", line)
    monkeypatch.setenv("COMP_CWORD", str(line.count(" ")))
    monkeypatch.setattr("sys.argv", ["nerscope"])
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 0
    return capsys.readouterr().out.split()


@pytest.mark.parametrize(
    ("line", "some"),
    [
        # commands and options
        ("nerscope ev", ["evaluate"]),
        ("nerscope --show", ["--show-completion"]),
        ("nerscope evaluate --fa", ["--facet"]),
        ("nerscope gate --max", ["--max-drop", "--max-total-drop"]),
        # names
        ("nerscope evaluate --facet tm", ["tmr"]),
        ("nerscope evaluate --match over", ["overlap"]),
        ("nerscope compare r.json --metric prec", ["precision"]),
        ("nerscope gate r.json --format gi", ["github"]),
        ("nerscope evaluate --format conll", ["conlleval"]),
        ("nerscope evaluate --repair dis", ["discard"]),
        ("nerscope evaluate --engine p", ["pool"]),
        ("nerscope compare r.json --correction bon", ["bonferroni"]),
        ("nerscope compare r.json --method boo", ["bootstrap"]),
        ("nerscope convert a b --to bil", ["bilou"]),
        ("nerscope validate --scheme iob", ["iob1"]),
        ("nerscope baseline --recipe dic", ["dictionary"]),
        ("nerscope plot r.json heat", ["heatmap"]),
        ("nerscope explain surf", ["surface"]),
        # files are the shell's own matter
        ("nerscope validate ", []),
        ("nerscope evaluate --train x", []),
        ("nerscope evaluate --facet nothing", []),
    ],
)
def test_a_word_is_finished(
    line: str,
    some: list[str],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert told(line, monkeypatch, capsys) == some


@pytest.mark.parametrize("name", NAMES)
def test_every_name_belongs_to_a_command(name: str) -> None:
    assert name in {one.name for command in COMMANDS.values() for one in command.params}


@pytest.mark.parametrize(
    ("shell", "part"),
    [
        ("bash", "complete -o default -F _nerscope_completion nerscope\n"),
        ("zsh", "#compdef nerscope\n"),
        ("fish", "complete --command nerscope "),
        ("powershell", "Register-ArgumentCompleter "),
    ],
)
def test_each_shell_has_its_script(shell: str, part: str, run: Run) -> None:
    outcome = run("--show-completion", shell)
    assert (outcome.code, outcome.err) == (0, "")
    assert part in outcome.out


@pytest.mark.parametrize("option", ["--show-completion", "--install-completion"])
def test_a_shell_that_is_not_known_is_refused(
    option: str, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    outcome = run(option, "ksh")
    assert outcome.code == 2
    assert outcome.err.startswith(f"nerscope: {option}: unknown name 'ksh'. Fix: ")
    assert not list(tmp_path.iterdir())


def test_completion_is_installed_where_the_shell_looks(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Path, "home", lambda: tmp_path)
    outcome = run("--install-completion", "bash")
    assert outcome.code == 0
    (script,) = (tmp_path / ".bash_completions").iterdir()
    assert str(script) in outcome.out
    assert str(script) in (tmp_path / ".bashrc").read_text(encoding="utf-8")


def test_bash_finishes_a_line(tmp_path: Path, run: Run) -> None:
    """The script in a real shell, which starts nerscope by its name."""
    program = tmp_path / "nerscope"
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m nerscope "$@"\n')
    program.chmod(0o755)
    script = run("--show-completion", "bash").out + (
        "COMP_WORDS=(nerscope show r.json --match muc-t) COMP_CWORD=4\n"
        '_nerscope_completion nerscope\nprintf "%s\\n" "${COMPREPLY[@]}"\n'
    )
    path = os.pathsep.join([str(tmp_path), os.environ["PATH"]])
    shell = ["bash", "-c", script]
    done = subprocess.run(shell, env={**os.environ, "PATH": path}, capture_output=True, text=True)
    assert (done.stdout, done.stderr) == ("muc-type\n", "")
