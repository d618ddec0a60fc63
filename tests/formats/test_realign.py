"""Systems with tokens of their own, against gold: scored over characters, as a naive count does."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import nerscope as ns
from nerscope.corpus.corpus import Coding, Corpus
from nerscope.corpus.mentions import explicit_shapes
from nerscope.errors import AlignmentError
from nerscope.formats.align import side_by_side
from nerscope.formats.base import CorpusSource, open_source
from nerscope.formats.realign import CharacterAligner
from nerscope.formats.source import Source
from nerscope.formats.standoff.text import Record, TextSpan, text_source
from nerscope.results.mistakes import unaligned

Chars = tuple[tuple[int, int], ...]
Tokenised = list[list[tuple[int, int]]]  # sentences of tokens, in characters of the whole text
Mention = tuple[int, int, int, str]  # sentence, first and last token, type


class Aligned(Source):
    """A corpus that is to be aligned over its characters."""

    retokenised = True

    def __init__(self, corpus: Corpus) -> None:
        self.name, self._corpus = corpus.name, corpus

    def chunks(self, coding: Coding, *, tokens: bool = True) -> Iterator[Corpus]:
        yield self._corpus.recoded(coding)


TEXT = "AbCdEfGhIjKlMnOpQrStUvWxYzÄÖÜß中文😀१२"


@st.composite
def tokenised(draw: st.DrawFn, size: int) -> Tokenised:
    cuts = sorted(draw(st.sets(st.integers(1, size - 1), max_size=size - 1)))
    edges = [0, *cuts, size]
    tokens = list(pairwise(edges))
    breaks = sorted(draw(st.sets(st.integers(1, len(tokens)), max_size=3)) | {len(tokens)})
    starts = [0, *breaks[:-1]]
    return [tokens[low:high] for low, high in zip(starts, breaks, strict=True)]


@st.composite
def annotated(draw: st.DrawFn, size: int) -> tuple[Tokenised, list[Mention]]:
    sentences = draw(tokenised(size))
    mentions = []
    for number, tokens in enumerate(sentences):
        for _ in range(draw(st.integers(0, 2))):
            first = draw(st.integers(0, len(tokens) - 1))
            last = draw(st.integers(first, len(tokens) - 1))
            mentions.append((number, first, last, draw(st.sampled_from("XY"))))
    return sentences, mentions


def corpus(text: str, sentences: Tokenised, mentions: list[Mention], name: str) -> Corpus:
    items = []
    for number, tokens in enumerate(sentences):
        spans = [(low, high + 1, kind) for at, low, high, kind in mentions if at == number]
        items.append(([text[begin:end] for begin, end in tokens], spans))
    return Corpus.of(items, name=name)


def characters(sentences: Tokenised, mentions: list[Mention]) -> Counter[tuple[int, int, str]]:
    """The mentions as characters; the same one twice in a sentence counts once."""
    distinct = dict.fromkeys(mentions)
    return Counter(
        (sentences[at][low][0], sentences[at][high][1], kind) for at, low, high, kind in distinct
    )


@given(st.data())
@settings(max_examples=300, deadline=None)
def test_exact_scores_over_two_tokenisations_are_those_of_characters(data: st.DataObject) -> None:
    size = data.draw(st.integers(2, len(TEXT)))
    text = TEXT[:size]
    gold, found = data.draw(annotated(size)), data.draw(annotated(size))
    if not gold[1]:
        return
    # A system's mention counts once, in the sentence of gold in which it begins.
    results = ns.evaluate(
        CorpusSource(corpus(text, *gold, "gold")), {"s": Aligned(corpus(text, *found, "s"))}
    )
    wanted, own = characters(*gold), characters(*found)
    row = next(r for r in results.select(facet="all", metric="recall", match="exact", type=None))
    assert row["n"] == wanted.total()
    assert round((row["value"] or 0) * row["n"]) == (wanted & own).total()
    precision = results.select(facet="all", metric="precision", match="exact", type=None)[0]
    assert precision["n"] == own.total()
    edges = {edge for sentence in gold[0] for token in sentence for edge in token}
    ends = [sentence[-1][1] for sentence in gold[0]]

    def fits(start: int, end: int) -> bool:
        crosses = any(start < at < end for at in ends)
        return start in edges and end in edges and not crosses

    aligned = sum(times for (start, end, _), times in own.items() if fits(start, end))
    [row] = results.select(
        facet="alignment", level="aligned", metric="precision", match="exact", type=None, run="1"
    )
    assert row["n"] == aligned


def record(text: str, *spans: tuple[int, int, str]) -> Record:
    return Record(text, [TextSpan(((start, end),), kind) for start, end, kind in spans])


def source(*records: Record, name: str = "s") -> Source:
    return text_source(name, lambda: iter(records))


def test_blanks_do_not_count_and_breaks_may_differ() -> None:
    gold = [(["Ada", "Lee"], ["B-PER", "I-PER"]), (["left", "Oslo", "."], ["O", "B-LOC", "O"])]
    system = source(record("Ada  Lee left\n Oslo.", (0, 8, "PER"), (15, 19, "LOC")))
    assert ns.evaluate(gold, {"s": system}).value(metric="f1", match="exact") == 1.0


@pytest.mark.parametrize(
    ("theirs", "hits"),
    [
        ("She said “Ada” left", 1),  # one character for another
        ("She said ``Ada'' left", 1),  # two for one, beside the mention
        ("She said Ada left", 1),
    ],
)
def test_a_text_that_differs_here_and_there_is_still_aligned(theirs: str, hits: int) -> None:
    gold = [(["She", "said", '"', "Ada", '"', "left"], [(3, 4, "PER")])]
    at = theirs.index("Ada")
    results = ns.evaluate(gold, {"s": source(record(theirs, (at, at + 3, "PER")))})
    assert results.value(metric="recall", match="exact") == hits
    assert [loss["kind"] for loss in results.losses] == [
        "sentences whose characters differ from gold"
    ]


@pytest.mark.parametrize("one_record", [True, False])
def test_a_difference_does_not_swallow_the_short_sentence_behind(one_record: bool) -> None:
    words = ['She said " Ada " left town', "Bob sat", "Eve ran"]
    gold = [
        (text.split(), [(text.split().index(name), text.split().index(name) + 1, "PER")])
        for text, name in zip(words, ("Ada", "Bob", "Eve"), strict=True)
    ]
    theirs = ["She said “Ada” left town", "Bob sat", "Eve ran"]
    records = []
    for text, name in zip(theirs, ("Ada", "Bob", "Eve"), strict=True):
        at = text.index(name)
        records.append(record(text, (at, at + 3, "PER")))
    if one_record:
        text = "\n".join(theirs)
        spans = [(text.index(name), text.index(name) + 3, "PER") for name in ("Ada", "Bob", "Eve")]
        records = [record(text, *spans)]
    results = ns.evaluate(gold, {"s": source(*records)})
    assert results.value(metric="f1", match="exact") == 1.0


def test_a_mention_with_a_fragment_beyond_a_differing_sentence_is_told() -> None:
    gold = [(["He", "said", '"', "no", '"', "today"], [(0, 1, "X")]), (["Bob", "sat"], [])]
    spans = [TextSpan(((0, 2), (18, 21)), "X")]
    system = source(Record("He said “no” today Bob sat", spans))
    results = ns.evaluate(gold, {"s": system})
    assert results.value(metric="precision", match="exact") == 0.0
    assert "mentions that go beyond a sentence of gold" in {one["kind"] for one in results.losses}


def test_a_mention_of_blanks_alone_is_told() -> None:
    gold = [(["Ada", "x"], [(0, 1, "X")]), (["Bob", "\u3000"], [(1, 2, "Y")])]
    system = Corpus.of([(["Ad", "a", "x"], [(0, 2, "X")]), (["Bo", "b", "\u3000"], [(2, 3, "Y")])])
    results = ns.evaluate(gold, {"s": Aligned(system)})
    assert results.value(metric="precision", match="exact") == 0.5
    assert "mentions that are not in the text of gold (hallucinated)" in {
        one["kind"] for one in results.losses
    }


@pytest.mark.parametrize(
    ("gaps", "text"), [(None, "EU CUP 's"), (["", "", " ", "", ""], "EU CUP's")]
)
def test_the_text_of_a_misfit_keeps_blanks_and_dropped_types_are_not_noted(
    gaps: list[str] | None, text: str
) -> None:
    gold = [(["pre-EU", "CUP", "'s-x"], [(1, 2, "X")])]
    system = Corpus.of([(["pre-", "EU", "CUP", "'s", "-x"], [(1, 4, "X"), (0, 1, "Y")])])
    system = replace(system, gaps=None if gaps is None else np.array(gaps, object))
    results = ns.evaluate(gold, {"s": Aligned(system)}, drop=["Y"])
    assert [row.text for row in unaligned(results)] == [text]
    assert [loss["items"] for loss in results.losses if "items" in loss] == [[text]]


def test_a_mention_that_equals_no_other_is_no_correct_one_in_lists() -> None:
    gold = [(["U.S.-based", "firm"], [(0, 1, "X")])]
    results = ns.evaluate(gold, {"s": source(record("U.S.-based firm", (0, 4, "X")))})
    assert {one["outcome"] for one in results.errors()} == {"wrong boundary"}


def test_a_system_in_one_record_is_read_in_linear_time() -> None:
    size = 3000
    gold = Corpus.of([(["Ada", "left"], [(0, 1, "X")])] * size)
    text = "Ada left\n" * size
    spans = [TextSpan(((9 * at, 9 * at + 3),), "X") for at in range(size)]
    results = ns.evaluate(gold, {"s": source(Record(text, spans))})
    assert results.value(metric="f1", match="exact") == 1.0


def test_a_mention_whose_characters_gold_does_not_have_is_an_error_and_listed() -> None:
    gold = [(["She", "went", "to", "New", "York", "yesterday"], [(3, 5, "LOC")])]
    theirs = "She went to Xyzzy New York yesterday"
    results = ns.evaluate(gold, {"s": source(record(theirs, (12, 17, "PER"), (18, 26, "LOC")))})
    assert results.value(metric="precision", match="exact") == 0.5
    [value] = [
        r["value"]
        for r in results.select(
            facet="alignment",
            level="aligned",
            metric="precision",
            match="exact",
            type=None,
            run="1",
        )
    ]
    assert value == 1.0
    [lost] = [loss for loss in results.losses if "hallucinated" in loss["kind"]]
    assert (lost["count"], lost["items"]) == (1, ["Xyzzy"])


@pytest.mark.parametrize(
    ("records", "fact"),
    [
        ([record("Something else entirely")], "the text differs from s"),
        ([record("Ada left")], "it ends before"),
        (
            [record("Ada left"), record("Oslo ."), record("More")],
            "it continues after the end of gold",
        ),
    ],
)
def test_another_text_is_refused(records: list[Record], fact: str) -> None:
    gold = [(["Ada", "left"], ["B-PER", "O"]), (["Oslo", "."], ["B-LOC", "O"])]
    with pytest.raises(AlignmentError, match=fact):
        ns.evaluate(gold, {"s": source(*records)})


def test_labels_without_tokens_are_for_the_tokens_of_gold() -> None:
    gold = source(record("Ada left.", (0, 3, "PER")), name="g")
    assert ns.evaluate(gold, {"s": [["B-PER", "O", "O"]]}).value(metric="f1", match="exact") == 1.0
    with pytest.raises(AlignmentError, match="labels without tokens"):
        ns.evaluate(gold, {"s": [["B-PER", "O"]]})


def test_types_are_renamed_once() -> None:
    gold = [(["Ada", "Oslo"], ["B-A", "B-B"])]
    system = source(record("Ada Oslo", (0, 3, "A"), (4, 8, "B")))
    results = ns.evaluate(gold, {"s": system}, map={"A": "B", "B": "A"})
    assert results.value(metric="f1", match="exact") == 1.0


def test_chunks_of_gold_may_end_inside_a_record() -> None:
    gold = Corpus.of([(["Ada", "left"], ["B-PER", "O"])] * 5)

    class Pieces(Source):
        name = "g"

        def chunks(self, coding: Coding, *, tokens: bool = True) -> Iterator[Corpus]:
            whole = gold.recoded(coding)
            for at in range(5):
                yield whole.sentences(at, at + 1)

    text = "Ada left " * 5
    spans = [(9 * k, 9 * k + 3, "PER") for k in range(5)]
    rows = list(side_by_side([Pieces(), source(record(text, *spans))], Coding()))
    assert [row[1].mentions().start.tolist() for row in rows] == [[0]] * 5


WORDS = ("a", "bb", "c-d", "é", "日本", "U.S.", "🎉z")


@st.composite
def sides(draw: st.DrawFn) -> tuple[Corpus, list[Record]]:
    """Sentences of gold, and the same text in other tokens and lines, sometimes with a change."""
    sentences = draw(st.lists(st.lists(st.sampled_from(WORDS), min_size=1, max_size=5), min_size=1))
    gold = Corpus.of([(words, [(0, 1, "X")]) for words in sentences], name="gold")
    records = list[Record]()
    for words in sentences:
        text = draw(st.sampled_from((" ", "", "\n"))).join(words)
        if draw(st.integers(0, 9)) == 0:
            at = draw(st.integers(0, len(text) - 1))
            text = f"{text[:at]}q{text[at + 1 :]}"
        edges = sorted(draw(st.lists(st.integers(0, len(text)), unique=True, max_size=4)))
        pieces = [
            (a, b) for a, b in zip(edges[::2], edges[1::2], strict=False) if text[a:b].strip()
        ]
        spans = [TextSpan(tuple(pieces), "X")] if pieces else []
        records.append(Record(text, spans, len(records) + 1))
    return gold, records


@given(sides(), st.sampled_from((4, 1 << 19)))
def test_chunks_are_aligned_as_their_sentences_are(
    given: tuple[Corpus, list[Record]], size: int
) -> None:
    gold, records = given

    def aligned(*, together: bool) -> object:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("nerscope.formats.standoff.text._CHUNK", size)
            if not together:
                patch.setattr(CharacterAligner, "_align_together", lambda *given: 0)
            coding = Coding()
            system = text_source("system", lambda: iter(records))
            try:
                rows = list(side_by_side([open_source(gold), system], coding))
            except AlignmentError as error:
                return str(error)
            found = list[object]()
            for _, chunk in rows:
                mentions = chunk.mentions()
                columns = (mentions.start.tolist(), mentions.end.tolist(), mentions.type.tolist())
                shapes = explicit_shapes(mentions.shape, len(mentions)).tolist()
                found.append(sorted(zip(*columns, map(str, shapes), strict=True)))
                found.append(sorted(map(str, chunk.reading_notes.notes.items())))
            return found

    assert aligned(together=True) == aligned(together=False)
