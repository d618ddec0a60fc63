"""The hard tokens that systems get wrong most often, by subset."""

from collections import Counter
from typing import Any

import numpy as np

from nerscope.corpus.units import TOKEN
from nerscope.engines.local import Local
from nerscope.evaluation.plan import Task, make_plan
from nerscope.evaluation.score import compared
from nerscope.facets.facet import Facet
from nerscope.facets.view import Sentences, View


def hard_errors(task: Task, most: int = 10) -> list[dict[str, Any]]:
    """For each run and subset of hard tokens, the tokens that are labelled wrong most often."""
    plan = make_plan(task, Local()).plan
    wrong: dict[tuple[str, str, str, str], Counter[int]] = {}
    seen: dict[tuple[str, str], Counter[int]] = {}
    for row in task.rows(tokens=True):
        gold = row[0]
        mentions = gold.mentions(plan.settings.repair, plan.natures[0].scheme)
        lore = (plan.surfaces, plan.lexicon, plan.types_of_surface)
        view = View(Sentences(gold, mentions, *lore), mentions)
        wanted = compared(gold, plan.natures[0], plan)
        labels = [
            compared(own, nature, plan) for own, nature in zip(row, plan.natures, strict=True)
        ]
        for facet in plan.of_unit(TOKEN):
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
