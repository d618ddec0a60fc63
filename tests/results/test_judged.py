"""People's judgements of partial matches."""

from pathlib import Path

import pytest
from tests.scoring.toys import corpus

import nerscope
from nerscope.errors import FormatError, InputError
from nerscope.render.csv import as_csv
from nerscope.render.lists import list_document
from nerscope.results.judged import read_judgements, shares

GOLD = corpus("New/B-LOC York/I-LOC and Ada/B-PER Lee/I-PER")
PRED = corpus("New/B-LOC York and Ada Lee/B-PER")
HEAD = "system,credit left,judgement\n"


def test_a_list_of_pairs_can_be_judged_and_summed_up(tmp_path: Path) -> None:
    pairs = nerscope.evaluate(GOLD, {"s": PRED}).partial_pairs()
    for record, said in zip(pairs, (" Good", "bad "), strict=True):
        record["judgement"] = said
    path = tmp_path / "pairs.csv"
    path.write_text(as_csv(list_document([("Pairs", pairs)])), encoding="utf-8")
    counted = {
        row["match"]: (row["system"], row["pairs"], row["judged"], row["good"], row["share good"])
        for row in shares(read_judgements(path))
    }
    assert counted == {
        "left": ("s", 1, 1, 1, 1.0),
        "right": ("s", 1, 1, 0, 0.0),
        "overlap": ("s", 2, 2, 1, 0.5),
    }


def test_a_pair_that_nobody_judged_counts_only_as_a_pair(tmp_path: Path) -> None:
    path = tmp_path / "pairs.csv"
    path.write_text(HEAD + "s,0.5,\ns,,good\nt,0.5,good\n")
    assert [list(row.values()) for row in shares(read_judgements(path))] == [
        ["s", "left", 1, 0, 0, None],
        ["t", "left", 1, 1, 1, 1.0],
    ]


@pytest.mark.parametrize(
    ("content", "kind", "fact"),
    [
        (None, InputError, "it cannot be read"),
        (b"\xff\xfe", InputError, "it is no CSV"),
        (b"", FormatError, "there is no column 'judgement'"),
        (HEAD.encode(), FormatError, "there is no column 'judgement'"),
        (b"system,credit left\ns,1\n", FormatError, "there is no column 'judgement'"),
        (b"system,judgement\ns,good\n", FormatError, "none with the credit of a match"),
        ((HEAD + "s,1,good\ns,1,so so\n").encode(), FormatError, "judgement 'so so' is unknown"),
        # lines of another length than the header
        ((HEAD + "s,1\n").encode(), FormatError, "judgement"),
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
