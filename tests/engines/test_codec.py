"""Values as bytes: what comes back is what was sent, and nothing else does any harm."""

import json
import struct
import zlib
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from nerscope.codec import _CLASSES, _MAGIC, pack, serialisable, unpack
from nerscope.corpus.mentions import PLAIN, Shape
from nerscope.engines.local import Local
from nerscope.evaluation.gather import score_task
from nerscope.evaluation.plan import make_plan
from nerscope.evaluation.task import Settings, open_task
from nerscope.formats.base import source_named
from nerscope.results.results import Results


@serialisable
@dataclass(frozen=True, slots=True)
class Checked:
    """Something that is checked when it is made, and made once."""

    number: Any
    also: Any = field(default=0, repr=False)

    def __post_init__(self) -> None:
        if self.number is None:
            raise TypeError("it was made again")


@serialisable
class Pair(NamedTuple):
    one: Any
    other: Any = 2


def same(one: Any, other: Any) -> bool:
    """Equal in value, type and dtype; NaN is itself, and so is -0."""
    if type(one) is not type(other):
        return False
    if isinstance(one, np.ndarray) and one.dtype == object:
        return one.shape == other.shape and same(one.ravel().tolist(), other.ravel().tolist())
    if isinstance(one, np.ndarray | np.generic):
        return (one.dtype, one.shape, one.tobytes()) == (other.dtype, other.shape, other.tobytes())
    if isinstance(one, float):
        return struct.pack("<d", one) == struct.pack("<d", other)
    if isinstance(one, Checked):
        return same((one.number, one.also), (other.number, other.also))
    if isinstance(one, dict):
        return same(list(one.items()), list(other.items()))
    if isinstance(one, tuple | list):
        return len(one) == len(other) and all(map(same, one, other))
    return bool(one == other)


def blank(kind: type, **values: Any) -> Any:
    """An instance that nobody checked."""
    made: Any = object.__new__(kind)
    for name, value in values.items():
        object.__setattr__(made, name, value)
    return made


def objects(*items: object) -> Any:
    return np.fromiter(items, object, len(items))


CASES: dict[str, Any] = {
    "nothing": None,
    "truth": (True, False),
    "large": [2**63 - 1, 2**63, -(2**63), -(2**63) - 1, 10**5000, -(10**5000)],
    "floats": [0.1, -0.0, float("inf"), float("-inf"), float("nan"), 5e-324, 1e308],
    "a NaN of its own": struct.unpack("<d", b"\x01\x02\x03\x00\x00\x00\xf8\xff")[0],
    "letters": ["", "東京", "\0\n\x7f", "\ud800", "\udc80x", "\ud83d\ude00", "😀"],
    "bytes": [b"", b"abc", b"\0" * 9],
    "dicts": {"a": 1, 2: "b", (1, "c"): [], None: {}, b"x": {"y": {}}},
    "empty": [(), [], {}, np.zeros(0), np.zeros((0, 3), np.int8), np.zeros((2, 0), bool)],
    "no dimension": np.array(5, np.int16),
    "orders": [np.arange(100, dtype=order) for order in ("<i8", ">i8", "<u4", ">f4", ">i2")],
    "not in one piece": [np.arange(900).reshape(30, 30)[::2, 1::3], np.eye(3, order="F")],
    "edges": [
        np.full(100, edge, dtype)
        for dtype in (np.int64, np.int32, np.int16)
        for edge in (-129, -128, 127, 128, -32768)
    ],
    "full": [np.array([0, 2**64 - 1] * 50, np.uint64), np.array([-(2**63), 5] * 50)],
    "scalars": [np.int8(3), np.float16(0.1), np.bool_(True), np.float64("nan"), np.uint64(2**63)],
    "classes": [Pair(1), Pair((Pair(2, 3),), [Checked(4)]), blank(Checked, number=None, also=1)],
    "shapes": objects(PLAIN, Shape(((1, 2),), predicted_text="x"), PLAIN, PLAIN),
    "objects": [objects(), objects(None, (1, [2])), objects(Pair(np.eye(3)), "a").reshape(2, 1)],
}


@pytest.mark.parametrize("compact", [False, True])
@pytest.mark.parametrize("name", CASES)
def test_what_is_packed_comes_back(name: str, compact: bool) -> None:
    assert same(unpack(pack(CASES[name], compact=compact)), CASES[name])


def test_compact_columns_compress_well() -> None:
    columns = [np.repeat(np.arange(5000), 3), np.tile([0.0, 0.5, 1.0], 5000)]
    plain, compact = (zlib.compress(pack(columns, compact=how)) for how in (False, True))
    assert 5 * len(compact) < len(plain)


scalars = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    st.text(st.characters(exclude_categories=[])),
    st.binary(),
)
keys = st.one_of(st.none(), st.integers(), st.text(), st.binary(), st.tuples(st.text()))
numbers = st.one_of(
    arrays.boolean_dtypes(),
    arrays.integer_dtypes(endianness="?"),
    arrays.unsigned_integer_dtypes(endianness="?"),
    arrays.floating_dtypes(endianness="?", sizes=(16, 32, 64)),
)
tables = arrays.arrays(numbers, arrays.array_shapes(min_dims=0, min_side=0))
long_columns = st.integers(0, 63).flatmap(
    lambda bits: arrays.arrays(np.int64, 70, elements=st.integers(-(2**bits), 2**bits - 1))
)
values = st.recursive(
    st.one_of(scalars, tables, long_columns, numbers.flatmap(arrays.from_dtype)),
    lambda inner: st.one_of(
        st.lists(inner),
        st.lists(inner).map(tuple),
        st.dictionaries(keys, inner),
        st.builds(Pair, inner, inner),
        st.builds(lambda value: blank(Checked, number=value, also=1), inner),
        st.lists(inner).map(lambda items: objects(*items)),
    ),
    max_leaves=8,
)


@settings(max_examples=50)
@given(values, st.booleans())
def test_all_values_come_back_equal_in_value_and_type(value: Any, compact: bool) -> None:
    data = pack(value, compact=compact)
    assert same(unpack(data), value)
    assert len(data) % 8 == 0
    assert pack(unpack(data), compact=compact) == data


@given(values, st.booleans(), st.data())
@example(CASES, False, None)
@example(CASES, True, None)
def test_damage_is_a_value_error_and_nothing_else(
    value: Any, compact: bool, more: st.DataObject | None
) -> None:
    data = bytearray(pack(value, compact=compact))
    for _ in range(3 if more else 0):
        assert more is not None
        at = more.draw(st.integers(0, len(data) - 1))
        data[at] = more.draw(st.integers(0, 255))
    cut = more.draw(st.integers(0, len(data))) if more else len(data) - 8
    for damaged in (bytes(data), bytes(data[:cut])):
        try:
            unpack(damaged)
        except ValueError as error:
            assert str(error)
        else:
            assert damaged == bytes(data)  # what is cut off is always noticed


def forged(head: object, buffers: bytes = b"") -> bytes:
    """Bytes with a head that nobody packed."""
    text = head if isinstance(head, str) else json.dumps(head)
    raw = text.encode("utf-8", "surrogatepass")
    return _MAGIC + struct.pack("<Q", len(raw)) + raw + bytes(-len(raw) % 8) + buffers


@pytest.mark.parametrize(
    ("data", "fact"),
    [
        # what is none
        (b"", "not packed by nerscope"),
        (b"\x80\x04K\x01.", "not packed by nerscope"),
        (_MAGIC[:-1] + b"\x02" + bytes(16), "another version"),
        (_MAGIC, "truncated"),
        (_MAGIC + b"\xff" * 8, "head is truncated"),
        (_MAGIC + struct.pack("<Q", 8) + b"\xff" * 8, "not UTF-8"),
        # a head that is none
        (forged(""), "Expecting value"),
        (forged("NaN"), "holds NaN"),
        (forged("-Infinity"), "holds -Infinity"),
        (forged("[" * 100_000), "nested too deeply"),
        (forged('["list",' * 60 + "1" + "]" * 60), "nested too deeply"),
        (forged("1" * 5000), "integer string"),
        (forged({"a": 1}), "an object"),
        (forged([]), "unknown tag"),
        (forged(["eval", "1"]), "unknown tag"),
        (forged([["list"]]), "unknown tag"),
        # values that are none
        (forged(["int", "1e9"]), "invalid hexadecimal number"),
        (forged(["int", 5]), "operands of the tag int"),
        (forged(["float", "00"]), "expected 8 bytes, got 1"),
        (forged(["float", "zz"]), "hexadecimal"),
        (forged(["bytes", -8]), "truncated"),
        (forged(["bytes", 10**30]), "truncated"),
        (forged(["bytes", True]), "operands of the tag bytes"),
        (forged(["dict", 1]), "no value"),
        (forged(["dict", ["list"], 1]), "invalid key"),
        (forged(["scalar", "|O8", "00" * 8]), "unknown array type"),
        (forged(["scalar", "|b1", "02"]), "truth value"),
        # arrays that are none, or would fill the memory
        (forged(["array", "<i8", "<i8", [2**40]]), "truncated"),
        (forged(["array", "<i8", "<i8", [2**70, 0]]), "array shape"),
        (forged(["array", "<i8", "<i8", [0, 2**62, 2**62]]), "array is too big|maximum"),
        (forged(["array", "<i8", "<i8", [-1]]), "array shape"),
        (forged(["array", "<i8", "<i8", [1.0]]), "array shape"),
        (forged(["array", "<i8", "<i8", [1] * 100]), "array shape"),
        (forged(["array", "<f8", "<i8", [1]], bytes(8)), "does not come from"),
        (forged(["array", "<i2", "<i8", [1]], bytes(8)), "does not come from"),
        (forged(["array", "|O", "|O", [1]], bytes(8)), "unknown array type"),
        (forged(["array", "|b1", "|b1", [8]], bytes(range(8))), "truth value"),
        (forged(["array", "<i8", "<i8", [1]], bytes(16)), "extra bytes at the end"),
        (forged(["objects", ["list"], ["array", "<i8", "<i8", [1]]], bytes(8)), "not in its table"),
        (forged(["objects", ["list", 1], ["array", "<f8", "<f8", [1]]], bytes(8)), "not in its"),
        (forged(["objects", 1, 2]), "operands of the tag objects"),
        (forged(["objects", ["tuple"], ["array"]]), "no table"),
        # classes that do not travel
        (forged(["class"]), "unknown class None"),
        (forged(["class", "Popen", "ls"]), "unknown class 'Popen'"),
        (forged(["class", ["list"]]), "unknown class"),
        (forged(["class", "Pair", 1]), "other fields"),
        (forged(["class", "Pair", 1, 2, 3]), "other fields"),
    ],
)
def test_what_is_made_up_is_refused_with_a_fact(data: bytes, fact: str) -> None:
    with pytest.raises(ValueError, match=fact) as refused:
        unpack(data)
    assert type(refused.value) in (ValueError, json.JSONDecodeError)


@pytest.mark.parametrize(
    ("value", "fact"),
    [
        (object(), "a object is not serialisable"),
        ({1, 2}, "a set is not serialisable"),
        (1j, "a complex is not serialisable"),
        (np.zeros(2, complex), "type complex128 is not serialisable"),
        (np.array(["a"]), "type <U1 is not serialisable"),
        (np.str_("a"), "type <U1 is not serialisable"),
        (np.ma.masked_array([1]), "a MaskedArray is not serialisable"),
        (np.array([{1}], object), "a set is not serialisable"),
        (Local(), "a Local is not serialisable"),
    ],
)
def test_what_does_not_travel_is_refused(value: object, fact: str) -> None:
    with pytest.raises(TypeError, match=fact):
        pack(value)


def test_a_value_within_itself_is_refused() -> None:
    around: list[Any] = []
    around.append(around)
    with pytest.raises(ValueError, match="nested too deeply"):
        pack(around)


@pytest.mark.usefixtures("travellers")
def test_a_name_belongs_to_one_class() -> None:
    def other() -> type:
        class Pair(NamedTuple):
            one: int

        return Pair

    with pytest.raises(ValueError, match="two serialisable classes are called Pair"):
        serialisable(other())
    with pytest.raises(TypeError, match="neither a dataclass nor a named tuple"):
        serialisable(type("Plain", (), {}))
    serialisable(Pair)  # the same again, as when a notebook runs a cell twice


@pytest.fixture
def travellers() -> Any:
    """Whatever a test lets travel does so no more."""
    before = dict(_CLASSES)
    yield
    _CLASSES.clear()
    _CLASSES.update(before)


def test_arrays_cannot_be_written_to_and_stand_where_processors_like_them() -> None:
    value = [b"x", np.arange(100), np.arange(3.0), np.ones(5, bool), objects(PLAIN)]
    for array in unpack(pack(value))[1:]:
        assert array.flags.aligned
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1


def test_whole_numbers_travel_in_narrow_types() -> None:
    assert len(pack(np.arange(100).repeat(100))) < 11_000
    assert len(pack(np.arange(10_000))) < 21_000


def test_the_same_object_is_written_once() -> None:
    assert len(pack(objects(*[Shape(predicted_text="x" * 1000)] * 1000))) < 4000


class Sent:
    """Everything here, but every part goes over the wire."""

    remote = False

    def __init__(self) -> None:
        self.parts = 0

    def map(self, work: Any, state: Any, items: Any) -> Any:
        for item in items:
            self.parts += 1
            yield unpack(pack(work(state, item)))


def test_an_evaluation_whose_parts_were_sent_gives_the_same_numbers() -> None:
    from nerscope.demo import __file__ as demo

    folder = demo.removesuffix("__init__.py")
    systems = {"a": f"{folder}systems/memoriser.conll", "b": f"{folder}systems/crf-shapes.1.conll"}

    def results(engine: Any) -> str:
        outputs: Any = {name: source_named(path) for name, path in systems.items()}
        train = source_named(f"{folder}train.conll")
        task = open_task(source_named(f"{folder}test.conll"), outputs, train, "d", Settings.of({}))
        found = score_task(task, make_plan(task, engine), engine)
        return Results([found.evidence], found.notes).to_json()

    sent = Sent()
    assert results(sent) == results(Local())
    assert sent.parts > 1
