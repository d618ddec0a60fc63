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
from nerscope.registry import Families, Registry
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


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if "corpora" in item.keywords and not (SHARED / "corpora").is_dir():
            item.add_marker(pytest.mark.skip(reason="the checking corpora are not here"))


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
    before = [dict(registry._things) for registry in everyone]
    yield
    for registry, things in zip(everyone, before, strict=True):
        registry._things.clear()
        registry._things.update(things)
        if isinstance(registry, Families):
            registry._made.clear()
