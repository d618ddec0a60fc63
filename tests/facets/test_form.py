"""Facets of what a mention looks like and where it stands, against a naive reading of the words."""

import unicodedata
from collections.abc import Callable
from typing import Any

import pytest
from tests.scoring.toys import corpus, drawn, noisy

import nerscope
from nerscope.errors import UsageError
from nerscope.results.terms import facet_words, level_words

TRAIN = corpus(
    "Bank/B-ORG of/I-ORG Peru/I-ORG met Ada/B-PER", "The/B-ORG Oslo/I-ORG Club/I-ORG in Rome/B-LOC"
)
GOLD = corpus(
    "Bank/B-ORG of/I-ORG Peru/I-ORG saw NATO/B-ORG",
    "Bank/B-ORG of/I-ORG Chile/I-ORG and the/B-ORG Hague/I-ORG",
    "Heart/B-ORG of/I-ORG Midlothian/I-ORG : iPhone/B-MISC 12/I-MISC and aspirin/B-MISC",
    "東京/B-LOC and Peru/B-LOC and U.S./B-LOC and F-16/B-MISC and Oslo/B-LOC",
)
# facet: the level of each gold mention, in order
LEVELS = {
    "capitalisation": [
        *("initial-capital", "all-capitals", "initial-capital", "mixed-case", "initial-capital"),
        *("mixed-case", "lower-case", "no-case", "initial-capital", "all-capitals"),
        *("all-capitals", "initial-capital"),
    ],
    "symbols": [
        *("no-symbols", "no-symbols", "no-symbols", "no-symbols", "no-symbols", "with-digits"),
        *("no-symbols", "no-symbols", "no-symbols", "with-punctuation"),
        *("with-digits with-punctuation", "no-symbols"),
    ],
    # Bank of Chile shares Bank; Heart of Midlothian shares only "of"; Peru is in no training LOC.
    "word-overlap": ["exact-overlap", "no-overlap", "partial-overlap", *["no-overlap"] * 9],
}


def sizes(facet: str, gold: Any, **options: Any) -> dict[str, float]:
    """How many gold mentions each level holds."""
    rows = nerscope.evaluate(gold, {"s": gold}, facets=[facet], train=TRAIN, **options).select(
        facet=facet, metric="recall", type=None, run=None
    )
    return {row["level"]: row["n"] for row in rows}


@pytest.mark.parametrize("facet", LEVELS)
def test_the_level_of_each_mention(facet: str) -> None:
    expected = " ".join(LEVELS[facet]).split()
    assert sizes(facet, GOLD) == {level: expected.count(level) for level in sizes(facet, GOLD)}
    assert set(expected) == set(sizes(facet, GOLD)), "every level has an example"


def test_a_prediction_is_divided_by_its_own_text_and_type() -> None:
    gold = corpus("Bank/B-ORG of/I-ORG Chile/I-ORG and Ada/B-PER")
    predicted = corpus("Bank/B-ORG of Chile/B-LOC and Ada/B-LOC")
    results = nerscope.evaluate(gold, {"s": predicted}, train=TRAIN, facets=["word-overlap"])
    rows = results.select(metric="precision", facet="word-overlap", type=None, run=None)
    assert {row["level"]: row["n"] for row in rows} == {
        "exact-overlap": 0,
        "partial-overlap": 1,  # Bank, in an ORG
        "no-overlap": 2,  # Chile; Ada as LOC
    }


def test_position_counts_the_tokens_before_a_mention_and_sets_the_beginning_apart() -> None:
    results = nerscope.evaluate(GOLD, {"s": GOLD}, facets=["ePos"], train=TRAIN)
    places = [0, 4 / 5, 0, 4 / 6, 0, 4 / 8, 7 / 8, 0, 2 / 9, 4 / 9, 6 / 9, 8 / 9]
    assert results.evidence[0].zeta["ePos"] == pytest.approx(sum(places) / 12)
    (first,) = results.select(facet="ePos", level="XS", metric="recall", type=None, run=None)
    assert first["n"] == 4


def test_characters_count_blanks_between_tokens() -> None:
    results = nerscope.evaluate(GOLD, {"s": GOLD}, facets=["eChars"], edges={"eChars": [4, 12]})
    texts = [
        *("Bank of Peru", "NATO", "Bank of Chile", "the Hague", "Heart of Midlothian"),
        *("iPhone 12", "aspirin", "東京", "Peru", "U.S.", "F-16", "Oslo"),
    ]
    assert results.evidence[0].zeta["eChars"] == pytest.approx(sum(map(len, texts)) / 12)
    assert level_words("eChars", "S", "≤ 4").phrase == "up to 4 characters"


def _naive_capitals(text: str) -> str:
    words = "".join(letter if unicodedata.category(letter)[0] in "LM" else " " for letter in text)
    letters = [letter for letter in text if letter.lower() != letter.upper()]
    if not letters:
        return "no-case"
    if all(letter.upper() == letter for letter in letters):
        return "all-capitals"
    if all(letter.lower() == letter for letter in letters):
        return "lower-case"
    tails = "".join(word[1:] for word in words.split())
    is_initial = letters[0].lower() != letters[0] and tails.lower() == tails
    return "initial-capital" if is_initial else "mixed-case"


def _naive_symbols(text: str) -> str:
    digits, letters = any(map(str.isdigit, text)), all(c.isalnum() or c.isspace() for c in text)
    if not digits and letters:
        return "no-symbols"
    return " ".join(["with-digits"] * digits + ["with-punctuation"] * (not letters))


NAIVE: dict[str, Callable[[str], str]] = {
    "capitalisation": _naive_capitals,
    "symbols": _naive_symbols,
}
WORDS = [
    "Oslo",
    "NATO",
    "of",
    "eBay",
    "B-52",
    "x",
    "X",
    "7",
    "O'Neil",
    "&",
    "ÉTÉ",
    "Ångström",
    "京",
]


@pytest.mark.parametrize("facet", NAIVE)
def test_drawn_mentions_against_a_naive_reading(facet: str) -> None:
    gold = [
        ([WORDS[int(token[1:]) % len(WORDS)] for token in tokens], labels)
        for tokens, labels in drawn(300, seed=1)
    ]
    levels: list[str] = []
    for tokens, start, end in _mentions(gold):
        levels += NAIVE[facet](" ".join(tokens[start:end])).split()
    assert sizes(facet, gold) == {level: levels.count(level) for level in sizes(facet, gold)}


def test_drawn_overlaps_against_a_naive_reading() -> None:
    train, gold = drawn(60, seed=2, words=400), drawn(200, seed=3, words=400)
    surfaces = {(tuple(t[a:b]), _type(t, a, train)) for t, a, b in _mentions(train)}
    words = {(word, kind) for surface, kind in surfaces for word in surface}
    levels = []
    for tokens, start, end in _mentions(gold):
        kind = _type(tokens, start, gold)
        if (tuple(tokens[start:end]), kind) in surfaces:
            levels.append("exact-overlap")
        elif any((word, kind) in words for word in tokens[start:end]):
            levels.append("partial-overlap")
        else:
            levels.append("no-overlap")
    rows = nerscope.evaluate(
        gold, {"s": noisy(gold, 0.2, 4)}, train=train, facets=["word-overlap"]
    ).select(facet="word-overlap", metric="recall", type=None, run=None)
    assert {row["level"]: row["n"] for row in rows} == {
        level: levels.count(level) for level in ("exact-overlap", "partial-overlap", "no-overlap")
    }


def _mentions(sentences: Any) -> list[tuple[list[str], int, int]]:
    """The tokens of the sentence, and the span, of each mention (conlleval's reading)."""
    mentions = []
    for tokens, labels in sentences:
        ends = [*labels, "O"]
        start = -1
        for at, label in enumerate(ends):
            if start >= 0 and (label[0] != "I" or label[1:] != ends[start][1:]):
                mentions.append((tokens, start, at))
                start = -1
            if start < 0 and label != "O":
                start = at
    return mentions


def _type(tokens: list[str], start: int, sentences: Any) -> str:
    (labels,) = (labels for other, labels in sentences if other is tokens)
    return str(labels[start][2:])


def test_they_are_named_and_not_used_by_default() -> None:
    standard = nerscope.evaluate(GOLD, {"s": GOLD}, train=TRAIN)
    names = {"capitalisation", "symbols", "word-overlap", "ePos", "eChars"}
    assert not names & {row["facet"] for row in standard.rows}
    for name in names:
        words = facet_words(name)
        assert words.definition and words.title != name and words.phrase != name


def test_word_overlap_needs_the_training_data() -> None:
    with pytest.raises(UsageError, match="needs training data"):
        nerscope.evaluate(GOLD, {"s": GOLD}, facets=["word-overlap"])


def test_folded_case_changes_the_overlap_and_not_the_form() -> None:
    gold = corpus("BANK/B-ORG of/I-ORG Chile/I-ORG", "oslo/B-LOC")
    results = [
        nerscope.evaluate(
            gold, {"s": gold}, train=TRAIN, facets=["capitalisation", "word-overlap"], case=case
        )
        for case in ("sensitive", "fold")
    ]
    counted = [
        {
            row["level"]: row["n"]
            for row in each.select(metric="recall", type=None, run=None)
            if row["facet"] != "all"
        }
        for each in results
    ]
    assert (counted[0]["mixed-case"], counted[0]["lower-case"]) == (1, 1)
    assert (counted[1]["mixed-case"], counted[1]["lower-case"]) == (1, 1)
    assert (counted[0]["partial-overlap"], counted[1]["partial-overlap"]) == (0, 1)
