"""Counts of the difficulties that were planted in the demonstration corpus."""

from collections import Counter, defaultdict
from collections.abc import Sequence
from itertools import pairwise

from examples.demo_corpus import Mention, Sentence, mentions
from examples.demo_text import SHIFTING_WORDS

LONG = 4
ARTICLES = ("the", "The", "THE")


def count_traps(training: Sequence[Sentence], test: Sequence[Sentence]) -> dict[str, int]:
    """How many test mentions, or test tokens where the name says so, fall in every trap."""
    known = _types(training)
    here = _types(test)
    found = [mention for sentence in test for mention in mentions(sentence)]
    two_types = [words for words, _ in found if len(here[words]) > 1]
    return {
        "test mentions": len(found),
        "surface not a training mention": sum(words not in known for words, _ in found),
        "surface with two types in test": len(two_types),
        "surface with two types in test, seen in training": sum(
            words in known for words in two_types
        ),
        "surface with two types in test, unseen": sum(words not in known for words in two_types),
        "surface in training with another type only": sum(
            words in known and kind not in known[words] for words, kind in found
        ),
        "shifting words inside a mention, but mostly O in training": _shifted(
            training, test, inside=True
        ),
        "shifting words O, but mostly inside a mention in training": _shifted(
            training, test, inside=False
        ),
        "mentions of four tokens or more": sum(len(words) >= LONG for words, _ in found),
        "mentions that begin with their article": sum(words[0] in ARTICLES for words, _ in found),
        "mentions after an article that is outside": sum(map(_outside_articles, test)),
        "mentions with a coordination inside": sum(
            {"and", "AND", "&"} & set(words) != set() for words, _ in found
        ),
        "mentions before a possessive": sum(map(_possessives, test)),
        "tokens with a name in a compound (X-based, X-born)": sum(map(_compounds, test)),
        "mentions in lower case only, without handles": sum(
            _lower_only(mention) for mention in found
        ),
        "mentions in capitals only (four letters or more)": sum(
            _capitals_only(mention) for mention in found
        ),
        "handles": sum(words[0].startswith("@") for words, _ in found),
        "hashtags that are mentions": sum(words[0].startswith("#") for words, _ in found),
        "hashtags that are not": sum(
            token.startswith("#") and label == "O" for row in test for token, label in row
        ),
    }


def _types(rows: Sequence[Sentence]) -> dict[tuple[str, ...], set[str]]:
    types: defaultdict[tuple[str, ...], set[str]] = defaultdict(set)
    for sentence in rows:
        for words, kind in mentions(sentence):
            types[words].add(kind)
    return dict(types)


def _shifted(training: Sequence[Sentence], test: Sequence[Sentence], inside: bool) -> int:
    """Shifting words inside (or outside) of test mentions that are mostly the other way round in
    training.
    """
    counts: defaultdict[str, Counter[bool]] = defaultdict(Counter)
    for sentence in training:
        for token, label in sentence:
            counts[token.lower()][label != "O"] += 1
    mostly_other = {
        word for word in SHIFTING_WORDS if counts[word][not inside] > counts[word][inside]
    }
    return sum(
        (label != "O") is inside and token.lower() in mostly_other
        for sentence in test
        for token, label in sentence
    )


def _outside_articles(sentence: Sentence) -> int:
    pairs = pairwise(sentence)
    return sum(
        left[0] in ARTICLES and left[1] == "O" and right[1].startswith("B-")
        for left, right in pairs
    )


def _possessives(sentence: Sentence) -> int:
    pairs = pairwise(sentence)
    return sum(left[1] != "O" and right == ("'s", "O") for left, right in pairs)


def _compounds(sentence: Sentence) -> int:
    return sum(token.endswith(("-based", "-born")) for token, _ in sentence)


def _lower_only(mention: Mention) -> bool:
    words, _ = mention
    return all(word == word.lower() and word[0].isalpha() for word in words)


def _capitals_only(mention: Mention) -> bool:
    text = " ".join(mention[0])
    return text.isupper() and len(text) >= LONG
