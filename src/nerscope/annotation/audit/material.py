"""What an audit reads: gold, outputs of systems, training data."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from nerscope.annotation.decisions import Decision, Span
from nerscope.corpus.arrays import Floats, Ints
from nerscope.corpus.corpus import Coding, Corpus, join_chunks
from nerscope.corpus.mentions import Mentions
from nerscope.errors import AlignmentError, plural
from nerscope.evaluation.task import Run
from nerscope.formats.align import OrderError, side_by_side
from nerscope.formats.record_join import ORDER, join_records
from nerscope.formats.source import Source, SourceNote, reading_notes, require_tokens

_MOST_CERTAIN = 0.99  # of a perfect output, so that its weight is finite
_LEAST_CERTAIN = 0.55


class LabelledText(NamedTuple):
    """A corpus in memory, and its mentions."""

    corpus: Corpus
    mentions: Mentions


class TokenProbabilities(NamedTuple):
    """The probability of each label in the scheme bio, for each token.

    `columns` has the column of a label by its letter and the code of its type; O has the type -1.
    """

    columns: dict[tuple[str, int], int]
    table: Floats


@dataclass(frozen=True, slots=True, eq=False)
class Output:
    """The mentions that one run of a system predicts, or a recipe out of fold."""

    system: str
    run: str
    mentions: Mentions
    probabilities: TokenProbabilities | None = None
    is_recipe: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Material:
    """Gold with the sentences of each file, and the outputs for the same sentences.

    `files` and `numbers` have the file of each sentence, and its number in that file.
    """

    gold: LabelledText
    outputs: Sequence[Output]
    training: Sequence[LabelledText]
    files: Sequence[str]
    numbers: Ints
    notes: Sequence[SourceNote]

    @property
    def types(self) -> Sequence[str]:
        """The names of types by their codes."""
        return self.gold.corpus.coding.labels.types

    def confirmed(self, sentence: int) -> Decision:
        """The decision that a sentence of gold is right."""
        corpus, mentions = self.gold.corpus, self.gold.mentions
        begin, end = corpus.starts[sentence : sentence + 2].tolist()
        first, last = np.searchsorted(mentions.start, [begin, end]).tolist()
        columns = (mentions.start, mentions.end, mentions.type)
        rows = zip(*(column[first:last].tolist() for column in columns), strict=True)
        gold = tuple(Span(low - begin, high - begin, self.types[kind]) for low, high, kind in rows)
        text = " ".join(corpus.words(sentence))
        return Decision(self.files[sentence], int(self.numbers[sentence]), text, gold, gold)

    def sentence_of(self, token: int) -> int:
        return int(np.searchsorted(self.gold.corpus.starts, token, side="right")) - 1


def read_material(gold: Source, runs: Sequence[Run], train: Source | None, repair: str) -> Material:
    """Read all files into memory, with one vocabulary."""
    coding = Coding()
    sources = [gold, *(run.source for run in runs)]
    rows = _aligned(sources, coding, repair)
    files = [row[0].name for row in rows for _ in range(len(row[0]))]
    corpora = [join_chunks([row[side] for row in rows], repair) for side in range(len(sources))]
    annotated = require_tokens(corpora[0].with_words())
    outputs = [
        Output(run.system, run.number, corpus.mentions(repair).placed)
        for run, corpus in zip(runs, corpora[1:], strict=True)
    ]
    sides = [annotated, *corpora[1:]]
    notes = [
        note
        for source, corpus in zip(sources, sides, strict=True)
        for note in reading_notes(source.name, corpus.reading_notes, corpus.scheme, repair)
    ]
    training = []
    if train is not None:
        text = require_tokens(join_chunks(list(train.chunks(coding)), repair).with_words())
        training.append(LabelledText(text, text.mentions(repair).placed))
    mentions = annotated.mentions(repair).placed
    return Material(
        LabelledText(annotated, mentions), outputs, training, files, _numbered(files), notes
    )


def _aligned(sources: list[Source], coding: Coding, repair: str) -> list[list[Corpus]]:
    """The same sentences of all sources, joined by ids or texts of records if their order differs.

    Every record of gold must be in every output: suspects name sentences by their number.
    """
    try:
        return list(side_by_side(sources, coding, repair=repair))
    except AlignmentError as error:
        joined = join_records(sources)
        is_needless = (
            joined is not None and joined.by == ORDER and not isinstance(error, OrderError)
        )
        if joined is None or is_needless or not joined.is_complete:
            raise
        return list(side_by_side(joined.sources, coding, repair=repair))


def _numbered(files: Sequence[str]) -> Ints:
    """The number of each sentence in its file.

    >>> _numbered(["a", "a", "b"]).tolist()
    [0, 1, 0]
    """
    counts: dict[str, int] = {}
    numbers = []
    for name in files:
        numbers.append(counts.get(name, 0))
        counts[name] = numbers[-1] + 1
    return np.array(numbers, np.int64)


@dataclass(frozen=True, slots=True, eq=False)
class Reliability:
    """How far each output agrees with gold: how much it counts, and log-odds by type.

    `precision` is that of predicted mentions of a type, `recall` that of gold mentions of a type;
    both are means over the outputs, with one observation added to either side.
    """

    weights: Floats  # of the outputs; they sum to 1
    precision: Floats
    recall: Floats
    f1: Mapping[str, float]  # by system, the mean over its runs


def reliability(gold: Mentions, outputs: Sequence[Output], n_types: int) -> Reliability:
    """Compare each output with gold; a few errors in gold do not matter here."""
    tables = [_agreement(gold, output.mentions, n_types) for output in outputs]
    f1 = [table.f1 for table in tables]
    certain = np.clip(f1, _LEAST_CERTAIN, _MOST_CERTAIN)
    runs = np.array([sum(o.system == output.system for o in outputs) for output in outputs])
    weights = np.log(certain / (1 - certain)) / runs
    by_system: dict[str, list[float]] = {}
    for output, value in zip(outputs, f1, strict=True):
        by_system.setdefault(output.system, []).append(value)
    return Reliability(
        weights / weights.sum(),
        np.mean([table.precision for table in tables], axis=0),
        np.mean([table.recall for table in tables], axis=0),
        {name: float(np.mean(values)) for name, values in by_system.items()},
    )


class _Agreement(NamedTuple):
    precision: Floats
    recall: Floats
    f1: float


def _agreement(gold: Mentions, predicted: Mentions, n_types: int) -> _Agreement:
    sides = [spans_of(gold), spans_of(predicted)]
    shared = sides[0] & sides[1]
    right = _by_type(shared, n_types)
    odds = [np.log((right + 1) / (_by_type(side - shared, n_types) + 1)) for side in sides]
    size = len(sides[0]) + len(sides[1])
    return _Agreement(odds[1], odds[0], 2 * len(shared) / size if size else 1.0)


def spans_of(mentions: Mentions) -> set[tuple[int, int, int]]:
    """The mentions as (start, end, type)."""
    columns = (mentions.start.tolist(), mentions.end.tolist(), mentions.type.tolist())
    return set(zip(*columns, strict=True))


def _by_type(spans: set[tuple[int, int, int]], n_types: int) -> Ints:
    return np.bincount(np.array([kind for *_, kind in spans], np.int64), minlength=n_types)


def systems_in_words(names: Iterator[str] | Sequence[str]) -> str:
    """Names as in "flair, elmo and bert"; many are counted.

    >>> systems_in_words(["flair", "elmo"]), systems_in_words("abcd")
    ('flair and elmo', '4 systems')
    """
    listed = list(names)
    if len(listed) > 3:
        return plural(len(listed), "system")
    return " and ".join(filter(None, [", ".join(listed[:-1]), listed[-1]]))
