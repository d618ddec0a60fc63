"""Results files of every wrong shape, for every command that reads them."""

import base64
import json
import math
import zlib
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from tests.attack.conftest import Attack
from tests.attack.harness import Case, Damage, format_1_bytes, params, results_bytes

from nerscope.codec import pack, unpack

COMMANDS = {
    "compare": "compare bad.json --samples 20",
    "show": "show bad.json",
    "show-all": "show bad.json --all",
    "errors": "errors bad.json",
    "diagnose": "diagnose bad.json",
    "gate": "gate bad.json --baseline bad.json",
    "gate-baseline": "gate results.json --baseline bad.json",
}
DAMAGED = "the results are damaged"
NONE = "it holds no nerscope results"


def array(values: bytes, kind: str = "|u1", **more: object) -> dict[str, Any]:
    """A packed array."""
    data = base64.b64encode(zlib.compress(values)).decode()
    return {"size": len(values), "type": kind, "data": data, **more}


def everywhere(name: str, damage: Damage, fact: str, commands: str = "compare show") -> list[Case]:
    """The same damage, for several commands."""
    return [
        Case(f"{name}-{command}", COMMANDS[command], "bad.json", fact, damage=damage)
        for command in commands.split()
    ]


def part(change: Callable[[dict[str, Any]], object]) -> Damage:
    """Damage to the evidence."""
    return lambda content: change(content["evidence"][0])


def gold(change: Callable[[dict[str, Any]], object]) -> Damage:
    """Damage to the gold mentions."""
    return part(lambda evidence: change(evidence["ledgers"]["mention"]["gold"]))


def output(change: Callable[[dict[str, Any]], object]) -> Damage:
    """Damage to the first run."""
    return part(lambda evidence: change(evidence["ledgers"]["mention"]["runs"][0]))


def row(**fields: object) -> Damage:
    """Damage to the first row."""
    return lambda content: content["rows"][0].update(fields)


BAD_ARRAY = {"size": 6, "type": "|u1", "data": "!!!"}
HUGE = array(b"\0" * 1000)
FAR = array(bytes([200] * 6))
SHORT = array(b"\0\0")
NEGATIVE = array(b"\xff" * 48, "<i8")
TABLE: list[Case] = [
    *everywhere("no-version", lambda c: c.pop("nerscope"), NONE),
    *everywhere("version-number", lambda c: c.update(nerscope=1), NONE),
    *everywhere("no-format", lambda c: c.pop("format"), NONE),
    *everywhere("format-text", lambda c: c.update(format="1"), NONE),
    *everywhere("format-true", lambda c: c.update(format=True), NONE),
    *everywhere("format-0", lambda c: c.update(format=0), ""),
    *everywhere("format-minus", lambda c: c.update(format=-7), ""),
    *everywhere("format-newer", lambda c: c.update(format=3), "its format is 3"),
    *everywhere("format-other", lambda c: c.update(format=2), DAMAGED),
    *everywhere("no-rows", lambda c: c.pop("rows"), NONE),
    *everywhere("rows-table", lambda c: c.update(rows={}), NONE),
    *everywhere("rows-inner", lambda c: c.update(rows=[5]), DAMAGED),
    *everywhere("rows-null", lambda c: c.update(rows=[None]), DAMAGED),
    *everywhere("no-settings", lambda c: c.pop("settings"), NONE),
    *everywhere("settings-list", lambda c: c.update(settings=[]), NONE),
    *everywhere("no-losses", lambda c: c.pop("losses"), NONE),
    *everywhere("losses-inner", lambda c: c.update(losses=[{}]), DAMAGED),
    *everywhere("losses-text", lambda c: c.update(losses=["x"]), DAMAGED),
    *everywhere("row-value-text", row(value="0.5"), DAMAGED),
    *everywhere("row-value-true", row(value=True), DAMAGED),
    *everywhere("row-value-list", row(value=[1]), DAMAGED),
    *everywhere("row-n-text", row(n="x"), DAMAGED),
    *everywhere("row-system-null", row(system=None), DAMAGED),
    *everywhere("row-facet-number", row(facet=5), DAMAGED),
    *everywhere("row-runs-text", row(runs="x"), DAMAGED),
    *everywhere("row-changed", row(value=0.123), DAMAGED),
    *everywhere("row-lost", lambda c: c["rows"].pop(0), DAMAGED),
    *everywhere("rows-lost", lambda c: c.update(rows=[]), DAMAGED),
    *everywhere("evidence-number", lambda c: c.update(evidence=5), DAMAGED),
    *everywhere("evidence-text", lambda c: c.update(evidence="x"), DAMAGED),
    *everywhere("evidence-null", lambda c: c.update(evidence=None), ""),
    *everywhere("evidence-inner", lambda c: c.update(evidence=[5]), DAMAGED),
    *everywhere("evidence-empty", lambda c: c.update(evidence=[{}]), DAMAGED),
    *everywhere("evidence-twice", lambda c: c["evidence"].append(c["evidence"][0]), DAMAGED,
                "compare show gate gate-baseline"),
    *everywhere("dataset-number", part(lambda e: e.update(dataset=5)), DAMAGED),
    *everywhere("types-text", part(lambda e: e.update(types="PER")), DAMAGED),
    *everywhere("types-fewer", part(lambda e: e["types"].pop()), DAMAGED,
                "compare show gate gate-baseline"),
    *everywhere("types-numbers", part(lambda e: e.update(types=[1, 2])), DAMAGED),
    *everywhere("types-twice", part(lambda e: e.update(types=["PER", "PER"])), DAMAGED),
    *everywhere("runs-fewer", part(lambda e: e["runs"].pop()), DAMAGED),
    *everywhere("runs-inner", part(lambda e: e.update(runs=[[5, 5]] * 3)), DAMAGED),
    *everywhere("runs-short", part(lambda e: e.update(runs=[["a"]] * 3)), DAMAGED),
    *everywhere("signature-text", part(lambda e: e.update(signature="x")), DAMAGED),
    *everywhere("signature-key", part(lambda e: e["signature"].update(x=1)), DAMAGED),
    *everywhere("gold-number", part(lambda e: e.update(gold=5)), DAMAGED),
    *everywhere("documents-null", part(lambda e: e.update(documents=None)), DAMAGED),
    *everywhere("documents-short", part(lambda e: e.update(documents=SHORT)), DAMAGED),
    *everywhere("lines-short", part(lambda e: e.update(lines=SHORT)), DAMAGED, "errors compare"),
    *everywhere("lines-float", part(lambda e: e.update(lines=array(b"\0" * 24, "<f8"))), DAMAGED,
                "errors show"),
    *everywhere("texts-garbage", part(lambda e: e.update(texts="!!!")), DAMAGED),
    *everywhere("texts-number", part(lambda e: e.update(texts=5)), DAMAGED),
    *everywhere("texts-short", part(lambda e: e.update(
        texts=base64.b64encode(zlib.compress(b'["x"]')).decode())), DAMAGED, "errors show"),
    *everywhere("texts-table", part(lambda e: e.update(
        texts=base64.b64encode(zlib.compress(b'{"a": 1}')).decode())), DAMAGED, "errors show"),
    *everywhere("zeta-text", part(lambda e: e.update(zeta="x")), DAMAGED, "diagnose show"),
    *everywhere("zeta-inner", part(lambda e: e.update(zeta={"eLen": "x"})), DAMAGED, "diagnose"),
    *everywhere("ledgers-list", part(lambda e: e.update(ledgers=[])), DAMAGED),
    *everywhere("ledger-token-lost", part(lambda e: e["ledgers"].pop("token")), DAMAGED),
    *everywhere("divisions-none", part(lambda e: e.update(divisions=[])), DAMAGED),
    *everywhere("divisions-inner", part(lambda e: e.update(divisions=[5])), DAMAGED),
    *everywhere("division-unit", part(lambda e: e["divisions"][0].update(unit="x")), DAMAGED),
    *everywhere("division-levels", part(lambda e: e["divisions"][0].update(levels={})), DAMAGED),
    *everywhere("division-codes", part(lambda e: e["divisions"][0].update(
        levels={"all": ["x"]})), DAMAGED),
    *everywhere("division-codes-far", part(lambda e: e["divisions"][0].update(
        levels={"all": [10**9]})), DAMAGED),
    *everywhere("division-metric", part(lambda e: e["divisions"][0].update(
        metrics={"exact": ["f99"]})), "unknown metric"),
    *everywhere("division-match", part(lambda e: e["divisions"][0].update(
        metrics={"none": ["f1"]})), DAMAGED),
    *everywhere("sentence-base64", gold(lambda g: g.update(sentence=BAD_ARRAY)), DAMAGED),
    *everywhere("sentence-size", gold(lambda g: g["sentence"].update(size=99)), DAMAGED),
    *everywhere("sentence-type", gold(lambda g: g["sentence"].update(type="x")), DAMAGED),
    *everywhere("sentence-object", gold(lambda g: g["sentence"].update(type="O")), DAMAGED),
    *everywhere("sentence-far", gold(lambda g: g.update(sentence=FAR)), DAMAGED,
                "compare show gate gate-baseline"),
    *everywhere("sentence-negative", gold(lambda g: g.update(sentence=NEGATIVE)), DAMAGED),
    *everywhere("sentence-short", gold(lambda g: g.update(sentence=SHORT)), DAMAGED),
    *everywhere("sentence-long", gold(lambda g: g.update(sentence=HUGE)), DAMAGED),
    *everywhere("type-far", gold(lambda g: g.update(type=FAR)), DAMAGED,
                "compare show gate gate-baseline"),
    *everywhere("type-negative", gold(lambda g: g.update(type=NEGATIVE)), DAMAGED),
    *everywhere("type-short", gold(lambda g: g.update(type=SHORT)), DAMAGED),
    *everywhere("codes-list", gold(lambda g: g.update(codes=[])), DAMAGED),
    *everywhere("codes-lost", gold(lambda g: g["codes"].pop("tmr")), DAMAGED),
    *everywhere("codes-far", gold(lambda g: g["codes"].update(tmr=FAR)), DAMAGED),
    *everywhere("codes-short", gold(lambda g: g["codes"].update(tmr=SHORT)), DAMAGED),
    *everywhere("start-far", gold(lambda g: g.update(start=FAR)), DAMAGED, "errors"),
    *everywhere("length-far", gold(lambda g: g.update(length=FAR)), DAMAGED, "errors"),
    *everywhere("credit-lost", output(lambda r: r["gold_credit"].pop("exact")), DAMAGED,
                "compare show gate gate-baseline"),
    *everywhere("credit-short", output(lambda r: r["gold_credit"].update(exact=SHORT)), DAMAGED),
    *everywhere("credit-above", output(lambda r: r["gold_credit"].update(exact=FAR)), DAMAGED,
                "compare show gate gate-baseline"),
    *everywhere("credit-palette", output(lambda r: r["gold_credit"].update(
        exact=array(b"\5" * 6, palette=[0.0]))), DAMAGED),
    *everywhere("credit-palette-text", output(lambda r: r["gold_credit"].update(
        exact=array(b"\0" * 6, palette=["x"]))), DAMAGED),
    *everywhere("credit-nan", output(lambda r: r["gold_credit"].update(
        exact=array(b"\xff" * 48, "<f8"))), DAMAGED),
    *everywhere("kind-lost", output(lambda r: r.pop("gold_kind")), DAMAGED),
    *everywhere("pred-lost", output(lambda r: r.pop("pred")), DAMAGED),
]  # fmt: skip


def _raw(name: str, content: str | bytes, fact: str) -> Case:
    return Case(f"raw-{name}", "show bad.json", "bad.json", fact, files={"bad.json": content})


_WHOLE = format_1_bytes().decode()
RAW = [
    _raw("empty", "", "it is not JSON"),
    _raw("cut", _WHOLE[: len(_WHOLE) // 2], "it is not JSON"),
    _raw("tail", _WHOLE + "x", "it is not JSON"),
    _raw("nan", _WHOLE.replace('"value":', '"value":NaN,"x":', 1), "it is not JSON"),
    _raw("infinity", _WHOLE.replace('"value":', '"value":-Infinity,"x":', 1), "it is not JSON"),
    _raw("overflow", _WHOLE.replace('"value":', '"value":1e999,"x":', 1), DAMAGED),
    _raw("digits", _WHOLE.replace('"n":', f'"n":{"9" * 5000},"x":', 1), "it is not JSON"),
    _raw("deep", "[" * 100_000, "it is not JSON"),
    _raw("list", "[]", NONE),
    _raw("null", "null", NONE),
    _raw("comparison", json.dumps({"settings": {}, "notes": [], "rows": []}), NONE),
    _raw("binary", b"\xff\xfe\0", "it cannot be read"),
    _raw("gzip", b"\x1f\x8b\x08\x00", "it cannot be read"),
    _raw("utf-16", _WHOLE.encode("utf-16"), "it cannot be read"),
    Case("raw-surrogate", "show bad.json --table exact -q", code=0, out="\\ud800",
         damage=lambda c: [row.update(system="\ud800") for row in c["rows"]
                           if row["system"] == "poor"]
         and [run.__setitem__(0, "\ud800") for run in c["evidence"][0]["runs"]
              if run[0] == "poor"]),
    Case("good-gate", "gate results.json --baseline results.json", code=0,
         out="unchanged, n = "),
    Case("good-show", "show results.json --table exact -q", code=0, out="95.45"),
]  # fmt: skip


def _columns(name: str, change: Callable[[dict[str, Any]], object], fact: str = DAMAGED) -> Case:
    """Damage inside the packed columns of format 2, which are packed again as they should be."""
    content = json.loads(results_bytes())
    entry = content["evidence"][0]
    columns = unpack(zlib.decompress(base64.b64decode(entry["columns"])))
    change(columns)
    data = pack(columns, compact=True)
    entry.update(size=len(data), columns=base64.b64encode(zlib.compress(data)).decode())
    return _raw(f"columns-{name}", json.dumps(content), fact)


def _entry(name: str, **changed: object) -> Case:
    """Damage around the packed columns of format 2."""
    content = json.loads(results_bytes())
    content["evidence"][0].update(changed)
    return _raw(f"entry-{name}", json.dumps(content), DAMAGED)


def _packed(data: bytes) -> str:
    return base64.b64encode(zlib.compress(data)).decode()


def _mentions(columns: dict[str, Any]) -> Any:
    return columns["ledgers"]["mention"]


def _signed(key: str, value: object) -> Callable[[dict[str, Any]], object]:
    return lambda columns: columns["signature"].update({key: value})


FORMAT_2 = [
    _entry("no-size", size=None),
    _entry("size-text", size="5"),
    _entry("size-true", size=True),
    _entry("size-minus", size=-1),
    _entry("size-short", size=10),
    _entry("size-long", size=10**6),
    _entry("size-huge", size=1 << 60),
    _entry("bomb", size=1000, columns=_packed(bytes(50_000_000))),
    _entry("no-base64", columns="!!!"),
    _entry("no-zlib", columns=base64.b64encode(b"x" * 99).decode()),
    _entry("null", columns=None),
    _entry("number", size=len(pack(5)), columns=_packed(pack(5))),
    _entry("garbage", size=9, columns=_packed(b"no codec!")),
    _entry("pickle", size=4, columns=_packed(b"\x80\x04N.")),
    _columns("dataset", lambda c: c.update(dataset=5)),
    _columns("types", lambda c: c["types"].pop()),
    _columns("types-twice", lambda c: c.update(types=["PER", "PER"])),
    _columns("runs", lambda c: c.update(runs=[["a"]] * 3)),
    _columns("runs-fewer", lambda c: c["runs"].pop()),
    _columns("signature", lambda c: c.update(signature={})),
    *(
        _columns(f"signature-{key}-{place}", _signed(key, bad))
        for key in ("version", "match", "map", "resampling", "edges")
        for place, bad in enumerate((7, [1], {"a": 1}, 10**30, math.nan, np.array(5)))
    ),
    _columns("zeta-huge", lambda c: c["zeta"].update(eLen=10**30)),
    _columns("signature-range", lambda c: c["signature"]["edges"]["eLen"]["ranges"].update(XS=5)),
    _columns("documents", lambda c: c.update(documents=None)),
    _columns("documents-list", lambda c: c.update(documents=[0, 1])),
    _columns("documents-floats", lambda c: c.update(documents=np.zeros(6))),
    _columns("documents-square", lambda c: c.update(documents=np.zeros((2, 2), int))),
    _columns("lines", lambda c: c.update(lines=np.zeros(2, int))),
    _columns("texts", lambda c: c.update(texts=["x"])),
    _columns("texts-numbers", lambda c: c.update(texts=[1] * len(c["texts"]))),
    _columns("zeta", lambda c: c.update(zeta="x")),
    _columns("divisions", lambda c: c.update(divisions=[])),
    _columns("division-codes", lambda c: c["divisions"][0].update(levels={"all": [10**9]})),
    _columns("division-metric", lambda c: c["divisions"][0].update(
        metrics={"exact": ["f99"]}), "unknown metric"),
    _columns("ledgers", lambda c: c.update(ledgers={})),
    _columns("sentence-far", lambda c: _mentions(c)["gold"].update(
        sentence=np.full(len(_mentions(c)["gold"]["type"]), 200))),
    _columns("sentence-square", lambda c: _mentions(c)["gold"].update(
        sentence=np.zeros((6, 6), int))),
    _columns("type-minus", lambda c: _mentions(c)["gold"].update(
        type=np.full(len(_mentions(c)["gold"]["type"]), -1))),
    _columns("codes-lost", lambda c: _mentions(c)["gold"]["codes"].pop("tmr")),
    _columns("credit-lost", lambda c: _mentions(c)["runs"][0]["gold_credit"].pop("exact")),
    _columns("credit-nan", lambda c: _mentions(c)["runs"][0]["gold_credit"].update(
        exact=np.full(len(_mentions(c)["gold"]["type"]), np.nan))),
    _columns("pred-lost", lambda c: _mentions(c)["runs"][0].pop("pred")),
    _columns("surfaces-fewer", lambda c: c["surfaces"].pop()),
    _columns("surfaces-text", lambda c: c.update(surfaces=[["a", 1, 2]] * 3)),
    _columns("surfaces-minus", lambda c: c.update(surfaces=[[-1, 1, 2]] * 3)),
]  # fmt: skip


@pytest.mark.slow(quick=10)
@params([*TABLE, *RAW, *FORMAT_2])
def test_results(case: Case, attack: Attack) -> None:
    attack(case)
