"""Results: rows, their conditions, and JSON both ways."""

import json
import math
from pathlib import Path
from statistics import stdev
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.attack.harness import format_1_bytes, results_bytes
from tests.scoring.toys import corpus, drawn, noisy

import nerscope
from nerscope.errors import InputError, UsageError
from nerscope.results.results import Results
from nerscope.results.rows import Row, row_value, summary_row
from nerscope.results.store import FORMAT
from nerscope.version import VERSION

GOLD = drawn(40, seed=1)
SYSTEMS: dict[str, Any] = {
    "a": noisy(GOLD, 0.1, 2),
    "b": [noisy(GOLD, 0.3, seed) for seed in (3, 4)],
}


@pytest.fixture(scope="module")
def results() -> Results:
    return nerscope.evaluate(
        GOLD, SYSTEMS, train=drawn(40, seed=9), dataset="d", intervals=nerscope.Sampling(samples=50)
    )


@pytest.fixture(scope="module")
def again(results: Results) -> Results:
    return Results.from_json(results.to_json())


def test_results_survive_json(results: Results, again: Results) -> None:
    assert again.rows == results.rows
    assert again.settings == json.loads(json.dumps(results.settings))
    assert again.losses == results.losses
    assert again.signature == results.signature


@pytest.mark.parametrize("method", ["bootstrap", "randomisation"])
def test_a_comparison_of_saved_results_is_that_of_results_in_memory(
    results: Results, again: Results, method: str
) -> None:
    options: dict[str, Any] = {"samples": 100, "method": method, "by_type": True}
    assert nerscope.compare(again, "a", "b", **options) == nerscope.compare(
        results, "a", "b", **options
    )


def test_results_survive_a_file(results: Results, tmp_path: Path) -> None:
    results.save(tmp_path / "results.json")
    assert Results.load(tmp_path / "results.json").rows == results.rows
    assert [path.name for path in tmp_path.iterdir()] == ["results.json"]


def test_json_is_strict_and_says_what_it_is(results: Results) -> None:
    def refuse(constant: str) -> None:
        raise AssertionError(constant)

    content = json.loads(results.to_json(), parse_constant=refuse)
    assert list(content) == [
        *("nerscope", "format", "signature", "settings", "losses", "rows", "intervals"),
        "evidence",
    ]
    assert (content["nerscope"], content["format"]) == (VERSION, FORMAT) == (VERSION, 2)
    assert content["signature"] == results.signature
    assert content["settings"] == json.loads(json.dumps(results.settings))
    assert any(row["value"] is None for row in content["rows"])


def stored(**changed: Any) -> str:
    """The JSON of results without rows, with some keys changed."""
    content = {"nerscope": "0.1.0", "format": 1, "rows": [], "settings": {}, "losses": []}
    return json.dumps({**content, **changed})


@pytest.mark.parametrize(
    ("text", "message"),
    [
        # not JSON, or not ours
        ("", "not JSON"),
        ("{", "not JSON"),
        pytest.param("[" * 50_000, "not JSON", id="deep"),
        (stored()[:-1] + ', "x": NaN}', "NaN is not valid JSON"),
        ("[]", "holds no nerscope results"),
        ("3", "holds no nerscope results"),
        ('{"rows": []}', "holds no nerscope results"),
        (stored(nerscope=1), "holds no nerscope results"),
        (stored(rows={}), "holds no nerscope results"),
        (stored(settings=[]), "holds no nerscope results"),
        (stored(losses=None), "holds no nerscope results"),
        # from before formats were counted
        ('{"nerscope": "0.1.0", "rows": [], "settings": {}, "losses": []}', "holds no nerscope"),
        # from the future
        (
            stored(nerscope="99.0.0", format=3),
            r"its format is 3 \(nerscope 99.0.0\), this version reads 2. "
            "Fix: pip install --upgrade nerscope",
        ),
    ],
)
def test_json_that_holds_no_results_is_refused(text: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        Results.from_json(text)


def test_a_newer_version_that_writes_the_same_format_can_be_read() -> None:
    assert Results.from_json(stored(nerscope="99.0.0")).rows == []


ROW = {
    "dataset": "d",
    "system": "s",
    "run": None,
    "unit": "mention",
    "facet": "all",
    "level": "all",
    "type": None,
    "match": "exact",
    "metric": "f1",
    "value": 0.5,
    "n": 1,
}


@pytest.mark.parametrize(
    "changed",
    [
        # rows
        {"rows": [3]},
        {"rows": [{}]},
        {"rows": [{**ROW, "dataset": None}]},
        {"rows": [{**ROW, "run": 1}]},
        {"rows": [{**ROW, "value": "much"}]},
        {"rows": [{**ROW, "value": True}]},
        # losses
        {"losses": [3]},
        {"losses": [{"message": "m", "places": []}]},
        {"losses": [{"message": 3, "places": ["p"]}]},
        # evidence
        {"evidence": 3},
        {"evidence": [3]},
        {"evidence": [{}]},
        {"evidence": [{"dataset": "d", "types": [], "runs": [], "texts": "?", "lines": 3}]},
    ],
)
def test_damaged_results_are_refused(changed: dict[str, Any]) -> None:
    with pytest.raises(InputError, match="the results are damaged"):
        Results.from_json(stored(**changed))


@pytest.mark.parametrize(
    ("part", "value"),
    [
        ("ledgers", {}),
        ("ledgers", {"mention": {}}),
        ("documents", {"size": 1, "type": "|u1", "data": "AAAA"}),
        ("documents", {"size": 1, "type": "no type", "data": ""}),
        ("documents", None),
        ("divisions", [{}]),
        ("signature", {}),
        ("signature", {"unknown": 1, "edges": {}}),
        ("texts", "not packed"),
        ("runs", [["a"]]),
        ("runs", [["a", str(number)] for number in range(9)]),
    ],
)
def test_evidence_with_a_damaged_part_is_refused(part: str, value: Any) -> None:
    content = json.loads(format_1_bytes())
    content["evidence"][0][part] = value
    with pytest.raises(InputError, match="the results are damaged"):
        Results.from_json(json.dumps(content))


def test_a_saved_file_holds_no_rows_and_loads_with_all_of_them(results: Results) -> None:
    content = json.loads(results.file_text())
    assert "rows" not in content and "over_datasets" not in content
    assert 8 * len(results.file_text()) < len(results.to_json())
    again = Results.from_json(results.file_text())
    assert [row.as_dict() for row in again.rows] == [row.as_dict() for row in results.rows]
    assert again.to_json() == results.to_json()
    assert again.file_text() == results.file_text()


@pytest.mark.parametrize(
    ("key", "value"),
    [("order", "x"), ("order", None), ("cautions", []), ("columns", ""), ("size", 5)],
)
def test_damaged_intervals_are_refused(results: Results, key: str, value: Any) -> None:
    content = json.loads(results.file_text())
    content["intervals"][key] = value
    with pytest.raises(InputError, match="the results are damaged"):
        Results.from_json(json.dumps(content))


def test_keys_of_later_versions_are_ignored(results: Results) -> None:
    content = json.loads(results.file_text())
    content["annotators"] = {"ann": 1}
    content["evidence"][0]["metadata"] = {"later": [1]}
    assert Results.from_json(json.dumps(content)).rows == results.rows


def test_a_file_of_format_1_loads_as_what_was_evaluated() -> None:
    old, new = (Results.from_json(data.decode()) for data in (format_1_bytes(), results_bytes()))
    assert [row.as_dict() for row in old.rows] == [row.as_dict() for row in new.rows]
    assert (old.losses, old.systems) == (new.losses, new.systems)
    assert nerscope.compare(old, samples=50).rows == nerscope.compare(new, samples=50).rows
    again = Results.from_json(old.file_text())  # its surfaces are known from its rows alone
    assert [row.as_dict() for row in again.rows] == [row.as_dict() for row in old.rows]


def test_results_without_evidence_can_be_shown_but_not_compared(results: Results) -> None:
    bare = Results.from_json(stored(rows=[ROW]))
    assert (bare.value(metric="f1"), bare.evidence, bare.signature) == (0.5, [], "")
    with pytest.raises(InputError, match="no evidence to resample"):
        nerscope.compare(bare)


def test_results_cannot_be_changed_by_accident(results: Results) -> None:
    with pytest.raises(AttributeError):
        results.rows = []  # type: ignore[misc]


def test_conditions_of_datasets_that_differ_are_all_shown() -> None:
    gold, other = corpus("a/B-PER b/I-PER"), corpus("a/I-PER b/I-PER c")
    parts = [
        nerscope.evaluate(gold, {"s": gold}, dataset="d", facets=["eLen"], edges={"eLen": [1]}),
        nerscope.evaluate(other, {"s": other}, dataset="e", facets=["eLen"], edges={"eLen": [2]}),
    ]
    both = Results(
        [one for part in parts for one in part.evidence],
        rows=[row for part in parts for row in part.rows],
    )
    schemes = [part.evidence[0].signature.scheme for part in parts]
    assert schemes[0] != schemes[1]
    assert both.signature.startswith(f"scheme:{schemes[0]}+{schemes[1]}|match:exact+")
    settings = both.settings["datasets"]
    assert [settings[name]["facets"]["eLen"]["edges"] for name in "de"] == [[1.0], [2.0]]
    assert Results.from_json(both.to_json()).signature == both.signature


@pytest.mark.parametrize(
    ("name", "fact"), [("missing.json", "no such file"), (".", "cannot be read")]
)
def test_a_file_that_cannot_be_read_is_refused(tmp_path: Path, name: str, fact: str) -> None:
    with pytest.raises(InputError, match=fact):
        Results.load(tmp_path / name)


def test_a_file_that_is_no_text_is_refused(tmp_path: Path) -> None:
    (tmp_path / "x").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(InputError, match="cannot be read"):
        Results.load(tmp_path / "x")


def test_data_frames_hold_all_rows(results: Results) -> None:
    import pandas
    import polars

    wide, narrow = results.to_pandas(), results.to_polars()
    assert isinstance(wide, pandas.DataFrame)
    assert isinstance(narrow, polars.DataFrame)
    assert len(wide) == len(narrow) == len(results.rows)
    assert set(wide.columns) == set(narrow.columns) == {key for row in results.rows for key in row}
    assert narrow["n"].to_list() == wide["n"].tolist() == [row["n"] for row in results.rows]
    assert narrow["value"].to_list() == [row["value"] for row in results.rows]
    # what is undefined is NaN in pandas
    assert [None if math.isnan(value) else value for value in wide["value"]] == narrow[
        "value"
    ].to_list()


def test_a_value_is_that_of_the_one_row_that_fits(results: Results) -> None:
    (row,) = results.select(
        system="a", run=None, facet="all", match="exact", metric="f1", type=None, level="all"
    )
    assert results.value(system="a", metric="f1") == row["value"]
    assert results.value(system="a", metric="accuracy") is not None
    assert results.value(system="b", run="2", metric="f1") != results.value(
        system="b", run="1", metric="f1"
    )
    assert results.select(system="nobody") == []
    with pytest.raises(InputError, match=r"rows have no field 'systm'. Fix: did you mean 'sys"):
        results.select(systm="a")


def test_a_match_that_stands_alone_need_not_be_named() -> None:
    gold = corpus("a/B-PER b")
    results = nerscope.evaluate(gold, {"s": gold}, train=gold, matches=["left"], facets=["hard"])
    assert results.value(metric="f1") == 1.0
    assert results.value(facet="hard", metric="ter") == 0.0


@pytest.mark.parametrize(
    ("wanted", "count"),
    [
        ({"metric": "f1"}, "2 rows"),  # of two systems
        ({"system": "a", "metric": "f3"}, "no row fits"),
        ({"system": "a", "facet": "tmr", "metric": "recall"}, "no row fits"),  # no level
    ],
)
def test_a_value_that_is_not_one_is_refused(
    results: Results, wanted: dict[str, object], count: str
) -> None:
    with pytest.raises(InputError, match=count):
        results.value(**wanted)


def row(value: float | None, n: int = 10, run: str = "1") -> Row:
    return Row("d", "s", run, "mention", "all", "all", None, "exact", "f1", value, n)


@pytest.mark.parametrize(
    ("rows", "value", "std", "n", "runs"),
    [
        # one run: no deviation
        ([row(0.5)], 0.5, None, 10, 1),
        ([row(None, 0)], None, None, 0, 0),
        # several: mean and sample deviation
        ([row(0.5), row(0.7)], 0.6, stdev([0.5, 0.7]), 10, 2),
        ([row(0.1), row(0.2), row(0.6)], 0.3, stdev([0.1, 0.2, 0.6]), 10, 3),
        ([row(0.4), row(0.4)], 0.4, 0.0, 10, 2),
        # runs in which the number is undefined have no share, and are not counted
        ([row(0.5, 8), row(None, 0), row(0.7, 12)], 0.6, stdev([0.5, 0.7]), 10, 2),
        ([row(0.5, 8), row(None, 0)], 0.5, None, 8, 1),
        ([row(None, 0), row(None, 0)], None, None, 0, 0),
        # denominators are averaged
        ([row(0.5, 10), row(0.5, 13)], 0.5, 0.0, 12, 2),
    ],
)
def test_summary_over_runs(
    rows: list[Row], value: float | None, std: float | None, n: int, runs: int
) -> None:
    found = summary_row(rows)
    assert found["run"] is None
    assert found["value"] == (None if value is None else pytest.approx(value))
    assert found["std"] == (None if std is None else pytest.approx(std))
    assert (found["n"], found["runs"]) == (n, runs)
    assert rows[0]["run"] == "1"


@given(st.lists(st.floats(0, 1), min_size=2, max_size=6))
def test_summary_does_not_depend_on_the_order_of_runs(values: list[float]) -> None:
    there, back = (
        summary_row([row(one) for one in values]),
        summary_row([row(one) for one in values[::-1]]),
    )
    assert there == back


def test_undefined_is_none_in_rows() -> None:
    assert row_value(math.nan) is None
    assert row_value(0.25) == 0.25


@pytest.mark.parametrize(
    "name", ["exact", "types", "partial", "tmr", "hard", "hard-strict", "errors", "eLen", "tCon"]
)
def test_a_table_has_every_system_and_the_sizes(results: Results, name: str) -> None:
    table = results.table(name)
    names = [cells[0].text for cells in table.rows] if name == "exact" else table.header[1:]
    assert list(names) == ["a", "b", "n"]
    assert all(len(cells) == len(table.header) for cells in table.rows)
    assert all(cell.text for cells in table.rows for cell in cells)


def test_a_table_that_does_not_exist_is_refused(results: Results) -> None:
    with pytest.raises(UsageError, match="did you mean 'exact'"):
        results.table("exct")


@pytest.mark.parametrize("name", ["tmr", "hard", "hard-strict", "errors"])
def test_a_table_of_a_facet_that_was_not_evaluated_is_refused(name: str) -> None:
    with pytest.raises(UsageError, match="these results have no such table"):
        nerscope.evaluate(corpus("a/B-PER"), {"s": corpus("a")}).table(name)


def test_the_signature_names_every_setting_that_moves_a_number(results: Results) -> None:
    assert results.signature == (
        "scheme:bio|match:exact+left+right+overlap|average:micro|repair:conlleval"
        "|ter:bilou/strict|buckets:paper/4"
        f"|zero_division:undefined|resample:sentence|version:{VERSION}"
    )
