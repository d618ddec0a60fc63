"""Tags among words: inline tags of several kinds, and slash tags."""

import random
from typing import Any

import pytest

from nerscope.corpus.corpus import Coding, Corpus, join_chunks
from nerscope.errors import InputError, NerscopeError, UsageError
from nerscope.formats.base import FORMATS
from nerscope.formats.files import FileBytes
from nerscope.formats.tagged.inline import InlineFile
from nerscope.formats.tagged.slash import BARE, SlashFile


def inline(text: str | bytes, **options: Any) -> InlineFile:
    data = text if isinstance(text, bytes) else text.encode()
    return InlineFile(FileBytes("f.txt", data=data), **options)


def slash(text: str | bytes, **options: Any) -> SlashFile:
    data = text if isinstance(text, bytes) else text.encode()
    return SlashFile(FileBytes("f.txt", data=data), **options)


def corpus_of(source: InlineFile | SlashFile) -> Corpus:
    return join_chunks(list(source.chunks(Coding())))


def mentions_of(corpus: Corpus) -> list[tuple[str, str]]:
    found, types = corpus.mentions(), corpus.coding.labels.types
    words = corpus.coding.tokens.strings(corpus.tokens)
    return [
        (" ".join(words[start:end]), types[kind])
        for start, end, kind in zip(found.start, found.end, found.type, strict=True)
    ]


@pytest.mark.parametrize(
    ("text", "plain", "mentions"),
    [
        ("<PER>Ada</PER> met <LOC>Oslo</LOC>.", "Ada met Oslo.", [("Ada", "PER"), ("Oslo", "LOC")]),
        (
            '<ENAMEX TYPE="PERSON">Ada</ENAMEX> <TIMEX TYPE=\'DATE\' ALT="x">today</TIMEX>',
            "Ada today",
            [("Ada", "PERSON"), ("today", "DATE")],
        ),
        # nested, crossing, of one name
        (
            "<ORG>U of <LOC>Oslo</LOC></ORG>",
            "U of Oslo",
            [("U of Oslo", "ORG"), ("Oslo", "LOC")],
        ),
        ("<A>x <B>y</A> z</B>", "x y z", [("x y", "A"), ("y z", "B")]),
        ("<A>x <A>y</A> z</A>", "x y z", [("x y z", "A"), ("y", "A")]),
        # OpenNLP
        ("<START:person> Ada Lee <END> spoke", " Ada Lee  spoke", [("Ada Lee", "person")]),
        ("<START> Ada <END> spoke", " Ada  spoke", [("Ada", "default")]),
        # characters that are not tags
        ("a < b > c <3 A&B &amp;lt; <X>&lt;&#246;</X>", "a < b > c <3 A&B &lt; <ö", [("< ö", "X")]),
        ("&#xD800; &#0; <X>y</X>", "&#xD800; &#0; y", [("y", "X")]),
        # tags of structure
        ("<p><s><PER>Ada</PER> spoke</s></p>", "Ada spoke", [("Ada", "PER")]),
        ('<entity type="PER">Ada</entity><br/> spoke', "Ada spoke", [("Ada", "PER")]),
        # a document of several lines
        (
            "<DOC>\n<TEXT>\n<PER>Ada\nLee</PER> spoke\n</TEXT>\n</DOC>",
            "\n\nAda\nLee spoke\n\n",
            [("Ada Lee", "PER")],
        ),
    ],
)
def test_tags_are_removed_and_offsets_kept(
    text: str, plain: str, mentions: list[tuple[str, str]]
) -> None:
    [record] = inline(text).records()
    assert record.text == plain
    assert mentions_of(corpus_of(inline(text))) == mentions


def test_each_line_is_a_text() -> None:
    records = list(inline("<A>x</A>\r\n\n<B>y</B> z\n").records())
    assert [(record.text, record.line) for record in records] == [("x", 1), ("y z", 3)]
    assert corpus_of(inline("Zürich".encode("latin-1"), encoding="latin-1")).words(0) == ["Zürich"]


@pytest.mark.parametrize(
    ("text", "place", "fact"),
    [
        ("x\n<PER>Ada", "f.txt:2", "the tag <PER> is not closed"),
        ("x\nAda</PER>", "f.txt:2", "the tag </PER> closes a mention that is not open"),
        ("x\nAda <END>", "f.txt:2", "closes a mention that is not open"),
        ("x\n<PER></PER> y", "f.txt:2", "is empty"),
        ("x\n<PER> </PER> y", "f.txt:2", "contains only blanks"),
        ('x\n<E type="">x</E> y', "f.txt:2", "no type"),
        ('x\n<E type=" ">x</E> y', "f.txt:2", "no type"),
        ("", "f.txt", "no sentences"),
    ],
)
def test_wrong_tags_are_refused_at_their_line(text: str, place: str, fact: str) -> None:
    with pytest.raises(InputError) as error:
        corpus_of(inline(text))
    assert error.value.place == place
    assert fact in error.value.fact


def test_slash_tags_are_read() -> None:
    corpus = corpus_of(slash("Ada/B-PER 1/2/O\n\n./O Oslo/B-LOC\tx/I-LOC\n"))
    assert [corpus.words(k) for k in range(2)] == [["Ada", "1/2"], [".", "Oslo", "x"]]
    assert mentions_of(corpus) == [("Ada", "PER"), ("Oslo x", "LOC")]
    assert corpus.lines.tolist() == [1, 1, 3, 3, 3]


def test_slash_tags_without_prefixes_are_types() -> None:
    corpus = corpus_of(slash("met/O Ada/PER Lee/PER\n"))
    assert mentions_of(corpus) == [("Ada Lee", "PER")]
    assert BARE in corpus.reading_notes.notes
    token = corpus_of(slash("met/O Ada/PER Lee/PER\n", scheme="token"))
    assert len(mentions_of(token)) == 2
    assert BARE not in token.reading_notes.notes


@pytest.mark.parametrize(
    ("text", "fact"),
    [
        ("Ada/B-PER\nmet x/O", "'met' is not a token"),
        ("Ada/B-PER\n/O x/O", "'/O' is not a token"),
        ("Ada/B-PER\nmet/VB x/O", "label 'VB' has no prefix"),
        ("Ada/B-PER\nmet/ x/O", "the label is empty"),
    ],
)
def test_wrong_slash_tags_are_refused_at_their_line(text: str, fact: str) -> None:
    with pytest.raises(InputError) as error:
        corpus_of(slash(text))
    assert error.value.place == "f.txt:2"
    assert fact in error.value.fact


def test_wrong_options_are_refused() -> None:
    for options in ({"tokens": "x"}, {"sentences": "x"}, {"encoding": "x"}, {"scheme": "x"}):
        with pytest.raises(UsageError):
            slash("a/O", **options)


@pytest.mark.parametrize(
    ("name", "text", "form"),
    [
        ("a.txt", "<PER>Ada</PER> spoke\n", "inline"),
        ("a.txt", 'He saw\n<ENAMEX TYPE="PERSON">Ada</ENAMEX> there\n', "inline"),
        ("a.train", "<START:person> Ada <END> spoke\n", "inline"),
        ("a.txt", "<b>Ada</b> spoke\n", None),
        ("a.txt", "<html><p>Ada</p></html>\n", None),
        ("a.xml", "<PER>Ada</PER> spoke\n", None),
        ("a.txt", '<?xml version="1.0"?>\n<PER>Ada</PER> spoke\n', None),
        ("a.txt", "<PER>Ada</PER>\n<LOC>Oslo</LOC>\n", None),
        ("a.txt", "<PER> O\n</PER> O\n", None),
        ("a.jsonl", '{"text": "<PER>Ada</PER>"}\n', None),
        ("a.txt", "Ada/B-PER met/O\n", "slash"),
        ("a.txt", "10\xa0000/O Euro/B-MONEY\r\n", "slash"),
        ("a.txt", "Ada/B-PER\nmet/O\n", None),
        ("a.txt", "the/DT dog/NN\n", None),
        ("a.txt", "and/or B-PER\n", None),
        ("a.txt", "", None),
    ],
)
def test_only_certain_files_are_claimed(name: str, text: str, form: str | None) -> None:
    fitting = [one for one in ("inline", "slash") if FORMATS[one].fits(name, text.encode())]
    assert fitting == ([form] if form else [])
    if form:
        assert not any(
            FORMATS[other].fits(name, text.encode()) for other in FORMATS if other != form
        )


INLINE = '<DOC>\n<PER>Ada</PER> &amp; <ENAMEX TYPE="LOC">Oslo <A>x</A></ENAMEX>\n</DOC>\nx\n'
SLASH = "Ada/B-PER Lee/I-PER met/O\nin/O Oslo/B-LOC\n"
DAMAGE = [*"<>/&;\"' \n\r\t=", "\0", "é", "\x1f", "</A>", "<A>", "<DOC>", "&#55555;", "&#1;", "<!"]


@pytest.mark.parametrize("form", ["inline", "slash"])
def test_damaged_files_are_refused_or_read(form: str) -> None:
    random.seed(7)
    for _ in range(3000):
        text = INLINE if form == "inline" else SLASH
        for _ in range(random.randint(1, 4)):
            at, size = random.randrange(len(text)), random.choice([0, 0, 1, 3])
            text = text[:at] + random.choice(DAMAGE) + text[at + size :]
        data = text.encode() + random.choice([b"", b"", b"\xff"])
        try:
            FORMATS[form].fits("a.txt", data)
            corpus_of(inline(data) if form == "inline" else slash(data))
        except NerscopeError as error:
            assert isinstance(error, InputError | UsageError)
