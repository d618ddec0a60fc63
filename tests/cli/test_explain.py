"""`nerscope explain` on an input: what is shown, in every format, and what is refused."""

import csv
import io
import json
from pathlib import Path
from typing import Any

import pytest
from tests.cli.conftest import GOLD, Run
from tests.scoring.toys import drawn, noisy

import nerscope
from nerscope.compat.peers import PEERS
from nerscope.errors import UsageError
from nerscope.render.changes import changes_document
from nerscope.render.comparison import comparison_document
from nerscope.render.contrasts import contrast_document
from nerscope.render.description import description_document
from nerscope.render.diagnosis import diagnosis_document
from nerscope.render.document import Document
from nerscope.render.first_screen import first_screen
from nerscope.render.power import power_document
from nerscope.render.ranking import ranking_document
from nerscope.render.tables import results_document
from nerscope.results.explanations import all_terms, explain
from nerscope.results.results import Results

STRAY = GOLD.replace("Bob B-PER", "Bob I-PER").replace("Lovelace I-PER", "Lovelace O")
SYSTEM = ("--system", "bert=bert.txt")


@pytest.fixture
def stray(data: Path) -> Path:
    """The folder with an output in which one I is stray and one mention too short."""
    (data / "bert.txt").write_text(STRAY, encoding="utf-8")
    return data


def test_the_page_shows_every_tool_and_where_they_part(stray: Path, run: Run) -> None:
    outcome = run("explain", "gold.txt", *SYSTEM)
    assert (outcome.code, outcome.err) == (0, "")
    lines = [line.rstrip() for line in outcome.out.split("\n")]
    assert lines[0] == (
        "bert, labels read as bio: 6 tools in 7 modes: F1 83.33; "
        "seqeval strict, SeqScore discard: F1 72.73; SeqScore none: no number"
    )
    for name in map(str.split, PEERS):
        assert any(line.split()[: len(name)] == name for line in lines), name
    assert "  SeqScore none: refuses I-PER after O (bert.txt:6)" in lines
    begin = lines.index("Labels that tools read differently: 1 place")
    assert lines[begin + 1 : begin + 6] == [
        "bert.txt:6 (bert): I-PER after O: no mention is open",
        "    met/O Bob/I-PER",
        "    PER “Bob”  the others",
        "    nothing    seqeval strict, SeqScore discard",
        "    refused    SeqScore none",
    ]


def test_pairs_are_counted_and_listed_where_all_is_asked_for(stray: Path, run: Run) -> None:
    short, full = (run("explain", "gold.txt", *SYSTEM, *more).out for more in ([], ["--all"]))
    (row,) = [line for line in short.split("\n") if "same type, other span" in line]
    assert row.split()[4:] == ["1", "gold.txt:3", "0", "0", "0.5", "1"]
    assert "Ada Lovelace" not in short
    assert "PER “Ada Lovelace”  PER “Ada”" in full


def test_a_file_of_three_columns_needs_no_system(stray: Path, run: Run) -> None:
    pairs = zip(GOLD.split("\n"), STRAY.split("\n"), strict=True)
    both = "\n".join(f"{one} {other.split()[-1]}" if one else "" for one, other in pairs)
    (stray / "both.txt").write_text(both, encoding="utf-8")
    alone, beside = (
        json.loads(run("explain", *given, "--format", "json").out)
        for given in (["both.txt"], ["gold.txt", *SYSTEM])
    )
    numbers = ("tool", "mode", "precision", "recall", "f1", "gold", "predicted", "right")
    assert [{key: row[key] for key in numbers} for row in alone["scores"]] == [
        {key: row[key] for key in numbers} for row in beside["scores"]
    ]
    assert {row["system"] for row in alone["scores"]} == {"both"}


def test_json_holds_everything(stray: Path, run: Run) -> None:
    content = json.loads(run("explain", "gold.txt", *SYSTEM, "--format", "json").out)
    assert set(content) == {"schemes", "scores", "disagreements", "pairs", "rules"}
    assert content["schemes"] == {"bert": "bio"}
    assert list(content["rules"]) == list(PEERS)
    assert [f"{row['tool']} {row['mode']}".strip() for row in content["scores"]] == list(PEERS)
    assert content["scores"][-1]["f1"] is None
    (one,) = content["disagreements"]
    assert one["views"][1] == {"mentions": [], "tools": ["seqeval strict", "SeqScore discard"]}
    assert content["pairs"][0]["kind"] == "same type, other span"


def test_csv_has_the_readings_by_tool(stray: Path, run: Run) -> None:
    printed = run("explain", "gold.txt", *SYSTEM, "--format", "csv").out
    tables = [list(csv.DictReader(io.StringIO(part))) for part in printed.split("\n\n")]
    assert [row["note"] for row in tables[0]][-1] == "refuses I-PER after O (bert.txt:6)"
    assert [row["read as"] for row in tables[1]] == ["PER “Bob”", "nothing", "refused"]
    assert tables[1][0]["by"].startswith("nerscope, conlleval, seqeval default")


@pytest.mark.parametrize("form", ["markdown", "latex"])
def test_papers_and_issues_get_tables(form: str, stray: Path, run: Run) -> None:
    outcome = run("explain", "gold.txt", *SYSTEM, "--format", form)
    assert outcome.code == 0
    assert "bert as scored by each tool" in outcome.out
    assert "Labels that tools read differently: 1 place" in outcome.out


def test_runs_and_systems_have_a_table_each(stray: Path, run: Run) -> None:
    outcome = run("explain", "gold.txt", *SYSTEM, *SYSTEM, "--system", "good=good.txt")
    titles = [line for line in outcome.out.split("\n") if line.endswith("as scored by each tool")]
    assert [title.partition(" as ")[0] for title in titles] == ["bert 1", "bert 2", "good"]


def test_tools_that_agree_are_said_to(stray: Path, run: Run) -> None:
    outcome = run("explain", "gold.txt", "--system", "good=good.txt")
    assert outcome.out.startswith("good, labels read as bio: 6 tools in 10 modes: F1 ")
    assert outcome.out.endswith("Labels that tools read differently: 0 places\n")


def test_the_rules_are_shown_where_all_is_asked_for(stray: Path, run: Run) -> None:
    short, full = (run("explain", "gold.txt", *SYSTEM, *more).out for more in ([], ["--all"]))
    for peer in PEERS.values():
        assert peer.rule in full
        assert peer.rule not in short


def test_an_output_for_another_file_is_refused(data: Path, run: Run) -> None:
    for name, word in (("long", "word"), ("other", "wort")):
        (data / f"{name}.txt").write_text(f"{word} B-X\n" * 30, encoding="utf-8")
    outcome = run("explain", "long.txt", "--system", "a=other.txt::tokens=any")
    assert outcome.code == 2
    assert "30 of 30 tokens differ from gold" in outcome.err


@pytest.mark.parametrize("form", ["markdown", "csv", "json"])
def test_words_too_are_told_in_every_format(form: str, run: Run) -> None:
    outcome = run("explain", "ter", "--format", form)
    assert outcome.code == 0
    assert all_terms()["ter"] in outcome.out


def test_a_word_may_be_a_file(stray: Path, run: Run) -> None:
    (stray / "ter").write_text(GOLD, encoding="utf-8")
    assert run("explain", "ter", "ter").out.startswith("ter: Token error rate")
    assert "no system is given" in run("explain", "ter").err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["gold.txt", "poor.txt", *SYSTEM], "explain: 2 gold files are given"),
        (["gold.txt", "poor.txt"], "explain: 2 gold files are given"),
        ([*SYSTEM], "explain: 0 gold files are given"),
        (["gold.txt"], "gold.txt: no system is given"),
        (["missing.txt"], "missing.txt: no such file"),
        (["missing.txt", *SYSTEM], "missing.txt: no such file"),
        (["gold.txt", "--system", "bert"], "bert: no such file"),
        (["gold.txt::scheme=token", "--system", "a=good.txt::scheme=token"], "do not encode"),
        (["gold.txt", *SYSTEM, "--format", "odd"], "odd"),
    ],
)
def test_what_cannot_be_explained_is_refused(
    arguments: list[str], message: str, stray: Path, run: Run
) -> None:
    outcome = run("explain", *arguments)
    assert (outcome.code, outcome.out) == (2, "")
    assert message in outcome.err


@pytest.mark.parametrize(
    ("term", "shown"),
    [
        ("randomisation", "randomisation: In each cluster"),
        ("conllu", "conllu: CoNLL-U"),
        ("tmr=seen", "tmr=seen: Mentions seen in training. Mentions"),
        ("hard=other", "hard=other: Other words. Tokens"),
        ("eLen=XL", "eLen=XL: A range of an attribute's values"),
        ("tmr", "tcm-all, tcm-seen, tcm-unseen."),
    ],
)
def test_tests_formats_and_levels_of_a_facet_are_explained(term: str, shown: str, run: Run) -> None:
    outcome = run("explain", term)
    assert outcome.code == 0
    assert shown in outcome.out


def test_a_level_that_a_facet_does_not_have_is_refused(run: Run) -> None:
    outcome = run("explain", "tmr=sen")
    assert outcome.code == 2
    assert "did you mean 'seen'" in outcome.err


@pytest.fixture(scope="module")
def printed() -> list[Document]:
    """What the commands show of two datasets, each with two systems, one of them with runs."""
    parts = []
    for seed, name in ((1, "d"), (5, "e")):
        gold = drawn(60, seed=seed)
        systems: Any = {"a": [noisy(gold, 0.1, k) for k in range(3)], "b": noisy(gold, 0.4, 9)}
        parts.append(nerscope.evaluate(gold, systems, train=drawn(60, seed=2), dataset=name))
    one, both = parts[0], Results([part.evidence[0] for part in parts])
    compared = nerscope.compare(one, "a", "b", samples=50)
    over = nerscope.compare(both, samples=50, rope=1, facets=["all", "tmr"])
    described = nerscope.describe(drawn(60, seed=2), test=drawn(60, seed=1)).as_dict()
    return [
        *(first_screen(one), first_screen(both), results_document(one), results_document(both)),
        *(comparison_document(compared, "", cells) for cells in (False, True)),
        *(comparison_document(over, "", cells) for cells in (False, True)),
        ranking_document(nerscope.compare(one, samples=50), ""),
        contrast_document(nerscope.contrast(one, "tmr=seen", "tmr=unseen-any"), "holm", ""),
        changes_document(one, "a", "b"),
        diagnosis_document(nerscope.diagnose(one, "a", "b"), {}, everything=True),
        power_document(nerscope.power(one), 1.0, 0.8, everything=True),
        *(description_document(described, everything=all) for all in (False, True)),
    ]


LINE_AGAINST = "differs significantly from … (p < …, not corrected)"
LINE_UNDECIDED = "the true drop may be below or above the allowed one"
LINE_POWER = "test set detects … with … % power"
LINE_UNTESTED = "not tested: … there to reach p < …"
NAMES = {"a", "b", "d", "e", "train", "test", "LOC", "ORG", "PER", "MISC", ""}


def is_explained(text: str) -> bool:
    try:
        return bool(explain(text))
    except UsageError:
        return False


def test_every_heading_is_explained(printed: list[Document]) -> None:
    tables = [table for document in printed for table in (*document.leading, *document.tables)]
    headings = {name for table in tables for name in table.header} - NAMES
    assert len(headings) > 60
    unknown = sorted(name for name in headings if not is_explained(name))
    assert not [name for name in unknown if not name.startswith(("test ", "random", "P("))]


def test_every_line_of_a_table_is_explained_by_its_words_and_its_code(
    printed: list[Document],
) -> None:
    """Groups, numbers and attributes, as they are printed and by their code alone."""
    cells = {
        (table.shown(cell), cell.code)
        for document in printed
        for table in document.tables
        for row in table.rows
        for cell in row[: table.labels]
        if cell.code not in ("", cell.text)
    }
    assert len(cells) > 80
    for words, code in cells:
        assert is_explained(words), words
        assert is_explained(code.removesuffix(" PER").removesuffix(" LOC")), code


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("hard-strict=diff-O", ["hard-strict=diff-O"]),
        ("mentions whose text is new", ["tmr=unseen-tokens"]),
        ("F1 by mention length: 3 tokens (eLen=L)", ["f1", "eLen=L"]),
        ("recall on type PER", ["recall", "type"]),
        ("Weakest groups of bert", ["weakest groups"]),
        ("note: repaired labels: 2,852 in 37 files, first x.txt:3", ["repaired labels"]),
        ("+1.95*", None),
        ("f0.5", ["f0.5"]),
        ("*", ["*"]),
        ("† differs significantly from bert (p < 0.05, not corrected)", [LINE_AGAINST]),
        ("* best system", ["best system"]),
        ("--max-drop", ["max_drop"]),
        ("UNDECIDED", ["undecided"]),
        ("26 of 47 documents differ", ["… of … documents differ"]),
        ("1 of 1,047 sentences differs.", ["… of … sentences differ"]),
        ("one-sided 95 % bounds -1.08 to 5.78", ["one-sided … % bounds … to …"]),
        ("the true drop may be below or above the allowed one", [LINE_UNDECIDED]),
        ("this test set detects 0.97 points with 80 % power", [LINE_POWER]),
        (
            "This test\n    set detects a true difference of 2.5 points with 80 % power",
            [LINE_POWER],
        ),
        ("too little differs there to reach p < 0.05", [LINE_UNTESTED]),
        ("Resampled: documents.", ["Resampled: …"]),
        ("Resampled for the p of a split: sentences.", ["Resampled for the p of a split: …"]),
        ("Mean over 5 splits", ["Mean over … splits"]),
        (
            "FAIL: d, b, F1: 80.00 against 85.00, worse by 5.00 points, n = 692; rule: max_drop 1",
            ["fail", "worse by … points", "rule: max_drop …"],
        ),
    ],
)
def test_what_is_printed_can_be_pasted(text: str, terms: list[str] | None) -> None:
    if terms is None:
        with pytest.raises(UsageError, match="no explanation is known"):
            explain(text)
    else:
        assert [explanation.term for explanation in explain(text)] == terms


@pytest.mark.parametrize(
    ("part", "terms"),
    [
        ("Answers without\n  readable JSON", ["answers without readable JSON: …"]),
        (
            "not allowed in bio",
            [
                "… is not allowed in … (… such places)",
                "… transitions not allowed in …, repaired as …: …",
            ],
        ),
        ("documents differ", ["… of … documents differ"]),
        ("hallucinated mentions", ["hallucinated mentions (not in the text): …"]),
    ],
)
def test_a_part_of_a_message_is_enough(part: str, terms: list[str]) -> None:
    assert [explanation.term for explanation in explain(part)] == terms


def test_many_messages_with_a_text_are_counted() -> None:
    *shown, rest = explain("invalid value")
    assert len(shown) == 5
    assert rest.meaning.endswith("more contain this text; give more words.")


@pytest.mark.parametrize("text", ["of the", "readable", "adable js", "weather is fine today"])
def test_a_part_has_two_whole_words(text: str) -> None:
    assert not is_explained(text)


@pytest.mark.parametrize(
    ("words", "terms"),
    [
        ("hallucinated mentions", ["hallucinated mentions (not in the text)"]),
        ("mean rank", ["mean rank"]),
        ("recall on type PER", ["recall", "type"]),
        ("./x.conll: no such file. Fix: check the path", ["no such file"]),
        ("tmr=seen recall", ["tmr=seen", "recall"]),
    ],
)
def test_words_without_quotes_are_one_text_if_it_is_known(
    words: str, terms: list[str], run: Run
) -> None:
    outcome = run("explain", *words.split())
    assert outcome.code == 0, outcome.err
    assert [line.partition(": ")[0] for line in outcome.out.splitlines()] == terms


@pytest.mark.parametrize("text", ["problem", "hello world"])
def test_only_similar_words_are_suggested(text: str) -> None:
    with pytest.raises(UsageError) as raised:
        explain(text)
    assert raised.value.fix == "nerscope explain (lists all terms)"


def test_long_mentions_and_large_counts_stay_readable(data: Path, run: Run) -> None:
    words = [f"Organisation{number}" for number in range(5)]
    for name, first in (("gold", "B"), ("odd", "I")):
        labels = [f"{word} {'I' if at else first}-ORG" for at, word in enumerate(words)]
        (data / f"{name}.txt").write_text("\n".join([*labels, "\n"]) * 1100, encoding="utf-8")
    printed = run("explain", "gold.txt", "--system", "odd=odd.txt").out
    assert f"    ORG “{' '.join(words)}”: the others\n    nothing: " in printed
    assert "  1,100  I-ORG after the sentence start" in printed
    table = run("explain", "gold.txt", "--system", "odd.txt", "--format", "csv").out
    assert ",1100,1100,1100," in table


def test_other_tokens_are_refused_with_what_to_do(data: Path, run: Run) -> None:
    record = {"text": "Ada met Bob", "spans": [[0, 2, "PER"]]}
    (data / "text.jsonl").write_text(json.dumps(record), encoding="utf-8")
    (data / "three.txt").write_text("Ada B-PER\nmet O\nBob B-PER\n", encoding="utf-8")
    outcome = run("explain", "three.txt", "--system", "a=text.jsonl::tokens=align")
    assert "a mention does not begin and end at token boundaries" in outcome.err
    assert "nerscope evaluate GOLD --system NAME=FILE scores other tokens" in outcome.err


def test_a_command_stays_as_it_is_typed() -> None:
    (explanation,) = explain("its folder does not exist")
    assert "What to do: mkdir -p FOLDER" in explanation.meaning


def test_messages_and_notes_are_explained(data: Path, run: Run) -> None:
    (data / "odd.txt").write_text((data / "gold.txt").read_text().replace("Bob B-PER", "Bob I-PER"))
    message = run("evaluate", "gold.txt", "--system", "a=missing.txt").err
    assert run("explain", message).out.startswith("no such file: ")
    note = run("evaluate", "gold.txt", "odd.txt").out.split("\n")[-2]
    assert note.startswith("note: odd.txt:6: 1 transition not allowed in bio")
    outcome = run("explain", note)
    assert (outcome.code, "What to do: " in outcome.out) == (0, True)
