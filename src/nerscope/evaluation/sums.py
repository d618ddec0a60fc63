"""What all parts of the data say together: every mention while they are few, then sums by group."""

from dataclasses import replace

import numpy as np

from nerscope.corpus.arrays import Ints
from nerscope.corpus.corpus import ReadingNotes
from nerscope.corpus.interning import SequenceTrie
from nerscope.corpus.units import MENTION, TOKEN
from nerscope.corpus.vocabulary import NO_SEQUENCES
from nerscope.evaluation.plan import Planned
from nerscope.evaluation.score import (
    MOST_MENTIONED,
    ScoredSentences,
    joined_readings,
    joined_scores,
    with_surfaces,
)
from nerscope.evaluation.subsets import with_subsets
from nerscope.formats.source import DocumentCount
from nerscope.scoring.evidence import Evidence, Folded, canonical, with_kinds
from nerscope.scoring.folding import Folding
from nerscope.scoring.groups import groups_of


class EvidenceBuilder:
    """The parts so far, in the order of the sentences and in the codes of the evaluation."""

    def __init__(
        self, blank: Evidence, planned: Planned, *, apart: bool, unit: str | None = None
    ) -> None:
        self._blank = blank  # all that is known before anything is counted
        self._plan, self._subsets = planned.plan, planned.subsets
        self._surfaces = self._plan.surfaces.copy() if self._plan.lexicon else SequenceTrie()
        # Documents are numbered anew in each piece; in one piece they are numbered through.
        self._apart = apart
        self._documents, self._document = DocumentCount(), 0
        self._waiting: list[ScoredSentences] = []
        self._waiting_sentences = 0
        self._folding: Folding | None = None
        self._unit = unit  # by which groups are made; None: as the first sentences tell
        self._last_folded = self._rank = -1  # of the last sentence that was folded
        self.readings: list[dict[str, ReadingNotes]] = [{} for _ in self._plan.natures]
        self.told: tuple[str | None, ...] = ()
        self.sentences = self.tokens = 0

    def add(self, part: ScoredSentences) -> None:
        """Add what the next sentences say."""
        for known, new in zip(self.readings, part.readings, strict=True):
            known |= joined_readings([{name: known.get(name, ReadingNotes()) for name in new}, new])
        self.told = part.told
        self.sentences += part.sentences
        self.tokens += part.tokens
        self._waiting.append(self._at_home(part))
        self._waiting_sentences += part.sentences
        if self._plan.settings.fold is not False and self._waiting_sentences > MOST_MENTIONED:
            self._fold()

    def _at_home(self, part: ScoredSentences) -> ScoredSentences:
        """The part in the codes of the evaluation, documents numbered on from those before."""
        coding = self._plan.coding
        kinds = coding.labels.type_codes_of(part.types)
        ledgers = dict(part.ledgers)
        if not np.array_equal(kinds, np.arange(len(kinds))):
            for unit in ledgers.keys() - {TOKEN}:  # tokens have no type
                ledgers[unit] = with_kinds(ledgers[unit], kinds)
        if len(part.new_surfaces.ends):
            lasting = part.new_surfaces.codes(coding.tokens, self._surfaces)
            ledgers[MENTION] = with_surfaces(
                ledgers[MENTION],
                lambda known: np.where(known < -1, lasting[np.maximum(0, -2 - known)], known),
            )
        documents = self._numbered(part) if self._apart else part.documents
        return replace(part, ledgers=ledgers, new_surfaces=NO_SEQUENCES, documents=documents)

    def _numbered(self, part: ScoredSentences) -> Ints:
        """The documents of the next part, numbered on from those before."""
        in_file = part.documents if part.begins_file else part.documents + self._document
        self._document = int(in_file[-1])
        return self._documents.after(in_file, begins=part.begins_file, marked=part.marked)

    def _fold(self) -> None:
        """Let go of single mentions: from now on, only sums by group are kept."""
        whole = self._taken()
        if self._folding is None:
            self._folding, several = Folding(), _several(whole.documents[:MOST_MENTIONED])
            self._unit = self._unit or ("document" if several else "sentence")
        before = self.sentences - whole.sentences
        ranks = self._ranks(whole.documents)
        numbers = ranks if self._unit == "document" else before + np.arange(whole.sentences)
        for subset in self._subsets:
            self._plan.coding.labels.type_codes_of(subset.types())  # which may occur only later
        divided = with_subsets(self._unfolded(whole), self._subsets)
        self._folding.add(divided, groups_of(numbers))

    def _taken(self) -> ScoredSentences:
        """All waiting parts as one; they are let go, so that memory is not needed twice."""
        parts, self._waiting, self._waiting_sentences = self._waiting, [], 0
        return joined_scores(parts)

    def _ranks(self, documents: Ints) -> Ints:
        """The number of each sentence's document among those that have sentences."""
        changed = np.diff(documents, prepend=self._last_folded) != 0
        ranks: Ints = self._rank + np.cumsum(changed)
        self._rank, self._last_folded = int(ranks[-1]), int(documents[-1])
        return ranks

    def _unfolded(self, whole: ScoredSentences) -> Evidence:
        """The evidence of some sentences, mention by mention."""
        return replace(
            self._blank,
            types=tuple(self._plan.coding.labels.types),
            ledgers=whole.ledgers,
            documents=whole.documents,
            lines=whole.lines,
            texts=whole.texts,
            line_a_token=whole.line_a_token,
        )

    def evidence(self) -> Evidence:
        """The evidence of all that was added; folded evidence is divided as was asked for."""
        if self._folding is None and not self._plan.settings.fold:
            return canonical(self._unfolded(self._taken()))
        if self._waiting:
            self._fold()
        assert self._folding is not None
        folded = Folded(str(self._unit), self.sentences, self._rank + 1)
        like = replace(self._blank, types=tuple(self._plan.coding.labels.types))
        return canonical(self._folding.evidence(like, folded))


def _several(documents: Ints) -> bool:
    return bool(documents[0] != documents[-1])
