"""Subsets: facets combined with `&`, `|`, `!` and parentheses, such as `tmr & type=ORG`.

A facet that stands alone divides; everything of the form `facet=level` (or `type=NAME`) is a
condition. So `tmr & type=ORG` are the levels of tmr among organisations, and `eLen=XL &
tmr=unseen-any` is one subset, whose levels are `in` and `out`.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from nerscope.corpus.arrays import Bools
from nerscope.errors import UsageError, suggest
from nerscope.facets.facet import FACETS
from nerscope.scoring.evidence import Division, Evidence
from nerscope.scoring.ledger import Ledger, Units
from nerscope.scoring.metrics import METRICS

_TOKEN = re.compile(
    r"\s*(?:(and\b|&&?)|(or\b|\|\|?)|(not\b|!)|(\()|(\))|([^\s&|!()=]+)(?:\s*=\s*([^\s&|!()=]+))?)",
    re.IGNORECASE,
)


class Node(NamedTuple):
    """A part of a subset: `kind` is "facet", "test", "and", "or" or "not"."""

    kind: str
    name: str = ""
    level: str = ""
    parts: tuple["Node", ...] = ()

    def walk(self) -> Iterator["Node"]:
        """This node and all below it."""
        yield self
        for part in self.parts:
            yield from part.walk()


class Subset(NamedTuple):
    """A parsed expression: perhaps a facet that divides, and perhaps a condition."""

    text: str
    divider: str | None
    condition: Node | None

    def facets(self) -> list[str]:
        """The registered facets in it."""
        tests = (
            [node.name for node in self.condition.walk() if node.kind == "test"]
            if self.condition
            else []
        )
        return [
            name
            for name in [*([self.divider] if self.divider else []), *tests]
            if name not in ("type", "all")
        ]


def parse_subset(text: str) -> Subset:
    """Read an expression.

    >>> parse_subset("tmr & type=ORG").divider
    'tmr'
    """
    tokens = list(_tokens(text))
    node = _either(tokens, text)
    if tokens:
        raise _unreadable(text)
    conjuncts = node.parts if node.kind == "and" else (node,)
    dividers = [part.name for part in conjuncts if part.kind == "facet"]
    conditions = tuple(part for part in conjuncts if part.kind != "facet")
    if len(dividers) > 1 or any(
        inner.kind == "facet" for part in conditions for inner in part.walk()
    ):
        raise UsageError(
            f"facet '{text}'",
            "a facet stands without a level where it cannot divide",
            "one facet may divide, by itself or joined by &; write others as facet=level",
        )
    for name in dividers:
        if name != "all":
            FACETS[name]
    condition = (
        None
        if not conditions
        else conditions[0]
        if len(conditions) == 1
        else Node("and", parts=conditions)
    )
    return Subset(text, dividers[0] if dividers else None, condition)


def _unreadable(text: str) -> UsageError:
    return UsageError(
        f"facet '{text}'",
        "it cannot be read",
        "write for example 'tmr', 'tmr & type=ORG' or 'eLen=XL & !tmr=seen'",
    )


def _tokens(text: str) -> Iterator[tuple[str, str, str]]:
    position = 0
    while position < len(text.rstrip()):
        found = _TOKEN.match(text, position)
        if not found:
            raise _unreadable(text)
        position = found.end()
        kinds = ("and", "or", "not", "(", ")", "atom")
        kind = next(kind for kind, group in zip(kinds, found.groups(), strict=False) if group)
        yield kind, found[6] or "", found[7] or ""


def _either(tokens: list[tuple[str, str, str]], text: str) -> Node:
    return _chain("or", _both, tokens, text)


def _both(tokens: list[tuple[str, str, str]], text: str) -> Node:
    return _chain("and", _single, tokens, text)


def _chain(
    word: str,
    part: Callable[[list[tuple[str, str, str]], str], Node],
    tokens: list[tuple[str, str, str]],
    text: str,
) -> Node:
    """Parts joined by one word."""
    parts = [part(tokens, text)]
    while tokens and tokens[0][0] == word:
        tokens.pop(0)
        parts.append(part(tokens, text))
    return parts[0] if len(parts) == 1 else Node(word, parts=tuple(parts))


def _single(tokens: list[tuple[str, str, str]], text: str) -> Node:
    if not tokens:
        raise _unreadable(text)
    kind, name, level = tokens.pop(0)
    if kind == "not":
        return Node("not", parts=(_single(tokens, text),))
    if kind == "(":
        inner = _either(tokens, text)
        if not tokens or tokens.pop(0)[0] != ")":
            raise _unreadable(text)
        return inner
    if kind != "atom":
        raise _unreadable(text)
    return Node("test", name, level) if level else Node("facet", name)


def divide(subset: Subset, divisions: Mapping[str, Division], types: tuple[str, ...]) -> Division:
    """The division that a subset makes; every level is checked."""
    parts = [divisions[name] for name in subset.facets()]
    units = {part.unit for part in parts} or {"mention"}
    if len(units) > 1:
        raise UsageError(
            f"facet '{subset.text}'",
            f"it mixes facets of {' and '.join(sorted(units))}",
            "combine facets of the same unit",
        )
    for node in subset.condition.walk() if subset.condition else ():
        if node.kind == "test":
            if node.name == "type" and units == {"token"}:
                raise UsageError(
                    f"facet '{subset.text}'",
                    "tokens have no type",
                    "use type= with facets of mentions",
                )
            known = types if node.name == "type" else tuple(divisions[node.name].levels)
            if node.level not in known:
                raise UsageError(
                    f"facet '{subset.text}'",
                    f"'{node.name}' has no level '{node.level}'",
                    suggest(node.level, known),
                )
    unit = units.pop()
    if subset.divider:
        return replace(divisions[subset.divider], unit=unit)
    model = divisions["all"] if unit == "mention" else parts[0]
    matches = parts[0].matches if parts else model.matches
    metrics = tuple(
        metric
        for metric in model.metrics
        if metric in METRICS and METRICS[metric].average == "micro"
    )
    return replace(
        model, unit=unit, levels={"in": (1,), "out": (0,)}, matches=matches, metrics=metrics
    )


def with_subsets(evidence: Evidence, subsets: Sequence[Subset]) -> Evidence:
    """The evidence divided by what was asked for: facets as they are, and subsets of them."""
    divisions = {name: evidence.divisions[name] for name in ("all", "accuracy")}
    ledgers = dict(evidence.ledgers)
    for subset in subsets:
        division = divide(subset, evidence.divisions, evidence.types)
        divisions[subset.text] = division
        if subset.text not in evidence.divisions:
            ledgers[division.unit] = _with_subset(
                ledgers[division.unit], subset, evidence.divisions, evidence.types
            )
    return replace(evidence, ledgers=ledgers, divisions=divisions)


def _with_subset(
    ledger: Ledger, subset: Subset, divisions: Mapping[str, Division], types: tuple[str, ...]
) -> Ledger:
    """The ledger with one more column of codes, that of the subset."""

    def extended(units: Units) -> Units:
        inside = (
            _holds(subset.condition, units, divisions, types)
            if subset.condition
            else np.ones(len(units), bool)
        )
        if subset.divider is None:
            codes = inside.astype(np.int8)
        else:
            own = units.codes.get(subset.divider, np.zeros(len(units), np.int8))
            codes = np.where(inside, own, divisions[subset.divider].n_codes).astype(
                np.int16
            )  # outside of every level
        return replace(units, codes={**units.codes, subset.text: codes})

    return Ledger(
        extended(ledger.gold), tuple(replace(run, pred=extended(run.pred)) for run in ledger.runs)
    )


def _holds(
    node: Node, units: Units, divisions: Mapping[str, Division], types: tuple[str, ...]
) -> Bools:
    if node.kind == "test":
        if node.name == "type":
            return np.equal(units.type, types.index(node.level))
        if node.name == "all":
            return np.ones(len(units), bool)
        return np.isin(units.codes[node.name], divisions[node.name].levels[node.level])
    parts = [_holds(part, units, divisions, types) for part in node.parts]
    if node.kind == "not":
        return ~parts[0]
    combine = np.logical_and if node.kind == "and" else np.logical_or
    whole: Bools = combine.reduce(parts)
    return whole
