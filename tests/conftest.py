"""What all tests share."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import hypothesis
import pytest

from nerscope.engines.base import ENGINES
from nerscope.facets.facet import FACETS
from nerscope.formats.base import FORMATS
from nerscope.registry import FactoryRegistry, Registry
from nerscope.render.document import OUTPUTS
from nerscope.scoring.matching import MATCHES
from nerscope.scoring.metrics import METRICS
from nerscope.stats.paired import METHODS

# Generated cases are the same in every run of the continuous integration: what fails there fails at
# home.
hypothesis.settings.register_profile("ci", derandomize=True, deadline=None)
hypothesis.settings.register_profile("home", deadline=None)
hypothesis.settings.load_profile("ci" if os.environ.get("CI") else "home")
SHARED = Path(__file__).resolve().parents[2] / "shared"
# Tests that are about a POSIX shell, its pipes and signals, or links and modes of files.
POSIX = (
    "tests/attack/test_files.py",
    "tests/attack/test_outputs.py",
    "tests/cli/test_bad_input.py::test_an_output_is_never_an_input_nor_another_output",
    "tests/cli/test_completion.py::test_bash_finishes_a_line",
    "tests/cli/test_evaluate.py::test_results_go_where_a_link_points",
    "tests/cli/test_evaluate.py::test_results_keep_the_mode_of_the_file",
    "tests/cli/test_evaluate.py::test_results_may_go_into_a_pipe",
    "tests/cli/test_process.py",
    "tests/engines/test_pool.py::test_workers_end_with_a_map_that_nobody_finishes",
    "tests/evaluation/test_refusals.py::test_two_outputs_are_never_the_same_file",
    "tests/formats/test_reading.py::test_a_pipe_is_read_once_and_kept",
    "tests/project/test_regressions.py",
    "tests/project/test_sessions.py",
    "tests/project/test_workflows.py::test_the_gate_of_the_workflow_judges",
    "tests/lab/test_run.py",
    "tests/results/test_files.py",
)
# Tests that write to a device that is always full, which Linux alone has.
FULL_DEVICE = (
    "tests/attack/test_outputs.py",
    "tests/cli/test_process.py::test_a_full_disk_is_a_fault",
    "tests/results/test_files.py::test_a_full_device_is_a_fault",
)
# Tests of processes that are copied, or left behind where Linux lists them.
PROCESSES = (
    "tests/engines/test_pool.py::test_a_copy_knows_what_cannot_be_sent",
    "tests/engines/test_stopping.py",
)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if "corpora" in item.keywords and not (SHARED / "corpora").is_dir():
            item.add_marker(pytest.mark.skip(reason="the checking corpora are not here"))
        if os.name == "nt" and item.nodeid.startswith(POSIX):
            item.add_marker(pytest.mark.skip(reason="this system has no POSIX shell"))
        if not Path("/dev/full").exists() and item.nodeid.startswith(FULL_DEVICE):
            item.add_marker(pytest.mark.skip(reason="this system has no full device"))
        if not Path("/proc/self/stat").exists() and item.nodeid.startswith(PROCESSES):
            item.add_marker(pytest.mark.skip(reason="this system has no list of processes"))


@pytest.fixture
def shared() -> Path:
    return SHARED


@pytest.fixture
def registries() -> Iterator[None]:
    """Whatever a test registers is gone afterwards."""
    everyone: tuple[Registry[Any], ...] = (
        *(ENGINES, FACETS, FORMATS, MATCHES),
        *(METHODS, METRICS, OUTPUTS),
    )
    for registry in everyone:
        registry.load()  # what comes later would be gone too, and never come again
    before = [dict(registry._things) for registry in everyone]
    yield
    for registry, things in zip(everyone, before, strict=True):
        registry._things.clear()
        registry._things.update(things)
        if isinstance(registry, FactoryRegistry):
            registry.instances.clear()
