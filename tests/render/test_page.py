"""What a page is told: the library's own numbers; and how they are put into it."""

import base64
import hashlib
import json
import re
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from tests.scoring.toys import drawn, noisy

import nerscope
from nerscope.render.page.data import page_data
from nerscope.render.page.html import embedded, page_html
from nerscope.results.results import Results


@pytest.fixture(scope="module")
def results() -> Results:
    gold = drawn(80, 1)
    outputs = {"x": [noisy(gold, 0.1, 2), noisy(gold, 0.1, 3)], "y": [noisy(gold, 0.3, 4)]}
    return nerscope.evaluate(gold, outputs, train=drawn(60, 5), dataset="toy")


def records(table: Any) -> list[dict[str, Any]]:
    """Columns as records again."""
    read = {
        name: [column["of"][at] for at in column["at"]] if isinstance(column, dict) else column
        for name, column in table["columns"].items()
    }
    return [{name: own[k] for name, own in read.items()} for k in range(table["size"])]


def _note_texts(data: Any) -> list[str]:
    return [note["text"] for note in data["notes"]]


def embedded_in(html: str) -> Any:
    [text] = re.findall(r'<script type="application/json" id="data">(.*?)</script>', html, re.S)
    return json.loads(text)


FIELDS = ("dataset", "system", "run", "facet", "level", "type", "match", "metric")


def test_numbers_are_those_of_the_results_with_their_intervals(results: Results) -> None:
    sure = nerscope.evaluate(
        drawn(80, 1),
        {
            "x": [noisy(drawn(80, 1), 0.1, 2), noisy(drawn(80, 1), 0.1, 3)],
            "y": [noisy(drawn(80, 1), 0.3, 4)],
        },
        train=drawn(60, 5),
        dataset="toy",
        intervals=True,
    )
    expected = {tuple(row.get(key) for key in FIELDS): row for row in sure.rows}
    found = records(page_data(results)["rows"])
    summaries = [{**row, "run": None} for row in found]
    wanted = [row for row in sure.rows if row["run"] is None and row["match"] != "surface"]
    assert len(summaries) == len(wanted)
    for row in summaries:
        other = expected[tuple(row[key] for key in FIELDS)]
        for key in ("value", "low", "high") if row["n"] else ():
            assert row[key] == pytest.approx(other.get(key), abs=1e-6)
        assert row["n"] == other["n"]


def test_comparison_is_that_of_compare(results: Results) -> None:
    data: Any = page_data(results)["comparison"]
    rows = {
        tuple(row[key] for key in ("facet", "level", "type", "match", "metric")): row
        for row in nerscope.compare(results).rows
    }
    found = records(data["rows"])
    assert {row["family"] for row in found} == {"where", "types"}
    for row in found:
        other = rows[tuple(row[key] for key in ("facet", "level", "type", "match", "metric"))]
        for key in ("difference", "low", "high", "p"):
            assert row[key] == pytest.approx(other[key], abs=1e-6)
        assert row["p_corrected"] == pytest.approx(other["p_corrected"], abs=1e-6)


def test_the_rest_is_what_the_library_says(results: Results) -> None:
    data: Any = page_data(results)
    assert data["signature"] == results.signature.replace("|version", "|resample:sentence|version")
    assert [facet["name"] for facet in data["facets"]] == [
        name for name in results.evidence[0].facets if name != "all"
    ]
    views = nerscope.diagnose(results)
    assert [row["best"] for row in data["diagnosis"]["self-diagnosis"]] == [
        row["best"] for row in views["self-diagnosis"]
    ]


def test_one_system_is_compared_with_nobody() -> None:
    gold = drawn(20, 1)
    alone = nerscope.evaluate(gold, {"x": noisy(gold, 0.2, 2)}, facets=[])
    data: Any = page_data(alone)
    assert data["comparison"] is None
    assert data["diagnosis"] is None


def test_of_very_many_systems_each_is_compared_with_the_best(
    results: Results, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("nerscope.results.compare_all.MOST_COMPARED", 1)
    data: Any = page_data(results)
    assert {row["system_b"] for row in records(data["comparison"]["rows"])} == {"x"}
    assert any(
        "each is compared with the best one, x" in note for note in data["comparison"]["notes"]
    )


def test_too_many_rows_are_cut_and_it_is_said(
    results: Results, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("nerscope.render.page.data.MOST_ROWS", 100)
    data: Any = page_data(results)
    assert all(row["type"] is None or row["facet"] == "all" for row in records(data["rows"]))
    assert any("rows by type and facet are left out" in note for note in _note_texts(data))


def test_a_page_holds_its_data_and_nothing_ends_it_early(results: Results) -> None:
    html = page_html(results)
    assert embedded_in(html)["title"] == "nerscope report: toy"
    assert "NERSCOPE_DATA" not in html
    assert html.count("</script>") == 2


@pytest.mark.parametrize(
    "text", ["</script><b>", "<!--", "half \udc80", "\u2028", "NERSCOPE_DATA", "ü €", '"\\']
)
def test_any_text_comes_back_from_a_page(text: str) -> None:
    written = embedded({"text": text})
    assert "<" not in written
    written.encode("utf-8")
    assert json.loads(written) == {"text": text}


def test_only_the_script_of_the_template_may_run() -> None:
    template = Path(nerscope.__file__).parent / "render" / "assets" / "report.html"
    html = template.read_text(encoding="utf-8")
    [policy] = re.findall(r'http-equiv="Content-Security-Policy" content="([^"]*)"', html)
    [script] = re.findall(r'<script type="module">(.*?)</script>', html, re.S)
    hashed = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    assert f"script-src 'sha256-{hashed}';" in policy
    assert policy.startswith("default-src 'none'")
    assert not re.search(r'(?:src|href)="?https?:', html)


def test_a_report_is_written_or_shown(results: Results, tmp_path: Path) -> None:
    assert results.report(tmp_path / "page.html") is None
    written = (tmp_path / "page.html").read_text(encoding="utf-8")
    shown = results.report()
    assert shown is not None
    assert shown.html == written
    [inside] = re.findall(r'srcdoc="([^"]*)"', shown._repr_html_())
    assert unescape(inside) == written
