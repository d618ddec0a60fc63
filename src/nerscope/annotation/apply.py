"""Apply decisions to the annotated file: only the labels that were decided on change."""

import os
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from nerscope.annotation.decisions import Decision, Span, merge_decisions
from nerscope.annotation.editing import Change, EditedCorpus, Gold, edit_file, spelt_span
from nerscope.annotation.stale import located, notes_on_tokens
from nerscope.errors import InputError, OutputError, UsageError, plural
from nerscope.formats.base import path_of
from nerscope.results.files import files_read, is_same_file


@dataclass(frozen=True, slots=True)
class AppliedRow:
    """A sentence whose mentions changed.

    `line` is that of the first token that changed. A record without a line of its own has a name,
    as in "task 812", in `record`. `neighbours` are tokens of other mentions whose labels had to
    change too, because the tagging scheme requires it.
    """

    file: str
    line: int
    record: str | None
    sentence: int
    before: tuple[Span, ...]
    after: tuple[Span, ...]
    by: str | None
    neighbours: tuple[int, ...] = ()

    def as_dict(self) -> dict[str, Any]:
        """The row for JSON, with spans as objects."""
        spans = {"before": self.before, "after": self.after}
        return {
            **{key: getattr(self, key) for key in ("file", "line", "record", "sentence")},
            **{key: [span._asdict() for span in some] for key, some in spans.items()},
            "by": self.by,
            "neighbours": list(self.neighbours),
        }


@dataclass(frozen=True, slots=True)
class AppliedLog:
    """What `apply_decisions` did, or would do.

    `confirmed` counts decisions that keep gold as it is, `already` those that were applied before.
    `rewritten` is the name of the format if the whole file was written anew.
    """

    file: str
    output: str | None
    rows: tuple[AppliedRow, ...]
    confirmed: int
    already: int
    rewritten: str | None
    messages: tuple[str, ...]


def apply_decisions(
    path: str | os.PathLike[str],
    decisions: Iterable[Decision],
    output: str | os.PathLike[str] | None,
    *,
    dry_run: bool = False,
) -> AppliedLog:
    """Write a file with the chosen mentions; everything else in it stays as it is.

    - `path`: the annotated file, also with options: `FILE::option=value`.
    - `decisions`: what `read_decisions` returns.
    - `output`: the file to write; for a format of several files, the folder.
    - `dry_run`: write nothing, and return what would be done.

    A decision whose sentence has changed since is refused, and then nothing is written.
    """
    text, target = os.fspath(path), None if output is None else os.fspath(output)
    _check_output(text, target, dry_run)
    gold = Gold.read(text)
    own, messages = _of_this_file(merge_decisions(decisions), text)
    changes, already = [], 0
    for decision in own:
        change = located(decision, gold)
        already += change is None
        changes += [] if change is None else [change]
    changing = [change for change in changes if change.removed or change.added]
    chosen = [(change.decision, change.after) for change in changing]
    edited = edit_file(gold, changing, target)
    if not dry_run and target is not None:
        edited.write(target)
    return AppliedLog(
        gold.name,
        target,
        tuple(_row(change, gold, edited) for change in changing),
        len(changes) - len(changing),
        already,
        edited.rewritten,
        (
            *messages,
            *notes_on_tokens(own, gold),
            *new_types(chosen, gold.types, gold.name),
            *edited.messages,
        ),
    )


def _check_output(text: str, output: str | None, dry_run: bool) -> None:
    if output is None and not dry_run:
        raise UsageError("apply", "no output is given", "-o OUT, or --dry-run")
    if output is not None and any(
        is_same_file(Path(path_of(output)), file) for file in files_read(text)
    ):
        raise OutputError(
            output, "this file is also an input", "choose another name for the output"
        )


def _of_this_file(decisions: Sequence[Decision], text: str) -> tuple[list[Decision], list[str]]:
    """The decisions about a file, and a note on the names of files.

    A decision names the file as it was given, perhaps from another folder. Decisions that all name
    one file may be applied to another one, such as a corrected copy: the text and the mentions of
    each sentence are compared.
    """
    path = path_of(text)
    files = {os.path.normpath(path_of(decision.file)) for decision in decisions}
    same = {name for name in files if name == os.path.normpath(path)}
    same = same or {name for name in files if Path(name).name == Path(path).name}
    chosen = same if len(same) == 1 else files
    own = [each for each in decisions if os.path.normpath(path_of(each.file)) in chosen]
    if len(chosen) > 1:
        raise InputError(
            own[0].source,
            f"the decisions are about {_names(own)}, not about {path}",
            f'give one of these files, or write "file": "{path}" if it was renamed',
        )
    if own and not same:
        return own, [f"decisions about {_names(own)} applied to {path}"]
    others = [each for each in decisions if os.path.normpath(path_of(each.file)) not in chosen]
    about = f"{plural(len(others), 'decision')} about {_names(others)} left out" if others else ""
    return own, [about] if about else []


def _names(decisions: Sequence[Decision]) -> str:
    names = list(dict.fromkeys(decision.file for decision in decisions))
    return ", ".join(names[:3]) + (" …" if len(names) > 3 else "")


def _row(change: Change, gold: Gold, edited: EditedCorpus) -> AppliedRow:
    begin = gold.begin(change.sentence)
    first = min(start for start, _, _ in (*change.removed, *change.added))
    return AppliedRow(
        gold.name,
        int(gold.corpus.lines[first]),
        gold.record(change.sentence),
        change.sentence,
        change.before,
        change.after,
        change.decision.by,
        tuple(at - begin for at in edited.neighbours.get(change.sentence, ())),
    )


def new_types(
    chosen: Iterable[tuple[Decision, Sequence[Span]]], known: Collection[str], name: str
) -> list[str]:
    """Notes on chosen types that no mention of the file, or of any annotator, has."""
    notes = dict[str, str]()
    for decision, spans in chosen:
        for span in spans:
            if span.type not in known:
                notes.setdefault(
                    span.type,
                    f"{decision.source}: no other mention of {name} has the type of "
                    f"{spelt_span(span)}",
                )
    return list(notes.values())
