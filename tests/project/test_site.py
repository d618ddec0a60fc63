"""The documentation as a site: every page has its place, every public name its entry."""

import doctest
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from website import api, check, text

import nerscope

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
CONFIG = yaml.safe_load((ROOT / "mkdocs.yml").read_text(encoding="utf-8"))


def pages_of(nav: Any) -> Iterator[str]:
    if isinstance(nav, str):
        yield nav
    else:
        for part in nav.values() if isinstance(nav, dict) else nav:
            yield from pages_of(part)


NAVIGATION = list(pages_of(CONFIG["nav"]))


def test_every_page_is_in_the_navigation() -> None:
    """A page that is missing takes one line of `nav` in mkdocs.yml."""
    pages = sorted(path.relative_to(DOCS).as_posix() for path in DOCS.rglob("*.md"))
    known = {*NAVIGATION, *(name.removeprefix("/") for name in CONFIG["exclude_docs"].split())}
    assert not [page for page in pages if page not in known]


def test_every_entry_of_the_navigation_has_a_page() -> None:
    """In docs/, among the pages of the site alone, or a text that stands elsewhere."""
    missing = []
    for entry in {*NAVIGATION} - {text.API}:
        source = text.TEXTS.get(entry)
        places = [ROOT / source] if source else [DOCS / entry, ROOT / "website" / "pages" / entry]
        if not any(path.is_file() for path in places):
            missing.append(entry)
    assert not missing


def test_no_page_is_in_the_navigation_twice() -> None:
    assert len(NAVIGATION) == len(set(NAVIGATION))


def test_broken_links_stop_the_build() -> None:
    assert CONFIG["strict"]
    assert set(CONFIG["validation"].values()) == {"warn"}


def test_nothing_is_fetched_from_elsewhere() -> None:
    assert CONFIG["theme"]["font"] is False
    assets = [*(ROOT / "website").rglob("*.css"), *(ROOT / "website").rglob("*.js")]
    assert assets
    for path in [*assets, ROOT / "mkdocs.yml"]:
        assert "://" not in path.read_text(encoding="utf-8"), path


def test_every_public_name_has_an_entry() -> None:
    named = {entry.name for names in api.entries().values() for entry in names}
    assert set(nerscope.__all__) - {"__version__"} <= named
    assert {"assert_gate", "assert_no_drop", *nerscope.engines.__all__} <= named


def test_an_entry_shows_how_a_name_is_imported_called_and_used() -> None:
    page = api.page("evaluation", api.entries()["evaluation"])
    assert "from nerscope import evaluate\n\ndef evaluate(\n    test: CorpusLike,\n" in page
    assert '    intervals: "Sampling | bool | None" = None,\n' in page
    assert "```pycon\n>>> gold = [" in page
    assert '>>> results.value(metric="f1")\n0.6666666666666666\n```' in page


def test_an_entry_of_a_class_shows_fields_and_methods() -> None:
    page = api.page("results", api.entries()["results"])
    assert "class Condition:\n    metric: str = F1\n" in page
    assert "### Results.save()\n\n```python\ndef save(path: " in page
    assert "### Results.rows\n\nEvery number" in page
    assert not re.search(r"(?m)^>>> ", re.sub(r"(?ms)^```.*?^```$", "", page)), "unfenced example"


def test_the_overview_leads_to_every_entry() -> None:
    entries = api.entries()
    links = re.findall(r"\]\((\w+)\.md#(\w+)\)", api.overview(entries))
    assert len(links) == sum(map(len, entries.values()))
    pages = {package: api.page(package, names) for package, names in entries.items()}
    headings = {package: re.findall(r"(?m)^## (.+)$", page) for package, page in pages.items()}
    for package, anchor in links:
        assert anchor in map(text.slug, headings[package])


def test_texts_are_turned_for_the_site_as_their_examples_say() -> None:
    assert doctest.testmod(text) == (0, 6)


@pytest.mark.parametrize(
    ("written", "here", "shown"),
    [
        # As they are.
        ("[a](files.md)", "plans.md", "[a](files.md)"),
        ("[a](../files.md#b)", "commands/run.md", "[a](../files.md#b)"),
        ("[a](#b)", "plans.md", "[a](#b)"),
        ("[a](x:y)", "plans.md", "[a](x:y)"),
        # From the front page, and to it.
        ("![a](docs/session.svg)", "index.md", "![a](session.svg)"),
        ("[a](../../README.md)", "commands/run.md", "[a](../index.md)"),
        # Code is left alone, but for what tables in repositories need.
        ("```\n[a](docs/x.md)\n```", "index.md", "```\n[a](docs/x.md)\n```"),
        ("```python needs=torch\nx\n```", "plans.md", "```python\nx\n```"),
        ("| `a\\|b` | c\\|d |", "plans.md", "| `a|b` | c\\|d |"),
    ],
)
def test_links_lead_to_where_things_are(written: str, here: str, shown: str) -> None:
    assert text.for_site(written, here, {"index.md": "README.md"}) == shown


@pytest.mark.parametrize(
    ("body", "fault"),
    [
        ('<a href="b.html#there">', ""),
        ('<a href="b.html#gone">', "a.html: b.html#gone: no such heading"),
        ('<a href="c.html">', "a.html: c.html: leads nowhere"),
        ('<a href="https://example.org/">', ""),
        ('<img src="https://example.org/x.png">', "fetched from elsewhere"),
        ('<img src="data:image/png;base64,AA==">', ""),
    ],
)
def test_a_site_with_a_fault_is_refused(tmp_path: Path, body: str, fault: str) -> None:
    (tmp_path / "a.html").write_text(body, encoding="utf-8")
    (tmp_path / "b.html").write_text('<h2 id="there">', encoding="utf-8")
    faults = list(check.faults(tmp_path))
    assert (fault in faults[0]) if fault else not faults
    assert check.main(tmp_path) == len(faults)
