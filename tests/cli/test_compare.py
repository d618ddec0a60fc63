"""`nerscope compare`: the answer first, then where, from one results file or two."""

import json
import re
import shlex
from pathlib import Path
from typing import Any

import pytest
from tests.cli.conftest import Outcome, Run
from tests.scoring.toys import drawn, noisy, write


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, run: Run) -> Path:
    """Three systems, of which the first two are much alike, in results `r.json`."""
    gold = drawn(80, seed=1)
    write(tmp_path / "gold.txt", gold)
    write(tmp_path / "train.txt", drawn(80, seed=2))
    for name, rate in [("a", 0.05), ("b", 0.06), ("c", 0.4)]:
        write(tmp_path / f"{name}.txt", noisy(gold, rate, 3 + ord(name)))
    monkeypatch.chdir(tmp_path)
    done(run, "evaluate gold.txt --train train.txt -o r.json " + systems("abc"))
    return tmp_path


def systems(names: str) -> str:
    return " ".join(f"--system {name}={name}.txt" for name in names)


def done(run: Run, command: str) -> Outcome:
    outcome = run(*shlex.split(command))
    assert outcome.code == 0, outcome.err
    return outcome


def rows(run: Run, command: str) -> list[dict[str, Any]]:
    found = json.loads(done(run, f"compare {command} --samples 100 --format json").out)
    listed: list[dict[str, Any]] = found["rows"]
    return listed


ANSWER = re.compile(
    r"(?P<who>.+): F1 [\d.]+ against [\d.]+, (?:better by|difference) [+-][\d.]+ points "
    r"\[[+-][\d.]+, [+-][\d.]+\], p [=<] [\d.]+( \(corrected: [<\d.]+\))?, n = \d+\."
)


CONDITIONS = re.compile(
    r"  About these outputs, not about other training runs\. "
    r"\d+ of \d+ sentences with mentions differ\. "
    r"This test set detects a true difference of [\d.]+ points with 80 % power\."
)


@pytest.mark.slow(quick=1)
@pytest.mark.parametrize(
    ("names", "wanted"),
    [
        ("a c", ["a's output is better than c's"]),
        ("c a", ["a's output is better than c's"]),
        ("a b", ["No significant difference between a and b"]),
        (
            "",
            [
                "No significant difference between a and b",
                "a's output is better than c's",
                "b's output is better than c's",
            ],
        ),
        ("--baseline c", ["a's output is better than c's", "b's output is better than c's"]),
    ],
)
def test_the_first_lines_answer_for_each_pair(
    names: str, wanted: list[str], folder: Path, run: Run
) -> None:
    shown = done(run, f"compare r.json {names} --samples 1000").out
    assert shown.startswith("Ranking by F1: gold\n") == (names == "")  # only of all pairs
    lines = shown.rpartition("other training runs may rank differently\n\n")[2].split("\n")
    lines = [line for line in lines if not line.startswith("  Careful: ")]
    said = [ANSWER.fullmatch(line) for line in lines[: 2 * len(wanted) : 2]]
    assert [one and one["who"] for one in said] == wanted
    rests = [CONDITIONS.fullmatch(line) for line in lines[1 : 2 * len(wanted) : 2]]
    assert all(rests)
    assert lines[2 * len(wanted)] == ""


def test_without_options_only_where_and_types_follow(folder: Path, run: Run) -> None:
    short = done(run, "compare r.json a c --samples 100").out
    assert "Where they differ: a against c\n" in short and "By type: a against c\n" in short
    assert "\nNext: --all shows every group" in short
    assert short.count("\n") <= 40
    everything = done(run, "compare r.json a c --samples 100 --all").out
    assert "Numbers on which each system is better\n" in everything
    assert everything.count("\n") > 2 * short.count("\n")
    assert everything.split("\n")[0] == short.split("\n")[0]


def test_rows_tell_their_family(folder: Path, run: Run) -> None:
    found = rows(run, "r.json")
    assert all(row["family"] in ("primary", "where", "types", "other") for row in found)
    assert all("in_where" not in row for row in found)
    primary = [row for row in found if row["family"] == "primary"]
    assert [(row["system_a"], row["system_b"]) for row in primary] == [
        *(("a", "b"), ("a", "c"), ("b", "c")),
    ]
    assert {(row["facet"], row["match"], row["metric"], row["type"]) for row in primary} == {
        ("all", "exact", "f1", None)
    }
    types = [row for row in found if row["family"] == "types"]
    assert {(row["facet"], row["match"], row["metric"]) for row in types} == {
        ("all", "exact", "f1")
    }
    assert {row["type"] for row in types} == {"LOC", "ORG", "PER"}
    where = [row for row in found if row["family"] == "where"]
    assert {row["type"] for row in where} == {None}
    by_facet = {(row["facet"], row["match"], row["metric"]) for row in where}
    assert len(by_facet) == len({facet for facet, _, _ in by_facet})  # one number a facet
    assert {facet for facet, _, _ in by_facet} >= {"tmr", "hard", "eLen"}


def test_families_are_corrected_by_themselves(folder: Path, run: Run) -> None:
    one, everyone = (rows(run, f"r.json {names} --correction bonferroni") for names in ("a b", ""))

    def factors(found: list[dict[str, Any]], family: str) -> list[float]:
        return [
            row["p_corrected"] / row["p"]
            for row in found
            if (row["system_a"], row["system_b"], row["family"]) == ("a", "b", family)
            and row["p"] is not None
            and row["p_corrected"] < 1
        ]

    assert set(factors(one, "primary")) <= {1.0}
    assert [row["p_corrected"] for row in everyone if row["family"] == "primary"] == [
        pytest.approx(min(1.0, 3 * row["p"])) for row in everyone if row["family"] == "primary"
    ]
    for family in ("where", "types", "other"):  # other pairs do not matter
        assert factors(one, family) == factors(everyone, family)
        own = [row for row in one if row["family"] == family and row["p"] is not None]
        for row in own:
            assert row["p_corrected"] == pytest.approx(min(1.0, len(own) * row["p"]))


@pytest.mark.slow(quick=1)
@pytest.mark.parametrize(
    ("options", "field", "wanted"),
    [
        ("--type PER", "type", {"PER"}),
        ("--type PER --type LOC", "type", {"PER", "LOC"}),
        ("--match exact", "match", {"exact"}),
        ("--match left --match right", "match", {"left", "right"}),
        ("--facet tmr", "facet", {"tmr"}),
        ("--metric recall", "metric", {"recall"}),
        ("--type PER --match left --metric f1", "type", {"PER"}),
    ],
)
def test_cells_are_chosen(
    options: str, field: str, wanted: set[str], folder: Path, run: Run
) -> None:
    assert {row[field] for row in rows(run, f"r.json a c {options}")} == wanted
    assert (
        "Numbers on which each system is better"
        in done(run, f"compare r.json a c --samples 50 {options}").out
    )


def test_the_first_question_is_f1_under_any_match(folder: Path, run: Run) -> None:
    found = rows(run, "r.json a c --match left")
    assert {(row["match"], row["metric"]) for row in found if row["family"] == "primary"} == {
        ("left", "f1")
    }


@pytest.mark.parametrize(
    ("options", "fact"),
    [
        ("--type PERR", "type 'PERR': it is not in the results"),
        ("--match lefty", "match 'lefty': it is not in the results"),
    ],
)
def test_what_is_not_there_is_refused(options: str, fact: str, folder: Path, run: Run) -> None:
    outcome = run("compare", "r.json", "a", "c", *options.split())
    assert outcome.code == 2
    assert fact in outcome.err and "did you mean" in outcome.err


def test_two_results_on_the_same_data_are_compared(folder: Path, run: Run) -> None:
    done(run, "evaluate gold.txt --train train.txt -o old.json --system s=c.txt")
    done(run, "evaluate gold.txt --train train.txt -o new.json --system s=a.txt")
    done(run, "evaluate gold.txt --train train.txt -o both.json --system c=c.txt --system a=a.txt")
    first = done(run, "compare old.json new.json --samples 1000").out.split("\n")[0]
    assert first.startswith("s (new)'s output is better than s (old)'s: F1 ")
    apart = rows(run, "old.json new.json")
    together = rows(run, "both.json a c")
    for row in apart + together:
        del row["system_a"], row["system_b"]
    assert apart == together


def test_systems_of_two_results_keep_names_that_are_their_own(folder: Path, run: Run) -> None:
    done(run, "evaluate gold.txt -o old.json --system s=c.txt")
    done(run, "evaluate gold.txt -o new.json --system t=a.txt")
    first = done(run, "compare old.json new.json --samples 1000").out.split("\n")[0]
    assert first.startswith("t's output is better than s's: F1 ")


def test_results_of_the_same_file_name_are_told_apart(folder: Path, run: Run) -> None:
    for name, system in [("old", "c"), ("new", "a")]:
        (folder / name).mkdir()
        done(run, f"evaluate gold.txt -o {name}/r.json --system s={system}.txt")
    outcome = run(*shlex.split("compare old/r.json new/r.json --samples 200"))
    assert outcome.code == 0, outcome.err
    answer = ANSWER.fullmatch(outcome.out.split("\n")[0])
    assert answer is not None
    one, _, other = answer["who"].partition("'s output is better than ")
    assert one != other and "new" in one and "old" in other


def test_results_of_other_matches_are_compared_by_the_matches_of_both(
    folder: Path, run: Run
) -> None:
    done(run, "evaluate gold.txt -o exact.json --system s=c.txt --match exact")
    done(run, "evaluate gold.txt -o overlap.json --system t=a.txt --match overlap")
    done(run, "evaluate gold.txt -o muc.json --system u=a.txt --match muc-type")
    for files in ("exact.json overlap.json", "overlap.json exact.json"):
        assert "match:exact|" in done(run, f"compare {files} --samples 200 --signature").out
    outcome = run("compare", "overlap.json", "muc.json")
    assert outcome.code == 2
    assert "it was evaluated with the match muc-type, overlap with overlap" in outcome.err


def test_results_on_other_data_are_refused(folder: Path, run: Run) -> None:
    other = drawn(80, seed=8)
    write(folder / "other.txt", other)
    done(run, "evaluate other.txt -o other.json --system s=other.txt")
    done(run, "evaluate other.txt -o same-name.json --system s=other.txt --dataset gold")
    outcome = run("compare", "r.json", "other.json")
    assert outcome.code == 2
    assert "it has none of the datasets of r.json" in outcome.err
    assert run("compare", "r.json", "same-name.json").code == 2


def test_of_many_pairs_only_the_decided_ones_are_named(folder: Path, run: Run) -> None:
    for name in "defg":
        (folder / f"{name}.txt").write_text((folder / "a.txt").read_text())
    done(run, "evaluate gold.txt -o many.json " + systems("abcdefg"))
    lines = done(run, "compare many.json --samples 1000").out.split("\n")
    assert "Pairs that differ significantly: 6" in lines  # all others are better than c
    table = lines[lines.index("Pairs that differ significantly: 6") + 3 :][:6]
    assert {tuple(line.split()[:2]) for line in table} == {(name, "c") for name in "abdefg"}
    assert "15 of 21 pairs: no significant difference." in lines
    about = "About these outputs, not about other training runs. Resampled: sentences."
    assert about in lines


@pytest.fixture
def three(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An experiment on three datasets, of which nobody says what they are to each other."""
    for number, name in enumerate("def"):
        gold = drawn(60, seed=number)
        write(tmp_path / f"{name}.txt", gold)
        for system, rate in [("a", 0.05), ("b", 0.3 + 0.05 * number)]:
            write(tmp_path / system / f"{name}.txt", noisy(gold, rate, number + ord(system)))
    datasets = "".join(f'[datasets.{name}]\ntest = "{name}.txt"\n' for name in "def")
    outputs = "".join(f'{name} = "{name}/{{dataset}}.txt"\n' for name in "ab")
    text = f"{datasets}[systems]\n{outputs}[settings]\nsamples = 300\n"
    (tmp_path / "nerscope.toml").write_text(text)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_the_means_follow_the_datasets_and_are_in_the_json(three: Path, run: Run) -> None:
    shown = done(run, "evaluate nerscope.toml -o r.json").out
    assert "\nMean over 3 datasets\n" in shown
    assert re.search(r"\na +F1 +\d+\.\d\d +\d+\.\d\d +\[.*, .*\] +\[.*, .*\]\n", shown)
    assert "left F1" not in shown
    assert shown.startswith(done(run, "show r.json").out)  # but for notes
    assert re.search(r"\na +left F1 +\d+\.\d\d ", done(run, "show r.json --all").out)
    content = json.loads(done(run, "show r.json --format json").out)
    assert {one["metric"] for one in content["over_datasets"]} >= {"precision", "recall", "f1"}


@pytest.mark.slow
def test_splits_are_said_in_the_file_or_on_the_command_line(three: Path, run: Run) -> None:
    done(run, "evaluate nerscope.toml -o r.json")
    (three / "nerscope.toml").write_text(
        (three / "nerscope.toml").read_text() + '[protocol]\ndatasets = "splits"\nratio = 0.5\n'
    )
    assert "\nMean over 3 splits\n" in done(run, "evaluate nerscope.toml -o s.json").out
    told = done(run, "compare s.json a b --samples 300").out
    assert told.startswith("Over 3 splits of one corpus, a is better than b: F1 better by +")
    assert "\n  a beats b on 3 of 3 splits at p ≤ 0.05/3, b beats a on 0.\n" in told
    assert "\nOver 3 splits: F1\n" in told and "Wilcoxon" not in told
    about = (
        "About the methods, trained and tested on such a corpus: each split has its own training"
    )
    assert f"\n{about}" in told
    assert "0.5 test sentences per training sentence" in " ".join(told.split())
    for text in ("other training runs", "one run each"):
        assert text not in told
    single = done(run, "compare s.json a b --samples 300 --datasets d").out
    assert "note: one run each: this compares two outputs, not two methods" in single
    asked = done(run, "compare r.json a b --samples 300 --over splits --ratio 0.5").out
    assert asked == told
    other = done(run, "compare s.json a b --samples 300 --over drawn").out
    assert other.startswith("Over 3 datasets and others like them, a's output is better than b's: ")
    markdown = done(run, "compare s.json a b --samples 300 --format markdown").out
    assert "### Over 3 splits: F1\n" in markdown


def test_splits_of_which_nobody_knows_the_overlap_are_refused(three: Path, run: Run) -> None:
    done(run, "evaluate nerscope.toml -o r.json")
    outcome = run("compare", "r.json", "--over", "splits")
    assert outcome.code == 2
    assert "splits overlap, and no ratio was given. Fix: give n_test / n_train" in outcome.err
