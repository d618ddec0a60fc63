"""Types that count as others, sentences that are not kept, and training data in several files."""

import base64
import io
import json
import re
import zlib
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from tests.scoring.toys import Corpus, corpus, drawn, noisy, text_of, write

import nerscope
from nerscope.errors import UsageError
from nerscope.experiment.cache import Cache
from nerscope.experiment.config import load_experiment
from nerscope.experiment.run import run_experiment
from nerscope.results.errors import mention_records
from nerscope.results.results import Results

RENAMES = {"ORG": "X", "LOC": "X"}
WORD = re.compile(r"secret-w\d+")  # long enough that packed numbers never look like it


def spelled(sentences: Corpus) -> Corpus:
    return [([f"secret-{token}" for token in tokens], labels) for tokens, labels in sentences]


GOLD, TRAIN = spelled(drawn(60, seed=1)), spelled(drawn(60, seed=2))


def renamed(sentences: Corpus) -> Corpus:
    """The labels rewritten; what would melt with its neighbour is kept apart by a B."""
    found: Corpus = []
    for tokens, labels in sentences:
        own, before = [], "O"
        for label in labels:
            prefix, _, kind = label.partition("-")
            if prefix == "I" and (before == "O" or before.partition("-")[2] != kind):
                prefix = "B"
            own.append(label if label == "O" else f"{prefix}-{RENAMES.get(kind, kind)}")
            before = label
        found.append((tokens, own))
    return found


def numbers(results: Results, *, without: tuple[str, ...] = ()) -> list[tuple[Any, ...]]:
    keys = ("system", "run", "facet", "level", "type", "match", "metric", "value", "n")
    fields: list[Any] = results.rows
    return sorted(
        (tuple(str(row[key]) for key in keys) for row in fields if row["metric"] not in without),
    )


def test_renaming_is_as_if_every_file_were_rewritten() -> None:
    """In gold, in systems and in training alike."""
    output = noisy(GOLD, 0.2, 3)
    mapped = nerscope.evaluate(GOLD, {"s": output}, train=TRAIN, map=RENAMES)
    wanted = nerscope.evaluate(renamed(GOLD), {"s": renamed(output)}, train=renamed(TRAIN))
    # what compares written labels, token by token, sees the rewritten prefixes
    tokenwise = ("ter", "accuracy", "hardeval", "error_share")
    assert numbers(mapped, without=tokenwise) == numbers(wanted, without=tokenwise)
    assert {row["type"] for row in mapped.rows} == {None, "PER", "X"}


def test_token_error_rates_follow_where_labels_are_valid() -> None:
    gold = corpus("Ada/B-PER met Bob/B-PER", "in Oslo/B-LOC Town/I-LOC now")
    output = corpus("Ada/B-PER met Bob/B-LOC", "in Oslo/B-ORG Town/I-ORG now")
    train = corpus("Bob/B-LOC met Oslo/B-ORG", "x Ada/B-PER")
    mapped = nerscope.evaluate(gold, {"s": output}, train=train, map=RENAMES)
    wanted = nerscope.evaluate(renamed(gold), {"s": renamed(output)}, train=renamed(train))
    assert numbers(mapped) == numbers(wanted)


@pytest.mark.parametrize(
    ("text", "mentions"),
    [
        ("a/B-LOC b/I-ORG", [(0, 1), (1, 2)]),
        ("a/I-LOC b/I-ORG", [(0, 1), (1, 2)]),
        ("a/B-LOC b/B-ORG", [(0, 1), (1, 2)]),
        ("a/B-LOC b/I-LOC", [(0, 2)]),
        ("a/B-LOC b c/B-ORG", [(0, 1), (2, 3)]),
    ],
)
def test_neighbours_of_renamed_types_do_not_melt(
    text: str, mentions: list[tuple[int, int]]
) -> None:
    gold = corpus(text, "x/B-PER")
    results = nerscope.evaluate(gold, {"s": gold}, map=RENAMES)
    found = [
        (one["start"], one["end"], one["type"])
        for one in mention_records(results)
        if one["side"] == "gold" and one["type"] != "PER"
    ]
    assert found == [(start, end, "X") for start, end in mentions]


def test_the_signature_shows_renames_only_where_there_are_some() -> None:
    plain = nerscope.evaluate(GOLD, {"s": GOLD})
    mapped = nerscope.evaluate(GOLD, {"s": GOLD}, map=RENAMES)
    assert "map:" not in plain.signature
    assert "|map:ORG=X+LOC=X|" in mapped.signature
    again = Results.from_json(mapped.to_json())
    assert again.signature == mapped.signature


def test_types_may_change_places() -> None:
    gold, output = corpus("a/B-PER b/B-LOC"), corpus("a/B-PER b")
    results = nerscope.evaluate(gold, {"s": output}, map={"PER": "LOC", "LOC": "PER"})
    assert results.value(metric="recall", type="LOC") == 1.0
    assert results.value(metric="recall", type="PER") == 0.0


@pytest.mark.parametrize("given", [{"": "X"}, {"A": ""}, {"A": 1}, {1: "A"}, ["A=B"], "A=B"])
def test_renames_that_cannot_be_are_refused(given: Any) -> None:
    with pytest.raises(UsageError, match=r"^map: "):
        nerscope.evaluate(GOLD, {"s": GOLD}, map=given)


def experiment(folder: Path, settings: str) -> Results:
    write(folder / "gold.txt", GOLD)
    write(folder / "train.txt", TRAIN)
    write(folder / "out.txt", noisy(GOLD, 0.2, 3))
    (folder / "e.toml").write_text(
        f"{settings}\n[datasets.d]\ntrain = 'train.txt'\ntest = 'gold.txt'\n"
        "[systems]\ns = 'out.txt'\n"
    )
    loaded = load_experiment(str(folder / "e.toml"))
    return run_experiment(loaded, cache=Cache(folder / "cache"))[0]


def test_an_experiment_file_renames_types(tmp_path: Path) -> None:
    found = experiment(tmp_path, "[settings]\nmap = { ORG = 'X', LOC = 'X' }")
    wanted = nerscope.evaluate(
        tmp_path / "gold.txt",
        {"s": tmp_path / "out.txt"},
        train=tmp_path / "train.txt",
        map=RENAMES,
    )
    assert numbers(found) == numbers(wanted)
    assert "map:ORG=X+LOC=X" in found.signature
    plain = experiment(tmp_path, "")  # the cache knows both apart
    assert {row["type"] for row in plain.rows} == {None, "LOC", "ORG", "PER"}


def every_word(content: str) -> str:
    """Results as text, with all that is packed in them unpacked."""
    found = [content]

    def visit(value: Any) -> None:
        if isinstance(value, dict):
            value = list(value.values())
        if isinstance(value, list):
            for one in value:
                visit(one)
        elif isinstance(value, str):
            with suppress(ValueError, zlib.error):
                found.append(zlib.decompress(base64.b64decode(value)).decode("utf-8", "replace"))

    visit(json.loads(content))
    return "\n".join(found)


SECRET = corpus("Zyxgard/B-PER met Qwillop/B-LOC", "Bob/B-PER met Zyxgard")
WRONG = corpus("Zyxgard/B-LOC met Qwillop/B-LOC", "Bob met Zyxgard/B-PER")


@pytest.mark.parametrize(("texts", "kept"), [(True, True), (False, False)])
def test_sentences_are_kept_unless_told_otherwise(texts: bool, kept: bool) -> None:
    results = nerscope.evaluate(SECRET, {"s": WRONG}, train=SECRET, texts=texts)
    content = results.to_json()
    for word in ("Zyxgard", "Qwillop", "Bob"):
        assert (word in every_word(content)) == kept
    again = Results.from_json(content)
    outcomes = [one["outcome"] for one in again.errors() if one["side"] == "gold"]
    assert outcomes == ["wrong type", "correct", "missed"]
    assert {one["sentence"] is None for one in again.errors()} == {not kept}


def test_numbers_do_not_depend_on_whether_sentences_are_kept() -> None:
    with_texts, without = (
        nerscope.evaluate(SECRET, {"s": WRONG}, train=SECRET, texts=texts)
        for texts in (True, False)
    )
    assert with_texts.rows == without.rows


def test_the_cache_of_an_experiment_keeps_no_sentence_either(tmp_path: Path) -> None:
    (tmp_path / "with").mkdir()
    with_texts = experiment(tmp_path / "with", "")
    assert WORD.search(every_word(with_texts.to_json()))
    results = experiment(tmp_path, "[settings]\ntexts = false")
    assert not WORD.search(every_word(results.to_json()))
    entries = list((tmp_path / "cache").glob("*.bin"))
    assert entries
    for entry in entries:
        body = entry.read_bytes().partition(b"\n")[2][32:]  # behind the digest
        content = zlib.decompress(body).decode("utf-8", "replace")
        assert "dataset" in content or "low" in content or "all" in content
        assert not WORD.search(content)


PARTS = [drawn(20, seed) for seed in (11, 12, 13)]


def as_paths(folder: Path) -> list[Any]:
    return [write(folder / f"{place}.txt", part) for place, part in enumerate(PARTS)]


def as_files(folder: Path) -> list[Any]:
    return [io.StringIO(text_of(part)) for part in PARTS]


def as_corpora(folder: Path) -> list[Any]:
    return [nerscope.read(path) for path in as_paths(folder)]


@pytest.mark.parametrize("given", [as_paths, as_files, as_corpora])
def test_several_training_sets_are_their_union(
    given: Callable[[Path], list[Any]], tmp_path: Path
) -> None:
    whole: Corpus = [sentence for part in PARTS for sentence in part]
    output = noisy(GOLD, 0.2, 3)
    wanted = nerscope.evaluate(GOLD, {"s": output}, train=whole)
    found = nerscope.evaluate(GOLD, {"s": output}, train=given(tmp_path))
    assert found.rows == wanted.rows
    assert found.settings["signature"] == wanted.settings["signature"]


def test_one_training_file_in_a_list_is_that_file(tmp_path: Path) -> None:
    path = write(tmp_path / "train.txt", TRAIN)
    found = [nerscope.evaluate(GOLD, {"s": GOLD}, train=train).rows for train in (path, [path])]
    assert found[0] == found[1]
