"""Codes are exact: equal codes if and only if equal keys, equal sequences, equal strings."""

import pickle
import subprocess
import sys
import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nerscope.corpus.arrays import count_table, expand_ranges, lookup, lookup_pair
from nerscope.corpus.vocabulary import Fields, Interner, SequenceTrie, Vocabulary, padded

some = settings(max_examples=150, deadline=None)
# Small keys meet often; large ones reach every bit of a machine word.
keys = st.one_of(st.integers(0, 20), st.integers(0, 2**64 - 1))


def words(values: list[int]) -> np.ndarray[tuple[int], np.dtype[np.uint64]]:
    return np.array(values, np.uint64)


@some
@given(st.lists(st.lists(keys, max_size=30), max_size=6))
def test_keys_get_codes_in_the_order_of_arrival(batches: list[list[int]]) -> None:
    interner, known = Interner(), dict[int, int]()
    for batch in batches:
        expected = [known.setdefault(key, len(known)) for key in batch]
        assert interner.codes(words(batch)).tolist() == expected
        assert interner.size == len(known)
    assert interner.keys[: interner.size].tolist() == list(known)


@some
@given(st.lists(keys, max_size=30), st.lists(keys, max_size=30))
def test_finding_never_adds_a_key(stored: list[int], asked: list[int]) -> None:
    interner = Interner()
    interner.codes(words(stored))
    known = {key: code for code, key in enumerate(dict.fromkeys(stored))}
    assert interner.find(words(asked)).tolist() == [known.get(key, -1) for key in asked]
    assert interner.size == len(known)


@pytest.mark.parametrize("bits", [2, 3, 12])
def test_a_table_that_grows_many_times_keeps_every_code(bits: int) -> None:
    interner = Interner(bits)
    values = np.random.default_rng(7).integers(0, 2**64 - 1, 20_000, dtype=np.uint64)
    values[0] = 0
    expected = np.arange(len(values))
    for first in range(0, len(values), 777):
        assert (interner.codes(values[first : first + 777]) == expected[first : first + 777]).all()
    assert (interner.codes(values) == expected).all()
    assert (interner.find(values[::-1]) == expected[::-1]).all()


def test_keys_that_want_the_same_slot_are_told_apart() -> None:
    interner = Interner(12)
    # Multiples of 2^52 / odd steps differ only where the hash of a small table does not look first.
    close = [(step << 40) + 1 for step in range(1500)]
    assert interner.codes(words(close)).tolist() == list(range(1500))
    assert interner.find(words(close)).tolist() == list(range(1500))
    assert interner.find(words([key + 1 for key in close])).tolist() == [-1] * 1500


def test_keys_crafted_to_collide_are_told_apart_in_time() -> None:
    undo = pow(0x9E3779B97F4A7C15, -1, 1 << 64)
    crafted = words([(step * undo) % (1 << 64) for step in range(1, 60_001)])
    start = time.perf_counter()
    assert Interner().codes(crafted).tolist() == list(range(60_000))
    assert time.perf_counter() - start < 3


def test_a_table_that_travels_finds_its_keys_in_another_process() -> None:
    code = (
        "import pickle, sys, numpy\n"
        "table = pickle.loads(sys.stdin.buffer.read())\n"
        "print(table.find(numpy.arange(9, dtype=numpy.uint64)).tolist())"
    )
    interner = Interner()
    interner.codes(words(list(range(8))))
    found = subprocess.run(
        [sys.executable, "-c", code], input=pickle.dumps(interner), capture_output=True, check=True
    )
    assert found.stdout.decode().strip() == "[0, 1, 2, 3, 4, 5, 6, 7, -1]"


def test_a_very_long_string_is_coded_in_time() -> None:
    long = "y" * 20_000_000
    vocabulary = Vocabulary()
    start = time.perf_counter()
    codes = vocabulary.encode([long, long + "z", "y", long, "y" * 128, "y" * 129])
    assert time.perf_counter() - start < 3
    assert len(set(codes.tolist())) == 5 and codes[0] == codes[3]
    assert vocabulary.strings(codes) == [long, long + "z", "y", long, "y" * 128, "y" * 129]


sequences = st.lists(st.lists(st.integers(0, 3), max_size=5), max_size=12)


def laid_out(parts: list[list[int]]) -> tuple[np.ndarray[tuple[int], np.dtype[np.int64]], ...]:
    ends = np.cumsum([len(part) for part in parts], dtype=np.int64)
    items = np.array([item for part in parts for item in part], np.int64)
    return items, ends - np.array([len(part) for part in parts], np.int64), ends


@some
@given(sequences)
def test_paths_are_equal_exactly_where_sequences_are(parts: list[list[int]]) -> None:
    paths = SequenceTrie()
    codes = paths.codes(*laid_out(parts)).tolist()
    for a, code_a in zip(parts, codes, strict=True):
        assert paths.sequence(code_a) == a
        for b, code_b in zip(parts, codes, strict=True):
            assert (code_a == code_b) == (a == b)


@some
@given(sequences, sequences)
def test_paths_that_may_not_grow_know_only_what_was_stored(
    stored: list[list[int]], asked: list[list[int]]
) -> None:
    paths = SequenceTrie()
    paths.codes(*laid_out(stored))
    size = len(paths)
    prefixes = {tuple(part[:end]) for part in stored for end in range(1, len(part) + 1)}
    assert size == len(prefixes)
    found = paths.codes(*laid_out(asked), grow=False).tolist()
    assert [code >= 0 for code in found] == [tuple(part) in prefixes for part in asked]
    assert len(paths) == size


# Lengths on both sides of one, two and five machine words, in one, two, three and four bytes a
# letter.
letters = st.characters(exclude_characters="\0", exclude_categories=["Cs"])
boundary = st.sampled_from([0, 1, 7, 8, 9, 15, 16, 17, 24, 39, 40])
strings = st.one_of(
    st.text(letters, max_size=40),
    boundary.map("x".__mul__),
    boundary.flatmap(lambda size: st.text(st.sampled_from("ab"), min_size=size, max_size=size)),
    boundary.map("é".__mul__),
)


@some
@given(st.lists(strings, max_size=25))
def test_strings_have_equal_codes_exactly_where_they_are_equal(texts: list[str]) -> None:
    vocabulary = Vocabulary()
    codes = vocabulary.encode(texts).tolist()
    assert vocabulary.strings(codes) == texts
    assert len(set(codes)) == len(set(texts))
    assert all(code < vocabulary.bound for code in codes)
    assert vocabulary.encode(texts[::-1]).tolist() == codes[::-1]


@pytest.mark.parametrize("length", [0, 1, 7, 8, 9, 15, 16, 17, 31, 32, 33, 40])
def test_strings_that_differ_only_in_length_or_last_byte_are_different(length: int) -> None:
    texts = ["x" * length, "x" * (length + 1), "x" * length + "y", "z" + "x" * length]
    codes = Vocabulary().encode(texts).tolist()
    assert len(set(codes)) == len(set(texts)) == 4


def test_fields_are_read_where_they_stand_in_a_buffer() -> None:
    vocabulary = Vocabulary()
    data = "Ada of Lovelace-upon-Thames é".encode()
    starts, ends = np.array([0, 4, 7, 28, 30]), np.array([3, 6, 27, 30, 30])
    codes = vocabulary.encode_fields(padded(data), starts, ends)
    assert vocabulary.strings(codes) == ["Ada", "of", "Lovelace-upon-Thames", "é", ""]
    assert (
        codes.tolist() == vocabulary.encode(["Ada", "of", "Lovelace-upon-Thames", "é", ""]).tolist()
    )


def fields_of(texts: list[str]) -> Fields:
    ends = np.cumsum([len(text) for text in texts], dtype=np.int64)
    starts = np.concatenate([[0], ends[:-1]]) if texts else ends
    return Fields(padded("".join(texts).encode()), starts, ends)


# Lengths around those at which words end and at which strings are compared whole.
near_words = st.builds(
    lambda size, at: f"{'x' * at}y{'x' * size}"[:size],
    st.sampled_from([0, 1, 7, 8, 9, 16, 17, 127, 128, 129, 300]),
    st.integers(0, 300),
)


@some
@given(st.lists(st.tuples(near_words, near_words, st.booleans()), max_size=20))
def test_fields_of_two_buffers_are_compared_where_they_stand(
    rows: list[tuple[str, str, bool]],
) -> None:
    left = [one for one, _, _ in rows]
    right = [one if same else other for one, other, same in rows]
    expected = [at for at, pair in enumerate(zip(left, right, strict=True)) if pair[0] != pair[1]]
    assert fields_of(left).differing(fields_of(right)).tolist() == expected


def test_a_vocabulary_of_many_strings_gives_all_of_them_back() -> None:
    vocabulary = Vocabulary()
    texts = [f"{number:x}" * (1 + number % 5) for number in range(30_000)]
    codes = vocabulary.encode(texts)
    assert vocabulary.strings(codes) == texts
    assert len(np.unique(codes)) == len(set(texts))


@some
@given(st.lists(st.integers(0, 9), max_size=6), st.lists(st.integers(0, 9), max_size=6))
def test_tables_answer_0_for_codes_they_do_not_know(table: list[int], asked: list[int]) -> None:
    found = lookup(np.array(table, np.int64), np.array(asked, np.int64)).tolist()
    assert found == [table[code] if code < len(table) else 0 for code in asked]


def test_tables_of_rows_answer_with_rows() -> None:
    assert lookup(np.array([[1, 2], [3, 4]]), np.array([1, 2])).tolist() == [[3, 4], [0, 0]]
    assert lookup(np.zeros((0, 2), np.int64), np.array([0])).tolist() == [[0, 0]]
    assert lookup_pair(
        np.array([[1, 2], [3, 4]]), np.array([1, 2, 0]), np.array([0, 0, 2])
    ).tolist() == [3, 0, 0]


@some
@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 2)), max_size=20))
def test_counting_pairs_agrees_with_counting_by_hand(pairs: list[tuple[int, int]]) -> None:
    first, second = (np.array([pair[side] for pair in pairs], np.int64) for side in (0, 1))
    assert count_table(first, second, (4, 3)).tolist() == [
        [pairs.count((row, column)) for column in range(3)] for row in range(4)
    ]


@some
@given(st.lists(st.tuples(st.integers(0, 20), st.integers(0, 5)), max_size=10))
def test_ranges_are_laid_end_to_end(spans: list[tuple[int, int]]) -> None:
    starts, sizes = (np.array([span[side] for span in spans], np.int64) for side in (0, 1))
    assert expand_ranges(starts, starts + sizes).tolist() == [
        at for start, size in spans for at in range(start, start + size)
    ]
