"""Odd outputs are noticed: twins, gold as a system, other schemes, other types, other sentences."""

from pathlib import Path

import pytest
from tests.scoring.toys import Corpus, corpus, drawn, noisy, write

import nerscope
from nerscope.errors import AlignmentError
from nerscope.experiment.run import run_experiment
from nerscope.formats.base import open_source
from nerscope.formats.source import SourceNote

GOLD = drawn(40, seed=1)


def noted(kind: str, gold: Corpus, systems: dict[str, Corpus | list[Corpus]]) -> list[SourceNote]:
    found = nerscope.evaluate(gold, systems, dataset="d").losses
    return [loss for loss in found if loss["kind"] == kind]


def test_identical_outputs_of_two_systems_are_noticed_and_both_named() -> None:
    one, other = noisy(GOLD, 0.2, 2), noisy(GOLD, 0.2, 3)
    [loss] = noted("identical outputs", GOLD, {"a": one, "b": [other, one]})
    assert loss["places"] == ["d: run 2 of b"]
    assert loss["message"].startswith("identical to run 1 of a (")


def test_different_outputs_are_no_twins() -> None:
    assert (
        noted("identical outputs", GOLD, {"a": noisy(GOLD, 0.2, 2), "b": noisy(GOLD, 0.2, 3)}) == []
    )


def test_gold_given_as_a_system_is_noticed() -> None:
    [loss] = noted("identical outputs", GOLD, {"a": GOLD})
    assert loss["message"].startswith("identical to gold (")


def test_a_few_mentions_may_all_be_right() -> None:
    few = corpus("Ada/B-PER met Bob/B-PER")
    assert noted("identical outputs", few, {"a": few}) == []


def test_twins_in_an_experiment_are_noticed_also_if_they_come_from_the_cache(
    tmp_path: Path,
) -> None:
    write(tmp_path / "test.txt", GOLD)
    for name in ("a", "b"):
        write(tmp_path / f"{name}.txt", noisy(GOLD, 0.2, 2))
    head = '[settings]\nintervals = false\n[datasets.d]\ntest = "test.txt"\n[systems]\n'
    path = tmp_path / "e.toml"
    for systems in ('a = "a.txt"\n', 'a = "a.txt"\nb = "b.txt"\n'):
        path.write_text(head + systems)
        results, _ = run_experiment(nerscope.load_experiment(path))
    assert [loss["kind"] for loss in results.losses].count("identical outputs") == 1


def bioes(gold: Corpus) -> Corpus:
    names = {"B": "S", "I": "E"}
    found: Corpus = []
    for tokens, own in gold:
        after = [*own[1:], "O"]
        ends = [nxt[:2] != "I-" for nxt in after]
        found.append(
            (
                tokens,
                [
                    names[label[0]] + label[1:] if end and label != "O" else label
                    for label, end in zip(own, ends, strict=True)
                ],
            )
        )
    return found


def test_different_schemes_are_noticed() -> None:
    gold = corpus("Ada/B-PER Lee/I-PER met Bob/B-PER", "in Oslo/B-LOC")
    [loss] = noted("different schemes", gold, {"a": bioes(gold), "b": gold})
    assert loss["message"] == (
        "the labels are bioes, but those of gold are bio: label accuracy compares different schemes"
    )
    assert len(noted("different schemes", bioes(gold), {"a": gold})) == 1


def test_a_noisy_or_empty_output_is_in_no_other_scheme() -> None:
    empty = [(tokens, ["O"] * len(tokens)) for tokens, _ in GOLD]
    assert noted("different schemes", GOLD, {"a": noisy(GOLD, 0.5, 2), "b": empty}) == []
    assert noted("different schemes", bioes(GOLD), {"b": empty}) == []


def test_types_that_gold_does_not_have_are_named_with_the_map_that_may_mend_them() -> None:
    gold = corpus("Ada/B-PER in Oslo/B-LOC")
    [loss] = noted("foreign types", gold, {"a": corpus("Ada/B-PERSON in Oslo/B-LOC")})
    assert loss["message"] == (
        "1 mention of types that gold does not have (PERSON); "
        "--map PERSON=PER if they mean the same"
    )
    assert loss["count"] == 1


@pytest.mark.parametrize(
    ("gold", "output", "maps"),
    [
        # The output has PER as well, so PER is no unused type.
        ("Ada/B-PER Eve/B-PER", "Ada/B-PER Eve/B-PERSON", "--map PERSON=PER"),
        ("Ada/B-PER up/B-PRT", "Ada/B-PER up/B-PEX", ""),  # similar spelling is not enough
        ("Ada/B-Person is", "Ada/B-PERSON is", "--map PERSON=Person"),
        ("Ada/B-p is", "Ada/B-P is", "--map P=p"),
        ("Oslo/B-LOC Ada/B-P", "Oslo/B-LOCATION Ada/B-PERS", "--map LOCATION=LOC"),
    ],
)
def test_maps_are_suggested_for_types_that_contain_each_other(
    gold: str, output: str, maps: str
) -> None:
    [note] = noted("foreign types", corpus(gold), {"a": corpus(output)})
    hint = note["message"].partition("; ")[2]
    assert hint == (f"{maps} if they mean the same" if maps else "")


@pytest.mark.parametrize(
    ("lines", "column"),
    [
        (["Ada B-PER B-PER", "met O O", "Bob B-PER O"], 1),
        (["Ada x B-PER I-PER", "met y O O"], 2),
        (["Ada B-NP B-PER", "met B-VP O"], None),  # chunks have other types
        (["Ada NNP B-PER", "met VBD O"], None),
        (["Ada B-PER", "met O"], None),
    ],
)
def test_gold_with_two_columns_of_labels_is_noted(
    lines: list[str], column: int | None, tmp_path: Path
) -> None:
    gold, output = tmp_path / "gold.txt", tmp_path / "a.txt"
    gold.write_text("\n".join(lines) + "\n")
    output.write_text("".join(f"{line.split()[0]} {line.split()[-1]}\n" for line in lines))
    found = nerscope.evaluate(gold, {"a": output}).losses
    messages = [note["message"] for note in found if note["kind"] == "gold column"]
    assert [f"{gold}::label={column} if" in message for message in messages] == (
        [True] if column is not None else []
    )


def test_at_most_five_foreign_types_are_named() -> None:
    gold = corpus("a/B-Q b c d e f g")
    many = corpus("a/B-Q b/B-A c/B-B d/B-C e/B-D f/B-E g/B-F")
    [loss] = noted("foreign types", gold, {"a": many})
    assert loss["message"] == "6 mentions of types that gold does not have (A, B, C, D, E …)"


def test_a_type_that_is_never_predicted_needs_no_note() -> None:
    gold = corpus("Ada/B-PER in Oslo/B-LOC")
    assert noted("foreign types", gold, {"a": corpus("Ada/B-PER in Oslo")}) == []


def test_a_shuffled_output_is_refused_even_where_tokens_may_differ(tmp_path: Path) -> None:
    texts = [f"w{number}/B-PER x{number} y{number}" for number in range(9)]
    gold = write(tmp_path / "gold.txt", corpus(*texts))
    output = write(tmp_path / "out.txt", corpus(*reversed(texts)))
    with pytest.raises(
        AlignmentError, match="24 of 27 tokens differ from gold, so the output is shuffled"
    ):
        nerscope.evaluate(gold, {"a": open_source(output, tokens="any")})


def test_an_output_spelt_otherwise_in_places_is_only_noted(tmp_path: Path) -> None:
    gold = write(tmp_path / "gold.txt", corpus("a/B-PER b c d"))
    output = write(tmp_path / "out.txt", corpus("a/B-PER b X Y"))
    found = nerscope.evaluate(gold, {"a": open_source(output, tokens="any")})
    assert [loss["kind"] for loss in found.losses] == ["different tokens"]
