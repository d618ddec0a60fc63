"""The Python interface with arguments of every wrong kind: one of our errors, or the number."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.attack.harness import results_bytes

import nerscope as ns

GOLD: Any = [(["Ada", "met", "Bob"], ["B-PER", "O", "B-PER"])]
HALF: Any = [["B-PER", "O", "O"]]
Call = Callable[[], object]


def ev(gold: Any = GOLD, systems: Any = None, **options: Any) -> object:
    """Evaluate, with anything."""
    return ns.evaluate(gold, {"x": HALF} if systems is None else systems, **options)


def res() -> ns.Results:
    """Results to play with."""
    return ns.Results.from_json(results_bytes().decode())


def cmp(*names: Any, **options: Any) -> object:
    """Compare, with anything."""
    return ns.compare(res(), *names, **{"samples": 20, **options})


def span(*spans: Any) -> Any:
    """A corpus with spans."""
    return [(["Ada", "met", "Bob"], list(spans))]


ANY: Any = object()
REFUSED: dict[str, Call] = {
    "gold-none": lambda: ev(None),
    "gold-number": lambda: ev(5),
    "gold-bytes": lambda: ev(b"x"),
    "gold-empty": lambda: ev([]),
    "gold-object": lambda: ev(ANY),
    "gold-missing": lambda: ev("no-such-file.txt"),
    "gold-nul": lambda: ev("a\0b"),
    "gold-empty-name": lambda: ev(""),
    "gold-dict": lambda: ev({"tokens": ["a"], "labels": ["O"]}),
    "gold-strings": lambda: ev(["Ada", "met"]),
    "gold-numbers": lambda: ev([1, 2]),
    "gold-empty-sentence": lambda: ev([([], [])]),
    "gold-lengths": lambda: ev([(["a", "b"], ["O"])]),
    "gold-none-token": lambda: ev([(["a", None], ["O", "O"])]),
    "gold-number-label": lambda: ev([(["a"], [1])]),
    "gold-nul-token": lambda: ev([(["a\0"], ["B-X"])]),
    "gold-bytes-token": lambda: ev([([b"a"], ["B-X"])]),
    "gold-label": lambda: ev([(["a"], ["X"])]),
    "gold-three": lambda: ev([(["a"], ["O"], ["O"])]),
    "gold-keys": lambda: ev([{"words": ["a"], "tags": ["O"]}]),
    "gold-number-keys": lambda: ev([{1: 2, "x": 3}]),
    "gold-mixed": lambda: ev([(["a"], ["B-X"]), (["b"], [(0, 1, "X")])]),
    "gold-all-o": lambda: ev([(["a"], ["O"])], {"x": [["O"]]}),
    "gold-results": lambda: ev(res()),
    "gold-surrogate": lambda: ev([(["\ud800"], ["B-X"])], {"x": [["B-X"]]}),
    "span-beyond": lambda: ev(span((0, 4, "PER"))),
    "span-backwards": lambda: ev(span((2, 1, "PER"))),
    "span-empty": lambda: ev(span((1, 1, "PER"))),
    "span-minus": lambda: ev(span((-1, 1, "PER"))),
    "span-float": lambda: ev(span((0.0, 1.0, "PER"))),
    "span-bool": lambda: ev(span((False, True, "PER"))),
    "span-no-type": lambda: ev(span((0, 1, ""))),
    "span-none-type": lambda: ev(span((0, 1, None))),
    "span-two": lambda: ev(span((0, 1))),
    "span-number": lambda: ev(span(5)),
    "span-mapping": lambda: ev([{"tokens": ["a"], "spans": {"start": 0}}]),
    "span-none": lambda: ev([{"tokens": ["a"], "spans": None}]),
    "systems-empty": lambda: ev(systems={}),
    "systems-none-inside": lambda: ev(systems={"x": None}),
    "systems-number-inside": lambda: ev(systems={"x": 5}),
    "systems-number": lambda: ev(systems=5),
    "systems-name": lambda: ev(systems={5: HALF}),
    "systems-none-name": lambda: ev(systems={None: HALF}),
    "systems-empty-name": lambda: ev(systems={"": HALF}),
    "systems-case": lambda: ev(systems={"x": HALF, "X": HALF}),
    "systems-no-runs": lambda: ev(systems={"x": []}),
    "systems-short": lambda: ev(systems={"x": [["B-PER", "O"]]}),
    "systems-more": lambda: ev(systems={"x": HALF * 2}),
    "systems-tokens": lambda: ev(systems={"x": [(["Ada", "met", "Bill"], ["O", "O", "O"])]}),
    "systems-missing": lambda: ev(systems={"x": "no-such-file.txt"}),
    "systems-label": lambda: ev(systems={"x": [["PER", "O", "O"]]}),
    "systems-strings": lambda: ev(systems={"x": ["B-PER", "O", "O"]}),
    "train-number": lambda: ev(train=5),
    "train-empty": lambda: ev(train=[]),
    "train-missing": lambda: ev(train="no-such-file.txt"),
    "train-labels": lambda: ev(train=[["O"]]),
    "train-several-missing": lambda: ev(train=[GOLD, "no.txt"]),
    "dataset-number": lambda: ev(dataset=5),
    "intervals-number": lambda: ev(intervals=5),
    "intervals-text": lambda: ev(intervals="yes"),
    "engine-number": lambda: ev(engine=5),
    "engine-text": lambda: ev(engine="x"),
    "workers-0": lambda: ev(workers=0),
    "workers-text": lambda: ev(workers="2"),
    "workers-float": lambda: ev(workers=1.5),
    "workers-true": lambda: ev(workers=True),
    "plugins-missing": lambda: ev(plugins=["no.py"]),
    "plugins-text": lambda: ev(plugins="no.py"),
    "plugins-number": lambda: ev(plugins=5),
    "progress-number": lambda: ev(progress=5),
    "option-unknown": lambda: ev(facet=["tmr"]),
    "facets-number": lambda: ev(facets=5),
    "facets-inner": lambda: ev(facets=[5]),
    "facets-unknown": lambda: ev(facets=["x"]),
    "facets-dict": lambda: ev(facets={"tmr": 1}),
    "matches-number": lambda: ev(matches=5),
    "metrics-number": lambda: ev(metrics=5),
    "metrics-function": lambda: ev(metrics=[len]),
    "repair-number": lambda: ev(repair=5),
    "repair-list": lambda: ev(repair=["strict"]),
    "repair-none": lambda: ev(repair=None),
    "token-repair-none": lambda: ev(token_repair=None),
    "token-match-none": lambda: ev(token_match=None),
    "zero-text": lambda: ev(zero_division="0"),
    "zero-true": lambda: ev(zero_division=True),
    "zero-array": lambda: ev(zero_division=np.zeros(2)),
    "buckets-float": lambda: ev(buckets=4.0),
    "buckets-none": lambda: ev(buckets=None),
    "buckets-text": lambda: ev(buckets="4"),
    "bucketing-number": lambda: ev(bucketing=5),
    "edges-list": lambda: ev(edges=[1]),
    "edges-none": lambda: ev(edges=None),
    "edges-number": lambda: ev(edges={"eLen": 5}),
    "edges-text": lambda: ev(edges={"eLen": "12"}),
    "edges-none-inside": lambda: ev(edges={"eLen": None}),
    "edges-key": lambda: ev(edges={5: [1]}),
    "map-none": lambda: ev(map=None),
    "map-list": lambda: ev(map=["A"]),
    "texts-text": lambda: ev(texts="no"),
    "sampling-samples": lambda: ns.Sampling(samples="5"),  # type: ignore[arg-type]
    "sampling-seed": lambda: ns.Sampling(seed=0.5),  # type: ignore[arg-type]
    "sampling-unit": lambda: ns.Sampling(resample=1),  # type: ignore[arg-type]
    "sampling-list": lambda: ns.Sampling(resample=[]),  # type: ignore[arg-type]
    "compare-none": lambda: ns.compare(None),  # type: ignore[arg-type]
    "compare-path": lambda: ns.compare("results.json"),  # type: ignore[arg-type]
    "compare-a": lambda: cmp("goo", "poor"),
    "compare-number": lambda: cmp(5, 6),
    "compare-one": lambda: cmp("good"),
    "compare-baseline": lambda: cmp(baseline="x"),
    "compare-baseline-number": lambda: cmp(baseline=5),
    "compare-facets": lambda: cmp(facets=["x"]),
    "compare-facets-text": lambda: cmp(facets="xyz"),
    "compare-facets-number": lambda: cmp(facets=5),
    "compare-metrics": lambda: cmp(metrics=["x"]),
    "compare-metrics-number": lambda: cmp(metrics=[5]),
    "compare-matches": lambda: cmp(matches=["x"]),
    "compare-types": lambda: cmp(types=["x"]),
    "compare-types-number": lambda: cmp(types=5),
    "compare-method": lambda: cmp(method="x"),
    "compare-method-number": lambda: cmp(method=5),
    "compare-method-list": lambda: cmp(method=[]),
    "compare-correction": lambda: cmp(correction=None),
    "compare-samples": lambda: cmp(samples=0),
    "compare-samples-text": lambda: cmp(samples="20"),
    "compare-seed": lambda: cmp(seed=None),
    "compare-resample": lambda: cmp(resample="x"),
    "gate-none": lambda: ns.gate(res(), None),
    "gate-drop-text": lambda: ns.gate(res(), res(), max_drop="1"),  # type: ignore[arg-type]
    "gate-facets-text": lambda: ns.gate(res(), res(), facets="tmr=seen"),
    "gate-metric": lambda: ns.gate(res(), res(), metric="x"),
    "diagnose-none": lambda: ns.diagnose(None),  # type: ignore[arg-type]
    "diagnose-a": lambda: ns.diagnose(res(), "x", "y"),
    "describe-none": lambda: ns.describe(None),  # type: ignore[arg-type]
    "describe-number": lambda: ns.describe(5),  # type: ignore[arg-type]
    "describe-labels": lambda: ns.describe([["B-PER"]]),
    "describe-test-number": lambda: ns.describe(GOLD, test=5),  # type: ignore[arg-type]
    "describe-dev-empty": lambda: ns.describe(GOLD, dev=[]),
    "describe-repair": lambda: ns.describe(GOLD, repair="x"),
    "describe-repair-none": lambda: ns.describe(GOLD, repair=None),  # type: ignore[arg-type]
    "validate-none": lambda: ns.validate(None),  # type: ignore[arg-type]
    "validate-number": lambda: ns.validate(5),  # type: ignore[arg-type]
    "validate-scheme": lambda: ns.validate(GOLD, scheme="x"),
    "validate-scheme-number": lambda: ns.validate(GOLD, scheme=5),  # type: ignore[arg-type]
    "validate-label": lambda: ns.validate([["X"]]),
    "convert-none": lambda: ns.convert(None, "o.txt", to="bio"),  # type: ignore[arg-type]
    "convert-target-none": lambda: ns.convert(GOLD, None, to="bio"),  # type: ignore[arg-type]
    "convert-target-empty": lambda: ns.convert(GOLD, "", to="bio"),
    "convert-target-nul": lambda: ns.convert(GOLD, "a\0b", to="bio"),
    "convert-target-folder": lambda: ns.convert(GOLD, ".", to="bio"),
    "convert-target-missing": lambda: ns.convert(GOLD, "no/o.txt", to="bio"),
    "convert-to": lambda: ns.convert(GOLD, "o.txt", to="x"),
    "convert-to-number": lambda: ns.convert(GOLD, "o.txt", to=3),  # type: ignore[arg-type]
    "convert-repair": lambda: ns.convert(GOLD, "o.txt", to="bio", repair="x"),
    "convert-labels": lambda: ns.convert([["B-X"]], "o.txt", to="bio"),
    "convert-nested": lambda: ns.convert(span((0, 2, "A"), (1, 3, "B")), "o.txt", to="bio"),
    "convert-tab": lambda: ns.convert([(["a\tb"], ["B-X"])], "o.txt", to="bio"),
    "convert-newline": lambda: ns.convert([(["a\nb"], ["B-X"])], "o.txt", to="bio"),
    "convert-empty-token": lambda: ns.convert([(["", "b"], ["O", "B-X"])], "o.txt", to="bio"),
    "convert-docstart": lambda: ns.convert([(["-DOCSTART-"], ["B-X"])], "o.txt", to="bio"),
    "convert-type-tab": lambda: ns.convert([(["a"], ["B-X\tY"])], "o.txt", to="bio"),
    "split-none": lambda: ns.split(None, "o", folds=2),  # type: ignore[arg-type]
    "split-number": lambda: ns.split([5], "o", folds=2),  # type: ignore[arg-type]
    "split-sentences": lambda: ns.split(GOLD, "o", folds=2),
    "split-labels": lambda: ns.split([[["B-X"], ["O"]]], "o", folds=2),
    "split-folder-none": lambda: ns.split([GOLD], None, folds=2),  # type: ignore[arg-type]
    "split-folder-nul": lambda: ns.split([GOLD], "a\0b", folds=2),
    "split-folds-word": lambda: ns.split([GOLD], "o", folds="2"),  # type: ignore[arg-type]
    "split-seed-float": lambda: ns.split([GOLD], "o", folds=2, seed=0.5),  # type: ignore[arg-type]
    "split-by-number": lambda: ns.split([GOLD], "o", folds=2, by=5),  # type: ignore[arg-type]
    "split-hard-number": lambda: ns.split([GOLD], "o", hard=5),  # type: ignore[arg-type]
    "split-leave-word": lambda: ns.split([GOLD], "o", leave_out="yes"),  # type: ignore[arg-type]
    "split-tab": lambda: ns.split([[(["a\tb"], ["B-X"])] * 3], "o", folds=2),
    "split-nested": lambda: ns.split([span((0, 2, "A"), (1, 3, "B"))], "o", folds=2),
    "read-none": lambda: ns.read(None),  # type: ignore[arg-type]
    "read-number": lambda: ns.read(5),  # type: ignore[arg-type]
    "read-missing": lambda: ns.read("no.txt"),
    "read-option": lambda: ns.read("gold.txt", colour="red"),
    "read-token": lambda: ns.read("gold.txt", token="first"),
    "read-token-none": lambda: ns.read("gold.txt", token=None),
    "read-label-float": lambda: ns.read("gold.txt", label=1.5),
    "read-scheme": lambda: ns.read("gold.txt", scheme="x"),
    "read-scheme-number": lambda: ns.read("gold.txt", scheme=5),
    "read-encoding": lambda: ns.read("gold.txt", encoding="x"),
    "read-encoding-none": lambda: ns.read("gold.txt", encoding=None),
    "read-separator": lambda: ns.read("gold.txt", separator=","),
    "read-comments": lambda: ns.read("gold.txt", comments="perhaps"),
    "read-tokens": lambda: ns.read("gold.txt", tokens="some"),
    "read-mend": lambda: ns.read("gold.txt", mend="x"),
    "read-format": lambda: ns.read("gold.txt", format="x"),
    "read-memory-option": lambda: ns.read(GOLD, token=1),
    "of-none": lambda: ns.Corpus.of(None),  # type: ignore[arg-type]
    "of-number": lambda: ns.Corpus.of(5),  # type: ignore[arg-type]
    "of-text": lambda: ns.Corpus.of("Ada"),
    "of-empty": lambda: ns.Corpus.of([]),
    "of-scheme": lambda: ns.Corpus.of(GOLD, scheme="x"),
    "of-label": lambda: ns.Corpus.of([["PER"]]),
    "of-none-inside": lambda: ns.Corpus.of([None]),  # type: ignore[list-item]
    "load-none": lambda: ns.Results.load(None),  # type: ignore[arg-type]
    "load-missing": lambda: ns.Results.load("no.json"),
    "from-json-none": lambda: ns.Results.from_json(None),  # type: ignore[arg-type]
    "from-json-bytes": lambda: ns.Results.from_json(b"\xff"),  # type: ignore[arg-type]
    "select-field": lambda: res().select(colour="red"),
    "value-many": lambda: res().value(metric="f1"),
    "value-none": lambda: res().value(system="nobody", metric="f1"),
    "table-name": lambda: res().table("x"),
    "errors-system": lambda: res().errors("nobody"),
    "changes-system": lambda: res().changes("good", "nobody"),
    "weakest-system": lambda: res().weakest("nobody"),
    "confusion-system": lambda: res().confusion("nobody"),
    "save-folder": lambda: res().save("."),
    "save-missing": lambda: res().save("no/r.json"),
    "save-empty": lambda: res().save(""),
    "save-long": lambda: res().save("x" * 300),
    "experiment-missing": lambda: ns.load_experiment("no.toml"),
    "experiment-none": lambda: ns.load_experiment(None),  # type: ignore[arg-type]
}


@pytest.mark.slow(quick=8)
@pytest.mark.parametrize("name", REFUSED)
def test_what_cannot_be_is_refused_by_an_error_of_ours(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "gold.txt").write_text("Ada B-PER\nmet O\n", encoding="utf-8")
    with pytest.raises(ns.NerscopeError) as caught:
        REFUSED[name]()
    assert caught.value.place and caught.value.fact and caught.value.fix
    assert [path.name for path in tmp_path.iterdir()] == ["gold.txt"]


TWO: Any = [(["Ada", "met"], ["B-PER", "O"]), (["Bob", "ran"], ["B-PER", "O"])]
NUMBERS: dict[str, tuple[Callable[[], Any], Mapping[str, float]]] = {
    "generator": (lambda: ev(one for one in GOLD), {"recall": 0.5}),
    "generator-system": (lambda: ev(systems={"x": (one for one in HALF)}), {"recall": 0.5}),
    "generator-tokens": (
        lambda: ev([((word for word in GOLD[0][0]), (one for one in GOLD[0][1]))]),
        {"recall": 0.5},
    ),
    "tuples": (lambda: ev(tuple(map(tuple, GOLD))), {"recall": 0.5}),
    "numpy": (lambda: ev([(np.array(GOLD[0][0]), np.array(GOLD[0][1]))]), {"recall": 0.5}),
    "numpy-labels": (lambda: ev(systems={"x": np.array(HALF)}), {"recall": 0.5}),
    "numpy-spans": (
        lambda: ev(span((np.int64(0), np.int32(1), "PER"), (2, 3, "PER"))), {"recall": 0.5}
    ),
    "mapping": (lambda: ev([{"tokens": GOLD[0][0], "labels": GOLD[0][1]}]), {"recall": 0.5}),
    "spans": (lambda: ev(span((0, 1, "PER"), (2, 3, "PER"))), {"recall": 0.5}),
    "spans-lists": (lambda: ev(span([0, 1, "PER"], [2, 3, "PER"])), {"recall": 0.5}),
    "spans-order": (lambda: ev(span((2, 3, "PER"), (0, 1, "PER"))), {"recall": 0.5}),
    "spans-twice": (
        lambda: ev(span((0, 1, "PER"), (0, 1, "PER"))), {"recall": 1.0, "precision": 1.0}
    ),
    "spans-none-predicted": (
        lambda: ev(systems={"x": [(GOLD[0][0], [])]}), {"recall": 0.0, "f1": 0.0}
    ),
    "two-pairs": (lambda: ev(TWO, {"x": TWO}), {"recall": 1.0, "precision": 1.0}),
    "two-labels": (lambda: ev(TWO, {"x": [["B-PER", "O"], ["O", "O"]]}), {"recall": 0.5}),
    "two-tuples": (lambda: ev(TWO, {"x": (("B-PER", "O"), ("O", "O"))}), {"recall": 0.5}),
    "two-list-pairs": (
        lambda: ev(TWO, {"x": [[["Ada", "met"], ["B-PER", "O"]], [["Bob", "ran"], ["O", "O"]]]}),
        {"recall": 0.5},
    ),
    "two-runs": (
        lambda: ev(TWO, {"x": [[["B-PER", "O"], ["O", "O"]], [["B-PER", "O"], ["B-PER", "O"]]]}),
        {"recall": 0.75},
    ),
    "two-runs-one-sentence": (
        lambda: ev(GOLD, {"x": [[["B-PER", "O", "O"]], [["B-PER", "O", "B-PER"]]]}),
        {"recall": 0.75},
    ),
    "bare-system": (lambda: ev(systems=HALF), {"recall": 0.5}),
    "corpus": (lambda: ev(ns.Corpus.of(GOLD), {"x": ns.Corpus.of(HALF)}), {"recall": 0.5}),
    "dataset-none": (lambda: ev(dataset=None, train=None, intervals=None), {"recall": 0.5}),
    "metrics-text": (lambda: ev(metrics="recall"), {"recall": 0.5}),
    "zero-0": (lambda: ev(systems={"x": [["O", "O", "O"]]}, zero_division=0), {"precision": 0.0}),
    "zero-1": (lambda: ev(systems={"x": [["O", "O", "O"]]}, zero_division=1), {"precision": 1.0}),
    "odd-tokens": (
        lambda: ev([(["", "a\tb", "c\nd"], ["B-PER", "O", "B-PER"])]), {"recall": 0.5}
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", NUMBERS)
def test_what_is_odd_but_clear_gives_the_right_number(name: str) -> None:
    call, numbers = NUMBERS[name]
    results = call()
    for metric, value in numbers.items():
        assert results.value(metric=metric) == pytest.approx(value, abs=1e-12)
