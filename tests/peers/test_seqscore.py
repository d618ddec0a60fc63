"""SeqScore and what explain says of it: every repair, every scheme, equal to the last digit."""

from pathlib import Path

import pytest
from seqscore.encoding import EncodingError, get_encoding
from seqscore.scoring import score_label_sequences
from tests.peers.beside import LETTERS, REFUSED, ours
from tests.peers.generated import Labels, alphabet, corpora
from tests.peers.real import SYSTEMS, label_pair

from nerscope.compat.peers.tools import PeerScore

REPAIRS = ("conlleval", "discard", "none")
ENCODINGS = {scheme: "IOB" if scheme == "iob1" else scheme.upper() for scheme in LETTERS}
EACH = 3_000  # corpora of each scheme: 21,000 in all, with every repair


def theirs(gold: Labels, predicted: Labels, scheme: str, repair: str) -> PeerScore:
    """SeqScore's numbers; it raises three kinds of errors where it will not score.

    Its command line asks first whether the encoding has the repair, whatever the labels.
    """
    if repair not in ("none", *get_encoding(ENCODINGS[scheme]).supported_repair_methods()):
        return REFUSED
    try:
        found, _ = score_label_sequences(
            predicted, gold, ENCODINGS[scheme], repair=None if repair == "none" else repair
        )
    except (EncodingError, NotImplementedError, ValueError):
        return REFUSED
    return PeerScore(
        found.precision, found.recall, found.f1, found.total_ref, found.total_pos, found.true_pos
    )


@pytest.mark.parametrize("repair", REPAIRS)
@pytest.mark.parametrize("scheme", LETTERS)
def test_generated_corpora(scheme: str, repair: str) -> None:
    drawn = list(corpora(41, EACH, alphabet(LETTERS[scheme])))
    for (gold, predicted), own in zip(
        drawn, ours(f"SeqScore {repair}", drawn, scheme), strict=True
    ):
        assert own == theirs(gold, predicted, scheme, repair), (gold, predicted)


@pytest.mark.parametrize("scheme", LETTERS)
def test_some_corpora_are_refused_and_some_are_not(scheme: str) -> None:
    drawn = list(corpora(41, EACH, alphabet(LETTERS[scheme])))
    refused = [own == REFUSED for own in ours("SeqScore none", drawn, scheme)]
    assert any(refused) != (scheme == "io")
    assert not all(refused)


@pytest.mark.corpora
@pytest.mark.parametrize(("dataset", "system"), SYSTEMS)
def test_real_corpora(dataset: str, system: str, shared: Path) -> None:
    gold, predicted = label_pair(shared, dataset, system)
    for repair in REPAIRS:
        own = next(ours(f"SeqScore {repair}", [(gold, predicted)], "bio"))
        assert own == theirs(gold, predicted, "bio", repair), repair


# What differs, and is said in docs/why-tools-disagree.md.


def test_the_command_line_stops_at_letters_that_the_functions_repair() -> None:
    gold, predicted = [["B-PER", "E-PER"]], [["B-PER", "O"]]
    assert theirs(gold, predicted, "bio", "conlleval").gold == 2
    assert next(ours("SeqScore conlleval", [(gold, predicted)], "bio")) == REFUSED
