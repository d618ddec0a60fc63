"""What is seen first: a screen that is enough, help for every word, and quiet on demand."""

import csv
import io
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from tests.cli.conftest import GOLD, Outcome, Run
from tests.scoring.toys import drawn, noisy, write

import nerscope
from nerscope.facets.facet import FACETS
from nerscope.render.layout import text_width
from nerscope.results.explanations import all_terms, explain
from nerscope.results.results import Results

COMMANDS = (
    *("evaluate", "show", "compare", "errors", "diagnose", "gate", "describe"),
    *("validate", "convert", "split", "judged", "init", "explain", "demo"),
)
LINES, COLUMNS = 40, 80


@pytest.fixture
def screen(monkeypatch: pytest.MonkeyPatch) -> None:
    """A terminal of 80 columns."""
    monkeypatch.setenv("COLUMNS", str(COLUMNS))


@pytest.fixture
def corpora(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Files large enough for weaknesses to be significant."""
    gold = drawn(200, seed=1)
    write(tmp_path / "gold.txt", gold)
    write(tmp_path / "train.txt", drawn(200, seed=2))
    for place, name in enumerate("abcdefg"):
        write(tmp_path / f"{name}.txt", noisy(gold, 0.05 + 0.1 * place, 3 + place))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def done(run: Run, command: str) -> Outcome:
    outcome = run(*shlex.split(command))
    assert outcome.code == 0, outcome.err
    return outcome


def fits(outcome: Outcome) -> str:
    """What a command printed, which must fit the screen."""
    shown = outcome.out + outcome.err
    assert shown.count("\n") <= LINES, shown
    assert max(map(text_width, shown.split("\n"))) <= COLUMNS, shown
    return shown


def systems(names: str) -> str:
    return " ".join(f"--system {name}={name}.txt" for name in names)


@pytest.mark.usefixtures("screen")
@pytest.mark.parametrize("names", ["a", "ab", "abcdefg"])
@pytest.mark.parametrize("train", ["", "--train train.txt"])
def test_an_evaluation_fits_one_screen(names: str, train: str, corpora: Path, run: Run) -> None:
    shown = fits(done(run, f"evaluate gold.txt {systems(names)} {train}"))
    first = "a on gold: exact match\n" if names == "a" else f"{len(names)} systems on gold: exact"
    assert shown.startswith(first)
    for part in ("Errors by kind", "95 % interval", "\nNext: --all shows every table; -o FILE"):
        assert part in shown
    assert ("group: systems with a common letter" in shown) == (len(names) > 2)
    assert ("a's output is better than b's by " in shown) == (names == "ab")
    assert ("F1 by type" in shown) == (len(names) > 1)
    assert ("--train FILE adds" in " ".join(shown.split())) == (not train)
    assert "signature" not in shown
    if train:
        assert "Weakest groups of a" in shown and "ranked by the lower 95 % bound" in shown


@pytest.mark.usefixtures("screen")
@pytest.mark.parametrize(
    "command",
    [
        *("compare r.json --samples 200", "compare r.json a b --samples 200", "diagnose r.json"),
        *("power r.json", "gate r.json --baseline r.json", "show r.json"),
        *("describe --train train.txt --test gold.txt", "describe gold.txt"),
        *("show r.json --table tmr", "show r.json --table exact", "show r.json --table types"),
    ],
)
def test_every_first_screen_fits_a_terminal(command: str, corpora: Path, run: Run) -> None:
    done(run, f"evaluate gold.txt {systems('abcdefg')} --train train.txt -o r.json")
    fits(done(run, command))


@pytest.mark.usefixtures("screen")
def test_of_many_systems_the_best_are_compared_and_shown(corpora: Path, run: Run) -> None:
    gold = drawn(200, seed=1)
    for number in range(20):
        write(corpora / f"s{number:02}.txt", noisy(gold, 0.4 - 0.02 * number, number))
    files = " ".join(f"s{number:02}.txt" for number in range(20))
    shown = fits(done(run, f"evaluate gold.txt {files} --train train.txt"))
    assert re.match(r"20 systems on gold: .*\n.*\n.*\ns19 .*\ns18 ", shown)
    assert "group: of the best 10, a common letter means corrected p ≥ 0.05" in shown
    assert re.search(r"\n  1\d more systems: --all\n", shown)


@pytest.mark.usefixtures("screen")
def test_35_files_give_at_most_five_lines_of_notes(corpora: Path, run: Run) -> None:
    for number in range(35):
        text = (corpora / "a.txt").read_text().replace("B-PER", "I-PER", 1 + number)
        (corpora / f"run.{number:02}.txt").write_text(text)
    shown = fits(done(run, "evaluate gold.txt --train train.txt --system a='run.*.txt' -o r.json"))
    notes = shown[shown.index("\nnote: ") + 1 :].strip("\n").split("\n")
    assert 1 <= len(notes) <= 5
    assert any(re.search(r"repaired labels: [\d,]+ in 3\d files, first ", line) for line in notes)
    every = done(run, "show r.json --notes").out
    assert every.count("\nnote: ") >= 35 and "\nnote: run.34.txt:" in every


@pytest.mark.usefixtures("screen")
def test_a_screen_ends_even_with_very_many_types_and_long_names(corpora: Path, run: Run) -> None:
    gold = drawn(300, seed=5, types=[f"T{number:03}-of-a-long-name" for number in range(90)])
    write(corpora / "gold.txt", gold)
    write(corpora / f"{'system' * 12}.txt", gold)
    shown = fits(done(run, f"evaluate gold.txt gold.txt {'system' * 12}.txt"))
    assert re.search(r"\n  \d\d more types: --all\n", shown)
    assert "78 more types: --all" in fits(done(run, "evaluate gold.txt --system s=gold.txt"))


@pytest.mark.parametrize(
    "option", ["--all", "--facet tmr", "--match exact", "--metric f1", "--facet eLen --metric f1"]
)
def test_what_is_asked_for_is_shown_in_full(option: str, corpora: Path, run: Run) -> None:
    shown = done(run, f"evaluate gold.txt {systems('ab')} --train train.txt {option}").out
    assert shown.startswith("Exact match\n")
    assert "Weakest" not in shown and "Next: " not in shown


def test_all_shows_every_table(corpora: Path, run: Run) -> None:
    command = f"evaluate gold.txt {systems('ab')} --train train.txt -o r.json --quiet"
    shown = done(run, f"{command} --all").out
    for title in (
        *("Exact match", "F1 by type", "F1 with partial credit", "Tough mentions: recall"),
        *("Share of all wrong tokens", "by attribute"),
    ):
        assert title in shown
    assert done(run, "show r.json --all").out == shown
    assert done(run, command).out == done(run, "show r.json --quiet").out


def test_the_summary_holds_every_row_for_programs(corpora: Path, run: Run) -> None:
    text = done(run, f"evaluate gold.txt {systems('a')} --format csv").out
    everything = done(run, f"evaluate gold.txt {systems('a')} --format csv --all").out
    assert text == everything
    assert len(list(csv.DictReader(io.StringIO(text)))) > 50


@pytest.mark.usefixtures("screen")
def test_several_datasets_are_told_apart(corpora: Path, run: Run) -> None:
    write(corpora / "other.txt", drawn(200, seed=9))
    write(corpora / "wrong.txt", noisy(drawn(200, seed=9), 0.3, 7))
    (corpora / "e.toml").write_text(
        "[datasets.one]\ntest = 'gold.txt'\ntrain = 'train.txt'\n"
        "[datasets.two]\ntest = 'other.txt'\ntrain = 'train.txt'\n"
        "[systems]\ns = { one = 'a.txt', two = 'wrong.txt' }\nt = { one = 'b.txt' }\n"
    )
    shown = fits(done(run, "evaluate e.toml"))
    table, _, rest = shown.partition("\nWeakest groups of ")
    assert "system" in table and "mean" in table and "–" in table
    heading, _, *body = rest.split("\n\n")[0].split("\n")[1:]
    assert heading.split()[:2] == ["dataset", "group"]
    assert {line.split()[0] for line in body if not line.startswith(" ")} <= {"one", "two"}


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("option", ["-h", "--help"])
def test_every_command_explains_itself(command: str, option: str, run: Run) -> None:
    outcome = run(command, option)
    assert outcome.code == 0
    assert f"Usage: nerscope {command}" in outcome.out


def test_the_list_of_commands_is_whole(run: Run) -> None:
    outcome = run("-h")
    assert outcome.code == 0
    for command in COMMANDS:
        assert f"\n  {command} " in outcome.out


@pytest.mark.slow(quick=1)
@pytest.mark.parametrize(
    ("words", "wanted"),
    [
        ("nerscope eval", "evaluate"),
        ("nerscope ex", "explain"),
        ("nerscope evaluate --no-t", "--no-text"),
        ("nerscope show --cap", "--caption"),
    ],
)
@pytest.mark.parametrize("shell", ["bash"])
def test_a_shell_completes_commands_and_options(words: str, wanted: str, shell: str) -> None:
    environment = {
        **os.environ,
        "_NERSCOPE_COMPLETE": f"complete_{shell}",
        "COMP_WORDS": words,
        "COMP_CWORD": str(len(words.split()) - 1),
    }
    code = "from nerscope.cli.main import main; main()"
    found = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=False
    )
    assert wanted in found.stdout.split(), found.stderr


def test_a_shell_gets_its_script() -> None:
    environment = {**os.environ, "_NERSCOPE_COMPLETE": "source_bash"}
    code = "from nerscope.cli.main import main; main()"
    found = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=False
    )
    assert "_NERSCOPE_COMPLETE=complete_bash" in found.stdout


ODD = GOLD.replace("Bob B-PER", "Bob I-PER")
EVALUATE = "evaluate gold.txt --system odd=odd.txt --system good=good.txt"


@pytest.mark.parametrize("form", ["text", "markdown", "latex", "csv", "json", "conlleval"])
def test_quiet_means_no_note(form: str, data: Path, run: Run) -> None:
    (data / "odd.txt").write_text(ODD)
    loud = done(run, f"{EVALUATE} --format {form}")
    quiet = done(run, f"{EVALUATE} --format {form} --quiet")
    assert "note: " in loud.out + loud.err
    assert "note: " not in quiet.out and quiet.err == ""
    assert "Next: " not in quiet.out
    assert quiet.out != ""
    assert set(quiet.out.split("\n")) <= set(loud.out.split("\n"))


@pytest.mark.parametrize(
    ("command", "wanted"),
    [
        ("show r.json", "2 systems on toy: exact match"),
        ("show r.json --table types", "F1 by type"),
        ("compare r.json --samples 10", "good"),
        ("errors r.json", "  Paris is in France"),
        ("evaluate e.toml -o e.json", "2 systems on toy: exact match"),
    ],
)
def test_quiet_keeps_what_was_asked_for(command: str, wanted: str, data: Path, run: Run) -> None:
    (data / "odd.txt").write_text(ODD)
    done(run, f"{EVALUATE} -o r.json --dataset toy")
    (data / "e.toml").write_text(
        "[settings]\nsamples = 10\n[datasets.toy]\ntest = 'gold.txt'\n"
        "[systems]\ngood = 'good.txt'\nodd = 'odd.txt'\n[compare]\n"
    )
    outcome = done(run, f"{command} -q")
    assert outcome.err == ""
    assert "note: " not in outcome.out
    assert wanted in outcome.out


@pytest.fixture(scope="module")
def everything() -> Results:
    gold = drawn(60, seed=1)
    return nerscope.evaluate(gold, {"s": noisy(gold, 0.2, 3)}, train=drawn(60, seed=2))


@pytest.mark.parametrize("field", ["facet", "level", "metric", "match"])
def test_every_word_of_a_table_is_explained(field: str, everything: Results) -> None:
    found: dict[str, None] = {}
    for row in everything.rows:
        fields: dict[str, str] = row  # type: ignore[assignment]
        found[fields[field]] = None
    unknown = [name for name in found if name not in ("all", "in", "out") and not known(name)]
    assert unknown == []


def known(term: str) -> bool:
    try:
        return bool(explain(term))
    except nerscope.NerscopeError:
        return False


def test_every_standard_facet_is_explained() -> None:
    assert [name for name in FACETS if not known(name)] == []


@pytest.mark.parametrize(
    ("term", "name"),
    [("TCM", "tcm"), ("tcm-seen", "tcm-seen"), ("econ", "eCon"), ("XS", "bucket"), ("ζ", "zeta")],
)
def test_words_are_found_however_they_are_written(term: str, name: str, run: Run) -> None:
    outcome = run("explain", term)
    assert (outcome.code, outcome.out) == (0, f"{name}: {all_terms()[name]}\n")


def test_without_a_word_all_are_explained(run: Run) -> None:
    lines = run("explain").out.split("\n")[:-1]
    assert [line.partition(": ")[0] for line in lines] == list(all_terms())
    several = run("explain", "ter", "tmr").out.split("\n")
    assert [line.partition(": ")[0] for line in several] == ["ter", "tmr", ""]


@pytest.mark.parametrize(
    ("term", "meant"), [("tcmm", "tcm"), ("recal", "recall"), ("eLem", "eLen")]
)
def test_an_unknown_word_gets_a_suggestion(term: str, meant: str, run: Run) -> None:
    outcome = run("explain", term)
    assert (outcome.code, outcome.out) == (2, "")
    assert f"'{term}': no explanation is known" in outcome.err
    assert f"did you mean '{meant}'" in outcome.err
