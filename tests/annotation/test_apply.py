"""Applying decisions: exactly what was chosen, and nothing else."""

import gzip
import json
from collections.abc import Callable
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import hypothesis.strategies as st
import pytest
from hypothesis import given, settings

from nerscope.annotation.apply import AppliedLog, apply_decisions
from nerscope.annotation.decisions import Decision, Span
from nerscope.corpus.corpus import Coding, Corpus
from nerscope.corpus.schemes import scheme_named
from nerscope.errors import NerscopeError
from nerscope.formats.base import FORMATS, source_named

Sentence = tuple[list[str], tuple[Span, ...]]
WORDS = ["Ada", "Oslo", "saw", "the", "#", '"', "a-b", "New", "é"]
TYPES = ["PER", "LOC", "creative-work"]
SCHEMES = ["bio", "iob1", "bioes", "bilou", "bmes", "bmeow"]


@st.composite
def flat_spans(draw: Any, size: int) -> tuple[Span, ...]:
    """Mentions that do not overlap; some of them touch."""
    edges = sorted(draw(st.sets(st.integers(0, size), max_size=6)))
    kinds = draw(st.lists(st.sampled_from([None, *TYPES]), min_size=6, max_size=6))
    pairs = zip(edges, edges[1:], kinds, strict=False)
    return tuple(Span(start, end, kind) for start, end, kind in pairs if kind)


@st.composite
def decided(draw: Any) -> tuple[list[Sentence], dict[int, tuple[Span, ...]]]:
    """A corpus, and the mentions that are chosen for some of its sentences."""
    sizes = draw(st.lists(st.integers(1, 6), min_size=1, max_size=6))
    words = [draw(st.lists(st.sampled_from(WORDS), min_size=n, max_size=n)) for n in sizes]
    gold = [draw(flat_spans(size)) for size in sizes]
    chosen = {at: draw(flat_spans(n)) for at, n in enumerate(sizes) if draw(st.booleans())}
    return list(zip(words, gold, strict=True)), chosen


def spelt(size: int, spans: tuple[Span, ...], scheme: str) -> list[str]:
    """The labels of a sentence, written from the definitions of the schemes."""
    labels = ["O"] * size
    ends = {"bio": "BIIB", "iob1": "IIII", "bioes": "BIES", "bilou": "BILU"}
    begin, inside, end, single = [*{**ends, "bmes": "BMES", "bmeow": "BMEW"}[scheme]]
    before = Span(-1, -1, "")
    for span in spans:
        letters = [begin, *[inside] * (span.end - span.start - 2), end]
        letters = [single] if span.end - span.start == 1 else letters
        if scheme == "iob1" and (before.end, before.type) == (span.start, span.type):
            letters[0] = "B"
        labels[span.start : span.end] = [f"{letter}-{span.type}" for letter in letters]
        before = span
    return labels


def decisions_of(
    corpus: list[Sentence], chosen: dict[int, tuple[Span, ...]], file: str = "gold"
) -> list[Decision]:
    return [
        Decision(file, at, " ".join(corpus[at][0]), corpus[at][1], spans, "eve")
        for at, spans in chosen.items()
    ]


def with_chosen(corpus: list[Sentence], chosen: dict[int, tuple[Span, ...]]) -> list[Sentence]:
    return [(words, chosen.get(at, spans)) for at, (words, spans) in enumerate(corpus)]


def sentences_in(path: str) -> list[Sentence]:
    """The words and the mentions of each sentence of a file."""
    sentences: list[Sentence] = []
    for chunk in source_named(path).chunks(Coding()):
        mentions, types = chunk.mentions(), chunk.coding.labels.types
        rows = [
            Span(int(start), int(end), types[kind])
            for start, end, kind in zip(mentions.start, mentions.end, mentions.type, strict=True)
        ]
        for number in range(len(chunk)):
            begin, end = chunk.starts[number : number + 2].tolist()
            inside = (row for row in rows if begin <= row.start < end)
            spans = [Span(row.start - begin, row.end - begin, row.type) for row in inside]
            sentences.append((chunk.with_words().words(number), tuple(sorted(spans))))
    return sentences


def applied(path: Path, decisions: list[Decision], options: str = "", name: str = "") -> AppliedLog:
    out = path.with_name(name or f"out-{path.name}")
    return apply_decisions(f"{path}{options}", decisions, out)


# Columns

COLUMN_FILES = {
    "tabs": ("\t", "\n", True, ""),
    "blanks": (" ", "\n", False, ""),
    "runs": ("   ", "\r\n", True, ""),
    "windows": ("\t", "\r\n", False, "\ufeff"),
}


def column_file(corpus: list[Sentence], scheme: str, kind: str, documents: bool = True) -> bytes:
    """Four columns; the label is the third one, and a wrong label the last."""
    joint, newline, has_end, mark = COLUMN_FILES[kind]
    lines = [joint.join(["-DOCSTART-", "-X-", "O", "O"]), ""] if documents else []
    for words, spans in corpus:
        labels = spelt(len(words), spans, scheme)
        lines += [joint.join([w, "X", la, "B-ODD"]) for w, la in zip(words, labels, strict=True)]
        lines.append("")
    text = newline.join([*lines, ""] if has_end else lines[:-1])
    return (mark + text).encode()


@pytest.mark.parametrize("kind", COLUMN_FILES)
@pytest.mark.parametrize("scheme", SCHEMES)
@settings(max_examples=25)
@given(case=decided())
def test_columns_change_where_it_was_decided(
    tmp_path_factory: pytest.TempPathFactory,
    kind: str,
    scheme: str,
    case: tuple[list[Sentence], dict[int, tuple[Span, ...]]],
) -> None:
    corpus, chosen = case
    folder = tmp_path_factory.mktemp("columns")
    gold, out, back = (folder / name for name in ("gold.conll", "out.conll", "back.conll"))
    before = column_file(corpus, scheme, kind)
    gold.write_bytes(before)
    options = f"::label=2,scheme={scheme}"
    decisions = decisions_of(corpus, chosen)
    log = apply_decisions(f"{gold}{options}", decisions, out)
    expected = with_chosen(corpus, chosen)
    assert out.read_bytes() == column_file(expected, scheme, kind)
    assert sentences_in(f"{out}{options}") == expected
    assert {row.sentence for row in log.rows} == {
        at for at, spans in chosen.items() if spans != corpus[at][1]
    }
    assert log.rewritten is None
    inverse = decisions_of(expected, {at: corpus[at][1] for at in chosen})
    apply_decisions(f"{out}{options}", inverse, back)
    assert back.read_bytes() == before


def test_the_inverse_of_a_shared_type_is_exact_without_a_scheme(tmp_path: Path) -> None:
    gold = tmp_path / "gold.conll"
    gold.write_text("Ada I-PER\nLee I-PER\nOslo I-LOC\n\nso O\n")
    one = Decision(
        "gold.conll",
        0,
        "Ada Lee Oslo",
        (Span(0, 2, "PER"), Span(2, 3, "LOC")),
        (Span(0, 1, "PER"), Span(1, 2, "PER"), Span(2, 3, "LOC")),
    )
    log = applied(gold, [one])
    assert (tmp_path / "out-gold.conll").read_text() == "Ada I-PER\nLee B-PER\nOslo I-LOC\n\nso O\n"
    assert log.rows[0].line == 1
    assert log.rows[0].neighbours == ()


def test_a_neighbour_changes_if_the_scheme_requires_it(tmp_path: Path) -> None:
    gold = tmp_path / "gold.conll"
    gold.write_text("Ada O\nLee I-PER\nsaw O\nOslo I-LOC\nBonn B-LOC\n")
    one = Decision(
        "gold.conll",
        0,
        "Ada Lee saw Oslo Bonn",
        (Span(1, 2, "PER"), Span(3, 4, "LOC"), Span(4, 5, "LOC")),
        (Span(0, 1, "PER"), Span(1, 2, "PER"), Span(3, 4, "LOC"), Span(4, 5, "LOC")),
    )
    log = applied(gold, [one])
    text = (tmp_path / "out-gold.conll").read_text()
    assert text == "Ada I-PER\nLee B-PER\nsaw O\nOslo I-LOC\nBonn B-LOC\n"
    assert log.rows[0].neighbours == (1,)
    assert "the tagging scheme iob1 requires it" in log.messages[-1]


def test_invalid_labels_elsewhere_in_the_sentence_stay(tmp_path: Path) -> None:
    gold = tmp_path / "gold.conll"
    gold.write_text("Ada I-PER\nsaw O\nOslo B-PER\nBonn B-PER\n")
    spans = (Span(0, 1, "PER"), Span(2, 3, "PER"), Span(3, 4, "PER"))
    one = Decision("gold.conll", 0, "Ada saw Oslo Bonn", spans, (*spans[:2], Span(3, 4, "LOC")))
    applied(gold, [one])
    assert (tmp_path / "out-gold.conll").read_text() == (
        "Ada I-PER\nsaw O\nOslo B-PER\nBonn B-LOC\n"
    )


def test_an_invalid_label_beside_a_new_mention_is_corrected(tmp_path: Path) -> None:
    gold = tmp_path / "gold.conll"
    gold.write_text("Ada O\nLee I-PER\nsaw O\nBob B-LOC\n")
    spans = (Span(1, 2, "PER"), Span(3, 4, "LOC"))
    one = Decision("gold.conll", 0, "Ada Lee saw Bob", spans, (Span(0, 1, "PER"), *spans))
    log = applied(gold, [one], "::scheme=bio")
    assert (tmp_path / "out-gold.conll").read_text() == "Ada B-PER\nLee B-PER\nsaw O\nBob B-LOC\n"
    assert log.rows[0].neighbours == (1,)


def test_types_without_prefixes_stay_so(tmp_path: Path) -> None:
    gold = tmp_path / "gold.txt"
    gold.write_text("Ada PER\nsaw O\nOslo PER\n")
    one = Decision(
        "gold.txt",
        0,
        "Ada saw Oslo",
        (Span(0, 1, "PER"), Span(2, 3, "PER")),
        (Span(0, 1, "PER"), Span(2, 3, "LOC")),
    )
    applied(gold, [one], "::scheme=io")
    assert (tmp_path / "out-gold.txt").read_text() == "Ada PER\nsaw O\nOslo LOC\n"


def test_what_a_scheme_cannot_represent_is_refused(tmp_path: Path) -> None:
    gold = tmp_path / "gold.txt"
    gold.write_text("Ada PER\nLee PER\n")
    one = Decision(
        "gold.txt", 0, "Ada Lee", (Span(0, 2, "PER"),), (Span(0, 1, "PER"), Span(1, 2, "PER"))
    )
    with pytest.raises(NerscopeError, match=r"the labels \(io\) cannot represent .* 0\. Fix"):
        applied(gold, [one], "::scheme=io")
    assert not (tmp_path / "out-gold.txt").exists()


@pytest.mark.parametrize("packed", ["gold.conll.gz", "gold.conll"])
def test_packed_files_are_packed_again(tmp_path: Path, packed: str) -> None:
    gold = tmp_path / packed
    gold.write_bytes(gzip.compress(b"Ada B-PER\nsaw O"))
    one = Decision(packed, 0, "Ada saw", (Span(0, 1, "PER"),), ())
    applied(gold, [one], name="out.conll.gz")
    assert gzip.decompress((tmp_path / "out.conll.gz").read_bytes()) == b"Ada O\nsaw O"


def test_another_encoding_and_old_line_ends_stay(tmp_path: Path) -> None:
    gold = tmp_path / "gold.conll"
    gold.write_bytes("Zoë B-PER\rsaw O\r".encode("cp1252"))
    one = Decision("gold.conll", 0, "Zoë saw", (Span(0, 1, "PER"),), (Span(0, 2, "PER"),))
    applied(gold, [one], "::encoding=cp1252")
    assert (tmp_path / "out-gold.conll").read_bytes() == "Zoë B-PER\rsaw I-PER\r".encode("cp1252")


def test_a_header_and_comments_stay(tmp_path: Path) -> None:
    gold = tmp_path / "gold.tsv"
    gold.write_text("token\tlabel\n# id = 1\nAda\tB-PER\n# inside\nsaw\tO\n")
    one = Decision("gold.tsv", 0, "Ada saw", (Span(0, 1, "PER"),), (Span(1, 2, "LOC"),))
    applied(gold, [one], "::format=conll,header=yes,comments=all")
    assert (tmp_path / "out-gold.tsv").read_text() == (
        "token\tlabel\n# id = 1\nAda\tO\n# inside\nsaw\tB-LOC\n"
    )


# CoNLL-U, CSV and JSON

CONLLU = (
    "# sent_id = 1\n1\tAda\tAda\tX\t_\t_\t0\troot\t_\tNER=B-PER|SpaceAfter=No\n"
    "2\tsaw\tsee\tX\t_\t_\t0\troot\t_\t_\n\n"
)


def test_a_key_of_conllu_changes_and_the_rest_stays(tmp_path: Path) -> None:
    gold = tmp_path / "gold.conllu"
    gold.write_text(CONLLU)
    one = Decision("gold.conllu", 0, "Ada saw", (Span(0, 1, "PER"),), (Span(1, 2, "LOC"),))
    applied(gold, [one])
    back = Decision("gold.conllu", 0, "Ada saw", one.chosen, one.gold)
    out = tmp_path / "out-gold.conllu"
    assert out.read_text().splitlines()[1:3] == [
        "1\tAda\tAda\tX\t_\t_\t0\troot\t_\tSpaceAfter=No",
        "2\tsaw\tsee\tX\t_\t_\t0\troot\t_\tNER=B-LOC",
    ]
    applied(out, [back])
    assert sorted((tmp_path / "out-out-gold.conllu").read_text()) == sorted(CONLLU)


def test_the_words_of_a_multiword_token_keep_its_mention(tmp_path: Path) -> None:
    rest = "\t_" * 7 + "\t"
    lines = ["1-2\tdelMar" + rest + "NER=B-LOC", *(f"{n}\tw{n}{rest}_" for n in (1, 2, 3))]
    gold = tmp_path / "gold.conllu"
    gold.write_text("\n".join(lines) + "\n\n")
    wider = Decision("gold.conllu", 0, "w1 w2 w3", (Span(0, 2, "LOC"),), (Span(0, 3, "LOC"),))
    applied(gold, [wider])
    assert sentences_in(str(tmp_path / "out-gold.conllu")) == [(["w1", "w2", "w3"], wider.chosen)]


def test_brackets_and_several_columns_are_refused(tmp_path: Path) -> None:
    gold = tmp_path / "gold.conll"
    gold.write_text("Uni B-ORG O\nBonn I-ORG B-LOC\n")
    spans = (Span(0, 2, "ORG"), Span(1, 2, "LOC"))
    one = Decision("gold.conll", 0, "Uni Bonn", spans, spans[:1])
    with pytest.raises(
        NerscopeError, match=r"does not change mentions in brackets.*Fix: nerscope convert"
    ):
        applied(gold, [one], "::label=1+2")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["gold.conll"]


def csv_file(corpus: list[Sentence]) -> str:
    lines = ["sentence_id,word,tag,note"]
    for number, (words, spans) in enumerate(corpus):
        for word, label in zip(words, spelt(len(words), spans, "bio"), strict=True):
            cell = word.replace('"', '""')
            lines.append(f'{number},"{cell}",{label},"a, b"')
    return "\r\n".join(lines)


def record(words: list[str], spans: tuple[Span, ...]) -> dict[str, Any]:
    """A text, with the offset of each token."""
    starts = [len(" ".join(words[:at])) + bool(at) for at in range(len(words))]
    ends = [start + len(word) for start, word in zip(starts, words, strict=True)]
    return {
        "text": " ".join(words),
        "tokens": [{"start": a, "end": b} for a, b in zip(starts, ends, strict=True)],
        "spans": [
            {"start": starts[span.start], "end": ends[span.end - 1], "label": span.type, "id": 7}
            for span in spans
        ],
    }


JSON_RECORDS: dict[str, Callable[[list[str], tuple[Span, ...]], dict[str, Any]]] = {
    "text": record,
    "labels": lambda words, spans: {"tokens": words, "ner_tags": spelt(len(words), spans, "bio")},
    "tokens": lambda words, spans: {"tokens": words, "entities": [list(span) for span in spans]},
    "inclusive": lambda words, spans: {
        "tokenized_text": words,
        "ner": [[span.start, span.end - 1, span.type] for span in spans],
    },
}


@pytest.mark.parametrize("separators", [(", ", ": "), (",", ":")], ids=["wide", "compact"])
@pytest.mark.parametrize("layout", JSON_RECORDS)
@settings(max_examples=30)
@given(case=decided())
def test_json_lines_change_only_the_records_that_were_decided_on(
    tmp_path_factory: pytest.TempPathFactory,
    layout: str,
    separators: tuple[str, str],
    case: tuple[list[Sentence], dict[int, tuple[Span, ...]]],
) -> None:
    corpus, chosen = case
    gold = tmp_path_factory.mktemp("json") / "gold.jsonl"
    lines = [
        json.dumps(
            {"meta": [number], **JSON_RECORDS[layout](*sentence), "z": None},
            separators=separators,
            ensure_ascii=False,
        )
        for number, sentence in enumerate(corpus)
    ]
    gold.write_text("\n\n".join(lines))
    log = applied(gold, decisions_of(corpus, chosen))
    out = gold.with_name("out-gold.jsonl")
    assert sentences_in(str(out)) == with_chosen(corpus, chosen)
    assert log.rewritten is None
    after = out.read_text().split("\n\n")
    for number, (old, new) in enumerate(zip(lines, after, strict=True)):
        if chosen.get(number, corpus[number][1]) == corpus[number][1]:
            assert new == old
        assert json.loads(new)["meta"] == [number]
        assert separators[1] in new
    rows = {row.sentence: row.line for row in log.rows}
    assert rows == {at: 2 * at + 1 for at in rows}


@settings(max_examples=40)
@given(case=decided())
def test_csv_changes_the_cells_that_were_decided_on(
    tmp_path_factory: pytest.TempPathFactory,
    case: tuple[list[Sentence], dict[int, tuple[Span, ...]]],
) -> None:
    corpus, chosen = case
    gold = tmp_path_factory.mktemp("csv") / "gold.csv"
    gold.write_bytes(csv_file(corpus).encode())
    log = applied(gold, decisions_of(corpus, chosen))
    expected = with_chosen(corpus, chosen)
    out = gold.with_name("out-gold.csv")
    assert out.read_bytes().decode() == csv_file(expected)
    assert sentences_in(str(out)) == expected
    assert log.rewritten is None


def test_a_list_over_several_lines_keeps_its_layout(tmp_path: Path) -> None:
    gold = tmp_path / "gold.json"
    records = [record(["Ada", "saw"], (Span(0, 1, "PER"),)), record(["so"], ())]
    gold.write_text(json.dumps(records, indent=1))
    one = Decision(
        "gold.json", 0, "Ada saw", (Span(0, 1, "PER"),), (Span(0, 1, "PER"), Span(1, 2, "LOC"))
    )
    applied(gold, [one])
    out = (tmp_path / "out-gold.json").read_text()
    assert json.loads(out)[0]["spans"][1] == {"start": 4, "end": 7, "label": "LOC"}
    begin, end = out.index(',\n   {"start": 4'), out.index('"LOC"}') + len('"LOC"}')
    assert out[:begin] + out[end:] == gold.read_text()


def test_offsets_count_characters_of_a_text_with_several_sentences(tmp_path: Path) -> None:
    gold = tmp_path / "gold.jsonl"
    line = {"text": "  Ada, (b)\n\nNewYork  is ", "label": [[2, 5, "PER"], [15, 19, "LOC"]]}
    gold.write_text(json.dumps(line))
    sentences = sentences_in(str(gold))
    assert sentences[1] == (["New", "York", "is"], (Span(1, 2, "LOC"),))
    one = Decision("x", 1, "New York is", (Span(1, 2, "LOC"),), (Span(0, 2, "LOC"),))
    log = apply_decisions(gold, [one], tmp_path / "out.jsonl")
    new = json.loads((tmp_path / "out.jsonl").read_text())
    assert new == {**line, "label": [[2, 5, "PER"], [12, 19, "LOC"]]}
    assert log.messages == (f"decisions about x applied to {gold}",)
    again = apply_decisions(tmp_path / "out.jsonl", [one], tmp_path / "again.jsonl")
    assert (again.already, again.rows) == (1, ())


def test_nested_mentions_are_written_where_the_format_has_spans(tmp_path: Path) -> None:
    gold = tmp_path / "gold.jsonl"
    gold.write_text(json.dumps(record(["New", "York"], (Span(0, 2, "LOC"),))))
    nested = (Span(0, 2, "LOC"), Span(1, 2, "PER"))
    one = Decision("gold.jsonl", 0, "New York", nested[:1], nested)
    applied(gold, [one])
    assert sentences_in(str(tmp_path / "out-gold.jsonl"))[0][1] == nested
    columns = tmp_path / "gold.conll"
    columns.write_text("New B-LOC\nYork I-LOC\n")
    with pytest.raises(NerscopeError, match=r"\[0, 2, LOC\] and \[1, 2, PER\] overlap"):
        applied(columns, [one])


def test_a_record_without_spans_gets_its_key(tmp_path: Path) -> None:
    gold = tmp_path / "gold.jsonl"
    gold.write_text('{"text": "Ada saw", "answer": "accept"}\n')
    one = Decision("gold.jsonl", 0, "Ada saw", (), (Span(0, 1, "PER"),))
    applied(gold, [one])
    assert json.loads((tmp_path / "out-gold.jsonl").read_text()) == {
        "text": "Ada saw",
        "answer": "accept",
        "spans": [{"start": 0, "end": 3, "label": "PER"}],
    }


def test_numbers_of_labels_stay_numbers(tmp_path: Path) -> None:
    gold = tmp_path / "gold.jsonl"
    gold.write_text('{"tokens":["Ada","saw"],"ner_tags":[1,0]}')
    one = Decision("gold.jsonl", 0, "Ada saw", (Span(0, 1, "PER"),), (Span(0, 2, "PER"),))
    applied(gold, [one], "::names=O+B-PER+I-PER")
    out = tmp_path / "out-gold.jsonl"
    assert out.read_text() == '{"tokens":["Ada","saw"],"ner_tags":[1,2]}'


# Formats that are written anew


LABEL_STUDIO = {
    "data": {"text": "Ada saw"},
    "annotations": [
        {
            "result": [
                {
                    "type": "labels",
                    "value": {"start": 0, "end": 3, "text": "Ada", "labels": ["PER"]},
                }
            ]
        }
    ],
}


def test_tasks_of_a_tool_are_written_anew(tmp_path: Path) -> None:
    gold = tmp_path / "gold.json"
    gold.write_text(json.dumps([LABEL_STUDIO]))
    one = Decision("gold.json", 0, "Ada saw", (Span(0, 1, "PER"),), (Span(1, 2, "LOC"),))
    log = applied(gold, [one])
    assert log.rewritten == "json"
    assert "the whole file was written anew as json" in log.messages[-1]
    assert sentences_in(str(tmp_path / "out-gold.json")) == [(["Ada", "saw"], (Span(1, 2, "LOC"),))]


WRITTEN = {"webanno": ".tsv", "parquet": ".parquet", "arrow": ".arrow", "brat": ""}
if find_spec("spacy"):
    WRITTEN["docbin"] = ".spacy"


@pytest.mark.parametrize("name", WRITTEN)
def test_formats_with_a_writer_have_the_chosen_mentions(tmp_path: Path, name: str) -> None:
    corpus = Corpus.of([(["Ada", "saw"], ["B-PER", "O"]), (["Oslo"], ["O"])])
    form, scheme = FORMATS[name], scheme_named("bio")
    gold, out = (tmp_path / f"{stem}{WRITTEN[name]}" for stem in ("gold", "out"))
    if form.write is not None:
        gold.write_bytes(form.write(corpus, scheme))
    elif form.write_folder is not None:
        gold.mkdir()
        for file, data in form.write_folder(corpus, scheme).items():
            (gold / file).write_bytes(data)
    before = sentences_in(str(gold))
    last = len(before) - 1
    one = Decision("gold", last, "Oslo", (), (Span(0, 1, "LOC"),))
    log = apply_decisions(gold, [one], out)
    assert log.rewritten == name
    assert sentences_in(str(out)) == [*before[:-1], (["Oslo"], (Span(0, 1, "LOC"),))]


def test_a_format_without_a_writer_is_refused(tmp_path: Path) -> None:
    gold = tmp_path / "gold.iob"
    gold.write_text("Ada|NNP|B-PER saw|VBD|O\nOslo|NNP|B-LOC slept|VBD|O\n")
    one = Decision("gold.iob", 0, "Ada saw", (Span(0, 1, "PER"),), ())
    with pytest.raises(
        NerscopeError, match=r"does not change mentions in brackets.*Fix: nerscope convert"
    ):
        applied(gold, [one])
    text = tmp_path / "gold.txt"
    text.write_text("Ada/B-PER saw/O\n")
    other = Decision("gold.txt", 0, "Ada saw", (Span(0, 1, "PER"),), ())
    with pytest.raises(NerscopeError, match=r"can read the format slash, but not change.*convert"):
        applied(text, [other])


# What is refused, and what is counted

GOLD = "Ada B-PER\nsaw O\nOslo B-PER\n\nso O\n"
ADA = (Span(0, 1, "PER"), Span(2, 3, "PER"))
FIXED = (ADA[0], Span(2, 3, "LOC"))


@pytest.fixture
def gold(tmp_path: Path) -> Path:
    path = tmp_path / "gold.conll"
    path.write_text(GOLD)
    return path


def refused(gold: Path, match: str, *decisions: Decision, output: Path | None = None) -> None:
    out = output or gold.with_name("out.conll")
    with pytest.raises(NerscopeError, match=match):
        apply_decisions(gold, decisions, out)
    assert output or not out.exists()
    assert gold.read_text() == GOLD


def test_stale_decisions_are_refused_with_what_stands_there(gold: Path) -> None:
    refused(
        gold,
        r"sentence 1 of .*gold.conll is now 'so', not 'Ada saw Oslo'.*\"sentence\": 0",
        Decision("gold.conll", 1, "Ada saw Oslo", ADA, FIXED, place="d.json item 3"),
    )
    refused(
        gold,
        r"d.json item 3: it is stale: .* has 2 sentences, and no sentence 2147483647",
        Decision("gold.conll", 2147483647, "so", (), (), place="d.json item 3"),
    )
    refused(
        gold,
        r"now has \[0, 1, PER\], \[2, 3, PER\], not no mentions",
        Decision("gold.conll", 0, "Ada saw Oslo", (), FIXED),
    )
    refused(
        gold,
        r"from 2 to 9 of chosen is outside the 3 tokens",
        Decision("gold.conll", 0, "Ada saw Oslo", ADA, (Span(2, 9, "LOC"),)),
    )
    refused(
        gold,
        r"its text has other tokens than sentence 0 of .*: 'A da saw Oslo', not 'Ada saw Oslo'",
        Decision(
            "gold.conll",
            0,
            "A da saw Oslo",
            (Span(0, 2, "PER"), Span(3, 4, "PER")),
            (Span(0, 1, "PER"),),
        ),
    )


def test_tokens_that_are_divided_otherwise_are_mapped(gold: Path) -> None:
    decision = Decision(
        "gold.conll",
        0,
        "A da saw Oslo",
        (Span(0, 2, "PER"), Span(3, 4, "PER")),
        (Span(3, 4, "PER"),),
    )
    log = applied(gold, [decision])
    assert log.rows[0].after == (Span(2, 3, "PER"),)
    assert "1 text with other tokens than" in log.messages[0]


@pytest.mark.parametrize("text", ["Ada sawOslo", "AdasawOslo"])
def test_a_text_with_other_blanks_is_shown_and_can_be_copied(gold: Path, text: str) -> None:
    """The spans count the tokens of the file, and only the text was written otherwise."""
    decision = Decision("gold.conll", 0, text, ADA, FIXED)
    refused(
        gold,
        rf"other tokens .*: '{text}', not 'Ada saw Oslo'.*\"text\": \"Ada saw Oslo\"",
        decision,
    )
    log = applied(gold, [replace(decision, text="Ada saw Oslo")])
    assert log.rows[0].after == FIXED
    assert not any("other tokens" in message for message in log.messages)


def test_decisions_that_contradict_are_refused(gold: Path) -> None:
    one = Decision("gold.conll", 0, "Ada saw Oslo", ADA, FIXED, place="a.json item 1")
    two = Decision("./gold.conll", 0, "Ada saw Oslo", ADA, (), place="b.json item 2")
    refused(gold, "b.json item 2: it contradicts a.json item 1 on sentence 0", one, two)


def test_decisions_about_other_files(gold: Path) -> None:
    one = Decision("data/gold.conll", 0, "Ada saw Oslo", ADA, FIXED)
    other = Decision("b.conll", 7, "no", (), ())
    log = applied(gold, [one, other])
    assert log.messages[0] == "1 decision about b.conll left out"
    assert len(log.rows) == 1
    refused(
        gold.with_name("gold.conll"),
        "about b.conll, c.conll, not about",
        other,
        Decision("c.conll", 0, "no", (), ()),
    )


def test_confirmed_and_applied_decisions_are_counted(gold: Path) -> None:
    one = Decision("gold.conll", 0, "Ada  saw Oslo", ADA, FIXED, "eve")
    kept = Decision("gold.conll", 1, "so", (), ())
    first = applied(gold, [one, kept])
    assert (len(first.rows), first.confirmed, first.already) == (1, 1, 0)
    assert first.rows[0].as_dict() == {
        "file": str(gold),
        "line": 3,
        "record": None,
        "sentence": 0,
        "before": [{"start": 0, "end": 1, "type": "PER"}, {"start": 2, "end": 3, "type": "PER"}],
        "after": [{"start": 0, "end": 1, "type": "PER"}, {"start": 2, "end": 3, "type": "LOC"}],
        "by": "eve",
        "neighbours": [],
    }
    assert "no other mention" in first.messages[0]
    again = applied(gold.with_name("out-gold.conll"), [one, kept], name="again.conll")
    assert (len(again.rows), again.confirmed, again.already) == (0, 1, 1)
    assert gold.with_name("again.conll").read_text() == GOLD.replace("Oslo B-PER", "Oslo B-LOC")


def test_an_output_is_never_an_input(gold: Path) -> None:
    one = Decision("gold.conll", 0, "Ada saw Oslo", ADA, FIXED)
    refused(gold, "this file is also an input", one, output=gold)
    link = gold.with_name("link.conll")
    link.symlink_to(gold)
    refused(gold, "this file is also an input", one, output=link)
    refused(
        gold,
        r"the format jsonl.*Fix: -o .*out.conll, then: nerscope convert .*out.conll",
        one,
        output=gold.with_name("out.jsonl"),
    )
    with pytest.raises(NerscopeError, match="no output is given"):
        apply_decisions(gold, [one], None)


def test_a_dry_run_writes_nothing(gold: Path) -> None:
    one = Decision("gold.conll", 0, "Ada saw Oslo", ADA, FIXED)
    log = apply_decisions(gold, [one], None, dry_run=True)
    assert log.rows == apply_decisions(gold, [one], gold.with_name("o.conll"), dry_run=True).rows
    assert [path.name for path in gold.parent.iterdir()] == ["gold.conll"]


def test_several_files_at_once_are_refused(gold: Path) -> None:
    gold.with_name("gold2.conll").write_text(GOLD)
    with pytest.raises(NerscopeError, match="this is standard input"):
        apply_decisions("-", [], gold.with_name("out.conll"))
    with pytest.raises(NerscopeError, match="one file at a time"):
        apply_decisions(gold.with_name("gold*.conll"), [], gold.with_name("out.conll"))


def test_a_column_of_conllu_plus_keeps_its_sign_for_no_mention(tmp_path: Path) -> None:
    gold = tmp_path / "gold.conllup"
    gold.write_text("# global.columns = ID FORM NER\n1\tAda\tB-PER\n2\tsaw\t*\n\n")
    one = Decision("gold.conllup", 0, "Ada saw", (Span(0, 1, "PER"),), (Span(1, 2, "PER"),))
    back = Decision("gold.conllup", 0, "Ada saw", one.chosen, one.gold)
    applied(gold, [one])
    out = tmp_path / "out-gold.conllup"
    assert out.read_text().endswith("1\tAda\t*\n2\tsaw\tB-PER\n\n")
    applied(out, [back])
    assert (tmp_path / "out-out-gold.conllup").read_text() == gold.read_text()


@pytest.mark.parametrize("kind", ["a b", "a\nb"])
def test_a_type_that_columns_cannot_hold_is_refused(gold: Path, kind: str) -> None:
    refused(
        gold,
        "cannot represent all mentions",
        Decision("gold.conll", 0, "Ada saw Oslo", ADA, (Span(0, 1, kind),)),
    )


def test_a_type_that_the_encoding_does_not_have_is_refused(tmp_path: Path) -> None:
    gold = tmp_path / "gold.conll"
    gold.write_text("Ada B-PER\n")
    one = Decision("gold.conll", 0, "Ada", (Span(0, 1, "PER"),), (Span(0, 1, "Ж"),))
    with pytest.raises(NerscopeError, match=r"the encoding .* has no character 'Ж'"):
        applied(gold, [one], "::encoding=cp1252")


@pytest.mark.parametrize(
    "given",
    [
        ["Ada saw", {"entities": [[0, 3, "PER"]], "x": {"y": [1]}}],
        {"id": 3, "data": "Ada saw", "label": [[0, 3, "PER"]], "Comments": []},
        {"classes": ["PER"], "annotations": [["Ada saw", {"entities": [[0, 3, "PER"]]}], None]},
    ],
    ids=["pair", "doccano", "classes"],
)
def test_spans_deep_in_a_record_change_in_place(tmp_path: Path, given: Any) -> None:
    gold = tmp_path / "gold.json"
    gold.write_text(f"{json.dumps(given)}\n")
    one = Decision("gold.json", 0, "Ada saw", (Span(0, 1, "PER"),), (Span(0, 2, "LOC"),))
    log = applied(gold, [one])
    text = gold.read_text().replace('[[0, 3, "PER"]]', '[[0, 7, "LOC"]]')
    assert (tmp_path / "out-gold.json").read_text() == text
    assert log.rewritten is None


def test_a_task_with_deep_metadata_is_no_fault(tmp_path: Path) -> None:
    gold = tmp_path / "gold.jsonl"
    deep = "[" * 400 + "]" * 400
    gold.write_text(f'{{"meta": {deep}, "text": "Ada saw", "spans": []}}\n')
    one = Decision("gold.jsonl", 0, "Ada saw", (), (Span(0, 1, "PER"),))
    applied(gold, [one])
    assert deep in (tmp_path / "out-gold.jsonl").read_text()
