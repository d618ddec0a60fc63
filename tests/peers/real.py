"""The labels of real corpora, read with as little as possible."""

from pathlib import Path
from random import Random

from tests.peers.generated import Labels

LABEL_COLUMN = {"uner_da_ddt": 2}
MODELS = ("afriberta", "afroxlmr", "mbert", "mdeberta", "rembert", "xlmrbase", "xlmrlarge")
PARTICIPANTS = [
    "arcada",
    "drexel_cci",
    "flytxt",
    "mic-cis",
    "sjtu_adapt",
    "spinningbytes",
    "uh_ritual",
]
# Every corpus with one run of each of its systems; those without systems are scored against
# themselves with some labels changed.
SYSTEMS = [
    *(("conll2003", name) for name in ("elmo", "flair")),
    *(("wnut17", name) for name in (*PARTICIPANTS, "uh_ritual")),
    *((f"masakhaner2_{language}", f"{name}.1") for language in ("hau", "pcm") for name in MODELS),
    *((name, "changed") for name in ("reconll", "conll2002_es", "btc", "uner_da_ddt")),
]


def labels_of(path: Path, column: int = -1) -> Labels:
    """The labels of each sentence; separator lines may hold blanks, DOCSTART is no sentence."""
    sentences: Labels = [[]]
    for line in path.read_text(encoding="utf-8").split("\n"):
        line = line.rstrip("\r")
        if not line.strip():
            sentences.append([])
        elif not line.startswith(("-DOCSTART-", "# text =", "# sent_id =")):
            sentences[-1].append(line.split("\t" if "\t" in line else " ")[column])
    return [sentence for sentence in sentences if sentence]


def label_pair(shared: Path, dataset: str, system: str) -> tuple[Labels, Labels]:
    """Gold and predicted labels, the predicted ones cut into gold's sentences."""
    folder = shared / "corpora" / dataset
    gold = labels_of(folder / "test.txt", LABEL_COLUMN.get(dataset, -1))
    if system == "changed":
        return gold, changed(gold)
    row = [one for part in labels_of(folder / "systems" / f"{system}.txt") for one in part]
    assert len(row) == sum(map(len, gold))
    rest = iter(row)
    return gold, [[next(rest) for _ in sentence] for sentence in gold]


def changed(gold: Labels) -> Labels:
    """One label in ten is another one of the corpus."""
    random = Random(5)
    known = sorted({label for sentence in gold for label in sentence})
    return [
        [random.choice(known) if random.random() < 0.1 else label for label in sentence]
        for sentence in gold
    ]
