"""The command line in this process, on a folder of small data, for every attack."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.attack.harness import Case, check, format_1_bytes, results_bytes
from tests.cli.conftest import Run
from tests.cli.conftest import data as data
from tests.cli.conftest import forget_plugins as forget_plugins
from tests.cli.conftest import run as run

Attack = Callable[[Case], None]


@pytest.fixture
def attack(data: Path, run: Run) -> Attack:
    """Prepare what a case needs, run it, and hold the outcome against all rules."""
    (data / "results.json").write_bytes(results_bytes())

    def go(case: Case) -> None:
        for name, content in case.files.items():
            path = data / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content.encode() if isinstance(content, str) else content)
        if case.damage is not None:
            content = json.loads(format_1_bytes())
            case.damage(content)
            (data / "bad.json").write_text(json.dumps(content), encoding="utf-8")
        if case.before is not None:
            case.before(data)
        check(case, data, run)

    return go
