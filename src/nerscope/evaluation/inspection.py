"""Looking at single mentions and tokens: what became of each, and lists to read."""

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from nerscope.corpus.arrays import Bools, Ints
from nerscope.corpus.corpus import Corpus
from nerscope.corpus.lookup import lookup
from nerscope.corpus.mentions import Mentions
from nerscope.evaluation.passes import Prepared
from nerscope.facets.facet import FACETS, MENTION
from nerscope.facets.hard import HARD, HARD_STRICT
from nerscope.facets.view import Sentences, View
from nerscope.scoring.matching import CORRECT, match_named, overlapping

OUTCOMES = (
    "correct",
    "wrong type",
    "wrong boundary",
    "wrong type and boundary",
    "missed",
    "spurious",
    "split",
    "merged",
)


def mention_rows(prepared: Prepared) -> Iterator[dict[str, Any]]:
    """One row for each gold and each predicted mention of each run: its outcome, its counterpart,
    and what it is like.
    """
    for row in prepared.rows():
        gold_view, found = _views(row, prepared)
        for run, corpus, view in zip(prepared.runs, row[1:], found, strict=True):
            head = {"dataset": prepared.dataset, "system": run.system, "run": run.number}
            pairs = match_named("muc-strict")(gold_view.mentions, view.mentions)
            outcomes = _outcomes(
                gold_view.mentions, view.mentions, pairs.gold, pairs.pred, pairs.kind
            )
            for side, own, other, mates, outcome in [
                (
                    "gold",
                    gold_view,
                    view,
                    dict(zip(pairs.gold, pairs.pred, strict=True)),
                    outcomes[0],
                ),
                (
                    "pred",
                    view,
                    gold_view,
                    dict(zip(pairs.pred, pairs.gold, strict=True)),
                    outcomes[1],
                ),
            ]:
                yield from (
                    {**head, "side": side, **one}
                    for one in _side_rows(own, other, mates, outcome, corpus, prepared)
                )


def _views(row: list[Corpus], prepared: Prepared) -> tuple[View, list[View]]:
    plan, gold = prepared.plan, row[0]
    repair = plan.settings.repair
    sentences = Sentences(
        gold, gold.mentions(repair), plan.surfaces, plan.lexicon, plan.types_of_surface
    )
    return View(sentences, sentences.gold), [
        View(sentences, output.mentions(repair)) for output in row[1:]
    ]


def _outcomes(
    gold: Mentions, pred: Mentions, at_gold: Ints, at_pred: Ints, kind: Ints
) -> tuple[list[str], list[str]]:
    """The outcome of every mention. Equal spans are settled first; then one mention against several
    is split or merged.
    """
    left, right = overlapping(gold, pred)
    by_gold, by_pred = np.full(len(gold), "missed", object), np.full(len(pred), "spurious", object)
    same_span: Bools = (gold.start[at_gold] == pred.start[at_pred]) & (
        gold.end[at_gold] == pred.end[at_pred]
    )
    same_type: Bools = gold.type[at_gold] == pred.type[at_pred]
    names = np.array(["wrong type and boundary", "wrong boundary", "wrong type", "correct"], object)
    outcome = names[2 * same_span + same_type]
    by_gold[at_gold], by_pred[at_pred] = outcome, outcome
    settled_gold, settled_pred = set(at_gold[same_span].tolist()), set(at_pred[same_span].tolist())
    loose = [
        (g, p)
        for g, p in zip(left.tolist(), right.tolist(), strict=True)
        if g not in settled_gold and p not in settled_pred
    ]
    per_gold, per_pred = Counter(g for g, _ in loose), Counter(p for _, p in loose)
    for g, p in loose:
        if per_gold[g] > 1:
            by_gold[g] = by_pred[p] = "split"
    for g, p in loose:
        if per_pred[p] > 1:
            by_gold[g] = by_pred[p] = "merged"
    return by_gold.tolist(), by_pred.tolist()


def _side_rows(
    own: View,
    other: View,
    mates: Mapping[int, int],
    outcome: list[str],
    corpus: Corpus,
    prepared: Prepared,
) -> Iterator[dict[str, Any]]:
    gold, types = own.sentences.corpus, prepared.coding.labels.types
    texts, other_texts = own.texts(), other.texts()
    extra = _attributes(own, prepared)
    for index, text in enumerate(texts):
        sentence = int(own.sentence[index])
        begin = int(gold.starts[sentence])
        start, end = int(own.mentions.start[index]), int(own.mentions.end[index])
        row: dict[str, Any] = {
            "outcome": outcome[index],
            "type": types[own.mentions.type[index]],
            "text": text,
            "start": start - begin,
            "end": end - begin,
            "other_type": None,
            "other_text": None,
            "other_start": None,
            "other_end": None,
            "overlap": 0.0,
            **{name: values[index] for name, values in extra.items()},
            "sentence": " ".join(gold.words(sentence)),
            "place": gold.place(start),
        }
        mate = mates.get(index)
        if mate is not None:
            low, high = int(other.mentions.start[mate]), int(other.mentions.end[mate])
            shared = min(end, high) - max(start, low)
            row.update(
                other_type=types[other.mentions.type[mate]],
                other_text=other_texts[mate],
                other_start=low - begin,
                other_end=high - begin,
                overlap=shared / (max(end, high) - min(start, low)),
            )
        yield row


def _attributes(view: View, prepared: Prepared) -> dict[str, list[Any]]:
    """The values of all mention attributes, and the levels of other mention facets."""
    found: dict[str, list[Any]] = {}
    for facet in prepared.plan.of_unit(MENTION):
        attribute = FACETS[facet.name].attribute
        if attribute:
            found[facet.name] = attribute.checked_values(view).tolist()
        else:
            names = {code: [] for code in range(facet.n_codes)}  # type: dict[int, list[str]]
            for level, codes in facet.levels.items():
                for code in codes:
                    names[code].append(level)
            found[facet.name] = [" ".join(names[int(code)]) for code in facet.codes(view)]
    return found


def confusion(prepared: Prepared) -> dict[tuple[str, str], Counter[tuple[str, str]]]:
    """For each run, how often a gold type met a predicted one; "missed" and "spurious" stand for
    nobody.
    """
    tables = {(run.system, run.number): Counter[tuple[str, str]]() for run in prepared.runs}
    types = prepared.coding.labels.types
    for row in prepared.rows():
        gold, found = _views(row, prepared)
        for table, view in zip(tables.values(), found, strict=True):
            pairs = match_named("muc-strict")(gold.mentions, view.mentions)
            met = zip(
                gold.mentions.type[pairs.gold].tolist(),
                view.mentions.type[pairs.pred].tolist(),
                strict=True,
            )
            table.update((types[a], types[b]) for a, b in met)
            alone = (
                np.delete(gold.mentions.type, pairs.gold),
                np.delete(view.mentions.type, pairs.pred),
            )
            table.update((types[kind], "missed") for kind in alone[0].tolist())
            table.update(("spurious", types[kind]) for kind in alone[1].tolist())
    return tables


def partial_pairs(prepared: Prepared, matches: list[str]) -> Iterator[dict[str, Any]]:
    """Every pair that got partial credit, to be read and judged."""
    types = prepared.coding.labels.types
    for row in prepared.rows():
        gold, found = _views(row, prepared)
        for run, view in zip(prepared.runs, found, strict=True):
            gold_texts, texts = gold.texts(), view.texts()
            for match in matches:
                pairs = match_named(match)(gold.mentions, view.mentions)
                for g, p, credit, kind in zip(
                    pairs.gold, pairs.pred, pairs.credit, pairs.kind, strict=True
                ):
                    if kind != CORRECT:
                        yield {
                            "system": run.system,
                            "run": run.number,
                            "match": match,
                            "gold": gold_texts[g],
                            "predicted": texts[p],
                            "gold type": types[gold.mentions.type[g]],
                            "predicted type": types[view.mentions.type[p]],
                            "credit": float(credit),
                            "sentence": " ".join(
                                gold.sentences.corpus.words(int(gold.sentence[g]))
                            ),
                            "place": gold.sentences.corpus.place(int(gold.mentions.start[g])),
                            "judgement": "",
                        }


def hard_tokens(prepared: Prepared, most: int = 10) -> list[dict[str, Any]]:
    """The most frequent tokens of each subset of hard tokens, with how training labels them."""
    lexicon, coding = prepared.plan.lexicon, prepared.coding
    assert lexicon is not None
    counts: dict[tuple[str, str], Counter[int]] = {}
    for row in prepared.rows():
        gold, _ = _views(row[:1], prepared)
        for facet in (HARD, HARD_STRICT):
            codes = facet.codes(gold)
            for level, members in facet.levels.items():
                if len(members) == 1:
                    chosen = gold.sentences.corpus.tokens[np.isin(codes, members)]
                    counts.setdefault((facet.name, level), Counter()).update(chosen.tolist())
    rows = []
    for (facet_name, level), counter in counts.items():
        ranked = sorted(counter.items(), key=lambda item: (-item[1], coding.tokens.string(item[0])))
        for code, count in ranked[:most]:
            key = np.array([code])
            inside = lookup(lexicon.inside_counts, key)[0]
            labels = {coding.labels.types[kind]: int(n) for kind, n in enumerate(inside) if n}
            outside = int(lookup(lexicon.token_counts, key)[0] - inside.sum())
            training = ", ".join(
                f"{name} {n}"
                for name, n in [*([("O", outside)] if outside else []), *labels.items()]
            )
            rows.append(
                {
                    "facet": facet_name,
                    "level": level,
                    "token": coding.tokens.string(code),
                    "count": count,
                    "training labels": training or "–",
                }
            )
    return rows
