"""Whatever was read differently from how it was written is counted, placed and said."""

import pytest

from nerscope.corpus.corpus import Corpus, Note, ReadingNotes
from nerscope.corpus.schemes import BIO, Fault
from nerscope.errors import FormatError
from nerscope.formats.source import SourceNote, describe_fault, note_line, reading_notes


def reading(*sentences: str) -> ReadingNotes:
    return Corpus.of([sentence.split() for sentence in sentences], scheme="bio").reading_notes


def losses(given: ReadingNotes, repair: str = "conlleval") -> list[SourceNote]:
    return list(reading_notes("f", given, BIO, repair))


@pytest.mark.parametrize("repair", ["conlleval", "strict", "discard", "none"])
def test_a_corpus_without_faults_loses_nothing(repair: str) -> None:
    assert losses(reading("B-X I-X", "O"), repair) == []
    assert losses(ReadingNotes(), repair) == []


def test_repairs_are_counted_by_kind_with_their_first_places() -> None:
    [found] = losses(reading("O I-X", "I-X", "O I-X", "B-X I-Y"), "strict")
    assert found == {
        "source": "f",
        "kind": "repaired labels",
        "count": 4,
        "places": ["f:1", "f:2", "f:4"],
        "message": "4 transitions not allowed in bio, repaired as strict: "
        "I-X after O (2), I-X after the sentence start (1), I-Y after B-X (1)",
        "of": 7,
    }
    assert note_line(found) == f"f:1: {found['message']}"


def test_repairs_are_counted_against_the_scheme_that_is_given() -> None:
    given = Corpus.of([["O", "I-X"], ["I-X", "B-X"]]).reading_notes
    assert list(reading_notes("f", given, given.transitions.scheme(), "strict")) == []
    assert [loss["count"] for loss in reading_notes("f", given, BIO, "strict")] == [2]


def test_one_repair_is_a_transition_and_many_kinds_are_cut_short() -> None:
    [one] = losses(reading("I-X"))
    assert one["message"].startswith("1 transition not allowed")
    [many] = losses(reading(*(f"I-{letter}" for letter in "ABCDEFG")))
    assert many["count"] == 7 and len(many["places"]) == 5 and many["message"].count("after") == 3


def test_the_repair_none_refuses_the_first_fault() -> None:
    with pytest.raises(FormatError) as caught:
        losses(reading("B-X", "O I-X", "I-X"), "none")
    assert caught.value.place == "f:2"
    assert caught.value.fact == "I-X after O is not allowed in bio (2 such places)"


def test_the_refused_place_and_the_refused_transition_belong_together() -> None:
    with pytest.raises(FormatError) as caught:
        losses(reading("I-X", "O I-Y", "O I-Y"), "none")
    assert caught.value.place == "f:1"
    assert caught.value.fact.startswith("I-X after the sentence start is not allowed in bio")


@pytest.mark.parametrize(("count", "words"), [(1, "1 token spelt"), (2, "2 tokens spelt")])
def test_tokens_that_are_spelt_otherwise_are_a_loss(count: int, words: str) -> None:
    [found] = losses(ReadingNotes(differing_tokens=count, first_differing_line=3))
    assert (found["kind"], found["count"], found["places"]) == ("different tokens", count, ["f:3"])
    assert found["message"] == f"{words} differently from gold, matched by position"


def test_tokens_of_several_chunks_are_counted_together() -> None:
    parts = [
        ReadingNotes(),
        ReadingNotes(differing_tokens=1, first_differing_line=2),
        ReadingNotes(differing_tokens=1, first_differing_line=3),
    ]
    [found] = losses(sum(parts, ReadingNotes()))
    assert (found["count"], found["places"]) == (2, ["f:2"])


@pytest.mark.parametrize(("count", "words"), [(1, "1 label corrected"), (3, "3 labels corrected")])
def test_labels_that_were_mended_on_request_are_a_loss(count: int, words: str) -> None:
    [found] = losses(ReadingNotes(mended_labels=count))
    assert (found["source"], found["kind"], found["count"]) == ("f", "corrected labels", count)
    assert found["message"] == f"{words} by the file option mend" and note_line(found).startswith(
        "f: "
    )


@pytest.mark.parametrize(("line", "place"), [(7, "f:7"), (0, "f")])
def test_what_a_format_says_it_left_out_is_a_loss(line: int, place: str) -> None:
    [found] = losses(ReadingNotes(notes={"relations": Note(4, (line,))}))
    assert (found["kind"], found["count"], found["places"]) == ("relations", 4, [place])


def test_every_kind_of_loss_is_told_in_turn() -> None:
    given = reading("I-X") + ReadingNotes(
        mended_labels=1, differing_tokens=1, first_differing_line=1
    )
    assert [found["kind"] for found in losses(given)] == [
        "different tokens",
        "corrected labels",
        "repaired labels",
    ]


def test_a_fault_is_spelt_in_the_order_of_blame() -> None:
    assert describe_fault(Fault("O", "I-X", 1, 1)) == "I-X after O"
