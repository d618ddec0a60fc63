"""What became of a split: sizes of its parts, and what a user should know."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from nerscope.corpus.arrays import Bools
from nerscope.dataset.split.asked import Asked
from nerscope.dataset.split.material import Material
from nerscope.dataset.split.plan import PARTS, TRAIN, Plan
from nerscope.errors import plural

_OFF = 0.1  # a part that misses its size by more than this share of it is worth a word


def rows_of(material: Material, plan: Plan) -> Iterator[dict[str, Any]]:
    """The size of every part; `leaks` counts sentences that an earlier part has too."""
    corpus, (sentence, kind) = material.corpus, material.mentions()
    types, lengths = corpus.coding.labels.types, np.diff(corpus.starts)
    for split, part in plan.parts.items():
        for number in np.unique(part).tolist():
            chosen: Bools = part == number
            kinds = np.bincount(kind[chosen[sentence]], minlength=len(types)).tolist()
            yield {
                "split": split,
                "part": PARTS[number],
                "sentences": int(chosen.sum()),
                "tokens": int(lengths[chosen].sum()),
                "mentions": sum(kinds),
                "share": float(chosen.mean()),
                "leaks": int(np.isin(plan.codes[chosen], plan.codes[part < number]).sum()),
                "types": dict(zip(types, kinds, strict=True)),
            }


def notes_of(asked: Asked, plan: Plan, rows: list[dict[str, Any]]) -> Iterator[str]:
    """What is not as one would expect."""
    yield from _hanging_together(asked, plan)
    yield from _off_size(asked, rows)
    leaks = sum(row["leaks"] for row in rows)
    if asked.allow_leaks:
        yield (
            f"{plural(leaks, 'sentence')} of test and dev sets are in another part of the same "
            "split too, as --allow-leaks allows"
        )


def _hanging_together(asked: Asked, plan: Plan) -> Iterator[str]:
    """Units that share sentences and are more than a part should hold."""
    sizes = np.bincount(plan.group)
    largest = int(sizes.argmax())
    limit = 1 / asked.folds if asked.folds else asked.test
    units = len(np.unique(plan.units[plan.group == largest]))
    if limit is None or units == 1 or sizes[largest] <= limit * len(plan.group):
        return
    effect = "folds are uneven" if asked.folds else f"they are always in {PARTS[TRAIN]}"
    yield (
        f"{units} of {int(plan.units.max()) + 1} {_nouns(asked, plan)} "
        f"({100 * sizes[largest] / len(plan.group):.1f} % of the sentences) hang together through "
        f"sentences that they have in common, and stay together: {effect}; "
        f"{'--by sentence or ' * (plan.noun == 'document')}--allow-leaks parts them"
    )


def _nouns(asked: Asked, plan: Plan) -> str:
    """What stays whole."""
    joined = plan.noun == "sentence" and asked.context > 1
    return f"runs of {asked.context} sentences" if joined else f"{plan.noun}s"


def _off_size(asked: Asked, rows: list[dict[str, Any]]) -> Iterator[str]:
    """Parts that are not of the size that was wanted."""
    for part, wanted in (("test", asked.test), ("dev", asked.dev)):
        off = [
            row["share"]
            for row in rows
            if row["part"] == part and wanted and abs(row["share"] - wanted) > _OFF * wanted
        ]
        if off and wanted:
            yield (
                f"{part} is to be {100 * wanted:g} % of the sentences, and is "
                f"{100 * min(off):.1f} % to {100 * max(off):.1f} % in {plural(len(off), 'split')}, "
                "since what belongs together stays together"
            )
