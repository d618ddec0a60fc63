"""The drop-in for seqeval says what seqeval says, to the last digit and the last byte."""

import json
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
import seqeval.scheme
from seqeval import metrics as theirs
from tests.peers.agreement import answer
from tests.peers.generated import LETTERS, TYPES, Labels, alphabet, corpora
from tests.peers.real import SYSTEMS, label_pair

from nerscope.compat import seqeval as ours

SCORES = ("f1_score", "precision_score", "recall_score")
AVERAGES = (None, "micro", "macro", "weighted")
ZERO_DIVISIONS = ("warn", 0, 1)
# Labels that are hardly labels: bare letters, empty types, letters of no scheme, no letters.
ODD = ["B", "I", "E", "L", "B-", "I-", "-B", "I--x", "PER", "O-x", ".", ".-x", "U-x", "Outside"]


def has_no_rows(answered: Any) -> bool:
    """The first listed difference: seqeval cannot lay out a report without a type."""
    return isinstance(answered.value, tuple) and answered.value[1].startswith("max()")


def check_report(gold: Labels, pred: Labels, random: Random, **options: Any) -> None:
    """A report, as text or as numbers."""
    layout = random.choice(({"output_dict": True}, {"digits": random.choice((1, 2, 4, 15))}))
    expected = answer(theirs.classification_report, gold, pred, **layout, **options)
    found = answer(ours.classification_report, gold, pred, **layout, **options)
    if has_no_rows(expected):
        assert "micro avg" in found.value
    else:
        assert found == expected, (gold, pred, options)


def check(gold: Labels, pred: Labels, random: Random, reports: float = 1, **options: Any) -> None:
    """One score, and now and then a report, which costs seqeval ten times as much."""
    options["zero_division"] = random.choice(ZERO_DIVISIONS)
    score, average = random.choice(SCORES), random.choice(AVERAGES)
    expected = answer(getattr(theirs, score), gold, pred, average=average, **options)
    found = answer(getattr(ours, score), gold, pred, average=average, **options)
    assert found == expected, (score, average, gold, pred, options)
    if random.random() < reports:
        check_report(gold, pred, random, **options)


def check_tokens(gold: Labels, pred: Labels) -> None:
    for measure in ("accuracy_score", "performance_measure"):
        expected = answer(getattr(theirs, measure), gold, pred)
        assert answer(getattr(ours, measure), gold, pred) == expected, (measure, gold, pred)


@pytest.mark.parametrize(
    ("seed", "labels", "suffix"),
    [
        (1, alphabet("BI"), False),
        (2, alphabet("BIES"), False),
        (3, alphabet("BIESLU.M", ("PER", "a-b", "", "-")), False),
        (4, ODD, False),
        (5, alphabet("BIES", suffix=True), True),
        (6, [*alphabet("BIEL", ("a-b", "", "-"), suffix=True), *ODD], True),
    ],
)
def test_by_default_chunks_are_the_same(seed: int, labels: list[str], suffix: bool) -> None:
    random = Random(seed)
    for gold, pred in corpora(seed, 2200, labels, sentences=3, shortest=0, longest=7):
        check(gold, pred, random, reports=0.25, suffix=suffix)
        check_tokens(gold, pred)


@pytest.mark.parametrize("suffix", [False, True])
@pytest.mark.parametrize("name", LETTERS)
def test_strict_chunks_of_each_scheme_are_the_same(name: str, suffix: bool) -> None:
    random, scheme = Random(name), getattr(seqeval.scheme, name)
    labels = [*alphabet(LETTERS[name], suffix=suffix), *LETTERS[name]]
    options = {"suffix": suffix, "mode": "strict", "scheme": scheme}
    for gold, pred in corpora(len(name), 600, labels, sentences=3, shortest=0, longest=7):
        check(gold, pred, random, reports=0.25, **options)


@pytest.mark.parametrize("name", LETTERS)
def test_a_scheme_that_is_not_named_is_recognised_alike(name: str) -> None:
    random = Random(name)
    for gold, pred in corpora(11, 300, alphabet(LETTERS[name]), sentences=2):
        try:
            seqeval.scheme.auto_detect(gold)
        except ValueError:
            found = answer(ours.classification_report, gold, pred, mode="strict")
            assert found.value[0] == "ValueError"
            assert found.value[1].startswith("This scheme is not supported: ")
        else:
            check_report(gold, pred, random, mode="strict", zero_division=0)


def test_long_corpora_are_the_same() -> None:
    random = Random(7)
    for gold, pred in corpora(7, 3, alphabet("BIES"), sentences=400, longest=80):
        check(gold, pred, random)
        check(gold, pred, random, mode="strict", scheme=seqeval.scheme.IOBES)


@pytest.mark.corpora
@pytest.mark.parametrize(("dataset", "system"), SYSTEMS)
def test_real_systems_score_the_same(dataset: str, system: str, shared: Path) -> None:
    gold, pred = label_pair(shared, dataset, system)
    random = Random(system)
    check(gold, pred, random)
    check(gold, pred, random, reports=0, mode="strict", scheme=seqeval.scheme.IOB2)
    check_tokens(gold, pred)


GOLD = [["B-PER", "I-PER", "O", "B-LOC"], ["B-LOC", "O"]]


@pytest.mark.parametrize(
    ("given", "options"),
    [
        # lengths
        ((GOLD, GOLD[:1]), {}),
        ((GOLD, [["O"], ["O"]]), {}),
        ((GOLD, [["O"] * 4, ["O"] * 3]), {"mode": "strict", "scheme": seqeval.scheme.IOB2}),
        # no list of lists
        ((GOLD[0], GOLD[0]), {}),
        (([], []), {}),
        # options
        ((GOLD, GOLD), {"average": "samples"}),
        ((GOLD, GOLD), {"average": "binary"}),
        # letters that a scheme does not know
        ((GOLD, GOLD), {"mode": "strict", "scheme": seqeval.scheme.IOE2}),
        (([["S-X"]], [["B-X"]]), {"mode": "strict", "scheme": seqeval.scheme.BILOU}),
    ],
)
def test_refusals_are_the_same(given: Any, options: dict[str, Any]) -> None:
    for score in SCORES:
        expected = answer(getattr(theirs, score), *given, **options)
        assert expected.value[0] in ("TypeError", "ValueError")
        assert answer(getattr(ours, score), *given, **options) == expected


@pytest.mark.parametrize(
    ("labels", "options", "error"),
    [
        (["X-PER", "O"], {"mode": "strict", "scheme": seqeval.scheme.IOB2}, "KeyError"),
        (["", "O"], {"mode": "strict", "scheme": seqeval.scheme.IOB2}, "IndexError"),
        ([None, "O"], {}, "AttributeError"),
    ],
)
def test_labels_that_make_seqeval_stumble_are_named(
    labels: Any, options: dict[str, Any], error: str
) -> None:
    with pytest.raises((AttributeError, LookupError)) as stumbled:
        theirs.f1_score([labels], [labels], **options)
    assert type(stumbled.value).__name__ == error
    with pytest.raises(ValueError, match=r"Invalid token|is not a label"):
        ours.f1_score([labels], [labels], **options)


def test_a_report_without_types_shows_the_averages() -> None:
    with pytest.raises(ValueError, match="max"):
        theirs.classification_report([["O"]], [["O"]], zero_division=0)
    with pytest.warns(RuntimeWarning):
        text = ours.classification_report([["O"]], [["O"]], zero_division=0)
    assert [line.split()[0] for line in str(text).splitlines()[3:]] == [
        "micro",
        "macro",
        "weighted",
    ]


@pytest.mark.parametrize(
    "turned",
    [
        lambda labels: tuple(map(tuple, labels)),
        lambda labels: [np.array(sentence) for sentence in labels],
        lambda labels: np.array([np.array(sentence, object) for sentence in labels], object),
    ],
    ids=["tuples", "arrays", "an array of arrays"],
)
def test_tuples_and_arrays_are_taken_too(turned: Any) -> None:
    pred = [["B-PER", "O", "O", "B-LOC"], ["O", "O"]]
    for measure in (*SCORES, "classification_report", "accuracy_score", "performance_measure"):
        expected = answer(getattr(theirs, measure), GOLD, pred)
        assert answer(getattr(ours, measure), turned(GOLD), turned(pred)) == expected


def test_answers_are_plain_numbers_that_json_takes() -> None:
    assert type(ours.f1_score(GOLD, GOLD)) is float
    report = ours.classification_report(GOLD, GOLD, output_dict=True)
    assert json.loads(json.dumps(report))["LOC"]["support"] == 2


@pytest.mark.parametrize("name", LETTERS)
def test_a_scheme_may_be_a_name_or_either_class(name: str) -> None:
    labels = alphabet(LETTERS[name])
    for gold, pred in corpora(3, 20, labels):
        ways = (name, getattr(ours, name), getattr(seqeval.scheme, name))
        answers = [
            answer(ours.f1_score, gold, pred, mode="strict", scheme=way, average="macro")
            for way in ways
        ]
        assert answers[0] == answers[1] == answers[2]


def test_a_scheme_that_does_not_exist_is_refused() -> None:
    with pytest.raises(ValueError, match="Unknown scheme 'IOB3': did you mean 'IOB2'"):
        ours.f1_score(GOLD, GOLD, mode="strict", scheme="IOB3")


def test_strict_without_a_scheme_is_the_default_for_scores_but_not_for_reports() -> None:
    gold, pred = [["B-X", "I-X"]], [["I-X", "I-X"]]
    assert ours.f1_score(gold, pred, mode="strict") == theirs.f1_score(gold, pred, mode="strict")
    assert ours.f1_score(gold, pred, mode="strict") == 1.0
    report = ours.classification_report(gold, pred, mode="strict", zero_division=0)
    assert report == theirs.classification_report(gold, pred, mode="strict", zero_division=0)
    assert "0.00" in str(report)


def test_the_usage_that_seqeval_shows_runs_unchanged() -> None:
    gold = [["O", "O", "B-ART", "I-ART", "I-ART", "O"], ["B-PER", "I-PER", "O"]]
    pred = [["O", "B-ART", "I-ART", "I-ART", "I-ART", "O"], ["B-PER", "I-PER", "O"]]
    assert ours.f1_score(gold, pred) == 0.5
    assert ours.classification_report(gold, pred) == theirs.classification_report(gold, pred)
    strict = ours.classification_report(gold, pred, mode="strict", scheme=ours.IOB2)
    again = theirs.classification_report(gold, pred, mode="strict", scheme=seqeval.scheme.IOB2)
    assert strict == again


def test_warnings_point_at_the_caller() -> None:
    with pytest.warns(UserWarning) as caught:
        ours.f1_score([["PER"]], [["PER"]])
        ours.classification_report([["B-PER"]], [["O"]])
    assert {Path(one.filename).name for one in caught} == {Path(__file__).name}


def test_all_types_of_the_generator_are_read_whole() -> None:
    report = ours.classification_report([["B-creative-work"]], [["B-creative-work"]])
    assert TYPES[-1] in str(report)
