"""Listings in addition to scores: the types of each side, and mislabelled hard tokens."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np

from nerscope.corpus.corpus import Coding
from nerscope.corpus.units import TOKEN, TYPE
from nerscope.engines.local import Local
from nerscope.errors import UsageError
from nerscope.evaluation.plan import make_plan
from nerscope.evaluation.score import token_labels
from nerscope.evaluation.task import Settings, Systems, Task, open_task
from nerscope.facets.facet import Facet, Sentences, View
from nerscope.facets.hard import OTHER_LEVEL
from nerscope.formats.base import CorpusLike

COUNTS_AS, GOLD = "counts_as", "gold"


def coverage(
    test: CorpusLike, systems: Systems | None = None, **options: Any
) -> list[dict[str, Any]]:
    """A row for each type in the files: the type it counts as, and its mentions on each side.

    Options are those of `evaluate`; only `map` and `drop` have an effect. A dropped type counts as
    None. The counts of all runs of a system are summed.

    >>> gold = [(["Ada", "left"], ["B-PERSON", "O"])]
    >>> coverage(gold, {"s": [["B-PER", "O"]]}, map={"PERSON": "PER"})
    [{'type': 'PER', 'counts_as': 'PER', 'gold': 0, 's': 1}, \
{'type': 'PERSON', 'counts_as': 'PER', 'gold': 1, 's': 0}]
    """
    return coverage_of(open_task(test, systems, None, None, Settings.of(options)))


def coverage_of(task: Task) -> list[dict[str, Any]]:
    """Like `coverage`, for an open task."""
    settings = task.settings
    systems = [run.system for run in task.runs]
    _refuse_columns(systems)
    sides = [GOLD, *systems]
    labels = task.coding.labels.as_written
    # Types are counted as written; the coding of the task would rename and drop them.
    plain = task._replace(coding=Coding(labels=labels))
    counts = np.zeros((len(sides), 0), np.int64)
    for row in plain.aligned_chunks(tokens=True):
        types_by_side = [corpus.mentions(settings.repair).type for corpus in row]
        size = len(labels.types)
        counts = np.pad(counts, ((0, 0), (0, size - counts.shape[1])))
        counts += np.array([np.bincount(types, minlength=size) for types in types_by_side])
    return _rows(labels.types, sides, counts, settings)


def _refuse_columns(systems: Sequence[str]) -> None:
    """Raise an error if a system has the name of another column: each system is a column."""
    for name in systems:
        if name in (TYPE, COUNTS_AS, GOLD):
            raise UsageError(
                f"system '{name}'",
                "the list of types already has a column of this name",
                "give the system another name",
            )


def _rows(
    types: Sequence[str], sides: Sequence[str], counts: Any, settings: Settings
) -> list[dict[str, Any]]:
    """The types that occur, sorted by the types that they count as."""
    rows = []
    for kind, name in enumerate(types):
        counts_by_side = dict.fromkeys(sides, 0)
        for side, times in zip(sides, counts[:, kind].tolist(), strict=True):
            counts_by_side[side] += times  # summed over the runs of a system
        new = settings.map.get(name, name)
        if any(counts_by_side.values()):
            counts_as = None if new in settings.drop else new
            rows.append({TYPE: name, COUNTS_AS: counts_as, **counts_by_side})
    return sorted(rows, key=lambda row: (row[COUNTS_AS] is None, row[COUNTS_AS], row[TYPE]))


def hard_errors(task: Task, most: int = 10) -> list[dict[str, Any]]:
    """The words that are mislabelled most often, for each run and level of hard tokens.

    A row has the keys system, run, facet, level, token, `wrong` (how often the word is mislabelled)
    and `of` (how often it occurs at this level); there are at most `most` rows per run and level.
    """
    plan = make_plan(task, Local()).plan
    wrong: dict[tuple[str, str, str, str], Counter[int]] = {}
    seen: dict[tuple[str, str], Counter[int]] = {}
    for row in task.aligned_chunks(tokens=True):
        if not all(corpus.is_flat for corpus in row):
            return []  # tokens have no single label
        gold = row[0]
        mentions = gold.mentions(plan.settings.repair, plan.label_styles[0].scheme)
        sentences = Sentences(gold, mentions, plan.surfaces, plan.lexicon, plan.types_of_surface)
        view = View(sentences, mentions)
        gold_labels, *run_labels = (
            token_labels(corpus, style, plan)
            for corpus, style in zip(row, plan.label_styles, strict=True)
        )
        for facet in plan.facets_of_unit(TOKEN):
            codes = facet.checked_codes(view)
            for level, code in _hard_levels(facet):
                here = np.equal(codes, code)
                seen.setdefault((facet.name, level), Counter()).update(gold.tokens[here].tolist())
                for run, labels in zip(task.runs, run_labels, strict=True):
                    key = (run.system, run.number, facet.name, level)
                    missed = gold.tokens[here & (labels != gold_labels)].tolist()
                    wrong.setdefault(key, Counter()).update(missed)
    words = task.coding.tokens
    return [
        {
            **dict(zip(("system", "run", "facet", "level"), key, strict=True)),
            "token": words.string(token),
            "wrong": count,
            "of": seen[key[2], key[3]][token],
        }
        for key, counts in wrong.items()
        for token, count in sorted(
            counts.items(), key=lambda item: (-item[1], words.string(item[0]))
        )[:most]
    ]


def _hard_levels(facet: Facet) -> list[tuple[str, int]]:
    """The levels of hard tokens with their codes, without levels of several codes."""
    levels = facet.level_codes.items()
    return [
        (level, codes[0]) for level, codes in levels if len(codes) == 1 and level != OTHER_LEVEL
    ]
