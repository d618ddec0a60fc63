"""Whether A is better than B, in sentences."""

from collections.abc import Mapping
from typing import Any

from nerscope.errors import plural
from nerscope.render.document import metric_title, p_text, p_words, points, score
from nerscope.render.over_datasets import better_text, over_answers, undecided_text
from nerscope.results.compare import (
    ABOUT_OUTPUTS,
    ABOUT_RECIPES,
    FEW_CLUSTERS,
    MOST_UNPOOLED,
    Comparison,
    is_significant,
)
from nerscope.results.pair_verdicts import PairVerdict, dataset_verdict
from nerscope.results.rows import ComparisonRow, Gain, or_nan, scale_of
from nerscope.scoring.cluster_units import is_crossed, unit_noun, units_in_words

MOST_ANSWERS = 4  # pairs with a sentence each; of more, a table names those that differ
_LOW_POWER = 0.5  # below it, significant answers say how far they may mislead
_ALLOWS_FOR_RUNS = "interval and p allow for other training runs"
_SCOPE = {
    ABOUT_OUTPUTS: "these outputs, not about other training runs",
    ABOUT_RECIPES: f"the methods: {_ALLOWS_FOR_RUNS}",
}


def answers(comparison: Comparison) -> list[str]:
    """Sentences on each pair: over all datasets, then on each dataset.

    Splits of one corpus are not answered one by one: together they are one question.
    """
    over = over_answers(comparison)
    if over and comparison.protocol and comparison.protocol.are_splits:
        return [*over, _splits_scope(comparison)]
    return [*over, *_each_answer(comparison)]


def decided_pairs(comparison: Comparison) -> list[ComparisonRow]:
    """The primary rows of pairs that differ significantly."""
    return [row for row in comparison.primary if is_significant(row.p_corrected)]


def tested_pairs(comparison: Comparison) -> list[ComparisonRow]:
    """The primary rows that have a difference at all."""
    return [row for row in comparison.primary if row.difference is not None]


def _each_answer(comparison: Comparison) -> list[str]:
    """The answers of single datasets; many pairs are left to a table."""
    tested = tested_pairs(comparison)
    if not tested:
        return []
    if len(tested) > MOST_ANSWERS:
        undecided = len(tested) - len(decided_pairs(comparison))
        return [
            f"{undecided} of {plural(len(tested), 'pair')}: no significant difference.",
            scope_line(comparison),
        ]
    several = len({row.dataset for row in comparison.rows}) > 1
    lines = list[str]()
    for row in tested:
        place = f"{row.dataset}: " if several else ""
        lines.append(f"{place}{answer(dataset_verdict(row), comparison.settings)}")
        lines.append(f"  {_conditions(row, comparison.settings)}")
        lines += [f"  {line}" for line in _misleading(row)]
    return lines


def answer(verdict: PairVerdict, settings: Mapping[str, Any]) -> str:
    """Which system is better, by how much, and the test; the better one is named first."""
    row, metric = _row_of(verdict), verdict.metric
    first, second = (score(value, metric) for value in verdict.scores)
    by = "better by" if verdict.is_decided else "difference"  # without a winner, only a difference
    return (
        f"{_verdict_text(verdict, settings)}: {metric_title(metric)} {first} against {second}, "
        f"{by} {_gain_text(verdict.gain, metric)}, {_tested(row)}, n = {row.n:,}."
    )


def _row_of(verdict: PairVerdict) -> ComparisonRow:
    assert isinstance(verdict.row, ComparisonRow)
    return verdict.row


def short_answer(row: ComparisonRow) -> str:
    """The same in one line, for a screen that shows the scores already."""
    verdict = dataset_verdict(row)
    shown = f"{_gain_text(verdict.gain, row.metric)}, {_tested(row)}"
    if verdict.is_decided:
        return f"{better_text(*verdict.order, row.about)} by {shown}"
    return f"{undecided_text(*verdict.order)}: {shown}"


def _gain_text(gain: Gain, metric: str) -> str:
    """A gain in points, with its interval."""
    unit = " points" if scale_of(metric) == 100 else ""
    bounds = ""
    if gain.low is not None and gain.high is not None:
        bounds = f" [{points(gain.low, metric)}, {points(gain.high, metric)}]"
    return f"{points(gain.value, metric)}{unit}{bounds}"


def _verdict_text(verdict: PairVerdict, settings: Mapping[str, Any]) -> str:
    equivalent = is_significant(_row_of(verdict).p_equivalent)
    within = f"equivalent within {_plain_points(float(settings.get('margin', 0)))}"
    a, b = verdict.order
    if verdict.is_decided:
        text = better_text(a, b, verdict.about)
        return f"{text}, though {within}" if equivalent else text
    if equivalent:
        return f"{a} and {b} are {within}"
    text = undecided_text(a, b)
    return f"{text[:1].upper()}{text[1:]}"


def _tested(row: ComparisonRow) -> str:
    """The p-values of an answer: plain, corrected if that differs, and of equivalence."""
    if row.p is None:
        text = f"not tested ({row.untested})"
    else:
        text = f"p {p_words(row.p)}"
        if p_text(row.p) != p_text(row.p_corrected):
            text += f" (corrected: {p_text(row.p_corrected)})"
    if row.p_equivalent is not None:
        text += f", p of equivalence {p_words(row.p_equivalent)}"
    return text


def _conditions(row: ComparisonRow, settings: Mapping[str, Any]) -> str:
    """What an answer rests on: clusters that differ, runs, the detectable difference."""
    noun = "cluster" if "+" in settings["resample"] else unit_noun(settings["resample"])
    units = plural(row.clusters, noun).partition(" ")[2]  # "3 documents" gives "documents"
    units = f"groups of {units}" if row.clusters > MOST_UNPOOLED else units
    verb = "differs" if row.differing == 1 else "differ"
    facts = [
        _row_scope(row),
        f"{row.differing:,} of {row.clusters:,} {units} with mentions {verb}.",
    ]
    if is_crossed(settings["resample"]):
        facts.append("Mentions with the same text are a cluster, too.")
    if row.clusters < FEW_CLUSTERS:
        facts.append(f"Rough: fewer than {FEW_CLUSTERS} {units}.")
    least, scale = row.detectable, scale_of(row.metric)
    if least is not None:
        size = f"a true difference of {scale * least:.2f}" + (" points" if scale == 100 else "")
        shown = size if least < 1 or scale == 1 else "no true difference"
        facts.append(f"This test set detects {shown} with 80 % power.")
    return " ".join(facts)


def _row_scope(row: ComparisonRow) -> str:
    if row.runs_a is None or row.runs_b is None:
        return f"About {_SCOPE[row.about]}."
    runs = f"{len(row.runs_a)} and {len(row.runs_b)} runs"
    return f"About the methods ({runs}): {_ALLOWS_FOR_RUNS}."


def scope_line(comparison: Comparison) -> str:
    """What the answers are about, and what is resampled, in one line."""
    kinds = sorted({row.about for row in comparison.primary}, reverse=True)
    units = units_in_words(comparison.settings["resample"])
    return f"About {'; about '.join(_SCOPE[kind] for kind in kinds)}. Resampled: {units}."


def _splits_scope(comparison: Comparison) -> str:
    """The same over splits: whatever the number of runs, each split was trained on its own."""
    units = units_in_words(comparison.settings["resample"])
    return (
        "About the methods, trained and tested on such a corpus: each split has its own training "
        f"run. Resampled for the p of a split: {units}."
    )


def _misleading(row: ComparisonRow) -> list[str]:
    """How far a significant answer may mislead, where the test rarely finds a plausible difference.

    Errors of type S and type M (Gelman and Carlin 2014).
    """
    power, size = row.plausible_power, row.exaggeration
    if power is None or size is None or power >= _LOW_POWER or not is_significant(row.p_corrected):
        return []
    nearest = scale_of(row.metric) * min(abs(or_nan(row.low)), abs(or_nan(row.high)))
    if nearest > or_nan(row.plausible):  # the data rule so small a difference out
        return []
    wrong = f"{100 * or_nan(row.wrong_sign):.2g} %"
    return [
        f"Careful: with a true difference of {_plain_points(or_nan(row.plausible))}, only "
        f"{100 * power:.0f} % of such comparisons would be significant. Those overstate it "
        f"{size:.1f} times on average, and {wrong} of them have the wrong sign."
    ]


def _plain_points(number: float) -> str:
    return f"{number:g} point{'' if number == 1 else 's'}"
