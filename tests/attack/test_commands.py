"""Commands of plans: whatever files are called, a command gets them, and no name runs as code."""

import json
from pathlib import Path

import pytest

from nerscope.errors import FaultError
from nerscope.lab.plan import load_plan
from nerscope.lab.run import run_plan

TEXT = "Ada B-PER\nsleeps O\n\nRome B-LOC\n\n"

NAMES = [
    "a b.txt",
    "$(touch pwned).txt",
    "`touch pwned`.txt",
    "'; touch pwned; '.txt",
    '"; touch pwned; ".txt',
    "a\\'b\\\\c.txt",
    "\n touch pwned\n.txt",
    "a & touch pwned & b.txt",
    "*.txt",
    "~root.txt",
    "${IFS}!!#%s.txt",
    "-rf.txt",
    "EOF\ntouch pwned\nEOF\n.txt",
]
COMMANDS = [
    "cp {test} {output}",
    "cp \"{test}\" '{output}'",
    'sh -c "cp {test} {output}"',
    "sh -c 'cp \"{test}\" {output}'",
    "sh -c \"sh -c 'cp {test} {output}'\"",
    'dd "if={test}" of={output} 2>/dev/null',
    "t={test} o={output}; cp $t $o",
    'T={test} sh -c \'cp "$T" "{output}"\'',
    "sh <<EOF\ncp {test} {output}\nEOF",
    "sh <<'EOF'\ncp \"{test}\" {output}\nEOF",
    "eval cp {test} {output}",
    "bash <<'EOF'\ncp $'{test}' $'{output}'\nEOF",
    "python3 -c \"import shutil; shutil.copy('{test}', r'{output}')\"",
    "cat \\{test} > {output} || cat {test} > {output}",
    "cat $(echo {test}) > `echo {output}`",
]


def plan_text(command: str, name: str) -> str:
    files = f"train = {json.dumps(name)}\ntest = {json.dumps(name)}\n"
    return f"[datasets.d]\n{files}[systems.s]\ncommand = {json.dumps(command)}\n"


def outcome(folder: Path, command: str, name: str) -> str:
    """Run a plan with one command; returns why it failed."""
    folder.mkdir()
    (folder / name).write_text(TEXT)
    (folder / "plan.toml").write_text(plan_text(command, name))
    ran = run_plan(load_plan(folder / "plan.toml"), folder=folder / "runs")
    assert not list(folder.rglob("pwned"))
    assert not [path.name for path in (folder / "runs").iterdir() if "draft" in path.name]
    return ran.outcomes[0].fact


@pytest.mark.parametrize("command", COMMANDS)
def test_a_placeholder_may_be_anywhere(tmp_path: Path, command: str) -> None:
    assert outcome(tmp_path / "it's; touch pwned", command, "$(touch pwned) `x` a.txt") == ""


@pytest.mark.parametrize("name", NAMES)
def test_a_file_may_have_any_name(tmp_path: Path, name: str) -> None:
    command = 'sh -c "sh -c \'cp {test} {output}\' && test -e \\"{train}\\""'
    assert outcome(tmp_path / "plain", command, name.replace("*", "[*]")) == ""


def test_a_pattern_of_files_is_no_file_for_a_command(tmp_path: Path) -> None:
    for part in "ab":
        (tmp_path / f"part {part}.txt").write_text(TEXT)
    (tmp_path / "plan.toml").write_text(plan_text("cp {test} {output}", "part *.txt"))
    with pytest.raises(FaultError, match="not a single local file"):
        run_plan(load_plan(tmp_path / "plan.toml"))
