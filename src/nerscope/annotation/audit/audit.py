"""Find places where gold is probably wrong."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from nerscope.annotation.audit.broken import find_broken
from nerscope.annotation.audit.evidence import Case, Evidence, gather_evidence, make_case
from nerscope.annotation.audit.material import (
    Material,
    Reliability,
    read_material,
    reliability,
    spans_of,
)
from nerscope.annotation.audit.places import Place, find_places
from nerscope.annotation.audit.places import Span as CorpusSpan
from nerscope.annotation.audit.planting import Planter
from nerscope.annotation.audit.predictions import (
    FOLDS,
    FoldPlan,
    default_recipe,
    predict_out_of_fold,
)
from nerscope.annotation.audit.reasons import ReasonWriter
from nerscope.annotation.audit.result import Audit, AuditedSystem, Judged
from nerscope.annotation.audit.scoring import Scores, score_cases
from nerscope.annotation.audit.suspects import (
    BROKEN,
    AuditSentence,
    Suspect,
    SuspectGroup,
    spelt,
)
from nerscope.annotation.audit.trained_on import check_held_out, training_warnings
from nerscope.annotation.decisions import Span
from nerscope.arguments import check_arguments
from nerscope.corpus.arrays import Bools
from nerscope.corpus.mentions import CONLLEVAL, check_repair
from nerscope.engines.base import Engine, engine_for
from nerscope.errors import UsageError
from nerscope.evaluation.task import Systems, runs_of
from nerscope.experiment.cache import Cache
from nerscope.formats.base import CorpusLike, TrainingLike, open_source, open_training
from nerscope.lab.recipe import recipe_named

_PLANTED = 4000  # errors; more would not change the scores
_LEAST_SCORE = 0.005  # of a listed suspect
NO_RECIPE = "none"
# Sentences of gold for which the default recipe is trained beside systems: with fewer it is too
# poor, with more it takes too long.
_FEWEST_BESIDE, _MOST_BESIDE = 200, 20_000
Progress = Callable[[int], None]


def audit(
    gold: CorpusLike,
    systems: Systems | None = None,
    *,
    train: TrainingLike | None = None,
    recipe: str | Sequence[str] | None = None,
    folds: int = FOLDS,
    seed: int = 1,
    repair: str = CONLLEVAL,
    trained_on: str | Sequence[str] = (),
    held_out: Mapping[str, float] | None = None,
    judged: Judged = None,
    texts: bool = True,
    cache: Cache | None = None,
    engine: str | Engine | None = None,
    workers: int = 1,
    plugins: Sequence[str] = (),
    progress: Progress | None = None,
) -> Audit:
    """Rank places where gold is probably wrong, each with a proposal, a score and reasons.

    - `gold`: the annotations to audit.
    - `systems`: outputs by system, several runs as a list. The systems must not have seen this
      gold. Without systems, recipes predict it out of fold.
    - `train`: training data, which says how often a text has which type.
    - `recipe`: recipes that are trained on the other documents of gold, and without systems also on
      `train`; default: `crf` (or `perceptron`, if its library is not installed). Beside systems,
      the default needs gold of 200 to 20,000 sentences. `none` trains none.
    - `folds`, `seed`: the number of parts into which gold is divided for recipes; the random seed.
    - `trained_on`: systems that were trained on this gold; they are left out.
    - `held_out`: the F1 of systems on data they never saw, by name, to detect such systems.
    - `judged`: decisions about judged sentences, which correct the scores of systems.
    - `texts`: False leaves the words of the data out of the result.
    - `cache`: stores predictions of recipes.
    - `engine`, `workers`, `plugins`, `progress`: as for `evaluate`.

    >>> sentences = [(["Ada", "met", "Bob"], ["B-PER", "O", "B-PER"])] * 3
    >>> gold = [*sentences, (["Bob", "left"], ["B-LOC", "O"])]
    >>> system = [*sentences, (["Bob", "left"], ["B-PER", "O"])]
    >>> [suspect] = audit(gold, {"bert": system}).suspects
    >>> suspect.sentence, suspect.kind, suspect.proposed[0].type
    (3, 'type', 'PER')
    """
    check_arguments(audit, locals())
    check_repair(repair)
    if seed < 0:
        raise UsageError("seed", f"invalid value {seed}", "give a whole number, 0 or more")
    left_out = {trained_on} if isinstance(trained_on, str) else set(trained_on)
    known = check_held_out(held_out)
    _check_recipes(recipe, systems is not None)
    made = engine_for(engine, workers, plugins)
    source = open_source(gold, "<gold>")
    runs = runs_of(systems) if systems is not None else []
    _check_names([*left_out, *known], {run.system for run in runs})
    material = read_material(
        source,
        [run for run in runs if run.system not in left_out],
        None if train is None else open_training(train),
        repair,
    )
    names = _recipes(recipe, material)
    plan = FoldPlan(names, folds, seed, cache or Cache(None), made, progress or (lambda n: None))
    material = _with_recipes(material, plan)
    found = _examine(material, seed)
    warnings = [*_left_out(left_out), *training_warnings(material, found.trust, known)]
    settings = {"recipes": names, "folds": folds if names else None, "seed": seed, "repair": repair}
    return _result(material, found, settings, warnings, judged, texts)


def _check_names(given: Sequence[str], known: set[str]) -> None:
    for name in given:
        if name not in known:
            fix = f"give one of {', '.join(sorted(known))}" if known else "give its output, too"
            raise UsageError(f"system '{name}'", "no output of this system is given", fix)


def _left_out(systems: set[str]) -> Iterator[str]:
    for name in sorted(systems):
        yield f"{name} was trained on this gold, so it was left out: it repeats errors of gold"


def _recipes(given: str | Sequence[str] | None, material: Material) -> list[str]:
    """The recipes to train: those given, or the default one if gold has a suitable size."""
    if given is None:
        n = len(material.gold.corpus)
        is_useful = _FEWEST_BESIDE <= n <= _MOST_BESIDE and material.gold.mentions.are_flat
        return [default_recipe()] if is_useful or not material.outputs else []
    names = [given] if isinstance(given, str) else list(dict.fromkeys(given))
    return [name for name in names if name != NO_RECIPE]


def _check_recipes(given: str | Sequence[str] | None, has_systems: bool) -> None:
    """Refuse unknown recipes, and no recipe without systems, before any file is read."""
    names = [given] if isinstance(given, str) else given
    for name in names or ():
        if name != NO_RECIPE:
            recipe_named(name).check_runs_here()
    if names is not None and set(names) <= {NO_RECIPE} and not has_systems:
        raise UsageError(
            "recipe",
            "neither a system nor a recipe is given",
            "--system NAME=FILE, or --recipe crf",
        )


def _with_recipes(material: Material, plan: FoldPlan) -> Material:
    """Beside systems, recipes are trained on gold alone: training data would take much longer."""
    if not plan.recipes:
        return material
    training = () if material.outputs else material.training
    predicted = predict_out_of_fold(material.gold, training, plan)
    return replace(material, outputs=[*material.outputs, *predicted])


@dataclass(frozen=True, slots=True, eq=False)
class _Examined:
    """The cases of gold, their scores, and what outputs are worth."""

    cases: list[Case]
    evidence: Evidence | None  # None without any case
    scores: Scores
    trust: Reliability


def _examine(material: Material, seed: int) -> _Examined:
    """Find all disputed places and score them."""
    gold, outputs = material.gold, material.outputs
    trust = reliability(gold.mentions, outputs, len(material.types))
    places = list(find_places(gold.mentions, [output.mentions for output in outputs]))
    cases = _cases([place for place in places if place.is_disputed], material, trust)
    capitals, names = _looks(material)
    planter = Planter(places, gold.corpus.starts, names, len(outputs), seed)
    planted = _cases(planter.plant(_PLANTED), material, trust)
    if not cases:
        nothing = np.zeros(0)
        return _Examined([], None, Scores(nothing, nothing, 0.0), trust)
    evidence = gather_evidence([*cases, *planted], material, trust, capitals)
    return _Examined(cases, evidence, score_cases(evidence, len(cases)), trust)


def _cases(
    places: Iterator[Place] | Sequence[Place], material: Material, trust: Reliability
) -> list[Case]:
    made = (make_case(place, material.outputs, trust.weights) for place in places)
    return [case for case in made if case is not None]


def _looks(material: Material) -> tuple[Bools, Bools]:
    """By token: whether its sentence has capitals and no small letters; whether it has one."""
    corpus = material.gold.corpus
    used, inverse = np.unique(corpus.tokens, return_inverse=True)
    words = corpus.coding.tokens.strings(used)
    small = np.array([word != word.upper() for word in words], bool)[inverse]
    large = np.array([word != word.lower() for word in words], bool)[inverse]
    capital = np.array([word[:1] != word[:1].lower() for word in words], bool)[inverse]
    firsts, sizes = corpus.starts[:-1], np.diff(corpus.starts)
    is_headline = ~np.logical_or.reduceat(small, firsts) & np.logical_or.reduceat(large, firsts)
    return np.repeat(is_headline, sizes), capital


def _result(
    material: Material,
    found: _Examined,
    settings: dict[str, Any],
    warnings: Sequence[str],
    judged: Judged,
    texts: bool,
) -> Audit:
    suspects = _suspects(material, found, texts)
    groups = _groups(material, suspects, texts)
    group_of = {at: group.group for group in groups for at in group.suspects}
    numbered = [replace(suspect, group=group_of[at]) for at, suspect in enumerate(suspects)]
    warned = {text.partition(" ")[0]: text for text in warnings}
    result = Audit(
        numbered,
        groups,
        _sentences(material, numbered, texts),
        _systems(material, found.trust, warned),
        len(material.gold.corpus),
        len(spans_of(material.gold.mentions)),
        found.scores.slips,
        settings,
        material.notes,
        list(warnings),
        material=material,
    )
    return result.judge(judged)


def _suspects(material: Material, found: _Examined, texts: bool) -> list[Suspect]:
    """All suspects, the highest score first; the words of reasons are written for these only."""
    rows: list[tuple[float, float, Suspect]] = []
    if found.evidence is not None:
        writer = ReasonWriter(material, found.evidence, texts)
        scores = zip(found.scores.scores.tolist(), found.scores.order.tolist(), strict=True)
        for number, (case, (score, order)) in enumerate(zip(found.cases, scores, strict=True)):
            if score >= _LEAST_SCORE:
                reasons = writer.write(number, case)
                rows.append((score, order, _suspect(material, case, score, reasons)))
    for broken in find_broken(material, texts):
        place = _Place.of(material, broken.token)
        suspect = Suspect(
            place.file,
            place.line,
            place.sentence,
            (),
            (),
            BROKEN,
            broken.score,
            (broken.reason,),
            0,
        )
        rows.append((broken.score, 0.0, suspect))
    rows.sort(key=lambda row: (-row[0], -row[1]))
    return [suspect for _, _, suspect in rows]


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a token is, as users count."""

    file: str
    line: int
    sentence: int
    begin: int  # the first token of the sentence

    @classmethod
    def of(cls, material: Material, token: int) -> "_Place":
        at = material.sentence_of(token)
        corpus = material.gold.corpus
        return cls(
            material.files[at],
            int(corpus.lines[token]),
            int(material.numbers[at]),
            int(corpus.starts[at]),
        )


def _suspect(material: Material, case: Case, score: float, reasons: tuple[str, ...]) -> Suspect:
    """A suspect with only those mentions of the place that change."""
    gold, proposed = set(case.place.gold), set(case.proposal)
    removed, added = sorted(gold - proposed), sorted(proposed - gold)
    place = _Place.of(material, min(span[0] for span in [*removed, *added]))
    return Suspect(
        place.file,
        place.line,
        place.sentence,
        _relative(removed, place.begin, material.types),
        _relative(added, place.begin, material.types),
        case.kind,
        round(score, 6),
        reasons,
        0,
    )


def _relative(spans: Sequence[CorpusSpan], begin: int, types: Sequence[str]) -> tuple[Span, ...]:
    return tuple(Span(start - begin, end - begin, types[kind]) for start, end, kind in spans)


def _groups(material: Material, suspects: Sequence[Suspect], texts: bool) -> list[SuspectGroup]:
    """Groups of suspects with the same correction of the same text, in the order of suspects."""
    words = _WordsOf(material)
    members: dict[tuple[str, ...], list[int]] = {}
    for at, suspect in enumerate(suspects):
        key = (suspect.kind, *words.correction(suspect))
        if suspect.kind == BROKEN:
            key = (suspect.kind, suspect.file, str(suspect.line))
        members.setdefault(key, []).append(at)
    return [
        _group(number, words, suspects, some, texts)
        for number, some in enumerate(members.values(), 1)
    ]


def _group(
    number: int, words: "_WordsOf", suspects: Sequence[Suspect], members: list[int], texts: bool
) -> SuspectGroup:
    first = suspects[members[0]]
    gold, proposed = words.correction(first) if texts else words.types(first)
    return SuspectGroup(
        number, first.kind, gold, proposed, first.score, len(members), tuple(members)
    )


class _WordsOf:
    """The words of suspects."""

    def __init__(self, material: Material) -> None:
        self._corpus = material.gold.corpus
        places = zip(material.files, material.numbers.tolist(), strict=True)
        self._at = {place: at for at, place in enumerate(places)}

    def index(self, file: str, sentence: int) -> int:
        """The number of a sentence among those of all files."""
        return self._at[file, sentence]

    def tokens(self, file: str, sentence: int) -> list[str]:
        return self._corpus.words(self._at[file, sentence])

    def correction(self, suspect: Suspect) -> tuple[str, str]:
        """What gold has and what is proposed, in words."""
        tokens = self.tokens(suspect.file, suspect.sentence)
        return spelt(suspect.gold, tokens), spelt(suspect.proposed, tokens)

    def types(self, suspect: Suspect) -> tuple[str, str]:
        """The same without words."""
        sides = (suspect.gold, suspect.proposed)
        gold, proposed = (" ".join(span.type for span in side) or "–" for side in sides)
        return gold, proposed


def _sentences(material: Material, suspects: Sequence[Suspect], texts: bool) -> list[AuditSentence]:
    """The sentences with suspects, in the order of their highest score."""
    corpus, mentions = material.gold.corpus, material.gold.mentions
    words = _WordsOf(material)
    best: dict[tuple[str, int], Suspect] = {}
    for suspect in suspects:
        best.setdefault((suspect.file, suspect.sentence), suspect)
    of_sentence: dict[int, list[CorpusSpan]] = {}
    for span in sorted(spans_of(mentions)):
        of_sentence.setdefault(material.sentence_of(span[0]), []).append(span)
    rows = []
    for (file, number), suspect in best.items():
        at = words.index(file, number)
        begin = int(corpus.starts[at])
        tokens = tuple(corpus.words(at)) if texts else ()
        gold = _relative(of_sentence.get(at, []), begin, material.types)
        rows.append(
            AuditSentence(file, number, int(corpus.lines[begin]), suspect.score, tokens, gold)
        )
    return rows


def _systems(
    material: Material, trust: Reliability, warned: Mapping[str, str]
) -> list[AuditedSystem]:
    rows = []
    for name, f1 in trust.f1.items():
        mine = [at for at, output in enumerate(material.outputs) if output.system == name]
        is_recipe = material.outputs[mine[0]].is_recipe
        weight = float(trust.weights[mine].sum())
        warning = warned.get(name)
        rows.append(AuditedSystem(name, is_recipe, len(mine), f1, weight, warning))
    return rows
