"""What nerscope says that a tool would say, for many corpora at once."""

from collections.abc import Iterator, Sequence
from itertools import accumulate, pairwise

from tests.peers.generated import Labels

from nerscope.compat.peers.readers import READERS
from nerscope.compat.peers.tools import PEERS, PeerScore, judge
from nerscope.corpus.schemes import scheme_named

LETTERS = {
    "bio": "BI",
    "iob1": "IB",
    "io": "I",
    "bioes": "BIES",
    "bilou": "BILU",
    "bmes": "BMES",
    "bmeow": "BMEW",
}
REFUSED = PeerScore(None, None, None, None, None, None)


def ours(name: str, corpora: Sequence[tuple[Labels, Labels]], scheme: str) -> Iterator[PeerScore]:
    """What a tool would say of each corpus; all are read at once, since that is quick."""
    peer, known = PEERS[name], scheme_named(scheme)
    sides = [[sentence for one in side for sentence in one] for side in zip(*corpora, strict=True)]
    gold, pred = (READERS[peer.reader](side, known) for side in sides)
    edges = accumulate((len(one) for one, _ in corpora), initial=0)
    for begin, end in pairwise(edges):
        yield judge(peer, gold[begin:end], pred[begin:end]).score
