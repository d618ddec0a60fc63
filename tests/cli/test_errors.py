"""`nerscope errors`: choosing mistakes, and reading them on a terminal."""

import json
import re
import shlex
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.cli.conftest import Outcome, Run
from tests.scoring.toys import corpus, drawn, noisy, write

import nerscope
from nerscope.render.document import OUTPUTS
from nerscope.render.mentions import error_lines, errors_document
from nerscope.results.errors import MentionRow
from nerscope.results.mistakes import KINDS, mistakes

TRAIN = corpus("Ada/B-PER met Bob/B-PER", "in Rome/B-LOC")
GOLD = corpus(
    "Ada/B-PER met Bob/B-PER in New/B-LOC York/I-LOC",
    "the Bank/B-ORG of/I-ORG Oslo/I-ORG fell",
    "Rome/B-LOC won today",
)
ONE = corpus(
    "Ada/B-PER met Bob/B-LOC in New/B-LOC York",
    "the Bank/B-ORG of Oslo/B-ORG fell",
    "Rome won today/B-PER",
)
TWO = corpus(
    "Ada/B-LOC met Bob/B-LOC in New/B-LOC York/I-LOC",
    "the/B-PER Bank/I-PER of Oslo fell",
    "Rome/B-LOC won today",
)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, run: Run) -> Path:
    for name, sentences in [("train", TRAIN), ("gold", GOLD), ("one", ONE), ("two", TWO)]:
        write(tmp_path / f"{name}.txt", sentences)
    monkeypatch.chdir(tmp_path)
    command = "evaluate gold.txt --train train.txt --system one=one.txt --system two=two.txt"
    done(run, f"{command} -o r.json")
    return tmp_path


def done(run: Run, command: str) -> Outcome:
    outcome = run(*shlex.split(command))
    assert outcome.code == 0, outcome.err
    return outcome


def found(run: Run, options: str) -> list[tuple[str, str, str]]:
    records: list[dict[str, Any]] = json.loads(
        done(run, f"errors r.json {options} --format json").out
    )
    return [(one["system"], one["text"], one["outcome"]) for one in records]


EVERY = [
    ("one", "Bob", "wrong type"),
    ("one", "New York", "wrong boundary"),
    ("one", "Bank of Oslo", "split"),
    ("one", "Rome", "missed"),
    ("one", "today", "spurious"),
    ("two", "Ada", "wrong type"),
    ("two", "Bob", "wrong type"),
    ("two", "Bank of Oslo", "wrong type and boundary"),
]


@pytest.mark.slow(quick=6)
@pytest.mark.parametrize(
    ("options", "wanted"),
    [
        ("--system one", [one for one in EVERY if one[0] == "one"]),
        ("--system two", [one for one in EVERY if one[0] == "two"]),
        ("--kind missed", [("one", "Rome", "missed")]),
        ("--kind missed --kind spurious", EVERY[3:5]),
        ("--kind 'wrong type and boundary'", EVERY[7:]),
        ("--kind both", EVERY[7:]),
        ("--dataset gold --kind missed", [("one", "Rome", "missed")]),
        ("--type ORG", [("one", "Bank of Oslo", "split"), EVERY[7]]),
        # the gold type, or the predicted one
        ("--type PER --system two", [EVERY[5], EVERY[6], EVERY[7]]),
        ("--text bob", [EVERY[0], EVERY[6]]),
        ("--text 'k of'", [EVERY[2], EVERY[7]]),
        ("--facet tmr=seen", [EVERY[0], EVERY[3], EVERY[5], EVERY[6]]),
        ("--facet tmr=unseen-tokens --kind 'wrong boundary'", [EVERY[1]]),
        ("--facet tmr=seen --facet eLen=XS --system one", [EVERY[0], EVERY[3]]),
        ("--all-wrong", [EVERY[0], EVERY[2], EVERY[6], EVERY[7]]),
        ("--all-wrong --system two", [EVERY[6], EVERY[7]]),
        ("--kind merged", []),
    ],
)
def test_mistakes_are_chosen(
    options: str, wanted: list[tuple[str, str, str]], folder: Path, run: Run
) -> None:
    chosen = [one for one in found(run, options) if one[2] != "split" or one[1] == "Bank of Oslo"]
    assert chosen == wanted


@pytest.mark.parametrize(
    ("options", "fact"),
    [
        ("--kind mised", "did you mean 'missed'"),
        ("--kind correct", "--kind correct: unknown kind 'correct'"),
        ("--sort size", "--sort size: unknown sort 'size'"),
        ("--dataset other", "--dataset other: it is not in the results"),
        ("--system three", "system 'three': it is not in the results"),
        ("--facet tmrr=seen", "--facet tmrr=seen: it is not in the results"),
        ("--facet tmr=sen", "--facet tmr=sen"),
        ("--type PERR", "--type PERR"),
        ("--sample -1", "--sample"),
        ("--most -1", "--most"),
    ],
)
def test_choices_that_cannot_be_followed_are_refused(
    options: str, fact: str, folder: Path, run: Run
) -> None:
    outcome = run(*shlex.split(f"errors r.json {options}"))
    assert outcome.code == 2
    assert fact in outcome.err


def test_a_summary_of_kinds_comes_first(folder: Path, run: Run) -> None:
    shown = done(run, "errors r.json").out
    title, _, rest = shown.partition("\n")
    assert title == "Errors by kind"
    rows = [line.split() for line in rest.split("\n\n")[0].split("\n")]
    assert rows[0] == ["kind", "one", "two"]
    assert ["missed", "1", "0"] in rows
    assert ["wrong", "type", "1", "2"] in rows
    assert shown.index("Errors by kind") < shown.index("gold.txt:1")


def test_nothing_found_is_said(folder: Path, run: Run) -> None:
    outcome = done(run, "errors r.json --kind merged")
    assert re.fullmatch(r"None of \d+ errors fits these options\.\n", outcome.out)


def test_a_mistake_shows_gold_above_and_prediction_below(folder: Path, run: Run) -> None:
    shown = done(run, "errors r.json --system one --kind 'wrong boundary'").out
    assert shown.rstrip("\n").endswith(
        "gold.txt:5  one: wrong boundary\n"
        "                 ──────── LOC\n"
        "  Ada met Bob in New York\n"
        "                 ─── LOC"
    )


def test_without_texts_a_mistake_still_shows_its_types(folder: Path, run: Run) -> None:
    done(run, "evaluate gold.txt --system one=one.txt --no-text -o bare.json")
    shown = done(run, "errors bare.json").out
    assert "Errors by kind" in shown
    assert "wrong type\n  gold PER   predicted LOC\n" in shown
    assert "New" not in shown and "None" not in shown
    assert "fits these options" in done(run, "errors bare.json --text none").out


@pytest.fixture
def many(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    gold = drawn(60, seed=1)
    nerscope.evaluate(gold, {"s": noisy(gold, 0.3, 2)}).save(tmp_path / "r.json")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_a_sample_depends_on_its_seed_alone(many: Path, run: Run) -> None:
    first, same, other = (found(run, f"--sample 8 --seed {seed}") for seed in (1, 1, 2))
    everything = found(run, "")
    assert len(first) == 8 and first == same and first != other
    places = [everything.index(one) for one in first]
    assert len(set(places)) > 1
    assert found(run, "--sample 100000") == everything


@pytest.mark.parametrize("key", ["type", "kind", "text"])
def test_mistakes_are_sorted(key: str, many: Path, run: Run) -> None:
    records = json.loads(done(run, f"errors r.json --sort {key} --format json").out)
    field = {"type": "type", "kind": "outcome", "text": "text"}[key]
    values = [one[field] for one in records]
    wanted = sorted(values, key=KINDS.index) if key == "kind" else sorted(values)
    assert values == wanted
    standing = json.loads(done(run, "errors r.json --format json").out)
    assert sorted(map(str, records)) == sorted(map(str, standing))


@pytest.mark.parametrize("most", [0, 1, 5, 20])
def test_no_more_than_asked_for_are_shown(most: int, many: Path, run: Run) -> None:
    shown = done(run, f"errors r.json --most {most}").out
    assert len(re.findall(r"^<gold>:\d+  s: ", shown, re.M)) == most
    total = len(found(run, ""))
    assert f"{total - most} more errors: --most N shows more" in shown


def record(
    tokens: list[str], gold: tuple[int, int] | None, pred: tuple[int, int] | None
) -> MentionRow:
    span, other = (gold, pred) if gold else (pred, gold)
    assert span is not None
    return MentionRow(
        dataset="g",
        system="s",
        run="1",
        side="gold" if gold else "pred",
        outcome="wrong boundary",
        type="PER",
        text=" ".join(tokens[slice(*span)]),
        start=span[0],
        end=span[1],
        other_type="LOC" if other else None,
        other_text=" ".join(tokens[slice(*other)]) if other else None,
        other_start=other[0] if other else None,
        other_end=other[1] if other else None,
        overlap=0.0,
        levels={},
        sentence=" ".join(tokens),
        tokens=tokens,
        place="g:1",
    )


@st.composite
def records(draw: st.DrawFn) -> MentionRow:
    size = draw(st.integers(1, 40))
    word = st.text("abcé", min_size=1, max_size=8)
    tokens = draw(st.lists(word, min_size=size, max_size=size))
    spans: list[tuple[int, int] | None] = []
    for _ in range(2):
        start = draw(st.integers(0, size - 1))
        spans.append((start, draw(st.integers(start + 1, min(size, start + 3)))))
    kept = draw(st.sampled_from(["both", "gold", "pred"]))
    gold = spans[0] if kept != "pred" else None
    return record(tokens, gold, spans[1] if kept != "gold" else None)


@given(one=records(), width=st.integers(22, 120))
def test_a_window_is_never_wider_than_the_width(one: MentionRow, width: int) -> None:
    _, *window = error_lines(one, width)
    assert max(map(len, window)) <= width


def test_a_long_file_name_does_not_widen_the_window() -> None:
    one = replace(record(["a", "b"], (0, 1), None), place="/very/long/" + "x" * 60 + ":1")
    lines = error_lines(one, 40)
    assert max(map(len, lines[1:])) <= 40
    assert lines[0].endswith(":1  s: wrong boundary")


@given(one=records())
def test_marks_stand_exactly_over_and_under_their_words(one: MentionRow) -> None:
    _, *lines = error_lines(one, 10_000)
    (words,) = [line for line in lines if "─" not in line]
    marks = [line for line in lines if "─" in line]
    wanted = {text for text in (one.text, one.other_text) if text is not None}
    found = set()
    for line in marks:
        begin, end = line.index("─"), line.rindex("─") + 1
        found.add(words[begin:end])
    assert found == wanted
    place = lines.index(words)
    above = [line for line in lines[:place] if "─" in line]
    assert bool(above) == (one.side == "gold" or one.other_start is not None)


@given(one=records(), width=st.integers(30, 80))
def test_a_window_shows_the_beginning_of_both_spans(one: MentionRow, width: int) -> None:
    one = replace(
        one, other_start=one.start, other_end=one.end, other_type="LOC", other_text=one.text
    )
    _, *lines = error_lines(one, width)
    (words,) = [line for line in lines if "─" not in line]
    for line in lines:
        if line is not words:
            assert words[line.index("─")] == (one.text or "")[0]


def test_a_text_that_is_not_that_of_the_marked_tokens_is_shown() -> None:
    one = replace(record(["Ada", "spoke"], (0, 1), (0, 2)), other_text="Ada S.")
    assert error_lines(one, 80)[-1] == "  predicted text: 'Ada S.'"
    nowhere = replace(record(["Ada", "spoke"], None, (1, 1)), text="Eve\x1b", type="LOC")
    assert error_lines(nowhere, 80)[-1] == (
        "  predicted text: 'Eve\\x1b' (LOC), which is not in the text"
    )


HOSTILE = ["Ada\x1b[31m", "\x07met\x9b2J", "Bob\u202e", "x"]


def test_no_escape_sequence_reaches_the_terminal_and_marks_stay_in_place() -> None:
    gold = [(HOSTILE, ["B-PER", "O", "B-P\x1b[0mER", "O"])]
    results = nerscope.evaluate(gold, {"s\x1b]0;x\x07": [(HOSTILE, ["O", "O", "O", "B-LOC"])]})
    chosen, total = mistakes(results)
    text = OUTPUTS["text"](errors_document(chosen, total, 100, 20))
    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e]", text)
    lines = text.split("\n")
    begins = [place for place, line in enumerate(lines) if ": spurious" in line]
    words, mark = lines[begins[0] + 1 : begins[0] + 3]
    assert words.endswith(" x") and words.index(" x") + 1 == mark.index("─")


def test_marks_stand_under_wide_letters() -> None:
    """Chinese letters take two columns of a terminal."""
    from rich.cells import cell_len

    tokens = ["東京", "で", "Ada", "x"]
    _, above, words, _ = error_lines(record(tokens, (2, 3), (2, 3)), 80)
    assert above.index("─") == cell_len(words[: words.index("Ada")])


@pytest.mark.parametrize(
    ("other", "text"),
    [
        ({"fragments": [[0, 1], [2, 3]], "label": "PER"}, "Ada … spoke"),
        ({"start": 0, "end": 3, "label": "ORG"}, "Ada Lovelace spoke"),
    ],
)
def test_a_mention_that_all_get_wrong_is_told_from_another_on_the_same_span(
    other: dict[str, Any], text: str, tmp_path: Path
) -> None:
    whole = {"start": 0, "end": 3, "label": "PER"}
    for name, spans in [("gold", [whole, other]), ("s", [whole])]:
        record = {"tokens": ["Ada", "Lovelace", "spoke"], "spans": spans}
        (tmp_path / f"{name}.jsonl").write_text(json.dumps(record))
    results = nerscope.evaluate(tmp_path / "gold.jsonl", {"s": tmp_path / "s.jsonl"})
    records, _ = mistakes(results, all_wrong=True)
    assert [(one["type"], one["text"]) for one in records] == [(other["label"], text)]


def test_wrong_tokens_of_a_level_are_marked_in_their_sentences(folder: Path, run: Run) -> None:
    shown = done(run, "errors r.json --facet hard=unseen-I --system one --width 80").out
    assert "gold.txt:6  one: L-LOC labelled O" in shown
    lines = shown.split("\n")
    words = next(
        at for at, line in enumerate(lines) if "New York" in line and "L-LOC" in lines[at - 1]
    )
    place = lines[words].index("York")
    assert lines[words - 1][place : place + 4] == lines[words + 1][place : place + 4] == "────"
    rows = json.loads(done(run, "errors r.json --facet hard=unseen-I --format json").out)
    assert {row["system"] for row in rows} == {"one", "two"}
    for option in ("--kind missed", "--type PER", "--all-wrong", "--sort text"):
        assert run(*shlex.split(f"errors r.json --facet hard=diff {option}")).code == 2
    listed = "evaluate gold.txt --train train.txt --system one=one.txt --list wrong-tokens"
    assert "York" in done(run, listed).out


def test_errors_of_folded_data_are_those_of_a_sample(tmp_path: Path, run: Run) -> None:
    gold = drawn(60, 1)
    folded = nerscope.evaluate(gold, {"s": noisy(gold, 0.3, 2)}, fold=True, dataset="big")
    folded.save(tmp_path / "r.json")
    outcome = run("errors", tmp_path / "r.json")
    assert outcome.code == 0 and "Errors by kind" in outcome.out
    printed = outcome.out + outcome.err
    assert "big: 60 sentences are kept only as sums, and errors are listed of a sample" in printed
    listed = json.loads(run("errors", tmp_path / "r.json", "--format", "json").out)
    whole = nerscope.evaluate(gold, {"s": noisy(gold, 0.3, 2)}, fold=False, dataset="big")
    assert len(listed["rows"] if isinstance(listed, dict) else listed) == len(
        whole.errors(wrong_only=True)
    )
