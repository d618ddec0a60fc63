"""Systems and their runs: who is to be scored."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from nerscope.corpus.corpus import Corpus
from nerscope.corpus.schemes import parse_label
from nerscope.errors import UsageError
from nerscope.formats.base import CorpusLike, open_source, wrapper_for
from nerscope.formats.source import Source

Systems = Mapping[str, CorpusLike | Sequence[CorpusLike]] | CorpusLike


class Run(NamedTuple):
    """One output of one system."""

    system: str
    number: str
    source: Source


def check_names(names: Iterable[str]) -> None:
    """Refuse names that differ only in case: one of them is a slip."""
    by_case: dict[str, str] = {}
    for name in names:
        if not isinstance(name, str) or not name.strip():
            raise UsageError(f"system {name!r}", "this is no name", "name the system")
        other = by_case.setdefault(name.casefold(), name)
        if other != name:
            raise UsageError(
                f"system '{name}'",
                f"there is also '{other}'",
                "spell the name of a system the same way each time",
            )


def runs_of(systems: Systems) -> list[Run]:
    """All runs of all systems, numbered from "1". One output alone is that of a system `system`."""
    named: Mapping[str, Any] = systems if isinstance(systems, Mapping) else {"system": systems}
    if not named:
        raise UsageError("systems", "there is none", "name at least one, as NAME=FILE")
    check_names(named)
    return [
        Run(name, str(number), open_source(output, f"<{name}>"))
        for name, outputs in named.items()
        for number, output in enumerate(_outputs(outputs), 1)
    ]


def _outputs(given: Any) -> list[Any]:
    """A list of paths, files or corpora is one run each; a list of sentences is one run.

    A list of lists of sentences is several runs.
    """
    if isinstance(given, list | tuple) and given and (is_source(given[0]) or _is_run(given[0])):
        return list(given)
    return [given]


def is_source(item: Any) -> bool:
    """Whether this is something to open, and not a sentence."""
    return (
        isinstance(item, str | Corpus | Source)
        or hasattr(item, "read")
        or hasattr(item, "__fspath__")
        or wrapper_for(item) is not None
    )


def _is_run(item: Any) -> bool:
    """Whether this is a list of sentences, and not one sentence.

    A sentence is a pair of lists, a mapping or a list of labels. Only a list of two lists can be
    both: two sentences of labels, or tokens and labels; it is the second unless the first list
    reads as labels.
    """
    if not isinstance(item, list | tuple) or not item or isinstance(item[0], str):
        return False
    first = item[0]
    if isinstance(first, Mapping) or (first and not isinstance(first[0], str)):
        return True
    if len(item) != 2:
        return True
    if isinstance(item, tuple) or not all(isinstance(mark, str) for mark in item[1]):
        return False  # (tokens, labels) or (tokens, spans)
    if len(first) != len(item[1]):
        return True
    return all(isinstance(text, str) and parse_label(text) for text in first)
