"""What became of each mention, and whom it met."""

from pathlib import Path
from time import perf_counter
from typing import Any

import pytest
from tests.scoring.toys import corpus, drawn, noisy, write

import nerscope
from nerscope.errors import UsageError
from nerscope.render.mentions import errors_document, marked_lines
from nerscope.results.errors import OUTCOMES
from nerscope.results.mistakes import mistakes
from nerscope.results.results import Results


def evaluated(gold: str, *preds: str, train: str | None = None, **options: Any) -> Results:
    systems = {"s": [corpus(*pred.split("|")) for pred in preds]}
    training = corpus(*train.split("|")) if train else None
    given = corpus(*gold.split("|"))
    return nerscope.evaluate(given, systems, train=training, dataset="d", **options)


@pytest.mark.parametrize(
    ("gold", "pred", "of_gold", "of_pred"),
    [
        ("a/B-PER b/I-PER", "a/B-PER b/I-PER", ["correct"], ["correct"]),
        ("a/B-PER b/I-PER", "a/B-LOC b/I-LOC", ["wrong type"], ["wrong type"]),
        ("a/B-PER b/I-PER", "a/B-PER b", ["wrong boundary"], ["wrong boundary"]),
        ("a/B-PER b/I-PER", "a/B-LOC b", ["wrong type and boundary"], ["wrong type and boundary"]),
        ("a/B-PER b", "a b", ["missed"], []),
        ("a/B-PER b", "a b/B-PER", ["missed"], ["spurious"]),
        # one gold mention, several predictions
        ("a/B-PER b/I-PER c/I-PER", "a/B-PER b c/B-PER", ["split"], ["split", "split"]),
        ("a/B-PER b/I-PER c/I-PER", "a/B-PER b/B-LOC c/B-PER", ["split"], ["split"] * 3),
        # several gold mentions, one prediction
        ("a/B-PER b c/B-PER", "a/B-PER b/I-PER c/I-PER", ["merged", "merged"], ["merged"]),
        # crossing: of several that overlap, none or one lies inside the other
        (
            "a/B-PER b/I-PER c/B-PER d/I-PER",
            "a/B-PER b/B-PER c/I-PER d",
            ["wrong boundary"] * 2,
            ["wrong boundary"] * 2,
        ),
        (
            "a/B-PER b/I-PER c/I-PER d",
            "a/B-PER b/B-LOC c/I-LOC d/I-LOC",
            ["wrong boundary"],
            ["wrong boundary", "wrong type and boundary"],
        ),
        # an exact pair is settled and takes no part in a split
        (
            "a/B-PER b/B-LOC c/I-LOC",
            "a/B-PER b/B-LOC c",
            ["correct", "wrong boundary"],
            ["correct", "wrong boundary"],
        ),
        # never across a sentence boundary
        ("a/B-PER|b/B-PER", "a|b/B-PER", ["missed", "correct"], ["correct"]),
    ],
)
def test_outcome_of_each_mention(
    gold: str, pred: str, of_gold: list[str], of_pred: list[str]
) -> None:
    rows = evaluated(gold + " z/B-Z", pred + " z/B-Z").errors()
    assert [
        row["outcome"] for row in rows if row["side"] == "gold" and row["type"] != "Z"
    ] == of_gold
    assert [
        row["outcome"] for row in rows if row["side"] == "pred" and row["type"] != "Z"
    ] == of_pred
    assert {row["outcome"] for row in rows} <= set(OUTCOMES)


def test_a_row_says_where_a_mention_is_and_whom_it_met() -> None:
    gold, pred = "x|in New/B-LOC York/I-LOC today Ada/B-PER", "x|in/B-ORG New/I-ORG York today Ada"
    first, second, third = evaluated(gold, pred).errors()
    assert first == {
        "dataset": "d",
        "system": "s",
        "run": "1",
        "side": "gold",
        "outcome": "wrong type and boundary",
        "type": "LOC",
        "text": "New York",
        "start": 1,
        "end": 3,
        "other_type": "ORG",
        "other_text": "in New",
        "other_start": 0,
        "other_end": 2,
        "overlap": pytest.approx(1 / 3),
        "sentence": "in New York today Ada",
        "tokens": ["in", "New", "York", "today", "Ada"],
        "place": "<gold>:2",
    }
    assert (second["outcome"], second["other_type"], second["other_start"], second["overlap"]) == (
        "missed",
        None,
        None,
        0.0,
    )
    assert (third["side"], third["text"], third["other_text"], third["overlap"]) == (
        "pred",
        "in New",
        "New York",
        pytest.approx(1 / 3),
    )


def test_rows_carry_the_levels_of_every_facet_of_mentions() -> None:
    results = evaluated(
        "Ada/B-PER met",
        "Ada/B-PER met/I-PER",
        train="Ada/B-PER",
        facets=["eLen", "tmr", "hard", "eLen=XS & type=PER"],
    )
    assert [(row["eLen"], row["tmr"]) for row in results.errors()] == [
        ("XS", "seen"),
        ("S", "unseen-any unseen-tokens"),
    ]
    assert [row["eLen=XS & type=PER"] for row in results.errors()] == ["in", "out"]
    assert "hard" not in results.errors()[0]


def test_every_run_has_its_rows() -> None:
    rows = evaluated("a/B-PER", "a/B-PER", "a").errors()
    assert [(row["run"], row["side"], row["outcome"]) for row in rows] == [
        ("1", "gold", "correct"),
        ("1", "pred", "correct"),
        ("2", "gold", "missed"),
    ]


TWO = {"s": corpus("a/B-PER"), "t": corpus("a")}


def test_one_system_may_be_asked_for() -> None:
    results = nerscope.evaluate(corpus("a/B-PER"), TWO)
    assert {row["system"] for row in results.errors()} == {"s", "t"}
    assert {row["system"] for row in results.errors("t")} == {"t"}
    assert {row["system"] for row in results.confusion("s")} == {"s"}
    for ask in (results.errors, results.confusion):
        with pytest.raises(UsageError, match="system 'u': it is not in the results"):
            ask("u")


def test_the_place_of_a_mention_is_its_line(tmp_path: Path) -> None:
    sentences = corpus("x", "in New/B-LOC York/I-LOC today Ada/B-PER")
    path = write(tmp_path / "gold.txt", sentences)
    found = nerscope.evaluate(path, {"s": path}).errors()
    assert [(row["text"], row["place"]) for row in found if row["side"] == "gold"] == [
        ("New York", f"{path}:4"),
        ("Ada", f"{path}:7"),
    ]


def test_confusion_counts_who_met_whom_and_none_stands_for_nobody() -> None:
    gold = "a/B-PER b/B-PER c/B-LOC d e/B-PER f/I-PER|g/B-ORG"
    pred = "a/B-PER b/B-LOC c d/B-LOC e/B-ORG f|g/B-ORG"
    rows = evaluated(gold, pred, "a b c d e f|g").confusion()
    assert rows[0] == {
        "dataset": "d",
        "system": "s",
        "run": "1",
        "gold": "LOC",
        "predicted": None,
        "n": 1,
    }
    found = {
        run: {(row["gold"], row["predicted"]): row["n"] for row in rows if row["run"] == run}
        for run in ("1", "2")
    }
    assert found == {
        "1": {
            ("PER", "PER"): 1,
            ("PER", "LOC"): 1,
            ("LOC", None): 1,
            (None, "LOC"): 1,
            ("PER", "ORG"): 1,
            ("ORG", "ORG"): 1,
        },
        "2": {("PER", None): 3, ("LOC", None): 1, ("ORG", None): 1},
    }


def test_partial_pairs_are_listed_once_with_their_credit_under_each_match() -> None:
    results = evaluated("New/B-LOC York/I-LOC and Ada/B-PER", "New/B-LOC York and Ada/B-PER")
    assert results.partial_pairs(["left", "right", "overlap(credit=1)", "exact"]) == [
        {
            "dataset": "d",
            "system": "s",
            "run": "1",
            "gold": "New York",
            "predicted": "New",
            "gold type": "LOC",
            "predicted type": "LOC",
            "credit left": 0.5,
            "credit right": None,
            "credit overlap(credit=1)": 1.0,
            "credit exact": None,
            "sentence": "New York and Ada",
            "place": "<gold>:1",
            "judgement": "",
        }
    ]


def test_partial_pairs_are_those_of_the_matches_that_were_evaluated() -> None:
    def credits(results: Results) -> list[str]:
        return [key for key in results.partial_pairs()[0] if key.startswith("credit ")]

    gold, pred = "New/B-LOC York/I-LOC", "New/B-LOC York"
    assert credits(evaluated(gold, pred)) == ["credit left", "credit right", "credit overlap"]
    assert credits(evaluated(gold, pred, matches=["exact", "iou"])) == ["credit iou"]
    assert evaluated(gold, pred, matches=["exact"]).partial_pairs() == []


def test_pairs_never_reach_into_another_sentence() -> None:
    gold, pred = "a/B-PER|b/B-PER c/I-PER", "a/B-PER|b/B-PER c"
    assert [row["gold"] for row in evaluated(gold, pred).partial_pairs()] == ["b c"]


def test_labels_alone_have_no_texts_but_outcomes() -> None:
    results = nerscope.evaluate([["B-PER", "I-PER"]], {"s": [["B-PER", "O"]]})
    first, second = results.errors()
    assert (first["outcome"], first["text"], first["sentence"]) == ("wrong boundary", None, None)
    assert (second["side"], second["start"], second["end"]) == ("pred", 0, 1)
    (pair,) = results.partial_pairs(["left"])
    assert (pair["gold"], pair["predicted"], pair["credit left"]) == (None, None, 0.5)


GOLD = drawn(40, seed=1)


@pytest.fixture(scope="module")
def results() -> Results:
    systems = {"a": noisy(GOLD, 0.2, 2), "b": noisy(GOLD, 0.4, 3)}
    return nerscope.evaluate(GOLD, systems, train=drawn(40, seed=4), dataset="d")


def test_saved_results_tell_the_same_of_every_mention(results: Results) -> None:
    again = Results.from_json(results.to_json())
    assert again.errors() == results.errors()
    assert again.confusion() == results.confusion()
    assert again.partial_pairs() == results.partial_pairs()
    assert again.changes("a", "b") == results.changes("a", "b")


def test_single_mentions_add_up_to_the_numbers(results: Results) -> None:
    for system in ("a", "b"):
        records = results.errors(system)
        for side, metric in (("gold", "recall"), ("pred", "precision")):
            own = [row["outcome"] == "correct" for row in records if row["side"] == side]
            assert sum(own) / len(own) == pytest.approx(results.value(system=system, metric=metric))
        for level in ("seen", "unseen-any"):
            own = [
                row["outcome"] == "correct"
                for row in records
                if row["side"] == "gold" and level in row["tmr"].split()
            ]
            wanted = results.value(system=system, facet="tmr", level=level, metric="recall")
            assert sum(own) / len(own) == pytest.approx(wanted)
        assert sum(row["n"] for row in results.confusion(system) if row["gold"]) == sum(
            row["side"] == "gold" for row in records
        )


def test_a_sentence_of_twenty_thousand_tokens_is_read_once() -> None:
    # A text without line ends is one sentence.
    size, step = 20_000, 4
    words = [f"w{place % 97}" for place in range(size)]
    gold, pred = ["O"] * size, ["O"] * size
    for place in range(0, size, step):
        gold[place : place + 2] = ["B-PER", "I-PER"]
        pred[place] = "B-PER" if place % 8 else "B-LOC"
    results = nerscope.evaluate([(words, gold)], {"s": [pred], "t": [gold]})
    begin = perf_counter()
    rows = results.errors("s")
    selected, total = mistakes(results, system="s")
    document = errors_document(selected, total, 80, len(selected))
    pairs, changes = results.partial_pairs(["overlap"]), results.changes("s", "t")
    assert perf_counter() - begin < 20
    assert len(rows) == 2 * len(selected) == 2 * len(changes) == 2 * size // step
    assert len({id(row.tokens) for row in rows}) <= 2, "a list for each side, not for each row"
    assert len({id(row["sentence"]) for row in [*rows, *pairs, *changes]}) <= 4
    assert all(len(line) <= 90 for line in document.lines)


@pytest.mark.parametrize("at", [0, 3, 60, 117])
def test_the_window_around_a_mistake_is_that_of_the_whole_sentence(at: int) -> None:
    tokens = [f"w{place}" for place in range(120)]
    gold, pred = (at, at + 2, "PER"), (at + 1, at + 3, "LOC")
    lines = marked_lines(tokens, gold, pred, 60)
    above, words, below = lines
    for line, (start, end, kind) in ((above, gold), (below, pred)):
        marked = words[line.index("─") : line.rindex("─") + 1]
        assert marked == " ".join(tokens[start:end])
        assert line.endswith(f" {kind}")
    assert words.startswith("…") == (at > 3)
    assert words.endswith("…") == (at < 117)
