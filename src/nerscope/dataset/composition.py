"""What a split is made of when training is known: the composition tables of the papers."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from nerscope.corpus.arrays import Bools, Ints, lookup
from nerscope.corpus.units import MENTION
from nerscope.dataset.splits import Split
from nerscope.facets.facet import FACETS, Facet
from nerscope.facets.view import View

COMPOSITIONS = ("tmr", "hard", "hard-strict")


def composition(split: Split) -> Iterator[dict[str, Any]]:
    """How many units each level of each facet holds, and which share of all (of the type)."""
    for name in COMPOSITIONS:
        facet = FACETS[name]
        assert isinstance(facet, Facet)
        for row in _levels(split.view, facet, split.types):
            yield {"split": split.name, "facet": name, **row}


def _levels(view: View, facet: Facet, types: list[str]) -> Iterator[dict[str, Any]]:
    codes = facet.checked_codes(view)
    kinds = _kinds(view, facet, types)
    levels = {"all": tuple(range(facet.n_codes)), **facet.level_codes}
    for level, members in levels.items():
        inside = np.isin(codes, members)
        for kind, of_kind in kinds.items():
            n, total = int((inside & of_kind).sum()), int(of_kind.sum())
            yield {"level": level, "type": kind, "n": n, "share": n / total if total else None}


def _kinds(view: View, facet: Facet, types: list[str]) -> dict[str | None, Bools]:
    """All units, then, if they are mentions, those of each type there is."""
    kinds: dict[str | None, Bools] = {None: np.ones(view.n_units(facet.unit), bool)}
    if facet.unit == MENTION:
        codes: Ints = view.mentions.type
        used = sorted(np.unique(codes).tolist(), key=types.__getitem__)
        kinds |= {types[code]: codes == code for code in used}
    return kinds


def mention_counts(split: Split) -> dict[str, int | None]:
    """Mentions and distinct surfaces: all, with several types in training, and not mentioned in
    training.
    """
    view = split.view
    types = (view.lexicon.surface_counts > 0).sum(axis=1)
    ambiguous = lookup(types, view.surface) >= 2
    unseen = lookup(view.lexicon.surface_totals, view.surface) == 0
    counts: dict[str, int | None] = {}
    for name, chosen in [
        ("mentions", np.ones(len(unseen), bool)),
        ("ambiguous", ambiguous),
        ("unseen", unseen),
    ]:
        counts[name] = int(chosen.sum())
        distinct = len(np.unique(view.surface[chosen]))
        counts["unique" if name == "mentions" else f"{name}_unique"] = distinct
    return counts


def mention_shares(counts: dict[str, int | None]) -> dict[str, float | None]:
    """Ambiguous and unseen ones as shares of all mentions, and of all distinct surfaces."""
    shares: dict[str, float | None] = {}
    for name in ("ambiguous", "ambiguous_unique", "unseen", "unseen_unique"):
        n, total = counts[name], counts["unique" if name.endswith("unique") else "mentions"]
        shares[name] = n / total if n is not None and total else None
    return shares
