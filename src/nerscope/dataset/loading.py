"""Load the splits of a dataset with one vocabulary, and compare them with training."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from nerscope.corpus.corpus import Coding, Corpus, join_chunks
from nerscope.corpus.lexicon import FOLD, SENSITIVE, Lexicon, check_case, lexicon_of
from nerscope.corpus.mentions import Mentions, check_repair
from nerscope.corpus.schemes import LabelCodes
from nerscope.facets.buckets import ValueCounts
from nerscope.facets.facet import Attribute, Sentences, View, attributes, survey_chunk, surveyed
from nerscope.formats.base import TrainingLike, open_training
from nerscope.formats.source import require_tokens


@dataclass(frozen=True, slots=True, eq=False)
class DatasetSplit:
    """Train, dev or test: its mentions, the lexicon of training, and values of attributes."""

    name: str
    view: View
    values: Mapping[str, ValueCounts]  # by attribute; empty for the training data

    @property
    def corpus(self) -> Corpus:
        return self.view.sentences.corpus

    @property
    def mentions(self) -> Mentions:
        return self.view.mentions

    @property
    def types(self) -> list[str]:
        """The names of the types, by their codes."""
        return self.corpus.coding.labels.types


def load_splits(
    sources: Mapping[str, TrainingLike],
    repair: str,
    map: Mapping[str, str] | None = None,
    drop: Iterable[str] = (),
    case: str = SENSITIVE,
) -> list[DatasetSplit]:
    """Load splits; the first is the training data.

    `map` renames types, `drop` removes types, `case` is how tokens are compared with training. All
    splits share one `Coding`: equal tokens and types have equal codes in all splits.
    """
    check_repair(repair)
    check_case(case)
    coding = Coding(labels=LabelCodes(map or {}, frozenset(drop)))
    corpora = {
        name: _load_corpus(source, f"<{name}>", coding, repair) for name, source in sources.items()
    }
    # Attributes compare a split with training, so training itself has no values.
    (train_name, training), *others = corpora.items()
    lexicon = lexicon_of(training, repair, fold_case=case == FOLD)
    standard = [attribute for attribute in attributes() if attribute.standard]
    return [
        _make_split(train_name, training, lexicon, repair, ()),
        *(_make_split(name, corpus, lexicon, repair, standard) for name, corpus in others),
    ]


def _load_corpus(source: TrainingLike, name: str, coding: Coding, repair: str) -> Corpus:
    opened = open_training(source, name)
    chunks = [require_tokens(chunk) for chunk in opened.chunks(coding)]
    return replace(join_chunks(chunks, repair), name=opened.name)


def _make_split(
    name: str, corpus: Corpus, lexicon: Lexicon, repair: str, attributes: Sequence[Attribute]
) -> DatasetSplit:
    mentions = corpus.mentions(repair)
    survey = surveyed([survey_chunk(corpus, mentions, attributes, lexicon)], corpus.coding, lexicon)
    sentences = Sentences(corpus, mentions, survey.surfaces, lexicon, survey.types_of_surface)
    return DatasetSplit(name, View(sentences, mentions), survey.values)
