"""What follows from the settings and the first pass: the plan, which every chunk is scored by."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np

from nerscope.corpus.arrays import Ints
from nerscope.corpus.corpus import Coding, Corpus
from nerscope.corpus.interning import SequenceTrie
from nerscope.corpus.lexicon import Lexicon, TrainingData, read_training
from nerscope.corpus.schemes import BIO, LabelCodes
from nerscope.corpus.units import INSIDE, MENTION, TOKEN
from nerscope.engines.base import Engine, is_nearby
from nerscope.errors import UsageError
from nerscope.evaluation.settings import OVERALL_MATCHES, Settings
from nerscope.evaluation.subsets import ALL, Subset, parse_subset
from nerscope.evaluation.systems import Run, Systems, is_source, runs_of
from nerscope.facets.alignment import ALIGNMENT
from nerscope.facets.buckets import BUCKETINGS, given_edges
from nerscope.facets.facet import FACETS, Attribute, Facet
from nerscope.facets.survey import Survey, SurveyPart, joined_survey, survey_chunk, surveyed
from nerscope.formats.align import needs_alignment, side_by_side
from nerscope.formats.base import CorpusLike, open_source, stem_of
from nerscope.formats.shards import Shard, Shards
from nerscope.formats.source import JoinedSources, LabelStyle, Source, require_tokens
from nerscope.scoring.evidence import FacetTable
from nerscope.scoring.matching import Match, match_named
from nerscope.scoring.metrics import metric_named

EXACT = "exact"
LABEL = "label"  # the match of whole labels, token by token
OVERALL_METRICS = (
    *("precision", "recall", "f1"),
    *("macro_precision", "macro_recall", "macro_f1"),
    *("weighted_precision", "weighted_recall", "weighted_f1"),
)
PAIR_METRICS = ("correct", "partial", "incorrect", "missed", "spurious", "partial_share")


class Task(NamedTuple):
    """What is to be evaluated: gold, the runs of systems, perhaps training data, all opened."""

    dataset: str
    gold: Source
    runs: list[Run]
    train: Source | None
    settings: Settings
    coding: Coding
    pieces: Shards | None = None  # what can be read apart, if anything can

    @property
    def sources(self) -> Shard:
        """Gold, then the output of each run."""
        return (self.gold, *(run.source for run in self.runs))

    @property
    def with_words(self) -> bool:
        """Whether the sentences are kept in the results, for reading: of small files, and of all if
        somebody wants every mention.
        """
        return self.settings.texts and (self.gold.info.is_small or self.settings.fold is False)

    def rows(self, *, tokens: bool) -> Iterator[list[Corpus]]:
        """The chunks of gold and of each run, side by side; without tokens if nobody looks."""
        repair = self.settings.repair
        return side_by_side(self.sources, self.coding, tokens=tokens, repair=repair)

    @property
    def realigned(self) -> bool:
        """Whether the mentions of some system must be brought onto the tokens of gold."""
        return any(needs_alignment(self.gold, run.source) for run in self.runs)


@dataclass(frozen=True, slots=True, eq=False)
class Plan:
    """What to do with each chunk: fixed, the same for all chunks, and able to travel."""

    settings: Settings
    facets: tuple[Facet, ...]
    matches: tuple[Match, ...]
    natures: tuple[LabelStyle, ...]  # of gold, then of each run
    coding: Coding  # of training and gold mentions; what is new in a worker stays there
    with_words: bool = False  # whether sentences are kept, for reading
    surfaces: SequenceTrie = field(default_factory=SequenceTrie)
    lexicon: Lexicon | None = None
    types_of_surface: Ints = field(default_factory=lambda: np.zeros(0, np.int64))

    @property
    def needs_tokens(self) -> bool:
        """Whether anybody looks at the tokens."""
        return bool(self.facets) or self.lexicon is not None

    @property
    def flat(self) -> bool:
        """Whether all mentions are flat, so that every token has one label."""
        return all(nature.flat for nature in self.natures)

    def of_unit(self, unit: str) -> list[Facet]:
        """The facets that divide one kind of unit."""
        return [facet for facet in self.facets if facet.unit == unit]


class Planned(NamedTuple):
    """The plan, and what else the first pass found."""

    plan: Plan
    subsets: list[Subset]
    zeta: dict[str, float | None]
    training: TrainingData | None


def open_task(
    test: CorpusLike,
    systems: Systems | None,
    train: CorpusLike | Sequence[CorpusLike] | None,
    dataset: str | None,
    settings: Settings,
) -> Task:
    """Open everything that is to be read."""
    gold = open_source(test, "<gold>")
    name = dataset or stem_of(gold.name) or "test"
    if systems is None:
        gold, output = gold.two_sides()
        systems = {stem_of(output.name): output}
    runs = runs_of(systems)
    if any(run.source == gold and gold.n_columns > 2 for run in runs):
        raise UsageError(
            gold.name,
            "gold and system are the same column",
            "say which is which, as FILE::label=1; a file with both may also be given alone",
        )
    coding = Coding(labels=LabelCodes(settings.map, frozenset(settings.drop)))
    return Task(name, gold, runs, _training(train), settings, coding)


def _training(train: CorpusLike | Sequence[CorpusLike] | None) -> Source | None:
    """The training data; several files are one training set."""
    if train is None:
        return None
    given: Any = train
    if isinstance(given, list | tuple) and given and is_source(given[0]):
        opened = [open_source(one, "<train>") for one in given]
        return opened[0] if len(opened) == 1 else JoinedSources(opened)
    return open_source(given, "<train>")


def make_plan(
    task: Task, engine: Engine, surveyed_one: Callable[[], None] = lambda: None
) -> Planned:
    """The first pass: read the training data, survey the gold data, and fix the facets.

    Whoever wants to know is told of each piece that is surveyed.
    """
    settings = task.settings
    natures = _natures(task)
    flat = all(nature.flat for nature in natures)
    subsets = chosen_subsets(settings, with_train=task.train is not None, flat=flat)
    if task.realigned and settings.facets is None:
        subsets.append(parse_subset(ALIGNMENT))
    names = list(dict.fromkeys(name for subset in subsets for name in subset.facets()))
    training = _read(task.train, task) if task.train is not None else None
    lexicon = training.lexicon if training else None
    survey, zeta = Survey(SequenceTrie(), np.zeros(0, np.int64), {}), {}
    if names:
        parts = _survey_parts(task, names, natures[0], lexicon, engine)
        survey = surveyed(_each(parts, surveyed_one), task.coding, lexicon)
        zeta = {name: _or_none(values.mean()) for name, values in survey.values.items()}
    facets = tuple(_fixed(name, survey, settings) for name in names)
    matches = dict.fromkeys((EXACT, *(settings.matches or OVERALL_MATCHES)))
    plan = Plan(
        settings,
        facets,
        tuple(map(match_named, matches)),
        natures,
        task.coding,
        task.with_words,
        survey.surfaces,
        lexicon,
        survey.types_of_surface,
    )
    return Planned(plan, subsets, zeta, training)


def _read(train: Source, task: Task) -> TrainingData:
    """Count the training data."""
    return read_training(
        lambda: map(require_tokens, train.chunks(task.coding)), task.settings.repair
    )


def _or_none(value: float) -> float | None:
    return None if np.isnan(value) else value


def _natures(task: Task) -> tuple[LabelStyle, ...]:
    """Scheme and flatness of gold and of each run, for those of which it matters.

    Labels are flat, and conlleval reads them alike in all schemes; so most evaluations can do
    without looking.
    """
    settings = task.settings
    strict_tokens = settings.token_repair == "strict" and settings.token_match == "bilou"
    by_scheme = settings.repair in ("strict", "discard") or (
        strict_tokens and task.train is not None
    )
    from_files = all(source.always_flat for source in task.sources)
    if task.realigned:
        return _natures_on_gold(task)
    if from_files and not by_scheme:
        return tuple(LabelStyle() for _ in task.sources)
    known: dict[int, LabelStyle] = {}
    for source in task.sources:
        if id(source) not in known:
            known[id(source)] = source.label_style(task.coding)
    return tuple(known[id(source)] for source in task.sources)


def _natures_on_gold(task: Task) -> tuple[LabelStyle, ...]:
    """The same where mentions are brought onto other tokens, on which two may meet."""
    flat = [True] * len(task.sources)
    for row in task.rows(tokens=True):
        flat = [so_far and corpus.is_flat for so_far, corpus in zip(flat, row, strict=True)]
    return tuple(
        LabelStyle(
            BIO if needs_alignment(task.gold, source) else source.label_style(task.coding).scheme,
            is_flat,
        )
        for source, is_flat in zip(task.sources, flat, strict=True)
    )


def chosen_subsets(settings: Settings, *, with_train: bool, flat: bool = True) -> list[Subset]:
    """What is asked for, parsed: facets and subsets of facets; what cannot be had is refused."""
    if settings.facets is None:
        names = (
            [name for name in FACETS if _can_be_had(name, with_train, flat)] if with_train else []
        )
        return [parse_subset(name) for name in names]
    subsets = [subset for subset in map(parse_subset, settings.facets) if subset.text != ALL]
    for name in (name for subset in subsets for name in subset.facets()):
        if FACETS[name].needs_train and not with_train:
            raise UsageError(
                f"facet {name}",
                "it needs the training data",
                "give it with --train FILE (train=… in Python)",
            )
        if FACETS[name].unit != MENTION and not flat:
            raise UsageError(
                f"facet {name}",
                "tokens have no single label where mentions overlap",
                "leave this facet out for nested mentions",
            )
    return subsets


def _can_be_had(name: str, with_train: bool, flat: bool) -> bool:
    facet = FACETS[name]
    return (
        facet.standard and (with_train or not facet.needs_train) and (flat or facet.unit == MENTION)
    )


class _ToSurvey(NamedTuple):
    """What a survey needs beside the sentences."""

    attributes: tuple[str, ...]
    nature: LabelStyle
    repair: str
    lexicon: Lexicon | None
    coding: Coding


def _survey_parts(
    task: Task, names: Sequence[str], nature: LabelStyle, lexicon: Lexicon | None, engine: Engine
) -> Iterator[SurveyPart]:
    attributes = tuple(name for name in names if isinstance(FACETS[name], Attribute))
    state = _ToSurvey(attributes, nature, task.settings.repair, lexicon, task.coding)
    if is_for_engine(task, engine):
        return engine.map(_survey, state, task.pieces.gold_only if task.pieces else [(task.gold,)])
    return _survey_rows(state, task.sources)


def _each(parts: Iterator[SurveyPart], then: Callable[[], None]) -> Iterator[SurveyPart]:
    for part in parts:
        then()
        yield part


def _survey(state: _ToSurvey, piece: Shard) -> SurveyPart:
    """The survey of a piece; only gold is looked at."""
    return joined_survey(list(_survey_rows(state, piece)))


def _survey_rows(state: _ToSurvey, piece: Shard) -> Iterator[SurveyPart]:
    attributes = [FACETS[name] for name in state.attributes]
    known = [one for one in attributes if isinstance(one, Attribute)]
    for chunk in piece[0].chunks(state.coding):
        mentions = require_tokens(chunk).mentions(state.repair, state.nature.scheme)
        yield survey_chunk(chunk, mentions, known, state.lexicon)


def is_for_engine(task: Task, engine: Engine) -> bool:
    """Whether the engine gets what is to be read. A large whole is read chunk by chunk in this
    process, so that memory does not grow with it; so is a small one, if all happens nearby.
    """
    return task.pieces is not None or (task.gold.info.is_small and not is_nearby(engine))


def _fixed(name: str, survey: Survey, settings: Settings) -> Facet:
    """A facet whose levels and edges are settled on the gold data."""
    found = FACETS[name]
    if isinstance(found, Facet):
        return found
    if name in settings.edges:
        return found.facet(given_edges(name, settings.edges[name]))
    place_edges = BUCKETINGS[settings.bucketing or found.bucketing]
    return found.facet(place_edges(survey.values[name], settings.buckets))


def divisions_of(plan: Plan) -> tuple[FacetTable, ...]:
    """What is to be reported: all mentions together, all labels, and every facet."""
    settings = plan.settings
    whole = {ALL: (0,)}
    overall = {
        match: settings.metrics or (*OVERALL_METRICS, *(() if match == EXACT else PAIR_METRICS))
        for match in settings.matches or OVERALL_MATCHES
    }
    divisions = [_division(ALL, MENTION, whole, overall, True)]
    if plan.flat and "accuracy" in (settings.metrics or ("accuracy",)):
        divisions.append(FacetTable(ALL, TOKEN, whole, {LABEL: ("accuracy",)}, by_type=False))
    for facet in plan.facets:
        metrics = settings.metrics or facet.metrics
        if facet.unit == TOKEN:  # tokens are not predicted: what the facet offers, or part of it
            metrics = tuple(name for name in metrics if name in facet.metrics) or facet.metrics
        matches = {
            MENTION: settings.matches or (EXACT,),
            INSIDE: ("io",),
            TOKEN: (settings.token_match,),
        }[facet.unit]
        own = dict.fromkeys(matches, metrics)
        one = _division(facet.name, facet.unit, facet.level_codes, own, facet.by_type)
        divisions.append(replace(one, title=facet.title))
    shown = tuple(division for division in divisions if division.metrics)
    if not shown:
        raise UsageError(
            f"metric '{', '.join(settings.metrics or ())}'",
            "nothing that was asked for can be measured by it",
            "choose other metrics, or facets that have them",
        )
    return shown


def _division(
    facet: str,
    unit: str,
    levels: Mapping[str, tuple[int, ...]],
    metrics: Mapping[str, tuple[str, ...]],
    by_type: bool,
) -> FacetTable:
    """A division with those of the metrics that can be had from its levels and its unit."""
    possible = {
        match: tuple(name for name in names if _fits(name, unit, match, levels))
        for match, names in metrics.items()
    }
    shown = {match: names for match, names in possible.items() if names}
    return FacetTable(facet, unit, dict(levels), shown, by_type)


def _fits(name: str, unit: str, match: str, levels: Mapping[str, tuple[int, ...]]) -> bool:
    metric = metric_named(name)
    if not set(metric.needs_levels) <= levels.keys():
        return False
    if (metric.needs_pairs and unit != MENTION) or metric.unit not in (None, unit):
        return False
    return name != "accuracy" or match == LABEL
