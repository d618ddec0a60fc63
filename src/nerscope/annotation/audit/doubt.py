"""Scores under doubt: how far errors of gold change the scores of systems.

With judged sentences, the share of wrong gold and corrected scores are estimated by strata: groups
of sentences with similar scores. Without them, the scores of suspects say how far F1 could move.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from nerscope.annotation.audit.material import Material, spans_of
from nerscope.annotation.audit.suspects import BROKEN, Suspect
from nerscope.annotation.decisions import Decision, Span
from nerscope.corpus.arrays import Floats, Ints
from nerscope.errors import InputError, UsageError
from nerscope.results.rows import ResultRow, or_nan, plain_row, row_value

DRAWS = 4000
_EDGES = (0.8, 0.6, 0.4, 0.2, 0.1, 0.05, 0.0)  # scores of sentences between strata
_PRIOR = 2.0  # judged sentences that the scores of a stratum are worth
_LEAST_RATE = 0.003  # of wrong sentences in a stratum, before any is judged
_FLOOR = 0.05  # wrong sentences that a stratum is credited with, whatever its scores
_LEVEL = (0.025, 0.975)
_NORMAL = 1.96  # standard deviations on either side of a 95 % interval
_Span = tuple[int, int, str]


@dataclass(frozen=True, slots=True, eq=False)
class CorrectedScore(ResultRow):
    """F1 of a system against gold, and against corrected gold.

    `corrected` with its 95 % interval `low` to `high` rests on judged sentences; without any, it
    is what the scores of suspects lead to expect. `least` and `most` are reached if all suspects
    that lower F1, or all that raise it, are errors.
    """

    system: str
    f1: float | None
    corrected: float | None
    low: float | None
    high: float | None
    least: float | None
    most: float | None


@dataclass(frozen=True, slots=True, eq=False)
class RankingDoubt(ResultRow):
    """Two systems, the better one first: whether corrections of gold could reverse their order.

    `can_turn` holds if some choice of suspects does it, `chance` is the probability.
    """

    better: str
    worse: str
    can_turn: bool
    chance: float


@dataclass(frozen=True, slots=True, eq=False)
class StratumRow(ResultRow):
    """Sentences with scores from `least` up: how many there are, were judged, and were wrong."""

    least: float | None  # None: sentences without suspects
    sentences: int
    judged: int
    wrong: int


@dataclass(frozen=True, slots=True, eq=False)
class Doubt:
    """What errors of gold mean for scores.

    `wrong` is the share of gold mentions that are wrong, `missing` the number of missing mentions
    per gold mention; both with 95 % intervals. `judged` is the number of judged sentences.
    """

    scores: Sequence[CorrectedScore]
    rankings: Sequence[RankingDoubt]
    strata: Sequence[StratumRow]
    judged: int
    wrong: tuple[float | None, float | None, float | None]
    missing: tuple[float | None, float | None, float | None]

    def as_dict(self) -> dict[str, Any]:
        """Everything as plain data for JSON."""
        shares = {
            name: dict(zip(("value", "low", "high"), getattr(self, name), strict=True))
            for name in ("wrong", "missing")
        }
        lists = {
            name: [plain_row(row) for row in getattr(self, name)]
            for name in ("scores", "rankings", "strata")
        }
        return {**lists, "judged": self.judged, **shares}


def scores_in_doubt(
    material: Material,
    suspects: Sequence[Suspect],
    judged: Sequence[Decision] | None,
    seed: int,
) -> Doubt:
    """Estimate corrected scores from judged sentences, or from the scores of suspects alone."""
    table = _Table(material, suspects)
    random = np.random.default_rng(seed)
    strata = table.strata()
    judgements = _judgements(table, judged or ())
    if judgements:
        changes = _simulated(table, strata, judgements, random)
        estimate = _design_estimate(table, strata, judgements)
    else:
        changes = _expected(table, random)
        estimate = changes.mean(axis=0)
    reach = [table.reach(run) for run in range(len(table.runs))]
    rows = list(_score_rows(table, changes, estimate, reach))
    shares = [_share(table, changes[:, at], estimate[at]) for at in (_WRONG, _MISSING)]
    return Doubt(
        rows,
        list(_ranking_rows(table, changes, rows)),
        [
            StratumRow(
                least,
                len(members),
                len(own := [at for at in members if at in judgements]),
                sum(bool(judgements[at].any()) for at in own),
            )
            for least, members in strata
        ],
        len(judgements),
        *(shares if judgements else [(None, None, None)] * 2),
    )


# Columns of a change: gold mentions more or fewer, wrong ones, missing ones, then hits by run.
_GOLD, _WRONG, _MISSING, _HITS = range(4)


class _Table:
    """The mentions of gold and of each run, by sentence, and the changes that suspects propose."""

    def __init__(self, material: Material, suspects: Sequence[Suspect]) -> None:
        self.material = material
        self.runs = [output for output in material.outputs if not output.is_recipe]
        self.gold = self._by_sentence(spans_of(material.gold.mentions))
        self.predicted = [self._by_sentence(spans_of(run.mentions)) for run in self.runs]
        places = zip(material.files, material.numbers.tolist(), strict=True)
        self.index = {place: at for at, place in enumerate(places)}
        self.suspects: dict[int, list[Suspect]] = {}
        for suspect in suspects:
            if suspect.kind != BROKEN:
                at = self.index[suspect.file, suspect.sentence]
                self.suspects.setdefault(at, []).append(suspect)
        # Totals as columns of a change: gold mentions, then hits of each run.
        self.n_gold = sum(map(len, self.gold))
        self.n_predicted = np.array([sum(map(len, side)) for side in self.predicted], np.float64)
        self.hits = np.array(
            [
                sum(len(a & b) for a, b in zip(side, self.gold, strict=True))
                for side in self.predicted
            ]
        )

    def _by_sentence(self, spans: set[tuple[int, int, int]]) -> list[set[_Span]]:
        corpus, types = self.material.gold.corpus, self.material.types
        sides: list[set[_Span]] = [set() for _ in range(len(corpus))]
        for start, end, kind in spans:
            at = self.material.sentence_of(start)
            begin = int(corpus.starts[at])
            sides[at].add((start - begin, end - begin, types[kind]))
        return sides

    def change(self, sentence: int, corrected: set[_Span]) -> Floats:
        """How the counts change if a sentence is corrected."""
        gold = self.gold[sentence]
        wrong = len(gold - corrected)
        hits = [
            len(side[sentence] & corrected) - len(side[sentence] & gold) for side in self.predicted
        ]
        gained = len(corrected) - len(gold)
        # A corrected mention that touches a wrong one replaces it; others were missing.
        missing = sum(
            not any(span[0] < end and start < span[1] for start, end, _ in gold - corrected)
            for span in corrected - gold
        )
        return np.array([gained, wrong, missing, *hits], np.float64)

    def proposal(self, sentence: int, suspects: Sequence[Suspect]) -> Floats:
        """How the counts change if some suspects of a sentence are errors."""
        corrected = set(self.gold[sentence])
        for suspect in suspects:
            corrected -= _plain(suspect.gold)
            corrected |= _plain(suspect.proposed)
        return self.change(sentence, corrected)

    def strata(self) -> list[tuple[float | None, list[int]]]:
        """The sentences of each stratum; the last one has no suspects."""
        strata: dict[float | None, list[int]] = {least: [] for least in (*_EDGES, None)}
        for at in range(len(self.gold)):
            best = max((suspect.score for suspect in self.suspects.get(at, ())), default=None)
            least = None if best is None else next(edge for edge in _EDGES if best >= edge)
            strata[least].append(at)
        return [(least, members) for least, members in strata.items() if members]

    def scores(self, changes: Floats) -> Floats:
        """F1 of each run after changes, a row for each row of changes."""
        sizes = self.n_gold + changes[:, [_GOLD]] + self.n_predicted
        hits = 2 * (self.hits + changes[:, _HITS:])
        with np.errstate(invalid="ignore", divide="ignore"):
            f1: Floats = hits / sizes
        return f1

    def by_system(self, by_run: Floats) -> dict[str, Floats]:
        """The mean over the runs of each system."""
        names = dict.fromkeys(run.system for run in self.runs)
        return {
            name: by_run[:, [at for at, run in enumerate(self.runs) if run.system == name]].mean(1)
            for name in names
        }

    def reach(self, run: int) -> tuple[float, float]:
        """The lowest and highest F1 of a run that some choice of suspects leads to."""
        every = [
            self.proposal(at, [suspect]) for at, some in self.suspects.items() for suspect in some
        ]
        totals = np.zeros((2, _HITS + len(self.runs)))
        now = float(self.scores(totals[:1])[0, run]) if self.runs else 0.0
        for change in every:
            # Adding `change` raises F1 if its own ratio of hits to mentions is above F1.
            gain = 2 * change[_HITS + run] - now * change[_GOLD]
            totals[int(gain > 0)] += change
        low, high = self.scores(totals)[:, run].tolist()
        return low, high


def _judgements(table: _Table, decisions: Sequence[Decision]) -> dict[int, Floats]:
    """The change of each judged sentence."""
    corpus = table.material.gold.corpus
    changes = {}
    for decision in decisions:
        at = table.index.get((decision.file, decision.sentence))
        if at is None and len({file for file, _ in table.index}) == 1:
            at = table.index.get((table.material.files[0], decision.sentence))
        again = "judge this sentence again, or remove the item"
        if at is None or "".join(decision.text.split()) != "".join(corpus.words(at)):
            fact = f"sentence {decision.sentence} of {table.material.files[0]} has another text"
            raise InputError(decision.source, f"it is stale: {fact}", again)
        if _plain(decision.gold) != table.gold[at]:
            fact = f"sentence {decision.sentence} of {table.material.files[0]} has other mentions"
            raise InputError(decision.source, f"it is stale: {fact}", again)
        changes[at] = table.change(at, _plain(decision.chosen))
    return changes


def _plain(spans: Sequence[Span]) -> set[_Span]:
    return {(start, end, kind) for start, end, kind in spans}


_Strata = Sequence[tuple[float | None, Sequence[int]]]


def _rate(table: _Table, members: Sequence[int]) -> float:
    """The expected share of wrong sentences of a stratum, by the scores of suspects."""
    scores = [max((s.score for s in table.suspects.get(at, ())), default=0.0) for at in members]
    return float(np.clip(np.mean(scores), _LEAST_RATE, 1 - _LEAST_RATE))


def _simulated(
    table: _Table, strata: _Strata, judgements: dict[int, Floats], random: np.random.Generator
) -> Floats:
    """Draws of the total change, given the judged sentences.

    In each stratum, the share of wrong sentences is drawn from its Beta distribution, then the
    number of wrong ones among the sentences that were not judged, then how these change the counts.
    """
    total = np.zeros((DRAWS, _HITS + len(table.runs)))
    for _, members in strata:
        known = [judgements[at] for at in members if at in judgements]
        wrong = [change for change in known if change.any()]
        total += np.sum(known, axis=0) if known else 0.0
        rest = len(members) - len(known)
        rate = _rate(table, members)
        shares = random.beta(
            len(wrong) + max(_FLOOR, _PRIOR * rate),
            len(known) - len(wrong) + _PRIOR * (1 - rate),
            DRAWS,
        )
        n_wrong = random.binomial(rest, shares)
        pool, weights = _pool(table, members, wrong)
        chances = random.dirichlet(weights, DRAWS)
        total += random.multinomial(n_wrong, chances) @ pool
    return total


def _pool(table: _Table, members: Sequence[int], wrong: Sequence[Floats]) -> tuple[Floats, Floats]:
    """Changes of wrong sentences, with weights: those judged, and a few that are likely.

    Where nothing is judged, proposals are likely; without suspects, a mention has a wrong type, is
    spurious or is missing, and all systems agree with gold.
    """
    runs = len(table.runs)
    proposed = [table.proposal(at, some) for at in members if (some := table.suspects.get(at))]
    likely = [change for change in proposed[:: max(1, len(proposed) // 50)] if change.any()]
    if not likely:
        hits = [-1.0] * runs
        likely = [
            np.array([0.0, 1.0, 0.0, *hits]),
            np.array([-1.0, 1.0, 0.0, *hits]),
            np.array([1.0, 0.0, 1.0, *([0.0] * runs)]),
        ]
    weights = np.array([*([1.0] * len(wrong)), *([1.5 / len(likely)] * len(likely))])
    return np.array([*wrong, *likely]), weights


def _design_estimate(table: _Table, strata: _Strata, judgements: dict[int, Floats]) -> Floats:
    """The total change: the mean of the judged sentences of each stratum times its size."""
    total = np.zeros(_HITS + len(table.runs))
    for _, members in strata:
        known = [judgements[at] for at in members if at in judgements]
        if known:
            total += len(members) * np.mean(known, axis=0)
        else:
            proposed = [table.proposal(at, table.suspects.get(at, ())) for at in members]
            total += _rate(table, members) * np.sum(proposed, axis=0)
    return total


def _expected(table: _Table, random: np.random.Generator) -> Floats:
    """Draws of the total change if each group of suspects is wrong with its score."""
    groups: dict[int, list[tuple[int, Suspect]]] = {}
    for at, some in table.suspects.items():
        for suspect in some:
            groups.setdefault(suspect.group, []).append((at, suspect))
    total = np.zeros((DRAWS, _HITS + len(table.runs)))
    for members in groups.values():
        change = np.sum([table.proposal(at, [suspect]) for at, suspect in members], axis=0)
        score = float(np.mean([suspect.score for _, suspect in members]))
        total += (random.random(DRAWS) < score)[:, None] * change
    return total


def _score_rows(
    table: _Table, changes: Floats, estimate: Floats, reach: Sequence[tuple[float, float]]
) -> Iterator[CorrectedScore]:
    none = np.zeros((1, changes.shape[1]))
    now, drawn = table.by_system(table.scores(none)), table.by_system(table.scores(changes))
    corrected = table.by_system(table.scores(estimate[None]))
    limits = table.by_system(np.array(reach).T)
    for name, values in drawn.items():
        middle = float(corrected[name][0])
        row = (now[name][0], middle, *_interval(values, middle), *limits[name].tolist())
        yield CorrectedScore(name, *(row_value(float(value)) for value in row))


def _ranking_rows(
    table: _Table, changes: Floats, rows: Sequence[CorrectedScore]
) -> Iterator[RankingDoubt]:
    drawn = table.by_system(table.scores(changes))
    ranked = sorted((row for row in rows if row.f1 is not None), key=lambda row: -or_nan(row.f1))
    for better, worse in combinations(ranked, 2):
        chance = float((drawn[worse.system] > drawn[better.system]).mean())
        yield RankingDoubt(better.system, worse.system, _can_turn(table, better, worse), chance)


def _can_turn(table: _Table, better: CorrectedScore, worse: CorrectedScore) -> bool:
    """Whether the order turns if all suspects that favour the worse system are errors."""
    favour = np.array(
        [
            (run.system == worse.system) / _n_runs(table, worse.system)
            - (run.system == better.system) / _n_runs(table, better.system)
            for run in table.runs
        ]
    )
    total = np.zeros(_HITS + len(table.runs))
    for at, some in table.suspects.items():
        for suspect in some:
            change = table.proposal(at, [suspect])
            if change[_HITS:] @ favour > 0:
                total += change
    scores = table.by_system(table.scores(total[None]))
    return bool(scores[worse.system][0] > scores[better.system][0])


def _n_runs(table: _Table, system: str) -> int:
    return sum(run.system == system for run in table.runs)


def _share(
    table: _Table, drawn: Floats, estimate: float
) -> tuple[float | None, float | None, float | None]:
    if not table.n_gold:
        return None, None, None
    value = float(estimate) / table.n_gold
    return value, *_interval(drawn / table.n_gold, value)


def _interval(drawn: Floats, value: float) -> tuple[float, float]:
    """The 95 % interval of a share around its estimate.

    Draws are skewed, because strata without a wrong sentence can only add some. Their quantiles
    alone are too short on one side, so the interval is at least as wide as a normal one.
    """
    if not np.isfinite(value):
        return np.nan, np.nan
    low, high = np.nanquantile(drawn, _LEVEL).tolist()
    reach = _NORMAL * float(np.nanstd(drawn))
    return max(0.0, min(low, value - reach)), min(1.0, max(high, value + reach))


def propose_sample(material: Material, suspects: Sequence[Suspect], n: int, seed: int) -> list[int]:
    """Sentences to judge: random within strata, more of them where errors are likely.

    The numbers of sentences are proportional to their strata and to the standard deviation of being
    wrong, at least two per stratum.
    """
    if n < 1:
        raise UsageError("sample", f"invalid value {n}", "give a whole number from 1")
    table = _Table(material, suspects)
    random = np.random.default_rng(seed)
    strata = table.strata()
    rates = np.array([_rate(table, members) for _, members in strata])
    sizes = np.array([len(members) for _, members in strata])
    wanted = sizes * np.sqrt(rates * (1 - rates))
    counts = np.minimum(sizes, np.maximum(2, np.floor(n * wanted / wanted.sum()).astype(int)))
    counts = _fitted(counts, sizes, n)
    chosen: list[int] = []
    for (_, members), count in zip(strata, counts.tolist(), strict=True):
        chosen += random.permutation(members)[:count].tolist()
    return sorted(chosen)


def _fitted(counts: Ints, sizes: Ints, n: int) -> Ints:
    """The counts with the sum n, or all sentences if there are fewer."""
    counts = counts.copy()
    while counts.sum() > n:
        counts[int(counts.argmax())] -= 1
    while counts.sum() < min(n, sizes.sum()):
        free = np.flatnonzero(counts < sizes)
        counts[free[int((sizes - counts)[free].argmax())]] += 1
    return counts
