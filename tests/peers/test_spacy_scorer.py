"""The scorer inside spaCy: found by its name, true to spaCy's own, in training and evaluation."""

import json
import pickle
import re
import subprocess
import sys
import zlib
from collections.abc import Sequence
from pathlib import Path
from random import Random

import pytest
import spacy
from spacy.pipeline.ner import make_ner_scorer
from spacy.tokens import Doc, DocBin
from spacy.training import Example
from spacy.util import Config

import nerscope as ns
from nerscope.compat.spacy import ner_scorer

TRAIN = ["Ada/PER met Bob/PER", "Oslo/LOC fell", "Bob/PER saw New/LOC York/LOC+"]
GOLD = ["Ada/PER saw Oslo/LOC", "Zoe/PER met Ada/LOC", "it rained", "New/LOC York/LOC+ won"]
PRED = ["Ada/PER saw Oslo/PER", "Zoe/PER met Ada/PER", "it/LOC rained", "New York/LOC won"]
VOCAB = spacy.blank("en").vocab


def labels(text: str) -> tuple[list[str], list[str]]:
    """Words and labels of `New/LOC York/LOC+`, where + continues."""
    parts = [one.partition("/")[::2] for one in text.split()]
    marks = [
        f"{'I' if kind[-1] == '+' else 'B'}-{kind.strip('+')}" if kind else "O" for _, kind in parts
    ]
    return [word for word, _ in parts], marks


def doc(text: str) -> Doc:
    words, marks = labels(text)
    return Doc(VOCAB, words, ents=marks)


def examples(gold: Sequence[str] = GOLD, pred: Sequence[str] = PRED) -> list[Example]:
    return [Example(doc(own), doc(wanted)) for wanted, own in zip(gold, pred, strict=True)]


def saved(path: Path, texts: Sequence[str]) -> str:
    path.parent.mkdir(exist_ok=True)
    DocBin(docs=map(doc, texts)).to_disk(path)
    return str(path)


def as_conll(path: Path, texts: Sequence[str]) -> str:
    lines = ["\n".join(map(" ".join, zip(*labels(text), strict=True))) for text in texts]
    path.write_text("\n\n".join(lines) + "\n")
    return str(path)


def test_it_is_found_by_its_name() -> None:
    assert spacy.registry.scorers.get("nerscope.ner_scorer.v1") is ner_scorer


def test_it_gives_what_spacy_gives_and_what_an_evaluation_gives(tmp_path: Path) -> None:
    scores = ner_scorer(saved(tmp_path / "train.spacy", TRAIN))(examples())
    own = make_ner_scorer()(examples())
    assert {name: scores[name] for name in own} == own
    results = ns.evaluate(
        list(map(labels, GOLD)), {"x": list(map(labels, PRED))}, train=list(map(labels, TRAIN))
    )
    assert (scores["ents_p"], scores["ents_r"]) == (
        results.value(metric="precision"),
        results.value(metric="recall"),
    )
    every = results.scalars()
    extra = {name: value for name, value in scores.items() if name not in own}
    assert extra == {name: every[name] for name in extra}
    assert {"tmr/unseen-tokens/recall", "hard/unseen/ter", "overlap/f1"} <= set(extra)


@pytest.mark.parametrize("kind", ["file", "folder", "conll"])
def test_training_data_comes_in_any_form(kind: str, tmp_path: Path) -> None:
    train = {
        "file": lambda: saved(tmp_path / "a.spacy", TRAIN),
        "folder": lambda: str(Path(saved(tmp_path / "all" / "a.spacy", TRAIN)).parent),
        "conll": lambda: as_conll(tmp_path / "a.conll", TRAIN),
    }[kind]()
    scores = ner_scorer(train, facets=["tmr"])(examples())
    assert (scores["tmr/seen/recall"], scores["tmr/unseen-tokens/recall"]) == (1 / 3, 1.0)
    assert "hard/unseen/ter" not in scores


@pytest.mark.parametrize(
    ("content", "fact"),
    [
        (None, "no such file"),
        (b"nothing", "it is not a DocBin"),
        (zlib.compress(b"nothing"), "it is not a DocBin"),
        (zlib.compress(bytes(2_000_000)), "more than 100 times"),
    ],
    ids=["absent", "no file", "broken", "a bomb"],
)
def test_training_data_that_cannot_be_read_are_named(
    content: bytes | None, fact: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("nerscope.formats.docbin._TRUSTED", 1_000_000)
    path = tmp_path / "train.spacy"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(ns.InputError, match=fact) as error:
        ner_scorer(str(path))(examples())
    assert error.value.place == str(path)


def one_example(words: list[str], ents: list[tuple[int, int, str]], gold: Doc) -> Example:
    predicted = Doc(gold.vocab, words)
    predicted.ents = [predicted.char_span(*span[:2], label=span[2]) for span in ents]
    return Example(predicted, gold)


@pytest.mark.parametrize(
    ("case", "precision"),
    [
        # gold says "New-York" in one token: both parts lie on it, and are the same mention
        (
            one_example(
                ["New", "-", "York"],
                [(0, 3, "LOC"), (6, 10, "LOC")],
                Doc(VOCAB, ["New-York"], ents=["B-LOC"]),
            ),
            1.0,
        ),
        # nobody said what the first token is: that prediction is neither right nor wrong
        (
            Example(
                Doc(VOCAB, ["Ada", "Oslo"], ents=["B-PER", "B-LOC"]),
                Doc(VOCAB, ["Ada", "Oslo"], ents=["", "B-LOC"]),
            ),
            1.0,
        ),
        (Example(doc("Ada/PER saw"), doc("Ada/LOC saw")), 0.0),
    ],
    ids=["aligned", "missing", "wrong"],
)
def test_predictions_are_laid_over_gold(case: Example, precision: float) -> None:
    assert ner_scorer()([case])["overlap/precision"] == precision


def test_overlapping_predictions_count_as_in_spacy(tmp_path: Path) -> None:
    # Both parts of the gold token are entities, and the second one is right.
    gold = Doc(VOCAB, ["New-York", "won"], ents=["B-LOC", "O"])
    case = one_example(["New", "-", "York", "won"], [(0, 3, "ORG"), (6, 10, "LOC")], gold)
    train = saved(tmp_path / "train.spacy", TRAIN)
    scores = ner_scorer(train)([case])
    assert (scores["ents_p"], scores["ents_r"]) == (0.5, 1.0)
    assert (scores["overlap/precision"], scores["overlap/recall"]) == (0.5, 1.0)
    assert scores["tmr/unseen-tokens/recall"] == 1.0
    assert "hard/all/ter" in scores, "tokens have one label each: the first counts there"


def test_random_predictions_have_the_recall_of_spacy() -> None:
    random = Random(3)
    for _ in range(300):
        letters = "".join(random.choices("ab", k=8))
        words = [letters[at : at + 2] for at in range(0, 8, 2)]
        marks = [random.choice(["B-X", "B-Y", "O"]) for _ in words]
        gold = Doc(VOCAB, words, spaces=[False] * 4, ents=marks)
        guesses = [random.choice(["B-X", "B-Y", "O"]) for _ in letters]
        predicted = Doc(VOCAB, list(letters), spaces=[False] * 8, ents=guesses)
        if set(marks) == {"O"}:
            continue
        scores = ner_scorer(matches=["exact", "overlap"])([Example(predicted, gold)])
        # A token has one mention here, so whatever overlaps in the right type is right.
        assert scores["overlap/recall"] == pytest.approx(scores["ents_r"])


@pytest.mark.parametrize(
    "given", [[], [Example(doc("it"), doc("it"))], [Example(Doc(VOCAB), Doc(VOCAB))]]
)
def test_without_entities_there_is_only_what_spacy_says(given: list[Example]) -> None:
    assert ner_scorer("absent.spacy")(given) == make_ner_scorer()(given)


PAGE = Path(__file__).resolve().parents[2] / "docs" / "integrations.md"
ABOVE = "[components]\n[components.ner]\n[training]\n"  # what a whole config has anyway
BASE = """
[paths]
train = null
dev = null

[nlp]
lang = "en"
pipeline = ["ner"]

[components]

[components.ner]
factory = "ner"

[components.ner.model]
@architectures = "spacy.TransitionBasedParser.v2"
state_type = "ner"
extra_state_tokens = false
hidden_width = 16
maxout_pieces = 2
use_upper = true

[components.ner.model.tok2vec]
@architectures = "spacy.HashEmbedCNN.v2"
pretrained_vectors = null
width = 16
depth = 1
embed_size = 50
window_size = 1
maxout_pieces = 2
subword_features = true

[corpora]

[corpora.train]
@readers = "spacy.Corpus.v1"
path = ${paths.train}

[corpora.dev]
@readers = "spacy.Corpus.v1"
path = ${paths.dev}

[training]
max_steps = 20
eval_frequency = 10
"""


def config() -> Config:
    """A tiny pipeline, with what the documentation says to write into its config."""
    (shown,) = re.findall(r"(?s)```ini\n(.*?)```", PAGE.read_text(encoding="utf-8"))
    base, own = (Config().from_str(text, interpolate=False) for text in (BASE, ABOVE + shown))
    return spacy.util.load_model_from_config(base.merge(own), auto_fill=True).config


def spacy_command(*arguments: str | Path) -> str:
    found = subprocess.run(
        [sys.executable, "-m", "spacy", *map(str, arguments)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert found.returncode == 0, found.stdout + found.stderr
    return found.stdout


def test_spacy_train_and_spacy_evaluate_tell_it(tmp_path: Path) -> None:
    train = saved(tmp_path / "train.spacy", TRAIN * 5)
    dev = saved(tmp_path / "dev.spacy", GOLD)
    config().to_disk(tmp_path / "config.cfg")
    paths = ("--paths.train", train, "--paths.dev", dev)
    said = spacy_command("train", tmp_path / "config.cfg", "--output", tmp_path / "out", *paths)
    assert "TMR/UNSEE" in said.upper()
    meta = json.loads((tmp_path / "out" / "model-last" / "meta.json").read_text())
    assert 0 <= meta["performance"]["tmr/unseen-tokens/recall"] <= 1
    last = tmp_path / "out" / "model-last"
    spacy_command("evaluate", last, dev, "--output", tmp_path / "scores.json")
    scores = json.loads((tmp_path / "scores.json").read_text())
    assert scores["tmr/seen/recall"] == pytest.approx(recall_on_seen(last))
    assert {"ents_p", "ents_per_type", "tmr/unseen-tokens/recall", "overlap/f1"} <= set(scores)
    plain = {"components.ner.scorer": {"@scorers": "spacy.ner_scorer.v1"}}
    own = spacy.load(last, config=plain).evaluate(examples())
    assert not [name for name in own if "/" in name]


def recall_on_seen(model: Path) -> float:
    """The recall on seen mentions, by an evaluation of what the trained pipeline predicts."""
    nlp = spacy.load(model)
    texts = [labels(text) for text in GOLD]
    found = [nlp(Doc(nlp.vocab, words)) for words, _ in texts]
    pred = [[f"{one.ent_iob_}-{one.ent_type_}".rstrip("-") for one in own] for own in found]
    train = list(map(labels, TRAIN * 5))
    results = ns.evaluate(texts, {"x": pred}, train=train)
    return results.scalars()["tmr/seen/recall"]


def test_a_pipeline_goes_where_its_training_data_do_not(tmp_path: Path) -> None:
    nlp = spacy.blank("en")
    own = {"@scorers": "nerscope.ner_scorer.v1", "train": "absent.spacy"}
    nlp.add_pipe("entity_ruler", config={"scorer": own}).add_patterns(
        [{"label": "PER", "pattern": "Ada"}]
    )
    nlp.to_disk(tmp_path / "model")
    for other in (spacy.load(tmp_path / "model"), pickle.loads(pickle.dumps(nlp))):
        assert [one.label_ for one in other("Ada spoke").ents] == ["PER"]
        with pytest.raises(ns.InputError, match=r"absent\.spacy"):
            other.evaluate(examples())
