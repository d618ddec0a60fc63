"""The task of an evaluation: settings, gold, the runs of systems, training data.

This module checks the settings and opens all files.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any, NamedTuple

from nerscope.arguments import check_arguments
from nerscope.corpus.corpus import Coding, Corpus
from nerscope.corpus.lexicon import CASES, SENSITIVE
from nerscope.corpus.mentions import CONLLEVAL, REPAIRS, STRICT
from nerscope.corpus.schemes import ROLE_OF_LETTER, LabelCodes, parse_label
from nerscope.errors import UsageError, expect, suggest
from nerscope.evaluation.subsets import parse_subset
from nerscope.facets.buckets import BUCKETINGS, given_edges
from nerscope.facets.facet import attribute_named
from nerscope.facets.metadata import metadata_key
from nerscope.formats.align import needs_alignment, side_by_side
from nerscope.formats.base import (
    CorpusLike,
    TrainingLike,
    is_source,
    open_source,
    open_training,
    stem_of,
)
from nerscope.formats.shards import Shard, Shards
from nerscope.formats.source import Source
from nerscope.scoring.matching import BILOU, EXACT, LEFT, OVERLAP, RIGHT, TOKEN_MATCHES, match_named
from nerscope.scoring.metrics import metric_named

MOST_BUCKETS = 1000
OVERALL_MATCHES = (EXACT, LEFT, RIGHT, OVERLAP)
_NAMES = ("facets", "matches", "metrics", "drop")
_EDGES = 'give a list for each attribute, such as {"eLen": [1, 2, 3]}'


@dataclass(frozen=True, slots=True)
class Settings:
    """All options that can change a number.

    >>> Settings.of({"repair": "strict"}).repair
    'strict'
    """

    facets: tuple[str, ...] | None = None  # or subsets; None: all standard facets
    matches: tuple[str, ...] | None = None  # None: exact for facets, OVERALL_MATCHES overall
    metrics: tuple[str, ...] | None = None  # None: those of each facet
    repair: str = CONLLEVAL
    token_repair: str = STRICT
    token_match: str = BILOU
    zero_division: float | None = None
    buckets: int = 4
    bucketing: str | None = None  # None: that of each attribute
    edges: Mapping[str, Sequence[float]] = field(default_factory=dict)  # by attribute
    map: Mapping[str, str] = field(default_factory=dict)  # types renamed on all sides, old to new
    case: str = SENSITIVE  # how facets compare tokens with training; FOLD ignores case
    drop: tuple[str, ...] = ()  # types ignored on all sides, by their new names
    texts: bool = True  # whether results contain the words of sentences
    fold: bool | None = None  # whether results contain only sums; None: above 120,000 sentences

    @classmethod
    def of(cls, options: Mapping[str, Any]) -> "Settings":
        """Settings from options by name."""
        check_arguments(Settings.of, locals())
        known = [item.name for item in fields(cls)]
        for key in options:
            if key not in known:
                raise UsageError(f"option '{key}'", "unknown option", suggest(key, known))
        values = dict(options)
        for key in _NAMES:
            if values.get(key) is not None:
                values[key] = _as_names(key, values[key])
        return cls(**values)

    def __post_init__(self) -> None:
        repairs = [name for name in REPAIRS if name in (CONLLEVAL, STRICT)]
        for name, known in [
            ("repair", REPAIRS),
            ("token_repair", repairs),
            ("token_match", TOKEN_MATCHES),
            ("bucketing", BUCKETINGS),
            ("case", CASES),
        ]:
            value = getattr(self, name)
            optional = name == "bucketing" and value is None
            if not optional and (not isinstance(value, str) or value not in known):
                raise UsageError(name, f"unknown value '{value}'", suggest(str(value), known))
        if self.matches is not None:  # a match may have several spellings
            names = dict.fromkeys(match_named(match).name for match in self.matches)
            object.__setattr__(self, "matches", tuple(names))
        if self.metrics is not None:
            names = dict.fromkeys(metric_named(metric).name for metric in self.metrics)
            object.__setattr__(self, "metrics", tuple(names))
        if not _is_whole(self.buckets) or not 2 <= self.buckets <= MOST_BUCKETS:
            raise UsageError(
                "buckets",
                f"invalid value {self.buckets!r}",
                f"give a whole number from 2 to {MOST_BUCKETS}",
            )
        expect("texts", self.texts, bool, "give True or False")
        expect("fold", self.fold, (bool, type(None)), "give True or False")
        expect("zero_division", self.zero_division, (int, float, type(None)), "give 0 or 1")
        if self.zero_division is not None and self.zero_division not in (0, 1):
            raise UsageError(
                "zero_division",
                f"invalid value {self.zero_division!r}",
                "give 0 or 1, or leave the option out",
            )
        self._check_edges()
        if not isinstance(self.map, Mapping) or not all(
            isinstance(name, str) and name for pair in self.map.items() for name in pair
        ):
            raise UsageError(
                "map",
                f"invalid value {self.map!r}",
                'give new names by old names, such as {"PERSON": "PER"}',
            )
        expect("drop", self.drop, tuple, "give a list of types")
        for name in self.drop:
            if self.map.get(name, name) != name and name not in self.map.values():
                raise UsageError(
                    f"drop {name}",
                    f"map renames this type to {self.map[name]}",
                    f"drop {self.map[name]}, or remove {name} from map",
                )

    def _check_edges(self) -> None:
        if not isinstance(self.edges, Mapping):
            raise UsageError("edges", f"invalid value {self.edges!r}", _EDGES)
        for attribute, edges in self.edges.items():
            expect("edges", attribute, str, _EDGES)
            if attribute_named(attribute) is None:
                raise UsageError(
                    f"edges of {attribute}",
                    "this facet has no buckets",
                    "give edges for attributes such as eLen",
                )
            given_edges(attribute, edges)

    def signature(self) -> dict[str, Any]:
        """The settings in the form of a signature."""
        return {
            "match": "+".join(self.matches or OVERALL_MATCHES),
            "repair": self.repair,
            "ter": f"{self.token_match}/{self.token_repair}",
            "buckets": "+".join([f"{self.bucketing or 'paper'}/{self.buckets}", *self.edges]),
            "zero_division": self.zero_division,
            "case": self.case,
            "map": "+".join(
                [
                    *(f"{old}={new}" for old, new in self.map.items()),
                    *(f"drop({name})" for name in self.drop),
                ]
            )
            or "none",
        }


def _as_names(key: str, given: Any) -> tuple[str, ...]:
    """Distinct names in order; a single name counts as a list of one."""
    names = [given] if isinstance(given, str) else list(given) if _is_listed(given) else None
    if names is None or not all(isinstance(name, str) for name in names):
        raise UsageError(key, f"invalid value {given!r}", "give a name or a list of names")
    return tuple(dict.fromkeys(names))


def _is_listed(given: Any) -> bool:
    return isinstance(given, Sequence | set | frozenset)


def _is_whole(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


Systems = Mapping[str, CorpusLike | Sequence[CorpusLike]] | CorpusLike


class Run(NamedTuple):
    """One output of one system."""

    system: str
    number: str
    source: Source


class Task(NamedTuple):
    """What is evaluated: gold, the runs of systems, optional training data, and the settings.

    All files are open, but not read yet. The first pass makes a `Plan` from the task, which is how
    each chunk is scored.
    """

    dataset: str
    gold: Source
    runs: list[Run]
    train: Source | None
    settings: Settings
    coding: Coding
    shards: Shards | None = None  # None: the files are not divided
    overlapping: frozenset[int] = frozenset()  # sides whose mentions overlap; gold is side 0

    @property
    def sources(self) -> Shard:
        """Gold, then the output of each run."""
        return (self.gold, *(run.source for run in self.runs))

    @property
    def keeps_words(self) -> bool:
        """Whether results contain the words of the sentences.

        They do for small files, and for all files if folding is switched off.
        """
        return self.settings.texts and (self.gold.info.is_small or self.settings.fold is False)

    def aligned_chunks(self, *, tokens: bool) -> Iterator[list[Corpus]]:
        """Lists of chunks with the same sentences: gold, then each run.

        Without `tokens`, formats may skip the words, which is faster.
        """
        repair = self.settings.repair
        return side_by_side(self.sources, self.coding, tokens=tokens, repair=repair)

    @property
    def needs_alignment(self) -> bool:
        """Whether the tokens of a run differ from gold, so that its mentions must be moved."""
        return any(needs_alignment(self.gold, run.source) for run in self.runs)


def open_task(
    test: CorpusLike,
    systems: Systems | None,
    train: TrainingLike | None,
    dataset: str | None,
    settings: Settings,
) -> Task:
    """Open all files; columns, formats and schemes are detected from the first lines."""
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
            f"name the gold column: {gold.name}::label=N, or give only this file",
        )
    coding = Coding(labels=LabelCodes(settings.map, frozenset(settings.drop)))
    training = open_training(train) if train is not None else None
    if keys := metadata_keys(settings):
        gold = gold.with_records(keys)
    return Task(name, gold, runs, training, settings, coding)


def metadata_keys(settings: Settings) -> list[str]:
    """The keys of metadata that the facets of the settings use."""
    names = [name for text in settings.facets or () for name in parse_subset(text).facets()]
    return list(dict.fromkeys(key for name in names if (key := metadata_key(name))))


def check_names(names: Iterable[str]) -> None:
    """Raise an error for names of systems that are empty or differ only in case."""
    by_case: dict[str, str] = {}
    for name in names:
        if not isinstance(name, str) or not name.strip():
            raise UsageError(
                f"system {name!r}", "invalid system name", "give a name, as in NAME=FILE"
            )
        other = by_case.setdefault(name.casefold(), name)
        if other != name:
            raise UsageError(
                f"system '{name}'",
                f"another system has the name '{other}'",
                "use the same spelling for the same system, or a different name",
            )


def runs_of(systems: Systems) -> list[Run]:
    """All runs of all systems, numbered from "1". A single output has the name `system`."""
    named: Mapping[str, Any] = systems if isinstance(systems, Mapping) else {"system": systems}
    if not named:
        raise UsageError("systems", "no system is given", "give at least one, as NAME=FILE")
    check_names(named)
    return [
        Run(name, str(number), open_source(output, f"<{name}>"))
        for name, outputs in named.items()
        for number, output in enumerate(_outputs(outputs), 1)
    ]


def _outputs(given: Any) -> list[Any]:
    """The outputs of a system, one per run.

    A list of paths, files or corpora has one run per item. A list of sentences is one run. A list
    of lists of sentences is several runs.
    """
    if isinstance(given, list | tuple) and given and (is_source(given[0]) or _is_run(given[0])):
        return list(given)
    return [given]


def _is_run(item: Any) -> bool:
    """Whether an item of a list is a run (a list of sentences), not a sentence.

    A sentence is a pair of lists, a mapping or a list of labels. Only a list of two lists is
    ambiguous: `[["B-PER", "O"], ["O", "O"]]` is a run of two sentences, `[["Ada", "left"],
    ["B-PER", "O"]]` is a sentence. It is a run if the first list consists of labels with types; `I`
    counts as a word.
    """
    if not isinstance(item, list | tuple) or not item or isinstance(item[0], str):
        return False
    first = item[0]
    if isinstance(first, Mapping) or (first and not isinstance(first[0], str)):
        return True
    if len(item) != 2:
        return True
    if isinstance(item, tuple) or not all(isinstance(mark, str) for mark in item[1]):
        return False  # (tokens, labels) or (tokens, spans)
    if len(first) != len(item[1]):
        return True
    return all(
        isinstance(text, str) and parse_label(text) and text not in ROLE_OF_LETTER for text in first
    )
