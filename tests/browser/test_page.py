"""The report in a browser: every section, every way from a chart to its sentences."""

import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from playwright.sync_api import FloatRect, Locator, Page, expect
from tests.browser.conftest import ROOT, Open

from nerscope.results.judged import shares
from nerscope.results.judgements import read_judgements

SECTIONS = {
    "overview": "Overview",
    "mentions": "Tough mentions",
    "tokens": "Hard tokens",
    "attributes": "Attributes",
    "partial": "Partial credit",
    "compare": "Compare",
    "errors": "Errors",
    "review": "Review",
}
CLIPBOARD = ["clipboard-read", "clipboard-write"]
PROGRESS = ".review p[role=status]"
AXE = ROOT / "web" / "node_modules" / "axe-core" / "axe.min.js"


def found(page: Page) -> int:
    """How many sentences the filter finds."""
    return int(page.locator("[data-count]").get_attribute("data-count") or -1)


@pytest.mark.parametrize("name", SECTIONS)
def test_every_section_is_drawn(open_page: Open, demo: Path, name: str) -> None:
    page = open_page(demo)
    page.get_by_role("link", name=SECTIONS[name], exact=True).click()
    expect(page.get_by_role("heading", level=2)).to_have_text(SECTIONS[name])
    drawn = ".card" if name == "review" else "figure svg"
    expect(page.locator(drawn).first).to_be_visible()
    assert page.locator("text=/NaN|undefined,|\\[object/").count() == 0


def test_the_first_screen_answers_in_words(open_page: Open, demo: Path) -> None:
    text = open_page(demo).locator(".answer").first.inner_text()
    assert re.match(
        r"crf-gazetteer 71\.5 \[\d\d\.\d, \d\d\.\d\] F1; significantly better than .*; "
        r"no significant difference from crf-shapes .*; weakest on .*\(.* n = \d+\)",
        text,
    )


def test_a_number_tells_what_is_known_of_it(open_page: Open, demo: Path) -> None:
    page = open_page(demo)
    page.locator(".answer .number").first.hover()
    told = page.locator(".bubble").inner_text()
    for piece in ("crf-gazetteer", "F1 71.54", "n = 692", "The harmonic mean", "scheme:bio"):
        assert piece in told
    page.locator("td span[data-tip]").first.hover()
    assert "n = " in page.locator(".bubble").inner_text()


# A chart, and what its first mark must have chosen among the sentences.
CHARTS = [
    ("mentions", "figure svg a", {"facet": "tmr", "level": "seen", "side": "gold"}),
    ("tokens", "figure svg a", {"facet": "hard", "level": "all"}),
    ("attributes", "figure svg a", {"facet": "eLen", "level": "XS"}),
    ("partial", "figure:nth-of-type(2) svg a", {"outcome": "correct"}),
    ("compare", "figure svg a", {"type": "LOC", "disagree": "1"}),
    ("errors", "figure svg a", {"gold": "LOC", "predicted": "LOC"}),
    ("overview", "td a, th a", {"type": "LOC"}),
]


@pytest.mark.parametrize(("section", "mark", "chosen"), CHARTS, ids=lambda one: str(one))
def test_a_chart_leads_to_its_sentences(
    open_page: Open, demo: Path, section: str, mark: str, chosen: dict[str, str]
) -> None:
    page = open_page(demo, f"#/{section}")
    page.locator(mark).first.click(force=True)
    expect(page.get_by_role("heading", level=2)).to_have_text("Errors")
    query = page.evaluate("Object.fromEntries(new URLSearchParams(location.hash.split('?')[1]))")
    assert {**query, **chosen} == query
    assert found(page) > 0
    assert page.locator("ol.sentences > li").count() == min(found(page), 20)


def test_a_cell_of_the_heat_map_leads_to_where_systems_disagree(
    open_page: Open, demo: Path
) -> None:
    page = open_page(demo, "#/attributes")
    heat = page.locator("figure", has_text="Change from crf-shapes to crf-gazetteer")
    heat.locator("svg a").first.click(force=True)
    expect(page.get_by_label("crf-gazetteer and crf-shapes disagree")).to_be_checked()
    expect(page.get_by_label("Facet")).to_have_value("eLen")
    assert found(page) > 0


@pytest.mark.parametrize("row", range(5))
def test_mentions_fixed_and_broken_are_those_that_were_counted(
    open_page: Open, demo: Path, row: int
) -> None:
    for column in (0, 1):
        page = open_page(demo, "#/compare?a=memoriser&b=crf-words")
        table = page.locator(".table-block", has_text="Mentions fixed and broken")
        cell = table.locator("tbody tr").nth(row).locator("td").nth(column).locator("a")
        counted = cell.inner_text()
        cell.click()
        mentions = "mention" if counted == "1" else "mentions"
        expect(page.locator("[data-count]")).to_contain_text(f"with {counted} {mentions}.")


def test_a_recall_leads_to_the_gold_mentions_that_lower_it(open_page: Open, demo: Path) -> None:
    page = open_page(demo, "#/mentions?s=memoriser")
    page.locator("figure svg a").first.click(force=True)
    # 91.0 % of 334 are found
    expect(page.locator("[data-count]")).to_contain_text("with 30 mentions.")


def test_filters_narrow_what_is_shown_in_a_moment(open_page: Open, demo: Path) -> None:
    page = open_page(demo, "#/errors")
    everything = found(page)
    page.get_by_label("Outcome").select_option("missed")
    missed = found(page)
    assert 0 < missed < everything
    page.get_by_role("searchbox").fill("the")
    assert 0 < found(page) < missed
    took = page.evaluate(
        """async () => {
            const field = document.querySelector("input[type=search]");
            const start = performance.now();
            field.value = "a"; field.dispatchEvent(new Event("input", {bubbles: true}));
            await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
            return performance.now() - start;
        }"""
    )
    assert took < 300  # some 30 ms on an idle machine
    page.get_by_role("link", name="Clear").click()
    assert found(page) == everything


def test_sentences_are_gone_through_by_keyboard(open_page: Open, demo: Path) -> None:
    page = open_page(demo, "#/errors?outcome=error", permissions=CLIPBOARD)
    page.keyboard.press("j")
    page.keyboard.press("j")
    page.keyboard.press("k")
    page.keyboard.press("j")
    second = page.locator("ol.sentences > li").nth(1)
    expect(second).to_have_attribute("aria-current", "true")
    page.keyboard.press("c")
    expect(page.get_by_role("button", name="copied")).to_be_visible()
    link = page.evaluate("navigator.clipboard.readText()")
    again = open_page(demo, link[link.index("#") :])
    current = again.locator(".card[aria-current=true] .where")
    expect(current).to_have_text(second.locator(".where").inner_text())
    page.keyboard.press("/")
    expect(page.get_by_role("searchbox")).to_be_focused()


def test_spans_are_drawn_over_the_words(open_page: Open, demo: Path) -> None:
    page = open_page(demo, "#/errors?q=MIRADOR GROUP TO CUT")
    card = page.locator("ol.sentences > li").first
    assert card.locator(".span.gold.first").all_inner_texts() == ["ORG", "LOC"]
    assert card.locator(".span.missed.first").count() > 0
    gold = card.locator(".span.gold.first").first
    word = card.locator("bdi", has_text="MIRADOR")
    assert abs(box(gold)["x"] - box(word)["x"]) < 3
    assert box(gold)["y"] < box(word)["y"]


def box(part: Locator) -> FloatRect:
    found = part.bounding_box()
    assert found is not None
    return found


def test_pairs_are_judged_by_keyboard_and_exported(
    open_page: Open, demo: Path, tmp_path: Path
) -> None:
    page = open_page(demo, "#/review")
    for key in ("g", "g", "b", "g", "u"):  # u takes the last one back
        page.keyboard.press(key)
    expect(page.locator(PROGRESS)).to_contain_text("3 of 139 pairs judged")
    expect(page.locator(".pair small")).to_contain_text("4 of 139")
    page.reload()
    expect(page.locator(PROGRESS)).to_contain_text("3 of 139 pairs judged")
    with page.expect_download() as waiting:
        page.get_by_role("button", name="Export judgements").click()
    target = tmp_path / "judgements.json"
    waiting.value.save_as(target)
    assert sum(share["judged"] for share in shares(read_judgements(target).judgements)) >= 3
    other = open_page(demo, "#/review")
    expect(other.locator(PROGRESS)).to_contain_text("0 of 139 pairs judged")
    other.locator("input[type=file]").set_input_files(target)
    expect(other.locator(PROGRESS)).to_contain_text("3 of 139 pairs judged. 3 judgements read.")
    nonsense = tmp_path / "nonsense.json"
    nonsense.write_text("{}", encoding="utf-8")
    other.locator("input[type=file]").set_input_files(nonsense)
    expect(other.locator(PROGRESS)).to_contain_text("This file holds no judgements.")


def test_tables_are_copied(open_page: Open, demo: Path) -> None:
    page = open_page(demo, permissions=CLIPBOARD)
    beginnings = {"Markdown": "| system | precision |", "LaTeX": "\\begin{table}", "CSV": "system,"}
    for name, beginning in beginnings.items():
        page.get_by_role("button", name=f"Copy Scores on demo as {name}").click()
        page.wait_for_function("navigator.clipboard.readText().then((text) => text.length > 0)")
        assert page.evaluate("navigator.clipboard.readText()").startswith(beginning)


def test_tables_are_sorted(open_page: Open, demo: Path) -> None:
    page = open_page(demo)
    column = page.locator(".table-block").first
    column.get_by_role("button", name="precision", exact=True).click()
    assert column.locator("tbody th").first.inner_text() == "memoriser"
    expect(column.locator("th[aria-sort]")).to_have_attribute("aria-sort", "descending")


@pytest.mark.parametrize("section", ["mentions", "attributes", "compare"])
def test_charts_are_saved(open_page: Open, demo: Path, section: str, tmp_path: Path) -> None:
    page = open_page(demo, f"#/{section}")
    page.wait_for_selector("figure svg a")
    figure = page.locator("figure").first
    for name in ("SVG", "PNG"):
        with page.expect_download() as waiting:
            figure.get_by_role("button", name=name).click()
        waiting.value.save_as(tmp_path / name)
    drawing = ElementTree.parse(tmp_path / "SVG").getroot()
    assert len(list(drawing.iter("{http://www.w3.org/2000/svg}text"))) > 10
    assert (tmp_path / "PNG").read_bytes()[:8] == b"\x89PNG\r\n\x1a\n"


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", SECTIONS)
def test_nothing_stands_in_the_way_of_anybody(
    open_page: Open, demo: Path, name: str, scheme: str
) -> None:
    page = open_page(demo, f"#/{name}", color_scheme=scheme)
    page.wait_for_timeout(200)  # until charts are drawn
    page.evaluate(AXE.read_text(encoding="utf-8"))
    run: dict[str, Any] = page.evaluate("axe.run(document, {resultTypes: ['violations']})")
    serious = {
        violation["id"]: [node["html"][:120] for node in violation["nodes"][:3]]
        for violation in run["violations"]
        if violation["impact"] in ("serious", "critical")
    }
    assert serious == {}


@pytest.mark.parametrize("name", SECTIONS)
def test_a_small_screen_never_scrolls_sideways(open_page: Open, demo: Path, name: str) -> None:
    page = open_page(demo, f"#/{name}", width=360)
    page.wait_for_timeout(200)
    assert page.evaluate("document.scrollingElement.scrollWidth") <= 360


def test_dark_is_dark(open_page: Open, demo: Path) -> None:
    page = open_page(demo, color_scheme="dark")
    colour = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert max(int(part) for part in re.findall(r"\d+", colour)) < 60


def test_paper_has_no_buttons(open_page: Open, demo: Path) -> None:
    page = open_page(demo)
    page.emulate_media(media="print")
    assert not page.locator("nav").is_visible()
    assert page.locator("figure svg").first.is_visible()
    assert page.locator("thead").first.is_visible()


def test_a_page_inside_a_notebook_keeps_to_itself(
    open_page: Open, demo: Path, tmp_path: Path
) -> None:
    from nerscope.render.page.html import ReportPage as Shown

    holder = tmp_path / "notebook.html"
    shown = Shown(demo.read_text(encoding="utf-8"))._repr_html_()
    holder.write_text(f"<!doctype html><title>notebook</title>{shown}", encoding="utf-8")
    page = open_page(holder)
    frame = page.frame_locator("iframe")
    frame.get_by_role("link", name="Tough mentions").click()
    expect(frame.get_by_role("heading", level=2)).to_have_text("Tough mentions")
    frame.locator("figure svg a").first.click(force=True)
    expect(frame.get_by_role("heading", level=2)).to_have_text("Errors")
    frame.get_by_label("Outcome").select_option("missed")
    expect(frame.get_by_role("heading", level=2)).to_have_text("Errors")
    assert page.url == holder.as_uri()


def test_the_templates_are_what_their_source_makes(tmp_path: Path) -> None:
    assert shutil.which("node"), "the page is built with Node.js"
    build = ["npx", "vite", "build", "--logLevel", "error", "--outDir", str(tmp_path)]
    for mode in ("production", "decide"):
        subprocess.run([*build, "--mode", mode], cwd=ROOT / "web", check=True)
    committed = ROOT / "src" / "nerscope" / "render" / "assets"
    for made in tmp_path.iterdir():
        assert made.read_bytes() == (committed / made.name).read_bytes(), "run `make page`"
    assert {made.name for made in tmp_path.iterdir()} == {
        "report.html",
        "decide.html",
        "LICENSES.txt",
    }


def test_judgements_that_come_with_the_page_are_there(open_page: Open, demo: Path) -> None:
    text = demo.read_text(encoding="utf-8")
    start = text.index('<script type="application/json" id="data">')
    data = json.loads(text[text.index(">", start) + 1 : text.index("</script>", start)])
    for pair in data["pairs"][:5]:
        pair["judgement"] = "bad"
    judged = demo.with_name("judged.html")
    end = text.index("</script>", start)
    embedded = json.dumps(data).replace("<", "\\u003c")
    judged.write_text(text[: text.index(">", start) + 1] + embedded + text[end:], encoding="utf-8")
    page = open_page(judged, "#/review")
    expect(page.locator(PROGRESS)).to_contain_text("5 of 139 pairs judged")
