"""Gold by majority and by decisions, compared with the definition on generated annotations."""

import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.annotation.naive_agreement import Project, Span
from tests.annotation.test_agree_numbers import draw_project, write

import nerscope as ns
from nerscope.errors import InputError, UsageError


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("gold")


def spans_of(path: Path) -> dict[str, set[Span]]:
    """The mentions of each text of a file, by the name that its tokens begin with."""
    corpus, found = ns.read(path), {}
    mentions, types = corpus.mentions(), corpus.coding.labels.types
    for sentence in range(len(corpus)):
        begin, end = int(corpus.starts[sentence]), int(corpus.starts[sentence + 1])
        found[corpus.words(sentence)[0].partition("w")[0]] = {
            (int(start) - begin, int(stop) - begin, types[kind])
            for start, stop, kind in zip(mentions.start, mentions.end, mentions.type, strict=True)
            if begin <= start < end
        }
    return found


def annotations_of(project: Project, text: str) -> list[set[Span]]:
    return [set(texts[text]) for texts in project.values() if text in texts]


def voted(annotations: Sequence[set[Span]]) -> set[Span]:
    votes = Counter(span for own in annotations for span in own)
    return {span for span, count in votes.items() if 2 * count > len(annotations)}


@given(seed=st.integers(0, 100_000), nested=st.booleans())
def test_majority_keeps_what_more_than_half_have(folder: Path, seed: int, nested: bool) -> None:
    project, lengths = draw_project(seed, nested=nested)
    agreement = ns.agree(write(folder, project, lengths))
    everyone = {text: annotations_of(project, text) for text in lengths}
    expected = {text: voted(own) for text, own in everyone.items() if len(own) >= 3}
    out = folder / "gold.jsonl"
    if not expected:
        with pytest.raises(UsageError, match="no text has three annotators"):
            agreement.majority(out)
        return
    summary = agreement.majority(out)
    assert spans_of(out) == expected
    seen = sum(1 for own in everyone.values() if own)
    assert (summary.texts, summary.texts_left_out) == (len(expected), seen - len(expected))
    assert summary.mentions == sum(map(len, expected.values()))
    counted = (summary.by_majority, summary.no_majority)
    assert counted == settled_and_open([own for own in everyone.values() if len(own) >= 3])


def overlap(a: Span, b: Span) -> bool:
    return a[0] < b[1] and b[0] < a[1]


def places(annotations: Sequence[set[Span]]) -> list[set[Span]]:
    """The mentions of all annotators in groups that overlap, directly or through others."""
    groups: list[set[Span]] = []
    for span in set().union(*annotations):
        touching = [group for group in groups if any(overlap(span, other) for other in group)]
        groups = [group for group in groups if group not in touching]
        groups.append({span}.union(*touching))
    return groups


def agreed(annotations: Sequence[set[Span]]) -> set[Span]:
    """The mentions of the places where all annotators have the same."""
    return {
        span
        for place in places(annotations)
        if all(own & place == place for own in annotations)
        for span in place
    }


def settled_and_open(texts: Sequence[Sequence[set[Span]]]) -> tuple[int, int]:
    """How many disagreements a majority settles, with a mention or none, and how many it cannot."""
    counts = Counter(
        bool(voted(own) & place) or 2 * sum(not one & place for one in own) > len(own)
        for own in texts
        for place in places(own)
        if any(one & place != place for one in own)
    )
    return counts[True], counts[False]


@pytest.mark.parametrize(
    ("types", "expected"),
    [
        (("ORG", "LOC", "PER"), (0, 1)),
        (("ORG", "LOC", None), (0, 1)),
        (("ORG", "ORG", None, None), (0, 1)),
        (("ORG", None, None), (1, 0)),
        (("ORG", "ORG", "PER"), (1, 0)),
    ],
)
def test_disagreements_without_a_majority_are_counted_apart(
    tmp_path: Path, types: Sequence[str | None], expected: tuple[int, int]
) -> None:
    given = {
        f"a{at}": sentences("O" if kind is None else f"B-{kind}", "O")
        for at, kind in enumerate(types)
    }
    agreement = ns.agree(given)
    path = tmp_path / "decisions.json"
    path.write_text('{"nerscope_decisions": 1, "items": []}')
    voted_gold = agreement.majority(tmp_path / "gold.conll")
    for summary in (voted_gold, agreement.apply(path, tmp_path / "gold.conll")):
        assert (summary.by_majority, summary.no_majority) == expected


@given(seed=st.integers(0, 100_000))
def test_decisions_settle_their_sentences(folder: Path, seed: int) -> None:
    project, lengths = draw_project(seed)
    agreement = ns.agree(write(folder, project, lengths))
    expected, items = {}, []
    for row in agreement.sentences:
        text = str(row.id)
        own = annotations_of(project, text)
        base = agreed(own)
        expected[text] = base | (voted(own) if len(own) >= 3 else set())
        if base != set().union(*own) and row.sentence % 2:
            chosen = {(0, 1, "NEW")}
            expected[text] = chosen
            items.append(decision(row, base, chosen))
    path, out = folder / "decisions.json", folder / "gold.jsonl"
    path.write_text(json.dumps({"nerscope_decisions": 1, "items": items}))
    summary = agreement.apply(path, out)
    assert spans_of(out) == expected
    assert summary.decided == len(items)


def decision(row: Any, gold: set[Span], chosen: set[Span]) -> dict[str, Any]:
    spans = [
        [{"start": start, "end": end, "type": kind} for start, end, kind in sorted(side)]
        for side in (gold, chosen)
    ]
    text = " ".join(row.tokens)
    return {
        "file": "ann.jsonl",
        "sentence": row.sentence,
        "text": text,
        "gold": spans[0],
        "chosen": spans[1],
    }


def sentences(*labels: str) -> list[tuple[list[str], list[str]]]:
    return [(["Ada", "spoke"], list(labels))]


PER, LOC, ORG = ({"start": 0, "end": 1, "type": kind} for kind in ("PER", "LOC", "ORG"))


def write_columns(folder: Path, name: str, *labels: str) -> Path:
    path = folder / name
    ns.convert(sentences(*labels), path, to="bio")
    return path


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"text": "Eve spoke"}, "it is stale: sentence 0 of .*ann.conll is now"),
        ({"gold": [LOC], "chosen": [ORG]}, "it is stale: sentence 0 .* now has no mentions"),
        ({"sentence": 9}, "has 1 sentence, and no sentence 9"),
        ({"file": "other.conll"}, "the decisions are about other.conll, which no annotator has"),
    ],
)
def test_stale_decisions_are_refused(tmp_path: Path, changes: dict[str, Any], message: str) -> None:
    ann, ben = (
        write_columns(tmp_path, f"{name}.conll", label, "O")
        for name, label in (("ann", "B-PER"), ("ben", "O"))
    )
    item = {"file": str(ann), "sentence": 0, "text": "Ada spoke", "gold": [], "chosen": []}
    path = tmp_path / "decisions.json"
    path.write_text(json.dumps({"nerscope_decisions": 1, "items": [{**item, **changes}]}))
    out = tmp_path / "gold.conll"
    with pytest.raises(InputError, match=message):
        ns.agree({"ann": ann, "ben": ben}).apply(path, out)
    assert not out.exists()


@pytest.mark.parametrize("gold", [[], [PER]])
def test_gold_of_a_decision_is_what_all_have_or_what_its_file_has(
    tmp_path: Path, gold: list[dict[str, Any]]
) -> None:
    ann, ben = (
        write_columns(tmp_path, f"{name}.conll", label, "O")
        for name, label in (("ann", "B-PER"), ("ben", "O"))
    )
    item = {"file": "ann.conll", "sentence": 0, "text": "Ada spoke", "gold": gold, "chosen": [LOC]}
    path = tmp_path / "decisions.json"
    path.write_text(json.dumps({"nerscope_decisions": 1, "items": [item]}))
    ns.agree({"ann": ann, "ben": ben}).apply(path, tmp_path / "gold.conll")
    assert (tmp_path / "gold.conll").read_text().split() == ["Ada", "B-LOC", "spoke", "O"]


@pytest.mark.parametrize(("kind", "is_known"), [("PRE", False), ("PER", True)])
def test_a_type_that_no_annotator_has_is_noted(tmp_path: Path, kind: str, is_known: bool) -> None:
    given = {
        name: write_columns(tmp_path, f"{name}.conll", label, "O")
        for name, label in (("ann", "B-PER"), ("ben", "O"))
    }
    item = {"file": "ann.conll", "sentence": 0, "text": "Ada spoke", "gold": []}
    path = tmp_path / "decisions.json"
    chosen = [{"start": 0, "end": 1, "type": kind}]
    path.write_text(json.dumps({"nerscope_decisions": 1, "items": [{**item, "chosen": chosen}]}))
    notes = ns.agree(given).apply(path, tmp_path / "gold.conll").notes
    found = [note for note in notes if "has the type of [0, 1, PRE]" in note]
    assert len(found) == (not is_known)


def test_undecided_disagreements_of_two_are_left_out_and_counted(tmp_path: Path) -> None:
    ann, ben = (
        write_columns(tmp_path, f"{name}.conll", "B-PER", label)
        for name, label in (("ann", "B-LOC"), ("ben", "O"))
    )
    path, out = tmp_path / "decisions.json", tmp_path / "gold.conll"
    path.write_text('{"nerscope_decisions": 1, "items": []}')
    summary = ns.agree({"ann": ann, "ben": ben}).apply(path, out)
    assert out.read_text().split() == ["Ada", "B-PER", "spoke", "O"]
    assert (summary.undecided, summary.by_majority, summary.decided) == (1, 0, 0)


def test_types_are_renamed_once_in_gold(tmp_path: Path) -> None:
    """With a map that swaps two types, gold has the new names."""
    given = {name: sentences("B-PER", "O") for name in ("ann", "ben", "eve")}
    agreement = ns.agree(given, map={"PER": "LOC", "LOC": "PER"})
    agreement.majority(tmp_path / "gold.conll")
    assert (tmp_path / "gold.conll").read_text().split() == ["Ada", "B-LOC", "spoke", "O"]
    assert agreement.disagreements == []


def test_overlapping_mentions_are_written_as_spans(tmp_path: Path) -> None:
    nested = [(["Bank", "of", "Oslo"], [(0, 3, "ORG"), (2, 3, "LOC")])]
    agreement = ns.agree(dict.fromkeys(("ann", "ben", "eve"), nested))
    with pytest.raises(InputError, match="labels cannot represent overlapping mentions"):
        agreement.majority(tmp_path / "gold.conll")
    agreement.majority(tmp_path / "gold.jsonl")
    assert len(ns.read(tmp_path / "gold.jsonl").mentions()) == 2


def test_a_loaded_agreement_makes_no_gold(tmp_path: Path) -> None:
    agreement = ns.agree({"ann": sentences("B-PER", "O"), "ben": sentences("O", "O")})
    agreement.save(tmp_path / "agreement.json")
    loaded = ns.Agreement.load(tmp_path / "agreement.json")
    assert loaded.to_json() == agreement.to_json()
    with pytest.raises(UsageError, match="does not hold the annotated files"):
        loaded.majority(tmp_path / "gold.conll")
