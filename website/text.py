"""From how texts are written, to be read in a repository, to how the site shows them."""

import json
import posixpath
import re
from collections.abc import Collection, Mapping, Sequence
from typing import Any

API = "api"  # the place of the Python reference, in the navigation and among the pages
# Texts that stand elsewhere in the project, by what they are called on the site.
TEXTS = {
    "index.md": "README.md",
    "changes.md": "CHANGELOG.md",
    "contributing.md": "CONTRIBUTING.md",
    "security.md": "SECURITY.md",
    "examples.md": "examples/README.md",
    "tour.md": "examples/tour.ipynb",
}
_LINK = re.compile(r"(\]\()([^)#:\s]+)((?:#[^)\s]*)?\))")
_FENCED = re.compile(r"(?ms)(^```.*?^```$)")
_OPENING = re.compile(r"\A(```\w*)[^\n]*")  # a language, and what tests are told of a block
_CODE = re.compile(r"`[^`\n]+`")


def slug(title: str, separator: str = "-") -> str:
    """The anchor of a heading, as repositories make it.

    >>> slug("What is `n`, and why?")
    'what-is-n-and-why'
    """
    plain = re.sub(r"[^\w\- ]", "", title.strip().lower())
    return plain.replace(" ", separator)


def notebook_page(stored: str) -> str:
    """A notebook as a page: its texts, its code, and what the code showed."""
    parts = []
    for cell in json.loads(stored)["cells"]:
        text = "".join(cell["source"])
        parts.append(text if cell["cell_type"] == "markdown" else f"```python\n{text}\n```")
        for output in cell.get("outputs", ()):
            parts.append(f"```text\n{''.join(output['text'])}```")
    return "\n\n".join(parts) + "\n"


def with_reference(nav: Any, pages: Sequence[Any]) -> Any:
    """A navigation with the pages of the Python reference in their place.

    >>> with_reference([{"A": "a.md"}, {"Python": "api"}], ["api/index.md"])
    [{'A': 'a.md'}, {'Python': ['api/index.md']}]
    """
    if nav == API:
        return list(pages)
    if isinstance(nav, dict):
        return {title: with_reference(entry, pages) for title, entry in nav.items()}
    return nav if isinstance(nav, str) else [with_reference(part, pages) for part in nav]


def linked(markdown: str, written: str) -> set[str]:
    """The files that a text leads to, as seen from the root of the project.

    >>> sorted(linked("[x](../LICENSE#a), [y](files.md), [z](https://example.org)", "docs/a.md"))
    ['LICENSE', 'docs/files.md']
    """
    prose = "".join(_FENCED.split(markdown)[::2])
    return {_from_root(written, link[2]) for link in _LINK.finditer(prose)}


def _from_root(written: str, target: str) -> str:
    return posixpath.normpath(posixpath.join(posixpath.dirname(written), target))


def for_site(
    markdown: str, here: str, texts: Mapping[str, str], files: Collection[str] = ()
) -> str:
    """A page with links that lead to where things are on the site.

    >>> texts = {"index.md": "README.md"}
    >>> for_site("[x](docs/files.md#a), [y](LICENSE)", "index.md", texts, ["LICENSE"])
    '[x](files.md#a), [y](project/LICENSE)'
    >>> for_site("[x](../README.md)", "files.md", texts)
    '[x](index.md)'
    """
    written = texts.get(here, f"docs/{here}")
    moved = {source: page for page, source in texts.items()}
    moved |= {name: f"project/{name}" for name in files}
    moved |= {"docs/README.md": "index.md"}

    def led(link: re.Match[str]) -> str:
        target = _from_root(written, link[2])
        there = moved.get(target, target.removeprefix("docs/"))
        return f"{link[1]}{posixpath.relpath(there, posixpath.dirname(here) or '.')}{link[3]}"

    parts = _FENCED.split(markdown)  # every second one is code
    parts[::2] = [_LINK.sub(led, _CODE.sub(_plain, part)) for part in parts[::2]]
    parts[1::2] = [_OPENING.sub(r"\1", part) for part in parts[1::2]]
    return "".join(parts)


def _plain(code: re.Match[str]) -> str:
    """Code in a table without the escapes that a repository's tables need."""
    return code[0].replace("\\|", "|")
