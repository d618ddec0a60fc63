"""Small corpora in which seen, unseen and ambiguous tokens, surfaces and broken label sequences are
all common.
"""

from random import Random
from typing import NamedTuple

from hypothesis import strategies as st
from tests.oracles.naive import Corpus, Sentence, Span, mentions

TOKENS = (
    "a",
    "b",
    "A",
    "#",
    "-",
    "é",
    "prefixed",
    "prefixed9",
    "prefixed8",
    "a-token-well-beyond-sixteen-bytes",
    "a-token-well-beyond-sixteen-bytes!",
)
TYPES = ("PER", "LOC", "creative-work")
VALID_AFTER = {"B": ("B", "I", "O"), "I": ("B", "I", "O"), "O": ("B", "O")}


class Case(NamedTuple):
    """A training corpus, a gold corpus with at least one mention, and a prediction for it."""

    train: Corpus
    gold: Corpus
    pred: Corpus


words = st.one_of(st.sampled_from(TOKENS[:3]), st.sampled_from(TOKENS))
"""Half the draws come from three tokens, so that surfaces repeat."""


@st.composite
def valid_labels(draw: st.DrawFn, length: int) -> list[str]:
    labels: list[str] = []
    before, kind = "O", TYPES[0]
    for _ in range(length):
        before = draw(st.sampled_from(VALID_AFTER[before]))
        if before == "B":
            kind = draw(st.sampled_from(TYPES))
        labels.append("O" if before == "O" else f"{before}-{kind}")
    return labels


def any_labels(length: int) -> st.SearchStrategy[list[str]]:
    every = ["O", *(f"{prefix}-{kind}" for kind in TYPES for prefix in "BI")]
    return st.lists(st.sampled_from(every), min_size=length, max_size=length)


def labels(length: int) -> st.SearchStrategy[list[str]]:
    return st.one_of(valid_labels(length), any_labels(length))


@st.composite
def sentences(draw: st.DrawFn) -> Sentence:
    tokens = draw(st.lists(words, min_size=1, max_size=8))
    return tokens, draw(labels(len(tokens)))


@st.composite
def changed(draw: st.DrawFn, wanted: list[str]) -> list[str]:
    """The gold labels with some of them replaced, or labels that have nothing to do with them."""
    other = draw(labels(len(wanted)))
    if draw(st.booleans()):
        return other
    keep = draw(st.lists(st.booleans(), min_size=len(wanted), max_size=len(wanted)))
    return [a if kept else b for a, b, kept in zip(wanted, other, keep, strict=True)]


@st.composite
def cases(draw: st.DrawFn) -> Case:
    train = draw(st.lists(sentences(), min_size=1, max_size=5))
    gold = draw(
        st.lists(sentences(), min_size=1, max_size=5).filter(lambda corpus: bool(mentions(corpus)))
    )
    reused = draw(st.lists(st.sampled_from(train), max_size=2))
    gold = [*gold, *((list(tokens), list(given)) for tokens, given in reused)]
    pred = [(list(tokens), draw(changed(wanted))) for tokens, wanted in gold]
    return Case(train, gold, pred)


@st.composite
def case_and_second_run(draw: st.DrawFn) -> tuple[Case, Corpus]:
    case = draw(cases())
    return case, [(list(tokens), draw(changed(wanted))) for tokens, wanted in case.gold]


def large_case(seed: int) -> Case:
    """Hundreds of tokens, with frequent and rare words, so that every bucket edge has values to
    fall between.
    """
    random = Random(seed)
    vocabulary = [*TOKENS, *(f"w{number}" for number in range(30))]
    marks = ["O", "O", "O", *(f"{prefix}-{kind}" for kind in TYPES for prefix in "BI")]

    def corpus() -> Corpus:
        lengths = [random.randint(1, 12) for _ in range(40)]
        tokens = [
            [vocabulary[int(random.random() ** 3 * len(vocabulary))] for _ in range(length)]
            for length in lengths
        ]
        return [(words, [random.choice(marks) for _ in words]) for words in tokens]

    train, gold = corpus(), corpus()
    pred = [
        (words, [label if random.random() < 0.7 else random.choice(marks) for label in wanted])
        for words, wanted in gold
    ]
    return Case(train, gold, pred)


class SpanCase(NamedTuple):
    """Gold and predicted spans of one sentence: nested and crossing, in any order, each once."""

    gold: tuple[Span, ...]
    pred: tuple[Span, ...]


def span_cases(seed: int, size: int) -> list[SpanCase]:
    """Many small cases; predictions are drawn anew, or are gold spans that moved a little."""
    random = Random(seed)

    def span() -> Span:
        start = random.randrange(6)
        return Span(start, start + random.randint(1, 5), random.choice(TYPES[:2]))

    def near(wanted: Span) -> Span:
        start = max(0, wanted.start + random.choice([-1, 0, 0, 1]))
        end = max(start + 1, wanted.end + random.choice([-1, 0, 0, 1]))
        return Span(start, end, wanted.type if random.random() < 0.7 else random.choice(TYPES))

    def case() -> SpanCase:
        gold = tuple(dict.fromkeys(span() for _ in range(random.randint(0, 5))))
        moved = [near(wanted) for wanted in gold if random.random() < 0.7]
        pred = [*moved, *(span() for _ in range(random.randint(0, 6 - len(moved))))]
        pred = list(dict.fromkeys(pred))
        random.shuffle(pred)
        return SpanCase(gold, tuple(pred))

    return [case() for _ in range(size)]


CASED = {
    "a": ("ß", "ẞ", "SS", "ss", "Ss"),
    "b": ("İ", "i̇", "I", "ı", "i"),
    "prefixed": ("PREFIXED", "Prefixed"),
    "a-token-well-beyond-sixteen-bytes": ("A-Token-Well-Beyond-Sixteen-Bytes",),
}
"""Other spellings of some tokens; some of them differ only in case, and some change in length."""


@st.composite
def cased(draw: st.DrawFn, case: Case) -> Case:
    """The case with tokens in different spellings; gold and prediction have the same ones."""

    def spelt(corpus: Corpus) -> list[list[str]]:
        return [
            [draw(st.sampled_from((token, *CASED.get(token, ())))) for token in tokens]
            for tokens, _ in corpus
        ]

    def with_tokens(corpus: Corpus, tokens: list[list[str]]) -> Corpus:
        return [(words, labels) for words, (_, labels) in zip(tokens, corpus, strict=True)]

    test = spelt(case.gold)
    return Case(
        with_tokens(case.train, spelt(case.train)),
        with_tokens(case.gold, test),
        with_tokens(case.pred, test),
    )
