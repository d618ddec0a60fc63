"""Read records that need no guess: a text with simple spans, or tokens with their labels.

Most files consist of them. What a record means depends on its keys alone, so it is decided once for
all records with the same keys, and their values become columns; any other record is read by
`read_records`.
"""

from collections.abc import Sequence
from functools import lru_cache
from itertools import chain, repeat
from typing import Any, NamedTuple

import numpy as np

from nerscope.corpus.records import NO_FACTS, RecordFacts, Records
from nerscope.corpus.vocabulary import Fields
from nerscope.formats.json.facts import ID_KEYS, facts_of, id_of
from nerscope.formats.json.layers import LABEL_KEYS, SPAN_KEYS
from nerscope.formats.json.marks import FORBIDDEN, simple_pairs, simple_spans, spellings
from nerscope.formats.json.tools import TOOL_KEYS
from nerscope.formats.json.unwrapping import ANNOTATOR_KEYS, TEXT_KEYS
from nerscope.formats.sentence_columns import SentenceColumns, coded
from nerscope.formats.standoff.text import Texts

_TOKEN_KEYS = ("tokens", "words")
# Other keys that may say something about mentions, or about the record as a whole.
_MEANINGFUL = {*ANNOTATOR_KEYS, *TOOL_KEYS, "tokenizedtext"}
_ANSWER, _ACCEPTED = "answer", "accept"  # of Prodigy


class PlainKeys(NamedTuple):
    """The keys of the text or tokens, of the spans or labels, and of what stands beside them."""

    held: str
    marks: str
    has_labels: bool
    tokens: str | None
    id: str | None
    answer: str | None


class PlainBatch(NamedTuple):
    """Values that have the same keys, each with its line; `first` values come before them.

    `metadata` are the keys of metadata to read; with a `noun`, messages name records.
    """

    lines: list[int]
    values: list[Any]
    first: int
    metadata: Sequence[str] = ()
    noun: str = ""

    def facts(self, key: str | None) -> list[RecordFacts]:
        """What each record says about itself; `key` is the key of its id."""
        if self.metadata or self.noun:
            numbered = enumerate(self.values, self.first + 1)
            return [facts_of(value, self.metadata, self.noun, number) for number, value in numbered]
        if key is None:
            return [NO_FACTS] * len(self.values)
        return [RecordFacts(id_of(value[key])) for value in self.values]


def _are_accepted(batch: PlainBatch, keys: PlainKeys) -> bool:
    """Whether no record is rejected or ignored."""
    if keys.answer is None:
        return True
    return all(value[keys.answer] == _ACCEPTED for value in batch.values)


def plain_texts(batch: PlainBatch, keys: PlainKeys) -> Texts | None:
    """The texts of records with these keys; None if one of them is not plain.

    All values are checked at once: a check for each record would take longer than decoding it.

    >>> item = {"text": "Ada spoke", "spans": [[0, 3, "PER"]]}
    >>> plain_texts(PlainBatch([1], [item], 0), plain_keys(tuple(item))).types
    ['PER']
    >>> item = {"text": "Ada spoke", "spans": [{"start": 0, "length": 3}]}
    >>> plain_texts(PlainBatch([1], [item], 0), plain_keys(tuple(item))) is None
    True
    """
    texts = [value[keys.held] for value in batch.values]
    marks = [value[keys.marks] for value in batch.values]
    if {*map(type, marks)} != {list} or {*map(type, texts)} != {str}:
        return None
    if not _are_accepted(batch, keys):
        return None
    counts = list(map(len, marks))
    owners = chain.from_iterable(map(repeat, texts, counts))
    spans = simple_spans(list(chain.from_iterable(marks)), owners)
    if spans is None:
        return None
    tokens = [] if keys.tokens is None else [value[keys.tokens] for value in batch.values]
    if tokens and {*map(type, tokens)} != {list}:
        return None
    flat = list(chain.from_iterable(tokens))
    edges = simple_pairs(flat) if flat else ((), ())
    if edges is None:
        return None
    # An empty list of tokens says the same as no list.
    token_counts = [len(some) or -1 for some in tokens] or [-1] * len(texts)
    return Texts(
        texts,
        batch.lines,
        counts,
        list(spans.starts),
        list(spans.ends),
        list(spans.types),
        token_counts=token_counts,
        token_starts=list(edges[0]),
        token_ends=list(edges[1]),
        facts=batch.facts(keys.id),
    )


def plain_sentences(batch: PlainBatch, keys: PlainKeys) -> SentenceColumns | None:
    """The sentences of records with these keys; None if one of them is not plain.

    >>> item = {"tokens": ["Ada", "spoke"], "tags": ["B-PER", "O"]}
    >>> plain_sentences(PlainBatch([1], [item], 0), plain_keys(tuple(item))).sizes
    array([2])
    """
    tokens = [value[keys.held] for value in batch.values]
    labels = [value[keys.marks] for value in batch.values]
    if {*map(type, tokens), *map(type, labels)} != {list} or not _are_accepted(batch, keys):
        return None
    sizes = list(map(len, labels))
    if list(map(len, tokens)) != sizes or not all(sizes):
        return None
    words, marks = (list(chain.from_iterable(side)) for side in (tokens, labels))
    if {*map(type, words), *map(type, marks)} != {str}:
        return None
    codes, texts = coded(marks)
    if FORBIDDEN.search(" ".join(words)) or FORBIDDEN.search(" ".join(texts)):
        return None
    records = Records.of(batch.facts(keys.id), np.arange(len(sizes)))
    return SentenceColumns(
        Fields.of(words),
        np.array(sizes, np.int64),
        np.array(batch.lines, np.int64),
        codes,
        texts,
        records=records,
    )


@lru_cache(maxsize=1024)
def plain_keys(keys: tuple[str, ...]) -> PlainKeys | None:
    """The keys of a plain record; None if another key may say something about its mentions.

    >>> plain_keys(("id", "tokens", "ner_tags")).has_labels
    True
    >>> plain_keys(("text", "spans", "entities")) is None
    True
    """
    by_spelling = spellings(keys)
    marks = {*LABEL_KEYS, *SPAN_KEYS} & {*by_spelling}
    texts, tokens = ({*known} & {*by_spelling} for known in (TEXT_KEYS, _TOKEN_KEYS))
    if len(marks) != 1 or len(texts) > 1 or len(tokens) > 1 or not texts | tokens:
        return None
    if {*by_spelling} & _MEANINGFUL - marks or len(by_spelling) < len(keys):
        return None
    [mark], has_labels = marks, not texts
    # Under the keys `ner` and `labels`, tokens have labels or spans.
    if mark not in (LABEL_KEYS if has_labels else SPAN_KEYS):
        return None
    [held] = texts or tokens
    beside = tokens if texts else ()
    return PlainKeys(
        by_spelling[held],
        by_spelling[mark],
        has_labels,
        next((by_spelling[key] for key in beside), None),
        next((by_spelling[key] for key in ID_KEYS if key in by_spelling), None),
        by_spelling.get(_ANSWER),
    )
