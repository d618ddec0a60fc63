"""Results: rows, their conditions, and JSON both ways."""

import json
import math
from pathlib import Path
from statistics import stdev
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.scoring.toys import corpus, drawn, noisy

import nerscope
from nerscope.errors import InputError, OutputError, UsageError
from nerscope.results.results import Results, Row, row_value, summary_row, write_text
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
    assert content.keys() == {"nerscope", "signature", "settings", "losses", "rows", "evidence"}
    assert content["nerscope"] == VERSION
    assert any(row["value"] is None for row in content["rows"])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        # not JSON, or not ours
        ("", "not JSON"),
        ("{", "not JSON"),
        ("[]", "holds no nerscope results"),
        ("3", "holds no nerscope results"),
        ('{"rows": []}', "holds no nerscope results"),
        # from the future
        (
            '{"nerscope": "99.0.0", "rows": [], "settings": {}, "losses": []}',
            f"written by nerscope 99.0.0, this is {VERSION}",
        ),
        (
            '{"nerscope": "0.99.0", "rows": [], "settings": {}, "losses": []}',
            "written by nerscope 0.99.0",
        ),
    ],
)
def test_json_that_holds_no_results_is_refused(text: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        Results.from_json(text)


@pytest.mark.parametrize(
    "evidence",
    [
        "[{}]",
        "[3]",
        '[{"dataset": "d", "types": [], "runs": [], "ledgers": {}, "divisions": {}, "texts": "?", "documents": 3, "zeta": 1}]',
    ],
)
def test_damaged_evidence_is_refused(evidence: str) -> None:
    text = f'{{"nerscope": "0.1.0", "rows": [], "settings": {{}}, "losses": [], "evidence": {evidence}}}'
    with pytest.raises(InputError):
        Results.from_json(text)


def test_results_of_an_older_version_need_no_evidence() -> None:
    loaded = Results.from_json('{"nerscope": "0.0.9", "rows": [], "settings": {}, "losses": []}')
    assert (loaded.rows, loaded.evidence) == ([], [])
    with pytest.raises(InputError, match="no evidence to resample"):
        nerscope.compare(loaded)


@pytest.mark.parametrize("name", ["missing.json", "."])
def test_a_file_that_cannot_be_read_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(InputError, match="cannot be read"):
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
    assert results.select(nothing=1) == []


@pytest.mark.parametrize(
    ("wanted", "count"),
    [
        ({"metric": "f1"}, "2 rows"),  # of two systems
        ({"system": "a", "metric": "f3"}, "0 rows"),
        ({"system": "a", "facet": "tmr", "metric": "recall"}, "0 rows"),  # no level
    ],
)
def test_a_value_that_is_not_one_is_refused(
    results: Results, wanted: dict[str, object], count: str
) -> None:
    with pytest.raises(InputError, match=count):
        results.value(**wanted)


def row(value: float | None, n: int = 10, run: str = "1") -> Row:
    return {"dataset": "d", "system": "s", "run": run, "metric": "f1", "value": value, "n": n}


@pytest.mark.parametrize(
    ("rows", "value", "std", "n", "runs"),
    [
        # one run: no deviation
        ([row(0.5)], 0.5, None, 10, 1),
        ([row(None, 0)], None, None, 0, 1),
        # several: mean and sample deviation
        ([row(0.5), row(0.7)], 0.6, stdev([0.5, 0.7]), 10, 2),
        ([row(0.1), row(0.2), row(0.6)], 0.3, stdev([0.1, 0.2, 0.6]), 10, 3),
        ([row(0.4), row(0.4)], 0.4, 0.0, 10, 2),
        # undefined runs have no share
        ([row(0.5, 8), row(None, 0), row(0.7, 12)], 0.6, stdev([0.5, 0.7]), 10, 2),
        ([row(0.5, 8), row(None, 0)], 0.5, None, 8, 1),
        ([row(None, 0), row(None, 0)], None, None, 0, 2),
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


def test_a_file_is_written_whole_or_not_at_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = tmp_path / "results.json"
    write_text(target, "old")

    def fail(self: Path, other: Path) -> Path:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(Path, "replace", fail)
        with pytest.raises(OutputError, match="No space left on device"):
            write_text(target, "new")
    assert target.read_text() == "old"
    assert list(tmp_path.iterdir()) == [target]
    write_text(target, "new")
    assert target.read_text() == "new"


@pytest.mark.parametrize("place", ["missing/results.json", "file/results.json", "folder"])
def test_a_target_that_cannot_be_written_is_said(tmp_path: Path, place: str) -> None:
    (tmp_path / "file").write_text("")
    (tmp_path / "folder").mkdir()
    before = sorted(tmp_path.rglob("*"))
    with pytest.raises(OutputError, match="it cannot be written"):
        write_text(tmp_path / place, "new")
    assert sorted(tmp_path.rglob("*")) == before


@pytest.mark.parametrize("place", ["", "."])
def test_a_target_without_a_name_is_said(
    place: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(OutputError):
        write_text(place, "new")


@pytest.mark.parametrize(
    "name", ["exact", "types", "partial", "tmr", "hard", "hard-strict", "errors", "eLen", "tCon"]
)
def test_a_table_has_a_row_for_each_system_and_the_sizes(results: Results, name: str) -> None:
    table = results.table(name)
    assert [cells[0].text for cells in table.rows] == ["a", "b", "n"]
    assert all(len(cells) == len(table.header) for cells in table.rows)
    assert all(cell.text for cells in table.rows for cell in cells)


def test_a_table_that_does_not_exist_is_refused(results: Results) -> None:
    with pytest.raises(UsageError, match="did you mean 'exact'"):
        results.table("exct")


@pytest.mark.parametrize("name", ["tmr", "hard", "hard-strict", "errors"])
def test_a_table_of_a_facet_that_was_not_evaluated_is_refused(name: str) -> None:
    with pytest.raises(UsageError, match="no such table in these results"):
        nerscope.evaluate(corpus("a/B-PER"), {"s": corpus("a")}).table(name)


def test_the_signature_names_every_setting_that_moves_a_number(results: Results) -> None:
    assert results.signature == (
        "scheme:bio|match:exact+left+right+overlap|average:micro|repair:conlleval|ter:bilou/strict|buckets:paper/4"
        f"|zero_division:undefined|resample:sentence|samples:50|seed:0|version:{VERSION}"
    )
