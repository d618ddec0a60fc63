"""`nerscope show`: every table, narrowed, ordered, marked and captioned."""

import csv
import json
import re
import shlex
from pathlib import Path
from typing import Any

import pytest
from tests.cli.conftest import Outcome, Run
from tests.scoring.toys import drawn, noisy, write

import nerscope
from nerscope.render.chosen import TableRequest, chosen_table
from nerscope.render.document import Table
from nerscope.render.number_index import SummaryIndex
from nerscope.render.tables import MARK, TableChoice
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


def chosen(results: Results, name: str, **options: Any) -> Table:
    request = TableRequest(name, options.pop("choice", TableChoice()), **options)
    return chosen_table(SummaryIndex(results), request).table


def grid(text: str) -> tuple[str, list[str], dict[str, list[str]]]:
    """Title, header, and rows by their first cell, of a table as text."""
    title, header, _, *body = text.split("\n\n")[0].split("\n")
    lines = [line for line in body if not line.startswith("  ")]  # notes are indented
    cut = [re.split(r"\s{2,}", line.strip()) for line in [header, *lines] if line]
    return title, cut[0][1:], {row[0]: row[1:] for row in cut[1:]}


TABLES = {
    "exact": "Exact match",
    "types": "F1 by type",
    "partial": "F1 with partial credit",
    "pairs": "Pairs of each match",
    "errors": "Share of all wrong tokens",
    "weakest": "Weakest groups",
    "datasets": "F1, exact match",
    "tmr": "Tough mentions: recall",
    "hard": "Hard tokens: token error rate (lower is better)",
    "eLen": "Mention length (eLen): F1",
    "tCon": "How consistently training labels this word (tCon): F1",
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
    assert ("signature: scheme:bio" in outcome.out) == (form != "text")
    assert outcome.out.count("\\begin{tabular}") == (form == "latex")


def test_several_tables_stand_in_the_order_asked_for(folder: Path, run: Run) -> None:
    shown = done(run, "show r.json --table tmr --table exact --table eLen").out
    places = [shown.index(TABLES[name]) for name in ("tmr", "exact", "eLen")]
    assert places == sorted(places)


def test_an_unknown_table_is_refused_with_a_suggestion(folder: Path, run: Run) -> None:
    outcome = run("show", "r.json", "--table", "exakt")
    assert outcome.code == 2
    assert "table 'exakt': these results have no such table" in outcome.err
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
        ("--table types --match left", "F1 by type, left match", "ORG", ("f1", "left", "ORG")),
        (
            "--table partial --metric recall",
            "Recall with partial credit",
            "same type and start (left)",
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
        # Systems are columns, but for the table of datasets.
        text = rows[cell][header.index(system)] if cell in rows else rows[system][0]
        assert text.rstrip("*").partition(" (")[0] == f"{100 * value:.2f}"


def test_a_facet_shows_another_metric(folder: Path, run: Run, evaluated: Results) -> None:
    title, header, rows = grid(done(run, "show r.json --table eLen --metric precision").out)
    assert title == "Mention length (eLen): precision"
    value = evaluated.value(system="b", facet="eLen", level="XS", metric="precision")
    assert value is not None
    assert rows["1 token (XS)"][header.index("b")].rstrip("*") == f"{100 * value:.2f}"


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
    ("options", "columns", "lines"),
    [
        ("--system c --system a", ["c", "a", "n"], ["all", "LOC", "ORG", "PER"]),
        ("--only PER --only all", ["a", "b", "c", "n"], ["PER", "all"]),
        ("--system b --only ORG", ["b", "n"], ["ORG"]),
        ("--system c --system b --column LOC --no-n", ["c", "b"], ["LOC"]),
        ("--no-n", ["a", "b", "c"], ["all", "LOC", "ORG", "PER"]),
    ],
)
def test_systems_and_lines_stand_as_chosen(
    options: str, columns: list[str], lines: list[str], folder: Path, run: Run
) -> None:
    _, every, whole = grid(done(run, "show r.json --table types").out)
    _, header, rows = grid(done(run, f"show r.json --table types {options}").out)
    assert (header, list(rows)) == (columns, lines)
    for name, cells in rows.items():
        # Among fewer systems, another one may be the best.
        plain = [cell.rstrip("*") for cell in cells]
        assert plain == [whole[name][every.index(column)].rstrip("*") for column in columns]


def test_lines_are_chosen_by_words_or_codes(folder: Path, run: Run) -> None:
    by_code = done(run, "show r.json --table tmr --only unseen-tokens").out
    words = "'mentions whose text is new'"
    assert done(run, f"show r.json --table tmr --only {words}").out == by_code
    assert "(unseen-tokens)" in by_code
    alone = done(run, "show r.json --table tmr --only unseen-tokens --codes").out
    assert "\nunseen-tokens  " in alone and "whose text" not in alone


@pytest.mark.parametrize(
    ("options", "order"),
    [
        ("--table exact --sort F1 --no-n", ["a", "b", "c"]),
        ("--table exact --sort F1", ["a", "b", "c", "n"]),
        ("--table exact --sort system --system c --system a --no-n", ["a", "c"]),
    ],
)
def test_rows_are_sorted_the_best_first(
    options: str, order: list[str], folder: Path, run: Run
) -> None:
    assert list(grid(done(run, f"show r.json {options}").out)[2]) == order


def test_error_rates_are_sorted_the_lowest_first(folder: Path, run: Run) -> None:
    rows = grid(done(run, "show r.json --table hard --sort a").out)[2]
    values = [float(cells[0].rstrip("*")) for cells in rows.values() if cells[0] != "–"]
    assert values == sorted(values)
    refused = run(*shlex.split("show r.json --table hard --sort d"))
    assert refused.code == 2 and "--sort d: the table has no such column" in refused.err


def test_intervals_can_be_left_out(folder: Path, run: Run, two_datasets: Results) -> None:
    with_bounds = nerscope.evaluate(GOLD, OUTPUTS, train=TRAIN, intervals=True)
    with_bounds.save(folder / "i.json")
    for table in ("exact", "tmr", "weakest"):
        whole = done(run, f"show i.json --table {table} --format latex").out
        plain = done(run, f"show i.json --table {table} --format latex --no-intervals").out
        assert re.search(r"\d \[\d", whole) and not re.search(r"\d \[\d", plain)


def test_rows_beyond_the_screen_need_all(folder: Path, run: Run) -> None:
    gold = drawn(400, seed=5, types=[f"T{number:02}" for number in range(50)])
    nerscope.evaluate(gold, {"s": gold}).save(folder / "many.json")
    shown = done(run, "show many.json --table types").out
    assert "\n  21 more rows: --all\n" in shown and shown.count("\n") <= 40
    assert "more rows" not in done(run, "show many.json --table types --all").out
    assert done(run, "show many.json --table types --format csv").out.count("\n") > 50


def test_notes_are_printed_by_show_only_if_wanted(tmp_path: Path, run: Run) -> None:
    (tmp_path / "gold.txt").write_text("Ada B-PER\nmet O\nBob I-PER\n")
    saved, gold = str(tmp_path / "r.json"), str(tmp_path / "gold.txt")
    first = run("evaluate", gold, f"s={gold}", "-o", saved)
    note = "1 transition not allowed in bio, repaired as conlleval: I-PER after O (1)"
    assert note in first.out
    assert "note: " not in run("show", saved).out
    assert f"note: {gold}:3: {note}\n" in run("show", saved, "--notes").out


@pytest.mark.parametrize(
    ("options", "fact"),
    [
        ("--table types --system d", "--system d: it is not in the results"),
        ("--table types --only PERR", "--only PERR: the table does not have it"),
        ("--table types --against d", "system 'd': it is not in the results"),
        ("--system d", "--table"),
        ("--only PER", "--table"),
        ("--sort n", "--table"),
        ("--metric f1", "--table"),
    ],
)
def test_choices_that_cannot_be_followed_are_refused(
    options: str, fact: str, folder: Path, run: Run
) -> None:
    outcome = run(*shlex.split(f"show r.json {options}"))
    assert outcome.code == 2
    assert fact in outcome.err


def test_systems_are_chosen_on_every_dataset(two_datasets: Results) -> None:
    choice = TableChoice(systems=["c", "a"], with_sizes=False)
    table = chosen(two_datasets, "exact", choice=choice)
    names = [(row[0].text, row[1].text) for row in table.rows]
    assert names == [("toy", "c"), ("toy", "a"), ("twin", "c"), ("twin", "a")]


def test_a_system_called_n_is_no_denominator() -> None:
    results = nerscope.evaluate(GOLD, {"n": OUTPUTS["a"], "m": OUTPUTS["b"]})
    table = chosen(results, "exact", choice=TableChoice(with_sizes=False))
    assert [row[0].text for row in table.rows] == ["n", "m"]


def test_marks_stand_where_the_comparison_is_significant(evaluated: Results) -> None:
    table = chosen(evaluated, "types", against="a")
    found = nerscope.compare(evaluated, baseline="a", metrics=["f1"], matches=["exact"])
    p = {
        (row["system_a"], row["type"]): row["p"]
        for row in found.rows
        if row["facet"] == "all" and row["match"] == "exact"
    }
    marks = 0
    for row in table.rows:
        for system, cell in zip(table.header[1:], row[1:], strict=True):
            key = (system, None if row[0].text == "all" else row[0].text)
            assert cell.text.endswith(MARK) == (key in p and p[key] < 0.05)
            marks += cell.text.endswith(MARK)
    assert marks >= 4
    assert any("differs significantly from a (p < 0.05" in note for note in table.notes)


@pytest.mark.slow
def test_marks_reach_every_dataset_and_latex(folder: Path, run: Run) -> None:
    shown = done(run, "show both.json --table exact --against a --format latex").out
    marked = [line for line in shown.split("\n") if "\\textdagger{}" in line and "&" in line]
    systems = {tuple(line.split(" & ")[:2]) for line in marked}
    assert {("toy", "c"), ("twin", "c")} <= systems
    assert not any(system == "a" for _, system in systems)


def test_latex_has_booktabs_caption_and_label(folder: Path, run: Run) -> None:
    shown = done(
        run,
        "show r.json --table tmr --format latex --caption 'F_1 & more' --label tab:tmr --no-n "
        "--only seen --only unseen-any --system a --system b",
    ).out
    for part in (
        *("% needs \\usepackage{booktabs}\n", "\\caption{F\\_1 \\& more", "\\label{tab:tmr}\n"),
        *("\\begin{tabular}{lrr}\n\\toprule\n", "\\midrule\n", "\\bottomrule\n\\end{tabular}"),
        "group & a & b \\\\\n",
        "\nmentions seen in training (seen) & ",
    ):
        assert part in shown
    assert "& n " not in shown
    assert "\\label" not in done(run, "show r.json --table tmr --format latex").out


def test_the_mean_over_datasets_says_on_how_many_it_rests(two_datasets: Results) -> None:
    table = chosen(two_datasets, "datasets")
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
    assert table.notes == ("(k): mean over k datasets only",)


def test_a_table_narrows_csv_and_json_too(folder: Path, run: Run, evaluated: Results) -> None:
    lines = done(run, "show r.json --table tmr --system b --format csv").out.splitlines()
    rows = list(csv.DictReader(lines))
    assert {(row["system"], row["metric"]) for row in rows} == {("b", "recall")}
    assert {row["facet"] for row in rows} == {"tmr", "all"}
    data = json.loads(done(run, "show r.json --table partial --only left --format json").out)
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
        "95 % intervals of x (2 runs) include variation over training runs; those of z (1 run) "
        "only over test data"
    )
    for kind, systems in commands.items():
        pairs = [system.split("=") for system in systems]
        options = [f"--system={name}={tmp_path / file}.txt" for name, file in pairs]
        saved = str(tmp_path / f"{kind}.json")
        evaluated = run("evaluate", str(tmp_path / "gold.txt"), *options, "-o", saved)
        shown = run("show", saved, "--notes")
        assert [note in outcome.out for outcome in (evaluated, shown)] == [kind == "mixed"] * 2
