"""What is evaluated: gold, the runs of systems, training data; all are opened here."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from nerscope.corpus.corpus import Coding, Corpus
from nerscope.corpus.schemes import LabelCodes, parse_label
from nerscope.errors import UsageError
from nerscope.evaluation.settings import Settings
from nerscope.formats.align import needs_alignment, side_by_side
from nerscope.formats.base import CorpusLike, open_source, stem_of, wrapper_for
from nerscope.formats.shards import Shard, Shards
from nerscope.formats.source import JoinedSources, Source

Systems = Mapping[str, CorpusLike | Sequence[CorpusLike]] | CorpusLike


class Run(NamedTuple):
    """One output of one system."""

    system: str
    number: str
    source: Source


class Task(NamedTuple):
    """What is evaluated: gold, the runs of systems, perhaps training data, and the settings.

    Everything is opened, and nothing is read yet. How each chunk is scored is the `Plan`, which
    follows from a task by the first pass.
    """

    dataset: str
    gold: Source
    runs: list[Run]
    train: Source | None
    settings: Settings
    coding: Coding
    shards: Shards | None = None  # None: the files are read in one piece

    @property
    def sources(self) -> Shard:
        """Gold, then the output of each run."""
        return (self.gold, *(run.source for run in self.runs))

    @property
    def keeps_words(self) -> bool:
        """Whether results hold the words of the sentences: those of small files do, and all if
        folding is switched off.
        """
        return self.settings.texts and (self.gold.info.is_small or self.settings.fold is False)

    def aligned_chunks(self, *, tokens: bool) -> Iterator[list[Corpus]]:
        """Lists of chunks with the same sentences: that of gold, then that of each run.

        Without `tokens`, formats may leave the words out, which is faster.
        """
        repair = self.settings.repair
        return side_by_side(self.sources, self.coding, tokens=tokens, repair=repair)

    @property
    def needs_alignment(self) -> bool:
        """Whether some run has other tokens than gold, so that its mentions must be moved."""
        return any(needs_alignment(self.gold, run.source) for run in self.runs)


def open_task(
    test: CorpusLike,
    systems: Systems | None,
    train: CorpusLike | Sequence[CorpusLike] | None,
    dataset: str | None,
    settings: Settings,
) -> Task:
    """Open all files; columns, formats and schemes are detected from their beginnings."""
    gold = open_source(test, "<gold>")
    name = dataset or stem_of(gold.name) or "test"
    if systems is None:
        gold, output = gold.two_sides()
        systems = {stem_of(output.name): output}
    runs = runs_of(systems)
    if any(run.source == gold and gold.n_columns > 2 for run in runs):
        raise UsageError(
            gold.name,
            "gold and system are the same column",
            "say which is which, as FILE::label=1; a file with both may also be given alone",
        )
    coding = Coding(labels=LabelCodes(settings.map, frozenset(settings.drop)))
    return Task(name, gold, runs, _open_training(train), settings, coding)


def _open_training(train: CorpusLike | Sequence[CorpusLike] | None) -> Source | None:
    if train is None:
        return None
    given: Any = train
    # A list of files is one training set; a list of sentences is one corpus in memory.
    if isinstance(given, list | tuple) and given and is_source(given[0]):
        opened = [open_source(file, "<train>") for file in given]
        return opened[0] if len(opened) == 1 else JoinedSources(opened)
    return open_source(given, "<train>")


def check_names(names: Iterable[str]) -> None:
    """Refuse names of systems that differ only in case, which is hardly ever intended."""
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
    """The outputs of a system, one per run.

    A list of paths, files or corpora is one run per item; a list of sentences is one run; a list
    of lists of sentences is several runs.
    """
    if isinstance(given, list | tuple) and given and (is_source(given[0]) or _is_run(given[0])):
        return list(given)
    return [given]


def is_source(item: Any) -> bool:
    """Whether an item of a list is a file, corpus or table, and not a sentence."""
    return (
        isinstance(item, str | Corpus | Source)
        or hasattr(item, "read")
        or hasattr(item, "__fspath__")
        or wrapper_for(item) is not None
    )


def _is_run(item: Any) -> bool:
    """Whether an item of a list is a whole run (a list of sentences), and not one sentence.

    A sentence is a pair of lists, a mapping or a list of labels. Only a list of two lists can be
    both: `[["B-PER", "O"], ["O", "O"]]` is a run of two sentences, `[["Ada", "left"], ["B-PER",
    "O"]]` a sentence. It is a run if the first list reads as labels.
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
