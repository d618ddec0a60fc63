"""Results and tables as a notebook or a Python prompt shows them."""

import re
from html.parser import HTMLParser
from typing import Any

import pytest
from tests.scoring.toys import drawn, noisy

import nerscope
from nerscope.render.document import Cell, Table
from nerscope.results.results import Results

GOLD, TRAIN = drawn(60, seed=1), drawn(60, seed=2)


def evaluated(names: int, **options: Any) -> Results:
    outputs = {f"s{place}": noisy(GOLD, 0.1, place) for place in range(names)}
    return nerscope.evaluate(GOLD, outputs, **options)


@pytest.mark.slow(quick=1)
@pytest.mark.parametrize("names", [1, 2, 6, 7, 30])
@pytest.mark.parametrize("train", [None, TRAIN])
def test_results_introduce_themselves_in_few_lines(names: int, train: Any) -> None:
    results = evaluated(names, train=train, dataset="toy")
    lines = repr(results).split("\n")
    assert len(lines) <= 12
    assert lines[0].startswith("nerscope results: ")
    f1 = results.value(system="s0", metric="f1")
    assert f1 is not None
    assert lines[1].startswith(f"  toy, s0: F1 {100 * f1:.2f} [")
    assert (f"  … {names - 6} more" in lines) == (names > 6)
    assert ("tmr" in lines[-2]) == (train is not None)


def test_results_of_several_datasets_introduce_themselves_in_few_lines() -> None:
    parts = [evaluated(3, dataset=f"d{place}") for place in range(5)]
    results = Results([part for one in parts for part in one.evidence])
    assert len(repr(results).split("\n")) <= 12


def test_results_without_anything_introduce_themselves() -> None:
    assert repr(Results()).startswith("nerscope results: 0 rows")


class Tags(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.seen: set[str] = set()

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        self.open.append(tag)
        self.seen.add(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


HOSTILE = "<script>alert(1)</script>&'\""
KNOWN_TAGS = {"table", "caption", "thead", "tbody", "tr", "th", "td", "b", "div", "small"}


def tags(html: str) -> set[str]:
    parser = Tags()
    parser.feed(html)
    parser.close()
    assert parser.open == []
    return parser.seen


def test_html_of_results_escapes_names() -> None:
    gold = [(["a", "b"], [f"B-{HOSTILE.replace(' ', '')}", "O"])] * 20
    results = nerscope.evaluate(
        gold, {HOSTILE: gold, "<b>": [(["a", "b"], ["O", "O"])] * 20}, dataset=f"d{HOSTILE}"
    )
    html = results._repr_html_()
    assert tags(html) <= KNOWN_TAGS
    assert "<script" not in html and "&lt;script&gt;" in html
    assert "signature" not in html
    one = nerscope.evaluate(gold, {HOSTILE: gold}, train=gold, dataset=HOSTILE)
    assert tags(one._repr_html_()) <= KNOWN_TAGS  # with the table of types


TABLE = Table(
    "A <title> & more",
    ("system", "F1 <%>"),
    ((Cell("x|y_z"), Cell("90.00", best=True)), (Cell("<i>w</i>"), Cell("80.00"))),
    ("a note <&>",),
    label="tab:x",
)


def test_a_table_becomes_html() -> None:
    html = TABLE._repr_html_()
    assert tags(html) <= KNOWN_TAGS
    for part in (
        *("<caption>A &lt;title&gt; &amp; more</caption>", "<b>90.00</b>", "a note &lt;&amp;&gt;"),
        *("&lt;i&gt;w&lt;/i&gt;", "<th>F1 &lt;%&gt;</th>"),
    ):
        assert part in html


def test_a_table_becomes_latex_markdown_pandas_and_text() -> None:
    latex = TABLE.to_latex()
    for part in (
        *("\\toprule", "\\midrule", "\\bottomrule", "\\label{tab:x}", "\\textbf{90.00}"),
        *("x|y\\_z & ", "F1 $<$\\%$>$", "A $<$title$>$ \\& more"),
    ):
        assert part in latex
    markdown = TABLE.to_markdown()
    assert "### A <title> & more\n" in markdown
    assert "| x\\|y_z | **90.00** |" in markdown
    frame = TABLE.to_pandas()
    assert list(frame.columns) == ["system", "F1 <%>"]
    assert frame.to_numpy().tolist() == [["x|y_z", "90.00"], ["<i>w</i>", "80.00"]]
    assert re.search(r"x\|y_z +90\.00\*", str(TABLE))


@pytest.mark.parametrize("name", ["exact", "types", "partial", "tmr", "hard", "eLen"])
def test_tables_of_results_can_be_had_in_every_form(name: str) -> None:
    table = evaluated(2, train=TRAIN).table(name)
    frame = table.to_pandas()
    assert frame.shape == (len(table.rows), len(table.header))
    names = list(frame[table.header[0]]) if name == "exact" else table.header[1:]
    assert list(names[:2]) == ["s0", "s1"]
    assert table.to_latex().count("\\begin{tabular}") == 1
    assert table.to_markdown().startswith(f"### {table.title}\n")
    assert tags(table._repr_html_()) <= KNOWN_TAGS


def test_in_a_notebook_a_table_is_still_a_text(monkeypatch: pytest.MonkeyPatch) -> None:
    outside = str(TABLE)
    monkeypatch.setattr("rich.console._is_jupyter", lambda: True)
    assert str(TABLE) == outside and "90.00*" in outside
    assert repr(TABLE) == outside.rstrip("\n")


def test_the_html_of_a_comparison_begins_with_the_answer_and_names_no_option() -> None:
    compared = nerscope.compare(evaluated(2, train=TRAIN), samples=100)
    assert repr(compared) == str(compared)
    html = compared._repr_html_()
    assert tags(html) <= KNOWN_TAGS
    assert html.index("<div>") == 0 and html.index("s0") < html.index("<table>")
    assert "bold: significant difference" in html and "* significant" not in html
    assert "more group" in html and "--all" not in html


def test_html_says_what_bold_cells_are() -> None:
    assert "<small>bold: best system</small>" in evaluated(2).table("exact")._repr_html_()
