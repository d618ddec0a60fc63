"""Descriptions against loops and dictionaries, on generated corpora."""

import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from statistics import mean, median
from typing import Any

import pytest
from hypothesis import given, settings
from tests.oracles import naive
from tests.oracles.strategies import Case, cases, large_case

import nerscope

Uses = dict[naive.Surface, Counter[str]]


def uses(corpus: naive.Corpus, surfaces: set[naive.Surface]) -> Uses:
    """Each surface with its labels: types of its mentions, O where no token is in a mention."""
    found: Uses = defaultdict(Counter)
    for mention in naive.mentions(corpus):
        found[naive.surface(corpus, mention)][mention.type] += 1
    for words, labels in corpus:
        kinds = naive.token_types(labels)
        for start in range(len(words)):
            for end in range(start + 1, len(words) + 1):
                text = tuple(words[start:end])
                if text in surfaces and not any(kinds[start:end]):
                    found[text]["O"] += 1
    return found


def surfaces(*corpora: naive.Corpus) -> set[naive.Surface]:
    return {naive.surface(one, mention) for one in corpora for mention in naive.mentions(one)}


def by_surface(
    rows: Sequence[Mapping[str, Any]], split: str, *keys: str
) -> dict[str, tuple[Any, ...]]:
    own = [row for row in rows if row["split"] == split]
    table = {row["surface"]: tuple(row[key] for key in keys) for row in own}
    assert len(table) == len(own)
    return table


def check_uses(case: Case) -> None:
    found = nerscope.describe(case.train, test=case.gold)
    every = surfaces(case.train, case.gold)
    train, test = uses(case.train, every), uses(case.gold, every)
    for split, own in [("train", train), ("test", test)]:
        types = {s: {k: n for k, n in c.items() if k != "O"} for s, c in own.items()}
        assert by_surface(found.ambiguous, split, "n", "types") == {
            " ".join(s): (sum(t.values()), t) for s, t in types.items() if len(t) > 1
        }
        assert by_surface(found.unannotated, split, "annotated", "unannotated") == {
            " ".join(s): (sum(types[s].values()), c["O"])
            for s, c in own.items()
            if types[s] and c["O"]
        }
    new = {s: sum(n for k, n in test[s].items() if k not in train[s]) for s in every if s in train}
    assert by_surface(found.inconsistent, "test", "n", "train", "here") == {
        " ".join(s): (n, train[s], test[s]) for s, n in new.items() if n
    }


def check_sizes(case: Case) -> None:
    found = nerscope.describe(case.train, test=case.gold)
    for split, corpus in [("train", case.train), ("test", case.gold)]:
        own, mentions = found.splits[split], naive.mentions(corpus)
        lengths = [m.end - m.start for m in mentions]
        assert own["tokens"] == sum(len(words) for words, _ in corpus)
        assert own["distinct_tokens"] == len({word for words, _ in corpus for word in words})
        assert (own["mentions"], own["distinct_surfaces"]) == (
            len(mentions),
            len(surfaces(corpus)),
        )
        assert {row["type"]: row["n"] for row in own["types"]} == Counter(m.type for m in mentions)
        spread = (mean(lengths), median(lengths), max(lengths)) if lengths else (None,) * 3
        assert tuple(own["mention_length"].values()) == pytest.approx(spread)


def check_duplicates(case: Case) -> None:
    def alike(words: list[str]) -> str:
        return "".join(re.sub(r"\d+", "0", word.casefold()) for word in words)

    rows = nerscope.describe(case.train, test=case.gold).duplicates
    train, test = (["".join(words) for words, _ in part] for part in (case.train, case.gold))
    train_words, test_words = ([words for words, _ in part] for part in (case.train, case.gold))
    near = [alike(words) for words in train_words]
    assert {(row["split"], row["against"], row["kind"]): row["n"] for row in rows} == {
        ("train", "train", "exact"): sum(words in train[:k] for k, words in enumerate(train)),
        ("test", "test", "exact"): sum(words in test[:k] for k, words in enumerate(test)),
        ("test", "train", "exact"): sum(words in train for words in test),
        ("test", "train", "near"): sum(
            alike(words) in near and "".join(words) not in train for words in test_words
        ),
    }
    for row in rows:
        for place in row["places"]:
            words = place["text"].split()
            first = int(place["first"].rpartition(":")[2]) - 1
            twin = (test_words if row["against"] == "test" else train_words)[first]
            same = "".join(words) == "".join(twin)
            assert same if row["kind"] == "exact" else alike(words) == alike(twin)


@settings(deadline=None)
@given(cases())
def test_small_corpora_are_described_as_by_hand(case: Case) -> None:
    check_uses(case)
    check_sizes(case)
    check_duplicates(case)


@pytest.mark.parametrize("seed", range(3))
def test_larger_corpora_are_described_as_by_hand(seed: int) -> None:
    case = large_case(seed)
    check_uses(case)
    check_sizes(case)
    check_duplicates(case)
