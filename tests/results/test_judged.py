"""People's judgements of partial matches."""

from collections.abc import Callable
from itertools import combinations
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.results.judgements import mention, pair, written
from tests.scoring.toys import corpus

import nerscope
from nerscope.errors import FormatError, InputError
from nerscope.render.mentions import list_document
from nerscope.render.outputs.csv import as_csv
from nerscope.results.judged import agreement, judge_agreement, shares
from nerscope.results.judgements import read_judgements

GOLD = corpus("New/B-LOC York/I-LOC and Ada/B-PER Lee/I-PER")
PRED = corpus("New/B-LOC York and Ada Lee/B-PER")
HEAD = "system,credit left,judgement\n"


def test_a_list_of_pairs_can_be_judged_and_summed_up(tmp_path: Path) -> None:
    rows = nerscope.evaluate(GOLD, {"s": PRED}).partial_pairs()
    judgements = (" Good", "bad ")
    pairs = [row | {"judgement": text} for row, text in zip(rows, judgements, strict=True)]
    path = tmp_path / "pairs.csv"
    path.write_text(as_csv(list_document([("Pairs", pairs)])), encoding="utf-8")
    counted = {
        row["match"]: (row["system"], row["pairs"], row["judged"], row["good"], row["share good"])
        for row in shares(read_judgements(path).judgements)
    }
    assert counted == {
        "left": ("s", 1, 1, 1, 1.0),
        "right": ("s", 1, 1, 0, 0.0),
        "overlap": ("s", 2, 2, 1, 0.5),
    }


def test_a_pair_that_nobody_judged_counts_only_as_a_pair(tmp_path: Path) -> None:
    path = tmp_path / "pairs.csv"
    path.write_text(HEAD + "s,0.5,\ns,,good\nt,0.5,good\n")
    assert [list(row.values()) for row in shares(read_judgements(path).judgements)] == [
        ["s", "left", 1, 0, 0, None],
        ["t", "left", 1, 1, 1, 1.0],
    ]


@pytest.mark.parametrize(
    ("content", "kind", "fact"),
    [
        (None, InputError, "it cannot be read"),
        (b"\xff\xfe", InputError, "it is not CSV"),
        (b"", FormatError, "the column 'judgement' or"),
        (HEAD.encode(), FormatError, "the column 'judgement' or"),
        (b"system,credit left\ns,1\n", FormatError, "the column 'judgement' or"),
        (
            b"system,judgement\ns,good\n",
            FormatError,
            "column with the credit of a match is missing",
        ),
        ((HEAD + "s,half,good\n").encode(), FormatError, "the credit 'half' is not a number"),
        ((HEAD + "s,1,good\ns,1,so so\n").encode(), FormatError, "unknown judgement 'so so'"),
        # lines of another length than the header
        ((HEAD + "s,1\n").encode(), FormatError, "different numbers of columns"),
        ((HEAD + "s,1,good,and,more\n").encode(), FormatError, "column"),
    ],
)
def test_a_list_that_cannot_be_used_is_refused(
    content: bytes | None, kind: type[InputError], fact: str, tmp_path: Path
) -> None:
    path = tmp_path / "pairs.csv"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(kind, match=fact):
        read_judgements(path)


def test_an_unknown_judgement_is_named_with_its_line(tmp_path: Path) -> None:
    path = tmp_path / "pairs.csv"
    path.write_text(HEAD + "s,1,good\ns,1,maybe\n")
    with pytest.raises(FormatError) as caught:
        read_judgements(path)
    assert caught.value.place == f"{path}:3"


# Agreement


def judged(path: Path, *said: str) -> Path:
    """Judgements of as many pairs, in JSON."""
    return written(path, [pair(one, sentence=number) for number, one in enumerate(said, 1)])


def listed(path: Path, *said: str) -> Path:
    """The same as a list in CSV."""
    path.write_text(HEAD + "".join(f"s,0.5,{one}\n" for one in said))
    return path


@pytest.mark.parametrize("write", [judged, listed])
@pytest.mark.parametrize(
    ("judges", "pairs", "raw", "kappa"),
    [
        ([["good", "bad"], ["good", "bad"]], 2, 1.0, 1.0),
        ([["good", "bad"], ["bad", "good"]], 2, 0.0, -1.0),
        ([["good", "good"], ["good", "good"]], 2, 1.0, None),  # no chance to disagree
        ([["good", "bad", ""], ["good", "good", "bad"]], 2, 0.5, 0.0),
        ([["", ""], ["good", "bad"]], 0, None, None),
        ([["good", "bad"], ["good", "bad"], ["good", "good"]], 2, 2 / 3, 0.25),
    ],
)
def test_agreement_is_over_what_all_judged(
    write: Callable[..., Path],
    judges: list[list[str]],
    pairs: int,
    raw: float | None,
    kappa: float | None,
    tmp_path: Path,
) -> None:
    files = [write(tmp_path / str(number), *said) for number, said in enumerate(judges)]
    found = agreement([read_judgements(path) for path in files])
    assert found["judges"] == len(judges)
    assert (found["pairs"], found["raw"]) == (pairs, pytest.approx(raw) if pairs else None)
    assert found["kappa"] == (None if kappa is None else pytest.approx(kappa))


def test_pairs_are_the_same_by_where_they_stand_and_not_by_their_order(tmp_path: Path) -> None:
    ada = written(tmp_path / "a", [pair("good", sentence=1), pair("bad", sentence=2)])
    bob = written(
        tmp_path / "b",
        [
            pair("bad", sentence=2),
            pair("bad", sentence=1, dataset="other"),
            pair("bad", sentence=1, gold=mention(type="ORG")),
            pair("good", sentence=1),
        ],
    )
    found = agreement([read_judgements(path) for path in (ada, bob)])
    assert (found["pairs"], found["raw"]) == (2, 1.0)


def test_judges_of_other_data_are_refused(tmp_path: Path) -> None:
    texts = [mention(text="Eve Lee"), mention(text=None), mention(text="Eva Lee")]
    files = [written(tmp_path / str(k), [pair(gold=text)]) for k, text in enumerate(texts)]
    judges = [read_judgements(path) for path in files]
    assert agreement(judges[:2])["pairs"] == agreement(judges[1:])["pairs"] == 1
    with pytest.raises(InputError, match="it has other words than"):
        agreement(judges)


@pytest.mark.parametrize(
    ("kinds", "fact"),
    [([judged, listed], "it is a CSV list and others are JSON"), ([listed], "differ in length")],
)
def test_judges_of_different_lists_are_refused(
    kinds: list[Callable[..., Path]], fact: str, tmp_path: Path
) -> None:
    files = [kind(tmp_path / str(number), "good") for number, kind in enumerate(kinds)]
    files.append(kinds[-1](tmp_path / "last", "good", "bad"))
    with pytest.raises(InputError, match=fact):
        agreement([read_judgements(path) for path in files])


VOTES = st.lists(
    st.dictionaries(st.integers(0, 6), st.sampled_from(["good", "bad", ""])), min_size=2, max_size=4
)


@given(VOTES)
def test_agreement_does_not_depend_on_the_order_of_judges(judges: list[dict[int, str]]) -> None:
    one, other = judge_agreement(judges), judge_agreement(judges[::-1])
    assert one["pairs"] == other["pairs"]
    for key in ("raw", "kappa"):
        assert one[key] == (None if other[key] is None else pytest.approx(other[key]))


@given(VOTES)
def test_raw_agreement_is_the_share_of_pairs_of_judges_that_agree(
    judges: list[dict[int, str]],
) -> None:
    common = [key for key in range(7) if all(judge.get(key) for judge in judges)]
    same = [a[key] == b[key] for key in common for a, b in combinations(judges, 2)]
    found = judge_agreement(judges)
    assert found["pairs"] == len(common)
    assert found["raw"] == (pytest.approx(sum(same) / len(same)) if same else None)
