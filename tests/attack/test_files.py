"""Files of every bad kind, and odd ones that must be read as they are meant."""

import gzip
import os
import threading
from pathlib import Path

import pytest
from tests.attack.conftest import Attack
from tests.attack.harness import Case, params
from tests.cli.conftest import GOLD, Run

G = "Ada B-PER\nmet O\nBob B-PER\n"
S = "Ada B-PER\nmet O\nBob O\n"
HALF = {"precision": 1.0, "recall": 0.5, "f1": 2 / 3}
READ = "evaluate g.txt --system s=s.txt --format json"
Content = str | bytes


def refused(name: str, content: Content, fact: str, place: str = "bad.txt") -> list[Case]:
    """A file that is refused as gold, and as the output of a system."""
    files = {"bad.txt": content}
    gold = "evaluate bad.txt --system good=bad.txt -o out.json"
    return [
        Case(f"{name}-gold", gold, place, fact, files=files),
        Case(f"{name}-validate", "validate bad.txt", place, fact, files=files),
        Case(f"{name}-convert", "convert bad.txt out.txt --to bioes", place, fact, files=files),
    ]


def half(name: str, gold: Content, system: Content = S, options: str = "", note: str = "") -> Case:
    """Two files that must be read so that one mention of two is found."""
    command = f"evaluate 'g.txt{options}' --system s=s.txt --format json"
    return Case(name, command, code=0, files={"g.txt": gold, "s.txt": system}, numbers=HALF,
                note=note)  # fmt: skip


def fed(folder: Path) -> None:
    """A pipe into which somebody writes."""
    os.mkfifo(folder / "g.txt")

    def feed() -> None:
        with open(folder / "g.txt", "wb") as stream:
            stream.write(G.encode())

    threading.Thread(target=feed, daemon=True).start()


def unreadable(folder: Path) -> None:
    """A file that cannot be opened, not even by a superuser."""
    (folder / "loop.txt").symlink_to("loop.txt")


LONG = "x" * 300
PACKED = gzip.compress(G.encode(), mtime=0)
MANY = "".join(f"w{k} B-T{k}\n" for k in range(400))
SENTENCES = {"g.txt": "Ada B-PER\n\nBob B-PER\n\nEve B-PER\n"}

REFUSED = [
    *refused("empty", "", "the file contains no sentences"),
    *refused("newline", "\n", "the file contains no sentences"),
    *refused("blank", " \n\t\n\r\n", "the file contains no sentences"),
    *refused("only-docstart", "-DOCSTART- O\n\n", "the file contains no sentences"),
    *refused("only-comments", "# sent_id = 1\n# text = x\n", "the file contains no sentences"),
    *refused("only-bom", b"\xef\xbb\xbf", "the file contains no sentences"),
    *refused("nul", "Ada B-PER\nm\0t O\n", "the file contains a NUL byte", "bad.txt: byte 11"),
    *refused("utf-16-bom", G.encode("utf-16"), "", "bad.txt: byte 0"),
    *refused("utf-16-no-bom", G.encode("utf-16-le"), "NUL byte", "bad.txt: byte 1"),
    *refused("latin-1", "Zoë B-PER\n".encode("latin-1"), "not valid utf-8", "bad.txt: byte 2"),
    *refused("surrogate", b"a\xed\xa0\x80 B-PER\n", "not valid utf-8", "bad.txt: byte 1"),
    *refused("overlong", b"\xc0\xaf B-PER\n", "not valid utf-8", "bad.txt: byte 0"),
    *refused(
        "cut-character",
        "Ada B-PER\nZo\u00eb".encode()[:-1],
        "not valid utf-8: the last character is incomplete",
        "bad.txt: byte",
    ),
    *refused("gzip-cut", PACKED[:30], "the packed file is damaged"),
    *refused("gzip-garbage", b"\x1f\x8b" + b"garbage" * 9, "the packed file is damaged"),
    *refused("gzip-header", PACKED[:2], "the packed file is damaged"),
    *refused("gzip-crc", PACKED[:-8] + b"\0" * 8, "the packed file is damaged"),
    *refused("gzip-tail", PACKED + b"garbage", "the packed file is damaged"),
    *refused("gzip-gzip", gzip.compress(PACKED), "", "bad.txt"),
    *refused("gzip-empty", gzip.compress(b""), "the file contains no sentences"),
    *refused("one-column", "Ada\nmet\n", "1 space-separated column where 2", "bad.txt:1"),
    *refused("short-line", G + "x\n", "1 space-separated column where 2 are needed", "bad.txt:4"),
    *refused("nbsp-separator", "Ada\u00a0B-PER\n", "1 space-separated column", "bad.txt:1"),
    *refused("tab-in-spaces", G + G + "Ada\tB-PER\n", "column", "bad.txt:7"),
    *refused("label-first", "B-PER Ada\nO met\n", "label 'Ada' has no prefix", "bad.txt:1"),
    *refused("no-type", "Ada B-\n", "label 'B-' has no type", "bad.txt:1"),
    *refused("no-letter", "Ada -PER\n", "label '-PER' has an unknown prefix", "bad.txt:1"),
    *refused("lower", "Ada b-per\n", "label 'b-per' has an unknown prefix", "bad.txt:1"),
    *refused("underscore", "Ada B_PER\n", "label 'B_PER' has no prefix", "bad.txt:1"),
    *refused("o-type", "Ada O-PER\n", "label 'O-PER' has an unknown prefix", "bad.txt:1"),
    *refused("lower-o", "Ada o\n", "label 'o' has no prefix", "bad.txt:1"),
    *refused("zero-o", "Ada 0\n", "label '0' has no prefix", "bad.txt:1"),
    *refused("two-letters", "Ada BI-PER\n", "label 'BI-PER' has an unknown", "bad.txt:1"),
    *refused("blank-label", "Ada\tB-PER \nmet\tO\n", "begins or ends with a blank", "bad.txt:1"),
    *refused("empty-label", "Ada\tB-PER\nmet\t\n", "the label is empty", "bad.txt:2"),
    *refused("dash", "Ada -\n", "label '-'", "bad.txt:1"),
    *refused("underline", "Ada _\n", "label '_' has no prefix", "bad.txt:1"),
    *refused("en-dash", "Ada B–PER\n", "label 'B–PER' has no prefix", "bad.txt:1"),
    *refused("json", '{"tokens": ["Ada"]}\n', "label", "bad.txt:1"),
    *refused("comment-late", G + "# a comment here\n", "begins with #", "bad.txt:4"),
    *refused("long-label", f"Ada {'L' * 9_000}\n", "has no prefix", "bad.txt:1"),
    *refused("escape-label", "Ada \x1b[31mred\n", "has no prefix", "bad.txt:1"),
]

NAMES = [
    Case("folder", "evaluate d.txt --system s=good.txt", "d.txt", "this is a folder",
         before=lambda d: (d / "d.txt").mkdir()),
    Case("folder-system", "evaluate gold.txt --system s=d", "d", "this is a folder",
         before=lambda d: (d / "d").mkdir()),
    Case("folder-train", "evaluate gold.txt --system s=good.txt --train d", "d",
         "this is a folder", before=lambda d: (d / "d").mkdir()),
    Case("dev-null", "evaluate /dev/null --system s=good.txt", "/dev/null",
         "the file contains no sentences"),
    Case("dev-null-validate", "validate /dev/null", "/dev/null", "the file contains no sentences"),
    Case("fifo", READ, code=0, files={"s.txt": S}, before=fed, numbers=HALF),
    Case("missing", "evaluate no.txt --system s=good.txt", "no.txt", "no such file"),
    Case("missing-folder", "validate no/no.txt", "no/no.txt", "no such file"),
    Case("below-a-file", "validate gold.txt/x", "gold.txt/x", "it cannot be read"),
    Case("loop", "validate loop.txt", "loop.txt", "it cannot be read", before=unreadable),
    Case("dangling", "validate d.txt", "d.txt", "no such file",
         before=lambda d: (d / "d.txt").symlink_to("nowhere")),
    Case("long-name", f"validate {LONG}", LONG, "it cannot be read (File name too long)"),
    Case("name-not-utf-8", "evaluate '\udcff.txt' --system s=s.txt --format json", code=0,
         before=lambda d: (d / "\udcff.txt").write_text(G), files={"s.txt": S}, numbers=HALF),
    Case("name-not-utf-8-saved", "evaluate '\udcff.txt' --system s=s.txt -o o.json -q", code=0,
         before=lambda d: (d / "\udcff.txt").write_text(G), files={"s.txt": S},
         makes=("o.json",)),
    Case("name-not-utf-8-missing", "validate '\udcff.txt'", "\\udcff.txt", "no such file"),
    Case("empty-name", "validate ''", "", ""),
    Case("empty-name-gold", "evaluate '' --system s=good.txt", "", ""),
    Case("option-without-file", "validate ::label=1", "", ""),
    Case("double-colon", "validate a::b.txt", "a", "", files={"a::b.txt": G}),
    Case("option-no-value", "validate gold.txt::label", "gold.txt::label", ""),
    Case("option-empty", "validate gold.txt::label=", "gold.txt::label=", "invalid value label="),
    Case("option-twice", "validate gold.txt::label=0,label=1", "gold.txt::", ""),
    Case("option-unknown", "validate gold.txt::colour=red", "gold.txt::colour=red",
         "unknown file option 'colour'"),
    Case("option-token-word", "validate gold.txt::token=first", "gold.txt::token=first",
         "invalid value token=first"),
    Case("option-token-float", "validate gold.txt::token=0.5", "gold.txt::token=0.5",
         "invalid value token=0.5"),
    Case("option-token-far", "validate gold.txt::token=7", "gold.txt:3", "where 8 are needed"),
    Case("option-token-huge", "validate gold.txt::token=99999999999999999999", "gold.txt", ""),
    Case("option-label-far", "validate gold.txt::label=-9", "gold.txt:3", "where 9 are needed"),
    Case("option-same-column", "validate gold.txt::label=0,token=0", "gold.txt", ""),
    Case("option-same-last", "validate gold.txt::token=-1", "gold.txt", ""),
    Case("option-separator", "validate gold.txt::separator=comma", "gold.txt",
         "unknown separator 'comma'"),
    Case("option-separator-wrong", "validate gold.txt::separator=tab", "gold.txt:3",
         "1 tab-separated column"),
    Case("option-scheme", "validate gold.txt::scheme=bilous", "", "did you mean 'bilou'?"),
    Case("option-encoding", "validate gold.txt::encoding=utf-88", "gold.txt",
         "unknown encoding 'utf-88'"),
    Case("option-encoding-none", "validate gold.txt::encoding=", "gold.txt", ""),
    Case("option-encoding-binary", "validate gold.txt::encoding=base64", "gold.txt", ""),
    Case("option-encoding-rot13", "validate gold.txt::encoding=rot13", "gold.txt", ""),
    Case("option-encoding-idna", "validate gold.txt::encoding=idna", "gold.txt", ""),
    Case("option-encoding-undefined", "validate gold.txt::encoding=undefined", "gold.txt", ""),
    Case("option-encoding-ascii", "validate b.txt::encoding=ascii", "b.txt: byte 2",
         "not valid ascii", files={"b.txt": "Zoë B-PER\n"}),
    Case("option-encoding-utf-16-odd", "validate b.txt::encoding=utf-16", "b.txt: byte",
         "", files={"b.txt": G.encode("utf-16")[:-1]}),
    Case("option-encoding-utf-16-plain", "validate b.txt::encoding=utf-16", "b.txt", "",
         files={"b.txt": G}),
    Case("option-comments", "validate gold.txt::comments=perhaps", "gold.txt::comments=perhaps",
         "invalid value comments=perhaps"),
    Case("option-tokens", "validate gold.txt::tokens=some", "gold.txt::tokens=some", ""),
    Case("option-mend", "validate gold.txt::mend=all", "gold.txt::mend=all", ""),
    Case("option-format", "validate gold.txt::format=xml", "format 'xml'", ""),
]  # fmt: skip

BOM = b"\xef\xbb\xbf"
READABLE = [
    half("plain", G),
    half("no-last-newline", G[:-1]),
    half("bom", BOM + G.encode()),
    half("crlf", G.replace("\n", "\r\n")),
    half("cr-only", G.replace("\n", "\r")),
    half("mixed-ends", "Ada B-PER\r\nmet O\nBob B-PER\r\n"),
    half("many-blanks", "Ada    B-PER\nmet  O\nBob   B-PER\n"),
    half("tabs", G.replace(" ", "\t")),
    half("leading-blank-lines", "\n\n \n" + G),
    half("extra-columns", "Ada x y B-PER\nmet x y O\nBob x y B-PER\n"),
    half("label-column", "Ada B-PER x\nmet O y\nBob B-PER z\n", options="::label=1"),
    half("label-before-token", "B-PER Ada\nO met\nB-PER Bob\n", options="::token=1,label=0"),
    half("gzip", PACKED),
    half("gzip-members", gzip.compress(b"Ada B-PER\nmet O\n") + gzip.compress(b"Bob B-PER\n")),
    half("utf-16", G.encode("utf-16"), options="::encoding=utf-16"),
    half("utf-16-le", G.encode("utf-16-le"), options="::encoding=utf-16-le"),
    half("utf-16-be", G.encode("utf-16-be"), options="::encoding=utf-16-be"),
    half("utf-32", G.encode("utf-32"), options="::encoding=utf-32"),
    half("utf-8-sig", BOM + G.encode(), options="::encoding=utf-8-sig"),
    half("utf-7", G.encode("utf-7"), options="::encoding=utf-7"),
    half("latin-1-told", G.replace("met", "mët").encode("latin-1"), S.replace("met", "mët"),
         "::encoding=latin-1"),
    half("nbsp-in-token", G.replace("met", "m\u00a0t"), S.replace("met", "m\u00a0t")),
    half("line-separator", G.replace("met", "m\u2028t"), S.replace("met", "m\u2028t")),
    half("next-line", G.replace("met", "m\u0085t"), S.replace("met", "m\u0085t")),
    half("form-feed", G.replace("met", "m\x0ct"), S.replace("met", "m\x0ct")),
    half("vertical-tab", G.replace("met", "\x0b"), S.replace("met", "\x0b")),
    half("hash-token", G.replace("Ada", "#"), S.replace("Ada", "#")),
    half("quote-token", G.replace("met", '"'), S.replace("met", '"')),
    half("comments-told", "# x\n" + G, options="::comments=yes"),
    half("comments-seen", "# text = Ada\n" + G),
    half("docstart-columns", "-DOCSTART- -X- -X- O\n\n" + G),
    half("docstart-inside", "-DOCSTART-\n" + G),
    half("long-token", G.replace("met", "m" * 20_000), S.replace("met", "m" * 20_000)),
    half("wide-line", G.replace("met O", f"met {'x ' * 5_000}O")),
    half("zero-width", G.replace("met", "m\u200bt"), S.replace("met", "m\u200bt")),
    half("emoji", G.replace("met", "👩‍👩‍👧"), S.replace("met", "👩‍👩‍👧")),
    half("dashed-type", G.replace("PER", "a-b-c"), S.replace("PER", "a-b-c")),
    half("gold-bioes", "Ada S-PER\nmet O\nBob S-PER\n"),
    half("gold-bilou", "Ada U-PER\nmet O\nBob U-PER\n"),
    half("gold-bmeow", "Ada W-PER\nmet O\nBob W-PER\n"),
    half("gold-io", "Ada I-PER\nmet O\nBob I-PER\n"),
    half("io-bare", "Ada PER\nmet O\nBob PER\n", options="::scheme=io"),
    half("bio-fault", "Ada I-PER\nmet O\nBob B-PER\n"),
    half("bilou-cut", "Ada B-PER\nmet O\nBob U-PER\n"),
    half("bmes-cut", "Ada M-PER\nmet O\nBob S-PER\n"),
    Case("type-case", READ, code=0, files={"g.txt": G, "s.txt": S.replace("PER", "per")},
         numbers={"precision": 0.0, "recall": 0.0, "f1": 0.0}),
    Case("io-neighbours", "evaluate g.txt --system s=s.txt --format json", code=0,
         files={"g.txt": "A B-X\nB B-X\nC O\n", "s.txt": "A I-X\nB I-X\nC O\n"},
         numbers={"recall": 0.0, "precision": 0.0}),
    Case("bmes-other-type", READ, code=0,
         files={"g.txt": "A B-X\nB I-X\n", "s.txt": "A B-X\nB E-Y\n"},
         numbers={"recall": 0.0, "precision": 0.0}),
    Case("types-400", "evaluate g.txt --system s=g2.txt --format json", code=0,
         files={"g.txt": MANY, "g2.txt": MANY}, numbers={"f1": 1.0, "macro_f1": 1.0}),
    Case("nothing-predicted", READ, code=0,
         files={"g.txt": G, "s.txt": "Ada O\nmet O\nBob O\n"},
         numbers={"recall": 0.0, "f1": 0.0}),
    Case("one-line", READ, code=0, files={"g.txt": "Ada B-PER", "s.txt": "Ada B-PER"},
         numbers={"f1": 1.0}),
    Case("nothing-in-gold", READ, "g.txt", "no mentions: every label is O",
         files={"g.txt": "Ada O\nmet O\nBob O\n", "s.txt": S}),
    Case("faults-shown", "validate g.txt", code=1,
         files={"g.txt": "A O\nB I-X\nC O\nD B-X\nE B-X\nF O\nG B-X\n"},
         out="g.txt:2: I-X after O"),
    Case("faults-bioes", "validate g.txt --scheme bioes", code=1,
         files={"g.txt": "A B-X\nB O\n"}, out="g.txt:2: O after B-X"),
    Case("faults-foreign", "validate g.txt --scheme bio", code=1,
         files={"g.txt": "A S-X\nB O\n"}, out="S-X is not a label of bio"),
    Case("convert-utf-16", "convert g.txt::encoding=utf-16 o.txt --to bioes", code=0,
         files={"g.txt": G.encode("utf-16")}, makes=("o.txt",)),
    Case("convert-trailing-tab", "convert g.txt o.txt --to bioes", "g.txt:1", "",
         files={"g.txt": "Ada\tB-PER\t\nmet\tO\t\n"}),
    Case("convert-none", "convert g.txt o.txt --to bioes --repair none", "g.txt:2",
         "I-X after O is not allowed", files={"g.txt": "A O\nB I-X\nC O\nD B-X\nE O\nF B-X\n"}),
    Case("wrong-last-column", "evaluate g.txt --system s=good.txt", "g.txt:1", "label '0.9'",
         files={"g.txt": "Ada B-PER 0.9\nmet O 0.8\n"}),
]  # fmt: skip


def aligned(name: str, system: str, place: str, fact: str) -> Case:
    """An output that is not the sentences of gold."""
    command = "evaluate gold.txt --system bad=bad.txt -o out.json"
    return Case(name, command, place, fact, files={"bad.txt": system})


ANY = "evaluate gold.txt --system bad=bad.txt::tokens=any --format json"
ALIGNMENT = [
    aligned("missing-sentence", GOLD[: GOLD.index("Oslo")], "bad.txt", "it ends after 2"),
    aligned("extra-sentence", GOLD + "\nmore O\n", "gold.txt", "it ends after 3 sentences"),
    aligned("missing-first", GOLD[GOLD.index("Paris") :], "gold.txt:3", "sentence 1 differs"),
    aligned("cut", GOLD.replace("met O\nBob B-PER\n", ""), "gold.txt:5", "cut off"),
    aligned("cut-last", GOLD.replace("Paris B-PER\n", ""), "gold.txt:18", "cut off"),
    aligned("longer", GOLD + "more O\n", "gold.txt:18", "sentence 3 differs"),
    aligned("other", GOLD.replace("Bob", "Bill"), "gold.txt:6", "predict on the tokens"),
    aligned("case", GOLD.replace("Bob", "bob"), "gold.txt:6", "predict on the tokens"),
    aligned("normal-form", GOLD.replace("Bob", "Bo\u0301b"), "gold.txt:6", "predict on the tokens"),
    aligned("split", GOLD.replace("met O\n", "met O\n\n"), "gold.txt:6", "sentence breaks"),
    aligned("joined", GOLD.replace("\n\nOslo", "\nOslo"), "gold.txt:13", "sentence breaks"),
    aligned("no-splits", GOLD.replace("\n\n", "\n"), "gold.txt", "differ"),
    aligned("docstart", GOLD.replace("-DOCSTART-", "DOCSTART"), "gold.txt:3", "document line"),
    aligned("shuffled", "Paris B-LOC\nis O\nin O\nFrance O\n\n" + GOLD, "gold.txt:3", "differ"),
    aligned("swapped-words", GOLD.replace("is O\nin O", "in O\nis O"), "gold.txt:11", "differ"),
    Case("any-other", ANY, code=0, files={"bad.txt": GOLD.replace("Bob", "bob")},
         numbers={"f1": 1.0}, note="1 token spelt differently"),
    Case("any-all-other", ANY, code=0,
         files={"bad.txt": "\n".join("x" + one[one.find(" "):] if one else "" for one in
                                    GOLD.replace("-DOCSTART- O\n", "").split("\n"))},
         numbers={"f1": 1.0}, note="tokens spelt differently"),
    Case("any-cut", ANY, "gold.txt:5", "differs",
         files={"bad.txt": GOLD.replace("met O\nBob B-PER\n", "")}),
    Case("any-missing", ANY, "bad.txt", "it ends after 2",
         files={"bad.txt": GOLD[: GOLD.index("Oslo")]}),
    Case("same-file", "evaluate gold.txt --system s=gold.txt --format json", code=0,
         numbers={"f1": 1.0}),
    Case("same-column", "evaluate g.txt --system s=g.txt", "g.txt", "are the same column",
         files={"g.txt": "Ada B-PER B-PER\nmet O O\n"}),
]  # fmt: skip


@pytest.mark.slow(quick=24)
@params([*REFUSED, *NAMES, *READABLE, *ALIGNMENT])
def test_files(case: Case, attack: Attack) -> None:
    attack(case)


def test_results_of_a_file_with_an_odd_name_can_be_read_again(data: Path, run: Run) -> None:
    (data / "\udcff.txt").write_text(G, encoding="utf-8")
    (data / "s.txt").write_text(S, encoding="utf-8")
    assert run("evaluate", "\udcff.txt", "--system", "s=s.txt", "-o", "o.json").code == 0
    outcome = run("show", "o.json", "--table", "exact", "-q")
    assert outcome.code == 0, outcome.err
    assert "66.67" in outcome.out
