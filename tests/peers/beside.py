"""A tool's numbers beside ours: what nerscope says it would say, and the real corpora."""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import cache
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import NamedTuple

from tests.peers.generated import Labels, alphabet

from nerscope.compat.peers.credits import Score
from nerscope.compat.peers.readers import READERS
from nerscope.compat.peers.table import PEERS, judged
from nerscope.corpus.corpus import Corpus
from nerscope.corpus.schemes import scheme_named
from nerscope.formats.base import read
from nerscope.formats.conll import ConllFile

LETTERS = {
    "bio": "BI",
    "iob1": "IB",
    "io": "I",
    "bioes": "BIES",
    "bilou": "BILU",
    "bmes": "BMES",
    "bmeow": "BMEW",
}
DATASETS = (
    *("btc", "conll2002_es", "conll2003", "masakhaner2_hau", "masakhaner2_pcm"),
    *("reconll", "uner_da_ddt", "wnut17"),
)
CORPORA = Path(__file__).resolve().parents[3] / "shared" / "corpora"
REFUSED = Score(None, None, None, None, None, None)


def ours(name: str, corpora: Iterable[tuple[Labels, Labels]], scheme: str) -> Iterator[Score]:
    """What a tool would say of each corpus; all are read at once, since that is quick."""
    peer, known = PEERS[name], scheme_named(scheme)
    sides = [[sentence for one in side for sentence in one] for side in zip(*corpora, strict=True)]
    gold, pred = (READERS[peer.reader](side, known) for side in sides)
    sizes = [0]
    for one, _ in corpora:
        sizes.append(sizes[-1] + len(one))
    for begin, end in pairwise(sizes):
        yield judged(peer, gold[begin:end], pred[begin:end]).score


class Real(NamedTuple):
    """A real corpus and a real output for it, or gold with labels drawn anew for want of one."""

    name: str
    words: list[list[str]]
    gold: Labels
    predicted: Labels


@cache
def real(dataset: str) -> list[Real]:
    """The test set of a dataset with the output of each system, of several runs the first."""
    file = ConllFile(CORPORA / dataset / "test.txt")
    corpus = read(replace(file, token=1, label=2) if dataset == "uner_da_ddt" else file)
    words = [corpus.words(sentence) for sentence in range(len(corpus))]
    gold = labels_of(corpus)
    paths = sorted((CORPORA / dataset / "systems").glob("*.txt"))
    outputs = {
        path.stem: path for path in paths if not path.stem.endswith((".2", ".3", ".4", ".5"))
    }
    found = {name: labels_of(read(ConllFile(path))) for name, path in outputs.items()}
    found = found or {"drawn": _drawn_anew(gold)}
    return [Real(name, words, gold, predicted) for name, predicted in found.items()]


def labels_of(corpus: Corpus) -> Labels:
    assert corpus.labels is not None
    texts = corpus.coding.labels.spell(corpus.scheme)
    flat = [texts[code] for code in corpus.labels.tolist()]
    return [flat[begin:end] for begin, end in pairwise(corpus.starts.tolist())]


def _drawn_anew(gold: Labels) -> Labels:
    """One label in twenty is another one."""
    random = Random(len(gold))
    types = sorted({label[2:] for sentence in gold for label in sentence if label != "O"})
    others = ["O", *alphabet("BI", types)]
    return [
        [random.choice(others) if random.random() < 0.05 else label for label in sentence]
        for sentence in gold
    ]
