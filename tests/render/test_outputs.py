"""Outputs: how a document is written, one module each."""

import csv
import io
import json
import xml.etree.ElementTree as ET
from dataclasses import replace
from typing import Any

import pytest
from tests.scoring.toys import corpus, drawn, noisy

import nerscope
from nerscope.errors import OutputError, UsageError
from nerscope.render.dataset import validation_document
from nerscope.render.document import (
    OUTPUTS,
    Cell,
    Check,
    Document,
    Table,
    escape_controls,
    format_value,
    records_table,
    register_output,
)
from nerscope.render.layout import SCREEN_LINES
from nerscope.render.mentions import error_file, list_document
from nerscope.render.outputs.csv import as_csv, csv_text
from nerscope.render.outputs.github import as_github
from nerscope.render.outputs.json import json_text
from nerscope.render.outputs.junit import as_junit
from nerscope.render.outputs.latex import as_latex
from nerscope.render.outputs.markdown import as_markdown
from nerscope.render.outputs.text import as_text
from nerscope.render.tables import results_document
from nerscope.render.verdicts import verdict_document
from nerscope.results.verdict import Verdict

GOLD = drawn(30, seed=1)
TABLE = Table(
    "A & B",
    ("system", "F1", "word"),
    ((Cell("a|b"), Cell("1.0", best=True), Cell("50 %")), (Cell("x_y"), Cell("–"), Cell("ab<c"))),
    ("* best", "note: 5 ± 1"),
)
ONE = Document([TABLE])


def test_markdown_escapes_bars_and_marks_the_best() -> None:
    assert as_markdown(ONE) == (
        "### A & B\n\n| system | F1 | word |\n| --- | ---: | --- |\n"
        "| a\\|b | **1.0** | 50 % |\n| x_y | – | ab<c |\n\nbold: best\n\nnote: 5 ± 1\n"
    )


def test_latex_escapes_what_it_must() -> None:
    found = as_latex(ONE)
    assert "\\caption{A \\& B. bold: best. note: 5 $\\pm$ 1.}" in found
    assert "\\begin{tabular}{lrl}" in found
    assert "\\textbf{1.0} & 50 \\%" in found
    assert "x\\_y & -- & ab$<$c \\\\" in found


@pytest.mark.parametrize(
    ("text", "escaped"),
    [
        ("a\\b", r"a\textbackslash{}b"),
        ("a~b^c", r"a\textasciitilde{}b\textasciicircum{}c"),
        ("{x}", r"\{x\}"),
        ("$#", r"\$\#"),
        ("two\nlines", "two lines"),
    ],
)
def test_latex_never_runs_what_a_system_is_called(text: str, escaped: str) -> None:
    assert f"\n{escaped} \\\\\n" in as_latex(Document([Table("T", ("s",), ((Cell(text),),))]))


def test_csv_of_tables_has_the_title_before_every_line() -> None:
    rows = list(csv.reader(io.StringIO(as_csv(ONE))))
    assert rows == [
        ["table", "system", "F1", "word"],
        ["A & B", "a|b", "1.0", "50 %"],
        ["A & B", "x_y", "–", "ab<c"],
    ]


def test_csv_of_records_has_a_column_for_every_key_and_the_signature() -> None:
    records: list[dict[str, Any]] = [{"a": 1, "b": None}, {"c": "x"}]
    assert as_csv(Document([TABLE], records=records, signature="s:1")) == (
        "a,b,signature,c\n1,,s:1,\n,,s:1,x\n"
    )
    assert as_csv(Document([TABLE], records=[])) == "\n"


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("=1+2", "'=1+2"),
        ("+cmd", "'+cmd"),
        ("-cmd", "'-cmd"),
        ("@cmd", "'@cmd"),
        ("-", "-"),
        ("-1.5", "-1.5"),
        (-1.5, "-1.5"),
        (None, ""),
        ("a\rb", "a\\rb"),
    ],
)
def test_text_in_csv_is_never_a_formula(value: object, text: str) -> None:
    assert csv_text(["x"], [[value]]) == f"x\n{text}\n" if text else 'x\n""\n'


def test_plain_text_is_aligned_and_coloured_only_on_a_terminal(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    plain = as_text(ONE)
    assert str(TABLE) == plain
    assert "1.0*" in plain
    assert "\x1b[" not in plain
    assert "  note: 5 ± 1" in plain
    monkeypatch.setattr("sys.stdout", Terminal())
    assert "\x1b[" in as_text(ONE)


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    ("text", "safe"),
    [
        ("a\x1b[31mb", "a\\x1b[31mb"),
        ("a\x07", "a\\x07"),
        ("a\u202eb", "a\\u202eb"),
        ("two\nlines", "two\\nlines"),
        ("Zoë – 漢", "Zoë – 漢"),
    ],
)
def test_nothing_that_is_shown_steers_a_terminal(text: str, safe: str) -> None:
    assert escape_controls(text) == safe
    everywhere = Document(
        [Table(text, (text,), ((Cell(text),),), (text,))],
        lines=[text],
        notes=[text],
        signature=text,
    )
    assert as_text(everywhere).count(safe) == 6  # the signature is printed by --signature alone
    assert text == safe or text not in as_text(everywhere)


def test_an_empty_document_says_nothing() -> None:
    assert as_text(Document()) == ""


@pytest.mark.parametrize(
    ("form", "before"), [("markdown", "`signature: "), ("latex", "% signature: ")]
)
def test_conditions_stand_below_the_tables(form: str, before: str) -> None:
    broken = nerscope.Corpus.of(corpus("a/I-PER b"), scheme="bio")
    results = nerscope.evaluate(corpus("a/B-PER b"), {"s": broken})
    found = OUTPUTS[form](results_document(results))
    note = "note: <memory>:1: 1 transition not allowed in bio, repaired as conlleval: I-PER after"
    assert found.index("Exact match") < found.index(f"\n{before}scheme:bio") < found.index(note)
    assert "signature" not in as_text(results_document(results))


def test_rows_as_csv_carry_the_signature_and_leave_undefined_empty() -> None:
    results = nerscope.evaluate(GOLD, {"s": noisy(GOLD, 0.2, 3)}, train=GOLD)
    rows = list(csv.DictReader(io.StringIO(as_csv(results_document(results)))))
    assert len(rows) == len(results.rows)
    assert {row["signature"] for row in rows} == {results.signature}
    empty = next(place for place, row in enumerate(results.rows) if row["value"] is None)
    assert rows[empty]["value"] == ""
    assert float(rows[0]["value"]) == results.rows[0]["value"]


def test_json_holds_the_data_or_the_results() -> None:
    assert json.loads(json_text(Document([TABLE], {"a": [1, None, "é"]}))) == {"a": [1, None, "é"]}
    results = nerscope.evaluate(GOLD, {"s": GOLD})
    assert json_text(results_document(results)) == results.to_json()
    with pytest.raises(ValueError, match="not JSON compliant"):
        json_text(Document(data=float("nan")))


def test_every_output_writes_every_document() -> None:
    results = nerscope.evaluate(GOLD, {"s": GOLD})
    for form in ("text", "markdown", "latex", "csv", "json"):
        assert OUTPUTS[form](results_document(results))
        assert OUTPUTS.is_built_in(form)


def test_an_output_of_ones_own_is_found_by_its_name(monkeypatch: pytest.MonkeyPatch) -> None:
    OUTPUTS.load()  # what is loaded during the test would be gone with it
    monkeypatch.setattr(OUTPUTS, "_things", dict(OUTPUTS._things))
    register_output("first", lambda document: "first\n")
    register_output("first", lambda document: f"{len(document.tables)}\n")
    assert OUTPUTS["first"](ONE) == "1\n"
    with pytest.raises(UsageError, match="format 'text': a built-in format has this name"):
        register_output("text", lambda document: "")
    with pytest.raises(UsageError, match="did you mean 'latex'"):
        OUTPUTS["latx"]


@pytest.mark.parametrize(
    ("value", "text"), [(None, "–"), (0.123456, "0.1235"), (12, "12"), ("x", "x"), (1e-9, "1e-09")]
)
def test_values_are_shown_short(value: object, text: str) -> None:
    assert format_value(value) == text


def test_rows_of_different_keys_share_one_table() -> None:
    table = records_table("T", [{"a": 1}, {"b": 0.5, "a": None}], ["said"])
    assert (table.header, table.notes) == (("a", "b"), ("said",))
    assert [[cell.text for cell in row] for row in table.rows] == [["1", "–"], ["–", "0.5"]]
    assert records_table("T", []).rows == ()


def test_the_column_for_judgements_is_in_files_only() -> None:
    records: list[dict[str, Any]] = [{"gold": "a", "judgement": ""}]
    document = list_document([("Pairs", records)])
    assert document.tables[0].header == ("gold",)
    assert as_csv(document) == "gold,judgement\na,\n"


def test_several_lists_become_one_document() -> None:
    document = list_document([("A", [{"x": 1}]), ("B", [{"y": 2}])])
    assert [table.title for table in document.tables] == ["A", "B"]
    assert document.data == [{"title": "A", "rows": [{"x": 1}]}, {"title": "B", "rows": [{"y": 2}]}]
    assert document.records == [{"x": 1}, {"y": 2}]


RECORDS: list[dict[str, Any]] = [{"text": "Zoë", "start": 0, "other": None}]


@pytest.mark.parametrize(
    ("path", "content"),
    [
        ("e.csv", "text,start,other\nZoë,0,\n"),
        ("E.CSV", "text,start,other\nZoë,0,\n"),
        ("e.jsonl", '{"text": "Zoë", "start": 0, "other": null}\n'),
    ],
)
def test_mentions_are_written_in_the_format_of_the_name(path: str, content: str) -> None:
    assert error_file(path, RECORDS)() == content


@pytest.mark.parametrize("path", ["e.xls", "e", "csv"])
def test_a_name_that_says_no_format_is_refused(path: str) -> None:
    with pytest.raises(OutputError, match=r"the ending .* is unknown"):
        error_file(path, RECORDS)


NAN = float("nan")
PASSED = Verdict(
    dataset="d",
    system="s",
    cell="all",
    match="exact",
    metric="f1",
    n=50,
    new=0.9,
    old=0.8,
    drop=-10.0,
    low=5.5,
    high=14.25,
    p=0.01,
    detectable=4.0,
    clusters=20,
    differing=7,
    over="document",
    compared=True,
    rule="max_drop 0",
    verdict="ok",
    failed=False,
)
FAILED = Verdict(
    dataset="d",
    system="s",
    cell="tmr=seen",
    type="PER",
    match="left",
    metric="recall",
    n=5,
    old=0.8,
    compared=True,
    rule="no longer defined",
    verdict="fail",
    failed=True,
)
GONE = Verdict(
    dataset="d",
    system="t",
    cell="all",
    metric="f1",
    rule="the system is gone",
    verdict="fail",
    failed=True,
)
OPEN = replace(PASSED, verdict="undecided", rule="max_drop 1")
CLOSED = replace(OPEN, failed=True)
LOW = replace(
    PASSED, compared=False, drop=NAN, low=NAN, high=NAN, rule="floor 95", new=0.5, clusters=None
)


def test_verdicts_are_lines_for_people() -> None:
    everyone = [PASSED, FAILED, GONE, OPEN, CLOSED, LOW]
    numbers = (
        "90.00 against 80.00, better by 10.00 points (one-sided 95 % bounds 5.50 to 14.25), "
        "n = 50, 7 of 20 documents differ"
    )
    least = (
        "; the true drop may be below or above the allowed one; this test set detects 4.00 points "
        "with 80 % power"
    )
    assert verdict_document(everyone, text=True).lines == [
        "6 conditions: 2 FAIL, 1 UNDECIDED, 1 undecided, 2 ok",
        "FAIL: d, s, left recall on mentions seen in training, type PER (tmr=seen PER): "
        "undefined against 80.00, n = 5; rule: no longer defined",
        "FAIL: d, t, F1: the system is gone",
        f"UNDECIDED: d, s, F1: {numbers}; rule: max_drop 1{least}",
        f"undecided: d, s, F1: {numbers}; rule: max_drop 1{least}",
        f"ok: d, s, F1: {numbers}; rule: max_drop 0",
        "ok: d, s, F1: 50.00, n = 50; rule: floor 95",
    ]
    worse = replace(PASSED, drop=1.0, low=-2.5, high=0.5)
    assert "worse by 1.00 points (one-sided 95 % bounds -0.50 to 2.50)" in str(worse)
    same = replace(PASSED, drop=0.0, low=0.0, high=0.0, differing=0)
    assert "90.00 against 80.00, unchanged, n = 50" in str(same)


def test_verdicts_that_pass_are_cut_to_one_screen() -> None:
    many = [*[PASSED] * 50, CLOSED]
    lines = verdict_document(many, text=True).lines
    assert lines[0] == "51 conditions: 1 UNDECIDED, 50 ok"
    assert lines[1].startswith("UNDECIDED") and lines[-1].endswith("more: --all")
    assert len(as_text(verdict_document(many, text=True)).splitlines()) <= SCREEN_LINES
    assert len(verdict_document(many, text=True, everything=True).lines) == 52


def test_verdicts_are_records_for_programs() -> None:
    document = verdict_document([PASSED, FAILED], text=False)
    found = json.loads(json_text(document))["verdicts"]
    assert [(one["failed"], one["new"], one["low"]) for one in found] == [
        (False, 0.9, 5.5),
        (True, None, None),
    ]
    table = as_markdown(document)
    assert "| d, s, F1 | 90.00 | 80.00 | -10.00 [-14.25, -5.50] | max_drop 0 | ok |" in table
    assert "(tmr=seen PER) | undefined | 80.00 |  | no longer defined | FAIL |" in table
    assert as_csv(document).startswith(
        "dataset,system,against,cell,type,match,metric,n,new,old,drop,low,high,p,e_value,new_low,"
        "new_high,detectable,clusters,differing,over,alpha,compared,rule,verdict,failed\n"
    )


def test_verdicts_are_test_cases_for_a_build() -> None:
    root = ET.fromstring(as_junit(verdict_document([PASSED, FAILED, OPEN, CLOSED], text=False)))
    (suite,) = root
    for one in (root, suite):
        counts = [one.get(key) for key in ("tests", "failures", "errors", "skipped")]
        assert counts == ["4", "2", "0", "1"]
    outcomes = [[child.tag for child in case if child.tag != "properties"] for case in suite]
    assert outcomes == [["system-out"], ["failure"], ["skipped"], ["failure"]]
    facts = {one.get("name"): one.get("value") for one in suite[0].iter("property")}
    assert facts.items() >= {"n": "50", "low": "5.5", "high": "14.25", "p": "0.01"}.items()
    assert (facts["verdict"], suite[0].get("name")) == ("ok", "F1")
    assert suite[1][1].get("message") == "undefined against 80.00, n = 5; rule: no longer defined"


def test_verdicts_are_annotations_for_a_workflow() -> None:
    lines = as_github(verdict_document([PASSED, FAILED, OPEN, CLOSED], text=False)).splitlines()
    assert [line.split(" ")[0] for line in lines] == [
        *("::notice", "::error", "::warning", "::error"),
    ]
    assert lines[1] == (
        "::error title=fail%3A d%2C s%2C left recall on mentions seen in training%2C "
        "type PER (tmr=seen PER)::"
        "fail: d, s, left recall on mentions seen in training, type PER (tmr=seen PER): "
        "undefined against 80.00, n = 5; rule: no longer defined"
    )
    assert all(said in lines[0] for said in ("n = 50", "95 %25 bounds 5.50 to 14.25", "7 of 20"))


HOSTILE = [
    "</testcase>",
    "a\"b'c",
    "::error::x",
    "<!-- &amp;",
    "]]>",
    "\x1b[31m",
    "é漢",
    "\udcff",
    "\0",
]


@pytest.mark.parametrize("name", [*HOSTILE, "two\r\nlines\n::error::x"], ids=ascii)
def test_a_name_in_a_build_stays_text(name: str) -> None:
    hostile = replace(FAILED, dataset=name, type=name)
    document = verdict_document([hostile, PASSED], text=False)
    xml = as_junit(document)
    assert xml.isascii()
    case, other = ET.fromstring(xml)[0]
    assert other.get("classname") == "d, s"
    if name.isprintable():
        assert case.get("classname") == f"{name}, s"
    annotations = as_github(document)
    assert annotations.count("\n") == 2 and "\r" not in annotations and "\x1b" not in annotations
    assert [line.split(" ")[0] for line in annotations.splitlines()] == ["::error", "::notice"]


def test_annotations_escape_what_github_reads() -> None:
    line = as_github(Document(checks=[Check("a:b", "c,d", "fail", True, "5 %\r\n:,")]))
    assert line == "::error title=fail%3A a%3Ab%2C c%2Cd::fail: a:b, c,d: 5 %25%0D%0A:,\n"


@pytest.mark.parametrize("form", ["junit", "github"])
def test_a_document_without_verdicts_is_no_report_for_a_build(form: str) -> None:
    with pytest.raises(UsageError, match="there are no verdicts to show"):
        OUTPUTS[form](ONE)
    assert OUTPUTS[form](Document(checks=[])) is not None


def test_violations_are_lines_for_people_and_records_for_programs() -> None:
    found = nerscope.validate(corpus("a/I-PER b", "c/I-PER"), scheme="bio")
    for_people = as_text(validation_document([found._asdict()], text=True))
    assert for_people.splitlines() == [
        "<memory>:1: I-PER after the sentence start",
        "<memory>:2: I-PER after the sentence start",
        "<memory>: 2 invalid transitions for the scheme bio (given)",
        "       2  I-PER after the sentence start",
    ]
    document = validation_document([found._asdict()], text=False)
    (one,) = json.loads(json_text(document))
    assert (one["name"], one["scheme"], len(one["violations"])) == ("<memory>", "bio", 2)
    assert one["violations"][0] == {
        "place": "<memory>:1",
        "fault": "I-PER after the sentence start",
    }
    assert len(as_csv(document).splitlines()) == 3
