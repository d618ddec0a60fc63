"""Join the records of several annotators of one text: annotator=all."""

from collections import Counter
from collections.abc import Iterable, Iterator

from nerscope.corpus.corpus import ParsedSentence, file_option
from nerscope.corpus.mentions import PLAIN
from nerscope.errors import FormatError
from nerscope.formats.json.records import ParsedRecord
from nerscope.formats.standoff.text import Record


def join_annotators(records: Iterable[ParsedRecord], name: str) -> Iterator[ParsedRecord]:
    """Each text once, with the mentions of all its annotators; equal mentions count once.

    A text that the file has several times stays several records: the second record of one annotator
    is joined with the second of another. All records are in memory.

    >>> from nerscope.formats.json.records import read_records
    >>> ada = {"text": "Ada met Bob", "spans": [[0, 3, "PER"]], "annotator": "eve"}
    >>> bob = {"text": "Ada met Bob", "spans": [[0, 3, "PER"], [8, 11, "PER"]], "annotator": "tom"}
    >>> options = {"annotator": "all", "left_out": {}}
    >>> parsed = [read for item in (ada, bob) for read in read_records(item, "x", 1, **options)]
    >>> [len(joined.record.spans) for joined in join_annotators(parsed, "x")]
    [2]
    """
    turns = Counter[tuple[str, str]]()  # records of an annotator with a text
    joined: dict[tuple[str, int], ParsedRecord] = {}
    for number, parsed in enumerate(records, 1):
        # A record without an annotator is not joined, so its number is below all turns.
        key = parsed.text, -number
        if parsed.annotators:
            turns[(parsed.annotators[0], parsed.text)] += 1
            key = parsed.text, turns[(parsed.annotators[0], parsed.text)]
        before = joined.get(key)
        joined[key] = parsed._replace(record=_union(before, parsed, name))
    yield from joined.values()


def _union(before: ParsedRecord | None, parsed: ParsedRecord, name: str) -> Record | ParsedSentence:
    """The mentions of both records on the text of the first, each once."""
    first, second = parsed.record if before is None else before.record, parsed.record
    if isinstance(first, Record) and isinstance(second, Record):
        return first._replace(spans=list(dict.fromkeys([*first.spans, *second.spans])))
    if isinstance(first, ParsedSentence) and isinstance(second, ParsedSentence):
        if first.labels is None and second.labels is None:
            return _joined_spans(first, second)
        if first.labels == second.labels:
            return first
    place = f"{name}:{second.line}"
    raise FormatError(
        place,
        "labels of several annotators differ and cannot be joined",
        f"{file_option(place, 'annotator=NAME')} with the name of one annotator",
    )


def _joined_spans(first: ParsedSentence, second: ParsedSentence) -> ParsedSentence:
    pairs = dict.fromkeys(
        pair
        for parts in (first, second)
        for pair in zip(parts.spans, parts.shapes or [PLAIN] * len(parts.spans), strict=True)
    )
    shapes = [shape for _, shape in pairs]
    is_plain = first.shapes is None and second.shapes is None
    return first._replace(spans=[span for span, _ in pairs], shapes=None if is_plain else shapes)
