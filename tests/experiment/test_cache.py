"""A folder of work that need not be done twice."""

import hashlib
import zlib
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nerscope.codec import pack
from nerscope.experiment.cache import Cache, digest, file_digest
from nerscope.version import VERSION


def stored(body: bytes, key: str = "k") -> bytes:
    """An entry with the digest of its key and body."""
    seal = hashlib.sha256(hashlib.sha256(key.encode()).digest() + body).digest()
    return f"nerscope {VERSION}\n".encode() + seal + body


def test_what_was_put_is_there(tmp_path: Path) -> None:
    cache = Cache(tmp_path / "deep" / "cache")
    assert cache.get("k") is None
    cache.put("k", {"a": [1, None, "é"]})
    assert cache.get("k") == {"a": [1, None, "é"]}
    assert Cache(tmp_path / "deep" / "cache").get("k") == {"a": [1, None, "é"]}
    assert [path.name for path in (tmp_path / "deep" / "cache").iterdir()] == ["k.bin"]


def test_without_a_folder_nothing_is_kept() -> None:
    cache = Cache(None)
    cache.put("k", 1)
    assert cache.get("k") is None


def test_an_entry_that_cannot_be_read_is_said(tmp_path: Path) -> None:
    said: list[str] = []
    cache = Cache(tmp_path, said.append)
    (tmp_path / "k.bin").mkdir()
    assert cache.get("k") is None
    assert len(said) == 1


def test_an_entry_of_another_key_is_said(tmp_path: Path) -> None:
    said: list[str] = []
    cache = Cache(tmp_path, said.append)
    cache.put("k", 1)
    (tmp_path / "k.bin").rename(tmp_path / "other.bin")
    assert cache.get("other") is None
    reason = "its digest does not match"
    assert said == [f"cache entry other.bin cannot be used ({reason}); computed again"]


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"foreign",
        b"nerscope 0.0.0\n",
        f"nerscope {VERSION}\n".encode(),
        f"nerscope {VERSION}\n".encode() + zlib.compress(pack(1)),
        stored(b"not compressed"),
        stored(zlib.compress(b"not packed")),
        stored(zlib.compress(pack(1)[:-1])),
        stored(zlib.compress(pack(1)), "other"),
    ],
)
def test_a_damaged_entry_is_said_and_of_no_use(tmp_path: Path, content: bytes) -> None:
    said: list[str] = []
    (tmp_path / "k.bin").write_bytes(content)
    cache = Cache(tmp_path, said.append)
    assert cache.get("k") is None
    assert len(said) == 1
    cache.put("k", 2)
    assert (cache.get("k"), len(said)) == (2, 1)


plain = st.recursive(
    st.none() | st.integers() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)


@settings(max_examples=50)
@given(plain, plain)
def test_keys_are_equal_if_and_only_if_the_content_is(a: object, b: object) -> None:
    assert digest(a) == digest(a)
    assert (digest(a) == digest(b)) == (a == b)


@pytest.mark.parametrize(
    ("one", "other"),
    [(("a", "b"), ("ab",)), (("a",), (["a"],)), ((1,), ("1",)), ((None,), ("None",))],
)
def test_keys_tell_structures_apart(one: tuple[object, ...], other: tuple[object, ...]) -> None:
    assert digest(*one) != digest(*other)


def test_the_key_of_a_file_is_its_content(tmp_path: Path) -> None:
    for name, text in [("a", "same"), ("b", "same"), ("c", "other")]:
        (tmp_path / name).write_text(text)
    a, b, c = (file_digest(tmp_path / name) for name in "abc")
    assert a == b != c


def test_only_what_is_missing_is_computed(tmp_path: Path) -> None:
    computed: list[list[int]] = []

    def squares(numbers: Sequence[int]) -> list[int]:
        computed.append(list(numbers))
        return [number**2 for number in numbers]

    for numbers in ([1, 2], [1, 2], [2, 3, 4]):
        keys = {number: f"square-{number}" for number in numbers}
        assert Cache(tmp_path).remember(keys, squares) == {n: n**2 for n in numbers}
    assert computed == [[1, 2], [3, 4]]
