"""Wrong tokens at the levels of token facets, such as `hard=diff-E`, with their sentences."""

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from nerscope.corpus.schemes import OUTSIDE_LABEL
from nerscope.corpus.units import ALL, TOKEN
from nerscope.errors import InputError, UsageError, suggest
from nerscope.results.errors import LevelledRow, MentionSide, check_system, gold_side, run_side
from nerscope.results.results import Results
from nerscope.scoring.evidence import TOKEN_JOIN, Evidence, Units


@dataclass(frozen=True, slots=True, eq=False)
class TokenRow(LevelledRow):
    """A token with a wrong label in one run."""

    dataset: str
    system: str
    run: str
    token: str
    position: int  # in the sentence, from 0
    gold: str  # BILOU labels; O means no mention
    predicted: str
    levels: dict[str, str]  # by token facet
    sentence: str
    tokens: list[str]
    place: str


def token_facets(results: Results) -> dict[str, list[str]]:
    """The levels of each token facet in the results."""
    return {
        table.facet: list(table.levels)
        for part in results.evidence
        for table in part.tables
        if table.unit == TOKEN and table.facet != ALL and part.folded is None
    }


def token_mistakes(
    results: Results,
    facets: Sequence[str] = (),
    *,
    system: str | None = None,
    text: str | None = None,
    sample: int | None = None,
    seed: int = 0,
) -> tuple[list[TokenRow], int]:
    """The wrong tokens that are at all of these levels (FACET=LEVEL), and their total number.
    Errors are those that token error rates count.

    >>> from nerscope import evaluate
    >>> train = [(["Leeds", "won"], ["B-ORG", "O"])]
    >>> gold = [(["in", "Leeds"], ["O", "B-LOC"])]
    >>> results = evaluate(gold, {"s": [["O", "B-ORG"]]}, train=train)
    >>> [row], total = token_mistakes(results, ["hard=diff-E"])
    >>> row.token, row.gold, row.predicted
    ('Leeds', 'U-LOC', 'U-ORG')
    """
    check_system(results, system)
    known = token_facets(results)
    for facet in facets:
        name, _, level = facet.partition("=")
        choices = known.get(name, known)
        if name not in known or level not in known[name]:
            wrong = level if name in known else name
            raise UsageError(
                f"--facet {facet}", "it is not in the results", suggest(wrong, list(choices))
            )
    everything = [row for part in results.evidence for row in _rows(part, system)]
    chosen = [
        row
        for row in everything
        if (text is None or text.lower() in row.token.lower())
        and all(_is_at(row, *facet.split("=", 1)) for facet in facets)
    ]
    if sample is not None and sample < len(chosen):
        chosen = [chosen[k] for k in sorted(random.Random(seed).sample(range(len(chosen)), sample))]
    return chosen, len(everything)


def _is_at(row: TokenRow, facet: str, level: str) -> bool:
    return level in row.levels.get(facet, "").split()


def _rows(evidence: Evidence, system: str | None) -> Iterator[TokenRow]:
    if TOKEN not in evidence.ledgers:
        return
    if evidence.texts is None:
        raise InputError(
            evidence.dataset, "the results keep no texts", "evaluate again without --no-text"
        )
    gold = _Labels(gold_side(evidence))
    for place, (name, run) in enumerate(evidence.runs):
        wrong = evidence.ledgers[TOKEN].runs[place].pred
        if system not in (None, name) or wrong.start is None:
            continue
        predicted = _Labels(run_side(evidence, place))
        for at, (sentence, position) in enumerate(
            zip(wrong.sentence.tolist(), wrong.start.tolist(), strict=True)
        ):
            tokens = evidence.texts[sentence].split(TOKEN_JOIN)
            yield TokenRow(
                dataset=evidence.dataset,
                system=name,
                run=run,
                token=tokens[position],
                position=position,
                gold=gold.at(sentence, position),
                predicted=predicted.at(sentence, position),
                levels=_levels(evidence, wrong, at),
                sentence=" ".join(tokens),
                tokens=tokens,
                place=evidence.where(sentence, position),
            )


def _levels(evidence: Evidence, units: Units, at: int) -> dict[str, str]:
    return {
        table.facet: " ".join(
            level
            for level, codes in table.levels.items()
            if int(units.codes[table.facet][at]) in codes
        )
        for table in evidence.tables
        if table.unit == TOKEN and table.facet in units.codes
    }


class _Span(NamedTuple):
    start: int
    end: int
    type: str


class _Labels:
    """The BILOU labels of one side, looked up by sentence and token."""

    def __init__(self, side: MentionSide) -> None:
        self._spans: dict[int, list[_Span]] = {}
        for at, sentence in enumerate(side.units.sentence.tolist()):
            self._spans.setdefault(sentence, []).append(_Span(*side.span(at), side.type(at)))

    def at(self, sentence: int, position: int) -> str:
        for start, end, type_ in self._spans.get(sentence, ()):
            if start <= position < end:
                first, last = position == start, position == end - 1
                letter = "U" if first and last else "B" if first else "L" if last else "I"
                return f"{letter}-{type_}"
        return OUTSIDE_LABEL
