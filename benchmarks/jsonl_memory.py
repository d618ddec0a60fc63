"""Time and memory of reading a long JSON Lines file chunk by chunk.

    python benchmarks/jsonl_memory.py                     a gigabyte in a temporary folder
    python benchmarks/jsonl_memory.py --megabytes 100

Records are like those of annotation tools: a paragraph with tokens and spans. They are generated,
read twice (a tenth of them, then all), and thrown away. Memory must not grow with the file.
"""

import argparse
import json
import random
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from common import measure

WORDS = ("the", "a", "of", "in", "met", "saw", "said", "river", "meeting", "yesterday", "for", ",")
NAMES = ("Ada", "Lovelace", "Oslo", "Zoë", "Münster", "Bank", "東京", "O'Neill", "Kraków", "🎉")
TYPES = ("PER", "LOC", "ORG")
READ = """
import sys
from nerscope.corpus.corpus import Coding
from nerscope.formats.base import source_named

tokens = mentions = 0
for chunk in source_named(sys.argv[1]).chunks(Coding()):
    tokens, mentions = tokens + chunk.n_tokens, mentions + len(chunk.mentions())
print(f"{tokens:,} tokens, {mentions:,} mentions", file=sys.stderr)
"""


def records(seed: int) -> Iterator[str]:
    """Lines without end."""
    draw = random.Random(seed)
    while True:
        parts, tokens, spans, at = [], [], [], 0
        for number in range(draw.randint(20, 120)):
            is_name = draw.random() < 0.1
            word = draw.choice(NAMES if is_name else WORDS)
            place = {"start": at, "end": at + len(word)}
            tokens.append({"text": word, **place, "id": number})
            if is_name:
                spans.append({**place, "label": draw.choice(TYPES)})
            parts.append(word)
            at += len(word) + 1
        item = {"text": " ".join(parts), "tokens": tokens, "spans": spans, "answer": "accept"}
        yield json.dumps(item, ensure_ascii=False) + "\n"


def generate(path: Path, megabytes: int) -> None:
    """Write about so many megabytes: some drawn lines over and over."""
    lines = records(seed=1)
    block = "".join(next(lines) for _ in range(1000)).encode()
    with path.open("wb") as stream:
        for _ in range(max(1, (megabytes << 20) // len(block))):
            stream.write(block)


def main() -> None:
    """Generate, read, and print what it took."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--megabytes", type=int, default=1024)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "long.jsonl"
        for megabytes in (options.megabytes // 10, options.megabytes):
            generate(path, megabytes)
            cost = measure([sys.executable, "-c", READ, path])
            speed = megabytes / cost.seconds
            print(
                f"{megabytes:>6} MB: {cost.seconds:7.1f} s, {speed:5.1f} MB/s, "
                f"{cost.megabytes:6.0f} MB at the peak"
            )


if __name__ == "__main__":
    main()
