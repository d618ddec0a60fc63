"""Types that count as others, or do not count: on all sides, in every number, and told."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

import nerscope as ns
from nerscope.errors import UsageError
from nerscope.evaluation.listings import coverage
from nerscope.formats.source import note_line

TYPES = ["A", "B", "C"]
LABELS = st.sampled_from(["O", *(f"{letter}-{kind}" for letter in "BI" for kind in TYPES)])


@given(
    st.lists(st.tuples(LABELS, LABELS), min_size=1, max_size=12),
    st.dictionaries(st.sampled_from(TYPES), st.sampled_from([*TYPES, "D"]), max_size=2),
    st.sampled_from([*TYPES, "D"]),
)
def test_numbers_are_those_of_files_written_with_the_new_names(
    pairs: list[tuple[str, str]], renames: dict[str, str], dropped: str
) -> None:
    if dropped in renames and renames[dropped] != dropped and dropped not in renames.values():
        return
    sides = [[["B-Z", *(pair[side] for pair in pairs)]] for side in (0, 1)]

    def rewritten(sentence: list[str]) -> list[tuple[int, int, str]]:
        corpus = ns.Corpus.of([sentence])
        found, types = corpus.mentions(), corpus.coding.labels.types
        named = [
            (int(low), int(high), renames.get(types[kind], types[kind]))
            for low, high, kind in zip(found.start, found.end, found.type, strict=True)
        ]
        return [one for one in named if one[2] != dropped]

    words = [f"w{place}" for place in range(len(pairs) + 1)]
    plain = [[(words, rewritten(sentence[0]))] for sentence in sides]
    mapped = ns.evaluate(sides[0], {"s": sides[1]}, map=renames, drop=[dropped])
    by_hand = ns.evaluate(plain[0], {"s": plain[1]})
    for metric in ("precision", "recall", "f1"):
        for match in ("exact", "overlap"):
            cell = {"metric": metric, "match": match}
            assert mapped.value(**cell) == by_hand.value(**cell)
    assert dropped not in {row["type"] for row in mapped.rows}


def test_coverage_tells_what_each_type_counts_as_and_who_has_it() -> None:
    gold = [["B-PERSON", "B-DATE", "B-GPE"]]
    systems = {"s": [["B-PER", "O", "B-LOC"]], "t": [["O", "O", "B-GPE"]]}
    rows = coverage(gold, systems, map={"PERSON": "PER", "GPE": "LOC"}, drop="DATE")
    assert [tuple(row.values()) for row in rows] == [
        ("GPE", "LOC", 1, 0, 1),
        ("LOC", "LOC", 0, 1, 0),
        ("PER", "PER", 0, 1, 0),
        ("PERSON", "PER", 1, 0, 0),
        ("DATE", None, 1, 0, 0),
    ]


@pytest.mark.parametrize("name", ["gold", "type", "counts_as"])
def test_a_system_named_like_a_column_of_coverage_is_refused(name: str) -> None:
    with pytest.raises(UsageError, match=f"system '{name}': the list of types already has"):
        coverage([["B-PER"]], {"s": [["O"]], name: [["B-PER"]]})


def test_names_that_no_file_has_are_told() -> None:
    gold = [["B-PER", "O"]]
    results = ns.evaluate(gold, {"s": gold}, map={"PERSN": "PER"}, drop=["DATE"])
    assert [note_line(loss) for loss in results.losses] == [
        "--map PERSN=PER: no file has the type PERSN",
        "--drop DATE: no file has the type DATE",
    ]
    assert "map:PERSN=PER+drop(DATE)" in results.signature


def test_a_dropped_name_that_counts_as_another_is_refused() -> None:
    with pytest.raises(UsageError, match="map renames this type to PER"):
        ns.evaluate([["B-X"]], {"s": [["O"]]}, map={"PERSON": "PER"}, drop=["PERSON"])


def test_accuracy_takes_dropped_labels_for_outside() -> None:
    results = ns.evaluate([["B-A", "B-D", "O"]], {"s": [["B-A", "O", "O"]]}, drop=["D"])
    assert results.value(metric="accuracy") == 1.0
