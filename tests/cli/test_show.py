"""`nerscope show`: every table, narrowed, ordered, marked and captioned."""

import csv
import json
import re
import shlex
from pathlib import Path

import pytest
from tests.cli.conftest import Outcome, Run
from tests.scoring.toys import drawn, noisy, write

import nerscope
from nerscope.render.summary import MARK, chosen_tables
from nerscope.results.results import Results

GOLD, OTHER, TRAIN = drawn(80, seed=1), drawn(60, seed=7), drawn(80, seed=2)
OUTPUTS = {name: noisy(GOLD, rate, 5) for name, rate in [("a", 0.05), ("b", 0.2), ("c", 0.5)]}


@pytest.fixture(scope="module")
def evaluated() -> Results:
    return nerscope.evaluate(GOLD, OUTPUTS, train=TRAIN, dataset="toy")


@pytest.fixture(scope="module")
def two_datasets(evaluated: Results) -> Results:
    """The second dataset has no output of b."""
    outputs = {"a": noisy(OTHER, 0.1, 3), "c": noisy(OTHER, 0.4, 4)}
    other = nerscope.evaluate(OTHER, outputs, train=TRAIN, dataset="twin")
    return Results([*evaluated.evidence, *other.evidence])


@pytest.fixture
def folder(
    tmp_path: Path, evaluated: Results, two_datasets: Results, monkeypatch: pytest.MonkeyPatch
) -> Path:
    evaluated.save(tmp_path / "r.json")
    two_datasets.save(tmp_path / "both.json")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def done(run: Run, command: str) -> Outcome:
    outcome = run(*shlex.split(command))
    assert outcome.code == 0, outcome.err
    return outcome


def grid(text: str) -> tuple[str, list[str], dict[str, list[str]]]:
    """Title, header, and rows by their first cell, of a table as text."""
    title, _, rest = text.partition("\n\n")
    header, _, *body = rest.split("\n\n")[0].split("\n")
    cut = [re.split(r"\s{2,}", line.strip()) for line in [header, *body]]
    return title, cut[0][1:], {row[0]: row[1:] for row in cut[1:]}


TABLES = {
    "exact": "Exact match",
    "types": "F1 by type",
    "partial": "F1 with partial credit",
    "pairs": "Pairs of each match",
    "errors": "Where the errors are: share of all wrong tokens",
    "datasets": "F1, exact match",
    "tmr": "Tough mentions: recall",
    "hard": "Hard tokens: token error rate (lower is better)",
    "eLen": "eLen: F1",
    "tCon": "tCon: F1",
}


@pytest.mark.slow(quick=4)
@pytest.mark.parametrize(("name", "title"), TABLES.items())
@pytest.mark.parametrize("form", ["text", "markdown", "latex"])
def test_every_table_can_be_had_alone(
    name: str, title: str, form: str, folder: Path, run: Run
) -> None:
    outcome = done(run, f"show r.json --table {name} --format {form}")
    heading = {"text": f"{title}\n", "markdown": f"### {title}\n", "latex": f"\\caption{{{title}"}
    assert heading[form] in outcome.out
    assert "signature: scheme:bio" in outcome.out
    assert outcome.out.count("\\begin{tabular}") == (form == "latex")


def test_several_tables_stand_in_the_order_asked_for(folder: Path, run: Run) -> None:
    shown = done(run, "show r.json --table tmr --table exact --table eLen").out
    places = [shown.index(TABLES[name]) for name in ("tmr", "exact", "eLen")]
    assert places == sorted(places)


def test_an_unknown_table_is_refused_with_a_suggestion(folder: Path, run: Run) -> None:
    outcome = run("show", "r.json", "--table", "exakt")
    assert outcome.code == 2
    assert "table 'exakt': there is no such table" in outcome.err
    assert "did you mean 'exact'" in outcome.err


@pytest.mark.parametrize(
    ("options", "title", "cell", "wanted"),
    [
        ("--table types --metric recall", "Recall by type", "PER", ("recall", "exact", "PER")),
        (
            "--table types --metric precision",
            "Precision by type",
            "all",
            ("precision", "exact", None),
        ),
        ("--table types --match left", "F1 by type by left", "ORG", ("f1", "left", "ORG")),
        (
            "--table partial --metric recall",
            "Recall with partial credit",
            "left",
            ("recall", "left", None),
        ),
        (
            "--table datasets --metric recall",
            "Recall, exact match",
            "toy",
            ("recall", "exact", None),
        ),
        ("--table datasets --match overlap", "F1, overlap match", "toy", ("f1", "overlap", None)),
    ],
)
def test_metric_and_match_are_chosen(
    options: str,
    title: str,
    cell: str,
    wanted: tuple[str, str, str | None],
    folder: Path,
    run: Run,
    evaluated: Results,
) -> None:
    shown, header, rows = grid(done(run, f"show r.json {options}").out)
    assert shown == title
    metric, match, kind = wanted
    for system in "abc":
        value = evaluated.value(system=system, metric=metric, match=match, type=kind)
        assert value is not None
        assert rows[system][header.index(cell)].rstrip("*") == f"{100 * value:.2f}"


def test_a_facet_shows_another_metric(folder: Path, run: Run, evaluated: Results) -> None:
    title, header, rows = grid(done(run, "show r.json --table eLen --metric precision").out)
    assert title == "eLen: precision"
    value = evaluated.value(system="b", facet="eLen", level="XS", metric="precision")
    assert value is not None
    assert rows["b"][header.index("XS")].rstrip("*") == f"{100 * value:.2f}"


@pytest.mark.parametrize(
    "options",
    [
        "--table tmr --metric f3",
        "--table types --match lefty",
        "--table datasets --match lefty",
        "--table eLen --metric ter",
        "--table datasets --metric ter",
    ],
)
def test_what_the_results_do_not_have_is_refused(options: str, folder: Path, run: Run) -> None:
    outcome = run(*shlex.split(f"show r.json {options}"))
    assert (outcome.code, outcome.out) == (2, "")


@pytest.mark.parametrize(
    ("options", "systems", "columns"),
    [
        ("--system c --system a", ["c", "a", "n"], ["all", "LOC", "ORG", "PER"]),
        ("--column PER --column all", ["a", "b", "c", "n"], ["PER", "all"]),
        ("--system b --column ORG", ["b", "n"], ["ORG"]),
        ("--system c --system b --column LOC --no-n", ["c", "b"], ["LOC"]),
        ("--no-n", ["a", "b", "c"], ["all", "LOC", "ORG", "PER"]),
    ],
)
def test_systems_and_columns_stand_as_chosen(
    options: str, systems: list[str], columns: list[str], folder: Path, run: Run
) -> None:
    _, every, whole = grid(done(run, "show r.json --table types").out)
    _, header, rows = grid(done(run, f"show r.json --table types {options}").out)
    assert (list(rows), header) == (systems, columns)
    for name, cells in rows.items():
        assert cells == [whole[name][every.index(column)] for column in columns]


@pytest.mark.parametrize(
    ("options", "fact"),
    [
        ("--table types --system d", "--system d: the table has none"),
        ("--table types --column PERR", "--column PERR: the table has none"),
        ("--table types --against d", "system 'd': it is not in the results"),
        ("--system d", "--table"),
        ("--column PER", "--table"),
        ("--metric f1", "--table"),
    ],
)
def test_choices_that_cannot_be_followed_are_refused(
    options: str, fact: str, folder: Path, run: Run
) -> None:
    outcome = run(*shlex.split(f"show r.json {options}"))
    assert outcome.code == 2
    assert fact in outcome.err


def test_systems_are_chosen_on_every_dataset(folder: Path, run: Run) -> None:
    _, _, rows = grid(done(run, "show both.json --table exact --system c --system a --no-n").out)
    assert list(rows) == ["toy: c", "toy: a", "twin: c", "twin: a"]


def test_a_system_called_n_is_no_denominator() -> None:
    results = nerscope.evaluate(GOLD, {"n": OUTPUTS["a"], "m": OUTPUTS["b"]})
    ((table, _, _),) = chosen_tables(results, ["exact"], with_n=False)
    assert [row[0].text for row in table.rows] == ["n", "m"]


def test_marks_stand_where_the_comparison_is_sure(evaluated: Results) -> None:
    ((table, _, _),) = chosen_tables(evaluated, ["types"], against="a")
    found = nerscope.compare(evaluated, baseline="a", metrics=["f1"], matches=["exact"])
    p = {
        (row["system_a"], row["type"]): row["p"]
        for row in found.rows
        if row["facet"] == "all" and row["match"] == "exact"
    }
    marks = 0
    for row in table.rows:
        for name, cell in zip(table.header[1:], row[1:], strict=True):
            key = (row[0].text, None if name == "all" else name)
            assert cell.text.endswith(MARK) == (key in p and p[key] < 0.05)
            marks += cell.text.endswith(MARK)
    assert marks >= 4
    assert any("differs from a (p < 0.05" in note for note in table.notes)


@pytest.mark.slow
def test_marks_reach_every_dataset_and_latex(folder: Path, run: Run) -> None:
    shown = done(run, "show both.json --table exact --against a --format latex").out
    marked = [line for line in shown.split("\n") if "\\textdagger{}" in line and "&" in line]
    assert {line.partition(" &")[0] for line in marked} >= {"toy: c", "twin: c"}
    assert not any(line.startswith(("toy: a", "twin: a")) for line in marked)


def test_latex_has_booktabs_caption_and_label(folder: Path, run: Run) -> None:
    shown = done(
        run,
        "show r.json --table tmr --format latex --caption 'F_1 & more' --label tab:tmr --no-n "
        "--column seen --column unseen-any",
    ).out
    for part in (
        *("% needs \\usepackage{booktabs}\n", "\\caption{F\\_1 \\& more", "\\label{tab:tmr}\n"),
        *("\\begin{tabular}{lrr}\n\\toprule\n", "\\midrule\n", "\\bottomrule\n\\end{tabular}"),
        "system & seen & unseen-any \\\\\n",
    ):
        assert part in shown
    assert "\nn & " not in shown
    assert "\\label" not in done(run, "show r.json --table tmr --format latex").out


def test_the_mean_over_datasets_says_on_how_many_it_rests(two_datasets: Results) -> None:
    ((table, _, _),) = chosen_tables(two_datasets, ["datasets"])
    assert table.header == ("system", "toy", "twin", "mean")
    values = {
        (system, name): two_datasets.value(dataset=name, system=system, metric="f1")
        for system, name in [("a", "toy"), ("a", "twin"), ("b", "toy"), ("c", "toy"), ("c", "twin")]
    }
    rows = {row[0].text: [cell.text for cell in row[1:]] for row in table.rows}
    assert list(rows) == ["a", "b", "c"]
    for system in "ac":
        both = [values[system, name] or 0.0 for name in ("toy", "twin")]
        assert rows[system] == [f"{100 * value:.2f}" for value in [*both, sum(both) / 2]]
    alone = f"{100 * (values['b', 'toy'] or 0.0):.2f}"
    assert rows["b"] == [alone, "–", f"{alone} (1)"]
    assert "(k) rests on k of them only" in table.notes[0]


def test_a_table_narrows_csv_and_json_too(folder: Path, run: Run, evaluated: Results) -> None:
    lines = done(run, "show r.json --table tmr --system b --format csv").out.splitlines()
    rows = list(csv.DictReader(lines))
    assert {(row["system"], row["metric"]) for row in rows} == {("b", "recall")}
    assert {row["facet"] for row in rows} == {"tmr", "all"}
    data = json.loads(done(run, "show r.json --table partial --column left --format json").out)
    assert {(row["facet"], row["match"], row["metric"]) for row in data["rows"]} == {
        ("all", "left", "f1")
    }
    assert {"nerscope", "signature", "settings", "losses"} <= set(data)
    several = json.loads(
        done(run, "show both.json --table exact --table datasets --format json").out
    )
    keys = [
        tuple(str(row[key]) for key in ("dataset", "system", "run", "match", "metric"))
        for row in several["rows"]
    ]
    assert len(keys) == len(set(keys)) and {key[0] for key in keys} == {"toy", "twin"}
    whole = json.loads(done(run, "show r.json --format json").out)
    assert len(whole["rows"]) == len(evaluated.rows)


def test_a_note_says_what_intervals_cover_where_numbers_of_runs_differ(
    tmp_path: Path, run: Run
) -> None:
    gold = drawn(40, seed=1)
    write(tmp_path / "gold.txt", gold)
    for name in ("x.1", "x.2", "y.1", "y.2", "z"):
        write(tmp_path / f"{name}.txt", noisy(gold, 0.2, sum(map(ord, name))))
    commands = {
        "mixed": ["x=x.1", "x=x.2", "z=z"],
        "alike": ["x=x.1", "x=x.2", "y=y.1", "y=y.2"],
        "single": ["x=x.1", "z=z"],
    }
    note = (
        "95 % intervals: of x (2 runs), they allow for other training runs; of z (1 run), for "
        "other test data alone"
    )
    for kind, systems in commands.items():
        pairs = [system.split("=") for system in systems]
        options = [f"--system={name}={tmp_path / file}.txt" for name, file in pairs]
        saved = str(tmp_path / f"{kind}.json")
        evaluated = run("evaluate", str(tmp_path / "gold.txt"), *options, "-o", saved)
        shown = run("show", saved)
        assert [note in outcome.out for outcome in (evaluated, shown)] == [kind == "mixed"] * 2
