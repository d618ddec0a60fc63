"""Answers of language models: read from the text around them, and located in the text of gold."""

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from difflib import SequenceMatcher
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import nerscope as ns
from nerscope.corpus.corpus import Coding, Corpus, join_chunks
from nerscope.errors import AlignmentError, FormatError, InputError, UsageError
from nerscope.formats.align import side_by_side
from nerscope.formats.answers.parsing import BROKEN, MALFORMED, UNREADABLE, read_answer
from nerscope.formats.answers.source import AGAIN, HALLUCINATED, AnswerSource
from nerscope.formats.base import source_named
from nerscope.formats.source import Source
from nerscope.results.error_sums import paired_mentions
from nerscope.results.mistakes import unaligned
from nerscope.results.results import Results
from nerscope.results.spans import spans_of

ADA = {"text": "Ada", "type": "PER"}
OSLO = {"text": "Oslo", "type": "LOC"}


@pytest.mark.parametrize(
    ("item", "said", "found"),
    [
        # lists, under any usual name
        ([ADA, OSLO], "Ada Oslo", {}),
        ({"entities": [ADA]}, "Ada", {}),
        ({"output": {"entities": [ADA]}}, "Ada", {}),
        ({"extractions": [{"extraction_text": "Ada", "extraction_class": "PER"}]}, "Ada", {}),
        ([["Ada", "PER"], ("Oslo", "LOC")], "Ada Oslo", {}),
        ([{"entity": "Ada", "type": "PER"}], "Ada", {}),
        ([{"word": "Ada", "entity": "PER"}], "Ada", {}),
        ([{"name": "Ada", "labels": ["PER"]}], "Ada", {}),
        ({"PER": ["Ada"], "LOC": ["Oslo"]}, "Ada Oslo", {}),
        ({}, "", {}),
        ([], "", {}),
        ({"PER": ["Ada"], "LOC": None}, "Ada", {}),
        # text around JSON
        ('[{"text": "Ada", "type": "PER"}]', "Ada", {}),
        ('Here you are:\n```json\n[{"text": "Ada", "type": "PER"}]\n```\nBye [1]', "Ada", {}),
        ('I see [one] name: {"entities": [{"text": "Ada", "type": "PER"}]}', "Ada", {}),
        ({"response": 'Sure: {"PER": ["Ada"]}'}, "Ada", {}),
        ("```\n[]\n```", "", {}),
        ({"choices": [{"index": 0, "message": {"content": '[["Ada", "PER"]]'}}]}, "Ada", {}),
        # Python instead of JSON
        ("{'PER': ['Ada'], 'LOC': []}", "Ada", {}),
        ("Sure: [('Ada', 'PER'), (\"O'Neil\", 'PER')]", "Ada O'Neil", {}),
        ("```python\n{'PER': ['Ada']}\n```\nor\n```\n{'LOC': ['Oslo']}\n```", "Ada Oslo", {}),
        ("{'PER': [], 'LOC': None}", "", {}),
        ("{'LOC': [], 'PER': ['Ad", "", {UNREADABLE: 1}),
        ("{'PER': ['" + "a" * 30_000 + "']}", "", {UNREADABLE: 1}),
        ("{'PER':" + "-" * 10_000 + "1}", "", {UNREADABLE: 1}),
        ('{"text": "Ada", "type": "PER"}\n{"text": "Oslo", "type": "LOC"}', "Ada Oslo", {}),
        ('As in [1], I find [{"text": "Ada", "type": "PER"}].', "Ada", {}),
        ('Persons: [["Ada", "PER"]]\nPlaces: [["Oslo", "LOC"]]', "Ada Oslo", {}),
        ('```\n{"PER": ["Ada"]}\n```\nand\n```\n{"LOC": ["Oslo"]}\n```', "Ada Oslo", {}),
        ('<think>maybe []</think>[["Ada", "PER"]]', "Ada", {}),
        ({"entities": [ADA], "mentions": [OSLO]}, "Ada Oslo", {}),
        ("There is nothing [1].", "", {UNREADABLE: 1}),
        # broken, as far as it can be read
        ('[{"text": "Ada", "type": "PER"}, {"text": "Os', "Ada", {BROKEN: 1}),
        ('```json\n[{"text": "Ada", "type": "PER"},]\n```', "Ada", {BROKEN: 1}),
        ('{"entities": [["Ada", "PER"]], "x": [1, 2], "y": ', "Ada", {BROKEN: 1}),
        ('{"PER": ["Ada", "Charles"], "LOC": ["Osl', "Ada Charles", {BROKEN: 1}),
        ("There are no names here.", "", {UNREADABLE: 1}),
        ({"response": ""}, "", {UNREADABLE: 1}),
        ({"response": None}, "", {UNREADABLE: 1}),
        ({"choices": [{"message": {"content": None}}]}, "", {UNREADABLE: 1}),
        ({"id": 3}, "", {UNREADABLE: 1}),
        (7, "", {UNREADABLE: 1}),
        ("[" * 100_000, "", {UNREADABLE: 1}),
        ('{"a":' * 100_000, "", {UNREADABLE: 1}),
        # mentions that say nothing
        (
            [ADA, {"text": "Bob"}, {"type": "PER"}, {"text": " ", "type": "X"}, 3],
            "Ada",
            {MALFORMED: 4},
        ),
    ],
)
def test_an_answer_is_read_whatever_surrounds_it(
    item: object, said: str, found: dict[str, int]
) -> None:
    answer = read_answer(item, 1)
    assert "Charles" not in {one.type for one in answer.mentions}
    assert " ".join(one.text for one in answer.mentions) == said
    assert answer.problems == found


@pytest.mark.parametrize("bad", ["\ud800", "a\0", "\x1f"])
def test_what_no_text_can_hold_is_no_mention(bad: str) -> None:
    answer = read_answer([{"text": "Ada", "type": bad}, {"text": bad, "type": "PER"}])
    assert (answer.mentions, answer.problems) == ([], {MALFORMED: 2})


GOLD = [(["Ada", "met", "Ada", "in", "Oslo", "."], [(0, 1, "PER"), (2, 3, "PER"), (4, 5, "LOC")])]


def scored(answer: object, policy: str = "next") -> Results:
    return ns.evaluate(GOLD, {"m": ns.answers([answer], policy=policy)})


def counts(results: Results) -> tuple[int, int]:
    """Predicted mentions, and those that are right."""
    [row] = results.select(facet="all", metric="precision", match="exact", type=None, run="1")
    return row["n"], round((row["value"] or 0) * row["n"])


def kinds(results: Results) -> dict[str, int]:
    return {loss["kind"]: loss["count"] for loss in results.losses}


@pytest.mark.parametrize(
    ("policy", "answer", "predicted", "right", "lost"),
    [
        ("first", [ADA], 1, 1, {}),
        ("first", [ADA, ADA], 1, 1, {AGAIN: 1}),
        ("all", [ADA], 2, 2, {}),
        ("all", [ADA, ADA], 2, 2, {AGAIN: 1}),
        ("next", [ADA, ADA, OSLO], 3, 3, {}),
        ("next", [ADA, ADA, ADA], 2, 2, {AGAIN: 1}),
        ("next", [{"text": "Eve", "type": "PER"}], 1, 0, {HALLUCINATED: 1}),
        ("next", [{"text": "Eve", "type": "PER"}] * 2, 1, 0, {HALLUCINATED: 1, AGAIN: 1}),
        ("next", [{"text": "oslo", "type": "LOC"}], 1, 0, {HALLUCINATED: 1}),
        ("fuzzy", [{"text": "oslo", "type": "LOC"}], 1, 1, {}),
        ("fuzzy", [{"text": "Osloo", "type": "LOC"}], 1, 1, {}),
        ("fuzzy", [{"text": "Osloo", "type": "LOC"}] * 2, 1, 1, {AGAIN: 1}),
        ("fuzzy", [{"text": "Bergen", "type": "LOC"}], 1, 0, {HALLUCINATED: 1}),
        ("next", [{"text": "in\nOslo", "type": "LOC"}], 1, 0, {}),
        (
            "next",
            [{"text": "Osl", "type": "LOC"}],
            1,
            0,
            {"mentions that begin or end inside a token of gold": 1},
        ),
    ],
)
def test_a_policy_says_which_place_a_string_means(
    policy: str, answer: object, predicted: int, right: int, lost: dict[str, int]
) -> None:
    results = scored(answer, policy)
    assert counts(results) == (predicted, right)
    assert kinds(results) == lost


def placed(
    words: list[str], named: list[str], threshold: float, policy: str = "fuzzy"
) -> list[tuple[int, int]]:
    """The tokens that are predicted, by place."""
    model = ns.answers([[[text, "X"] for text in named]], policy=policy, threshold=threshold)
    rows = ns.evaluate([(words, [(0, 1, "X")])], {"m": model}, matches=["exact"]).errors()
    found = [(row.start, row.end) for row in rows if row.side == "pred"]
    return sorted(place for place in found if place[0] < place[1])


@pytest.mark.parametrize(
    ("text", "named", "threshold", "found"),
    [
        # namings are counted and places found by one rule: case does not matter
        ("us and US", ["us", "US"], 0.8, [(0, 1), (2, 3)]),
        ("us and US", ["US", "us"], 0.8, [(0, 1), (2, 3)]),
        ("us and US", ["us", "us"], 0.8, [(0, 1), (2, 3)]),
        ("us and US", ["US"], 0.8, [(2, 3)]),  # spelt like this comes first
        ("us and US", ["Us", "Us", "Us"], 0.8, [(0, 1), (2, 3)]),
        # a ratio that is the threshold exactly is enough, wherever the tokens stand
        ("ab x y", ["abc"], 0.8, [(0, 1)]),
        ("x y ab", ["abc"], 0.8, [(2, 3)]),
        ("ab x", ["abc"], 0.81, []),
        # folding may make a string longer
        ("Herr Weiß", ["WEISS"], 0.9, [(1, 2)]),
        ("Herr WEISS", ["Weiß"], 0.9, [(1, 2)]),
        ("Weiß und WEISS", ["weiss", "WEISS"], 1, [(0, 1), (2, 3)]),
        ("Weiß", ["s"], 1, []),  # half of ß is no place
    ],
)
def test_fuzzy_counts_and_finds_by_one_rule(
    text: str, named: list[str], threshold: float, found: list[tuple[int, int]]
) -> None:
    assert placed(text.split(), named, threshold) == found


def naive_fuzzy(words: list[str], named: list[str], threshold: float) -> list[tuple[int, int]]:
    """Every run of tokens is compared with every string; the best free one is taken."""
    folded = [word.casefold() for word in words]
    runs = [(i, j) for i in range(len(words)) for j in range(i + 1, len(words) + 1)]
    taken: list[tuple[int, int]] = []
    for text in named:
        pattern = text.casefold()
        spelt = {run: "".join(folded[slice(*run)]) for run in runs}
        equal = [run for run in runs if spelt[run] == pattern]
        places = sorted(equal, key=lambda run: "".join(words[slice(*run)]) != text)
        if not equal and pattern in "".join(folded):
            continue  # inside of tokens: no whole ones
        if not equal:
            ratios = {
                run: SequenceMatcher(None, spelt[run], pattern, False).ratio() for run in runs
            }
            order = sorted(
                (run for run in runs if ratios[run] >= threshold),
                key=lambda run: (-ratios[run], run),
            )
            for run in order:
                if all(run[1] <= low or high <= run[0] for low, high in places):
                    places.append(run)
        free = [run for run in places if run not in taken]
        taken += free[:1]
    return sorted(taken)


LETTERS = st.text("abAßs", min_size=1, max_size=4)


@given(
    st.lists(LETTERS, min_size=1, max_size=6),
    st.lists(LETTERS, max_size=5),
    st.sampled_from([0.5, 0.6, 2 / 3, 0.75, 0.8, 0.9, 1]),
)
@settings(max_examples=300, deadline=None)
def test_fuzzy_places_are_those_of_comparing_every_run(
    words: list[str], named: list[str], threshold: float
) -> None:
    whole = [
        text
        for text in named
        if text.casefold() not in "".join(words).casefold()
        or any(text.casefold() == word.casefold() for word in words)
    ]
    assert placed(words, whole, threshold) == naive_fuzzy(words, whole, threshold)


@given(
    st.lists(LETTERS, min_size=1, max_size=6),
    st.lists(LETTERS, max_size=5),
    st.sampled_from(["first", "all", "next"]),
)
@settings(max_examples=100, deadline=None)
def test_other_policies_count_and_find_exact_strings(
    words: list[str], named: list[str], policy: str
) -> None:
    runs = [(i, j) for i in range(len(words)) for j in range(i + 1, len(words) + 1)]
    named = [text for text in named if text in words]
    taken: list[tuple[int, int]] = []
    for text in named:
        places = [run for run in runs if "".join(words[slice(*run)]) == text]
        free = [run for run in places if run not in taken]
        meant = {"first": places[:1], "all": places, "next": free[:1]}[policy]
        taken += [run for run in meant if run in free]
    assert placed(words, named, 0.8, policy) == sorted(taken)


def test_rates_and_strings_are_told_and_scores_stand_both_ways() -> None:
    results = scored([ADA, {"text": "Eve", "type": "PER"}, OSLO, {"text": "Yrok", "type": "LOC"}])
    [lost] = results.losses
    assert (lost["count"], lost["of"], lost["items"]) == (2, 4, ["Eve", "Yrok"])
    assert lost["message"] == f"{HALLUCINATED}: 2 of 4 (50.0 %), such as 'Eve', 'Yrok'"
    [left_out] = results.select(
        facet="alignment", level="aligned", metric="precision", match="exact", type=None, run="1"
    )
    assert results.value(metric="precision", match="exact") == 0.5
    assert left_out["value"] == 1.0
    hallucinated = [one for one in results.errors() if one["outcome"] == "hallucinated"]
    assert [one["text"] for one in hallucinated] == ["Eve", "Yrok"]


def test_types_are_renamed_and_blanks_left_out_before_places_are_counted() -> None:
    gold = [(["Oslo", "saw", "Oslo"], [(0, 1, "LOC"), (2, 3, "LOC")])]
    for second in (["Oslo", "GPE"], ["Oslo ", "LOC"]):
        said = ns.answers([[["Oslo", "LOC"], second]])
        results = ns.evaluate(gold, {"m": said}, map={"GPE": "LOC"})
        assert results.value(metric="f1", match="exact") == 1.0


@pytest.mark.parametrize(
    ("options", "said"), [({}, "next"), ({"policy": "fuzzy", "threshold": 0.6}, "fuzzy/0.6")]
)
def test_the_signature_tells_the_policy(options: dict[str, Any], said: str) -> None:
    results = ns.evaluate(GOLD, {"m": ns.answers([[]], **options)})
    assert f"|answers:{said}|" in results.signature
    assert "answers:" not in ns.evaluate(GOLD, {"m": GOLD}).signature


def test_rates_are_of_all_that_was_named_also_what_says_nothing() -> None:
    [lost] = scored([ADA, {"text": "Bob"}, 3, {}]).losses
    assert (lost["kind"], lost["count"], lost["of"]) == (MALFORMED, 3, 4)


def test_mentions_of_dropped_types_are_neither_noted_nor_in_rates() -> None:
    said = [ADA, ["Eve", "PER"], ["1999", "DAY"], ["Osl", "DATE"], ["Ada", "DATE"]]
    results = ns.evaluate(
        GOLD, {"m": ns.answers([said])}, map={"DAY": "DATE"}, drop=["DATE"], facets=["alignment"]
    )
    [lost] = [loss for loss in results.losses if "of" in loss]
    assert (lost["kind"], lost["count"], lost["of"], lost["items"]) == (HALLUCINATED, 1, 2, ["Eve"])
    assert [row.text for row in unaligned(results)] == ["Eve"]


def test_answers_that_are_all_unreadable_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "said.jsonl"
    path.write_text('{"reply": "[]"}\n\n{"reply": "I cannot"}\n')
    gold = [(["Ada"], ["B-PER"])] * 2
    with pytest.raises(FormatError, match="is unreadable") as caught:
        ns.evaluate(gold, {"m": source_named(f"{path}::format=answers")})
    place, fact, fix = caught.value.place, caught.value.fact, caught.value.fix
    assert place == f"{path}:1"
    assert fact == """every answer is unreadable (2 of 2), such as '{"reply": "[]"}'"""
    assert "under the key response (or answer, " in fix
    with pytest.raises(FormatError, match=r"<answers>:1: .*such as '\(empty\)'"):
        ns.evaluate(gold, {"m": ns.answers(["", None])})


def test_results_without_text_keep_no_string_of_an_answer() -> None:
    said = [{"text": "Zaphod", "type": "PER"}, {"text": "Osl", "type": "LOC"}]
    results = ns.evaluate(GOLD, {"m": ns.answers([said])}, texts=False)
    assert "Zaphod" not in results.to_json()
    [left_out] = results.select(
        facet="alignment", level="unaligned", metric="precision", match="exact", type=None, run="1"
    )
    assert left_out["n"] == 2


def test_two_made_up_mentions_of_a_sentence_stay_two() -> None:
    results = scored([{"text": name, "type": "PER"} for name in ("Eve", "Zoe")])
    [evidence] = results.evidence
    assert len(spans_of(paired_mentions(evidence)).sentence) == len(GOLD[0][1]) + 2


def test_an_answer_for_each_document_is_found_across_its_sentences(tmp_path: Path) -> None:
    gold = tmp_path / "gold.conll"
    gold.write_text(
        "-DOCSTART- O\n\nAda B-PER\nleft O\n\nOslo B-LOC\n\n-DOCSTART- O\n\nBob B-PER\n\nsat O\n"
    )
    system = tmp_path / "m.jsonl"
    lines = [[ADA, OSLO, {"text": "left Oslo", "type": "X"}], [{"text": "Bob", "type": "PER"}]]
    system.write_text("".join(json.dumps({"entities": one}) + "\n" for one in lines))
    results = ns.evaluate(gold, {"m": source_named(str(system))})
    assert counts(results) == (4, 3)
    assert kinds(results)["mentions that go beyond a sentence of gold"] == 1
    assert [row.text for row in unaligned(results)] == ["left Oslo"]


def test_a_file_of_answers_is_known_by_its_first_lines(tmp_path: Path) -> None:
    for number, line in enumerate(
        [
            {"response": "```json\n[]\n```"},
            {"entities": [ADA]},
            [ADA],
            {"PER": ["Ada"]},
            {"choices": [{"message": {"role": "assistant", "content": "[]"}}]},
        ]
    ):
        path = tmp_path / f"{number}.jsonl"
        path.write_text(json.dumps({"entities": []}) + "\n" + json.dumps(line) + "\n")
        assert isinstance(source_named(str(path)), AnswerSource), line
    long = tmp_path / "long.jsonl"
    long.write_text("\ufeff" + json.dumps({"id": 1, "response": "well " * 2000 + "[]"}) + "\n")
    assert isinstance(source_named(str(long)), AnswerSource)
    for size in (1, 2000):
        strings = tmp_path / f"strings{size}.jsonl"
        strings.write_text((json.dumps("well " * size + '[["Ada", "PER"]]') + "\n") * 2)
        assert isinstance(source_named(str(strings)), AnswerSource)
    strings.rename(tmp_path / "strings.txt")
    assert not isinstance(source_named(str(tmp_path / "strings.txt")), AnswerSource)
    told = tmp_path / "told.jsonl"
    told.write_text('{"entities": []}\nnot JSON at all\n')
    gold = [(["Ada"], ["B-PER"]), (["Bob"], ["B-PER"])]
    results = ns.evaluate(gold, {"m": source_named(f"{told}::format=answers,policy=all")})
    assert kinds(results) == {UNREADABLE: 1}


@pytest.mark.parametrize(
    ("options", "fact"),
    [
        ({"policy": "last"}, "unknown policy 'last'"),
        ({"threshold": 0}, "invalid value threshold=0"),
        ({"threshold": "x"}, "threshold: invalid value 'x'"),
    ],
)
def test_options_that_cannot_be_are_refused(options: dict[str, object], fact: str) -> None:
    with pytest.raises(UsageError, match=fact):
        ns.answers([], **options)  # type: ignore[arg-type]


def test_answers_must_fit_gold_in_number_and_text() -> None:
    with pytest.raises(AlignmentError, match="2 answers, but gold has 1 sentences in 1 documents"):
        ns.evaluate(GOLD, {"m": ns.answers([[], []])})
    other = "Quite another thing, you know"
    for about in ({"entities": [ADA]}, {"response": "[]"}):
        with pytest.raises(AlignmentError, match="about another text"):
            ns.evaluate(GOLD, {"m": ns.answers([{"text": other, **about}])})
    with pytest.raises(InputError, match="answers name mentions without offsets"):
        ns.evaluate(ns.answers([[]]), {"m": [["O"]]})


WORDS = st.sampled_from(["a", "b", "ab", "ba", "c"])


@given(st.lists(WORDS, min_size=1, max_size=8), st.lists(WORDS, max_size=5), st.data())
@settings(max_examples=200, deadline=None)
def test_every_named_string_is_placed_or_counted(
    words: list[str], named: list[str], data: st.DataObject
) -> None:
    policy = data.draw(st.sampled_from(["first", "all", "next"]))
    answer = [{"text": text, "type": "X"} for text in named]
    gold = [(words, [(0, 1, "X")])]
    results = ns.evaluate(gold, {"m": ns.answers([answer], policy=policy)})
    predicted, _ = counts(results)
    lost = kinds(results)
    stands = Counter(words)
    if policy == "next":
        assert predicted == len(named) - lost.get(AGAIN, 0)
    whole = [text for text in set(named) if stands[text]]
    [row] = results.select(
        facet="alignment", level="aligned", metric="precision", match="exact", type=None, run="1"
    )
    wanted = {
        "first": len(whole),
        "all": sum(stands[text] for text in whole),
        "next": sum(min(stands[text], named.count(text)) for text in whole),
    }[policy]
    # Two tokens side by side may spell a third string: then more places are on whole tokens.
    assert row["n"] >= wanted


@given(st.sets(st.integers(1, 5)))
@settings(deadline=None)
def test_documents_are_whole_however_gold_comes_in_chunks(cuts: set[int]) -> None:
    documents = np.array([0, 0, 1, 1, 1, 2])
    gold = replace(Corpus.of([([f"w{at}", "."], [(0, 1, "X")]) for at in range(6)]), name="g")
    gold = replace(gold, documents=documents)

    class Pieces(Source):
        name = "g"

        def chunks(self, coding: Coding, *, tokens: bool = True) -> Iterator[Corpus]:
            whole = gold.recoded(coding)
            edges = [0, *sorted(cuts), 6]
            for low, high in pairwise(edges):
                yield whole.sentences(low, high)

    said = [[["w1", "X"], ["w0", "X"]], [["w4", "X"]], [["w5", "X"], ["w0", "X"]]]
    rows = list(side_by_side([Pieces(), ns.answers(said)], Coding()))
    found = join_chunks([row[1] for row in rows])
    assert found.mentions().start.tolist() == [0, 2, 8, 10, 10]
