"""The data of the page on which people decide, and the options that write it."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

import nerscope as ns
from nerscope.annotation.decisions import Decision, Span, write_decisions
from nerscope.render.page.decide_agreement import agreement_page
from nerscope.render.page.decide_audit import audit_page
from nerscope.render.page.decide_schema import DecideItem, DecidePage, DecideSpan

TEXTS = {
    1: "Ada Lovelace met Charles Babbage in London.",
    2: "London beat Leeds at home.",
    3: "The Bank of England is in London.",
}
ANN = {1: [[0, 12, "PER"], [36, 42, "LOC"]], 2: [[0, 6, "ORG"]], 3: [[4, 19, "ORG"]]}
BEN = {
    1: [[0, 12, "PER"], [17, 32, "PER"], [36, 42, "LOC"]],
    2: [[0, 6, "LOC"]],
    3: [[4, 19, "ORG"]],
}
EVE = {2: [[0, 6, "ORG"]], 3: [[4, 19, "ORG"]]}


def jsonl(path: Path, spans: dict[int, list[list[object]]]) -> Path:
    lines = [json.dumps({"id": at, "text": TEXTS[at], "spans": own}) for at, own in spans.items()]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


@pytest.fixture
def annotators(tmp_path: Path) -> dict[str, Path]:
    given = {"ann": ANN, "ben": BEN, "eve": EVE}
    return {name: jsonl(tmp_path / f"{name}.jsonl", spans) for name, spans in given.items()}


def nerscope(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "nerscope", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)


def conll(path: Path, sentences: list[list[str]]) -> Path:
    path.write_text("\n\n".join("\n".join(rows) for rows in sentences) + "\n", encoding="utf-8")
    return path


@pytest.fixture
def gold(tmp_path: Path) -> Path:
    """Bob is LOC by mistake in the third sentence and in the last one."""
    right, wrong = ["Bob B-PER", "left O"], ["Bob B-LOC", "left O"]
    return conll(tmp_path / "gold.conll", [right, right, wrong, right, wrong])


@pytest.fixture
def system(tmp_path: Path) -> Path:
    return conll(tmp_path / "bert.conll", [["Bob B-PER", "left O"]] * 5)


def spans_of(spans: list[DecideSpan]) -> list[tuple[int, int, str]]:
    return [(span["start"], span["end"], span["type"]) for span in spans]


def options_of(item: DecideItem) -> list[tuple[list[str], list[tuple[int, int, str]]]]:
    return [(option["names"], spans_of(option["spans"])) for option in item["options"]]


def test_annotators_that_agree_are_one_option(annotators: dict[str, Path]) -> None:
    page = agreement_page(ns.agree(annotators))
    first, second = page["items"]
    assert options_of(first) == [(["ann"], []), (["ben"], [(3, 5, "PER")])]
    assert options_of(second) == [(["ann", "eve"], [(0, 1, "ORG")]), (["ben"], [(0, 1, "LOC")])]
    assert [item["kind"] for item in page["items"]] == ["missing", "type"]
    assert page["types"] == ["ORG", "PER", "LOC"]


def test_gold_of_a_sentence_is_what_all_annotators_have(annotators: dict[str, Path]) -> None:
    page = agreement_page(ns.agree(annotators))
    assert [spans_of(sentence["gold"]) for sentence in page["sentences"]] == [
        [(0, 2, "PER"), (6, 7, "LOC")],
        [],
    ]
    assert [sentence["sentence"] for sentence in page["sentences"]] == [0, 1]
    assert page["sentences"][0]["tokens"][-2:] == ["London", "."]
    assert page["sentences"][0]["glued"] == [7]  # no blank before the full stop


def test_neighbours_belong_to_the_same_text(tmp_path: Path) -> None:
    ann = conll(tmp_path / "ann", [["-DOCSTART- O"], ["Ada B-PER"], ["Bob B-PER"], ["Eve O"]])
    ben = conll(tmp_path / "ben", [["-DOCSTART- O"], ["Ada B-PER"], ["Bob O"], ["Eve O"]])
    [sentence] = agreement_page(ns.agree({"ann": ann, "ben": ben}))["sentences"]
    assert (sentence["before"], sentence["after"]) == ("Ada", "Eve")
    records = {"ann": jsonl(tmp_path / "a.jsonl", ANN), "ben": jsonl(tmp_path / "b.jsonl", BEN)}
    for sentence in agreement_page(ns.agree(records))["sentences"]:
        assert (sentence["before"], sentence["after"]) == ("", "")


def test_pages_name_no_folders(annotators: dict[str, Path], gold: Path, system: Path) -> None:
    pages = [
        agreement_page(ns.agree(annotators)),
        audit_page(ns.audit(gold, {"bert": system})),
    ]
    for page in pages:
        assert str(gold.parent) not in json.dumps(page)
        assert {Path(sentence["file"]).name for sentence in page["sentences"]} == {
            sentence["file"] for sentence in page["sentences"]
        }


def test_files_of_one_name_keep_the_folders_in_which_they_differ(tmp_path: Path) -> None:
    files = {}
    for name, spans in (("ann", ANN), ("ben", BEN)):
        (tmp_path / name).mkdir()
        files[name] = jsonl(tmp_path / name / "gold.jsonl", spans)
    page = agreement_page(ns.agree(files))
    assert page["commands"] == [
        "nerscope agree ann/gold.jsonl ben/gold.jsonl --apply decisions.json -o gold.jsonl"
    ]


def test_commands_name_files_that_exist(
    annotators: dict[str, Path], gold: Path, system: Path
) -> None:
    in_memory = [(["Ada"], ["B-PER"])]
    assert agreement_page(ns.agree({"ann": gold, "bert": system}))["commands"] == [
        "nerscope agree gold.conll bert.conll --apply decisions.json -o gold.conll"
    ]
    assert agreement_page(ns.agree({"ann": in_memory, "ben": in_memory}))["commands"] == [
        'agreement.apply("decisions.json", "gold.conll")'
    ]
    assert audit_page(ns.audit(gold, {"bert": system}))["commands"] == [
        "nerscope audit gold.conll --apply decisions.json -o gold.corrected.conll"
    ]


def test_a_page_that_would_be_too_large_ends_with_a_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("nerscope.render.page.decide_agreement.MOST_ITEMS", 3)
    tokens = ["Ada", "met", "Bob"]
    ann, ben = [(tokens, ["B-PER", "O", "B-PER"])] * 2, [(tokens, ["B-LOC", "O", "B-LOC"])] * 2
    page = agreement_page(ns.agree({"ann": ann, "ben": ben}))
    assert (len(page["items"]), len(page["sentences"])) == (2, 1)
    assert page["notes"][-1] == "2 more disagreements are not on the page"


def test_pairs_have_intervals(annotators: dict[str, Path]) -> None:
    agreement = ns.agree(annotators)
    table = agreement_page(agreement)["tables"][0]
    assert [row[0] for row in table["rows"]] == ["ann – ben", "ann – eve", "ben – eve"]
    f1 = agreement.score("f1", "ann", "ben")
    assert f1 is not None and f1.value is not None
    assert table["rows"][0][2].startswith(f"{100 * f1.value:.2f}")


def test_a_loaded_agreement_has_the_same_places(
    annotators: dict[str, Path], tmp_path: Path
) -> None:
    agreement = ns.agree(annotators)
    agreement.save(tmp_path / "agreement.json")
    loaded = agreement_page(ns.Agreement.load(tmp_path / "agreement.json"))
    made = agreement_page(agreement)
    assert loaded["items"] == made["items"]
    assert [each["gold"] for each in loaded["sentences"]] == [
        each["gold"] for each in made["sentences"]
    ]


def test_decisions_in_the_words_of_the_page_are_applied(
    annotators: dict[str, Path], tmp_path: Path
) -> None:
    agreement = ns.agree(annotators)
    page = agreement_page(agreement)
    chosen = [page["items"][0]["options"][1], page["items"][1]["options"][1]]
    decisions = [
        decision_of(
            page, at, [*spans_of(page["sentences"][at]["gold"]), *spans_of(option["spans"])]
        )
        for at, option in enumerate(chosen)
    ]
    write_decisions(tmp_path / "decisions.json", decisions)
    summary = agreement.apply(tmp_path / "decisions.json", tmp_path / "made.jsonl")
    assert (summary.decided, summary.undecided) == (2, 0)
    ben = ns.agree({"made": tmp_path / "made.jsonl", "ben": annotators["ben"]})
    assert ben.disagreements == []


def decision_of(page: DecidePage, at: int, chosen: list[tuple[int, int, str]]) -> Decision:
    sentence = page["sentences"][at]
    gold = tuple(Span(*span) for span in spans_of(sentence["gold"]))
    text = " ".join(sentence["tokens"])
    spans = tuple(Span(*span) for span in chosen)
    return Decision(sentence["file"], sentence["sentence"], text, gold, spans)


def test_suspects_come_with_gold_proposal_and_reasons(gold: Path, system: Path) -> None:
    page = audit_page(ns.audit(gold, {"bert": system}))
    assert [item["sentence"] for item in page["items"]] == [0, 1]
    for item in page["items"]:
        assert options_of(item) == [(["gold"], [(0, 1, "LOC")]), (["proposal"], [(0, 1, "PER")])]
        assert item["current"] == item["options"][0]["spans"]
        assert item["score"]
        assert "bert says PER" in item["reasons"]
    assert {each["sentence"] for each in page["sentences"][:2]} == {2, 4}
    [group] = page["groups"]
    assert (group["gold"], group["proposed"], group["items"]) == ("Bob/LOC", "Bob/PER", [0, 1])
    assert [item["group"] for item in page["items"]] == [0, 0]


def test_the_sample_is_judged_in_random_order(gold: Path, system: Path) -> None:
    audit = ns.audit(gold, {"bert": system})
    page = audit_page(audit, sample=4)
    shown = [page["sentences"][at]["sentence"] for at in page["sample"]]
    assert sorted(shown) == [each.sentence for each in audit.sample(4)]
    assert audit_page(audit, sample=4)["sample"] == page["sample"]
    assert audit_page(audit, sample=0)["sample"] == []


def test_without_systems_there_is_no_score_to_correct(tmp_path: Path) -> None:
    gold = conll(tmp_path / "gold.conll", [["Bob B-PER", "left O"], ["Oslo B-LOC", "fell O"]] * 12)
    page = audit_page(ns.audit(gold, recipe="perceptron", folds=2))
    assert page["sample"] == []
    assert page["tables"] == []


def test_labels_allow_no_nested_mentions(
    gold: Path, system: Path, annotators: dict[str, Path]
) -> None:
    assert audit_page(ns.audit(gold, {"bert": system}))["nested"] is False
    assert audit_page(ns.audit(annotators["ann"], {"ben": annotators["ben"]}))["nested"] is True
    nested = [(["Bank", "of", "Ghana"], [(0, 3, "ORG"), (2, 3, "LOC")])]
    flat = [(["Bank", "of", "Ghana"], [(0, 3, "ORG")])]
    assert agreement_page(ns.agree({"ann": nested, "ben": flat}))["nested"] is True


def test_nothing_to_decide_is_a_page_too(gold: Path, tmp_path: Path) -> None:
    page = audit_page(ns.audit(gold, {"same": gold}))
    assert page["items"] == []
    ns.agree({"ann": gold, "ben": gold}).report(tmp_path / "page.html")
    assert "decide" in (tmp_path / "page.html").read_text(encoding="utf-8")


def test_without_texts_there_is_no_page(gold: Path, system: Path) -> None:
    for made in (
        ns.agree({"ann": gold, "bert": system}, texts=False),
        ns.audit(gold, {"bert": system}, texts=False),
    ):
        with pytest.raises(ns.UsageError, match="nothing can be decided without them"):
            made.report()


def test_a_notebook_shows_the_page(gold: Path, system: Path) -> None:
    for made in (ns.agree({"ann": gold, "bert": system}), ns.audit(gold, {"bert": system})):
        page = made.report()
        assert page is not None
        assert page._repr_html_().startswith("<iframe")


@pytest.mark.parametrize("command", ["agree", "audit"])
def test_both_commands_write_the_page(
    command: str, gold: Path, system: Path, tmp_path: Path
) -> None:
    target = tmp_path / "page.html"
    given = [gold, system] if command == "agree" else [gold, "--system", f"bert={system}"]
    finished = nerscope(command, *map(str, given), "--report", str(target))
    assert finished.returncode == 0
    assert finished.stdout
    assert '"kind":"' + ("agreement" if command == "agree" else "audit") in target.read_text(
        "utf-8"
    )


@pytest.mark.parametrize("command", ["agree", "audit"])
def test_options_that_exclude_a_page_are_refused(
    command: str, gold: Path, system: Path, tmp_path: Path
) -> None:
    target, out = str(tmp_path / "page.html"), str(tmp_path / "out.conll")
    given = [gold, system] if command == "agree" else [gold, "--system", f"bert={system}"]
    for more in (["--no-text"], ["--apply", "decisions.json", "-o", out]):
        finished = nerscope(command, *map(str, given), "--report", target, *more)
        assert finished.returncode == 2
        assert "--report: " in finished.stderr
        assert "Fix: " in finished.stderr
    assert not Path(target).exists()


def test_report_reads_a_saved_agreement(gold: Path, system: Path, tmp_path: Path) -> None:
    saved = str(tmp_path / "agreement.json")
    ns.agree({"ann": gold, "bert": system}).save(saved)
    assert nerscope("report", saved).returncode == 0
    assert '"kind":"agreement"' in (tmp_path / "agreement.html").read_text("utf-8")
    refused = nerscope("report", saved, "--judgements", str(gold))
    assert refused.returncode == 2
    assert "leave out --judgements" in refused.stderr
