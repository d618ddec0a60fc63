"""Documents of spaCy, from its files and from memory: what spaCy says of them is what is read."""

import io
import pickle
import zlib
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import spacy
from hypothesis import given, settings
from hypothesis import strategies as st
from spacy.tokens import Doc, DocBin, Span

import nerscope
from nerscope.corpus.corpus import Coding, Corpus
from nerscope.corpus.mentions import Shape
from nerscope.corpus.schemes import BIO
from nerscope.errors import FormatError, InputError, NerscopeError, UsageError
from nerscope.formats.base import open_source, read
from nerscope.formats.docbin import open_docbin, write_docbin
from nerscope.formats.files import FileBytes
from nerscope.formats.source import UNSET

NLP = spacy.blank("en")
srsly: Any = import_module("srsly")  # which comes with spaCy
Triple = tuple[int, int, str]


def words_of(corpus: Corpus) -> list[list[str]]:
    return [corpus.words(sentence) for sentence in range(len(corpus))]


def mentions_of(corpus: Corpus) -> list[Triple]:
    found, types = corpus.mentions(), corpus.coding.labels.types
    columns = (found.start.tolist(), found.end.tolist(), found.type.tolist())
    return [(low, high, types[kind]) for low, high, kind in zip(*columns, strict=True)]


def document(words: list[str], spans: list[Triple], **said: Any) -> Doc:
    made = Doc(NLP.vocab, words=words, **said)
    made.set_ents([Span(made, low, high, label=kind) for low, high, kind in spans])
    return made


def packed(documents: list[Doc], **said: Any) -> bytes:
    return bytes(DocBin(docs=documents, **said).to_bytes())


def whole(data: bytes, **said: Any) -> Corpus:
    [corpus] = open_docbin(FileBytes("x.spacy", data=data), **said).chunks(Coding())
    return corpus


ADA = (["Ada", "Byron", "spoke", ".", "She", "left", "Oslo"], [(0, 2, "PERSON"), (6, 7, "case")])


@pytest.mark.parametrize(
    "reader",
    [
        lambda documents: whole(packed(documents)),
        lambda documents: whole(packed(documents, attrs=["ENT_IOB", "ENT_TYPE", "SENT_START"])),
        lambda documents: whole(packed(documents, store_user_data=True)),
        read,
        lambda documents: read(tuple(documents)),
        lambda documents: read(DocBin(docs=documents)),
    ],
)
def test_documents_and_files_are_read_alike(reader: Callable[[list[Doc]], Corpus]) -> None:
    starts = [True, False, False, False, True, False, False]
    documents = [document(*ADA, sent_starts=starts), document(["here", "NOUN"], [])]
    corpus = reader(documents)
    assert words_of(corpus) == [ADA[0][:4], ADA[0][4:], ["here", "NOUN"]]
    assert mentions_of(corpus) == ADA[1]
    assert corpus.documents.tolist() == [0, 0, 1]
    assert corpus.lines.tolist() == [1] * 7 + [2] * 2
    assert corpus.gaps is None


def test_a_document_is_a_sentence_where_no_sentences_are_set() -> None:
    assert len(whole(packed([document(*ADA)]))) == 1


def test_no_sentence_ends_inside_of_a_mention() -> None:
    made = document(["a", "b", "c"], [(0, 2, "X")], sent_starts=[True, True, True])
    assert words_of(whole(packed([made]))) == [["a", "b"], ["c"]]


def test_words_of_blanks_are_space_between_words() -> None:
    made = NLP("Ada \n\n spoke. ")
    made.ents = [made.char_span(0, 3, "PER")]
    for corpus in (whole(packed([made])), read([made])):
        assert words_of(corpus) == [["Ada", "spoke", "."]]
        assert corpus.gaps is not None
        assert corpus.gaps.tolist() == ["", " \n\n ", ""]


def test_a_mention_of_blanks_is_refused_and_one_with_blanks_trimmed() -> None:
    words = ["Ada", "\n", "x"]
    trimmed = whole(packed([document(words, [(0, 2, "PER")])]))
    assert mentions_of(trimmed) == [(0, 1, "PER")]
    assert trimmed.reading_notes.notes["spans with blanks at an edge"].times == 1
    blank = document(words, [])
    blank.spans["sc"] = [Span(blank, 1, 2, label="X")]
    with pytest.raises(FormatError, match=r"document 1: the span .* contains only blanks"):
        whole(packed([blank]), spans="sc")


def test_span_groups_are_read_where_no_document_has_entities_or_if_named() -> None:
    made = document(["Bank", "of", "Ghana"], [(0, 3, "ORG")])
    made.spans["sc"] = [Span(made, 0, 3, label="ORG"), Span(made, 2, 3, label="GPE")]
    made.spans["other"] = [Span(made, 0, 1, label="X")]
    assert mentions_of(whole(packed([made]))) == [(0, 3, "ORG")]
    assert mentions_of(whole(packed([made]), spans="other")) == [(0, 1, "X")]
    with pytest.raises(InputError, match=r"no document has a span group 'x'.*groups: other, sc;"):
        whole(packed([made]), spans="x")
    made.set_ents([])
    for corpus in (whole(packed([made, document(["x"], [])])), read([made])):
        assert mentions_of(corpus) == [(0, 3, "ORG"), (2, 3, "GPE")]


def test_words_of_which_nobody_said_anything_are_counted() -> None:
    for corpus in (whole(packed([Doc(NLP.vocab, words=["a", "b"])])),
                   read([Doc(NLP.vocab, words=["a", "b"])])):  # fmt: skip
        assert corpus.reading_notes.notes[UNSET].times == 2
    assert not whole(packed([document(["a"], [])])).reading_notes.notes


def test_words_that_were_held_back_are_no_mention() -> None:
    made = Doc(NLP.vocab, words=["a", "b"])
    made.set_ents([Span(made, 0, 1, label="X")], blocked=[made[1:2]])
    assert mentions_of(whole(packed([made]))) == mentions_of(read([made])) == [(0, 1, "X")]


def test_empty_documents_are_passed_over() -> None:
    assert len(whole(packed([Doc(NLP.vocab), document(["a"], [])]))) == 1
    with pytest.raises(InputError, match="contains no sentences"):
        whole(packed([]))


def test_documents_are_evaluated_against_any_gold() -> None:
    gold = [(["Ada", "spoke"], ["B-PER", "O"]), (["here"], ["O"])]
    runs = [[document(["Ada", "spoke"], [(0, 1, "PER")]), document(["he", "re"], [])]]
    results = nerscope.evaluate(gold, {"spacy": runs[0]})
    recall = next(row["value"] for row in results.rows if row["metric"] == "recall")
    assert recall == 1


class Trap:
    """Whoever unpickles it runs it."""

    def __reduce__(self) -> tuple[Any, ...]:
        return (pytest.fail, ("a pickle was read",))


def test_what_users_stored_is_never_looked_at() -> None:
    content = srsly.msgpack_loads(zlib.decompress(packed([document(*ADA)], store_user_data=True)))
    trap = pickle.dumps(Trap())
    content["user_data"] = [srsly.msgpack_dumps({"x": trap})]
    content["cats"] = [{b"nd": True, b"type": "O", b"kind": b"O", b"shape": [1], b"data": trap}]
    assert mentions_of(whole(zlib.compress(srsly.msgpack_dumps(content)))) == ADA[1]


def changed(**things: Any) -> bytes:
    content = srsly.msgpack_loads(zlib.decompress(packed([document(*ADA)])))
    for key, thing in things.items():
        if thing is None:
            del content[key]
        else:
            content[key] = thing
    return zlib.compress(srsly.msgpack_dumps(content))


GOOD = packed([document(*ADA)])
BAD: dict[str, tuple[bytes, str]] = {
    "no bytes at all": (b"", "it is cut off"),
    "rubbish": (b"rubbish" * 100, "its content cannot be read"),
    "a pickle": (zlib.compress(pickle.dumps({"tokens": b""})), "it is not a DocBin"),
    "cut off": (GOOD[:-9], "it is cut off"),
    "a list": (zlib.compress(srsly.msgpack_dumps([1])), "it is not a msgpack mapping"),
    "deeply nested": (zlib.compress(b"\x91" * 100_000), "it is not a DocBin"),
    "no words": (changed(tokens=None), "'tokens' does not contain numbers"),
    "words cut off": (changed(tokens=b"\0" * 64), "the number of words differs"),
    "half a number": (changed(tokens=b"\0" * 63), "'tokens' does not contain numbers"),
    "spaces cut off": (changed(spaces=b"\0"), "the number of words differs"),
    "no attributes": (changed(attrs=[]), "the number of words differs"),
    "attributes of another kind": (
        changed(attrs=["ORTH"] * 13),
        "'attrs' has values of the wrong type",
    ),
    "no ORTH": (changed(attrs=list(range(1, 14))), "it contains no words"),
    "huge lengths": (changed(lengths=b"\xff\xff\xff\x7f"), "the number of words differs"),
    "negative lengths": (changed(lengths=b"\xff\xff\xff\xff"), "a negative number of words"),
    "no strings": (changed(strings=[]), "with the hash .* is missing"),
    "strings that are none": (changed(strings=[1]), "'strings' has values of the wrong type"),
    "more flags": (changed(flags=[{}, {}]), "1 documents but 2 'flags'"),
    "groups of another kind": (
        changed(span_groups=["x"]),
        "'span_groups' has values of the wrong type",
    ),
}


@pytest.mark.parametrize(("data", "fact"), BAD.values(), ids=BAD.keys())
def test_broken_files_are_refused(data: bytes, fact: str) -> None:
    with pytest.raises(InputError, match=fact) as caught:
        whole(data)
    assert caught.value.place == "x.spacy"


def group(start: int, end: int, size: int = 40) -> bytes:
    import struct

    span = struct.pack(">QQQllll", 0, 0, NLP.vocab.strings["case"], start, end, 0, 0)[:size]
    one = srsly.msgpack_dumps({"name": "sc", "attrs": {}, "spans": [span]})
    return bytes(srsly.msgpack_dumps({one: ["sc"]}))


@pytest.mark.parametrize(
    ("data", "fact"),
    [
        (group(0, 99), r"document 1: the span \(0, 99\) is empty or outside the 7 tokens"),
        (group(-1, 2), "is empty or outside"),
        (group(3, 3), "is empty or outside"),
        (group(0, 1, size=39), "other values than spans"),
        (b"\xc1", "its content cannot be read"),
        (srsly.msgpack_dumps(7), "it is not a DocBin"),
        (srsly.msgpack_dumps({b"\x81": 7}), "it is not a DocBin"),
        (srsly.msgpack_dumps([srsly.msgpack_dumps([])]), "it is not a DocBin"),
    ],
)
def test_broken_span_groups_are_refused(data: bytes, fact: str) -> None:
    with pytest.raises(InputError, match=fact):
        whole(changed(span_groups=[data]), spans="sc")


def test_an_entity_that_goes_on_before_it_begins_is_refused() -> None:
    content = srsly.msgpack_loads(zlib.decompress(GOOD))
    table = np.frombuffer(content["tokens"], "<u8").reshape(7, -1).copy()
    table[3, content["attrs"].index(spacy.attrs.ENT_IOB)] = 1
    with pytest.raises(FormatError, match="document 1: token 4 continues an entity"):
        whole(changed(tokens=table.tobytes()))


def test_bytes_that_grow_beyond_all_measure_are_refused() -> None:
    bomb = zlib.compress(b"\x90" * (80 << 20), 9)
    assert len(bomb) < 1 << 20
    with pytest.raises(InputError, match="it unpacks to more than 100 times its size"):
        whole(bomb)


HOSTILE = st.text(
    st.one_of(
        st.sampled_from('aé\u0301\u05d0\u200d\u00a0\u2028"\\\t#🎉'),
        st.characters(exclude_categories=["Cs"]),
    ),
    min_size=1,
    max_size=5,
).filter(lambda text: bool(text.strip()) and not {"\0", "\x1f"} & set(text))
KINDS = st.sampled_from(["PER", "creative-work", "ty pe", "è\u2028", "case"])


@st.composite
def sentences(draw: st.DrawFn) -> list[tuple[list[str], list[Triple]]]:
    made = []
    for tokens in draw(st.lists(st.lists(HOSTILE, min_size=1, max_size=6), min_size=1, max_size=4)):
        cuts = st.integers(0, len(tokens))
        pairs = draw(st.lists(st.tuples(cuts, cuts, KINDS), max_size=3))
        made.append((tokens, sorted({one for one in pairs if one[0] < one[1]})))
    return made


@settings(max_examples=60)
@given(sentences())
def test_what_is_written_is_read_again(made: list[tuple[list[str], list[Triple]]]) -> None:
    corpus = Corpus.of(made)
    again = whole(write_docbin(corpus, BIO))
    assert words_of(again) == words_of(corpus)
    assert sorted(mentions_of(again)) == sorted(mentions_of(corpus))


@settings(max_examples=60)
@given(st.text("ab \n\t.\u00a0", max_size=30).filter(lambda text: bool(text.strip())))
def test_text_and_its_space_survive(text: str) -> None:
    corpus = read(io.BytesIO(nerscope_lines(text)))
    again = whole(write_docbin(corpus, BIO))
    assert corpus.gaps is not None and again.gaps is not None
    assert words_of(again) == words_of(corpus)
    assert again.gaps.tolist() == corpus.gaps.tolist()
    [made] = DocBin().from_bytes(write_docbin(corpus, BIO)).get_docs(NLP.vocab)
    assert made.text.rstrip() == text.rstrip()


def nerscope_lines(text: str) -> bytes:
    import json

    return json.dumps({"text": text, "spans": []}).encode()


def test_spacy_reads_what_is_written() -> None:
    flat = Corpus.of([(ADA[0], ADA[1])])
    [made] = DocBin().from_bytes(write_docbin(flat, BIO)).get_docs(NLP.vocab)
    assert [(one.text, one.label_) for one in made.ents] == [
        ("Ada Byron", "PERSON"),
        ("Oslo", "case"),
    ]
    nested = Corpus.of([(["Bank", "of", "Ghana"], [(0, 3, "ORG"), (2, 3, "GPE")])])
    [made] = DocBin().from_bytes(write_docbin(nested, BIO)).get_docs(NLP.vocab)
    assert [one.text for one in made.spans["sc"]] == ["Bank of Ghana", "Ghana"]
    assert not made.ents


def test_what_documents_cannot_hold_is_refused() -> None:
    with pytest.raises(InputError, match="contains only blanks, which spaCy reads"):
        write_docbin(Corpus.of([(["a", "\u00a0"], ["O", "O"])]), BIO)
    from dataclasses import replace

    corpus = Corpus.of([(["a", "b", "c"], [(0, 3, "X")])])
    holed = replace(corpus.mentions(), shape=np.fromiter([Shape(holes=((1, 2),))], object))
    with pytest.raises(InputError, match="not a run of whole tokens"):
        write_docbin(replace(corpus, spans=holed), BIO)


def test_a_missing_library_is_named_with_its_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    monkeypatch.setitem(sys.modules, "spacy.attrs", None)
    with pytest.raises(UsageError, match=r"it needs spacy.*pip install 'nerscope\[spacy\]'"):
        whole(GOOD)


@settings(max_examples=150)
@given(st.data())
def test_no_change_of_a_byte_is_more_than_an_error(data: st.DataObject) -> None:
    made = document(ADA[0], [])
    made.spans["sc"] = [Span(made, 0, 2, label="PERSON"), Span(made, 1, 2, label="X")]
    good = data.draw(st.sampled_from([GOOD, packed([made])]))
    content = bytearray(zlib.decompress(good))
    for _ in range(data.draw(st.integers(1, 4))):
        content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
    try:
        corpus = whole(zlib.compress(bytes(content)))
    except NerscopeError as error:
        assert error.fix
    else:
        assert corpus.n_tokens


def test_files_are_known_by_their_names(tmp_path: Path) -> None:
    path = tmp_path / "test.spacy"
    path.write_bytes(GOOD)
    source = open_source(path)
    assert source.info.retokenised
    assert mentions_of(read(path)) == ADA[1]
