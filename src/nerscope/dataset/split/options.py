"""File options: those with which parts of data are read as the data was."""

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from nerscope.formats.conll import FILE_OPTIONS, SEPARATORS, ConllFile, look
from nerscope.formats.files import Bytes

HEAD = 1 << 18  # bytes at the beginning of a file that tell how it is laid out
SEPARATOR_NAMES = {separator: name for name, separator in SEPARATORS.items()}
_BOM = "\ufeff"


class Way(NamedTuple):
    """How a file is written; files that make up one dataset agree in all of it."""

    encoding: str
    line_end: str
    separator: str
    columns: int
    token: int
    label: int
    document: int | None
    comments: bool
    mend: str | None
    scheme: str


def said_options(file: ConllFile) -> dict[str, Any]:
    """What was said about a file beyond what goes without saying."""
    usual = ConllFile(Bytes("", data=b""))
    said = {name: getattr(file, name) for name in FILE_OPTIONS}
    return {name: value for name, value in said.items() if value != getattr(usual, name)}


def needed_options(said: Mapping[str, Any], way: Way, parts: Iterable[bytes]) -> dict[str, Any]:
    """What was said, and what looking at a part alone would get wrong."""
    options = dict(said)
    for data in parts:
        file = ConllFile(Bytes("part", data=data), **options)
        head = data[:HEAD].decode(way.encoding, "ignore").removeprefix(_BOM)
        layout = look(head.encode(), file)
        if SEPARATOR_NAMES[layout.separator] != way.separator:
            options["separator"] = way.separator
        if layout.comments != way.comments:
            options["comments"] = way.comments
        if file.saying(options).nature().scheme.name != way.scheme:
            options["scheme"] = way.scheme
    return options


def options_text(options: Mapping[str, Any]) -> str:
    """Options as they stand behind `FILE::`.

    >>> options_text({"token": 1, "comments": True})
    'token=1,comments=yes'
    """
    spelt = {True: "yes", False: "no"}
    return ",".join(
        f"{key}={spelt[value] if isinstance(value, bool) else value}"
        for key, value in options.items()
    )
