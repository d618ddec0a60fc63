"""Inline tags: `<PER>Ada</PER> met Bob`, also as in MUC and OpenNLP, with one text per line."""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from nerscope.errors import FormatError, shortened
from nerscope.formats.base import FORMATS, FileOption, Format
from nerscope.formats.columns.column_file import SHARED_OPTIONS
from nerscope.formats.files import HEAD, FileBytes, check_encoding
from nerscope.formats.packing import without_packing
from nerscope.formats.standoff.text import Record, TextSource, TextSpan, trim_span
from nerscope.formats.tagged.lines import numbered_lines

NAME = "inline"
_ATTRIBUTE = r"[A-Za-z_][\w.:-]*\s*=\s*(?:\"[^\"<>]*\"|'[^'<>]*'|[^\s\"'<>=/]+)"
_TAG = re.compile(rf"<(/?)([A-Za-z][\w.:-]*)((?:\s+{_ATTRIBUTE})*)\s*(/?)>")
_TYPE = re.compile(
    r"(?i)\s(?:type|label|category|class)\s*=\s*(?:\"([^\"]*)\"|'([^']*)'|([^\s\"'<>=/]+))"
)
_PART = re.compile(rf"{_TAG.pattern}|&(?:amp|lt|gt|quot|apos|#\d{{1,7}}|#[xX][\da-fA-F]{{1,6}});")
_ENTITIES = {"amp": "&", "lt": "<", "gt": ">", "quot": '"', "apos": "'"}
# Tags that divide a text, and do not mark mentions.
_STRUCTURE = ("doc", "docno", "docid", "text", "txt", "body", "p", "s")
_DOCUMENT = re.compile(r"(?i)<(/?)doc(?:\s[^<>]*)?>")
_OPENS = "START"  # OpenNLP: <START:person> Ada Lee <END>
_CLOSES = "END"
_UNTYPED = "default"  # the type that OpenNLP gives to <START>
_CERTAIN = re.compile(r"(?:ENAMEX|TIMEX|NUMEX|START(?::\S+)?|END|[A-Z][A-Z_]*(?:-[A-Z_]+)*)")
_OTHER_ENDINGS = (".xml", ".xmi", ".html", ".htm", ".xhtml", ".svg", ".csv", ".tsv", ".md")
FILE_OPTIONS: Mapping[str, FileOption] = {"encoding": SHARED_OPTIONS["encoding"]}


class _Open(NamedTuple):
    name: str
    type: str
    start: int
    line: int


class InlineFile(TextSource):
    """A text file with tags around mentions.

    >>> data = b'<PER>Ada</PER> met <ENAMEX TYPE="ORG">A&amp;B</ENAMEX>.'
    >>> [record] = InlineFile(FileBytes("a.txt", data=data)).records()
    >>> record.text, [span.type for span in record.spans]
    ('Ada met A&B.', ['PER', 'ORG'])
    """

    def __init__(self, data: FileBytes, *, encoding: str = "utf-8") -> None:
        self.name, self._data, self._encoding = data.name, data, encoding
        self.is_small = data.size <= 16 << 20
        check_encoding(self.name, encoding)

    def records(self) -> Iterator[Record]:
        """One record per line; all lines between `<DOC>` and `</DOC>` are one record."""
        held: list[tuple[int, str]] = []
        depth = 0
        for number, line in numbered_lines(self._data, self._encoding):
            held.append((number, line))
            for tag in _DOCUMENT.finditer(line):
                depth = max(0, depth + (-1 if tag[1] else 1))
            if depth == 0:
                yield from self._record(held)
                held = []
        yield from self._record(held)

    def _record(self, lines: list[tuple[int, str]]) -> Iterator[Record]:
        """The record of some lines; none if they are blank without their tags."""
        pieces: list[str] = []
        spans: list[TextSpan] = []
        places: list[str] = []  # of the spans
        opened: list[_Open] = []
        size = 0
        for at, (number, line) in enumerate(lines):
            done = 0
            if at:
                pieces.append("\n")
                size += 1
            for part in _PART.finditer(line):
                plain = line[done : part.start()]
                done = part.end()
                if part[0].startswith("&"):
                    plain += _character(part[0])
                pieces.append(plain)
                size += len(plain)
                if part[0].startswith("<"):
                    place = f"{self.name}:{number}"
                    span = _read_tag(part, opened, size, number, place)
                    if span is not None:
                        spans.append(span)
                        places.append(place)
            pieces.append(line[done:])
            size += len(line) - done
        if opened:
            raise FormatError(
                f"{self.name}:{opened[-1].line}",
                f"the tag <{shortened(opened[-1].name)}> is not closed",
                f"close the mention on its line: </{shortened(opened[-1].name)}>; write < as &lt; "
                "in the text",
            )
        text = "".join(pieces)
        for span, place in zip(spans, places, strict=True):
            trim_span(span, text, place)  # a mention of blanks is refused at its line
        if text.strip():
            yield Record(text, spans, lines[0][0])


def _read_tag(
    tag: re.Match[str], opened: list[_Open], at: int, line: int, place: str
) -> TextSpan | None:
    """Open or close a mention; a mention that ends is returned."""
    slash, name, attributes, empty = tag.group(1, 2, 3, 4)
    if (name.lower() in _STRUCTURE and not _TYPE.search(attributes)) or empty:
        return None
    if not slash and name != _CLOSES:
        opened.append(_Open(name, _type_of(name, attributes), at, line))
        return None
    # The innermost open tag with this name, so mentions may cross each other.
    for index in reversed(range(len(opened))):
        is_start = name == _CLOSES and opened[index].name.partition(":")[0] == _OPENS
        if opened[index].name == name or is_start:
            start = opened.pop(index)
            return TextSpan(((start.start, at),), start.type)
    raise FormatError(
        place,
        f"the tag {shortened(tag[0])} closes a mention that is not open",
        "write <PER> before the mention and </PER> after it; write < as &lt; in the text",
    )


def _type_of(name: str, attributes: str) -> str:
    kind = _TYPE.search(attributes)
    if kind is not None:
        return next(filter(None, kind.groups()), "").strip()
    head, _, rest = name.partition(":")
    return (rest or _UNTYPED) if head == _OPENS else name


def _character(reference: str) -> str:
    """The character of a reference such as &amp; or &#38;; an invalid one stays as it is."""
    name = reference[1:-1]
    if name in _ENTITIES:
        return _ENTITIES[name]
    code = int(name[2:], 16) if name[1] in "xX" else int(name[1:])
    is_valid = code in (9, 10, 13) or (32 <= code < 0x110000 and not 0xD800 <= code < 0xE000)
    return chr(code) if is_valid else reference


def fits(name: str, head: bytes) -> bool:
    """Whether the first lines certainly have tags around mentions, in capital letters.

    >>> fits("a.txt", b"<LOC>Oslo</LOC> slept.\\n"), fits("a.txt", b"<b>Ada</b> spoke.\\n")
    (True, False)
    """
    if Path(without_packing(name)).suffix.lower() in _OTHER_ENDINGS:
        return False
    text = head.decode("utf-8", "ignore").removeprefix("\ufeff")
    if text.lstrip().startswith(("<?", "<!", "{", "[", "#")):
        return False
    lines = text.split("\n")
    if len(head) >= HEAD and len(lines) > 1:
        lines.pop()  # the last line may be cut off
    n_tags = 0
    for line in lines:
        tags = [tag for tag in _TAG.finditer(line) if tag[2].lower() not in _STRUCTURE]
        opening = [tag for tag in tags if not tag[1] and tag[2] != _CLOSES]
        is_certain = all(_CERTAIN.fullmatch(tag[2]) and not tag[4] for tag in tags)
        if not is_certain or 2 * len(opening) != len(tags):
            return False
        n_tags += len(tags)
    # A file whose lines are nothing but elements is XML, not text.
    plain = [_TAG.sub("", line) for line in lines if _TAG.search(line)]
    outside = re.sub(r"<([^\s<>/]+)[^<>]*>[^<>]*</\1>", "", text)
    return n_tags > 0 and any(map(str.strip, plain)) and bool(_TAG.sub("", outside).strip())


FORMATS.add(
    NAME,
    Format(
        NAME,
        InlineFile,
        fits,
        FILE_OPTIONS,
        title="Inline tags",
        phrase="text with tags around mentions",
        definition="One text per line with tags around mentions, as in <LOC>Oslo</LOC> slept.",
    ),
    built_in=True,
    rank=130,
)
