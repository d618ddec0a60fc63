"""Wrong tokens of hard facets: those that token error rates count, each in its sentence."""

from pathlib import Path
from typing import Any

import pytest
from tests.scoring.toys import drawn, noisy

import nerscope
from nerscope.errors import InputError, UsageError
from nerscope.results.results import Results
from nerscope.results.token_mistakes import token_mistakes

TRAIN, GOLD = drawn(60, seed=1, words=60), drawn(60, seed=2, words=80)
SYSTEMS: dict[str, Any] = {
    "a": noisy(GOLD, 0.1, 3),
    "b": [noisy(GOLD, 0.3, 4), noisy(GOLD, 0.3, 5)],
}


@pytest.fixture(scope="module")
def results() -> Results:
    return nerscope.evaluate(GOLD, SYSTEMS, train=TRAIN, facets=["hard", "hard-strict"])


@pytest.mark.parametrize("workers", [1, 2])
def test_there_are_as_many_as_the_error_rate_counts(workers: int, tmp_path: Path) -> None:
    found = nerscope.evaluate(
        GOLD, SYSTEMS, train=TRAIN, facets=["hard", "hard-strict"], workers=workers
    )
    found.save(tmp_path / "r.json")
    for results in (found, Results.load(tmp_path / "r.json")):
        for rate in results.select(metric="ter"):
            if rate.run is None:
                continue
            rows, _ = token_mistakes(results, [f"{rate.facet}={rate.level}"], system=rate.system)
            wrong = [row for row in rows if row.run == rate.run]
            assert len(wrong) == round((rate.value or 0.0) * rate.n)


def test_a_row_says_where_the_token_stands_and_both_labels(results: Results) -> None:
    rows, total = token_mistakes(results, ["hard=unseen-I"], system="a")
    assert 0 < len(rows) < total
    for row in rows:
        assert row.tokens[row.position] == row.token
        assert row.gold[:2] in ("U-", "B-", "I-", "L-")
        assert (row["hard"], row.system) == ("all unseen unseen-I", "a")
        assert row.token not in {token for tokens, _ in TRAIN for token in tokens}


def test_both_levels_of_two_facets_hold(results: Results) -> None:
    both, _ = token_mistakes(results, ["hard=diff", "hard-strict=diff-E"])
    assert both and {row["hard-strict"].split()[-1] for row in both} == {"diff-E"}


def test_words_and_samples_are_chosen(results: Results) -> None:
    rows, _ = token_mistakes(results, ["hard=other"])
    word = rows[0].token
    named, _ = token_mistakes(results, ["hard=other"], text=word.upper())
    assert named and all(word in row.token for row in named)
    assert len(token_mistakes(results, sample=3, seed=1)[0]) == 3


def test_what_cannot_be_shown_is_refused(results: Results) -> None:
    for facet in ("hard=nothing", "tmr=seen"):
        with pytest.raises(UsageError, match="it is not in the results"):
            token_mistakes(results, [facet])
    without = nerscope.evaluate(GOLD, SYSTEMS, train=TRAIN, facets=["hard"], texts=False)
    with pytest.raises(InputError, match="keep no texts"):
        token_mistakes(without, ["hard=diff"])


def test_results_of_two_files_keep_their_tokens(results: Results) -> None:
    comparison = nerscope.compare(results, "a", "b", facets=["hard"], samples=50)
    assert comparison.rows
