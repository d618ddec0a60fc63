"""CoNLL-U: labels among the keys of MISC or in a column with a name, words, ranges, brackets."""

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import nerscope
from nerscope.corpus.corpus import Coding, Corpus, join_chunks
from nerscope.corpus.schemes import BIO, SCHEMES
from nerscope.dataset.convert import convert_source
from nerscope.errors import InputError, NerscopeError, UsageError
from nerscope.formats.base import open_source
from nerscope.formats.brackets import TORN
from nerscope.formats.columns.conllu import EMPTY, RANGES, SHARED_OUT, ConlluFile, fits
from nerscope.formats.columns.conllu import write_conllu as written
from nerscope.formats.files import FileBytes, read_some


def line(number: str, form: str, misc: str = "_") -> str:
    return f"{number}\t{form}" + "\t_" * 7 + f"\t{misc}\n"


def text_of(*rows: tuple[str, str, str]) -> str:
    return "".join(line(*row) for row in rows)


ADA = text_of(("1", "Ada", "NER=B-PER"), ("2", "Lee", "NER=I-PER|SpaceAfter=No"), ("3", ".", "_"))


def source(text: str, **options: Any) -> ConlluFile:
    return ConlluFile(FileBytes("f.conllu", data=text.encode()), **options)


def corpus_of(text: str, **options: Any) -> Corpus:
    return join_chunks(list(source(text, **options).chunks(Coding())))


def mentions_of(corpus: Corpus) -> list[tuple[int, int, str]]:
    found, types = corpus.mentions(), corpus.coding.labels.types
    columns = (found.start.tolist(), found.end.tolist(), [types[kind] for kind in found.type])
    return list(zip(*columns, strict=True))


def noticed(corpus: Corpus) -> dict[str, int]:
    return {kind: found.times for kind, found in corpus.reading_notes.notes.items()}


@pytest.mark.parametrize(
    ("text", "options", "key"),
    [
        (line("1", "Ada", "NER=B-PER"), {}, "NER"),
        (line("1", "Ada", "name=B-PER|SpaceAfter=No"), {}, "name"),
        (line("1", "Ada", "SpaceAfter=No|NE=B-PER"), {}, "NE"),
        (line("1", "Ada", "start_char=0|ner=S-PER"), {}, "ner"),
        # the key is told, whatever else there is
        (line("1", "Ada", "NER=O|Mine=B-PER"), {"key": "Mine"}, "Mine"),
        # labels go before brackets, and the first of the known keys before the others
        (line("1", "Ada", "Entity=(e1-x)|name=O|NER=B-PER"), {}, "NER"),
        # what a key holds must be a label
        (line("1", "Ada", "Name=Yes|NE=B-PER"), {}, "NE"),
    ],
)
def test_the_key_of_the_label_is_found(text: str, options: dict[str, Any], key: str) -> None:
    assert source(text, **options).layout.key == key
    assert mentions_of(corpus_of(text, **options)) == [(0, 1, "PER")]


def test_tokens_without_the_key_are_outside() -> None:
    corpus = corpus_of(ADA)
    assert corpus.words(0) == ["Ada", "Lee", "."]
    assert mentions_of(corpus) == [(0, 2, "PER")]
    assert corpus.scheme.name == "bio"


def test_values_of_other_columns_and_longer_keys_are_no_labels() -> None:
    feats = "1\tAda\tNER=B-X\t_\t_\tNER=B-LOC|Case=Nom\t_\t_\t_\tXNER=B-ORG|NER=B-PER|NER=B-Y\n"
    assert mentions_of(corpus_of(feats)) == [(0, 1, "PER")]


def test_underscores_stand_for_nothing() -> None:
    text = text_of(("1", "Ada", "NER=B-PER"), ("2", "_", "NER=_"))
    assert corpus_of(text).words(0) == ["Ada", "_"]
    assert mentions_of(corpus_of(text)) == [(0, 1, "PER")]


PLUS = "# global.columns = ID FORM UPOS XX:NER MISC\n"


@pytest.mark.parametrize(
    ("text", "options"),
    [
        (PLUS + "1\tAda\tPROPN\tB-PER\t_\n2\tspoke\tVERB\t_\t_\n", {}),
        (PLUS + "1\tAda\tPROPN\tB-PER\t_\n2\tspoke\tVERB\t*\t_\n", {"key": "XX:NER"}),
        ("# global.columns = FORM ID TAG\nAda\t1\tB-PER\nspoke\t2\tO\n", {"key": "TAG"}),
        (PLUS + "1\tAda\tPROPN\tO\tMine=B-PER\n2\tspoke\tVERB\t_\t_\n", {"key": "Mine"}),
        ("# global.columns = ID FORM MISC\n1\tAda\tNER=B-PER\n2\tspoke\t_\n", {}),
    ],
)
def test_columns_are_known_by_their_names(text: str, options: dict[str, Any]) -> None:
    corpus = corpus_of(text, **options)
    assert corpus.words(0) == ["Ada", "spoke"]
    assert mentions_of(corpus) == [(0, 1, "PER")]


def test_ranges_and_empty_nodes_are_no_tokens() -> None:
    rows = [("1-2", "Zum", "_"), ("1", "Zu", "_"), ("2", "dem", "NER=B-LOC")]
    text = text_of(("0.1", "er", "NER=B-PER"), *rows, ("2.1", "x", "_"), ("3", "See", "NER=I-LOC"))
    corpus = corpus_of(text + "\n" + text_of(("1.1", "nur", "_")) + "\n" + ADA)
    assert [corpus.words(k) for k in range(len(corpus))] == [
        ["Zu", "dem", "See"],
        ["Ada", "Lee", "."],
    ]
    assert mentions_of(corpus) == [(1, 3, "LOC"), (3, 5, "PER")]
    assert noticed(corpus) == {RANGES: 1, EMPTY: 3}
    assert corpus.lines.tolist() == [3, 4, 6, 10, 11, 12]


@pytest.mark.parametrize(
    ("label", "words"),
    [
        ("O", ["O", "O", "O"]),
        ("B-LOC", ["B-LOC", "I-LOC", "I-LOC"]),
        ("I-LOC", ["I-LOC", "I-LOC", "I-LOC"]),
        ("E-LOC", ["I-LOC", "I-LOC", "E-LOC"]),
        ("S-LOC", ["B-LOC", "I-LOC", "E-LOC"]),
        ("U-a-b", ["B-a-b", "I-a-b", "L-a-b"]),
    ],
)
def test_the_label_of_a_multiword_token_is_given_to_its_words(label: str, words: list[str]) -> None:
    first = line("1-3", "dámelo", f"ner={label}") + text_of(
        *((str(k), word, "_") for k, word in enumerate(["da", "me", "lo"], 1))
    )
    corpus = corpus_of(first + "\n" + line("1", "Ada", "ner=O"), key="ner")
    assert corpus.labels is not None
    known = [
        "O" if not one.type else f"{' BIES'[one.role]}-{one.type}"
        for one in corpus.coding.labels.labels
    ]
    as_roles = [word.replace("L-", "E-") for word in words]
    assert [known[code] for code in corpus.labels[:3]] == as_roles
    assert noticed(corpus).get(SHARED_OUT, 0) == (label != "O")


def test_words_with_labels_of_their_own_keep_them() -> None:
    rows = [("1-2", "Zum", "NER=B-X"), ("1", "Zu", "NER=O"), ("2", "dem", "NER=B-LOC")]
    assert mentions_of(corpus_of(text_of(*rows))) == [(1, 2, "LOC")]


@pytest.mark.parametrize("number", ["1-9", "7-9", "5-2"])
def test_a_range_ends_with_its_sentence(number: str) -> None:
    text = text_of((number, "Zum", "NER=B-X"), ("1", "Zu", "_")) + "\n" + ADA
    assert mentions_of(corpus_of(text))[-1] == (1, 3, "PER")


def test_ranges_that_overlap_are_shared_out_once() -> None:
    ranges = "".join(line("1-99999", "x", "NER=B-X") for _ in range(500))
    corpus = corpus_of(ranges + "".join(line("1", "a") for _ in range(500)))
    assert mentions_of(corpus) == [(0, 500, "X")]
    assert noticed(corpus) == {RANGES: 500, SHARED_OUT: 1}


def test_documents_and_comments() -> None:
    text = f"# newdoc id = a\n# sent_id = 1\n# text = Ada Lee.\n{ADA}\n{ADA}\n# newdoc\n{ADA}"
    corpus = corpus_of(text)
    assert corpus.documents.tolist() == [1, 1, 2]
    assert corpus.reading_notes.comment_lines == 4


def test_the_text_is_told_by_space_after() -> None:
    rows = [("1", "a", "NER=O"), ("2-3", "zum", "SpaceAfter=No"), ("2", "zu", "SpaceAfter=No")]
    text = text_of(*rows, ("3", "m", "_"), ("4", ".", "SpaceAfter=Yes"), ("5", "b", "_"))
    corpus = corpus_of(f"{text}\n{ADA}\n# newdoc\n{ADA}")
    assert corpus.gaps is not None
    assert corpus.gaps.tolist() == [
        *["", " ", " ", "", " "],
        *["\n", " ", ""],
        *["", " ", ""],
    ]


def test_files_are_read_in_blocks_of_any_size(monkeypatch: pytest.MonkeyPatch) -> None:
    text = "".join(f"# sent_id = {k}\n{ADA}\n" for k in range(30))
    whole = corpus_of(text)
    for size in (64, 100, 333):
        monkeypatch.setattr(read_some, "__defaults__", (size,))
        monkeypatch.setattr("nerscope.formats.columns.column_file.BLOCK", size)
        parts = list(source(text).chunks(Coding()))
        assert len(parts) > 1
        found = join_chunks(parts)
        assert found.lines.tolist() == whole.lines.tolist()
        assert mentions_of(found) == mentions_of(whole)
        assert found.gaps is not None
        assert whole.gaps is not None
        assert found.gaps.tolist() == whole.gaps.tolist()


NOISE = st.sampled_from(["_", "SpaceAfter=No", "XNER=B-Y|a=NER", "Gloss=NER=B-Z", "NERD=B-Q|="])


@st.composite
def treebanks(draw: st.DrawFn) -> tuple[str, list[list[tuple[int, str, str]]]]:
    """A file, and what is in it: the line, the form and the label of each word."""
    lines: list[str] = []
    sentences = []
    for _ in range(draw(st.integers(1, 4))):
        lines += draw(st.sampled_from([[], ["# text = NER=B-X\n"], ["# newdoc\n", "# x\n"]]))
        words: list[tuple[int, str, str]] = []
        for number in range(1, draw(st.integers(2, 6))):
            if draw(st.booleans()):
                kind = draw(st.sampled_from([f"{number - 1}.1", f"{number}-{number + 1}"]))
                lines.append(line(kind, "left", draw(NOISE)))
            form, label = (
                draw(st.sampled_from(["a", "bb", "NER=B-X"])),
                draw(st.sampled_from("OBI")),
            )
            label = label if label == "O" else f"{label}-X"
            noise = [] if (one := draw(NOISE)) == "_" else [one]
            own = [] if label == "O" and draw(st.booleans()) else [f"NER={label}"]
            lines.append(line(str(number), form, "|".join([*noise, *own]) or "_"))
            words.append((len(lines), form, label))
        lines.append("\n")
        sentences.append(words)
    return "".join(lines), sentences


@settings(max_examples=100)
@given(treebanks(), st.integers(40, 400))
def test_words_and_labels_are_those_of_the_lines(
    treebank: tuple[str, list[list[tuple[int, str, str]]]], block: int
) -> None:
    text, sentences = treebank
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(read_some, "__defaults__", (block,))
        corpus = corpus_of(text, key="NER")
    assert [corpus.words(k) for k in range(len(corpus))] == [
        [form for _, form, _ in words] for words in sentences
    ]
    assert corpus.lines.tolist() == [number for words in sentences for number, _, _ in words]
    expected = Corpus.of(
        [([form for _, form, _ in w], [label for *_, label in w]) for w in sentences]
    )
    assert mentions_of(corpus) == mentions_of(expected)
    assert corpus.reading_notes.comment_lines == text.count("#")


ENTITY = "# global.Entity = eid-etype-head\n"


@pytest.mark.parametrize(
    ("values", "spans"),
    [
        (["(e1-person-1", "_", "e1)"], [(0, 3, "person")]),
        (["(e1-person-1)", "_", "(e2-place-1)"], [(0, 1, "person"), (2, 3, "place")]),
        # nested, crossing and repeated ones
        (["(e1-org(e2-person)", "_", "e1)"], [(0, 1, "person"), (0, 3, "org")]),
        (["(e1-org(e2-place", "e1)", "e2)"], [(0, 2, "org"), (0, 3, "place")]),
        (["(e1-a(e1-b)", "(e1-a)", "e1)"], [(0, 1, "b"), (0, 3, "a"), (1, 2, "a")]),
    ],
)
def test_brackets_open_and_close_mentions(values: list[str], spans: list[Any]) -> None:
    rows = [
        (str(k), f"w{k}", "_" if value == "_" else f"Entity={value}|SpaceAfter=No")
        for k, value in enumerate(values, 1)
    ]
    corpus = corpus_of(ENTITY + text_of(*rows))
    assert mentions_of(corpus) == spans
    assert source(ENTITY + text_of(*rows)).label_style().flat == corpus.is_flat


def test_brackets_may_have_holes_and_empty_nodes() -> None:
    rows = [
        ("1", "a", "Entity=(e1[1/2]-person-1)"),
        ("2", "b", "_"),
        ("2.1", "_", "Entity=(e3-person-1)"),
        ("3", "c", "Entity=(e1[2/2]-person-1)(e2-place"),
        ("3.1", "_", "Entity=e2)"),
    ]
    corpus = corpus_of(ENTITY + text_of(*rows))
    assert mentions_of(corpus) == [(0, 3, "person"), (2, 3, "place")]
    found = corpus.mentions()
    assert found.shape is not None
    assert [shape.holes for shape in found.shape] == [((1, 2),), ()]
    assert noticed(corpus)["mentions of empty nodes, left out"] == 1


def test_the_type_stands_where_the_header_says() -> None:
    text = "# global.Entity = GRP-head-etype\n" + line("1", "a", "Entity=(4-1-place)")
    assert mentions_of(corpus_of(text)) == [(0, 1, "place")]


def test_mentions_across_sentences_are_left_out_and_counted() -> None:
    text = line("1", "a", "Entity=(e1-x(e2-x)") + "\n" + line("1", "b", "Entity=e1)")
    corpus = corpus_of(text)
    assert mentions_of(corpus) == [(0, 1, "x")]
    assert noticed(corpus) == {TORN: 1}


@pytest.mark.parametrize(
    ("values", "spans"),
    [
        (["(e1-x", "(e1-x)", "(e1-x)", "(e1-x)"], [(1, 2, "x"), (2, 3, "x"), (3, 4, "x")]),
        (["(e1-x", "(e1-y)e1)", "(e1-x)"], [(1, 2, "y"), (2, 3, "x")]),
    ],
)
def test_a_bracket_that_was_never_closed_takes_no_later_mention_with_it(
    values: list[str], spans: list[Any]
) -> None:
    corpus = corpus_of("\n".join(line("1", "a", f"Entity={value}") for value in values))
    assert mentions_of(corpus) == spans
    assert noticed(corpus) == {TORN: 1}


@pytest.mark.parametrize(
    ("text", "options", "place", "fact"),
    [
        ("", {}, "f.conllu", "no token has a label"),
        (line("1", "Ada"), {}, "f.conllu", "no token has a label"),
        ("# only\n", {"key": "NER"}, "f.conllu", "the file contains no sentences"),
        (PLUS, {"key": "NO"}, "f.conllu", "the file contains no sentences"),
        ("# global.columns = ID FORM\n1\ta\n", {"key": "X"}, "f.conllu", "unknown column 'X'"),
        (
            "# global.columns = FORM NER\na\tO\n",
            {},
            "f.conllu:1",
            "global.columns does not contain ID",
        ),
        (ADA + "2\tx\tNER=O\n", {}, "f.conllu:4", "3 tab-separated columns where 10 are needed"),
        ("# global.columns = x y FORM ID NER\na\tb\n", {}, "f.conllu:2", "where 5 are needed"),
        (ADA + line("x", "x"), {}, "f.conllu:4", "the line does not begin with a token number"),
        (ADA + line("1-x", "x"), {}, "f.conllu:4", "the line does not begin with a token number"),
        (ADA + line("4", "x", "NER="), {}, "f.conllu:4", "the label is empty"),
        (ADA + line("4", "x", "NER=PER"), {}, "f.conllu:4", "label 'PER' has no prefix"),
        (line("1", "x", "Entity=e1)"), {}, "f.conllu:1", "closes a mention that is not open"),
        (line("1", "x", "Entity=(e1)"), {}, "f.conllu:1", "'(e1' has no type"),
        (line("1", "x", "Entity=(e1-x)y"), {}, "f.conllu:1", "is not in bracket notation"),
        (ADA + "\0", {}, "f.conllu: byte", "the file contains a NUL byte"),
        # what is long is refused as fast as it is read, and not shown whole
        (line("1", "x", "Entity=" + "x" * 99999), {"key": "Entity"}, "f.conllu:1", "x…' is not"),
    ],
)
def test_what_cannot_be_read_is_refused(
    text: str, options: dict[str, Any], place: str, fact: str
) -> None:
    with pytest.raises(InputError) as caught:
        corpus_of(text, **options)
    assert caught.value.place.startswith(place)
    assert fact in caught.value.fact


@pytest.mark.parametrize(
    "options",
    [
        *({"key": 3}, {"scheme": "bia"}, {"encoding": "utf-9"}, {"label": 2}),
        *({"tokens": "some"}, {"tokens": ["any"]}, {"sentences": "some"}),
    ],
)
def test_options_that_cannot_be_are_refused(options: dict[str, Any]) -> None:
    with pytest.raises(UsageError):
        open_source(source(ADA), **options)


@pytest.mark.parametrize(
    ("head", "claimed"),
    [
        (ADA, True),
        ("# sent_id = 1\n" + ADA, True),
        (line("1", "a", "Entity=(e1-x)"), True),
        (PLUS + "1\tAda\tPROPN\tB-PER\t_\n", True),
        # plain columns stay with the reader of columns
        ("# sent_id = 1\n1\tAda\tB-PER\n", False),
        ("# global.columns = ID FORM UPOS\n1\tAda\tB-PER\n", False),
        (line("1", "Ada"), False),
        (line("1", "Ada", "name=Ada|NE=gu_1"), False),
        (line("Ada", "x", "NER=B-PER"), False),
        ("Ada B-PER\n", False),
        ("", False),
        ("\ufeff" + ADA, True),
        (ADA.replace("\n", "\r\n"), True),
    ],
)
def test_only_files_with_entities_in_misc_or_named_columns_are_claimed(
    head: str, claimed: bool
) -> None:
    assert fits("x.conllu", head.encode()) is claimed


def test_a_head_that_is_cut_off_is_no_reason_to_claim() -> None:
    head = (line("1", "a") * 400 + line("1", "a", "NER=B-PERSON")).encode()
    at = head.index(b"NER=B-P") + len(b"NER=B-P")
    assert not fits("x", head[at - 4096 : at])


def test_paths_are_opened_by_what_is_in_them(tmp_path: Path) -> None:
    gold, other = tmp_path / "gold.conllu", tmp_path / "system.txt"
    gold.write_text(ADA)
    other.write_text("Ada B-PER\nLee O\n. O\n")
    assert isinstance(open_source(gold), ConlluFile)
    results = nerscope.evaluate(gold, {"s": other})
    assert results.value(system="s", metric="f1") == 0.0
    assert nerscope.validate(gold).ok
    [violation] = nerscope.validate(gold, scheme="bioes").violations
    assert violation == (f"{gold}:3", "O after I-PER")


@pytest.mark.parametrize(
    ("words", "options"),
    [
        (["Adda", "Lee", "."], {"tokens": "any"}),
        (["Ada", "Le", "e", "."], {"tokens": "align"}),
        (["Ada", "Lee", "\n", "."], {"sentences": "any"}),
    ],
)
def test_a_system_may_spell_and_divide_the_text_its_own_way(
    words: list[str], options: dict[str, Any]
) -> None:
    labels = ["B-PER", *["I-PER"] * (len(words) - 2), "O"]
    lines = [
        "\n" if word == "\n" else line(str(k), word, f"NER={label}")
        for k, (word, label) in enumerate(zip(words, labels, strict=True), 1)
    ]
    system = source("".join(lines), **options)
    assert nerscope.evaluate(source(ADA), {"s": system}).value(system="s", metric="f1") == 1.0


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_converting_changes_labels_and_nothing_else(end: str) -> None:
    text = "# sent_id = 1\n" + line("1-2", "x", "NER=_") + ADA + "\n"
    text += line("1", "Bo", "a=b|NER=B-PER|c=d")
    text = text.replace("\n", end)
    data, notes, _ = convert_source(source(text), "bioes")
    expected = text.replace("NER=I-PER", "NER=E-PER").replace("NER=B-PER|c", "NER=S-PER|c")
    assert data.decode() == expected
    assert notes == ["f.conllu:2: multiword tokens, read as their words: 1"]


def test_a_file_is_converted_to_its_own_format_without_loss(tmp_path: Path) -> None:
    (tmp_path / "a.conllu").write_text("# own = 1\n" + ADA)
    nerscope.convert(tmp_path / "a.conllu", tmp_path / "b.conllu", to="bioes")
    assert (tmp_path / "b.conllu").read_text() == "# own = 1\n" + ADA.replace("I-PER", "E-PER")
    (tmp_path / "c.txt").write_text("Ada B-PER\n")
    nerscope.convert(tmp_path / "c.txt", tmp_path / "c.conllu")
    assert "1\tAda" + "\t_" * 7 + "\tNER=B-PER\n" in (tmp_path / "c.conllu").read_text()


@pytest.mark.parametrize(
    ("target", "to", "ending"),
    [("out.txt", None, "I-PER"), ("out::format=conll", "bioes", "E-PER")],
)
def test_a_file_is_converted_to_columns(
    tmp_path: Path, target: str, to: str | None, ending: str
) -> None:
    path = tmp_path / "gold.conllu"
    path.write_text(ADA)
    nerscope.convert(path, tmp_path / target, to=to)
    written = (tmp_path / target.partition("::")[0]).read_text()
    assert written.startswith(f"Ada\tB-PER\nLee\t{ending}\n")


def test_brackets_that_overlap_are_not_converted_to_columns(tmp_path: Path) -> None:
    path = tmp_path / "gold.conllu"
    path.write_text(line("1", "a", "Entity=(e1-x(e2-y)e1)"))
    with pytest.raises(InputError, match="its mentions overlap, and labels cannot represent"):
        nerscope.convert(path, tmp_path / "out.txt")


def test_converting_writes_a_key_where_there_was_none() -> None:
    text = text_of(("1", "Ada", "NER=B-PER"), ("2", "Lee", "_"), ("3", "x", "a=b"))
    relabelled = source(text).relabelled({1: "O", 2: "B-X", 3: "B-Y"})
    expected = text_of(("1", "Ada", "_"), ("2", "Lee", "NER=B-X"), ("3", "x", "a=b|NER=B-Y"))
    assert relabelled == expected.encode()
    plus = PLUS + "1\tAda\tPROPN\tB-PER\t_\n2\tspoke\tVERB\t_\t_\n"
    assert source(plus).relabelled({2: "S-PER", 3: "O"}) == plus.replace("B-P", "S-P").encode()


HOSTILE = st.text(
    st.one_of(
        st.sampled_from(list("ab|=_#-.\"'\\ \u00a0\u2028\u0301\u05d0\u200d😀")),
        st.characters(exclude_categories=["Cs", "Cc"]),
    ),
    min_size=1,
    max_size=8,
)
TYPES = HOSTILE.map(lambda text: text.replace("|", "/").strip()).filter(bool)


@st.composite
def corpora(draw: st.DrawFn) -> Corpus:
    sentences = []
    for _ in range(draw(st.integers(1, 4))):
        words = draw(st.lists(HOSTILE, min_size=1, max_size=6))
        cuts = sorted(draw(st.sets(st.integers(0, len(words)), max_size=4)))
        kinds = [(low, high, draw(TYPES)) for low, high in zip(cuts[::2], cuts[1::2], strict=False)]
        sentences.append((words, kinds))
    return Corpus.of(sentences)


@settings(max_examples=80)
@given(corpora(), st.sampled_from(["bio", "bioes", "bilou"]))
def test_what_is_written_is_read_back(corpus: Corpus, scheme: str) -> None:
    data = written(corpus, SCHEMES[scheme])
    found = join_chunks(list(ConlluFile(FileBytes("f", data=data), key="NER").chunks(Coding())))
    assert [found.words(k) for k in range(len(found))] == [
        corpus.words(k) for k in range(len(corpus))
    ]
    assert mentions_of(found) == mentions_of(corpus)


def test_documents_and_blanks_are_written() -> None:
    own = ADA.replace("3\t." + "\t_" * 8, line("3", ".", "NER=O").rstrip())
    text = "".join(f"# newdoc\n# sent_id = {k}\n# text = Ada Lee.\n{own}\n" for k in (1, 2))
    assert written(corpus_of(text), BIO).decode() == text


@pytest.mark.parametrize(
    ("sentence", "fact"),
    [
        ((["a\tb"], ["O"]), "a token that lines and columns cannot hold"),
        ((["a\nb"], ["O"]), "a token that lines and columns cannot hold"),
        (([""], ["O"]), "a token that lines and columns cannot hold"),
        ((["a"], ["B-x|y"]), "which MISC cannot hold"),
        ((["a", "b"], [(0, 2, "x"), (0, 1, "y")]), "its mentions overlap"),
    ],
)
def test_what_cannot_be_written_is_refused(sentence: Any, fact: str) -> None:
    with pytest.raises(NerscopeError, match=fact.replace("|", r"\|")):
        written(Corpus.of([sentence]), BIO)


@settings(max_examples=150)
@given(st.integers(0, 150), st.integers(0, 12), st.text("\t\n|=_[]()-.019;\\ *#Te", max_size=3))
def test_damaged_files_are_read_or_refused(at: int, size: int, other: str) -> None:
    text = line("1-2", "x", "NER=S-X") + ADA + "\n" + line("1", "b", "NER=I-X")
    try:
        corpus = corpus_of(text[:at] + other + text[at + size :])
    except NerscopeError as error:
        assert error.place.startswith("f.conllu")
    else:
        assert corpus.n_tokens == len(corpus.tokens)
