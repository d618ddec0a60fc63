"""The report as a whole: every section on every kind of data, every link, every size and medium."""

import json
import re
import runpy
import shutil
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from playwright.sync_api import Page, expect
from tests.browser.conftest import ROOT, Open
from tests.browser.kinds import FROM_CORPORA, GENERATED

import nerscope as ns
from nerscope.render.page.html import ReportPage

SECTIONS = {
    "summary": "Summary",
    "errors": "Errors",
    "compare": "Compare",
    "where": "Where",
    "data": "Data & method",
}
AXE = ROOT / "web" / "node_modules" / "axe-core" / "axe.min.js"
WAIT = 150  # ms until charts know their width
NO_NUMBER = r"/NaN|undefined (%|points|F1)|\[object|Infinity/"
KINDS = [
    *GENERATED,
    *(pytest.param(name, marks=pytest.mark.corpora) for name in FROM_CORPORA),
]
LINKED = ("demo", "folded", "answers")  # each of their links is followed
MakePage = Callable[[str], Path]


@pytest.fixture(scope="session")
def page_of(tmp_path_factory: pytest.TempPathFactory) -> MakePage:
    """The page on a kind of data, written once."""
    written: dict[str, Path] = {}

    def make(kind: str) -> Path:
        if kind not in written:
            target = tmp_path_factory.mktemp(kind) / f"{kind}.html"
            (GENERATED | FROM_CORPORA)[kind](target)
            written[kind] = target
        return written[kind]

    return make


def sections_of(page: Page) -> list[str]:
    names = page.locator("nav[aria-label=Sections] a").all_inner_texts()
    return [section for section, title in SECTIONS.items() if title in names]


def visit(page: Page, place: str) -> None:
    """Another place of the open page, as a link leads to it."""
    page.evaluate(
        "(place) => { location.hash = place; dispatchEvent(new PopStateEvent('popstate')) }", place
    )
    page.wait_for_timeout(30)


@pytest.mark.parametrize("kind", KINDS)
def test_every_section_is_drawn(open_page: Open, page_of: MakePage, kind: str) -> None:
    page = open_page(page_of(kind))
    for section in sections_of(page):
        page.get_by_role("link", name=SECTIONS[section], exact=True).click()
        expect(page.get_by_role("heading", level=2)).to_have_text(SECTIONS[section])
        page.wait_for_timeout(WAIT)
        assert page.locator("main").inner_text().strip(), section
        assert (
            page.locator("main >> text=/NaN|undefined (%|points|F1)|\\[object|Infinity/").count()
            == 0
        ), section
        empty = page.evaluate(
            """[...document.querySelectorAll("main h3, main h4")].filter((heading) =>
                !heading.nextElementSibling && heading.parentElement.children.length === 1
            ).map((heading) => heading.textContent)"""
        )
        assert empty == [], section


def links_with_counts(page: Page) -> dict[str, str]:
    """The lists that the marks of the open section lead to, and how long each claims to be."""
    page.evaluate("for (const one of document.querySelectorAll('details')) one.open = true")
    page.wait_for_timeout(WAIT)
    links: list[list[str]] = page.evaluate(
        """[...document.querySelectorAll("main a[data-count]")].map((link) =>
            [link.getAttribute("href"), link.getAttribute("data-count")])"""
    )
    return dict(links)


@pytest.mark.parametrize(
    "kind", ["demo", "folded", "answers", pytest.param("conll", marks=pytest.mark.corpora)]
)
def test_every_count_equals_its_list(open_page: Open, page_of: MakePage, kind: str) -> None:
    page = open_page(page_of(kind))
    wrong, checked = {}, 0
    for section in sections_of(page):
        visit(page, f"#/{section}")
        for href, claimed in links_with_counts(page).items():
            visit(page, href)
            listed = page.locator("[data-count][data-places]").first
            unit = "data-errors" if "system=" in href else "data-places"
            found = listed.get_attribute(unit) or ""
            checked += 1
            if abs(float(found) - float(claimed)) > 0.051:  # both are rounded to one decimal
                wrong[href] = f"{claimed} claimed, {found} listed"
    assert wrong == {}
    assert checked > 20


@pytest.mark.parametrize("kind", ["demo", "types"])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_nothing_is_in_the_way_of_any_reader(
    open_page: Open, page_of: MakePage, kind: str, scheme: str
) -> None:
    page = open_page(page_of(kind), color_scheme=scheme)
    serious = {}
    for section in sections_of(page):
        visit(page, f"#/{section}")
        page.wait_for_timeout(WAIT)
        page.evaluate(AXE.read_text(encoding="utf-8"))
        run: dict[str, Any] = page.evaluate("axe.run(document, {resultTypes: ['violations']})")
        for violation in run["violations"]:
            if violation["impact"] in ("serious", "critical"):
                nodes = [node["html"][:120] for node in violation["nodes"][:3]]
                serious[f"{section}: {violation['id']}"] = nodes
    assert serious == {}


OVERLAPS = """() => {
  const box = (node) => {
    const range = document.createRange();
    range.selectNodeContents(node);
    return range.getBoundingClientRect();
  };
  const texts = [...document.querySelectorAll("main svg text")]
    .filter((node) => node.textContent.trim() && node.checkVisibility())
    .map((node) => ({ svg: node.ownerSVGElement, text: node.textContent, box: box(node) }))
    .filter(({ box }) => box.width > 0);
  const found = [];
  for (const [at, one] of texts.entries())
    for (const other of texts.slice(at + 1)) {
      if (one.svg !== other.svg) continue;
      const [a, b] = [one.box, other.box];
      const across = Math.min(a.right, b.right) - Math.max(a.left, b.left);
      const down = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
      if (across > 2 && down > 4) found.push(`${one.text} | ${other.text}`);
    }
  return found;
}"""


@pytest.mark.parametrize("width", [390, 1280])
@pytest.mark.parametrize("kind", ["types", "answers", "demo"])
def test_texts_never_overlap_nor_scroll_sideways(
    open_page: Open, page_of: MakePage, kind: str, width: int
) -> None:
    page = open_page(page_of(kind), width=width)
    for section in sections_of(page):
        visit(page, f"#/{section}")
        page.wait_for_timeout(2 * WAIT)
        assert page.evaluate(OVERLAPS) == [], section
        assert page.evaluate("document.scrollingElement.scrollWidth") <= width, section


def test_paper_keeps_heads_and_spans(open_page: Open, page_of: MakePage, tmp_path: Path) -> None:
    page = open_page(page_of("demo"))
    for section in sections_of(page):
        visit(page, f"#/{section}")
        page.wait_for_timeout(WAIT)
        page.emulate_media(media="print")
        assert not page.locator("nav").is_visible()
        assert page.locator("h1").is_visible()
        assert page.evaluate("getComputedStyle(document.body).printColorAdjust") == "exact"
        if page.locator("table").count():
            assert page.locator("thead").first.is_visible()
            display = "getComputedStyle(document.querySelector('thead')).display"
            assert page.evaluate(display) == "table-header-group"
        (tmp_path / f"{section}.pdf").write_bytes(page.pdf())
        assert (tmp_path / f"{section}.pdf").stat().st_size > 5_000
        page.emulate_media(media="screen")


@pytest.mark.corpora
def test_a_large_page_opens_at_once(browser: Any, page_of: MakePage) -> None:
    path = page_of("languages")
    took = []
    for _ in range(3):
        page = browser.new_page()
        start = time.perf_counter()
        page.goto(path.as_uri())
        page.wait_for_selector(".chart")
        took.append(time.perf_counter() - start)
        page.close()
    assert min(took) < 1.5


@pytest.mark.parametrize("section", ["summary", "compare", "where"])
def test_charts_are_saved_with_their_conditions(
    open_page: Open, page_of: MakePage, section: str, tmp_path: Path
) -> None:
    page = open_page(page_of("demo"), f"#/{section}")
    page.wait_for_selector("figure svg text")
    figure = page.locator("figure", has=page.locator("svg.chart")).first
    for name in ("SVG", "PNG"):
        with page.expect_download() as waiting:
            figure.get_by_role("button", name=name).click()
        waiting.value.save_as(tmp_path / name)
    drawing = ElementTree.parse(tmp_path / "SVG").getroot()
    texts = [part.text or "" for part in drawing.iter("{http://www.w3.org/2000/svg}text")]
    assert len(texts) > 5
    assert any("scheme:bio" in text for text in texts)
    assert (tmp_path / "PNG").read_bytes()[:8] == b"\x89PNG\r\n\x1a\n"


def test_back_undoes_the_last_choice(open_page: Open, page_of: MakePage) -> None:
    page = open_page(page_of("demo"), "#/compare")
    page.get_by_label("A", exact=True).select_option("memoriser")
    assert "a=memoriser" in page.url
    page.get_by_label("B", exact=True).select_option("crf-words")
    page.go_back()
    assert "a=memoriser" in page.url
    assert "b=crf-words" not in page.url


def test_chosen_systems_hold_on_the_whole_page(open_page: Open, page_of: MakePage) -> None:
    page = open_page(page_of("demo"), "#/summary?s=memoriser&s=crf-words")
    expect(page.locator("main")).to_contain_text("crf-words")
    expect(page.locator("main")).not_to_contain_text("crf-gazetteer")
    page.get_by_role("link", name="Where", exact=True).click()
    expect(page.locator(".picker summary").first).to_have_text("2 of 4 systems shown")
    expect(page.locator("main")).not_to_contain_text("crf-gazetteer")


def test_the_glossary_explains_the_words_of_the_page(open_page: Open, page_of: MakePage) -> None:
    page = open_page(page_of("demo"))
    page.get_by_role("button", name="Glossary").click()
    page.get_by_label("Search the glossary").fill("unseen-any")
    expect(page.get_by_role("dialog")).to_contain_text("unseen-any")
    page.get_by_role("button", name="Close").click()
    expect(page.get_by_role("dialog")).not_to_be_visible()


def test_tables_are_copied_and_sorted(open_page: Open, page_of: MakePage) -> None:
    permissions = ["clipboard-read", "clipboard-write"]
    page = open_page(page_of("demo"), "#/compare", permissions=permissions)
    table = page.locator(".table-block", has_text="Mentions that only one system gets right").first
    beginnings = {"Markdown": "| gold type |", "LaTeX": "\\begin{table}", "CSV": "gold type,"}
    for name, beginning in beginnings.items():
        table.get_by_role("button", name=re.compile(f"as {name}$")).click()
        page.wait_for_function("navigator.clipboard.readText().then((text) => text.length > 0)")
        assert page.evaluate("navigator.clipboard.readText()").startswith(beginning)
    table.get_by_role("button", name="gold type", exact=True).click()
    names = table.locator("tbody th").all_inner_texts()
    assert names == sorted(names)


def test_page_and_command_line_give_one_verdict(open_page: Open, page_of: MakePage) -> None:
    page = open_page(page_of("demo"), "#/compare")
    data = page.evaluate("JSON.parse(document.getElementById('data').textContent)")
    verdicts = data["comparison"]["verdicts"]
    assert len(verdicts) == 6
    for verdict in verdicts:
        visit(page, f"#/compare?a={verdict['a']}&b={verdict['b']}")
        expect(page.locator(".verdict")).to_contain_text(verdict["sentence"])
        expect(page.locator(".verdict .badge")).to_have_text(verdict["verdict"])


def test_a_page_inside_a_notebook_keeps_to_itself(
    open_page: Open, page_of: MakePage, tmp_path: Path
) -> None:
    holder = tmp_path / "notebook.html"
    shown = ReportPage(page_of("demo").read_text(encoding="utf-8"))._repr_html_()
    holder.write_text(f"<!doctype html><title>notebook</title>{shown}", encoding="utf-8")
    page = open_page(holder)
    frame = page.frame_locator("iframe")
    frame.get_by_role("link", name="Where", exact=True).click()
    expect(frame.get_by_role("heading", level=2)).to_have_text("Where")
    frame.locator("figure svg a[data-count]").first.click(force=True)
    expect(frame.get_by_role("heading", level=2)).to_have_text("Errors")
    assert page.url == holder.as_uri()


def test_no_text_leaves_no_text(open_page: Open, tmp_path: Path) -> None:
    gold = [(["Ada", "met", "Bob"], ["B-PER", "O", "B-PER"])] * 5
    target = tmp_path / "page.html"
    ns.evaluate(gold, {"x": [["B-PER", "O", "B-LOC"]] * 5}, texts=False).report(target)
    page = open_page(target)
    for section in sections_of(page):
        visit(page, f"#/{section}")
        expect(page.locator("main")).not_to_contain_text("Bob")
    assert "Bob" not in target.read_text(encoding="utf-8")


def test_both_sides_have_the_same_types() -> None:
    written = runpy.run_path(str(ROOT / "web" / "page_types.py"))
    for name, types in (("page-data", "report_types"), ("decide-data", "decide_types")):
        committed = (ROOT / "web" / "src" / f"{name}.ts").read_text(encoding="utf-8")
        assert written[types]() == committed, "run `make page`"


def test_the_templates_are_what_their_sources_make(tmp_path: Path) -> None:
    assert shutil.which("node"), "the page is built with Node.js"
    build = ["npx", "vite", "build", "--logLevel", "error", "--outDir", str(tmp_path)]
    for mode in ("production", "decide"):
        subprocess.run([*build, "--mode", mode], cwd=ROOT / "web", check=True)
    committed = ROOT / "src" / "nerscope" / "render" / "assets"
    for made in tmp_path.iterdir():
        assert made.read_bytes() == (committed / made.name).read_bytes(), "run `make page`"
    assert {made.name for made in tmp_path.iterdir()} == {path.name for path in committed.iterdir()}


def test_the_data_are_valid_json_without_absolute_paths(page_of: MakePage) -> None:
    for kind in ("demo", "columns", "answers"):
        text = page_of(kind).read_text(encoding="utf-8")
        start = text.index('id="data">') + len('id="data">')
        data = json.loads(text[start : text.index("</script>", start)])
        assert data["datasets"]
        assert str(page_of(kind).parent) not in text
