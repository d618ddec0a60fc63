"""The hard subsets of every token of a test set, or of training data by cross-validation."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, repeat
from typing import Any

import numpy as np

from nerscope.arguments import check_arguments
from nerscope.corpus.arrays import Bools, Ints, count_table
from nerscope.corpus.corpus import Coding, Corpus, join_chunks
from nerscope.corpus.lexicon import FOLD, SENSITIVE, Lexicon, check_case, lexicon_of
from nerscope.corpus.mentions import CONLLEVAL, Mentions, check_repair, encode
from nerscope.corpus.schemes import BIO, LabelCodes
from nerscope.corpus.vocabulary import SequenceTrie
from nerscope.dataset.hard_tokens import training_labels
from nerscope.dataset.split.plan import fold_of_groups, link_units, renumber, weigh_groups
from nerscope.errors import InputError, UsageError, expect, plural
from nerscope.facets.facet import Facet, Sentences, View
from nerscope.facets.hard import HARD, HARD_STRICT
from nerscope.formats.base import CorpusLike, TrainingLike, open_training
from nerscope.formats.source import require_tokens
from nerscope.results.rows import ResultRow


@dataclass(frozen=True, slots=True, eq=False)
class TokenRow(ResultRow):
    """A token with its subsets of hard tokens, and its labels in the other data."""

    place: str  # file and line
    sentence: int  # counted from 0 over all files
    position: int  # in the sentence, from 0
    token: str
    label: str  # gold, in the scheme bio
    hard: str  # its level in the facet `hard`, such as diff-E; "other" if it is not hard
    hard_strict: str
    training_labels: str  # such as "O 2, LOC 1"; "–" if the token is not in training
    fold: int | None  # from 1; None for tokens of a test set


def token_subsets(
    train: TrainingLike,
    test: CorpusLike | None = None,
    *,
    folds: int = 10,
    seed: int = 0,
    repair: str = CONLLEVAL,
    map: Mapping[str, str] | None = None,
    drop: Iterable[str] = (),
    case: str = SENSITIVE,
) -> list[TokenRow]:
    """The subsets of hard tokens for every token of a test set, or of the training data.

    Without `test`, the training data are divided into folds, and the tokens of each fold are
    compared with the other folds, as HardEval suggests for training on hard slices.

    - `folds`, `seed`: the number of folds, and the random seed. Documents are not split if there
      are enough of them, and sentences with the same text are always in one fold.
    - `repair`, `map`, `drop`, `case`: as for `evaluate`.

    >>> train = [(["May", "came"], ["B-PER", "O"]), (["May", "left"], ["O", "O"])]
    >>> [(row.token, row.hard, row.training_labels) for row in token_subsets(train, folds=2)]
    [('May', 'diff-I', 'O 1'), ('came', 'unseen-O', '–'), ('May', 'diff-O', 'PER 1'), ...]
    """
    check_arguments(token_subsets, locals())
    check_repair(repair)
    check_case(case)
    coding = Coding(labels=LabelCodes(map or {}, frozenset(drop)))
    training = _Tokens.of(train, "<train>", coding, repair)
    if test is not None:
        lexicon = lexicon_of(training.corpus, repair, fold_case=case == FOLD)
        held_out = _Tokens.of(test, "<test>", coding, repair)
        return list(held_out.rows(lexicon, np.arange(held_out.corpus.n_tokens), None))
    _check_folds(folds, seed)
    by_sentence = _folds(training, folds, seed)
    fold = np.repeat(by_sentence, np.diff(training.corpus.starts))
    rows = chain.from_iterable(
        training.rows(_lexicon_without(training, fold == number, case), chosen, number + 1)
        for number in range(folds)
        for chosen in [np.flatnonzero(fold == number)]
    )
    return sorted(rows, key=lambda row: (row.sentence, row.position))


def _check_folds(folds: int, seed: int) -> None:
    for name, value, least in (("folds", folds, 2), ("seed", seed, 0)):
        expect(name, value, int, "give a whole number")
        if value < least:
            raise UsageError(name, f"{value} is too small", f"give {least} or more")


@dataclass(frozen=True, slots=True, eq=False)
class _Tokens:
    """A corpus with the mentions and the places of its tokens."""

    corpus: Corpus
    mentions: Mentions
    places: Sequence[str]

    @classmethod
    def of(cls, source: TrainingLike, name: str, coding: Coding, repair: str) -> "_Tokens":
        opened = open_training(source, name)
        chunks = [require_tokens(chunk) for chunk in opened.chunks(coding)]
        corpus = replace(join_chunks(chunks, repair), name=opened.name)
        mentions = corpus.mentions(repair)
        if not mentions.are_flat:
            raise InputError(
                opened.name,
                "its mentions overlap, so tokens have no single label",
                "give data without overlapping mentions",
            )
        places = [chunk.place(token) for chunk in chunks for token in range(chunk.n_tokens)]
        return cls(corpus, mentions, places)

    def rows(self, lexicon: Lexicon, chosen: Ints, fold: int | None) -> Iterator[TokenRow]:
        """The rows of some tokens, compared with a lexicon."""
        corpus = self.corpus
        view = View(Sentences(corpus, self.mentions, SequenceTrie(), lexicon), self.mentions)
        sentence = view.sentences.of_token
        labels = encode(self.mentions, corpus.starts, corpus.coding.labels, BIO)
        names = corpus.coding.labels.texts_in(BIO)
        columns: tuple[Iterable[Any], ...] = (
            (self.places[token] for token in chosen.tolist()),
            sentence[chosen].tolist(),
            (chosen - corpus.starts[sentence[chosen]]).tolist(),
            corpus.coding.tokens.strings(corpus.tokens[chosen]),
            (names[label] for label in labels[chosen].tolist()),
            *(_levels(facet, view, chosen) for facet in (HARD, HARD_STRICT)),
            training_labels(view, corpus.tokens[chosen]),
        )
        columns = (*columns, repeat(fold, len(chosen)))
        for values in zip(*columns, strict=True):
            yield TokenRow(*values)


def _levels(facet: Facet, view: View, chosen: Ints) -> list[str]:
    single = {codes[0]: level for level, codes in facet.level_codes.items() if len(codes) == 1}
    return [single[code] for code in facet.checked_codes(view)[chosen].tolist()]


def _folds(training: _Tokens, folds: int, seed: int) -> Ints:
    """The fold of each sentence, from 0."""
    corpus, mentions = training.corpus, training.mentions
    codes = SequenceTrie().codes(corpus.tokens, corpus.starts[:-1], corpus.starts[1:])
    by_document = link_units(renumber(corpus.documents), codes)
    by_sentence = link_units(np.arange(len(corpus)), codes)
    group = by_document if by_document.max() + 1 >= folds else by_sentence
    if group.max() + 1 < folds:
        raise InputError(
            corpus.name,
            f"{plural(int(group.max()) + 1, 'sentence')} with different texts are too few for "
            f"{folds} folds",
            "give fewer folds",
        )
    weights = weigh_groups(group, mentions.sentences(corpus.starts), mentions.type, False)
    return fold_of_groups(weights, folds, seed)[group]


def _lexicon_without(training: _Tokens, is_left_out: Bools, case: str) -> Lexicon:
    """The lexicon of all other sentences, with tokens only: hard tokens do not need surfaces."""
    corpus, mentions = training.corpus, training.mentions
    vocabulary = corpus.coding.tokens
    tokens = vocabulary.folded(corpus.tokens) if case == FOLD else corpus.tokens
    size, kinds = vocabulary.bound, max(1, len(corpus.coding.labels.types))
    counts = np.bincount(tokens[~is_left_out], minlength=size)
    positions, types = mentions.positions, np.repeat(mentions.type, mentions.lengths)
    others = ~is_left_out[positions]
    inside = count_table(tokens[positions[others]], types[others], (size, kinds))
    none = np.zeros(0, np.int64)
    return Lexicon(
        SequenceTrie(),
        n_mentions=0,
        n_tokens=int(counts.sum()),
        token_counts=counts,
        inside_counts=inside,
        inside_totals=inside.sum(axis=1),
        inside_most=inside.max(axis=1, initial=0),
        surface_counts=np.zeros((0, kinds), np.int64),
        surface_totals=none,
        occurrences=none,
        folds_case=case == FOLD,
    )
