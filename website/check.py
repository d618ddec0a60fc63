"""Whether a built site is whole: `python -m website.check DIR` names links that lead nowhere, and
whatever a page would fetch from elsewhere.
"""

import sys
from collections.abc import Iterator
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from typing import NamedTuple
from urllib.parse import unquote, urlsplit

_FETCHED = {"script", "img", "iframe", "link", "source", "video", "audio"}  # by opening a page
_MADE_BY_SCRIPTS = ("/", "__")  # anchors that pages make when they run


class Link(NamedTuple):
    """Where an element of a page leads."""

    element: str
    target: str


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.links: list[Link] = []
        self.anchors: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if name in ("href", "src") and value:
                self.links.append(Link(tag, value))
            elif name in ("id", "name") and value:
                self.anchors.add(value)


@cache
def read(page: Path) -> _Reader:
    """The links and anchors of a page."""
    reader = _Reader()
    reader.feed(page.read_text(encoding="utf-8"))
    return reader


def faults(site: Path) -> Iterator[str]:
    """Everything that is wrong with the links of a site."""
    for page in sorted(site.rglob("*.html")):
        if page.name == "404.html":  # its links are those of a server's root
            continue
        for link in read(page).links:
            fault = _fault(page, link)
            if fault:
                yield f"{page.relative_to(site)}: {link.target}: {fault}"


def _fault(page: Path, link: Link) -> str:
    parts = urlsplit(link.target)
    if parts.scheme or parts.netloc:
        fetched = link.element in _FETCHED and parts.scheme not in ("data", "blob")
        return "fetched from elsewhere" if fetched else ""
    there = (page.parent / unquote(parts.path)).resolve() if parts.path else page
    if there.is_dir():
        there = there / "index.html"
    if not there.exists():
        return "leads nowhere"
    anchor = unquote(parts.fragment)
    if not anchor or there.suffix != ".html" or anchor.startswith(_MADE_BY_SCRIPTS):
        return ""
    return "" if anchor in read(there).anchors else "no such heading"


def main(site: Path) -> int:
    """Say what is wrong; the exit code is 1 if anything is."""
    broken = list(faults(site))
    pages = len(list(site.rglob("*.html")))
    print(*broken, f"{pages} pages in {site}, {len(broken)} faults", sep="\n")
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
