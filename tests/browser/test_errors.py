"""Errors in a browser: counts that equal their lists, keys, views, and the review."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import FloatRect, Locator, Page, expect
from tests.browser.conftest import ROOT, Open

import nerscope as ns
from nerscope.results.judged import shares
from nerscope.results.judgements import read_judgements

CLIPBOARD = ["clipboard-read", "clipboard-write"]
AXE = ROOT / "web" / "node_modules" / "axe-core" / "axe.min.js"
COUNT = ".count"
ROWS = ".lines .line"
PROGRESS = ".review p[role=status]"
VIEWS = ["lines", "groups", "sentences", "review"]

DRAWN = """const drawn = () =>
    new Promise((done) => setTimeout(() => requestAnimationFrame(() => setTimeout(done))));
"""

# Opens every link in turn, and gives those whose count is not that of their list.
DIFFERING = (
    f"async (links) => {{ {DRAWN}"
    + """
    const differing = [];
    for (const [href, count] of links) {
        location.hash = href;
        await drawn();
        const {places, errors} = document.querySelector(".count").dataset;
        const listed = new URLSearchParams(href.split("?")[1]).has("system") ? errors : places;
        if (Number(count) !== Number(listed)) differing.push([href, count, listed]);
    }
    return differing;
}"""
)


def links(page: Page, inside: str) -> list[list[str]]:
    """The addresses and counts of the links inside a part of the page."""
    found: list[list[str]] = page.locator(f"{inside} a[data-count]").evaluate_all(
        "(all) => all.map((one) => [one.getAttribute('href'), one.dataset.count])"
    )
    return found


def count(page: Page, name: str = "places") -> float:
    return float(page.locator(COUNT).get_attribute(f"data-{name}") or -1)


def box(part: Locator) -> FloatRect:
    found = part.bounding_box()
    assert found is not None
    return found


@pytest.fixture(scope="module")
def answers(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Nested mentions, answers that are not in the text, and scripts of other directions."""
    leeds = ["The", "University", "of", "Leeds", "hired", "Ada", "Lee", "."]
    arabic, chinese = ["السيد", "أحمد", "زار", "القاهرة", "أمس"], list("我爱北京天安门")
    gold = [
        (leeds, [(1, 4, "ORG"), (3, 4, "LOC"), (5, 7, "PER")]),
        (arabic, [(1, 2, "PER"), (3, 4, "LOC")]),
        (chinese, [(2, 7, "LOC")]),
    ]
    one = [
        (leeds, [(1, 4, "ORG"), (3, 4, "ORG"), (5, 6, "PER")]),
        (arabic, [(1, 3, "PER")]),
        (chinese, [(2, 4, "LOC")]),
    ]
    two = [(leeds, [(1, 4, "ORG")]), (arabic, [(1, 2, "PER"), (3, 4, "LOC")]), (chinese, [])]
    target = tmp_path_factory.mktemp("reports") / "answers.html"
    ns.evaluate(gold, {"one": one, "two": two}).report(target)
    return target


@pytest.mark.parametrize("group", ["surface", "confusion", "shape"])
def test_a_group_opens_as_many_errors_as_it_counts(open_page: Open, demo: Path, group: str) -> None:
    for chosen in ("", "&system=memoriser"):
        page = open_page(demo, f"#/errors?view=groups&group={group}{chosen}")
        found = links(page, ".groups")
        assert len(found) > 10
        assert page.evaluate(DIFFERING, found) == []


def test_a_cell_of_the_matrix_opens_as_many_errors_as_it_counts(
    open_page: Open, demo: Path
) -> None:
    page = open_page(demo, "#/errors", width=1440)
    page.get_by_role("button", name="Matrix").click()
    page.wait_for_selector(".matrix svg a")
    found = links(page, ".matrix")
    page.locator(".matrix").get_by_label("minus").select_option(index=2)
    page.get_by_role("heading", name="Largest differences").wait_for()
    found += links(page, ".matrix")
    assert len(found) > 30
    page.get_by_role("button", name="Close").click()
    assert page.evaluate(DIFFERING, found) == []


def test_a_quick_set_opens_as_many_places_as_it_counts(open_page: Open, demo: Path) -> None:
    page = open_page(demo, "#/errors?kind=missed")
    found = links(page, ".quick")
    assert [int(n) for _, n in found if int(n) > 0]
    assert page.evaluate(DIFFERING, found) == []


def test_a_facet_lists_as_many_places_as_it_counts(open_page: Open, demo: Path) -> None:
    page = open_page(demo, "#/errors?kind=missed&length=1")
    differing = page.evaluate(
        f"async () => {{ {DRAWN}"
        """
            const differing = [];
            const start = location.hash;
            for (let k = 0; k < document.querySelectorAll(".rail input").length; k++) {
                const input = document.querySelectorAll(".rail input")[k];
                const field = input.closest("fieldset");
                const chosen = [...field.querySelectorAll("input")].some((one) => one.checked);
                if (chosen) continue;
                const label = input.closest("label");
                const n = label.querySelector(".n").innerText.replace(",", "");
                input.click();
                await drawn();
                const {places} = document.querySelector(".count").dataset;
                if (places !== n) differing.push([label.innerText, n, places]);
                location.hash = start;
                await drawn();
            }
            return differing;
        }"""
    )
    assert differing == []


def test_fifty_errors_take_three_screens(open_page: Open, demo: Path) -> None:
    page = open_page(demo, "#/errors", width=1440)
    rows = page.locator(ROWS)
    assert rows.count() >= 50
    fiftieth = box(rows.nth(49))
    assert fiftieth["y"] + fiftieth["height"] <= 3 * 900
    assert box(rows.first)["y"] - box(page.locator(".errors-head"))["y"] <= 120
    assert box(rows.nth(1))["y"] - box(rows.first)["y"] == 28


def test_back_undoes_the_last_filter(open_page: Open, demo: Path) -> None:
    page = open_page(demo, "#/errors")
    everything = count(page)
    page.get_by_role("checkbox", name=re.compile("^Missed")).check()
    missed = count(page)
    assert missed < everything
    page.get_by_role("checkbox", name=re.compile("^1 word")).check()
    assert count(page) < missed
    page.keyboard.press("j")
    page.go_back()
    assert count(page) == missed
    page.go_back()
    assert count(page) == everything


def test_the_search_finds_words_and_expressions(open_page: Open, demo: Path) -> None:
    page = open_page(demo, "#/errors")
    everything = count(page)
    field = page.get_by_role("searchbox")
    field.fill("MIRADOR GROUP")
    assert 0 < count(page) < everything
    field.fill("/^[A-Z]+ GROUP/")
    assert 0 < count(page) < everything
    field.fill("/(/")
    expect(page.get_by_role("alert")).to_contain_text("Invalid regular expression")
    assert count(page) == everything


def test_any_key_answers_in_a_moment(open_page: Open, demo: Path) -> None:
    page = open_page(demo, "#/errors")
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


def test_errors_are_gone_through_by_keyboard(open_page: Open, demo: Path) -> None:
    page = open_page(demo, "#/errors", permissions=CLIPBOARD)
    for key in "jjkj":
        page.keyboard.press(key)
    expect(page.locator(ROWS).nth(1)).to_have_attribute("aria-current", "true")
    expect(page.locator(COUNT)).to_contain_text("2 of ")
    page.keyboard.press("Enter")
    expect(page.locator(".opened .sentence")).to_be_visible()
    page.keyboard.press("c")
    expect(page.get_by_text("link copied").first).to_be_visible()
    link = page.evaluate("navigator.clipboard.readText()")
    page.keyboard.press("Escape")
    expect(page.locator(".opened")).to_have_count(0)
    again = open_page(demo, link[link.index("#") :])
    expect(again.locator(ROWS).nth(1)).to_have_attribute("aria-current", "true")
    page.keyboard.press("/")
    expect(page.get_by_role("searchbox")).to_be_focused()


def test_places_are_pinned_tagged_and_noted(open_page: Open, demo: Path, tmp_path: Path) -> None:
    page = open_page(demo, "#/errors")
    page.keyboard.press("j")
    page.keyboard.press("x")
    page.keyboard.press("t")
    expect(page.get_by_label("Tags")).to_be_focused()
    page.keyboard.type("odd")
    page.keyboard.press("Escape")
    page.keyboard.press("m")
    page.keyboard.type("why?")
    page.reload()
    page.get_by_role("checkbox", name=re.compile("^pinned")).check()
    assert count(page) == 1
    page.get_by_text("Export", exact=True).click()
    with page.expect_download() as waiting:
        page.get_by_role("button", name="JSON Lines").click()
    waiting.value.save_as(tmp_path / "errors.jsonl")
    [row] = map(json.loads, (tmp_path / "errors.jsonl").read_text(encoding="utf-8").splitlines())
    assert (row["tags"], row["note"]) == (["odd"], "why?")
    assert set(row["systems"]) > {"crf-words", "memoriser"}


def test_keys_can_be_switched_off(open_page: Open, demo: Path) -> None:
    page = open_page(demo, "#/errors")
    page.get_by_text("Keys", exact=True).click()
    page.get_by_role("checkbox", name="on", exact=True).uncheck()
    page.keyboard.press("j")
    expect(page.locator(f"{ROWS}[aria-current]")).to_have_count(0)


def test_spans_stand_over_their_words(open_page: Open, demo: Path) -> None:
    page = open_page(demo, "#/errors?view=sentences&q=MIRADOR GROUP TO CUT")
    card = page.locator(".cards > li").first
    gold = card.locator(".span.gold.first")
    assert [label.strip() for label in gold.all_inner_texts()] == ["ORG", "LOC"]
    word = card.locator("bdi", has_text="MIRADOR").first
    assert abs(box(gold.first)["x"] - box(word)["x"]) < 3
    assert box(gold.first)["y"] < box(word)["y"]
    # Words stand as close as in the text, however long their labels are.
    following = card.locator("bdi", has_text="GROUP").first
    assert box(following)["x"] - box(word)["x"] - box(word)["width"] < 8


def test_every_script_and_nested_mentions_are_drawn(open_page: Open, answers: Path) -> None:
    page = open_page(answers, "#/errors?view=sentences")
    cards = page.locator(".cards > li")
    expect(cards).to_have_count(3)
    lanes = cards.first.locator(".text-line").first.locator(".names .lane").all_inner_texts()
    assert lanes[:2] == ["gold", ""]  # nested mentions take two
    assert cards.nth(1).locator(".sentence").get_attribute("dir") == "rtl"
    assert "".join(cards.nth(2).locator(".word").all_text_contents()).strip() == "我爱北京天安门"


REASONS = (
    "kind=missed",
    "kind=spurious",
    "kind=wrong+type&system=crf-shapes",
    "kind=wrong+boundary",
    "pair=%5B%22ORG%22%2C%22LOC%22%5D&system=crf-words",
    "level=tmr%3Dunseen-type&side=gold",
    "level=hard%3Ddiff&system=memoriser",
    "a=crf-gazetteer&b=memoriser&change=fixed",
    "pattern=all",
)


@pytest.mark.parametrize("filters", REASONS)
def test_every_listed_sentence_shows_why_it_is_listed(
    open_page: Open, demo: Path, filters: str
) -> None:
    page = open_page(demo, f"#/errors?view=sentences&{filters}")
    cards = page.locator(".cards > li")
    expect(cards.first).to_be_visible()
    without = page.evaluate(
        """() => [...document.querySelectorAll(".cards > li")]
            .filter((card) => {
                const hits = [...card.querySelectorAll(".ringed")];
                return !hits.some((hit) => hit.checkVisibility());
            })
            .map((card) => card.innerText)"""
    )
    assert without == []


def test_no_line_is_empty_and_equal_systems_share_one(open_page: Open, demo: Path) -> None:
    page = open_page(demo, "#/errors?view=sentences")
    empty = page.evaluate(
        """() => [...document.querySelectorAll(".text-line")].filter((line) => {
            const columns = [...line.querySelectorAll(".column")];
            const isEmpty = (k) => columns.every((one) => one.children[k].className === "lane");
            return [...(columns[0]?.children ?? [])].some((_, k) => isEmpty(k));
        }).length"""
    )
    assert empty == 0
    names = page.locator(".text-line .names .lane").all_inner_texts()
    assert any("," in name for name in names)


def test_results_without_texts_show_positions(open_page: Open, tmp_path: Path) -> None:
    gold = [(["Ada", "met", "Bob"], ["B-PER", "O", "B-PER"])] * 3
    results = ns.evaluate(gold, {"x": [["B-PER", "O", "O"]] * 3}, texts=False)
    results.report(tmp_path / "page.html")
    page = open_page(tmp_path / "page.html", "#/errors")
    expect(page.locator(f"{ROWS} .hit").first).to_have_text("token 3")
    assert page.locator(f"{ROWS} .mark.missed").count() == 3
    assert "Ada" not in (tmp_path / "page.html").read_text(encoding="utf-8")


def test_pairs_are_judged_by_keyboard_and_exported(
    open_page: Open, demo: Path, tmp_path: Path
) -> None:
    page = open_page(demo, "#/errors?view=review")
    expect(page.locator(".pair")).to_contain_text("hidden until you judge")
    for key in ("g", "g", "b", "g", "u"):  # u takes the last one back
        page.keyboard.press(key)
    expect(page.locator(PROGRESS)).to_contain_text("3 of 60 pairs judged. Shares are known to ±")
    page.keyboard.press("k")
    expect(page.locator(".pair")).to_contain_text(re.compile(r"left|right|overlap"))
    page.reload()
    expect(page.locator(PROGRESS)).to_contain_text("3 of 60 pairs judged")
    with page.expect_download() as waiting:
        page.get_by_role("button", name="Export judgements").click()
    target = tmp_path / "judgements.json"
    waiting.value.save_as(target)
    assert sum(share["judged"] for share in shares(read_judgements(target).judgements)) >= 3
    other = open_page(demo, "#/errors?view=review")
    own, judges = other.locator("input[type=file]").nth(0), other.locator("input[type=file]").nth(1)
    own.set_input_files(target)
    expect(other.locator(PROGRESS)).to_contain_text("3 judgements read.")
    judges.set_input_files(target)
    expect(other.locator(".agreement")).to_contain_text("100.0 % agreement on 3 pairs")
    nonsense = tmp_path / "nonsense.json"
    nonsense.write_text("{}", encoding="utf-8")
    own.set_input_files(nonsense)
    expect(other.locator(PROGRESS)).to_contain_text("This file holds no judgements.")


def test_judged_pairs_can_be_filtered(open_page: Open, demo: Path) -> None:
    page = open_page(demo, "#/errors?view=review")
    page.keyboard.press("b")
    page.get_by_role("link", name="Lines").click()
    page.get_by_role("checkbox", name=re.compile("^bad")).check()
    assert count(page) == 1


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("view", VIEWS)
def test_nothing_stands_in_the_way_of_anybody(
    open_page: Open, demo: Path, view: str, scheme: str
) -> None:
    page = open_page(demo, f"#/errors?view={view}", color_scheme=scheme)
    if view == "lines":
        page.keyboard.press("j")
        page.keyboard.press("Enter")
    page.wait_for_timeout(200)
    page.evaluate(AXE.read_text(encoding="utf-8"))
    run: dict[str, Any] = page.evaluate("axe.run('main', {resultTypes: ['violations']})")
    assert [violation["id"] for violation in run["violations"]] == []


@pytest.mark.parametrize("width", [360, 390])
@pytest.mark.parametrize("view", VIEWS)
def test_a_phone_never_scrolls_sideways(open_page: Open, demo: Path, view: str, width: int) -> None:
    page = open_page(demo, f"#/errors?view={view}", width=width)
    page.wait_for_timeout(200)
    assert page.evaluate("document.scrollingElement.scrollWidth") <= width
    overlapping = page.evaluate(
        """() => {
            const parts = document.querySelectorAll(".lines .mark, .errors-tools > *, .quick > *");
            const boxes = [...parts].map((one) => one.getBoundingClientRect())
                .filter((one) => one.width > 0).slice(0, 80);
            return boxes.filter((one, k) => boxes.slice(k + 1).some((other) =>
                one.left < other.right - 1 && other.left < one.right - 1 &&
                one.top < other.bottom - 1 && other.top < one.bottom - 1)).length;
        }"""
    )
    assert overlapping == 0


def test_paper_has_the_list_alone(open_page: Open, demo: Path) -> None:
    page = open_page(demo, "#/errors")
    page.emulate_media(media="print")
    assert not page.locator(".rail").is_visible()
    assert page.locator(f"{ROWS} .hit").first.is_visible()
    assert page.locator(".lines thead").is_visible()
