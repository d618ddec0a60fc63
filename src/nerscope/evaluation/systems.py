"""Systems and their runs: who is to be scored."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from nerscope.corpus.corpus import Corpus
from nerscope.corpus.schemes import parse_label
from nerscope.errors import UsageError
from nerscope.formats.base import CorpusLike, Source, source_of
from nerscope.formats.conll import ConllFile

Systems = Mapping[str, CorpusLike | Sequence[CorpusLike]]


class Run(NamedTuple):
    """One output of one system."""

    system: str
    number: str
    source: Source


def check_names(names: Iterable[str]) -> None:
    """Refuse names that differ only in case: one of them is a slip."""
    by_case: dict[str, str] = {}
    for name in names:
        other = by_case.setdefault(name.casefold(), name)
        if other != name:
            raise UsageError(
                f"system '{name}'",
                f"there is also '{other}'",
                "spell the name of a system the same way each time",
            )


def runs_of(systems: Systems) -> list[Run]:
    """All runs of all systems, numbered from "1"."""
    if not systems:
        raise UsageError("systems", "there is none", "name at least one, as NAME=FILE")
    check_names(systems)
    return [
        Run(name, str(number), source_of(output, f"<{name}>"))
        for name, outputs in systems.items()
        for number, output in enumerate(_outputs(outputs), 1)
    ]


def _outputs(given: Any) -> list[Any]:
    """A list of paths, files or corpora is one run each; a list of sentences is one run, a list of
    such lists several.
    """
    if isinstance(given, list | tuple) and given and (_is_source(given[0]) or _is_run(given[0])):
        return list(given)
    return [given]


def _is_source(item: Any) -> bool:
    return (
        isinstance(item, str | Corpus | ConllFile)
        or hasattr(item, "read")
        or hasattr(item, "__fspath__")
    )


def _is_run(item: Any) -> bool:
    """Whether this is a list of sentences, and not one sentence, which is a pair of lists, a
    mapping or a list of labels.
    """
    if not isinstance(item, list | tuple) or not item or isinstance(item[0], str):
        return False
    first = item[0]
    if isinstance(first, Mapping) or (first and not isinstance(first[0], str)):
        return True
    pair = len(item) == 2 and len(first) == len(item[1])
    labels = all(isinstance(text, str) and parse_label(text) for text in first)
    return not pair or labels  # tokens that all look like labels are labels
