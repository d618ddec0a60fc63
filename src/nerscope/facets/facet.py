"""Facets and views: every unit gets a code, and every level is a set of codes.

Codes partition the units, so counts by code add up. Levels may overlap, like the subsets of the
papers: code 5 of `tmr` (new text, ambiguous) belongs to unseen-any, unseen-tokens, tcm-all and
tcm-unseen. Codes are computed from a view: the gold or predicted mentions of a chunk in their
sentences. A survey of gold, the first pass, collects what views and buckets need from all data.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np

from nerscope.arguments import check_arguments
from nerscope.codec import serialisable
from nerscope.corpus.arrays import Bools, Floats, Ints
from nerscope.corpus.corpus import Coding, Corpus
from nerscope.corpus.lexicon import Lexicon
from nerscope.corpus.mentions import Mentions, token_runs
from nerscope.corpus.units import ALL, INSIDE, MENTION, TOKEN, TYPE
from nerscope.corpus.vocabulary import (
    SequenceTrie,
    SpelledSequences,
    join_sequences,
    spell_sequences,
)
from nerscope.errors import UsageError, suggest
from nerscope.facets.buckets import BUCKETINGS, EQUAL_COUNT, Buckets, ValueCounts, range_phrase
from nerscope.registry import Registry, user_code

UNITS = (MENTION, INSIDE, TOKEN)
_TYPE_BITS = 20  # fewer than a million types


@dataclass
class Sentences:
    """The gold sentences of a chunk, with tables of training and test data, for all systems.

    Properties are computed once, on first use, and shared by all systems.
    """

    corpus: Corpus
    gold: Mentions
    surfaces: SequenceTrie  # of training and gold; fixed before the first view
    lexicon: Lexicon | None = None
    # By surface: the number of its types among gold test mentions.
    types_of_surface: Ints = field(default_factory=lambda: np.zeros(0, np.int64))

    @cached_property
    def lengths(self) -> Ints:
        return np.diff(self.corpus.starts)

    @cached_property
    def of_token(self) -> Ints:
        return np.repeat(np.arange(len(self.lengths), dtype=np.int32), self.lengths)

    @cached_property
    def tokens(self) -> Ints:
        """The tokens to compare with training, casefolded if the lexicon is."""
        return self.compared(self.corpus.tokens)

    def compared(self, tokens: Ints) -> Ints:
        """The codes of tokens in the lexicon."""
        is_folded = self.lexicon is not None and self.lexicon.folds_case
        return self.corpus.coding.tokens.folded(tokens) if is_folded else tokens

    @cached_property
    def share_inside(self) -> Floats:
        """The share of each sentence's tokens that are inside gold mentions."""
        inside = np.zeros(self.corpus.n_tokens, bool)
        inside[self.gold.positions] = True  # a token of nested mentions counts once
        return self._share_of(inside)

    @cached_property
    def share_unknown(self) -> Floats:
        """The share of each sentence's tokens that are not in training."""
        assert self.lexicon is not None
        # Tokens that are not in training have codes after the table: clip to the last entry.
        is_unknown = np.append(self.lexicon.token_counts == 0, True)
        return self._share_of(is_unknown.take(self.tokens, mode="clip"))

    @cached_property
    def gold_per_token(self) -> Floats:
        """The number of gold mentions of each sentence divided by its number of tokens."""
        sentences = self.gold.sentences(self.corpus.starts)
        return self.share(np.bincount(sentences, minlength=len(self.lengths)))

    def _share_of(self, chosen: Bools) -> Floats:
        return self.share(np.add.reduceat(chosen, self.corpus.starts[:-1], dtype=np.int64))

    def share(self, per_sentence: Ints) -> Floats:
        """A count per sentence divided by the sentence's length."""
        return per_sentence / self.lengths


@dataclass
class View:
    """Mentions in their sentences, gold or predicted.

    `positions`, `tokens` and `token_types` have one entry per token inside mentions; all others
    have one entry per mention. Tokens and surfaces are casefolded with `case="fold"`.
    """

    sentences: Sentences
    mentions: Mentions

    def n_units(self, unit: str) -> int:
        """The number of mentions, of tokens inside mentions, or of all tokens."""
        if unit == MENTION:
            return len(self.mentions)
        return self.sentences.corpus.n_tokens if unit == TOKEN else len(self.positions)

    @property
    def lexicon(self) -> Lexicon:
        """The counts of the training data, for facets with `needs_train=True`."""
        if self.sentences.lexicon is None:
            raise UsageError(
                "view.lexicon",
                "a facet needs the training data, which was not given",
                "register the facet with needs_train=True, and use --train FILE",
            )
        return self.sentences.lexicon

    @cached_property
    def sentence(self) -> Ints:
        """The sentence of each mention."""
        # Without hallucinated mentions, every start is a token: look up instead of searching.
        if self.mentions.shape is None:
            return self.sentences.of_token.take(self.mentions.start)
        return self.mentions.sentences(self.sentences.corpus.starts)

    @cached_property
    def surface(self) -> Ints:
        """The surface code of each mention; -1 if no training or gold mention has the surface."""
        return self._surface_codes(self.sentences.tokens)

    @property
    def written_surface(self) -> Ints:
        """The code of each surface as written, without case folding."""
        as_written = self.sentences.corpus.tokens
        is_same = self.sentences.tokens is as_written
        return self.surface if is_same else self._surface_codes(as_written)

    def _surface_codes(self, tokens: Ints) -> Ints:
        return self.sentences.surfaces.codes(*token_runs(tokens, self.mentions), grow=False)

    def names(self, indices: list[int]) -> list[tuple[str, tuple[str, ...]]]:
        """The type and surface of mentions; without tokens, the surface is empty."""
        corpus, chosen = self.sentences.corpus, self.mentions[np.array(indices, np.int64)]
        types = corpus.coding.labels.types
        if not corpus.has_words:
            return [(types[code], ()) for code in chosen.type.tolist()]
        words = corpus.words_at(chosen.positions)
        ends = np.cumsum(chosen.lengths).tolist()
        return [
            (types[code], tuple(words[begin:end]))
            for code, begin, end in zip(chosen.type.tolist(), [0, *ends], ends, strict=False)
        ]

    @cached_property
    def positions(self) -> Ints:
        """The tokens inside mentions, mention by mention."""
        return self.mentions.positions

    @cached_property
    def tokens(self) -> Ints:
        """The token codes at `positions`."""
        return self.sentences.tokens[self.positions]

    @cached_property
    def token_types(self) -> Ints:
        """The type of the mention around each of `positions`."""
        return np.repeat(self.mentions.type, self.mentions.lengths)

    def texts(self) -> list[str]:
        """The mentions as text, tokens joined by blanks."""
        corpus = self.sentences.corpus
        words = corpus.coding.tokens.strings(corpus.tokens[self.positions])
        ends = np.cumsum(self.mentions.lengths).tolist()
        starts = [0, *ends[:-1]]
        return [" ".join(words[begin:end]) for begin, end in zip(starts, ends, strict=False)]


class Level(NamedTuple):
    """A named set of codes; `phrase` names it in sentences, `definition` explains it."""

    name: str
    codes: tuple[int, ...]
    phrase: str = ""
    definition: str = ""


Levels = Sequence[Level] | Mapping[str, tuple[int, ...]]


@dataclass(frozen=True, slots=True, eq=False)
class Facet:
    """A fixed way to divide units.

    `unit` is "mention", "inside" (a token inside a mention) or "token" (any token). `levels` are
    `Level`s, or a mapping from their names to their codes. `codes` returns the code of every unit
    of a view. A `standard` facet is used by default. Overviews begin with `is_headline` facets, and
    leave out `is_variant` facets (variants of a headline facet). `title` names the facet in
    headings, `phrase` in sentences; `definition` explains it.

    >>> def in_capitals(view):
    ...     return np.array([text.isupper() for text in view.texts()], np.int8)
    >>> shouting = Facet("shouting", MENTION, {"quiet": (0,), "loud": (1,)}, in_capitals)
    >>> shouting.level_codes["loud"]
    (1,)
    """

    name: str
    unit: str
    levels: Levels
    codes: Callable[[View], Ints]
    metrics: tuple[str, ...] = ("precision", "recall", "f1")
    by_type: bool = True
    title: str = ""
    standard: bool = False
    needs_train: bool = False
    buckets: Buckets | None = None  # if it was made from an attribute
    phrase: str = ""
    definition: str = ""
    is_headline: bool = False
    is_variant: bool = False
    noun: str = ""  # the noun of the values of an attribute
    labels: tuple[str, ...] | None = None  # if its levels are the labels on gold

    def __post_init__(self) -> None:
        _check_unit("facet", self.name, self.unit)
        codes = [code for codes in self.level_codes.values() for code in codes]
        if not codes or not all(isinstance(code, int) and code >= 0 for code in codes):
            raise UsageError(
                f"facet '{self.name}'",
                f"invalid levels {self.level_codes}",
                "give each level at least one code, a whole number, 0 or more",
            )

    def __reduce__(self) -> tuple[Callable[..., "Facet"], tuple[object, ...]]:
        """Pickle the name, buckets and labels: functions are not picklable, and every process knows
        the name.
        """
        return facet_of, (self.name, self.buckets, self.labels)

    @property
    def level_codes(self) -> dict[str, tuple[int, ...]]:
        """The codes of each level, by its name."""
        if isinstance(self.levels, Mapping):
            return dict(self.levels)
        return {level.name: level.codes for level in self.levels}

    def level(self, name: str, interval: str = "") -> Level | None:
        """The level with this name, with its words; None if it is unknown.

        `interval` is the range of a bucket; only for attributes.
        """
        if isinstance(self.levels, Mapping):
            return Level(name, self.levels[name]) if name in self.levels else None
        return next((level for level in self.levels if level.name == name), None)

    @property
    def n_codes(self) -> int:
        """The number of codes; all codes are smaller."""
        return 1 + max(code for codes in self.level_codes.values() for code in codes)

    def checked_codes(self, view: View) -> Ints:
        """The codes; raise a UsageError unless every unit has a code of some level."""
        place = f"facet '{self.name}'"
        with user_code(place):
            codes = np.asarray(self.codes(view))
        expected = view.n_units(self.unit)
        if codes.shape != (expected,) or codes.dtype.kind not in "iub":
            raise UsageError(
                place,
                f"it returns {codes.dtype} codes of shape {codes.shape} for {expected} units",
                "return one whole number for each unit of the view",
            )
        # A code without a level would silently vanish from all rows.
        known = np.zeros(self.n_codes, bool)
        known[[code for codes in self.level_codes.values() for code in codes]] = True
        inside = len(codes) == 0 or 0 <= codes.min() <= codes.max() < self.n_codes
        if not inside or not (known.all() or known[codes.astype(np.int64)].all()):
            bad = next(
                code for code in codes.tolist() if not (0 <= code < len(known) and known[code])
            )
            raise UsageError(place, f"no level has the code {bad}", "add the code to a level")
        # Ledgers store a code for every unit and facet; one byte is enough for nearly all facets.
        return codes.astype(np.int8 if self.n_codes < 128 else np.int16, copy=False)


@dataclass(frozen=True, slots=True, eq=False)
class Attribute:
    """A number for each unit; buckets turn it into a facet.

    `bucketing` is the default placement of edges. `noun` is what the number counts ("token"), so
    that a bucket reads "4 tokens or more". The other fields are those of a facet.
    """

    name: str
    values: Callable[[View], Floats]
    unit: str = MENTION
    needs_train: bool = False
    bucketing: str = EQUAL_COUNT
    title: str = ""
    standard: bool = False
    phrase: str = ""
    definition: str = ""
    noun: str = ""
    short: str = ""  # the phrase in few words, for figures

    def __post_init__(self) -> None:
        _check_unit("attribute", self.name, self.unit, (MENTION, INSIDE))
        if self.bucketing not in BUCKETINGS:
            raise UsageError(
                f"attribute '{self.name}'",
                f"unknown bucketing '{self.bucketing}'",
                f"choose from {', '.join(BUCKETINGS)}",
            )

    def checked_values(self, view: View) -> Floats:
        """The values; raise a UsageError unless every unit has one finite number."""
        place = f"attribute '{self.name}'"
        with user_code(place):
            values = np.asarray(self.values(view), np.float64)
        expected = view.n_units(self.unit)
        if values.shape != (expected,):
            raise UsageError(
                place,
                f"it returns values of shape {values.shape} for {expected} {self.unit} units",
                "return one number for each unit of the view",
            )
        if not np.isfinite(values).all():  # NaN is in no bucket
            raise UsageError(
                place, "it returns NaN or infinity", "return a finite number for each unit"
            )
        return values

    def level(self, name: str, interval: str = "") -> Level | None:
        """A bucket as a level; its words need its interval."""
        return Level(name, (), range_phrase(interval, self.noun) if interval else "")

    def facet(self, buckets: Buckets) -> Facet:
        """The facet with these buckets."""
        return Facet(
            self.name,
            self.unit,
            {name: (code,) for code, name in enumerate(buckets.names)},
            lambda view: buckets.codes(self.checked_values(view)),
            title=self.title,
            standard=self.standard,
            needs_train=self.needs_train,
            buckets=buckets,
            phrase=self.phrase,
            definition=self.definition,
            noun=self.noun,
        )


OTHER_LABEL = "(other)"  # the level of predictions with a label that gold does not have
_MOST_LABELS = 100


@dataclass(frozen=True, slots=True, eq=False)
class Category:
    """A label for each unit; every label on gold is a level.

    The other fields are those of a facet.
    """

    name: str
    labels: Callable[[View], Sequence[str]]
    unit: str = MENTION
    needs_train: bool = False
    title: str = ""
    phrase: str = ""
    definition: str = ""
    standard: bool = False
    noun: str = ""

    def __post_init__(self) -> None:
        _check_unit("facet", self.name, self.unit)

    def checked_labels(self, view: View) -> list[str]:
        """The labels; raise a UsageError unless every unit has a string that is not empty."""
        place = f"facet '{self.name}'"
        with user_code(place):
            labels = list(self.labels(view))
        expected = view.n_units(self.unit)
        if len(labels) != expected or not all(isinstance(x, str) and x for x in labels):
            raise UsageError(
                place,
                f"it does not return one label for each of {expected} {self.unit} units",
                "return a list of strings, one for each unit of the view",
            )
        return labels

    def level(self, name: str, interval: str = "") -> Level | None:
        """A label as a level; the label is its phrase."""
        return Level(name, (), name)

    def facet(self, labels: Sequence[str]) -> Facet:
        """The facet with these labels as levels, and one level for all others."""
        if len(labels) > _MOST_LABELS:
            raise UsageError(
                f"facet '{self.name}'",
                f"it returns {len(labels):,} different labels on gold",
                f"return at most {_MOST_LABELS} labels, or a number with @ns.attribute",
            )
        levels = {label: (code,) for code, label in enumerate((*labels, OTHER_LABEL))}
        codes = {label: code for label, (code,) in levels.items()}
        other = codes[OTHER_LABEL]

        def codes_of(view: View) -> Ints:
            return np.array([codes.get(x, other) for x in self.checked_labels(view)], np.int16)

        metrics = ("ter",) if self.unit == TOKEN else ("precision", "recall", "f1")
        return Facet(
            self.name,
            self.unit,
            levels,
            codes_of,
            metrics=metrics,
            by_type=self.unit != TOKEN,
            title=self.title,
            needs_train=self.needs_train,
            labels=tuple(labels),
            phrase=self.phrase,
            definition=self.definition,
        )


def _check_unit(kind: str, name: str, unit: str, known: tuple[str, ...] = UNITS) -> None:
    if unit not in known:
        raise UsageError(f"{kind} '{name}'", f"unknown unit {unit!r}", suggest(unit, known))


FACETS: Registry[Facet | Attribute | Category] = Registry("facet", package="nerscope.facets")


def fixed_facets() -> list[Facet]:
    """The registered facets with fixed levels, without attributes."""
    return [entry for entry in map(FACETS.__getitem__, FACETS) if isinstance(entry, Facet)]


def attributes() -> list[Attribute]:
    """The registered attributes, which need buckets."""
    return [entry for entry in map(FACETS.__getitem__, FACETS) if isinstance(entry, Attribute)]


def attribute_named(name: str) -> Attribute | None:
    """The attribute with this name; None if it is a facet with fixed levels."""
    entry = FACETS[name]
    return entry if isinstance(entry, Attribute) else None


def category_named(name: str) -> Category | None:
    """The facet of labels with this name; None if its levels do not come from gold."""
    entry = FACETS[name]
    return entry if isinstance(entry, Category) else None


def fix_for_absent(name: str, known: Iterable[str]) -> str:
    """How to get a facet that results do not have: training data, or another name."""
    if name in FACETS and FACETS[name].needs_train:
        return "evaluate with --train FILE"
    return suggest(name, known)


def facet_of(name: str, buckets: Buckets | None, labels: tuple[str, ...] | None = None) -> Facet:
    """The facet with this name, with its buckets or labels if its levels come from gold."""
    entry = FACETS[name]
    if isinstance(entry, Facet):
        return entry
    if isinstance(entry, Category):
        assert labels is not None
        return entry.facet(labels)
    assert buckets is not None
    return entry.facet(buckets)


def register_facet(facet: Facet, *, needs_train: bool = False) -> Facet:
    """Register a facet under its name, so that `--facet NAME` and `facets=[NAME]` use it.

    >>> def in_capitals(view):
    ...     return np.array([text.isupper() for text in view.texts()], np.int8)
    >>> register_facet(Facet("shouting", MENTION, {"quiet": (0,), "loud": (1,)}, in_capitals)).name
    'shouting'
    """
    check_arguments(register_facet, locals())
    facet = replace(facet, needs_train=facet.needs_train or needs_train)
    _check_name(facet.name)
    FACETS.add(facet.name, facet)
    return facet


AttributeFunction = Callable[[View], Floats]


def attribute(
    name: str,
    *,
    unit: str = MENTION,
    needs_train: bool = False,
    bucketing: str = EQUAL_COUNT,
    title: str = "",
    phrase: str = "",
    definition: str = "",
    noun: str = "",
) -> Callable[[AttributeFunction], AttributeFunction]:
    """Register a function of a view as an attribute, which is also a facet of buckets.

    The arguments are the fields of `Attribute`. The default title is the first line of the
    function's docstring.

    >>> @attribute("letters")
    ... def letters(view):
    ...     return np.array([len(text) for text in view.texts()], float)
    >>> "letters" in FACETS
    True
    """
    check_arguments(attribute, locals())

    _check_name(name)

    def register(values: AttributeFunction) -> AttributeFunction:
        words = title or _first_line(values), False, phrase, definition, noun
        FACETS.add(name, Attribute(name, values, unit, needs_train, bucketing, *words))
        return values

    return register


LabelFunction = Callable[[View], Sequence[str]]


def facet(
    name: str,
    *,
    unit: str = MENTION,
    needs_train: bool = False,
    title: str = "",
    phrase: str = "",
    definition: str = "",
) -> Callable[[LabelFunction], LabelFunction]:
    """Register a function of a view as a facet: it returns one label for each mention.

    Every label on gold is a level. Predicted mentions with another label are in the level
    "(other)". The arguments are the fields of a facet. The default title is the first line of the
    function's docstring.

    >>> @facet("first-letter")
    ... def first_letter(view):
    ...     return [text[0].upper() for text in view.texts()]
    >>> "first-letter" in FACETS
    True
    """
    check_arguments(facet, locals())
    _check_name(name)

    def register(labels: LabelFunction) -> LabelFunction:
        words = title or _first_line(labels), phrase, definition
        FACETS.add(name, Category(name, labels, unit, needs_train, *words))
        return labels

    return register


def _check_name(name: str) -> None:
    # These two are columns of rows, not facets, so the registry does not know them.
    if name in (ALL, TYPE):
        raise UsageError(f"facet '{name}'", "a built-in facet has this name", "choose another name")


def _first_line(function: Callable[..., object]) -> str:
    return (function.__doc__ or "").strip().split("\n")[0].rstrip(".")


@serialisable
@dataclass(frozen=True, slots=True, eq=False)
class SurveyPart:
    """The survey of some sentences: surfaces with their types, and values of attributes."""

    surfaces: SpelledSequences
    types: Ints  # index in `names` for each surface; one with two types occurs twice
    names: tuple[str, ...]
    values: Mapping[str, ValueCounts]
    labels: Mapping[str, tuple[str, ...]]  # of each facet of labels, without repetition


@dataclass(frozen=True, slots=True, eq=False)
class Survey:
    """The survey of all sentences: surfaces of training and gold, their types, and values."""

    surfaces: SequenceTrie
    types_of_surface: Ints  # the number of types among gold test mentions
    values: Mapping[str, ValueCounts]
    labels: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


def survey_chunk(
    chunk: Corpus,
    mentions: Mentions,
    attributes: Sequence[Attribute],
    lexicon: Lexicon | None,
    categories: Sequence[Category] = (),
) -> SurveyPart:
    """Survey the gold mentions of a chunk, without changing any table of the evaluation."""
    surfaces = lexicon.surfaces if lexicon else SequenceTrie()
    view = View(Sentences(chunk, mentions, surfaces, lexicon), mentions)
    tokens, starts, ends = token_runs(chunk.tokens, mentions)
    codes = SequenceTrie().codes(tokens, starts, ends).astype(np.int64)
    # One number for surface and type, so that each pair is sent to the main process once.
    _, first = np.unique(codes << _TYPE_BITS | mentions.type, return_index=True)
    some = mentions[np.sort(first)]
    words = chunk.tokens[some.positions]
    values = {
        attribute.name: ValueCounts.of(attribute.checked_values(view)) for attribute in attributes
    }
    names = tuple(chunk.coding.labels.types)
    spelt = spell_sequences(chunk.coding.tokens, words, np.cumsum(some.lengths))
    labels = {
        category.name: tuple(sorted(set(category.checked_labels(view)))) for category in categories
    }
    return SurveyPart(spelt, some.type, names, values, labels)


def joined_survey(parts: Sequence[SurveyPart]) -> SurveyPart:
    """The joint survey of the chunks of one reader, whose list of type names only grows."""
    return SurveyPart(
        join_sequences([part.surfaces for part in parts]),
        np.concatenate([part.types for part in parts]),
        parts[-1].names,
        _added([part.values for part in parts]),
        _joined_labels([part.labels for part in parts]),
    )


def surveyed(parts: Iterable[SurveyPart], coding: Coding, lexicon: Lexicon | None) -> Survey:
    """Join the surveys of all chunks, with the codes of an evaluation."""
    surfaces = lexicon.surfaces.copy() if lexicon else SequenceTrie()
    pairs: set[int] = set()
    values: dict[str, ValueCounts] = {}
    labels: dict[str, tuple[str, ...]] = {}
    for part in parts:
        codes = part.surfaces.codes(coding.tokens, surfaces)
        if lexicon and lexicon.folds_case:  # written surfaces are listed, folded ones compared
            codes = part.surfaces.codes(coding.tokens, surfaces, fold_case=True)
        kinds = coding.labels.type_codes_of(part.names)[part.types]
        pairs.update(np.unique(codes << _TYPE_BITS | kinds).tolist())
        values = _added([values, part.values])
        labels = _joined_labels([labels, part.labels])
    of_pairs = np.array(sorted(pairs), np.int64) >> _TYPE_BITS
    return Survey(surfaces, np.bincount(of_pairs, minlength=len(surfaces)), values, labels)


def _joined_labels(tables: Sequence[Mapping[str, tuple[str, ...]]]) -> dict[str, tuple[str, ...]]:
    """All labels of each facet, in alphabetical order."""
    names = dict.fromkeys(name for table in tables for name in table)
    return {
        name: tuple(sorted({label for table in tables for label in table.get(name, ())}))
        for name in names
    }


def _added(tables: Sequence[Mapping[str, ValueCounts]]) -> dict[str, ValueCounts]:
    total: dict[str, ValueCounts] = {}
    for table in tables:
        for name, values in table.items():
            total[name] = total[name] + values if name in total else values
    return total
