"""What docs/integrations.md shows for libraries that may be absent, run with stand-ins for them."""

import re
import sys
from collections.abc import Mapping
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

PAGE = Path(__file__).resolve().parents[2] / "docs" / "integrations.md"
TEXT = PAGE.read_text(encoding="utf-8")
NEEDING = dict(re.findall(r"(?s)```python needs=(\w+)\n(.*?)```", TEXT))
FIRST = re.findall(r"(?s)```python\n(.*?)```", TEXT)[0]
ELSEWHERE = {"flair", "spacy"}  # run with the real ones, in tests/lab/extras and tests/peers
METRIC_NAME = re.compile(r"[/\w.\- :]+")  # what MLflow takes


class Log:
    """Stands in for a tracker: it takes what the real one takes, and remembers it."""

    def __init__(self) -> None:
        self.numbers: dict[str, float] = {}
        self.steps: set[int] = set()
        self.config: dict[str, str] = {}

    def __enter__(self) -> "Log":
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def log(self, numbers: Mapping[str, float], step: int) -> None:
        for name, value in numbers.items():
            assert METRIC_NAME.fullmatch(name)
            assert type(value) is float
        self.numbers |= numbers
        self.steps.add(step)

    def add_scalar(self, name: str, value: float, global_step: int) -> None:
        self.log({name: value}, global_step)


def stand_ins(log: Log) -> dict[str, Any]:
    mlflow = SimpleNamespace(
        start_run=lambda: log, log_metrics=log.log, set_tag=log.config.__setitem__
    )
    return {
        "mlflow": mlflow,
        "wandb": SimpleNamespace(init=lambda project: log),
        "torch": ModuleType("torch"),
        "torch.utils": ModuleType("torch.utils"),
        "torch.utils.tensorboard": SimpleNamespace(SummaryWriter=lambda: log),
    }


@pytest.mark.parametrize("library", sorted(set(NEEDING) - ELSEWHERE))
def test_trackers_take_what_the_page_logs(library: str, monkeypatch: pytest.MonkeyPatch) -> None:
    log = Log()
    for name, module in stand_ins(log).items():
        monkeypatch.setitem(sys.modules, name, module)
    names: dict[str, Any] = {"__name__": "__example__"}
    exec(compile(FIRST, "first", "exec"), names)
    exec(compile(NEEDING[library], library, "exec"), names)
    assert log.numbers == names["results"].scalars()
    assert log.steps == {3}


def test_every_example_is_run_somewhere() -> None:
    assert set(NEEDING) == ELSEWHERE | {"mlflow", "tensorboard", "wandb"}
