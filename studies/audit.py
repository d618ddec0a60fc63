"""Measure how well `audit` finds planted errors and people's corrections.

    python studies/audit.py DIR [--part planted|corrected|doubt …] [--seeds N] [--rates R …]

DIR has folders of corpora with train.txt and test.txt, and outputs of systems in systems/.

planted    errors in English, Spanish and Hausa: types swapped, boundaries moved, mentions dropped
           or invented. Average precision over sentences, and the share of wrong places by score.
corrected  CoNLL-2003 against corrections by people (`reconll`), test data with two systems, and
           training data without systems.
doubt      the interval for corrected scores: how often it holds the truth, and its width.

Each average precision stands beside two baselines in the same run: all systems agree against gold,
and the self-confidence of cleanlab on the same out-of-fold probabilities (1 minus the smallest
probability of a label of gold in the sentence). Ties are broken at random, the mean of 20 orders.
"""

import argparse
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

import numpy as np

from nerscope import read
from nerscope.annotation.audit.audit import audit
from nerscope.annotation.audit.material import LabelledText, Output
from nerscope.annotation.audit.predictions import FoldPlan, predict_out_of_fold
from nerscope.annotation.audit.result import Audit
from nerscope.annotation.audit.suspects import BROKEN
from nerscope.annotation.decisions import Span
from nerscope.corpus.arrays import Bools, Floats
from nerscope.corpus.corpus import Coding, Corpus
from nerscope.engines.base import engine_for
from nerscope.experiment.cache import Cache
from nerscope.formats.base import source_named

Spans = list[tuple[int, int, str]]
_ORDERS = 20
_SAMPLES = 1000
_CACHE = Path(tempfile.gettempdir()) / "nerscope-audit-study"


class Data(NamedTuple):
    """A corpus as lists: words, mentions and document of each sentence, and outputs by system."""

    name: str
    words: list[list[str]]
    gold: list[Spans]
    documents: np.ndarray
    systems: dict[str, list[Spans]]
    train: Path | None

    def corpus(self, mentions: Sequence[Spans]) -> Corpus:
        """The words with other mentions."""
        pairs = zip(self.words, mentions, strict=True)
        return replace(Corpus.of(list(pairs), name="gold.conll"), documents=self.documents)

    def audited(self, mentions: Sequence[Spans], **options: object) -> Audit:
        outputs = {name: self.corpus(spans) for name, spans in self.systems.items()} or None
        train = None if self.train is None else str(self.train)
        return audit(self.corpus(mentions), outputs, train=train, **options)  # type: ignore[arg-type]


def mentions_of(corpus: Corpus) -> list[Spans]:
    """The mentions of each sentence, counted from its first token."""
    sentences: list[Spans] = [[] for _ in range(len(corpus))]
    mentions, types = corpus.mentions(), corpus.coding.labels.types
    columns = (mentions.start, mentions.end, mentions.type, mentions.sentences(corpus.starts))
    for start, end, kind, at in zip(*(column.tolist() for column in columns), strict=True):
        begin = int(corpus.starts[at])
        sentences[at].append((start - begin, end - begin, types[kind]))
    return sentences


def load(folder: Path, name: str, file: str, systems: Sequence[str], train: bool) -> Data:
    corpus = read(str(folder / name / file))
    words = [corpus.words(number) for number in range(len(corpus))]
    outputs = {
        system: mentions_of(read_source(folder / name / "systems" / f"{system}.txt"))
        for system in systems
    }
    training = folder / name / "train.txt" if train else None
    return Data(name, words, mentions_of(corpus), corpus.documents, outputs, training)


def read_source(path: Path) -> Corpus:
    from nerscope.corpus.corpus import join_chunks

    return join_chunks(list(source_named(str(path)).chunks(Coding())))


class Planted(NamedTuple):
    mentions: list[Spans]
    wrong: Bools  # by sentence


def plant(data: Data, rate: float, seed: int) -> Planted:
    """Gold with errors in a share of its mentions, a quarter of each kind."""
    random = np.random.default_rng(seed)
    types = sorted({kind for spans in data.gold for *_, kind in spans})
    places = [(at, n) for at, spans in enumerate(data.gold) for n in range(len(spans))]
    drawn = random.permutation(len(places))[: round(rate * len(places))].tolist()
    mentions: list[list[Spans]] = [[[span] for span in spans] for spans in data.gold]
    for number, place in enumerate(drawn):
        at, n = places[place]
        start, end, kind = data.gold[at][n]
        if number % 4 == 0 and len(types) > 1:
            others = [name for name in types if name != kind]
            mentions[at][n] = [(start, end, others[random.integers(len(others))])]
        elif number % 4 == 1:
            moved = _moved(data, mentions, at, n, random)
            mentions[at][n] = [(*moved, kind)]
        elif number % 4 == 2:
            mentions[at][n] = []
        else:
            _invent(data, mentions, types, random)
    flat = [sorted(span for some in spans for span in some) for spans in mentions]
    wrong = np.array([a != sorted(b) for a, b in zip(flat, data.gold, strict=True)])
    return Planted(flat, wrong)


def _taken(spans: list[Spans], but: int = -1) -> set[int]:
    return {
        token
        for n, some in enumerate(spans)
        if n != but
        for start, end, _ in some
        for token in range(start, end)
    }


def _moved(
    data: Data, mentions: list[list[Spans]], at: int, n: int, random: np.random.Generator
) -> tuple[int, int]:
    start, end, _ = data.gold[at][n]
    taken, size = _taken(mentions[at], n), len(data.words[at])
    moves = [(start + 1, end), (start, end - 1), (start - 1, end), (start, end + 1)]
    fits = [
        (low, high)
        for low, high in moves
        if 0 <= low < high <= size and not taken & set(range(low, high))
    ]
    return fits[random.integers(len(fits))] if fits else (start, end)


def _invent(
    data: Data, mentions: list[list[Spans]], types: list[str], random: np.random.Generator
) -> None:
    while True:
        at = int(random.integers(len(data.words)))
        size = len(data.words[at])
        start = int(random.integers(size))
        end = start + int(random.integers(1, 3))
        if end <= size and not _taken(mentions[at]) & set(range(start, end)):
            mentions[at].append([(start, end, types[random.integers(len(types))])])
            return


def average_precision(score: Floats, wrong: Bools) -> float:
    random, values = np.random.default_rng(0), []
    for _ in range(_ORDERS):
        ordered = wrong[np.lexsort((random.random(len(score)), -score))]
        values.append(_precision_at_hits(ordered).mean() if ordered.any() else np.nan)
    return float(np.mean(values))


def _precision_at_hits(ordered: Bools) -> Floats:
    precision: Floats = (np.cumsum(ordered) / np.arange(1, len(ordered) + 1))[ordered]
    return precision


def precision_of_first(score: Floats, wrong: Bools, first: int) -> float:
    random = np.random.default_rng(0)
    orders = (np.lexsort((random.random(len(score)), -score)) for _ in range(_ORDERS))
    return float(np.mean([wrong[order[:first]].mean() for order in orders]))


def bootstrap_interval(a: Floats, b: Floats, wrong: Bools) -> tuple[float, float]:
    """The 95 % interval of the difference of two average precisions, over sentences."""
    random, values = np.random.default_rng(1), []
    noise = random.random(len(wrong)) * 1e-9
    for _ in range(_SAMPLES):
        drawn = random.integers(len(wrong), size=len(wrong))
        ordered = [wrong[drawn][np.argsort(-(s + noise)[drawn])] for s in (a, b)]
        if ordered[0].any():
            values.append(np.subtract(*(_precision_at_hits(each).mean() for each in ordered)))
    low, high = np.quantile(values, [0.025, 0.975]).tolist()
    return low, high


def sentence_scores(result: Audit) -> Floats:
    """The score of each sentence; the order of the list breaks ties."""
    score, n = np.zeros(result.n_sentences), len(result.suspects)
    for at, suspect in enumerate(result.suspects):
        score[suspect.sentence] = max(score[suspect.sentence], suspect.score + 1e-7 * (n - at) / n)
    return score


def agreement_baseline(data: Data, mentions: Sequence[Spans], crf: Output | None) -> Floats:
    """1 if all systems, or the recipe, say the same, and not what gold says."""
    outputs = list(data.systems.values())
    if not outputs and crf is not None:
        outputs = [mentions_of(_with_mentions(data.corpus(mentions), crf))]
    return np.array(
        [
            float(all(set(o[at]) == set(outputs[0][at]) != set(spans) for o in outputs))
            for at, spans in enumerate(mentions)
        ]
    )


def _with_mentions(corpus: Corpus, output: Output) -> Corpus:
    return replace(corpus, spans=output.mentions.in_order())


def out_of_fold(data: Data, mentions: Sequence[Spans], cache: Cache) -> tuple[Corpus, Output]:
    coding = Coding()
    corpus = data.corpus(mentions).recoded(coding)
    plan = FoldPlan(["crf"], 5, 1, cache, engine_for(), lambda n: None)
    [output] = predict_out_of_fold(LabelledText(corpus, corpus.mentions()), [], plan)
    return corpus, output


def self_confidence(corpus: Corpus, output: Output) -> Floats:
    """cleanlab's score: 1 minus the smallest probability of a label of gold in the sentence."""
    known = output.probabilities
    assert known is not None
    column = np.full(corpus.n_tokens, known.columns["O", -1])
    mentions = corpus.mentions()
    for start, end, kind in zip(mentions.start, mentions.end, mentions.type, strict=True):
        for token in range(start, end):
            column[token] = known.columns["B" if token == start else "I", int(kind)]
    own = known.table[np.arange(corpus.n_tokens), column]
    score: Floats = 1 - np.minimum.reduceat(own, corpus.starts[:-1])
    return score


@dataclass(frozen=True)
class Fifth:
    """Suspects with scores in a fifth of the range, their mean score, and how many are wrong."""

    n: int
    score: float
    wrong: float


def fifths(result: Audit, gold: Sequence[Spans], mentions: Sequence[Spans]) -> Iterator[Fifth]:
    """Whether the scores of suspects are the shares of wrong places."""
    some = [suspect for suspect in result.suspects if suspect.kind != BROKEN]
    scores = np.array([suspect.score for suspect in some])
    wrong = np.array(
        [_is_wrong(s.gold, s.proposed, gold[s.sentence], mentions[s.sentence]) for s in some]
    )
    fifth = np.minimum((scores * 5).astype(int), 4)
    for number in range(5):
        chosen = fifth == number
        if chosen.any():
            yield Fifth(int(chosen.sum()), scores[chosen].mean(), wrong[chosen].mean())


def _is_wrong(removed: Sequence[Span], added: Sequence[Span], gold: Spans, audited: Spans) -> bool:
    """Whether the audited annotation differs from gold at the tokens of a suspect."""
    tokens = {token for span in (*removed, *added) for token in range(span.start, span.end)}
    touching = [
        {span for span in spans if tokens & set(range(span[0], span[1]))}
        for spans in (gold, audited)
    ]
    return touching[0] != touching[1]


def planted_part(folder: Path, rates: Sequence[float], seeds: int) -> None:
    datasets = [
        load(folder, "conll2003", "test.txt", ["flair", "elmo"], True),
        load(folder, "conll2003", "test.txt", [], False),
        load(folder, "conll2002_es", "test.txt", [], False),
        load(folder, "masakhaner2_hau", "test.txt", ["afroxlmr.1", "mdeberta.1", "mbert.1"], True),
        load(folder, "masakhaner2_hau", "test.txt", [], False),
    ]
    for data in datasets:
        for rate in rates:
            for seed in range(1, seeds + 1):
                _planted_line(data, rate, seed)


def _planted_line(data: Data, rate: float, seed: int) -> None:
    planted = plant(data, rate, seed)
    cache = Cache(_CACHE)
    begin = time.perf_counter()
    result = data.audited(planted.mentions, cache=cache)
    seconds = time.perf_counter() - begin
    corpus, crf = out_of_fold(data, planted.mentions, cache)
    ours = average_precision(sentence_scores(result), planted.wrong)
    agree = average_precision(agreement_baseline(data, planted.mentions, crf), planted.wrong)
    confident = average_precision(self_confidence(corpus, crf), planted.wrong)
    shown = " ".join(
        f"{fifth.n}:{fifth.score:.2f}/{fifth.wrong:.2f}{'!' * _is_off(fifth)}"
        for fifth in fifths(result, data.gold, planted.mentions)
    )
    what = f"{data.name} {len(data.systems)} systems{' +train' * (data.train is not None)}"
    print(
        f"{what:35} {rate:4.0%} seed {seed} wrong {planted.wrong.sum():4} AP {ours:.3f} "
        f"agree {agree:.3f} confidence {confident:.3f} "
        f"better by {ours - max(agree, confident):+.3f} "
        f"slips {result.slips:4.0f} {seconds:5.1f} s  {shown}",
        flush=True,
    )


def _is_off(fifth: Fifth) -> bool:
    return bool(fifth.n >= 100 and abs(fifth.score - fifth.wrong) > 0.1)


def corrected_part(folder: Path) -> None:
    test = load(folder, "conll2003", "test.txt", ["flair", "elmo"], True)
    train = load(folder, "conll2003", "train.txt", [], False)
    for data, file in ((test, "test.txt"), (train, "train.txt")):
        _corrected_lines(data, corrected_sentences(data, read(str(folder / "reconll" / file))))


def corrected_sentences(data: Data, corrected: Corpus) -> Bools:
    """The sentences with another label, or another sentence break, in the corrected corpus."""
    mentions, bounds = corrected.mentions(), np.cumsum([0, *map(len, data.words)])
    names = [corrected.coding.labels.types[kind] for kind in mentions.type.tolist()]
    new = {
        (start, end, name)
        for start, end, name in zip(
            mentions.start.tolist(), mentions.end.tolist(), names, strict=True
        )
    }
    old = {
        (begin + start, begin + end, kind)
        for begin, spans in zip(bounds.tolist(), data.gold, strict=False)
        for start, end, kind in spans
    }
    wrong = np.zeros(len(data.words), bool)
    for start, end, _ in old ^ new:
        first, last = np.searchsorted(bounds, [start, end - 1], side="right") - 1
        wrong[first : last + 1] = True
    return wrong


def _corrected_lines(data: Data, wrong: Bools) -> None:
    cache = Cache(_CACHE)
    begin = time.perf_counter()
    result = data.audited(data.gold, cache=cache)
    seconds = time.perf_counter() - begin
    corpus, crf = out_of_fold(data, data.gold, cache)
    scores = {
        "audit": sentence_scores(result),
        "agree": agreement_baseline(data, data.gold, crf),
        "confidence": self_confidence(corpus, crf),
    }
    print(f"{data.name}: {wrong.sum()} corrected sentences of {len(wrong)}; {seconds:.1f} s")
    for name, score in scores.items():
        low, high = bootstrap_interval(scores["audit"], score, wrong)
        interval = "" if name == "audit" else f"  audit better by [{low:+.3f}, {high:+.3f}]"
        print(
            f"  {name:10} AP {average_precision(score, wrong):.3f}  first 70: "
            f"{70 * precision_of_first(score, wrong, 70):.0f}  first 100: "
            f"{100 * precision_of_first(score, wrong, 100):.0f}{interval}",
            flush=True,
        )


def doubt_part(folder: Path, rates: Sequence[float], seeds: int) -> None:
    """Planted errors and judged samples of three sizes: do intervals hold F1 against the truth?"""
    datasets = [
        load(folder, "conll2003", "test.txt", ["flair", "elmo"], False),
        load(folder, "masakhaner2_hau", "test.txt", ["afroxlmr.1", "mbert.1"], False),
    ]
    for data in datasets:
        truth = data.audited(data.gold, recipe="none")
        for rate in rates:
            covered: dict[tuple[int, str], list[bool]] = {}
            widths: dict[tuple[int, str], list[float]] = {}
            for seed in range(1, seeds + 1):
                planted = plant(data, rate, seed)
                result = data.audited(planted.mentions, recipe="none")
                n_wrong = sum(
                    len(set(a) - set(b)) for a, b in zip(planted.mentions, data.gold, strict=True)
                )
                for size in (50, 100, 200):
                    judged = [
                        replace(item, chosen=tuple(Span(*s) for s in data.gold[item.sentence]))
                        for item in result.sample(size, seed)
                    ]
                    doubt = result.judge(judged).doubt
                    assert doubt is not None
                    intervals = {
                        row.system: (row.low or 0.0, row.high or 0.0, system.f1)
                        for row, system in zip(doubt.scores, truth.systems, strict=True)
                    }
                    _, low, high = doubt.wrong
                    intervals["wrong"] = (low or 0.0, high or 0.0, n_wrong / result.n_mentions)
                    for name, (low, high, value) in intervals.items():
                        covered.setdefault((size, name), []).append(low <= value <= high)
                        widths.setdefault((size, name), []).append(high - low)
            for (size, name), held in covered.items():
                print(
                    f"{data.name:16} {rate:4.0%} judged {size:3} {name:10} covers "
                    f"{np.mean(held):6.1%} of {len(held)}  "
                    f"width {100 * np.mean(widths[size, name]):.2f}",
                    flush=True,
                )


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--part", action="append", choices=["planted", "corrected", "doubt"])
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--rates", type=float, nargs="+", default=[0.01, 0.03, 0.1])
    given = parser.parse_args()
    parts = given.part or ["planted", "corrected", "doubt"]
    if "planted" in parts:
        planted_part(given.folder, given.rates, given.seeds)
    if "corrected" in parts:
        corrected_part(given.folder)
    if "doubt" in parts:
        doubt_part(given.folder, given.rates, given.seeds)


if __name__ == "__main__":
    main()
