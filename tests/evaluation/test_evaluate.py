"""The whole flow: what goes in, what comes out, and what is refused."""

import io
from pathlib import Path
from typing import Any

import pytest
from tests.scoring.toys import corpus, drawn, labels, noisy, text_of, write

import nerscope
from nerscope.errors import InputError, UsageError

GOLD = corpus("Ada/B-PER met Bob/B-PER", "in Oslo/B-LOC")
PRED = corpus("Ada/B-PER met Bob", "in Oslo/B-PER")


@pytest.mark.parametrize(
    "output",
    [
        PRED,
        [labels for _, labels in PRED],
        nerscope.Corpus.of(PRED),
        [{"tokens": tokens, "labels": own} for tokens, own in PRED],
        io.StringIO(text_of(PRED)),
        io.BytesIO(text_of(PRED).encode()),
    ],
    ids=["pairs", "labels", "corpus", "mappings", "text file", "binary file"],
)
def test_a_corpus_may_come_in_many_forms(output: Any) -> None:
    results = nerscope.evaluate(GOLD, {"s": output})
    assert results.value(metric="precision") == 0.5
    assert results.value(metric="recall") == pytest.approx(1 / 3)
    assert results.value(metric="accuracy") == 3 / 5


@pytest.mark.parametrize(
    ("gold", "output"),
    [
        (labels("B-PER O", "O"), labels("B-PER O", "O")),
        (labels("B-PER O B-LOC"), labels("B-PER O B-LOC")),
        (labels("B-PER", "B-PER", "B-PER"), labels("B-PER", "B-PER", "B-PER")),
        (GOLD, [own for _, own in GOLD]),
        (GOLD, GOLD),
    ],
    ids=["two sentences", "one sentence", "of one token", "pairs and labels", "pairs"],
)
def test_one_output_alone_is_that_of_a_system(gold: Any, output: Any) -> None:
    results = nerscope.evaluate(gold, output)
    assert results.systems == ["system"]
    assert results.evidence[0].runs == (("system", "1"),)
    assert results.value(metric="f1") == 1.0


def test_true_and_predicted_labels_may_be_given_as_other_tools_have_them() -> None:
    y_true = [["O", "B-MISC", "I-MISC", "O"], ["B-PER", "I-PER", "O", "O"]]
    y_pred = [["O", "B-MISC", "O", "O"], ["B-PER", "I-PER", "O", "O"]]
    assert nerscope.evaluate(y_true, y_pred).value(metric="f1") == 0.5


def test_files_are_named_in_rows(tmp_path: Path) -> None:
    gold, pred = write(tmp_path / "wnut.conll", GOLD), write(tmp_path / "p.conll", PRED)
    assert nerscope.evaluate(gold, {"s": str(pred)}).rows[0]["dataset"] == "wnut"
    assert nerscope.evaluate(gold, {"s": str(pred)}, dataset="own").rows[0]["dataset"] == "own"


def test_several_runs_are_numbered_and_summed_up() -> None:
    results = nerscope.evaluate(GOLD, {"s": [PRED, GOLD], "t": GOLD})
    found = {
        (row["system"], row["run"]): row["value"]
        for row in results.select(match="exact", metric="recall", type=None)
    }
    third = pytest.approx(1 / 3)
    assert found == {
        ("s", "1"): third,
        ("s", "2"): 1.0,
        ("s", None): pytest.approx(2 / 3),
        ("t", "1"): 1.0,
        ("t", None): 1.0,
    }


@pytest.mark.parametrize(
    ("systems", "message"),
    [
        ({}, "no system is given"),
        ({"bert": GOLD, "BERT": GOLD}, "another system has the name 'bert'"),
        ({"s": []}, "the list of sentences is empty"),
        ({"s": 3}, "a int is not a corpus"),
    ],
)
def test_systems_that_cannot_be_scored_are_refused(systems: dict[str, Any], message: str) -> None:
    with pytest.raises((UsageError, InputError), match=message):
        nerscope.evaluate(GOLD, systems)


def test_gold_data_without_mentions_is_refused() -> None:
    with pytest.raises(InputError, match="no mentions: every label is O"):
        nerscope.evaluate(corpus("a b"), {"s": corpus("a b")})


def test_gold_labels_alone_are_enough_without_facets() -> None:
    results = nerscope.evaluate(labels("B-PER O"), {"s": labels("B-PER O")})
    assert results.value(metric="f1") == 1.0
    assert results.evidence[0].texts is None


@pytest.mark.parametrize(
    "options", [{"facets": ["eLen"]}, {"train": GOLD}, {"facets": ["type=PER & eLen=XS"]}]
)
def test_facets_of_gold_labels_alone_are_refused(options: dict[str, Any]) -> None:
    with pytest.raises(InputError, match="the sentences have no tokens"):
        nerscope.evaluate(labels("B-PER O"), {"s": labels("B-PER O")}, **options)


def test_training_labels_alone_are_refused() -> None:
    with pytest.raises(InputError):
        nerscope.evaluate(GOLD, {"s": PRED}, train=labels("B-PER O"))


def test_progress_is_told_in_sentences() -> None:
    said: list[int] = []
    nerscope.evaluate(GOLD, {"s": PRED}, progress=said.append)
    assert said == [2]


@pytest.mark.parametrize(
    ("repair", "found", "lost"),
    [
        # I-PER after O; a mention whose type changes inside
        ("conlleval", 3, 2),
        ("strict", 1, 2),
        ("discard", 1, 2),
    ],
)
def test_broken_labels_are_repaired_as_asked(repair: str, found: int, lost: int) -> None:
    gold = corpus("a/B-PER b c/B-LOC d")
    pred = nerscope.Corpus.of(corpus("a/I-PER b c/B-LOC d/I-PER"), scheme="bio")
    results = nerscope.evaluate(gold, {"s": pred}, repair=repair)
    (row,) = results.select(match="exact", metric="precision", type=None, run=None)
    assert row["n"] == found
    assert [loss["count"] for loss in results.losses] == [lost]
    assert f"repair:{repair}" in results.signature


def test_discarding_needs_the_scheme_of_files_beforehand(tmp_path: Path) -> None:
    gold = write(tmp_path / "g.conll", corpus("a/B-PER b/I-PER"))
    pred = write(tmp_path / "p.conll", corpus("a/I-PER b/I-PER"))
    told = nerscope.ConllFile(str(gold), scheme="bio")
    results = nerscope.evaluate(
        told, {"s": nerscope.ConllFile(str(pred), scheme="bio"), "t": gold}, repair="discard"
    )
    assert results.value(system="s", metric="recall") == 0.0
    assert results.value(system="t", metric="recall") == 1.0


def test_schemes_of_gold_and_systems_are_named_in_the_signature() -> None:
    gold, pred = corpus("a/B-PER b/I-PER c/B-LOC"), corpus("a/B-PER b/L-PER c/U-LOC")
    results = nerscope.evaluate(gold, {"s": pred})
    assert results.value(metric="f1") == 1.0
    assert results.signature.startswith("scheme:bio+bilou|")


def test_surfaces_are_scored_as_wnut_does() -> None:
    gold = corpus("Ada/B-PER and Ada/B-PER and Bob/B-PER", "Oslo/B-LOC")
    pred = corpus("Ada/B-PER and Ada/B-LOC and Bob", "Oslo/B-LOC")
    results = nerscope.evaluate(gold, {"s": pred}, train=gold)
    # distinct in gold: Ada PER, Bob PER, Oslo LOC; predicted: Ada PER, Ada LOC, Oslo LOC; right:
    # Ada PER, Oslo LOC
    for metric in ("precision", "recall", "f1"):
        assert results.value(match="surface", metric=metric) == pytest.approx(2 / 3)


def test_pairs_of_partial_matches_are_counted() -> None:
    gold = corpus("a/B-PER b/I-PER c d/B-LOC", "e/B-PER f")
    pred = corpus("a/B-PER b c d/B-LOC", "e f/B-PER")
    results = nerscope.evaluate(gold, {"s": pred})
    names = ("correct", "partial", "incorrect", "missed", "spurious", "partial_share")
    assert [results.value(match="left", metric=name) for name in names] == [1, 1, 0, 1, 1, 0.5]
    assert [results.value(match="right", metric=name) for name in names] == [1, 0, 0, 2, 2, 0.0]
    assert [results.value(match="left", metric=name, type="PER") for name in names] == [
        0,
        1,
        0,
        1,
        1,
        1.0,
    ]
    assert results.value(match="right", metric="partial_share", type="PER") is None


def test_intervals_stand_beside_the_numbers_they_are_of() -> None:
    gold = drawn(60, seed=3)
    sampling = nerscope.Sampling(samples=200)
    results = nerscope.evaluate(
        gold,
        {"s": noisy(gold, 0.2, 4), "t": [noisy(gold, 0.2, 5), noisy(gold, 0.2, 6)]},
        intervals=sampling,
    )
    for row in results.select(system="s", metric="f1", match="exact"):
        assert row["low"] is not None
        assert row["high"] is not None
        assert row["value"] is not None
        assert row["low"] <= row["value"] <= row["high"]
    # with several runs, their mean has another one than each of them
    (first,) = results.select(system="t", run="1", metric="f1", match="exact", type=None)
    assert first["low"] is not None
    (whole,) = results.select(system="t", run=None, metric="f1", match="exact", type=None)
    assert whole["low"] is not None and whole["low"] != first["low"]
    assert results.settings["signature"]["resample"] == "sentence"


def test_the_interval_of_a_count_is_never_negative() -> None:
    gold = drawn(80, seed=1)
    runs = [noisy(gold, 0.01, 5), noisy(gold, 0.5, 6)]
    results = nerscope.evaluate(gold, {"s": runs}, intervals=nerscope.Sampling(samples=200))
    for name in ("correct", "missed", "spurious"):
        for row in results.select(metric=name, run=None, type=None):
            low = row.get("low")
            assert low is None or low >= 0, (name, row)


def test_intervals_may_simply_be_wanted() -> None:
    gold = corpus("a/B-PER b")
    results = nerscope.evaluate(gold, {"s": gold}, intervals=True)
    assert "|resample:sentence|" in results.signature
    assert "resample" not in nerscope.evaluate(gold, {"s": gold}, intervals=False).signature


def test_an_undefined_number_has_an_undefined_interval() -> None:
    results = nerscope.evaluate(
        GOLD, {"s": labels("O O O", "O O")}, intervals=nerscope.Sampling(samples=20)
    )
    (row,) = results.select(metric="precision", match="exact", type=None, run=None)
    assert (row["value"], row["low"], row["high"]) == (None, None, None)


@pytest.mark.parametrize("others", [65_000, 70_000])
def test_sentences_of_any_length_are_counted_without_a_warning(others: int) -> None:
    """Counts are kept in two bytes, or in four where they do not fit."""
    sentence = ["B-X", "O", *["O"] * others]
    results = nerscope.evaluate([sentence], {"s": [["B-X", "B-X", *sentence[2:]]]})
    assert results.value(metric="accuracy") == 1 - 1 / len(sentence)


@pytest.mark.parametrize(
    "name",
    [
        *(
            "Comparison",
            "Condition",
            "Sampling",
            "Verdict",
            "compare",
            "convert",
            "diagnose",
            "gate",
        ),
        *("hard_tokens", "load_experiment", "register_engine", "run_experiment", "validate"),
    ],
)
def test_what_is_imported_late_is_there(name: str) -> None:
    assert getattr(nerscope, name).__name__ == name


def test_what_is_not_there_is_said() -> None:
    with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
        nerscope.nothing  # noqa: B018


def test_a_token_with_the_separator_of_results_stays_one_token(tmp_path: Path) -> None:
    gold, output = tmp_path / "gold.conll", tmp_path / "out.conll"
    gold.write_text("a\x1fb O\nAda B-PER\n")
    output.write_text("a\x1fb O\nAda O\n")
    [missed] = nerscope.evaluate(gold, {"s": output}).errors(wrong_only=True)
    assert missed.text == "Ada"
