"""Matches: they give credit to pairs of mentions, or compare labels token by token.

The built-in matches of mentions are in `scoring/matches/`, one file per family. A match of tokens
needs no pairs: a token is correct if its label equals the gold label.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from nerscope.arguments import check_arguments
from nerscope.corpus.arrays import Bools, Floats, Ints, expand_ranges
from nerscope.corpus.mentions import Mentions
from nerscope.errors import UsageError
from nerscope.registry import FactoryRegistry, name_with_options, user_code
from nerscope.scoring.pairing import (
    CORRECT,
    PARTIAL,
    CandidateCredit,
    CandidatePairs,
    MatchedPairs,
    MentionNames,
    best_pairs,
    equal_mentions,
)

# The names of matches that other packages use; each is defined in `scoring/matches/`.
EXACT, LEFT, RIGHT, OVERLAP = "exact", "left", "right", "overlap"
BILOU, IO, LABEL = "bilou", "io", "label"  # the matches of tokens, defined below


def leading_match(names: Sequence[str]) -> str:
    """The match by which overall scores are shown: exact if it was evaluated, else the first.

    >>> leading_match(["overlap", "exact"]), leading_match(["overlap", "left"])
    ('exact', 'overlap')
    """
    return EXACT if EXACT in names or not names else names[0]


@dataclass(frozen=True, slots=True, eq=False)
class Match:
    """A way to pair mentions, with its name.

    `title` names it in headings, `phrase` in sentences; `definition` explains it.
    """

    name: str
    pairs: Callable[[Mentions, Mentions, MentionNames], MatchedPairs]
    title: str = ""
    phrase: str = ""
    definition: str = ""

    def __str__(self) -> str:
        return self.name

    def __reduce__(self) -> tuple[Callable[[str], "Match"], tuple[str]]:
        """Pickle only the name: functions are not picklable, and every process knows the name."""
        return match_named, (self.name,)

    def __call__(self, gold: Mentions, pred: Mentions, names: MentionNames = None) -> MatchedPairs:
        """The pairs of gold and predicted mentions.

        `names` gives type and surface of gold and predicted mentions, by index. It decides between
        pairings that are otherwise equal.
        """
        return self.pairs(gold, pred, names)


CreditRule = Callable[[CandidatePairs], Floats | Bools]
MATCHES: FactoryRegistry[Match] = FactoryRegistry("match", package="nerscope.scoring.matches")


def match_named(text: str) -> Match:
    """The match of a text such as `overlap(credit=1)` or `iou(threshold=0.5, typed=no)`.

    >>> str(match_named("overlap( credit=1 )"))
    'overlap(credit=1)'
    """
    return MATCHES.instances.get(text) or MATCHES.make(text)


def register_match(
    name: str,
    rule: CreditRule,
    *,
    title: str = "",
    phrase: str = "",
    definition: str = "",
    **defaults: float,
) -> None:
    """Register a match: exact pairs get credit 1, other pairs the result of the rule; 0: no match.

    The rule gets `CandidatePairs`, mentions that share a token. `credit` (for a rule that returns
    True or False) and `threshold` (for a rule that returns a number) become options of the match if
    they have a default here.

    >>> register_match("no-longer", lambda pairs: pairs.sizes[1] <= pairs.sizes[0], credit=0.5)
    >>> str(match_named("no-longer(credit=0.25)"))
    'no-longer(credit=0.25)'
    """
    check_arguments(register_match, locals())
    MATCHES.add(name, match_factory(name, rule, defaults, (title, phrase, definition)))


def match_factory(
    name: str,
    rule: CreditRule | None,
    defaults: Mapping[str, float],
    words: tuple[str, str, str] = ("", "", ""),
) -> Callable[..., Match]:
    """The factory of a match; without a rule, only equal mentions match.

    Every match has the option `typed`: with `typed=no`, types may differ.
    """
    if unknown := defaults.keys() - {"credit", "threshold"}:
        raise UsageError(
            f"match '{name}'",
            f"invalid options {', '.join(sorted(unknown))}",
            "use credit or threshold",
        )

    def make(typed: bool = True, **options: float) -> Match:
        if not isinstance(typed, bool):
            raise UsageError(f"match '{name}'", f"invalid value typed={typed}", "give yes or no")
        if unknown := options.keys() - defaults.keys():
            raise TypeError(f"{', '.join(unknown)} is not among {', '.join(['typed', *defaults])}")
        values = {**defaults, **options}
        _check_options(name, values)
        full_name = name_with_options(name, **({} if typed else {"typed": False}), **options)

        def credit_of(pairs: CandidatePairs) -> CandidateCredit:
            exact = pairs.same_span & (not typed)
            graded = np.zeros(len(exact))
            if rule is not None:
                with user_code(f"match '{full_name}'"):
                    graded = _checked_credit(full_name, rule(pairs), pairs)
                graded = graded * values.get("credit", 1.0)
            credit = np.where(graded >= values.get("threshold", 0.0), graded, 0.0)
            credit = np.where(pairs.same_type | (not typed), np.where(exact, 1.0, credit), 0.0)
            return CandidateCredit(exact, credit, np.where(exact, CORRECT, PARTIAL), credit > 0)

        if rule is None and typed:  # only equal mentions match: no further pairing
            return Match(full_name, _equal_pairs, *words)

        def pairs(gold: Mentions, pred: Mentions, names: MentionNames) -> MatchedPairs:
            return best_pairs(gold, pred, credit_of, names)

        return Match(full_name, pairs, *words)

    make()  # reports invalid defaults at registration, not at first use
    return make


def _check_options(name: str, values: Mapping[str, float]) -> None:
    for key, value in values.items():
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        if not is_number or not 0 <= value <= 1:
            shown = f"{value:g}" if isinstance(value, float) else repr(value)
            fact = f"invalid value {key}={shown}"
            raise UsageError(f"match '{name}'", fact, "give a number from 0 to 1")


def _checked_credit(name: str, given: Floats | Bools, pairs: CandidatePairs) -> Floats:
    """The result of a rule; raise a UsageError unless it is a number from 0 to 1 for each pair."""
    credit = np.asarray(given, np.float64)
    size = len(pairs.gold)
    if credit.shape != (size,) or not ((credit >= 0) & (credit <= 1)).all():
        raise UsageError(
            f"match '{name}'",
            f"its rule does not return {size} numbers from 0 to 1 for {size} candidate pairs",
            "return one number for each candidate pair, 0 for no match",
        )
    return credit


def _equal_pairs(gold: Mentions, pred: Mentions, names: MentionNames) -> MatchedPairs:
    at_gold, at_pred = equal_mentions(gold, pred)
    size = len(at_gold)
    return MatchedPairs(at_gold, at_pred, np.ones(size), np.full(size, CORRECT, np.int8))


def io_labels(mentions: Mentions, size: int) -> Ints:
    """The type of every token, -1 outside mentions."""
    labels = np.full(size, -1, np.int32)
    labels[expand_ranges(mentions.start, mentions.end)] = np.repeat(
        mentions.type, mentions.end - mentions.start
    )
    return labels


def bilou_labels(mentions: Mentions, size: int) -> Ints:
    """Every token's type and place in its mention, as 4 * type + place; -1 outside.

    The places are 0 inside, 1 begin, 2 last, 3 unit. A mention of type 2 on the tokens 5 to 7 and
    one of type 0 on token 9 give 9 8 10 -1 3.
    """
    labels = io_labels(mentions, size) * 4
    labels[labels < 0] = -1
    mentions = mentions.placed
    is_unit = mentions.end - mentions.start == 1
    labels[mentions.start[~is_unit]] += 1
    labels[mentions.end[~is_unit] - 1] += 2
    labels[mentions.start[is_unit]] += 3
    return labels


TOKEN_MATCHES: Mapping[str, Callable[[Mentions, int], Ints]] = {
    BILOU: bilou_labels,
    IO: io_labels,
}
USUAL_MATCHES = (EXACT, IO, BILOU, LABEL)  # omitted from texts
# The phrase and the definition of each; `label` compares the labels of the files as written.
TOKEN_MATCH_WORDS: Mapping[str, tuple[str, str]] = {
    BILOU: (
        "BILOU label",
        "Labels for the begin, inside, last and unit tokens of a mention. Token error rates "
        "compare them, so that a wrong boundary is an error.",
    ),
    IO: ("type of each token", "A match of types token by token, without boundaries."),
    LABEL: ("whole label", "A match of whole labels token by token, as for accuracy."),
}
