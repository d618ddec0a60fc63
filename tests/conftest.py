"""What all tests share."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from nerscope.facets.facet import FACETS
from nerscope.registry import Registry
from nerscope.scoring.matching import MATCHES
from nerscope.scoring.metrics import METRICS

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
    everyone: tuple[Registry[Any], ...] = (FACETS, MATCHES, METRICS)
    before = [dict(registry._things) for registry in everyone]
    yield
    for registry, things in zip(everyone, before, strict=True):
        registry._things.clear()
        registry._things.update(things)
