"""What tools would make of labels: every rule in a worked case, and where tools must agree."""

from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import nerscope as ns
from nerscope.compat.peers import PEERS, compare_tools, judged_by
from nerscope.compat.peers.document import tools_document
from nerscope.compat.peers.readers import READERS, PeerReading, Refusal
from nerscope.corpus.corpus import Corpus
from nerscope.corpus.mentions import encode
from nerscope.corpus.schemes import SCHEMES, scheme_named
from nerscope.errors import InputError, UsageError
from nerscope.render.document import OUTPUTS

REFUSED = "refused"
# A reading as text: X0-2 is a mention of type X of the first two tokens.
# What most tools see, then who sees something else.
CASES = [
    # a stray I
    ("bio", "O I-X", "X1-2", {"seqeval strict": "", "SeqScore discard": ""}),
    ("bio", "O I-X I-X", "X1-3", {"seqeval strict": "", "SeqScore discard": ""}),
    ("bio", "I-X O", "X0-1", {"seqeval strict": "", "SeqScore discard": "", "spaCy Doc": REFUSED}),
    # the type changes
    ("bio", "B-X I-Y", "X0-1 Y1-2", {"seqeval strict": "X0-1", "SeqScore discard": "X0-1"}),
    ("bio", "B-X I-Y I-X", "X0-1 Y1-2 X2-3", {
        "seqeval strict": "X0-1", "SeqScore discard": "X0-1"}),
    # valid labels
    ("bio", "B-X I-X B-X O B-Y", "X0-2 X2-3 Y4-5", {}),
    ("iob1", "I-X I-X B-X I-Y", "X0-2 X2-3 Y3-4", {"spaCy Doc": REFUSED}),
    ("io", "O I-X I-X I-Y", "X1-3 Y3-4", {}),
    # a B that separates nothing
    ("iob1", "O B-X I-X", "X1-3", {"seqeval strict": "X2-3", "SeqScore discard": REFUSED}),
    # letters of other schemes: conlleval knows E, not S; seqeval knows both
    ("bioes", "B-X E-X S-X", "X0-2 X2-3", {
        "conlleval": "X0-3", "nervaluate": "X0-3", "spaCy convert": "X0-1 X1-2 X2-3",
        "spaCy Doc": REFUSED}),
    ("bioes", "B-X E-X B-X E-X", "X0-2 X2-4", {
        "conlleval": "X0-4", "spaCy convert": "X0-1 X1-2 X2-3 X3-4", "spaCy Doc": REFUSED}),
    ("bioes", "S-X O", "X0-1", {"nervaluate": REFUSED, "spaCy Doc": REFUSED}),
    # nobody but nerscope, strict seqeval, SeqScore and spaCy knows L and U
    ("bilou", "B-X L-X B-X L-X", "X0-2 X2-4", {
        "conlleval": "X0-4", "seqeval default": "X2-4", "spaCy Doc": REFUSED}),
    ("bilou", "U-X U-X", "X0-1 X1-2", {
        "conlleval": "X0-2", "seqeval default": "X0-2", "nervaluate": REFUSED,
        "spaCy Doc": REFUSED}),
    ("bmes", "B-X M-X E-X", "X0-3", {
        "seqeval strict": REFUSED, "spaCy convert": "X0-1 X1-2 X2-3", "spaCy Doc": REFUSED}),
    # a mention that is not closed
    ("bioes", "B-X I-X O", "X0-2", {"seqeval strict": "", "SeqScore conlleval": REFUSED,
        "SeqScore discard": REFUSED, "spaCy Doc": "X0-2"}),
    # a letter that the scheme does not have
    ("bio", "B-X E-X", "X0-2", {"seqeval strict": REFUSED, "SeqScore conlleval": REFUSED,
        "SeqScore discard": REFUSED, "spaCy convert": "X0-1 X1-2", "spaCy Doc": REFUSED}),
]  # fmt: skip


def text_of(reading: PeerReading) -> str:
    if isinstance(reading, Refusal):
        return REFUSED
    return " ".join(f"{one.type}{one.start}-{one.end}" for one in reading)


def readings(scheme: str, labels: list[str]) -> dict[str, str]:
    known = scheme_named(scheme)
    return {name: text_of(read([labels], known)[0]) for name, read in READERS.items()}


@pytest.mark.parametrize(("scheme", "labels", "common", "others"), CASES)
def test_each_tool_reads_labels_by_its_own_rule(
    scheme: str, labels: str, common: str, others: dict[str, str]
) -> None:
    found = readings(scheme, labels.split())
    valid = ns.Corpus.of([labels.split()], scheme=scheme).reading_notes.transitions
    letters = {label[0] for label in labels.split()} <= {"O", *SCHEMES[scheme].letters}
    if valid.faults(SCHEMES[scheme]) or not letters:
        others = {"SeqScore none": REFUSED, **others}
    if scheme != "bio":  # SeqScore refuses a file if it lacks the repair for its scheme
        others = {"SeqScore discard": REFUSED, **others}
    if scheme not in ("bio", "iob1"):
        others = {"SeqScore conlleval": REFUSED, **others}
    assert found == {name: others.get(name, common) for name in READERS}


BIO = st.lists(
    st.lists(st.sampled_from(["O", "O", "B-X", "I-X", "B-Y", "I-Y"]), min_size=1, max_size=8),
    min_size=1,
    max_size=4,
)
LENIENT = (
    *("nerscope", "conlleval", "seqeval default", "nervaluate", "spaCy convert"),
    "SeqScore conlleval",
)


@given(BIO)
def test_lenient_tools_read_bio_alike_and_strict_ones_too(sentences: list[list[str]]) -> None:
    bio = scheme_named("bio")
    found = {name: read(sentences, bio) for name, read in READERS.items()}
    assert all(found[name] == found["conlleval"] for name in LENIENT)
    assert found["seqeval strict"] == found["SeqScore discard"]
    for doc, common in zip(found["spaCy Doc"], found["conlleval"], strict=True):
        assert isinstance(doc, Refusal) or doc == common


# Who reads valid labels of a scheme as they are meant.
KNOWS = {
    "bio": set(READERS),
    "iob1": set(READERS) - {"spaCy Doc", "SeqScore discard"},
    "bioes": {"nerscope", "seqeval default", "seqeval strict", "SeqScore none"},
    "bilou": {"nerscope", "seqeval strict", "SeqScore none"},
    "bmes": {"nerscope", "SeqScore none"},
}


@given(BIO, st.sampled_from(sorted(KNOWS)))
def test_valid_labels_are_read_alike_by_all_who_know_the_scheme(
    sentences: list[list[str]], name: str
) -> None:
    scheme, corpus = scheme_named(name), Corpus.of(sentences)
    known = corpus.coding.labels
    codes = encode(corpus.mentions(), corpus.starts, known, scheme)
    texts = [known.texts_in(scheme)[code] for code in codes.tolist()]
    written = [texts[begin:end] for begin, end in pairwise(corpus.starts.tolist())]
    meant = READERS["nerscope"](sentences, scheme_named("bio"))
    assert {reader for reader, read in READERS.items() if read(written, scheme) == meant} >= KNOWS[
        name
    ]


@given(BIO, BIO)
def test_nerscope_stands_in_the_table_with_the_numbers_of_evaluate(
    gold: list[list[str]], other: list[list[str]]
) -> None:
    labels = [label for sentence in other for label in sentence]
    predicted = [[labels[k % len(labels)] for k in range(len(one))] for one in gold]
    if not any(label != "O" for one in gold for label in one):
        return
    own = judged_by("nerscope", gold, predicted, "bio").score
    results = ns.evaluate(gold, predicted, facets=[], matches=["exact"], zero_division=0)
    assert own.f1 == pytest.approx(results.value(metric="f1", match="exact"))


# Ada Lovelace met Bob Ross in Oslo; the output is wrong in a way of its own each time.
GOLD = [(["Ada", "Lovelace", "met", "Bob"], ["B-PER", "I-PER", "O", "B-PER"])]
PAIRS = [
    # labels, then what they are worth: strict, exact, partial, ent_type; and the kind of pair
    (["B-PER", "I-PER", "O", "B-PER"], (2, 2, 2, 2), []),
    (["B-PER", "I-PER", "O", "O"], (1, 1, 1, 1), []),
    (["B-PER", "I-PER", "O", "B-LOC"], (1, 2, 2, 1), ["same span, other type"]),
    (["B-PER", "O", "O", "B-PER"], (1, 1, 1.5, 2), ["same type, other span"]),
    (["B-LOC", "O", "O", "B-PER"], (1, 1, 1.5, 1), ["other type and span"]),
    # one gold mention is found in two pieces: it serves one of them
    (["B-PER", "B-PER", "O", "B-PER"], (1, 1, 1.5, 2), ["same type, other span"] * 2),
    # one mention over two gold ones takes the nearer one
    (["B-PER", "I-PER", "I-PER", "I-PER"], (0, 0, 0.5, 1), ["same type, other span"] * 2),
]


@pytest.mark.parametrize(("labels", "worth", "kinds"), PAIRS)
def test_nervaluate_credits_what_overlaps(
    labels: list[str], worth: tuple[float, ...], kinds: list[str]
) -> None:
    found = compare_tools(GOLD, {"bert": [labels]})
    right = [one.score.right for one in found.scores if one.tool == "nervaluate"]
    assert tuple(right) == worth
    assert [pair.kind for pair in found.pairs] == kinds
    others = [one.score.right for one in found.scores if one.tool != "nervaluate"]
    assert set(others) == {worth[0]}


def test_a_far_token_of_a_very_long_mention_is_no_overlap_to_nervaluate() -> None:
    gold, found = [["B-X"] + ["I-X"] * 100], [["B-X"] + ["O"] * 100]
    assert judged_by("nervaluate partial", gold, found).score.right == 0
    assert judged_by("nervaluate partial", found, gold).score.right == 0.5


@pytest.mark.parametrize(
    ("gold", "predicted", "numbers", "note"),
    [
        (["O"], ["B-X"], (0.0, 0.0, 0.0), "no gold mentions, so this tool gives 0"),
        (["B-X"], ["O"], (0.0, 0.0, 0.0), "no predicted mentions, so this tool gives 0"),
        (["O"], ["O"], (0.0, 0.0, 0.0), "no gold or predicted mentions, so this tool gives 0"),
    ],
)
def test_what_0_hides_is_said(
    gold: list[str], predicted: list[str], numbers: tuple[float, ...], note: str
) -> None:
    found = compare_tools([gold], {"bert": [predicted]})
    for one in found.scores:
        if one.tool != "spaCy":
            assert (one.score[:3], one.note) == (numbers, note)
        elif gold == predicted:
            assert one.score[:3] == (None, None, None)


def test_a_disagreement_says_where_and_why_and_who() -> None:
    gold = [(["Ada", "of", "Oslo"], ["B-PER", "O", "B-LOC"])]
    found = compare_tools(gold, {"a": [["B-PER", "O", "I-LOC"]], "b": [["B-PER", "O", "O"]]})
    (one,) = found.disagreements
    assert (one.place, one.side) == ("<a>:1", "a")
    assert one.why == "I-LOC after O: no mention is open"
    assert one.labels == "of/O Oslo/I-LOC"
    assert [view.mentions for view in one.views] == [("LOC “Oslo”",), ()]
    assert one.views[1].tools == ("seqeval strict", "SeqScore discard")
    assert one.refused_by == ("SeqScore none",)


CAUSES = [
    ("bio", "O I-X", "I-X after O: no mention is open"),
    ("bio", "I-X", "I-X after the sentence start: no mention is open"),
    ("bio", "B-X I-Y", "I-Y after B-X: the mention before is of another type"),
    ("bioes", "S-X E-X", "E-X after S-X: the mention before has ended"),
    ("iob1", "O B-X", "B-X after O: it does not separate two mentions of one type"),
    ("bioes", "B-X O", "O after B-X: the mention before is not closed"),
    ("bioes", "B-X", "the sentence end after B-X: the mention before is not closed"),
    ("bilou", "B-X L-X U-X", "U-X after L-X: two mentions of one type touch"),
    ("bioes", "B-X E-X", "E-X after B-X: not every tool knows this letter"),
]


@pytest.mark.parametrize(("scheme", "labels", "why"), CAUSES)
def test_every_cause_has_its_words(scheme: str, labels: str, why: str) -> None:
    gold = Corpus.of([labels.split()], scheme=scheme)
    found = compare_tools(gold, {"a": gold})
    assert found.disagreements[0].why == why
    assert found.disagreements[0].side == "gold"


def test_gold_is_told_of_once_for_all_outputs_and_runs_have_numbers() -> None:
    gold = [["O", "I-X"]]
    found = compare_tools(gold, {"a": [[["O", "B-X"]], [["B-X", "O"]]], "b": [["O", "O"]]})
    assert [one.side for one in found.disagreements] == ["gold"]
    assert list(found.schemes) == ["a 1", "a 2", "b"]
    assert len(found.scores) == 3 * len(PEERS)


def test_spans_are_written_in_the_scheme_of_the_labels_beside_them() -> None:
    gold = Corpus.of([(["Ada", "Bell"], ["B-PER", "E-PER"])])
    spans = Corpus.of([(["Ada", "Bell"], [(0, 2, "PER")])])
    found = compare_tools(gold, {"a": spans})
    assert found.schemes == {"a": "bioes"}
    by_mode = {one.mode: one.score.f1 for one in found.scores if one.tool == "SeqScore"}
    assert by_mode == {"conlleval": None, "discard": None, "none": 1.0}
    [note] = {one.note for one in found.scores if one.mode == "discard"}
    assert note == "refuses bioes: it has no repair discard for this scheme (<memory>:1)"


def test_tools_that_look_at_tokens_stop_at_an_empty_one() -> None:
    gold = [(["Ada"], ["B-PER"]), (["met", ""], ["O", "B-PER"])]
    found = compare_tools(gold, {"a": [["B-PER"], ["O", "B-PER"]]})
    stopped = {one.tool: one.note for one in found.scores if one.score.f1 is None}
    assert set(stopped) == {"spaCy", "SeqScore"}
    assert set(stopped.values()) == {"refuses an empty token (<gold>:2)"}


def test_mentions_that_overlap_are_refused() -> None:
    nested = Corpus.of([(["Bank", "Ghana"], [(0, 2, "ORG"), (1, 2, "LOC")])])
    with pytest.raises(InputError, match="its mentions overlap, and labels cannot represent"):
        compare_tools(nested, {"a": nested})


def test_mentions_that_end_inside_a_token_are_refused(tmp_path: Path) -> None:
    for name, text in (("gold", "U.S.-based B-MISC\n"), ("own", "U.S. B-LOC\n-based O\n")):
        (tmp_path / f"{name}.conll").write_text(text, encoding="utf-8")
    system = ns.ConllFile(tmp_path / "own.conll", tokens="align")
    with pytest.raises(InputError, match="does not begin and end at token boundaries"):
        compare_tools(tmp_path / "gold.conll", {"a": system})


def test_tokens_of_its_own_do_no_harm_where_mentions_fit(tmp_path: Path) -> None:
    for name, text in (
        ("gold", "Acme B-ORG\nCorp. I-ORG\n"),
        ("own", "Acme B-ORG\nCorp I-ORG\n. I-ORG\n"),
    ):
        (tmp_path / f"{name}.conll").write_text(text, encoding="utf-8")
    system = ns.ConllFile(tmp_path / "own.conll", tokens="align")
    found = compare_tools(tmp_path / "gold.conll", {"a": system})
    assert {one.score.f1 for one in found.scores} == {1.0}


def test_labels_of_single_tokens_are_refused() -> None:
    tags = Corpus.of([["NOUN", "VERB"]], scheme="token")
    with pytest.raises(InputError, match="its labels do not encode mentions"):
        compare_tools(tags, {"a": tags})


def test_an_unknown_tool_gets_a_suggestion() -> None:
    with pytest.raises(UsageError, match="did you mean 'seqeval strict'"):
        judged_by("seqeval-strict", [["O"]], [["O"]])


def test_of_many_places_alike_three_are_told_unless_all_are_asked_for() -> None:
    labels = [["O", "I-X"]] * 5 + [["B-X", "I-Y"]]
    gold = Corpus.of(labels, scheme="bio")
    found = compare_tools(gold, {"a": gold})
    short, full = (
        OUTPUTS["text"](tools_document(found, everything=everything))
        for everything in (False, True)
    )
    assert short.count("(gold): I-X after O") == 3
    assert short.count("(gold): I-Y after B-X") == 1
    assert "… and 7 more: --all shows them" in short
    assert "     10  I-X after O: no mention is open" in short
    assert full.count("(gold): I-X after O") == 5
    assert "more: --all" not in full
