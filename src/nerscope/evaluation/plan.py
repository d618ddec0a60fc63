"""The first pass: make the plan for scoring every chunk of a task."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np

from nerscope.corpus.arrays import Ints
from nerscope.corpus.corpus import Coding
from nerscope.corpus.lexicon import FOLD, Lexicon, TrainingData, read_training
from nerscope.corpus.mentions import SCHEME_REPAIRS, STRICT
from nerscope.corpus.schemes import BIO, Scheme
from nerscope.corpus.units import ALL, INSIDE, MENTION, TOKEN
from nerscope.corpus.vocabulary import SequenceTrie
from nerscope.engines.base import Engine, is_nearby
from nerscope.errors import UsageError
from nerscope.evaluation.subsets import Subset, no_metric, parse_subset
from nerscope.evaluation.task import OVERALL_MATCHES, Settings, Task
from nerscope.facets.alignment import ALIGNMENT
from nerscope.facets.buckets import BUCKETINGS, given_edges
from nerscope.facets.facet import (
    FACETS,
    Facet,
    Survey,
    SurveyPart,
    attribute_named,
    category_named,
    facet_of,
    joined_survey,
    survey_chunk,
    surveyed,
)
from nerscope.facets.metadata import NO_VALUE, metadata_key
from nerscope.formats.align import needs_alignment
from nerscope.formats.shards import Shard
from nerscope.formats.source import LabelStyle, Source, require_tokens
from nerscope.scoring.evidence import FacetTable
from nerscope.scoring.matching import BILOU, EXACT, IO, LABEL, Match, match_named
from nerscope.scoring.metrics import ACCURACY, MACRO, SCORE_NAMES, WEIGHTED, metric_named

OVERALL_METRICS = (
    *SCORE_NAMES,
    *(f"{average}_{score}" for average in (MACRO, WEIGHTED) for score in SCORE_NAMES),
)
PAIR_METRICS = ("correct", "partial", "incorrect", "missed", "spurious", "partial_share")


@dataclass(frozen=True, slots=True, eq=False)
class Plan:
    """How chunks are scored. It is immutable, the same for all chunks, and sent to every worker.

    A `Task` has open files; a plan has no files and works for any sentences.
    """

    settings: Settings
    facets: tuple[Facet, ...]
    matches: tuple[Match, ...]
    label_styles: tuple[LabelStyle, ...]  # of gold, then of each run
    coding: Coding  # codes of words and types; each worker adds new codes to its own copy
    keeps_words: bool = False  # whether results contain the words of the sentences
    surfaces: SequenceTrie = field(default_factory=SequenceTrie)
    lexicon: Lexicon | None = None
    types_of_surface: Ints = field(default_factory=lambda: np.zeros(0, np.int64))

    @property
    def needs_tokens(self) -> bool:
        return bool(self.facets) or self.lexicon is not None

    @property
    def is_flat(self) -> bool:
        """Whether no mentions overlap, so that every token has one label."""
        return all(style.flat for style in self.label_styles)

    @property
    def keeps_errors(self) -> bool:
        """Whether folded results have errors: not if only exact match is evaluated.

        Kinds of errors need pairs of overlapping mentions. Exact match needs none, and is evaluated
        alone where only scores are wanted.
        """
        return self.settings.fold is not False and len(self.matches) > 1

    def facets_of_unit(self, unit: str) -> list[Facet]:
        return [facet for facet in self.facets if facet.unit == unit]


class FirstPass(NamedTuple):
    """The result of the first pass: the plan, and values that only this process needs."""

    plan: Plan
    subsets: list[Subset]
    zeta: dict[str, float | None]  # the mean of each attribute over gold
    training: TrainingData | None


def make_plan(
    task: Task,
    engine: Engine,
    report: Callable[[], None] = lambda: None,
    training: TrainingData | None = None,
) -> FirstPass:
    """The first pass: read the training data, survey the gold data, and define the facets.

    `report` is called after each shard. `training` are the training data if they were read before.
    """
    settings = task.settings
    label_styles = _label_styles(task)
    flat = all(style.flat for style in label_styles)
    subsets = select_subsets(settings, with_train=task.train is not None, flat=flat)
    if task.needs_alignment and settings.facets is None:
        subsets.append(parse_subset(ALIGNMENT))
    names = list(dict.fromkeys(name for subset in subsets for name in subset.facets()))
    if training is None and task.train is not None:
        training = _read_training(task.train, task)
    lexicon = training.lexicon if training else None
    survey, zeta = Survey(SequenceTrie(), np.zeros(0, np.int64), {}), {}
    if names:
        parts = _survey_gold(task, names, label_styles[0], lexicon, engine)
        survey = surveyed(_report_each(parts, report), task.coding, lexicon)
        zeta = {name: _or_none(values.mean()) for name, values in survey.values.items()}
    _refuse_empty_metadata(survey, task.gold.name)
    facets = tuple(_fix_levels(name, survey, settings) for name in names)
    matches = dict.fromkeys((EXACT, *(settings.matches or OVERALL_MATCHES)))
    plan = Plan(
        settings,
        facets,
        tuple(map(match_named, matches)),
        label_styles,
        task.coding,
        task.keeps_words,
        survey.surfaces,
        lexicon,
        survey.types_of_surface,
    )
    return FirstPass(plan, subsets, zeta, training)


def _read_training(train: Source, task: Task) -> TrainingData:
    # Training data may be read twice, so this passes a function that starts reading.
    return read_training(
        lambda: map(require_tokens, train.chunks(task.coding)),
        task.settings.repair,
        fold_case=task.settings.case == FOLD,
    )


def _or_none(value: float) -> float | None:
    return None if np.isnan(value) else value


def _label_styles(task: Task) -> tuple[LabelStyle, ...]:
    """The scheme of gold and of each run, and whether its mentions are assumed to be flat.

    Whether mentions overlap is known only after they are read and moved onto the tokens of gold:
    two mentions may then be on one token, such as "Paris-London". So they are assumed to be flat
    until scoring finds that they are not (`task.overlapping`).

    Detecting a scheme means reading a file once more. Most evaluations do not need this: the repair
    conlleval is the same for all schemes.
    """
    settings = task.settings
    # BILOU labels depend on boundaries, and the strict repair finds them with the scheme.
    strict_tokens = settings.token_repair == STRICT and settings.token_match == BILOU
    needs_scheme = settings.repair in SCHEME_REPAIRS or (strict_tokens and task.train is not None)
    schemes: dict[int, Scheme] = {}
    for source in task.sources if needs_scheme else ():
        is_moved = source is not task.gold and needs_alignment(task.gold, source)
        if id(source) not in schemes:
            schemes[id(source)] = BIO if is_moved else source.scheme_of_labels(task.coding)
    return tuple(
        LabelStyle(schemes.get(id(source), BIO), side not in task.overlapping)
        for side, source in enumerate(task.sources)
    )


def select_subsets(settings: Settings, *, with_train: bool, flat: bool = True) -> list[Subset]:
    """The facets and subsets of the settings, parsed; default: all standard facets.

    Without training data no facet is a default. A facet in the settings raises a `UsageError` if
    it needs training data, or tokens with one label each, and these are missing.
    """
    if settings.facets is None:
        names = (
            [name for name in FACETS if _is_available(name, with_train, flat)] if with_train else []
        )
        return [parse_subset(name) for name in names]
    subsets = [subset for subset in map(parse_subset, settings.facets) if subset.text != ALL]
    for name in (name for subset in subsets for name in subset.facets()):
        if FACETS[name].needs_train and not with_train:
            raise UsageError(
                f"facet {name}",
                "it needs training data",
                "--train FILE (train=… in Python)",
            )
        if FACETS[name].unit != MENTION and not flat:
            raise UsageError(
                f"facet {name}",
                "mentions overlap, so tokens have no single label",
                "remove this facet for overlapping mentions",
            )
    return subsets


def _is_available(name: str, with_train: bool, flat: bool) -> bool:
    facet = FACETS[name]
    return (
        facet.standard and (with_train or not facet.needs_train) and (flat or facet.unit == MENTION)
    )


class _SurveyState(NamedTuple):
    """The state that all shards of a survey share; it is sent to workers."""

    attributes: tuple[str, ...]
    categories: tuple[str, ...]  # facets of labels
    label_style: LabelStyle
    repair: str
    lexicon: Lexicon | None
    coding: Coding


def _survey_gold(
    task: Task, names: Sequence[str], style: LabelStyle, lexicon: Lexicon | None, engine: Engine
) -> Iterator[SurveyPart]:
    attributes = tuple(name for name in names if attribute_named(name))
    categories = tuple(name for name in names if category_named(name))
    state = _SurveyState(attributes, categories, style, task.settings.repair, lexicon, task.coding)
    if goes_to_engine(task, engine):
        shards = task.shards.gold_only if task.shards else [(task.gold,)]
        return engine.map(_survey_shard, state, shards)
    return _survey_chunks(state, task.sources)


def _report_each(parts: Iterator[SurveyPart], report: Callable[[], None]) -> Iterator[SurveyPart]:
    for part in parts:
        report()
        yield part


def _survey_shard(state: _SurveyState, shard: Shard) -> SurveyPart:
    return joined_survey(list(_survey_chunks(state, shard)))


def _survey_chunks(state: _SurveyState, shard: Shard) -> Iterator[SurveyPart]:
    attributes = list(filter(None, map(attribute_named, state.attributes)))
    categories = list(filter(None, map(category_named, state.categories)))
    gold = shard[0]
    for chunk in gold.chunks(state.coding):
        mentions = require_tokens(chunk).mentions(state.repair, state.label_style.scheme)
        yield survey_chunk(chunk, mentions, attributes, state.lexicon, categories)


def goes_to_engine(task: Task, engine: Engine) -> bool:
    """Whether the engine reads the data; otherwise this process reads them chunk by chunk.

    Shards always go to the engine. Files without shards go to an engine on other machines if they
    are small. Large files are read here, since one worker would need memory for all data at once.
    """
    return task.shards is not None or (task.gold.info.is_small and not is_nearby(engine))


def _refuse_empty_metadata(survey: Survey, gold: str) -> None:
    for name, labels in survey.labels.items():
        if (key := metadata_key(name)) is not None and labels == (NO_VALUE,):
            raise UsageError(
                gold, f"no record has metadata with the key '{key}'", "check the key for typos"
            )


def _fix_levels(name: str, survey: Survey, settings: Settings) -> Facet:
    """The facet of this name; for an attribute, its buckets with edges from gold."""
    attribute = attribute_named(name)
    if attribute is None:
        return facet_of(name, None, survey.labels.get(name))
    if name in settings.edges:
        return attribute.facet(given_edges(name, settings.edges[name]))
    place_edges = BUCKETINGS[settings.bucketing or attribute.bucketing]
    return attribute.facet(place_edges(survey.values[name], settings.buckets))


def facet_tables(plan: Plan) -> tuple[FacetTable, ...]:
    """The tables of results: all mentions, the accuracy of all labels, and every facet."""
    settings = plan.settings
    undivided = {ALL: (0,)}
    overall = {
        match: settings.metrics or (*OVERALL_METRICS, *(() if match == EXACT else PAIR_METRICS))
        for match in settings.matches or OVERALL_MATCHES
    }
    tables = [_facet_table(ALL, MENTION, undivided, overall, True)]
    if plan.is_flat and ACCURACY in (settings.metrics or (ACCURACY,)):
        tables.append(FacetTable(ALL, TOKEN, undivided, {LABEL: (ACCURACY,)}, by_type=False))
    for facet in plan.facets:
        metrics = settings.metrics or facet.metrics
        if facet.unit == TOKEN:
            # Systems predict mentions, not tokens, so metrics such as precision do not exist here.
            metrics = tuple(name for name in metrics if name in facet.metrics) or facet.metrics
        matches = {
            MENTION: settings.matches or (EXACT,),
            INSIDE: (IO,),
            TOKEN: (settings.token_match,),
        }[facet.unit]
        by_match = dict.fromkeys(matches, metrics)
        table = _facet_table(facet.name, facet.unit, facet.level_codes, by_match, facet.by_type)
        tables.append(replace(table, title=facet.title))
    shown = tuple(table for table in tables if table.metrics)
    if not shown:
        raise no_metric()
    return shown


def _facet_table(
    facet: str,
    unit: str,
    levels: Mapping[str, tuple[int, ...]],
    metrics: Mapping[str, tuple[str, ...]],
    by_type: bool,
) -> FacetTable:
    """The table of a facet, without metrics that do not apply to its levels or unit."""
    measurable = {
        match: tuple(name for name in names if _is_measurable(name, unit, match, levels))
        for match, names in metrics.items()
    }
    shown = {match: names for match, names in measurable.items() if names}
    return FacetTable(facet, unit, dict(levels), shown, by_type)


def _is_measurable(name: str, unit: str, match: str, levels: Mapping[str, tuple[int, ...]]) -> bool:
    metric = metric_named(name)
    if not set(metric.needs_levels) <= levels.keys():
        return False
    if (metric.needs_pairs and unit != MENTION) or metric.unit not in (None, unit):
        return False
    return name != ACCURACY or match == LABEL
