"""Text that would like to be markup, and data that are not as usual: shown, and nothing runs."""

from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect
from tests.browser.conftest import Open

import nerscope as ns

SCRIPT = "</script><script>alert(1)</script>"
IMAGE = "<img src=x onerror=alert(2)>"
TOKENS = [
    SCRIPT,
    IMAGE,
    "\"'`",
    "&lt;b&gt;",
    "\u202eltr\u202c",
    "zero\u200bwidth",
    "e\u0301\u0301",
    "javascript:alert(3)",
    "<!--",
    "]]>",
    "\u2028",
    "{{x}}",
    "a b",
    "",
]
TYPE = f"B-{SCRIPT}"
SECTIONS = ["summary", "errors", "compare", "where", "data"]


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Path:
    gold = [(TOKENS, [TYPE, f"I-{SCRIPT}", *["O"] * (len(TOKENS) - 3), "B-LOC"])] * 12
    one = [[TYPE, *["O"] * (len(TOKENS) - 2), "B-LOC"]] * 12
    two = [["B-LOC", *["O"] * (len(TOKENS) - 2), f"B-{IMAGE}"]] * 12
    systems = {SCRIPT: one, f"{IMAGE}'\"": two}
    results = ns.evaluate(gold, systems, train=gold, dataset=f"half\udc80 {SCRIPT}")
    target = tmp_path_factory.mktemp("reports") / "hostile.html"
    results.report(target)
    return target


@pytest.mark.parametrize("section", SECTIONS)
def test_text_is_shown_as_text_and_no_script_runs(
    open_page: Open, hostile: Path, section: str
) -> None:
    page = open_page(hostile, f"#/{section}")
    page.wait_for_timeout(150)
    assert page.locator("script").count() == 2  # the data, and the page's own
    assert page.locator("img").count() == 0
    assert f"half\udc80 {SCRIPT}" in page.locator("h1").inner_text()
    assert SCRIPT in page.locator("main").inner_text()


def test_sentences_show_what_was_written(open_page: Open, hostile: Path) -> None:
    page = open_page(hostile, "#/errors?view=sentences")
    words = page.locator(".cards > li").first.locator(".word bdi")
    shown = [text.strip() for text in words.all_text_contents()]
    assert shown == [token.strip() for token in TOKENS]


def test_what_was_smuggled_in_may_not_run(browser: Browser, hostile: Path) -> None:
    page = browser.new_page()
    page.goto(hostile.as_uri())
    policy = page.locator("meta[http-equiv=Content-Security-Policy]").get_attribute("content")
    assert policy is not None
    assert "default-src 'none'" in policy
    assert "unsafe-inline" not in policy.split("script-src")[1].split(";")[0]
    ran = page.evaluate(
        """() => {
            const script = document.createElement("script");
            script.textContent = "window.ran = true";
            document.body.append(script);
            return window.ran === true;
        }"""
    )
    assert ran is False
    page.close()


def test_names_of_systems_go_through_the_address(open_page: Open, hostile: Path) -> None:
    page = open_page(hostile, "#/errors")
    page.get_by_role("checkbox", name=f"{SCRIPT} 12", exact=True).check()
    page.get_by_role("checkbox", name="Wrong boundary 12").check()
    expect(page.locator(".count[data-places='12']")).to_be_visible()
    page.reload()
    expect(page.locator(".count[data-places='12']")).to_be_visible()


def test_one_system_without_training_has_the_sections_that_it_can_have(
    open_page: Open, tmp_path: Path
) -> None:
    gold = [(["Ada", "met", "Bob"], ["B-PER", "O", "B-PER"])] * 3
    ns.evaluate(gold, {"x": [["B-PER", "O", "O"]] * 3}, facets=[], matches=["exact"]).report(
        tmp_path / "page.html"
    )
    page = open_page(tmp_path / "page.html")
    titles = ["Summary", "Errors", "Where", "Data & method"]
    assert page.locator("nav a").all_inner_texts() == titles


def test_systems_that_say_nothing_are_no_error(open_page: Open, tmp_path: Path) -> None:
    gold = [(["Ada", "came"], ["B-PER", "O"])]
    ns.evaluate(gold, {"x": [["O", "O"]], "y": [["O", "O"]]}).report(tmp_path / "page.html")
    page = open_page(tmp_path / "page.html")
    for name in page.locator("nav a").all_inner_texts():
        page.get_by_role("link", name=name, exact=True).click()
        expect(page.get_by_role("heading", level=2)).to_have_text(name)


def test_many_systems_runs_and_datasets_stay_usable(open_page: Open, tmp_path: Path) -> None:
    gold = [(["Ada", "met", "Bob", "Lee"], ["B-PER", "O", "B-PER", "I-PER"])] * 8
    right, wrong = ["B-PER", "O", "B-PER", "I-PER"], ["B-PER", "O", "B-LOC", "O"]

    def output(k: int, run: int) -> list[list[str]]:
        return [right if (3 * k + run + place) % 7 else wrong for place in range(8)]

    systems = {f"system {k}": [output(k, run) for run in range(5)] for k in range(10)}
    evidence = [
        part
        for name in "abcdef"
        for part in ns.evaluate(gold, systems, train=gold, dataset=name).evidence
    ]
    ns.Results(evidence).report(tmp_path / "page.html")
    page = open_page(tmp_path / "page.html")
    expect(page.locator(".picker summary").first).to_have_text("7 of 10 systems shown")
    page.get_by_role("combobox", name="Dataset").select_option("c")
    page.locator(".picker summary").first.click()
    page.get_by_label("system 9").set_checked(True)
    expect(page.locator(".picker summary").first).to_have_text("8 of 10 systems shown")
    for title in ("Compare", "Where", "Errors"):
        page.get_by_role("link", name=title, exact=True).click()
        expect(page.locator("main")).to_contain_text("system 9")
