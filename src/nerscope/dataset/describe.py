"""What a dataset is like: the composition tables of the papers, for any data."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from nerscope.corpus.arrays import Ints
from nerscope.corpus.corpus import Coding, Corpus, joined
from nerscope.corpus.lexicon import Lexicon, lexicon_of
from nerscope.corpus.lookup import lookup
from nerscope.corpus.mentions import check_repair
from nerscope.corpus.units import MENTION
from nerscope.facets.buckets import Values
from nerscope.facets.facet import FACETS, Attribute, Facet
from nerscope.facets.survey import survey_chunk, surveyed
from nerscope.facets.view import Sentences, View
from nerscope.formats.base import CorpusLike, open_source, with_tokens
from nerscope.formats.losses import Loss, losses_of

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
    coding = Coding()
    training = read_whole(train, "<train>", coding)
    lexicon = lexicon_of(training, repair)
    others = {
        name: read_whole(given, f"<{name}>", coding)
        for name, given in [("dev", dev), ("test", test)]
        if given is not None
    }
    rows, mentions, zeta = list[dict[str, Any]](), {}, dict[str, float | None]()
    for split, corpus in {"train": training, **others}.items():
        view, values = view_of(corpus, lexicon, repair)
        mentions[split] = _mention_counts(view)
        if split != "train":
            zeta = {name: _or_none(one.mean()) for name, one in values.items()}
            for name in COMPOSITIONS:
                facet = FACETS[name]
                assert isinstance(facet, Facet)
                found = _composition(view, facet, coding.labels.types)
                rows += [{"split": split, "facet": name, **row} for row in found]
    losses = [
        loss
        for corpus in (training, *others.values())
        for loss in losses_of(corpus.name, corpus.reading, corpus.scheme, repair)
    ]
    return Description(rows, zeta, mentions, losses)


def read_whole(given: CorpusLike, name: str, coding: Coding) -> Corpus:
    """A whole corpus with tokens, in the codes of others."""
    return joined([with_tokens(chunk) for chunk in open_source(given, name).chunks(coding)])


def view_of(corpus: Corpus, lexicon: Lexicon, repair: str) -> tuple[View, Mapping[str, Values]]:
    """The mentions of a whole corpus with training and test lore, and the values of attributes."""
    mentions = corpus.mentions(repair)
    attributes = [one for one in map(FACETS.__getitem__, FACETS) if isinstance(one, Attribute)]
    standard = [one for one in attributes if one.standard]
    survey = surveyed([survey_chunk(corpus, mentions, standard, lexicon)], lexicon)
    sentences = Sentences(corpus, mentions, survey.surfaces, lexicon, survey.types_of_surface)
    return View(sentences, mentions), survey.values


def _or_none(value: float) -> float | None:
    return None if np.isnan(value) else value


def _mention_counts(view: View) -> dict[str, int]:
    """Mentions and distinct surfaces: all, with several types in training, and not mentioned in
    training.
    """
    types = (view.lexicon.surface_counts > 0).sum(axis=1)
    ambiguous = lookup(types, view.surface) >= 2
    unseen = lookup(view.lexicon.surface_totals, view.surface) == 0
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
    codes = facet.checked_codes(view)
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
