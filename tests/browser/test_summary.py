"""The first screen in a browser: best system, how sure that is, main failure; data and method."""

import random
import re
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect
from tests.browser.conftest import ROOT, Open

import nerscope as ns
from nerscope.results.error_sums import error_kinds

AXE = ROOT / "web" / "node_modules" / "axe-core" / "axe.min.js"
FIRST_SCREEN = {"width": 1280, "height": 720}
PHONE = {"width": 390, "height": 844}
TYPES = [f"{'WORK_OF_ART' if k % 4 == 0 else 'TYPE'}{k}" for k in range(18)]
Labelled = list[tuple[list[str], list[str]]]


def corpus(seed: int, sentences: int = 90) -> Labelled:
    """Sentences of eight words with two mentions each; the first types are the most frequent."""
    draw = random.Random(seed)
    labelled: Labelled = []
    for k in range(sentences):
        words = [f"w{draw.randrange(50)}" for _ in range(8)]
        first, second = (TYPES[min(17, int(draw.expovariate(0.2)))] for _ in range(2))
        if k < len(TYPES):
            first = TYPES[k]
        labels = ["O", f"B-{first}", f"I-{first}", "O", "O", f"B-{second}", "O", "O"]
        labelled.append((words, labels))
    return labelled


def output(gold: Labelled, seed: int, noise: float) -> list[list[str]]:
    """Labels with every kind of error: missed, cut short, of another type, made up."""
    draw = random.Random(seed)
    outputs = []
    for _, labels in gold:
        wrong = list(labels)
        if draw.random() < noise:
            wrong[5] = "O"
        if draw.random() < noise:
            wrong[2] = "O"
        if draw.random() < noise / 2:
            wrong[1:3] = [f"B-{TYPES[0]}", f"I-{TYPES[0]}"]
        if draw.random() < noise / 2:
            wrong[7] = f"B-{TYPES[1]}"
        outputs.append(wrong)
    return outputs


def many_results(systems: int = 7, runs: int = 5) -> ns.Results:
    """Two datasets, seven systems of five runs, eighteen types."""
    parts = []
    for dataset in ("north", "south"):
        gold = corpus(len(dataset) + ord(dataset[0]))
        outputs = {
            f"system-{k}": [output(gold, 100 * k + run, 0.1 + 0.05 * k) for run in range(runs)]
            for k in range(systems)
        }
        parts += ns.evaluate(gold, outputs, dataset=dataset).evidence
    return ns.Results(parts)


@pytest.fixture(scope="module")
def results() -> ns.Results:
    return many_results()


@pytest.fixture(scope="module")
def many(results: ns.Results, tmp_path_factory: pytest.TempPathFactory) -> Path:
    target = tmp_path_factory.mktemp("reports") / "many.html"
    results.report(target)
    return target


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One system, eight sentences, no training data."""
    gold = corpus(1, sentences=8)
    target = tmp_path_factory.mktemp("reports") / "small.html"
    ns.evaluate(gold, {"model": output(gold, 3, 0.4)}, dataset="small").report(target)
    return target


def card(page: Page, name: str) -> Locator:
    return page.locator(f".card.{name}")


@pytest.mark.parametrize("place", ["", "#/summary?d=north"])
def test_three_cards_are_read_without_scrolling(open_page: Open, many: Path, place: str) -> None:
    page = open_page(many, place, **FIRST_SCREEN)
    assert page.locator(".card").count() == 3
    for box in page.locator(".card").all():
        edges = box.bounding_box()
        assert edges and edges["y"] + edges["height"] <= FIRST_SCREEN["height"]
    sides = page.locator(".card").evaluate_all("cards => cards.map(card => card.offsetTop)")
    assert len(set(sides)) == 1


def test_the_headline_is_that_of_the_results(
    open_page: Open, many: Path, results: ns.Results
) -> None:
    page = open_page(many, "#/summary?d=north")
    of_north = {"dataset": "north", "metric": "f1", "match": "exact"}
    f1 = {name: results.value(system=name, **of_north) or 0.0 for name in results.systems}
    best, second = sorted(f1, key=lambda system: -f1[system])[:2]
    data = page.evaluate("JSON.parse(document.getElementById('data').textContent)")
    [verdict] = [
        row["verdict"]
        for row in data["comparison"]["verdicts"]
        if row["dataset"] == "north" and {row["a"], row["b"]} == {best, second}
    ]
    title = "Best system" if verdict in ("better", "worse") else "Highest F1"  # of tied systems
    expect(card(page, "good").locator(".answer")).to_have_text(f"{title}: {best}")
    expect(page.locator(".headline")).to_have_text(f"{100 * f1[best]:.1f} F1")
    expect(card(page, "good")).to_contain_text(re.compile(r"95 % interval \d+\.\d to \d+\.\d"))
    expect(card(page, "good")).to_contain_text("if boundaries are forgiven")
    ladder = card(page, "ladder").locator("svg")
    values = ladder.evaluate("chart => [...chart.querySelectorAll('text')].map(t => t.textContent)")
    shown = [float(text) for text in values if re.fullmatch(r"\d+\.\d", text)]
    assert shown == sorted((round(100 * value, 1) for value in f1.values()), reverse=True)


def test_the_ladder_has_a_verdict_for_each_other_system(open_page: Open, many: Path) -> None:
    page = open_page(many)
    words = card(page, "ladder").locator(".verdict text").all_text_contents()
    assert len(words) == 6
    assert set(words) <= {"worse", "no clear difference", "better", "not tested"}
    expect(card(page, "ladder").locator(".answer")).to_contain_text("system-0")
    expect(card(page, "ladder")).to_contain_text("for these 2 datasets")
    assert card(page, "ladder").locator(".verdict a").first.get_attribute("href")


def test_errors_by_kind_are_those_that_errors_counts(
    open_page: Open, many: Path, results: ns.Results
) -> None:
    page = open_page(many, "#/summary?d=north")
    counted = {row.system: row for row in error_kinds(results) if row.dataset == "north"}
    marks = card(page, "fails").locator("svg a")
    drawn = marks.evaluate_all(
        "marks => marks.map(mark => [mark.href.baseVal, +mark.dataset.count])"
    )
    expected = {
        (system, kind): round(n, 1)
        for system, row in counted.items()
        for kind, n in row.kinds.items()
        if n
    }
    found = {}
    for href, n in drawn:
        system, kind = (re.search(rf"[?&]{name}=([^&]*)", href) for name in ("system", "kind"))
        assert system and kind
        found[system[1], kind[1].replace("+", " ")] = n
    assert found == pytest.approx(expected)


def test_all_follows_dataset_systems_and_metric(open_page: Open, many: Path) -> None:
    page = open_page(many, "#/summary?d=south")
    page.locator(".picker summary").click()
    page.get_by_role("checkbox", name="system-0").uncheck()
    expect(card(page, "good").locator(".answer")).to_have_text(
        re.compile("Best of the 6 systems shown: system-[1-6]")
    )
    expect(page.locator("main")).not_to_contain_text("system-0")
    assert card(page, "ladder").locator(".verdict").count() == 5
    page.get_by_label("Metric").select_option("recall")
    expect(page.locator(".headline")).to_contain_text("recall")
    expect(card(page, "fails")).not_to_contain_text("Spurious")
    expect(card(page, "ladder")).to_contain_text("Differences are tested for F1")
    page.go_back()
    expect(page.locator(".headline")).to_contain_text("F1")


def test_a_cell_of_the_heat_table_opens_its_dataset(open_page: Open, many: Path) -> None:
    page = open_page(many)
    expect(page.get_by_text("F1 on each dataset")).to_be_visible()
    page.locator("figure", has_text="F1 on each dataset").locator("svg a").first.click()
    expect(page.get_by_label("Dataset")).to_have_value("north")
    expect(page.get_by_text("F1 on each dataset")).to_have_count(0)


OVERLAPS = """() => [...document.querySelectorAll("svg.chart")].flatMap((chart) => {
    const texts = [...chart.querySelectorAll("text")].filter((one) => one.getClientRects().length);
    const boxes = texts.map((text) => [text.textContent, text.getBoundingClientRect()]);
    const apart = (a, b) => a.right < b.left + 1 || b.right < a.left + 1
        || a.bottom < b.top + 3 || b.bottom < a.top + 3; // boxes are higher than letters
    return boxes.flatMap(([one, a], k) => boxes.slice(k + 1)
        .filter(([, b]) => !apart(a, b)).map(([other]) => `${one} | ${other}`));
})"""


@pytest.mark.parametrize("size", [PHONE, FIRST_SCREEN, {"width": 1440, "height": 900}])
@pytest.mark.parametrize("place", ["", "#/summary?d=north"])
def test_no_text_lies_on_another(
    open_page: Open, many: Path, size: dict[str, int], place: str
) -> None:
    page = open_page(many, place, **size)
    page.wait_for_selector("svg.chart")
    assert page.evaluate(OVERLAPS) == []
    assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0


def test_eighteen_types_are_one_chart_of_400_pixels(open_page: Open, many: Path) -> None:
    page = open_page(many, "#/summary?d=north", **FIRST_SCREEN)
    chart = page.locator("figure", has_text="F1 by type").locator("svg.chart")
    expect(chart).to_be_visible()
    assert set(chart.locator("title").all_text_contents()) == set(TYPES)
    box = chart.bounding_box()
    assert box and box["height"] <= 400


def test_few_mentions_are_hatched_and_make_no_headline(open_page: Open, small: Path) -> None:
    page = open_page(small)
    expect(page.locator(".headline")).to_have_count(0)
    expect(page.locator(".too-few")).to_contain_text("n = 16 gold mentions: too few for a headline")
    marks = page.locator("figure", has_text="F1 by type").locator("svg a path")
    assert marks.count() > 0
    assert set(marks.evaluate_all("all => all.map(one => one.getAttribute('fill'))")) == {
        "url(#hatch)"
    }


def test_answers_of_a_language_model_have_a_panel(open_page: Open, tmp_path: Path) -> None:
    gold = corpus(5, sentences=40)
    named = [f'[{{"text": "{words[1]} {words[2]}", "type": "TYPE1"}}]' for words, _ in gold[4:]]
    paris = '[{"text": "Paris", "type": "TYPE1"}]'
    answers = [paris, paris, "I cannot help.", '[{"text": "London", "type": "TYPE9"}]', *named]
    ns.evaluate(gold, {"model": ns.answers(answers)}).report(tmp_path / "answers.html")
    page = open_page(tmp_path / "answers.html")
    panel = page.locator(".answers-panel")
    cells = panel.locator("tbody td").all_inner_texts()
    assert cells[0] == "40"
    assert cells[1].split() == ["39", "97.5", "%"]
    assert cells[3].split()[0] == "3"
    link = panel.get_by_role("link", name="2×")
    assert link.get_attribute("data-count") == "2"
    assert "surface=Paris" in (link.get_attribute("href") or "")


EMPTY = """() => [...document.querySelectorAll("main h3, main h4")].filter((heading) => {
    const next = heading.nextElementSibling;
    return !next || !next.getBoundingClientRect().height;
}).map((heading) => heading.textContent)"""


@pytest.mark.parametrize("section", ["summary", "data"])
def test_one_system_has_no_empty_heading(open_page: Open, small: Path, section: str) -> None:
    page = open_page(small, f"#/{section}")
    assert page.evaluate(EMPTY) == []
    expect(page.locator(".card.ladder")).to_have_count(0)
    expect(page.locator("main")).not_to_contain_text("Best system")
    expect(page.locator(".commands code").first).to_contain_text("nerscope ")
    assert page.locator("text=/NaN|undefined,|\\[object/").count() == 0


@pytest.mark.parametrize("section", ["summary", "data"])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_sections_are_accessible(open_page: Open, many: Path, section: str, scheme: str) -> None:
    page = open_page(many, f"#/{section}", color_scheme=scheme, bypass_csp=True)
    page.wait_for_selector("svg.chart, table")
    page.add_script_tag(path=AXE)
    violations = page.evaluate(
        "axe.run().then(found => found.violations.map(one => [one.id, one.nodes.length]))"
    )
    assert violations == []


def test_tips_open_by_hover_focus_and_tap(open_page: Open, many: Path) -> None:
    page = open_page(many, "#/summary?d=north", has_touch=True)
    bubble = page.locator("#bubble")
    page.locator(".headline strong").hover()
    expect(bubble).to_contain_text("n = ")
    page.keyboard.press("Escape")
    page.locator(".headline strong").focus()
    page.keyboard.press("Shift+Tab")
    page.keyboard.press("Tab")
    expect(bubble).to_be_visible()
    page.keyboard.press("Escape")
    page.locator(".headline strong").tap()
    expect(bubble).to_contain_text("F1")


def test_tables_are_cards_on_a_phone(open_page: Open, many: Path) -> None:
    page = open_page(many, "#/data", **PHONE)
    cell = page.locator("tbody td").first
    assert cell.evaluate("cell => getComputedStyle(cell, '::before').content") == '"file"'
    assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0


def test_paper_keeps_headers_and_colours(open_page: Open, many: Path) -> None:
    page = open_page(many, "#/data", width=718)
    page.emulate_media(media="print")
    head = page.locator("thead").first
    assert head.evaluate("head => getComputedStyle(head).display") == "table-header-group"
    assert page.evaluate("getComputedStyle(document.body).printColorAdjust") == "exact"
    box = page.locator("thead th").first.bounding_box()
    assert box and box["height"] > 5


def test_data_and_method_say_what_numbers_rest_on(
    open_page: Open, many: Path, results: ns.Results
) -> None:
    page = open_page(many, "#/data")
    sizes = page.locator(".table-block", has_text="Sizes")
    expect(sizes.locator("tbody tr")).to_have_count(2)
    expect(sizes).to_contain_text("90")
    expect(page.get_by_text("Composition of all datasets").first).to_be_visible()
    expect(page.locator(".signature")).to_contain_text(results.signature.split("|version")[0])
    page = open_page(many, "#/data?d=north")
    rows = page.locator(".table-block", has_text="Composition of north").locator("tbody tr")
    expect(rows).to_have_count(19)
    expect(rows.last).to_contain_text("180")
