"""A slow second reading of the definitions of every measure: sets, dictionaries and loops, and
nothing shared with the package.

A corpus is a list of sentences and a sentence a pair of tokens and labels. What is undefined is
None. Ratios are exact fractions, so that equal values are equal and ties are ties.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from functools import cache
from math import lcm
from typing import Generic, NamedTuple, TypeVar

Sentence = tuple[list[str], list[str]]
Corpus = list[Sentence]
Surface = tuple[str, ...]

TMR_LEVELS = (
    "seen",
    "unseen-any",
    "unseen-tokens",
    "unseen-type",
    "tcm-all",
    "tcm-seen",
    "tcm-unseen",
)
HARD_LEVELS = (
    "all",
    "unseen",
    "unseen-I",
    "unseen-O",
    "diff",
    "diff-I",
    "diff-O",
    "diff-E",
    "other",
)
BUCKETS = ("XS", "S", "L", "XL")


class Span(NamedTuple):
    """Tokens [start, end) of one sentence, with a type."""

    start: int
    end: int
    type: str


class Mention(NamedTuple):
    """A span and the number of its sentence."""

    sentence: int
    start: int
    end: int
    type: str


class Inside(NamedTuple):
    """One token inside a mention, with the type of that mention."""

    sentence: int
    position: int
    type: str


Unit = TypeVar("Unit", Mention, Inside)


# Decoding


def split(label: str) -> tuple[str, str]:
    prefix, _, kind = label.partition("-")
    return prefix, kind


def decode_conlleval(labels: Sequence[str]) -> list[Span]:
    spans: list[Span] = []
    start: int | None = None
    before = ("O", "")
    for here, label in enumerate([*labels, "O"]):
        prefix, kind = split(label)
        continues = prefix in "IEL" and before[0] in "BI" and before[1] == kind
        if start is not None and not continues:
            spans.append(Span(start, here, before[1]))
            start = None
        if prefix != "O" and not continues:
            start = here
        before = (prefix, kind)
    return spans


def decode_strict(labels: Sequence[str]) -> list[Span]:
    spans: list[Span] = []
    open_now = False
    for here, label in enumerate(labels):
        prefix, kind = split(label)
        if prefix in "BSU":
            spans.append(Span(here, here + 1, kind))
            open_now = True
        elif prefix in "IEL" and open_now:
            spans[-1] = spans[-1]._replace(end=here + 1)
        else:
            open_now = False
    return spans


DECODERS: dict[str, Callable[[Sequence[str]], list[Span]]] = {
    "conlleval": decode_conlleval,
    "strict": decode_strict,
}


def begins_mentions(corpus: Corpus) -> bool:
    """Whether labels are meant as BIO, in which every mention begins with B.

    They are not if there is no B at all, or if it rather stands (as in IOB1) only between two
    mentions of one type that touch.
    """
    stray = idle = begins = insides = 0
    for _, labels in corpus:
        before = ("O", "")
        for prefix, kind in map(split, labels):
            begins += prefix == "B"
            insides += prefix == "I"
            stray += prefix == "I" and before[1] != kind
            idle += prefix == "B" and before[1] != kind
            before = (prefix, kind)
    return stray <= idle if begins else not insides


def token_repair(corpus: Corpus, repair: str) -> str:
    """The repair that applies: in schemes where an I may open a mention, it is not invalid."""
    return repair if begins_mentions(corpus) else "conlleval"


def without_case(corpus: Corpus) -> Corpus:
    """What facets that look at training compare with case = "fold"."""
    return [([token.casefold() for token in tokens], labels) for tokens, labels in corpus]


def mentions(corpus: Corpus, repair: str = "conlleval") -> list[Mention]:
    return [
        Mention(number, *span)
        for number, (_, labels) in enumerate(corpus)
        for span in DECODERS[repair](labels)
    ]


def surface(corpus: Corpus, mention: Mention) -> Surface:
    return tuple(corpus[mention.sentence][0][mention.start : mention.end])


def inside(found: Iterable[Mention]) -> list[Inside]:
    return [
        Inside(m.sentence, position, m.type) for m in found for position in range(m.start, m.end)
    ]


def token_types(labels: Sequence[str]) -> list[str | None]:
    types: list[str | None] = [None] * len(labels)
    for span in decode_conlleval(labels):
        for position in range(span.start, span.end):
            types[position] = span.type
    return types


def io_labels(labels: Sequence[str], repair: str = "conlleval") -> list[str]:
    result = ["O"] * len(labels)
    for span in DECODERS[repair](labels):
        for position in range(span.start, span.end):
            result[position] = "I-" + span.type
    return result


def bilou_labels(labels: Sequence[str], repair: str) -> list[str]:
    result = ["O"] * len(labels)
    for span in DECODERS[repair](labels):
        for position in range(span.start, span.end):
            result[position] = "I-" + span.type
        result[span.start] = "B-" + span.type
        result[span.end - 1] = "L-" + span.type
        if span.end - span.start == 1:
            result[span.start] = "U-" + span.type
    return result


# Encoding

LETTERS = {"bio": "BIIB", "bioes": "BIES", "bilou": "BILU"}  # first, middle, last, only token


def spelt(labels: Sequence[str], scheme: str) -> list[str]:
    """The same mentions in another scheme."""
    result = ["O"] * len(labels)
    for span in decode_conlleval(labels):
        touches = span.start > 0 and result[span.start - 1].endswith(f"-{span.type}")
        begin, middle, last, only = list(LETTERS.get(scheme, "BIIB" if touches else "IIII"))
        for position in range(span.start, span.end):
            result[position] = f"{middle}-{span.type}"
        result[span.end - 1] = f"{last}-{span.type}"
        result[span.start] = f"{only if length(span) == 1 else begin}-{span.type}"
    return result


def respelt(corpus: Corpus, scheme: str) -> Corpus:
    return [(tokens, spelt(labels, scheme)) for tokens, labels in corpus]


# Ratios


def ratio(part: Fraction | int, whole: int) -> Fraction | None:
    return Fraction(part) / whole if whole else None


class Prf(NamedTuple):
    """Precision, recall and F1 with the numbers of gold and predicted units."""

    precision: Fraction | None
    recall: Fraction | None
    f1: Fraction | None
    gold: int
    pred: int


def prf(credit: Fraction | int, gold: int, pred: int) -> Prf:
    precision, recall = ratio(credit, pred), ratio(credit, gold)
    p, r = precision or Fraction(0), recall or Fraction(0)
    f1 = None if gold == pred == 0 else Fraction(0) if p + r == 0 else 2 * p * r / (p + r)
    return Prf(precision, recall, f1, gold, pred)


def of_type(units: Iterable[Unit], kind: str | None) -> list[Unit]:
    return [unit for unit in units if kind is None or unit.type == kind]


def all_types(gold: Corpus, pred: Corpus) -> list[str]:
    return sorted({m.type for m in mentions(gold)} | {m.type for m in mentions(pred)})


def exact_prf(gold: list[Unit], pred: list[Unit], kind: str | None) -> Prf:
    wanted, given = of_type(gold, kind), of_type(pred, kind)
    return prf(len(set(wanted) & set(given)), len(wanted), len(given))


def macro(values: Iterable[Fraction | None]) -> Fraction | None:
    defined = [value for value in values if value is not None]
    return ratio(sum(defined, Fraction(0)), len(defined))


def weighted(values: Iterable[tuple[Fraction | None, int]]) -> Fraction | None:
    defined = [(value, weight) for value, weight in values if value is not None]
    return ratio(
        sum((value * weight for value, weight in defined), Fraction(0)),
        sum(weight for _, weight in defined),
    )


def accuracy(gold: Corpus, pred: Corpus) -> tuple[Fraction | None, int]:
    right = total = 0
    for (_, wanted), (_, given) in zip(gold, pred, strict=True):
        for a, b in zip(wanted, given, strict=True):
            right += a == b
            total += 1
    return ratio(right, total), total


def surface_prf(gold: Corpus, pred: Corpus) -> Prf:
    wanted = {(surface(gold, m), m.type) for m in mentions(gold)}
    given = {(surface(gold, m), m.type) for m in mentions(pred)}
    right = {(surface(gold, m), m.type) for m in mentions(gold) if m in set(mentions(pred))}
    return prf(len(right), len(wanted), len(given))


# Tough mentions


def tmr_levels(mention: Mention, gold: Corpus, train: Corpus) -> set[str]:
    text = surface(gold, mention)
    trained = {m.type for m in mentions(train) if surface(train, m) == text}
    tested = {m.type for m in mentions(gold) if surface(gold, m) == text}
    if mention.type in trained:
        levels = {"seen"}
    elif trained:
        levels = {"unseen-type", "unseen-any"}
    else:
        levels = {"unseen-tokens", "unseen-any"}
    if len(tested) >= 2:
        levels |= {"tcm-all", "tcm-unseen" if not trained else "tcm-seen"}
    return levels


def tmr_members(gold: Corpus, train: Corpus) -> dict[str, list[Mention]]:
    members: dict[str, list[Mention]] = {level: [] for level in TMR_LEVELS}
    for mention in mentions(gold):
        for level in tmr_levels(mention, gold, train):
            members[level].append(mention)
    return members


def recall(members: list[Mention], pred: Corpus, kind: str | None) -> tuple[Fraction | None, int]:
    wanted = of_type(members, kind)
    return ratio(len(set(wanted) & set(mentions(pred))), len(wanted)), len(wanted)


# Hard tokens


def training_counts(train: Corpus) -> Counter[tuple[str, str | None]]:
    counts: Counter[tuple[str, str | None]] = Counter()
    for tokens, labels in train:
        counts.update(zip(tokens, token_types(labels), strict=True))
    return counts


def hard_levels(
    token: str, kind: str | None, counts: Counter[tuple[str, str | None]], strict: bool
) -> set[str]:
    outside = counts[token, None]
    by_type = {t: n for (word, t), n in counts.items() if word == token and t is not None and n}
    within = sum(by_type.values())
    if outside + within == 0:
        return {"all", "unseen", "unseen-O" if kind is None else "unseen-I"}
    if kind is None:
        name = "diff-O" if (outside == 0 if strict else outside < within) else None
    elif within == 0 if strict else within < outside:
        name = "diff-I"
    elif within >= outside:
        own = by_type.get(kind, 0)
        name = "diff-E" if (own == 0 if strict else own < max(by_type.values())) else None
    else:
        name = None
    return {"all", "diff", name} if name else {"all", "other"}


def compared_labels(labels: Sequence[str], match: str, repair: str) -> list[str]:
    return bilou_labels(labels, repair) if match == "bilou" else io_labels(labels)


class HardCounts(NamedTuple):
    """Tokens and mislabelled tokens of each subset."""

    tokens: Counter[str]
    errors: Counter[str]


def hard_counts(
    gold: Corpus, pred: Corpus, train: Corpus, *, strict: bool, match: str, repair: str
) -> HardCounts:
    counts = training_counts(train)
    result = HardCounts(Counter(), Counter())
    gold_repair, pred_repair = token_repair(gold, repair), token_repair(pred, repair)
    for (tokens, wanted), (_, given) in zip(gold, pred, strict=True):
        right = compared_labels(wanted, match, gold_repair)
        said = compared_labels(given, match, pred_repair)
        for position, kind in enumerate(token_types(wanted)):
            levels = hard_levels(tokens[position], kind, counts, strict)
            result.tokens.update(levels)
            result.errors.update(levels if right[position] != said[position] else ())
    return result


def ter(counts: HardCounts, level: str) -> Fraction | None:
    return ratio(counts.errors[level], counts.tokens[level])


def error_share(counts: HardCounts, level: str) -> Fraction | None:
    return ratio(counts.errors[level], counts.errors["all"])


def hardeval_score(counts: HardCounts) -> Fraction | None:
    unseen, diff = ter(counts, "unseen"), ter(counts, "diff")
    return None if unseen is None or diff is None else (unseen + diff) / 2


# Attributes


def occurrences(train: Corpus, text: Surface) -> int:
    return sum(
        tuple(tokens[start : start + len(text)]) == text
        for tokens, _ in train
        for start in range(len(tokens) - len(text) + 1)
    )


def e_len(mention: Mention, gold: Corpus, train: Corpus) -> Fraction:
    return Fraction(mention.end - mention.start)


def s_len(mention: Mention, gold: Corpus, train: Corpus) -> Fraction:
    return Fraction(len(gold[mention.sentence][0]))


def e_den(mention: Mention, gold: Corpus, train: Corpus) -> Fraction:
    types = token_types(gold[mention.sentence][1])
    return Fraction(sum(t is not None for t in types), len(types))


def e_den_entities(mention: Mention, gold: Corpus, train: Corpus) -> Fraction:
    tokens, labels = gold[mention.sentence]
    return Fraction(len(decode_conlleval(labels)), len(tokens))


def o_den(mention: Mention, gold: Corpus, train: Corpus) -> Fraction:
    vocabulary = {token for tokens, _ in train for token in tokens}
    tokens = gold[mention.sentence][0]
    return Fraction(sum(token not in vocabulary for token in tokens), len(tokens))


def e_fre(mention: Mention, gold: Corpus, train: Corpus) -> Fraction:
    trained = [surface(train, m) for m in mentions(train)]
    return ratio(trained.count(surface(gold, mention)), len(trained)) or Fraction(0)


def same_surface_and_label(mention: Mention, gold: Corpus, train: Corpus) -> int:
    text = surface(gold, mention)
    return sum(surface(train, m) == text and m.type == mention.type for m in mentions(train))


def e_con_mentions(mention: Mention, gold: Corpus, train: Corpus) -> Fraction:
    text = surface(gold, mention)
    with_surface = sum(surface(train, m) == text for m in mentions(train))
    return ratio(same_surface_and_label(mention, gold, train), with_surface) or Fraction(0)


def e_con(mention: Mention, gold: Corpus, train: Corpus) -> Fraction:
    return ratio(
        same_surface_and_label(mention, gold, train), occurrences(train, surface(gold, mention))
    ) or Fraction(0)


def t_fre(unit: Inside, gold: Corpus, train: Corpus) -> Fraction:
    everything = [token for tokens, _ in train for token in tokens]
    return ratio(
        everything.count(gold[unit.sentence][0][unit.position]), len(everything)
    ) or Fraction(0)


def t_con(unit: Inside, gold: Corpus, train: Corpus) -> Fraction:
    token = gold[unit.sentence][0][unit.position]
    own = total = 0
    for tokens, labels in train:
        for other, kind in zip(tokens, token_types(labels), strict=True):
            total += other == token
            own += other == token and kind == unit.type
    return ratio(own, total) or Fraction(0)


MENTION_ATTRIBUTES: dict[str, Callable[[Mention, Corpus, Corpus], Fraction]] = {
    "eLen": e_len,
    "sLen": s_len,
    "eDen": e_den,
    "eDen_entities": e_den_entities,
    "oDen": o_den,
    "eFre": e_fre,
    "eCon_mentions": e_con_mentions,
    "eCon": e_con,
}
TOKEN_ATTRIBUTES: dict[str, Callable[[Inside, Corpus, Corpus], Fraction]] = {
    "tFre": t_fre,
    "tCon": t_con,
}
ZERO_FIRST = ("oDen", "eFre", "tFre")
ZERO_FIRST_ONE_LAST = ("eCon_mentions", "eCon", "tCon")


# Buckets


def equal_count_edges(values: Iterable[Fraction], parts: int) -> list[Fraction]:
    ranked = sorted(values)
    ranks = [-(-k * len(ranked) // parts) for k in range(1, parts)]
    return [ranked[rank - 1] if ranked else Fraction(0) for rank in ranks]


def fitted_edges(name: str, values: Sequence[Fraction], m: int = 4) -> list[Fraction]:
    if name == "eLen":
        return [Fraction(k) for k in range(1, m)]
    if name in ZERO_FIRST:
        return equal_count_edges([v for v in values if v > 0], m - 1)
    if name in ZERO_FIRST_ONE_LAST:
        return equal_count_edges([v for v in values if 0 < v < 1], m - 2)
    return equal_count_edges(values, m)


def bucket(name: str, value: Fraction, edges: Sequence[Fraction], m: int = 4) -> int:
    above = sum(value > edge for edge in edges)
    if name in ZERO_FIRST:
        return 0 if value == 0 else 1 + above
    if name in ZERO_FIRST_ONE_LAST:
        return 0 if value == 0 else m - 1 if value == 1 else 1 + above
    return above


class Buckets(NamedTuple, Generic[Unit]):
    """The fitted edges of an attribute, and the gold and predicted units in each bucket."""

    edges: list[Fraction]
    gold: list[list[Unit]]
    pred: list[list[Unit]]


def fill(
    name: str, attribute: Callable[[Unit], Fraction], gold: list[Unit], pred: list[Unit]
) -> Buckets[Unit]:
    edges = fitted_edges(name, [attribute(unit) for unit in gold])
    wanted: list[list[Unit]] = [[] for _ in BUCKETS]
    given: list[list[Unit]] = [[] for _ in BUCKETS]
    for units, places in ((gold, wanted), (pred, given)):
        for unit in units:
            places[bucket(name, attribute(unit), edges)].append(unit)
    return Buckets(edges, wanted, given)


def bucket_prf(filled: Buckets[Unit], number: int, kind: str | None) -> Prf:
    """Recall over the gold units of the bucket, precision over its predicted ones; right is what is
    right anywhere.
    """
    gold, pred = of_type(filled.gold[number], kind), of_type(filled.pred[number], kind)
    every_gold = {unit for units in filled.gold for unit in units}
    every_pred = {unit for units in filled.pred for unit in units}
    found, right = (
        sum(unit in every_pred for unit in gold),
        sum(unit in every_gold for unit in pred),
    )
    precision, recall = ratio(right, len(pred)), ratio(found, len(gold))
    p, r = precision or Fraction(0), recall or Fraction(0)
    f1 = None if not gold and not pred else Fraction(0) if p + r == 0 else 2 * p * r / (p + r)
    return Prf(precision, recall, f1, len(gold), len(pred))


# Partial credit


def overlap(a: Span, b: Span) -> int:
    return max(0, min(a.end, b.end) - max(a.start, b.start))


def length(span: Span) -> int:
    return span.end - span.start


def same_span(a: Span, b: Span) -> bool:
    return a[:2] == b[:2]


def iou(a: Span, b: Span) -> Fraction:
    shared = overlap(a, b)
    return Fraction(shared, length(a) + length(b) - shared)


def dice(a: Span, b: Span) -> Fraction:
    return Fraction(2 * overlap(a, b), length(a) + length(b))


def coverage(a: Span, b: Span) -> Fraction:
    return Fraction(overlap(a, b), length(a))


class Rule(NamedTuple):
    """What a pair of spans that share a token is worth (None: it may not be), and whether a type
    must be the same for a pair to be settled first.
    """

    credit: Callable[[Span, Span], Fraction | None]
    typed: bool = True
    credit_pairs: bool = True  # whether credit decides which spans are paired


def half_if(
    fits: Callable[[Span, Span], bool], half: Fraction = Fraction(1, 2), typed: bool = True
) -> Rule:
    """Some credit for pairs that fit."""

    def credit(a: Span, b: Span) -> Fraction | None:
        if a == b or (same_span(a, b) and not typed):
            return Fraction(1)
        return half if fits(a, b) and (a.type == b.type or not typed) else None

    return Rule(credit, typed)


def graded_by(
    share: Callable[[Span, Span], Fraction], least: Fraction = Fraction(0), typed: bool = True
) -> Rule:
    """As much credit as the share of common tokens, from a threshold on."""

    def credit(a: Span, b: Span) -> Fraction | None:
        if a.type != b.type and typed:
            return None
        return share(a, b) if same_span(a, b) or share(a, b) >= least else None

    return Rule(credit, typed)


def schema(right: Callable[[Span, Span], bool], near: Fraction) -> Rule:
    """Every pair may be; it is right, or near. All schemas judge the same pairs."""
    return Rule(lambda a, b: Fraction(1) if right(a, b) else near, False, credit_pairs=False)


def same_left(a: Span, b: Span) -> bool:
    return a.start == b.start


def same_right(a: Span, b: Span) -> bool:
    return a.end == b.end


def anyhow(a: Span, b: Span) -> bool:
    return True


HALF, NOTHING = Fraction(1, 2), Fraction(0)
RULES: dict[str, Rule] = {
    "exact": Rule(lambda a, b: Fraction(1) if a == b else None),
    "exact(typed=no)": Rule(lambda a, b: Fraction(1) if same_span(a, b) else None, typed=False),
    "left": half_if(same_left),
    "right": half_if(same_right),
    "overlap": half_if(anyhow),
    "left(credit=0.25)": half_if(same_left, half=Fraction(1, 4)),
    "overlap(credit=1)": half_if(anyhow, half=Fraction(1)),
    "overlap(typed=no)": half_if(anyhow, typed=False),
    "iou": graded_by(iou),
    "iou(threshold=0.5)": graded_by(iou, least=HALF),
    "iou(typed=no)": graded_by(iou, typed=False),
    "dice": graded_by(dice),
    "coverage": graded_by(coverage),
    "muc-strict": schema(lambda a, b: a == b, NOTHING),
    "muc-exact": schema(same_span, NOTHING),
    "muc-partial": schema(same_span, HALF),
    "muc-type": schema(lambda a, b: a.type == b.type, NOTHING),
}


class Totals(NamedTuple):
    """What makes one way to pair better than another, what matters most first."""

    exact: int = 0  # pairs of equal span and type
    equal_spans: int = 0  # pairs of equal span, where types do not matter
    credit: int = 0  # in parts of PARTS
    pairs: int = 0
    same_type: int = 0
    shared: int = 0

    def plus(self, other: "Totals") -> "Totals":
        return Totals(
            self[0] + other[0],
            self[1] + other[1],
            self[2] + other[2],
            self[3] + other[3],
            self[4] + other[4],
            self[5] + other[5],
        )


PARTS = lcm(*range(1, 21))  # every share of up to 20 tokens is a whole number of these


def in_parts(credit: Fraction) -> int:
    whole = credit * PARTS
    assert whole.denominator == 1
    return whole.numerator


def worth(a: Span, b: Span, rule: Rule) -> Totals | None:
    """What one pair adds; None if it may not be."""
    shared = overlap(a, b)
    credit = rule.credit(a, b) if shared else None
    if credit is None:
        return None
    equal = same_span(a, b) and not rule.typed
    parts = in_parts(credit) if rule.credit_pairs else 0
    return Totals(int(a == b), int(equal), parts, 1, int(a.type == b.type), shared)


PairNames = tuple[str, str, tuple[str, ...], tuple[str, ...]]


def words_of(span: Span, text: str = "xxyxyz") -> tuple[str, ...]:
    """The words of a span in a text that repeats itself, so that surfaces are often equal."""
    return tuple(text[place % len(text)] for place in range(span.start, span.end))


def pair_names(a: Span, b: Span) -> PairNames:
    return (a.type, b.type, words_of(a), words_of(b))


class Pairing(NamedTuple):
    """A way to pair: what it adds up to, and the sorted list that decides between equals."""

    totals: Totals
    names: list[PairNames]


def best_pairing(gold: Sequence[Span], pred: Sequence[Span], rule: Rule) -> Pairing:
    """The best of all ways to pair, by trying for every gold span every partner and none."""
    table = [
        [(at, own) for at, b in enumerate(pred) if (own := worth(a, b, rule)) is not None]
        for a in gold
    ]

    @cache
    def best_from(place: int, used: int) -> Pairing:
        if place == len(table):
            return Pairing(Totals(), [])
        ways = [best_from(place + 1, used)]
        for at, own in table[place]:
            if not used >> at & 1:
                totals, names = best_from(place + 1, used | 1 << at)
                names = sorted([*names, pair_names(gold[place], pred[at])])
                ways.append(Pairing(own.plus(totals), names))
        most = max(way.totals for way in ways)
        return min((way for way in ways if way.totals == most), key=lambda way: way.names)

    return best_from(0, 0)


def partial_counts(gold: Corpus, pred: Corpus, match: str, kind: str | None) -> tuple[int, int]:
    """How many pairs are exact, and how many are not."""
    exact = partial = 0
    for (_, wanted), (_, given) in zip(gold, pred, strict=True):
        gold_spans, pred_spans = (
            [span for span in decode_conlleval(labels) if kind in (None, span.type)]
            for labels in (wanted, given)
        )
        found = best_pairing(gold_spans, pred_spans, RULES[match]).totals
        exact, partial = exact + found.exact, partial + found.pairs - found.exact
    return exact, partial


def partial_prf(gold: Corpus, pred: Corpus, match: str, kind: str | None) -> Prf:
    exact, partial = partial_counts(gold, pred, match, kind)
    return prf(
        exact + Fraction(partial, 2),
        len(of_type(mentions(gold), kind)),
        len(of_type(mentions(pred), kind)),
    )
