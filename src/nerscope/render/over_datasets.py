"""What a comparison says over several datasets: a sentence for each pair, and tables."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from nerscope.errors import plural
from nerscope.render.document import (
    UNDEFINED,
    Cell,
    Table,
    format_value,
    metric_title,
    p_text,
    p_words,
    points,
    records_table,
)
from nerscope.results.compare import (
    ABOUT_RECIPES,
    OTHER,
    PRIMARY,
    TYPES,
    WHERE,
    Comparison,
    plain_correction,
)
from nerscope.results.over_datasets import DatasetsRow
from nerscope.results.pair_verdicts import WORSE, PairVerdict, verdicts_over_datasets
from nerscope.results.protocol import DECIDING, DOMAINS, DRAWN, FIXED, SPLITS, DecidingTest
from nerscope.results.rows import Gain, gain_of
from nerscope.results.terms import number_words

_MOST_ANSWERS = 6  # of more pairs, only those that differ significantly are named
# By the relation between datasets: what an answer is about, and the name of the test.
_SPOKEN = {
    SPLITS: ("{} of one corpus", "corrected resampled t-test "),
    FIXED: ("these {}", ""),
    DOMAINS: ("these {}", ""),
    DRAWN: ("{} and others like them", "t-test "),
}


def over_answers(comparison: Comparison) -> list[str]:
    """Is A better than B over all datasets: by their mean, and on how many of them."""
    verdicts = verdicts_over_datasets(comparison)
    is_cut = len(verdicts) > _MOST_ANSWERS
    named = [verdict for verdict in verdicts if not is_cut or verdict.is_decided]
    correction = plain_correction(comparison.settings["correction"])
    lines = list[str]()
    for verdict in named:
        lines.append(over_answer(verdict, correction))
        if not is_cut and not _row_of(verdict).refused:
            lines.append(f"  {counted_answer(verdict, correction)}")
    undecided = len(verdicts) - len(named)
    return (
        [*lines, f"{undecided} of {len(verdicts)} pairs, over all: no significant difference."]
        if undecided
        else lines
    )


def _row_of(verdict: PairVerdict) -> DatasetsRow:
    assert isinstance(verdict.row, DatasetsRow)
    return verdict.row


def better_text(a: str, b: str, about: str) -> str:
    """Who is better: the method, or only the output that was compared.

    >>> better_text("crf", "lookup", "outputs"), better_text("crf", "lookup", "recipes")
    ("crf's output is better than lookup's", 'crf is better than lookup')
    """
    a, b = named_side(a, about), b if about == ABOUT_RECIPES else f"{b}'s"
    return f"{a} is better than {b}"


def undecided_text(a: str, b: str) -> str:
    return f"no significant difference between {a} and {b}"


def named_side(name: str, about: str) -> str:
    """A system as the subject of a sentence."""
    return name if about == ABOUT_RECIPES else f"{name}'s output"


def over_answer(verdict: PairVerdict, correction: str) -> str:
    """Which system is better on the mean over datasets, by how much, and the test."""
    row = _row_of(verdict)
    spoken, name = _SPOKEN[row.over]
    a, b = verdict.order
    who, by = undecided_text(a, b), "difference"
    if verdict.is_decided:
        who, by = better_text(a, b, verdict.about), "better by"
    noun = "split" if row.over == SPLITS else "dataset"
    where = spoken.format(plural(len(row.datasets), noun))
    return (
        f"Over {where}, {who}: {metric_title(row.metric)} {by} "
        f"{_gain_text(verdict.gain, row.metric)} on average, "
        f"{name}{_tested(row, DECIDING[row.over], correction)}."
    )


def _mean(row: DatasetsRow) -> str:
    """The mean difference in favour of A, with the interval of the test that decides."""
    deciding = DECIDING[row.over]
    low, high = getattr(row, deciding.low), getattr(row, deciding.high)
    return _gain_text(gain_of(row.metric, row.difference, low, high), row.metric)


def _gain_text(gain: Gain, metric: str) -> str:
    return f"{points(gain.value, metric)}{_interval(gain, metric)}"


def _interval(gain: Gain, metric: str) -> str:
    if gain.low is None or gain.high is None:
        return ""
    return f" [{points(gain.low, metric)}, {points(gain.high, metric)}]"


def _others(row: DatasetsRow) -> Gain:
    """The difference in favour of A, with the interval for other datasets like these."""
    return gain_of(row.metric, row.difference, row.low_drawn, row.high_drawn)


def _tested(row: DatasetsRow, test: DecidingTest, correction: str) -> str:
    p, corrected = getattr(row, test.p), getattr(row, f"{test.p}_corrected")
    if p is None:
        reason = f"{row.refused}; choose with --datasets" if row.refused else test.untested
        return f"not tested ({reason})"
    more = "" if p_text(p) == p_text(corrected) else f" ({correction}: {p_text(corrected)})"
    return f"p {p_words(p)}{more}"


def counted_answer(verdict: PairVerdict, correction: str) -> str:
    """On how many datasets each system is better."""
    row, is_loss = _row_of(verdict), verdict.verdict == WORSE
    a, b = (named_side(name, verdict.about) for name in verdict.order)
    counts = ("beats_on", "loses_on") if row.over == SPLITS else ("better_on", "worse_on")
    better, worse = (getattr(row, name) for name in (counts[::-1] if is_loss else counts))
    total = len(row.datasets)
    if row.over == SPLITS:
        level = f"p ≤ {row.alpha:g}/{total}"
        return f"{a} beats {b} on {better} of {total} splits at {level}, {b} beats {a} on {worse}."
    text = f"{a} is better on at least {better} of {total}, {b} on at least {worse} (95 %)."
    if row.over != DOMAINS:
        return text
    gain = _others(row).reversed() if is_loss else _others(row)
    others = _interval(gain, row.metric).strip() or UNDEFINED
    return f"{text} Over others like them: {others}, {_tested(row, DECIDING[DRAWN], correction)}."


def over_datasets_tables(comparison: Comparison) -> list[Table]:
    """The same as tables, every cell if cells were chosen, and the mean ranks."""
    every = comparison.over_datasets()
    correction = plain_correction(comparison.settings["correction"])
    records = [row for row in every if row.family == PRIMARY]
    split_rows = [row for row in records if row.over == SPLITS]
    tables = []
    if records:
        noun = plural(split_rows[0].splits or 0, "split") if split_rows else "datasets"
        title = f"Over {noun}: {metric_title(records[0].metric)}"
        rows = [_split_record(row) if split_rows else _dataset_record(row) for row in records]
        notes = _notes(split_rows, correction) + _run_notes(records) + _rope_notes(records)
        optional = ("A ahead on", "B ahead on") if split_rows else ()
        tables.append(replace(records_table(title, rows, notes), labels=2, optional=optional))
    tables += _cell_tables([row for row in every if row.family != PRIMARY], correction)
    ranks = comparison.ranks()
    if len(ranks) > 2:
        shown = [{"system": row.system, "mean rank": f"{row.rank:.2f}"} for row in ranks]
        noun = "split" if split_rows else "dataset"
        tables.append(records_table(f"Mean rank over {plural(ranks[0]['datasets'], noun)}", shown))
    return tables


def _cell_tables(records: Sequence[DatasetsRow], correction: str) -> list[Table]:
    """Every other cell over datasets."""
    if not records:
        return []
    noun = "splits" if records[0].over == SPLITS else "datasets"
    sizes = Counter(row.family for row in records)
    counts = ", ".join(f"{size} in {_FAMILIES[family]}" for family, size in sizes.items())
    notes = [
        f"p corrected ({correction}) over all cells and pairs of a family: {counts}",
        *_run_notes(records),
        *_rope_notes(records),
        *dict.fromkeys(f"not tested: {row.refused}" for row in records if row.refused),
    ]
    header = ("number", "A", "B", *_cell_numbers(records[0], correction))
    body = tuple(_cell_line(row, correction) for row in records)
    return [Table(f"Over {noun}: every number", header, body, tuple(notes), labels=3)]


_FAMILIES = {WHERE: "levels", TYPES: "types", OTHER: "others"}


def _cell_line(row: DatasetsRow, correction: str) -> tuple[Cell, ...]:
    words = number_words(row.facet, row.level, row.type, row.match, row.metric)
    numbers = _cell_numbers(row, correction).values()
    return (
        Cell(words.phrase, code=words.code),
        Cell(row.system_a),
        Cell(row.system_b),
        *(Cell(format_value(number)) for number in numbers),
    )


def _cell_numbers(row: DatasetsRow, correction: str) -> dict[str, object]:
    test = DECIDING[row.over].p
    are_splits = row.over == SPLITS
    counts = (row.beats_on, row.loses_on) if are_splits else (row.better_on, row.worse_on)
    better, worse = (UNDEFINED if count is None else count for count in counts)
    others = {} if are_splits else {"p, others like them": p_text(row.p_drawn_corrected)}
    return {
        "splits" if are_splits else "datasets": len(row.datasets),
        "better by": _mean(row),
        "p": p_text(getattr(row, test)),
        "corrected p": p_text(getattr(row, f"{test}_corrected")),
        **others,
        "A better on": better,
        "B better on": worse,
        **_probabilities(row),
    }


def _probabilities(row: DatasetsRow) -> dict[str, str]:
    """With a region of practical equivalence: how likely each answer is."""
    if row.rope is None:
        return {}
    named = {
        "P(A better)": row.probability_better,
        "P(equivalent)": row.probability_equivalent,
        "P(B better)": row.probability_worse,
    }
    return {name: UNDEFINED if share is None else f"{share:.3f}" for name, share in named.items()}


def _rope_notes(records: Sequence[DatasetsRow]) -> list[str]:
    if not records or records[0].rope is None:
        return []
    row = records[0]
    test = "correlated t-test" if row.over == SPLITS else "signed-rank test"
    shared = " of these runs" if any(row.share_runs for row in records) else ""
    within = "1 point" if row.rope == 1 else f"{row.rope:g} points"
    return [f"P: Bayesian {test}{shared}; equivalent: a difference of at most {within}"]


def _notes(split_rows: Sequence[DatasetsRow], correction: str) -> list[str]:
    if split_rows:
        row = split_rows[0]
        return [
            "Splits share sentences: interval and p are those of the corrected resampled t-test, "
            f"with {row.ratio:g} test sentences per training sentence; p corrected ({correction}).",
            f"A better on, B better on: splits with p ≤ {row.alpha:g} / number of splits",
        ]
    return [
        "better by: mean over these datasets; others like them: Student's t-test",
        "A better on: at least so many datasets, with 95 % confidence (partial conjunction)",
        f"p of others like them, sign test, Wilcoxon: p over datasets, corrected ({correction})",
    ]


def _run_notes(records: Sequence[DatasetsRow]) -> list[str]:
    if not any(row.share_runs for row in records):
        return []
    return [
        "The same trained models may have been tested on several datasets, so training noise "
        "counts once for all of them. Sign test and Wilcoxon are not defined; A better on uses "
        "Bonferroni."
    ]


def _split_record(row: DatasetsRow) -> dict[str, object]:
    return {
        "A": row.system_a,
        "B": row.system_b,
        "better by": _mean(row),
        "corrected p": p_text(row.p_resampled_corrected),
        "A ahead on": row.ahead,
        "B ahead on": row.behind,
        "A better on": row.beats_on,
        "B better on": row.loses_on,
        **_probabilities(row),
    }


def _dataset_record(row: DatasetsRow) -> dict[str, object]:
    return {
        "A": row.system_a,
        "B": row.system_b,
        "datasets": len(row.datasets),
        "better by": _mean(row),
        "others like them": _interval(_others(row), row.metric).strip() or UNDEFINED,
        "p, others like them": p_text(row.p_drawn_corrected),
        "A ahead on": row.ahead,
        "B ahead on": row.behind,
        "A better on": UNDEFINED if row.better_on is None else row.better_on,
        "B better on": UNDEFINED if row.worse_on is None else row.worse_on,
        "sign test": p_text(row.p_sign_corrected),
        "Wilcoxon": p_text(row.p_wilcoxon_corrected),
        **_probabilities(row),
    }
