"""What one mapping says, in the words of every tool; and what is refused, with a fix."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nerscope.corpus.corpus import Note, ParsedSentence
from nerscope.errors import FormatError, InputError
from nerscope.formats.json.records import has_offsets, read_record, read_records, schema_of
from nerscope.formats.json.unwrapping import (
    CANCELLED,
    NOT_ANNOTATED,
    OTHER_ANNOTATORS,
    REJECTED,
    LeftOut,
)
from nerscope.formats.standoff.text import Record

TEXT = "Ada Lovelace met Zoë in Oslo"
ADA, ZOE, OSLO = (0, 12), (17, 20), (24, 28)
TWO = [(0, 12, "PER"), (24, 28, "LOC")]
WORDS = TEXT.split()
TAGS = ["B-PER", "I-PER", "O", "O", "O", "B-LOC"]
NO_TAGS = ["O"] * 6
UNREAD = "no mentions can be read from the value of"
OFFSETS = [(0, 3), (4, 12), (13, 16), (17, 20), (21, 23), (24, 28)]


def marks(start: str = "start", end: str = "end", label: str = "label") -> list[dict[str, Any]]:
    return [{start: low, end: high, label: kind} for low, high, kind in TWO]


def region(low: int, high: int, kind: str, **more: Any) -> dict[str, Any]:
    value = {"start": low, "end": high, "text": TEXT[low:high], "labels": [kind]}
    return {"id": "x", "type": "labels", "from_name": "label", "value": value, **more}


def extraction(low: int, high: int, kind: str, **more: Any) -> dict[str, Any]:
    interval = {"start_pos": low, "end_pos": high}
    words = {"extraction_class": kind, "extraction_text": TEXT[low:high]}
    return {**words, "char_interval": interval, **more}


def spans_of(record: object) -> list[tuple[int, int, str]]:
    """The spans of a text whose mentions are whole."""
    assert isinstance(record, Record)
    assert record.text == TEXT
    return [(*fragment, span.type) for span in record.spans for fragment in span.fragments]


PRODIGY_TOKENS = [
    {"text": TEXT[low:high], "start": low, "end": high, "id": at, "ws": True}
    for at, (low, high) in enumerate(OFFSETS)
]
TEXTS: dict[str, Any] = {
    "Prodigy": {
        "text": TEXT,
        "_input_hash": 7,
        "tokens": PRODIGY_TOKENS,
        "spans": [
            {"start": 0, "end": 12, "token_start": 0, "token_end": 1, "label": "PER"},
            {"start": 24, "end": 28, "token_start": 5, "token_end": 5, "label": "LOC"},
        ],
        "answer": "accept",
    },
    "doccano, triples": {"id": 1, "text": TEXT, "label": [list(one) for one in TWO]},
    "doccano, plural": {"text": TEXT, "labels": [list(one) for one in TWO]},
    "doccano, entities": {
        "id": 3,
        "text": TEXT,
        "Comments": [],
        "relations": [{"id": 1, "from_id": 1, "to_id": 2, "type": "in"}],
        "entities": [{"id": 9, **one} for one in marks("start_offset", "end_offset")],
    },
    "spaCy 2": {"text": TEXT, "entities": [list(one) for one in TWO]},
    "spaCy 3": {"text": TEXT, "ents": marks(), "tokens": [{"id": 0, "start": 0, "end": 3}]},
    "spaCy 3, span groups": {
        "text": TEXT,
        "ents": [],
        "spans": {"sc": marks()[:1], "more": marks()[1:]},
    },
    "GLiNER, predictions": {
        "text": TEXT,
        "entities": [
            {"start": low, "end": high, "text": TEXT[low:high], "label": kind, "score": 0.9}
            for low, high, kind in TWO
        ],
    },
    "Label Studio": {
        "id": 1,
        "data": {"text": TEXT},
        "annotations": [{"id": 2, "completed_by": 1, "result": [region(*one) for one in TWO]}],
    },
    "Label Studio, predictions alone": {
        "data": {"text": TEXT},
        "predictions": [{"model_version": "a", "result": [region(*one) for one in TWO]}],
    },
    "Label Studio, the short export": {
        "text": TEXT,
        "annotator": 1,
        "label": [
            {"start": low, "end": high, "text": TEXT[low:high], "labels": [kind]}
            for low, high, kind in TWO
        ],
    },
    "LangExtract": {
        "text": TEXT,
        "document_id": "d",
        "extractions": [extraction(*one) for one in TWO],
    },
    "LangExtract, found loosely": {
        "text": TEXT,
        "extractions": [
            extraction(0, 12, "PER", extraction_text="ada", alignment_status="match_fuzzy"),
            extraction(24, 28, "LOC", alignment_status="match_exact"),
        ],
    },
    "Hugging Face pipeline": {
        "text": TEXT,
        "entities": [
            {"entity_group": kind, "score": 0.9, "word": "##ada", "start": low, "end": high}
            for low, high, kind in TWO
        ],
    },
    "Rasa": {
        "text": TEXT,
        "intent": "x",
        "entities": [{"value": "y", **one} for one in marks(label="entity")],
    },
    "rows of arrays": {
        "text": TEXT,
        "entities": [
            {"start": np.int64(low), "end": np.int32(high), "label": kind}
            for low, high, kind in TWO
        ],
    },
    "a service, capitals": {
        "Text": TEXT,
        "Entities": [
            {"BeginOffset": low, "EndOffset": high, "Text": TEXT[low:high], "Type": kind}
            for low, high, kind in TWO
        ],
    },
    "a service, lengths": {
        "text": TEXT,
        "entities": [
            {"offset": low, "length": high - low, "category": kind} for low, high, kind in TWO
        ],
    },
    "pairs of offsets": {
        "text": TEXT,
        "entities": [{"span": [low, high], "type": kind} for low, high, kind in TWO],
    },
    "lists of pairs, and of words": {
        "text": TEXT,
        "entities": [
            {"offsets": [[low, high]], "text": [TEXT[low:high]], "type": kind}
            for low, high, kind in TWO
        ],
    },
    "columns of a table": {
        "text": TEXT,
        "entities": {"start": [0, 24], "end": [12, 28], "label": ["PER", "LOC"]},
    },
    "letters beside tokens": {
        "text": TEXT,
        "entities": [
            {"start": 0, "end": 2, "start_char": 0, "end_char": 12, "label": "PER"},
            {"start": 5, "end": 6, "start_char": 24, "end_char": 28, "label": "LOC"},
        ],
    },
    "other key of the text": {"sentence": TEXT, "annotations": marks("begin", "end", "tag")},
    "words beside a text": {"text": TEXT, "tokens": WORDS, "spans": marks(label="class")},
    "mentions beside classes of the text": {"text": TEXT, "entities": marks(), "labels": ["sport"]},
}


@pytest.mark.parametrize("tool", TEXTS)
def test_every_tool_says_the_same_of_a_text(tool: str) -> None:
    record = read_record(TEXTS[tool], "f:4", 4)
    assert spans_of(record) == TWO
    assert isinstance(record, Record)
    assert record.line == 4
    assert has_offsets(TEXTS[tool]) is True


def test_a_pair_of_text_and_entities_is_a_record() -> None:
    [said] = read_records([TEXT, {"entities": TWO}], "f:1", 1, left_out={})
    assert spans_of(said.record) == TWO
    assert has_offsets([TEXT, {"entities": TWO}]) is True


def test_pairs_may_stand_below_their_classes() -> None:
    left_out: LeftOut = {}
    item = {"classes": ["PER"], "annotations": [[TEXT, {"entities": TWO}], None]}
    [said] = read_records(item, "f:1", 1, left_out=left_out)
    assert spans_of(said.record) == TWO
    assert left_out == {NOT_ANNOTATED: Note(1, (1,))}


def test_line_ends_and_blanks_of_words_may_be_written_otherwise() -> None:
    spans = [
        {"start": 0, "end": 9, "label": "X", "text": said} for said in ("Ada\\nspoke", "Ada  spoke")
    ]
    record = read_record({"text": "Ada\nspoke", "spans": spans}, "f:1", 1)
    assert len(record.spans) == 2


@pytest.mark.parametrize(
    "tokens",
    [
        PRODIGY_TOKENS,
        WORDS,
        [{"id": at, "start": a, "end": b} for at, (a, b) in enumerate(OFFSETS)],
    ],
)
def test_tokens_beside_a_text_are_kept(tokens: list[Any]) -> None:
    record = read_record({"text": TEXT, "tokens": tokens, "spans": []}, "f:1", 1)
    assert isinstance(record, Record)
    assert record.tokens == OFFSETS


def test_nested_overlapping_and_discontinuous_mentions_are_kept() -> None:
    spans: list[Any] = [
        {"start": 0, "end": 12, "label": "PER"},
        {"start": 4, "end": 12, "label": "LAST"},
        {"start": 4, "end": 16, "label": "X"},
        {"start": 0, "end": 20, "label": "PAIR", "fragments": [[0, 3], [17, 20]]},
        {"fragments": [{"start": 0, "end": 3}, {"start": 13, "end": 16}], "label": "ALSO"},
    ]
    record = read_record({"text": TEXT, "spans": spans}, "f:1", 1)
    assert isinstance(record, Record)
    assert [span.fragments for span in record.spans] == [
        *(((0, 12),), ((4, 12),), ((4, 16),)),
        *(((0, 3), (17, 20)), ((0, 3), (13, 16))),
    ]


def test_a_region_with_two_labels_is_two_mentions() -> None:
    item = {"text": TEXT, "label": [{"start": 0, "end": 3, "labels": ["PER", "NAME"]}]}
    record = read_record(item, "f:1", 1)
    assert spans_of(record) == [(0, 3, "PER"), (0, 3, "NAME")]


LABELS = ["B-PER", "I-PER", "O", "O", "O", "B-LOC"]
NAMES = ["O", "B-PER", "I-PER", "B-LOC"]
IDS = [NAMES.index(label) for label in LABELS]


@pytest.mark.parametrize(
    "item",
    [
        {"tokens": WORDS, "ner_tags": LABELS, "pos_tags": ["X"] * 6, "id": "0"},
        {"tokens": WORDS, "labels": LABELS},
        {"words": WORDS, "tags": LABELS},
        {"tokens": WORDS, "ner": LABELS},
        {"sentence": WORDS, "labels": LABELS},
        {"tokens": WORDS, "ner_tags": IDS},
        {"tokens": WORDS, "ner_tags": np.array(IDS), "text": TEXT},
        # Spans as strings stand beside the labels in some datasets.
        {"tokens": WORDS, "ner_tags": LABELS, "spans": ["PER: Ada Lovelace", "LOC: Oslo"]},
        {
            "id": 0,
            "paragraphs": [
                {
                    "sentences": [
                        {
                            "tokens": [
                                {"orth": word, "ner": label}
                                for word, label in zip(WORDS, LABELS, strict=True)
                            ]
                        }
                    ]
                }
            ],
        },
    ],
)
def test_labels_of_tokens_are_read_as_strings_or_numbers(item: dict[str, Any]) -> None:
    parts = read_record(item, "f:3", 3, NAMES)
    assert parts == ParsedSentence(WORDS, LABELS, [], 3, 6)
    assert has_offsets(item) is True


@pytest.mark.parametrize(
    "item",
    [
        {"tokens": WORDS, "spans": [[0, 2, "PER"], [5, 6, "LOC"]]},
        {
            "tokens": WORDS,
            "entities": [
                {"start": 0, "end": 2, "type": "PER", "text": "Ada Lovelace"},
                {"start": 5, "end": 6, "type": "LOC"},
            ],
        },
        {"tokenized_text": WORDS, "ner": [[0, 1, "PER"], [5, 5, "LOC"]]},
        {"tokens": WORDS, "entities": {"start": [0, 5], "end": [2, 6], "type": ["PER", "LOC"]}},
        {"tokens": WORDS, "spans": [[0, 2, 1], [5, 6, 3]]},
    ],
)
def test_spans_of_tokens_end_behind_them_except_for_gliner(item: dict[str, Any]) -> None:
    parts = read_record(item, "f:3", 3, ["O", "PER", "X", "LOC"])
    assert parts == ParsedSentence(WORDS, None, [(0, 2, "PER"), (5, 6, "LOC")], 3, 6)


def test_a_mention_of_tokens_may_have_holes() -> None:
    item = {"tokens": WORDS, "spans": [{"fragments": [[0, 1], [3, 4], [4, 5]], "label": "X"}]}
    parts = read_record(item, "f:1", 1)
    assert isinstance(parts, ParsedSentence)
    assert parts.spans == [(0, 5, "X")]
    assert parts.shapes is not None
    assert [shape.holes for shape in parts.shapes] == [((1, 3),)]


@pytest.mark.parametrize(
    ("item", "counts"),
    [
        ({"text": TEXT, "labels": []}, "letters"),
        ({"text": TEXT, "tokens": PRODIGY_TOKENS, "answer": "accept"}, "letters"),
        ({"text": TEXT, "tokens": WORDS, "labels": []}, "letters"),
        ({"tokenized_text": WORDS, "ner": []}, "tokens"),
        ({"tokens": WORDS, "entities": []}, "tokens"),
        ({"tokens": WORDS, "labels": LABELS}, "labels"),
    ],
)
def test_no_mention_is_no_trouble(item: dict[str, Any], counts: str) -> None:
    schema = schema_of(item)
    assert schema is not None
    assert schema.counts == counts
    said = read_record(item, "f:1", 1)
    assert not said.spans


UNPLACED: list[Any] = [
    {"text": TEXT, "entities": [{"text": "Oslo", "type": "LOC"}]},
    {"text": TEXT, "entities": ["Oslo"]},
    {"text": TEXT, "entities": {"LOC": ["Oslo"], "PER": ["Ada", "Zoë"]}},
    {"text": TEXT, "extractions": [{"extraction_class": "LOC", "extraction_text": "Oslo"}]},
    {"text": TEXT, "labels": {"LOC": ["Oslo"]}},
]


@pytest.mark.parametrize("item", UNPLACED)
def test_mentions_without_offsets_are_left_to_others(item: dict[str, Any]) -> None:
    assert has_offsets(item) is False
    with pytest.raises(FormatError):
        read_record(item, "f:1", 1)


@pytest.mark.parametrize("item", [{"text": TEXT, "spans": []}, {"body": TEXT}, 7, "text", [], None])
def test_what_cannot_be_told_is_not_told(item: object) -> None:
    assert has_offsets(item) is None


def one(start: Any, end: Any, kind: Any = "PER", **more: Any) -> dict[str, Any]:
    return {"text": TEXT, "spans": [{"start": start, "end": end, "label": kind, **more}]}


ENDS = "add 1 to each end; the ends are inclusive"
PARTY = "🎉 Ada"


@pytest.mark.parametrize(
    ("item", "fact", "fix"),
    [
        # offsets that are none
        (one(-1, 3), "invalid offset -1", "whole numbers"),
        (one(0.0, 3), "invalid offset 0.0", "whole numbers"),
        (one("0", 3), "invalid offset '0'", "whole numbers"),
        (one(True, 3), "invalid offset True", "whole numbers"),
        (one(None, 3), "invalid offset None", "whole numbers"),
        ({"text": TEXT, "label": [[0, 3]]}, "[0, 3] is not a span", "format=answers"),
        ({"text": TEXT, "label": [7]}, "7 is not a span", "format=answers"),
        ({"text": TEXT, "spans": [{"start": 0, "label": "X"}]}, "no start and end", "give start"),
        (
            {"text": TEXT, "spans": [{"fragments": [[0, 3, 4]], "label": "X"}]},
            "[0, 3, 4] is not a fragment",
            "[start, end]",
        ),
        # types that are none
        (one(0, 3, ""), "invalid type ''", "string"),
        (one(0, 3, None), "invalid type None", "string"),
        (one(0, 3, "P\0"), "invalid type", "string"),
        (one(0, 3, "\ud83d"), "invalid type", "string"),
        (one(0, 3, 2), "label 2 is a number and no label names were given", "names=O+B-PER"),
        ({"text": TEXT, "spans": [{"start": 0, "end": 3}]}, "no type (its keys are start", "label"),
        (
            {"text": TEXT, "entities": [{"entity": "B-PER", "start": 0, "end": 3, "word": "Ada"}]},
            "B-PER is the label of a word piece",
            "aggregation_strategy",
        ),
        # words that are not where they should be
        (one(0, 11, text="Ada Lovelace"), "the text at 0–11 is 'Ada Lovelac', not 'Ada L", ENDS),
        (one(1, 13, text="Ada Lovelace"), "is 'da Lovelace '", "offsets count from 1"),
        (one(1, 12, text="Ada Lovelace"), "is 'da Lovelace'", "starts count from 1"),
        (one(5, 9, text="Oslo"), "is 'ovel', not 'Oslo'", "count from 0"),
        (
            {"text": PARTY, "spans": [{"start": 3, "end": 6, "label": "PER", "text": "Ada"}]},
            "is 'da', not 'Ada'",
            "UTF-16",
        ),
        (
            {"text": PARTY, "spans": [{"start": 5, "end": 8, "label": "PER", "text": "Ada"}]},
            "is '', not 'Ada'",
            "bytes",
        ),
        (
            {"tokens": WORDS, "entities": [{"start": 0, "end": 1, "type": "PER", "text": "Ada L"}]},
            "is 'Ada', not 'Ada L'",
            "count from 0",
        ),
        (
            {
                "tokens": WORDS,
                "entities": [{"start": 0, "end": 1, "type": "PER", "text": "Ada Lovelace"}],
            },
            "is 'Ada', not",
            ENDS,
        ),
        # tokens beside a text
        (
            {"text": TEXT, "tokens": WORDS, "spans": [[0, 2, "PER"]]},
            "the span 0–2 begins or ends inside a token",
            "remove the text",
        ),
        (
            {"text": TEXT, "tokens": ["Ada", "met"], "spans": []},
            "'met' is not the next word",
            "spell",
        ),
        ({"text": TEXT, "tokens": [{"text": "A"}], "spans": []}, "the keys are text", "start"),
        # labels
        ({"tokens": WORDS, "ner_tags": IDS}, "label 1 is a number", "names="),
        ({"tokens": ["a"], "ner_tags": [True]}, "invalid type True", "string"),
        # which key?
        ({"text": TEXT, "spans": marks(), "entities": marks()}, "under spans and under e", "keep"),
        (
            {"body": TEXT, "id": 3},
            "unknown layout of a record, with the keys body, id",
            "response (or answer, completion, content): an answer of a language model",
        ),
        ({"text": TEXT}, "unknown layout of a record, with the keys text", "text and spans"),
        ({}, "unknown layout of a record, with the keys none", "text and spans"),
        (
            {"text": TEXT, "spans": [], "entities": [*marks(), {"label": "X"}]},
            "no start and",
            "give",
        ),
        (
            {"text": TEXT, "spans": [], "entities": [{"text": "Ada", "label": "X"}]},
            UNREAD,
            "answers",
        ),
        ({"text": TEXT, "spans": "0 3 PER", "answer": "accept"}, UNREAD, "[start, end, type]"),
        ({"text": TEXT, "spans": {"a": 1}, "answer": "accept"}, UNREAD, "one key"),
        ({"text": TEXT, "spans": {"a": 1}, "entities": []}, UNREAD, "one key"),
        ({"text": TEXT, "spans": [], "ner_tags": ["B-PER", "O"]}, UNREAD, "one key"),
        ({"tokens": WORDS, "spans": [], "entities": ["Ada"]}, UNREAD, "one key"),
        (
            {"tokens": WORDS, "labels": NO_TAGS, "spans": [[0, 2, "PER"]]},
            "labels and under s",
            "keep",
        ),
        ({"tokens": WORDS, "labels": TAGS, "spans": [[0, 1, "PER"]]}, "labels and under s", "keep"),
        (
            {
                "tokens": WORDS,
                "labels": TAGS,
                "spans": [{"fragments": [[0, 1], [2, 3]], "type": "X"}],
            },
            "labels and under spans",
            "keep",
        ),
        (
            {"text": TEXT, "tokens": WORDS, "labels": TAGS, "spans": [[0, 3, "PER"]]},
            "labels and under spans",
            "keep",
        ),
        ({"tokens": WORDS, "labels": NO_TAGS, "entities": ["PER: Ada"]}, UNREAD, "one key"),
        (
            {"tokens": WORDS, "ner_tags": NO_TAGS, "labels": TAGS},
            "ner_tags and under labels",
            "keep",
        ),
        ({"tokens": WORDS, "ner_tags": TAGS, "tags": IDS[::-1]}, "ner_tags and under tags", "keep"),
        # tokens and fragments
        (
            {"tokens": WORDS, "spans": [{"fragments": [[3, 4], [0, 1]], "label": "X"}]},
            "overlap, are empty or are out of order",
            "reading order",
        ),
        # wrappers
        (
            {"data": {"url": "x"}, "annotations": [{"result": []}]},
            "which key of the task has the text (the keys are url)",
            "f.jsonl::text=KEY",
        ),
        ({"data": {"text": "x"}, "annotations": 7}, "7 is not a list of objects", "export"),
        (
            {"data": {"text": "x"}, "annotations": [{"result": [{"type": "hypertextlabels"}]}]},
            "regions of type 'hypertextlabels'",
            "Labels",
        ),
        ({"text": TEXT, "spans": [], "answer": "reject"}, "0 records where one is expected", "one"),
    ],
)
def test_bad_records_are_refused_with_a_fix(item: dict[str, Any], fact: str, fix: str) -> None:
    with pytest.raises(FormatError) as caught:
        read_record(item, "f.jsonl:7", 7)
    assert caught.value.place == "f.jsonl:7"
    assert fact in caught.value.fact
    assert fix in caught.value.fix


@pytest.mark.parametrize(
    "more",
    [
        {"spans": [[0, 2, "PER"], [5, 6, "LOC"]]},
        {"text": TEXT, "spans": TWO},
        {"spans": []},
        {"spans": None},
        {"spans": float("nan")},
        {"spans": {"start": [], "end": [], "label": []}},
        {"spans": ["PER: Ada Lovelace", "LOC: Oslo"]},
        {"labels": TAGS},
        {"labels": IDS},
        {"labels": [-100, *IDS, -100]},  # of pieces of words
        {"tags": ["NNP", "NNP", "VB", "NNP", "IN", "NNP"]},
        {"labels": ["letter", "science"]},
    ],
)
def test_what_says_the_same_as_labels_may_stand_beside_them(more: dict[str, Any]) -> None:
    said = read_record({"tokens": WORDS, "ner_tags": TAGS, **more}, "f:1", 1)
    assert isinstance(said, ParsedSentence) and said.labels == TAGS


@pytest.mark.parametrize("more", [{"labels": ["letter"]}, {"label": "letter"}, {"labels": [0, 1]}])
def test_topics_of_a_text_are_no_mentions(more: dict[str, Any]) -> None:
    assert spans_of(read_record({"text": TEXT, "spans": [], **more}, "f:1", 1)) == []


def test_bare_types_may_stand_beside_the_same_spans() -> None:
    item = {"tokens": ["Ada", "spoke"], "labels": ["PER", "O"], "spans": [[0, 1, "PER"]]}
    said = read_record(item, "f:1", 1)
    assert isinstance(said, ParsedSentence) and said.labels == ["PER", "O"]


def test_a_paragraph_with_offsets_is_read_as_text() -> None:
    item = {"paragraphs": [{"raw": TEXT, "entities": TWO}, {"raw": TEXT, "entities": []}]}
    said = [one.record for one in read_records(item, "f:1", 1, left_out={})]
    assert [spans_of(one) for one in said] == [TWO, []]


def test_offsets_of_a_paragraph_count_where_its_tokens_have_no_labels() -> None:
    sentences = [{"tokens": [{"orth": word} for word in WORDS]}]
    item = {"paragraphs": [{"raw": TEXT, "entities": TWO, "sentences": sentences}]}
    assert spans_of(read_record(item, "f:1", 1)) == TWO


@pytest.mark.parametrize(
    ("item", "fact"),
    [
        ({"tokens": WORDS, "labels": ["O"]}, "6 tokens but 1 labels"),
        ({"tokens": WORDS, "labels": []}, "6 tokens but 0 labels"),
        ({"tokens": [], "labels": []}, "the sentence is empty"),
        ({"tokens": WORDS, "spans": [[0, 0, "X"]]}, "is empty or outside the 6 tokens"),
        ({"tokenized_text": WORDS, "ner": [[5, 6, "X"]]}, "is empty or outside the 6 tokens"),
        ({"tokens": ["\ud83d"], "labels": ["O"]}, "half a character"),
        ({"tokens": ["a"], "ner_tags": [4]}, "only 2 label names were given"),
    ],
)
def test_bad_sentences_are_refused(item: dict[str, Any], fact: str) -> None:
    with pytest.raises(InputError, match="f:7: ") as caught:
        read_record(item, "f:7", 7, ["O", "B-X"])
    assert fact in caught.value.fact


@pytest.mark.parametrize("item", [7, "text", None, [1, 2], [[0, 3, "PER"]], [{"start": 0}]])
def test_a_value_that_is_no_record_is_refused(item: object) -> None:
    with pytest.raises(FormatError, match="is not a record"):
        list(read_records(item, "f:1", 1, left_out={}))


def task(**by: Any) -> dict[str, Any]:
    """A task with three annotations and one prediction."""
    return {
        "data": {"text": TEXT},
        "annotations": [
            {"completed_by": 1, "was_cancelled": True, "result": []},
            {"completed_by": {"id": 2, "email": "b@x.org"}, "result": [region(*TWO[0])]},
            {"completed_by": 3, "result": [region(*TWO[1])]},
        ],
        "predictions": [{"model_version": "bert", "result": [region(17, 20, "PER")]}],
    }


@pytest.mark.parametrize(
    ("annotator", "spans", "others"),
    [
        ("2", [TWO[0]], 1),
        ("b@x.org", [TWO[0]], 1),
        ("3", [TWO[1]], 1),
        ("bert", [(17, 20, "PER")], 2),
    ],
)
def test_one_annotator_of_a_task_is_chosen_and_the_others_are_counted(
    annotator: str, spans: list[Any], others: int
) -> None:
    left_out: LeftOut = {}
    [said] = read_records(task(), "f:5", 5, annotator=annotator, left_out=left_out)
    assert spans_of(said.record) == spans
    assert left_out == {CANCELLED: Note(1, (5,)), OTHER_ANNOTATORS: Note(others, (5,) * others)}


def test_a_task_that_nobody_has_done_is_counted() -> None:
    left_out: LeftOut = {}
    item = {"data": {"text": TEXT}, "annotations": [], "predictions": task()["predictions"]}
    assert not list(read_records(item, "f:5", 5, left_out=left_out))
    assert not list(read_records(task(), "f:6", 6, annotator="nobody", left_out=left_out))
    assert left_out[NOT_ANNOTATED] == Note(2, (5, 6))


def test_relations_and_choices_of_a_task_are_no_mentions() -> None:
    item = task()
    more = [{"type": "relation", "from_id": "x"}, region(0, 3, "X", type="choices")]
    item["annotations"][1]["result"] += more
    [said] = read_records(item, "f:5", 5, annotator="2", left_out={})
    assert spans_of(said.record) == [TWO[0]]


@pytest.mark.parametrize("answer", ["reject", "ignore"])
def test_what_was_not_accepted_is_left_out_and_counted(answer: str) -> None:
    left_out: LeftOut = {}
    assert not list(read_records({**one(0, 3), "answer": answer}, "f:5", 5, left_out=left_out))
    assert left_out == {REJECTED: Note(1, (5,))}


def test_an_annotator_may_be_named_in_each_record() -> None:
    left_out: LeftOut = {}
    items = [{**one(0, 3), "_annotator_id": who} for who in ("a", "b")] + [one(4, 12)]
    said = [
        said
        for item in items
        for said in read_records(item, "f:5", 5, annotator="b", left_out=left_out)
    ]
    assert [spans_of(one.record)[0][:2] for one in said] == [(0, 3), (4, 12)]
    assert left_out == {OTHER_ANNOTATORS: Note(1, (5,))}


def nested(depth: int) -> list[Any]:
    found: list[Any] = []
    for _ in range(depth):
        found = [found]
    return found


HUGE = 10**4000


@pytest.mark.parametrize(
    "item",
    [
        {"text": TEXT, "spans": ["x" * 10_000]},
        {"text": TEXT, "spans": [nested(5000)]},
        {"text": TEXT, "spans": nested(5000)},
        {"text": TEXT, "spans": [{"span": nested(5000), "label": "X"}]},
        {"text": TEXT, "spans": [{"start": nested(5000), "end": 3, "label": "X"}]},
        one(0, 3, nested(5000)),
        one(0, HUGE),
        one(0, 3, HUGE),
        {"tokens": ["a"], "spans": [[0, HUGE, "X"]]},
        {"tokens": ["a"], "labels": [HUGE]},
        {"classes": [], "annotations": [nested(5000)]},
        {"\ud83d" * 1000: 1, "b\n": 2},
        {"data": {"\ud83d": 1}, "annotations": [{"result": []}]},
        nested(5000),
    ],
    ids=range(14),
)
def test_messages_stay_short_and_printable_whatever_the_value(item: Any) -> None:
    has_offsets(item)
    with pytest.raises(FormatError) as caught:
        list(read_records(item, "f:1", 1, left_out={}))
    assert len(str(caught.value)) < 500
    assert "\n" not in str(caught.value)
    assert str(caught.value).encode()


KEYS = (
    *("text", "tokens", "spans", "entities", "labels", "ner", "start", "end", "label"),
    *("data", "annotations", "result", "value", "paragraphs", "offsets", "type", "answer"),
)
json_like = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 30) | st.floats() | st.text(max_size=4),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(KEYS),
            inner,
            max_size=5,
        )
    ),
    max_leaves=20,
)


@given(json_like)
def test_nothing_but_an_input_error_comes_of_any_value(item: object) -> None:
    has_offsets(item)
    try:
        for said in read_records(item, "f:1", 1, left_out={}):
            assert isinstance(said.record, Record | ParsedSentence)
    except InputError as error:
        assert error.place == "f:1"
