"""What pytest collects: everything, or with `--quick` what a newcomer waits for."""

from importlib.util import find_spec
from typing import Any

import hypothesis
import pytest

collect_ignore_glob = [] if find_spec("torch") else ["src/nerscope/lab/neural/*"]
# `--quick` tries this share of the generated examples that a test asks for, and at least so many.
QUICK_SHARE, FEWEST_EXAMPLES = 0.1, 5


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--quick",
        action="store_true",
        help="leave out tests marked slow, and try a tenth of the generated examples",
    )


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if config.getoption("--quick"):
        selected, slow = split_slow(items)
        # The cases of a parametrised test share one function.
        for function in {getattr(item, "obj", None) for item in selected}:
            reduce_examples(function)
        config.hook.pytest_deselected(items=slow)
        items[:] = selected


def split_slow(items: list[pytest.Item]) -> tuple[list[pytest.Item], list[pytest.Item]]:
    """Divide tests into those of a quick run and the slow ones.

    `@pytest.mark.slow` leaves a test out; `@pytest.mark.slow(quick=2)` leaves the first two cases
    of a parametrised test in, so that a quick run still enters the code that it protects.
    """
    selected, slow = [], []
    cases_taken: dict[str, int] = {}
    for item in items:
        mark = item.get_closest_marker("slow")
        test = item.nodeid.partition("[")[0]
        if mark is None or cases_taken.get(test, 0) < mark.kwargs.get("quick", 0):
            cases_taken[test] = cases_taken.get(test, 0) + 1
            selected.append(item)
        else:
            slow.append(item)
    return selected, slow


def reduce_examples(function: Any) -> None:
    # A profile would not do: most tests say themselves how many examples they need. Hypothesis
    # keeps that on the function, and offers no other way to change it after decoration.
    settings = getattr(function, "_hypothesis_internal_use_settings", None)
    if settings is not None and getattr(function, "is_hypothesis_test", False):
        fewer = max(FEWEST_EXAMPLES, int(settings.max_examples * QUICK_SHARE))
        function._hypothesis_internal_use_settings = hypothesis.settings(
            settings, max_examples=min(fewer, settings.max_examples)
        )
