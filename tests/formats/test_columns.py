"""HIPE, CoNLL-2012, sentences with bars, layers of labels, options of columns, and other files."""

import random
from pathlib import Path
from typing import Any

import pytest

import nerscope as ns
from nerscope.corpus.corpus import Coding, Corpus, join_chunks
from nerscope.dataset.convert import convert_source
from nerscope.errors import FormatError, InputError, UsageError
from nerscope.formats.base import FORMATS, open_source, source_named
from nerscope.formats.columns.hipe import NO_TOKEN
from nerscope.formats.columns.suspicions import BARE, NUMBERS

CELL = "\t_"
HEADER = "TOKEN\tNE-COARSE-LIT\tNE-COARSE-METO\tNE-NESTED\tMISC\n"
HIPE = (
    HEADER
    + "# hipe2022:document_id = one\n# hipe2022:date = 1894-01-01\n"
    + "Ada\tB-pers\t_\tO\t_\nvon\tI-pers\t_\tO\t_\nBonn\tI-pers\tB-loc\tB-loc\tNoSpaceAfter\n"
    + ".\tO\t_\tO\tEndOfSentence\nAm\tB-work\t_\tO\tLED0.00|EndOfSentence\nRhein\tI-work\t-\tO\t\n"
    + "\n# hipe2022:document_id = two\n#\tO\t_\tO\t_\nEnde\tO\t_\tO\t_\n"
)
BRACKETS = (
    "#begin document (bn/a); part 000\n"
    "bn/a 0 0  Bank NNP (TOP(NP* - - - Ada  (ORG* (ARG0* -\n"
    "bn/a 0 1    of IN  *        - - - Ada       * *     -\n"
    "bn/a 0 2 Ghana NNP *))      - - - Ada  (GPE)) *)    (1)\n\n"
    "bn/a 0 0    In IN  (TOP*)   - - - -         * -\n"
    "#end document\n#begin document (bn/a); part 001\n"
    "bn/a 1 0  1990 CD  (TOP*)   - - - -   (DATE*) -\n"
    "#end document\n#begin document (bn/b); part 000\n"
    "bn/b 0 0  Yes  UH  (TOP*)   - - - -         - -\n#end document\n"
)
BARS = "-DOCSTART-|-X-|O\nAda|NNP|B-PER Lee|NNP|I-PER ||SYM|O\n\nT-shirt|NN|O\n"
LAYERS = "#\thttp://example.org\t[2010]\n1\tUni\tB-ORG\tO\n2\tBonn\tI-ORG\tB-LOC\n3\t#\tO\tO\n"


def corpus_of(folder: Path, name: str, text: str, options: str = "") -> Corpus:
    path = folder / name
    path.write_bytes(text.encode())
    return join_chunks(list(source_named(f"{path}{options}").chunks(Coding())))


def spans_of(corpus: Corpus) -> list[tuple[int, int, str]]:
    found, types = corpus.mentions(), corpus.coding.labels.types
    kinds = [types[kind] for kind in found.type]
    return sorted(zip(found.start.tolist(), found.end.tolist(), kinds, strict=True))


def noted(corpus: Corpus) -> dict[str, int]:
    return {kind: note.times for kind, note in corpus.reading_notes.notes.items()}


@pytest.mark.parametrize(
    ("options", "spans"),
    [
        ("", [(0, 3, "pers"), (4, 6, "work")]),
        ("::label=NE-COARSE-METO", [(2, 3, "loc")]),
        ("::label=ne-nested", [(2, 3, "loc")]),
        ("::label=3", [(2, 3, "loc")]),
        ("::label=-2", [(2, 3, "loc")]),
        ("::label=NE-COARSE-LIT+NE-NESTED", [(0, 3, "pers"), (2, 3, "loc"), (4, 6, "work")]),
    ],
)
def test_hipe_label_columns(
    tmp_path: Path, options: str, spans: list[tuple[int, int, str]]
) -> None:
    corpus = corpus_of(tmp_path, "x.tsv", HIPE, options)
    assert spans_of(corpus) == spans
    assert corpus.lines.tolist() == [4, 5, 6, 7, 8, 9, 12, 13]


def test_hipe_sentences_end_at_flags_but_never_inside_a_mention(tmp_path: Path) -> None:
    corpus = corpus_of(tmp_path, "x.tsv", HIPE)
    sentences = [corpus.words(number) for number in range(len(corpus))]
    assert sentences == [["Ada", "von", "Bonn", "."], ["Am", "Rhein"], ["#", "Ende"]]
    assert corpus.documents.tolist() == [0, 0, 1]
    assert corpus.gaps is not None
    assert corpus.gaps.tolist() == ["", " ", " ", "", "\n", " ", "", " "]
    assert len(corpus_of(tmp_path, "x.tsv", HIPE, "::label=NE-NESTED")) == 4


def test_hipe_segments_are_sentences_only_without_flags(tmp_path: Path) -> None:
    lines = (
        "# document_id = a\nAda\tB-pers\n# segment_iiif_link = x\nLee\tI-pers\n# segment\nsaid\tO\n"
    )
    corpus = corpus_of(tmp_path, "x.tsv", f"TOKEN\tNE-COARSE-LIT\n{lines}")
    assert [corpus.words(number) for number in range(len(corpus))] == [["Ada", "Lee"], ["said"]]
    corpus = corpus_of(tmp_path, "x.tsv", HEADER + "a\tO\t_\t_\t_\n\tO\t_\t_\t_\n")
    assert noted(corpus) == {NO_TOKEN: 1}


def test_hipe_mention_across_sentences_of_gold_counts_once(tmp_path: Path) -> None:
    gold = HEADER + "Il\tB-work\t_\tO\tEndOfSentence\n12\tB-scope\t_\tO\t_\nx\tO\t_\tO\t_\n"
    system = HEADER + "Il\tB-work\t_\tO\t\n12\tI-work\t_\tO\t\nx\tO\t_\tO\t\n"
    paths = [tmp_path / "gold.tsv", tmp_path / "system.tsv"]
    for path, text in zip(paths, (gold, system), strict=True):
        path.write_text(text, encoding="utf-8")
    results = ns.evaluate(str(paths[0]), {"s": str(paths[1])})
    assert results.rows[0].n == 1  # of the precision: one prediction, not two
    assert results.value(metric="precision") == 0.0
    assert results.value(metric="recall") == 0.0


def test_conll2012_brackets(tmp_path: Path) -> None:
    corpus = corpus_of(tmp_path, "x.gold_conll", BRACKETS)
    assert spans_of(corpus) == [(0, 3, "ORG"), (2, 3, "GPE"), (4, 5, "DATE")]
    assert corpus.documents.tolist() == [0, 0, 0, 1]  # two parts of one document
    assert corpus.lines.tolist() == [2, 3, 4, 6, 9, 12]


@pytest.mark.parametrize(
    ("old", "new", "place", "fact"),
    [
        ("(GPE))", "(GPE)", "2", "still open at the end of its sentence"),
        ("(DATE*)", "*)", "9", "closes a mention that is not open"),
        ("(DATE*)", "B-DATE", "9", "not in the bracket notation of CoNLL-2012"),
        ("- - - -   (DATE*) -", "", "9", "6 columns where 11 are needed"),
    ],
)
def test_conll2012_refusals(tmp_path: Path, old: str, new: str, place: str, fact: str) -> None:
    options = "::format=conll2012"
    with pytest.raises(FormatError, match=fact) as caught:
        corpus_of(tmp_path, "x", BRACKETS.replace(old, new), options)
    assert caught.value.place.endswith(f":{place}")


def test_sentences_with_bars(tmp_path: Path) -> None:
    corpus = corpus_of(tmp_path, "x.iob", BARS)
    assert [corpus.words(0), corpus.words(1)] == [["Ada", "Lee", "|"], ["T-shirt"]]
    assert spans_of(corpus) == [(0, 2, "PER")]
    assert spans_of(corpus_of(tmp_path, "y.iob", "Ada|B-PER spoke|O\n")) == [(0, 1, "PER")]
    with pytest.raises(FormatError, match=r"'Lee\|O' is not a token of the form word\|tag\|label"):
        corpus_of(tmp_path, "z.iob", "Ada|NNP|B-PER Lee|O\n")


def test_layers_of_labels_are_nested_mentions(tmp_path: Path) -> None:
    corpus = corpus_of(tmp_path, "x.tsv", LAYERS, "::token=1,label=2+3")
    assert corpus.words(0) == ["Uni", "Bonn", "#"]
    assert spans_of(corpus) == [(0, 2, "ORG"), (1, 2, "LOC")]
    inner = open_source(str(tmp_path / "x.tsv"), token=1, label=2).with_options({"label": (2, 3)})
    assert spans_of(join_chunks(list(inner.chunks(Coding())))) == spans_of(corpus)
    with pytest.raises(UsageError, match="named twice"):
        corpus_of(tmp_path, "x.tsv", LAYERS, "::token=1,label=2+2")
    with pytest.raises(UsageError, match="invalid value label"):
        corpus_of(tmp_path, "x.tsv", LAYERS, "::label=2+x")


@pytest.mark.parametrize(
    ("text", "options", "words"),
    [
        ("token\tlabel\nAda\tB-PER\n", "::header=yes", ["Ada"]),
        ("\ufeffword ner\r\n\r\nAda B-PER\r\n", "::header=yes", ["Ada"]),
        ("a\tO\n# seg = x\nAda\tB-PER\n", "::comments=all", ["a", "Ada"]),
        ("# x\na O\n# y\n#z O\nb O\n", "::comments=all", ["a", "b"]),
        ("pt:Ada B-PER\npt:e O\n", "::prefix=pt:", ["Ada", "e"]),
        ("## a comment\nA\tO\n", "", ["A"]),
        ("## O\nA O\n", "", ["##", "A"]),
    ],
)
def test_options_of_columns(tmp_path: Path, text: str, options: str, words: list[str]) -> None:
    corpus = corpus_of(
        tmp_path, "x.tsv", text, f"{options or '::'}{',' if options else ''}format=conll"
    )
    assert corpus.words(0) == words


@pytest.mark.parametrize(
    ("text", "options", "fact", "fix"),
    [
        ("Word Tag\nAda B-PER\n", "", "looks like a header: 'Word Tag'", "x.conll::header=yes"),
        ("a\tO\n# s\nb\tO\n", "", "1 tab-separated column where 2 are needed", "::comments=all"),
        ("# s\na\tO\n# s\nb\tO\n", "::comments=yes", "1 tab-separated column", "::comments=all"),
        ("a O\n# s t\nb O\n", "", "begins with # and has no label: '# s t'", "::comments=all"),
        ("a O\n<per>Ada</per> b\n", "", "tags around words", "x.conll::format=inline"),
        ("a O\nAda/PER met/O\n", "", "a tag after a slash", "x.conll::format=slash"),
        (f"1\tAda{8 * CELL}\n", "", "MISC) has no label", "::format=conllu,key=KEY"),
        ("1 Ada B-PER ann\n2 met O ann\n", "", "label 'ann'", "::token=1,label=2 if another"),
        ("Ada B-NP B-PER X\na B-VP O Y\n", "", "label 'X'", "x.conll::label=2 if another"),
        ("Ada person-artist\n", "", "unknown prefix", "x.conll::scheme=io for types without"),
    ],
)
def test_the_fix_can_be_pasted(
    tmp_path: Path, text: str, options: str, fact: str, fix: str
) -> None:
    with pytest.raises(FormatError) as caught:
        corpus_of(
            tmp_path, "x.conll", text, f"{options or '::'}{',' if options else ''}format=conll"
        )
    assert fact in caught.value.fact
    assert fix in caught.value.fix


@pytest.mark.parametrize(
    ("text", "options", "kinds"),
    [
        ("1 O\n2 O\n3 O\n4-5 O\n", "", {NUMBERS: 4}),
        ("1 O\n2 O\n3 O\nfour O\n", "", {}),
        (
            "".join(f"zh-classical:{word} O\n" for word in "abcd"),
            "",
            {"tokens that begin with zh-classical: (to remove it: ::prefix=zh-classical:)": 4},
        ),
        ("Ada PER\nmet O\nBob PER\nB LOC\n", "::scheme=io", {BARE: 3}),
        ("Ada I-PER\nmet O\n", "::scheme=io", {}),
    ],
)
def test_suspicious_columns_are_noted(
    tmp_path: Path, text: str, options: str, kinds: dict[str, int]
) -> None:
    assert noted(corpus_of(tmp_path, "x.conll", text, options)) == kinds


@pytest.mark.parametrize(
    ("name", "data", "title"),
    [
        ("a.txt", b'<?xml version="1.0"?>\n<nothing><known/></nothing>\n', "XML"),
        ("a.yaml", b"name: Ada\nages:\n  - 36\n", "YAML"),
        ("a.txt", b"key: value\nother: thing\n", "YAML"),
        ("a.json", b"3\n", "JSON"),
        ("a.bin", b"PK\x03\x04\x14\x00\x00\x00abc", "a ZIP archive"),
        ("a.pdf", b"%PDF-1.4\n%\xe2\xe3\xcf\xd3\n1 0 obj\n", "a PDF file"),
        ("a.tar", b"x" * 257 + b"ustar\x00" + b"\x00" * 200, "a tar archive"),
    ],
)
def test_other_files_are_never_read_as_columns(
    tmp_path: Path, name: str, data: bytes, title: str
) -> None:
    path = tmp_path / name
    path.write_bytes(data)
    with pytest.raises(InputError, match=f"it looks like {title}"):
        source_named(str(path))


@pytest.mark.parametrize(
    "text", ["[ O\n{ B-X\n", "<s> B-X\n", '" O\n', "1,000 O\n2,000 O\n", "key: O\nx: B-Y\n"]
)
def test_tokens_may_look_like_other_files(tmp_path: Path, text: str) -> None:
    assert corpus_of(tmp_path, "x.mine", text).n_tokens == text.count("\n")


FILES: list[tuple[str, str, str]] = [
    ("hipe", HIPE, ""),
    ("hipe", HIPE, "label=NE-COARSE-LIT+NE-NESTED"),
    ("conll2012", BRACKETS, ""),
    ("iob-lines", BARS, ""),
    ("conll", LAYERS, "token=1,label=2+3"),
]


@pytest.mark.parametrize(("form", "text", "options"), FILES)
def test_conversion_to_json_lines_keeps_mentions(
    tmp_path: Path, form: str, text: str, options: str
) -> None:
    path, target = tmp_path / "x.in", tmp_path / "x.jsonl"
    path.write_text(text, encoding="utf-8")
    source = source_named(f"{path}::format={form}{',' if options else ''}{options}")
    before = join_chunks(list(source.chunks(Coding())))
    target.write_bytes(convert_source(source, None, form=FORMATS["jsonl"]).data)
    assert spans_of(ns.read(str(target))) == spans_of(before)


@pytest.mark.parametrize(("form", "text", "options"), FILES)
def test_damaged_files_give_errors_of_the_input(
    tmp_path: Path, form: str, text: str, options: str
) -> None:
    chance = random.Random(f"{form}{options}")
    data, path = text.encode(), tmp_path / "x.in"
    signs = b"\t\n \r|()*#-_OBI\x00\xff\xc3\xef\xbb\xbf"
    for _ in range(300):
        damaged = bytearray(data)
        for _ in range(chance.randint(1, 6)):
            at = chance.randrange(len(damaged) + 1)
            kind = chance.randrange(3)
            if kind == 0:
                damaged[at : at + chance.randint(0, 9)] = b""
            elif kind == 1:
                damaged[at:at] = bytes([chance.choice(signs)])
            else:
                damaged[at : at + 1] = bytes([chance.randrange(256)])
        path.write_bytes(bytes(damaged))
        for option in (f"::format={form}{',' if options else ''}{options}", ""):
            try:
                list(source_named(f"{path}{option}").chunks(Coding()))
            except (InputError, UsageError) as error:
                assert error.fix


def test_unknown_columns_of_hipe_are_refused(tmp_path: Path) -> None:
    for label in ("NE-FINE-LIT", "TOKEN", "0", "9", "-9"):
        with pytest.raises(UsageError, match=f"no label column '{label}'") as caught:
            corpus_of(tmp_path, "x.tsv", HIPE, f"::label={label}")
        assert "NE-COARSE-METO" in caught.value.fix
    with pytest.raises(FormatError, match="does not name the columns of HIPE"):
        corpus_of(tmp_path, "x.tsv", "Ada\tO\n", "::format=hipe")


@pytest.mark.parametrize(
    ("form", "text"),
    [
        ("hipe", HIPE),
        ("conll2012", BRACKETS),
        ("iob-lines", BARS),
        ("iob-lines", "Das|a|O Haus|n|B-LOC\n"),  # begins like an abstract of PubTator
        ("iob-lines", "10\xa0000|CD|O Euro|NN|O\n"),
    ],
)
def test_only_the_right_format_fits(form: str, text: str) -> None:
    fitting = [name for name in FORMATS if FORMATS[name].fits("x.tsv", text.encode())]
    assert fitting == [form]


def test_labels_of_hipe_can_be_replaced(tmp_path: Path) -> None:
    path = tmp_path / "x.tsv"
    path.write_text(HIPE, encoding="utf-8")
    changed: Any = source_named(str(path)).relabelled({4: "O"})
    assert changed.decode() == HIPE.replace("Ada\tB-pers", "Ada\tO")
