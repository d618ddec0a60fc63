"""The same mention twice in one sentence counts once, whatever the format, with a note."""

import json
from pathlib import Path
from typing import Any

import pytest

import nerscope
from nerscope import Corpus, Results
from nerscope.corpus.corpus import REPEATED
from nerscope.formats.base import open_source

WORDS = ["Ada", "met", "Bob", "."]
TWICE = (WORDS, [(0, 1, "PER"), (2, 3, "PER"), (0, 1, "PER")])
ONCE = (WORDS, [(0, 1, "PER"), (2, 3, "PER")])


def sizes(results: Results) -> tuple[int, int]:
    """How many gold and how many predicted mentions count."""
    recall, precision = (
        results.select(match="exact", facet="all", type=None, run=None, metric=metric)[0]
        for metric in ("recall", "precision")
    )
    return recall.n, precision.n


def repeated(results: Results) -> list[tuple[int, list[str]]]:
    """How often and where mentions were written again, source by source."""
    return [(note["count"], note["places"]) for note in results.losses if note["kind"] == REPEATED]


@pytest.mark.parametrize(("gold", "output"), [(TWICE, ONCE), (ONCE, TWICE), (TWICE, TWICE)])
def test_a_mention_counts_once_on_either_side(gold: Any, output: Any) -> None:
    results = nerscope.evaluate([gold], {"s": [output]})
    assert sizes(results) == (2, 2)
    assert results.value(match="exact", metric="f1") == 1
    assert len(repeated(results)) == (gold is TWICE) + (output is TWICE)


def test_the_note_says_how_often_and_where() -> None:
    plain: Any = (["x"], [])
    results = nerscope.evaluate([plain, TWICE, TWICE], {"s": [plain, ONCE, ONCE]})
    [note] = [note for note in results.losses if note["kind"] == REPEATED]
    assert (note["count"], note["places"]) == (2, ["<gold>:2", "<gold>:3"])
    assert note["items"] == ["Ada", "Ada"]


def test_a_corpus_without_repeats_has_no_note() -> None:
    nested = (WORDS, [(0, 3, "ORG"), (0, 1, "ORG"), (0, 1, "PER"), (2, 3, "PER")])
    corpus = Corpus.of([nested, ONCE])
    assert len(corpus.mentions()) == 6
    assert not corpus.reading_notes.notes


def test_types_that_a_map_makes_equal_are_one_mention() -> None:
    both = (WORDS, [(0, 1, "PER"), (0, 1, "PERSON"), (2, 3, "PER")])
    assert sizes(nerscope.evaluate([both], {"s": [ONCE]})) == (3, 2)
    results = nerscope.evaluate([both], {"s": [ONCE]}, map={"PERSON": "PER"})
    assert sizes(results) == (2, 2)
    assert repeated(results) == [(1, ["<gold>:1"])]


def records(path: Path, spans: list[list[tuple[int, int, str]]]) -> Path:
    lines = [
        json.dumps(
            {
                "text": "Ada met Bob .",
                "spans": [{"start": low, "end": high, "label": kind} for low, high, kind in own],
            }
        )
        for own in spans
    ]
    path.write_text("\n".join(lines) + "\n")
    return path


def test_text_with_offsets_has_each_mention_once(tmp_path: Path) -> None:
    ada, bob = (0, 3, "PER"), (8, 11, "PER")
    gold = records(tmp_path / "gold.jsonl", [[ada, bob], [ada, bob, ada]])
    output = records(tmp_path / "out.jsonl", [[bob, ada, bob, bob], [ada]])
    results = nerscope.evaluate(gold, {"s": output})
    assert sizes(results) == (4, 3)
    assert repeated(results) == [(1, [f"{gold}:2"]), (2, [f"{output}:1", f"{output}:1"])]


def test_an_output_with_other_tokens_has_each_mention_once(tmp_path: Path) -> None:
    gold = tmp_path / "gold.conll"
    gold.write_text("x O\n\nAda B-PER\nmet O\nBob B-PER\n. O\n")
    words = [["x"], ["A", "da", "met", "Bob", "."]]
    spans = [[], [(0, 2, "PER"), (0, 2, "PER"), (0, 2, "PERSON")]]
    output = list(zip(words, spans, strict=True))
    source = tmp_path / "out.jsonl"
    rows = [{"tokens": tokens, "spans": own} for tokens, own in output]
    source.write_text("".join(json.dumps(row) + "\n" for row in rows))
    results = nerscope.evaluate(
        gold, {"s": open_source(source, tokens="align")}, map={"PERSON": "PER"}
    )
    assert sizes(results) == (2, 1)
    [(times, places)] = repeated(results)
    assert (times, places) == (2, [f"{source}:2", f"{source}:2"])


def test_hallucinated_mentions_have_no_span_so_each_counts() -> None:
    model = nerscope.answers([[{"text": "Eve", "type": "PER"}, {"text": "Zoe", "type": "PER"}]])
    results = nerscope.evaluate([ONCE], {"s": model})
    assert sizes(results) == (2, 2)
    assert not repeated(results)


def test_training_mentions_count_once() -> None:
    description = nerscope.describe([TWICE], test=[TWICE])
    assert description.mentions["train"]["mentions"] == 2
    assert description.mentions["test"]["mentions"] == 2


def test_results_say_repeated_mentions_of_training_data() -> None:
    results = nerscope.evaluate([ONCE], {"s": [ONCE]}, train=[TWICE])
    assert repeated(results) == [(1, ["<train>:1"])]


def test_converted_files_have_each_mention_once(tmp_path: Path) -> None:
    ada = (0, 3, "PER")
    path = records(tmp_path / "a.jsonl", [[ada, ada]])
    nerscope.convert(path, tmp_path / "b.conll", to="bio")
    assert (tmp_path / "b.conll").read_text().count("B-PER") == 1
