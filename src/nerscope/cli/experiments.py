"""What `evaluate EXPERIMENT.toml` and `run PLAN.toml` share: handing out what was found."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from nerscope.cli.common import emit, say

if TYPE_CHECKING:
    from nerscope.render.document import Document, Table
    from nerscope.results.compare import Comparison
    from nerscope.results.judged_results import JudgedResults
    from nerscope.results.judgements import JudgedFile
    from nerscope.results.results import Results


def beside(output: str | None) -> str | None:
    """Where the comparison goes: beside the results, if they go to a plain file."""
    from nerscope.results.files import is_special

    if output is None or is_special(output):
        return None
    return str(Path(output).with_suffix(".comparison.json"))


def judged_of(results: "Results", judges: Sequence["JudgedFile"]) -> "JudgedResults | None":
    """What judges said of the pairs of these results, if there are any judges."""
    if not judges:
        return None
    from nerscope.results.judged_results import judged_results

    return judged_results(results, judges)


def judges_of(paths: Sequence[str]) -> list["JudgedFile"]:
    """What stands in files of judgements."""
    if not paths:
        return []
    from nerscope.results.judgement_files import read_pairs

    return [read_pairs(path) for path in paths]


def with_judged(document: "Document", judged: "JudgedResults | None") -> "Document":
    """The document, with what judges said if there are any."""
    if judged is None:
        return document
    from nerscope.render.judged import with_judgements

    return with_judgements(document, judged)


def files_of(
    results: "Results",
    said: Mapping[str, Any],
    judges: Sequence["JudgedFile"],
    also: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """What goes to files: the results, and the report on them."""
    files: dict[str, Any] = {}
    if said["output"]:
        files[said["output"]] = lambda: results.file_text(also)
    if said["report"]:
        from nerscope.render.page.html import page_html  # for those who want to look at it

        files[said["report"]] = lambda: page_html(results, judges)
    return files


def hand_out(
    results: "Results",
    comparison: "Comparison | None",
    said: Mapping[str, Any],
    *,
    judges: Sequence["JudgedFile"] = (),
    also: Mapping[str, Any] | None = None,
    more: Sequence["Table"] = (),
    notes: Sequence[str] = (),
    code: int = 0,
) -> NoReturn:
    """Write what goes to files, and print the rest; `also` goes into the results' JSON."""
    from nerscope.render.document import as_json
    from nerscope.render.summary import summary_document
    from nerscope.render.tables import results_document

    shown = results_document(results) if said["all"] else summary_document(results)
    judged = judged_of(results, judges)
    shown = with_judged(shown, judged)
    told = {**(judged.data if judged else {}), **(also or {})}
    files = files_of(results, said, judges, told)
    if comparison is not None:
        shown = _compared(shown, comparison, results.signature)
        if place := beside(said["output"]):
            files[place] = lambda: as_json(comparison.as_dict())
            if not said["quiet"]:
                say(f"the comparison is in {place}")
    shown = replace(
        shown,
        tables=[*shown.tables, *more],
        notes=[*shown.notes, *notes],
        data=told or None,
    )
    form = said["format"]
    silent = form == "json" and bool(said["output"])
    emit(shown, form, files=files, code=code, silent=silent, quiet=said["quiet"])


def _compared(shown: "Document", comparison: "Comparison", signature: str) -> "Document":
    """The tables with the answers of a comparison above them."""
    from nerscope.render.comparison import comparison_document

    who_wins = comparison_document(comparison, signature, cells=False)
    return replace(
        shown,
        tables=[*shown.tables, *who_wins.tables],
        opening=[*shown.opening, *who_wins.opening],
        notes=[*shown.notes, *comparison.notes],
    )
