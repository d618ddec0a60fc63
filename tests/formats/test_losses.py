"""Whatever was read differently from how it was written is counted, placed and said."""

import pytest

from nerscope.corpus.corpus import Corpus
from nerscope.corpus.schemes import Fault
from nerscope.errors import FormatError
from nerscope.formats.losses import losses_of, spell


def corpus(*sentences: str, name: str = "f") -> Corpus:
    return Corpus.of([sentence.split() for sentence in sentences], name=name, scheme="bio")


def test_a_corpus_without_faults_loses_nothing() -> None:
    assert losses_of([corpus("B-X I-X"), corpus("O")], "conlleval") == []


def test_repairs_are_counted_by_kind_with_their_first_places() -> None:
    [loss] = losses_of(
        [corpus("B-X"), corpus("O I-X", "I-X", "O I-X", "B-X I-Y", name="g")], "strict"
    )
    assert loss == {
        "source": "g",
        "kind": "repaired labels",
        "count": 4,
        "places": ["g:1", "g:2", "g:4"],
        "message": "4 transitions not allowed in bio, repaired as strict: "
        "I-X after O (2), I-X after the sentence start (1), I-Y after B-X (1)",
    }


def test_one_repair_is_a_transition_and_many_kinds_are_cut_short() -> None:
    [one] = losses_of([corpus("I-X")], "conlleval")
    assert one["message"].startswith("1 transition not allowed")
    [many] = losses_of([corpus(*(f"I-{letter}" for letter in "ABCDEFG"))], "conlleval")
    assert many["count"] == 7 and len(many["places"]) == 5 and many["message"].count("after") == 3


def test_the_repair_none_refuses_the_first_fault() -> None:
    with pytest.raises(FormatError) as caught:
        losses_of([corpus("B-X", "O I-X", "I-X")], "none")
    assert caught.value.place == "f:2"
    assert caught.value.fact == "I-X after O is not allowed in bio (2 such places)"


def test_the_refused_place_and_the_refused_transition_belong_together() -> None:
    with pytest.raises(FormatError) as caught:
        losses_of([corpus("I-X", "O I-Y", "O I-Y")], "none")
    assert caught.value.place == "f:1"
    assert caught.value.fact.startswith("I-X after the sentence start is not allowed in bio")


@pytest.mark.parametrize(
    ("own", "count", "place", "words"),
    [
        (["a", "b", "C"], 1, "own:3", "1 token spelt"),
        (["A", "b", "C"], 2, "own:1", "2 tokens spelt"),
    ],
)
def test_tokens_that_are_spelt_otherwise_are_a_loss(
    own: list[str], count: int, place: str, words: str
) -> None:
    gold = Corpus.of([([word], ["O"]) for word in "abc"])
    output = Corpus.of([([word], ["O"]) for word in own], name="own", coding=gold.coding)
    output.column.note_other_tokens(gold, output)
    [loss] = losses_of([output], "conlleval")
    assert (loss["kind"], loss["count"], loss["places"]) == ("different tokens", count, [place])
    assert loss["message"] == f"{words} otherwise than in gold; matched by position"


def test_tokens_of_several_chunks_are_counted_together() -> None:
    gold = Corpus.of([([word], ["O"]) for word in "abc"])
    output = Corpus.of([([word], ["O"]) for word in "aBC"], name="own", coding=gold.coding)
    for first in range(3):
        output.column.note_other_tokens(
            gold.sentences(first, first + 1), output.sentences(first, first + 1)
        )
    [loss] = losses_of([output], "conlleval")
    assert (loss["count"], loss["places"]) == (2, ["own:2"])


@pytest.mark.parametrize(("count", "words"), [(1, "1 label mended"), (3, "3 labels mended")])
def test_labels_that_were_mended_on_request_are_a_loss(count: int, words: str) -> None:
    given = corpus("B-X")
    given.column.mended = count
    [loss] = losses_of([given], "conlleval")
    assert (loss["source"], loss["kind"], loss["count"]) == ("f", "mended labels", count)
    assert loss["message"] == f"{words} as asked"


def test_a_fault_is_spelt_in_the_order_of_blame() -> None:
    assert spell(Fault("O", "I-X", 1, 1)) == "I-X after O"
