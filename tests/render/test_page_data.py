"""The data of a page for many kinds of results: of the right types, and equal to naive counts."""

import json
import re
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.render.page_cases import CASES, FOLDED, case, kept, naive_sums, of_answers, several_runs
from tests.render.page_types import faults
from tests.scoring.toys import corpus, drawn, noisy

import nerscope
from nerscope.render.page.columns import records_of
from nerscope.render.page.data import page_data
from nerscope.render.page.schema import PageData
from nerscope.results.diagnose import diagnose, untested_views
from nerscope.results.errors import is_error, mention_records
from nerscope.results.results import Results
from nerscope.results.token_mistakes import token_mistakes

ROOT = Path(__file__).resolve().parents[2]
WRONG_KINDS = {"biggest gap", "where the best loses", "top confusion", "gain if solved"}
_PAGES: dict[str, Any] = {}


def page(name: str) -> Any:
    """The data of a page of this kind; made once."""
    if name not in _PAGES:
        _PAGES[name] = page_data(FOLDED[name]() if name in FOLDED else case(name))
    return _PAGES[name]


@pytest.mark.parametrize("name", [*CASES, *FOLDED])
def test_data_have_the_types_of_the_schema(name: str) -> None:
    assert faults(page(name), PageData) == []
    assert json.loads(json.dumps(page(name), allow_nan=False)) == page(name)


@pytest.mark.parametrize("name", [*CASES, *FOLDED])
def test_sums_of_errors_are_naive_counts(name: str) -> None:
    keys = ("dataset", "system", "run", "gold", "predicted", "outcome")
    counted = {
        tuple(row[key] for key in keys): row["n"] for row in records_of(page(name)["errors"])
    }
    assert counted == naive_sums(kept(name))


def listed(data: Any) -> Counter[Any]:
    """The errors and correct mentions that the spans on a page show, run by run."""
    found: Counter[Any] = Counter()
    for dataset in data["datasets"]:
        sentences, types = dataset["sentences"], dataset["types"]
        spans = sentences["spans"]
        for run, outcomes, mates in zip(
            dataset["runs"], sentences["outcomes"], sentences["mates"], strict=True
        ):
            mate_of = dict(mates)
            paired = set(mate_of.values())
            for at, code in enumerate(outcomes):
                if code == ".":
                    continue
                outcome, kind = data["outcomes"][int(code)], types[spans["type"][at]]
                if spans["gold"][at]:
                    is_right = outcome == "correct"
                    mate = at if is_right else mate_of.get(at)
                    other = None if mate is None else types[spans["type"][mate]]
                    found[(dataset["name"], *run, kind, other, outcome)] += 1
                elif at not in paired:
                    found[(dataset["name"], *run, None, kind, outcome)] += 1
    return found


@pytest.mark.parametrize("name", [*CASES, *FOLDED])
def test_the_spans_on_a_page_are_its_sums(name: str) -> None:
    assert listed(page(name)) == naive_sums(kept(name))


@pytest.mark.parametrize("name", [*CASES, *FOLDED])
def test_kinds_of_gains_are_the_errors_of_the_list(name: str) -> None:
    outcomes_of = {kind["name"]: kind["outcomes"] for kind in page(name)["kinds"]}
    rows = [row for row in mention_records(kept(name)) if is_error(row)]
    for gain in page(name)["gains"]:
        of_system = [(r.dataset, r.system) == (gain["dataset"], gain["system"]) for r in rows]
        own = [row for row, mine in zip(rows, of_system, strict=True) if mine]
        n = sum(row.outcome in outcomes_of[gain["kind"]] for row in own)
        assert gain["errors"] == pytest.approx(n / runs_of(name, gain), abs=1e-6)


def runs_of(name: str, row: Any) -> int:
    [evidence] = [part for part in kept(name).evidence if part.dataset == row["dataset"]]
    return len(evidence.runs_of(row["system"]))


def test_hallucinated_mentions_are_spans_with_a_text_once_for_all_runs() -> None:
    [dataset] = page("answers")["datasets"]
    sentences, spans = dataset["sentences"], dataset["sentences"]["spans"]
    made_up = [at for at, length in enumerate(spans["length"]) if not length]
    assert {spans["text"][str(at)] for at in made_up} == {"Zaphod", "Eve"}
    identities = [
        (spans["sentence"][at], spans["type"][at], spans["text"][str(at)]) for at in made_up
    ]
    assert len(set(identities)) == len(identities)
    code = str(page("answers")["outcomes"].index("hallucinated"))
    counts = [row.count(code) for row in sentences["outcomes"]]
    rows = [row for row in mention_records(case("answers")) if row.outcome == "hallucinated"]
    expected = Counter((row.system, row.run) for row in rows)
    assert counts == [expected[system, run] for system, run in dataset["runs"]]
    assert any(row[at] == code for at in made_up for row in [sentences["outcomes"][1]])


def test_unknown_texts_are_never_taken_for_each_other() -> None:
    [dataset] = page("answers without texts")["datasets"]
    sentences = dataset["sentences"]
    code = str(page("answers")["outcomes"].index("hallucinated"))
    spans = sentences["spans"]["length"].count(0)
    assert spans == sum(row.count(code) for row in sentences["outcomes"])
    assert sentences["spans"]["text"] == {}


def test_wrong_tokens_are_those_of_the_list_of_errors() -> None:
    results = case("several runs")
    rows, _ = token_mistakes(results)
    expected = {
        (row.system, row.run, int(row.place.rpartition(":")[2]), row.position) for row in rows
    }
    [dataset] = page("several runs")["datasets"]
    [tokens] = [one for one in dataset["sentences"]["tokens"] if one["unit"] == "token"]
    numbers = dataset["sentences"]["number"]
    found = {
        (*run, numbers[sentence], position)
        for run, wrong in zip(dataset["runs"], tokens["wrong"], strict=True)
        for sentence, position, digit in zip(
            tokens["sentence"], tokens["position"], wrong, strict=True
        )
        if digit == "1"
    }
    assert found == expected


def test_wrong_tokens_inside_mentions_have_their_places() -> None:
    gold = corpus("in New/B-LOC York/I-LOC with Ada/B-PER", "Oslo/B-LOC is here")
    output = corpus("in New/B-LOC York with Ada/B-LOC", "Oslo/B-LOC is here")
    results = nerscope.evaluate(gold, {"x": output}, train=gold)
    [dataset] = page_data(results)["datasets"]
    [tokens] = [one for one in dataset["sentences"]["tokens"] if one["unit"] == "inside"]
    assert list(zip(tokens["sentence"], tokens["position"], strict=True)) == [(0, 2), (0, 4)]


@pytest.mark.parametrize("name", CASES)
def test_small_data_are_complete(name: str) -> None:
    for dataset, evidence in zip(page(name)["datasets"], case(name).evidence, strict=True):
        sentences = dataset["sentences"]
        assert sentences["number"] == list(range(1, len(evidence.documents) + 1))
        assert not sentences["sampled"]
        assert sentences["wrong"] == sentences["wrongKept"]
        assert dataset["mentions"] == len(evidence.mentions.gold)
        assert (sentences["text"] is None) == ("texts" in name)


def test_sentences_of_records_have_names_documents_and_their_blanks() -> None:
    [dataset] = page("records")["datasets"]
    sentences = dataset["sentences"]
    assert sentences["line"] is not None
    assert sentences["text"] == ["Ada ( London ) wrote .", "He left Oslo .", "She stayed ."]
    assert sentences["glued"] == [[2, 3, 5], [3], [2]]
    assert sentences["document"] == [0, 1, 1]
    assert dataset["file"] == "gold.jsonl"


def test_blanks_of_columns_are_unknown() -> None:
    [dataset] = page("three columns")["datasets"]
    assert dataset["sentences"]["glued"] is None
    assert dataset["sentences"]["place"] is None
    assert dataset["sentences"]["line"][:2] == [1, 1 + sentence_lines(dataset, 0)]


def sentence_lines(dataset: Any, at: int) -> int:
    """The lines of a sentence of a column file, with the blank one behind it."""
    return len(dataset["sentences"]["text"][at].split(" ")) + 1


def test_a_folded_page_counts_all_and_lists_a_sample() -> None:
    [folded], [kept] = page("folded")["datasets"], page("several runs")["datasets"]
    assert folded["folded"] and not kept["folded"]
    for key in ("mentions", "documents", "types", "runs", "tokens"):
        assert folded[key] == kept[key]
    for key in ("total", "number", "line", "text", "spans", "outcomes", "tokens"):
        assert folded["sentences"][key] == kept["sentences"][key]
    for key in ("forgiven", "gains"):
        assert page("folded")[key] == page("several runs")[key]


def test_a_sample_of_a_folded_page_has_the_numbers_of_its_sentences(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("nerscope.scoring.error_sample.SAMPLE_SIZE", 10)
    data: Any = page_data(several_runs(fold=True))
    sentences = data["datasets"][0]["sentences"]
    every = page("several runs")["datasets"][0]["sentences"]
    assert len(sentences["number"]) == sentences["wrongKept"] == 10 < sentences["wrong"]
    assert sentences["sampled"] and sentences["total"] == 60
    texts = [every["text"][number - 1] for number in sentences["number"]]
    assert sentences["text"] == texts
    counted = sum(row["n"] for row in records_of(data["errors"]))
    assert counted == sum(naive_sums(case("several runs")).values())


def test_results_of_sums_without_errors_say_so() -> None:
    results = several_runs(fold=True)
    evidence = [replace(part, errors=None) for part in results.evidence]
    data: Any = page_data(Results(evidence, results.losses))
    assert faults(data, PageData) == []
    assert (records_of(data["errors"]), data["gains"]) == ([], [])
    assert data["datasets"][0]["sentences"]["number"] == []
    [folded] = [one["text"] for one in data["caveats"] if one["rule"] == "folded"]
    assert folded == "toy: 60 sentences are kept as sums, without their errors."


def test_scores_of_runs_are_those_of_the_results() -> None:
    results = case("several runs")
    rows = records_of(page("several runs")["runScores"])
    assert [(row["system"], row["run"]) for row in rows] == list(results.evidence[0].runs)
    for row in rows:
        for metric in ("precision", "recall", "f1"):
            value = results.value(system=row["system"], run=row["run"], metric=metric)
            assert row[metric] == pytest.approx(value, abs=1e-6)


def test_a_number_of_no_units_is_undefined() -> None:
    gold = corpus(*["Ada/B-PER met Bob/B-PER", "She left Oslo/B-LOC"] * 10)
    output = corpus(*["Ada/B-PER met Bob/B-NEW", "She left Oslo/B-LOC"] * 10)
    data: Any = page_data(nerscope.evaluate(gold, {"x": output, "y": gold}))
    rows = [
        row
        for row in records_of(data["rows"])
        if not row["n"] and data["metrics"][row["metric"]]["fraction"]
    ]
    assert any(row["type"] == "NEW" and row["metric"] == "f1" for row in rows)
    for row in [*rows, *(row for row in records_of(data["comparison"]["rows"]) if not row["n"])]:
        numbers = [row.get(key) for key in ("value", "difference", "low", "high")]
        assert numbers == [None] * 4


# What a reader should know


@pytest.mark.parametrize("name", [*CASES, *FOLDED])
def test_findings_are_short_and_lead_somewhere(name: str) -> None:
    data = page(name)
    findings = data["findings"]
    datasets = [dataset["name"] for dataset in data["datasets"]]
    scopes = [None, *(datasets if len(datasets) > 1 else [])]
    assert {finding["scope"] for finding in findings} <= set(scopes)
    for scope in scopes:
        rules = [finding["rule"] for finding in findings if finding["scope"] == scope]
        assert len(rules) == len(set(rules)) <= 5
    for finding in findings:
        assert finding["scope"] in (None, finding["dataset"])
        assert len(finding["text"].split()) <= 20
        assert re.search(r"\d", finding["text"])
        assert finding["n"] is not None and finding["link"]["section"] == "errors"
        assert finding["link"]["chosen"]["d"] == finding["dataset"]


def findings_of(results: Results) -> dict[str, Any]:
    return {finding["rule"]: finding for finding in page_data(results)["findings"]}


def test_findings_name_what_a_reader_would_count() -> None:
    gold = corpus(*["Rome/B-LOC and Acme/B-ORG met Ada/B-PER"] * 40)
    good = corpus(
        *["Rome/B-LOC and Acme/B-LOC met Ada/B-PER"] * 20,
        *["Rome/B-LOC and Acme/B-ORG met Ada/B-PER"] * 20,
    )
    poor = corpus(*["Rome and Acme/B-ORG met Ada"] * 40)
    found = findings_of(nerscope.evaluate(gold, {"good": good, "poor": poor}, dataset="d"))
    assert found["top confusion"]["text"] == "good predicts 20 of 40 ORG mentions as LOC."
    assert found["top confusion"]["link"]["chosen"] == {
        "d": "d",
        "system": "good",
        "pair": '["ORG", "LOC"]',
    }
    assert (
        found["gain if solved"]["text"]
        == "Wrong type: +16.7 F1 if every such error of good were corrected."
    )
    assert found["gain if solved"]["n"] == 20
    assert found["biggest gap"]["text"].startswith(
        "good is weakest on type ORG: F1 66.7, 16.7 points"
    )
    assert found["where the best loses"]["text"].startswith("poor ")
    assert found["where the best loses"]["link"]["chosen"]["change"] == "fixed"


@pytest.mark.parametrize("name", ["demo", "several runs", "nested"])
def test_the_biggest_gap_is_the_weakest_group_of_mentions(name: str) -> None:
    [evidence] = case(name).evidence
    facets = {table.facet for table in evidence.tables if table.unit == "mention"} - {"all"}
    found = [finding for finding in page(name)["findings"] if finding["rule"] == "biggest gap"]
    best = max(page(name)["systems"], key=lambda name_: mean_f1(name, name_))
    spots = [spot for spot in case(name).weakest(best, 20) if spot.facet in facets | {"type"}]
    assert len(found) == bool(spots)
    for finding in found:
        spot = max(spots, key=lambda spot: spot.shortfall_low)
        of_type, of_level = {"type": spot.level}, {"level": f"{spot.facet}={spot.level}"}
        group = of_type if spot.facet == "type" else of_level
        assert group.items() <= finding["link"]["chosen"].items()
        assert f"{100 * spot.value:.1f}, {100 * spot.shortfall:.1f} points" in finding["text"]
        assert finding["n"] == spot.n


def mean_f1(name: str, system: str) -> float:
    return case(name).value(system=system, metric="f1") or 0.0


def test_all_systems_wrong_counts_gold_mentions() -> None:
    gold = corpus("Ada/B-PER met Bob/B-PER", "Eve/B-PER left Oslo/B-LOC")
    first = corpus("Ada/B-PER met Bob", "Eve left Oslo/B-ORG")
    second = corpus("Ada met Bob", "Eve/B-PER left Oslo/B-PER")
    finding = findings_of(nerscope.evaluate(gold, {"x": first, "y": second}))["all wrong"]
    assert finding["text"] == "2 of 4 gold mentions (50.0 %) are wrong in every system."
    assert (finding["n"], finding["system"]) == (4, None)
    assert finding["link"]["chosen"]["pattern"] == "all"


def test_rules_that_do_not_apply_give_nothing() -> None:
    gold = corpus("Ada/B-PER met Bob/B-PER")
    assert page_data(nerscope.evaluate(gold, {"x": gold}))["findings"] == []


def test_answers_are_counted_run_by_run() -> None:
    gold = corpus("Ada/B-PER met Bob/B-PER", "Eve/B-PER left Oslo/B-LOC", "It rains")
    said = nerscope.answers(
        [
            '[{"text": "Ada", "type": "PER"}, {"text": "Zoe", "type": "PER"}]',
            '[{"text": "Eve", "type": "GOD"}, {"text": "Eve", "type": "GOD"}, {"te',
            "Sorry!",
        ]
    )
    results = nerscope.evaluate(gold, {"llm": said, "crf": gold}, dataset="d")
    data = page_data(Results.from_json(results.to_json()))
    [answers] = data["datasets"][0]["answers"]
    f1 = 2 / 7
    assert answers == {
        "system": "llm",
        "run": "1",
        "answers": 3,
        "unreadable": 1,
        "cutOff": 1,
        "malformed": 0,
        "repeated": 1,
        "foreignTypes": 1,
        "hallucinated": 1,
        "predicted": 3,
        "topHallucinated": [["Zoe", 1]],
        "f1": pytest.approx(f1, abs=1e-6),
        "f1Without": pytest.approx(2 / 6, abs=1e-6),
    }
    caveats = {caveat["rule"]: caveat["text"] for caveat in data["caveats"]}
    assert (
        caveats["unreadable answers"] == "llm: 2 of 3 answers (66.7 %) are unreadable or cut off."
    )
    assert caveats["hallucinated mentions"] == (
        "llm: 1 of 3 predicted mentions (33.3 %) is not in the text (hallucinated)."
    )


def test_answers_without_texts_have_counts_alone() -> None:
    with_texts, without = of_answers(), of_answers(texts=False)
    both = [page_data(results)["datasets"][0]["answers"] for results in (with_texts, without)]
    for first, second in zip(*both, strict=True):
        assert first["topHallucinated"] and second["topHallucinated"] == []
        assert {**first, "topHallucinated": []} == second


def test_folded_answers_have_the_same_counts() -> None:
    kept, folded = (page_data(of_answers(fold=fold)) for fold in (False, True))
    assert kept["datasets"][0]["answers"] == folded["datasets"][0]["answers"]


def test_caveats_name_what_limits_the_numbers() -> None:
    gold = drawn(40, 1)
    noise = noisy(gold, 0.2, 2)
    results = nerscope.evaluate(gold, {"x": noise, "y": noise}, dataset="toy")
    caveats = {caveat["rule"]: caveat["text"] for caveat in page_data(results)["caveats"]}
    assert caveats["identical outputs"].startswith("1 output identical to another: toy: run 1 of y")
    assert caveats["one run"].startswith("One run each")
    share = re.search(r"([\d.]+) %\.$", caveats["repairs"])
    assert share is not None and float(share[1]) > 1
    [folded] = [one for one in page("folded")["caveats"] if one["rule"] == "folded"]
    assert "60 sentences" in folded["text"]


def test_notes_have_a_severity_and_a_file_without_folders(tmp_path: Path) -> None:
    for name, labels in (("gold.conll", ["B-PER", "O"]), ("x.conll", ["I-PER", "B-NEW"])):
        lines = [f"w{at} {label}" for at, label in enumerate(labels * 10)]
        (tmp_path / name).write_text("\n".join(lines) + "\n", encoding="utf-8")
    results = nerscope.evaluate(tmp_path / "gold.conll", {"x": tmp_path / "x.conll"})
    data: Any = page_data(results, file=str(tmp_path / "my results.json"))
    assert str(tmp_path) not in json.dumps(data)
    files = {note["file"] for note in data["notes"]}
    assert "x.conll" in files
    severities = [note["severity"] for note in data["notes"]]
    assert severities == sorted(severities, reverse=True)
    assert {"warning"} <= set(severities)
    assert data["datasets"][0]["file"] == "gold.conll"
    assert "nerscope show 'my results.json' --all" in data["commands"]


@pytest.mark.parametrize("name", [*CASES, *FOLDED])
def test_commands_exist_and_fit_the_results(name: str) -> None:
    commands = [command.split()[1] for command in page(name)["commands"]]
    folder = ROOT / "src" / "nerscope" / "cli" / "commands"
    assert set(commands) <= {path.stem for path in folder.glob("*.py")}
    several = any(len(dataset["runs"]) > 1 for dataset in page(name)["datasets"])
    assert ("compare" in commands) == (several and len(page(name)["systems"]) > 1)
    assert ("errors" in commands) == (name != "folded")
    assert ("diagnose" in commands) == (page(name)["diagnosis"] is not None)


def test_settings_are_the_signature() -> None:
    for name in ("several runs", "several datasets"):
        signatures = [part.signature.parts() for part in case(name).evidence]
        for setting in page(name)["settings"]:
            known = [parts[setting["name"]] for parts in signatures if setting["name"] in parts]
            if setting["name"] != "resample":  # intervals are added for the page
                assert setting["value"] in known
            assert setting["about"]
        shared = [one for one in page(name)["settings"] if one["dataset"] is None]
        assert len({one["name"] for one in shared}) == len(shared)


def test_citations_are_those_of_the_docs() -> None:
    docs = " ".join((ROOT / "docs" / "citing.md").read_text(encoding="utf-8").split())
    docs = docs.replace("{", "").replace("}", "")
    references = page("several runs")["citations"]
    assert len(references) == 5
    for reference in references[1:]:
        parts = reference.split(". ")
        assert any(part in docs for part in parts if len(part) > 30)
    assert len(page("one system")["citations"]) < 5


def test_views_without_tests_are_those_of_diagnose() -> None:
    results = several_runs()
    tested, plain = diagnose(results).as_dict(), untested_views(results).as_dict()
    for name, rows in plain.items():
        for row, other in zip(rows, tested[name] if name != "notes" else [], strict=True):
            for key, value in row.items():
                assert value in (other[key], None, False, 0)
    shown = page("several runs")["diagnosis"]
    assert [row["best"] for row in shown["self-diagnosis"]] == [
        row["best"] for row in tested["self-diagnosis"]
    ]
    assert "p" not in shown["self-diagnosis"][0]
