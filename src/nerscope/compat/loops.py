"""What doors for training loops share: sentences in, results or a few flat numbers out."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from nerscope.compat.batches import Labelled
from nerscope.corpus.corpus import Corpus, Sentence
from nerscope.corpus.schemes import OUTSIDE_LABEL
from nerscope.corpus.units import MENTION
from nerscope.errors import UsageError
from nerscope.evaluation.evaluate import evaluate
from nerscope.evaluation.plan import EXACT, chosen_subsets
from nerscope.evaluation.settings import Settings
from nerscope.evaluation.subsets import ALL
from nerscope.evaluation.systems import is_source
from nerscope.formats.base import CorpusLike, read
from nerscope.results.results import Results
from nerscope.results.row import Row
from nerscope.results.scalars import scalars_of

Training = CorpusLike | Sequence[CorpusLike] | None
TOUGH_FACETS = ("tmr", "hard")  # of which a loop tells unasked, if there is training data
_PLAIN_METRICS = ("precision", "recall", "f1")


class Asked(NamedTuple):
    """What a loop wants to be told: training data, read, and options, checked."""

    train: Corpus | list[Corpus] | None
    options: Mapping[str, Any]
    told: bool  # whether anything was said, so that more than exact scores is wanted

    def check_tokens(self, tokens: object) -> None:
        """Refuse sentences without words before an epoch is lost over it."""
        if self.train is not None and tokens is None:
            raise UsageError(
                "tokens",
                "there are none, and what training says of words is asked for",
                "give the words of each sentence, or leave train out",
            )

    def results(self, gold: Sequence[Sentence], predicted: Sequence[Sentence]) -> Results:
        """One evaluation."""
        return evaluate(
            Corpus.of(gold, name="<gold>"),
            {"model": Corpus.of(predicted, name="<predicted>")},
            train=self.train,
            dataset="gold",
            **self.options,
        )


def asked(train: Training, options: Mapping[str, Any]) -> Asked:
    """Read and check now what will be asked again and again: a slip shows before an epoch ends.

    Of facets, unless told, only the tough ones are asked for.
    """
    told = {"facets": TOUGH_FACETS if train is not None else (), **options}
    chosen_subsets(Settings.of(told), with_train=train is not None)
    return Asked(_read(train), told, train is not None or bool(options))


def _read(train: Training) -> Corpus | list[Corpus] | None:
    if train is None:
        return None
    given: Any = train
    if isinstance(given, list | tuple) and given and is_source(given[0]):
        return [read(one) for one in given]
    return read(given)


def has_mention(sentences: Sequence[Labelled]) -> bool:
    """Whether gold has any: early batches may have none, and no recall is defined then."""
    return any(label != OUTSIDE_LABEL for one in sentences for label in one.gold)


def two_sides(sentences: Sequence[Labelled]) -> tuple[list[Sentence], list[Sentence]]:
    """The sentences as gold, with their words where all have them, and as predicted."""
    predicted: list[Sentence] = [one.predicted for one in sentences]
    if any(one.tokens is None for one in sentences):
        return [one.gold for one in sentences], predicted
    return [(one.tokens or [], one.gold) for one in sentences], predicted


def tough_numbers(results: Results) -> dict[str, float]:
    """What exact scores do not tell: levels of facets, and partial credit, for all types together.

    >>> gold = [["B-PER", "I-PER", "O"]]
    >>> tough_numbers(asked(None, {}).results(gold, [["B-PER", "O", "O"]]))["left/f1"]
    0.5
    """
    return scalars_of(row for row in results.select(run=None, type=None) if _is_tough(row))


def _is_tough(row: Row) -> bool:
    partial = row["unit"] == MENTION and row["match"] != EXACT and row["metric"] in _PLAIN_METRICS
    return row["facet"] != ALL or partial
