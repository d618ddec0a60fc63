"""Read records that need no guess: one text with simple spans, or tokens with their labels.

Most files consist of them. What a record means depends on its keys alone, so it is decided once for
all records with the same keys; any other record is read by `read_records`.
"""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import accumulate, chain, repeat
from typing import Any, NamedTuple

from nerscope.corpus.corpus import ParsedSentence
from nerscope.formats.json.layers import LABEL_KEYS, SPAN_KEYS
from nerscope.formats.json.marks import FORBIDDEN, simple_spans, spellings
from nerscope.formats.json.unwrapping import TEXT_KEYS
from nerscope.formats.standoff.text import Record, TextSpan

_TOKEN_KEYS = ("tokens", "words")
# Keys that say nothing about mentions, whatever their value.
_HARMLESS = {"id", "docid", "sentid", "title", "meta", "metadata", "source", "url", "lang"}


class PlainKeys(NamedTuple):
    """The key of the text or tokens, and the key of the spans or labels."""

    held: str
    marks: str
    has_labels: bool


def plain_records(
    items: Sequence[tuple[int, Any]], keys: PlainKeys
) -> list[Record] | list[ParsedSentence] | None:
    """The records of mappings that have these keys, each with its line; None if one is not plain.

    All values are checked at once: a check for each record would take longer than decoding it.

    >>> item = {"text": "Ada spoke", "spans": [[0, 3, "PER"]]}
    >>> plain_records([(1, item)], plain_keys(tuple(item)))[0].spans
    [TextSpan(fragments=((0, 3),), type='PER')]
    >>> item = {"text": "Ada spoke", "spans": [{"start": 0, "length": 3}]}
    >>> plain_records([(1, item)], plain_keys(tuple(item))) is None
    True
    """
    held = [item[keys.held] for _, item in items]
    marks = [item[keys.marks] for _, item in items]
    if {*map(type, marks)} != {list}:
        return None
    lines = [line for line, _ in items]
    return _labelled(held, marks, lines) if keys.has_labels else _texts(held, marks, lines)


def _texts(texts: list[Any], marks: list[list[Any]], lines: list[int]) -> list[Record] | None:
    counts = list(map(len, marks))
    owners = chain.from_iterable(map(repeat, texts, counts))
    found = simple_spans(list(chain.from_iterable(marks)), owners)
    if found is None or {*map(type, texts)} != {str}:
        return None
    spans = list(map(TextSpan, zip(found.places), found.types))
    ends = accumulate(counts)
    return [
        Record(text, spans[end - count : end], line)
        for text, count, end, line in zip(texts, counts, ends, lines, strict=True)
    ]


def _labelled(
    tokens: list[Any], labels: list[list[Any]], lines: list[int]
) -> list[ParsedSentence] | None:
    sizes = list(map(len, labels))
    if {*map(type, tokens)} != {list} or list(map(len, tokens)) != sizes or not all(sizes):
        return None
    words, marks = (list(chain.from_iterable(side)) for side in (tokens, labels))
    if {*map(type, words), *map(type, marks)} != {str}:
        return None
    if FORBIDDEN.search(" ".join(words)) or FORBIDDEN.search(" ".join({*marks})):
        return None
    rows = zip(tokens, labels, lines, sizes, strict=True)
    return [ParsedSentence(own, given, [], line, size) for own, given, line, size in rows]


@lru_cache(maxsize=1024)
def plain_keys(keys: tuple[str, ...]) -> PlainKeys | None:
    """The keys of a plain record; None if another key may say something about its mentions.

    >>> plain_keys(("id", "tokens", "ner_tags")).has_labels
    True
    >>> plain_keys(("text", "spans", "entities")) is None
    True
    """
    by_spelling: Mapping[str, str] = spellings(keys)
    marks = {*LABEL_KEYS, *SPAN_KEYS} & {*by_spelling}
    held = {*TEXT_KEYS, *_TOKEN_KEYS} & {*by_spelling}
    others = {*by_spelling} - marks - held - _HARMLESS
    if len(marks) != 1 or len(held) != 1 or others or len(by_spelling) < len(keys):
        return None
    [mark], [one] = marks, held
    has_labels = one in _TOKEN_KEYS
    # Under the keys `ner` and `labels`, tokens have labels or spans.
    if mark not in (LABEL_KEYS if has_labels else SPAN_KEYS):
        return None
    return PlainKeys(by_spelling[one], by_spelling[mark], has_labels)
