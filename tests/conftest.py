"""What all tests share."""

from pathlib import Path

import pytest

SHARED = Path(__file__).resolve().parents[2] / "shared"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if "corpora" in item.keywords and not (SHARED / "corpora").is_dir():
            item.add_marker(pytest.mark.skip(reason="the checking corpora are not here"))


@pytest.fixture
def shared() -> Path:
    return SHARED
