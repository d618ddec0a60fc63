"""Measure how well annotators agree: read their files, compute all numbers, list disagreements."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

from nerscope.annotation.agreement import Agreement, AgreementScore, SharedTexts
from nerscope.annotation.annotators import Annotators, open_annotators, open_systems
from nerscope.annotation.disagreements import (
    annotated_sentences,
    disagreements,
    mention_groups,
    type_confusion,
)
from nerscope.annotation.mention_scores import (
    Cell,
    MentionScorer,
    PairScores,
    ceiling,
    deviations,
    mean_rows,
)
from nerscope.annotation.texts import AnnotatedTexts, ReadingOptions, read_annotated
from nerscope.annotation.token_scores import token_scores
from nerscope.arguments import check_arguments
from nerscope.corpus.units import ALL
from nerscope.engines.base import Engine, engine_for
from nerscope.evaluation.task import Settings
from nerscope.formats.base import CorpusLike, TrainingLike, open_training

Progress = Callable[[int], None]


def agree(
    annotators: Annotators,
    *,
    systems: Mapping[str, CorpusLike] | None = None,
    train: TrainingLike | None = None,
    join: str | None = None,
    engine: str | Engine | None = None,
    workers: int = 1,
    plugins: Sequence[str] = (),
    progress: Progress | None = None,
    **options: Any,
) -> Agreement:
    """Measure how well annotators agree, and list where they do not.

    - `annotators`: the annotations of each annotator by name, or one export that names several.
    - `systems`: outputs of systems by name, to compare with the annotators.
    - `train`: training data, for tough mentions.
    - `join`: how texts are joined: "id", "text" or "order"; default: the first that fits.
    - `engine`, `workers`, `plugins`, `progress`: as for `evaluate`.
    - `options`: the fields of `Settings` `matches`, `repair`, `map`, `drop`, `case` and `texts`.

    >>> ann, ben, eve = ([(["Ada", "spoke"], [label, "O"])] for label in ("B-PER", "B-PER", "O"))
    >>> agree({"ann": ann, "ben": ben, "eve": eve}).value("f1")
    0.3333333333333333
    """
    check_arguments(agree, locals())
    opened = open_annotated(annotators, systems, join, options)
    training = None if train is None else open_training(train)
    made = engine_for(engine, workers, plugins)
    return measure(opened, training, made, progress or (lambda sentences: None))


@dataclass(frozen=True, slots=True)
class OpenedTexts:
    """The texts of all annotators in memory, and the settings by which they were read."""

    texts: AnnotatedTexts
    settings: Settings


def open_annotated(
    annotators: Annotators,
    systems: Mapping[str, CorpusLike] | None,
    join: str | None,
    options: Mapping[str, Any],
) -> OpenedTexts:
    """Read the files of annotators and systems, and join their texts."""
    settings = Settings.of(options)
    opened = open_annotators(annotators)
    reading = ReadingOptions(settings.repair, settings.map, settings.drop)
    texts = read_annotated(opened, open_systems(systems, list(opened)), reading, join)
    return OpenedTexts(texts, settings)


def measure(opened: OpenedTexts, training: Any, engine: Engine, progress: Progress) -> Agreement:
    """Every number, and every disagreement, of texts in memory."""
    texts, settings = opened.texts, opened.settings
    scorer = MentionScorer(texts, settings, training, engine, progress)
    pairs = list(scorer.pairs())
    among = [pair for pair in pairs if pair.b not in texts.systems]
    by_system = {name: [pair for pair in pairs if pair.b == name] for name in texts.systems}
    overall = Cell(ALL, ALL, None, next(iter(pairs[0].cells)).match)
    return Agreement(
        rows=[*_mention_rows(texts, among, by_system), *token_scores(texts)],
        texts={
            name: texts.n_records(texts.present[at]) for at, name in enumerate(texts.annotators)
        },
        shared=list(_shared(texts)),
        deviations=deviations(among, texts.annotators, overall),
        ceiling=[ceiling(name, own, among, overall) for name, own in by_system.items()],
        confusion=list(type_confusion(texts)),
        sentences=annotated_sentences(texts, with_tokens=settings.texts),
        disagreements=disagreements(texts, mention_groups(texts)),
        settings=_settings(texts, settings, scorer),
        losses=list(texts.notes),
        annotated=texts,
    )


def _mention_rows(
    texts: AnnotatedTexts,
    among: Sequence[PairScores],
    by_system: Mapping[str, Sequence[PairScores]],
) -> Iterator[AgreementScore]:
    """The means over pairs, then the pairs, of the annotators and of each system."""
    yield from mean_rows(among, None, texts.n_annotators)
    for pair in among:
        yield from pair.rows()
    for name, pairs in by_system.items():
        yield from mean_rows(pairs, name, 2)
        for pair in pairs:
            yield from pair.rows()


def _shared(texts: AnnotatedTexts) -> Iterator[SharedTexts]:
    for a, b in combinations(range(texts.n_annotators), 2):
        n = texts.n_records(texts.shared(a, b))
        yield SharedTexts(texts.names[a], texts.names[b], n)


def _settings(texts: AnnotatedTexts, settings: Settings, scorer: MentionScorer) -> dict[str, Any]:
    """What affects a number, as plain data."""
    written, n_annotators = settings.signature(), texts.n_annotators_of_sentence
    kept = {key: written[key] for key in ("match", "repair", "case", "map")}
    return {
        "joined_by": texts.joined_by,
        **kept,
        "intervals": "jackknife",
        "cluster": texts.cluster_unit,
        "clusters": len(set(texts.cluster.tolist())),
        "text_unit": texts.text_unit,
        "texts": texts.n_records(n_annotators > 0),
        "shared_by_all": texts.n_records(n_annotators == texts.n_annotators),
        "facets": scorer.edges,
        "files": list(texts.files),
    }
