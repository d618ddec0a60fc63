"""Records that are read as columns give what they give one by one, errors and notes included."""

import json
from typing import Any
from unittest.mock import patch

from hypothesis import given
from hypothesis import strategies as st

from nerscope.corpus.corpus import Coding, join_chunks
from nerscope.errors import InputError
from nerscope.formats.files import FileBytes
from nerscope.formats.json.jsonl import JsonFile

TEXTS = ["Ada met Bob.", "in Oslo", "", "Zoë  spoke\nto 東京", "a\tb"]
OFFSETS = st.one_of(st.integers(0, 8), st.sampled_from([-1, 99, 2.0, "3", None, True]))
TYPES = st.sampled_from(["PER", "LOC", "PER", "LOC", "", None, 7])
KEYS = ["id", "answer", "tokens", "author", "meta", "annotator"]
LABELS = st.sampled_from(["O", "B-PER", "I-PER", "O", "B-LOC", "x", 1])


@st.composite
def spans(draw: st.DrawFn, text: str) -> list[Any]:
    """Mostly valid spans of a text; a few have odd values or repeat their text."""
    found: list[Any] = []
    for _ in range(draw(st.integers(0, 2))):
        start = draw(st.integers(0, max(0, len(text) - 1)))
        end = draw(st.integers(start + 1, max(start + 1, len(text))))
        span: dict[str, Any] = {"start": start, "end": end, "label": "PER"}
        if draw(st.integers(0, 3)) == 0:
            span["text"] = text[start:end]
        if draw(st.integers(0, 7)) == 0:
            span = {"start": draw(OFFSETS), "end": draw(OFFSETS), "label": draw(TYPES)}
        found.append(list(span.values())[:3] if draw(st.booleans()) else span)
    return found


@st.composite
def records(draw: st.DrawFn) -> list[dict[str, Any]]:
    has_labels = draw(st.booleans())
    extra = draw(
        st.sets(st.sampled_from(["id", "answer", "tokens", "author", "meta", "annotator"]))
    )
    found: list[dict[str, Any]] = []
    for number in range(draw(st.integers(1, 5))):
        text = draw(st.sampled_from(TEXTS))
        words = text.split()
        if has_labels:
            size = len(words) - (draw(st.integers(0, 9)) == 0)
            tags = draw(st.lists(LABELS, min_size=max(0, size), max_size=max(0, size)))
            item: dict[str, Any] = {"tokens": words, "ner_tags": tags}
        else:
            item = {"text": text, "spans": draw(spans(text))}
            if "tokens" in extra:
                item["tokens"] = [{"start": 0, "end": len(word)} for word in words[:1]]
        values = {
            "id": number if draw(st.integers(0, 5)) else None,
            "answer": "accept" if draw(st.integers(0, 5)) else "reject",
            "author": ["x"],
            "meta": {"genre": "news"},
            "annotator": "eve",
        }
        item |= {key: values[key] for key in sorted(extra & values.keys())}
        found.append(item)
    return found


def content(items: list[dict[str, Any]], as_list: bool) -> object:
    lines = [json.dumps(item) for item in items]
    data = "[" + ",".join(lines) + "]" if as_list else "\n".join(lines)
    file = JsonFile(FileBytes("f", data=data.encode())).with_records(["genre"])
    try:
        corpus = join_chunks(list(file.chunks(Coding())))
    except InputError as error:
        return str(error)
    mentions, types = corpus.mentions(), corpus.coding.labels.types
    made = corpus.records
    assert made is not None
    return (
        [corpus.words(number) for number in range(len(corpus))],
        corpus.lines.tolist(),
        corpus.documents.tolist(),
        None if corpus.gaps is None else corpus.gaps.tolist(),
        [mentions.start.tolist(), mentions.end.tolist(), [types[kind] for kind in mentions.type]],
        corpus.reading_notes.notes,
        corpus.reading_notes.transitions.faults(corpus.scheme),
        made.begins.tolist(),
        None if made.ids is None else made.ids.tolist(),
        None if made.names is None else made.names.tolist(),
        {key: column.tolist() for key, column in made.meta.items()},
    )


@given(records(), st.booleans())
def test_columns_give_what_each_record_gives_alone(items: Any, as_list: bool) -> None:
    as_columns = content(items, as_list)
    with patch("nerscope.formats.json.jsonl._read_plain", lambda run: None):
        assert content(items, as_list) == as_columns
