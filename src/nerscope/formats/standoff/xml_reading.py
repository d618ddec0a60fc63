"""Read the children of the root of an XML file one by one, without entities, in bounded memory."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from xml.parsers import expat

from nerscope.errors import FormatError
from nerscope.formats.files import FileBytes, read_some

_DEEPEST = 100  # elements inside each other
_UTF16 = (b"\xff\xfe", b"\xfe\xff")
# Declarations and comments before the root, and its name with an optional prefix. None of them can
# contain its own end, because ".*?" in a repetition would take exponential time.
_ROOT = re.compile(
    r"\ufeff?\s*(?:(?:<\?(?:(?!\?>).)*\?>|<!--(?:(?!-->).)*-->"
    r"|<!DOCTYPE[^>\[]*(?:\[(?:(?!\]\s*>).)*\]\s*)?>)\s*)*"
    r"<(?:[\w.-]+:)?([\w.-]+)",
    re.DOTALL,
)


@dataclass(slots=True, eq=False)
class XmlElement:
    """An element: the namespace and name, its attributes, text and children, and its line."""

    namespace: str
    name: str
    attributes: dict[str, str]
    line: int
    children: list["XmlElement"] = field(default_factory=list)
    pieces: list[str] = field(default_factory=list)

    @property
    def text(self) -> str:
        return "".join(self.pieces)

    def named(self, name: str) -> list["XmlElement"]:
        """The children with a name."""
        return [child for child in self.children if child.name == name]


def root_name(head: bytes) -> str | None:
    """The name of the root of an XML file, without its prefix; None if it is not XML.

    >>> root_name(b'<?xml version="1.0"?>\\n<xmi:XMI a="b">'), root_name(b"Ada B-PER")
    ('XMI', None)
    """
    encoding = "utf-16" if head.startswith(_UTF16) else "utf-8"
    match = _ROOT.match(head.decode(encoding, "ignore"))
    return None if match is None else match[1]


def root_children(data: FileBytes) -> Iterator[XmlElement]:
    """The children of the root, each as soon as it ends.

    >>> file = FileBytes("a.xml", data=b"<all><one>1</one><two>2</two></all>")
    >>> [(child.name, child.text) for child in root_children(file)]
    [('one', '1'), ('two', '2')]
    """
    reader = _Reader(data.name)
    with data.open() as stream:
        while block := read_some(stream, data.name):
            yield from reader.feed(block)
        yield from reader.feed(b"", is_last=True)


class _Reader:
    """Collects elements below the root from the events of expat."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._open: list[XmlElement] = []
        self._done: list[XmlElement] = []
        self._parser = expat.ParserCreate(namespace_separator=" ")
        self._parser.buffer_text = True
        self._parser.StartElementHandler = self._start
        self._parser.EndElementHandler = self._end
        self._parser.CharacterDataHandler = self._characters
        # Entities may expand to gigabytes or name other files. An entity of a DTD, which is never
        # loaded, would be skipped silently.
        self._parser.EntityDeclHandler = self._refuse_entities
        self._parser.SkippedEntityHandler = self._refuse_entities

    def feed(self, block: bytes, is_last: bool = False) -> Iterator[XmlElement]:
        try:
            self._parser.Parse(block, is_last)
        except (expat.ExpatError, ValueError, LookupError) as error:
            raise FormatError(
                self._place,
                f"not valid XML ({error})",
                "export the file again; an error at the end means that the file is truncated",
            ) from None
        done, self._done = self._done, []
        return iter(done)

    @property
    def _place(self) -> str:
        return f"{self._name}:{self._parser.CurrentLineNumber}"

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        if len(self._open) >= _DEEPEST:
            raise FormatError(self._place, "elements are nested too deeply", "use flat XML")
        namespace, _, local = name.rpartition(" ")
        element = XmlElement(namespace, local, attributes, self._parser.CurrentLineNumber)
        if len(self._open) > 1:
            self._open[-1].children.append(element)
        self._open.append(element)

    def _end(self, name: str) -> None:
        element = self._open.pop()
        if len(self._open) == 1:
            self._done.append(element)

    def _characters(self, text: str) -> None:
        if len(self._open) > 1:
            self._open[-1].pieces.append(text)

    def _refuse_entities(self, name: str, *_: object) -> None:
        raise FormatError(
            self._place,
            f"the XML entity '{name[:60]}' is declared or used, and entities are not read",
            "replace the entity by its characters",
        )
