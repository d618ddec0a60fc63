"""What a reader should know about the numbers: notes, caveats, settings, commands, citations."""

import shlex
from collections.abc import Iterable, Iterator, Sequence
from os.path import commonpath
from pathlib import Path
from typing import NamedTuple

from nerscope.errors import plural
from nerscope.facets.facet import FACETS
from nerscope.render.page.schema import (
    PageAnswers,
    PageCaveat,
    PageDataset,
    PageNote,
    PageSetting,
    Severity,
)
from nerscope.results.errors import partial_matches
from nerscope.results.results import Results
from nerscope.results.terms import SETTING_WORDS
from nerscope.scoring.evidence import Evidence
from nerscope.version import VERSION

_MANY = 0.01  # a note about a larger share of its file is a warning
_REPAIRED, _IDENTICAL, _COMMENTS = "repaired labels", "identical outputs", "comment lines"
_NOT_ABOUT_FILES = {_IDENTICAL, "names without use"}  # but about runs, or options
# Kinds of notes that often mean a mistake in what was given.
_WARNINGS = {
    _IDENTICAL,
    "gold column",
    "different schemes",
    "foreign types",
    "names without use",
    "records of gold left out",
}


class RelativeNames:
    """Shortens absolute paths of files: a page may be read on other machines.

    >>> RelativeNames(["/data/a/gold.conll", "dev.conll"]).shorten("line 3 of /data/a/gold.conll")
    'line 3 of gold.conll'
    """

    def __init__(self, names: Iterable[str]) -> None:
        files = {file for name in names for file in name.split(" + ")}  # of several files as one
        absolute = [file for file in files if Path(file).is_absolute()]
        folders = {file.removesuffix(Path(file).name) for file in absolute}
        if len({Path(file).name for file in absolute}) < len(absolute):
            # Files of one name in several folders keep the folders in which they differ.
            folders = {commonpath(folders).rstrip("/") + "/"}
        self._prefixes = sorted(folders, reverse=True)  # folders inside others come first

    @classmethod
    def of_results(cls, results: Results) -> "RelativeNames":
        """Shortens the names of the files of results."""
        names = [part.gold_name for part in results.evidence]
        return cls([*names, *(note["source"] for note in results.losses)])

    def shorten(self, text: str) -> str:
        """The text with only the last part of each path."""
        for prefix in self._prefixes:
            text = text.replace(prefix, "")
        return text


def page_notes(results: Results, names: RelativeNames, more: Iterable[str]) -> list[PageNote]:
    """The notes on files by severity, then those on the numbers (`more`)."""
    notes: list[PageNote] = []
    for loss in results.losses:
        if loss["kind"] != _COMMENTS:
            share = loss["count"] / loss["of"] if loss.get("of") else 0.0
            is_warning = loss["kind"] in _WARNINGS or share > _MANY
            severity: Severity = "warning" if is_warning else "note"
            text, source = names.shorten(loss["message"]), names.shorten(loss["source"])
            if loss["kind"] in _NOT_ABOUT_FILES:
                notes.append({"text": f"{source}: {text}", "severity": severity, "file": None})
            else:
                notes.append({"text": text, "severity": severity, "file": source})
    notes += [
        {"text": names.shorten(text), "severity": "note", "file": None}
        for text in dict.fromkeys(more)
    ]
    return sorted(notes, key=lambda note: note["severity"] != "warning")


def page_settings(results: Results) -> list[PageSetting]:
    """The signature as a table: one row for a setting that is equal everywhere."""
    by_dataset = {part.dataset: part.signature.parts() for part in results.evidence}
    settings: list[PageSetting] = []
    for name in dict.fromkeys(name for parts in by_dataset.values() for name in parts):
        about = SETTING_WORDS.get(name, "")
        values = {dataset: parts[name] for dataset, parts in by_dataset.items() if name in parts}
        is_equal = len(values) == len(by_dataset) and len(set(values.values())) == 1
        shown = {None: next(iter(values.values()))} if is_equal else values
        settings += [
            {"dataset": dataset, "name": name, "value": value, "about": about}
            for dataset, value in shown.items()
        ]
    return settings


def page_commands(results: Results, file: str, best: str | None) -> list[str]:
    """Commands for these results, which are saved in `file`: only those that work with them."""
    saved = shlex.quote(Path(file).name)
    parts = results.evidence
    commands = [f"nerscope show {saved} --all"]
    if any(len(part.systems) > 1 for part in parts):
        commands.append(f"nerscope compare {saved}")
    if best is not None and all(part.folded is None for part in parts):
        commands.append(f"nerscope errors {saved} --system {shlex.quote(best)}")
    if any(part.signature.edges for part in parts):
        commands.append(f"nerscope diagnose {saved}")
    return [*commands, f"nerscope gate new.json --baseline {saved}"]


class _Paper(NamedTuple):
    """A paper to cite, and the facets whose numbers it defines."""

    reference: str
    facets: tuple[str, ...]


_NERSCOPE = (
    "The nerscope contributors. nerscope: evaluation of named-entity recognisers. "
    f"Version {VERSION}."
)
_PAPERS = (
    _Paper(
        "Jingxuan Tu and Constantine Lignos. 2021. TMR: Evaluating NER Recall on Tough Mentions. "
        "EACL Student Research Workshop, pages 155–163.",
        ("tmr",),
    ),
    _Paper(
        "Gabriel Bernier-Colborne and Philippe Langlais. 2020. HardEval: Focusing on Challenging "
        "Tokens to Assess Robustness of NER. LREC, pages 1704–1711.",
        ("hard", "hard-strict"),
    ),
    _Paper(
        "Jinlan Fu, Pengfei Liu and Graham Neubig. 2020. Interpretable Multi-dataset Evaluation "
        "for Named Entity Recognition. EMNLP, pages 6058–6069.",
        ("eLen", "sLen", "eDen", "oDen", "eFre", "eCon", "tFre", "tCon"),
    ),
)
_PARTIAL = (
    "James Kong and Charles Sullivan. Partial Evaluation Metrics in Named Entity Recognition. "
    "Brandeis University."
)


def page_citations(results: Results) -> list[str]:
    """What to cite for these numbers; docs/citing.md has the same as BibTeX."""
    facets = {name for part in results.evidence for name in part.facets}
    papers = [paper.reference for paper in _PAPERS if not facets.isdisjoint(paper.facets)]
    partial = [_PARTIAL] if any(map(partial_matches, results.evidence)) else []
    return [_NERSCOPE, *papers, *partial]


def has_training(results: Results) -> bool:
    """Whether training data were given: some facet needs them."""
    facets = {name for part in results.evidence for name in part.facets if name in FACETS}
    return any(FACETS[name].needs_train for name in facets)


def page_caveats(results: Results, datasets: Sequence[PageDataset]) -> list[PageCaveat]:
    """What limits the meaning of the numbers, the most serious first."""
    answers = [answer for dataset in datasets for answer in dataset["answers"]]
    found = [
        ("identical outputs", _identical(results)),
        ("unreadable answers", _of_answers(answers, "unreadable")),
        ("hallucinated mentions", _of_answers(answers, "hallucinated")),
        ("repairs", _repairs(results)),
        ("one run", _one_run(results)),
        ("folded", _folded(results.evidence)),
    ]
    return [{"rule": rule, "text": text} for rule, texts in found for text in texts]


def _identical(results: Results) -> Iterator[str]:
    notes = [note for note in results.losses if note["kind"] == _IDENTICAL]
    if notes:
        first = f"{notes[0]['places'][0]}: {notes[0]['message'].partition(':')[0]}"
        more = f", and {len(notes) - 1} more" if len(notes) > 1 else ""
        yield f"{plural(len(notes), 'output')} identical to another: {first}{more}."


def _of_answers(answers: Sequence[PageAnswers], what: str) -> Iterator[str]:
    """How many answers or mentions of each system are unreadable or hallucinated."""
    for system in dict.fromkeys(answer["system"] for answer in answers):
        own = [answer for answer in answers if answer["system"] == system]
        if what == "unreadable":
            count = sum(answer["unreadable"] + answer["cutOff"] for answer in own)
            total, noun = sum(answer["answers"] or 0 for answer in own), "answer"
            fact = "unreadable or cut off"
        else:
            count = sum(answer["hallucinated"] for answer in own)
            total, noun = sum(answer["predicted"] for answer in own), "predicted mention"
            fact = "not in the text (hallucinated)"
        if count:
            share = f"{count:,} of {plural(total, noun)} ({100 * count / total:.1f} %)"
            yield f"{system}: {share} {'is' if count == 1 else 'are'} {fact}."


def _repairs(results: Results) -> Iterator[str]:
    notes = [note for note in results.losses if note["kind"] == _REPAIRED and note.get("of")]
    shares = {note["source"]: note["count"] / note["of"] for note in notes}
    names = RelativeNames.of_results(results)
    many = sorted((source for source in shares if shares[source] > _MANY), key=shares.__getitem__)
    if many:
        worst = many[-1]
        files = plural(len(many), "file")
        most = f"{names.shorten(worst)}, {100 * shares[worst]:.1f} %"
        yield f"More than 1 % of the labels were repaired in {files}, most in {most}."


def _one_run(results: Results) -> Iterator[str]:
    single = [
        system
        for system in results.systems
        if all(len(part.runs_of(system)) <= 1 for part in results.evidence)
    ]
    if len(single) == len(results.systems):
        each = "One run each" if len(single) > 1 else "One run"
        yield f"{each}: the intervals do not cover how much training runs differ."
    elif single:
        named = ", ".join(single)
        yield f"Only one run of {named}: the interval does not cover how much training runs differ."


def _folded(parts: Sequence[Evidence]) -> Iterator[str]:
    for part in parts:
        if part.folded is not None:
            size = f"{part.dataset}: {part.folded.sentences:,} sentences are kept as sums"
            if part.errors is None:
                yield f"{size}, without their errors."
            else:
                kept = 0 if part.sample is None else len(part.sample.documents)
                yield f"{size}; errors of all are counted, those of {kept:,} sentences are listed."
