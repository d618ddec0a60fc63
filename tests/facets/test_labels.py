"""Facets of labels: a function returns one label per mention, and gold fixes the levels."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from tests.scoring.toys import drawn, noisy, write

import nerscope as ns
from nerscope.errors import UsageError
from nerscope.facets.facet import FACETS, View

GOLD = drawn(200, seed=1)
PREDICTED = noisy(GOLD, 0.3, 3)


@pytest.fixture(autouse=True)
def forget(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """What is registered here is forgotten after the test."""
    FACETS.load()
    monkeypatch.setattr(FACETS, "_things", dict(FACETS._things))
    yield


def first_letter(view: View) -> list[str]:
    """First letter of the mention"""
    return [text[0] for text in view.texts()]


def naive_recall(letter: str, results: ns.Results) -> float:
    rows = [row for row in results.errors("s") if row.side == "gold" and row.text is not None]
    mine = [row for row in rows if str(row.text).startswith(letter)]
    return sum(row.outcome == "correct" for row in mine) / len(mine)


def test_every_label_on_gold_is_a_level() -> None:
    ns.facet("letter")(first_letter)
    results = ns.evaluate(GOLD, {"s": PREDICTED}, facets=["letter"])
    letters = sorted({str(row.text)[0] for row in results.errors() if row.side == "gold"})
    levels = [
        row.level for row in results.select(facet="letter", run=None, metric="recall", type=None)
    ]
    assert levels == [*letters, "(other)"]
    for letter in letters:
        value = results.value(facet="letter", level=letter, metric="recall")
        assert value == pytest.approx(naive_recall(letter, results))


def test_a_facet_of_labels_works_like_any_other(tmp_path: Path) -> None:
    ns.facet("letter")(first_letter)
    results = ns.evaluate(GOLD, {"s": PREDICTED, "t": noisy(GOLD, 0.1, 5)}, facets=["letter"])
    table = results.table("letter")
    assert table.title == "First letter of the mention: F1"
    assert "(other)" not in {row[0].text for row in table.rows}  # no prediction needs it
    rows = ns.compare(results, "s", "t", facets=["letter"], samples=50).rows
    assert {row.level for row in rows} == {*(row[0].text for row in table.rows), "(other)"}
    results.save(tmp_path / "r.json")
    FACETS._things.pop("letter")  # results can be read without the plug-in
    assert ns.Results.load(tmp_path / "r.json").rows == results.rows


def test_predictions_with_a_label_that_gold_lacks_are_other() -> None:
    gold = [(["Ada", "met", "Bob"], ["B-PER", "O", "O"])]
    output = [["B-PER", "O", "B-PER"]]
    ns.facet("letter")(first_letter)
    results = ns.evaluate(gold, {"s": output}, facets=["letter"])
    (other,) = results.select(
        facet="letter", level="(other)", metric="precision", run=None, type=None
    )
    assert (other.value, other.n) == (0.0, 1)
    assert "(other)" in {row[0].text for row in results.table("letter").rows}


@pytest.mark.parametrize("workers", [1, 2])
def test_workers_see_the_same_levels(workers: int, tmp_path: Path) -> None:
    plugin = tmp_path / "mine.py"
    plugin.write_text(
        "import nerscope as ns\n\n@ns.facet('letter')\ndef letter(view):\n"
        "    return [text[0] for text in view.texts()]\n"
    )
    write(tmp_path / "gold.txt", GOLD * 60)
    write(tmp_path / "s.txt", PREDICTED * 60)
    ns.facet("letter")(first_letter)
    files: Any = (tmp_path / "gold.txt", {"s": tmp_path / "s.txt"})
    together = ns.evaluate(*files, facets=["letter"], workers=workers, plugins=[str(plugin)])
    alone = ns.evaluate(GOLD * 60, {"s": PREDICTED * 60}, facets=["letter"], dataset="gold")
    assert together.rows == alone.rows


def test_labels_with_blanks_are_quoted_in_subsets() -> None:
    @ns.facet("length")
    def length(view: View) -> list[str]:
        return ["one word" if " " not in text else "more" for text in view.texts()]

    results = ns.evaluate(GOLD, {"s": PREDICTED}, facets=["length", "length='one word'"])
    inside = results.value(facet="length='one word'", level="in", metric="recall")
    assert inside == results.value(facet="length", level="one word", metric="recall")


@pytest.mark.parametrize(
    ("function", "fact"),
    [
        (lambda view: ["x"], "it does not return one label for each of"),
        (lambda view: [1 for _ in view.texts()], "it does not return one label for each of"),
        (lambda view: ["" for _ in view.texts()], "it does not return one label for each of"),
        (lambda view: None, "TypeError"),
        (lambda view: [f"{k}" for k, _ in enumerate(view.texts())], "different labels on gold"),
    ],
)
def test_labels_that_are_none_are_refused(function: Any, fact: str) -> None:
    ns.facet("odd")(function)
    with pytest.raises(UsageError, match=fact):
        ns.evaluate(GOLD, {"s": PREDICTED}, facets=["odd"])


@pytest.mark.parametrize("name", ["tmr", "all", "type", "a b", ""])
def test_names_that_are_taken_or_invalid_are_refused(name: str) -> None:
    with pytest.raises(UsageError):
        ns.facet(name)(first_letter)


def test_a_facet_of_labels_is_explained_by_its_docstring() -> None:
    from nerscope.results.explanations import explain

    ns.facet("letter")(first_letter)
    assert explain("letter")[0].meaning == "First letter of the mention."


def test_a_facet_of_tokens_has_error_rates() -> None:
    @ns.facet("case", unit="token")
    def case(view: View) -> Sequence[str]:
        words = view.sentences.corpus.coding.tokens.strings(view.sentences.corpus.tokens)
        return ["upper" if word[:1].isupper() else "lower" for word in words]

    results = ns.evaluate(GOLD, {"s": PREDICTED}, facets=["case"])
    rates = results.select(facet="case", metric="ter", run=None)
    assert [row.level for row in rates] == ["lower", "(other)"] or len(rates) == 3
    assert sum(row.n for row in rates) == sum(len(words) for words, _ in GOLD)
