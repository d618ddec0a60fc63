"""The annotators of a comparison: one per file, or all whom one export names."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from nerscope.errors import InputError, UsageError
from nerscope.evaluation.task import check_names
from nerscope.formats.base import CorpusLike, open_source
from nerscope.formats.source import Source

Annotators = Mapping[str, CorpusLike] | CorpusLike


def open_annotators(given: Annotators) -> dict[str, Source]:
    """The files of annotators by name; of a single export, those of all annotators in it."""
    if not isinstance(given, Mapping):
        return _of_export(open_source(given, "<annotations>"))
    check_names(given)
    sources = {name: open_source(file, f"<{name}>") for name, file in given.items()}
    if len(sources) == 1:
        return _of_export(*sources.values())
    if not sources:
        raise UsageError("annotators", "no annotator is given", "give two or more, as NAME=FILE")
    return sources


def _of_export(source: Source) -> dict[str, Source]:
    names = source.annotators()
    if len(names) < 2:
        fact = f"it has one annotator, {names[0]}" if names else "it names no annotators"
        raise InputError(
            source.name, fact, "give a second file, or an export with several annotators"
        )
    return {name: source.of_annotator(name) for name in names}


def open_systems(given: Mapping[str, CorpusLike] | None, taken: Sequence[str]) -> dict[str, Source]:
    """The outputs of systems by name, which no annotator may have."""
    named = given or {}
    check_names([*taken, *named])
    for name in named:
        if name in taken:
            raise UsageError(
                f"system '{name}'",
                "an annotator has this name",
                f"--system OTHER-NAME={Path(str(named[name])).name}",
            )
    return {name: open_source(file, f"<{name}>") for name, file in named.items()}
