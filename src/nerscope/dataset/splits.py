"""The splits of a dataset: read whole, in the same codes, and held against training."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from nerscope.corpus.corpus import Coding, Corpus, join_chunks
from nerscope.corpus.lexicon import Lexicon, lexicon_of
from nerscope.corpus.mentions import Mentions, check_repair
from nerscope.corpus.schemes import LabelCodes
from nerscope.facets.buckets import ValueCounts
from nerscope.facets.facet import FACETS, Attribute
from nerscope.facets.survey import survey_chunk, surveyed
from nerscope.facets.view import Sentences, View
from nerscope.formats.base import CorpusLike, open_source, with_tokens


@dataclass(frozen=True, slots=True, eq=False)
class Split:
    """One split: its mentions with what training and the split itself say of them."""

    name: str
    view: View
    values: Mapping[str, ValueCounts]  # of attributes; none for the training data

    @property
    def corpus(self) -> Corpus:
        """The whole text."""
        return self.view.sentences.corpus

    @property
    def mentions(self) -> Mentions:
        """All mentions."""
        return self.view.mentions

    @property
    def types(self) -> list[str]:
        """The names of the types, by their codes."""
        return self.corpus.coding.labels.types


def read_splits(
    given: Mapping[str, CorpusLike],
    repair: str,
    map: Mapping[str, str] | None = None,
    drop: Iterable[str] = (),
) -> list[Split]:
    """Read splits, of which the first one is the training data; `map` renames types."""
    check_repair(repair)
    coding = Coding(labels=LabelCodes(map or {}, frozenset(drop)))
    corpora = {name: _whole(one, f"<{name}>", coding) for name, one in given.items()}
    (first, training), *others = corpora.items()
    lexicon = lexicon_of(training, repair)
    attributes = list(_standard_attributes())
    own = _split(first, training, lexicon, repair, ())
    return [own, *(_split(name, one, lexicon, repair, attributes) for name, one in others)]


def _whole(given: CorpusLike, name: str, coding: Coding) -> Corpus:
    return join_chunks([with_tokens(chunk) for chunk in open_source(given, name).chunks(coding)])


def _standard_attributes() -> Iterator[Attribute]:
    for one in map(FACETS.__getitem__, FACETS):
        if isinstance(one, Attribute) and one.standard:
            yield one


def _split(
    name: str, corpus: Corpus, lexicon: Lexicon, repair: str, attributes: Sequence[Attribute]
) -> Split:
    mentions = corpus.mentions(repair)
    survey = surveyed([survey_chunk(corpus, mentions, attributes, lexicon)], corpus.coding, lexicon)
    sentences = Sentences(corpus, mentions, survey.surfaces, lexicon, survey.types_of_surface)
    return Split(name, View(sentences, mentions), survey.values)
