"""Folded evidence counts and resamples as if every mention had been kept."""

from collections.abc import Mapping
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.scoring.toys import drawn, noisy

import nerscope
from nerscope.corpus.arrays import Bools
from nerscope.engines.local import Local
from nerscope.errors import InputError, UsageError
from nerscope.evaluation.gather import EvidenceBuilder
from nerscope.evaluation.plan import facet_tables, make_plan
from nerscope.evaluation.score import ScoredSentences, join_scores, score_chunk
from nerscope.evaluation.task import Settings, open_task
from nerscope.results.joining import check_comparable
from nerscope.results.results import Results
from nerscope.results.rows import rows_of
from nerscope.scoring import folding
from nerscope.scoring.evidence import (
    Evidence,
    FacetTable,
    Folded,
    Ledger,
    Output,
    Units,
    joined_runs,
)
from nerscope.scoring.folding import Folding, groups_of

GOLD, TRAIN = drawn(90, seed=1), drawn(60, seed=2)
SYSTEMS: dict[str, Any] = {
    "a": [noisy(GOLD, 0.2, 3), noisy(GOLD, 0.3, 4)],
    "b": noisy(GOLD, 0.4, 5),
}
FACETS = ["tmr", "eLen", "hard", "tCon", "tmr & type=PER", "eLen=XL & !tmr=seen", "all"]
MATCHES = ["exact", "overlap", "muc-partial", "iou"]


@pytest.fixture(params=[10_000, 25])
def _few_groups(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(folding, "MOST_GROUPS", request.param)


def evaluated(gold: Any = GOLD, **options: Any) -> Results:
    standard = {"train": TRAIN, "facets": FACETS, "matches": MATCHES, "intervals": True}
    return nerscope.evaluate(gold, SYSTEMS, **{**standard, **options})


@pytest.mark.slow(quick=1)
@pytest.mark.usefixtures("_few_groups")
@pytest.mark.parametrize("most", [0, 10**9], ids=["sparse", "dense"])
def test_folding_moves_no_number_and_no_interval(
    most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("nerscope.scoring.folding._MOST_CELLS", most)
    whole, folded = evaluated(fold=False), evaluated(fold=True)
    assert len(whole.rows) == len(folded.rows)
    for one, other in zip(whole.rows, folded.rows, strict=True):
        assert one | {"value": 0, "std": 0} == other | {"value": 0, "std": 0}
        assert other["value"] == pytest.approx(one["value"], abs=1e-9)
        if one["match"] != "iou":  # whose credit is added up in small steps
            assert other["value"] == one["value"]
    assert folded.notes() == whole.notes()


def document_file(path: Path, often: int = 12) -> str:
    lines = []
    for number, (tokens, labels) in enumerate(GOLD * often):
        lines += ["-DOCSTART- O", ""] if number % 7 == 0 else []
        lines += [f"{token} {label}" for token, label in zip(tokens, labels, strict=True)]
        lines.append("")
    path.write_text("\n".join(lines), encoding="utf-8")
    return str(path)


@pytest.mark.slow(quick=1)
@pytest.mark.usefixtures("_few_groups")
@pytest.mark.parametrize("unit", [None, "sentence", "document", "block:4"])
def test_documents_are_folded_by_documents(unit: str | None, tmp_path: Path) -> None:
    gold = document_file(tmp_path / "gold.txt", 1)
    sampling = nerscope.Sampling(unit)
    whole, folded = (evaluated(gold, fold=fold, intervals=sampling) for fold in (False, True))
    wanted = [(row["low"], row["high"], row["clusters"]) for row in whole.rows]
    assert [(row["low"], row["high"], row["clusters"]) for row in folded.rows] == wanted
    blocks = 26 if unit == "block:4" else 0  # two in each of 13 documents
    assert folded.evidence[0].folded == Folded(unit or "document", 90, 13, blocks)


@pytest.mark.parametrize(("unit", "blocks"), [("document", 0), ("block:4", 309)])
def test_large_data_is_folded_as_it_comes(
    unit: str, blocks: int, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("nerscope.evaluation.gather.FOLD_ABOVE", 200)
    monkeypatch.setattr("nerscope.formats.files.BLOCK", 1 << 12)
    monkeypatch.setattr("nerscope.formats.columns.column_file.BLOCK", 1 << 12)
    monkeypatch.setattr(folding, "MOST_GROUPS", 50)
    gold = document_file(tmp_path / "gold.txt")
    pred = {"s": gold, "t": [labels for _, labels in noisy(GOLD, 0.2, 7) * 12]}
    intervals = True if unit == "document" else nerscope.Sampling(unit)
    options: dict[str, Any] = {"train": TRAIN, "intervals": intervals, "dataset": "d"}
    folded = nerscope.evaluate(gold, pred, **options)
    assert folded.evidence[0].folded == Folded(unit, 1080, 155, blocks)
    whole = nerscope.evaluate(gold, pred, fold=False, **options)
    assert folded.rows == whole.rows


def test_folded_results_survive_being_saved() -> None:
    folded = evaluated(fold=True)
    text = folded.to_json()
    again = Results.from_json(text)
    assert again.rows == folded.rows
    assert again.to_json() == text
    assert again.evidence[0].folded == folded.evidence[0].folded
    one = nerscope.compare(folded, "a", "b", samples=200).rows
    assert nerscope.compare(again, "a", "b", samples=200).rows == one
    assert nerscope.compare(evaluated(fold=False), "a", "b", samples=200).rows[0] == one[0]


def test_a_report_of_folded_results_has_no_sentences_and_says_how_many_there_were() -> None:
    from nerscope.render.page.data import page_data

    (dataset,) = page_data(evaluated(fold=True))["datasets"]
    assert dataset["sentences"]["total"] == 90
    assert dataset["sentences"]["number"] == list(range(1, 91))
    assert dataset["tokens"] == sum(len(tokens) for tokens, _ in GOLD)


@pytest.mark.parametrize(
    "ask",
    [
        lambda results: results.partial_pairs(),
        lambda results: results.changes("a", "b"),
    ],
    ids=["partial", "changes"],
)
def test_what_needs_single_mentions_says_how_to_keep_them(ask: Any) -> None:
    with pytest.raises(InputError, match=r"are kept only as sums.*fold=False"):
        ask(evaluated(fold=True))


def test_what_was_folded_by_sentences_cannot_be_drawn_by_documents() -> None:
    with pytest.raises(
        InputError, match=r"a document cannot be used as a cluster.*--resample document"
    ):
        nerscope.compare(evaluated(fold=True), "a", "b", resample="document")


def test_documents_that_nobody_marked_cannot_be_drawn() -> None:
    with pytest.raises(InputError, match="no document boundaries"):
        evaluated(fold=True, intervals=nerscope.Sampling("document"))


def test_a_type_that_nobody_has_is_refused_in_folded_data_too() -> None:
    with pytest.raises(UsageError, match="'type' has no level 'NOWHERE'"):
        evaluated(fold=True, facets=["tmr & type=NOWHERE"])


def test_in_which_order_types_turn_up_cannot_be_seen() -> None:
    gold = [(["a", "b", "c"], ["B-Z", "B-M", "O"]), (["d", "e", "f"], ["B-M", "B-Z", "B-Z"])]
    one = [["B-Q", "B-Z", "O"], ["B-M", "O", "B-Z"]]
    other = [["B-Z", "O", "B-B"], ["O", "B-Z", "B-M"]]
    apart = [
        nerscope.evaluate(gold, {name: own}, fold=True).evidence[0]
        for name, own in (("one", one), ("other", other))
    ]
    both = nerscope.evaluate(gold, {"one": one, "other": other}, fold=False)
    check_comparable(*apart)
    assert rows_of(joined_runs(apart)) == both.rows


def test_sums_too_large_for_four_bytes_are_exact() -> None:
    size = (1 << 23) + 1
    tokens = Units(np.zeros(1, int), np.zeros(1, int), weight=np.array([size]))
    nothing = Units(np.zeros(0, int), np.zeros(0, int))
    credits = {"label": np.array([size - 0.5])}
    run = Output(nothing, credits, {"label": np.zeros(0)})
    table = FacetTable("all", "token", {"all": (0,)}, {"label": ("accuracy",)}, by_type=False)
    mentions = Ledger(nothing, (Output(nothing, {"exact": np.zeros(0)}, {"exact": np.zeros(0)}),))
    ledgers = {"token": Ledger(tokens, (run,)), "mention": mentions}
    evidence = Evidence("d", ("X",), (("s", "1"),), ledgers, (table,), np.zeros(1, int))
    folding = Folding()
    for _ in range(3):
        folding.add(evidence, np.zeros(1, int))
    whole = folding.evidence(evidence, Folded("sentence", 1, 1)).ledger(table)
    assert whole.gold.weight is not None
    assert whole.gold.weight.tolist() == [3 * size]
    assert whole.runs[0].gold_credit["label"].tolist() == [3 * size - 1.5]


def test_an_output_that_is_wrong_everywhere_is_not_taken_for_gold() -> None:
    gold = [(["a", "b", "c"], ["B-X", "I-X", "O"])] * 30
    short = [["B-X", "O", "O"]] * 30
    for fold in (True, False):
        assert nerscope.evaluate(gold, {"s": short}, fold=fold).notes() == []
        note = nerscope.evaluate(gold, {"s": [row for _, row in gold]}, fold=fold).notes()
        assert "identical to gold (30 mentions)" in note[0]


def test_results_that_are_folded_are_not_held_against_others() -> None:
    with pytest.raises(InputError, match="keep only sums, the other single mentions"):
        check_comparable(*(evaluated(fold=fold).evidence[0] for fold in (True, False)))


@st.composite
def cuts(draw: st.DrawFn) -> list[int]:
    inner = draw(st.lists(st.integers(1, len(GOLD) - 1), max_size=5))
    return sorted({0, len(GOLD), *inner})


def _same(one: Any, other: Any) -> bool:
    """Whether two ledgers, or parts of them, hold the same numbers."""
    if isinstance(one, np.ndarray):
        return np.array_equal(one, other)
    if isinstance(one, Mapping):
        return one.keys() == other.keys() and all(_same(one[key], other[key]) for key in one)
    if isinstance(one, tuple):
        return len(one) == len(other) and all(map(_same, one, other))
    if hasattr(one, "__slots__"):
        return all(_same(getattr(one, name), getattr(other, name)) for name in one.__slots__)
    return bool(one == other)


@settings(max_examples=25, deadline=None)
@given(cuts(), st.data())
def test_any_division_and_any_order_of_adding_give_the_same(
    places: list[int], data: st.DataObject
) -> None:
    options = Settings(facets=("tmr", "eLen", "hard"), matches=("exact", "iou", "muc-type"))
    task = open_task(GOLD, {"s": SYSTEMS["b"]}, TRAIN, None, options)
    planned = make_plan(task, Local())
    (row,) = task.aligned_chunks(tokens=True)

    def scored(first: int, last: int) -> ScoredSentences:
        return score_chunk(planned.plan, [one.sentences(first, last) for one in row])

    def added(parts: list[ScoredSentences]) -> Evidence:
        blank = Evidence("d", (), (("s", "1"),), {}, facet_tables(planned.plan), np.zeros(0, int))
        sums = EvidenceBuilder(blank, planned, in_shards=False)
        for part in parts:
            sums.add(part)
        return sums.evidence()

    parts = [scored(first, last) for first, last in pairwise(places)]
    whole = added([scored(0, len(GOLD))])
    assert _same(added(parts).ledgers, whole.ledgers)
    cut = data.draw(st.integers(0, len(parts)))
    sides = [join_scores(side) for side in (parts[:cut], parts[cut:]) if side]
    assert _same(added(sides).ledgers, whole.ledgers)

    def folded(pieces: list[tuple[int, int]]) -> Evidence:
        folding = Folding()
        for first, last in pieces:
            inside = _sentences(whole, first, last)
            folding.add(inside, groups_of(np.arange(first, last)))
        return folding.evidence(whole, Folded("sentence", len(GOLD), 1))

    mixed = data.draw(st.permutations(list(pairwise(places))))
    assert _same(folded(mixed).ledgers, folded([(0, len(GOLD))]).ledgers)


def _sentences(evidence: Evidence, first: int, last: int) -> Evidence:
    """The evidence of some sentences."""

    def inside(units: Units) -> Bools:
        found: Bools = (units.sentence >= first) & (units.sentence < last)
        return found

    def cut(units: Units) -> Units:
        here = inside(units)
        columns = {name: getattr(units, name) for name in ("weight", "surface", "start", "length")}
        return Units(
            units.sentence[here] - first,
            units.type[here],
            {facet: codes[here] for facet, codes in units.codes.items()},
            **{name: None if own is None else own[here] for name, own in columns.items()},
        )

    def outcome(run: Output, gold: Units) -> Output:
        sides = {"gold": inside(gold), "pred": inside(run.pred)}
        columns: dict[str, Any] = {
            f"{side}_{what}": {
                match: own[here] for match, own in getattr(run, f"{side}_{what}").items()
            }
            for side, here in sides.items()
            for what in ("credit", "kind")
        }
        return Output(cut(run.pred), **columns)

    ledgers = {
        unit: Ledger(cut(own.gold), tuple(outcome(run, own.gold) for run in own.runs))
        for unit, own in evidence.ledgers.items()
    }
    return replace(evidence, ledgers=ledgers)
