"""What systems gave that answer in text, such as language models."""

from nerscope.corpus.units import ALL
from nerscope.facets.alignment import ALIGNMENT
from nerscope.render.page.columns import short
from nerscope.render.page.schema import PageAnswers
from nerscope.results.results import Results
from nerscope.scoring.evidence import AnswerCounts, Evidence
from nerscope.scoring.matching import EXACT
from nerscope.scoring.metrics import F1


def page_answers(results: Results, evidence: Evidence) -> list[PageAnswers]:
    """The answers of each run that has some."""
    return [
        _run_answers(results, evidence, number, output.answers)
        for number, output in enumerate(evidence.overall.runs)
        if output.answers is not None
    ]


def _run_answers(
    results: Results, evidence: Evidence, number: int, counts: AnswerCounts
) -> PageAnswers:
    system, run = evidence.runs[number]
    by_type = evidence.overall.type_counts(number)
    return {
        "system": system,
        "run": run,
        "answers": counts.answers,
        "unreadable": counts.unreadable,
        "cutOff": counts.cut_off,
        "malformed": counts.malformed,
        "repeated": counts.repeated,
        "foreignTypes": int(by_type.pred[by_type.gold == 0].sum()),
        "hallucinated": counts.hallucinated,
        "predicted": int(by_type.pred.sum()),
        "topHallucinated": [[text, times] for text, times in counts.texts],
        "f1": _f1(results, evidence.dataset, evidence.runs[number], ALL, ALL),
        "f1Without": _f1(results, evidence.dataset, evidence.runs[number], ALIGNMENT, "aligned"),
    }


def _f1(
    results: Results, dataset: str, run: tuple[str, str], facet: str, level: str
) -> float | None:
    names = {"dataset": dataset, "system": run[0], "run": run[1], "facet": facet, "level": level}
    rows = results.select(**names, metric=F1, match=EXACT, type=None)
    return short(rows[0].value) if rows else None
