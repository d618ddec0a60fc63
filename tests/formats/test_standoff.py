"""PubTator, BioC, PubAnnotation, UIMA XMI, and the files of BioNLP shared tasks."""

import io
import json
import random
from pathlib import Path
from typing import Any

import pytest

from nerscope.corpus.corpus import Corpus
from nerscope.corpus.schemes import BIO
from nerscope.errors import FormatError, InputError, NerscopeError, UsageError
from nerscope.formats.base import open_source, read, source_named
from nerscope.formats.json.jsonl import write_lines
from nerscope.formats.standoff.annotated import OffsetMap
from nerscope.formats.standoff.text import records_of
from nerscope.formats.standoff.xml_reading import root_name

PUBTATOR = """\
12|t|Ada has measles
12|a|Measles (MEV) is bad.
12\t8\t15\tmeasles\tDisease\tD1
12\t16\t23\tMeasles\tDisease\tD1|D2\tMeasles|x
12\t25\t28\tMEV\tVirus
12\tCID\tD1\tD2

PMC7|t|Oslo
PMC7|a|
PMC7\t0\t4\tOslo\tPlace\t-
"""
BIOC_XML = """\
<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE collection SYSTEM "BioC.dtd">
<collection><source>x</source><date/><key/>
<document><id>12</id>
<passage><offset>0</offset><text>Ada &amp; Bo have measles</text>
<annotation id="1"><infon key="type">PER</infon><infon key="cui">7</infon>
<location offset="0" length="3"/><location offset="9" length="4"/>
<text>Ada [...] have</text></annotation>
<annotation id="2"><infon key="type">Disease</infon>
<location offset="14" length="7"/><text>measles</text></annotation>
<relation id="R1"/></passage>
<passage><offset>30</offset>
<sentence><offset>30</offset><text>Oslo is 😀.</text>
<annotation id="3"><infon key="type">Place</infon>
<location offset="30" length="4"/><text>Oslo</text></annotation></sentence>
<sentence><offset>41</offset><text>Bo left.</text>
<annotation id="4"><infon key="type">PER</infon>
<location offset="41" length="2"/><text>Bo</text></annotation></sentence>
<annotation id="5"><infon key="type">Place</infon><location offset="49" length="0"/></annotation>
<annotation id="6"><infon key="type">Place</infon></annotation>
</passage></document></collection>
"""


def bioc_annotation(kind: str, text: str, *locations: tuple[int, int]) -> dict[str, Any]:
    places = [{"offset": offset, "length": length} for offset, length in locations]
    return {"id": "T1", "infons": {"type": kind}, "text": text, "locations": places}


BIOC: dict[str, Any] = {
    "source": "",
    "infons": {},
    "documents": [
        {
            "id": "12",
            "infons": {},
            "passages": [
                {
                    "infons": {},
                    "offset": 0,
                    "text": "Ada has measles",
                    "annotations": [bioc_annotation("Disease", "measles", (8, 7))],
                },
                {
                    "offset": 20,
                    "text": "",
                    "sentences": [
                        {
                            "offset": 20,
                            "text": "Bo and Al Lee",
                            "annotations": [bioc_annotation("PER", "Bo Lee", (30, 3), (20, 2))],
                        }
                    ],
                },
            ],
        }
    ],
}
CHAINED = {
    "text": "breast and ovarian cancers",
    "sourcedb": "PubMed",
    "sourceid": "12",
    "divid": 0,
    "denotations": [
        {"id": "T1", "span": {"begin": 0, "end": 6}, "obj": "_FRAGMENT"},
        {"id": "T2", "span": {"begin": 19, "end": 26}, "obj": "Disease"},
        {"id": "T3", "span": {"begin": 11, "end": 26}, "obj": "Disease"},
    ],
    "relations": [
        {"id": "R1", "pred": "_lexicallyChainedTo", "subj": "T2", "obj": "T1"},
        {"id": "R2", "pred": "sameAs", "subj": "T2", "obj": "T3"},
    ],
}
BAGGED = {
    "text": "breast and ovarian cancers",
    "denotations": [
        {"span": [{"begin": 19, "end": 26}, {"begin": 0, "end": 6}], "obj": "Disease"},
        {"span": {"begin": 11, "end": 26}, "obj": "http://x.org/1"},
    ],
}
NER = "http:///de/tudarmstadt/ukp/dkpro/core/api/ner/type.ecore"
CTAKES = "http:///org/apache/ctakes/typesystem/type/textsem.ecore"
SEGMENTS = "http:///de/tudarmstadt/ukp/dkpro/core/api/segmentation/type.ecore"
TEXT = "😀 Ada left. Bo&#10;came."
SOFA = f'<cas:Sofa xmi:id="2" sofaNum="1" sofaID="_InitialView" sofaString="{TEXT}"/>'


def xmi(body: str, sofa: str = SOFA) -> str:
    return (
        '<?xml version="1.0" encoding="UTF-8"?><xmi:XMI xmlns:xmi="http://www.omg.org/XMI" '
        f'xmlns:cas="http:///uima/cas.ecore" xmlns:ner="{NER}" xmlns:seg="{SEGMENTS}" '
        f'xmlns:custom="http:///webanno/custom.ecore" xmi:version="2.0">{body}\n{sofa}\n'
        "</xmi:XMI>"
    )


XMI = xmi("""
<seg:Token xmi:id="3" sofa="2" begin="0" end="2"/><seg:Token xmi:id="4" sofa="2" begin="3" end="6"/>
<seg:Sentence xmi:id="5" sofa="2" begin="0" end="12"/>
<seg:Sentence xmi:id="6" sofa="2" begin="13" end="21"/>
<ner:NamedEntity xmi:id="7" sofa="2" begin="3" end="6" value="PER"/>
<ner:Person xmi:id="8" sofa="2" begin="13" end="15" value="PER"/>
<ner:NamedEntity xmi:id="9" sofa="2" begin="3" end="3" value="PER"/>
<ner:NamedEntity xmi:id="10" sofa="2" begin="7" end="11"/>
<custom:Mood xmi:id="11" sofa="2" begin="0" end="2" kind="glad"/>
""")


NAMED_ENTITY = "de.tudarmstadt.ukp.dkpro.core.api.ner.type.NamedEntity"
WEBANNO2 = f""" # {NAMED_ENTITY} | value # custom.Mood | kind | level # x.Rel | t | AttachTo=x.Y
#id=1
#text=Ada Lee left Oslo.
1-1\tAda\tB-PER|ORG\t_\t_\t_\t_\t
1-2\tLee\tI-PER\t_\t_\t_\t_\t
1-3\tleft\tO\tB-x\t_\t_\t_\t
1-4\tOslo\tLOC\t_\t_\tof\t1-1\t
1-5\t.\t_\t_\t_\t_\t_\t

#id=2
#text=Bo
came
2-1\tBo\t{NAMED_ENTITY}_\t_\t_\t_\t_\t
2-2\tcame\tO-_\t_\t_\t_\t_\t
"""


def surfaces(corpus: Corpus) -> list[tuple[str, str]]:
    return [
        (span.type, " … ".join(record.text[low:high] for low, high in span.fragments))
        for record in records_of(corpus)
        for span in record.spans
    ]


def written(path: Path, content: object) -> Path:
    text = content if isinstance(content, str) else json.dumps(content)
    path.write_text(text, encoding="utf-8")
    return path


def counts(corpus: Corpus) -> dict[str, int]:
    return {kind: note.times for kind, note in corpus.reading_notes.notes.items()}


DISEASES = [("Disease", "breast … cancers"), ("Disease", "ovarian cancers")]
CASES = {
    "pubtator": (
        "a.txt",
        PUBTATOR,
        [("Disease", "measles"), ("Disease", "Measles"), ("Virus", "MEV"), ("Place", "Oslo")],
        {"relations, left out": 1},
    ),
    "bioc xml": (
        "a.xml",
        BIOC_XML,
        [("PER", "Ada … have"), ("Disease", "measles"), ("Place", "Oslo"), ("PER", "Bo")],
        {
            "relations, left out": 1,
            "annotations of length 0, left out": 1,
            "annotations without a location, left out": 1,
        },
    ),
    "bioc json": ("a.json", BIOC, [("Disease", "measles"), ("PER", "Bo … Lee")], {}),
    "one bioc document": (
        "a.json",
        BIOC["documents"][0],
        [("Disease", "measles"), ("PER", "Bo … Lee")],
        {},
    ),
    "pubtator 3": (
        "a.json",
        {"PubTator3": BIOC["documents"]},
        [("Disease", "measles"), ("PER", "Bo … Lee")],
        {},
    ),
    "a list of collections": (
        "a.json",
        [BIOC],
        [("Disease", "measles"), ("PER", "Bo … Lee")],
        {},
    ),
    "chained": ("a.json", CHAINED, DISEASES, {"relations, left out": 1}),
    "bagged": ("a.json", [BAGGED], [DISEASES[0], ("http://x.org/1", DISEASES[1][1])], {}),
    "one track": (
        "a.json",
        {"text": "Ada", "tracks": [{"project": "p", "denotations": BAGGED["denotations"][:0]}]},
        [],
        {},
    ),
    "webanno 2": (
        "a.tsv",
        WEBANNO2,
        [("ORG", "Ada"), ("PER", "Ada Lee"), ("LOC", "Oslo"), ("NamedEntity", "Bo")],
        {
            "annotations without a value, with the name of their layer as type": 1,
            "other layers, left out": 2,
        },
    ),
    "uima": (
        "a.xmi",
        XMI,
        [("PER", "Ada"), ("NamedEntity", "left"), ("PER", "Bo")],
        {
            "annotations of length 0, left out": 1,
            "annotations without a value, with the name of their layer as type": 1,
            "other layers, left out": 1,
        },
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_mentions_are_read_and_survive_json_lines(tmp_path: Path, case: str) -> None:
    name, content, mentions, noted = CASES[case]
    corpus = read(written(tmp_path / name, content))
    assert surfaces(corpus) == mentions
    assert counts(corpus) == noted
    lines = tmp_path / "out.jsonl"
    lines.write_bytes(write_lines(corpus, BIO))
    before, after = ([record[:2] for record in records_of(item)] for item in (corpus, read(lines)))
    assert before == after


@pytest.mark.parametrize("case", CASES)
def test_damaged_files_are_refused_or_read(case: str) -> None:
    name, content, _, _ = CASES[case]
    text = content if isinstance(content, str) else json.dumps(content)
    source = random.Random(case)
    for _ in range(150):
        data = bytearray(text.encode())
        for _ in range(source.randint(1, 3)):
            at = source.randrange(max(len(data), 1))
            match source.randrange(4):
                case 0:
                    data[at : at + source.randint(1, 30)] = b""
                case 1:
                    data[at : at + 1] = bytes([source.randrange(256)])
                case 2:
                    data[at:at] = source.choice([b"\t", b"\n", b"9", b"-1", b'"', b"<", b"&x;"])
                case _:
                    data = data[: max(at, 1)]
        form = {"txt": "pubtator", "xml": "bioc", "xmi": "uima", "tsv": "webanno2"}.get(name[-3:])
        form = form or ("pubannotation" if "denotations" in text else "bioc")
        try:
            read(io.BytesIO(bytes(data)), format=form)
        except NerscopeError as error:
            assert isinstance(error, InputError | UsageError)


XML = (
    "<collection><document><passage><offset>0</offset><text>Zoë Ada</text>{}</passage>"
    "</document></collection>"
)
PLACED = (
    '<annotation><infon key="{}">PER</infon><location offset="{}" length="{}"/>'
    "<text>Ada</text></annotation>"
)


@pytest.mark.parametrize(
    ("name", "content", "place", "fact"),
    [
        ("a.txt", "1|t|Ada\n1\t0\t3\tBob\tPER\n", ":2", "the text at 0 3 is 'Ada', not 'Bob'"),
        ("a.txt", "1|t|Ada\n2\t0\t3\tAda\tPER\n", ":2", "not a PubTator line of the document '1'"),
        ("a.txt", "1|t|Ada\n\n1\t0\t3\tAda\tPER\n", ":3", "no title or abstract before it"),
        ("a.txt", "1|t|Ada\n1\t0\t3\tAda\n", ":2", "the annotation is incomplete"),
        ("a.txt", "1|t|Ada\n1\t0\t30\tAda\tPER\n", ":2", "are outside the text"),
        ("a.xml", XML.format(PLACED.format("type", 5, 3)), ":1", "is outside its passage"),
        ("a.xml", XML.format(PLACED.format("type", 3, 3)), ":1", "is ' Ad', not 'Ada'"),
        (
            "a.xml",
            XML.format(PLACED.format("kind", 4, 3)),
            ":1",
            "no infon 'type' (its infons are kind)",
        ),
        (
            "a.xml",
            XML.format(PLACED.format("type", "x", 3)),
            ":1",
            "the offset is 'x', not a number",
        ),
        ("a.xml", XML.format("&x;"), ":1", "not valid XML"),
        (
            "a.xml",
            "<!DOCTYPE collection SYSTEM 'x'>" + XML.format("&x;"),
            ":1",
            "the XML entity 'x'",
        ),
        (
            "a.xml",
            "<!DOCTYPE collection [<!ENTITY x 'y'>]>" + XML.format(""),
            ":1",
            "the XML entity 'x'",
        ),
        ("a.xml", "<collection>" + "<a>" * 200, ":1", "nested too deeply"),
        (
            "a.json",
            json.dumps(BIOC).replace('"text": "measles"', '"text": "\\ud800\\n"'),
            " document 12 annotation T1",
            r"is 'measles', not '\ud800\n'",
        ),
        (
            "a.json",
            {**CHAINED, "relations": []},
            " document PubMed-12-0 denotation T1",
            "the fragment is not chained",
        ),
        (
            "a.json",
            {"text": "A", "denotations": [{"obj": "X"}]},
            ":1 denotation 1",
            "None is not a span",
        ),
        ("a.json", {"denotations": []}, ":1", "has no text"),
        ("a.tsv", " # x.Y | v\n#id=1\n#text=A\n1-1\tA\tI-X\n", ":4", "'I-X' does not continue"),
        ("a.tsv", " # x.Y | v\n#id=1\n#text=A\n1-1\tA\n", ":4", "2 tab-separated columns where 3"),
        ("a.xmi", xmi("", ""), "", "the file has no text"),
        (
            "a.xmi",
            xmi('<ner:NamedEntity sofa="2" begin="1" end="6"/>'),
            ":1",
            "the offsets 1 and 6",
        ),
        ("a.xmi", xmi('<ner:NamedEntity sofa="2" begin="a" end="6"/>'), ":1", "are not offsets"),
    ],
)
def test_what_is_wrong_is_refused_with_its_place(
    tmp_path: Path, name: str, content: object, place: str, fact: str
) -> None:
    path = written(tmp_path / name, content)
    with pytest.raises(FormatError) as caught:
        read(path)
    assert caught.value.place == f"{path}{place}"
    assert fact in caught.value.fact


@pytest.mark.parametrize(
    ("name", "content", "option", "mentions"),
    [
        ("a.xml", XML.format(PLACED.format("type", 5, 3)), "offsets=bytes", [("PER", "Ada")]),
        ("a.xml", XML.format(PLACED.format("kind", 4, 3)), "type=kind", [("PER", "Ada")]),
        ("a.txt", "1|t|Zoë Ada\n1\t5\t8\tAda\tPER\n", "offsets=bytes", [("PER", "Ada")]),
        ("a.xmi", XMI, "layer=Mood", [("glad", "😀")]),
        ("a.xmi", XMI, "layer=webanno.custom.Mood,feature=kind", [("glad", "😀")]),
    ],
)
def test_options_choose_what_is_read(
    tmp_path: Path, name: str, content: str, option: str, mentions: list[tuple[str, str]]
) -> None:
    path = written(tmp_path / name, content)
    assert surfaces(read(source_named(f"{path}::{option}"))) == mentions


@pytest.mark.parametrize(
    ("options", "mentions"),
    [
        ({}, [("DrugMention", "😀"), ("SignMention", "Ada")]),
        ({"layer": "SignMention"}, [("SignMention", "Ada")]),
        ({"layer": "SignMention", "feature": "typeID"}, [("2", "Ada")]),
    ],
)
def test_mentions_of_ctakes_are_named_after_their_layer(
    tmp_path: Path, options: dict[str, str], mentions: list[tuple[str, str]]
) -> None:
    body = (
        f'<t:SignMention xmlns:t="{CTAKES}" sofa="2" begin="3" end="6" id="0" typeID="2"/>'
        f'<t:DrugMention xmlns:t="{CTAKES}" sofa="2" begin="0" end="2" id="1" typeID="1"/>'
        f'<t:Predicate xmlns:t="{CTAKES}" sofa="2" begin="7" end="11" frameSet="go"/>'
    )
    path = written(tmp_path / "a.xmi", xmi(body))
    assert sorted(surfaces(read(path, **options))) == mentions


def test_a_project_is_chosen_if_there_are_several(tmp_path: Path) -> None:
    denotations = [{"span": {"begin": 0, "end": 3}, "obj": "PER"}]
    tracks = [{"project": name, "denotations": denotations[:n]} for n, name in enumerate("ab")]
    path = written(tmp_path / "a.json", {"text": "Ada", "tracks": tracks})
    with pytest.raises(UsageError) as caught:
        read(path)
    assert caught.value.fix == f"{path}::project=NAME with one of: a, b"
    assert surfaces(read(path, project="a")) == []
    assert surfaces(read(path, project="b")) == [("PER", "Ada")]


@pytest.mark.parametrize(
    ("body", "options", "fact"),
    [
        (
            '<custom:A sofa="2" begin="0" end="2"/><custom:B sofa="2" begin="0" end="2"/>',
            {},
            "several layers may have",
        ),
        ('<custom:A sofa="2" begin="0" end="2" x="1" y="2"/>', {}, "it is not clear which feature"),
        ('<custom:A sofa="2" begin="0" end="2" x="1"/>', {"feature": "y"}, "has no feature 'y'"),
        ('<custom:A sofa="2" begin="0" end="2"/>', {"layer": "B"}, "unknown layer 'B'"),
        ('<custom:A sofa="2" begin="0" end="2"/>', {"view": "v"}, "unknown view 'v'"),
    ],
)
def test_layers_that_are_not_clear_are_refused(
    tmp_path: Path, body: str, options: dict[str, str], fact: str
) -> None:
    with pytest.raises(UsageError) as caught:
        read(written(tmp_path / "a.xmi", xmi(body)), **options)
    assert fact in caught.value.fact


def test_xmi_has_the_tokens_and_sentences_of_its_file(tmp_path: Path) -> None:
    corpus = read(written(tmp_path / "a.xmi", XMI))
    assert [corpus.words(at) for at in range(len(corpus))] == [
        ["😀", "Ada", "left", "."],
        ["Bo", "came", "."],
    ]


def test_a_folder_of_xmi_is_one_corpus(tmp_path: Path) -> None:
    for name in ("a.xmi", "b.xmi"):
        written(tmp_path / name, XMI)
    corpus = read(tmp_path)
    assert corpus.documents.tolist() == [0, 0, 1, 1]
    assert len(corpus.mentions()) == 6


@pytest.mark.parametrize("part", ["<?a?>", "<!---->", "<!DOCTYPE a [ [] ]>"])
def test_many_declarations_before_the_root_take_little_time(part: str) -> None:
    assert root_name(part.encode() * 500 + b"<a>") == "a"
    assert root_name(part.encode() * 500 + b"x") is None


def test_a_long_text_before_denotations_is_recognised(tmp_path: Path) -> None:
    denotations = [{"span": {"begin": 0, "end": 3}, "obj": "PER"}]
    value = {"text": "Ada " + "spoke " * 2000, "denotations": denotations}
    assert surfaces(read(written(tmp_path / "a.json", value))) == [("PER", "Ada")]


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.txt", "Ada|NNP|B-PER spoke|VBD|O\n"),
        ("a.json", {"text": "Ada", "spans": [{"start": 0, "end": 3, "label": "PER"}]}),
        ("a.json", {"passages": [{"text": ["Ada"], "offsets": [[0, 3]]}], "entities": []}),
        ("a.xml", "<corpus><document/></corpus>"),
    ],
)
def test_files_of_others_are_not_claimed(tmp_path: Path, name: str, content: object) -> None:
    try:
        source = open_source(written(tmp_path / name, content))
    except NerscopeError:
        return
    assert type(source).__module__.rpartition(".")[2] not in (
        "pubtator",
        "bioc",
        "pubannotation",
        "uima",
    )


def test_offsets_are_converted() -> None:
    offsets = OffsetMap("é😀", "bytes")
    assert [offsets.character(at) for at in range(7)] == [0, None, 1, None, None, None, 2]


def test_brat_reads_folders_of_folders_and_shared_tasks(tmp_path: Path) -> None:
    for name, content in {
        "one/a.txt": "Ada and Bo Lee",
        "one/a.ann": "T1\tPER 0 3;11 14\tAda [...] Lee\nT2\tPER 8 14\tBo Lee\n",
        "two/a.txt": "IL-2 binds.",
        "two/a.a1": "T1\tProtein 0 4\tIL-2\n",
        "two/a.a2": "T2\tBinding 5 10\tbinds\nE1\tBinding:T2 Theme:T1\n",
        ".git/b.ann": "x",
    }.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        written(tmp_path / name, content)
    corpus = read(tmp_path)
    assert surfaces(corpus) == [
        ("PER", "Ada … Lee"),
        ("PER", "Bo Lee"),
        ("Protein", "IL-2"),
        ("Binding", "binds"),
    ]
    assert counts(corpus) == {"events, left out": 1}
    for name in ("a.txt", "a.a1", "a.a2"):
        assert len(read(tmp_path / "two" / name).mentions()) == 2
    written(tmp_path / "two" / "a.ann", "")
    with pytest.raises(InputError, match=r"the text also has annotations in a\.a1"):
        read(tmp_path)


def test_denotations_in_metadata_do_not_make_a_file_of_pubannotation(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    item = {"text": "Ada spoke", "spans": [[0, 3, "PER"]], "meta": {"denotations": []}}
    path.write_text(json.dumps(item) + "\n")
    assert len(read(path).mentions()) == 1
