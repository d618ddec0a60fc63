"""What the tests beside other tools share: generated corpora, and the real ones where they are."""

from collections.abc import Callable, Iterator

import pytest
from tests.peers.generated import Labels, corpora

Generator = Callable[..., Iterator[tuple[Labels, Labels]]]


@pytest.fixture(scope="session")
def generator() -> Generator:
    """Generated corpora: `generator(seed, count, labels, shortest=0)`; see generated.py."""
    return corpora
