"""Every argument of every public function with every wrong kind of value: ours is the error."""

import inspect
import warnings
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas
import pytest
from tests.attack.harness import results_bytes
from tests.cli.conftest import forget_plugins as forget_plugins

import nerscope as ns
from nerscope import testing

GOLD: Any = [(["Ada", "met", "Bob"], ["B-PER", "O", "B-PER"]), (["Oslo"], ["B-LOC"])] * 4
HALF: Any = [["B-PER", "O", "O"], ["B-LOC"]] * 4


def wrong() -> list[Any]:
    """Values of all kinds; new ones each time, since an iterator is used up by the first call."""
    return [
        *(None, 0, -1, 5, 10**30, 1.5, float("nan"), float("inf"), True, 1j),
        *("x", "", "a\0b", "\ud800", "f1", b"x", Path("no"), np.str_("x"), np.int64(3)),
        *([], [None], [5], ["x"], [[]], ["f1", 5], (), {}, {"x": 1}, {5: 6}, {"x": None}, {"x"}),
        *(object(), object, len, lambda: 1 / 0, iter([5]), range(3), ValueError("x")),
        *(np.array(5), np.array("x"), np.array([1.0, 2.0]), np.array(["a", "b"]), np.zeros((2, 2))),
        *(np.array([None]), pandas.NA, pandas.NaT, pandas.DataFrame(), pandas.Series(["a"])),
        *([pandas.NA], {"x": pandas.NA}, [np.array(5)], {"x": np.array(5)}),
    ]


def results() -> ns.Results:
    return ns.Results.from_json(results_bytes().decode())


def files(folder: Path) -> dict[str, Path]:
    data = '[datasets.d]\ntrain = "g.txt"\ntest = "g.txt"\n'
    (folder / "g.txt").write_text("Ada B-PER\nmet O\n\n")
    (folder / "p.toml").write_text(f'{data}[systems.m]\nrecipe = "dictionary"\n')
    (folder / "e.toml").write_text(f'{data}[systems]\nm = "g.txt"\n')
    return {"plan": folder / "p.toml", "experiment": folder / "e.toml", "out": folder / "out"}


def calls(folder: Path) -> dict[str, tuple[Callable[..., Any], dict[str, Any]]]:
    """Every function with arguments that work, or nearly do."""
    made, good = files(folder), results()
    few: dict[str, Any] = {"samples": 9}
    plain: dict[str, tuple[Callable[..., Any], dict[str, Any]]] = {
        "answers": (ns.answers, {"given": ["[]"]}),
        "attribute": (
            lambda function=len, **more: ns.attribute(**more)(function),
            {"name": "mine"},
        ),
        "facet": (
            lambda function=len, **more: ns.facet(**more)(function),
            {"name": "mine"},
        ),
        "baseline": (ns.baseline, {"train": GOLD, "test": GOLD, "recipe": "dictionary"}),
        "agree": (ns.agree, {"annotators": {"a": GOLD, "b": HALF}}),
        "audit": (ns.audit, {"gold": GOLD, "systems": {"x": HALF}, "recipe": "none"}),
        "compare": (ns.compare, {"results": good, **few}),
        "contrast": (ns.contrast, {"results": good, "first": "all", "second": "type=PER"}),
        "convert": (ns.convert, {"given": GOLD, "target": made["out"] / "c.txt"}),
        "dataset_bias": (ns.dataset_bias, {"datasets": {"d": (GOLD, GOLD)}}),
        "token_subsets": (ns.token_subsets, {"train": GOLD}),
        "describe": (ns.describe, {"train": GOLD}),
        "diagnose": (ns.diagnose, {"results": good, **few}),
        "evaluate": (ns.evaluate, {"test": GOLD, "systems": {"x": HALF}}),
        "gate": (ns.gate, {"results": good, "baseline": good}),
        "hard_tokens": (ns.hard_tokens, {"train": GOLD, "test": GOLD}),
        "load_experiment": (ns.load_experiment, {"path": made["experiment"]}),
        "load_plan": (ns.load_plan, {"path": made["plan"]}),
        "power": (ns.power, {"results": good}),
        "read": (ns.read, {"given": GOLD}),
        "register_engine": (ns.register_engine, {"name": "e", "maker": len}),
        "register_facet": (ns.register_facet, {"facet": None}),
        "register_format": (ns.register_format, {"form": None}),
        "register_match": (ns.register_match, {"name": "m", "rule": len}),
        "register_method": (ns.register_method, {"method": None}),
        "register_metric": (ns.register_metric, {"metric": None}),
        "register_output": (ns.register_output, {"name": "o", "output": len}),
        "register_recipe": (
            lambda function=len, **more: ns.register_recipe(**more)(function),
            {"name": "r"},
        ),
        "run_experiment": (
            ns.run_experiment,
            {"experiment": ns.load_experiment(made["experiment"])},
        ),
        "run_plan": (ns.run_plan, {"plan": None}),
        "split": (ns.split, {"data": GOLD, "folder": made["out"] / "s", "folds": 2}),
        "validate": (ns.validate, {"given": GOLD}),
        "settings": (ns.Settings.of, {"options": {}}),
        "sampling": (ns.Sampling, {}),
        "condition": (ns.Condition, {}),
        "assert_no_drop": (testing.assert_no_drop, {"results": good, "baseline": good}),
        "load": (ns.Results.load, {"path": "no"}),
        "from_json": (ns.Results.from_json, {"text": "{}"}),
    }
    methods = "select value scalars save report table errors weakest confusion partial_pairs"
    arguments: Mapping[str, dict[str, Any]] = {
        "save": {"path": made["out"] / "r.json"},
        "changes": {"a": "good", "b": "poor"},
        "judged": {"paths": "no"},
    }
    for name in f"{methods} judged changes".split():
        plain[f"Results.{name}"] = (getattr(good, name), arguments.get(name, {}))
    return plain


EXTRA = {
    "evaluate": "facets matches metrics repair token_repair token_match zero_division buckets "
    "bucketing edges map case drop texts fold",
    "read": "token label scheme format columns encoding nonsense",
    "baseline": "nonsense",
    "Results.select": "metric system facet level type match unit run dataset nonsense",
    "Results.value": "metric system facet level type match unit run dataset nonsense",
    "Results.scalars": "metric system facet prefix nonsense",
    "assert_no_drop": "metric max_drop alpha facets conditions",
}


def arguments_of(name: str, function: Callable[..., Any]) -> Iterator[str]:
    for parameter in inspect.signature(function).parameters.values():
        if parameter.kind not in (parameter.VAR_KEYWORD, parameter.VAR_POSITIONAL):
            yield parameter.name
    yield from EXTRA.get(name, "").split()
    if name in ("attribute", "facet", "register_recipe"):
        yield from inspect.signature(getattr(ns, name)).parameters


CALLBACKS = ("say", "progress", "step")


def faults(name: str, folder: Path) -> list[str]:
    """What ends in an error that is not ours."""
    function, base = calls(folder)[name]
    bad = []
    for argument in dict.fromkeys(arguments_of(name, function)):
        for place, value in enumerate(wrong()):
            if argument in CALLBACKS and callable(value):
                continue  # it is called, and its errors are its own
            try:
                function(**{**base, argument: value})
            except (ns.NerscopeError, AssertionError):
                pass
            except Exception as error:  # noqa: BLE001  any other is a fault
                bad.append(f"{argument}={wrong()[place]!r}: {type(error).__name__}: {error}")
    return bad


FUNCTIONS = [
    "answers",
    "attribute",
    "baseline",
    "agree",
    "audit",
    "compare",
    "contrast",
    "convert",
    "dataset_bias",
    "token_subsets",
    "describe",
    "diagnose",
    "evaluate",
    "facet",
    "gate",
    "hard_tokens",
    "load_experiment",
    "load_plan",
    "power",
    "read",
    "register_engine",
    "register_facet",
    "register_format",
    "register_match",
    "register_method",
    "register_metric",
    "register_output",
    "register_recipe",
    "run_experiment",
    "run_plan",
    "split",
    "validate",
    "settings",
    "sampling",
    "condition",
    "assert_no_drop",
    "load",
    "from_json",
    "Results.select",
    "Results.value",
    "Results.scalars",
    "Results.save",
    "Results.report",
    "Results.table",
    "Results.errors",
    "Results.weakest",
    "Results.confusion",
    "Results.partial_pairs",
    "Results.judged",
    "Results.changes",
]


@pytest.mark.slow(quick=3)
@pytest.mark.parametrize("name", FUNCTIONS)
def test_wrong_kinds_are_refused(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)  # some of the values name a file that is then written
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert faults(name, tmp_path) == []


def test_every_public_function_is_tried(tmp_path: Path) -> None:
    public = [name for name in ns.__all__ if inspect.isfunction(getattr(ns, name))]
    assert set(calls(tmp_path)) == set(FUNCTIONS) >= set(public) - {"ratio"}  # of arrays alone


api: Any = ns  # these calls are wrong on purpose


@pytest.mark.parametrize(
    "call",
    [
        lambda: api.gate("path"),
        lambda: api.evaluate(np.array(5), {"x": HALF}),
        lambda: api.evaluate([(np.array("a"), ["O"])], {"x": HALF}),
        lambda: api.evaluate(GOLD, {"x": HALF}, drop=None),
        lambda: api.compare(results(), np.array(["good", "poor"])),
        lambda: api.register_facet(None),
        lambda: api.evaluate(GOLD, {"x": HALF}, checkpoint=3),
        lambda: api.evaluate([(["a", pandas.NA], ["O", "O"])], {"x": HALF}),
        lambda: api.evaluate(pandas.DataFrame({"tokens": [pandas.NA]}), {"x": HALF}),
        lambda: results().value(metric=pandas.NA),
    ],
)
def test_reported_kinds_are_refused(call: Callable[[], object]) -> None:
    with pytest.raises(ns.NerscopeError):
        call()
