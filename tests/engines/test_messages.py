"""What is sent to workers arrives as it was: objects, functions by name, errors by their texts."""

import functools
import pathlib
from collections import Counter, OrderedDict
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pytest

from nerscope.codec import pack
from nerscope.engines.messages import _Global, _Instance, decode, decode_error, encode, encode_error
from nerscope.errors import FaultError, FormatError, NerscopeError


@dataclass(frozen=True, slots=True)
class Frozen:
    number: int
    items: list[int]


class Pair(NamedTuple):
    first: object
    second: object


class Growing:
    """Keeps itself, and a table that it writes to."""

    def __init__(self) -> None:
        self.me, self.table = self, np.zeros(3)

    def total(self) -> float:
        return float(self.table.sum())


class NeedsTwo(Exception):  # noqa: N818
    def __init__(self, first: object, second: object) -> None:
        super().__init__("odd")


VALUES: list[Any] = [
    None,
    [1, 2.5, "é", b"x", (True, None)],
    {"a": {1: [2]}, (1, 2): "key"},
    {1, 2},
    frozenset("ab"),
    pathlib.Path("a/b.txt"),
    Counter("aab"),
    OrderedDict(b=1, a=2),
    Frozen(1, [2, 3]),
    Pair(Frozen(1, []), "x"),
    slice(1, 2),
    len,
    Frozen,
    pathlib.Path.read_text,
]


@pytest.mark.parametrize("value", VALUES, ids=lambda value: type(value).__name__)
def test_a_value_arrives_as_it_was(value: Any) -> None:
    again = decode(encode(value))
    assert again == value and type(again) is type(value)


def test_a_partial_function_arrives() -> None:
    assert decode(encode(functools.partial(divmod, 7)))(2) == (3, 1)


def test_a_method_arrives_with_its_object() -> None:
    assert decode(encode(Growing().total))() == 0.0


def test_one_object_arrives_as_one_object_and_can_be_written_to() -> None:
    grown, items = Growing(), [1]
    first, second, *lists = decode(encode((grown, grown, items, items)))
    assert first is second is first.me
    assert lists[0] is lists[1] and lists[0] is not items
    first.table[0] = 5.0
    assert second.total() == 5.0


@pytest.mark.parametrize("value", [lambda: 1, iter(())], ids=["lambda", "iterator"])
def test_what_has_no_name_in_a_module_is_refused(value: Any) -> None:
    with pytest.raises((TypeError, ValueError)):
        decode(encode(value))


def test_only_classes_and_builders_are_called() -> None:
    forged = pack(_Instance(0, _Global("os", "system"), ("true",), None, None))
    with pytest.raises(ValueError, match="does not build objects"):
        decode(forged)


@pytest.mark.parametrize(
    ("error", "kind", "text"),
    [
        (FormatError("a:1", "bad", "mend"), FormatError, "a:1: bad. Fix: mend"),
        (
            type("Own", (FaultError,), {})("x", "full", "empty"),
            FaultError,
            "x: full. Fix: empty",
        ),
        (KeyError("k"), KeyError, "'k'"),
        (OSError(28, "full"), OSError, "[Errno 28] full"),
        (KeyError(object), KeyError, ""),
        (NeedsTwo(1, 2), RuntimeError, "NeedsTwo: odd"),
        (UnicodeDecodeError("utf-8", b"x", 0, 1, "bad"), UnicodeDecodeError, "bad"),
    ],
    ids=lambda value: str(value)[:20],
)
def test_an_error_arrives(error: Exception, kind: type, text: str) -> None:
    again = decode_error(encode_error(error))
    assert type(again) is kind and text in str(again)
    if not isinstance(error, NerscopeError):
        assert type(error).__name__ in again.__notes__[0]
