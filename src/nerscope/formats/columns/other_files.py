"""Refuse files that no format takes and that are certainly not columns, with what they look like.

Columns are the fallback, so without this check an XML file would be refused as "1 space-separated
column where 2 are needed".
"""

import json
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

from nerscope.corpus.corpus import file_option
from nerscope.errors import InputError
from nerscope.formats.files import HEAD
from nerscope.formats.packing import without_packing

_BOM = b"\xef\xbb\xbf"
# The first bytes of common binary files; those that are read have their own formats.
_MAGIC: Sequence[tuple[bytes, str]] = (
    (b"PK\x03\x04", "a ZIP archive (also .docx, .xlsx)"),
    (b"%PDF", "a PDF file"),
    (b"\x89PNG", "a PNG picture"),
    (b"\xff\xd8\xff", "a JPEG picture"),
    (b"GIF8", "a GIF picture"),
    (b"SQLite format 3", "an SQLite database"),
    (b"\x93NUMPY", "a NumPy array"),
    (b"\x89HDF", "an HDF5 file"),
    (b"\xd0\xcf\x11\xe0", "an old Microsoft Office file"),
    (b"BZh", "a file packed with bzip2"),
    (b"\xfd7zXZ", "a file packed with xz"),
    (b"7z\xbc\xaf", "a 7z archive"),
    (b"\x7fELF", "a program"),
)
_TAR = (257, b"ustar")
_XML_START = re.compile(r"<(?:\?xml|!DOCTYPE|!--)", re.IGNORECASE)
_XML_ELEMENT = re.compile(r"<[A-Za-z][\w:.-]*(?:\s[^<>]*)?/?>")
_JSON = re.compile(r'[\[{]\s*(?:["\[{\]}]|-?\d|$)|"')
_PUBTATOR = re.compile(r"\w+\|[ta]\|")
_YAML_KEY = re.compile(r"(?:- )?[\w-]+:(?: \S.*)?$")
_LABEL_AT_END = re.compile(r"\s(?:O|[BIESLUMW](?:-\S+)?)\s*$")
_JSON_ENDINGS = (".json", ".jsonl", ".ndjson")
_ENOUGH_LINES = 2
_SHORT = 20  # lines that are looked at


class _Kind(NamedTuple):
    """A kind of file: what it looks like, and formats that may read it, the best one first."""

    title: str
    formats: Sequence[str]
    otherwise: str


_KINDS = {
    "json": _Kind("JSON", ("json", "jsonl"), "write one record per line with text and spans"),
    "strings": _Kind("JSON strings, as language models answer", ("answers",), ""),
    "xml": _Kind(
        "XML or HTML", ("bioc", "uima", "inline"), "export the data as JSON Lines or columns"
    ),
    "yaml": _Kind("YAML", (), "convert the file to JSON Lines, with text and spans"),
    "csv": _Kind("CSV", ("csv",), "save the file with tabs between the columns, as .tsv"),
    "pubtator": _Kind("PubTator", ("pubtator",), "convert the file to BioC or JSON Lines"),
}


def refuse_other_file(name: str, head: bytes, formats: Callable[[], Sequence[str]]) -> None:
    """Raise an error if a file that no format takes is certainly not columns.

    `head` has its first bytes; `formats` gives the names of the formats, and is called only for
    the fix of an error.

    >>> refuse_other_file("a.txt", b"Ada B-PER\\n", list)
    >>> refuse_other_file("a.txt", b"name: Ada\\nage: 36\\n", list)
    Traceback (most recent call last):
    nerscope.errors.InputError: a.txt: it looks like YAML, not like columns. Fix: convert the file \
to JSON Lines, with text and spans; if it has columns: a.txt::format=conll
    """
    if title := _binary(head):
        raise InputError(
            name,
            f"it looks like {title}, not like text",
            "give a text file; export the data as JSON Lines or columns",
        )
    kind = _KINDS.get(_kind_of(name, head))
    if kind is None:
        return
    known = set(formats())
    fixes = [file_option(name, f"format={form}") for form in kind.formats if form in known]
    fix = " or ".join(fixes) or kind.otherwise
    raise InputError(
        name,
        f"it looks like {kind.title}, not like columns",
        f"{fix}; if it has columns: {file_option(name, 'format=conll')}",
    )


def _binary(head: bytes) -> str | None:
    """What a binary file is, from its first bytes."""
    at, sign = _TAR
    if head[at : at + len(sign)] == sign:
        return "a tar archive"
    # Text may begin with BZh or GIF8; a binary file has control characters soon after it.
    has_controls = any(byte < 9 for byte in head[:512]) or not _is_utf8(head)
    return next((title for sign, title in _MAGIC if head.startswith(sign) and has_controls), None)


def _is_utf8(head: bytes) -> bool:
    # The last character may be cut off; 4 bytes are the longest character.
    return any(_decodes(head[: len(head) - cut]) for cut in range(4))


def _decodes(data: bytes) -> bool:
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True


def _kind_of(name: str, head: bytes) -> str:
    """The kind of a text file; empty if it may have columns."""
    text = head.removeprefix(_BOM).decode("utf-8", "replace").replace("\r\n", "\n")
    lines = text.split("\n")
    if len(head) >= HEAD and len(lines) > 1:
        lines.pop()  # the last line may be cut off
    lines = [line for line in lines if line.strip()][:_SHORT]
    # One line of a token and a label is enough, because tokens may look like anything.
    if not lines or any(map(_LABEL_AT_END.search, lines)):
        return ""
    ending = Path(without_packing(name)).suffix.lower()
    first = lines[0].strip()
    is_even = _has_even_columns(lines)  # a token may be <s> or 1,000
    if _XML_START.match(first) or (_XML_ELEMENT.match(first) and not is_even):
        return "xml"
    if _PUBTATOR.match(first):
        return "pubtator"
    if _JSON.match(first) and (kind := _json_kind(lines, ending)):
        return kind
    if ending in (".yaml", ".yml") or _is_yaml(lines):
        return "yaml"
    if ending == ".csv" or (_is_csv(lines) and not is_even):
        return "csv"
    return "json" if ending in _JSON_ENDINGS and not is_even else ""


def _has_even_columns(lines: Sequence[str]) -> bool:
    """Whether all lines have the same number of columns, and more than one."""
    counts = {len(line.split()) for line in lines}
    return len(counts) == 1 and min(counts) > 1


def _json_kind(lines: Sequence[str], ending: str) -> str:
    """The kind of JSON: strings, or other values; empty if lines are not JSON."""
    try:
        value = json.loads(lines[0])
    except (ValueError, RecursionError):
        # A value over several lines; a column file may begin with the token [ or {.
        is_open = lines[0].strip()[0] in "[{" and not _has_even_columns(lines)
        is_json = ending in _JSON_ENDINGS or '"' in "".join(lines[:3])
        return "json" if is_open and is_json else ""
    if isinstance(value, str):
        return "strings"
    return "json" if isinstance(value, dict | list) else ""


def _is_yaml(lines: Sequence[str]) -> bool:
    if lines[0].rstrip() == "---":
        return True
    # Indented lines and lists belong to the key above them.
    top = [line for line in lines if not line.startswith((" ", "\t", "- ", "#"))]
    return len(top) >= _ENOUGH_LINES and all(map(_YAML_KEY.match, top))


def _is_csv(lines: Sequence[str]) -> bool:
    """Whether lines have the same number of commas or semicolons, and no tabs."""
    if any("\t" in line for line in lines):
        return False
    for separator in (",", ";"):
        counts = {line.count(separator) for line in lines}
        # Commas without a blank after them, because prose has blanks there.
        is_tight = not any(f"{separator} " in line for line in lines)
        if len(lines) >= _ENOUGH_LINES and len(counts) == 1 and min(counts) > 0 and is_tight:
            return True
    return False
