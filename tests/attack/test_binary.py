"""Parquet, Arrow and packed files that a stranger has broken, in a process of limited memory."""

import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("pyarrow")
pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the limit of memory is of Linux")

PREPARE = """
import gzip, random, resource, sys
import numpy, pyarrow, pyarrow.ipc, pyarrow.parquet
import nerscope

rows = {"tokens": [["Ada", "met"], ["Oslo"]] * 9, "tags": [["B-PER", "O"], ["O"]] * 9}
table = pyarrow.table(rows)
"""
LIMIT = "resource.setrlimit(resource.RLIMIT_AS, (3 << 30,) * 2)\n"
MUTATE = """
def mutated(data, rng):
    data = bytearray(data)
    for _ in range(rng.choice([1, 1, 2, 8])):
        place = rng.randrange(len(data))
        values = [rng.randbytes(1), b"\\xff\\xff\\xff\\x7f", b"\\xff" * 8, b"\\0\\0\\0\\x80", b""]
        data[place : place + rng.choice([1, 4, 8])] = rng.choice(values)
    return bytes(data)

for compression in ("none", "zstd"):
    pyarrow.parquet.write_table(table, f"{compression}.parquet", compression=compression)
with pyarrow.ipc.new_file("f.arrow", table.schema) as writer:
    writer.write_table(table)
with pyarrow.ipc.new_stream("s.arrow", table.schema) as writer:
    writer.write_table(table)
open("c.txt.gz", "wb").write(gzip.compress(b"Ada B-PER\\nmet O\\n\\n" * 20))
rng = random.Random(int(sys.argv[1]))
for name in ("none.parquet", "zstd.parquet", "f.arrow", "s.arrow", "c.txt.gz"):
    whole = open(name, "rb").read()
    for number in range(40):
        open(f"m-{name}", "wb").write(mutated(whole, rng))
        try:
            nerscope.read(f"m-{name}")
        except nerscope.NerscopeError:
            pass
print("done")
"""
BOMB = """
size = 100_000_000
codes = pyarrow.DictionaryArray.from_arrays(pyarrow.array(numpy.zeros(size, numpy.int8)), ["a"])
rows = pyarrow.ListArray.from_arrays(pyarrow.array([0, size], pyarrow.int32()), codes)
pyarrow.parquet.write_table(pyarrow.table({"tokens": rows}), "b.parquet", store_schema=False)
"""
OPEN_BOMB = """
try:
    nerscope.read("b.parquet")
except nerscope.NerscopeError as error:
    print(error)
# The peak of `getrusage` includes that of the process that started this one.
status = open("/proc/self/status").read()
print(int(status.partition("VmHWM:")[2].split()[0]) < 500_000)
"""


def run(code: str, folder: Path, *arguments: str) -> str:
    """What a program prints; a process that is ended by a signal is a failure."""
    ended = subprocess.run(
        [sys.executable, "-c", PREPARE + code, *arguments],
        capture_output=True,
        text=True,
        cwd=folder,
        timeout=120,
    )
    assert ended.returncode == 0, ended.stderr[-2000:]
    return ended.stdout


@pytest.mark.slow(quick=1)
@pytest.mark.parametrize("seed", range(4))
def test_broken_bytes_end_in_a_message(tmp_path: Path, seed: int) -> None:
    assert run(LIMIT + MUTATE, tmp_path, str(seed)) == "done\n"


@pytest.mark.slow
def test_a_small_file_that_claims_a_hundred_million_tokens_is_refused(tmp_path: Path) -> None:
    run(BOMB, tmp_path)
    assert (tmp_path / "b.parquet").stat().st_size < 1000
    printed = run(LIMIT + OPEN_BOMB, tmp_path)
    assert "it claims 100000000 values in" in printed and printed.endswith("True\n")
