"""What a dataset is like: the composition tables of the papers, for any data."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from nerscope.corpus.arrays import Ints
from nerscope.corpus.corpus import Coding, Corpus, joined
from nerscope.corpus.interning import Paths
from nerscope.corpus.lexicon import Lexicon
from nerscope.corpus.lookup import lookup
from nerscope.corpus.mentions import check_repair
from nerscope.evaluation.settings import STANDARD_FACETS
from nerscope.facets.facet import FACETS, MENTION, Facet
from nerscope.facets.survey import surveyed
from nerscope.facets.view import Sentences, View
from nerscope.formats.base import CorpusLike, chunks, source_of, with_tokens
from nerscope.formats.losses import Loss, losses_of
from nerscope.results.results import row_value

COMPOSITIONS = ("tmr", "hard", "hard-strict")


@dataclass(frozen=True, slots=True)
class Description:
    """The composition of each split: rows, mean attribute values, and counts of mentions and
    surfaces.
    """

    rows: list[dict[str, Any]]
    zeta: dict[str, float | None]
    mentions: dict[str, dict[str, int]]
    losses: list[Loss]

    def as_dict(self) -> dict[str, Any]:
        """What `describe --format json` prints."""
        return {
            "rows": self.rows,
            "zeta": self.zeta,
            "mentions": self.mentions,
            "losses": self.losses,
        }


def describe(
    train: CorpusLike,
    *,
    dev: CorpusLike | None = None,
    test: CorpusLike | None = None,
    repair: str = "conlleval",
) -> Description:
    """Describe a dataset.

    >>> train = [(["Ada", "met", "Bob"], ["B-PER", "O", "B-PER"])]
    >>> found = describe(train, test=[(["Ada", "met", "Eve"], ["B-PER", "O", "B-PER"])])
    >>> found.mentions["test"]["unseen"]
    1
    """
    check_repair(repair)
    coding, surfaces = Coding(), Paths()
    training = list(chunks(with_tokens(source_of(train, "<train>")), coding))
    lexicon = Lexicon.of(training, surfaces, repair)
    splits = {
        name: joined(list(chunks(with_tokens(source_of(given, f"<{name}>")), coding)))
        for name, given in _given(dev, test).items()
    }
    rows, mentions = (
        [],
        {"train": _mention_counts(_view(joined(training), surfaces, lexicon, repair))},
    )
    zeta: dict[str, float | None] = {}
    for name, corpus in splits.items():
        view = _view(corpus, surfaces, lexicon, repair)
        mentions[name] = _mention_counts(view)
        for facet in COMPOSITIONS:
            maker = FACETS[facet].facet
            assert maker is not None
            rows += [
                {"split": name, "facet": facet, **row}
                for row in _composition(view, maker, coding.labels.types)
            ]
        attributes = [
            maker.attribute for maker in map(FACETS.__getitem__, STANDARD_FACETS) if maker.attribute
        ]
        values = surveyed([corpus], attributes, surfaces, lexicon, repair).values
        zeta = {attribute: row_value(values[attribute].mean()) for attribute in values}
    return Description(rows, zeta, mentions, losses_of([*training[-1:], *splits.values()], repair))


def _given(dev: CorpusLike | None, test: CorpusLike | None) -> Mapping[str, CorpusLike]:
    return {name: given for name, given in [("dev", dev), ("test", test)] if given is not None}


def _view(corpus: Corpus, surfaces: Paths, lexicon: Lexicon, repair: str) -> View:
    mentions = corpus.mentions(repair)
    types = surveyed([corpus], [], surfaces, lexicon, repair).types_of_surface
    return View(Sentences(corpus, mentions, surfaces, lexicon, types), mentions)


def _mention_counts(view: View) -> dict[str, int]:
    """Mentions and distinct surfaces: all, with several types in training, and not mentioned in
    training.
    """
    table = view.lexicon.surface_counts
    ambiguous = lookup((table > 0).sum(axis=1), view.surface) >= 2
    unseen = lookup(table.sum(axis=1), view.surface) == 0
    counts: dict[str, int] = {}
    for name, chosen in [
        ("mentions", np.ones(len(unseen), bool)),
        ("ambiguous", ambiguous),
        ("unseen", unseen),
    ]:
        counts[name] = int(chosen.sum())
        counts["unique" if name == "mentions" else f"{name}_unique"] = len(
            np.unique(view.surface[chosen])
        )
    return counts


def _composition(view: View, facet: Facet, types: list[str]) -> list[dict[str, Any]]:
    """How many units each level holds, and which share of all (of the type)."""
    codes = facet.codes(view)
    kinds: Ints = view.mentions.type if facet.unit == MENTION else np.zeros(len(codes), np.int64)
    used = (
        sorted(np.unique(kinds).tolist(), key=lambda code: types[code])
        if facet.unit == MENTION
        else []
    )
    rows: list[dict[str, Any]] = []
    for level, members in [("all", tuple(range(facet.n_codes))), *facet.levels.items()]:
        if level == "all" and "all" in facet.levels and rows:
            continue
        inside = np.isin(codes, members)
        for kind in (None, *used):
            of_kind = np.ones(len(codes), bool) if kind is None else kinds == kind
            n, total = int((inside & of_kind).sum()), int(of_kind.sum())
            share = n / total if total else None
            rows.append(
                {
                    "level": level,
                    "type": None if kind is None else types[kind],
                    "n": n,
                    "share": share,
                }
            )
    return rows
