"""Systems and their runs: who is to be scored."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from nerscope.corpus.corpus import Corpus
from nerscope.errors import UsageError
from nerscope.formats.sources import CorpusLike, Source, source_of


@dataclass(frozen=True, slots=True)
class Run:
    """One output of one system."""

    system: str
    number: str
    source: Source


def runs_of(systems: Mapping[str, CorpusLike | Sequence[CorpusLike]]) -> list[Run]:
    """All runs of all systems, numbered from "1"."""
    if not systems:
        raise UsageError("systems", "there is none", "name at least one, as NAME=FILE")
    by_case: dict[str, str] = {}
    for name in systems:
        other = by_case.setdefault(name.casefold(), name)
        if other != name:
            raise UsageError(
                f"system '{name}'", f"there is also '{other}'", "spell the name of a system the same way each time"
            )
    return [
        Run(name, str(number), source_of(output, f"<{name}>"))
        for name, outputs in systems.items()
        for number, output in enumerate(_outputs(outputs), 1)
    ]


def _outputs(given: Any) -> list[Any]:
    """A list of paths, files or corpora is one run each; a list of sentences is one run."""
    if isinstance(given, list | tuple) and given and _is_corpus(given[0]):
        return list(given)
    return [given]


def _is_corpus(item: Any) -> bool:
    if isinstance(item, str | Corpus) or hasattr(item, "read") or hasattr(item, "__fspath__") or hasattr(item, "blocks"):
        return True
    # A list of runs in memory: its items are lists of sentences, whose items are lists again.
    return (
        isinstance(item, list) and bool(item) and isinstance(item[0], list) and bool(item[0]) and isinstance(item[0][0], list)
    )
