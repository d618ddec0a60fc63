"""Plug-ins that break their promises: one message that names them, and nothing written."""

from pathlib import Path

import pytest
from tests.attack.conftest import Attack
from tests.attack.harness import Case, params

import nerscope

E = "evaluate gold.txt --system good=good.txt --system poor=poor.txt --plugin p.py"
HEAD = "import sys\nimport numpy as np\nimport nerscope as ns\n"


def loaded(name: str, code: str, place: str = "p.py", fact: str = "it fails (") -> Case:
    """A file that cannot be run."""
    return Case(f"load-{name}", f"{E} -o out.json", place, fact, files={"p.py": code})


def facet(name: str, body: str, fact: str, levels: str = '{"a": (0,), "b": (1,)}') -> Case:
    """A facet whose codes are wrong."""
    code = f"{HEAD}def codes(view):\n    n = len(view.mentions)\n    {body}\n"
    code += f'ns.register_facet(ns.Facet("mine", "mention", {levels}, codes))\n'
    command = f"{E} --facet mine -o out.json"
    return Case(f"facet-{name}", command, "facet 'mine'", fact, files={"p.py": code})


def values(name: str, body: str, fact: str) -> Case:
    """An attribute whose values are wrong."""
    code = f'{HEAD}@ns.attribute("mine")\ndef values(view):\n'
    code += f"    n = len(view.mentions)\n    {body}\n"
    command = f"{E} --facet mine -o out.json"
    return Case(f"attribute-{name}", command, "attribute 'mine'", fact, files={"p.py": code})


def match(name: str, body: str, fact: str = "", more: str = "credit=0.5") -> Case:
    """A match whose credit is wrong."""
    code = f"{HEAD}def rule(touch):\n    n = len(touch.gold)\n    {body}\n"
    code += f'ns.register_match("mine", rule, {more})\n'
    command = f"{E} --match mine -o out.json"
    return Case(f"match-{name}", command, "match 'mine'", fact, files={"p.py": code})


def metric(name: str, body: str, fact: str = "", more: str = "") -> Case:
    """A metric whose formula is wrong."""
    code = f"{HEAD}def formula(counts):\n    {body}\n"
    code += f'ns.register_metric(ns.Metric("mine", formula{more}))\n'
    command = f"{E} --metric mine -o out.json"
    return Case(f"metric-{name}", command, "metric 'mine'", fact, files={"p.py": code})


def method(name: str, body: str, fact: str = "") -> Case:
    """A test whose p is wrong."""
    code = f'{HEAD}def p(pair):\n    {body}\nns.register_method(ns.Method("mine", p))\n'
    command = "compare large.json --plugin p.py --method mine --samples 20"
    files = {"p.py": code}
    return Case(f"method-{name}", command, "method 'mine'", fact, files=files, before=large)


def large(data: Path) -> None:
    """Results in which systems differ so much that something is tested."""
    gold = [["B-PER", "O"], ["O", "B-LOC"]] * 10
    wrong = [["O", "B-PER"]] * 20
    nerscope.evaluate(gold, {"a": gold, "b": wrong}).save(data / "large.json")


def source(name: str, body: str, fact: str = "", place: str = "", make: str = "pass") -> Case:
    """A format whose chunks fail."""
    code = (
        f"{HEAD}class Mine(ns.Source):\n"
        "    def __init__(self, data):\n        self.name, self.data = data.name, data\n"
        f"        {make}\n"
        f"    def chunks(self, coding, *, tokens=True):\n        {body}\n"
        'ns.register_format(ns.Format("mine", Mine, lambda name, head: False))\n'
    )
    command = "evaluate gold.txt::format=mine --system s=good.txt --plugin p.py -o out.json"
    return Case(f"format-{name}", command, place, fact, files={"p.py": code})


def shown(name: str, body: str, fact: str = "") -> Case:
    """An output that fails."""
    code = f'{HEAD}def mine(document):\n    {body}\nns.register_output("mine", mine)\n'
    command = f"{E} --format mine -o out.json"
    return Case(f"output-{name}", command, "format 'mine'", fact, files={"p.py": code})


def engine(name: str, body: str, fact: str = "") -> Case:
    """An engine that fails."""
    code = (
        f"{HEAD}class Mine:\n    remote = False\n    def map(self, work, state, items):\n"
        f"        {body}\n"
        'ns.register_engine("mine", lambda workers, plugins: Mine())\n'
    )
    command = f"{E} --engine mine -o out.json"
    return Case(f"engine-{name}", command, "engine 'mine'", fact, files={"p.py": code})


OWN = "class Own(Exception): pass\n"
FAILS = "its function fails ("
TABLE = [
    loaded("raise", "raise ValueError('no')"),
    loaded("own", f"{OWN}raise Own('no')"),
    loaded("exit", "import sys\nsys.exit(0)"),
    loaded("exit-text", "import sys\nsys.exit('bye')"),
    loaded("syntax", "x = ("),
    loaded("indent", "  x = 1\n y = 2"),
    loaded("nul", "x = '\0'"),
    loaded("binary", "\x7fELF\0"),
    loaded("import", "import no_such_module"),
    loaded("assert", "assert False"),
    loaded("recursion", "def f(): f()\nf()"),
    loaded("encoding", "# -*- coding: klingon -*-"),
    loaded("warning", "import warnings\nraise UserWarning('x')"),
    loaded("keyword", f"{HEAD}ns.register_facet(5)", "facet", "invalid value 5"),
    loaded("metric-kind", f"{HEAD}ns.register_metric(5)", "metric", "invalid value 5"),
    loaded("format-kind", f"{HEAD}ns.register_format(5)", "form", "invalid value 5"),
    loaded("method-kind", f"{HEAD}ns.register_method(5)", "method", "invalid value 5"),
    loaded("facet-built-in", f"{HEAD}ns.attribute('tmr')(lambda view: None)", "facet 'tmr'",
           "a built-in facet has this name"),
    loaded("match-built-in", f"{HEAD}ns.register_match('exact', len)", "match 'exact'",
           "a built-in match has this name"),
    loaded("metric-built-in", f"{HEAD}ns.register_metric(ns.Metric('f1', None))", "metric 'f1'",
           "a built-in metric has this name"),
    loaded("format-built-in", f"{HEAD}ns.register_format(ns.Format('conll', None, None))",
           "format 'conll'", "a built-in format has this name"),
    loaded("output-built-in", f"{HEAD}ns.register_output('json', len)", "format 'json'",
           "a built-in format has this name"),
    loaded("method-built-in", f"{HEAD}ns.register_method(ns.Method('bootstrap', None))",
           "method 'bootstrap'", "a built-in method has this name"),
    loaded("engine-built-in", f"{HEAD}ns.register_engine('local', None)", "engine 'local'",
           "a built-in engine has this name"),
    loaded("facet-named-all", f"{HEAD}ns.attribute('all')(lambda view: None)", "facet 'all'", ""),
    loaded("facet-named-type", f"{HEAD}ns.attribute('type')(lambda v: None)", "facet 'type'", ""),
    loaded("name-blank", f"{HEAD}ns.attribute('a b')(lambda v: 1)", "facet 'a b'", "invalid name"),
    loaded("name-empty", f"{HEAD}ns.attribute('')(lambda v: 1)", "facet ''", "invalid name"),
    loaded("name-number", f"{HEAD}ns.attribute(5)(lambda v: 1)", "name", "invalid value 5"),
    loaded("unit", f"{HEAD}ns.attribute('x', unit='word')(len)", "attribute 'x'", "unknown unit"),
    loaded("bucketing", f"{HEAD}ns.attribute('x', bucketing='y')(len)", "attribute 'x'",
           "unknown bucketing 'y'"),
    loaded("better", f"{HEAD}ns.Metric('x', len, better=2)", "metric 'x'",
           "invalid value better=2"),
    loaded("average", f"{HEAD}ns.Metric('x', len, average='y')", "metric 'x'", "invalid value"),
    loaded("kind", f"{HEAD}ns.Metric('x', len, kind='y')", "metric 'x'", "invalid value"),
    loaded("levels-empty", f"{HEAD}ns.Facet('x', 'mention', {{}}, len)", "facet 'x'",
           "invalid levels"),
    loaded("levels-minus", f"{HEAD}ns.Facet('x', 'mention', {{'a': (-1,)}}, len)", "facet 'x'",
           "invalid levels"),
    loaded("levels-number", f"{HEAD}ns.Facet('x', 'mention', {{'a': 5}}, len)", "", ""),
    loaded("levels-list", f"{HEAD}ns.Facet('x', 'mention', [1], len)", "", ""),
    loaded("match-option", f"{HEAD}ns.register_match('x', len, colour=1)", "match 'x'",
           "invalid options colour"),
    facet("raise", "return 1 / 0", FAILS + "ZeroDivisionError"),
    facet("own", "raise type('Own', (Exception,), {})('no')", FAILS + "Own"),
    facet("exit", "sys.exit(0)", FAILS + "SystemExit"),
    facet("none", "return None", ""),
    facet("short", "return np.zeros(n - 1, int)", "codes of shape"),
    facet("long", "return np.zeros(n + 1, int)", "codes of shape"),
    facet("flat", "return np.zeros((n, 1), int)", "codes of shape"),
    facet("scalar", "return 0", "codes of shape ()"),
    facet("float", "return np.zeros(n)", "float64 codes"),
    facet("text", "return np.array(['a'] * n)", "codes of shape"),
    facet("object", "return np.array([None] * n)", "object codes"),
    facet("far", "return np.full(n, 7)", "no level has the code 7"),
    facet("minus", "return np.full(n, -1)", "no level has the code -1"),
    facet("huge", "return np.full(n, 2**40)", "no level has the code"),
    facet("gap", "return np.full(n, 1)", "no level has the code 1", '{"a": (0,), "b": (2,)}'),
    facet("train", "return view.lexicon.n_tokens * np.zeros(n, int)", "training data")._replace(
        place="view.lexicon"),
    values("raise", "return 1 / 0", FAILS + "ZeroDivisionError"),
    values("own", "raise type('Own', (Exception,), {})('no')", FAILS + "Own"),
    values("nan", "return np.full(n, np.nan)", "it returns NaN or infinity"),
    values("inf", "return np.full(n, np.inf)", "it returns NaN or infinity"),
    values("short", "return np.zeros(n - 1)", "values of shape"),
    values("flat", "return np.zeros((n, 1))", "values of shape"),
    values("none", "return None", ""),
    values("text", "return np.array(['a'] * n)", FAILS),
    values("complex", "return np.full(n, 1j)", ""),
    match("raise", "return 1 / 0", FAILS),
    match("own", "raise type('Own', (Exception,), {})('no')", FAILS),
    match("exit", "sys.exit(0)", FAILS),
    match("above", "return np.full(n, 2.0)", "numbers from 0 to 1"),
    match("below", "return np.full(n, -0.1)", "numbers from 0 to 1"),
    match("nan", "return np.full(n, np.nan)", "numbers from 0 to 1"),
    match("short", "return np.zeros(max(0, n - 1))", "numbers from 0 to 1"),
    match("none", "return None", ""),
    match("text", "return np.array(['a'] * n)", ""),
    match("default", "return np.ones(n)", "invalid value credit=5", "credit=5"),
    match("default-nan", "return np.ones(n)", "invalid value", "credit=float('nan')"),
    match("default-text", "return np.ones(n)", "invalid value", "credit='a'"),
    metric("raise", "return 1 / 0", FAILS),
    metric("own", "raise type('Own', (Exception,), {})('no')", FAILS),
    metric("exit", "sys.exit(0)", FAILS),
    metric("scalar", "return 0.5", "its formula returns shape ()"),
    metric("shape", "return counts.gold[..., :1, None]", "its formula returns shape"),
    metric("none", "return None", ""),
    metric("text", "return np.full(counts.gold.shape, 'a')", ""),
    metric("inf", "return np.full(counts.gold.shape, np.inf)", ""),
    metric("above", "return counts.gold + 7.0", "", ", kind='share'"),
    metric("pairs", "return counts.correct / 1.0", ""),
    metric("n-raise", "return counts.gold / 9", "", ", n=lambda counts: 1 / 0"),
    metric("n-shape", "return counts.gold / 9", "", ", n=lambda counts: np.zeros(3)"),
    metric("n-nan", "return counts.gold / 9", "", ", n=lambda counts: counts.gold * np.nan"),
    method("raise", "return 1 / 0", FAILS),
    method("own", "raise type('Own', (Exception,), {})('no')", FAILS),
    method("exit", "sys.exit(0)", FAILS),
    method("above", "return 1.5", "it returns the p-value 1.5"),
    method("below", "return -0.1", "it returns the p-value -0.1"),
    method("nan", "return float('nan')", "it returns the p-value nan"),
    method("none", "return None", ""),
    method("text", "return 'small'", ""),
    method("array", "return np.zeros(3)", ""),
    source("raise", "raise ValueError('no')", "no"),
    source("own", "raise type('Own', (Exception,), {})('no')", "no"),
    source("exit", "sys.exit(0)"),
    source("nothing", "yield from ()"),
    source("none", "return None"),
    source("number", "yield 5"),
    source("list", "yield [(['Ada'], ['B-PER'])]"),
    source("open", "yield None", make="raise ValueError('no')"),
    source("other-coding", "yield ns.Corpus.of([(['Ada'], ['B-PER'])])"),
    source("label", "yield ns.Corpus.of([(['Ada'], ['X'])], coding=coding)", "has no prefix"),
    source("later", "yield ns.Corpus.of([(['Ada'], ['B-PER'])], coding=coding)\n        1 / 0"),
    shown("raise", "return 1 / 0", FAILS),
    shown("own", "raise type('Own', (Exception,), {})('no')", FAILS),
    shown("exit", "sys.exit(0)", FAILS),
    shown("none", "return None"),
    shown("bytes", "return b'x'"),
    shown("number", "return 5"),
    engine("raise", "raise ValueError('no')", "no"),
    engine("none", "return None"),
    engine("fewer", "return iter(())"),
    engine("numbers", "return iter([5])"),
    Case("fits-raises", "evaluate gold.txt --system s=good.txt --plugin p.py", "format 'mine'",
         FAILS, files={"p.py": HEAD + 'ns.register_format(ns.Format("mine", len, '
                       "lambda name, head: 1 / 0))\n"}),
]  # fmt: skip


@pytest.mark.slow(quick=27)
@params(TABLE)
def test_plugins(case: Case, attack: Attack) -> None:
    attack(case)
