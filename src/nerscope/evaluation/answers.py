"""Counts of what runs gave that answer in text, from the notes of reading them."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from nerscope.corpus.corpus import Note, ReadingNotes
from nerscope.evaluation.task import Task
from nerscope.scoring.evidence import AnswerCounts, Evidence, Ledger, Units

_MOST_TEXTS = 20


def with_answer_counts(
    evidence: Evidence, task: Task, notes_by_side: Sequence[ReadingNotes]
) -> Evidence:
    """The evidence with the counts of every run that is read from answers.

    `notes_by_side` are those of gold, then of each run.
    """
    if all(run.source.info.policy is None for run in task.runs):
        return evidence
    ledger = evidence.overall
    runs = [
        output
        if run.source.info.policy is None
        else replace(output, answers=_counts(reading, output.pred, texts=task.settings.texts))
        for run, output, reading in zip(task.runs, ledger.runs, notes_by_side[1:], strict=True)
    ]
    ledgers = {**evidence.ledgers, evidence.overall_place: Ledger(ledger.gold, tuple(runs))}
    return replace(evidence, ledgers=ledgers)


def _counts(reading: ReadingNotes, pred: Units, *, texts: bool) -> AnswerCounts:
    from nerscope.formats.answers.parsing import BROKEN, MALFORMED, UNREADABLE
    from nerscope.formats.answers.source import AGAIN, HALLUCINATED

    kinds = (UNREADABLE, BROKEN, MALFORMED, HALLUCINATED, AGAIN)
    unreadable, broken, malformed, hallucinated, again = (
        reading.notes.get(kind, Note(0)) for kind in kinds
    )
    return AnswerCounts(
        answers=unreadable.out_of,
        unreadable=unreadable.times,
        cut_off=broken.times,
        named=hallucinated.out_of,
        malformed=malformed.times,
        hallucinated=hallucinated.times,
        repeated=again.times,
        texts=_frequent_texts(hallucinated, pred) if texts else (),
    )


def _frequent_texts(hallucinated: Note, pred: Units) -> tuple[tuple[str, int], ...]:
    """The most frequent hallucinated texts; empty if not all of them are known.

    A note lists a limited number of texts. The mentions have all of them, unless they are folded.
    """
    listed = list(hallucinated.items)
    if pred.shape is not None and pred.length is not None:
        pairs = zip(pred.length.tolist(), pred.shape.tolist(), strict=True)
        listed = [shape.predicted_text for length, shape in pairs if not length]
    if len(listed) < hallucinated.times:
        return ()
    return tuple(Counter(listed).most_common(_MOST_TEXTS))
