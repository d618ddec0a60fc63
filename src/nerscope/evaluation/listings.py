"""Listings beside the scores: the types of each side, and the hard tokens that are mislabelled."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np

from nerscope.corpus.corpus import Coding
from nerscope.corpus.units import TOKEN
from nerscope.engines.local import Local
from nerscope.errors import UsageError
from nerscope.evaluation.plan import make_plan
from nerscope.evaluation.score import token_labels
from nerscope.evaluation.settings import Settings
from nerscope.evaluation.task import Systems, Task, open_task
from nerscope.facets.facet import Facet
from nerscope.facets.view import Sentences, View
from nerscope.formats.base import CorpusLike

TYPE, COUNTS_AS, GOLD = "type", "counts_as", "gold"


def coverage(
    test: CorpusLike, systems: Systems | None = None, **options: Any
) -> list[dict[str, Any]]:
    """A row for each type as it is written: what it counts as, and how often each side has it.

    Options are those of `evaluate`, of which `map` and `drop` matter. A type that is dropped counts
    as None; runs of a system are added up.

    >>> gold = [(["Ada", "left"], ["B-PERSON", "O"])]
    >>> coverage(gold, {"s": [["B-PER", "O"]]}, map={"PERSON": "PER"})
    [{'type': 'PER', 'counts_as': 'PER', 'gold': 0, 's': 1}, \
{'type': 'PERSON', 'counts_as': 'PER', 'gold': 1, 's': 0}]
    """
    return coverage_of(open_task(test, systems, None, None, Settings.of(options)))


def coverage_of(task: Task) -> list[dict[str, Any]]:
    """The same for a task that is opened already."""
    settings = task.settings
    systems = [run.system for run in task.runs]
    _refuse_columns(systems)
    sides = [GOLD, *systems]
    labels = task.coding.labels.as_written
    plain = task._replace(coding=Coding(labels=labels))
    counts = np.zeros((len(sides), 0), np.int64)
    for row in plain.aligned_chunks(tokens=True):
        found = [corpus.mentions(settings.repair).type for corpus in row]
        size = len(labels.types)
        counts = np.pad(counts, ((0, 0), (0, size - counts.shape[1])))
        counts += np.array([np.bincount(types, minlength=size) for types in found])
    return _rows(labels.types, sides, counts, settings)


def _refuse_columns(systems: Sequence[str]) -> None:
    """Each system is a column, beside three others."""
    for name in systems:
        if name in (TYPE, COUNTS_AS, GOLD):
            raise UsageError(
                f"system '{name}'",
                "the list of types has a column of this name already",
                "give the system another name",
            )


def _rows(
    types: Sequence[str], sides: Sequence[str], counts: Any, settings: Settings
) -> list[dict[str, Any]]:
    """The types in the order of what they count as; those that nobody has are left out."""
    rows = []
    for kind, name in enumerate(types):
        own = dict.fromkeys(sides, 0)
        for side, times in zip(sides, counts[:, kind].tolist(), strict=True):
            own[side] += times
        new = settings.map.get(name, name)
        if any(own.values()):
            rows.append({TYPE: name, COUNTS_AS: None if new in settings.drop else new, **own})
    return sorted(rows, key=lambda row: (row[COUNTS_AS] is None, row[COUNTS_AS], row[TYPE]))


def hard_errors(task: Task, most: int = 10) -> list[dict[str, Any]]:
    """For each run and subset of hard tokens, the tokens that are labelled wrong most often."""
    plan = make_plan(task, Local()).plan
    wrong: dict[tuple[str, str, str, str], Counter[int]] = {}
    seen: dict[tuple[str, str], Counter[int]] = {}
    for row in task.aligned_chunks(tokens=True):
        gold = row[0]
        mentions = gold.mentions(plan.settings.repair, plan.label_styles[0].scheme)
        lore = (plan.surfaces, plan.lexicon, plan.types_of_surface)
        view = View(Sentences(gold, mentions, *lore), mentions)
        wanted = token_labels(gold, plan.label_styles[0], plan)
        labels = [
            token_labels(own, nature, plan)
            for own, nature in zip(row, plan.label_styles, strict=True)
        ]
        for facet in plan.facets_of_unit(TOKEN):
            codes = facet.checked_codes(view)
            for level, members in _subsets(facet):
                here = np.equal(codes, members)
                seen.setdefault((facet.name, level), Counter()).update(gold.tokens[here].tolist())
                for run, own in zip(task.runs, labels[1:], strict=True):
                    key = (run.system, run.number, facet.name, level)
                    missed = gold.tokens[here & (own != wanted)].tolist()
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


def _subsets(facet: Facet) -> list[tuple[str, int]]:
    """The subsets that are hard, each with its code."""
    levels = facet.level_codes.items()
    return [(level, codes[0]) for level, codes in levels if len(codes) == 1 and level != "other"]
