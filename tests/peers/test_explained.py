"""seqeval and nervaluate, and what explain says of them."""

from pathlib import Path

import pytest
from nervaluate import Evaluator
from seqeval import metrics
from seqeval import scheme as schemes
from tests.peers.beside import LETTERS, REFUSED, ours
from tests.peers.generated import TYPES, Labels, alphabet, corpora
from tests.peers.real import SYSTEMS, label_pair

from nerscope.compat.peers.tools import PeerScore

MODES = ("strict", "exact", "partial", "ent_type")
STRICT = {"bio": "IOB2", "iob1": "IOB1", "io": "IOB1", "bioes": "IOBES", "bilou": "BILOU"}
EACH = 1_000  # corpora of each scheme


def seqeval_numbers(gold: Labels, predicted: Labels, scheme: str | None) -> tuple[float, ...]:
    told = {"mode": "strict", "scheme": getattr(schemes, scheme)} if scheme else {}
    scores = metrics.precision_score, metrics.recall_score, metrics.f1_score
    return tuple(score(gold, predicted, zero_division=0, **told) for score in scores)


@pytest.mark.filterwarnings("ignore:.* seems not to be NE tag")
@pytest.mark.parametrize("scheme", LETTERS)
def test_seqeval_default(scheme: str) -> None:
    drawn = list(corpora(47, EACH, alphabet(LETTERS[scheme])))
    for (gold, predicted), own in zip(drawn, ours("seqeval default", drawn, scheme), strict=True):
        assert own[:3] == seqeval_numbers(gold, predicted, None), (gold, predicted)


@pytest.mark.parametrize(("scheme", "name"), STRICT.items())
def test_seqeval_strict(scheme: str, name: str) -> None:
    drawn = list(corpora(48, EACH, alphabet(LETTERS[scheme])))
    for (gold, predicted), own in zip(drawn, ours("seqeval strict", drawn, scheme), strict=True):
        assert own[:3] == seqeval_numbers(gold, predicted, name), (gold, predicted)


def nervaluate_scores(gold: Labels, predicted: Labels, types: list[str]) -> dict[str, PeerScore]:
    try:
        judge = Evaluator(gold, predicted, tags=types, loader="list")
    except ValueError:  # letters that it refuses
        return dict.fromkeys(MODES, REFUSED)
    found = judge.evaluate()["overall"]
    return {
        mode: PeerScore(
            found[mode].precision,
            found[mode].recall,
            found[mode].f1,
            found[mode].possible,
            found[mode].actual,
            found[mode].correct + 0.5 * found[mode].partial,
        )
        for mode in MODES
    }


@pytest.mark.parametrize("scheme", LETTERS)
def test_nervaluate(scheme: str) -> None:
    drawn = list(corpora(49, EACH, alphabet(LETTERS[scheme])))
    own = {mode: list(ours(f"nervaluate {mode}", drawn, scheme)) for mode in MODES}
    for place, (gold, predicted) in enumerate(drawn):
        found = nervaluate_scores(gold, predicted, list(TYPES))
        assert {mode: scores[place] for mode, scores in own.items()} == found, (gold, predicted)


@pytest.mark.corpora
@pytest.mark.parametrize(("dataset", "system"), dict(SYSTEMS).items())
def test_real_corpora(dataset: str, system: str, shared: Path) -> None:
    gold, predicted = label_pair(shared, dataset, system)
    types = sorted({label[2:] for side in (gold, predicted) for one in side for label in one})
    own = {mode: next(ours(f"nervaluate {mode}", [(gold, predicted)], "bio")) for mode in MODES}
    assert own == nervaluate_scores(gold, predicted, types)
    for mode, scheme in (("default", None), ("strict", "IOB2")):
        found = next(ours(f"seqeval {mode}", [(gold, predicted)], "bio"))
        assert found[:3] == seqeval_numbers(gold, predicted, scheme), mode
