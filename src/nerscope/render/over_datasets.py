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
    ABOUT_OUTPUTS,
    ABOUT_RECIPES,
    LOSS,
    OTHER,
    PRIMARY,
    TYPES,
    UNDECIDED,
    WHERE,
    Comparison,
    plain_correction,
    standing,
)
from nerscope.results.over_datasets import DatasetsRow
from nerscope.results.protocol import DOMAINS, DRAWN, FIXED, SPLITS
from nerscope.results.rows import Gain, gain_of, or_nan
from nerscope.results.terms import number_words

_MOST_ANSWERS = 6  # of more pairs, only those that differ significantly are named
_UNTESTED = {"p_fixed": "a dataset has no interval"}
# By what datasets are to each other: what is spoken of, whose interval is shown, and which test
# decides, and its name.
_SPOKEN = {
    SPLITS: ("{} of one corpus", "", "p_resampled", "corrected resampled t-test "),
    FIXED: ("these {}", "", "p_fixed", ""),
    DOMAINS: ("these {}", "", "p_fixed", ""),
    DRAWN: ("{} and others like them", "_drawn", "p_drawn", "t-test "),
}


def over_answers(comparison: Comparison) -> list[str]:
    """Is A better than B over all datasets: by their mean, and on how many of them."""
    records = comparison.over_datasets(every=False)
    is_cut = len(records) > _MOST_ANSWERS
    named = [row for row in records if not is_cut or _verdict(row) != UNDECIDED]
    about = _spoken_of(comparison)
    correction = plain_correction(comparison.settings["correction"])
    lines = [
        line
        for row in named
        for line in _answer(row, correction, is_cut, about[row.system_a, row.system_b])
    ]
    undecided = len(records) - len(named)
    return (
        [*lines, f"{undecided} of {len(records)} pairs, over all: no significant difference."]
        if undecided
        else lines
    )


def _verdict(row: DatasetsRow) -> str:
    test = _SPOKEN[row.over][2]
    return standing(row.metric, or_nan(row.difference), getattr(row, f"{test}_corrected"))


def better_text(a: str, b: str, about: str) -> str:
    """Who is better: the method, or only the output that was compared.

    >>> better_text("crf", "lookup", ABOUT_OUTPUTS), better_text("crf", "lookup", ABOUT_RECIPES)
    ("crf's output is better than lookup's", 'crf is better than lookup')
    """
    a, b = named_side(a, about), b if about == ABOUT_RECIPES else f"{b}'s"
    return f"{a} is better than {b}"


def undecided_text(a: str, b: str) -> str:
    return f"no significant difference between {a} and {b}"


def named_side(name: str, about: str) -> str:
    """A system as the subject of a sentence."""
    return name if about == ABOUT_RECIPES else f"{name}'s output"


def _spoken_of(comparison: Comparison) -> dict[tuple[str, str], str]:
    """By pair: whether the answer over datasets is about methods or about outputs alone.

    Each split has its own training run, so that splits are about methods whatever their number
    of runs; of other datasets, each must have several.
    """
    about: dict[tuple[str, str], str] = {}
    are_splits = comparison.protocol is not None and comparison.protocol.are_splits
    for row in comparison.primary:
        is_method = are_splits or (
            row.about == ABOUT_RECIPES and about.get(row.pair) != ABOUT_OUTPUTS
        )
        about[row.pair] = ABOUT_RECIPES if is_method else ABOUT_OUTPUTS
    return about


def _answer(row: DatasetsRow, correction: str, short: bool, about: str) -> list[str]:
    """Who is better on the mean, and then on how many datasets."""
    spoken, suffix, test, name = _SPOKEN[row.over]
    verdict = _verdict(row)
    a, b = _sides(row, verdict)
    who, by = better_text(a, b, about), "better by"
    if verdict == UNDECIDED:
        who, by = undecided_text(a, b), "difference"
    noun = "split" if row.over == SPLITS else "dataset"
    where = spoken.format(plural(len(row.datasets), noun))
    first = (
        f"Over {where}, {who}: {metric_title(row.metric)} {by} {_mean(row, suffix, verdict)} "
        f"on average, {name}{_tested(row, test, correction)}."
    )
    if short or row.refused:
        return [first]
    ours, theirs = (named_side(name, about) for name in (a, b))
    return [first, f"  {_counted(row, ours, theirs, verdict, correction)}"]


def _sides(row: DatasetsRow, verdict: str) -> tuple[str, str]:
    names = (row.system_a, row.system_b)
    return names[::-1] if verdict == LOSS else names


def _mean(row: DatasetsRow, suffix: str, verdict: str) -> str:
    gain = _gain(row, suffix, verdict)
    return f"{points(gain.value, row.metric)}{_interval(row, suffix, verdict)}"


def _gain(row: DatasetsRow, suffix: str, verdict: str) -> Gain:
    """The mean difference in favour of the system that the sentence names first."""
    low, high = getattr(row, f"low{suffix}"), getattr(row, f"high{suffix}")
    gain = gain_of(row.metric, row.difference, low, high)
    return gain.reversed() if verdict == LOSS else gain


def _interval(row: DatasetsRow, suffix: str, verdict: str = UNDECIDED) -> str:
    gain = _gain(row, suffix, verdict)
    if gain.low is None or gain.high is None:
        return ""
    return f" [{points(gain.low, row.metric)}, {points(gain.high, row.metric)}]"


def _tested(row: DatasetsRow, test: str, correction: str) -> str:
    p, corrected = getattr(row, test), getattr(row, f"{test}_corrected")
    if p is None:
        if row.refused:
            return f"not tested ({row.refused}; choose with --datasets)"
        return f"not tested ({_UNTESTED.get(test, 'the differences do not vary')})"
    more = "" if p_text(p) == p_text(corrected) else f" ({correction}: {p_text(corrected)})"
    return f"p {p_words(p)}{more}"


def _counted(row: DatasetsRow, a: str, b: str, verdict: str, correction: str) -> str:
    """On how many datasets the first is better, and the second."""
    counts = ("beats_on", "loses_on") if row.over == SPLITS else ("better_on", "worse_on")
    better, worse = (getattr(row, name) for name in (counts[::-1] if verdict == LOSS else counts))
    total = len(row.datasets)
    if row.over == SPLITS:
        level = f"p ≤ {row.alpha:g}/{total}"
        return f"{a} beats {b} on {better} of {total} splits at {level}, {b} beats {a} on {worse}."
    text = f"{a} is better on at least {better} of {total}, {b} on at least {worse} (95 %)."
    if row.over != DOMAINS:
        return text
    others = _interval(row, "_drawn", verdict).strip() or UNDEFINED
    return f"{text} Over others like them: {others}, {_tested(row, 'p_drawn', correction)}."


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
    _, suffix, test, _ = _SPOKEN[row.over]
    are_splits = row.over == SPLITS
    counts = (row.beats_on, row.loses_on) if are_splits else (row.better_on, row.worse_on)
    better, worse = (UNDEFINED if count is None else count for count in counts)
    others = {} if are_splits else {"p, others like them": p_text(row.p_drawn_corrected)}
    return {
        "splits" if are_splits else "datasets": len(row.datasets),
        "better by": _mean(row, suffix, UNDECIDED),
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
        "better by": _mean(row, "", UNDECIDED),
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
        "better by": _mean(row, "", UNDECIDED),
        "others like them": _interval(row, "_drawn").strip() or UNDEFINED,
        "p, others like them": p_text(row.p_drawn_corrected),
        "A ahead on": row.ahead,
        "B ahead on": row.behind,
        "A better on": UNDEFINED if row.better_on is None else row.better_on,
        "B better on": UNDEFINED if row.worse_on is None else row.worse_on,
        "sign test": p_text(row.p_sign_corrected),
        "Wilcoxon": p_text(row.p_wilcoxon_corrected),
        **_probabilities(row),
    }
