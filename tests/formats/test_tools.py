"""The exports of annotation tools: each is recognised and adapted to plain records."""

import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import nerscope as ns
from nerscope.corpus.corpus import Coding, Corpus, Note
from nerscope.errors import FormatError, InputError, UsageError
from nerscope.formats.base import open_source
from nerscope.formats.json.unwrapping import (
    NOT_ANNOTATED,
    OTHER_ANNOTATORS,
    OTHER_SURFACE,
    REJECTED_SPANS,
    UNALIGNED,
    UTF16,
)
from nerscope.formats.source import UNSET

TEXT = "Ada Lovelace lived in London."
ADA, LONDON = (0, 12, "PER"), (22, 28, "LOC")
Write = Callable[..., Path]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    def write(*items: Any, name: str = "f.jsonl") -> Path:
        path = tmp_path / name
        path.write_text("".join(json.dumps(item) + "\n" for item in items), encoding="utf-8")
        return path

    return write


def found(path: Path, **options: Any) -> list[tuple[str, str]]:
    """The text and type of each mention, in order."""
    corpus = ns.read(path, **options)
    return mentions(corpus)


def mentions(corpus: Corpus) -> list[tuple[str, str]]:
    marks, words, types = corpus.mentions(), [], corpus.coding.labels.types
    for sentence in range(len(corpus)):
        words += corpus.words(sentence)
    columns = (column.tolist() for column in (marks.start, marks.end, marks.type))
    return sorted((" ".join(words[a:b]), types[kind]) for a, b, kind in zip(*columns, strict=True))


BOTH = [("Ada Lovelace", "PER"), ("London", "LOC")]


def region(mark: tuple[int, int, str], **more: Any) -> dict[str, Any]:
    start, end, kind = mark
    value = {"start": start, "end": end, "text": TEXT[start:end], "labels": [kind]}
    return {"type": "labels", "from_name": "label", "to_name": "text", "value": value, **more}


def annotation(*marks: tuple[int, int, str], **more: Any) -> dict[str, Any]:
    return {"result": [region(mark) for mark in marks], **more}


def task(*annotations: dict[str, Any], **data: str) -> dict[str, Any]:
    return {"id": 1, "data": data or {"text": TEXT}, "annotations": list(annotations)}


def short(*marks: tuple[int, int, str], key: str = "label", **more: Any) -> dict[str, Any]:
    labels = {key: [region(mark)["value"] for mark in marks]} if marks else {}
    return {"id": 1, "text": TEXT, **labels, "annotator": 1, "lead_time": 2.5, **more}


def user(mark: tuple[int, int, str], name: int, label: object = None) -> dict[str, Any]:
    start, end, kind = mark
    label = kind if label is None else label
    return {"start_offset": start, "end_offset": end, "label": label, "user": name}


def turns(*said: str) -> dict[str, Any]:
    first = [f"Text: {TEXT}", "I've read this text."]
    return {
        "conversations": [
            {"from": ("human", "gpt")[at % 2], "value": value}
            for at, value in enumerate([*first, *said])
        ]
    }


def asks(kind: str) -> str:
    return f"What describes {kind} in the text?"


PRESIDIO = {
    "full_text": TEXT,
    "masked": "{{name}} lived in {{city}}.",
    "spans": [
        {"entity_type": kind, "entity_value": TEXT[a:b], "start_position": a, "end_position": b}
        for a, b, kind in (ADA, LONDON)
    ],
    "tokens": ["Ada"],
    "tags": ["U-PER"],
    "template_id": 3,
}
BIGBIO = {
    "id": "1",
    "document_id": "7",
    "passages": [
        {"id": "b", "type": "abstract", "text": ["lived in London."], "offsets": [[13, 29]]},
        {"id": "a", "type": "title", "text": ["Ada Lovelace"], "offsets": [[0, 12]]},
    ],
    "entities": [
        {"id": "x", "type": "PER", "text": ["Ada Lovelace"], "offsets": [[0, 12]]},
        {"id": "y", "type": "LOC", "text": ["London"], "offsets": [[22, 28]], "normalized": []},
    ],
    "events": [],
    "relations": [],
}
EXPORTS: dict[str, list[Any]] = {
    "Label Studio": [task(annotation(ADA, LONDON, completed_by=1))],
    "Label Studio, another key": [task(annotation(ADA, LONDON), ner=TEXT, title="Ada")],
    "Label Studio, the key of an earlier task": [
        task(annotation(ADA, LONDON), ner=TEXT, title="Ada"),
        task(annotation(), ner="No one.", title="x"),
    ],
    "Label Studio, completions": [
        {
            "data": {"text": TEXT},
            "completions": [annotation(ADA, LONDON, created_username="eve")],
            "predictions": [],
        }
    ],
    "Label Studio, a snapshot with ids of predictions": [
        {**task(annotation(ADA, LONDON)), "predictions": [7, 8], "drafts": [9]}
    ],
    "Label Studio, JSON_MIN": [short(ADA, LONDON), short()],
    "Label Studio, JSON_MIN, unlabelled first": [short(), short(ADA, LONDON)],
    "Label Studio, JSON_MIN, another control": [short(ADA, LONDON, key="ner", topic="London")],
    "doccano, data": [{"id": 1, "data": TEXT, "label": [list(ADA), list(LONDON)]}],
    "doccano, data and labels": [{"id": 1, "data": TEXT, "labels": [list(ADA), list(LONDON)]}],
    "doccano, one user": [{"text": TEXT, "annotations": [user(ADA, 1), user(LONDON, 1)]}],
    "Flair, to_dict": [
        {
            "text": TEXT,
            "entities": [
                {
                    "text": TEXT[start:end],
                    "start_pos": start,
                    "end_pos": end,
                    "labels": [{"value": kind, "confidence": 0.9}],
                }
                for start, end, kind in (ADA, LONDON)
            ],
        }
    ],
    "Presidio": [PRESIDIO],
    "BigBio": [BIGBIO],
    "UniversalNER": [turns(asks("PER"), '["Ada Lovelace"]', asks("LOC"), '["London"]')],
    "UniversalNER, a record for each type": [
        turns(asks("PER"), '["Ada Lovelace"]'),
        turns(asks("ORG"), "[]"),
        turns(asks("LOC"), "['London']"),
    ],
}


@pytest.mark.parametrize("tool", EXPORTS)
@pytest.mark.parametrize("as_list", [False, True])
def test_the_export_of_each_tool_is_read(tool: str, as_list: bool, tmp_path: Path) -> None:
    items = EXPORTS[tool]
    written = json.dumps(items, indent=1) if as_list else "\n".join(map(json.dumps, items))
    path = tmp_path / ("f.json" if as_list else "f.jsonl")
    path.write_text(written)
    assert found(path) == BOTH
    # To JSON Lines and back: the same mentions.
    again = tmp_path / "again.jsonl"
    ns.convert(path, again)
    assert found(again) == BOTH


def test_consecutive_questions_about_one_text_are_one_document(write: Write) -> None:
    first = [turns(asks("PER"), '["Ada Lovelace"]'), turns(asks("LOC"), '["London"]')]
    assert len(ns.read(write(*first))) == 1
    assert len(ns.read(write(*first, *first))) == 2  # a type that is asked again begins a new text


def test_strings_of_conversations_are_located_and_counted_as_answers(write: Write) -> None:
    gold = write(turns(asks("PER"), '["Ada Lovelace"]', asks("LOC"), '["London"]'), name="g.jsonl")
    said = turns(asks("PER"), '["Ada Lovelace", "Charles"]', asks("LOC"), "I do not know")
    system = write(said, name="s.jsonl")
    notes = ns.read(system).reading_notes.notes
    assert {kind: note.times for kind, note in notes.items()} == {
        "hallucinated mentions (not in the text)": 1,
        "answers that are only partly readable": 1,
    }
    # As a system, a string that is not in the text is a wrong prediction.
    results = ns.evaluate(gold, {"model": system})
    assert results.value(metric="precision", match="exact") == 0.5
    assert results.value(metric="recall", match="exact") == 0.5


def test_the_key_of_the_text_can_be_given(write: Write) -> None:
    two = task(annotation(), title="Ada", body=TEXT)
    with pytest.raises(FormatError, match=r"which key of the task .*title, body.*::text=KEY"):
        ns.read(write(two))
    assert len(ns.read(write(two), text="body").words(0)) == 6
    plain = {"title": "A", "body": TEXT, "text": "x", "spans": [list(ADA)]}
    assert found(write(plain), text="body") == BOTH[:1]
    with pytest.raises(FormatError, match="no text under the key 'boy'"):
        ns.read(write(plain), text="boy")
    with pytest.raises(FormatError, match="no text under the key 'boy'"):
        ns.read(write(two), text="boy")


TWO_ANNOTATORS: dict[str, tuple[list[Any], str, str]] = {
    "Label Studio": (
        [
            task(
                annotation(ADA, completed_by={"id": 7, "email": "eve@x.org"}),
                annotation(ADA, LONDON, completed_by=8),
            )
        ],
        "7",
        "8",
    ),
    "Label Studio, JSON_MIN": ([short(ADA), short(ADA, LONDON, annotator=2)], "1", "2"),
    "doccano": (
        [{"id": 1, "text": TEXT, "label": [user(ADA, 1), user(ADA, 2), user(LONDON, 2)]}],
        "1",
        "2",
    ),
    "Prodigy": (
        [
            {"text": TEXT, "spans": [list(ADA)], "answer": "accept", "_session_id": "ner-eve"},
            {"text": "Other.", "answer": "accept", "_session_id": "ner-bob"},
            {
                "text": TEXT,
                "answer": "accept",
                "_session_id": "ner-bob",
                "spans": [list(ADA), list(LONDON)],
            },
        ],
        "ner-eve",
        "ner-bob",
    ),
}


@pytest.mark.parametrize("tool", TWO_ANNOTATORS)
def test_a_text_of_two_annotators_needs_a_choice(tool: str, write: Write) -> None:
    items, first, second = TWO_ANNOTATORS[tool]
    path = write(*items)
    with pytest.raises(FormatError, match="several annotations") as caught:
        ns.read(path)
    assert f"{path}::annotator=all" in caught.value.fix
    assert found(path, annotator=first) == BOTH[:1]
    assert found(path, annotator=second) == BOTH
    assert found(path, annotator="all") == BOTH
    assert OTHER_ANNOTATORS in ns.read(path, annotator=first).reading_notes.notes


@pytest.mark.parametrize("name", ["eve@x.org", "7"])
def test_an_annotator_has_several_names(name: str, write: Write) -> None:
    assert found(write(*TWO_ANNOTATORS["Label Studio"][0]), annotator=name) == BOTH[:1]


def test_texts_divided_among_annotators_need_no_choice(write: Write) -> None:
    other = "Bob left."
    items = [
        {"text": TEXT, "spans": [list(ADA)], "annotator": "eve"},
        {"text": other, "spans": [[0, 3, "PER"]], "annotator": "tom"},
        {"text": other, "spans": [[0, 3, "PER"]], "annotator": "tom"},  # the same annotator again
    ]
    expected = [("Ada Lovelace", "PER"), ("Bob", "PER"), ("Bob", "PER")]
    assert found(write(*items)) == found(write(*items), annotator="all") == expected


def test_two_annotations_of_a_task_by_one_annotator_are_refused(write: Write) -> None:
    path = write(task(annotation(ADA, completed_by=1), annotation(LONDON, completed_by=1)))
    with pytest.raises(FormatError, match=r"several annotations, by 1\. Fix: .*annotator=all"):
        ns.read(path)
    assert found(path, annotator="all") == BOTH


def test_labels_of_two_annotators_cannot_be_joined(write: Write) -> None:
    one = {"tokens": ["Ada", "spoke"], "labels": ["B-PER", "O"], "annotator": "eve"}
    same, other = {**one, "annotator": "tom"}, {**one, "annotator": "tom", "labels": ["O", "O"]}
    assert found(write(one, same), annotator="all") == [("Ada", "PER")]
    with pytest.raises(FormatError, match=":2: labels of several annotators differ"):
        ns.read(write(one, other), annotator="all")


def test_spans_of_tokens_are_joined(write: Write) -> None:
    one = {"tokens": ["Ada", "met", "Bob"], "spans": [[0, 1, "PER"]], "annotator": "eve"}
    other = {**one, "spans": [[0, 1, "PER"], [2, 3, "PER"]], "annotator": "tom"}
    assert found(write(one, other), annotator="all") == [("Ada", "PER"), ("Bob", "PER")]


def test_numbers_of_doccano_labels_are_types_without_names(write: Write) -> None:
    path = write({"text": TEXT, "annotations": [user(ADA, 1, 12), user(LONDON, 1, 1)]})
    assert found(path) == [("Ada Lovelace", "12"), ("London", "1")]
    named = write({"text": TEXT, "annotations": [user(ADA, 1, 0), user(LONDON, 1, 1)]})
    assert found(named, names=["PER", "LOC"]) == BOTH


def note(path: Path, kind: str, **options: Any) -> Note:
    [chunk] = open_source(path, **options).chunks(Coding())
    return chunk.reading_notes.notes[kind]


def test_a_rejected_span_of_prodigy_is_left_out(write: Write) -> None:
    spans = [
        {"start": a, "end": b, "label": kind, "answer": answer}
        for (a, b, kind), answer in ((ADA, "accept"), (LONDON, "reject"))
    ]
    path = write({"text": TEXT, "spans": spans, "answer": "accept"})
    assert found(path) == BOTH[:1]
    assert note(path, REJECTED_SPANS) == Note(1, (1,))


@pytest.mark.parametrize("interval", [None, {"start_pos": None, "end_pos": None}, {}])
def test_an_unaligned_extraction_is_left_out(interval: Any, write: Write) -> None:
    found_one = {"start_pos": 0, "end_pos": 12}
    extractions = [
        {"extraction_class": "PER", "extraction_text": text, "char_interval": given}
        for text, given in (("Ada Lovelace", found_one), ("Ada Byron", interval))
    ]
    path = write({"text": TEXT, "document_id": "d", "extractions": extractions})
    assert found(path) == BOTH[:1]
    assert note(path, UNALIGNED) == Note(1, (1,), ("Ada Byron",))


def test_many_extractions_take_little_time(write: Write) -> None:
    extractions = [
        {"extraction_class": "X", "extraction_text": "a", "char_interval": interval}
        for at in range(20_000)
        for interval in ({"start_pos": 2 * at, "end_pos": 2 * at + 1}, None)
    ]
    path = write({"text": "a " * 20_000, "extractions": extractions})
    assert note(path, UNALIGNED).times == len(found(path)) == 20_000


def test_a_region_that_repeats_another_text_is_noted(write: Write) -> None:
    wrong, shifted = region(ADA), region((0, 11, "PER"))
    wrong["value"]["text"] = "Charles"
    shifted["value"]["text"] = "Ada Lovelace"
    path = write(task({"result": [wrong, region(LONDON)]}))
    assert found(path) == BOTH
    assert note(path, OTHER_SURFACE) == Note(1, (1,), ("Charles",))
    with pytest.raises(FormatError, match="the ends are inclusive"):
        ns.read(write(task({"result": [shifted]})))


def test_tasks_without_an_annotation_are_counted(write: Write) -> None:
    path = write(task(annotation(ADA)), {"data": {"text": "x"}, "completions": []})
    assert note(path, NOT_ANNOTATED) == Note(1, (2,))


def test_fragments_of_bigbio_are_kept_in_reading_order(write: Write) -> None:
    entity = {"type": "X", "text": ["London", "Ada"], "offsets": [[22, 28], [0, 3]]}
    corpus = ns.read(write({**BIGBIO, "entities": [entity]}))
    assert not corpus.is_flat
    assert len(corpus.mentions().start) == 1


def passage(text: Any, offsets: Any) -> dict[str, Any]:
    return {**BIGBIO, "passages": [{"text": text, "offsets": offsets}]}


BAD = (
    (passage(["Ada"], []), "invalid text or offsets of a passage"),
    (passage("Ada", [[0, "x"]]), "invalid text or offsets of a passage"),
    (passage(["Ada"], [[1 << 30, 1 << 31]]), "a passage begins at 1073741824"),
    (passage(["Ada", "Bob"], [[0, 3], [2, 5]]), "begins at 2, but the passage before it ends at 3"),
    ({**PRESIDIO, "spans": [7]}, "is not a list of objects"),
    (short(ADA, other=[region(LONDON)["value"]]), "mentions under label and under other"),
    ({"conversations": [7]}, "is not a conversation"),
    ({"conversations": [{"from": "gpt", "value": "x"}]}, "does not begin with a text"),
    ({"conversations": [{"from": "cat", "value": "x"}]}, "is not a turn of a conversation"),
    (turns(asks("PER")), "a question of the conversation has no answer"),
    (turns("Who?", "[]"), "the question 'Who?' does not ask for a type"),
    (turns("What describes" + " " * 20_000, "[]"), "does not ask for a type"),
    (turns(asks("a\x1fb"), "[]"), "does not ask for a type"),
)


@pytest.mark.parametrize(("item", "fact"), BAD)
def test_bad_exports_are_refused_at_their_place(item: Any, fact: str, write: Write) -> None:
    with pytest.raises(FormatError) as caught:
        ns.read(write(item))
    assert fact in caught.value.fact
    assert caught.value.place.endswith(":1")


JUNK: tuple[Any, ...] = (
    *(None, True, 7, -1, 1 << 70, "", "\ud83d", "x"),
    *([], {}, [None], [[0, 3, "PER"]], {"text": 3}),
)


def damaged(value: Any, rng: random.Random) -> Any:
    """The value with one part replaced or removed."""
    if rng.random() < 0.2 or not isinstance(value, dict | list) or not value:
        return rng.choice(JUNK)
    if isinstance(value, dict):
        key = rng.choice(list(value))
        if rng.random() < 0.2:
            return {other: part for other, part in value.items() if other != key}
        return {**value, key: damaged(value[key], rng)}
    at = rng.randrange(len(value))
    return [*value[:at], damaged(value[at], rng), *value[at + 1 :]]


ALL_EXPORTS = [*EXPORTS.values(), *(items for items, _, _ in TWO_ANNOTATORS.values())]


@pytest.mark.parametrize("items", ALL_EXPORTS)
def test_damaged_exports_are_read_or_refused(items: list[Any], write: Write) -> None:
    rng = random.Random(json.dumps(items))
    for _ in range(150):
        path = write(*(damaged(item, rng) for item in items))
        options = rng.choice([{}, {"annotator": "all"}, {"annotator": "1"}, {"text": "text"}])
        try:
            ns.read(path, **options)
        except (InputError, UsageError) as error:
            assert str(error).encode("utf-8", "strict")


@pytest.mark.parametrize("tool", EXPORTS)
def test_truncated_exports_are_read_or_refused(tool: str, write: Write) -> None:
    path = write(*EXPORTS[tool])
    data = path.read_bytes()
    for size in range(0, len(data), 37):
        path.write_bytes(data[:size])
        try:
            ns.read(path)
        except (InputError, UsageError) as error:
            assert error.fix


def test_the_address_of_a_text_is_no_text(write: Write) -> None:
    item = task(annotation(ADA), text="https://example.org/a.txt")
    with pytest.raises(FormatError, match="the address of a text, not the text"):
        ns.read(write(item))


def test_a_document_without_extractions_has_no_mentions(write: Write) -> None:
    extraction = {
        "extraction_class": "PER",
        "extraction_text": "Ada Lovelace",
        "char_interval": {"start_pos": 0, "end_pos": 12},
    }
    items = [{"text": "No one.", "extractions": None}, {"text": TEXT, "extractions": [extraction]}]
    assert found(write(*items)) == BOTH[:1]


def test_unknown_annotations_of_spacy_are_counted(write: Write) -> None:
    words = [("Ada", "U-PER"), ("met", "-"), ("Bo", "O")]
    tokens = [{"orth": word, "ner": label} for word, label in words]
    corpus = ns.read(write({"id": 0, "paragraphs": [{"sentences": [{"tokens": tokens}]}]}))
    assert mentions(corpus) == [("Ada", "PER")]
    assert corpus.reading_notes.notes[UNSET].times == 1


@pytest.mark.parametrize("held", [{"text": "Ada"}, {"tokens": ["Ada"]}])
def test_null_is_no_list_of_mentions(held: dict[str, Any], write: Write) -> None:
    with pytest.raises(FormatError, match=r"the mentions \(key 'entities'\) are null"):
        ns.read(write({"id": 1, **held, "entities": None}))


def test_utf_16_offsets_of_a_task_are_converted(write: Write) -> None:
    def marked(*places: tuple[int, int, str]) -> dict[str, Any]:
        values = [{"start": a, "end": b, "text": said, "labels": ["PER"]} for a, b, said in places]
        result = [{"type": "labels", "value": value} for value in values]
        return {"data": {"text": "Ada 😀 Bo and Eve"}, "annotations": [{"result": result}]}

    both = [("Ada", "PER"), ("Bo", "PER")]
    path = write(marked((0, 3, "Ada"), (7, 9, "Bo")))
    assert found(path) == both
    assert note(path, UTF16).times == 1
    assert found(write(marked((0, 3, "Ada"), (6, 8, "Bo")))) == both
    # If some region does not fit either way, nothing is guessed.
    with pytest.raises(FormatError, match="UTF-16"):
        ns.read(write(marked((0, 3, "Ada"), (7, 9, "Bo"), (13, 16, "Eve"))))
