"""What a comparison says over several datasets: in a sentence a pair, and in tables."""

from collections.abc import Mapping, Sequence
from typing import Any

from nerscope.errors import plural
from nerscope.render.document import UNDEFINED, Table, p_text, p_words, points, table_of
from nerscope.results.compare import LOSS, UNDECIDED, Comparison, standing
from nerscope.results.protocol import DOMAINS, DRAWN, FIXED, SPLITS

_MOST_ANSWERS = 12  # of more pairs, only those that are decided are named
_Record = Mapping[str, Any]
_UNTESTED = {"p_fixed": "a dataset has no interval"}
# By what datasets are to each other: what is spoken of, whose interval is shown, and which test
# decides, and its name.
_SPOKEN = {
    SPLITS: ("{} of one corpus", "", "p_resampled", "corrected resampled t-test "),
    FIXED: ("these {}", "", "p_fixed", ""),
    DOMAINS: ("these {}", "", "p_fixed", ""),
    DRAWN: ("{} and others like them", "_drawn", "p_drawn", "t-test "),
}


def over_answers(found: Comparison) -> list[str]:
    """Is A better than B over all datasets: by their mean, and on how many of them."""
    records = found.over_datasets()
    many = len(records) > _MOST_ANSWERS
    named = [one for one in records if not many or _verdict(one) != UNDECIDED]
    lines = [line for one in named for line in _answer(one, found.settings["correction"], many)]
    rest = len(records) - len(named)
    return [*lines, f"{rest} of {len(records)} pairs, over all: undecided"] if rest else lines


def _verdict(one: _Record) -> str:
    test = _SPOKEN[one["over"]][2]
    return standing(one["metric"], one["difference"], one[f"{test}_corrected"])


def _answer(one: _Record, correction: str, short: bool) -> list[str]:
    """Who is better on the mean, and then on how many datasets."""
    spoken, suffix, test, name = _SPOKEN[one["over"]]
    verdict = _verdict(one)
    a, b = _sides(one, verdict)
    who = f"{a} and {b}: undecided" if verdict == UNDECIDED else f"{a} is better than {b}"
    noun = "split" if one["over"] == SPLITS else "dataset"
    where = spoken.format(plural(len(one["datasets"]), noun))
    first = (
        f"over {where}, {who}: mean difference of {one['metric']} "
        f"{_mean(one, suffix, verdict)}, {name}{_tested(one, test, correction)}"
    )
    return [first] if short else [first, f"  {_counted(one, a, b, verdict, correction)}"]


def _sides(one: _Record, verdict: str) -> tuple[str, str]:
    names = (one["system_a"], one["system_b"])
    return names[::-1] if verdict == LOSS else names


def _mean(one: _Record, suffix: str, verdict: str) -> str:
    sign = -1 if verdict == LOSS else 1
    mean = points(sign * one["difference"], one["metric"])
    return f"{mean}{_interval(one, suffix, sign)}"


def _interval(one: _Record, suffix: str, sign: int = 1) -> str:
    bounds = [one[f"low{suffix}"], one[f"high{suffix}"]][::sign]
    if None in bounds:
        return ""
    low, high = (points(sign * bound, one["metric"]) for bound in bounds)
    return f" [{low}, {high}]"


def _tested(one: _Record, test: str, correction: str) -> str:
    p, corrected = one[test], one[f"{test}_corrected"]
    if p is None:
        return f"not tested ({_UNTESTED.get(test, 'the differences do not vary')})"
    more = "" if p_text(p) == p_text(corrected) else f" ({correction}: {p_text(corrected)})"
    return f"p {p_words(p)}{more}"


def _counted(one: _Record, a: str, b: str, verdict: str, correction: str) -> str:
    """On how many datasets the first is better, and the second."""
    counts = ("beats_on", "loses_on") if one["over"] == SPLITS else ("better_on", "worse_on")
    better, worse = (one[name] for name in (counts[::-1] if verdict == LOSS else counts))
    whole = len(one["datasets"])
    if one["over"] == SPLITS:
        level = f"p ≤ {one['alpha']:g}/{whole}"
        return f"{a} beats {b} on {better} of {whole} splits at {level}, {b} beats {a} on {worse}"
    said = f"{a} is better on at least {better} of {whole}, {b} on at least {worse} (95 %)"
    if one["over"] != DOMAINS:
        return said
    sign = -1 if verdict == LOSS else 1
    others = _interval(one, "_drawn", sign).strip() or UNDEFINED
    return f"{said}; over others like them, {others}, {_tested(one, 'p_drawn', correction)}"


def over_datasets_tables(found: Comparison) -> list[Table]:
    """The same as tables, and the mean ranks."""
    records, correction = found.over_datasets(), found.settings["correction"]
    splits = [one for one in records if one["over"] == SPLITS]
    tables = []
    if records:
        noun = "splits" if splits else "datasets"
        title = f"Over {noun}: {records[0]['metric']}"
        rows = [_split_record(one) if splits else _dataset_record(one) for one in records]
        tables.append(table_of(title, rows, _notes(splits, correction)))
    ranks = found.ranks()
    if len(ranks) > 2:
        shown = [{"system": one["system"], "mean rank": f"{one['rank']:.2f}"} for one in ranks]
        noun = "split" if splits else "dataset"
        tables.append(table_of(f"Mean rank over {plural(ranks[0]['datasets'], noun)}", shown))
    return tables


def _notes(splits: Sequence[_Record], correction: str) -> list[str]:
    if splits:
        one = splits[0]
        return [
            "splits share sentences: interval and p are those of the corrected resampled t-test, "
            f"with {one['ratio']:g} test sentences for one of training; p corrected ({correction})",
            f"beats on, loses on: splits with p of at most {one['alpha']:g} by their number",
        ]
    return [
        "mean difference: for these datasets; drawn: for others like them, Student's t-test",
        "better on: at least so many datasets, with 95 % confidence (partial conjunction); "
        f"drawn p, sign and Wilcoxon: p over datasets, corrected ({correction})",
    ]


def _split_record(one: _Record) -> dict[str, Any]:
    return {
        "A": one["system_a"],
        "B": one["system_b"],
        "splits": one["splits"],
        "mean difference": _mean(one, "", UNDECIDED),
        "p": p_text(one["p_resampled_corrected"]),
        "ahead": one["ahead"],
        "behind": one["behind"],
        "beats on": one["beats_on"],
        "loses on": one["loses_on"],
    }


def _dataset_record(one: _Record) -> dict[str, Any]:
    return {
        "A": one["system_a"],
        "B": one["system_b"],
        "datasets": len(one["datasets"]),
        "mean difference": _mean(one, "", UNDECIDED),
        "drawn": _interval(one, "_drawn").strip() or UNDEFINED,
        "drawn p": p_text(one["p_drawn_corrected"]),
        "ahead": one["ahead"],
        "behind": one["behind"],
        "better on": one["better_on"],
        "worse on": one["worse_on"],
        "sign": p_text(one["p_sign_corrected"]),
        "Wilcoxon": p_text(one["p_wilcoxon_corrected"]),
    }
