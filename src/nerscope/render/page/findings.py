"""The things to know about results: sentences with a number, chosen by fixed rules.

A rule gives one sentence or none. The first five rules that apply are shown, in the order of
`_RULES`, so the same results always lead to the same sentences. The best system is the one with the
highest mean F1 over datasets.
"""

import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeVar

from nerscope.corpus.units import ALL, MENTION, TYPE
from nerscope.facets.alignment import ALIGNMENT
from nerscope.render.document import metric_title
from nerscope.render.page.columns import records_of
from nerscope.render.page.errors import DatasetErrors
from nerscope.render.page.schema import PageComparison, PageFinding, PageForgiven, PageGain
from nerscope.results.compare import is_significant
from nerscope.results.compare_all import best_system
from nerscope.results.error_sums import wrong_for_all
from nerscope.results.results import Results
from nerscope.results.rows import Row, gain_of, scale_of
from nerscope.results.terms import bucket_ranges, cell_words, level_words, short_phrase
from nerscope.results.weakest import FEWEST_UNITS
from nerscope.scoring.matching import EXACT, leading_match
from nerscope.scoring.metrics import F1, PRECISION, RECALL, leading_metric
from nerscope.scoring.outcomes import HALLUCINATED, KIND_WORDS

_MOST = 5
_LARGE_SHARE = 0.4  # of the errors, in one type
_LARGE_GAP = 0.05  # between precision and recall
_FEWEST_TIMES = 3  # per run, that two types are confused
_SMALLEST_GAIN = 0.005  # of F1, if boundaries are forgiven
Item = TypeVar("Item")
Chosen = dict[str, str | list[str]]


def page_findings(facts: "Facts") -> list[PageFinding]:
    """The first findings whose rules apply: of all datasets, then of each of several."""
    parts = facts.results.evidence
    scopes = [part.dataset for part in parts] if len(parts) > 1 else []
    return [
        *_first_findings(facts, None),
        *(finding for name in scopes for finding in _first_findings(facts.of_dataset(name), name)),
    ]


def _first_findings(facts: "Facts", scope: str | None) -> list[PageFinding]:
    found = (finding for rule in _RULES for finding in [rule(facts)] if finding is not None)
    return [{**finding, "scope": scope} for finding, _ in zip(found, range(_MOST), strict=False)]


@dataclass(frozen=True)
class Facts:
    """The numbers of a page that findings are made of."""

    results: Results
    best: str
    errors: list[DatasetErrors]
    gains: list[PageGain]
    forgiven: list[PageForgiven]
    comparison: PageComparison | None

    def of_dataset(self, name: str) -> "Facts":
        """The facts of one dataset, with its own best system."""
        parts = [part for part in self.results.evidence if part.dataset == name]
        rows = [row for row in self.results.rows if row.dataset == name]
        results = Results(parts, rows=rows)
        return Facts(
            results,
            best_system(results),
            [errors for errors in self.errors if errors.evidence.dataset == name],
            [gain for gain in self.gains if gain["dataset"] == name],
            [row for row in self.forgiven if row["dataset"] == name],
            self.comparison,
        )

    @cached_property
    def rows(self) -> list[Row]:
        """The rows of the best system, as means over runs."""
        return [row for row in self.results.rows if row.system == self.best and row.run is None]

    def overall(self, dataset: str, match: str, metric: str) -> Row | None:
        """The number of all mentions."""
        for row in self.rows:
            names = (row.dataset, row.facet, row.type, row.match, row.metric)
            if names == (dataset, ALL, None, match, metric):
                return row
        return None

    @cached_property
    def mention_facets(self) -> set[str]:
        """The facets that divide mentions, without that of mentions outside the text."""
        tables = [table for part in self.results.evidence for table in part.tables]
        return {table.facet for table in tables if table.unit == MENTION} - {ALIGNMENT}

    def phrase(self, dataset: str, facet: str, level: str, type: str | None) -> str:
        """A group of mentions in plain words."""
        interval = bucket_ranges(self.results.evidence).get((dataset, facet, level), "")
        if attribute := short_phrase(facet):
            return f"{attribute} {level_words(facet, level, interval).phrase}"
        return cell_words(facet, level, type, interval).phrase

    def finding(
        self, rule: str, dataset: str, text: str, n: float, chosen: Chosen, section: str = "errors"
    ) -> PageFinding:
        """A finding about the best system that leads to a list."""
        return {
            "rule": rule,
            "scope": None,
            "dataset": dataset,
            "system": self.best,
            "text": f"{dataset}: {text}" if len(self.results.evidence) > 1 else text,
            "n": round(n),
            "link": {"section": section, "chosen": {"d": dataset, **chosen}},
        }


def _biggest_gap(facts: Facts) -> PageFinding | None:
    """The group whose interval is furthest below the overall score of the best system."""
    chosen = _largest(_gaps(facts), lambda gap: gap[0])
    if chosen is None:
        return None
    _, row, overall = chosen
    score, below = _score(row), 100 * ((overall.value or 0.0) - (row.value or 0.0))
    group = facts.phrase(row.dataset, row.facet, row.level, row.type)
    text = f"{facts.best} is weakest on {group}: {score}, {below:.1f} points below overall."
    link = {"system": facts.best, **_group_link(row.facet, row.level, row.type)}
    if row.metric == RECALL:
        link["side"] = "gold"
    return facts.finding("biggest gap", row.dataset, text, row.n, link)


def _gaps(facts: Facts) -> Iterator[tuple[float, Row, Row]]:
    """Groups below the overall score: the lower bound of the gap, and both scores."""
    shown = {
        (part.dataset, table.facet): (match, leading_metric(table.metrics[match]))
        for part in facts.results.evidence
        for table in part.tables
        if table.unit == MENTION and table.facet in facts.mention_facets
        for match in [leading_match(table.matches)]
    }
    for row in facts.rows:
        is_type = row.facet == ALL and row.type is not None
        is_level = row.facet != ALL and row.type is None and row.level not in (ALL, "out")
        is_shown = shown.get((row.dataset, row.facet)) == (row.match, row.metric)
        if (is_type or is_level) and is_shown and row.n >= FEWEST_UNITS and row.high is not None:
            overall = facts.overall(row.dataset, row.match, row.metric)
            if overall is not None and overall.value is not None and row.high < overall.value:
                yield overall.value - row.high, row, overall


def _where_the_best_loses(facts: Facts) -> PageFinding | None:
    """The type or level where another system is furthest ahead: significantly, or else clearly."""
    losses = list(_losses(facts))
    significant = [loss for loss in losses if is_significant(loss["p_corrected"])]
    loss = _largest(significant or losses, lambda row: row["ahead"])
    if loss is None:
        return None
    group = facts.phrase(loss["dataset"], loss["facet"], loss["level"], loss["type"])
    title, scale = metric_title(loss["metric"]), scale_of(loss["metric"])
    theirs, ours = scale * loss["theirs"], scale * loss["ours"]
    verb = "beats" if significant else "is ahead of"
    scores = f"{title} {theirs:.1f} against {ours:.1f}"
    text = f"{loss['other']} {verb} {facts.best} on {group}: {scores}."
    link = _group_link(loss["facet"], loss["level"], loss["type"])
    link |= {"a": facts.best, "b": loss["other"], "change": "fixed"}
    return facts.finding("where the best loses", loss["dataset"], text, loss["n"], link)


def _losses(facts: Facts) -> Iterator[dict[str, Any]]:
    """The comparisons in which another system is clearly ahead: the interval excludes 0."""
    rows = records_of(facts.comparison["rows"]) if facts.comparison else []
    names = {part.dataset for part in facts.results.evidence}
    for row in rows:
        if row["dataset"] not in names:
            continue
        pair = (row["system_a"], row["system_b"])
        known = None not in (row["difference"], row["low"], row["high"])
        is_shown = row["facet"] in facts.mention_facets and row["n"] >= FEWEST_UNITS
        if facts.best in pair and known and is_shown:
            gain = gain_of(row["metric"], row["difference"], row["low"], row["high"])
            is_first = pair[0] == facts.best
            ahead = gain.reversed() if is_first else gain  # of the other system
            if (ahead.low or 0.0) > 0:
                ours, theirs = (row["a"], row["b"]) if is_first else (row["b"], row["a"])
                other = pair[1] if is_first else pair[0]
                yield {**row, "ahead": ahead.value, "other": other, "ours": ours, "theirs": theirs}


def _top_confusion(facts: Facts) -> PageFinding | None:
    """The two types that the best system confuses most often."""
    counts: dict[tuple[str, int, int], float] = {}
    for errors in facts.errors:
        runs = errors.evidence.runs_of(facts.best)
        for _, gold, predicted, _, n in errors.sums.of_runs(runs).rows():
            if gold >= 0 and predicted >= 0 and gold != predicted:
                key = (errors.evidence.dataset, gold, predicted)
                counts[key] = counts.get(key, 0.0) + n / len(runs)
    chosen = _largest(counts.items(), lambda item: item[1])
    if chosen is None:
        return None
    (dataset, gold, predicted), times = chosen
    if times < _FEWEST_TIMES:
        return None
    evidence = next(part for part in facts.results.evidence if part.dataset == dataset)
    a, b = evidence.types[gold], evidence.types[predicted]
    size = int(evidence.overall.type_counts(0).gold[gold])
    count = _per_run(times, len(evidence.runs_of(facts.best)))
    text = f"{facts.best} predicts {count} of {size:,} {a} mentions as {b}."
    link: Chosen = {"system": facts.best, "pair": json.dumps([a, b])}
    return facts.finding("top confusion", dataset, text, size, link)


def _gain_if_solved(facts: Facts) -> PageFinding | None:
    """The kind of error that costs the best system most."""
    own = [gain for gain in facts.gains if gain["system"] == facts.best and gain["gain"]]
    gain = _largest(own, lambda gain: gain["gain"] or 0.0)
    if gain is None:
        return None
    kind, points = gain["kind"], 100 * (gain["gain"] or 0.0)
    title = KIND_WORDS[kind].title
    text = f"{title}: +{points:.1f} F1 if every such error of {facts.best} were corrected."
    link: Chosen = {"system": facts.best, "kind": kind}
    return facts.finding("gain if solved", gain["dataset"], text, gain["errors"], link)


def _wrong_everywhere(facts: Facts) -> PageFinding | None:
    """The gold mentions that no system gets right."""
    counts = {
        errors.evidence.dataset: wrong_for_all(errors.paired)
        for errors in facts.errors
        if errors.paired is not None and len(errors.evidence.systems) > 1
    }
    sizes = {errors.evidence.dataset: errors.evidence.overall.gold for errors in facts.errors}
    dataset = _largest((name for name in counts if counts[name]), lambda name: counts[name])
    if dataset is None:
        return None
    wrong, size = counts[dataset], len(sizes[dataset])
    share = f"{wrong:,} of {size:,} gold mentions ({100 * wrong / size:.1f} %)"
    text = f"{share} are wrong in every system."
    link: Chosen = {"pattern": "all", "side": "gold"}
    return facts.finding("all wrong", dataset, text, size, link) | {"system": None}


def _hallucinations(facts: Facts) -> PageFinding | None:
    """How many predictions of a system are not in the text."""
    own = [gain for gain in facts.gains if gain["kind"] == HALLUCINATED and gain["errors"]]
    most = _largest(own, lambda gain: gain["errors"])
    if most is None:
        return None
    dataset, system = most["dataset"], most["system"]
    evidence = next(part for part in facts.results.evidence if part.dataset == dataset)
    runs = evidence.runs_of(system)
    predicted = sum(int(evidence.overall.type_counts(run).pred.sum()) for run in runs) / len(runs)
    count = _per_run(most["errors"], len(runs))
    share = f"{count} of {round(predicted):,} predictions of {system}"
    text = f"{share} are not in the text."
    link: Chosen = {"system": system, "kind": HALLUCINATED}
    return facts.finding("hallucinations", dataset, text, predicted, link) | {"system": system}


def _one_type_dominates(facts: Facts) -> PageFinding | None:
    """The type with a large share of the errors of the best system, if there is one."""
    shares: dict[tuple[str, str], tuple[float, float]] = {}
    for errors in facts.errors:
        evidence, runs = errors.evidence, errors.evidence.runs_of(facts.best)
        own = [row for row in errors.sums.of_runs(runs).rows() if row[3] != 0]
        total = sum(n for *_, n in own) / len(runs) if runs else 0.0
        for code, name in enumerate(evidence.types if len(evidence.types) > 2 else ()):
            times = sum(n for _, gold, predicted, _, n in own if code in (gold, predicted))
            if runs and times / len(runs) > _LARGE_SHARE * total:
                shares[evidence.dataset, name] = (times / len(runs) / total, total)
    chosen = _largest(shares.items(), lambda item: item[1][0])
    if chosen is None:
        return None
    (dataset, name), (share, total) = chosen
    text = f"{name} is involved in {100 * share:.0f} % of the errors of {facts.best}."
    return facts.finding("one type", dataset, text, total, {"system": facts.best, "type": name})


def _seen_and_unseen(facts: Facts) -> PageFinding | None:
    """Recall on mentions that training has, and on all others."""
    levels = {
        (row.dataset, row.level): row
        for row in facts.rows
        if (row.facet, row.type, row.metric, row.match) == ("tmr", None, RECALL, EXACT)
    }
    pairs = [
        (row, levels[dataset, "unseen-any"])
        for (dataset, level), row in levels.items()
        if level == "seen" and (dataset, "unseen-any") in levels
    ]
    known = [pair for pair in pairs if min(row.n for row in pair) >= FEWEST_UNITS]
    chosen = _largest(known, lambda pair: (pair[0].value or 0.0) - (pair[1].value or 0.0))
    if chosen is None:
        return None
    seen, unseen = chosen
    text = (
        f"{facts.best} finds {100 * (seen.value or 0.0):.1f} % of the mentions seen in training, "
        f"but {100 * (unseen.value or 0.0):.1f} % of the others."
    )
    link: Chosen = {"system": facts.best, "level": "tmr=unseen-any", "side": "gold"}
    return facts.finding("seen and unseen", seen.dataset, text, unseen.n, link)


def _forgiven_boundaries(facts: Facts) -> PageFinding | None:
    """F1 of the best system if boundaries do not count."""
    gains = []
    for row in facts.forgiven:
        f1 = facts.overall(row["dataset"], EXACT, F1)
        if row["system"] == facts.best and row["f1"] and f1 is not None and f1.value is not None:
            gains.append((row["f1"] - f1.value, row["dataset"], row["f1"], f1.n))
    chosen = _largest(gains, lambda gain: gain[0])
    if chosen is None or chosen[0] < _SMALLEST_GAIN:
        return None
    gain, dataset, score, n = chosen
    text = (
        f"With boundaries forgiven, F1 of {facts.best} is {100 * score:.1f}, "
        f"{100 * gain:.1f} points higher."
    )
    link: Chosen = {"system": facts.best, "kind": "wrong boundary"}
    return facts.finding("boundaries", dataset, text, n, link)


def _precision_and_recall(facts: Facts) -> PageFinding | None:
    """Whether the best system misses more than it adds, or the reverse."""
    gaps = list[tuple[float, str, float, float, int]]()
    for part in facts.results.evidence:
        pair = [facts.overall(part.dataset, EXACT, metric) for metric in (PRECISION, RECALL)]
        known = [row for row in pair if row is not None and row.value is not None]
        values = [row.value or 0.0 for row in known]
        if len(known) == 2:
            precision, recall = values
            gaps.append((abs(precision - recall), part.dataset, precision, recall, known[1].n))
    chosen = _largest(gaps, lambda gap: gap[0])
    if chosen is None or chosen[0] < _LARGE_GAP:
        return None
    _, dataset, precision, recall, n = chosen
    habit, kind = ("misses", "missed") if recall < precision else ("adds", "spurious")
    scores = f"precision {100 * precision:.1f}, recall {100 * recall:.1f}"
    text = f"{facts.best} {habit} too much: {scores}."
    return facts.finding(
        "precision and recall", dataset, text, n, {"system": facts.best, "kind": kind}
    )


# The first five are the questions of most readers; the others fill up.
_RULES: tuple[Callable[[Facts], PageFinding | None], ...] = (
    _biggest_gap,
    _where_the_best_loses,
    _top_confusion,
    _gain_if_solved,
    _wrong_everywhere,
    _hallucinations,
    _one_type_dominates,
    _seen_and_unseen,
    _forgiven_boundaries,
    _precision_and_recall,
)


def _group_link(facet: str, level: str, type: str | None) -> Chosen:
    """The address of a group: a level, or a type on either side."""
    if facet in (ALL, TYPE):
        return {"type": type or level}
    return {"level": f"{facet}={level}"}


def _score(row: Row) -> str:
    return f"{metric_title(row.metric)} {scale_of(row.metric) * (row.value or 0.0):.1f}"


def _per_run(count: float, runs: int) -> str:
    """A count, with one decimal if it is a mean over runs."""
    return f"{count:,.0f}" if runs == 1 else f"{count:,.1f}"


def _largest(items: Iterable[Item], size: Callable[[Item], float]) -> Item | None:
    """The largest item, the first one of equals; None if there are none."""
    return max(items, key=size, default=None)
