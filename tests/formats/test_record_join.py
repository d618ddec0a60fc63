"""Records in another order than gold, or fewer of them, are joined by their ids or texts."""

import json
import random
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import nerscope as ns
from nerscope.errors import AlignmentError
from nerscope.experiment.run import run_experiment
from nerscope.formats.base import open_source
from nerscope.formats.record_join import ID, ORDER, TEXT, join_records

WORDS = ("Ada", "Bob", "Eve", "Oslo", "Rome", "Zoë")
Item = dict[str, Any]


def text_item(number: int, **more: Any) -> Item:
    """A text that no other number has, with a mention at its beginning."""
    word = WORDS[number % len(WORDS)]
    return {
        "id": f"r{number}",
        "text": f"{word} met number {number} there.",
        "spans": [[0, len(word), "PER"]],
        **more,
    }


def label_item(number: int) -> Item:
    words = text_item(number)["text"].rstrip(".").split()
    return {"id": number, "tokens": words, "ner_tags": ["B-PER", *["O"] * (len(words) - 1)]}


def without(items: Sequence[Item], *keys: str) -> list[Item]:
    return [{key: item[key] for key in item if key not in keys} for item in items]


def wrong(item: Item) -> Item:
    """The item without its mention."""
    return {**item, "spans": []} if "spans" in item else item


def written(path: Path, items: Sequence[Item], as_list: bool = False) -> Path:
    lines = [json.dumps(item) for item in items]
    path.write_text("[" + ",".join(lines) + "]" if as_list else "\n".join(lines) + "\n")
    return path


def kinds(results: ns.Results) -> dict[str, int]:
    return {note["kind"]: note["count"] for note in results.losses}


@pytest.mark.parametrize("make", [text_item, label_item])
@pytest.mark.parametrize("as_list", [False, True])
@given(seed=st.integers(0, 99))
def test_any_order_gives_the_numbers_of_the_order_of_gold(
    make: Callable[[int], Item], as_list: bool, seed: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("join")
    draw = random.Random(seed)
    gold = [make(number) for number in range(12)]
    output = [wrong(item) if draw.random() < 0.3 else item for item in gold]
    shuffled = draw.sample(output, len(output))
    test = written(folder / "gold.jsonl", gold)
    in_order, other = (
        ns.evaluate(test, {"s": written(folder / f"{name}.jsonl", items, as_list)})
        for name, items in (("a", output), ("b", shuffled))
    )
    assert [row.value for row in other.rows] == [row.value for row in in_order.rows]
    is_moved = shuffled != output
    assert ("records in another order" in kinds(other)) == is_moved


@pytest.mark.parametrize("keys", [(), ("id",)], ids=["by id", "by text"])
def test_records_that_one_side_lacks_are_left_out_and_counted(
    keys: Sequence[str], tmp_path: Path
) -> None:
    items = without([text_item(number) for number in range(10)], *keys)
    gold = written(tmp_path / "gold.jsonl", items[:8])
    output = written(tmp_path / "out.jsonl", [wrong(items[5]), items[9], items[2]])
    results = ns.evaluate(gold, {"s": output})
    assert results.value(metric="recall") == 0.5
    assert results.select(metric="recall", run=None, type=None, match="exact")[0].n == 2
    assert kinds(results) == {
        "records of gold left out": 6,
        "records that gold does not have, left out": 1,
        "records in another order": 3 - 1,
    }


def test_all_systems_are_scored_on_the_records_that_all_have(tmp_path: Path) -> None:
    items = [text_item(number) for number in range(6)]
    gold = written(tmp_path / "gold.jsonl", items)
    first = written(tmp_path / "a.jsonl", items[:5])
    second = written(tmp_path / "b.jsonl", items[:0:-1])
    results = ns.evaluate(gold, {"a": first, "b": second})
    rows = results.select(facet="all", metric="recall", type=None, match="exact")
    assert {row.n for row in rows} == {4}
    assert any("4 of 6 records scored" in note["message"] for note in results.losses)


def test_answers_of_a_batch_are_joined_by_their_custom_id(tmp_path: Path) -> None:
    items = [text_item(number) for number in range(5)]
    gold = written(tmp_path / "gold.jsonl", items)
    answers = [
        {"custom_id": item["id"], "response": json.dumps([{"text": word, "type": "PER"}])}
        for number, item in enumerate(items)
        for word in [WORDS[number % len(WORDS)]]
    ]
    output = written(tmp_path / "answers.jsonl", answers[::-1])
    assert ns.evaluate(gold, {"model": output}).value(metric="f1") == 1.0


def test_ids_that_count_from_another_number_are_not_trusted(tmp_path: Path) -> None:
    items = [text_item(number) for number in range(5)]
    gold = written(tmp_path / "g.jsonl", [{**item, "id": k} for k, item in enumerate(items)])
    output = written(tmp_path / "s.jsonl", [{**item, "id": k} for k, item in enumerate(items, 1)])
    joined = join_records([open_source(gold), open_source(output)])
    assert joined is not None and joined.by == ORDER
    results = ns.evaluate(gold, {"s": output})
    assert results.value(metric="f1") == 1.0
    assert not kinds(results).keys() & {"records of gold left out", "records in another order"}


def test_ids_of_other_texts_are_not_trusted(tmp_path: Path) -> None:
    texts = ["Ada lives in Rome", "It is snowing", "Bob!", "Who called?", "Nothing happened"]
    items = [{"id": k, "text": text, "spans": [[0, 3, "PER"]]} for k, text in enumerate(texts)]
    other = [{**item, "id": own} for own, item in enumerate(items[::-1])]
    gold, output = written(tmp_path / "g.jsonl", items), written(tmp_path / "s.jsonl", other)
    joined = join_records([open_source(gold), open_source(output)])
    assert joined is not None and joined.by == TEXT
    assert ns.evaluate(gold, {"s": output}).value(metric="f1") == 1.0


def test_equal_texts_are_joined_by_id(tmp_path: Path) -> None:
    items = [{**text_item(0), "id": f"r{number}"} for number in range(4)]
    changed = [wrong(items[3]), *items[:3]]
    gold, output = written(tmp_path / "g.jsonl", items), written(tmp_path / "s.jsonl", changed)
    joined = join_records([open_source(gold), open_source(output)])
    assert joined is not None and joined.by == ID
    results = ns.evaluate(gold, {"s": output})
    missed = [row for row in results.errors(wrong_only=True) if row.outcome == "missed"]
    assert [row.place.rpartition(":")[2] for row in missed] == ["4"]


def test_a_mixture_of_records_with_and_without_ids_is_refused(tmp_path: Path) -> None:
    items = [text_item(number) for number in range(4)]
    gold = written(tmp_path / "gold.jsonl", items)
    mixed = [*items[2:], *without(items[:2], "id")]
    with pytest.raises(AlignmentError, match=r"2 of 4 records have no id.*or none"):
        ns.evaluate(gold, {"s": written(tmp_path / "s.jsonl", mixed)})


def test_what_cannot_be_joined_keeps_its_error(tmp_path: Path) -> None:
    items = without([text_item(number % 3) for number in range(6)], "id")
    gold = written(tmp_path / "gold.jsonl", items)
    with pytest.raises(AlignmentError, match="it ends before"):
        ns.evaluate(gold, {"s": written(tmp_path / "s.jsonl", items[:4])})


def test_columns_that_are_cut_off_or_shuffled_are_refused(tmp_path: Path) -> None:
    sentences = [f"{word} B-PER\nspoke O\n\n" for word in WORDS]
    gold, cut, shuffled = (tmp_path / f"{name}.conll" for name in ("gold", "cut", "shuffled"))
    gold.write_text("".join(sentences))
    cut.write_text("".join(sentences[:4]))
    shuffled.write_text("".join(sentences[::-1]))
    for output in (cut, shuffled):
        with pytest.raises(AlignmentError):
            ns.evaluate(gold, {"s": output})


def test_records_may_have_another_order_than_columns_of_gold(tmp_path: Path) -> None:
    gold = tmp_path / "gold.conll"
    gold.write_text("".join(f"{word} B-PER\nspoke O\n\n" for word in WORDS))
    items = [{"text": f"{word} spoke", "spans": [[0, len(word), "PER"]]} for word in WORDS[::-1]]
    output = written(tmp_path / "s.jsonl", items)
    assert ns.evaluate(gold, {"s": output}).value(metric="f1") == 1.0
    with pytest.raises(AlignmentError):  # columns have no records of which some may be missing
        ns.evaluate(gold, {"s": written(tmp_path / "few.jsonl", items[2:])})


def test_sentences_of_a_treebank_are_joined_by_their_id(tmp_path: Path) -> None:
    def sentence(word: str) -> str:
        columns = "\t".join(["1", word, *["_"] * 7, "NER=B-PER"])
        return f"# sent_id = {word}\n{columns}\n\n"

    gold, output = tmp_path / "gold.conllu", tmp_path / "out.conllu"
    gold.write_text("".join(map(sentence, WORDS)))
    output.write_text("".join(map(sentence, WORDS[::-1])))
    results = ns.evaluate(gold, {"s": output})
    assert results.value(metric="f1") == 1.0
    assert kinds(results)["records in another order"] == len(WORDS)


def test_an_experiment_joins_records_if_none_is_missing(tmp_path: Path) -> None:
    items = [text_item(number) for number in range(5)]
    written(tmp_path / "gold.jsonl", items)
    written(tmp_path / "s.jsonl", items[::-1])
    path = tmp_path / "e.toml"
    path.write_text('[datasets.d]\ntest = "gold.jsonl"\n[systems]\ns = "s.jsonl"\n')
    results, _ = run_experiment(ns.load_experiment(path))
    assert results.value(metric="f1") == 1.0
    written(tmp_path / "s.jsonl", items[:0:-1])
    with pytest.raises(AlignmentError):
        run_experiment(ns.load_experiment(path))


@pytest.mark.parametrize(
    ("record", "name"),
    [
        ({"id": 812, "data": {"text": "Ada met Bob"}, "annotations": [{"result": []}]}, "task 812"),
        ({"text": "Ada met Bob", "spans": [], "id": "a-7"}, "record a-7"),
        ({"text": "Ada met Bob", "spans": []}, "record 2"),
    ],
)
def test_errors_in_a_list_name_the_record(record: Item, name: str, tmp_path: Path) -> None:
    first = {key: record[key] for key in record if key != "id"}
    items = [first, record]
    gold = written(tmp_path / "gold.json", items, as_list=True)
    system = [{"text": "Ada met Bob", "spans": spans} for spans in ([], [[0, 3, "PER"]])]
    output = written(tmp_path / "s.jsonl", system)
    with pytest.raises(ns.NerscopeError, match="no mentions"):
        ns.evaluate(gold, {"s": output})
    results = ns.evaluate(output, {"s": gold})
    assert [row.place for row in results.errors(wrong_only=True)] == [f"{output}:2"]
    corpus = ns.read(gold)
    assert corpus.place(int(corpus.starts[1])) == f"{gold} {name}"
