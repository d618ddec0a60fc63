"""Subsets: facets combined with `&`, `|`, `!` and parentheses, such as `tmr & type=ORG`.

A facet without a level divides; `facet=level` and `type=NAME` are conditions. So `tmr & type=ORG`
is the levels of tmr for organisations, and `eLen=XL & tmr=unseen-any` is one subset with the levels
`in` and `out`.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from nerscope.corpus.arrays import Bools
from nerscope.corpus.mentions import explicit_shapes
from nerscope.corpus.units import ALL, MENTION, TOKEN, TYPE
from nerscope.errors import UsageError, suggest
from nerscope.facets.facet import FACETS, fixed_facets
from nerscope.scoring.evidence import Evidence, FacetTable, Ledger, Units
from nerscope.scoring.metrics import MICRO, metric_named

_MAX_TOKEN_PATTERNS = 200  # names and operators in an expression
_LEVEL = r"""\s*=\s*("[^"]*"|'[^']*'|[^\s&|!()=]+)"""
_TOKEN_PATTERN = re.compile(
    rf"\s*(?:(and\b|&&?)|(or\b|\|\|?)|(not\b|!)|(\()|(\))|([^\s&|!()=]+)(?:{_LEVEL})?)",
    re.IGNORECASE,
)


class Node(NamedTuple):
    """A node of a parsed expression: `kind` is "facet", "test", "and", "or" or "not".

    `tmr` is a facet; `type=ORG` is a test with a name and a level; the others have operands.
    """

    kind: str
    name: str = ""
    level: str = ""
    operands: tuple["Node", ...] = ()

    def walk(self) -> Iterator["Node"]:
        """This node and all nodes below it."""
        yield self
        for operand in self.operands:
            yield from operand.walk()


class Subset(NamedTuple):
    """A parsed expression: an optional facet that divides, and an optional condition."""

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
        named = [*([self.divider] if self.divider else []), *tests]
        return [name for name in named if name not in (TYPE, ALL)]

    def types(self) -> list[str]:
        """The types in its condition."""
        nodes = self.condition.walk() if self.condition else ()
        return [node.level for node in nodes if node.kind == "test" and node.name == TYPE]


def parse_subset(text: str) -> Subset:
    """Parse an expression.

    >>> parse_subset("tmr & type=ORG").divider
    'tmr'
    """
    tokens = list(_tokens(text))
    if len(tokens) > _MAX_TOKEN_PATTERNS:
        raise UsageError(
            f"facet '{text[:40]}…'",
            "the expression is too long",
            f"use at most {_MAX_TOKEN_PATTERNS} names and operators",
        )
    node = _parse_or(tokens, text)
    if tokens:
        raise _unreadable(text)
    conjuncts = node.operands if node.kind == "and" else (node,)
    dividers = [part.name for part in conjuncts if part.kind == "facet"]
    conditions = tuple(part for part in conjuncts if part.kind != "facet")
    if len(dividers) > 1 or any(
        inner.kind == "facet" for part in conditions for inner in part.walk()
    ):
        raise UsageError(
            f"facet '{text}'",
            "only one facet may have no level, and only by itself or joined by &",
            "write the others as facet=level, for example tmr=seen",
        )
    for name in dividers:
        if name != ALL and name not in FACETS:
            levels = [
                f"{facet.name}={level}" for facet in fixed_facets() for level in facet.level_codes
            ]
            close = [test for test in levels if test.partition("=")[2] == name]
            FACETS.search()
            if name not in FACETS:
                raise UsageError(
                    f"facet '{name}'",
                    "unknown facet",
                    f"did you mean '{close[0]}'?" if close else suggest(name, FACETS),
                )
    condition = (
        None
        if not conditions
        else conditions[0]
        if len(conditions) == 1
        else Node("and", operands=conditions)
    )
    return Subset(text, dividers[0] if dividers else None, condition)


def _unreadable(text: str) -> UsageError:
    return UsageError(
        f"facet '{text}'",
        "invalid expression",
        "use for example 'tmr', 'tmr & type=ORG' or 'eLen=XL & !tmr=seen'",
    )


class _Token(NamedTuple):
    """A token of an expression: an "atom" with a name and an optional level, or an operator."""

    kind: str
    name: str
    level: str


def _tokens(text: str) -> Iterator[_Token]:
    position = 0
    while position < len(text.rstrip()):
        match = _TOKEN_PATTERN.match(text, position)
        if not match:
            raise _unreadable(text)
        position = match.end()
        kinds = ("and", "or", "not", "(", ")", "atom")
        kind = next(kind for kind, group in zip(kinds, match.groups(), strict=False) if group)
        yield _Token(kind, match[6] or "", _unquoted(match[7] or ""))


def _unquoted(level: str) -> str:
    """A level without the quotes that a blank or an operator in it needs."""
    return level[1:-1] if level[:1] in ("'", '"') else level


# A recursive-descent parser: `or` binds weakest, then `and`, then `not` and parentheses. Each
# function removes its tokens from the front of the list.
def _parse_or(tokens: list[_Token], text: str) -> Node:
    return _parse_chain("or", _parse_and, tokens, text)


def _parse_and(tokens: list[_Token], text: str) -> Node:
    return _parse_chain("and", _parse_operand, tokens, text)


def _parse_chain(
    word: str,
    parse_operand: Callable[[list[_Token], str], Node],
    tokens: list[_Token],
    text: str,
) -> Node:
    """One operand, or several operands joined by `word`."""
    operands = [parse_operand(tokens, text)]
    while tokens and tokens[0].kind == word:
        tokens.pop(0)
        operands.append(parse_operand(tokens, text))
    return operands[0] if len(operands) == 1 else Node(word, operands=tuple(operands))


def _parse_operand(tokens: list[_Token], text: str) -> Node:
    if not tokens:
        raise _unreadable(text)
    kind, name, level = tokens.pop(0)
    if kind == "not":
        return Node("not", operands=(_parse_operand(tokens, text),))
    if kind == "(":
        inner = _parse_or(tokens, text)
        if not tokens or tokens.pop(0).kind != ")":
            raise _unreadable(text)
        return inner
    if kind != "atom":
        raise _unreadable(text)
    return Node("test", name, level) if level else Node("facet", name)


def divide(subset: Subset, evidence: Evidence) -> list[FacetTable]:
    """The table of a subset, in a list; unknown levels and mixed units raise a `UsageError`."""
    by_facet = {table.facet: table for table in evidence.tables if table.facet != ALL}
    tables = [by_facet[name] for name in subset.facets()]
    units = {table.unit for table in tables} or {MENTION}
    if len(units) > 1:
        raise UsageError(
            f"facet '{subset.text}'",
            f"it combines facets of different units ({' and '.join(sorted(units))})",
            "combine facets of the same unit",
        )
    unit = units.pop()
    for node in subset.condition.walk() if subset.condition else ():
        if node.kind == "test":
            _check_level(subset, node, unit, by_facet, evidence.types)
    if subset.divider and subset.divider != ALL:
        return [replace(by_facet[subset.divider], facet=subset.text, title=subset.text)]
    # A condition has the metrics of all mentions, or, for tokens, those of its first facet.
    model = tables[0] if tables and unit != MENTION else _overall(evidence)
    matches = tables[0].matches if tables else model.matches
    levels = {"in": (1,), "out": (0,)} if subset.divider is None else {ALL: (1,)}
    metrics = {match: _plain_metrics(model.metrics[match]) for match in matches}
    return [FacetTable(subset.text, unit, levels, metrics, model.by_type, subset.text)]


def _overall(evidence: Evidence) -> FacetTable:
    return next(table for table in evidence.tables if table.facet == ALL and table.unit == MENTION)


def _check_level(
    subset: Subset,
    node: Node,
    unit: str,
    by_facet: Mapping[str, FacetTable],
    types: tuple[str, ...],
) -> None:
    if node.name == TYPE and unit == TOKEN:
        raise UsageError(
            f"facet '{subset.text}'", "tokens have no type", "use type=NAME with facets of mentions"
        )
    if node.name == ALL:
        known: tuple[str, ...] = (ALL,)
    else:
        known = types if node.name == TYPE else tuple(by_facet[node.name].levels)
    if node.level not in known:
        raise UsageError(
            f"facet '{subset.text}'",
            f"'{node.name}' has no level '{node.level}'",
            suggest(node.level, known),
        )


def _plain_metrics(names: Sequence[str]) -> tuple[str, ...]:
    """The metrics that are defined inside and outside a condition."""
    metrics = [(name, metric_named(name)) for name in names]
    return tuple(
        name for name, metric in metrics if metric.average == MICRO and not metric.is_over_levels
    )


def no_metric() -> UsageError:
    return UsageError(
        "metrics",
        "no requested facet or match has any of them",
        "choose other metrics, facets or matches",
    )


def with_subsets(evidence: Evidence, subsets: Sequence[Subset]) -> Evidence:
    """The evidence with the given facets and subsets, and the tables of all units.

    Folded evidence is already divided, because sums are not divisible. Only the types in its
    subsets are checked here, since all types are known only after everything is read.
    """
    if evidence.folded is not None:
        for subset in subsets:
            for name in subset.types():
                _check_level(subset, Node("test", TYPE, name), MENTION, {}, evidence.types)
        return evidence
    tables = [table for table in evidence.tables if table.facet == ALL]
    ledgers = dict(evidence.ledgers)
    # A facet without any of the chosen metrics has no table, and nor have its subsets.
    measured = {table.facet for table in evidence.tables if table.facet != ALL}
    measured |= {ALL for table in evidence.tables if table.facet == ALL and table.unit == MENTION}
    for subset in subsets:
        if not measured.issuperset(subset.facets() or [ALL]):
            continue
        plain = [table for table in evidence.tables if table.facet == subset.text]
        tables += plain or divide(subset, evidence)
        if not plain:
            unit = tables[-1].unit
            ledgers[unit] = _with_subset(ledgers[unit], subset, evidence)
    if not any(names for table in tables for names in table.metrics.values()):
        raise no_metric()
    return replace(evidence, ledgers=ledgers, tables=tuple(tables))


def with_alignment(evidence: Evidence, table: FacetTable) -> Evidence:
    """The evidence divided by alignment: whether mentions were realigned.

    Runs without alignment were scored without this facet; this adds their codes.
    """

    def divided(units: Units) -> Units:
        shapes = explicit_shapes(units.shape, len(units))
        codes = np.array([not shape.is_aligned for shape in shapes], np.int8)
        return replace(units, codes={**units.codes, table.facet: codes})

    ledger = evidence.ledgers[MENTION]
    runs = tuple(replace(run, pred=divided(run.pred)) for run in ledger.runs)
    others = [other for other in evidence.tables if other.facet != table.facet]
    return replace(
        evidence,
        ledgers={**evidence.ledgers, MENTION: Ledger(divided(ledger.gold), runs)},
        tables=(*others, table),
    )


def _with_subset(ledger: Ledger, subset: Subset, evidence: Evidence) -> Ledger:
    """The ledger with the codes of the subset as a new column."""
    by_facet = {table.facet: table for table in evidence.tables}
    divider = None if subset.divider in (None, ALL) else by_facet[str(subset.divider)]

    def extended(units: Units) -> Units:
        inside = (
            _holds(subset.condition, units, by_facet, evidence.types)
            if subset.condition
            else np.ones(len(units), bool)
        )
        if divider is None:
            codes = inside.astype(np.int8)
        else:  # units outside the condition get a code that no level has
            level_codes = units.codes[divider.facet]
            codes = np.where(inside, level_codes, divider.n_codes).astype(np.int16)
        return replace(units, codes={**units.codes, subset.text: codes})

    runs = tuple(replace(run, pred=extended(run.pred)) for run in ledger.runs)
    return Ledger(extended(ledger.gold), runs)


def _holds(
    node: Node, units: Units, by_facet: Mapping[str, FacetTable], types: tuple[str, ...]
) -> Bools:
    if node.kind == "test":
        if node.name == TYPE:
            return np.equal(units.type, types.index(node.level))
        if node.name == ALL:
            return np.ones(len(units), bool)
        return np.isin(units.codes[node.name], by_facet[node.name].levels[node.level])
    operands = [_holds(operand, units, by_facet, types) for operand in node.operands]
    if node.kind == "not":
        return ~operands[0]
    combine = np.logical_and if node.kind == "and" else np.logical_or
    combined: Bools = combine.reduce(operands)
    return combined
