"""The first pass over the gold data: what must be known before facets can be fixed."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from nerscope.codec import serialisable
from nerscope.corpus.arrays import Ints
from nerscope.corpus.corpus import Coding, Corpus
from nerscope.corpus.lexicon import Lexicon
from nerscope.corpus.mentions import Mentions, token_runs
from nerscope.corpus.vocabulary import (
    SequenceTrie,
    SpelledSequences,
    join_sequences,
    spell_sequences,
)
from nerscope.facets.buckets import ValueCounts
from nerscope.facets.facet import Attribute, Sentences, View


@serialisable
@dataclass(frozen=True, slots=True, eq=False)
class SurveyPart:
    """The survey of some sentences: surfaces, each with a type, and the values of attributes."""

    surfaces: SpelledSequences
    types: Ints  # of each surface, a place in `names`; one with two types is there twice
    names: tuple[str, ...]
    values: Mapping[str, ValueCounts]


@dataclass(frozen=True, slots=True, eq=False)
class Survey:
    """The survey of all sentences: surfaces of training and gold, types of each, values."""

    surfaces: SequenceTrie
    types_of_surface: Ints  # how many, among gold test mentions
    values: Mapping[str, ValueCounts]


def survey_chunk(
    chunk: Corpus, mentions: Mentions, attributes: Sequence[Attribute], lexicon: Lexicon | None
) -> SurveyPart:
    """Survey the gold mentions of a chunk. No table of the evaluation changes by it."""
    surfaces = lexicon.surfaces if lexicon else SequenceTrie()
    view = View(Sentences(chunk, mentions, surfaces, lexicon), mentions)
    tokens, starts, ends = token_runs(chunk.tokens, mentions)
    codes = SequenceTrie().codes(tokens, starts, ends).astype(np.int64)
    # One number for surface and type: each pair is sent to the main process once.
    _, first = np.unique(codes << _TYPE_BITS | mentions.type, return_index=True)
    some = mentions[np.sort(first)]
    words = chunk.tokens[some.positions]
    values = {
        attribute.name: ValueCounts.of(attribute.checked_values(view)) for attribute in attributes
    }
    names = tuple(chunk.coding.labels.types)
    spelt = spell_sequences(chunk.coding.tokens, words, np.cumsum(some.lengths))
    return SurveyPart(spelt, some.type, names, values)


def joined_survey(parts: Sequence[SurveyPart]) -> SurveyPart:
    """The survey of the chunks of one reader, whose list of type names only grows."""
    return SurveyPart(
        join_sequences([part.surfaces for part in parts]),
        np.concatenate([part.types for part in parts]),
        parts[-1].names,
        _added([part.values for part in parts]),
    )


def surveyed(parts: Iterable[SurveyPart], coding: Coding, lexicon: Lexicon | None) -> Survey:
    """Add up the surveys of all chunks, in the codes of an evaluation."""
    surfaces = lexicon.surfaces.copy() if lexicon else SequenceTrie()
    pairs: set[int] = set()
    values: dict[str, ValueCounts] = {}
    for part in parts:
        codes = part.surfaces.codes(coding.tokens, surfaces)
        kinds = coding.labels.type_codes_of(part.names)[part.types]
        pairs.update(np.unique(codes << _TYPE_BITS | kinds).tolist())
        values = _added([values, part.values])
    of_pairs = np.array(sorted(pairs), np.int64) >> _TYPE_BITS
    return Survey(surfaces, np.bincount(of_pairs, minlength=len(surfaces)), values)


def _added(tables: Sequence[Mapping[str, ValueCounts]]) -> dict[str, ValueCounts]:
    total: dict[str, ValueCounts] = {}
    for table in tables:
        for name, values in table.items():
            total[name] = total[name] + values if name in total else values
    return total


_TYPE_BITS = 20  # types are fewer than a million
