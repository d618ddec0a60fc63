"""The peers are the ones that the documentation speaks of."""

from importlib.metadata import version

import pytest

PEERS = {"seqeval": "1.2.2", "nervaluate": "1.2", "seqscore": "0.9", "spacy": "3.8"}


@pytest.mark.parametrize(("peer", "release"), PEERS.items())
def test_the_peer_is_the_release_that_the_drop_in_follows(peer: str, release: str) -> None:
    assert version(peer).startswith(release)
