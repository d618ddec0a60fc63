"""Which texts belong together, whose annotations an export holds, and what is refused."""

import json
import random
from pathlib import Path
from typing import Any

import pytest

import nerscope as ns
from nerscope.errors import AlignmentError, FormatError, InputError, NerscopeError, UsageError
from nerscope.formats.base import open_source

TEXTS = ("Ada Lovelace met Bob.", "Yorkers live in New York.", "Nothing is here.", "Eve left Rome.")
Spans = list[list[Any]]
ANN: list[Spans] = [[[0, 12, "PER"], [17, 20, "PER"]], [[0, 4, "LOC"], [16, 24, "LOC"]], [], []]
BEN: list[Spans] = [[[0, 3, "PER"], [17, 20, "PER"]], [[16, 24, "LOC"]], [], [[9, 13, "LOC"]]]


def records(spans: list[Spans], *, ids: bool = True) -> list[dict[str, Any]]:
    return [
        {**({"id": f"r{at}"} if ids else {}), "text": text, "spans": own}
        for at, (text, own) in enumerate(zip(TEXTS, spans, strict=True))
    ]


def write(path: Path, items: list[dict[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(item) + "\n" for item in items))
    return path


KEYS = ("measure", "facet", "level", "type", "match", "value", "low", "high", "n")


def scores(agreement: ns.Agreement) -> list[tuple[Any, ...]]:
    return [tuple(row[key] for key in KEYS) for row in agreement.rows]


@pytest.fixture
def whole(tmp_path: Path) -> ns.Agreement:
    ann, ben = (
        write(tmp_path / f"{name}.jsonl", records(spans))
        for name, spans in (("ann", ANN), ("ben", BEN))
    )
    return ns.agree({"ann": ann, "ben": ben})


@pytest.mark.parametrize(
    ("ids", "shuffled", "join", "by"),
    [
        (True, True, None, "id"),
        (True, True, "text", "text"),
        (False, True, None, "text"),
        (True, False, "order", "order"),
    ],
)
def test_texts_are_joined(
    tmp_path: Path, whole: ns.Agreement, ids: bool, shuffled: bool, join: str | None, by: str
) -> None:
    """The numbers are the same, however the texts are joined."""
    items = records(BEN, ids=ids)
    if shuffled:
        random.Random(3).shuffle(items)
    ann = write(tmp_path / "first.jsonl", records(ANN, ids=ids))
    ben = write(tmp_path / "second.jsonl", items)
    agreement = ns.agree({"ann": ann, "ben": ben}, join=join)
    assert agreement.settings["joined_by"] == by
    assert scores(agreement) == scores(whole)


def label_studio(first: list[Spans], second: list[Spans]) -> list[dict[str, Any]]:
    def annotation(name: str, text: str, spans: Spans) -> dict[str, Any]:
        result = [
            {
                "type": "labels",
                "from_name": "label",
                "to_name": "text",
                "value": {"start": low, "end": high, "text": text[low:high], "labels": [kind]},
            }
            for low, high, kind in spans
        ]
        return {"completed_by": {"id": len(name), "email": name}, "result": result}

    return [
        {
            "id": at,
            "data": {"text": text},
            "annotations": [annotation("ann@x", text, one), annotation("benny@x", text, two)],
        }
        for at, (text, one, two) in enumerate(zip(TEXTS, first, second, strict=True))
    ]


def sessions(first: list[Spans], second: list[Spans], key: str) -> list[dict[str, Any]]:
    """The annotations of both, one record each, as Prodigy and doccano write them."""
    return [
        {"text": text, "spans": own, key: name}
        for name, spans in (("ann@x", first), ("benny@x", second))
        for text, own in zip(TEXTS, spans, strict=True)
    ]


@pytest.mark.parametrize("tool", ["label studio", "_annotator_id", "_session_id", "annotator"])
def test_one_export_holds_several_annotators(
    tmp_path: Path, whole: ns.Agreement, tool: str
) -> None:
    path = tmp_path / "export.json"
    if tool == "label studio":
        path.write_text(json.dumps(label_studio(ANN, BEN)))
    else:
        write(path, sessions(ANN, BEN, tool))
    assert open_source(path).annotators() == ["ann@x", "benny@x"]
    agreement = ns.agree(path)
    assert agreement.annotators == ["ann@x", "benny@x"]
    assert scores(agreement) == scores(whole)
    assert agreement.losses == []


def test_an_annotator_who_was_chosen_is_not_listed(tmp_path: Path) -> None:
    path = write(tmp_path / "export.jsonl", sessions(ANN, BEN, "annotator"))
    assert open_source(path, annotator="ann@x").annotators() == []


def test_tokens_are_divided_at_the_edges_of_all_annotators(whole: ns.Agreement) -> None:
    """ "York" in "Yorkers" is a mention of its own, whichever file comes first."""
    assert whole.sentences[1].tokens == ["York", "ers", "live", "in", "New", "York", "."]
    assert whole.sentences[1].mentions["ann"] == [(0, 1, "LOC"), (4, 6, "LOC")]


def test_tokens_are_those_of_the_first_file_that_has_tokens(tmp_path: Path) -> None:
    text = write(tmp_path / "ann.jsonl", records(ANN)[:1])
    tokens = ["Ada", "Lovelace", "met", "Bob."]
    item = {"id": "r0", "tokens": tokens, "ner_tags": ["B-PER", "I-PER", "O", "O"]}
    columns = write(tmp_path / "ben.jsonl", [item])
    agreement = ns.agree({"ann": text, "ben": columns})
    assert agreement.sentences[0].tokens == tokens
    # "Bob" ends inside the token "Bob.", so it equals no mention of Ben.
    assert agreement.value("f1") == pytest.approx(2 / 3)


def test_a_text_needs_two_annotators_only(tmp_path: Path) -> None:
    """Ann and Ben share a text, and so do Ben and Eve; no text has all three."""
    files = {
        name: write(tmp_path / f"{name}.jsonl", [records(spans)[at] for at in places])
        for name, spans, places in (("ann", ANN, (0, 1)), ("ben", BEN, (1, 3)), ("eve", BEN, (3,)))
    }
    agreement = ns.agree(files)
    assert {(row.a, row.b): row.n for row in agreement.shared} == {
        ("ann", "ben"): 1,
        ("ann", "eve"): 0,
        ("ben", "eve"): 1,
    }
    assert agreement.value("f1", "ann", "eve") is None
    assert agreement.value("fleiss_kappa") is None
    assert agreement.value("f1", "ben", "eve") == 1.0


def test_documents_are_clusters(tmp_path: Path) -> None:
    lines = ["-DOCSTART- O", "", "Ada B-PER", "", "Bob O", "", "-DOCSTART- O", "", "Eve B-PER", ""]
    files = {}
    for name, label in (("ann", "B-PER"), ("ben", "B-LOC")):
        files[name] = tmp_path / f"{name}.conll"
        files[name].write_text("\n".join(lines).replace("Bob O", f"Bob {label}"))
    agreement = ns.agree(files)
    assert (agreement.settings["cluster"], agreement.settings["clusters"]) == ("document", 2)


def test_systems_stand_beside_annotators(whole: ns.Agreement, tmp_path: Path) -> None:
    ann = write(tmp_path / "a.jsonl", records(ANN))
    agreement = ns.agree(
        {"ann": ann, "ben": write(tmp_path / "b.jsonl", records(BEN))},
        systems={"copy": write(tmp_path / "c.jsonl", records(ANN))},
    )
    assert agreement.texts == whole.texts
    assert agreement.value("f1") == whole.value("f1")
    assert agreement.value("krippendorff_alpha") == whole.value("krippendorff_alpha")
    [row] = agreement.ceiling
    mean = (1 + (whole.value("f1") or 0)) / 2
    assert (row.system, row.annotators) == ("copy", whole.value("f1"))
    assert row.value == pytest.approx(mean)
    assert agreement.value("f1", "ann", "copy") == 1.0


def test_without_text_no_words_are_saved(tmp_path: Path, whole: ns.Agreement) -> None:
    files = {
        name: write(tmp_path / f"{name}.jsonl", records(spans))
        for name, spans in (("ann", ANN), ("ben", BEN))
    }
    agreement = ns.agree(files, texts=False)
    assert "Lovelace" not in agreement.to_json()
    assert scores(agreement) == scores(whole)


def columns(path: Path, text: str) -> Path:
    path.write_text(text)
    return path


def test_repeated_sentences_are_joined_by_order(tmp_path: Path) -> None:
    text = "Ada B-PER\n\n. O\n\n. O\n"
    first, second = (columns(tmp_path / f"{name}.conll", text) for name in ("a", "b"))
    assert ns.agree({"a": first, "b": second}).settings["joined_by"] == "order"


def test_texts_are_compared_with_sentences_in_the_same_order(tmp_path: Path) -> None:
    """Ann's file has one text of two lines, and Ben's file has two sentences of columns."""
    text = "Ada met Bob.\nEve left Rome."
    item = {"text": text, "spans": [[0, 3, "PER"], [22, 26, "LOC"]]}
    ann = write(tmp_path / "ann.jsonl", [item])
    ben = columns(
        tmp_path / "ben.conll",
        "Ada B-PER\nmet O\nBob B-PER\n. O\n\nEve O\nleft O\nRome B-LOC\n. O\n",
    )
    for files in ({"ann": ann, "ben": ben}, {"ben": ben, "ann": ann}):
        agreement = ns.agree(files)
        assert agreement.value("f1") == 0.8
        assert agreement.texts == {"ann": 2, "ben": 2}
        assert agreement.settings["text_unit"] == "sentence"
    other = columns(tmp_path / "other.conll", "Joe B-PER\nslept O\n")
    with pytest.raises(AlignmentError):
        ns.agree({"ann": ann, "other": other})


def test_annotations_without_any_mention_give_null(tmp_path: Path) -> None:
    files = {name: write(tmp_path / f"{name}.jsonl", records([[]] * 4)) for name in ("ann", "ben")}
    agreement = ns.agree(files)
    assert {row.value for row in agreement.rows} == {None}
    assert agreement.disagreements == []
    json.loads(agreement.to_json())


def refused(tmp_path: Path, first: Any, second: Any, **options: Any) -> NerscopeError:
    files = {"ann": write(tmp_path / "a.jsonl", first), "ben": write(tmp_path / "b.jsonl", second)}
    with pytest.raises(NerscopeError) as caught:
        ns.agree(files, **options)
    return caught.value


def test_what_does_not_belong_together_is_refused(tmp_path: Path) -> None:
    ann, ben = records(ANN), records(BEN)
    other = [{**item, "id": f"x{item['id']}", "text": f"No: {item['text']}"} for item in ben]
    error = refused(tmp_path, ann, other)
    assert isinstance(error, AlignmentError)
    assert "they have no text in common" in str(error)
    mixed = [{"text": item["text"], "spans": []} if at else item for at, item in enumerate(ben)]
    assert "3 of 4 records have no id" in str(refused(tmp_path, ann, mixed))
    twice = [{**item, "id": "r0"} for item in ben]
    assert "the id 'r0' is there twice" in str(refused(tmp_path, ann, twice, join="id"))
    same = [{**item, "text": "Ada met Bob in New York again."} for item in ben]
    assert "the text of record 1 is there twice" in str(refused(tmp_path, same, same, join="text"))
    assert "their texts differ" in str(refused(tmp_path, ann, ben[::-1], join="order"))
    assert "their numbers of records differ" in str(refused(tmp_path, ann, ben[1:], join="order"))
    assert isinstance(refused(tmp_path, ann, ben, join="name"), UsageError)


def test_too_few_annotators_are_refused(tmp_path: Path) -> None:
    ann = write(tmp_path / "ann.jsonl", records(ANN))
    with pytest.raises(InputError, match="it names no annotators"):
        ns.agree(ann)
    with pytest.raises(InputError, match="it names no annotators"):
        ns.agree({"ann": ann})
    one = write(tmp_path / "one.jsonl", sessions(ANN, BEN, "annotator")[:4])
    with pytest.raises(InputError, match="it has one annotator, ann@x"):
        ns.agree(one)
    with pytest.raises(UsageError, match="no annotator is given"):
        ns.agree({})
    with pytest.raises(UsageError, match="an annotator has this name"):
        ns.agree({"ann": ann, "ben": ann}, systems={"ann": ann})


@pytest.mark.parametrize(
    ("content", "kind"),
    [
        ("", InputError),
        ("{", InputError),
        ('{"rows": []}', FormatError),
        ('{"nerscope_agreement": 2}', FormatError),
        ('{"nerscope_agreement": 1, "rows": 3}', FormatError),
        ('{"nerscope_agreement": 1, "rows": [{"a": 1}]}', FormatError),
    ],
)
def test_damaged_files_are_refused(tmp_path: Path, content: str, kind: type[Exception]) -> None:
    path = tmp_path / "agreement.json"
    path.write_text(content)
    with pytest.raises(kind):
        ns.Agreement.load(path)


def test_a_missing_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="it cannot be read"):
        ns.Agreement.load(tmp_path / "none.json")


def test_workers_change_nothing(tmp_path: Path, whole: ns.Agreement) -> None:
    files = {
        name: write(tmp_path / f"{name}.jsonl", records(spans))
        for name, spans in (("ann", ANN), ("ben", BEN))
    }
    counted: list[int] = []
    agreement = ns.agree(files, workers=2, progress=counted.append)
    assert scores(agreement) == scores(whole)
    assert counted == [4]


@pytest.mark.parametrize("number", [0, 1])
def test_one_annotator_twice_is_refused(tmp_path: Path, number: int) -> None:
    """Which of the two counts is unknown, wherever the second one stands."""
    same: list[Spans] = [[[0, 3, "PER"]]] * len(TEXTS)
    tasks = label_studio(same, same)
    own = tasks[1]["annotations"]
    own.append({**own[number], "id": 999, "result": []})
    path = tmp_path / "export.json"
    path.write_text(json.dumps(tasks))
    name = ["ann@x", "benny@x"][number]
    with pytest.raises(
        InputError, match=rf"task 1: annotator {name} has 2 annotations of the text \(id 999\)"
    ):
        ns.agree(path)
    own[-1]["was_cancelled"] = True
    path.write_text(json.dumps(tasks))
    assert ns.agree(path).value("f1") == 1


def test_annotators_without_a_common_text_are_named(tmp_path: Path) -> None:
    tasks = label_studio(ANN, BEN)
    for at, task in enumerate(tasks):
        del task["annotations"][at % 2]
    path = tmp_path / "export.json"
    path.write_text(json.dumps(tasks))
    with pytest.raises(AlignmentError, match="no text in common") as error:
        ns.agree(path)
    for name in ("ann@x", "benny@x"):
        assert f"export.json::annotator={name}" in str(error.value)
