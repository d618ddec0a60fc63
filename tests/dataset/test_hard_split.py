"""A test set by design: every share against loops and dictionaries, and nearer than chance."""

from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.oracles import naive
from tests.oracles.strategies import sentences
from tests.scoring.toys import drawn

from nerscope.corpus.arrays import Bools
from nerscope.corpus.corpus import Coding, Corpus, join_chunks
from nerscope.dataset.split import hard, hard_search
from nerscope.dataset.split.hard import SHARES, HardDesign, design_test_set, parse_shares
from nerscope.dataset.split.hard_search import SearchState
from nerscope.errors import InputError, UsageError
from nerscope.formats.columns.conll import ConllFile

EVERYTHING = dict.fromkeys(SHARES, 0.1)


@pytest.fixture
def little_effort(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hard, "RANDOM_SPLITS", 5)
    monkeypatch.setattr(hard_search, "_MIN_STEPS", 5)


def expected_shares(train: naive.Corpus, test: naive.Corpus) -> dict[str, float | None]:
    """Every share, as the definitions say it."""
    tough = Counter(
        level
        for mention in naive.mentions(test)
        for level in naive.tmr_levels(mention, test, train)
    )
    trained = naive.training_counts(train)
    units = [
        unit
        for tokens, labels in test
        for unit in zip(tokens, naive.token_types(labels), strict=True)
    ]
    tokens = Counter(
        f"hard-{level}" for unit in units for level in naive.hard_levels(*unit, trained, False)
    )
    counts = {**tough, "unseen": tough["unseen-any"], "tcm": tough["tcm-all"], **tokens}
    n = {"mention": len(naive.mentions(test)), "token": len(units)}
    return {
        name: counts.get(name, 0) / n[unit] if n[unit] else None
        for name, (unit, _) in SHARES.items()
    }


def parts(text: naive.Corpus, test: Bools, held: Bools) -> tuple[naive.Corpus, naive.Corpus]:
    train = [one for one, out in zip(text, test | held, strict=True) if not out]
    return train, [one for one, chosen in zip(text, test, strict=True) if chosen]


def values(designed: HardDesign, key: str) -> dict[str, Any]:
    return {row["name"]: row[key] for row in designed.rows}


texts = st.lists(sentences(), min_size=2, max_size=12)


@pytest.mark.usefixtures("little_effort")
@given(texts, st.data())
@settings(max_examples=30)
def test_every_share_is_as_defined_groups_stay_whole_and_held_stays_out(
    text: naive.Corpus, data: st.DataObject
) -> None:
    group = np.array(data.draw(st.lists(st.integers(3, 9), min_size=len(text), max_size=len(text))))
    held = group == data.draw(st.integers(3, 9))
    if held.all():
        held = ~held
    designed = design_test_set(Corpus.of(text), group, EVERYTHING, size=0.4, held=held, seed=1)
    assert not (designed.test & held).any()
    assert not set(group[designed.test]) & set(group[~designed.test & ~held])
    train, test = parts(text, designed.test, held)
    reached = values(designed, "reached")
    assert {name: reached[name] for name in SHARES} == pytest.approx(expected_shares(train, test))
    assert reached["size"] == len(test) / len(text)
    assert reached["types"] == pytest.approx(distance(test, text))


def distance(part: naive.Corpus, whole: naive.Corpus) -> float | None:
    """The total variation between the types of a part and of the whole."""
    own, all_ = (Counter(one.type for one in naive.mentions(text)) for text in (part, whole))
    if not own:
        return None
    return sum(abs(own[kind] / own.total() - all_[kind] / all_.total()) for kind in all_) / 2


@given(texts, st.lists(st.integers(0, 11), max_size=12))
def test_what_moves_leave_is_what_counting_anew_finds(text: naive.Corpus, moves: list[int]) -> None:
    corpus = Corpus.of(text)
    groups = hard._movable_groups(corpus, np.arange(len(text)), EVERYTHING)
    state = SearchState(groups, np.arange(len(text)) % 3 == 0)
    for move in moves:
        group = move % len(text)
        foreseen = state.vector + state.changes(np.array([group]))[0]
        state.flip(group)
        anew = SearchState(groups, state.chosen).vector
        assert state.vector.tolist() == foreseen.tolist() == anew.tolist()


def test_the_same_seed_gives_the_same_test_set() -> None:
    corpus, group = Corpus.of(drawn(120, seed=3)), np.arange(120) // 2
    first, same, other = (
        design_test_set(corpus, group, {"unseen": 0.5, "hard-diff": 0.2}, size=0.25, seed=seed)
        for seed in (1, 1, 2)
    )
    assert first.test.tolist() == same.test.tolist() != other.test.tolist()
    assert first.rows == same.rows


@pytest.mark.parametrize("wanted", ["unseen=0.4", "tcm=0.1,seen=0.5", "hard-diff=0.3,unseen=0.4"])
def test_a_design_is_nearer_than_chance_and_keeps_size_and_types(wanted: str) -> None:
    text = drawn(300, seed=5, words=200)
    designed = design_test_set(
        Corpus.of(text), np.arange(300), parse_shares(wanted), size=0.2, seed=0
    )
    assert missed(designed, "reached") < 0.01 < missed(designed, "best_random")
    assert values(designed, "reached")["size"] == pytest.approx(0.2, rel=0.02)
    assert values(designed, "reached")["types"] <= 0.03


def missed(designed: HardDesign, key: str) -> float:
    return float(sum(abs(row[key] - row["wanted"]) for row in designed.rows[:-2]))


def test_rows_say_what_was_wanted_and_what_chance_gives() -> None:
    designed = design_test_set(
        Corpus.of(drawn(200, seed=1)), np.arange(200), {"tcm": 0.3}, size=0.3
    )
    assert [row["name"] for row in designed.rows] == ["tcm", "size", "types"]
    assert values(designed, "wanted") == {"tcm": 0.3, "size": 0.3, "types": 0.0}
    assert values(designed, "n")["size"] == 200
    assert designed.random_splits == 1000
    for row in designed.rows:
        assert row["random_low"] - 1e-9 <= row["random_mean"] <= row["random_high"] + 1e-9
    assert designed.rows[0]["random_low"] < designed.rows[0]["random_high"]


@pytest.mark.usefixtures("little_effort")
def test_a_share_of_no_mentions_is_undefined() -> None:
    designed = design_test_set(
        Corpus.of([(["a"], ["O"])] * 4), np.arange(4), {"unseen": 0.5}, size=0.5
    )
    assert designed.rows[0]["reached"] is designed.rows[0]["random_mean"] is None
    assert designed.rows[0]["n"] == 0


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("unsen=0.5", "unknown share 'unsen'. Fix: did you mean 'unseen'?"),
        ("unseen=1.5", "invalid value '1.5' for share 'unseen'"),
        ("unseen=nan", "invalid value 'nan'"),
        ("unseen", "invalid value ''"),
        ("tcm=0.1,tcm=0.2", "share 'tcm' is given twice"),
        ("", "unknown share ''"),
    ],
)
def test_shares_that_make_no_sense_are_refused(text: str, message: str) -> None:
    with pytest.raises(UsageError) as caught:
        parse_shares(text)
    assert message in str(caught.value)


def test_hard_tokens_need_mentions_that_do_not_overlap() -> None:
    nested = Corpus.of([(["Bank", "of", "Ghana"], [(0, 3, "ORG"), (2, 3, "LOC")])])
    with pytest.raises(InputError, match="no single label"):
        design_test_set(nested, np.arange(1), {"hard-diff": 0.1}, size=0.5)


CORPORA = {  # hard enough that chance is far away, on every corpus
    "btc": "unseen=0.85,tcm=0.1",
    "conll2002_es": "unseen=0.5,tcm=0.1",
    "conll2003": "unseen=0.6,tcm=0.1",
    "masakhaner2_hau": "unseen=0.6",
    "masakhaner2_pcm": "hard-diff=0.05",
    "reconll": "unseen=0.7,tcm=0.05",
    "uner_da_ddt": "hard-diff=0.02",
    "wnut17": "unseen=0.95,tcm=0.02",
}


@pytest.mark.slow(quick=1)
@pytest.mark.corpora
@pytest.mark.parametrize(("name", "wanted"), CORPORA.items())
def test_a_design_beats_the_best_of_a_thousand_random_splits(
    name: str, wanted: str, shared: Path
) -> None:
    split = "test" if name == "reconll" else "train"
    path = shared / "corpora" / name / f"{split}.txt"
    file = ConllFile(path, token=1, label=2) if name == "uner_da_ddt" else ConllFile(path)
    corpus = join_chunks(list(file.chunks(Coding())))
    designed = design_test_set(corpus, np.arange(len(corpus)), parse_shares(wanted), size=0.2)
    assert missed(designed, "reached") < 0.2 * missed(designed, "best_random")
